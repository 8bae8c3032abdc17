r"""Limits of polynomials in the sample covariance of labelled features, by the method of moments.

Features u_i = T h_i, h_i standard normal, with Sigma = T T' = b_1^2 W W' + b_*^2; labels y_i depend on g_i = <e, h_i>
alone, m = E[y g], mu = T e = b_1 W beta_0. With A = T'T and the Wishart matrix M = (1/n) sum_i h_i h_i', a word

    M A^k1 M A^k2 ... A^kp M

is a sum over p + 1 samples. Which of them coincide is a partition of the places; as n, N, d grow together only the
non-crossing ones count, and each gives a product of traces Tr A^k/n, one for a gap between neighbours of a block, times
the power of A that is left outside of the blocks. So the mean of the word tends to a polynomial in A, by recursion over
the block of the first place. Fluctuations and what is neglected are O(1/d) relative (a word of traces is of O(1)).

At the ends of a word stand labels: (1/n) sum_ik y_i h_i' [...] h_k y_k. Of y = m g + rest the first part sees e'A^k e,
the rest only what coincides: A^0 counts as 1, A^k, k > 0, as m^2 e'A^k e.

Nonlinear features less their mean have the same limits: their covariance is Sigma but for entries <w_i, w_j>^k,
k >= 2, whose share in each trace and form is O(1/d).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from math import comb

HIGHEST = 6
"""The highest power of Sigma in a word that is asked for: twice the three of `krylov_classifier`."""


@dataclass(frozen=True)
class FeatureMoments:
    """Tr Sigma^k/n and mu' Sigma^(k-1) mu = e'A^k e for k = 1.., and m."""

    traces: tuple[float, ...]
    forms: tuple[float, ...]
    signal: float

    def between_labels(self, *exponents: int) -> float:
        """The limit of (1/n^2) y'H A^k1 M ... M A^kp H'y for the exponents k1..kp."""
        first, *others = _word(exponents, self.traces)
        return first + self.signal**2 * sum(x * form for x, form in zip(others, self.forms, strict=False))

    def towards_signal(self, *exponents: int) -> float:
        """The limit of (1/n) y'H A^k1 M ... A^kp M A e: the word between the labels and mu."""
        return self.signal * sum(x * form for x, form in zip(_word(exponents, self.traces), self.forms, strict=False))


def feature_moments(
    dimension: int, neurons: int, samples: int, *, linear: float, noise: float, signal: float
) -> FeatureMoments:
    """For b_1 = linear, b_* = noise, E[y g] = signal, with N/d and n/d as they are."""
    ratio = neurons / dimension
    spectral = [1.0, *(_marchenko_pastur(k, ratio) for k in range(1, HIGHEST + 1))]

    def weighed(power: int, shift: int) -> float:
        return sum(
            comb(power, i) * linear ** (2 * i) * noise ** (2 * (power - i)) * spectral[i + shift]
            for i in range(power + 1)
        )

    traces = tuple(neurons / samples * weighed(k, 0) for k in range(1, HIGHEST + 1))
    forms = tuple(linear**2 * ratio * weighed(k - 1, 1) for k in range(1, HIGHEST + 1))
    return FeatureMoments(traces, forms, signal)


def _marchenko_pastur(power: int, ratio: float) -> float:
    """The limit of Tr (W W')^power/N: Narayana numbers times powers of N/d."""
    return sum(comb(power, j) * comb(power, j - 1) * ratio ** (j - 1) for j in range(1, power + 1)) / power


@cache
def _word(exponents: tuple[int, ...], traces: tuple[float, ...]) -> tuple[float, ...]:
    """The coefficients of A^0, A^1, ... in the limit of the word with these exponents."""
    total = [0.0] * (1 + sum(exponents))
    for last, weight in _first_blocks(exponents, traces):
        if last == len(exponents):
            total[0] += weight
        else:
            for power, x in enumerate(_word(exponents[last + 1 :], traces)):
                total[power + exponents[last]] += weight * x
    return tuple(total)


def _first_blocks(exponents: tuple[int, ...], traces: tuple[float, ...]) -> Iterator[tuple[int, float]]:
    """The blocks that hold the first place: the last place of each, and the product of the traces of its gaps."""
    waiting = [(0, 1.0)]
    while waiting:
        last, weight = waiting.pop()
        yield last, weight
        for place in range(last + 1, len(exponents) + 1):
            if place == last + 1:
                gap = traces[exponents[last] - 1]
            else:
                outer = exponents[last] + exponents[place - 1]
                inner = _word(exponents[last + 1 : place - 1], traces)
                gap = sum(x * traces[outer + power - 1] for power, x in enumerate(inner))
            waiting.append((place, weight * gap))
