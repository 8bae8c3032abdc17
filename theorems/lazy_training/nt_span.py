"""The span of the weights and the size of the neural tangent class (P, 1.1 and 2.2; O).

For N >= d Gaussian weights span R^d almost surely. For N < d their span is a uniformly random subspace, whatever B
is: the projector Q on it has E Q = (N/d) I, so of the principal subspace of B it meets the share N/d. The class has
N d parameters a_i, of which N d - N(N-1)/2 can be told apart (a_i = w_j with a_j = -w_i changes nothing).
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import sympy as sp
from flint import fmpz_mat

from proofs_checks import haar_projector as haar
from theorems.claim import (
    Bound,
    Decision,
    Equation,
    Fact,
    Identity,
    Mutant,
    Reading,
    Setting,
    Shape,
    Statement,
    Theorem,
)

neurons, rank = sp.symbols("N k", integer=True, positive=True)


def _ranks(expected: Callable[[Any, Any], Any]) -> Fact:
    """The rank of the features sym(w_i e_j^T) by exact elimination, for random integer weights."""
    generator = random.Random(7)
    sizes = [(4, 1), (4, 3), (5, 2), (5, 5), (6, 4), (4, 6)]
    wrong = []
    for d, n in sizes:
        weights = [[generator.randint(-9, 9) for _ in range(d)] for _ in range(n)]
        if haar.tangent_rank(weights) != expected(d, n):
            wrong.append((d, n))
    reason = f"exact rank at (d, N) = {sizes}" + (f" is another at {wrong}" if wrong else " as stated")
    return Fact("dimension of the class", Decision(not wrong, reason), certain=True)


def _parameter_count(setting: Setting) -> tuple[Statement, ...]:
    n, d = sp.symbols("N d", integer=True, positive=True)
    return (
        Equation("parameters a_i in R^d, i <= N", sp.Sum(d, (sp.Symbol("i"), 1, n)).doit(), n * d),
        Equation("redundant ones", n * d - haar.tangent_dimension(d, n), n * (n - 1) / 2),
        _ranks(haar.tangent_dimension),
    )


def _all_identifiable(setting: Setting) -> tuple[Statement, ...]:
    return (_ranks(lambda d, n: n * d),)


def _span() -> Fact:
    """det of d of the weights is a polynomial that is not zero at W = I, so it vanishes on a null set only."""
    generator = random.Random(11)
    full = all(
        fmpz_mat([[generator.randint(-99, 99) for _ in range(d)] for _ in range(d)]).rank() == d for d in (2, 5, 20)
    )
    identity = fmpz_mat([[int(i == j) for j in range(6)] for i in range(6)]).det() == 1
    reason = "det W is a nonzero polynomial (it is 1 at W = I), so Gaussian weights span R^d almost surely"
    return Fact("N >= d weights span", Decision(full and identity, reason), certain=True)


def _random_subspace(setting: Setting) -> tuple[Statement, ...]:
    """E Q = (N/d) I for the projector on the span: of any fixed N-dimensional subspace it meets the share N/d."""
    alpha, beta = haar.second_moments()
    # E Q = c I with d c = k, and E[Q_ij Tr Q] = k E Q_ij fixes c = (alpha d + 2 beta)/k for a projector of rank k.
    return (
        _span(),
        Equation("E Q = (rank/d) I, whatever B", (alpha * haar.d + 2 * beta) / haar.k, haar.k / haar.d),
        Bound(
            "so the principal subspace is met by its share N/d < 1 only",
            neurons / (neurons + rank),
            sp.Integer(1),
            strict=True,
            certificate=rank / (neurons + rank),
        ),
    )


def _principal_subspace(setting: Setting) -> tuple[Statement, ...]:
    """If the span were the principal subspace of a B of rank N, the risk would be zero."""
    unit = {haar.t: (0, 1), haar.rho: (sp.Rational(1, 10), sp.Rational(9, 10))}
    return (Equation("no risk for B of rank N", haar.nt_risk_limit(), sp.Integer(0), unit),)


def _wrong_share(setting: Setting) -> tuple[Statement, ...]:
    alpha, beta = haar.second_moments()
    share = (alpha * haar.d + 2 * beta) / haar.k
    return (Equation("E Q = (rank/d)^2 I", share, (haar.k / haar.d) ** 2),)


THEOREM = Theorem(
    slug="nt-span",
    title="The span of the weights and the size of the tangent class",
    source="P, Sections 1.1 and 2.2; O, below Theorem 2",
    latex=r"\mathbb{E}\,Q = \frac{N}{d} I, \qquad \dim\{\textstyle\sum_i w_i a_i^T + a_i w_i^T\} = Nd - \binom{N}{2}",
    uses=("nt-quadratic",),
    claims=(
        Identity(
            id="LT-R9",
            readings=(
                Reading(
                    document="P",
                    place="2.2",
                    printed="the price is N d parameters to be fitted instead of N",
                    states=_parameter_count,
                ),
            ),
            mutants=(Mutant(name="all-of-them-identifiable", states=_all_identifiable),),
        ),
        Shape(
            id="LT-S4",
            readings=(
                Reading(
                    document="P",
                    place="1.1",
                    printed="for N >= d the w_i span R^d; for N < d NT fits along a random subspace, not the main one",
                    states=_random_subspace,
                ),
                Reading(
                    document="O",
                    place="below Theorem 2",
                    printed="for N < d a random subspace (not the most important one); for N >= d the whole space",
                    states=_random_subspace,
                ),
            ),
            mutants=(
                Mutant(name="the-principal-subspace", states=_principal_subspace),
                Mutant(name="share-squared", states=_wrong_share),
            ),
        ),
    ),
)
