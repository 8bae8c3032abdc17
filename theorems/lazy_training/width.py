"""N = rho d in whole neurons."""

from __future__ import annotations

from fractions import Fraction

from theorems.claim import Setting


def neurons(setting: Setting) -> int:
    """N = round(rho d), at least one."""
    assert setting.dimension is not None
    return max(1, round(setting["rho"] * setting.dimension))


def actual_ratio(setting: Setting) -> Fraction:
    """N/d at this d, rho itself in the limit."""
    if setting.dimension is None:
        return setting["rho"]
    return Fraction(neurons(setting), setting.dimension)
