r"""A power as a quadratic model of infinite width (B, Lemma 15, Appendix C.3).

sigma'' = relu and f_*(x) = alpha <beta, x>^p. With a = a(w_0) of Lemma 9 for the degree q = p - 2,

    (w_+, w_-) = (sqrt([a]_+) beta, sqrt([a]_-) beta):
    E[sigma''(<w_0, x>) (<w_+, x>^2 - <w_-, x>^2)] = <beta, x>^2 E[relu(<w_0, x>) a] = f_*(x),
    E[|w_+|^4 + |w_-|^4] = |beta|^4 E a^2 = alpha^2 B_x^{2(p-2)} |beta|^{2p}/c_{p-2}
                        <= 2 pi ((p-2) v 1)^3 alpha^2 B_x^{2(p-2)} |beta|^{2p},

the equalities exactly, for every p with p - 2 = 1 or even. (23) needs E[relu a] = alpha <beta, x>^{p-2}; as printed
it has no alpha. The other odd p >= 5 cannot be had by any (w_+, w_-) in d >= 2: relu(y) - relu(-y) = y, so the odd
part of the quadratic model is a cubic form, and <beta, x>^p has the fifth harmonic on a great circle.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp

from proofs_checks.relu_coefficient_function import expressed, generating_steps, hermite, hermite_coefficient, t, x
from proofs_checks.relu_kernel_series import lower_bound_steps
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

DEGREES = (2, 3, 4, 6)
alpha, beta, B, c, k, a = sp.symbols("alpha beta B_x c k a", positive=True)
slack = sp.Symbol("s", nonnegative=True)
p = sp.Symbol("p", integer=True, positive=True)
n = sp.Symbol("n", integer=True, nonnegative=True)
product = sp.Symbol("b", positive=True)  # <beta, x>; its sign enters both sides alike
SIGNED = {"a > 0": a, "a < 0": -a}
"""The two cases of a real a, whose size is the symbol."""


def split(value: Any) -> tuple[Any, Any]:
    """The squares of the coefficients of beta in w_+ and w_-: [a]_+ and [a]_-."""
    return sp.Max(value, 0), sp.Max(-value, 0)


def _reduction(minus: int = 1) -> tuple[Statement, ...]:
    """sigma'' (<w_+, x>^2 - <w_-, x>^2) = sigma'' a <beta, x>^2, pointwise in w_0."""
    return tuple(
        Equation(f"(22), {case}", (split(value)[0] - minus * split(value)[1]) * product**2, value * product**2)
        for case, value in SIGNED.items()
    )


def _fourth_powers(power: int) -> tuple[Statement, ...]:
    """|w_+|^4 + |w_-|^4 = a^2 |beta|^4, pointwise in w_0."""
    return tuple(
        Equation(f"{case}", sum(part**power for part in split(value)) * beta**4, value**2 * beta**4)
        for case, value in SIGNED.items()
    )


def _suffices(factor: Any, left: int = 2) -> tuple[Statement, ...]:
    """<beta, x>^2 times what (23) asks for is f_*."""
    return (Equation("(23) gives f_*", product**2 * factor * product ** (p - left), alpha * product**p),)


def _collected(radius: Any, norm: Any) -> tuple[Statement, ...]:
    """|beta|^4 E a^2 with E a^2 = alpha^2 (B_x |beta|)^{2(p-2)}/c, 1/c = 2 pi k^3 - s, s >= 0, k = (p-2) v 1."""
    square = alpha**2 * (B * beta) ** (2 * (p - 2))
    bound = 2 * sp.pi * k**3 * alpha**2 * B**radius * beta**norm
    return (
        Equation("|beta|^4 E a^2", beta**4 * square / c, alpha**2 * B**radius * beta**norm / c),
        Bound("and its bound", beta**4 * square * (2 * sp.pi * k**3 - slack), bound,
              certificate=slack * alpha**2 * B ** (2 * p - 4) * beta ** (2 * p)),
    )  # fmt: skip


def _lemma(radius: Any, norm: Any) -> Callable[[Setting], tuple[Statement, ...]]:
    """The construction for every p, with the exact means at p = 2, 3, 4, 6 written out beside."""
    return lambda setting: (
        *statements(generating_steps()),
        *statements(lower_bound_steps(lambda index: 1 / (2 * sp.pi * (2 * index - 1) ** 2 * (2 * index)))),
        *_reduction(),
        *_suffices(alpha),
        *(
            Equation(
                f"p = {degree}: E[sigma''(<w_0, x>) a] <beta, x>^2 on the unit sphere",
                expressed(hermite(degree - 2, x)) / hermite_coefficient(degree - 2) * t**2,
                t**degree,
            )
            for degree in DEGREES
        ),
        *_fourth_powers(2),
        *_collected(radius, norm),
    )


def _harmonic(degree: int, frequency: int) -> Any:
    """The coefficient of cos(frequency theta) in cos(theta)^degree."""
    return 2 * sp.expand(((a + 1 / a) / 2) ** degree).coeff(a, frequency)


def _other_degrees(setting: Setting) -> tuple[Statement, ...]:
    share = sp.factorial(2 * n + 5) / (sp.factorial(n) * sp.factorial(n + 5)) / sp.Integer(2) ** (2 * n + 4)
    return (
        *(Equation(f"the fifth harmonic of cos^{q}", _harmonic(q, 5), share.subs(n, (q - 5) // 2)) for q in (5, 7, 9)),
        Bound("it is positive for every odd p >= 5", sp.S.Zero, share, strict=True, certificate=share),
        *(Equation(f"a cubic form has none: cos^{q}", _harmonic(q, 5), sp.S.Zero) for q in (1, 3)),
        Equation("p = 2 is the degree q = 0", expressed(hermite(0, x)) / hermite_coefficient(0), sp.S.One),
    )


THEOREM = Theorem(
    slug="infinite-width-quadratic",
    title="A power as a quadratic model of infinite width",
    source="B, Lemma 15, Appendix C.3",
    latex=(
        r"\mathbb{E}_{w_0}\big[\sigma''(w_0^\top x)((w_+^\top x)^2-(w_-^\top x)^2)\big] = \alpha(\beta^\top x)^p,\quad "
        r"\mathbb{E}\big[\|w_+\|_2^4+\|w_-\|_2^4\big] \le 2\pi((p-2)\vee 1)^3\alpha^2B_x^{2(p-2)}\|\beta\|_2^{2p}"
    ),
    uses=("polynomial-features",),
    claims=(
        Inequality(
            id="BL-L15",
            readings=(
                Reading(
                    document="B",
                    place="Lemma 15",
                    printed="E[||w_+||^4 + ||w_-||^4] <= 2 pi ((p-2) v 1)^3 alpha^2 B_x^{2(p-2)} ||beta||_2^{2p}",
                    scan="p > 2 stands for p >= 2, as p - 2 in {2l} with l >= 0 and the 2-XOR need p = 2",
                    states=_lemma(2 * (p - 2), 2 * p),
                ),
            ),
            mutants=(
                Mutant(name="||beta||^{2(p-2)}", states=_lemma(2 * (p - 2), 2 * (p - 2))),
                Mutant(name="B_x^{2p}", states=_lemma(2 * p, 2 * p)),
            ),
        ),
        Identity(
            id="BL-L15",
            part="step-22",
            readings=(
                Reading(
                    document="B",
                    place="C.3, (22)",
                    printed="(w_+, w_-) = (sqrt([a]_+) beta, sqrt([a]_-) beta): E[sigma'' ((w_+.x)^2 - (w_-.x)^2)] = "
                    "(beta.x)^2 E[sigma'' a]",
                    states=lambda setting: _reduction(),
                ),
            ),
            mutants=(Mutant(name="plus-for-minus", states=lambda setting: _reduction(-1)),),
        ),
        Identity(
            id="BL-L15",
            part="step-23",
            readings=(
                Reading(
                    document="B",
                    place="C.3, (23)",
                    printed="it suffices to choose a such that E[sigma''(w_0.x) a] = (beta.x)^{p-2}",
                    scan="no alpha can be made out, while alpha is read as a in the line before",
                    states=lambda setting: _suffices(sp.S.One),
                    erratum=Erratum(
                        corrected="E[sigma''(w_0.x) a] = alpha (beta.x)^{p-2}, as the norm bound after it says",
                        states=lambda setting: _suffices(alpha),
                    ),
                ),
            ),
            mutants=(Mutant(name="degree-p-1", states=lambda setting: _suffices(alpha, 1)),),
        ),
        Identity(
            id="BL-L15",
            part="step-norm",
            readings=(
                Reading(
                    document="B",
                    place="C.3, the last display",
                    printed="E[||w_+||^4 + ||w_-||^4] = E[[a]_+^2 + [a]_-^2] ||beta||^4 = E[a^2] ||beta||^4",
                    states=lambda setting: (*_fourth_powers(2), *_collected(2 * (p - 2), 2 * p)),
                ),
            ),
            mutants=(
                Mutant(name="first-powers-of-a", states=lambda setting: _fourth_powers(1)),
                Mutant(name="||beta||^{2p-2}", states=lambda setting: _collected(2 * (p - 2), 2 * p - 2)),
            ),
        ),
        Shape(
            id="BL-L15",
            part="degrees",
            readings=(
                Reading(
                    document="B",
                    place="Lemma 15",
                    printed="p - 2 in {1} u {2l}: p = 2 is among them, and no odd p >= 5 can be had in d >= 2",
                    states=_other_degrees,
                ),
            ),
            mutants=(
                Mutant(
                    name="p-5-is-a-cubic-form",
                    states=lambda setting: (Equation("cos^5 has no fifth harmonic", _harmonic(5, 5), sp.S.Zero),),
                ),
            ),
        ),
    ),
)
