r"""Lemma 1: the landscape of the clean risk, as an exact identity (B, Section 4.1 and Appendix B.1).

f^Q_W(x) = (1/(2 sqrt m)) sum_r a_r sigma''(<w_{0,r}, x>) <w_r, x>^2, L^Q(W) = (1/n) sum_i l(y_i, f^Q_W(x_i)). For
independent signs Sigma' and every W, W*,

    E L^Q''(W)[W* Sigma', W* Sigma'] = <grad L^Q(W), W> - 2 (L^Q(W) - L^Q(W*)) - 2 gap + II,
    II = (1/n) sum_i l'' (1/m) sum_r sigma''(<w_{0,r}, x_i>)^2 <w_r, x_i>^2 <w*_r, x_i>^2
       <= C^2 max (w_{0,r}.x_i)^2 B_x^4 ||W||^2 ||W*||^2 / m,

gap = (1/n) sum_i (l(f^Q_{W*}) - l(f^Q_W) - l'(f^Q_W)(f^Q_{W*} - f^Q_W)) >= 0 for convex l, C that of Assumption A and
0 <= l'' <= 1. So Lemma 1 holds with the constant C^2 for every m, not only large ones; the bound of II is attained, up
to l'' < 1, where all |<w_{0,r}, x>| and all ||w_r|| = ||w*_r|| are equal and aligned with x.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_checks import clean_hessian as clean
from proofs_checks.clean_hessian import SymbolicCleanRisk
from proofs_checks.symbolic_step import SymbolicStep
from theorems.beyond_linearization.clean_curvature import autodiff_identity, tightest_ratio
from theorems.beyond_linearization.smooth_activation import ASSUMPTION_A, NOT_CONSTANT, cubic_relu
from theorems.claim import (
    Bound,
    Equation,
    Identity,
    Inequality,
    Mutant,
    Prediction,
    Reading,
    Setting,
    Statement,
    Theorem,
)
from theorems.steps import statements

SIZES = (SymbolicCleanRisk(1, 2), SymbolicCleanRisk(2, 2), SymbolicCleanRisk(1, 3, 2))
slope, risk, best = sp.symbols("G L OPT", real=True)
gap, spare, left_over, remainder = sp.symbols("gap o e II", nonnegative=True)
m, size, radius, seen, constant = sp.symbols("m s B_x t C", positive=True)


def _proved(*steps: SymbolicStep) -> Prediction:
    return lambda setting: statements(steps)


def _assembled(factor: Any = 2, with_remainder: bool = True) -> Statement:
    """The identity with L^Q(W*) = OPT - o and its remainder II = bound - e, against the printed right-hand side."""
    left = slope - 2 * (risk - (best - spare)) - 2 * gap + remainder
    right = slope - factor * (risk - best) + (remainder + left_over if with_remainder else 0)
    exact = factor == 2 and with_remainder
    certificate = 2 * spare + 2 * gap + left_over if exact else None
    return Bound("Lemma 1, from its identity", left, right, certificate=certificate)


def _identity() -> tuple[SymbolicStep, ...]:
    return (*(clean.averaged_hessian_step(size) for size in SIZES), clean.remainder_induction())


def _remainder() -> tuple[SymbolicStep, ...]:
    return (
        clean.curvature_step(),
        clean.smoothness_step(),
        clean.projection_step(2),
        clean.projection_step(3),
        clean.cauchy_schwarz_step(2),
        clean.cauchy_schwarz_step(3),
        clean.cauchy_schwarz_induction(),
    )


def _lemma(setting: Setting) -> tuple[Statement, ...]:
    return (_assembled(), *statements(_identity()), *statements(_remainder()))


def _aligned(power: Any) -> tuple[Statement, ...]:
    """w_r = w*_r = s x/B_x and |<w_{0,r}, x>| = t for all r, sigma'' = C t, l'' = 1: II against its bound."""
    one = (constant * seen) ** 2 * (size * radius) ** 4
    square = (m * size**4) ** sp.Rational(1, 2)  # ||W||_{2,4}^2 = ||W*||_{2,4}^2
    bound = constant**2 * seen**2 * radius**4 * square * square * m ** (-power)
    return (Equation("II where everything is aligned", (m * one) / m, bound),)


THEOREM = Theorem(
    slug="clean-landscape",
    title="The landscape of the clean risk",
    source="B, Lemma 1 and Appendix B.1",
    latex=(
        r"\mathbb{E}_{\Sigma'}\nabla^2 L^Q(W)[W_\star\Sigma',W_\star\Sigma'] \le \langle\nabla L^Q(W),W\rangle"
        r" - 2(L^Q(W)-\mathrm{OPT}) + \tilde O(dB_x^4\|W\|^2\|W_\star\|^2/m)"
    ),
    activation="Max(x, 0)**3/6",
    takes_activation=True,
    hypotheses=(ASSUMPTION_A, NOT_CONSTANT),
    uses=("smooth-activation", "loss-class"),
    claims=(
        Inequality(
            id="BL-L1",
            readings=(
                Reading(
                    document="B",
                    place="Lemma 1",
                    printed=(
                        "E_Sigma' Hess L^Q(W)[W* Sigma', W* Sigma'] <= <grad L^Q(W), W> - 2(L^Q(W) - OPT) + "
                        "O~(d B_x^4 ||W||_{2,4}^2 ||W*||_{2,4}^2 m^-1)"
                    ),
                    scan="powers of B_x and of the norms are garbled in the display; the proof prints them",
                    states=_lemma,
                ),
            ),
            mutants=(
                Mutant(name="3-times-the-loss-gap", states=lambda setting: (_assembled(3),)),
                Mutant(name="once-the-loss-gap", states=lambda setting: (_assembled(1),)),
                Mutant(name="no-remainder", states=lambda setting: (_assembled(with_remainder=False),)),
            ),
        ),
        Identity(
            id="BL-L1",
            part="identity",
            readings=(
                Reading(
                    document="B",
                    place="Appendix B.1",
                    printed="gradient term, loss gap and remainder, with nothing dropped",
                    states=_proved(*_identity()),
                ),
            ),
            mutants=(
                Mutant(
                    name="no-convexity-gap",
                    states=_proved(clean.averaged_hessian_step(SIZES[0], gap_factor=0)),
                ),
                Mutant(
                    name="remainder-4-times-as-large",
                    states=_proved(clean.averaged_hessian_step(SIZES[0], remainder_factor=4)),
                ),
            ),
        ),
        Identity(
            id="BL-L1",
            part="autodiff",
            readings=(
                Reading(
                    document="B",
                    place="Appendix B.1",
                    printed="the same identity for this activation and the logistic loss, derivatives taken by machine",
                    states=autodiff_identity,
                ),
            ),
            mutants=(
                Mutant(
                    name="second-derivative-of-the-model-only",
                    states=lambda setting: autodiff_identity(setting, remainder=0.0),
                ),
                Mutant(name="the-gap-counted-once", states=lambda setting: autodiff_identity(setting, gap=1.0)),
            ),
        ),
        Inequality(
            id="BL-L1",
            part="attacked",
            readings=(
                Reading(
                    document="B",
                    place="Lemma 1",
                    printed="the same, for all W and W*: random and aligned ones, with the ratio to the bound",
                    states=tightest_ratio,
                ),
            ),
            mutants=(
                Mutant(name="remainder-over-m^2", states=lambda setting: tightest_ratio(cubic_relu(), exponent=2.0)),
            ),
        ),
        Identity(
            id="BL-L1",
            part="step-gradient",
            readings=(
                Reading(
                    document="B",
                    place="Appendix B.1, first display",
                    printed="grad L^Q(W) = (1/n) sum_i l'(y_i, f^Q_W(x_i)) (1/sqrt m) x_i x_i^T W D_i",
                    scan="the fraction bar of 1/sqrt m is lost; 1/(2 sqrt m) would be wrong",
                    states=_proved(
                        clean.gradient_step(SymbolicCleanRisk(2, 2, 2)), clean.gradient_step(SymbolicCleanRisk(1, 3))
                    ),
                ),
            ),
            mutants=(
                Mutant(
                    name="1/(2-sqrt-m)",
                    states=_proved(clean.gradient_step(SymbolicCleanRisk(2, 2), sp.Rational(1, 2))),
                ),
            ),
        ),
        Identity(
            id="BL-L1",
            part="step-hessian",
            readings=(
                Reading(
                    document="B",
                    place="Appendix B.1, second display",
                    printed=(
                        "Hess L^Q(W)[W* Sigma', W* Sigma'] = (2/n) sum_i l' f^Q_{W*}(x_i) + (4/n) sum_i l'' "
                        "((1/(2 sqrt m)) <x_i x_i^T, W D_i Sigma' W*^T>)^2, for each Sigma'"
                    ),
                    scan=(
                        "the prefactors 2/n and 1/(2 sqrt m) of the first line are lost, the underbrace f^Q_{W*} fixes "
                        "them; it shows W D_i W*^T Sigma', whose shapes do not match: Sigma' stands before W*^T"
                    ),
                    states=_proved(
                        *(clean.hessian_step(SIZES[1], signs) for signs in SIZES[1].sign_patterns()),
                        clean.hessian_step(SIZES[2], sp.diag(1, -1, 1)),
                    ),
                ),
            ),
            mutants=(
                Mutant(
                    name="1/n-for-2/n",
                    states=_proved(clean.hessian_step(SIZES[0], SIZES[0].sign_patterns()[1], 1, 4)),
                ),
                Mutant(
                    name="1/n-for-4/n",
                    states=_proved(clean.hessian_step(SIZES[0], SIZES[0].sign_patterns()[1], 2, 1)),
                ),
            ),
        ),
        Inequality(
            id="BL-L1",
            part="step-remainder",
            readings=(
                Reading(
                    document="B",
                    place="Appendix B.1, term II",
                    printed=(
                        "E[II] <= (1/m) E_D sum_r sigma''^2 (w_r.x)^2 (w*_r.x)^2 <= C B_x^4 max (w_{0,r}.x_i)^2 "
                        "(1/m) sum_r ||w_r||^2 ||w*_r||^2 <= O~(d B_x^4 ||W||^2 ||W*||^2 m^-1)"
                    ),
                    scan="the second line is garbled",
                    states=lambda setting: (*statements(_remainder()), *_aligned(1)),
                ),
            ),
            mutants=(
                Mutant(name="l''-below-1/2", states=_proved(clean.curvature_step(sp.Rational(1, 2)))),
                Mutant(name="sigma''-below-C-sqrt-t", states=_proved(clean.smoothness_step(1))),
                Mutant(name="aligned-over-m^2", states=lambda setting: _aligned(2)),
            ),
        ),
        Inequality(
            id="BL-L1",
            part="step-convexity",
            readings=(
                Reading(
                    document="B",
                    place="Appendix B.1, term I",
                    printed=(
                        "I = 2 E_D[l' f^Q_W] + 2 E_D[l' (f^Q_{W*} - f^Q_W)] <= <grad L^Q(W), W> + 2 E_D[l(f^Q_{W*}) - "
                        "l(f^Q_W)] <= <grad L^Q(W), W> - 2(L^Q(W) - OPT)"
                    ),
                    scan="the sign of step (ii) is lost: it is <=, by L^Q(W*) <= OPT",
                    states=lambda setting: (
                        *statements((clean.euler_step(SymbolicCleanRisk(2, 2, 2)),)),
                        Bound(
                            "(i) convexity and (ii) L^Q(W*) <= OPT",
                            slope + 2 * ((best - spare) - risk - gap),
                            slope - 2 * (risk - best),
                            certificate=2 * spare + 2 * gap,
                        ),
                    ),
                ),
            ),
            mutants=(
                Mutant(
                    name="<grad,W>-is-E-l'f",
                    states=_proved(clean.euler_step(SymbolicCleanRisk(2, 2, 2), 1)),
                ),
            ),
        ),
    ),
)
