r"""kappa_* and Err_*, which the slide calls explicitly given, derived and solved (T, Asymptotics of max-margin).

For noisy linear features with b_* = 1 and N/d -> psi1, n/d -> psi2 (proofs_checks/max_margin_derivation.py): let

    U = zeta^2 w/(1 + zeta^2 w),  V = (w + U)/psi2,  t = (psi1 - U)/w - 1,
    U2 = U (1 - U) w/(psi1 - U^2),  V2 = w (w + U (1 - U))/(psi2 (psi1 - U^2)),

and, with G, Z ~ N(0, 1) independent, P(Y = 1 | G) = f0(G) and X = 1 - p Y G - q Z,

    pi = P(X > 0),  C = E X_+,  D = E[Y G X_+],  Phi = E X_+^2.

Then p = U omega and (omega, q, w) solve pi = V, D = omega pi (1 - U), pi C = t (omega^2 pi^2 U2 + Phi V2), and

    kappa_*^-2 = omega^2 U2 + Phi V2/pi^2,    Err_* = P(p Y G + q Z <= 0).

There is a positive margin exactly for n/d below psi2_* >= 2 psi1. Checked here: the algebra of the derivation, step by
step; the corners that are known (Gardner's margin and Cover's n = 2N at zeta = 0, the wide limit); and that solutions
come with 12 certified digits, from the neighbourhood of the threshold to the far ends of the parameters.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb, ctx

from proofs_checks import feature_covariance as covariance
from proofs_checks.margin_functional import LabelLaw
from proofs_checks.max_margin import max_margin, separability_threshold, wide_limit
from proofs_checks.max_margin_derivation import corner_steps, derivation_steps
from theorems.claim import (
    Decision,
    Equation,
    Fact,
    Identity,
    Mutant,
    Reading,
    Setting,
    Shape,
    Statement,
    Theorem,
)
from theorems.steps import statements

PRINTED = "Err_*(zeta, psi1, psi2, f0), kappa_*(zeta, psi1, psi2, f0) are explicitly given"
PLACE = "Asymptotics of max-margin classification"
DIGITS = arb(10) ** -12

CASES = (
    ("5/3", "1", "1", "sign"),
    ("5/3", "4", "2", "logistic:1"),
    ("1/20", "1/2", "99/100", "probit:2"),
    ("20", "50", "2", "logistic:30"),
    ("2", "1/20", "1/50", "probit:1/1000"),
    ("4", "20", "30", "logistic:1/1000"),
    ("1", "1000", "1000", "sign"),
    ("3", "1/1000", "1/1000", "probit:1000"),
)
"""zeta, psi1, psi2, labels."""


def _derivation(setting: Setting) -> tuple[Statement, ...]:
    return statements((*covariance.resolvent_steps(), *derivation_steps()))


def _support_without_signal(setting: Setting) -> tuple[Statement, ...]:
    """The mutant: n^-1 Tr Sigma (Sigma + t)^-1 = w/psi2, as if the features were noise only."""
    t, w, psi1, psi2 = covariance.proportional().t, covariance.w, covariance.psi1, covariance.psi2
    return (Equation("V without U", psi1 / psi2 * (1 - t * w / psi1), w / psi2),)


def _independent_features(setting: Setting) -> tuple[Statement, ...]:
    """The mutant: U2 = U^2/||mu||^2 with ||mu||^2 = zeta^2 psi1, as if all eigenvalues of W W^T were equal."""
    U, U2 = covariance.proportional().U, covariance.proportional().U2
    return (Equation("U2 of equal eigenvalues", U2, U**2 / (covariance.zeta**2 * covariance.psi1)),)


def _corners(setting: Setting) -> tuple[Statement, ...]:
    return (*statements(corner_steps()), _gardner(2), _cover(2), _towards_the_wide_limit(1))


def _gardner(power: int) -> Fact:
    """E(kappa + G)_+^power = N/n at zeta = 0, certified; the true power is 2."""
    wrong, figures = [], {}
    for ratio in ("3/5", "1", "3", "20"):
        with ctx.workprec(128):
            kappa = max_margin(0, Fraction(ratio), 1, LabelLaw("sign")).kappa
            distribution = (-kappa / arb(2).sqrt()).erfc() / 2
            density = (-kappa * kappa / 2).exp() / (2 * arb.pi()).sqrt()
            linear = kappa * distribution + density
            moment = kappa * linear + distribution if power == 2 else linear
            off = moment - arb(Fraction(ratio).numerator) / Fraction(ratio).denominator
        figures[f"kappa_* at N/n = {ratio}"] = kappa.str(20)
        if not (off.contains(0) and off.rad() < DIGITS):
            wrong.append(f"N/n = {ratio}: off by {off.str(6)}")
    reason = wrong[0] if wrong else "equal within certified radii below 1e-12 at four N/n"
    return Fact(f"Gardner: E(kappa + G)_+^{power} = N/n at zeta = 0", Decision(not wrong, reason), True, figures)


def _cover(factor: int) -> Fact:
    """psi2_* = factor psi1 at zeta = 0; the true factor is 2."""
    found = [separability_threshold(0, psi1, LabelLaw.of("logistic:2")) - factor * psi1 for psi1 in (1, 3)]
    holds = all(off.contains(0) and off.rad() < DIGITS for off in found)
    return Fact(f"Cover: n = {factor} N at zeta = 0", Decision(holds, f"off by {found[0].str(6)}"), certain=True)


def _towards_the_wide_limit(power: int) -> Fact:
    """psi1^power (kappa_*/sqrt(psi1) - wide kappa) settles: the wide limit is approached like 1/psi1."""
    labels = LabelLaw.of("logistic:2")
    far = wide_limit(2, 1, labels)
    scaled = []
    for exponent in (3, 4, 5):
        psi1 = arb(10) ** exponent
        here = max_margin(2, 10**exponent, 1, labels)
        scaled.append([psi1**power * (here.kappa / psi1.sqrt() - far.kappa), psi1**power * (here.error - far.error)])
    steady = all(abs(scaled[2][i] / scaled[1][i] - 1) < abs(scaled[1][i] / scaled[0][i] - 1) for i in range(2))
    away = all(abs(abs(scaled[2][i] / scaled[1][i]) - 1) < arb("0.01") for i in range(2))
    reason = f"psi1^{power} x difference at psi1 = 1e4, 1e5: {[x[0].str(6, radius=False) for x in scaled[1:]]}"
    # The limit itself is proved by the resolvents; its rate at three psi1 is evidence.
    return Fact(f"the wide limit is approached like psi1^-{power}", Decision(steady and away, reason), certain=False)


def _digits(setting: Setting) -> tuple[Statement, ...]:
    """Relative radii below 1e-12 for both numbers, far from the threshold and near."""
    figures, wrong = {}, []
    near = separability_threshold(2, 1, LabelLaw.of("logistic:2"))
    close = Fraction(float(near.mid())).limit_denominator(10**7) * Fraction(9999, 10000)
    for zeta, psi1, psi2, labels in (*CASES, ("2", "1", str(close), "logistic:2")):
        found = max_margin(Fraction(zeta), Fraction(psi1), Fraction(psi2), LabelLaw.of(labels))
        figures[f"zeta = {zeta}, psi1 = {psi1}, psi2 = {psi2}, {labels}"] = (
            f"kappa_* = {found.kappa.str(18)}, Err_* = {found.error.str(18)}"
        )
        if not (found.kappa.rad() < DIGITS * found.kappa and found.error.rad() < DIGITS * found.error):
            wrong.append(f"at {zeta}, {psi1}, {psi2}, {labels}: kappa_* = {found.kappa.str(20)}")
    reason = wrong[0] if wrong else f"12 digits and more, certified by Krawczyk's operator, at {len(CASES) + 1} points"
    return (Fact("certified digits", Decision(not wrong, reason), True, figures),)


def _same_value(zeta: str, other: str) -> Fact:
    """The mutant: digits that do not tell two values of zeta apart."""
    first, second = (max_margin(Fraction(x), 1, 1, LabelLaw("sign")).kappa for x in (zeta, other))
    reason = f"kappa_* = {first.str(12)} at zeta = {zeta}, {second.str(12)} at {other}"
    return Fact("one value for two zeta", Decision(bool(first.overlaps(second)), reason), certain=True)


THEOREM = Theorem(
    slug="margin-derivation",
    title="The equations of the max-margin classifier on noisy linear features",
    source="T, slide Asymptotics of max-margin classification",
    latex=(
        r"\pi = V,\quad D = \omega\pi(1-U),\quad \pi C = t(\omega^2\pi^2U_2+\Phi V_2),\quad"
        r"\kappa_*^{-2} = \omega^2U_2+\Phi V_2/\pi^2"
    ),
    claims=(
        Identity(
            id="TL-MM",
            part="derivation",
            readings=(Reading(document="T", place=PLACE, printed=PRINTED, states=_derivation),),
            mutants=(
                Mutant(name="support-without-signal", states=_support_without_signal),
                Mutant(name="equal-eigenvalues", states=_independent_features),
            ),
        ),
        Identity(
            id="TL-MM",
            part="corners",
            readings=(
                Reading(
                    document="T",
                    place=f"{PLACE}: Statistical physics: Gardner 1988",
                    printed=f"{PRINTED}; at zeta = 0 Gardner's margin, Cover's threshold; N/d -> infinity",
                    states=_corners,
                ),
            ),
            mutants=(
                Mutant(name="first-moment-for-second", states=lambda setting: (_gardner(1),)),
                Mutant(name="n-up-to-N", states=lambda setting: (_cover(1),)),
                Mutant(name="wide-limit-at-a-slower-rate", states=lambda setting: (_towards_the_wide_limit(2),)),
            ),
        ),
        Shape(
            id="TL-MM",
            part="digits",
            readings=(Reading(document="T", place=PLACE, printed=PRINTED, states=_digits),),
            mutants=(Mutant(name="the-margin-of-another-zeta", states=lambda setting: (_same_value("5/3", "17/10"),)),),
        ),
    ),
)
