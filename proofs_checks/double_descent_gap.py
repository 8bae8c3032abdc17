"""A finite width against the infinite one at the same penalty: the sign of R(psi1) - R(psi1 = infinity), everywhere.

Both points have the same zeta^2, psi2 and lambda_bar. At the finite width zeta^2 p = v; at the infinite one it is v +
w, and psi2 - g = e there. The free positive numbers (zeta^2, v, w, e) are then coordinates of all zeta, psi1, psi2,
lambda_bar, and e = 0 is the ridgeless limit with psi1 < psi2. With t = (v + w)/(1 + v + w), the s of the infinite
width,

    D (psi2 - t^2) (R - R(infinity)) = K ((psi2 (1 - s) + noise g)(psi2 - t^2) - b (psi2 (1 - t)^2 + noise t^2))
                                       + a psi2 (t - s) (psi2 (2 - s - t) - (s + t - 2 s t) - noise (s + t)).
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from proofs_checks.double_descent import degrees, noise, point, reduced, risk, v, wide_risk
from proofs_checks.feature_ridge_point import RidgePoint
from proofs_checks.symbolic_step import Expression, SymbolicStep

zeta2, w, e = sp.symbols("z w e", positive=True)
more_noise = sp.Symbol("x", positive=True)
_t = sp.Symbol("t", positive=True)

LIMIT = v + w
SHARE = LIMIT / (1 + LIMIT)
_APART = w / ((1 + v) * (1 + LIMIT))
"""t - s."""
_DROP = w / zeta2 + _APART
"""g at the infinite width minus g at the finite one."""


def finite(rest: Expression = e) -> RidgePoint:
    """The point of finite width; `rest` is psi2 - g at the infinite one, 0 without penalty."""
    g = v / zeta2 + v / (1 + v)
    share = rest * v / LIMIT  # psi2 lambda_bar p
    return RidgePoint(zeta2, g + _DROP + rest, v / zeta2, g * share / (_DROP + rest * w / LIMIT), _DROP + rest)


MATCH = (LIMIT / zeta2 + e) / LIMIT
"""(1 + psi2 lambda_bar)/zeta^2."""


def gap(at: RidgePoint, level: Expression, share: Expression, apart: Expression) -> Expression:
    """D (psi2 - t^2) (R - R(infinity)) as a sum of two terms, at t = share, t - s = apart."""
    psi2, s = at.psi2, at.s
    narrow, wide = psi2 * at.rest + level * degrees(at), psi2 * (1 - share) ** 2 + level * share**2
    bend = psi2 * (2 - s - share) - (s + share - 2 * s * share) - level * (s + share)
    return at.K * (narrow * (psi2 - share**2) - at.a2 * wide) + at.a1 * psi2 * apart * bend


def penalised_gap(level: Expression) -> Expression:
    """The gap in the coordinates (zeta^2, v, w, e)."""
    return gap(finite(), level, SHARE, _APART)


@cache
def gap_steps() -> tuple[SymbolicStep, ...]:
    """The formula for the gap, and that finite and infinite width have the same penalty and match."""
    at, here = point(), finite()
    left = at.D * (at.psi2 - _t**2) * (risk(at) - wide_risk(_t, at.psi2))
    far = e / (here.psi2 * LIMIT / zeta2)  # b = psi2 lambda_bar p at psi1 = infinity
    return (
        reduced("the gap", left, gap(at, noise, _t, _t - at.s)),
        reduced("g + e = psi2 at the infinite width", LIMIT / zeta2 + SHARE + e, here.psi2),
        reduced("the same penalty", here.a1 * here.a2, far * (degrees(here) + here.a1) * here.psi2 * here.p),
        reduced("the matching noise", MATCH, (1 + here.psi2 * far) / zeta2),
        reduced("t - s", SHARE - here.s, _APART),
    )


def null_threshold(psi2: Expression, share: Expression) -> Expression:
    """psi2 (2 - t)/t - 1: the noise at which the infinite width is as good as the zero predictor."""
    return psi2 * (2 - share) / share - 1
