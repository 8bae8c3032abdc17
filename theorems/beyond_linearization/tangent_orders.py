r"""The sizes of the terms f^(j) at widths up to 2^16, with movements chosen against the claim (B, Section 6.1).

The exponents of higher_tangents.py as they are seen: f^(j) ~ m^(-j/2k) for j < k, f^(k) ~ 1, f^(k+1) ~ m^(-1/2k).
Given the initial weights, the root mean square over z is an exact sum (simulate/higher_tangents.py), so that they are
the only noise. From order k on the signs of the movements are matched to those of sigma^(j)(<w_{0,r}, x>), which makes
the mean as large as it can be; below k the mean is zero and all movements agree.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp
from flint import arb, fmpq

from proofs_checks.matched_moments import Law, matched_laws
from proofs_checks.taylor_terms import OFF_CENTRE, Exponent, exponent
from simulate.higher_tangents import term_size_cost
from theorems.beyond_linearization.higher_tangents import ALL_ORDERS, ANALYTIC, DOMINANTS, RESOLUTION, shifted
from theorems.beyond_linearization.smooth_activation import ASSUMPTION_A, NOT_CONSTANT
from theorems.claim import Mutant, Observation, Prediction, Rate, Reading, Setting, Theorem

LADDER = (2048, 4096, 16384, 65536)


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


def _scaling(
    *, id: str, part: str, printed: str, scan: str, orders: Callable[[int], range], wrong: Exponent, name: str
) -> Rate:
    eighth = sp.Rational(1, 8)
    return Rate(
        id=id,
        part=part,
        observe=_observe,
        points=tuple({"dominant": str(k), "term": str(j)} for k in DOMINANTS for j in orders(k)),
        ladder=LADDER,
        resolution=float(RESOLUTION),
        resolution_reason="half of 1/8, by which the nearest mutants are off",
        readings=(Reading(document="B", place="Section 6.1", printed=printed, scan=scan, states=_predicted(exponent)),),
        mutants=(
            Mutant(name="exponent-1/8-larger", states=_predicted(shifted(eighth))),
            Mutant(name="exponent-1/8-smaller", states=_predicted(shifted(-eighth))),
            Mutant(name=name, states=_predicted(wrong)),
        ),
    )


THEOREM = Theorem(
    slug="tangent-orders",
    title="The sizes of the terms of the Taylor series",
    source="B, Section 6.1",
    latex=r"\big(\mathbb{E}_z (f^{(j)})^2\big)^{1/2} \asymp m^{-j/2k},\ 1,\ m^{-1/2k}",
    parameters={"dominant": 2, "term": 1},
    activation="x - sin(x)",
    takes_activation=True,
    hypotheses=(ASSUMPTION_A, NOT_CONSTANT, ANALYTIC, ALL_ORDERS),
    uses=("higher-tangents",),
    claims=(
        _scaling(
            id="BL-K",
            part="lower-orders",
            printed="f^(j) = O_p(m^(-j/2k)) for all j = 1, ..., k-1",
            scan="the exponent of the display is lost; its underbrace has m^(-j/2k)",
            orders=lambda k: range(1, k),
            wrong=lambda order, dominant: sp.Rational(order, dominant),
            name="j/k-for-j/2k",
        ),
        _scaling(
            id="BL-K",
            part="order-k",
            printed="f^(k) = O_p(1), mean = 1",
            scan="the subscript of O_p is lost",
            orders=lambda k: range(k, k + 1),
            wrong=lambda order, dominant: sp.Rational(1, 2),
            name="the-mean-forgotten",
        ),
        _scaling(
            id="BL-K",
            part="order-k+1",
            printed="f^(k+1) = O_p(m^(-1/2k))",
            scan="the exponent stands as -1/?%",
            orders=lambda k: range(k + 1, k + 2),
            wrong=lambda order, dominant: sp.Rational(order, 2 * dominant),
            name="the-mean-forgotten",
        ),
    ),
)
