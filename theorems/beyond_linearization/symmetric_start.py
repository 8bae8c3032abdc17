r"""The symmetric initialisation starts from the zero function (B, Section 3, (3)).

a_r = +1 for r <= m/2 and -1 after, w_{0,r} = w_{0,r+m/2} ~ N(0, B_x^-2 I_d). Then f_{W_0}(x) = m^-1/2 sum_r a_r
sigma(<w_{0,r}, x>) = 0 for every x and every sigma, term by term; and <w_{0,r}, x> ~ N(0, 1) for ||x|| = B_x, since
its variance is B_x^-2 ||x||^2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp

from theorems.claim import Equation, Identity, Mutant, Reading, Statement, Theorem

WIDTHS = (2, 4, 10)
"""Written out; the pair of neurons r and r + m/2 stands for every m and d."""
DIMENSION = 3
radius = sp.Symbol("B_x", positive=True)
any_width = sp.Symbol("m", positive=True)
start, other_start = sp.symbols("u v", real=True)  # <w_{0,r}, x> and, if drawn again, <w_{0,r+m/2}, x>
any_activation: Any = sp.Function("sigma")


def network_at_start(
    activation: Callable[[Any], Any], width: int, signs: tuple[int, int] = (1, -1), *, copied: bool = True
) -> Any:
    """f_{W_0}(x) for symbolic weights and input, written out as the sum (1) with the initialisation (3)."""
    half = width // 2
    point = sp.symbols(f"x:{DIMENSION}", real=True)
    drawn = [sp.symbols(f"w{row}_:{DIMENSION}", real=True) for row in range(half)]
    again = drawn if copied else [sp.symbols(f"v{row}_:{DIMENSION}", real=True) for row in range(half)]
    rows = [(signs[0], row) for row in drawn] + [(signs[1], row) for row in again]
    terms = [sign * activation(sum(w * x for w, x in zip(row, point, strict=True))) for sign, row in rows]
    return sp.Add(*terms) / sp.sqrt(width)


def pair_at_start(activation: Callable[[Any], Any], signs: tuple[int, int] = (1, -1), *, copied: bool = True) -> Any:
    """What the neurons r and r + m/2 add to f_{W_0}(x), for any m and d: f is the sum of m/2 such pairs."""
    again = start if copied else other_start
    return (signs[0] * activation(start) + signs[1] * activation(again)) / sp.sqrt(any_width)


def _zero(activation: Callable[[Any], Any], **options: Any) -> tuple[Statement, ...]:
    written_out = (
        Equation(f"f at the start, m = {m}", network_at_start(activation, m, **options), sp.S.Zero) for m in WIDTHS
    )
    pair = Equation("the pair r, r + m/2, for any m and d", pair_at_start(activation, **options), sp.S.Zero)
    return (pair, *written_out)


def _projected_variance(scale: Any) -> tuple[Statement, ...]:
    """Var <w, x> = scale ||x||^2 for w ~ N(0, scale I), with x of norm B_x in polar coordinates."""
    angles = sp.symbols("theta:3", real=True)
    so_far, coordinate = sp.symbols("S x", real=True)
    statements = [
        Equation("one more independent coordinate, for any d: Var = scale (S + x^2), S the sum of squares so far",
                 scale * so_far + coordinate**2 * scale, scale * (so_far + coordinate**2)),
        Equation("at S = B_x^2, in any dimension", scale * radius**2, sp.S.One),
    ]  # fmt: skip
    for dimension in (1, 2, 3, 4):
        coordinates, left = [], radius
        for angle in angles[: dimension - 1]:
            coordinates.append(left * sp.cos(angle))
            left = left * sp.sin(angle)
        variance = scale * sum((x**2 for x in (*coordinates, left)), sp.S.Zero)
        statements.append(Equation(f"Var <w, x> = 1 in dimension {dimension}", variance, sp.S.One))
    return tuple(statements)


def _cube(u: Any) -> Any:
    return u**3


THEOREM = Theorem(
    slug="symmetric-start",
    title="The symmetric initialisation starts from zero",
    source="B, Section 3, (3)",
    latex=r"f_{W_0}(x) = \frac{1}{\sqrt m}\sum_{r\le m} a_r\sigma(\langle w_{0,r},x\rangle) = 0",
    claims=(
        Identity(
            id="BL-F0",
            readings=(
                Reading(
                    document="B",
                    place="Section 3, below (3)",
                    printed="has the additional benefit that f_{W_0}(x) = 0",
                    states=lambda setting: _zero(any_activation),
                ),
            ),
            mutants=(
                Mutant(name="all-signs-equal", states=lambda setting: _zero(_cube, signs=(1, 1))),
                Mutant(name="halves-drawn-independently", states=lambda setting: _zero(_cube, copied=False)),
            ),
        ),
        Identity(
            id="BL-F0",
            part="unit-scale",
            readings=(
                Reading(
                    document="B",
                    place="Section 3, below (3)",
                    printed="initialization scale B_x^-2 is chosen so that for a random draw of w we have w.x ~ N(0,1)",
                    scan="the exponent -2 stands as 2 in the sentence and as -2 in (3)",
                    states=lambda setting: _projected_variance(radius**-2),
                ),
            ),
            mutants=(Mutant(name="scale-B_x^-1", states=lambda setting: _projected_variance(1 / radius)),),
        ),
    ),
)
