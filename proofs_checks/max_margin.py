"""kappa_* and Err_* of the max-margin classifier on noisy linear features, with proof of the digits.

The three equations of max_margin_derivation.py are solved by Newton's method in double precision along a path in
psi2 that begins where the solution is explicit (few samples: every one is a support vector), and the end point is
certified by Krawczyk's operator in ball arithmetic:

    K(X) = x0 - Y f(x0) + (I - Y f'(X)) (X - x0),   K(X) in the interior of X

proves that the box X holds a solution, and exactly one; the convexity of the problem makes it the global one. The
moments in f and f' are certified integrals (margin_functional.py), so the error is that of the box, stated as radii:
about 20 digits. The certificate costs hundredths of a second, so no answer is given without it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from flint import arb, arb_mat, ctx

from proofs_checks import feature_covariance as covariance
from proofs_checks import max_margin_derivation as derivation
from proofs_checks.ball_function import CannotDecide
from proofs_checks.margin_functional import (
    BITS,
    LabelLaw,
    error_probability,
    floating_moments,
    moments,
)
from proofs_checks.plain_arithmetic import arithmetic
from proofs_checks.separability import Number, as_ball, floating_threshold, require_parameters, separability_threshold

DIGITS = 24
"""Digits asked of the integrals at a point; half of them over a box, which is itself as wide as double precision."""
NEAR = 1e-9
"""Share of the threshold within which double precision is not relied upon to find a start."""


class NotSeparable(CannotDecide):
    """There is no positive margin at this n/d; `threshold` is the n/d at which it vanishes."""

    def __init__(self, psi2: arb, threshold: arb) -> None:
        relation = "is above" if psi2 > threshold else "cannot be told from"
        super().__init__(
            f"the data are not separable: n/d = {psi2.str(8, radius=False)} {relation} the threshold "
            f"{threshold.str(15, radius=False)}; take fewer samples or more neurons"
        )
        self.threshold = threshold


@dataclass(frozen=True, eq=False)
class MaxMargin:
    """The limit of the max-margin classifier.

    `kappa` is in units of b_* (of b_* sqrt(N/d) in the wide limit); `error` is the test error; `support` the share of
    support vectors; `signal` and `spread` are p and q, the classifier being (p G + q Z)/kappa with ||a|| = 1/kappa;
    `threshold` is the n/d at which kappa_* vanishes, in double precision (`separability_threshold` certifies it), None
    in the wide limit, where data are always separable.
    """

    kappa: arb
    error: arb
    support: arb
    signal: arb
    spread: arb
    threshold: float | None


@dataclass(frozen=True, eq=False)
class _System:
    """f, f' and kappa^-2 as plain arithmetic: the same code for floats and for balls."""

    values: Callable[..., Any]
    slopes: Callable[..., Any]
    resolvents: Callable[..., Any]
    wide: bool


@cache
def _system(wide: bool) -> _System:
    form = covariance.wide() if wide else covariance.proportional()
    column, jacobian = derivation.system(form)
    zeta, psi1, psi2, w = covariance.zeta, covariance.psi1, covariance.psi2, covariance.w
    given = (*derivation.UNKNOWNS, zeta, psi1, psi2, *derivation.MOMENTS)
    return _System(
        arithmetic(given, column.flat()),
        arithmetic(given, jacobian.flat()),
        arithmetic((w, zeta, psi1, psi2), list(form)),
        wide,
    )


def max_margin(zeta: Number, psi1: Number, psi2: Number, labels: LabelLaw) -> MaxMargin:
    """The margin and the error at zeta = |b_1|/b_* >= 0, N/d = psi1, n/d = psi2.

    Raises NotSeparable where there is no positive margin, or where the balls cannot tell.

    >>> gardner = max_margin(0, 1, 1, LabelLaw.of("sign"))  # features that know nothing: E(kappa + G)_+^2 = N/n
    >>> gardner.kappa.str(10, radius=False), gardner.error.str(5, radius=False)
    ('0.4706553526', '0.50000')
    """
    with ctx.workprec(BITS):
        at = as_ball(zeta), as_ball(psi1), as_ball(psi2)
        require_parameters(at[0], psi1=at[1], psi2=at[2])
        approximate = floating_threshold(float(at[0].mid()), float(at[1].mid()), labels)
        # A certified solution proves that there is a margin; only a refusal, or a doubt, needs the certified threshold.
        if not at[2] < approximate * (1 - NEAR):
            threshold = separability_threshold(zeta, psi1, labels)
            if not at[2] < threshold:
                raise NotSeparable(at[2], threshold)
            approximate = float(threshold.mid())
        return _solve(_system(False), at, labels, approximate)


def wide_limit(zeta: Number, psi2: Number, labels: LabelLaw) -> MaxMargin:
    """psi1 -> infinity after d: the error, and the margin in units of b_* sqrt(psi1)."""
    with ctx.workprec(BITS):
        at = as_ball(zeta), arb(1), as_ball(psi2)  # psi1 does not enter
        require_parameters(at[0], psi2=at[2])
        if at[0].is_zero():
            # The signal drops out and q = 0: features are orthogonal noise, and each sample is a support vector.
            return MaxMargin(1 / at[2].sqrt(), arb(1) / 2, arb(1), arb(0), arb(0), None)
        return _solve(_system(True), at, labels, None)


# The three equations ---------------------------------------------------------------------------------------------


def _solve(system: _System, at: tuple[arb, arb, arb], labels: LabelLaw, threshold: float | None) -> MaxMargin:
    zeta, psi1, psi2 = (float(value.mid()) for value in at)
    start = _path(system, zeta, psi1, psi2, labels, threshold)
    box, inverse = _certify(system, start, at, labels)
    omega, q, w = box
    t, U, _, V, _ = system.resolvents(w, *at)
    if not (t > 0 and omega > 0 and q > 0 and w > 0):
        raise CannotDecide(f"the solution has t = {t.str(6)}, which is not shown to be positive")
    p = U * omega
    return MaxMargin(
        kappa=1 / inverse.sqrt(),
        error=error_probability(labels, p / q),
        support=V,
        signal=p,
        spread=q,
        threshold=threshold,
    )


def _logarithmic(system: _System, x: np.ndarray, zeta: float, psi1: float, psi2: float, labels: LabelLaw) -> Any:
    """f and its Jacobian at x = log(omega, q, w), each equation in units of its own size."""
    omega, q, w = np.exp(x)
    _, U, _, V, _ = system.resolvents(w, zeta, psi1, psi2)
    given = (omega, q, w, zeta, psi1, psi2, *floating_moments(labels, 1.0, U * omega, q))
    f = np.array(system.values(*given))[:3]
    slopes = np.array(system.slopes(*given)).reshape(4, 3)[:3] * np.array([omega, q, w])
    pi = given[6]
    size = np.array([V, omega * pi * (1 - U), (pi * q) ** 2])
    return f / size, slopes / size[:, None]


def _newton(system: _System, x: np.ndarray, point: tuple[float, float, float], labels: LabelLaw) -> np.ndarray | None:
    """Newton's method from x; None where it does not settle."""
    for _ in range(12):
        if not system.wide and system.resolvents(np.exp(x[2]), *point)[0] <= 0:
            return None
        f, slopes = _logarithmic(system, x, *point, labels)
        if not (np.all(np.isfinite(f)) and np.all(np.isfinite(slopes))):
            return None
        try:
            step = np.linalg.solve(slopes, -f)
        except np.linalg.LinAlgError:
            return None
        if np.abs(step).max() > 2:
            return None
        x = x + step
        if np.abs(step).max() < 1e-9:  # quadratic convergence: the error is now that of the arithmetic
            return x
    return None


def _path(
    system: _System, zeta: float, psi1: float, psi2: float, labels: LabelLaw, threshold: float | None
) -> np.ndarray:
    """omega, q, w in double precision, along a path of psi2 in the coordinate log psi2/(threshold - psi2)."""

    def coordinate(samples: float) -> float:
        return float(np.log(samples) if threshold is None else np.log(samples / (threshold - samples)))

    def samples(place: float) -> float:
        return float(np.exp(place) if threshold is None else threshold / (1 + np.exp(-place)))

    # Few samples: pi = 1, U = zeta^2 w, w = psi2/(1 + zeta^2), D = omega = E V, and q^2 = V - t V2 to first order.
    few = min(psi2, 1e-3 * (1.0 if system.wide else min(1.0, psi1)))
    w = few / (1 + zeta**2)
    U = system.resolvents(w, zeta, psi1, few)[1]
    mean = floating_moments(labels, 1.0, 0.0, 1e-3).J1
    # V - t V2, without the difference that loses it in wide networks.
    noise = U**2 if system.wide else (psi1 * U**2 + (w + U) ** 2 - 2 * U**2 * (w + U)) / (psi1 - U**2)
    spread = np.sqrt(noise / few)
    x = np.log([mean, spread, w])
    place, goal, stride = coordinate(few), coordinate(psi2), 0.5
    found = _newton(system, x, (zeta, psi1, few), labels)
    if found is None:
        raise CannotDecide("no solution was found where there are few samples")
    before: tuple[float, np.ndarray] | None = None
    while place < goal:
        ahead = min(goal, place + stride)
        guess = found
        if before is not None:
            guess = found + (found - before[1]) * (ahead - place) / (place - before[0])
        # At the goal itself psi2 is taken as given, not through its coordinate, which loses digits.
        following = _newton(system, guess, (zeta, psi1, psi2 if ahead == goal else samples(ahead)), labels)
        if following is None:
            stride /= 2
            if stride < 1e-6:
                raise CannotDecide("the path to this n/d could not be followed in double precision")
            continue
        before, place, found, stride = (place, found), ahead, following, min(2 * stride, 4.0)
    return np.exp(found)


def _certify(
    system: _System, start: np.ndarray, at: tuple[arb, arb, arb], labels: LabelLaw
) -> tuple[tuple[arb, arb, arb], arb]:
    """A box around the solution, proved by Krawczyk's operator, and kappa^-2 there."""
    middle = [arb(float(x)) for x in start]
    known, inverse, shift = _newton_step(system, middle, at, labels)
    for _ in range(3):
        if all(abs(shift[i, 0]) < abs(middle[i]) * arb(2) ** -44 for i in range(3)):
            break
        # Near the threshold the equations are ill-conditioned, and double precision has left digits to win.
        middle = [(middle[i] - shift[i, 0]).mid() for i in range(3)]
        known, inverse, shift = _newton_step(system, middle, at, labels)
    radii = [8 * abs(shift[i, 0]).upper() + abs(middle[i]) * arb(2) ** -56 for i in range(3)]
    for _ in range(6):
        box = [x + arb(0, r.upper()) for x, r in zip(middle, radii, strict=True)]
        _, slopes = _evaluate(system, box, at, labels, DIGITS // 2)
        if all(slopes[i, j].is_finite() for i in range(4) for j in range(3)):
            gradient = arb_mat(3, 3, [slopes[i, j] for i in range(3) for j in range(3)])
            identity = arb_mat(3, 3, [int(i == j) for i in range(3) for j in range(3)])
            away = arb_mat(3, 1, [x - y for x, y in zip(box, middle, strict=True)])
            image = (identity - inverse * gradient) * away - shift
            inside = [middle[i] + image[i, 0] for i in range(3)]
            if all(x.contains_interior(y) for x, y in zip(box, inside, strict=True)):
                margin = known[3] + sum((slopes[3, j] * (inside[j] - middle[j]) for j in range(3)), arb(0))
                return (inside[0], inside[1], inside[2]), margin
        radii = [16 * r for r in radii]
    raise CannotDecide(f"the solution near omega, q, w = {start} could not be certified")


def _newton_step(
    system: _System, x: list[arb], at: tuple[arb, arb, arb], labels: LabelLaw
) -> tuple[list[arb], arb_mat, arb_mat]:
    """The equations and kappa^-2 at x, an approximate inverse Y of the Jacobian (any Y will do), and Y f(x)."""
    known, slopes = _evaluate(system, x, at, labels, DIGITS)
    middle = np.array([[float(slopes[i, j].mid()) for j in range(3)] for i in range(3)])
    inverse = arb_mat(3, 3, [arb(entry) for entry in np.linalg.inv(middle).ravel()])
    return known, inverse, inverse * arb_mat(3, 1, known[:3])


def _evaluate(
    system: _System, x: list[arb], at: tuple[arb, arb, arb], labels: LabelLaw, digits: int
) -> tuple[list[arb], arb_mat]:
    omega, q, w = x
    p = system.resolvents(w, *at)[1] * omega
    given = (*x, *at, *moments(labels, arb(1), p, q, digits=digits))
    return system.values(*given), arb_mat(4, 3, system.slopes(*given))
