r"""Two random variables whose moments agree below order k and differ by one at order k (B, Section 6.1).

E z_+^j = E z_-^j for j = 0, ..., k-1 and E z_+^k = E z_-^k + 1. They exist for every k >= 1: binomial weights on every
other of k + 1 equidistant nodes, mixed with zero (proofs_checks/matched_moments.py), all probabilities rational and
all moments exact. With fewer than k + 1 nodes in all there are none: a signed measure on k nodes that annihilates the
polynomials of degree below k is zero.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import sympy as sp

from proofs_checks.matched_moments import (
    Law,
    difference_laws,
    difference_moments,
    general_steps,
    matched_laws,
    moment,
)
from theorems.claim import Decision, Equation, Fact, Identity, Mutant, Reading, Setting, Statement, Theorem
from theorems.steps import statements

ORDERS = range(1, 25)
Laws = Callable[[int], tuple[Law, Law]]


def _exact(name: str, laws: Laws) -> Fact:
    """Both are laws, and their moments are as demanded, for k = 1, ..., 24 in rational arithmetic."""
    wrong = ""
    for k in ORDERS:
        pair = laws(k)
        if any(moment(law, 0) != 1 or any(probability < 0 for _, probability in law) for law in pair):
            wrong = wrong or f"k = {k}: not two laws"
        for j in range(k + 1):
            difference = difference_moments(pair, j)[0]
            if difference != (j == k):
                wrong = wrong or f"k = {k}: E z_+^{j} - E z_-^{j} = {difference}"
    reason = wrong or f"exact for k = {ORDERS.start}, ..., {ORDERS.stop - 1}"
    return Fact(name, Decision(not wrong, reason), certain=True)


def _integer_nodes(k: int) -> tuple[Law, Law]:
    return matched_laws(k, Fraction(k, 2))


def _uniform(k: int) -> tuple[Law, Law]:
    """Equal weights on the nodes of each law."""
    plus, minus = (tuple((node, Fraction(1, len(law))) for node, _ in law) for law in matched_laws(k))
    return plus, minus


def _swapped(k: int) -> tuple[Law, Law]:
    plus, minus = matched_laws(k)
    return minus, plus


def _node_determinant() -> tuple[Statement, ...]:
    """sum_i c_i x_i^j = 0 for j < k on k distinct nodes forces c = 0: the Vandermonde determinant is no zero."""
    found = []
    for k in (2, 3, 4):
        nodes = sp.symbols(f"x1:{k + 1}", real=True)
        matrix = sp.Matrix(k, k, lambda j, i, at=nodes: at[i] ** j)
        product = sp.Mul(*(nodes[b] - nodes[a] for a in range(k) for b in range(a + 1, k)))
        found.append(Equation(f"k = {k}: the determinant of the moments on k nodes", matrix.det(), product))
    return tuple(found)


def _exist(setting: Setting) -> tuple[Statement, ...]:
    return (
        *statements(general_steps()),
        _exact("centred nodes", matched_laws),
        _exact("nodes 0, ..., k", _integer_nodes),
    )


def _random_sign(expected: tuple[Law, Law]) -> Fact:
    found = matched_laws(2)
    reason = "z_+ is a random sign and z_- is zero" if found == expected else f"the laws are {found}"
    return Fact("k = 2 is the randomisation of Section 3", Decision(found == expected, reason), certain=True)


HALF, ONE, ZERO = Fraction(1, 2), Fraction(1), Fraction(0)
SIGN: Law = ((-ONE, HALF), (ONE, HALF))

THEOREM = Theorem(
    slug="matched-moments",
    title="Random variables with matched moments",
    source="B, Section 6.1",
    latex=r"\mathbb{E}[z_+^j] = \mathbb{E}[z_-^j]\ (j<k),\qquad \mathbb{E}[z_+^k] = \mathbb{E}[z_-^k] + 1",
    claims=(
        Identity(
            id="BL-Z",
            readings=(
                Reading(
                    document="B",
                    place="Section 6.1",
                    printed=(
                        "let z_+, z_- be two random variables (distributions) such that E[z_+^j] = E[z_-^j] for "
                        "j = 0, 1, ..., k-1 and E[z_+^k] = E[z_-^k] + 1"
                    ),
                    scan="drops the indices + and - and gives z^ for some powers",
                    states=_exist,
                ),
            ),
            mutants=(
                Mutant(
                    name="difference-not-scaled-to-one",
                    states=lambda setting: (_exact("no mixing", lambda k: difference_laws(k, Fraction(-k, 2))),),
                ),
                Mutant(name="uniform-weights", states=lambda setting: (_exact("uniform weights", _uniform),)),
                Mutant(
                    name="laws-swapped",
                    states=lambda setting: (_exact("swapped", _swapped),),
                ),
                Mutant(
                    name="one-node-fewer",
                    states=lambda setting: (_exact("order k - 1 for k", lambda k: matched_laws(max(k - 1, 1))),),
                ),
            ),
        ),
        Identity(
            id="BL-Z",
            part="special-case",
            readings=(
                Reading(
                    document="B",
                    place="Section 6.1",
                    printed="Our approach builds on the following randomization technique",
                    states=lambda setting: (_random_sign((SIGN, ((ZERO, ONE),))), *_node_determinant()),
                ),
            ),
            mutants=(Mutant(name="both-random", states=lambda setting: (_random_sign((SIGN, SIGN)),)),),
        ),
    ),
)
