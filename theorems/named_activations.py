"""The activations that have a name, each as one expression in the real symbol x."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import sympy as sp

X = sp.Symbol("x", real=True)

_HALF = sp.Rational(1, 2)
_RELU = sp.Max(X, 0)
_SIGMOID = 1 / (1 + sp.exp(-X))
_SOFTPLUS = sp.log(1 + sp.exp(X))

# The two constants of SELU are defined as the fixed point of a moment map; these are the decimals that
# its authors print and every library uses, read exactly.
_SELU_SCALE = sp.Rational("1.0507009873554804934193349852946")
_SELU_ALPHA = sp.Rational("1.6732632423543772848170429916717")

NAMED: MappingProxyType[str, Any] = MappingProxyType(
    {
        "relu": _RELU,
        "leaky_relu": sp.Piecewise((X, X > 0), (X / 100, True)),
        "elu": sp.Piecewise((X, X > 0), (sp.exp(X) - 1, True)),
        "selu": sp.Piecewise(
            (_SELU_SCALE * X, X > 0), (_SELU_SCALE * _SELU_ALPHA * sp.exp(X) - _SELU_SCALE * _SELU_ALPHA, True)
        ),
        "gelu": X * (1 + sp.erf(X / sp.sqrt(2))) * _HALF,
        "gelu_tanh": X * (1 + sp.tanh(sp.sqrt(2 / sp.pi) * (X + sp.Rational("0.044715") * X**3))) * _HALF,
        "silu": X * _SIGMOID,
        "mish": X * sp.tanh(_SOFTPLUS),
        "softplus": _SOFTPLUS,
        "softsign": X / (1 + sp.Abs(X)),
        "sigmoid": _SIGMOID,
        "tanh": sp.tanh(X),
        "hard_tanh": sp.Max(-1, sp.Min(1, X)),
        "erf": sp.erf(X),
        "sin": sp.sin(X),
        "cos": sp.cos(X),
        "abs": sp.Abs(X),
        "step": sp.Heaviside(X),
        "square": X**2,
        "relu2": _RELU**2,
        "relu3": _RELU**3,
        "hermite2": X**2 - 1,
        "hermite3": X**3 - 3 * X,
    }
)
