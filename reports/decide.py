"""From a claim to its records: each kind has its own way of being decided.

`decide(theorem, module, claim, choices)` is a generator of cells that returns one `Record` per reading.
"""

from __future__ import annotations

from reports.case import Case
from reports.cells import OutOfReach, SimulatorFailed
from reports.exact import decide_exact
from reports.formula import formula
from reports.limits import NO_NUMBER, Cells, UnlikeTheLimit
from reports.sampled import decide_sampled
from reports.settings import Choices, refused_activation
from theorems.claim import Claim, Limit, Rate, Theorem, Verdict


def decide(theorem: Theorem, module: str, claim: Claim, choices: Choices) -> Cells:
    """Records for every reading of the claim."""
    typed = None if choices.against is None else formula(choices.against, theorem)
    case = Case(theorem, module, claim, choices)
    refused = refused_activation(theorem, choices)
    if refused is not None:
        return case.same_for_all(Verdict.NOT_APPLICABLE, refused)
    try:
        if isinstance(claim, Limit | Rate):
            return (yield from decide_sampled(Case(theorem, module, claim, choices), typed))
        return [decide_exact(case, reading) for reading in claim.readings]
    except UnlikeTheLimit as reason:
        return case.same_for_all(Verdict.INCONCLUSIVE, str(reason))
    except NO_NUMBER as reason:
        return case.same_for_all(Verdict.INCONCLUSIVE, f"The prediction cannot be certified: {reason}")
    except OutOfReach as reason:
        return case.same_for_all(Verdict.INCONCLUSIVE, str(reason))
    except SimulatorFailed as error:
        return case.same_for_all(Verdict.FAIL, str(error))
