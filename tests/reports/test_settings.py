"""What a user chose takes precedence over what a module declares, and is read strictly."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs_checks.ball_function import CannotDecide
from reports.catalogue import load, select
from reports.settings import (
    PROFILES,
    Choices,
    check_hypotheses,
    describe,
    read_seconds,
    refused_activation,
    settings,
)
from theorems.claim import BadInput, Decision, Hypothesis, Setting, Theorem


def theorem(**fields: Any) -> Theorem:
    return Theorem(slug="toy", title="", source="", latex="", claims=(), **fields)


TOY = theorem(parameters={"rho": "1/2", "B": "exp1"}, activation="tanh", takes_activation=True)


def test_defaults_are_overridden_by_points_and_points_by_the_user() -> None:
    points = ({}, {"rho": "2"}, {"rho": "3", "B": "isotropic"})
    rows = [describe(place) for place in settings(TOY, points, Choices(overrides={"B": "two_point"}))]
    assert rows == [{"rho": rho, "B": "two_point", "activation": "tanh"} for rho in ("1/2", "2", "3")]


def test_points_that_coincide_are_sampled_once() -> None:
    points = ({"rho": "2"}, {"rho": "2/1"}, {"rho": "3"})
    assert len(settings(TOY, points, Choices())) == 2
    assert len(settings(TOY, points, Choices(overrides={"rho": "5"}))) == 1


def test_ratios_are_exact() -> None:
    (place,) = settings(TOY, ({},), Choices(overrides={"rho": "0.1"}))
    assert place["rho"] == Fraction(1, 10)
    assert place.dimension is None


def test_the_activation_of_the_user_replaces_those_of_the_points() -> None:
    points = ({"activation": "relu"}, {"activation": "erf"})
    assert [describe(place)["activation"] for place in settings(TOY, points, Choices())] == ["relu", "erf"]
    (place,) = settings(TOY, points, Choices(activation="sin", center=True))
    assert place.activation.centered


def test_a_theorem_that_takes_no_activation_keeps_its_own() -> None:
    fixed = theorem(activation="x**2 - 1")
    (place,) = settings(fixed, (), Choices(activation="sin"))
    assert place.activation.text == settings(fixed, (), Choices())[0].activation.text
    (bare,) = settings(theorem(), (), Choices(activation="sin"))
    assert bare.activation is None
    assert describe(bare) == {}


def test_why_an_activation_is_refused() -> None:
    chosen = Choices(activation="sin")
    assert refused_activation(TOY, chosen) is None
    assert refused_activation(theorem(), Choices()) is None
    assert "no activation" in (refused_activation(theorem(), chosen) or "")
    assert "x**2 - 1" in (refused_activation(theorem(activation="x**2 - 1"), chosen) or "")
    for stated in (TOY, theorem()):
        with pytest.raises(BadInput):
            refused_activation(stated, Choices(activation="sin("))


@pytest.mark.parametrize("overrides", [{"Gamma": "isotropic"}, {"rho": "0"}, {"rho": "x"}, {"B": "round"}])
def test_bad_overrides_are_refused(overrides: dict[str, str]) -> None:
    with pytest.raises(BadInput):
        settings(TOY, ({},), Choices(overrides=overrides))


def test_errata_bind_only_at_the_parameters_of_the_module() -> None:
    assert Choices().is_default
    assert Choices(seed=4, budget=3.0, profile=PROFILES["full"], mutants=False).is_default
    changes: list[dict[str, Any]] = [
        {"overrides": {"rho": "1"}},
        {"activation": "sin"},
        {"center": True},
        {"against": "rho"},
    ]
    for change in changes:
        assert not Choices(**change).is_default


def hypothesis(name: str, *answers: bool | None) -> Hypothesis:
    """One whose answer depends on the setting."""
    return Hypothesis(
        name=name, text="", check=lambda place: Decision(answers[place["point"]], f"reason {place['point']}.")
    )


PLACES = [Setting({"point": number}) for number in range(2)]


@pytest.mark.parametrize(
    ("answers", "together"),
    [
        ([(True, True)], True),
        ([(True, None)], None),
        ([(True, True), (None, False)], False),
        ([(None, None), (True, False)], False),
        ([], True),
    ],
)
def test_hypotheses_are_as_weak_as_the_weakest(answers: list[tuple[bool | None, ...]], together: bool | None) -> None:
    rows, decision = check_hypotheses([hypothesis(f"H{i}", *row) for i, row in enumerate(answers)], PLACES)
    assert decision.holds is together
    assert [row["name"] for row in rows] == [f"H{i}" for i in range(len(answers))]


def test_the_reason_names_what_failed_and_where() -> None:
    rows, decision = check_hypotheses([hypothesis("first", True, True), hypothesis("second", True, False)], PLACES)
    assert decision.reason == "second: reason 1"
    assert rows[1] == {"name": "second", "holds": False, "reason": "reason 1."}


def test_a_hypothesis_about_a_moment_that_does_not_exist_fails() -> None:
    theorem = load(select(("TL-SING",))[0].entry)
    for text in ("1/x", "exp(x**2)"):
        rows, decision = check_hypotheses(theorem.hypotheses, settings(theorem, ({},), Choices(activation=text)))
        assert decision.holds is False
        assert [row["holds"] for row in rows] == [False, False]


def test_a_hypothesis_that_cannot_be_certified_is_undecided() -> None:
    def check(place: Setting) -> Decision:
        raise CannotDecide("the integral is not enclosed")

    _, decision = check_hypotheses((Hypothesis(name="H", text="", check=check),), (Setting({}),))
    assert decision == Decision(None, "H: the integral is not enclosed")


def test_the_hypotheses_of_theorem_1_can_fail() -> None:
    stated = load(select(["rf-quadratic"])[0].entry)
    for text, holds in (("relu", False), ("tanh", True), ("1/x", False)):
        places = settings(stated, ({},), Choices(activation=text))
        assert check_hypotheses(stated.hypotheses, places)[1].holds is holds


@given(st.integers(1, 10**6), st.sampled_from([("s", 1), ("m", 60), ("h", 3600), ("", 1)]))
def test_times_have_units(number: int, unit: tuple[str, int]) -> None:
    assert read_seconds(f"{number}{unit[0]}") == number * unit[1]


def test_times_may_be_fractional_or_absent() -> None:
    assert read_seconds("1.5h") == 5400
    assert read_seconds(None) is None


@given(st.one_of(st.sampled_from(["", "s", "0", "-1m", "nan", "inf", "1e999", "3 weeks", "5ms"]), st.text()))
def test_whatever_is_read_as_a_time_is_one(text: str) -> None:
    with suppress(BadInput):
        value = read_seconds(text)
        assert value is not None
        assert 0 < value < float("inf")


@pytest.mark.parametrize("text", ["", "s", "0", "-1m", "nan", "inf", "1e999", "3 weeks", "5ms", "h"])
def test_times_that_are_none(text: str) -> None:
    with pytest.raises(BadInput):
        read_seconds(text)
