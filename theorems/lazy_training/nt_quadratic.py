"""The neural tangent model on a quadratic function (P, Theorem 2; O, Theorem 2; T).

x ~ N(0, I_d), f(x) = b0 + <x, Bx> with E f = 0, sigma(x) = x^2, w_i ~ N(0, I_d/d), t = Tr(B)^2/(d ||B||^2). As
N, d -> infinity with N/d -> rho,

    E R_NT/||f||^2 = (1-rho)_+^2 (1-t) + (1-rho)_+ t + o(1)       (P),
                   = (1-rho)_+^2 + rho (1-rho)_+ t + o(1)         (O, T),

which are the same function. The expectation over the weights is that of ||Q B Q||^2/||B||^2 for a Haar projector
of rank d - N, and is known exactly: with k = d - N,

    E R_NT/||f||^2 = alpha + beta + beta d t,  alpha = k(k(d+1)-2)/(d(d-1)(d+2)), beta = k(d-k)/(d(d-1)(d+2)).

So the limit is proved, and its o(1) is a rational function of d: the bias class of the measured part is proved.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp
from flint import arb

from proofs_checks import haar_projector as haar
from theorems.claim import Equation, Identity, Limit, Mutant, Prediction, Reading, Setting, Statement, Theorem
from theorems.lazy_training.nt_risk import (
    exact_risk,
    observe,
    paper_form,
    positive_part,
    poster_form,
    symbols,
)
from theorems.steps import statements

Form = Callable[[Any, Any], Any]
"""A function of rho <= 1 and t, for balls as well as for SymPy symbols."""


def _formula(form: Form) -> Prediction:
    def states(setting: Setting) -> arb:
        value = symbols(setting)
        return form(positive_part(value["rho"]), value["t"])

    return states


def _limit_is(form: Form) -> tuple[Statement, ...]:
    """The limit of the exact finite-d risk along N = rho d."""
    limit = sp.limit(haar.nt_risk_expression().subs(haar.N, haar.rho * haar.d), haar.d, sp.oo)
    unit = {haar.rho: (sp.Integer(0), sp.Integer(1)), haar.t: (sp.Integer(0), sp.Integer(1))}
    return (Equation("the limit", limit, form(haar.rho, haar.t), unit),)


def _proof(setting: Setting) -> tuple[Statement, ...]:
    return (*statements(haar.moment_steps()), *_limit_is(paper_form))


THEOREM = Theorem(
    slug="nt-quadratic",
    title="The neural tangent model on a quadratic function",
    source="P, Theorem 2; O, Theorem 2; T, slide NT Model",
    latex=(
        r"\frac{\mathbb{E}[R_{\mathrm{NT},N}(f_*)]}{\|f_*\|_{L_2}^2} \to (1-\rho)_+^2\left(1-t\right) + (1-\rho)_+\,t,"
        r"\quad t = \frac{\mathrm{Tr}(B)^2}{d\|B\|_F^2}"
    ),
    parameters={"rho": "1/2", "B": "exp1"},
    symbols=("rho", "t"),
    evaluate=symbols,
    claims=(
        Limit(
            id="LT-T2",
            observe=observe,
            functional="mean",
            bias_class="analytic",
            bias_class_proof="the exact finite-d expectation is a rational function of d",
            points=(
                {"rho": "1/4", "B": "exp1"},
                {"rho": "1/2", "B": "two_point"},
                {"rho": "3/4", "B": "uniform"},
            ),
            resolution=0.01,
            resolution_reason="the smallest mutant is 2% off at one of the points",
            readings=(
                Reading(
                    document="P",
                    place="Theorem 2",
                    printed="(1-rho)_+^2 (1 - t) + (1-rho)_+ t",
                    states=_formula(paper_form),
                ),
                Reading(
                    document="O",
                    place="Theorem 2",
                    printed="(1-rho)_+^2 + rho (1-rho)_+ t",
                    states=_formula(poster_form),
                ),
                Reading(
                    document="T",
                    place="slide NT Model",
                    printed="(1-psi_1)_+^2 + psi_1 (1-psi_1)_+ t",
                    states=_formula(poster_form),
                ),
            ),
            mutants=(
                Mutant(name="trace-term-dropped", states=_formula(lambda rho, t: (1 - rho) ** 2)),
                Mutant(name="square-dropped", states=_formula(lambda rho, t: 1 - rho)),
                Mutant(name="roles-of-t-swapped", states=_formula(lambda rho, t: paper_form(rho, 1 - t))),
                Mutant(name="rho-dropped", states=_formula(lambda rho, t: (1 - rho) ** 2 + (1 - rho) * t)),
                Mutant(name="2-percent-more", states=_formula(lambda rho, t: arb("1.02") * paper_form(rho, t))),
            ),
        ),
        Limit(
            id="LT-T2",
            part="finite-d-measured",
            observe=observe,
            functional="mean",
            bias_class="analytic",
            bias_class_proof="the prediction is the exact expectation at each d, so the bias is zero",
            points=(
                {"rho": "1/4", "B": "exp1"},
                {"rho": "1/2", "B": "two_point"},
                {"rho": "3/4", "B": "uniform"},
            ),
            resolution=0.005,
            resolution_reason="the mutant is 2% off; the exact o(1) is subtracted, so half a percent is cheap",
            readings=(
                Reading(
                    document="P",
                    place="Theorem 2, its o_d(1)",
                    printed="the exact expectation over Haar projectors, d by d",
                    states=exact_risk,
                ),
            ),
            mutants=(Mutant(name="2-percent-more", states=lambda setting: arb("1.02") * exact_risk(setting)),),
        ),
        Identity(
            id="LT-T2",
            part="proof",
            readings=(
                Reading(
                    document="P",
                    place="Theorem 2",
                    printed="the exact expectation (Weingarten), and its limit",
                    states=_proof,
                ),
                Reading(
                    document="O",
                    place="Theorem 2",
                    printed="(1-rho)_+^2 + rho (1-rho)_+ t is the same function",
                    states=lambda setting: _limit_is(poster_form),
                ),
            ),
            mutants=(
                Mutant(name="trace-term-dropped", states=lambda setting: _limit_is(lambda rho, t: (1 - rho) ** 2)),
                Mutant(
                    name="rho-dropped",
                    states=lambda setting: _limit_is(lambda rho, t: (1 - rho) ** 2 + (1 - rho) * t),
                ),
            ),
        ),
    ),
)
