"""Networks with quadratic activation on a mixture of Gaussians: the least risk (P, Theorem 6).

f(x) = c + sum_{i <= N} a_i <w_i, x>^2 ranges over c + <x,Ax> with A of rank at most N. With D = Sigma^-1/2 Delta
Sigma^-1/2 and its singular values s_1 >= s_2 >= ..., the least risk is exactly (see
`proofs_checks/mixture_risk.py`)

    R_NN = 1/(1 + sum_{i <= N} s_i^2/(1 + s_i^2)/2),

of which the theorem keeps 2/(2 + sum_{i <= N ^ d} s_i^2). Under M1 and M2 s_1^2 = O(1/d), and the two agree up to
the factor 1 + s_1^2, in every dimension and for every N. For N/d -> rho >= 1 at most (1 - N/d)_+ d s_1^2 = o(1) is
missing from the sum.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import flint
import sympy as sp
from flint import arb

from proofs_checks.mixture_risk import rank_steps
from theorems.claim import Bound, Identity, Mutant, Prediction, Reading, Setting, Statement, Theorem
from theorems.lazy_training.mixture_families import Formula, bracketed
from theorems.lazy_training.width import actual_ratio, neurons
from theorems.mixture_spectra import DENSITIES, M1, M2, figures, top_energy
from theorems.spectra import WORKING_BITS
from theorems.steps import statements


def by_singular_values(values: Sequence[Fraction], width: int, dimension: int) -> Fraction:
    """2/(2 + sum_{i <= N ^ d} s_i^2)."""
    best = sorted((value * value for value in values), reverse=True)[:width]
    return 2 / (2 + sum(best, Fraction(0)) / dimension)


def by_eigenvalues(values: Sequence[Fraction], width: int, dimension: int) -> Fraction:
    """The same with lambda_1 >= ... >= lambda_d the eigenvalues, in the order of their signed values."""
    return 2 / (2 + sum((value * value for value in values[:width]), Fraction(0)) / dimension)


def all_directions(values: Sequence[Fraction], width: int, dimension: int) -> Fraction:
    """The same with N = d, whatever N is."""
    return by_singular_values(values, dimension, dimension)


def twice_the_signal(values: Sequence[Fraction], width: int, dimension: int) -> Fraction:
    """1/(1 + sum_{i <= N ^ d} s_i^2)."""
    kept = by_singular_values(values, width, dimension)
    return kept / (2 - kept)


def only_formula(formula: Formula) -> Prediction:
    """The formula within its bracket: what tells a wrong one from the right one."""
    return lambda setting: (bracketed("the formula and the exact risk", formula),)


def states(formula: Formula) -> Prediction:
    """The exact risk, step by step, and the formula within its bracket."""
    return lambda setting: (*statements(rank_steps()), bracketed("the formula and the exact risk", formula))


def wide(formula: Formula) -> Prediction:
    """N >= d, and N < d with N/d -> 1: k = d - N directions of s_i^2 <= c^2/d each are missing."""
    k, d = sp.symbols("k d", positive=True)
    c, slack = sp.Symbol("c", positive=True), sp.Symbol("u", nonnegative=True)

    def states_wide(setting: Setting) -> tuple[Statement, ...]:
        return (
            *statements(rank_steps()),
            bracketed("N >= d", formula, (Fraction(1), Fraction(2))),
            Bound("what is missing for N < d is at most (1 - N/d) c^2", k * (c**2 - slack) / d, k / d * c**2,
                  certificate=k * slack / d),
        )  # fmt: skip

    return states_wide


def symbols(setting: Setting) -> Mapping[str, arb]:
    """rho, ||D||^2 and the sum of the N largest s_i^2."""
    ratio = actual_ratio(setting)
    count = 0 if setting.dimension is None else neurons(setting)
    with flint.ctx.workprec(WORKING_BITS):
        return {
            "rho": arb(ratio.numerator) / ratio.denominator,
            "delta_norm2": figures(setting).delta_norm2,
            "top_energy": top_energy(setting, count, ratio),
        }


THEOREM = Theorem(
    slug="mixture-nn",
    title="Quadratic networks on a mixture of Gaussians",
    source="P, Theorem 6",
    latex=(
        r"R_{\mathrm{NN},N}(\mathbb{P}_{\Sigma,\Delta}) = \frac{2}{2+\sum_{i\le N\wedge d}"
        r"\lambda_i(\tilde\Delta)^2} + o_d(1)"
    ),
    parameters={"rho": "1/2", "Delta": "uniform3", "Sigma": "isotropic"},
    symbols=("rho", "delta_norm2", "top_energy"),
    evaluate=symbols,
    value=lambda setting: 2 / (2 + symbols(setting)["top_energy"]),
    value_name="the least risk of the trained network",
    hypotheses=(M1, M2, DENSITIES),
    claims=(
        Identity(
            id="LT-T6",
            readings=(
                Reading(
                    document="P",
                    place="Theorem 6",
                    printed="2/(2 + sum_{i <= N ^ d} lambda_i(Delta~)^2) + o_d(1), lambda_i the singular values",
                    states=states(by_singular_values),
                ),
            ),
            mutants=(
                Mutant(name="ordered-eigenvalues-for-singular-values", states=only_formula(by_eigenvalues)),
                Mutant(name="signal-twice-too-large", states=only_formula(twice_the_signal)),
                Mutant(name="all-directions-at-any-N", states=only_formula(all_directions)),
            ),
        ),
        Identity(
            id="LT-T6",
            part="rho-at-least-1",
            readings=(
                Reading(
                    document="P",
                    place="Theorem 6, in particular",
                    printed="for rho >= 1: 1/(1 + ||Delta~||^2/2) + o_d(1)",
                    states=wide(all_directions),
                ),
            ),
            mutants=(Mutant(name="signal-twice-too-large", states=only_formula(twice_the_signal)),),
        ),
    ),
)
