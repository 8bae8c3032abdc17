r"""Theorem 2 and Corollary 3 in numbers: the excess of the averaged Hessian over random, structured and climbed W.

    excess(W) = E L~''(W)[W* Sigma', W* Sigma'] - <grad L~(W), W> + 2 (L~(W) - L^Q(W*)),

all means over signs exact (simulate/clean_risk.py), OPT = L^Q(W*) being the tightest choice. The constant of (6) is
hidden in its O~, so that no excess at a given width contradicts (6). What can be contradicted is the sum of errors
from which (6) is made: Lemma 1's, twice Lemma 12's, those of Lemmas 13 and 14, each with the constants derived in its
module, C of Assumption A and U = max |<w_{0,r}, x_i>| in the place of c sqrt(d):

    excess(W) <= C^2 U^2 rho^2 kappa^2/m + 2 (l^2/2 + D) + (l + 2 q (D + l^2/2) + 3 D)
                 + (C^2/4) (U + nu)^4 kappa^2 m^(-1/2) + C^2 U^2 rho^2 kappa^2/m + C rho kappa^2 m^(-1/4)
                 + 2 q* (D + l^2/2)

with l = (C/2) U^2 rho m^(-1/4), D = (C/6) rho^3 m^(-1/4), q = C U rho^2/sqrt(8), q* = C U kappa^2/sqrt(8), for every W,
W*, m and B_x = 1. At W = 0 all neurons alike leave l'' sigma'(U)^2 kappa^2 m^(-1/2) of it, a quarter of the bound for
the cubic ReLU and the logistic loss: the power of m is the right one.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import sympy as sp

from proofs_checks.eighth_power import CONSTANT
from proofs_checks.power_means import m, norm, radius
from simulate.clean_risk import Task, ascended_excess, draw_task, make_task, randomised_excess
from simulate.clean_risk import norm as norm_of
from theorems.activation import Activation, activation
from theorems.beyond_linearization import gradient_coupling as gradient
from theorems.beyond_linearization import hessian_coupling as hessian
from theorems.beyond_linearization.randomised_sizes import C, c, d
from theorems.beyond_linearization.smooth_activation import smoothness_constant
from theorems.claim import Decision, Fact, Setting, Statement

WIDTHS = (8, 16)
DIMENSION, SAMPLES = 2, 5
STEPS = 5
RADIUS = 2.0
"""B_w, in units of B_w*, with B_x = 1."""
WIDE = 64
SEEN = (0.1, 1.0)
"""<w_{0,r}, x> of the neurons that are all alike."""
UNIT_ROUNDOFF = 2.0**-53

ERRORS: dict[str, Any] = {
    "Lemma 1": hessian.BOUNDS["I(L^Q)"],
    "twice Lemma 12": 2 * (gradient.LINEAR**2 / 2 + gradient.REMAINDER),
    **{f"Lemma 13, {name}": bound for name, bound in gradient.BOUNDS.items()},
    **{f"Lemma 14, {name}": bound for name, bound in hessian.BOUNDS.items() if not name.startswith("I(L), ")},
    "Lemma 14, I(L)": C**2 / 4 * (c * sp.sqrt(d) + hessian.largest) ** 4 * hessian.square / sp.sqrt(m),
}
"""What the excess is at most the sum of; I(L) before its fourth power is split in two."""
_VARIABLES = (C, c, d, radius, norm, hessian.star_norm, hessian.largest_norm, m)


def _of_norm(weights: np.ndarray, size: float) -> np.ndarray:
    return weights * (size / norm_of(weights))


def _size(sigma: Activation) -> float:
    """||W*||: 1, or less where C is so large that the outputs would leave the range in which L~ is exact."""
    return min(1.0, 6 / max(float(smoothness_constant(sigma)), 1e-300))


def _pairs(task: Task, width: int, size: float) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """(name, W, W*) with ||W|| <= RADIUS size and ||W*|| = size."""
    rng = np.random.default_rng(width)
    star = _of_norm(rng.normal(size=(width, DIMENSION)), size)
    rows = np.repeat(np.asarray(task.points[:1]), width, axis=0)
    right = (np.asarray(task.outer) * np.asarray(task.labels[0]) > 0)[:, None]
    aligned, matched = _of_norm(rows, size), _of_norm(rows * right, size)
    opposed = _of_norm(rows * ~right, RADIUS * size)
    yield "random", _of_norm(rng.normal(size=(width, DIMENSION)), RADIUS * size), star
    yield "W = W*, random", star, star
    yield "W = W*, aligned with x_1", aligned, aligned
    yield "W = 0, W* aligned with x_1 on the neurons of the right sign", 0 * aligned, matched
    yield "W aligned on the neurons of the wrong sign, W* on the others", opposed, matched


def _alike(seen: float, size: float) -> tuple[Task, np.ndarray, np.ndarray]:
    """d = n = 1, all neurons at <w_0, x> = seen, W = 0, W* the same on each."""
    outer = np.repeat([1.0, -1.0], WIDE // 2)
    task = make_task(np.full((WIDE, 1), seen), outer, np.ones((1, 1)), np.ones(1))
    return task, np.zeros((WIDE, 1)), _of_norm(np.ones((WIDE, 1)), size)


Case = tuple[float, tuple[float, ...]]
"""The excess, and the values of c, d, B_x, ||W||, ||W*||, max ||w_r|| and m at which it was found."""


def _case(excess: float, task: Task, norms: tuple[float, float, float]) -> Case:
    width, dimension = task.start.shape
    largest = float(np.max(np.abs(task.points @ task.start.T)))
    return excess, (largest / dimension**0.5, dimension, 1.0, *norms, width)


@cache
def _excesses(sigma: Activation) -> dict[str, Case]:
    """The excess for each width and pair, the largest along the climb from the first, and where all are alike."""
    function, size = sigma.function(), _size(sigma)
    found = {}
    for width in WIDTHS:
        task = draw_task(2, width=width, dimension=DIMENSION, samples=SAMPLES)
        for number, (name, W, V) in enumerate(_pairs(task, width, size)):
            norms = norm_of(W), norm_of(V), float(np.max(np.linalg.norm(W, axis=1)))
            value = float(randomised_excess(task, W, V, activation=function))
            found[f"m = {width}, {name}"] = _case(value, task, norms)
            if number == 0:
                climbed = ascended_excess(task, W, V, RADIUS * size, activation=function, steps=STEPS)
                limits = RADIUS * size, size, RADIUS * size  # those of the ball it climbs in
                found[f"m = {width}, climbed from {name}"] = _case(float(np.max(np.asarray(climbed))), task, limits)
    for seen in SEEN:
        task, W, V = _alike(seen, size)
        value = float(randomised_excess(task, W, V, activation=function))
        found[f"m = {WIDE}, W = 0, all neurons at {seen:g}"] = _case(value, task, (0.0, size, 0.0))
    return found


def derived_errors(setting: Setting, *, power: float = 0.0, without: str = "") -> tuple[Statement, ...]:
    """The excess against the sum of the errors times m^-power, without the one of that name."""
    sigma = activation(setting.activation.text)
    total = sp.lambdify(_VARIABLES, sum(bound for name, bound in ERRORS.items() if name != without))
    constant = float(smoothness_constant(sigma).upper())
    found = {name: (excess, total(constant, *at) * at[-1] ** -power) for name, (excess, at) in _excesses(sigma).items()}
    broken = [name for name, (excess, bound) in found.items() if excess > bound]
    positive = {name: excess / bound for name, (excess, bound) in found.items() if bound > 0}
    worst = max(positive, key=lambda name: positive[name])
    reason = (
        f"{len(found)} cases: the largest excess is {max(excess for excess, _ in found.values()):.4g}, and at most "
        f"{positive[worst]:.3g} of the sum of the lemmas' errors is used ({worst})"
    )
    if broken:
        excess, bound = found[broken[0]]
        reason = f"{broken[0]}: an excess of {excess:.4g}, where {bound:.4g} is claimed"
    figures = {name: f"{excess:.5g} against {bound:.5g}" for name, (excess, bound) in found.items()}
    return (Fact("the excess against the lemmas' errors", Decision(not broken, reason), False, figures),)


def no_error_needed(setting: Setting) -> tuple[Statement, ...]:
    """excess <= 0, which would be Theorem 2 without its eps."""
    found = {name: excess for name, (excess, _) in _excesses(activation(setting.activation.text)).items()}
    worst = max(found, key=lambda case: found[case])
    reason = f"{worst}: the excess is {found[worst]:.4g}"
    return (Fact("no eps", Decision(found[worst] <= 0, reason), certain=False),)


def regularised_slack(setting: Setting, *, constant: float = float(CONSTANT)) -> tuple[Statement, ...]:
    """What the regulariser adds to the excess, in units of lambda C ||W*||^8: never positive, and zero for one neuron.

    At the extremal pair the exact value is zero, so the sum is compared with its own rounding: the number of its
    operations times u times the moduli of its terms. With lambda = 1/(C ||W*||^8) they are of order one.
    """
    sigma = activation(setting.activation.text)
    function, size = sigma.function(), _size(sigma)
    width = WIDTHS[0]
    task = draw_task(2, width=width, dimension=DIMENSION, samples=SAMPLES)
    one = np.zeros((width, DIMENSION))
    one[0] = size * np.asarray(task.points[0])
    pairs = [*_pairs(task, width, size), ("one neuron, ||W||^2 = 42/5 ||W*||^2", one * np.sqrt(42 / 5), one)]
    added, moduli = {}, {}
    for name, W, V in pairs:
        strength = 1 / (constant * norm_of(V) ** 8)
        with_it = float(randomised_excess(task, W, V, strength, constant, activation=function))
        without = float(randomised_excess(task, W, V, activation=function))
        added[name], moduli[name] = with_it - without, 1 + abs(with_it) + abs(without)
    rounding = {name: 100 * width * DIMENSION * SAMPLES * UNIT_ROUNDOFF * moduli[name] for name in added}
    worst = max(added, key=lambda name: added[name])
    holds = all(value <= rounding[name] for name, value in added.items())
    reason = f"the regulariser uses {1 + added[worst]:.12g} of C ||W*||^8 at most ({worst}), so C is attained"
    if not holds:
        reason = f"{worst}: the regulariser takes {1 + added[worst]:.6g} of what C = {constant:.6g} allows"
    figures = {name: f"{value:.6g}" for name, value in added.items()}
    return (Fact("what the regulariser adds", Decision(holds, reason), False, figures),)
