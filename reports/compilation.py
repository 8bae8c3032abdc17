"""Compiled programs: kept on disk between runs, and not without end in memory.

Linux lets a process have 65530 mappings of memory by default, and each program that XLA compiles takes three or more.
A process that has compiled some ten thousand of them does not run out of memory: it is aborted.
"""

from __future__ import annotations

import functools
import os
import tempfile
import warnings
from pathlib import Path

MAPPINGS = Path("/proc/self/maps")
MOST_MAPPINGS = Path("/proc/sys/vm/max_map_count")


@functools.cache
def configure_jax() -> None:
    """Once per process: float64, and compiled programs kept on disk between runs."""
    import jax

    import simulate  # noqa: F401  (float64, and the flags of XLA, before anything is computed)

    folder = cache_folder() / "jax"
    if jax.config.values["jax_compilation_cache_dir"] is None and _writable(folder):  # a user's own choice stays
        jax.config.update("jax_compilation_cache_dir", str(folder))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    # An entry cut short by a kill or a full disk is compiled anew: slower, not wrong, nothing to act on.
    warnings.filterwarnings("ignore", message="Error (reading|writing) persistent compilation cache")


def cache_folder() -> Path:
    """$ASYMPTEST_CACHE, else the user's cache folder by the XDG convention."""
    if chosen := os.environ.get("ASYMPTEST_CACHE"):
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "asymptest"


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def release_programs() -> bool:
    """Forget every compiled program if a third of the mappings is used up; they come back from disk when needed.

    Elsewhere than on Linux there is no such limit to look at.
    """
    import jax

    try:
        with MAPPINGS.open("rb") as used:
            crowded = 3 * sum(1 for _ in used) > int(MOST_MAPPINGS.read_text())
    except OSError:
        return False
    if crowded:
        jax.clear_caches()
    return crowded
