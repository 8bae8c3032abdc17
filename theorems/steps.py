"""Steps of a proof (plain data of `proofs_checks/`) as statements of a claim."""

from __future__ import annotations

from collections.abc import Iterable

from proofs_checks.symbolic_step import SymbolicStep
from theorems.claim import Bound, Equation, Statement


def statements(steps: Iterable[SymbolicStep]) -> tuple[Statement, ...]:
    """Each step as an equation or a bound."""
    return tuple(_statement(step) for step in steps)


def _statement(step: SymbolicStep) -> Statement:
    if step.relation == "=":
        return Equation(step.name, step.left, step.right, step.domain)
    strict = step.relation == "<"
    return Bound(step.name, step.left, step.right, strict, step.certificate, step.domain)
