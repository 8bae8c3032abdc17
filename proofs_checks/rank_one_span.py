r"""When <x, Bx> - Tr B is a combination of <w_i, x>^2 - 1, exactly.

On R^r such functions lie in the space of symmetric matrices and constants, of dimension r(r+1)/2 + 1. Ranks of rational
matrices are exact, and a minor that is not zero at one W is not zero for almost all W. So one W decides for almost all:

    rank of the features = r(r+1)/2 + 1 at one W          =>  every B is fitted, almost surely;
    rank of features and target = N + 1 at one W          =>  this B is not fitted by N neurons, almost surely.

W = (2 e_i, e_i + e_j, e_1, e_2, ...) decides for every r, N and B with Tr B != 0: 4 x_i^2 - 1 and (x_i + x_j)^2 - 1
have independent matrices, the only combination of them with matrix B = diag(b) has the constant -Tr B/4, and x_1^2 - 1
adds the constants.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import chain, combinations, cycle, islice

from flint import fmpq, fmpq_mat


def threshold(rank: int) -> int:
    """The dimension of the space, hence the neurons that fit everything."""
    return rank * (rank + 1) // 2 + 1


def witness(rank: int, neurons: int) -> list[tuple[int, ...]]:
    """The first N of the weights above."""
    units = [tuple(int(i == j) for i in range(rank)) for j in range(rank)]
    doubled = [tuple(2 * x for x in unit) for unit in units]
    sums = [tuple(x + y for x, y in zip(one, other, strict=True)) for one, other in combinations(units, 2)]
    return list(islice(chain(doubled, sums, cycle(units)), neurons))


def _feature(weight: Sequence[int]) -> list[fmpq]:
    products = [fmpq(weight[i] * weight[j]) for i in range(len(weight)) for j in range(i, len(weight))]
    return [*products, fmpq(-1)]


def _target(eigenvalues: Sequence[Fraction]) -> list[fmpq]:
    values = [fmpq(value.numerator, value.denominator) for value in eigenvalues]
    matrix = [values[i] if i == j else fmpq(0) for i in range(len(values)) for j in range(i, len(values))]
    return [*matrix, -sum(values, fmpq(0))]


def is_fitted(eigenvalues: Sequence[Fraction], neurons: int) -> bool | None:
    """Whether N neurons fit B = diag(eigenvalues) for almost all weights, None if this W does not decide."""
    rank = len(eigenvalues)
    features = [_feature(weight) for weight in witness(rank, neurons)]
    if fmpq_mat(features).rank() == threshold(rank):
        return True
    if fmpq_mat([*features, _target(eigenvalues)]).rank() == neurons + 1:
        return False
    return None
