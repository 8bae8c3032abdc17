r"""Two finite laws whose moments agree below order k and differ by one at order k, for every k, in rational numbers.

The finite difference sum_i (-1)^(k-i) C(k, i) g(x + i) annihilates polynomials of degree below k and maps x^k to k!.
So let z_+ live on the nodes x + i with k - i even and z_- on those with k - i odd, with weights C(k, i)/2^(k-1): each
is a law, all moments below k agree, and those of order k differ by k!/2^(k-1). Mixing both with the point mass at zero,
with weight theta = 2^(k-1)/k! on the difference laws, makes that one; theta <= 1, since it is 1 at k = 1 and
theta_(k+1)/theta_k = 2/(k+1). The generating functions differ by theta e^(xt) (e^t - 1)^k/2^(k-1) = e^(xt) t^k/k! + ...

With centred nodes, x = -k/2, both laws are symmetric for even k and mirror images for odd k: then the moments of order
k + 1 agree too. At k = 2 they are a random sign and zero, the randomisation of Section 3.

>>> plus, minus = matched_laws(2)
>>> plus, minus
(((Fraction(-1, 1), Fraction(1, 2)), (Fraction(1, 1), Fraction(1, 2))), ((Fraction(0, 1), Fraction(1, 1)),))
"""

from __future__ import annotations

from fractions import Fraction
from math import comb, factorial

import sympy as sp

from proofs_checks.symbolic_step import SymbolicStep

Law = tuple[tuple[Fraction, Fraction], ...]
"""Pairs (value, probability), by increasing value."""
CENTRED = Fraction(0)


def mixing_weight(k: int) -> Fraction:
    """theta = 2^(k-1)/k!."""
    return Fraction(2 ** (k - 1), factorial(k))


def difference_laws(k: int, first: Fraction) -> tuple[Law, Law]:
    """The laws on every other of the nodes first, ..., first + k, with binomial weights."""
    law = {
        parity: tuple((first + i, Fraction(comb(k, i), 2 ** (k - 1))) for i in range(k + 1) if (k - i) % 2 == parity)
        for parity in (0, 1)
    }
    return law[0], law[1]


def mixed(law: Law, weight: Fraction) -> Law:
    """The law with this weight, and zero with the rest."""
    total: dict[Fraction, Fraction] = {Fraction(0): 1 - weight}
    for node, probability in law:
        total[node] = total.get(node, Fraction(0)) + weight * probability
    return tuple(sorted((node, probability) for node, probability in total.items() if probability))


def matched_laws(k: int, shift: Fraction = CENTRED) -> tuple[Law, Law]:
    """z_+ and z_- with E z_+^j = E z_-^j for j < k and E z_+^k = E z_-^k + 1.

    The nodes are shifted off their centre; the means of z_+^(k+1) and z_-^(k+1) then differ by (k + 1) shift.
    """
    plus, minus = difference_laws(k, Fraction(-k, 2) + shift)
    return mixed(plus, mixing_weight(k)), mixed(minus, mixing_weight(k))


def moment(law: Law, order: int) -> Fraction:
    return sum((probability * node**order for node, probability in law), Fraction(0))


def difference_moments(laws: tuple[Law, Law], order: int) -> tuple[Fraction, Fraction]:
    """Mean and variance of z_+^order - z_-^order, independent."""
    means = [moment(law, order) for law in laws]
    spread = sum((moment(law, 2 * order) - mean**2 for law, mean in zip(laws, means, strict=True)), Fraction(0))
    return means[0] - means[1], spread


def general_steps() -> tuple[SymbolicStep, ...]:
    """Why it works for every k: induction on k by Pascal's rule, and theta <= 1."""
    k, i = sp.symbols("k i", integer=True, positive=True)
    t = sp.Symbol("t", real=True)
    g = sp.Symbol("G", real=True)  # the generating function sum_i (-1)^(k-i) C(k, i) e^(it) at k
    n = sp.Symbol("n", integer=True, nonnegative=True)  # k = 1 + n
    return (
        SymbolicStep(
            "Pascal's rule",
            sp.gammasimp((sp.binomial(k, i) + sp.binomial(k, i - 1)).rewrite(sp.gamma)),
            "=",
            sp.gammasimp(sp.binomial(k + 1, i).rewrite(sp.gamma)),
            domain={k: (2, 40), i: (1, k)},
        ),
        SymbolicStep("so G_(k+1) = e^t G_k - G_k = (e^t - 1) G_k", sp.exp(t) * g - g, "=", (sp.exp(t) - 1) * g),
        SymbolicStep("e^t - 1 vanishes at t = 0 to first order", sp.limit((sp.exp(t) - 1) / t, t, 0), "=", sp.S.One),
        SymbolicStep("theta_(k+1)/theta_k = 2/(k+1) <= 1", 2 / (n + 2), "<=", sp.S.One, certificate=n / (n + 2)),
        SymbolicStep(
            "theta k!/2^(k-1) = 1",
            2 ** (k - 1) / sp.factorial(k) * (sp.factorial(k) / 2 ** (k - 1)),
            "=",
            sp.S.One,
        ),
    )
