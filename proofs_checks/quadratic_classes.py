r"""Quadratic networks with and without a free constant: what the constant is worth, exactly.

x ~ N(0, I_d), f(x) = b0 + <x, Bx>. Since E <x,Dx> = Tr D and Var <x,Dx> = 2 ||D||^2 for symmetric D, the loss of
c + <x, Ax> is

    2 ||B - A||^2 + (b0 + Tr(B - A) - c)^2.

With c free the second term vanishes at the best c, and what is left is a distance between matrices. Without it (c = 0)
let A = A0 + E, where A0 is the best matrix of the class and Q a projector of rank q such that A0 + E is in the class
for E = e Q, and such that B - A0 is orthogonal to E. The mean that A0 misses is m = b0 + Tr(B - A0), and

    2 ||E||^2 + (m - Tr E)^2 >= 2 s^2/q + (m - s)^2 >= 2 m^2/(q + 2),    s = <E, Q>,

by Cauchy-Schwarz (||E||^2 ||Q||^2 >= <E,Q>^2, ||Q||^2 = q) and a completed square; both are equalities at
E = (m/(q + 2)) Q. For the tangent class of N neurons Q projects on the span of the weights (q = N <= d, and
E = QE + EQ - QEQ has trace <E, Q>), A0 = B - PBP with P = I - Q, and m = b0 + Tr(PB). For a fully trained network of
N >= d neurons the class is all symmetric matrices, A0 = B, q = d and m = b0.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from proofs_checks.haar_projector import N, d, k, nt_risk_expression, second_moments, t
from proofs_checks.symbolic_step import SymbolicStep

m, s = sp.symbols("m s", real=True)
q = sp.Symbol("q", positive=True)


def cost_of_no_constant(rank: sp.Expr, missed: sp.Expr) -> sp.Expr:
    """The least of 2 s^2/q + (m - s)^2 over s: what the loss gains when c is left out."""
    return 2 * missed**2 / (rank + 2)


def completed_square() -> tuple[SymbolicStep, ...]:
    """The cost is the minimum: the loss minus it is a square, zero at s = q m/(q + 2)."""
    loss = 2 * s**2 / q + (m - s) ** 2
    square = (q + 2) / q * (s - q * m / (q + 2)) ** 2
    return (
        SymbolicStep("loss - cost is a square", loss - cost_of_no_constant(q, m), "=", square),
        SymbolicStep(
            "the cost of no constant is the least loss", cost_of_no_constant(q, m), "<=", loss, certificate=square
        ),
        SymbolicStep(
            "and is reached", loss.subs(s, q * m / (q + 2)), "=", cost_of_no_constant(q, m)
        ),
    )  # fmt: skip


@cache
def squared_trace(rank: sp.Expr) -> sp.Expr:
    """E Tr(QB)^2/||B||^2 for a Haar projector of this rank: alpha d t + 2 beta."""
    alpha, beta = second_moments()
    return sp.factor((alpha * d * t + 2 * beta).subs(k, rank))


@cache
def centred_tangent_risk() -> sp.Expr:
    """E R/||f||^2 of the tangent class without c, N < d, for E f = 0: b0 = -Tr B, so m = -Tr(QB)."""
    return nt_risk_expression() + squared_trace(N) / (N + 2)


@cache
def uncentred_tangent_risk(constant: bool) -> sp.Expr:
    """E R/||f||^2, N < d, for b0 = 0: m = Tr(PB), and ||f||^2 = 2 ||B||^2 + Tr(B)^2 = (2 + d t) ||B||^2."""
    missed = sp.Integer(0) if constant else 2 * squared_trace(d - N) / (N + 2)
    return (2 * nt_risk_expression() + missed) / (2 + d * t)


def network_risk(missed: sp.Expr, constant: bool) -> sp.Expr:
    """The infimum over networks of N >= d neurons, for f with b0 = `missed`: zero with c, 2 b0^2/(d + 2) without."""
    return sp.Integer(0) if constant else cost_of_no_constant(d, missed)
