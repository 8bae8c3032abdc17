"""Rademacher series of matrices and the integral of their tail, against numerical integration and eigenvalues."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import log, pi, sqrt
from typing import Any

import mpmath
import numpy as np
import pytest
from flint import arb

from proofs_checks.chi_square_maximum import lower_mean, pair_mean
from proofs_checks.matrix_moments import attacks, diagonal_series, next_moment_fails, planar_series
from proofs_checks.tail_integral import best_factor, printed_factor

EPS = np.finfo(np.float64).eps


def _integral(integrand: Any, places: list[Any]) -> float:
    """mpmath's quadrature, whose declared type also allows for an error estimate."""
    value: Any = mpmath.quad(integrand, places)
    return float(value)


def test_planar_series_agree_with_eigenvalues():
    entries = [(1, 2, -3), (0, 1, 4), (-2, 1, 1)]
    matrices = [np.array([[a, b], [b, c]], float) for a, b, c in entries]
    norms = [
        np.linalg.norm(sum(s * a for s, a in zip(signs, matrices, strict=True)), 2)
        for signs in product((1, -1), repeat=3)
    ]
    series = planar_series([[(Fraction(a), Fraction(b), Fraction(c)) for a, b, c in entries]])
    assert float(series.mean.mid()) == pytest.approx(np.mean(norms), rel=100 * EPS)
    variance = np.linalg.norm(sum(a @ a for a in matrices), 2)
    assert float(series.variance.mid()) == pytest.approx(variance, rel=100 * EPS)


def test_diagonal_series_are_exact():
    assert diagonal_series([[1, 1], [1, -1]]).mean == 2
    assert diagonal_series([[1, 1, 1]]).mean == arb(3) / 2


def test_every_attack_respects_the_best_constant_and_one_exceeds_six_fifths():
    shares = [series.share() for series in attacks().values()]
    assert all(share < arb(2).sqrt() for share in shares)
    assert any(share > arb(6) / 5 for share in shares)


def test_the_moment_recursion_is_tight_in_its_factor():
    assert next_moment_fails() is None
    assert next_moment_fails(-1) is not None


@pytest.mark.parametrize("entropy", [log(2), 1.0, 3.0, 10.0])
def test_the_factors_are_the_integrals(entropy):
    def integrand(t: Any) -> Any:
        return mpmath.exp(-(t**2) / 2 + entropy)

    def after(split: float) -> float:
        return (split + _integral(integrand, [split, split + 5, mpmath.inf])) / sqrt(entropy)

    # mpmath's quadrature is good to the digits of its default precision, 15, less a few for the cancellation.
    assert float(best_factor(arb(entropy)).mid()) == pytest.approx(after(sqrt(2 * entropy)), rel=1e-12)
    later = _integral(lambda t: mpmath.exp(-(t**2) / 4), [2 * sqrt(entropy), 2 * sqrt(entropy) + 5, mpmath.inf])
    assert float(printed_factor(arb(entropy)).mid()) == pytest.approx(2 + later / sqrt(entropy), rel=1e-12)


def test_no_other_split_is_better():
    entropy = log(2)
    best = float(best_factor(arb(entropy)).mid())
    for split in np.linspace(sqrt(2 * entropy), 3, 20):
        tail = sqrt(pi / 2) * np.exp(entropy) * float(mpmath.erfc(split / sqrt(2)))
        assert (split + tail) / sqrt(entropy) >= best * (1 - 10 * EPS)


@pytest.mark.parametrize("number", [1, 2, 5, 1000])
def test_the_lower_bound_of_the_largest_square_is_close_and_below(number):
    exact = _integral(lambda t: 1 - mpmath.erf(mpmath.sqrt(t / 2)) ** number, [0, 1, 4, 16, 50, 100])
    # A step function of cell 1/8 loses at most one cell times the drop of the integrand, which is 1.
    assert exact - 0.125 <= float(lower_mean(number).mid()) <= exact


def test_the_larger_of_two_squares():
    exact = _integral(lambda t: 1 - mpmath.erf(mpmath.sqrt(t / 2)) ** 2, [0, 1, 4, 16, 50, 100])
    assert float(pair_mean()) == pytest.approx(exact, rel=1e-8)
