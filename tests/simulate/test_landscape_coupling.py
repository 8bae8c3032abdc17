"""The exact averages over signs agree with automatic differentiation of the network, all signs run through."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import Array

from simulate.landscape_coupling import gradient_gap, hessian_gap, typical_gap
from simulate.randomised_network import Neurons
from theorems.activation import activation

jax.config.update("jax_enable_x64", True)
WIDTH, INPUTS = 4, 3
OUTER = jnp.array([1.0, 1.0, -1.0, -1.0])
SIGNS = jnp.array(list(product((1.0, -1.0), repeat=WIDTH)))
QUADRATURE = 1e-8
"""The tail cut off is below 1e-9, and the rule is converged: the test of nodes shows it."""
Risk = Callable[[Array], Array]


def _logistic(z: Array) -> Array:
    return jnp.logaddexp(0.0, -z)


def _cubic_relu(u: Array) -> Array:
    return jnp.maximum(u, 0.0) ** 3


def _smooth(u: Array) -> Array:
    return u - jnp.sin(u)


def _draw(seed: int) -> tuple[Array, Array, Array, Array]:
    """W_0 (copied), W, W_* and x: real vectors, W so small that f is of order 1, as the rule is made for."""
    keys = jax.random.split(jax.random.key(seed), 4)
    shapes = ((2, INPUTS), (4, INPUTS), (4, INPUTS), (INPUTS,))
    half, w, star, x = (jax.random.normal(key, shape) for key, shape in zip(keys, shapes, strict=True))
    return jnp.tile(half, (2, 1)), w / 2, star, x / jnp.linalg.norm(x)


def _risks(value: Callable[[Array], Array], start: Array, x: Array) -> tuple[Risk, Risk]:
    """L~ by running through all signs, and L^Q from its definition."""

    def randomised(w: Array) -> Array:
        def one(signs: Array) -> Array:
            moved = value((start + signs[:, None] * w) @ x) - value(start @ x)
            return _logistic(jnp.sum(OUTER * moved) / 2.0)  # sqrt(m) = 2

        return jnp.mean(jax.vmap(one)(SIGNS))

    bends = jax.vmap(jax.grad(jax.grad(value)))(start @ x)

    def clean(w: Array) -> Array:
        return _logistic(jnp.sum(OUTER * bends * (w @ x) ** 2) / 4.0)

    return randomised, clean


@pytest.mark.parametrize("value", [_cubic_relu, _smooth])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_gradient_along_the_movement(value: Callable[[Array], Array], seed: int) -> None:
    start, w, _, x = _draw(seed)
    gradients = [jnp.sum(jax.grad(risk)(w) * w) for risk in _risks(value, start, x)]
    found = gradient_gap(value, Neurons(OUTER, start @ x, w @ x), WIDTH)
    assert float(found) == pytest.approx(float(gradients[0] - gradients[1]), abs=QUADRATURE)


@pytest.mark.parametrize("value", [_cubic_relu, _smooth])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_hessian_averaged_over_the_signs_of_the_direction(value: Callable[[Array], Array], seed: int) -> None:
    start, w, star, x = _draw(seed)

    def form(risk: Risk) -> Array:
        """E over Sigma' of the quadratic form of the full Hessian."""
        hessian = jax.hessian(risk)(w)
        turned = SIGNS[:, :, None] * star
        return jnp.mean(jnp.einsum("kri,risj,ksj->k", turned, hessian, turned))

    forms = [form(risk) for risk in _risks(value, start, x)]
    found = hessian_gap(value, Neurons(OUTER, start @ x, w @ x), star @ x, WIDTH)
    assert float(found) == pytest.approx(float(forms[0] - forms[1]), abs=QUADRATURE)


@pytest.mark.parametrize("quantity", ["gradient", "hessian"])
def test_the_quadrature_is_converged_for_many_neurons(quantity: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from simulate import landscape_coupling as module

    start = jax.random.normal(jax.random.key(5), (128,))
    neurons = Neurons(jnp.ones(128), start, jnp.full(128, 128**-0.25))

    def found() -> float:
        if quantity == "gradient":
            return float(gradient_gap(_cubic_relu, neurons, 256))
        return float(hessian_gap(_cubic_relu, neurons, neurons.movement, 256))

    coarse = found()
    monkeypatch.setattr(module, "NODES", 80)
    monkeypatch.setattr(module, "CUT", 13.0)
    assert coarse == pytest.approx(found(), abs=QUADRATURE)


def test_the_gap_of_a_drawn_network_is_that_of_its_neurons() -> None:
    keys = jax.random.split(jax.random.key(2), 3)
    found = typical_gap(keys, dimension=64, quantity="gradient", activation=activation("Max(x, 0)**3").function())
    start = jax.random.normal(keys[1], (32,), dtype=jnp.float64)
    neurons = Neurons(jnp.ones(32), start, jnp.full(32, 32**-0.25))
    assert found.shape == (3,)
    assert float(found[1]) == pytest.approx(abs(float(gradient_gap(_cubic_relu, neurons, 64))), rel=1e-12)
    assert np.unique(np.asarray(found)).size == 3


def test_an_odd_number_of_neurons_is_refused() -> None:
    with pytest.raises(ValueError, match="even number"):
        typical_gap(jax.random.split(jax.random.key(0), 2), dimension=5, quantity="gradient",
                    activation=activation("Max(x, 0)**3").function())  # fmt: skip
