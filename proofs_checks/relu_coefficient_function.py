r"""Coefficient functions that express a power by random ReLU features, with their exact norms.

Let g ~ N(0, I_d), |z| = |e| = 1, t = <e, z>, G_1 = <g, z>, G_2 = <g, e>, and lambda_q = E[relu(G) He_q(G)]. Then

    a(g) = He_q(<g, e>)/lambda_q:   E[relu(<g, z>) a(g)] = t^q,   E a^2 = q!/lambda_q^2 = 1/c_q,
    E[relu(<g, z>)^2 a(g)^2] = (1 + 2 q t^2)/(2 c_q),

for every q with lambda_q != 0, that is q = 1 and q even. The generating function exp(s G - s^2/2) =
sum_q He_q(G) s^q/q! proves all of it: given G_1 its mean in G_2 is exp(s t G_1 - (s t)^2/2), so that
E[He_q(G_2)|G_1] = t^q He_q(G_1); and M(s) = E[relu(G) exp(s G - s^2/2)] = E relu(G + s) has M'' = the Gaussian
density. The square a^2 is even in g, so that relu(G_1)^2 and G_1^2/2 give the same mean.

The least norm. relu(<g, z>) = |g| relu(<g/|g|, z>), so the projection a~(g) = |g| E[|g| a(g) | g/|g|]/d of a on the
functions |g| h(g/|g|) expresses the same function. On the sphere h is a sum of harmonics of degrees up to q and of its
parity, none of which relu(<., z>) annihilates, so h is determined by t^q and no smaller norm will do. With
M_j = E |g|^j and V_2n the moments of a coordinate on the unit sphere,

    E a~^2 = (1/(d lambda_q^2)) sum_{i,j} h_i h_j M_{i+1} M_{j+1} V_{i+j},   He_q = sum_j h_j x^j,
    E[relu(<g, z>)^2 a~^2] <= E|g|^4 E h^2 = (d + 2) E a~^2.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_checks.relu_kernel_series import coefficient, even_coefficient
from proofs_checks.symbolic_step import SymbolicStep

Expression = Any
x, g, s, r, v = sp.symbols("x g s r v", real=True)
t = sp.Symbol("t", real=True)
dimension = sp.Symbol("d", integer=True, positive=True)
j = sp.Symbol("j", integer=True, nonnegative=True)
_q = sp.Symbol("q", integer=True, positive=True)
UNIT = {t: (sp.Integer(-1), sp.Integer(1))}
DENSITY = sp.exp(-(g**2) / 2) / sp.sqrt(2 * sp.pi)


def hermite(q: int, variable: Expression) -> Expression:
    """He_q by its explicit sum, orthogonal for the Gaussian density."""
    half = range(q // 2 + 1)
    return sum(
        (
            sp.Rational((-1) ** k * sp.factorial(q), 2**k * sp.factorial(k) * sp.factorial(q - 2 * k))
            * variable ** (q - 2 * k)
            for k in half
        ),
        sp.S.Zero,
    )


def _moment(n: int) -> Any:
    """E G^n."""
    return sp.S.Zero if n % 2 else sp.factorial2(n - 1)


def gaussian_mean(polynomial: Expression, variable: Expression) -> Expression:
    """E polynomial(G), coefficient by coefficient."""
    terms = sp.Poly(polynomial, variable).terms()
    return sp.expand(sum((value * _moment(n) for (n,), value in terms), sp.S.Zero))


def relu_mean(polynomial: Expression) -> Expression:
    """E[relu(G) polynomial(G)], the polynomial in x: E[relu(G) G^n] = E|G|^{n+1}/2."""
    total: Any = sp.S.Zero
    for (n,), value in sp.Poly(polynomial, x).terms():
        odd = sp.sqrt(2 / sp.pi) * sp.Integer(2) ** (n // 2) * sp.factorial(n // 2)
        total += value * (_moment(n + 1) if n % 2 else odd) / 2
    return sp.expand(total)


def hermite_coefficient(q: int) -> Any:
    """lambda_q = E[relu(G) He_q(G)]."""
    return relu_mean(hermite(q, x))


def expressed(polynomial: Expression) -> Expression:
    """E[relu(G_1) polynomial(G_2)] as a function of the correlation t; G_2 = t G_1 + sqrt(1 - t^2) H."""
    terms = sp.Poly(polynomial, x).terms()
    given = sum(
        (
            value * sp.binomial(n, k) * (t * x) ** (n - k) * (1 - t**2) ** sp.Rational(k, 2) * _moment(k)
            for (n,), value in terms
            for k in range(0, n + 1, 2)
        ),
        sp.S.Zero,
    )
    return sp.expand(relu_mean(sp.expand(given)))


def generating_steps() -> tuple[SymbolicStep, ...]:
    """The conditional mean, the norm, lambda_q and c_q = lambda_q^2/q!, for every q."""
    exponential = sp.simplify(sp.integrate(sp.exp(v * g) * DENSITY, (g, -sp.oo, sp.oo)))
    normal = sp.erf(s / sp.sqrt(2)) / 2 + sp.Rational(1, 2)
    density = DENSITY.subs(g, s)
    mean = s * normal + density
    # (2j)!/(2^j j!) is (2j - 1)!!, the size of the 2j-th derivative of exp(-s^2/2) at 0.
    derivative = sp.factorial(2 * j) / (2**j * sp.factorial(j)) / sp.sqrt(2 * sp.pi)
    return (
        SymbolicStep("E exp(v G) = exp(v^2/2)", exponential, "=", sp.exp(v**2 / 2)),
        SymbolicStep(
            "E[exp(s G_2 - s^2/2) | G_1], so that E[He_q(G_2) | G_1] = t^q He_q(G_1)",
            sp.exp(s * t * g - s**2 / 2) * sp.exp(s**2 * (1 - t**2) / 2),
            "=",
            sp.exp(s * t * g - (s * t) ** 2 / 2),
        ),
        SymbolicStep(
            "E exp(s G - s^2/2) exp(r G - r^2/2) = exp(r s), so that E He_q^2 = q!",
            sp.exp(-(s**2) / 2 - r**2 / 2) * sp.exp((r + s) ** 2 / 2),
            "=",
            sp.exp(r * s),
        ),
        SymbolicStep("M(s) = E relu(G + s)", sp.integrate((g + s) * DENSITY, (g, -s, sp.oo)), "=", mean),
        SymbolicStep("M(0) = lambda_0", mean.subs(s, 0), "=", hermite_coefficient(0)),
        SymbolicStep("M'(0) = lambda_1 = 1/2", sp.diff(mean, s).subs(s, 0), "=", sp.Rational(1, 2)),
        SymbolicStep("M'' is the Gaussian density", sp.diff(mean, s, 2), "=", density),
        SymbolicStep(
            "c_{2j+2} = lambda_{2j+2}^2/(2j+2)!, for every j",
            derivative**2 / sp.factorial(2 * j + 2),
            "=",
            even_coefficient(j + 1),
        ),
    )


def second_moment(q: Expression, cosine: Expression = t) -> Expression:
    """E[relu(G_1)^2 He_q(G_2)^2]/q! for every q."""
    return (1 + 2 * q * cosine**2) / 2


def second_moment_steps(degrees: tuple[int, ...] = (0, 1, 2, 4)) -> tuple[SymbolicStep, ...]:
    """E[G_1^2 exp(s G_2 - s^2/2) exp(r G_2 - r^2/2)] = e^{rs} (1 + t^2 (r + s)^2), and small q directly.

    The part of equal powers of r and s is e^{rs} (1 + 2 t^2 rs), whose coefficient of (rs)^q/q!^2 is q! (1 + 2 q t^2).
    """
    tilted = sp.integrate((t**2 * g**2 + 1 - t**2) * sp.exp(v * g) * DENSITY, (g, -sp.oo, sp.oo))
    general = SymbolicStep(
        "E[G_1^2 exp(v G_2)] = exp(v^2/2) (1 + t^2 v^2)", sp.simplify(tilted), "=", sp.exp(v**2 / 2) * (1 + t**2 * v**2)
    )
    coefficients = SymbolicStep(
        "q!^2 (1/q! + 2 t^2/(q-1)!) = q! (1 + 2 q t^2), for every q >= 1",
        sp.factorial(_q) ** 2 * (1 / sp.factorial(_q) + 2 * t**2 / sp.factorial(_q - 1)),
        "=",
        2 * sp.factorial(_q) * second_moment(_q),
    )
    direct = (
        SymbolicStep(
            f"E[relu(G_1)^2 He_{q}(G_2)^2]",
            gaussian_mean(sp.expand((t**2 * g**2 + 1 - t**2) * hermite(q, g) ** 2), g) / 2,
            "=",
            sp.factorial(q) * second_moment(q),
        )
        for q in degrees
    )
    return (general, coefficients, *direct)


def radial_moment(n: int, size: Expression = dimension) -> Expression:
    """E |g|^n in units of (E |g|)^(n mod 2)."""
    start = n % 2
    return sp.prod([size + k for k in range(start, n, 2)]) if n > start else sp.S.One


def coordinate_moment(n: int, size: Expression = dimension) -> Expression:
    """E <s, e>^n for s uniform on the unit sphere, n even."""
    return _moment(n) / sp.prod([size + k for k in range(0, n, 2)])


def least_norm(q: int, size: Expression = dimension) -> Expression:
    """E a~^2 for t^q, divided by (E|g|)^2/d <= 1 where q is even; exact where q = 1."""
    terms = sp.Poly(hermite(q, x), x).terms()
    total = sum(
        (
            first * second * radial_moment(m + 1, size) * radial_moment(n + 1, size) * coordinate_moment(m + n, size)
            for (m,), first in terms
            for (n,), second in terms
        ),
        sp.S.Zero,
    )
    # For odd q the radial moments are even ones, already in full, and one factor 1/d is left to divide by.
    return sp.factor(total / hermite_coefficient(q) ** 2 / (size if q % 2 else 1))


def least_norm_exact(q: int, size: Expression) -> Expression:
    """E a~^2 for t^q: the least E a^2 over all a with E[relu(<g, z>) a(g)] = t^q on the unit sphere."""
    radius = sp.sqrt(2) * sp.gamma((size + 1) / 2) / sp.gamma(size / 2)
    return least_norm(q, sp.sympify(size)) * (1 if q % 2 else radius**2 / size)


def least_norm_steps(degrees: tuple[int, ...] = (0, 1, 2, 4, 6)) -> tuple[SymbolicStep, ...]:
    """E a~^2 <= 1/c_q in every dimension d = 1 + h."""
    more = sp.Symbol("h", integer=True, nonnegative=True)
    steps = []
    for q in degrees:
        value = sp.factor(least_norm(q, more + 1))
        room = sp.factor(1 / coefficient(q) - value)
        steps.append(SymbolicStep(f"q = {q}: E a~^2 <= 1/c_q", value, "<=", 1 / coefficient(q), certificate=room))
    return tuple(steps)


def homogeneous_steps() -> tuple[SymbolicStep, ...]:
    """E a~^2 <= E a^2 in every degree, and E|g|^4 E h^2 = (d + 2) E a~^2 for a~ = |g| h, as E a~^2 = E|g|^2 E h^2."""
    square = sp.Symbol("H", positive=True)
    below = sp.Symbol("y", nonnegative=True)
    return (
        SymbolicStep(
            "E a~^2 = E[(E[|g| a | g/|g|])^2]/d <= E a^2: Cauchy-Schwarz leaves y >= 0",
            (radial_moment(2) * square - below) / dimension,
            "<=",
            square,
            certificate=below / dimension,
        ),
        SymbolicStep("E|g|^2 = d", radial_moment(2), "=", dimension),
        SymbolicStep(
            "E[relu(<g, z>)^2 a~^2] <= E|g|^4 E h^2 = (d + 2) E a~^2",
            radial_moment(4) * square,
            "=",
            (dimension + 2) * (radial_moment(2) * square),
        ),
    )
