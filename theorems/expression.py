"""What a person types, read as mathematics: the only way text becomes a SymPy expression.

The text is parsed by Python's own grammar and the syntax tree is walked with an allow-list: numbers, the
given symbols, arithmetic, a fixed table of functions, and conditions inside Piecewise. Nothing is ever
evaluated as Python. Every constant is enclosed by a ball as soon as it is built, so a number that is not
real, not finite or too large is refused before SymPy computes with it.

>>> parse("Piecewise((x, x < 1), (sqrt(x), True)) + 0.1", ["x"])
Piecewise((x, x < 1), (sqrt(x), True)) + 1/10
"""

from __future__ import annotations

import ast
import difflib
import unicodedata
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any

import sympy as sp
from flint import arb, ctx
from sympy.core.relational import Relational

from proofs_checks.ball_function import CannotDecide, NotReal, exact, gap, number_ball
from theorems.claim import BadInput
from theorems.named_activations import NAMED, X

LENGTH = 10_000
"""Characters of text; longer texts are refused unread."""
NODES = 1_000
"""Nodes of the syntax tree: more terms than any activation or conjecture written by hand."""
DEPTH = 40
"""Nesting: SymPy recurses a dozen Python frames per level, and Python stops at a thousand."""
SIZE = 3_000
"""Nodes of the expression once named functions are written out."""
EXPONENT = 100
"""Largest constant exponent: beyond it x**n overflows float64 at |x| = 1000 and integrals lose all digits."""
MAGNITUDE = 10**300
"""Largest constant: float64, in which the simulators compute, ends at 1.8e308."""
BITS = 4096
"""Bits of the numerator and denominator of an exact fraction: four times those of MAGNITUDE."""
_ROUNDS = 8
"""Readings within which a form settles (two, in all that was tried)."""
BALL_BITS = 128
"""Precision of the balls by which constants are judged."""

Expression = Any
"""A SymPy expression; SymPy's own annotations are too loose to be of help."""


def parse(text: str, symbols: Iterable[str]) -> Expression:
    """The expression that `text` denotes in the given real symbols; BadInput with one sentence otherwise."""
    text = _readable(text)
    walk = _Walk(text, {name: sp.Symbol(name, real=True) for name in symbols})
    try:
        expression = walk.number(_syntax_tree(text), 0)
        _require_writable(expression, text)
    except BadInput:
        raise
    except Exception as error:
        # SymPy raises whatever it likes on an operand it cannot take (TypeError, ValueError, RecursionError,
        # NotImplementedError ...); to the person who typed it, all of them mean one thing.
        raise BadInput(f"The expression {_clip(text)} has no meaning as a real function; simplify it.") from error
    return expression


def canonical(expression: Expression, symbols: Iterable[str]) -> Expression:
    """The equal expression that prints as a text which reads back as itself.

    SymPy has several forms for one thing, 1/(2*(x + 2)) and 1/(2*x + 4), and reading may pass from one to the next.
    """
    names = tuple(symbols)
    for _ in range(_ROUNDS):
        again = parse(str(expression), names)
        if again == expression:
            return expression
        expression = again
    raise BadInput(f"The expression {_clip(str(expression))} has no settled form; write it in another way.")


def _clip(text: str, width: int = 60) -> str:
    return repr(text if len(text) <= width else text[: width - 3] + "...")


def _readable(text: str) -> str:
    """The text on one line of plain characters."""
    if len(text) > LENGTH:
        raise BadInput(f"The expression has {len(text):,} characters and the limit is {LENGTH:,}; write a shorter one.")
    text = text.strip()
    if not text:
        raise BadInput("The expression is empty; type a formula such as 'tanh(x)'.")
    for character in text:
        if character in "\n\r;":
            raise BadInput("The expression must be one formula on one line; remove line breaks and semicolons.")
        if character == "#":
            raise BadInput("The expression contains a comment sign '#'; remove it.")
        if not (character.isascii() and character.isprintable()) and character != "\t":
            name = unicodedata.name(character, f"code {ord(character)}")
            raise BadInput(
                f"The expression contains the character {character!a} ({name}); use plain ASCII letters, digits"
                " and signs."
            )
    return text


def _syntax_tree(text: str) -> ast.expr:
    """The tree of Python's grammar, small enough to walk."""
    too_deep = "The expression is too long or nested too deeply to be read; write a shorter one."
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # advice to programmers ("0or x"), of no use to whoever types a formula
            tree = ast.parse(text, mode="eval").body
    except (MemoryError, RecursionError):
        raise BadInput(too_deep) from None
    except SyntaxError as error:
        if "nested" in str(error.msg):
            raise BadInput(too_deep) from None
        if "digits" in str(error.msg):
            raise BadInput(_too_large("a number typed here")) from None
        where = f" near character {error.offset}" if error.offset else ""
        raise BadInput(
            f"The expression {_clip(text)} is not a well-formed formula{where}; check its parentheses and operators."
        ) from None
    except ValueError:
        raise BadInput(f"The expression {_clip(text)} is not a well-formed formula; retype it.") from None
    if sum(isinstance(node, ast.expr) for node in ast.walk(tree)) > NODES:
        raise BadInput(f"The expression has more than {NODES:,} terms and factors; write a shorter one.")
    return tree


def _too_large(what: str) -> str:
    return f"The expression contains {what}, which is too large (the limit is 1e300); use smaller numbers."


def _cbrt(value: Expression) -> Expression:
    """The real cube root, odd on the whole line (the principal power x**(1/3) is not real for x < 0)."""
    return sp.sign(value) * sp.Abs(value) ** sp.Rational(1, 3)


def _tan(value: Expression) -> Expression:
    """SymPy turns tan(x + pi/2) into a cotangent, which nothing else here needs to know."""
    tangent = sp.tan(value)
    return sp.sin(value) / sp.cos(value) if tangent.has(sp.cot) else tangent


def _named(name: str) -> Callable[[Expression], Expression]:
    return lambda value: NAMED[name].xreplace({X: value})


_ONE_ARGUMENT: dict[str, Callable[[Expression], Expression]] = {
    **{name: _named(name) for name in NAMED},
    **{
        function.__name__: function
        for function in (
            *(sp.exp, sp.Abs, sp.sign, sp.erf, sp.erfc, sp.sqrt, sp.sin, sp.cos, sp.sinh, sp.cosh, sp.tanh),
            *(sp.asin, sp.acos, sp.atan, sp.asinh, sp.acosh, sp.atanh),
        )
    },
    "abs": sp.Abs,
    "cbrt": _cbrt,
    "tan": _tan,
}
_SEVERAL_ARGUMENTS = ("Heaviside", "Max", "Min", "Piecewise", "Rational", "log", "max", "min")
_FUNCTION_NAMES = tuple(sorted({*_ONE_ARGUMENT, *_SEVERAL_ARGUMENTS}, key=lambda name: (name.lower(), name)))
_RELATIONS: dict[type, Any] = {
    ast.Lt: sp.Lt,
    ast.LtE: sp.Le,
    ast.Gt: sp.Gt,
    ast.GtE: sp.Ge,
    ast.Eq: sp.Eq,
    ast.NotEq: sp.Ne,
}
_REFUSED: dict[type, str] = {
    ast.Attribute: "an attribute (a name after a dot)",
    ast.Lambda: "a lambda",
    ast.ListComp: "a comprehension",
    ast.SetComp: "a comprehension",
    ast.DictComp: "a comprehension",
    ast.GeneratorExp: "a comprehension",
    ast.Subscript: "a subscript (square brackets)",
    ast.List: "a list",
    ast.Set: "a set",
    ast.Dict: "a dictionary",
    ast.JoinedStr: "a string",
    ast.NamedExpr: "an assignment",
    ast.Starred: "a starred argument",
    ast.Tuple: "a tuple outside Piecewise",
    ast.Await: "'await'",
    ast.Yield: "'yield'",
}


@dataclass(frozen=True)
class _Walk:
    """The walk over the syntax tree of `text`; `sizes` remembers the size of what has been built."""

    text: str
    symbols: Mapping[str, sp.Symbol]
    sizes: dict[Expression, int] = field(default_factory=dict)

    def source(self, node: ast.expr) -> str:
        # The text is ASCII on one line, so byte offsets are character offsets.
        return self.text[node.col_offset : node.end_col_offset]

    def size(self, expression: Expression) -> int:
        if expression not in self.sizes:
            self.sizes[expression] = 1 + sum(self.size(part) for part in expression.args)
        return self.sizes[expression]

    def number(self, node: ast.expr, depth: int) -> Expression:
        """A real number or function: what may stand where arithmetic is done."""
        if depth > DEPTH:
            raise BadInput(
                f"The expression is nested too deeply (more than {DEPTH} levels); write it with fewer parentheses."
            )
        value = _without_ite(self.checked(self.build(node, depth + 1), node))
        if self.size(value) > SIZE:
            raise BadInput(
                f"The expression has more than {SIZE:,} parts once {_clip(self.source(node))} is written out; use"
                " a simpler one."
            )
        return value

    def build(self, node: ast.expr, depth: int) -> Expression:
        match node:
            case ast.Constant():
                return self.literal(node)
            case ast.Name():
                return self.name(node)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self.number(operand, depth)
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self.number(operand, depth)
            case ast.BinOp(op=ast.Add() | ast.Sub()):
                return sp.Add(*self.terms(node, depth))
            case ast.BinOp(op=ast.Mult() | ast.Div()):
                return sp.Mul(*self.factors(node, depth))
            case ast.BinOp(op=ast.Pow(), left=base, right=exponent):
                return self.power(self.number(base, depth), self.number(exponent, depth), node)
            case ast.BinOp(op=ast.BitXor()):
                raise BadInput("The sign '^' is not a power here; write '**', as in x**2.")
            case ast.Call():
                return self.call(node, depth)
            case ast.Compare() | ast.BoolOp() | ast.UnaryOp() | ast.BinOp(op=ast.BitAnd() | ast.BitOr()):
                raise BadInput(
                    f"The condition {_clip(self.source(node))} stands where a number is needed; conditions belong"
                    " inside Piecewise((value, condition), ..., (value, True))."
                )
            case ast.IfExp():
                raise BadInput("'if ... else' is not available; write Piecewise((value, condition), (value, True)).")
            case ast.BinOp():
                raise BadInput(f"The operator in {_clip(self.source(node))} is not available; use + - * / and **.")
        what = _REFUSED.get(type(node), "something that is not a formula")
        raise BadInput(
            f"The expression contains {what}, {_clip(self.source(node))}; only numbers, symbols, arithmetic and the"
            " known functions are allowed."
        )

    def checked(self, value: Expression, node: ast.expr) -> Expression:
        """The value, if it is not a constant that is infinite, complex or too large."""
        what = _clip(self.source(node))
        if value in (sp.zoo, sp.nan, sp.oo, -sp.oo):
            raise BadInput(f"{what} is not a finite number; remove the division by zero or the singular value.")
        if value.free_symbols:
            return value
        if isinstance(value, sp.Rational):
            if max(abs(value), 1) > MAGNITUDE or max(abs(value.p), value.q).bit_length() > BITS:
                raise BadInput(_too_large(f"the number {what}"))
            return value
        ball = self.ball(value, what)
        if not abs(ball) < MAGNITUDE:
            raise BadInput(_too_large(f"the number {what}"))
        return value

    def ball(self, constant: Expression, what: str) -> arb:
        with ctx.workprec(BALL_BITS):
            try:
                return number_ball(exact(constant))
            except NotReal:
                raise BadInput(
                    f"{what} is not a finite real number; use real constants (cbrt takes real cube roots)."
                ) from None
            except CannotDecide as error:
                raise BadInput(f"{what} cannot be computed with certainty ({str(error).rstrip('.')}).") from None

    def literal(self, node: ast.Constant) -> Expression:
        value = node.value
        if isinstance(value, bool):
            raise BadInput(f"{value} stands where a number is needed; True and False belong inside Piecewise.")
        if isinstance(value, int):
            if abs(value) > MAGNITUDE:
                raise BadInput(_too_large(f"the number {_clip(self.source(node))}"))
            return sp.Integer(value)
        if isinstance(value, float):
            return self.decimal(self.source(node).replace("_", ""), value)
        if isinstance(value, complex):
            raise BadInput(f"{_clip(self.source(node))} is an imaginary number; activations and formulas are real.")
        kind = "a string" if isinstance(value, str | bytes) else "'...'" if value is Ellipsis else f"'{value}'"
        raise BadInput(f"The expression contains {kind}; only numbers, symbols and functions are allowed.")

    def decimal(self, digits: str, nearest: float) -> Expression:
        """The decimal as typed, exactly: 0.1 is 1/10, not the nearest binary fraction."""
        if abs(nearest) > MAGNITUDE:
            raise BadInput(_too_large(f"the number {_clip(digits)}"))
        if abs(nearest) < 1 / MAGNITUDE:
            if any(digit in "123456789" for digit in digits.lower().partition("e")[0]):
                raise BadInput(f"The number {_clip(digits)} is too small (the limit is 1e-300); use a larger one.")
            return sp.Integer(0)
        value = Fraction(digits)
        return sp.Rational(value.numerator, value.denominator)

    def name(self, node: ast.Name) -> Expression:
        if node.id in self.symbols:
            return self.symbols[node.id]
        if node.id in ("pi", "E"):
            return sp.pi if node.id == "pi" else sp.E
        if node.id in _FUNCTION_NAMES:
            raise BadInput(f"{node.id} is a function; write its argument, as in {node.id}(...).")
        raise BadInput(
            f"{_clip(node.id)} is not a symbol here; the symbols are {', '.join((*self.symbols, 'pi'))} and E."
        )

    def terms(self, node: ast.expr, depth: int) -> Iterator[Expression]:
        """The signed terms of a sum; a chain of + and - is one level deep however long it is."""
        for sign, term in _chain(node, ast.Add, ast.Sub):
            value = self.number(term, depth)
            yield value if sign else -value

    def factors(self, node: ast.expr, depth: int) -> Iterator[Expression]:
        for direct, factor in _chain(node, ast.Mult, ast.Div):
            value = self.number(factor, depth)
            yield value if direct else self.power(value, sp.Integer(-1), node)

    def power(self, base: Expression, exponent: Expression, node: ast.expr) -> Expression:
        what = _clip(self.source(node))
        if exponent.free_symbols:
            # b**e with a varying exponent is exp(e log b), real where b > 0; b = E is exp itself.
            return sp.exp(exponent * (1 if base is sp.E else self.checked(sp.log(base), node)))
        size = self.ball(exponent, what)
        if not abs(size) <= EXPONENT:
            raise BadInput(f"The exponent in {what} is too large (the limit is {EXPONENT}); use a smaller exponent.")
        if not base.free_symbols and size <= 0 and exponent != 0 and self.ball(base, what).contains(0):
            raise BadInput(f"There is a division by zero, or by what cannot be told from zero, at {what}; remove it.")
        if isinstance(base, sp.Rational):
            bits = max(abs(base.p), base.q).bit_length() * abs(size)
            if not bits < BITS:
                raise BadInput(_too_large(f"the power {what}"))
        return sp.Pow(base, exponent)

    def call(self, node: ast.Call, depth: int) -> Expression:
        if not isinstance(node.func, ast.Name):
            raise BadInput(
                f"The expression contains a call of {_clip(self.source(node.func))}; only known functions such as"
                " tanh(x) can be called."
            )
        name = node.func.id
        if name not in _FUNCTION_NAMES:
            near = difflib.get_close_matches(name, _FUNCTION_NAMES, n=1)
            hint = f"did you mean {near[0]}?" if near else f"the functions are {', '.join(_FUNCTION_NAMES)}."
            raise BadInput(f"{_clip(name)} is not a known function; {hint}")
        if node.keywords or any(isinstance(argument, ast.Starred) for argument in node.args):
            raise BadInput(f"{name} takes plain arguments only; write {name}(...) with values between commas.")
        if name == "Piecewise":
            return self.piecewise(node, depth)
        arguments = [self.number(argument, depth) for argument in node.args]
        if name in _ONE_ARGUMENT:
            (value,) = self.arity(name, arguments, 1, 1)
            if name in NAMED and self.size(value) * self.size(NAMED[name]) > SIZE:
                raise BadInput(
                    f"The expression has more than {SIZE:,} parts once {name}(...) is written out; use a simpler one."
                )
            return _ONE_ARGUMENT[name](value)
        if name == "log":
            value, *base = self.arity(name, arguments, 1, 2)
            if not base:
                return sp.log(value)
            denominator = self.checked(sp.log(base[0]), node)
            return sp.log(value) * self.power(denominator, sp.Integer(-1), node)
        if name == "Heaviside":
            return sp.Heaviside(*self.arity(name, arguments, 1, 2))
        if name == "Rational":
            numerator, denominator = self.arity(name, arguments, 2, 2)
            if not (numerator.is_Integer and denominator.is_Integer):
                raise BadInput("Rational takes two integers; write a quotient such as 1/3 instead.")
            return numerator * self.power(denominator, sp.Integer(-1), node)
        choose = sp.Max if name.lower() == "max" else sp.Min
        return choose(*self.arity(name, arguments, 1, 10))

    def arity(self, name: str, arguments: list[Expression], least: int, most: int) -> list[Expression]:
        if not least <= len(arguments) <= most:
            number = f"{least}" if least == most else f"{least} to {most}"
            raise BadInput(f"{name} takes {number} argument(s) and here it has {len(arguments)}; correct the call.")
        return arguments

    def piecewise(self, node: ast.Call, depth: int) -> Expression:
        pairs: list[tuple[Expression, Any]] = []
        for argument in node.args:
            if not (isinstance(argument, ast.Tuple) and len(argument.elts) == 2):
                raise BadInput("Piecewise takes pairs; write Piecewise((value, condition), ..., (value, True)).")
            value, condition = argument.elts
            pairs.append((self.number(value, depth), self.condition(condition, depth)))
        hole = _uncovered([condition for _, condition in pairs])
        if hole is not None:
            raise BadInput(f"The Piecewise has no value {hole}; end it with a last pair (value, True).")
        pairs[-1] = (pairs[-1][0], sp.true)
        return sp.Piecewise(*pairs)

    def condition(self, node: ast.expr, depth: int) -> Any:
        """An inequality, or a combination of inequalities."""
        if depth > DEPTH:
            raise BadInput(f"The condition is nested too deeply (more than {DEPTH} levels); simplify it.")
        match node:
            case ast.Constant(value=bool() as value):
                return sp.true if value else sp.false
            case ast.BoolOp(op=operator, values=values):
                return _junction(operator)(*(self.condition(value, depth + 1) for value in values))
            case ast.BinOp(op=(ast.BitAnd() | ast.BitOr()) as operator):
                both = (self.condition(node.left, depth + 1), self.condition(node.right, depth + 1))
                return _junction(operator)(*both)
            case ast.UnaryOp(op=ast.Not() | ast.Invert(), operand=operand):
                return sp.Not(self.condition(operand, depth + 1))
            case ast.Compare():
                return self.comparison(node, depth)
            case ast.Call(func=ast.Name(id="Eq" | "Ne" as name), args=[left, right], keywords=[]):
                relation = sp.Eq if name == "Eq" else sp.Ne
                return relation(self.number(left, depth + 1), self.number(right, depth + 1))
        raise BadInput(
            f"{_clip(self.source(node))} is not a condition; write comparisons such as x < 1, each in its own"
            " parentheses when joined by & or |."
        )

    def comparison(self, node: ast.Compare, depth: int) -> Any:
        sides = [self.number(side, depth + 1) for side in (node.left, *node.comparators)]
        relations = []
        for operator, left, right in zip(node.ops, sides, sides[1:], strict=False):
            if type(operator) not in _RELATIONS:
                raise BadInput(f"{_clip(self.source(node))} is not a comparison of numbers; use < <= > >= == or !=.")
            relations.append(_RELATIONS[type(operator)](left, right))
        return sp.And(*relations)


def _chain(node: ast.expr, direct: type, inverse: type) -> list[tuple[bool, ast.expr]]:
    """The operands of a left-nested chain such as a - b + c, each with whether it enters directly."""
    operands: list[tuple[bool, ast.expr]] = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, direct | inverse):
        operands.append((isinstance(node.op, direct), node.right))
        node = node.left
    return [(True, node), *reversed(operands)]


def _junction(operator: ast.AST) -> Any:
    return sp.And if isinstance(operator, ast.And | ast.BitAnd) else sp.Or


def _without_ite(expression: Expression) -> Expression:
    """SymPy writes a condition on a Piecewise, as in elu(elu(x)), with if-then-else; the rest of us with & and |."""
    if not expression.has(sp.ITE):
        return expression
    return expression.replace(sp.ITE, lambda test, yes, no: sp.Or(sp.And(test, yes), sp.And(sp.Not(test), no)))


def _uncovered(conditions: list[Any]) -> str | None:
    """Where none of the conditions holds (None if there is no such place).

    For comparisons that are linear in one symbol the answer is exact: the truth of each is constant between
    consecutive roots, so the roots and one point of every interval decide.
    """
    anywhere = sp.Or(*conditions)
    if anywhere == sp.true:
        return None
    unknown = "where its conditions may all fail"
    symbols = anywhere.free_symbols
    if len(symbols) != 1:
        return unknown
    (symbol,) = symbols
    roots = set()
    for relation in anywhere.atoms(Relational):
        line = gap(relation)
        slope = sp.diff(line, symbol)
        if slope.free_symbols or slope == 0:
            return unknown
        roots.add(-line.subs(symbol, 0) / slope)
    ordered = sorted(roots, key=lambda root: sp.N(root, 30))
    between = [(low + high) / 2 for low, high in pairwise(ordered)]
    for point in (ordered[0] - 1, *between, ordered[-1] + 1, *ordered):
        if anywhere.subs(symbol, point) != sp.true:
            return f"at {symbol} = {point}"
    return None


def _require_writable(expression: Expression, text: str) -> None:
    """No complex number may have come out of SymPy's own rules, nor a power beyond the limit."""
    if expression.has(sp.I, sp.zoo, sp.nan, sp.oo):
        raise BadInput(f"The expression {_clip(text)} is not a real number for any x; check its roots and logarithms.")
    for power in expression.atoms(sp.Pow):
        if power.free_symbols:
            if power.exp.is_number and not power.exp.is_Rational:
                continue
            if power.exp.is_Rational and abs(power.exp) > EXPONENT:
                raise BadInput(
                    f"The expression {_clip(text)} amounts to the power {power.exp}, and the limit is {EXPONENT};"
                    " use a smaller exponent."
                )
        elif power.is_extended_real is False:
            raise BadInput(
                f"The expression {_clip(text)} is not a real number for any x; check its roots and logarithms."
            )
