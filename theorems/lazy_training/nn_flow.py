"""Gradient flow of the trained network in closed form, down to the infimum (P, Theorem 3).

With the offset c optimised out, dW/dt = 8 (B - WW^T) W, and A = WW^T solves the Riccati equation
A' = 8 (BA + AB) - 16 A^2 with the solution of proofs_checks/riccati_flow.py. From a start with a density it reaches
inf L = 2 sum_{i>N} lambda_i^2 (for indefinite B, 2 sum lambda_i^2 - 2 sum_{i<=N} (lambda_i)_+^2): exponentially fast,
but like 1/t^2 where spare neurons meet the null space of B. The density cannot be dropped: W_0 = 0 stays where it is,
and a start without the first eigenvector never finds it.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import flint
import sympy as sp
from flint import arb

from proofs_checks.quadratic_landscape import least_risk
from proofs_checks.riccati_flow import flow_risk, small_size_steps, solution_step
from theorems.claim import Bound, Equation, Identity, Mutant, Reading, Setting, Shape, Statement, Theorem
from theorems.steps import statements

ROTATED = ((1, 1), (1, -1), (Fraction(1, 2), 2))
FLOWS: tuple[tuple[str, tuple[int, ...], int], ...] = (
    ("positive", (3, 2, 1), 2),
    ("positive, one neuron", (3, 2, 1), 1),
    ("with a tie", (2, 2, 1), 2),
    ("singular", (2, 0, 0), 1),
    ("singular, N above the rank", (2, 0, 0), 2),
    ("indefinite", (2, -1, -2), 2),
)


def _closed_form(rate: int = 8) -> tuple[Statement, ...]:
    return statements((solution_step(rate), *small_size_steps(2, 1), *small_size_steps(2, 2)))


@cache
def _excess(eigenvalues: tuple[int, ...], neurons: int, start: Any, time: int) -> arb:
    with flint.ctx.workprec(256):
        risk = flow_risk(eigenvalues, [row[:neurons] for row in start], Fraction(time))
        return risk - least_risk(eigenvalues, neurons)


def _reaches(name: str, eigenvalues: tuple[int, ...], neurons: int, start: Any = ROTATED) -> Bound:
    """Four times the time leaves at most a ninth: the decay is exponential, or 1/(16 t)^2 in the null space of B."""
    label = f"{name}: B = {eigenvalues}, N = {neurons}, excess over inf L from t = 2 to t = 8"
    return Bound(label, 9 * _excess(eigenvalues, neurons, start, 8), _excess(eigenvalues, neurons, start, 2), True)


def flow_converges(setting: Setting) -> tuple[Statement, ...]:
    return (*_closed_form(), *(_reaches(*case) for case in FLOWS))


def needs_a_density(setting: Setting) -> tuple[Statement, ...]:
    """A generic start reaches inf L; W_0 = 0, and a start without the first eigenvector, stay above it for ever."""
    blind = ((0, 0), *ROTATED[1:])
    return (
        _reaches(*FLOWS[0]),
        Equation("W_0 = 0 stays: L = 2 ||B||^2", flow_risk((3, 2, 1), [[0, 0]] * 3, Fraction(8)), sp.Integer(28)),
        Bound("W_0 orthogonal to the first eigenvector fits the next two", sp.Integer(17),
              flow_risk((3, 2, 1), blind, Fraction(8)), True),
    )  # fmt: skip


def from_any_start(setting: Setting) -> tuple[Statement, ...]:
    return (_reaches("start without the first eigenvector", (3, 2, 1), 2, ((0, 0), *ROTATED[1:])),)


THEOREM = Theorem(
    slug="nn-flow",
    title="Gradient flow of the trained network",
    source="P, Theorem 3",
    latex=(
        r"W(t)W(t)^{\mathsf T} = X Y^{-1} X^{\mathsf T},\quad X = e^{8Bt}W_0,"
        r"\ Y = I + W_0^{\mathsf T}(e^{16Bt}-I)B^{-1}W_0"
    ),
    uses=("nn-loss",),
    claims=(
        Identity(
            id="LT-T3",
            part="riccati",
            readings=(
                Reading(
                    document="P",
                    place="Theorem 3",
                    printed="gradient flow (c optimised out) in closed form, down to inf L from a generic start",
                    states=flow_converges,
                ),
            ),
            mutants=(
                Mutant(name="half-the-rate", states=lambda setting: _closed_form(4)),
                Mutant(name="from-any-start", states=from_any_start),
            ),
        ),
        Shape(
            id="LT-T3",
            part="start",
            readings=(
                Reading(
                    document="P",
                    place="Theorem 3",
                    printed="a start whose law has a density: without it there are starts that never reach inf L",
                    states=needs_a_density,
                ),
            ),
            mutants=(Mutant(name="from-any-start", states=from_any_start),),
        ),
    ),
)
