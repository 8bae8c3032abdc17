"""Trained networks on the quadratic model of the talk (T, slides on the square non-linearity and Comparison).

f_NN(x; W, c) = sum_i <w_i, x>^2 + c, f_*(x) = b_0 + <x, Bx> with B >= 0, and

    R(f_NN) = R(W, c) = E (<x x^T, B - W W^T> + b_0 - c)^2,
    inf R/E{f_*^2} = 1 - sum_{i <= d, N} lambda_i(B)^2/||B||^2.

The second line needs what the slide leaves unsaid: eigenvalues in decreasing order, B >= 0 (the Setting slide has it;
weights 1 in the second layer leave every negative eigenvalue), and E f_* = 0, since c takes the mean of f_* out of R
but not out of E f_*^2: with s = (E f_*)^2/E f_*^2 the ratio is (1-s) times the line.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import sympy as sp

from proofs_checks import quadratic_landscape as landscape
from proofs_checks.low_rank_approximation import best_rank_steps
from proofs_checks.quadratic_landscape import SymbolicRisk, b0, c, critical_points
from theorems.claim import (
    Decision,
    Equation,
    Erratum,
    Fact,
    Identity,
    Mutant,
    Prediction,
    Reading,
    Statement,
    Theorem,
)
from theorems.lazy_training.nn_loss import OTHER, POSITIVE
from theorems.lazy_training.nn_risk import NONNEGATIVE, tail_share
from theorems.lazy_training.nt_risk import symbols
from theorems.steps import statements
from theorems.thermodynamic.quadratic_model import asked, second_moment_of_target, talk_symbols

SIZES = ((1, 1), (2, 2), (3, 1))


def _residual(dimension: int, neurons: int, quadratic: Callable[[sp.Matrix], sp.Matrix], sign: int) -> Equation:
    """f_* - f_NN, neuron by neuron, against <x x^T, B - quadratic(W)> + b_0 - sign c."""
    here = SymbolicRisk(dimension, neurons)
    x = sp.Matrix(sp.symbols(f"x1:{dimension + 1}", real=True))
    target = b0 + (x.T * here.B * x)[0]
    network = sum(((x.T * here.W)[i] ** 2 for i in range(neurons)), sp.Integer(0)) + c
    printed = ((x * x.T).T * (here.B - quadratic(here.W))).trace() + b0 - sign * c
    return Equation(f"f_* - f_NN, d = {dimension}, N = {neurons}", sp.expand(target - network), sp.expand(printed))


def _risk(
    sizes: Sequence[tuple[int, int]] = SIZES,
    quadratic: Callable[[sp.Matrix], sp.Matrix] = lambda W: W * W.T,
    sign: int = 1,
) -> tuple[Statement, ...]:
    """The residual, and the Gaussian mean of its square: 2 ||B - WW^T||^2 + (Tr(B - WW^T) + b_0 - c)^2."""
    return (
        *(_residual(d, n, quadratic, sign) for d, n in sizes),
        *statements(landscape.risk_step(d, n) for d, n in sizes),
    )


Line = Callable[[Sequence[Any], int], Any]


def _printed_line(eigenvalues: Sequence[Any], neurons: int) -> Fraction:
    """1 - sum_{i <= min(d, N)} lambda_i^2/||B||^2, in decreasing order."""
    kept = sorted(eigenvalues, reverse=True)[: min(len(eigenvalues), neurons)]
    return 1 - Fraction(sum(x**2 for x in kept), sum(x**2 for x in eigenvalues))


def _increasing_order(eigenvalues: Sequence[Any], neurons: int) -> Fraction:
    kept = sorted(eigenvalues)[: min(len(eigenvalues), neurons)]
    return 1 - Fraction(sum(x**2 for x in kept), sum(x**2 for x in eigenvalues))


def _comparison(cases: Any, line: Line) -> tuple[Statement, ...]:
    """The least critical value of R over 2 ||B||^2, by enumeration in exact numbers, against the line."""
    wrong = []
    for eigenvalues, neurons in cases:
        least = Fraction(min(point.risk for point in critical_points(eigenvalues, neurons)))
        share = least / (2 * sum(x**2 for x in eigenvalues))
        if share != line(eigenvalues, neurons):
            wrong.append(f"B = {eigenvalues}, N = {neurons}: {share}, not {line(eigenvalues, neurons)}")
    reason = wrong[0] if wrong else f"equal in {len(cases)} exact cases: ties, singular B, N above the rank and above d"
    return (
        *statements(landscape.exchange_steps()),
        *statements(best_rank_steps()),
        Fact("the least critical value over E f^2", Decision(not wrong, reason), certain=True),
    )


share, tail, norm2 = sp.symbols("s r b", positive=True)
RANGE = {share: (sp.Rational(1, 100), sp.Rational(99, 100)), tail: (sp.Rational(1, 100), sp.Integer(1))}


def _any_mean(over: Any) -> Prediction:
    """inf R = tail * 2 ||B||^2 for every b_0, since c = b_0 + Tr(B - WW^T) at the optimum; E f^2 = 2 ||B||^2/(1-s)."""
    second_moment = 2 * norm2 / (1 - share)
    return lambda setting: (
        second_moment_of_target(),
        Equation("inf R over its normalisation", tail * 2 * norm2 / (second_moment * over), tail, RANGE),
    )


PRINTED = "1 - sum_{i=1}^{d ^ N} lambda_i(B)^2/||B||_F^2 for M = NN"

THEOREM = Theorem(
    slug="talk-quadratic-nn",
    title="Trained networks on the quadratic model of the talk",
    source="T, slides on the square non-linearity and Comparison",
    latex=(
        r"R(W,c) = \mathbb{E}\left[\left(\langle xx^{\mathsf T},B-WW^{\mathsf T}\rangle+b_0-c\right)^2\right],\quad"
        r"\frac{R_{\mathrm{NN},N}}{\mathbb{E}\{f_*^2\}} \approx 1-\frac{\sum_{i\le d\wedge N}\lambda_i(B)^2}{\|B\|_F^2}"
    ),
    parameters={"psi1": "1/2", "B": "two_point"},
    symbols=("psi1", "t"),
    evaluate=talk_symbols(symbols),
    value=asked(tail_share),
    value_name="the least risk of the trained network, over E f_*^2",
    hypotheses=(NONNEGATIVE,),
    uses=("nn-loss", "summary-quadratic"),
    claims=(
        Identity(
            id="TL-QNN",
            readings=(
                Reading(
                    document="T",
                    place="slides on the square non-linearity",
                    printed="R(f_NN) = R(W, c) = E[(<x x^T, B - W W^T> + b_0 - c)^2], f_NN = sum <w_i, x>^2 + c",
                    states=lambda setting: _risk(),
                ),
            ),
            mutants=(
                Mutant(name="W^T-W", states=lambda setting: _risk(((2, 2),), lambda W: W.T * W)),
                Mutant(name="plus-c", states=lambda setting: _risk(sign=-1)),
                Mutant(name="c-left-out", states=lambda setting: _risk(sign=0)),
            ),
        ),
        Identity(
            id="TL-QNN",
            part="comparison",
            readings=(
                Reading(
                    document="T",
                    place="slides Comparison, third line (decreasing eigenvalues, E f_* = 0)",
                    printed=PRINTED,
                    states=lambda setting: _comparison(POSITIVE, _printed_line),
                ),
            ),
            mutants=(
                Mutant(name="increasing-order", states=lambda setting: _comparison(POSITIVE, _increasing_order)),
                Mutant(
                    name="one-more", states=lambda setting: _comparison(POSITIVE, lambda b, n: _printed_line(b, n + 1))
                ),
                Mutant(name="indefinite-B-too", states=lambda setting: _comparison(OTHER, _printed_line)),
            ),
        ),
        Identity(
            id="TL-QNN",
            part="any-order",
            readings=(
                Reading(
                    document="T",
                    place="slides Comparison, where nothing says in which order",
                    printed=f"{PRINTED} (any numbering of the eigenvalues)",
                    states=lambda setting: _comparison(POSITIVE, _increasing_order),
                    erratum=Erratum(
                        corrected="lambda_1 >= lambda_2 >= ... >= lambda_d",
                        states=lambda setting: _comparison(POSITIVE, _printed_line),
                    ),
                ),
            ),
            mutants=(
                Mutant(
                    name="one-fewer", states=lambda setting: _comparison(POSITIVE, lambda b, n: _printed_line(b, n - 1))
                ),
            ),
        ),
        Identity(
            id="TL-QNN",
            part="any-mean",
            readings=(
                Reading(
                    document="T",
                    place="slides Setting (any b_0) and Comparison, third line",
                    printed=f"R_NN/E{{f_*^2}} = {PRINTED}, f_* = b_0 + <x, Bx>",
                    states=_any_mean(sp.Integer(1)),
                    erratum=Erratum(corrected="over Var f_*, or for E f_* = 0", states=_any_mean(1 - share)),
                ),
            ),
            mutants=(Mutant(name="over-the-squared-mean", states=_any_mean(share)),),
        ),
    ),
)
