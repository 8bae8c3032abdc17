"""Equations, bounds and facts: what is proved, what is refuted, and what is never claimed."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
import sympy as sp
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_checks.haar_projector import moment_steps
from proofs_checks.psi import uniqueness_steps
from reports.exact_point import ball_at, box, every_point, random_points, special_points
from reports.symbolic import Outcome, decide_statement, decide_statements, sign_on
from theorems.claim import Bound, Decision, Equation, Fact, Statement, Verdict

x, y = sp.symbols("x y", real=True)
p, q = sp.symbols("p q", positive=True)
t = sp.Symbol("t", nonnegative=True)
n, N, d = sp.symbols("n N d", integer=True, positive=True)
k = sp.Symbol("k", integer=True)
UNIT = {t: (0, 1)}


def verdict(statement: Statement) -> Verdict:
    return decide_statement(statement, seed=0).verdict


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((x + y) ** 2, x**2 + 2 * x * y + y**2),
        (sp.sin(x) ** 2 + sp.cos(x) ** 2, 1),
        (sp.sin(3 * x), 3 * sp.sin(x) - 4 * sp.sin(x) ** 3),
        (1 / (1 + p) + p / (1 + p), 1),
        (sp.Sum(k, (k, 1, n)), n * (n + 1) / 2),
        (sp.sqrt(5 + 2 * sp.sqrt(6)), sp.sqrt(2) + sp.sqrt(3)),
        (sp.gamma(p + 1), p * sp.gamma(p)),
        (sp.erf(x) + sp.erfc(x), 1),
        (sp.Abs(p), p),
        (sp.diff(sp.tanh(x), x), 1 / sp.cosh(x) ** 2),
        (0.1, sp.Rational(1, 10)),
        (sp.Matrix([[x, 1], [2, y]]) ** 2, sp.Matrix([[x**2 + 2, x + y], [2 * x + 2 * y, y**2 + 2]])),
    ],
)
def test_true_equations_are_proved_and_an_offset_of_1e_40_refutes_them(left: Any, right: Any) -> None:
    assert verdict(Equation("true", left, right)) == Verdict.PROVED
    offset = sp.Rational(1, 10**40)
    shifted = right + offset * sp.ones(2, 2) if isinstance(right, sp.MatrixBase) else right + offset
    outcome = decide_statement(Equation("off", left, shifted), seed=0)
    assert outcome.verdict == Verdict.REFUTED
    assert outcome.counterexample is not None


def test_a_counterexample_is_exact_and_violates_the_equation() -> None:
    outcome = decide_statement(Equation("wrong", (x + y) ** 2, x**2 + x * y + y**2), seed=5)
    assert outcome.counterexample is not None
    point = {symbol: sp.Rational(outcome.counterexample[symbol.name]) for symbol in (x, y)}
    assert (x * y).subs(point) != 0


def test_agreement_without_a_proof_is_only_a_pass() -> None:
    """The exponents are too large for the polynomial normal forms, so that only values are compared."""
    big = sp.exp(1000 * x)
    outcome = decide_statement(Equation("large", (1 + big) * (1 - big), 1 - sp.exp(2000 * x), {x: (0, 1)}), seed=1)
    assert outcome.verdict == Verdict.PASS
    assert "not a proof" in outcome.sentence


def test_the_domain_is_used_in_proofs_and_in_sampling() -> None:
    assert verdict(Equation("abs", sp.Abs(x), x)) == Verdict.REFUTED
    assert verdict(Equation("abs", sp.Abs(x), x, {x: (0, 5)})) == Verdict.PROVED
    assert verdict(Equation("abs", sp.Abs(x), x, {x: (-1, 5)})) == Verdict.REFUTED
    assert verdict(Equation("period", sp.Mod(n**2, 4) * (sp.Mod(n**2, 4) - 1), 0, {n: (1, 50)})) == Verdict.PROVED
    polynomial = sp.prod([n - i for i in range(1, 31)])
    assert verdict(Equation("thirty", polynomial, 0, {n: (1, 30)})) == Verdict.PROVED
    assert verdict(Equation("thirty", polynomial, 0, {n: (1, 31)})) == Verdict.REFUTED


def test_infinite_and_undefined_sides_are_not_proved() -> None:
    assert verdict(Equation("infinite", sp.oo, 3)) == Verdict.REFUTED
    assert (
        verdict(Equation("complex", sp.log(x - 10), sp.log(x - 10) + sp.log(sp.Integer(1)) + 0 * x)) == Verdict.PROVED
    )
    nowhere = decide_statement(Equation("nowhere", sp.asin(p + 20), sp.asin(p + 20) + sp.sqrt(-p)), seed=0)
    assert nowhere.verdict == Verdict.INCONCLUSIVE


def test_certified_balls_are_compared_as_balls() -> None:
    assert verdict(Equation("root", arb(2).sqrt(), sp.sqrt(2))) == Verdict.PASS
    assert verdict(Equation("root", arb(2).sqrt(), sp.sqrt(3))) == Verdict.REFUTED
    assert verdict(Equation("nan", arb("nan"), 1)) == Verdict.INCONCLUSIVE
    assert verdict(Bound("order", arb(1), sp.pi)) == Verdict.PROVED
    assert verdict(Bound("order", sp.pi, arb(1))) == Verdict.REFUTED
    assert verdict(Bound("order", arb(1, 1), arb(1), strict=True)) == Verdict.INCONCLUSIVE


@pytest.mark.parametrize(
    "bound",
    [
        Bound("am-gm", sp.sqrt(p * q), (p + q) / 2, certificate=(sp.sqrt(p) - sp.sqrt(q)) ** 2 / 2),
        Bound("square", t * (1 - t), sp.Rational(1, 4), domain=UNIT),
        Bound("affine", q * t * x**2, q * x**2, domain=UNIT),
        Bound("dependent", N, d, domain={N: (1, d), d: (1, 100)}),
        Bound("half line", 1 / (1 + p), 1, strict=True, domain={p: (0, sp.oo)}),
        Bound("sign of the interval", 0, x**3, domain={x: (0, 5)}),
        Bound("numbers", sp.pi, sp.Rational(22, 7), strict=True),
        Bound("enumerated", n**2, 2**n + 1, domain={n: (1, 40)}),
        Bound("reciprocal", 1, 1 / (1 - t / 2), domain=UNIT),
    ],
    ids=lambda bound: bound.name,
)
def test_bounds_whose_sign_is_read_off_are_proved(bound: Bound) -> None:
    assert verdict(bound) == Verdict.PROVED


@pytest.mark.parametrize(
    "bound",
    [
        Bound("off by a thousandth", sp.sqrt(p * q), (p + q) / 2 - sp.Rational(1, 1000)),
        Bound("strict with equality", sp.sqrt(p * q), (p + q) / 2, strict=True),
        Bound("strict at a corner", t, 1, strict=True, domain=UNIT),
        Bound("strict at zero", 1 + x, sp.exp(x), strict=True),
        Bound("just below the peak", t * (1 - t), sp.Rational(249999, 10**6), domain=UNIT),
        Bound("narrow spike", 2 * sp.exp(-(10**4) * (x - sp.Rational(1, 7)) ** 2), 1 + x**2),
        Bound("pole", 1 / (1 - t), 5, domain=UNIT),
        Bound("far out", sp.sqrt(p), 100, domain={p: (0, sp.oo)}),
        Bound("wrong certificate", -(x**2), x, certificate=x**2),
        Bound("certificate without sign", -(x**2), x, certificate=x + x**2),
        Bound("integers", n**2, 2**n, domain={n: (1, 40)}),
        Bound("numbers", sp.Rational(22, 7), sp.pi),
        Bound("by 1e-40", sp.Integer(1), 1 - sp.Rational(1, 10**40)),
    ],
    ids=lambda bound: bound.name,
)
def test_false_bounds_are_refuted_at_an_exact_point(bound: Bound) -> None:
    outcome = decide_statement(bound, seed=0)
    assert outcome.verdict == Verdict.REFUTED
    assert outcome.counterexample is not None
    symbols = {s.name: s for s in sp.sympify(bound.smaller - bound.larger).free_symbols}
    point = {symbols[name]: sp.Rational(value) for name, value in outcome.counterexample.items()}
    gap = ball_at(sp.sympify(bound.larger) - bound.smaller, point)
    assert gap is not None
    assert gap <= 0 if bound.strict else gap < 0


def test_a_true_bound_without_proof_passes_with_its_tightest_ratio() -> None:
    outcome = decide_statement(Bound("tanh", sp.tanh(p), p, strict=True), seed=0)
    assert outcome.verdict == Verdict.PASS
    assert "not a proof" in outcome.sentence
    # the ratio decreases in p from its value at the left end of the default interval [1/10, 10]
    ratio = outcome.evidence["tightest_ratio"]
    assert sp.tanh(sp.Rational(11, 100)) * 100 / 11 < ratio <= sp.tanh(sp.Rational(1, 10)) * 10 * (1 + 2**-50)


def test_a_wrong_certificate_proves_nothing() -> None:
    outcome = decide_statement(Bound("exp", 1 + x, sp.exp(x), certificate=x**2), seed=0)
    assert outcome.verdict == Verdict.PASS
    assert "proves nothing" in outcome.evidence["certificate"]


def test_a_pole_inside_the_domain_is_no_sign() -> None:
    assert sign_on(1 / (1 - t), UNIT, strict=False) is None
    assert sign_on(1 / (2 - t), UNIT, strict=True) == 1
    assert sign_on(x * y, {}, strict=False) is None
    assert sign_on((t - 2) ** 3, UNIT, strict=True) == -1


@pytest.mark.parametrize(
    ("holds", "certain", "expected"),
    [
        (True, True, Verdict.PROVED),
        (True, False, Verdict.PASS),
        (False, True, Verdict.REFUTED),
        (False, False, Verdict.REFUTED),
        (None, True, Verdict.INCONCLUSIVE),
    ],
)
def test_facts_are_taken_at_their_word(holds: bool | None, certain: bool, expected: Verdict) -> None:
    outcome = decide_statement(Fact("fact", Decision(holds, "because"), certain, {"figure": 3}), seed=0)
    assert outcome.verdict == expected
    assert outcome.sentence == "because."
    assert outcome.evidence["figures"] == {"figure": "3"}


def test_several_steps_are_as_good_as_the_worst_of_them() -> None:
    true, false = Equation("true", x, x), Equation("false", x, x + 1)
    open_step, soft = Fact("open", Decision(None, "unknown"), True), Fact("soft", Decision(True, "seen"), False)

    def together(*steps: Statement) -> Outcome:
        return decide_statements(steps, seed=0)

    assert together(true, true).verdict == Verdict.PROVED
    assert together(true, soft).verdict == Verdict.PASS
    assert together(true, soft, open_step).verdict == Verdict.INCONCLUSIVE
    refuted = together(open_step, true, false)
    assert refuted.verdict == Verdict.REFUTED
    assert refuted.sentence.startswith("false: ")
    assert [step["verdict"] for step in refuted.evidence["steps"]] == ["INCONCLUSIVE", "PROVED", "REFUTED"]
    assert together().verdict == Verdict.INCONCLUSIVE
    assert decide_statements(true, seed=0).verdict == Verdict.PROVED


@pytest.mark.parametrize("step", [*uniqueness_steps(), *moment_steps()], ids=lambda step: step.name)
def test_the_steps_of_our_own_proofs_are_proved(step: Any) -> None:
    if step.relation == "=":
        statement: Statement = Equation(step.name, step.left, step.right, step.domain)
    else:
        statement = Bound(step.name, step.left, step.right, step.relation == "<", step.certificate, step.domain)
    assert verdict(statement) == Verdict.PROVED


def test_a_seed_gives_one_answer() -> None:
    bound = Bound("spike", 2 * sp.exp(-100 * (x - y) ** 2), 1 + x**2)
    first, again = (decide_statement(bound, seed=9) for _ in range(2))
    assert (first.sentence, first.counterexample) == (again.sentence, again.counterexample)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.fractions(-3, 3), st.fractions(0, 3))
def test_points_lie_in_the_domain_and_obey_the_assumptions(seed: int, low: Any, width: Any) -> None:
    domain = {x: (low, low + width), N: (2, d), d: (2, 9)}
    region = box({x, N, p, k}, domain)
    points = [*random_points(region, Random(seed), 4), *special_points(region, 16)]
    assert points
    for point in points:
        assert sp.Rational(low) <= point[x] <= sp.Rational(low + width)
        assert 2 <= point[N] <= point[d] <= 9
        assert point[p] > 0
        assert point[N].is_integer
        assert point[k].is_integer


def test_every_point_is_listed_only_for_a_declared_finite_set_of_integers() -> None:
    assert every_point(box({n}, {}), 100) is None
    assert every_point(box({n}, {n: (1, sp.oo)}), 100) is None
    assert every_point(box({x}, {x: (0, 1)}), 100) is None
    assert every_point(box({n}, {n: (1, 101)}), 100) is None
    assert every_point(box({n}, {n: (1, 10**12)}), 100) is None, "the range is not built first"
    triangle = every_point(box({N, d}, {N: (1, d), d: (1, 4)}), 100)
    assert triangle is not None
    assert len(triangle) == 10
