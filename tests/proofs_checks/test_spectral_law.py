"""The transforms of spectral laws: against independent quadrature, each other, and exact values."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy as sp
from flint import acb, arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_checks.spectral_law import (
    Exponential,
    FiniteSpectrum,
    MarchenkoPastur,
    NotASpectralLawError,
    PointMass,
    Power,
    SpectralLaw,
    Uniform,
    empirical_spectrum,
)

EMPIRICAL = empirical_spectrum(np.random.default_rng(7).exponential(size=64))
LAWS = [
    PointMass(Fraction(3, 2)),
    FiniteSpectrum((0, 1, 3), (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6))),
    Uniform(0, 2),
    Uniform(Fraction(1, 3), 5),
    Power(3, 2),
    Power(Fraction(7, 2), 5),
    Power(2, Fraction(3, 2)),
    Exponential(Fraction(2, 3)),
    MarchenkoPastur(Fraction(1, 2), 2),
    MarchenkoPastur(1),
    MarchenkoPastur(3, Fraction(1, 4)),
    EMPIRICAL,
]


def names(law: SpectralLaw) -> str:
    return type(law).__name__


def quadrature(law: SpectralLaw, integrand: Any) -> Any:
    """E integrand(T) by mpmath, from the density or quantile function of the law."""

    def number(x: Any) -> Any:
        return mpmath.mpf(Fraction(x).numerator) / Fraction(x).denominator

    if isinstance(law, PointMass):
        return integrand(number(law.t))
    if isinstance(law, FiniteSpectrum):
        assert law.weights is not None
        return mpmath.fsum(number(w) * integrand(number(t)) for t, w in zip(law.values, law.weights, strict=True))
    if isinstance(law, Uniform):
        low, high = number(law.low), number(law.high)
        return mpmath.quad(integrand, mpmath.linspace(low, high, 5)) / (high - low)
    if isinstance(law, Power):
        return mpmath.quad(lambda u: integrand(number(law.scale) * u ** number(law.p)), mpmath.linspace(0, 1, 9))
    if isinstance(law, Exponential):
        mean = number(law.expectation)
        return mpmath.quad(lambda t: integrand(mean * t) * mpmath.exp(-t), [0, 0.1, 1, 10, 40, 150])
    assert isinstance(law, MarchenkoPastur)
    y, scale = number(law.ratio), number(law.scale)
    root = mpmath.sqrt(y)

    def angular(half_angle: Any) -> Any:
        # x = 1 + y + 2 root cos(2 half_angle): the square roots at both edges become analytic.
        cosine, sine = mpmath.cos(half_angle), mpmath.sin(half_angle)
        x = (1 - root) ** 2 + 4 * root * cosine**2
        return integrand(scale * x) * 16 * y * (sine * cosine) ** 2 / (mpmath.pi * y * x)

    atom = max(mpmath.mpf(0), 1 - 1 / y)
    return mpmath.quad(angular, mpmath.linspace(0, mpmath.pi / 2, 9)) + atom * integrand(mpmath.mpf(0))


@pytest.mark.parametrize("law", LAWS, ids=names)
@pytest.mark.parametrize("a", ["0.01", "1", "25"])
def test_transforms_agree_with_quadrature(law: SpectralLaw, a: str) -> None:
    with mpmath.workdps(30), ctx.workprec(160):
        argument = mpmath.mpf(a)
        cases = [
            (law.stieltjes, lambda t: 1 / (1 + argument * t)),
            (law.absorbed, lambda t: argument * t / (1 + argument * t)),
            (law.slope, lambda t: t / (1 + argument * t) ** 2),
        ]
        for transform, integrand in cases:
            certified = mpmath.mpf(transform(arb(a)).mid().str(35, radius=False))
            # mpmath's quadrature of these analytic integrands is good to 20 of its 30 digits.
            assert abs(certified - quadrature(law, integrand)) < 1e-20


@pytest.mark.parametrize("law", LAWS, ids=names)
@pytest.mark.parametrize("exponent", [-60, -12, -3, 0, 3, 12, 60])
def test_no_digits_cancel_at_small_and_large_arguments(law: SpectralLaw, exponent: int) -> None:
    with ctx.workprec(200):
        a = (arb(10) ** exponent).mid()
        for value in (law.stieltjes(a), law.absorbed(a), law.slope(a)):
            assert value > 0
            assert value.rad() < abs(value) * arb("1e-45")
        assert (law.stieltjes(a) + law.absorbed(a)).contains(1)


@pytest.mark.parametrize("law", LAWS, ids=names)
def test_moments_are_the_taylor_coefficients_of_the_transform(law: SpectralLaw) -> None:
    """W(a)/a -> E T and (E T - W(a)/a)/a -> E T^2 from below, within a E T^3 <= a (bound on T)^3."""
    with ctx.workprec(400):
        a = arb(2) ** -100
        mean, second = (arb(int(m.p)) / int(m.q) for m in (law.mean, law.second_moment))
        slack = (mean - law.absorbed(a) / a) / a
        assert slack < second
        assert second - slack < a * 10**6  # the third moments of these laws are far below 10^6


def test_uniform_power_and_exponential_have_their_elementary_forms() -> None:
    with ctx.workprec(200):
        a = arb(3)
        assert Uniform(1, 4).stieltjes(a).overlaps(((1 + 4 * a) / (1 + a)).log() / (3 * a))
        assert Power(5, 2).stieltjes(a).overlaps((5 * a).sqrt().atan() / (5 * a).sqrt())
        x = acb(1 / (2 * a))
        assert Exponential(2).stieltjes(a).overlaps((x * x.exp() * x.expint(acb(1))).real)


def test_marchenko_pastur_has_its_atom_at_zero() -> None:
    with ctx.workprec(200):
        assert abs(MarchenkoPastur(4).stieltjes(arb(10) ** 50) - arb(3) / 4) < arb("1e-40")
        assert MarchenkoPastur(Fraction(1, 4)).stieltjes(arb(10) ** 50) < arb("1e-40")


@pytest.mark.parametrize("law", LAWS, ids=names)
def test_balls_of_arguments_are_enclosed(law: SpectralLaw) -> None:
    wide = arb(2, 1)
    for transform in (law.stieltjes, law.absorbed, law.slope, law.stieltjes_derivative):
        image = transform(wide)
        for a in (1, 1.5, 2, 3):
            assert image.overlaps(transform(arb(a)))
    assert law.absorbed(arb(0, 1).nonnegative_part()).contains(0)
    assert law.stieltjes(arb(0)) == 1


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.floats(0, 1e6, allow_subnormal=False), min_size=1, max_size=40),
    st.floats(1e-9, 1e9),
)
def test_float_sums_are_inside_their_rounding_bound(values: list[float], a: float) -> None:
    law = FiniteSpectrum(tuple(values))
    for name in ("stieltjes", "absorbed", "slope"):
        with ctx.workprec(53):
            quick = getattr(law, name)(arb(a))
        with ctx.workprec(300):
            precise = getattr(law, name)(arb(a))
        assert quick.contains(precise.mid())
        assert quick.rad() <= abs(precise) * 2.0**-51 * (len(values) + 16)  # twice the stated bound


def test_equal_values_are_merged_and_floats_are_exact() -> None:
    law = FiniteSpectrum((0.1, 2, 0.1, 2.0))
    assert law == FiniteSpectrum((0.1, 2), (Fraction(1, 2), Fraction(1, 2)))
    assert law.mean == (sp.Rational(0.1) + 2) / 2


def test_empirical_spectrum_of_a_matrix() -> None:
    matrix = np.diag([1.0, 1.0, 3.0]) + 0.0
    assert empirical_spectrum(matrix) == FiniteSpectrum((1, 1, 3))
    vector = np.array([1.0, 2.0, 2.0])
    rank_one = np.outer(vector, vector)
    assert abs(float(empirical_spectrum(rank_one).mean) - 3) < 1e-12  # trace 9 over 3, d u ||.|| = 6e-15


@pytest.mark.parametrize(
    "construct",
    [
        lambda: PointMass(-1),
        lambda: PointMass(float("nan")),
        lambda: FiniteSpectrum(()),
        lambda: FiniteSpectrum((1, -2)),
        lambda: FiniteSpectrum((1, 2), (1, 1)),
        lambda: Uniform(2, 1),
        lambda: Power(1, 0),
        lambda: Exponential(0),
        lambda: MarchenkoPastur(0),
        lambda: empirical_spectrum(np.array([[1.0, 2.0], [0.0, 1.0]])),
        lambda: empirical_spectrum(np.array([1.0, np.inf])),
    ],
)
def test_what_is_not_a_law_is_refused(construct: Any) -> None:
    with pytest.raises(NotASpectralLawError):
        construct()


def test_negative_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="a >= 0"):
        PointMass(1).stieltjes(arb(0, 1))
