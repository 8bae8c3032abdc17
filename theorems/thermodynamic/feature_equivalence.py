r"""Nonlinear and noisy linear features are equivalent for ridge regression (T, slide Asymptotic equivalence).

Features sigma(<w_j, x_i>) against b_1 <w_j, x_i> + b_* z_ij, z_ij ~ N(0, 1) independent, with the same weights and
data: "asymptotically the same test error, training error, ...". Checked as printed: the ratio of the two tends to 1,
for the test error (less the noise of the fresh response, which is common to both), the training error and the norm of
the coefficients. No formula enters. Formulas are confronted with each kind of features in feature_limits.py.

The printed noisy features lack the mean b_0 = E sigma(G) that ReLU, |u| or u + u^2/2 have. For y = <beta_0, x> + eps
this makes no difference in the limit: a common constant is one direction among N, the response is centred, and to fit
its mean costs O(1/n). So the equivalence holds as printed and with b_0 added; both are checked where b_0 != 0.
"""

from __future__ import annotations

from collections.abc import Callable

from flint import arb

from simulate.feature_ridge import ridge_regression_cost
from theorems.claim import Limit, Mutant, Observation, Prediction, Reading, Setting, Theorem
from theorems.thermodynamic.random_feature_ridge import (
    ACTIVATION,
    BIAS_CLASS,
    LADDER,
    ROUNDED,
    Change,
    Quantity,
    Regime,
    design,
    mean_as_noise,
    neurons,
    predicted,
    rescaled,
    samples,
    symbols,
)

_TALL = {"psi1": "2/5", "psi2": "4/5"}
_WIDE = {"psi1": "4/5", "psi2": "2/5"}
_ALL = (
    {"activation": "relu", "ridge": "1"} | _TALL,
    {"activation": "erf", "ridge": "1/2"} | _TALL,
    {"activation": "tanh", "ridge": "1"} | _WIDE,
    {"activation": "Abs(x)", "ridge": "1/2"} | _TALL,
    {"activation": "x + x**2/2", "ridge": "1"} | _TALL,
)
"""Ridges that leave little of the fluctuations, and still show the mutants."""
_WITH_MEAN = tuple(point for point in _ALL if point["activation"] not in ("erf", "tanh"))
"""Those with b_0 != 0."""


def _same(setting: Setting) -> arb:
    return arb(1)


def _latent_not_squared(place: Regime, setting: Setting) -> Regime:
    """z of variance b_* instead of b_*^2."""
    return rescaled(place, place.b_star.sqrt())


def _latent_doubled(place: Regime, setting: Setting) -> Regime:
    return rescaled(place, place.b_star * arb(2).sqrt())


def _ratio(quantity: Quantity, change: Change) -> Prediction:
    """What the ratio would be if the noisy features had to be changed to match."""

    def states(setting: Setting) -> arb:
        return predicted(quantity, change=change)(setting) / predicted(quantity)(setting)

    return states


def _observe(quantity: Quantity, features: str) -> Callable[[Setting], Observation]:
    def observe(setting: Setting) -> Observation:
        assert setting.dimension is not None
        return Observation(
            simulator="simulate.feature_ridge:feature_ratio",
            dimension=setting.dimension,
            arguments=design(setting) | {"quantity": quantity, "features": features, "noise": float(setting["noise"])},
            cost=2 * ridge_regression_cost(setting.dimension, neurons(setting), samples(setting)),
            activation=setting.activation.text,
        )

    return observe


_MUTANTS = {
    "mean-counts-as-noise": mean_as_noise,
    "variance-b_*-for-b_*^2": _latent_not_squared,
    "twice-the-variance": _latent_doubled,
}


def _equivalent(
    *,
    id: str,
    part: str,
    quantity: Quantity,
    what: str,
    resolution: float,
    with_mean: bool = False,
) -> Limit:
    """The ratio of one quantity under the two kinds of features tends to 1."""
    features = "noisy_linear_with_mean" if with_mean else "noisy_linear"
    return Limit(
        id=id,
        part=part,
        observe=_observe(quantity, features),
        ladder=LADDER,
        whole=ROUNDED,
        bias_class=BIAS_CLASS,
        points=_WITH_MEAN if with_mean else _ALL,
        resolution=resolution,
        resolution_reason="every mutant moves the ratio by more than this at one of the points",
        readings=(
            Reading(
                document="T",
                place="Asymptotic equivalence" + (", with b_0 added to the noisy features" if with_mean else ""),
                printed=f"they have asymptotically the same {what}",
                states=_same,
            ),
        ),
        mutants=tuple(Mutant(name=name, states=_ratio(quantity, change)) for name, change in _MUTANTS.items()),
    )


THEOREM = Theorem(
    slug="feature-equivalence",
    title="Nonlinear against noisy linear features in ridge regression",
    source="T, slide Asymptotic equivalence",
    latex=(
        r"u_{ij} = \sigma(\langle w_j, x_i\rangle) \;\longleftrightarrow\;"
        r" \tilde u_{ij} = b_1\langle w_j, x_i\rangle + b_* z_{ij}"
    ),
    parameters={"psi1": 2, "psi2": 1, "ridge": "1/2", "noise": "1/2", "data": "gaussian"},
    symbols=("psi1", "psi2", "ridge", "noise", "b_1", "b_star", "zeta", "lambda_bar", "chi"),
    evaluate=symbols,
    activation="relu",
    takes_activation=True,
    hypotheses=(ACTIVATION,),
    uses=("feature-decomposition",),
    claims=(
        _equivalent(id="TL-EQ", part="main", quantity="excess_risk", what="test error", resolution=0.03),
        _equivalent(
            id="TL-EQ",
            part="training-error",
            quantity="training_error",
            what="training error",
            resolution=0.04,
        ),
        _equivalent(
            id="TL-EQ",
            part="coefficient-norm",
            quantity="coefficient_norm",
            what="...: norm of the coefficients",
            resolution=0.04,
        ),
        _equivalent(
            id="TL-EQ",
            part="test-error-with-mean",
            quantity="excess_risk",
            what="test error",
            resolution=0.03,
            with_mean=True,
        ),
        _equivalent(
            id="TL-EQ",
            part="training-error-with-mean",
            quantity="training_error",
            what="training error",
            resolution=0.04,
            with_mean=True,
        ),
        _equivalent(
            id="TL-EQ",
            part="coefficient-norm-with-mean",
            quantity="coefficient_norm",
            what="...: norm of the coefficients",
            resolution=0.04,
            with_mean=True,
        ),
    ),
)
