r"""Sample sizes of the quadratic and the linearised model for one polynomial (B, Section 5.2).

Theorem 6 makes the generalisation gap B_x^2 B_w^2 M/sqrt n at most eps once n >= B_x^4 B_w^4 M^2/eps^2. With B_x = 1,
M^2 = 1/d and B_w^4 = p^3 alpha^2 |beta|^{2p} (Theorem 7, at a fixed delta)

    n_Q = p^3 alpha^2 |beta|^{2p}/(d eps^2),   n_L = p^2 alpha^2 |beta|^{2p}/eps^2,   n_Q/n_L = p/d.

This is a ratio of upper bounds, as the paper says. With the exact E|W*|^4 = 8 alpha^2 |beta|^{2p}/c_{p-2} for B_w^4
it is of order sqrt(p)/d, since c_q is of order q^(-5/2): the printed one is loose by sqrt p.
"""

from __future__ import annotations

from typing import Any

import sympy as sp
from flint import arb, ctx, fmpq

from proofs_checks.relu_kernel_series import BITS, coefficient_exponent
from theorems.claim import Bound, Equation, Identity, Mutant, Reading, Shape, Statement, Theorem

alpha, beta, B, W, M, eps, n, d, p = sp.symbols("alpha beta B_x B_w M epsilon n d p", positive=True)
FAR = 40
WEIGHT4 = p**3 * alpha**2 * beta ** (2 * p)
LINEAR = p**2 * alpha**2 * beta ** (2 * p) / eps**2


def quadratic_samples(weight4: Any, operator2: Any, radius: Any) -> Any:
    """n at which B_x^2 B_w^2 M/sqrt n = eps, from B_w^4, M^2 and B_x."""
    return sp.solve(sp.Eq(radius**2 * W**2 * M / sp.sqrt(n), eps), n)[0].subs({W**4: weight4, M**2: operator2})


def _ratio(value: Any) -> tuple[Statement, ...]:
    quadratic = quadratic_samples(WEIGHT4, 1 / d, sp.S.One)
    return (
        Equation("n_Q", quadratic, p**3 * alpha**2 * beta ** (2 * p) / (d * eps**2)),
        Equation("n_Q/n_L", quadratic / LINEAR, value),
    )


def _order(exponent: Any) -> tuple[Statement, ...]:
    """The exponent of p in (1/c_{p-2})/p^2, the ratio with the exact norm; c_{p-2} and c_p have the same."""
    with ctx.workprec(BITS):
        distance = abs(coefficient_exponent(FAR) - 2 - arb(fmpq(exponent.p, exponent.q)))
        return (Bound(f"the ratio grows like p^{exponent} within 1/16, half of a mutant's distance", distance,
                      arb(fmpq(1, 16))),)  # fmt: skip


def _reduction(gap: Any) -> tuple[Statement, ...]:
    """p/d < 1 for d = p + gap, and not at p = d."""
    return (
        Bound("fewer samples when p < d", p / (p + gap), sp.S.One, strict=True, certificate=gap / (p + gap)),
        Equation("none saved when p = d", (p / d).subs(p, d), sp.S.One),
    )


THEOREM = Theorem(
    slug="sample-ratio",
    title="Samples for one polynomial: quadratic against linearised",
    source="B, Section 5.2",
    latex=r"n_Q/n_L = \tilde O(p/d)",
    uses=("polynomial-width",),
    claims=(
        Identity(
            id="BL-NQ",
            readings=(
                Reading(
                    document="B",
                    place="5.2, Learning a single polynomial",
                    printed=(
                        "n_Q = O~(p^3 alpha^2 ||beta||^{2p}/(d eps^2)), n_L = O~(p^2 alpha^2 ||beta||^{2p}/eps^2), "
                        "n_Q/n_L = O~(p/d)"
                    ),
                    scan="the displays are garbled; the powers follow from Theorems 6 and 7",
                    states=lambda setting: _ratio(p / d),
                ),
            ),
            mutants=(
                Mutant(name="p^2/d", states=lambda setting: _ratio(p**2 / d)),
                Mutant(name="p/d^2", states=lambda setting: _ratio(p / d**2)),
                Mutant(name="p/sqrt(d)", states=lambda setting: _ratio(p / sp.sqrt(d))),
            ),
        ),
        Shape(
            id="BL-NQ",
            part="reduction",
            readings=(
                Reading(
                    document="B",
                    place="5.2, Learning a single polynomial",
                    printed="a reduction by a dimension factor unless p is of the order of d",
                    states=lambda setting: _reduction(sp.Symbol("h", positive=True)),
                ),
            ),
            mutants=(
                Mutant(
                    name="even-at-p-equal-to-d",
                    states=lambda setting: _reduction(sp.Symbol("h", nonnegative=True)),
                ),
            ),
        ),
        Shape(
            id="BL-NQ",
            part="exact-norm",
            readings=(
                Reading(
                    document="B",
                    place="5.2, Learning a single polynomial",
                    printed="n_Q/n_L = O~(p/d): O(p^(1/2)/d) with the exact norm of W*, so the bound loses sqrt p",
                    states=lambda setting: _order(sp.Rational(1, 2)),
                ),
            ),
            mutants=(
                Mutant(name="p-is-the-order", states=lambda setting: _order(sp.Integer(1))),
                Mutant(name="exponent-1/8-larger", states=lambda setting: _order(sp.Rational(5, 8))),
                Mutant(name="exponent-1/8-smaller", states=lambda setting: _order(sp.Rational(3, 8))),
            ),
        ),
    ),
)
