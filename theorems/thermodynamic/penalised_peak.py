r"""The peak over the width at a fixed penalty: not at N = n (T, slide Insights, "Same at lambda > 0 fixed").

noise = tau^2/||beta_0||^2, lambda_bar = lambda/b_*^2. At fixed lambda > 0 the print is false to the letter. R is
smooth and falls at N = n,

    dR/dpsi1 < 0 at psi1 = psi2    whenever noise <= (3/2)(1 + psi2 lambda_bar)/zeta^2,

so that the maximum is on the left of the threshold, where there is one. It moves there as lambda -> 0+:

    psi1 - psi2 = -lambda_bar psi2 p (noise (K - s^2) + (1 - s)(K + 3 s^2 + 4 s p))/(K (noise + 1 - s)) + ...,
    R at N = n  = (noise + 1 - s)/(2 sqrt(p lambda_bar)) + ...,

with s, p = psi2 - s, K = psi2 - s^2 those of the ridgeless limit. What becomes of the peak at large lambda is decided
at small widths, where (R - 1)/psi1 -> (1 + noise)/psi2 - zeta^2/(1 + zeta^2) at every lambda. If psi2 < (1 + noise)(1
+ 1/zeta^2), R rises from 1 and has a maximum at every lambda for which it ends below 1, ever farther to the left;
otherwise it falls at first, and the peak is gone for large lambda: certified on both sides at the cases below (all
extrema are enclosed, none is missed).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache

import sympy as sp

from proofs_checks.double_descent import (
    a,
    b,
    degrees,
    matched_noise,
    noise,
    p,
    penalty,
    point,
    reduced,
    risk,
    slope_steps,
    width_slope,
    width_slope_bias,
)
from proofs_checks.double_descent_widths import Extremum, WidthCurve
from proofs_checks.feature_ridge_point import RidgePoint
from theorems.claim import (
    Decision,
    Equation,
    Erratum,
    Fact,
    Mutant,
    Prediction,
    Reading,
    Setting,
    Shape,
    Statement,
    Theorem,
)
from theorems.steps import statements
from theorems.thermodynamic.descent_evidence import LINEAR_PART, always_positive, ball
from theorems.thermodynamic.interpolation_singularity import CONSTANT
from theorems.thermodynamic.penalised_descent import BEST
from theorems.thermodynamic.random_feature_ridge import ACTIVATION

AT_THRESHOLD = point(b, b)
INITIAL = sp.symbols("z y l", positive=True)
"""zeta^2, psi2 and lambda_bar, where psi1 -> 0."""
AT = point()

CASES = (
    (Fraction(2), Fraction(3), Fraction(1, 5), Fraction(1, 21), Fraction(1, 20)),
    (Fraction(20), Fraction(4), Fraction(2), Fraction(1, 10), Fraction(1)),
    (Fraction(10), Fraction(1, 2), Fraction(0), Fraction(1, 10), Fraction(20)),
)
"""zeta^2, psi2, noise and two values of lambda_bar."""


def _falls_at_first(case: tuple[Fraction, ...]) -> bool:
    zeta2, psi2, level, *_ = case
    return psi2 > (1 + level) * (1 + 1 / zeta2)


@cache
def _extrema(zeta2: Fraction, psi2: Fraction, value: Fraction, level: Fraction) -> tuple[Extremum, ...]:
    return WidthCurve(zeta2, psi2, value).extrema(level)


def _exactly_at_threshold(setting: Setting) -> tuple[Statement, ...]:
    """As printed: a maximum at psi1 = psi2."""
    zeta2, psi2, level, value, _ = CASES[0]
    peaks = [turn.psi1 for turn in _extrema(zeta2, psi2, value, level) if turn.kind == "maximum"]
    holds = any(place.contains(ball(psi2)) for place in peaks)
    where = ", ".join(place.str(10, radius=False) for place in peaks)
    reason = (
        f"at zeta^2 = {zeta2}, psi2 = {psi2}, lambda_bar = {value}, noise = {level} the maximum is at psi1 = {where}"
    )
    return (Fact("a maximum at psi1 = psi2", Decision(holds, reason), certain=True),)


def offset() -> sp.Expr:
    """(psi1 - psi2)/epsilon^2 at the peak; a = b = epsilon to leading order, epsilon^2 = psi^2 p lambda_bar."""
    s, k, q = AT.s, AT.K, AT.rest
    return -(noise * (k - s**2) + q * (k + 3 * s**2 + 4 * s * AT.p)) / (degrees(AT) * k * (noise + q))


@cache
def _expansion() -> tuple[sp.Expr, sp.Expr, sp.Expr]:
    """S = first a + second b + third epsilon^2 + ... at a, b = epsilon to leading order."""

    def derivative(*directions: sp.Symbol) -> sp.Expr:
        return sp.cancel(sp.together(sp.diff(width_slope(AT), *directions).subs({a: 0, b: 0})))

    return derivative(a), derivative(b), derivative(a, a) / 2 + derivative(a, b) + derivative(b, b) / 2


def _balance(place: sp.Expr) -> sp.Expr:
    """The coefficient of epsilon^2 in S at a = epsilon + place epsilon^2, b = epsilon: zero at the peak."""
    first, _, third = _expansion()
    return sp.cancel(sp.together(first * place + third))


def _height() -> sp.Expr:
    """The limit of epsilon R at psi1 = psi2."""
    return sp.cancel(sp.together(b * risk(AT_THRESHOLD))).subs(b, 0)


def _left_of_threshold(setting: Setting) -> tuple[Statement, ...]:
    return (
        *statements(slope_steps()),
        always_positive("S > 0 at N = n without noise", width_slope_bias(AT_THRESHOLD)),
        always_positive("and at the largest noise", width_slope(AT_THRESHOLD, BEST * matched_noise(AT_THRESHOLD))),
        *statements((reduced("S has no term in epsilon at a = b = epsilon", _expansion()[0], -_expansion()[1]),)),
        *statements((reduced("where S vanishes as lambda -> 0+", _balance(offset()), sp.S.Zero),)),
        *statements((reduced("epsilon R at N = n", _height(), CONSTANT / 2),)),
        *statements((reduced("epsilon^2 = psi^2 p lambda_bar", _squared() * penalty(AT_THRESHOLD), b**2),)),
        *statements((reduced("(R - 1)/psi1 as psi1 -> 0", initial_slope(), _initial_slope_stated()),)),
        _peaks(lambda falls_at_first, strong: not (falls_at_first and strong)),
    )


def _squared() -> sp.Expr:
    """psi^2 p at psi1 = psi2 = psi."""
    return AT_THRESHOLD.psi2**2 * AT_THRESHOLD.p


@cache
def initial_slope() -> sp.Expr:
    """The limit of (R - 1)/psi1 as psi1 -> 0 at fixed zeta^2 = z, psi2 = y and lambda_bar = l."""
    z, y, strength = INITIAL
    g = p + z * p / (1 + z * p)
    other = y - g
    at = RidgePoint(z, y, p, g * y * strength * p / (other - y * strength * p), other)
    return sp.cancel(sp.together((risk(at) - 1) / (g + at.a1))).subs(p, 0)


def _initial_slope_stated() -> sp.Expr:
    z, y, _ = INITIAL
    return (1 + noise) / y - z / (1 + z)


def _peaks(expected: Callable[[bool, bool], bool]) -> Fact:
    """Whether there is one maximum, or none, as expected from the initial slope and the strength of the penalty."""
    wrong, figures = [], {}
    for case in CASES:
        zeta2, psi2, level, *penalties = case
        for value in penalties:
            turns = _extrema(zeta2, psi2, value, level)
            where = f"zeta^2 = {zeta2}, psi2 = {psi2}, noise = {level}, lambda_bar = {value}"
            told = [
                f"{turn.kind} {turn.risk.str(6, radius=False)} at {turn.psi1.str(8, radius=False)}" for turn in turns
            ]
            figures[where] = ", ".join(told) or "falls everywhere"
            maxima = [turn.kind for turn in turns].count("maximum")
            if maxima != int(expected(_falls_at_first(case), value == penalties[-1])):
                wrong.append(f"at {where}: {figures[where]}")
    reason = wrong[0] if wrong else f"as stated on both sides at {len(CASES)} parameters"
    return Fact("all extrema over the width", Decision(not wrong, reason), certain=True, figures=figures)


def _displaced(factor: int) -> Prediction:
    return lambda setting: (Equation("S = 0 there", _balance(factor * offset()), sp.S.Zero),)


def _twice_as_high(setting: Setting) -> tuple[Statement, ...]:
    return (Equation("epsilon R at N = n", _height(), CONSTANT),)


def _at_every_penalty(setting: Setting) -> tuple[Statement, ...]:
    return (_peaks(lambda falls_at_first, strong: True),)


def _never_at_a_large_one(setting: Setting) -> tuple[Statement, ...]:
    return (_peaks(lambda falls_at_first, strong: not strong),)


THEOREM = Theorem(
    slug="penalised-peak",
    title="The peak over the width at a fixed penalty",
    source="T, slide Insights",
    latex=(
        r"\arg\max_{\psi_1} R(\psi_1,\psi_2,\lambda) < \psi_2,\qquad "
        r"R(\psi_2,\psi_2,\lambda) \sim \frac{\|\beta_0\|^2(1-s)+\tau^2}{2\sqrt{p\,\lambda/b_*^2}}\ (\lambda\to 0)"
    ),
    activation="relu",
    takes_activation=True,
    hypotheses=(ACTIVATION, LINEAR_PART),
    uses=("ridge-risk", "interpolation-singularity", "interpolation-peak", "penalised-descent"),
    claims=(
        Shape(
            id="TL-PEAK",
            part="ridge",
            readings=(
                Reading(
                    document="T",
                    place="Insights, the curves at lambda > 0",
                    printed="Same at lambda > 0 fixed",
                    states=_exactly_at_threshold,
                    erratum=Erratum(
                        corrected=(
                            "at lambda > 0 the risk falls at N = n if noise <= (3/2)(1 + psi2 lambda_bar)/zeta^2, "
                            "so the peak is at N < n, at a distance proportional to lambda as lambda -> 0 and with a "
                            "height proportional to lambda^(-1/2); whether large lambda removes it depends on the "
                            "start: the risk falls at small N if and only if psi2 > (1 + noise)(1 + 1/zeta^2)"
                        ),
                        states=_left_of_threshold,
                    ),
                ),
            ),
            mutants=(
                Mutant(name="on-the-right-of-it", states=_displaced(-1)),
                Mutant(name="twice-as-far", states=_displaced(2)),
                Mutant(name="twice-as-high", states=_twice_as_high),
                Mutant(name="at-every-lambda", states=_at_every_penalty),
                Mutant(name="never-at-large-lambda", states=_never_at_a_large_one),
            ),
        ),
    ),
)
