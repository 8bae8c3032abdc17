r"""The averaged Hessian of the clean risk in numbers: automatic differentiation against the identity behind Lemma 1.

Both sides are sums of products in float64. Their difference is held against the rounding of such sums: with N
operations in a row, N u times the sum of the moduli of the terms, u = 2^-53.
"""

from __future__ import annotations

from itertools import product

import jax.numpy as jnp
import numpy as np

from simulate.clean_risk import Task, clean_derivatives, draw_task, make_task, norm, quadratic_model, second_derivative
from theorems.beyond_linearization.smooth_activation import smoothness_constant
from theorems.claim import Decision, Fact, Setting, Statement

WIDTH, DIMENSION, SAMPLES = 8, 3, 5
UNIT_ROUNDOFF = 2.0**-53
SCALES = (0.3, 1.0, 3.0)


def _sigmoid(values: np.ndarray) -> np.ndarray:
    return (1 + np.tanh(values / 2)) / 2


def _both_sides(setting: Setting, task: Task, W: np.ndarray, V: np.ndarray, remainder: float, gap: float):
    """(averaged Hessian by machine, right-hand side, sum of the moduli, II)."""
    function = setting.activation.function()
    value, level, slope, tensor = (np.asarray(part) for part in clean_derivatives(task, W, V, activation=function))
    matrix = tensor.reshape(W.size, W.size)
    patterns = np.array(list(product((1.0, -1.0), repeat=len(W))))
    moved = (patterns[:, :, None] * V).reshape(len(patterns), -1)
    curvature = float(np.mean(np.einsum("pi,ij,pj->p", moved, matrix, moved)))
    labels, points = np.asarray(task.labels), np.asarray(task.points)
    model = quadratic_model(task, function)
    here, there = (np.asarray(model(jnp.asarray(weights))) for weights in (W, V))
    first = -labels * _sigmoid(-labels * here)
    second = _sigmoid(here) * _sigmoid(-here)
    bent = np.asarray(second_derivative(function, task.points @ task.start.T))
    two = second @ np.sum((bent * (points @ W.T) * (points @ V.T)) ** 2, axis=1) / W.shape[0] / len(points)
    convexity = float(level - value - np.mean(first * (there - here)))
    right = float(slope) - 2 * float(value - level) - gap * convexity + remainder * two
    moduli = np.abs(moved[0]) @ np.abs(matrix) @ np.abs(moved[0])
    moduli += (
        abs(float(slope)) + 4 * (abs(float(value)) + abs(float(level))) + 2 * np.mean(np.abs(first * (there - here)))
    )
    return curvature, right, float(moduli + abs(two)), float(two)


def autodiff_identity(setting: Setting, *, remainder: float = 1.0, gap: float = 2.0) -> tuple[Statement, ...]:
    """Largest difference of the two sides over random W, W* of three sizes, against its rounding."""
    rng = np.random.default_rng(11)
    task = draw_task(1, width=WIDTH, dimension=DIMENSION, samples=SAMPLES)
    operations = WIDTH * SAMPLES + (WIDTH * DIMENSION) ** 2 + 2**WIDTH
    worst, figures = 0.0, {}
    for scale in SCALES:
        W, V = (scale * rng.normal(size=(WIDTH, DIMENSION)) for _ in range(2))
        left, right, moduli, _ = _both_sides(setting, task, W, V, remainder, gap)
        ratio = abs(left - right) / (operations * UNIT_ROUNDOFF * moduli)
        worst = max(worst, ratio)
        figures[f"||W|| = {norm(W):.3g}"] = f"{left:.12g} against {right:.12g}"
    reason = f"the sides differ by {worst:.3g} times the rounding of their sums, over {len(SCALES)} pairs (W, W*)"
    return (Fact("the identity by automatic differentiation", Decision(worst <= 1, reason), False, figures),)


def _aligned_task(task: Task, scale: float) -> Task:
    """One sample, and every initial weight with the same projection on it."""
    start = scale * np.repeat(np.asarray(task.points[:1]), WIDTH, axis=0)
    return make_task(start, task.outer, task.points[:1], task.labels[:1])


def tightest_ratio(setting: Setting, *, exponent: float = 1.0) -> tuple[Statement, ...]:
    """(averaged Hessian - <grad, W> + 2 (L - L*)) over C^2 max (w_0.x)^2 ||W||^2 ||W*||^2 m^-exponent, with B_x = 1."""
    rng = np.random.default_rng(12)
    task = draw_task(1, width=WIDTH, dimension=DIMENSION, samples=SAMPLES)
    constant = float(smoothness_constant(setting.activation))
    x = np.repeat(np.asarray(task.points[:1]), WIDTH, axis=0)
    cases = [("random", task, *(scale * rng.normal(size=(2, WIDTH, DIMENSION)))) for scale in SCALES]
    cases += [("equal to W*, random", task, W, W) for W in rng.normal(size=(2, WIDTH, DIMENSION))]
    cases += [("aligned", _aligned_task(task, t), s * x, s * x) for t in (0.05, 0.5, 2.0) for s in (0.1, 1.0)]
    found = {}
    for number, (name, here, W, V) in enumerate(cases):
        left, _, _, _ = _both_sides(setting, here, W, V, 1.0, 2.0)
        value, level, slope, _ = clean_derivatives(here, W, V, activation=setting.activation.function())
        excess = left - float(slope) + 2 * float(value - level)
        largest = float(np.max(np.abs(here.points @ here.start.T)))
        bound = (constant * largest * norm(W) * norm(V)) ** 2 * WIDTH**-exponent
        found[f"{number}: {name}"] = excess / bound
    tightest = max(found, key=lambda name: found[name])
    reason = (
        f"the largest ratio to the bound is {found[tightest]:.4g} ({tightest}); l'' <= 1/4 for the logistic loss, so "
        f"the bound is loose by at least 4 here"
    )
    if found[tightest] > 1:
        reason = f"the bound is exceeded {found[tightest]:.4g} times ({tightest})"
    figures = {name: f"{value:.4g}" for name, value in found.items()}
    return (Fact("Lemma 1 with the constant C^2", Decision(found[tightest] <= 1, reason), False, figures),)
