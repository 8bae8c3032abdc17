r"""How large the width must be for Theorem 2: each error of the coupling lemmas, and condition (6) that covers them.

An error of size T m^(-k) with k = 1/4, 1/2 or 1 is at most eps once m >= (T/eps)^(1/k), up to constants. So each term
of Lemmas 1, 12, 13, 14 gives one monomial in d, B_x, B_w, B_w* and 1/eps, printed in (13), (15), (16), (17). With
d >= 1, eps <= 1 and B_w* <= B_w each is at most one monomial of (6):

    m >= (B_x^12 B_w^12 + d^4 B_x^4 B_w^4 + d^2 B_x^20 B_w^20) eps^-4 + d^5 B_x^8 B_w^8 eps^-2,

whatever the size of B_x B_w; and the first term of (6) is at most the mean of the next two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy as sp

from proofs_checks.symbolic_step import SymbolicStep

d, Bx, Bw, Bs, eps = sp.symbols("d B_x B_w B_* epsilon", positive=True)
_more_d, _more_w, _more_eps = sp.symbols("k h e", nonnegative=True)
RANGE = {d: 1 + _more_d, Bw: Bs + _more_w, eps: 1 / (1 + _more_eps)}
"""d >= 1, B_w >= B_w*, eps <= 1, with free nonnegative symbols."""

QUARTER, HALF, ONE = sp.Rational(1, 4), sp.Rational(1, 2), sp.S.One


@dataclass(frozen=True)
class ErrorTerm:
    """An error `size` m^(-decay) and the monomial in the print that is to make it at most eps."""

    size: Any
    decay: Any
    printed: Any

    def step(self, place: str) -> SymbolicStep:
        return SymbolicStep(
            f"{place}: ({self.size} m^-{self.decay} <= eps)", (self.size / eps) ** (1 / self.decay), "=", self.printed
        )


LOSS = (
    ErrorTerm(Bx**3 * Bw**3, QUARTER, Bx**12 * Bw**12 / eps**4),
    ErrorTerm(d**2 * Bx**2 * Bw**2, HALF, d**4 * Bx**4 * Bw**4 / eps**2),
)
"""(13), from Lemma 12 as printed."""
REMAINDER = (ErrorTerm(d * Bx**4 * Bw**2 * Bs**2, ONE, d * Bx**4 * Bw**2 * Bs**2 / eps),)
"""(15), from Lemma 1."""
GRADIENT = (
    ErrorTerm(d * Bx * Bw, QUARTER, d**4 * Bx**4 * Bw**4 / eps**4),
    ErrorTerm(sp.sqrt(d) * Bx**5 * Bw**5, QUARTER, d**2 * Bx**20 * Bw**20 / eps**4),
    ErrorTerm(Bx**3 * Bw**3, QUARTER, Bx**12 * Bw**12 / eps**4),
    ErrorTerm(d ** sp.Rational(5, 2) * Bx**4 * Bw**4, HALF, d**5 * Bx**8 * Bw**8 / eps**2),
)
"""(16), from Lemma 13."""
HESSIAN = (
    ErrorTerm(Bx**3 * Bw * Bs**2, QUARTER, Bx**12 * Bw**4 * Bs**8 / eps**4),
    ErrorTerm(sp.sqrt(d) * Bx**5 * Bw**3 * Bs**2, QUARTER, d**2 * Bx**20 * Bw**12 * Bs**8 / eps**4),
    ErrorTerm(d ** sp.Rational(5, 2) * Bx**4 * Bw**2 * Bs**2, HALF, d**5 * Bx**8 * Bw**4 * Bs**4 / eps**2),
    ErrorTerm(d**2 * Bx**2 * Bs**2, HALF, d**4 * Bx**4 * Bs**4 / eps**2),
    ErrorTerm(Bx**6 * Bw**4 * Bs**2, HALF, Bx**12 * Bw**8 * Bs**4 / eps**2),
    ErrorTerm(d * Bx**4 * Bw**2 * Bs**2, ONE, d * Bx**4 * Bw**2 * Bs**2 / eps),
)
"""(17), from Lemma 14."""
COLLECTED = (
    Bx**12 * Bw**12 / eps**4,
    d**4 * Bx**4 * Bw**4 / eps**4,
    d**2 * Bx**20 * Bw**20 / eps**4,
    d**5 * Bx**8 * Bw**8 / eps**2,
)
"""(6)."""


def widths_needed(dimension: float, radius: float, size: float, accuracy: float) -> float:
    """The right-hand side of (6) without its constant and logarithms."""
    values = {d: dimension, Bx: radius, Bw: size, eps: accuracy}
    return float(sum(term.subs(values) for term in COLLECTED))


def _in_range(monomial: Any) -> Any:
    return monomial.subs(RANGE, simultaneous=True)


def domination_step(smaller: Any, larger: Any, place: str) -> SymbolicStep:
    """smaller <= larger for d >= 1, B_w >= B_w*, eps <= 1: the difference expands into nonnegative terms."""
    low, high = _in_range(smaller), _in_range(larger)
    return SymbolicStep(f"{place}: {smaller} <= {larger}", low, "<=", high, sp.expand(high - low))


def dominates(monomial: Any) -> Any:
    """The term of (6) that is at least this monomial throughout the range, None if none is.

    For monomials this is a comparison of exponents: B_x the same, those of B_w and B_w* together the same with no less
    on B_w, no smaller power of d, no smaller one of 1/eps.
    """
    mine = monomial.as_powers_dict()
    for term in COLLECTED:
        other = term.as_powers_dict()
        if (
            mine[Bx] == other[Bx]
            and mine[Bw] + mine[Bs] == other[Bw] + other[Bs]
            and mine[Bs] >= other[Bs]
            and mine[d] <= other[d]
            and mine[eps] >= other[eps]
        ):
            return term
    return None


def collection_steps() -> tuple[SymbolicStep, ...]:
    """Each monomial of (13), (15), (16), (17) below its term of (6)."""
    steps = []
    for place, terms in (("(13)", LOSS), ("(15)", REMAINDER), ("(16)", GRADIENT), ("(17)", HESSIAN)):
        for term in terms:
            larger = dominates(term.printed)
            assert larger is not None, term
            steps.append(domination_step(term.printed, larger, place))
    return tuple(steps)


def redundancy_step() -> SymbolicStep:
    """B_x^12 B_w^12 is at most the mean of d^4 B_x^4 B_w^4 and d^2 B_x^20 B_w^20: with b = (B_x B_w)^4 >= 0,

    (d^4 b + d^2 b^5)/2 - b^3 = b (b^2 - 1)^2/2 + b ((d^4 - 1) + (d^2 - 1) b^4)/2.
    """
    b = sp.Symbol("b", nonnegative=True)
    wide = 1 + _more_d
    more_4, more_2 = (sp.expand(wide**power - 1) for power in (4, 2))
    certificate = b * (b**2 - 1) ** 2 / 2 + b * (more_4 + more_2 * b**4) / 2
    return SymbolicStep(
        "the first term of (6) is redundant", b**3, "<=", (wide**4 * b + wide**2 * b**5) / 2, certificate
    )
