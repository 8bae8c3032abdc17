"""What a report rests on: versions, revision, machine shape, seed, error rate."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from reports.records import Record
from reports.settings import Choices

_PACKAGES = ("asymptest", "jax", "jaxlib", "sympy", "mpmath", "python-flint", "numpy", "scipy")


def provenance(choices: Choices, records: Sequence[Record]) -> dict[str, Any]:
    """The provenance block of results.json."""
    import jax

    return {
        "versions": {"python": platform.python_version()} | {name: _version(name) for name in _PACKAGES},
        "git_revision": _revision(),
        "cores": os.cpu_count(),
        "device": jax.devices()[0].platform,
        "seed": choices.seed,
        "profile": choices.profile.name,
        "budget": choices.budget,
        "alpha": sum(record.alpha or 0.0 for record in records),
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _revision() -> str | None:
    """The revision of this source tree, None where it is not a checkout."""
    home = Path(__file__).parent.parent
    try:
        found = subprocess.run(
            ["git", "-C", str(home), "rev-parse", "--show-toplevel", "HEAD"],
            capture_output=True,
            text=True,
            timeout=5,
            check=True,
        ).stdout.split("\n")
    except (OSError, subprocess.SubprocessError):
        return None
    # An installed copy may lie inside somebody else's checkout: that revision is not ours.
    return found[1] if Path(found[0]) == home else None
