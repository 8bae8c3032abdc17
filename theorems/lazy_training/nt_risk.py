"""The neural tangent risk on a quadratic target: its symbols and the observation of it.

P, 2.2: sigma(x) = x^2, w_i ~ N(0, I_d/d), class c + sum <a_i, x> sigma'(<w_i, x>). The class contains c + <x, Ax> for
all symmetric A with P A P = 0, P the projector off the span of the weights, so that the risk of
f(x) = <x, Bx> - Tr B is 2 ||P B P||^2, and ||f||^2 = 2 ||B||^2. The limit is (P)

    (1 - rho)_+^2 (1 - t) + (1 - rho)_+ t,   t = Tr(B)^2/(d ||B||^2).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import flint
from flint import arb

from proofs_checks.haar_projector import nt_risk_exact
from simulate.neural_tangent import projector_risk_cost
from theorems.claim import Observation, Setting
from theorems.lazy_training.width import actual_ratio, neurons
from theorems.spectra import WORKING_BITS, alignment, spectrum


def symbols(setting: Setting) -> Mapping[str, arb]:
    """rho and t in this setting."""
    ratio = actual_ratio(setting)
    with flint.ctx.workprec(WORKING_BITS):
        rho = arb(ratio.numerator) / ratio.denominator
        return {"rho": rho, "t": alignment("isotropic", setting["B"], setting.dimension).t}


def paper_form(rho: Any, t: Any) -> Any:
    """P, Theorem 2, for rho <= 1."""
    return (1 - rho) ** 2 * (1 - t) + (1 - rho) * t


def poster_form(rho: Any, t: Any) -> Any:
    """O, Theorem 2 and T, for rho <= 1."""
    return (1 - rho) ** 2 + rho * (1 - rho) * t


def positive_part(rho: arb) -> arb:
    """rho clipped to 1, so that (1 - rho)_+ is 1 minus it."""
    return rho.min(arb(1))


def exact_risk(setting: Setting) -> arb:
    """E R/||f||^2 at this d, with its o_d(1); the limit where d is None."""
    value = symbols(setting)
    if setting.dimension is None:
        return paper_form(positive_part(value["rho"]), value["t"])
    width = min(neurons(setting), setting.dimension)
    return arb(nt_risk_exact(setting.dimension, width, value["t"]))


def observe(setting: Setting) -> Observation:
    """The risk given the weights, normalised by ||f||^2."""
    assert setting.dimension is not None
    width = neurons(setting)
    return Observation(
        simulator="simulate.neural_tangent:projector_risk",
        dimension=setting.dimension,
        arguments={"neurons": width, "target": spectrum(setting["B"]).eigenvalues(setting.dimension)},
        cost=projector_risk_cost(setting.dimension, width),
    )
