r"""How many solutions the printed pair of equations for (nu_1, nu_2) has, and which of them is meant.

With Z = zeta^2 and chi = nu_1 nu_2 the pair reads -xi nu_j = psi_j + chi + Z chi/(1 - Z chi), so that chi is a root
of

    chi xi^2 (1 - Z chi)^2 = prod_j (psi_j (1 - Z chi) + chi (1 - Z chi) + Z chi),

of degree four if zeta != 0 (two if zeta = 0), and neither 0 nor 1/Z is a root: as many solutions as the polynomial
has distinct roots. For Im xi > 0 exactly one of them has Im nu_1 > 0 and Im nu_2 > 0:

*One at most.* On the upper half plane let dist(z, w) = |z - w|^2/(Im z Im w). It is invariant under z -> -c/z and z
-> c z, c > 0; a sum satisfies dist(z + z', w + w') <= max(dist(z, w), dist(z', w')); and adding xi to both makes it
smaller unless z = w. Each right side of the pair is made of these operations: nu_2/(1 - Z nu_1 nu_2) = -1/(-1/nu_2 +
Z nu_1), then a sum, then + xi, then -psi_j/( ). So two solutions would be nearer to each other than they are.

*One at least.* The right sides map the product of the closed discs Im nu_j >= |nu_j|^2 Im(xi)/psi_j continuously into
itself, and Brouwer's theorem gives a fixed point; no right side is 0, so that Im nu_j > 0. On the imaginary axis the
intermediate value theorem does (`feature_ridge_steps.root_steps`), with nu_1, nu_2 on the imaginary axis as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy as sp
from flint import acb, acb_poly, arb, ctx

from proofs_checks.ball_function import CannotDecide
from proofs_checks.symbolic_step import SymbolicStep

_BITS = 256
_SHARPNESS = arb(2) ** -80
"""Radius of the roots: isolation alone leaves signs undecided that are clear to twenty digits."""


def printed_pair(nu1: Any, nu2: Any, xi: Any, zeta2: Any, psi1: Any, psi2: Any) -> tuple[Any, Any]:
    """The two right sides as the talk prints them."""
    inner = 1 - zeta2 * nu1 * nu2
    return psi1 / (-xi - nu2 - zeta2 * nu2 / inner), psi2 / (-xi - nu1 - zeta2 * nu1 / inner)


@dataclass(frozen=True, eq=False)
class Pair:
    """One solution (nu_1, nu_2), in a certified box."""

    nu: tuple[acb, acb]

    def above(self, index: int) -> bool:
        """Whether Im nu_1 > 0 (index 0) or Im nu_2 > 0 (index 1)."""
        height = self.nu[index].imag
        if height > 0 or height <= 0:
            return bool(height > 0)
        raise CannotDecide("the sign of an imaginary part is not decided at this precision.")


def solutions(zeta2: arb, psi1: arb, psi2: arb, xi: acb) -> list[Pair]:
    """All solutions at xi != 0: as many as there are roots, which are isolated."""
    with ctx.workprec(_BITS):
        one, chi = acb_poly([1]), acb_poly([0, 1])
        inner = one - acb(zeta2) * chi
        sides = [acb(psi) * inner + chi * inner + acb(zeta2) * chi for psi in (psi1, psi2)]
        try:
            roots = (sides[0] * sides[1] - xi * xi * chi * inner * inner).roots(tol=_SHARPNESS)
        except ValueError as error:
            raise CannotDecide("the solutions are too close to each other to be told apart.") from error
        shared = [root + zeta2 * root / (1 - zeta2 * root) for root in roots]
        return [Pair((-(psi1 + value) / xi, -(psi2 + value) / xi)) for value in shared]


def uniqueness_steps() -> tuple[SymbolicStep, ...]:
    """At most one solution in the upper half plane and at least one, for every xi there; and their number in all."""
    return (*_distance_steps(), *_disc_steps(), *_counting_steps())


def _distance_steps() -> tuple[SymbolicStep, ...]:
    x, u = sp.symbols("x u", real=True)
    y, v, c, h = sp.symbols("y v c h", positive=True)
    y2, v2 = sp.symbols("y2 v2", positive=True)
    nu1, nu2, zeta2 = sp.symbols("nu1 nu2 Z", positive=True)

    def distance(x: Any, y: Any, u: Any, v: Any) -> Any:
        return ((x - u) ** 2 + (y - v) ** 2) / (y * v)

    def reflected(x: Any, y: Any) -> tuple[Any, Any]:
        """-c/(x + i y)."""
        return -c * x / (x**2 + y**2), c * y / (x**2 + y**2)

    return (
        SymbolicStep(
            "-c/z keeps the distance", distance(*reflected(x, y), *reflected(u, v)), "=", distance(x, y, u, v)
        ),
        SymbolicStep("c z keeps the distance", distance(c * x, c * y, c * u, c * v), "=", distance(x, y, u, v)),
        SymbolicStep(
            "sums: (sqrt(y v) + sqrt(y2 v2))^2 <= (y + y2)(v + v2)",
            (sp.sqrt(y * v) + sp.sqrt(y2 * v2)) ** 2,
            "<=",
            (y + y2) * (v + v2),
            certificate=(sp.sqrt(y * v2) - sp.sqrt(y2 * v)) ** 2,
        ),
        SymbolicStep(
            "adding xi, Im xi = h, makes the denominator larger",
            y * v,
            "<",
            (y + h) * (v + h),
            certificate=h * (y + v + h),
        ),
        SymbolicStep(
            "the coupling is made of the same operations",
            nu2 / (1 - zeta2 * nu1 * nu2),
            "=",
            -1 / (-1 / nu2 + zeta2 * nu1),
        ),
    )


def _disc_steps() -> tuple[SymbolicStep, ...]:
    u = sp.Symbol("u", real=True)
    psi, height = sp.symbols("psi eta", positive=True)
    above = sp.Symbol("h", nonnegative=True)  # the imaginary part of what is added to xi
    size2 = u**2 + (height + above) ** 2  # |xi + w|^2
    image = sp.im(sp.expand_complex(-psi / (u + sp.I * (height + above))))
    return (
        SymbolicStep("Im(-psi/(xi + w))", image, "=", psi * (height + above) / size2),
        SymbolicStep(
            "the right side lies in the disc",
            height / psi * psi**2 / size2,
            "<=",
            psi * (height + above) / size2,
            certificate=psi * above / size2,
        ),
    )


def _counting_steps() -> tuple[SymbolicStep, ...]:
    chi, xi, zeta2, psi1, psi2, t, n1, n2 = sp.symbols("chi xi Z psi1 psi2 t n1 n2", positive=True)
    inner = 1 - zeta2 * chi
    sides = [psi * inner + chi * inner + zeta2 * chi for psi in (psi1, psi2)]
    polynomial = sides[0] * sides[1] - chi * xi**2 * inner**2
    pair = [-side / inner / xi for side in sides]
    top = sp.Poly(sp.expand(polynomial), chi)
    on_the_axis = printed_pair(sp.I * n1, sp.I * n2, sp.I * t, zeta2, psi1, psi2)[0] / sp.I
    denominator = -xi - pair[1] - zeta2 * pair[1] / inner  # of the first equation, where nu_1 nu_2 = chi
    return (
        SymbolicStep("nu_1 nu_2 = chi at a root", pair[0] * pair[1] - chi, "=", polynomial / (xi * inner) ** 2),
        SymbolicStep(
            "and then the first equation holds (the second by symmetry)",
            pair[0] * denominator - psi1,
            "=",
            -(1 + zeta2 / inner) * polynomial / (xi * inner) ** 2,
        ),
        SymbolicStep("1/Z is no root", polynomial.subs(chi, 1 / zeta2), "=", sp.S.One),
        SymbolicStep("0 is no root", polynomial.subs(chi, 0), "=", psi1 * psi2),
        SymbolicStep("the degree is four", top.coeff_monomial(chi**4), "=", zeta2**2),
        SymbolicStep(
            "on the imaginary axis the pair is real",
            on_the_axis,
            "=",
            psi1 / (t + n2 + zeta2 * n2 / (1 + zeta2 * n1 * n2)),
        ),
    )
