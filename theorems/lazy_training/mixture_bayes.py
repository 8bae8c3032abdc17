"""The Bayes error of a mixture of Gaussians, which wide quadratic networks do not reach (P, Section 3; O).

D = Sigma^-1/2 Delta Sigma^-1/2, F = ||D||_F^2. If ||D||_op -> 0 with F fixed, the log-likelihood ratio is in the
limit N(F, 2F) in the class y = +1, and the Bayes risk (MMSE) that of the binary Gaussian channel at snr = F/2, mmse
= 1 - E tanh(snr + sqrt(snr) G). Wide NT and NN reach 1/(1 + snr), the risk of the best linear estimate there, which
is larger for every snr > 0 since tanh is not linear. M2 alone does not keep F off 0 (see mixture_signal.py): for a
Delta of fixed rank all risks tend to 1, and the Bayes error is achieved by not trying.
"""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp
from flint import arb

from proofs_checks.mixture_risk import binary_channel_mmse
from simulate.mixture_bayes import posterior_variance_cost
from theorems.claim import (
    Bound,
    Equation,
    Erratum,
    Limit,
    Mutant,
    Observation,
    Prediction,
    Reading,
    Setting,
    Shape,
    Statement,
    Theorem,
)
from theorems.lazy_training.mixture_signal import RANK_ONE, d
from theorems.mixture_spectra import DENSITIES, M1, M2, figures, matrices

snr, gap = sp.symbols("snr m", positive=True)


def _not_achieved(setting: Setting) -> tuple[Statement, ...]:
    """E(T - L)^2 = E T^2 - 2 E yL + E L^2 for T = E[y|.] and the best linear L, E yL = E L^2 = snr/(1 + snr)."""
    linear = snr / (1 + snr)
    energies = [figures(setting).delta_norm2, *(arb(value) for value in ("0.05", "0.5", "2", "8", "32"))]
    return (
        Equation("1/(1 + snr) - mmse = E(tanh - linear)^2", (1 - gap) - 2 * linear + linear, 1 / (1 + snr) - gap),
        *(
            Bound(f"F = {energy.str(5, radius=False)}", binary_channel_mmse(energy / 2), 1 / (1 + energy / 2), True)
            for energy in energies
        ),
    )


def _achieved(setting: Setting) -> tuple[Statement, ...]:
    energy = figures(setting).delta_norm2
    return (Bound("NN reaches the Bayes risk", 1 / (1 + energy / 2), binary_channel_mmse(energy / 2)),)


def _half_the_ratio(setting: Setting) -> tuple[Statement, ...]:
    energy = figures(setting).delta_norm2
    return (Bound("at half the snr", binary_channel_mmse(energy / 4), 1 / (1 + energy / 2), True),)


def _corner(strict: bool) -> Prediction:
    """Delta of rank one under M2: the gap is at most 1 - h^2."""
    largest_gap = sp.limit(1 - RANK_ONE**2, d, sp.oo)

    def states(setting: Setting) -> tuple[Statement, ...]:
        if strict:
            return (Bound("rank one: a gap remains", sp.Integer(0), largest_gap, strict=True),)
        return (Equation("rank one, F -> 0: no gap remains", largest_gap, sp.Integer(0)), *_not_achieved(setting))

    return states


def symbols(setting: Setting) -> Mapping[str, arb]:
    """||D||^2."""
    return {"delta_norm2": figures(setting).delta_norm2}


def bayes_risk(setting: Setting) -> arb:
    """The limit of the Bayes risk: the binary Gaussian channel at snr = F/2."""
    return binary_channel_mmse(figures(setting).delta_norm2 / 2)


def observe(setting: Setting) -> Observation:
    """An unbiased estimate of the Bayes risk in dimension d, from the exact log-likelihood ratio."""
    assert setting.dimension is not None
    return Observation(
        simulator="simulate.mixture_bayes:posterior_variance",
        dimension=setting.dimension,
        arguments={"tilt": matrices(setting).tilt_eigenvalues},
        cost=posterior_variance_cost(setting.dimension),
    )


THEOREM = Theorem(
    slug="mixture-bayes",
    title="The Bayes error of a mixture of Gaussians",
    source="P, Section 3 and below (17); O, Mixture of Gaussians",
    latex=r"\mathrm{MMSE} \to 1 - \mathbb{E}\tanh\big(\tfrac F2+\sqrt{\tfrac F2}\,G\big) < \frac{1}{1+F/2}",
    parameters={"Delta": "uniform3", "Sigma": "isotropic"},
    symbols=("delta_norm2",),
    evaluate=symbols,
    hypotheses=(M1, M2, DENSITIES),
    uses=("mixture-nn", "mixture-nt", "mixture-signal"),
    claims=(
        Shape(
            id="LT-MB",
            readings=(
                Reading(
                    document="P",
                    place="Section 3, and below (17)",
                    printed="the Bayes error (MMSE) is not achieved even for very wide networks, by NT or NN",
                    states=_not_achieved,
                ),
                Reading(
                    document="O",
                    place="Mixture of Gaussians",
                    printed="the Bayes error is not achieved in this model",
                    states=_not_achieved,
                ),
            ),
            mutants=(
                Mutant(name="achieved", states=_achieved),
                Mutant(name="half-the-signal-to-noise-ratio", states=_half_the_ratio),
            ),
        ),
        Shape(
            id="LT-MB",
            part="under-M2-alone",
            readings=(
                Reading(
                    document="P",
                    place="Section 3, for every Delta that M2 admits",
                    printed="the Bayes error (MMSE) is not achieved even for very wide networks, by NT or NN",
                    states=_corner(strict=True),
                    erratum=Erratum(
                        corrected="not achieved if ||D||_F stays off 0; with ||D||_F -> 0 all risks tend to 1",
                        states=_corner(strict=False),
                    ),
                ),
            ),
            mutants=(Mutant(name="achieved", states=_achieved),),
        ),
        Limit(
            id="LT-MB",
            part="measured",
            observe=observe,
            functional="mean",
            # y -> -y makes the Bayes risk even in Delta: the skewness of L, of order 1/sqrt d, enters squared.
            bias_class="unit",
            points=({"Delta": "indefinite"}, {"Delta": "uniform3"}, {"Delta": "rotated", "Sigma": "1,3/2"}),
            resolution=0.08,
            resolution_reason="wide networks, the first mutant, are off by 10% and more",
            readings=(
                Reading(
                    document="P",
                    place="Section 3, Figure 2",
                    printed="the Bayes error, in the limit 1 - E tanh(F/2 + sqrt(F/2) G)",
                    states=bayes_risk,
                ),
            ),
            mutants=(
                Mutant(name="wide-networks", states=lambda setting: 1 / (1 + figures(setting).delta_norm2 / 2)),
                Mutant(
                    name="snr-twice-too-large", states=lambda setting: binary_channel_mmse(figures(setting).delta_norm2)
                ),
                Mutant(
                    name="snr-half-as-large",
                    states=lambda setting: binary_channel_mmse(figures(setting).delta_norm2 / 4),
                ),
            ),
        ),
    ),
)
