"""What a user may set, and what a formula may contain: names, meanings, domains.

Light on purpose (no SymPy, no JAX): `asymptest list` reads it. A theorem names its parameters with their
defaults and its symbols; their meaning is said once, here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from theorems.claim import BadInput

SPECTRUM_NAMES = (
    "isotropic",
    "exp1",
    "two_point",
    "power_law",
    "uniform",
    "low_rank",
    "indefinite",
    "traceless",
)
_SPECTRA = f"one of {', '.join(SPECTRUM_NAMES)}, or rationals with equal weights such as 1,2,-3"


SYMBOLS = {
    "rho": "N/d at the actual N and d",
    "t": "Tr(B)^2/(d ||B||^2)",
    "overlap": "d <Gamma, B>^2/||B||^2",
    "concentration": "d ||Gamma||^2",
    "cosine2": "<Gamma, B>^2/(||Gamma||^2 ||B||^2)",
    "psi": "the solution of eq. (9)",
    "lambda_1": "E[sigma(G) G]",
    "lambda_2": "E[sigma(G) He_2(G)]",
    "lambda_tilde": "E[sigma(G)^2] - lambda_1^2",
    "zeta_1": "d Tr(Sigma Gamma Sigma Gamma)/2",
    "zeta_2": "d Tr(Delta Gamma)^2/4",
    "kappa": "the share of ||Delta||^2 that NT fits, P Theorem 5",
    "delta_norm2": "||Sigma^-1/2 Delta Sigma^-1/2||^2",
    "delta_trace2": "Tr(Sigma^-1 Delta)^2/d",
    "share": "N/(d (d + 1)/2) at the actual N and d",
    "psi1": "N/d at the actual N and d",
    "psi2": "n/d at the actual n and d",
    "ridge": "lambda, the ridge penalty being (N lambda/d) ||a||^2",
    "noise": "tau^2/||beta_0||^2",
    "mean": "(E f)^2/Var f",
    "b_1": "E[G sigma(G)]",
    "b_star": "the positive root of E[sigma(G)^2] - E[sigma(G)]^2 - b_1^2",
    "zeta": "|b_1|/b_star",
    "lambda_bar": "lambda/b_star^2",
    "chi": "nu_1 nu_2 at i sqrt(psi1 psi2 lambda_bar)",
    "kappa_star": "kappa_*(zeta, psi1, psi2, f0), the limit of the margin in units of b_star",
    "err_star": "Err_*(zeta, psi1, psi2, f0), the limit of the max-margin test error",
    "psi2_star": "n/d from which on noisy linear features do not separate the labels",
    "degree": "p, the degree of the polynomial alpha (beta.x)^p",
    "cosine": "(beta.x)/(||beta|| B_x)",
    "kernel_coefficient": "c_{p-2}, the Taylor coefficient of the ReLU kernel",
    "condition": "kappa(Cov(x)), the condition number of the inputs' covariance",
    "top_energy": "sum of the N largest squared singular values of Sigma^-1/2 Delta Sigma^-1/2",
}

RATIO_RANGE = (Fraction(1, 10**6), Fraction(10**6))


def _rational(text: str) -> Fraction:
    # An exponent such as 1e999999999 would build a huge integer: read its size off the text first.
    exponent = text.lower().partition("e")[2] or "0"
    if len(text) > 60 or abs(int(exponent)) > 12:
        raise ValueError
    return Fraction(text)


def _between(least: Fraction, largest: Fraction) -> Callable[[str], Fraction]:
    def read(text: str) -> Fraction:
        value = _rational(text)
        if not least <= value <= largest:
            raise ValueError
        return value

    return read


def _whole(least: int, largest: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        value = _between(Fraction(least), Fraction(largest))(text)
        if value.denominator != 1:
            raise ValueError
        return int(value)

    return read


_ratio = _between(*RATIO_RANGE)


def _expressible_degree(text: str) -> int:
    """3, or even from 2 to 8: the degrees that a quadratic model expresses."""
    value = _whole(2, 8)(text)
    if value % 2 and value != 3:
        raise ValueError
    return value


def _label_law(text: str) -> str:
    """sign, or logistic:SLOPE or probit:SLOPE with a slope from 1/1000 to 1000."""
    if text == "sign":
        return text
    name, _, slope = text.partition(":")
    if name not in ("logistic", "probit"):
        raise ValueError
    return f"{name}:{_between(Fraction(1, 1000), Fraction(1000))(slope or '1')}"


def _data_law(text: str) -> str:
    if text not in ("sphere", "gaussian"):
        raise ValueError
    return text


def _input_law(text: str) -> str:
    if text not in ("sphere", "hypercube", "gaussian", "spiked"):
        raise ValueError
    return text


def _spectrum_name(text: str) -> str:
    from theorems.spectra import spectrum  # SymPy: only when a value is read

    spectrum(text)
    return text


def _covariance_name(text: str) -> str:
    from theorems.spectra import PROPORTIONAL_TO_B, gamma_spectrum

    if text != PROPORTIONAL_TO_B:
        gamma_spectrum(text, text)
    return text


def _tilt_name(text: str) -> str:
    from theorems.mixture_spectra import tilt

    tilt(text)
    return text


def _class_covariance_name(text: str) -> str:
    from theorems.mixture_spectra import sigma_spectrum

    sigma_spectrum(text)
    return text


@dataclass(frozen=True)
class Parameter:
    """A name a user may set with --set, its meaning, the values it may take, and how it is read."""

    name: str
    meaning: str
    domain: str
    read: Callable[[str], Any]


PARAMETERS = {
    parameter.name: parameter
    for parameter in (
        Parameter("rho", "N/d, neurons per dimension", "a rational number from 1/1000000 to 1000000", _ratio),
        Parameter("B", "spectrum of the quadratic target <x, Bx>", _SPECTRA, _spectrum_name),
        Parameter(
            "Gamma",
            "spectrum of the weights' covariance, scaled to Tr Gamma = 1",
            f"proportional_to_B, or nonnegative: {_SPECTRA}",
            _covariance_name,
        ),
        Parameter(
            "share",
            "N/(d (d + 1)/2), neurons per entry of a symmetric matrix",
            "a rational number from 1/1000 to 9/10",
            _between(Fraction(1, 1000), Fraction(9, 10)),
        ),
        Parameter(
            "psi1",
            "N/d, neurons per dimension",
            "a rational number from 1/1000 to 1000",
            _between(Fraction(1, 1000), Fraction(1000)),
        ),
        Parameter(
            "psi2",
            "n/d, samples per dimension",
            "a rational number from 1/1000 to 1000",
            _between(Fraction(1, 1000), Fraction(1000)),
        ),
        Parameter(
            "ridge",
            "lambda, the ridge penalty being (N lambda/d) ||a||^2",
            "a rational number from 1e-9 to 1000000",
            _between(Fraction(1, 10**9), Fraction(10**6)),
        ),
        Parameter(
            "noise",
            "tau^2/||beta_0||^2, noise over signal",
            "a rational number from 0 to 1000000",
            _between(Fraction(0), Fraction(10**6)),
        ),
        Parameter(
            "mean",
            "(E f)^2/Var f, the squared mean of the target over its variance",
            "a rational number from 0 to 1000000",
            _between(Fraction(0), Fraction(10**6)),
        ),
        Parameter(
            "dominant",
            "k, the order of the Taylor term that is to dominate",
            "a whole number from 2 to 6",
            _whole(2, 6),
        ),
        Parameter("term", "j, the order of the Taylor term observed", "a whole number from 1 to 7", _whole(1, 7)),
        Parameter("coordinates", "d, the dimension of x", "a whole number from 2 to 64", _whole(2, 64)),
        Parameter(
            "degree", "p, the degree of alpha (beta.x)^p", "3, or an even number from 2 to 8", _expressible_degree
        ),
        Parameter(
            "cosine",
            "(beta.x)/(||beta|| B_x)",
            "a rational number from 1/10 to 1",
            _between(Fraction(1, 10), Fraction(1)),
        ),
        Parameter(
            "inputs",
            "the law of x, of square norm B_x^2 (spiked: a hypercube with one stretched axis)",
            "sphere, hypercube, gaussian or spiked",
            _input_law,
        ),
        Parameter(
            "condition",
            "kappa(Cov(x)), the condition number of the inputs' covariance",
            "a rational number from 1 to 1000",
            _between(Fraction(1), Fraction(1000)),
        ),
        Parameter("data", "the law of x", "sphere (of radius sqrt d) or gaussian", _data_law),
        Parameter(
            "labels",
            "P(y = 1 | x) as a function of <beta_0, x>, ||beta_0|| = 1",
            "sign, logistic:SLOPE or probit:SLOPE, slope from 1/1000 to 1000",
            _label_law,
        ),
        Parameter(
            "Delta",
            "spectrum of sqrt(d) Delta, half the difference of the two covariances of the mixture",
            f"uniform3, rotated, rotated:SPECTRUM, {_SPECTRA}",
            _tilt_name,
        ),
        Parameter(
            "Sigma",
            "spectrum of the mean covariance of the mixture",
            f"identity, {_SPECTRA}",
            _class_covariance_name,
        ),
    )
}


def read_parameter(name: str, value: Any, allowed: Mapping[str, Any]) -> Any:
    """The value of a parameter from what a user typed, or one sentence on why it is none."""
    if name not in allowed:
        known = ", ".join(allowed) or "none"
        raise BadInput(f"There is no parameter {name[:40]!r} here; the parameters are: {known}.")
    text = str(value).strip()
    try:
        return PARAMETERS[name].read(text)
    except (ValueError, ZeroDivisionError):
        raise BadInput(f"{name}={text[:40]} is not in its domain: give {PARAMETERS[name].domain}.") from None
