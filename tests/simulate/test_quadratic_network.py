"""SGD, gradient descent and gradient flow of the trained quadratic network, each against another."""

from __future__ import annotations

from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import norm

from proofs_checks.quadratic_landscape import least_risk
from proofs_checks.riccati_flow import flow_risk, joint_flow_risk
from simulate.quadratic_network import (
    CHUNK,
    descent_path,
    flow_path,
    population_risk,
    random_start,
    riccati_path,
    sgd_path,
    sgd_paths,
    sgd_risk,
    sgd_risk_cost,
    tangent_minus_trained,
    trained_floor,
)

EPS = np.finfo(np.float64).eps
Z = float(norm.isf(0.5e-6))
"""Standard errors for one false alarm in a million."""
START = np.array([[0.5, -0.25], [0.25, 0.75], [-0.5, 0.5]])
SPECTRA = {
    "positive": [2.0, 1.0, 0.5],
    "tie": [1.0, 1.0, 0.25],
    "singular": [1.5, 0.0, 0.0],
    "indefinite": [1.0, -0.5, -1.0],
}


def keys(count, seed=0):
    return jax.random.split(jax.random.key(seed), count)


@pytest.mark.parametrize("target", SPECTRA.values(), ids=SPECTRA)
@pytest.mark.parametrize("offset", [0.0, 1.5])
def test_the_risk_is_the_mean_loss_on_drawn_data(target, offset):
    x = np.random.default_rng(1).normal(size=(200_000, 3))
    loss = ((x * x) @ np.array(target) - np.sum((x @ START) ** 2, axis=1) - offset) ** 2
    risk = float(population_risk(jnp.asarray(START), offset, jnp.asarray(target)))
    assert abs(risk - loss.mean()) <= Z * loss.std() / np.sqrt(len(loss))


def test_a_full_matrix_is_understood_like_its_eigenvalues():
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    rotated = turn @ np.diag(SPECTRA["positive"]) @ turn.T
    straight = population_risk(jnp.asarray(START), 0.5, jnp.asarray(SPECTRA["positive"]))
    assert population_risk(jnp.asarray(turn @ START), 0.5, jnp.asarray(rotated)) == pytest.approx(
        float(straight), rel=100 * EPS
    )


@pytest.mark.parametrize("batch", [1, 3])
def test_sgd_steps_are_the_printed_ones(batch):
    """Three steps by automatic differentiation of (f(x) - f^(x))^2 on the samples that the path draws."""
    target, step, key = jnp.asarray(SPECTRA["indefinite"]), 0.01, jax.random.key(4)

    def loss(parameters, x):
        weights, offset = parameters
        return jnp.mean(((x * x) @ target - jnp.sum((x @ weights) ** 2, axis=1) - offset) ** 2)

    gradient = jax.jit(jax.grad(loss))
    state = (jnp.asarray(START), jnp.asarray(0.3))
    risks = [float(population_risk(*state, target))]
    for number in range(3):
        samples = jax.random.normal(jax.random.fold_in(key, number), (CHUNK, batch, 3), dtype=jnp.float64)
        slope = gradient(state, samples[0])
        state = (state[0] - step * slope[0], state[1] - step * slope[1])
        risks.append(float(population_risk(*state, target)))
    path = sgd_path(key, START, 0.3, target=target, step_size=step, records=3, between=1, batch=batch)
    assert path.risk.dtype == jnp.float64
    assert np.asarray(path.risk) == pytest.approx(risks, rel=1000 * EPS)


@pytest.mark.parametrize("target", SPECTRA.values(), ids=SPECTRA)
def test_descent_tends_to_the_flow_at_first_order(target):
    """The error is C eps + O(eps^2), so that 2 R(eps/2) - R(eps) is nearer by far."""
    coarse, fine = (
        np.asarray(descent_path(START, 0.2, target=target, step_size=1 / n, records=4, between=n // 16).risk)[1:]
        for n in (4096, 8192)
    )
    flow = np.asarray(flow_path(START, 0.2, target=target, time=0.25, records=4).risk)[1:]
    assert np.all(np.abs(2 * fine - coarse - flow) < np.abs(fine - flow) / 20)
    assert np.all(np.abs(fine - flow) > 0)


@pytest.mark.parametrize("target", SPECTRA.values(), ids=SPECTRA)
def test_the_flow_agrees_with_its_scalar_equations(target):
    """Runge-Kutta on (W, c) against the Riccati form with a clock, each with its own error estimate."""
    coarse, fine = (
        float(flow_path(START, -0.4, target=target, time=0.5, records=1, between=n).risk[-1]) for n in (512, 1024)
    )
    risk, error = joint_flow_risk(target, START, -0.4, 0.5)
    assert abs(fine - risk) <= abs(coarse - fine) + error + 1e4 * EPS * risk


@pytest.mark.parametrize("target", SPECTRA.values(), ids=SPECTRA)
def test_the_closed_form_agrees_with_balls(target):
    risks = riccati_path(START, target=target, time=2.0, records=4)
    exact = [[Fraction(value) for value in row] for row in START.tolist()]
    for risk, time in zip(risks, (0, 0.5, 1, 1.5, 2), strict=True):
        ball = flow_risk([Fraction(value) for value in target], exact, Fraction(time))
        # A handful of composed steps, each good to some hundred eps of the first risk.
        assert abs(float(risk) - float(ball)) <= 1e4 * EPS * float(risks[0])


@pytest.mark.parametrize("target", SPECTRA.values(), ids=SPECTRA)
def test_the_closed_form_is_the_limit_of_descent_with_the_best_offset(target):
    diagonal = jnp.diag(jnp.asarray(target))
    gradient = jax.jit(jax.grad(lambda weights: 2 * jnp.sum((diagonal - weights @ weights.T) ** 2)))

    def descended(steps):
        weights = jnp.asarray(START)
        for _ in range(steps):
            weights = weights - gradient(weights) / (4 * steps)
        return float(2 * jnp.sum((diagonal - weights @ weights.T) ** 2))

    coarse, fine = descended(256), descended(512)
    flow = float(riccati_path(START, target=target, time=0.25, records=1)[-1])
    assert abs(2 * fine - coarse - flow) < abs(fine - flow) / 4


@pytest.mark.parametrize("target", SPECTRA.values(), ids=SPECTRA)
def test_sgd_tends_to_the_flow(target):
    """With a batch, over many seeds; the bias of order eps is extrapolated away, to below the standard error."""
    means, errors = [], []
    for number, steps in enumerate((1024, 2048)):
        path = sgd_paths(
            keys(256, number), START, 0.2, target=target, step_size=1 / steps, records=1, between=steps // 8, batch=8
        )
        assert not np.any(path.diverged)
        last = np.asarray(path.risk)[:, -1]
        means.append(last.mean())
        errors.append(last.std() / 16)
    flow = float(flow_path(START, 0.2, target=target, time=0.125, records=1).risk[-1])
    assert abs(2 * means[1] - means[0] - flow) <= Z * np.hypot(2 * errors[1], errors[0])
    assert Z * errors[1] < flow / 4, "the comparison has teeth"


@pytest.mark.parametrize("target", SPECTRA.values(), ids=SPECTRA)
@pytest.mark.parametrize("neurons", [1, 2])
def test_descent_reaches_the_floor_and_stays_above(target, neurons):
    """From a generic start; in the null space of B a spare neuron's excess falls like 2/(16 t)^2, else faster."""
    weights, offset = random_start(jax.random.key(neurons), dimension=3, neurons=neurons)
    path = descent_path(weights, offset, target=target, step_size=1 / 256, records=4, between=1024)
    floor = trained_floor(target, neurons)
    assert floor == pytest.approx(float(least_risk(target, neurons)), rel=8 * EPS)
    excess = np.asarray(path.risk) - floor
    assert np.all(excess >= -100 * EPS * (floor + 1))
    assert excess[-1] <= 4 * neurons * 2 / (16 * 16.0) ** 2


def test_divergence_is_reported_and_finite():
    path = sgd_path(jax.random.key(1), START, 0.0, target=SPECTRA["positive"], step_size=0.3, records=5, between=40)
    assert np.all(np.isfinite(path.risk))
    assert bool(path.diverged[-1])
    assert not bool(path.diverged[0])
    assert path.risk[-1] == path.risk[-2], "a diverged path stays where it is"
    risks = sgd_risk(keys(8), dimension=8, target=SPECTRA["positive"], neurons=2, time=10.0)
    assert np.all(np.isfinite(risks))
    assert np.median(risks) > 1e6


def test_the_number_of_records_does_not_change_the_path():
    """Stretches of 100 steps are cut out of chunks of 64 by a mask."""
    often = descent_path(START, 0.1, target=SPECTRA["positive"], step_size=1e-3, records=2, between=100)
    once = descent_path(START, 0.1, target=SPECTRA["positive"], step_size=1e-3, records=1, between=200)
    assert float(often.risk[-1]) == float(once.risk[-1])


def test_sgd_risk_follows_its_keys():
    arguments = {"dimension": 64, "target": SPECTRA["tie"], "neurons": 2, "time": 0.5}
    risks = sgd_risk(keys(5), **arguments)
    assert risks.dtype == jnp.float64
    assert np.array_equal(risks, sgd_risk(keys(5)[::-1], **arguments)[::-1])
    assert len(set(np.asarray(risks).tolist())) == 5
    assert sgd_risk_cost(128, 3, 2, 0.5) == 2 * sgd_risk_cost(64, 3, 2, 0.5)


def test_only_the_identity_leaves_no_gap():
    none = tangent_minus_trained(keys(4), dimension=10, neurons=4, target=np.full(10, 3.0))
    some = tangent_minus_trained(keys(4), dimension=10, neurons=4, target=np.arange(1.0, 11.0))
    # As for the projector risk: conditioning of some thousands times d eps.
    assert np.all(np.abs(none) <= 1e4 * 10 * EPS)
    assert np.all(np.asarray(some) > 0.01)
