r"""Why the dots of Figure 1 leave the lines: the mean risk of isotropic random features, enclosed (P, Section 4).

(12) is the limit at fixed rho = N/d. At d = 450 and N = 4500, N is 4.4% of the d(d+1)/2 entries of a symmetric matrix,
and N neurons x^2 - 1 fit about that share of what (12) says they do not fit.

Exactly, at every N and d, for Gamma = I/d: let P be the projection onto the span of the neurons, in the space of
<x, Ax> - Tr A + c. Its mean commutes with rotations, under which the traceless matrices, of dimension
D = d(d+1)/2 - 1, are irreducible: E P is b on them, a on the multiples of the identity and c on the constants, with
bD + a + c = E Tr P = N for N <= D + 2. With t = Tr(B)^2/(d |B|^2) that is

    E R_RF/||f||^2 = t (1 - a) + (1 - t)(1 - (N - a - c)/D),      0 <= a, c <= 1,

and equal coefficients alone, with S = sum_i w_i w_i^T, give 1 - a <= (1 + 2/d)/(1 + rho + 2/d). So

    (1 - t)(1 - N/D) <= E R_RF/||f||^2 <= t (1 + 2/d)/(1 + rho + 2/d) + (1 - t)(1 - (N - 2)/D).

At fixed rho the upper end tends to (12). If N/(d^2/2) -> s instead, both tend to (1 - t)(1 - s), and (12) to 1 - t.
"""

from __future__ import annotations

from typing import Any

import sympy as sp
from flint import arb

from theorems.claim import Bound, Equation, Mutant, Reading, Setting, Shape, Statement, Theorem
from theorems.lazy_training.rf_quadratic_activation import quadratic_risk
from theorems.spectra import alignment

DIMENSION, NEURONS = 450, 4500
"""The right end of the left frame of Figure 1."""


def lower_end(t: Any, neurons: Any, d: Any) -> Any:
    """The lower end of the bracket of E R/||f||^2."""
    return (1 - t) * (1 - neurons / (d * (d + 1) / 2 - 1))


def upper_end(t: Any, neurons: Any, d: Any) -> Any:
    """The upper end."""
    return t * (1 + 2 / d) / (1 + neurons / d + 2 / d) + (1 - t) * (1 - (neurons - 2) / (d * (d + 1) / 2 - 1))


def _equal_coefficients(fourth_moment: Any) -> tuple[Statement, ...]:
    """The mean loss of alpha sum_i (<w_i, x>^2 - 1) on <x, x> - d, over 2d, its least value, and the limit of that.

    E Tr S = N, E Tr S^2 = N E|w|^4 + N(N-1)/d; the constant is alpha (Tr S - N), of variance alpha^2 N (E|w|^4 - 1).
    """
    d, neurons, alpha = sp.symbols("d N alpha", positive=True)
    rho = neurons / d
    square = neurons * fourth_moment(d) + neurons * (neurons - 1) / d
    loss = (2 * (d - 2 * alpha * neurons + alpha**2 * square) + alpha**2 * neurons * (fourth_moment(d) - 1)) / (2 * d)
    least = (1 + 2 / d) / (1 + rho + 2 / d)
    best = 1 / (1 + rho + 2 / d)
    return (
        Equation("E|w|^4, w ~ N(0, I/d)", d * 3 / d**2 + d * (d - 1) / d**2, fourth_moment(d)),
        Equation("mean loss", loss, 1 - 2 * alpha * rho + alpha**2 * rho * (1 + rho + 2 / d)),
        Equation("its least value", loss.subs(alpha, best), least),
        Equation("(1 + 2/d)/(1 + rho + 2/d) - 1/(1 + rho)", least - 1 / (1 + rho),
                 2 * rho / (d * (1 + rho) * (1 + rho + 2 / d))),
    )  # fmt: skip


def _ends() -> tuple[arb, arb, arb]:
    """Both ends at the figure's right end, and the line there."""
    t = alignment("isotropic", "exp1", DIMENSION).t
    neurons, d = arb(NEURONS), arb(DIMENSION)
    return lower_end(t, neurons, d), upper_end(t, neurons, d), quadratic_risk(neurons / d, t, arb(1))


def _below_the_line(setting: Setting) -> tuple[Statement, ...]:
    low, high, line = _ends()
    t, d, s = sp.symbols("t d s", positive=True)
    many = s * (d * (d + 1) / 2 - 1)
    return (
        *_equal_coefficients(lambda d: 1 + 2 / d),
        Bound("d = 450, N = 4500: the mean is 4% or more below the line", high, line * arb("0.96"), strict=True),
        Bound("and 13% at most", line * arb("0.87"), low, strict=True),
        Equation("N = s D: the lower end", lower_end(t, many, d), (1 - t) * (1 - s)),
        Equation("N = s D, d -> infinity: the upper end", sp.limit(upper_end(t, many, d), d, sp.oo), (1 - t) * (1 - s)),
        Equation("N = s D, d -> infinity: (12)", sp.limit(quadratic_risk(many / d, t, 1), d, sp.oo), 1 - t),
    )


def _on_the_line(setting: Setting) -> tuple[Statement, ...]:
    _, high, line = _ends()
    return (Bound("d = 450, N = 4500: the mean is on the line", line, high),)


THEOREM = Theorem(
    slug="rf-mean-bracket",
    title="The mean risk of isotropic random features, enclosed: below the lines of Figure 1",
    source="P, Section 4 and Figure 1, left frame",
    latex=(
        r"(1-t)\Bigl(1-\frac{N}{D}\Bigr) \le \frac{\mathbb{E}R_{\mathrm{RF},N}}{\|f_*\|^2} \le"
        r" \frac{t\,(1+2/d)}{1+\rho+2/d} + (1-t)\Bigl(1-\frac{N-2}{D}\Bigr),\quad D=\frac{d(d+1)}{2}-1"
    ),
    uses=("rf-quadratic-activation",),
    claims=(
        Shape(
            id="LT-N1",
            part="RF-dots-below-the-line",
            hypotheses=(),
            readings=(
                Reading(
                    document="P",
                    place="Figure 1, left frame, d = 450, N = 4500",
                    printed="lines are analytical predictions, dots are empirical results: how far apart they must be",
                    states=_below_the_line,
                ),
            ),
            mutants=(
                Mutant(name="dots-on-the-line", states=_on_the_line),
                Mutant(name="weights-of-norm-one", states=lambda setting: _equal_coefficients(lambda d: sp.Integer(1))),
            ),
        ),
    ),
)
