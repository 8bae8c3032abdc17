"""`pytest theorems/`: the claims as tests, run by a real pytest in a process of its own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from reports.catalogue import catalogue, load

ROOT = Path(__file__).parents[1]
SPAN = "theorems/lazy_training/nt_span.py"
BOUNDS = "theorems/lazy_training/nt_bounds.py"
SPAN_IDS = {
    f"{SPAN}::LT-R9[P]",
    f"{SPAN}::LT-R9.rejects[all-of-them-identifiable]",
    f"{SPAN}::LT-S4[P]",
    f"{SPAN}::LT-S4[O]",
    f"{SPAN}::LT-S4.rejects[the-principal-subspace]",
    f"{SPAN}::LT-S4.rejects[share-squared]",
}


def run(*arguments: str, home: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """pytest in a process of its own, in a folder that holds the packages."""
    # What this session's pytest was told is not for the one inside.
    outer = ("PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT", "PYTEST_CURRENT_TEST")
    environment = {name: value for name, value in os.environ.items() if name not in outer}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:benchmark", *arguments],
        cwd=home,
        env=environment | {"PYTHONPATH": str(home), "COLUMNS": "300", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def outcomes(done: subprocess.CompletedProcess[str]) -> dict[str, str]:
    """Node id -> word, from the verbose report, with or without workers."""
    plain = re.findall(r"^(theorems/\S+::\S+) (PASSED|FAILED|SKIPPED|ERROR)", done.stdout, re.MULTILINE)
    spread = re.findall(r"^\[gw\d+\] \[ *\d+%\] (PASSED|FAILED|SKIPPED|ERROR) (\S+)", done.stdout, re.MULTILINE)
    return dict(plain) | {node: word for word, node in spread}


@pytest.fixture(scope="module")
def collected() -> list[str]:
    done = run("--collect-only", "-q", "theorems")
    assert done.returncode == 0, done.stdout + done.stderr
    return [line for line in done.stdout.splitlines() if "::" in line]


def test_every_reading_and_every_mutant_is_a_test(collected: list[str]) -> None:
    expected = [
        name
        for entry in catalogue()
        for claim in load(entry).claims
        for label in (claim.id if claim.part == "main" else f"{claim.id}.{claim.part}",)
        for name in (
            *(f"{label}[{reading.document}]" for reading in claim.readings),
            *(f"{label}.rejects[{mutant.name}]" for mutant in claim.mutants),
        )
    ]
    assert sorted(node.split("::", 1)[1] for node in collected) == sorted(expected)


def test_node_ids_are_readable_and_unique(collected: list[str]) -> None:
    assert SPAN_IDS <= set(collected)
    assert len(set(collected)) == len(collected)
    paths = {node.split("::", 1)[0] for node in collected}
    assert paths == {str(entry.path.relative_to(ROOT)) for entry in catalogue()}


def test_two_workers_run_what_one_would() -> None:
    """A file, and a sampled claim with its mutant, which may fall to different workers."""
    sampled = {f"{BOUNDS}::LT-R8.measured[P]", f"{BOUNDS}::LT-R8.measured.rejects[one-percent-is-left]"}
    done = run("-v", "-n", "2", SPAN, *sampled)
    assert done.returncode == 0, done.stdout
    assert outcomes(done) == dict.fromkeys(SPAN_IDS | sampled, "PASSED")


def test_one_node_id_runs_one_test() -> None:
    done = run("-v", f"{BOUNDS}::LT-R5[P]")
    assert done.returncode == 0, done.stdout
    assert outcomes(done) == {f"{BOUNDS}::LT-R5[P]": "PASSED"}


def test_a_ledger_id_selects_its_tests() -> None:
    done = run("-v", "-k", "LT-R5", "theorems")
    assert done.returncode == 0, done.stdout
    assert outcomes(done) == {
        f"{BOUNDS}::LT-R5[P]": "PASSED",
        f"{BOUNDS}::LT-R5.rejects[not-even-through-t]": "PASSED",
    }


def test_a_theorem_that_takes_no_activation_is_skipped_with_the_reason() -> None:
    done = run("-v", "-rs", "--activation", "tanh", SPAN)
    assert done.returncode == 0, done.stdout
    assert outcomes(done) == dict.fromkeys(SPAN_IDS, "SKIPPED")
    assert "This theorem speaks of no activation." in done.stdout


@pytest.mark.parametrize(
    ("option", "value", "named"),
    [
        ("--activation", "foo(x)", "foo"),
        ("--activation", "__import__('os')", "__import__"),
        ("--budget", "soon", "soon"),
        ("--profile", "slow", "slow"),
    ],
)
def test_bad_options_are_refused_before_collection(option: str, value: str, named: str) -> None:
    done = run(option, value, SPAN)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "Traceback" not in done.stdout + done.stderr
    assert named in done.stderr


# A house with another theorem: the collector's judgement, seen from outside.

ANOTHER = '''"""A theorem for tests: (x + 1)^2 = x^2 + 2 x + 1, and every way to state it wrongly.

Each claim is an identity in one variable,
of which SymPy knows the truth.
"""

import sympy as sp

from theorems.claim import Decision, Equation, Erratum, Fact, Hypothesis, Identity, Mutant, Reading, Theorem

x = sp.Symbol("x", real=True)


def _equals(right):
    return lambda setting: (Equation("the square", (x + 1) ** 2, right, {x: (0, 1)}),)


RIGHT, WRONG = _equals(x**2 + 2 * x + 1), _equals(x**2 + 1)


def _unknown(setting):
    return (Fact("open", Decision(None, "a longer search would decide it"), certain=True),)


def _reading(states, erratum=None):
    fix = None if erratum is None else Erratum(corrected="the correction", states=erratum)
    return Reading(document="P", place="(1)", printed="as printed", states=states, erratum=fix)


NEVER = Hypothesis(name="H", text="", check=lambda setting: Decision(False, "it never holds"))

THEOREM = Theorem(
    slug="another",
    title="Another theorem",
    source="P",
    latex="x",
    claims=(
        Identity(
            id="LT-D1",
            part="right",
            readings=(_reading(RIGHT),),
            mutants=(Mutant(name="rejected", states=WRONG), Mutant(name="survives", states=RIGHT)),
        ),
        Identity(id="LT-D1", part="wrong", readings=(_reading(WRONG),)),
        Identity(id="LT-D1", part="open", readings=(_reading(_unknown),)),
        Identity(
            id="LT-D1",
            part="elsewhere",
            readings=(_reading(RIGHT),),
            mutants=(Mutant(name="untried", states=WRONG),),
            hypotheses=(NEVER,),
        ),
        Identity(id="LT-D1", part="erratum", readings=(_reading(WRONG, RIGHT),)),
        Identity(id="LT-D1", part="print-holds", readings=(_reading(RIGHT, RIGHT),)),
        Identity(id="LT-D1", part="correction-fails", readings=(_reading(WRONG, WRONG),)),
        Identity(id="LT-D1", part="correction-open", readings=(_reading(WRONG, _unknown),)),
    ),
)
'''


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the packages with one theorem more; nothing else is told about it."""
    home = tmp_path_factory.mktemp("house")
    for package in ("theorems", "reports", "simulate", "proofs_checks"):
        shutil.copytree(ROOT / package, home / package, ignore=shutil.ignore_patterns("__pycache__", "out"))
    shutil.copy(ROOT / "conftest.py", home)
    (home / "pytest.ini").write_text("[pytest]\naddopts = --import-mode=importlib\n")
    (home / "theorems" / "another").mkdir()
    (home / "theorems" / "another" / "__init__.py").write_text("")
    (home / "theorems" / "another" / "square.py").write_text(ANOTHER)
    return home


@pytest.fixture(scope="module")
def judged(house: Path) -> subprocess.CompletedProcess[str]:
    done = run("-v", "-rs", "theorems/another", home=house)
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout + done.stderr
    return done


@pytest.mark.parametrize(
    ("part", "word"),
    [
        ("right[P]", "PASSED"),
        ("right.rejects[rejected]", "PASSED"),
        ("right.rejects[survives]", "FAILED"),
        ("wrong[P]", "FAILED"),
        ("open[P]", "FAILED"),
        ("elsewhere[P]", "SKIPPED"),
        ("elsewhere.rejects[untried]", "SKIPPED"),
        ("erratum[P]", "PASSED"),
        ("print-holds[P]", "FAILED"),
        ("correction-fails[P]", "FAILED"),
        ("correction-open[P]", "FAILED"),
    ],
)
def test_each_verdict_is_judged(judged: subprocess.CompletedProcess[str], part: str, word: str) -> None:
    assert outcomes(judged)[f"theorems/another/square.py::LT-D1.{part}"] == word


def test_failures_say_why_without_a_traceback(judged: subprocess.CompletedProcess[str]) -> None:
    assert "Traceback" not in judged.stdout
    for sentence in (
        "the mutant survived: ",
        "INCONCLUSIVE: ",
        "longer search would decide it",
        "Correction (the correction): REFUTED.",
        "A hypothesis fails: H: it never holds.",
    ):
        assert sentence in judged.stdout


def asymptest(house: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "reports.cli", *arguments],
        cwd=house,
        env=os.environ | {"PYTHONPATH": str(house)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_a_new_module_is_listed_and_checked_by_its_file_alone(house: Path) -> None:
    listed = asymptest(house, "list")
    assert "another" in listed.stdout.split()
    done = asymptest(house, "check", "another")
    # A refutation without an erratum and errata that do not hold are not as they should be.
    assert done.returncode == 1
    for word in ("PROVED", "REFUTED", "INCONCLUSIVE", "NOT_APPLICABLE"):
        assert word in done.stdout
