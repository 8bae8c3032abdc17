r"""The linear part after randomisation (B, Lemma 11 (a)).

E f^L = 0 and E (f^L)^2 <= O~(d^2 B_x^2 ||W||_{2,4}^2 m^(-1/2)) for all x of norm B_x. The scan of the statement shows
"d"; the proof's steps (i) and (iii), and Lemmas 12 and 13, which use it, give d^2. At a given x the worst W is known
(w_r parallel to x, ||w_r||^2 proportional to sigma'(u_r)^2):

    sup_W E (f^L)^2 = B_x^2 ||W||^2 m^(-1/2) (mean sigma'(u_r)^4)^(1/2) <= (C^2 c^4/4) d^2 B_x^2 ||W||^2 m^(-1/2),

attained by the cubic ReLU where all u_r = c sqrt(d), which (4) allows: d^2 is right and d is false. For Gaussian
weights d^2 is needed at m = 2 with x parallel to w_0, where the mean is (C^2/4) d (d + 2) B_x^2 ||W||^2/sqrt(2).
At a fixed x the factor is (E sigma'(G)^4)^(1/2) <= C^2 sqrt(105)/4: there the bound is loose by d^2.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_checks.power_means import (
    m,
    product_steps,
    slack,
)
from proofs_checks.sign_average import induction_steps
from theorems.beyond_linearization.randomised_sizes import (
    EIGHTH,
    HALF,
    QUARTER,
    C,
    Print,
    c,
    constant_used,
    d,
    dimension_rate,
    norm_moment,
    scale,
    stated,
    width_rate,
)
from theorems.beyond_linearization.smooth_activation import ASSUMPTION_A, NOT_CONSTANT
from theorems.claim import (
    Bound,
    Equation,
    Inequality,
    Mutant,
    Setting,
    Statement,
    Theorem,
)
from theorems.steps import statements

u = sp.Symbol("u", nonnegative=True)
LARGEST = c * sp.sqrt(d)
PRINTED = Print(
    place="Lemma 11 (a)",
    printed="E[f^L_{W Sigma}(x)] = 0 and E[(f^L_{W Sigma}(x))^2] <= O~(d^2 B_x^2 ||W||_{2,4}^2 m^(-1/2))",
    scan="shows d for d^2; the last line of the proof shows a garbled power, and step (iii) and Lemma 12 give d^2",
)


def worst_mean_square(sum_of_fourths: Any) -> Any:
    """sup_W E (f^L)^2, the sum of sigma'(u_r)^4 over r being given."""
    return scale**2 / m * sp.sqrt(sum_of_fourths)


def _size(d_power: Any = 2, m_power: Any = HALF, scale_power: int = 2) -> tuple[Statement, ...]:
    """The largest value that (4) allows has these powers, and no smaller constant."""
    claimed = C**2 * c**4 / 4 * d**d_power * m ** (-m_power) * scale**scale_power
    found = worst_mean_square(m * (C * LARGEST**2 / 2) ** 4)
    return (Equation("attained where every |sigma'(u_r)| = C c^2 d/2", found, claimed),)


def _gaussian(d_power: int) -> tuple[Statement, ...]:
    """Two neurons and x parallel to w_0, where u_r = ||g||; a fixed x, where u_r ~ N(0, 1)."""
    worst = worst_mean_square(2 * (C / 2) ** 4).subs(m, 2) * norm_moment(2)
    typical = sp.sqrt((C / 2) ** 4 * norm_moment(4).subs(d, 1))
    return (
        Equation("m = 2, x parallel to w_0: E sup E (f^L)^2", worst,
                 C**2 / 4 * scale**2 / sp.sqrt(2) * d ** (d_power - 1) * (d + 2)),
        Equation("fixed x: the factor is at most (E (C G^2/2)^4)^(1/2), loose by d^2", typical,
                 C**2 * sp.sqrt(105) / 4),
    )  # fmt: skip


def _statement(setting: Setting) -> tuple[Statement, ...]:
    bound = C**2 * c**4 / 4 * d**2 * scale**2 / sp.sqrt(m)
    smaller = worst_mean_square(m * (C * LARGEST**2 / 2) ** 4 / (1 + slack) ** 2)
    return (
        *statements(induction_steps()),
        *statements(product_steps()),
        Bound("E (f^L)^2 <= (C^2 c^4/4) d^2 B_x^2 ||W||^2 m^(-1/2)", smaller, bound,
              certificate=bound * slack / (1 + slack)),
        *_size(),
        *_gaussian(2),
        constant_used(setting),
    )  # fmt: skip


THEOREM = Theorem(
    slug="linear-part",
    title="The linear part after randomisation",
    source="B, Lemma 11 (a)",
    latex=(
        r"\mathbb{E}_\Sigma f^L_{W\Sigma}(x) = 0,\quad"
        r" \mathbb{E}_\Sigma (f^L_{W\Sigma}(x))^2 \le \tilde O\big(d^2 B_x^2 \|W\|_{2,4}^2 m^{-1/2}\big)"
    ),
    activation="Max(x, 0)**3",
    takes_activation=True,
    hypotheses=(ASSUMPTION_A, NOT_CONSTANT),
    uses=("smooth-activation", "initial-norms", "random-signs"),
    claims=(
        Inequality(
            id="BL-L11",
            readings=(PRINTED.reading(_statement),),
            mutants=(
                Mutant(name="d-for-d^2", states=stated(_size, 1)),
                Mutant(name="d-for-d^2-with-Gaussian-weights", states=stated(_gaussian, 1)),
                Mutant(name="d^(15/8)", states=stated(_size, 2 - EIGHTH)),
                Mutant(name="m^(-5/8)", states=stated(_size, 2, HALF + EIGHTH)),
                Mutant(name="m^(-3/8)-attained", states=stated(_size, 2, HALF - EIGHTH)),
                Mutant(name="first-power-of-B_x||W||", states=stated(_size, 2, HALF, 1)),
            ),
        ),
        width_rate(
            id="BL-L11",
            part="measured-m",
            quantity="linear",
            worst=False,
            value=QUARTER,
            wrong=("m^(-1/2)-as-in-the-mean-square", HALF),
            source=PRINTED,
            points=({"activation": "x - sin(x)"},),
        ),
        dimension_rate(
            id="BL-L11",
            part="measured-d",
            quantity="linear",
            value=sp.S.One,
            wrong=("d^(1/2)-as-if-E(f^L)^2-were-of-order-d", HALF),
            source=PRINTED,
        ),
    ),
)
