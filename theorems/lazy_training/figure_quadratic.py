r"""What Figure 1 of P shows: the three classes on a quadratic function with B diagonal, Exp(1) (P, Section 4).

Left frame: the measured risks lie on (12) for isotropic weights and for Gamma proportional to B, and on Theorem 2.
B is the quantile spectrum of Exp(1); sigma = x^2 - 1 for random features.

Right frame: SGD with batch 100 and eps in {0.001, ..., 0.03}. With the loss as printed, (f - f^)^2, these step sizes
cannot be used at d = 450. At the minimum WW^T = B_N (the N largest eigenvalues, of sum T, largest lambda_1), the
second variation of L = 2 |B - WW^T|^2 + (Tr(B - WW^T) - c)^2 along W -> W + U, c -> c + g is, up to a term <= 0,

    2 |S|^2 + (Tr S + g)^2,   S = WU^T + UW^T,

at least (4T + 1)(|U|^2 + g^2) for (U, g) = (2W, 1), and at most (8 lambda_1 + 4T + 1)(|U|^2 + g^2) always. So the
largest eigenvalue of the Hessian is between 8T + 2 and 8T + 2 + 16 lambda_1, and gradient descent leaves the minimum
if eps > 1/(4T + 1); T grows like d. Divided by d, the printed step sizes are stable. At a fixed eps and as n grows the
risk stays above the dashed line, by an amount that vanishes with eps.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import jax
import numpy as np
import sympy as sp
from flint import arb

from simulate.batch_training import batch_sgd_risk
from theorems.claim import (
    Bound,
    Decision,
    Equation,
    Erratum,
    Fact,
    Limit,
    Mutant,
    Prediction,
    Reading,
    Setting,
    Shape,
    Statement,
    Theorem,
)
from theorems.lazy_training import nt_risk, rf_risk
from theorems.lazy_training.nn_risk import NONNEGATIVE, tail_share
from theorems.lazy_training.rf_risk import A1, BIAS_CLASS, COVARIANCE, LADDER, MEAN_ZERO
from theorems.spectra import spectrum

DIMENSION = 450
BATCH = 100
GRID = ("0.001", "0.03")
"""The ends of the printed grid of step sizes."""
WIDTHS = (45, 450)
SMALL = 24
STEPS = 200
"""Steps after which a path that starts at the minimum is looked at: one that leaves it has left by then."""


def _tangent_limit(setting: Setting) -> arb:
    value = nt_risk.symbols(setting)
    return nt_risk.paper_form(nt_risk.positive_part(value["rho"]), value["t"])


def _random_features(factor: str, *, overlap: bool = True, swapped: bool = False) -> Prediction:
    """(12) with psi multiplied by a factor, the overlap of Gamma and B lost, or two of its terms exchanged."""

    def states(setting: Setting) -> arb:
        value = rf_risk.symbols(setting)
        top = value["overlap"] if overlap else value["cosine2"]
        bottom = value["concentration"]
        top, bottom = (bottom, top) if swapped else (top, bottom)
        return rf_risk.risk(arb(factor) * value["psi"], value["lambda_2"], top, bottom)

    return states


def _tangent(change: str) -> Prediction:
    def states(setting: Setting) -> arb:
        value = nt_risk.symbols(setting)
        rho, t = nt_risk.positive_part(value["rho"]), value["t"]
        if change == "square":
            return 1 - rho
        return nt_risk.paper_form(rho, 1 - t if change == "swap" else 0 * t)

    return states


def _top(width: int) -> tuple[arb, arb]:
    """T and lambda_1 at d = 450."""
    values = np.sort(spectrum("exp1").eigenvalues(DIMENSION))[::-1][:width].tolist()
    return sum((arb(value) for value in values), arb(0)), arb(values[0])


trace, first, length = sp.symbols("T lambda_1 u", positive=True)


def _second_variation() -> tuple[Statement, ...]:
    """(U, g) = (2W, 1): |U|^2 = 4T, S = 4 B_N, Tr S + g = 4T + 1; and Cauchy-Schwarz for every (U, g)."""
    slack, g = sp.Symbol("v", nonnegative=True), sp.Symbol("g", real=True)
    return (
        Equation("(Tr S + g)^2 along (2W, 1)", (2 * sp.sqrt(trace) * sp.sqrt(4 * trace) + 1) ** 2,
                 (4 * trace + 1) * (4 * trace + 1)),
        Bound("(Tr S + g)^2 <= (4T + 1)(|U|^2 + g^2), |U| = u", (2 * sp.sqrt(trace) * length + g) ** 2,
              (4 * trace + 1) * (length**2 + g**2), certificate=(length - 2 * sp.sqrt(trace) * g) ** 2),
        Bound("|S|^2 <= 4 lambda_1 |U|^2", 4 * (first * length**2 - slack), 4 * first * length**2,
              certificate=4 * slack),
    )  # fmt: skip


def _could_be_stable(step: str, divisor: float) -> tuple[Statement, ...]:
    """Necessary: eps/divisor times a lower bound of the largest eigenvalue of the Hessian is at most 2."""
    return tuple(
        Bound(f"eps = {step}, N = {width}", arb(step) / arb(divisor) * (8 * _top(width)[0] + 2), arb(2))
        for width in WIDTHS
    )


def _is_stable(step: str, divisor: float) -> tuple[Statement, ...]:
    """Sufficient: the same with an upper bound."""
    tops = {width: _top(width) for width in WIDTHS}
    return tuple(
        Bound(f"eps = {step}, N = {width}", arb(step) / arb(divisor) * (8 * total + 2 + 16 * largest), arb(2))
        for width, (total, largest) in tops.items()
    )


@cache
def _after(width: int, step_size: float) -> tuple[float, float]:
    """The largest risk of four runs from the minimum, and the risk of the minimum."""
    target = spectrum("exp1").eigenvalues(DIMENSION)

    def risks(steps: int) -> np.ndarray:
        keys = jax.random.split(jax.random.key(width), 4)
        return np.asarray(
            batch_sgd_risk(keys, dimension=DIMENSION, neurons=width, target=target, model="trained", task="quadratic",
                           step_size=step_size, steps=steps, batch=BATCH, at_minimum=True)
        )  # fmt: skip

    return float(risks(STEPS).max()), float(risks(0).max())


def _stays(step: str, divisor: float) -> Fact:
    """Whether SGD from the minimum stays below the risk of a constant predictor, which is 1."""
    width = WIDTHS[0]
    late, least = _after(width, float(step) / divisor)
    reason = f"N = {width}, batch {BATCH}: risk {least:.4f} at the minimum, at most {late:.4g} {STEPS} steps later"
    return Fact(f"SGD stays with eps = {step}/{divisor:g}", Decision(late < 1, reason), certain=False)


def _some_step_size_works(setting: Setting) -> tuple[Statement, ...]:
    """The smallest of the grid, since what a step size cannot do a larger one cannot either."""
    return (*_second_variation(), *_could_be_stable(GRID[0], 1), _stays(GRID[0], 1))


def _scaled_step_sizes_work(setting: Setting) -> tuple[Statement, ...]:
    """None works with the loss as printed, and with the loss divided by d all do: up to the largest."""
    fails = _stays(GRID[0], 1)
    unscaled = Fact(
        f"{fails.name}: no", Decision(not fails.decision.holds, fails.decision.reason), certain=fails.certain
    )
    return (
        *_second_variation(),
        Bound("eps = 0.001 unscaled, N = 450", arb(2), arb(GRID[0]) * (8 * _top(450)[0] + 2), strict=True),
        unscaled,
        *_is_stable(GRID[1], DIMENSION),
        _stays(GRID[1], DIMENSION),
    )


@cache
def _late_risk(share: int) -> float:
    """NN at d = 24, N = 6, mean of 8 runs of SGD up to t = eps l = 5, eps the largest stable step size/share."""
    target = spectrum("exp1").eigenvalues(SMALL)
    step_size = 1 / (8 * float(np.sum(target)) * (1 + SMALL / BATCH) * share)
    keys = jax.random.split(jax.random.key(SMALL), 8)
    risks = batch_sgd_risk(keys, dimension=SMALL, neurons=SMALL // 4, target=target, model="trained", task="quadratic",
                           step_size=step_size, steps=round(5 / step_size), batch=BATCH)  # fmt: skip
    return float(np.mean(np.asarray(risks)))


def _approaches(limit: Prediction) -> Prediction:
    """The excess is of order eps: at a quarter of the step size less than half of it is left."""

    def states(setting: Setting) -> tuple[Statement, ...]:
        value = float(limit(Setting({"rho": Fraction(1, 4), "B": "exp1"}, SMALL)))
        coarse, fine = _late_risk(1) - value, _late_risk(4) - value
        reason = f"{coarse:.5f} and {fine:.5f} above {value:.5f}, at eps and eps/4"
        return (Fact("the excess vanishes with eps", Decision(0 < fine < coarse / 2, reason), certain=False),)

    return states


def _one_neuron_more(setting: Setting) -> arb:
    assert setting.dimension is not None
    return tail_share(Setting({**setting.parameters, "rho": setting["rho"] + Fraction(1, SMALL)}, SMALL))


def _divided_by_root_d(setting: Setting) -> tuple[Statement, ...]:
    return _could_be_stable(GRID[1], DIMENSION**0.5)


THEOREM = Theorem(
    slug="figure-quadratic",
    title="Figure 1: quadratic functions, RF, NT and NN",
    source="P, Section 4 and Figure 1",
    latex=r"d=450,\ N\in\{45,\dots,4500\},\ B=\mathrm{diag}(\mathrm{Exp}(1))",
    parameters={"rho": "1/2", "B": "exp1", "Gamma": "isotropic"},
    activation="x**2 - 1",
    hypotheses=(NONNEGATIVE,),
    uses=("rf-quadratic", "nt-quadratic"),
    claims=(
        Limit(
            id="LT-N1",
            part="RF-isotropic",
            hypotheses=(A1, COVARIANCE, MEAN_ZERO),
            observe=rf_risk.observe,
            ladder=LADDER,
            bias_class=BIAS_CLASS,
            points=({"rho": "1/10"}, {"rho": "1/2"}, {"rho": "1"}),
            resolution=0.03,
            resolution_reason="the smallest mutant moves the risk by more at one of the points",
            readings=(
                Reading(
                    document="P",
                    place="Figure 1, left frame",
                    printed="lines are analytical predictions, dots are empirical results: RF, isotropic weights",
                    states=rf_risk.predicted_risk,
                ),
            ),
            mutants=(
                Mutant(name="psi-twice-too-large", states=_random_features("2")),
                Mutant(name="psi-half-as-large", states=_random_features("0.5")),
                Mutant(name="overlap-and-concentration-swapped", states=_random_features("1", swapped=True)),
            ),
        ),
        Limit(
            id="LT-N1",
            part="RF-Gamma-proportional-to-B",
            hypotheses=(A1, COVARIANCE, MEAN_ZERO),
            observe=rf_risk.observe,
            ladder=LADDER,
            bias_class=BIAS_CLASS,
            points=tuple({"rho": rho, "Gamma": "proportional_to_B"} for rho in ("1/10", "1/5", "1/2")),
            resolution=0.04,
            resolution_reason="the smallest mutant moves the risk by more at one of the points",
            readings=(
                Reading(
                    document="P",
                    place="Figure 1, left frame",
                    printed="lines are analytical predictions, dots are empirical results: RF, Gamma prop. to B",
                    states=rf_risk.predicted_risk,
                ),
            ),
            mutants=(
                Mutant(name="psi-twice-too-large", states=_random_features("2")),
                Mutant(name="psi-half-as-large", states=_random_features("0.5")),
                Mutant(name="cosine-for-overlap", states=_random_features("1", overlap=False)),
            ),
        ),
        Limit(
            id="LT-N1",
            part="NT",
            observe=nt_risk.observe,
            ladder=LADDER,
            bias_class=BIAS_CLASS,
            points=({"rho": "1/10"}, {"rho": "1/4"}, {"rho": "1/2"}),
            resolution=0.03,
            resolution_reason="the smallest mutant moves the risk by more at one of the points",
            readings=(
                Reading(
                    document="P",
                    place="Figure 1, left frame",
                    printed="lines are analytical predictions, dots are empirical results: NT",
                    states=_tangent_limit,
                ),
            ),
            mutants=(
                Mutant(name="linear-in-1-rho", states=_tangent("square")),
                Mutant(name="trace-term-dropped", states=_tangent("trace")),
                Mutant(name="fitted-and-missed-share-swapped", states=lambda setting: 1 - _tangent_limit(setting)),
            ),
        ),
        Shape(
            id="LT-N2",
            readings=(
                Reading(
                    document="P",
                    place="Section 4 and Figure 1, right frame",
                    printed="SGD with batch 100, step size from {0.001, ..., 0.03}, d = 450, the loss (f - f^)^2",
                    states=_some_step_size_works,
                    erratum=Erratum(
                        corrected="with the loss as printed SGD leaves the minimum at every step size of the grid; "
                        "with the loss divided by d (eps from {0.001, ..., 0.03}/d) it stays at all of them",
                        states=_scaled_step_sizes_work,
                    ),
                ),
            ),
            mutants=(Mutant(name="loss-divided-by-root-d", states=_divided_by_root_d),),
        ),
        Shape(
            id="LT-N2",
            part="large-n",
            readings=(
                Reading(
                    document="P",
                    place="Figure 1, right frame",
                    printed="dashed lines are our analytical prediction for the large n limit (NN)",
                    states=_approaches(tail_share),
                ),
            ),
            mutants=(
                Mutant(name="one-neuron-more", states=_approaches(_one_neuron_more)),
                Mutant(name="tangent-limit", states=_approaches(_tangent_limit)),
            ),
        ),
    ),
)
