"""Kinks, jumps and poles of activations, and honest refusals."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
import sympy as sp
from flint import arb, ctx

from proofs_checks.ball_function import evaluate, number_ball
from proofs_checks.breakpoints import CannotDecide, NotReal, breakpoints

x = sp.Symbol("x", real=True)
half = sp.Rational(1, 2)

CASES = [
    (sp.Max(x, 0), (0,), (), ()),
    (sp.Max(x, 0) - sp.Max(-x, 0), (), (), ()),
    (sp.Piecewise((x, x < 1), (sp.sqrt(x), True)), (1,), (), ()),
    (sp.Piecewise((0, x <= 0), (x * sp.log(x), True)), (0,), (), ()),
    (sp.log(1 + x**2), (), (), ()),
    (sp.sqrt(1 + x**2), (), (), ()),
    (sp.sqrt(sp.Abs(x)), (0,), (), ()),
    (x * sp.log(sp.Abs(x)), (0,), (), ()),
    (sp.Abs(sp.Abs(x) - 1), (-1, 0, 1), (), ()),
    (sp.Min(sp.Max(x, -1), 1), (-1, 1), (), ()),
    (sp.Heaviside(x), (0,), (0,), ()),
    (sp.sign(x) * x, (0,), (), ()),
    (sp.Piecewise((1, sp.And(x > -1, x < 1)), (0, True)), (-1, 1), (-1, 1), ()),
    (sp.Max(x**2 - 1, x), (half - sp.sqrt(5) / 2, half + sp.sqrt(5) / 2), (), ()),
    (sp.Abs(sp.exp(x) - 2), (sp.log(2),), (), ()),
    (sp.sqrt(1 - sp.exp(-sp.Abs(x))), (0,), (), ()),
    (sp.atan(1 / x), (0,), (0,), ()),
    (sp.exp(-1 / x**2), (0,), (), ()),
    (1 / x, (0,), (0,), (0,)),
    (sp.log(sp.Abs(x)), (0,), (0,), (0,)),
    (1 / (x**2 - 2), (-sp.sqrt(2), sp.sqrt(2)), (-sp.sqrt(2), sp.sqrt(2)), (-sp.sqrt(2), sp.sqrt(2))),
    (1 / (1 + sp.Abs(x)), (0,), (), ()),
    (1 / (1 + sp.exp(-x)), (), (), ()),
    (x * sp.tanh(sp.log(1 + sp.exp(x))), (), (), ()),
]


@pytest.mark.parametrize(("expression", "kinks", "jumps", "poles"), CASES, ids=lambda case: str(case))
def test_points_are_found_exactly(expression, kinks, jumps, poles):
    found = breakpoints(expression)
    assert (found.kinks, found.jumps, found.poles) == (kinks, jumps, poles)
    assert found.within is None


@pytest.mark.parametrize(
    ("expression", "not_square_integrable", "not_integrable"),
    [
        (sp.log(sp.Abs(x)), (), ()),
        (sp.Abs(x) ** sp.Rational(-1, 4), (), ()),
        (sp.Abs(x) ** sp.Rational(-1, 2), (0,), ()),
        (1 / x, (0,), (0,)),
        (sp.exp(1 / x), (0,), (0,)),
    ],
    ids=str,
)
def test_poles_are_graded_by_integrability(expression, not_square_integrable, not_integrable):
    found = breakpoints(expression)
    assert found.poles == (0,)
    assert found.not_square_integrable == not_square_integrable
    assert found.not_integrable == not_integrable


def test_algebraic_kink_is_the_root():
    (root,) = breakpoints(sp.Abs(x**5 - x - 1)).kinks
    with ctx.workprec(200):
        assert evaluate(x**5 - x - 1, number_ball(root)).contains(0)
        assert number_ball(root).rad() < arb("1e-50")


@pytest.mark.parametrize(
    "argument", [sp.sin(x) - x / 2, sp.exp(x) - x - 2, x**3 - sp.pi * x + 1, sp.cos(x) - x], ids=str
)
def test_transcendental_kinks_are_isolated_zeros(argument):
    found = breakpoints(sp.Abs(argument))
    with ctx.workprec(400):
        for point in found.points:
            value = evaluate(argument, point.ball())
            assert value.contains(0)
            assert value.rad() < arb("1e-100")
        # Every change of sign on a fine grid lies at a listed kink.
        grid = [arb(n) / 16 for n in range(-160, 161)]
        signs = [evaluate(argument, u + arb(1) / 1000) for u in grid]
        changes = sum(1 for left, right in pairwise(signs) if left * right < 0)
    assert changes == len(found.kinks)


def test_zeros_that_touch_without_crossing_are_found():
    assert breakpoints(sp.sqrt(sp.exp(x) - 1 - x)).kinks == (0,)
    assert breakpoints(sp.sqrt(sp.log(1 + x**2))).kinks == (0,)
    assert breakpoints(sp.Max(sp.sin(x), sp.sinh(x))).kinks == (0,)


def test_switches_born_from_a_branch_are_seen():
    """sqrt(x Min(x, 1)) is sqrt(x^2) = |x| for x < 1: a kink at 0 that no switch of the expression shows."""
    found = breakpoints(sp.sqrt(x * sp.Min(x, 1)))
    assert found.kinks == (0, 1)
    assert found.jumps == ()


def test_infinite_families_are_listed_up_to_a_stated_radius():
    found = breakpoints(sp.Abs(sp.sin(x)), 20)
    assert found.kinks == tuple(n * sp.pi for n in range(-6, 7))
    assert found.within == 20
    assert sp.pi / 2 in breakpoints(sp.tan(x)).poles


@pytest.mark.parametrize("expression", [sp.sqrt(x), sp.log(x), sp.acos(x), x ** sp.Rational(1, 3)], ids=str)
def test_functions_that_leave_the_real_numbers_are_refused(expression):
    with pytest.raises(NotReal):
        breakpoints(expression)


@pytest.mark.parametrize(
    "expression", [sp.Abs(sp.sin(x**2)), sp.Abs(sp.sin(1 / x)), sp.Max(sp.sin(x**3), sp.cos(x)), sp.floor(x)], ids=str
)
def test_hopeless_cases_are_refused_quickly(expression):
    start = time.perf_counter()
    with pytest.raises(CannotDecide):
        breakpoints(expression)
    # EVALUATIONS ball evaluations are the declared limit of a search, a second or so each; ten leaves room.
    assert time.perf_counter() - start < 10
