r"""A power of a linear function as a mean of random ReLU features (B, Lemma 9, Appendix A.2).

For p = 1 and p even, w_0 ~ N(0, B_x^-2 I), lambda_p = E[relu(G) He_p(G)] and

    a(w_0) = alpha (B_x |beta|)^p He_p(B_x <w_0, beta>/|beta|)/lambda_p:
    E[relu(<w_0, x>) a(w_0)] = alpha <beta, x>^p on |x| = B_x,   E a^2 = alpha^2 B_x^{2p} |beta|^{2p}/c_p,

exactly, for every p and d, which is what the printed proof bounds by 2 pi (p v 1)^3 alpha^2 B_x^{2p} |beta|^{2p}. The
power of B_x is forced: the law of <w_0, x> does not know B_x, so a scales with the target. The lemma's statement has
B_x^{2(p-1)}, which is false for large B_x whatever a is: for p = 1, E[<w_0, x> a] = 2 alpha <beta, x> and
Cauchy-Schwarz give E a^2 >= 4 alpha^2 B_x^2 |beta|^2, beyond the printed 2 pi alpha^2 |beta|^2 once B_x^2 > pi/2. The
least norm is known in every dimension (proofs_checks/relu_coefficient_function.py); it is below 1/c_p for p even and
tends to it as d grows.

No other odd p can be had in d >= 2: relu(y) - relu(-y) = y, so the odd part of any E[relu(<w_0, x>) a(w_0)] is linear
in x.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp

from proofs_checks import relu_coefficient_function as function
from proofs_checks.relu_coefficient_function import expressed, hermite, hermite_coefficient, least_norm_exact, t, x
from proofs_checks.relu_kernel_series import coefficient, lower_bound_steps
from theorems.claim import (
    Bound,
    Equation,
    Erratum,
    Identity,
    Inequality,
    Mutant,
    Reading,
    Setting,
    Shape,
    Statement,
    Theorem,
)
from theorems.steps import statements

DEGREES = (0, 1, 2, 4, 6)
alpha, beta, B, c = sp.symbols("alpha beta B_x c", positive=True)
y = sp.Symbol("y", positive=True)
product = sp.Symbol("b", real=True)  # <beta, x>
n = sp.Symbol("n", integer=True, nonnegative=True)
p = sp.Symbol("p", integer=True, nonnegative=True)
Exponent = Callable[[int], int]


def _within(name: str, norm: Any, degree: int, radius: int) -> Bound:
    """norm B_x^{2p} <= 2 pi (p v 1)^3 B_x^radius: E a^2 against its bound in units of alpha^2 |beta|^{2p}."""
    return Bound(f"p = {degree}: {name}", norm * B ** (2 * degree), 2 * sp.pi * max(degree, 1) ** 3 * B**radius)


def _for_every_degree() -> tuple[Statement, ...]:
    """The explicit a, and 1/c_p <= 2 pi (p v 1)^3 from 1/(2 pi (2l-1)^2 2l) <= c_{2l}."""
    printed = lower_bound_steps(lambda index: 1 / (2 * sp.pi * (2 * index - 1) ** 2 * (2 * index)))
    return (*statements(function.generating_steps()), *statements(printed))


def _lemma(radius: Exponent) -> Callable[[Setting], tuple[Statement, ...]]:
    """The bound with this exponent of B_x against the least norm in R^3, and against 1/c_p, attained in every R^d."""
    return lambda setting: (
        *_for_every_degree(),
        *(_within("the least E a^2 in R^3", least_norm_exact(q, sp.Integer(3)), q, radius(q)) for q in DEGREES),
        *(_within("the explicit a, any d", 1 / coefficient(q), q, radius(q)) for q in DEGREES),
    )


def _sharp_radius(setting: Setting) -> tuple[Statement, ...]:
    """p = 1: the least norm 4 B_x^2 is within the printed 2 pi exactly for B_x^2 <= pi/2."""
    g, h = sp.Symbol("g", nonnegative=True), sp.Symbol("h", positive=True)
    least, printed = least_norm_exact(1, sp.Integer(3)), 2 * sp.pi
    return (
        Bound("p = 1: the print holds at B_x^2 = (pi/2)/(1 + g)", least * sp.pi / 2 / (1 + g), printed,
              certificate=2 * sp.pi * g / (1 + g)),
        Bound("p = 1: and fails at B_x^2 = (pi/2)(1 + h)", printed, least * sp.pi / 2 * (1 + h), strict=True,
              certificate=2 * sp.pi * h),
    )  # fmt: skip


def _lemma_corrected(setting: Setting) -> tuple[Statement, ...]:
    return (*_lemma(lambda q: 2 * q)(setting), *_sharp_radius(setting))


def _coefficients(power: Any, tensor: Any) -> tuple[Statement, ...]:
    """f = <c, phi(x)> with the component alpha c_p^(-1/2) B_x^power beta^{(x)p}, and its norm."""
    component = alpha * c ** sp.Rational(-1, 2) * B**power
    return (
        Equation("<c, phi(x)> = alpha <beta, x>^p", component * sp.sqrt(c) * B ** (-p) * product**p,
                 alpha * product**p),
        Equation("|c|^2 = alpha^2 c_p^-1 B_x^{2p} |beta|^{2p}", component**2 * beta ** (2 * p),
                 alpha**2 / c * B ** (2 * p) * beta ** (2 * tensor)),
    )  # fmt: skip


def _explicit(shape: Callable[[int], Any], norm: Callable[[int], Any]) -> tuple[Statement, ...]:
    """a = shape_q(<g, e>)/lambda_q on the unit sphere."""
    return (
        *(
            Equation(f"q = {q}: E[relu(<g, z>) a(g)] = t^q", expressed(shape(q)) / hermite_coefficient(q), t**q)
            for q in DEGREES
        ),
        *(
            Equation(f"q = {q}: E a^2", function.gaussian_mean(shape(q) ** 2, x) / hermite_coefficient(q) ** 2, norm(q))
            for q in DEGREES
        ),
    )


def _least(setting: Setting) -> tuple[Statement, ...]:
    return (
        *statements(function.least_norm_steps(DEGREES)),
        Equation("p = 1: the least norm is 1/c_1 = 4 in every dimension", function.least_norm(1), 1 / coefficient(1)),
        Equation("d = 1: the least norm of an even power is 4", least_norm_exact(4, sp.Integer(1)), sp.Integer(4)),
        Equation("p = 4: 1/c_4 in the limit of large d", sp.limit(function.least_norm(4), function.dimension, sp.oo),
                 1 / coefficient(4)),
    )  # fmt: skip


def _harmonic(degree: int) -> Any:
    """The coefficient of cos(3 theta) in cos(theta)^p: twice that of z^3 in ((z + 1/z)/2)^p, z = exp(i theta)."""
    return 2 * sp.expand(((y + 1 / y) / 2) ** degree).coeff(y, 3)


def _no_other_odd(setting: Setting) -> tuple[Statement, ...]:
    """On a great circle a linear function has the frequency 1 only, and cos^p, p = 2n + 3, has the frequency 3."""
    share = sp.factorial(2 * n + 3) / (sp.factorial(n) * sp.factorial(n + 3)) / sp.Integer(2) ** (2 * n + 2)
    return (
        Equation("relu(y) - relu(-y) = y", sp.Max(y, 0) - sp.Max(-y, 0), y),
        *(Equation(f"the third harmonic of cos^{q}", _harmonic(q), share.subs(n, (q - 3) // 2)) for q in (3, 5, 7)),
        Bound("it is positive for every odd p >= 3", sp.S.Zero, share, strict=True, certificate=share),
        *(Equation(f"lambda_{q} = 0", hermite_coefficient(q), sp.S.Zero) for q in (3, 5, 7)),
    )


THEOREM = Theorem(
    slug="polynomial-features",
    title="A power as a mean of random ReLU features",
    source="B, Lemma 9",
    latex=(
        r"\mathbb{E}_{w_0}[\mathrm{relu}(w_0^\top x)\,a] = \alpha(\beta^\top x)^p,\quad "
        r"\mathbb{E}[a^2] \le 2\pi (p\vee 1)^3\alpha^2 B_x^{2p}\|\beta\|_2^{2p}"
    ),
    uses=("relu-kernel",),
    claims=(
        Inequality(
            id="BL-L9",
            readings=(
                Reading(
                    document="B",
                    place="Lemma 9",
                    printed="E[a^2] <= 2 pi (p v 1)^3 alpha^2 B_x^{2(p-1)} ||beta||_2^{2p}, p in {1} u {2l}, l >= 0",
                    scan=(
                        "of the exponent of B_x only its end, -1), can be made out; the proof ends with 2p. The "
                        "subscript of {2l} is lost: (p v 1) and Lemma 15 at p = 2 need p = 0"
                    ),
                    states=_lemma(lambda q: 2 * (q - 1)),
                    erratum=Erratum(
                        corrected=(
                            "the exponent of B_x is 2p, as in the proof; the print holds at p = 1 exactly for "
                            "B_x^2 <= pi/2, the least norm being 4 alpha^2 B_x^2 ||beta||^2"
                        ),
                        states=_lemma_corrected,
                    ),
                ),
            ),
            mutants=(
                Mutant(name="B_x^{2(p+1)}", states=_lemma(lambda q: 2 * q + 2)),
                Mutant(name="B_x^p", states=_lemma(lambda q: q)),
            ),
        ),
        Identity(
            id="BL-L9",
            part="step-norm",
            readings=(
                Reading(
                    document="B",
                    place="A.2, f_* = <c, phi(x)>",
                    printed=(
                        "c = [0, ..., 0, alpha c_p^(-1/2) B_x^p beta^{(x)p}, 0, ...], "
                        "||c||^2 = alpha^2 c_p^-1 B_x^{2p} ||beta||^{2p}"
                    ),
                    scan="the exponents of B_x and beta are garbled; <c, phi> = f_* fixes them",
                    states=lambda setting: _coefficients(p, p),
                ),
            ),
            mutants=(
                Mutant(name="no-B_x-in-the-coefficient", states=lambda setting: _coefficients(sp.S.Zero, p)),
                Mutant(name="B_x^{p-1}", states=lambda setting: _coefficients(p - 1, p)),
                Mutant(name="||beta||^p", states=lambda setting: _coefficients(p, p / 2)),
            ),
        ),
        Identity(
            id="BL-L9",
            part="coefficient-function",
            readings=(
                Reading(
                    document="B",
                    place="Lemma 9",
                    printed="there exists a = a(w_0): He_p(B_x <w_0, beta>/||beta||) times a constant, E a^2 = ||c||^2",
                    states=lambda setting: (
                        *statements(function.generating_steps()),
                        *_explicit(lambda q: hermite(q, x), lambda q: 1 / coefficient(q)),
                    ),
                ),
            ),
            mutants=(
                Mutant(
                    name="the-power-itself",
                    states=lambda setting: _explicit(lambda q: x**q, lambda q: 1 / coefficient(q)),
                ),
                Mutant(
                    name="norm-1/c_p^2",
                    states=lambda setting: _explicit(lambda q: hermite(q, x), lambda q: 1 / coefficient(q) ** 2),
                ),
            ),
        ),
        Shape(
            id="BL-L9",
            part="least-norm",
            readings=(
                Reading(
                    document="B",
                    place="A.2, (11)",
                    printed="||f||_{H_K}^2 = inf ||a||^2 <= ||c||^2: equal at p = 1, smaller in every d for p even",
                    states=_least,
                ),
            ),
            mutants=(
                Mutant(
                    name="||c||^2-is-attained-in-R^3",
                    states=lambda setting: (Equation("p = 4", least_norm_exact(4, sp.Integer(3)), 1 / coefficient(4)),),
                ),
            ),
        ),
        Shape(
            id="BL-L9",
            part="odd-degrees",
            readings=(
                Reading(
                    document="B",
                    place="Lemma 9",
                    printed="p in {1} u {2l}: no other odd p can be expressed at all, in d >= 2",
                    states=_no_other_odd,
                ),
            ),
            mutants=(
                Mutant(
                    name="cubes-too",
                    states=lambda setting: (Equation("cos^3 is linear on the circle", _harmonic(3), sp.S.Zero),),
                ),
            ),
        ),
    ),
)
