"""Gaussian means, and every way in which a simulator or its process can go wrong."""

from __future__ import annotations

import multiprocessing
import os
import time
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from toy_simulators import spread


def mean(keys: Array, *, dimension: int, shift: float = 0.0) -> Array:
    """shift + the mean of `dimension` Gaussians of standard deviation SCALE."""
    draws = jax.vmap(lambda key: jax.random.normal(key, (dimension,), jnp.float64))(keys)
    return shift + spread.SCALE * draws.mean(axis=1)


def activated(keys: Array, *, dimension: int, activation: Any) -> Array:
    """The mean of sigma(G) over `dimension` Gaussians."""
    draws = jax.vmap(lambda key: jax.random.normal(key, (dimension,), jnp.float64))(keys)
    return activation.value(draws).mean(axis=1)


def infinite(keys: Array, *, dimension: int) -> Array:
    return mean(keys, dimension=dimension).at[3].set(jnp.inf)


def single_precision(keys: Array, *, dimension: int) -> Array:
    return mean(keys, dimension=dimension).astype(jnp.float32)


def one_too_few(keys: Array, *, dimension: int) -> Array:
    return mean(keys, dimension=dimension)[1:]


def raising(keys: Array, *, dimension: int) -> Array:
    raise ZeroDivisionError("no such dimension")


def worker(keys: Array, *, dimension: int) -> Array:
    """The id of the process that computes it, 0 in a process that is not a pool's worker."""
    started_by = multiprocessing.parent_process()
    return jnp.full(keys.shape, 0.0 if started_by is None else float(os.getpid()))


def dying(keys: Array, *, dimension: int) -> Array:
    """End the process as the out-of-memory killer would."""
    os._exit(137)


def slow(keys: Array, *, dimension: int, seconds: float) -> Array:
    time.sleep(seconds)
    return mean(keys, dimension=dimension)
