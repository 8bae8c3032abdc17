"""How the random-features risk depends on the covariance of the weights (P, 1.1 and Figure 1; S).

With s = psi lambda_2^2, k = d ||Gamma||^2 and cosine2 = <Gamma,B>^2/(||Gamma||^2 ||B||^2), eq. (10) is
1 - s cosine2 k/(2 + s k). Hence

* it is at least 2/(2 + s k) > 0 and at least 1 - cosine2, at every rho;
* lambda~ >= lambda_2^2/2 and psi <= rho/lambda~ give s <= 2 rho: no activation does better than x^2 - 1, and the
  risk is at least 1/(1 + rho k), whatever the non-linearity;
* as rho -> infinity the best Gamma is the one proportional to B. At a finite rho it is not: for sigma = x^2 - 1
  the best Gamma is proportional to B - (Tr B/(d (1 + rho))) I where that is nonnegative, with risk
  t/(1 + rho) against t/(t + rho) for Gamma proportional to B, t = Tr(B)^2/(d ||B||^2).
"""

from __future__ import annotations

import sympy as sp
from flint import arb

from theorems.activation import activation
from theorems.claim import (
    Bound,
    Decision,
    Equation,
    Erratum,
    Fact,
    Inequality,
    Limit,
    Mutant,
    Reading,
    Setting,
    Shape,
    Statement,
    Theorem,
)
from theorems.lazy_training.rf_risk import (
    A1,
    A2,
    BIAS_CLASS,
    COVARIANCE,
    LADDER,
    MEAN_ZERO,
    observe,
    predicted_risk,
    risk,
    symbols,
)
from theorems.parameters import read_parameter

psi, coefficient, k, rho = sp.symbols("psi lambda_2 k rho", positive=True)
cosine2, off = sp.symbols("cosine2 e", nonnegative=True)
rest, absorbed = sp.symbols("rest absorbed", nonnegative=True)
t = sp.Symbol("t", positive=True)
UNIT = {cosine2: (sp.Integer(0), sp.Integer(1)), off: (sp.Integer(0), sp.Integer(1))}
INSIDE = {t: (sp.Rational(1, 20), sp.Rational(19, 20)), rho: (sp.Rational(1, 10), sp.Integer(10))}
signal = psi * coefficient**2


def _bounded_away(setting: Setting) -> tuple[Statement, ...]:
    value = risk(psi, coefficient, (1 - off) * k, k)
    return (
        Bound("risk >= 2/(2 + s k)", 2 / (2 + signal * k), value, False, signal * off * k / (2 + signal * k), UNIT),
        Bound("2/(2 + s k) > 0", sp.Integer(0), 2 / (2 + signal * k), True, 2 / (2 + signal * k)),
        Bound(
            "risk >= 1 - cosine2 at every rho",
            1 - cosine2,
            risk(psi, coefficient, cosine2 * k, k),
            certificate=2 * cosine2 / (2 + signal * k),
            domain=UNIT,
        ),
        _depends_on_gamma(),
    )


def _difference() -> arb:
    """B of rank d/8, rho = 2, sigma = x^2 - 1: the risk for isotropic weights minus that for Gamma ~ B."""
    sigma = activation("x**2 - 1")
    names = {"rho": "2", "B": "low_rank", "Gamma": "isotropic"}

    def at(gamma: str) -> arb:
        chosen = names | {"Gamma": gamma}
        return predicted_risk(Setting({n: read_parameter(n, v, names) for n, v in chosen.items()}, None, sigma))

    return at("isotropic") - at("proportional_to_B")


def _depends_on_gamma() -> Fact:
    gap = _difference()
    reason = f"for B of rank d/8 and rho = 2 the risk differs by {gap.str(6, radius=False)} between two Gammas"
    return Fact("highly dependent on Gamma", Decision(bool(gap > arb("0.5")), reason), certain=True)


def _vanishes_when_wide(setting: Setting) -> tuple[Statement, ...]:
    limit = sp.limit(risk(psi, coefficient, cosine2 * k, k), psi, sp.oo)
    return (Equation("the risk vanishes as rho -> inf for every Gamma", limit, sp.Integer(0), UNIT),)


def _does_not_depend(setting: Setting) -> tuple[Statement, ...]:
    gap = _difference()
    return (Fact("independent of Gamma", Decision(bool(gap.contains(0)), f"the risks differ by {gap.str(6)}"), True),)


def _signal_is_limited() -> Bound:
    """lambda~ = lambda_2^2/2 + rest by Parseval (lambda_0 = 0), and lambda~ psi = rho - absorbed by (9)."""
    slack = coefficient**2 / 2 + rest
    # rho = lambda~ psi + absorbed, so that 2 rho - psi lambda_2^2 = 2 rest psi + 2 absorbed.
    return Bound("psi lambda_2^2 <= 2 rho", signal, 2 * (slack * psi + absorbed), False, 2 * rest * psi + 2 * absorbed)


def _best_activation(setting: Setting) -> tuple[Statement, ...]:
    less = sp.Symbol("m", nonnegative=True)  # 2 rho = psi lambda_2^2 + m
    ratio = (signal + less) / 2
    quadratic = 1 - ratio * (1 - off) * k / (1 + ratio * k)
    general = risk(psi, coefficient, (1 - off) * k, k)
    gain = sp.factor(sp.together(general - quadratic))
    certificate = gain.subs(off, 1 - cosine2)
    return (
        _signal_is_limited(),
        Bound(
            "no activation beats x^2 - 1",
            quadratic.subs(off, 1 - cosine2),
            general.subs(off, 1 - cosine2),
            certificate=certificate,
            domain=UNIT,
        ),
        Bound("and its risk is positive", sp.Integer(0), 1 / (1 + rho * k), True, 1 / (1 + rho * k)),
    )


def _captured_by_wide(setting: Setting) -> tuple[Statement, ...]:
    """Some activation reaches a zero risk at finite rho."""
    return (Equation("risk = 0 at cosine2 = 1", risk(psi, coefficient, k, k), sp.Integer(0)),)


def _aligned_is_best_when_wide(setting: Setting) -> tuple[Statement, ...]:
    limit = sp.limit(risk(psi, coefficient, cosine2 * k, k), psi, sp.oo)
    return (
        Equation("rho -> inf: the risk is 1 - cosine2", limit, 1 - cosine2, UNIT),
        Equation("which is least, zero, for Gamma proportional to B", limit.subs(cosine2, 1), sp.Integer(0)),
        Bound(
            "at finite rho it is positive even then",
            sp.Integer(0),
            risk(psi, coefficient, k, k),
            strict=True,
            certificate=2 / (2 + signal * k),
        ),
    )


aligned_risk = t / (t + rho)
best_risk = t / (1 + rho)


def _aligned_is_best(setting: Setting) -> tuple[Statement, ...]:
    return (Bound("no Gamma beats the one proportional to B", aligned_risk, best_risk, domain=INSIDE),)


def _shifted_is_best(setting: Setting) -> tuple[Statement, ...]:
    """Minimise over Gamma with eigenvalues g/d: in dimension two, with b and g of mean m and 1.

    The risk is 1 - rho <b,g>^2/(|b|^2 (1 + rho |g|^2)), averages over the eigenvalues, mean g = 1.
    """
    m, v, g = sp.symbols("m v g", real=True)  # b = m +- v, g = 1 +- g: means of products are 1 m, v g
    norm = m**2 + v**2
    value = 1 - rho * (m + v * g) ** 2 / (norm * (1 + rho * (1 + g**2)))
    alignment = m**2 / norm
    best = alignment / (1 + rho)
    # b - (m/(1+rho)) has mean m rho/(1+rho) and spread v: normalised to mean one its spread is
    shift = v * (1 + rho) / (m * rho)
    margin = sp.factor(sp.together(value - best))
    return (
        Bound("no Gamma does better than t/(1 + rho)", best, value, certificate=margin, domain={m: (1, 3), v: (0, 1)}),
        Equation("the shifted B attains it", value.subs(g, shift), best, {m: (1, 3), v: (0, 1)}),
        Equation("Gamma proportional to B reaches t/(t + rho)", value.subs(g, v / m), alignment / (alignment + rho)),
        Bound(
            "which is more, for t < 1",
            best_risk.subs(t, 1 / (1 + cosine2)),
            aligned_risk.subs(t, 1 / (1 + cosine2)),
            certificate=cosine2 / ((1 + rho) * (1 + rho * (1 + cosine2)) * (1 + cosine2)),
        ),
    )


def _optimum(setting: Setting) -> arb:
    value = symbols(setting)
    return value["t"] / (1 + value["rho"])


def _aligned(setting: Setting) -> arb:
    value = symbols(setting)
    return value["t"] / (value["t"] + value["rho"])


def _isotropic(setting: Setting) -> arb:
    value = symbols(setting)
    return 1 - value["rho"] * value["t"] / (1 + value["rho"])


THEOREM = Theorem(
    slug="rf-covariance",
    title="Random features and the covariance of their weights",
    source="P, Section 1.1 and Figure 1; S, Results",
    latex=r"\min_\Gamma R_{\mathrm{RF}} \text{ is attained near } \Gamma\propto B \text{ as } \rho\to\infty",
    parameters={"rho": 1, "B": "2,6", "Gamma": "0,1"},
    symbols=("rho", "t", "overlap", "concentration", "cosine2"),
    evaluate=symbols,
    activation="x**2 - 1",
    hypotheses=(A1, COVARIANCE, A2, MEAN_ZERO),
    uses=("rf-quadratic", "rf-quadratic-activation", "rf-wide-limit"),
    claims=(
        Inequality(
            id="LT-S1",
            readings=(
                Reading(
                    document="P",
                    place="1.1",
                    printed="the RF risk remains bounded away from zero for all rho and is highly dependent on Gamma",
                    states=_bounded_away,
                ),
            ),
            mutants=(
                Mutant(name="vanishes-when-wide", states=_vanishes_when_wide),
                Mutant(name="independent-of-Gamma", states=_does_not_depend),
            ),
        ),
        Shape(
            id="LT-S2",
            readings=(
                Reading(
                    document="P",
                    place="1.1",
                    printed="for rho -> inf the optimal Gamma is proportional to B; even then the risk is positive",
                    states=_aligned_is_best_when_wide,
                ),
            ),
            mutants=(Mutant(name="zero-at-finite-rho", states=_captured_by_wide),),
        ),
        Shape(
            id="LT-S2",
            part="at-finite-rho",
            readings=(
                Reading(
                    document="P",
                    place="1.1, Figure 1 ('optimal features')",
                    printed="for large rho the optimal Gamma is proportional to B (at a given rho)",
                    states=_aligned_is_best,
                    erratum=Erratum(
                        corrected=(
                            "for sigma = x^2 - 1 the optimal Gamma is proportional to B - Tr(B)/(d(1+rho)) I if that "
                            "is nonnegative: risk t/(1+rho) against t/(t+rho); the two agree as rho -> inf"
                        ),
                        states=_shifted_is_best,
                    ),
                ),
            ),
            mutants=(Mutant(name="zero-at-finite-rho", states=_captured_by_wide),),
        ),
        Limit(
            id="LT-S2",
            part="optimum-measured",
            observe=observe,
            ladder=LADDER,
            bias_class=BIAS_CLASS,
            points=(
                {"rho": "1", "B": "2,6", "Gamma": "0,1"},
                {"rho": "1/3", "B": "6,10", "Gamma": "0,1"},
                {"rho": "1/2", "B": "4,6", "Gamma": "1,4"},
            ),
            resolution=0.02,
            resolution_reason="Gamma proportional to B is 10% worse at the first point",
            readings=(
                Reading(
                    document="P",
                    place="1.1, corrected",
                    printed="Gamma proportional to B - Tr(B)/(d(1+rho)) I has risk t/(1+rho)",
                    states=_optimum,
                ),
            ),
            mutants=(
                Mutant(name="no-better-than-aligned", states=_aligned),
                Mutant(name="no-better-than-isotropic", states=_isotropic),
            ),
        ),
        Inequality(
            id="LT-V1",
            readings=(
                Reading(
                    document="S",
                    place="Results",
                    printed="the RF model does not capture quadratic functions (regardless of the non-linearity)",
                    states=_best_activation,
                ),
            ),
            mutants=(Mutant(name="captured-at-finite-rho", states=_captured_by_wide),),
        ),
    ),
)
