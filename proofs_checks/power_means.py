r"""Sums over neurons of ||w_r||^2 and ||w_r||^3 against ||W||_{2,4} = (sum_r ||w_r||^4)^(1/4), for every m.

Each inequality is one for a single term with a free parameter, summed, and the best value of the parameter put in:

    z^2 <= (z^4/tau^2 + tau^2)/2,        mean z^2 <= M^(1/2)       at tau^4 = M = mean z^4,
    z^3 <= (3 z^4/tau + tau^3)/4,        mean z^3 <= M^(3/4)       at tau^4 = M,
    s z^2 <= (tau s^2 + z^4/tau)/2,      sum s z^2 <= (sum s^2)^(1/2) (sum z^4)^(1/2)   at tau^2 = sum z^4/sum s^2,

with equality when all z_r are equal, or z_r^2 proportional to s_r. As M = ||W||^4/m, the power of m follows.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_checks.symbolic_step import SymbolicStep

m, norm, tau, mean_fourth, slopes, fourth = sp.symbols("m R tau M S Z", positive=True)
radius = sp.Symbol("B_x", positive=True)
z, s, slack = sp.symbols("z s g", nonnegative=True)
"""z = ||w_r||, s = |sigma'(u_r)|^2 or |sigma''(u_r)|; norm is ||W||_{2,4}; S = sum s^2, Z = sum z^4."""


def inner_product_step(order: int, claimed: int) -> SymbolicStep:
    """|<w, x>|^order <= B_x^claimed ||w||^order, with |<w, x>| = B_x ||w||/(1 + g), the cosine being at most 1."""
    whole = radius**order * z**order
    inside = whole / (1 + slack) ** order
    certificate = whole * (sp.expand((1 + slack) ** order) - 1) / (1 + slack) ** order
    name = f"|<w, x>|^{order} <= B_x^{claimed} ||w||^{order}"
    return SymbolicStep(name, inside, "<=", radius**claimed * z**order, certificate)


def square_steps() -> tuple[SymbolicStep, ...]:
    """mean z^2 <= (mean z^4)^(1/2)."""
    best: Any = mean_fourth ** sp.Rational(1, 4)
    return (
        SymbolicStep(
            "z^2 <= (z^4/tau^2 + tau^2)/2",
            z**2,
            "<=",
            (z**4 / tau**2 + tau**2) / 2,
            (z**2 - tau**2) ** 2 / (2 * tau**2),
        ),
        SymbolicStep("averaged, at tau^4 = mean z^4", (mean_fourth / best**2 + best**2) / 2, "=", sp.sqrt(mean_fourth)),
    )


def cube_steps() -> tuple[SymbolicStep, ...]:
    """mean z^3 <= (mean z^4)^(3/4)."""
    best: Any = mean_fourth ** sp.Rational(1, 4)
    return (
        SymbolicStep(
            "z^3 <= (3 z^4/tau + tau^3)/4",
            z**3,
            "<=",
            (3 * z**4 / tau + tau**3) / 4,
            (z - tau) ** 2 * (3 * z**2 + 2 * z * tau + tau**2) / (4 * tau),
        ),
        SymbolicStep(
            "averaged, at tau^4 = mean z^4",
            (3 * mean_fourth / best + best**3) / 4,
            "=",
            mean_fourth ** sp.Rational(3, 4),
        ),
    )


def product_steps() -> tuple[SymbolicStep, ...]:
    """sum s z^2 <= (sum s^2)^(1/2) (sum z^4)^(1/2), with equality at z^2 = t s."""
    best, root = sp.sqrt(fourth / slopes), sp.sqrt(slopes * fourth)
    t = sp.Symbol("t", positive=True)
    return (
        SymbolicStep(
            "s z^2 <= (tau s^2 + z^4/tau)/2",
            s * z**2,
            "<=",
            (tau * s**2 + z**4 / tau) / 2,
            (tau * s - z**2) ** 2 / (2 * tau),
        ),
        SymbolicStep("summed, at tau^2 = sum z^4/sum s^2", (best * slopes + fourth / best) / 2, "=", root),
        SymbolicStep("equality at z^2 = t s", t * slopes, "=", sp.sqrt(slopes * t**2 * slopes)),
    )


def fourth_power_mean(power: int) -> Any:
    """(mean z^4)^(power/4) with sum z^4 = R^4: the largest mean of z^power."""
    return (norm**4 / m) ** sp.Rational(power, 4)
