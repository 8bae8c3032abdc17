"""The coupling lemmas with their constants, attacked by networks in R^d: all signs are run through."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

from theorems.activation import activation
from theorems.beyond_linearization import (
    coupling_proofs,
    linear_part,
    quadratic_bound,
    quadratic_remainder,
    random_signs,
    risk_coupling,
    risk_coupling_proof,
)
from theorems.beyond_linearization.smooth_activation import ASSUMPTION_A
from theorems.claim import Setting

Function = Callable[[Any], Any]
SIGMAS: dict[str, tuple[float, Function, Function, Function]] = {
    "relu3": (
        6.0,
        lambda x: np.maximum(x, 0) ** 3,
        lambda x: 3 * np.maximum(x, 0) ** 2,
        lambda x: 6 * np.maximum(x, 0),
    ),
    "x - sin(x)": (1.0, lambda x: x - np.sin(x), lambda x: 1 - np.cos(x), np.sin),
}
WIDTH, INPUTS, RADIUS = 6, 3, 1.7
SIGNS = np.array(list(product((1.0, -1.0), repeat=WIDTH)))
OUTER = np.repeat([1.0, -1.0], WIDTH // 2)
ROUNDING = 1e-12
"""Relative: sums of a few terms of double precision."""


def _loss(z: np.ndarray | float) -> np.ndarray:
    return np.logaddexp(0, -np.asarray(z))


def _attacked(text: str, rng: np.random.Generator, kind: str) -> dict[str, float]:
    """The quotients of the four left sides to their bounds, at one choice of W_0, W and x."""
    constant, value, slope, curvature = SIGMAS[text]
    weights = np.tile(rng.standard_normal((WIDTH // 2, INPUTS)) / RADIUS, (2, 1))
    x = rng.standard_normal(INPUTS) if kind == "random" else weights[0].copy()
    if kind == "orthogonal":
        x = np.linalg.svd(weights[:2])[2][-1]  # orthogonal to two of the three
    x *= RADIUS / np.linalg.norm(x)
    u = weights @ x
    sizes = rng.exponential(size=WIDTH) * 10 ** rng.uniform(-2, 0.5)
    aligned = kind != "random"
    directions = np.tile(x / RADIUS, (WIDTH, 1)) if aligned else rng.standard_normal((WIDTH, INPUTS))
    moves = sizes[:, None] * directions / np.linalg.norm(directions, axis=1, keepdims=True)
    norm = (np.linalg.norm(moves, axis=1) ** 4).sum() ** 0.25
    reach = RADIUS * np.linalg.norm(weights, axis=1).max()
    h, root = moves @ x, np.sqrt(WIDTH)
    outputs = (OUTER * value(u + SIGNS * h)).sum(axis=1) / root
    linear = (OUTER * slope(u) * SIGNS * h).sum(axis=1) / root
    quadratic = (OUTER * curvature(u) * h**2).sum() / (2 * root)
    rho = RADIUS * norm
    bounds = {
        "quadratic": constant / (2 * np.sqrt(2)) * reach * rho**2,
        "linear": constant**2 / 4 * reach**4 * rho**2 / root,
        "remainder": constant / 6 * rho**3 * WIDTH**-0.25,
    }
    gaps = {
        "quadratic": abs(quadratic),
        "linear": (linear**2).mean(),
        "remainder": np.abs(outputs - linear - quadratic).max(),
        "risk": max(abs((_loss(y * outputs) - _loss(y * quadratic)).mean()) for y in (1, -1)),
    }
    bounds["risk"] = bounds["linear"] / 2 + bounds["remainder"]
    return {name: gaps[name] / bounds[name] for name in gaps}


@pytest.mark.parametrize("text", SIGMAS)
@pytest.mark.parametrize("kind", ["random", "aligned", "orthogonal"])
def test_no_network_violates_a_lemma(text: str, kind: str) -> None:
    rng = np.random.default_rng(17)
    quotients = [_attacked(text, rng, kind) for _ in range(400)]
    largest = {name: max(one[name] for one in quotients) for name in quotients[0]}
    assert all(value <= 1 + ROUNDING for value in largest.values()), largest
    assert all(value > 1e-3 for value in largest.values()), "an attack that comes nowhere near shows nothing"


def test_the_remainder_bound_is_attained() -> None:
    constant, value, slope, curvature = SIGMAS["relu3"]
    h, u = 0.3 * OUTER, 2.0
    left = (OUTER * (value(u + h) - value(u) - slope(u) * h - curvature(u) * h**2 / 2)).sum() / np.sqrt(WIDTH)
    rho = (np.abs(h) ** 4).sum() ** 0.25
    assert abs(left / (constant / 6 * rho**3 * WIDTH**-0.25) - 1) < ROUNDING


MODULES = (
    random_signs,
    quadratic_bound,
    linear_part,
    quadratic_remainder,
    coupling_proofs,
    risk_coupling,
    risk_coupling_proof,
)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.THEOREM.slug)
@pytest.mark.parametrize(("text", "holds"), [("relu", False), ("tanh", False), ("relu3", True), ("x - sin(x)", True)])
def test_assumption_a_is_asked_of_every_activation(module: object, text: str, holds: bool) -> None:
    hypotheses = module.THEOREM.hypotheses  # pyright: ignore[reportAttributeAccessIssue]
    assert ASSUMPTION_A in hypotheses
    assert all(hypothesis.check(Setting({}, None, activation(text))).holds for hypothesis in hypotheses) is holds


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.THEOREM.slug)
def test_a_constant_activation_is_turned_away_with_a_reason(module: object) -> None:
    """It satisfies Assumption A, and leaves nothing to compare."""
    setting = Setting({}, None, activation("0*x"))
    decisions = [h.check(setting) for h in module.THEOREM.hypotheses]  # pyright: ignore[reportAttributeAccessIssue]
    assert [decision.holds for decision in decisions].count(False) == 1
    assert any("constant" in decision.reason for decision in decisions if not decision.holds)
