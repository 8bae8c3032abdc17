r"""Moments of a Rademacher series of symmetric matrices, by elementary means.

Y = sum_i eps_i A_i with independent signs, v = ||sum_i A_i^2||_op = ||E Y^2||_op. Then

    E tr Y^(2p) <= (2p-1) E tr (sum_i A_i^2) Y^(2p-2) <= (2p-1) v E tr Y^(2p-2) <= ... <= (2p)!/(2^p p!) v^p d,

hence E tr cosh(theta Y) <= d exp(theta^2 v/2), and with e^(theta M) <= 2 cosh(theta M) and M = max_r ||Y_r||_op

    P(M >= t) <= 2 d m exp(-t^2/(2V)),    E M <= log(2 d m)/theta + theta V/2 = sqrt(2 V log(2 d m)) at the best theta.

The first inequality: given the other signs, let W and Z be Y with eps_i = +1 and -1. Then W - Z = 2 A_i,
W^k - Z^k = sum_q W^q (W - Z) Z^(k-1-q) with k = 2p - 1 terms, and in the eigenbases of W and Z

    tr A W^q A Z^(s-q) + tr A W^(s-q) A Z^q <= tr A^2 (W^s + Z^s),   s even,

entry by entry, since x^q y^(s-q) + x^(s-q) y^q <= x^s + y^s for x, y >= 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import sympy as sp
from flint import arb, ctx, fmpq, fmpq_mat

from proofs_checks.symbolic_step import SymbolicStep

BITS = 128
theta, variance, level, entropy = sp.symbols("theta V t L", positive=True)
"""theta of the moment generating function; V = max_r v(Y_r); the level t; L = log(2 d m)."""
dimension, width = sp.symbols("d m", integer=True, positive=True)
slack = sp.Symbol("g", nonnegative=True)
order = sp.Symbol("p", integer=True, positive=True)


def moment_steps() -> tuple[SymbolicStep, ...]:
    """From one moment to the next, and their sum."""
    w, z, w_k, z_k = sp.symbols("W Z W_k Z_k", commutative=False)
    low_q, low_rest, more_q, more_rest = sp.symbols("a b x y", nonnegative=True)
    moment = sp.factorial(2 * order) / (2**order * sp.factorial(order))
    return (
        SymbolicStep("telescoping: W W^k - Z Z^k = W (W^k - Z^k) + (W - Z) Z^k",
                     sp.expand(w * w_k - z * z_k), "=", sp.expand(w * (w_k - z_k) + (w - z) * z_k)),
        SymbolicStep("x^q y^(s-q) + x^(s-q) y^q <= x^s + y^s, with x^q = a + x, x^(s-q) = b + y",
                     (low_q + more_q) * low_rest + low_q * (low_rest + more_rest), "<=",
                     (low_q + more_q) * (low_rest + more_rest) + low_q * low_rest, more_q * more_rest),
        SymbolicStep("2p - 1 terms in pairs, W - Z = 2 A, averaged over the sign",
                     sp.Rational(1, 2) * 2 * (2 * order - 1) / 2 * 2, "=", 2 * order - 1),
        SymbolicStep("(2p-1) times the moment before",
                     sp.combsimp(sp.gammasimp((moment / moment.subs(order, order - 1)).rewrite(sp.gamma))), "=",
                     2 * order - 1),
        SymbolicStep("theta^(2p)/(2p)! times it is a term of exp(theta^2 v/2)",
                     theta ** (2 * order) / sp.factorial(2 * order) * moment * variance**order, "=",
                     (theta**2 * variance / 2) ** order / sp.factorial(order)),
    )  # fmt: skip


def union_steps(factor: Any = 2) -> tuple[SymbolicStep, ...]:
    """P(M >= t) <= factor d m exp(-t^2/(2V)), and that a smaller factor fails at d = m = n = 1."""
    exponent = theta**2 * variance / 2 - theta * level
    smaller = variance / (1 + slack)
    return (
        SymbolicStep("e^x <= 2 cosh x", sp.exp(level), "<=", sp.exp(level) + sp.exp(-level), sp.exp(-level)),
        SymbolicStep("at theta = t/V the exponent is least", exponent.subs(theta, level / variance), "=",
                     -(level**2) / (2 * variance)),
        SymbolicStep("v(Y_r) <= V", -(level**2) / (2 * smaller), "<=", -(level**2) / (2 * variance),
                     level**2 * slack / (2 * variance)),
        SymbolicStep("as an exponential", 2 * dimension * width * sp.exp(-(level**2) / (2 * variance)), "=",
                     sp.exp(-(level**2) / (2 * variance) + sp.log(2 * dimension * width))),
        SymbolicStep("Y = +-1, t = 1: P = 1", sp.S.One, "<=", factor * sp.exp(-sp.Rational(1, 2)),
                     factor * sp.exp(-sp.Rational(1, 2)) - 1),
    )  # fmt: skip


def mean_steps(constant: Any) -> tuple[SymbolicStep, ...]:
    """E M <= sqrt(2 V L) <= constant sqrt(V L)."""
    bound = entropy / theta + theta * variance / 2
    best = sp.sqrt(2 * entropy / variance)
    root = sp.sqrt(variance * entropy)
    return (
        SymbolicStep("log(2 d m exp(theta^2 V/2))/theta, at the best theta", bound.subs(theta, best), "=",
                     sp.sqrt(2) * root),
        SymbolicStep("which is the least", sp.diff(bound, theta).subs(theta, best), "=", sp.S.Zero),
        SymbolicStep(f"sqrt(2 V L) <= {constant} sqrt(V L)", sp.sqrt(2) * root, "<=", constant * root,
                     (constant - sp.sqrt(2)) * root),
    )  # fmt: skip


def next_moment_fails(factor_shift: int = 0, trials: int = 12) -> str | None:
    """A random integer series and p with E tr Y^(2p) > (2p-1+shift) E tr (sum A_i^2) Y^(2p-2), in exact arithmetic."""
    rng = Random(8)
    for trial in range(trials):
        size, terms = 1 + trial % 3, 1 + trial % 4
        matrices = [_symmetric(size, rng) for _ in range(terms)]
        square = sum((a * a for a in matrices[1:]), matrices[0] * matrices[0])
        for p in (1, 2, 3, 4):
            left, right = fmpq(0), fmpq(0)
            for signs in product((1, -1), repeat=terms):
                y = sum((s * a for s, a in zip(signs[1:], matrices[1:], strict=True)), signs[0] * matrices[0])
                power = _power(y, 2 * p - 2)
                left += _trace(power * y * y)
                right += _trace(square * power)
            if left > (2 * p - 1 + factor_shift) * right:
                return f"{terms} matrices of size {size}, p = {p}"
    return None


def _symmetric(size: int, rng: Random) -> fmpq_mat:
    entries = [[rng.randint(-3, 3) for _ in range(size)] for _ in range(size)]
    return fmpq_mat([[fmpq(entries[max(i, j)][min(i, j)]) for j in range(size)] for i in range(size)])


def _power(matrix: fmpq_mat, exponent: int) -> fmpq_mat:
    size = matrix.nrows()
    result = fmpq_mat([[fmpq(int(i == j)) for j in range(size)] for i in range(size)])
    for _ in range(exponent):
        result = result * matrix
    return result


def _trace(matrix: fmpq_mat) -> fmpq:
    return sum((matrix[i, i] for i in range(matrix.nrows())), fmpq(0))


Planar = tuple[Fraction, Fraction, Fraction]
"""A symmetric 2 x 2 matrix [[a, b], [b, c]]."""


@dataclass(frozen=True)
class SeriesNorm:
    """E max_r ||Y_r||_op over all signs, and max_r v(Y_r), of a family of series, as balls; and d, m."""

    mean: arb
    variance: arb
    dimension: int
    width: int

    def share(self) -> arb:
        """E max ||Y_r||/sqrt(V log(2dm)): what the constant of the lemma must exceed."""
        return self.mean / (self.variance * arb(2 * self.dimension * self.width).log()).sqrt()


def _ball(number: Fraction) -> arb:
    return arb(fmpq(number.numerator, number.denominator))


def _planar_norm(matrix: Planar) -> arb:
    a, b, c = matrix
    return abs(_ball(a + c)) / 2 + _ball((a - c) ** 2 / 4 + b**2).sqrt()


def planar_series(families: Sequence[Sequence[Planar]]) -> SeriesNorm:
    """families[r][i] = A_{r,i}, all of size 2 x 2; the mean over all 2^n signs."""
    terms = len(families[0])
    with ctx.workprec(BITS):
        total = arb(0)
        for signs in product((1, -1), repeat=terms):
            sums = [
                tuple(sum((s * a[k] for s, a in zip(signs, family, strict=True)), Fraction(0)) for k in range(3))
                for family in families
            ]
            total += _largest([_planar_norm(y) for y in sums])  # pyright: ignore[reportArgumentType] (three entries)
        squares = [
            _planar_norm(
                (
                    sum((a * a + b * b for a, b, _ in family), Fraction(0)),
                    sum((b * (a + c) for a, b, c in family), Fraction(0)),
                    sum((b * b + c * c for _, b, c in family), Fraction(0)),
                )
            )
            for family in families
        ]
        return SeriesNorm(total / 2**terms, _largest(squares), 2, len(families))


def diagonal_series(rows: Sequence[Sequence[int]]) -> SeriesNorm:
    """One series (m = 1) of diagonal matrices, rows[j][i] the j-th entry of A_i: Y is a vector of signed sums."""
    terms = len(rows[0])
    total = sum(
        max(abs(sum(s * a for s, a in zip(signs, row, strict=True))) for row in rows)
        for signs in product((1, -1), repeat=terms)
    )
    with ctx.workprec(BITS):
        return SeriesNorm(arb(fmpq(total, 2**terms)), arb(max(sum(a * a for a in row) for row in rows)), len(rows), 1)


def _largest(balls: Sequence[arb]) -> arb:
    result = balls[0]
    for ball in balls[1:]:
        result = result.max(ball)
    return result


def attacks() -> dict[str, SeriesNorm]:
    """Series that were tried against the lemma: one sign, all sign patterns, rank one, anticommuting, several r."""
    one, zero = Fraction(1), Fraction(0)
    reflections: tuple[Planar, ...] = ((one, zero, -one), (zero, one, zero))
    circle = [(Fraction(3, 5), Fraction(4, 5)), (Fraction(-4, 5), Fraction(3, 5)), (Fraction(5, 13), Fraction(12, 13))]
    rank_one: list[Planar] = [(a * a, a * b, b * b) for a, b in circle]
    patterns = [list(row) for row in product((1, -1), repeat=4) if row[0] == 1]
    return {
        "a single sign": diagonal_series([[1]]),
        "all patterns of 4 signs": diagonal_series(patterns),
        "all patterns of 6 signs": diagonal_series([list(r) for r in product((1, -1), repeat=6) if r[0] == 1]),
        "10 equal terms": diagonal_series([[1] * 10]),
        "two anticommuting reflections": planar_series([reflections]),
        "three matrices of rank one": planar_series([rank_one]),
        "both, m = 2": planar_series([rank_one, [*reflections, (zero, zero, zero)]]),
    }
