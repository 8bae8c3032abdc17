"""The projector risk of the neural tangent model against drawn data and against explicit projectors."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import norm

from simulate.drawn_data import neural_tangent_bracket
from simulate.neural_tangent import projector_risk, projector_risk_cost, sample_weights

EPS = np.finfo(np.float64).eps
FALSE_ALARM = 1e-6
Z = float(norm.isf(FALSE_ALARM / 2))
DIMENSION = 8
INDEFINITE = np.linspace(-1.0, 2.0, DIMENSION)


def keys(count, seed=0):
    return jax.random.split(jax.random.key(seed), count)


@pytest.mark.parametrize("neurons", [2, 6])
def test_risk_lies_in_the_bracket_of_drawn_data(neurons):
    """With and without the constant, on either side of N = d/2; each bracket tells the two classes apart."""
    key = jax.random.key(5)
    weights = sample_weights(key, dimension=DIMENSION, neurons=neurons)
    with_constant, without = (
        projector_risk(key[None], dimension=DIMENSION, neurons=neurons, target=INDEFINITE, offset=offset)
        for offset in (True, False)
    )
    assert with_constant.dtype == without.dtype == jnp.float64
    for offset, right, wrong in ((True, with_constant, without), (False, without, with_constant)):
        bracket = neural_tangent_bracket(jax.random.key(6), weights, target=INDEFINITE, offset=offset, samples=60_000)
        assert bracket.holds(float(right[0]), Z), (offset, right, bracket)
        assert not bracket.holds(float(wrong[0]), Z), (offset, wrong, bracket)


@pytest.mark.parametrize("neurons", [3, 10, 11])
def test_risk_is_that_of_the_explicit_projector(neurons):
    """Both sides of N = d/2, where the simulator turns from the span to its complement."""
    dimension, target = 20, np.linspace(-1.0, 2.0, 20)
    batch = keys(4)
    with_constant = projector_risk(batch, dimension=dimension, neurons=neurons, target=target)
    without = projector_risk(batch, dimension=dimension, neurons=neurons, target=target, offset=False)
    for replicate in range(4):
        weights = np.asarray(sample_weights(batch[replicate], dimension=dimension, neurons=neurons))
        assert weights.shape == (neurons, dimension)
        basis = np.linalg.qr(weights.T)[0]
        inside = basis @ basis.T
        outside = np.eye(dimension) - inside
        off_span = np.sum((outside * target @ outside) ** 2) / np.sum(target**2)
        trace_term = np.trace(inside * target) ** 2 / ((neurons + 2) * np.sum(target**2))
        # Cholesky QR errs by the condition number of the Gram matrix, at most some thousands at rank d/2 of
        # 20, times d eps.
        bound = 1e4 * dimension * EPS
        assert abs(with_constant[replicate] - off_span) <= bound
        assert abs(without[replicate] - off_span - trace_term) <= bound


@pytest.mark.parametrize("neurons", [DIMENSION, DIMENSION + 5])
def test_enough_neurons_fit_exactly(neurons):
    arguments = {"dimension": DIMENSION, "neurons": neurons, "target": INDEFINITE}
    assert np.array_equal(projector_risk(keys(3), **arguments), np.zeros(3))
    # Without the constant: A = B + eI, and Tr(B)^2/((d + 2)|B|^2) is left.
    left = INDEFINITE.sum() ** 2 / ((DIMENSION + 2) * np.sum(INDEFINITE**2))
    assert projector_risk(keys(3), offset=False, **arguments) == pytest.approx(left, rel=8 * EPS)
    weights = sample_weights(jax.random.key(1), dimension=DIMENSION, neurons=neurons)
    bracket = neural_tangent_bracket(jax.random.key(2), weights, target=INDEFINITE, samples=5_000)
    # Exactly representable: what is left is the square of a residual of rounding, with room for conditioning.
    assert bracket.fresh < 1e-18


def test_no_neurons_leave_the_trivial_risk():
    assert np.array_equal(projector_risk(keys(2), dimension=5, neurons=0, target=np.ones(5)), np.ones(2))


def test_mean_over_projectors_for_the_identity():
    """|P|_F^2/d = (d - N)/d for B = I, whatever the projector."""
    for neurons in (3, 9):
        risks = projector_risk(keys(5), dimension=12, neurons=neurons, target=np.ones(12))
        assert risks == pytest.approx((12 - neurons) / 12, abs=1e4 * 12 * EPS)


def test_risk_scales_out_and_follows_permutations_of_the_keys():
    batch = keys(6, seed=3)
    risks = projector_risk(batch, dimension=DIMENSION, neurons=3, target=INDEFINITE)
    backward = projector_risk(batch[::-1], dimension=DIMENSION, neurons=3, target=INDEFINITE)
    assert np.array_equal(risks, backward[::-1])
    scaled = projector_risk(batch, dimension=DIMENSION, neurons=3, target=-4 * INDEFINITE)
    assert np.array_equal(risks, scaled)
    assert np.ptp(risks) > 1e-3


def test_a_zero_target_is_refused():
    with pytest.raises(ValueError, match="zero"):
        projector_risk(keys(1), dimension=3, neurons=1, target=np.zeros(3))


def test_cost_depends_on_the_smaller_of_span_and_complement():
    assert projector_risk_cost(100, 30) == projector_risk_cost(100, 70) > projector_risk_cost(100, 90)
