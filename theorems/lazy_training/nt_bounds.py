"""Bounds on the neural tangent risk, in every dimension (P, 1.1 and 2.2).

From the exact expectation E R_NT/||f||^2 = alpha + beta + beta d t (see nt_quadratic.py): it depends on f through
t = Tr(B)^2/(d ||B||^2) only, lies below 1, is at most 1 - N/d with equality exactly for B proportional to the
identity, stays above (1-rho)^2 for rho < 1, and is zero for N >= d.
"""

from __future__ import annotations

import sympy as sp
from flint import arb

from proofs_checks import haar_projector as haar
from theorems.claim import (
    Bound,
    Equation,
    Identity,
    Inequality,
    Limit,
    Mutant,
    Reading,
    Setting,
    Shape,
    Statement,
    Theorem,
)
from theorems.lazy_training.nt_risk import exact_risk, observe, symbols

trace, norm2 = sp.symbols("T b", positive=True)
rank = sp.Symbol("k", integer=True, positive=True)
more = sp.Symbol("m", integer=True, nonnegative=True)
below = sp.Symbol("s", nonnegative=True)  # s = 1 - t
UNIT = {below: (sp.Integer(0), sp.Integer(1))}


def _risk(tail: sp.Expr) -> sp.Expr:
    """The exact risk with N = m + 1 neurons, d = m + 1 + k, at t = tail; SymPy then knows that d > 1."""
    return haar.nt_risk_exact(more + 1 + rank, more + 1, tail)


def _spread() -> sp.Expr:
    """beta d with N = m + 1 and d = m + 1 + k: what t contributes."""
    width = more + 1 + rank
    return sp.factor(haar.second_moments()[1].subs({haar.d: width, haar.k: rank}, simultaneous=True) * width)


def _only_t(setting: Setting) -> tuple[Statement, ...]:
    value = haar.nt_risk_exact(haar.d, haar.d - haar.k, trace**2 / (haar.d * norm2))
    scaled = haar.nt_risk_exact(haar.d, haar.d - haar.k, (2 * trace) ** 2 / (haar.d * 4 * norm2))
    return (
        Equation("||B||^2 and Tr B enter through t alone", value.subs(norm2, trace**2 / (haar.d * haar.t)),
                 haar.nt_risk_exact(haar.d, haar.d - haar.k, haar.t)),
        Equation("so the scale of B does not matter", scaled, value),
    )  # fmt: skip


def _through_the_norm(setting: Setting) -> tuple[Statement, ...]:
    """The risk as a function of ||B||^2 at a fixed trace would be constant."""
    value = haar.nt_risk_exact(haar.d, haar.d - haar.k, trace**2 / (haar.d * norm2))
    return (Equation("no dependence on Tr(B)^2/||B||^2", sp.diff(value, norm2), sp.Integer(0)),)


def _below_baseline(setting: Setting) -> tuple[Statement, ...]:
    gain = (more + 1) / (more + 1 + rank) + _spread() * below
    return (Bound("E R < ||f||^2 for N >= 1", _risk(1 - below), sp.Integer(1), True, gain, UNIT),)


def _below_half(setting: Setting) -> tuple[Statement, ...]:
    return (Bound("E R < ||f||^2/2", _risk(1 - below), sp.Rational(1, 2), True, None, UNIT),)


def _worst_case(setting: Setting) -> tuple[Statement, ...]:
    share = rank / (more + 1 + rank)
    return (
        Bound("E R <= (1 - N/d) ||f||^2, in every dimension", _risk(1 - below), share, False, _spread() * below, UNIT),
        Equation("equality for B = I (t = 1)", _risk(sp.Integer(1)), share),
        Bound(
            "and only there",
            sp.Integer(0),
            _spread(),
            strict=True,
            certificate=_spread(),
        ),
    )


def _worst_case_squared(setting: Setting) -> tuple[Statement, ...]:
    share = rank / (more + 1 + rank)
    return (Bound("E R <= (1 - N/d)^2 ||f||^2", _risk(1 - below), share**2, False, None, UNIT),)


def _vanishes(setting: Setting) -> tuple[Statement, ...]:
    return (
        Equation("N = d: exactly zero", haar.nt_risk_exact(haar.d, haar.d, haar.t), sp.Integer(0)),
        Bound("N < d: at most k/d, which vanishes if k = o(d)", _risk(1 - below), rank / (more + 1 + rank), False,
              _spread() * below, UNIT),
    )  # fmt: skip


def _vanishes_earlier(setting: Setting) -> tuple[Statement, ...]:
    half = haar.nt_risk_limit().subs(haar.rho, sp.Rational(1, 2))
    return (Equation("zero at rho = 1/2 already", half, sp.Integer(0), {haar.t: (0, 1)}),)


def _bounded_away(setting: Setting) -> tuple[Statement, ...]:
    gap = sp.Symbol("g", positive=True)  # g = 1 - rho in (0, 1)
    limit = haar.nt_risk_limit().subs(haar.rho, 1 - gap)
    inside = {gap: (sp.Rational(1, 100), sp.Rational(99, 100)), haar.t: (sp.Integer(0), sp.Integer(1))}
    excess = gap * (1 - gap) * haar.t
    kept = sp.Symbol("h", positive=True)  # 1 - g = h, so that SymPy can read off the sign
    return (
        Equation("the limit is (1-rho)^2 + rho (1-rho) t", limit, gap**2 + excess, inside),
        Bound("(1-rho)^2 is positive", sp.Integer(0), gap**2, True, gap**2),
        Bound("and so is the rest", sp.Integer(0), gap * kept * haar.t, False, gap * kept * haar.t),
        *_vanishes(setting),
    )


def _zero_below_one(setting: Setting) -> tuple[Statement, ...]:
    return (Equation("no risk for rho < 1", haar.nt_risk_limit(), sp.Integer(0), {haar.t: (0, 1), haar.rho: (0, 1)}),)


def _one_percent_left(setting: Setting) -> arb:
    return arb("0.01") + exact_risk(setting)


THEOREM = Theorem(
    slug="nt-bounds",
    title="Bounds on the neural tangent risk",
    source="P, Sections 1.1 and 2.2",
    latex=r"\mathbb{E}[R_{\mathrm{NT},N}(f_*)] \le (1-\rho)_+\|f_*\|_{L_2}^2 + o_d(1)",
    parameters={"rho": 1, "B": "exp1"},
    symbols=("rho", "t"),
    evaluate=symbols,
    uses=("nt-quadratic",),
    claims=(
        Identity(
            id="LT-R5",
            readings=(
                Reading(
                    document="P",
                    place="2.2",
                    printed="the NT risk depends on f only through Tr(B)^2/(d||B||^2), as for RF (isotropic weights)",
                    states=_only_t,
                ),
            ),
            mutants=(Mutant(name="not-even-through-t", states=_through_the_norm),),
        ),
        Inequality(
            id="LT-R6",
            readings=(
                Reading(
                    document="P",
                    place="2.2",
                    printed="the normalised NT risk is always smaller than the baseline",
                    states=_below_baseline,
                ),
            ),
            mutants=(Mutant(name="below-half-of-it", states=_below_half),),
        ),
        Inequality(
            id="LT-R7",
            readings=(
                Reading(
                    document="P",
                    place="2.2",
                    printed="E R_NT <= (1-rho)_+ ||f||^2 + o(1), worst case B proportional to I",
                    states=_worst_case,
                ),
            ),
            mutants=(Mutant(name="square", states=_worst_case_squared),),
        ),
        Identity(
            id="LT-R8",
            readings=(
                Reading(
                    document="P",
                    place="2.2",
                    printed="E R_NT vanishes asymptotically for rho >= 1",
                    states=_vanishes,
                ),
            ),
            mutants=(Mutant(name="for-rho-at-least-1/2", states=_vanishes_earlier),),
        ),
        Limit(
            id="LT-R8",
            part="measured",
            observe=observe,
            functional="mean",
            points=({"rho": "1"}, {"rho": "3/2"}, {"rho": "2", "B": "indefinite"}),
            resolution=0.001,
            resolution_reason="the risk is exactly zero, and the mutant says one percent",
            readings=(
                Reading(
                    document="P",
                    place="2.2",
                    printed="E R_NT vanishes for rho >= 1",
                    states=exact_risk,
                ),
            ),
            mutants=(Mutant(name="one-percent-is-left", states=_one_percent_left),),
        ),
        Shape(
            id="LT-S3",
            readings=(
                Reading(
                    document="P",
                    place="1.1",
                    printed="NT has vanishing risk for N > d and risk bounded away from zero for rho in (0,1)",
                    states=_bounded_away,
                ),
            ),
            mutants=(Mutant(name="vanishing-below-1", states=_zero_below_one),),
        ),
    ),
)
