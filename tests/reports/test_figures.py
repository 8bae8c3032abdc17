"""`asymptest figure`: files that can be shown, data that can be read, and a run that goes on where it stopped."""

from __future__ import annotations

import csv
import socket
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from proofs_checks.quadratic_landscape import ACCURACY
from reports import cli
from reports.cells import BLOCK, SimulatorFailed
from reports.cli import main
from reports.figure_data import QUICK, Row
from reports.figure_relu import QUICK as RELU_QUICK
from reports.figure_relu import Row as ReluRow
from reports.figure_relu import observation
from reports.figures import FIGURES, figure

TWO_FRAMES = ("lazy-1", "lazy-2")
NAMES = (*TWO_FRAMES, "lazy-3", "lazy-training")


def _run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["figure", *arguments])


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The figures, small; a connection to anywhere would be an error."""
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


@pytest.mark.parametrize("name", TWO_FRAMES)
def test_the_table_has_theory_and_measurements(drawn: Path, name: str) -> None:
    rows = _rows(drawn, name)
    assert tuple(rows[0]) == tuple(Row.__dataclass_fields__)
    kinds = {(row["frame"], row["kind"]) for row in rows}
    wanted = {("left", "theory"), ("left", "measured"), ("right", "limit"), ("right", "measured")}
    assert kinds - {("left", "equivalent")} == wanted
    for row in rows:
        assert float(row["least"]) <= float(row["mean"]) <= float(row["largest"])
        assert int(row["draws"]) in (0, BLOCK)
        assert (row["samples"] != "") == (row["frame"] == "right" and row["kind"] == "measured")
    curves = {row["curve"] for row in rows if (row["frame"], row["kind"]) == ("left", "measured")}
    assert {"RF, isotropic", "NT", "NN"} <= curves


@pytest.mark.parametrize("name", TWO_FRAMES)
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


def test_where_the_dots_leave_the_line_the_equivalent_follows(drawn: Path) -> None:
    rows = [row for row in _rows(drawn, "lazy-1") if row["frame"] == "left" and row["neurons"] == "150"]
    for curve in ("RF, isotropic", "RF, Gamma ~ B"):
        value = {row["kind"]: float(row["mean"]) for row in rows if row["curve"] == curve}
        (spread,) = (float(row["sd"]) for row in rows if row["curve"] == curve and row["kind"] == "measured")
        # Five standard errors of the mean of the draws: at N = 2.5 d the line itself is further away.
        reach = 5 * spread / BLOCK**0.5
        assert abs(value["measured"] - value["equivalent"]) < reach < abs(value["measured"] - value["theory"])


def test_trained_relu_networks_beat_tangent_ones(drawn: Path) -> None:
    rows = _rows(drawn, "lazy-3")
    assert tuple(rows[0]) == tuple(ReluRow.__dataclass_fields__)
    means = {(row["curve"], row["neurons"]): float(row["mean"]) for row in rows}
    for width in map(str, RELU_QUICK[1]):
        assert means["NN", width] < means["NT", width] < 1
    assert all(float(row["least"]) <= float(row["mean"]) <= float(row["largest"]) for row in rows)
    assert {row["draws"] for row in rows} == {str(BLOCK)}


def test_smaller_steps_are_nearer_to_the_flow_and_the_flow_ends_at_the_least_risk(drawn: Path) -> None:
    """The double limit; and a diverged run is counted, not averaged."""
    rows = [row for row in _rows(drawn, "lazy-training") if row["frame"] == "left"]
    flow = {float(row["place"]): float(row["value"]) for row in rows if row["curve"] == "flow"}
    (floor,) = {float(row["value"]) for row in rows if row["curve"] == "floor"}
    assert min(flow.values()) >= floor > 0.99 * flow[max(flow)]
    coarse, fine = ([row for row in rows if row["curve"] == curve] for curve in ("1/64", "1/256"))
    assert len(coarse) == len(fine) == 8
    assert int(coarse[-1]["diverged"]) > int(fine[-1]["diverged"]) == 0
    assert float(fine[-1]["value"]) < 2 * floor
    assert all(row["value"] == "" for row in coarse if 2 * int(row["diverged"]) >= int(row["draws"]))


def test_the_smallest_gradient_vanishes_beyond_the_least_curvature_of_a_saddle(drawn: Path) -> None:
    """Positive at delta = 0.9 delta_0, and at 1.1 delta_0 below what the search tells from zero."""
    below, beyond = (float(row["value"]) for row in _rows(drawn, "lazy-training") if row["frame"] == "right")
    assert below**2 > ACCURACY >= beyond**2


def test_a_dear_dot_has_fewer_draws_and_says_so() -> None:
    assert observation("NT", 450, 300).arguments["every"] == 1
    assert observation("NN", 450, 4500).arguments["every"] == BLOCK


def test_a_second_run_computes_nothing_and_draws_the_same(drawn: Path, tmp_path: Path) -> None:
    name = NAMES[0]
    result = _run(name, "--quick", "--out", str(tmp_path), "--store", str(drawn / "figures.sqlite"))
    assert result.exit_code == 0, result.output
    assert result.output.count("from the store") == figure(name).count(True)
    for ending in ("csv", "svg"):
        assert (tmp_path / f"{name}.{ending}").read_bytes() == (drawn / f"{name}.{ending}").read_bytes()


def test_an_unknown_figure_is_one_sentence_with_the_names() -> None:
    result = _run("lazy-9")
    assert result.exit_code == 2
    assert all(name in result.output for name in FIGURES)
    assert len(result.output.strip().splitlines()) == 1


def test_help_lists_the_figures() -> None:
    result = _run("--help")
    assert result.exit_code == 0
    lines = [line.strip() for line in result.output.splitlines()]
    for name, listed in FIGURES.items():
        assert any(line.startswith(name) and line.endswith(listed.title) for line in lines)


def test_a_simulator_that_fails_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise SimulatorFailed("simulate.relu_network: 3 of 16 values are not finite")

    monkeypatch.setattr(cli, "make_figure", broken)
    result = _run("lazy-3", "--quick", "--out", str(tmp_path))
    assert result.exit_code == 1
    assert "FAIL: simulate.relu_network: 3 of 16 values are not finite" in result.output
    assert "Traceback" not in result.output
