r"""The ridgeless risk falls with the width beyond the interpolation threshold (T, slides with check marks).

R - R(psi1 = infinity) = psi2 (1 - s + noise)/(psi1 - psi2) for psi1 > psi2: falling for every zeta, psi2 and noise,
like the inverse of psi1 - psi2. Below the threshold it rises at last, to infinity. What a penalty changes is in
penalised_descent.py.
"""

from __future__ import annotations

import sympy as sp

from proofs_checks.double_descent import a
from theorems.claim import Equation, Mutant, Reading, Setting, Shape, Statement, Theorem
from theorems.thermodynamic.descent_evidence import LINEAR_PART, always_positive, compared, risk_at
from theorems.thermodynamic.interpolation_singularity import CONSTANT, closed_forms
from theorems.thermodynamic.random_feature_ridge import ACTIVATION


def _ridgeless(setting: Setting) -> tuple[Statement, ...]:
    fall = sp.diff(CONSTANT / a, a)
    return (*closed_forms(), always_positive("-dR/dpsi1", -fall))


def _falls_on_the_left_too(setting: Setting) -> tuple[Statement, ...]:
    low, high = (risk_at(2, psi1, 3, 0, "1/5") for psi1 in ("29/10", 2))
    return (compared("falling for psi1 < psi2", {"R(2.9)": low}, {"R(2)": high}, "zeta^2 = 2, psi2 = 3, noise = 1/5"),)


def _faster(setting: Setting) -> tuple[Statement, ...]:
    excess = sp.cancel(sp.together(CONSTANT / a * a**2))
    return (Equation("R - R(infinity) = constant/(psi1 - psi2)^2", excess, CONSTANT),)


THEOREM = Theorem(
    slug="overparametrised-descent",
    title="The ridgeless risk falls with the width beyond the interpolation threshold",
    source="T, slides with check marks after the theorem",
    latex=r"R(\psi_1,\psi_2,0^+) - R(\infty,\psi_2,0^+) = \frac{\psi_2(\|\beta_0\|^2(1-s)+\tau^2)}{\psi_1-\psi_2}",
    activation="relu",
    takes_activation=True,
    hypotheses=(ACTIVATION, LINEAR_PART),
    uses=("ridge-risk", "interpolation-singularity"),
    claims=(
        Shape(
            id="TL-MONO",
            readings=(
                Reading(
                    document="T",
                    place="the slides with check marks after the theorem, the ridgeless curve",
                    printed="Monotone decreasing in the overparametrized regime",
                    states=_ridgeless,
                ),
            ),
            mutants=(
                Mutant(name="on-the-other-side-too", states=_falls_on_the_left_too),
                Mutant(name="like-the-square", states=_faster),
            ),
        ),
    ),
)
