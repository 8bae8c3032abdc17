r"""The Hessians of the two risks are close along W_* Sigma' (B, Lemma 14).

With rho = B_x ||W||_{2,4}, kappa = B_x ||W_*||_{2,4}, nu = B_x ||W||_{2,infinity}, for all W and W_*,

    |E_{Sigma'} (Hess L~ - Hess L^Q)[W_* Sigma', W_* Sigma']| <= O~((rho + sqrt(d) rho^3) kappa^2 m^(-1/4)
        + (d^(5/2) rho^2 + d^2 + nu^4) kappa^2 m^(-1/2) + d rho^2 kappa^2 m^(-1)).

The average over Sigma' is exact: it leaves the diagonal, so that the parts in l'' are sums of squares over m,

    0 <= I(L) <= (1/m) sum_r sigma'(u_r + eps_r h_r)^2 <w_{*,r}, x>^2,
    0 <= I(L^Q) <= (1/m) sum_r sigma''(u_r)^2 h_r^2 <w_{*,r}, x>^2.

It is true, but not by the printed proof (hessian_coupling_proof.py), which takes E (f^L)^2 for its root as Lemmas 12
and 13 do; E f^L = 0 and |l'''| <= 1 give |E[l'(f) - l'(f^Q)]| <= E |Delta| + E (f^L)^2/2 again. The first four terms
are needed with just these powers. The last is not: it is within the others. The one in nu is loose: Cauchy-Schwarz
gives nu^2 rho^2 kappa^2 m^(-1) <= rho^4 kappa^2 m^(-1), in which no maximum over neurons is left. At a fixed x, with
movements of one size, the whole is of order m^(-1/2), by I(L): there the terms in m^(-1/4) are loose.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_checks import coupling_families as family
from proofs_checks.power_means import m, norm, product_steps, radius
from proofs_checks.sign_average import induction_steps
from theorems.beyond_linearization.coupling_rates import landscape_rate
from theorems.beyond_linearization.gradient_coupling import (
    FIVE_HALVES,
    LINEAR,
    REMAINDER,
    SMALL,
    family_steps,
    fourth_root,
    second_order,
)
from theorems.beyond_linearization.orders import Attained, attained, bounded, derived, needed, power_mutants
from theorems.beyond_linearization.randomised_sizes import HALF, QUARTER, C, Print, c, constant_used, d, scale, stated
from theorems.beyond_linearization.smooth_activation import ASSUMPTION_A, NOT_CONSTANT
from theorems.claim import Equation, Inequality, Mutant, Setting, Statement, Theorem
from theorems.steps import statements

star_norm, largest_norm = sp.symbols("R_star R_max", positive=True)
star, largest = radius * star_norm, radius * largest_norm
square = star**2
PRINTED = Print(
    place="Lemma 14",
    printed=(
        "|E_{Sigma'}[(Hess L~(W) - Hess L^Q(W))[W_* Sigma', W_* Sigma']]| <= O~((B_x^3 ||W||_{2,4} + sqrt(d) B_x^5 "
        "||W||_{2,4}^3) ||W_*||_{2,4}^2 m^(-1/4) + (d^(5/2) B_x^4 ||W||_{2,4}^2 ||W_*||_{2,4}^2 + B_x^2 (d^2 + "
        "||W||_{2,infinity}^4 B_x^4) ||W_*||_{2,4}^2) m^(-1/2) + d B_x^4 ||W||_{2,4}^2 ||W_*||_{2,4}^2 m^(-1))"
    ),
    scan=(
        "most powers are lost, and (17), which raises these terms to the power 4, 2 or 1, gives them: d^5 B_x^8 B_w^4 "
        "B_{w,*}^4 + d^4 B_x^4 B_{w,*}^4 + B_x^12 B_w^8 B_{w,*}^4 over eps^2"
    ),
)
TERMS = {
    "rho.kappa^2.m^(-1/4)": scale * square * fourth_root,
    "sqrt(d).rho^3.kappa^2.m^(-1/4)": sp.sqrt(d) * scale**3 * square * fourth_root,
    "d^(5/2).rho^2.kappa^2.m^(-1/2)": d**FIVE_HALVES * scale**2 * square / sp.sqrt(m),
    "d^2.kappa^2.m^(-1/2)": d**2 * square / sp.sqrt(m),
    "nu^4.kappa^2.m^(-1/2)": largest**4 * square / sp.sqrt(m),
    "d.rho^2.kappa^2.m^(-1)": d * scale**2 * square / m,
}
LAST = "d.rho^2.kappa^2.m^(-1)"
ANYWHERE = (d, m, scale / largest, largest / (scale * fourth_root))
"""||W||_{2,4} m^(-1/4) <= ||W||_{2,infinity} <= ||W||_{2,4}."""
ALIKE = (scale * fourth_root / largest,)
"""With ANYWHERE: all movements of one size."""
STAR_QUADRATIC = C * c / (2 * sp.sqrt(2)) * sp.sqrt(d) * square
"""Lemma 10 at W_*."""
BOUNDS = {
    "I(L), from the start": 2 * C**2 * c**4 * d**2 * square / sp.sqrt(m),
    "I(L), from the movement": 2 * C**2 * largest**4 * square / sp.sqrt(m),
    "I(L^Q)": C**2 * c**2 * d * scale**2 * square / m,
    "II(L) - II(L^Q), from sigma''": C * scale * square * fourth_root,
    "II(L) - II(L^Q), from the remainder": 2 * STAR_QUADRATIC * REMAINDER,
    "II(L) - II(L^Q), from the linear part": STAR_QUADRATIC * LINEAR**2,
}
FAMILIES = {
    "rho.kappa^2.m^(-1/4)": Attained(
        "l' = 1 where f >= 0, all u_r = 0", BOUNDS["II(L) - II(L^Q), from sigma''"], (*ANYWHERE, *ALIKE)
    ),
    "sqrt(d).rho^3.kappa^2.m^(-1/4)": Attained(
        "the logistic loss, u_r = 0 and u_r = c sqrt(d)",
        STAR_QUADRATIC * REMAINDER,
        (*SMALL, *ANYWHERE, *ALIKE),
    ),
    "d^(5/2).rho^2.kappa^2.m^(-1/2)": Attained(
        "the logistic loss, all u_r = c sqrt(d)",
        STAR_QUADRATIC * LINEAR**2,
        (*SMALL, *ANYWHERE, *ALIKE),
    ),
    "d^2.kappa^2.m^(-1/2)": Attained(
        "the logistic loss, all u_r = c sqrt(d), W -> 0",
        BOUNDS["I(L), from the start"],
        (*ANYWHERE, *ALIKE, 1 / (scale * d**3 * m)),
    ),
}
"""What they attain is that of `_orthogonal`, `_start` and `family_steps`, up to constants."""
NETWORKS = tuple(FAMILIES.values())


def _statement(setting: Setting) -> tuple[Statement, ...]:
    total = sum(BOUNDS.values())
    first = C**2 / 4 * 8 * (c**4 * d**2 + largest**4) * square / sp.sqrt(m) + BOUNDS["I(L^Q)"]
    second = C * scale * square * fourth_root + 2 * STAR_QUADRATIC * (REMAINDER + LINEAR**2 / 2)
    return (
        *statements(induction_steps()),
        *second_order(HALF),
        *statements(product_steps()),
        Equation("I(L) + I(L^Q) + |II(L) - II(L^Q)|", sp.expand(first + second), sp.expand(total)),
        *derived(BOUNDS, TERMS, ANYWHERE),
        *attained(NETWORKS, TERMS),
        constant_used(setting),
    )


def _orthogonal(m_power: Any) -> tuple[Statement, ...]:
    """All u_r = 0, l' = 1: the gap is m^(-1/2) (m/2) E[C (eps h)_+] k^2 exactly, h and k the two movements."""
    h, k = family.movement(HALF), family.movement(HALF, family.size_star)
    gap = m / 2 / sp.sqrt(m) * (C * h / 2) * k**2
    size = C / 4 * 2 ** sp.Rational(3, 4) * family.size * family.size_star**2
    return (Equation("the gap, exactly", gap, size * m ** (-m_power)),)


def _start(d_power: Any) -> tuple[Statement, ...]:
    """W = 0, all u_r = c sqrt(d): the gap is l''(0) (1/m) sum sigma'(u_r)^2 k_r^2 exactly, all k_r equal."""
    k = family.size_star * m ** (-QUARTER)
    gap = QUARTER * (C / 2 * c**2 * d) ** 2 * k**2
    return (
        Equation("the gap at W = 0, exactly", gap, C**2 * c**4 / 16 * d**d_power * family.size_star**2 / sp.sqrt(m)),
    )


def _sharpness(setting: Setting) -> tuple[Statement, ...]:
    rest = {name: term for name, term in TERMS.items() if name != LAST}
    averaged = largest**2 * scale**2 * square / m
    return (
        *_orthogonal(QUARTER),
        *_start(2),
        *family_steps(),
        *needed(FAMILIES, TERMS),
        *derived({"the last term, which is not needed,": TERMS[LAST]}, rest, ANYWHERE),
        *statements(product_steps()),
        bounded("nu^2 rho^2 kappa^2/m is within nu^4 kappa^2 m^(-1/2), which is loose", averaged,
                [TERMS["nu^4.kappa^2.m^(-1/2)"]], ANYWHERE),
    )  # fmt: skip


THEOREM = Theorem(
    slug="hessian-coupling",
    title="The Hessians of the two risks are close along randomised directions",
    source="B, Lemma 14",
    latex=(
        r"\big|\mathbb{E}_{\Sigma'}(\nabla^2\tilde L(W) - \nabla^2 L^Q(W))[W_\star\Sigma', W_\star\Sigma']\big| \le"
        r" \tilde O\big((\rho + \sqrt d\rho^3)\kappa^2 m^{-1/4} + (d^{5/2}\rho^2 + d^2 + \nu^4)\kappa^2 m^{-1/2}"
        r" + d\rho^2\kappa^2 m^{-1}\big)"
    ),
    activation="Max(x, 0)**3",
    takes_activation=True,
    hypotheses=(ASSUMPTION_A, NOT_CONSTANT),
    uses=("gradient-coupling", "quadratic-bound", "linear-part", "quadratic-remainder", "loss-class"),
    claims=(
        Inequality(
            id="BL-L14",
            readings=(PRINTED.reading(_statement),),
            mutants=power_mutants(NETWORKS, TERMS, tuple(FAMILIES), (d, m, radius, norm, star_norm)),
        ),
        Inequality(
            id="BL-L14",
            part="sharpness",
            readings=(PRINTED.reading(_sharpness),),
            mutants=(
                Mutant(name="orthogonal-m^(-3/8)", states=stated(_orthogonal, sp.Rational(3, 8))),
                Mutant(name="orthogonal-m^(-1/8)", states=stated(_orthogonal, sp.Rational(1, 8))),
                Mutant(name="start-d-for-d^2", states=stated(_start, 1)),
                Mutant(
                    name="the-last-term-is-needed-too",
                    states=stated(needed, {LAST: Attained("I(L^Q)", TERMS[LAST], ANYWHERE)}, TERMS),
                ),
            ),
        ),
        landscape_rate(id="BL-L14", quantity="hessian", source=PRINTED),
    ),
)
