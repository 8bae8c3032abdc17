"""Matched moments, the exact moments of Taylor terms, and the law of the largest norm, each by a second way."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx, fmpq
from scipy import stats

from proofs_checks.largest_norm import exceeds, exceeds_at, norm_tail
from proofs_checks.matched_moments import difference_moments, matched_laws, mixing_weight, moment
from proofs_checks.taylor_terms import derivative_bound, exponent, local_exponent, tangent_exponent
from theorems.activation import activation


@pytest.mark.parametrize("k", range(1, 13))
@pytest.mark.parametrize("shift", [Fraction(0), Fraction(1, 2), Fraction(-7, 3)])
def test_moments_match_below_k_and_differ_by_one_at_k(k: int, shift: Fraction) -> None:
    plus, minus = matched_laws(k, shift)
    assert all(sum(p for _, p in law) == 1 and min(p for _, p in law) > 0 for law in (plus, minus))
    assert [moment(plus, j) - moment(minus, j) for j in range(k + 1)] == [*[0] * k, 1]
    assert difference_moments((plus, minus), k + 1)[0] == (k + 1) * shift
    assert mixing_weight(k) <= 1


def test_exponents_are_those_of_the_section() -> None:
    found = [[exponent(j, k) for j in range(1, k + 2)] for k in (2, 3)]
    assert [[str(b) for b in row] for row in found] == [["1/4", "0", "1/4"], ["1/6", "1/3", "0", "1/6"]]


@pytest.mark.parametrize("text", ["x - sin(x)", "x - tanh(x)", "x**3/(1 + x**2)"])
@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_the_exact_remainder_has_exponent_1_over_2k_far_out(text: str, k: int) -> None:
    sigma = activation(text).expression
    gaps = [abs(float(local_exponent(sigma, k, doublings)) - 1 / (2 * k)) for doublings in (80, 160, 320)]
    # The correction is one power h = m^(-1/2k) of its argument, so 80 doublings more shrink it by 2^(-40/k) at least.
    assert gaps[1] <= 2 ** (-40 / k) * 2 * gaps[0] + 1e-15
    assert gaps[2] <= 1e-6
    bound = derivative_bound(sigma, k + 1)
    assert bound is not None
    assert bound.is_finite()


@pytest.mark.parametrize("text", ["relu3", "x - sin(x)", "Abs(x)**3"])
def test_the_rest_of_the_tangent_regime_is_of_order_one_half(text: str) -> None:
    assert abs(float(tangent_exponent(activation(text).expression, 200)) - 0.5) < 1e-12


@pytest.mark.parametrize(("d", "square"), [(1, 3.0), (5, 4.5), (40, 70.0)])
def test_the_tail_of_a_norm_is_that_of_chi_square(d: int, square: float) -> None:
    assert float(norm_tail(d, arb(square))) == pytest.approx(stats.chi2.sf(square, d), rel=1e-10)  # SciPy's accuracy


def test_the_law_of_the_largest_norm_is_that_of_drawn_vectors() -> None:
    rng = np.random.default_rng(5)
    d, vectors, draws = 4, 16, 4000
    largest = (rng.standard_normal((draws, vectors, d)) ** 2).sum(axis=2).max(axis=1)
    below = [1 - float(exceeds(d, vectors, arb(float(x)))) for x in largest[:400]]
    statistic = stats.kstest(below, "uniform").pvalue
    assert statistic > 1e-4  # a fixed draw; a law with another number of vectors gives 1e-60
    assert stats.kstest([b**2 for b in below], "uniform").pvalue < 1e-10


def test_half_of_the_rows_are_distinct() -> None:
    chance, allowed = exceeds_at(3, 8, fmpq(1, 10), lambda d, log_ratio: arb(9))
    with ctx.workprec(200):
        assert chance.overlaps(exceeds(3, 4, arb(9)))
        assert allowed.overlaps(arb(fmpq(1, 10)))
