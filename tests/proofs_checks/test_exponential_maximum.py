"""E[d max/sum] of exponentials is the harmonic number, by two routes and by integration."""

from __future__ import annotations

from fractions import Fraction
from math import factorial

import pytest
import sympy as sp

from proofs_checks import exponential_maximum as maximum


@pytest.mark.parametrize("dimension", range(1, 13))
def test_both_routes_give_the_harmonic_number(dimension: int) -> None:
    expected = maximum.harmonic(dimension)
    assert maximum.expected_maximum_by_renyi(dimension) == expected
    assert maximum.expected_maximum_by_spacings(dimension) == expected


@pytest.mark.parametrize("dimension", range(1, 8))
def test_renyis_matrix_preserves_density_and_sum(dimension: int) -> None:
    matrix = maximum.renyi_matrix(dimension)
    assert matrix.det() == sp.Rational(1, factorial(dimension))
    assert all(sum(matrix.col(j)) == 1 for j in range(dimension))
    # onto the ordered cone: each difference of consecutive rows is a positive multiple of one coordinate
    for i in range(1, dimension):
        difference = matrix.row(i) - matrix.row(i - 1)
        assert [entry > 0 for entry in difference] == [j == i for j in range(dimension)]


def test_two_exponentials_by_direct_integration() -> None:
    """d = 2: max/sum = max(v, 1 - v) with v uniform, so E[2 max/sum] = 3/2 = H_2."""
    v = sp.Symbol("v")
    direct = 2 * (sp.integrate(1 - v, (v, 0, sp.Rational(1, 2))) + sp.integrate(v, (v, sp.Rational(1, 2), 1)))
    assert direct == sp.Rational(maximum.harmonic(2))


def test_the_probability_is_a_distribution_function_that_leaves_every_level() -> None:
    levels = [Fraction(n, 2) for n in range(2, 21)]
    values = [maximum.probability_below(10, level) for level in levels]
    assert values[0] == 0
    assert values == sorted(values)
    assert maximum.probability_below(10, Fraction(10)) == 1
    below = [maximum.probability_below(dimension, Fraction(3)) for dimension in (4, 16, 64, 256)]
    assert below == sorted(below, reverse=True)
    assert below[-1] < Fraction(1, 10**5)
