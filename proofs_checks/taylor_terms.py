r"""The terms of the Taylor series of a network in a random movement: exact mean squares, powers of m, the remainder.

f^(j) = m^(-1/2) sum_r A_r D_r with A_r = sigma^(j)(u_r) h_r^j/j! and D_r = z_+^j - z_-^j independent, of mean mu_j and
variance V_j. So over z, exactly,

    E f^(j) = mu_j m^(-1/2) sum_r A_r,    E (f^(j))^2 = (V_j sum_r A_r^2 + mu_j^2 (sum_r A_r)^2)/m.

With h_r = b_r m^(-1/2k) and a bar for the mean over r of what is left: E f^(j) = mu_j m^(1/2 - j/2k) bar, and the
variance is V_j m^(-j/k) bar. So f^(j) is of order m^(-j/2k) where mu_j = 0 (all j < k), and m^(1/2 - j/2k) otherwise:
1 at j = k, m^(-1/2k) at j = k + 1. The remainder after order k is at most, by Taylor's formula,

    m^(1/2) sup|sigma^(k+1)|/(k+1)! (|z_+|^(k+1) + |z_-|^(k+1)) max|b|^(k+1) m^(-(k+1)/2k) = O(m^(-1/2k)).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import product
from math import factorial
from typing import Any

import sympy as sp
from flint import arb, ctx, fmpq

from proofs_checks.analytic import one_expression
from proofs_checks.ball_function import CannotDecide, Expression, X, evaluate, exact
from proofs_checks.matched_moments import Law, difference_moments, matched_laws
from proofs_checks.pieces import Piece
from proofs_checks.real_point import LEFT_END, RIGHT_END
from proofs_checks.smooth_piece import resolve
from proofs_checks.supremum import supremum
from proofs_checks.symbolic_step import SymbolicStep

BITS = 4096
"""Precision of a remainder at widths up to 2^320: its digits survive k + 1 cancellations of h = m^(-1/2k)."""

OFF_CENTRE = Fraction(1, 2)
"""A shift of the nodes with which the moments of order k + 1 differ, as they do in general."""

m, k, j = sp.symbols("m k j", positive=True)
alpha, beta, mu, variance = sp.symbols("alpha beta mu V", positive=True)

Exponent = Callable[[int, int], Any]


def exponent(order: int, dominant: int) -> Any:
    """b with f^(order) of size m^-b when the order `dominant` is extracted and no later moment matches."""
    power = sp.Rational(order, 2 * dominant)
    return power if order < dominant else power - sp.Rational(1, 2)


def _enumerated(laws: tuple[Law, Law], order: int, amplitudes: tuple[Any, ...]) -> tuple[Any, Any]:
    """E f and E f^2 by running through all outcomes of z for all neurons."""
    outcomes = [(sp.Rational(a**order - b**order), sp.Rational(p * q)) for (a, p), (b, q) in product(laws[0], laws[1])]
    mean, square = sp.S.Zero, sp.S.Zero
    for drawn in product(outcomes, repeat=len(amplitudes)):
        value = sp.Add(*(d * a for (d, _), a in zip(drawn, amplitudes, strict=True))) / sp.sqrt(len(amplitudes))
        weight = sp.Mul(*(p for _, p in drawn))
        mean, square = mean + weight * value, square + weight * sp.expand(value**2)
    return sp.expand(mean), sp.expand(square)


@cache
def moment_steps(dominant: int) -> tuple[SymbolicStep, ...]:
    """The two moments of f^(j) for two neurons, every j <= k + 1, against their formulas."""
    amplitudes = sp.symbols("A1 A2", real=True)
    laws = matched_laws(dominant, OFF_CENTRE)
    steps = []
    for order in range(1, dominant + 2):
        mean, spread = (sp.Rational(value) for value in difference_moments(laws, order))
        found = _enumerated(laws, order, amplitudes)
        total, squares = sum(amplitudes), sum(a**2 for a in amplitudes)
        name = f"k = {dominant}, j = {order}"
        steps += [
            SymbolicStep(f"{name}: E f^(j)", found[0], "=", mean * total / sp.sqrt(2)),
            SymbolicStep(f"{name}: E (f^(j))^2", found[1], "=", (spread * squares + mean**2 * total**2) / 2),
        ]
    return tuple(steps)


def power_steps() -> tuple[SymbolicStep, ...]:
    """The powers of m, for all m, j and k: sum_r A_r = m m^(-j/2k) bar and sum_r A_r^2 = m m^(-j/k) bar."""
    total, squares = m * m ** (-j / (2 * k)) * alpha, m * m ** (-j / k) * beta
    return (
        SymbolicStep("E f^(j)", mu * total / sp.sqrt(m), "=", mu * alpha * m ** (sp.Rational(1, 2) - j / (2 * k))),
        SymbolicStep("Var f^(j)", variance * squares / m, "=", variance * beta * m ** (-j / k)),
        SymbolicStep("the bound of the remainder", sp.sqrt(m) * m ** (-(k + 1) / (2 * k)), "=", m ** (-1 / (2 * k))),
    )


def exponent_steps(claimed: Exponent, dominants: tuple[int, ...]) -> tuple[SymbolicStep, ...]:
    """The claimed exponents against those of the exact mean squares, for j <= k + 1."""
    return tuple(
        SymbolicStep(f"k = {dominant}, f^({order})", claimed(order, dominant), "=", exponent(order, dominant))
        for dominant in dominants
        for order in range(1, dominant + 2)
    )


def _smooth(expression: Expression) -> Expression:
    return one_expression(expression) or exact(expression)


def derivative_bound(expression: Expression, order: int) -> arb | None:
    """A ball around sup |sigma^(order)| on the line for an analytic expression, None if it is infinite."""
    return supremum(Piece(LEFT_END, RIGHT_END, sp.diff(_smooth(expression), X, order)))


def mean_remainder(expression: Expression, dominant: int, point: fmpq, width: arb) -> arb:
    """E_z of f - sum_{i <= k} f^(i) for a network whose u_r all equal `point`, with movements z m^(-1/2k)."""
    sigma = _smooth(expression)
    step = width ** (arb(-1) / (2 * dominant))
    derivatives = [evaluate(sp.diff(sigma, X, i), arb(point)) / factorial(i) for i in range(dominant + 1)]
    total = arb(0)
    for sign, law in zip((1, -1), matched_laws(dominant, OFF_CENTRE), strict=True):
        for node, probability in law:
            move = arb(fmpq(node.numerator, node.denominator)) * step
            series = sum((c * move**i for i, c in enumerate(derivatives)), arb(0))
            weight = arb(fmpq(probability.numerator, probability.denominator))
            total += sign * weight * (evaluate(sigma, arb(point) + move) - series)
    return width.sqrt() * total


def local_exponent(expression: Expression, dominant: int, doublings: int) -> arb:
    """-d log|E remainder|/d log m between m = 2^doublings and 4 m, at a point where sigma^(k+1) does not vanish."""
    with ctx.workprec(BITS):
        for point in (fmpq(1, 2), fmpq(1), fmpq(2), fmpq(-1, 2), fmpq(-1)):
            slope = evaluate(sp.diff(_smooth(expression), X, dominant + 1), arb(point))
            if slope.is_finite() and abs(slope) > arb(fmpq(1, 8)):
                near, far = (
                    abs(mean_remainder(expression, dominant, point, arb(2) ** power))
                    for power in (doublings, doublings + 2)
                )
                return (near / far).log() / arb(4).log()
    raise CannotDecide(f"sigma^({dominant + 1}) is small at every point tried.")


def tangent_exponent(expression: Expression, doublings: int) -> arb:
    """-d log|rest|/d log m between m = 2^doublings and 4 m, where sigma'' does not vanish.

    The rest is m^(1/2) (sigma(u+h) - sigma(u) - sigma'(u) h)/2, h = m^(-1/2): half of the neurons move, all u_r are u.
    """
    sigma = exact(expression)
    with ctx.workprec(BITS):
        points: tuple[Any, ...] = (sp.S.One, sp.Integer(2), -sp.S.One, sp.Rational(1, 2))
        for point in points:
            branch = resolve(sigma, point)  # derivatives of a switch are no functions; those of its branch are
            u = arb(fmpq(point.p, point.q))
            slope, curvature = (evaluate(sp.diff(branch, X, order), u) for order in (1, 2))
            if not (curvature > 0 or curvature < 0):
                continue
            sizes = []
            for power in (doublings, doublings + 2):
                step = arb(2) ** (-power // 2)
                sizes.append(abs(evaluate(sigma, u + step) - evaluate(sigma, u) - slope * step) / step / 2)
            return (sizes[0] / sizes[1]).log() / arb(4).log()
    raise CannotDecide("sigma'' vanishes at every point tried.")
