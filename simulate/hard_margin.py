r"""The largest margin of given points, with a certificate of optimality on every solution.

For points v_1..v_n in R^N (a label times a feature vector each)

    kappa = max_{|a| <= 1} min_i <a, v_i> = min_{p in the simplex} |sum_i p_i v_i|,

so any unit vector a and any p of the simplex enclose it:  min_i <a, v_i> <= kappa <= |sum_i p_i v_i|. The solver only
proposes p; a is the direction of sum_i p_i v_i, and both sides are computed anew from the points, widened by their
rounding errors. A gap that does not close raises, so no number rests on a solver's own word.

The solver is SciPy's active-set method for nonnegative least squares: the minimiser of |V'x|^2 + (<1,x> - 1)^2 over
x >= 0 is along p (Lawson and Hanson's least-distance programme). Where its certificate fails, the interior-point method
of Clarabel is asked.

If 0 lies in the convex hull, the points are not separable by a hyperplane through 0, kappa = 0 and a = 0. In floating
point that is: the upper end of the enclosure is within the rounding error of 0, so that no margin above it exists.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import clarabel
import numpy as np
from scipy import sparse
from scipy.optimize import nnls

GAP = 1e-6
"""Largest relative width of an enclosure: far below what any claim about a margin resolves."""
ROUNDING = 4.0
"""An enclosure within this many rounding errors of 0 is one of kappa = 0: an error in the proposal of p by some units
in the last place moves the hull's point by as many."""


@dataclass(frozen=True, eq=False)
class Margin:
    """An enclosure of kappa: `direction` has the margin `least`, no direction has one above `most`.

    `separable` is False where kappa cannot be told from 0; then `least` is 0, the margin of `direction` = 0.
    """

    least: float
    most: float
    direction: np.ndarray
    separable: bool

    @property
    def value(self) -> float:
        """The margin reached; exactly 0 where the points are not separable."""
        return self.least


Proposal = Callable[[np.ndarray], np.ndarray]
"""From points, scaled to entries of size one, to nonnegative weights of the hull's point nearest 0."""


def active_set(points: np.ndarray) -> np.ndarray:
    """The weights by nonnegative least squares, exact up to rounding."""
    count, length = points.shape
    # Only inner products matter: with more coordinates than points, a triangular factor has the same ones.
    columns = np.linalg.qr(points.T, mode="r") if length > count else points.T
    target = np.zeros(len(columns) + 1)
    target[-1] = 1
    return nnls(np.vstack([columns, np.ones(count)]), target, maxiter=30 * count)[0]


def interior_point(points: np.ndarray) -> np.ndarray:
    """The weights from the dual of min |a|^2/2 such that <a, v_i> >= 1, by Clarabel.

    Where the dual is unbounded the last iterate points along a ray with sum p_i v_i = 0, which is what is wanted.
    """
    count = len(points)
    settings = clarabel.DefaultSettings()  # pyright: ignore[reportAttributeAccessIssue]  (compiled, no stubs)
    settings.verbose = False
    settings.presolve_enable = False
    settings.max_threads = 1
    solver = clarabel.DefaultSolver(  # pyright: ignore[reportAttributeAccessIssue]  (compiled, no stubs)
        sparse.csc_matrix(np.triu(points @ points.T)),
        -np.ones(count),
        -sparse.identity(count, format="csc"),
        np.zeros(count),
        [clarabel.NonnegativeConeT(count)],  # pyright: ignore[reportAttributeAccessIssue]  (compiled, no stubs)
        settings,
    )
    return np.asarray(solver.solve().x)


SOLVERS: tuple[Proposal, ...] = (active_set, interior_point)


def certified(points: np.ndarray, weights: np.ndarray) -> Margin | None:
    """The enclosure that the weights prove, None if it is wider than GAP.

    A computed inner product or norm of N terms is off by at most (N + 2) units in the last place of the product of
    the lengths; lengths are one for a, and at most that of the longest point for the hull.
    """
    longest = float(np.max(np.linalg.norm(points, axis=1)))
    rounding = (points.shape[1] + 2) * float(np.finfo(np.float64).eps) * longest
    total = float(np.sum(weights))
    if not (np.all(weights >= 0) and math.isfinite(total) and total > 0):
        return None
    nearest = (weights / total) @ points
    length = float(np.linalg.norm(nearest))
    # A sum over the n points is off by n units, not N.
    most = length + (len(points) + 2) * rounding / (points.shape[1] + 2)
    if most <= ROUNDING * max(rounding, most - length):
        return Margin(0.0, most, np.zeros(points.shape[1]), False)
    for direction in _directions(points, weights, nearest):
        least = float(np.min(points @ direction)) - rounding
        if least > 0 and most - least <= GAP * most:
            return Margin(least, most, direction, True)
    return None


def _directions(points: np.ndarray, weights: np.ndarray, nearest: np.ndarray) -> Iterator[np.ndarray]:
    """Unit vectors along sum_i p_i v_i, and along the shortest a with <a, v_i> = 1 at the support vectors.

    They are the same but for rounding. The sum cancels where the margin is small: it has the direction up to units in
    the last place over kappa, and the margin up to units over kappa^2; the second has it up to units over kappa.
    """
    yield nearest / np.linalg.norm(nearest)
    support = points[weights > 0]
    level = np.linalg.lstsq(support, np.ones(len(support)), rcond=None)[0]
    yield level / np.linalg.norm(level)


def hard_margin(points: np.ndarray) -> Margin:
    """The enclosure of the largest margin of the rows of `points`; FloatingPointError if it does not close."""
    scale = float(np.sqrt(np.mean(points**2)))
    if not (math.isfinite(scale) and scale > 0):
        raise FloatingPointError("the features vanish or overflow; scale the activation")
    for solver in SOLVERS:
        try:
            weights = solver(points / scale)
        except (RuntimeError, np.linalg.LinAlgError):  # out of iterations: the next solver may do
            continue
        found = certified(points, np.maximum(weights, 0))
        if found is not None:
            return found
    raise FloatingPointError(
        f"neither solver closes the duality gap of {len(points)} points to {GAP:g}: they are separable, if at all, by "
        "less than rounding leaves sure; centre the activation, or move away from the separability threshold"
    )
