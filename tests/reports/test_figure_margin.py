"""`asymptest figure thermo-margin`: a theory line, dots for both kinds of features, and what is not separable said."""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from reports.cells import BLOCK
from reports.cli import main
from reports.figure_margin import COLOUR, FRAMES, MARGIN, QUICK, SAMPLES, Row, observation


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, str]]:
    out: Path = tmp_path_factory.mktemp("margin")
    result = CliRunner().invoke(main, ["figure", "thermo-margin", "--quick", "--out", str(out)])
    assert result.exit_code == 0, result.output
    assert (out / "thermo-margin.png").read_bytes().startswith(b"\x89PNG")
    with (out / "thermo-margin.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_every_dot_is_there_and_counts_its_separable_data_sets(table: list[dict[str, str]]) -> None:
    assert tuple(table[0]) == tuple(Row.__dataclass_fields__)
    dots = [row for row in table if row["kind"] == "measured"]
    wanted = {(f, c, str(d), float(p)) for f in FRAMES for c in COLOUR for d, widths in QUICK.items() for p in widths}
    assert {(row["frame"], row["curve"], row["dimension"], float(row["psi1"])) for row in dots} == wanted
    assert len(dots) == MARGIN.count(True)
    for row in dots:
        assert float(row["least"]) <= float(row["middle"]) <= float(row["largest"])
        assert int(row["draws"]) == BLOCK
        worst = float(row["largest"]) == 1 if row["frame"] == "error" else float(row["least"]) == 0
        assert (int(row["separable"]) < BLOCK) == worst


def test_the_bars_of_wide_networks_hold_the_theory(table: list[dict[str, str]]) -> None:
    for frame in FRAMES:
        line = [(float(r["psi1"]), float(r["middle"])) for r in table if (r["frame"], r["kind"]) == (frame, "theory")]
        places, values = np.array(sorted(line)).T
        for row in table:
            if row["frame"] == frame and row["kind"] == "measured" and float(row["psi1"]) >= 2:
                expected = np.interp(float(row["psi1"]), places, values)
                assert float(row["least"]) <= expected <= float(row["largest"])


def test_n_over_d_is_that_of_the_slide() -> None:
    seen = observation("margin", "nonlinear", 200, Fraction(2))
    assert seen.arguments["samples"] == SAMPLES * 200 == 400
    assert seen.arguments["features"] == "nonlinear"
    assert seen.activation == "relu"
