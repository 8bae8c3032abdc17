"""From a claim to its records: each kind has its own way of being decided.

`decide(theorem, module, claim, choices)` is a generator of cells that returns one `Record` per reading.
"""

from __future__ import annotations

from reports.case import Case
from reports.cells import SimulatorFailed
from reports.exact import decide_exact
from reports.formula import formula
from reports.limits import Cells
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
    if isinstance(claim, Limit | Rate):
        try:
            return (yield from decide_sampled(Case(theorem, module, claim, choices), typed))
        except SimulatorFailed as error:
            return case.same_for_all(Verdict.FAIL, str(error))
    return [decide_exact(case, reading) for reading in claim.readings]
