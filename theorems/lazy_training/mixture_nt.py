"""The neural tangent class with sigma(x) = x^2 on a mixture of Gaussians (P, Theorem 5).

f(x) = c + sum_i <a_i,x> <w_i,x> ranges over c + <x,Ax> with PMP = 0, M = Sigma^1/2 A Sigma^1/2, P the projector off
the span of X = Sigma^1/2 W. With D = Sigma^-1/2 Delta Sigma^-1/2 the risk is 1/(1 + q), q = max <M,D>^2/(2|M|^2 + 2
Tr(MDMD)), and since |Tr(MDMD)| <= s_1^2 |M|^2

    q_0/(1 + s_1^2) <= q <= q_0/(1 - s_1^2),   q_0 = (|D|^2 - |PDP|^2)/2,

for every W. The print writes P = I - X (X'X)^{-1} X'; for N > d, which the theorem allows and then speaks of, X'X
has rank d and no inverse: a pseudo-inverse is meant. For Sigma = I and isotropic weights |PDP|^2 concentrates
(`nt_quadratic.py`), and q_0 -> kappa |Delta|^2/2, kappa = 1 - (1-rho)_+^2 (1 - t) - (1-rho)_+ t, t = Tr(Delta)^2/(d
|Delta|^2).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import flint
import sympy as sp
from flint import arb

from proofs_checks import haar_projector as haar
from proofs_checks.mixture_risk import (
    SingularGramError,
    moment_steps,
    squared_norm,
    tangent_gain,
    tangent_gain_printed,
    tangent_instance,
)
from simulate.mixture_quadratic import tangent_risk_cost
from theorems.claim import (
    Bound,
    Decision,
    Equation,
    Erratum,
    Fact,
    Hypothesis,
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
from theorems.lazy_training.mixture_nn import all_directions, only_formula, twice_the_signal, wide
from theorems.lazy_training.nt_risk import paper_form, positive_part
from theorems.lazy_training.rf_risk import BIAS_CLASS, LADDER
from theorems.lazy_training.width import actual_ratio, neurons
from theorems.mixture_spectra import B2, DENSITIES, M1, M2, figures, matrices
from theorems.spectra import WORKING_BITS
from theorems.steps import statements

INSTANCES = ((3, 1), (4, 2), (3, 3), (3, 5))


def kappa(rho: Any, t: Any) -> Any:
    """P, Theorem 5, for rho <= 1: one minus the limit of |PDP|^2/|D|^2."""
    return 1 - (1 - rho) ** 2 * (1 - t) - (1 - rho) * t


def symbols(setting: Setting) -> Mapping[str, arb]:
    """rho, kappa, ||D||^2 and Tr(D)^2/d in this setting."""
    ratio, at = actual_ratio(setting), figures(setting)
    with flint.ctx.workprec(WORKING_BITS):
        rho = arb(ratio.numerator) / ratio.denominator
        return {
            "rho": rho,
            "kappa": kappa(positive_part(rho), at.delta_trace2 / at.delta_norm2),
            "delta_norm2": at.delta_norm2,
            "delta_trace2": at.delta_trace2,
        }


def predicted_risk(setting: Setting) -> arb:
    """2/(2 + kappa ||D||^2)."""
    value = symbols(setting)
    return 2 / (2 + value["kappa"] * value["delta_norm2"])


def observe(setting: Setting, *, offset: bool = True) -> Observation:
    """The least risk given the weights; E y^2 = 1."""
    assert setting.dimension is not None
    at, width = matrices(setting), neurons(setting)
    return Observation(
        simulator="simulate.mixture_quadratic:tangent_risk",
        dimension=setting.dimension,
        arguments={"neurons": width, "gamma": at.gamma, "sigma": at.sigma, "delta": at.delta, "offset": offset},
        cost=tangent_risk_cost(setting.dimension, width, diagonal=at.delta.ndim == 1),
    )


def _with_kappa(share: Any) -> Prediction:
    """The formula with another share than kappa, a function of rho (clipped to 1) and t."""

    def states(setting: Setting) -> arb:
        value = symbols(setting)
        t = value["delta_trace2"] / value["delta_norm2"]
        return 2 / (2 + share(positive_part(value["rho"]), t) * value["delta_norm2"])

    return states


def _white(setting: Setting) -> Decision:
    at = figures(setting)
    # 2 zeta_1 is the second moment of the law of d Gamma Sigma, whose mean is 1: it is 1 for a point mass only.
    spread = 2 * at.zeta_1 - 1
    if spread.contains(0):
        return Decision(True, "Sigma^1/2 w is isotropic.")
    return Decision(False, "Sigma^1/2 w is not isotropic, which kappa in closed form needs: set Gamma to 1/Sigma.")


WHITE = Hypothesis(
    name="white", text="Sigma^1/2 w_i is isotropic (Sigma = I and Gamma = I/d in the print)", check=_white
)


def _every_instance(*, pseudo_inverse: bool, factor: int = 1) -> Fact:
    """The exact gain against the printed one, for integer weights, a rational Sigma^1/2 and a full Delta."""
    wrong = []
    for d, n in INSTANCES:
        weights, root, delta = tangent_instance(d, n, seed=10 * d + n)
        try:
            printed = factor * tangent_gain_printed(weights, root, delta, pseudo_inverse=pseudo_inverse)
        except SingularGramError as error:
            wrong.append(f"{error}: the printed projector is not defined")
            continue
        exact, slack = tangent_gain(weights, root, delta), squared_norm(root, delta)
        if not printed / (1 + slack) <= exact <= printed / (1 - slack):
            wrong.append(f"d = {d}, N = {n}: gain {float(printed):.6g} printed, {float(exact):.6g} exactly")
    reason = f"exact gains at (d, N) = {INSTANCES} lie within the factors 1 -+ s_1^2"
    return Fact("for almost every W", Decision(not wrong, wrong[0] if wrong else reason), certain=True)


def _for_every_width(*, pseudo_inverse: bool, factor: int = 1) -> Prediction:
    s_1, a, b = sp.Symbol("s_1", positive=True), sp.Symbol("a", nonnegative=True), sp.Symbol("b", nonnegative=True)
    # |t_i t_j| <= s_1^2: t_i t_j is s_1^2 - a, and it is -(s_1^2 - b).

    def states(setting: Setting) -> tuple[Statement, ...]:
        return (
            *statements(moment_steps()),
            Bound("an entry of Q is at most 2 (1 + s_1^2) M_ij^2", 1 + s_1**2 - a, 1 + s_1**2, certificate=a),
            Bound("and at least 2 (1 - s_1^2) M_ij^2", 1 - s_1**2, 1 - (s_1**2 - b), certificate=b),
            _every_instance(pseudo_inverse=pseudo_inverse, factor=factor),
        )

    return states


def _kappa_is(share: Any) -> Prediction:
    box = {haar.t: (0, 1), haar.rho: (0, 1)}
    return lambda setting: (
        Equation(
            "kappa is one minus the limit of E|PDP|^2/|D|^2", share(haar.rho, haar.t), 1 - haar.nt_risk_limit(), box
        ),
    )


THEOREM = Theorem(
    slug="mixture-nt",
    title="Neural tangent on a mixture of Gaussians",
    source="P, Theorem 5",
    latex=(
        r"R_{\mathrm{NT},N}(\mathbb{P}_{\Sigma,\Delta}) = \frac{2}{2+\|\tilde\Delta\|_F^2"
        r"-\|P_\perp\tilde\Delta P_\perp\|_F^2} + o_d(1)"
    ),
    parameters={"rho": "1/2", "Delta": "uniform3", "Sigma": "isotropic", "Gamma": "isotropic"},
    symbols=("rho", "kappa", "delta_norm2", "delta_trace2"),
    evaluate=symbols,
    hypotheses=(M1, M2, DENSITIES, B2, WHITE),
    uses=("nt-quadratic", "mixture-nn"),
    claims=(
        Identity(
            id="LT-T5",
            hypotheses=(M1, M2, DENSITIES, B2),
            readings=(
                Reading(
                    document="P",
                    place="Theorem 5, first display",
                    printed="for almost every W in R^{d x N}, with P = I - X (X'X)^{-1} X', X = Sigma^1/2 W",
                    states=_for_every_width(pseudo_inverse=False),
                    erratum=Erratum(
                        corrected="for N > d the inverse is a pseudo-inverse (P = 0); then it holds for every N",
                        states=_for_every_width(pseudo_inverse=True),
                    ),
                ),
            ),
            mutants=(Mutant(name="signal-twice-too-large", states=_for_every_width(pseudo_inverse=True, factor=2)),),
        ),
        Limit(
            id="LT-T5",
            part="kappa",
            observe=observe,
            ladder=LADDER,
            bias_class=BIAS_CLASS,
            points=(
                {"rho": "1/2", "Delta": "uniform3"},
                {"rho": "1/4", "Delta": "traceless"},
                {"rho": "1/2", "Delta": "indefinite"},
            ),
            resolution=0.02,
            resolution_reason="the smallest mutant moves the risk by more at one of the points",
            readings=(
                Reading(
                    document="P",
                    place="Theorem 5, second display",
                    printed="2/(2 + kappa ||Delta||^2), kappa = 1 - (1-rho)_+^2 (1-t) - (1-rho)_+ t",
                    states=predicted_risk,
                ),
            ),
            mutants=(
                Mutant(name="2-for-1", states=_with_kappa(lambda rho, t: 2 * kappa(rho, t))),
                Mutant(name="trace-term-dropped", states=_with_kappa(lambda rho, t: kappa(rho, 0 * t))),
                Mutant(name="only-the-span", states=_with_kappa(lambda rho, t: rho)),
                Mutant(name="kept-and-lost-swapped", states=_with_kappa(lambda rho, t: 1 - kappa(rho, t))),
            ),
        ),
        Limit(
            id="LT-T5",
            part="Sigma-not-the-identity",
            observe=observe,
            ladder=LADDER,
            bias_class=BIAS_CLASS,
            points=(
                {"rho": "1/2", "Delta": "rotated", "Sigma": "1,3/2", "Gamma": "1,2/3"},
                {"rho": "1/4", "Delta": "indefinite", "Sigma": "two_point", "Gamma": "1,1/3"},
                {"rho": "1/2", "Delta": "low_rank", "Sigma": "1,1/2", "Gamma": "1,2"},
            ),
            resolution=0.03,
            resolution_reason="the smallest mutant moves the risk by more at one of the points",
            readings=(
                Reading(
                    document="P",
                    place="Theorem 5, first display, at Sigma^1/2 w isotropic",
                    printed="2/(2 + ||Delta~||^2 - ||P Delta~ P||^2), Delta~ = Sigma^-1/2 Delta Sigma^-1/2",
                    states=predicted_risk,
                ),
            ),
            mutants=(
                Mutant(
                    name="Delta-for-Delta~",
                    states=lambda setting: predicted_risk(
                        Setting({**setting.parameters, "Sigma": "isotropic", "Gamma": "isotropic"}, setting.dimension)
                    ),
                ),
                Mutant(name="2-for-1", states=_with_kappa(lambda rho, t: 2 * kappa(rho, t))),
                Mutant(name="trace-term-dropped", states=_with_kappa(lambda rho, t: kappa(rho, 0 * t))),
            ),
        ),
        Identity(
            id="LT-T5",
            part="kappa-in-expectation",
            readings=(
                Reading(
                    document="P",
                    place="Theorem 5, second display",
                    printed="kappa = 1 - (1-rho)_+^2 (1-t) - (1-rho)_+ t",
                    states=_kappa_is(kappa),
                ),
            ),
            mutants=(
                Mutant(name="squares-swapped", states=_kappa_is(lambda rho, t: 1 - paper_form(rho, 1 - t))),
                Mutant(name="only-the-span", states=_kappa_is(lambda rho, t: rho)),
            ),
        ),
        Identity(
            id="LT-T5",
            part="rho-at-least-1",
            hypotheses=(M1, M2, DENSITIES, B2),
            readings=(
                Reading(
                    document="P",
                    place="Theorem 5, in particular",
                    printed="for rho >= 1 and almost every W: 1/(1 + ||Delta||^2/2)",
                    states=wide(all_directions),
                ),
            ),
            mutants=(Mutant(name="signal-twice-too-large", states=only_formula(twice_the_signal)),),
        ),
    ),
)
