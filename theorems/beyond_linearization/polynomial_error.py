r"""The error of the network that expresses a power, exactly (B, Theorem 7, Appendix C.4).

The W* of C.4 (polynomial_width.py) with the Hermite coefficient function a of Lemma 9 has, at every width m and every
x,

    m E (f^Q_{W*}(x) - f_*(x))^2 = 2 alpha^2 (B_x |beta|)^{2p} t^4 ((1 + 2 q t^2)/(2 c_q) - t^{2q}),

q = p - 2, t = <beta, x>/(|beta| B_x): the mean of m/2 independent terms, whose second moment is in closed form
(proofs_checks/relu_coefficient_function.py). There is no d in it. It is measured on networks that are really built.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp
from flint import arb, ctx

from proofs_checks.ball_function import number_ball, rational_ball
from proofs_checks.relu_coefficient_function import second_moment, second_moment_steps
from proofs_checks.relu_kernel_series import BITS, coefficient
from simulate.polynomial_network import error_cost
from theorems.claim import (
    Equation,
    Identity,
    Limit,
    Mutant,
    Observation,
    Prediction,
    Reading,
    Setting,
    Statement,
    Theorem,
)
from theorems.steps import statements

LADDER = (32, 64, 128, 256, 512, 1024)


def _variance(mean: int) -> tuple[Statement, ...]:
    """The variance of relu(G) sqrt(2 pi), that is q = 0 at any x, by the integral itself: pi - 1."""
    g = sp.Symbol("g", real=True)
    density = sp.exp(-(g**2) / 2) / sp.sqrt(2 * sp.pi)
    first, second = (sp.integrate(g**j * density, (g, 0, sp.oo)) for j in (1, 2))
    direct = 2 * sp.pi * (second - first**2)
    return (Equation("q = 0: m/2 times the mean square", direct, second_moment(0) / coefficient(0) - mean),)


def _rate(exponent: Any) -> tuple[Statement, ...]:
    """The root of the mean square is (2 V)^(1/2) m^-exponent, V the variance of one term, at every width."""
    m, variance = sp.symbols("m V", positive=True)
    widths = {m: (sp.Integer(2), sp.Integer(2) ** 16)}
    return (
        Equation(
            "the error like a power of m", sp.sqrt(2 / m * variance), sp.sqrt(2 * variance) * m**-exponent, widths
        ),
    )


def symbols(setting: Setting) -> dict[str, Any]:
    """What a formula may contain."""
    with ctx.workprec(BITS):
        return {
            "degree": arb(setting["degree"]),
            "cosine": rational_ball(sp.Rational(str(setting["cosine"]))),
            "kernel_coefficient": number_ball(coefficient(setting["degree"] - 2)),
        }


def _exact_norm(q: int) -> Any:
    return 1 / coefficient(q)


def _error(front: int = 2, growth: int = 2, norm: Callable[[int], Any] = _exact_norm) -> Prediction:
    """m times the mean square error in units of alpha^2 (B_x |beta|)^{2p}."""

    def states(setting: Setting) -> arb:
        value = symbols(setting)
        q, t = setting["degree"] - 2, value["cosine"]
        return front * t**4 * ((1 + growth * q * t**2) * number_ball(norm(q)) / 2 - t ** (2 * q))

    return states


def _observe(setting: Setting) -> Observation:
    assert setting.dimension is not None
    return Observation(
        simulator="simulate.polynomial_network:scaled_error",
        dimension=setting.dimension,
        arguments={"degree": setting["degree"], "cosine": float(setting["cosine"])},
        cost=error_cost(setting.dimension),
    )


THEOREM = Theorem(
    slug="polynomial-error",
    title="The error of the network that expresses a power",
    source="B, Theorem 7, Appendix C.4",
    latex=(
        r"m\,\mathbb{E}\big(f^Q_{W_*}(x)-f_*(x)\big)^2 = 2\alpha^2(B_x\|\beta\|_2)^{2p}\,t^4\Big("
        r"\frac{1+2qt^2}{2c_q}-t^{2q}\Big)"
    ),
    parameters={"degree": 4, "cosine": "4/5"},
    symbols=("degree", "cosine", "kernel_coefficient"),
    evaluate=symbols,
    uses=("polynomial-width",),
    claims=(
        Identity(
            id="BL-T7",
            part="mean-square",
            readings=(
                Reading(
                    document="B",
                    place="C.4, Concentration of function",
                    printed="E[sigma''(w_0.x)^2 a(w_0)^2]: here exactly (1 + 2 q t^2)/(2 c_q), for every q",
                    states=lambda setting: (*statements(second_moment_steps()), *_variance(1)),
                ),
            ),
            mutants=(
                Mutant(
                    name="independent-factors",
                    states=lambda setting: tuple(
                        Equation(step.name, step.left, sp.factorial(q) / sp.Integer(2), step.domain)
                        for q, step in zip((1, 2), second_moment_steps((1, 2))[2:], strict=True)
                    ),
                ),
                Mutant(name="squared-mean-not-subtracted", states=lambda setting: _variance(0)),
            ),
        ),
        Identity(
            id="BL-T7",
            part="rate",
            readings=(
                Reading(
                    document="B",
                    place="C.4, Concentration of function",
                    printed="E[(f_m - f_{*,p-2})^2] <= C R^2 R_a^2/m: the error falls like m^(-1/2), exactly",
                    states=lambda setting: _rate(sp.Rational(1, 2)),
                ),
            ),
            mutants=(
                Mutant(name="exponent-1/8-larger", states=lambda setting: _rate(sp.Rational(5, 8))),
                Mutant(name="exponent-1/8-smaller", states=lambda setting: _rate(sp.Rational(3, 8))),
            ),
        ),
        Limit(
            id="BL-T7",
            part="measured",
            observe=_observe,
            functional="mean",
            ladder=LADDER,
            bias_class="analytic",
            bias_class_proof="the neurons are independent, so that the formula is exact at every width",
            points=(
                {"degree": 2, "cosine": "1"},
                {"degree": 3, "cosine": "4/5"},
                {"degree": 4, "cosine": "9/10"},
                {"degree": 6, "cosine": "9/10"},
            ),
            resolution=0.5,
            resolution_reason="each mutant is off by a factor of two at some degree; the formula itself is proved",
            readings=(
                Reading(
                    document="B",
                    place="Theorem 7, C.4",
                    printed="f^Q_{W*} concentrates on f_*: m E (f^Q_{W*} - f_*)^2 of the W* that C.4 builds",
                    states=_error(),
                ),
            ),
            mutants=(
                Mutant(name="1/m-for-2/m", states=_error(front=1)),
                Mutant(name="no-growth-with-the-degree", states=_error(growth=0)),
                Mutant(
                    name="the-printed-bound-for-1/c_q",
                    states=_error(norm=lambda q: 2 * sp.pi * max(q, 1) ** 3),
                ),
            ),
        ),
    ),
)
