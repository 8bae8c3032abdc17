r"""Theorem 4, the norm: how large a second-order stationary point may be, as gamma varies (B, Theorem 4 and B.6).

With the printed lambda, C lambda B_w*^8 = 2 gamma OPT + eps, (18) gives for every second-order stationary point

    lambda ||W||^8 <= C lambda B_w*^8 + 2 OPT + eps = C lambda B_w*^8 (1 + q),   q = (2 OPT + eps)/(2 gamma OPT + eps).

q <= 1 for gamma >= 1, q = 1 for OPT = 0, and q <= 1/gamma for gamma <= 1: ||W|| <= (C (1 + 1/gamma))^(1/8) B_w*. The
print says O(B_w*) for any gamma = O(1), but q is unbounded as gamma, eps -> 0, and so is ||W||/B_w*: with d = n = 1 and
the quadratic model scaled to f = ||W||^2 on the neurons that help, the stationary point minimises
log(1 + e^-s) + lambda s^4 over s = ||W||^2. For B_w*^2 = b = gamma^(1/4), eps <= gamma and gamma <= 1, OPT <= log 2
gives 4 lambda <= 4 (2 log 2 + 1)/C < 1/(1 + e), so s >= 1 and ||W||/B_w* >= gamma^(-1/8): the power 1/8 is the
right one. (This is the clean risk, the limit of wide networks, and Theorem 4 lets m grow with 1/gamma.)

The lambda is at fault, not the theorem. Let v(N) be the least clean risk with ||W||^2 <= N, which is convex in N where
the models reached are a convex set (d = 1; in general up to the remainder of Lemma 1). At the lambda whose minimiser
has N = 4 B_w*^2/3, L_lambda <= OPT, for every gamma >= 0; if v is flat from before, every lambda <= eps/B_w*^8 will do.
"""

from __future__ import annotations

from typing import Any

import sympy as sp
from flint import arb, ctx

from proofs_checks.ball_function import rational_ball
from proofs_checks.eighth_power import CONSTANT
from theorems.beyond_linearization.smooth_activation import ASSUMPTION_A, NOT_CONSTANT
from theorems.claim import (
    Bound,
    Decision,
    Equation,
    Erratum,
    Fact,
    Inequality,
    Mutant,
    Reading,
    Shape,
    Statement,
    Theorem,
)

BITS = 256
EIGHTH: Any = sp.Rational(1, 8)
best, gamma, eps, B, C, lam = sp.symbols("OPT gamma epsilon B_* C lambda", positive=True)
above, gap, loss, room = sp.symbols("h g L r", nonnegative=True)
q = (2 * best + eps) / (2 * gamma * best + eps)
SMALL = {
    gamma: (sp.Rational(1, 10**6), sp.S.One),
    eps: (sp.Rational(1, 10**6), sp.S.One),
    best: (sp.Rational(1, 10), 1),
}


def ratio_at(power_of_ten: int) -> arb:
    """||W||/B_w* = (s/b)^(1/2) at gamma = eps = 10^-k and b = gamma^(1/4), s the root of 1/(1 + e^s) = 4 lambda s^3."""
    with ctx.workprec(BITS):
        small = arb(10) ** -power_of_ten
        b = small.root(4)
        level = (1 + (-b).exp()).log()
        strength = (2 * small * level + small) / (rational_ball(CONSTANT) * b**4)
        low, high = arb(0), arb(64)
        for _ in range(BITS // 2):
            middle = (low + high) / 2
            rising = 1 / (1 + middle.exp()) - 4 * strength * middle**3
            if rising > 0:
                low = middle
            elif rising < 0:
                high = middle
            else:
                break
        return (low.union(high) / b).sqrt()


def _growth(power: Any) -> Fact:
    """||W||/B_w* <= K gamma^-power with one K for gamma in (0, 1]: so iff power >= 1/8.

    The upper bound is (C (1 + 1/gamma))^(1/8) <= (2 C/gamma)^(1/8). The lower one needs 4 (2 log 2 + 1)/C < 1/(1 + e).
    """
    with ctx.workprec(BITS):
        unbounded = 4 * (2 * arb(2).log() + 1) / rational_ball(CONSTANT) < 1 / (1 + arb(1).exp())
        ratios = {k: ratio_at(k) for k in (0, 8, 16, 24)}
        consistent = all(ratio >= arb(10) ** (k // 8) for k, ratio in ratios.items())
    figures = {f"gamma = eps = 1e-{k}": ratio.str(8) for k, ratio in ratios.items()}
    if not (unbounded and consistent):
        return Fact(
            "growth with 1/gamma", Decision(None, "the lower bound gamma^(-1/8) is not certified"), True, figures
        )
    holds = bool(power >= EIGHTH)
    reason = (
        f"||W||/B_w* is at least gamma^(-1/8) for B_w*^2 = gamma^(1/4), eps <= gamma (certified {ratios[16].str(5)} at "
        f"gamma = 1e-16), and at most (2 C/gamma)^(1/8)"
    )
    return Fact(f"||W||/B_w* <= K gamma^(-{power}) for all gamma in (0, 1]", Decision(holds, reason), True, figures)


def _chain() -> tuple[Statement, ...]:
    penalty = (2 * gamma * best + eps) / (C * B**8)
    allowed = C * penalty * B**8
    return (
        Bound("L_lambda >= 0", allowed + 2 * (best - loss) + eps, allowed + 2 * best + eps, False, 2 * loss),
        Equation("= C lambda B_*^8 (1 + q)", allowed + 2 * best + eps, allowed * (1 + q)),
    )


def _factor(power: Any = 1) -> tuple[Statement, ...]:
    """q <= gamma^-power for gamma <= 1, q <= 1 for gamma = 1 + h, q = 1 for OPT = 0."""
    exact = power == 1
    certificate = eps * (1 - gamma) / (gamma * (2 * gamma * best + eps)) if exact else None
    return (
        Bound(f"q <= gamma^-{power} for gamma <= 1", q, gamma**-power, False, certificate, SMALL),
        Bound("q <= 1 for gamma >= 1", q.subs(gamma, 1 + above), sp.S.One, False,
              2 * best * above / (2 * (1 + above) * best + eps)),
        Equation("q = 1 for OPT = 0", q.subs(best, 0), sp.S.One),
    )  # fmt: skip


def _bounded_factor() -> Fact:
    along = sp.factor(q.subs(eps, gamma * best))
    limit = sp.limit(along, gamma, 0, "+")
    return Fact(
        "q = O(1) for any gamma = O(1)",
        Decision(bool(limit.is_finite), f"with eps = gamma OPT, q = {along} -> {limit} as gamma -> 0"),
        certain=True,
    )  # fmt: skip


def _other_choice(times: Any) -> tuple[Statement, ...]:
    """N = times B^2, v'(N) = -4 lambda N^3; v is convex: v(B^2) = OPT = v(N) + 4 lambda N^3 (N - B^2) + g, g >= 0."""
    N = times * B**2
    penalised = best - gap - 4 * lam * N**3 * (N - B**2) + lam * N**4
    return (
        Bound("L_lambda <= OPT at the minimiser", penalised, best, False, gap if times == sp.Rational(4, 3) else None),
        Bound(
            "else the comparison with W*", best + lam * B**8, best + eps, False, room, {lam: ((eps - room) / B**8,) * 2}
        ),
    )


THEOREM = Theorem(
    slug="stationary-norm",
    title="The norm of second-order stationary points",
    source="B, Theorem 4 and Appendix B.6",
    latex=r"\|\hat W\|_{2,4} \le O(B_{w,\star})",
    activation="Max(x, 0)**3/6",
    takes_activation=True,
    hypotheses=(ASSUMPTION_A, NOT_CONSTANT),
    uses=("stationary-points",),
    claims=(
        Shape(
            id="BL-T4N",
            readings=(
                Reading(
                    document="B",
                    place="Theorem 4, (10), with the lambda of B.6",
                    printed="for any gamma = O(1) and eps > 0 ... ||W||_{2,4} <= O(B_{w,*})",
                    states=lambda setting: (_growth(sp.S.Zero),),
                    erratum=Erratum(
                        corrected=(
                            "||W||_{2,4} <= (C (1 + 1/gamma))^(1/8) B_{w,*}, which is O(B_{w,*}) for gamma "
                            "bounded below (or "
                            "OPT = O(eps)); the power 1/8 of 1/gamma is attained"
                        ),
                        states=lambda setting: (_growth(EIGHTH), *_chain(), *_factor()),
                    ),
                ),
            ),
            mutants=(
                Mutant(name="power-1/16", states=lambda setting: (_growth(sp.Rational(1, 16)),)),
                Mutant(name="factor-1/sqrt-gamma", states=lambda setting: _factor(sp.Rational(1, 2))),
            ),
        ),
        Inequality(
            id="BL-T4N",
            part="step-norm",
            readings=(
                Reading(
                    document="B",
                    place="Appendix B.6, last display",
                    printed=(
                        "lambda ||W||^8 <= C lambda B_*^8 + 2(OPT - L_lambda) + eps <= C lambda B_*^8 (1 + (2 "
                        "OPT + eps)/"
                        "(2 gamma OPT + eps)) = O(1) lambda B_*^8 for any gamma = O(1)"
                    ),
                    states=lambda setting: (*_chain(), _bounded_factor()),
                    erratum=Erratum(
                        corrected=(
                            "the factor is at most 1 + 1/min(gamma, 1), and 2 for OPT = 0: gamma must be bounded below"
                        ),
                        states=lambda setting: (*_chain(), *_factor()),
                    ),
                ),
            ),
            mutants=(Mutant(name="factor-1/sqrt-gamma", states=lambda setting: _factor(sp.Rational(1, 2))),),
        ),
        Inequality(
            id="BL-T4N",
            part="another-lambda",
            readings=(
                Reading(
                    document="B",
                    place="Theorem 4",
                    printed=(
                        "we can choose lambda suitably: so that the minimiser has ||W||^2 = 4 B_{w,*}^2/3, for "
                        "any gamma"
                    ),
                    states=lambda setting: _other_choice(sp.Rational(4, 3)),
                ),
            ),
            mutants=(Mutant(name="5/4-for-4/3", states=lambda setting: _other_choice(sp.Rational(5, 4))),),
        ),
    ),
)
