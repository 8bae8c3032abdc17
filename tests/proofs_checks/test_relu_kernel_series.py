"""The ReLU kernel's power series against the kernel itself, and wrong series that must not pass."""

from __future__ import annotations

import pytest
import sympy as sp
from flint import arb, ctx

from proofs_checks import relu_kernel_series as series
from proofs_checks.ball_function import number_ball
from reports.symbolic import decide_statements
from theorems.claim import Verdict
from theorems.steps import statements

TERMS = 40


@pytest.mark.parametrize("point", ["1/3", "-1/2", "7/10"])
def test_the_partial_sums_enclose_the_kernel(point):
    """c_p decreases along the even p, so what is left beyond p is at most c_p |u|^p/(1 - u^2)."""
    u = sp.Rational(point)
    partial = sum((series.coefficient(p) * u**p for p in range(TERMS)), sp.S.Zero)
    left = series.coefficient(TERMS) * abs(u) ** TERMS / (1 - u**2)
    # arccos(-u) = pi - arccos(u): the symbol of the kernel is positive, its formula holds for negative u too.
    with ctx.workprec(256):
        kernel, total, rest = (number_ball(value) for value in (series.KERNEL.subs(series.u, u), partial, left))
        assert 0 < kernel - total < rest


@pytest.mark.parametrize("p", [2, 4, 10, 64])
def test_gamma_functions_give_the_same_coefficients(p):
    with ctx.workprec(series.BITS):
        difference = series.coefficient_ball(p) - number_ball(series.coefficient(p))
    assert difference.contains(0)
    assert difference.rad() < arb("1e-60")


def test_odd_coefficients_vanish_from_the_third_on():
    assert [series.coefficient(p) for p in (1, 3, 5)] == [sp.Rational(1, 4), 0, 0]


@pytest.mark.parametrize(
    "wrong",
    [
        lambda i: series.even_coefficient(i) / 2,
        lambda i: series.even_coefficient(i + 1),
        lambda i: 1 / (2 * sp.pi * (2 * i - 1) ** 2 * 2 * i),
    ],
)
def test_a_wrong_series_is_refuted(wrong):
    assert decide_statements(statements(series.series_steps(wrong)), seed=1).verdict == Verdict.REFUTED


def test_the_induction_does_not_prove_a_bound_that_fails():
    outcome = decide_statements(statements(series.lower_bound_steps(lambda i: 1 / (8 * sp.pi * i**2))), seed=1)
    assert outcome.verdict == Verdict.REFUTED


def test_the_exponent_is_five_halves():
    with ctx.workprec(series.BITS):
        near, far = (abs(series.coefficient_exponent(k) - arb(5) / 2) for k in (10, 20))
    assert far < near / 512, "the distance halves with each doubling of p"
