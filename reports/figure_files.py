"""What all figures share: the sampling of their dots, error bars, and the files."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, Protocol

import matplotlib
import numpy as np
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from reports.cells import BLOCK, Cell, key
from reports.confrontation import Process
from reports.writers import write_whole
from theorems.claim import Observation

COLOURS = ("#0072B2", "#56B4E9", "#D55E00", "#009E73", "#555555", "#E69F00", "#CC79A7")
"""Okabe and Ito's palette, which people of every colour vision tell apart."""


def sampled(observations: Sequence[Observation], seed: int) -> Process[list[np.ndarray]]:
    """The sixteen values of each observation, asked for at once; for `yield from` in a figure's process."""
    cells = [Cell(seen, 0, seed) for seen in observations]
    results = yield cells
    return [results[key(cell)].values for cell in cells]


def thinned(cost: float, affordable: float) -> int:
    """One value in how many of a cell is computed, where one costs that much: a power of two, at most the cell."""
    return min(BLOCK, 1 << max(0, int(np.ceil(np.log2(cost / affordable)))))


class Spread(Protocol):
    """A mean over draws, with the least and the largest of them."""

    @property
    def mean(self) -> float: ...
    @property
    def least(self) -> float: ...
    @property
    def largest(self) -> float: ...


def error_bars(axes: Any, places: Sequence[float], rows: Sequence[Spread], **style: Any) -> None:
    """Means, with bars from the least to the largest draw."""
    means = [row.mean for row in rows]
    # A mean of equal numbers may miss them by a rounding: a bar has no negative length.
    below = [max(row.mean - row.least, 0.0) for row in rows]
    above = [max(row.largest - row.mean, 0.0) for row in rows]
    axes.errorbar(places, means, yerr=(below, above), **{"fmt": "o", "markersize": 5, "capsize": 2.5,
                  "elinewidth": 1.2, "clip_on": False, **style})  # fmt: skip


def plain_log_axis(axes: Any) -> None:
    """A logarithmic axis, after drawing, of plain numbers: 30, 100, 300, or decades if there are many."""
    axes.set_xscale("log")
    low, high = axes.get_xlim()
    axes.xaxis.set_major_locator(LogLocator(base=10, subs=(1.0,) if high > 500 * low else (1.0, 3.0)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.xaxis.set_minor_formatter(NullFormatter())


@contextmanager
def house_style() -> Iterator[None]:
    """Settings in which every figure is drawn, whatever the user's own are."""
    with matplotlib.rc_context({"font.size": 11, "axes.spines.top": False, "axes.spines.right": False}):
        yield


def csv_text(rows: Sequence[Any]) -> str:
    """Rows of one dataclass as CSV, with a header."""
    text = io.StringIO()
    writer = csv.DictWriter(text, [field.name for field in fields(rows[0])], lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow(asdict(row))
    return text.getvalue()


def write_table(rows: Sequence[Any], path: Path) -> Path:
    """The CSV, whole or not at all."""
    return write_whole(path, csv_text(rows))


def write_picture(canvas: Canvas, stem: Path) -> tuple[Path, ...]:
    """STEM.svg and STEM.png."""
    paths = []
    # Without a date and with fixed ids, the same rows give the same file.
    with matplotlib.rc_context({"svg.hashsalt": stem.name, "svg.fonttype": "path"}):
        for ending, metadata in ((".svg", {"Date": None}), (".png", {})):
            path = stem.with_name(stem.name + ending)
            canvas.savefig(path, dpi=160, facecolor="white", metadata=metadata)
            paths.append(path)
    return tuple(paths)
