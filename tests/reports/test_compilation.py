"""Compiled programs are forgotten before the system's limit of mappings ends the process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from reports import compilation

MANY = """
import jax, jax.numpy as jnp
from pathlib import Path
from reports import compilation

def mappings():
    return len(compilation.MAPPINGS.read_text().splitlines())

jax.jit(lambda x: x + 1)(jnp.ones(3))
before = mappings()
for size in range(1, 60):
    jax.jit(lambda x: jnp.sort(jnp.tanh(x @ x.T)))(jnp.ones((size, 2)))
assert mappings() > before + 100, (before, mappings())
assert not compilation.release_programs()
compilation.MOST_MAPPINGS = Path({limit!r})
full = mappings()
assert compilation.release_programs()
assert mappings() < (before + full) / 2 + 50, (before, full, mappings())
assert float(jax.jit(lambda x: jnp.sum(x * x))(jnp.arange(4.0))) == 14
"""


@pytest.mark.skipif(not compilation.MOST_MAPPINGS.exists(), reason="this system has no limit of mappings to look at")
def test_programs_are_forgotten_when_mappings_run_short_and_only_then(tmp_path: Path) -> None:
    """In a process of its own, which compiles sixty programs; the limit is put below what it uses."""
    limit = tmp_path / "max_map_count"
    limit.write_text("900\n")
    subprocess.run([sys.executable, "-c", MANY.format(limit=str(limit))], check=True)


def test_a_system_without_the_limit_keeps_its_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No /proc: nothing to look at, nothing forgotten."""
    monkeypatch.setattr(compilation, "MAPPINGS", tmp_path / "none")
    assert not compilation.release_programs()
