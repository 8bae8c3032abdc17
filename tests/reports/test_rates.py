"""A rate claim runs through the same machinery as a limit: decided, with its mutants rejected."""

from __future__ import annotations

import numpy as np
from flint import arb

from reports.confrontation import confront
from reports.decide import decide
from reports.engines import open_engine
from reports.records import Record
from reports.settings import Choices
from reports.store import Store
from theorems.claim import Mutant, Observation, Rate, Reading, Setting, Theorem, Verdict


def _one_direction_left(setting: Setting) -> Observation:
    """N = d - 1: a projector of rank one is left, and by the exact formula of nt-quadratic E R is of order 1/d."""
    assert setting.dimension is not None
    d = setting.dimension
    target = np.where(np.arange(d) % 2, -2.0, 1.0)
    return Observation(
        simulator="simulate.neural_tangent:projector_risk",
        dimension=d,
        arguments={"neurons": d - 1, "target": target},
        cost=float(d),
    )


def _theorem(predicted: str) -> Theorem:
    claim = Rate(
        id="BL-FL",
        observe=_one_direction_left,
        functional="mean",
        points=({},),
        ladder=(16, 64, 256, 1024, 4096, 16384),
        resolution=0.25,
        resolution_reason="the mutants are off by a half and more",
        readings=(Reading(document="B", place="here", printed=predicted, states=lambda setting: arb(predicted)),),
        mutants=(
            Mutant(name="square", states=lambda setting: arb(2)),
            Mutant(name="root", states=lambda setting: arb("0.5")),
        ),
    )
    return Theorem(slug="rate", title="a rate", source="B", latex="m^{-1}", claims=(claim,))


def _decide(predicted: str) -> Record:
    theorem = _theorem(predicted)
    with Store() as store, open_engine() as engine:
        ((record,),) = confront([decide(theorem, "here", theorem.claims[0], Choices())], store, engine)
    return record


def test_the_right_exponent_passes_and_its_mutants_are_rejected() -> None:
    record = _decide("1")
    assert record.verdict == Verdict.PASS, record.sentence
    assert [mutant.verdict for mutant in record.mutants] == ["REFUTED", "REFUTED"]
    assert record.kind == "Rate"
    low, high = record.points[0]["estimate"].values()
    assert low < 1 < high
    assert len(record.points[0]["ladder"]) == 6


def test_a_wrong_exponent_is_refuted() -> None:
    record = _decide("1.5")
    assert record.verdict == Verdict.REFUTED, record.sentence
