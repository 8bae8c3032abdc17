r"""The tangent regime: movements of size m^(-1/2) leave the linear term O(1) and the rest o(1) (B, Section 3).

f_{W_0+W} = f_{W_0} + f^L + rest, |<w_r, x>| <= b m^(-1/2). With C the constant of Assumption A, u_r = <w_{0,r}, x> and
U = max_r |u_r|,

    |f^L| <= m^(-1/2) sum_r |sigma'(u_r)| b m^(-1/2) = b (mean of |sigma'(u_r)|),   attained with matched signs;
    |rest| <= m^(-1/2) sum_r int_0^h (h - s) C (U + s) ds = C (U b^2 m^(-1/2)/2 + b^3 m^(-1)/6),   h = b m^(-1/2).

So f^L is O(1) and the rest is O(m^(-1/2)), for every W of that size and every m; both exponents are attained. The
printed O(m^(-1/2) sum_r <w_r, x>^2) holds with the factor C (U + h/3)/2, which grows with U = O~(sqrt d), as sigma''
need not be bounded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp
from flint import arb, ctx, fmpq

from proofs_checks.taylor_terms import BITS, tangent_exponent
from simulate.higher_tangents import term_size_cost
from theorems.beyond_linearization.smooth_activation import ASSUMPTION_A, NOT_CONSTANT
from theorems.claim import (
    Bound,
    Equation,
    Inequality,
    Mutant,
    Observation,
    Prediction,
    Rate,
    Reading,
    Setting,
    Statement,
    Theorem,
)

LADDER = (2048, 4096, 16384, 65536)
FAR = 200
"""log2 of the width at which the exponent of the rest is read off the exact formula."""
EIGHTH: Any = sp.Rational(1, 8)
HALF: Any = sp.Rational(1, 2)
m, b, C, U, h, s, mean = sp.symbols("m b C U h s mean", positive=True)


def _ball(number: Any) -> arb:
    return arb(fmpq(number.p, number.q))


def _linear(exponent: Any) -> tuple[Statement, ...]:
    """m neurons, each at most |sigma'(u_r)| b m^(-1/2), and the factor m^(-1/2)."""
    return (Equation("the bound of |f^L|", m * mean * b / sp.sqrt(m) / sp.sqrt(m), b * mean * m ** (-exponent)),)


def _rest(exponent: Any) -> tuple[Statement, ...]:
    """Taylor's formula with |sigma''(u + s)| <= C (U + s), and the power of m that is left in front."""
    one = sp.expand(sp.integrate((h - s) * C * (U + s), (s, 0, h)))
    total = sp.sqrt(m) * one.subs(h, b / sp.sqrt(m))
    left = m ** (-exponent) * C * (U * b**2 / 2 + b**3 / (6 * sp.sqrt(m)))
    return (
        Equation("|sigma(u+h) - sigma(u) - sigma'(u) h| <= C (U h^2/2 + h^3/6)", one, C * (U * h**2 / 2 + h**3 / 6)),
        Equation("which is the printed sum of squares, times C (U + h/3)/2", one, C * (U + h / 3) / 2 * h**2),
        Equation("the bound of the rest", total, left),
    )


def _attained(sigma: Any, exponent: Any) -> tuple[Statement, ...]:
    name = f"the exponent of the exact rest is {exponent} within 1/16, half of a mutant's distance"
    with ctx.workprec(BITS):
        return (Bound(name, abs(tangent_exponent(sigma, FAR) - _ball(exponent)), _ball(EIGHTH / 2)),)


def _regime(linear: Any, rest: Any) -> Callable[[Setting], tuple[Statement, ...]]:
    return lambda setting: (*_linear(linear), *_rest(rest), *_attained(setting.activation.expression, rest))


def _observe(linear: bool) -> Callable[[Setting], Observation]:
    def observe(setting: Setting) -> Observation:
        assert setting.dimension is not None
        return Observation(
            simulator="simulate.higher_tangents:tangent_size",
            dimension=setting.dimension,
            arguments={"linear": linear},
            cost=term_size_cost(setting.dimension),
            activation=setting.activation.text,
        )

    return observe


def _exponent(value: Any) -> Prediction:
    return lambda setting: _ball(value)


def _scaling(part: str, printed: str, linear: bool, value: Any, wrong: tuple[str, Any]) -> Rate:
    return Rate(
        id="BL-NTK",
        part=part,
        observe=_observe(linear),
        points=({}, {"activation": "x - sin(x)"}, {"activation": "x**3/(1 + x**2)"}),
        ladder=LADDER,
        resolution=float(EIGHTH / 2),
        resolution_reason="half of 1/8, by which the nearest mutants are off",
        readings=(Reading(document="B", place="Section 3", printed=printed, states=_exponent(value)),),
        mutants=(
            Mutant(name="exponent-1/8-larger", states=_exponent(value + EIGHTH)),
            Mutant(name="exponent-1/8-smaller", states=_exponent(value - EIGHTH)),
            Mutant(name=wrong[0], states=_exponent(wrong[1])),
        ),
    )


THEOREM = Theorem(
    slug="tangent-regime",
    title="The tangent regime",
    source="B, Section 3",
    latex=r"\|w_r\|_2 = O(m^{-1/2}):\quad f^L_W(x) = O(1),\quad f_{W_0+W}-f_{W_0}-f^L_W = o_m(1)",
    activation="Max(x, 0)**3",
    takes_activation=True,
    hypotheses=(ASSUMPTION_A, NOT_CONSTANT),
    uses=("smooth-activation", "initial-norms"),
    claims=(
        Inequality(
            id="BL-NTK",
            readings=(
                Reading(
                    document="B",
                    place="Section 3",
                    printed=(
                        "when m is large and ||w_r||_2 = O(m^(-1/2)), we expect f^L = O(1) and higher order terms "
                        "to be o_m(1)"
                    ),
                    scan="the exponent is garbled, and the display's O(m^(-1/2) sum_r (w_r.x)^2) loses its brackets",
                    states=_regime(sp.S.Zero, HALF),
                ),
            ),
            mutants=(
                Mutant(name="linear-term-m^(-1/8)", states=_regime(EIGHTH, HALF)),
                Mutant(name="rest-m^(-5/8)", states=_regime(sp.S.Zero, HALF + EIGHTH)),
                Mutant(name="rest-m^(-3/8)", states=_regime(sp.S.Zero, HALF - EIGHTH)),
            ),
        ),
        _scaling("linear", "f^L = O(1)", True, sp.S.Zero, ("m^(-1/2)-as-if-signs-were-random", HALF)),
        _scaling(
            "rest", "higher order terms are o_m(1)", False, HALF, ("m^(-1)-as-if-the-sum-did-not-add-up", sp.S.One)
        ),
    ),
)
