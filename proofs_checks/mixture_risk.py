"""Quadratic predictors on a mixture of Gaussians: exact least risks, and what the Bayes risk is.

y = +-1, x | y ~ N(0, Sigma - y Delta), D = Sigma^-1/2 Delta Sigma^-1/2 with eigenvalues in (-1, 1). For f = c +
<x,Ax> and M = Sigma^1/2 A Sigma^1/2 the best c and scale give the risk 1/(1 + <M,D>^2/Q(M)), Q(M) = 2 |M|^2 + 2
Tr(MDMD).

All M of rank at most N: M = U S U' gives <S,C>^2/(2|S|^2 + 2 Tr(SCSC)) with the compression C = U'DU, whose best S
commutes with C and has the gain sum_i mu_i^2/(1 + mu_i^2)/2 over the eigenvalues of C. By Cauchy's interlacing
these are, in absolute value and order, at most the singular values of D, and mu^2/(1 + mu^2) increases: the least
risk is exactly

    1/(1 + sum_{i <= N} s_i^2/(1 + s_i^2)/2),   s_1 >= s_2 >= ... the singular values of D.

The two densities have Hellinger affinity h = prod (1 - t_i^2)^(1/4) over the eigenvalues t_i of D, and the Bayes
risk (the mean of 2 p q/(p + q)) lies between h^2 and h. In the limit of a Gaussian log-likelihood ratio it is that
of the binary Gaussian channel y sqrt(snr) + noise at snr = |D|_F^2/2.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import sympy as sp
from flint import acb, arb, ctx, fmpq, fmpq_mat

from proofs_checks.symbolic_step import SymbolicStep

s, top, below = sp.symbols("s s_1 b", nonnegative=True)


# --- exact gains --------------------------------------------------------------------------------------


def share(square: Fraction) -> Fraction:
    """s^2/(1 + s^2): twice the gain of one direction."""
    return square / (1 + square)


def rank_risk(squares: Sequence[Fraction], neurons: int) -> Fraction:
    """The least risk over c + <x,Ax>, A of rank at most N, from the squared singular values of D."""
    best = sorted(squares, reverse=True)[:neurons]
    return 1 / (1 + sum(map(share, best), Fraction(0)) / 2)


@cache
def moment_steps() -> tuple[SymbolicStep, ...]:
    """The moments of <x,Ax> under the mixture, from those of a Gaussian (Isserlis), for 2 x 2 matrices."""
    a = sp.Matrix(2, 2, sp.symbols("a11 a12 a12 a22"))
    sigma = sp.diag(*sp.symbols("c1 c2", positive=True))
    delta = sp.Matrix(2, 2, sp.symbols("d11 d12 d12 d22"))
    means, squares = [], []
    for covariance in (sigma - delta, sigma + delta):
        means.append((a * covariance).trace())
        squares.append(_fourth_moment(a, covariance))
    mean, square = (means[0] + means[1]) / 2, (squares[0] + squares[1]) / 2
    variance = 2 * (a * sigma * a * sigma).trace() + 2 * (a * delta * a * delta).trace() + (a * delta).trace() ** 2
    return (
        SymbolicStep("E y<x,Ax> = -Tr(A Delta)", (means[0] - means[1]) / 2, "=", -(a * delta).trace()),
        SymbolicStep("Var <x,Ax>", sp.expand(square - mean**2), "=", sp.expand(variance)),
    )


def _fourth_moment(a: Any, c: Any) -> Any:
    """E <x,Ax>^2 by the three pairings of Isserlis' theorem."""
    indices = [(i, j, k, m) for i in range(2) for j in range(2) for k in range(2) for m in range(2)]
    terms = (a[i, j] * a[k, m] * (c[i, j] * c[k, m] + c[i, k] * c[j, m] + c[i, m] * c[j, k]) for i, j, k, m in indices)
    return sp.expand(sp.Add(*terms))


@cache
def rank_steps() -> tuple[SymbolicStep, ...]:
    """The steps to the exact risk of rank N: compression, best S, monotone share."""
    a, b, mu, nu = sp.symbols("a b mu nu", real=True)
    left, right = 1 + mu**2, 1 + nu**2
    energy = (a**2 * left + b**2 * right) * (mu**2 / left + nu**2 / right)
    u = sp.Matrix(3, 2, sp.symbols("u:6"))
    middle = sp.Matrix(2, 2, sp.symbols("m11 m12 m12 m22"))
    d = sp.diag(*sp.symbols("t1 t2 t3"))
    compressed = u.T * d * u
    whole = (u * middle * u.T * d) ** 2
    smaller, larger = s**2 / (1 + s**2), (s + below) ** 2 / (1 + (s + below) ** 2)
    return (
        *moment_steps(),
        SymbolicStep(
            "Tr(MDMD) sees the compression of D only",
            sp.expand(whole.trace()),
            "=",
            sp.expand(((middle * compressed) ** 2).trace()),
        ),
        SymbolicStep(
            "Cauchy-Schwarz: the gain of S is at most sum mu^2/(1 + mu^2)/2, with equality for S = C/(1 + C^2)",
            (a * mu + b * nu) ** 2,
            "<=",
            energy,
            certificate=(a * nu * left - b * mu * right) ** 2 / (left * right),
        ),
        SymbolicStep(
            "s^2/(1 + s^2) increases, so that interlacing bounds the sum by that of the largest singular values",
            smaller,
            "<=",
            larger,
            certificate=below * (2 * s + below) / ((1 + s**2) * (1 + (s + below) ** 2)),
        ),
        *sandwich_steps(),
    )


def sandwich_steps() -> tuple[SymbolicStep, ...]:
    """s^2/(1 + s_1^2) <= s^2/(1 + s^2) <= s^2 for s <= s_1: dropping Tr(MDMD) costs a factor 1 + s_1^2 at most."""
    largest = s + below
    return (
        SymbolicStep(
            "s^2/(1 + s_1^2) <= s^2/(1 + s^2)",
            s**2 / (1 + largest**2),
            "<=",
            s**2 / (1 + s**2),
            certificate=s**2 * below * (2 * s + below) / ((1 + s**2) * (1 + largest**2)),
        ),
        SymbolicStep("s^2/(1 + s^2) <= s^2", s**2 / (1 + s**2), "<=", s**2, certificate=s**4 / (1 + s**2)),
        SymbolicStep("s_1^2 = O(1/d) under M2: the factor tends to 1", sp.limit(1 + top**2, top, 0), "=", sp.S.One),
    )


# --- the tangent class, exactly -----------------------------------------------------------------------


class SingularGramError(ValueError):
    """W' Sigma W has no inverse."""


def tangent_instance(dimension: int, neurons: int, seed: int) -> tuple[fmpq_mat, fmpq_mat, fmpq_mat]:
    """Random integer weights (d x N), a rational Sigma^1/2 (diagonal) and a small symmetric Delta."""
    generator = random.Random(seed)
    weights = fmpq_mat(dimension, neurons, [fmpq(generator.randint(-9, 9)) for _ in range(dimension * neurons)])
    root = fmpq_mat(dimension, dimension)
    delta = fmpq_mat(dimension, dimension)
    for i in range(dimension):
        root[i, i] = fmpq(generator.randint(4, 8), 4)
        for j in range(i + 1):
            delta[i, j] = delta[j, i] = fmpq(generator.randint(-9, 9), 200)
    return weights, root, delta


def tangent_gain(weights: fmpq_mat, root: fmpq_mat, delta: fmpq_mat) -> fmpq:
    """max <M,D>^2/Q(M) over the tangent class, from the moments of the mixture themselves, in rationals."""
    d, neurons = weights.nrows(), weights.ncols()
    sigma = root * root
    rows = []
    for i in range(neurons):
        for j in range(d):
            form = fmpq_mat(d, d)
            for k in range(d):
                form[k, j] += weights[k, i]
                form[j, k] += weights[k, i]
            rows.append(form.entries())
    reduced, rank = fmpq_mat(len(rows), d * d, [entry for row in rows for entry in row]).rref()
    forms = [fmpq_mat(d, d, [reduced[k, m] for m in range(d * d)]) for k in range(rank)]
    gram, cross = fmpq_mat(rank, rank), fmpq_mat(rank, 1)
    whitened = [(form * sigma, form * delta) for form in forms]
    for k in range(rank):
        cross[k, 0] = _trace(whitened[k][1])
        for m in range(rank):
            gram[k, m] = 2 * _trace(whitened[k][0] * whitened[m][0]) + 2 * _trace(whitened[k][1] * whitened[m][1])
    return (cross.transpose() * gram.inv() * cross)[0, 0]


def tangent_gain_printed(weights: fmpq_mat, root: fmpq_mat, delta: fmpq_mat, *, pseudo_inverse: bool) -> fmpq:
    """(|D|^2 - |PDP|^2)/2, P = I - X (X'X)^{-1} X', X = Sigma^1/2 W; for N > d with the columns that matter."""
    d = weights.nrows()
    x = root * weights
    if pseudo_inverse and x.ncols() > d:
        x = fmpq_mat(d, d, [x[i, j] for i in range(d) for j in range(d)])
    gram = x.transpose() * x
    if gram.det() == 0:
        raise SingularGramError(f"W' Sigma W is singular at d = {d}, N = {weights.ncols()}")
    identity = fmpq_mat(d, d, [fmpq(int(i == j)) for i in range(d) for j in range(d)])
    projector = identity - x * gram.inv() * x.transpose()
    inverse = root.inv()
    tilt = inverse * delta * inverse
    kept = projector * tilt * projector
    return (_trace(tilt * tilt) - _trace(kept * kept)) / 2


def squared_norm(root: fmpq_mat, delta: fmpq_mat) -> fmpq:
    """|D|_F^2, a bound of the square of the operator norm."""
    inverse = root.inv()
    tilt = inverse * delta * inverse
    return _trace(tilt * tilt)


def _trace(matrix: fmpq_mat) -> fmpq:
    return sum((matrix[i, i] for i in range(matrix.nrows())), fmpq(0))


# --- the two densities --------------------------------------------------------------------------------


@cache
def affinity_steps() -> tuple[SymbolicStep, ...]:
    """Hellinger affinity in one direction, and h^2 <= Bayes risk <= h."""
    t, p, q = sp.Symbol("t", positive=True), sp.Symbol("p", positive=True), sp.Symbol("q", positive=True)
    z = sp.Symbol("z", real=True)
    rate = (1 / (1 - t) + 1 / (1 + t)) / 4  # the exponent of sqrt(p q)
    shape = sp.Symbol("r", positive=True)
    gauss = sp.integrate(sp.exp(-shape * z**2), (z, -sp.oo, sp.oo)).subs(shape, rate)
    constant = 1 / (sp.sqrt(2 * sp.pi) * ((1 - t) * (1 + t)) ** sp.Rational(1, 4))
    unit = {t: (sp.Rational(1, 100), sp.Rational(99, 100))}
    harmonic, geometric = 2 * p**2 * q**2 / (p**2 + q**2), p * q
    return (
        SymbolicStep(
            "the affinity of N(0, 1 - t) and N(0, 1 + t), to the fourth power",
            sp.simplify((gauss * constant) ** 4),
            "=",
            1 - t**2,
            domain=unit,
        ),
        SymbolicStep(
            "Bayes risk <= h: a harmonic mean is below a geometric one",
            harmonic,
            "<=",
            geometric,
            certificate=p * q * (p - q) ** 2 / (p**2 + q**2),
        ),
        SymbolicStep(
            "h^2 <= Bayes risk: Cauchy-Schwarz on sqrt(pq) = sqrt(2pq/(p+q)) sqrt((p+q)/2)",
            geometric**2,
            "=",
            harmonic * (p**2 + q**2) / 2,
        ),
    )


def binary_channel_mmse(snr: arb) -> arb:
    """1 - E tanh(snr + sqrt(snr) G), G ~ N(0, 1), enclosed: the Bayes risk at |D|_F^2 = 2 snr.

    Rigorous quadrature on |G| <= 12; |tanh| <= 1 bounds what is beyond by P(|G| > 12).
    """
    with ctx.workprec(128):
        root = snr.sqrt()

        def integrand(g: acb, analytic: bool) -> acb:
            # tanh is meromorphic: on a box that holds a pole the quotient is not finite, which is what is wanted.
            return (snr + root * g).tanh() * (-g * g / 2).exp()

        inside = acb.integral(integrand, acb(-12), acb(12)).real / (2 * arb.pi()).sqrt()
        tail = (arb(12) / arb(2).sqrt()).erfc()
        return 1 - inside + arb(0, float(tail) * 1.01)
