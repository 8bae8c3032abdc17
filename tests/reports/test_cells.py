"""A key changes with everything a number depends on and with nothing else; a replicate has one value."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports import cells
from reports.cells import BLOCK, SIMULATE, Cell, Package, SimulatorFailed, encode, key, run_cell
from theorems.claim import Observation

HERE = Path(__file__).parent
TOYS = Package("toy_simulators", HERE)


@pytest.fixture(autouse=True)
def _toys_importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(HERE))


def cell(
    simulator: str = "toy_simulators.gaussian:mean",
    dimension: int = 8,
    block: int = 0,
    seed: int = 0,
    activation: str | None = None,
    cost: float = 1.0,
    **arguments: Any,
) -> Cell:
    return Cell(Observation(simulator, dimension, arguments, cost, activation), block, seed)


# --- encoding -----------------------------------------------------------------------------------

_plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(_plain, _plain)
def test_plain_values_are_encoded_injectively(left: Any, right: Any) -> None:
    # repr tells 1 from True from 1.0, and 0.0 from -0.0, as == does not; dictionaries have no order.
    def canonical(value: Any) -> str:
        if isinstance(value, dict):
            return "{" + ",".join(f"{k!r}:{canonical(v)}" for k, v in sorted(value.items())) + "}"
        if isinstance(value, tuple):
            return "(" + ",".join(map(canonical, value)) + ")"
        return repr(value)

    assert (encode(left) == encode(right)) == (canonical(left) == canonical(right))


def test_arrays_are_told_apart_by_type_shape_and_content() -> None:
    arrays = [
        np.zeros(4),
        np.zeros((2, 2)),
        np.zeros(4, np.float32),
        np.zeros(4, np.int64),
        np.array([0.0, 0.0, 0.0, 5e-324]),
        np.array([0.0, 0.0, 0.0, -0.0]),
    ]
    assert len({encode(array) for array in arrays}) == len(arrays)
    transposed = np.arange(6.0).reshape(2, 3).T
    assert encode(transposed) == encode(np.ascontiguousarray(transposed))


def test_numpy_scalars_are_the_numbers_they_hold() -> None:
    assert encode(np.float64(0.1)) == encode(0.1)
    assert encode(np.int64(3)) == encode(3)
    assert encode(np.bool_(True)) == encode(True)


@pytest.mark.parametrize("value", [object(), {1, 2}, lambda: 0, np.array([None])])
def test_what_has_no_canonical_form_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="argument cannot be"):
        encode(value)


# --- keys ---------------------------------------------------------------------------------------


def test_key_changes_with_everything_the_number_depends_on(monkeypatch: pytest.MonkeyPatch) -> None:
    variants = [
        cell(),
        cell("toy_simulators.gaussian:infinite"),
        cell(dimension=9),
        cell(block=1),
        cell(seed=1),
        cell(shift=0.5),
        cell(shift=0.25),
        cell(shift=np.array([0.5])),
    ]
    keys = {key(variant, TOYS) for variant in variants}
    monkeypatch.setattr(cells, "_version", lambda _: "0.0.0")
    keys.add(key(cell(), TOYS))
    monkeypatch.setattr(cells, "PRECISION", "float32")
    keys.add(key(cell(), TOYS))
    assert len(keys) == len(variants) + 2


def test_key_ignores_cost_and_order_and_kind_of_mapping() -> None:
    one = Observation("toy_simulators.gaussian:mean", 8, {"a": 1, "b": (2.0, "c")}, cost=1.0)
    other = Observation("toy_simulators.gaussian:mean", 8, MappingProxyType({"b": (2.0, "c"), "a": 1}), cost=2.0)
    assert key(Cell(one, 0, 0), TOYS) == key(Cell(other, 0, 0), TOYS)


def test_activation_text_belongs_to_the_key() -> None:
    texts = (None, "tanh(x)", "center(tanh(x))")
    assert len({key(cell(activation=text), TOYS) for text in texts}) == 3


def test_key_costs_no_import_of_jax() -> None:
    program = (
        "import sys; from pathlib import Path; from reports.cells import *;"
        "from theorems.claim import Observation;"
        "seen = Observation('toy_simulators.gaussian:mean', 8, {}, 1.0);"
        f"key(Cell(seen, 0, 0), Package('toy_simulators', Path({str(HERE)!r})));"
        "sys.exit('jax' in sys.modules or 'sympy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@pytest.fixture
def package(tmp_path: Path) -> tuple[Package, Callable[[str, str], None]]:
    """A package in which a imports b, b imports deep.c (relatively and in a function), d is apart."""

    def write(name: str, text: str) -> None:
        (tmp_path / "pkg" / name).write_text(text)

    (tmp_path / "pkg" / "deep").mkdir(parents=True)
    write("__init__.py", "")
    write("a.py", "from pkg import b\n")
    write("b.py", "def f():\n    from .deep.c import g\n    return g\n")
    write("deep/__init__.py", "from ..e import *\n")
    write("deep/c.py", "g = 1\n")
    write("d.py", "import os, sys\n")
    write("e.py", "import pkg.a\n")  # a cycle
    return Package("pkg", tmp_path), write


@pytest.mark.parametrize("edited", ["__init__.py", "a.py", "b.py", "deep/__init__.py", "deep/c.py", "e.py"])
def test_editing_what_a_simulator_imports_invalidates_its_cells_and_no_others(
    package: tuple[Package, Callable[[str, str], None]], edited: str
) -> None:
    place, write = package
    touched, apart = cell("pkg.a:f"), cell("pkg.d:f")
    before = key(touched, place), key(apart, place)
    source = (place.root / "pkg" / edited).read_text()
    write(edited, source + "# edited\n")
    assert key(touched, place) != before[0]
    # The package's own __init__ runs before any of its modules.
    assert (key(apart, place) != before[1]) == (edited == "__init__.py")
    write(edited, source)
    assert (key(touched, place), key(apart, place)) == before


def test_editing_a_stranger_changes_nothing(package: tuple[Package, Callable[[str, str], None]]) -> None:
    place, write = package
    before = key(cell("pkg.a:f"), place)
    write("d.py", "import os\n")
    assert key(cell("pkg.a:f"), place) == before


@pytest.mark.parametrize(
    "name",
    [
        "os:system",
        "simulate",
        "simulate.x",
        "simulate.x:",
        "simulate.x:f.g",
        "simulatex.y:f",
        "simulate../x:f",
    ],
)
def test_only_functions_below_simulate_may_be_named(name: str) -> None:
    for use in (key, run_cell):
        with pytest.raises(ValueError, match="a simulator is named"):
            use(cell(name))


def test_a_simulator_without_a_module_is_refused() -> None:
    with pytest.raises(ValueError, match=r"no module simulate\.absent"):
        key(cell("simulate.absent:f"), SIMULATE)


# --- running ------------------------------------------------------------------------------------


def test_a_cell_holds_sixteen_finite_doubles_and_is_reproducible() -> None:
    first, again = run_cell(cell(), TOYS), run_cell(cell(), TOYS)
    assert first.values.shape == (BLOCK,)
    assert first.values.dtype == np.float64
    assert len(set(first.values)) == BLOCK
    assert np.array_equal(first.values, again.values)
    assert first.seconds > 0


def test_replicates_do_not_depend_on_the_size_of_a_block(monkeypatch: pytest.MonkeyPatch) -> None:
    by_sixteen = [run_cell(cell(block=block), TOYS).values for block in range(2)]
    monkeypatch.setattr(cells, "BLOCK", 8)
    by_eight = [run_cell(cell(block=block), TOYS).values for block in range(4)]
    assert np.array_equal(np.concatenate(by_sixteen), np.concatenate(by_eight))


def test_other_blocks_seeds_and_arguments_are_other_numbers() -> None:
    variants = [cell(), cell(block=1), cell(seed=1), cell(seed=2**80), cell(seed=-1)]
    numbers = np.concatenate([run_cell(variant, TOYS).values for variant in variants])
    shifted = run_cell(cell(shift=1.0), TOYS).values - 1.0
    assert len({*numbers, *shifted}) == BLOCK * (len(variants) + 1)


def test_the_activation_reaches_the_simulator() -> None:
    name = "toy_simulators.gaussian:activated"
    plain = run_cell(cell(name, activation="Max(x, 0)"), TOYS).values
    assert plain.min() > 0
    squared = run_cell(cell(name, activation="x**2", dimension=4096), TOYS).values
    # 65536 squares of Gaussians, each of variance 2: seven standard errors.
    assert abs(squared.mean() - 1) < 7 * (2 / (BLOCK * 4096)) ** 0.5


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("infinite", "1 of 16 values are not finite"),
        ("single_precision", r"returned float32\[16\] instead of float64\[16\]"),
        ("one_too_few", r"returned float64\[15\]"),
        ("raising", "ZeroDivisionError: no such dimension"),
        ("absent", "cannot be imported"),
    ],
)
def test_a_failing_simulator_is_named_with_its_arguments(name: str, complaint: str) -> None:
    with pytest.raises(SimulatorFailed, match=complaint) as failure:
        run_cell(cell(f"toy_simulators.gaussian:{name}"), TOYS)
    assert f"toy_simulators.gaussian:{name} at d = 8 with" in str(failure.value)


def test_a_worker_with_another_source_is_found_out() -> None:
    with pytest.raises(SimulatorFailed, match="not the one this run started with"):
        run_cell(cell(), TOYS, expected=key(cell("toy_simulators.lonely:uniform"), TOYS))


def test_a_process_does_not_pass_off_old_code_as_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "edited_toys"
    folder.mkdir()
    (folder / "__init__.py").touch()
    source = (HERE / "toy_simulators" / "lonely.py").read_text()
    (folder / "lonely.py").write_text(source)
    monkeypatch.syspath_prepend(str(tmp_path))
    place, asked = Package("edited_toys", tmp_path), cell("edited_toys.lonely:uniform")
    run_cell(asked, place)
    (folder / "lonely.py").write_text(source.replace("dimension *", "2 * dimension *"))
    with pytest.raises(SimulatorFailed, match="start the run again"):
        run_cell(asked, place)


def test_compiled_programs_are_kept_where_the_user_says(tmp_path: Path) -> None:
    program = (
        "from pathlib import Path; from reports.cells import *; from theorems.claim import Observation;"
        "seen = Observation('toy_simulators.lonely:uniform', 8, {}, 1.0);"
        f"print(run_cell(Cell(seen, 0, 0), Package('toy_simulators', Path({str(HERE)!r}))).values.sum())"
    )

    def run(cache: Path) -> str:
        environment = {"ASYMPTEST_CACHE": str(cache), "PYTHONPATH": str(HERE), "JAX_PLATFORMS": "cpu"}
        done = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout

    number = run(tmp_path)
    entries = list((tmp_path / "jax").iterdir())
    assert entries
    for entry in entries:  # as a kill in the middle of a write would leave them
        entry.write_bytes(entry.read_bytes()[:100])
    assert run(tmp_path) == number
    blocked = tmp_path / "file"
    blocked.touch()
    assert run(blocked) == number


def test_description_is_json_without_the_arrays() -> None:
    shown = json.loads(cells.describe(cell(spectrum=np.zeros(3), pair=(1, np.float64(0.5)), seed=4)))
    assert shown["arguments"] == {"spectrum": "float64[3]", "pair": [1, 0.5]}
    assert shown["seed"] == 4
