"""The equivalent of a projection onto random rank-one matrices: where it is exact, and where it has a limit."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from proofs_checks.rank_one_projection import Atom, equivalent_risk, limiting_risk, second_moment


def test_the_second_moment_is_that_of_gaussian_weights() -> None:
    gamma = np.array([0.5, 1.0, 1.5])
    weights = np.random.default_rng(0).standard_normal((400_000, 3)) * np.sqrt(gamma / 3)
    squares = np.column_stack([np.sqrt(2) * weights**2, np.sum(weights**2, axis=1) - 1])
    products = squares[:, :, None] * squares[:, None, :]
    error = products.std(axis=0) / np.sqrt(len(weights))
    moment = second_moment(gamma)
    block = moment.vectors * moment.values @ moment.vectors.T
    # Six standard errors for each of ten numbers: one false alarm in fifty million.
    assert np.all(np.abs(products.mean(axis=0) - block) < 6 * error)
    pairs = np.sort(4 * np.array([0.5, 0.75, 1.5]) / 9)
    rest = np.sort(moment.values)
    assert np.allclose(np.sort(moment.spectrum), np.sort(np.concatenate([pairs, rest])), rtol=1e-12, atol=0)


def _half_and_half(gamma: tuple[Fraction, Fraction], target: tuple[int, int]) -> list[Atom]:
    return [Atom(g, Fraction(b), Fraction(1, 2)) for g, b in zip(gamma, target, strict=True)]


@pytest.mark.parametrize("share", [Fraction(1, 10), Fraction(2, 5), Fraction(4, 5)])
def test_isotropic_weights_fit_their_share_of_the_traceless_part(share: Fraction) -> None:
    found = limiting_risk(_half_and_half((Fraction(1), Fraction(1)), (1, 3)), share)
    expected = Fraction(1, 5) * (1 - share)  # t = Tr(B)^2/(d |B|^2) = 16/20
    assert found.contains(arb(expected.numerator) / expected.denominator)
    assert found.rad() < 2.0**-30


@pytest.mark.parametrize(
    ("gamma", "target"), [((Fraction(1, 2), Fraction(3, 2)), (1, 1)), ((Fraction(2, 3), Fraction(4, 3)), (3, 1))]
)
def test_the_limit_is_that_of_the_equivalent(gamma: tuple[Fraction, Fraction], target: tuple[int, int]) -> None:
    limit = float(limiting_risk(_half_and_half(gamma, target), Fraction(1, 4)).mid())

    def gap(d: int) -> float:
        moment = second_moment(np.repeat([float(g) for g in gamma], d // 2))
        return equivalent_risk(moment, np.repeat(np.array(target, float), d // 2), round(d * (d + 1) / 8)) - limit

    # An expansion in 1/d: each doubling halves the gap, the more nearly the larger d.
    ratios = [gap(2 * d) / gap(d) for d in (32, 64, 128)]
    assert abs(ratios[2] - 0.5) < abs(ratios[1] - 0.5) < abs(ratios[0] - 0.5) < 0.25


def test_enough_neurons_fit_everything() -> None:
    moment = second_moment(np.ones(4))
    assert equivalent_risk(moment, np.ones(4), 11) == 0
    assert equivalent_risk(moment, np.ones(4), 10) > 0
