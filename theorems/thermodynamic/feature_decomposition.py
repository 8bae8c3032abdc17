r"""A feature as a linear part and noise (T, slide Nonlinear features).

The slide writes sigma(<w,x>) = b_1 <w,x> + b_* sigma_perp(<w,x>) beside the noisy linear features b_1 <w,x> + b_* z,
z ~ N(0, 1), with b_1 = E[G sigma(G)] and b_*^2 = E sigma^2 - (E sigma)^2 - b_1^2; <w,x> is G for |w| = 1, Gaussian x.

As an identity it defines sigma_perp = (sigma - b_1 u)/b_*, which is orthogonal to the linear functions. But it takes
the place of z, which has mean 0 and second moment 1, and with b_0 = E sigma(G)

    E sigma_perp = b_0/b_*,   E sigma_perp^2 = 1 + b_0^2/b_*^2,   Var sigma_perp = 1,

so it has the moments of z exactly if b_0 = 0 (tanh, erf), and not for ReLU or |u|. With the mean as a term of its own,
sigma = b_0 + b_1 u + b_* sigma_perp, sigma_perp has mean 0, second moment 1 and no linear part for every sigma.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from theorems.activation import activation
from theorems.claim import Decision, Equation, Erratum, Fact, Identity, Mutant, Reading, Setting, Statement, Theorem
from theorems.thermodynamic.random_feature_ridge import ACTIVATION

u, sigma = sp.symbols("u sigma", real=True)
b_0, b_1 = sp.symbols("b_0 b_1", real=True)
b_star = sp.Symbol("b_star", positive=True)
DOMAIN = {b_0: (-3, 3), b_1: (-3, 3), b_star: (sp.Rational(1, 10), 3)}
MOMENTS = {sigma: b_0, u * sigma: b_1, sigma**2: b_0**2 + b_1**2 + b_star**2, u: 0, u**2: 1}
"""E of the monomials that occur: the definitions of b_0, b_1 and b_*, and G standard Gaussian."""


def _mean(expression: Any) -> Any:
    """E of a polynomial of degree at most two in u and sigma, term by term."""
    terms = sp.Poly(sp.expand(expression), u, sigma).terms()
    return sp.Add(*(c * (MOMENTS[u**i * sigma**j] if i + j else 1) for (i, j), c in terms))


def _perp(constant: Any) -> Any:
    """sigma_perp when `constant` is split off with the linear part."""
    return (sigma - constant - b_1 * u) / b_star


def _defines(setting: Setting) -> tuple[Statement, ...]:
    perp = _perp(0)
    return (
        Equation("sigma = b_1 u + b_* sigma_perp", sigma, b_1 * u + b_star * perp, DOMAIN),
        Equation("E[G sigma_perp] = 0", _mean(u * perp), sp.Integer(0), DOMAIN),
    )


def _no_linear_part(setting: Setting) -> tuple[Statement, ...]:
    """sigma = b_* sigma_perp: the linear part left in the noise."""
    return (Equation("E[G sigma_perp] = 0", _mean(u * sigma / b_star), sp.Integer(0), DOMAIN),)


def _like_z(setting: Setting) -> tuple[Statement, ...]:
    """E sigma_perp = 0 and E sigma_perp^2 = 1 for the activation of this setting, by its certified mean."""
    return (_centred(setting.activation),)


def _centred(sigma_: Any) -> Fact:
    answer = sigma_.mean_zero()
    mean = sigma_.hermite(0) / sigma_.b_star()
    figures = {"E sigma_perp": mean.str(12), "E sigma_perp^2": (1 + mean**2).str(12)}
    reason = f"E sigma_perp = b_0/b_* = {mean.str(6, radius=False)} for {sigma_.text}: {answer.reason}"
    return Fact("sigma_perp has the mean 0 and second moment 1 of z", Decision(answer.holds, reason), True, figures)


def _standardised(setting: Setting) -> tuple[Statement, ...]:
    """With the constant split off, for every activation."""
    perp = _perp(b_0)
    return (
        Equation("sigma = b_0 + b_1 u + b_* sigma_perp", sigma, b_0 + b_1 * u + b_star * perp, DOMAIN),
        Equation("E sigma_perp = 0", _mean(perp), sp.Integer(0), DOMAIN),
        Equation("E[G sigma_perp] = 0", _mean(u * perp), sp.Integer(0), DOMAIN),
        Equation("E sigma_perp^2 = 1", _mean(perp**2), sp.Integer(1), DOMAIN),
    )


def _mean_left_in(setting: Setting) -> tuple[Statement, ...]:
    """b_*^2 = E sigma^2 - b_1^2 with the constant split off all the same."""
    square = (sigma - b_0 - b_1 * u) ** 2 / (b_0**2 + b_star**2)
    return (Equation("E sigma_perp^2 = 1", _mean(square), sp.Integer(1), DOMAIN),)


def _condition(setting: Setting) -> tuple[Statement, ...]:
    perp = _perp(0)
    return (
        Equation("E sigma_perp = b_0/b_*", _mean(perp), b_0 / b_star, DOMAIN),
        Equation("E sigma_perp^2 - 1 = b_0^2/b_*^2", _mean(perp**2) - 1, (b_0 / b_star) ** 2, DOMAIN),
        *(Fact(f"{name} has the moments of z", _centred(activation(name)).decision, True) for name in ("tanh", "erf")),
        *(_lacks(name) for name in ("relu", "Abs(x)")),
        Equation("ReLU, integrated: E sigma_perp^2", *_integrated(u, sp.Integer(0))),
        Equation("|u|, integrated: E sigma_perp^2", *_integrated(u, -u)),
        Equation("u + u^2/2, integrated: E sigma_perp^2", *_integrated(u + u**2 / 2, u + u**2 / 2)),
    )


def _lacks(name: str) -> Fact:
    fact = _centred(activation(name))
    opposite = None if fact.decision.holds is None else not fact.decision.holds
    return Fact(f"{name} has not", Decision(opposite, fact.decision.reason), True, fact.figures)


def _integrated(right: Any, left: Any) -> tuple[Any, Any]:
    """E((sigma - b_1 G)/b_*)^2 with all moments by integration, and 1 + b_0^2/b_*^2; sigma is `left` for u < 0."""
    density = sp.exp(-(u**2) / 2) / sp.sqrt(2 * sp.pi)

    def mean(power: Any) -> Any:
        halves = ((right, 0, sp.oo), (left, -sp.oo, 0))
        return sum(sp.integrate(sp.expand(power(branch)) * density, (u, low, high)) for branch, low, high in halves)

    offset, slope = mean(lambda s: s), mean(lambda s: u * s)
    square = mean(lambda s: s**2) - offset**2 - slope**2
    return mean(lambda s: (s - slope * u) ** 2) / square, 1 + offset**2 / square


def _without_condition(setting: Setting) -> tuple[Statement, ...]:
    return (Equation("E sigma_perp^2 = 1 whatever b_0", _mean(_perp(0) ** 2), sp.Integer(1), DOMAIN),)


_PRINTED = "u_ij = sigma(<w_j,x_i>) = b_1 <w_j,x_i> + b_* sigma_perp(<w_j,x_i>)"

THEOREM = Theorem(
    slug="feature-decomposition",
    title="A nonlinear feature as a linear part and noise",
    source="T, slide Nonlinear features",
    latex=(
        r"u_{ij} = \sigma(\langle w_j, x_i\rangle)"
        r" = b_1\langle w_j, x_i\rangle + b_*\sigma_\perp(\langle w_j, x_i\rangle)"
    ),
    activation="relu",
    takes_activation=True,
    hypotheses=(ACTIVATION,),
    claims=(
        Identity(
            id="TL-DECOMP",
            readings=(
                Reading(
                    document="T",
                    place="Nonlinear features; sigma_perp is defined by it and orthogonal to the linear functions",
                    printed=_PRINTED,
                    states=_defines,
                ),
            ),
            mutants=(Mutant(name="no-linear-part", states=_no_linear_part),),
        ),
        Identity(
            id="TL-DECOMP",
            part="sigma_perp-as-noise",
            readings=(
                Reading(
                    document="T",
                    place="Nonlinear features beside Noisy linear features",
                    printed=f"{_PRINTED}; noisy linear features b_1 <w_j,x_i> + b_* z_ij, z_ij ~ N(0, 1)",
                    states=_like_z,
                    erratum=Erratum(
                        corrected="sigma = b_0 + b_1 u + b_* sigma_perp, b_0 = E sigma(G): then sigma_perp has mean 0, "
                        "second moment 1 and no linear part; the print has it exactly if b_0 = 0",
                        states=_standardised,
                    ),
                ),
            ),
            mutants=(Mutant(name="mean-left-in-b_*", states=_mean_left_in),),
        ),
        Identity(
            id="TL-DECOMP",
            part="condition",
            readings=(
                Reading(
                    document="T",
                    place="Nonlinear features, the condition that is not printed",
                    printed="sigma_perp as printed has mean and second moment of z if and only if E sigma(G) = 0",
                    states=_condition,
                ),
            ),
            mutants=(Mutant(name="no-condition-is-needed", states=_without_condition),),
        ),
    ),
)
