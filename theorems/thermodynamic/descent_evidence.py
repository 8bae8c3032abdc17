"""Evidence about the risk of feature ridge regression as facts: certified signs, and risks compared as balls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import flint
from flint import arb, fmpq

from proofs_checks.double_descent import Positivity, positive
from proofs_checks.feature_ridge import ridge_risk, ridgeless, wide
from theorems.claim import Decision, Fact, Hypothesis, Setting

_BITS = 160


def ball(number: arb | Fraction | int | str) -> arb:
    """A number as a ball at the working precision."""
    if isinstance(number, arb):
        return number
    fraction = Fraction(number)
    with flint.ctx.workprec(_BITS):
        return arb(fmpq(fraction.numerator, fraction.denominator))


def shown(name: str, found: Positivity) -> Fact:
    """A sign that was read off coefficients; where it was not shown, nothing is concluded."""
    return Fact(name, Decision(True if found.holds else None, found.reason), certain=True)


def always_positive(name: str, expression: Any, squares: Sequence[Any] = ()) -> Fact:
    """expression > 0 for all positive values of its symbols."""
    return shown(name, positive(expression, squares))


def risk_at(zeta2: Any, psi1: Any, psi2: Any, lambda_bar: Any, noise: Any) -> arb:
    """B + noise V, certified; lambda_bar = 0 is the limit 0+, psi1 = None the limit psi1 -> infinity."""
    with flint.ctx.workprec(_BITS):
        zeta, second, level = ball(zeta2).sqrt(), ball(psi2), ball(noise)
        if psi1 is None:
            bias, variance = wide(zeta, second, ball(lambda_bar))
        elif ball(lambda_bar).is_zero():
            bias, variance = ridgeless(zeta, ball(psi1), second)
        else:
            risk = ridge_risk(zeta, ball(psi1), second, ball(lambda_bar))
            bias, variance = risk.bias, risk.variance
        return bias + level * variance


def compared(name: str, smaller: Mapping[str, arb], larger: Mapping[str, arb], where: str) -> Fact:
    """Certified: the first number is below the second, or it is not."""
    ((low_name, low),) = smaller.items()
    ((high_name, high),) = larger.items()
    holds = True if low < high else False if low >= high else None
    reason = f"at {where}: {low_name} = {low.str(8, radius=False)} and {high_name} = {high.str(8, radius=False)}"
    return Fact(name, Decision(holds, reason), certain=True)


def slope_squared(setting: Setting) -> arb:
    """zeta^2 of the activation."""
    with flint.ctx.workprec(_BITS):
        return (setting.activation.b1() / setting.activation.b_star()) ** 2


def given(setting: Setting, name: str) -> arb:
    """A rational parameter as a ball."""
    return ball(Fraction(setting[name]))


def symbols(setting: Setting) -> dict[str, arb]:
    """The values of what is set and of the activation's constants."""
    sigma = setting.activation
    with flint.ctx.workprec(_BITS):
        values = {"b_1": sigma.b1(), "b_star": sigma.b_star(), "zeta": abs(sigma.b1()) / sigma.b_star()}
    return values | {
        name: given(setting, name) for name in ("psi1", "psi2", "noise", "ridge") if name in setting.parameters
    }


def _linear_part(setting: Setting) -> Decision:
    slope = setting.activation.b1()
    if slope.is_zero():
        return Decision(False, "b_1 = 0: zeta = 0, and no width and no penalty learns anything")
    if slope.contains(0):
        return Decision(None, f"b_1 = {slope.str(5)} is not told from zero")
    return Decision(True, f"b_1 = {slope.str(8, radius=False)}")


LINEAR_PART = Hypothesis(name="zeta > 0", text="b_1 = E[G sigma(G)] is not zero", check=_linear_part)
