"""The figures of double descent: files, rows, and lines that agree with what is certified."""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from proofs_checks.double_descent_widths import WidthCurve
from reports.cells import BLOCK
from reports.cli import main
from reports.figure_thermo import NOISES, RIDGES, DescentRow, PhaseRow, has_peak

COLUMNS = {"thermo-descent": DescentRow, "thermo-phase": PhaseRow}


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("figures")
    for name in COLUMNS:
        result = CliRunner().invoke(main, ["figure", name, "--quick", "--out", str(out)])
        assert result.exit_code == 0, result.output
    return out


def _rows(out: Path, name: str) -> list[dict[str, str]]:
    with (out / f"{name}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("name", COLUMNS)
def test_files_are_written(drawn: Path, name: str) -> None:
    assert (drawn / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    assert ElementTree.parse(drawn / f"{name}.svg").getroot().tag.endswith("svg")
    assert tuple(_rows(drawn, name)[0]) == tuple(COLUMNS[name].__dataclass_fields__)


def test_every_penalty_and_noise_has_a_line_and_dots(drawn: Path) -> None:
    rows = _rows(drawn, "thermo-descent")
    lines = {(row["panel"], float(row["ridge"])) for row in rows if row["kind"] == "theory"}
    dots = {(row["panel"], float(row["ridge"])) for row in rows if row["kind"] == "measured"}
    assert lines == {(panel, ridge) for panel in NOISES for ridge in RIDGES}
    assert dots == {(panel, ridge) for panel in NOISES for ridge in RIDGES[1:]}
    for row in rows:
        assert float(row["least"]) <= float(row["risk"]) <= float(row["largest"])
        assert int(row["draws"]) == (BLOCK if row["kind"] == "measured" else 0)


def test_what_is_proved_lies_below_what_is_exact(drawn: Path) -> None:
    panels: dict[float, dict[str, float]] = {}
    for row in _rows(drawn, "thermo-phase"):
        if row["panel"] == "fixed penalty":
            panels.setdefault(float(row["x"]), {})[row["curve"]] = float(row["y"])
    assert panels
    for curves in panels.values():
        zero, least, falling, proved, matching = curves.values()
        assert matching < proved < min(least, falling)
        assert least <= zero


@pytest.mark.parametrize(("penalty", "noise"), [("1/21", "1/5"), ("1/20", "1/5"), ("1/1000", "0"), ("1", "0")])
def test_the_grid_finds_the_certified_peaks(penalty: str, noise: str) -> None:
    turns = WidthCurve(Fraction(2), Fraction(3), Fraction(penalty)).extrema(Fraction(noise))
    assert has_peak(2.0, 3.0, float(Fraction(penalty)), float(Fraction(noise))) is any(
        t.kind == "maximum" for t in turns
    )
