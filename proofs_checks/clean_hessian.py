r"""Gradient and Hessian of the risk of a quadratic model, averaged over random signs of the direction.

f_W(x) = (1/(2 sqrt m)) sum_r c_r <w_r, x>^2 with c_r = a_r sigma''(<w_{0,r}, x>), L(W) = (1/n) sum_i l(y_i, f_W(x_i)).
With l', l'' at f_W(x_i), D_i = diag(c_{i,r}) and a diagonal matrix of signs S,

    grad L(W)        = (1/n) sum_i l' (1/sqrt m) x_i x_i^T W D_i,
    L''(W)[VS, VS]   = (2/n) sum_i l' f_V(x_i) + (4/n) sum_i l'' ((1/(2 sqrt m)) <x_i x_i^T, W D_i S V^T>)^2,
    E_S L''[VS, VS]  = <grad L(W), W> - 2 (L(W) - L(V)) - 2 gap + II,
    II               = (1/n) sum_i l'' (1/m) sum_r c_{i,r}^2 <w_r, x_i>^2 <v_r, x_i>^2,

gap = (1/n) sum_i (l(f_V) - l(f_W) - l'(f_W)(f_V - f_W)), which is >= 0 for convex l. Both derivatives see l through its
values up to order two at f_W(x_i) only, so those are free symbols here: the identities hold for every loss. Sizes are
small and explicit; `remainder_induction` carries the only sum that is not linear over neurons to every m.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import sympy as sp

from proofs_checks.symbolic_step import SymbolicStep

_time = sp.Symbol("tau", real=True)


def _matrix(name: str, rows: int, columns: int) -> Any:
    return sp.Matrix(rows, columns, lambda i, j: sp.Symbol(f"{name}{i + 1}{j + 1}", real=True))


def _inner(a: Any, b: Any) -> Any:
    return sp.Add(*a.multiply_elementwise(b))


@dataclass(frozen=True)
class SymbolicCleanRisk:
    """W and V (d x m), points x_i, diagonals c_i, and the loss through l, l', l'' at f_W(x_i) and l at f_V(x_i)."""

    dimension: int
    width: int
    samples: int = 1

    @cached_property
    def W(self) -> Any:
        return _matrix("w", self.dimension, self.width)

    @cached_property
    def V(self) -> Any:
        return _matrix("v", self.dimension, self.width)

    @cached_property
    def points(self) -> list[Any]:
        return [_matrix(f"x{i}_", self.dimension, 1) for i in range(self.samples)]

    @cached_property
    def diagonals(self) -> list[Any]:
        return [sp.diag(*_matrix(f"c{i}_", 1, self.width)) for i in range(self.samples)]

    def loss(self, order: int) -> list[Any]:
        """The order-th derivative of l at f_W(x_i), a symbol for each sample."""
        return [sp.Symbol(f"l{i}_{order}", real=True) for i in range(self.samples)]

    @cached_property
    def loss_at_other(self) -> list[Any]:
        return [sp.Symbol(f"k{i}", real=True) for i in range(self.samples)]

    def model(self, i: int, weights: Any) -> Any:
        """f(x_i) = (1/(2 sqrt m)) <x x^T, W D W^T>."""
        x = self.points[i]
        return _inner(x * x.T, weights * self.diagonals[i] * weights.T) / (2 * sp.sqrt(self.width))

    def risk_along(self, direction: Any) -> Any:
        """L(W + tau direction) up to order tau^2, l by its Taylor polynomial at f_W(x_i)."""
        total = sp.S.Zero
        for i, (value, slope, curvature) in enumerate(zip(*(self.loss(k) for k in range(3)), strict=True)):
            change = self.model(i, self.W + _time * direction) - self.model(i, self.W)
            total += value + slope * change + curvature * change**2 / 2
        return total / self.samples

    def derivative(self, direction: Any, order: int) -> Any:
        """The derivative of L at W along the direction."""
        return sp.diff(self.risk_along(direction), _time, order).subs(_time, 0)

    def gradient(self) -> Any:
        """The printed gradient."""
        terms = (
            slope * x * x.T * self.W * diagonal / sp.sqrt(self.width)
            for slope, x, diagonal in zip(self.loss(1), self.points, self.diagonals, strict=True)
        )
        return sum(terms, sp.zeros(self.dimension, self.width)) / self.samples

    def sign_patterns(self) -> list[Any]:
        return [sp.diag(*signs) for signs in product((1, -1), repeat=self.width)]

    def where(self) -> str:
        return f"d = {self.dimension}, m = {self.width}, n = {self.samples}"


def gradient_step(risk: SymbolicCleanRisk, factor: Any = 1) -> SymbolicStep:
    """dL(W)[V] against `factor` <printed gradient, V>."""
    printed = factor * _inner(risk.gradient(), risk.V)
    return SymbolicStep(f"the gradient, {risk.where()}", sp.expand(risk.derivative(risk.V, 1)), "=", sp.expand(printed))


def euler_step(risk: SymbolicCleanRisk, factor: Any = 2) -> SymbolicStep:
    """<grad L(W), W> = `factor` (1/n) sum_i l'(f) f: f is homogeneous of degree two."""
    right = sum((slope * risk.model(i, risk.W) for i, slope in enumerate(risk.loss(1))), sp.S.Zero) / risk.samples
    left = _inner(risk.gradient(), risk.W)
    return SymbolicStep(f"<grad, W>, {risk.where()}", sp.expand(left), "=", sp.expand(factor * right))


def hessian_step(risk: SymbolicCleanRisk, signs: Any, first: Any = 2, second: Any = 4) -> SymbolicStep:
    """L''(W)[VS, VS] for one sign pattern against first/n sum l' f_V + second/n sum l'' ((1/(2 sqrt m)) <..>)^2."""
    total = sp.S.Zero
    for i, (slope, curvature) in enumerate(zip(risk.loss(1), risk.loss(2), strict=True)):
        x = risk.points[i]
        cross = _inner(x * x.T, risk.W * risk.diagonals[i] * signs * risk.V.T) / (2 * sp.sqrt(risk.width))
        total += first * slope * risk.model(i, risk.V) + second * curvature * cross**2
    pattern = ",".join(f"{int(signs[r, r]):+d}" for r in range(risk.width))
    left = sp.expand(risk.derivative(risk.V * signs, 2))
    return SymbolicStep(f"the Hessian, {risk.where()}, S = ({pattern})", left, "=", sp.expand(total / risk.samples))


def averaged_hessian_step(
    risk: SymbolicCleanRisk, *, loss_factor: Any = 2, gap_factor: Any = 2, remainder_factor: Any = 1
) -> SymbolicStep:
    """The identity of the docstring, the left side as a mean over all 2^m sign patterns."""
    patterns = risk.sign_patterns()
    left = sum((risk.derivative(risk.V * signs, 2) for signs in patterns), sp.S.Zero) / len(patterns)
    n, m = risk.samples, risk.width
    loss = (sum(risk.loss(0)) - sum(risk.loss_at_other)) / n
    gap, remainder = sp.S.Zero, sp.S.Zero
    for i, (value, slope, curvature) in enumerate(zip(*(risk.loss(k) for k in range(3)), strict=True)):
        gap += risk.loss_at_other[i] - value - slope * (risk.model(i, risk.V) - risk.model(i, risk.W))
        seen, other = risk.points[i].T * risk.W, risk.points[i].T * risk.V
        diagonal = risk.diagonals[i]
        remainder += curvature * sp.Add(*((diagonal[r, r] * seen[r] * other[r]) ** 2 for r in range(m))) / m
    right = (
        _inner(risk.gradient(), risk.W) - loss_factor * loss - gap_factor * gap / n + remainder_factor * remainder / n
    )
    return SymbolicStep(f"the averaged Hessian, {risk.where()}", sp.expand(left), "=", sp.expand(right))


def remainder_induction() -> SymbolicStep:
    """One neuron more: the mean of (T + s b)^2 over its sign s is T^2 + b^2, so E (sum_r s_r b_r)^2 = sum_r b_r^2."""
    total, one = sp.symbols("T b", real=True)
    left = sp.expand(((total + one) ** 2 + (total - one) ** 2) / 2)
    return SymbolicStep("E (sum of signed terms)^2, from m to m + 1", left, "=", total**2 + one**2)


# The bound of the remainder ------------------------------------------------------------------------


def curvature_step(largest: Any = 1) -> SymbolicStep:
    """0 <= l'' <= 1."""
    curvature, square = sp.symbols("l_2 Q", nonnegative=True)
    return SymbolicStep(
        "l'' <= 1",
        curvature * square,
        "<=",
        largest * square,
        certificate=(largest - curvature) * square,
        domain={curvature: (0, 1)},
    )


def smoothness_step(power: int = 2) -> SymbolicStep:
    """sigma''(t)^2 <= C^2 t^2, where sigma''(t) = kappa C t with |kappa| <= 1."""
    constant, seen = sp.symbols("C t", positive=True)
    kappa, product_ = sp.Symbol("kappa", real=True), sp.Symbol("Q", nonnegative=True)
    left, right = (kappa * constant * seen) ** 2 * product_, constant**2 * seen**power * product_
    certificate = (1 - kappa) * (1 + kappa) * right if power == 2 else None
    return SymbolicStep("sigma''(t)^2 <= C^2 t^2", left, "<=", right, certificate, {kappa: (-1, 1)})


def projection_step(dimension: int, factor: Any = 1) -> SymbolicStep:
    """<w, x>^2 <= ||w||^2 ||x||^2, by Lagrange's identity."""
    w, x = _matrix("w", dimension, 1), _matrix("x", dimension, 1)
    right = factor * _inner(w, w) * _inner(x, x)
    squares = sp.Add(*((w[i] * x[j] - w[j] * x[i]) ** 2 for i in range(dimension) for j in range(i)))
    certificate = squares if factor == 1 else None
    return SymbolicStep(f"<w, x>^2 <= ||w||^2 ||x||^2, d = {dimension}", _inner(w, x) ** 2, "<=", right, certificate)


def cauchy_schwarz_step(width: int) -> SymbolicStep:
    """(sum_r p_r q_r)^2 <= sum p_r^2 sum q_r^2 with p_r = ||w_r||^2, q_r = ||w*_r||^2."""
    p = sp.symbols(f"p1:{width + 1}", nonnegative=True)
    q = sp.symbols(f"q1:{width + 1}", nonnegative=True)
    left = sp.Add(*(a * b for a, b in zip(p, q, strict=True))) ** 2
    right = sp.Add(*(a**2 for a in p)) * sp.Add(*(b**2 for b in q))
    squares = sp.Add(*((p[r] * q[s] - p[s] * q[r]) ** 2 for r in range(width) for s in range(r)))
    return SymbolicStep(f"Cauchy-Schwarz over {width} neurons", left, "<=", right, squares)


def cauchy_schwarz_induction() -> SymbolicStep:
    """From m to m + 1: T <= sqrt(P Q) gives (T + pq)^2 <= (P + p^2)(Q + q^2); P = a^2, Q = ((T + e)/a)^2, e >= 0."""
    a = sp.Symbol("a", positive=True)
    total, excess, p, q = sp.symbols("T e p q", nonnegative=True)
    b = (total + excess) / a
    certificate = excess * (2 * total + excess) + (a * q - b * p) ** 2 + 2 * excess * p * q
    return SymbolicStep(
        "Cauchy-Schwarz, from m to m + 1", (total + p * q) ** 2, "<=", (a**2 + p**2) * (b**2 + q**2), certificate
    )
