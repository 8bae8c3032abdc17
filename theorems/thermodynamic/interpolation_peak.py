r"""The peak at the interpolation threshold N = n (T, slides after the theorem).

Ridgeless: R is infinite at psi1 = psi2 and finite elsewhere, falls beyond it, and before it first falls (or not) and
then rises: (psi2 - psi1)^2 dR/dpsi1 = psi2 (noise + 1 - s - (psi2 - psi1) ds/dpsi1) increases. So there is no other
maximum.
"""

from __future__ import annotations

import sympy as sp

from proofs_checks.double_descent import along, b, noise, reduced, risk
from theorems.claim import Equation, Mutant, Reading, Setting, Shape, Statement, Theorem
from theorems.steps import statements
from theorems.thermodynamic.descent_evidence import LINEAR_PART, always_positive, compared, risk_at
from theorems.thermodynamic.interpolation_singularity import CONSTANT, NARROW, closed_forms, poles
from theorems.thermodynamic.random_feature_ridge import ACTIVATION


def _turn() -> sp.Expr:
    """noise + 1 - s - b ds/dg, the sign of dR/dpsi1 for psi1 < psi2; ds/dlog p = s (1 - s), dg/dlog p = K."""
    return noise + NARROW.rest - b * NARROW.s * NARROW.rest / NARROW.K


def _only_peak(setting: Setting) -> tuple[Statement, ...]:
    slope = along(risk(NARROW), sp.S.Zero, -NARROW.K)
    left, right = poles()
    return (
        *closed_forms(),
        Equation("infinite at the threshold, from the left", left, CONSTANT),
        Equation("and from the right", right, CONSTANT),
        *statements((reduced("dR/dpsi1 for psi1 < psi2", slope / NARROW.K, NARROW.psi2 * _turn() / b**2),)),
        always_positive(
            "it changes its sign once at most, from falling to rising", along(_turn(), sp.S.Zero, -NARROW.K)
        ),
        always_positive("-(psi1 - psi2)^2 dR/dpsi1 for psi1 > psi2", CONSTANT),
    )


def _peak_at_twice_n(setting: Setting) -> tuple[Statement, ...]:
    low, high = (risk_at(2, psi1, 3, 0, "1/5") for psi1 in ("33/10", 6))
    return (compared("higher at N = 2n", {"R(1.1 n)": low}, {"R(2 n)": high}, "zeta^2 = 2, psi2 = 3, noise = 1/5"),)


def _bounded_peak(setting: Setting) -> tuple[Statement, ...]:
    return (Equation("(psi1 - psi2) R -> 0", poles()[1], sp.S.Zero),)


THEOREM = Theorem(
    slug="interpolation-peak",
    title="The peak of the ridgeless risk at the interpolation threshold",
    source="T, slides after the theorem",
    latex=r"\sup_{\psi_1} R(\psi_1,\psi_2,0^+) = \lim_{\psi_1\to\psi_2} R(\psi_1,\psi_2,0^+) = \infty",
    activation="relu",
    takes_activation=True,
    hypotheses=(ACTIVATION, LINEAR_PART),
    uses=("ridge-risk", "interpolation-singularity"),
    claims=(
        Shape(
            id="TL-PEAK",
            readings=(
                Reading(
                    document="T",
                    place="the slides with check marks after the theorem, the ridgeless curve",
                    printed="Peak at the interpolation threshold",
                    states=_only_peak,
                ),
            ),
            mutants=(
                Mutant(name="at-N=2n", states=_peak_at_twice_n),
                Mutant(name="of-finite-height", states=_bounded_peak),
            ),
        ),
    ),
)
