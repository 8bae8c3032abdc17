"""Domination of monomials: what is claimed is what happens, and one of the two answers is always found."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from proofs_checks.monomial_order import dominated, exponents

a, b, c = sp.symbols("a b c", positive=True)
SYMBOLS = (a, b, c)
powers = st.tuples(*[st.integers(-4, 4)] * 3)


def _monomial(exponent: tuple[int, ...]) -> sp.Expr:
    return sp.Mul(*(symbol ** sp.Rational(e, 2) for symbol, e in zip(SYMBOLS, exponent, strict=True)))


def _degree(monomial: sp.Expr, direction: dict[str, Fraction]) -> Fraction:
    """The power of T of the monomial along the direction."""
    found = exponents(monomial)
    return sum((power * direction[str(symbol)] for symbol, power in found.items()), Fraction(0))


@given(powers, st.lists(powers, min_size=1, max_size=4), st.lists(powers, max_size=3))
def test_either_weights_or_a_direction_settle_it(
    target: tuple[int, ...], others: list[tuple[int, ...]], sides: list[tuple[int, ...]]
) -> None:
    monomial, terms, region = _monomial(target), [_monomial(e) for e in others], [_monomial(e) for e in sides]
    found = dominated(monomial, terms, region)
    assert found.holds is not None
    if found.holds:
        # The weighted product over the monomial is a product of powers >= 0 of the region: nowhere below 1 there.
        pairs = zip(terms, found.weights, strict=True)
        product = sp.Mul(*(term ** sp.Rational(w.numerator, w.denominator) for term, w in pairs))
        assert sum(found.weights) == 1
        assert dominated(sp.S.One, [product / monomial], region).holds
    else:
        assert found.direction is not None
        along = {str(symbol): Fraction(0) for symbol in SYMBOLS} | dict(found.direction)
        assert all(_degree(side, along) >= 0 for side in region)
        assert min(_degree(monomial, along) - _degree(term, along) for term in terms) == found.growth


@pytest.mark.parametrize(
    ("monomial", "terms", "region", "holds"),
    [
        (a * b, (a**2, b**2), (), True),
        (a * b, (a**2, b**2 / c), (), False),
        (a * b, (a**2, b**2 / c), (1 / c,), True),
        (a, (a * b ** sp.Rational(1, 8),), (b,), True),
        (a, (a * b ** sp.Rational(-1, 8),), (b,), False),
    ],
)
def test_known_cases(monomial: sp.Expr, terms: tuple[sp.Expr, ...], region: tuple[sp.Expr, ...], holds: bool) -> None:
    assert dominated(monomial, terms, region).holds is holds


def test_numbers_are_dropped_and_sums_refused() -> None:
    assert exponents(3 * sp.sqrt(2) * a**2 / sp.sqrt(b)) == {a: Fraction(2), b: Fraction(-1, 2)}
    with pytest.raises(ValueError, match="not a monomial"):
        exponents(a + b)
