"""One step of a symbolic proof, as data: an equation, or an inequality with the reason for its sign."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Expression = Any
"""A SymPy expression; SymPy's own annotations are too loose to be of help."""


@dataclass(frozen=True, eq=False)
class SymbolicStep:
    """left `relation` right on `domain` (symbol -> closed interval), given the symbols' assumptions.

    For "<=" and "<", `certificate` is an expression equal to right - left whose sign can be read off.
    """

    name: str
    left: Expression
    relation: Literal["=", "<=", "<"]
    right: Expression
    certificate: Expression | None = None
    domain: Mapping[Expression, tuple[Expression, Expression]] = field(default_factory=dict)
