"""`asymptest figure`: files that can be shown, data that can be read, and a run that goes on where it stopped."""

from __future__ import annotations

import csv
import socket
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from reports.cells import BLOCK
from reports.cli import main
from reports.figure_data import QUICK, Row
from reports.figures import SUBJECTS, count_cells

NAMES = tuple(SUBJECTS)


def _run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["figure", *arguments])


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both figures, small; a connection to anywhere would be an error."""
    out = tmp_path_factory.mktemp("figures")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", _no_network)
        for name in NAMES:
            result = _run(name, "--quick", "--out", str(out))
            assert result.exit_code == 0, result.output
    return out


def _no_network(*_: object) -> None:
    raise AssertionError("a figure needs no network")


def _rows(out: Path, name: str) -> list[dict[str, str]]:
    with (out / f"{name}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("name", NAMES)
def test_pictures_are_written(drawn: Path, name: str) -> None:
    assert (drawn / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    assert ElementTree.parse(drawn / f"{name}.svg").getroot().tag.endswith("svg")


@pytest.mark.parametrize("name", NAMES)
def test_the_table_has_theory_and_measurements(drawn: Path, name: str) -> None:
    rows = _rows(drawn, name)
    assert tuple(rows[0]) == tuple(Row.__dataclass_fields__)
    kinds = {(row["frame"], row["kind"]) for row in rows}
    assert kinds == {("left", "theory"), ("left", "measured"), ("right", "limit"), ("right", "measured")}
    for row in rows:
        assert float(row["least"]) <= float(row["mean"]) <= float(row["largest"])
        assert int(row["draws"]) in (0, BLOCK)
        assert (row["samples"] != "") == (row["frame"] == "right" and row["kind"] == "measured")
    curves = {row["curve"] for row in rows if (row["frame"], row["kind"]) == ("left", "measured")}
    assert {"RF, isotropic", "NT", "NN"} <= curves


@pytest.mark.parametrize("name", NAMES)
def test_networks_beat_features_and_nothing_beats_its_limit(drawn: Path, name: str) -> None:
    rows = _rows(drawn, name)
    dots = {
        (row["curve"], row["neurons"]): float(row["mean"])
        for row in rows
        if (row["frame"], row["kind"]) == ("left", "measured")
    }
    for width in map(str, QUICK.widths):
        assert dots["NN", width] <= dots["NT", width] + 1e-5  # the flow, stopped at a finite time, leaves about 1e-6
        assert dots["NT", width] < dots["RF, isotropic", width]
    limits = {row["curve"]: float(row["mean"]) for row in rows if row["kind"] == "limit"}
    trained = [row for row in rows if row["frame"] == "right" and row["kind"] == "measured" and "NN" in row["curve"]]
    # The least risk of NN is no random number: no run lies below it.
    assert trained
    assert all(float(row["least"]) >= limits[row["curve"]] for row in trained)


def test_a_second_run_computes_nothing_and_draws_the_same(drawn: Path, tmp_path: Path) -> None:
    name = NAMES[0]
    result = _run(name, "--quick", "--out", str(tmp_path), "--store", str(drawn / "figures.sqlite"))
    assert result.exit_code == 0, result.output
    assert result.output.count("from the store") == count_cells(name, quick=True)
    for ending in ("csv", "svg"):
        assert (tmp_path / f"{name}.{ending}").read_bytes() == (drawn / f"{name}.{ending}").read_bytes()


def test_an_unknown_figure_is_one_sentence_with_the_names() -> None:
    result = _run("lazy-9")
    assert result.exit_code == 2
    assert all(name in result.output for name in NAMES)
    assert len(result.output.strip().splitlines()) == 1
