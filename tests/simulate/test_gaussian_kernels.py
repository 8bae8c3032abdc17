"""Closed kernels, Mehler series and a plain two-dimensional quadrature agree, for unequal norms."""

from __future__ import annotations

import math

import jax.numpy as jnp
import numpy as np
import pytest

from simulate.activation_function import ActivationFunction, ClosedForm
from simulate.gaussian_kernels import (
    cancellation,
    closed_profile,
    family_of,
    normalised_kernel,
    polynomial_coefficients,
    series_profile,
    tabulated_coefficients,
)
from simulate.hermite_quadrature import (
    ACCURACY,
    PIECE_WIDTH,
    coefficient_table,
    composite_gauss_legendre,
    last_piece,
    norm_at,
    panel_edges,
    piece_of,
)
from simulate.random_features import _choose_kernel

EPS = np.finfo(np.float64).eps
NORMS = np.array([0.7, 1.0, 1.3])
COSINES = np.array([[0.6, -0.35, 0.1], [-0.55, 0.5, 0.2], [0.4, -0.6, 0.05]])
ORDER = 64


def erf(x):
    from jax.scipy.special import erf as jax_erf

    return jax_erf(x)


def homogeneous(degree, up, down):
    return lambda x: jnp.where(x > 0, up * jnp.abs(x) ** degree, jnp.where(x < 0, down * jnp.abs(x) ** degree, 0.0))


CLOSED = {
    "step": (homogeneous(0, 1.0, 0.0), ClosedForm("homogeneous", (0, 1.0, 0.0)), (0.0,)),
    "sign + 1/2": (lambda x: homogeneous(0, 1.0, -1.0)(x) + 0.5, ClosedForm("homogeneous", (0, 1, -1), 0.5), (0.0,)),
    "relu - 0.4": (lambda x: jnp.maximum(x, 0) - 0.4, ClosedForm("homogeneous", (1, 1.0, 0.0), -0.4), (0.0,)),
    "leaky": (homogeneous(1, 1.0, -0.1), ClosedForm("homogeneous", (1, 1.0, -0.1)), (0.0,)),
    "abs - 1": (lambda x: jnp.abs(x) - 1, ClosedForm("homogeneous", (1, 1.0, 1.0), -1.0), (0.0,)),
    "relu2": (homogeneous(2, 1.0, 0.0), ClosedForm("homogeneous", (2, 1.0, 0.0)), (0.0,)),
    "two-sided cube": (homogeneous(3, 1.5, -0.7), ClosedForm("homogeneous", (3, 1.5, -0.7)), (0.0,)),
    "2 erf(0.8 x) + 0.3": (lambda x: 2 * erf(0.8 * x) + 0.3, ClosedForm("erf", (2.0, 0.8), 0.3), ()),
    "sin(-1.7 x)": (lambda x: jnp.sin(-1.7 * x), ClosedForm("sin", (1.0, -1.7)), ()),
    "sin(x) + 1": (lambda x: jnp.sin(x) + 1, ClosedForm("sin", (1.0, 1.0), 1.0), ()),
    "3 cos(1.2 x) - 1": (lambda x: 3 * jnp.cos(1.2 * x) - 1, ClosedForm("cos", (3.0, 1.2), -1.0), ()),
    "exp(-0.6 x) - 1": (lambda x: jnp.exp(-0.6 * x) - 1, ClosedForm("exp", (1.0, -0.6), -1.0), ()),
    "x^3 - x^2/2 + 1": (
        lambda x: x**3 - x**2 / 2 + 1,
        ClosedForm("polynomial", (0.5, 0.0, -0.5, 1.0), 0.5),
        (),
    ),
    "2x + 1": (lambda x: 2 * x + 1, ClosedForm("polynomial", (1.0, 2.0)), ()),
}


def activation_of(name, closed=True):
    function, form, kinks = CLOSED[name]
    return ActivationFunction(function, function, kinks, 0.0, form if closed else None)


def plain_quadrature(function, kinks, width, left, right, cosine):
    """E f(left G) f(right G') by a product rule in the two arguments, split at the kinks.

    Also returns E f(left G)^2. The range is 10 standard deviations: beyond it the Gaussian is e^-50.
    """

    def rule(norm):
        return composite_gauss_legendre(panel_edges(-10 * norm, 10 * norm, kinks, width, 1))

    (u, p), (v, q) = rule(left), rule(right)
    a, b = u[:, None] / left, v[None, :] / right
    density = np.exp(-(a * a - 2 * cosine * a * b + b * b) / (2 * (1 - cosine**2)))
    density /= 2 * math.pi * math.sqrt(1 - cosine**2) * left * right
    fu, fv = np.asarray(function(jnp.asarray(u))), np.asarray(function(jnp.asarray(v)))
    phi = np.exp(-((u / left) ** 2) / 2) / (math.sqrt(2 * math.pi) * left)
    return (p * fu) @ density @ (q * fv), p @ (fu**2 * phi)


def brute_force(function, kinks, width):
    """The normalised kernel on NORMS x NORMS."""
    raw = np.empty((3, 3))
    moment = np.empty(3)
    for i, left in enumerate(NORMS):
        for j, right in enumerate(NORMS):
            raw[i, j], moment[i] = plain_quadrature(function, kinks, width, left, right, COSINES[i, j])
    return raw / np.sqrt(np.outer(moment, moment))


def closed_kernel(form):
    family, numbers = family_of(form)
    norms, cosines = jnp.asarray(NORMS), jnp.asarray(COSINES)
    if family == "polynomial":
        profile = series_profile(polynomial_coefficients(jnp.asarray(numbers), norms))
        return profile, normalised_kernel("series", jnp.asarray(numbers), profile, profile, cosines)
    profile = closed_profile(family, jnp.asarray(numbers), norms)
    return profile, normalised_kernel(family, jnp.asarray(numbers), profile, profile, cosines)


def series_kernel(activation, norms, cosines, order):
    first, last = piece_of(math.log(norms.min())), piece_of(math.log(norms.max()))
    table = coefficient_table(activation, first, last, order)
    coefficients = tabulated_coefficients(
        jnp.asarray(table), jnp.asarray(float(first)), jnp.asarray(0.0), jnp.asarray(norms)
    )
    profile = series_profile(coefficients)
    return profile, normalised_kernel("series", jnp.zeros(0), profile, profile, jnp.asarray(cosines))


def series_error(cosines, order):
    """A bound: coefficients err by 5 ACCURACY (quadrature and interpolation), sum |a_k r^k| is at most
    1/sqrt(1 - r^2) (Cauchy-Schwarz), and the tail is at most r^(order + 1)."""
    return 10 * ACCURACY / np.sqrt(1 - cosines**2) + np.abs(cosines) ** (order + 1)


@pytest.mark.parametrize("name", CLOSED)
def test_closed_kernel_is_the_mehler_series(name):
    closed, kernel = closed_kernel(CLOSED[name][1])
    series, expansion = series_kernel(activation_of(name, closed=False), NORMS, COSINES, ORDER)
    assert np.all(np.abs(kernel - expansion) <= series_error(COSINES, ORDER))
    assert np.all(np.abs(closed.mean - series.mean) <= 5 * ACCURACY)
    assert np.all(np.abs(closed.quadratic - series.quadratic) <= 5 * math.sqrt(2) * ACCURACY)


@pytest.mark.parametrize("name", CLOSED)
def test_closed_kernel_is_the_plain_double_integral(name):
    function, form, kinks = CLOSED[name]
    coarse, fine = brute_force(function, kinks, 1.6), brute_force(function, kinks, 0.8)
    # Halving the panels shows the error of the coarse rule; 64 eps for the sums of the fine one.
    bound = np.abs(fine - coarse).max() + 64 * EPS
    assert bound < 1e-9, "the reference itself must be sharp enough to convict"
    assert np.all(np.abs(closed_kernel(form)[1] - fine) <= bound)


@pytest.mark.parametrize(
    ("function", "kinks"),
    [
        (jnp.tanh, ()),
        (lambda x: jnp.tanh(20 * x), ()),
        (lambda x: x * jnp.sin(3 * x), ()),
        (lambda x: jnp.clip(x, -1, 1), (-1.0, 1.0)),
        (lambda x: jnp.where(x < 1, x, jnp.sqrt(jnp.abs(x))), (1.0,)),
    ],
)
def test_series_of_an_activation_without_closed_form_is_the_plain_double_integral(function, kinks):
    activation = ActivationFunction(function, function, kinks)
    coarse, fine = brute_force(function, kinks, 0.5), brute_force(function, kinks, 0.25)
    bound = np.abs(fine - coarse) + 64 * EPS
    assert bound.max() < 1e-5
    _, kernel = series_kernel(activation, NORMS, COSINES, ORDER)
    assert np.all(np.abs(kernel - fine) <= bound + series_error(COSINES, ORDER))


@pytest.mark.parametrize(
    ("function", "moment"),
    [
        # E|sG|^p = s^p 2^(p/2) Gamma((p+1)/2)/sqrt(pi), here with p = 1/2 and p = 1.
        (lambda x: jnp.sqrt(jnp.abs(x)), lambda p: 2 ** (p / 2) * math.gamma((p + 1) / 2) / math.sqrt(math.pi)),
    ],
)
def test_branch_point_at_a_kink_is_integrated_to_accuracy(function, moment):
    activation = ActivationFunction(function, function, (0.0,))
    profile, _ = series_kernel(activation, NORMS, COSINES, 8)
    # Homogeneous of degree 1/2: the normalised mean is the same at all norms.
    expected = moment(0.5) / math.sqrt(moment(1.0))
    assert np.all(np.abs(profile.mean - expected) <= 5 * ACCURACY)


def test_squares_of_the_coefficients_sum_to_one_for_an_entire_activation():
    function = lambda x: x * jnp.exp(-(x**2) / 4)  # noqa: E731
    profile, _ = series_kernel(ActivationFunction(function, function), NORMS, COSINES, 128)
    # a_k decays at least like (s^2/(4 + ...))^(k/2) < 0.8^(k/2): nothing is left beyond 128 but 1e-12.
    assert np.all(np.abs(jnp.sum(profile.series**2, axis=1) - 1) <= 0.8**128 + 2 * 129 * 5 * ACCURACY)


def test_sine_kernels_of_long_and_short_weights_neither_overflow_nor_cancel():
    long, short = np.array([40.0, 41.0]), np.array([1e-6, 2e-6])
    cosines = jnp.asarray([[1.0, 0.5], [0.5, 1.0]])
    for family in ("sin", "cos", "exp"):
        numbers = jnp.asarray([1.0, 1.0, 0.0])
        profile = closed_profile(family, numbers, jnp.asarray(long))
        kernel = normalised_kernel(family, numbers, profile, profile, cosines)
        assert np.all(np.isfinite(kernel))
        assert np.all(np.abs(jnp.diagonal(kernel) - 1) <= 16 * EPS)
    profile = closed_profile("sin", jnp.asarray([1.0, 1.0, 0.0]), jnp.asarray(short))
    kernel = normalised_kernel("sin", jnp.asarray([1.0, 1.0, 0.0]), profile, profile, cosines)
    # sin u = u (1 + O(u^2)), and the kernel of u is the cosine: the correction is of order 1e-12.
    assert np.all(np.abs(kernel - cosines) <= 1e-11)


def test_a_closed_form_that_cancels_is_replaced_by_quadrature():
    centre = math.exp(-0.005)
    form = ClosedForm("cos", (1.0, 0.1), -centre)
    function = lambda x: jnp.cos(0.1 * x) - centre  # noqa: E731
    assert cancellation(form, np.array([1.0])) < 1e-3
    activation = ActivationFunction(function, function, closed_form=form)
    assert _choose_kernel(activation, 0.9, 1.1, 16).family == "tabulated"
    wide = ActivationFunction(jnp.cos, jnp.sin, closed_form=ClosedForm("cos", (1.0, 1.0)))
    assert _choose_kernel(wide, 0.9, 1.1, 16).family == "cos"


def test_table_of_a_piece_does_not_depend_on_the_range_asked_for():
    activation = activation_of("relu - 0.4", closed=False)
    wide, narrow = coefficient_table(activation, -2, 1, 16), coefficient_table(activation, 0, 0, 16)
    assert np.array_equal(wide[2][: narrow.shape[1]], narrow[0])
    assert not np.any(wide[2][narrow.shape[1] :])


def test_gaussian_growth_limits_the_norms():
    function = lambda x: jnp.exp(x**2 / 8)  # noqa: E731
    activation = ActivationFunction(function, function, (), 0.5)
    last = last_piece(activation)
    assert last is not None
    largest = float(norm_at((last + 1) * PIECE_WIDTH, 0.5)) ** 2
    assert 1.7 < largest < 2
    assert last_piece(activation_of("leaky")) is None


@pytest.mark.parametrize("slope", [10.0, 1e3, 1e6])
def test_panels_gather_where_the_activation_is_steep(slope):
    """E[erf(a s G) G] = 2 a s/sqrt(pi (1 + 2 (a s)^2)), and E[erf(a s G)^2] = (4/pi) atan(sqrt(1 + 4 (a s)^2)) - 1."""
    activation = ActivationFunction(lambda x: erf(slope * x), lambda x: x)
    profile, _ = series_kernel(activation, NORMS, COSINES, 16)
    size = slope * NORMS
    first = 2 * size / np.sqrt(math.pi * (1 + 2 * size**2))
    exact = first / np.sqrt(4 / math.pi * np.arctan(np.sqrt(1 + 4 * size**2)) - 1)
    # Quadrature and interpolation, as in `series_error`.
    assert np.abs(np.asarray(profile.series)[:, 1] - exact).max() < 5 * ACCURACY


def test_a_jump_that_is_not_declared_is_cornered():
    activation = ActivationFunction(lambda x: jnp.where(x > 0.1234567, 1.0, 0.0), jnp.zeros_like)
    profile, _ = series_kernel(activation, NORMS, COSINES, 16)
    exact = np.sqrt([0.5 * math.erfc(0.1234567 / norm / math.sqrt(2)) for norm in NORMS])
    assert np.abs(np.asarray(profile.series)[:, 0] - exact).max() < 5 * ACCURACY


def test_an_activation_that_never_settles_is_refused():
    function = lambda x: jnp.sin(1e5 * x)  # noqa: E731
    with pytest.raises(FloatingPointError, match="oscillating"):
        coefficient_table(ActivationFunction(function, function), 0, 0, 16)


def test_the_zero_activation_is_refused():
    with pytest.raises(ValueError, match="vanishes"):
        coefficient_table(ActivationFunction(jnp.zeros_like, jnp.zeros_like), 0, 0, 16)


def test_a_homogeneous_form_of_another_degree_is_refused():
    with pytest.raises(ValueError, match="degree"):
        family_of(ClosedForm("homogeneous", (4, 1.0, 0.0)))
