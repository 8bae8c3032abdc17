r"""The 2-XOR as a quadratic model (B, Section 5.2).

x_1 x_2 = (<e_1 + e_2, x>^2 - <e_1 - e_2, x>^2)/4 on {-1, 1}^d, where B_x = sqrt d. At p = 2 the coefficient function of
Lemma 9 may be constant, a = alpha sqrt(2 pi), so that with beta_1 = e_1 + e_2 and beta_2 = e_1 - e_2

    w*_r = m^(-1/4) (2 pi)^(1/4) beta_1 for r <= m/2,   w*_r = m^(-1/4) (2 pi)^(1/4) beta_2 for r > m/2

moves each half of the neurons along one of them. Exactly, for every d, m, x and W_0,

    f^Q_{W*}(x) = x_1 x_2 sqrt(2 pi) (2/m) sum_{r <= m/2} relu(<w_{0,r}, x>),   |W*|_{2,4}^4 = 8 pi,

and E (f^Q_{W*} - x_1 x_2)^2 = (2/m) (pi - 1). So B_w = (8 pi)^(1/4) = 2.239, without a probability and without the mean
over Sigma of the footnote, which is right too: E_Sigma f^Q_{W_1 + W_2 Sigma} = f^Q_{W_1} + f^Q_{W_2}.
"""

from __future__ import annotations

from typing import Any

import sympy as sp
from flint import arb

from proofs_checks.relu_coefficient_function import relu_mean, second_moment
from proofs_checks.relu_kernel_series import coefficient
from simulate.polynomial_network import xor_cost
from theorems.beyond_linearization.sample_ratio import quadratic_samples
from theorems.claim import (
    Bound,
    Equation,
    Identity,
    Inequality,
    Limit,
    Mutant,
    Observation,
    Prediction,
    Reading,
    Setting,
    Statement,
    Theorem,
)

first, second = sp.symbols("x_1 x_2", real=True)
u, v = sp.symbols("u v", real=True)  # <w_{1,r}, x> and <w_{2,r}, x>
m, d, eps = sp.symbols("m d epsilon", positive=True)
A, C = sp.symbols("A C", nonnegative=True)  # |w_{1,r}| and |w_{2,r}|
cosine = sp.Symbol("z", real=True)  # <w_{1,r}, w_{2,r}>
LADDER = (32, 64, 128, 256, 512, 1024)
LENGTH = 2 * sp.pi  # the fourth power of what multiplies m^(-1/4) beta
NORMS = (sp.sqrt(2), sp.sqrt(2))
"""|e_1 + e_2| and |e_1 - e_2|."""


def _identity(divisor: int) -> tuple[Statement, ...]:
    return (Equation("x_1 x_2", first * second, ((first + second) ** 2 - (first - second) ** 2) / divisor),)


def norm4(growth: Any = sp.S.One) -> Any:
    """|W*|_{2,4}^4: m/2 rows along each beta."""
    return sum((m / 2 * growth * LENGTH / m * norm**4 for norm in NORMS), sp.S.Zero)


def _weights(growth: Any) -> tuple[Statement, ...]:
    """The factor of sum sigma''(<w_{0,r}, x>) in f^Q, its mean, and the norm."""
    factor = sp.sqrt(growth * LENGTH) / sp.sqrt(m) / (2 * sp.sqrt(m)) * ((first + second) ** 2 - (first - second) ** 2)
    return (
        Equation(
            "f^Q = x_1 x_2 sqrt(2 pi) (2/m) sum relu", sp.expand(factor), first * second * sp.sqrt(2 * sp.pi) * 2 / m
        ),
        Equation("sqrt(2 pi) E relu(G) = 1", sp.sqrt(2 * sp.pi) * relu_mean(sp.S.One), sp.S.One),
        Equation("m/2 times the mean square error", second_moment(0) / coefficient(0) - 1, sp.pi - 1),
        Equation("|W*|^4 = 8 pi in every dimension", norm4(growth), 8 * sp.pi),
        Bound("B_w <= |beta_1| + |beta_2|, with constant 1", (8 * sp.pi) ** sp.Rational(1, 4), sum(NORMS, sp.S.Zero)),
    )


def _additive(randomised: bool) -> tuple[Statement, ...]:
    """The mean of (u + s v)^2 over the sign s = +-1, against u^2 + v^2."""
    signs = (1, -1) if randomised else (1,)
    mean = sum(((u + s * v) ** 2 for s in signs), sp.S.Zero) / len(signs)
    return (Equation("E_Sigma <w_1 + s w_2, x>^2", mean, u**2 + v**2),)


def _additive_norm(power: int) -> tuple[Statement, ...]:
    """E |w_1 + s w_2|^4 = (A^2 + C^2)^2 + 4 <w_1, w_2>^2, with <w_1, w_2>^2 = A^2 C^2 - y, y >= 0 (Cauchy-Schwarz)."""
    below = sp.Symbol("y", nonnegative=True)
    mean = sum(((A**2 + C**2 + 2 * s * cosine) ** 2 for s in (1, -1)), sp.S.Zero) / 2
    largest = (A**2 + C**2) ** 2 + 4 * (A**2 * C**2 - below)
    return (
        Equation("E_Sigma |w_1 + s w_2|^4", mean, (A**2 + C**2) ** 2 + 4 * cosine**2),
        Bound("at most (|w_1| + |w_2|)^4", largest, (A + C) ** power if power == 4 else A**4 + C**4,
              certificate=4 * A**3 * C + 4 * A * C**3 + 4 * below if power == 4 else None),
    )  # fmt: skip


def _samples(radius: Any, operator2: Any, power: int = 1) -> tuple[Statement, ...]:
    quadratic = quadratic_samples(8 * sp.pi, operator2, radius)
    return (
        Equation("n_Q = 8 pi d/eps^2", quadratic, 8 * sp.pi * d / eps**2),
        Equation("n_Q over d^2/eps^2", quadratic / (d**2 / eps**2), 8 * sp.pi / d**power),
    )


def _observe(setting: Setting) -> Observation:
    assert setting.dimension is not None
    return Observation(
        simulator="simulate.polynomial_network:xor_error",
        dimension=setting.dimension,
        arguments={"inputs": setting["coordinates"]},
        cost=xor_cost(setting.dimension, setting["coordinates"]),
    )


def _error(front: int = 2, halves: int = 1, growth: bool = False) -> Prediction:
    """m E (f^Q - x_1 x_2)^2 = 2 (2 pi E relu(G)^2 - 1), E relu(G)^2 being one half."""

    def states(setting: Setting) -> arb:
        return front * (halves * arb.pi() - 1) * (setting["coordinates"] if growth else 1)

    return states


THEOREM = Theorem(
    slug="two-xor",
    title="The 2-XOR as a quadratic model",
    source="B, Section 5.2",
    latex=r"x_1x_2 = \tfrac14\big([(e_1+e_2)^\top x]^2 - [(e_1-e_2)^\top x]^2\big),\quad n_Q = \tilde O(d/\epsilon^2)",
    parameters={"coordinates": 4},
    uses=("polynomial-width", "sample-ratio"),
    claims=(
        Identity(
            id="BL-XOR",
            readings=(
                Reading(
                    document="B",
                    place="5.2, Learning a noisy 2-XOR",
                    printed="f_*(x) = x_1 x_2 = ([(e_1 + e_2).x]^2 - [(e_1 - e_2).x]^2)/4",
                    scan="the subscripts and the first square are garbled",
                    states=lambda setting: _identity(4),
                ),
            ),
            mutants=(Mutant(name="halves", states=lambda setting: _identity(2)),),
        ),
        Identity(
            id="BL-XOR",
            part="weights",
            readings=(
                Reading(
                    document="B",
                    place="5.2, Learning a noisy 2-XOR",
                    printed="f_* can be approximated by f^Q_{W*} with B_{w,*} <= O(||beta_1||_2 + ||beta_2||_2) = O(1)",
                    states=lambda setting: _weights(sp.S.One),
                ),
            ),
            mutants=(
                Mutant(name="a-twice-as-large", states=lambda setting: _weights(sp.Integer(4))),
                Mutant(name="a-grows-with-B_x", states=lambda setting: _weights(d)),
            ),
        ),
        Limit(
            id="BL-XOR",
            part="measured",
            observe=_observe,
            functional="mean",
            ladder=LADDER,
            bias_class="analytic",
            bias_class_proof="the neurons are independent, so that the formula is exact at every width",
            points=({"coordinates": 2}, {"coordinates": 3}, {"coordinates": 4}),
            resolution=0.5,
            resolution_reason="the nearest mutant, which takes E G^2 for E relu(G)^2, is 59% off",
            readings=(
                Reading(
                    document="B",
                    place="5.2, Learning a noisy 2-XOR",
                    printed="f_* can be approximated by f^Q_{W*}: m E (f^Q_{W*} - x_1 x_2)^2, whatever d is",
                    states=_error(),
                ),
            ),
            mutants=(
                Mutant(name="1/m-for-2/m", states=_error(front=1)),
                Mutant(name="E-G^2-for-E-relu^2", states=_error(halves=2)),
                Mutant(name="error-grows-with-d", states=_error(growth=True)),
            ),
        ),
        Identity(
            id="BL-XOR",
            part="footnote-additivity",
            readings=(
                Reading(
                    document="B",
                    place="5.2, the footnote on additivity",
                    printed="f_1 + f_2 can be expressed by f^Q_{W*} (in expectation) where W* = W_1 + W_2 Sigma",
                    scan="reads W_2 Sigma as WfE; only random signs on one of them remove the cross terms",
                    states=lambda setting: _additive(True),
                ),
            ),
            mutants=(Mutant(name="without-Sigma", states=lambda setting: _additive(False)),),
        ),
        Inequality(
            id="BL-XOR",
            part="footnote-norm",
            readings=(
                Reading(
                    document="B",
                    place="5.2, the footnote on additivity",
                    printed="B_{w,*} <= O(||beta_1||_2 + ||beta_2||_2): E||w_1 + s w_2||^4 <= (||w_1|| + ||w_2||)^4",
                    states=lambda setting: _additive_norm(4),
                ),
            ),
            mutants=(Mutant(name="fourth-powers-add", states=lambda setting: _additive_norm(0)),),
        ),
        Identity(
            id="BL-XOR",
            part="samples",
            readings=(
                Reading(
                    document="B",
                    place="5.2, Learning a noisy 2-XOR",
                    printed="n_Q = O~(B_x^4 B_{w,*}^4 M_{x,op}^2/eps^2) = O~(d/eps^2), O~(d) better than d^2/eps^2",
                    scan="the fraction is garbled; Theorem 6 gives its powers, with B_x = sqrt d and M^2 = O(1/d)",
                    states=lambda setting: _samples(sp.sqrt(d), 1 / d),
                ),
            ),
            mutants=(
                Mutant(name="B_x-is-1", states=lambda setting: _samples(sp.S.One, 1 / d)),
                Mutant(name="M-is-1", states=lambda setting: _samples(sp.sqrt(d), sp.S.One)),
                Mutant(name="d^2-better", states=lambda setting: _samples(sp.sqrt(d), 1 / d, 2)),
            ),
        ),
    ),
)
