"""The symbolic steps of Lemma 1, Theorem 2 and Corollary 3 against numbers computed another way."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from proofs_checks import clean_hessian as clean
from proofs_checks import eighth_power as power
from proofs_checks import width_condition as width


def test_the_averaged_hessian_fails_with_any_other_factor() -> None:
    risk = clean.SymbolicCleanRisk(1, 2)
    right = clean.averaged_hessian_step(risk)
    assert right.left == right.right
    for changed in ({"loss_factor": 1}, {"gap_factor": 1}, {"remainder_factor": 2}):
        step = clean.averaged_hessian_step(risk, **changed)
        assert sp.expand(step.left - step.right) != 0


@pytest.mark.parametrize("seed", range(3))
def test_the_regulariser_against_finite_differences(seed: int) -> None:
    rng = np.random.default_rng(seed)
    W, V = rng.normal(size=(2, 3, 2))

    def eighth(weights: np.ndarray) -> float:
        return float(np.sum(np.sum(weights**2, axis=1) ** 2) ** 2)

    h = 1e-3
    means = []
    for signs in product((1.0, -1.0), repeat=3):
        moved = np.array(signs)[:, None] * V
        means.append((eighth(W + h * moved) + eighth(W - h * moved) - 2 * eighth(W)) / h**2)
    a, b, c = np.sum(W**2, 1), np.sum(V**2, 1), np.sum(W * V, 1)
    formula = 8 * np.sum(a**2) * np.sum(a * b + 2 * c**2) + 32 * np.sum(a**2 * c**2)
    # A second difference errs by h^2/12 times the fourth derivative, here of the order of the eighth power itself.
    assert np.mean(means) == pytest.approx(formula, rel=1e-3)
    assert formula <= 56 * np.sum(a**2) * np.sum(a * b)


def test_no_alpha_gives_a_smaller_constant_than_the_true_supremum() -> None:
    """sup over p of 56 p^3 - 5 p^4 (q = 1), by calculus, is C."""
    p = sp.Symbol("p", positive=True)
    goal = 56 * p**3 - 5 * p**4
    (critical,) = sp.solve(sp.diff(goal, p), p)
    assert goal.subs(p, critical) == power.CONSTANT == sp.Rational(1037232, 125)


@given(st.floats(1.0, 50.0), st.floats(0.01, 20.0), st.floats(0.01, 5.0), st.floats(1.0, 4.0), st.floats(0.01, 1.0))
def test_every_requirement_is_below_condition_six(
    dimension: float, radius: float, star: float, more: float, accuracy: float
) -> None:
    values = {width.d: dimension, width.Bx: radius, width.Bs: star, width.Bw: star * more, width.eps: accuracy}
    needed = width.widths_needed(dimension, radius, star * more, accuracy)
    for term in (*width.LOSS, *width.REMAINDER, *width.GRADIENT, *width.HESSIAN):
        # Both sides are products of at most a hundred factors in float64.
        assert float(term.printed.subs(values)) <= needed * (1 + 1e-13)


def test_a_requirement_outside_the_range_is_not_claimed() -> None:
    assert width.dominates(width.d**6 * width.Bx**12 * width.Bw**12 / width.eps**4) is None
    assert width.dominates(width.Bx**12 * width.Bw**13 / width.eps**4) is None
    assert width.dominates(width.Bx**12 * width.Bw**12 / width.eps**5) is None
