"""Everything the suite knows about one activation: constants, hypotheses, which theorems apply."""

from __future__ import annotations

from typing import Any

from proofs_checks.breakpoints import CannotDecide
from reports.catalogue import Selection, catalogue, load
from reports.certified import decimal
from reports.limits import NO_NUMBER, prediction_at
from reports.prediction import number_stated
from reports.settings import Choices, check_hypotheses, settings
from theorems.activation import Activation, activation

_HIGHEST = 6


def activation_summary(text: str, *, center: bool, digits: int) -> dict[str, Any]:
    """The answer of `asymptest activation`; a constant that does not exist is null, with the reason."""
    sigma = activation(text, center=center)
    reasons: dict[str, str] = {}

    def constant(name: str, compute: Any) -> dict[str, str] | None:
        try:
            return decimal(compute(), digits)
        except (*NO_NUMBER, ValueError) as error:
            reasons[name] = str(error)
            return None

    coefficients = [(k, constant(f"lambda_{k}", lambda k=k: sigma.hermite(k))) for k in range(_HIGHEST + 1)]
    summary: dict[str, Any] = {
        "schema_version": 1,
        "expression": sigma.text,
        "centered": sigma.centered,
        "hermite": [{"k": k, **value} for k, value in coefficients if value is not None],
        "lambda_tilde": constant("lambda_tilde", sigma.lambda_tilde),
        "b1": constant("b1", sigma.b1),
        "b_star": constant("b_star", sigma.b_star),
        "second_moment": constant("second_moment", sigma.second_moment),
        **_shape(sigma),
    }
    theorems, hypotheses = _theorems(text, center, digits)
    return summary | {"hypotheses": hypotheses, "theorems": theorems, "reasons": reasons}


def _shape(sigma: Activation) -> dict[str, Any]:
    try:
        kinks = [str(kink) for kink in sigma.kinks]
    except CannotDecide as error:
        kinks = [f"cannot decide: {error}"]
    return {"parity": sigma.parity, "kinks": kinks}


def _theorems(text: str, center: bool, digits: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Which theorems apply, and every hypothesis they make, each checked once."""
    rows = []
    hypotheses: dict[str, Any] = {}
    choices = Choices(activation=text, center=center)
    for entry in catalogue():
        if not entry.takes_activation:
            continue
        theorem = load(entry)
        (setting,) = settings(theorem, ({},), choices)
        number = number_stated(theorem, Selection(entry, entry.ids))
        checked, decision = check_hypotheses(number.hypotheses, (setting,))
        for row in checked:
            hypotheses.setdefault(row["name"], dict(row))
        answer: dict[str, Any] = {
            "theorem": theorem.slug,
            "ids": list(entry.ids),
            "applies": decision.holds,
            "reason": decision.reason,
            "prediction": None,
            "quantity": number.name,
        }
        if decision.holds and number.states is not None:
            try:
                answer["prediction"] = decimal(prediction_at(number.states, setting, None), digits)
            except NO_NUMBER as error:
                answer["reason"] = f"all hypotheses hold, but the prediction cannot be certified: {error}"
        rows.append(answer)
    return rows, list(hypotheses.values())
