r"""What the coupling lemmas share: their symbols, the constant of Assumption A, and the exponents that are measured.

At an input x a neuron is u_r = <w_{0,r}, x> and h_r = <w_r, x>. As w_{0,r} ~ N(0, B_x^-2 I), u_r ~ N(0, 1) for every
B_x, and |h_r| <= B_x ||w_r||: so B_x and ||W|| = ||W||_{2,4} enter through their product only, with one exponent.
max_r |u_r| <= c sqrt(d) with c of B, (4) (initial_norms.py), which holds the logarithms of the O~.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp
from flint import arb, fmpq

from proofs_checks.cubic_remainder import used_share
from proofs_checks.power_means import norm, radius
from simulate.randomised_network import Quantity, aligned_cost, size_cost
from theorems.activation import activation
from theorems.beyond_linearization.smooth_activation import smoothness
from theorems.claim import (
    Decision,
    Fact,
    Inequality,
    Mutant,
    Observation,
    Observe,
    Prediction,
    Rate,
    Reading,
    Setting,
    Statement,
)

C, c, d = sp.symbols("C c d", positive=True)
"""The constant of Assumption A; c = max_r B_x ||w_{0,r}||/sqrt(d); the dimension of x."""
scale = radius * norm
EIGHTH: Any = sp.Rational(1, 8)
QUARTER: Any = sp.Rational(1, 4)
HALF: Any = sp.Rational(1, 2)
WIDTHS = (2048, 4096, 16384, 65536)
DIMENSIONS = (128, 256, 1024, 4096)
CUBIC_RELU = "Max(x, 0)**3"
ACTIVATIONS: tuple[Mapping[str, Any], ...] = ({}, {"activation": "x - sin(x)"}, {"activation": "x**3/(1 + x**2)"})


def constant_used(setting: Setting) -> Fact:
    """C of this activation, and that no point of a grid violates the bounds that follow from it."""
    found = smoothness(setting.activation)
    name = f"C of sigma(x) = {setting.activation.text}, and its use"
    if found.constant is None:
        return Fact(name, Decision(found.holds, found.reason), certain=True)
    share = used_share(setting.activation.expression)
    parts = {"sigma'": share.slope, "sigma''": share.curvature, "the remainder": share.remainder}
    shown = {f"largest share of the bound of {part}": ball.str(4, radius=False) for part, ball in parts.items()}
    reason = "a bound that follows from it is violated" if share.violated else found.reason
    return Fact(name, Decision(not share.violated, reason), True, {"C": found.constant.str(8), **shown})


def norm_moment(power: int) -> Any:
    """E ||g||^(2 power) for a standard Gaussian vector g of dimension d: a moment of chi-square."""
    return 2**power * sp.gamma(d / 2 + power) / sp.gamma(d / 2)


def exponent(value: Any) -> Prediction:
    """An exponent as a prediction."""
    return lambda setting: arb(fmpq(value.p, value.q))


def of_constant_six(setting: Setting) -> str:
    """6 sigma/C, with the constant of the cubic ReLU: the loss is not homogeneous, and must not saturate or vanish."""
    constant = smoothness(setting.activation).constant
    if constant is None or not constant > 0 or constant == 6:
        return setting.activation.text
    return activation(f"({setting.activation.expression})*{float(6 / constant.mid())!r}").text


def _in_width(quantity: Quantity, worst: bool) -> Observe:
    def observe(setting: Setting) -> Observation:
        assert setting.dimension is not None
        return Observation(
            simulator="simulate.randomised_network:typical_size",
            dimension=setting.dimension,
            arguments={"quantity": quantity, "worst": worst, "scale": 1 / 6 if quantity == "risk" else 1.0},
            cost=size_cost(setting.dimension, quantity),
            activation=of_constant_six(setting) if quantity == "risk" else setting.activation.text,
        )

    return observe


def _in_dimension(quantity: Quantity) -> Observe:
    """Two neurons of the cubic ReLU, whatever the activation is: it uses the bounds of Assumption A up."""

    def observe(setting: Setting) -> Observation:
        assert setting.dimension is not None
        return Observation(
            simulator="simulate.randomised_network:aligned_size",
            dimension=setting.dimension,
            arguments={"quantity": quantity, "width": 2},
            cost=aligned_cost(setting.dimension, 2),
            activation=CUBIC_RELU,
        )

    return observe


@dataclass(frozen=True, kw_only=True)
class Print:
    """Where an exponent is printed, and how."""

    place: str
    printed: str
    scan: str | None = None

    def reading(self, states: Prediction) -> Reading:
        return Reading(document="B", place=self.place, printed=self.printed, scan=self.scan, states=states)


def stated(function: Callable[..., tuple[Statement, ...]], *given: Any) -> Prediction:
    """The statements of a function at given arguments, whatever the setting."""
    return lambda setting: function(*given)


def proof_step(*, id: str, part: str, source: Print, states: Prediction, wrong: Mutant) -> Inequality:
    """One line of a printed proof, as a claim of its own."""
    return Inequality(id=id, part=part, readings=(source.reading(states),), mutants=(wrong,))


def width_rate(
    *,
    id: str,
    part: str,
    quantity: Quantity,
    worst: bool,
    value: Any,
    wrong: tuple[str, Any],
    source: Print,
    points: tuple[Mapping[str, Any], ...] = ACTIVATIONS,
    distance: Any = EIGHTH,
) -> Rate:
    """The exponent of m^-1 in a quantity, at a fixed input and a fixed B_x ||W||, at widths up to 2^16."""
    return _rate(id, part, _in_width(quantity, worst), WIDTHS, points, value, wrong, source, distance)


def dimension_rate(
    *, id: str, part: str, quantity: Quantity, value: Any, wrong: tuple[str, Any], source: Print
) -> Rate:
    """The exponent of d in the worst of a quantity over W at x parallel to w_{0,1}, two neurons, B_x ||W|| = 1."""
    attained = replace(source, printed=f"{source.printed}; here its power of d, attained by the cubic ReLU itself")
    return _rate(id, part, _in_dimension(quantity), DIMENSIONS, ({},), -value, (wrong[0], -wrong[1]), attained)


def _rate(
    id: str,
    part: str,
    observe: Observe,
    ladder: tuple[int, ...],
    points: tuple[Mapping[str, Any], ...],
    value: Any,
    wrong: tuple[str, Any],
    source: Print,
    distance: Any = EIGHTH,
) -> Rate:
    """`distance` is how far off the nearest mutants are: 1/8, or 1/4 where a replicate is dear."""
    return Rate(
        id=id,
        part=part,
        observe=observe,
        ladder=ladder,
        points=points,
        resolution=float(distance / 2),
        resolution_reason=f"half of {distance}, by which the nearest mutants are off",
        readings=(source.reading(exponent(value)),),
        mutants=(
            Mutant(name=f"exponent-{distance}-larger", states=exponent(value + distance)),
            Mutant(name=f"exponent-{distance}-smaller", states=exponent(value - distance)),
            Mutant(name=wrong[0], states=exponent(wrong[1])),
        ),
    )
