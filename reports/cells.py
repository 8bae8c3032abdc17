"""A cell: sixteen replicates of one observation, the unit that is computed, stored and shared.

The value of replicate r of an observation is f(fold_in(k, r)), where the base key k is the hash of
(simulator, arguments, dimension, activation, seed) and nothing else. So a replicate is the same
number in whichever block, process or machine it is computed.

A cell is stored under `key(cell)`, the hash of everything its numbers depend on. Beside the above
that is the precision, the versions of jax and jaxlib, and the source of the simulator with all it
imports of its own package: a number computed by other code is never taken for this one.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib
import importlib.metadata
import itertools
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from reports.compilation import configure_jax, release_programs
from theorems.claim import Observation

BLOCK = 16
"""Replicates per cell; the sample sizes of the verdict rules are multiples of it."""

PRECISION = "float64"

_CALLS = itertools.count(1)


class SimulatorFailed(RuntimeError):
    """A simulator raised, or returned something that is not one finite float64 per replicate."""


class OutOfReach(SimulatorFailed):
    """A simulator says that it cannot reach its accuracy here: no fault of the machinery, and no number."""


@dataclass(frozen=True, eq=False)
class Cell:
    """Replicates block*BLOCK, ..., block*BLOCK + BLOCK-1 of an observation, under the user's seed."""

    observation: Observation
    block: int
    seed: int


@dataclass(frozen=True, eq=False)
class CellResult:
    """One float64 per replicate, and the seconds it took to compute them."""

    values: np.ndarray
    seconds: float


@dataclass(frozen=True)
class Package:
    """A top-level package whose functions may be named as simulators; it lies in the folder `root`."""

    name: str
    root: Path


_HOUSE = Path(__file__).resolve().parent.parent
SIMULATE = Package("simulate", _HOUSE)


# --- what a number depends on -------------------------------------------------------------------


def encode(value: Any) -> bytes:
    """An injective encoding of plain values: each part carries its type and its length.

    >>> encode(1) != encode(1.0) != encode(True) and encode(("a", "b")) != encode(("ab",))
    True
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None:
        return _part(b"none", b"")
    if isinstance(value, bool):
        return _part(b"bool", b"1" if value else b"0")
    if isinstance(value, int):
        return _part(b"int", b"%d" % value)
    if isinstance(value, float):
        return _part(b"float", value.hex().encode())
    if isinstance(value, str):
        return _part(b"str", value.encode())
    if isinstance(value, tuple | list):
        return _part(b"tuple", b"".join(map(encode, value)))
    if isinstance(value, Mapping):
        items = sorted(value.items())
        return _part(b"map", b"".join(encode(name) + encode(item) for name, item in items))
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufc":
        return _part(b"array", encode((value.dtype.str, value.shape)) + value.tobytes())
    raise TypeError(f"a simulator's argument cannot be a {type(value).__name__}")


def _part(tag: bytes, content: bytes) -> bytes:
    return b"%s %d:%s" % (tag, len(content), content)


def _identity(cell: Cell) -> tuple[Any, ...]:
    """What determines the random numbers: two cells that agree here differ in their block only."""
    seen = cell.observation
    return seen.simulator, seen.arguments, seen.dimension, seen.activation, cell.seed


def key(cell: Cell, package: Package = SIMULATE) -> str:
    """The name under which a cell is stored: a sha256 over all that its numbers depend on."""
    versions = _version("jax"), _version("jaxlib")
    content = (*_identity(cell), cell.block, BLOCK, PRECISION, versions, _code(*_program(cell, package)))
    return hashlib.sha256(encode(content)).hexdigest()


@functools.cache
def _version(distribution: str) -> str:
    # From the metadata: a key must not cost an import of JAX.
    return importlib.metadata.version(distribution)


def _program(cell: Cell, package: Package) -> tuple[str, bool, Package]:
    """Which code computes the cell: the simulator, and whether an activation is built for it."""
    return cell.observation.simulator, cell.observation.activation is not None, package


def _code(simulator: str, activated: bool, package: Package) -> tuple[str, ...]:
    """Hash of the simulator's source and, where it takes an activation, of what builds that."""
    module, _ = _parse_name(simulator, package)
    code = source_digest(module, package.root, (package.name,))
    if not activated:
        return (code,)
    house = ("theorems", "proofs_checks", "simulate")
    return code, source_digest("theorems.activation", _HOUSE, house)


def _parse_name(simulator: str, package: Package) -> tuple[str, str]:
    """Split "package.module:function", and refuse what lies outside the package."""
    module, colon, function = simulator.partition(":")
    parts = module.split(".")
    named = all(part.isidentifier() for part in (*parts, function))
    if not (colon and named and parts[0] == package.name):
        raise ValueError(f'a simulator is named "{package.name}.module:function", not {simulator!r}')
    return module, function


Stamp = tuple[int, int, int]
_digests: dict[tuple[str, Path, tuple[str, ...]], tuple[str, dict[str, Stamp]]] = {}
"""Digests computed in this process, with the stamp of every file they cover: valid while none changes."""


def source_digest(module: str, root: Path, packages: tuple[str, ...]) -> str:
    """sha256 of the source of `module` and of all it imports, transitively, from `packages` in `root`."""
    question = module, root, packages
    if question in _digests:
        digest, stamps = _digests[question]
        if all(_stamp(file) == stamp for file, stamp in stamps.items()):
            return digest
    _digests[question] = _read_sources(module, root, packages)
    return _digests[question][0]


def _stamp(file: str) -> Stamp | None:
    """What changes when a file is written; None when it is gone."""
    try:
        status = os.stat(file)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size


def _read_sources(module: str, root: Path, packages: tuple[str, ...]) -> tuple[str, dict[str, Stamp]]:
    if _source_file(module, root) is None:
        raise ValueError(f"there is no module {module}")
    digests: dict[str, str] = {}
    stamps: dict[str, Stamp] = {}
    waiting = [module]
    while waiting:
        # Importing a.b.c runs a and a.b first.
        for name in _ancestors(waiting.pop()):
            file = None if name in digests else _source_file(name, root)
            # The stamp is taken before the content is read: an edit in between is noticed next time.
            stamp = None if file is None else _stamp(file)
            if file is None or stamp is None:
                continue
            stamps[file] = stamp
            digests[name], imported = _read_source(file, name, stamp)
            waiting.extend(other for other in imported if other.split(".")[0] in packages)
    return hashlib.sha256(encode(digests)).hexdigest(), stamps


def _ancestors(module: str) -> Iterator[str]:
    parts = module.split(".")
    return (".".join(parts[: i + 1]) for i in range(len(parts)))


def _source_file(module: str, root: Path) -> str | None:
    path = root.joinpath(*module.split("."))
    for file in (path / "__init__.py", path.with_name(path.name + ".py")):
        if file.is_file():
            return str(file)
    return None


@functools.lru_cache(maxsize=1024)
def _read_source(file: str, module: str, stamp: Stamp) -> tuple[str, tuple[str, ...]]:
    """Digest of a file and the modules it may import; another stamp is another question to the cache."""
    content = Path(file).read_bytes()
    package = module if file.endswith("__init__.py") else module.rpartition(".")[0]
    names: set[str] = set()
    for node in ast.walk(ast.parse(content, file)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            origin = ".".join([*base, *([node.module] if node.module else [])])
            # `from a import b` may name a module a.b or something defined in a: names that turn out
            # to be no module have no file and drop out.
            names.add(origin)
            names.update(f"{origin}.{alias.name}" for alias in node.names if alias.name != "*")
    return hashlib.sha256(content).hexdigest(), tuple(sorted(names))


def describe(cell: Cell) -> str:
    """The cell's arguments as JSON, for a person who looks into a store; arrays by type and shape."""

    def shown(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return f"{value.dtype}{list(value.shape)}"
        if isinstance(value, np.generic):
            return value.item()
        if isinstance(value, Mapping):
            return {name: shown(item) for name, item in sorted(value.items())}
        if isinstance(value, tuple | list):
            return [shown(item) for item in value]
        return value

    seen = cell.observation
    return json.dumps(
        {
            "arguments": shown(seen.arguments),
            "activation": seen.activation,
            "seed": cell.seed,
            "block": cell.block,
        }
    )


# --- computing it -------------------------------------------------------------------------------


def run_cell(cell: Cell, package: Package = SIMULATE, expected: str | None = None) -> CellResult:
    """Compute one cell; see `run_cells`."""
    return run_cells((cell,), package, None if expected is None else (expected,))[0]


def run_cells(
    cells: Sequence[Cell], package: Package = SIMULATE, expected: Sequence[str] | None = None
) -> list[CellResult]:
    """Compute some cells of one observation in one call, in whichever process this is.

    `expected` are the keys under which the caller will store the results. They are compared with the keys as
    this process sees them, so that a remote worker with other sources or another jaxlib is found out. The
    seconds of the call are shared out evenly.
    """
    cell, size = cells[0], BLOCK * len(cells)
    seen = cell.observation
    where = f"{seen.simulator} at d = {seen.dimension} with {describe(cell)}"
    if min(part.block for part in cells) < 0:
        raise ValueError(f"{where}: a block is counted from 0")
    configure_jax()
    if next(_CALLS) % 32 == 0:  # looking takes milliseconds, and 32 calls compile far less than there is room for
        release_programs()
    try:
        simulator, code = _load(*_program(cell, package))
    except (ImportError, AttributeError) as error:
        raise SimulatorFailed(f"{where} cannot be imported: {error}") from error
    stale = expected is not None and list(expected) != [key(part, package) for part in cells]
    if code != _code(*_program(cell, package)) or stale:
        raise SimulatorFailed(
            f"{where}: the worker's source or JAX is not the one this run started with; "
            "install the same version everywhere and start the run again."
        )
    arguments: dict[str, Any] = dict(seen.arguments)
    if seen.activation is not None:
        arguments["activation"] = _activation_function(seen.activation)
    start = time.perf_counter()
    try:
        values = np.asarray(simulator(_replicate_keys(cells), dimension=seen.dimension, **arguments))
    except FloatingPointError as error:
        raise OutOfReach(f"{where}: {error}") from error
    except Exception as error:
        raise SimulatorFailed(f"{where} raised {type(error).__name__}: {error}") from error
    seconds = time.perf_counter() - start
    if values.shape != (size,) or values.dtype != PRECISION:
        found = f"{values.dtype}{list(values.shape)}"
        raise SimulatorFailed(f"{where} returned {found} instead of {PRECISION}[{size}]")
    finite = int(np.isfinite(values).sum())
    if finite < size:
        raise SimulatorFailed(f"{where}: {size - finite} of {size} values are not finite")
    return [CellResult(part, seconds / len(cells)) for part in values.reshape(-1, BLOCK)]


@functools.cache
def _load(simulator: str, activated: bool, package: Package) -> tuple[Callable[..., Any], tuple[str, ...]]:
    """The simulator, and the hashes of its code when this process loaded it."""
    module, function = _parse_name(simulator, package)
    code = _code(simulator, activated, package)
    return getattr(importlib.import_module(module), function), code


@functools.lru_cache(maxsize=256)
def _activation_function(text: str) -> Any:
    # One function object per expression and process: JAX compiles again for each new object.
    from theorems.activation import activation

    return activation(text).function()


def _replicate_keys(cells: Sequence[Cell]) -> Any:
    import jax

    digest = hashlib.sha256(encode(_identity(cells[0]))).digest()
    # 63 bits: JAX takes seeds as int64. The generator is named because a user's setting could change it.
    base = jax.random.key(int.from_bytes(digest[:8], "big") >> 1, impl="threefry2x32")
    blocks = [np.arange(cell.block * BLOCK, (cell.block + 1) * BLOCK, dtype=np.uint32) for cell in cells]
    return jax.vmap(jax.random.fold_in, (None, 0))(base, np.concatenate(blocks))
