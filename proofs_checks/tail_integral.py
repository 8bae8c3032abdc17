r"""The integral of a Gaussian tail with a logarithm in its exponent, line by line.

With L = log(2 d m) >= log 2 and any split point s >= sqrt(2 V L),

    int_0^oo min(exp(-t^2/(2V) + L), 1) dt <= s + int_s^oo exp(-t^2/(2V) + L) dt,

with equality at s = sqrt(2 V L), where the right side is least: sqrt(V L) (sqrt(2) + sqrt(pi/(2L)) e^L erfc(sqrt(L))).
The factor falls from 2.1340 at L = log 2 (d = m = 1) to sqrt(2) as L grows: erfc(x) e^(x^2)/x falls, being
(2/sqrt(pi)) int_0^oo e^(-u^2 - 2ux) du/x. The print splits at s = sqrt(4 V L) instead.
"""

from __future__ import annotations

from typing import Any

import sympy as sp
from flint import arb, ctx

from proofs_checks.matrix_moments import BITS, entropy, level, variance
from proofs_checks.symbolic_step import SymbolicStep

excess, u = sp.symbols("g u", nonnegative=True)
x = sp.Symbol("x", positive=True)
LEAST = sp.log(2)
"""L at d = m = 1."""


def layer_steps(factor: Any = 1) -> tuple[SymbolicStep, ...]:
    """E X = factor int_0^oo P(X >= t) dt, for a point mass (hence for all laws, linearly), and P <= 1."""
    mass = sp.integrate(sp.sympify(factor), (level, 0, x))
    bound = sp.Symbol("b", nonnegative=True)
    return (
        SymbolicStep("int_0^oo 1(t <= x) dt = x", mass, "=", x),
        SymbolicStep("P <= b and P <= 1 give P <= min(b, 1), at b = 1 + g", sp.Min(1 + excess, 1), "=", sp.S.One),
        SymbolicStep("and at b = 1/(1 + b'), which is below 1", 1 / (1 + bound), "<=", sp.S.One, bound / (1 + bound)),
    )


def split_steps(factor: Any = 4) -> tuple[SymbolicStep, ...]:
    """s + int_s^oo at s = sqrt(factor V L): the exponent is <= 0 beyond it, as long as factor >= 2."""
    square = factor * variance * entropy
    gap = (factor - 2) * entropy / 2
    s = sp.Symbol("s", positive=True)
    integrand: Any = sp.exp(-(level**2) / (2 * variance) + entropy)
    return (
        SymbolicStep("the minimum is 1 up to t^2 = 2 V L: the exponent there",
                     -(2 * variance * entropy) / (2 * variance) + entropy, "=", sp.S.Zero),
        SymbolicStep(f"beyond s^2 = {factor} V L the exponent is negative, so s + int_s^oo grows with s",
                     -square / (2 * variance) + entropy, "<=", sp.S.Zero, gap),
        SymbolicStep("its derivative in s", sp.diff(s + sp.Integral(integrand, (level, s, sp.oo)), s), "=",
                     1 - integrand.subs(level, s)),
    )  # fmt: skip


def exponent_step(factor: Any = 4, start: Any = 4) -> SymbolicStep:
    """-t^2/(2V) + L <= -t^2/(factor V) for t^2 = start V L + g."""
    square = start * variance * entropy + excess
    left, right = -square / (2 * variance) + entropy, -square / (factor * variance)
    return SymbolicStep(f"-t^2/(2V) + L <= -t^2/({factor}V) for t^2 >= {start} V L", left, "<=", right,
                        sp.expand(right - left))  # fmt: skip


def tail_steps(log_share: Any) -> tuple[SymbolicStep, ...]:
    """int_{sqrt(4VL)}^oo exp(-t^2/(4V)) dt = sqrt(pi V) erfc(sqrt L) <= share sqrt(pi V), share = 1 or e^-L."""
    integral = sp.integrate(sp.exp(-(level**2) / (4 * variance)), (level, sp.sqrt(4 * variance * entropy), sp.oo))
    half_line = 2 / sp.sqrt(sp.pi) * sp.integrate(sp.exp(-(u**2)), (u, 0, sp.oo))
    return (
        SymbolicStep("the integral", sp.simplify(integral), "=", sp.sqrt(sp.pi * variance) * sp.erfc(sp.sqrt(entropy))),
        SymbolicStep("erfc(x) e^(x^2) = (2/sqrt pi) int e^(-u^2 - 2ux) du <= 1: the exponents", -(u**2) - 2 * u * x,
                     "<=", -(u**2), 2 * u * x),
        SymbolicStep("and (2/sqrt pi) int e^(-u^2) du = 1", half_line, "=", sp.S.One),
        SymbolicStep("e^-L is at most the share", -entropy, "<=", log_share, sp.expand(log_share + entropy)),
    )  # fmt: skip


def last_steps(share: Any, least: Any) -> tuple[SymbolicStep, ...]:
    """share sqrt(pi) <= 2 sqrt(L) for L = least + g, squared: what sqrt(4VL) + share sqrt(pi V) <= 4 sqrt(VL) needs."""
    return (
        SymbolicStep(
            "(share sqrt(pi V))^2 <= (2 sqrt(VL))^2, over V, at the least L", sp.pi * share**2, "<=", 4 * least
        ),
        SymbolicStep("and so for larger L", 4 * least, "<=", 4 * (least + excess), 4 * excess),
    )


def falling_step() -> SymbolicStep:
    """d/dx log(e^(-u^2 - 2ux)/x) < 0, so the factor of the best split falls in L."""
    slope = sp.diff(-(u**2) - 2 * u * x - sp.log(x), x)
    return SymbolicStep("e^(-u^2 - 2ux)/x falls in x", slope, "<", sp.S.Zero, 2 * u + 1 / x)


def best_factor(entropy_value: arb) -> arb:
    """sqrt(2) + sqrt(pi/(2L)) e^L erfc(sqrt L): the constant in front of sqrt(V L) that the best split gives."""
    with ctx.workprec(BITS):
        root = entropy_value.sqrt()
        return arb(2).sqrt() + (arb.pi() / (2 * entropy_value)).sqrt() * entropy_value.exp() * root.erfc()


def printed_factor(entropy_value: arb) -> arb:
    """2 + sqrt(pi/L) erfc(sqrt L): what the split at sqrt(4VL) gives with no further loss."""
    with ctx.workprec(BITS):
        return 2 + (arb.pi() / entropy_value).sqrt() * entropy_value.sqrt().erfc()
