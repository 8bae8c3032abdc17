"""The landscape of the trained quadratic network, its flow, and the tail of a spectrum, by other routes."""

from __future__ import annotations

from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import sympy as sp
from flint import fmpq, fmpq_mat
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_checks import quadratic_landscape as landscape
from proofs_checks.quadratic_landscape import CriticalPoint, critical_points, least_risk, saddle_curvature
from proofs_checks.riccati_flow import flow_risk, joint_flow_risk, small_size_steps, solution_step
from proofs_checks.tail_energy import gap_steps, largest_tail, tail_steps, tangent

EPS = np.finfo(np.float64).eps
CASES = [
    ((25, 16, 4, 1), 2),
    ((9, 9, 1, 1), 2),
    ((4, 4, 4), 2),
    ((16, 1, 0, 0), 3),
    ((Fraction(9, 4), Fraction(1, 4), -1), 2),
    ((-1, -2), 2),
    ((0, 0), 1),
    ((4,), 3),
]


def holds(step):
    return sp.expand(step.left - step.right) == 0


@pytest.mark.parametrize(("dimension", "neurons"), [(1, 2), (2, 1), (3, 1)])
def test_risk_and_derivatives_are_polynomial_identities(dimension, neurons):
    assert holds(landscape.risk_step(dimension, neurons))
    assert all(map(holds, landscape.derivative_steps(dimension, neurons)))
    assert not holds(landscape.risk_step(dimension, neurons, lambda M, m: landscape.closed_form(M, m) + m))
    assert not holds(landscape.derivative_steps(dimension, neurons, first=lambda *a: 0)[0])


@pytest.mark.parametrize("sizes", [(1, 1, 1), (2, 1, 0), (2, 2, 1), (2, 2, 2)])
def test_the_hessian_splits_into_blocks(sizes):
    assert holds(landscape.critical_hessian_step(*sizes))


def test_gaussian_moments():
    x, y = sp.symbols("x y")
    assert landscape.gaussian_mean(x**4 * y**2 + 5 * x**3 + 7, [x, y]) == 10


@pytest.mark.parametrize(("eigenvalues", "neurons"), CASES)
@pytest.mark.parametrize("seed", [0, 3])
def test_every_critical_point_is_one_with_the_stated_spectrum(eigenvalues, neurons, seed):
    for point in critical_points(eigenvalues, neurons):
        assert landscape.critical_exactly(point, seed)
        count = len(point.explicit_spectrum()) + len(point.fitted) + 1
        assert count == neurons * len(eigenvalues) + 1


def test_the_exact_check_can_fail():
    point = CriticalPoint((9, 4, 1), (0,), 2)
    exact = landscape.rational_point(point, 1)
    assert landscape.spectrum_polynomial(CriticalPoint((9, 4, 1), (1,), 2)) != exact.hessian().charpoly()
    moved = landscape.RationalPoint(exact.target, exact.weights * 2, exact.offset)
    assert any(entry != 0 for entry in moved.gradient())
    with pytest.raises(ValueError, match="square"):
        landscape.rational_point(CriticalPoint((2, 1), (0,), 1), 0)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
def test_rotations_are_orthogonal(size):
    turn = landscape.rational_rotation(size, 2)
    product = turn * turn.transpose()
    assert all(product[i, j] == (i == j) for i in range(size) for j in range(size))


def _loss(target, neurons):
    def loss(x):
        weights = x[:-1].reshape(len(target), neurons)
        mismatch = target - weights @ weights.T
        return 2 * jnp.sum(mismatch**2) + (jnp.trace(mismatch) - x[-1]) ** 2

    return loss


def test_exact_differences_are_the_derivatives():
    """At an arbitrary point of integers, against automatic differentiation, without rounding on either side."""
    target, weights = [[2, -1, 0], [-1, 3, 1], [0, 1, -4]], [[1, 2], [-1, 0], [3, 1]]
    exact = landscape.RationalPoint(fmpq_mat(target), fmpq_mat(weights), fmpq(-5))
    x = jnp.asarray([*np.ravel(weights), -5], dtype=jnp.float64)
    loss = jax.jit(_loss(jnp.asarray(target, dtype=jnp.float64), 2))
    assert jax.grad(loss)(x).tolist() == [int(entry) for entry in exact.gradient()]
    hessian = exact.hessian()
    assert jax.jit(jax.hessian(loss))(x).tolist() == [[int(hessian[i, j]) for j in range(7)] for i in range(7)]


@given(
    st.lists(st.integers(-6, 9), min_size=1, max_size=4),
    st.integers(1, 3),
    st.randoms(use_true_random=False),
)
@settings(max_examples=25, deadline=None)
def test_least_curvature_and_risk_at_any_eigenvalues(eigenvalues, neurons, random):
    """Eigenvalues that are no squares, in float64: the Hessian by its closed form as a matrix."""
    points = list(critical_points(eigenvalues, neurons))
    point = random.choice(points)
    target = np.array(point.eigenvalues, dtype=np.float64)
    weights = np.zeros((len(target), neurons))
    for column, i in enumerate(point.fitted):
        weights[i, column] = np.sqrt(target[i])
    x = np.append(weights.ravel(), sum(target[i] for i in point.left))
    risk, gradient, curvature = landscape._numbers(x, target, neurons)
    # Entries up to 8 * 9 * 13 and a 13 x 13 symmetric eigenproblem.
    rounding = 1e6 * EPS
    assert risk == pytest.approx(float(point.risk), abs=rounding)
    assert np.max(np.abs(gradient)) <= rounding
    assert min(curvature, 0.0) == pytest.approx(float(point.least_curvature), abs=rounding)
    assert min(other.risk for other in points) == least_risk(eigenvalues, neurons)
    assert point.is_minimiser == (point.least_curvature == 0)


def test_saddle_curvature_by_hand():
    assert saddle_curvature((9, 4, 1), 1) == 8 * 5
    assert saddle_curvature((9, 4, 1), 2) == 8 * 3
    assert saddle_curvature((9, 4, 1), 3) == 8 * 1
    assert saddle_curvature((0, -1), 2) is None


def test_numeric_hessian_is_that_of_automatic_differentiation():
    target = np.array([2.0, 1.0, -0.5])
    x = np.random.default_rng(3).normal(size=7)
    risk, gradient, curvature = landscape._numbers(x, target, 2)
    loss = _loss(jnp.diag(jnp.asarray(target)), 2)
    assert risk == pytest.approx(float(loss(jnp.asarray(x))), rel=1e3 * EPS)
    assert gradient == pytest.approx(np.asarray(jax.grad(loss)(jnp.asarray(x))), abs=1e5 * EPS)
    expected = np.linalg.eigvalsh(np.asarray(jax.jit(jax.hessian(loss))(jnp.asarray(x))))[0]
    assert curvature == pytest.approx(expected, abs=1e5 * EPS)


def test_the_search_finds_the_saddle_and_nothing_below_it():
    found = landscape.search_near_critical((2, 1), 1, 8.8, excess=0.1, level=40.0)
    assert found is not None
    assert found.gradient**2 < landscape.ACCURACY
    assert found.excess == pytest.approx(6, abs=landscape.ACCURACY)  # the saddle that fits the second eigenvector
    below = landscape.search_near_critical((2, 1), 1, 7.2, excess=0.1, level=40.0)
    assert below is not None
    assert below.gradient**2 > landscape.ACCURACY


def test_the_riccati_equation_is_solved():
    assert holds(solution_step())
    assert not holds(solution_step(4))
    assert all(map(holds, (*small_size_steps(1, 2), *small_size_steps(2, 1))))


def test_the_closed_form_composes_and_starts_right():
    """One neuron on the line: a(t) = b e^{16bt} a/(b + a (e^{16bt} - 1)), and 2 (b - a(t))^2 is the risk."""
    b, a, time = 1.0, 0.25, 0.1
    grown = np.exp(16 * b * time)
    by_hand = 2 * (b - b * grown * a / (b + a * (grown - 1))) ** 2
    assert float(flow_risk([1], [[Fraction(1, 2)]], Fraction(1, 10))) == pytest.approx(by_hand, rel=100 * EPS)
    assert float(flow_risk([3, 1], [[1], [0]], Fraction(0))) == 2 * (4 + 1)


def test_the_joint_flow_starts_at_the_risk_and_conserves_zero():
    start = np.array([[0.5], [0.5]])
    risk, _ = joint_flow_risk([1.0, 0.5], start, 0.3, 1e-9)
    mismatch = np.diag([1.0, 0.5]) - start @ start.T
    # In a time of 1e-9 the risk moves by 1e-9 |grad L|^2, less than 1e-6 here.
    assert risk == pytest.approx(2 * np.sum(mismatch**2) + (np.trace(mismatch) - 0.3) ** 2, abs=1e-6)
    # W_0 = 0: only c moves, m = (Tr B - c_0) e^{-2t}.
    still, error = joint_flow_risk([1.0, 0.5], np.zeros((2, 1)), 0.5, 1.0)
    assert still == pytest.approx(2 * 1.25 + np.exp(-4.0), abs=error + 1e-9)


def test_steps_about_the_tail_are_consistent_at_random_points():
    rng = np.random.default_rng(5)
    for step in (*tail_steps(), *gap_steps()):
        symbols = sorted((step.left - step.right).free_symbols, key=str)
        for _ in range(20):
            values = {symbol: sp.Rational(int(rng.integers(1, 50)), 100) for symbol in symbols}
            difference = (step.right - step.left).subs(values)
            if step.relation == "=":
                assert sp.simplify(difference) == 0
            else:
                assert step.certificate is not None
                assert sp.simplify(difference - step.certificate.subs(values)) == 0


@given(st.lists(st.integers(0, 20), min_size=2, max_size=8).filter(any), st.data())
@settings(max_examples=150, deadline=None)
def test_no_spectrum_has_a_larger_tail(eigenvalues, data):
    width = data.draw(st.integers(1, len(eigenvalues) - 1))
    size = len(eigenvalues)
    t = Fraction(sum(eigenvalues) ** 2, size * sum(x * x for x in eigenvalues))
    tail = Fraction(least_risk(eigenvalues, width), 2 * sum(x * x for x in eigenvalues))
    ratio = Fraction(width, size)
    assert tail <= largest_tail(ratio, t)
    least_gap = tangent(ratio, t) - largest_tail(ratio, t)
    assert least_gap >= min(ratio, 1 - ratio) ** 2 * (1 - t)
    assert (least_gap == 0) == (t == 1)


@pytest.mark.parametrize(
    ("eigenvalues", "width"),
    [([1] * 6 + [0] * 4, 2), ([10**6] + [1] * 1999 + [0] * 8000, 1000), ([10**6] + [1] * 9999, 7000)],
)
def test_the_bound_on_the_tail_is_approached(eigenvalues, width):
    size, energy = len(eigenvalues), sum(x * x for x in eigenvalues)
    t = Fraction(sum(eigenvalues) ** 2, size * energy)
    tail = Fraction(least_risk(eigenvalues, width), 2 * energy)
    bound = largest_tail(Fraction(width, size), t)
    # An outlier of weight 1/d: what it takes from the sums is of relative order of its share of the trace.
    slack = Fraction(2 * max(eigenvalues), sum(eigenvalues)) if max(eigenvalues) > 1 else 0
    assert bound * (1 - min(slack, 1)) <= tail <= bound
