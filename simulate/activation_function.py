"""The activation as a simulator sees it: a plain JAX function and where it is not smooth.

Simulators never see the symbolic expression, nor any coefficient computed from it: what they need
(Hermite coefficients at a given norm, second moments) they integrate themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from jax import Array


@dataclass(frozen=True)
class ClosedForm:
    """sigma(u) = offset + g(u), g of a family whose Gaussian kernel is elementary.

    family        numbers                 g(u)
    "polynomial"  (p0, p1, ..., pn)       p0 + p1 u + ... + pn u^n
    "homogeneous" (p, alpha, beta)        alpha u^p for u > 0, beta |u|^p for u < 0; p in 0, 1, 2, 3
    "erf"         (amplitude, scale)      amplitude erf(scale u)
    "sin", "cos", "exp"  likewise
    """

    family: Literal["polynomial", "homogeneous", "erf", "sin", "cos", "exp"]
    numbers: tuple[float, ...]
    offset: float = 0.0


@dataclass(frozen=True, eq=False)
class ActivationFunction:
    """sigma and sigma' on float64 arrays, elementwise.

    `kinks` are the points where sigma is not smooth. `gaussian_growth` is the infimum of the c for which
    sigma(u)^2 = O(exp(c u^2/2)): zero for polynomial or exponential growth.
    """

    value: Callable[[Array], Array]
    derivative: Callable[[Array], Array]
    kinks: tuple[float, ...] = ()
    gaussian_growth: float = 0.0
    closed_form: ClosedForm | None = None
