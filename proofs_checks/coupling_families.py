r"""Networks for which the gradients, or the Hessians, of the two risks differ as much as the bounds allow.

One input, the cubic ReLU scaled to the constant C of Assumption A; only neurons with a_r = +1 move, all by the same
h > 0, with starts u_r = 0 or u_r = c sqrt(d) > h, as B, (4) allows. S = m^(-1/2) sum of the signs of a group, and

    u = c sqrt(d):  f^L = (C/2) c^2 d h S,   f^Q = C c sqrt(d) h^2 n/(2 sqrt m),   Delta = (C/6) h^3 S,
    u = 0:          f^L = f^Q = 0,           Delta = (C/6) h^3 m^(-1/2) #{r : sign +},   E Delta = (C/12) h^3 n/sqrt(m),

n neurons of the group moving. X = f - f^Q = f^L + Delta and all other sums increase in every sign, so by Harris'
inequality E[l'(f) f^L] >= 0, and likewise for the other sums with a mean >= 0 if l' >= 0. The losses, all in the class:

`slope`     l = 1 + z for z >= 0 (so l' = 1 where f >= 0);
`odd`       l = log cosh(z - f^Q), with f^Q small: l' = tanh, E l'(f) = 0 and z tanh z >= z^2/(1 + z);
`logistic`  l = log(1 + e^(z - f^Q - b)), b such that l'' (f^Q) = 1/6 and l''' is largest: as |l'''''| <= 1/2,
            l'(f^Q + z) - l'(f^Q) >= z/6 + z^2/(12 sqrt 3) - z^4/48.

Means over a law follow from inequalities for one value with a free parameter (see power_means.py).
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_checks.sign_average import average
from proofs_checks.symbolic_step import SymbolicStep

m, c, C, d, square, mu, tau = sp.symbols("m c C d M mu tau", positive=True)
size, size_star = sp.symbols("rho rho_star", positive=True)
"""B_x ||W||_{2,4} and B_x ||W_*||_{2,4}."""
z, g = sp.symbols("z g", nonnegative=True)
HALF: Any = sp.Rational(1, 2)


def movement(share: Any, whole: Any = size) -> Any:
    """h with h^4 share m = whole^4: that of each neuron if a share of all moves."""
    return whole * (share * m) ** sp.Rational(-1, 4)


def linear_root(share: Any) -> Any:
    """(E (f^L)^2)^(1/2) of a group at u = c sqrt(d) that is this share of all neurons and moves alone with another."""
    return C / 2 * c**2 * d * movement(HALF) * sp.sqrt(share)


def quadratic(share: Any, whole: Any = size) -> Any:
    """f^Q of a group at u = c sqrt(d), half of all neurons moving."""
    return C * c * sp.sqrt(d) * movement(HALF, whole) ** 2 * share * sp.sqrt(m) / 2


def mean_remainder(share: Any) -> Any:
    """E Delta of a group at u = 0, half of all neurons moving."""
    return C / 12 * movement(HALF) ** 3 * share * sp.sqrt(m)


def fourth_moment_steps(factor: Any = 3) -> tuple[SymbolicStep, ...]:
    """E S^4 <= 3 (E S^2)^2 for a sum with independent signs: one more sign keeps it so, P = E S^2 so far."""
    sign, coefficient, so_far = sp.symbols("epsilon c S", real=True)
    second = sp.Symbol("P", nonnegative=True)
    found = sp.expand(average((so_far + coefficient * sign) ** 4, sign))
    grown = found.subs(so_far**4, factor * second**2).subs(so_far**2, second)
    right = factor * (second + coefficient**2) ** 2
    name = f"E S^4 <= {factor} (E S^2)^2 is kept by one more sign"
    return (SymbolicStep(name, grown, "<=", right, sp.expand(right - grown)),)


def odd_loss_steps() -> tuple[SymbolicStep, ...]:
    """E[X tanh X] >= phi(E |X|) and E |X| >= (E X^2/3)^(1/2), phi(z) = z^2/(1 + z)."""
    exponential = 1 + 2 * z + g  # e^(2z) >= 1 + 2z
    tanh = (exponential - 1) / (exponential + 1)
    phi = z**2 / (1 + z)
    tangent = mu**2 / (1 + mu) + sp.diff(phi, z).subs(z, mu) * (z - mu)
    root = sp.sqrt(3 * square)
    return (
        SymbolicStep("z/(1 + z) <= tanh z", z / (1 + z), "<=", tanh, g / ((1 + z) * (2 + 2 * z + g))),
        SymbolicStep("phi is convex", tangent, "<=", phi, (z - mu) ** 2 / ((1 + z) * (1 + mu) ** 2)),
        SymbolicStep("3 z^2/(2 tau) - z^4/(2 tau^3) <= z", 3 * z**2 / (2 * tau) - z**4 / (2 * tau**3), "<=", z,
                     z * (z - tau) ** 2 * (z + 2 * tau) / (2 * tau**3)),
        SymbolicStep("averaged at tau^2 = 3 E X^2, with E X^4 <= 3 (E X^2)^2",
                     3 * square / (2 * root) - 3 * square**2 / (2 * root**3), "=", sp.sqrt(square / 3)),
    )  # fmt: skip


def logistic_loss_steps() -> tuple[SymbolicStep, ...]:
    """The Taylor coefficients of p = l' where its third derivative vanishes, p' = p (1 - p)."""
    p = sp.Symbol("p", positive=True)
    derivatives: list[Any] = [p]
    for _ in range(4):
        derivatives.append(sp.factor(p * (1 - p) * sp.diff(derivatives[-1], p)))
    place = (3 - sp.sqrt(3)) / 6
    w = sp.Symbol("w", real=True)
    fourth = (1 - w**2) / 4 * w * (3 * w**2 - 2)
    return (
        SymbolicStep("p' = 1/6", sp.expand(derivatives[1].subs(p, place)), "=", sp.Rational(1, 6)),
        SymbolicStep("p''/2", sp.expand(derivatives[2].subs(p, place)) / 2, "=", 1 / (12 * sp.sqrt(3))),
        SymbolicStep("p''' = 0", sp.expand(derivatives[3].subs(p, place)), "=", sp.S.Zero),
        SymbolicStep("p'''' with w = 1 - 2p, |w| < 1, so |p''''| <= 2/4",
                     sp.expand(derivatives[4].subs(p, (1 - w) / 2)), "=", sp.expand(fourth)),
    )  # fmt: skip


def logistic_gain_steps() -> tuple[SymbolicStep, ...]:
    """E z/6 + E z^2/(12 sqrt 3) - E z^4/48 for z of mean mu and variance V, E (z - mu)^4 <= 3 V^2.

    E z^4 <= 8 mu^4 + 24 V^2 leaves at least mu/6 + V/(24 sqrt 3) if mu^2 <= 1/(2 sqrt 3) and V <= 1/(12 sqrt 3).
    """
    part, rest = sp.symbols("q r", nonnegative=True)  # mu^2 and V are these limits over 1 + q, 1 + r
    first, second = 1 / (2 * sp.sqrt(3)) / (1 + part), 1 / (12 * sp.sqrt(3)) / (1 + rest)
    factor = 1 / (12 * sp.sqrt(3))
    x, y = sp.symbols("x y", real=True)
    return (
        SymbolicStep("(x + y)^4 <= 8 (x^4 + y^4)", (x + y) ** 4, "<=", 8 * (x**4 + y**4),
                     (x - y) ** 2 * (5 * (x + y) ** 2 + 2 * x**2 + 2 * y**2)),
        SymbolicStep("mu^4/6 <= mu^2/(12 sqrt 3)", first**2 / 6, "<=", first * factor,
                     first * factor * part / (1 + part)),
        SymbolicStep("V^2/2 <= V/(24 sqrt 3)", second**2 / 2, "<=", second * factor / 2,
                     second * factor / 2 * rest / (1 + rest)),
    )  # fmt: skip
