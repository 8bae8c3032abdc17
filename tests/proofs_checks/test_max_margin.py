"""The max-margin equations: the integrals, the resolvents, the solution, against witnesses that share no code."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy as sp
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import norm

from proofs_checks import feature_covariance as covariance
from proofs_checks import max_margin_derivation as derivation
from proofs_checks.ball_function import CannotDecide
from proofs_checks.margin_functional import (
    BITS,
    LabelLaw,
    distribution_moment,
    error_probability,
    floating_moments,
    moments,
)
from proofs_checks.max_margin import NotSeparable, max_margin, separability_threshold, wide_limit
from proofs_checks.plain_arithmetic import arithmetic
from proofs_checks.separability import explained_variance

LAWS = ("sign", "logistic:1", "logistic:50", "probit:2")


def _slope(law: LabelLaw) -> Any:
    return mpmath.mpf(law.slope.numerator) / law.slope.denominator


def _f0(law: LabelLaw, v: Any) -> Any:
    if law.name == "sign":
        return mpmath.mpf(v > 0)
    return 1 / (1 + mpmath.exp(-_slope(law) * v)) if law.name == "logistic" else mpmath.ncdf(_slope(law) * v)


@pytest.mark.parametrize("text", LAWS)
def test_the_moments_against_an_independent_quadrature(text: str) -> None:
    """mpmath's tanh-sinh rule on E V^j Phi((1 - pV)/q), at 25 digits; its own error estimate bounds the difference."""
    law, p, q = LabelLaw.of(text), "0.9", "0.7"
    with ctx.workprec(BITS), mpmath.workdps(25):
        found = moments(law, arb(1), arb(p), arb(q))
        cuts = [0, 1 / mpmath.mpf(50), mpmath.mpf(1) / 4, 1, 2, 4, 13]
        cuts = cuts if law.name == "sign" else [-x for x in cuts[:0:-1]] + cuts
        for power in (0, 1, 2):
            value, error = mpmath.quad(
                lambda v, k=power: (
                    2 * mpmath.npdf(v) * _f0(law, v) * v**k * mpmath.ncdf((1 - mpmath.mpf(p) * v) / mpmath.mpf(q))
                ),
                cuts,
                error=True,
            )
            off = abs(arb(mpmath.nstr(value, 25)) - found[power])
            assert off < arb(float(error)) + arb(10) ** -22, (text, power)


@pytest.mark.parametrize("text", [*LAWS, "logistic:1000", "probit:1/1000"])
@pytest.mark.parametrize(("k", "p", "q"), [(1, 0.9, 0.7), (1, 50.0, 0.3), (0, 1e-3, 1.0), (1, 300.0, 700.0)])
def test_two_quadratures_agree(text: str, k: int, p: float, q: float) -> None:
    """Gauss-Legendre in double precision against certified integrals: what is left is the rounding of the sum."""
    law = LabelLaw.of(text)
    certified, floating = moments(law, arb(k), arb(p), arb(q)), floating_moments(law, k, p, q)
    terms = 16 * 80  # nodes in a panel times panels, at most
    for exact, value in zip(certified, floating, strict=True):
        assert exact.rad() < 1e-20
        assert abs(float(exact.mid()) - value) <= terms * np.finfo(float).eps


def test_the_tail_beyond_the_cutoff_is_in_the_ball() -> None:
    law = LabelLaw.of("sign")
    with ctx.workprec(BITS):
        assert distribution_moment(law, 0, arb(10), arb(0), arb(1), 30).contains((-10 / arb(2).sqrt()).erfc() / 2)


def test_the_error_has_its_closed_forms() -> None:
    with ctx.workprec(BITS):
        ratio = arb("0.37")
        assert error_probability(LabelLaw.of("sign"), ratio).overlaps((1 / ratio).atan() / arb.pi())
        # A probit label is the sign of slope G + noise: the angle between that and the score.
        cosine = ratio / (1 + ratio * ratio).sqrt() * 2 / arb(5).sqrt()
        assert error_probability(LabelLaw.of("probit:2"), ratio).overlaps(cosine.acos() / arb.pi())


@pytest.mark.parametrize("text", ["", "signs", "sign:2", "logistic:0", "probit:-1", "logistic:x"])
def test_what_is_no_label_law_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"label law|Fraction"):
        LabelLaw.of(text)


def test_the_resolvents_of_a_drawn_covariance() -> None:
    """U, U2, V, V2 against the eigenvalues of one W. Linear statistics fluctuate by O(1/d), the form in beta_0 by
    O(d^-1/2); six standard deviations, the variance of the latter being at most 2/d of a form bounded by its size."""
    d, N, n, zeta, w = 500, 750, 400, 1.3, 0.5
    rng = np.random.default_rng(5)
    W = rng.standard_normal((N, d))
    W /= np.linalg.norm(W, axis=1, keepdims=True)
    forms = arithmetic((covariance.w, covariance.zeta, covariance.psi1, covariance.psi2), covariance.proportional())
    t, U, U2, V, V2 = forms(w, zeta, N / d, n / d)
    assert t > 0
    values, vectors = np.linalg.eigh(np.eye(N) + zeta**2 * W @ W.T)
    mean = zeta**2 * (vectors.T @ W[:, 0]) ** 2
    for power, signal, trace in ((1, U, V), (2, U2, V2)):
        assert abs(np.sum(mean / (values + t) ** power) / signal - 1) < 6 * np.sqrt(2 / d)
        assert abs(np.sum(values / (values + t) ** power) / n / trace - 1) < 6 / d


def test_the_jacobian_encloses_differences() -> None:
    """Mean value theorem, with balls: f(x + h) - f(x) lies in f'(box) h."""
    law, at = LabelLaw.of("logistic:2"), (arb("1.6"), arb(2), arb(1))
    column, jacobian = derivation.system(covariance.proportional())
    given_symbols = (*derivation.UNKNOWNS, covariance.zeta, covariance.psi1, covariance.psi2, *derivation.MOMENTS)
    f, slopes = arithmetic(given_symbols, column.flat()), arithmetic(given_symbols, jacobian.flat())
    explained = arithmetic((covariance.w, covariance.zeta), [covariance.proportional().U])

    def place(x: list[arb]) -> tuple[arb, ...]:
        return (*x, *at, *moments(law, arb(1), explained(x[2], at[0])[0] * x[0], x[1]))

    with ctx.workprec(BITS):
        low = [arb("0.8"), arb("0.6"), arb("0.5")]
        for moved in range(3):
            high = [x + arb("0.001") * (i == moved) for i, x in enumerate(low)]
            box = [x.union(y) for x, y in zip(low, high, strict=True)]
            before, after, bound = f(*place(low)), f(*place(high)), slopes(*place(box))
            for row in range(4):
                difference, predicted = after[row] - before[row], bound[3 * row + moved] * arb("0.001")
                assert predicted.contains(difference)
                assert predicted.rad() < abs(difference)  # so the sign and the size are checked


def _direct_minimum(zeta: float, psi1: float, psi2: float, slope: float) -> tuple[float, float]:
    """min ||a|| subject to F_1 + <g, a> <= 0 with a as a vector in 2 x 21 coordinates, labels probit.

    The Marchenko-Pastur law by Gauss-Chebyshev nodes of the second kind, psi1 > 1; E over (YG, Z) by a product rule.
    """
    count = 20
    angle = np.pi * np.arange(1, count + 1) / (count + 1)
    s = 1 + psi1 + 2 * np.sqrt(psi1) * np.cos(angle)
    mass = 4 * psi1 * np.sin(angle) ** 2 / (count + 1) / (2 * psi1 * s)
    values = np.append(1 + zeta**2 * s, 1.0)
    mass = np.append(mass, 1 - 1 / psi1)
    mean, noise = np.sqrt(psi1 * (values - 1) * mass), np.sqrt(psi1 / psi2 * values * mass)
    nodes, weights = np.polynomial.legendre.leggauss(120)
    v, z = np.meshgrid(9 * nodes, 9 * nodes, indexing="ij")
    weight = 81 * np.outer(weights, weights) * norm.pdf(v) * norm.pdf(z) * 2 * norm.cdf(slope * v)

    def parts(a: np.ndarray) -> tuple[float, float]:
        p = float(a[: count + 1] @ mean)
        return p, float(np.sqrt(np.sum(np.tile(values, 2) * a**2) - p**2))

    def slack(a: np.ndarray) -> float:
        p, q = parts(a)
        return -float(np.sqrt(np.sum(weight * np.maximum(1 - p * v - q * z, 0) ** 2)) + a[count + 1 :] @ noise)

    def slope_of_slack(a: np.ndarray) -> np.ndarray:
        p, q = parts(a)
        positive = weight * np.maximum(1 - p * v - q * z, 0)
        norm2 = np.sqrt(np.sum(positive * (1 - p * v - q * z)))
        in_p, in_q = -np.sum(positive * v) / norm2, -np.sum(positive * z) / norm2
        full = np.concatenate([mean, np.zeros(count + 1)])
        change = in_p * full + in_q / q * (np.tile(values, 2) * a - p * full)
        return -(change + np.concatenate([np.zeros(count + 1), noise]))

    found = minimize(
        lambda a: float(a @ a),
        np.concatenate([mean, -noise / values]),
        jac=lambda a: 2 * a,
        constraints={"type": "ineq", "fun": slack, "jac": slope_of_slack},
        method="SLSQP",
        options={"ftol": 1e-10, "maxiter": 500},
    )
    assert found.success
    p, q = parts(found.x)
    rho = p / np.hypot(p, q) * slope / np.hypot(1, slope)
    return float(1 / np.sqrt(found.fun)), float(np.arccos(rho) / np.pi)


@pytest.mark.parametrize(("zeta", "psi1", "psi2"), [(1.5, 2.0, 1.0), (0.8, 3.0, 2.0)])
def test_the_equations_against_the_minimum_they_describe(zeta: float, psi1: float, psi2: float) -> None:
    """The kink of the positive part costs the product rule about (panel/nodes)^2 of it, (18/120)^2/12 phi(0) < 1e-3."""
    found = max_margin(Fraction(zeta), Fraction(psi1), Fraction(psi2), LabelLaw.of("probit:2"))
    kappa, error = _direct_minimum(zeta, psi1, psi2, 2.0)
    assert abs(float(found.kappa) - kappa) < 1e-3 * kappa
    assert abs(float(found.error) - error) < 1e-3 * error


def test_the_threshold_against_a_grid() -> None:
    """h is smooth and flat at its minimum: a grid of step 0.01 misses it by less than the square of the step."""
    zeta, psi1 = arb(2), arb(1)
    U = float(explained_variance(zeta, psi1))
    nodes, weights = np.polynomial.legendre.leggauss(200)
    v = 5 * (1 + nodes)
    weight = 5 * weights * 2 * norm.pdf(v)
    omega = np.arange(0.0, 6.0, 0.01)[:, None]
    q = np.sqrt(1 + U * (1 - U) * omega**2)
    x = -U * omega * v / q
    h = (weight * q**2 * ((1 + x**2) * norm.cdf(x) + x * norm.pdf(x))).sum(axis=1)
    assert abs(float(psi1 / separability_threshold(zeta, psi1, LabelLaw.of("sign"))) - h.min()) < 0.01**2


def test_no_margin_beyond_the_threshold() -> None:
    law = LabelLaw.of("logistic:1")
    threshold = separability_threshold(2, 1, law)
    with pytest.raises(NotSeparable, match="not separable") as refused:
        max_margin(2, 1, 3, law)
    assert refused.value.threshold.overlaps(threshold)
    assert max_margin(2, 1, Fraction(float(threshold.mid())) * Fraction(999999, 1000000), law).kappa < 1e-5


def test_parameters_that_are_none() -> None:
    law = LabelLaw("sign")
    for zeta, psi1, psi2 in ((arb("nan"), 1, 1), (1, 0, 1), (1, 1, -1)):
        with pytest.raises(CannotDecide, match="not shown"):
            max_margin(zeta, psi1, psi2, law)
    with pytest.raises(CannotDecide, match="not shown"):
        wide_limit(1, 0, law)


def test_features_that_know_nothing() -> None:
    """A zeta that is zero up to a radius, as an activation's first coefficient can be."""
    exact, wide = max_margin(0, 2, 1, LabelLaw("sign")), max_margin(arb(0, 1e-40), 2, 1, LabelLaw("sign"))
    assert exact.kappa.overlaps(wide.kappa)
    assert exact.error.overlaps(arb(1) / 2)
    assert exact.error.rad() < 1e-15
    # Orthogonal noise: kappa^2 = N/n; a small zeta comes close. The error does not: of many neurons each with a little
    # signal the average still knows it.
    none, little = (wide_limit(zeta, 4, LabelLaw("sign")) for zeta in (0, Fraction(1, 1000)))
    assert none.kappa.overlaps(arb(1) / 2)
    assert abs(little.kappa - none.kappa) < arb(10) ** -6
    assert little.error < none.error - arb(1) / 10


def test_the_wide_limit_is_approached() -> None:
    law = LabelLaw.of("probit:1")
    far = wide_limit(1, 2, law)
    gaps = [abs(max_margin(1, psi1, 2, law).kappa / arb(psi1).sqrt() / far.kappa - 1) for psi1 in (10, 100, 1000)]
    assert gaps[1] < gaps[0] / 8
    assert gaps[2] < gaps[1] / 8


_ratio = st.fractions(Fraction(1, 20), 50, max_denominator=40)


@settings(max_examples=25, deadline=None)
@given(
    zeta=st.fractions(Fraction(1, 20), 20, max_denominator=20),
    psi1=_ratio,
    share=st.fractions(Fraction(1, 50), Fraction(19, 20), max_denominator=50),
    law=st.sampled_from(["sign", "logistic:1", "probit:3"]),
)
def test_order_certified_at_any_parameters(zeta: Fraction, psi1: Fraction, share: Fraction, law: str) -> None:
    """12 digits; more samples, less margin and less error; the threshold is beyond n = 2N."""
    labels = LabelLaw.of(law)
    threshold = separability_threshold(zeta, psi1, labels)
    assert threshold > arb(2 * psi1.numerator) / psi1.denominator
    most = Fraction(float(threshold.mid())) * share
    few, many = (max_margin(zeta, psi1, psi2, labels) for psi2 in (most / 2, most))
    assert many.kappa < few.kappa
    for found in (few, many):
        assert found.kappa.rad() < found.kappa * arb(10) ** -12
        assert found.error.rad() < arb(10) ** -12
        assert 0 < found.error < arb(1) / 2
        assert 0 < found.support < 1


def test_powers_of_balls_around_zero_stay_finite() -> None:
    x, y = sp.symbols("x y")
    (value,) = arithmetic((x, y), [x**2 / y])(arb(0, 1e-10), arb(2))
    assert value.contains(0)
    assert value.is_finite()
    with pytest.raises(ValueError, match="rational"):
        arithmetic((x,), [sp.sqrt(x)])


@pytest.mark.parametrize(
    ("zeta", "psi1", "psi2", "law"),
    [
        ("67/977", "524370", "24", "probit:24/709"),
        ("22/279", "876", "3/1000000", "probit:15"),
        ("2", "3", "1/100000000", "logistic:2"),
        ("58/821", "804733", "186913", "logistic:900"),
    ],
)
def test_far_ends_of_the_parameters_are_solved(zeta: str, psi1: str, psi2: str, law: str) -> None:
    """Wide networks and few samples, where a difference in (E3) would lose q."""
    found = max_margin(Fraction(zeta), Fraction(psi1), Fraction(psi2), LabelLaw.of(law))
    assert found.kappa.rad() < arb(10) ** -12 * found.kappa
    assert found.error.rad() < arb(10) ** -12 * found.error


def test_few_samples_are_orthogonal() -> None:
    """n << N, d: kappa^2 -> (N/n) (1 + zeta^2), each point a support vector; what is left is O(n/N + n/d)."""
    found = max_margin(2, 3, Fraction(1, 10**8), LabelLaw.of("sign"))
    assert abs(found.kappa * found.kappa / (3 * 10**8 * 5) - 1) < 1e-8 * (1 + 1 / 3) * 5
    assert abs(found.support - 1) < 1e-8
    assert found.error < arb(1) / 2
