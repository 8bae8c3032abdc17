r"""First and second derivatives of the two risks in the movement, and how their difference is split (B, B.3).

The sums over neurons are linear, so a split is an identity for one neuron with the values of sigma, sigma' and sigma''
as free symbols, at either sign. That the symbols are what they stand for is shown by differentiating: sigma is a cubic
polynomial and l a quadratic one with free coefficients, so that the derivatives that enter at a point take any values;
two neurons with a = +1, -1 and a common start.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import sympy as sp

from proofs_checks.symbolic_step import SymbolicStep

u, t = sp.symbols("u t", real=True)
h = sp.symbols("h:2", real=True)
star = sp.symbols("k:2", real=True)
"""<w_r, x> and <w_{*,r}, x>."""
OUTER = (1, -1)
_point = sp.Symbol("x", real=True)
_SIGMA = sp.Add(*(a * _point ** (k + 1) for k, a in enumerate(sp.symbols("c_1:4", real=True))))
_LOSS = sp.Add(*(a * _point ** (k + 1) for k, a in enumerate(sp.symbols("l_1:3", real=True))))


def _at(function: Any, order: int, place: Any) -> Any:
    return sp.diff(function, _point, order).subs(_point, place)


def _network(moves: Any) -> Any:
    """f at these movements (signs included), f_{W_0} being zero."""
    return sp.Add(*(a * _at(_SIGMA, 0, u + e) for a, e in zip(OUTER, moves, strict=True))) / sp.sqrt(2)


def _quadratic(moves: Any) -> Any:
    """f^Q at these movements."""
    return sp.Add(*(a * _at(_SIGMA, 2, u) * e**2 for a, e in zip(OUTER, moves, strict=True))) / (2 * sp.sqrt(2))


def _sum(order: int, signs: Any, steps: Any, power: int) -> Any:
    """m^(-1/2) sum_r a_r sigma^(order)(u_r + eps_r h_r) step_r^power."""
    rows = zip(OUTER, signs, h, steps, strict=True)
    return sp.Add(*(a * _at(_SIGMA, order, u + e * x) * k**power for a, e, x, k in rows)) / sp.sqrt(2)


def _plain(order: int, factors: Any) -> Any:
    """m^(-1/2) sum_r a_r sigma^(order)(u_r) factor_r."""
    return sp.Add(*(a * _at(_SIGMA, order, u) * x for a, x in zip(OUTER, factors, strict=True))) / sp.sqrt(2)


def _risk_along(model: Any, order: int) -> Any:
    """The order-th derivative at t = 0 of l(model), model a polynomial in t."""
    return sp.diff(_LOSS.subs(_point, model), t, order).subs(t, 0)


def gradient_steps(doubled: Any = 1) -> tuple[SymbolicStep, ...]:
    """<grad, W> of l(f) and of l(f^Q); `doubled` scales the sum in the second, which is 2 f^Q."""
    signs = (1, -1)
    along = [e * x * (1 + t) for e, x in zip(signs, h, strict=True)]
    value = _network([e * x for e, x in zip(signs, h, strict=True)])
    found = _at(_LOSS, 1, value) * _sum(1, signs, [e * x for e, x in zip(signs, h, strict=True)], 1)
    clean = _at(_LOSS, 1, _quadratic(h)) * doubled * _plain(2, [x**2 for x in h])
    return (
        SymbolicStep("<grad L~, W>", _risk_along(_network(along), 1), "=", found),
        SymbolicStep("<grad L^Q, W>", _risk_along(_quadratic([x * (1 + t) for x in h]), 1), "=", clean),
    )


def hessian_steps(second: Any = 1) -> tuple[SymbolicStep, ...]:
    """The two second derivatives along W_* Sigma' at given signs; `second` scales the part in l'."""
    signs, flips = (1, -1), (-1, 1)
    moves = [e * x for e, x in zip(signs, h, strict=True)]
    turned = [e * f * k for e, f, k in zip(signs, flips, star, strict=True)]
    value, clean = _network(moves), _quadratic(h)
    found = _at(_LOSS, 2, value) * _sum(1, signs, turned, 1) ** 2
    found += second * _at(_LOSS, 1, value) * _sum(2, signs, turned, 2)
    crossed = [x * f * k for x, f, k in zip(h, flips, star, strict=True)]
    expected = _at(_LOSS, 2, clean) * _plain(2, crossed) ** 2
    expected += second * _at(_LOSS, 1, clean) * _plain(2, [k**2 for k in star])
    along = _network([x + t * k for x, k in zip(moves, turned, strict=True)])
    clean_along = _quadratic([x + t * f * k for x, f, k in zip(h, flips, star, strict=True)])
    return (
        SymbolicStep("Hess L~", _risk_along(along, 2), "=", found),
        SymbolicStep("Hess L^Q", _risk_along(clean_along, 2), "=", expected),
    )


def gradient_split_steps(kept: Any = 1) -> tuple[SymbolicStep, ...]:
    """One neuron's part of <grad L~ - grad L^Q, W> is its part of I + II + III; `kept` scales sigma'' in III."""
    slope, clean, first, start, bend, move = sp.symbols("p q s_1 s b h", real=True)
    steps = []
    for sign in (1, -1):
        e = sign * move
        left = slope * first * e - clean * bend * move**2
        split = slope * start * e + (slope - clean) * bend * move**2 + slope * (first - start - kept * bend * e) * e
        steps.append(SymbolicStep(f"sign {sign:+d}: I + II + III", left, "=", sp.expand(split)))
    return tuple(steps)


def hessian_split_steps(factor: Any = 1) -> tuple[SymbolicStep, ...]:
    """One neuron's part of II(L) - II(L^Q); `factor` scales the second sum, which is 2 f^Q at W_*."""
    slope, clean, moved, bend, k = sp.symbols("p q b_1 b k", real=True)
    left = slope * moved * k**2 - clean * bend * k**2
    split = slope * (moved - bend) * k**2 + factor * (slope - clean) * bend * k**2
    return (
        SymbolicStep("II(L) - II(L^Q)", left, "=", sp.expand(split)),
        SymbolicStep("m^(-1/2) sum a sigma'' <w_*, x>^2", _plain(2, [k**2 for k in star]), "=", 2 * _quadratic(star)),
    )


def sign_average_steps(curvature: Any = 1, cross: Any = 0) -> tuple[SymbolicStep, ...]:
    """E over Sigma' of l'' (m^(-1/2) sum_r b_r eps'_r)^2 = curvature l'' (1/m) sum_r b_r^2, two neurons in full."""
    second, b0, b1 = sp.symbols("l_2 b_0 b_1", real=True)
    values = [second * ((b0 * e + b1 * f) / sp.sqrt(2)) ** 2 for e, f in product((1, -1), repeat=2)]
    mean = sp.expand(sp.Add(*values)) / 4
    claimed = curvature * second * (b0**2 + b1**2 + cross * b0 * b1) / 2
    return (SymbolicStep("E over Sigma' of the square", mean, "=", sp.expand(claimed)),)
