r"""How much of a quadratic function N random quadratic neurons fit, when N is of the order of d^2.

The functions <x, Ax> - Tr A + c form a space with norm 2 |A|^2 + c^2, and <w, x>^2 - 1 is its vector
(w w^T, |w|^2 - 1). For w ~ N(0, diag(g)), sum g = 1, its second moment M is 4 g_i g_j on each pair i < j, and on
diagonal matrices and constants, in orthonormal coordinates,

    [ 4 diag(g^2) + 2 g g^T    2 sqrt(2) g^2 ]
    [ 2 sqrt(2) (g^2)^T        2 |g|^2       ].

The projection P onto the span of N such vectors is equivalent to M (M + l)^-1 with Tr M (M + l)^-1 = N: the usual
deterministic equivalent of a projection on random vectors, not proved here, and compared with samples where it is used.
For N of order d, l N is close to Tr M and the risk is (12) of P to first order in N/d^2. Let N/(d^2/2) -> s in (0, 1)
and gamma = d g. The mean g and the constant have weights that l does not see; given them, 4/d^2 times

    diag(gamma^2) - gamma^2 (gamma^2)^T/|gamma|^2

is left on diagonal matrices, and with v = 1/(gamma^2 + l) and means over the spectrum the risk becomes

    min over z of Q(b - z gamma)/mean b^2,   Q(a) = l mean(v a^2) + mean(v gamma^2 a)^2/mean(v gamma^2),
    mean over pairs of gamma gamma'/(gamma gamma' + l) = s.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from typing import NamedTuple

import numpy as np
from flint import arb, ctx
from scipy.optimize import brentq


def _root(count: Callable[[float], float], top: float) -> float:
    """The l > 0 at which a decreasing function that is negative at `top` vanishes, to a few units of rounding."""
    low = top
    while count(low) < 0:
        low /= 16
    found = brentq(count, low, 16 * low, xtol=low * np.finfo(np.float64).eps, rtol=4 * np.finfo(np.float64).eps)
    return float(found)  # pyright: ignore[reportArgumentType]  (a float unless full_output is asked for)


class Moment(NamedTuple):
    """M: all its eigenvalues that are not zero, and those on diagonal matrices and constants with their vectors."""

    spectrum: np.ndarray
    values: np.ndarray
    vectors: np.ndarray


def second_moment(gamma: np.ndarray) -> Moment:
    """M for d Gamma = diag(gamma) of mean one."""
    d = len(gamma)
    g = gamma / d
    pairs = 4 * np.outer(g, g)[np.triu_indices(d, 1)]
    block = np.zeros((d + 1, d + 1))
    block[:d, :d] = 4 * np.diag(g**2) + 2 * np.outer(g, g)
    block[:d, d] = block[d, :d] = math.sqrt(8) * g**2
    block[d, d] = 2 * np.sum(g**2)
    values, vectors = np.linalg.eigh(block)
    values = np.maximum(values, 0.0)
    spectrum = np.concatenate([pairs, values])
    # Below rounding an eigenvalue is zero: Gamma may be singular.
    spectrum = spectrum[spectrum > len(spectrum) * np.finfo(np.float64).eps * spectrum.max()]
    return Moment(spectrum, values, vectors)


def equivalent_risk(moment: Moment, target: np.ndarray, neurons: int) -> float:
    """The equivalent of the risk over ||f||^2 at this d, B = diag(target); 0 where all is fitted."""
    spectrum = moment.spectrum
    if neurons >= len(spectrum):
        return 0.0
    top = float(spectrum.sum()) / neurons  # Tr M/(M + l) < Tr M/l
    ridge = _root(lambda level: float(np.sum(spectrum / (spectrum + level))) - neurons, top)
    components = moment.vectors[:-1].T @ (target / np.linalg.norm(target))
    return float(np.sum(ridge / (moment.values + ridge) * components**2))


class Atom(NamedTuple):
    """A pair (gamma, b) of eigenvalues and its share of the spectrum."""

    gamma: Fraction
    target: Fraction
    weight: Fraction


def _ball(number: Fraction) -> arb:
    return arb(number.numerator) / number.denominator


def _enclosed_ridge(atoms: Sequence[Atom], share: Fraction) -> arb:
    """The l of the limit: found in double precision, then enclosed by the signs of the equation on both sides."""
    weights: dict[Fraction, Fraction] = {}
    for atom in atoms:
        weights[atom.gamma] = weights.get(atom.gamma, Fraction(0)) + atom.weight
    values = np.array([float(gamma) for gamma in weights])
    parts = np.array([float(part) for part in weights.values()])
    products, pairs = np.outer(values, values), np.outer(parts, parts)
    found = arb(
        _root(lambda level: float(np.sum(pairs * products / (products + level))) - float(share), float(1 / share))
    )
    balls = [(_ball(gamma), _ball(part)) for gamma, part in weights.items()]

    def excess(level: arb) -> arb:
        terms = (p * q * g * h / (g * h + level) for (g, p), (h, q) in product(balls, repeat=2))
        return sum(terms, arb(0)) - _ball(share)

    for bits in (44, 36, 28, 20):
        slack = arb(2) ** -bits
        if excess(found * (1 - slack)) > 0 > excess(found * (1 + slack)):
            return found * arb(1, slack)
    raise ArithmeticError("the equation of the ridge could not be enclosed")


def limiting_risk(atoms: Sequence[Atom], share: Fraction) -> arb:
    """The limit above, enclosed, for weights that add up to one, gamma > 0 of mean one and 0 < s < 1."""
    with ctx.workprec(128):
        ridge = _enclosed_ridge(atoms, share)
        rows = [(_ball(g), _ball(b), _ball(w), 1 / (_ball(g) ** 2 + ridge)) for g, b, w in atoms]

        def form(first: int, second: int) -> arb:
            """Q as a bilinear form of gamma (0) and b (1)."""
            plain = sum((w * v * row[first] * row[second] for *row, w, v in rows), arb(0))
            one, other = (sum((w * v * row[0] ** 2 * row[k] for *row, w, v in rows), arb(0)) for k in (first, second))
            return ridge * plain + one * other / sum((w * v * row[0] ** 2 for *row, w, v in rows), arb(0))

        size = sum((w * b**2 for _, b, w, _ in rows), arb(0))
        return (form(1, 1) - form(0, 1) ** 2 / form(0, 0)) / size
