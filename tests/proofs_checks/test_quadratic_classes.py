"""What a missing constant costs, against least squares over the class and known special cases."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

from proofs_checks import quadratic_classes
from proofs_checks.haar_projector import N, d, t
from reports.symbolic import decide_statements
from theorems.claim import Verdict
from theorems.steps import statements


def test_steps_are_proved():
    assert decide_statements(statements(quadratic_classes.completed_square()), seed=3).verdict == Verdict.PROVED


@pytest.mark.parametrize(("dimension", "neurons"), [(4, 2), (5, 3)])
def test_no_constant_in_the_tangent_class_by_least_squares(dimension, neurons):
    """For given weights the least loss over A = WX + (WX)^T is that of the formula, centred or not."""
    generator = np.random.default_rng(dimension)
    matrix = np.diag(generator.uniform(-1, 2, dimension))
    basis = np.linalg.qr(generator.standard_normal((dimension, neurons)))[0]
    inside = basis @ basis.T
    outside = np.eye(dimension) - inside
    units = [np.outer(w, e) + np.outer(e, w) for w in basis.T for e in np.eye(dimension)]
    for mean in (0.0, 0.7, -np.trace(matrix)):  # b0
        # The loss 2 ||B - A||^2 + (b0 + Tr(B - A))^2 as a sum of squares, linear in A.
        rows = np.column_stack([np.append(np.sqrt(2) * unit.ravel(), np.trace(unit)) for unit in units])
        goal = np.append(np.sqrt(2) * matrix.ravel(), mean + np.trace(matrix))
        residual = goal - rows @ np.linalg.lstsq(rows, goal, rcond=None)[0]
        missed = mean + np.trace(outside @ matrix)
        cost = float(quadratic_classes.cost_of_no_constant(sp.Integer(neurons), sp.Float(missed, 30)))
        exact = 2 * np.linalg.norm(outside @ matrix @ outside) ** 2 + cost
        # lstsq is backward stable: rounding times the condition (below 1e3) times the size of the sum.
        assert abs(residual @ residual - exact) < 1e4 * np.finfo(np.float64).eps * (goal @ goal)


def test_expected_squared_trace_of_a_random_line():
    """Rank one: Q = uu^T and E(sum u_i^2 b_i)^2 = (Tr(B)^2 + 2||B||^2)/(d(d+2))."""
    value = quadratic_classes.squared_trace(sp.Integer(1))
    assert sp.simplify(value - (d * t + 2) / (d * (d + 2))) == 0


def test_the_whole_space_costs_d_t_over_d_plus_2():
    assert sp.simplify(quadratic_classes.squared_trace(d) - d * t) == 0
    assert sp.limit(quadratic_classes.centred_tangent_risk().subs(N, d - 1), d, sp.oo) == t
