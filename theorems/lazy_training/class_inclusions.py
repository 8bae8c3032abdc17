"""RF and NT as inner bounds of NN (P, Section 1).

F_RF(W) is contained in F_NN,N: fix the first-layer weights at W and put c = 0. The inclusion is strict.

F_NT(W) is contained in the closure of F_NN,2N: the network of 2N neurons with weights w_i + eps a_i and w_i and
coefficients 1/eps and -1/eps is the difference quotient, and tends to sum <a_i, x> sigma'(<w_i, x>) in L2 for
x ~ N(0, I_d) as eps -> 0. For polynomials the mean square error is a polynomial in eps without constant term, for
(x)_+ it is of order eps. The paper prints no condition on sigma but A1 (growth, not affine), and that is not enough:
with sigma(x) = |x|^(1/2) the elements of F_NT have infinite norm and are in no closure, and for a function with a
jump the quotient does not converge. It holds if sigma is absolutely continuous with E sigma'(sG)^2 finite beyond
s = |w_i|.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp

from proofs_checks import difference_quotient as quotient
from theorems.claim import (
    Bound,
    Decision,
    Equation,
    Erratum,
    Fact,
    Identity,
    Mutant,
    Prediction,
    Reading,
    Setting,
    Statement,
    Theorem,
)

SIGMA = sp.Function("sigma")
a1, a2, u1, u2 = sp.symbols("a1 a2 u1 u2", real=True)
POLYNOMIALS: tuple[tuple[str, Callable[[sp.Expr], sp.Expr]], ...] = (
    ("x^2", lambda x: x**2),
    ("x^3", lambda x: x**3),
    ("x^4 - x", lambda x: x**4 - x),
)


def _inclusion(offset: int) -> Prediction:
    """An element of RF is the element of NN with the same weights and coefficients and this constant."""

    def states(setting: Setting) -> tuple[Statement, ...]:
        features = a1 * SIGMA(u1) + a2 * SIGMA(u2)
        network = offset + a1 * SIGMA(u1) + a2 * SIGMA(u2)
        return (Equation("RF inside NN", features, network), _strict())

    return states


def _independence() -> Any:
    """det of the forms w_1 w_1^T, w_2 w_2^T, v v^T in R^2, w = e_1, e_2 and v = e_1 + e_2: nonzero iff independent."""
    vectors = ((1, 0), (0, 1), (1, 1))
    return sp.Matrix([[x * x, y * y, x * y] for x, y in vectors]).det()


def _strict() -> Bound:
    return Bound("strictly: <v,x>^2 is no combination of <w_i,x>^2", sp.Integer(0), _independence() ** 2, strict=True)


def _converse(setting: Setting) -> tuple[Statement, ...]:
    return (Equation("NN inside RF: <v,x>^2 is a combination", _independence(), sp.Integer(0)),)


def _vanishing(name: str, error: sp.Expr) -> Equation:
    limit = sp.limit(error, quotient.epsilon, 0, "+")
    return Equation(f"{name}: the mean square error as eps -> 0", limit, sp.Integer(0))


def _closure(quotient_power: int = 1, tangent: int = 1) -> Prediction:
    def states(setting: Setting) -> tuple[Statement, ...]:
        errors = [(name, quotient.polynomial_error(sigma, quotient_power, tangent)) for name, sigma in POLYNOMIALS]
        return (*(_vanishing(name, error) for name, error in errors), _vanishing("(x)_+", quotient.ramp_error()))

    return states


def _quadratic_rate(setting: Setting) -> tuple[Statement, ...]:
    """For sigma(x) = x^2 the error is eps <a,x>^2, so its square has mean 3 eps^2 |a|^4."""
    error = quotient.polynomial_error(POLYNOMIALS[0][1])
    length2 = quotient.r**2 + quotient.q**2
    return (Equation("x^2: the error is exactly 3 eps^2 |a|^4", error, 3 * quotient.epsilon**2 * length2**2),)


def _with_rate(setting: Setting) -> tuple[Statement, ...]:
    return (*_closure()(setting), *_quadratic_rate(setting))


def _square_integrable(*powers: Any) -> Prediction:
    """Whether <a,x> sigma'(<w,x>) has a finite norm for sigma(x) = |x|^p."""

    def states(setting: Setting) -> tuple[Statement, ...]:
        moments = {power: quotient.derivative_moment(power) for power in powers}
        values = {power: moment if moment.is_finite else "infinite" for power, moment in moments.items()}
        reason = "E sigma'(G)^2 is " + ", ".join(f"{value} for |x|^({power})" for power, value in values.items())
        finite = all(moment.is_finite for moment in moments.values())
        return (Fact("the elements of NT are in L2", Decision(finite, reason), certain=True),)

    return states


def _step(setting: Setting) -> tuple[Statement, ...]:
    return (_vanishing("1{x > 0}", quotient.step_error()),)


def _ramp(setting: Setting) -> tuple[Statement, ...]:
    return (_vanishing("(x)_+", quotient.ramp_error()),)


CONDITION = "sigma absolutely continuous with E sigma'(sG)^2 finite, here |x|^p with p > 1/2"

THEOREM = Theorem(
    slug="class-inclusions",
    title="Random features and neural tangent as inner bounds of neural networks",
    source="P, Section 1",
    latex=(
        r"\mathcal{F}_{\mathrm{RF},N}(W)\subseteq\mathcal{F}_{\mathrm{NN},N},\qquad "
        r"\mathcal{F}_{\mathrm{NT},N}(W)\subseteq\mathrm{cl}(\mathcal{F}_{\mathrm{NN},2N})"
    ),
    claims=(
        Identity(
            id="LT-I1",
            readings=(
                Reading(
                    document="P",
                    place="1, Inner bounds",
                    printed="F_RF,N(W) is contained in F_NN,N",
                    states=_inclusion(0),
                ),
            ),
            mutants=(
                Mutant(name="the-converse", states=_converse),
                Mutant(name="another-constant", states=_inclusion(1)),
            ),
        ),
        Identity(
            id="LT-I2",
            readings=(
                Reading(
                    document="P",
                    place="1, Inner bounds",
                    printed="(sigma(<w + eps a, x>) - sigma(<w, x>))/eps = <a, x> sigma'(<w, x>) + o(1)",
                    states=_with_rate,
                ),
            ),
            mutants=(
                Mutant(name="not-divided-by-eps", states=_closure(quotient_power=0)),
                Mutant(name="twice-the-derivative", states=_closure(tangent=2)),
                Mutant(name="divided-by-eps-squared", states=_closure(quotient_power=2)),
            ),
        ),
        Identity(
            id="LT-I2",
            part="any-activation",
            readings=(
                Reading(
                    document="P",
                    place="1, Inner bounds, for any sigma that satisfies A1",
                    printed="F_NT(W) is contained in cl(F_NN,2N)",
                    states=_square_integrable(sp.Rational(1, 2), sp.Integer(1), sp.Integer(2)),
                    erratum=Erratum(
                        corrected=CONDITION,
                        states=_square_integrable(sp.Rational(51, 100), sp.Integer(1), sp.Integer(2)),
                    ),
                ),
            ),
            mutants=(Mutant(name="the-square-root-will-do", states=_square_integrable(sp.Rational(1, 2))),),
        ),
        Identity(
            id="LT-I2",
            part="jump",
            readings=(
                Reading(
                    document="P",
                    place="1, Inner bounds, for a sigma with a jump",
                    printed="the difference quotient converges to <a, x> sigma'(<w, x>)",
                    states=_step,
                    erratum=Erratum(corrected="sigma continuous, kinks such as that of (x)_+ allowed", states=_ramp),
                ),
            ),
            mutants=(Mutant(name="a-jump-will-do", states=_step),),
        ),
    ),
)
