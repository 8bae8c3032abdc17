"""From what a module declares and a user types to the settings in which formulas are evaluated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from proofs_checks.ball_function import CannotDecide
from proofs_checks.hermite import InfiniteMoment
from theorems.activation import Activation, activation
from theorems.claim import BadInput, Decision, Hypothesis, Setting, Theorem
from theorems.parameters import read_parameter


@dataclass(frozen=True)
class Profile:
    """How much may be spent on one parameter point, in declared flops, and how far d may go."""

    name: str
    cost_cap: float
    largest_dimension: int


PROFILES = {
    "quick": Profile("quick", 1.5e12, 1024),
    "full": Profile("full", 1e14, 2048),
}


@dataclass(frozen=True, kw_only=True)
class Choices:
    """What the user chose for one run."""

    overrides: Mapping[str, str] = field(default_factory=dict)
    activation: str | None = None
    center: bool = False
    against: str | None = None
    resolution: float | None = None
    budget: float | None = None
    profile: Profile = PROFILES["quick"]
    seed: int = 0
    mutants: bool = True

    @property
    def is_default(self) -> bool:
        """Whether the module's own parameters are checked, so that its errata must hold."""
        return not self.overrides and self.activation is None and not self.center and self.against is None


def settings(theorem: Theorem, points: Sequence[Mapping[str, Any]], choices: Choices) -> tuple[Setting, ...]:
    """One setting a point, with the user's choices over the point's own over the theorem's defaults."""
    chosen = {name: read_parameter(name, text, theorem.parameters) for name, text in choices.overrides.items()}
    found: dict[str, Setting] = {}
    for point in points or ({},):
        values = {
            name: read_parameter(name, point.get(name, default), theorem.parameters)
            for name, default in theorem.parameters.items()
        } | chosen
        sigma = _activation(theorem, point, choices)
        label = repr((sorted(values.items()), sigma.text if sigma else None))
        found.setdefault(label, Setting(values, None, sigma))
    return tuple(found.values())


def _activation(theorem: Theorem, point: Mapping[str, Any], choices: Choices) -> Activation | None:
    if theorem.activation is None:
        return None
    if choices.activation is not None and theorem.takes_activation:
        return activation(choices.activation, center=choices.center)
    return activation(point.get("activation", theorem.activation), center=choices.center)


def refused_activation(theorem: Theorem, choices: Choices) -> str | None:
    """Why the theorem does not take the user's activation, None where it does or none was given."""
    if choices.activation is None:
        return None
    activation(choices.activation, center=choices.center)  # what is no activation is bad input everywhere
    if theorem.takes_activation:
        return None
    if theorem.activation is None:
        return "This theorem speaks of no activation."
    return f"This theorem speaks of sigma(x) = {theorem.activation} only; it takes no other activation."


def describe(setting: Setting) -> dict[str, Any]:
    """The parameters of a point as plain values."""
    values: dict[str, Any] = {
        name: str(value) if isinstance(value, Fraction) else value for name, value in setting.parameters.items()
    }
    if setting.activation is not None:
        values["activation"] = setting.activation.text
    return values


def check_hypotheses(
    hypotheses: Sequence[Hypothesis], places: Sequence[Setting]
) -> tuple[tuple[Mapping[str, Any], ...], Decision]:
    """Each hypothesis in each setting, and whether all hold (None when one cannot be decided)."""
    rows = []
    failed: list[str] = []
    open_: list[str] = []
    for hypothesis in hypotheses:
        decisions = [_decided(hypothesis, setting) for setting in places]
        worst = min(decisions, key=lambda decision: {False: 0, None: 1, True: 2}[decision.holds])
        rows.append({"name": hypothesis.name, "holds": worst.holds, "reason": worst.reason})
        if worst.holds is False:
            failed.append(f"{hypothesis.name}: {worst.reason.rstrip('.')}")
        elif worst.holds is None:
            open_.append(f"{hypothesis.name}: {worst.reason.rstrip('.')}")
    if failed:
        return tuple(rows), Decision(False, "; ".join(failed))
    if open_:
        return tuple(rows), Decision(None, "; ".join(open_))
    return tuple(rows), Decision(True, "all hypotheses hold")


def _decided(hypothesis: Hypothesis, setting: Setting) -> Decision:
    """The check of a hypothesis; one about a moment that does not exist fails."""
    try:
        return hypothesis.check(setting)
    except InfiniteMoment as error:
        return Decision(False, str(error))
    except CannotDecide as error:
        return Decision(None, str(error))


def read_seconds(text: str | None) -> float | None:
    """A time such as 30s, 5m or 1.5h, in seconds."""
    if text is None:
        return None
    units = {"s": 1.0, "m": 60.0, "h": 3600.0}
    number, unit = (text[:-1], text[-1:]) if text[-1:] in units else (text, "s")
    try:
        value = float(number) * units[unit]
    except ValueError:
        value = float("nan")
    if not 0 < value < float("inf"):
        raise BadInput(f"{text[:40]!r} is not a time: give a positive number with s, m or h, such as 30s.")
    return value
