"""Points of the real line, exact or isolated by a ball, and expressions seen from close to one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy as sp
from flint import arb, ctx

from proofs_checks.ball_function import Expression, X, number_ball
from proofs_checks.envelope import Y

ENCLOSURE_BITS = 640
"""An isolated zero is enclosed to about this many bits, enough for integrals of 150 digits."""


@dataclass(frozen=True)
class Point:
    """A real number: exact, or (`enclosure`) a ball that isolates it, `number` being a decimal inside that ball."""

    number: Any
    enclosure: arb | None = None

    def ball(self) -> arb:
        return number_ball(self.number) if self.enclosure is None else self.enclosure

    def __str__(self) -> str:
        return str(self.number) if self.enclosure is None else str(sp.Float(self.number, 10))


LEFT_END, RIGHT_END = Point(-sp.oo), Point(sp.oo)


def compare(left: Point, right: Point) -> int:
    """-1, 0 or 1; points that agree to ENCLOSURE_BITS count as one, which no integral can notice."""
    if left.number == right.number:
        return 0
    if left == LEFT_END or right == RIGHT_END:
        return -1
    if left == RIGHT_END or right == LEFT_END:
        return 1
    with ctx.workprec(ENCLOSURE_BITS):
        difference = left.ball() - right.ball()
        return -1 if difference < 0 else 1 if difference > 0 else 0


def near(expression: Expression, number: Any, side: int) -> Expression:
    """The expression at number + side * exp(-y), so that y -> oo approaches the number.

    Polynomials are expanded around the number, so that constants which cancel there are gone.
    """
    step = side * sp.exp(-Y)
    if not expression.free_symbols:
        return expression
    if expression.is_polynomial(X):
        return sp.Add(*(c * step**j for j, c in enumerate(_taylor(sp.Poly(expression, X), number))))
    return expression.func(*(near(part, number, side) for part in expression.args))


def _taylor(polynomial: Any, number: Any) -> list[Any]:
    """The coefficients of the polynomial in powers of x - number, exact zeros recognised."""
    coefficients = []
    for j in range(polynomial.degree() + 1):
        if isinstance(number, sp.polys.rootoftools.ComplexRootOf) and polynomial.domain.is_Exact:
            remainder = polynomial.rem(sp.Poly(number.poly.as_expr(X), X))
        else:
            remainder = polynomial
        coefficients.append(sp.expand(remainder.as_expr().subs(X, number)) / sp.factorial(j))
        polynomial = polynomial.diff(X)
    return coefficients
