"""Networks of any width as integrals over neurons (T, first slides).

    f(x) = sum_{i<=N} a_i sigma(<w_i, x>) = int a sigma(<w, x>) rho(da, dw),   rho = (1/N) sum_i delta_(N a_i, w_i),
    F^N is contained in F^{N+1}, ..., in F^inf = {f(.; rho) = int a sigma(<w, x>) rho(da, dw) : rho in P(R^{d+1})}.

The representation is an identity in the values sigma(<w_i, x>), whatever sigma, w and x are, and the inclusions follow
with a_{N+1} = 0. Whether an inclusion is strict depends on sigma: never for a linear sigma; for N < d only with u^2;
and with ReLU in the plane F^inf has |x|, which no finite network equals.

"rho in P(R^{d+1})" cannot be taken at its word: the integral needs int |a sigma(<w, x>)| rho(da, dw) < inf at every x,
and for rho with masses 2^-k at a_k = 2^k there is none. For a bounded sigma, int |a| rho < inf is enough; for
sigma = exp even a = 1 is not, and the integral may exist at some x and not at others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp

from theorems.claim import Bound, Equation, Erratum, Identity, Mutant, Prediction, Reading, Setting, Statement, Theorem

WIDTHS = (1, 2, 3, 5)
width = sp.Symbol("N", integer=True, positive=True)


def _neurons(count: int) -> list[tuple[Any, Any]]:
    """(a_i, s_i), where s_i stands for sigma(<w_i, x>): any real number."""
    return [(sp.Symbol(f"a{i + 1}", real=True), sp.Symbol(f"s{i + 1}", real=True)) for i in range(count)]


def _network(count: int) -> Any:
    return sum((a * s for a, s in _neurons(count)), sp.Integer(0))


def _representation(mass: Callable[[Any], Any], place: Callable[[Any, Any], Any]) -> Prediction:
    """The integral against sum_i mass(N) delta_(place(N, a_i), w_i), of total mass one."""
    index = sp.Symbol("i", integer=True)
    a, s = _neurons(1)[0]
    sizes = [
        Equation(f"f = int a sigma rho, N = {n}", _network(n), sum(mass(n) * place(n, x) * y for x, y in _neurons(n)))
        for n in WIDTHS
    ]
    return lambda setting: (
        *sizes,
        Equation("term by term, any N", a * s, mass(width) * place(width, a) * s),
        Equation("rho is a probability, any N", sp.Sum(mass(width), (index, 1, width)).doit(), sp.Integer(1)),
    )


_printed_measure = _representation(lambda n: 1 / sp.sympify(n), lambda n, a: n * a)


def _nested(setting: Setting) -> tuple[Statement, ...]:
    added = {n: _neurons(n + 1)[-1][0] for n in WIDTHS}
    return tuple(
        Equation(f"F^{n} in F^{n + 1}: one more neuron with a = 0", _network(n + 1).subs(added[n], 0), _network(n))
        for n in WIDTHS
    )


x1, x2, a1, a2, u1, u2, v1, v2 = sp.symbols("x1 x2 a1 a2 u1 u2 v1 v2", real=True)
radius = sp.Symbol("r", positive=True)


def _linear(rest: Any) -> Equation:
    """sigma(u) = u: two neurons are one."""
    two = a1 * (u1 * x1 + u2 * x2) + a2 * (v1 * x1 + v2 * x2)
    return Equation("sigma(u) = u: F^2 = F^1", two, (a1 * u1 + a2 * v1) * x1 + (a1 * u2 + a2 * v2) * x2 + rest)


def _quadratic(setting: Setting) -> tuple[Statement, ...]:
    """sigma(u) = u^2 in the plane: one neuron has determinant 0, x_1^2 + x_2^2 has 1, and two neurons make any form."""
    one = a1 * sp.Matrix([[u1**2, u1 * u2], [u1 * u2, u2**2]])
    p, q, r = sp.symbols("p q r", real=True, nonzero=True)
    squares = p * (x1 + q / p * x2) ** 2 + (r - q**2 / p) * x2**2
    return (
        Equation("sigma(u) = u^2, d = 2: one neuron has determinant 0", one.det(), sp.Integer(0)),
        Equation("x_1^2 + x_2^2 has determinant 1, so F^1 is not F^2", sp.eye(2).det(), sp.Integer(1)),
        Equation("two neurons make every form, so F^2 = F^3", squares, p * x1**2 + 2 * q * x1 * x2 + r * x2**2),
        Equation("also one without squares", q / 2 * ((x1 + x2) ** 2 - (x1 - x2) ** 2), 2 * q * x1 * x2),
    )


def _circle() -> tuple[Any, Any]:
    """(f, its Laplacian) at |x| = r for ReLU, a = 1, w uniform on the circle: <w, x> = r cos(angle) > 0 on half."""
    angle = sp.Symbol("theta", real=True)
    value = sp.integrate(radius * sp.cos(angle), (angle, -sp.pi / 2, sp.pi / 2)) / (2 * sp.pi)
    return value, sp.diff(radius * sp.diff(value, radius), radius) / radius


def _relu(laplacian: Any) -> tuple[Statement, ...]:
    """A finite ReLU network is linear off finitely many lines, where its Laplacian is 0."""
    value, found = _circle()
    return (
        Equation("ReLU, w uniform on the circle: f = |x|/pi", value, radius / sp.pi),
        Equation("its Laplacian, zero for every finite network", found, laplacian),
    )


def _where_strict(setting: Setting) -> tuple[Statement, ...]:
    return (_linear(sp.Integer(0)), *_quadratic(setting), *_relu(1 / (sp.pi * radius)))


k, last = sp.Symbol("k", integer=True, positive=True), sp.Symbol("K", integer=True, positive=True)
number = sp.Symbol("M", real=True)
bound, slack = sp.symbols("C h", nonnegative=True)


def _petersburg(sign: int) -> Any:
    """int_{k <= K} a sigma rho for masses 2^-k at a_k = (sign 2)^k and sigma(<w, x>) = 1."""
    return sp.Sum((sign * sp.Integer(2)) ** k * sp.Integer(2) ** (-k), (k, 1, last)).doit()


def _every_measure(setting: Setting) -> tuple[Statement, ...]:
    whole = sp.Sum(sp.Integer(2) ** (-k), (k, 1, sp.oo)).doit()
    return (
        Equation("masses 2^-k: rho is a probability", whole, sp.Integer(1)),
        Equation("a_k = 2^k: the integral is a number M", sp.limit(_petersburg(1), last, sp.oo), number),
    )


def _exponential(x: Any) -> Any:
    """f(x; rho) for sigma = exp, a = 1, w ~ Exp(1) on the line."""
    w = sp.Symbol("w", positive=True)
    return sp.integrate(sp.exp(w * (x - 1)), (w, 0, sp.oo))


def _integrable(setting: Setting) -> tuple[Statement, ...]:
    size = sp.Symbol("a", nonnegative=True)  # |a|
    return (
        Bound("|sigma| <= C: |a sigma| <= C |a|, so int |a| rho < inf is enough", size * bound, size * (bound + slack),
              False, size * slack),
        Equation("a_k = 2^k: int |a| rho over k <= K is K", _petersburg(1), last),
        Equation("so it is infinite", sp.limit(_petersburg(1), last, sp.oo), sp.oo),
        Equation("a_k = (-2)^k: 0 for even K", sp.simplify(_petersburg(-1).subs(last, 2 * k)), sp.Integer(0)),
        Equation("and -1 for odd K, so there is no value", sp.simplify(_petersburg(-1).subs(last, 2 * k - 1)),
                 sp.Integer(-1)),
        Equation("sigma = exp, w ~ Exp(1): a value at x = 1/2", _exponential(sp.Rational(1, 2)), sp.Integer(2)),
        Equation("and none at x = 1, though a = 1", _exponential(sp.Integer(1)), sp.oo),
    )  # fmt: skip


def _signs_cancel(setting: Setting) -> tuple[Statement, ...]:
    """a_k = (-2)^k would have the integral -1/2, by Abel's summation; its partial integrals are 0 and -1."""
    return (Equation("a_k = (-2)^k", sp.simplify(_petersburg(-1).subs(last, 2 * k)), -sp.Rational(1, 2)),)


def _amplitudes_suffice(setting: Setting) -> tuple[Statement, ...]:
    return (Equation("sigma = exp, a = 1, w ~ Exp(1), x = 1", _exponential(sp.Integer(1)), number),)


THEOREM = Theorem(
    slug="infinite-width",
    title="Networks of any width as integrals over neurons",
    source="T, first slides",
    latex=(
        r"\sum_{i\le N}a_i\,\sigma(\langle w_i,x\rangle)=\int a\,\sigma(\langle w,x\rangle)\,\rho(da,dw),\quad"
        r"\rho=\frac1N\sum_{i\le N}\delta_{Na_i,w_i},\quad \mathcal F^N\subseteq\mathcal F^{N+1}\subseteq\cdots"
        r"\subseteq\mathcal F^\infty"
    ),
    claims=(
        Identity(
            id="TL-NEST",
            readings=(
                Reading(
                    document="T",
                    place="first slides",
                    printed="F_NN^N in F_NN^{N+1} in ... in F_NN^inf, rho = (1/N) sum delta_(N a_i, w_i)",
                    states=lambda setting: (*_printed_measure(setting), *_nested(setting)),
                ),
            ),
            mutants=(
                Mutant(name="atoms-at-a_i", states=_representation(lambda n: 1 / sp.sympify(n), lambda n, a: a)),
                Mutant(name="mass-one-each", states=_representation(lambda n: sp.Integer(1), lambda n, a: a)),
                Mutant(name="atoms-at-a_i/N", states=_representation(lambda n: 1 / sp.sympify(n), lambda n, a: a / n)),
            ),
        ),
        Identity(
            id="TL-NEST",
            part="strict-or-not",
            readings=(
                Reading(
                    document="T",
                    place="first slides, the sign of inclusion; derived, not printed",
                    printed="contained in or equal: equal for some sigma and N, strict for others; F^inf has more",
                    states=_where_strict,
                ),
            ),
            mutants=(
                Mutant(name="two-linear-neurons-are-more", states=lambda setting: (_linear(sp.Integer(1)),)),
                Mutant(name="finite-networks-reach-F-inf", states=lambda setting: _relu(sp.Integer(0))),
            ),
        ),
        Identity(
            id="TL-NEST",
            part="every-measure",
            readings=(
                Reading(
                    document="T",
                    place="first slides, the definition of F_NN^inf",
                    printed="f(x; rho) = int a sigma(<w, x>) rho(da, dw), rho in P(R^{d+1})",
                    states=_every_measure,
                    erratum=Erratum(
                        corrected=(
                            "rho in P(R^{d+1}) with int |a sigma(<w, x>)| rho < inf at every x: int |a| rho < inf for "
                            "a bounded sigma; every rho of finite support qualifies, so the inclusions stand"
                        ),
                        states=_integrable,
                    ),
                ),
            ),
            mutants=(
                Mutant(name="the-signs-cancel", states=_signs_cancel),
                Mutant(name="int-|a|-finite-is-enough", states=_amplitudes_suffice),
            ),
        ),
    ),
)
