"""Wherever the cells of a real selection are computed, the records are the same; another seed, other samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from reports.catalogue import select
from reports.cells import Cell, CellResult, key
from reports.engines import open_engine
from reports.records import Record
from reports.runner import run
from reports.settings import Choices
from reports.store import Store

SELECTIONS: Mapping[str, Choices] = {
    "LT-T2": Choices(overrides={"rho": "1/2", "B": "two_point"}, resolution=0.01, seed=3),
    # An activation travels to the workers as text, and each builds its own function from it.
    "LT-T1": Choices(
        overrides={"rho": "1/2", "B": "two_point", "Gamma": "two_point"},
        activation="tanh(x) + x**2 - 1",
        center=True,
        resolution=0.1,
        seed=3,
    ),
}

CLOSE = 1e-9
"""The definition of "the same" for two runs. Threads may change the order of a sum, hence the last digits of a
float64; the verdicts, which are compared exactly, must not hang on those."""


@dataclass
class Outcome:
    """What one run came to: its records, and the numbers of every cell it asked for."""

    records: list[Record] = field(default_factory=list)
    cells: dict[str, np.ndarray] = field(default_factory=dict)

    def on_cell(self, cell: Cell, result: CellResult, from_store: bool) -> None:
        assert not from_store
        self.cells[key(cell)] = result.values

    def on_records(self, records: Sequence[Record]) -> None:
        self.records += records


def outcome(name: str, executor: Executor, choices: Choices) -> Outcome:
    seen = Outcome()
    with Store() as store:
        records = run(select((name,)), choices, store, executor, seen)
    assert {id(record) for record in records} == {id(record) for record in seen.records}
    return replace(seen, records=records)


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The plain values of a record with their places, but for times."""
    if isinstance(value, Mapping):
        for name in sorted(value):
            if name != "seconds":
                yield from leaves(value[name], f"{path}.{name}")
    elif isinstance(value, list | tuple):
        for number, item in enumerate(value):
            yield from leaves(item, f"{path}[{number}]")
        yield f"{path}.length", len(value)
    else:
        yield path, value


def assert_same(one: Outcome, other: Outcome) -> None:
    """The same cells in number and value, and records that agree leaf by leaf, n of every level included."""
    assert one.cells.keys() == other.cells.keys()
    for name, values in one.cells.items():
        np.testing.assert_allclose(other.cells[name], values, rtol=CLOSE, atol=CLOSE)
    assert len(one.records) == len(other.records) > 0
    for left, right in zip(one.records, other.records, strict=True):
        mine, theirs = dict(leaves(left.json())), dict(leaves(right.json()))
        floats = [place for place, value in mine.items() if isinstance(value, float)]
        assert mine.keys() == theirs.keys()
        assert {place: mine[place] for place in mine.keys() - set(floats)} == {
            place: theirs[place] for place in theirs.keys() - set(floats)
        }
        np.testing.assert_allclose(
            [theirs[place] for place in floats], [mine[place] for place in floats], rtol=CLOSE, atol=CLOSE
        )


@pytest.fixture(scope="module")
def in_process() -> Mapping[str, Outcome]:
    with open_engine() as executor:
        return {name: outcome(name, executor, choices) for name, choices in SELECTIONS.items()}


@pytest.fixture(scope="module")
def pool() -> Iterator[Executor]:
    with open_engine(workers=2) as executor:
        yield executor


@pytest.fixture(scope="module")
def cluster() -> Iterator[Executor]:
    from distributed import LocalCluster

    local = LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
    )
    try:
        with open_engine(dask=local.scheduler_address) as executor:
            yield executor
    finally:
        local.close()


def test_the_selections_decide_and_allocate(in_process: Mapping[str, Outcome]) -> None:
    """The comparisons below mean something: there are verdicts, mutants, and levels of several sizes."""
    for name, seen in in_process.items():
        main = next(record for record in seen.records if record.part == "main")
        assert main.verdict == "PASS", (name, main.sentence)
        assert sum(mutant.verdict == "REFUTED" for mutant in main.mutants) >= 4
    points = [point for record in in_process["LT-T2"].records for point in record.points]
    sizes = {level["n"] for point in points for level in point["ladder"]}
    assert len(sizes) > 1


@pytest.mark.parametrize("name", SELECTIONS)
def test_a_pool_of_two_processes_agrees(name: str, in_process: Mapping[str, Outcome], pool: Executor) -> None:
    assert_same(in_process[name], outcome(name, pool, SELECTIONS[name]))


@pytest.mark.parametrize("name", SELECTIONS)
def test_a_dask_cluster_agrees(name: str, in_process: Mapping[str, Outcome], cluster: Executor) -> None:
    assert_same(in_process[name], outcome(name, cluster, SELECTIONS[name]))


@pytest.mark.parametrize("name", SELECTIONS)
def test_one_seed_one_outcome(name: str, in_process: Mapping[str, Outcome]) -> None:
    with open_engine() as executor:
        assert_same(in_process[name], outcome(name, executor, SELECTIONS[name]))


def test_another_seed_draws_other_samples(in_process: Mapping[str, Outcome]) -> None:
    name = "LT-T2"
    with open_engine() as executor:
        other = outcome(name, executor, replace(SELECTIONS[name], seed=4))
    before = in_process[name]
    assert other.cells.keys().isdisjoint(before.cells)
    values, others = (np.concatenate(list(seen.cells.values())) for seen in (before, other))
    assert not np.isin(others, values).any()  # two continuous draws never meet
    with pytest.raises(AssertionError):
        assert_same(before, other)
    # What is concluded does not hang on the seed.
    assert [record.verdict for record in other.records] == [record.verdict for record in before.records]
