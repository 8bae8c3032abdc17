"""The risk of fully trained quadratic neurons relative to ||f||^2, and the gap to the tangent class.

N neurons with weights 1 fit the N largest positive eigenvalues of B (P, Theorem 3), so that for B >= 0 the least risk
is 2 sum_{i>N} lambda_i^2, and over ||f||^2 = 2 ||B||^2 the share of the tail: in the limit the integral of q^2 over u
< 1 - rho for a spectrum with increasing quantile function q.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import flint
import sympy as sp
from flint import arb

from proofs_checks.ball_function import number_ball
from proofs_checks.quadratic_landscape import least_risk
from proofs_checks.tail_energy import tangent
from simulate.neural_tangent import projector_risk_cost
from theorems.claim import Decision, Hypothesis, Observation, Setting
from theorems.lazy_training.nt_risk import positive_part, symbols
from theorems.lazy_training.width import actual_ratio, neurons
from theorems.spectra import WORKING_BITS, Piece, spectrum, u


def _is_nonnegative(setting: Setting) -> Decision:
    chosen = spectrum(setting["B"])
    return Decision(
        chosen.nonnegative, f"B = {chosen.name} has {'no' if chosen.nonnegative else 'a'} negative eigenvalue"
    )


NONNEGATIVE = Hypothesis(name="B >= 0", text="B is positive semidefinite", check=_is_nonnegative)


def finite_share(eigenvalues: list[float], width: int) -> arb:
    """inf L/(2 ||B||^2) from the very eigenvalues, taken as exact."""
    exact = [Fraction(value) for value in eigenvalues]
    share = least_risk(exact, width) / (2 * sum(value**2 for value in exact))
    with flint.ctx.workprec(WORKING_BITS):
        return arb(share.numerator) / share.denominator


def _energy(piece: Piece, end: Any) -> Any:
    """The integral of q^2 over this piece, up to u = end."""
    low, high = sp.Rational(*piece.low.as_integer_ratio()), sp.Rational(*piece.high.as_integer_ratio())
    top = sp.Min(high, end)
    return sp.Integer(0) if top <= low else sp.integrate(sp.expand(piece.value**2), (u, low, top))


def _increasing_pieces(name: str) -> tuple[Piece, ...]:
    """The pieces in increasing order of their values: a list of numbers keeps the order in which it was typed."""
    pieces = spectrum(name).quantile
    if len(pieces) == 1:
        return pieces
    placed, low = [], Fraction(0)
    for piece in sorted(pieces, key=lambda piece: piece.value):  # several pieces are constants
        high = low + piece.high - piece.low
        placed.append(Piece(low, high, piece.value))
        low = high
    return tuple(placed)


def tail_share(setting: Setting) -> arb:
    """inf L/||f||^2 for B >= 0, at this d or in the limit."""
    if setting.dimension is not None:
        values = spectrum(setting["B"]).eigenvalues(setting.dimension).tolist()
        return finite_share(values, neurons(setting))
    ratio = min(actual_ratio(setting), Fraction(1))
    pieces = _increasing_pieces(setting["B"])
    end = 1 - sp.Rational(*ratio.as_integer_ratio())
    total = sum(_energy(piece, sp.Integer(1)) for piece in pieces)
    with flint.ctx.workprec(WORKING_BITS):
        return number_ball(sp.sympify(sum(_energy(piece, end) for piece in pieces))) / number_ball(sp.sympify(total))


def gap(setting: Setting) -> arb:
    """The limit of the tangent risk minus the trained risk, over ||f||^2, at the spectrum and N/d of this d."""
    value = symbols(setting)
    difference = tangent(positive_part(value["rho"]), value["t"]) - tail_share(setting)
    # At least min(rho, 1-rho)^2 (1 - t), far above the radius, but for B proportional to I, where it is zero exactly.
    return arb(0) if difference.contains(0) else difference


def observe_gap(setting: Setting) -> Observation:
    """The gap given the tangent weights."""
    assert setting.dimension is not None
    width = neurons(setting)
    return Observation(
        simulator="simulate.quadratic_network:tangent_minus_trained",
        dimension=setting.dimension,
        arguments={"neurons": width, "target": spectrum(setting["B"]).eigenvalues(setting.dimension)},
        cost=projector_risk_cost(setting.dimension, width),
    )
