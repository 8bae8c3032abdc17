"""Families of tilts on which formulas for quadratic predictors are compared exactly, in rationals.

In dimension d the eigenvalues of D = Sigma^-1/2 Delta Sigma^-1/2 are v/sqrt d, each value v of the family taken d/n
times, so that squares are rational. The exact least risk over c + <x,Ax>, rank A <= N, is that of
`proofs_checks/mixture_risk.py`, and a formula that drops terms of relative size s_1^2 = max v^2/d must lie below it
by at most the factor 1 + s_1^2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from proofs_checks.mixture_risk import rank_risk
from theorems.claim import Decision, Fact

FAMILIES: dict[str, tuple[Fraction, ...]] = {
    "uniform3": (Fraction(2), Fraction(3, 2), Fraction(1)),
    "indefinite": (Fraction(2), Fraction(-1)),
    "negative": (Fraction(-1), Fraction(-1, 2)),
    "traceless": (Fraction(1), Fraction(-1)),
    "low_rank": (Fraction(1), *[Fraction(0)] * 7),
}
DIMENSIONS = (24, 240, 2400)
RATIOS = (Fraction(1, 4), Fraction(1, 2), Fraction(1), Fraction(2))
Formula = Callable[[Sequence[Fraction], int, int], Fraction]
"""(values v in decreasing order, N, d) -> risk."""


def values(family: str, dimension: int) -> list[Fraction]:
    """The values v in dimension d, in decreasing order."""
    found = FAMILIES[family]
    return sorted(found * (dimension // len(found)), reverse=True)


def bracketed(name: str, formula: Formula, ratios: Sequence[Fraction] = RATIOS) -> Fact:
    """Whether formula <= exact risk <= (1 + s_1^2) formula for every family, d and N/d."""
    wrong = []
    for family in FAMILIES:
        for dimension in DIMENSIONS:
            found = values(family, dimension)
            squares = [value * value / dimension for value in found]
            for ratio in ratios:
                neurons = int(ratio * dimension)
                exact, printed = rank_risk(squares, neurons), formula(found, neurons, dimension)
                if not printed <= exact <= (1 + max(squares)) * printed:
                    where = f"{family}, d = {dimension}, N = {neurons}"
                    wrong.append(f"{where}: {float(printed):.6f}, exactly {float(exact):.6f}")
    checked = len(FAMILIES) * len(DIMENSIONS) * len(ratios)
    reason = f"in {checked} exact cases the formula is within the factor 1 + s_1^2 of the least risk"
    return Fact(name, Decision(not wrong, f"not at {wrong[-1]}" if wrong else reason), certain=True)
