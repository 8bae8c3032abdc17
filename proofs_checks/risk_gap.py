r"""The mean logistic loss of a randomised network against the loss of its quadratic part: two families, for every m.

l(z) = log(1 + e^-z), g(z) = l(z) + z/2 = log(2 cosh(z/2)). As 0 <= l'' <= 1/4 and l'''' >= -1/8,

    z^2/8 - z^4/192 <= g(z) - g(0) <= z^2/8,        z/2 - z^2/8 <= l(0) - l(z) <= z/2   (z >= 0).

The neurons are cubic ReLUs, rho = B_x ||W||_{2,4}. With K binomial, moments are exact:

paired      all u_r = u, all h_r = h = rho m^(-1/4) <= u. f = m^(-1/2) D (K - m/2), K of m trials, and f^Q = 0, where
            D = sigma(u+h) - sigma(u-h). E f^2 = D^2/4, E f^4 = D^4 (3 m - 2)/(16 m). So E l(f) - l(0) is
            (9/8) u^4 rho^2 m^(-1/2) as m grows.
orthogonal  x orthogonal to all w_{0,r}, so u_r = 0; the first half moves, h = (2/m)^(1/4) rho. f = m^(-1/2) h^3 K,
            K of m/2 trials, and f^L = f^Q = 0. So l(0) - E l(f) is 2^(3/4) rho^3 m^(-1/4)/8 as m grows.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_checks.symbolic_step import SymbolicStep

m, u, rho, v = sp.symbols("m u rho v", positive=True)


def loss_steps() -> tuple[SymbolicStep, ...]:
    """l'' <= 1/4 and l'''' >= -1/8, with v = e^z and s = tanh(z/2) = (v - 1)/(v + 1), and what they give."""
    value: Any = sp.log(1 + 1 / v)
    derivatives = [value]
    for _ in range(4):
        derivatives.append(sp.together(v * sp.diff(derivatives[-1], v)))
    s = (v - 1) / (v + 1)
    left = 4 * v / (v + 1) ** 2  # 1 - s^2
    z, t = sp.symbols("z t", positive=True)
    return (
        SymbolicStep("l'' <= 1/4", derivatives[2], "<=", sp.Rational(1, 4), s**2 / 4),
        SymbolicStep("l'''' >= -1/8", sp.Rational(-1, 8), "<=", derivatives[4], s**2 * (1 + 3 * left) / 8),
        SymbolicStep("l'' integrated twice", sp.integrate((z - t) / 4, (t, 0, z)), "=", z**2 / 8),
        SymbolicStep("l'''' integrated four times", sp.integrate((z - t) ** 3 / 48, (t, 0, z)), "=", z**4 / 192),
    )


def binomial_moment_steps() -> tuple[SymbolicStep, ...]:
    """E (K - n/2)^2 = n/4 and E (K - n/2)^4 = n (3n - 2)/16, by one more trial, which adds +-1/2 to S = K - n/2."""
    n = sp.Symbol("n", positive=True)
    total = sp.Symbol("S", real=True)
    half = sp.Rational(1, 2)

    def one_more(power: int) -> Any:
        return sp.expand(((total + half) ** power + (total - half) ** power) / 2)

    def fourth_moment(trials: Any) -> Any:
        return trials * (3 * trials - 2) / 16

    square, fourth = total**2, total**4
    return (
        SymbolicStep("one more trial, square", one_more(2), "=", square + sp.Rational(1, 4)),
        SymbolicStep("one more trial, fourth power", one_more(4), "=", fourth + 3 * square / 2 + sp.Rational(1, 16)),
        SymbolicStep(
            "the fourth moment for one more trial",
            fourth_moment(n) + sp.Rational(3, 2) * n / 4 + sp.Rational(1, 16),
            "=",
            fourth_moment(n + 1),
        ),
    )


def paired_gap() -> tuple[Any, Any]:
    """Lower and upper bound of E l(f) - l(0) in the paired family."""
    h = rho * m ** sp.Rational(-1, 4)
    spread = sp.expand((u + h) ** 3 - (u - h) ** 3)
    second, fourth = spread**2 / 4, spread**4 * (3 * m - 2) / (16 * m)
    return second / 8 - fourth / 192, second / 8


def orthogonal_gap() -> tuple[Any, Any]:
    """Lower and upper bound of l(0) - E l(f) in the orthogonal family."""
    cube = ((2 / m) ** sp.Rational(1, 4) * rho) ** 3
    first, second = cube * m / 4 / sp.sqrt(m), cube**2 * (m**2 / 16 + m / 8) / m
    return first / 2 - second / 8, first / 2


def leading(gap: tuple[Any, Any], power: Any) -> tuple[Any, Any]:
    """lim m^power gap for the two bounds; the gap is of that order where both are the same positive number."""
    w = sp.Symbol("w", positive=True)  # m = w^-8, so that all powers are integers
    scaled = (sp.powdenest(sp.expand((bound * m**power).subs(m, w**-8)), force=True) for bound in gap)
    low, high = (sp.limit(sp.expand(value), w, 0, "+") for value in scaled)
    return low, high
