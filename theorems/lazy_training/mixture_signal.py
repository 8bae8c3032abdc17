"""What makes the two classes of a mixture of Gaussians distinguishable (P, Section 3, around M2).

With the eigenvalues t_i of D = Sigma^-1/2 Delta Sigma^-1/2 the two densities have the affinity h = prod (1 -
t_i^2)^(1/4), and the Bayes risk (MMSE) lies between h^2 and h. As x <= -log(1 - x) <= x/(1 - x),

    exp(-F/(4 (1 - s_1^2))) <= h <= exp(-F/4),   F = ||D||_F^2, s_1 = ||D||_op,

so that the problem is neither trivial nor singular exactly if F is of order one (and s_1 stays off 1). M2 speaks of
||Delta||_op: a Delta of fixed rank meets it with F -> 0, where no classifier is better than chance, and one
eigenvalue d^{-1/4} is much larger than 1/sqrt d with F -> 0 too.
"""

from __future__ import annotations

import sympy as sp

from proofs_checks.mixture_risk import affinity_steps
from theorems.claim import (
    Bound,
    Equation,
    Erratum,
    Identity,
    Mutant,
    Prediction,
    Reading,
    Setting,
    Shape,
    Statement,
    Theorem,
)
from theorems.steps import statements

d, c, a = sp.symbols("d c a", positive=True)
x = sp.Symbol("x", nonnegative=True)


def _affinity(eigenvalue2: sp.Expr, rank: sp.Expr) -> sp.Expr:
    """h for `rank` equal eigenvalues, given their square."""
    return (1 - eigenvalue2) ** (rank / 4)


def _logarithm() -> tuple[Statement, ...]:
    """x <= -log(1 - x) <= x/(1 - x) on [0, 1): equal at 0, and the derivatives are in this order."""
    y = sp.Symbol("y", positive=True)  # y = 1/(1 - x) - 1
    inside = y / (1 + y)
    derivative = sp.diff(-sp.log(1 - x), x).subs(x, inside)
    upper = sp.diff(x / (1 - x), x).subs(x, inside)
    return (
        Equation("-log(1 - x) = x = x/(1 - x) at 0", (-sp.log(1 - x)).subs(x, 0), (x / (1 - x)).subs(x, 0)),
        Bound("1 <= (-log(1 - x))'", sp.Integer(1), sp.simplify(derivative), certificate=y),
        Bound("(-log(1 - x))' <= (x/(1 - x))'", sp.simplify(derivative), sp.simplify(upper), certificate=y * (1 + y)),
    )


FLAT = _affinity(c**2 / d, d)
RANK_ONE = _affinity(c**2 / d, sp.Integer(1))
ONE_LARGE = _affinity(1 / sp.sqrt(d), sp.Integer(1))


def _of_order_one(affinity: sp.Expr, name: str) -> tuple[Statement, ...]:
    limit = sp.limit(affinity, d, sp.oo)
    return (
        Bound(f"{name}: not singular", sp.Integer(0), limit, strict=True),
        Bound(f"{name}: not trivial", limit, sp.Integer(1), strict=True),
    )


def _snr_as_printed(setting: Setting) -> tuple[Statement, ...]:
    return (*_of_order_one(FLAT, "Delta = c I/sqrt d"), *_of_order_one(RANK_ONE, "Delta = c e_1 e_1'/sqrt d"))


def _snr_corrected(setting: Setting) -> tuple[Statement, ...]:
    return (
        *statements(affinity_steps()),
        *_logarithm(),
        *_of_order_one(FLAT, "F = c^2"),
        Equation("F -> 0 (rank one): h -> 1", sp.limit(RANK_ONE, d, sp.oo), sp.Integer(1)),
        Equation("F -> infinity: h <= exp(-F/4) -> 0", sp.limit(sp.exp(-a / 4), a, sp.oo), sp.Integer(0)),
    )


def _singular_if(limit: sp.Expr, name: str) -> tuple[Statement, ...]:
    return (Equation(f"{name}: the affinity tends to 0", limit, sp.Integer(0)),)


def _all_eigenvalues_large(setting: Setting) -> tuple[Statement, ...]:
    """t_i^2 >= a^2/d for all i gives F >= a^2, a -> infinity."""
    return (*_logarithm(), *_singular_if(sp.limit(sp.exp(-(a**2) / 4), a, sp.oo), "all |t_i| >= a/sqrt d, a -> inf"))


def _one_eigenvalue_large(setting: Setting) -> tuple[Statement, ...]:
    return _singular_if(sp.limit(ONE_LARGE, d, sp.oo), "one t_i = d^(-1/4)")


def _norm_decides(setting: Setting) -> tuple[Statement, ...]:
    return (
        *statements(affinity_steps()),
        *_logarithm(),
        *_singular_if(sp.limit(sp.exp(-a / 4), a, sp.oo), "F -> infinity"),
        Equation("one t_i -> 1: h <= (1 - t_i^2)^(1/4) -> 0", _affinity(a**2, sp.Integer(1)).subs(a, 1), sp.Integer(0)),
        Equation("one t_i = d^(-1/4), F = 1/sqrt d: h -> 1", sp.limit(ONE_LARGE, d, sp.oo), sp.Integer(1)),
    )


def _small_operator_norm(end: sp.Expr) -> Prediction:
    """All |t_i| <= a/sqrt d, a -> end: F <= a^2, and the Bayes risk is at least h^2 >= exp(-F/(2 (1 - s_1^2)))."""

    def states(setting: Setting) -> tuple[Statement, ...]:
        floor = sp.exp(-(a**2) / (2 * (1 - a**2)))  # s_1^2 <= a^2 in any dimension
        return (
            *statements(affinity_steps()),
            *_logarithm(),
            Equation("the Bayes risk tends to 1", sp.limit(floor, a, end), sp.Integer(1)),
        )

    return states


THEOREM = Theorem(
    slug="mixture-signal",
    title="The signal-to-noise ratio of a mixture of Gaussians",
    source="P, Section 3, M2 and below",
    latex=r"h = \prod_i (1-t_i^2)^{1/4}, \qquad h^2 \le \mathrm{MMSE} \le h",
    claims=(
        Shape(
            id="LT-M2",
            part="order-one",
            readings=(
                Reading(
                    document="P",
                    place="Section 3, below M2",
                    printed="||Delta||_op = Theta(1/sqrt d) ensures the signal-to-noise ratio to be of order one",
                    states=_snr_as_printed,
                    erratum=Erratum(
                        corrected="||Sigma^-1/2 Delta Sigma^-1/2||_F = Theta(1) does; M2 only bounds it above",
                        states=_snr_corrected,
                    ),
                ),
            ),
            mutants=(
                Mutant(
                    name="any-Delta-of-rank-one",
                    states=lambda setting: _of_order_one(_affinity(1 / d, sp.Integer(1)), "rank one"),
                ),
                Mutant(
                    name="operator-norm-of-order-one",
                    states=lambda setting: _of_order_one(_affinity(sp.Rational(1, 4), d), "||Delta||_op = 1/2"),
                ),
            ),
        ),
        Shape(
            id="LT-M2",
            part="singular",
            readings=(
                Reading(
                    document="P",
                    place="Section 3, below M2, all eigenvalues",
                    printed="eigenvalues of Delta much larger than 1/sqrt d make the classes mutually singular",
                    states=_all_eigenvalues_large,
                ),
            ),
            mutants=(
                Mutant(
                    name="of-order-1/sqrt-d-suffices",
                    states=lambda setting: _singular_if(sp.limit(FLAT, d, sp.oo), "all t_i = c/sqrt d"),
                ),
            ),
        ),
        Shape(
            id="LT-M2",
            part="singular-by-the-largest",
            readings=(
                Reading(
                    document="P",
                    place="Section 3, below M2, on the scale of M2 (||Delta||_op)",
                    printed="||Delta||_op much larger than 1/sqrt d makes the classes mutually singular",
                    states=_one_eigenvalue_large,
                    erratum=Erratum(
                        corrected="they are iff ||D||_F -> infinity or ||D||_op -> 1, D = Sigma^-1/2 Delta Sigma^-1/2",
                        states=_norm_decides,
                    ),
                ),
            ),
            mutants=(
                Mutant(
                    name="of-order-1/sqrt-d-suffices",
                    states=lambda setting: _singular_if(sp.limit(RANK_ONE, d, sp.oo), "one t_i = c/sqrt d"),
                ),
            ),
        ),
        Identity(
            id="LT-M2",
            part="trivial",
            readings=(
                Reading(
                    document="P",
                    place="Section 3, below M2",
                    printed="if ||Delta||_op = o(1/sqrt d) then no non-trivial classifier exists",
                    states=_small_operator_norm(sp.Integer(0)),
                ),
            ),
            mutants=(Mutant(name="of-order-1/sqrt-d-suffices", states=_small_operator_norm(sp.Rational(1, 2))),),
        ),
    ),
)
