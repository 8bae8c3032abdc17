"""Sigma, Delta and Gamma of the mixture by name: what a simulator receives, and the limits of what risks depend on."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from theorems.claim import BadInput, Setting
from theorems.mixture_spectra import B2, DENSITIES, M1, M2, figures, matrices, tilt, top_energy

PLACES = (
    {"Delta": "uniform3", "Sigma": "isotropic", "Gamma": "isotropic"},
    {"Delta": "indefinite", "Sigma": "two_point", "Gamma": "1,2"},
    {"Delta": "rotated", "Sigma": "two_point", "Gamma": "1,2"},
    {"Delta": "rotated:traceless", "Sigma": "1,3/2", "Gamma": "1,2/3"},
    {"Delta": "low_rank", "Sigma": "identity", "Gamma": "1,3"},
    {"Delta": "power_law", "Sigma": "two_point", "Gamma": "isotropic"},
)


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place["Delta"])
def test_figures_in_dimension_d_approach_their_limits(place: dict[str, str]) -> None:
    d = 768
    limit, finite = figures(Setting(place)), figures(Setting(place, d))
    # Traces over a Haar rotation fluctuate by O(1/d) in these units, with spectra of size at most two; for Delta in
    # the basis of Sigma and d a multiple of all lengths of pieces the sums are the integrals, up to rounding.
    # For a smooth quantile function the midpoint rule is off by O(1/d^2).
    slack = arb("1e-12")
    if tilt(place["Delta"]).rotated:
        slack = arb(20) / d
    elif place["Delta"] == "power_law":
        slack = arb(1) / d**2
    for name in ("zeta_1", "zeta_2", "delta_norm2", "delta_trace2"):
        assert abs(getattr(finite, name) - getattr(limit, name)) < slack, name


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place["Delta"])
def test_the_figures_are_those_of_the_matrices(place: dict[str, str]) -> None:
    d = 48
    setting = Setting(place, d)
    at, found = matrices(setting), figures(setting)
    delta = np.diag(at.delta) if at.delta.ndim == 1 else at.delta
    sigma, gamma = np.diag(at.sigma), np.diag(at.gamma) / d
    root = np.diag(at.sigma**-0.5)
    whitened = root @ delta @ root
    expected = {
        "zeta_1": d * np.trace(sigma @ gamma @ sigma @ gamma) / 2,
        "zeta_2": d * np.trace(delta @ gamma) ** 2 / 4,
        "delta_norm2": np.sum(whitened**2),
        "delta_trace2": np.trace(whitened) ** 2 / d,
    }
    assert np.trace(gamma @ sigma) == pytest.approx(1, rel=1e-14)
    for name, value in expected.items():
        # Products of d x d matrices: d roundings of numbers of order one.
        assert float(getattr(found, name).mid()) == pytest.approx(value, rel=1e-12, abs=4 * d * np.finfo(float).eps)
    squares = np.sort(np.linalg.eigvalsh(whitened) ** 2)[::-1]
    assert abs(top_energy(setting, 7, Fraction(7, d)) - float(squares[:7].sum())) < arb("1e-12")


def test_the_largest_share_in_the_limit() -> None:
    setting = Setting({"Delta": "indefinite"})
    assert top_energy(setting, 0, Fraction(1, 4)) == 1
    assert top_energy(setting, 0, Fraction(3, 4)) == arb("2.25")
    assert top_energy(setting, 0, Fraction(3)) == figures(setting).delta_norm2
    # q(u) = u: the integral of u^2 over [1/2, 1] is 7/24.
    assert (24 * top_energy(Setting({"Delta": "uniform"}), 0, Fraction(1, 2))).contains(7)


def test_hypotheses_say_why() -> None:
    def holds(hypothesis, **place: str) -> bool | None:
        return hypothesis.check(
            Setting({"Delta": "uniform3", "Sigma": "identity", "Gamma": "isotropic", **place})
        ).holds

    assert all(holds(hypothesis) for hypothesis in (M1, M2, DENSITIES, B2))
    assert holds(M1, Sigma="power_law") is False
    assert holds(M1, Sigma="exp1") is False
    assert holds(M2, Delta="exp1") is False
    assert holds(M2, Delta="0") is False
    assert holds(DENSITIES, Delta="5") is False
    assert holds(DENSITIES, Delta="rotated:1,-5") is False
    assert holds(B2, Gamma="proportional_to_B") is False
    assert holds(B2, Gamma="exp1") is False


def test_what_is_no_tilt_is_refused() -> None:
    for name in ("rotate", "rotated:", "1,,2", "turned:uniform3"):
        with pytest.raises(BadInput):
            tilt(name)
