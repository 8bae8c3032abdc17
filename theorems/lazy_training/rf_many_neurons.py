"""Random features with N of the order of d^2, any Gamma: where the dots of Figure 1 go (P, Section 4).

sigma(x) = x^2 - 1, w_i ~ N(0, Gamma), f(x) = <x, Bx> - Tr B, and N/(d (d + 1)/2) -> s in (0, 1). With gamma and b the
eigenvalues of d Gamma and B, v = 1/(gamma^2 + l) and means over the spectrum, the mean of R_RF/||f||^2 tends to

    min over z of Q(b - z gamma)/mean b^2,   Q(a) = l mean(v a^2) + mean(v gamma^2 a)^2/mean(v gamma^2),
    mean over pairs of gamma gamma'/(gamma gamma' + l) = s,

where (12) of P would leave its value at rho = infinity, (11). For isotropic weights that is (1 - t)(1 - s) against
1 - t, and proved (rf_mean_bracket.py). For others it rests on a deterministic equivalent, which is sampled here
(proofs_checks/rank_one_projection.py); at d = 450 the same equivalent is the dashed line of `asymptest figure lazy-1`.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any

from flint import arb, ctx

from proofs_checks.rank_one_projection import Atom, Moment, equivalent_risk, limiting_risk, second_moment
from simulate.random_features import population_risk_cost
from theorems.claim import Decision, Hypothesis, Limit, Mutant, Observation, Reading, Setting, Theorem
from theorems.lazy_training.rf_quadratic_activation import quadratic_risk
from theorems.lazy_training.rf_risk import BIAS_CLASS, COVARIANCE
from theorems.spectra import WORKING_BITS, Piece, alignment, gamma_eigenvalues, gamma_spectrum, spectrum

LADDER = (8, 16, 32, 64, 128, 256)
"""N grows like d^2: at d = 64 there are five hundred neurons for s = 1/4."""
MOST = 256
"""Eigenvalues with which the limit, a sum over pairs, is enclosed in a second."""


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
    title="Random features on a quadratic function, N of the order of d^2",
    source="P, Section 4 and Figure 1, left frame",
    latex=(
        r"N\sim s\,\tfrac{d^2}{2}:\quad \frac{\mathbb{E}R_{\mathrm{RF},N}}{\|f_*\|^2} \to"
        r" \min_z \frac{Q(b - z\gamma)}{\langle b^2\rangle},\quad \Gamma = I/d:\ (1-t)(1-s)"
    ),
    parameters={"share": "1/4", "B": "two_point", "Gamma": "isotropic"},
    symbols=("share", "t", "cosine2"),
    evaluate=_symbols,
    hypotheses=(COVARIANCE, FINITE, REGULAR),
    uses=("rf-mean-bracket",),
    claims=(
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
