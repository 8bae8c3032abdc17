"""Dimensions, moments and shares of polynomials against direct counts in low dimension."""

from __future__ import annotations

import itertools

import pytest
import sympy as sp

from proofs_checks import polynomial_chaos


@pytest.mark.parametrize("dimension", [1, 2, 5])
def test_chaos_dimension_counts_monomials(dimension):
    for degree in (2, 3, 4):
        monomials = sum(1 for _ in itertools.combinations_with_replacement(range(dimension), degree))
        assert polynomial_chaos.chaos_dimension(degree).subs(polynomial_chaos.d, dimension) == monomials


def test_moments_of_the_norm_in_three_dimensions():
    """E |x|^4 = 15 and E x_1^2 |x|^4 = 35 for x ~ N(0, I_3), from the moments 1, 3, 15 of one coordinate."""
    at_three = {polynomial_chaos.d: 3}
    assert polynomial_chaos.radial_mean(polynomial_chaos.S**2).subs(at_three) == 3 * 3 + 6
    assert polynomial_chaos.weighted_mean(polynomial_chaos.S**2).subs(at_three) == 15 + 2 * 2 * 3 + 2 * 3 + 2


def test_exceptional_cubic_and_quartic_in_one_dimension():
    """On the line |x|^4 is x^4, of variance 96 with 72 explained by x^2: 1/4 = 1/(d+3) is left."""
    assert polynomial_chaos.quartic_residual().subs(polynomial_chaos.d, 1) == sp.Rational(1, 4)
    # One neuron on the line: h = x (w^2 x^2 - 1), f = x^3 - 3x; E fh = 6, E h^2 = 45 - 6 + 1 = 40, E f^2 = 6.
    found = polynomial_chaos.exceptional_cubic_risk().subs({polynomial_chaos.d: 1, polynomial_chaos.N: 1})
    assert found == 1 - sp.Rational(36, 6 * 40)
