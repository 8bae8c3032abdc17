r"""Hermite coefficients of sigma(s .) for every norm s at once, by our own quadrature.

With h_k = He_k/sqrt(k!) and the density phi of G ~ N(0, 1), the coefficients

    a_k(s) = E[sigma(s G) h_k(G)] = \int sigma(u) h_k(u/s) phi(u/s)/s du

need sigma only on a grid in u that does not depend on s. The features of a neuron may be scaled at
will, so what is tabulated are the normalised coefficients a_k(s)/sqrt(E sigma(sG)^2), whose squares
sum to one.

As a function of s they are analytic: the variable is tau = -log(1/s^2 - c)/2, where c is the Gaussian
growth of sigma, so that the norm 1/sqrt(c) at which E sigma^2 becomes infinite lies at tau = infinity
(and tau = log s when c = 0). On each interval [j w, (j+1) w] of tau, a *piece*, they are interpolated at
Chebyshev points. Both the grid and the number of points are doubled until nothing moves by more than
`ACCURACY`; if that never happens, a FloatingPointError says so.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import jax.numpy as jnp
import numpy as np
from numpy.polynomial import chebyshev

from simulate.activation_function import ActivationFunction

PIECE_WIDTH = 0.25
ACCURACY = 1e-12
"""Largest absolute error of a normalised coefficient (whose natural size is at most one)."""
NODES_PER_PANEL = 16
FINEST_LEVEL = 7
MOST_BISECTIONS = 40
"""Panels are bisected where sigma is steep at most this often: by then a jump has been cornered to 2^-42."""
MOST_PANELS = 8192
"""A finer grid is not tried: 20 times what sin(100 u) needs, and a second of work per order 100."""
CHUNK = 4096
MOST_INTERPOLATION_POINTS = 256

# Beyond the integration range sigma(u)^2 phi(u/s) is below exp(-66) of its maximum, hence
# sigma(u) sqrt(phi(u/s)) below exp(-33) = 5e-15 of its own; the other factor, h_k sqrt(phi), is below
# 1.09 (Cramer), so every coefficient keeps ACCURACY with room for a polynomial prefactor.
NEGLIGIBLE = 66.0


def damped_hermite(z: np.ndarray, order: int):
    """h_0(z) e^{-z^2/4}, ..., h_order(z) e^{-z^2/4}, one after the other (bounded by 1.09)."""
    previous, current = np.zeros_like(z), np.exp(-z * z / 4)
    for k in range(order + 1):
        yield current
        previous, current = current, (z * current - math.sqrt(k) * previous) / math.sqrt(k + 1)


def panel_edges(low: float, high: float, kinks: tuple[float, ...], width: float, depth: int) -> np.ndarray:
    """Edges of panels no wider than `width`, shrinking by four toward each kink, `depth` times.

    On [delta, 4 delta] beside a branch point the convergence factor of Gauss-Legendre is 3 per node, so
    sixteen nodes integrate sqrt|u| or u log|u| to rounding; what is left is the innermost panel.
    """
    inside = sorted({kink for kink in kinks if low < kink < high})
    stations = [low, *inside, high]
    edges = [np.asarray(stations)]
    for left, right in pairwise(stations):
        reach = min(width, (right - left) / 2)
        ladder = reach * 0.25 ** np.arange(depth)
        start, stop = left, right
        if left in inside:
            edges.append(left + ladder)
            start = left + reach
        if right in inside:
            edges.append(right - ladder)
            stop = right - reach
        # Far out, where only a smooth Gaussian factor is left to resolve, panels may grow with |u|.
        position = start
        while position < stop:
            edges.append(np.asarray([position]))
            position += max(width, width * abs(position) / 16)
    return np.unique(np.concatenate(edges))


def composite_gauss_legendre(edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of the Gauss-Legendre rule repeated on every panel."""
    points, weights = np.polynomial.legendre.leggauss(NODES_PER_PANEL)
    half = np.diff(edges)[:, None] / 2
    nodes = (edges[:-1, None] + half) + half * points
    return nodes.ravel(), (half * weights).ravel()


def _values(activation: ActivationFunction, u: np.ndarray) -> np.ndarray:
    """sigma(u), by chunks of one size: JAX compiles each operation anew for each shape it meets."""
    padded = np.resize(u, -(-len(u) // CHUNK) * CHUNK)
    values = [np.asarray(activation.value(jnp.asarray(chunk))) for chunk in padded.reshape(-1, CHUNK)]
    return np.concatenate(values)[: len(u)].astype(np.float64)


def _log_energy(activation: ActivationFunction, u: np.ndarray, norm: float) -> np.ndarray:
    """log of sigma(u)^2 phi(u/norm), up to a constant; plus infinity where sigma overflows."""
    with np.errstate(divide="ignore", invalid="ignore"):
        energy = 2 * np.log(np.abs(_values(activation, u))) - u * u / (2 * norm * norm)
    return np.where(np.isnan(energy), np.inf, energy)


def piece_of(tau: float) -> int:
    return math.floor(tau / PIECE_WIDTH)


def norm_at(tau: np.ndarray | float, growth: float) -> np.ndarray:
    return 1 / np.sqrt(np.exp(-2 * np.asarray(tau)) + growth)


@lru_cache(maxsize=256)
def last_piece(activation: ActivationFunction) -> int | None:
    """The last piece whose integrals fit in double precision; None if there is no limit.

    Only an activation of Gaussian growth has one: E sigma(sG)^2 is infinite for s^2 >= 1/growth, and
    just below that norm the integrand reaches out to where sigma itself overflows.
    """
    if activation.gaussian_growth <= 0:
        return None
    piece = piece_of(-math.log(1e-12) / 2)
    while piece > piece_of(math.log(1e-12)) and _integration_radius(activation, piece) is None:
        piece -= 1
    return piece


@lru_cache(maxsize=1024)
def _integration_radius(activation: ActivationFunction, piece: int) -> float | None:
    """Beyond this |u| the integrands of a piece are negligible; None if sigma overflows before."""
    tau = (piece + 1) * PIECE_WIDTH
    norm = float(norm_at(tau, activation.gaussian_growth))
    radius = math.sqrt(2 * NEGLIGIBLE) * math.exp(tau)
    for _ in range(80):
        # Just outside; no further, since sigma of Gaussian growth overflows soon after.
        outside = np.linspace(radius, 1.05 * radius, 97)
        energy = _log_energy(activation, np.concatenate([-outside, outside]), norm)
        if np.any(energy == np.inf):
            return None
        # Irrational offsets, so that the zeros of an oscillating activation are not all hit.
        inside = radius * (np.linspace(-1, 1, 2001) + 1e-4 * math.sqrt(2))
        if energy.max() <= _log_energy(activation, inside, norm).max() - NEGLIGIBLE:
            return radius
        radius *= 1.25
    return None


@dataclass(frozen=True, eq=False)
class _Grid:
    """sigma on a quadrature grid."""

    nodes: np.ndarray
    weights: np.ndarray
    values: np.ndarray


def _panel_width(activation: ActivationFunction, piece: int, order: int, level: int) -> float:
    shortest = float(norm_at(piece * PIECE_WIDTH, activation.gaussian_growth))
    # h_k(u/s) has wavelength at least 2 pi s/sqrt(k + 1/2): a panel of 12 s/sqrt(order) spans at most
    # two of them, which sixteen nodes resolve to (2 pi e/64)^32 < 1e-18. The Gaussian needs about s.
    return min(0.25, shortest / 2, 12 * shortest / math.sqrt(order + 1)) / 2**level


@lru_cache(maxsize=256)
def _resolved_edges(activation: ActivationFunction, piece: int, order: int, radius: float) -> np.ndarray:
    """Panels on each of which sigma, damped by the Gaussian, is a polynomial to ACCURACY.

    A panel is bisected while its last two Legendre coefficients, times its length, are above ACCURACY/100
    of the largest value: tanh(1000 u) needs fine panels near 0 and nowhere else.
    """
    longest = float(norm_at((piece + 1) * PIECE_WIDTH, activation.gaussian_growth))
    points, weights = np.polynomial.legendre.leggauss(NODES_PER_PANEL)
    degrees = np.arange(NODES_PER_PANEL - 2, NODES_PER_PANEL)
    analysis = np.polynomial.legendre.legvander(points, NODES_PER_PANEL - 1)[:, degrees]
    analysis = weights[:, None] * analysis * (degrees + 0.5)
    edges = panel_edges(-radius, radius, activation.kinks, _panel_width(activation, piece, order, 0), 12)
    for _ in range(MOST_BISECTIONS):
        nodes, _ = composite_gauss_legendre(edges)
        with np.errstate(invalid="ignore"):  # what is not finite is refused by `_grid`
            root = _values(activation, nodes) * np.exp(-((nodes / longest) ** 2) / 4)
        tail = np.abs(root.reshape(-1, NODES_PER_PANEL) @ analysis).max(axis=1)
        steep = tail * np.diff(edges) > ACCURACY / 100 * longest * np.abs(root).max()
        if not steep.any() or len(edges) > MOST_PANELS:
            break
        edges = np.union1d(edges, (edges[:-1] + edges[1:])[steep] / 2)
    return edges


def _halved(edges: np.ndarray, level: int) -> np.ndarray:
    for _ in range(level):
        edges = np.union1d(edges, (edges[:-1] + edges[1:]) / 2)
    return edges


def _grid(activation: ActivationFunction, piece: int, order: int, level: int) -> _Grid:
    radius = _integration_radius(activation, piece)
    if radius is None:
        raise FloatingPointError(
            "the activation overflows double precision where its second moment is still gathered; "
            "scale the weights or the activation down"
        )
    width = _panel_width(activation, piece, order, level)
    edges = panel_edges(-radius, radius, activation.kinks, width, 12 * (level + 1))
    # Each level halves every panel of the one before: two levels that agree are no accident of one grid.
    edges = np.union1d(edges, _halved(_resolved_edges(activation, piece, order, radius), level))
    nodes, weights = composite_gauss_legendre(edges)
    values = _values(activation, nodes)
    if not np.all(np.isfinite(values)):
        raise FloatingPointError("the activation is not finite where it is integrated; declare its kinks")
    return _Grid(nodes, weights, values)


def _coefficients(grid: _Grid, norms: np.ndarray, order: int) -> np.ndarray:
    """Normalised coefficients on a grid: shape (len(norms), order + 1)."""
    z = grid.nodes / norms[:, None]
    root = grid.values * np.exp(-z * z / 4)
    peak = np.abs(root).max()
    if peak == 0:
        raise ValueError(
            "the activation vanishes, or rounds to zero, where it is integrated; give another, or a larger dimension"
        )
    root /= peak
    weighted = root * grid.weights
    root_two_pi = math.sqrt(2 * math.pi)
    second_moment = np.sum(weighted * root, axis=1) / (norms * root_two_pi)
    columns = [np.einsum("ij,ij->i", weighted, psi) for psi in damped_hermite(z, order)]
    return np.stack(columns, axis=1) / (norms * root_two_pi * np.sqrt(second_moment))[:, None]


@lru_cache(maxsize=256)
def _settled_grid(activation: ActivationFunction, piece: int, order: int) -> _Grid:
    """The coarsest grid on which the coefficients agree with those of the grid twice as fine."""
    norms = norm_at((piece + np.asarray([0.0, 0.5, 1.0])) * PIECE_WIDTH, activation.gaussian_growth)
    coarse = _grid(activation, piece, order, 0)
    before = _coefficients(coarse, norms, order)
    for level in range(1, FINEST_LEVEL + 1):
        if len(coarse.nodes) > MOST_PANELS * NODES_PER_PANEL:
            break
        fine = _grid(activation, piece, order, level)
        after = _coefficients(fine, norms, order)
        if np.abs(after - before).max() <= ACCURACY:
            return coarse
        coarse, before = fine, after
    raise FloatingPointError(
        "the Hermite coefficients of the activation do not settle as the quadrature is refined; "
        "declare its kinks, use a less steep or less oscillating one, or a larger dimension if weights are very short"
    )


@lru_cache(maxsize=1024)
def _piece_table(activation: ActivationFunction, piece: int, order: int) -> np.ndarray:
    """Chebyshev coefficients in tau of the normalised a_0..a_order: shape (points, order + 1)."""
    grid = _settled_grid(activation, piece, order)

    def at(points: np.ndarray) -> np.ndarray:
        tau = (piece + (points + 1) / 2) * PIECE_WIDTH
        return _coefficients(grid, norm_at(tau, activation.gaussian_growth), order)

    count = 16
    while count <= MOST_INTERPOLATION_POINTS:
        angles = (np.arange(count) + 0.5) * math.pi / count
        transform = np.cos(np.outer(np.arange(count), angles)) * (2 / count)
        transform[0] /= 2
        table = transform @ at(np.cos(angles))
        # Between the nodes, where the interpolation error is largest, near the ends and in the middle.
        probes = np.cos(np.asarray([0.0, 1.0, count // 2, count - 1.0, count]) * math.pi / count)
        if np.abs(chebyshev.chebval(probes, table).T - at(probes)).max() <= 4 * ACCURACY:
            return table
        count *= 2
    raise FloatingPointError(
        "the Hermite coefficients of the activation vary too fast with the norm of the weights to be "
        "interpolated; use a less oscillating activation"
    )


def coefficient_table(activation: ActivationFunction, first: int, last: int, order: int) -> np.ndarray:
    """Tables of the pieces first..last: shape (last - first + 1, points, order + 1).

    Pieces are computed once and do not depend on the range that is asked for (padding is by zeros).
    """
    pieces = [_piece_table(activation, piece, order) for piece in range(first, last + 1)]
    points = max(len(table) for table in pieces)
    return np.stack([np.pad(table, ((0, points - len(table)), (0, 0))) for table in pieces])
