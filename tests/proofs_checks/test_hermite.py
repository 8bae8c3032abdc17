"""Certified Gaussian integrals against closed forms, independent quadrature, and identities."""

from __future__ import annotations

import time

import mpmath
import pytest
import sympy as sp
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_checks.ball_function import CannotDecide, NotReal, evaluate, number_ball
from proofs_checks.hermite import GaussianIntegrals, InfiniteMoment, hermite_polynomial

x = sp.Symbol("x", real=True)
R = sp.Rational
BITS = 200
CERTIFIED = arb("1e-30")
"""The radius that is promised for every constant."""

NAMED = {
    "relu": sp.Max(x, 0),
    "leaky_relu": sp.Max(x, x / 100),
    "elu": sp.Piecewise((x, x > 0), (sp.exp(x) - 1, True)),
    "selu": R("1.0507009873554805") * sp.Piecewise((x, x > 0), (R("1.6732632423543772") * (sp.exp(x) - 1), True)),
    "gelu": x / 2 * (1 + sp.erf(x / sp.sqrt(2))),
    "gelu_tanh": x / 2 * (1 + sp.tanh(sp.sqrt(2 / sp.pi) * (x + R("0.044715") * x**3))),
    "silu": x / (1 + sp.exp(-x)),
    "mish": x * sp.tanh(sp.log(1 + sp.exp(x))),
    "softplus": sp.log(1 + sp.exp(x)),
    "softsign": x / (1 + sp.Abs(x)),
    "sigmoid": 1 / (1 + sp.exp(-x)),
    "tanh": sp.tanh(x),
    "hard_tanh": sp.Max(-1, sp.Min(1, x)),
    "erf": sp.erf(x),
    "sin": sp.sin(x),
    "cos": sp.cos(x),
    "abs": sp.Abs(x),
    "step": sp.Heaviside(x),
    "square": x**2,
    "relu2": sp.Max(x, 0) ** 2,
    "relu3": sp.Max(x, 0) ** 3,
    "hermite2": x**2 - 1,
    "hermite3": x**3 - 3 * x,
}


def test_all_named_activations_are_certified_quickly():
    start = time.perf_counter()
    for expression in NAMED.values():
        integrals = GaussianIntegrals(expression)
        assert all(ball.rad() < CERTIFIED for ball in integrals.coefficients(7))
        assert integrals.second_moment().rad() < CERTIFIED
    # Ten seconds is the promise for all of them together; about one is usual.
    assert time.perf_counter() - start < 10


pi = sp.pi
CLOSED_FORMS = [
    (sp.Max(x, 0), [1 / sp.sqrt(2 * pi), R(1, 2), 1 / sp.sqrt(2 * pi), 0, -1 / sp.sqrt(2 * pi)], R(1, 2)),
    (sp.Heaviside(x), [R(1, 2), 1 / sp.sqrt(2 * pi), 0, -1 / sp.sqrt(2 * pi)], R(1, 2)),
    (sp.Abs(x), [sp.sqrt(2 / pi), 0, sp.sqrt(2 / pi), 0], 1),
    (sp.erf(x), [0, 2 / sp.sqrt(3 * pi), 0], 2 / pi * sp.asin(R(2, 3))),
    (sp.sin(x), [0, sp.exp(-R(1, 2)), 0, -sp.exp(-R(1, 2))], (1 - sp.exp(-2)) / 2),
    (sp.exp(x), [sp.exp(R(1, 2))] * 5, sp.exp(2)),
    (sp.exp(20 * x), [sp.exp(200), 20 * sp.exp(200)], sp.exp(800)),
    (sp.exp(x**2 / 8), [2 / sp.sqrt(3), 0, 2 / (3 * sp.sqrt(3))], sp.sqrt(2)),
    (x * sp.exp(-(x**2) / 4), [0, R(2, 3) ** R(3, 2), 0], 2 ** -R(3, 2)),
    (x**3 - 3 * x, [0, 0, 0, 6, 0], 6),
    (sp.log(sp.Abs(x)), [-(sp.EulerGamma + sp.log(2)) / 2, 0, 1], None),
    (sp.sqrt(sp.Abs(x)), [2 ** R(1, 4) * sp.gamma(R(3, 4)) / sp.sqrt(pi), 0], sp.sqrt(2 / pi)),
    (sp.Abs(x) ** -R(1, 4), [2 ** -R(1, 8) * sp.gamma(R(3, 8)) / sp.sqrt(pi), 0], None),
    (sp.exp(-1 / x**2), [sp.exp(-sp.sqrt(2)), 0], sp.exp(-2)),
    (sp.sqrt(1 + x**2), [], 2),
    (sp.Max(x, sp.sqrt(2)) - sp.sqrt(2), [None, (1 - sp.erf(1)) / 2, sp.exp(-1) / sp.sqrt(2 * pi)], None),
    (sp.tan(sp.atan(x)), [0, 1, 0], 1),
    (sp.sqrt(sp.Abs(x) * sp.Max(-x, x)), [sp.sqrt(2 / pi), 0, sp.sqrt(2 / pi)], 1),
    (sp.Integer(0), [0, 0], 0),
]


@pytest.mark.parametrize(("expression", "coefficients", "second"), CLOSED_FORMS, ids=str)
def test_closed_forms(expression, coefficients, second):
    integrals = GaussianIntegrals(expression)
    with ctx.workprec(1600):  # exp(800) to an absolute 1e-40 needs some 1300 bits
        for k, value in enumerate(coefficients):
            if value is not None:
                assert integrals.coefficient(k).contains(arb(_decimal(value)))
                assert integrals.coefficient(k).rad() < CERTIFIED
        if second is not None:
            assert integrals.second_moment().contains(arb(_decimal(second)))
            assert integrals.second_moment().rad() < CERTIFIED


def _decimal(value: sp.Expr | int) -> str:
    """450 digits from mpmath, whose rounding is far below any radius here."""
    return str(sp.N(value, 450))


# Gaussian quadrature by mpmath, split at the kinks: (expression, function, kinks).
INDEPENDENT = [
    (NAMED["mish"], lambda t: t * mpmath.tanh(mpmath.log1p(mpmath.exp(t))), []),
    (NAMED["gelu_tanh"], None, []),
    (NAMED["selu"], None, [0]),
    (NAMED["softsign"], lambda t: t / (1 + abs(t)), [0]),
    (sp.Piecewise((x, x < 1), (sp.sqrt(x), True)), lambda t: t if t < 1 else mpmath.sqrt(t), [1]),
    (sp.log(1 + x**2), lambda t: mpmath.log1p(t**2), []),
    (sp.Abs(sp.sin(x)), lambda t: abs(mpmath.sin(t)), [n * mpmath.pi for n in range(-5, 6)]),
    (sp.tanh(x) * sp.Max(x, 0), lambda t: mpmath.tanh(t) * max(t, 0), [0]),
    (sp.atan(x) * sp.sin(3 * x), lambda t: mpmath.atan(t) * mpmath.sin(3 * t), []),
    (x * sp.log(sp.Abs(x)), lambda t: t * mpmath.log(abs(t)), [0]),
    (sp.sqrt(x * sp.Min(x, 1)), lambda t: abs(t) if t < 1 else mpmath.sqrt(t), [0, 1]),
    (sp.asinh(x**2 * (x + 1)), lambda t: mpmath.asinh(t**2 * (t + 1)), []),
    (sp.asin(sp.tanh(x)), lambda t: mpmath.asin(mpmath.tanh(t)), []),
    (
        sp.Max(sp.sin(x), x / 2),
        lambda t: max(mpmath.sin(t), t / 2),
        ["-1.895494267033980947144035738093602", 0, "1.895494267033980947144035738093602"],
    ),
]


@pytest.mark.parametrize(("expression", "function", "kinks"), INDEPENDENT, ids=[str(case[0]) for case in INDEPENDENT])
def test_independent_quadrature_agrees(expression, function, kinks):
    sigma = function or sp.lambdify(x, expression, "mpmath")
    integrals = GaussianIntegrals(expression)
    with mpmath.workdps(30):
        # Unit steps between the kinks keep Gauss-Legendre at its full order; beyond 13 the weight is below 1e-37.
        nodes = sorted({mpmath.mpf(n) for n in range(-13, 14)} | {mpmath.mpf(kink) for kink in kinks})
        for k in (0, 1, 2, 3):
            value, error = mpmath.quad(
                lambda t, k=k: sigma(t) * hermite_polynomial(k, t) * mpmath.npdf(t), nodes, error=True
            )
            with ctx.workprec(BITS):
                ball = integrals.coefficient(k)
                # mpmath's estimate, plus the rounding of 26 panels at 30 digits.
                slack = arb(mpmath.nstr(error, 5)) + arb("1e-27")
                assert abs(ball - arb(mpmath.nstr(value, 30))) < slack + ball.rad()
                assert ball.rad() < CERTIFIED


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(-9, 9), min_size=1, max_size=6))
def test_parseval_and_expansion_of_a_polynomial(coefficients):
    """E p(G)^2 = sum of lambda_k^2 / k!, and p = sum of lambda_k He_k / k!."""
    polynomial = sum(c * x**n for n, c in enumerate(coefficients)) + sp.Integer(0) * x
    integrals = GaussianIntegrals(sp.sympify(polynomial))
    with ctx.workprec(BITS):
        lambdas = integrals.coefficients(len(coefficients))
        total = sum((ball**2 / arb.fac_ui(k) for k, ball in enumerate(lambdas)), arb(0))
        assert total.overlaps(integrals.second_moment())
        point = arb(3) / 8
        expansion = sum((ball * hermite_polynomial(k, point) / arb.fac_ui(k) for k, ball in enumerate(lambdas)), arb(0))
        assert expansion.overlaps(evaluate(polynomial, point))
        assert integrals.coefficient(len(coefficients)).contains(0)


@pytest.mark.parametrize(
    ("expression", "degree"), [(sp.Max(x, 0), 1), (sp.Abs(x) ** R(3, 2), R(3, 2)), (sp.sign(x), 0)], ids=str
)
@pytest.mark.parametrize("scale", [R(1, 100), R(7, 3), 40], ids=str)
def test_homogeneous_functions_scale(expression, degree, scale):
    """lambda_k(s) = s^p lambda_k(1) and E sigma(sG)^2 = s^2p E sigma(G)^2; 7/3 is not dyadic, so s is a ball."""
    integrals = GaussianIntegrals(expression)
    with ctx.workprec(BITS):
        s = number_ball(sp.sympify(scale))
        factor = s ** number_ball(sp.sympify(degree))
        for k in range(4):
            scaled = integrals.coefficient(k, s)
            assert scaled.overlaps(factor * integrals.coefficient(k))
            assert scaled.rad() < CERTIFIED
        assert integrals.second_moment(s).overlaps(factor**2 * integrals.second_moment())
        assert integrals.second_moment(s).rad() < CERTIFIED


def test_ball_of_scales_encloses_each_scale_in_it():
    integrals = GaussianIntegrals(sp.tanh(x))
    with ctx.workprec(BITS):
        wide = arb(1.5, 0.01)
        for scale in (arb(1.491), arb(1.5), arb(1.509)):
            for k in (1, 3):
                assert integrals.coefficient(k, wide).contains(integrals.coefficient(k, scale))
            assert integrals.second_moment(wide).contains(integrals.second_moment(scale))
        assert integrals.coefficient(1, wide).rad() < 0.2


def test_long_weights_make_the_moments_infinite():
    """exp(x^2/8) satisfies A1, yet E sigma(sG)^2 is finite only for s^2 < 2 and E sigma(sG) for s^2 < 4."""
    integrals = GaussianIntegrals(sp.exp(x**2 / 8))
    with ctx.workprec(BITS):
        assert integrals.second_moment(arb(1.25)).contains(1 / (1 - arb(25) / 32).sqrt())
        assert integrals.coefficient(0, arb(1.75)).contains(1 / (1 - arb(49) / 64).sqrt())
        for scale in (arb(2).sqrt().upper(), arb(1.5), arb(3)):
            with pytest.raises(InfiniteMoment, match="infinite"):
                integrals.second_moment(scale)
        for scale in (arb(2), arb(3)):
            with pytest.raises(InfiniteMoment, match="infinite"):
                integrals.coefficient(0, scale)


@pytest.mark.parametrize(
    "expression", [1 / x, sp.tan(x), sp.exp(x**2 / 4), sp.exp(sp.exp(x)), sp.Abs(x) ** -R(1, 2)], ids=str
)
def test_divergent_second_moments_are_said_to_be_infinite(expression):
    with pytest.raises(InfiniteMoment, match="diverges"):
        GaussianIntegrals(expression).second_moment()


def test_what_cannot_be_integrated_is_refused():
    with pytest.raises(NotReal):
        GaussianIntegrals(sp.sqrt(x)).coefficient(0)
    with pytest.raises(CannotDecide):
        GaussianIntegrals(sp.Abs(sp.sin(x**2))).coefficient(0)
    for scale in (arb(0), arb(-1), arb("nan")):
        with pytest.raises(ValueError, match="positive"):
            GaussianIntegrals(x).coefficient(0, scale)


def test_a_ball_around_zero_can_be_squared():
    coefficient = GaussianIntegrals(sp.Heaviside(x - 20)).coefficient(1)
    assert coefficient.contains(0)
    assert (coefficient**2).is_finite()


@pytest.mark.parametrize("size", [1, R(1, 10**20)])
def test_a_small_second_moment_has_as_many_digits_as_a_large_one(size):
    moment = GaussianIntegrals(size * sp.sin(x)).second_moment()
    with ctx.workprec(BITS):
        exact_value = number_ball(size**2 * (1 - sp.exp(-2)) / 2)
        assert moment.overlaps(exact_value)
        assert moment.rad() < CERTIFIED * exact_value


def test_work_that_would_take_minutes_is_given_up():
    begin = time.process_time()
    with pytest.raises(CannotDecide, match="too many evaluations"):
        GaussianIntegrals(sp.sin(sp.tan(x))).second_moment()
    # WORK is about one second of a slow core; without it this integral takes twenty.
    assert time.process_time() - begin < 10


def test_precision_of_the_caller_is_neither_used_nor_changed():
    with ctx.workprec(53):
        ball = GaussianIntegrals(sp.Max(x, 0)).coefficient(0)
        assert ball.rad() < CERTIFIED
        assert ctx.prec == 53
    deep = GaussianIntegrals(sp.Max(x, 0), digits=100).coefficient(0)
    assert deep.rad() < arb("1e-99")
