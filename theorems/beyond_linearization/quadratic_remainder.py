r"""What is left of the network after the quadratic part (B, Lemma 11 (b)).

Delta^Q = f_{W_0+W Sigma} - f^L - f^Q. For all x of norm B_x, all W and all signs,

    |Delta^Q| <= m^(-1/2) sum_r (C/6) |<w_r, x>|^3 <= (C/6) B_x^3 ||W||_{2,4}^3 m^(-1/4),

with C of Assumption A. Equality holds for the cubic ReLU with all u_r > |h_r|, all |h_r| equal, and signs with
a_r eps_r h_r > 0: the constant C/6 and each of the powers are the best. No power of d occurs.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_checks.cubic_remainder import remainder_step
from proofs_checks.power_means import cube_steps, fourth_power_mean, m, radius, slack
from theorems.beyond_linearization.randomised_sizes import (
    EIGHTH,
    HALF,
    QUARTER,
    C,
    Print,
    constant_used,
    scale,
    stated,
    width_rate,
)
from theorems.beyond_linearization.smooth_activation import ASSUMPTION_A, NOT_CONSTANT
from theorems.claim import Bound, Equation, Inequality, Mutant, Setting, Statement, Theorem
from theorems.steps import statements

u, h = sp.symbols("u h", positive=True)
SIXTH: Any = sp.Rational(1, 6)
PRINTED = Print(
    place="Lemma 11 (b)",
    printed="|Delta^Q_{W Sigma}(x)| <= O(B_x^3 ||W||_{2,4}^3 m^(-1/4)) (almost surely for all Sigma)",
)


def cubic_relu(half: Any = HALF) -> Equation:
    """(u + h)^3 for u > 0, u + h > 0: what is left is h^3, which is C h^3/6 as C = 6."""
    left = (u + h) ** 3 - u**3 - 3 * u**2 * h - half * 6 * u * h**2
    return Equation("the cubic ReLU uses the bound up", sp.expand(left), h**3)


def _size(m_power: Any = QUARTER, scale_power: int = 3, constant: Any = SIXTH) -> tuple[Statement, ...]:
    """All |h_r| = B_x ||W|| m^(-1/4) and matched signs: the largest value there is, with these powers."""
    attained = m * C / 6 * (scale * m ** (-QUARTER)) ** 3 / sp.sqrt(m)
    return (Equation("the largest |Delta^Q|", attained, constant * C * scale**scale_power * m ** (-m_power)),)


def _statement(setting: Setting) -> tuple[Statement, ...]:
    mean_cube = fourth_power_mean(3) / (1 + slack)  # at most (mean ||w||^4)^(3/4), by the power mean inequality
    bound = C / 6 * scale**3 * m ** (-QUARTER)
    return (
        *statements((remainder_step(SIXTH),)),
        *statements(cube_steps()),
        Bound("|Delta^Q| <= (C/6) B_x^3 ||W||^3 m^(-1/4)", sp.sqrt(m) * C / 6 * radius**3 * mean_cube, bound,
              certificate=bound * slack / (1 + slack)),
        *_size(),
        cubic_relu(),
        constant_used(setting),
    )  # fmt: skip


THEOREM = Theorem(
    slug="quadratic-remainder",
    title="The network beyond its quadratic part",
    source="B, Lemma 11 (b)",
    latex=r"|\Delta^Q_{W\Sigma}(x)| \le O\big(B_x^3 \|W\|_{2,4}^3 m^{-1/4}\big)",
    activation="Max(x, 0)**3",
    takes_activation=True,
    hypotheses=(ASSUMPTION_A, NOT_CONSTANT),
    uses=("smooth-activation", "symmetric-start", "random-signs"),
    claims=(
        Inequality(
            id="BL-L11",
            part="remainder",
            readings=(PRINTED.reading(_statement),),
            mutants=(
                Mutant(name="m^(-3/8)", states=stated(_size, QUARTER + EIGHTH)),
                Mutant(name="m^(-1/8)-attained", states=stated(_size, QUARTER - EIGHTH)),
                Mutant(name="second-power-of-B_x||W||", states=stated(_size, QUARTER, 2)),
                Mutant(name="constant-C/12", states=stated(_size, QUARTER, 3, sp.Rational(1, 12))),
            ),
        ),
        width_rate(
            id="BL-L11",
            part="remainder-measured",
            quantity="remainder",
            worst=False,
            value=QUARTER,
            wrong=("m^(-1/2)", HALF),
            source=PRINTED,
            points=({}, {"activation": "x - sin(x)"}),
        ),
    ),
)
