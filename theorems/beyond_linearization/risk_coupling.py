r"""The randomised risk is close to the risk of the quadratic model (B, Lemma 12).

|L~(W) - L^Q(W)| <= O~(B_x^3 ||W||_{2,4}^3 m^(-1/4) + d^2 B_x^2 ||W||_{2,4}^2 m^(-1/2)) for all W. It is true, but not
by the printed proof (risk_coupling_proof.py), which forgets a square root. Since E f^L = 0 and 0 <= l'' <= 1,

    0 <= E l(y, f^Q + f^L) - l(y, f^Q) <= E (f^L)^2/2,    |l(y, f^Q + f^L + Delta) - l(y, f^Q + f^L)| <= |Delta|,

so that with Lemma 11 |L~ - L^Q| <= (C^2 c^4/8) d^2 rho^2 m^(-1/2) + (C/6) rho^3 m^(-1/4), rho = B_x ||W||_{2,4}.

Both terms are needed, with the logistic loss and the cubic ReLU: the one in m^(-1/2) where all u_r = c sqrt(d), the one
in m^(-1/4) at an x orthogonal to all w_{0,r}, which exists while m/2 < d (proofs_checks/risk_gap.py). At a fixed x and
with movements of one size the gap is of order m^(-1/2): there the term in m^(-1/4) is loose.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_checks.power_means import m
from proofs_checks.risk_gap import binomial_moment_steps, leading, loss_steps, orthogonal_gap, paired_gap, rho, u
from proofs_checks.sign_average import induction_steps
from theorems.beyond_linearization.orders import derived
from theorems.beyond_linearization.randomised_sizes import (
    EIGHTH,
    HALF,
    QUARTER,
    C,
    Print,
    c,
    constant_used,
    d,
    stated,
    width_rate,
)
from theorems.beyond_linearization.smooth_activation import ASSUMPTION_A, NOT_CONSTANT
from theorems.claim import Equation, Inequality, Mutant, Setting, Statement, Theorem
from theorems.steps import statements

PRINTED = Print(
    place="Lemma 12",
    printed="|L~(W) - L^Q(W)| <= O~(B_x^3 ||W||_{2,4}^3 m^(-1/4) + d^2 B_x^2 ||W||_{2,4}^2 m^(-1/2)) for all W",
    scan="shows d* for d^2; the tilde of L~ is lost throughout",
)
t = sp.Symbol("t", positive=True)


def second_order(half: Any) -> tuple[Statement, ...]:
    """0 <= l(q + t) - l(q) - l'(q) t <= half t^2 from 0 <= l'' <= 1, averaged with E t = 0 and E t^2 = M."""
    s = sp.Symbol("s", positive=True)
    return (
        *statements(induction_steps()),
        Equation("int_0^t (t - s) ds", sp.integrate(t - s, (s, 0, t)), half * t**2),
    )


def _within(first: Any = QUARTER, second: Any = HALF, d_power: int = 2) -> tuple[Statement, ...]:
    """|L~ - L^Q| <= E (f^L)^2/2 + E |Delta|: both are within the printed sum, with these powers of m and d."""
    square = C**2 * c**4 / 4 * d**2 * rho**2 / sp.sqrt(m)
    cube = C / 6 * rho**3 * m ** (-QUARTER)
    terms = {"first": rho**3 * m ** (-first), "second": d**d_power * rho**2 * m ** (-second)}
    return derived({"E (f^L)^2/2, with Lemma 11,": square / 2, "E |Delta|, with Lemma 11,": cube}, terms, (d, m))


def _statement(setting: Setting) -> tuple[Statement, ...]:
    return (
        *second_order(HALF),
        *_within(),
        *_attained(),
        constant_used(setting),
    )


def _attained(
    paired_m: Any = HALF, paired_d: int = 2, orthogonal_m: Any = QUARTER, powers: tuple[int, int] = (2, 3)
) -> tuple[Statement, ...]:
    """The lower and the upper bound of the gap in the two families, times the claimed power of m."""
    first, second = leading(paired_gap(), paired_m), leading(orthogonal_gap(), orthogonal_m)
    paired = sp.Rational(9, 8) * rho ** powers[0] * c**4 * d**paired_d
    orthogonal = sp.Rational(1, 8) * 2 ** sp.Rational(3, 4) * rho ** powers[1]
    return (
        *statements(loss_steps()),
        *statements(binomial_moment_steps()),
        *(
            Equation(f"all u_r = c sqrt(d): {side} bound of the gap", sp.sympify(value).subs(u, c * sp.sqrt(d)), paired)
            for side, value in zip(("lower", "upper"), first, strict=True)
        ),
        *(
            Equation(f"all u_r = 0: {side} bound of the gap", value, orthogonal)
            for side, value in zip(("lower", "upper"), second, strict=True)
        ),
    )


THEOREM = Theorem(
    slug="risk-coupling",
    title="The randomised risk is close to the quadratic risk",
    source="B, Lemma 12",
    latex=(
        r"|\tilde L(W) - L^Q(W)| \le"
        r" \tilde O\big(B_x^3\|W\|_{2,4}^3 m^{-1/4} + d^2 B_x^2\|W\|_{2,4}^2 m^{-1/2}\big)"
    ),
    activation="Max(x, 0)**3",
    takes_activation=True,
    hypotheses=(ASSUMPTION_A, NOT_CONSTANT),
    uses=("linear-part", "quadratic-remainder", "loss-class"),
    claims=(
        Inequality(
            id="BL-L12",
            readings=(PRINTED.reading(_statement),),
            mutants=(
                Mutant(name="d-for-d^2", states=stated(_attained, HALF, 1)),
                Mutant(name="second-term-m^(-5/8)", states=stated(_attained, HALF + EIGHTH)),
                Mutant(name="second-term-m^(-3/8)-attained", states=stated(_attained, HALF - EIGHTH)),
                Mutant(name="first-term-m^(-3/8)", states=stated(_attained, HALF, 2, QUARTER + EIGHTH)),
                Mutant(name="first-term-m^(-1/8)-attained", states=stated(_attained, HALF, 2, QUARTER - EIGHTH)),
                Mutant(name="powers-of-the-norm-swapped", states=stated(_attained, HALF, 2, QUARTER, (3, 2))),
                Mutant(name="d^2-forgotten-in-the-sum", states=stated(_within, QUARTER, HALF, 0)),
                Mutant(name="m^(-3/8)-in-the-sum", states=stated(_within, QUARTER + EIGHTH)),
                Mutant(name="E(f^L)^2/4-for-E(f^L)^2/2", states=stated(second_order, QUARTER)),
            ),
        ),
        width_rate(
            id="BL-L12",
            part="typical-m",
            quantity="risk",
            worst=False,
            value=HALF,
            wrong=("no-decay", sp.S.Zero),
            source=PRINTED,
            points=({},),
            distance=QUARTER,
        ),
    ),
)
