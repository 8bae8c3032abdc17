"""Second moments of a Haar projector, and the exact neural-tangent risk in finite dimension.

Q is the orthogonal projector onto a uniformly random k-dimensional subspace of R^d. Its law is invariant
under Q -> O Q O^T, and the only invariant tensors of order four with the symmetry of E[Q_ij Q_kl] give

    E[Q_ij Q_kl] = alpha delta_ij delta_kl + beta (delta_ik delta_jl + delta_il delta_jk).

The two unknowns follow from Tr Q = k and Q^2 = Q (`second_moments`): this is the Weingarten calculus of
the orthogonal group at order two. With N neurons the tangent class fits B up to Q B Q, where Q projects
on the complement of the N random weights, k = d - N, so that with t = Tr(B)^2/(d ||B||^2)

    E R/||f||^2 = E ||Q B Q||^2/||B||^2 = alpha + beta + beta d t.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import sympy as sp
from flint import fmpz_mat

from proofs_checks.symbolic_step import SymbolicStep

d, k, N, rho, t = sp.symbols("d k N rho t", positive=True)


@cache
def second_moments() -> tuple[sp.Expr, sp.Expr]:
    """(alpha, beta) as rational functions of d and k, solved from two contractions of the tensor."""
    alpha, beta = sp.symbols("alpha beta")
    i, j, m, n = sp.symbols("i j m n", integer=True)
    tensor = alpha * sp.KroneckerDelta(i, j) * sp.KroneckerDelta(m, n) + beta * (
        sp.KroneckerDelta(i, m) * sp.KroneckerDelta(j, n) + sp.KroneckerDelta(i, n) * sp.KroneckerDelta(j, m)
    )
    # sum over i = j and m = n: E (Tr Q)^2 = k^2; over i = m and j = n: E Tr(Q Q^T) = E Tr Q = k.
    trace_squared = _contract(tensor.subs({j: i, n: m}), i, m)
    squared_norm = _contract(tensor.subs({m: i, n: j}), i, j)
    solution = sp.solve([trace_squared - k**2, squared_norm - k], [alpha, beta], dict=True)[0]
    return sp.factor(solution[alpha]), sp.factor(solution[beta])


def _contract(tensor: Any, first: sp.Symbol, second: sp.Symbol) -> sp.Expr:
    """The sum over two indices from 1 to d: d^2 free pairs, d pairs for each delta that joins them."""
    joined = sp.KroneckerDelta(first, second)
    polynomial = sp.Poly(sp.expand(tensor.replace(joined**2, joined)), joined)
    return sum((coefficient * (d if power else d**2) for (power,), coefficient in polynomial.terms()), sp.S.Zero)


@cache
def projected_norm() -> tuple[sp.Expr, sp.Expr]:
    """(c_norm, c_trace) with E ||Q B Q||^2 = c_norm ||B||^2 + c_trace Tr(B)^2 for symmetric B.

    ||Q B Q||^2 = Tr(Q B Q B) is the sum of Q_ij Q_mn B_jm B_ni. The pairings i=j, m=n (alpha) and i=m, j=n
    (beta) contract the two B to ||B||^2, and i=n, j=m (beta) to Tr(B)^2.
    """
    alpha, beta = second_moments()
    return sp.factor(alpha + beta), beta


@cache
def nt_risk_expression() -> sp.Expr:
    """E R/||f||^2 as a rational function of d, N <= d and t."""
    norm, trace = projected_norm()
    return sp.factor((norm + trace * d * t).subs(k, d - N))


@cache
def _nt_risk_function() -> Callable[..., Any]:
    # The generated code is arithmetic only, so that it takes balls, fractions, floats and expressions.
    return sp.lambdify((d, N, t), nt_risk_expression(), modules=[])


def nt_risk_exact(dimension: Any, neurons: Any, alignment: Any) -> Any:
    """E R/||f||^2 at given d, N, t: numbers of any exact or ball type, or SymPy expressions (then N <= d).

    >>> from fractions import Fraction
    >>> nt_risk_exact(2, 1, Fraction(1))
    Fraction(1, 2)
    """
    symbolic = any(isinstance(x, sp.Expr) and x.free_symbols for x in (dimension, neurons))
    if not symbolic and neurons >= dimension:
        return 0 * alignment
    if not symbolic and dimension == 1:
        return 1 + 0 * alignment  # no neuron on the line: the formula reads 0/0 there, and Q is the identity
    return _nt_risk_function()(dimension, neurons, alignment)


@cache
def nt_risk_limit() -> sp.Expr:
    """The limit of the exact risk as d -> infinity with N = rho d, rho in (0, 1)."""
    return sp.limit(nt_risk_expression().subs(N, rho * d), d, sp.oo)


@cache
def nt_risk_remainder() -> sp.Expr:
    """The exact o_d(1): risk at (d, rho d, t) minus its limit, a rational function of d, rho, t."""
    return sp.factor(nt_risk_expression().subs(N, rho * d) - nt_risk_limit())


@cache
def nt_risk_first_order() -> sp.Expr:
    """The coefficient of 1/d in the remainder."""
    return sp.factor(sp.limit(d * nt_risk_remainder(), d, sp.oo))


def moment_steps() -> tuple[SymbolicStep, ...]:
    """Checks of (alpha, beta) that do not use their derivation, and what they say about the risk.

    A rank-one projector is Q = u u^T with u uniform on the sphere, whose moments E u_1^4 = 3/(d(d+2)) and
    E u_1^2 u_2^2 = 1/(d(d+2)) are those of Gaussians divided by E |g|^4 = d(d+2); I - Q has rank d - k.
    """
    alpha, beta = second_moments()
    fourth = 1 / (d * (d + 2))
    limit = (1 - rho) ** 2 * (1 - t) + (1 - rho) * t
    remainder = nt_risk_remainder()
    return (
        SymbolicStep("rank one: E u_1^4", (alpha + 2 * beta).subs(k, 1), "=", 3 * fourth),
        SymbolicStep("rank one: E u_1^2 u_2^2", alpha.subs(k, 1), "=", fourth),
        SymbolicStep("full rank: Q = I, alpha", alpha.subs(k, d), "=", sp.Integer(1)),
        SymbolicStep("full rank: Q = I, beta", beta.subs(k, d), "=", sp.Integer(0)),
        SymbolicStep("complement: alpha", alpha.subs(k, d - k), "=", 1 - 2 * k / d + alpha),
        SymbolicStep("complement: beta", beta.subs(k, d - k), "=", beta),
        SymbolicStep("one contraction: E Q_ij Tr Q = k E Q_ij", alpha * d + 2 * beta, "=", k**2 / d),
        SymbolicStep("another: E (Q^2)_ij = E Q_ij", alpha + (d + 1) * beta, "=", k / d),
        SymbolicStep("the limit of the exact risk is the theorem", nt_risk_limit(), "=", limit),
        SymbolicStep("the remainder is o(1)", sp.limit(remainder, d, sp.oo), "=", sp.Integer(0)),
        *_worst_case_steps(),
    )


def _worst_case_steps() -> tuple[SymbolicStep, ...]:
    """E R <= (1 - N/d) ||f||^2 exactly, with equality at t = 1 only, for 1 <= N < d.

    Written in m = N - 1 >= 0, k = d - N >= 1 and s = 1 - t, so that every sign is read off.
    """
    m = sp.Symbol("m", integer=True, nonnegative=True)
    rank = sp.Symbol("k", integer=True, positive=True)
    s, interior = sp.Symbol("s", nonnegative=True), sp.Symbol("s", positive=True)
    dimension = m + 1 + rank
    risk = nt_risk_exact(dimension, m + 1, 1 - s)
    beta = second_moments()[1].subs({d: dimension, k: rank}, simultaneous=True)
    gap = sp.factor(beta * dimension * s)
    return (
        SymbolicStep(
            "E R <= (1 - N/d) ||f||^2 in every dimension",
            risk,
            "<=",
            rank / dimension,
            certificate=gap,
            domain={s: (sp.Integer(0), sp.Integer(1))},
        ),
        SymbolicStep(
            "strictly when B is not proportional to the identity (t < 1)",
            risk.subs(s, interior),
            "<",
            rank / dimension,
            certificate=gap.subs(s, interior),
            domain={interior: (sp.Integer(0), sp.Integer(1))},
        ),
        SymbolicStep("with equality for the identity (t = 1)", risk.subs(s, 0), "=", rank / dimension),
    )


def tangent_dimension(dimension: Any, neurons: Any) -> Any:
    """The dimension of span{w_i a^T + a w_i^T}: N d - N(N-1)/2 for N independent weights, N <= d."""
    rank = neurons if isinstance(neurons, sp.Expr) else min(neurons, dimension)
    return rank * dimension - rank * (rank - 1) / sp.Integer(2)


def tangent_rank(weights: list[list[int]]) -> int:
    """The same dimension by exact elimination, for integer weights given as rows of W."""
    dimension = len(weights[0])
    rows = []
    for w in weights:
        for axis in range(dimension):
            row = []
            for i in range(dimension):
                row += [w[i] * (j == axis) + w[j] * (i == axis) for j in range(i + 1)]
            rows.append(row)
    return fmpz_mat(rows).rank()
