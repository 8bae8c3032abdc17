"""What happens: pure JAX functions from random keys (and a dimension, an activation) to numbers."""

import importlib.metadata
import os

# LAPACK's own threads spin against XLA's on the small factorisations used here: with both at work a
# 450 x 450 Cholesky factorisation is ten times slower. Large products are XLA's and stay parallel.
# This takes effect when it is read before SciPy loads its LAPACK; a value set by the user stands.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# On two or more threads, jaxlib 0.10.2 sums broadcast arrays wrongly: silently, and not always. Its fused reductions
# race (https://github.com/tensorflow/tensorflow/issues/126812), so of these fusions only single products are left on.
# XLA reads this when it computes for the first time; tests/simulate/test_reductions.py tries its sums.
_flags = os.environ.get("XLA_FLAGS", "")
if importlib.metadata.version("jaxlib") == "0.10.2" and "ynn_fusion_type" not in _flags:
    os.environ["XLA_FLAGS"] = f"{_flags} --xla_cpu_experimental_ynn_fusion_type=individual_dot".strip()

import jax  # noqa: E402  (after the flags it reads)

jax.config.update("jax_enable_x64", True)
