"""The landscape in numbers: movements stay where the mean over signs is exact, and a wrong bound is found wrong."""

from __future__ import annotations

import jax.numpy as jnp
import pytest

from simulate.clean_risk import LARGEST_GROWTH, draw_task, growth
from theorems.activation import activation
from theorems.beyond_linearization import measured_landscape as measured
from theorems.beyond_linearization.randomised_sizes import of_constant_six
from theorems.beyond_linearization.smooth_activation import ASSUMPTION_A, NOT_CONSTANT, cubic_relu, smoothness
from theorems.claim import Fact, Setting


def _holds(statements: tuple[object, ...]) -> bool | None:
    (fact,) = statements
    assert isinstance(fact, Fact)
    return fact.decision.holds


@pytest.mark.parametrize("text", ["Max(x, 0)**3/6", "x**3", "1000*Max(x, 0)**3"])
def test_movements_shrink_with_the_constant_so_that_the_risk_is_exact(text: str) -> None:
    sigma = activation(text)
    for width in measured.WIDTHS:
        task = draw_task(2, width=width, dimension=measured.DIMENSION, samples=measured.SAMPLES)
        for _, W, _ in measured._pairs(task, width, measured._size(sigma)):
            assert growth(task, sigma.function(), jnp.asarray(W)) < LARGEST_GROWTH / 2


@pytest.mark.parametrize("text", ["x - sin(x)", "1000*Max(x, 0)**3", "x**3/1000"])
def test_the_excess_is_within_the_errors_of_the_lemmas(text: str) -> None:
    setting = Setting({}, activation=activation(text))
    assert _holds(measured.derived_errors(setting))
    assert _holds(measured.regularised_slack(setting))
    assert not _holds(measured.derived_errors(setting, without="Lemma 14, I(L)"))


def test_errors_that_fall_faster_are_contradicted_by_the_cubic_relu() -> None:
    assert _holds(measured.derived_errors(cubic_relu()))
    assert not _holds(measured.derived_errors(cubic_relu(), power=0.5))


@pytest.mark.parametrize("text", ["0*x", "3 + 0*x"])
def test_a_constant_satisfies_assumption_a_and_leaves_nothing_to_compare(text: str) -> None:
    setting = Setting({}, activation=activation(text))
    assert ASSUMPTION_A.check(setting).holds
    assert NOT_CONSTANT.check(setting).holds is False


@pytest.mark.parametrize("text", ["relu3", "x - sin(x)", "100*x**3", "x**3/(1 + x**2)/1000"])
def test_the_loss_sees_an_activation_of_constant_six(text: str) -> None:
    scaled = smoothness(activation(of_constant_six(Setting({}, activation=activation(text))))).constant
    assert scaled is not None
    assert abs(float(scaled) - 6) < 1e-6
