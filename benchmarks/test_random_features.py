"""How much the exact route saves: one RF point at d = N = 450, against least squares on 5e5 drawn samples.

The paper's procedure (P, Section 4) draws 5e5 observations, solves the normal equations and tests on fresh samples.
What is timed here is less: drawing, the normal equations and their solution, no test. The exact route computes the
population risk of the same weights, which has no sampling error at all: its standard error is its rounding.
"""

from __future__ import annotations

import time
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from simulate.activation_function import ActivationFunction
from simulate.drawn_data import random_features_bracket
from simulate.random_features import population_risk, sample_weights

DIMENSION = NEURONS = 450
SAMPLES = 500_000
CHUNK = 5_000
TARGET = -np.log1p(-(np.arange(DIMENSION) + 0.5) / DIMENSION)
ACTIVATION = ActivationFunction(lambda x: x**2 - 1, lambda x: 2 * x)


def exact(keys):
    return population_risk(
        keys, dimension=DIMENSION, neurons=NEURONS, gamma=np.ones(DIMENSION), target=TARGET, activation=ACTIVATION
    ).block_until_ready()


@partial(jax.jit, static_argnames="samples")
def normal_equations(key, weights, samples):
    """The least mean squared loss over the drawn samples, relative to E f^2."""
    target = jnp.asarray(TARGET)
    scale = jnp.sqrt(2 * jnp.sum(target**2))

    def gather(index, sums):
        x = jax.random.normal(jax.random.fold_in(key, index), (CHUNK, DIMENSION), dtype=jnp.float64)
        columns = ACTIVATION.value(x @ weights.T)
        response = ((x * x) @ target - jnp.sum(target)) / scale
        gram, cross, energy = sums
        return gram + columns.T @ columns, cross + columns.T @ response, energy + response @ response

    start = jnp.zeros((NEURONS, NEURONS)), jnp.zeros(NEURONS), jnp.zeros(())
    gram, cross, energy = jax.lax.fori_loop(0, samples // CHUNK, gather, start)
    return (energy - cross @ jax.scipy.linalg.solve(gram, cross, assume_a="pos")) / samples


def seconds_of(run):
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def test_exact_route_against_the_papers_procedure(benchmark):
    keys = jax.random.split(jax.random.key(0), 1)
    weights = sample_weights(keys[0], dimension=DIMENSION, neurons=NEURONS, gamma=np.ones(DIMENSION))
    value = float(benchmark(exact, keys)[0])
    normal_equations(keys[0], weights, CHUNK).block_until_ready()  # LAPACK and the draws are warm, the loop is not
    compiled = normal_equations.lower(keys[0], weights, SAMPLES).compile()
    drawn = seconds_of(lambda: compiled(keys[0], weights).block_until_ready())
    bracket = random_features_bracket(
        keys[0], weights, target=TARGET, activation=ACTIVATION, samples=SAMPLES
    )  # the standard error of such a measurement, not timed
    benchmark.extra_info["exact: risk"] = value
    benchmark.extra_info["exact: standard error given the weights"] = 0.0
    benchmark.extra_info["drawn: in-sample risk"] = bracket.in_sample
    benchmark.extra_info["drawn: standard error given the weights"] = bracket.in_sample_se
    benchmark.extra_info["drawn: seconds"] = drawn
    if benchmark.stats is not None:
        ratio = drawn / benchmark.stats["median"]
        benchmark.extra_info["drawn over exact, seconds per point"] = ratio
        print(f"\none RF point, d = N = {DIMENSION}: {drawn:.2f} s drawn, {ratio:.0f} times the exact route")
    # Five standard errors on either side: one false alarm in a million runs.
    assert bracket.holds(value, 5.0)
