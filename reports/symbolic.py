"""How an equation, a bound or a fact is decided: by proof, or by exact counterexample, or not at all.

Equation  PROVED if SymPy reduces left - right to zero; REFUTED by an exact point of the domain where a
          ball around the difference excludes zero; PASS if the two sides agree to fifty digits at
          random points, which is evidence and not a proof.
Bound     PROVED if larger - smaller equals a certificate whose sign can be read off; otherwise attacked:
          REFUTED by an exact point of certified violation, PASS with the tightest ratio found.
Fact      what its own computation says, PROVED only if that was certified.

A finite set of integer points that is checked entirely is a proof. A proof that an exact point contradicts
is reported as FAIL. Everything is a function of the statement and the seed.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import sympy as sp
from flint import arb, ctx
from scipy.optimize import minimize

from proofs_checks.ball_function import number_ball, rational_ball
from reports.exact_point import (
    AGREEMENT,
    PRECISIONS,
    Box,
    Domain,
    Point,
    ball_at,
    between,
    box,
    describe,
    every_point,
    exact,
    random_points,
    say,
    sign_at,
    special_points,
)
from theorems.claim import Bound, Equation, Fact, Statement, Verdict

RANDOM_POINTS = 12
SPECIAL_POINTS = 128
SEARCH_POINTS = 4096
MOST_ENUMERATED = 400
LARGEST_FACTORED = 400
"""Operations of an expression that is factored in search of a proof."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """A verdict with one sentence, what it rests on, and the exact point that refutes, if one does."""

    verdict: Verdict
    sentence: str
    evidence: Mapping[str, Any] = field(default_factory=dict)
    counterexample: Mapping[str, str] | None = None


def decide_statement(statement: Statement, *, seed: int) -> Outcome:
    """The outcome of one equation, bound or fact."""
    rng = Random(f"{seed}:{statement.name}")
    if isinstance(statement, Fact):
        return _decide_fact(statement)
    if isinstance(statement, Equation):
        if isinstance(statement.left, arb) or isinstance(statement.right, arb):
            return _decide_balls(statement.left, statement.right)
        return _decide_equation(statement, rng)
    if isinstance(statement.smaller, arb) or isinstance(statement.larger, arb):
        return _decide_ordered_balls(statement)
    return _decide_bound(statement, rng)


def decide_statements(statements: Iterable[Statement] | Statement, *, seed: int) -> Outcome:
    """The outcome of all steps together: refuted by one, proved by all."""
    steps = (statements,) if isinstance(statements, Equation | Bound | Fact) else tuple(statements)
    outcomes = [decide_statement(step, seed=seed) for step in steps]
    evidence = {
        "steps": [
            {
                "name": step.name,
                "verdict": str(outcome.verdict),
                "sentence": outcome.sentence,
                **outcome.evidence,
            }
            for step, outcome in zip(steps, outcomes, strict=True)
        ]
    }
    if not steps:
        return Outcome(Verdict.INCONCLUSIVE, "Nothing is stated here.", evidence)
    worst_first = (Verdict.FAIL, Verdict.REFUTED, Verdict.INCONCLUSIVE, Verdict.PASS, Verdict.PROVED)
    verdict = min((outcome.verdict for outcome in outcomes), key=worst_first.index)
    deciding = [(step, outcome) for step, outcome in zip(steps, outcomes, strict=True) if outcome.verdict == verdict]
    step, outcome = deciding[0]
    if len(steps) == 1 or verdict in (Verdict.FAIL, Verdict.REFUTED, Verdict.INCONCLUSIVE):
        sentence = f"{step.name}: {outcome.sentence}"
    elif verdict == Verdict.PROVED:
        sentence = f"All {len(steps)} steps are proved."
    else:
        sentence = f"{len(steps) - len(deciding)} of {len(steps)} steps are proved; {step.name}: {outcome.sentence}"
    return Outcome(verdict, sentence, evidence, outcome.counterexample)


def _decide_fact(fact: Fact) -> Outcome:
    holds = fact.decision.holds
    if holds is None:
        verdict = Verdict.INCONCLUSIVE
    elif not holds:
        verdict = Verdict.REFUTED
    else:
        verdict = Verdict.PROVED if fact.certain else Verdict.PASS
    return Outcome(verdict, _sentence(fact.decision.reason), {"figures": {k: str(v) for k, v in fact.figures.items()}})


def _sentence(reason: str) -> str:
    # No capital is forced on it: a sentence may begin with a symbol, and Lambda is not lambda.
    text = reason.strip()
    return text if text.endswith((".", "!", "?")) else text + "."


# Equations -----------------------------------------------------------------------------------------


def _decide_equation(equation: Equation, rng: Random) -> Outcome:
    left, right = exact(equation.left), exact(equation.right)
    if left == right:
        return Outcome(Verdict.PROVED, "Both sides are the same expression.")
    entries = list(left - right) if isinstance(left, sp.MatrixBase) else [left - right]
    if any(entry.is_infinite for entry in entries):
        return Outcome(Verdict.REFUTED, f"One side is infinite and the other is not: {left} and {right}.", {}, {})
    region = box(left.free_symbols | right.free_symbols, equation.domain)
    everywhere = every_point(region, MOST_ENUMERATED)
    points = random_points(region, rng, RANDOM_POINTS) if everywhere is None else everywhere
    stronger = _stronger_symbols(equation.domain)
    agreements, unresolved = 0, 0
    for point in points:
        values = [ball_at(entry, point) for entry in entries]
        for entry, value in zip(entries, values, strict=True):
            if value is not None and not value.contains(0):
                if proves_zero(entry.xreplace(stronger)):
                    return _contradiction(point)
                return _refuted_equation(left, right, point, value)
        defined = [value for value in values if value is not None]
        unresolved += any(not value.rad() < rational_ball(AGREEMENT) for value in defined)
        agreements += len(defined) == len(entries)
    if all(proves_zero(entry.xreplace(stronger)) for entry in entries):
        return Outcome(Verdict.PROVED, "SymPy reduces left - right to zero.")
    if everywhere and all(sign_at(entry, point) == 0 for entry in entries for point in points):
        return Outcome(Verdict.PROVED, f"The sides are equal at each of the {len(points)} points of the domain.")
    if agreements and not unresolved:
        where = f"at {agreements} random points" if region.symbols else "as numbers"
        return Outcome(
            Verdict.PASS,
            f"The two sides agree to 50 digits {where}; this is evidence, not a proof.",
            {"points": [describe(point) for point in points]},
        )
    return Outcome(
        Verdict.INCONCLUSIVE,
        f"Neither a proof nor a certified comparison: the sides have values at {agreements} of {len(points)} points, "
        f"of which {unresolved} are not enclosed to 50 digits.",
    )


def _refuted_equation(left: Any, right: Any, point: Point, difference: arb) -> Outcome:
    sides = "" if isinstance(left, sp.MatrixBase) else f" ({_shown(left, point)} against {_shown(right, point)})"
    return Outcome(
        Verdict.REFUTED,
        f"At {say(point)} the two sides differ by {difference.str(6, radius=False)}{sides}.",
        {"difference": difference.str(20)},
        describe(point),
    )


def _shown(expression: Any, point: Point) -> str:
    value = ball_at(expression, point)
    return "undefined" if value is None else value.str(10, radius=False)


def _contradiction(point: Point) -> Outcome:
    return Outcome(
        Verdict.FAIL, f"A symbolic proof and the exact value at {say(point)} disagree; one of them is a bug."
    )


def _masked(form: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A polynomial form with each function value as a symbol of its own.

    SymPy's polynomials would otherwise read exp(100 x) as the hundredth power of exp(x). An identity
    between the symbols holds for the values; relations between the values are left to the other forms.
    """

    def masked(expression: Any) -> Any:
        values = sorted(expression.atoms(sp.Function, sp.core.function.AppliedUndef), key=sp.default_sort_key)
        outermost = [v for v in values if not any(v is not other and other.has(v) for other in values)]
        names = {v: sp.Dummy(real=v.is_real, positive=v.is_positive) for v in outermost}
        return form(expression.xreplace(names)).xreplace({name: v for v, name in names.items()})

    return masked


_factored = _masked(sp.factor)
_NORMAL_FORMS: tuple[tuple[Callable[[Any], Any], int], ...] = (
    (sp.expand, 4000),
    (_masked(lambda e: sp.cancel(sp.together(e))), 1500),
    (lambda e: sp.expand(e, func=True, trig=True), 1000),
    (lambda e: sp.expand(e.rewrite(sp.exp)), 400),
    (sp.simplify, 250),
)
"""Ways to zero, cheapest first, each with the size up to which it is tried. The limits are on operations
and exponents, not on seconds, so that a verdict does not depend on the machine."""
HIGHEST_EXPONENT = 60


def _tame(expression: Any) -> bool:
    """Whether no number in an exponent is large: polynomial algorithms take time like their degree or worse."""
    exponents = [power.exp for power in expression.atoms(sp.Pow)] + [e.args[0] for e in expression.atoms(sp.exp)]
    numbers = set().union(*(exponent.atoms(sp.Rational) for exponent in exponents))
    return all(abs(number.p) <= HIGHEST_EXPONENT and number.q <= HIGHEST_EXPONENT for number in numbers)


def proves_zero(expression: Any) -> bool:
    """Whether SymPy reduces the expression to 0; False means only that it did not."""
    if expression == 0:
        return True
    tame = _tame(expression)
    size = sp.count_ops(expression)
    return tame and any(size <= most and form(expression) == 0 for form, most in _NORMAL_FORMS)


def _decide_balls(left: Any, right: Any) -> Outcome:
    a, b = _as_ball(left), _as_ball(right)
    with ctx.workprec(PRECISIONS[0]):
        difference = a - b
    if not difference.is_finite():
        return Outcome(Verdict.INCONCLUSIVE, "One of the two certified numbers is not finite.")
    if not difference.contains(0):
        return Outcome(Verdict.REFUTED, f"Certified: {a.str(15)} is not {b.str(15)}.", {}, {})
    return Outcome(
        Verdict.PASS,
        f"The two certified numbers agree within {difference.rad().str(3, radius=False)}; not a proof.",
    )


def _as_ball(value: Any) -> arb:
    if isinstance(value, arb):
        return value
    with ctx.workprec(PRECISIONS[0]):
        return number_ball(exact(value))


# Bounds --------------------------------------------------------------------------------------------


def _decide_ordered_balls(bound: Bound) -> Outcome:
    smaller, larger = _as_ball(bound.smaller), _as_ball(bound.larger)
    sign = "<" if bound.strict else "<="
    if smaller < larger or (not bound.strict and smaller <= larger):
        return Outcome(Verdict.PROVED, f"Certified: {smaller.str(12)} {sign} {larger.str(12)}.")
    if smaller > larger or (bound.strict and smaller >= larger):
        return Outcome(Verdict.REFUTED, f"Certified: not {smaller.str(12)} {sign} {larger.str(12)}.", {}, {})
    return Outcome(Verdict.INCONCLUSIVE, f"{smaller.str(12)} {sign} {larger.str(12)} is not decided at this precision.")


def _decide_bound(bound: Bound, rng: Random) -> Outcome:
    smaller, larger = exact(bound.smaller), exact(bound.larger)
    difference = larger - smaller
    region = box(smaller.free_symbols | larger.free_symbols, bound.domain)
    everywhere = every_point(region, MOST_ENUMERATED)
    points = [*special_points(region, SPECIAL_POINTS), *random_points(region, rng, RANDOM_POINTS)]
    proof, remark = _proof_of_bound(bound, difference)
    if proof is None and everywhere is None:
        searched, tightest = _search(smaller, larger, region, rng)
        points += searched
    else:
        tightest = None
    violated = {-1, 0} if bound.strict else {-1}
    signs = []
    for point in points if everywhere is None else everywhere:
        signs.append(sign_at(difference, point))
        if signs[-1] in violated:
            return _contradiction(point) if proof else _refuted_bound(bound, smaller, larger, point)
    if proof is not None:
        return Outcome(Verdict.PROVED, proof, remark)
    if everywhere and None not in signs:
        return Outcome(Verdict.PROVED, f"The bound holds at each of the {len(signs)} points of the domain.", remark)
    if not any(signs) and 0 not in signs:
        return Outcome(Verdict.INCONCLUSIVE, "The two sides have no certified value at any point tried.", remark)
    if tightest is None:
        sentence = f"No violation at {len(signs)} exact points; this is not a proof."
        return Outcome(Verdict.PASS, sentence, remark)
    ratio, point = tightest
    where = ", ".join(f"{symbol} = {value:.6g}" for symbol, value in point.items()) or "these numbers"
    return Outcome(
        Verdict.PASS,
        f"No violation found by search; the tightest ratio is {ratio:.10g} at {where}. This is not a proof.",
        {**remark, "tightest_ratio": ratio, "tightest_point": {str(s): v for s, v in point.items()}},
    )


def _refuted_bound(bound: Bound, smaller: Any, larger: Any, point: Point) -> Outcome:
    relation = "<" if bound.strict else "<="
    values = f"{_shown(smaller, point)} {relation} {_shown(larger, point)}"
    return Outcome(Verdict.REFUTED, f"At {say(point)} it would say {values}.", {"claimed": values}, describe(point))


def _proof_of_bound(bound: Bound, difference: Any) -> tuple[str | None, dict[str, str]]:
    """A proof in words, or None, and a remark on a certificate that proves nothing."""
    stronger = _stronger_symbols(bound.domain)
    difference = difference.xreplace(stronger)
    domain = {
        stronger.get(symbol, symbol): tuple(exact(end).xreplace(stronger) for end in interval)
        for symbol, interval in bound.domain.items()
    }
    remark = {}
    forms = []
    if bound.certificate is not None:
        certificate = exact(bound.certificate).xreplace(stronger)
        if proves_zero(difference - certificate):
            forms.append(certificate)
            remark = {"certificate": "equals larger - smaller, but its sign cannot be read off"}
        else:
            remark = {"certificate": "is not shown to equal larger - smaller, so it proves nothing"}
    if sp.count_ops(difference) <= LARGEST_FACTORED and _tame(difference):
        forms += [difference, _factored(difference)]
    for form in forms:
        if sign_on(form, domain, strict=bound.strict) == 1:
            shown = f" = {form}" if sp.count_ops(form) <= 30 else ""
            return f"The sign of larger - smaller{shown} is read off.", {}
    return None, remark


def _stronger_symbols(domain: Domain) -> dict[Any, Any]:
    """Symbols that also know the sign their interval gives them."""
    stronger = {}
    for symbol, (low, high) in domain.items():
        low, high = exact(low), exact(high)
        known = {
            name: True
            for name, holds in (
                ("positive", low.is_positive),
                ("nonnegative", low.is_nonnegative),
                ("negative", high.is_negative),
                ("nonpositive", high.is_nonpositive),
            )
            if holds and getattr(symbol, f"is_{name}") is None
        }
        if known:
            stronger[symbol] = sp.Symbol(symbol.name, **{**symbol.assumptions0, **known})
    return stronger


def sign_on(expression: Any, domain: Domain, *, strict: bool) -> int | None:
    """1 if the expression is >= 0 (> 0 if strict) on the domain, -1 if <= 0 (< 0), None if not read off.

    From the assumptions on the symbols; products by their factors; and a sum that is affine in a symbol
    with an interval by its values at both ends, where an affine function takes its extremes.
    """
    if expression.is_positive or (not strict and expression.is_nonnegative):
        return 1
    if expression.is_negative or (not strict and expression.is_nonpositive):
        return -1
    if isinstance(expression, sp.Mul):
        sign = 1
        for factor in expression.args:
            part = sign_on(factor, domain, strict=strict)
            if part is None:
                return None
            sign *= part
        return sign
    if isinstance(expression, sp.Pow) and expression.exp.is_integer:
        # A negative power needs a base that stays away from zero.
        base = sign_on(expression.base, domain, strict=strict or not expression.exp.is_nonnegative)
        return base if base == 1 or (base == -1 and expression.exp.is_odd) else None
    for symbol in sorted(expression.free_symbols & set(domain), key=str):
        sign = _affine_sign(expression, symbol, domain, strict)
        if sign is not None:
            return sign
    return None


def _affine_sign(expression: Any, symbol: Any, domain: Domain, strict: bool) -> int | None:
    slope = sp.expand(expression).coeff(symbol, 1)
    if sp.expand(expression - slope * symbol).has(symbol):
        return None
    low, high = (exact(end) for end in domain[symbol])
    if (
        not (low.is_finite is not False and high.is_finite is not False)
        or symbol in low.free_symbols | high.free_symbols
    ):
        return None
    rest = {s: ends for s, ends in domain.items() if s != symbol}
    signs = {sign_on(_factored(expression.subs(symbol, end)), rest, strict=strict) for end in (low, high)}
    return signs.pop() if len(signs) == 1 else None


def _search(smaller: Any, larger: Any, region: Box, rng: Random) -> tuple[list[Point], tuple[float, Any] | None]:
    """Exact points near the float minima of the relative slack, and the tightest ratio with its float point.

    The slack (larger - smaller)/(|larger| + |smaller|) is evaluated at many points of the box, uniform and
    crowded towards its faces, and descended by Nelder-Mead from the best of them.
    """
    if not region.symbols:
        return [], None
    place, sides = _float_box(region), _float_sides(smaller, larger, region)

    def slack(fractions: np.ndarray) -> np.ndarray:
        low, high = sides(place(fractions))
        with np.errstate(all="ignore"):
            relative = (high - low) / (np.abs(low) + np.abs(high))
        return np.where(np.isfinite(relative), relative, np.where(low == high, 0.0, 2.0))  # 2: beyond any slack

    generator = np.random.default_rng(rng.getrandbits(64))
    uniform = generator.random((SEARCH_POINTS, len(region.symbols)))
    crowded = generator.choice((0, 1, 1, 2), size=uniform.shape)
    starts = np.choose(crowded, (uniform**4, uniform, 1 - uniform**4))
    starts = starts[np.argsort(slack(starts), kind="stable")]
    found = list(starts[:5])
    for start in starts[:3]:
        # 400 evaluations settle a bowl in the few dimensions of our statements to float accuracy.
        options = {"maxfev": 400, "xatol": 1e-12, "fatol": 0.0}
        descent = minimize(
            lambda x: float(slack(x[None, :])[0]),
            start,
            method="Nelder-Mead",
            bounds=[(0, 1)] * len(start),
            options=options,
        )
        found.append(descent.x)
    found.sort(key=lambda x: float(slack(x[None, :])[0]))
    if slack(found[0][None, :])[0] == 2.0:
        return [], None
    floats = [{s: float(v[0]) for s, v in zip(region.symbols, place(x[None, :]), strict=True)} for x in found]
    # The float itself, and short rationals beside it, where an equality would sit.
    candidates = (
        {s: sp.Rational(Fraction(v).limit_denominator(most)) for s, v in point.items()}
        for point in floats
        for most in (10**17, 1000, 12)
    )
    low, high = sides(place(found[0][None, :]))
    return [point for point in candidates if region.contains(point)], (_ratio(float(low[0]), float(high[0])), floats[0])


def _float_box(region: Box) -> Callable[[np.ndarray], list[np.ndarray]]:
    """The map from rows of fractions to one array of values per symbol."""
    ends = [
        sp.lambdify(region.symbols[:index], [end if end.is_finite is not False else 0 for end in interval], "numpy")
        for index, interval in enumerate(region.intervals)
    ]

    def place(fractions: np.ndarray) -> list[np.ndarray]:
        values: list[np.ndarray] = []
        for index, symbol in enumerate(region.symbols):
            bounded = region.bounded(index)
            fraction = fractions[:, index] if all(bounded) else np.clip(fractions[:, index], 1e-9, 1 - 1e-9)
            low, high = ends[index](*values)
            value = np.asarray(between(low, high, fraction, bounded), dtype=np.float64)
            values.append(np.round(value) if symbol.is_integer else value)
        return values

    return place


def _float_sides(smaller: Any, larger: Any, region: Box) -> Callable[[list[np.ndarray]], tuple[np.ndarray, np.ndarray]]:
    compiled = sp.lambdify(region.symbols, (smaller, larger), modules=["scipy", "numpy"])

    def sides(values: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        shape = values[0].shape
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")  # complex results are dropped: the point has no real value
            try:
                low, high = (np.broadcast_to(np.asarray(side, dtype=np.float64), shape) for side in compiled(*values))
            except (TypeError, ValueError, ZeroDivisionError, OverflowError, NameError, AttributeError):
                low = high = np.full(shape, np.nan)  # a function that NumPy and SciPy do not know
        return low, high

    return sides


def _ratio(smaller: float, larger: float) -> float:
    """smaller/larger for positive sides, larger/smaller for negative ones: 1 is an equality, less is room."""
    if larger > 0:
        return smaller / larger
    return larger / smaller if smaller < 0 else float(smaller == larger)
