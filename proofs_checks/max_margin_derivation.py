"""The equations of the max-margin classifier on noisy linear features, derived step by step.

Setting, in units b_* = 1: features u_i = zeta W x_i + z_i in R^N, labels with P(y_i = 1 | x_i) = f0(<beta_0, x_i>),
Sigma and mu as in feature_covariance.py, n samples. Given W, u = mu G + Sigma_perp^(1/2) h with G = <beta_0, x>,
Sigma_perp = Sigma - mu mu^T and h independent of G. For a vector a put p = <a, mu>, q^2 = a^T Sigma a - p^2.

1. (Gordon.) A margin k is reached iff min over ||a|| <= 1 of ||(k - y <a, u>)_+||/sqrt n is zero; this is the min-max
   of a form bilinear in the Gaussian matrix h, and convex in a, so it vanishes, asymptotically, exactly when

       min over ||a|| <= 1 of   F_k(p, q) + <g, a>  <= 0,   F_k(p, q)^2 = Phi = E (k - p Y G - q Z)_+^2,

   g = n^(-1/2) Sigma_perp^(1/2) h', which may be replaced by n^(-1/2) Sigma^(1/2) h' (they differ in one direction,
   by O(n^-1/2)). By homogeneity put k = 1 and minimise ||a||: kappa = 1/||a||.
2. (Stationarity.) F_p mu + (F_q/q)(Sigma a - p mu) + g + m a = 0. With s = F_q/q, t = m/s, nu = s p - F_p,
   a = (Sigma + t)^-1 (nu mu - g)/s. The forms in mu and g are U, U2, V, V2 of feature_covariance.py; mu and g are
   asymptotically orthogonal in each of them.
3. (Elimination.) With pi = P(1 - pYG - qZ > 0), D = E[YG (1 - pYG - qZ)_+], C = E (1 - pYG - qZ)_+ and p = U omega:

       (E1)  pi = V                              (the share of support vectors)
       (E2)  D = omega pi (1 - U)
       (E3)  pi C = t (omega^2 pi^2 U2 + Phi V2)
       kappa^-2 = omega^2 U2 + Phi V2/pi^2,      Err = P(p YG + q Z <= 0).

   F_1 + <g, .> is convex in a (F_1 is a norm of a positive part, not decreasing in q, and q is a norm of a), and
   ||a||^2 strictly so: a solution of (E1)-(E3) with t > 0 is the minimum, and the only one.
4. (Threshold.) A positive margin exists iff the same minimum with k = 0 is negative for some a. With U at t = 0,
   p = U omega and q^2 = 1 + U (1 - U) omega^2, it exists iff N/n > min over omega of E(-p YG - q Z)_+^2.

Each algebraic step is a SymbolicStep below; what is not algebra (Gordon's comparison itself, the convergence of the
spectrum) is confronted with the simulator.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import sympy as sp

from proofs_checks.feature_covariance import Resolvents, proportional, psi1, psi2, w, zeta
from proofs_checks.symbolic_step import Expression, SymbolicStep

omega, q = sp.symbols("omega q", positive=True)
UNKNOWNS = (omega, q, w)
J0, J1, J2, K0, K1 = MOMENTS = sp.symbols("J0 J1 J2 K0 K1", positive=True)
_p, _q, _k = sp.symbols("p q k", positive=True)
_v, _z = sp.symbols("v z", real=True)


def _distribution(x: Expression) -> Expression:
    return sp.erfc(-x / sp.sqrt(2)) / 2


def _density(x: Expression) -> Expression:
    return sp.exp(-(x**2) / 2) / sp.sqrt(2 * sp.pi)


def functionals(k: Any, p: Expression, q: Expression) -> dict[str, Expression]:
    """Phi, C, D, pi through the moments J_j = E[V^j Phi((k - pV)/q)], K_j = E[V^j phi((k - pV)/q)]."""
    return {
        "Phi": (k**2 + q**2) * J0 - 2 * k * p * J1 + p**2 * J2 + q * (k * K0 - p * K1),
        "C": k * J0 - p * J1 + q * K0,
        "D": k * J1 - p * J2 + q * K1,
        "pi": J0,
    }


def derivatives(k: Any, p: Expression, q: Expression) -> dict[tuple[str, str], Expression]:
    """Their partial derivatives, again through the moments."""
    value = functionals(k, p, q)
    return {
        ("Phi", "p"): -2 * value["D"],
        ("Phi", "q"): 2 * q * value["pi"],
        ("C", "p"): -J1,
        ("C", "q"): K0,
        ("D", "p"): -J2,
        ("D", "q"): K1,
        ("pi", "p"): -K1 / q,
        ("pi", "q"): -(k * K0 - p * K1) / q**2,
    }


def _abstract(form: Resolvents) -> tuple[tuple[Expression, ...], dict[str, Expression], Expression]:
    """(E1)-(E3) as left - right, and kappa^-2, with Phi, C, D, pi as unspecified functions of p = U omega and q.

    (E3) is taken as it was before the elimination, an equation for q^2: in wide networks q can be small, and the
    difference of the two sides of (E3) would lose it.
    """
    p = form.U * omega
    value = {name: sp.Function(name)(p, q) for name in ("Phi", "C", "D", "pi")}
    pi, Phi = value["pi"], value["Phi"]
    signal, noise = (sp.factor(x) for x in (form.U - form.t * form.U2 - form.U**2, form.V - form.t * form.V2))
    third = pi**2 * q**2 - omega**2 * pi**2 * signal - Phi * noise
    equations = (pi - form.V, value["D"] - omega * pi * (1 - form.U), third)
    return equations, value, omega**2 * form.U2 + Phi * form.V2 / pi**2


def system(form: Resolvents) -> tuple[sp.Matrix, sp.Matrix]:
    """(E1), (E2), (E3), kappa^-2 as a column in (omega, q, w) and the moments, and its Jacobian in (omega, q, w)."""
    equations, value, inverse = _abstract(form)
    column = sp.Matrix([*equations, inverse])
    p = form.U * omega
    known = functionals(sp.Integer(1), p, q)
    slopes = derivatives(sp.Integer(1), p, q)

    def concrete(expression: Expression) -> Expression:
        return expression.xreplace({value[name]: known[name] for name in value})

    chain = {"p": [sp.diff(p, unknown) for unknown in UNKNOWNS], "q": [sp.Integer(0), sp.Integer(1), sp.Integer(0)]}
    names = {call: sp.Symbol(name) for name, call in value.items()}
    plain = column.xreplace(names)
    jacobian = sp.zeros(4, 3)
    for row in range(4):
        for place, unknown in enumerate(UNKNOWNS):
            total = sp.diff(plain[row], unknown)
            for name in value:
                inner = sum(slopes[name, axis] * chain[axis][place] for axis in ("p", "q"))
                total += sp.diff(plain[row], sp.Symbol(name)) * inner
            jacobian[row, place] = total.xreplace({sp.Symbol(name): known[name] for name in value})
    return column.applyfunc(concrete), jacobian


# The steps -------------------------------------------------------------------------------------------------------


def integral_steps() -> tuple[SymbolicStep, ...]:
    """The integrals over Z, and the derivatives of Phi, C, D, pi, at a fixed V = v."""
    c = sp.Symbol("c", real=True)
    squared = (c**2 + _q**2) * _distribution(c / _q) + c * _q * _density(c / _q)
    linear = c * _distribution(c / _q) + _q * _density(c / _q)
    at = _k - _p * _v
    pointwise = {
        J0: _distribution(at / _q),
        J1: _v * _distribution(at / _q),
        J2: _v**2 * _distribution(at / _q),
        K0: _density(at / _q),
        K1: _v * _density(at / _q),
    }
    value = {name: form.xreplace(pointwise) for name, form in functionals(_k, _p, _q).items()}
    return (
        *_integral_over_z("E_Z (c - qZ)_+^2", c, (c - _q * _z) ** 2, squared),
        *_integral_over_z("E_Z (c - qZ)_+", c, c - _q * _z, linear),
        SymbolicStep("Phi through the moments", value["Phi"], "=", squared.subs(c, at)),
        SymbolicStep("C through the moments", value["C"], "=", linear.subs(c, at)),
        SymbolicStep("D through the moments", value["D"], "=", _v * linear.subs(c, at)),
        *(
            SymbolicStep(f"d{name}/d{axis}", sp.diff(value[name], {"p": _p, "q": _q}[axis]), "=",
                         slope.xreplace(pointwise))
            for (name, axis), slope in derivatives(_k, _p, _q).items()
        ),
        SymbolicStep("Phi is homogeneous of degree 2: Phi = k C - p D + q^2 pi", value["Phi"], "=",
                     _k * value["C"] - _p * value["D"] + _q**2 * value["pi"]),
        SymbolicStep("dPhi/dk = 2 C", sp.diff(value["Phi"], _k), "=", 2 * value["C"]),
    )  # fmt: skip


def _integral_over_z(name: str, c: Expression, power: Expression, closed: Expression) -> Iterable[SymbolicStep]:
    """int over z < c/q of power(z) phi(z) dz = closed(c).

    The integrand vanishes at z = c/q, so the c-derivative of the left side is the integral of d(power)/dc, one degree
    lower; an antiderivative in z is checked instead, with its value at the upper end and its limit at -infinity.
    """
    # SymPy's antiderivative, so the step does not rest on ours; what is checked is its derivative and its two ends.
    primitive = sp.integrate(sp.expand(power) * _density(_z), _z)
    yield SymbolicStep(f"{name}: an antiderivative", sp.diff(primitive, _z), "=", power * _density(_z))
    ends = primitive.subs(_z, c / _q) - sp.limit(primitive, _z, -sp.oo)
    yield SymbolicStep(f"{name}: between its ends", ends, "=", closed)


def stationarity_steps() -> tuple[SymbolicStep, ...]:
    """Step 2, in coordinates that diagonalise Sigma; two of them show every coordinate."""
    a = sp.symbols("a1 a2", real=True)
    mu, g = sp.symbols("mu1 mu2", real=True), sp.symbols("g1 g2", real=True)
    eigenvalue = sp.symbols("lambda1 lambda2", positive=True)
    m, s, t, nu, P = sp.symbols("m s t nu P", positive=True)
    slope_p, slope_q = sp.symbols("F_p F_q", real=True)
    p = sum(x * y for x, y in zip(a, mu, strict=True))
    spread = sp.sqrt(sum(lam * x**2 for lam, x in zip(eigenvalue, a, strict=True)) - p**2)
    # F enters through its two slopes at the point, so a linear F shows the chain rule for each F.
    lagrangian = slope_p * p + slope_q * spread + sum(x * y for x, y in zip(a, g, strict=True))
    lagrangian += m * sum(x**2 for x in a) / 2
    steps = [
        SymbolicStep(
            f"the derivative in {x}",
            sp.diff(lagrangian, x),
            "=",
            slope_p * mean + slope_q / spread * (lam * x - p * mean) + noise + m * x,
        )
        for x, mean, noise, lam in zip(a, mu, g, eigenvalue, strict=True)
    ]
    mean, noise, lam = mu[0], g[0], eigenvalue[0]
    solution = (nu * mean - noise) / (s * (lam + t))
    steps += [
        SymbolicStep("a solves it", (s * P - nu) * mean + s * (lam * solution - P * mean) + noise + s * t * solution,
                     "=", sp.Integer(0)),
        SymbolicStep("<a, mu> collects nu U/s", sp.expand(solution * mean).coeff(noise, 0), "=",
                     nu / s * mean**2 / (lam + t)),
        SymbolicStep("<g, a> collects -V/s", sp.expand(solution * noise).coeff(mean, 0), "=",
                     -(noise**2) / (s * (lam + t))),
        SymbolicStep("||a||^2 collects (nu^2 U2 + V2)/s^2", sp.expand(solution**2).coeff(mean * noise, 0), "=",
                     (nu**2 * mean**2 + noise**2) / (s * (lam + t)) ** 2),
        SymbolicStep("lambda/(lambda + t)^2 splits", lam / (lam + t) ** 2, "=", 1 / (lam + t) - t / (lam + t) ** 2),
    ]  # fmt: skip
    return tuple(steps)


def elimination_steps() -> tuple[SymbolicStep, ...]:
    """Step 3: from (p, q, s, nu, F) to (E1)-(E3).

    In: s = F_q/q, nu = s p - F_p with F = sqrt(Phi), Phi_p = -2 D, Phi_q = 2 q pi; p = nu U/s; F = V/s;
    p^2 + q^2 = (nu^2 (U - t U2) + V - t V2)/s^2; 1/kappa^2 = (nu^2 U2 + V2)/s^2.
    """
    Phi, D, pi, U, U2, V2, t, p = sp.symbols("Phi D pi U U2 V2 t p", positive=True)
    F = sp.sqrt(Phi)
    slope_p, slope_q = -2 * D / (2 * F), 2 * _q * pi / (2 * F)
    s = slope_q / _q
    nu = s * p - slope_p
    at = {D: omega * pi * (1 - U), p: U * omega}
    inverse = omega**2 * U2 + Phi * V2 / pi**2
    C = sp.Symbol("C", positive=True)
    homogeneous = C - p * D + _q**2 * pi  # Phi at k = 1
    quadratic = (nu**2 * (U - t * U2) + pi - t * V2) / s**2 - p**2 - _q**2  # V = pi by (E1)
    return (
        SymbolicStep("s F = pi, so F = V/s is (E1)", s * F, "=", pi),
        SymbolicStep("(E2) gives nu/s = omega", (nu / s).subs(at, simultaneous=True), "=", omega),
        SymbolicStep("so p = nu U/s is (E2)", (p - nu * U / s).subs(at, simultaneous=True), "=", sp.Integer(0)),
        SymbolicStep("1/kappa^2", ((nu**2 * U2 + V2) / s**2).subs(at, simultaneous=True), "=", inverse),
        SymbolicStep(
            "the equation of p^2 + q^2 is Phi/pi - q^2 + omega^2 U (1 - U) = t/kappa^2",
            quadratic.subs(at, simultaneous=True),
            "=",
            Phi / pi - _q**2 + omega**2 * U * (1 - U) - t * inverse,
        ),
        SymbolicStep(
            "and with Phi = C - p D + q^2 pi it is (E3)",
            (homogeneous / pi - _q**2 + omega**2 * U * (1 - U)).subs(at, simultaneous=True),
            "=",
            C / pi,
        ),
    )


def threshold_steps() -> tuple[SymbolicStep, ...]:
    """Step 4: Sigma^(1/2) a has length sqrt(U) omega along Sigma^(-1/2) mu (of length sqrt(U)) and length 1 across."""
    D, pi, U = sp.symbols("D pi U", positive=True)
    p, spread = U * omega, sp.sqrt(1 + U * (1 - U) * omega**2)
    slope = -2 * D * sp.diff(p, omega) + 2 * spread * pi * sp.diff(spread, omega)
    return (
        SymbolicStep("p^2 + q^2 = U omega^2 + 1", p**2 + spread**2, "=", U * omega**2 + 1),
        SymbolicStep("the derivative in omega", slope, "=", 2 * U * threshold_slope(omega, U, D, pi)),
        SymbolicStep("it vanishes where (E2) holds", slope.subs(D, omega * pi * (1 - U)), "=", sp.Integer(0)),
        SymbolicStep(
            "there Phi = pi: at k = 0, t = 0 (E1) says N/n = pi",
            (-p * D + spread**2 * pi).subs(D, omega * pi * (1 - U)),
            "=",
            pi,
        ),
    )


def threshold_slope(omega: Any, U: Any, D: Any, pi: Any) -> Any:
    """The derivative in omega of E(-p YG - q Z)_+^2 along p = U omega, q^2 = 1 + U (1 - U) omega^2, over 2 U."""
    return (1 - U) * omega * pi - D


def corner_steps() -> tuple[SymbolicStep, ...]:
    """zeta = 0: the signal drops out, and (E1), (E3) with Phi = C + q^2 pi give Gardner's E(kappa + G)_+^2 = N/n."""
    form = Resolvents(*(entry.subs(zeta, 0) for entry in proportional()))
    Phi = sp.Symbol("Phi", positive=True)
    pi = form.V
    # (E3): pi (Phi - q^2 pi) = t Phi V2, to be solved for Phi.
    (solution,) = sp.solve(pi * (Phi - q**2 * pi) - form.t * Phi * form.V2, Phi)
    k = sp.Symbol("k", positive=True)
    squared = functionals(k, sp.Integer(0), _q)["Phi"]
    return (
        SymbolicStep("U = 0", form.U, "=", sp.Integer(0)),
        SymbolicStep("U2 = 0", form.U2, "=", sp.Integer(0)),
        SymbolicStep("Phi = q^2 N/n", solution, "=", q**2 * psi1 / psi2),
        SymbolicStep("and kappa = 1/q", (solution * form.V2 / pi**2), "=", q**2),
        SymbolicStep(
            "so E(1/q - Z)_+^2 = N/n",
            squared.subs(k, 1) / _q**2,
            "=",
            squared.subs({k: 1 / _q, _q: 1}, simultaneous=True),
        ),
    )


def derivation_steps() -> tuple[SymbolicStep, ...]:
    """All steps of this module."""
    return (*integral_steps(), *stationarity_steps(), *elimination_steps(), *threshold_steps())
