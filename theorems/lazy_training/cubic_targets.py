"""The neural tangent class on polynomials of degree three and more, N = O(d) (P, 1.1 (i) and footnote 3; O).

P: they "cannot be approximated nontrivially" by F_NT,N(W); O: NT "does not achieve vanishing risk at any rho" on them.
Here x ~ N(0, I_d), as everywhere else in these documents (the source they quote has x on a sphere). Then:

generic     f uniformly random among the polynomials of pure degree l >= 3 (orthogonal to all of lower degree): whatever
            sigma, the share captured is at most N d/binom(d+l-1, l) on average, and vanishes for N = O(d).
x^2         with sigma(x) = x^2 the class has pure degrees 0 and 2 only: of pure degree l >= 3 nothing is captured.
not pure    |x|^4 has degree 4, and sigma(x) = x^2 with N >= d leaves 1/(d+3) of its variance: both prints are false
            without the word "pure".
trace part  f = <beta,x> (|x|^2 - d - 2) has pure degree 3, and sigma'(u) = u^2 - 1 reaches
            E R <= 1 - N(d+2)/((d+4)(N+d+2)) -> 1/(1+rho) on it (a_i = c beta), which is the limit of the risk: the
            "low-dimensional subspace of higher-order polynomials" of the paper's footnote. P's (i) is false there; O's
            statement is not, since 1/(1+rho) > 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp
from flint import arb

from proofs_checks import polynomial_chaos as chaos
from simulate.tangent_cubic import cubic_risk_cost
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
from theorems.lazy_training.width import actual_ratio, neurons

DEGREES = (3, 4, 5, 6)
HALF_TO_TWO = {chaos.rho: (sp.Rational(1, 2), sp.Integer(2))}


def _generic(width: sp.Expr, degrees: tuple[int, ...]) -> tuple[Statement, ...]:
    """The share captured of a generic polynomial, with this many neurons, vanishes."""
    return tuple(
        Equation(
            f"degree {degree}: the share captured, at most N d/binom(d+l-1, l)",
            sp.limit(chaos.generic_share(degree).subs(chaos.N, width), chaos.d, sp.oo),
            sp.Integer(0),
            HALF_TO_TWO,
        )
        for degree in degrees
    )


def _generic_result(power: int = 1, degrees: tuple[int, ...] = DEGREES) -> Prediction:
    """The same with N = rho d^power."""
    return lambda setting: _generic(chaos.rho * chaos.d**power, degrees)


def _quartic(setting: Setting) -> tuple[Statement, ...]:
    """P, for f = |x|^4, sigma(x) = x^2, N >= d: the risk tends to the trivial one."""
    return (Equation("|x|^4: what is left", sp.limit(chaos.quartic_residual(), chaos.d, sp.oo), sp.Integer(1)),)


def _quartic_not_vanishing(setting: Setting) -> tuple[Statement, ...]:
    """O, for the same f."""
    left = sp.limit(chaos.quartic_residual(), chaos.d, sp.oo)
    return (Bound("|x|^4: the limit of the risk is positive", sp.Integer(0), left, strict=True),)


def _pure_only(setting: Setting) -> tuple[Statement, ...]:
    """The correction: |x|^4 with its exact residual on one side, generic pure polynomials on the other."""
    residual = Equation("|x|^4: 1/(d+3) is left", chaos.quartic_residual(), 1 / (chaos.d + 3))
    return (residual, *_generic_result()(setting))


def _orthogonality(quartic: sp.Expr) -> Prediction:
    """Of pure degree 4 (or 3, odd), nothing is seen by constants and quadratic forms; x_1^2 stands for the latter."""
    domain = {chaos.d: (sp.Integer(1), sp.Integer(100))}
    return lambda setting: (
        Equation("E f = 0", chaos.radial_mean(quartic), sp.Integer(0), domain),
        Equation("E f x_1^2 = 0", chaos.weighted_mean(quartic), sp.Integer(0), domain),
        Equation("E f |x|^2 = 0", chaos.radial_mean(quartic * chaos.S), sp.Integer(0), domain),
    )


def _trace_part_bound() -> sp.Expr:
    return sp.limit(chaos.exceptional_cubic_risk().subs(chaos.N, chaos.rho * chaos.d), chaos.d, sp.oo)


def _trace_part_trivial(setting: Setting) -> tuple[Statement, ...]:
    """P: the risk tends to 1, so no upper bound is below 1."""
    return (Bound("trace part: 1 <= an upper bound of the risk", sp.Integer(1), _trace_part_bound(), False, None,
                  HALF_TO_TWO),)  # fmt: skip


def _trace_part(exact: sp.Expr) -> Prediction:
    return lambda setting: (
        Equation("trace part: the upper bound of E R/E f^2", chaos.exceptional_cubic_risk(), exact),
        Equation("trace part: its limit", _trace_part_bound(), 1 / (1 + chaos.rho)),
        *_generic_result()(setting),
    )


UPPER = 1 - chaos.N * (chaos.d + 2) / ((chaos.d + 4) * (chaos.N + chaos.d + 2))


def _observe(setting: Setting) -> Observation:
    assert setting.dimension is not None
    width = neurons(setting)
    return Observation(
        simulator="simulate.tangent_cubic:cubic_risk",
        dimension=setting.dimension,
        arguments={"neurons": width},
        cost=cubic_risk_cost(setting.dimension, width),
    )


def symbols(setting: Setting) -> dict[str, arb]:
    """rho in this setting."""
    ratio = actual_ratio(setting)
    return {"rho": arb(ratio.numerator) / ratio.denominator}


def _formula(form: Callable[[arb], Any]) -> Prediction:
    return lambda setting: form(symbols(setting)["rho"])


def _limit(rho: arb) -> arb:
    return 1 / (1 + rho)


GENERIC = "for generic polynomials of pure degree: at most N d/binom(d+l-1, l) of them is captured"

THEOREM = Theorem(
    slug="cubic-targets",
    title="The neural tangent class on polynomials of degree three and more",
    source="P, Section 1.1 (i) and footnote 3; O, How General are these Phenomena?",
    latex=r"\mathbb{E}\,\frac{\|\Pi_{\mathrm{NT}}f\|^2}{\|f\|^2} \le \frac{Nd}{\binom{d+\ell-1}{\ell}}",
    parameters={"rho": 1},
    symbols=("rho",),
    evaluate=symbols,
    value=_formula(_limit),
    value_name="the risk of the neural tangent class on a generic cubic",
    uses=("nt-span",),
    claims=(
        Identity(
            id="LT-I4",
            readings=(
                Reading(
                    document="P",
                    place="1.1 (i)",
                    printed="third- and higher-order polynomials cannot be approximated nontrivially by F_NT,N(W)",
                    states=_quartic,
                    erratum=Erratum(corrected=GENERIC, states=_pure_only),
                ),
                Reading(
                    document="O",
                    place="How General are these Phenomena?",
                    printed="for third- or higher-order polynomials, NT does not achieve vanishing risk at any rho",
                    states=_quartic_not_vanishing,
                    erratum=Erratum(corrected=GENERIC, states=_pure_only),
                ),
            ),
            mutants=(
                Mutant(name="quadratics-too", states=_generic_result(degrees=(2,))),
                Mutant(name="with-d-squared-neurons", states=_generic_result(power=2, degrees=(3,))),
            ),
        ),
        Identity(
            id="LT-I4",
            part="quadratic-activation",
            readings=(
                Reading(
                    document="P",
                    place="1.1 (i), sigma(x) = x^2, pure degree",
                    printed="nothing of pure degree three and more is captured (shown for the trace part of degree 4)",
                    states=_orthogonality(chaos.PURE_QUARTIC),
                ),
                Reading(
                    document="O",
                    place="How General are these Phenomena?, sigma(x) = x^2, pure degree",
                    printed="nothing of pure degree three and more is captured (shown for the trace part of degree 4)",
                    states=_orthogonality(chaos.PURE_QUARTIC),
                ),
            ),
            mutants=(
                Mutant(name="not-pure", states=_orthogonality(chaos.S**2)),
                Mutant(name="only-centred", states=_orthogonality(chaos.S**2 - chaos.d * (chaos.d + 2))),
            ),
        ),
        Identity(
            id="LT-I4",
            part="trace-part",
            readings=(
                Reading(
                    document="P",
                    place="1.1 (i), f = <beta,x> (|x|^2 - d - 2)",
                    printed="cannot be approximated nontrivially",
                    states=_trace_part_trivial,
                    erratum=Erratum(
                        corrected="E R <= 1 - N(d+2)/((d+4)(N+d+2)) at sigma'(u) = u^2 - 1; generic f are not captured",
                        states=_trace_part(UPPER),
                    ),
                ),
            ),
            mutants=(
                Mutant(name="d-for-d+4", states=_trace_part(UPPER.subs(chaos.d + 4, chaos.d))),
                Mutant(name="twice-as-much", states=_trace_part(2 * UPPER - 1)),
            ),
        ),
        Limit(
            id="LT-I4",
            part="trace-part-measured",
            observe=_observe,
            ladder=(16, 32, 64, 128, 256, 512),
            bias_class="unit",  # a smooth function of traces of the weights, as for random features: powers 1, 3/2, 2
            points=({"rho": "1/8"}, {"rho": "1/4"}, {"rho": "1/2"}),
            resolution=0.04,
            resolution_reason="the smallest mutant is 8% off",
            readings=(
                Reading(
                    document="P",
                    place="1.1 (i), f = <beta,x> (|x|^2 - d - 2), sigma'(u) = u^2 - 1",
                    printed="cannot be approximated nontrivially: the risk tends to 1",
                    states=lambda setting: arb(1),
                    erratum=Erratum(corrected="it tends to 1/(1+rho), as footnote 3 allows", states=_formula(_limit)),
                ),
                Reading(
                    document="O",
                    place="How General are these Phenomena?, the same f",
                    printed="NT does not achieve vanishing risk at any rho (here it tends to 1/(1+rho) > 0)",
                    states=_formula(_limit),
                ),
            ),
            mutants=(
                Mutant(name="2-for-1", states=_formula(lambda rho: 1 / (1 + 2 * rho))),
                Mutant(name="as-for-quadratics", states=_formula(lambda rho: (1 - rho) ** 2)),
                Mutant(name="8-percent-more", states=_formula(lambda rho: arb("1.08") / (1 + rho))),
            ),
        ),
    ),
)
