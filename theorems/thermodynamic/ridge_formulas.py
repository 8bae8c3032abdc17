"""The polynomials E_0, E_1, E_2 and B = E_1/E_0, V = E_2/E_0 (T, slide Explicit formulae).

They are compared with a second derivation that knows neither nu_1, nu_2 nor the polynomials: the noisy linear features
make the problem an ordinary ridge regression with a random covariance, whose bias and variance are known functions of
Marchenko-Pastur traces (proofs_checks/feature_ridge_equivalent.py). Both routes have their one unknown, chi here and
kappa there; with each expressed by the other the equations coincide and the results are equal as rational functions, so
that the print is proved from those equivalents. That the nonlinear features behave like noisy linear ones is sampled
(TL-RIDGE, TL-EQ).
"""

from __future__ import annotations

from random import Random
from typing import Any

from flint import arb, ctx

from proofs_checks import feature_ridge_steps as steps
from proofs_checks.feature_ridge import ridge_risk
from proofs_checks.feature_ridge_equivalent import equivalence_steps, equivalent_risk
from proofs_checks.feature_ridge_steps import printed_polynomials
from theorems.claim import Decision, Fact, Identity, Mutant, Prediction, Reading, Setting, Statement, Theorem
from theorems.steps import statements
from theorems.thermodynamic.random_feature_ridge import ACTIVATION, regime, symbols

RANGES = {"zeta": (0.05, 20.0), "psi1": (0.05, 50.0), "psi2": (0.05, 50.0), "lambda_bar": (1e-8, 1e3)}
POINTS = 40
DIGITS = 25


def _formulas(polynomials: steps.Polynomials) -> Prediction:
    """These polynomials, at -chi = p, against the sums of positive terms whose ratios are B and V."""

    def states(setting: Setting) -> tuple[Statement, ...]:
        return statements(steps.polynomial_steps(polynomials))

    return states


def _proof(setting: Setting) -> tuple[Statement, ...]:
    return (
        *statements(steps.cancellation_steps()),
        *statements(equivalence_steps()),
        _two_routes([_inputs(setting)], "in this setting"),
        _two_routes(_random_points(), "at random points"),
    )


def _inputs(setting: Setting) -> tuple[arb, ...]:
    place = regime(setting)
    return place.zeta, place.psi1, place.psi2, place.lambda_bar


def _random_points() -> list[tuple[arb, ...]]:
    """Log-uniform over the whole range of the parameters."""
    rng = Random(0)
    return [tuple(arb(low * (high / low) ** rng.random()) for low, high in RANGES.values()) for _ in range(POINTS)]


def _two_routes(points: list[tuple[arb, ...]], where: str) -> Fact:
    """Balls of relative radius below 10^-25 from both routes that meet."""
    agree, widest = True, arb(0)
    for place in points:
        first, second = ridge_risk(*place), equivalent_risk(*place)
        with ctx.workprec(160):
            for one, other in ((first.bias, second[0]), (first.variance, second[1])):
                difference = abs(one / other - 1)
                agree = agree and bool(difference.contains(0))
                widest = widest.max(difference.upper())
    # Coefficients of an activation that are known to fewer digits make it evidence only.
    sharp = bool(widest < arb(10) ** -DIGITS)
    reason = f"B and V agree within {float(widest):.1e} at {len(points)} points"
    return Fact(f"two routes to B and V, {where}", Decision(agree, reason), certain=sharp or not agree)


def _one_term_dropped(zeta: Any, psi1: Any, psi2: Any, chi: Any) -> tuple[Any, Any, Any]:
    e0, e1, e2 = printed_polynomials(zeta, psi1, psi2, chi)
    return e0 - 3 * psi1 * psi2 * chi * zeta**2, e1, e2


def _sign_changed(zeta: Any, psi1: Any, psi2: Any, chi: Any) -> tuple[Any, Any, Any]:
    e0, e1, e2 = printed_polynomials(zeta, psi1, psi2, chi)
    return e0, e1, e2 - 4 * chi**3 * zeta**4


def _ratios_swapped(zeta: Any, psi1: Any, psi2: Any, chi: Any) -> tuple[Any, Any, Any]:
    return printed_polynomials(zeta, psi2, psi1, chi)


def _numerators_swapped(zeta: Any, psi1: Any, psi2: Any, chi: Any) -> tuple[Any, Any, Any]:
    e0, e1, e2 = printed_polynomials(zeta, psi1, psi2, chi)
    return e0, e2, e1


THEOREM = Theorem(
    slug="ridge-formulas",
    title="Bias and variance of feature ridge regression in closed form",
    source="T, slide Explicit formulae",
    latex=r"\mathscr{B} = \frac{\mathscr{E}_1}{\mathscr{E}_0},\qquad \mathscr{V} = \frac{\mathscr{E}_2}{\mathscr{E}_0}",
    parameters={"psi1": 2, "psi2": 1, "ridge": "1/10", "noise": 0},
    symbols=("psi1", "psi2", "ridge", "b_1", "b_star", "zeta", "lambda_bar", "chi"),
    evaluate=symbols,
    value=lambda setting: ridge_risk(*_inputs(setting)).bias,
    value_name="B",
    activation="relu",
    takes_activation=True,
    hypotheses=(ACTIVATION,),
    uses=("ridge-equations", "ridge-zeta"),
    claims=(
        Identity(
            id="TL-E012",
            readings=(
                Reading(
                    document="T",
                    place="slide Explicit formulae",
                    printed="B = E_1/E_0, V = E_2/E_0 with E_0, E_1, E_2 polynomials in chi, zeta, psi1, psi2",
                    states=_proof,
                ),
            ),
            mutants=(
                Mutant(name="E_0-without-its-term-in-chi-zeta^2", states=_formulas(_one_term_dropped)),
                Mutant(name="E_2-with-a-sign-changed", states=_formulas(_sign_changed)),
                Mutant(name="psi1-and-psi2-swapped", states=_formulas(_ratios_swapped)),
                Mutant(name="E_1-and-E_2-swapped", states=_formulas(_numerators_swapped)),
            ),
        ),
    ),
)
