r"""Ridge regression on random features in the proportional regime, with everything averaged that can be.

Weights w_1..w_N uniform on the unit sphere of R^d; data x_1..x_n uniform on the sphere of radius sqrt d, or N(0, I_d);
y_i = <beta_0, x_i> + eps_i, eps_i ~ N(0, tau^2). With U the n x N matrix of features, kappa = n N lambda/d,

    a^ = argmin (1/n) |y - U a|^2 + (N lambda/d) |a|^2 = A y,   A = (U'U + kappa)^{-1} U' = U'(U U' + kappa)^{-1}.

The features are u_ij = sigma(<w_j, x_i>) ("nonlinear"), or b_1 <w_j, x_i> + b_* z_ij with z_ij ~ N(0, 1) independent
("noisy_linear"), or the same plus b_0 = E sigma(G) ("noisy_linear_with_mean").

Given W and X (and z) everything is linear or quadratic in y, so the averages over beta_0 uniform of norm one, over the
noise, and over a fresh x are exact. With K = E[u u'] and E[x u'] = c_1 W' of a fresh point (see spherical_kernels.py),
M = A X, and norms of Frobenius,

    excess risk        signal  1 - 2 c_1 <W, M>/d + <M, K M>/d           noise  <A, K A>
    training error     signal  |X - U M|^2/(n d)                         noise  |I - U A|^2/n
    coefficient norm   signal  |M|^2/d                                   noise  |A|^2

and the test error is the excess risk plus the noise of the fresh response. Only the spectra of random matrices
fluctuate. The smaller of U'U and U U' is factorised.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Literal, NamedTuple, get_args

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from simulate.activation_function import ActivationFunction
from simulate.precision import SHARE_OF_MEMORY, float64_vector
from simulate.random_features import ORDERS, likely_order
from simulate.spherical_kernels import DataLaw, Kernel, kernel, kernel_matrix, largest_polynomial, recurrence

Features = Literal["nonlinear", "noisy_linear", "noisy_linear_with_mean"]
Quantity = Literal["excess_risk", "test_error", "training_error", "coefficient_norm"]

TRUNCATION = 1e-8
"""Largest relative error of an excess risk from cutting the series of the kernel: far below any spread of it."""
LARGEST = 4e9
"""Bytes that one replicate may take: n = N = d = 3000 takes a fifth of it."""


def draw_design(key: Array, *, dimension: int, neurons: int, samples: int, data: DataLaw) -> tuple[Array, Array]:
    """W (N x d) and X (n x d) of one replicate, the same for all kinds of features."""
    # One draw for both: the generator is what takes longest to compile.
    shape = (neurons + samples, dimension)
    rows = jax.random.normal(jax.random.fold_in(key, 0), shape, dtype=jnp.float64)
    lengths = jnp.linalg.norm(rows, axis=1, keepdims=True)
    x = rows[neurons:]
    if data == "sphere":
        x = x * (math.sqrt(dimension) / lengths[neurons:])
    return rows[:neurons] / lengths[:neurons], x


def draw_latent(key: Array, *, neurons: int, samples: int) -> Array:
    """z (n x N) of one replicate."""
    return jax.random.normal(jax.random.fold_in(key, 1), (samples, neurons), dtype=jnp.float64)


class _Design(NamedTuple):
    """W, X and the projections X W' of a batch of replicates."""

    weights: Array
    data: Array
    projections: Array


@partial(jax.jit, static_argnames=("dimension", "neurons", "samples", "data"))
def _designs(keys: Array, *, dimension: int, neurons: int, samples: int, data: DataLaw) -> _Design:
    def one(key: Array) -> _Design:
        weights, x = draw_design(key, dimension=dimension, neurons=neurons, samples=samples, data=data)
        return _Design(weights, x, x @ weights.T)

    return jax.lax.map(one, keys)


@partial(jax.jit, static_argnames=("neurons", "samples"))
def _noisy_linear(keys: Array, projections: Array, numbers: Array, *, neurons: int, samples: int) -> Array:
    """mean + slope <w,x> + latent z, for numbers = (mean, slope, latent)."""
    latent = jax.lax.map(lambda key: draw_latent(key, neurons=neurons, samples=samples), keys)
    return numbers[0] + numbers[1] * projections + numbers[2] * latent


@partial(jax.jit, static_argnames=("activation",))
def _nonlinear(projections: Array, *, activation: ActivationFunction) -> Array:
    return activation.value(projections)


class _Parts(NamedTuple):
    """Signal and noise parts of each quantity, and the largest cosine between two weights."""

    excess_risk: tuple[Array, Array]
    training_error: tuple[Array, Array]
    coefficient_norm: tuple[Array, Array]
    cosine: Array


@jax.jit
def _parts(
    weights: Array, data: Array, features: Array, series: tuple[Array, ...], moments: Array, penalty: Array
) -> _Parts:
    """One replicate after the other. `moments`: E u^2 and c_1; `series`: energies, up, down, number of terms."""

    def one(replicate: tuple[Array, Array, Array]) -> _Parts:
        w, x, u = replicate
        (neurons, dimension), samples = w.shape, len(x)
        cosine = jnp.clip(w @ w.T, -1, 1)
        energies, up, down, terms = series
        k = kernel_matrix(energies, up, down, terms, moments[0], cosine)
        primal = neurons <= samples
        gram = u.T @ u if primal else u @ u.T
        size = len(gram)
        lower = jax.lax.linalg.cholesky(gram + penalty * jnp.eye(size), symmetrize_input=False)
        half = jax.lax.linalg.triangular_solve(lower, jnp.eye(size), left_side=True, lower=True)
        inverse = half.T @ half
        shrunk = penalty**2 * jnp.sum(inverse**2)  # |kappa (gram + kappa)^{-1}|^2
        if primal:
            m = inverse @ (u.T @ x)
            outer = inverse - penalty * (inverse @ inverse)  # A A' = G (U'U) G
            norm_noise, risk_noise = jnp.trace(outer), jnp.sum(k * outer)
            residual, residual_noise = x - u @ m, samples - neurons + shrunk
        else:
            # I - U A = kappa (U U' + kappa)^{-1}, which is small where the training data are interpolated.
            residual, residual_noise = penalty * (inverse @ x), shrunk
            a = u.T @ inverse
            m = a @ x
            norm_noise, risk_noise = jnp.sum(a**2), jnp.sum(a * (k @ a))
        risk = 1 - 2 * moments[1] * jnp.sum(w * m) / dimension + jnp.sum(m * (k @ m)) / dimension
        return _Parts(
            excess_risk=(risk, risk_noise),
            training_error=(jnp.sum(residual**2) / (samples * dimension), residual_noise / samples),
            coefficient_norm=(jnp.sum(m**2) / dimension, norm_noise),
            cosine=jnp.max(jnp.where(jnp.eye(neurons) > 0, 0, jnp.abs(cosine))),
        )

    return jax.lax.map(one, (weights, data, features))


def _check(dimension: int, neurons: int, samples: int, ridge: float, signal: float, noise: float) -> None:
    float64_vector([ridge, signal, noise], 3, "the vector of ridge, signal and noise")
    if dimension < 3 or neurons < 1 or samples < 1:
        raise ValueError("ridge regression needs dimension 3 or more, and at least one neuron and one sample")
    if ridge <= 0 or signal < 0 or noise < 0 or signal + noise <= 0:
        raise ValueError("give a ridge > 0, and signal and noise >= 0, not both zero")


class _Model(NamedTuple):
    """How features are made, and their kernel on a fresh point."""

    numbers: tuple[float, float, float] | None
    """Mean, slope and latent of noisy linear features."""
    kernel: Kernel
    law: DataLaw
    """Which polynomials the series of the kernel is in."""


def _model(activation: ActivationFunction, features: Features, data: DataLaw, dimension: int, order: int) -> _Model:
    if features == "nonlinear":
        return _Model(None, kernel(activation, data, dimension, order), data)
    gaussian = kernel(activation, "gaussian", dimension, ORDERS[0])
    mean = gaussian.mean if features == "noisy_linear_with_mean" else 0.0
    slope, latent = gaussian.linear, gaussian.nonlinear
    # z is independent of all else, so it enters the diagonal of E[u u'] alone; P_1(r) = r under either law.
    affine = Kernel(np.asarray([mean**2, slope**2]), mean**2 + slope**2 + latent**2, mean, slope)
    return _Model((mean, slope, latent), affine, "gaussian")


def _evaluate(keys: Array, design: _Design, model: _Model, activation: ActivationFunction, penalty: float) -> _Parts:
    _, samples, neurons = design.projections.shape
    if model.numbers is None:
        u = _nonlinear(design.projections, activation=activation)
    else:
        numbers = jnp.asarray(model.numbers)
        u = _noisy_linear(keys, design.projections, numbers, neurons=neurons, samples=samples)
    energies = model.kernel.energies
    up, down = recurrence(model.law, design.data.shape[-1], ORDERS[-1] + 2)
    # Padded to one length, so that a longer series is no new program.
    padded = np.pad(energies, (0, ORDERS[-1] + 1 - len(energies)))
    series = tuple(jnp.asarray(part) for part in (padded, up, down, len(energies)))
    moments = jnp.asarray([model.kernel.second_moment, model.kernel.linear])
    return _parts(design.weights, design.data, u, series, moments, jnp.asarray(penalty))


def _truncation(parts: _Parts, model: _Model, dimension: int, neurons: int, signal: float, noise: float) -> float:
    """A bound on the relative error of the excess risk from cutting the series: |<M, dK M>| <= N max|dK| |M|^2."""
    terms = len(model.kernel.energies)
    worst = model.kernel.tail * largest_polynomial(model.law, dimension, terms, float(jnp.max(parts.cosine)))
    norm = signal * parts.coefficient_norm[0] + noise * parts.coefficient_norm[1]
    risk = signal * parts.excess_risk[0] + noise * parts.excess_risk[1]
    return float(jnp.max(neurons * worst * norm / risk))


def _measure(
    keys: Array,
    kinds: tuple[Features, ...],
    *,
    dimension: int,
    neurons: int,
    samples: int,
    ridge: float,
    quantity: Quantity,
    signal: float,
    noise: float,
    data: DataLaw,
    activation: ActivationFunction,
) -> list[Array]:
    """`quantity` for each key and each kind of features, all kinds with the same weights and data."""
    _check(dimension, neurons, samples, ridge, signal, noise)
    if quantity not in get_args(Quantity) or not {*kinds} <= {*get_args(Features)} or data not in get_args(DataLaw):
        raise ValueError(f"there is no quantity {quantity!r} of {kinds[0]!r} features on {data!r} data")
    # W, X, z, projections, features, and the kernel, Gram matrices and their temporaries.
    bytes_of_one = 8.0 * (dimension * (neurons + 2 * samples) + 4 * samples * neurons + 4 * neurons**2)
    if bytes_of_one > LARGEST:
        raise FloatingPointError(
            f"{neurons} neurons and {samples} samples do not fit in memory; give smaller psi1, psi2"
        )
    batch = int(min(len(keys), max(1, SHARE_OF_MEMORY // bytes_of_one)))
    columns: list[list[Array]] = [[] for _ in kinds]
    for start in range(0, len(keys), batch):
        some = keys[start : start + batch]
        design = _designs(some, dimension=dimension, neurons=neurons, samples=samples, data=data)
        for kind, column in zip(kinds, columns, strict=True):
            parts = _settled_parts(some, design, kind, data, activation, ridge, signal, noise)
            of_signal, of_noise = parts.excess_risk if quantity == "test_error" else getattr(parts, quantity)
            fresh = noise if quantity == "test_error" else 0.0
            column.append(signal * of_signal + noise * of_noise + fresh)
    return [jnp.concatenate(column) for column in columns]


def _settled_parts(
    keys: Array,
    design: _Design,
    features: Features,
    data: DataLaw,
    activation: ActivationFunction,
    ridge: float,
    signal: float,
    noise: float,
) -> _Parts:
    """With a series of the kernel that is long enough for the weights that were drawn."""
    _, samples, neurons = design.projections.shape
    dimension = design.data.shape[-1]
    order = likely_order(dimension, neurons)
    while True:
        model = _model(activation, features, data, dimension, order)
        parts = _evaluate(keys, design, model, activation, samples * neurons * ridge / dimension)
        if not bool(jnp.all(jnp.isfinite(jnp.asarray(parts.coefficient_norm)))):
            raise FloatingPointError("the Gram matrix cannot be factorised; give a larger ridge or a tamer activation")
        if features != "nonlinear" or _truncation(parts, model, dimension, neurons, signal, noise) <= TRUNCATION:
            return parts
        if order == ORDERS[-1]:
            raise FloatingPointError(
                f"two of the {neurons} weights in dimension {dimension} are too nearly parallel for the series"
            )
        order = ORDERS[min(ORDERS.index(order) + 2, len(ORDERS) - 1)]


def ridge_regression(
    keys: Array,
    *,
    dimension: int,
    neurons: int,
    samples: int,
    ridge: float,
    quantity: Quantity,
    signal: float = 1.0,
    noise: float = 0.0,
    features: Features = "nonlinear",
    data: DataLaw = "gaussian",
    activation: ActivationFunction,
) -> Array:
    """`quantity` for each key, with |beta_0|^2 = `signal` and tau^2 = `noise`.

    Raises FloatingPointError rather than return a number that rounding or the cut series has spoilt.
    """
    (values,) = _measure(
        keys,
        (features,),
        dimension=dimension,
        neurons=neurons,
        samples=samples,
        ridge=ridge,
        quantity=quantity,
        signal=signal,
        noise=noise,
        data=data,
        activation=activation,
    )
    return values


def feature_ratio(
    keys: Array,
    *,
    dimension: int,
    neurons: int,
    samples: int,
    ridge: float,
    quantity: Quantity,
    noise: float = 0.0,
    features: Features,
    data: DataLaw = "gaussian",
    activation: ActivationFunction,
) -> Array:
    """`quantity` with noisy linear `features` over that with nonlinear ones, on the same weights and data."""
    noisy, nonlinear = _measure(
        keys,
        (features, "nonlinear"),
        dimension=dimension,
        neurons=neurons,
        samples=samples,
        ridge=ridge,
        quantity=quantity,
        signal=1.0,
        noise=noise,
        data=data,
        activation=activation,
    )
    return noisy / nonlinear


def ridge_regression_cost(dimension: int, neurons: int, samples: int) -> float:
    """Flops of one replicate: projections, Gram matrix, factor and inverse, products with the kernel."""
    small, large = min(neurons, samples), max(neurons, samples)
    products = 4 * dimension * neurons * samples + 2 * small**2 * large + 4 * neurons**2 * dimension
    solve = 4 * small**3 + (0 if neurons <= samples else 2 * samples * neurons * (samples + neurons))
    series = 4 * likely_order(dimension, neurons) * neurons**2
    return float(products + solve + series)
