r"""What truncation loses in the proof of Theorem 7 (B, Appendix C.4, (27), (28)).

f - f^R = E[sigma''(<w_0, x>) a(w_0) 1{|w_0| > R/B_x}] is at most R_a E[sigma''^4]^(1/4) P^(1/4) by Hoelder's
inequality, with E[relu(G)^4]^(1/4) = (3/2)^(1/4), P = P(|w_0| > R/B_x). So P <= (eps/(2 (3/2)^(1/4) R_a B_x^2
|beta|^2))^4 gives (28), and R^2 = c^2 (d + L), L = -log of that, gives it, with c^2 = 2/(1 - e^-2) (largest_norm.py),
so that R = O~(sqrt d).

As printed the third line has C/sqrt d in place of the constant, although <w_0, x> is standard normal in every d; and
R in place of R/B_x, which is wrong for B_x < 1.
"""

from __future__ import annotations

from typing import Any

import sympy as sp
from flint import arb, ctx, fmpq

from proofs_checks.largest_norm import BITS, chernoff_steps, norm_tail, union_steps
from proofs_checks.relu_coefficient_function import gaussian_mean, x
from theorems.beyond_linearization.truncation_argument import CELLS, NORM, TARGET, reading
from theorems.claim import Bound, Equation, Erratum, Identity, Inequality, Mutant, Setting, Statement, Theorem
from theorems.steps import statements

C = sp.Symbol("C", positive=True)
FOURTH = sp.Rational(3, 2) ** sp.Rational(1, 4)
"""E[relu(G)^4]^(1/4): half of E G^4 = 3."""


def _hoelder(last: Any) -> tuple[Statement, ...]:
    half, quarter = sp.Rational(1, 2), sp.Rational(1, 4)
    return (
        Equation("the exponents of a, sigma'' and the indicator add to 1", half + quarter + last, sp.S.One),
        Equation("E[relu(G)^4]^(1/4)", (gaussian_mean(x**4, x) / 2) ** quarter, FOURTH),
    )


def _third_line(factor: Any) -> tuple[Statement, ...]:
    """E[sigma''^4]^(1/4) against the printed factor."""
    return (Bound("E[sigma''(w_0.x)^4]^(1/4) <= the factor of R_a P^(1/4)", FOURTH, factor),)


def _tail(power: int) -> tuple[Statement, ...]:
    """R_a (3/2)^(1/4) P^(1/4) = t where P^(1/4) is (t/((3/2)^(1/4) R_a))^(power/4)."""
    root = (TARGET / (FOURTH * NORM)) ** sp.Rational(power, 4)
    return (Equation("the tail at the threshold of (27) gives (28)", NORM * FOURTH * root, TARGET),)


def _scale(inverse_radius: fmpq, corrected: bool) -> tuple[Statement, ...]:
    """P(|w_0| > R) or P(|w_0| > R/B_x), w_0 ~ N(0, B_x^-2 I), at R^2 = c^2 (d + L), L = 20: at most exp(-L)?"""
    rows = []
    for d, _ in CELLS:
        with ctx.workprec(BITS):
            square = 2 / (1 - arb(-2).exp()) * (d + 20)
            tail = norm_tail(d, square if corrected else square / arb(inverse_radius) ** 2)
            rows.append(Bound(f"d = {d}, B_x = 1/{inverse_radius}", tail, arb(-20).exp()))
    return tuple(rows)


def _scale_corrected(setting: Setting) -> tuple[Statement, ...]:
    return (*statements(chernoff_steps()), *statements(union_steps()), *_scale(fmpq(10), True))


THEOREM = Theorem(
    slug="truncated-tail",
    title="What truncation loses in the proof of Theorem 7",
    source="B, Appendix C.4, (27), (28)",
    latex=r"|f_{*,p-2}-f^R_{*,p-2}| \le R_a\,\mathbb{E}[\sigma''^4]^{1/4}\,\mathbb{P}(\|w_0\|_2>R/B_x)^{1/4}",
    uses=("truncation-argument", "initial-norms"),
    claims=(
        Identity(
            id="BL-T7",
            part="step-hoelder",
            readings=reading(
                "C.4, after (26)",
                "|f - f^R| <= E[a^2]^{1/2} E[sigma''(w_0.x)^4]^{1/4} P(||w_0|| > R)^{1/4}",
                lambda setting: _hoelder(sp.Rational(1, 4)),
                scan="the exponents 4 and 1/4 are garbled; Hoelder's inequality fixes them",
            ),
            mutants=(Mutant(name="square-root-of-the-tail", states=lambda setting: _hoelder(sp.Rational(1, 2))),),
        ),
        Inequality(
            id="BL-T7",
            part="step-hoelder-constant",
            readings=reading(
                "C.4, after (26), third line",
                "<= R_a C/sqrt(d) P(||w_0|| > R)^{1/4}",
                # at d = 2 C^2, whatever C is
                lambda setting: _third_line(C / sp.sqrt(2 * C**2)),
                scan="reads C/Vd; the root of d is plain",
                erratum=Erratum(
                    corrected="R_a (3/2)^{1/4} P^{1/4}: w_0.x is N(0, 1), so that d does not enter",
                    states=lambda setting: (*_hoelder(sp.Rational(1, 4)), *_third_line(FOURTH)),
                ),
            ),
            mutants=(Mutant(name="C-is-1", states=lambda setting: _third_line(sp.S.One)),),
        ),
        Identity(
            id="BL-T7",
            part="step-27",
            readings=reading(
                "C.4, (27), (28)",
                "P(||w_0|| > R B_x^-1) <= (c eps/(R_a B_x^2 ||beta||^2))^4 ensures max |f^R - f| <= eps B_x^-2 "
                "||beta||^-2/2",
                lambda setting: _tail(4),
                scan="the numerator and the power are lost; c = 1/(2 (3/2)^{1/4}) and the power 4 are what (28) needs",
            ),
            mutants=(Mutant(name="no-fourth-power", states=lambda setting: _tail(1)),),
        ),
        Inequality(
            id="BL-T7",
            part="step-27-scale",
            readings=reading(
                "C.4, after (26), and (27)",
                "P(||w_0||_2 > R) is small for R = O~(sqrt d)",
                lambda setting: _scale(fmpq(10), False),
                erratum=Erratum(
                    corrected="P(||w_0||_2 > R B_x^-1), as in (24): w_0 ~ N(0, B_x^-2 I); the print needs B_x >= 1",
                    states=_scale_corrected,
                ),
            ),
            mutants=(Mutant(name="R-at-B_x-1/2", states=lambda setting: _scale(fmpq(2), False)),),
        ),
    ),
)
