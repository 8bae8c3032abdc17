"""b_*^2, the mean square of sigma(G) that no affine function of G explains.

With lambda_k = E[sigma(G) He_k(G)] and any a, b,

    E (sigma(G) - a - b G)^2 = b_*^2 + (a - lambda_0)^2 + (b - lambda_1)^2,
    b_*^2 = E sigma^2 - lambda_0^2 - lambda_1^2,

so b_*^2 >= 0, with equality exactly if sigma(G) is affine in G almost surely. By Parseval b_*^2 is the sum over k >=
2 of the energies lambda_k^2/k!, and where sigma has a square-integrable derivative the rest of that sum is small: the
sum over all k of k lambda_k^2/k! is E sigma'(G)^2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp
from flint import arb, ctx

from proofs_checks.hermite import hermite_polynomial
from proofs_checks.symbolic_step import SymbolicStep

Formula = Callable[[Any, Any, Any], Any]
"""b_*^2 as a function of E sigma^2, lambda_0 and lambda_1."""

X = sp.Symbol("x", real=True)
_BITS = 256


def gaussian_mean(polynomial: Any) -> Any:
    """E p(G): G^(2m) has mean (2m - 1)!!, odd powers none."""
    terms = sp.Poly(sp.expand(polynomial), X).terms()
    return sum((c * sp.factorial2(power - 1) for (power,), c in terms if power % 2 == 0), sp.S.Zero)


def polynomial_step(polynomial: Any, formula: Formula) -> SymbolicStep:
    """Parseval for a polynomial in X, exactly: the formula against the sum of its energies of degree 2 and more."""
    degree = int(sp.Poly(polynomial, X).degree())
    moments = [gaussian_mean(polynomial * hermite_polynomial(k, X)) for k in range(max(degree, 1) + 1)]
    energies = [moment**2 / sp.factorial(k) for k, moment in enumerate(moments)]
    return SymbolicStep(
        f"b_*^2 is the energy of degree 2 to {degree} of a polynomial",
        sp.expand(formula(gaussian_mean(polynomial**2), moments[0], moments[1])),
        "=",
        sp.expand(sum(energies[2:], sp.S.Zero)),
    )


def residual_steps(formula: Formula, degree: int = 6) -> tuple[SymbolicStep, ...]:
    """The identity for affine functions, and Parseval for the polynomial with symbolic coefficients."""
    a, b, mean, slope = sp.symbols("a b lambda_0 lambda_1", real=True)
    second = sp.Symbol("m_2", real=True)
    distance = second - 2 * a * mean - 2 * b * slope + a**2 + b**2  # E G = 0, E G^2 = 1
    coefficients = sp.symbols(f"c:{degree + 1}", real=True)
    generic = sum((c * X**power for power, c in enumerate(coefficients)), sp.S.Zero)
    return (
        SymbolicStep(
            "E (sigma - a - b G)^2 = b_*^2 + (a - lambda_0)^2 + (b - lambda_1)^2",
            distance,
            "=",
            formula(second, mean, slope) + (a - mean) ** 2 + (b - slope) ** 2,
        ),
        polynomial_step(generic, formula),
    )


@dataclass(frozen=True, eq=False)
class Energies:
    """The sum of lambda_k^2/k! over k >= 2 lies between the first terms and these plus a bound on the rest."""

    least: arb
    most: arb | None
    """None where E sigma'^2 is infinite or not known."""


def energies(coefficients: Sequence[arb], derivative_moment: arb | None) -> Energies:
    """From lambda_0..lambda_K and E sigma'(G)^2: the energies beyond K carry a factor k >= K + 1 in the latter."""
    with ctx.workprec(_BITS):
        terms = [value * value / arb.fac_ui(k) for k, value in enumerate(coefficients)]
        least = sum(terms[2:], arb(0))
        if derivative_moment is None:
            return Energies(least, None)
        spent = sum((k * term for k, term in enumerate(terms)), arb(0))
        return Energies(least, least + (derivative_moment - spent) / len(coefficients))
