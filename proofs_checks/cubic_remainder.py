r"""How much of the bounds that follow from Assumption A an activation uses.

With C the best constant (the Lipschitz constant of sigma''),

    |sigma'(t)| <= C t^2/2,   |sigma''(t)| <= C |t|,
    |sigma(u+h) - sigma(u) - sigma'(u) h - sigma''(u) h^2/2| <= C |h|^3/6,

the last because the left side is |int_0^h (h - s) (sigma''(u+s) - sigma''(u)) ds|. The quotient of the two sides is
enclosed at the points of a grid; a ball above 1 would be a certified violation.

>>> round(float(used_share(sp.Max(X, 0) ** 3).remainder.mid()), 6)
1.0
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import sympy as sp
from flint import arb, ctx, fmpq

from proofs_checks.ball_function import CannotDecide, Expression, X, evaluate, exact
from proofs_checks.cubic_smoothness import cubic_smoothness
from proofs_checks.smooth_piece import resolve
from proofs_checks.symbolic_step import SymbolicStep

BITS = 128
POINTS: tuple[Any, ...] = tuple(sp.Rational(n, 4) for n in (-17, -9, -5, -3, -1, 1, 3, 5, 9, 17))
"""Quarters off the integers and halves, where kinks are usual."""
MOVES = tuple(fmpq(n, 16) for n in (-64, -16, -1, 1, 16, 64))


@dataclass(frozen=True)
class UsedShare:
    """The largest quotients seen of |sigma'|, |sigma''| and the remainder to their bounds."""

    slope: arb
    curvature: arb
    remainder: arb

    @property
    def violated(self) -> bool:
        return any(share > 1 for share in (self.slope, self.curvature, self.remainder))


@lru_cache(maxsize=64)
def used_share(expression: Expression) -> UsedShare:
    """The largest quotients over POINTS and MOVES; a point at which sigma cannot be evaluated is left out."""
    constant = cubic_smoothness(expression).constant
    if constant is None:
        raise CannotDecide("Assumption A has no constant here.")
    sigma = exact(expression)
    slope, curvature, remainder = arb(0), arb(0), arb(0)
    with ctx.workprec(BITS):
        for point in POINTS:
            u = arb(fmpq(point.p, point.q))
            try:
                branch = resolve(sigma, point)
                first, second = (evaluate(sp.diff(branch, X, order), u) for order in (1, 2))
                start, moved = evaluate(sigma, u), [(arb(move), evaluate(sigma, u + arb(move))) for move in MOVES]
            except CannotDecide:
                continue
            slope = slope.max(2 * abs(first) / (constant * u**2))
            curvature = curvature.max(abs(second) / (constant * abs(u)))
            for h, value in moved:
                left = value - start - first * h - second * h**2 / 2
                remainder = remainder.max(6 * abs(left) / (constant * abs(h) ** 3))
    return UsedShare(slope, curvature, remainder)


def remainder_step(factor: Any) -> SymbolicStep:
    """int_0^h (h - s) C s ds = factor C h^3."""
    constant, h, s = sp.symbols("C h s", positive=True)
    name = "|sigma''(u+s) - sigma''(u)| <= C s, integrated twice"
    return SymbolicStep(name, sp.integrate((h - s) * constant * s, (s, 0, h)), "=", factor * constant * h**3)
