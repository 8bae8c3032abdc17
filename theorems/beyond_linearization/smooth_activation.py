r"""Assumption A, decided for any activation (B, Section 2).

sigma in C^2(R), and for some constant C > 0

    |sigma'(t)| <= C t^2,   |sigma''(t)| <= C |t|,   sigma'' is C-Lipschitz.

Let L be the least Lipschitz constant of sigma''. The three conditions together say no more than
sigma'(0) = sigma''(0) = 0 and L < infinity, since then |sigma''(t)| <= L |t| and |sigma'(t)| <= L t^2/2; the best C
is L = sup |sigma'''|. For the cubic ReLU max(t, 0)^3 they hold with 3, 6, 6, so C = 6. ReLU and tanh have
sigma'(0) != 0; x^4 has L = infinity.
"""

from __future__ import annotations

import sympy as sp
from flint import arb

from proofs_checks.cubic_smoothness import CubicSmoothness, cubic_smoothness
from theorems.activation import Activation, activation
from theorems.claim import (
    Bound,
    Decision,
    Equation,
    Fact,
    Hypothesis,
    Identity,
    Inequality,
    Mutant,
    Reading,
    Setting,
    Shape,
    Statement,
    Theorem,
)

t, s, lipschitz = sp.symbols("t s L", positive=True)
gap = sp.Symbol("h", nonnegative=True)

SATISFYING = ("relu3", "x**3", "Abs(x)**3", "x - sin(x)", "x**3/(1 + x**2)", "x - tanh(x)", "x**4*exp(-x**2)")
VIOLATING = ("relu", "relu2", "tanh", "erf", "sin", "gelu", "softplus", "x**2", "log(1 + x**2)", "x**4", "x**2*sin(x)")
LIPSCHITZ = ("tanh(x)", "erf(x)", "sin(x)", "cos(x)", "log(1 + exp(x))", "x/(1 + exp(-x))", "gelu(x)", "atan(x)")


def smoothness(sigma: Activation) -> CubicSmoothness:
    """Assumption A for this activation, with a ball around the best constant where it holds."""
    return cubic_smoothness(sigma.expression)


def smoothness_constant(sigma: Activation) -> arb:
    """The best C of Assumption A, as a ball; only where the assumption holds."""
    constant = smoothness(sigma).constant
    assert constant is not None, "ask ASSUMPTION_A first"
    return constant


def cubic_relu() -> Setting:
    """The activation with C = 1 that uses |sigma''| <= C |t| and |sigma'| <= C t^2/2 up, for all t > 0.

    Whether a power in a bound is the best is asked here, whatever activation the bound is tried with.
    """
    return Setting({}, activation=activation("Max(x, 0)**3/6"))


def _assumption(setting: Setting) -> Decision:
    found = smoothness(setting.activation)
    return Decision(found.holds, found.reason)


ASSUMPTION_A = Hypothesis(
    name="Assumption A",
    text="sigma in C^2, |sigma'(t)| <= C t^2, |sigma''(t)| <= C |t|, sigma'' is C-Lipschitz",
    check=_assumption,
)


def _not_constant(setting: Setting) -> Decision:
    constant = smoothness(setting.activation).constant
    if constant is not None and constant == 0:
        return Decision(False, "sigma is constant, so that every network is zero and there is nothing to compare.")
    return Decision(True, "sigma is not constant.")


NOT_CONSTANT = Hypothesis(name="not constant", text="sigma is not constant", check=_not_constant)
"""Left unsaid in the document: a constant satisfies Assumption A with every C."""


def _own(setting: Setting) -> Fact:
    found = smoothness(setting.activation)
    figures = {} if found.constant is None else {"C": found.constant.str(8)}
    return Fact(f"sigma(x) = {setting.activation.text}", Decision(found.holds, found.reason), True, figures)


def _cubic_relu(constant: int) -> tuple[Statement, ...]:
    """The three conditions for max(t, 0)^3, which is zero for t <= 0, with s = t + h for the last."""
    cube = t**3
    first, second = sp.diff(cube, t), sp.diff(cube, t, 2)
    return (
        Bound("|sigma'(t)| <= C t^2", first, constant * t**2, certificate=(constant - 3) * t**2),
        Bound("|sigma''(t)| <= C |t|", second, constant * t, certificate=(constant - 6) * t),
        Bound(
            "sigma'' is C-Lipschitz on t > 0",
            second.subs(t, t + gap) - second,
            constant * gap,
            certificate=(constant - 6) * gap,
        ),
        Bound(
            "sigma'' is C-Lipschitz across 0",
            second,
            constant * (t + gap),
            certificate=constant * gap + (constant - 6) * t,
        ),
    )


def _example(setting: Setting) -> tuple[Statement, ...]:
    return (*_cubic_relu(6), _own(setting))


def _decided(satisfying: tuple[str, ...], violating: tuple[str, ...]) -> tuple[Statement, ...]:
    found = {text: smoothness(activation(text)) for text in (*satisfying, *violating)}
    return tuple(
        Fact(
            f"sigma(x) = {text} {'satisfies' if text in satisfying else 'violates'} Assumption A",
            Decision(None if one.holds is None else one.holds == (text in satisfying), one.reason),
            certain=True,
        )
        for text, one in found.items()
    )


def _reduction(first: sp.Expr, second: sp.Expr) -> tuple[Statement, ...]:
    """|sigma''(t)| <= int_0^t L ds and |sigma'(t)| <= int_0^t |sigma''(s)| ds, for t > 0 and likewise for t < 0."""
    bound = sp.integrate(lipschitz, (s, 0, t))
    return (
        Equation("|sigma''(t)| <= L t, from sigma''(0) = 0", bound, second),
        Equation("|sigma'(t)| <= L t^2/2, from sigma'(0) = 0", sp.integrate(second.subs(t, s), (s, 0, t)), first),
        Bound("so C = L serves for both", lipschitz * t**2 / 2, lipschitz * t**2, certificate=lipschitz * t**2 / 2),
    )


def _without_jet(texts: tuple[str, ...], order: int) -> tuple[Statement, ...]:
    """sigma minus its Taylor polynomial at 0 of this order satisfies Assumption A.

    So the two bounds at zero cost two coefficients, which is how footnote 2 is made checkable: `_reduction` says so of
    every sigma with a Lipschitz sigma'', whose remainder has sigma'(0) = sigma''(0) = 0, and the examples show it.
    """
    facts = []
    for text in texts:
        sigma = activation(text).expression
        (x,) = sigma.free_symbols
        jet = sum((sp.diff(sigma, x, k).subs(x, 0) * x**k / sp.factorial(k) for k in range(1, order + 1)), sp.S.Zero)
        found = cubic_smoothness(sigma - jet)
        facts.append(Fact(f"{text} - ({jet})", Decision(found.holds, found.reason), certain=True))
    return tuple(facts)


THEOREM = Theorem(
    slug="smooth-activation",
    title="Assumption A: the activation is second-order smooth",
    source="B, Section 2, Assumption A",
    latex=r"|\sigma'(t)| \le C t^2,\quad |\sigma''(t)| \le C|t|,\quad \sigma''\ \text{is}\ C\text{-Lipschitz}",
    activation="Max(x, 0)**3",
    takes_activation=True,
    hypotheses=(ASSUMPTION_A,),
    value=lambda setting: smoothness_constant(setting.activation),
    value_name="the best constant C of Assumption A",
    claims=(
        Inequality(
            id="BL-A",
            readings=(
                Reading(
                    document="B",
                    place="Assumption A",
                    printed="An example is the cubic ReLU sigma(t) = relu^3(t) = max{t, 0}^3",
                    scan="the primes and the exponents of relu^3 and t^2 are read from the sense",
                    states=_example,
                ),
            ),
            mutants=(
                Mutant(name="C-is-3-for-the-cubic-relu", states=lambda setting: _cubic_relu(3)),
                Mutant(name="the-squared-relu-is-an-example", states=lambda setting: _decided(("relu2",), ())),
            ),
        ),
        Shape(
            id="BL-A",
            part="decided",
            readings=(
                Reading(
                    document="B",
                    place="Assumption A",
                    printed=(
                        "sigma in C^2(R), and there exists C > 0 such that |sigma'(t)| <= C t^2, |sigma''(t)| <= C|t|, "
                        "and sigma'' is C-Lipschitz (and thus excluding ReLU)"
                    ),
                    states=lambda setting: _decided(SATISFYING, VIOLATING),
                ),
            ),
            mutants=(
                Mutant(name="x^4-is-smooth-enough", states=lambda setting: _decided(("x**4",), ())),
                Mutant(name="log(1+x^2)-is-flat-enough-at-0", states=lambda setting: _decided(("log(1 + x**2)",), ())),
                Mutant(name="tanh-is-an-example", states=lambda setting: _decided(("tanh",), ())),
                Mutant(name="x-sin(x)-is-excluded", states=lambda setting: _decided((), ("x - sin(x)",))),
            ),
        ),
        Identity(
            id="BL-A",
            part="one-constant",
            readings=(
                Reading(
                    document="B",
                    place="Assumption A",
                    printed="some absolute constant C, the same in the three conditions",
                    states=lambda setting: _reduction(lipschitz * t**2 / 2, lipschitz * t),
                ),
            ),
            mutants=(
                Mutant(
                    name="t^3-for-t^2", states=lambda setting: _reduction(lipschitz * t**3 / 6, lipschitz * t**2 / 2)
                ),
            ),
        ),
        Shape(
            id="BL-A",
            part="footnote-2",
            readings=(
                Reading(
                    document="B",
                    place="footnote 2",
                    printed="the only restrictive requirement in Assumption A is the Lipschitzness of sigma''",
                    scan="gives o/ for sigma'', which the next words (second-order smoothness) fix",
                    states=lambda setting: (
                        *_reduction(lipschitz * t**2 / 2, lipschitz * t),
                        *_without_jet(LIPSCHITZ, 2),
                    ),
                ),
            ),
            mutants=(
                Mutant(
                    name="subtracting-the-linear-part-is-enough", states=lambda setting: _without_jet(("gelu(x)",), 1)
                ),
                Mutant(name="Lipschitzness-is-not-needed", states=lambda setting: _without_jet(("exp(x)",), 2)),
            ),
        ),
    ),
)
