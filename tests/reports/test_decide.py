"""From a claim to its records, with laws of known limit in place of a simulator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp
from flint import arb

from proofs_checks.ball_function import CannotDecide
from reports.catalogue import Selection, catalogue
from reports.cells import BLOCK, Cell, CellResult, SimulatorFailed, key
from reports.decide import decide
from reports.limits import ladder_of
from reports.prediction import number_stated
from reports.records import Record, is_as_it_should_be
from reports.settings import PROFILES, Choices
from theorems.claim import (
    BadInput,
    Claim,
    Decision,
    Equation,
    Erratum,
    Fact,
    Hypothesis,
    Identity,
    Limit,
    Mutant,
    Observation,
    Prediction,
    Reading,
    Setting,
    Theorem,
    Verdict,
)

x = sp.Symbol("x", real=True)


def theorem(**fields: Any) -> Theorem:
    return Theorem(slug="toy", title="", source="", latex="", claims=(), **fields)


def reading(states: Prediction, document: Any = "P", **fields: Any) -> Reading:
    return Reading(document=document, place="(1)", printed="as printed", states=states, **fields)


def correction(states: Prediction) -> Erratum:
    return Erratum(corrected="as it should be", states=states)


def gaussian(cell: Cell) -> np.ndarray:
    """Means 2 rho + 1/d: a bias of first order around the limit 2 rho."""
    generator = np.random.default_rng([cell.seed, cell.observation.dimension, cell.block])
    centre = cell.observation.arguments["centre"] + 1 / cell.observation.dimension
    return generator.normal(centre, 0.05 * centre, BLOCK)


def drive(process: Any, law: Callable[[Cell], np.ndarray] = gaussian) -> list[Record]:
    """What `confront` does, with numbers from `law`."""
    try:
        request = next(process)
        while True:
            request = process.send({key(cell): CellResult(law(cell), 0.001) for cell in request})
    except StopIteration as stop:
        return stop.value


def records(stated: Theorem, claim: Claim, choices: Choices | None = None) -> list[Record]:
    return drive(decide(stated, "theorems.toy", claim, choices or Choices()))


def observe(setting: Setting) -> Observation:
    # The name of a real simulator, because a cell's key holds its source; it is never called.
    arguments = {"centre": 2 * float(setting["rho"])}
    return Observation("simulate.neural_tangent:projector_risk", setting.dimension or 0, arguments, cost=1e3)


def times(factor: str) -> Prediction:
    def states(setting: Setting) -> arb:
        return arb(factor) * 2 * int(setting["rho"].numerator) / int(setting["rho"].denominator)

    return states


RIGHT, WRONG, WORSE = times("1"), times("1.05"), times("1.2")
TOY = theorem(parameters={"rho": "1/2"}, symbols=("rho",), evaluate=lambda place: {"rho": RIGHT(place) / 2})


def limit(*readings: Reading, **fields: Any) -> Limit:
    defaults: dict[str, Any] = {
        "points": ({"rho": "1/2"}, {"rho": "1"}),
        "resolution": 0.02,
        "resolution_reason": "the mutants are 5% off",
        "functional": "mean",
        "bias_class": "analytic",
    }
    return Limit(id="LT-T1", readings=readings, observe=observe, **{**defaults, **fields})


# limits


def test_a_right_formula_passes_and_its_mutants_are_told_apart() -> None:
    mutants = (
        Mutant(name="5-percent", states=WRONG),
        Mutant(name="a-thousandth", states=times("1.001")),
    )
    (record,) = records(TOY, limit(reading(RIGHT), mutants=mutants))
    assert record.verdict == Verdict.PASS
    assert record.sentence.startswith("At all 2 points.")
    assert record.kind == "Limit"
    assert len(record.points) == 2
    seen = {mutant.name: mutant for mutant in record.mutants}
    assert seen["5-percent"].verdict == "REFUTED"
    assert seen["5-percent"].offset == pytest.approx(1 / 1.05 - 1, rel=1e-12)
    assert seen["5-percent"].d is not None
    assert seen["a-thousandth"].verdict == "INDISTINGUISHABLE"
    assert seen["a-thousandth"].d is None


def test_a_mutant_without_a_number_somewhere_is_tried_elsewhere() -> None:
    def only_at(*places: Any) -> Prediction:
        def states(place: Setting) -> Any:
            if place["rho"] not in places:
                raise CannotDecide("no number here")
            return WRONG(place)

        return states

    mutants = (Mutant(name="somewhere", states=only_at(1)), Mutant(name="nowhere", states=only_at()))
    (record,) = records(TOY, limit(reading(RIGHT), mutants=mutants))
    assert record.verdict == Verdict.PASS
    assert [mutant.verdict for mutant in record.mutants] == ["REFUTED", "UNDECIDED"]
    assert record.mutants[1].offset is None
    assert "no number here" in record.mutants[1].sentence


def test_a_wrong_formula_is_a_new_refutation() -> None:
    (record,) = records(TOY, limit(reading(WRONG)))
    assert record.verdict == Verdict.REFUTED
    assert "rho=" in record.sentence
    assert not is_as_it_should_be(record)


def test_one_point_is_enough_to_refute() -> None:
    def wrong_at_one(setting: Setting) -> arb:
        return (WRONG if setting["rho"] == 1 else RIGHT)(setting)

    (record,) = records(TOY, limit(reading(wrong_at_one)))
    assert record.verdict == Verdict.REFUTED
    assert record.sentence.startswith("At rho=1:")


def test_every_document_gets_its_own_verdict() -> None:
    first, second = records(TOY, limit(reading(RIGHT, "P"), reading(WRONG, "O")))
    assert (first.document, first.verdict) == ("P", Verdict.PASS)
    assert (second.document, second.verdict) == ("O", Verdict.REFUTED)


@pytest.mark.parametrize(
    ("printed", "corrected", "verdicts", "as_it_should"),
    [
        (WRONG, RIGHT, (Verdict.REFUTED, Verdict.PASS), True),
        (RIGHT, RIGHT, (Verdict.PASS, Verdict.PASS), False),
        (WRONG, WORSE, (Verdict.REFUTED, Verdict.REFUTED), False),
        (RIGHT, WRONG, (Verdict.PASS, Verdict.REFUTED), False),
    ],
    ids=["a true erratum", "the print is right", "the correction is wrong", "both the wrong way round"],
)
def test_an_erratum_is_strict_both_ways(
    printed: Prediction, corrected: Prediction, verdicts: tuple[Verdict, Verdict], as_it_should: bool
) -> None:
    (record,) = records(TOY, limit(reading(printed, erratum=correction(corrected))))
    assert record.erratum is not None
    assert (record.verdict, record.erratum.corrected_verdict) == verdicts
    assert record.erratum.corrected == "as it should be"
    assert "Correction:" in record.erratum.evidence
    assert is_as_it_should_be(record) is as_it_should


def test_mutants_of_a_misprint_are_those_of_the_correction() -> None:
    claim = limit(reading(WRONG, erratum=correction(RIGHT)), mutants=(Mutant(name="the-print", states=WRONG),))
    (record,) = records(TOY, claim)
    (mutant,) = record.mutants
    assert mutant.verdict == "REFUTED"
    assert mutant.offset == pytest.approx(1 / 1.05 - 1, rel=1e-12)


def test_what_the_budget_does_not_decide_is_inconclusive() -> None:
    (record,) = records(TOY, limit(reading(RIGHT), resolution=0.001), Choices(budget=1e-6))
    assert record.verdict == Verdict.INCONCLUSIVE
    assert "--budget" in record.sentence
    assert all(point["ladder"] for point in record.points)
    assert is_as_it_should_be(record)


def test_what_cannot_even_be_started_is_inconclusive() -> None:
    poor = replace(PROFILES["quick"], cost_cap=0.0)
    process = decide(TOY, "theorems.toy", limit(reading(RIGHT)), Choices(profile=poor))
    with pytest.raises(StopIteration) as stop:
        next(process)
    (record,) = stop.value.value
    assert record.verdict == Verdict.INCONCLUSIVE
    assert "--profile full" in record.sentence


def test_a_larger_profile_is_advised_only_where_it_would_do() -> None:
    def dear(setting: Setting) -> Observation:
        return replace(observe(setting), cost=1e18)

    process = decide(TOY, "theorems.toy", replace(limit(reading(RIGHT)), observe=dear), Choices())
    with pytest.raises(StopIteration) as stop:
        next(process)
    (record,) = stop.value.value
    assert record.verdict == Verdict.INCONCLUSIVE
    assert "smaller ratios" in record.sentence
    assert "--profile" not in record.sentence


def zero_below(dimension: int) -> Prediction:
    """As (1 - N/d)^2 at rho = 0.999, which is zero as long as N is rounded to d."""

    def states(setting: Setting) -> arb:
        return arb(0) if setting.dimension is not None and setting.dimension < dimension else RIGHT(setting)

    return states


@pytest.mark.parametrize("dimension", [64, 10**6])
def test_a_formula_that_vanishes_by_rounding_is_not_decided(dimension: int) -> None:
    process = decide(TOY, "theorems.toy", limit(reading(zero_below(dimension))), Choices())
    with pytest.raises(StopIteration) as stop:
        next(process)
    (record,) = stop.value.value
    assert record.verdict == Verdict.INCONCLUSIVE
    assert "the formula is zero at d = 32" in record.sentence
    assert "rho=1/2" in record.sentence


def test_a_mutant_that_vanishes_by_rounding_is_undecided() -> None:
    (record,) = records(TOY, limit(reading(WRONG), mutants=(Mutant(name="rounded", states=zero_below(64)),)))
    assert [mutant.verdict for mutant in record.mutants] == ["UNDECIDED"]


def test_a_failing_hypothesis_costs_no_sample() -> None:
    never = Hypothesis(name="H", text="", check=lambda place: Decision(False, "it is so"))
    process = decide(TOY, "theorems.toy", limit(reading(RIGHT), hypotheses=(never,)), Choices())
    with pytest.raises(StopIteration) as stop:
        next(process)
    (record,) = stop.value.value
    assert record.verdict == Verdict.NOT_APPLICABLE
    assert record.sentence == "A hypothesis fails: H: it is so."
    assert record.hypotheses == ({"name": "H", "holds": False, "reason": "it is so"},)


def test_an_undecided_hypothesis_is_inconclusive() -> None:
    unknown = Hypothesis(name="H", text="", check=lambda place: Decision(None, "who knows"))
    (record,) = records(replace(TOY, hypotheses=(unknown,)), limit(reading(RIGHT)))
    assert record.verdict == Verdict.INCONCLUSIVE
    assert "who knows" in record.sentence


def test_a_simulator_that_fails_is_a_failure_of_ours() -> None:
    process = decide(TOY, "theorems.toy", limit(reading(RIGHT), reading(WRONG, "O")), Choices())
    next(process)
    with pytest.raises(StopIteration) as stop:
        process.throw(SimulatorFailed("it returned NaN"))
    assert [record.verdict for record in stop.value.value] == [Verdict.FAIL, Verdict.FAIL]
    assert all("NaN" in record.sentence for record in stop.value.value)
    assert not any(is_as_it_should_be(record) for record in stop.value.value)


def test_readings_of_one_object_share_their_samples() -> None:
    asked: list[str] = []

    def counted(cell: Cell) -> np.ndarray:
        asked.append(key(cell))
        return gaussian(cell)

    claim = limit(reading(RIGHT), reading(RIGHT, "O"), mutants=(Mutant(name="m", states=WRONG),))
    drive(decide(TOY, "theorems.toy", claim, Choices()), counted)
    assert len(asked) == len(set(asked))


def test_a_typed_formula_replaces_the_readings() -> None:
    claim = limit(reading(WRONG), reading(WRONG, "O"), mutants=(Mutant(name="m", states=WORSE),))
    (record,) = records(TOY, claim, Choices(against="rho + rho"))
    assert record.verdict == Verdict.PASS
    assert record.printed == "rho + rho"
    assert record.mutants == ()
    (record,) = records(TOY, claim, Choices(against="rho*21/10"))
    assert record.verdict == Verdict.REFUTED


def test_a_typed_formula_has_one_record_where_it_is_not_tried() -> None:
    never = Hypothesis(name="H", text="", check=lambda place: Decision(False, "it is so"))
    claim = limit(reading(RIGHT), reading(RIGHT, "O"), hypotheses=(never,))
    (record,) = records(TOY, claim, Choices(against="3*rho"))
    assert record.verdict == Verdict.NOT_APPLICABLE
    assert record.printed == "3*rho"
    assert "typed by the user" in record.place


def test_a_typed_formula_is_read_before_anything_else() -> None:
    never = Hypothesis(name="H", text="", check=lambda place: Decision(False, "no"))
    with pytest.raises(BadInput):
        records(TOY, limit(reading(RIGHT), hypotheses=(never,)), Choices(against="rho +"))


def test_parameters_and_resolution_of_the_user() -> None:
    choices = Choices(overrides={"rho": "3"}, resolution=0.1, mutants=False)
    (record,) = records(TOY, limit(reading(RIGHT), mutants=(Mutant(name="m", states=WORSE),)), choices)
    assert [point["parameters"] for point in record.points] == [{"rho": "3"}]
    assert record.resolution == 0.1
    assert record.mutants == ()
    assert record.verdict == Verdict.PASS


@pytest.mark.parametrize(
    ("ratios", "ladder"),
    [
        (("4/5", "1"), (25, 50, 100)),
        (("1/2", "1"), (26, 52, 104)),
        (("1/3", "3/4"), (36, 72, 144)),
        (("123/1000", "1"), (25, 50, 100)),
    ],
    ids=["whole already", "halves", "thirds and quarters", "too fine to be whole"],
)
def test_a_ladder_starts_where_what_is_rounded_is_whole(ratios: tuple[str, ...], ladder: tuple[int, ...]) -> None:
    places = [Setting({"rho": Fraction(ratio)}) for ratio in ratios]
    claim = limit(reading(RIGHT), ladder=(25, 50, 100), whole=("rho",))
    chosen = Choices(profile=replace(PROFILES["quick"], largest_dimension=100))
    assert ladder_of(claim, chosen, places) == ladder
    assert ladder_of(replace(claim, whole=()), chosen, places) == (25, 50, 100)


def test_the_estimate_is_in_the_units_of_the_observation() -> None:
    (record,) = records(TOY, limit(reading(RIGHT), points=({"rho": "5"},)))
    (point,) = record.points
    assert point["prediction"] == {"value": "10.000000000000000000000000000000", "radius": "0"}
    assert point["estimate"]["limit_low"] < 10 < point["estimate"]["limit_high"]
    for level in point["ladder"]:
        assert level["low"] < 10 + 1 / level["d"] < level["high"]


# the number to predict


def chosen(*ids: str, parts: tuple[tuple[str, str], ...] = ()) -> Selection:
    """These ids and parts of a theorem; which one does not matter here."""
    return Selection(catalogue()[0], ids, parts)


def test_the_number_of_a_misprint_is_that_of_its_correction() -> None:
    stated = replace(TOY, claims=(limit(reading(WRONG, erratum=correction(RIGHT))),))
    assert number_stated(stated, chosen("LT-T1")).states is RIGHT


def test_the_number_is_that_of_the_id_asked_for() -> None:
    stated = replace(TOY, claims=(limit(reading(RIGHT)), replace(limit(reading(WRONG)), id="LT-T2")))
    assert number_stated(stated, chosen("LT-T2")).states is WRONG
    assert number_stated(stated, chosen("LT-T1", "LT-T2")).states is RIGHT
    assert number_stated(replace(stated, value=WORSE), chosen("LT-T2")).states is WORSE
    assert number_stated(theorem(), chosen()).states is None


def test_a_part_that_is_a_limit_gives_its_own_number_with_its_name() -> None:
    stated = replace(
        TOY,
        value=WORSE,
        value_name="another",
        claims=(limit(reading(RIGHT)), replace(limit(reading(WRONG, erratum=correction(RIGHT))), part="other")),
    )
    number = number_stated(stated, chosen(parts=(("LT-T1", "other"),)))
    assert number.states is RIGHT
    assert number.name == f"the limit in: {correction(RIGHT).corrected}"
    assert number_stated(stated, chosen("LT-T1")).name == "another"


def test_the_number_rests_on_the_hypotheses_of_its_claim() -> None:
    own = (Hypothesis(name="H", text="", check=lambda place: Decision(False, "no")),)
    for value in (None, RIGHT):
        stated = replace(TOY, value=value, claims=(limit(reading(RIGHT), hypotheses=own),))
        assert number_stated(stated, chosen("LT-T1")).hypotheses == own
    free = replace(TOY, value=RIGHT, hypotheses=own, claims=(limit(reading(RIGHT), hypotheses=()),))
    assert number_stated(free, chosen("LT-T1")).hypotheses == own


# identities


def equation(right: Any) -> Prediction:
    return lambda place: (Equation("e", (x + 1) ** 2, right, {x: (0, 1)}),)


SQUARE, NO_SQUARE = equation(x**2 + 2 * x + 1), equation(x**2 + 1)


def identity(*readings: Reading, **fields: Any) -> Identity:
    return Identity(id="LT-A1", readings=readings, **fields)


def test_an_identity_is_proved_and_its_mutant_rejected() -> None:
    mutants = (Mutant(name="cross-term", states=NO_SQUARE), Mutant(name="itself", states=SQUARE))
    (record,) = records(theorem(), identity(reading(SQUARE), mutants=mutants))
    assert record.verdict == Verdict.PROVED
    assert [mutant.verdict for mutant in record.mutants] == ["REFUTED", "SURVIVED"]
    assert record.points == ()
    assert record.evidence is not None


@pytest.mark.parametrize(
    ("printed", "corrected", "as_it_should"),
    [(NO_SQUARE, SQUARE, True), (SQUARE, SQUARE, False), (NO_SQUARE, NO_SQUARE, False), (SQUARE, NO_SQUARE, False)],
)
def test_errata_of_identities_are_strict_both_ways(
    printed: Prediction, corrected: Prediction, as_it_should: bool
) -> None:
    (record,) = records(theorem(), identity(reading(printed, erratum=correction(corrected))))
    assert record.erratum is not None
    assert is_as_it_should_be(record) is as_it_should


def test_a_fact_that_cannot_be_decided_leaves_the_claim_open() -> None:
    fact = Fact("f", Decision(None, "out of reach"), certain=True)
    (record,) = records(theorem(), identity(reading(lambda place: (*SQUARE(place), fact))))
    assert record.verdict == Verdict.INCONCLUSIVE
    assert "out of reach" in record.sentence.lower()


def test_an_activation_where_there_is_none_is_not_applicable() -> None:
    (record,) = records(theorem(), identity(reading(SQUARE)), Choices(activation="tanh"))
    assert record.verdict == Verdict.NOT_APPLICABLE
    with pytest.raises(BadInput):
        records(theorem(), identity(reading(SQUARE)), Choices(activation="tanh("))


# what is as it should be


@pytest.mark.parametrize("verdict", list(Verdict))
def test_without_an_erratum_only_failures_and_refutations_are_wrong(verdict: Verdict) -> None:
    (proved,) = records(theorem(), identity(reading(SQUARE)))
    record = replace(proved, verdict=verdict)
    assert is_as_it_should_be(record) is (verdict not in (Verdict.FAIL, Verdict.REFUTED))


def test_elsewhere_a_misprint_may_agree_with_the_truth() -> None:
    """With a user's own parameters the print need not be refuted, but a refuted one needs its correction."""
    (agrees,) = records(theorem(), identity(reading(SQUARE, erratum=correction(SQUARE))))
    assert is_as_it_should_be(agrees, strict_errata=False)
    (lost,) = records(theorem(), identity(reading(NO_SQUARE, erratum=correction(NO_SQUARE))))
    assert not is_as_it_should_be(lost, strict_errata=False)
