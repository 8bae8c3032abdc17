"""The psi equation of the random-features theorem, solved with proof.

Given rho > 0, lambda_1, lambda~ > 0 and a law D on [0, inf), psi > 0 solves

    -lambda~ = -rho/psi + int lambda_1^2 t/(1 + lambda_1^2 t psi) D(dt).

Multiplied by psi this is F(psi) = rho with

    F(psi) = lambda~ psi + W(lambda_1^2 psi),   W(a) = int a t/(1 + a t) D(dt),

and F increases strictly from 0 to infinity: there is exactly one solution (`uniqueness_steps`). For
lambda_1 != 0 we solve for a = lambda_1^2 psi, kappa a + W(a) = rho with kappa = lambda~/lambda_1^2, by
bisection from a proved bracket and then by interval Newton, whose image inside the interval proves once
more, for this instance, that it holds one root and no other.
"""

from __future__ import annotations

import sympy as sp
from flint import arb, ctx, fmpq

from proofs_checks.ball_function import CannotDecide
from proofs_checks.spectral_law import SpectralLaw
from proofs_checks.symbolic_step import SymbolicStep


class NoEnclosureError(CannotDecide):
    """The psi equation cannot be solved with proof for these inputs; the message says why."""


def uniqueness_steps() -> tuple[SymbolicStep, ...]:
    """Existence and uniqueness of psi, for the integrand at a fixed t >= 0 (D has mass one).

    The integrand of W is at most 1 and continuous in psi, so the pointwise statements integrate over D:
    F is continuous, strictly increasing, tends to 0 at 0 (dominated convergence) and to infinity.
    """
    psi, rho, slack, s, t = sp.symbols("psi rho lambda_tilde s t", positive=True)
    lambda_1 = sp.Symbol("lambda_1", real=True)
    weight = lambda_1**2 * s  # s stands for an eigenvalue t > 0; t = 0 adds nothing to either side.
    printed = -rho / psi + weight / (1 + weight * psi) + slack
    monotone = slack * psi + 1 - 1 / (1 + weight * psi)
    derivative = sp.diff(monotone, psi)
    ratio = sp.Symbol("r", nonnegative=True)
    return (
        SymbolicStep("eq. (9) times psi is the monotone form", psi * printed, "=", monotone - rho),
        SymbolicStep(
            "the monotone form increases strictly",
            sp.Integer(0),
            "<",
            derivative,
            certificate=slack + weight / (1 + weight * psi) ** 2,
        ),
        SymbolicStep("it tends to 0 at psi = 0", sp.limit(monotone, psi, 0), "=", sp.Integer(0)),
        SymbolicStep(
            "it exceeds lambda~ psi, hence every level",
            slack * psi,
            "<=",
            monotone,
            certificate=weight * psi / (1 + weight * psi),
        ),
        SymbolicStep(
            "it stays below (lambda~ + lambda_1^2 t) psi",
            monotone,
            "<=",
            (slack + weight) * psi,
            certificate=(weight * psi) ** 2 / (1 + weight * psi),
        ),
        SymbolicStep(
            "stretching the argument by 1 + r divides the slope by at most (1 + r)^2",
            t / (1 + psi * t) ** 2 / (1 + ratio) ** 2,
            "<=",
            t / (1 + (1 + ratio) * psi * t) ** 2,
            certificate=ratio
            * t
            * (2 + ratio + 2 * (1 + ratio) * psi * t)
            / ((1 + ratio) ** 2 * (1 + psi * t) ** 2 * (1 + (1 + ratio) * psi * t) ** 2),
        ),
        SymbolicStep(
            "and does not increase it",
            t / (1 + (1 + ratio) * psi * t) ** 2,
            "<=",
            t / (1 + psi * t) ** 2,
            certificate=ratio
            * psi
            * t**2
            * (2 + (2 + ratio) * psi * t)
            / ((1 + psi * t) ** 2 * (1 + (1 + ratio) * psi * t) ** 2),
        ),
    )


def solve_psi(rho: arb, lambda_1: arb, lambda_tilde: arb, law: SpectralLaw, digits: int = 40) -> arb:
    """The solution psi, as a ball of relative radius below 10^-digits if the inputs are exact.

    For uncertain inputs the ball holds the solution for each value in the input balls: psi increases
    with rho and decreases with lambda~ and |lambda_1|, so the two extreme corners are solved.

    >>> from proofs_checks.spectral_law import PointMass
    >>> psi = solve_psi(arb(2), arb(1), arb(1), PointMass(1))  # psi + psi/(1 + psi) = 2
    >>> bool(psi.overlaps(arb(2).sqrt())), bool(psi.rad() < 1e-39)
    (True, True)
    """
    rho, lambda_1, lambda_tilde = arb(rho), arb(lambda_1), arb(lambda_tilde)
    with ctx.workprec(_target_bits(digits)):
        if not (lambda_tilde > 0 and lambda_tilde.is_finite()):
            raise NoEnclosureError(
                f"lambda~ = {lambda_tilde.str(8)} is not shown to be positive: sigma is affine, or its "
                "second moment needs more digits"
            )
        if not (rho > 0 and rho.is_finite()):
            raise NoEnclosureError(f"rho must be positive and finite: {rho.str(8)} is not shown to be")
        if not lambda_1.is_finite():
            raise NoEnclosureError("lambda_1 is not finite")
        if rho.is_exact() and lambda_1.is_exact() and lambda_tilde.is_exact():
            return _solve_exact(rho, abs(lambda_1), lambda_tilde, law, digits)
        lowest = _solve_exact(rho.lower(), lambda_1.abs_upper(), lambda_tilde.upper(), law, digits)
        highest = _solve_exact(rho.upper(), lambda_1.abs_lower(), lambda_tilde.lower(), law, digits)
        return lowest.union(highest)


def _target_bits(digits: int) -> int:
    """Bits for 10^-digits (log2(10) < 10/3), and 48 guard bits for the rounding of some dozen operations."""
    return digits * 10 // 3 + 48


BISECTION_RATIO = fmpq(9, 8)
"""Interval Newton lands inside once hi/lo is below this. Widened by half its width w on each side, the bracket
is [m - w, m + w] with slopes between (17/19)^2 and (17/15)^2 times that at m, a ratio below 1.61; the root is
within w/2 of m, so the image stays within 0.81 w of it."""

MOST_BITS = 20_000
"""Digits lost to an ill-conditioned root (rho next to the mass of D off zero, kappa tiny) are won back by
precision; inputs that need more than this are refused."""


def _solve_exact(rho: arb, lambda_1: arb, lambda_tilde: arb, law: SpectralLaw, digits: int) -> arb:
    """psi for exact inputs: bisection, then Newton, with more bits whenever the bracket stops shrinking."""
    mean = arb(fmpq(int(law.mean.p), int(law.mean.q)))
    if lambda_1 == 0 or mean == 0:
        return rho / lambda_tilde
    kappa = lambda_tilde / lambda_1**2
    # W(a) <= a E T from above and W >= 0 from below bracket the root.
    low, high = (rho / (kappa + mean)).lower(), (rho / kappa).upper()
    tolerance = arb(10) ** -digits / 4
    bits = 53
    proved = False
    while not (proved and high - low < tolerance * low):
        with ctx.workprec(bits):
            kappa = lambda_tilde / lambda_1**2
            if high < BISECTION_RATIO * low:
                bracket = _newton(rho, kappa, law, low, high)
                proved = proved or bracket is not None
            else:
                bracket = _bisect(rho, kappa, law, low, high)
        if bracket is None or not 2 * (bracket[1] - bracket[0]) < high - low:
            # Bisection halves the logarithm, which need not halve the width: only a failure asks for bits.
            if bracket is None or high < BISECTION_RATIO * low:
                bits = max(2 * bits, _target_bits(digits))
            if bits > MOST_BITS:
                raise NoEnclosureError("psi is too ill-conditioned: rho sits where the psi equation is flat")
        if bracket is not None:
            low, high = bracket
    return low.union(high) / lambda_1**2


def _bisect(rho: arb, kappa: arb, law: SpectralLaw, low: arb, high: arb) -> tuple[arb, arb] | None:
    """The half (in logarithm) of the bracket that holds the root; None if the sign is undecided."""
    middle = (low * high).sqrt().mid()
    excess = kappa * middle + law.absorbed(middle) - rho
    if excess > 0:
        return low, middle
    if excess < 0:
        return middle, high
    return None


def _newton(rho: arb, kappa: arb, law: SpectralLaw, low: arb, high: arb) -> tuple[arb, arb] | None:
    """The interval Newton image of the bracket, widened; None if it does not land inside.

    The slope over the interval is enclosed from its value at the midpoint m alone: between a and m it
    changes by a factor between 1 and (m/a)^2 (last two of `uniqueness_steps`).
    """
    margin = (high - low) / 2
    left, right = (low - margin).lower(), (high + margin).upper()
    middle = ((left + right) / 2).mid()
    slope = law.slope(middle)
    slopes = (slope * (middle / right) ** 2).union(slope * (middle / left) ** 2)
    image = middle - (kappa * middle + law.absorbed(middle) - rho) / (kappa + slopes)
    if left < image and image < right:
        return image.lower(), image.upper()
    return None
