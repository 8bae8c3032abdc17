"""Exact least risks of quadratic predictors on a mixture, and the certified Bayes risk."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from flint import arb, fmpq

from proofs_checks.mixture_risk import (
    SingularGramError,
    affinity_steps,
    binary_channel_mmse,
    rank_risk,
    rank_steps,
    squared_norm,
    tangent_gain,
    tangent_gain_printed,
    tangent_instance,
)


@pytest.mark.parametrize("step", [*rank_steps(), *affinity_steps()], ids=lambda step: step.name)
def test_each_step_holds(step) -> None:
    difference = sp.simplify(step.right - step.left)
    if step.relation == "=":
        assert difference == 0
    else:
        assert sp.simplify(difference - step.certificate) == 0
        assert step.certificate.is_nonnegative


def test_no_form_of_rank_n_beats_the_formula() -> None:
    """<M,D>^2/Q(M) in rationals, for random M of rank N, and the bound reached by the best one."""
    generator = np.random.default_rng(4)
    tilts = [Fraction(value, 10) for value in (-7, -2, 1, 3, 5)]
    squares = [tilt * tilt for tilt in tilts]
    for neurons in (1, 2, 4):
        best = 1 / rank_risk(squares, neurons) - 1
        for _ in range(50):
            factor = generator.integers(-3, 4, (5, neurons))
            form = factor @ np.diag(generator.integers(-2, 3, neurons)) @ factor.T
            energy = sum(
                2 * Fraction(int(form[i, j])) ** 2 * (1 + tilts[i] * tilts[j]) for i in range(5) for j in range(5)
            )
            inner = sum(Fraction(int(form[i, i])) * tilts[i] for i in range(5))
            assert inner**2 <= best * energy
        order = sorted(range(5), key=lambda i: squares[i], reverse=True)[:neurons]
        share = [tilts[i] / (1 + squares[i]) for i in order]
        inner = sum(share[k] * tilts[i] for k, i in enumerate(order))
        energy = sum(2 * share[k] ** 2 * (1 + squares[i]) for k, i in enumerate(order))
        assert inner**2 == best * energy


@pytest.mark.parametrize(("d", "neurons"), [(2, 1), (3, 2), (4, 1), (3, 3)])
def test_the_tangent_gain_lies_in_its_bracket(d: int, neurons: int) -> None:
    weights, root, delta = tangent_instance(d, neurons, seed=1)
    exact, printed = (
        tangent_gain(weights, root, delta),
        tangent_gain_printed(weights, root, delta, pseudo_inverse=False),
    )
    slack = squared_norm(root, delta)
    assert printed / (1 + slack) <= exact <= printed / (1 - slack)
    assert exact != printed
    assert not 2 * printed / (1 + slack) <= exact


def test_a_spanning_tangent_class_gains_as_the_rank_formula_says() -> None:
    """Sigma = I and a diagonal Delta: every form is allowed, so that all eigenvalues count."""
    weights, root, delta = tangent_instance(3, 4, seed=2)
    for i in range(3):
        root[i, i] = fmpq(1)
        for j in range(3):
            delta[i, j] = fmpq(i + 1, 10) if i == j else fmpq(0)
    squares = [Fraction(i + 1, 10) ** 2 for i in range(3)]
    gain = tangent_gain(weights, root, delta)
    assert Fraction(int(gain.p), int(gain.q)) == 1 / rank_risk(squares, 3) - 1


def test_the_printed_projector_does_not_exist_for_more_neurons_than_dimensions() -> None:
    with pytest.raises(SingularGramError):
        tangent_gain_printed(*tangent_instance(3, 5, seed=1), pseudo_inverse=False)


@pytest.mark.parametrize("snr", ["0.0078125", "0.5", "1.25", "8"])
def test_the_bayes_risk_of_the_binary_channel(snr: str) -> None:
    ball = binary_channel_mmse(arb(snr))
    nodes, weights = np.polynomial.hermite_e.hermegauss(160)
    value = 1 - weights @ np.tanh(float(snr) + np.sqrt(float(snr)) * nodes) / np.sqrt(2 * np.pi)
    # Gauss-Hermite converges like exp(-c sqrt(2n)) with c the distance pi/(2 sqrt(snr)) of the nearest pole.
    # The prefactor is of order one: ten of it, or the rounding of 160 terms with weights of sum sqrt(2 pi).
    rate, rounding = np.pi / 2 / np.sqrt(float(snr)), 160 * np.finfo(np.float64).eps
    assert abs(value - float(ball)) < 10 * max(np.exp(-rate * np.sqrt(2 * len(nodes))), rounding)
    assert ball.rad() < arb("1e-25")
    assert ball < 1 / (1 + arb(snr))
