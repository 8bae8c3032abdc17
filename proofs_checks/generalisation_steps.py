r"""The printed chain from symmetrisation to M_{x,op}, step by step.

    E [L^Q_P - L^Q] <= 2 E sup (1/n) sum eps_i l_i <= 4 B_w^2 E max_r ||A_r||_op + 2/sqrt(n),
    E max_r ||A_r||_op <= 4 sqrt(log(2dm)) E (max_r ||n^-2 sum_i sigma''^2 ||x_i||^2 x_i x_i^T||_op)^(1/2)
                       <= 4 B_x sqrt(log(2dm)/n) (E max sigma''^2)^(1/2) (B_x^2 M^2)^(1/2),

with E max sigma''^2 <= C^2 (4 log(mn) + 2 log 2).
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_checks.power_means import norm, product_steps, radius, slack, z
from proofs_checks.symbolic_step import SymbolicStep

samples, spread, entropy, logarithm, constant, complexity, coupling = sp.symbols("n M L Lambda C X K", positive=True)
"""n; M_{x,op}; L = log(2dm); Lambda = 4 log(mn) + 2 log 2; C; E max ||A_r||; the bound of Lemma 12 at B_w."""
m, d = sp.symbols("m d", positive=True)
HALF: Any = sp.Rational(1, 2)


def decomposition_step(sign: int = 1) -> SymbolicStep:
    """L_P - L = (L_P - L^Q_P) + (L^Q_P - L^Q) + (L^Q - L), in the risks of W."""
    population, empirical, quadratic_population, quadratic = sp.symbols("L_P L LQ_P LQ", real=True)
    parts = (population - quadratic_population) + (quadratic_population - quadratic) + sign * (quadratic - empirical)
    return SymbolicStep("the three differences", sp.expand(parts), "=", population - empirical)


def coupling_steps(times: int) -> tuple[SymbolicStep, ...]:
    """A mean over x of gaps below K is below K, for the sample and for the population; both enter."""
    return (
        SymbolicStep("a mean of K - g_i is at most K", coupling - slack, "<=", coupling, slack),
        SymbolicStep("two coupling errors", 2 * coupling, "<=", times * coupling, (times - 2) * coupling),
    )


def symmetrisation_steps(factor: Any) -> tuple[SymbolicStep, ...]:
    """A ghost sample, its exchange, and sup(u - v) <= sup u + sup(-v); and the class {f, -f}, f = +-1, at n = 1."""
    first, second = sp.symbols("a b", real=True)
    other = sp.Symbol("h", nonnegative=True)
    return (
        SymbolicStep("sup of a mean <= mean of the sups", ((first - slack) + (second - other)) / 2, "<=",
                     (first + second) / 2, (slack + other) / 2),
        SymbolicStep("sup(u - v) <= sup u + sup(-v)", (first - slack) + (second - other), "<=", first + second,
                     slack + other),
        SymbolicStep("{f, -f} with f = +-1 and n = 1: E sup = 1 on both sides", sp.S.One, "<=", factor, factor - 1),
    )  # fmt: skip


def twice_the_lemma_step(main: int = 4) -> SymbolicStep:
    """2 (2 B^2 X + n^(-1/2)) = main B^2 X + 2 n^(-1/2)."""
    lemma = 2 * norm**2 * complexity + 1 / sp.sqrt(samples)
    return SymbolicStep("twice Lemma 5", sp.expand(2 * lemma), "=", main * norm**2 * complexity + 2 / sp.sqrt(samples))


def variance_steps(power: int = 2) -> tuple[SymbolicStep, ...]:
    """((s/n) x x^T)^2 = (s^2/n^2) ||x||^power x x^T, in three dimensions (two directions and any other)."""
    x = sp.Matrix(sp.symbols("x_1 x_2 x_3", real=True))
    curvature = sp.Symbol("s", real=True)
    square = (curvature / samples * x * x.T) ** 2
    right = curvature**2 / samples**2 * sp.sqrt(x.dot(x)) ** power * x * x.T
    return tuple(
        SymbolicStep(f"entry {i + 1},{j + 1}", sp.expand(square[i, j]), "=", sp.expand(right[i, j]))
        for i in range(3)
        for j in range(i, 3)
    )


def maximum_out_steps(n_power: Any) -> tuple[SymbolicStep, ...]:
    """sum (S - g_i) <v, x_i>^2 <= S sum <v, x_i>^2, and sqrt(L B_x^2 n/n^2) = B_x sqrt(L) n^-n_power."""
    top = sp.Symbol("S", positive=True)
    return (
        SymbolicStep("sigma''^2 <= max sigma''^2", (top - slack) * z**2, "<=", top * z**2, slack * z**2),
        SymbolicStep("B_x sqrt(log(2dm)/n)", sp.sqrt(entropy * radius**2 * samples / samples**2), "=",
                     radius * sp.sqrt(entropy) * samples ** (-n_power)),
    )  # fmt: skip


def mean_product_steps(factor: Any = 1) -> tuple[SymbolicStep, ...]:
    """E (X Y)^(1/2) <= factor (E X E Y)^(1/2): Cauchy-Schwarz, with or without independence; equality at Y = t^2 X."""
    mean, t = sp.symbols("mu t", positive=True)
    equal = SymbolicStep(f"Y = t^2 X: E (XY)^(1/2) <= {factor} (E X E Y)^(1/2)", t * mean, "<=",
                         factor * sp.sqrt(mean * t**2 * mean), (factor - 1) * t * mean)  # fmt: skip
    return (*product_steps(), equal)


def main_term_steps(
    n_power: Any = HALF, x_power: int = 2, w_power: int = 2, m_power: int = 1
) -> tuple[SymbolicStep, ...]:
    """4 B_w^2 times the bound of E max ||A_r||, and the claimed powers of n, B_x, B_w and M."""
    norms = 4 * radius * sp.sqrt(entropy / samples) * sp.sqrt(constant**2 * logarithm) * sp.sqrt(radius**2 * spread**2)
    claimed = 16 * constant * sp.sqrt(entropy * logarithm) * radius**x_power * norm**w_power * spread**m_power
    return (
        SymbolicStep("the main term", 4 * norm**2 * norms, "=", claimed * samples ** (-n_power)),
        SymbolicStep("and 2/sqrt(n)", 2 / sp.sqrt(samples), "=", 2 * samples ** (-n_power)),
    )


def coupling_term_step(first: Any, second: Any, d_power: int = 2) -> SymbolicStep:
    """Lemma 12 at ||W|| = B_w, twice."""
    lemma = (radius * norm) ** 3 * m ** sp.Rational(-1, 4) + d**2 * (radius * norm) ** 2 / sp.sqrt(m)
    claimed = 2 * radius**3 * norm**3 * m ** (-first) + 2 * d**d_power * radius**2 * norm**2 * m ** (-second)
    return SymbolicStep("the coupling terms", sp.expand(2 * lemma), "=", claimed)
