"""Assumption A is decided for any activation, with a constant that holds and cannot be improved."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

from proofs_checks.analytic import analytic_on_line, vanishing_order
from proofs_checks.ball_function import CannotDecide, X
from proofs_checks.cubic_smoothness import cubic_smoothness
from proofs_checks.pieces import Piece
from proofs_checks.real_point import LEFT_END, RIGHT_END, Point
from proofs_checks.supremum import supremum
from theorems.activation import activation

CONSTANTS = {
    "Max(x, 0)**3": 6.0,
    "Max(x, 0)**3/6": 1.0,
    "x**3": 6.0,
    "Abs(x)**3": 6.0,
    "x - sin(x)": 1.0,
    "x - tanh(x)": 2.0,
    "x - atan(x)": 2.0,
    "asinh(x) - x": 1.0,
    "tanh(x)**3": 6.0,
    "x**3/(1 + x**2)": 6.0,
    "Max(x - 1, 0)**3": 6.0,
    "Piecewise((x**3, x < 1), (3*x**2 - 3*x + 1, True))": 6.0,
    "7": 0.0,
}
VIOLATING = (
    "relu", "relu2", "leaky_relu", "elu", "gelu", "silu", "mish", "softplus", "softsign", "sigmoid", "tanh",
    "erf", "sin", "cos", "step", "abs", "x", "x**2", "x**4", "x*Abs(x)", "Abs(x)**(5/2)", "Abs(x)**(7/2)",
    "log(1 + x**2)", "log(cosh(x))", "x**3*log(Abs(x))", "x**3*log(1 + x**2)", "x**2*sin(x)", "x**3*exp(-x)",
    "x**6/(1 + x**2)", "exp(x) - 1 - x - x**2/2", "Max(x - 1, 0)**2", "Min(x**3, 1)", "1/x", "sqrt(x)",
    "Abs(sin(x))", "Max(x, 0)**3 + 1e-3*Max(x, 0)**2",
)  # fmt: skip


@pytest.mark.parametrize("text", CONSTANTS)
def test_an_activation_that_is_smooth_enough_has_its_best_constant(text: str) -> None:
    found = cubic_smoothness(activation(text).expression)
    assert found.holds is True, found.reason
    assert found.constant is not None
    assert found.constant.contains(CONSTANTS[text])
    assert float(found.constant.rad()) <= 0.002 * CONSTANTS[text]  # the width at which narrowing stops, twice


@pytest.mark.parametrize("text", VIOLATING)
def test_an_activation_that_is_not_is_refused_with_the_reason(text: str) -> None:
    found = cubic_smoothness(activation(text).expression)
    assert found.holds is False
    assert found.constant is None
    assert found.reason.startswith("sigma")


@pytest.mark.parametrize("text", ["x**4*sin(1/x)", "sin(x)/x"])
def test_what_is_not_known_is_left_open(text: str) -> None:
    assert cubic_smoothness(activation(text).expression).holds is None


@pytest.mark.parametrize("text", ["x - sin(x)", "x**5/(1 + x**2)", "sin(x)**3", "x**2*tanh(x)"])
def test_the_constant_bounds_the_three_quotients_on_a_grid(text: str) -> None:
    sigma = activation(text)
    constant = cubic_smoothness(sigma.expression).constant
    assert constant is not None
    (x,) = sigma.expression.free_symbols
    points = np.concatenate([np.geomspace(1e-3, 50, 4000), -np.geomspace(1e-3, 50, 4000)])
    bound = float(constant.upper()) * (1 + 1e-9)  # the rounding of the quotients
    quotients = []
    for order, power in ((1, 2), (2, 1), (3, 0)):
        derivative = sp.diff(sigma.expression, x, order)
        values = np.broadcast_to(sp.lambdify(x, derivative, "scipy")(points), points.shape)
        quotients.append(np.max(np.abs(values) / np.abs(points) ** power))
    assert max(quotients) <= bound
    assert quotients[2] >= 0.99 * float(constant.lower())  # the grid is fine enough to come that near


def test_a_periodic_function_with_kinks_without_end_is_decided_on_one_period() -> None:
    found = cubic_smoothness(activation("Abs(sin(x))**3").expression)
    assert found.holds is True
    assert cubic_smoothness(activation("x*Abs(sin(x))**3").expression).holds is None


def test_a_supremum_is_enclosed_infinite_or_not_known() -> None:
    bump = supremum(Piece(LEFT_END, RIGHT_END, X * sp.exp(-(X**2))))
    assert bump is not None
    assert bump.contains(1 / np.sqrt(2 * np.e))
    assert supremum(Piece(LEFT_END, RIGHT_END, X * sp.cos(X))) is None
    assert supremum(Piece(Point(sp.S.Zero), RIGHT_END, sp.log(X) / (1 + X))) is None
    with pytest.raises(CannotDecide):
        supremum(Piece(LEFT_END, RIGHT_END, X * sp.sin(X**2)))


def test_analytic_on_the_line_is_decided() -> None:
    holds = {text: analytic_on_line(activation(text).expression).holds for text in
             ("x - sin(x)", "x**3/(1 + x**2)", "tanh", "relu3", "Abs(x)**5", "1/x", "Max(x, 0)**12")}  # fmt: skip
    assert holds == {
        "x - sin(x)": True, "x**3/(1 + x**2)": True, "tanh": True, "relu3": False, "Abs(x)**5": False, "1/x": False,
        "Max(x, 0)**12": None,
    }  # fmt: skip


def test_kinks_that_are_not_listed_are_not_forgotten() -> None:
    sigma = activation("Abs(sin(x/100 + 1))**3").expression
    assert analytic_on_line(sigma).holds is None
    assert cubic_smoothness(sigma).holds is False  # sigma'(0) = 3 sin(1)^2 cos(1)/100


def test_the_order_from_which_on_derivatives_vanish() -> None:
    assert vanishing_order(activation("x**3 - x").expression, 5) == 4
    assert vanishing_order(activation("x - sin(x)").expression, 5) is None
