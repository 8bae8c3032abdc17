"""What happens: pure JAX functions from random keys (and a dimension, an activation) to numbers."""

import os

# LAPACK's own threads spin against XLA's on the small factorisations used here: with both at work a
# 450 x 450 Cholesky factorisation is ten times slower. Large products are XLA's and stay parallel.
# This takes effect when it is read before SciPy loads its LAPACK; a value set by the user stands.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import jax

jax.config.update("jax_enable_x64", True)
