"""The largest of d exponential variables over their mean: E[d max/sum] = H_d = 1 + 1/2 + ... + 1/d.

It bears on the operator norm of d Gamma when Gamma has a random Exp(1) spectrum normalised to trace one:
the norm is d max/sum, whose expectation H_d grows without bound. Two exact routes that share nothing:

* Renyi's representation: the ordered sample is x_(i) = sum_{j <= i} z_j/(d - j + 1) with z again d
  independent exponentials and sum z = sum x (`renyi_matrix` checks both for a given d). So max/sum is the
  mean of the 1/j under uniform Dirichlet weights, each of expectation 1/d.
* Inclusion-exclusion for the largest of d spacings of the unit interval, which have the law of x/sum:
  P(max/sum <= x) = sum_j (-1)^j C(d, j) (1 - j x)_+^(d-1).
"""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import Any

import sympy as sp


def harmonic(dimension: int) -> Fraction:
    """H_d."""
    return sum((Fraction(1, j) for j in range(1, dimension + 1)), Fraction(0))


def renyi_matrix(dimension: int) -> sp.Matrix:
    """The matrix A with x_(i) = sum_j A_ij z_j.

    The ordered sample has density d! exp(-sum x) on x_(1) < ... < x_(d). Then z is a vector of
    independent exponentials exactly if A maps the positive orthant onto that cone, det A = 1/d!, and
    each column of A sums to 1 (so that sum x = sum z).
    """
    return sp.Matrix(dimension, dimension, lambda i, j: sp.Rational(1, dimension - j) if j <= i else 0)


def expected_maximum_by_renyi(dimension: int) -> Fraction:
    """E[d max/sum]: the last row of the Renyi matrix against Dirichlet weights of expectation 1/d each."""
    weights: list[Any] = list(renyi_matrix(dimension).row(dimension - 1))
    return sum((Fraction(weight) * Fraction(1, dimension) for weight in weights), Fraction(0)) * dimension


def probability_below(dimension: int, level: Fraction) -> Fraction:
    """P(d max/sum <= level), exactly."""
    x = Fraction(level) / dimension
    terms = ((-1) ** j * comb(dimension, j) * (1 - j * x) ** (dimension - 1) for j in range(dimension + 1) if j * x < 1)
    return sum(terms, Fraction(0))


def expected_maximum_by_spacings(dimension: int) -> Fraction:
    """E[d max/sum], the integral of 1 - P(d max/sum <= x): (1 - j x)_+^(d-1) integrates to 1/(j d)."""
    return sum((Fraction((-1) ** (j + 1) * comb(dimension, j), j) for j in range(1, dimension + 1)), Fraction(0))
