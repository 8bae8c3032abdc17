"""What we conclude: verdict rules, runner, store, engines, rendering, command line."""

import os

# Before SciPy is loaded: LAPACK's threads spin against XLA's, and on a busy machine that costs a factor of a hundred.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
