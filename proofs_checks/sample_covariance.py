r"""The operator norm of (1/n) sum_i x_i x_i^T for inputs of norm B: exact bounds and exact small cases.

With eigenvalues lambda_1 >= ... >= lambda_d >= 0 of sum B^2 (the trace),

    B^2/d <= lambda_1 <= B^2,     and for a covariance of condition number kappa, lambda_1 <= kappa B^2/d.

In the plane, at the corners (+-1, +-1) B/sqrt(2), the matrix is (B^2/2) [[1, c], [c, 1]] with c = S_n/n the mean of n
signs, so its norm is exactly (B^2/2)(1 + |c|), and E|S_n| >= E|S_1| = 1, since the average of |s + 1| and |s - 1| is
max(|s|, 1) >= |s|.

An off-centre law with a spherical covariance: x = B e_1 or x = B ((1 - 2s) e_1 + 2 sqrt(s(1-s)) u), each with
probability 1/2, u uniform on the unit sphere orthogonal to e_1, s = 2/(d + 1). Then E x = B (1 - s) e_1,
Cov(x) = B^2 s^2 I, and yet ||E x x^T|| = B^2 ((1 - s)^2 + s^2) -> B^2.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import sympy as sp

from proofs_checks.power_means import inner_product_step, radius
from proofs_checks.symbolic_step import SymbolicStep

kappa_excess, least, gap, ratio_gap, error = sp.symbols("k lambda_d g h epsilon", nonnegative=True)
d = sp.Symbol("d", integer=True, positive=True)
beyond = sp.Symbol("j", integer=True, nonnegative=True)
share = sp.Symbol("q", positive=True)
"""1/n."""
position = sp.Symbol("s", real=True)
kappa = 1 + kappa_excess


def below_square_norm_steps(power: int = 2) -> tuple[SymbolicStep, ...]:
    """v^T C v = mean <v, x_i>^2 <= B^2, with equality where all x_i are parallel to v."""
    mean = sp.Symbol("mean", nonnegative=True)
    return (
        inner_product_step(2, power),
        SymbolicStep("a mean of numbers B^2 - g_i is B^2 - mean g_i", radius**2 - mean, "<=", radius**2, mean),
        SymbolicStep("equality: all x_i parallel, e.g. n = 1", radius**2 * sp.cos(0) ** 2, "=", radius**2),
    )


def trace_step(factor: Any = 1) -> SymbolicStep:
    """factor B^2/d <= lambda_1, as the trace is B^2 = d lambda_1 - sum_j (lambda_1 - lambda_j)."""
    largest = (radius**2 + gap) / d
    return SymbolicStep(f"{factor} B^2/d <= lambda_1", factor * radius**2 / d, "<=", largest, gap / d)


def condition_step(power: int = 1) -> SymbolicStep:
    """lambda_1 <= kappa^power B^2/d, from B^2 = d lambda_d + g and lambda_1 = kappa lambda_d/(1 + h)."""
    trace = d * least + gap
    certificate = kappa * gap / d + kappa * least * ratio_gap / (1 + ratio_gap)
    return SymbolicStep(
        f"||Cov||_op <= kappa^{power} B^2/d",
        kappa * least / (1 + ratio_gap),
        "<=",
        kappa**power * trace / d,
        certificate if power == 1 else None,
    )


def concentration_steps() -> tuple[SymbolicStep, ...]:
    """M^2 <= (1 + eps) kappa/d where E||C - Cov|| <= eps ||Cov||, and when that is below kappa^2/d."""
    return (
        condition_step(),
        SymbolicStep("triangle: (1 + eps) kappa/d <= 2 kappa/d for eps <= 1", (1 + error) * kappa / d, "<=",
                     2 * kappa / d, (1 - error) * kappa / d, {error: (0, 1)}),
        SymbolicStep("(1 + eps) kappa <= kappa^2 as soon as eps <= kappa - 1",
                     (1 + error) * (1 + error + gap), "<=", (1 + error + gap) ** 2, gap * (1 + error + gap)),
    )  # fmt: skip


def corner_norm_steps() -> tuple[SymbolicStep, ...]:
    """The plane's corners: the norm, and E|S_n| >= 1."""
    c = sp.Symbol("c", nonnegative=True)
    matrix = sp.Matrix([[1, c], [c, 1]]) / 2
    outer, inner = sp.Symbol("a", positive=True), sp.Symbol("b", nonnegative=True)
    return (
        SymbolicStep("the larger eigenvalue is (1 + c)/2", (matrix - (1 + c) / 2 * sp.eye(2)).det(), "=", sp.S.Zero),
        SymbolicStep("and the sum of the two is 1", matrix.trace() - (1 + c) / 2, "=", (1 - c) / 2),
        SymbolicStep("|s| >= 1: the average of |s + 1| and |s - 1| is |s|",
                     ((1 + inner + 1) + (1 + inner - 1)) / 2, "=", 1 + inner),
        SymbolicStep("|s| = 1/(1 + a) < 1: it is 1", (1 / (1 + outer) + 1 + 1 - 1 / (1 + outer)) / 2, "=", sp.S.One),
    )  # fmt: skip


def corner_square() -> Any:
    """A lower bound of M^2 at the corners of the plane, for every n: (1 + 1/n)/2, as E|S_n| >= 1."""
    return (1 + share) / 2


def corner_norm_by_enumeration(samples: int) -> Any:
    """E ||C||/B^2 over all 2^n relative signs, exactly."""
    signs = product((1, -1), repeat=samples)
    return sum(((1 + sp.Rational(abs(sum(row)), samples)) / 2 for row in signs), sp.S.Zero) / 2**samples


def corner_norm_formula(samples: int) -> Any:
    """(1 + E|S_n|/n)/2 with E|S_n| = sum over k < n/2 of binomial(2k, k)/4^k: |S| grows when S = 0 only."""
    total = sum((sp.binomial(2 * k, k) / sp.Integer(4) ** k for k in range((samples + 1) // 2)), sp.S.Zero)
    return (1 + total / samples) / 2


def circle_pair_norm() -> Any:
    """E ||C||/B^2 for two points of the circle: their angle theta is uniform, ||C|| = (B^2/2)(1 + |cos theta|)."""
    theta = sp.Symbol("theta", real=True)
    return (1 + 2 / sp.pi * sp.integrate(sp.cos(theta), (theta, 0, sp.pi / 2))) / 2


def off_centre_steps() -> tuple[SymbolicStep, ...]:
    """Mean, covariance and second moment of the off-centre law, in units of B, in dimension d = j + 2."""
    size = beyond + 2
    s = 2 / (size + 1)
    low = 1 - 2 * s
    mean, second = (1 + low) / 2, (1 + low**2) / 2
    across = (1 - low**2) / 2 / (size - 1)
    return (
        SymbolicStep("the mean is 1 - s", mean, "=", 1 - s),
        SymbolicStep("the variance along e_1 is s^2", second - mean**2, "=", s**2),
        SymbolicStep("the variance across is s^2 too: kappa(Cov) = 1", across, "=", s**2),
        SymbolicStep("||E x x^T|| = ((d-1)^2 + 4)/(d+1)^2", second, "=", ((size - 1) ** 2 + 4) / (size + 1) ** 2),
    )


def off_centre_square() -> Any:
    """||E x x^T||/B^2 of the off-centre law, below M^2 for every n by Jensen."""
    return ((d - 1) ** 2 + 4) / (d + 1) ** 2


def spiked_square() -> Any:
    """||Cov||/B^2 where one coordinate has kappa times the variance of the other d - 1."""
    return kappa / (kappa + d - 1)
