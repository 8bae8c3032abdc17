"""Exact ranks against least squares in floating point, with other weights than the witness."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from proofs_checks.rank_one_span import is_fitted, threshold, witness


@pytest.mark.parametrize("rank", [1, 2, 3, 4])
def test_random_weights_agree_with_the_witness(rank: int) -> None:
    generator = np.random.default_rng(rank)
    spectrum = [Fraction(k, 2) for k in range(1, rank + 1)]
    upper = np.triu_indices(rank)
    target = np.append(np.diag([float(value) for value in spectrum])[upper], -float(sum(spectrum)))
    for neurons in range(1, threshold(rank) + 2):
        weights = generator.standard_normal((neurons, rank))
        features = np.column_stack([weights[:, upper[0]] * weights[:, upper[1]], -np.ones(neurons)])
        fitted = np.linalg.lstsq(features.T, target, rcond=None)[0]
        left = np.linalg.norm(features.T @ fitted - target) / np.linalg.norm(target)
        # Rounding times the condition number of the features, computed; a target that is not fitted misses by more.
        rounding = 100 * np.finfo(float).eps * np.linalg.cond(features)
        assert is_fitted(spectrum, neurons) is bool(left < rounding)


def test_the_threshold_is_sharp_for_every_rank_tried() -> None:
    for rank in range(1, 9):
        assert is_fitted([Fraction(1)] * rank, threshold(rank)) is True
        assert is_fitted([Fraction(1)] * rank, threshold(rank) - 1) is False


def test_a_traceless_target_is_not_decided_by_this_witness() -> None:
    assert is_fitted([Fraction(1), Fraction(-1)], 3) is None
    assert len(witness(2, 3)) == 3
