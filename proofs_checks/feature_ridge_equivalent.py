"""B and V a second time, by deterministic equivalents, without nu_1, nu_2 or the printed polynomials.

Noisy linear features u = b_1 W x + b_* z (x, z Gaussian, W of N unit rows) are, given W, Gaussian with covariance
Sigma = b_1^2 W W^T + b_*^2 I, and y = <beta_0, x> + noise is jointly Gaussian with them. So y = <theta, u> + r with
theta = b_1 Sigma^-1 W beta_0 and r independent of u, Var(r) = tau^2 + ||beta_0||^2 m with m = 1 - b_1^2 <W^T Sigma^-1
W>, the brackets being the quadratic form at beta_0/||beta_0||: ordinary ridge regression with penalty mu = psi1
lambda. For that, with kappa > 0 the root of kappa (1 - df_1/n) = mu, df_1 = Tr Sigma (Sigma + kappa)^-1, df_2 = Tr
Sigma^2 (Sigma + kappa)^-2, the known equivalents are

    E (f - <theta, u>)^2  -> (kappa^2 <theta, Sigma (Sigma + kappa)^-2 theta> + Var(r) df_2/n)/(1 - df_2/n),
    training error        -> (mu/kappa)^2 times (the line above + Var(r)),
    min of the objective  -> (mu/kappa) (Var(r) + kappa <theta, Sigma (Sigma + kappa)^-1 theta>).

kappa^2/(x (x + kappa)^2) = 1/x - 1/(x + kappa) - kappa/(x + kappa)^2 removes m: with k = kappa/b_*^2, S(k) = b_1^2
times the normalised trace of W^T (Sigma + kappa)^-1 W, and primes for d/dk,

    B = (1 - S + k S')/(1 - df_2/n),   V = (df_2/n)/(1 - df_2/n),   df_2 = df_1 + k df_1'.

Both traces follow from Marchenko-Pastur: M(z) = (1/d) Tr (1 + z W^T W)^-1 is the positive root of
z M^2 + (1 + (psi1 - 1) z) M = 1, and with z = zeta^2/(1 + k): S = 1 - M, df_1/d = psi1 - (psi1 - 1 + M) k/(1 + k).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy as sp
from flint import arb, ctx

from proofs_checks.feature_ridge_point import RidgePoint
from proofs_checks.symbolic_step import SymbolicStep

_BITS = 320
"""Twice the bits of the other route: this one is written with differences, and loses digits where they cancel."""


@dataclass(frozen=True, eq=False)
class Equivalent:
    """The deterministic equivalents at a given k, with M and its derivative M' in z."""

    zeta2: Any
    psi1: Any
    psi2: Any
    k: Any
    M: Any

    @property
    def z(self) -> Any:
        return self.zeta2 / (1 + self.k)

    def marchenko_pastur(self) -> Any:
        """Zero at the right M."""
        return self.z * self.M**2 + (1 + (self.psi1 - 1) * self.z) * self.M - 1

    @property
    def M_slope(self) -> Any:
        """dM/dk: the Marchenko-Pastur equation differentiated, times dz/dk = -z/(1 + k)."""
        in_z = -(self.M**2 + (self.psi1 - 1) * self.M) / (2 * self.z * self.M + 1 + (self.psi1 - 1) * self.z)
        return -in_z * self.z / (1 + self.k)

    @property
    def df1(self) -> Any:
        """df_1/n."""
        return (self.psi1 - (self.psi1 - 1 + self.M) * self.k / (1 + self.k)) / self.psi2

    @property
    def df2(self) -> Any:
        """df_2/n = (df_1 + k df_1')/n."""
        share = self.k / (1 + self.k)
        slope = -((self.psi1 - 1 + self.M) / (1 + self.k) ** 2 + share * self.M_slope) / self.psi2
        return self.df1 + self.k * slope

    def penalty(self) -> Any:
        """mu/b_*^2 = psi1 lambda_bar at which kappa = k b_*^2."""
        return self.k * (1 - self.df1)

    def bias_variance(self) -> tuple[Any, Any]:
        return (self.M - self.k * self.M_slope) / (1 - self.df2), self.df2 / (1 - self.df2)

    def training_error(self) -> tuple[Any, Any]:
        """(mu/kappa)^2 = (1 - df_1/n)^2 times (B, 1 + V)."""
        bias, variance = self.bias_variance()
        return (1 - self.df1) ** 2 * bias, (1 - self.df1) ** 2 * (1 + variance)

    def objective(self) -> tuple[Any, Any]:
        return (1 - self.df1) * self.M, 1 - self.df1


def equivalent(zeta: arb, psi1: arb, psi2: arb, lambda_bar: arb) -> Equivalent:
    """The root k, by bisection: 1 - df_1/n - psi1 lambda_bar/k increases in k, from -infinity to 1."""
    with ctx.workprec(_BITS):
        low, high = arb(2) ** -200, arb(2) ** 200
        while True:
            middle = (low * high).sqrt().mid()
            point = _at(zeta, psi1, psi2, middle)
            sign = point.penalty() - psi1 * lambda_bar
            if sign > 0:
                high = middle
            elif sign < 0:
                low = middle
            else:
                return _at(zeta, psi1, psi2, low.union(high))


def equivalent_risk(zeta: arb, psi1: arb, psi2: arb, lambda_bar: arb) -> tuple[arb, arb]:
    """(B, V) by this route, for exact inputs to 25 digits and more."""
    with ctx.workprec(_BITS):
        return equivalent(zeta, psi1, psi2, lambda_bar).bias_variance()


def _at(zeta: arb, psi1: arb, psi2: arb, k: arb) -> Equivalent:
    z = zeta * zeta / (1 + k)
    middle = 1 + (psi1 - 1) * z
    return Equivalent(zeta * zeta, psi1, psi2, k, 2 / (middle + (middle * middle + 4 * z).sqrt()))


def matched() -> tuple[Equivalent, RidgePoint, sp.Expr]:
    """The two routes at one point, as rational functions of zeta, psi2, p and k, and lambda_bar there.

    Each point has such coordinates: p from the printed pair, k = a_1/p > 0. Then psi1 = (1 + k) p + s and M = 1 - s.
    """
    zeta, psi2, p, k = sp.symbols("zeta psi2 p k", positive=True)
    rest = 1 / (1 + zeta**2 * p)
    s = zeta**2 * p * rest
    psi1 = (1 + k) * p + s
    second = Equivalent(zeta**2, psi1, psi2, k, rest)
    first = RidgePoint(zeta**2, psi2, p, k * p, psi2 - p - s)
    return second, first, second.penalty() / psi1


def equivalence_steps() -> tuple[SymbolicStep, ...]:
    """The two routes solve the same equations and give the same B, V, training error and objective, identically.

    Numerators and denominators of B and V agree one by one after multiplication by psi2 (a_1 + K).
    """
    second, first, lambda_bar = matched()
    x, kappa = sp.symbols("x kappa", positive=True)
    fractions = 1 / x - 1 / (x + kappa) - kappa / (x + kappa) ** 2
    share = first.a1 + first.K
    pairs = {
        "the numerator of B": ((second.M - second.k * second.M_slope) * second.psi2 * share, first.bias_numerator()),
        "the numerator of V": (second.df2 * second.psi2 * share, first.variance_numerator()),
        "the denominator of both": ((1 - second.df2) * second.psi2 * share, first.D),
        "1 - df_1/n, whose square times the test error is the training error": (1 - second.df1, first.a2 / first.psi2),
        "the objective, signal": (second.objective()[0], first.objective()[0]),
        "the objective, noise": (second.objective()[1], first.objective()[1]),
    }
    return (
        SymbolicStep("the partial fractions that remove m", kappa**2 / (x * (x + kappa) ** 2), "=", fractions),
        SymbolicStep("a_1 = psi1 - g(p)", first.a1, "=", second.psi1 - first.p - first.s),
        SymbolicStep("M = 1 - s solves the Marchenko-Pastur equation", second.marchenko_pastur(), "=", sp.S.Zero),
        SymbolicStep(
            "the equation for kappa is a_1 a_2 = psi1 psi2 lambda_bar p",
            second.psi1 * second.psi2 * lambda_bar * first.p,
            "=",
            first.a1 * first.a2,
        ),
        *(SymbolicStep(f"both routes: {name}", left, "=", right) for name, (left, right) in pairs.items()),
    )
