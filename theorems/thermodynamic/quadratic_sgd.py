"""The talk's theorem on one-pass SGD, with its limits as scanned on each slide (T, slides NN with Gradient Descent).

(W, c) <- (W, c) - eps grad (f_*(x_k) - f^(x_k; W, c))^2, R(l, eps) = R(W_l, c_l). Read as in the paper, and as the
third slide's inner limit has it,

    lim_{t -> inf} lim_{eps -> 0} P(|R(l = t/eps, eps) - inf R| >= delta) = 0.

The scan has two other versions. The first two slides read lim_{t -> inf} lim_{eps -> inf}. For eps > t there is not one
step in l = t/eps, and the probability is that of the start, which is positive where its law has a density; and if one
step is made all the same, its size sends the risk to infinity. The third slide reads lim_{eps -> inf} lim_{eps -> 0}:
the outer limit is over a variable that is gone, t stays finite, and at finite t the flow has not arrived.

The slides also drop the condition on the start, whose law must have a density: from W_0 = 0 the W never move.
Here d = 4, and the ladder of the limit runs over 1/eps; see theorems/lazy_training/nn_training.py.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from proofs_checks.quadratic_landscape import least_risk
from proofs_checks.riccati_flow import flow_risk
from theorems.claim import Bound, Equation, Erratum, Limit, Mutant, Reading, Setting, Shape, Statement, Theorem
from theorems.lazy_training.nn_flow import ROTATED, flow_converges, from_any_start, needs_a_density
from theorems.lazy_training.nn_risk import NONNEGATIVE
from theorems.lazy_training.nn_training import (
    LATE,
    STEPS,
    double_limit,
    floor_share,
    largest_left,
    observe_sgd,
    symbols,
    tail_from,
)
from theorems.thermodynamic.quadratic_model import asked, talk_symbols

delta, radius = sp.symbols("delta r", positive=True)
shift = sp.Symbol("mu", nonnegative=True)
FINITE = 0.25
"""A time at which the flow is on its way."""


def _tail(center: sp.Expr) -> sp.Expr:
    """P(|G + center| >= r), G standard Gaussian."""
    return (sp.erfc((radius - center) / sp.sqrt(2)) + sp.erfc((radius + center) / sp.sqrt(2))) / 2


def _start_is_off() -> tuple[Statement, ...]:
    """d = N = 1, c_0 ~ N(0, 1): R - inf R >= m^2 with m ~ N(mu, 1) given w_0, and P(|m| >= r) is least at mu = 0.

    Its derivative in mu is a positive multiple of sinh(mu r).
    """
    slope = (
        sp.exp(-(radius**2 + shift**2) / 2) * (sp.exp(shift * radius) - sp.exp(-shift * radius)) / sp.sqrt(2 * sp.pi)
    )
    return (
        Equation("P(|m| >= r) grows with |mu|", sp.diff(_tail(shift), shift), slope),
        Equation("at mu = 0", _tail(sp.Integer(0)), sp.erfc(radius / sp.sqrt(2))),
    )


def _no_step(setting: Setting) -> tuple[Statement, ...]:
    """eps > t: no step is made, and the probability is at least erfc(sqrt(delta/2)) at every t: it would be zero."""
    range_ = {delta: (sp.Rational(1, 100), sp.Integer(1))}
    return (
        *_start_is_off(),
        Bound("lim_{eps -> inf} P = 0", sp.erfc(sp.sqrt(delta / 2)), sp.Integer(0), False, None, range_),
    )


def _one_step() -> tuple[Statement, ...]:
    """d = N = 1, b_0 = 0, B = 1, w_0 = c_0 = 1, x = 2: one step of size eps, and the risk as eps -> inf."""
    eps, x = sp.Symbol("eps", positive=True), 2
    w, c = sp.symbols("w c", real=True)
    loss = (x**2 - w**2 * x**2 - c) ** 2
    start = {w: sp.Integer(1), c: sp.Integer(1)}
    moved = {s: (s - eps * sp.diff(loss, s)).subs(start) for s in (w, c)}
    risk = (2 * (1 - w**2) ** 2 + (1 - w**2 - c) ** 2).subs(moved, simultaneous=True)
    return (Equation("one step of size eps -> inf", sp.limit(sp.expand(risk), eps, sp.oo), sp.oo),)


def _excess(time: Fraction) -> Bound:
    """The flow (c optimised out) at this time, B = (3, 2, 1), N = 2: at most inf R?"""
    start = [row[:2] for row in ROTATED]
    return Bound(f"the flow has arrived at t = {time}", flow_risk((3, 2, 1), start, time), least_risk((3, 2, 1), 2))


def _finite_time(setting: Setting) -> tuple[Statement, ...]:
    """eps -> 0 alone, at a fixed t."""
    return (_excess(Fraction(1, 16)), double_limit(FINITE))


def _both_limits(setting: Setting) -> tuple[Statement, ...]:
    """eps -> 0 first (SGD, sampled), then t -> inf (the flow, exactly)."""
    return (double_limit(LATE), *flow_converges(setting))


def _stays_at_zero() -> Equation:
    """grad_W (f_* - f^)^2 at W = 0, d = N = 2, any sample: a multiple of x x^T W."""
    w11, w12, w21, w22, x1, x2, y = entries = sp.symbols("w11 w12 w21 w22 x1 x2 y", real=True)
    residual = y - (w11 * x1 + w21 * x2) ** 2 - (w12 * x1 + w22 * x2) ** 2
    slopes = [sp.diff(residual**2, entry).subs(dict.fromkeys(entries[:4], 0)) for entry in entries[:4]]
    return Equation("W_0 = 0: no step ever moves W", sp.Matrix(slopes), sp.zeros(4, 1))


AS_IN_THE_PAPER = "lim_{t -> inf} lim_{eps -> 0}, as in the paper's Theorem 3"
STATEMENT = "P(|R(l = t/eps, eps) - inf_{W,c} R(W, c)| >= delta) = 0"

THEOREM = Theorem(
    slug="talk-quadratic-sgd",
    title="One-pass SGD on the quadratic model of the talk",
    source="T, slides NN with Gradient Descent",
    latex=(
        r"\lim_{t\to\infty}\lim_{\varepsilon\to 0}\mathbb{P}\left(\left|R(\ell=t/\varepsilon,\varepsilon)"
        r"-\inf_{W,c}R(W,c)\right|\ge\delta\right)=0"
    ),
    parameters={"psi1": "1/4", "B": "0,0,1/2,3/2"},
    symbols=("psi1", "t"),
    evaluate=talk_symbols(symbols),
    value=asked(floor_share),
    value_name="inf R/E f_*^2, which SGD reaches, in dimension 4",
    hypotheses=(NONNEGATIVE,),
    uses=("nn-training", "nn-flow", "nn-landscape"),
    claims=(
        Limit(
            id="TL-QSGD",
            observe=asked(observe_sgd(LATE, fixed_start=False)),
            ladder=STEPS,
            bias_class="unit",  # as for the paper: the excess is a square of fluctuations of size sqrt(eps)
            points=(
                {"psi1": "1/4", "B": "0,0,1/2,3/2"},
                {"psi1": "1/2", "B": "1/4,1/4,1,1"},
                {"psi1": "1/2", "B": "0,0,0,1"},
            ),
            resolution=0.05,
            resolution_reason="mutants are 40% off and more; at t = 4 the flow itself is within 0.1% of the floor",
            readings=(
                Reading(
                    document="T",
                    place="third slide NN with Gradient Descent",
                    printed=f"lim_{{t -> inf}} lim_{{eps -> 0}} {STATEMENT}",
                    scan="the outer limit is scanned as eps -> inf and read as t -> inf, after the other slides",
                    states=asked(floor_share),
                ),
            ),
            mutants=(
                Mutant(name="half-of-it", states=lambda setting: asked(floor_share)(setting) / 2),
                Mutant(name="one-direction-fewer", states=asked(tail_from(-1))),
                Mutant(name="smallest-eigenvalues-fitted", states=asked(largest_left)),
            ),
        ),
        Shape(
            id="TL-QSGD",
            part="eps-to-infinity",
            readings=(
                Reading(
                    document="T",
                    place="first and second slide NN with Gradient Descent, as scanned",
                    printed=f"lim_{{t -> inf}} lim_{{eps -> inf}} {STATEMENT}",
                    scan="both scans have eps -> inf in the inner limit; the third slide has eps -> 0",
                    states=_no_step,
                    erratum=Erratum(corrected=AS_IN_THE_PAPER, states=_both_limits),
                ),
            ),
            mutants=(Mutant(name="eps-to-0-at-finite-t", states=_finite_time),),
        ),
        Shape(
            id="TL-QSGD",
            part="one-huge-step",
            readings=(
                Reading(
                    document="T",
                    place="first and second slide NN with Gradient Descent, as scanned; derived, not printed",
                    printed="lim_{eps -> inf} with at least one step made: the risk diverges instead",
                    states=lambda setting: (*_start_is_off(), *_one_step()),
                ),
            ),
            mutants=(Mutant(name="the-start-is-at-the-infimum", states=_no_step),),
        ),
        Shape(
            id="TL-QSGD",
            part="t-lost",
            readings=(
                Reading(
                    document="T",
                    place="third slide NN with Gradient Descent, as scanned",
                    printed=f"lim_{{eps -> inf}} lim_{{eps -> 0}} {STATEMENT}",
                    scan="the outer variable is scanned as eps, which the inner limit has used up: t stays finite",
                    states=_finite_time,
                    erratum=Erratum(corrected=AS_IN_THE_PAPER, states=_both_limits),
                ),
            ),
            mutants=(Mutant(name="at-t-of-1/16", states=lambda setting: (_excess(Fraction(1, 16)),)),),
        ),
        Shape(
            id="TL-QSGD",
            part="start",
            readings=(
                Reading(
                    document="T",
                    place="slides NN with Gradient Descent, last line",
                    printed="(probability is over the initialization (W_0, c_0) and the samples): any initialization",
                    states=from_any_start,
                    erratum=Erratum(
                        corrected="the law of (W_0, c_0) has a density; from W_0 = 0 no step moves W",
                        states=lambda setting: (_stays_at_zero(), *needs_a_density(setting)),
                    ),
                ),
            ),
            mutants=(Mutant(name="at-t-of-1/16", states=lambda setting: (_excess(Fraction(1, 16)),)),),
        ),
    ),
)
