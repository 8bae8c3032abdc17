"""XLA's sums are sums: the arithmetic below every simulator, tried where a release is known to have got it wrong."""

from __future__ import annotations

import jax
import jax.numpy as jnp

import simulate  # noqa: F401  (configures XLA)

ROWS = 1024


def test_a_sum_over_a_broadcast_array_is_right_every_time() -> None:
    """2 n^2 ones add up to 2 n^2, in 200 calls (jaxlib 0.10.2 left to itself: wrong four times in five)."""
    total = jax.jit(lambda column: jnp.sum(jnp.broadcast_to(column, (2, ROWS, ROWS))))
    column = jnp.ones((ROWS, 1))
    wrong = [value for _ in range(200) if (value := float(total(column))) != 2 * ROWS**2]
    assert not wrong


def test_a_repeated_half_counts_twice_inside_a_map() -> None:
    """sum (h, h)^2 = 2 sum h^2 for each replicate of a `lax.map`, where the simulators repeat their neurons."""

    def ratio(key: jax.Array) -> jax.Array:
        half = jax.random.normal(key, (2**17,), dtype=jnp.float64)
        return jnp.sum(jnp.tile(half, 2) ** 2) / jnp.sum(half**2)

    ratios = jax.jit(lambda keys: jax.lax.map(ratio, keys))(jax.random.split(jax.random.key(0), 64))
    # Rounding of a sum of 2^18 positive terms: at most 2^18 half-ulps, relative.
    assert jnp.all(jnp.abs(ratios - 2) <= 2 * 2**18 * 2.0**-53)
