"""The bias and the variance of feature ridge regression, typed out by a user and confronted with the simulator."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from reports.cli import main

E0 = (
    "(-chi**5*zeta**6 + 3*chi**4*zeta**4 + (psi1*psi2 - psi2 - psi1 + 1)*chi**3*zeta**6 - 2*chi**3*zeta**4"
    " - 3*chi**3*zeta**2 + (psi1 + psi2 - 3*psi1*psi2 + 1)*chi**2*zeta**4 + 2*chi**2*zeta**2 + chi**2"
    " + 3*psi1*psi2*chi*zeta**2 - psi1*psi2)"
)
E1 = "(psi2*chi**3*zeta**4 - psi2*chi**2*zeta**2 + psi1*psi2*chi*zeta**2 - psi1*psi2)"
E2 = (
    "(chi**5*zeta**6 - 3*chi**4*zeta**4 + (psi1 - 1)*chi**3*zeta**6 + 2*chi**3*zeta**4 + 3*chi**3*zeta**2"
    " + (-psi1 - 1)*chi**2*zeta**4 - 2*chi**2*zeta**2 - chi**2)"
)
RIGHT = {
    "TL-RIDGE": f"{E1}/{E0} + noise*(1 + {E2}/{E0})",
    "TL-RIDGE.bias": f"{E1}/{E0}",
    "TL-RIDGE.variance": f"{E2}/{E0}",
}
POINT = ("--set", "psi1=1", "--set", "psi2=1/2", "--set", "ridge=1/2", "--set", "noise=1", "--activation", "tanh(2*x)")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("cells") / "cells.sqlite")


def run(*arguments: str) -> Any:
    return CliRunner().invoke(main, ["check", *arguments], prog_name="asymptest")


def verdict(name: str, formula: str, store: str) -> str:
    (row,) = json.loads(run(name, *POINT, "--against", formula, "--store", store, "--json").stdout)["claims"]
    return row["verdict"]


@pytest.mark.parametrize("name", RIGHT)
def test_the_printed_polynomials_typed_out_pass(name: str, store: str) -> None:
    assert verdict(name, RIGHT[name], store) == "PASS"


@pytest.mark.parametrize("name", RIGHT)
@pytest.mark.parametrize(
    ("old", "new"),
    [("zeta", "(zeta**2)"), ("psi1", "psi_"), ("chi", "(chi*psi2)"), ("3*psi1*psi2*chi", "3*psi1*chi")],
    ids=["zeta as on the slide", "psi1 and psi2 swapped", "psi2 too many", "psi2 missing"],
)
def test_a_slip_is_refuted(name: str, old: str, new: str, store: str) -> None:
    wrong = RIGHT[name].replace(old, new)
    if new == "psi_":
        wrong = wrong.replace("psi2", "psi1").replace("psi_", "psi2")
    assert wrong != RIGHT[name]
    assert verdict(name, wrong, store) == "REFUTED"


@pytest.mark.parametrize("name", RIGHT)
def test_three_percent_are_refuted(name: str, store: str) -> None:
    assert verdict(name, f"1.03*({RIGHT[name]})", store) == "REFUTED"


def test_it_is_said_what_the_formula_is_compared_with(store: str) -> None:
    shown = " ".join(run("TL-RIDGE", *POINT, "--against", RIGHT["TL-RIDGE"], "--store", store).stdout.split())
    assert "in place of: R_RF(f_lambda) = ||beta_0||^2 B + tau^2 (1 + V)" in shown
    assert "not compared with TL-RIDGE.bias, TL-RIDGE.variance" in shown


def test_the_bias_is_predicted_by_its_part() -> None:
    told = json.loads(CliRunner().invoke(main, ["predict", "TL-RIDGE.bias", "--json"]).stdout)
    assert told["value"].startswith("0.5938111566360328")
    assert told["quantity"].startswith("the limit in: R_RF(f_lambda) = ||beta_0||^2 B")


def test_a_part_that_does_not_exist_is_one_sentence(tmp_path: Path) -> None:
    answer = run("TL-RIDGE.biass", "--store", str(tmp_path / "s.sqlite"))
    assert answer.exit_code == 2
    assert len(answer.stderr.strip().splitlines()) == 1
