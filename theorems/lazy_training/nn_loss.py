"""The population risk of the trained network: closed form, derivatives, infimum (P, Section 2.3).

L(W, c) = E (<xx^T, B - WW^T> + b_0 - c)^2 = 2 ||M||^2 + m^2 with M = B - WW^T and m = Tr M + b_0 - c. Its critical
points fit a set S of at most N eigenvectors of B with positive eigenvalues, and there L = 2 sum_{i not in S}
lambda_i^2. As L grows without bound, the least of these values is its infimum,

    inf L = 2 (sum lambda_i^2 - sum_{i<=N} (lambda_i)_+^2):

for B >= 0 it is 2 sum_{i>N} lambda_i^2, and for other B the weights 1 leave every negative eigenvalue.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flint import fmpq, fmpq_mat

from proofs_checks import quadratic_landscape as landscape
from proofs_checks.quadratic_landscape import critical_points, least_risk
from simulate.quadratic_network import population_risk
from theorems.claim import Decision, Fact, Identity, Mutant, Reading, Statement, Theorem
from theorems.steps import statements

POSITIVE: tuple[tuple[tuple[int, ...], int], ...] = (
    ((9, 4, 1), 1), ((9, 4, 1), 2), ((4, 4, 1), 2), ((4, 4, 1), 1), ((4, 0, 0), 2), ((4, 1, 0), 2), ((4, 1), 3),
    ((1, 1, 1), 1),
)  # fmt: skip
"""Eigenvalues of B (squares, so that W is rational) and N: distinct, ties, singular, N above the rank and above d."""
OTHER = (((4, 1, -2), 2), ((4, -1, -9), 2), ((-1, -4), 1), ((1, 0, -1), 1), ((4, 4, -4), 3))


def _risk(form: Callable[..., Any] = landscape.closed_form) -> tuple[Statement, ...]:
    return statements(landscape.risk_step(d, n, form) for d, n in ((1, 1), (2, 2), (3, 1)))


def _derivatives(
    first: Callable[..., Any] = landscape.first_derivative, second: Callable[..., Any] = landscape.second_derivative
) -> tuple[Statement, ...]:
    return statements(landscape.derivative_steps(2, 2, first, second))


def _no_mean_term(M: Any, m: Any, W: Any, V: Any, v: Any) -> Any:
    return landscape.first_derivative(M, 0, W, V, 0) - 2 * m * v


def _gauss_newton(M: Any, m: Any, W: Any, V: Any, v: Any) -> Any:
    return landscape.second_derivative(0 * M, 0, W, V, v)


def _variance_once(M: Any, m: Any) -> Any:
    return landscape.closed_form(M, m) - sum(entry**2 for entry in M)


@cache
def _autodiff_agrees(scale: int) -> Fact:
    """Integers below 2^53 throughout, so that float64 is exact: gradient and Hessian are compared with ==."""
    weights, target = [[1, -2], [3, 1], [0, 2]], [[4, 1, 0], [1, -3, 2], [0, 2, 5]]
    exact = landscape.RationalPoint(fmpq_mat(target), fmpq_mat(weights), fmpq(7))

    def loss(flat: jax.Array) -> jax.Array:
        return population_risk(flat[:-1].reshape(3, 2), flat[-1], jnp.asarray(target, dtype=jnp.float64))

    x = jnp.asarray([*np.ravel(weights), 7], dtype=jnp.float64)
    gradient, hessian = np.asarray(jax.jit(jax.grad(loss))(x)), np.asarray(jax.jit(jax.hessian(loss))(x))
    expected = [[int(exact.hessian()[i, j]) * scale for j in range(7)] for i in range(7)]
    same = gradient.tolist() == [int(g) for g in exact.gradient()] and hessian.tolist() == expected
    return Fact(
        "automatic differentiation of the simulator's risk",
        Decision(same, "gradient and Hessian equal the exact differences of the quartic, entry by entry" if same
                 else "an entry differs from the exact differences of the quartic"),
        certain=True,
        figures={"d": 3, "N": 2, "trace of the Hessian": float(np.trace(hessian))},
    )  # fmt: skip


def _infimum(cases: Any, formula: Callable[[Any, int], Any]) -> Fact:
    """The least critical value, by enumeration, against a formula."""
    wrong = []
    for eigenvalues, neurons in cases:
        least = min(point.risk for point in critical_points(eigenvalues, neurons))
        if least != formula(eigenvalues, neurons):
            wrong.append(f"B = {eigenvalues}, N = {neurons}: {least}, not {formula(eigenvalues, neurons)}")
    reason = wrong[0] if wrong else f"equal in {len(cases)} exact cases"
    return Fact("the least critical value", Decision(not wrong, reason), certain=True, figures={"cases": len(cases)})


def _printed_tail(eigenvalues: Any, neurons: int) -> Any:
    """2 sum_{i>N} lambda_i^2, eigenvalues in decreasing order."""
    return 2 * sum(x**2 for x in sorted(eigenvalues, reverse=True)[neurons:])


def _largest_absolute(eigenvalues: Any, neurons: int) -> Any:
    return 2 * sum(x**2 for x in sorted(eigenvalues, key=abs, reverse=True)[neurons:])


THEOREM = Theorem(
    slug="nn-loss",
    title="The population risk of the trained network",
    source="P, Section 2.3",
    latex=(
        r"L(W,c) = 2\|B-WW^{\mathsf T}\|_F^2 + (\mathrm{Tr}(B-WW^{\mathsf T})+b_0-c)^2,\quad"
        r"\inf L = 2\sum_{i>N}\lambda_i(B)^2"
    ),
    claims=(
        Identity(
            id="LT-L",
            readings=(
                Reading(
                    document="P",
                    place="2.3",
                    printed="L(W,c) = E (<xx^T, B - WW^T> + b_0 - c)^2, in closed form with gradient and Hessian",
                    states=lambda setting: (*_risk(), *_derivatives(), _autodiff_agrees(1)),
                ),
            ),
            mutants=(
                Mutant(name="variance-without-the-factor-2", states=lambda setting: _risk(_variance_once)),
                Mutant(name="gradient-without-the-mean", states=lambda setting: _derivatives(first=_no_mean_term)),
                Mutant(name="hessian-of-gauss-newton", states=lambda setting: _derivatives(second=_gauss_newton)),
                Mutant(name="hessian-of-half-the-risk", states=lambda setting: (_autodiff_agrees(2),)),
            ),
        ),
        Identity(
            id="LT-T3B",
            readings=(
                Reading(
                    document="P",
                    place="2.3, Theorem 3",
                    printed="second-layer weights 1, B >= 0: inf L = 2 sum_{i>N} lambda_i(B)^2",
                    states=lambda setting: (*statements(landscape.exchange_steps()), _infimum(POSITIVE, _printed_tail)),
                ),
            ),
            mutants=(
                Mutant(
                    name="one-eigenvalue-more",
                    states=lambda setting: (_infimum(POSITIVE, lambda b, n: _printed_tail(b, n + 1)),),
                ),
                Mutant(
                    name="factor-2-dropped",
                    states=lambda setting: (_infimum(POSITIVE, lambda b, n: _printed_tail(b, n) / 2),),
                ),
            ),
        ),
        Identity(
            id="LT-T3B",
            part="other-symmetric",
            readings=(
                Reading(
                    document="P",
                    place="2.3, 'we will now restrict to B >= 0'",
                    printed="for other symmetric B the restriction matters: only (lambda_i)_+, i <= N, are fitted",
                    states=lambda setting: (
                        *statements(landscape.exchange_steps()),
                        _infimum(POSITIVE + OTHER, least_risk),
                    ),
                ),
            ),
            mutants=(
                Mutant(name="the-formula-for-B>=0", states=lambda setting: (_infimum(OTHER, _printed_tail),)),
                Mutant(name="second-layer-of-any-sign", states=lambda setting: (_infimum(OTHER, _largest_absolute),)),
            ),
        ),
    ),
)
