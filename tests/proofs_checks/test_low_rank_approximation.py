"""The best matrix of rank N: the steps are proved, and say what they should of a random direction."""

from __future__ import annotations

import numpy as np

from proofs_checks.low_rank_approximation import EIGENVALUES, SHARES, best_rank_steps
from reports.symbolic import decide_statements
from theorems.claim import Verdict
from theorems.steps import statements


def test_steps_are_proved():
    assert decide_statements(statements(best_rank_steps()), seed=3).verdict == Verdict.PROVED


def test_rank_steps_at_random_directions():
    """||B||^2 - ||U^T B U||^2 for U orthogonal to n is the expression of the steps."""
    generator = np.random.default_rng(5)
    lost = next(step for step in best_rank_steps() if step.name.startswith("d - 1")).right
    for _ in range(5):
        gaps = generator.uniform(0, 1, 3)
        symbols = sorted(set().union(*(value.free_symbols for value in EIGENVALUES)), key=str)
        values = dict(zip(symbols, gaps, strict=True))
        matrix = np.diag([float(value.subs(values)) for value in EIGENVALUES])
        normal = generator.standard_normal(3)
        normal /= np.linalg.norm(normal)
        projector = np.eye(3) - np.outer(normal, normal)
        direct = np.sum(matrix**2) - np.sum((projector @ matrix @ projector) ** 2)
        found = float(lost.subs(values).subs(dict(zip(SHARES, normal**2, strict=True))))
        assert abs(direct - found) < 1e3 * np.finfo(np.float64).eps * np.sum(matrix**2)
