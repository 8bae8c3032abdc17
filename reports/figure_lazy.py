"""lazy-1 and lazy-2, drawn from the rows of `figure_data`: theory lines and measured dots, and SGD beside them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from matplotlib.figure import Figure as Canvas

from reports import figure_data
from reports.confrontation import Process
from reports.figure_data import BATCH, FULL, QUICK, Plan, Row, Size
from reports.figure_files import COLOURS, error_bars, house_style, plain_log_axis
from reports.figures import Figure

CURVES = ("RF, isotropic", "RF, Gamma ~ B", "NT", "NN", "Bayes")
LEFT_COLOURS: dict[str, str] = dict(zip(CURVES, COLOURS, strict=False))
PRINTED = {"RF, Gamma ~ B": r"RF, $\Gamma \propto B$", "Bayes": "Bayes error"}
SHADES = {"NT": (COLOURS[2], COLOURS[5]), "NN": (COLOURS[3], COLOURS[0])}


def _figure(plan: Callable[[Size], Plan], title: str) -> Figure:
    def sized(quick: bool) -> Plan:
        return plan(QUICK if quick else FULL)

    def rows(quick: bool, seed: int) -> Process[Sequence[Any]]:
        chosen = sized(quick)
        return [*chosen.known, *(yield from figure_data.measure(chosen.dots, seed))]

    return Figure(lambda quick: sum(len(dot.choices) for dot in sized(quick).dots), rows, partial(_draw, title))


def _draw(title: str, rows: Sequence[Row]) -> Canvas:
    """Both frames."""
    with house_style():
        canvas = Canvas(figsize=(12.5, 5.6), layout="constrained")
        left, right = canvas.subplots(1, 2)
        canvas.suptitle(title, fontsize=14)
        _draw_left(left, [row for row in rows if row.frame == "left"])
        _draw_right(right, [row for row in rows if row.frame == "right"])
    return canvas


def _curves(rows: Sequence[Row]) -> dict[str, list[Row]]:
    curves: dict[str, list[Row]] = {}
    for row in rows:
        curves.setdefault(row.curve, []).append(row)
    return curves


def _draw_left(axes: Any, rows: Sequence[Row]) -> None:
    for curve, line in _curves([row for row in rows if row.kind == "theory"]).items():
        style = ":" if curve == "Bayes" else "-"
        label = PRINTED.get(curve, curve)
        axes.plot([row.neurons for row in line], [row.mean for row in line], style, color=LEFT_COLOURS[curve], lw=1.8,
                  label=label)  # fmt: skip
    finite = _curves([row for row in rows if row.kind == "equivalent"])
    for curve, line in finite.items():
        axes.plot([row.neurons for row in line], [row.mean for row in line], "--", color=LEFT_COLOURS[curve], lw=1.1)
    draws = 0
    for curve, dots in _curves([row for row in rows if row.kind == "measured"]).items():
        error_bars(axes, [row.neurons for row in dots], dots, color=LEFT_COLOURS[curve])
        draws = max(draws, *(row.draws for row in dots))
    exact = sorted({row.curve for row in rows if row.kind == "measured" and row.draws == 0})
    lines = "lines: theory" + (", dashed: the same with $N/d^2$ not neglected" if finite else "")
    note = f"dots: mean of {draws} weight draws, bars: least to largest"
    note += f" ({', '.join(exact)}: exact)" if exact else ""
    _finish(axes, (f"$d = {rows[0].dimension}$, population limit", lines, note), "number of neurons $N$")


def _draw_right(axes: Any, rows: Sequence[Row]) -> None:
    limits = {row.curve: row.mean for row in rows if row.kind == "limit"}
    curves = _curves([row for row in rows if row.kind == "measured"])
    widths = sorted({row.neurons for row in rows})
    for curve, dots in curves.items():
        colour = SHADES[curve[:2]][widths.index(dots[0].neurons)]
        places = [row.samples or 0 for row in dots]
        axes.plot(places, [row.mean for row in dots], "-", color=colour, lw=1, alpha=0.6)
        error_bars(axes, places, dots, color=colour, label=curve)
        axes.axhline(limits[curve], color=colour, ls="--", lw=1.3)
    draws = {row.draws for dots in curves.values() for row in dots}
    training = f"$d = {rows[0].dimension}$, SGD, batch {BATCH}, better of two step sizes"
    fewer = f" (long ones: fewer, down to {min(draws)})" if len(draws) > 1 else ""
    note = f"dots: mean of {max(draws)} runs{fewer}, bars: least to largest"
    _finish(axes, (training, "dashed: least population risk", note), "number of samples $n$")


def _finish(axes: Any, title: Sequence[str], label: str) -> None:
    plain_log_axis(axes)
    axes.set_ylim(bottom=0)
    axes.set_title("\n".join(title), fontsize=11)
    axes.set_xlabel(label)
    axes.set_ylabel("risk / risk of the best constant")
    axes.grid(True, which="major", alpha=0.25)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.13), ncol=5, frameon=False, columnspacing=1.2)


QUADRATIC = _figure(figure_data.quadratic, "Fitting a quadratic function, $B$ with Exp(1) eigenvalues")
MIXTURE = _figure(figure_data.mixture, r"Fitting a mixture of Gaussians, $\sqrt{d}\,\Delta$ with eigenvalues 2, 3/2, 1")
