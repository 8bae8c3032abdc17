"""The psi equation: closed cases, residuals, extremes, uncertain inputs, and the symbolic proof."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_checks.psi import NoEnclosureError, solve_psi, uniqueness_steps
from proofs_checks.spectral_law import (
    Exponential,
    FiniteSpectrum,
    MarchenkoPastur,
    PointMass,
    Power,
    SpectralLaw,
    Uniform,
    empirical_spectrum,
)

LAWS = [
    PointMass(1),
    FiniteSpectrum((0, 1, 3), (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6))),
    Uniform(0, 2),
    Power(3, 2),
    Exponential(1),
    MarchenkoPastur(Fraction(1, 2)),
    MarchenkoPastur(3),
    empirical_spectrum(np.random.default_rng(3).exponential(size=100)),
]


def names(law: object) -> str:
    return type(law).__name__ if isinstance(law, SpectralLaw) else str(law)


def residual(psi: arb, rho: arb, lambda_1: arb, lambda_tilde: arb, law: SpectralLaw) -> arb:
    """Eq. (9) as printed, times psi: the integral of lambda_1^2 t psi/(1 + lambda_1^2 t psi) is 1 - S."""
    return lambda_tilde * psi - rho + 1 - law.stieltjes(lambda_1**2 * psi)


def test_point_mass_is_a_quadratic() -> None:
    with ctx.workprec(300):
        for rho, lambda_1, slack, t in [(2, 1, 1, 1), (1, 3, 2, 5), (7, 2, 1, 4)]:
            weight = arb(lambda_1) ** 2 * t
            # slack psi (1 + weight psi) + weight psi = rho (1 + weight psi)
            a, b, c = slack * weight, slack + weight * (1 - rho), -rho
            expected = (-b + (b * b - 4 * a * c).sqrt()) / (2 * a)
            psi = solve_psi(arb(rho), arb(lambda_1), arb(slack), PointMass(t), digits=60)
            assert psi.overlaps(expected)
            assert psi.rad() < psi * arb("1e-60")


@pytest.mark.parametrize("law", LAWS, ids=names)
@pytest.mark.parametrize("rho", ["1e-6", "0.3", "1", "1e6"])
def test_extreme_inputs_have_a_tight_enclosure_with_sign_change(law: SpectralLaw, rho: str) -> None:
    with ctx.workprec(400):
        for lambda_1 in ("1e-6", "0.5", "1e6"):
            for slack in ("1e-12", "0.5", "1e6"):
                inputs = arb(rho).mid(), arb(lambda_1).mid(), arb(slack).mid()
                psi = solve_psi(*inputs, law)
                assert psi.rad() < psi * arb("1e-40")
                assert residual(psi.lower(), *inputs, law) <= 0
                assert residual(psi.upper(), *inputs, law) >= 0


@pytest.mark.parametrize("law", LAWS, ids=names)
def test_lambda_1_zero_gives_rho_over_lambda_tilde(law: SpectralLaw) -> None:
    psi = solve_psi(arb(3), arb(0), arb(2), law)
    assert psi == 1.5
    assert solve_psi(arb(3), arb(5), arb(2), PointMass(0)) == 1.5


def test_the_root_is_found_where_the_equation_is_flat() -> None:
    """rho = 1 and lambda~ = 1e-30: psi is about 1e15 and half the digits of F are lost around it."""
    with ctx.workprec(400):
        slack = (arb(10) ** -30).mid()
        psi = solve_psi(arb(1), arb(1), slack, PointMass(1))
        expected = (-slack + (slack**2 + 4 * slack).sqrt()) / (2 * slack)  # slack psi (1 + psi) = 1
        assert psi.overlaps(expected)
        assert psi.rad() < psi * arb("1e-40")


@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from(LAWS),
    st.floats(1e-3, 1e3),
    st.floats(-10, 10),
    st.floats(1e-3, 1e3),
    st.floats(0, 0.3),
    st.tuples(st.floats(-1, 1), st.floats(-1, 1), st.floats(-1, 1)),
)
def test_uncertain_inputs_enclose_every_solution(
    law: SpectralLaw, rho: float, lambda_1: float, slack: float, width: float, where: tuple[float, float, float]
) -> None:
    def ball(x: float) -> arb:
        return arb(x, abs(x) * width)

    def inside(x: float, place: float) -> arb:
        return arb(x + place * abs(x) * width * 0.999)

    psi = solve_psi(ball(rho), ball(lambda_1), ball(slack), law, digits=20)
    one = solve_psi(inside(rho, where[0]), inside(lambda_1, where[1]), inside(slack, where[2]), law)
    assert psi.contains(one.mid())


def test_the_radius_follows_the_inputs() -> None:
    with ctx.workprec(200):
        rho = arb(1, "1e-35")
        psi = solve_psi(rho, arb(1), arb(1), Exponential(1))
        # 1 = lambda~ < F' < lambda~ + lambda_1^2 E T = 2, so d psi/d rho lies between 1/2 and 1
        assert arb("0.49e-35") < psi.rad() < arb("1.01e-35")


@pytest.mark.parametrize(
    ("rho", "lambda_1", "slack", "words"),
    [
        (arb(1), arb(1), arb(0), "lambda~"),
        (arb(1), arb(1), arb(0, 1e-30), "lambda~"),
        (arb(1), arb(1), arb(-1), "lambda~"),
        (arb(0), arb(1), arb(1), "rho"),
        (arb(-1), arb(1), arb(1), "rho"),
        (arb("inf"), arb(1), arb(1), "rho"),
        (arb(1), arb("nan"), arb(1), "lambda_1"),
    ],
)
def test_inputs_without_a_solution_are_refused(rho: arb, lambda_1: arb, slack: arb, words: str) -> None:
    with pytest.raises(NoEnclosureError, match=words):
        solve_psi(rho, lambda_1, slack, PointMass(1))


def test_uniqueness_is_proved_step_by_step() -> None:
    steps = uniqueness_steps()
    assert {step.relation for step in steps} == {"=", "<=", "<"}
    for step in steps:
        if step.relation == "=":
            assert sp.simplify(step.left - step.right) == 0
        else:
            assert step.certificate is not None
            assert sp.simplify(step.right - step.left - step.certificate) == 0
            sign = step.certificate.is_positive if step.relation == "<" else step.certificate.is_nonnegative
            assert sign is True


def test_a_wrong_monotone_form_is_not_equivalent() -> None:
    """The check above can fail: with lambda_1 for lambda_1^2 the printed equation is another one."""
    first = uniqueness_steps()[0]
    lambda_1 = next(s for s in first.left.free_symbols if s.name == "lambda_1")
    wrong = first.right.subs(lambda_1**2, sp.Abs(lambda_1))
    assert sp.simplify(first.left - wrong) != 0
