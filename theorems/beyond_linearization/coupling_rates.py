r"""The exponents of m in the gaps of gradients and Hessians, measured at widths up to 2^16 (B, Lemmas 13 and 14).

At a fixed input, half of the neurons moving, all by the same amount, the averages over the signs are exact
(simulate/landscape_coupling.py), and only the starts u_r are drawn. Both gaps are then of order m^(-1/2): the bounds,
m^(-1/4), are loose by m^(1/4) there. For an l' with l'(f) = l'(f^Q) + l'' (f - f^Q) + ... this is the order of
E (f^L)^2, and of the mean over the signs of sigma''(u_r + eps_r h_r) - sigma''(u_r).
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from simulate.landscape_coupling import Gap, gap_cost
from theorems.beyond_linearization.randomised_sizes import HALF, QUARTER, WIDTHS, Print, exponent, of_constant_six
from theorems.claim import Mutant, Observation, Rate, Setting


def landscape_rate(*, id: str, quantity: Gap, source: Print) -> Rate:
    """The exponent of 1/m in the gap between gradients along W, or between Hessians along W_* and averaged."""

    def observe(setting: Setting) -> Observation:
        assert setting.dimension is not None
        return Observation(
            simulator="simulate.landscape_coupling:typical_gap",
            dimension=setting.dimension,
            arguments={"quantity": quantity},
            cost=gap_cost(setting.dimension, quantity),
            activation=of_constant_six(setting),
        )

    true: Any = HALF
    return Rate(
        id=id,
        part="typical-m",
        observe=observe,
        functional="mean",
        ladder=WIDTHS,
        points=({},),
        resolution=float(QUARTER / 2),
        resolution_reason="half of 1/4, by which the nearest mutants are off, as a replicate at 2^16 neurons is dear",
        readings=(source.reading(exponent(true)),),
        mutants=(
            Mutant(name="m^(-1/4)-as-the-bound-has-it", states=exponent(true - QUARTER)),
            Mutant(name="m^(-3/4)", states=exponent(true + QUARTER)),
            Mutant(name="no-decay", states=exponent(sp.S.Zero)),
        ),
    )
