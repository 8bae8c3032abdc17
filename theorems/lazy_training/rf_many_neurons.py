r"""Why the dots of Figure 1 leave the lines: random features with N no longer small against d^2 (P, Section 4).

(12) is the limit at fixed rho = N/d. At d = 450 and N = 4500, N is 4.4% of the d(d+1)/2 entries of a symmetric matrix,
and N neurons x^2 - 1 fit about that share of what (12) says they do not fit.

Isotropic weights, exactly, at every N and d (Gamma = I/d). Let P be the projection onto the span of the neurons, in the
space of <x, Ax> - Tr A + c. Its mean commutes with rotations, under which the traceless matrices, of dimension
D = d(d+1)/2 - 1, are irreducible: E P is b on them, a on the multiples of the identity and c on the constants, with
bD + a + c = E Tr P = N for N <= D + 2. With t = Tr(B)^2/(d |B|^2) that is

    E R_RF/||f||^2 = t (1 - a) + (1 - t)(1 - (N - a - c)/D),      0 <= a, c <= 1,

and equal coefficients alone, with S = sum_i w_i w_i^T, give 1 - a <= (1 + 2/d)/(1 + rho + 2/d). So

    (1 - t)(1 - N/D) <= E R_RF/||f||^2 <= t (1 + 2/d)/(1 + rho + 2/d) + (1 - t)(1 - (N - 2)/D).

At fixed rho the upper end tends to (12). If N/(d^2/2) -> s instead, both tend to (1 - t)(1 - s), and (12) to 1 - t.
For other Gamma see proofs_checks/rank_one_projection.py; the part "RF-quadratically-many" samples it.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any

import sympy as sp
from flint import arb, ctx

from proofs_checks.rank_one_projection import Atom, Moment, equivalent_risk, limiting_risk, second_moment
from simulate.random_features import population_risk_cost
from theorems.claim import (
    Bound,
    Decision,
    Equation,
    Hypothesis,
    Limit,
    Mutant,
    Observation,
    Reading,
    Setting,
    Shape,
    Statement,
    Theorem,
)
from theorems.lazy_training.rf_quadratic_activation import quadratic_risk
from theorems.lazy_training.rf_risk import BIAS_CLASS, COVARIANCE
from theorems.spectra import WORKING_BITS, Piece, alignment, gamma_eigenvalues, gamma_spectrum, spectrum

LADDER = (8, 16, 32, 64, 128, 256)
"""N grows like d^2: at d = 64 there are a thousand neurons."""
DIMENSION, NEURONS = 450, 4500
"""The right end of the left frame of Figure 1."""
MOST = 256
"""Eigenvalues with which the limit, a sum over pairs, is enclosed in a second."""


# --- isotropic weights, exactly ---------------------------------------------------------------------------------------


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


# --- any weights, N of order d^2 --------------------------------------------------------------------------------------


def neurons(setting: Setting) -> int:
    """N = s d(d+1)/2 in whole neurons."""
    assert setting.dimension is not None
    return max(1, round(setting["share"] * setting.dimension * (setting.dimension + 1) / 2))


def _share(setting: Setting) -> arb:
    """s at this d, or in the limit."""
    d = setting.dimension
    share = setting["share"] if d is None else Fraction(2 * neurons(setting), d * (d + 1))
    with ctx.workprec(WORKING_BITS):
        return arb(share.numerator) / share.denominator


def _pieces(setting: Setting) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    return gamma_spectrum(setting["Gamma"], setting["B"]).quantile, spectrum(setting["B"]).quantile


def _atoms(setting: Setting) -> list[Atom]:
    """The limiting spectra of d Gamma and B on the common refinement of their pieces."""
    gammas, targets = _pieces(setting)
    ends = sorted({Fraction(0), *(piece.high for piece in (*gammas, *targets))})

    def value(pieces: tuple[Piece, ...], low: Fraction) -> Fraction:
        return next(Fraction(piece.value) for piece in pieces if piece.low <= low < piece.high)

    found = [Atom(value(gammas, low), value(targets, low), high - low) for low, high in pairwise(ends)]
    mean = sum((atom.gamma * atom.weight for atom in found), Fraction(0))
    return [atom._replace(gamma=atom.gamma / mean) for atom in found]


def _finitely_many(setting: Setting) -> Decision:
    pieces = [piece for part in _pieces(setting) for piece in part]
    finite = all(piece.value.is_number for piece in pieces) and len(pieces) <= MOST
    return Decision(finite, f"the limits of B and Gamma have {'finitely' if finite else 'too'} many eigenvalues")


def _regular(setting: Setting) -> Decision:
    singular = any(piece.value.is_number and piece.value == 0 for piece in _pieces(setting)[0])
    return Decision(not singular, f"d Gamma has {'an' if singular else 'no'} eigenvalue that is zero")


FINITE = Hypothesis(name="few eigenvalues", text=f"B and Gamma have at most {MOST} together", check=_finitely_many)
REGULAR = Hypothesis(name="Gamma > 0", text="Gamma is not singular", check=_regular)


@cache
def _moment(gamma: str, target: str, dimension: int) -> Moment:
    return second_moment(gamma_eigenvalues(gamma, target, dimension))


def risk_of(gamma: str, target: str, dimension: int, width: int) -> float:
    """The equivalent of the risk of N neurons at this d, in double precision: some units of rounding."""
    return equivalent_risk(_moment(gamma, target, dimension), spectrum(target).eigenvalues(dimension), width)


def predicted_risk(setting: Setting) -> arb:
    """The equivalent of the risk at this d, or its limit, enclosed."""
    if setting.dimension is None:
        return limiting_risk(_atoms(setting), setting["share"])
    return arb(risk_of(setting["Gamma"], setting["B"], setting.dimension, neurons(setting)))


def _all_entries_counted(setting: Setting) -> arb:
    """As if a symmetric matrix had d^2 free entries: isotropic neurons would leave 1 - s/2 where they leave 1 - s."""
    share = _share(setting)
    return predicted_risk(setting) * (1 - share / 2) / (1 - share)


def _symbols(setting: Setting) -> Mapping[str, Any]:
    place = alignment(setting["Gamma"], setting["B"], setting.dimension)
    return {"share": _share(setting), "t": place.t, "cosine2": place.cosine2}


def _line(setting: Setting) -> arb:
    """(12) at the actual N/d; its wide limit (11) where d is infinite."""
    place = alignment(setting["Gamma"], setting["B"], setting.dimension)
    if setting.dimension is None:
        return 1 - place.cosine2
    ratio = Fraction(neurons(setting), setting.dimension)
    return quadratic_risk(arb(ratio.numerator) / ratio.denominator, place.overlap, place.concentration)


def _share_of_the_line(setting: Setting) -> arb:
    """(12) times 1 - s, whatever Gamma: right for isotropic weights only."""
    return _line(setting) * (1 - _share(setting))


def observe(setting: Setting) -> Observation:
    """The least population risk given the weights, over ||f||^2."""
    assert setting.dimension is not None
    d, width = setting.dimension, neurons(setting)
    return Observation(
        simulator="simulate.random_features:population_risk",
        dimension=d,
        arguments={
            "neurons": width,
            "gamma": gamma_eigenvalues(setting["Gamma"], setting["B"], d),
            "target": spectrum(setting["B"]).eigenvalues(d),
        },
        cost=population_risk_cost(d, width),
        activation="x**2 - 1",
    )


THEOREM = Theorem(
    slug="rf-many-neurons",
    title="Random features with N of the order of d^2: below the lines of Figure 1",
    source="P, Section 4 and Figure 1, left frame",
    latex=(
        r"(1-t)\Bigl(1-\frac{N}{D}\Bigr) \le \frac{\mathbb{E}R_{\mathrm{RF},N}}{\|f_*\|^2} \le"
        r" \frac{t\,(1+2/d)}{1+\rho+2/d} + (1-t)\Bigl(1-\frac{N-2}{D}\Bigr),\quad D=\frac{d(d+1)}{2}-1"
    ),
    parameters={"share": "1/4", "B": "two_point", "Gamma": "isotropic"},
    symbols=("share", "t", "cosine2"),
    evaluate=_symbols,
    hypotheses=(COVARIANCE, FINITE, REGULAR),
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
        Limit(
            id="LT-N1",
            part="RF-quadratically-many",
            observe=observe,
            ladder=LADDER,
            bias_class=BIAS_CLASS,
            functional="mean",
            points=(
                {"share": "1/4", "B": "two_point", "Gamma": "isotropic"},
                {"share": "1/4", "B": "isotropic", "Gamma": "two_point"},
                {"share": "1/8", "B": "3,1", "Gamma": "1,2"},
            ),
            resolution=0.1,
            resolution_reason="every mutant is 12% off or more at one of the points",
            readings=(
                Reading(
                    document="P",
                    place="Figure 1, left frame, where N nears d^2",
                    printed="dots are empirical results",
                    states=predicted_risk,
                ),
            ),
            mutants=(
                Mutant(name="the-line-of-(12)", states=_line),
                Mutant(name="d^2-entries-for-d(d+1)/2", states=_all_entries_counted),
                Mutant(name="1-s-times-the-line", states=_share_of_the_line),
            ),
        ),
    ),
)
