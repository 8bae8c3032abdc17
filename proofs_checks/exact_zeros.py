"""Real zeros in closed form: polynomials, and expressions in which x can be reached by undoing one node at a time.

>>> solve_exactly(2 * sp.exp(X / 3) - 5, 64).points[0].number
3*log(5/2)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy as sp
from flint import arb, ctx

from proofs_checks.ball_function import CannotDecide, Expression, X, number_ball, number_sign
from proofs_checks.real_point import Point

SEARCH_BITS = 256
"""Working precision of searches and comparisons that precede any integral."""
FAMILY = 500
"""More zeros than this are not listed."""


@dataclass(frozen=True)
class Zeros:
    """The zeros with |x| <= within; all of them if `within` is None."""

    points: tuple[Point, ...]
    within: int | None = None


def solve_exactly(expression: Expression, radius: int) -> Zeros | None:
    """All real zeros of a switch-free expression, or None if no closed form is found."""
    numerator = sp.fraction(sp.together(expression))[0] if expression.is_rational_function(X) else expression
    if numerator.is_polynomial(X):
        roots = _polynomial_roots(sp.Poly(numerator, X))
        if roots is not None:
            return Zeros(tuple(Point(root) for root in roots))
    solutions = _solve(expression, sp.S.Zero, radius)
    if solutions is None:
        return None
    return Zeros(tuple(Point(number) for number in solutions[0]), solutions[1])


def _polynomial_roots(polynomial: Any) -> list[Any] | None:
    if polynomial.is_zero:
        raise CannotDecide("an argument of a switch vanishes identically.")
    if polynomial.degree() == 0:
        return []
    if all(c.is_Rational for c in polynomial.all_coeffs()):
        return list(dict.fromkeys(sp.real_roots(polynomial)))
    if polynomial.degree() == 1:
        a, b = polynomial.all_coeffs()
        return [-b / a]
    if polynomial.degree() == 2:
        a, b, c = polynomial.all_coeffs()
        discriminant = b**2 - 4 * a * c
        sign = number_sign(discriminant)
        if sign <= 0:
            return [] if sign < 0 else [-b / (2 * a)]
        return [(-b - sp.sqrt(discriminant)) / (2 * a), (-b + sp.sqrt(discriminant)) / (2 * a)]
    return None


Solutions = tuple[list[Any], int | None]


def _solve(expression: Expression, value: Any, radius: int) -> Solutions | None:
    """All real x with expression = value, if x can be reached by undoing one node at a time; None otherwise."""
    if expression == X:
        return [value], None
    if isinstance(expression, sp.Add):
        shift, rest = expression.as_independent(X, as_Add=True)
        if shift != 0:
            return _solve(rest, value - shift, radius)
        if expression.is_polynomial(X):
            roots = _polynomial_roots(sp.Poly(expression - value, X))
            return None if roots is None else (roots, None)
        return None
    if isinstance(expression, sp.Mul):
        factor, rest = expression.as_independent(X, as_Add=False)
        if factor != 1:
            return _solve(rest, value / factor, radius)
        # A product vanishes only where a factor does (at a pole of another factor there is no value at all).
        return _merge([_solve(part, value, radius) for part in expression.args]) if number_sign(value) == 0 else None
    if isinstance(expression, sp.Pow) and not expression.exp.free_symbols:
        return _solve_power(expression.base, expression.exp, value, radius)
    if isinstance(expression, sp.Pow) and not expression.base.free_symbols:
        return _solve(expression.exp * sp.log(expression.base), sp.log(value), radius) if value.is_positive else None
    if isinstance(expression, sp.sin | sp.cos):
        return _solve_wave(expression, value, radius)
    preimages = _preimages(expression.func, value)
    if preimages is None:
        return None
    return _merge([_solve(expression.args[0], number, radius) for number in preimages])


def _merge(parts: list[Solutions | None]) -> Solutions | None:
    if any(part is None for part in parts):
        return None
    known = [part for part in parts if part is not None]
    limits = [within for _, within in known if within is not None]
    return [number for numbers, _ in known for number in numbers], min(limits) if limits else None


def _solve_power(base: Expression, exponent: Any, value: Any, radius: int) -> Solutions | None:
    sign = number_sign(value)
    if sign == 0:
        return _solve(base, sp.S.Zero, radius) if number_sign(exponent) > 0 else ([], None)
    if exponent.is_Integer and exponent % 2 != 0:
        return _solve(base, sign * (sign * value) ** (1 / exponent), radius)
    if sign < 0:
        return [], None
    root = value ** (1 / exponent)
    return _merge([_solve(base, r, radius) for r in ((root, -root) if exponent.is_Integer else (root,))])


def _solve_wave(expression: Any, value: Any, radius: int) -> Solutions | None:
    """sin(a x + b) = value: two families of step 2 pi / |a|, cut at the radius."""
    if number_sign(value**2 - 1) > 0:
        return [], None
    argument = expression.args[0]
    slope = sp.diff(argument, X)
    if slope.free_symbols or slope == 0:
        return None
    offset = argument.subs(X, 0)
    start = sp.asin(value) if isinstance(expression, sp.sin) else sp.acos(value)
    partner = sp.pi - start if isinstance(expression, sp.sin) else -start
    with ctx.workprec(SEARCH_BITS):
        reach = radius * abs(number_ball(slope)) + abs(number_ball(offset)) + 4
        turns = int(float((reach / (2 * arb.pi())).upper())) + 1
        if turns > FAMILY:
            raise CannotDecide(f"{expression} oscillates too fast for its zeros to be listed.")
        angles = {angle + 2 * sp.pi * n for n in range(-turns, turns + 1) for angle in (start, partner)}
        points = {sp.expand((angle - offset) / slope) for angle in angles}
        kept = [p for p in points if abs(number_ball(p)) <= radius]
    return kept, radius


def _preimages(function: Any, value: Any) -> list[Any] | None:
    """The real u with function(u) = value, for functions with finitely many; None for all others."""
    inside = number_sign(1 - value**2) > 0
    if function is sp.exp:
        return [sp.log(value)] if number_sign(value) > 0 else []
    if function is sp.log:
        return [sp.exp(value)]
    if function is sp.tanh:
        return [sp.atanh(value)] if inside else []
    if function is sp.erf:
        return [sp.erfinv(value)] if inside else []
    if function is sp.erfc:
        return [sp.erfinv(1 - value)] if number_sign(value) > 0 and number_sign(2 - value) > 0 else []
    if function is sp.sinh:
        return [sp.asinh(value)]
    if function is sp.asinh:
        return [sp.sinh(value)]
    if function is sp.cosh:
        sign = number_sign(value - 1)
        return [] if sign < 0 else [sp.S.Zero] if sign == 0 else [sp.acosh(value), -sp.acosh(value)]
    if function is sp.acosh:
        return [sp.cosh(value)] if number_sign(value) >= 0 else []
    if function is sp.atanh:
        return [sp.tanh(value)]
    if function is sp.atan:
        return [sp.tan(value)] if number_sign(sp.pi / 2 - value) > 0 and number_sign(sp.pi / 2 + value) > 0 else []
    if function is sp.asin:
        return [sp.sin(value)] if number_sign(sp.pi / 2 - value) >= 0 and number_sign(sp.pi / 2 + value) >= 0 else []
    if function is sp.acos:
        return [sp.cos(value)] if number_sign(value) >= 0 and number_sign(sp.pi - value) >= 0 else []
    return None
