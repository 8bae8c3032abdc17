r"""The activation sigma: everything the theorems need, derived once from one expression in x.

With G ~ N(0, 1) and He_k the Hermite polynomials (He_2 = x^2 - 1),

    lambda_k    = E[sigma(G) He_k(G)],      lambda_k(s) = E[sigma(s G) He_k(G)],
    lambda~     = E[sigma(G)^2] - lambda_1^2,
    b_1         = lambda_1,                 b_*^2 = E[sigma(G)^2] - lambda_0^2 - lambda_1^2.

Every constant is a ball. Centring replaces sigma by sigma - lambda_0, after which lambda_0 is exactly zero.

>>> sigma = activation("center(relu(x))")
>>> sigma.text, sigma.parity, sigma.mean_zero().holds
('center(relu)', 'none', True)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

import sympy as sp
from flint import arb, ctx

from proofs_checks.ball_function import CannotDecide, NotReal, number_ball
from proofs_checks.breakpoints import Breakpoints, breakpoints
from proofs_checks.growth import Growth, assumption_a1, growth, is_affine
from proofs_checks.hermite import GaussianIntegrals, InfiniteMoment
from theorems.claim import Decision
from theorems.expression import LENGTH, canonical, parse
from theorems.half_lines import Parity, halves, parity, require_real_parts
from theorems.named_activations import NAMED

if TYPE_CHECKING:  # JAX is loaded only when a simulator asks for the function
    from simulate.activation_function import ActivationFunction

_Answer = TypeVar("_Answer")
NAMES = tuple(NAMED)
_NAME_OF = {expression: name for name, expression in NAMED.items()}
_CENTER = "center("
_BITS = 256
"""Precision of arithmetic between constants: twice the digits to which each is certified."""
NEGLIGIBLE_MEAN = "1e-25"
"""A mean certified below this cannot be told from zero by anything computed in float64 (1e-16)."""


@lru_cache(maxsize=512)
def activation(text: str, center: bool = False) -> Activation:
    """The activation a person typed: a name, an expression in x, or either inside center(...)."""
    body, centered = text, center
    while len(text) <= LENGTH and body.strip().startswith(_CENTER) and body.strip().endswith(")"):
        body, centered = body.strip()[len(_CENTER) : -1], True
    name = body.strip() if len(body) <= LENGTH else ""
    return Activation(NAMED[name] if name in NAMED else canonical(parse(body, ("x",)), ("x",)), centered)


def _real_comparisons(question: Callable[[Any], _Answer], expression: Any) -> _Answer:
    """The answer, unless SymPy refuses to compare numbers that are not real, as in Piecewise((1, log(x) > 0), ...)."""
    try:
        return question(expression)
    except TypeError as error:
        raise CannotDecide("a condition compares numbers that are not real for every x.") from error


@dataclass(frozen=True)
class Activation:
    """sigma, or sigma - lambda_0 if `centered`; `expression` is sigma itself in both cases."""

    expression: Any
    centered: bool = False

    @cached_property
    def text(self) -> str:
        """The canonical text: `activation(sigma.text)` is sigma again."""
        text = _NAME_OF.get(self.expression) or str(self.expression)
        return f"{_CENTER}{text})" if self.centered else text

    def center(self) -> Activation:
        return self if self.centered else Activation(self.expression, True)

    # --- shape ---------------------------------------------------------------------------------------

    @cached_property
    def _breakpoints(self) -> Breakpoints | CannotDecide:
        try:
            found = _real_comparisons(breakpoints, self.expression)
            require_real_parts(self.expression, found.kinks)
            return found
        except CannotDecide as reason:
            return reason

    @property
    def breakpoints(self) -> Breakpoints:
        """Where sigma is not smooth; raises CannotDecide where that is not known."""
        if isinstance(self._breakpoints, CannotDecide):
            raise self._breakpoints
        return self._breakpoints

    @property
    def kinks(self) -> tuple[Any, ...]:
        """The points where sigma or its derivative may fail to be smooth, as exact real numbers."""
        return tuple(self.breakpoints.kinks)

    @property
    def jumps(self) -> tuple[Any, ...]:
        """The kinks at which sigma is discontinuous."""
        return tuple(self.breakpoints.jumps)

    @property
    def _all_kinks(self) -> tuple[Any, ...] | None:
        """The kinks if they are finitely many and known, else None."""
        found = self._breakpoints
        return None if isinstance(found, CannotDecide) or found.within is not None else self.kinks

    @cached_property
    def parity(self) -> Parity:
        """The parity that has been proved; "none" where neither symmetry has."""
        return parity(self.expression, self._all_kinks, up_to_a_constant=self.centered)

    @cached_property
    def growth(self) -> Growth:
        """The Gaussian growth c, sigma(u)^2 = O(exp(c u^2/2)); raises CannotDecide where it is not known."""
        return _real_comparisons(growth, self.expression)

    def norm_limit(self) -> arb | None:
        """The norm s from which on E[sigma(s G)^2] is infinite; None if it is finite for every s."""
        rate = self.growth.rate
        if rate == 0:
            return None
        if not self.growth.is_infimum:
            raise CannotDecide("the norm from which on E sigma^2 is infinite is not known.")
        if rate == sp.oo:
            return arb(0)
        with ctx.workprec(_BITS):
            return 1 / number_ball(rate).sqrt()

    # --- hypotheses ----------------------------------------------------------------------------------

    def real(self) -> Decision:
        """Whether sigma is a real function on the whole line."""
        if isinstance(self._breakpoints, NotReal):
            return Decision(False, f"sigma is not real everywhere: {self._breakpoints}")
        if isinstance(self._breakpoints, CannotDecide):
            return Decision(None, str(self._breakpoints))
        return Decision(True, "sigma is real on the whole line.")

    @cached_property
    def _a1(self) -> Decision:
        real = self.real()
        if real.holds is False:
            return real
        try:
            answer = _real_comparisons(assumption_a1, self.expression)
        except CannotDecide as reason:
            return Decision(None, str(reason))
        return Decision(answer.holds, answer.reason)

    def a1(self) -> Decision:
        """Assumption A1: sigma(u)^2 <= c0 exp(c1 u^2/2) with c1 < 1, and sigma is not affine.

        Centring changes neither.
        """
        return self._a1

    def mean_zero(self) -> Decision:
        """Whether lambda_0 = 0."""
        try:
            mean = self.hermite(0)
            if self.centered and self.mean.is_finite():
                return Decision(True, "lambda_0 = 0 exactly, since sigma is centred.")
        except (InfiniteMoment, NotReal) as nowhere:
            return Decision(False, f"lambda_0 does not exist: {nowhere}")
        except CannotDecide as reason:
            return Decision(None, str(reason))
        if mean == 0:
            why = ", since sigma is odd" if self.parity == "odd" else ""
            return Decision(True, f"lambda_0 = 0 exactly{why}.")
        if not mean.contains(0):
            size = mean.str(6, radius=False)
            return Decision(False, f"lambda_0 = {size} is not zero; centre the activation (--center).")
        if abs(mean) < arb(NEGLIGIBLE_MEAN):
            return Decision(True, f"|lambda_0| is certified to be below {NEGLIGIBLE_MEAN}.")
        return Decision(None, f"lambda_0 = {mean} cannot be told from zero.")

    # --- constants -----------------------------------------------------------------------------------

    @cached_property
    def _integrals(self) -> GaussianIntegrals:
        if isinstance(self._breakpoints, CannotDecide):
            raise self._breakpoints
        return GaussianIntegrals(self.expression)

    def hermite(self, k: int) -> arb:
        """lambda_k; exactly zero where parity or centring makes it so."""
        if (self.centered and k == 0) or self._zero_by_parity(k):
            return arb(0)
        return self._integrals.coefficient(k)

    def hermite_at(self, k: int, scale: arb) -> arb:
        """lambda_k(s) of a neuron of norm s = `scale`. Centring subtracts lambda_0(1) whatever the norm."""
        if self._zero_by_parity(k):
            return arb(0)
        with ctx.workprec(_BITS):
            coefficient = self._integrals.coefficient(k, scale)
            return coefficient - self.mean if k == 0 else coefficient

    def _zero_by_parity(self, k: int) -> bool:
        if self.parity == "none" or (k % 2 == 0) == (self.parity == "even"):
            return False
        # The integral has to exist before symmetry can make it zero.
        self.second_moment()
        return True

    @property
    def mean(self) -> arb:
        """What centring subtracts: lambda_0 of the expression, or zero if sigma is not centred."""
        return self._integrals.coefficient(0) if self.centered else arb(0)

    def second_moment(self) -> arb:
        """E[sigma(G)^2]."""
        with ctx.workprec(_BITS):
            return self._integrals.second_moment() - self.mean**2

    def second_moment_at(self, scale: arb) -> arb:
        """E[sigma(s G)^2]; raises InfiniteMoment from `norm_limit` on."""
        with ctx.workprec(_BITS):
            raw = self._integrals.second_moment(scale)
            if not self.centered:
                return raw
            return raw - 2 * self.mean * self._integrals.coefficient(0, scale) + self.mean**2

    def lambda_tilde(self) -> arb:
        """E[sigma^2] - lambda_1^2."""
        with ctx.workprec(_BITS):
            return self.second_moment() - self.hermite(1) ** 2

    def b1(self) -> arb:
        return self.hermite(1)

    def b_star(self) -> arb:
        """sqrt(E[sigma^2] - lambda_0^2 - lambda_1^2): the size of the part of sigma that is not affine."""
        with ctx.workprec(_BITS):
            square = self.lambda_tilde() - self.hermite(0) ** 2
            if square > 0:
                return square.sqrt()
            if is_affine(self.expression):
                return arb(0)
            # The radicand is a sum of squares: only the part of the ball on the right of zero is meant.
            half = arb(square.upper()).sqrt() / 2
            return arb(half.mid(), half.upper()) if half.is_finite() else half

    # --- simulation ----------------------------------------------------------------------------------

    @cached_property
    def _function(self) -> ActivationFunction:
        from simulate.activation_function import ActivationFunction
        from theorems.closed_form import closed_form
        from theorems.jax_function import jax_function

        offset = float(self.mean.mid()) if self.centered else 0.0
        kinks = self._all_kinks
        both = halves(self.expression, kinks) if kinks is not None else ()
        function = jax_function(self.expression, kinks, offset)
        return ActivationFunction(
            value=function.value,
            derivative=function.derivative,
            kinks=tuple(float(kink) for kink in self.kinks),
            gaussian_growth=float(self.growth.rate),
            closed_form=closed_form(self.expression, both, offset),
        )

    def function(self) -> ActivationFunction:
        """sigma and sigma' for simulators: plain JAX functions on float64 arrays."""
        return self._function
