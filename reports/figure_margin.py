"""thermo-margin: max-margin classification with ReLU features at n/d = 2 (T, slide Comparison).

Test error and margin against psi1 = N/d, noiseless labels. Lines: Err_* and b_* kappa_* of noisy linear features.
Dots: medians over sixteen data sets of Err_n and kappa_n as they are (not steadied), for noisy linear and for nonlinear
features; bars go from the least to the largest data set. Data that are not separable have kappa_n = 0 and no
max-margin classifier: the CSV counts them, and where there is one the dot of the error is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from matplotlib.figure import Figure as Canvas
from scipy.optimize import brentq

from proofs_checks.margin_functional import LabelLaw
from proofs_checks.max_margin import max_margin, separability_threshold
from reports.confrontation import Process
from reports.figure_files import COLOURS, house_style, sampled
from reports.figures import Figure
from simulate.max_margin import error_cost, margin_cost
from theorems.activation import activation
from theorems.claim import Observation

SIGMA = "relu"
LABELS = "sign"
SAMPLES = 2
"""psi2 = n/d."""
WIDTHS = tuple(map(Fraction, ("1/2", "3/4", "1", "3/2", "2", "3", "4", "6")))
FEW = tuple(map(Fraction, ("1", "2", "4")))
FULL = {100: FEW, 200: WIDTHS, 400: WIDTHS, 800: FEW[:2]}
"""psi1 by dimension: the two dimensions of the slide in full, the others to show which way it goes."""
QUICK = {20: FEW, 40: FEW}
COLOUR = {"noisy linear": COLOURS[0], "nonlinear": COLOURS[2]}
MARKERS = "^osD"
FRAMES = ("error", "margin")


@dataclass(frozen=True)
class Row:
    """One line of the CSV. `kind` is theory or measured; `separable` counts the data sets that are, of `draws`."""

    frame: str
    kind: str
    curve: str
    dimension: int | None
    psi1: float
    middle: float
    least: float
    largest: float
    separable: int | None
    draws: int


def observation(frame: str, curve: str, dimension: int, psi1: Fraction) -> Observation:
    """One dot of the figure."""
    neurons, samples = round(psi1 * dimension), SAMPLES * dimension
    features = "noisy_linear" if curve == "noisy linear" else "nonlinear"
    shape = dimension, neurons, samples
    return Observation(
        simulator=f"simulate.max_margin:{frame}",
        dimension=dimension,
        arguments={"neurons": neurons, "samples": samples, "labels": LABELS, "features": features},
        cost=error_cost(*shape, features) if frame == "error" else margin_cost(*shape),
        activation=SIGMA,
    )


def _dots(quick: bool) -> list[tuple[str, str, Fraction, Observation]]:
    """Cheap ones first: what a killed run leaves unfinished is the dear end."""
    dots = [
        (frame, curve, psi1, observation(frame, curve, dimension, psi1))
        for dimension, widths in (QUICK if quick else FULL).items()
        for psi1 in widths
        for curve in COLOUR
        for frame in FRAMES
    ]
    return sorted(dots, key=lambda dot: dot[-1].cost)


def _row(frame: str, curve: str, psi1: Fraction, seen: Observation, values: np.ndarray) -> Row:
    # By their definitions a margin of 0 and an error of 1 belong to data that are not separable, and to no others.
    separable = int(np.sum(values > 0 if frame == "margin" else values < 1))
    middle, least, largest = float(np.median(values)), float(np.min(values)), float(np.max(values))
    return Row(frame, "measured", curve, seen.dimension, float(psi1), middle, least, largest, separable, len(values))


def _threshold(zeta: Any) -> float:
    """The N/d above which 2 d data points are separable."""

    def excess(psi1: float) -> float:
        return float(separability_threshold(zeta, Fraction(psi1), LabelLaw.of(LABELS)).mid()) - SAMPLES

    return float(brentq(excess, 0.05, float(SAMPLES)))  # pyright: ignore[reportArgumentType]


def _lines(quick: bool) -> Iterator[Row]:
    sigma, labels = activation(SIGMA), LabelLaw.of(LABELS)
    zeta = abs(sigma.b1()) / sigma.b_star()
    start = _threshold(zeta)
    places = start * (1 + np.geomspace(1e-3, 7 / start - 1, 24 if quick else 60))
    found = [max_margin(zeta, Fraction(place), SAMPLES, labels) for place in places]
    scale = sigma.b_star()
    values = [(float(limit.error.mid()), float((scale * limit.kappa).mid())) for limit in found]
    for place, (error, margin) in zip(places, values, strict=True):
        yield Row("error", "theory", "theory", None, float(place), error, error, error, None, 0)
        yield Row("margin", "theory", "theory", None, float(place), margin, margin, margin, None, 0)
    for place in (0.3, start):
        yield Row("margin", "theory", "theory", None, place, 0.0, 0.0, 0.0, None, 0)


def _rows(quick: bool, seed: int) -> Process[Sequence[Any]]:
    dots = _dots(quick)
    values = yield from sampled([dot[-1] for dot in dots], seed)
    measured = [_row(*dot, drawn) for dot, drawn in zip(dots, values, strict=True)]
    return sorted([*_lines(quick), *measured], key=lambda row: (row.frame, row.curve, row.dimension or 0, row.psi1))


def _draw_frame(axes: Any, rows: Sequence[Row]) -> None:
    line = [row for row in rows if row.kind == "theory"]
    axes.plot([row.psi1 for row in line], [row.middle for row in line], color=COLOURS[4], lw=1.8, label="theory")
    measured = [row for row in rows if row.kind == "measured"]
    dimensions = sorted({row.dimension or 0 for row in measured})
    series = [(curve, dimension) for dimension in dimensions for curve in COLOUR]
    for place, (curve, dimension) in enumerate(series):
        dots = [row for row in measured if (row.curve, row.dimension) == (curve, dimension)]
        if rows[0].frame == "error":
            dots = [row for row in dots if row.separable == row.draws]
        # Side by side, since they would cover each other.
        shift = 1.014 ** (place - (len(series) - 1) / 2)
        bars = [[row.middle - row.least for row in dots], [row.largest - row.middle for row in dots]]
        axes.errorbar([shift * row.psi1 for row in dots], [row.middle for row in dots], yerr=bars,
                      fmt=MARKERS[dimensions.index(dimension)], color=COLOUR[curve], markersize=5, capsize=0,
                      elinewidth=1, mfc="white" if curve == "noisy linear" else COLOUR[curve], clip_on=False,
                      label=f"{curve}, $d = {dimension}$")  # fmt: skip
    axes.set_xscale("log")
    ticks = sorted({row.psi1 for row in measured})
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.set_xlabel(r"$\psi_1 = N/d$")
    axes.grid(True, which="major", alpha=0.25)
    axes.set_ylim(bottom=0)


def _draw(rows: Sequence[Row]) -> Canvas:
    with house_style():
        canvas = Canvas(figsize=(12.5, 5.8), layout="constrained")
        for axes, frame, label in zip(
            canvas.subplots(1, 2), FRAMES, (r"test error $\mathrm{Err}_n$", r"margin $\kappa_n$"), strict=True
        ):
            _draw_frame(axes, [row for row in rows if row.frame == frame])
            axes.set_ylabel(label)
        threshold = max(row.psi1 for row in rows if row.kind == "theory" and row.middle == 0)
        first = min(row.psi1 for row in rows if row.kind == "measured")
        for axes in canvas.axes:
            axes.axvline(threshold, color=COLOURS[4], ls=":", lw=1.3, label="separable from here on")
            axes.set_xlim(left=0.9 * min(first, threshold))
        draws = max(row.draws for row in rows)
        canvas.suptitle(rf"Max-margin classification on ReLU features, $\psi_2 = n/d = {SAMPLES}$", fontsize=14)
        canvas.axes[0].set_title(f"dots: median of {draws} data sets, bars: least to largest\n"
                                 "no dot where a data set is not separable", fontsize=11)  # fmt: skip
        canvas.axes[1].set_title(
            "noiseless labels; dots of one $\\psi_1$ are drawn side by side\nnot separable: margin 0", fontsize=11
        )
        canvas.legend(*canvas.axes[0].get_legend_handles_labels(), loc="outside lower center", ncol=5, frameon=False)
    return canvas


MARGIN = Figure(lambda quick: len(_dots(quick)), _rows, _draw)
