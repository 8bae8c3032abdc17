r"""The k-th order term of the Taylor series dominates after randomisation (B, Section 6.1).

2m neurons in pairs with movements z_{+,r} w_{*,r} and z_{-,r} w_{*,r}, z_+ and z_- as in matched_moments.py, and
||w_{*,r}|| = O(m^(-1/2k)). Then

    f^(j) = O_p(m^(-j/2k)) for j < k,   f^(k) = O(1),   f^(k+1) = O_p(m^(-1/2k)),   f - sum_{i<=k} f^(i) = O(m^(-1/2k)).

Over z the mean and the mean square of f^(j) are exact for every m (proofs_checks/taylor_terms.py), so the exponents are
proved; the bound of the remainder is Taylor's formula, and it is of that size. The sampled parts see the same
exponents at widths up to 2^16, with movements chosen against the claim. If z_+ and z_- are centred, the moments of
order k + 1 agree too, and f^(k+1) is O_p(m^(-(k+1)/2k)): there the printed bound is loose.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp
from flint import arb, ctx, fmpq

from proofs_checks.analytic import analytic_on_line, vanishing_order
from proofs_checks.ball_function import CannotDecide
from proofs_checks.matched_moments import Law, difference_moments, matched_laws
from proofs_checks.taylor_terms import (
    BITS,
    OFF_CENTRE,
    Exponent,
    derivative_bound,
    exponent,
    exponent_steps,
    local_exponent,
    moment_steps,
    power_steps,
)
from simulate.higher_tangents import term_size_cost
from theorems.beyond_linearization.smooth_activation import ASSUMPTION_A
from theorems.claim import (
    Bound,
    Decision,
    Fact,
    Hypothesis,
    Identity,
    Inequality,
    Mutant,
    Observation,
    Prediction,
    Rate,
    Reading,
    Setting,
    Statement,
    Theorem,
)
from theorems.steps import statements

DOMINANTS = (2, 3, 4)
LADDER = (2048, 4096, 16384, 65536)
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


def _shifted(shift: Any) -> Exponent:
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
    def states(setting: Setting) -> tuple[Statement, ...]:
        moments = (step for dominant in DOMINANTS for step in moment_steps(dominant))
        return (
            *statements(moments),
            *statements(power_steps()),
            *statements(exponent_steps(claimed, (*DOMINANTS, 5, 6))),
            *_centred_next(),
        )

    return states


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


def _floats(law: Law) -> tuple[tuple[float, float], ...]:
    return tuple((float(node), float(probability)) for node, probability in law)


def _observe(setting: Setting) -> Observation:
    """The root mean square over z; from order k on the movements are matched to sigma^(j), to make its mean largest."""
    assert setting.dimension is not None
    plus, minus = matched_laws(setting["dominant"], OFF_CENTRE)
    return Observation(
        simulator="simulate.higher_tangents:term_size",
        dimension=setting.dimension,
        arguments={
            "dominant": setting["dominant"],
            "term": setting["term"],
            "matched": setting["term"] >= setting["dominant"],
            "plus": _floats(plus),
            "minus": _floats(minus),
        },
        cost=term_size_cost(setting.dimension),
        activation=setting.activation.text,
    )


def _predicted(claimed: Exponent) -> Prediction:
    def states(setting: Setting) -> arb:
        value: Any = sp.Rational(claimed(setting["term"], setting["dominant"]))
        return arb(fmpq(value.p, value.q))

    return states


def _scaling(part: str, printed: str, scan: str, orders: Callable[[int], range], wrong: Exponent, name: str) -> Rate:
    eighth = sp.Rational(1, 8)
    return Rate(
        id="BL-K",
        part=part,
        observe=_observe,
        points=tuple({"dominant": str(k), "term": str(j)} for k in DOMINANTS for j in orders(k)),
        ladder=LADDER,
        resolution=float(RESOLUTION),
        resolution_reason="half of 1/8, by which the nearest mutants are off",
        readings=(Reading(document="B", place="Section 6.1", printed=printed, scan=scan, states=_predicted(exponent)),),
        mutants=(
            Mutant(name="exponent-1/8-larger", states=_predicted(_shifted(eighth))),
            Mutant(name="exponent-1/8-smaller", states=_predicted(_shifted(-eighth))),
            Mutant(name=name, states=_predicted(wrong)),
        ),
    )


THEOREM = Theorem(
    slug="higher-tangents",
    title="Extracting the k-th order term",
    source="B, Section 6.1",
    latex=(r"f^{(j)} = O_p(m^{-j/2k})\ (j<k),\quad f^{(k)} = O(1),\quad f^{(k+1)} = O_p(m^{-1/2k})"),
    parameters={"dominant": 2, "term": 1},
    activation="x - sin(x)",
    takes_activation=True,
    hypotheses=(ASSUMPTION_A, ANALYTIC, ALL_ORDERS),
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
                    states=_exponents(exponent),
                ),
            ),
            mutants=(
                Mutant(name="exponents-1/8-larger", states=_exponents(_shifted(sp.Rational(1, 8)))),
                Mutant(name="exponents-1/8-smaller", states=_exponents(_shifted(sp.Rational(-1, 8)))),
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
        _scaling(
            "lower-orders",
            "f^(j) = O_p(m^(-j/2k)) for all j = 1, ..., k-1",
            "the exponent of the display is lost; its underbrace has m^(-j/2k)",
            lambda k: range(1, k),
            lambda order, dominant: sp.Rational(order, dominant),
            "j/k-for-j/2k",
        ),
        _scaling(
            "order-k",
            "f^(k) = O_p(1), mean = 1",
            "the subscript of O_p is lost",
            lambda k: range(k, k + 1),
            lambda order, dominant: sp.Rational(1, 2),
            "the-mean-forgotten",
        ),
        _scaling(
            "order-k+1",
            "f^(k+1) = O_p(m^(-1/2k))",
            "the exponent stands as -1/?%",
            lambda k: range(k + 1, k + 2),
            lambda order, dominant: sp.Rational(order, 2 * dominant),
            "the-mean-forgotten",
        ),
    ),
)
