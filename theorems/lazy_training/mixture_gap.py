"""When a trained network beats its linearisations on a mixture of Gaussians (P, 1.1).

With the limiting law of sqrt(d) D (D = Sigma^-1/2 Delta Sigma^-1/2), mean m_1 and second moment m_2, and t =
m_1^2/m_2, the limits of the risks are 1/(1 + gain/2) with the gains

    NN: int v^2 over the share rho of largest |v|,   NT: kappa(rho, t) m_2,   RF (x^2 - 1): rho/(1 + rho) m_1^2.

NN is strictly better than RF. Against NT, "strictly smaller" holds if rho < 1, Delta is semidefinite and not
proportional to Sigma: with b the mean of the lower share 1 - rho of |v|, g > 0 how far the mean of the upper share
is above it, and the variances v_b <= b g (all lower |v| lie in [0, b + g]) and v_t, the difference of the gains is
a sum of positive terms. For rho >= 1 and for Delta proportional to Sigma the two are equal, and for an indefinite
Delta NT can be better: its forms have rank 2N.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from theorems.claim import (
    Bound,
    Decision,
    Equation,
    Erratum,
    Fact,
    Mutant,
    Prediction,
    Reading,
    Setting,
    Shape,
    Statement,
    Theorem,
)
from theorems.lazy_training.mixture_families import FAMILIES, RATIOS
from theorems.lazy_training.mixture_nt import kappa

BELOW_ONE = tuple(ratio for ratio in RATIOS if ratio < 1)
FLAT = {"proportional to Sigma": (Fraction(1),)}


def _gains(family: tuple[Fraction, ...], rho: Fraction) -> tuple[Fraction, Fraction, Fraction]:
    """The gains of NN, NT and RF."""
    count = len(family)
    first = sum(family, Fraction(0)) / count
    squares = sorted((value * value for value in family), reverse=True)
    second = sum(squares, Fraction(0)) / count
    left, network = min(rho, Fraction(1)), Fraction(0)
    for square in squares:
        taken = min(left, Fraction(1, count))
        network += taken * square
        left -= taken
    return network, kappa(min(rho, Fraction(1)), first**2 / second) * second, rho / (1 + rho) * first**2


def _strict(name: str, families: dict[str, tuple[Fraction, ...]], ratios: tuple[Fraction, ...]) -> Fact:
    wrong: list[tuple[Fraction, str]] = []
    for label, family in families.items():
        for rho in ratios:
            network, tangent, features = _gains(family, rho)
            if not (network > tangent and network > features):
                gains = f"the gains of NN, NT, RF are {network}, {tangent}, {features}"
                wrong.append((tangent - network, f"Delta {label}, rho = {rho}: {gains}"))
    reason = f"NN gains most for {', '.join(families)} at rho = {', '.join(map(str, ratios))}"
    return Fact(name, Decision(not wrong, max(wrong)[1] if wrong else reason), certain=True)


def _always(families: dict[str, tuple[Fraction, ...]], ratios: tuple[Fraction, ...]) -> Prediction:
    return lambda setting: (_strict("NN below RF and NT", families, ratios),)


SEMIDEFINITE = {name: family for name, family in FAMILIES.items() if min(family) >= 0 or max(family) <= 0}


def _where_it_is_true(setting: Setting) -> tuple[Statement, ...]:
    p, q, g, e = sp.symbols("p q g e", positive=True)
    b, slack, upper, spread = sp.symbols("b w v_t v", nonnegative=True)
    rho, rest = p / (p + q), q / (p + q)  # rho and 1 - rho, both positive
    lower = sp.Symbol("v_b", real=True)
    variance = rest * lower + rho * upper + rho * rest * g**2
    mean = b + rho * g
    second = variance + mean**2
    network = second - rest * (b**2 + lower)
    tangent = kappa(rho, mean**2 / second) * second
    certificate = (
        rest * rho * (rho * b * g + (p + 2 * q) / (p + q) * slack + rest * upper + rho * g**2 + rest**2 * g**2)
    )
    difference = sp.simplify((network - tangent).subs(lower, b * g - slack))
    share, t = sp.symbols("rho t", positive=True)
    return (
        Bound("semidefinite, not flat, rho < 1: NN gains more than NT", sp.Integer(0), difference, True, certificate),
        Equation("rho >= 1: NT gains all of ||D||^2, as NN does", kappa(sp.Integer(1), t), sp.Integer(1)),
        Equation("Delta proportional to Sigma (t = 1): NT gains the share rho, as NN does", kappa(share, 1), share),
        Bound(
            "|D| flat with Tr D = 0: NT gains more than NN's share rho",
            rho,
            sp.simplify(kappa(rho, 0)),
            True,
            rho * rest,
        ),
        Bound(
            "RF gains less than the share rho of ||D||^2, hence less than NN",
            share / (1 + share) * e,
            share * (e + spread),
            True,
            share * spread + share**2 * e / (1 + share),
        ),
        _strict("instances", SEMIDEFINITE, BELOW_ONE),
    )


THEOREM = Theorem(
    slug="mixture-gap",
    title="When a network beats its linearisations on a mixture",
    source="P, Section 1.1",
    latex=r"\inf_{f\in\mathcal{F}_{\mathrm{NN},N}}\mathbb{E}(y-f)^2 < \min(R_{\mathrm{RF},N}, R_{\mathrm{NT},N})",
    uses=("mixture-rf", "mixture-nt", "mixture-nn"),
    claims=(
        Shape(
            id="LT-S7",
            readings=(
                Reading(
                    document="P",
                    place="1.1",
                    printed="the minimum over NN is strictly smaller than the minimum achieved by RF and NT",
                    states=_always(FAMILIES, RATIOS),
                    erratum=Erratum(
                        corrected=(
                            "smaller than RF; smaller than NT for rho < 1 and Delta semidefinite, not proportional to "
                            "Sigma; equal to NT for rho >= 1; for indefinite Delta NT can be the smaller"
                        ),
                        states=_where_it_is_true,
                    ),
                ),
            ),
            mutants=(
                Mutant(name="for-every-Delta-below-rho-1", states=_always(FAMILIES, BELOW_ONE)),
                Mutant(name="semidefinite-at-every-rho", states=_always(SEMIDEFINITE, RATIOS)),
                Mutant(name="Delta-proportional-to-Sigma-too", states=_always(SEMIDEFINITE | FLAT, BELOW_ONE)),
            ),
        ),
    ),
)
