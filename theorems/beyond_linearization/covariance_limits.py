r"""What the operator norm of a sample covariance tends to (B, Theorem 6 and Appendix C.2).

For inputs of square norm B_x^2 with n/d fixed, d M_{x,op}^2 = (d/B_x^2) E ||(1/n) sum_i x_i x_i^T||_op tends to

    (1 + sqrt(d/n))^2                   on the sphere, the hypercube and for Gaussian inputs (Marchenko and Pastur);
    kappa (1 + (d/n)/(kappa - 1))       where one axis of the hypercube is stretched so that kappa(Cov) = kappa, if
                                        kappa > 1 + sqrt(d/n), and the former value otherwise (Baik and Silverstein).

So M is of order sqrt(kappa/d), not kappa/sqrt(d). The edge is approached like d^(-2/3), a power of the bias class.
"""

from __future__ import annotations

from typing import Any

from flint import arb, fmpq

from simulate.covariance_norm import scaled_norm_cost
from theorems.claim import Limit, Mutant, Observation, Prediction, Reading, Setting, Theorem

LADDER = (8, 16, 32, 64, 128, 256)


def _samples(setting: Setting, dimension: int) -> int:
    return max(1, round(setting["psi2"] * dimension))


def symbols(setting: Setting) -> dict[str, arb]:
    """n/d at the actual n and d, and kappa(Cov)."""
    d = setting.dimension
    ratio = setting["psi2"] if d is None else fmpq(_samples(setting, d), d)
    return {"psi2": _ball(ratio), "condition": _ball(setting["condition"])}


def _ball(number: Any) -> arb:
    return arb(fmpq(int(number.numerator), int(number.denominator)) if not isinstance(number, fmpq) else number)


def _edge(setting: Setting) -> arb:
    """(1 + sqrt(d/n))^2, the right edge of the law of Marchenko and Pastur."""
    return (1 + 1 / symbols(setting)["psi2"].sqrt()) ** 2


def _spiked(setting: Setting, power: int = 1) -> arb:
    """kappa^power (1 + (d/n)/(kappa - 1)) above the threshold kappa = 1 + sqrt(d/n), times the variance of the rest."""
    values = symbols(setting)
    condition, aspect = values["condition"], 1 / values["psi2"]
    top = condition**power * (1 + aspect / (condition - 1)) if condition > 1 + aspect.sqrt() else _edge(setting)
    d = setting.dimension
    return top if d is None else top * d / (condition + d - 1)


def predicted(setting: Setting) -> arb:
    """The limit of d M^2."""
    return _spiked(setting) if setting["inputs"] == "spiked" else _edge(setting)


def observe(setting: Setting) -> Observation:
    d = setting.dimension
    assert d is not None
    samples = _samples(setting, d)
    return Observation(
        simulator="simulate.covariance_norm:scaled_norm",
        dimension=d,
        arguments={"samples": samples, "inputs": setting["inputs"], "condition": float(setting["condition"])},
        cost=scaled_norm_cost(d, samples),
    )


def _scaled(change: Any) -> Prediction:
    """A function of d/n in place of the edge."""
    return lambda setting: change(1 / symbols(setting)["psi2"])


THEOREM = Theorem(
    slug="covariance-limits",
    title="Limits of the operator norm of the inputs' sample covariance",
    source="B, Theorem 6 and Appendix C.2",
    latex=r"d\,M_{x,\mathrm{op}}^2 \to \big(1+\sqrt{d/n}\big)^2",
    parameters={"inputs": "sphere", "psi2": 1, "condition": 1},
    symbols=("psi2", "condition"),
    evaluate=symbols,
    uses=("covariance-norm",),
    claims=(
        Limit(
            id="BL-M",
            part="isotropic",
            observe=observe,
            functional="mean",
            ladder=LADDER,
            points=(
                {"inputs": "sphere", "psi2": "1"},
                {"inputs": "hypercube", "psi2": "4"},
                {"inputs": "gaussian", "psi2": "1/2"},
            ),
            resolution=0.2,
            resolution_reason="the nearest mutant is 22% off at psi2 = 4 and 25% at psi2 = 1",
            readings=(
                Reading(
                    document="B",
                    place="C.2 (b)",
                    printed="E ||(1/n) sum x_i x_i^T||_op <= (B_x^2/d) O(1 + sqrt(d/n) + d/n) = O(B_x^2/d)",
                    states=predicted,
                    scan="1 + sqrt(d/n) + d/n is read as 00+ i+ aim",
                ),
            ),
            mutants=(
                Mutant(name="constants-1-in-the-O", states=_scaled(lambda aspect: 1 + aspect.sqrt() + aspect)),
                Mutant(name="no-root", states=_scaled(lambda aspect: 1 + aspect)),
                Mutant(name="not-squared", states=_scaled(lambda aspect: 1 + aspect.sqrt())),
            ),
        ),
        Limit(
            id="BL-M",
            part="ill-conditioned",
            observe=observe,
            functional="mean",
            ladder=LADDER,
            points=(
                {"inputs": "spiked", "psi2": "4", "condition": "9"},
                {"inputs": "spiked", "psi2": "1", "condition": "5"},
                {"inputs": "spiked", "psi2": "1", "condition": "3/2"},
            ),
            resolution=0.25,
            resolution_reason="every mutant is more than 50% off at one of the points",
            readings=(
                Reading(
                    document="B",
                    place="C.2 (b)",
                    printed="||Cov(x)||_op <= kappa B_x^2/d, and the sample covariance concentrates: d M^2 is O(kappa)",
                    states=predicted,
                ),
            ),
            mutants=(
                Mutant(name="kappa^2-as-in-kappa/sqrt(d)", states=lambda setting: _spiked(setting, 2)),
                Mutant(name="kappa-alone", states=lambda setting: symbols(setting)["condition"]),
                Mutant(name="whatever-kappa", states=_edge),
            ),
        ),
    ),
)
