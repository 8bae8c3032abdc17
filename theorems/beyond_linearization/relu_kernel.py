r"""The kernel of random ReLU features and its power series (B, Lemma 9, Appendix A.2).

With w_0 ~ N(0, B_x^-2 I), |x| = |x'| = B_x and u = <x, x'>/B_x^2,

    K = E[relu(<w_0, x>) relu(<w_0, x'>)] = (u (pi - arccos u) + sqrt(1 - u^2))/(2 pi) = sum_p c_p u^p,
    c_0 = 1/(2 pi),   c_1 = 1/4,   c_{2l} = (2l-3)!!/(2 pi (2l-2)!! (2l-1) 2l),   no other odd power,

and c_p >= 1/(2 pi (p v 1)^3). All of it is proved for every p (proofs_checks/relu_kernel_series.py). The bound is
loose: c_p is of order p^(-5/2), since 1/4 <= k b_k^2 and (k + 1/2) b_k^2 <= 1/2 for b_k = (2k-1)!!/(2k)!!.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp
from flint import arb, ctx, fmpq

from proofs_checks import relu_kernel_series as series
from proofs_checks.relu_kernel_series import BITS, KERNEL, coefficient, coefficient_exponent, ell, u
from theorems.claim import Bound, Equation, Identity, Inequality, Mutant, Reading, Setting, Shape, Statement, Theorem
from theorems.steps import statements

FAR = 40
"""log2 of the order at which the exponent of c_p is read off: it is 5/2 up to 1/p there."""
EIGHTH: Any = sp.Rational(1, 8)
QUARTER: Any = sp.Rational(1, 4)
TESTED = {ell: (sp.Integer(1), sp.Integer(24))}
"""Orders p = 2l at which a bound is compared with the exact c_p, all of them: the induction covers the rest."""


def double_factorials(index: Any) -> Any:
    """c_{2l} as the series is printed."""
    quotient = sp.factorial2(2 * index - 3) / sp.factorial2(2 * index - 2)
    return quotient / (2 * sp.pi * (2 * index - 1) * (2 * index))


def _kernel(kernel: Any) -> Callable[[Setting], tuple[Statement, ...]]:
    return lambda setting: statements(series.kernel_steps(kernel))


def _series(even: Callable[[Any], Any], first: Any = QUARTER) -> Callable[[Setting], tuple[Statement, ...]]:
    """The coefficients for every l, and the printed form of them, l = 1 + h; (-1)!! = 0!! = 1."""
    place = series.more + 1
    return lambda setting: (
        *statements(series.series_steps(first=first)),
        Equation("the printed coefficient is c_{2l}, for every l", even(place), series.even_coefficient(place)),
    )


def _printed_bound(index: Any) -> Any:
    return 1 / (2 * sp.pi * (2 * index - 1) ** 2 * (2 * index))


def _bounded(power: int, even: Callable[[Any], Any] = _printed_bound) -> Callable[[Setting], tuple[Statement, ...]]:
    """c_{2l} >= even(l) by induction, and c_p >= 1/(2 pi (p v 1)^power) from it."""
    cubic = (2 * ell) ** power
    room = sp.factor(cubic - (2 * ell - 1) ** 2 * 2 * ell)
    return lambda setting: (
        *statements(series.lower_bound_steps(even)),
        Bound(f"(2l-1)^2 (2l) <= p^{power}", (2 * ell - 1) ** 2 * 2 * ell, cubic, certificate=room),
        Bound(f"c_{{2l}} >= 1/(2 pi p^{power}), l = 1..24", 1 / (2 * sp.pi * cubic), series.even_coefficient(ell),
              domain=TESTED),
        Bound("c_0 >= 1/(2 pi)", 1 / (2 * sp.pi), coefficient(0)),
        Bound("c_1 >= 1/(2 pi)", 1 / (2 * sp.pi), coefficient(1)),
    )  # fmt: skip


def _order(exponent: Any) -> Callable[[Setting], tuple[Statement, ...]]:
    def states(setting: Setting) -> tuple[Statement, ...]:
        with ctx.workprec(BITS):
            distance = abs(coefficient_exponent(FAR) - arb(fmpq(exponent.p, exponent.q)))
            half = arb(fmpq(1, 16))
        name = f"the exponent of c_p at p = 2^{FAR} is -{exponent} within 1/16, half of a mutant's distance"
        return (*statements(series.order_steps()), Bound(name, distance, half))

    return states


def _odd_powers(setting: Setting) -> tuple[Statement, ...]:
    """K(u) - K(-u) = u/2: the kernel has no odd power but the first."""
    reflected = (-u * sp.acos(u) + sp.sqrt(1 - u**2)) / (2 * sp.pi)  # arccos(-u) = pi - arccos u
    return (Equation("K(u) - K(-u) = u/2", KERNEL - reflected, u / 2, series.INSIDE),)


THEOREM = Theorem(
    slug="relu-kernel",
    title="The kernel of random ReLU features and its power series",
    source="B, Lemma 9, Appendix A.2",
    latex=(
        r"\frac{1}{2\pi}\big(u(\pi-\arccos u)+\sqrt{1-u^2}\big) = \sum_p c_p u^p,\quad "
        r"c_p \ge \frac{1}{2\pi (p\vee 1)^3}\ \text{for } p\in\{1\}\cup\{2\ell\}"
    ),
    claims=(
        Identity(
            id="BL-L9",
            part="step-kernel",
            readings=(
                Reading(
                    document="B",
                    place="A.2, the third line of K(x, x')",
                    printed="(1/2pi) (u (pi - arccos u) + sqrt(1 - u^2))",
                    states=_kernel(KERNEL),
                ),
            ),
            mutants=(
                Mutant(name="1/pi-for-1/(2-pi)", states=_kernel(2 * KERNEL)),
                Mutant(
                    name="arccos-u-for-pi-minus-it",
                    states=_kernel((u * sp.acos(u) + sp.sqrt(1 - u**2)) / (2 * sp.pi)),
                ),
            ),
        ),
        Identity(
            id="BL-L9",
            part="step-series",
            readings=(
                Reading(
                    document="B",
                    place="A.2, the fourth line of K(x, x')",
                    printed="(1/2pi) (1 + (pi/2) u + sum_{l>=1} (2l-3)!!/((2l-2)!! (2l-1) (2l)) u^{2l})",
                    scan=(
                        "the denominator is garbled and of each !! one stroke is left; with single factorials the "
                        "first term is infinite, which is a mutant"
                    ),
                    states=_series(double_factorials),
                ),
            ),
            mutants=(
                Mutant(
                    name="single-factorials",
                    states=_series(
                        lambda i: sp.factorial(2 * i - 3) / sp.factorial(2 * i - 2) / (2 * sp.pi * (2 * i - 1) * 2 * i)
                    ),
                ),
                Mutant(
                    name="without-2l-1",
                    states=_series(lambda i: (2 * i - 1) * double_factorials(i)),
                ),
                Mutant(name="c_1-is-1/2", states=_series(double_factorials, sp.Rational(1, 2))),
            ),
        ),
        Identity(
            id="BL-L9",
            part="step-odd-powers",
            readings=(
                Reading(
                    document="B",
                    place="A.2, the fifth line of K(x, x')",
                    printed="the sum is over p in {0, 1} u {2l}, l >= 1",
                    states=_odd_powers,
                ),
            ),
            mutants=(
                Mutant(
                    name="even-kernel",
                    states=lambda setting: (Equation("K(u) = K(-u)", KERNEL, KERNEL - u / 2, series.INSIDE),),
                ),
            ),
        ),
        Inequality(
            id="BL-L9",
            part="step-coefficients",
            readings=(
                Reading(
                    document="B",
                    place="A.2, the constants c_p",
                    printed=(
                        "c_0 = 1/(2pi), c_1 = 1/4, c_{2l} >= 1/(2pi (2l-1)^2 (2l)) for l >= 1 (and thus "
                        "c_p >= (2pi (p v 1)^3)^(-1) for all p)"
                    ),
                    scan="all p means those of the sum, p = 1 and p even: c_3 = c_5 = ... = 0",
                    states=_bounded(3),
                ),
            ),
            mutants=(
                Mutant(name="p^2-for-p^3", states=_bounded(2)),
                Mutant(
                    name="one-power-of-2l-1-less",
                    states=_bounded(3, lambda i: 1 / (2 * sp.pi * (2 * i - 1) * (2 * i))),
                ),
            ),
        ),
        Shape(
            id="BL-L9",
            part="order-of-coefficients",
            readings=(
                Reading(
                    document="B",
                    place="A.2, the constants c_p",
                    printed="c_p >= (2pi (p v 1)^3)^(-1): the true order is p^(-5/2), so the bound loses sqrt p",
                    states=_order(sp.Rational(5, 2)),
                ),
            ),
            mutants=(
                Mutant(name="p^-3-is-the-order", states=_order(sp.Integer(3))),
                Mutant(name="exponent-1/8-larger", states=_order(sp.Rational(5, 2) + EIGHTH)),
                Mutant(name="exponent-1/8-smaller", states=_order(sp.Rational(5, 2) - EIGHTH)),
            ),
        ),
    ),
)
