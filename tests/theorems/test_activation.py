"""One expression gives everything: function, derivative, kinks, parity, constants, hypotheses."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import sympy as sp
from flint import arb, ctx, fmpq

from proofs_checks.ball_function import CannotDecide, evaluate
from proofs_checks.hermite import InfiniteMoment
from proofs_checks.smooth_piece import resolve
from simulate.activation_function import ClosedForm
from theorems.activation import NAMES, Activation, activation
from theorems.claim import BadInput
from theorems.named_activations import X

UNSEEN = (
    "x*exp(-x**2/4)",
    "Piecewise((x, x < 1), (sqrt(x), True))",
    "log(1 + x**2)",
    "sqrt(Abs(x))",
    "x*log(Abs(x))",
    "tanh(x)*Max(x, 0)",
    "atan(x)*sin(3*x)",
    "exp(x**2/8)",
    "exp(Abs(x))",
    "sqrt(Max(x, 0))",
    "exp(x)/(1 + exp(x))",
    "log(cosh(x))",
    "log(exp(x) + 2*exp(-2*x))",
    "1/cosh(x)",
    "sin(x)/x",
    "cbrt(x)",
    "Piecewise((log(1 + x), x > 0), (-log(1 - x), True))",
    "Piecewise((0, x < -1), (asin(x), x < 1), (2, True))",
    "Max(-2, Min(x, 3))**2",
    "2**x/(1 + x**4)",
    "elu(elu(x) + 1/2)",
    "(1 + erf(x))**2/(3 + cos(x))",
    "Heaviside(x - 1/3)*sign(x + 2) + tan(sin(x)/2)",
)
EXPRESSIONS = (*NAMES, *UNSEEN)
POINTS = np.concatenate([np.random.default_rng(20190621).normal(size=24) * 2, [-9.5, -1e-7, 1e-7, 0.125, 8.0]])


def nearby(function: Callable[[arb], arb], point: float) -> tuple[float, float]:
    """The value at the point, and how much it varies over a few units in the last place around it.

    A function of float64 numbers that rounds its argument or any intermediate sum cannot be closer than this.
    """
    with ctx.workprec(400):
        exact = arb(point)
        value = function(exact)
        wide = function(exact + arb(0, 16 * max(abs(point), 1.0) * np.finfo(float).eps))
    return float(value.mid()), float(wide.rad())


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_the_jax_function_is_the_expression(text: str) -> None:
    sigma = activation(text)
    computed = np.asarray(sigma.function().value(jnp.asarray(POINTS)))
    assert computed.dtype == np.float64
    for point, value in zip(POINTS, computed, strict=True):
        expected, variation = nearby(lambda u: evaluate(sigma.expression, u), float(point))
        # A dozen roundings, each of one part in 2^53, of quantities no larger than 1 + |sigma|.
        assert value == pytest.approx(expected, abs=variation + 64 * np.finfo(float).eps * (1 + abs(expected)), rel=0)


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_the_derivative_is_the_derivative(text: str) -> None:
    sigma = activation(text)
    computed = np.asarray(sigma.function().derivative(jnp.asarray(POINTS)))
    for point, slope in zip(POINTS, computed, strict=True):
        branch = sp.diff(resolve(sigma.expression, sp.Rational(float(point))), X)
        expected, variation = nearby(lambda u, branch=branch: evaluate(branch, u), float(point))
        # Differentiating a quotient divides by small denominators twice: roundings are amplified by 1/x^2 at most.
        amplified = 64 * np.finfo(float).eps * (1 + abs(expected)) * max(1.0, point**-2 if "/x" in text else 1.0)
        assert slope == pytest.approx(expected, abs=variation + amplified, rel=0)


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_nothing_is_nan_at_the_kinks_nor_far_out(text: str) -> None:
    sigma = activation(text)
    function = sigma.function()
    points = jnp.asarray([-700.0, -50.0, 0.0, 50.0, 700.0, *function.kinks])
    for values in (function.value(points), function.derivative(points)):
        assert not np.isnan(np.asarray(values)).any()


@pytest.mark.parametrize("text", ["softplus", "sigmoid", "mish", "silu", "log(1 + exp(x))", "gelu", "tanh", "selu"])
def test_the_smooth_rectifiers_do_not_overflow(text: str) -> None:
    function = activation(text).function()
    far = jnp.asarray([-700.0, 700.0, -1e5, 1e5])
    assert np.isfinite(np.asarray(function.value(far))).all()
    assert np.isfinite(np.asarray(function.derivative(far))).all()


def test_derivatives_of_any_order_ignore_the_branch_not_taken() -> None:
    function = activation("Piecewise((x**2, x < 1), (sqrt(x - 1), True))").function()
    second = jax.vmap(jax.grad(lambda u: function.derivative(u)))
    assert np.asarray(second(jnp.asarray([-3.0, 0.5]))) == pytest.approx([2.0, 2.0])


def test_functions_compile_and_keep_shapes() -> None:
    for text in ("relu", "3", "x", "gelu"):
        function = activation(text).function()
        assert jax.jit(function.value)(jnp.zeros((2, 3))).shape == (2, 3)
        assert jax.jit(function.derivative)(jnp.zeros((2, 3))).shape == (2, 3)


CLOSED = {
    "relu": ClosedForm("homogeneous", (1.0, 1.0, 0.0)),
    "Max(x, 0)": ClosedForm("homogeneous", (1.0, 1.0, 0.0)),
    "(x + Abs(x))/2": ClosedForm("homogeneous", (1.0, 1.0, 0.0)),
    "Piecewise((0, x < 0), (x, True))": ClosedForm("homogeneous", (1.0, 1.0, 0.0)),
    "leaky_relu": ClosedForm("homogeneous", (1.0, 1.0, -0.01)),
    "Max(x, -x/2)": ClosedForm("homogeneous", (1.0, 1.0, 0.5)),
    "abs": ClosedForm("homogeneous", (1.0, 1.0, 1.0)),
    "sqrt(x**2)": ClosedForm("homogeneous", (1.0, 1.0, 1.0)),
    "step": ClosedForm("homogeneous", (0.0, 1.0, 0.0)),
    "2*sign(x)": ClosedForm("homogeneous", (0.0, 2.0, -2.0)),
    "relu2": ClosedForm("homogeneous", (2.0, 1.0, 0.0)),
    "3*relu(x)**3 + 1": ClosedForm("homogeneous", (3.0, 3.0, 0.0), 1.0),
    "relu(x) - relu(-x)": ClosedForm("polynomial", (0.0, 1.0)),
    "hermite3": ClosedForm("polynomial", (0.0, -3.0, 0.0, 1.0)),
    "(x + 1)**2 - 2*x": ClosedForm("polynomial", (1.0, 0.0, 1.0)),
    "erf(2*x)/2 + 3": ClosedForm("erf", (0.5, 2.0), 3.0),
    "erfc(x)": ClosedForm("erf", (-1.0, 1.0), 1.0),
    "3*sin(2*x) + 1": ClosedForm("sin", (3.0, 2.0), 1.0),
    "-cos(x/2)": ClosedForm("cos", (-1.0, 0.5)),
    "exp(x/4)": ClosedForm("exp", (1.0, 0.25)),
    "tanh": None,
    "sin(x + 1)": None,
    "sin(x)*x": None,
    "Max(x, 1)": None,
    "x + relu(x)**2": None,
    "relu(x)**4": None,
    "sqrt(Abs(x))": None,
    "sin(x**2)": None,
}


@pytest.mark.parametrize(("text", "closed"), CLOSED.items())
def test_closed_forms_are_recognised(text: str, closed: ClosedForm | None) -> None:
    assert activation(text).function().closed_form == closed


def test_a_centred_closed_form_carries_the_mean_as_offset() -> None:
    for text in ("relu", "x**2", "cos"):
        sigma = activation(text)
        centred = sigma.center().function()
        plain = sigma.function()
        assert centred.closed_form is not None
        assert plain.closed_form is not None
        mean = float(sigma.hermite(0).mid())
        assert centred.closed_form.offset == plain.closed_form.offset - mean
        shifted = np.asarray(plain.value(jnp.asarray(POINTS))) - mean
        assert np.array_equal(np.asarray(centred.value(jnp.asarray(POINTS))), shifted)


PARITY = {
    "tanh": ("odd", "odd"),
    "hard_tanh": ("odd", "odd"),
    "softsign": ("odd", "odd"),
    "x*log(Abs(x))": ("odd", "odd"),
    "Piecewise((sqrt(x), x > 0), (-sqrt(-x), True))": ("odd", "odd"),
    "(exp(x) - exp(-x))/(exp(x) + exp(-x))": ("odd", "odd"),
    "hermite2": ("even", "even"),
    "Abs(sin(x))": ("even", "even"),
    "Piecewise((x, x > 2), (2, x > -2), (-x, True))": ("even", "even"),
    "x*(sigmoid(x) - 1/2)": ("even", "even"),
    "log(1 + exp(x)) - x/2": ("even", "even"),
    "sigmoid": ("none", "odd"),
    "step": ("none", "odd"),
    "erf(x) + 1": ("none", "odd"),
    "relu": ("none", "none"),
    "x**3 + x**2/10**12": ("none", "none"),
    "Piecewise((x, x < 5), (x + 1, True))": ("none", "none"),
}


@pytest.mark.parametrize(("text", "expected"), PARITY.items())
def test_parity(text: str, expected: tuple[str, str]) -> None:
    sigma = activation(text)
    assert (sigma.parity, sigma.center().parity) == expected


def test_kinks_and_jumps() -> None:
    sigma = activation("Max(x, 0) + Heaviside(x - 2) + Abs(x + 1/3)")
    assert sigma.kinks == (-sp.Rational(1, 3), 0, 2)
    assert sigma.jumps == (2,)
    assert sigma.function().kinks == (-1 / 3, 0.0, 2.0)
    assert activation("tanh").kinks == ()


def close(ball: arb, exact: arb) -> bool:
    """Equal to within the certified radius, which is below 1e-30."""
    return bool(ball.overlaps(exact)) and bool(ball.rad() < arb("1e-30"))


def test_constants_of_relu_are_the_known_ones() -> None:
    sigma = activation("relu")
    with ctx.workprec(256):
        pi = arb.pi()
        mean = 1 / (2 * pi).sqrt()
        assert close(sigma.hermite(0), mean)
        assert close(sigma.hermite(1), arb(1) / 2)
        assert close(sigma.b1(), arb(1) / 2)
        assert close(sigma.hermite(2), mean)
        assert close(sigma.second_moment(), arb(1) / 2)
        assert close(sigma.lambda_tilde(), arb(1) / 4)
        assert close(sigma.b_star(), (arb(1) / 4 - mean**2).sqrt())


def test_centring_removes_the_mean_and_nothing_else() -> None:
    sigma, centred = activation("relu"), activation("center(relu)")
    assert centred == activation("relu", center=True) == sigma.center() == centred.center()
    assert centred.hermite(0) == 0
    with ctx.workprec(256):
        for k in range(1, 5):
            assert close(centred.hermite(k) - sigma.hermite(k), arb(0))
        assert close(centred.second_moment(), arb(1) / 2 - 1 / (2 * arb.pi()))
        assert close(centred.b_star(), sigma.b_star())
        # relu is homogeneous: lambda_0(s) = s lambda_0, E sigma(sG)^2 = s^2/2; what is subtracted is lambda_0(1).
        scale, mean = arb(fmpq(3, 2)), 1 / (2 * arb.pi()).sqrt()
        assert close(centred.hermite_at(0, scale), mean / 2)
        assert close(centred.hermite_at(2, scale), scale * mean)
        assert close(centred.second_moment_at(scale), scale**2 / 2 - 2 * mean * scale * mean + mean**2)


def test_an_affine_activation_has_no_nonlinear_part() -> None:
    for text in ("x", "3", "2*x + 1", "relu(x) - relu(-x)"):
        assert activation(text).b_star() == 0


def test_parity_makes_coefficients_exactly_zero() -> None:
    for text, zero in (("tanh", 0), ("cos", 1), ("center(sigmoid)", 2), ("x**2", 1)):
        sigma = activation(text)
        assert sigma.hermite(zero) == 0
        assert sigma.hermite_at(zero, arb(2)) == 0
        assert sigma.hermite(zero + 1) != 0


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("tanh", True),
        ("relu", False),
        ("center(relu)", True),
        ("hermite2", True),
        ("hermite3", True),
        ("x**2", False),
        ("cos(x) - exp(-1/2)", True),
        ("cos(x) - exp(-1/2) + 10**-20", False),
        ("1/x", False),
        ("exp(x**2)", False),
        ("sqrt(x)", False),
    ],
)
def test_mean_zero(text: str, holds: bool) -> None:
    decision = activation(text).mean_zero()
    assert decision.holds is holds
    assert "lambda_0" in decision.reason


@pytest.mark.parametrize(
    ("text", "holds", "word"),
    [
        ("relu", True, ""),
        ("exp(x**2/8)", True, ""),
        ("x*exp(-x**2/4)", True, ""),
        ("Piecewise((x, x < 1), (sqrt(x), True))", True, ""),
        ("log(1 + x**2)", True, ""),
        ("center(step)", True, ""),
        ("exp(x**2/4)", False, ""),
        ("exp(x**2)", False, ""),
        ("1/x", False, "unbounded"),
        ("2*x + 1", False, "affine"),
        ("3", False, "affine"),
        ("relu(x) - relu(-x)", False, "affine"),
        ("sqrt(x)", False, "real"),
        ("log(x)", False, "real"),
        ("asin(x)", False, "real"),
        ("x**(1/3)", False, "real"),
    ],
)
def test_assumption_a1(text: str, holds: bool, word: str) -> None:
    decision = activation(text).a1()
    assert decision.holds is holds
    assert word in decision.reason


def test_a_condition_on_what_is_not_real_cannot_be_decided() -> None:
    assert activation("Piecewise((1, log(x) > 0), (x, True))").a1().holds is not True


def test_what_is_not_real_has_no_constants_but_a_reason() -> None:
    sigma = activation("sqrt(x)")
    assert sigma.real().holds is False
    for constant in (sigma.second_moment, sigma.b1, sigma.b_star, lambda: sigma.hermite(0)):
        with pytest.raises(CannotDecide) as reason:
            constant()
        assert "real" in str(reason.value)


def test_the_norm_beyond_which_a_neuron_is_infinite() -> None:
    sigma = activation("exp(x**2/8)")
    limit = sigma.norm_limit()
    assert limit is not None
    with ctx.workprec(128):
        assert limit.overlaps(arb(2).sqrt())
        # E exp(s^2 G^2/4) = (1 - s^2/2)^(-1/2) below it.
        scale = arb(fmpq(5, 4))
        assert close(sigma.second_moment_at(scale), (1 - scale**2 / 2).rsqrt())
    with pytest.raises(InfiniteMoment):
        sigma.second_moment_at(arb(fmpq(3, 2)))
    assert activation("relu").norm_limit() is None
    assert activation("exp(x)").norm_limit() is None
    assert sigma.function().gaussian_growth == 0.5


@pytest.mark.parametrize("text", [*EXPRESSIONS, "0.5/(x + 2)", "center(gelu)", "center(x**2)", "3"])
def test_the_canonical_text_denotes_the_same_activation(text: str) -> None:
    sigma = activation(text)
    assert activation(sigma.text) == sigma
    assert activation(sigma.text).text == sigma.text


def test_a_name_and_its_formula_are_one_activation() -> None:
    assert activation("Max(x, 0)") == activation("relu") == activation("relu(x)") == activation("  relu ")
    assert activation("x**2 - 1").text == "hermite2"
    assert activation("center( center(x**2) )").text == "center(square)"


@pytest.mark.parametrize("text", ["", "y", "center()", "center(x", "relu relu", "center(x)*2", "x" * 10_000_000])
def test_bad_text_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        activation(text)


def test_activations_are_cached_values() -> None:
    assert activation("tanh(x)/3") is activation("tanh(x)/3")
    assert hash(Activation(sp.tanh(X))) == hash(Activation(sp.tanh(X)))


def test_jax_is_loaded_only_for_the_function() -> None:
    program = (
        "import sys; from theorems.activation import activation; s = activation('relu'); s.b_star(); "
        "assert 'jax' not in sys.modules; s.function(); assert 'jax' in sys.modules"
    )
    paths = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    assert subprocess.run([sys.executable, "-c", program], env=paths).returncode == 0


def test_centring_needs_a_mean():
    assert activation("relu", center=True).mean_zero().holds is True
    decision = activation("exp(x**2)", center=True).mean_zero()
    assert decision.holds is False
    assert "does not exist" in decision.reason
    assert activation("x*sin(1/x)", center=True).mean_zero().holds is None
