r"""The gradients of the two risks along W are close (B, Lemma 13).

With rho = B_x ||W||_{2,4}, for all W,

    |<grad L~(W) - grad L^Q(W), W>| <= O~((d rho + sqrt(d) rho^5 + rho^3) m^(-1/4) + d^(5/2) rho^4 m^(-1/2)).

It is true, but not by the printed proof (gradient_coupling_proof.py), whose term II takes E (f^L)^2 for its root; the
repaired line would leave d^(3/2) rho^3 m^(-1/4), which is not within the print. Instead, as E f^L = 0 and |l'''| <= 1,

    |E[l'(f) - l'(f^Q)]| <= E |Delta| + E (f^L)^2/2,    so    |II| <= 2 |f^Q| (E |Delta| + E (f^L)^2/2).

Three of the four terms are needed with just these powers (proofs_checks/coupling_families.py): d rho m^(-1/4) where it
is at least 1, and the other two where it is at most 1. The term rho^3 m^(-1/4) is not needed: it is at most the
geometric mean of its neighbours. Where d rho m^(-1/4) is small, term I is at most its square plus d rho^4 m^(-1/2), as
E f^L = 0 again; so at a fixed x, with movements of one size, the whole is of order m^(-1/2) and m^(-1/4) is loose.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_checks import coupling_families as family
from proofs_checks.power_means import m, norm, radius
from proofs_checks.sign_average import induction_steps
from theorems.beyond_linearization.coupling_rates import landscape_rate
from theorems.beyond_linearization.orders import Attained, attained, derived, needed, power_mutants
from theorems.beyond_linearization.randomised_sizes import (
    HALF,
    QUARTER,
    C,
    Print,
    c,
    constant_used,
    d,
    scale,
    stated,
)
from theorems.beyond_linearization.smooth_activation import ASSUMPTION_A, NOT_CONSTANT
from theorems.claim import Equation, Inequality, Mutant, Setting, Statement, Theorem
from theorems.steps import statements

FIVE_HALVES: Any = sp.Rational(5, 2)
fourth_root = m ** (-QUARTER)
PRINTED = Print(
    place="Lemma 13",
    printed=(
        "|<grad L~(W) - grad L^Q(W), W>| <= O~((d B_x ||W||_{2,4} + sqrt(d) B_x^5 ||W||_{2,4}^5 + B_x^3 ||W||_{2,4}^3) "
        "m^(-1/4) + d^(5/2) B_x^4 ||W||_{2,4}^4 m^(-1/2))"
    ),
    scan=(
        "the left side is lost: the proof and its use in B.4 give it; of the powers the scan shows d, sqrt d and "
        "little else: the last lines of the proof and (16), d^5 B_x^8 B_w^8 eps^-2, give them"
    ),
)
TERMS = {
    "d.rho.m^(-1/4)": d * scale * fourth_root,
    "sqrt(d).rho^5.m^(-1/4)": sp.sqrt(d) * scale**5 * fourth_root,
    "rho^3.m^(-1/4)": scale**3 * fourth_root,
    "d^(5/2).rho^4.m^(-1/2)": d**FIVE_HALVES * scale**4 / sp.sqrt(m),
}
ANYWHERE = (d, m)
LINEAR = C * c**2 / 2 * d * scale * fourth_root
"""Lemma 11 (a): (E (f^L)^2)^(1/2) is at most this."""
REMAINDER = C / 6 * scale**3 * fourth_root
"""Lemma 11 (b)."""
QUADRATIC = C * c / (2 * sp.sqrt(2)) * sp.sqrt(d) * scale**2
"""Lemma 10."""
BOUNDS = {
    "I": LINEAR,
    "II, from the remainder": 2 * QUADRATIC * REMAINDER,
    "II, from the linear part": QUADRATIC * LINEAR**2,
    "III": 3 * REMAINDER,
}
small_linear = 1 / (d * scale * fourth_root)
SMALL = (*ANYWHERE, small_linear, m**QUARTER / scale**3, d**2 * m / scale**4)
FAMILIES = {
    "d.rho.m^(-1/4)": Attained(
        "l = log cosh(z - f^Q), all u_r = c sqrt(d)",
        LINEAR,
        (*ANYWHERE, 1 / small_linear, 1 / (d * scale**4)),
    ),
    "sqrt(d).rho^5.m^(-1/4)": Attained("the logistic loss, u_r = 0 and u_r = c sqrt(d)", QUADRATIC * REMAINDER, SMALL),
    "d^(5/2).rho^4.m^(-1/2)": Attained("the logistic loss, all u_r = c sqrt(d)", QUADRATIC * LINEAR**2, SMALL),
}
"""What they attain is that of `family_steps`, up to constants, and not taken from the print."""
NETWORKS = tuple(FAMILIES.values())


def second_order(half: Any) -> tuple[Statement, ...]:
    """|l'(q + t) - l'(q) - l''(q) t| <= half t^2 from |l'''| <= 1; the mean of t over the signs is 0."""
    s, t = sp.symbols("s t", positive=True)
    return (
        *statements(induction_steps()),
        Equation("int_0^t (t - s) ds", sp.integrate(t - s, (s, 0, t)), half * t**2),
    )


def family_steps() -> tuple[Statement, ...]:
    """What the networks attain: f^L, f^Q and Delta as powers, and the means of the losses' derivatives."""
    rho, quarter = family.size, sp.Rational(1, 4)
    both = {radius * norm: rho}
    return (
        *statements(family.fourth_moment_steps()),
        *statements(family.odd_loss_steps()),
        *statements(family.logistic_loss_steps()),
        *statements(family.logistic_gain_steps()),
        Equation("(E (f^L)^2)^(1/2), half of all at c sqrt(d)", family.linear_root(HALF),
                 2 ** (-quarter) * LINEAR.subs(both)),
        Equation("f^Q, half of all at c sqrt(d)", family.quadratic(HALF), QUADRATIC.subs(both)),
        Equation("E Delta, a quarter of all at 0", family.mean_remainder(quarter),
                 2 ** (-2 - quarter) * REMAINDER.subs(both)),
    )  # fmt: skip


def _statement(setting: Setting) -> tuple[Statement, ...]:
    total = sum(BOUNDS.values())
    return (
        *second_order(HALF),
        Equation("|I| + |II| + |III|", LINEAR + 2 * QUADRATIC * (REMAINDER + LINEAR**2 / 2) + 3 * REMAINDER, total),
        *derived(BOUNDS, TERMS, ANYWHERE),
        *attained(NETWORKS, TERMS),
        constant_used(setting),
    )


def _sharpness(setting: Setting) -> tuple[Statement, ...]:
    rest = {name: term for name, term in TERMS.items() if name != "rho^3.m^(-1/4)"}
    return (
        *family_steps(),
        *needed(FAMILIES, TERMS),
        *derived({"rho^3 m^(-1/4), which is not needed,": TERMS["rho^3.m^(-1/4)"]}, rest, ANYWHERE),
    )


THEOREM = Theorem(
    slug="gradient-coupling",
    title="The gradients of the two risks are close along W",
    source="B, Lemma 13",
    latex=(
        r"|\langle\nabla\tilde L(W) - \nabla L^Q(W), W\rangle| \le \tilde O\big((d B_x\|W\| + \sqrt d B_x^5\|W\|^5"
        r" + B_x^3\|W\|^3) m^{-1/4} + d^{5/2} B_x^4\|W\|^4 m^{-1/2}\big),\quad \|W\| = \|W\|_{2,4}"
    ),
    activation="Max(x, 0)**3",
    takes_activation=True,
    hypotheses=(ASSUMPTION_A, NOT_CONSTANT),
    uses=("quadratic-bound", "linear-part", "quadratic-remainder", "loss-class"),
    claims=(
        Inequality(
            id="BL-L13",
            readings=(PRINTED.reading(_statement),),
            mutants=(
                *power_mutants(NETWORKS, TERMS, tuple(FAMILIES)),
                Mutant(name="E(f^L)^2/4-for-E(f^L)^2/2", states=stated(second_order, QUARTER)),
            ),
        ),
        Inequality(
            id="BL-L13",
            part="sharpness",
            readings=(PRINTED.reading(_sharpness),),
            mutants=(
                Mutant(
                    name="rho^3.m^(-1/4)-is-needed-too",
                    states=stated(
                        needed,
                        {"rho^3.m^(-1/4)": Attained("l' = 1, all u_r = 0", TERMS["rho^3.m^(-1/4)"], ANYWHERE)},
                        TERMS,
                    ),
                ),
                Mutant(
                    name="E-S^4-at-most-2-(E-S^2)^2", states=lambda setting: statements(family.fourth_moment_steps(2))
                ),
            ),
        ),
        landscape_rate(id="BL-L13", quantity="gradient", source=PRINTED),
    ),
)
