r"""The regulariser ||W||_{2,4}^8 = (sum_r ||w_r||^4)^2: its derivatives, and what they cost in Corollary 3.

With N = ||W||_{2,4}, a direction V and signs S,

    <grad N^8, W> = 8 N^8,
    (N^8)''[VS, VS] = 8 N^4 sum_r (||w_r||^2 ||v_r||^2 + 2 <w_r, v_r>^2) + 32 (sum_r ||w_r||^2 <w_r, v_r> s_r)^2,

whose last term has the mean 32 sum_r ||w_r||^4 <w_r, v_r>^2 over the signs. By Cauchy-Schwarz the sum is at most
56 N^4 sum_r ||w_r||^2 ||v_r||^2 <= 56 p^3 q, p = N^2 and q = ||V||_{2,4}^2, with equality for one neuron and v = w; and

    alpha p^4/4 + 27 q^4/(4 alpha^3) - p^3 q = (alpha p - 3 q)^2 ((alpha p + q)^2 + 2 q^2)/(4 alpha^3) >= 0.

So 56 p^3 q - 6 p^4 <= (14 alpha - 6) p^4 + 378 q^4/alpha^3, which at alpha = 5/14 is -p^4 + C q^4, C = 378 (14/5)^3.
Equality at p = 3 q/alpha with one neuron: no smaller C will do.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import sympy as sp

from proofs_checks.symbolic_step import SymbolicStep

alpha, p, q = sp.symbols("alpha p q", positive=True)
ALPHA: Any = sp.Rational(5, 14)
CONSTANT: Any = 378 / ALPHA**3
_time = sp.Symbol("tau", real=True)


def _matrix(name: str, rows: int, columns: int) -> Any:
    return sp.Matrix(rows, columns, lambda i, j: sp.Symbol(f"{name}{i + 1}{j + 1}", real=True))


def _columns(name: str, dimension: int, width: int) -> list[Any]:
    matrix = _matrix(name, dimension, width)
    return [matrix[:, r] for r in range(width)]


def fourth_power(columns: list[Any]) -> Any:
    """N^4 = sum_r ||w_r||^4."""
    return sp.Add(*(column.dot(column) ** 2 for column in columns))


@cache
def _second_derivative(dimension: int, width: int, signs: tuple[int, ...]) -> Any:
    W, V = _columns("w", dimension, width), _columns("v", dimension, width)
    moved = [w + _time * s * v for w, v, s in zip(W, V, signs, strict=True)]
    return sp.expand(sp.diff(fourth_power(moved) ** 2, _time, 2).subs(_time, 0))


def gradient_step(dimension: int, width: int, factor: Any = 8) -> SymbolicStep:
    """<grad N^8, W> = 8 N^8."""
    W = _columns("w", dimension, width)
    stretched = fourth_power([(1 + _time) * w for w in W]) ** 2
    left = sp.diff(stretched, _time).subs(_time, 0)
    return SymbolicStep(
        f"<grad ||W||^8, W>, d = {dimension}, m = {width}",
        sp.expand(left),
        "=",
        sp.expand(factor * fourth_power(W) ** 2),
    )


def _common_part(W: list[Any], V: list[Any], first: Any) -> Any:
    terms = (w.dot(w) * v.dot(v) + 2 * w.dot(v) ** 2 for w, v in zip(W, V, strict=True))
    return first * fourth_power(W) * sp.Add(*terms)


def hessian_step(dimension: int, width: int, signs: tuple[int, ...], first: Any = 8, second: Any = 32) -> SymbolicStep:
    """(N^8)''[VS, VS] for one sign pattern."""
    W, V = _columns("w", dimension, width), _columns("v", dimension, width)
    cross = sp.Add(*(s * w.dot(w) * w.dot(v) for w, v, s in zip(W, V, signs, strict=True)))
    right = _common_part(W, V, first) + second * cross**2
    pattern = ",".join(f"{s:+d}" for s in signs)
    name = f"the Hessian of ||W||^8, d = {dimension}, m = {width}, S = ({pattern})"
    return SymbolicStep(name, _second_derivative(dimension, width, signs), "=", sp.expand(right))


def averaged_hessian_step(dimension: int, width: int, norm_power: int = 0, row_power: int = 4) -> SymbolicStep:
    """The mean over signs, its last term read as 32 N^norm_power sum_r ||w_r||^row_power <w_r, v_r>^2 (powers even)."""
    W, V = _columns("w", dimension, width), _columns("v", dimension, width)
    patterns = list(product((1, -1), repeat=width))
    left = sum((_second_derivative(dimension, width, signs) for signs in patterns), sp.S.Zero) / len(patterns)
    rows = sp.Add(*(w.dot(w) ** (row_power // 2) * w.dot(v) ** 2 for w, v in zip(W, V, strict=True)))
    last = 32 * fourth_power(W) ** sp.Rational(norm_power, 4) * rows
    name = f"its mean, last term N^{norm_power} ||w_r||^{row_power} <w_r,v_r>^2, d = {dimension}, m = {width}"
    return SymbolicStep(name, sp.expand(left), "=", sp.expand(_common_part(W, V, sp.Integer(8)) + last))


def degree(norm_power: int, row_power: int) -> int:
    """The degree in W of N^norm_power sum_r ||w_r||^row_power <w_r, v_r>^2; a second derivative of N^8 has degree 6."""
    return norm_power + row_power + 2


def cauchy_schwarz_step(width: int, total: Any = 56) -> SymbolicStep:
    """8 N^4 sum (ab + 2 c^2) + 32 (sum a c)^2 <= 56 N^4 sum ab with a = ||w||^2, b = ||v||^2, c = <w, v> s.

    c^2 <= ab: b_r = (c_r^2 + g_r)/a_r with g_r >= 0.
    """
    a = sp.symbols(f"a1:{width + 1}", positive=True)
    c = sp.symbols(f"c1:{width + 1}", real=True)
    g = sp.symbols(f"g1:{width + 1}", nonnegative=True)
    fourth = sp.Add(*(x**2 for x in a))
    products = sp.Add(*(x**2 + y for x, y in zip(c, g, strict=True)))
    squares = sp.Add(*(x**2 for x in c))
    cross = sp.Add(*(x * y for x, y in zip(a, c, strict=True)))
    lagrange = sp.Add(*((a[r] * c[s] - a[s] * c[r]) ** 2 for r in range(width) for s in range(r)))
    return SymbolicStep(
        f"(i) Cauchy-Schwarz, m = {width}",
        8 * fourth * (products + 2 * squares) + 32 * cross**2,
        "<=",
        total * fourth * products,
        certificate=48 * fourth * sp.Add(*g) + 32 * lagrange + (total - 56) * fourth * products,
    )


def one_neuron_step(total: Any = 56) -> SymbolicStep:
    """m = 1 and v = w: 8 (1 + 2) + 32 is the 56 itself."""
    (w,) = _columns("w", 2, 1)
    left = _second_derivative(2, 1, (1,)).subs({sp.Symbol(f"v{i}1", real=True): w[i - 1] for i in (1, 2)})
    return SymbolicStep("56 is attained", sp.expand(left), "=", sp.expand(total * w.dot(w) ** 4))


def young_step(power: int = 3) -> SymbolicStep:
    """p^3 q <= alpha p^4/4 + 27 q^4/(4 alpha^power), for p, q > 0; for other signs p^3 q is no larger."""
    right = alpha * p**4 / 4 + 27 * q**4 / (4 * alpha**power)
    certificate = young_gap() if power == 3 else None
    wide = {s: (sp.Rational(1, 20), sp.Integer(20)) for s in (alpha, p, q)}
    return SymbolicStep(f"AM-GM with alpha^{power}", p**3 * q, "<=", right, certificate, wide)


def young_gap() -> Any:
    """alpha p^4/4 + 27 q^4/(4 alpha^3) - p^3 q as a square times a positive form."""
    return (alpha * p - 3 * q) ** 2 * ((alpha * p + q) ** 2 + 2 * q**2) / (4 * alpha**3)


def young_equality_step(power: int = 3) -> SymbolicStep:
    """Equality at p = 3 q/alpha."""
    right = (alpha * p**4 / 4 + 27 * q**4 / (4 * alpha**power)).subs(p, 3 * q / alpha)
    return SymbolicStep("equality at p = 3 q/alpha", (3 * q / alpha) ** 3 * q, "=", right)


def final_step(constant: Any = CONSTANT) -> SymbolicStep:
    """56 p^3 q - 8 p^4 + 2 p^4 <= C q^4 - p^4: A_lambda - A_0 over lambda."""
    certificate = sp.expand(56 * young_gap().subs(alpha, ALPHA)) if constant == CONSTANT else None
    factored = sp.factor(certificate) if certificate is not None else None
    box = {s: (sp.Rational(1, 20), sp.Integer(20)) for s in (p, q)}
    return SymbolicStep("A_lambda - A_0", 56 * p**3 * q - 6 * p**4, "<=", constant * q**4 - p**4, factored, box)


def attained_step(constant: Any = CONSTANT) -> SymbolicStep:
    """At p = 3 q/alpha = 42 q/5, one neuron, v parallel to w: equality, so C is the best constant."""
    there = 3 * q / ALPHA
    return SymbolicStep("C is attained", 56 * there**3 * q - 5 * there**4, "=", constant * q**4)
