"""Which activations have an elementary Gaussian kernel, read off the expression.

sigma(x) = offset + g(x) with g a polynomial, c_+ |x|^p on one side of zero and c_- |x|^p on the other, or
amplitude * f(scale x) with f one of erf, sin, cos, exp.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import sympy as sp

from simulate.activation_function import ClosedForm
from theorems.half_lines import Half, P
from theorems.named_activations import X

DEGREE = 30
"""Beyond this degree monomial coefficients lose their meaning in float64: those of He_30 reach 1e18."""
_FAMILIES: dict[Any, Any] = {sp.erf: "erf", sp.sin: "sin", sp.cos: "cos", sp.exp: "exp"}


def closed_form(expression: Any, both: tuple[Half, ...], subtracted: float = 0.0) -> ClosedForm | None:
    """The closed form of `expression - subtracted`, given the values of `expression` on the two half-lines."""
    found = _closed_form(expression, both)
    return found and replace(found, offset=found.offset - subtracted)


def _closed_form(expression: Any, both: tuple[Half, ...]) -> ClosedForm | None:
    if len(both) != 1:  # a border other than 0: no family has one
        return None
    sides = [_coefficients(side) for side in (both[0].right, both[0].left)]
    if None in sides:
        return _one_function(expression)
    right, left = (side or [] for side in sides)
    length = max(len(right), len(left))
    right, left = ([*side, *[sp.Integer(0)] * (length - len(side))] for side in (right, left))
    if all(sp.expand(a - (-1) ** k * b) == 0 for k, (a, b) in enumerate(zip(right, left, strict=True))):
        return ClosedForm("polynomial", _floats(right))
    return _homogeneous(right, left)


def _homogeneous(right: list[Any], left: list[Any]) -> ClosedForm | None:
    """offset + alpha p^k on the right and offset + beta p^k on the left."""
    degrees = [k for k, pair in enumerate(zip(right, left, strict=True)) if k and any(pair)]
    if not degrees:
        return ClosedForm("homogeneous", (0.0, *_floats([right[0], left[0]])))
    (degree, *more) = degrees
    if more or degree > 3 or sp.expand(right[0] - left[0]) != 0:
        return None
    (offset,) = _floats(right[:1])
    return ClosedForm("homogeneous", (float(degree), *_floats([right[degree], left[degree]])), offset)


def _one_function(expression: Any) -> ClosedForm | None:
    offset, rest = sp.expand(expression, deep=False).as_independent(X, as_Add=True)
    amplitude, function = rest.as_independent(X, as_Add=False)
    if isinstance(function, sp.erfc):
        offset, amplitude, function = offset + amplitude, -amplitude, sp.erf(function.args[0])
    family = _FAMILIES.get(function.func)
    if family is None:
        return None
    argument: Any = function.args[0]
    shift, slope = argument.as_independent(X, as_Add=True)
    scale, variable = slope.as_independent(X, as_Add=False)
    if variable != X:
        return None
    if shift != 0:
        if family != "exp":
            return None
        amplitude *= sp.exp(shift)
    amplitude, scale, offset = _floats([amplitude, scale, offset])
    return ClosedForm(family, (amplitude, scale), offset)


def _coefficients(side: Any) -> list[Any] | None:
    """The coefficients of a polynomial in p, lowest first; None if it is not one of moderate degree."""
    if not side.is_polynomial(P) or _degree(side) > DEGREE:
        return None
    return sp.Poly(side, P).all_coeffs()[::-1]


def _degree(side: Any) -> int:
    """The degree (an upper bound), without expanding."""
    if side.is_Symbol:
        return 1
    if side.is_Add:
        return max(_degree(part) for part in side.args)
    if side.is_Mul:
        return sum(_degree(part) for part in side.args)
    if side.is_Pow and side.exp.is_Integer:
        return _degree(side.base) * int(side.exp)
    return 0


def _floats(numbers: list[Any]) -> tuple[float, ...]:
    # 30 digits, so that the float is the nearest one but for a double rounding.
    return tuple(float(sp.N(number, 30)) for number in numbers)
