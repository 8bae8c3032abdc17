r"""Random signs on the movement: the linear part averages out, the quadratic part stays (B, Section 3).

Sigma = diag of independent signs, ||w_r|| <= b m^(-1/4). Over the signs, exactly and for every m,

    E f^L = 0,    E (f^L)^2 = (1/m) sum_r sigma'(u_r)^2 <w_r, x>^2 <= B_x^2 b^2 (mean sigma'(u_r)^2) m^(-1/2),
    f^Q_{W Sigma} = f^Q_W = (1/(2 sqrt m)) sum_r a_r sigma''(u_r) <w_r, x>^2 <= B_x^2 b^2 (mean |sigma''(u_r)|)/2,

so f^L is O(m^(-1/4)) and f^Q is O(1). At a fixed x the two means converge, to at most 3 C^2/4 and C sqrt(2/pi): no
power of d is hidden. At an x chosen after W_0 they may grow with d (linear_part.py, quadratic_bound.py).
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_checks.power_means import m, radius
from proofs_checks.sign_average import induction_steps, linear_moment_steps, taylor_coefficient_step, unchanged_steps
from theorems.beyond_linearization.randomised_sizes import (
    EIGHTH,
    HALF,
    QUARTER,
    C,
    Print,
    constant_used,
    stated,
    width_rate,
)
from theorems.beyond_linearization.smooth_activation import ASSUMPTION_A, NOT_CONSTANT
from theorems.claim import Equation, Identity, Mutant, Setting, Statement, Theorem
from theorems.steps import statements

b, mean = sp.symbols("b mean", positive=True)
t = sp.Symbol("t", real=True)
density = sp.exp(-(t**2) / 2) / sp.sqrt(2 * sp.pi)
LINEAR = Print(
    place="Section 3",
    printed=(
        "E[f^L_{W Sigma}(x)] = 0 and E[(f^L)^2] = (1/m) sum sigma'(w_{0,r}.x)^2 (w_r.x)^2 = O((1/m) sum ||w_r||^2) "
        "= O(m^(-1/2)), so we expect f^L = O(m^(-1/4))"
    ),
    scan="the square of sigma' and the exponents are lost; m~'/* is m^(-1/4)",
)
QUADRATIC = Print(
    place="Section 3",
    printed=(
        "f^Q_{W Sigma}(x) = f^Q_W(x) = (1/(2 sqrt m)) sum a_r sigma''(w_{0,r}.x) (w_r.x)^2 = O(m^(-1/2) sum ||w_r||^2) "
        "= O(1)"
    ),
    scan="1/(2 sqrt m) is read as 5=; the factor 1/2 is that of the Taylor series",
)


def _gaussian(power: int) -> Any:
    """E |G|^power."""
    return 2 * sp.integrate(t**power * density, (t, 0, sp.oo))


def _linear_size(exponent: Any) -> tuple[Statement, ...]:
    """(1/m) sum sigma'^2 h^2 with all |h_r| = B_x b m^(-1/4), and the mean of sigma'^2 at a fixed x."""
    movement = radius * b * m ** (-QUARTER)
    return (
        Equation("E (f^L)^2", m * mean * movement**2 / m, radius**2 * b**2 * mean * m ** (-exponent)),
        Equation("sigma'(G)^2 has a mean of at most E (C G^2/2)^2", C**2 / 4 * _gaussian(4), 3 * C**2 / 4),
    )


def _linear(setting: Setting) -> tuple[Statement, ...]:
    return (
        *statements(induction_steps()),
        *statements(linear_moment_steps()),
        *_linear_size(HALF),
        constant_used(setting),
    )


def _quadratic_size(exponent: Any) -> tuple[Statement, ...]:
    """(1/(2 sqrt m)) sum |sigma''| h^2 with all |h_r| = B_x b m^(-1/4)."""
    movement = radius * b * m ** (-QUARTER)
    largest = m * mean * movement**2 / (2 * sp.sqrt(m))
    return (
        Equation("the largest f^Q", largest, radius**2 * b**2 * mean / 2 * m ** (-exponent)),
        Equation("|sigma''(G)| has a mean of at most E C |G|", C * _gaussian(1), C * sp.sqrt(2 / sp.pi)),
    )


def _quadratic(setting: Setting) -> tuple[Statement, ...]:
    return (
        *statements(unchanged_steps(2, HALF)),
        *statements((taylor_coefficient_step(2, HALF),)),
        *_quadratic_size(sp.S.Zero),
        constant_used(setting),
    )


THEOREM = Theorem(
    slug="random-signs",
    title="Random signs leave the quadratic part and average the linear part out",
    source="B, Section 3",
    latex=(
        r"\mathbb{E}_\Sigma f^L_{W\Sigma}(x) = 0,\quad \mathbb{E}_\Sigma (f^L_{W\Sigma}(x))^2 = O(m^{-1/2}),\quad"
        r" f^Q_{W\Sigma}(x) = f^Q_W(x) = O(1)"
    ),
    activation="Max(x, 0)**3",
    takes_activation=True,
    hypotheses=(ASSUMPTION_A, NOT_CONSTANT),
    uses=("smooth-activation", "symmetric-start"),
    claims=(
        Identity(
            id="BL-FL",
            readings=(LINEAR.reading(_linear),),
            mutants=(
                Mutant(name="biased-signs", states=lambda setting: statements(induction_steps(EIGHTH))),
                Mutant(name="mean-square-doubled", states=lambda setting: statements(linear_moment_steps(2))),
                Mutant(name="exponent-5/8", states=stated(_linear_size, HALF + EIGHTH)),
                Mutant(name="exponent-3/8", states=stated(_linear_size, HALF - EIGHTH)),
            ),
        ),
        width_rate(
            id="BL-FL",
            part="measured",
            quantity="linear",
            worst=False,
            value=QUARTER,
            wrong=("m^(-1/2)-as-in-the-mean-square", HALF),
            source=LINEAR,
        ),
        Identity(
            id="BL-FQ",
            readings=(QUADRATIC.reading(_quadratic),),
            mutants=(
                Mutant(name="no-factor-1/2", states=lambda setting: statements((taylor_coefficient_step(2, 1),))),
                Mutant(name="so-is-the-linear-part", states=lambda setting: statements(unchanged_steps(1, 1))),
                Mutant(name="so-is-the-cubic-part", states=lambda setting: statements(unchanged_steps(3, 1))),
                Mutant(name="m^(-1/8)", states=stated(_quadratic_size, EIGHTH)),
                Mutant(name="m^(1/8)", states=stated(_quadratic_size, -EIGHTH)),
            ),
        ),
        width_rate(
            id="BL-FQ",
            part="measured",
            quantity="quadratic",
            worst=True,
            value=sp.S.Zero,
            wrong=("m^(-1/4)-as-the-linear-part", QUARTER),
            source=QUADRATIC,
        ),
    ),
)
