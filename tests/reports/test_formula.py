"""A formula that a user types has the value that mathematics gives it, with a radius."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import flint
import mpmath
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from reports.catalogue import load, select
from reports.formula import ball_value, formula
from reports.settings import Choices, settings
from theorems.claim import BadInput, Setting, Theorem
from theorems.expression import parse

DIGITS = 40
SYMBOLS = ("rho", "t")
FUNCTIONS = {
    "exp(-rho)*t": lambda rho, t: mpmath.exp(-rho) * t,
    "log(1 + rho)/t": lambda rho, t: mpmath.log(1 + rho) / t,
    "sqrt(rho) - t**(1/3)": lambda rho, t: mpmath.sqrt(rho) - t ** (mpmath.mpf(1) / 3),
    "rho**t": lambda rho, t: rho**t,
    "(1 - rho)**2*(1 - t) + (1 - rho)*t": lambda rho, t: (1 - rho) ** 2 * (1 - t) + (1 - rho) * t,
    "1/(1 + rho)**3 - 0.125": lambda rho, t: 1 / (1 + rho) ** 3 - mpmath.mpf(1) / 8,
    "Max(0, 1 - rho)**2 + Min(rho, t)": lambda rho, t: max(0, 1 - rho) ** 2 + min(rho, t),
    "Abs(rho - t)*sign(t - rho)": lambda rho, t: t - rho,
    "erf(rho) + erfc(t)": lambda rho, t: mpmath.erf(rho) + mpmath.erfc(t),
    "sin(rho)*cos(t) + tan(t/4)": lambda rho, t: mpmath.sin(rho) * mpmath.cos(t) + mpmath.tan(t / 4),
    "sinh(rho) - cosh(t) + tanh(rho*t)": lambda r, t: mpmath.sinh(r) - mpmath.cosh(t) + mpmath.tanh(r * t),
    "asin(t/9) + acos(t/9)*atan(rho)": lambda r, t: mpmath.asin(t / 9) + mpmath.acos(t / 9) * mpmath.atan(r),
    "asinh(rho) + acosh(2 + t) + atanh(t/9)": (
        lambda r, t: mpmath.asinh(r) + mpmath.acosh(2 + t) + mpmath.atanh(t / 9)
    ),
    "pi*rho + E*t": lambda rho, t: mpmath.pi * rho + mpmath.e * t,
    "Heaviside(rho - t)*2": lambda rho, t: 2 if rho > t else 0,
    "Piecewise((1 - rho, rho < t), (0, True))": lambda rho, t: 1 - rho if rho < t else 0,
    "Piecewise((t, (rho >= 1) & (t > 1)), (rho, rho <= 1), (7, True))": (
        lambda rho, t: t if rho >= 1 and t > 1 else (rho if rho <= 1 else 7)
    ),
}


def rational(value: Fraction) -> Any:
    return mpmath.mpf(value.numerator) / value.denominator


@pytest.mark.parametrize("rho", [Fraction(1, 7), Fraction(9, 10), Fraction(12, 5)])
@pytest.mark.parametrize("t", [Fraction(1, 3), Fraction(5, 2)])
@pytest.mark.parametrize("text", FUNCTIONS)
def test_values_agree_with_an_independent_evaluation(text: str, rho: Fraction, t: Fraction) -> None:
    with flint.ctx.workdps(2 * DIGITS), mpmath.workdps(2 * DIGITS):
        values = {"rho": arb(rho.numerator) / rho.denominator, "t": arb(t.numerator) / t.denominator}
        ball = ball_value(parse(text, SYMBOLS), values)
        truth = mpmath.mpf(FUNCTIONS[text](rational(rho), rational(t)))
        assert ball.rad() < arb(10) ** -DIGITS
        distance = abs(mpmath.mpf(ball.mid().str(2 * DIGITS, radius=False)) - truth)
        # Both are right to more than DIGITS digits, or one of them is wrong.
        assert distance < mpmath.mpf(10) ** -DIGITS


numbers = st.fractions(Fraction(1, 50), Fraction(50), max_denominator=1000)


@given(numbers, numbers, st.fractions(Fraction(0), Fraction(1, 100), max_denominator=10**6))
def test_a_ball_in_gives_a_ball_that_holds_every_value(rho: Fraction, t: Fraction, radius: Fraction) -> None:
    wide = arb(0, float(radius)) + arb(rho.numerator) / rho.denominator
    ball = ball_value(
        parse("(rho*t - 1)/(rho + t) + rho**3", SYMBOLS), {"rho": wide, "t": arb(t.numerator) / t.denominator}
    )
    for inside in (rho - radius / 2, rho, rho + radius / 2):
        truth = (inside * t - 1) / (inside + t) + inside**3
        assert (ball - arb(truth.numerator) / truth.denominator).contains(0)


@pytest.mark.parametrize("text", ["Piecewise((1, rho < t), (0, True))", "Piecewise((1, rho <= t), (0, True))"])
def test_a_condition_on_its_border_is_refused(text: str) -> None:
    fuzzy = {"rho": arb(1, 0.1), "t": arb(1, 0.1)}
    with pytest.raises(BadInput, match="cannot be decided"):
        ball_value(parse(text, SYMBOLS), fuzzy)


@pytest.fixture(scope="module")
def tangent() -> Theorem:
    return load(select(["nt-quadratic"])[0].entry)


def place(theorem: Theorem, overrides: Mapping[str, str]) -> Setting:
    (found,) = settings(theorem, ({},), Choices(overrides=overrides))
    return found


def test_symbols_take_their_values_at_each_dimension(tangent: Theorem) -> None:
    """rho is N/d for the N that is simulated: 11/32 at d = 32 when rho = 1/3."""
    setting = place(tangent, {"rho": "1/3"})
    states = formula("rho", tangent)
    assert (3 * states(setting) - 1).contains(0)
    assert states(replace(setting, dimension=32)) == arb(11) / 32


def test_the_formula_of_the_theorem_is_its_prediction(tangent: Theorem) -> None:
    typed = formula("(1-rho)**2 + rho*(1-rho)*t", tangent)
    stated = tangent.claims[0].readings[0].states
    for rho in ("1/4", "0.9"):
        for dimension in (None, 64):
            setting = replace(place(tangent, {"rho": rho}), dimension=dimension)
            assert (typed(setting) - stated(setting)).contains(0)


@pytest.mark.parametrize("text", ["log(rho - 1)", "1/(2*rho - 1)", "sqrt(t - 1)", "(rho - 1)**(1/3)"])
def test_a_formula_without_a_value_is_refused(tangent: Theorem, text: str) -> None:
    with pytest.raises(BadInput, match="no finite value"):
        formula(text, tangent)(place(tangent, {"rho": "1/2", "B": "exp1"}))


@pytest.mark.parametrize("text", ["psi", "x", "d", "N/d", "rho if t else 1", "rho == 1", "[rho]", "rho(1)"])
def test_what_is_no_formula_in_the_symbols_is_refused(tangent: Theorem, text: str) -> None:
    with pytest.raises(BadInput):
        formula(text, tangent)


@pytest.mark.parametrize("power", [1, 2, 3])
def test_a_ball_around_zero_has_powers(power: int) -> None:
    value = ball_value(parse(f"rho**{power}", SYMBOLS), {"rho": arb(0, 0.5), "t": arb(1)})
    assert value.contains(arb(0.5) ** power)
    assert value.contains(0)
    # Half a bit at most is lost to the rounding of a radius, which has thirty.
    assert value.abs_upper() < arb(0.75) ** power


def test_a_theorem_without_symbols_cannot_be_confronted() -> None:
    with pytest.raises(BadInput, match="no symbols"):
        formula("1", load(select(["nt-span"])[0].entry))


def at(rho: str) -> tuple[Theorem, Setting]:
    theorem = load(select(("LT-T2",))[0].entry)
    (setting,) = settings(theorem, ({"rho": rho},), Choices())
    return theorem, setting


@pytest.mark.parametrize("text", ["sign(sin(pi*rho))", "1e70*(sqrt(2)*cos(pi*rho/4) - 1)"])
def test_a_formula_without_digits_is_refused(text: str) -> None:
    theorem, setting = at("1")
    with flint.ctx.workprec(192), pytest.raises(BadInput, match="cannot be computed to 12 digits"):
        formula(text, theorem)(setting)


def test_a_formula_that_vanishes_has_its_digits() -> None:
    theorem, setting = at("1")
    with flint.ctx.workprec(192):
        assert formula("sin(pi*rho)", theorem)(setting).contains(0)
