"""The covariance of noisy linear features, seen through two resolvents in closed form.

u = zeta W x + z in R^N with x ~ N(0, I_d), z ~ N(0, I_N) and rows w_j of W uniform on the unit sphere: given W,

    Sigma = E[u u^T] = I + zeta^2 W W^T,     mu = E[u <beta_0, x>] = zeta W beta_0.

The spectrum of W W^T converges to the Marchenko-Pastur law with ratio psi1 = N/d (an atom at 0 of mass 1 - 1/psi1 if
psi1 > 1). Its resolvent M(x) = int (s + x)^-1 is the positive root of psi1 x M^2 + (1 - psi1 + x) M = 1, hence
T(t) = int (lambda + t)^-1 over the spectrum of Sigma is the positive root of

    psi1 zeta^2 (1 + t) T^2 + ((1 - psi1) zeta^2 + 1 + t) T = 1.

With w = psi1 T as the variable in place of t >= 0 everything is rational: with U = zeta^2 w/(1 + zeta^2 w),

    t = (psi1 - U)/w - 1,
    mu^T (Sigma + t)^-1 mu -> U,                            by rotation invariance beta_0 is as good as uniform,
    n^-1 Tr[Sigma (Sigma + t)^-1] -> V = (w + U)/psi2,      psi2 = n/d,

and the derivatives -dU/dt, -dV/dt are the same forms with (Sigma + t)^-2. As psi1 -> infinity at a fixed w, U and V
stay as they are and t/psi1 -> 1/w: the wide limit.
"""

from __future__ import annotations

from typing import NamedTuple

import sympy as sp

from proofs_checks.symbolic_step import Expression, SymbolicStep

zeta, psi1, psi2, w = sp.symbols("zeta psi1 psi2 w", positive=True)


class Resolvents(NamedTuple):
    """t and the four forms, as functions of w; in the wide limit t/psi1, U, psi1 U2, V, psi1 V2."""

    t: Expression
    U: Expression
    U2: Expression
    V: Expression
    V2: Expression


def _explained() -> Expression:
    return zeta**2 * w / (1 + zeta**2 * w)


def proportional() -> Resolvents:
    """N/d -> psi1 < infinity."""
    U = _explained()
    return _resolvents((psi1 - U) / w - 1)


def wide() -> Resolvents:
    """psi1 -> infinity, t in units of psi1 and the forms with a square in units of 1/psi1."""
    return _resolvents(1 / w)


def _resolvents(t: Expression) -> Resolvents:
    U = _explained()
    V = (w + U) / psi2
    slope = sp.diff(t, w)
    return Resolvents(t, U, sp.factor(-sp.diff(U, w) / slope), V, sp.factor(-sp.diff(V, w) / slope))


def resolvent_steps() -> tuple[SymbolicStep, ...]:
    """The closed forms from the Marchenko-Pastur equation, the derivatives, and the two limits."""
    T, t, s, x, M = sp.symbols("T t s x M", positive=True)
    equation = psi1 * zeta**2 * (1 + t) * T**2 + ((1 - psi1) * zeta**2 + 1 + t) * T - 1
    shifted = psi1 * x * M**2 + (1 - psi1 + x) * M - 1
    here, far = proportional(), wide()
    lam = 1 + zeta**2 * s
    return (
        SymbolicStep("1/(lambda + t) is the resolvent of W W^T at (1 + t)/zeta^2", 1 / (lam + t), "=",
                     zeta**-2 / (s + (1 + t) / zeta**2)),
        SymbolicStep("so the equation of T is that of M", shifted.subs({x: (1 + t) / zeta**2, M: zeta**2 * T}), "=",
                     equation),
        SymbolicStep("t(w) solves it", equation.subs({t: here.t, T: w / psi1}, simultaneous=True), "=", sp.Integer(0)),
        *_moment_steps(),
        SymbolicStep("mu^T f(Sigma) mu has the weight psi1 (lambda - 1)", psi1 * (lam - 1) / (lam + t), "=",
                     psi1 * (1 - (1 + t) / (lam + t))),
        SymbolicStep("so it is U for the resolvent", psi1 * (1 - (1 + here.t) * w / psi1), "=", here.U),
        SymbolicStep("Tr[Sigma f(Sigma)]/n has the weight psi1 lambda/psi2", psi1 / psi2 * lam / (lam + t), "=",
                     psi1 / psi2 * (1 - t / (lam + t))),
        SymbolicStep("so it is V for the resolvent", psi1 / psi2 * (1 - here.t * w / psi1), "=", here.V),
        SymbolicStep("the square of the resolvent is minus its derivative", -sp.diff(1 / (lam + t), t), "=",
                     (lam + t) ** -2),
        SymbolicStep("U2 in closed form", here.U2, "=", here.U * (1 - here.U) * w / (psi1 - here.U**2)),
        SymbolicStep("V2 in closed form", here.V2, "=",
                     w * (w + here.U * (1 - here.U)) / (psi2 * (psi1 - here.U**2))),
        SymbolicStep("wide: t/psi1", sp.limit(here.t / psi1, psi1, sp.oo), "=", far.t),
        SymbolicStep("wide: psi1 U2", sp.limit(psi1 * here.U2, psi1, sp.oo), "=", far.U2),
        SymbolicStep("wide: psi1 V2", sp.limit(psi1 * here.V2, psi1, sp.oo), "=", far.V2),
        SymbolicStep("t = 0 is a quadratic equation for y = zeta^2 w", zeta**2 * w * (1 + zeta**2 * w) * here.t, "=",
                     psi1 * zeta**2 - (1 + zeta**2 - psi1 * zeta**2) * zeta**2 * w - (zeta**2 * w) ** 2),
    )  # fmt: skip


def _moment_steps(order: int = 5) -> tuple[SymbolicStep, ...]:
    """The series of the root M in 1/x against the moments sum_j N(k, j) psi1^(j-1) of the law (Narayana numbers)."""
    h, M = sp.symbols("h M")
    moments = [sp.Integer(1)] + [
        sum(sp.binomial(k, j) * sp.binomial(k, j - 1) * psi1 ** (j - 1) for j in range(1, k + 1)) / k
        for k in range(1, order + 1)
    ]
    series = sum((-1) ** k * moment * h ** (k + 1) for k, moment in enumerate(moments))
    left = sp.expand(h * (psi1 * M**2 / h + (1 - psi1 + 1 / h) * M - 1)).subs(M, series)
    return tuple(
        SymbolicStep(f"moment {k} of the Marchenko-Pastur law", sp.expand(left).coeff(h, k + 1), "=", sp.Integer(0))
        for k in range(order + 1)
    )
