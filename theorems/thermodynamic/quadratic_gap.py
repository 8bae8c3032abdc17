"""How large the gap between NN and NT can be on the quadratic model of the talk (T, slides Comparison).

"There is a B with an arbitrarily large gap between NN and NT." As a ratio of risks it is so for every psi_1 in (0, 1):
the eigenvalues 1 (N times) and eta have R_NT/R_NN ~ const/eta^2, and at eta = 0, B of rank N, the trained risk is
exactly zero and the tangent risk is not, in every dimension. For psi_1 >= 1 both risks are zero and there is no gap.

As a difference in units of E f_*^2, which is what the slide's formula R_M/E{f_*^2} is in, it is not: for every B >= 0

    (R_NT - R_NN)/E f_*^2 <= G(psi_1) + o(1) < 1,   attained; G in proofs_checks/largest_gap.py.
"""

from __future__ import annotations

from typing import Any

import flint
import sympy as sp
from flint import arb

from proofs_checks import haar_projector as haar
from proofs_checks.largest_gap import INSIDE, largest_gap, largest_gap_steps, psi, two_levels
from proofs_checks.tail_energy import tangent
from theorems.claim import Bound, Equation, Erratum, Limit, Mutant, Reading, Setting, Shape, Statement, Theorem
from theorems.lazy_training.nn_risk import NONNEGATIVE, gap, observe_gap
from theorems.lazy_training.nt_risk import positive_part, symbols
from theorems.spectra import WORKING_BITS
from theorems.steps import statements
from theorems.thermodynamic.quadratic_model import asked, talk_symbols

_symbols = talk_symbols(symbols)
_gap = asked(gap)
rest = sp.Symbol("eta", positive=True)
more, rank = sp.Symbol("m", integer=True, nonnegative=True), sp.Symbol("k", integer=True, positive=True)


def _ratio() -> Any:
    """R_NT/R_NN for the eigenvalues 1 (N of them) and eta, as d -> inf."""
    energy = psi + (1 - psi) * rest**2
    return tangent(psi, (psi + (1 - psi) * rest) ** 2 / energy) * energy / ((1 - psi) * rest**2)


def _rank_n() -> Bound:
    """B of rank N, equal eigenvalues: t = N/d, no trained risk, and this tangent risk at N = m + 1, d = N + k."""
    neurons, dimension = more + 1, more + 1 + rank
    left = sp.factor(haar.nt_risk_exact(dimension, neurons, neurons / dimension))
    return Bound("rank N: R_NN = 0 < R_NT in every dimension d > N", sp.Integer(0), left, True, left)


def _unbounded(setting: Setting) -> tuple[Statement, ...]:
    up = sp.Symbol("h", positive=True)  # psi_1 = 1/(1 + h)
    constant = psi * tangent(psi, psi) / (1 - psi)
    return (
        Equation("eta^2 R_NT/R_NN as eta -> 0, any psi_1 < 1", sp.limit(rest**2 * _ratio(), rest, 0), constant, INSIDE),
        Bound("which is positive", sp.Integer(0), constant.subs(psi, 1 / (1 + up)), True,
              sp.factor(constant.subs(psi, 1 / (1 + up)))),
        _rank_n(),
    )  # fmt: skip


def _ratio_at_most(bound: int) -> tuple[Statement, ...]:
    domain = {**INSIDE, rest: (sp.Rational(1, 1000), sp.Integer(1))}
    return (Bound(f"R_NT <= {bound} R_NN", _ratio(), sp.Integer(bound), False, None, domain),)


def _for_every_width(setting: Setting) -> tuple[Statement, ...]:
    """psi_1 >= 1 too: but at N = d the tangent risk is zero already."""
    return (Bound("N = d: R_NT > R_NN = 0", sp.Integer(0), haar.nt_risk_exact(haar.d, haar.d, haar.t), True),)


def _below_one(setting: Setting) -> tuple[Statement, ...]:
    return (
        *_unbounded(setting),
        Equation("N = d: no tangent risk for any B", haar.nt_risk_exact(haar.d, haar.d, haar.t), sp.Integer(0)),
    )


def _difference_unbounded(setting: Setting) -> tuple[Statement, ...]:
    """Some B has R_NT - R_NN >= E f^2: but no B has more than G."""
    return (Bound("a gap of E f^2 at the best B", sp.Integer(1), largest_gap(psi), False, None, INSIDE),)


def _largest_difference(setting: Setting) -> tuple[Statement, ...]:
    """G bounds every B, two levels reach it: at psi_1 = 1/2 the eigenvalues 8 and 1 come within 1e-5."""
    half, eighth = sp.Rational(1, 2), sp.Rational(1, 8)
    return (
        *statements(largest_gap_steps()),
        Bound("8 and 1 at psi_1 = 1/2 do not exceed it", two_levels(half, eighth), largest_gap(half), True),
        Bound("and miss it by less than 1e-5",
              largest_gap(half), two_levels(half, eighth) + sp.Rational(1, 10**5), True),
        Bound("more than B of rank N has", two_levels(half, sp.Integer(0)), two_levels(half, eighth), True),
    )  # fmt: skip


def _rank_n_is_best(setting: Setting) -> tuple[Statement, ...]:
    """As if B of rank N had the largest difference."""
    return (Bound("no B beats rank N", largest_gap(psi), two_levels(psi, sp.Integer(0)), False, None, INSIDE),)


def _ceiling(setting: Setting) -> arb:
    """G(psi_1), zero from psi_1 = 1 on."""
    with flint.ctx.workprec(WORKING_BITS):
        return largest_gap(positive_part(_symbols(setting)["psi1"]), lambda ball: ball.sqrt())


def _trace_dropped(setting: Setting) -> arb:
    value = _symbols(setting)
    return _gap(setting) - value["psi1"] * (1 - value["psi1"]) * value["t"]


PRINTED = "exists B: arbitrarily large gap between NN and NT"

THEOREM = Theorem(
    slug="talk-quadratic-gap",
    title="The gap between NN and NT on the quadratic model of the talk",
    source="T, slides Comparison",
    latex=(
        r"\sup_B \frac{R_{\mathrm{NT}}}{R_{\mathrm{NN}}} = \infty\ (\psi_1<1),\quad \max_B"
        r"\frac{R_{\mathrm{NT}}-R_{\mathrm{NN}}}{\mathbb{E} f_*^2} \to \frac{1-3\psi_1+\psi_1^2+"
        r"\sqrt{(1+\psi_1(1-\psi_1)(2\psi_1-1))^2+4\psi_1^3(1-\psi_1)^3}}{2}"
    ),
    parameters={"psi1": "1/2", "B": "1,8"},
    symbols=("psi1", "t"),
    evaluate=_symbols,
    value=_ceiling,
    value_name="the supremum over B of the gap between NT and NN, over E f_*^2",
    hypotheses=(NONNEGATIVE,),
    uses=("nn-gap", "nn-unbounded-gap", "talk-quadratic-nt"),
    claims=(
        Shape(
            id="TL-QGAP",
            readings=(
                Reading(
                    document="T",
                    place="slides Comparison, as a ratio of risks, psi_1 < 1",
                    printed=PRINTED,
                    scan="'arbtrarily' on the slides",
                    states=_unbounded,
                ),
            ),
            mutants=(
                Mutant(name="ratio-at-most-100", states=lambda setting: _ratio_at_most(100)),
                Mutant(name="ratio-at-most-10000", states=lambda setting: _ratio_at_most(10000)),
            ),
        ),
        Shape(
            id="TL-QGAP",
            part="every-width",
            readings=(
                Reading(
                    document="T",
                    place="slides Comparison, where nothing says psi_1 < 1",
                    printed=f"{PRINTED} (at any psi_1)",
                    states=_for_every_width,
                    erratum=Erratum(
                        corrected="for every psi_1 in (0, 1) and for no psi_1 >= 1, where both risks are zero",
                        states=_below_one,
                    ),
                ),
            ),
            mutants=(Mutant(name="ratio-at-most-100", states=lambda setting: _ratio_at_most(100)),),
        ),
        Shape(
            id="TL-QGAP",
            part="normalised",
            readings=(
                Reading(
                    document="T",
                    place="slides Comparison, as a difference of R_M/E{f_*^2}",
                    printed=PRINTED,
                    states=_difference_unbounded,
                    erratum=Erratum(
                        corrected=(
                            "the largest difference over B >= 0 is G(psi_1) = (1 - 3 psi_1 + psi_1^2 + S)/2, "
                            "S^2 = (1 + psi_1 (1-psi_1) (2 psi_1 - 1))^2 + 4 (psi_1 (1-psi_1))^3, below 1 and attained"
                        ),
                        states=_largest_difference,
                    ),
                ),
            ),
            mutants=(Mutant(name="rank-N-is-best", states=_rank_n_is_best),),
        ),
        Limit(
            id="TL-QGAP",
            part="measured",
            observe=asked(observe_gap),
            functional="mean",
            bias_class="analytic",
            bias_class_proof="the exact expectation of the tangent risk is a rational function of d",
            points=({"psi1": "1/2", "B": "1,8"}, {"psi1": "1/2", "B": "0,1"}, {"psi1": "1/4", "B": "1,1,1,8"}),
            resolution=0.05,
            resolution_reason="the smallest mutant is 8% off at one of the points",
            readings=(
                Reading(
                    document="T",
                    place="slides Comparison, the NT line minus the NN line near the largest gap",
                    printed="R_NT/E{f_*^2} - R_NN/E{f_*^2}, from the lines of the slide",
                    states=_gap,
                ),
            ),
            mutants=(
                Mutant(name="1-minus-psi1", states=lambda setting: 1 - _symbols(setting)["psi1"]),
                Mutant(name="trace-term-dropped", states=_trace_dropped),
                Mutant(name="8-percent-more", states=lambda setting: arb("1.08") * _gap(setting)),
            ),
        ),
    ),
)
