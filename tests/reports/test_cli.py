"""The command line keeps its contract: what it prints, in which shape, and how it exits."""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import mpmath
import pytest
from click.testing import CliRunner

from reports.catalogue import Selection, catalogue, ledger
from reports.cli import main
from reports.store import Store

ROOT = Path(__file__).parents[2]
RECORD_FIELDS = {
    "id", "document", "part", "theorem", "kind", "verdict", "sentence", "resolution", "alpha", "bias_class",
    "points", "mutants", "erratum", "seconds",
}  # fmt: skip
POINT_FIELDS = {"parameters", "prediction", "estimate", "ladder", "verdict"}
LEVEL_FIELDS = {"d", "n", "mean", "median", "low", "high"}
MUTANT_FIELDS = {"name", "offset", "verdict", "d", "seconds"}
ERRATUM_FIELDS = {"printed", "corrected", "corrected_verdict", "evidence"}
PROVENANCE_FIELDS = {"versions", "git_revision", "cores", "device", "seed", "alpha", "budget"}
RIGHT = "1 - 2*rho + rho**2 + t*(rho - rho**2)"
"""LT-T2 for rho <= 1, in neither of the printed forms."""


@dataclass(frozen=True)
class Answer:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as strict JSON: NaN and Infinity are not in the standard."""
        return json.loads(self.out, parse_constant=pytest.fail)

    @property
    def claims(self) -> list[dict[str, Any]]:
        return self.json["claims"]


def ask(*arguments: str) -> Answer:
    result = CliRunner().invoke(main, list(arguments), prog_name="asymptest")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return Answer(result.exit_code, result.stdout, result.stderr)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    """One file of cells for all tests here: those about one random object share its samples."""
    return str(tmp_path_factory.mktemp("cells") / "cells.sqlite")


def is_certified(entry: dict[str, Any]) -> bool:
    """Value and radius are decimal strings."""
    value, radius = entry["value"], entry["radius"]
    return isinstance(value, str) and isinstance(radius, str) and Decimal(value).is_finite() and Decimal(radius) >= 0


def encloses(entry: dict[str, Any], truth: Any) -> bool:
    """Whether value +/- radius holds `truth`, a number that mpmath knows to its working precision."""
    slack = mpmath.mpf(10) ** (5 - mpmath.mp.dps) * (1 + abs(truth))
    return abs(mpmath.mpf(entry["value"]) - truth) <= mpmath.mpf(entry["radius"]) + slack


# list and help


def test_list_tells_everything_about_each_theorem() -> None:
    answer = ask("list", "--json")
    assert answer.code == 0
    assert answer.json["schema_version"] == 1
    known = {row.id for row in ledger()}
    for row in answer.json["theorems"]:
        assert {"slug", "title", "source", "ids", "parameters", "symbols", "takes_activation"} <= set(row)
        assert row["title"]
        assert row["source"]
        assert set(row["ids"]) <= known
        assert isinstance(row["takes_activation"], bool)
        for parameter in row["parameters"]:
            assert set(parameter) == {"name", "meaning", "default", "domain"}
        for symbol in row["symbols"]:
            assert set(symbol) == {"name", "meaning"}
    rows = {row["slug"]: row for row in answer.json["theorems"]}
    assert {"rho", "t"} <= {symbol["name"] for symbol in rows["nt-quadratic"]["symbols"]}
    assert {"rho", "t", "psi", "lambda_1", "lambda_2"} <= {s["name"] for s in rows["rf-quadratic"]["symbols"]}
    (spectrum,) = [parameter for parameter in rows["rf-quadratic"]["parameters"] if parameter["name"] == "B"]
    for name in ("isotropic", "exp1", "low_rank", "indefinite", "traceless"):
        assert name in spectrum["domain"]
    assert rows["rf-quadratic"]["takes_activation"]
    assert not rows["nt-quadratic"]["takes_activation"]


def test_list_for_people_names_every_slug_and_id() -> None:
    answer = ask("list")
    assert answer.code == 0
    words = set(answer.out.split())
    for entry in catalogue():
        assert {entry.slug, *entry.ids} <= words


def test_help_and_list_load_neither_sympy_nor_jax() -> None:
    program = """
import sys
from reports.cli import main
commands = [[], ["list"], ["check"], ["report"], ["predict"], ["activation"], ["calibrate"]]
for arguments in [["list"], ["list", "--json"], ["check", "nothing"], *([*c, "--help"] for c in commands)]:
    try:
        main(arguments)
    except SystemExit as stop:
        assert stop.code == (2 if "nothing" in arguments else 0), arguments
heavy = {"jax", "jaxlib", "sympy", "flint", "numpy", "scipy", "mpmath"} & set(sys.modules)
print("loaded:", sorted(heavy))
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.endswith("loaded: []\n")


@pytest.mark.parametrize("command", ["list", "check", "report", "predict", "activation", "calibrate"])
def test_every_command_offers_json(command: str) -> None:
    answer = ask(command, "--help")
    assert answer.code == 0
    assert "--json" in answer.out


# activation


def test_activation_gives_certified_constants() -> None:
    answer = ask("activation", "relu", "--json")
    assert answer.code == 0
    summary = answer.json
    with mpmath.workdps(50):
        moment = 1 / mpmath.sqrt(2 * mpmath.pi)
        # E[relu(G) He_k(G)]: 1/2 at k = 1, zero at the other odd k, (-1)^(k/2-1) (k-3)!! / sqrt(2 pi) at even k.
        truth = [moment, mpmath.mpf(1) / 2, moment, mpmath.mpf(0), -moment, mpmath.mpf(0), 3 * moment]
        for k, row in enumerate(summary["hermite"]):
            assert row["k"] == k
            assert is_certified(row)
            assert Decimal(row["radius"]) < Decimal("1e-30")
            assert encloses(row, truth[k])
        half = mpmath.mpf(1) / 2
        constants = {
            "second_moment": half,
            "b1": half,
            "lambda_tilde": half - half**2,
            "b_star": mpmath.sqrt(half - half**2 - moment**2),
        }
        for name, value in constants.items():
            assert is_certified(summary[name])
            assert encloses(summary[name], value)
    assert len(summary["hermite"]) == 7
    assert summary["kinks"] == ["0"]
    assert summary["parity"] == "none"
    for row in summary["hypotheses"]:
        assert {"name", "holds", "reason"} <= set(row)
    applies = {row["theorem"]: row for row in summary["theorems"]}
    assert set(applies) == {entry.slug for entry in catalogue() if entry.takes_activation}
    assert applies["rf-quadratic"]["applies"] is False
    assert "lambda_0" in applies["rf-quadratic"]["reason"]


def test_centring_makes_the_theorem_apply_and_predicts() -> None:
    summary = ask("activation", "relu", "--center", "--json").json
    assert summary["hermite"][0]["value"] == "0"
    (row,) = [row for row in summary["theorems"] if row["theorem"] == "rf-quadratic"]
    assert row["applies"] is True
    assert is_certified(row["prediction"])
    predicted = ask("predict", "LT-T1", "--activation", "relu", "--center", "--json").json
    assert row["prediction"] == {"value": predicted["value"], "radius": predicted["radius"]}


@pytest.mark.parametrize("name", ["relu3", "exp(x)", "100*x**3"])
def test_constants_above_one_are_printed_as_sharply(name: str) -> None:
    """Digits before the point are not taken from those after it."""
    summary = ask("activation", name, "--json").json
    for row in [*summary["hermite"], summary["second_moment"]]:
        assert Decimal(row["radius"]) < Decimal("1e-30")


def test_activation_for_people_shows_the_same_numbers() -> None:
    shown = ask("activation", "tanh").out
    summary = ask("activation", "tanh", "--json").json
    assert summary["parity"] == "odd"
    for row in summary["hermite"]:
        assert row["value"] in shown
    assert "rf-quadratic" in shown


@pytest.mark.parametrize("text", ["exp(x**2)", "1/x"])
def test_what_has_no_moments_is_told_without_numbers(text: str) -> None:
    answer = ask("activation", text, "--json")
    assert answer.code == 0
    summary = answer.json
    (a1,) = [row for row in summary["hypotheses"] if row["name"] == "A1"]
    assert a1["holds"] is False
    assert summary["second_moment"] is None
    assert summary["reasons"]["second_moment"]
    assert not any(row["applies"] for row in summary["theorems"])


# predict


def test_of_the_theorems_that_share_an_id_the_first_that_states_a_number_predicts() -> None:
    answer = ask("predict", "TL-MM", "--set", "labels=probit:1/2", "--json").json
    assert answer["theorem"] == "margin-limit"
    assert is_certified(answer)
    beyond = ask("predict", "TL-MM", "--set", "psi1=1", "--set", "psi2=5", "--json").json
    assert beyond["value"] is None  # and not the threshold, which is another number
    assert "not separable" in beyond["sentence"]


@pytest.mark.parametrize("name", ["LT-T2", "nt-quadratic"])
def test_prediction_is_exact_where_the_number_is(name: str) -> None:
    answer = ask("predict", name, "--set", "rho=1/2", "--set", "B=isotropic", "--json")
    assert answer.code == 0
    assert Decimal(answer.json["value"]) == Decimal("0.5")
    assert Decimal(answer.json["radius"]) == 0


@pytest.mark.parametrize("rho", ["1/4", "0.5", "1/3", "1", "7/2"])
@pytest.mark.parametrize(("spectrum", "t"), [("exp1", Fraction(1, 2)), ("traceless", Fraction(0)), ("1,2", None)])
def test_prediction_of_the_neural_tangent_risk(rho: str, spectrum: str, t: Fraction | None) -> None:
    if t is None:
        t = Fraction(3**2, 2 * 5)  # (1 + 2)^2 / (2 (1 + 4))
    answer = ask("predict", "LT-T2", "--set", f"rho={rho}", "--set", f"B={spectrum}", "--json").json
    left = max(1 - Fraction(rho), Fraction(0))
    truth = left**2 * (1 - t) + left * t
    assert is_certified(answer)
    assert abs(Fraction(answer["value"]) - truth) <= Fraction(answer["radius"])


@pytest.mark.parametrize("rho", ["1/100", "1", "13"])
def test_prediction_of_the_quadratic_activation(rho: str) -> None:
    """1 - rho t/(1 + rho) for sigma(x) = x^2 - 1 and isotropic weights."""
    answer = ask("predict", "LT-C1", "--set", f"rho={rho}", "--set", "B=exp1", "--json").json
    truth = 1 - Fraction(rho) / (1 + Fraction(rho)) / 2
    assert abs(Fraction(answer["value"]) - truth) <= Fraction(answer["radius"])


@pytest.mark.parametrize("rho", ["1/2", "1", "3"])
def test_prediction_for_a_centred_relu(rho: str) -> None:
    """Isotropic weights and relu: psi is the positive root of a quadratic, all coefficients are known."""
    arguments = ["--activation", "relu", "--center", "--set", f"rho={rho}", "--set", "B=exp1", "--json"]
    answer = ask("predict", "LT-T1", *arguments).json
    with mpmath.workdps(60):
        ratio = mpmath.mpf(Fraction(rho).numerator) / Fraction(rho).denominator
        linear, quadratic = mpmath.mpf(1) / 4, 1 / (2 * mpmath.pi)  # lambda_1^2, lambda_2^2
        rest = mpmath.mpf(1) / 2 - quadratic - linear  # lambda_0 = lambda_2 = 1/sqrt(2 pi)
        slope = rest + linear - ratio * linear
        psi = (-slope + mpmath.sqrt(slope**2 + 4 * rest * linear * ratio)) / (2 * rest * linear)
        truth = 1 - psi * quadratic / 2 / (2 + psi * quadratic)
        assert encloses(answer, truth)
        assert encloses(answer["symbols"]["psi"], psi)
    assert Decimal(answer["radius"]) < Decimal("1e-30")


def test_prediction_for_an_activation_without_a_name() -> None:
    """log(1 + x^2) is even, so psi = rho/lambda~; its moments by another quadrature."""
    answer = ask("predict", "LT-T1", "--activation", "log(1+x**2)", "--center", "--set", "B=isotropic", "--json").json
    with mpmath.workdps(40):

        def moment(power: int, k: int) -> Any:
            def integrand(x: Any) -> Any:
                return mpmath.log1p(x * x) ** power * (x * x - 1 if k else 1) * mpmath.npdf(x)

            value, error = mpmath.quad(integrand, [0, 1, 3, 8, 20], error=True)
            # Beyond 20 the integrand is below 400^2 x^2 npdf(x): far less than the digits compared.
            assert error < mpmath.mpf("1e-34")
            return 2 * value

        quadratic = moment(1, 2) ** 2
        psi = 1 / (moment(2, 0) - moment(1, 0) ** 2)
        assert encloses(answer, 1 - psi * quadratic / (2 + psi * quadratic))


def test_more_digits_are_more_certain() -> None:
    def radius(digits: int) -> Decimal:
        arguments = ["--activation", "relu", "--center", "--digits", str(digits), "--json"]
        return Decimal(ask("predict", "LT-T1", *arguments).json["radius"])

    assert radius(40) < radius(30) < radius(5) < Decimal("1e-5")


def test_a_theorem_without_a_number_says_so() -> None:
    answer = ask("predict", "nt-span", "--json")
    assert answer.code == 0
    assert answer.json["value"] is None
    assert "no number" in answer.json["sentence"]
    assert "no number" in ask("predict", "nt-span").out


def test_a_prediction_outside_the_hypotheses_is_not_made() -> None:
    answer = ask("predict", "LT-T1", "--activation", "relu", "--json")
    assert answer.code == 0
    assert answer.json["value"] is None
    assert answer.json["sentence"].startswith("NOT_APPLICABLE")
    assert "lambda_0" in answer.json["sentence"]


def test_prediction_for_people_shows_value_and_symbols() -> None:
    shown = ask("predict", "LT-T2", "--set", "rho=1/2", "--set", "B=isotropic").out
    assert "nt-quadratic" in shown
    assert "0.5000" in shown
    assert "rho" in shown


# check


def test_records_of_a_proof() -> None:
    answer = ask("check", "LT-R9", "LT-S4", "--json")
    assert answer.code == 0
    assert answer.json["schema_version"] == 1
    assert set(answer.json["provenance"]) >= PROVENANCE_FIELDS
    assert [(row["id"], row["document"]) for row in answer.claims] == [("LT-R9", "P"), ("LT-S4", "P"), ("LT-S4", "O")]
    for row in answer.claims:
        assert set(row) >= RECORD_FIELDS
        assert row["verdict"] == "PROVED"
        assert row["erratum"] is None
        assert row["points"] == []
        for mutant in row["mutants"]:
            assert set(mutant) >= MUTANT_FIELDS
            assert mutant["verdict"] == "REFUTED"
    assert ask("check", "nt-span", "--json").claims == answer.claims


def test_records_of_a_limit(store: str) -> None:
    arguments = ["--set", "rho=1/2", "--set", "B=two_point", "--seed", "3", "--store", store]
    answer = ask("check", "LT-T2", *arguments, "--json")
    assert answer.code == 0
    assert answer.json["provenance"]["seed"] == 3
    parts = {(row["part"], row["document"]): row for row in answer.claims}
    assert {document for part, document in parts if part == "main"} == {"P", "O", "T"}
    main_row = parts["main", "P"]
    assert main_row["verdict"] == "PASS"
    assert main_row["resolution"] == 0.01
    assert 0 < main_row["alpha"] < 1e-3
    assert main_row["bias_class"] == "analytic"
    assert answer.json["provenance"]["alpha"] == pytest.approx(sum(row["alpha"] or 0 for row in answer.claims))
    (point,) = main_row["points"]
    assert set(point) >= POINT_FIELDS
    assert point["parameters"] == {"rho": "1/2", "B": "two_point"}
    assert is_certified(point["prediction"])
    predicted = float(point["prediction"]["value"])
    assert point["estimate"]["limit_low"] <= predicted <= point["estimate"]["limit_high"]
    for level in point["ladder"]:
        assert set(level) >= LEVEL_FIELDS
        assert level["low"] <= level["mean"] <= level["high"]
    assert {mutant["verdict"] for mutant in main_row["mutants"]} <= {"REFUTED", "INDISTINGUISHABLE"}
    for mutant in main_row["mutants"]:
        assert set(mutant) >= MUTANT_FIELDS
        # A mutant is told from the claim exactly where it is off by the resolution or more.
        assert (mutant["verdict"] == "REFUTED") == (abs(mutant["offset"]) >= main_row["resolution"])


def test_a_refuted_print_with_its_erratum_is_as_it_should_be() -> None:
    answer = ask("check", "LT-O2", "--json")
    assert answer.code == 0
    for row in answer.claims:
        assert row["verdict"] == "REFUTED"
        assert set(row["erratum"]) == ERRATUM_FIELDS
        assert row["erratum"]["corrected_verdict"] == "PROVED"
    shown = ask("check", "LT-O2")
    assert shown.code == 0
    assert "REFUTED" in shown.out
    assert "erratum" in shown.out


@pytest.mark.parametrize("rho", ["1/4", "1/2", "3/4"])
@pytest.mark.parametrize(
    ("formula", "verdict"),
    [(RIGHT, "PASS"), (f"1.02*({RIGHT})", "REFUTED"), (f"({RIGHT})*49/50", "REFUTED")],
    ids=["another form", "2% more", "2% less"],
)
def test_a_formula_of_ones_own(rho: str, formula: str, verdict: str, store: str) -> None:
    arguments = ["--set", f"rho={rho}", "--set", "B=two_point", "--against", formula, "--store", store]
    answer = ask("check", "nt-quadratic", *arguments, "--json")
    (row,) = answer.claims
    assert row["verdict"] == verdict
    assert row["printed"] == formula
    assert answer.code == (0 if verdict == "PASS" else 1)


def test_a_formula_may_use_certified_symbols(store: str) -> None:
    """Theorem 1 written with psi and lambda_2 by a user; half of psi is refuted."""
    arguments = ["--activation", "x**2 - 1", "--set", "rho=1", "--set", "B=isotropic", "--set", "Gamma=isotropic"]
    arguments += ["--resolution", "0.1", "--store", store, "--json", "--against"]
    right = ask("check", "LT-T1", *arguments, "1 - psi*lambda_2**2*t/(2 + psi*lambda_2**2)")
    assert [row["verdict"] for row in right.claims] == ["PASS"]
    assert right.code == 0
    wrong = ask("check", "LT-T1", *arguments, "1 - psi*lambda_2**2*t/(4 + psi*lambda_2**2)")
    assert [row["verdict"] for row in wrong.claims] == ["REFUTED"]
    assert wrong.code == 1


def test_the_seed_decides_the_samples() -> None:
    def levels(seed: int) -> Any:
        arguments = ["--set", "rho=1/2", "--set", "B=two_point", "--against", "2*rho", "--seed", str(seed)]
        (row,) = ask("check", "LT-T2", *arguments, "--json").claims
        return row["points"][0]["ladder"]

    assert levels(5) == levels(5)
    assert levels(5) != levels(6)


def test_uncentred_activation_is_not_applicable_and_centred_runs(store: str) -> None:
    arguments = ["--set", "rho=1/2", "--set", "B=isotropic", "--set", "Gamma=isotropic", "--activation", "relu"]
    arguments += ["--resolution", "0.2", "--no-mutants", "--store", store, "--json"]
    plain = ask("check", "rf-quadratic", *arguments)
    assert plain.code == 0
    for row in plain.claims:
        assert row["verdict"] == "NOT_APPLICABLE"
        assert "lambda_0" in row["sentence"]
        assert ".." not in row["sentence"]
    centred = ask("check", "rf-quadratic", "--center", *arguments)
    assert centred.code == 0
    assert {row["verdict"] for row in centred.claims} == {"PASS"}
    assert all(row["mutants"] == [] for row in centred.claims)


@pytest.mark.parametrize("text", ["exp(x**2)", "1/x", "2*x + 1"])
@pytest.mark.parametrize("centre", [[], ["--center"]], ids=["as it is", "centred"])
def test_activation_that_violates_a1_is_not_applicable(text: str, centre: list[str]) -> None:
    answer = ask("check", "LT-T1", "--activation", text, *centre, "--json")
    assert answer.code == 0
    for row in answer.claims:
        assert row["verdict"] == "NOT_APPLICABLE"
        assert "A1" in row["sentence"]


@pytest.mark.parametrize("command", [["report"], ["calibrate"], ["figure", "lazy-3"]], ids=lambda words: words[0])
def test_an_empty_folder_name_is_refused_and_nothing_is_written(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As from an unset variable of a script."""
    monkeypatch.chdir(tmp_path)
    answer = ask(*command, "--out", "")
    assert answer.code == 2
    assert answer.err.count("\n") == 1
    assert "--out is empty" in answer.err
    assert not list(tmp_path.iterdir())


def test_a_theorem_without_activation_takes_none() -> None:
    answer = ask("check", "nt-span", "--activation", "tanh", "--json")
    assert answer.code == 0
    assert {row["verdict"] for row in answer.claims} == {"NOT_APPLICABLE"}
    assert all("activation" in row["sentence"] for row in answer.claims)


def test_a_budget_that_is_too_small_is_inconclusive_and_says_so() -> None:
    answer = ask("check", "LT-T2", "--against", RIGHT, "--resolution", "0.0001", "--budget", "0.01s", "--json")
    (row,) = answer.claims
    assert row["verdict"] == "INCONCLUSIVE"
    assert "budget" in row["sentence"]
    assert answer.code == 0


# what is wrong is one sentence

LONG = "x+" * 5_000_000 + "x"
HOSTILE = {
    "import": "__import__('os').system('true')",
    "attribute": "x.__class__",
    "tower": "9**9**9*x",
    "10 MB": LONG,
    "unknown function": "foo(x)",
    "unknown symbol": "x+y",
    "empty": "",
    "line breaks": "x +\n\n(",
    "deep": "(" * 3000 + "x" + ")" * 3000,
    "lambda": "(lambda: x)()",
    "statement": "import os",
    "string": "'x'",
    "null byte": "x\0",
}
WRONG = {
    "no command": [],
    "unknown command": ["frobnicate"],
    "unknown option": ["check", "--frobnicate"],
    "unknown slug": ["check", "nothing"],
    "unknown slug to predict": ["predict", "nothing"],
    "unknown id": ["check", "LT-T99"],
    "nothing to predict": ["predict"],
    "set without value": ["check", "LT-T2", "--set", "rho"],
    "set without name": ["check", "LT-T2", "--set", "=1"],
    "rho not a number": ["check", "LT-T2", "--set", "rho=half"],
    "rho zero": ["check", "LT-T2", "--set", "rho=0"],
    "rho negative": ["predict", "LT-T2", "--set", "rho=-1"],
    "rho over zero": ["predict", "LT-T2", "--set", "rho=1/0"],
    "rho enormous": ["predict", "LT-T2", "--set", "rho=1e999999999"],
    "rho over two lines": ["predict", "LT-T2", "--set", "rho=1\n/2"],
    "rho nan": ["predict", "LT-T2", "--set", "rho=nan"],
    "unknown spectrum": ["predict", "LT-T2", "--set", "B=round"],
    "unknown parameter": ["check", "LT-T2", "--set", "Gamma=isotropic"],
    "unknown parameter of all": ["check", "--set", "width=3"],
    "budget without number": ["check", "LT-T2", "--budget", "soon"],
    "budget negative": ["check", "LT-T2", "--budget", "-3s"],
    "budget zero": ["check", "LT-T2", "--budget", "0"],
    "budget infinite": ["check", "LT-T2", "--budget", "infs"],
    "budget empty": ["check", "LT-T2", "--budget", ""],
    "resolution zero": ["check", "LT-T2", "--resolution", "0"],
    "resolution nan": ["check", "LT-T2", "--resolution", "nan"],
    "resolution negative": ["check", "LT-T2", "--resolution", "-0.1"],
    "resolution text": ["check", "LT-T2", "--resolution", "fine"],
    "seed negative": ["check", "LT-T2", "--seed", "-1"],
    "digits zero": ["predict", "LT-T2", "--digits", "0"],
    "profile": ["check", "LT-T2", "--profile", "leisurely"],
    "workers zero": ["check", "LT-T2", "--workers", "0"],
    "two engines": ["check", "LT-R5", "--workers", "2", "--dask", "localhost:1"],
    "formula unknown symbol": ["check", "LT-T2", "--against", "rho + z"],
    "formula unknown function": ["check", "LT-T2", "--against", "foo(rho)"],
    "formula empty": ["check", "LT-T2", "--against", ""],
    "formula malformed": ["check", "LT-T2", "--against", "rho +"],
    "formula without value": ["check", "LT-T2", "--against", "log(-rho)"],
    "formula over zero": ["check", "LT-T2", "--against", "1/(rho - rho)"],
    "formula 10 MB": ["check", "LT-T2", "--against", LONG],
    "formula without a limit": ["check", "LT-R5", "--against", "rho"],
    "formula malformed, hypothesis fails": ["check", "LT-T1", "--activation", "relu", "--against", "rho +"],
    "activation malformed, theorem takes none": ["check", "nt-span", "--activation", "tanh("],
    "activation malformed, nothing predicted": ["predict", "LT-T2", "--activation", "tanh("],
}


def is_one_sentence(answer: Answer) -> bool:
    lines = answer.err.splitlines()
    return answer.out == "" and len(lines) == 1 and lines[0].startswith("asymptest: ") and lines[0].endswith(".")


@pytest.mark.parametrize("arguments", WRONG.values(), ids=WRONG)
def test_bad_usage_is_one_sentence(arguments: list[str]) -> None:
    answer = ask(*arguments)
    assert answer.code == 2
    assert is_one_sentence(answer), answer.err


@pytest.mark.parametrize("command", [["activation"], ["check", "LT-T1", "--activation"]], ids=" ".join)
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_activation_is_one_sentence(command: list[str], text: str) -> None:
    started = time.perf_counter()
    answer = ask(*command, text)
    assert answer.code == 2
    assert is_one_sentence(answer), answer.err[:300]
    assert len(answer.err) < 1000, "what was typed is not echoed at length"
    # A refusal reads the text at most once, so it is far quicker than any computation here.
    assert time.perf_counter() - started < 5


def test_a_real_process_does_the_same() -> None:
    """No traceback outside the test runner either, and the sentence is on standard error."""
    arguments = [sys.executable, "-m", "reports.cli", "activation", "__import__('os').system('true')"]
    done = subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True, check=False)
    assert is_one_sentence(Answer(done.returncode, done.stdout, done.stderr))
    assert done.returncode == 2


def test_no_resume_protects_a_store(tmp_path: Path) -> None:
    file = tmp_path / "cells.sqlite"
    Store(file).close()
    answer = ask("check", "LT-R5", "--store", str(file), "--no-resume")
    assert answer.code == 2
    assert is_one_sentence(answer)


def test_a_file_that_is_no_store_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("my notes, not a store\n" * 100)
    answer = ask("check", "LT-T2", "--store", str(file))
    assert answer.code == 2
    assert is_one_sentence(answer)
    assert file.read_text() == "my notes, not a store\n" * 100


# interruption


def test_interruption_is_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: Any, **options: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr("reports.runner.run", interrupted)
    answer = ask("check", "LT-R5")
    assert answer.code == 130
    # The terminal has echoed ^C: the sentence starts on a line of its own.
    assert is_one_sentence(Answer(answer.code, answer.out, answer.err.removeprefix("\n")))


def test_an_interruption_that_python_loses_is_sent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """JAX runs a callback with the garbage collector: what is raised there reaches nobody."""

    def interrupted_in_a_callback(*arguments: Any, **options: Any) -> Any:
        def lose(phase: str, info: Any) -> None:
            gc.callbacks.remove(lose)
            raise KeyboardInterrupt

        gc.callbacks.append(lose)
        gc.collect()
        time.sleep(30)
        return []

    monkeypatch.setattr("reports.runner.run", interrupted_in_a_callback)
    answer = ask("check", "LT-R5")
    assert answer.code == 130
    assert "Traceback" not in answer.err


def test_ctrl_c_leaves_a_store_that_can_be_resumed(tmp_path: Path) -> None:
    file = tmp_path / "cells.sqlite"
    arguments = [sys.executable, "-m", "reports.cli", "check", "LT-T2", "--resolution", "0.0005", "--profile", "full"]
    process = subprocess.Popen(
        [*arguments, "--store", str(file)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )
    try:
        _wait(lambda: process.poll() is not None or _stored(file) > 0)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130, err
    assert out == ""
    assert "Traceback" not in err
    assert err.splitlines()[-1].startswith("asymptest: interrupted")
    assert _stored(file) > 0


def _stored(file: Path) -> int:
    if not file.exists() or not file.stat().st_size:
        return 0
    with Store(file) as cells:
        return len(cells)


def _wait(ready: Callable[[], bool]) -> None:
    """Until it is so; a minute is many times what it takes to start."""
    deadline = time.monotonic() + 60
    while not ready():
        assert time.monotonic() < deadline
        time.sleep(0.05)


# report


@pytest.fixture
def only_nt_span(monkeypatch: pytest.MonkeyPatch) -> None:
    """A report on one small theorem: how it is written does not depend on how much is in it."""
    chosen = tuple(Selection(entry, entry.ids) for entry in catalogue() if entry.slug == "nt-span")
    monkeypatch.setattr("reports.catalogue.select", lambda names: chosen)


@pytest.mark.usefixtures("only_nt_span")
def test_report_writes_three_files(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "out"
    answer = ask("report", "--out", str(out))
    assert answer.code == 0
    assert {"results.json", "junit.xml", "report.md"} <= {path.name for path in out.iterdir()}
    results = json.loads((out / "results.json").read_text(), parse_constant=pytest.fail)
    assert results["schema_version"] == 1
    assert set(results["provenance"]) >= PROVENANCE_FIELDS
    for row in results["claims"]:
        assert set(row) >= RECORD_FIELDS
    cases = ElementTree.parse(out / "junit.xml").getroot().findall("testcase")
    assert len(cases) == len(results["claims"])
    assert "| LT-R9 | P | main | PROVED |" in (out / "report.md").read_text()
    for name in ("results.json", "junit.xml", "report.md"):
        assert name in answer.out.replace("\n", "")


@pytest.mark.usefixtures("only_nt_span")
def test_report_prints_what_it_writes(tmp_path: Path) -> None:
    answer = ask("report", "--out", str(tmp_path), "--json")
    assert answer.code == 0
    assert answer.json == json.loads((tmp_path / "results.json").read_text())


def test_report_refuses_a_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("in the way")
    answer = ask("report", "--out", str(tmp_path / "out"))
    assert answer.code == 2
    assert is_one_sentence(answer)
    assert (tmp_path / "out").read_text() == "in the way"


# calibrate


def test_calibrate_prints_and_stores_its_table(tmp_path: Path) -> None:
    answer = ask("calibrate", "--runs", "1", "--synthetic-only", "--out", str(tmp_path), "--json")
    assert answer.code == (1 if answer.json["wrong_verdicts"] else 0)
    assert answer.json["wrong_verdicts"] == 0
    stored = [json.loads(path.read_text()) for path in tmp_path.glob("*.json")]
    assert answer.json in stored
