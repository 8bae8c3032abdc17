r"""The population risk of a trained quadratic network: its derivatives, critical points and Hessian spectra.

L(W, c) = 2 ||M||^2 + m^2 with M = B - WW^T (W is d x N) and m = Tr M + b_0 - c. In the direction (V, v)

    L'  = -8 <MW, V> - 4 m <W, V> - 2 m v,
    L'' = 4 ||VW^T + WV^T||^2 - 8 <M, VV^T> + 2 (2 <V, W> + v)^2 - 4 m ||V||^2.

Critical points: m = 0 and MW = 0, that is BW = W(W^T W). So the columns of U in the singular value decomposition
W = U Sigma R^T are eigenvectors of B whose eigenvalues are the squares Sigma^2 > 0: WW^T is the part of B on a set S of
at most N orthonormal eigenvectors with positive eigenvalues, and L = 2 sum_{i not in S} lambda_i^2. As L grows without
bound, the least of these is inf L. With V in the basis of B's eigenvectors (rows) and R (columns), the Hessian splits:

    8 (lambda_j - lambda_i)      i not in S, j in S                     once each
    -8 lambda_i                  i not in S                             N - |S| times
    0                            i in S                                 N - |S| times
    0 and 8 (lambda_i + lambda_j)  pairs i < j in S                     once each
    diag(16 lambda_S, 0) + 2 g g^T, g = (2 sqrt(lambda_S), 1)           a positive definite block of |S| + 1

Ties and zero eigenvalues need no exception. A critical point that is not a minimiser has the least eigenvalue
-8 max_{i not in S} lambda_i if |S| < N, and -8 (max_{i not in S} lambda_i - min_{j in S} lambda_j) if |S| = N.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import isqrt
from typing import Any

import numpy as np
import sympy as sp
from flint import fmpq, fmpq_mat, fmpq_poly
from scipy.optimize import minimize

from proofs_checks.symbolic_step import SymbolicStep

# The risk as a polynomial --------------------------------------------------------------------------


def gaussian_mean(polynomial: Any, variables: Sequence[sp.Symbol]) -> Any:
    """E p(x) for independent standard Gaussian variables: each monomial by its moments (k - 1)!!."""
    total = sp.Integer(0)
    for powers, coefficient in sp.Poly(sp.expand(polynomial), *variables).terms():
        if all(power % 2 == 0 for power in powers):
            total += coefficient * sp.prod([sp.factorial2(power - 1) for power in powers])
    return sp.expand(total)


@dataclass(frozen=True, eq=False)
class SymbolicRisk:
    """B, W, V as matrices of symbols, c, v, b_0, and what they define."""

    dimension: int
    neurons: int

    @property
    def B(self) -> sp.Matrix:
        return sp.Matrix(
            self.dimension, self.dimension, lambda i, j: sp.Symbol(f"b{min(i, j) + 1}{max(i, j) + 1}", real=True)
        )

    @property
    def W(self) -> sp.Matrix:
        return _matrix("w", self.dimension, self.neurons)

    @property
    def V(self) -> sp.Matrix:
        return _matrix("v", self.dimension, self.neurons)

    @property
    def M(self) -> sp.Matrix:
        return self.B - self.W * self.W.T

    @property
    def m(self) -> Any:
        return self.M.trace() + b0 - c


b0, c, direction = sp.symbols("b_0 c v", real=True)


def _matrix(name: str, rows: int, columns: int) -> sp.Matrix:
    return sp.Matrix(rows, columns, lambda i, j: sp.Symbol(f"{name}{i + 1}{j + 1}", real=True))


def _inner(a: sp.Matrix, b: sp.Matrix) -> Any:
    return sum(a.multiply_elementwise(b), sp.Integer(0))


def closed_form(M: sp.Matrix, m: Any) -> Any:
    """L = 2 ||M||^2 + m^2."""
    return 2 * _inner(M, M) + m**2


def first_derivative(M: sp.Matrix, m: Any, W: sp.Matrix, V: sp.Matrix, v: Any) -> Any:
    """L' in the direction (V, v)."""
    return -8 * _inner(M * W, V) - 4 * m * _inner(W, V) - 2 * m * v


def second_derivative(M: sp.Matrix, m: Any, W: sp.Matrix, V: sp.Matrix, v: Any) -> Any:
    """L'' in the direction (V, v)."""
    cross = V * W.T + W * V.T
    return 4 * _inner(cross, cross) - 8 * _inner(M, V * V.T) + 2 * (2 * _inner(V, W) + v) ** 2 - 4 * m * _inner(V, V)


def risk_step(dimension: int, neurons: int, form: Callable[..., Any] = closed_form) -> SymbolicStep:
    """E (<xx^T, B - WW^T> + b_0 - c)^2 by Gaussian moments against the closed form."""
    here = SymbolicRisk(dimension, neurons)
    variables = sp.symbols(f"x1:{dimension + 1}", real=True)
    x = sp.Matrix(variables)
    residual = (x.T * here.M * x)[0] + b0 - c
    mean = gaussian_mean(residual**2, variables)
    return SymbolicStep(f"the risk, d = {dimension}, N = {neurons}", mean, "=", sp.expand(form(here.M, here.m)))


def derivative_steps(
    dimension: int,
    neurons: int,
    first: Callable[..., Any] = first_derivative,
    second: Callable[..., Any] = second_derivative,
) -> tuple[SymbolicStep, ...]:
    """The first two derivatives of L(W + sV, c + sv) at s = 0 by SymPy against the closed forms."""
    here, s = SymbolicRisk(dimension, neurons), sp.Symbol("s")
    moved = here.W + s * here.V
    mismatch = here.B - moved * moved.T
    line = sp.Poly(sp.expand(closed_form(mismatch, mismatch.trace() + b0 - c - s * direction)), s)
    where = f"d = {dimension}, N = {neurons}"
    arguments = (here.M, here.m, here.W, here.V, direction)
    return (
        SymbolicStep(f"the gradient, {where}", line.coeff_monomial(s), "=", sp.expand(first(*arguments))),
        SymbolicStep(f"the Hessian, {where}", 2 * line.coeff_monomial(s**2), "=", sp.expand(second(*arguments))),
    )


def critical_points_of_one_neuron() -> SymbolicStep:
    """d = 2, N = 1, b_1 > b_2 > 0: SymPy solves grad L = 0, and finds w w^T = 0, b_1 e_1 e_1^T or b_2 e_2 e_2^T.

    The step compares the product of t - |w|^2 over the solutions with that over the sets S.
    """
    low, more, t = sp.symbols("b_2 h t", positive=True)
    high = low + more
    w1, w2 = sp.symbols("w_1 w_2", real=True)
    square = w1**2 + w2**2
    solutions = sp.solve([(high - square) * w1, (low - square) * w2], [w1, w2], dict=True)  # MW = 0, once c makes m = 0
    found = sp.prod([t - square.subs(solution) for solution in solutions])
    return SymbolicStep(
        "grad L = 0 for one neuron in the plane", sp.expand(found), "=", sp.expand(t * (t - high) ** 2 * (t - low) ** 2)
    )


def critical_hessian_step(dimension: int, neurons: int, fitted: int) -> SymbolicStep:
    """L'' at W = sum_{j <= fitted} sqrt(lambda_j) e_j f_j^T, any eigenvalues, against the blocks of the docstring."""
    root = [sp.Symbol(f"s{j + 1}", positive=True) for j in range(fitted)]
    left = [sp.Symbol(f"l{i + 1}", real=True) for i in range(fitted, dimension)]
    value = [*(s**2 for s in root), *left]
    W, V = sp.zeros(dimension, neurons), _matrix("v", dimension, neurons)
    for j, s in enumerate(root):
        W[j, j] = s
    M = sp.diag(*value) - W * W.T

    def v(i: int, j: int) -> Any:
        return V[i, j]

    blocks = sum((8 * (value[j] - value[i]) * v(i, j) ** 2 for i in range(fitted, dimension) for j in range(fitted)), 0)
    blocks -= sum(8 * value[i] * v(i, j) ** 2 for i in range(fitted, dimension) for j in range(fitted, neurons))
    blocks += sum(8 * (root[j] * v(i, j) + root[i] * v(j, i)) ** 2 for i, j in combinations(range(fitted), 2))
    blocks += sum(16 * value[j] * v(j, j) ** 2 for j in range(fitted))
    blocks += 2 * (2 * sum(root[j] * v(j, j) for j in range(fitted)) + direction) ** 2
    name = f"the Hessian where {fitted} are fitted, d = {dimension}, N = {neurons}"
    return SymbolicStep(name, sp.expand(second_derivative(M, 0, W, V, direction)), "=", sp.expand(blocks))


def exchange_steps() -> tuple[SymbolicStep, ...]:
    """Among the critical values the least fits the N largest: one more, or a larger one instead, does not raise L."""
    small, more, rest = sp.symbols("lambda h r", nonnegative=True)
    large = small + more
    return (
        SymbolicStep("fitting one more", 2 * rest, "<=", 2 * (rest + small**2), certificate=2 * small**2),
        SymbolicStep("fitting a larger one instead", 2 * (rest + small**2), "<=", 2 * (rest + large**2),
                     certificate=2 * more * (2 * small + more)),
    )  # fmt: skip


# Critical points, exactly --------------------------------------------------------------------------


@dataclass(frozen=True)
class CriticalPoint:
    """The eigenvalues of B in decreasing order, the indices S that are fitted, and N."""

    eigenvalues: tuple[Any, ...]
    fitted: tuple[int, ...]
    neurons: int

    @property
    def left(self) -> tuple[int, ...]:
        return tuple(i for i in range(len(self.eigenvalues)) if i not in self.fitted)

    @property
    def risk(self) -> Any:
        """L = 2 sum of the squares that are not fitted."""
        return 2 * sum(self.eigenvalues[i] ** 2 for i in self.left)

    @property
    def least_curvature(self) -> Any:
        """The least eigenvalue of the Hessian, by formula; 0 stands for "not negative" (a minimiser)."""
        spare = len(self.fitted) < self.neurons
        floor = 0 if spare else min((self.eigenvalues[j] for j in self.fitted), default=0)
        above = max((self.eigenvalues[i] for i in self.left), default=floor)
        return min(0, -8 * (above - floor))

    @property
    def is_minimiser(self) -> bool:
        return self.risk == least_risk(self.eigenvalues, self.neurons)

    def explicit_spectrum(self) -> list[Any]:
        """The eigenvalues of the Hessian but for those of `offset_block`."""
        value, spare = self.eigenvalues, self.neurons - len(self.fitted)
        spectrum = [8 * (value[j] - value[i]) for i in self.left for j in self.fitted]
        spectrum += [-8 * value[i] for i in self.left for _ in range(spare)]
        spectrum += [0] * (spare * len(self.fitted))
        for i, j in combinations(self.fitted, 2):
            spectrum += [0, 8 * (value[i] + value[j])]
        return spectrum

    def offset_block(self, root: Callable[[Any], Any]) -> list[list[Any]]:
        """diag(16 lambda_S, 0) + 2 g g^T, with the square root for this type of number."""
        fitted = [self.eigenvalues[j] for j in self.fitted]
        g = [*(2 * root(value) for value in fitted), 1]
        diagonal = [*(16 * value for value in fitted), 0]
        return [[2 * a * b + (diagonal[i] if i == j else 0) for j, b in enumerate(g)] for i, a in enumerate(g)]


def critical_points(eigenvalues: Sequence[Any], neurons: int) -> Iterator[CriticalPoint]:
    """One critical point for each multiset of eigenvalues that can be fitted (a tie gives a whole family alike)."""
    ordered = tuple(sorted(eigenvalues, reverse=True))
    positive = [i for i, value in enumerate(ordered) if value > 0]
    seen = set()
    for size in range(min(neurons, len(positive)) + 1):
        for fitted in combinations(positive, size):
            values = tuple(ordered[i] for i in fitted)
            if values not in seen:
                seen.add(values)
                yield CriticalPoint(ordered, fitted, neurons)


def least_risk(eigenvalues: Sequence[Any], neurons: int) -> Any:
    """inf L = 2 (sum lambda_i^2 - sum over the N largest of (lambda_i)_+^2), for any symmetric B."""
    ordered = sorted(eigenvalues, reverse=True)
    return 2 * (sum(x**2 for x in ordered) - sum(max(x, 0) ** 2 for x in ordered[:neurons]))


def saddle_curvature(eigenvalues: Sequence[Any], neurons: int) -> Any:
    """delta_0: the least of -lambda_min over the critical points that are no minimisers; None if there are none."""
    saddles = [point for point in critical_points(eigenvalues, neurons) if not point.is_minimiser]
    return min((-point.least_curvature for point in saddles), default=None)


def rational_rotation(size: int, seed: int) -> fmpq_mat:
    """An orthogonal matrix of rationals: Cayley's (I - A)(I + A)^-1 with A skew and small integers in it."""
    skew = fmpq_mat(size, size)
    for i, j in combinations(range(size), 2):
        entry = (seed + 2 * i + 3 * j) % 5 - 2
        skew[i, j], skew[j, i] = fmpq(entry), fmpq(-entry)
    identity = _identity(size)
    return (identity - skew) * (identity + skew).inv()


def _identity(size: int) -> fmpq_mat:
    return fmpq_mat(size, size, [int(i == j) for i in range(size) for j in range(size)])


def _rational(value: Fraction | int) -> fmpq:
    return fmpq(*Fraction(value).as_integer_ratio())


def rational_root(value: Fraction | int) -> Fraction:
    """The square root of a square of a rational."""
    number = Fraction(value)
    root = Fraction(isqrt(number.numerator), isqrt(number.denominator))
    if root**2 != number:
        raise ValueError(f"{value} is not the square of a rational number")
    return root


@dataclass(frozen=True, eq=False)
class RationalPoint:
    """B, W and c in rationals, as lists of rows; b_0 = 0."""

    target: fmpq_mat
    weights: fmpq_mat
    offset: fmpq

    def risk(self, step: Sequence[fmpq | int], times: int) -> fmpq:
        """L at this point moved by `times` this step (W by rows, then c)."""
        rows, columns = self.weights.nrows(), self.weights.ncols()
        moved = self.weights + fmpq_mat(rows, columns, list(step[:-1])) * times
        mismatch = self.target - moved * moved.transpose()
        trace = sum((mismatch[i, i] for i in range(rows)), fmpq(0))
        return 2 * sum((x * x for x in mismatch.entries()), fmpq(0)) + (trace - self.offset - step[-1] * times) ** 2

    @property
    def parameters(self) -> int:
        return self.weights.nrows() * self.weights.ncols() + 1

    def _axis(self, *which: int) -> list[int]:
        return [which.count(i) for i in range(self.parameters)]

    def gradient(self) -> list[fmpq]:
        """Exact differences: with O(h) = (L(h) - L(-h))/2, L' = (8 O(1) - O(2))/6 for a quartic L."""
        result = []
        for i in range(self.parameters):
            one, two = ((self.risk(self._axis(i), h) - self.risk(self._axis(i), -h)) / 2 for h in (1, 2))
            result.append((8 * one - two) / 6)
        return result

    def _curvature(self, axis: Sequence[int]) -> fmpq:
        here = self.risk(axis, 0)
        one, two = (self.risk(axis, h) + self.risk(axis, -h) - 2 * here for h in (1, 2))
        return (16 * one - two) / 12

    def hessian(self) -> fmpq_mat:
        """Exact differences: with S(h) = L(h) + L(-h) - 2 L(0), L'' = (16 S(1) - S(2))/12; mixed by polarisation."""
        size = self.parameters
        result = fmpq_mat(size, size)
        for i in range(size):
            result[i, i] = self._curvature(self._axis(i))
        for i, j in combinations(range(size), 2):
            mixed = (self._curvature(self._axis(i, j)) - result[i, i] - result[j, j]) / 2
            result[i, j] = result[j, i] = mixed
        return result


def rational_point(point: CriticalPoint, seed: int) -> RationalPoint:
    """The critical point in a rotated basis; fitted eigenvalues must be squares of rationals."""
    dimension, neurons = len(point.eigenvalues), point.neurons
    rows, columns = rational_rotation(dimension, seed), rational_rotation(neurons, seed + 1)
    diagonal, singular = fmpq_mat(dimension, dimension), fmpq_mat(dimension, neurons)
    for i, value in enumerate(point.eigenvalues):
        diagonal[i, i] = _rational(value)
    for column, i in enumerate(point.fitted):
        singular[i, column] = _rational(rational_root(point.eigenvalues[i]))
    offset = sum((_rational(point.eigenvalues[i]) for i in point.left), fmpq(0))  # m = 0
    return RationalPoint(rows * diagonal * rows.transpose(), rows * singular * columns.transpose(), offset)


def spectrum_polynomial(point: CriticalPoint, explicit: Sequence[Any] | None = None) -> fmpq_poly:
    """The characteristic polynomial that the closed form gives for the Hessian."""
    block = point.offset_block(rational_root)
    result = fmpq_mat(len(block), len(block), [_rational(x) for row in block for x in row]).charpoly()
    for value in point.explicit_spectrum() if explicit is None else explicit:
        result *= fmpq_poly([-_rational(value), 1])
    return result


def critical_exactly(point: CriticalPoint, seed: int = 0) -> bool:
    """Whether gradient, risk and the characteristic polynomial of the Hessian are exactly as stated."""
    exact = rational_point(point, seed)
    return (
        all(entry == 0 for entry in exact.gradient())
        and exact.risk([0] * exact.parameters, 0) == _rational(point.risk)
        and exact.hessian().charpoly() == spectrum_polynomial(point)
    )


# Near-critical points, by search -------------------------------------------------------------------


ACCURACY = 1e-6
"""The change of the squared gradient at which a search stops; constraints are met to the same accuracy."""


@dataclass(frozen=True)
class NearCritical:
    """The smallest gradient found among points above the floor whose least curvature is at least -delta."""

    delta: float
    gradient: float
    excess: float


def _numbers(x: np.ndarray, target: np.ndarray, neurons: int) -> tuple[float, np.ndarray, float]:
    """(L, grad L, lambda_min of the Hessian) at x = (W, c) in float64, B = diag(target)."""
    dimension = len(target)
    weights = x[:-1].reshape(dimension, neurons)
    mismatch = np.diag(target) - weights @ weights.T
    mean = np.trace(mismatch) - x[-1]
    risk = 2 * np.sum(mismatch**2) + mean**2
    gradient = np.append((-8 * mismatch @ weights - 4 * mean * weights).ravel(), -2 * mean)
    # 4 ||VW^T + WV^T||^2 = 8 <V, V W^T W> + 8 <V, W V^T W>, the latter a permuted Kronecker product.
    square = np.kron(-8 * mismatch - 4 * mean * np.eye(dimension), np.eye(neurons))
    square += 8 * np.kron(np.eye(dimension), weights.T @ weights)
    square += 8 * np.einsum("il,kj->ijkl", weights, weights).reshape(square.shape)
    hessian = np.zeros((len(x), len(x)))
    hessian[:-1, :-1] = square
    g = np.append(2 * weights.ravel(), 1.0)
    return float(risk), gradient, float(np.linalg.eigvalsh(hessian + 2 * np.outer(g, g))[0])


def search_near_critical(
    eigenvalues: Sequence[float],
    neurons: int,
    delta: float,
    *,
    excess: float,
    level: float,
    starts: int = 3,
    seed: int = 0,
) -> NearCritical | None:
    """The smallest ||grad L|| found over inf L + excess <= L <= level with lambda_min >= -delta; None if none was met.

    Starts at random, at each critical point and beside it: a search from above, so an upper bound on the true minimum.
    """
    target = np.array(sorted(map(float, eigenvalues), reverse=True))
    floor = float(least_risk(target.tolist(), neurons))
    rng = np.random.default_rng(seed)
    size = len(target) * neurons + 1
    begin = [rng.normal(size=size) * np.sqrt(np.max(np.abs(target))) for _ in range(starts)]
    for point in critical_points(target.tolist(), neurons):
        weights = np.zeros((len(target), neurons))
        for column, i in enumerate(point.fitted):
            weights[i, column] = np.sqrt(target[i])
        x = np.append(weights.ravel(), sum(target[i] for i in point.left))
        begin += [x + scale * rng.normal(size=size) for scale in (0.01, 0.3)]
    evaluate = cache(lambda data: _numbers(np.frombuffer(data), target, neurons))  # all constraints ask for one point

    def at(x: np.ndarray) -> tuple[float, np.ndarray, float]:
        return evaluate(np.ascontiguousarray(x).tobytes())

    # Constraints are met to ACCURACY only: sought a thousandth inside, what is found meets the constraint itself.
    inside = 1 + 1e-3
    constraints = [
        {"type": "ineq", "fun": lambda x: at(x)[2] + delta / inside},
        {"type": "ineq", "fun": lambda x: at(x)[0] - floor - excess * inside},
        {"type": "ineq", "fun": lambda x: level / inside - at(x)[0]},
    ]
    best: NearCritical | None = None
    for x in begin:
        goal = {"method": "SLSQP", "constraints": constraints, "options": {"maxiter": 60, "ftol": ACCURACY}}
        found = minimize(lambda y: float(np.sum(at(y)[1] ** 2)), x, **goal)
        risk, gradient, curvature = at(found.x)
        norm = float(np.linalg.norm(gradient))
        met = curvature >= -delta and floor + excess <= risk <= level
        if met and (best is None or norm < best.gradient):
            best = NearCritical(delta, norm, risk - floor)
    return best
