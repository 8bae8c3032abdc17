"""The constant c0 in the quadratic activation (P, 1.1 and O: sigma(u) = u^2 + c0; S and T: sigma(x) = x^2).

One activation is announced for all three regimes.

RF  sum a_i sigma(<w_i, x>) without c. The result (12) needs lambda_0 = E sigma(G) = 1 + c0 = 0. For any other c0 the
    features share a constant that hides what is to be learnt, and the risk tends to 1. So c0 = -1, or a constant in
    the class; sigma(x) = x^2 as in S and T fails.
NT  sees sigma' = 2u only: no c0.
NN  with c: c + sum a_i (<w_i,x>^2 + c0) = (c + c0 sum a_i) + sum a_i <w_i,x>^2, so c0 is absorbed. Without c (O, S):
    the scaling (a, w) -> (a/s^2, s w) keeps a <w,x>^2 and turns c0 a into c0 a/s^2, so any constant of the sign of c0
    can be reached with the matrix A = B >= 0: for a centred f (constant -Tr B) c0 < 0 does, c0 >= 0 does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

import sympy as sp
from flint import arb

from proofs_checks import haar_projector as haar
from proofs_checks import quadratic_classes as classes
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
from theorems.lazy_training import rf_risk
from theorems.lazy_training.nt_risk import symbols
from theorems.lazy_training.rf_quadratic_activation import quadratic_risk

u, c, c0, first, second = sp.symbols("u c c0 u1 u2", real=True)
a1, a2, scale, trace = sp.symbols("a1 a2 s T", positive=True)
dimension = sp.Symbol("d", integer=True, positive=True)


def _activation(value: sp.Expr, constant: sp.Expr = c0) -> sp.Expr:
    return value**2 + constant


def _mean_zero(constant: sp.Expr) -> Equation:
    density = sp.exp(-(u**2) / 2) / sp.sqrt(2 * sp.pi)
    mean = sp.integrate(sp.expand(_activation(u, constant) * density), (u, -sp.oo, sp.oo))
    return Equation("RF: lambda_0 = E sigma(G) = 0", sp.expand(mean), sp.Integer(0), {c0: (-3, 3)})


def _tangent(setting: Setting) -> tuple[Statement, ...]:
    plain = sp.diff(_activation(u, sp.Integer(0)), u)
    return (Equation("NT: sigma' does not see c0", sp.diff(_activation(u), u), plain),)


def _network_with_c(absorbed: sp.Expr) -> tuple[Statement, ...]:
    """Two neurons with c0 and c against two without c0 and another c."""
    with_c0 = c + a1 * _activation(first) + a2 * _activation(second)
    return (Equation("NN with c: c0 is absorbed", with_c0, c + absorbed + a1 * first**2 + a2 * second**2),)


def _network_without_c(constant: sp.Expr) -> tuple[Statement, ...]:
    """On the line: is the centred target T x^2 - T reached by the neuron a = T/s^2, w = s, at the best s?

    Its constant is c0 T/s^2, which is -T at s^2 = -c0 if c0 < 0; for c0 >= 0 it is nonnegative at every s.
    """
    neuron = trace / scale**2 * _activation(scale * u, constant)
    if constant.is_negative:
        neuron = neuron.subs(scale, sp.sqrt(-constant))
    return (Equation("NN without c: the centred target is reached", sp.expand(neuron), trace * u**2 - trace),)


def _network_cost(setting: Setting) -> tuple[Statement, ...]:
    """With c0 = 0 and no c, N >= d, the centred target (b0 = -Tr B) is missed by 2 Tr(B)^2/(d+2); c0 < 0 reaches it."""
    least = classes.network_risk(-trace, constant=False).subs(haar.d, dimension)
    missed = Equation("NN without c, c0 = 0: what is missed", least, 2 * trace**2 / (dimension + 2))
    return (missed, *_network_without_c(sp.Symbol("c0", negative=True)))


def _all_regimes(constant: sp.Expr, network: tuple[Statement, ...]) -> Prediction:
    return lambda setting: (_mean_zero(constant), *_tangent(setting), *network)


def _isotropic(setting: Setting) -> Setting:
    return replace(setting, parameters={**setting.parameters, "Gamma": "isotropic"})


def _observe(setting: Setting) -> Observation:
    return rf_risk.observe(_isotropic(setting))


def _observe_with_c(setting: Setting) -> Observation:
    return rf_risk.observe(_isotropic(setting), offset=True)


def _corollary(setting: Setting) -> arb:
    """(12) with Gamma = I/d, whatever c0."""
    value = symbols(setting)
    return quadratic_risk(value["rho"], value["t"], arb(1))


def _half_the_signal(setting: Setting) -> arb:
    value = symbols(setting)
    return quadratic_risk(value["rho"], value["t"] / 2, arb(1))


def _constant_as_noise(setting: Setting) -> arb:
    """(10) with lambda~ = E sigma^2 not reduced by lambda_0^2."""
    return rf_risk.predicted_risk(_isotropic(setting))


def _trivial(setting: Setting) -> arb:
    return arb(1)


OTHERS = tuple({"rho": "1", "activation": f"x**2 + ({constant})"} for constant in ("0", "1", "-2"))
SQUARE = ({"rho": "1"}, {"rho": "1/2"}, {"rho": "1/2", "B": "two_point"})
ANY, PLAIN = "sigma(u) = u^2 + c0, any c0", "sigma(x) = x^2"
WITH_C, MINUS_ONE = _network_with_c(c0 * (a1 + a2)), sp.Integer(-1)
MAKES_UP = "c0 = -1, which also makes up for the missing c in NN"


def _features(
    document: Literal["P", "O", "S", "T"], place: str, sigma: str, points: tuple[Mapping[str, str], ...]
) -> Reading:
    needs = "c0 = -1, so that E sigma(G) = 0, or a constant in the class"
    return Reading(
        document=document,
        place=place,
        printed=f"{sigma}, RF without c: 1 - rho t/(1+rho)",
        states=_corollary,
        observe=_observe,
        points=points,
        erratum=Erratum(corrected=needs, states=_corollary, observe=_observe_with_c, points=points),
    )


THEOREM = Theorem(
    slug="activation-offset",
    title="The constant in the quadratic activation",
    source="P, Section 1.1; O, Quadratic Functions; S, Setting; T, Setting",
    latex=r"\sigma(u) = u^2 + c_0, \qquad \lambda_0 = \mathbb{E}\,\sigma(G) = 1 + c_0",
    parameters={"rho": 1, "B": "isotropic"},
    symbols=("rho", "t"),
    evaluate=symbols,
    activation="x**2",
    uses=("rf-quadratic-activation", "rf-offset", "class-definitions"),
    claims=(
        Identity(
            id="LT-V2",
            readings=(
                Reading(
                    document="P",
                    place="1.1",
                    printed=f"{ANY}, for all three regimes",
                    states=_all_regimes(c0, WITH_C),
                    erratum=Erratum(corrected="c0 = -1", states=_all_regimes(MINUS_ONE, WITH_C)),
                ),
                Reading(
                    document="O",
                    place="Quadratic Functions",
                    printed=f"{ANY}, for all three regimes, no c",
                    states=_all_regimes(c0, _network_without_c(c0)),
                    erratum=Erratum(corrected=MAKES_UP, states=_all_regimes(MINUS_ONE, _network_without_c(MINUS_ONE))),
                ),
                Reading(
                    document="S",
                    place="Setting",
                    printed=f"{PLAIN} for all three regimes, no c",
                    states=_all_regimes(sp.Integer(0), _network_without_c(sp.Integer(0))),
                    erratum=Erratum(corrected=MAKES_UP, states=_all_regimes(MINUS_ONE, _network_without_c(MINUS_ONE))),
                ),
                Reading(
                    document="T",
                    place="Setting",
                    printed=f"{PLAIN} for all three regimes",
                    states=_all_regimes(sp.Integer(0), WITH_C),
                    erratum=Erratum(
                        corrected="c0 = -1, as the talk's own RF theorem has it",
                        states=_all_regimes(MINUS_ONE, WITH_C),
                    ),
                ),
            ),
            mutants=(
                Mutant(name="c0-is-1", states=_all_regimes(sp.Integer(1), WITH_C)),
                Mutant(name="c0-absorbed-once", states=_all_regimes(MINUS_ONE, _network_with_c(c0))),
            ),
        ),
        Limit(
            id="LT-V2",
            part="RF",
            observe=_observe_with_c,
            ladder=rf_risk.LADDER,
            bias_class=rf_risk.BIAS_CLASS,
            points=OTHERS,
            resolution=0.04,
            resolution_reason="the smallest mutant moves the risk by a third",
            readings=(
                _features("P", "1.1", ANY, OTHERS),
                _features("O", "Quadratic Functions", ANY, OTHERS),
                _features("S", "Setting", PLAIN, SQUARE),
                _features("T", "Setting", PLAIN, SQUARE),
            ),
            mutants=(
                Mutant(name="half-the-signal", states=_half_the_signal),
                Mutant(name="the-constant-counts-as-noise", states=_constant_as_noise),
                Mutant(name="nothing-is-learnt", states=_trivial),
            ),
        ),
        Limit(
            id="LT-V2",
            part="RF-other-side",
            observe=_observe,
            ladder=rf_risk.LADDER,
            bias_class=rf_risk.BIAS_CLASS,
            points=OTHERS,
            resolution=0.03,
            resolution_reason="the mutants move the risk by a tenth and more",
            readings=(
                Reading(
                    document="P",
                    place="1.1, c0 other than -1",
                    printed="without c and with c0 != -1 the RF risk tends to that of the trivial predictor",
                    states=_trivial,
                ),
            ),
            mutants=(
                Mutant(name="as-if-c0-were--1", states=_corollary),
                Mutant(name="half-the-signal", states=_half_the_signal),
                Mutant(name="the-constant-counts-as-noise", states=_constant_as_noise),
            ),
        ),
        Identity(
            id="LT-V2",
            part="NT",
            readings=(
                Reading(document="P", place="1.1", printed=f"{ANY}, NT", states=_tangent),
                Reading(document="O", place="Quadratic Functions", printed=f"{ANY}, NT", states=_tangent),
                Reading(document="S", place="Setting", printed=f"{PLAIN}, NT", states=_tangent),
                Reading(document="T", place="Setting", printed=f"{PLAIN}, NT", states=_tangent),
            ),
            mutants=(
                Mutant(
                    name="sigma-for-sigma-prime",
                    states=lambda setting: (Equation("sigma", _activation(u), u**2, {c0: (-3, 3)}),),
                ),
            ),
        ),
        Identity(
            id="LT-V2",
            part="NN",
            readings=(
                Reading(document="P", place="1.1", printed=f"{ANY}, NN with c", states=lambda setting: WITH_C),
                Reading(
                    document="O",
                    place="Quadratic Functions",
                    printed=f"{ANY}, NN without c on a centred target",
                    states=lambda setting: _network_without_c(c0),
                    erratum=Erratum(
                        corrected="c0 < 0 makes up for the missing c; c0 = 0 misses 2 Tr(B)^2/(d+2) at N >= d",
                        states=_network_cost,
                    ),
                ),
                Reading(
                    document="S",
                    place="Setting",
                    printed=f"{PLAIN}, NN without c on a centred target",
                    states=lambda setting: _network_without_c(sp.Integer(0)),
                    erratum=Erratum(
                        corrected="it misses 2 Tr(B)^2/(d+2) at N >= d; c, or c0 < 0, is needed",
                        states=_network_cost,
                    ),
                ),
                Reading(document="T", place="Setting", printed=f"{PLAIN}, NN with c", states=lambda setting: WITH_C),
            ),
            mutants=(
                Mutant(name="c0-absorbed-once", states=lambda setting: _network_with_c(c0)),
                Mutant(name="c0-positive-will-do", states=lambda setting: _network_without_c(sp.Integer(1))),
            ),
        ),
    ),
)
