r"""The largest normalised gap between the neural tangent model and trained networks, over all B >= 0.

Scale B to ||B||^2 = d and let cos(phi)^2 be the share of ||B||^2 in its N largest eigenvalues, psi = N/d in (0, 1).
What N trained neurons leave is sin(phi)^2, and by Cauchy-Schwarz in the two groups

    sqrt t = Tr(B)/d <= sqrt(psi) cos(phi) + sqrt(1-psi) sin(phi),

with equality for two levels, a (N times) and b <= a. The tangent risk tends to (1-psi)^2 + psi (1-psi) t, so that

    (R_NT - R_NN)/||f||^2 <= A11 cos^2 + 2 A12 cos sin + A22 sin^2 + o(1) <= G(psi), the largest eigenvalue of A,
    A11 = (1-psi)^2 + psi^2 (1-psi),  A12 = (psi (1-psi))^{3/2},  A22 = (1-psi)^2 + psi (1-psi)^2 - 1,
    G(psi) = (1 - 3 psi + psi^2 + S)/2,   S = sqrt(D^2 + 4 A12^2),   D = A11 - A22 = 1 + psi (1-psi) (2 psi - 1).

The maximum is attained: at tan(phi) = 2 A12/(S + D), which has b <= a since psi^2 (1-psi) <= D. G is below 1, tends to
1 for psi -> 0 and vanishes at psi = 1: the gap in units of ||f||^2 is never arbitrarily large.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_checks.symbolic_step import SymbolicStep
from proofs_checks.tail_energy import tangent

psi = sp.Symbol("psi", positive=True)
cosine, sine = sp.symbols("x y", nonnegative=True)
INSIDE = {psi: (sp.Rational(1, 1000), sp.Rational(999, 1000))}
UNIT = {psi: (sp.Integer(0), sp.Integer(1))}


def spread(ratio: Any) -> Any:
    """D = A11 - A22, for balls as well as for SymPy symbols."""
    return 1 + ratio * (1 - ratio) * (2 * ratio - 1)


def largest_gap(ratio: Any, root: Any = sp.sqrt) -> Any:
    """G(psi), with the square root for this type of number."""
    size = root(spread(ratio) ** 2 + 4 * (ratio * (1 - ratio)) ** 3)
    return (1 - 3 * ratio + ratio**2 + size) / 2


def two_levels(ratio: Any, low: Any) -> Any:
    """The gap of the eigenvalues 1 (N times) and `low` in [0, 1]."""
    energy = ratio + (1 - ratio) * low**2
    alignment = (ratio + (1 - ratio) * low) ** 2 / energy
    return tangent(ratio, alignment) - (1 - ratio) * low**2 / energy


def largest_gap_steps() -> tuple[SymbolicStep, ...]:
    """The quadratic form, its largest eigenvalue as a sum of squares, and that it is attained by two levels."""
    off = (psi * (1 - psi)) ** 3  # A12^2
    first, last = tangent(psi, psi), tangent(psi, 1 - psi) - 1
    size = sp.sqrt(spread(psi) ** 2 + 4 * off)
    low, high = (size - spread(psi)) / 2, (size + spread(psi)) / 2  # G - A11 and G - A22
    a, b, p, q = sp.symbols("a b p q", nonnegative=True)
    root, top = sp.sqrt(psi * (1 - psi)), 1 + 3 * psi - psi**2
    inside = 1 / (1 + sp.Symbol("h", positive=True))
    form = tangent(psi, (sp.sqrt(psi) * cosine + sp.sqrt(1 - psi) * sine) ** 2) - sine**2
    matrix = first * cosine**2 + 2 * root**3 * cosine * sine + last * sine**2
    homogeneous = form + (1 - psi) ** 2 * (cosine**2 + sine**2 - 1)
    return (
        SymbolicStep("Cauchy-Schwarz, two in a group", (a + b) ** 2, "<=", 2 * (a**2 + b**2), certificate=(a - b) ** 2),
        SymbolicStep("the gap as a quadratic form (cos^2 + sin^2 = 1)", homogeneous, "=", matrix, domain=UNIT),
        SymbolicStep("D", first - last, "=", spread(psi)),
        SymbolicStep("G - A11", largest_gap(psi) - first, "=", low, domain=UNIT),
        SymbolicStep("G - A22", largest_gap(psi) - last, "=", high, domain=UNIT),
        SymbolicStep("their product is A12^2", low * high, "=", off, domain=UNIT),
        SymbolicStep(
            "so G - form is a square, p = sqrt(G - A11), q = sqrt(G - A22)", 2 * p * q * cosine * sine, "<=",
            p**2 * cosine**2 + q**2 * sine**2, certificate=(p * cosine - q * sine) ** 2,
        ),
        SymbolicStep(
            "attained with b <= a: D - psi^2 (1-psi) = 1 - psi (1-psi)^2", spread(psi) - psi**2 * (1 - psi), "=",
            1 - psi * (1 - psi) ** 2,
        ),
        SymbolicStep("which is positive", (psi * (1 - psi) ** 2).subs(psi, inside), "<", sp.Integer(1),
                     certificate=sp.factor((1 - psi * (1 - psi) ** 2).subs(psi, inside))),
        SymbolicStep("G < 1: S^2 < (1 + 3 psi - psi^2)^2", sp.expand(size**2).subs(psi, inside), "<",
                     (top**2).subs(psi, inside),
                     certificate=sp.factor((top**2 - sp.expand(size**2)).subs(psi, inside))),
        SymbolicStep("psi -> 0", sp.limit(largest_gap(psi), psi, 0, "+"), "=", sp.Integer(1)),
        SymbolicStep("psi = 1", largest_gap(sp.Integer(1)), "=", sp.Integer(0)),
    )  # fmt: skip
