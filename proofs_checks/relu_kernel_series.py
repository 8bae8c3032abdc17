r"""The arc-cosine kernel of the ReLU and its power series, for every order.

For (Z_1, Z_2) Gaussian with unit variances and correlation u

    K(u) = E[relu(Z_1) relu(Z_2)] = (u (pi - arccos u) + sqrt(1 - u^2))/(2 pi) = sum_p c_p u^p,
    c_0 = 1/(2 pi),   c_1 = 1/4,   c_{2l} = b_{l-1}/(2 pi (2l-1) 2l),   b_k = binom(2k, k)/4^k,

and c_p = 0 for odd p >= 3. Proof: in polar coordinates K is an elementary integral; 2 pi K'' = y = (1 - u^2)^(-1/2),
which solves (1 - u^2) y' = u y, y(0) = 1, so its coefficients b_k of u^{2k} are those with b_0 = 1 and
(2k + 2) b_{k+1} = (2k + 1) b_k, and no odd power occurs. By induction 1/(2k + 1) <= b_k, k b_k^2 increases and
(k + 1/2) b_k^2 decreases, so that b_k is of order k^(-1/2) and c_p of order p^(-5/2).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp
from flint import arb, ctx

from proofs_checks.symbolic_step import SymbolicStep

Expression = Any
Formula = Callable[[Any], Any]
"""A coefficient, or a bound of one, as a function of l, where p = 2l."""

BITS = 512
u, angle, phi, radius = sp.symbols("u theta phi r", positive=True)
ell = sp.Symbol("l", integer=True, positive=True)
more = sp.Symbol("h", integer=True, nonnegative=True)
INSIDE = {u: (sp.S.Zero, sp.Rational(99, 100))}

FIRST = sp.Rational(1, 4)
"""c_1."""
KERNEL = (u * (sp.pi - sp.acos(u)) + sp.sqrt(1 - u**2)) / (2 * sp.pi)


def central(k: Expression) -> Expression:
    """b_k = binom(2k, k)/4^k."""
    return sp.binomial(2 * k, k) / sp.Integer(4) ** k


def even_coefficient(index: Expression) -> Expression:
    """c_{2l} for l >= 1."""
    return central(index - 1) / (2 * sp.pi * (2 * index - 1) * (2 * index))


def coefficient(p: int) -> Expression:
    """c_p, exactly."""
    if p % 2:
        return FIRST if p == 1 else sp.S.Zero
    return even_coefficient(sp.Integer(p // 2)) if p else 1 / (2 * sp.pi)


def kernel_steps(kernel: Expression = KERNEL) -> tuple[SymbolicStep, ...]:
    """Z_1 = r cos(phi), Z_2 = r cos(phi - theta), u = cos(theta): both are positive for theta - pi/2 < phi < pi/2."""
    radial = sp.integrate(radius**3 * sp.exp(-(radius**2) / 2), (radius, 0, sp.oo))
    product = sp.expand(sp.cos(phi) * sp.expand_trig(sp.cos(phi - angle)))
    angular = sp.integrate(product, (phi, angle - sp.pi / 2, sp.pi / 2))
    within = {angle: (sp.S.Zero, sp.pi)}
    return (
        SymbolicStep("the angular integral", angular, "=", ((sp.pi - angle) * sp.cos(angle) + sp.sin(angle)) / 2),
        SymbolicStep(
            "the kernel at u = cos(theta)",
            radial * ((sp.pi - angle) * sp.cos(angle) + sp.sin(angle)) / (4 * sp.pi),
            "=",
            # arccos(cos theta) = theta and sqrt(1 - cos^2 theta) = sin theta for theta in [0, pi]
            kernel.subs({sp.acos(u): angle, sp.sqrt(1 - u**2): sp.sin(angle)}).subs(u, sp.cos(angle)),
            domain=within,
        ),
    )


def series_steps(even: Formula = even_coefficient, first: Expression = FIRST) -> tuple[SymbolicStep, ...]:
    """c_0, c_1, and the recurrence that fixes every c_{2l}, l >= 1; the equation has no odd solution."""
    second = 2 * sp.pi * sp.diff(KERNEL, u, 2)

    def of_second(index: Expression) -> Expression:
        """The coefficient of u^{2l-2} in 2 pi K''."""
        return 2 * sp.pi * 2 * index * (2 * index - 1) * even(index)

    return (
        SymbolicStep("c_0 = K(0) = 1/(2 pi)", KERNEL.subs(u, 0), "=", 1 / (2 * sp.pi)),
        SymbolicStep("c_1 = K'(0)", sp.diff(KERNEL, u).subs(u, 0), "=", first),
        SymbolicStep("2 pi K'' = (1 - u^2)^(-1/2)", second, "=", 1 / sp.sqrt(1 - u**2), domain=INSIDE),
        SymbolicStep(
            "y = 2 pi K'' solves (1 - u^2) y' = u y",
            (1 - u**2) * sp.diff(second, u),
            "=",
            u * second,
            domain=INSIDE,
        ),
        SymbolicStep("its constant term is 1", of_second(sp.S.One), "=", sp.S.One),
        SymbolicStep(
            "the recurrence 2l b_l = (2l - 1) b_{l-1}, for every l = 1 + h",
            2 * (more + 1) * of_second(more + 2),
            "=",
            (2 * more + 1) * of_second(more + 1),
        ),
    )


def lower_bound_steps(bound: Formula) -> tuple[SymbolicStep, ...]:
    """bound(l) <= c_{2l} for every l >= 1, l = 1 + h, by induction on the recurrence of c_{2l}."""
    step = (2 * more + 1) ** 2 / ((2 * more + 3) * (2 * more + 4))
    quotient = sp.factor(sp.simplify(bound(more + 2) / bound(more + 1)))
    return (
        SymbolicStep("c_{2l+2}/c_{2l}", even_coefficient(more + 2), "=", step * even_coefficient(more + 1)),
        SymbolicStep("l = 1", bound(sp.S.One), "<=", even_coefficient(sp.S.One)),
        SymbolicStep("the bound falls faster", quotient, "<=", step, certificate=sp.factor(step - quotient)),
    )


def order_steps() -> tuple[SymbolicStep, ...]:
    """1/4 <= k b_k^2 for k >= 1 and (k + 1/2) b_k^2 <= 1/2 for k >= 0, by monotonicity."""
    k = more + 1
    growth = ((2 * k + 1) / (2 * k + 2)) ** 2 * (k + 1) / k
    decay = ((2 * more + 1) / (2 * more + 2)) ** 2 * (more + sp.Rational(3, 2)) / (more + sp.Rational(1, 2))
    return (
        SymbolicStep("k b_k^2 = 1/4 at k = 1", central(sp.S.One) ** 2, "=", sp.Rational(1, 4)),
        SymbolicStep("k b_k^2 increases", sp.S.One, "<=", growth, certificate=sp.factor(growth - 1)),
        SymbolicStep("(k + 1/2) b_k^2 = 1/2 at k = 0", central(sp.S.Zero) ** 2 / 2, "=", sp.Rational(1, 2)),
        SymbolicStep("(k + 1/2) b_k^2 decreases", decay, "<=", sp.S.One, certificate=sp.factor(1 - decay)),
    )


def coefficient_ball(p: int) -> arb:
    """c_p for even p >= 2, by b_k = Gamma(k + 1/2)/(sqrt(pi) Gamma(k + 1)), for p beyond factorials."""
    with ctx.workprec(BITS):
        k = arb(p // 2 - 1)
        logarithm = (k + arb(1) / 2).lgamma() - (k + 1).lgamma() - arb.pi().log() / 2
        return logarithm.exp() / (2 * arb.pi() * (p - 1) * p)


def coefficient_exponent(doublings: int) -> arb:
    """-log_2(c_{2p}/c_p) at p = 2^doublings: its distance from the limit is of order 1/p."""
    with ctx.workprec(BITS):
        ratio = coefficient_ball(2 ** (doublings + 1)) / coefficient_ball(2**doublings)
        return -ratio.log() / arb(2).log()
