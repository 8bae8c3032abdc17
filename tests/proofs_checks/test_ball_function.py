"""Balls enclose the values, the analytic flag is honoured, and switches resolve to the branch that is taken."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest
import sympy as sp
from flint import acb, arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_checks.ball_function import CannotDecide, NotReal, ball_function, evaluate, exact, number_sign
from proofs_checks.smooth_piece import smooth_piece

x = sp.Symbol("x", real=True)

EXPRESSIONS = [
    sp.Max(x, 0) * sp.tanh(x),
    sp.Piecewise((x, x < 1), (sp.sqrt(sp.Abs(x)), True)),
    sp.log(1 + x**2) - sp.atan(x) * sp.sin(3 * x),
    sp.erf(x) + sp.erfc(x / 2) - sp.cosh(x / 3) + sp.sinh(x / 4),
    sp.asinh(x) + sp.acosh(2 + x**2) + sp.atanh(sp.tanh(x) / 2) + sp.asin(sp.sin(x) / 2) + sp.acos(sp.cos(x) / 2),
    sp.Min(sp.exp(x), x**2, 3) + sp.sign(x - 1) - sp.Heaviside(x + 1),
    (1 + x**2) ** sp.Rational(1, 3) + 2 ** (x / 3) + sp.pi * sp.Abs(x - sp.sqrt(2)) ** sp.Rational(-1, 5),
    sp.Piecewise((1, sp.And(x > -1, x < 1)), (sp.tan(x / 10), sp.Or(x > 2, sp.Not(x > -2))), (x, True)),
]


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=str)
@settings(max_examples=15, deadline=None)
@given(st.fractions(min_value=-6, max_value=6, max_denominator=97))
def test_ball_contains_the_value_of_an_independent_evaluation(expression, fraction):
    fraction += Fraction(1, 1009)  # off the special points
    point = sp.Rational(fraction.numerator, fraction.denominator)
    with ctx.workprec(160), mpmath.workdps(60):
        ball_point = arb(fraction.numerator) / fraction.denominator
        ball = evaluate(expression, ball_point)
        value = arb(str(sp.re(expression.subs(x, point).evalf(60))))
        # Both carry about 48 digits; the reference's own error is far below 1e-40.
        assert abs(ball - value) < arb("1e-40")
        wide = evaluate(expression, ball_point + arb(0, 0.001))
        assert wide.contains(ball)


CUTS = [
    (sp.log(x), acb(-1, arb(0, 0.1)), acb(-1, 1)),
    (sp.sqrt(x), acb(arb(0, 0.5), arb(0, 0.1)), acb(1, 1)),
    (x ** sp.Rational(1, 3), acb(-1, arb(0, 0.1)), acb(1, 1)),
    (1 / sp.sqrt(x), acb(-1, arb(0, 0.1)), acb(1, 1)),
    (x**sp.pi, acb(-1, arb(0, 0.1)), acb(1, 1)),
    (sp.Abs(x), acb(arb(0, 0.1)), acb(1, arb(0, 0.1))),
    (sp.sign(x), acb(arb(0, 0.1)), acb(1, arb(0, 0.1))),
    (sp.Heaviside(x), acb(arb(0, 0.1)), acb(-1, arb(0, 0.1))),
    (sp.Max(x, 1), acb(arb(1, 0.1)), acb(2, arb(0, 0.1))),
    (sp.Min(x, 1), acb(arb(1, 0.1)), acb(2, arb(0, 0.1))),
    (sp.Piecewise((x, x > 0), (0, True)), acb(arb(0, 0.1)), acb(2, arb(0, 0.1))),
    (sp.asin(x), acb(2, arb(0, 0.1)), acb(arb(0, 0.5), arb(0, 0.1))),
    (sp.acos(x), acb(-2, arb(0, 0.1)), acb(arb(0, 0.5), arb(0, 0.1))),
    (sp.atanh(x), acb(2, arb(0, 0.1)), acb(arb(0, 0.5), arb(0, 0.1))),
    (sp.atan(x), acb(arb(0, 0.1), 2), acb(2, arb(0, 0.1))),
    (sp.asinh(x), acb(arb(0, 0.1), -2), acb(2, arb(0, 0.1))),
    (sp.acosh(x), acb(arb(0.5, 0.1), arb(0, 0.1)), acb(2, arb(0, 0.1))),
]


@pytest.mark.parametrize(("expression", "on_the_cut", "off_the_cut"), CUTS, ids=lambda case: str(case)[:30])
def test_analytic_flag_rejects_balls_on_the_cut_only(expression, on_the_cut, off_the_cut):
    function = ball_function(expression)
    assert not function(on_the_cut, True).is_finite()
    assert function(on_the_cut, False).is_finite()
    assert function(off_the_cut, True).is_finite()


@pytest.mark.parametrize(
    ("expression", "low", "high", "value", "flag_matters"),
    [
        (sp.sqrt(1 + x**2), -3, 3, 3 * sp.sqrt(10) + sp.asinh(3), True),
        (sp.sqrt(x), 1, 4, sp.Rational(14, 3), True),
        (sp.Abs(x), -1, 2, sp.Rational(5, 2), True),
        (sp.Max(x, 0), -1, 2, sp.Integer(2), True),
        (sp.Piecewise((x, x > 0), (0, True)), -1, 2, sp.Integer(2), True),
        (sp.log(1 + x**2), -3, 3, 6 * sp.log(10) - 12 + 4 * sp.atan(3), False),
        (sp.asinh(4 * x), -1, 2, 2 * sp.asinh(8) - sp.asinh(4) - sp.sqrt(65) / 4 + sp.sqrt(17) / 4, False),
        (x ** sp.Rational(1, 3), 1, 8, sp.Rational(45, 4), False),
    ],
    ids=str,
)
def test_quadrature_with_the_flag_is_right(expression, low, high, value, flag_matters):
    function = ball_function(expression)
    with ctx.workprec(120):
        truth = evaluate(value, arb(0))
        right = acb.integral(function, low, high).real
        assert right.overlaps(truth)
        assert right.rad() < arb("1e-25")
        if flag_matters:  # the same quadrature, blind to the flag, certifies wrong digits
            blind = acb.integral(lambda z, analytic: function(z, False), low, high).real
            assert not blind.overlaps(truth)


def test_smooth_piece_reads_each_switch():
    nested = sp.Abs(sp.Abs(x) - 1) + sp.Max(x, -x, sp.Rational(1, 2)) + sp.sign(x) * sp.Heaviside(x - 5)
    assert sp.expand(smooth_piece(nested, sp.Integer(2), sp.Integer(4)) - (2 * x - 1)) == 0
    assert sp.expand(smooth_piece(nested, -sp.oo, sp.Integer(-1)) - (-2 * x - 1)) == 0
    assert sp.expand(smooth_piece(nested, sp.Integer(5), sp.oo) - 2 * x) == 0
    conditions = sp.Piecewise((1, sp.Or(x < -1, sp.And(x > 0, x < 1))), (2, True))
    assert [smooth_piece(conditions, sp.Integer(n), sp.Integer(n + 1)) for n in (-2, -1, 0, 1)] == [1, 2, 1, 2]


def test_conditions_are_made_of_inequalities():
    chosen = sp.Piecewise((1, sp.ITE(x > 0, x > 2, x < -2)), (2, True))
    ends = [(-3, -2), (-2, 0), (0, 2), (2, 3)]
    assert [smooth_piece(chosen, sp.Integer(a), sp.Integer(b)) for a, b in ends] == [1, 2, 2, 1]
    with pytest.raises(CannotDecide, match="not made of inequalities"):
        smooth_piece(sp.Piecewise((1, sp.Xor(x > 0, x > 1, evaluate=False)), (2, True)), sp.Integer(2), sp.oo)


def test_floats_are_read_as_the_decimals_they_print_as():
    assert exact(sp.Float("0.1") * x) == x / 10


def test_values_that_are_not_real_are_refused():
    with pytest.raises(NotReal):
        evaluate(sp.sqrt(x), arb(-1))
    with pytest.raises(CannotDecide):
        exact(x + sp.Symbol("y"))
    with pytest.raises(CannotDecide):
        ball_function(sp.floor(x))


def test_sign_of_a_number_that_is_zero_needs_a_proof():
    assert number_sign(sp.sqrt(2) + sp.sqrt(3) - sp.sqrt(5 + 2 * sp.sqrt(6))) == 0
    assert number_sign(sp.exp(sp.pi * sp.sqrt(163)) - 262537412640768744) == -1


def test_precision_is_left_as_it_was():
    before = ctx.prec
    number_sign(sp.sqrt(2) - 1)
    smooth_piece(sp.Abs(x), sp.Integer(0), sp.oo)
    assert ctx.prec == before
