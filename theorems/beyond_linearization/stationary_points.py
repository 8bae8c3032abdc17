r"""Theorem 4, the loss: second-order stationary points are nearly as good as the quadratic model (B, 4.2, B.6).

L~_lambda(W) = L~(W) + lambda ||W||^8 with C lambda B_w*^8 = 2 gamma OPT + eps. At a second-order stationary point the
left-hand side of (18) is >= 0 and its gradient term zero, so L~_lambda <= (1 + gamma) OPT + eps - lambda ||W||^8/2,
given the width that (18) asks for. Some width is needed: with d = n = 1, x = y = 1 and w_{0,r} = t, W = 0 is a
stationary point whose Hessian is diagonal, l' a_r sigma''(t)/sqrt m + l'' sigma'(t)^2/m, and it is of second order
exactly for m <= (sigma'(t)^2/(2 sigma''(t)))^2, however small OPT is; for sigma = max(x, 0)^3/6 that is t^6/64, and t
is of order sqrt d.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from proofs_checks import clean_hessian as clean
from proofs_checks.clean_hessian import SymbolicCleanRisk
from simulate.clean_risk import make_task
from simulate.stationary_points import second_order_point
from theorems.activation import activation
from theorems.beyond_linearization.found_stationary_points import ACCURACY, found_points
from theorems.beyond_linearization.smooth_activation import ASSUMPTION_A, NOT_CONSTANT
from theorems.claim import (
    Bound,
    Decision,
    Equation,
    Fact,
    Identity,
    Inequality,
    Mutant,
    Reading,
    Setting,
    Shape,
    Statement,
    Theorem,
)
from theorems.steps import statements

best, gamma, eps, B, C, m, t = sp.symbols("OPT gamma epsilon B_* C m t", positive=True)
penalty, gap, value, spare = sp.symbols("P gap l_0 o", nonnegative=True)
strength = (2 * gamma * best + eps) / (C * B**8)


def _losses(setting: Setting, *, second_order: bool = True) -> tuple[Statement, ...]:
    """The loss conclusion at each point found whose premise holds; with `second_order` False, at W = 0 as well."""
    points = found_points(activation(setting.activation.text))
    arrived = [p for p in points if p.stationary]
    bound_to = [p for p in arrived if p.premise]
    largest = max(p.width for p in points)
    widest = [p for p in bound_to if p.width == largest]
    wrong = [str(p) for p in bound_to if p.loss_room() < 0]
    if not second_order:
        widest = [p for p in arrived if p.width == largest]
        wrong += [f"W = 0 has loss log 2 at gamma = {p.gamma}" for p in widest if p.allowed < np.log(2)]
    free = [p for p in arrived if not p.premise]
    holds = None if not widest else not wrong
    reason = (
        f"{len(bound_to)} of {len(arrived)} points found satisfy (18) with eps = {ACCURACY} and all of them the "
        f"bound, by "
        f"{min((p.loss_room() for p in bound_to), default=np.nan):.3g} at least; of the {len(free)} others, at "
        f"widths for "
        f"which nothing is claimed, {sum(p.loss_room() < 0 for p in free)} violate it"
    )
    if not widest:
        reason = f"no point was found at m = {largest} where (18) holds with eps = {ACCURACY}"
    if wrong:
        reason = wrong[0]
    figures = {f"{i}: m = {p.width}, gamma = {p.gamma}": str(p) for i, p in enumerate(points)}
    return (Fact("the points found", Decision(holds, reason), False, figures),)


def _conclusion(share: Any = 1) -> tuple[Statement, ...]:
    """(18) at a second-order stationary point, its left side o >= 0: 2 (L - OPT) = 2 gamma OPT + 2 eps - P - o.

    P = lambda ||W||^8.
    """
    loss = best + (2 * gamma * best + 2 * eps - penalty - spare) / 2
    certificate = (penalty + spare) / 2 if share == 1 else None
    return (
        Equation("C lambda B_*^8", C * strength * B**8, 2 * gamma * best + eps),
        Equation("so the right side of (18) ends with", C * strength * B**8 + eps, 2 * gamma * best + 2 * eps),
        Bound("L_lambda <= (1 + gamma) OPT + eps", loss, (1 + share * gamma) * best + share * eps, False, certificate),
    )


def _clean_slope(least: Any) -> tuple[Statement, ...]:
    """<grad L^Q, W> = 2 E l'(f) f >= 2 (L^Q(W) - L^Q(0)) >= -2: convexity (gap >= 0), l >= 0 and l(y, 0) = 1 - o."""
    unit = {spare: (sp.S.Zero, sp.S.One)}
    return (
        *statements((clean.euler_step(SymbolicCleanRisk(2, 2, 2)),)),
        Bound("<grad L^Q(W), W> >= -2", least, 2 * (value - (1 - spare) + gap), False, None, unit),
    )


TERMS = {1: "d B_x m^-1/4", 5: "sqrt(d) B_x^5 m^-1/4", 3: "B_x^3 m^-1/4", 4: "d^5/2 B_x^4 m^-1/2"}


def _radius(exponents: dict[int, Any]) -> tuple[Statement, ...]:
    """8 lambda w^8 <= 2 + sum_k c_k w^k, k = 1, 3, 4, 5: at w^(8-k) = 5 c_k/(8 lambda) the term is a fifth of the left.

    So beyond the largest of these five radii no point is stationary.
    """
    lam, c = sp.symbols("lambda c", positive=True)
    radii = {0: (5 * 2 / (8 * lam)) ** sp.Rational(1, 8)}
    radii |= {k: (5 * c / (8 * lam)) ** exponent for k, exponent in exponents.items()}
    return tuple(
        Equation(
            f"the term of degree {k} ({TERMS.get(k, '2')})",
            (2 if k == 0 else c) * radius**k,
            8 * lam * radius**8 / 5,
        )
        for k, radius in radii.items()
    )


PRINTED_RADII = {k: sp.Rational(1, 8 - k) for k in TERMS}


def _at_zero(exponent: Any) -> tuple[Statement, ...]:
    """The Hessian of L~_lambda at W = 0 for d = n = 1, l'(0) = -1/2, l''(0) = 1/4; sigma(x) = max(x, 0)^3/6, t > 0."""
    first, second = t**2 / 2, t
    narrow = t**6 / 64
    plus = -second / (2 * sp.sqrt(m)) + first**2 / (4 * m)
    goal = 2 * sp.log(1 + sp.exp(-3)) + sp.Rational(1, 10)
    return (
        Equation("neurons with a_r = 1 turn flat at m = t^6/64", plus.subs(m, t**exponent / 64), sp.S.Zero),
        Equation("which is (sigma'^2/(2 sigma''))^2", narrow, (first**2 / (2 * second)) ** 2),
        Bound("a_r = -1 is never descending", sp.S.Zero, second / (2 * sp.sqrt(m)) + first**2 / (4 * m)),
        Bound("OPT = l(3), gamma = 1, eps = 1/10: log 2 is above the bound", goal, sp.log(2), strict=True),
    )


def _threshold_found(setting: Setting, *, factor: float = 1.0) -> tuple[Statement, ...]:
    """The search from W = 0 stays there below the width (sigma'(t)^2/(2 sigma''(t)))^2 and leaves above it.

    t is the first of a grid at which the threshold is between 5 and 16 and not within a fifth of an even number.
    """
    function = setting.activation.function()
    grid = np.linspace(0.05, 8.0, 160)
    first = np.asarray(function.derivative(grid))
    slope = (np.asarray(function.derivative(grid + 1e-6)) - np.asarray(function.derivative(grid - 1e-6))) / 2e-6
    with np.errstate(all="ignore"):
        threshold = np.where(slope > 0, (first**2 / (2 * slope)) ** 2, 0.0)
    apart = np.abs(threshold - 2 * np.round(threshold / 2)) > 0.2
    chosen = np.flatnonzero((threshold > 5) & (threshold < 16) & apart)
    if len(chosen) == 0:
        return (Fact("the width at which W = 0 gives way", Decision(None, "no t on the grid has it in reach"), False),)
    where, critical = grid[chosen[0]], float(threshold[chosen[0]])
    wrong, figures = [], {"t": f"{where:.3g}", "threshold": f"{critical:.4g}"}
    for width in (2 * int(critical / 2), 2 * int(critical / 2) + 2):
        task = make_task(np.full((width, 1), where), np.repeat([1.0, -1.0], width // 2), np.ones((1, 1)), np.ones(1))
        point = second_order_point(task, np.zeros((width, 1)), 1e-4, activation=function, model="randomised")
        figures[f"m = {width}"] = f"||W|| = {point.norm:.4g}, loss {point.risk:.4g}, {point.escapes} escapes"
        if (point.norm == 0) != (width < factor * critical):
            wrong.append(
                f"m = {width}, t = {where:.3g}: ||W|| = {point.norm:.4g} against the threshold {factor * critical:.4g}"
            )
    reason = wrong[0] if wrong else f"W = 0 is kept below m = {critical:.4g} and left above it (t = {where:.3g})"
    return (Fact("the width at which W = 0 gives way", Decision(not wrong, reason), False, figures),)


def _ratios(setting: Setting, largest: float | None = None) -> tuple[Statement, ...]:
    """||W||/B_w* at the points found where (18) holds, against (C (1 + q))^(1/8) or another constant."""
    points = [p for p in found_points(activation(setting.activation.text)) if p.stationary and p.premise]
    wrong = [str(p) for p in points if p.norm_ratio() > (p.largest_ratio() if largest is None else largest)]
    means = {g: max(p.norm_ratio() for p in points if p.gamma == g) for g in sorted({p.gamma for p in points})}
    reason = (
        f"{len(points)} points: ||W||/B_w* is at most "
        + ", ".join(f"{ratio:.3g} at gamma = {g}" for g, ratio in means.items())
        + f"; the bound is {min((p.largest_ratio() for p in points), default=0.0):.3g} or more"
    )
    if not points:
        reason = f"no point was found where (18) holds with eps = {ACCURACY}"
    holds = None if not points else not wrong
    return (Fact("norms of the points found", Decision(holds, wrong[0] if wrong else reason), certain=False),)


THEOREM = Theorem(
    slug="stationary-points",
    title="Second-order stationary points have low loss",
    source="B, Theorem 4 and Appendix B.6",
    latex=r"\tilde L_\lambda(\hat W) \le (1+\gamma)\,\mathrm{OPT} + \varepsilon",
    activation="Max(x, 0)**3/6",
    takes_activation=True,
    hypotheses=(ASSUMPTION_A, NOT_CONSTANT),
    uses=("regularised-landscape",),
    claims=(
        Shape(
            id="BL-T4",
            readings=(
                Reading(
                    document="B",
                    place="Theorem 4, (10)",
                    printed=(
                        "any second order stationary point W of L~_lambda has L~_lambda(W) <= (1 + gamma) OPT + eps"
                    ),
                    states=lambda setting: (*_conclusion(), *_losses(setting)),
                ),
            ),
            mutants=(
                Mutant(name="any-stationary-point", states=lambda setting: _losses(setting, second_order=False)),
                Mutant(name="half-of-gamma-and-eps", states=lambda setting: _conclusion(sp.Rational(1, 2))),
            ),
        ),
        Shape(
            id="BL-T4N",
            part="measured",
            readings=(
                Reading(
                    document="B",
                    place="Theorem 4, (10)",
                    printed=(
                        "||W||_{2,4} <= (C (1 + (2 OPT + eps)/(2 gamma OPT + eps)))^(1/8) B_{w,*} at the points found"
                    ),
                    states=_ratios,
                ),
            ),
            mutants=(Mutant(name="no-larger-than-W*", states=lambda setting: _ratios(setting, 1.0)),),
        ),
        Shape(
            id="BL-T4",
            part="narrow",
            readings=(
                Reading(
                    document="B",
                    place="Theorem 4",
                    printed="m >= O~(poly(d, ...)): below t^6/64 the point W = 0 is of second order with loss log 2",
                    states=lambda setting: _at_zero(6),
                ),
            ),
            mutants=(Mutant(name="t^4/64", states=lambda setting: _at_zero(4)),),
        ),
        Shape(
            id="BL-T4",
            part="narrow-found",
            readings=(
                Reading(
                    document="B",
                    place="Theorem 4",
                    printed="the same width by the search itself: W = 0 is kept below it and left above it",
                    states=_threshold_found,
                ),
            ),
            mutants=(Mutant(name="twice-the-width", states=lambda setting: _threshold_found(setting, factor=2.0)),),
        ),
        Identity(
            id="BL-T4",
            part="step-loss",
            readings=(
                Reading(
                    document="B",
                    place="Appendix B.6, Bounding loss and norm",
                    printed=(
                        "choosing lambda_0 = (2 gamma OPT + eps)/C we get C lambda B_*^8 = 2 gamma OPT + eps ... "
                        "2(L_lambda - "
                        "OPT) <= 2(gamma OPT + eps) - lambda ||W||^8 and thus L_lambda <= (1 + gamma) OPT + eps"
                    ),
                    scan="the right-hand side of lambda_0 is lost; the next line fixes it",
                    states=lambda setting: _conclusion(),
                ),
            ),
            mutants=(Mutant(name="half-of-gamma-and-eps", states=lambda setting: _conclusion(sp.Rational(1, 2))),),
        ),
        Inequality(
            id="BL-T4",
            part="step-clean-slope",
            readings=(
                Reading(
                    document="B",
                    place="Appendix B.6, Localizing",
                    printed="<grad L^Q(W), W> = 2 E_D[l' (f^Q_W - f^Q_0)] >= 2(L^Q(W) - L^Q(0)) >= -2",
                    scan="the exponents and the subscripts of f^Q_0 are garbled",
                    states=lambda setting: _clean_slope(sp.Integer(-2)),
                ),
            ),
            mutants=(Mutant(name=">=-1", states=lambda setting: _clean_slope(sp.Integer(-1))),),
        ),
        Identity(
            id="BL-T4",
            part="step-localised",
            readings=(
                Reading(
                    document="B",
                    place="Appendix B.6, B_{w,0}",
                    printed=(
                        "||W|| <= O~(lambda^-1/8 + (lambda^-1 d B_x m^-1/4)^1/7 + (lambda^-1 sqrt(d) B_x^5 "
                        "m^-1/4)^1/3 + "
                        "(lambda^-1 B_x^3)^1/5 + (lambda^-1 d^2.5 B_x^4 m^-1/2)^1/4)"
                    ),
                    scan=(
                        "the fourth term shows no m^-1/4, which Lemma 13 gives; without it the bound is weaker, "
                        "not wrong"
                    ),
                    states=lambda setting: _radius(PRINTED_RADII),
                ),
            ),
            mutants=(
                Mutant(
                    name="1/5-and-1/3-exchanged",
                    states=lambda setting: _radius(PRINTED_RADII | {5: sp.Rational(1, 5), 3: sp.Rational(1, 3)}),
                ),
            ),
        ),
    ),
)
