r"""Gradient flow of the trained quadratic network: a matrix Riccati equation and its solution.

dW/dt = -grad_W L = 8 MW + 4 m W and dc/dt = 2 m, with M = B - A, A = WW^T, m = Tr M + b_0 - c.

With c optimised out m = 0, and dA/dt = 8 (BA + AB) - 16 A^2 is solved in every dimension by

    A(t) = X Y^-1 X^T,   X = e^{8Bt} W_0,   Y = I + W_0^T Phi W_0,   Phi = 16 int_0^t e^{16Bs} ds,

since X' = 8BX and Y' = 16 X^T X (`solution_step`, with non-commuting symbols for the matrices). With c trained, m(t)
only adds a clock: X = e^{8Bt + 4 mu} W_0 and Phi' = 16 e^{16Bt + 8 mu} with mu' = m, so that d + 2 scalar equations
remain (`joint_flow_risk`).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache

import flint
import numpy as np
import sympy as sp
from flint import arb, arb_mat
from scipy.integrate import solve_ivp

from proofs_checks.symbolic_step import SymbolicStep


def solution_step(rate: int = 8) -> SymbolicStep:
    """A' from X' = rate B X and Y' = 2 rate X^T X against the Riccati equation: matrices of any size."""
    B, X, Xt, Z = sp.symbols("B X X^T Y^-1", commutative=False)
    A = X * Z * Xt
    moved = rate * B * X
    moved_transpose = rate * Xt * B
    inverse_moved = -Z * (2 * rate * Xt * X) * Z  # (Y^-1)' = -Y^-1 Y' Y^-1
    derivative = sp.expand(moved * Z * Xt + X * inverse_moved * Xt + X * Z * moved_transpose)
    return SymbolicStep("A' = 8 (BA + AB) - 16 A^2", derivative, "=", sp.expand(8 * (B * A + A * B) - 16 * A * A))


@cache
def small_size_steps(dimension: int, neurons: int) -> tuple[SymbolicStep, ...]:
    """The same, entry by entry, for B = diag(b) and W_0 of symbols; e^{8 b_i t} is a symbol with its derivative."""
    b = [sp.Symbol(f"b{i + 1}", positive=True) for i in range(dimension)]
    e = [sp.Symbol(f"e{i + 1}", positive=True) for i in range(dimension)]
    start = sp.Matrix(dimension, neurons, lambda i, j: sp.Symbol(f"w{i + 1}{j + 1}", positive=True))
    X = sp.diag(*e) * start
    Y = sp.eye(neurons) + start.T * sp.diag(*((f**2 - 1) / a for a, f in zip(b, e, strict=True))) * start
    A = X * Y.inv() * X.T
    B = sp.diag(*b)
    derivative = sp.zeros(dimension)
    for a, f in zip(b, e, strict=True):
        derivative += sp.diff(A, f) * 8 * a * f
    riccati = 8 * (B * A + A * B) - 16 * A * A
    return tuple(
        SymbolicStep(f"entry {i + 1}{j + 1} for d = {dimension}, N = {neurons}",
                     sp.cancel(sp.together(derivative[i, j] - riccati[i, j])), "=", sp.Integer(0))
        for i in range(dimension) for j in range(i + 1)
    )  # fmt: skip


def flow_risk(eigenvalues: Sequence[Fraction | int], start: Sequence[Sequence[Fraction | int]], time: Fraction) -> arb:
    """2 ||B - A(t)||^2 with c optimised out, as a ball; B = diag(eigenvalues), W_0 = start by rows."""
    largest = max(abs(Fraction(value)) for value in eigenvalues)
    # Y cancels from e^{16 lambda t} down to 1: 24 bits for each unit of its exponent, and 256 to spare.
    with flint.ctx.workprec(256 + 2 * int(24 * largest * time)):
        moment = _ball(time)
        values = [_ball(value) for value in eigenvalues]
        rows, columns = len(values), len(start[0])
        initial = arb_mat(rows, columns, [_ball(x) for row in start for x in row])
        growth, spent = arb_mat(rows, rows), arb_mat(rows, rows)
        for i, value in enumerate(values):
            growth[i, i] = (8 * value * moment).exp()
            zero = Fraction(eigenvalues[i]) == 0
            spent[i, i] = 16 * moment if zero else ((16 * value * moment).exp() - 1) / value
        x = growth * initial
        identity = arb_mat(columns, columns, [int(i == j) for i in range(columns) for j in range(columns)])
        y = identity + initial.transpose() * spent * initial
        fitted = x * y.solve(x.transpose())
        for i, value in enumerate(values):
            fitted[i, i] -= value
        return 2 * sum((entry * entry for entry in fitted.entries()), arb(0))


def _ball(value: Fraction | int) -> arb:
    numerator, denominator = Fraction(value).as_integer_ratio()
    return arb(numerator) / denominator


def joint_flow_risk(eigenvalues: Sequence[float], start: np.ndarray, offset: float, time: float) -> tuple[float, float]:
    """L(W(t), c(t)) of the flow in W and c together (c measured from b_0), and an estimate of its error.

    An adaptive Runge-Kutta method of order eight on the scalar equations, at two tolerances a hundred apart; the
    error is their difference.
    """
    target = np.asarray(eigenvalues, dtype=np.float64)
    initial = np.asarray(start, dtype=np.float64)

    def fitted(t: float, clock: float, spent: np.ndarray) -> np.ndarray:
        x = np.exp(8 * target * t + 4 * clock)[:, None] * initial
        return x @ np.linalg.solve(np.eye(initial.shape[1]) + (initial.T * spent) @ initial, x.T)

    def velocity(t: float, state: np.ndarray) -> np.ndarray:
        clock, c, spent = state[0], state[1], state[2:]
        mean = np.sum(target) - np.trace(fitted(t, clock, spent)) - c
        return np.concatenate([[mean, 2 * mean], 16 * np.exp(16 * target * t + 8 * clock)])

    def risk(tolerance: float) -> float:
        begin = np.concatenate([[0.0, offset], np.zeros(len(target))])
        end = solve_ivp(velocity, (0.0, time), begin, method="DOP853", rtol=tolerance, atol=tolerance).y[:, -1]
        mismatch = np.diag(target) - fitted(time, end[0], end[2:])
        return float(2 * np.sum(mismatch**2) + (np.trace(mismatch) - end[1]) ** 2)

    fine = risk(1e-11)
    return fine, abs(fine - risk(1e-9))
