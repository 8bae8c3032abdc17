"""The talk's neural tangent theorem on the quadratic model (T, slides NT Model, Quadratic Model - NT, Comparison).

f_NT(x) = c + sum_i sigma'(<w_i, x>) <a_i, x>, w_i ~ N(0, I_d/d), sigma(x) = x^2; as N, d -> inf with N/d -> psi_1,

    E[R_NT]/E{f_*^2} = (1-psi_1)_+^2 + psi_1 (1-psi_1)_+ t + o(1),   t = Tr(B)^2/(d ||B||^2).

It is the function of the paper's Theorem 2, and the exact expectation at finite d is known. But f_* = b_0 + <x, Bx>
with any b_0 is divided by E f_*^2: the class contains the constants, so its risk does not see the mean of f_*, and
E f_*^2 does. With s = (E f_*)^2/E f_*^2 the ratio is (1-s) times the print: right if and only if s = 0 or psi_1 >= 1,
or with Var f_* in place of E f_*^2; at b_0 = 0 and t > 0 it tends to 0.

"NT fits random directions": what it leaves of B has the mean E PBP = (alpha+beta) B + beta Tr(B) I, P a Haar projector
of rank d - N: every eigenvector of B is treated alike, the principal ones as the others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp
from flint import arb

from proofs_checks import haar_projector as haar
from proofs_checks import quadratic_classes as classes
from theorems.claim import (
    Bound,
    Equation,
    Erratum,
    Identity,
    Limit,
    Mutant,
    Prediction,
    Reading,
    Setting,
    Shape,
    Statement,
    Theorem,
)
from theorems.lazy_training.nt_risk import observe, paper_form, positive_part, poster_form, symbols
from theorems.steps import statements
from theorems.thermodynamic.quadratic_model import asked, second_moment_of_target, talk_symbols

Form = Callable[[Any, Any], Any]
"""A function of psi_1 <= 1 and t, for balls as well as for SymPy symbols."""
_symbols = talk_symbols(symbols)
UNIT = {haar.rho: (sp.Integer(0), sp.Integer(1)), haar.t: (sp.Integer(0), sp.Integer(1))}


def _formula(form: Form) -> Prediction:
    def states(setting: Setting) -> arb:
        value = _symbols(setting)
        return form(positive_part(value["psi1"]), value["t"])

    return states


def _proof(form: Form) -> Prediction:
    """The exact expectation, its limit for psi_1 <= 1, and no risk from N = d on."""
    d, t = haar.d, haar.t
    return lambda setting: (
        *statements(haar.moment_steps()),
        Equation("the limit, psi_1 <= 1", haar.nt_risk_limit(), form(haar.rho, t), UNIT),
        Equation("the paper's form", paper_form(haar.rho, t), form(haar.rho, t), UNIT),
        Equation("no risk at N = d in any dimension", haar.nt_risk_exact(d, d, t), sp.Integer(0)),
        Equation("nor at psi_1 = 1", form(sp.Integer(1), t), sp.Integer(0), {t: UNIT[t]}),
    )


share = sp.Symbol("s", positive=True)
SHARES = {share: (sp.Rational(1, 100), sp.Rational(99, 100)), **UNIT}


def _over_second_moment(setting: Setting) -> tuple[Statement, ...]:
    """R/E f^2 = (1-s) R/Var f for every s, against the print."""
    line = poster_form(haar.rho, haar.t)
    return (Equation("risk over E f^2, E f != 0", (1 - share) * line, line, SHARES),)


def _over_variance(setting: Setting) -> tuple[Statement, ...]:
    """psi_1 = 1/(1+h) < 1: the print is off by the factor 1 - s of a positive number; over Var f it is right."""
    line, up = poster_form(haar.rho, haar.t), sp.Symbol("h", positive=True)
    inside = line.subs(haar.rho, 1 / (1 + up))
    uncentred = sp.limit(classes.uncentred_tangent_risk(True).subs(haar.N, haar.rho * haar.d), haar.d, sp.oo)
    return (
        second_moment_of_target(),
        Equation("over Var f = (1-s) E f^2 it is the print", (1 - share) * line / (1 - share), line, SHARES),
        Equation("over E f^2 it is off by", (1 - share) * line - line, -share * line, SHARES),
        Bound("which is not zero for psi_1 < 1", sp.Integer(0), inside, True, sp.factor(inside)),
        Equation("b_0 = 0, t > 0: the ratio tends to 0", uncentred, sp.Integer(0)),
    )


d, k, trace, eigenvalue, other = haar.d, haar.k, sp.Symbol("T", positive=True), *sp.symbols("l1 l2", positive=True)


def _left_of(value: Any) -> Any:
    """The eigenvalue of E PBP at an eigenvector of B with this eigenvalue."""
    alpha, beta = haar.second_moments()
    return (alpha + beta) * value + beta * trace


def _random_directions(factor: Any) -> tuple[Statement, ...]:
    """What is left of two eigenvalues differs by their difference times (1-psi_1)^2, the same for all pairs."""
    difference = (_left_of(eigenvalue) - _left_of(other)).subs(k, d * (1 - haar.rho))
    limit = sp.limit(sp.factor(difference / (eigenvalue - other)), d, sp.oo)
    alpha, beta = haar.second_moments()
    more, rest = sp.Symbol("m", integer=True, nonnegative=True), sp.Symbol("n", integer=True, positive=True)
    neurons, dimension = more + 1, more + 1 + rest  # N >= 1 and d > N
    return (
        Equation("shrinkage, whichever the two eigenvalues", limit, factor, {haar.rho: UNIT[haar.rho]}),
        Equation("E Tr PBP = (k/d) Tr B", (alpha + beta) * trace + beta * d * trace, k / d * trace),
        Bound("more parameters than random features have", neurons, haar.tangent_dimension(dimension, neurons), True,
              neurons * more / 2 + neurons * rest),
    )  # fmt: skip


PRINTED = "E[R_NT]/E{f_*^2} = (1-psi_1)_+^2 + psi_1 (1-psi_1)_+ Tr(B)^2/(d ||B||_F^2) + o_d(1)"

THEOREM = Theorem(
    slug="talk-quadratic-nt",
    title="The neural tangent model on the quadratic model of the talk",
    source="T, slides NT Model, Quadratic Model - NT, Comparison",
    latex=(
        r"\frac{\mathbb{E}[R_{\mathrm{NT},N}]}{\mathbb{E}\{f_*^2\}} = (1-\psi_1)_+^2 + \psi_1(1-\psi_1)_+"
        r"\frac{\mathrm{Tr}(B)^2}{d\|B\|_F^2}+o_d(1)"
    ),
    parameters={"psi1": "1/2", "B": "exp1"},
    symbols=("psi1", "t"),
    evaluate=_symbols,
    uses=("nt-quadratic", "tangent-constant"),
    claims=(
        Limit(
            id="TL-QNT",
            observe=asked(observe),
            functional="mean",
            bias_class="analytic",
            bias_class_proof="the exact finite-d expectation is a rational function of d",
            points=(
                {"psi1": "1/4", "B": "exp1"},
                {"psi1": "1/2", "B": "two_point"},
                {"psi1": "3/4", "B": "uniform"},
            ),
            resolution=0.02,
            resolution_reason="the smallest mutant is 4% off at one of the points",
            readings=(
                Reading(
                    document="T",
                    place="slides NT Model and Comparison (second line), for E f_* = 0",
                    printed=PRINTED,
                    scan="on the slides on subspaces the bracket closes late, E[R_{NT,N]}: read E[R_{NT,N}]",
                    states=_formula(poster_form),
                ),
            ),
            mutants=(
                Mutant(name="trace-term-dropped", states=_formula(lambda p, t: (1 - p) ** 2)),
                Mutant(name="psi1-lost", states=_formula(lambda p, t: (1 - p) ** 2 + (1 - p) * t)),
                Mutant(name="plus-for-times", states=_formula(lambda p, t: (1 - p) ** 2 + p * (1 - p) + t)),
                Mutant(name="4-percent-more", states=_formula(lambda p, t: arb("1.04") * poster_form(p, t))),
            ),
        ),
        Identity(
            id="TL-QNT",
            part="proof",
            readings=(
                Reading(
                    document="T",
                    place="slides NT Model and Comparison (second line), for E f_* = 0",
                    printed=PRINTED,
                    states=_proof(poster_form),
                ),
            ),
            mutants=(
                Mutant(name="trace-term-dropped", states=_proof(lambda p, t: (1 - p) ** 2)),
                Mutant(name="psi1-lost", states=_proof(lambda p, t: (1 - p) ** 2 + (1 - p) * t)),
            ),
        ),
        Identity(
            id="TL-QNT",
            part="any-mean",
            readings=(
                Reading(
                    document="T",
                    place="slides Setting (any b_0) and NT Model",
                    printed=f"f_* = b_0 + <x, Bx>, {PRINTED}",
                    states=_over_second_moment,
                    erratum=Erratum(
                        corrected="over Var f_*, or for E f_* = 0: over E f_*^2 it is (1-s) times the print, psi_1 < 1",
                        states=_over_variance,
                    ),
                ),
            ),
            mutants=(
                Mutant(
                    name="b0-zero-will-do",
                    states=lambda setting: (
                        Equation(
                            "b_0 = 0",
                            sp.limit(
                                classes.uncentred_tangent_risk(True).subs(haar.N, haar.rho * haar.d), haar.d, sp.oo
                            ),
                            poster_form(haar.rho, haar.t),
                            UNIT,
                        ),
                    ),
                ),
            ),
        ),
        Shape(
            id="TL-QNT",
            part="random-directions",
            readings=(
                Reading(
                    document="T",
                    place="slides Quadratic Model - NT",
                    printed="Does NT learn subspaces based on their importance in B? No! NT fits random directions "
                    "(but more parameters)",
                    states=lambda setting: _random_directions((1 - haar.rho) ** 2),
                ),
            ),
            mutants=(
                Mutant(name="nothing-is-left", states=lambda setting: _random_directions(sp.Integer(0))),
                Mutant(name="1-minus-psi1", states=lambda setting: _random_directions(1 - haar.rho)),
            ),
        ),
    ),
)
