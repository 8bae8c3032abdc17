"""Precision and batches: what all simulators share.

Double precision is asserted at the door, since a simulator in single precision would measure its own rounding;
and a batch of replicates is run side by side where its shape says that it fits in memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import ArrayLike

SHARE_OF_MEMORY = 1.5e9
"""Bytes that the matrices of one batch of replicates may take together."""


def float64_vector(values: ArrayLike, length: int, name: str) -> Array:
    """`values` as a finite float64 vector of the given length."""
    if not jax.config.jax_enable_x64:  # pyright: ignore[reportAttributeAccessIssue]  (set dynamically)
        raise ValueError("simulators need double precision: leave jax_enable_x64 on")
    vector = np.asarray(values, dtype=np.float64)
    if vector.shape != (length,):
        raise ValueError(f"{name} must be a vector of length {length}, not of shape {vector.shape}")
    if not np.all(np.isfinite(vector)):
        raise ValueError(f"{name} must be finite")
    result = jnp.asarray(vector)
    assert result.dtype == jnp.float64
    return result


def over_replicates(
    draw: Callable[[Array], Array], compute: Callable[[Array], Any], keys: Array, side_by_side: bool
) -> Any:
    """compute(draw(key)) for each key, all replicates together (`vmap`) or one after the other (`lax.map`).

    Draws are always made one after the other: a batched threefry takes twice as long to compile.
    """
    if side_by_side:
        return jax.vmap(compute)(jax.lax.map(draw, keys))
    return jax.lax.map(lambda key: compute(draw(key)), keys)


def batch_fits(replicates: int, bytes_of_one: float) -> bool:
    """Whether all replicates may be computed side by side (`vmap`) rather than one by one (`lax.map`)."""
    return replicates * bytes_of_one <= SHARE_OF_MEMORY
