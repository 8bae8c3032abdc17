r"""Averages over independent random signs eps_r of sums with coefficients c_r = a_r sigma'(u_r) <w_r, x>.

    E sum_r c_r eps_r = 0,    E (sum_r c_r eps_r)^2 = sum_r c_r^2.

For every m by induction: with S the sum so far, ((S + c)^2 + (S - c)^2)/2 = S^2 + c^2 and ((S + c) + (S - c))/2 = S.
A sign with mean `bias` would leave E (S + c eps)^2 = S^2 + 2 bias S c + c^2. Small m are run through as well.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import sympy as sp

from proofs_checks.symbolic_step import SymbolicStep

ENUMERATED = (2, 4)
partial_sum, coefficient = sp.symbols("S c", real=True)


def average(function: Any, sign: Any, bias: Any = sp.S.Zero) -> Any:
    """E over one sign with P(+1) = (1 + bias)/2."""
    return (1 + bias) / 2 * function.subs(sign, 1) + (1 - bias) / 2 * function.subs(sign, -1)


def induction_steps(bias: Any = sp.S.Zero) -> tuple[SymbolicStep, ...]:
    """One more neuron changes the mean by nothing and the mean square by c^2."""
    sign = sp.Symbol("epsilon", real=True)
    total = partial_sum + coefficient * sign
    return (
        SymbolicStep("one more sign leaves the mean", average(total, sign, bias), "=", partial_sum),
        SymbolicStep(
            "one more sign adds c^2 to the mean square",
            average(total**2, sign, bias),
            "=",
            partial_sum**2 + coefficient**2,
        ),
    )


def _sum_over_neurons(flips: tuple[int, ...], order: int, factor: Any) -> Any:
    """factor m^(-1/2) sum_r a_r sigma^(order)(u_r) (eps_r h_r)^order; copies share their derivative s_r."""
    half = len(flips) // 2
    movements, outer = sp.symbols(f"h:{2 * half}", real=True), (1,) * half + (-1,) * half
    rows = zip(outer, derivatives(half), movements, flips, strict=True)
    return factor * sp.Add(*(a * s * (e * h) ** order for a, s, h, e in rows)) / sp.sqrt(2 * half)


def derivatives(half: int) -> tuple[Any, ...]:
    """sigma^(order)(u_r) as free symbols, those of the first half copied into the second."""
    return sp.symbols(f"s:{half}", real=True) * 2


def linear_moment_steps(scale: Any = 1) -> tuple[SymbolicStep, ...]:
    """E f^L and E (f^L)^2 against (scale/m) sum_r sigma'(u_r)^2 h_r^2, by running through all signs."""
    steps = []
    for width in ENUMERATED:
        values = [_sum_over_neurons(flips, 1, 1) for flips in product((1, -1), repeat=width)]
        rows = zip(derivatives(width // 2), sp.symbols(f"h:{width}", real=True), strict=True)
        claimed = scale * sp.Add(*(s**2 * h**2 for s, h in rows)) / width
        square = sp.Add(*(sp.expand(value**2) for value in values)) / len(values)
        steps += [
            SymbolicStep(f"E f^L, m = {width}", sp.expand(sp.Add(*values)) / len(values), "=", sp.S.Zero),
            SymbolicStep(f"E (f^L)^2, m = {width}", sp.expand(square), "=", claimed),
        ]
    return tuple(steps)


def unchanged_steps(order: int, factor: Any) -> tuple[SymbolicStep, ...]:
    """factor m^(-1/2) sum_r a_r sigma^(order)(u_r) (eps_r h_r)^order is the same for all signs: each term is."""
    term = sp.Symbol("h", real=True)
    steps = [
        SymbolicStep(f"one term of order {order}, for any m, sign {e:+d}", (e * term) ** order, "=", term**order)
        for e in (1, -1)
    ]
    for width in ENUMERATED:
        plain = _sum_over_neurons((1,) * width, order, factor)
        for flips in product((1, -1), repeat=width):
            name = f"order {order}, m = {width}, signs {' '.join('+' if e > 0 else '-' for e in flips)}"
            steps.append(SymbolicStep(name, _sum_over_neurons(flips, order, factor), "=", plain))
    return tuple(steps)


def taylor_coefficient_step(order: int, factor: Any) -> SymbolicStep:
    """d^order/dt^order sigma(u + t h)/order! at t = 0 is factor sigma^(order)(u) h^order.

    The term depends on the derivatives at u only, so a polynomial of that degree with free coefficients is general.
    """
    t, u, h = sp.symbols("t u h", real=True)
    point = sp.Symbol("x", real=True)
    sigma = sp.Add(*(c * point**k for k, c in enumerate(sp.symbols(f"c:{order + 1}", real=True))))
    found = sp.diff(sigma.subs(point, u + t * h), t, order).subs(t, 0) / sp.factorial(order)
    name = f"the term of order {order} of sigma(u + h)"
    return SymbolicStep(name, sp.expand(found), "=", factor * sp.diff(sigma, point, order).subs(point, u) * h**order)
