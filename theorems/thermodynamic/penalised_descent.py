r"""At a fixed penalty the risk falls with the width beyond N = n, unless there is too much noise (T, slide Insights).

"Same at lambda > 0 fixed", of the curve that is monotone decreasing in the overparametrised regime, is false as it
stands: with much noise more width means a weaker effective penalty, and the risk can rise. It is true, for every psi1
>= psi2, whenever

    noise <= (3/2) (1 + psi2 lambda_bar)/zeta^2,                lambda_bar = lambda/b_*^2,

that is if lambda is at least what would be best, as psi1 -> infinity, for two thirds of the noise; in particular
without noise, and for every lambda where the signal-to-noise ratio is at least (2/3) zeta^2. No constant above 3/2
will do for all zeta, psi2 and lambda. At given ones the exact threshold is a root that is enclosed (`falling_noise`).

If zeta <= 1 + sqrt 2 noise never hurts: the risk falls for psi1 >= psi2 at every lambda and every noise; for each
larger zeta there are psi2, lambda and noise at which it rises.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import sympy as sp
from flint import arb

from proofs_checks.double_descent import (
    a,
    b,
    degrees,
    matched_noise,
    more,
    p,
    point,
    reduced,
    slope_steps,
    v,
    width_slope,
    width_slope_bias,
    width_slope_variance,
)
from proofs_checks.double_descent_thresholds import matching_noise
from proofs_checks.double_descent_widths import WidthCurve, curve_to
from theorems.claim import Decision, Equation, Erratum, Fact, Mutant, Reading, Setting, Shape, Statement, Theorem
from theorems.steps import statements
from theorems.thermodynamic.descent_evidence import (
    LINEAR_PART,
    always_positive,
    ball,
    compared,
    given,
    risk_at,
    slope_squared,
    symbols,
)
from theorems.thermodynamic.random_feature_ridge import ACTIVATION

BEST = sp.Rational(3, 2)
BEYOND = point(b + more, b)
"""psi1 >= psi2."""
CURVES = (
    WidthCurve(Fraction(100), Fraction(2), Fraction(4)),
    WidthCurve(Fraction(400), Fraction(1), Fraction(30)),
    WidthCurve(Fraction(10**6), Fraction(200), Fraction(30000)),
)
"""zeta^2, psi2, lambda_bar of curves that rise where there is enough noise; the last is near the worst case."""


def _falls_at_every_penalty(setting: Setting) -> tuple[Statement, ...]:
    """As printed, at a curve of much noise."""
    curve = CURVES[0]
    place = curve.zeta2, curve.psi2, curve.lambda_bar
    narrow, wide = (risk_at(place[0], psi1, place[1], place[2], "1/2") for psi1 in (3, 30))
    where = f"zeta^2 = {place[0]}, psi2 = {place[1]}, lambda_bar = {place[2]}, noise = 1/2"
    return (compared("falling for psi1 > psi2 at fixed lambda", {"R(30)": wide}, {"R(3)": narrow}, where),)


def _condition(setting: Setting) -> tuple[Statement, ...]:
    return (
        *statements(slope_steps()),
        always_positive("S > 0 for psi1 > psi2 without noise", width_slope_bias(BEYOND)),
        always_positive("and at the largest noise, so between", width_slope(BEYOND, BEST * matched_noise(BEYOND))),
        Equation("no constant above 3/2 will do", worst_ratio(), BEST),
        thresholds(lambda zeta2, psi2, penalty: Fraction(3, 2) * matching_noise(zeta2, psi2, penalty)),
        *_small_slope(),
        *_large_slope(),
        _can_rise(Fraction(6), True),
    )


def _small_slope() -> tuple[Statement, ...]:
    """Noise never hurts, width_slope_variance > 0 for psi1 >= psi2, if y = 1/zeta^2 >= 3 - 2 sqrt 2 (so y >= 1/8)."""
    at, y, r = point(), sp.Symbol("y", positive=True), sp.sqrt(2)
    s, k, g, big = at.s, at.K, degrees(at), 1 + v
    bend, rest = k**2 - 2 * s**2 * at.rest * g, k - s**2
    apart = a * (a * b * bend + k**2 * ((a - b) * k + b * rest)) + (a - b) * g * k**3
    scaled = y**2 * big**4 + 2 * y * big + 3 - 2 * big
    square = (big - 1 - r) ** 2 * (big**2 + 2 * (1 + r) * big + 9 + 6 * r)
    return (
        *statements(
            (
                reduced("the part of S that noise multiplies", width_slope_variance(at), apart),
                reduced("its first bracket, increasing in y", bend.subs(p, v * y) * big**4 / v**2, scaled),
                reduced("its second, increasing in y", rest.subs(p, v * y) * big**2 / v, y * big**2 + 2 - big),
            )
        ),
        Equation("the first at y = 3 - 2 sqrt 2", scaled.subs(y, 3 - 2 * r), (3 - 2 * r) ** 2 * square),
        Equation("the second at y = 1/8", (y * big**2 + 2 - big).subs(y, sp.Rational(1, 8)), (big - 4) ** 2 / 8),
    )


def _large_slope() -> tuple[Statement, ...]:
    """For each y < 3 - 2 sqrt 2 the risk rises somewhere: v = sqrt 2, psi1 = psi2 large, and enough noise."""
    at, y, big = point(), sp.Symbol("y", positive=True), 1 + sp.sqrt(2)
    s, k, g = at.s, at.K, degrees(at)
    bend = k**2 - 2 * s**2 * at.rest * g
    factors = (y * big**2 - 1) * (y * big**2 + 2 * sp.sqrt(2) - 1)
    scaled = sp.cancel(sp.together(bend.subs(p, v * y) * (1 + v) ** 4 / v**2)).subs(v, sp.sqrt(2))
    leading = sp.Poly(sp.numer(sp.together(width_slope_variance(at).subs(b, a))), a)
    scale = sp.denom(sp.together(width_slope_variance(at).subs(b, a)))
    return (
        *statements((reduced("psi1 = psi2 -> infinity: that part of S", leading.LC() / scale, bend),)),
        Equation("which at v = sqrt 2 has the sign of y - (3 - 2 sqrt 2)", scaled, factors),
    )


def _can_rise(zeta2: Fraction, expected: bool) -> Fact:
    """Whether the risk can rise for psi1 > psi2 at this zeta, much data, and enough noise."""
    exact = _exact_threshold(curve_to(zeta2, Fraction(7, 5), Fraction(8000)))
    reason = f"at zeta^2 = {zeta2}, psi2 near 8000 the risk falls up to noise = {exact.str(6, radius=False)}"
    return Fact(f"beyond zeta^2 = {zeta2}", Decision(exact.is_finite() is expected, reason), certain=True)


@cache
def worst_ratio() -> Any:
    """The largest noise allowed over the matching one, in the limits psi1, psi2 -> infinity, p -> 0, v -> infinity."""
    at = point()
    ratio = width_slope_bias(at) / (-width_slope_variance(at) * matched_noise(at))
    top, bottom = sp.fraction(sp.together(ratio))
    for symbol in (a, b):
        top, bottom = _leading(top, bottom, symbol)
    top, bottom = sp.fraction(sp.cancel((top / bottom).subs(p, 0)))
    top, bottom = _leading(top, bottom, v)
    return sp.cancel(top / bottom)


def _leading(top: Any, bottom: Any, symbol: Any) -> tuple[Any, Any]:
    """The coefficients that a quotient of polynomials of the same degree tends to at infinity."""
    above, below = sp.Poly(top, symbol), sp.Poly(bottom, symbol)
    assert above.degree() == below.degree()
    return above.LC(), below.LC()


@cache
def _exact_threshold(curve: WidthCurve) -> arb:
    return curve.falling_noise()


def thresholds(allowed: Callable[[Fraction, Fraction, Fraction], Fraction]) -> Fact:
    """At each curve: the allowed noise is at most the exact threshold, and beyond that one the risk does rise."""
    wrong, figures = [], {}
    for curve in CURVES:
        exact = _exact_threshold(curve)
        limit = allowed(curve.zeta2, curve.psi2, curve.lambda_bar)
        where = f"zeta^2 = {curve.zeta2}, psi2 = {curve.psi2}, lambda_bar = {curve.lambda_bar}"
        figures[where] = f"allowed {float(limit):.6g}, exact {exact.str(8, radius=False)}"
        past = Fraction(float(exact)).limit_denominator(10**9) * Fraction(101, 100)
        turns = curve.extrema(past)
        rises = turns and turns[-1].kind == "minimum"  # from there on to psi1 = infinity
        if not ball(limit) <= exact:
            wrong.append(
                f"at {where} the risk rises from noise = {exact.str(8, radius=False)} on, not {float(limit):.6g}"
            )
        elif not rises:
            wrong.append(f"at {where} the risk does not rise at noise {float(past):.6g}")
    reason = wrong[0] if wrong else f"allowed <= exact at {len(CURVES)} curves, and 1% beyond the exact one it rises"
    return Fact("the exact threshold", Decision(not wrong, reason), certain=True, figures=figures)


def _allowed(setting: Setting) -> arb:
    penalty = given(setting, "ridge") / setting.activation.b_star() ** 2
    return 3 * matching_noise(slope_squared(setting), given(setting, "psi2"), penalty) / 2


THEOREM = Theorem(
    slug="penalised-descent",
    title="The risk falls with the width at a fixed penalty, unless there is too much noise",
    source="T, slide Insights",
    latex=(
        r"\frac{\partial R}{\partial\psi_1}(\psi_1,\psi_2,\lambda) < 0\ \text{for}\ \psi_1\ge\psi_2\ \text{if}\ "
        r"\frac{\tau^2}{\|\beta_0\|^2} \le \frac{3}{2}\,\frac{1+\psi_2\lambda/b_*^2}{\zeta^2}"
    ),
    parameters={"psi2": 2, "ridge": "1/10"},
    symbols=("psi2", "ridge", "b_1", "b_star", "zeta"),
    evaluate=symbols,
    value=_allowed,
    value_name="a noise up to which the risk surely falls for psi1 >= psi2",
    activation="relu",
    takes_activation=True,
    hypotheses=(ACTIVATION, LINEAR_PART),
    uses=("ridge-risk", "overparametrised-descent"),
    claims=(
        Shape(
            id="TL-MONO",
            part="ridge",
            readings=(
                Reading(
                    document="T",
                    place="Insights, the curves at lambda > 0",
                    printed="Same at lambda > 0 fixed",
                    states=_falls_at_every_penalty,
                    erratum=Erratum(
                        corrected=(
                            "falling for psi1 >= psi2 if noise <= (3/2)(1 + psi2 lambda_bar)/zeta^2, noise = "
                            "tau^2/||beta_0||^2 (so always without noise); 3/2 is the best constant, and with more "
                            "noise the risk can rise all the way to N/n = infinity; if zeta <= 1 + sqrt 2 (as ReLU) "
                            "it falls at every lambda and noise, for no larger zeta always"
                        ),
                        states=_condition,
                    ),
                ),
            ),
            mutants=(
                Mutant(name="every-noise-for-zeta^2-up-to-6", states=lambda setting: (_can_rise(Fraction(6), False),)),
                Mutant(
                    name="constant-2",
                    states=lambda setting: (thresholds(lambda z, psi, penalty: 2 * matching_noise(z, psi, penalty)),),
                ),
                Mutant(
                    name="psi2-squared",
                    states=lambda setting: (
                        thresholds(lambda z, psi, penalty: Fraction(3, 2) * (1 + psi**2 * penalty) / z),
                    ),
                ),
                Mutant(
                    name="any-noise-once-lambda-is-large",
                    states=lambda setting: (thresholds(lambda z, psi, penalty: psi * penalty),),
                ),
            ),
        ),
    ),
)
