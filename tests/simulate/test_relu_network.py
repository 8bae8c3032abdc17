"""The loss of a ReLU network against drawn data, its gradient against plain autodiff, and what training reaches."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import norm

from simulate.relu_network import (
    covariance,
    population_loss,
    random_start,
    relu_network_cost,
    relu_network_risk,
    train,
)
from simulate.relu_tangent import tangent_fit

EPS = np.finfo(np.float64).eps
FALSE_ALARM = 1e-6
Z = float(norm.isf(FALSE_ALARM / 2))
INDEFINITE = jnp.linspace(-1.0, 2.0, 6)


def some_network(neurons: int):
    key = jax.random.key(neurons)
    second = jax.random.normal(key, (neurons,), dtype=jnp.float64)
    return second, jax.random.normal(jax.random.fold_in(key, 1), (neurons, 6), dtype=jnp.float64)


def test_loss_is_that_of_drawn_data():
    """The constant from the exact means; the sample mean of the loss lies within Z standard errors."""
    second, weights = (np.asarray(part) for part in some_network(4))
    points = np.random.default_rng(1).standard_normal((200_000, 6))
    constant = -second @ np.linalg.norm(weights, axis=1) / np.sqrt(2 * np.pi)
    network = constant + np.maximum(points @ weights.T, 0) @ second
    target = np.asarray(INDEFINITE)
    losses = (network - points**2 @ target + target.sum()) ** 2 / (2 * np.sum(target**2))
    exact = float(population_loss(jnp.asarray(second), jnp.asarray(weights), INDEFINITE))
    error = float(np.std(losses) / np.sqrt(len(losses)))
    assert abs(float(np.mean(losses)) - exact) <= Z * error
    flipped = float(population_loss(jnp.asarray(-second), jnp.asarray(weights), INDEFINITE))
    assert abs(float(np.mean(losses)) - flipped) > Z * error


def plain_covariance(r):
    return (jnp.sqrt(1 - r**2) + (jnp.pi - jnp.arccos(r)) * r - 1) / (2 * jnp.pi)


def test_slope_of_the_covariance_is_that_of_plain_autodiff():
    cosines = jnp.linspace(-0.99, 0.99, 41)
    ours, plain = (jax.vmap(jax.grad(function))(cosines) for function in (covariance, plain_covariance))
    # Plain autodiff cancels two terms of size 1/sqrt(1 - r^2) < 8.
    assert float(jnp.max(jnp.abs(ours - plain))) <= 64 * EPS
    assert float(jax.grad(covariance)(1.0)) == 0.5
    assert float(jax.grad(covariance)(-1.0)) == 0.0


def test_gradient_is_the_difference_quotient():
    """Central differences of step h = eps^(1/3) err by order h^2 times third derivatives, a few hundred at most."""
    second, weights = some_network(3)
    move = jax.random.normal(jax.random.key(9), weights.shape, dtype=jnp.float64)
    move = move / jnp.linalg.norm(move)

    def along(step):
        return population_loss(second, weights + step * move, INDEFINITE)

    step = EPS ** (1 / 3)
    quotient = float(along(step) - along(-step)) / (2 * step)
    assert abs(float(jax.grad(along)(0.0)) - quotient) <= 300 * step**2
    assert abs(quotient) > 3e3 * step**2  # the comparison has something to compare


@pytest.mark.parametrize("target", [np.linspace(0.2, 1.0, 6), np.linspace(-2.0, 1.0, 6)])
def test_one_neuron_finds_the_largest_eigenvalue(target):
    """The least loss is 1 - max |lambda|^2/(pi - 1)/(2 |B|^2); some starts end at another eigenvector."""
    risk = float(
        relu_network_risk(jax.random.key(3)[None], dimension=6, neurons=1, target=target, steps=300, restarts=4)[0]
    )
    floor = 1 - np.max(np.abs(target)) ** 2 / (np.pi - 1) / (2 * np.sum(target**2))
    # Descent ends where the loss no longer changes in relative size 2^-52, up to the condition number of the Hessian.
    assert -100 * EPS <= risk - floor <= 1e4 * EPS


def test_a_network_is_a_member_of_its_own_tangent_class():
    """max(u, 0) = u 1(u > 0): at the trained weights the tangent model fits no worse, whatever the training did."""
    target = np.linspace(0.2, 2.0, 6)
    start = random_start(jax.random.key(2), dimension=6, neurons=4, target=jnp.asarray(target))
    before = float(population_loss(start[0], start[1], jnp.asarray(target)))
    loss, second, weights = train(start, target, steps=100)
    assert loss == pytest.approx(
        float(population_loss(jnp.asarray(second), jnp.asarray(weights), jnp.asarray(target))), rel=100 * EPS
    )
    assert loss < before
    assert float(tangent_fit(start[1], target).risk) <= before
    assert float(tangent_fit(weights, target).risk) <= loss


def test_more_steps_more_starts_and_keys():
    keys = jax.random.split(jax.random.key(5), 3)
    shape = {"dimension": 6, "neurons": 3, "target": np.linspace(-1.0, 2.0, 6)}
    short, long = (np.asarray(relu_network_risk(keys, **shape, steps=steps)) for steps in (3, 100))
    assert np.all(long < short)
    assert np.array_equal(relu_network_risk(keys, **shape, steps=3, every=2), short[[0, 0, 2]])
    assert relu_network_cost(6, 3, restarts=2) == 2 * relu_network_cost(6, 3)
    assert np.array_equal(relu_network_risk(keys, dimension=6, neurons=0, target=np.ones(6)), np.ones(3))
    with pytest.raises(ValueError, match="the target is zero"):
        relu_network_risk(keys, dimension=6, neurons=1, target=np.zeros(6))
