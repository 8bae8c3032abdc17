r"""Theorem 2: the landscape of the randomised risk, and the width it asks for (B, Section 4.2 and Appendix B.4).

If ||W||, ||W*|| <= B_w, L^Q(W*) <= OPT and m is at least (6), up to constants and logarithms,

    E L~''(W)[W* Sigma', W* Sigma'] <= <grad L~(W), W> - 2 (L~(W) - OPT) + eps.

Lemma 1 spends eps/3, the loss twice eps/6, gradient and Hessian eps/6 each, which is eps. The right-hand side of (14)
stands without its minus sign in the document. Every monomial of (13), (15), (16), (17) is what its lemma asks for, and
each is below a term of (6) for all d >= 1, eps <= 1, B_w* <= B_w, however small B_x B_w is; the term B_x^12 B_w^12 of
(6) could be left out. With d = 1, x = 1 and all w_{0,r} = t, W = 0 gives the exact excess below, so a width of order
sigma'(t)^4 B_w*^4/eps^2, that is d^4 B_w*^4/eps^2, cannot be dispensed with.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from proofs_checks import width_condition as width
from proofs_checks.width_condition import ErrorTerm
from theorems.beyond_linearization.measured_landscape import derived_errors, no_error_needed
from theorems.beyond_linearization.smooth_activation import ASSUMPTION_A, NOT_CONSTANT, cubic_relu
from theorems.claim import (
    Bound,
    Equation,
    Erratum,
    Identity,
    Inequality,
    Mutant,
    Prediction,
    Reading,
    Statement,
    Theorem,
)
from theorems.steps import statements

eps = sp.Symbol("epsilon", positive=True)
slope = sp.Symbol("G", real=True)
loss, best = sp.symbols("L OPT", nonnegative=True)
l1, l2, l3, l4 = sp.symbols("t_1 t_2 t_3 t_4", real=True)
spare = sp.Symbol("o", nonnegative=True)
SHARES = dict.fromkeys((l1, l2, l3, l4), (sp.S.NegativeOne, sp.S.One))
LOSSES = {**SHARES, eps: (sp.Rational(1, 1000), sp.S.One), loss: (sp.S.One, 5), best: (sp.S.Zero, 5)}
"""A loss of at least 1, so that L^Q, within eps/6 of it, is one too."""
SIXTH, THIRD = sp.Rational(1, 6), sp.Rational(1, 3)


def _collected(factor: Any = 2, total: Any = 1) -> tuple[Statement, ...]:
    """(7) from Lemma 1 and the four couplings: errors t_i eps/6 with |t_i| <= 1, and Lemma 1's remainder t_4 eps/3."""
    clean_loss, clean_slope = loss + l1 * eps / 6, slope + l2 * eps / 6
    clean_hessian = clean_slope - 2 * (clean_loss - best) - spare + l4 * eps / 3
    left = clean_hessian + l3 * eps / 6
    right = slope - factor * (loss - best) + total * eps
    certificate = spare + eps * ((1 - l2) / 6 + (1 + l1) / 3 + (1 - l3) / 6 + (1 - l4) / 3)
    exact = factor == 2 and total == 1
    return (
        Bound(
            "(7), once the errors are within their shares", left, right, False, certificate if exact else None, SHARES
        ),
    )


def _budget(loss_share: Any) -> tuple[Statement, ...]:
    return (
        Equation("(14): eps/3 and twice the loss", THIRD + 2 * loss_share, sp.Rational(2, 3)),
        Equation("with gradient and Hessian", THIRD + 2 * loss_share + SIXTH + SIXTH, sp.S.One),
    )


def _fourteen(sign: int) -> tuple[Statement, ...]:
    """(14) from Lemma 1, whose difference of the left-hand sides is -2 (L^Q - OPT) - o + t_4 eps/3, o >= 0."""
    clean_loss = loss + l1 * eps / 6
    left = -2 * (clean_loss - best) - spare + l4 * eps / 3
    first, second = sign * 2 * (clean_loss - best) + eps / 3, sign * 2 * (loss - best) + 2 * eps / 3
    known = sign == -1
    return (
        Bound("(14), first", left, first, False, spare + eps * (1 - l4) / 3 if known else None, LOSSES),
        Bound("(14), second", first, second, False, eps * (1 + l1) / 3 if known else None, LOSSES),
    )


def _asked(place: str, terms: Sequence[ErrorTerm]) -> Prediction:
    return lambda setting: statements(term.step(place) for term in terms)


def _wrong(place: str, size: Any, decay: Any, printed: Any) -> Prediction:
    return _asked(place, (ErrorTerm(size, decay, printed),))


d, Bx, Bw, Bs = width.d, width.Bx, width.Bw, width.Bs
m, first, second, value = sp.symbols("m s_1 s_2 B_*", positive=True)


def _at_zero(power: Any) -> tuple[Statement, ...]:
    """W = 0, d = n = 1, x = y = 1, w_{0,r} = t, W* of norm B_* on the neurons with a_r = 1.

    With l'(0) = -1/2, l''(0) = 1/4, s_1 = sigma'(t), s_2 = sigma''(t), m/2 neurons w*_r^2 = B_*^2 (2/m)^(1/2), f =
    f^Q_{W*}: the curvature is sum_r (l' s_2/sqrt m + l'' s_1^2/m) w*_r^2 = -f + s_1^2 B_*^2/(4 sqrt(2 m)). The excess
    is its second part minus 2 gap, and gap = O(f^2) = O(B_*^4), so for small B_* the second part must be at most eps.
    """
    row = value**2 * sp.sqrt(2 / m)
    model = (m / 2) * second * row / (2 * sp.sqrt(m))
    curvature = (m / 2) * (-second / (2 * sp.sqrt(m)) + first**2 / (4 * m)) * row
    needed = sp.sqrt(32) ** 2 * eps**2
    return (
        Equation("the averaged Hessian at W = 0", curvature, -model + first**2 * value**2 / (4 * sp.sqrt(2 * m))),
        Equation("its second part is eps at this width", (first**2 * value**2 / (4 * sp.sqrt(2 * m))).subs(
            m, first**power * value**4 / needed), eps),
    )  # fmt: skip


THEOREM = Theorem(
    slug="randomised-landscape",
    title="The landscape of the randomised risk",
    source="B, Theorem 2 and Appendix B.4",
    latex=(
        r"\mathbb{E}_{\Sigma'}\nabla^2\tilde L(W)[W_\star\Sigma',W_\star\Sigma'] \le \langle\nabla\tilde L(W),W\rangle"
        r" - 2(\tilde L(W)-\mathrm{OPT}) + \varepsilon"
    ),
    activation="Max(x, 0)**3/6",
    takes_activation=True,
    hypotheses=(ASSUMPTION_A, NOT_CONSTANT),
    uses=("clean-landscape",),
    claims=(
        Inequality(
            id="BL-T2",
            readings=(
                Reading(
                    document="B",
                    place="Theorem 2, (6) and (7)",
                    printed=(
                        "for all W in B_{2,4}(B_w): E Hess L~(W)[W* Sigma', W* Sigma'] <= <grad L~(W), W> - "
                        "2(L~(W) - OPT) "
                        "+ eps once m >= O~([B_x^12 B_w^12 + d^4 B_x^4 B_w^4 + d^2 B_x^20 B_w^20] eps^-4 + "
                        "d^5 B_x^8 B_w^8 eps^-2)"
                    ),
                    scan="exponents of (6) are garbled; (16), which it repeats, and the lemmas fix them",
                    states=lambda setting: (*_collected(), *derived_errors(setting)),
                ),
            ),
            mutants=(
                Mutant(name="3-times-the-loss-gap", states=lambda setting: _collected(3)),
                Mutant(name="error-eps/2", states=lambda setting: _collected(2, sp.Rational(1, 2))),
                Mutant(name="no-error-at-any-width", states=no_error_needed),
                Mutant(
                    name="without-the-part-I-of-the-Hessian",
                    states=lambda setting: derived_errors(setting, without="Lemma 14, I(L)"),
                ),
                Mutant(
                    name="errors-smaller-by-sqrt(m)",
                    states=lambda setting: derived_errors(cubic_relu(), power=0.5),
                ),
            ),
        ),
        Inequality(
            id="BL-T2",
            part="step-14",
            readings=(
                Reading(
                    document="B",
                    place="Appendix B.4, (14)",
                    printed=(
                        "E Hess L^Q(W)[W* Sigma', W* Sigma'] - <grad L^Q(W), W> <= 2(L^Q(W) - OPT) + eps/3 <= "
                        "2(L~(W) - OPT) + 2 eps/3"
                    ),
                    scan="no minus sign is legible before either 2; if the scan lost both, the correction is the print",
                    states=lambda setting: _fourteen(1),
                    erratum=Erratum(
                        corrected=(
                            "<= -2(L^Q(W) - OPT) + eps/3 <= -2(L~(W) - OPT) + 2 eps/3, as Lemma 1 gives and (7) needs"
                        ),
                        states=lambda setting: (*_fourteen(-1), *_budget(SIXTH)),
                    ),
                ),
            ),
            mutants=(Mutant(name="loss-within-eps/3", states=lambda setting: _budget(THIRD)),),
        ),
        Identity(
            id="BL-T2",
            part="step-13",
            readings=(
                Reading(
                    document="B",
                    place="Appendix B.4, (13)",
                    printed="|L~ - L^Q| <= eps/6 so long as m >= O~(B_x^12 B_w^12 eps^-4 + d^4 B_x^4 B_w^4 eps^-2)",
                    scan="the exponents of d, B_x, B_w and eps are garbled; Lemma 12 as stated gives these",
                    states=_asked("(13)", width.LOSS),
                ),
            ),
            mutants=(
                Mutant(
                    name="d^2-for-d^4",
                    states=_wrong("(13)", d**2 * Bx**2 * Bw**2, width.HALF, d**2 * Bx**4 * Bw**4 / width.eps**2),
                ),
            ),
        ),
        Identity(
            id="BL-T2",
            part="step-15",
            readings=(
                Reading(
                    document="B",
                    place="Appendix B.4, (15)",
                    printed=(
                        "the error term in Lemma 1 is bounded by eps/3 when m >= O~(d B_x^4 B_w^2 B_{w,*}^2 eps^-1)"
                    ),
                    states=_asked("(15)", width.REMAINDER),
                ),
            ),
            mutants=(
                Mutant(
                    name="eps^-2",
                    states=_wrong(
                        "(15)", d * Bx**4 * Bw**2 * Bs**2, width.ONE, d * Bx**4 * Bw**2 * Bs**2 / width.eps**2
                    ),
                ),
            ),
        ),
        Identity(
            id="BL-T2",
            part="step-16",
            readings=(
                Reading(
                    document="B",
                    place="Appendix B.4, (16)",
                    printed=(
                        "m >= O~((d^4 B_x^4 B_w^4 + d^2 B_x^20 B_w^20 + B_x^12 B_w^12) eps^-4 + d^5 B_x^8 B_w^8 eps^-2)"
                    ),
                    scan="exponents are garbled; Lemma 13 gives these",
                    states=_asked("(16)", width.GRADIENT),
                ),
            ),
            mutants=(
                Mutant(
                    name="d^4-for-d^5",
                    states=_wrong(
                        "(16)",
                        d ** sp.Rational(5, 2) * Bx**4 * Bw**4,
                        width.HALF,
                        d**4 * Bx**8 * Bw**8 / width.eps**2,
                    ),
                ),
            ),
        ),
        Identity(
            id="BL-T2",
            part="step-17",
            readings=(
                Reading(
                    document="B",
                    place="Appendix B.4, (17)",
                    printed=(
                        "m >= O~([B_x^12 B_w^4 B_*^8 + d^2 B_x^20 B_w^12 B_*^8] eps^-4 + [d^5 B_x^8 B_w^4 B_*^4 + "
                        "d^4 B_x^4 B_*^4 + B_x^12 B_w^8 B_*^4] eps^-2 + d B_x^4 B_w^2 B_*^2 eps^-1)"
                    ),
                    scan="exponents are garbled; Lemma 14 gives these",
                    states=_asked("(17)", width.HESSIAN),
                ),
            ),
            mutants=(
                Mutant(
                    name="B_w^8-for-B_w^12",
                    states=_wrong(
                        "(17)",
                        sp.sqrt(d) * Bx**5 * Bw**3 * Bs**2,
                        width.QUARTER,
                        d**2 * Bx**20 * Bw**8 * Bs**8 / width.eps**4,
                    ),
                ),
            ),
        ),
        Inequality(
            id="BL-T2",
            part="step-collected",
            readings=(
                Reading(
                    document="B",
                    place="Appendix B.4, end",
                    printed=(
                        "collecting (13), (15), (16), (17) and merging terms using eps <= 1 and B_{w,*} <= B_w "
                        "gives (6)"
                    ),
                    states=lambda setting: statements((*width.collection_steps(), width.redundancy_step())),
                ),
            ),
            mutants=(
                Mutant(
                    name="d^4-eps^-2-is-enough",
                    states=lambda setting: statements(
                        (width.domination_step(width.GRADIENT[0].printed, d**4 * Bx**4 * Bw**4 / width.eps**2, "(16)"),)
                    ),
                ),
                Mutant(
                    name="B_*-for-B_w",
                    states=lambda setting: statements(
                        (width.domination_step(width.HESSIAN[0].printed, Bx**12 * Bs**12 / width.eps**4, "(17)"),)
                    ),
                ),
            ),
        ),
        Identity(
            id="BL-T2",
            part="necessary-width",
            readings=(
                Reading(
                    document="B",
                    place="Theorem 2, (6)",
                    printed=(
                        "m >= O~(d^4 B_x^4 B_w^4 eps^-2), the part of (6) that W = 0 asks for, with sigma'(t) = O(d)"
                    ),
                    states=lambda setting: _at_zero(4),
                ),
            ),
            mutants=(Mutant(name="sigma'^2-for-sigma'^4", states=lambda setting: _at_zero(2)),),
        ),
    ),
)
