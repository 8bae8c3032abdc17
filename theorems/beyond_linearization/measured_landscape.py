r"""Theorem 2 and Corollary 3 in numbers: the excess of the averaged Hessian over random, structured and climbed W.

    excess(W) = E L~''(W)[W* Sigma', W* Sigma'] - <grad L~(W), W> + 2 (L~(W) - L^Q(W*)),

all means over signs exact (simulate/clean_risk.py), OPT = L^Q(W*) being the tightest choice. Theorem 2 says that
excess <= eps <= 1 once m >= K M(eps), with M the right-hand side of (6) and K hidden in its O~. An excess e at width m
therefore asks for K > m/M(min(e, 1)); what is reported is the largest K that anything tried asks for.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from proofs_checks.eighth_power import CONSTANT
from proofs_checks.width_condition import widths_needed
from simulate.clean_risk import Task, ascended_excess, draw_task, norm, randomised_excess
from theorems.activation import Activation, activation
from theorems.claim import Decision, Fact, Setting, Statement

WIDTHS = (8, 16)
DIMENSION, SAMPLES = 2, 5
STEPS = 5
RADIUS = 2.0
"""B_w, with B_w* = 1 and B_x = 1."""
UNIT_ROUNDOFF = 2.0**-53


def _of_norm(weights: np.ndarray, size: float) -> np.ndarray:
    return weights * (size / norm(weights))


def _pairs(task: Task, width: int) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """(name, W, W*) with ||W|| <= B_w and ||W*|| = 1."""
    rng = np.random.default_rng(width)
    star = _of_norm(rng.normal(size=(width, DIMENSION)), 1.0)
    rows = np.repeat(np.asarray(task.points[:1]), width, axis=0)
    right = (np.asarray(task.outer) * np.asarray(task.labels[0]) > 0)[:, None]
    aligned, matched, opposed = _of_norm(rows, 1.0), _of_norm(rows * right, 1.0), _of_norm(rows * ~right, RADIUS)
    yield "random", _of_norm(rng.normal(size=(width, DIMENSION)), RADIUS), star
    yield "W = W*, random", star, star
    yield "W = W*, aligned with x_1", aligned, aligned
    yield "W = 0, W* aligned with x_1 on the neurons of the right sign", 0 * aligned, matched
    yield "W aligned on the neurons of the wrong sign, W* on the others", opposed, matched


@cache
def _excesses(sigma: Activation) -> dict[tuple[int, str], float]:
    """The excess for each width and pair, and the largest along the climb from the first."""
    function = sigma.function()
    found = {}
    for width in WIDTHS:
        task = draw_task(2, width=width, dimension=DIMENSION, samples=SAMPLES)
        for number, (name, W, V) in enumerate(_pairs(task, width)):
            found[width, name] = float(randomised_excess(task, W, V, activation=function))
            if number == 0:
                climbed = ascended_excess(task, W, V, RADIUS, activation=function, steps=STEPS)
                found[width, f"climbed from {name}"] = float(np.max(np.asarray(climbed)))
    return found


def hidden_constant(setting: Setting) -> tuple[Statement, ...]:
    """The largest K that the cases tried ask for, which must not exceed one."""
    found = _excesses(activation(setting.activation.text))
    asked = {
        case: case[0] / widths_needed(DIMENSION, 1.0, RADIUS, min(value, 1.0)) if value > 0 else 0.0
        for case, value in found.items()
    }
    worst = max(asked, key=lambda case: asked[case])
    reason = (
        f"no violation: the largest excess is {max(found.values()):.4g}, and nothing tried asks for a hidden constant "
        f"above {asked[worst]:.2g} (m = {worst[0]}, {worst[1]}), so (6) is loose here"
    )
    if asked[worst] > 1:
        reason = f"m = {worst[0]}, {worst[1]}: an excess of {found[worst]:.4g} asks for K > {asked[worst]:.3g}"
    figures = {f"m = {width}, {name}": f"{value:.5g}" for (width, name), value in found.items()}
    return (Fact("the excess against (6)", Decision(asked[worst] <= 1, reason), False, figures),)


def no_error_needed(setting: Setting) -> tuple[Statement, ...]:
    """excess <= 0, which would be Theorem 2 without its eps."""
    found = _excesses(activation(setting.activation.text))
    worst = max(found, key=lambda case: found[case])
    reason = f"at m = {worst[0]}, {worst[1]}, the excess is {found[worst]:.4g}"
    return (Fact("no eps", Decision(found[worst] <= 0, reason), certain=False),)


def regularised_slack(setting: Setting, *, constant: float = float(CONSTANT)) -> tuple[Statement, ...]:
    """What the regulariser adds to the excess, per unit of lambda: never positive, and zero for one neuron.

    At the extremal pair the exact value is zero, so the sum is compared with its own rounding: the number of its
    operations times u times the moduli of its terms, of which C ||W*||^8 is the largest.
    """
    function = setting.activation.function()
    width = WIDTHS[0]
    task = draw_task(2, width=width, dimension=DIMENSION, samples=SAMPLES)
    one = np.zeros((width, DIMENSION))
    one[0] = np.asarray(task.points[0])
    pairs = [*_pairs(task, width), ("one neuron, ||W||^2 = 42/5 ||W*||^2", one * np.sqrt(42 / 5), one)]
    added = {}
    for name, W, V in pairs:
        with_it = float(randomised_excess(task, W, V, 1.0, constant, activation=function))
        without = float(randomised_excess(task, W, V, activation=function))
        added[name] = (with_it - without, constant * norm(V) ** 8)
    rounding = {name: 100 * width * DIMENSION * SAMPLES * UNIT_ROUNDOFF * size for name, (_, size) in added.items()}
    worst = max(added, key=lambda name: added[name][0] / added[name][1])
    holds = all(value <= rounding[name] for name, (value, _) in added.items())
    share = 1 + added[worst][0] / added[worst][1]
    reason = f"the regulariser uses {share:.12g} of C ||W*||^8 at most ({worst}), so C is attained"
    if not holds:
        reason = f"{worst}: the regulariser adds {added[worst][0]:.4g} beyond what C = {constant:.6g} allows"
    figures = {name: f"{value:.6g}" for name, (value, _) in added.items()}
    return (Fact("what the regulariser adds", Decision(holds, reason), False, figures),)
