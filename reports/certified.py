"""Balls as decimal strings that keep their promise: the radius covers the rounding of the digits too."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import flint
from flint import arb

PRECISION = 192
"""Bits in which predictions are evaluated: 40 digits after the cancellations in differences of moments."""


def as_ball(value: Any) -> arb:
    """A number of any exact or floating kind as a ball."""
    if isinstance(value, arb):
        return value
    if hasattr(value, "numerator") and hasattr(value, "denominator") and not hasattr(value, "free_symbols"):
        return arb(int(value.numerator)) / arb(int(value.denominator))
    if hasattr(value, "is_Rational") and value.is_Rational:
        return arb(int(value.p)) / arb(int(value.q))
    return arb(value)


def decimal(value: Any, digits: int = 30) -> dict[str, str]:
    """{"value", "radius"} such that the ball lies within radius of the printed value.

    There are `digits` significant digits, and as many after the point where the number is 1 or more, so that
    printing alone never costs more than 10^-digits.

    >>> decimal(arb(5) / 4, digits=3)
    {'value': '1.250', 'radius': '0'}
    """
    size = abs(midpoint(value))
    if not math.isfinite(size):
        raise ValueError("There is no finite number to print.")
    shown = digits + (math.floor(math.log10(size)) + 1 if size >= 1 else 0)
    # Ten bits hold three digits; the rest is room for the difference below.
    with flint.ctx.workprec(max(flint.ctx.prec, shown * 10 // 3 + 64)):
        ball = as_ball(value)
        text = ball.mid().str(shown, radius=False)
        distance = abs(ball - arb(text)).upper()
        if distance == 0:
            return {"value": text, "radius": "0"}
        # Two digits are enough for a radius if they are rounded up.
        return {"value": text, "radius": (distance * arb("1.1")).str(2, radius=False)}


def midpoint(value: Any) -> float:
    """The middle of a ball as a double, for comparison with samples."""
    return float(as_ball(value).mid())


def is_exact_zero(value: Any) -> bool:
    """Whether a prediction is certainly zero, so that gaps are taken in absolute terms."""
    ball = as_ball(value)
    return bool(ball == 0) or bool(ball.contains(0))


def decimals(values: Mapping[str, Any], digits: int = 30) -> dict[str, dict[str, str]]:
    """`decimal` of each value."""
    return {name: decimal(value, digits) for name, value in values.items()}
