"""The coefficients b_1 and b_* of an activation (T, slide Precise asymptotics).

    b_*^2 = E[sigma(G)^2] - E[sigma(G)]^2 - b_1^2,   b_1 = E[G sigma(G)].

So defined b_*^2 is the least mean square of sigma(G) - a - b G over a and b, and the energy of sigma in Hermite
degrees 2 and more, the sum of lambda_k^2/k! over k >= 2. It is never negative, and zero exactly if sigma is affine.
For the activation at hand b_*^2 is enclosed between the first energies and these plus E sigma'(G)^2 less its first
terms over K + 1.
"""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp
from flint import arb, ctx

from proofs_checks.affine_residual import Energies, Formula, X, energies, polynomial_step, residual_steps
from proofs_checks.ball_function import CannotDecide
from proofs_checks.growth import is_affine
from proofs_checks.hermite import GaussianIntegrals, InfiniteMoment
from theorems.activation import Activation
from theorems.claim import (
    Decision,
    Fact,
    Hypothesis,
    Identity,
    Mutant,
    Prediction,
    Reading,
    Setting,
    Statement,
    Theorem,
)
from theorems.steps import statements

ORDER = 10
"""Energies of degree 2 to 10 are summed; those of ReLU and tanh leave less than 2% of b_*^2 beyond."""
NEGLIGIBLE = "1e-30"
"""Integrals are certified to forty digits; differences below thirty are rounding of these."""


def symbols(setting: Setting) -> Mapping[str, arb]:
    return {"b_1": setting.activation.b1(), "b_star": setting.activation.b_star()}


def _energies(sigma: Activation) -> Energies:
    coefficients = [sigma.hermite(k) for k in range(ORDER + 1)]
    try:
        # Across a jump sigma' is no function, and the sum of k lambda_k^2/k! is infinite.
        smooth = None if sigma.jumps else GaussianIntegrals(sp.diff(sigma.expression, X)).second_moment()
    except (CannotDecide, InfiniteMoment):
        smooth = None
    return energies(coefficients, smooth)


def _of_this_activation(sigma: Activation, formula: Formula) -> Statement:
    """Exactly for a polynomial; between two certified sums otherwise."""
    expression = sigma.expression.xreplace(dict.fromkeys(sigma.expression.free_symbols, X))
    if is_affine(expression):
        expression = sp.expand(expression.subs(X, 0) + (expression.subs(X, 1) - expression.subs(X, 0)) * X)
    if expression.is_polynomial(X):
        return statements((polynomial_step(expression, formula),))[0]
    with ctx.workprec(256):
        value = formula(sigma.second_moment(), sigma.hermite(0), sigma.hermite(1))
        sums = _energies(sigma)
        above, below = value - sums.least, None if sums.most is None else sums.most - value
    upper = "no bound, since sigma' is not square-integrable" if sums.most is None else sums.most.str(8, radius=False)
    reason = f"{value.str(8, radius=False)} against energies from {sums.least.str(8, radius=False)} to {upper}"
    gaps = [gap for gap in (above, below) if gap is not None]
    # An entire function may leave less beyond degree K than its integrals are known to: agreement then, and no proof.
    blurred = any(gap.contains(0) and not gap.rad() < arb(NEGLIGIBLE) for gap in gaps)
    holds = None if blurred else not any(gap < 0 for gap in gaps)
    return Fact(f"b_*^2 of {sigma.text}", Decision(holds, reason), certain=all(gap > 0 for gap in gaps))


def _sign(sigma: Activation) -> Fact:
    """b_*^2 > 0 unless sigma is affine."""
    if is_affine(sigma.expression):
        return Fact("b_*^2 = 0", Decision(bool(sigma.b_star() == 0), "sigma is affine, and b_* is zero"), certain=True)
    value = sigma.b_star()
    holds = True if value > 0 else None
    return Fact("b_*^2 > 0", Decision(holds, f"sigma is not affine, and b_* = {value.str(12)}"), certain=True)


def _states(formula: Formula) -> Prediction:
    def states(setting: Setting) -> tuple[Statement, ...]:
        sigma = setting.activation
        return (*statements(residual_steps(formula)), _of_this_activation(sigma, formula), _sign(sigma))

    return states


def _finite(setting: Setting) -> Decision:
    try:
        moment = setting.activation.second_moment()
    except InfiniteMoment as reason:
        return Decision(False, str(reason))
    except CannotDecide as reason:
        return Decision(False if setting.activation.real().holds is False else None, str(reason))
    return Decision(True, f"E sigma(G)^2 = {moment.str(8, radius=False)}")


SQUARE_INTEGRABLE = Hypothesis(name="E sigma(G)^2", text="sigma is real and E sigma(G)^2 is finite", check=_finite)


THEOREM = Theorem(
    slug="ridge-coefficients",
    title="The linear and the nonlinear part of an activation",
    source="T, slide Precise asymptotics",
    latex=r"b_*^2 = \mathbb{E}[\sigma(G)^2] - \mathbb{E}[\sigma(G)]^2 - b_1^2,\quad b_1 = \mathbb{E}[G\sigma(G)]",
    symbols=("b_1", "b_star"),
    evaluate=symbols,
    value=lambda setting: setting.activation.b_star(),
    value_name="b_*",
    activation="relu",
    takes_activation=True,
    hypotheses=(SQUARE_INTEGRABLE,),
    claims=(
        Identity(
            id="TL-COEF",
            readings=(
                Reading(
                    document="T",
                    place="slide Precise asymptotics",
                    printed="b_*^2 = E[sigma(G)^2] - E[sigma(G)]^2 - b_1^2, b_1 = E[G sigma(G)]",
                    scan="b_* is also printed with a bar and as b_x: one and the same number",
                    states=_states(lambda second, mean, slope: second - mean * mean - slope * slope),
                ),
            ),
            mutants=(
                Mutant(name="mean-left-in", states=_states(lambda second, mean, slope: second - slope * slope)),
                Mutant(
                    name="b_1-not-squared", states=_states(lambda second, mean, slope: second - mean * mean - slope)
                ),
                Mutant(name="linear-part-left-in", states=_states(lambda second, mean, slope: second - mean * mean)),
            ),
        ),
    ),
)
