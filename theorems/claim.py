"""The vocabulary in which a theorem is stated.

A `Theorem` is data: what is printed, where, under which hypotheses, and the wrong versions
(`Mutant`) that its check must reject. A claim is one of a few kinds, and each kind has its
own way of being decided (see `reports/`):

`Identity`    an exact equality, proved by SymPy or certified by balls;
`Inequality`  a bound, proved by a certificate or attacked by a search;
`Shape`       a qualitative statement written as inequalities;
`Limit`       a random quantity converges to a formula as the dimension grows;
`Rate`        a quantity scales like a power of the dimension.

This module imports nothing of ours, so a reader can learn the vocabulary from it alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal


class BadInput(Exception):
    """What a person typed cannot be used; the message is one sentence that says what to do."""


class Verdict(StrEnum):
    """What we conclude about one reading of one claim."""

    PROVED = "PROVED"
    PASS = "PASS"
    REFUTED = "REFUTED"
    FAIL = "FAIL"
    INCONCLUSIVE = "INCONCLUSIVE"
    NOT_APPLICABLE = "NOT_APPLICABLE"


@dataclass(frozen=True)
class Decision:
    """A three-valued answer: `holds` is None when it cannot be decided."""

    holds: bool | None
    reason: str


@dataclass(frozen=True, eq=False)
class Setting:
    """Where a formula is evaluated: parameter values, activation, and dimension.

    `dimension` None stands for the limit d -> infinity; otherwise spectra, targets and N/d are
    those of that d exactly. `activation` is a `theorems.activation.Activation` or None.
    """

    parameters: Mapping[str, Any]
    dimension: int | None = None
    activation: Any = None

    def __getitem__(self, name: str) -> Any:
        return self.parameters[name]


@dataclass(frozen=True, eq=False)
class Observation:
    """A random number to be sampled: which simulator, with which arguments, at which cost.

    `simulator` is "package.module:function". The function is called as
    f(keys, *, dimension, **arguments) with a JAX array of keys, one per replicate, and returns one
    float64 per key; if `activation` is not None, the simulator also receives activation=, the plain
    JAX function of that expression. Arguments are ints, floats, strings, tuples or NumPy arrays.
    `cost` is the declared number of flops of one replicate, from its shape alone.
    """

    simulator: str
    dimension: int
    arguments: Mapping[str, Any]
    cost: float
    activation: str | None = None


@dataclass(frozen=True, eq=False)
class Equation:
    """left = right for all values of the symbols in `domain` (symbol -> closed interval).

    A symbol that SymPy knows to be an integer takes integer values there.
    """

    name: str
    left: Any
    right: Any
    domain: Mapping[Any, tuple[Any, Any]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Bound:
    """smaller <= larger (or <) on `domain`.

    `certificate` is an expression equal to larger - smaller whose sign SymPy can read off from the
    assumptions on its symbols; with it the bound is proved, without it the bound is attacked.
    """

    name: str
    smaller: Any
    larger: Any
    strict: bool = False
    certificate: Any = None
    domain: Mapping[Any, tuple[Any, Any]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Fact:
    """The outcome of a computation that is neither an equation nor a bound.

    `certain` tells a proof or certified computation from numerical evidence. `figures` are the
    numbers it rests on.
    """

    name: str
    decision: Decision
    certain: bool
    figures: Mapping[str, Any] = field(default_factory=dict)


Statement = Equation | Bound | Fact
Prediction = Callable[[Setting], Any]
"""A formula: a ball (flint.arb) or number for limits and rates, a tuple of statements otherwise."""
Observe = Callable[[Setting], Observation]


@dataclass(frozen=True, kw_only=True, eq=False)
class Erratum:
    """The print is wrong: what is right instead, in words and as a formula that is checked too."""

    corrected: str
    states: Prediction
    observe: Observe | None = None
    points: tuple[Mapping[str, Any], ...] | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Reading:
    """The claim exactly as one document prints it.

    `scan` says what the scan garbled and how it was read. `observe` and `points` replace those of the
    claim where this document speaks of another random object.
    """

    document: Literal["P", "O", "S", "T", "B"]
    place: str
    printed: str
    states: Prediction
    erratum: Erratum | None = None
    scan: str | None = None
    observe: Observe | None = None
    points: tuple[Mapping[str, Any], ...] | None = None

    @property
    def stated(self) -> str:
        """What is claimed in the end: the print, or its correction."""
        return self.printed if self.erratum is None else self.erratum.corrected


@dataclass(frozen=True, kw_only=True, eq=False)
class Mutant:
    """A plausible wrong version of the claim, which the suite must reject."""

    name: str
    states: Prediction


@dataclass(frozen=True, kw_only=True, eq=False)
class Hypothesis:
    """An assumption of the theorem, with a check that can say yes, no, or cannot decide."""

    name: str
    text: str
    check: Callable[[Setting], Decision]


@dataclass(frozen=True, kw_only=True, eq=False)
class _Claim:
    id: str
    part: str = "main"
    readings: tuple[Reading, ...]
    mutants: tuple[Mutant, ...] = ()
    hypotheses: tuple[Hypothesis, ...] | None = None
    """None means those of the theorem."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Identity(_Claim):
    """Equations (or certified facts), each of which must hold exactly."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Inequality(_Claim):
    """Bounds, each proved by its certificate or attacked."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Shape(_Claim):
    """A qualitative statement made checkable as bounds, equations and facts."""


Functional = Literal["mean", "median", "quantile90"]
BiasClass = Literal["analytic", "unit", "half", "quarter"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Limit(_Claim):
    """The functional of the observed law approaches the prediction as d grows.

    The gap at d is (observation - prediction)/|prediction|, or the plain difference where the
    prediction is zero (observations are normalised by the trivial risk). `functional` is "median" for
    statements in probability, "mean" for statements about expectations, "quantile90" (of the absolute
    gap) for concentration. A PASS excludes every offset of size `resolution` or more.
    """

    observe: Observe
    points: tuple[Mapping[str, Any], ...]
    resolution: float
    resolution_reason: str
    functional: Functional = "median"
    bias_class: BiasClass = "half"
    bias_class_proof: str | None = None
    own_activations: bool = False
    """Whether the activations of its points are its subject, so that a user's is not put in their place."""
    ladder: tuple[int, ...] = (32, 64, 128, 256, 512, 1024)
    whole: tuple[str, ...] = ()
    """Parameters whose products with d are rounded: the ladder starts a little later where that makes them whole.

    The rounding of N = psi d does not disturb a right formula, which is taken at the actual N/d. The gap of a wrong one
    follows it, and a gap that jumps with d fits no bias class."""
    alpha: float = 1e-5


@dataclass(frozen=True, kw_only=True, eq=False)
class Rate(_Claim):
    """log of the observed quantity = a - b log m + decaying bias; the prediction is b."""

    observe: Observe
    points: tuple[Mapping[str, Any], ...]
    resolution: float
    resolution_reason: str
    functional: Functional = "median"
    ladder: tuple[int, ...] = (64, 128, 256, 512, 1024, 2048)
    alpha: float = 1e-5


Claim = Identity | Inequality | Shape | Limit | Rate


@dataclass(frozen=True, kw_only=True, eq=False)
class Theorem:
    """One theorem: what a module in `theorems/` exports as THEOREM.

    `parameters` maps the names a user may set to their defaults (their meaning and domain stand in
    `theorems/parameters.py`); `symbols` are the names a formula typed by a user may contain, and
    `evaluate` gives their values in a setting. `activation` is the default activation, None if the
    theorem does not speak of one; `takes_activation` says whether a user may bring another. `value` is
    the number `asymptest predict` prints, where it is not that of the first limit, and `value_name` says
    which number that is. `latex` is the statement for the report.
    """

    slug: str
    title: str
    source: str
    latex: str
    claims: tuple[Claim, ...]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    symbols: tuple[str, ...] = ()
    evaluate: Callable[[Setting], Mapping[str, Any]] | None = None
    value: Prediction | None = None
    value_name: str | None = None
    activation: str | None = None
    takes_activation: bool = False
    hypotheses: tuple[Hypothesis, ...] = ()
    uses: tuple[str, ...] = ()
