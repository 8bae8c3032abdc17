"""The figures that `asymptest figure` can draw: one row each, loaded when it is asked for.

A figure is three functions: how many cells it needs, a process that measures them and returns its rows, and the
drawing of the rows. The rows are instances of one dataclass of the figure's own, whose fields are NAME.csv's columns.
To add a figure, write such a `Figure` in a module of its own and give it a row in FIGURES.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from theorems.claim import BadInput

if TYPE_CHECKING:  # the list of names is read by --help, which loads nothing heavy
    from concurrent.futures import Executor
    from pathlib import Path

    from matplotlib.figure import Figure as Canvas

    from reports.confrontation import OnCell, Process
    from reports.store import Store


@dataclass(frozen=True, eq=False)
class Figure:
    """What is measured and how it is drawn, each in a small version (`quick`) and in full."""

    count: Callable[[bool], int]
    """quick -> the number of cells, for a display of progress."""
    rows: Callable[[bool, int], Process[Sequence[Any]]]
    """(quick, seed) -> a process for `reports.confrontation.confront` that ends with the rows."""
    draw: Callable[[Sequence[Any]], Canvas]


@dataclass(frozen=True)
class Listed:
    """A row of the list: a title, and the "module:name" of the `Figure`."""

    title: str
    place: str


FIGURES: Mapping[str, Listed] = {
    "lazy-1": Listed("a quadratic function: risk against N and against samples", "reports.figure_lazy:QUADRATIC"),
    "lazy-2": Listed("a mixture of Gaussians: the same frames, and the Bayes error", "reports.figure_lazy:MIXTURE"),
    "lazy-3": Listed("ReLU networks on a quadratic function: risk against N", "reports.figure_relu:RELU"),
    "lazy-training": Listed("SGD, its flow and the least risk; strict saddles", "reports.figure_training:TRAINING"),
    "thermo-descent": Listed("double descent: risk against N/n, lines and dots", "reports.figure_thermo:DESCENT"),
    "thermo-phase": Listed("double descent: where each statement about it holds", "reports.figure_thermo:PHASE"),
    "thermo-margin": Listed("max-margin, ReLU features: error and margin against N/d", "reports.figure_margin:MARGIN"),
}


def listing() -> str:
    """Names and titles, a line each."""
    width = max(map(len, FIGURES))
    return "\n".join(f"{name:{width}}  {listed.title}" for name, listed in FIGURES.items())


def figure(name: str) -> Figure:
    """The figure of that name."""
    if name not in FIGURES:
        raise BadInput(f"There is no figure {name[:40]!r}; the figures are: {', '.join(FIGURES)}.")
    module, _, attribute = FIGURES[name].place.partition(":")
    return getattr(importlib.import_module(module), attribute)


def make_figure(
    name: str, out: Path, store: Store, executor: Executor, *, quick: bool, seed: int, on_cell: OnCell | None = None
) -> tuple[Path, ...]:
    """Measure what is not in the store, draw, and write NAME.csv, NAME.svg and NAME.png into `out`."""
    from reports.confrontation import confront
    from reports.figure_files import write_picture, write_table

    chosen = figure(name)
    (rows,) = confront([chosen.rows(quick, seed)], store, executor, on_cell=on_cell)
    return write_table(rows, out / f"{name}.csv"), *write_picture(chosen.draw(rows), out / name)
