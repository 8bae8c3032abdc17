"""Named spectra: eigenvalues, exact limits, normalisation of Gamma, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from flint import arb, ctx

from proofs_checks.spectral_law import FiniteSpectrum, SpectralLaw
from theorems.claim import BadInput
from theorems.spectra import (
    GAMMA_NAMES,
    NAMED,
    PROPORTIONAL_TO_B,
    TARGET_NAMES,
    Alignment,
    alignment,
    bounded_operator_norm,
    gamma_eigenvalues,
    gamma_is_covariance,
    operator_norm,
    spectrum,
)

FIELDS = ("t", "overlap", "concentration", "cosine2")
ADMISSIBLE = [
    (gamma, target)
    for gamma in (*GAMMA_NAMES, "1,2,3")
    for target in (*TARGET_NAMES, "1,2,-3")
    if gamma_is_covariance(gamma, target).holds
]


def test_the_names_asked_for_exist() -> None:
    assert {"isotropic", "exp1", "two_point", "power_law", "low_rank", "indefinite", "traceless", "uniform"} == set(
        NAMED
    )
    assert PROPORTIONAL_TO_B in GAMMA_NAMES
    assert "traceless" not in GAMMA_NAMES


def test_eigenvalues_are_the_quantiles_at_midpoints() -> None:
    assert spectrum("two_point").eigenvalues(4).tolist() == [1, 1, 3, 3]
    assert spectrum("low_rank").eigenvalues(16).tolist() == [0] * 14 + [1] * 2
    assert spectrum("indefinite").eigenvalues(5).tolist() == [-1, -1, 2, 2, 2]
    assert spectrum("uniform").eigenvalues(2).tolist() == [0.25, 0.75]
    assert np.array_equal(spectrum("exp1").eigenvalues(3), -np.log(1 - np.array([1, 3, 5]) / 6))
    assert spectrum("1, -1/2, 2.5e0").eigenvalues(6).tolist() == [1, 1, -0.5, -0.5, 2.5, 2.5]


@pytest.mark.parametrize("dimension", [1, 2, 7, 32, 100])
@pytest.mark.parametrize("name", [*TARGET_NAMES, "1,2,3,4,5"])
def test_every_dimension_has_its_full_spectrum(name: str, dimension: int) -> None:
    values = spectrum(name).eigenvalues(dimension)
    assert values.shape == (dimension,)
    assert np.all(np.isfinite(values))
    assert np.all(np.diff(values) >= 0)


@pytest.mark.parametrize(("gamma", "target"), ADMISSIBLE)
def test_the_alignment_of_large_dimension_approaches_the_exact_limit(gamma: str, target: str) -> None:
    """Midpoint sums err by O(log(d)^2/d) at most, so sixteen times the dimension more than halves the error,
    down to the rounding of 1024 eigenvalues of d Gamma (at most 8) in products of two."""
    limit, small, finite = (alignment(gamma, target, dimension) for dimension in (None, 64, 1024))
    for field in FIELDS:
        exact, coarse, value = (getattr(found, field) for found in (limit, small, finite))
        assert abs(exact - value) <= abs(exact - coarse) / 2 + 64 * 1024 * 2.0**-52
        assert exact.rad() < arb("1e-60")
        assert value.rad() < arb("1e-60")


@pytest.mark.parametrize(("gamma", "target"), ADMISSIBLE)
@pytest.mark.parametrize("dimension", [None, 40])
def test_the_alignment_obeys_cauchy_schwarz_and_its_own_law(gamma: str, target: str, dimension: int | None) -> None:
    found = alignment(gamma, target, dimension)
    with ctx.workprec(256):
        one = 1 + arb("1e-60")
        assert 0 <= found.t <= one
        assert 0 <= found.cosine2 <= one
        assert (found.overlap / found.concentration).overlaps(found.cosine2)
        second = found.law.second_moment
        assert found.concentration.overlaps(arb(int(second.p)) / int(second.q))
        # at finite d the mean of the rounded eigenvalues is 1 within a rounding each
        assert abs(float(found.law.mean) - 1) <= (0 if dimension is None else 40 * 2.0**-52)


@pytest.mark.parametrize("gamma", ["two_point", "uniform", "power_law", "exp1", "low_rank", "1,2,3"])
def test_the_limiting_law_is_the_limit_of_the_finite_ones(gamma: str) -> None:
    a = arb(1.5)
    limit: SpectralLaw = alignment(gamma, "isotropic", None).law
    finite = alignment(gamma, "isotropic", 1024).law
    assert isinstance(finite, FiniteSpectrum)
    # 1/(1 + a t) has variation at most 1 along a monotone spectrum, so the sum errs by 1/d at most. The
    # normalisation moves it by less than the relative error of the mean: 2/d for these spectra.
    assert abs(limit.stieltjes(a) - finite.stieltjes(a)) < 3 / 1024


def test_values_known_by_hand() -> None:
    half: Alignment = alignment("isotropic", "exp1", None)
    assert half.t == 0.5
    assert alignment(PROPORTIONAL_TO_B, "two_point", None).overlap == 1.25
    assert alignment("low_rank", "isotropic", None).concentration == 8
    assert alignment("isotropic", "traceless", None).overlap == 0
    with ctx.workprec(256):
        # integral of -log(1-u) sign(u - 1/2) is log 2
        assert alignment("exp1", "traceless", None).overlap.overlaps(arb(2).log() ** 2)


def test_gamma_is_normalised_and_read_only() -> None:
    values = gamma_eigenvalues("two_point", "isotropic", 8)
    assert values.tolist() == [0.5] * 4 + [1.5] * 4
    assert not values.flags.writeable


def test_only_the_exponential_spectrum_is_unbounded() -> None:
    for name in GAMMA_NAMES:
        decision = bounded_operator_norm(name, "two_point")
        assert decision.holds is (name != "exp1")
    assert bounded_operator_norm(PROPORTIONAL_TO_B, "exp1").holds is False
    norms = [operator_norm("exp1", "isotropic", d) for d in (10, 100, 1000)]
    assert norms[0] < norms[1] < norms[2]
    assert not operator_norm("exp1", "isotropic", None).is_finite()
    assert operator_norm("power_law", "isotropic", None).overlaps(arb(3))
    assert operator_norm("power_law", "isotropic", 64) < 3


@pytest.mark.parametrize(
    "name", ["", "foo", "1,,2", "1,2,", "1/0", "1e999", "1e9999999999", "nan", "inf", "0x10", "1;2", "1," * 6000, "٣"]
)
def test_what_is_no_spectrum_gets_a_sentence_with_the_names(name: str) -> None:
    with pytest.raises(BadInput, match="isotropic, exp1") as refusal:
        spectrum(name)
    assert len(str(refusal.value)) < 300


@pytest.mark.parametrize("target", ["indefinite", "traceless", "1,-1/2"])
def test_gamma_proportional_to_b_needs_a_nonnegative_b(target: str) -> None:
    assert gamma_is_covariance(PROPORTIONAL_TO_B, target).holds is False
    with pytest.raises(BadInput, match="needs B >= 0"):
        alignment(PROPORTIONAL_TO_B, target, None)


def test_zero_and_negative_covariances_and_zero_targets_are_refused() -> None:
    with pytest.raises(BadInput, match="must not be zero"):
        alignment("0,0", "isotropic", None)
    with pytest.raises(BadInput, match="negative"):
        alignment("indefinite", "isotropic", 8)
    with pytest.raises(BadInput, match="zero"):
        alignment("isotropic", "0", None)
    with pytest.raises(BadInput, match="proportional_to_B"):
        alignment("foo", "isotropic", None)
    with pytest.raises(BadInput, match="larger dimension"):
        alignment("low_rank", "isotropic", 2)
