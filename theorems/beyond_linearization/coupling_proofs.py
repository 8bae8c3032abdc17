r"""The printed proofs of the coupling lemmas, line by line (B, Appendix B.2).

Each of the three bounds is an assumption on sigma, then Cauchy-Schwarz, then a power mean inequality:

    Lemma 10      |f^Q| <= C sqrt(m) B_x^2 max|u_r| mean ||w_r||^2,                  mean ||w||^2 <= ||W||^2 m^(-1/2),
    Lemma 11 (a)  E (f^L)^2 <= C^2 max u_r^4 B_x^2 mean ||w_r||^2,                   max u_r^4 <= c^4 d^2,
    Lemma 11 (b)  |Delta^Q| <= C sqrt(m) B_x^3 mean ||w_r||^3,                       mean ||w||^3 <= ||W||^3 m^(-3/4).

Every line holds. Constants are lost (1/2, 1/4 and 1/6, as Assumption A gives |sigma'| <= C t^2/2 and Taylor's formula
C |h|^3/6) and no power. The lemmas themselves are decided in quadratic_bound.py, linear_part.py and
quadratic_remainder.py.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_checks.cubic_remainder import remainder_step
from proofs_checks.power_means import cube_steps, fourth_power_mean, inner_product_step, m, norm, slack, square_steps, z
from proofs_checks.sign_average import induction_steps, linear_moment_steps
from theorems.beyond_linearization.quadratic_remainder import cubic_relu
from theorems.beyond_linearization.randomised_sizes import EIGHTH, HALF, QUARTER, C, Print, c, d, proof_step, stated
from theorems.beyond_linearization.smooth_activation import ASSUMPTION_A, NOT_CONSTANT
from theorems.claim import Bound, Equation, Identity, Mutant, Statement, Theorem
from theorems.steps import statements

u, h = sp.symbols("u h", nonnegative=True)
TEN, LINEAR, REMAINDER = "Proof of Lemma 10", "Proof of Lemma 11 (a)", "Proof of Lemma 11 (b)"


def _curvature(power: int) -> tuple[Statement, ...]:
    """|a_r sigma''(u)| h^2/2 <= C |u|^power h^2, from |sigma''(u)| <= C |u|."""
    return (Bound(f"|sigma''(u)| h^2/2 <= C |u|^{power} h^2", C * u / 2 * h**2, C * u**power * h**2),)


def _slope(power: int) -> tuple[Statement, ...]:
    """sigma'(u)^2 <= C^2 u^power; Assumption A gives |sigma'(u)| <= C u^2/2, attained by the cubic ReLU."""
    return (Bound(f"sigma'(u)^2 <= C^2 u^{power}", (C * u**2 / 2) ** 2, C**2 * u**power),)


def _lipschitz(half: Any) -> tuple[Statement, ...]:
    """The remainder of one neuron, with the factor `half` before sigma''."""
    return (
        *statements((remainder_step(sp.Rational(1, 6)),)),
        Bound("C |h|^3/6 <= C |h|^3", C * h**3 / 6, C * h**3),
        cubic_relu(half),
    )


def _norms(order: int, claimed: int) -> tuple[Statement, ...]:
    """|<w, x>|^order <= B_x^claimed ||w||^order; a term is at most its maximum; m^(-1/2) sum = sqrt(m) mean."""
    return (
        *statements((inner_product_step(order, claimed),)),
        Bound("u_r^4 <= max u_r^4, and so |u_r| <= max |u_r|", u**4, (u + slack) ** 4),
        Equation("m^(-1/2) sum = sqrt(m) mean", m * z**order / sp.sqrt(m), sp.sqrt(m) * z**order),
    )


def _power_mean(order: int, m_power: Any, before: Any = sp.S.One) -> tuple[Statement, ...]:
    """before (mean ||w||^4)^(order/4) = ||W||^order m^-m_power."""
    left = before * fourth_power_mean(order)
    return (
        *statements(square_steps() if order == 2 else cube_steps()),
        Equation(f"(mean ||w||^4)^({order}/4), times {before}", left, norm**order * m ** (-m_power)),
    )


def _initial_norms(order: int, power: Any) -> tuple[Statement, ...]:
    """(c sqrt d)^order = c^order d^power, max_r |u_r| being at most c sqrt d."""
    return (Equation(f"(c sqrt(d))^{order} = c^{order} d^{power}", (c * sp.sqrt(d)) ** order, c**order * d**power),)


def _lemma_10_end(m_power: Any) -> tuple[Statement, ...]:
    return (*_power_mean(2, m_power, sp.sqrt(m)), *_initial_norms(1, HALF))


THEOREM = Theorem(
    slug="coupling-proofs",
    title="The printed proofs of the coupling lemmas",
    source="B, Appendix B.2",
    latex=(
        r"\tfrac1m\sum_r\|w_r\|_2^2 \le \|W\|_{2,4}^2 m^{-1/2},\quad"
        r" \tfrac1m\sum_r\|w_r\|_2^3 \le \|W\|_{2,4}^3 m^{-3/4}"
    ),
    activation="Max(x, 0)**3",
    takes_activation=True,
    hypotheses=(ASSUMPTION_A, NOT_CONSTANT),
    uses=("smooth-activation", "initial-norms", "random-signs"),
    claims=(
        proof_step(
            id="BL-L10",
            part="step-activation",
            source=Print(
                place=TEN,
                printed="|(1/(2 sqrt m)) sum a_r sigma''(w_{0,r}.x)(w_r.x)^2| <= (1/sqrt m) sum C|w_{0,r}.x| (w_r.x)^2",
                scan="whether the factor 1/2 is kept cannot be seen; the step holds with it and without",
            ),
            states=stated(_curvature, 1),
            wrong=Mutant(name="C-u^2-for-C|u|", states=stated(_curvature, 2)),
        ),
        proof_step(
            id="BL-L10",
            part="step-maximum",
            source=Print(place=TEN, printed="<= C sqrt(m) B_x^2 max_r |w_{0,r}.x| (1/m) sum ||w_r||_2^2"),
            states=stated(_norms, 2, 2),
            wrong=Mutant(name="B_x-for-B_x^2", states=stated(_norms, 2, 1)),
        ),
        proof_step(
            id="BL-L10",
            part="step-power-mean",
            source=Print(
                place=TEN,
                printed="<= C sqrt(m) B_x^2 O~(sqrt d) ((1/m) sum ||w_r||_2^4)^(1/2) = O~(sqrt(d) B_x^2 ||W||_{2,4}^2)",
            ),
            states=stated(_lemma_10_end, sp.S.Zero),
            wrong=Mutant(name="a-power-m^(1/8)-left", states=stated(_lemma_10_end, -EIGHTH)),
        ),
        Identity(
            id="BL-L11",
            part="step-mean-square",
            readings=(
                Print(
                    place=LINEAR,
                    printed="E[f^L] = 0 and E[(f^L)^2] = (1/m) sum a_r^2 sigma'(w_{0,r}.x)^2 (w_r.x)^2",
                    scan="the left side is lost",
                ).reading(lambda setting: statements((*induction_steps(), *linear_moment_steps()))),
            ),
            mutants=(
                Mutant(name="doubled", states=lambda setting: statements(linear_moment_steps(2))),
                Mutant(name="biased-signs", states=lambda setting: statements(induction_steps(EIGHTH))),
            ),
        ),
        proof_step(
            id="BL-L11",
            part="step-i",
            source=Print(
                place=LINEAR,
                printed="(i) follows from |sigma'(t)| <= C t^2: sigma'(w_{0,r}.x)^2 <= C^2 (w_{0,r}.x)^4",
                scan="the powers of C and of w_{0,r}.x are lost, as in Lemma 13, which prints this line again",
            ),
            states=stated(_slope, 4),
            wrong=Mutant(name="square-forgotten", states=stated(_slope, 2)),
        ),
        proof_step(
            id="BL-L11",
            part="step-ii",
            source=Print(
                place=LINEAR,
                printed="(ii) is Cauchy-Schwarz: <= C^2 max_r (w_{0,r}.x)^4 (1/m) sum B_x^2 ||w_r||_2^2",
                scan="the powers are lost",
            ),
            states=stated(_norms, 2, 2),
            wrong=Mutant(name="B_x-for-B_x^2", states=stated(_norms, 2, 1)),
        ),
        proof_step(
            id="BL-L11",
            part="step-iii",
            source=Print(
                place=LINEAR,
                printed="(iii) uses the bound (4): <= O~(d^2 B_x^2) (1/m) sum ||w_r||_2^2",
                scan="d^2 B_x^2 is read as @s",
            ),
            states=stated(_initial_norms, 4, 2),
            wrong=Mutant(name="d-for-d^2", states=stated(_initial_norms, 4, 1)),
        ),
        proof_step(
            id="BL-L11",
            part="step-iv",
            source=Print(
                place=LINEAR,
                printed=(
                    "(iv) uses the power mean inequality on ||w_r||: <= O~(d^2 B_x^2) ((1/m) sum ||w_r||_2^4)^(1/2) = "
                    "O~(d^2 B_x^2 ||W||_{2,4}^2 m^(-1/2))"
                ),
            ),
            states=stated(_power_mean, 2, HALF),
            wrong=Mutant(name="m^(-3/8)", states=stated(_power_mean, 2, HALF - EIGHTH)),
        ),
        proof_step(
            id="BL-L11",
            part="step-remainder-lipschitz",
            source=Print(
                place=REMAINDER,
                printed=(
                    "|Delta^Q| = |(1/sqrt m) sum a_r (sigma((w_{0,r} + Sigma_rr w_r).x) - sigma(w_{0,r}.x) - "
                    "sigma'(w_{0,r}.x) (Sigma_rr w_r.x) - (1/2) sigma''(w_{0,r}.x) (Sigma_rr w_r.x)^2)| "
                    "<= (1/sqrt m) sum C |Sigma_rr w_r.x|^3"
                ),
                scan="shows no factor 1/2 before sigma''; f^Q in Section 3 has it, and without it the step is false",
            ),
            states=stated(_lipschitz, HALF),
            wrong=Mutant(name="no-1/2-before-sigma''", states=stated(_lipschitz, sp.S.One)),
        ),
        proof_step(
            id="BL-L11",
            part="step-remainder-norms",
            source=Print(place=REMAINDER, printed="<= C sqrt(m) B_x^3 (1/m) sum ||w_r||_2^3"),
            states=stated(_norms, 3, 3),
            wrong=Mutant(name="B_x^2-for-B_x^3", states=stated(_norms, 3, 2)),
        ),
        proof_step(
            id="BL-L11",
            part="step-remainder-power-mean",
            source=Print(
                place=REMAINDER,
                printed="<= C sqrt(m) B_x^3 ((1/m) sum ||w_r||_2^4)^(3/4) = O(B_x^3 ||W||_{2,4}^3 m^(-1/4))",
                scan="the exponent of the last line is read as m1/1; the step is named (i) below and unnamed here",
            ),
            states=stated(_power_mean, 3, QUARTER, sp.sqrt(m)),
            wrong=Mutant(name="m^(-3/8)", states=stated(_power_mean, 3, QUARTER + EIGHTH, sp.sqrt(m))),
        ),
    ),
)
