"""Spectra of the target B and of the weight covariance Gamma, by name.

A spectrum is a function q of u in [0, 1]: in dimension d the eigenvalues are q((i - 1/2)/d), i = 1..d,
and as d grows sums over the eigenvalues become integrals over u. B and Gamma are diagonal in the same
basis and aligned by index, so the limit of <Gamma, B> is the integral of the product of their q.

d Gamma is normalised to mean eigenvalue 1 (Tr Gamma = 1), at each d and in the limit. In dimension d
every quantity is computed from the very float64 eigenvalues that a simulator receives, taken as exact.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import numpy as np
import sympy as sp
from flint import arb, ctx

from proofs_checks.ball_function import number_ball
from proofs_checks.spectral_law import Exponential, FiniteSpectrum, PointMass, Power, SpectralLaw
from theorems.claim import BadInput, Decision

u = sp.Symbol("u", nonnegative=True)

PROPORTIONAL_TO_B = "proportional_to_B"
LONGEST_LIST = 4096
WORKING_BITS = 256
"""Enough that the sums below have relative radius under 1e-60 for any d in reach."""


@dataclass(frozen=True)
class Piece:
    """q(u) = value on low <= u < high: a rational constant, or a monotone function of u."""

    low: Fraction
    high: Fraction
    value: Any


@dataclass(frozen=True)
class Spectrum:
    """A named spectrum: q in exact consecutive pieces that cover [0, 1], its sign and its boundedness."""

    name: str
    quantile: tuple[Piece, ...]
    nonnegative: bool
    bounded: bool = True

    def eigenvalues(self, dimension: int) -> np.ndarray:
        """q((i - 1/2)/d) for i = 1..d, as float64."""
        odd = 2 * np.arange(1, dimension + 1) - 1  # u = odd/(2 d), compared with the ends exactly
        values = np.empty(dimension)
        for piece in self.quantile:
            ends = (-(-2 * dimension * end.numerator // end.denominator) for end in (piece.low, piece.high))
            inside = slice(*np.searchsorted(odd, list(ends)).tolist())
            if piece.value.is_number:
                values[inside] = float(piece.value)
            else:
                values[inside] = sp.lambdify(u, piece.value, modules="numpy")(odd[inside] / (2.0 * dimension))
        return values

    def limiting_law(self) -> SpectralLaw:
        """The law of q(u)/mean, u uniform: the limit of a nonnegative spectrum normalised to mean 1."""
        mean = Fraction(_integral(self))
        values = [piece.value for piece in self.quantile]
        if values == [EXPONENTIAL_QUANTILE]:
            return Exponential(1 / mean)
        if not values[0].is_number:
            (leading,) = sp.Poly(values[0], u).terms()  # a monomial: c u^p
            return Power(Fraction(leading[1]) / mean, leading[0][0])
        atoms = tuple(Fraction(value) / mean for value in values)
        if len(set(atoms)) == 1:
            return PointMass(atoms[0])
        return FiniteSpectrum(atoms, tuple(piece.high - piece.low for piece in self.quantile))


EXPONENTIAL_QUANTILE = -sp.log(1 - u)


def _rational(number: Fraction | int) -> Any:
    return sp.Rational(*number.as_integer_ratio())


def _constants(name: str, *parts: tuple[Fraction | int, Fraction]) -> Spectrum:
    """Consecutive constant pieces given as (value, length)."""
    pieces, low = [], Fraction(0)
    for value, length in parts:
        pieces.append(Piece(low, low + length, _rational(value)))
        low += length
    return Spectrum(name, tuple(pieces), nonnegative=all(value >= 0 for value, _ in parts))


def _increasing(name: str, value: Any, *, bounded: bool = True) -> Spectrum:
    """One function of u on the whole interval, increasing from 0."""
    return Spectrum(name, (Piece(Fraction(0), Fraction(1), value),), nonnegative=True, bounded=bounded)


_HALF = Fraction(1, 2)
NAMED: Mapping[str, Spectrum] = MappingProxyType(
    {
        named.name: named
        for named in (
            _constants("isotropic", (1, Fraction(1))),
            _increasing("exp1", EXPONENTIAL_QUANTILE, bounded=False),
            _constants("two_point", (1, _HALF), (3, _HALF)),
            _increasing("power_law", u**2),
            _constants("low_rank", (0, Fraction(7, 8)), (1, Fraction(1, 8))),
            _constants("indefinite", (-1, _HALF), (2, _HALF)),
            _constants("traceless", (-1, _HALF), (1, _HALF)),
            _increasing("uniform", u),
        )
    }
)
TARGET_NAMES = tuple(NAMED)
GAMMA_NAMES = (*(name for name, named in NAMED.items() if named.nonnegative), PROPORTIONAL_TO_B)

_RATIONAL = re.compile(r"[+-]?(\d{1,30}/\d{1,30}|(\d{1,30}(\.\d{0,30})?|\.\d{1,30})([eE][+-]?\d{1,2})?)", re.ASCII)


@cache
def spectrum(name: str) -> Spectrum:
    """The spectrum of that name, or of an explicit list of rationals such as "1,2,-3" (equal weights).

    A list keeps its order: the i-th of n numbers fills the i-th n-th of the index range.

    >>> spectrum("1, 1/2").eigenvalues(4).tolist()
    [1.0, 1.0, 0.5, 0.5]
    """
    return _lookup(name, TARGET_NAMES)


def _lookup(name: str, offered: Sequence[str]) -> Spectrum:
    if name in NAMED:
        return NAMED[name]
    entries = [entry.strip() for entry in name.split(",", LONGEST_LIST)]
    if not all(map(_is_rational, entries)):
        shown = name if len(name) <= 40 else name[:37] + "..."
        raise BadInput(
            f"{shown!r} is not a spectrum: use one of {', '.join(offered)}, or a comma-separated list of at "
            f"most {LONGEST_LIST} rational eigenvalues such as 1,2,3."
        )
    return _constants(name, *((Fraction(entry), Fraction(1, len(entries))) for entry in entries))


def _is_rational(entry: str) -> bool:
    # The pattern bounds digits and exponent, so that no short text makes a gigantic number.
    return bool(_RATIONAL.fullmatch(entry)) and not ("/" in entry and int(entry.split("/")[1]) == 0)


@cache
def gamma_spectrum(gamma_name: str, target_name: str) -> Spectrum:
    """The spectrum of Gamma before normalisation; BadInput if it is not a covariance."""
    chosen = _gamma_candidate(gamma_name, target_name)
    admissible = gamma_is_covariance(gamma_name, target_name)
    if not admissible.holds:
        raise BadInput(admissible.reason)
    return chosen


def _gamma_candidate(gamma_name: str, target_name: str) -> Spectrum:
    return spectrum(target_name) if gamma_name == PROPORTIONAL_TO_B else _lookup(gamma_name, GAMMA_NAMES)


def gamma_is_covariance(gamma_name: str, target_name: str) -> Decision:
    """Whether Gamma of that name is nonnegative and nonzero; BadInput for an unknown name."""
    chosen = _gamma_candidate(gamma_name, target_name)
    if not chosen.nonnegative:
        need = "Gamma proportional to B needs B >= 0" if gamma_name == PROPORTIONAL_TO_B else "Gamma must be >= 0"
        return Decision(False, f"{need}, and {chosen.name} has negative eigenvalues.")
    if all(piece.value == 0 for piece in chosen.quantile):
        return Decision(False, "Gamma must not be zero: give it at least one positive eigenvalue.")
    return Decision(True, "Gamma is nonnegative and has trace 1.")


@cache
def _gamma_eigenvalues(gamma_name: str, target_name: str, dimension: int) -> np.ndarray:
    values = gamma_spectrum(gamma_name, target_name).eigenvalues(dimension)
    mean = np.mean(values)
    if mean == 0:
        raise BadInput(f"Gamma = {gamma_name} vanishes in dimension {dimension}: take a larger dimension.")
    values = values / mean
    values.setflags(write=False)
    return values


def gamma_eigenvalues(gamma_name: str, target_name: str, dimension: int) -> np.ndarray:
    """The eigenvalues of d Gamma in dimension d: mean 1 up to rounding (a read-only array)."""
    return _gamma_eigenvalues(gamma_name, target_name, dimension)


@dataclass(frozen=True, eq=False)
class Alignment:
    """What the risks depend on, in dimension d or in the limit.

    t = Tr(B)^2/(d ||B||^2), overlap = d <Gamma,B>^2/||B||^2, concentration = d ||Gamma||^2,
    cosine2 = <Gamma,B>^2/(||Gamma||^2 ||B||^2), law = the spectral law of d Gamma.
    """

    t: arb
    overlap: arb
    concentration: arb
    cosine2: arb
    law: SpectralLaw


@cache
def alignment(gamma_name: str, target_name: str, dimension: int | None) -> Alignment:
    """The alignment of Gamma and B by name, in dimension d exactly or (None) in the limit."""
    gamma, target = gamma_spectrum(gamma_name, target_name), spectrum(target_name)
    with ctx.workprec(WORKING_BITS):
        if dimension is None:
            mean = _integral_ball(gamma)
            b, bb = _integral_ball(target), _integral_ball(target, target)
            gb, gg = _integral_ball(gamma, target) / mean, _integral_ball(gamma, gamma) / mean**2
            law = gamma.limiting_law()
        else:
            eigenvalues = gamma_eigenvalues(gamma_name, target_name, dimension)
            g, beta = (
                [arb(x) for x in eigenvalues.tolist()],
                [arb(x) for x in target.eigenvalues(dimension).tolist()],
            )
            b, bb = sum(beta, arb(0)) / dimension, sum((y * y for y in beta), arb(0)) / dimension
            gb = sum((x * y for x, y in zip(g, beta, strict=True)), arb(0)) / dimension
            gg = sum((x * x for x in g), arb(0)) / dimension
            law = FiniteSpectrum(tuple(eigenvalues.tolist()))
        if not bb > 0:
            where = "" if dimension is None else f" in dimension {dimension}"
            raise BadInput(f"B = {target_name} is zero{where}: the risk is relative to ||f||.")
        return Alignment(b**2 / bb, gb**2 / bb, gg, gb**2 / (gg * bb), law)


def operator_norm(gamma_name: str, target_name: str, dimension: int | None) -> arb:
    """||d Gamma||_op in dimension d, or its limit (infinite for an unbounded spectrum)."""
    if dimension is not None:
        return arb(float(np.max(gamma_eigenvalues(gamma_name, target_name, dimension))))
    gamma = gamma_spectrum(gamma_name, target_name)
    if not gamma.bounded:
        return arb.pos_inf()
    with ctx.workprec(WORKING_BITS):
        # Every bounded q is monotone on each piece, so its supremum sits at an end of a piece.
        ends = (piece.value.subs(u, _rational(end)) for piece in gamma.quantile for end in (piece.low, piece.high))
        return number_ball(sp.Max(*ends)) / _integral_ball(gamma)


def bounded_operator_norm(gamma_name: str, target_name: str) -> Decision:
    """Whether sup over d of ||d Gamma||_op is finite (assumption A2)."""
    gamma = gamma_spectrum(gamma_name, target_name)
    if gamma.bounded:
        return Decision(True, f"the spectrum {gamma.name} is bounded, so ||d Gamma||_op is.")
    return Decision(
        False,
        f"the largest eigenvalue of {gamma.name} grows like log(2 d): ||d Gamma||_op has no bound in d.",
    )


@cache
def _integral(*factors: Spectrum) -> Any:
    """The exact integral over u in [0, 1] of the product, over the common refinement of the pieces."""
    starts = [[piece.low for piece in factor.quantile] for factor in factors]
    ends = sorted({*(start for column in starts for start in column), Fraction(1)})
    total = sp.Integer(0)
    for low, high in pairwise(ends):
        value = sp.Integer(1)
        for factor, column in zip(factors, starts, strict=True):
            value *= factor.quantile[bisect_right(column, low) - 1].value
        if value.is_number:
            total += value * _rational(high - low)
        else:
            antiderivative = _antiderivative(value)
            total += antiderivative.subs(_v, _rational(1 - low)) - (
                antiderivative.subs(_v, _rational(1 - high)) if high < 1 else 0
            )
    return sp.expand(total)


_v = sp.Symbol("v", positive=True)


@cache
def _antiderivative(value: Any) -> Any:
    """The integral of value(u) from 1 - v to 1, as a function of v.

    In v = 1 - u each product of the named functions is a sum of v^j log(v)^m, j >= 0, and SymPy's
    antiderivative of that vanishes at v = 0.
    """
    return sp.integrate(sp.expand(value.subs(u, 1 - _v)), _v)


def _integral_ball(*factors: Spectrum) -> arb:
    return number_ball(_integral(*factors))
