"""Growth, its majorants, and assumption A1."""

from __future__ import annotations

import time

import pytest
import sympy as sp
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_checks.ball_function import CannotDecide, evaluate
from proofs_checks.growth import assumption_a1, growth, is_affine

x = sp.Symbol("x", real=True)

RATES = [
    (x**3 - 3 * x, 0),
    (sp.exp(sp.Abs(x)), 0),
    (sp.exp(20 * x) * sp.cos(x), 0),
    (x * sp.exp(-(x**2) / 4), 0),
    (sp.exp(x**2 / 8), sp.Rational(1, 2)),
    (sp.cosh(x**2 / 10) / (1 + x**2), sp.Rational(2, 5)),
    (sp.Piecewise((sp.exp(x**2 / 16), x > 0), (x, True)), sp.Rational(1, 4)),
    (sp.exp(x**2 / 8 + x * sp.sin(x)), sp.Rational(1, 2)),
    (2 ** (x**2), 4 * sp.log(2)),
    (sp.exp(x**2) * sp.erfc(x), 4),
    (sp.exp(x**4), sp.oo),
    (sp.exp(sp.exp(x)), sp.oo),
    (sp.exp(-sp.exp(x)), 0),
    ((x + 1) ** 2 - x**2 - 2 * x + sp.exp(x**2 / 4) - sp.exp(x**2 / 4), 0),
]


@pytest.mark.parametrize(("expression", "rate"), RATES, ids=str)
def test_rate_is_the_exact_infimum(expression, rate):
    found = growth(expression)
    assert sp.simplify(found.rate - rate) == 0 if rate != sp.oo else found.rate == sp.oo
    assert found.is_infimum


ACTIVATIONS = [
    x * sp.tanh(sp.log(1 + sp.exp(x))),
    sp.log(1 + sp.exp(x)),
    x / (1 + sp.Abs(x)),
    x / (1 + sp.exp(-x)),
    sp.Piecewise((x, x > 0), (sp.exp(x) - 1, True)),
    x / 2 * (1 + sp.erf(x / sp.sqrt(2))),
    x / 2 * (1 + sp.tanh(sp.sqrt(2 / sp.pi) * (x + 0.044715 * x**3))),
    sp.log(1 + x**2),
    x * sp.log(sp.Abs(x)),
    sp.asinh(x) * sp.atan(x),
    sp.exp(sp.sqrt(1 + x**4) / 8),
    sp.exp(x**2 / 5) * sp.erfc(x),
    (1 + x**2) ** (x / 5),
    1 / (2 + sp.sin(x)),
    sp.sqrt(1 + x**2) - x,
    sp.atanh(x / (1 + sp.Abs(x))),
    sp.Max(sp.sin(x), x / 2) / sp.cosh(x),
    sp.Piecewise((1, sp.sin(x) > 0), (x, True)),
]


@pytest.mark.parametrize("expression", ACTIVATIONS, ids=str)
@settings(max_examples=25, deadline=None)
@given(st.fractions(min_value=0, max_value=60, max_denominator=50))
def test_envelopes_hold_beyond_the_threshold(expression, beyond):
    found = growth(expression)
    with ctx.workprec(200):
        y = arb(found.threshold) + arb(beyond.numerator) / beyond.denominator
        for sign, bounds in ((1, found.right), (-1, found.left)):
            size = abs(evaluate(expression, sign * y))
            assert bounds.upper is not None
            assert not size > bounds.upper.value(y)
            assert bounds.lower is None or not size < bounds.lower.value(y)
            assert bounds.sign * evaluate(expression, sign * y) >= 0 or bounds.sign == 0


A1 = [
    (sp.exp(x**2 / 4), False, "not O("),
    (sp.exp(x**2 / 8), True, ""),
    (sp.exp(x**2), False, "not O("),
    (sp.exp(x**4), False, "not O("),
    (1 / x, False, "unbounded near x = 0"),
    (sp.log(sp.Abs(x)), False, "unbounded near x = 0"),
    (sp.tan(x), False, "unbounded near x = pi/2"),
    (sp.sqrt(x), False, "not a real function"),
    (2 * x + 1, False, "affine"),
    (sp.Integer(3), False, "affine"),
    (sp.Max(x, 0) - sp.Max(-x, 0), False, "affine"),
    (x + sp.sin(x) ** 2 + sp.cos(x) ** 2, False, "affine"),
    (sp.Heaviside(x), True, ""),
    (sp.Abs(sp.sin(x)), True, ""),
    (x * sp.log(sp.Abs(x)), True, ""),
    (sp.Piecewise((x, x < 1), (sp.sqrt(x), True)), True, ""),
    (x * sp.exp(-(x**2) / 4), True, ""),
    (sp.floor(x), None, "cannot decide"),
    (sp.exp(x**2) * sp.sin(x), None, "cannot decide"),
]


@pytest.mark.parametrize(("expression", "holds", "words"), A1, ids=str)
def test_assumption_a1(expression, holds, words):
    answer = assumption_a1(expression)
    assert answer.holds is holds
    assert words in answer.reason


def test_affine_only_where_both_halves_agree():
    assert is_affine(sp.Abs(x) - 2 * sp.Max(-x, 0))
    assert not is_affine(sp.Max(x, x / 100))
    assert not is_affine(sp.Piecewise((x, x < 0), (x + sp.Rational(1, 10**9), True)))
    assert not is_affine(x + sp.exp(-(x**2)) / 10**20)


def test_one_expression_may_follow_two_lines():
    assert not is_affine(sp.sqrt(x**2 - 2 * x + 1))  # |x - 1|, which SymPy does not see
    assert not is_affine(sp.asin(sp.sin(x)))
    with pytest.raises(CannotDecide, match="one line"):
        is_affine(sp.sqrt(x**2 - 2 * x + 1) - sp.Abs(x - 1) + x)


@pytest.mark.parametrize("scale", [10**3, 10**8, 10**12])
def test_a_steep_function_is_not_taken_for_its_limits(scale):
    assert not is_affine(sp.tanh(scale * x))
    assert not is_affine(sp.Piecewise((0, x < 0), (sp.tanh(scale * x), True)))


def test_growth_that_is_not_known_says_why():
    with pytest.raises(CannotDecide, match="denominator"):
        growth(1 / sp.sin(x))


@pytest.mark.parametrize(
    ("expression", "holds"),
    [
        (sp.log(1 + sp.exp(sp.exp(x**2))), None),
        (sp.exp(-sp.exp(x**2)), True),
        (sp.exp(sp.exp(sp.exp(x**2))), False),
    ],
    ids=str,
)
def test_towers_of_exponentials_are_answered_at_once(expression, holds):
    begin = time.process_time()
    assert assumption_a1(expression).holds is holds
    # Exact coefficients are kept below 2^256; exp(exp(2^40)) written out would not fit in memory.
    assert time.process_time() - begin < 5
