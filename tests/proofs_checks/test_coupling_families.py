"""The networks that are said to attain a term do: their gaps by exact sums over the signs, against the stated values.

Neurons of a group are alike, so f depends on the number of + signs in it only, whose law is binomial.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
import sympy as sp
from scipy.stats import binom

from proofs_checks import coupling_families as family

CONSTANT = 6.0
"""C of the cubic ReLU."""
ROUNDING = 1e-9
STAR = 0.3
"""B_x ||W_*||_{2,4}."""
Function = Callable[[np.ndarray], np.ndarray]


def _logistic_slope(z: np.ndarray) -> np.ndarray:
    """l'(f^Q + z) of the logistic loss placed where its third derivative is largest."""
    place = (3 - np.sqrt(3)) / 6
    return 1 / (1 + (1 - place) / place * np.exp(-z))


def _logistic_curvature(z: np.ndarray) -> np.ndarray:
    return _logistic_slope(z) * (1 - _logistic_slope(z))


@dataclass(frozen=True)
class Network:
    """Shares of all m neurons that move, those with a_r = +1 at u = c sqrt(d) and at u = 0; c = 1."""

    width: int
    inputs: float
    size: float
    far: float
    near: float

    @property
    def groups(self) -> list[tuple[float, int]]:
        return [(np.sqrt(self.inputs), round(self.far * self.width)), (0.0, round(self.near * self.width))]

    @property
    def movement(self) -> float:
        return self.size * ((self.far + self.near) * self.width) ** -0.25

    def sums(self, function: Callable[[float, float], float]) -> tuple[np.ndarray, np.ndarray]:
        """m^(-1/2) sum of function(u_r, eps_r h) for all counts of + signs, and their probabilities."""
        values, weights = np.zeros((1, 1)), np.ones((1, 1))
        for axis, (start, count) in enumerate(self.groups):
            plus = np.arange(count + 1)
            part = plus * function(start, self.movement) + (count - plus) * function(start, -self.movement)
            shape = (-1, 1) if axis == 0 else (1, -1)
            values = values + part.reshape(shape) / np.sqrt(self.width)
            weights = weights * binom.pmf(plus, count, 0.5).reshape(shape)
        return values, weights

    @property
    def quadratic(self) -> float:
        values, _ = self.sums(lambda u, e: 3 * max(u, 0.0) * e**2)
        return float(values.flat[0])

    def gap(self, slope: Function) -> float:
        """<grad L~ - grad L^Q, W> for l'(f^Q + z) = slope(z)."""
        moved, weights = self.sums(lambda u, e: max(u + e, 0.0) ** 3 - max(u, 0.0) ** 3)
        along, _ = self.sums(lambda u, e: 3 * max(u + e, 0.0) ** 2 * e)
        clean = slope(np.zeros(1))[0] * 2 * self.quadratic
        return float(np.sum(weights * slope(moved - self.quadratic) * along) - clean)

    def hessian_gap(self, slope: Function, curvature: Function, far: float, near: float) -> float:
        """E over Sigma' of (Hess L~ - Hess L^Q)[W_* Sigma', W_* Sigma'], <w_{*,r}, x>^2 = far or near by group."""
        squares = {self.groups[0][0]: far, self.groups[1][0]: near}
        moved, weights = self.sums(lambda u, e: max(u + e, 0.0) ** 3 - max(u, 0.0) ** 3)
        slopes, _ = self.sums(lambda u, e: 9 * max(u + e, 0.0) ** 4 * squares[u])
        bends, _ = self.sums(lambda u, e: 6 * max(u + e, 0.0) * squares[u])
        clean_slopes, _ = self.sums(lambda u, e: (6 * max(u, 0.0) * e) ** 2 * squares[u])
        clean_bends, _ = self.sums(lambda u, e: 6 * max(u, 0.0) * squares[u])
        rest, zero = moved - self.quadratic, np.zeros(1)
        randomised = np.sum(weights * (curvature(rest) * slopes / np.sqrt(self.width) + slope(rest) * bends))
        clean = curvature(zero)[0] * clean_slopes.flat[0] / np.sqrt(self.width) + slope(zero)[0] * clean_bends.flat[0]
        return float(randomised - clean)

    def value(self, expression: sp.Expr) -> float:
        given = {family.m: self.width, family.c: 1, family.C: CONSTANT, family.d: self.inputs, family.size: self.size}
        given |= {family.size_star: STAR}
        return float(expression.subs(given))


HALF, QUARTER = sp.Rational(1, 2), sp.Rational(1, 4)


@pytest.mark.parametrize("width", [8, 64, 512])
@pytest.mark.parametrize("inputs", [100.0, 10_000.0])
def test_the_linear_term_is_attained_where_it_is_large(width: int, inputs: float) -> None:
    network = Network(width, inputs, 5 * width**0.25 / inputs, 0.5, 0.0)
    root = network.value(family.linear_root(HALF)) / np.sqrt(3)
    assert network.value(family.quadratic(HALF)) < 1.5, "so that log cosh f^Q <= 1"
    assert network.quadratic == pytest.approx(network.value(family.quadratic(HALF)))
    assert network.gap(np.tanh) >= root**2 / (1 + root)


@pytest.mark.parametrize("width", [64, 512])
@pytest.mark.parametrize("inputs", [1.0, 9.0])
def test_the_second_term_is_attained_by_two_groups(width: int, inputs: float) -> None:
    network = Network(width, inputs, 0.08 * width**0.25 / inputs, 0.25, 0.25)
    mean, quadratic = network.value(family.mean_remainder(QUARTER)), network.value(family.quadratic(QUARTER))
    assert mean**2 <= 1 / (2 * np.sqrt(3))
    assert network.quadratic == pytest.approx(quadratic)
    assert network.gap(_logistic_slope) >= 2 * quadratic * mean / 6 * (1 - ROUNDING)


@pytest.mark.parametrize("width", [64, 512])
@pytest.mark.parametrize("inputs", [4.0, 100.0])
def test_the_last_term_is_attained_where_the_linear_one_is_small(width: int, inputs: float) -> None:
    network = Network(width, inputs, 0.08 * width**0.25 / inputs, 0.5, 0.0)
    variance, quadratic = network.value(family.linear_root(HALF)) ** 2, network.value(family.quadratic(HALF))
    assert variance <= 1 / (12 * np.sqrt(3))
    assert network.gap(_logistic_slope) >= 2 * quadratic * variance / (24 * np.sqrt(3)) * (1 - ROUNDING)


def test_the_slope_of_the_logistic_loss_is_above_its_expansion() -> None:
    z = np.linspace(-30, 30, 60_001)
    below = z / 6 + z**2 / (12 * np.sqrt(3)) - z**4 / 48
    assert np.all(_logistic_slope(z) - _logistic_slope(np.zeros(1)) >= below - ROUNDING)
    assert np.any(_logistic_slope(z) - _logistic_slope(np.zeros(1)) < z / 4 + z**2 / (12 * np.sqrt(3)) - z**4 / 48)


def test_at_zero_starts_the_gap_is_the_mean_of_the_sum() -> None:
    """l' = 1 there, f^Q = 0: 3 E f, with E f the mean remainder of half of the neurons."""
    network = Network(64, 1.0, 0.7, 0.0, 0.5)
    assert network.gap(np.ones_like) == pytest.approx(3 * network.value(family.mean_remainder(HALF)))


def test_hessians_at_zero_starts_differ_by_the_stated_amount() -> None:
    """l' = 1, l'' = 0: (C/4) 2^(3/4) rho kappa^2 m^(-1/4) exactly, half of the neurons moving and in W_*."""
    network = Network(64, 1.0, 0.7, 0.0, 0.5)
    square = STAR**2 / np.sqrt(32)
    claimed = CONSTANT / 4 * 2**0.75 * 0.7 * STAR**2 * 64**-0.25
    assert network.hessian_gap(np.ones_like, np.zeros_like, 0.0, square) == pytest.approx(claimed)


@pytest.mark.parametrize("width", [64, 512])
@pytest.mark.parametrize(("near", "inputs"), [(0.25, 1.0), (0.25, 9.0), (0.0, 9.0), (0.0, 100.0)])
def test_hessians_differ_by_the_stated_terms_less_the_last(width: int, near: float, inputs: float) -> None:
    """W_* is in the group at c sqrt(d); the clean part in l'', 1/6 of the last term, is all that may be lost."""
    network = Network(width, inputs, 0.08 * width**0.25 / inputs, 0.5 - near, near)
    share = sp.Rational(1, 2) - sp.Rational(near)
    square = STAR**2 / np.sqrt((0.5 - near) * width)
    moved, weights = network.sums(lambda u, e: max(u + e, 0.0) ** 3 - max(u, 0.0) ** 3)
    gain = np.sum(weights * _logistic_slope(moved - network.quadratic)) - _logistic_slope(np.zeros(1))[0]
    variance = network.value(family.linear_root(share)) ** 2
    mean = network.value(family.mean_remainder(sp.Rational(near)))
    assert gain >= (mean / 6 + variance / (24 * np.sqrt(3))) * (1 - ROUNDING)
    quadratic = CONSTANT / 2 * np.sqrt(inputs) * square * (0.5 - near) * np.sqrt(width)
    last = (CONSTANT * np.sqrt(inputs) * network.movement) ** 2 * square * (0.5 - near) / 6
    found = network.hessian_gap(_logistic_slope, _logistic_curvature, square, 0.0)
    assert found >= 2 * quadratic * gain - last - ROUNDING


def test_hessians_at_the_start_differ_by_the_first_part() -> None:
    """W -> 0, the logistic loss with l'' = 1/6: (1/6) (C c^2 d/2)^2 kappa^2 times the root of the share over m."""
    network = Network(64, 25.0, 1e-9, 0.5, 0.0)
    square = STAR**2 / np.sqrt(32)
    claimed = (CONSTANT / 2 * 25) ** 2 * square / 2 / 6
    assert network.hessian_gap(_logistic_slope, _logistic_curvature, square, 0.0) == pytest.approx(claimed, rel=1e-6)
