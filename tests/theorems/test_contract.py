"""Every theorem module keeps the contract: what it declares is complete, and can be read without importing it."""

from __future__ import annotations

import inspect
import sys

import pytest

from reports.catalogue import Entry, catalogue, ledger, load
from reports.limits import offset, rules_of
from reports.settings import Choices, settings
from theorems.claim import Claim, Hypothesis, Limit, Theorem
from theorems.parameters import PARAMETERS, SYMBOLS, read_parameter

ENTRIES = catalogue()
LEDGER = {row.id: row for row in ledger()}
CLAIMS = [
    pytest.param(theorem, claim, id=f"{claim.id}.{claim.part}")
    for theorem in map(load, ENTRIES)
    for claim in theorem.claims
]
LIMITS = [case for case in CLAIMS if isinstance(case.values[1], Limit)]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.slug)
def test_the_syntax_tree_tells_the_truth(entry: Entry) -> None:
    theorem = load(entry)
    assert entry.slug == theorem.slug
    assert entry.title == theorem.title
    assert entry.source == theorem.source
    assert dict(entry.parameters) == dict(theorem.parameters)
    assert entry.symbols == theorem.symbols
    assert entry.takes_activation == theorem.takes_activation
    assert entry.activation == theorem.activation
    assert entry.uses == theorem.uses
    assert entry.ids == tuple(dict.fromkeys(claim.id for claim in theorem.claims))


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.slug)
def test_a_theorem_is_stated_and_sourced(entry: Entry) -> None:
    theorem = load(entry)
    docstring = inspect.getdoc(sys.modules[entry.module])
    assert docstring is not None
    assert len(docstring.splitlines()) >= 4, "the docstring states the theorem"
    assert theorem.source
    assert theorem.latex
    assert theorem.claims
    assert set(theorem.parameters) <= set(PARAMETERS)
    assert set(theorem.symbols) <= set(SYMBOLS)
    for name, default in theorem.parameters.items():
        read_parameter(name, default, theorem.parameters)
    assert (theorem.evaluate is None) == (not theorem.symbols)
    assert (theorem.value is None) == (theorem.value_name is None), "a number is told with its name"


def test_slugs_are_unique_and_dependencies_exist() -> None:
    slugs = [entry.slug for entry in ENTRIES]
    assert len(set(slugs)) == len(slugs)
    for entry in ENTRIES:
        assert set(entry.uses) <= set(slugs)
        assert entry.slug not in entry.uses


def test_no_two_records_share_a_key() -> None:
    keys = [
        (claim.id, reading.document, claim.part)
        for entry in ENTRIES
        for claim in load(entry).claims
        for reading in claim.readings
    ]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize(("theorem", "claim"), CLAIMS)
def test_a_claim_is_in_the_ledger_and_can_fail(theorem: Theorem, claim: Claim) -> None:
    assert claim.id in LEDGER
    assert claim.readings
    for reading in claim.readings:
        assert reading.document in LEDGER[claim.id].documents
        assert reading.printed
        assert reading.place
    assert claim.mutants, "a check that could not fail is a bug"
    names = [mutant.name for mutant in claim.mutants]
    assert len(set(names)) == len(names)
    assert all(name == "-".join(name.split()) for name in names), "names are parts of test ids"
    hypotheses = theorem.hypotheses if claim.hypotheses is None else claim.hypotheses
    for hypothesis in hypotheses:
        assert isinstance(hypothesis, Hypothesis)
        for setting in settings(theorem, getattr(claim, "points", ({},)), Choices()):
            assert hypothesis.check(setting).holds is True


@pytest.mark.parametrize(("theorem", "claim"), CLAIMS)
def test_every_document_that_prints_a_claim_has_a_reading(theorem: Theorem, claim: Claim) -> None:
    readings = {
        reading.document
        for entry in ENTRIES
        for other in load(entry).claims
        if other.id == claim.id
        for reading in other.readings
    }
    assert readings == set(LEDGER[claim.id].documents)


@pytest.mark.parametrize(("theorem", "claim"), LIMITS)
def test_a_limit_resolves_its_mutants(theorem: Theorem, claim: Limit) -> None:
    assert len(claim.points) >= 3, "a mutant can vanish at one point"
    assert len(claim.ladder) >= 6
    assert all(b == 2 * a for a, b in zip(claim.ladder, claim.ladder[1:], strict=False))
    assert claim.resolution_reason
    places = settings(theorem, claim.points, Choices())
    rules = rules_of(claim, Choices(), len(places))
    reading = claim.readings[0]
    truth = reading.erratum.states if reading.erratum else reading.states
    for mutant in claim.mutants:
        largest = max(abs(offset(truth, mutant.states, setting)) for setting in places)
        assert largest >= rules.resolution, f"{mutant.name} is off by {largest:.3%} only"
