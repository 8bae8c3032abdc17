"""The matrices of the mixture of Gaussians by name: Sigma, Delta and the weights' Gamma.

x | y ~ N(0, Sigma - y Delta). Sigma and Gamma are diagonal in one basis, with spectra as in `spectra.py`; sqrt(d)
Delta has a named spectrum too, in the same basis (aligned by index) or, for "rotated" names, in a basis turned by
one fixed rotation for each d. Gamma is scaled to Tr(Gamma Sigma) = 1 (assumption B2), at each d and in the limit.

In dimension d quantities are those of the float64 arrays that a simulator receives, as balls whose radius bounds
the rounding of the sums. In the limit sums become integrals; a rotated Delta is then free from Sigma and Gamma, so
that Tr(Delta Gamma) and ||Sigma^-1/2 Delta Sigma^-1/2||^2 need the first two moments of the spectra only.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import sympy as sp
from flint import arb, ctx

from proofs_checks.ball_function import number_ball
from proofs_checks.spectral_law import FiniteSpectrum, SpectralLaw
from theorems.claim import BadInput, Decision, Hypothesis, Setting
from theorems.spectra import PROPORTIONAL_TO_B, WORKING_BITS, Spectrum, gamma_is_covariance, spectrum, u

ROTATED = "rotated"
SMALLEST_DIMENSION = 24
"""The first rung of the ladders: there, as everywhere above, both classes must have a density."""


@dataclass(frozen=True)
class Tilt:
    """sqrt(d) Delta: its spectrum and whether it is turned against the basis of Sigma."""

    spectrum: Spectrum
    rotated: bool


@cache
def tilt(name: str) -> Tilt:
    """Delta by name: uniform3 is {2, 3/2, 1} in thirds, "rotated" that spectrum in a turned basis.

    >>> tilt("rotated:1,-1").rotated
    True
    """
    if name == ROTATED:
        return Tilt(spectrum(_plain("uniform3")), True)
    prefix, separator, rest = name.partition(":")
    if separator and prefix == ROTATED:
        return Tilt(spectrum(_plain(rest)), True)
    return Tilt(spectrum(_plain(name)), False)


def _plain(name: str) -> str:
    return "2,3/2,1" if name == "uniform3" else name


@cache
def sigma_spectrum(name: str) -> Spectrum:
    """Sigma by name; "identity" is isotropic."""
    return spectrum("isotropic" if name == "identity" else name)


# --- in dimension d -----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Matrices:
    """What a simulator receives: eigenvalues of Sigma and of d Gamma, Delta (a vector if diagonal)."""

    sigma: np.ndarray
    gamma: np.ndarray
    delta: np.ndarray

    @property
    def whitened(self) -> np.ndarray:
        """Sigma^-1/2 Delta Sigma^-1/2."""
        scale = self.sigma if self.delta.ndim == 1 else np.sqrt(np.outer(self.sigma, self.sigma))
        return self.delta / scale

    @property
    def tilt_eigenvalues(self) -> np.ndarray:
        """The eigenvalues of Sigma^-1/2 Delta Sigma^-1/2."""
        return self.whitened if self.delta.ndim == 1 else np.linalg.eigvalsh(self.whitened)


@cache
def _rotation(dimension: int) -> np.ndarray:
    """One Haar rotation for each d, the same in every run."""
    return np.linalg.qr(np.random.default_rng(dimension).standard_normal((dimension, dimension)))[0]


@cache
def _matrices(delta_name: str, sigma_name: str, gamma_name: str, dimension: int) -> Matrices:
    found = tilt(delta_name)
    delta = found.spectrum.eigenvalues(dimension) / np.sqrt(dimension)
    if found.rotated:
        basis = _rotation(dimension)
        delta = (basis * delta) @ basis.T
        delta = (delta + delta.T) / 2
    sigma = sigma_spectrum(sigma_name).eigenvalues(dimension)
    gamma = spectrum(gamma_name).eigenvalues(dimension)
    return Matrices(sigma, gamma / np.mean(gamma * sigma), delta)


def matrices(setting: Setting) -> Matrices:
    """Sigma, Gamma and Delta in the dimension of the setting (Sigma = I, Gamma = I/d where it has none)."""
    assert setting.dimension is not None
    sigma, gamma = setting.parameters.get("Sigma", "isotropic"), setting.parameters.get("Gamma", "isotropic")
    return _matrices(setting["Delta"], sigma, gamma, setting.dimension)


def _sum_ball(terms: np.ndarray) -> arb:
    """The sum of float64 terms that each carry at most eight roundings."""
    bound = (terms.size + 8) * np.finfo(np.float64).eps * float(np.sum(np.abs(terms)))
    return arb(float(np.sum(terms)), bound)


def _square(value: arb) -> arb:
    """By a product: python-flint's power of a ball around zero is not a number."""
    return value * value


# --- what the risks depend on -------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Figures:
    """zeta_1 = d Tr(Sigma Gamma Sigma Gamma)/2, zeta_2 = d Tr(Delta Gamma)^2/4, the law of d Gamma Sigma,

    delta_norm2 = ||Sigma^-1/2 Delta Sigma^-1/2||_F^2 and delta_trace2 = Tr(Sigma^-1 Delta)^2/d.
    """

    zeta_1: arb
    zeta_2: arb
    law: SpectralLaw
    delta_norm2: arb
    delta_trace2: arb


def figures(setting: Setting) -> Figures:
    """The figures at the setting's d exactly, or in the limit."""
    sigma, gamma = setting.parameters.get("Sigma", "isotropic"), setting.parameters.get("Gamma", "isotropic")
    with ctx.workprec(WORKING_BITS):
        return _figures(setting["Delta"], sigma, gamma, setting.dimension)


@cache
def _figures(delta_name: str, sigma_name: str, gamma_name: str, dimension: int | None) -> Figures:
    if dimension is None:
        return _limiting_figures(delta_name, sigma_name, gamma_name)
    at = _matrices(delta_name, sigma_name, gamma_name, dimension)
    diagonal = at.delta if at.delta.ndim == 1 else np.diagonal(at.delta)
    spread = at.gamma * at.sigma
    return Figures(
        _sum_ball(spread**2) / (2 * dimension),
        _square(_sum_ball(diagonal * at.gamma)) / (4 * dimension),
        FiniteSpectrum(tuple(spread.tolist())),
        _sum_ball(at.whitened**2),
        _square(_sum_ball(diagonal / at.sigma)) / dimension,
    )


@dataclass(frozen=True)
class _Cell:
    """An interval of u on which sqrt(d) Delta, Sigma and Gamma are each one constant or one function of u."""

    low: Fraction
    high: Fraction
    delta: Any
    sigma: Any
    gamma: Any

    @property
    def length(self) -> Fraction:
        return self.high - self.low


def _cells(*factors: Spectrum) -> Iterator[_Cell]:
    """The common refinement of the pieces of sqrt(d) Delta, Sigma and Gamma."""
    starts = [[piece.low for piece in factor.quantile] for factor in factors]
    for low, high in pairwise(sorted({*(start for column in starts for start in column), Fraction(1)})):
        values = [
            factor.quantile[bisect_right(column, low) - 1].value for factor, column in zip(factors, starts, strict=True)
        ]
        yield _Cell(low, high, *values)


def _mean(cells: tuple[_Cell, ...], value: Any) -> Any:
    """The exact integral over u."""
    return sum((_integral(value(cell), cell.low, cell.high) for cell in cells), sp.Integer(0))


def _integral(value: Any, low: Fraction, high: Fraction) -> Any:
    ends = [sp.Rational(*end.as_integer_ratio()) for end in (low, high)]
    return value * (ends[1] - ends[0]) if value.is_number else sp.integrate(value, (u, *ends))


def _limiting_cells(delta_name: str, sigma_name: str, gamma_name: str) -> tuple[_Cell, ...]:
    cells = tuple(_cells(tilt(delta_name).spectrum, sigma_spectrum(sigma_name), spectrum(gamma_name)))
    scale = _mean(cells, lambda cell: cell.gamma * cell.sigma)
    return tuple(replace(cell, gamma=cell.gamma / scale) for cell in cells)


def _limiting_figures(delta_name: str, sigma_name: str, gamma_name: str) -> Figures:
    cells = _limiting_cells(delta_name, sigma_name, gamma_name)
    first, second = _mean(cells, lambda cell: cell.delta), _mean(cells, lambda cell: cell.delta**2)
    if tilt(delta_name).rotated:
        overlap = first * _mean(cells, lambda cell: cell.gamma)
        inverse, inverse2 = _mean(cells, lambda cell: 1 / cell.sigma), _mean(cells, lambda cell: cell.sigma**-2)
        norm2, trace = first**2 * inverse2 + (second - first**2) * inverse**2, first * inverse
    else:
        overlap = _mean(cells, lambda cell: cell.delta * cell.gamma)
        norm2 = _mean(cells, lambda cell: (cell.delta / cell.sigma) ** 2)
        trace = _mean(cells, lambda cell: cell.delta / cell.sigma)
    zeta_1, zeta_2 = _mean(cells, lambda cell: (cell.gamma * cell.sigma) ** 2) / 2, overlap**2 / 4
    law = _limiting_law(cells, gamma_name)
    return Figures(number_ball(zeta_1), number_ball(zeta_2), law, number_ball(norm2), number_ball(trace**2))


def _limiting_law(cells: tuple[_Cell, ...], gamma_name: str) -> SpectralLaw:
    """The law of d Gamma Sigma."""
    products = [cell.gamma * cell.sigma for cell in cells]
    if all(product.is_number for product in products):
        atoms = tuple(Fraction(int(product.p), int(product.q)) for product in products)
        return FiniteSpectrum(atoms, tuple(cell.length for cell in cells))
    if len({cell.sigma for cell in cells}) > 1:
        raise BadInput("With this Sigma, give Gamma as a list of rationals or by the name of a step spectrum.")
    return spectrum(gamma_name).limiting_law()


def top_energy(setting: Setting, count: int, ratio: Fraction) -> arb:
    """The sum of the `count` largest squares among the eigenvalues of Sigma^-1/2 Delta Sigma^-1/2.

    In the limit the largest `ratio` of them.
    """
    if setting.dimension is not None:
        squares = np.sort(matrices(setting).tilt_eigenvalues ** 2)[::-1]
        # An eigenvalue is off by d units of rounding at most (the whitened matrix has norm below one).
        slack = 4.0 * setting.dimension * np.finfo(np.float64).eps * count
        return _sum_ball(squares[:count]) + arb(0, slack)
    sigma = setting.parameters.get("Sigma", "isotropic")
    cells = _limiting_cells(setting["Delta"], sigma, "isotropic")
    if tilt(setting["Delta"]).rotated and len({cell.sigma for cell in cells}) > 1:
        raise BadInput("The limiting singular values of a rotated Delta with this Sigma are not known here.")
    left, total = min(ratio, Fraction(1)), sp.Integer(0)
    if not all(cell.delta.is_number for cell in cells):
        if len(cells) != 1:
            raise BadInput("With this Sigma, give Delta as a list of rationals or by the name of a step spectrum.")
        # One function of u, increasing from 0: the largest share is the last one.
        (whole,) = cells
        return number_ball(_integral((whole.delta / whole.sigma) ** 2, 1 - left, Fraction(1)))
    for square, length in sorted((((cell.delta / cell.sigma) ** 2, cell.length) for cell in cells), reverse=True):
        taken = min(left, length)
        total += square * sp.Rational(*taken.as_integer_ratio())
        left -= taken
    return number_ball(total)


# --- hypotheses ---------------------------------------------------------------------------------------


def _ends(found: Spectrum) -> list[Any]:
    return [
        piece.value.subs(u, sp.Rational(*end.as_integer_ratio()))
        for piece in found.quantile
        for end in (piece.low, piece.high)
    ]


def _m1(setting: Setting) -> Decision:
    found = sigma_spectrum(setting.parameters.get("Sigma", "isotropic"))
    if found.bounded and min(_ends(found)) > 0:
        return Decision(
            True, f"the eigenvalues of {found.name} lie between {min(_ends(found))} and {max(_ends(found))}."
        )
    return Decision(False, f"the eigenvalues of {found.name} are not bounded away from 0 and infinity.")


def _m2(setting: Setting) -> Decision:
    found = tilt(setting["Delta"]).spectrum
    if not found.bounded:
        return Decision(False, f"sqrt(d) times the largest eigenvalue of {found.name} grows without bound.")
    if all(value == 0 for value in _ends(found)):
        return Decision(False, "Delta is zero: the classes are the same.")
    return Decision(True, f"sqrt(d) ||Delta||_op tends to {max(map(abs, _ends(found)))}.")


def _densities(setting: Setting) -> Decision:
    if not (_m1(setting).holds and _m2(setting).holds):
        return Decision(None, "Sigma or Delta is out of bounds already.")
    largest = max(map(abs, _ends(tilt(setting["Delta"]).spectrum)))
    least = min(_ends(sigma_spectrum(setting.parameters.get("Sigma", "isotropic"))))
    if largest**2 < SMALLEST_DIMENSION * least**2:
        return Decision(True, f"Sigma -+ Delta is positive definite from d = {SMALLEST_DIMENSION} on.")
    return Decision(
        False, f"Sigma -+ Delta is not positive definite at d = {SMALLEST_DIMENSION}: take a smaller Delta."
    )


def _b2(setting: Setting) -> Decision:
    if setting["Gamma"] == PROPORTIONAL_TO_B:
        return Decision(False, "there is no B in a mixture: give Gamma a spectrum of its own.")
    found = gamma_is_covariance(setting["Gamma"], setting["Gamma"])
    if found.holds and not spectrum(setting["Gamma"]).bounded:
        return Decision(False, f"the largest eigenvalue of {setting['Gamma']} grows without bound.")
    return found


M1 = Hypothesis(name="M1", text="c_1 I <= Sigma <= c_2 I", check=_m1)
M2 = Hypothesis(name="M2", text="||Delta||_op is of order 1/sqrt d", check=_m2)
DENSITIES = Hypothesis(name="densities", text="Sigma - Delta and Sigma + Delta are positive definite", check=_densities)
B2 = Hypothesis(name="B2", text="Tr(Gamma Sigma) = 1, ||d Gamma||_op bounded, its spectrum converges", check=_b2)
