"""The exact averages over z and the worst movements, against networks whose z is drawn and which are evaluated."""

from __future__ import annotations

from fractions import Fraction

import jax
import numpy as np
import pytest

from proofs_checks.matched_moments import Law, matched_laws
from simulate.higher_tangents import tangent_size, term_size
from theorems.activation import activation

jax.config.update("jax_enable_x64", True)
SIGMA = activation("x - sin(x)")


def _floats(law: Law) -> tuple[tuple[float, float], ...]:
    return tuple((float(node), float(probability)) for node, probability in law)


def _sine_derivative(order: int, u: np.ndarray) -> np.ndarray:
    """The derivatives of x - sin(x), by hand: -sin shifted by quarter turns, plus that of x."""
    return -np.sin(u + order * np.pi / 2) + (u if order == 0 else float(order == 1))


def _drawn(key: jax.Array, m: int, k: int, term: int, draws: int) -> np.ndarray:
    """Values of the term (0: remainder) over drawn z, at the u of this key, movements all of one sign."""
    u = np.asarray(jax.random.normal(key, (m,), dtype=np.float64))
    rng = np.random.default_rng(11)
    plus, minus = (
        rng.choice([float(x) for x, _ in law], p=[float(p) for _, p in law], size=(draws, m))
        for law in matched_laws(k, Fraction(1, 2))
    )
    h = m ** (-1 / (2 * k))
    factorial = np.cumprod([1.0, *range(1, k + 3)])

    def taylor(move: np.ndarray, order: int) -> np.ndarray:
        return _sine_derivative(order, u) * move**order / factorial[order]

    if term:
        return (taylor(plus * h, term) - taylor(minus * h, term)).sum(axis=1) / np.sqrt(m)
    value = _sine_derivative(0, u + plus * h) - _sine_derivative(0, u + minus * h)
    known = sum(taylor(plus * h, i) - taylor(minus * h, i) for i in range(1, k + 1))
    return (value - known).sum(axis=1) / np.sqrt(m)


@pytest.mark.parametrize(("k", "term"), [(2, 1), (2, 2), (2, 3), (3, 2), (4, 5), (2, 0), (3, 0)])
def test_the_mean_square_over_z_is_that_of_drawn_movements(k: int, term: int) -> None:
    m, draws = 32, 20000
    keys = jax.random.split(jax.random.key(3), 2)
    plus, minus = (_floats(law) for law in matched_laws(k, Fraction(1, 2)))
    exact = term_size(
        keys, dimension=m, dominant=k, term=term, matched=False, plus=plus, minus=minus, activation=SIGMA.function()
    )
    for key, value in zip(keys, np.asarray(exact), strict=True):
        squares = _drawn(key, m, k, term, draws) ** 2
        error = squares.std() / np.sqrt(draws)
        assert abs(squares.mean() - value**2) < 5 * error


def _movements(u: np.ndarray, linear: bool, m: int) -> np.ndarray:
    """The worst movements found by search among the corners -1, 0, 1 of each neuron, halves with signs + and -."""
    signs = np.repeat([1.0, -1.0], m // 2)
    both = np.concatenate([u, u])
    corners = np.array([-1.0, 0.0, 1.0]) / np.sqrt(m)
    value = signs * _sine_derivative(1, both) * corners[:, None]
    if not linear:
        total = _sine_derivative(0, both + corners[:, None]) - _sine_derivative(0, both)
        value = signs * total - value
    return value.max(axis=0)


@pytest.mark.parametrize("linear", [True, False])
def test_no_movement_of_that_size_does_worse(linear: bool) -> None:
    m = 64
    keys = jax.random.split(jax.random.key(8), 3)
    found = np.asarray(tangent_size(keys, dimension=m, linear=linear, activation=SIGMA.function()))
    for key, value in zip(keys, found, strict=True):
        u = np.asarray(jax.random.normal(key, (m // 2,), dtype=np.float64))
        worst = _movements(u, linear, m).sum() / np.sqrt(m)
        if linear:
            assert value == pytest.approx(worst, rel=1e-12)  # sums of 64 terms in doubles
        else:
            # A step to the left or to the right differ at third order: a part m^(-1/2) of the whole.
            assert value <= worst <= value * (1 + 4 / np.sqrt(m))


def test_an_odd_width_and_a_law_that_is_none_are_refused() -> None:
    keys = jax.random.split(jax.random.key(0), 2)
    with pytest.raises(ValueError, match="even"):
        tangent_size(keys, dimension=5, linear=True, activation=SIGMA.function())
    with pytest.raises(ValueError, match="sum to one"):
        term_size(
            keys, dimension=4, dominant=2, term=1, matched=False, plus=((1.0, 0.5),), minus=((0.0, 1.0),),
            activation=SIGMA.function(),
        )  # fmt: skip
