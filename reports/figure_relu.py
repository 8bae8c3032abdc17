"""lazy-3: ReLU networks on a quadratic function (P, 4; O, Figure 3), where there is no theory line.

B is diagonal with the quantiles of Exp(1). NT is the exact risk given the weights, by least squares on the population
kernel, which is applied and never stored; NN is the exact population loss of a network of N neurons after training
from a random start, so an upper bound of what NN can reach. Dots are means over draws (of the weights, or of the
start), bars go from the least to the largest. Wide networks have fewer draws, down to one: the CSV says how many.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure as Canvas

from reports.confrontation import Process
from reports.figure_files import COLOURS, error_bars, house_style, plain_log_axis, sampled, thinned
from reports.figures import Figure
from simulate.relu_network import relu_network_cost
from simulate.relu_tangent import relu_tangent_cost
from theorems.claim import Observation
from theorems.spectra import spectrum

FULL = 450, (30, 45, 64, 90, 135, 200, 300, 450, 640, 900, 1800, 4500)
QUICK = 60, (6, 15, 30, 45, 60, 120)
STEPS = 100
"""Of L-BFGS: at d = 450 another hundred lower the loss by 0.002 of E f*^2 or less, the size of a dot."""
AFFORDABLE = 5e10
"""Flops of one value, some seconds, up to which all sixteen of a cell are computed; above it fewer, down to one."""
COLOUR = {"NT": COLOURS[2], "NN": COLOURS[3]}


@dataclass(frozen=True)
class Row:
    """One line of the CSV."""

    curve: str
    dimension: int
    neurons: int
    mean: float
    sd: float | None
    least: float
    largest: float
    draws: int


def observation(curve: str, dimension: int, neurons: int) -> Observation:
    """One dot of the figure."""
    shared: dict[str, Any] = {"neurons": neurons, "target": spectrum("exp1").eigenvalues(dimension)}
    if curve == "NT":
        every = thinned(relu_tangent_cost(dimension, neurons), AFFORDABLE)
        simulator = "simulate.relu_tangent:relu_tangent_risk"
        cost = relu_tangent_cost(dimension, neurons, every=every)
    else:
        every = thinned(relu_network_cost(dimension, neurons, steps=STEPS), AFFORDABLE)
        simulator = "simulate.relu_network:relu_network_risk"
        shared["steps"] = STEPS
        cost = relu_network_cost(dimension, neurons, steps=STEPS, every=every)
    return Observation(simulator=simulator, dimension=dimension, arguments={**shared, "every": every}, cost=cost)


def _dots(quick: bool) -> list[tuple[str, Observation]]:
    """Cheap ones first: what a killed run leaves unfinished is the dear end."""
    dimension, widths = QUICK if quick else FULL
    dots = [(curve, observation(curve, dimension, neurons)) for curve in COLOUR for neurons in widths]
    return sorted(dots, key=lambda dot: dot[1].cost)


def _row(curve: str, seen: Observation, values: np.ndarray) -> Row:
    drawn = values[:: seen.arguments["every"]]
    sd = float(np.std(drawn, ddof=1)) if len(drawn) > 1 else None
    least, largest = float(np.min(drawn)), float(np.max(drawn))
    width = int(seen.arguments["neurons"])
    return Row(curve, seen.dimension, width, float(np.mean(drawn)), sd, least, largest, len(drawn))


def _rows(quick: bool, seed: int) -> Process[Sequence[Any]]:
    dots = _dots(quick)
    values = yield from sampled([seen for _, seen in dots], seed)
    rows = [_row(curve, seen, drawn) for (curve, seen), drawn in zip(dots, values, strict=True)]
    return sorted(rows, key=lambda row: (tuple(COLOUR).index(row.curve), row.neurons))


def _draw(rows: Sequence[Row]) -> Canvas:
    dimension = rows[0].dimension
    with house_style():
        canvas = Canvas(figsize=(8, 5.4), layout="constrained")
        axes = canvas.subplots()
        for curve, colour in COLOUR.items():
            dots = [row for row in rows if row.curve == curve]
            places = [row.neurons for row in dots]
            axes.plot(places, [row.mean for row in dots], color=colour, lw=1, alpha=0.6)
            error_bars(axes, places, dots, color=colour, label=curve)
        axes.axvline(dimension, color=COLOURS[4], ls=":", lw=1.3, label="$N = d$")
        axes.set(xlabel="number of neurons $N$", ylabel="risk / risk of the best constant")
        plain_log_axis(axes)
        axes.set_ylim(bottom=0)
        axes.grid(True, which="major", alpha=0.25)
        axes.legend(frameon=False)
        canvas.suptitle("ReLU networks on a quadratic function, $B$ with Exp(1) eigenvalues", fontsize=14)
        axes.set_title(f"$d = {dimension}$, population limit, no theory line\n{_note(rows)}", fontsize=11)
    return canvas


def _note(rows: Sequence[Row]) -> str:
    full = max(row.draws for row in rows)
    fewer = [row for row in rows if row.draws < full]
    note = f"dots: mean of {full} draws, bars: least to largest"
    if fewer:
        note += f" (from $N = {min(row.neurons for row in fewer)}$ fewer draws, down to {min(r.draws for r in fewer)})"
    return f"{note}\nNN: {STEPS} steps of L-BFGS on the exact loss, an upper bound of what NN reaches"


RELU = Figure(lambda quick: len(_dots(quick)), _rows, _draw)
