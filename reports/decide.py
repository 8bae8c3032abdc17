"""From a claim to its records: each kind has its own way of being decided.

`decide(theorem, module, claim, choices)` is a generator of cells that returns one `Record` per reading.
"""

from __future__ import annotations

from dataclasses import replace

from reports.case import Case
from reports.cells import OutOfReach, SimulatorFailed
from reports.exact import decide_exact
from reports.formula import formula
from reports.limits import NO_NUMBER, Cells, UnlikeTheLimit
from reports.sampled import decide_sampled
from reports.settings import Choices, refused_activation
from theorems.claim import Claim, Limit, Prediction, Rate, Reading, Theorem, Verdict


def decide(theorem: Theorem, module: str, claim: Claim, choices: Choices) -> Cells:
    """Records for every reading of the claim."""
    if choices.against is not None and isinstance(claim, Limit | Rate):
        claim = _typed(claim, formula(choices.against, theorem), choices.against)
    case = Case(theorem, module, claim, choices)
    refused = refused_activation(theorem, choices)
    if refused is not None:
        return case.same_for_all(Verdict.NOT_APPLICABLE, refused)
    try:
        if isinstance(claim, Limit | Rate):
            return (yield from decide_sampled(Case(theorem, module, claim, choices)))
        return [decide_exact(case, reading) for reading in claim.readings]
    except UnlikeTheLimit as reason:
        return case.same_for_all(Verdict.INCONCLUSIVE, str(reason))
    except NO_NUMBER as reason:
        return case.same_for_all(Verdict.INCONCLUSIVE, f"The prediction cannot be certified: {reason}")
    except OutOfReach as reason:
        return case.same_for_all(Verdict.INCONCLUSIVE, str(reason))
    except SimulatorFailed as error:
        return case.same_for_all(Verdict.FAIL, str(error))


def _typed(claim: Limit | Rate, states: Prediction, text: str) -> Limit | Rate:
    """The claim with the formula a user typed in place of its readings.

    What is known of the claim's own formula, its wrong versions and the proof of its bias class, is not about this one.
    """
    first = claim.readings[0]
    place = f"typed by the user in place of: {first.stated} ({first.place})"
    reading = Reading(document=first.document, place=place, printed=text, states=states)
    if isinstance(claim, Limit):
        claim = replace(claim, bias_class_proof=None)
    return replace(claim, readings=(reading,), mutants=())
