"""Printed balls keep their promise: the digits shown and the radius beside them enclose the number."""

from __future__ import annotations

from fractions import Fraction

import flint
import pytest
import sympy
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from reports.certified import as_ball, decimal, decimals, is_exact_zero, midpoint

rationals = st.fractions(-(10**12), 10**12, max_denominator=10**15)
digits = st.integers(1, 60)


@given(rationals, digits)
def test_a_rational_lies_within_the_radius_of_its_digits(value: Fraction, digits: int) -> None:
    shown = decimal(value, digits)
    assert abs(Fraction(shown["value"]) - value) <= Fraction(shown["radius"])


@given(rationals, st.fractions(0, 1, max_denominator=10**9), digits)
def test_both_ends_of_a_ball_lie_within_the_radius(middle: Fraction, radius: Fraction, digits: int) -> None:
    with flint.ctx.workprec(200):
        ball = as_ball(middle) + arb(0, 1) * as_ball(radius)
    shown = decimal(ball, digits)
    for end in (middle - radius, middle + radius):
        assert abs(Fraction(shown["value"]) - end) <= Fraction(shown["radius"])


@given(rationals, digits)
def test_printing_costs_no_more_than_the_digits_asked_for(value: Fraction, digits: int) -> None:
    """The radius of an exact number is that of rounding: half a unit of the last digit, rounded up."""
    assert Fraction(decimal(value, digits)["radius"]) < Fraction(1, 10**digits)


@given(st.integers(-(10**20), 10**20), st.integers(0, 20))
def test_short_decimals_are_exact(numerator: int, places: int) -> None:
    value = Fraction(numerator, 2**places)
    shown = decimal(value, 30)
    assert Fraction(shown["value"]) == value
    assert shown["radius"] == "0"


@pytest.mark.parametrize("size", ["1e-300", "1e-30", "1", "9.9999999999999999999", "1e30", "1e300"])
def test_sizes_far_from_one(size: str) -> None:
    with flint.ctx.workprec(2000):
        third = arb(size) / 3
    shown = decimal(third, 20)
    exact = Fraction(size) / 3
    assert abs(Fraction(shown["value"]) - exact) <= Fraction(shown["radius"]) <= exact / 10**15


def test_what_is_not_finite_is_not_printed() -> None:
    for ball in (arb("inf"), arb("nan"), 1 / arb(0)):
        with pytest.raises(ValueError, match="finite"):
            decimal(ball)


def test_kinds_of_numbers_become_balls() -> None:
    assert as_ball(3) == arb(3)
    assert as_ball(0.25) == arb(1) / 4
    for third in (Fraction(1, 3), sympy.Rational(1, 3)):
        assert (3 * as_ball(third) - 1).contains(0)
    ball = arb(2, 0.5)
    assert as_ball(ball) is ball
    assert midpoint(arb(2, 0.5)) == 2.0


def test_zero_is_what_cannot_be_told_from_it() -> None:
    assert is_exact_zero(0)
    assert is_exact_zero(arb(0, 1e-40))
    assert not is_exact_zero(arb("1e-40"))


def test_each_of_several_is_printed() -> None:
    assert decimals({"a": 1, "b": Fraction(1, 4)}, 3) == {
        "a": {"value": "1.000", "radius": "0"},
        "b": {"value": "0.250", "radius": "0"},
    }
