r"""The k-th order term of the Taylor series dominates after randomisation (B, Section 6.1).

2m neurons in pairs with movements z_{+,r} w_{*,r} and z_{-,r} w_{*,r}, z_+ and z_- as in matched_moments.py, and
||w_{*,r}|| = O(m^(-1/2k)). Then

    f^(j) = O_p(m^(-j/2k)) for j < k,   f^(k) = O(1),   f^(k+1) = O_p(m^(-1/2k)),   f - sum_{i<=k} f^(i) = O(m^(-1/2k)).

Over z the mean and the mean square of f^(j) are exact for every m (proofs_checks/taylor_terms.py), so the exponents are
proved; the bound of the remainder is Taylor's formula, and it is of that size (tangent_orders.py measures them). If z_+
and z_- are centred, the moments of order k + 1 agree too, and f^(k+1) is O_p(m^(-(k+1)/2k)): there the printed bound is
loose.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp
from flint import arb, ctx, fmpq

from proofs_checks.analytic import analytic_on_line, vanishing_order
from proofs_checks.ball_function import CannotDecide
from proofs_checks.matched_moments import difference_moments, matched_laws
from proofs_checks.taylor_terms import (
    BITS,
    Exponent,
    derivative_bound,
    exponent,
    exponent_steps,
    local_exponent,
    moment_steps,
    power_steps,
)
from theorems.beyond_linearization.smooth_activation import ASSUMPTION_A, NOT_CONSTANT
from theorems.claim import (
    Bound,
    Decision,
    Fact,
    Hypothesis,
    Identity,
    Inequality,
    Mutant,
    Reading,
    Setting,
    Statement,
    Theorem,
)
from theorems.steps import statements

DOMINANTS = (2, 3, 4)
FAR = 320
"""log2 of the width at which the exponent of the remainder is read off: m^(-1/2k) is 2^-40 there for k = 4."""
RESOLUTION: Any = sp.Rational(1, 16)
"""Half of the distance of the nearest mutants, whose exponents are off by 1/8."""


def _analytic(setting: Setting) -> Decision:
    found = analytic_on_line(setting.activation.expression)
    return Decision(found.holds, found.reason)


def _all_orders(setting: Setting) -> Decision:
    zero = vanishing_order(setting.activation.expression, max(DOMINANTS) + 1)
    if zero is None:
        return Decision(True, f"sigma' to sigma^({max(DOMINANTS) + 1}) do not vanish identically.")
    return Decision(False, f"sigma^({zero}) = 0, so the terms from order {zero} on are zero.")


ANALYTIC = Hypothesis(name="analytic", text="sigma is analytic on R", check=_analytic)
ALL_ORDERS = Hypothesis(name="all orders", text="sigma^(j) is not zero for j <= k + 1", check=_all_orders)


def shifted(shift: Any) -> Exponent:
    return lambda order, dominant: exponent(order, dominant) + shift


def _summary(order: int, dominant: int) -> Any:
    """1/2k for every order but k."""
    return sp.S.Zero if order == dominant else sp.Rational(1, 2 * dominant)


def _centred_next() -> tuple[Statement, ...]:
    """With centred laws the mean of z_+^(k+1) - z_-^(k+1) is zero: the exponent is (k+1)/2k, more than 1/2k."""
    means = {k: difference_moments(matched_laws(k), k + 1)[0] for k in DOMINANTS}
    zero = all(mean == 0 for mean in means.values())
    return (
        Fact("centred laws agree at order k + 1 too", Decision(zero, f"the differences are {means}"), certain=True),
        *(
            Bound(f"k = {k}: (k+1)/2k is more than the printed 1/2k", _summary(k + 1, k), sp.Rational(k + 1, 2 * k))
            for k in DOMINANTS
        ),
    )


def _exponents(claimed: Exponent) -> Callable[[Setting], tuple[Statement, ...]]:
    return lambda setting: statements(exponent_steps(claimed, (*DOMINANTS, 5, 6)))


def _printed(setting: Setting) -> tuple[Statement, ...]:
    moments = (step for dominant in DOMINANTS for step in moment_steps(dominant))
    return (*statements(moments), *statements(power_steps()), *_exponents(exponent)(setting), *_centred_next())


def _remainder(shift: Any) -> Callable[[Setting], tuple[Statement, ...]]:
    def states(setting: Setting) -> tuple[Statement, ...]:
        sigma = setting.activation.expression
        facts: list[Statement] = list(statements(power_steps()[-1:]))
        for dominant in DOMINANTS:
            facts.append(_bounded_derivative(sigma, dominant + 1))
            found = local_exponent(sigma, dominant, FAR)
            claimed: Any = sp.Rational(1, 2 * dominant) + shift
            with ctx.workprec(BITS):
                off = abs(found - arb(fmpq(claimed.p, claimed.q)))
            name = f"k = {dominant}: the exponent of the exact mean remainder is {claimed} within {RESOLUTION}"
            facts.append(Bound(name, off, arb(fmpq(RESOLUTION.p, RESOLUTION.q))))
        return tuple(facts)

    return states


def _bounded_derivative(sigma: Any, order: int) -> Fact:
    try:
        found = derivative_bound(sigma, order)
        size = None if found is None else found.str(4)
        decision = Decision(None if found is None else True, f"sup |sigma^({order})| is {size or 'infinite'}")
    except CannotDecide as undecided:
        decision = Decision(None, str(undecided))
    return Fact(f"sigma^({order}) is bounded, so Taylor's formula bounds the remainder", decision, certain=True)


THEOREM = Theorem(
    slug="higher-tangents",
    title="Extracting the k-th order term",
    source="B, Section 6.1",
    latex=(r"f^{(j)} = O_p(m^{-j/2k})\ (j<k),\quad f^{(k)} = O(1),\quad f^{(k+1)} = O_p(m^{-1/2k})"),
    activation="x - sin(x)",
    takes_activation=True,
    hypotheses=(ASSUMPTION_A, NOT_CONSTANT, ANALYTIC, ALL_ORDERS),
    uses=("smooth-activation", "matched-moments"),
    claims=(
        Identity(
            id="BL-K",
            readings=(
                Reading(
                    document="B",
                    place="Section 6.1",
                    printed="f^(j) = O_p(m^(-j/2k)) for all j = 1, ..., k-1; f^(k) = O_p(1); f^(k+1) = O_p(m^(-1/2k))",
                    scan="exponents are lost in the displays; the underbraces O(m^(-j/2k)), O(m^(-(k+1)/2k)) remain",
                    states=_printed,
                ),
            ),
            mutants=(
                Mutant(name="exponents-1/8-larger", states=_exponents(shifted(sp.Rational(1, 8)))),
                Mutant(name="exponents-1/8-smaller", states=_exponents(shifted(sp.Rational(-1, 8)))),
                Mutant(name="1/2k-at-every-order", states=_exponents(_summary)),
            ),
        ),
        Inequality(
            id="BL-K",
            part="remainder",
            readings=(
                Reading(
                    document="B",
                    place="Section 6.1",
                    printed="the remainder term f - sum_{i<=k} f^(i) has order O(m^(-1/2k))",
                    scan="gives m~'/2*; the sum runs over i <= k, as its next sentence needs",
                    states=_remainder(sp.S.Zero),
                ),
            ),
            mutants=(
                Mutant(name="exponent-1/8-larger", states=_remainder(sp.Rational(1, 8))),
                Mutant(name="exponent-1/8-smaller", states=_remainder(sp.Rational(-1, 8))),
            ),
        ),
    ),
)
