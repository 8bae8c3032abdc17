"""Assumption A as a hypothesis: who is let in, who is not, and why."""

from __future__ import annotations

import pytest

from theorems.activation import activation
from theorems.beyond_linearization.higher_tangents import ALL_ORDERS, ANALYTIC
from theorems.beyond_linearization.loss_class import derivative, v
from theorems.beyond_linearization.smooth_activation import ASSUMPTION_A, smoothness_constant
from theorems.claim import Setting


def _setting(text: str) -> Setting:
    return Setting({}, None, activation(text))


@pytest.mark.parametrize("text", ["Max(x, 0)**3", "Max(x, 0)**3/6", "x - sin(x)", "center(x - sin(x))", "x**3 - 0*x"])
def test_an_activation_that_satisfies_it_is_let_in(text: str) -> None:
    assert ASSUMPTION_A.check(_setting(text)).holds is True
    assert smoothness_constant(activation(text)).is_finite()


@pytest.mark.parametrize(
    ("text", "why"), [("relu", "sigma'(0+) = 1"), ("tanh", "sigma'(0) = 1"), ("x**4", "unbounded")]
)
def test_one_that_does_not_is_told_why(text: str, why: str) -> None:
    decision = ASSUMPTION_A.check(_setting(text))
    assert decision.holds is False
    assert why in decision.reason


def test_the_section_on_higher_orders_asks_for_more() -> None:
    assert ANALYTIC.check(_setting("relu3")).holds is False
    assert ANALYTIC.check(_setting("x - sin(x)")).holds is True
    assert ALL_ORDERS.check(_setting("x**3")).holds is False
    assert "sigma^(4) = 0" in ALL_ORDERS.check(_setting("x**3")).reason


def test_the_logistic_derivatives_are_those_of_finite_differences() -> None:
    import math

    u, step = 0.7, 1e-3

    def at(order: int, where: float) -> float:
        return float(derivative(order).subs(v, math.exp(where)))

    for order in (0, 1, 2):
        slope = (at(order, u + step) - at(order, u - step)) / (2 * step)
        # A central difference is off by a sixth of the third derivative times step^2; those here are below one.
        assert abs(slope - at(order + 1, u)) < step**2
