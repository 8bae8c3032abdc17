"""The tangent class with and without the constant c, each against Theorem 2 (P, (3); O; S).

P's class is c + sum_i <a_i, x> sigma'(<w_i, x>); O and S leave c out. For sigma(x) = x^2, x ~ N(0, I_d) and a centred
f(x) = <x, Bx> - Tr B, leaving it out adds E Tr(QB)^2/((N+2)||B||^2) to the normalised risk, Q the projector on the span
of the weights (proofs_checks/quadratic_classes.py). With t = Tr(B)^2/(d ||B||^2), as N, d -> inf with N/d -> rho,

    with c      (1-rho)_+^2 + rho (1-rho)_+ t
    without c   (1-rho)_+^2 + rho (1-rho)_+ t + min(rho, 1) t.

So the poster's Theorem 2 is false for the poster's class unless t -> 0: at rho >= 1 the risk is t and not 0. Nor does
the poster say E f = 0: at b0 = 0 most of ||f||^2 is the square of its mean, and the ratio tends to 0 for t > 0.
"""

from __future__ import annotations

from functools import partial

import sympy as sp
from flint import arb

from proofs_checks import haar_projector as haar
from proofs_checks import quadratic_classes as classes
from simulate.neural_tangent import projector_risk_cost
from theorems.claim import (
    Equation,
    Erratum,
    Identity,
    Limit,
    Mutant,
    Observation,
    Prediction,
    Reading,
    Setting,
    Statement,
    Theorem,
)
from theorems.lazy_training.nt_risk import positive_part, poster_form, symbols
from theorems.lazy_training.width import neurons
from theorems.spectra import spectrum

UNIT = {haar.rho: (sp.Integer(0), sp.Integer(1)), haar.t: (sp.Integer(0), sp.Integer(1))}


def _limit(expression: sp.Expr) -> sp.Expr:
    return sp.limit(expression.subs(haar.N, haar.rho * haar.d), haar.d, sp.oo)


def tangent_result(constant: bool, gained: sp.Expr) -> Equation:
    """The limit of the exact NT risk on a centred target, against Theorem 2 plus `gained`."""
    exact = haar.nt_risk_limit() if constant else _limit(classes.centred_tangent_risk())
    name = f"NT {'with' if constant else 'without'} c, E f = 0"
    return Equation(name, exact, poster_form(haar.rho, haar.t) + gained, UNIT)


def _uncentred(constant: bool) -> Prediction:
    """Theorem 2 as printed on the poster, where nothing says E f = 0: here b0 = 0, ||f||^2 = 2||B||^2 + Tr(B)^2."""

    def states(setting: Setting) -> tuple[Statement, ...]:
        exact = _limit(classes.uncentred_tangent_risk(constant))
        return (Equation("NT, b0 = 0, t > 0", exact, poster_form(haar.rho, haar.t), UNIT),)

    return states


def _tangent_observed(setting: Setting, *, constant: bool) -> Observation:
    assert setting.dimension is not None
    width = neurons(setting)
    return Observation(
        simulator="simulate.neural_tangent:projector_risk",
        dimension=setting.dimension,
        arguments={
            "neurons": width,
            "target": spectrum(setting["B"]).eigenvalues(setting.dimension),
            "offset": constant,
        },
        cost=projector_risk_cost(setting.dimension, width),
    )


_with_c, _without_c = partial(_tangent_observed, constant=True), partial(_tangent_observed, constant=False)


def _limit_is(share: str = "0", power: int = 1, trace: str = "1") -> Prediction:
    """Theorem 2, its trace term times `trace`, plus share * min(rho, 1)^power * t."""

    def states(setting: Setting) -> arb:
        value = symbols(setting)
        rho = positive_part(value["rho"])
        return poster_form(rho, arb(trace) * value["t"]) + arb(share) * rho**power * value["t"]

    return states


NEEDS_C = "the class must contain the constants, as (3) of the paper has it"
PROOF = "the exact finite-d expectation is a rational function of d"
POINTS = ({"rho": "1/4"}, {"rho": "1/2"}, {"rho": "3/4", "B": "uniform"})

THEOREM = Theorem(
    slug="tangent-constant",
    title="The neural tangent class with and without a constant",
    source="P, (3) and Theorem 2; O, Introduction and Theorem 2; S",
    latex=r"c + \sum_{i\le N}\langle a_i,x\rangle\,\sigma'(\langle w_i,x\rangle), \quad c = 0\text{ or }c\in\mathbb{R}",
    parameters={"rho": "1/2", "B": "two_point"},
    symbols=("rho", "t"),
    evaluate=symbols,
    uses=("nt-quadratic",),
    claims=(
        Limit(
            id="LT-D1",
            part="NT",
            observe=_with_c,
            functional="mean",
            bias_class="analytic",
            bias_class_proof=PROOF,
            points=POINTS,
            resolution=0.02,
            resolution_reason="the smallest mutant, 10% of the trace term, is 4% of the risk at one of the points",
            readings=(
                Reading(
                    document="P",
                    place="(3), Theorem 2",
                    printed="c + sum <a_i, x> sigma'(<w_i, x>): (1-rho)_+^2 (1-t) + (1-rho)_+ t",
                    states=_limit_is(),
                ),
                Reading(
                    document="O",
                    place="Introduction, Theorem 2",
                    printed="sum <a_i, x> sigma'(<w_i, x>): (1-rho)_+^2 + rho (1-rho)_+ t",
                    states=_limit_is(),
                    observe=_without_c,
                    erratum=Erratum(corrected=NEEDS_C, states=_limit_is(), observe=_with_c),
                ),
                Reading(
                    document="S",
                    place="Neural Tangent model, the figure's line",
                    printed="sum <b_i, x> sigma'(<w_i, x>): the analytical prediction",
                    states=_limit_is(),
                    observe=_without_c,
                    erratum=Erratum(corrected=NEEDS_C, states=_limit_is(), observe=_with_c),
                ),
            ),
            mutants=(
                Mutant(name="as-if-without-c", states=_limit_is("1")),
                Mutant(name="trace-term-dropped", states=_limit_is(trace="0")),
                Mutant(name="trace-term-10-percent-more", states=_limit_is(trace="1.1")),
            ),
        ),
        Limit(
            id="LT-D1",
            part="NT-without-c",
            observe=_without_c,
            functional="mean",
            bias_class="analytic",
            bias_class_proof=PROOF,
            points=(*POINTS, {"rho": "3/2"}),
            resolution=0.02,
            resolution_reason="the smallest mutant moves the risk by 5% and more at one of the points",
            readings=(
                Reading(
                    document="O",
                    place="Introduction, what its own class reaches",
                    printed="without c the limit is (1-rho)_+^2 + rho (1-rho)_+ t + min(rho, 1) t",
                    states=_limit_is("1"),
                ),
                Reading(
                    document="S",
                    place="Neural Tangent model, what its own class reaches",
                    printed="without c the limit is (1-rho)_+^2 + rho (1-rho)_+ t + min(rho, 1) t",
                    states=_limit_is("1"),
                ),
            ),
            mutants=(
                Mutant(name="as-if-with-c", states=_limit_is()),
                Mutant(name="rho-squared", states=_limit_is("1", 2)),
                Mutant(name="half-of-it", states=_limit_is("0.5")),
                Mutant(name="all-of-t", states=_limit_is("1", 0)),
            ),
        ),
        Identity(
            id="LT-D1",
            part="mean-not-zero",
            readings=(
                Reading(
                    document="O",
                    place="Theorem 2, where nothing says E f = 0",
                    printed="the same limit for f(x) = <x, Bx>, relative to ||f||^2, in the poster's class",
                    states=_uncentred(False),
                    erratum=Erratum(
                        corrected="for E f = 0 and with c; at b0 = 0 the ratio tends to 0",
                        states=lambda setting: (tangent_result(True, sp.Integer(0)),),
                    ),
                ),
            ),
            mutants=(Mutant(name="with-c-but-not-centred", states=_uncentred(True)),),
        ),
    ),
)
