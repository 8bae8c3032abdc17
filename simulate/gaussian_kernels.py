r"""Gram matrices of features sigma(<w_i, x>) under x ~ N(0, I), with x integrated out exactly.

With s_i = |w_i| and r the cosine between w_i and w_j, the pair (<w_i,x>, <w_j,x>) is (s_i G, s_j G') with
correlation r. A feature may be multiplied by any number without changing what the features span, so
everything here is for features scaled to second moment one. The kernel is then

  series        sum_k a_k(s_i) a_k(s_j) r^k       (Mehler; a_k normalised Hermite coefficients)
  homogeneous   the arc-cosine kernels of degree 0..3, with a slope on either side
  erf           an arcsine
  sin, cos, exp exponentials of |w_i - w_j|^2 and |w_i + w_j|^2

plus what an additive offset contributes. Polynomials are finite series.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from simulate.activation_function import ClosedForm
from simulate.hermite_quadrature import PIECE_WIDTH

ABSOLUTE_MOMENT = {0: 1.0, 1: math.sqrt(2 / math.pi), 2: 1.0, 3: 2 * math.sqrt(2 / math.pi), 4: 3.0, 6: 15.0}
"""E|G|^p for the p that occur."""


class Profile(NamedTuple):
    """What the kernel needs to know of each neuron (leading axis: neurons).

    The feature is scale * (offset + g(<w,x>)), of second moment one; `constant` = scale * offset.
    """

    mean: Array
    """E of the feature."""
    quadratic: Array
    """E[feature(s G) (G^2 - 1)]: the coefficient lambda_2 of the scaled feature."""
    constant: Array
    amplitude: Array
    """Factor of the closed kernel of g."""
    reach: Array
    """s in units of the scale of g, where g has one."""
    series: Array
    """Normalised Hermite coefficients, shape (neurons, order + 1); of width zero for closed kernels."""


def rows_of(profile: Profile, rows: slice) -> Profile:
    """The profile of some of the neurons."""
    return Profile(*(field[rows] for field in profile))


# --- closed kernels -----------------------------------------------------------------------------------


def family_of(closed_form: ClosedForm) -> tuple[str, np.ndarray]:
    """The name a program is compiled for, and the numbers it is traced with.

    The degree of a homogeneous activation belongs to the name. A polynomial's numbers are its
    coefficients, with the offset added to the first.
    """
    numbers = np.asarray(closed_form.numbers, dtype=np.float64)
    if closed_form.family == "polynomial":
        return "polynomial", np.concatenate([numbers[:1] + closed_form.offset, numbers[1:]])
    if closed_form.family == "homogeneous":
        degree = int(numbers[0])
        if degree != numbers[0] or not 0 <= degree <= 3:
            raise ValueError("a homogeneous closed form has degree 0, 1, 2 or 3; leave it out for others")
        return f"homogeneous{degree}", np.append(numbers[1:], closed_form.offset)
    return closed_form.family, np.append(numbers, closed_form.offset)


def unscaled_moments(family: str, numbers: Array, norms: Array) -> tuple[Array, ...]:
    """Of g at each norm: E g^2, E g, E[g (G^2 - 1)], amplitude, reach, and a scale.

    All but `reach` are those of g times `scale`, which only the exponential needs: exp(a s G) is scaled
    by exp(-a^2 s^2), since its own moments overflow for long weights.
    """
    one, zero = jnp.ones_like(norms), jnp.zeros_like(norms)
    if family.startswith("homogeneous"):
        degree = int(family[-1])
        up, down = numbers[0], numbers[1]
        power = norms**degree
        second = power**2 * (up**2 + down**2) / 2 * ABSOLUTE_MOMENT[2 * degree]
        # E|G|^(p+2) = (p+1) E|G|^p, so E[|G|^p (G^2 - 1)] = p E|G|^p.
        mean = power * (up + down) / 2 * ABSOLUTE_MOMENT[degree]
        return second, mean, degree * mean, power, one, one
    amplitude, x = numbers[0], jnp.abs(numbers[1]) * norms
    if family == "erf":
        reach = x / jnp.sqrt(0.5 + x * x)
        return amplitude**2 * 2 / math.pi * jnp.arcsin(reach**2), zero, zero, amplitude * one, reach, one
    if family == "sin":
        return -(amplitude**2) * jnp.expm1(-2 * x * x) / 2, zero, zero, amplitude * one, x, one
    if family == "cos":
        mean = amplitude * jnp.exp(-x * x / 2)
        return amplitude**2 * (1 + jnp.exp(-2 * x * x)) / 2, mean, -x * x * mean, amplitude * one, x, one
    assert family == "exp"
    mean = amplitude * jnp.exp(-x * x / 2)
    return amplitude**2 * one, mean, x * x * mean, amplitude * one, x, jnp.exp(-x * x)


def closed_profile(family: str, numbers: Array, norms: Array) -> Profile:
    second, mean, quadratic, amplitude, reach, unit = unscaled_moments(family, numbers, norms)
    constant = numbers[-1] * unit
    scale = 1 / jnp.sqrt(second + 2 * constant * mean + constant**2)
    return Profile(
        mean=scale * (mean + constant),
        quadratic=scale * quadratic,
        constant=scale * constant,
        amplitude=scale * amplitude,
        reach=reach,
        series=jnp.zeros((*norms.shape, 0)),
    )


def cancellation(closed_form: ClosedForm, norms: np.ndarray) -> float:
    """The least E sigma^2/(E g^2 + offset^2): how much of a closed kernel survives the offset.

    The kernel is a sum of terms of the size of the denominator, so it loses this factor in relative
    accuracy; an integral of (offset + g)^2 does not.
    """
    family, numbers = family_of(closed_form)
    second, mean, _, _, _, unit = unscaled_moments(family, jnp.asarray(numbers), jnp.asarray(norms))
    constant = numbers[-1] * unit
    return float(jnp.min((second + 2 * constant * mean + constant**2) / (second + constant**2)))


def _arc_cosine(degree: int, cosine: Array) -> Array:
    """2 pi E[(G)_+^p (G')_+^p] for correlation cos(theta)."""
    theta = jnp.arccos(cosine)
    sine = jnp.sqrt((1 - cosine) * (1 + cosine))
    obtuse = math.pi - theta
    if degree == 0:
        return obtuse
    if degree == 1:
        return sine + obtuse * cosine
    if degree == 2:
        return 3 * sine * cosine + obtuse * (1 + 2 * cosine**2)
    return sine * (4 + 11 * cosine**2) + obtuse * cosine * (9 + 6 * cosine**2)


def _bare_kernel(family: str, numbers: Array, left: Profile, right: Profile, cosine: Array) -> Array:
    """E[g(<w_i,x>) g(<w_j,x>)] in units of amplitude_i amplitude_j."""
    if family.startswith("homogeneous"):
        degree, up, down = int(family[-1]), numbers[0], numbers[1]
        same, opposite = _arc_cosine(degree, cosine), _arc_cosine(degree, -cosine)
        return ((up**2 + down**2) * same + 2 * up * down * opposite) / (2 * math.pi)
    product = left.reach[:, None] * right.reach[None, :]
    if family == "erf":
        return 2 / math.pi * jnp.arcsin(product * cosine)
    # exp(-(x_i^2 + x_j^2)/2) times sinh, cosh or exp of x_i x_j r, without overflow for long weights and
    # without cancellation for short ones.
    difference = left.reach[:, None] - right.reach[None, :]
    if family == "exp":
        return jnp.exp(-(difference**2) / 2 - product * (1 - cosine))
    size = jnp.abs(cosine)
    half_envelope = jnp.exp(-(difference**2) / 2 - product * (1 - size)) / 2
    if family == "cos":
        return half_envelope * (1 + jnp.exp(-2 * product * size))
    assert family == "sin"
    return -jnp.sign(cosine) * half_envelope * jnp.expm1(-2 * product * size)


# --- series -------------------------------------------------------------------------------------------


def series_profile(coefficients: Array) -> Profile:
    """`coefficients`: normalised Hermite coefficients (neurons, order + 1), order >= 2."""
    one, zero = jnp.ones_like(coefficients[:, 0]), jnp.zeros_like(coefficients[:, 0])
    return Profile(
        mean=coefficients[:, 0],
        quadratic=math.sqrt(2) * coefficients[:, 2],
        constant=zero,
        amplitude=one,
        reach=one,
        series=coefficients,
    )


def polynomial_coefficients(numbers: Array, norms: Array) -> Array:
    """Normalised Hermite coefficients of p_0 + p_1 s G + ... + p_n (s G)^n, of order max(n, 2)."""
    degree = len(numbers) - 1
    # E[G^m h_k(G)] = m!/((m-k)!! sqrt(k!)) for m - k even and not negative.
    moments = np.zeros((degree + 1, max(degree, 2) + 1))
    for m in range(degree + 1):
        for k in range(m % 2, m + 1, 2):
            double_factorial = math.prod(range(m - k, 0, -2))
            moments[m, k] = math.factorial(m) / (double_factorial * math.sqrt(math.factorial(k)))
    raw = (numbers * norms[:, None] ** jnp.arange(degree + 1)) @ moments
    return raw / jnp.linalg.norm(raw, axis=1, keepdims=True)


def tabulated_coefficients(table: Array, first: Array, growth: Array, norms: Array) -> Array:
    """Normalised Hermite coefficients at the given norms from `coefficient_table`.

    Norms outside the table are moved to its nearest end; the caller asks for a table that is wide enough.
    """
    pieces, points, _ = table.shape
    # Beyond the critical norm the argument of the logarithm is not positive: such neurons are left out.
    tau = -jnp.log(jnp.maximum(1 / norms**2 - growth, jnp.finfo(norms.dtype).tiny)) / 2
    position = jnp.clip(tau / PIECE_WIDTH - first, 0, pieces)
    piece = jnp.minimum(jnp.floor(position), pieces - 1)
    angle = jnp.arccos(jnp.clip(2 * (position - piece) - 1, -1, 1))
    basis = jnp.cos(jnp.arange(points) * angle[:, None])
    chosen = piece[:, None] == jnp.arange(pieces)
    # One product of matrices instead of a gathered table per neuron.
    spread = (chosen[:, :, None] * basis[:, None, :]).reshape(len(norms), pieces * points)
    return spread @ table.reshape(pieces * points, -1)


def _series_kernel(left: Array, right: Array, cosine: Array) -> Array:
    order = left.shape[1] - 1
    left_by_degree, right_by_degree = left.T, right.T

    def horner(step: int, value: Array) -> Array:
        k = order - step
        return value * cosine + left_by_degree[k][:, None] * right_by_degree[k][None, :]

    # Eight steps for each pass over the matrix: the passes, not the flops, are what costs.
    return jax.lax.fori_loop(0, order + 1, horner, jnp.zeros_like(cosine), unroll=min(8, order + 1))


def normalised_kernel(family: str, numbers: Array, left: Profile, right: Profile, cosine: Array) -> Array:
    """E of the product of the scaled features of each neuron of `left` and each of `right`.

    `cosine`: the matrix of cosines between their weights.
    """
    if family == "series":
        return _series_kernel(left.series, right.series, cosine)
    bare = _bare_kernel(family, numbers, left, right, cosine)
    # E[(c + g)(c' + g')] = E[g g'] + c E(g' + c') + (E(g + c) - c) c'
    return (
        left.amplitude[:, None] * right.amplitude[None, :] * bare
        + left.constant[:, None] * right.mean[None, :]
        + (left.mean - left.constant)[:, None] * right.constant[None, :]
    )
