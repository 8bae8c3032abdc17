r"""Kernels of features sigma(<w, x>) with unit weights w, x on the sphere of radius sqrt d or Gaussian.

With |w| = 1 the projection t = <w, x> has one law for every neuron: N(0, 1) for Gaussian x, and a density
proportional to (1 - t^2/d)^((d-3)/2) for x uniform on the sphere of radius sqrt d. Let p_0, p_1, ... be its orthonormal
polynomials and c_k = E[sigma(t) p_k(t)]. Then, with r = <w, v>,

    E[sigma(<w,x>) sigma(<v,x>)] = sum_k c_k^2 P_k(r),     E[x sigma(<w,x>)] = c_1 w,

where P_k(r) = r^k for Gaussian x (Mehler) and P_k is the Gegenbauer polynomial of dimension d with P_k(1) = 1 on the
sphere (Funk-Hecke). Both families obey P_{k+1} = up_k r P_k - down_k P_{k-1}.

The integrals are taken in s with t = s (Gaussian) or t = sqrt d sin(s) (sphere, density cos(s)^(d-2), smooth up to the
poles), on panels that end at the kinks and are bisected until each of them has settled.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from simulate.activation_function import ActivationFunction
from simulate.hermite_quadrature import NODES_PER_PANEL, composite_gauss_legendre, panel_edges

DataLaw = Literal["sphere", "gaussian"]

NEGLIGIBLE = 70.0
"""Where sigma(t)^2 times the density is below exp(-NEGLIGIBLE) = 4e-31 of its maximum, the integrals stop."""
SETTLED = 1e-11
"""Largest error of a coefficient c_k relative to sqrt(E sigma^2): two grids must agree to it."""
MOST_ROUNDS = 48
MOST_PANELS = 8192
CHUNK = 4096


@dataclass(frozen=True, eq=False)
class Kernel:
    """What a ridge simulation needs to know of an activation under one law of x."""

    energies: np.ndarray
    """c_0^2, ..., c_order^2."""
    second_moment: float
    """E sigma(t)^2: the diagonal of the kernel."""
    mean: float
    linear: float
    """c_1 = E[t sigma(t)]."""

    @property
    def nonlinear(self) -> float:
        """sqrt(E sigma^2 - c_0^2 - c_1^2), the size of what is not affine."""
        return math.sqrt(max(self.second_moment - self.mean**2 - self.linear**2, 0.0))

    @property
    def tail(self) -> float:
        """A bound on sum_{k > order} c_k^2, with the errors of the integrals."""
        slack = 4 * SETTLED * math.sqrt(len(self.energies))
        return max(self.second_moment - float(self.energies.sum()), 0.0) + slack * self.second_moment


# --- the law of a projection --------------------------------------------------------------------------


def _position(law: DataLaw, dimension: int, s: np.ndarray) -> np.ndarray:
    return s if law == "gaussian" else math.sqrt(dimension) * np.sin(s)


def _log_density(law: DataLaw, dimension: int, s: np.ndarray) -> np.ndarray:
    """Of s, normalised."""
    if law == "gaussian":
        return -s * s / 2 - math.log(2 * math.pi) / 2
    half = (dimension - 1) / 2
    with np.errstate(divide="ignore"):
        return (dimension - 2) * np.log(np.cos(s)) + math.lgamma(half + 0.5) - math.lgamma(half) - math.log(math.pi) / 2


def _orthonormal(law: DataLaw, dimension: int, t: np.ndarray, start: np.ndarray, order: int) -> Iterator[np.ndarray]:
    """start p_0(t), ..., start p_order(t): t p_k = a_{k+1} p_{k+1} + a_k p_{k-1}."""
    previous, current, a = np.zeros_like(t), start, 0.0
    for k in range(order + 1):
        yield current
        ahead = _coupling(law, dimension, k + 1)
        previous, current, a = current, (t * current - a * previous) / ahead, ahead


def _coupling(law: DataLaw, dimension: int, k: int) -> float:
    """a_k of the three-term recurrence."""
    if law == "gaussian":
        return math.sqrt(k)
    return math.sqrt(dimension * k * (k + dimension - 3) / ((2 * k + dimension - 4) * (2 * k + dimension - 2)))


def recurrence(law: DataLaw, dimension: int, terms: int) -> tuple[np.ndarray, np.ndarray]:
    """up_k and down_k, k < terms, of P_{k+1} = up_k r P_k - down_k P_{k-1}."""
    k = np.arange(terms, dtype=np.float64)
    if law == "gaussian":
        return np.ones(terms), np.zeros(terms)
    return (2 * k + dimension - 2) / (k + dimension - 2), k / (k + dimension - 2)


def largest_polynomial(law: DataLaw, dimension: int, degree: int, cosine: float) -> float:
    """A bound on |P_k(r)| for all k >= degree and |r| <= cosine.

    Laplace's integral P_k(r) = E(r + i sqrt(1 - r^2) s)^k, s a coordinate of a point on the unit sphere of
    R^(d-1), gives |P_k(r)| <= E(r^2 + (1 - r^2) s^2)^(k/2), which falls with k and grows with |r|.
    """
    if law == "gaussian" or cosine >= 1:
        return cosine**degree
    angle, weight = composite_gauss_legendre(np.linspace(-math.pi / 2, math.pi / 2, 129))
    # s = sin(angle) on the sphere of R^(d-1) has density cos(angle)^(d-3).
    density = np.exp(_log_density("sphere", dimension - 1, angle))
    size = cosine**2 + (1 - cosine**2) * np.sin(angle) ** 2
    return float(np.sum(weight * density * size ** (degree / 2)))


# --- integrals ----------------------------------------------------------------------------------------


def _sigma(activation: ActivationFunction, t: np.ndarray) -> np.ndarray:
    """sigma(t), by chunks of one size, since JAX compiles anew for each shape."""
    padded = np.resize(t, -(-len(t) // CHUNK) * CHUNK).reshape(-1, CHUNK)
    return np.concatenate([np.asarray(activation.value(jnp.asarray(chunk))) for chunk in padded])[: len(t)]


def _log_energy(activation: ActivationFunction, law: DataLaw, dimension: int, s: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        size = 2 * np.log(np.abs(_sigma(activation, _position(law, dimension, s))))
    energy = size + _log_density(law, dimension, s)
    return np.where(np.isnan(energy), np.inf, energy)


def _radius(activation: ActivationFunction, law: DataLaw, dimension: int) -> float:
    """Beyond this |s| the integrand of E sigma^2 is negligible."""
    ceiling = math.inf if law == "gaussian" else math.pi / 2
    radius = math.sqrt(2 * NEGLIGIBLE / (1 if law == "gaussian" else dimension))
    for _ in range(64):
        if radius >= ceiling:
            return ceiling
        outside = np.linspace(radius, min(1.05 * radius, ceiling), 97)
        # Offsets that are not rational, so that the zeros of an oscillating activation are not all met.
        inside = radius * (np.linspace(-1, 1, 2001) + 1e-4 * math.sqrt(2))
        out, peak = (_log_energy(activation, law, dimension, s) for s in (np.append(-outside, outside), inside))
        if np.all(np.isfinite(peak) | (peak == -np.inf)) and out.max() <= peak.max() - NEGLIGIBLE:
            return radius
        radius *= 1.25
    raise FloatingPointError("the activation grows too fast for its second moment; give one of slower growth")


def _settled_edges(activation: ActivationFunction, law: DataLaw, dimension: int) -> np.ndarray:
    """Panels on which sigma and sigma^2, times the density, are integrated to rounding by one Gauss rule."""
    radius = _radius(activation, law, dimension)
    unit = 1.0 if law == "gaussian" else 1 / math.sqrt(dimension)
    kinks = np.asarray(activation.kinks)
    if law == "sphere":
        kinks = np.arcsin(kinks[np.abs(kinks) < math.sqrt(dimension)] * unit)
    edges = panel_edges(-radius, radius, tuple(kinks), unit / 4, 24)

    def integrals(borders: np.ndarray) -> np.ndarray:
        s, weights = composite_gauss_legendre(borders)
        root = _sigma(activation, _position(law, dimension, s)) * np.exp(_log_density(law, dimension, s) / 2)
        both = weights * np.stack([root * np.exp(_log_density(law, dimension, s) / 2), root**2])
        return both.reshape(2, -1, NODES_PER_PANEL).sum(axis=2)

    for _ in range(MOST_ROUNDS):
        finer = np.sort(np.append(edges, (edges[:-1] + edges[1:]) / 2))
        whole, halves = integrals(edges), integrals(finer)
        gap = np.abs(whole - halves[:, ::2] - halves[:, 1::2])
        size = np.sqrt(halves[1].sum()) ** np.asarray([1.0, 2.0])
        # A thousandth of the accuracy for each panel: at most a few hundred of them are not exact.
        coarse = np.any(gap > SETTLED / 1000 * size[:, None], axis=0)
        if not coarse.any() or len(edges) > MOST_PANELS:
            return finer
        edges = np.sort(np.append(edges, ((edges[:-1] + edges[1:]) / 2)[coarse]))
    return edges


def _coefficients(
    activation: ActivationFunction, law: DataLaw, dimension: int, edges: np.ndarray, order: int
) -> tuple[np.ndarray, float]:
    """c_0..c_order and E sigma^2 on a grid."""
    s, weights = composite_gauss_legendre(edges)
    t, root_density = _position(law, dimension, s), np.exp(_log_density(law, dimension, s) / 2)
    root = _sigma(activation, t) * root_density
    if not np.all(np.isfinite(root)):
        raise FloatingPointError("the activation is not finite where it is integrated; declare its kinks")
    weighted = weights * root
    columns = [float(weighted @ column) for column in _orthonormal(law, dimension, t, root_density, order)]
    return np.asarray(columns), float(weighted @ root)


@lru_cache(maxsize=256)
def kernel(activation: ActivationFunction, law: DataLaw, dimension: int, order: int) -> Kernel:
    """The kernel of an activation for x of this law, its series cut after `order`."""
    if law not in ("sphere", "gaussian"):
        raise ValueError(f"the law of x is sphere or gaussian, not {law!r}")
    if dimension < 3 or order < 1:
        raise ValueError("kernels need dimension 3 or more and order 1 or more")
    edges = _settled_edges(activation, law, dimension)
    # Panels of 12/sqrt(order) hold at most two wavelengths of p_order.
    while np.diff(edges).max() * (1 if law == "gaussian" else math.sqrt(dimension)) > 12 / math.sqrt(order + 1):
        edges = np.sort(np.append(edges, (edges[:-1] + edges[1:]) / 2))
    coarse, second_moment = _coefficients(activation, law, dimension, edges, order)
    halved = np.sort(np.append(edges, (edges[:-1] + edges[1:]) / 2))
    fine, finer_moment = _coefficients(activation, law, dimension, halved, order)
    size = math.sqrt(finer_moment)
    if not size > 0:
        raise ValueError("the activation vanishes where it is integrated; give another")
    if np.abs(fine - coarse).max() > SETTLED * size or abs(finer_moment - second_moment) > SETTLED * finer_moment:
        raise FloatingPointError("the coefficients of the activation do not settle; declare its kinks")
    return Kernel(fine**2, finer_moment, float(fine[0]), float(fine[1]))


def kernel_matrix(energies: Array, up: Array, down: Array, terms: Array, second_moment: Array, cosine: Array) -> Array:
    """sum_{k < terms} c_k^2 P_k(cosine), by Clenshaw, with the exact diagonal. `cosine` is square."""

    def step(index: Array, state: tuple[Array, Array]) -> tuple[Array, Array]:
        k = terms - 1 - index
        ahead, beyond = state
        return energies[k] + up[k] * cosine * ahead - down[k + 1] * beyond, ahead

    zero = jnp.zeros_like(cosine)
    off_diagonal, _ = jax.lax.fori_loop(0, terms, step, (zero, zero))
    return jnp.where(jnp.eye(len(cosine)) > 0, second_moment, off_diagonal)
