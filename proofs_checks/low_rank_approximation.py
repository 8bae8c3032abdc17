r"""The nearest matrix of rank N to B >= 0, in Frobenius norm.

Let A have its range in the span of the orthonormal columns of U (N of them), B have eigenvalues
l_1 >= ... >= l_d >= 0. Since A = U U^T A U U^T,

    ||B - A||^2 = ||B||^2 - ||U^T B U||^2 + ||U^T (B - A) U||^2 >= ||B||^2 - ||U^T B U||^2,

and by Cauchy's interlacing the eigenvalues of U^T B U are at most l_1..l_N, so the least distance is
l_{N+1}^2 + ... + l_d^2. The two ends N = 1 and N = d - 1 need no interlacing: with p_i the squared coordinates of a
unit vector in the eigenbasis,

    N = 1, U = u:          l_1^2 - <u, Bu>^2 = (l_1 - sum p_i l_i)(l_1 + sum p_i l_i) >= 0,
    N = d - 1, U orthogonal to n:
        ||B||^2 - ||U^T B U||^2 - l_d^2 = 2 |Bn|^2 - <n, Bn>^2 - l_d^2 = sum p_i (l_i^2 - l_d^2) + Var_p(l) >= 0.
"""

from __future__ import annotations

import sympy as sp

from proofs_checks.symbolic_step import SymbolicStep

least, middle, top = sp.symbols("l g h", nonnegative=True)
SHARES = sp.symbols("p1:4", nonnegative=True)
"""Squared coordinates of a vector in the eigenbasis; statements are homogeneous in them, so it need not be a unit."""
EIGENVALUES = (least + middle + top, least + middle, least)
"""Those of B in R^3, in descending order, by their nonnegative gaps."""


def _sum(power: int) -> sp.Expr:
    """sum p_i l_i^power."""
    return sum((p * value**power for p, value in zip(SHARES, EIGENVALUES, strict=True)), sp.S.Zero)


def _no_smaller(name: str, smaller: sp.Expr, larger: sp.Expr) -> SymbolicStep:
    """A bound between polynomials in nonnegative symbols, whose expanded difference has no negative coefficient."""
    return SymbolicStep(name, smaller, "<=", larger, certificate=sp.expand(larger - smaller))


def best_rank_steps() -> tuple[SymbolicStep, ...]:
    """Both ends in R^3: the principal directions are the best ones."""
    whole = _sum(0)
    lost = 2 * whole * _sum(2) - _sum(1) ** 2
    only_the_last = dict.fromkeys(SHARES[:2], 0)
    return (
        _no_smaller("one neuron: <u,Bu>^2 <= l_1^2", _sum(1) ** 2, (whole * EIGENVALUES[0]) ** 2),
        _no_smaller("d - 1 neurons: no direction loses less than l_d^2", (whole * least) ** 2, lost),
        SymbolicStep("and the last one loses just that", lost.subs(only_the_last), "=", (SHARES[2] * least) ** 2),
    )
