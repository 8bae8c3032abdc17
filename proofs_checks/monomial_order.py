r"""When a monomial is at most a constant times a sum of monomials, for all positive variables in a region.

The region is g_1 >= 1, ..., g_k >= 1 with monomials g_i, so in logarithms a polyhedral cone. Exactly one of two holds:

- there are weights w_j >= 0 with sum 1 and powers p_i >= 0 with prod_j t_j^(w_j) = monomial prod_i g_i^(p_i), and then
  monomial <= prod_j t_j^(w_j) <= sum_j t_j by the weighted inequality of the means;
- there is a direction in which the region is left nowhere and the monomial outgrows every t_j by a power, so that no
  constant, and no logarithm, makes the bound true.

Either is found by a linear program in floats, written in short rationals, and then verified exactly.

>>> d, s = sp.symbols("d s", positive=True)
>>> dominated(s**2, (s, s**3)).weights
(Fraction(1, 2), Fraction(1, 2))
>>> dominated(d * s**2, (s, s**3), (d,)).growth
Fraction(1, 1)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp
from scipy.optimize import linprog

Exponents = Mapping[Any, Fraction]
LARGEST_DENOMINATOR = 1000
"""Vertices of these programs have denominators of a few dozen; a wrong guess is caught by the exact check."""


@dataclass(frozen=True, eq=False)
class Domination:
    """Whether the bound holds (None: not decided), with the weights or the direction that show it.

    `growth` is the least power of e^tau by which the monomial outgrows a term in the direction, at time tau.
    """

    holds: bool | None
    weights: tuple[Fraction, ...] = ()
    direction: Mapping[str, Fraction] | None = None
    growth: Fraction | None = None

    @property
    def reason(self) -> str:
        if self.holds is None:
            return "neither weights nor a direction were verified"
        if self.holds:
            return f"at most the product of the terms to the powers {', '.join(map(str, self.weights))}"
        assert self.direction is not None
        along = ", ".join(f"{name} = T^({power})" for name, power in self.direction.items() if power)
        return f"not bounded by any constant times the terms: along {along} it is larger by T^({self.growth}), T -> oo"


def exponents(monomial: Any) -> Exponents:
    """The powers of the symbols of a monomial; its numerical factor is dropped."""
    powers: dict[Any, Fraction] = {}
    factors: Any = sp.powdenest(sp.sympify(monomial), force=True)
    for base, power in factors.as_powers_dict().items():
        if base.is_number and power.is_number:
            continue
        if not (base.is_Symbol and power.is_Rational):
            raise ValueError(f"{monomial} is not a monomial with rational powers")
        powers[base] = powers.get(base, Fraction(0)) + Fraction(int(power.p), int(power.q))
    return powers


def dominated(monomial: Any, terms: Sequence[Any], region: Sequence[Any] = ()) -> Domination:
    """Whether monomial <= K sum(terms) for some K, wherever all monomials of `region` are at least 1."""
    rows = [exponents(monomial), *map(exponents, terms), *map(exponents, region)]
    symbols = sorted(set().union(*rows), key=str)
    vectors = [[row.get(symbol, Fraction(0)) for symbol in symbols] for row in rows]
    target, others, sides = vectors[0], vectors[1 : 1 + len(terms)], vectors[1 + len(terms) :]
    excess = [[a - b for a, b in zip(other, target, strict=True)] for other in others]
    weights = _weights(excess, sides)
    if weights is not None:
        return Domination(True, weights)
    found = _direction(excess, sides)
    if found is None:
        return Domination(None)
    direction, growth = found
    return Domination(False, (), {str(s): v for s, v in zip(symbols, direction, strict=True)}, growth)


def _rationals(values: Any) -> list[Fraction]:
    return [Fraction(float(value)).limit_denominator(LARGEST_DENOMINATOR) for value in values]


def _inner(a: Sequence[Fraction], b: Sequence[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def _weights(excess: list[list[Fraction]], sides: list[list[Fraction]]) -> tuple[Fraction, ...] | None:
    """w >= 0 of sum 1 and p >= 0 with sum_j w_j excess_j = sum_i p_i side_i."""
    rows = excess + [[-x for x in side] for side in sides]
    columns = np.array([[float(x) for x in row] for row in rows]).T
    total = np.array([[1.0] * len(excess) + [0.0] * len(sides)])
    goal = np.concatenate([np.zeros(len(columns)), [1.0]])
    found = linprog(np.ones(len(rows)), A_eq=np.vstack([columns, total]), b_eq=goal, method="highs-ds")
    if not found.success:
        return None
    values = _rationals(found.x)
    balanced = all(_inner(values, column) == 0 for column in zip(*rows, strict=True))
    weights = values[: len(excess)]
    return tuple(weights) if balanced and min(values) >= 0 and sum(weights) == 1 else None


def _direction(excess: list[list[Fraction]], sides: list[list[Fraction]]) -> tuple[list[Fraction], Fraction] | None:
    """v in the cone, |v_i| <= 1, along which every excess is as negative as can be."""
    size = len(excess[0])
    above = [[float(x) for x in row] + [1.0] for row in excess] + [[-float(x) for x in side] + [0.0] for side in sides]
    cost = np.concatenate([np.zeros(size), [-1.0]])
    limits = [(-1.0, 1.0)] * size + [(0.0, None)]
    found = linprog(cost, A_ub=np.array(above), b_ub=np.zeros(len(above)), bounds=limits, method="highs-ds")
    if not found.success:
        return None
    direction = _rationals(found.x[:size])
    growth = min(-_inner(row, direction) for row in excess)
    inside = all(_inner(side, direction) >= 0 for side in sides)
    return (direction, growth) if inside and growth > 0 else None
