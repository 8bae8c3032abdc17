"""The summary of the three regimes on quadratic functions (P, (13); T, slide Comparison), line by line.

x ~ N(0, I_d), f(x) = <x, Bx> - Tr B with B >= 0, sigma(x) = x^2 - 1 for RF and x^2 for NT and NN, w_i ~ N(0, I_d/d) for
RF and NT, t = Tr(B)^2/(d ||B||^2), rho = N/d, l_1 >= l_2 >= ... the eigenvalues of B:

    RF   1 - rho t/(1 + rho)
    NT   (1-rho)_+^2 + rho (1-rho)_+ t                (T)
         (1-rho)_+^2 + rho (1-rho)_+ + t              (P)
    NN   1 - sum_{i <= N, d} l_i^2/||B||^2.

The second print of NT has a plus sign where its own Theorem 2 has a product: it equals (1-rho)_+ + t, which
is t > 0 for rho >= 1, where the risk is exactly zero, and exceeds 1, the trivial risk, for rho < t.

T divides by E f^2 and does not say E f = 0. Its classes NT and NN contain the constants, so their risk does not see
the mean mu of f, but E f^2 = 2 ||B||^2 + mu^2 does: the lines hold if and only if mu = 0 (part "mean-not-zero").
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp
from flint import arb

from proofs_checks import haar_projector as haar
from proofs_checks.low_rank_approximation import EIGENVALUES, SHARES, best_rank_steps
from theorems.claim import (
    Bound,
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
from theorems.lazy_training.nt_risk import observe as observe_tangent
from theorems.lazy_training.nt_risk import positive_part, poster_form, symbols
from theorems.lazy_training.rf_quadratic_activation import quadratic_risk
from theorems.lazy_training.rf_risk import BIAS_CLASS, LADDER
from theorems.lazy_training.rf_risk import observe as observe_features
from theorems.steps import statements

Form = Callable[[Any, Any], Any]
"""A line of the summary as a function of rho (at most 1 for NT) and t, for balls as well as for SymPy symbols."""
UNIT = {haar.rho: (sp.Integer(0), sp.Integer(1)), haar.t: (sp.Integer(0), sp.Integer(1))}


def features_line(rho: Any, t: Any) -> Any:
    """The RF line, the same in both documents."""
    return 1 - rho / (1 + rho) * t


def _plus_for_times(rho: Any, t: Any) -> Any:
    """The NT line of P as printed."""
    return (1 - rho) ** 2 + rho * (1 - rho) + t


def _formula(form: Form, clipped: bool) -> Prediction:
    def states(setting: Setting) -> arb:
        value = symbols(setting)
        return form(positive_part(value["rho"]) if clipped else value["rho"], value["t"])

    return states


def _isotropic_features(setting: Setting) -> Observation:
    return observe_features(
        Setting({**setting.parameters, "Gamma": "isotropic"}, setting.dimension, setting.activation)
    )


def _features(form: Form) -> Statement:
    line = quadratic_risk(haar.rho, haar.t, sp.Integer(1))
    return Equation("RF: (12) at Gamma = I/d", line, form(haar.rho, haar.t), {haar.t: UNIT[haar.t]})


def _tangent(form: Form) -> tuple[Statement, ...]:
    return (
        Equation("NT: the limit of the exact risk, rho <= 1", haar.nt_risk_limit(), form(haar.rho, haar.t), UNIT),
        Equation("NT: no risk at rho = 1", sp.Integer(0), form(sp.Integer(1), haar.t), {haar.t: UNIT[haar.t]}),
    )


def _network(kept: Callable[[Any, Any, Any], Any]) -> tuple[Statement, ...]:
    """In R^3 with two neurons the risk is 1 - kept/||B||^2; the general case is Cauchy's interlacing."""
    norm2 = sum((value**2 for value in EIGENVALUES), sp.S.Zero)
    share = {SHARES[0]: 0, SHARES[1]: 0, SHARES[2]: 1}
    lost = next(step.left for step in best_rank_steps() if step.relation == "=").subs(share)
    return (
        *statements(best_rank_steps()),
        Equation("NN: what is kept of ||B||^2", norm2 - lost, kept(*EIGENVALUES)),
    )


def _two_largest(first: Any, second: Any, third: Any) -> Any:
    return first**2 + second**2


def _summary(tangent: Form) -> Prediction:
    return lambda setting: (_features(features_line), *_tangent(tangent), *_network(_two_largest))


def _network_line(kept: Callable[[Any, Any, Any], Any]) -> Prediction:
    return lambda setting: _network(kept)


def _order(smaller: str, larger: str) -> Prediction:
    """A wrong order of the regimes at rho = 1/2, t = 1: RF 2/3, NT 1/2, and NN 1/2 for B = I."""
    lines = {
        "RF": features_line(sp.Rational(1, 2), sp.Integer(1)),
        "NT": poster_form(sp.Rational(1, 2), sp.Integer(1)),
    }
    return lambda setting: (Bound(f"{smaller} < {larger}", lines[smaller], lines[larger], strict=True),)


def _normalised(mean: Any) -> Prediction:
    """NT risk over E f^2 for a target of this mean, against the risk over 2 ||B||^2 (t = 1/2, rho = 1/2, d -> inf)."""
    norm2 = sp.Symbol("b", positive=True)  # ||B||^2
    line = poster_form(sp.Rational(1, 2), sp.Rational(1, 2))
    return lambda setting: (
        Equation("risk over E f^2", 2 * norm2 * line / (2 * norm2 + mean**2), line, {norm2: (1, 10)}),
    )


ERRATUM = "(1-rho)_+^2 + rho (1-rho)_+ t, the product that Theorem 2 has"

THEOREM = Theorem(
    slug="summary-quadratic",
    title="The three regimes on quadratic functions, side by side",
    source="P, (13); T, slide Comparison",
    latex=(
        r"\frac{R}{\|f_*\|^2} \approx 1-\frac{\rho}{1+\rho}t\ (\mathrm{RF}),\quad (1-\rho)_+^2+\rho(1-\rho)_+t\ "
        r"(\mathrm{NT}),\quad 1-\frac{\sum_{i\le d\wedge N}\lambda_i(B)^2}{\|B\|_F^2}\ (\mathrm{NN})"
    ),
    parameters={"rho": "1/2", "B": "two_point"},
    symbols=("rho", "t"),
    evaluate=symbols,
    activation="x**2 - 1",
    uses=("rf-quadratic-activation", "nt-quadratic"),
    claims=(
        Identity(
            id="LT-E13",
            readings=(
                Reading(
                    document="P",
                    place="(13)",
                    printed="RF: 1 - rho t/(1+rho); NT: (1-rho)_+^2 + rho (1-rho)_+ + t; NN: 1 - sum l_i^2/||B||^2",
                    states=_summary(_plus_for_times),
                    erratum=Erratum(corrected=f"its NT line is {ERRATUM}", states=_summary(poster_form)),
                ),
                Reading(
                    document="T",
                    place="slide Comparison",
                    printed="RF: 1 - psi_1 t/(1+psi_1); NT: (1-psi_1)_+^2 + psi_1 (1-psi_1)_+ t; NN: the same",
                    states=_summary(poster_form),
                ),
            ),
            mutants=(
                Mutant(name="features-below-tangent", states=_order("RF", "NT")),
                Mutant(name="rho-lost", states=_summary(lambda rho, t: (1 - rho) ** 2 + (1 - rho) * t)),
            ),
        ),
        Limit(
            id="LT-E13",
            part="RF",
            observe=_isotropic_features,
            ladder=LADDER,
            bias_class=BIAS_CLASS,
            points=({"rho": "1", "B": "isotropic"}, {"rho": "1/2", "B": "isotropic"}, {"rho": "1"}),
            resolution=0.02,
            resolution_reason="the smallest mutant moves the risk by 10% or more at one of the points",
            readings=(
                Reading(
                    document="P",
                    place="(13), first line",
                    printed="1 - (rho/(1+rho)) Tr(B)^2/(d ||B||^2)",
                    states=_formula(features_line, False),
                ),
                Reading(
                    document="T",
                    place="slide Comparison, first line",
                    printed="1 - (psi_1/(1+psi_1)) Tr(B)^2/(d ||B||^2)",
                    states=_formula(features_line, False),
                ),
            ),
            mutants=(
                Mutant(name="no-saturation", states=_formula(lambda rho, t: 1 - rho / 2 * t, False)),
                Mutant(name="2-for-1", states=_formula(lambda rho, t: 1 - rho / (2 + rho) * t, False)),
                Mutant(name="t-dropped", states=_formula(lambda rho, t: 1 / (1 + rho), False)),
            ),
        ),
        Limit(
            id="LT-E13",
            part="NT",
            observe=observe_tangent,
            functional="mean",
            bias_class="analytic",
            bias_class_proof="the exact finite-d expectation is a rational function of d",
            points=({"rho": "1/4", "B": "exp1"}, {"rho": "1/2"}, {"rho": "3/4", "B": "uniform"}),
            resolution=0.02,
            resolution_reason="the smallest mutant is 4% off at one of the points",
            readings=(
                Reading(
                    document="P",
                    place="(13), second line",
                    printed="(1-rho)_+^2 + rho (1-rho)_+ + Tr(B)^2/(d ||B||^2)",
                    states=_formula(_plus_for_times, True),
                    erratum=Erratum(corrected=ERRATUM, states=_formula(poster_form, True)),
                ),
                Reading(
                    document="T",
                    place="slide Comparison, second line",
                    printed="(1-psi_1)_+^2 + psi_1 (1-psi_1)_+ Tr(B)^2/(d ||B||^2)",
                    states=_formula(poster_form, True),
                ),
            ),
            mutants=(
                Mutant(name="plus-for-times", states=_formula(_plus_for_times, True)),
                Mutant(name="trace-term-dropped", states=_formula(lambda rho, t: (1 - rho) ** 2, True)),
                Mutant(name="rho-lost", states=_formula(lambda rho, t: (1 - rho) ** 2 + (1 - rho) * t, True)),
                Mutant(name="4-percent-more", states=_formula(lambda r, t: arb("1.04") * poster_form(r, t), True)),
            ),
        ),
        Identity(
            id="LT-E13",
            part="NN",
            readings=(
                Reading(
                    document="P",
                    place="(13), third line",
                    printed="1 - sum_{i <= d, N} l_i(B)^2/||B||^2",
                    states=_network_line(_two_largest),
                ),
                Reading(
                    document="T",
                    place="slide Comparison, third line",
                    printed="1 - sum_{i <= d, N} l_i(B)^2/||B||^2",
                    states=_network_line(_two_largest),
                ),
            ),
            mutants=(
                Mutant(name="one-direction-fewer", states=_network_line(lambda a, b, c: a**2)),
                Mutant(name="the-smallest-directions", states=_network_line(lambda a, b, c: b**2 + c**2)),
                Mutant(name="eigenvalues-not-squared", states=_network_line(lambda a, b, c: a + b)),
            ),
        ),
        Identity(
            id="LT-E13",
            part="mean-not-zero",
            readings=(
                Reading(
                    document="T",
                    place="slide Comparison, f = b0 + <x, Bx> with any b0",
                    printed="R/E{f^2} is the line, whatever the mean of f",
                    states=_normalised(sp.Symbol("mu", positive=True)),
                    erratum=Erratum(corrected="it needs E f = 0, as in the paper", states=_normalised(sp.Integer(0))),
                ),
            ),
            mutants=(Mutant(name="mean-one", states=_normalised(sp.Integer(1))),),
        ),
    ),
)
