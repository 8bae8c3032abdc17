"""The pair of equations for nu_1, nu_2 and its "unique solution" (T, slide Explicit formulae).

    nu_1 = psi1/(-xi - nu_2 - zeta^2 nu_2/(1 - zeta^2 nu_1 nu_2)),
    nu_2 = psi2/(-xi - nu_1 - zeta^2 nu_1/(1 - zeta^2 nu_1 nu_2)).

The slide says "the unique solution" and names no domain. The pair is equivalent to a polynomial of degree four in
nu_1 nu_2 and has four solutions at almost every xi. What holds: for Im xi > 0 exactly one of them has Im nu_1 > 0 and
Im nu_2 > 0 (proofs_checks/feature_ridge_uniqueness.py). On the imaginary axis, where chi is taken, nu_1 - nu_2 = i
(psi1 - psi2)/t for each solution, so the condition on the nu_j of the smaller psi_j implies the other; the condition
on the larger one alone does not determine the solution.
"""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp
from flint import acb, arb, ctx

from proofs_checks.ball_function import CannotDecide
from proofs_checks.feature_ridge import nu
from proofs_checks.feature_ridge_steps import root_steps
from proofs_checks.feature_ridge_uniqueness import Pair, printed_pair, solutions, uniqueness_steps
from theorems.claim import (
    Decision,
    Equation,
    Erratum,
    Fact,
    Identity,
    Mutant,
    Prediction,
    Reading,
    Setting,
    Statement,
    Theorem,
)
from theorems.steps import statements
from theorems.thermodynamic.random_feature_ridge import ACTIVATION, regime, symbols

Condition = Callable[[Pair, float], bool]
"""Whether a solution is meant, given also psi1 - psi2."""

PLACES = tuple(
    (arb(zeta2), arb(psi1), arb(psi2), acb(*xi))
    for zeta2, psi1, psi2 in ((1, 2, 3), (4, 3, 0.5), (0.25, 1, 1), (100, 0.5, 2), (4, 1, 8), (1, 16, 0.25))
    for xi in ((0, 0.0078125), (0, 1), (0, 8), (2, 0.5), (-3, 0.0625))
)
"""zeta^2, psi1, psi2 and xi, exact: over- and underparametrised and at the threshold, on and off the imaginary axis."""


def _above(pair: Pair, difference: float) -> bool:
    return pair.above(0) and pair.above(1)


def _below(pair: Pair, difference: float) -> bool:
    return not pair.above(0) and not pair.above(1)


def _smaller(pair: Pair, difference: float) -> bool:
    """Im nu_j > 0 for the j with the smaller psi_j."""
    return pair.above(1 if difference > 0 else 0)


def _larger(pair: Pair, difference: float) -> bool:
    return pair.above(0 if difference > 0 else 1)


def _counted(condition: Condition, places: tuple[tuple[arb, arb, arb, acb], ...], where: str) -> Fact:
    """Exactly one solution satisfies the condition at each of these places, by certified roots."""
    name = f"solutions, {where}"
    counts = []
    try:
        for zeta2, psi1, psi2, xi in places:
            pairs = solutions(zeta2, psi1, psi2, xi)
            counts.append(sum(condition(pair, float(psi1 - psi2)) for pair in pairs))
    except CannotDecide as reason:
        return Fact(name, Decision(None, str(reason)), certain=True)
    numbers = " or ".join(map(str, sorted(set(counts))))
    reason = f"certified: {numbers} at {len(counts)} place{'s' if len(counts) > 1 else ''}"
    return Fact(name, Decision(set(counts) == {1}, reason), certain=True)


def _here(setting: Setting) -> tuple[arb, arb, arb, acb]:
    """zeta^2, psi1, psi2 of this setting, and the xi at which chi is taken."""
    place = regime(setting)
    with ctx.workprec(160):
        t = (place.psi1 * place.psi2 * place.lambda_bar).sqrt()
        return place.zeta * place.zeta, place.psi1, place.psi2, acb(0, t)


def _uniquely(condition: Condition, *, on_the_axis: bool = False) -> Prediction:
    places = tuple(place for place in PLACES if place[3].real == 0) if on_the_axis else PLACES

    def states(setting: Setting) -> tuple[Statement, ...]:
        here = _here(setting)
        # b_1 may be zero without a proof of it: whether there are two solutions or four is then not known here.
        blurred = here[0].contains(0) and not here[0].is_zero()
        own = () if blurred else (_counted(condition, (here,), "in this setting"),)
        return (*own, _counted(condition, places, "at exact places"))

    return states


def _in_the_upper_half_plane(setting: Setting) -> tuple[Statement, ...]:
    return (
        *statements(uniqueness_steps()),
        *statements(root_steps()),
        *_uniquely(_above)(setting),
        _enclosed(setting),
    )


def _enclosed(setting: Setting) -> Fact:
    """The enclosure that the formulas use satisfies the printed pair, and is the solution above the axis."""
    zeta2, psi1, psi2, xi = _here(setting)
    with ctx.workprec(160):
        found = [acb(0, part) for part in nu(regime(setting).zeta, psi1, psi2, xi.imag)]
        right = printed_pair(found[0], found[1], xi, zeta2, psi1, psi2)
        holds = all(a.imag > 0 and a.overlaps(b) for a, b in zip(found, right, strict=True))
        reason = f"nu_1 = i {found[0].imag.str(12, radius=False)}, nu_2 = i {found[1].imag.str(12, radius=False)}"
    return Fact("the enclosed solution", Decision(holds, reason), certain=True)


def _on_the_axis(setting: Setting) -> tuple[Statement, ...]:
    """There the condition on the nu_j of the smaller psi_j is enough, and that on the other is not."""
    n1, n2, t, zeta2, psi1, psi2 = sp.symbols("nu1 nu2 xi Z psi1 psi2", positive=True)
    shared = n1 * n2 + zeta2 * n1 * n2 / (1 - zeta2 * n1 * n2)
    first, second = (-(psi + shared) / t for psi in (psi1, psi2))
    return (
        Equation("nu_1 - nu_2 = -(psi1 - psi2)/xi, which is i (psi1 - psi2)/t", first - second, -(psi1 - psi2) / t),
        *_uniquely(_smaller, on_the_axis=True)(setting),
    )


THEOREM = Theorem(
    slug="ridge-equations",
    title="The pair of equations behind the ridge formulas",
    source="T, slide Explicit formulae",
    latex=(
        r"\nu_1 = \psi_1\Big(-\xi-\nu_2-\frac{\zeta^2\nu_2}{1-\zeta^2\nu_1\nu_2}\Big)^{-1},\quad"
        r"\nu_2 = \psi_2\Big(-\xi-\nu_1-\frac{\zeta^2\nu_1}{1-\zeta^2\nu_1\nu_2}\Big)^{-1}"
    ),
    parameters={"psi1": 2, "psi2": 1, "ridge": "1/10", "noise": 0},
    symbols=("psi1", "psi2", "ridge", "b_1", "b_star", "zeta", "lambda_bar", "chi"),
    evaluate=symbols,
    value=lambda setting: symbols(setting)["chi"],
    value_name="chi",
    activation="relu",
    takes_activation=True,
    hypotheses=(ACTIVATION,),
    uses=("ridge-coefficients",),
    claims=(
        Identity(
            id="TL-NU",
            readings=(
                Reading(
                    document="T",
                    place="slide Explicit formulae",
                    printed="(nu_1(xi), nu_2(xi)) is the unique solution of the pair",
                    states=_uniquely(lambda pair, difference: True),
                    erratum=Erratum(
                        corrected="for Im xi > 0 the pair has exactly one solution with Im nu_1 > 0 and Im nu_2 > 0, "
                        "and that is meant; in all it has four, counted with multiplicity (two if zeta = 0)",
                        states=_in_the_upper_half_plane,
                    ),
                ),
            ),
            mutants=(
                Mutant(
                    name="only-nu_1-in-the-upper-half-plane", states=_uniquely(lambda pair, difference: pair.above(0))
                ),
                Mutant(name="both-in-the-lower-half-plane", states=_uniquely(_below)),
            ),
        ),
        Identity(
            id="TL-NU",
            part="imaginary-axis",
            readings=(
                Reading(
                    document="T",
                    place="slide Explicit formulae, where chi is taken; derived, not printed",
                    printed="at xi = i t the solution is unique once Im nu_j > 0 for the j with the smaller psi_j",
                    states=_on_the_axis,
                ),
            ),
            mutants=(Mutant(name="for-the-larger-psi_j-alone", states=_uniquely(_larger, on_the_axis=True)),),
        ),
    ),
)
