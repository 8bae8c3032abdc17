"""Text becomes mathematics exactly, or is refused with one sentence, quickly and without harm."""

from __future__ import annotations

import time

import pytest
import sympy as sp
from flint import arb, ctx
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proofs_checks.ball_function import CannotDecide, evaluate
from theorems.claim import BadInput
from theorems.expression import canonical, parse
from theorems.named_activations import NAMED, X

QUICKLY = 1.0
"""Seconds: a person waits for the sentence; everything below takes a few milliseconds on an idle machine."""

HOSTILE = {
    "a call of the interpreter": "__import__('os').system('true')",
    "an attribute": "x.__class__",
    "an attribute of a call": "tanh(x).subs",
    "a tower of powers": "9**9**9*x",
    "a taller tower": "10**10**10",
    "a tower inside a function": "tanh(9**9**9)",
    "a tower of negative powers": "9**-9**9",
    "a power of a power": "((9**60)**60)**60",
    "a large degree": "x**100000",
    "a large degree in two steps": "(x**50)**50",
    "a large degree by multiplication": "x**60*x**60",
    "ten megabytes": "x+" * 5_000_000 + "x",
    "ten megabytes of blanks": " " * 10_000_000,
    "an unknown function": "foo(x)",
    "an unknown symbol": "x+y",
    "nothing": "",
    "blanks": "  \t ",
    "a comment": "# x",
    "a trailing comment": "x # y",
    "a division by zero": "1/0*x",
    "a hidden division by zero": "x/(2-2)",
    "a division by an unrecognised zero": "x/(sin(1)**2 + cos(1)**2 - 1)",
    "a cancelled denominator": "1/(x-x)",
    "zero to a negative power": "0**-1",
    "zero over zero": "0/0",
    "a pole": "tan(pi/2)",
    "log of zero": "log(0)+x",
    "an imaginary literal": "1j*x",
    "an imaginary root": "sqrt(-1)",
    "an imaginary logarithm": "x*log(-1)",
    "an imaginary cube root": "(-8)**(1/3)",
    "an inverse sine beyond one": "asin(2)",
    "nowhere real": "sqrt(-x**2)",
    "a doubly exponential constant": "exp(exp(exp(100)))",
    "the same where SymPy would compare": "Max(exp(exp(exp(100))), x)",
    "a large float": "1e999999999*x",
    "a small float": "1e-999999999*x",
    "many digits": "1" * 5000,
    "many hexadecimal digits": "0x" + "f" * 5000,
    "nested parentheses": "(" * 4000 + "x" + ")" * 4000,
    "nested brackets that do not close": "(" * 9000,
    "nested signs": "-" * 9000 + "x",
    "nested powers": "x" + "**x" * 3000,
    "nested functions": "tanh(" * 150 + "x" + ")" * 150,
    "nested named functions": "gelu(" * 30 + "x" + ")" * 30,
    "a long sum": "x" + "+x" * 4900,
    "nested negations": "not " * 2000 + "x",
    "a lambda": "lambda: x",
    "nested lambdas": "lambda:" * 1400 + "x",
    "a comprehension": "[x for x in (1, 2)]",
    "a string": "'x'",
    "a formatted string": "f'{x}'",
    "bytes": "b'x'",
    "a subscript": "x[0]",
    "a list": "[x]",
    "a dictionary": "{1: x}",
    "a tuple": "x, 1",
    "a starred argument": "Max(*(x, 1))",
    "a keyword argument": "Max(x, key=1)",
    "an assignment": "(y := x)",
    "a statement": "import os",
    "two statements": "x; x",
    "two lines": "x\nimport os",
    "a null byte": "x\0",
    "a homoglyph": "\u0445 + 1",
    "a fullwidth digit": "\uff11*x",
    "an invisible character": "x\u200b",
    "a lone surrogate": "x\ud800",
    "an ellipsis": "...",
    "None": "None",
    "a truth value": "True*x",
    "a caret": "x^2",
    "a remainder": "x % 2",
    "a floor division": "x // 2",
    "a matrix product": "x @ x",
    "a condition as a number": "(x > 0)*x",
    "a conditional expression": "x if x > 0 else 0",
    "a function without argument": "tanh",
    "a function with too many arguments": "tanh(x, 1)",
    "a factorial": "factorial(x)",
    "a built-in": "print(x)",
    "eval": "eval('x')",
    "an unfinished formula": "x +",
    "a Piecewise with a hole": "Piecewise((x, x < 1))",
    "a Piecewise without a point": "Piecewise((x, x < 1), (2, x > 1))",
    "a Piecewise without pairs": "Piecewise(x, 1)",
    "an empty Piecewise": "Piecewise()",
    "a Piecewise with a number for a condition": "Piecewise((x, 1), (2, True))",
    "comparisons joined without parentheses": "Piecewise((1, x > 0 & x < 1), (2, True))",
    "membership": "Piecewise((1, x in x), (2, True))",
    "a comparison of what is not real": "Piecewise((1, sqrt(-1 - x**2) > 1), (2, True))",
    "a base one logarithm": "log(x, 1)",
    "zero to a varying power": "0**x",
    "a negative base to a varying power": "(-2)**x",
    "a rational of a variable": "Rational(x, 2)",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_text_gets_one_sentence_quickly(text: str) -> None:
    start = time.perf_counter()
    with pytest.raises(BadInput) as refusal:
        parse(text, ["x"])
    assert time.perf_counter() - start < QUICKLY
    sentence = str(refusal.value)
    assert 10 < len(sentence) < 600
    assert "\n" not in sentence
    assert sentence[-1] in ".?"


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("x^2", "**"),
        ("foo(x)", "foo"),
        ("tnh(x)", "did you mean tanh?"),
        ("x+y", "y"),
        ("x**100000", "exponent"),
        ("9**9**9", "exponent"),
        ("Piecewise((x, x < 1))", "(value, True)"),
        ("x if x > 0 else 0", "Piecewise"),
        ("\u0445", "CYRILLIC"),
        ("1/0", "zero"),
        ("(-8)**(1/3)", "cbrt"),
    ],
)
def test_the_sentence_names_the_trouble(text: str, word: str) -> None:
    with pytest.raises(BadInput) as refusal:
        parse(text, ["x"])
    assert word in str(refusal.value)


HALF = sp.Rational(1, 2)
MEANINGS = {
    "0.1*x": X / 10,
    "1e-3 + x": X + sp.Rational(1, 1000),
    "1_000*x": 1000 * X,
    "0.30000000000000004": sp.Rational("0.30000000000000004"),
    "x**0.5": sp.sqrt(X),
    "x - 1 - 2 + x": 2 * X - 3,
    "x/2/3*4": 2 * X / 3,
    "-x**2": -(X**2),
    "2**-1": HALF,
    "Rational(1, 3)*x": X / 3,
    "abs(x) + Abs(x)": 2 * sp.Abs(X),
    "max(x, 0) + Max(0, x)": 2 * sp.Max(X, 0),
    "min(x, 1)": sp.Min(X, 1),
    "E**x": sp.exp(X),
    "log(x, 10)": sp.log(X) / sp.log(10),
    "2**x": sp.exp(X * sp.log(2)),
    "relu(x)**3": sp.Max(X, 0) ** 3,
    "gelu(2*x)": X * (1 + sp.erf(sp.sqrt(2) * X)),
    "Heaviside(x, 1)": sp.Heaviside(X, 1),  # pyright: ignore[reportArgumentType]  # its stub admits 1/2 only
    "(1 + x)**64": (1 + X) ** 64,
    "Piecewise((x, x < 1), (sqrt(x), True))": sp.Piecewise((X, X < 1), (sp.sqrt(X), True)),
    "Piecewise((x, x < 1), (2, x >= 1))": sp.Piecewise((X, X < 1), (2, True)),
    "Piecewise((x, 0 < x < 1), (1, not x < 1), (0, True))": sp.Piecewise(
        (X, sp.And(X > 0, X < 1)), (1, X >= 1), (0, True)
    ),
    "Piecewise((1, (x > 2) | (x < -2)), (0, True))": sp.Piecewise((1, sp.Or(X > 2, X < -2)), (0, True)),
    "Piecewise((1, x > 2 or x < -2), (0, True))": sp.Piecewise((1, sp.Or(X > 2, X < -2)), (0, True)),
    "Piecewise((1, x == 0), (sin(x)/x, True))": sp.Piecewise((1, sp.Eq(X, 0)), (sp.sin(X) / X, True)),
    "pi*E": sp.pi * sp.E,
    "3": sp.Integer(3),
    "1/x": 1 / X,
    "exp(x**2)": sp.exp(X**2),
    "sqrt(x)": sp.sqrt(X),
    "asin(x) + acosh(x)": sp.asin(X) + sp.acosh(X),
    "exp(exp(exp(x)))": sp.exp(sp.exp(sp.exp(X))),
}


@pytest.mark.parametrize(("text", "meaning"), MEANINGS.items())
def test_text_means_what_it_says(text: str, meaning: sp.Expr) -> None:
    assert parse(text, ["x"]) == meaning


def test_a_cube_root_is_real_and_odd() -> None:
    root = parse("cbrt(x)", ["x"])
    assert root.subs(X, -8) == -2
    assert root.subs(X, 27) == 3


def test_a_tangent_shifted_by_a_quarter_turn_stays_within_the_known_functions() -> None:
    shifted = parse("tan(x + pi/2)", ["x"])
    assert not shifted.has(sp.cot)
    assert sp.simplify(shifted + sp.cos(X) / sp.sin(X)) == 0


def test_formulas_have_the_symbols_they_are_given() -> None:
    formula = parse("lambda_1**2*(1 - rho)/(rho + psi*t) - lambda_2", ["rho", "t", "psi", "lambda_1", "lambda_2"])
    assert {str(symbol) for symbol in formula.free_symbols} == {"rho", "t", "psi", "lambda_1", "lambda_2"}
    with pytest.raises(BadInput, match="'x'"):
        parse("rho + x", ["rho"])


@pytest.mark.parametrize("name", NAMED)
def test_every_name_is_a_function_and_prints_as_it_reads(name: str) -> None:
    assert parse(f"{name}(x)", ["x"]) == NAMED[name]
    assert parse(str(NAMED[name]), ["x"]) == NAMED[name]
    shifted = parse(f"{name}(x + 3/7)", ["x"])
    assert sp.N(shifted.subs(X, 1), 20) == pytest.approx(sp.N(NAMED[name].subs(X, sp.Rational(10, 7)), 20), rel=1e-18)


SIGNS = [*"x1290+-*/()., <>=&|~^!:;[]{}'\"#@%\\_e", "**", "<=", "==", "\n", "\0", "\u0445"]
WORDS = [
    "x",
    "x",
    "x",
    "(",
    ")",
    "1",
    "0.5",
    "1e3",
    "pi",
    "E",
    "True",
    "9**9",
    "__class__",
    "exp(",
    "log(",
    "sqrt(",
    "Max(",
    "Min(",
    "Abs(",
    "erf(",
    "tan(",
    "asin(",
    "acosh(",
    "relu(",
    "gelu(",
    "sign(",
    "Heaviside(",
    "Piecewise(",
    "Piecewise((x,x<",
    ",(x,True))",
    "Rational(",
    "__import__(",
    "eval(",
]
KEYWORDS = [f" {word} " for word in ("if", "else", "and", "or", "not", "lambda", "for", "in", "is", "await", "yield")]
TOKENS = st.sampled_from([*SIGNS, *WORDS, *WORDS, *KEYWORDS])


@settings(max_examples=400, deadline=2000 * QUICKLY, suppress_health_check=[HealthCheck.too_slow])
@given(st.one_of(st.lists(TOKENS, max_size=30).map("".join), st.text(max_size=40)))
def test_no_text_raises_anything_but_bad_input(text: str) -> None:
    try:
        expression, sentence = parse(text, ["x"]), ""
    except BadInput as refusal:
        expression, sentence = X, str(refusal)
    assert "\n" not in sentence
    assert expression.free_symbols <= {X}


def _expressions() -> st.SearchStrategy[str]:
    """Well-formed texts, to depth three or so."""
    leaves = st.sampled_from(["x", "x", "2", "0.5", "pi", "-3", "1/3"])
    functions = [
        "exp",
        "log",
        "sqrt",
        "Abs",
        "erf",
        "erfc",
        "sin",
        "cos",
        "tan",
        "tanh",
        "sinh",
        "atan",
        "asin",
        "sign",
        "acosh",
        "cbrt",
        "Heaviside",
        "relu",
        "gelu",
        "softplus",
        "mish",
        "elu",
        "hard_tanh",
    ]

    def extend(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.one_of(
            st.tuples(st.sampled_from(functions), inner).map(lambda p: f"{p[0]}({p[1]})"),
            st.tuples(inner, st.sampled_from(["+", "-", "*", "/"]), inner).map(lambda p: f"({p[0]}){p[1]}({p[2]})"),
            st.tuples(inner, st.sampled_from(["2", "3", "-1", "0.5", "1/3", "x"])).map(lambda p: f"({p[0]})**({p[1]})"),
            st.tuples(st.sampled_from(["Max", "Min"]), inner, inner).map(lambda p: f"{p[0]}({p[1]}, {p[2]})"),
            st.tuples(inner, inner, st.sampled_from(["<", "<=", ">", ">="]), inner, inner).map(
                lambda p: f"Piecewise(({p[0]}, {p[1]} {p[2]} {p[3]}), ({p[4]}, True))"
            ),
        )

    return st.recursive(leaves, extend, max_leaves=6)


@settings(max_examples=150, deadline=4000 * QUICKLY, suppress_health_check=[HealthCheck.too_slow])
@given(_expressions())
def test_the_canonical_form_reads_back_as_itself_and_has_the_same_values(text: str) -> None:
    try:
        expression = parse(text, ["x"])
    except BadInput:
        return  # a division by zero or the like: covered above
    form = canonical(expression, ["x"])
    assert parse(str(form), ["x"]) == form
    if form != expression:
        with ctx.workprec(256):
            left, right = (_value(e, arb(0.7321)) for e in (form, expression))
            assert left is None or right is None or left.overlaps(right)


def _value(expression: sp.Expr, point: arb) -> arb | None:
    try:
        value = evaluate(expression, point)
    except CannotDecide:
        return None
    return value if value.is_finite() else None
