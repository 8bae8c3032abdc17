r"""The Rademacher supremum of the quadratic model, in closed form.

With A_r = (1/n) sum_i eps_i sigma''(<w_{0,r}, x_i>) x_i x_i^T,

    (1/n) sum_i eps_i f^Q_W(x_i) = (1/(2 sqrt m)) sum_r a_r <w_r, A_r w_r>,
    sup over ||W||_{2,4} <= B  =  (B^2/(2 sqrt m)) (sum_r [lambda_max(a_r A_r)]_+^2)^(1/2) <= (B^2/2) max_r ||A_r||_op,

since <w, A w> <= lambda_max(A) ||w||^2, with equality at the eigenvector, and Cauchy-Schwarz for the squares ||w_r||^2.
For one input, d = 1, m = 2 and the loss max(0, 1 + z), the complexity of the losses is 1/2 + b/(4 sqrt 2) with
b = B^2 |sigma''| x^2 as soon as b >= 2 sqrt 2: no constant below 1/(4 sqrt 2) would do in place of the printed 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import sympy as sp
from flint import arb, ctx, fmpq

from proofs_checks.ball_function import Expression, X, evaluate, exact
from proofs_checks.power_means import m, norm, product_steps, slack, square_steps, z
from proofs_checks.smooth_piece import resolve
from proofs_checks.symbolic_step import SymbolicStep

BITS = 128
top, operator, samples, curvature, squared = sp.symbols("lambda A n c b", positive=True)
"""lambda_max, max_r ||A_r||_op, the number of inputs, the mean of sigma''^2, and B_w^2 |sigma''| x^2."""
CIRCLE = ((3, 4, 5), (-5, 12, 13), (-15, -8, 17), (7, -24, 25), (21, 20, 29))
STARTS = ((fmpq(3, 4), fmpq(5, 4)), (fmpq(-7, 4), fmpq(1, 4)), (fmpq(1, 2), fmpq(-9, 4)))
"""Rational inputs on the unit circle and rational weights."""


def quadratic_form_step() -> SymbolicStep:
    """One coordinate of <w, A w> in the eigenbasis of A."""
    return SymbolicStep("(lambda_max - g) y^2 <= lambda_max y^2", (top - slack) * z**2, "<=", top * z**2, slack * z**2)


def supremum_steps() -> tuple[SymbolicStep, ...]:
    """The supremum, and that it is at most (B^2/2) max ||A_r||: sum_r [.]_+^2 = m max^2/(1 + g)."""
    value = norm**2 / (2 * sp.sqrt(m)) * sp.sqrt(m * operator**2 / (1 + slack))
    return (
        quadratic_form_step(),
        *product_steps(),
        SymbolicStep("squared, the supremum is at most ((B^2/2) max ||A_r||)^2", value**2, "<=",
                     (norm**2 * operator / 2) ** 2, norm**4 * operator**2 * slack / (4 * (1 + slack))),
    )  # fmt: skip


def contraction_step(factor: Any = 1) -> SymbolicStep:
    """u + phi(s) + v - phi(t) <= u + v + factor (s - t) for s = t + h, phi(s) - phi(t) = h - g (1-Lipschitz)."""
    h = sp.Symbol("h", nonnegative=True)
    return SymbolicStep("phi(s) - phi(t) <= |s - t|, one sign at a time", h - slack, "<=", factor * h,
                        slack + (factor - 1) * h)  # fmt: skip


def loss_at_zero_steps(power: Any) -> tuple[SymbolicStep, ...]:
    """E |(1/n) sum eps_i l(y_i, 0)| <= n^-power: by the second moment, and exactly for three losses of 1."""
    moment = samples * (1 / (1 + slack)) ** 2 / samples**2
    certificate = slack * (2 + slack) / (samples * (1 + slack) ** 2)
    return (
        SymbolicStep("E S^2 = n^-2 sum l_i^2 <= 1/n", moment, "<=", 1 / samples, certificate),
        SymbolicStep("three losses of 1: E|S_3|/3 = 1/2", sp.Rational(1, 2), "<=", sp.Integer(3) ** (-power)),
    )


def one_input_step(constant: Any) -> SymbolicStep:
    """1/2 + b/(4 sqrt 2) <= constant b + 1: the loss max(0, 1 + z) at n = d = 1, m = 2."""
    return SymbolicStep(
        f"n = d = 1, m = 2, the loss max(0, 1 + z): {constant} B_w^2 ||A|| + 1",
        sp.Rational(1, 2) + squared / (4 * sp.sqrt(2)),
        "<=",
        constant * squared + 1,
        (constant - sp.sqrt(2) / 8) * squared + sp.Rational(1, 2),
        {squared: (2 * sp.sqrt(2), 1000)},
    )


def power_mean_steps(m_power: Any = sp.S.Zero) -> tuple[SymbolicStep, ...]:
    """m^(-1/2) sum ||w_r||^2 <= B^2 m^m_power, with equality where all norms are equal."""
    return (
        *square_steps(),
        SymbolicStep("sqrt(m) (B^4/m)^(1/2)", sp.sqrt(m) * sp.sqrt(norm**4 / m), "=", norm**2 * m**m_power),
    )


def frobenius_steps(n_power: Any, m_power: Any) -> tuple[SymbolicStep, ...]:
    """E over the signs of (1/m) sum_r ||A_r||_F^2, all ||x_i|| = 1: cross terms vanish, n terms sigma''^2/n^2 stay."""
    e1, e2, first, second = sp.symbols("e_1 e_2 s_1 s_2", real=True)
    square = sp.expand((e1 * first + e2 * second) ** 2)
    averaged = sum((square.subs({e1: p, e2: q}) for p, q in product((1, -1), repeat=2)), sp.S.Zero) / 4
    return (
        SymbolicStep("two terms: the cross term averages to zero", sp.expand(averaged), "=", first**2 + second**2),
        SymbolicStep("(1/m) sum_r (1/n^2) sum_i sigma''^2", m * samples * curvature / (m * samples**2), "=",
                     curvature * samples ** (-2 * n_power) * m**m_power),
    )  # fmt: skip


@dataclass(frozen=True)
class EnumeratedSupremum:
    """Means over all signs: the supremum at B = 1, and max_r ||A_r||_op."""

    supremum: arb
    largest_norm: arb


def enumerated(expression: Expression) -> EnumeratedSupremum:
    """Five rational inputs on the circle, three rational weights (six neurons), all 2^5 signs, in balls."""
    inputs = [(fmpq(a, c), fmpq(b, c)) for a, b, c in CIRCLE]
    with ctx.workprec(BITS):
        curvatures = [[second_derivative(expression, w[0] * x[0] + w[1] * x[1]) for x in inputs] for w in STARTS]
        supremum, largest = arb(0), arb(0)
        for signs in product((1, -1), repeat=len(inputs)):
            total, most = arb(0), arb(0)
            for row in curvatures:
                weights = [s * c / len(inputs) for s, c in zip(signs, row, strict=True)]
                a, b, c = (
                    sum((w * arb(x[i] * x[j]) for w, x in zip(weights, inputs, strict=True)), arb(0))
                    for i, j in ((0, 0), (0, 1), (1, 1))
                )
                middle, radius = (a + c) / 2, ((a - c) ** 2 / 4 + b**2).sqrt()
                up, down = (middle + radius).max(arb(0)), (radius - middle).max(arb(0))
                total += up**2 + down**2
                most = most.max(up.max(down))
            supremum += (total / (2 * len(STARTS))).sqrt() / 2
            largest += most
        count = 2 ** len(inputs)
        return EnumeratedSupremum(supremum / count, largest / count)


def second_derivative(expression: Expression, point: fmpq) -> arb:
    """sigma'' at a rational point, on the branch that holds there."""
    branch = resolve(exact(expression), sp.Rational(int(point.p), int(point.q)))
    return evaluate(sp.diff(branch, X, 2), arb(point))
