r"""The network as the sum of its Taylor series in the movement (B, Section 6).

"Assuming sigma is analytic on R (i.e. it equals its Taylor series at any point), f_{W_0+W} = sum_{k>=0} f^(k)".
Analytic on R means that sigma equals its Taylor series *near* each point, and no more: x - atan(x) is analytic on R and
satisfies Assumption A, and its series at 0, the sum over n >= 1 of (-1)^(n+1) h^(2n+1)/(2n+1), diverges for |h| > 1
(the singularities +-i are at distance 1). So the identity fails for some movements W. It holds where each |<w_r, x>| is
below the radius of convergence at <w_{0,r}, x>, for all W if sigma is entire such as x - sin(x), and in Section 6.1
from the width on at which the movements O(m^(-1/2k)) are that small.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_checks.analytic import analytic_on_line
from proofs_checks.cubic_smoothness import cubic_smoothness
from theorems.activation import activation
from theorems.claim import (
    Bound,
    Decision,
    Equation,
    Erratum,
    Fact,
    Identity,
    Mutant,
    Reading,
    Setting,
    Statement,
    Theorem,
)

n = sp.Symbol("n", integer=True, positive=True)
h, gap = sp.symbols("h g", positive=True)
index = sp.Symbol("i", integer=True, nonnegative=True)
LOCAL, ENTIRE = "x - atan(x)", "x - sin(x)"
TANGENT, SINE = (-1) ** (n + 1) / (2 * n + 1), (-1) ** (n + 1) / sp.factorial(2 * n + 1)
"""Their coefficients of h^(2n+1), n >= 1."""


def _covered(text: str) -> Fact:
    """Analytic on R, and Assumption A holds: the function is one the section speaks of."""
    sigma = activation(text).expression
    found = (analytic_on_line(sigma), cubic_smoothness(sigma))
    holds = all(one.holds for one in found)
    return Fact(f"{text} is covered by the assumptions", Decision(holds, found[0].reason), certain=True)


def _coefficients(text: str, formula: Any, terms: int = 6) -> tuple[Statement, ...]:
    """The Taylor coefficients at 0 of odd order 2n + 1, by differentiation, against their formula."""
    sigma = activation(text).expression
    (x,) = sigma.free_symbols
    return tuple(
        Equation(
            f"{text}: the coefficient of h^{2 * order + 1}",
            sp.diff(sigma, x, 2 * order + 1).subs(x, 0) / sp.factorial(2 * order + 1),
            formula.subs(n, order),
        )
        for order in range(1, terms)
    )


def _recurrence(text: str, formula: Any, first: Any, equation: Any, step: Any) -> tuple[Statement, ...]:
    """The formula for every n: sigma solves a differential equation, which links consecutive coefficients.

    `equation` is the differential equation as an expression in x that is zero, `step` what it says of a_{n+1} and a_n.
    """
    return (
        Equation(f"{text}: its differential equation", equation, sp.S.Zero),
        Equation(f"{text}: the first coefficient", formula.subs(n, 1), first),
        Equation(f"{text}: from each coefficient to the next", step(formula.subs(n, n + 1), formula), sp.S.Zero),
    )


def _tangent_series(formula: Any) -> tuple[Statement, ...]:
    """x - atan(x): (1 + x^2) sigma' = x^2, so (2n + 3) a_{n+1} + (2n + 1) a_n = 0 and 3 a_1 = 1."""
    sigma = activation(LOCAL).expression
    (x,) = sigma.free_symbols
    equation = sp.simplify((1 + x**2) * sp.diff(sigma, x) - x**2)
    return _recurrence(
        LOCAL, formula, sp.Rational(1, 3), equation, lambda after, before: (2 * n + 3) * after + (2 * n + 1) * before
    )


def _sine_series(formula: Any) -> tuple[Statement, ...]:
    """x - sin(x): sigma'' + sigma = x, so (2n + 3)(2n + 2) a_{n+1} + a_n = 0 and 6 a_1 = 1."""
    sigma = activation(ENTIRE).expression
    (x,) = sigma.free_symbols
    equation = sp.expand(sp.diff(sigma, x, 2) + sigma - x)

    def step(after: Any, before: Any) -> Any:
        return sp.combsimp((2 * n + 3) * (2 * n + 2) * after + before)

    return _recurrence(ENTIRE, formula, sp.Rational(1, 6), equation, step)


def _terms_decrease(movement: Any) -> Bound:
    """|a_{n+1}| h^2 <= |a_n| for the series of x - atan(x): a series that converges has terms that tend to zero."""
    return Bound(
        f"the terms of the series do not grow at h = {movement}",
        movement**2 * (2 * n + 1) / (2 * n + 3),
        sp.S.One,
        domain={n: (1, 12)},
    )


def _local() -> tuple[Statement, ...]:
    return (_covered(LOCAL), *_coefficients(LOCAL, TANGENT), *_tangent_series(TANGENT))


def _everywhere(setting: Setting) -> tuple[Statement, ...]:
    return (*_local(), _terms_decrease(sp.Integer(2)))


def _within_the_radius(setting: Setting) -> tuple[Statement, ...]:
    inside = 1 / (1 + gap)  # any h in (0, 1)
    return (
        *_local(),
        Bound(
            "x - atan(x) at 0, h = 2: every term exceeds the one before, so the series diverges",
            sp.S.One,
            4 * (2 * n + 1) / (2 * n + 3),
            strict=True,
            certificate=(6 * n + 1) / (2 * n + 3),
        ),
        Bound(
            "x - atan(x) at 0, h < 1: a geometric series of ratio h^2 dominates",
            inside**2 * (2 * index + 1) / (2 * index + 3),
            inside**2,
            certificate=inside**2 * 2 / (2 * index + 3),
        ),
        _covered(ENTIRE),
        *_coefficients(ENTIRE, SINE),
        *_sine_series(SINE),
        Equation(
            "x - sin(x): the ratio of consecutive terms tends to zero for every h",
            sp.limit(h**2 / ((2 * n + 2) * (2 * n + 3)), n, sp.oo),
            sp.S.Zero,
        ),
    )


THEOREM = Theorem(
    slug="taylor-series",
    title="The network as its Taylor series in the movement",
    source="B, Section 6",
    latex=r"f_{W_0+W}(x) = \sum_{k\ge 0} f^{(k)}_{W_0,W}(x)",
    uses=("smooth-activation",),
    claims=(
        Identity(
            id="BL-K",
            part="series",
            readings=(
                Reading(
                    document="B",
                    place="Section 6",
                    printed=(
                        "Assuming sigma is analytic on R (i.e. it equals its Taylor series at any point), we have "
                        "f_{W_0+W}(x) = sum_{k>=0} f^(k)_{W_0,W}(x)"
                    ),
                    states=_everywhere,
                    erratum=Erratum(
                        corrected=(
                            "for movements with |<w_r, x>| below the radius of convergence of the series of sigma at "
                            "<w_{0,r}, x>; for all W if sigma is entire, as x - sin(x)"
                        ),
                        states=_within_the_radius,
                    ),
                ),
            ),
            mutants=(
                Mutant(name="radius-3/2", states=lambda setting: (_terms_decrease(sp.Rational(3, 2)),)),
                Mutant(
                    name="factorials-in-the-series-of-atan",
                    states=lambda setting: _coefficients(LOCAL, SINE),
                ),
                Mutant(name="no-alternating-signs", states=lambda setting: _tangent_series(1 / (2 * n + 1))),
                Mutant(name="no-factorials-in-the-series-of-sin", states=lambda setting: _sine_series(TANGENT)),
            ),
        ),
    ),
)
