"""The two families of networks whose risk gap is bounded for every m, against exact binomial sums."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from proofs_checks.cubic_remainder import used_share
from proofs_checks.power_means import fourth_power_mean, m, norm
from proofs_checks.risk_gap import m as width
from proofs_checks.risk_gap import orthogonal_gap, paired_gap, rho, u
from theorems.activation import activation


def _mean_loss_gap(trials: int, output: dict[int, float]) -> float:
    """E l(f) - l(0) for f = output[K], K binomial with exact weights."""
    weights = [Fraction(math.comb(trials, k), 2**trials) for k in range(trials + 1)]
    losses = (math.log1p(math.exp(-output[k])) - math.log(2) for k in range(trials + 1))
    return math.fsum(float(weight) * loss for weight, loss in zip(weights, losses, strict=True))


@pytest.mark.parametrize("neurons", [4, 64, 1024])
def test_the_paired_family_lies_between_its_bounds(neurons: int) -> None:
    size, start = 0.5, 1.0
    move = size * neurons**-0.25
    spread = (start + move) ** 3 - (start - move) ** 3
    outputs = {k: spread * (k - neurons / 2) / math.sqrt(neurons) for k in range(neurons + 1)}
    gap = _mean_loss_gap(neurons, outputs)
    low, high = (float(bound.subs({width: neurons, rho: size, u: start})) for bound in paired_gap())
    assert low < gap < high


@pytest.mark.parametrize("neurons", [4, 64, 1024])
def test_the_orthogonal_family_lies_between_its_bounds(neurons: int) -> None:
    size = 0.8
    cube = ((2 / neurons) ** 0.25 * size) ** 3
    outputs = {k: cube * k / math.sqrt(neurons) for k in range(neurons // 2 + 1)}
    gap = -_mean_loss_gap(neurons // 2, outputs)
    low, high = (float(bound.subs({width: neurons, rho: size})) for bound in orthogonal_gap())
    assert low < gap < high


@pytest.mark.parametrize("power", [2, 3])
def test_the_mean_of_a_power_is_below_that_of_the_fourth(power: int) -> None:
    sizes = [0.1, 0.7, 1.3, 2.0, 0.0]
    total = sum(size**4 for size in sizes) ** 0.25
    largest = float(fourth_power_mean(power).subs({m: len(sizes), norm: total}))
    assert sum(size**power for size in sizes) / len(sizes) < largest


@pytest.mark.parametrize("text", ["relu3", "x - sin(x)", "x**3/(1 + x**2)", "Abs(x)**3"])
def test_no_activation_exceeds_the_bounds_of_its_constant(text: str) -> None:
    share = used_share(activation(text).expression)
    assert not share.violated
    assert share.remainder > 0


def test_the_cubic_relu_uses_its_constant_up() -> None:
    share = used_share(activation("relu3").expression)
    for part in (share.slope, share.curvature, share.remainder):
        assert part.contains(1)
