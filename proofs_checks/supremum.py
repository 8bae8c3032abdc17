r"""The supremum of |g| over an open interval on which g is analytic: enclosed, infinite, or not known.

Far out and toward a singular end the envelope of g (see `envelope.py`) bounds it, or shows that it grows; the rest is a
compact interval on which branch and bound narrows the maximum. It may stop at any time: the largest value seen is a
lower bound, the largest ball still open an upper one.

An envelope has no lower bound for x^2 sin(x), whose zeros go on for ever. Where all trigonometric arguments are linear
with commensurable slopes, g is also looked at along x = c + n T, T a common period: there sin and cos are constants,
and a subsequence that grows is enough.

>>> line = Piece(LEFT_END, RIGHT_END, sp.cos(X))
>>> bool(supremum(line).contains(1))
True
>>> supremum(Piece(LEFT_END, RIGHT_END, X**2 * sp.sin(X))) is None
True
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from functools import reduce
from typing import Any

import sympy as sp
from flint import acb, arb, ctx, fmpq

from proofs_checks.asymptotics import bounds_far_out
from proofs_checks.ball_function import CannotDecide, Expression, X, ball_function, number_ball
from proofs_checks.breakpoints import envelope_at
from proofs_checks.envelope import BITS, Envelope, Y
from proofs_checks.exact_zeros import SEARCH_BITS
from proofs_checks.pieces import Piece
from proofs_checks.real_point import LEFT_END, RIGHT_END

EVALUATIONS = 3000
"""Ball evaluations spent on one interval (a few tenths of a second); the enclosure is certified wherever they end."""
ENOUGH = fmpq(1, 1000)
"""Relative width at which narrowing stops: constants of this kind are compared, never multiplied up."""
PHASES = tuple(sp.Rational(n, 8) for n in range(8))
"""Where in a common period a growing subsequence is looked for."""
FACTORED = 200
"""Operations in an expression that SymPy is asked to factor."""


def supremum(piece: Piece) -> arb | None:
    """A ball around sup |g| on the piece; None if it is infinite; CannotDecide where neither is known."""
    g = piece.expression
    if not g.free_symbols:
        with ctx.workprec(SEARCH_BITS):
            return abs(ball_function(g)(acb(0), False).real)
    if piece.low == LEFT_END and piece.high == RIGHT_END and (period := exact_period(g)) is not None:
        with ctx.workprec(SEARCH_BITS):
            low, high = _maximum(g, arb(0), number_ball(period).upper())
            return low.union(high)
    ends, beyond, undecided = [], arb(0), None
    for side in (-1, 1):
        try:
            found = _far_out(g, side) if piece.end(side) in (LEFT_END, RIGHT_END) else _at_end(piece, side)
        except CannotDecide as reason:
            undecided = reason  # the other side may settle it
            continue
        if found is None:
            return None
        ends.append(found[0])
        beyond = beyond.max(found[1])
    if undecided is not None:
        raise undecided
    with ctx.workprec(SEARCH_BITS):
        low, high = _maximum(g, ends[0], ends[1]) if ends[0] < ends[1] else (arb(0), arb(0))
        return low.union(high.max(beyond.upper()))


def _far_out(g: Expression, side: int) -> tuple[arb, arb] | None:
    """A point and a bound of |g| beyond it, on the way to infinity; None if |g| is unbounded there."""
    found: list[tuple[arb, int]] = []
    for form in _forms(g, side):
        for variable, growing in ((Y, False), (sp.exp(Y), True)):
            # In y = log|x| the growth of a logarithm shows; as a bound it would leave too long an interval to search.
            try:
                bounds, y0 = bounds_far_out(form.subs(X, side * variable), _grows if growing else _settled)
            except CannotDecide:
                continue
            if _grows(bounds):
                return None
            if not growing and _bounded(bounds):
                found.append((_tail(bounds, y0), y0))
        if not found and any(_grows(along) for along in _along_sequences(form, side)):
            return None
    if not found:
        raise CannotDecide(f"whether {_short(g)} stays bounded as x -> {'-' if side < 0 else ''}oo is not known.")
    bound, y0 = min(found, key=lambda pair: float(pair[0]))
    return arb(side * y0), bound


def _at_end(piece: Piece, side: int) -> tuple[arb, arb] | None:
    """The same at a finite end of the piece."""
    g, end = piece.expression, piece.end(side)
    with ctx.workprec(SEARCH_BITS):
        around = ball_function(g)(acb(end.ball()), False)
        if around.is_finite():
            return end.ball().mid(), arb(around.abs_upper())
    bounds, y0 = envelope_at(piece, side)
    if _grows(bounds):
        return None
    if not _bounded(bounds):
        raise CannotDecide(f"whether {_short(g)} stays bounded near x = {end} is not known.")
    with ctx.workprec(SEARCH_BITS):
        return (end.ball() - side * arb(-y0).exp()).mid(), _tail(bounds, y0)


def _forms(g: Expression, side: int) -> list[Expression]:
    """Forms in which g is bounded far out: terms that cancel cost a bound nothing once they are gone.

    tanh and erf are written as their limit and what is left of it, so that 1 - tanh^2 is seen to decay.
    """
    forms = [g, sp.expand(g)]
    if sp.count_ops(g) <= FACTORED and not g.atoms(sp.Function):
        forms.append(sp.factor(sp.together(g)))
    rest: dict[Any, Any] = {}
    exact: dict[Any, Any] = {}
    for node in g.atoms(sp.tanh, sp.erf):
        argument: Any = node.args[0]
        try:
            sign = bounds_far_out(argument.subs(X, side * Y), lambda b: b.strict_sign != 0)[0].strict_sign
        except CannotDecide:
            continue
        small = sp.Dummy(positive=True)
        if isinstance(node, sp.tanh):
            rest[node], exact[small] = sign * (1 - 2 * small), 1 / (1 + sp.exp(2 * sign * argument))
        else:
            rest[node], exact[small] = sign * (1 - small), sp.erfc(sign * argument)
    if rest:
        forms.append(sp.expand(g.xreplace(rest)).xreplace(exact))
    return list(dict.fromkeys(forms))


def _tail(bounds: Envelope, y0: int) -> arb:
    assert bounds.upper is not None
    with ctx.workprec(BITS):
        return bounds.upper.supremum(arb(y0))


def _bounded(bounds: Envelope) -> bool:
    return bounds.upper is not None and (bool(bounds.upper.coefficient == 0) or bounds.upper.order() <= 0)


def _grows(bounds: Envelope) -> bool:
    return bounds.lower is not None and bounds.lower.order() > 0


def _settled(bounds: Envelope) -> bool:
    return _bounded(bounds) or _grows(bounds)


def common_period(g: Expression) -> Any:
    """A common period of all sines and cosines of linear arguments in g, if there is one."""
    waves = sorted(g.atoms(sp.sin, sp.cos), key=sp.default_sort_key)
    slopes = [sp.diff(wave.args[0], X) for wave in waves]
    if not waves or any(slope.free_symbols or slope == 0 for slope in slopes):
        return None
    ratios: list[Any] = [sp.simplify(slope / slopes[0]) for slope in slopes]
    if not all(ratio.is_Rational for ratio in ratios):
        return None
    denominator = reduce(sp.ilcm, (ratio.q for ratio in ratios), 1)
    return sp.Abs(2 * sp.pi * denominator / slopes[0])


def exact_period(g: Expression) -> Any:
    """A period of g, if the common period of its waves is one."""
    period = common_period(g)
    if period is None:
        return None
    moved = g.xreplace({X: X + period})
    waves = {wave: wave.func(sp.expand(wave.args[0])) for wave in moved.atoms(sp.sin, sp.cos)}
    return period if moved.xreplace(waves) == g else None


def _along_sequences(g: Expression, side: int) -> Iterator[Envelope]:
    """Envelopes of g along x = side (c + n T), n -> oo, for a common period T of its sines and cosines."""
    period = common_period(g)
    if period is None:
        return
    waves = g.atoms(sp.sin, sp.cos)
    for phase in PHASES:
        start = side * phase * period
        # Whole periods drop out of the waves; y is c + n T, so the rest is a function of it.
        constants: dict[Any, Any] = {wave: wave.func(sp.expand(wave.args[0].subs(X, start))) for wave in waves}
        try:
            yield bounds_far_out(sp.expand(g.xreplace(constants)).subs(X, side * Y), _grows)[0]
        except CannotDecide:
            continue


def _maximum(g: Expression, low: arb, high: arb) -> tuple[arb, arb]:
    """Exact numbers l <= max |g| <= u on the interval between two exact numbers."""
    value, slope = ball_function(g), ball_function(sp.diff(g, X))

    def size(ball: arb) -> arb:
        """An upper bound of |g| on the ball: the value, or where that is tighter the mean value form."""
        plain = value(acb(ball), False).abs_upper()
        steep = slope(acb(ball), False).abs_upper()
        centred = value(acb(ball.mid()), False).abs_upper() + steep * ball.rad()
        bounds = [bound for bound in (plain, centred) if bound.is_finite()]
        if not bounds:
            return arb("inf")
        return arb(min(bounds))

    def seen(point: arb) -> arb:
        here = value(acb(point), False)
        return arb(here.abs_lower()) if here.is_finite() else arb(0)

    largest = seen(low).max(seen(high)).lower()
    pending: list[tuple[float, int, arb, arb, arb]] = []

    def push(left: arb, right: arb) -> None:
        bound = size(left.union(right))
        heapq.heappush(pending, (-float(bound), len(pending), left, right, bound))

    push(low.mid(), high.mid())
    for _ in range(EVALUATIONS):
        _, _, left, right, bound = pending[0]
        if bound <= largest * (1 + arb(ENOUGH)) or not right - left > arb(2) ** -SEARCH_BITS:
            break
        heapq.heappop(pending)
        middle = ((left + right) / 2).mid()
        largest = largest.max(seen(middle)).lower()
        push(left, middle)
        push(middle, right)
    top = pending[0][-1]
    if not top.is_finite():
        raise CannotDecide(f"no bound of {_short(g)} was found on a bounded interval.")
    return largest, top.upper()


def _short(expression: Expression) -> str:
    text = str(expression)
    return text if len(text) <= 60 else f"{text[:57]}..."
