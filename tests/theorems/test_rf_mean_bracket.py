"""The bracket of the mean risk of isotropic random features, against samples in which it is narrow."""

from __future__ import annotations

import jax
import numpy as np
import pytest

from simulate.random_features import population_risk
from theorems.activation import activation
from theorems.lazy_training.rf_mean_bracket import lower_end, upper_end


@pytest.mark.parametrize(("d", "neurons"), [(6, 12), (10, 40), (12, 70)])
@pytest.mark.parametrize("target", ["traceless", "mixed"])
def test_the_mean_risk_lies_in_the_bracket(d: int, neurons: int, target: str) -> None:
    values = np.where(np.arange(d) < d // 2, -1.0, 1.0 if target == "traceless" else 3.0)
    risks = np.asarray(
        population_risk(
            jax.random.split(jax.random.key(d), 512),
            dimension=d,
            neurons=neurons,
            gamma=np.ones(d),
            target=values,
            activation=activation("x**2 - 1").function(),
        )
    )
    t = values.sum() ** 2 / (d * np.sum(values**2))
    # Five standard errors on either side: one false alarm in a million, for each of the six.
    reach = 5 * risks.std(ddof=1) / np.sqrt(len(risks))
    low, high = lower_end(t, neurons, d), upper_end(t, neurons, d)
    assert low - reach <= risks.mean() <= high + reach
    if target == "traceless":
        # The bracket is so narrow that a space of d^2 dimensions instead of d(d+1)/2 would be noticed.
        assert risks.mean() + reach < 1 - (neurons - 2) / d**2
