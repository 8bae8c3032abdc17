"""The definitions of the three classes, and the results under each document's own (P, (1)-(3); O; S).

P adds a constant c to NN and NT and none to RF; O and S add none anywhere. For f(x) = b0 + <x, Bx>, sigma(x) = x^2 and
x ~ N(0, I_d) what c is worth is known exactly (proofs_checks/quadratic_classes.py): leaving it out adds
2 m^2/(q + 2) to the loss, m the mean that the best matrix misses and q the rank it can be spread over.

NT  on a centred f the normalised risk of Theorem 2 grows by min(rho, 1) t (tangent_constant.py).
NN  for N >= d the infimum is 2 b0^2/(d + 2) and not 0: Theorem 3 needs c, or b0 = 0.
RF  no document has c. With sigma(x) = x^2 - 1 (P, O) the features have mean E|w|^2 - 1 = 0 and none is needed; with the
    slides' sigma(x) = x^2 nothing is learnt (risk 1), see activation_offset.py.
"""

from __future__ import annotations

from dataclasses import replace

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
from theorems.lazy_training.tangent_constant import tangent_result
from theorems.steps import statements

b0 = sp.Symbol("b0", positive=True)
dimension = sp.Symbol("d", integer=True, positive=True)


def _network(constant: bool, claimed: sp.Expr) -> tuple[Statement, ...]:
    """The infimum over networks of N >= d neurons for a target with offset b0."""
    name = f"NN {'with' if constant else 'without'} c, N >= d"
    least = classes.network_risk(b0, constant).subs(haar.d, dimension)
    domain = {b0: (sp.Rational(1, 10), sp.Integer(10)), dimension: (sp.Integer(1), sp.Integer(1000))}
    return (*statements(classes.completed_square()), Equation(name, least, claimed, domain))


def _results(constant: bool) -> Prediction:
    """Theorems 2 and 3 for the classes with or without c."""
    nothing = sp.Integer(0)
    return lambda setting: (tangent_result(constant, nothing), *_network(constant, nothing))


def _network_result(constant: bool, claimed: sp.Expr) -> Prediction:
    return lambda setting: _network(constant, claimed)


def _isotropic(setting: Setting) -> Setting:
    return replace(setting, parameters={**setting.parameters, "Gamma": "isotropic"})


def _features(setting: Setting) -> Observation:
    return rf_risk.observe(_isotropic(setting))


def _features_with_c(setting: Setting) -> Observation:
    return rf_risk.observe(_isotropic(setting), offset=True)


def _features_limit(factor: str = "1", saturation: str = "1") -> Prediction:
    """(12) for Gamma = I/d, the signal times `factor` and its saturation times `saturation`."""

    def states(setting: Setting) -> arb:
        value = symbols(setting)
        return quadratic_risk(value["rho"], arb(factor) * value["t"], arb(saturation))

    return states


NEEDS_C = "the class must contain the constants, as (1) and (3) of the paper have it"
POINTS = ({"rho": "1"}, {"rho": "1/2"}, {"rho": "1/2", "B": "two_point"})
SQUARE = tuple({**point, "activation": "x**2"} for point in POINTS)

THEOREM = Theorem(
    slug="class-definitions",
    title="The classes RF, NT, NN as each document defines them",
    source="P, (1)-(3); O, Introduction; S, first slides",
    latex=r"\inf_{A = A^T}\mathbb{E}\,(b_0 + \langle x, (B-A)x\rangle)^2 = \frac{2 b_0^2}{d+2}",
    parameters={"rho": 1, "B": "isotropic"},
    symbols=("rho", "t"),
    evaluate=symbols,
    activation="x**2 - 1",
    uses=("tangent-constant", "rf-quadratic-activation"),
    claims=(
        Identity(
            id="LT-D1",
            readings=(
                Reading(
                    document="P",
                    place="(1)-(3)",
                    printed="NN and NT with c: Theorems 2 and 3",
                    states=_results(True),
                ),
                Reading(
                    document="O",
                    place="Introduction",
                    printed="NN and NT without c: Theorems 2 and 3",
                    states=_results(False),
                    erratum=Erratum(corrected=NEEDS_C, states=_results(True)),
                ),
                Reading(
                    document="S",
                    place="first slides",
                    printed="NN and NT without c: the analytical predictions of the figure",
                    states=_results(False),
                    erratum=Erratum(corrected=NEEDS_C, states=_results(True)),
                ),
            ),
            mutants=(
                Mutant(name="no-c-costs-t", states=lambda setting: (tangent_result(False, haar.t),)),
                Mutant(name="c-costs-something", states=lambda setting: (tangent_result(True, haar.rho * haar.t),)),
            ),
        ),
        Identity(
            id="LT-D1",
            part="NN",
            readings=(
                Reading(
                    document="P",
                    place="(1), Theorem 3 at N >= d",
                    printed="c + sum a_i sigma(<w_i, x>): no risk",
                    states=_network_result(True, sp.Integer(0)),
                ),
                Reading(
                    document="O",
                    place="Introduction, Theorem 3 at N >= d",
                    printed="sum a_i sigma(<w_i, x>): 2 sum_{i > N} l_i(B)^2 = 0, for any b0",
                    states=_network_result(False, sp.Integer(0)),
                    erratum=Erratum(
                        corrected="with c; without it the infimum is 2 b0^2/(d+2), zero only for b0 = 0",
                        states=_network_result(False, 2 * b0**2 / (dimension + 2)),
                    ),
                ),
                Reading(
                    document="S",
                    place="first slides, the figure's line at N >= d",
                    printed="sum a_i sigma(<w_i, x>): no risk, for any b0",
                    states=_network_result(False, sp.Integer(0)),
                    erratum=Erratum(
                        corrected="with c; without it the infimum is 2 b0^2/(d+2), zero only for b0 = 0",
                        states=_network_result(False, 2 * b0**2 / (dimension + 2)),
                    ),
                ),
            ),
            mutants=(
                Mutant(name="2-for-d+2", states=_network_result(False, b0**2)),
                Mutant(name="d-for-d+2", states=_network_result(False, 2 * b0**2 / dimension)),
            ),
        ),
        Limit(
            id="LT-D1",
            part="RF",
            observe=_features,
            ladder=rf_risk.LADDER,
            bias_class=rf_risk.BIAS_CLASS,
            points=POINTS,
            resolution=0.04,
            resolution_reason="every mutant moves the risk by 5% and more at one of the points",
            readings=(
                Reading(
                    document="P",
                    place="(2), Corollary 1",
                    printed="sum a_i sigma(<w_i, x>), sigma = x^2 - 1: 1 - rho t/(1+rho)",
                    states=_features_limit(),
                ),
                Reading(
                    document="O",
                    place="Introduction, Theorem 1",
                    printed="sum a_i sigma(<w_i, x>), sigma = x^2 - 1: 1 - rho t/(1+rho)",
                    states=_features_limit(),
                ),
                Reading(
                    document="S",
                    place="Random Features model, sigma(x) = x^2, the figure's line",
                    printed="sum t_i sigma(<w_i, x>): the analytical prediction",
                    states=_features_limit(),
                    points=SQUARE,
                    erratum=Erratum(
                        corrected="with sigma = x^2 the class must contain the constants, or sigma = x^2 - 1",
                        states=_features_limit(),
                        observe=_features_with_c,
                        points=SQUARE,
                    ),
                ),
            ),
            mutants=(
                Mutant(name="signal-20-percent-more", states=_features_limit("1.2")),
                Mutant(name="no-saturation", states=_features_limit("0.5", "0")),
                Mutant(name="saturation-doubled", states=_features_limit("1", "2")),
            ),
        ),
    ),
)
