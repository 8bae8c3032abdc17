"""Rational functions stated in SymPy as plain arithmetic, one code for floats and for balls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import sympy as sp
from sympy.printing.pycode import PythonCodePrinter

from proofs_checks.symbolic_step import Expression


class _Products(PythonCodePrinter):
    """Powers as products: python-flint answers nan for the power of a ball that contains zero."""

    def _print_Pow(self, expr: Expression, rational: bool = False) -> str:
        base, exponent = expr.as_base_exp()
        if not exponent.is_Integer:
            raise ValueError(f"{expr} is no rational function")
        product = "*".join([f"({self._print(base)})"] * abs(int(exponent)))
        return f"({product})" if exponent > 0 else f"(1/({product}))"


def arithmetic(given: Sequence[Expression], forms: Sequence[Expression]) -> Callable[..., list[Any]]:
    """The function of the given symbols with the values of the forms.

    >>> x, y = sp.symbols("x y")
    >>> arithmetic((x, y), [x**2 / y, x - y])(3.0, 2.0)
    [4.5, 1.0]
    """
    printer = _Products({"fully_qualified_modules": False, "allow_unknown_functions": False})
    return sp.lambdify(given, list(forms), modules=[], printer=printer, cse=True)
