r"""O~ statements with several terms, decided exactly: each a sum of monomials in d, m, B_x and norms of W.

"A <= O~(t_1 + ... + t_k)" has two halves. A bound with explicit constants is derived, a sum of monomials each of which
must be at most a constant times the printed sum; and a network that attains a monomial, in a region of d, m and the
norms, must not exceed the printed sum there. Both are questions of `proofs_checks/monomial_order.py`, whose answers
are exact: powers that are wrong by 1/8 are told apart for all m at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from proofs_checks.monomial_order import dominated
from proofs_checks.power_means import m, norm, radius
from theorems.beyond_linearization.randomised_sizes import EIGHTH, C, c, d
from theorems.claim import Decision, Fact, Mutant, Prediction, Statement

Terms = Mapping[str, Any]
"""The printed terms by name."""
CONSTANTS = (C, c)


@dataclass(frozen=True, eq=False)
class Attained:
    """A network whose value is at least a constant times `monomial` wherever all of `region` exceed some constants.

    The constants may be anything, as a direction is followed from any point, and the region has inner points.
    """

    network: str
    monomial: Any
    region: tuple[Any, ...]


def _without_constants(expression: Any) -> Any:
    return sp.sympify(expression).subs(dict.fromkeys(CONSTANTS, 1))


def bounded(name: str, monomial: Any, terms: Sequence[Any], region: Sequence[Any]) -> Fact:
    """monomial <= O(sum of terms) on the region; constants, C and c are dropped."""
    found = dominated(_without_constants(monomial), [_without_constants(term) for term in terms], tuple(region))
    return Fact(name, Decision(found.holds, found.reason), certain=True)


def derived(bounds: Mapping[str, Any], terms: Terms, region: Sequence[Any]) -> tuple[Statement, ...]:
    """Every monomial of a derived bound is within the printed sum."""
    return tuple(
        bounded(f"{name} is within the print", value, list(terms.values()), region) for name, value in bounds.items()
    )


def attained(families: Sequence[Attained], terms: Terms) -> tuple[Statement, ...]:
    """No network exceeds the printed sum."""
    return tuple(
        bounded(f"{family.network} is within the print", family.monomial, list(terms.values()), family.region)
        for family in families
    )


def needed(families: Mapping[str, Attained], terms: Terms) -> tuple[Statement, ...]:
    """Without the term of that name, a network exceeds the printed sum."""
    facts = []
    for name, family in families.items():
        others = [_without_constants(term) for key, term in terms.items() if key != name]
        found = dominated(_without_constants(family.monomial), others, family.region)
        holds = None if found.holds is None else not found.holds
        facts.append(Fact(f"{name} is needed: {family.network}", Decision(holds, found.reason), certain=True))
    return tuple(facts)


def power_mutants(
    families: Sequence[Attained], terms: Terms, names: Sequence[str], variables: Sequence[Any] = (d, m, radius, norm)
) -> tuple[Mutant, ...]:
    """Each of these terms with one power smaller by 1/8, and without the term: some network exceeds it."""

    def states(changed: Terms) -> Prediction:
        return lambda setting: attained(families, changed)

    mutants = []
    for name in names:
        without = {key: term for key, term in terms.items() if key != name}
        mutants.append(Mutant(name=f"without-{name}", states=states(without)))
        for variable in variables:
            if terms[name].has(variable):
                smaller = {**terms, name: terms[name] * variable ** (-EIGHTH)}
                label = f"{name}-with-a-power-of-{variable}-1/8-smaller"
                mutants.append(Mutant(name=label, states=states(smaller)))
    return tuple(mutants)
