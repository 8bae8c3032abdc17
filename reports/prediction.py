"""What a theorem predicts in the limit, certified, with the symbols its formula is made of."""

from __future__ import annotations

from typing import Any

from reports.catalogue import Selection, load
from reports.certified import decimal, decimals
from reports.limits import NO_NUMBER, prediction_at
from reports.settings import Choices, check_hypotheses, describe, refused_activation, settings
from theorems.claim import Claim, Hypothesis, Limit, Prediction, Setting, Theorem


def predictions(selection: Selection, choices: Choices, digits: int) -> dict[str, Any]:
    """The answer of `asymptest predict`: `value` is None, with the reason, where there is no number."""
    theorem = load(selection.entry)
    (setting,) = settings(theorem, ({},), choices)
    answer: dict[str, Any] = {
        "schema_version": 1,
        "theorem": theorem.slug,
        "ids": list(selection.ids),
        "parameters": describe(setting),
    }
    blank: dict[str, Any] = {"value": None, "radius": None, "symbols": {}}
    refused = refused_activation(theorem, choices)
    if refused is not None:
        return answer | blank | {"sentence": f"NOT_APPLICABLE: {refused}"}
    states, hypotheses = number_stated(theorem, selection.ids)
    _, decision = check_hypotheses(hypotheses, (setting,))
    if decision.holds is not True:
        word = "NOT_APPLICABLE: " if decision.holds is False else "INCONCLUSIVE: "
        return answer | blank | {"sentence": f"{word}{decision.reason}."}
    try:
        values = theorem.evaluate(setting) if theorem.evaluate else {}
        symbols = decimals({name: values[name] for name in theorem.symbols}, digits)
        if states is None:
            return answer | blank | {"symbols": symbols, "sentence": "This theorem states no number."}
        value = decimal(prediction_at(states, setting, None), digits)
    except NO_NUMBER as error:
        return answer | blank | {"sentence": f"INCONCLUSIVE: {error}"}
    return answer | value | {"symbols": symbols, "sentence": "In the limit."}


def number_stated(theorem: Theorem, ids: tuple[str, ...]) -> tuple[Prediction | None, tuple[Hypothesis, ...]]:
    """The formula whose value is the prediction: the first limit asked for, corrected where misprinted."""
    asked = [claim for claim in theorem.claims if claim.id in ids]
    limits = [claim for claim in (*asked, *theorem.claims) if isinstance(claim, Limit)]
    if theorem.value is not None or not limits:
        return theorem.value, _hypotheses(theorem, asked[0] if asked else None)
    reading = limits[0].readings[0]
    return (reading.erratum.states if reading.erratum else reading.states), _hypotheses(theorem, limits[0])


def _hypotheses(theorem: Theorem, claim: Claim | None) -> tuple[Hypothesis, ...]:
    """What the number rests on: a claim may make hypotheses of its own."""
    return theorem.hypotheses if claim is None or claim.hypotheses is None else claim.hypotheses


def value_in(theorem: Theorem, setting: Setting, digits: int) -> dict[str, str] | None:
    """The prediction in a given setting, None where the theorem states no number."""
    states, _ = number_stated(theorem, tuple(claim.id for claim in theorem.claims))
    return None if states is None else decimal(prediction_at(states, setting, None), digits)
