"""What a theorem predicts in the limit, certified, with the symbols its formula is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from reports.catalogue import Selection, load
from reports.certified import decimal, decimals
from reports.limits import NO_NUMBER, prediction_at
from reports.settings import Choices, check_hypotheses, describe, refused_activation, settings
from theorems.claim import Claim, Hypothesis, Limit, Prediction, Theorem


def first_prediction(selections: Sequence[Selection], choices: Choices, digits: int) -> dict[str, Any]:
    """Of theorems that share an id the first that states a number answers.

    Where it does not apply, another limit may (under other hypotheses); a number that is no limit is none of its kind.
    """
    stating = [c for c in selections if number_stated(load(c.entry), c).states is not None] or selections[:1]
    first = predictions(stating[0], choices, digits)
    if first["value"] is not None:
        return first
    for other in stating[1:]:
        if load(other.entry).value is None and set(choices.overrides) <= set(other.entry.parameters):
            answer = predictions(other, choices, digits)
            if answer["value"] is not None:
                return answer
    return first


def predictions(selection: Selection, choices: Choices, digits: int) -> dict[str, Any]:
    """The answer of `asymptest predict`: `value` is None, with the reason, where there is no number."""
    theorem = load(selection.entry)
    (setting,) = settings(theorem, ({},), choices)
    answer: dict[str, Any] = {
        "schema_version": 1,
        "theorem": theorem.slug,
        "ids": list(dict.fromkeys((*selection.ids, *(claim_id for claim_id, _ in selection.parts)))),
        "parameters": describe(setting),
    }
    blank: dict[str, Any] = {"value": None, "radius": None, "quantity": None, "symbols": {}}
    refused = refused_activation(theorem, choices)
    if refused is not None:
        return answer | blank | {"sentence": f"NOT_APPLICABLE: {refused}"}
    number = number_stated(theorem, selection)
    _, decision = check_hypotheses(number.hypotheses, (setting,))
    if decision.holds is not True:
        word = "NOT_APPLICABLE: " if decision.holds is False else "INCONCLUSIVE: "
        return answer | blank | {"sentence": f"{word}{decision.reason}."}
    try:
        values = theorem.evaluate(setting) if theorem.evaluate else {}
        symbols = decimals({name: values[name] for name in theorem.symbols}, digits)
        if number.states is None:
            return answer | blank | {"symbols": symbols, "sentence": "This theorem states no number."}
        value = decimal(prediction_at(number.states, setting, None), digits)
    except NO_NUMBER as error:
        return answer | blank | {"sentence": f"INCONCLUSIVE: {error}"}
    return answer | value | {"quantity": number.name, "symbols": symbols, "sentence": "In the limit."}


@dataclass(frozen=True, eq=False)
class Number:
    """The number a theorem predicts: its formula (None if it states none), what it rests on, and what it is."""

    states: Prediction | None
    hypotheses: tuple[Hypothesis, ...]
    name: str | None


def number_stated(theorem: Theorem, selection: Selection) -> Number:
    """The first limit asked for, corrected where misprinted; a theorem may name another number as its value.

    Who asks for a part that is a limit gets that limit all the same.
    """
    asked = [claim for claim in theorem.claims if selection.has(claim)]
    limits = [claim for claim in (*asked, *theorem.claims) if isinstance(claim, Limit)]
    one_limit = bool(selection.parts) and not selection.ids and any(isinstance(claim, Limit) for claim in asked)
    if not limits or (theorem.value is not None and not one_limit):
        # A claim that needs no hypothesis, an identity say, does not free the theorem's number of them.
        needed = _hypotheses(theorem, asked[0] if asked else None) or theorem.hypotheses
        return Number(theorem.value, needed, theorem.value_name)
    reading = limits[0].readings[0]
    states = reading.erratum.states if reading.erratum else reading.states
    return Number(states, _hypotheses(theorem, limits[0]), f"the limit in: {reading.stated}")


def _hypotheses(theorem: Theorem, claim: Claim | None) -> tuple[Hypothesis, ...]:
    """What the number rests on: a claim may make hypotheses of its own."""
    return theorem.hypotheses if claim is None or claim.hypotheses is None else claim.hypotheses
