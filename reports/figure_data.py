"""What the figures show: theory lines, and dots as observations whose replicates are cells.

lazy-1 is the quadratic target with B diagonal and Exp(1) distributed eigenvalues (here the quantiles of that law, the
same in every run), lazy-2 the mixture of Gaussians with sqrt(d) Delta of eigenvalues {2, 3/2, 1} in thirds. Left
frames: the risk against N in the population limit, each dot sixteen weight draws. Right frames: the risk against the
number n of samples under SGD with batch 100, in the same dimension; each dot is the better of two step sizes, as the
paper says it chose. Long paths are fewer, down to one: the CSV says how many. They end at n = 3.3e6, sixteen times d^2;
the 2e7 of the paper would take six times as long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from proofs_checks.mixture_risk import rank_risk
from reports.confrontation import Process
from reports.figure_files import sampled, thinned
from simulate.batch_training import Model, batch_sgd_cost, flow_risk_cost
from theorems.activation import activation
from theorems.claim import Observation, Setting
from theorems.lazy_training import (
    mixture_bayes,
    mixture_nn,
    mixture_nt,
    mixture_rf,
    nn_risk,
    nt_risk,
    rf_many_neurons,
    rf_risk,
)
from theorems.mixture_spectra import matrices
from theorems.spectra import spectrum

BATCH = 100
SHARES: dict[Model, tuple[float, ...]] = {"tangent": (0.25, 0.0625), "trained": (1.0, 0.25)}
"""Step sizes tried, as shares of `largest_step`.

Picked at d = 90 with a batch of 20, the same d/b: there a tangent model ends above the best constant at the full step,
and a trained network is behind at less than a quarter of it.
"""
AFFORDABLE = 2.5e11
"""Flops of one path, some seconds, up to which all sixteen of a cell are computed; above it fewer, down to one."""
SIGMA = "x**2 - 1"
FLOW_TIME = 4.0
"""Eigenvalues of B closer than 1/(16 t) are not told apart by then: 0.016 of a mean of 1."""


@dataclass(frozen=True)
class Size:
    """Dimensions and grids of a figure."""

    dimension: int
    widths: tuple[int, ...]
    training_ratios: tuple[Fraction, ...]
    steps: tuple[int, ...]


FULL = Size(
    450,
    (30, 45, 64, 90, 135, 200, 300, 450, 640, 900, 1350, 2000, 3000, 4500),
    (Fraction(1, 4), Fraction(1)),
    (8, 32, 128, 512, 2048, 8192, 32768),
)
QUICK = Size(60, (15, 60, 150), (Fraction(1, 2),), (8, 64))


@dataclass(frozen=True)
class Row:
    """One line of the CSV.

    `kind` is theory (d -> infinity at this N/d), equivalent (the same with N/d^2 not neglected), measured, or limit (of
    SGD as n grows, at that d).
    """

    frame: str
    kind: str
    curve: str
    dimension: int
    neurons: int
    samples: int | None
    step_size: float | None
    mean: float
    sd: float | None
    least: float
    largest: float
    draws: int


@dataclass(frozen=True, eq=False)
class Dot:
    """A number to be measured: one observation, or several of which the best is shown."""

    frame: str
    kind: str
    curve: str
    neurons: int
    choices: tuple[Observation, ...]

    def row(self, samples: Sequence[np.ndarray]) -> Row:
        """The choice of least mean; a diverged path has a huge one."""
        means = [float(np.mean(values)) for values in samples]
        best = int(np.argmin(means))
        seen = self.choices[best]
        values = samples[best][:: seen.arguments.get("every", 1)]
        steps = seen.arguments.get("steps")
        return Row(
            self.frame,
            self.kind,
            self.curve,
            seen.dimension,
            self.neurons,
            None if steps is None else steps * BATCH,
            seen.arguments.get("step_size"),
            means[best],
            float(np.std(values, ddof=1)) if len(values) > 1 else None,
            float(np.min(values)),
            float(np.max(values)),
            len(values),
        )


@dataclass(frozen=True, eq=False)
class Plan:
    """All rows of a figure that need no sampling, and all dots that do."""

    known: tuple[Row, ...]
    dots: tuple[Dot, ...]


def measure(dots: Sequence[Dot], seed: int) -> Process[list[Row]]:
    """The rows of all dots."""
    values = iter((yield from sampled([seen for dot in dots for seen in dot.choices], seed)))
    return [dot.row([next(values) for _ in dot.choices]) for dot in dots]


Theory = Callable[[Setting], object]


def _exact(frame: str, kind: str, curve: str, setting: Setting, width: int, value: object) -> Row:
    number = float(value)  # pyright: ignore[reportArgumentType]  (a ball or a fraction)
    assert setting.dimension is not None
    return Row(frame, kind, curve, setting.dimension, width, None, None, number, 0.0, number, number, 0)


def _setting(names: Mapping[str, str], width: int, dimension: int) -> Setting:
    return Setting({"rho": Fraction(width, dimension), **names}, dimension, activation(SIGMA))


def _line_widths(size: Size) -> list[int]:
    """Widths of the theory lines: the dots' own and what fills the gaps, with d itself, where lines have a corner."""
    dense = np.geomspace(size.widths[0], size.widths[-1], 60).round().astype(int).tolist()
    return sorted({*dense, *size.widths, size.dimension})


def _lines(curves: Mapping[str, tuple[Mapping[str, str], Theory]], size: Size) -> Iterator[Row]:
    for curve, (names, theory) in curves.items():
        for width in _line_widths(size):
            setting = _setting(names, width, size.dimension)
            yield _exact("left", "theory", curve, setting, width, theory(setting))


QUADRATIC: dict[str, Mapping[str, str]] = {
    "RF, isotropic": {"B": "exp1", "Gamma": "isotropic"},
    "RF, Gamma ~ B": {"B": "exp1", "Gamma": "proportional_to_B"},
    "NT": {"B": "exp1"},
    "NN": {"B": "exp1"},
}


def _tangent_limit(setting: Setting) -> object:
    value = nt_risk.symbols(setting)
    return nt_risk.paper_form(nt_risk.positive_part(value["rho"]), value["t"])


def quadratic(size: Size) -> Plan:
    """lazy-1."""
    theories: dict[str, Theory] = {
        "RF, isotropic": rf_risk.predicted_risk,
        "RF, Gamma ~ B": rf_risk.predicted_risk,
        "NT": _tangent_limit,
        "NN": nn_risk.tail_share,
    }
    known = list(_lines({name: (QUADRATIC[name], theory) for name, theory in theories.items()}, size))
    known += _equivalents(size)
    dots = []
    for width in size.widths:
        for curve, names in QUADRATIC.items():
            setting = _setting(names, width, size.dimension)
            observe = {"NT": nt_risk.observe, "NN": _observe_flow}.get(curve, rf_risk.observe)
            dots.append(Dot("left", "measured", curve, width, (observe(setting),)))
    for width in _training_widths(size):
        setting = _setting(QUADRATIC["NT"], width, size.dimension)
        known.append(_exact("right", "limit", f"NT, N = {width}", setting, width, nt_risk.exact_risk(setting)))
        known.append(_exact("right", "limit", f"NN, N = {width}", setting, width, nn_risk.tail_share(setting)))
    return Plan(tuple(known), (*dots, *_training(size, "quadratic", spectrum("exp1").eigenvalues(size.dimension))))


def _equivalents(size: Size) -> Iterator[Row]:
    """Random features with N/d^2 not neglected: where (12) and the dots part, see rf_many_neurons.py."""
    for curve, names in QUADRATIC.items():
        if "Gamma" not in names:
            continue
        for width in _line_widths(size):
            setting = _setting(names, width, size.dimension)
            value = rf_many_neurons.risk_of(names["Gamma"], names["B"], size.dimension, width)
            yield _exact("left", "equivalent", curve, setting, width, value)


def _observe_flow(setting: Setting) -> Observation:
    assert setting.dimension is not None
    d = setting.dimension
    width = round(setting["rho"] * d)
    return Observation(
        simulator="simulate.batch_training:flow_risk",
        dimension=d,
        arguments={"neurons": width, "target": spectrum(setting["B"]).eigenvalues(d), "time": FLOW_TIME},
        cost=flow_risk_cost(d, width, FLOW_TIME),
    )


MIXTURE = {"Delta": "uniform3"}


def _rank_risk(setting: Setting, width: int) -> object:
    """The exact least risk of N neurons at this d, without dropping o(1)."""
    squares = sorted((Fraction(float(t)) ** 2 for t in matrices(setting).tilt_eigenvalues), reverse=True)
    return rank_risk(squares, width)


def mixture(size: Size) -> Plan:
    """lazy-2."""
    theories: dict[str, Theory] = {
        "RF, isotropic": mixture_rf.predicted_risk,
        "NT": mixture_nt.predicted_risk,
        "NN": lambda setting: 2 / (2 + mixture_nn.symbols(setting)["top_energy"]),
        "Bayes": mixture_bayes.bayes_risk,
    }
    known = list(_lines({name: (MIXTURE, theory) for name, theory in theories.items()}, size))
    dots = []
    for width in size.widths:
        setting = _setting(MIXTURE, width, size.dimension)
        dots.append(Dot("left", "measured", "RF, isotropic", width, (mixture_rf.observe(setting),)))
        dots.append(Dot("left", "measured", "NT", width, (mixture_nt.observe(setting),)))
        known.append(_exact("left", "measured", "NN", setting, width, _rank_risk(setting, width)))
    for width in _training_widths(size):
        setting = _setting(MIXTURE, width, size.dimension)
        dots.append(Dot("right", "limit", f"NT, N = {width}", width, (mixture_nt.observe(setting),)))
        known.append(_exact("right", "limit", f"NN, N = {width}", setting, width, _rank_risk(setting, width)))
    delta = matrices(_setting(MIXTURE, size.dimension, size.dimension)).delta
    return Plan(tuple(known), (*dots, *_training(size, "mixture", delta)))


def _training_widths(size: Size) -> list[int]:
    return [round(ratio * size.dimension) for ratio in size.training_ratios]


def largest_step(scale: float, dimension: int) -> float:
    """A step size below which SGD on the printed loss is stable where Tr A is about `scale`.

    A gradient step on mean (y - c - <x, Ax>)^2 multiplies the error along the features z, E|z|^2 = 4 d scale, by
    I - (2 eps/b) sum zz^T; the largest eigenvalue of E zz^T is about 4 scale. The error does not grow in mean square
    if eps (4 scale + 4 d scale/b) <= 1; half of that leaves room for the way to the minimum.
    """
    return 1 / (8 * scale * (1 + dimension / BATCH))


NAMES: dict[Model, str] = {"tangent": "NT", "trained": "NN"}


def _training(size: Size, task: str, target: np.ndarray) -> Iterator[Dot]:
    d = size.dimension
    for width in _training_widths(size):
        for model, name in NAMES.items():
            top = largest_step(float(width if model == "tangent" else np.sum(target)), d)
            for steps in size.steps:
                every = thinned(batch_sgd_cost(d, width, steps, BATCH), AFFORDABLE)
                choices = tuple(
                    Observation(
                        simulator="simulate.batch_training:batch_sgd_risk",
                        dimension=d,
                        arguments={
                            "neurons": width,
                            "target": target,
                            "model": model,
                            "task": task,
                            "step_size": share * top,
                            "steps": steps,
                            "batch": BATCH,
                            "every": every,
                        },
                        cost=batch_sgd_cost(d, width, steps, BATCH, every),
                    )
                    for share in SHARES[model]
                )
                yield Dot("right", "measured", f"{name}, N = {width}", width, choices)
