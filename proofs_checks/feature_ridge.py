"""Ridge regression on random features in the proportional limit: chi, E_0, E_1, E_2, B and V as balls.

The model: y = <beta_0, x> + noise of variance tau^2; f(x) = sum a_i sigma(<w_i, x>), i <= N, fitted to n samples with
penalty (N lambda/d) ||a||^2 added to the *mean* square; N/d -> psi1, n/d -> psi2; b_1 = E[G sigma(G)] and b_*^2 =
E sigma^2 - (E sigma)^2 - b_1^2. Then everything below is a function of

    zeta = |b_1|/b_*,   psi1,   psi2,   lambda_bar = lambda/b_*^2,

and the test error E_x (f(x) - <beta_0, x>)^2 tends to ||beta_0||^2 B + tau^2 V.

The one unknown is p = -chi, the root of g(p) + delta(p) = min(psi1, psi2) (`feature_ridge_point.py`). The left side
increases strictly from 0 and is concave, so there is one root; it is enclosed by bisection from a proved bracket,
sharpened by the interval Newton image of the same bracket, and no step relies on a guess.
"""

from __future__ import annotations

from dataclasses import dataclass

from flint import arb, ctx

from proofs_checks.ball_function import CannotDecide
from proofs_checks.feature_ridge_float import fast_bias_variance, fast_large_sample, fast_point, fast_wide
from proofs_checks.feature_ridge_point import Balance, LinearGap, NoGap, RidgeGap, RidgePoint, inverse_g

__all__ = [
    "RidgeRisk",
    "coefficient_norm",
    "fast_bias_variance",
    "fast_large_sample",
    "fast_point",
    "fast_wide",
    "large_sample",
    "nu",
    "ridge_point",
    "ridge_risk",
    "ridgeless",
    "threshold_growth",
    "training_error",
    "training_objective",
    "wide",
]

_WANTED_BITS = 84
"""25 digits: log2(10) < 3.33."""
_BITS = (160, 320, 640, 1280)
"""Working precisions. A relative change of the inputs changes p by at most min(psi1, psi2)/(K + delta/2) times as much,
so that the first one does unless the parameters are beyond 10^10."""


@dataclass(frozen=True, eq=False)
class RidgeRisk:
    """chi < 0, the printed polynomials there, and B = E_1/E_0, V = E_2/E_0."""

    chi: arb
    e0: arb
    e1: arb
    e2: arb
    bias: arb
    variance: arb

    def accuracy(self) -> int:
        """Bits to which each of them is known."""
        values = (self.chi, self.e0, self.e1, self.e2, self.bias, self.variance)
        return min(int(value.rel_accuracy_bits()) for value in values)


def ridge_risk(zeta: arb, psi1: arb, psi2: arb, lambda_bar: arb) -> RidgeRisk:
    """B and V at a point, to 25 digits and more where the inputs are that sharp.

    >>> risk = ridge_risk(arb(1), arb(2), arb(1), arb("0.1"))
    >>> risk.bias.str(12, radius=False), risk.variance.str(12, radius=False)
    ('0.924523507757', '0.804263707671')
    """
    _require_positive(psi1=psi1, psi2=psi2, lambda_bar=lambda_bar)
    _require_slope(zeta)
    risk = _risk_at(_BITS[0], zeta, psi1, psi2, lambda_bar)
    for bits in _BITS[1:]:
        before = risk.accuracy()
        if before >= _WANTED_BITS:
            break
        risk = _risk_at(bits, zeta, psi1, psi2, lambda_bar)
        if risk.accuracy() <= before + 1:  # what is missing is missing in the inputs
            break
    return risk


def _risk_at(bits: int, zeta: arb, psi1: arb, psi2: arb, lambda_bar: arb) -> RidgeRisk:
    with ctx.workprec(bits):
        point = _point(zeta, psi1, psi2, psi1 * psi2 * lambda_bar)
        return RidgeRisk(-point.p, *point.polynomials(), *point.bias_variance())


def ridge_point(zeta: arb, psi1: arb, psi2: arb, lambda_bar: arb) -> RidgePoint:
    """p = -chi and a_j = psi_j - g(p), from which every limit of this model is computed."""
    _require_positive(psi1=psi1, psi2=psi2, lambda_bar=lambda_bar)
    _require_slope(zeta)
    with ctx.workprec(_BITS[0]):
        return _point(zeta, psi1, psi2, psi1 * psi2 * lambda_bar)


def nu(zeta: arb, psi1: arb, psi2: arb, t: arb) -> tuple[arb, arb]:
    """(n_1, n_2), both positive: nu_j(i t) = i n_j is the solution in the upper half plane at xi = i t, t > 0."""
    _require_positive(psi1=psi1, psi2=psi2, t=t)
    _require_slope(zeta)
    with ctx.workprec(_BITS[0]):
        point = _point(zeta, psi1, psi2, t**2)
        return point.a1 / t, point.a2 / t


def training_error(zeta: arb, psi1: arb, psi2: arb, lambda_bar: arb) -> tuple[arb, arb]:
    """The limit of (1/n) sum (y_i - f(x_i))^2 is ||beta_0||^2 times the first plus tau^2 times the second."""
    return ridge_point(zeta, psi1, psi2, lambda_bar).training_error()


def training_objective(zeta: arb, psi1: arb, psi2: arb, lambda_bar: arb) -> tuple[arb, arb]:
    """The same for the minimum of the objective, (1/n) sum (y_i - f(x_i))^2 + (N lambda/d) ||a||^2."""
    return ridge_point(zeta, psi1, psi2, lambda_bar).objective()


def coefficient_norm(zeta: arb, psi1: arb, psi2: arb, lambda_bar: arb) -> tuple[arb, arb]:
    """The same for b_*^2 ||a||^2 (no factor N or d: sum a_i^2 itself has a limit).

    The penalty at the minimum, (N lambda/d) ||a||^2, is psi1 lambda_bar times it.
    """
    return ridge_point(zeta, psi1, psi2, lambda_bar).coefficient_norm()


def ridgeless(zeta: arb, psi1: arb, psi2: arb) -> tuple[arb, arb]:
    """The limits of B and V as lambda_bar -> 0+, for psi1 != psi2.

    At psi1 = psi2 both are +infinity, and grow like lambda_bar^(-1/2) (`threshold_growth`).
    """
    _require_positive(psi1=psi1, psi2=psi2)
    _require_slope(zeta)
    if psi1.is_exact() and psi2.is_exact() and psi1 == psi2:
        return arb.pos_inf(), arb.pos_inf()
    with ctx.workprec(_BITS[0]):
        if (psi1 - psi2).contains(0):
            raise CannotDecide(
                "psi1 and psi2 cannot be told apart, and the ridgeless limit is infinite where they agree."
            )
        return _solved(zeta, psi1, psi2, NoGap()).bias_variance()


def threshold_growth(zeta: arb, psi: arb) -> tuple[arb, arb]:
    """The limits of sqrt(lambda_bar) B and sqrt(lambda_bar) V as lambda_bar -> 0+ at psi1 = psi2 = psi.

    There a_1 = a_2 = psi sqrt(lambda_bar p), so D/sqrt(lambda_bar) -> 2 K psi sqrt(p), with g(p) = psi.
    """
    _require_positive(psi=psi)
    _require_slope(zeta)
    with ctx.workprec(_BITS[0]):
        point = _solved(zeta, psi, psi, NoGap())
        growth = 2 * point.K * psi * point.p.sqrt()
        return point.bias_numerator() / growth, point.variance_numerator() / growth


def wide(zeta: arb, psi2: arb, lambda_bar: arb) -> tuple[arb, arb]:
    """The limits of B and V as psi1 -> infinity: p solves psi2 lambda_bar p = psi2 - g(p), and D/psi1 -> a_2 + K."""
    _require_positive(psi2=psi2, lambda_bar=lambda_bar)
    _require_slope(zeta)
    with ctx.workprec(_BITS[0]):
        return _linear(zeta, psi2, lambda_bar).wide()


def large_sample(zeta: arb, psi1: arb, lambda_bar: arb) -> tuple[arb, arb]:
    """The limits of B and V as psi2 -> infinity: p solves psi1 lambda_bar p = psi1 - g(p), D/psi2 -> a_1 + K, V = 0."""
    _require_positive(psi1=psi1, lambda_bar=lambda_bar)
    _require_slope(zeta)
    with ctx.workprec(_BITS[0]):
        return _linear(zeta, psi1, lambda_bar).large_sample()


def _point(zeta: arb, psi1: arb, psi2: arb, square: arb) -> RidgePoint:
    return _solved(zeta, psi1, psi2, RidgeGap(square, abs(psi1 - psi2)))


def _solved(zeta: arb, psi1: arb, psi2: arb, gap: RidgeGap | NoGap) -> RidgePoint:
    p = solve(Balance(zeta * zeta, psi1.min(psi2), gap))
    delta = gap.value(p)
    more = psi1 - psi2
    return RidgePoint(zeta * zeta, psi2, p, delta + more.nonnegative_part(), delta + (-more).nonnegative_part())


def _linear(zeta: arb, psi: arb, lambda_bar: arb) -> RidgePoint:
    """The point where one of psi1, psi2 is infinite and the other is `psi`; its a_1 = a_2 is that of the finite one."""
    gap = LinearGap(psi * lambda_bar)
    p = solve(Balance(zeta * zeta, psi, gap))
    return RidgePoint(zeta * zeta, psi, p, gap.value(p), gap.value(p))


def solve(balance: Balance) -> arb:
    """The root p of a balance, for every value of its inputs inside their balls.

    The sign at the middle keeps one half; the slope decreases, so its values at the two ends enclose it in between, and
    the interval Newton image of the bracket, which holds the root too, is intersected with that half.
    """
    low, high = _bracket(balance)
    while True:
        middle = (low * high).sqrt().mid() if high > 2 * low else ((low + high) / 2).mid()
        if not (low < middle and middle < high):  # no number of this precision lies between them
            return low.union(high)
        excess = balance.excess(middle)
        # Of two far ends the union of slopes, as a ball, may reach zero: that of their inverses does no harm.
        image = middle - excess * (1 / balance.slope(low)).union(1 / balance.slope(high))
        left, right = low.max(image.lower()), high.min(image.upper())
        if excess > 0:
            right = right.min(middle)
        elif excess < 0:
            left = left.max(middle)
        elif not 2 * (right - left) < high - low:
            return low.union(high)
        low, high = left, right


def _bracket(balance: Balance) -> tuple[arb, arb]:
    """g and delta are at most least/2 at the left end, and one of them reaches `least` at the right end."""
    low = balance.least_root().lower()
    high = inverse_g(balance.zeta2, balance.least).min(balance.gap.inverse(balance.least)).upper()
    if not (low > 0 and high.is_finite()):
        raise CannotDecide("the parameters are not known well enough to bracket chi; give more digits of them.")
    return low, high


def _require_positive(**inputs: arb) -> None:
    for name, value in inputs.items():
        if not (value > 0 and value.is_finite()):
            raise CannotDecide(f"{name} = {value.str(8)} is not shown to be positive and finite.")


def _require_slope(zeta: arb) -> None:
    """A ball around zero is welcome: b_1 = 0 need not be known exactly, and only zeta^2 matters."""
    if zeta < 0 or not zeta.is_finite():
        raise CannotDecide(f"zeta = {zeta.str(8)} is not a finite number >= 0.")
