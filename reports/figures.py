"""Figures for a talk: drawn from the rows of `figure_data`, written as SVG, PNG and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure as Canvas

from reports import figure_data
from reports.confrontation import OnCell, confront
from reports.figure_data import FULL, QUICK, SHARES, Plan, Row, Size
from reports.store import Store
from reports.writers import write_whole
from theorems.claim import BadInput

COLOURS = ("#0072B2", "#56B4E9", "#D55E00", "#009E73", "#555555")
"""Okabe and Ito's palette, which people of every colour vision tell apart."""
LEFT_COLOURS: dict[str, str] = dict(zip(("RF, isotropic", "RF, Gamma ~ B", "NT", "NN", "Bayes"), COLOURS, strict=True))
PRINTED = {"RF, isotropic": "RF, isotropic", "RF, Gamma ~ B": r"RF, $\Gamma \propto B$", "Bayes": "Bayes error"}


@dataclass(frozen=True)
class Subject:
    """A figure: its plan, and what is written on it."""

    plan: Callable[[Size], Plan]
    title: str
    left: str
    right: str


SUBJECTS = {
    "lazy-1": Subject(
        figure_data.quadratic,
        "Fitting a quadratic function, $B$ with Exp(1) eigenvalues",
        "population limit",
        "SGD, batch 100",
    ),
    "lazy-2": Subject(
        figure_data.mixture,
        r"Fitting a mixture of Gaussians, $\sqrt{d}\,\Delta$ with eigenvalues 2, 3/2, 1",
        "population limit",
        "SGD, batch 100",
    ),
}


def subject(name: str) -> Subject:
    """The figure of that name."""
    if name not in SUBJECTS:
        raise BadInput(f"There is no figure {name[:40]!r}; the figures are: {', '.join(SUBJECTS)}.")
    return SUBJECTS[name]


def count_cells(name: str, quick: bool) -> int:
    """How many cells the figure needs, for a display of progress."""
    return sum(len(dot.choices) for dot in subject(name).plan(_size(quick)).dots)


def _size(quick: bool) -> Size:
    return QUICK if quick else FULL


def make_figure(
    name: str, out: Path, store: Store, executor: Executor, *, quick: bool, seed: int, on_cell: OnCell | None = None
) -> tuple[Path, ...]:
    """Measure what is not in the store, draw, and write NAME.csv, NAME.svg and NAME.png into `out`."""
    chosen = subject(name)
    plan = chosen.plan(_size(quick))
    (measured,) = confront([figure_data.measure(plan.dots, seed)], store, executor, on_cell=on_cell)
    rows = [*plan.known, *measured]
    table = write_whole(out / f"{name}.csv", csv_text(rows))
    return table, *_write_picture(draw(chosen, rows), out / name)


def csv_text(rows: Sequence[Row]) -> str:
    """The rows as CSV, with a header."""
    text = io.StringIO()
    writer = csv.DictWriter(text, [field.name for field in fields(Row)], lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow(asdict(row))
    return text.getvalue()


def _write_picture(canvas: Canvas, stem: Path) -> tuple[Path, ...]:
    paths = []
    # Without a date and with fixed ids, the same rows give the same file.
    with matplotlib.rc_context({"svg.hashsalt": stem.name, "svg.fonttype": "path"}):
        for ending, metadata in ((".svg", {"Date": None}), (".png", {})):
            path = stem.with_name(stem.name + ending)
            canvas.savefig(path, dpi=160, facecolor="white", metadata=metadata)
            paths.append(path)
    return tuple(paths)


def draw(chosen: Subject, rows: Sequence[Row]) -> Canvas:
    """Both frames."""
    with matplotlib.rc_context({"font.size": 11, "axes.spines.top": False, "axes.spines.right": False}):
        canvas = Canvas(figsize=(12.5, 5.4), layout="constrained")
        left, right = canvas.subplots(1, 2)
        canvas.suptitle(chosen.title, fontsize=14)
        _draw_left(left, [row for row in rows if row.frame == "left"], chosen.left)
        _draw_right(right, [row for row in rows if row.frame == "right"], chosen.right)
    return canvas


def _curves(rows: Sequence[Row]) -> dict[str, list[Row]]:
    curves: dict[str, list[Row]] = {}
    for row in rows:
        curves.setdefault(row.curve, []).append(row)
    return curves


def _dots(axes: Any, places: Sequence[int], rows: Sequence[Row], **style: Any) -> None:
    """Means, with bars from the least to the largest draw."""
    means = [row.mean for row in rows]
    below = [row.mean - row.least for row in rows]
    above = [row.largest - row.mean for row in rows]
    axes.errorbar(places, means, yerr=(below, above), fmt="o", markersize=5, capsize=2.5, elinewidth=1.2, clip_on=False,
                  **style)  # fmt: skip


def _draw_left(axes: Any, rows: Sequence[Row], title: str) -> None:
    for curve, line in _curves([row for row in rows if row.kind == "theory"]).items():
        style = ":" if curve == "Bayes" else "-"
        label = PRINTED.get(curve, curve)
        axes.plot([row.neurons for row in line], [row.mean for row in line], style, color=LEFT_COLOURS[curve], lw=1.8,
                  label=label)  # fmt: skip
    draws = 0
    for curve, dots in _curves([row for row in rows if row.kind == "measured"]).items():
        _dots(axes, [row.neurons for row in dots], dots, color=LEFT_COLOURS[curve])
        draws = max(draws, *(row.draws for row in dots))
    exact = sorted({row.curve for row in rows if row.kind == "measured" and row.draws == 0})
    note = f"lines: theory; dots: mean of {draws} weight draws, bars: least to largest"
    note += f" ({', '.join(exact)}: exact)" if exact else ""
    _finish(axes, f"$d = {rows[0].dimension}$, {title}\n{note}", "number of neurons $N$")


def _draw_right(axes: Any, rows: Sequence[Row], title: str) -> None:
    limits = {row.curve: row.mean for row in rows if row.kind == "limit"}
    curves = _curves([row for row in rows if row.kind == "measured"])
    shades = {"NT": ("#D55E00", "#E69F00"), "NN": ("#009E73", "#0072B2")}
    widths = sorted({row.neurons for row in rows})
    draws = 0
    for curve, dots in curves.items():
        colour = shades[curve[:2]][widths.index(dots[0].neurons)]
        places = [row.samples or 0 for row in dots]
        axes.plot(places, [row.mean for row in dots], "-", color=colour, lw=1, alpha=0.6)
        _dots(axes, places, dots, color=colour, label=curve)
        axes.axhline(limits[curve], color=colour, ls="--", lw=1.3)
        draws = max(draws, *(row.draws for row in dots))
    note = f"dashed: least population risk; dots: mean of {draws} runs, bars: least to largest"
    _finish(axes, f"$d = {rows[0].dimension}$, {title}, best of {len(SHARES)} step sizes\n{note}",
            "number of samples $n$")  # fmt: skip


def _finish(axes: Any, title: str, label: str) -> None:
    axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    axes.set_title(title, fontsize=11)
    axes.set_xlabel(label)
    axes.set_ylabel("risk / risk of the best constant")
    axes.grid(True, which="major", alpha=0.25)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.13), ncol=5, frameon=False, columnspacing=1.2)
