"""The slopes, certificates and thresholds of double descent, against the formulas for B and V and against grids."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
import sympy as sp
from flint import arb, ctx
from scipy.optimize import minimize_scalar

from proofs_checks.double_descent import a, b, penalty_slope, positive, v, width_slope
from proofs_checks.double_descent_thresholds import (
    best_penalty,
    null_noise,
    ridgeless_noise,
    ridgeless_width,
    singular_constant,
)
from proofs_checks.double_descent_widths import WidthCurve, curve_to, dominated_noise
from proofs_checks.feature_ridge import fast_bias_variance, fast_wide, ridge_point, ridge_risk, ridgeless

PLACES = [(0.7, 2.0, 1.5, 0.1, 0.3), (3.0, 0.4, 2.0, 1.0, 0.0), (8.0, 5.0, 1.1, 0.01, 2.0), (0.2, 1.0, 1.0, 0.05, 1.0)]
"""zeta, psi1, psi2, lambda_bar, noise."""


def _risk(zeta: arb, psi1: arb, psi2: arb, penalty: arb, noise: arb) -> arb:
    risk = ridge_risk(zeta, psi1, psi2, penalty)
    return risk.bias + noise * risk.variance


@pytest.mark.parametrize("place", PLACES)
def test_the_slopes_are_those_of_the_risk(place: tuple[float, ...]) -> None:
    with ctx.workprec(160):
        zeta, psi1, psi2, penalty, noise = map(arb, place)
        at = ridge_point(zeta, psi1, psi2, penalty)
        step = arb(2) ** -40
        rise = _risk(zeta, psi1 + step, psi2, penalty, noise) - _risk(zeta, psi1 - step, psi2, penalty, noise)
        stated = -psi2 * width_slope(at, noise) / (psi1 * at.D**3)
        # A central difference errs by step^2 times a third derivative: 1e-24 of numbers below 1e4 here.
        assert abs(rise / (2 * step) - stated) < arb("1e-18")
        rise = _risk(zeta, psi1, psi2, penalty + step, noise) - _risk(zeta, psi1, psi2, penalty - step, noise)
        stated = -2 * psi1 * psi2**2 * at.p * penalty_slope(at, noise) / at.D**3
        assert abs(rise / (2 * step) - stated) < arb("1e-16")


def test_a_sign_is_read_off_coefficients_only() -> None:
    assert positive((a**2 + b) / (1 + v)).holds
    assert positive((a**3 - a) / (a**2 - a)).holds  # it is a + 1, in lowest terms
    negative = positive(a**2 - a * b + b**2)
    assert not negative.holds
    assert "-1" in negative.reason
    assert positive(a**2 - a * b + b**2, [(a - b) ** 2]).holds
    assert not positive(a - b).holds
    assert not positive(sp.expand((a - b) ** 2), [(a - b) ** 2]).holds  # it vanishes at a = b


CURVES = [
    (WidthCurve(Fraction(2), Fraction(3), Fraction(1, 1000)), Fraction(1, 5)),
    (WidthCurve(Fraction(100), Fraction(2), Fraction(4)), Fraction(2)),
    (WidthCurve(Fraction(10), Fraction(1, 2), Fraction(1, 10)), Fraction(0)),
    (WidthCurve(Fraction(2), Fraction(3), Fraction(1)), Fraction(1, 5)),
]


def _grid(curve: WidthCurve, noise: Fraction, widths: np.ndarray) -> np.ndarray:
    bias, variance = fast_bias_variance(float(curve.zeta2) ** 0.5, widths, float(curve.psi2), float(curve.lambda_bar))
    return bias + float(noise) * variance


@pytest.mark.parametrize(("curve", "noise"), CURVES)
def test_all_extrema_are_found(curve: WidthCurve, noise: Fraction) -> None:
    widths = np.geomspace(1e-3, 1e3, 20001)
    turns = np.diff(np.sign(np.diff(_grid(curve, noise, widths))))
    on_grid = [("maximum" if turns[i] < 0 else "minimum", widths[i + 1]) for i in np.flatnonzero(turns)]
    found = [(turn.kind, float(turn.psi1)) for turn in curve.extrema(noise)]
    assert [kind for kind, _ in found] == [kind for kind, _ in on_grid]
    ratio = widths[1] / widths[0]
    assert all(1 / ratio <= x / y <= ratio for (_, x), (_, y) in zip(found, on_grid, strict=True))


def test_the_risk_rises_exactly_beyond_the_falling_noise() -> None:
    curve = CURVES[1][0]
    exact = float(curve.falling_noise())
    widths = np.geomspace(float(curve.psi2), 1e4, 4000)
    for factor, falls in ((0.99, True), (1.01, False)):
        risks = _grid(curve, Fraction(exact * factor), widths)
        assert bool(np.all(np.diff(risks) < 0)) is falls


@pytest.mark.parametrize("place", [(250, 30, 5), (5, 3, 1), (60, 8, 3)])
def test_another_width_wins_exactly_beyond_the_dominated_noise(place: tuple[int, int, int]) -> None:
    zeta2, limit, beyond = map(Fraction, place)
    curve = curve_to(zeta2, limit, beyond)
    exact = float(dominated_noise(curve, limit))
    bias, variance = fast_wide(float(zeta2) ** 0.5, float(curve.psi2), float(curve.lambda_bar))
    widths = np.geomspace(1e-6, 1e4, 8000)
    for factor, wins in ((0.98, True), (1.02, False)):
        noise = exact * factor
        assert bool(np.all(_grid(curve, Fraction(noise), widths) > float(bias + noise * variance))) is wins


@pytest.mark.parametrize(("zeta2", "psi2"), [(0.3, 2.0), (4.0, 0.5), (30.0, 7.0)])
def test_closed_thresholds(zeta2: float, psi2: float) -> None:
    with ctx.workprec(160):
        z, y = arb(zeta2), arb(psi2)
        bias, variance = ridgeless(z.sqrt(), y * arb(10) ** 30, y)
        edge = null_noise(z, y)
        assert abs(bias + edge * variance - 1) < arb("1e-25")  # the rest is of the order of psi2/psi1
        gap = arb(2) ** -50
        near = ridgeless(z.sqrt(), y + gap, y)
        constant = gap * (near[0] + near[1] / 5)
        # What is left is the gap, 1e-15, times the risk at psi1 = infinity, which is below 10 here.
        assert abs(constant - singular_constant(z, y, arb(1) / 5)) < arb("1e-14")
        level, width = ridgeless_noise(z, 40 * y, y), ridgeless_width(z, y)
        assert abs(ridgeless_noise(z, width, y)) < arb("1e-30")
        tiny, small = (ridge_risk(z.sqrt(), 40 * y, y, arb(x)) for x in ("1e-9", "2e-9"))
        for factor, rises in ((arb("0.999"), True), (arb("1.001"), False)):
            risks = [risk.bias + factor * level * risk.variance for risk in (tiny, small)]
            assert bool(risks[1] > risks[0]) is rises


@pytest.mark.parametrize("noise", [0.5, 2.0, 9.0])
def test_the_best_penalty_minimises_the_risk_at_infinite_width(noise: float) -> None:
    zeta2, psi2 = 4.0, 1.5

    def risk(log_penalty: float) -> float:
        bias, variance = fast_wide(zeta2**0.5, psi2, np.exp(log_penalty))
        return float(bias + noise * variance)

    found = minimize_scalar(risk, bounds=(-8, 6), method="bounded", options={"xatol": 1e-9})
    # A minimum is flat: rounding of 1e-15 in the risk moves it by the root of that.
    assert np.exp(found.x) == pytest.approx(best_penalty(zeta2, psi2, noise), rel=1e-6)


def test_the_largest_noise_without_penalty_grows_with_the_width() -> None:
    widths = np.geomspace(1.01, 1e5, 50) * 2
    levels = ridgeless_noise(np.float64(3.0), widths, np.float64(2.0))
    assert all(later > earlier for earlier, later in pairwise(levels))
    assert levels[0] < 0
    assert levels[-1] == pytest.approx(1 / 3, rel=1e-3)  # 1/zeta^2, approached like 1/psi1
