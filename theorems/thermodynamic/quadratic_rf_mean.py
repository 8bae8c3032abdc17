"""The random-features theorem of the talk when f_* has a mean (T, slides Setting and RF Model).

The slides take f_*(x) = b_0 + <x, Bx> with b_0 free and a class sum_i a_i sigma(<w_i, x>) without constant, and they
normalise by ||f_*||^2 = E f_*^2. The paper has E f_* = 0. For sigma(x) = x^2 - 1, Tr Gamma = 1, k = d ||Gamma||^2,
overlap = d <B,Gamma>^2/||B||^2 and s = (E f_*)^2/E f_*^2, as N, d -> inf with N/d -> psi_1,

    R_RF/||f_*||^2 -> (1 - s) (1 - psi_1 overlap/(1 + psi_1 k)) + s/(1 + psi_1 k).

Why: the features have means q_i = |w_i|^2 - 1, small but not zero: sum q_i^2 -> 2 psi_1 k. In the kernel
2 I + (2 k/d) 1 1^T + q q^T the direction 1, along which <x, Bx> is learnt, and q, along which the constant is, become
orthogonal, and of the constant the share q^T (2 I + q q^T)^-1 q = psi_1 k/(1 + psi_1 k) is learnt. Overlap is k
times cosine2, so the slide's formula holds if and only if s = 0 or Gamma is proportional to B (cosine2 = 1). At b_0 = 0
and Tr B != 0, s -> 1 as d grows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import sympy as sp
from flint import arb

from simulate.uncentred_features import uncentred_risk_cost
from theorems.claim import (
    Equation,
    Erratum,
    Identity,
    Limit,
    Mutant,
    Observation,
    Prediction,
    Reading,
    Setting,
    Statement,
    Theorem,
)
from theorems.lazy_training.rf_quadratic_activation import quadratic_risk
from theorems.lazy_training.rf_risk import A1, A2, BIAS_CLASS, COVARIANCE, LADDER, MEAN_ZERO, symbols
from theorems.lazy_training.width import neurons
from theorems.spectra import gamma_eigenvalues, spectrum
from theorems.thermodynamic.quadratic_model import in_the_paper, talk_symbols


def _symbols(setting: Setting) -> dict[str, arb]:
    mean = setting["mean"]
    return talk_symbols(symbols)(setting) | {"mean": arb(mean.numerator) / mean.denominator}


def _share(mean: Any) -> Any:
    """s = (E f)^2/E f^2, from (E f)^2/Var f."""
    return mean / (1 + mean)


def uncentred_limit(psi1: Any, overlap: Any, concentration: Any, share: Any) -> Any:
    """The limit for any mean, for balls as well as for SymPy symbols."""
    return (1 - share) * quadratic_risk(psi1, overlap, concentration) + share / (1 + psi1 * concentration)


Form = Callable[[Any, Any, Any, Any], Any]


def _formula(form: Form) -> Prediction:
    def states(setting: Setting) -> arb:
        value = _symbols(setting)
        return form(value["psi1"], value["overlap"], value["concentration"], _share(value["mean"]))

    return states


def _printed(psi1: Any, overlap: Any, concentration: Any, share: Any) -> Any:
    return quadratic_risk(psi1, overlap, concentration)


def _observe(setting: Setting) -> Observation:
    assert setting.dimension is not None
    width = neurons(in_the_paper(setting))
    target = spectrum(setting["B"]).eigenvalues(setting.dimension)
    return Observation(
        simulator="simulate.uncentred_features:uncentred_risk",
        dimension=setting.dimension,
        arguments={
            "neurons": width,
            "gamma": gamma_eigenvalues(setting["Gamma"], setting["B"], setting.dimension),
            "target": target,
            "mean": float(np.sqrt(float(setting["mean"]) * 2 * np.sum(target**2))),
        },
        cost=uncentred_risk_cost(setting.dimension, width),
    )


def _observe_centred(setting: Setting) -> Observation:
    """The same with b_0 = -Tr B."""
    return _observe(replace(setting, parameters={**setting.parameters, "mean": 0}))


psi1, k, mean = sp.symbols("psi_1 k m", positive=True)
cosine2 = sp.Symbol("cosine2", nonnegative=True)
UNIT = {cosine2: (sp.Integer(0), sp.Integer(1))}


def _exactly_if(factor: Any = 1) -> tuple[Statement, ...]:
    """limit - print = -s psi_1 k (1 - cosine2)/(1 + psi_1 k): zero only for s = 0 or cosine2 = 1."""
    share = _share(mean)
    off = uncentred_limit(psi1, cosine2 * k, k, share) - quadratic_risk(psi1, cosine2 * k, k)
    t, d = sp.symbols("t d", positive=True)
    return (
        Equation("limit - print", off, -factor * share * psi1 * k * (1 - cosine2) / (1 + psi1 * k), UNIT),
        Equation("b_0 = 0: (E f)^2/Var f = Tr(B)^2/(2 ||B||^2) = d t/2, and s -> 1",
                 sp.limit(_share(d * t / 2), d, sp.oo), sp.Integer(1)),
    )  # fmt: skip


def _learnt_constant(trace: Any) -> tuple[Statement, ...]:
    """q^T (2 I + q q^T)^-1 q for |q|^2 = `trace` against psi_1 k/(1 + psi_1 k), on three neurons with q = (a, b, c)."""
    a, b = sp.symbols("a b", positive=True)
    q = sp.Matrix([a, b, a + b])
    value = (q.T * (2 * sp.eye(3) + q * q.T).inv() * q)[0]
    square = sp.Symbol("q2", positive=True)  # |q|^2
    return (
        Equation("the share of the constant that is learnt", value, (q.T * q)[0] / (2 + (q.T * q)[0])),
        Equation("at |q|^2 = 2 psi_1 k", (square / (2 + square)).subs(square, trace), psi1 * k / (1 + psi1 * k)),
    )


POINTS = (
    {"psi1": "1", "B": "low_rank", "mean": "1"},
    {"psi1": "2", "B": "0,0,0,1", "mean": "2"},
    {"psi1": "3/2", "B": "0,0,0,1", "Gamma": "1,3", "mean": "1"},
)

THEOREM = Theorem(
    slug="talk-quadratic-rf-mean",
    title="Random features on a quadratic function with a mean",
    source="T, slides Setting and RF Model",
    latex=(
        r"\frac{R_{\mathrm{RF}}}{\mathbb{E} f_*^2} \to (1-s)\left(1-\frac{\psi_1 d\langle B,\Gamma\rangle^2}"
        r"{\|B\|_F^2(1+\psi_1 d\|\Gamma\|_F^2)}\right)+\frac{s}{1+\psi_1 d\|\Gamma\|_F^2},"
        r"\quad s = \frac{(\mathbb{E} f_*)^2}{\mathbb{E} f_*^2}"
    ),
    parameters={"psi1": 1, "B": "exp1", "Gamma": "isotropic", "mean": 1},
    symbols=("psi1", "t", "overlap", "concentration", "cosine2", "mean"),
    evaluate=_symbols,
    activation="x**2 - 1",
    hypotheses=(A1, COVARIANCE, A2, MEAN_ZERO),
    uses=("talk-quadratic-rf", "rf-quadratic-activation"),
    claims=(
        Limit(
            id="TL-QRF",
            part="any-mean",
            observe=_observe,
            ladder=LADDER,
            bias_class=BIAS_CLASS,
            points=POINTS,
            resolution=0.15,
            resolution_reason="the mutants are 25% off and more; the constant is learnt with a spread of 1/sqrt d",
            readings=(
                Reading(
                    document="T",
                    place="slides Setting (any b_0) and RF Model",
                    printed=(
                        "f_* = b_0 + <x,Bx> and R = "
                        "||f_*||^2 (1 - psi_1 d <B,Gamma>^2/(||B||^2 (1 + psi_1 d ||Gamma||^2)))"
                    ),
                    states=_formula(_printed),
                    erratum=Erratum(
                        corrected=(
                            "for E f_* = 0; otherwise, with s = (E f_*)^2/E f_*^2, (1-s) times the bracket plus "
                            "s/(1 + psi_1 d ||Gamma||^2): the same only if s = 0 or Gamma is proportional to B"
                        ),
                        states=_formula(uncentred_limit),
                    ),
                ),
            ),
            mutants=(
                Mutant(
                    name="the-constant-is-never-learnt",
                    states=_formula(lambda p, o, c, s: uncentred_limit(p, o, c, s) + s * p * c / (1 + p * c)),
                ),
                Mutant(
                    name="the-constant-is-free", states=_formula(lambda p, o, c, s: (1 - s) * quadratic_risk(p, o, c))
                ),
                Mutant(name="as-if-Gamma-were-proportional-to-B", states=_formula(lambda p, o, c, s: 1 / (1 + p * c))),
            ),
        ),
        Identity(
            id="TL-QRF",
            part="mean-exactly-if",
            hypotheses=(),
            readings=(
                Reading(
                    document="T",
                    place="slides Setting and RF Model; derived, not printed",
                    printed="the condition under which the slide's formula holds: E f_* = 0 or Gamma proportional to B",
                    states=lambda setting: (*_exactly_if(), *_learnt_constant(2 * psi1 * k)),
                ),
            ),
            mutants=(
                Mutant(name="twice-the-difference", states=lambda setting: _exactly_if(2)),
                Mutant(name="half-the-means", states=lambda setting: _learnt_constant(psi1 * k)),
            ),
        ),
    ),
)
