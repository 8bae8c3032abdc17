"""The quadratic model of the talk in the paper's words: psi_1 of the slides is rho = N/d of the paper.

Setting of the slides: x ~ N(0, I_d), f_*(x) = b_0 + <x, Bx> with B >= 0, and R_{M,N} the least E(f_* - f)^2 over the
class of M in {RF, NT, NN}. Predictions and observations are those of `theorems/lazy_training/`; here they are only
asked in the talk's notation. f_* is centred there (b_0 = -Tr B); what another b_0 does is said in the modules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

import sympy as sp
from flint import arb

from proofs_checks.quadratic_landscape import SymbolicRisk, b0, closed_form, gaussian_mean
from theorems.claim import Equation, Setting

Answer = TypeVar("Answer")


def in_the_paper(setting: Setting, **fixed: Any) -> Setting:
    """The same setting with psi_1 under its name rho, and with these parameters beside it."""
    values = {("rho" if name == "psi1" else name): value for name, value in setting.parameters.items()}
    return replace(setting, parameters={**values, **fixed})


def asked(function: Callable[[Setting], Answer], **fixed: Any) -> Callable[[Setting], Answer]:
    """A prediction or an observation of the paper, for a setting of the talk."""
    return lambda setting: function(in_the_paper(setting, **fixed))


def talk_symbols(symbols: Callable[[Setting], Mapping[str, arb]], **fixed: Any) -> Callable[[Setting], dict[str, arb]]:
    """The paper's symbols in this setting, with rho called psi1."""

    def values(setting: Setting) -> dict[str, arb]:
        found = symbols(in_the_paper(setting, **fixed))
        return {("psi1" if name == "rho" else name): value for name, value in found.items()}

    return values


def second_moment_of_target() -> Equation:
    """E f_*^2 = 2 ||B||^2 + (E f_*)^2 with E f_* = b_0 + Tr B, in the plane."""
    matrix, variables = SymbolicRisk(2, 1).B, sp.symbols("x1 x2", real=True)
    x = sp.Matrix(variables)
    mean = gaussian_mean((b0 + (x.T * matrix * x)[0]) ** 2, variables)
    return Equation("E f_*^2 = Var f_* + (E f_*)^2, d = 2", mean, sp.expand(closed_form(matrix, b0 + matrix.trace())))
