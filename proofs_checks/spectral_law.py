"""Spectral laws D on [0, inf) and their Stieltjes transforms, as certified balls.

For a law D with T ~ D and a >= 0 three functions are enclosed:

    S(a)  = E 1/(1 + a T)          the transform (`stieltjes`), decreasing and convex, S(0) = 1;
    W(a)  = 1 - S(a) = E a T/(1 + a T)   (`absorbed`), increasing and concave;
    W'(a) = -S'(a) = E T/(1 + a T)^2     (`slope`), decreasing.

Each is evaluated by a formula whose terms are all nonnegative (hypergeometric functions instead of
logarithms and arctangents), so that no digits cancel however small or large a is. All three are
monotone in a, so a ball of arguments is mapped to the hull of the values at its two end points.

>>> from flint import arb
>>> law = Uniform(0, 2)
>>> bool(law.stieltjes(arb(1)).overlaps(arb(3).log() / 2))
True
>>> law.mean, law.second_moment
(1, 4/3)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp
from flint import arb, ctx, fmpq

Exact = int | float | Fraction
"""A parameter: floats are taken as the exact dyadic numbers they are."""


class NotASpectralLawError(ValueError):
    """The parameters do not describe a probability law on [0, inf)."""


def _fraction(value: Any, name: str) -> Fraction:
    try:
        fraction = Fraction(value)
    except (ValueError, OverflowError, TypeError):
        raise NotASpectralLawError(f"{name} must be a finite number, and {value!r} is not") from None
    if fraction < 0:
        raise NotASpectralLawError(f"{name} must be nonnegative, and {value} is not")
    return fraction


def _fmpq(value: Exact) -> fmpq:
    return fmpq(*Fraction(value).as_integer_ratio())


def _ball(value: Exact) -> arb:
    return arb(_fmpq(value))


def _number(value: Exact) -> Any:
    """The SymPy Rational."""
    return sp.Rational(*Fraction(value).as_integer_ratio())


class SpectralLaw(ABC):
    """A law on [0, inf); subclasses give S, W, W' at an exact argument a > 0, and two moments."""

    @property
    @abstractmethod
    def mean(self) -> Any:
        """E T, a SymPy Rational."""

    @property
    @abstractmethod
    def second_moment(self) -> Any:
        """E T^2, a SymPy Rational."""

    @abstractmethod
    def _stieltjes(self, a: arb) -> arb: ...

    @abstractmethod
    def _absorbed(self, a: arb) -> arb: ...

    @abstractmethod
    def _slope(self, a: arb) -> arb: ...

    def stieltjes(self, a: arb) -> arb:
        """S(a) = E 1/(1 + a T)."""
        return _monotone(self._stieltjes, a, arb(1))

    def stieltjes_derivative(self, a: arb) -> arb:
        """S'(a) = -E T/(1 + a T)^2."""
        return -self.slope(a)

    def absorbed(self, a: arb) -> arb:
        """W(a) = 1 - S(a), with a relative radius that stays small as a -> 0."""
        return _monotone(self._absorbed, a, arb(0))

    def slope(self, a: arb) -> arb:
        """W'(a) = E T/(1 + a T)^2."""
        return _monotone(self._slope, a, _ball(Fraction(self.mean)))


def _monotone(function: Callable[[arb], arb], a: arb, at_zero: arb) -> arb:
    """The hull of a monotone function over a ball, from its values at the two end points."""
    if not a >= 0:
        raise ValueError(f"the transform is defined for a >= 0, and a = {a.str(8)} is not shown to be")

    def at(point: arb) -> arb:
        return at_zero if point == 0 else function(point)

    if a.is_exact():
        return at(a)
    return at(a.lower()).union(at(a.upper()))


@dataclass(frozen=True)
class PointMass(SpectralLaw):
    """T = t."""

    t: Exact

    def __post_init__(self) -> None:
        object.__setattr__(self, "t", _fraction(self.t, "the atom"))

    @property
    def mean(self) -> Any:
        return _number(self.t)

    @property
    def second_moment(self) -> Any:
        return self.mean**2

    def _stieltjes(self, a: arb) -> arb:
        return 1 / (1 + a * _ball(self.t))

    def _absorbed(self, a: arb) -> arb:
        at = a * _ball(self.t)
        return at / (1 + at)

    def _slope(self, a: arb) -> arb:
        t = _ball(self.t)
        return t / (1 + a * t) ** 2


@dataclass(frozen=True)
class FiniteSpectrum(SpectralLaw):
    """Atoms `values` with probabilities `weights` (equal if None); equal values are merged."""

    values: tuple[Exact, ...]
    weights: tuple[Exact, ...] | None = None

    def __post_init__(self) -> None:
        values = tuple(_fraction(value, "an eigenvalue") for value in self.values)
        if not values:
            raise NotASpectralLawError("a spectrum needs at least one eigenvalue")
        merged: dict[Fraction, Fraction] = {}
        if self.weights is None:
            merged = {t: Fraction(count, len(values)) for t, count in Counter(values).items()}
        else:
            weights = tuple(_fraction(weight, "a weight") for weight in self.weights)
            if len(weights) != len(values) or sum(weights) != 1:
                raise NotASpectralLawError("the weights must be one per eigenvalue and sum to 1 exactly")
            for value, weight in zip(values, weights, strict=True):
                merged[value] = merged.get(value, Fraction(0)) + weight
        atoms = sorted(merged)
        object.__setattr__(self, "values", tuple(atoms))
        object.__setattr__(self, "weights", tuple(merged[t] for t in atoms))

    @cached_property
    def _atoms(self) -> tuple[tuple[fmpq, fmpq], ...]:
        """(t, w) of each atom."""
        assert self.weights is not None
        return tuple((_fmpq(t), _fmpq(w)) for t, w in zip(self.values, self.weights, strict=True))

    @cached_property
    def _known_balls(self) -> dict[int, list[tuple[arb, arb, arb]]]:
        return {}

    def _balls(self) -> list[tuple[arb, arb, arb]]:
        """(t, w, w t) of each atom at the current precision; rounding them takes as long as a sum over them."""
        if ctx.prec not in self._known_balls:
            self._known_balls[ctx.prec] = [(arb(t), arb(w), arb(w * t)) for t, w in self._atoms]
        return self._known_balls[ctx.prec]

    @cached_property
    def _doubles(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Atoms and weights rounded to float64; None when one leaves the range of safe exponents."""
        assert self.weights is not None
        if any(x and not Fraction(1, 10**75) < x < 10**75 for x in (*self.values, *self.weights)):
            return None
        return np.array([float(t) for t in self.values]), np.array([float(w) for w in self.weights])

    def _sum(self, a: arb, exact: Callable[[arb], arb], double: Callable[[Any, Any, float], Any]) -> arb:
        """`exact(x)`, or at 53 bits and below the same sum in float64 with its rounding bound; x = 1/a.

        A sum of n nonnegative terms, each of at most 8 operations on inputs rounded to 1 ulp, has relative
        error below (n + 16) u, u = 2^-53, in any order of summation, as long as nothing leaves the range of
        normal numbers; rounding a, t or w by a relative u moves a term by at most 2u, and 16 covers both.
        The bound is doubled to absorb its second-order terms.
        """
        if ctx.prec <= 53 and self._doubles is not None and arb("1e-75") < a < arb("1e75"):
            t, w = self._doubles
            total = float(double(t, w, 1.0 / float(a)))
            return arb(total, total * 2.0**-52 * (len(t) + 16))
        return exact(1 / a)

    @property
    def mean(self) -> Any:
        return self._moment(1)

    @property
    def second_moment(self) -> Any:
        return self._moment(2)

    def _moment(self, order: int) -> Any:
        total = fmpq(0)
        for t, w in self._atoms:
            total += w * t**order
        return sp.Rational(int(total.p), int(total.q))

    def _stieltjes(self, a: arb) -> arb:
        return self._sum(
            a,
            lambda x: x * _total(w / (x + t) for t, w, _ in self._balls()),
            lambda t, w, x: x * np.sum(w / (x + t)),
        )

    def _absorbed(self, a: arb) -> arb:
        return self._sum(
            a,
            lambda x: _total(wt / (x + t) for t, _, wt in self._balls()),
            lambda t, w, x: np.sum(w * t / (x + t)),
        )

    def _slope(self, a: arb) -> arb:
        return self._sum(
            a,
            lambda x: x * x * _total(wt / (x + t) ** 2 for t, _, wt in self._balls()),
            lambda t, w, x: np.sum(w * t * (x / (x + t)) ** 2),
        )


def _total(terms: Iterable[arb]) -> arb:
    total = arb(0)
    for term in terms:
        total += term
    return total


def empirical_spectrum(gamma: np.ndarray) -> FiniteSpectrum:
    """The empirical spectrum of d*Gamma, from its eigenvalues (1-d) or the symmetric matrix itself (2-d).

    Floats are taken as exact. For a matrix they are the computed eigenvalues; those that rounding made
    negative by no more than the backward error d u ||.|| of a symmetric eigensolver are taken as zero.
    """
    array = np.asarray(gamma, dtype=np.float64)
    if array.ndim == 2:
        if array.shape[0] != array.shape[1] or not np.array_equal(array, array.T):
            raise NotASpectralLawError("Gamma must be a symmetric matrix or the list of its eigenvalues")
        array = np.linalg.eigvalsh(array)
        rounding = len(array) * np.finfo(np.float64).eps * np.max(np.abs(array))
        array = np.where((array < 0) & (array >= -rounding), 0.0, array)
    return FiniteSpectrum(tuple(array.tolist()))


@dataclass(frozen=True)
class Power(SpectralLaw):
    """T = scale u^p with u uniform on [0, 1] and p > 0; p = 1 is the uniform law on [0, scale].

    With c = a scale: S = 2F1(1, 1/p; 1 + 1/p; -c), W = c/(p+1) 2F1(1, 1 + 1/p; 2 + 1/p; -c) and
    W' = scale/(p+1) 2F1(2, 1 + 1/p; 2 + 1/p; -c).
    """

    scale: Exact
    p: Exact

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", _fraction(self.scale, "the scale"))
        object.__setattr__(self, "p", _fraction(self.p, "the exponent"))
        if self.p == 0:
            raise NotASpectralLawError("the exponent must be positive; exponent 0 is PointMass(scale)")

    @property
    def mean(self) -> Any:
        return _number(Fraction(self.scale) / (1 + Fraction(self.p)))

    @property
    def second_moment(self) -> Any:
        return _number(Fraction(self.scale) ** 2 / (1 + 2 * Fraction(self.p)))

    def _stieltjes(self, a: arb) -> arb:
        q = _ball(1 / Fraction(self.p))
        return (-a * _ball(self.scale)).hypgeom_2f1(1, q, 1 + q)

    def _absorbed(self, a: arb) -> arb:
        q = _ball(1 / Fraction(self.p))
        c = a * _ball(self.scale)
        return c * (-c).hypgeom_2f1(1, 1 + q, 2 + q) / (1 + _ball(self.p))

    def _slope(self, a: arb) -> arb:
        q = _ball(1 / Fraction(self.p))
        scale = _ball(self.scale)
        return scale * (-a * scale).hypgeom_2f1(2, 1 + q, 2 + q) / (1 + _ball(self.p))


@dataclass(frozen=True)
class Uniform(SpectralLaw):
    """T uniform on [low, high].

    T = low + V with V uniform on [0, high - low], so 1 + a T = (1 + a low)(1 + b V), b = a/(1 + a low),
    and the three functions are nonnegative combinations of those of V.
    """

    low: Exact
    high: Exact

    def __post_init__(self) -> None:
        object.__setattr__(self, "low", _fraction(self.low, "the lower end"))
        object.__setattr__(self, "high", _fraction(self.high, "the upper end"))
        if not self.low < self.high:
            raise NotASpectralLawError("the lower end must be below the upper end")

    @cached_property
    def _shifted(self) -> Power:
        return Power(Fraction(self.high) - Fraction(self.low), 1)

    @property
    def mean(self) -> Any:
        return _number((Fraction(self.low) + Fraction(self.high)) / 2)

    @property
    def second_moment(self) -> Any:
        low, high = Fraction(self.low), Fraction(self.high)
        return _number((low**2 + low * high + high**2) / 3)

    def _stieltjes(self, a: arb) -> arb:
        base = 1 + a * _ball(self.low)
        return self._shifted._stieltjes(a / base) / base

    def _absorbed(self, a: arb) -> arb:
        lowest = a * _ball(self.low)
        return (lowest + self._shifted._absorbed(a / (1 + lowest))) / (1 + lowest)

    def _slope(self, a: arb) -> arb:
        low = _ball(self.low)
        base = 1 + a * low
        width = _ball(Fraction(self.high) - Fraction(self.low))
        # E low/(1 + b V)^2 = low/(1 + b width), since the integral of (1 + b v)^-2 is elementary.
        return (low / (1 + a * width / base) + self._shifted._slope(a / base)) / base**2


@dataclass(frozen=True)
class Exponential(SpectralLaw):
    """T exponential with the given mean.

    With x = 1/(a mean) and Tricomi's U: S = x U(1, 1, x) = x e^x E_1(x), W = x U(2, 2, x),
    W' = mean x^2 U(2, 1, x).
    """

    expectation: Exact

    def __post_init__(self) -> None:
        object.__setattr__(self, "expectation", _fraction(self.expectation, "the mean"))
        if self.expectation == 0:
            raise NotASpectralLawError("the mean must be positive; mean 0 is PointMass(0)")

    @property
    def mean(self) -> Any:
        return _number(self.expectation)

    @property
    def second_moment(self) -> Any:
        return 2 * self.mean**2

    def _stieltjes(self, a: arb) -> arb:
        x = 1 / (a * _ball(self.expectation))
        return x * x.hypgeom_u(1, 1)

    def _absorbed(self, a: arb) -> arb:
        x = 1 / (a * _ball(self.expectation))
        return x * x.hypgeom_u(2, 2)

    def _slope(self, a: arb) -> arb:
        mean = _ball(self.expectation)
        x = 1 / (a * mean)
        return mean * x * x * x.hypgeom_u(2, 1)


@dataclass(frozen=True)
class MarchenkoPastur(SpectralLaw):
    """The limit spectrum of scale X X^T/n, X of size p x n, p/n -> ratio (above 1: atom 1 - 1/ratio at 0).

    With y = ratio, c = a scale: W is the smaller root of y c W^2 - (1 + c + y c) W + c = 0, that is
    W = 2c/(1 + c + y c + r), r^2 = (1 + c + y c)^2 - 4 y c^2 = (1 + c (sqrt y - 1)^2)(1 + c (sqrt y + 1)^2).
    Then S = 2/(1 + c - y c + r) and, by implicit differentiation, W' = scale S (1 - y W)/r.
    """

    ratio: Exact
    scale: Exact = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "ratio", _fraction(self.ratio, "the ratio"))
        object.__setattr__(self, "scale", _fraction(self.scale, "the scale"))
        if self.ratio == 0:
            raise NotASpectralLawError("the ratio must be positive; ratio 0 is PointMass(scale)")

    @property
    def mean(self) -> Any:
        return _number(self.scale)

    @property
    def second_moment(self) -> Any:
        return _number(Fraction(self.scale) ** 2 * (1 + Fraction(self.ratio)))

    def _root(self, a: arb) -> tuple[arb, arb, arb]:
        """(c, 1 + (1 - y) c, r), with 4 y c + (1 + (1 - y) c)^2 = r^2 as a sum of nonnegative terms."""
        c = a * _ball(self.scale)
        linear = 1 + c * _ball(1 - Fraction(self.ratio))
        return c, linear, (linear**2 + 4 * _ball(self.ratio) * c).sqrt()

    def _stieltjes(self, a: arb) -> arb:
        c, linear, root = self._root(a)
        if linear >= 0:
            return 2 / (linear + root)
        # Above ratio 1 the denominator cancels for large c; its conjugate does not.
        return (root - linear) / (2 * _ball(self.ratio) * c)

    def _absorbed(self, a: arb) -> arb:
        c, linear, root = self._root(a)
        return 2 * c / (linear + 2 * _ball(self.ratio) * c + root)

    def _slope(self, a: arb) -> arb:
        c, linear, root = self._root(a)
        y = _ball(self.ratio)
        # 1 - y W = (1 + c - y c + r)/(1 + c + y c + r) = 2/(S (1 + c + y c + r)): no subtraction is left.
        return 2 * _ball(self.scale) / (root * (linear + 2 * y * c + root))
