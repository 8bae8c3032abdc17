"""lazy-training: what Theorem 3 and Proposition 1 of P say, for networks small enough to see the limits.

Left, the double limit: the risk of one-pass SGD against t = eps x steps, down a ladder of eps, from one start; the
gradient flow, to which it tends as eps -> 0; and the least risk, to which the flow tends as t -> inf. Dots are medians.
Right, strict saddles: the smallest gradient that a search finds with no curvature below -delta and the risk above its
infimum, against delta. It is positive for delta < delta_0, as the correction of Proposition 1 says, and zero beyond.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from matplotlib.figure import Figure as Canvas

from reports.confrontation import Process
from reports.figure_files import COLOURS, house_style, sampled
from reports.figures import Figure
from simulate.quadratic_network import DIVERGED
from theorems.claim import Setting
from theorems.lazy_training import nn_landscape, nn_training

POINT = {"rho": Fraction(1, 4), "B": "0,0,1/2,3/2"}
LADDER = (64, 256, 1024, 4096)
"""1/eps."""
TIMES = tuple(2.0**power for power in range(-5, 3))
LINE_TIMES = np.geomspace(TIMES[0], TIMES[-1], 60)
DELTAS = (0.5, 0.7, 0.8, 0.85, 0.9, 0.92, 0.94, 0.96, 0.98, 0.99, 1.0, 1.02, 1.05, 1.1)
QUICK_DELTAS = (0.9, 1.1)


@dataclass(frozen=True)
class Row:
    """One line of the CSV: `place` is t in the left frame and delta/delta_0 in the right one.

    `least` and `largest` are over the draws that did not diverge; the value, a median, is over all of them, and empty
    where half or more did.
    """

    frame: str
    curve: str
    place: float
    value: float | None
    least: float | None
    largest: float | None
    draws: int
    diverged: int


def _setting(inverse_step: int) -> Setting:
    return Setting(POINT, inverse_step)


def _ladder(quick: bool) -> tuple[int, ...]:
    return LADDER[:2] if quick else LADDER


def _exact(frame: str, curve: str, place: float, value: float | None) -> Row:
    return Row(frame, curve, place, value, value, value, 0, 0)


def _known() -> list[Row]:
    floor = float(nn_training.floor_share(_setting(LADDER[0])))
    flow = [_exact("left", "flow", float(t), float(nn_training.flow_at(float(t))(_setting(1)))) for t in LINE_TIMES]
    return [*flow, *(_exact("left", "floor", t, floor) for t in (TIMES[0], TIMES[-1]))]


def _searched(quick: bool) -> list[Row]:
    """eps(delta) for a few B; None where no start met the constraints."""
    rows = []
    for eigenvalues, neurons in nn_landscape.SEARCHED[: 1 if quick else None]:
        curve = f"$B = \\mathrm{{diag}}{eigenvalues}$, $N = {neurons}$"
        for share in QUICK_DELTAS if quick else DELTAS:
            found = nn_landscape.near_critical(eigenvalues, neurons, share)
            rows.append(_exact("right", curve, share, None if found is None else found.gradient))
    return rows


def _dot(inverse_step: int, time: float, values: np.ndarray) -> Row:
    # A path is stopped at this multiple of its first risk and more, so a share of 2 ||B||^2 above it has diverged.
    kept = values[values < DIVERGED]
    most = 2 * len(kept) > len(values)
    least, largest = (float(np.min(kept)), float(np.max(kept))) if len(kept) else (None, None)
    median = float(np.median(values)) if most else None
    return Row("left", f"1/{inverse_step}", time, median, least, largest, len(values), len(values) - len(kept))


def _rows(quick: bool, seed: int) -> Process[Sequence[Any]]:
    places = [(inverse_step, time) for inverse_step in _ladder(quick) for time in TIMES]
    seen = [nn_training.observe_sgd(time, fixed_start=True)(_setting(inverse_step)) for inverse_step, time in places]
    values = yield from sampled(seen, seed)
    dots = [_dot(inverse_step, time, drawn) for (inverse_step, time), drawn in zip(places, values, strict=True)]
    return [*_known(), *dots, *_searched(quick)]


def _draw(rows: Sequence[Row]) -> Canvas:
    with house_style():
        canvas = Canvas(figsize=(12.5, 6.0), layout="constrained")
        left, right = canvas.subplots(1, 2)
        canvas.suptitle("Training a network of quadratic neurons: the double limit, and strict saddles", fontsize=14)
        _draw_left(left, [row for row in rows if row.frame == "left"])
        _draw_right(right, [row for row in rows if row.frame == "right"])
    return canvas


def _draw_left(axes: Any, rows: Sequence[Row]) -> None:
    flow, floor = ([row for row in rows if row.curve == curve] for curve in ("flow", "floor"))
    curves = list(dict.fromkeys(row.curve for row in rows if row.draws))
    for number, curve in enumerate(curves):
        dots = [row for row in rows if row.curve == curve]
        lost = dots[-1].diverged
        label = rf"SGD, $\varepsilon = {curve}$" + (f" ({lost} of {dots[-1].draws} diverged)" if lost else "")
        shown = [row for row in dots if row.value is not None]
        # Side by side, so that the bars of one time can be told apart.
        places = [row.place * 1.05 ** (number - (len(curves) - 1) / 2) for row in shown]
        middle = np.array([row.value for row in shown])
        bars = middle - [row.least for row in shown], [row.largest for row in shown] - middle
        colour = COLOURS[(5, 2, 1, 0)[-len(curves) :][number]]
        axes.errorbar(places, middle, yerr=np.maximum(bars, 0), fmt="o", markersize=5, capsize=2.5, elinewidth=1.1,
                      color=colour, label=label)  # fmt: skip
    axes.plot([row.place for row in flow], [row.value for row in flow], color="black", lw=1.8, zorder=1,
              label=r"gradient flow: $\varepsilon \to 0$")  # fmt: skip
    axes.plot([row.place for row in floor], [row.value for row in floor], "--", color=COLOURS[3], lw=1.6,
              label=r"least risk: then $t \to \infty$")  # fmt: skip
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    # The bars of the largest eps leave the frame: a run on its way to diverge is anywhere.
    exact = [row.value for row in (*flow, *floor) if row.value is not None]
    axes.set_ylim(0.7 * min(exact), 5 * max(exact))
    axes.set(xlabel=r"time $t = \varepsilon \times$ steps", ylabel=r"$L/(2\|B\|^2)$")
    axes.set_title("$d = 4$, $N = 1$, one start\ndots: median of 16 runs, bars: least to largest", fontsize=11)
    axes.grid(True, which="major", alpha=0.25)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.13), ncol=2, frameon=False, columnspacing=1.2)


def _draw_right(axes: Any, rows: Sequence[Row]) -> None:
    for number, curve in enumerate(dict.fromkeys(row.curve for row in rows)):
        dots = [row for row in rows if row.curve == curve and row.value is not None]
        axes.plot([row.place for row in dots], [row.value for row in dots], "o-", color=COLOURS[(0, 2, 3)[number]],
                  lw=1.2, markersize=5, label=curve)  # fmt: skip
    axes.axvline(1.0, color=COLOURS[4], ls=":", lw=1.4, label=r"$\delta_0$, the least curvature of a saddle")
    axes.set_ylim(bottom=0)
    axes.set(xlabel=r"$\delta/\delta_0$", ylabel=r"smallest $\|\nabla L\|$ found with $\lambda_{\min} \geq -\delta$")
    axes.set_title("away from the minimisers\na search from above: the true minimum may be lower", fontsize=11)
    axes.grid(True, which="major", alpha=0.25)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.13), ncol=2, frameon=False, columnspacing=1.2)


TRAINING = Figure(lambda quick: len(_ladder(quick)) * len(TIMES), _rows, _draw)
