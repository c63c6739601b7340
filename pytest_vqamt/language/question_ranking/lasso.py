"""LASSO: the shares of a few columns that add up to a vector best.

min over x of 1/2 ||Ax - b||^2 + lambda ||x||_1, with lambda = 1e-6 (Huang et al., AAAI 2019, section 3, problem 1). The
entries of x may be negative, as in the paper.

Least angle regression (scikit-learn's ``lars_path``) follows the solution down to this lambda. Coordinate descent (its
``Lasso``) does not get there: 2,000 sweeps over 2,000 columns take four seconds and end far from the minimum.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning  # type: ignore[import-untyped]  # it has neither types nor stubs
from sklearn.linear_model import lars_path  # type: ignore[import-untyped]  # as above

from pytest_vqamt.language.question_ranking.embeddings import EmbeddedPool
from pytest_vqamt.language.question_ranking.vectors import one_thread

Vector: TypeAlias = NDArray[np.float64]

LAMBDA = 1e-6
TOLERANCE = 2e-9
"""The largest accepted `violation`: a five-hundredth of lambda."""

_SPREAD = 1e-3
"""The most by which the charge of a column exceeds lambda, as a share of it."""
_TURNS = tuple(root**0.5 % 1 for root in (5, 2, 3, 7, 11, 13, 17, 19))
"""One for each try: multiples of an irrational number, modulo 1, are spread evenly and repeat nowhere."""
_MOST_STEPS = 20_000
"""Steps along a path, at most."""

COLUMNS = 2_000
"""LASSO's columns are so many nearest by cosine, the declared method for large pools."""

_COSINE_DIGITS = 6
_SHARE_DIGITS = 9
"""Differences in later digits depend on the processor and are ignored."""


def solve(columns: Vector, target: Vector) -> Vector:
    """Returns the minimising x, to within `TOLERANCE` of the conditions of a minimum, with exact zeros.

    Similar questions give dependent columns, so several solutions are equally good and paths meet several columns at
    once, where least angle regression fails. So each column is charged up to a thousandth more than lambda, each
    another amount, which leaves one solution. A failed path is followed again with other amounts.

    Args:
        columns: A, float64 [d, n], of unit length.
        target: b, float64 [d], of unit length.

    Warns:
        ConvergenceWarning: no path met the conditions; the nearest result is returned.
    """
    found: list[tuple[float, Vector]] = []
    for turn in _TURNS:
        shares = _followed(columns, target, LAMBDA * (1 + _SPREAD * (turn * np.arange(1, columns.shape[1] + 1) % 1)))
        found.append((violation(columns, target, shares), shares))
        if found[-1][0] <= TOLERANCE:
            return shares
    missed, shares = min(found, key=lambda pair: pair[0])
    warnings.warn(
        f"Expected to meet the conditions of LASSO's minimum to {TOLERANCE}, but missed them by {missed:.1e}: "
        "questions may be ranked otherwise than by the minimum",
        ConvergenceWarning,
        stacklevel=2,
    )
    return shares


def violation(columns: Vector, target: Vector, shares: Vector) -> float:
    """Returns the distance of x from the conditions of a minimum (0 is a subgradient there).

    With g = A^T (Ax - b): |g_j| <= lambda where x_j = 0, and g_j = -lambda sign(x_j) elsewhere.
    """
    slope = columns.T @ (columns @ shares - target)
    missed = np.where(shares == 0, np.maximum(np.abs(slope) - LAMBDA, 0), np.abs(slope + LAMBDA * np.sign(shares)))
    return float(missed.max(initial=0))


def _followed(columns: Vector, target: Vector, charges: Vector) -> Vector:
    """Returns the end of the path, with the charge of each column in place of lambda.

    The caller detects lost paths, so warnings are ignored. Lengths are in units of lambda, because scikit-learn ends a
    path within 1e-7 of the wanted alpha, which would be far off here.
    """
    times = charges / LAMBDA
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        _, _, found = lars_path(
            np.asfortranarray(columns / times),
            target / LAMBDA,
            alpha_min=1 / len(target),  # its objective divides the first term by the number of rows
            max_iter=_MOST_STEPS,
            method="lasso",
            return_path=False,
        )
    return np.asarray(found, np.float64) * LAMBDA / times


def by_lasso(pool: EmbeddedPool, question: str, left_out: Collection[int], top: int) -> list[int]:
    """Returns the places of the best basic questions: by their share in the solution, then by cosine.

    Shares of 0 or less rank nothing. Of equal cosines the earlier in the pool comes first.
    """
    with one_thread():
        target = pool.embedding.embed([question])[0]
        near = _by_cosine(pool, target, left_out)
        columns = near[:COLUMNS]
        shares = _shares(pool.rows[columns], target).round(_SHARE_DIGITS)
    order = np.argsort(-shares, kind="stable")
    best = columns[order[shares[order] > 0]][:top]
    # LASSO often uses fewer questions than a case needs; the nearest by cosine fill up.
    rest = near[~np.isin(near, best)][: top - len(best)] if len(best) < top else near[:0]
    return [int(place) for place in (*best, *rest)]


def _by_cosine(pool: EmbeddedPool, target: NDArray[np.float32], left_out: Collection[int]) -> NDArray[np.intp]:
    # Rounded, and sorted stably below, so that no processor decides the order of equal ones.
    cosines = (pool.rows @ target).round(_COSINE_DIGITS)
    cosines[list(left_out)] = -np.inf
    order = np.argsort(-cosines, kind="stable")
    return order[: len(order) - len(left_out)]


def _shares(rows: NDArray[np.float32], target: NDArray[np.float32]) -> NDArray[np.float64]:
    """Returns the solution; 0 for rows of zeros, and all 0 for a target of zeros."""
    shares = np.zeros(len(rows))
    # A question without a word of the pool has a row of zeros, which has no length to divide by.
    known = rows.any(axis=1)
    if known.any() and target.any():
        shares[known] = solve(_of_unit_length(rows[known]).T, _of_unit_length(target))
    return shares


def _of_unit_length(rows: NDArray[np.float32]) -> NDArray[np.float64]:
    """Returns float64; rows of float32 are of unit length to seven digits only."""
    exact = rows.astype(np.float64)
    return np.asarray(exact / np.linalg.norm(exact, axis=-1, keepdims=True))
