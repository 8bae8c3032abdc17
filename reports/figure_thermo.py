"""thermo-descent and thermo-phase: the double descent of random features, and where each statement about it holds.

thermo-descent: the excess risk over ||beta_0||^2 against N/n for ReLU features at a high and at a low signal-to-noise
ratio, a line for each lambda, dots for what is measured (medians of sixteen draws, which heavy tails near N = n do
not move; bars go from the least to the largest). thermo-phase: the conditions of TL-HISNR, TL-GLOB, TL-MONO with
TL-LAMFIX, and TL-PEAK.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from matplotlib.figure import Figure as Canvas

from proofs_checks.double_descent import width_slope
from proofs_checks.double_descent_thresholds import matching_noise, null_noise, ridgeless_noise, ridgeless_width
from proofs_checks.double_descent_widths import curve_to, dominated_noise
from proofs_checks.feature_ridge import fast_bias_variance, fast_wide
from proofs_checks.feature_ridge_point import RidgePoint
from reports.confrontation import Process
from reports.figure_files import COLOURS, house_style, sampled
from reports.figures import Figure
from simulate.feature_ridge import ridge_regression_cost
from theorems.activation import activation
from theorems.claim import Observation

SIGMA = "relu"
PSI2 = 3
RIDGES = (0.0, 1e-3, 1e-2, 1e-1)
"""lambda; 0 stands for the limit 0+, which is drawn and not measured."""
NOISES = {"high SNR": 0.2, "low SNR": 2.0}
"""tau^2/||beta_0||^2 on either side of 1/zeta^2 = 0.36."""
FULL = 100, (0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 1.0, 1.1, 1.25, 1.6, 2.2, 3.2, 5.0)
QUICK = 16, (0.25, 1.0, 4.0)
LINE = np.geomspace(0.05, 8, 321)
"""N/n of the lines; it holds 1 only up to rounding, so the ridgeless line stays finite."""


# --- thermo-descent -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class DescentRow:
    """One line of thermo-descent.csv; `kind` is theory or measured."""

    panel: str
    kind: str
    ridge: float
    noise: float
    ratio: float
    dimension: int | None
    risk: float
    least: float
    largest: float
    draws: int


def _constants() -> tuple[float, float]:
    """zeta and b_*^2."""
    sigma = activation(SIGMA)
    return float(abs(sigma.b1()) / sigma.b_star()), float(sigma.b_star() ** 2)


def _dots(quick: bool) -> list[tuple[str, float, float, Observation]]:
    dimension, ratios = QUICK if quick else FULL
    samples = PSI2 * dimension
    dots = []
    for panel, noise in NOISES.items():
        for ridge in RIDGES[1:]:
            for ratio in ratios:
                neurons = round(ratio * samples)
                arguments = {"neurons": neurons, "samples": samples, "ridge": ridge, "data": "sphere",
                             "quantity": "excess_risk", "signal": 1.0, "noise": noise}  # fmt: skip
                cost = ridge_regression_cost(dimension, neurons, samples)
                seen = Observation("simulate.feature_ridge:ridge_regression", dimension, arguments, cost, SIGMA)
                dots.append((panel, ridge, neurons / samples, seen))
    return sorted(dots, key=lambda dot: dot[3].cost)


def _lines() -> Iterator[DescentRow]:
    zeta, scale = _constants()
    for panel, noise in NOISES.items():
        for ridge in RIDGES:
            bias, variance = fast_bias_variance(zeta, LINE * PSI2, PSI2, ridge / scale)
            for ratio, risk in zip(LINE, bias + noise * variance, strict=True):
                yield DescentRow(
                    panel, "theory", ridge, noise, float(ratio), None, float(risk), float(risk), float(risk), 0
                )


def _descent_rows(quick: bool, seed: int) -> Process[Sequence[Any]]:
    dots = _dots(quick)
    drawn = yield from sampled([seen for *_, seen in dots], seed)
    rows = list(_lines())
    for (panel, ridge, ratio, seen), values in zip(dots, drawn, strict=True):
        middle, least, largest = (float(f(values)) for f in (np.median, np.min, np.max))
        noise = NOISES[panel]
        rows.append(
            DescentRow(panel, "measured", ridge, noise, ratio, seen.dimension, middle, least, largest, len(values))
        )
    return rows


def _descent_draw(rows: Sequence[DescentRow]) -> Canvas:
    zeta, scale = _constants()
    colours = dict(zip(RIDGES, (COLOURS[4], COLOURS[2], COLOURS[0], COLOURS[3]), strict=True))
    dimension = next(row.dimension for row in rows if row.dimension is not None)
    with house_style():
        canvas = Canvas(figsize=(12.5, 5.4), layout="constrained")
        for axes, (panel, noise) in zip(canvas.subplots(1, 2), NOISES.items(), strict=True):
            for ridge, colour in colours.items():
                line, dots = ([row for row in rows if (row.panel, row.ridge, row.kind) == (panel, ridge, kind)]
                              for kind in ("theory", "measured"))  # fmt: skip
                label = rf"$\lambda = {ridge:g}$" if ridge else r"$\lambda = 0^+$"
                style = {"color": colour, "lw": 1.8, "ls": "-" if ridge else "--", "label": label}
                axes.plot([row.ratio for row in line], [row.risk for row in line], **style)
                bars = [[row.risk - row.least for row in dots], [row.largest - row.risk for row in dots]]
                places, middles = [row.ratio for row in dots], [row.risk for row in dots]
                axes.errorbar(
                    places, middles, yerr=bars, fmt="o", color=colour, markersize=5, capsize=2.5, elinewidth=1.2
                )
                bias, variance = fast_wide(zeta, PSI2, ridge / scale)
                axes.plot([0.985, 1.015], 2 * [float(bias + noise * variance)], color=colour, lw=2.4,
                          transform=axes.get_yaxis_transform(), clip_on=False)  # fmt: skip
            top = 2.6 if noise < 1 else 7.0
            axes.axvline(1, color=COLOURS[4], ls=":", lw=1.2)
            axes.axhline(1, color=COLOURS[4], lw=0.8, alpha=0.6)
            axes.text(0.052, 0.985, "zero predictor", fontsize=9, color=COLOURS[4], va="bottom" if noise < 1 else "top")
            axes.set(xscale="log", xlabel="$N/n$", ylim=(0, top), xlim=(LINE[0], LINE[-1]))
            axes.set_ylabel(r"excess risk / $\|\beta_0\|^2$")
            axes.set_xticks([0.1, 0.3, 1, 3], ["0.1", "0.3", "1", "3"])
            axes.set_title(rf"{panel}: $\tau^2/\|\beta_0\|^2 = {noise:g}$", fontsize=12)
        canvas.axes[0].legend(frameon=False, loc="upper right")
        note = f"ReLU features, $n/d = {PSI2}$; dots: median of 16 draws at $d = {dimension}$, bars: least to largest; "
        canvas.suptitle(f"Double descent\n{note}ticks at the right edge: $N/n = \\infty$", fontsize=12)
    return canvas


DESCENT = Figure(lambda quick: len(_dots(quick)), _descent_rows, _descent_draw)


# --- thermo-phase -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PhaseRow:
    """One line of thermo-phase.csv: a point of a boundary."""

    panel: str
    curve: str
    x: float
    y: float


ZETA2_FIXED, PSI2_FIXED = Fraction(100), Fraction(2)
"""Of the third panel: a large zeta, where the conditions differ most."""


def _best_penalty() -> Iterator[PhaseRow]:
    zeta2 = _constants()[0] ** 2
    for psi2 in (0.5, 1.0, 3.0, 10.0):
        ratios = np.geomspace(float(ridgeless_width(zeta2, np.float64(psi2))) / psi2, 300, 200)
        values = zeta2 * ridgeless_noise(np.float64(zeta2), ratios * psi2, np.float64(psi2))
        for ratio, value in zip(ratios, values, strict=True):
            yield PhaseRow("best penalty", f"$n/d = {psi2:g}$", float(ratio), float(value))


def _global_minimum() -> Iterator[PhaseRow]:
    places = np.geomspace(0.1, 30, 120)
    for zeta2 in (0.3, 1.0, 3.0, 30.0):
        for psi2, value in zip(places, null_noise(np.float64(zeta2), places), strict=True):
            yield PhaseRow("global minimum", rf"$\zeta^2 = {zeta2:g}$", float(psi2), float(value))


def _fixed_penalty(quick: bool) -> Iterator[PhaseRow]:
    """Certified thresholds, where v at psi1 = infinity is rational so that they are roots of rational polynomials."""
    for share in np.linspace(0.7, 0.97, 6 if quick else 28):
        limit = Fraction(float(share / (1 - share))).limit_denominator(1000)
        beyond = PSI2_FIXED - limit / ZETA2_FIXED - limit / (1 + limit)
        curve = curve_to(ZETA2_FIXED, limit, beyond)
        x = float(curve.lambda_bar)
        matching = float(matching_noise(curve.zeta2, curve.psi2, curve.lambda_bar))
        s = float(limit / (1 + limit))
        values = {
            "zero predictor as good as $N = \\infty$": float(curve.psi2) * (2 - s) / s - 1,
            "minimum at $N/n = \\infty$: exact": float(dominated_noise(curve, limit)),
            "falling for $N > n$: exact": float(curve.falling_noise()),
            "both: proved, $\\frac{3}{2}(1+\\psi_2\\bar\\lambda)/\\zeta^2$": 1.5 * matching,
            "$\\lambda$ best at $N = \\infty$": matching,
        }
        for name, value in values.items():
            yield PhaseRow("fixed penalty", name, x, value)


def has_peak(zeta2: float, psi2: float, lambda_bar: float, noise: float) -> bool:
    """Whether the risk rises anywhere over the width, by its slope on a grid (`WidthCurve.extrema` certifies it)."""
    rate = psi2 * lambda_bar
    middle = 1 + zeta2 + rate - zeta2 * psi2
    lead = zeta2 * (1 + rate)
    largest = (-middle + np.sqrt(middle**2 + 4 * lead * psi2)) / (2 * lead)  # p at psi1 = infinity
    share = np.geomspace(1e-6, 0.5, 600)
    p = largest * np.concatenate([share, 1 - share[::-1]])
    g = p + zeta2 * p / (1 + zeta2 * p)
    b = psi2 - g
    at = RidgePoint(zeta2, psi2, p, g * rate * p / (b - rate * p), b)
    return bool(np.any(width_slope(at, noise) < 0))


def _peak_ends() -> Iterator[PhaseRow]:
    """The lambda_bar above which there is no peak, for psi2 > (1 + noise)(1 + 1/zeta^2); below, there always is one."""
    zeta2 = _constants()[0] ** 2
    for noise in (0.0, 0.2, 1.0):
        least = (1 + noise) * (1 + 1 / zeta2)
        for psi2 in least * np.geomspace(1.02, 40 / least, 60):
            low, high = 1e-7, 10.0
            for _ in range(30):
                value = np.sqrt(low * high)
                low, high = (value, high) if has_peak(zeta2, psi2, value, noise) else (low, value)
            yield PhaseRow("peak", rf"$\tau^2/\|\beta_0\|^2 = {noise:g}$", float(psi2), float(np.sqrt(low * high)))


def _phase_rows(quick: bool, seed: int) -> Process[Sequence[Any]]:
    yield from sampled([], seed)
    return [*_best_penalty(), *_global_minimum(), *_fixed_penalty(quick), *_peak_ends()]


def _phase_draw(rows: Sequence[PhaseRow]) -> Canvas:
    with house_style():
        canvas = Canvas(figsize=(12.5, 9.6), layout="constrained")
        frames = dict(zip(dict.fromkeys(row.panel for row in rows), canvas.subplots(2, 2).flat, strict=True))
        for panel, axes in frames.items():
            curves = dict.fromkeys(row.curve for row in rows if row.panel == panel)
            for colour, curve in zip(
                (COLOURS[0], COLOURS[2], COLOURS[3], COLOURS[5], COLOURS[4]), curves, strict=False
            ):
                line = [row for row in rows if (row.panel, row.curve) == (panel, curve)]
                axes.plot([row.x for row in line], [row.y for row in line], color=colour, lw=2, label=curve)
            axes.grid(True, which="major", alpha=0.2)
        _best_penalty_words(frames["best penalty"])
        _global_minimum_words(frames["global minimum"])
        _fixed_penalty_words(frames["fixed penalty"])
        _peak_words(frames["peak"])
        canvas.suptitle("Where each statement about double descent holds", fontsize=14)
    return canvas


def _words(axes: Any, x: float, y: float, text: str) -> None:
    box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 2}
    axes.text(x, y, text, transform=axes.transAxes, ha="center", va="center", fontsize=11, style="italic", bbox=box)


def _best_penalty_words(axes: Any) -> None:
    axes.axhline(1, color=COLOURS[4], ls="--", lw=1.2)
    axes.set(xscale="log", ylim=(0, 1.3), xlim=(1, 300), xlabel="$N/n$", ylabel=r"$\zeta^2 \tau^2/\|\beta_0\|^2$")
    axes.set_title(r"best penalty at a given width (ReLU)", fontsize=12)
    axes.legend(frameon=False, loc="lower left")
    _words(axes, 0.17, 0.62, "a penalty helps\n(always, for $N < n$)")
    _words(axes, 0.8, 0.45, r"$\lambda = 0^+$ is best")
    axes.text(1.1, 1.02, r"SNR $= \zeta^2$, the threshold at $N/n = \infty$", fontsize=9, color=COLOURS[4], va="bottom")


def _global_minimum_words(axes: Any) -> None:
    axes.set(xscale="log", yscale="log", xlim=(0.1, 30), xlabel=r"$n/d$", ylabel=r"$\tau^2/\|\beta_0\|^2$")
    axes.set_title(r"ridgeless: where the risk is least over $N$", fontsize=12)
    axes.legend(frameon=False, loc="upper left")
    _words(axes, 0.72, 0.18, r"least as $N/n \to \infty$")
    _words(axes, 0.4, 0.87, "predict zero")


def _fixed_penalty_words(axes: Any) -> None:
    axes.set(xscale="log", yscale="log", xlabel=r"$\bar\lambda = \lambda/b_*^2$", ylabel=r"$\tau^2/\|\beta_0\|^2$")
    title = rf"fixed $\lambda$: $\zeta^2 = {ZETA2_FIXED}$, $n/d = {PSI2_FIXED}$ (statements hold below their line)"
    axes.set_title(title, fontsize=12)
    axes.legend(frameon=False, fontsize=9)


def _peak_words(axes: Any) -> None:
    axes.set(xscale="log", yscale="log", xlabel=r"$n/d$", ylabel=r"$\bar\lambda = \lambda/b_*^2$", xlim=(1, 40))
    axes.set_title(r"peak over $N$ (ReLU); left of a line's start: at every $\lambda$", fontsize=12)
    axes.legend(frameon=False, loc="upper right")
    _words(axes, 0.48, 0.95, "no peak: falls with $N$")
    _words(axes, 0.35, 0.15, "peak at $N < n$")


PHASE = Figure(lambda quick: 0, _phase_rows, _phase_draw)
