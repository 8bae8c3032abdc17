r"""The Rademacher complexity of quadratic models (B, Lemma 5 and Appendix C.1).

With A_r = (1/n) sum_i eps_i sigma''(<w_{0,r}, x_i>) x_i x_i^T the supremum itself is known,

    sup_{||W||_{2,4} <= B} (1/n) sum_i eps_i f^Q_W(x_i) = (B^2/(2 sqrt m)) (sum_r [lambda_max(a_r A_r)]_+^2)^(1/2)
                                                       <= (B^2/2) max_r ||A_r||_op,

and by contraction (factor 1, no absolute values) it bounds the complexity of the losses. The print,
2 B^2 E max_r ||A_r||_op + 1/sqrt(n), is therefore true and at least four times as large; the term 1/sqrt(n) comes
from absolute values that are not needed, as E (1/n) sum eps_i l(y_i, 0) = 0. Its steps hold.
"""

from __future__ import annotations

from typing import Any

import sympy as sp
from flint import arb

from proofs_checks import sign_supremum as sup
from proofs_checks.power_means import slack
from simulate.rademacher import Size, supremum_cost
from theorems.beyond_linearization.randomised_sizes import EIGHTH, HALF, Print, exponent, proof_step, stated
from theorems.beyond_linearization.smooth_activation import ASSUMPTION_A, NOT_CONSTANT
from theorems.claim import (
    Bound,
    Decision,
    Equation,
    Fact,
    Identity,
    Inequality,
    Mutant,
    Observation,
    Observe,
    Rate,
    Reading,
    Setting,
    Statement,
    Theorem,
)
from theorems.steps import statements

PROOF = "C.1"
SAMPLES = (64, 256, 1024, 4096)
WIDTHS = (2048, 4096, 16384, 65536)
LEMMA = Print(
    place="Lemma 5",
    printed=(
        "E sup_{||W||_{2,4} <= B_w} (1/n) sum sigma_i l(y_i, f^Q_W(x_i)) <= "
        "2 B_w^2 E max_r ||(1/n) sum sigma_i sigma''(w_{0,r}.x_i) x_i x_i^T||_op + 1/sqrt(n)"
    ),
    scan="the display is scattered over four lines; every part of it is there",
)


def _enumerated(setting: Setting, constant: Any) -> Fact:
    """E sup <= constant E max_r ||A_r|| for this activation, the signs enumerated, as balls."""
    found = sup.enumerated(setting.activation.expression)
    ratio = found.supremum / found.largest_norm
    holds = bool(ratio <= arb(constant.p) / constant.q)
    shown = ratio.str(6, radius=False)
    reason = f"E sup is {shown} B^2 E max ||A_r||, and {constant} is claimed"
    name = f"six neurons, five inputs, sigma(x) = {setting.activation.text}"
    return Fact(name, Decision(holds, reason), certain=True,
                figures={"E sup": found.supremum.str(10), "E max ||A_r||": found.largest_norm.str(10)})  # fmt: skip


def _statement(setting: Setting) -> tuple[Statement, ...]:
    return (
        *statements((*sup.supremum_steps(), sup.contraction_step(), sup.one_input_step(sp.Integer(2)))),
        Equation("the printed main term is four times the bound of the supremum", 2 / HALF, sp.Integer(4)),
        _enumerated(setting, HALF),
    )


def _closed_form(setting: Setting) -> tuple[Statement, ...]:
    return (*statements(sup.supremum_steps()), _enumerated(setting, HALF))


def _one_input(constant: Any) -> tuple[Statement, ...]:
    return statements((sup.one_input_step(constant),))


def _contraction(factor: Any) -> tuple[Statement, ...]:
    return statements((sup.contraction_step(factor),))


def _at_zero(power: Any) -> tuple[Statement, ...]:
    return statements(sup.loss_at_zero_steps(power))


def _half(factor: Any) -> tuple[Statement, ...]:
    """The supremum is nonnegative (W = 0), so a larger factor in front of it is allowed."""
    return (Bound("1/(2 sqrt m) <= factor/sqrt m", slack / 2, factor * slack),)


def _hoelder(share: Any) -> tuple[Statement, ...]:
    """<A, w w^T> = sum lambda_j y_j^2 <= share ||A||_op ||w||^2, with equality at an eigenvector."""
    return (
        *statements((sup.quadratic_form_step(),)),
        Bound("at the eigenvector", sup.operator * slack**2, share * sup.operator * slack**2),
    )


def _frobenius(n_power: Any, m_power: Any) -> tuple[Statement, ...]:
    """(E (1/m) sum ||A_r||_F^2)^(1/2) is exactly n^-n_power m^m_power; sup^2 is 1/(8d) to 1/4 of it, B_w = 1."""
    one, two, rest = sp.symbols("q_1 q_2 q_3", nonnegative=True)  # squares of eigenvalues, largest first: q_j = q - g_j
    d = sp.Symbol("d", positive=True)
    return (
        *statements(sup.frobenius_steps(n_power, m_power)),
        Bound("||A||_F^2/d <= ||A||_op^2: d squares q - g_j, their g_j of sum g", (d * one - slack) / d, one,
              certificate=slack / d),
        Bound("[lambda_max]_+^2 + [lambda_min]_-^2 is between ||A||_op^2 and ||A||_F^2", one + two, one + two + rest),
    )  # fmt: skip


def _observe(grows: Size) -> Observe:
    def observe(setting: Setting) -> Observation:
        assert setting.dimension is not None
        return Observation(
            simulator="simulate.rademacher:supremum",
            dimension=setting.dimension,
            arguments={"grows": grows},
            cost=supremum_cost(setting.dimension, grows),
            activation=setting.activation.text,
        )

    return observe


def measured(id: str, part: str, grows: Size, value: Any, source: Print, wrong: tuple[str, Any]) -> Rate:
    """The exponent of n^-1 or m^-1 in the supremum, in the plane."""
    return Rate(
        id=id,
        part=part,
        observe=_observe(grows),
        ladder=SAMPLES if grows == "samples" else WIDTHS,
        points=({}, {"activation": "x - sin(x)"}) if grows == "samples" else ({},),
        resolution=float(EIGHTH / 2) if grows == "width" else float(EIGHTH),
        resolution_reason="half of the 1/8 (widths) and of the 1/4 (samples) by which the nearest mutants are off",
        readings=(source.reading(exponent(value)),),
        mutants=(
            Mutant(name="exponent-too-large", states=exponent(value + (EIGHTH if grows == "width" else 2 * EIGHTH))),
            Mutant(name="exponent-too-small", states=exponent(value - (EIGHTH if grows == "width" else 2 * EIGHTH))),
            Mutant(name=wrong[0], states=exponent(wrong[1])),
        ),
    )


THEOREM = Theorem(
    slug="rademacher",
    title="The Rademacher complexity of quadratic models",
    source="B, Lemma 5 and Appendix C.1",
    latex=(
        r"\mathbb{E}\sup_{\|W\|_{2,4}\le B_w}\frac1n\sum_i\sigma_i\ell(y_i, f^Q_W(x_i)) \le 2B_w^2\,\mathbb{E}\max_r"
        r"\Big\|\frac1n\sum_i\sigma_i\sigma''(w_{0,r}^{\mathsf T}x_i)x_ix_i^{\mathsf T}\Big\|_{\mathrm{op}}"
        r" + \frac1{\sqrt n}"
    ),
    activation="Max(x, 0)**3",
    takes_activation=True,
    hypotheses=(ASSUMPTION_A, NOT_CONSTANT),
    uses=("smooth-activation", "symmetric-start", "loss-class"),
    claims=(
        Inequality(
            id="BL-L5",
            readings=(LEMMA.reading(_statement),),
            mutants=(
                Mutant(name="1/8-for-2", states=stated(_one_input, EIGHTH)),
                Mutant(name="1/6-for-2", states=stated(_one_input, sp.Rational(1, 6))),
                Mutant(
                    name="1/10-for-2-and-no-1/sqrt(n)",
                    states=lambda setting: (_enumerated(setting, sp.Rational(1, 10)),),
                ),
            ),
        ),
        Inequality(
            id="BL-L5",
            part="closed-form",
            readings=(
                Reading(
                    document="B",
                    place="Lemma 5; the closed form is derived, not printed",
                    printed="sup over ||W||_{2,4} <= B_w of (1/n) sum sigma_i f^Q_W(x_i)",
                    states=_closed_form,
                ),
            ),
            mutants=(
                Mutant(name="a-tenth", states=lambda setting: (_enumerated(setting, sp.Rational(1, 10)),)),
                Mutant(name="smaller-at-the-eigenvector", states=stated(_hoelder, 1 - EIGHTH)),
            ),
        ),
        proof_step(
            id="BL-L5",
            part="step-contraction",
            source=Print(
                place=PROOF,
                printed="by the Rademacher contraction theorem R <= 2 E sup (1/n) sum sigma_i f^Q_W(x_i) + ...",
                scan="the second term is read as ax - 1e i;0: E max |(1/n) sum sigma_i l(y_i, 0)|; a factor 1 suffices",
            ),
            states=lambda setting: (*_contraction(sp.S.One), *_contraction(sp.Integer(2))),
            wrong=Mutant(name="factor-1/2", states=stated(_contraction, HALF)),
        ),
        proof_step(
            id="BL-L5",
            part="step-loss-at-zero",
            source=Print(place=PROOF, printed="E |(1/n) sum sigma_i l(y_i, 0)| <= 1/sqrt(n)"),
            states=stated(_at_zero, HALF),
            wrong=Mutant(name="1/n", states=stated(_at_zero, sp.S.One)),
        ),
        proof_step(
            id="BL-L5",
            part="step-quadratic",
            source=Print(
                place=PROOF,
                printed=(
                    "<= 2 E sup (1/sqrt m) sum_r <(1/n) sum_i sigma_i a_r sigma''(w_{0,r}.x_i) x_i x_i^T, w_r w_r^T> "
                    "+ 1/sqrt(n)"
                ),
                scan="1/sqrt m is read as Vim; the factor 1/2 of f^Q is dropped, which an upper bound allows",
            ),
            states=stated(_half, sp.S.One),
            wrong=Mutant(name="1/4-for-1/2", states=stated(_half, 2 * EIGHTH)),
        ),
        proof_step(
            id="BL-L5",
            part="step-norms",
            source=Print(
                place=PROOF,
                printed=(
                    "<= 2 E sup max_r ||(1/n) sum sigma_i sigma''(w_{0,r}.x_i) x_i x_i^T||_op "
                    "(1/sqrt m) sum_r ||w_r w_r^T||_* + 1/sqrt(n)"
                ),
                scan="the norms are lost in the third line, the fourth line shows them",
            ),
            states=stated(_hoelder, sp.S.One),
            wrong=Mutant(name="7/8-of-it", states=stated(_hoelder, 1 - EIGHTH)),
        ),
        proof_step(
            id="BL-L5",
            part="step-power-mean",
            source=Print(
                place=PROOF,
                printed="sup (1/sqrt m) sum_r ||w_r||_2^2 <= B_w^2 by the power mean (or Cauchy-Schwarz) inequality",
            ),
            states=lambda setting: statements(sup.power_mean_steps()),
            wrong=Mutant(name="m^(-1/8)", states=lambda setting: statements(sup.power_mean_steps(-EIGHTH))),
        ),
        Identity(
            id="BL-L5",
            part="rate",
            readings=(
                Reading(
                    document="B",
                    place="Lemma 5 and 5.1 (1)",
                    printed="the complexity falls like n^(-1/2) and scales at most logarithmically with m",
                    states=stated(_frobenius, HALF, sp.S.Zero),
                ),
            ),
            mutants=(
                Mutant(name="n^(-5/8)", states=stated(_frobenius, HALF + EIGHTH, sp.S.Zero)),
                Mutant(name="n^(-3/8)", states=stated(_frobenius, HALF - EIGHTH, sp.S.Zero)),
                Mutant(name="m^(1/8)", states=stated(_frobenius, HALF, EIGHTH)),
            ),
        ),
        measured("BL-L5", "measured-n", "samples", HALF, LEMMA, ("1/n", sp.S.One)),
        measured("BL-L5", "measured-m", "width", sp.S.Zero, LEMMA, ("m^(1/2)", -HALF)),
    ),
)
