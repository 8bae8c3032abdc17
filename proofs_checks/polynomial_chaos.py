r"""How much of a polynomial of degree l >= 3 the neural tangent class can see, x ~ N(0, I_d).

*Generic polynomials.* The polynomials of degree l that are orthogonal to all of lower degree form a space of dimension
D = binom(d + l - 1, l). The class has N d features and a constant, so its projection on that space has dimension at
most N d, and for g in the class <f, g>^2/||g||^2 <= <f, g_l>^2/||g_l||^2 with g_l the part of degree l. For f uniformly
random on the sphere of that space the share captured is therefore at most N d/D on average, whatever sigma: by
invariance E <f, P f> = Tr(P)/D for a projector P.

*Exceptional ones.* Let S = |x|^2, so that E S^k = d (d+2) ... (d+2k-2) and E x_1^2 S^k = (d+2) ... (d+2k).
f = x_1 (S - d - 2) is orthogonal to all of lower degree. Take sigma'(u) = u^2 - 1, w_i ~ N(0, I_d/d) and
h = x_1 sum_i (<w_i,x>^2 - 1). Given x, the <w_i,x> are independent N(0, S/d), so the sum has mean N (S/d - 1) and
variance 2 N (S/d)^2. A multiple of h that does not depend on the weights gives E R <= 1 - (E f h)^2/(E f^2 E h^2).

*Lower degrees.* |x|^4 = S^2 has degree 4, but nearly all of its variance is of degree 2: regressed on 1 and S, that is
on what sigma(x) = x^2 with N >= d offers, the share 1/(d+3) is left.
"""

from __future__ import annotations

import sympy as sp

d, N, rho = sp.symbols("d N rho", positive=True)
S = sp.Symbol("S", positive=True)


def radial_mean(polynomial: sp.Expr) -> sp.Expr:
    """E p(|x|^2)."""
    return _replace_powers(polynomial, 0)


def weighted_mean(polynomial: sp.Expr) -> sp.Expr:
    """E x_1^2 p(|x|^2)."""
    return _replace_powers(polynomial, 2)


def _replace_powers(polynomial: sp.Expr, first: int) -> sp.Expr:
    terms = sp.Poly(sp.expand(polynomial), S).terms()
    return sum((c * sp.Mul(*(d + first + 2 * j for j in range(k))) for (k,), c in terms), sp.S.Zero)


def chaos_dimension(degree: int) -> sp.Expr:
    """binom(d + l - 1, l) as a polynomial in d."""
    return sp.Mul(*((d + j) / sp.Integer(j + 1) for j in range(degree)))


def generic_share(degree: int) -> sp.Expr:
    """The bound N d/D on the share that the class captures of a random polynomial of this pure degree."""
    return sp.factor(N * d / chaos_dimension(degree))


def exceptional_cubic_risk() -> sp.Expr:
    """The upper bound on E R/E f^2 for f = x_1 (S - d - 2) and sigma'(u) = u^2 - 1."""
    mean, variance = N * (S / d - 1), 2 * N * (S / d) ** 2
    overlap = weighted_mean((S - d - 2) * mean)
    return sp.factor(1 - overlap**2 / (weighted_mean((S - d - 2) ** 2) * weighted_mean(mean**2 + variance)))


def quartic_residual() -> sp.Expr:
    """The share of the variance of |x|^4 that is left after the regression on |x|^2."""

    def covariance(left: sp.Expr, right: sp.Expr) -> sp.Expr:
        return radial_mean(left * right) - radial_mean(left) * radial_mean(right)

    return sp.factor(1 - covariance(S**2, S) ** 2 / (covariance(S, S) * covariance(S**2, S**2)))


PURE_QUARTIC = S**2 - 2 * (d + 2) * S + d * (d + 2)
"""The part of |x|^4 that is orthogonal to all of lower degree."""
