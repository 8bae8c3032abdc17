r"""How much of ||B||^2 can lie outside the N largest eigenvalues, given t = Tr(B)^2/(d ||B||^2) and B >= 0.

Scale the eigenvalues to mean square 1, so that their mean is sqrt t; let rho = N/d and q be the N-th largest. Of the
sum of squares per dimension, the part s of the smaller ones satisfies

    s <= q (sqrt t - rho q)    each of them is at most q, and the larger ones have sum at least rho q;
    s <= 1 - rho q^2           the larger ones have squares at least q^2;
    s <= (1 - rho) q^2         there are (1 - rho) d of them.

Whatever q is, the least of the three is at most F(rho, t):

    1 - rho/t        for rho <= t/2,
    t/(4 rho)        for t/2 <= rho <= 1/2,
    (1 - rho) t      for rho >= 1/2,

in every dimension, and F is approached: eigenvalues 0 and q, with one large outlier in the last two cases. The neural
tangent risk tends to (1-rho)^2 + rho (1-rho) t and the trained one is s, so that their difference is at least

    GAP(rho, t) = (1-rho)^2 + rho (1-rho) t - F(rho, t) >= min(rho, 1-rho)^2 (1 - t).
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_checks.symbolic_step import SymbolicStep

root, rho, q = sp.symbols("r rho q", positive=True)  # r = sqrt t
small, more, less = sp.symbols("s h g", nonnegative=True)


def tangent(ratio: Any, t: Any) -> Any:
    """The limit of the neural tangent risk over ||f||^2, for rho <= 1."""
    return (1 - ratio) ** 2 + ratio * (1 - ratio) * t


def largest_tail(ratio: Any, t: Any) -> Any:
    """F(rho, t) for numbers 0 < rho <= 1, 0 <= t <= 1."""
    if 2 * ratio >= 1:
        return (1 - ratio) * t
    return 1 - ratio / t if 2 * ratio <= t else t / (4 * ratio)


def tail_steps() -> tuple[SymbolicStep, ...]:
    """min(q (r - rho q), 1 - rho q^2, (1 - rho) q^2) <= F, case by case, each with a sign that can be read off."""
    t = root**2
    first, second, third = q * (root - rho * q), 1 - rho * q**2, (1 - rho) * q**2
    half, up = sp.Rational(1, 2), sp.Symbol("u", positive=True)
    steps = [
        SymbolicStep("t/(4 rho), any q", first, "<=", t / (4 * rho), certificate=rho * (q - root / (2 * rho)) ** 2)
    ]
    # rho = 1/2 + g <= 1, q = r + h above and r = q + h below.
    wide = {rho: half + less}
    steps += [
        SymbolicStep(
            "(1 - rho) t, q >= r", first.subs(wide).subs(q, root + more), "<=", ((1 - rho) * t).subs(wide),
            certificate=more * ((half + less) * more + 2 * less * root),
        ),
        SymbolicStep(
            "(1 - rho) t, q <= r", third.subs(rho, 1 - small).subs(root, q + more), "<=",
            ((1 - rho) * t).subs(rho, 1 - small).subs(root, q + more), certificate=small * more * (2 * q + more),
        ),
    ]  # fmt: skip
    # rho = t/(2 (1 + g)) <= t/2, q = 1/r + h above and 1/r = q + h below.
    narrow = {rho: t / (2 * (1 + less))}
    steps += [
        SymbolicStep(
            "1 - rho/t, q r >= 1", second.subs(narrow).subs(q, 1 / root + more), "<=", (1 - rho / t).subs(narrow),
            certificate=more * (2 / root + more) * t / (2 * (1 + less)),
        ),
        SymbolicStep(
            "1 - rho/t, q r <= 1", first.subs(narrow).subs(root, 1 / (up + more)).subs(q, up), "<=",
            (1 - rho / t).subs(narrow).subs(root, 1 / (up + more)),
            certificate=more * (2 * less * (up + more) + more) / (2 * (1 + less) * (up + more) ** 2),
        ),
    ]  # fmt: skip
    return tuple(steps)


def gap_steps() -> tuple[SymbolicStep, ...]:
    """tangent - F >= min(rho, 1-rho)^2 (1-t) in the three cases, with u = 1 - t."""
    u, a = sp.symbols("u a", nonnegative=True)
    t = sp.Symbol("t", positive=True)
    narrow = tangent(rho, t) - (1 - rho / t)
    middle = tangent(rho, t) - t / (4 * rho)
    wide = tangent(rho, 1 - u) - (1 - rho) * (1 - u)
    # t/2 <= rho <= 1/2: rho = 1/(2 (1 + g)) and t = 2 rho - a.
    inside = {rho: 1 / (2 * (1 + less)), t: 1 / (1 + less) - a}
    return (
        SymbolicStep("rho >= 1/2: the gap is (1-rho)^2 (1-t)", wide, "=", (1 - rho) ** 2 * u),
        SymbolicStep(
            "rho <= t/2: the gap is rho (1-t) ((1-t)/t + rho)", narrow, "=", rho * (1 - t) * ((1 - t) / t + rho)
        ),
        SymbolicStep(
            "between: the gap is rho^2 (1-t) + (1-2 rho) (1 - t (1+2 rho)/(4 rho))",
            middle,
            "=",
            rho**2 * (1 - t) + (1 - 2 * rho) * (1 - t * (1 + 2 * rho) / (4 * rho)),
        ),
        SymbolicStep(
            "and the last factor is not negative there",
            (t * (1 + 2 * rho) / (4 * rho)).subs(inside),
            "<=",
            sp.Integer(1),
            certificate=less / (2 * (1 + less)) + a * (2 + less) / 2,
            domain={a: (sp.Integer(0), sp.Integer(1))},
        ),
    )
