r"""The printed proof that the Hessians are close along W_* Sigma', line by line (B, proof of Lemma 14).

Along W_* Sigma' the Hessian of either risk is a part I in l'' and a part II in l'. Over Sigma' the mean of a square of
a sum is the sum of the squares, exactly; then l'' <= 1. With rho, kappa, nu of hessian_coupling.py the lines give

    I(L) <= O~((d^2 + nu^4) kappa^2 m^(-1/2)),   I(L^Q) <= O~(d rho^2 kappa^2 m^(-1)),   (12)

and these lines hold. One line for II(L) - II(L^Q) does not (hessian_second_term.py), but the lemma does
(hessian_coupling.py).
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_checks.directional_derivatives import hessian_steps, sign_average_steps
from proofs_checks.power_means import inner_product_step, m, product_steps, radius, slack, square_steps
from proofs_checks.sign_average import induction_steps
from theorems.beyond_linearization.gradient_coupling import FIVE_HALVES, fourth_root
from theorems.beyond_linearization.hessian_coupling import (
    ANYWHERE,
    TERMS,
    largest,
    square,
    star_norm,
)
from theorems.beyond_linearization.loss_class import derivative, v
from theorems.beyond_linearization.orders import derived
from theorems.beyond_linearization.randomised_sizes import (
    EIGHTH,
    HALF,
    QUARTER,
    C,
    Print,
    c,
    d,
    proof_step,
    scale,
    stated,
)
from theorems.beyond_linearization.smooth_activation import ASSUMPTION_A, NOT_CONSTANT
from theorems.claim import Bound, Equation, Identity, Inequality, Mutant, Reading, Statement, Theorem
from theorems.steps import statements

PLACE = "Proof of Lemma 14"
u, h, k = sp.symbols("u h k", nonnegative=True)


def _activation(power: int) -> tuple[Statement, ...]:
    return (Bound(f"sigma'(u)^2 <= C^2 |u|^{power}", (C * u**2 / 2) ** 2, C**2 * u**power),)


def _norms(power: int) -> tuple[Statement, ...]:
    """|u_r + eps_r h_r| <= max|u_r| + B_x ||w_r||, with |u_r| and |h_r| smaller by g and k."""
    inside, whole = (u + h) ** 4, (u + slack + h + k) ** 4
    return (
        Bound("(u + eps h)^4 <= (max|u| + B_x ||w||)^4", inside, whole, certificate=sp.expand(whole - inside)),
        *statements((inner_product_step(2, power),)),
    )


def _fourth_powers(factor: int, d_power: int, m_power: Any = HALF) -> tuple[Statement, ...]:
    """(a + b)^4 <= factor (a^4 + b^4), a = c sqrt(d), b <= nu; mean ||w_*||^2 <= ||W_*||^2 m^(-1/2)."""
    return (
        Bound(f"(a + b)^4 <= {factor} (a^4 + b^4)", (u + h) ** 4, factor * (u**4 + h**4),
              certificate=(u - h) ** 2 * (5 * (u + h) ** 2 + 2 * u**2 + 2 * h**2) + (factor - 8) * (u**4 + h**4)),
        *statements(square_steps()),
        Equation("max u^4", (c * sp.sqrt(d)) ** 4, c**4 * d**d_power),
        Equation("(mean ||w_*||^4)^(1/2)", sp.sqrt(star_norm**4 / m), star_norm**2 * m ** (-m_power)),
    )  # fmt: skip


def _quadratic_part(m_power: int, d_power: Any) -> tuple[Statement, ...]:
    """(1/m) sum sigma''(u_r)^2 h_r^2 k_r^2 <= (1/m) C^2 max u^2 B_x^4 ||W||^2 ||W_*||^2, attained by equal h_r, k_r."""
    movement, other = scale * m ** (-QUARTER), radius * star_norm * m ** (-QUARTER)
    value = m * (C * c * sp.sqrt(d)) ** 2 * movement**2 * other**2 / m
    return (
        *statements(induction_steps()),
        *statements(product_steps()),
        Equation(
            "equal movements, all u_r = c sqrt(d)",
            value,
            C**2 * c**2 * d**d_power * scale**2 * square * m ** (-m_power),
        ),
    )


def _together(d_power: Any) -> tuple[Statement, ...]:
    """The last lines of all parts against the statement."""
    lines = {
        "I(L), from the start": d**2 * square / sp.sqrt(m),
        "I(L), from the movement": largest**4 * square / sp.sqrt(m),
        "I(L^Q)": d * scale**2 * square / m,
        "II, from sigma''": scale * square * fourth_root,
        "II, from the remainder": sp.sqrt(d) * scale**3 * square * fourth_root,
        "II, from the linear part": d**d_power * scale**2 * square / sp.sqrt(m),
    }
    return derived(lines, TERMS, ANYWHERE)


THEOREM = Theorem(
    slug="hessian-coupling-proof",
    title="The printed proof that the Hessians are close",
    source="B, proof of Lemma 14",
    latex=(
        r"\mathbb{E}_{\Sigma'}\nabla^2\tilde L(W)[W_\star\Sigma', W_\star\Sigma'] = \mathrm{I}(\tilde L) +"
        r" \mathrm{II}(\tilde L),\quad \mathrm{I}(\tilde L) = \mathbb{E}\Big[\ell''(y, f)\frac1m\sum_r"
        r" \sigma'((w_{0,r}+\Sigma_{rr}w_r)^\top x)^2 (w_{\star,r}^\top x)^2\Big]"
    ),
    activation="Max(x, 0)**3",
    takes_activation=True,
    hypotheses=(ASSUMPTION_A, NOT_CONSTANT),
    uses=("hessian-coupling", "gradient-coupling-proof", "random-signs"),
    claims=(
        Identity(
            id="BL-L14",
            part="step-hessians",
            readings=(
                Reading(
                    document="B",
                    place=PLACE,
                    printed=(
                        "Hess L~(W)[W_* Sigma', W_* Sigma'] = E[l''(y, f) (m^(-1/2) sum a_r sigma'((w_{0,r} + Sigma_rr "
                        "w_r).x) (Sigma_rr Sigma'_rr w_{*,r}.x))^2] + E[l'(y, f) m^(-1/2) sum a_r sigma''((w_{0,r} + "
                        "Sigma_rr w_r).x) (Sigma_rr Sigma'_rr w_{*,r}.x)^2], and Hess L^Q(W)[...] = E[l''(y, f^Q) "
                        "(m^(-1/2) sum a_r sigma''(w_{0,r}.x) (w_r.x)(Sigma'_rr w_{*,r}.x))^2] + E[l'(y, f^Q) m^(-1/2) "
                        "sum a_r sigma''(w_{0,r}.x) (Sigma'_rr w_{*,r}.x)^2]"
                    ),
                    scan="primes, stars and the label II(L^Q) are lost; the derivatives decide them",
                    states=lambda setting: statements(hessian_steps()),
                ),
            ),
            mutants=(
                Mutant(name="half-of-the-part-in-l'", states=lambda setting: statements(hessian_steps(HALF))),
                Mutant(name="no-part-in-l'", states=lambda setting: statements(hessian_steps(0))),
            ),
        ),
        Identity(
            id="BL-L14",
            part="step-I-average",
            readings=(
                Reading(
                    document="B",
                    place=PLACE,
                    printed="I(L~) = E[l'' (1/m) sum a_r^2 sigma'((w_{0,r} + Sigma_rr w_r).x)^2 (w_{*,r}.x)^2]",
                    scan=(
                        "what stands before 1/m is read as 2F: with l'' there the line is exact; without it the sign = "
                        "should be <=, by l'' <= 1"
                    ),
                    states=lambda setting: statements((*induction_steps(), *sign_average_steps())),
                ),
            ),
            mutants=(
                Mutant(name="a-factor-2", states=lambda setting: statements(sign_average_steps(2))),
                Mutant(name="mixed-terms-left", states=lambda setting: statements(sign_average_steps(1, 2))),
                Mutant(
                    name="equal-without-l''-for-the-logistic-loss-at-0",
                    states=lambda setting: (Equation("l'' is 1 at z = 0", derivative(2).subs(v, 1), sp.S.One),),
                ),
            ),
        ),
        proof_step(
            id="BL-L14",
            part="step-I-activation",
            source=Print(
                place=PLACE,
                printed="<= C sup_{||x||=B_x} (1/m) sum ((w_{0,r} + Sigma_rr w_r).x)^4 (w_{*,r}.x)^2",
                scan="C stands for C^2, any constant",
            ),
            states=stated(_activation, 4),
            wrong=Mutant(name="square-for-the-fourth-power", states=stated(_activation, 2)),
        ),
        proof_step(
            id="BL-L14",
            part="step-I-norms",
            source=Print(place=PLACE, printed="<= C B_x^2 (1/m) sum (O~(sqrt d) + ||w_r||_2 B_x)^4 ||w_{*,r}||_2^2"),
            states=stated(_norms, 2),
            wrong=Mutant(name="B_x-for-B_x^2", states=stated(_norms, 1)),
        ),
        Inequality(
            id="BL-L14",
            part="step-I-last",
            readings=(
                Reading(
                    document="B",
                    place=PLACE,
                    printed="<= O~(B_x^2 (d^2 + ||W||_{2,infinity}^4 B_x^4) ||W_*||_{2,4}^2 m^(-1/2))",
                    scan=(
                        "reads d*, [WI5 o and m2; (17) has d^4 B_x^4 B_{w,*}^4 + B_x^12 B_w^8 B_{w,*}^4 for the squares"
                    ),
                    states=stated(_fourth_powers, 8, 2),
                ),
            ),
            mutants=(
                Mutant(name="(a+b)^4-at-most-7-(a^4+b^4)", states=stated(_fourth_powers, 7, 2)),
                Mutant(name="d-for-d^2", states=stated(_fourth_powers, 8, 1)),
                Mutant(name="m^(-5/8)", states=stated(_fourth_powers, 8, 2, HALF + EIGHTH)),
            ),
        ),
        Inequality(
            id="BL-L14",
            part="step-12",
            readings=(
                Reading(
                    document="B",
                    place="(12)",
                    printed="I(L^Q) <= O~(d B_x^4 ||W||_{2,4}^2 ||W_*||_{2,4}^2 m^(-1))",
                    scan="the power of B_x is read as BL",
                    states=stated(_quadratic_part, 1, 1),
                ),
            ),
            mutants=(
                Mutant(name="m^(-9/8)", states=stated(_quadratic_part, 1 + EIGHTH, 1)),
                Mutant(name="m^(-1/2)-attained", states=stated(_quadratic_part, HALF, 1)),
                Mutant(name="sqrt(d)-for-d", states=stated(_quadratic_part, 1, HALF)),
            ),
        ),
        proof_step(
            id="BL-L14",
            part="step-together",
            source=Print(place=PLACE, printed="Combining all the bounds gives the desired result"),
            states=stated(_together, FIVE_HALVES),
            wrong=Mutant(name="d^(21/8)-in-II", states=stated(_together, FIVE_HALVES + EIGHTH)),
        ),
    ),
)
