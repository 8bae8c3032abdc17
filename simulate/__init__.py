"""What happens: pure JAX functions from random keys (and a dimension, an activation) to numbers."""

import importlib.metadata
import os

# LAPACK's own threads spin against XLA's on the small factorisations used here: with both at work a
# 450 x 450 Cholesky factorisation is ten times slower. Large products are XLA's and stay parallel.
# This takes effect when it is read before SciPy loads its LAPACK; a value set by the user stands.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# jaxlib 0.10.2 sums broadcast arrays wrongly on two or more threads, silently and not always: its fused reductions
# race. The project excludes that version; where it is installed all the same, those fusions are switched off.
if importlib.metadata.version("jaxlib") == "0.10.2":
    flags = os.environ.get("XLA_FLAGS", "")
    os.environ["XLA_FLAGS"] = f"{flags} --xla_cpu_experimental_ynn_fusion_type=dot".strip()

import jax

jax.config.update("jax_enable_x64", True)
