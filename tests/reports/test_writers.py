"""Reports are written whole or not at all, in formats that others can read."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from reports.provenance import provenance
from reports.records import ErratumRecord, MutantRecord, Record
from reports.settings import Choices
from reports.writers import check_writable, junit, markdown, results, summary, write_reports, write_whole
from theorems.claim import BadInput, Verdict

PLAIN = Record(
    id="LT-T2",
    document="P",
    part="main",
    theorem="nt-quadratic",
    module="theorems.lazy_training.nt_quadratic",
    kind="Limit",
    verdict=Verdict.PASS,
    sentence="Offsets | of 1% are <excluded> & gone.\nTruly.",
    printed="(1-rho)^2",
    alpha=1e-5,
    mutants=(MutantRecord(name="a|b", offset=0.02, verdict="REFUTED", d=64, seconds=1.25),),
    seconds=2.5,
)
MISPRINT = replace(
    PLAIN,
    id="LT-E11",
    verdict=Verdict.REFUTED,
    erratum=ErratumRecord(
        printed="x", corrected="y", corrected_verdict=Verdict.PROVED, evidence="Print: no. Correction: yes."
    ),
)
RECORDS = [
    PLAIN,
    replace(PLAIN, document="O"),
    MISPRINT,
    replace(MISPRINT, document="O", verdict=Verdict.PASS),
    replace(PLAIN, id="LT-R1", verdict=Verdict.REFUTED),
    replace(PLAIN, id="LT-R2", verdict=Verdict.FAIL),
    replace(PLAIN, id="LT-R3", verdict=Verdict.NOT_APPLICABLE),
    replace(PLAIN, id="LT-R5", verdict=Verdict.PROVED),
    replace(PLAIN, id="BL-X", theorem="", module=None, verdict=Verdict.INCONCLUSIVE, mutants=()),
]


@pytest.fixture(scope="module")
def origin() -> dict[str, Any]:
    return provenance(Choices(seed=11, budget=30.0), RECORDS)


def test_provenance_says_what_the_report_rests_on(origin: dict[str, Any]) -> None:
    assert set(origin) >= {"versions", "git_revision", "cores", "device", "seed", "alpha", "budget"}
    assert origin["seed"] == 11
    assert origin["budget"] == 30.0
    assert origin["alpha"] == pytest.approx(len(RECORDS) * 1e-5)
    assert {"python", "jax", "sympy", "python-flint", "numpy"} <= set(origin["versions"])
    assert origin["cores"] >= 1


def test_json_survives_the_round_trip(tmp_path: Path, origin: dict[str, Any]) -> None:
    write_reports(tmp_path, RECORDS, origin)
    read = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"), parse_constant=pytest.fail)
    assert read == json.loads(json.dumps(results(RECORDS, origin)))
    first = read["claims"][0]
    assert first["sentence"] == PLAIN.sentence
    assert first["mutants"][0]["offset"] == 0.02
    assert first["erratum"] is None
    assert read["claims"][2]["erratum"] == {
        "printed": "x",
        "corrected": "y",
        "corrected_verdict": "PROVED",
        "evidence": "Print: no. Correction: yes.",
    }


def test_junit_tells_failures_from_skips() -> None:
    suite = ElementTree.fromstring(junit(RECORDS).encode())
    cases = {(case.get("name") or ""): case for case in suite.findall("testcase")}
    assert suite.get("tests") == str(len(RECORDS)) == str(len(cases))
    failed = {name for name, case in cases.items() if case.find("failure") is not None}
    skipped = {name for name, case in cases.items() if case.find("skipped") is not None}
    assert failed == {"LT-E11 O main", "LT-R1 P main", "LT-R2 P main"}
    assert skipped == {"LT-R3 P main", "BL-X P main"}
    assert suite.get("failures") == str(len(failed))
    assert suite.get("skipped") == str(len(skipped))
    said = cases["LT-T2 P main"].find("system-out")
    assert said is not None
    assert "<excluded> & gone" in (said.text or "")
    assert cases["LT-T2 P main"].get("time") == "2.500"


def table_after(text: str, heading: str) -> list[list[str]]:
    """The cells of the first Markdown table after a line that starts so."""
    lines = text[text.index(heading) :].splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("|"))
    rows = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.replace("\\|", "\0").strip("|").split("|")])
    return rows


def test_markdown_tables_keep_their_shape(origin: dict[str, Any]) -> None:
    text = markdown(RECORDS, origin)
    verdicts = table_after(text, "# Verification report")
    assert {len(row) for row in verdicts} == {5}
    assert len(verdicts) == 2 + sum(record.module is not None for record in RECORDS)
    assert verdicts[2][:4] == ["LT-T2", "P", "main", "PASS"]
    mutants = table_after(text, "## Mutants")
    assert {len(row) for row in mutants} == {6}
    assert ["LT-T2 main", "a\0b", "+2.00%", "REFUTED", "64", "1.2"] in mutants


def test_markdown_lists_errata_and_what_is_missing(origin: dict[str, Any]) -> None:
    text = markdown(RECORDS, origin)
    errata = text[text.index("## Errata") : text.index("## Mutants")]
    assert "- printed: x (REFUTED)" in errata
    assert "- corrected: y (PROVED)" in errata
    assert "BL-X" in text[text.index("## Not implemented") :]
    assert "seed 11" in text
    assert "## Errata" not in markdown([PLAIN], origin)
    assert "## Not implemented" not in markdown([PLAIN], origin)


def test_the_summary_counts() -> None:
    assert summary(RECORDS[:2]) == "2 of 2 proved or passed"
    line = summary(RECORDS)
    assert line.startswith("4 of 9 proved or passed; ")
    for part in ("1 misprint", "1 REFUTED", "1 FAIL", "1 INCONCLUSIVE", "1 NOT_APPLICABLE"):
        assert part in line


def full_disk(*arguments: Any, **options: Any) -> Any:
    raise OSError(28, "No space left on device")


def killed(*arguments: Any, **options: Any) -> Any:
    raise KeyboardInterrupt


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize(("trouble", "error"), [(full_disk, OSError), (killed, KeyboardInterrupt)])
def test_a_write_that_fails_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, trouble: Callable[..., Any], error: type[BaseException]
) -> None:
    path = tmp_path / "results.json"
    write_whole(path, "old")
    monkeypatch.setattr(os, step, trouble)
    with pytest.raises(error):
        write_whole(path, "new" * 100_000)
    assert path.read_text() == "old"
    assert [found.name for found in tmp_path.iterdir()] == ["results.json"]


def test_a_full_disk_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, origin: dict[str, Any]) -> None:
    write_reports(tmp_path, RECORDS, origin)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(BadInput, match="No space left on device; choose another --out"):
        write_reports(tmp_path, RECORDS[:1], origin)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_new_report_replaces_the_old_one(tmp_path: Path, origin: dict[str, Any]) -> None:
    paths = write_reports(tmp_path / "a" / "b", RECORDS, origin)
    assert [path.name for path in paths] == ["results.json", "junit.xml", "report.md"]
    write_reports(tmp_path / "a" / "b", RECORDS[:1], origin)
    assert len(json.loads(paths[0].read_text())["claims"]) == 1
    assert sorted(path.name for path in paths[0].parent.iterdir()) == ["junit.xml", "report.md", "results.json"]


def test_a_place_that_cannot_be_written_is_refused_beforehand(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    for place in (file, file / "below"):
        with pytest.raises(BadInput, match="cannot be written"):
            check_writable(place)
    check_writable(tmp_path / "new" / "folder")
    assert list((tmp_path / "new" / "folder").iterdir()) == []
