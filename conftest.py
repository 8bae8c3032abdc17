"""`pytest theorems/`: every theorem module is collected as tests of its claims and of their mutants.

A reading passes when it is PROVED or PASS. One that carries an erratum passes when its print is REFUTED and
its correction holds. A mutant passes when it is rejected. What is not applicable is skipped with the
reason; what is inconclusive fails and says what would decide it.
"""

from __future__ import annotations

import signal
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from reports.catalogue import Entry, load, read_entry
from theorems.claim import BadInput

THEOREMS = Path(__file__).parent / "theorems"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options of the checks; they mirror those of `asymptest check`."""
    group = parser.getgroup("asymptest", "theorems as tests")
    group.addoption("--activation", metavar="EXPR", help="check every theorem that takes an activation under this one")
    group.addoption("--center", action="store_true", help="subtract lambda_0 from the activation")
    group.addoption("--profile", choices=("quick", "full"), default="quick", help="how much to spend")
    group.addoption("--seed", type=int, default=0, help="another seed, other samples")
    group.addoption("--budget", metavar="TIME", help="seconds per claim, such as 30s")
    group.addoption("--store", metavar="PATH", help="keep cells in this SQLite file between runs")


def pytest_configure(config: pytest.Config) -> None:
    """Give the session one store; xdist workers are told its place and share its cells."""
    _refuse_bad_options(config)
    # A shell starts what it puts in the background deaf to Ctrl-C, and so would be the runs that tests interrupt.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    shared = getattr(config, "workerinput", {}).get("asymptest_store")
    if shared is None and not config.getoption("--store"):
        folder = tempfile.TemporaryDirectory(prefix="asymptest-")
        config.add_cleanup(folder.cleanup)
        shared = str(Path(folder.name) / "cells.sqlite")
    config.stash[_STORE] = shared or str(config.getoption("--store"))


def _refuse_bad_options(config: pytest.Config) -> None:
    """What cannot be read is said once, before anything is collected."""
    text, time = config.getoption("--activation"), config.getoption("--budget")
    try:
        if text is not None:
            from theorems.activation import activation

            activation(text)
        if time is not None:
            from reports.settings import read_seconds

            read_seconds(time)
    except BadInput as error:
        raise pytest.UsageError(str(error)) from None


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Called by xdist for each worker."""
    node.workerinput["asymptest_store"] = node.config.stash[_STORE]


_STORE = pytest.StashKey[str]()
_DECIDED = pytest.StashKey[dict[Any, Any]]()


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A module below theorems/ that states a THEOREM."""
    if file_path.suffix != ".py" or THEOREMS not in file_path.parents:
        return None
    module = ".".join(file_path.relative_to(THEOREMS.parent).with_suffix("").parts)
    entry = read_entry(file_path, module)
    if entry is None:
        return None
    collector = TheoremFile.from_parent(parent, path=file_path)
    collector.entry = entry
    return collector


def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Between files: thousands of compiled programs in one process would end it, see reports/compilation.py."""
    if nextitem is not None and nextitem.path != item.path and "jax" in sys.modules:
        from reports.compilation import release_programs

        release_programs()


class TheoremFile(pytest.File):
    """A theorem module."""

    entry: Entry

    def collect(self) -> Iterable[pytest.Item]:
        """One item per reading and per mutant of each claim."""
        for number, claim in enumerate(load(self.entry).claims):
            label = claim.id if claim.part == "main" else f"{claim.id}.{claim.part}"
            for place, reading in enumerate(claim.readings):
                yield self._item(f"{label}[{reading.document}]", Aim(number, place))
            for mutant in claim.mutants:
                yield self._item(f"{label}.rejects[{mutant.name}]", Aim(number, 0, mutant.name))

    def _item(self, name: str, aim: Aim) -> pytest.Item:
        item = TheoremItem.from_parent(self, name=name)
        item.aim = aim
        return item


@dataclass(frozen=True)
class Aim:
    """What one test is about: a reading of a claim, or one of its mutants."""

    claim: int
    reading: int
    mutant: str | None = None


class NotDecidedAsItShould(Exception):
    """The verdict of a claim, as a test failure."""


class TheoremItem(pytest.Item):
    """A reading or a mutant."""

    aim: Aim

    def runtest(self) -> None:
        """Decide the claim (once a session) and judge this part of it."""
        record = self._records()[self.aim.reading]
        if record.verdict == "NOT_APPLICABLE":
            pytest.skip(record.sentence)
        if self.aim.mutant is None:
            self._judge_reading(record)
        else:
            self._judge_mutant(record)

    def _records(self) -> Any:
        from reports.engines import open_engine
        from reports.runner import run_claim
        from reports.settings import PROFILES, Choices, read_seconds
        from reports.store import Store

        config = self.config
        decided = config.stash.setdefault(_DECIDED, {})
        entry = self.parent.entry  # pyright: ignore[reportOptionalMemberAccess, reportAttributeAccessIssue]
        where = (entry.module, self.aim.claim)
        if where not in decided:
            choices = Choices(
                activation=config.getoption("--activation"),
                center=bool(config.getoption("--center")),
                budget=read_seconds(config.getoption("--budget")),
                profile=PROFILES[str(config.getoption("--profile"))],
                seed=int(str(config.getoption("--seed"))),
            )
            with Store(Path(config.stash[_STORE])) as store, open_engine() as executor:
                decided[where] = run_claim(entry, self.aim.claim, choices, store, executor)
        return decided[where]

    def _judge_reading(self, record: Any) -> None:
        from reports.records import is_as_it_should_be

        strict = self.config.getoption("--activation") is None and not self.config.getoption("--center")
        if record.verdict == "INCONCLUSIVE" or not is_as_it_should_be(record, strict_errata=strict):
            text = f"{record.verdict}: {record.sentence}"
            if record.erratum is not None:
                text += f" Correction ({record.erratum.corrected}): {record.erratum.corrected_verdict}."
            raise NotDecidedAsItShould(text)

    def _judge_mutant(self, record: Any) -> None:
        for mutant in record.mutants:
            if mutant.name == self.aim.mutant:
                if mutant.verdict == "INDISTINGUISHABLE":
                    pytest.skip(mutant.sentence)
                if mutant.verdict != "REFUTED":
                    raise NotDecidedAsItShould(f"the mutant survived: {mutant.sentence}")
                return
        raise NotDecidedAsItShould(f"the mutant was not tried: {record.verdict}: {record.sentence}")

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        """One sentence for a verdict; a traceback only for our own errors."""
        if isinstance(excinfo.value, NotDecidedAsItShould):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where the test stands, and its heading.

        pytest writes the dots of a heading that ends the node id as "::", which would be no node id any more.
        """
        return self.path, None, f"{self.name} of {self.path.stem}"
