"""The landscape of the trained network: strict saddles away from the minimisers (P, Proposition 1).

Critical points of L(W, c) = 2 ||M||^2 + m^2 (nn_loss.py) fit a set S of at most N eigenvectors with positive
eigenvalues.

Proposition 1 as printed asks for a direction of negative curvature at *every* point of {L <= B_0} with a small
gradient. The minimisers are such points, with gradient zero and no negative curvature, so the print is false whenever
{L <= B_0} is not empty. What holds, for every symmetric B, is the statement without them: with

    delta_0 = min over critical points that are no minimisers of -lambda_min
            = 8 min(max_{i not in S} lambda_i                       where |S| < N,
                    max_{i not in S} lambda_i - min_{j in S} lambda_j  where |S| = N) > 0,

for each delta < delta_0 and eta > 0 there is an eps > 0 such that L(x) <= B_0, ||grad L(x)|| <= eps imply
lambda_min < -delta or L(x) < inf L + eta: {inf L + eta <= L <= B_0} is compact (||WW^T|| <= ||B|| + sqrt(B_0/2),
|m| <= sqrt(B_0)), and its critical points have lambda_min <= -delta_0. With delta = delta_0 it fails.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from proofs_checks import quadratic_landscape as landscape
from proofs_checks.quadratic_landscape import CriticalPoint, critical_points, saddle_curvature
from theorems.claim import Decision, Erratum, Fact, Identity, Mutant, Reading, Setting, Shape, Statement, Theorem
from theorems.lazy_training.nn_loss import OTHER, POSITIVE
from theorems.steps import statements


def _cases(cases: Any) -> list[CriticalPoint]:
    return [point for eigenvalues, neurons in cases for point in critical_points(eigenvalues, neurons)]


def _critical(setting: Setting) -> tuple[Statement, ...]:
    points = _cases(POSITIVE + OTHER)
    wrong = [point for number, point in enumerate(points) if not landscape.critical_exactly(point, number)]
    reason = f"{wrong[0]} differs" if wrong else f"exact at {len(points)} critical points in rotated rational bases"
    return (
        *statements((landscape.critical_points_of_one_neuron(),)),
        *statements(landscape.critical_hessian_step(*sizes) for sizes in ((3, 2, 0), (3, 2, 1), (3, 2, 2), (2, 3, 2))),
        Fact("gradient zero, risk, and characteristic polynomial of the Hessian", Decision(not wrong, reason), True,
             {"critical points": len(points), "largest": max(p.neurons * len(p.eigenvalues) + 1 for p in points)}),
        _least_curvatures(lambda point: point.least_curvature),
    )  # fmt: skip


def _least_curvatures(formula: Callable[[CriticalPoint], Any]) -> Fact:
    """The formula for lambda_min against the least entry of the spectrum (the offset block is positive definite)."""
    points = _cases(POSITIVE + OTHER)
    wrong = [p for p in points if min(0, *p.explicit_spectrum(), 0) != formula(p)]
    reason = (
        f"{wrong[0]}: the formula gives {formula(wrong[0])}" if wrong else f"right at {len(points)} critical points"
    )
    return Fact("the least eigenvalue as a formula", Decision(not wrong, reason), certain=True)


def _spectrum_with(factor: int) -> Fact:
    """The same characteristic polynomials with the couplings 8 (lambda_j - lambda_i) replaced."""
    point = CriticalPoint((9, 4, 1), (0, 1), 2)
    value = point.eigenvalues
    explicit = [factor * (value[j] - value[i]) for i in point.left for j in point.fitted] + [0, factor * 13]
    same = landscape.rational_point(point, 0).hessian().charpoly() == landscape.spectrum_polynomial(point, explicit)
    return Fact("the spectrum with another factor", Decision(same, f"factor {factor} at {point}"), certain=True)


def _strict_saddle(setting: Setting) -> tuple[Statement, ...]:
    """As printed: negative curvature at each critical point, the minimisers among them."""
    flat = [p for p in _cases(POSITIVE) if p.least_curvature >= 0 and landscape.critical_exactly(p)]
    reason = (
        f"{len(flat)} of {len(_cases(POSITIVE))} critical points have gradient exactly zero and no negative curvature, "
        f"the first at B = {flat[0].eigenvalues}, N = {flat[0].neurons}, fitting {len(flat[0].fitted)} of them"
        if flat
        else "every critical point has negative curvature"
    )
    return (Fact("every critical point has negative curvature", Decision(not flat, reason), certain=True),)


def _away_from_minimisers(factor: int = 1, *, minimisers: bool = False) -> Fact:
    """lambda_min <= -factor delta_0 < 0 exactly at the critical points that are no minimisers."""
    wrong, figures = [], {}
    for eigenvalues, neurons in POSITIVE + OTHER:
        delta = saddle_curvature(eigenvalues, neurons)
        figures[f"delta_0 for B = {eigenvalues}, N = {neurons}"] = delta
        for point in critical_points(eigenvalues, neurons):
            saddle = delta is not None and 0 < factor * delta <= -point.least_curvature
            if saddle == point.is_minimiser or (minimisers and not saddle):
                wrong.append(point)
    reason = f"not so at {wrong[0]}" if wrong else "each critical point is a minimiser or has lambda_min <= -delta_0"
    return Fact("critical points away from the minimisers", Decision(not wrong, reason), True, figures)


@cache
def near_critical(eigenvalues: tuple[int, ...], neurons: int, share: float) -> landscape.NearCritical | None:
    """The smallest gradient found where lambda_min >= -delta, delta = share delta_0, a little above the least risk."""
    delta = share * float(saddle_curvature(eigenvalues, neurons))
    level = 4.0 * sum(x**2 for x in eigenvalues)
    excess = float(saddle_curvature(eigenvalues, neurons)) / 80
    return landscape.search_near_critical(eigenvalues, neurons, delta, excess=excess, level=level)


SEARCHED = (((2, 1), 1), ((2, 1, 0), 2), ((1, 1), 1))
SHARES = (0.5, 0.9, 0.99)


def _measured_curve(beyond: float = 1.0) -> Fact:
    """eps(delta), the smallest gradient found with lambda_min >= -delta, for delta below delta_0 and above.

    The search stops when the squared gradient changes by less than ACCURACY, so an eps below its root is not told
    from 0.
    """
    figures, wrong = {}, []
    for eigenvalues, neurons in SEARCHED:
        for share in (*SHARES, 1.1):
            found = near_critical(eigenvalues, neurons, share)
            if found is None:
                wrong.append(f"no point met the constraints for delta = {share} delta_0 at B = {eigenvalues}")
                continue
            figures[f"B = {eigenvalues}, N = {neurons}, delta = {share} delta_0"] = f"eps = {found.gradient:.3g}"
            positive = found.gradient**2 > landscape.ACCURACY
            if positive != (share < beyond):
                wrong.append(f"delta = {share} delta_0 at B = {eigenvalues}, N = {neurons}: eps = {found.gradient:.3g}")
    reason = wrong[0] if wrong else "the smallest gradient found is positive for delta < delta_0 and vanishes beyond"
    return Fact("the curve eps(delta)", Decision(not wrong, reason), certain=False, figures=figures)


THEOREM = Theorem(
    slug="nn-landscape",
    title="The landscape of the trained network",
    source="P, Proposition 1",
    latex=(
        r"\|\nabla L(x)\| \le \varepsilon,\ L(x)\le B_0 \;\Rightarrow\; \lambda_{\min}(\nabla^2 L(x)) < -\delta"
        r"\ \text{or}\ L(x) < \inf L + \eta"
    ),
    uses=("nn-loss",),
    claims=(
        Shape(
            id="LT-P1",
            readings=(
                Reading(
                    document="P",
                    place="Proposition 1",
                    printed="eps, delta > 0 exist: L(x) <= B_0 and ||grad L(x)|| <= eps imply lambda_min < -delta",
                    states=_strict_saddle,
                    erratum=Erratum(
                        corrected=(
                            "for every delta < delta_0 and eta > 0 there is eps > 0 such that L(x) <= B_0 and "
                            "||grad L(x)|| <= eps imply lambda_min < -delta or L(x) < inf L + eta; delta_0 = 8 x the "
                            "least eigenvalue or difference of two that a saddle leaves to gain; any symmetric B"
                        ),
                        states=lambda setting: (*_critical(setting), _away_from_minimisers()),
                    ),
                ),
            ),
            mutants=(
                Mutant(name="delta-twice-as-large", states=lambda setting: (_away_from_minimisers(2),)),
                Mutant(name="minimisers-too", states=lambda setting: (_away_from_minimisers(minimisers=True),)),
            ),
        ),
        Identity(
            id="LT-P1",
            part="critical-points",
            readings=(
                Reading(
                    document="P",
                    place="Proposition 1",
                    printed="the critical points, with ties and zero eigenvalues, and their Hessian spectra",
                    states=_critical,
                ),
            ),
            mutants=(
                Mutant(name="couplings-halved", states=lambda setting: (_spectrum_with(4),)),
                Mutant(
                    name="spare-neurons-ignored",
                    states=lambda setting: (
                        _least_curvatures(
                            lambda p: CriticalPoint(p.eigenvalues, p.fitted, len(p.fitted)).least_curvature
                        ),
                    ),
                ),
            ),
        ),
        Shape(
            id="LT-P1",
            part="near-critical",
            readings=(
                Reading(
                    document="P",
                    place="Proposition 1",
                    printed="the pairs (eps, delta) away from the minimisers: eps(delta) > 0 iff delta < delta_0",
                    states=lambda setting: (_measured_curve(),),
                ),
            ),
            mutants=(Mutant(name="any-delta-will-do", states=lambda setting: (_measured_curve(2.0),)),),
        ),
    ),
)
