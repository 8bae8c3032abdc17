"""Points that the search returns are stationary, of second order, and no neighbour is lower."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from simulate.activation_function import ActivationFunction
from simulate.clean_risk import draw_task, enumerated_risk, make_task, with_penalty
from simulate.stationary_points import TOLERATED, second_order_point

CUBE = ActivationFunction(lambda u: jnp.maximum(u, 0.0) ** 3 / 6, lambda u: jnp.maximum(u, 0.0) ** 2 / 2)
WIDTH, DIMENSION, STRENGTH = 4, 2, 1e-3
TASK = draw_task(3, width=WIDTH, dimension=DIMENSION, samples=4)


@pytest.mark.parametrize("scale", [0.0, 1.0])
def test_a_point_is_stationary_and_curved_upwards_for_the_enumerated_risk(scale: float) -> None:
    """The witness is the risk by all 2^m signs, of which the search has seen nothing."""
    start = scale * np.random.default_rng(1).normal(size=(WIDTH, DIMENSION))
    point = second_order_point(TASK, start, STRENGTH, activation=CUBE, model="randomised")
    risk = with_penalty(enumerated_risk(TASK, CUBE), STRENGTH)
    weights = jnp.asarray(point.weights)
    eigenvalues = np.linalg.eigvalsh(np.asarray(jax.hessian(risk)(weights)).reshape(start.size, start.size))
    # The gradient is brought down to rounding: 2^m terms of order one.
    assert float(jnp.linalg.norm(jax.grad(risk)(weights))) < point.gradient + 2.0**-53 * 2**WIDTH * 100
    assert eigenvalues[0] >= -2 * TOLERATED * eigenvalues[-1]
    assert float(risk(weights)) == pytest.approx(point.risk, rel=1e-13)
    assert point.risk < np.log(2)
    rng = np.random.default_rng(2)
    near = [weights + 0.05 * jnp.asarray(rng.normal(size=start.shape)) for _ in range(20)]
    assert min(float(risk(other)) for other in near) > point.risk


def test_the_saddle_at_zero_is_left_along_negative_curvature() -> None:
    point = second_order_point(TASK, np.zeros((WIDTH, DIMENSION)), STRENGTH, activation=CUBE, model="randomised")
    assert point.escapes >= 1
    assert point.norm > 0


def test_zero_is_kept_where_its_hessian_is_positive() -> None:
    """d = n = 1, w_0 = t: second derivatives a l' t/sqrt m + l'' t^4/(4 m), positive for m < t^6/64."""
    t = 3.0
    assert 8 < t**6 / 64 < 12
    for width, kept in ((8, True), (12, False)):
        task = make_task(np.full((width, 1), t), np.repeat([1.0, -1.0], width // 2), np.ones((1, 1)), np.ones(1))
        point = second_order_point(task, np.zeros((width, 1)), STRENGTH, activation=CUBE, model="randomised")
        assert (point.norm == 0) == kept
        if kept:
            least = -0.5 * t / np.sqrt(width) + 0.25 * t**4 / (4 * width)
            assert point.curvature == pytest.approx(least, rel=1e-12)
