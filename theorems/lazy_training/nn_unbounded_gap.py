"""In which sense the gap between trained networks and linearised ones is unbounded (P, abstract; O; S; T).

Over ||f||^2 the tangent risk tends to (1-rho)^2 + rho (1-rho) t <= 1 - rho, and the trained risk is the share of
||B||^2 outside the N largest eigenvalues. The ratio R_NT/R_NN is unbounded (let the other eigenvalues of B vanish),
and so is the difference of the risks (scale B); the difference over ||f||^2 is at most 1 - rho. Between random
features and the tangent class the ratio is at most (1-rho)^-2: unbounded only as rho -> 1.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_checks.tail_energy import tangent
from theorems.claim import Bound, Equation, Erratum, Mutant, Reading, Setting, Shape, Statement, Theorem

rho, t = sp.symbols("rho t", positive=True)
scale, rest = sp.symbols("s eta", positive=True)
UNIT = {rho: (sp.Rational(1, 100), sp.Rational(99, 100)), t: (sp.Rational(1, 100), sp.Integer(1))}


def _ratio() -> Any:
    """R_NT/R_NN for B with eigenvalues 1 (N of them) and eta."""
    tail = (1 - rho) * rest**2
    mean, square = rho + (1 - rho) * rest, rho + tail
    return tangent(rho, mean**2 / square) * square / tail


def _unbounded(setting: Setting) -> tuple[Statement, ...]:
    half = sp.Rational(1, 2)
    difference = 2 * scale**2 * (tangent(half, half) - 0)
    return (
        Equation("R_NT/R_NN as the other eigenvalues vanish", sp.limit(_ratio().subs(rho, half), rest, 0, "+"), sp.oo),
        Equation("R_NT - R_NN as B is scaled", sp.limit(difference, scale, sp.oo), sp.oo),
    )


def _ratio_bounded(setting: Setting) -> tuple[Statement, ...]:
    small = {rest: (sp.Rational(1, 1000), sp.Integer(1))}
    return (Bound("R_NT <= 100 R_NN", _ratio().subs(rho, sp.Rational(1, 2)), sp.Integer(100), False, None, small),)


def _normalised_unbounded(setting: Setting) -> tuple[Statement, ...]:
    """Some B has R_NT - R_NN >= ||f||^2; but the tangent risk alone is largest at t = 1, with 1 - rho."""
    inside = {rho: UNIT[rho]}
    return (Bound("a gap of ||f||^2 at the best t", sp.Integer(1), tangent(rho, 1), False, None, inside),)


def _normalised_bound(factor: Any = 1) -> tuple[Statement, ...]:
    below = sp.Symbol("u", nonnegative=True)  # t = 1 - u
    kept = sp.Symbol("k", positive=True)  # rho = 1/(1 + k)
    ratio = 1 / (1 + kept)
    excess = (1 - ratio) * ratio * below
    certificate = excess if factor == 1 else None
    return (
        Bound("(R_NT - R_NN)/||f||^2 <= 1 - rho", tangent(ratio, 1 - below), factor * (1 - ratio), False, certificate,
              {below: (sp.Integer(0), sp.Integer(1))}),
    )  # fmt: skip


def _three_regimes(setting: Setting) -> tuple[Statement, ...]:
    """Random features (isotropic, x^2 - 1): 1 - rho t/(1+rho). At fixed rho the ratio to NT is at most (1-rho)^-2."""
    features = 1 - rho * t / (1 + rho)
    up = sp.Symbol("k", positive=True)  # rho = 1/(1 + k)
    ratio = {rho: 1 / (1 + up)}
    cross = (tangent(rho, t) - features * (1 - rho) ** 2).subs(ratio)
    return (
        Equation("R_RF/R_NT at t -> 0, as rho -> 1", sp.limit(1 / (1 - rho) ** 2, rho, 1, "-"), sp.oo),
        Bound("R_RF <= R_NT/(1-rho)^2", (features * (1 - rho) ** 2).subs(ratio), tangent(rho, t).subs(ratio), False,
              sp.factor(cross), {t: (sp.Integer(0), sp.Integer(1))}),
        *_unbounded(setting),
    )  # fmt: skip


def _three_regimes_bounded(setting: Setting) -> tuple[Statement, ...]:
    features = 1 - rho * t / (1 + rho)
    return (Bound("R_RF <= 2 R_NT", features, 2 * tangent(rho, t), False, None, UNIT),)


def _everywhere(printed: str, states: Any, erratum: Erratum | None = None) -> tuple[Reading, ...]:
    """The same sentence in the four documents."""
    return (
        Reading(document="P", place="Abstract", printed=f"a potentially unbounded gap between the risks: {printed}",
                states=states, erratum=erratum),
        Reading(document="O", place="Results", printed=f"there exists an arbitrary large gap: {printed}",
                states=states, erratum=erratum),
        Reading(document="S", place="last slides", printed=f"exists B, arbitrarily large gap of NN and NT: {printed}",
                states=states, erratum=erratum),
        Reading(document="T", place="last slides", printed=f"exists B, arbitrarily large gap of NN and NT: {printed}",
                states=states, erratum=erratum),
    )  # fmt: skip


THEOREM = Theorem(
    slug="nn-unbounded-gap",
    title="The unbounded gap between training regimes",
    source="P, Abstract; O, Results; S; T",
    latex=(
        r"\sup_B R_{\mathrm{NT}}/R_{\mathrm{NN}} = \infty,\quad"
        r"(R_{\mathrm{NT}}-R_{\mathrm{NN}})/\|f_*\|^2 \le 1-\rho"
    ),
    uses=("nn-gap",),
    claims=(
        Shape(
            id="LT-AB",
            readings=_everywhere("the ratio of the risks, and their difference", _unbounded),
            mutants=(Mutant(name="ratio-at-most-100", states=_ratio_bounded),),
        ),
        Shape(
            id="LT-AB",
            part="normalised",
            readings=_everywhere(
                "read as a difference of the normalised risks",
                _normalised_unbounded,
                Erratum(
                    corrected="the difference over ||f||^2 is at most 1 - rho; only the ratio is unbounded",
                    states=lambda setting: _normalised_bound(),
                ),
            ),
            mutants=(Mutant(name="half-of-it", states=lambda setting: _normalised_bound(sp.Rational(1, 2))),),
        ),
        Shape(
            id="LT-AB",
            part="three-regimes",
            readings=(
                Reading(
                    document="P",
                    place="Abstract",
                    printed="between these three training regimes: RF against NT too (unbounded as rho -> 1 only)",
                    states=_three_regimes,
                ),
            ),
            mutants=(Mutant(name="RF-at-most-twice-NT", states=_three_regimes_bounded),),
        ),
    ),
)
