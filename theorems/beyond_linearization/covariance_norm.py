r"""The operator norm of the inputs' sample covariance (B, Theorem 6 and Appendix C.2).

M_{x,op}^2 = B_x^-2 E ||(1/n) sum_i x_i x_i^T||_op, for inputs of norm B_x:

    1/sqrt(d) <= M <= 1 always;   ||Cov(x)||_op <= kappa B_x^2/d;   M <= sqrt((1 + eps) kappa/d)

for centred inputs, eps = O(K^2) (sqrt(d/n) + d/n). The print says M <= kappa/sqrt(d) for n >= O(K^4 d). That is right
for kappa >= 1 + eps and wrong at kappa = 1: M > 1/sqrt(d) for every n, however large, unless the sample covariance is
never random. It is also wrong for inputs that are not centred, if "sub-Gaussian" speaks of x - E x: a law with
kappa(Cov) = 1 has M -> 1. What d M^2 tends to is in covariance_limits.py.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_checks import sample_covariance as cov
from theorems.claim import (
    Bound,
    Equation,
    Erratum,
    Identity,
    Inequality,
    Mutant,
    Prediction,
    Reading,
    Setting,
    Statement,
    Theorem,
)
from theorems.steps import statements

SHARES = (sp.Rational(1, 10**9), sp.Rational(1, 10**3))
"""1/n, for samples of a thousand to a thousand million."""
PLACE = "C.2, and Theorem 6"


def _always(power: int) -> tuple[Statement, ...]:
    return statements(cov.below_square_norm_steps(power))


def _kappa(square: Any) -> tuple[Statement, ...]:
    """M^2 <= square(kappa)/d at the corners of the plane and for one stretched coordinate, however large n is."""
    at_one = square.subs(cov.kappa_excess, 0)
    return (
        *statements(cov.corner_norm_steps()),
        Bound("the corners of the plane, kappa = 1: M^2 >= (1 + 1/n)/2", cov.corner_square(), at_one.subs(cov.d, 2),
              domain={cov.share: SHARES}),
        Bound("one stretched coordinate: M^2 >= kappa/(kappa + d - 1)", cov.spiked_square(), square,
              domain={cov.d: (2, 1000), cov.kappa_excess: (0, 100)}),
    )  # fmt: skip


def _kappa_corrected(setting: Setting) -> tuple[Statement, ...]:
    return (*statements(cov.concentration_steps()), *_kappa(2 * cov.kappa / cov.d))


def _off_centre(constant: int) -> tuple[Statement, ...]:
    """d M^2 <= constant * kappa, kappa = 1, for the law that is not centred, in a million dimensions."""
    value = (cov.d * cov.off_centre_square()).subs(cov.d, 10**6)
    bound = Bound("d ||E x x^T||/B_x^2 is bounded", value, sp.Integer(constant))
    return (*statements(cov.off_centre_steps()), bound)


def _centred(setting: Setting) -> tuple[Statement, ...]:
    """E x = 0 makes E x x^T = Cov; without it, E e^(X^2/(K^2 Var)) <= 2 and 1 + y <= e^y give E X^2 <= K^2 Var X."""
    value, mean = sp.symbols("X mu", real=True)
    y, s = sp.symbols("y s", positive=True)
    rest = sp.integrate((y - s) * sp.exp(s), (s, 0, y))
    return (
        Equation("E X^2 = Var X + mu^2, as X - mu has mean 0",
                 (value - mean) ** 2 + 2 * mean * (value - mean) + mean**2, value**2),
        Equation("e^y - 1 - y is an integral of positive terms, so E y <= E e^y - 1 <= 1, y = X^2/(K^2 Var)",
                 sp.exp(y) - 1 - y, rest),
        *statements(cov.concentration_steps()),
    )  # fmt: skip


def _exact(shift: Any = 0) -> tuple[Statement, ...]:
    return (
        *(
            Equation(
                f"corners of the plane, n = {samples}",
                cov.corner_norm_by_enumeration(samples),
                cov.corner_norm_formula(samples + shift),
            )
            for samples in (1, 2, 3, 4, 7, 10)
        ),
        Equation("two points of the circle", cov.circle_pair_norm(), sp.Rational(1, 2) + 1 / sp.pi),
    )


def _reading(
    place: str, printed: str, states: Prediction, erratum: Erratum | None = None, scan: str | None = None
) -> Reading:
    """A reading of this document."""
    return Reading(document="B", place=place, printed=printed, states=states, erratum=erratum, scan=scan)


def _any(function: Any, *given: Any) -> Prediction:
    return lambda setting: function(*given)


THEOREM = Theorem(
    slug="covariance-norm",
    title="The operator norm of the inputs' sample covariance",
    source="B, Theorem 6 and Appendix C.2",
    latex=(
        r"M_{x,\mathrm{op}} = \Big(B_x^{-2}\,\mathbb{E}\Big\|\frac1n\sum_i x_ix_i^{\mathsf T}"
        r"\Big\|_{\mathrm{op}}\Big)^{1/2} \le 1,\qquad M_{x,\mathrm{op}} = O(\sqrt{\kappa/d})"
    ),
    claims=(
        Inequality(
            id="BL-M",
            readings=(_reading("Theorem 6", "M_{x,op} <= 1 always holds", _any(_always, 2)),),
            mutants=(
                Mutant(name="B_x-for-B_x^2", states=_any(_always, 1)),
                Mutant(
                    name="strictly-below-1",
                    states=lambda setting: (
                        Bound("the corners of the plane, n = 1", cov.corner_norm_by_enumeration(1), 1, strict=True),
                    ),
                ),
            ),
        ),
        Inequality(
            id="BL-M",
            part="step-a",
            readings=(
                _reading(
                    "C.2 (a)",
                    "We always have ||sum x_i x_i^T/n||_op <= B_x^2, and thus M_{x,op} <= 1",
                    _any(_always, 2),
                ),
            ),
            mutants=(
                Mutant(
                    name="for-Gaussian-inputs-of-mean-square-B_x^2",
                    states=lambda setting: (Bound("n = d = 1: x^2 <= 1", cov.position**2, sp.S.One),),
                ),
            ),
        ),
        Inequality(
            id="BL-M",
            part="lower",
            readings=(
                _reading(
                    "5.1 (2)",
                    "can lower the generalization error than the naive bound by at most O(1/sqrt d)",
                    lambda setting: statements((cov.trace_step(),)),
                ),
            ),
            mutants=(Mutant(name="at-most-2/sqrt-d", states=lambda setting: statements((cov.trace_step(4),))),),
        ),
        Inequality(
            id="BL-M",
            part="step-covariance",
            readings=(
                _reading(
                    "C.2 (b)",
                    "kappa(Cov(x)) <= kappa, then we have ||Cov(x)||_op <= kappa B_x^2/d",
                    lambda setting: statements((cov.condition_step(),)),
                ),
            ),
            mutants=(Mutant(name="whatever-kappa", states=lambda setting: statements((cov.condition_step(0),))),),
        ),
        Inequality(
            id="BL-M",
            part="kappa",
            readings=(
                _reading(
                    PLACE,
                    "M_{x,op} <= kappa/sqrt(d) whenever n >= O(K^4 d)",
                    _any(_kappa, cov.kappa**2 / cov.d),
                    Erratum(
                        corrected=(
                            "M_{x,op} = O(sqrt(kappa/d)): M^2 <= (1 + eps) kappa/d, eps the relative error of the "
                            "sample covariance; the print follows once n is so large that eps <= kappa - 1, "
                            "and is false for every n at kappa = 1"
                        ),
                        states=_kappa_corrected,
                    ),
                    "kappa is read as /f and as n; no root over it can be seen in either place",
                ),
            ),
            mutants=(
                Mutant(name="kappa/d", states=_any(_kappa, cov.kappa**2 / cov.d**2)),
                Mutant(name="whatever-kappa", states=_any(_kappa, 2 / cov.d)),
                Mutant(name="sqrt(kappa/d)-without-a-constant", states=_any(_kappa, cov.kappa / cov.d)),
            ),
        ),
        Inequality(
            id="BL-M",
            part="kappa-centred",
            readings=(
                _reading(
                    "Theorem 6",
                    "if v.x is K sqrt(Var(v.x)) sub-Gaussian and kappa(Cov(x)) <= kappa, read of v.x - E v.x",
                    _any(_off_centre, 100),
                    Erratum(
                        corrected=(
                            "E x = 0, or the condition of C.2, ||v.x||_{psi_2} <= K sqrt(v.Cov(x) v), which is not "
                            "centred and bounds E (v.x)^2 by K^2 Var(v.x): then a factor K enters M"
                        ),
                        states=_centred,
                    ),
                ),
            ),
            mutants=(Mutant(name="with-a-constant-of-10000", states=_any(_off_centre, 10000)),),
        ),
        Identity(
            id="BL-M",
            part="exact",
            readings=(
                _reading(
                    "Theorem 6",
                    "M_{x,op} = (B_x^-2 E ||(1/n) sum x_i x_i^T||_op)^(1/2), at its smallest cases",
                    _any(_exact),
                ),
            ),
            mutants=(Mutant(name="one-sample-too-many", states=_any(_exact, 1)),),
        ),
    ),
)
