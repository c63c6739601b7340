"""The LASSO ranking of a pool: the 2,000 nearest questions, and of these the shares that make up the main question."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from pytest_vqamt.language.basic_questions.one_thread import one_thread
from pytest_vqamt.language.question_ranking.embeddings import EmbeddedPool
from pytest_vqamt.language.question_ranking.lasso import solve

COLUMNS = 2_000
"""So many of the nearest by cosine are LASSO's columns: the declared method for large pools."""

_COSINE_DIGITS = 6
_SHARE_DIGITS = 9
"""What differs in later digits only counts as equal: these change with the processor."""


def by_lasso(pool: EmbeddedPool, question: str, left_out: Collection[int], top: int) -> list[int]:
    """The places of the best basic questions: by their share in LASSO's solution, then by cosine.

    Shares that are 0 or negative rank nothing, so those questions come by cosine, behind all with a positive share. Of
    equal cosines the earlier in the pool comes first.
    """
    with one_thread():
        target = pool.embedding.embed([question])[0]
        near = _by_cosine(pool, target, left_out)
        columns = near[:COLUMNS]
        shares = _shares(pool.rows[columns], target).round(_SHARE_DIGITS)
    order = np.argsort(-shares, kind="stable")
    best = columns[order[shares[order] > 0]][:top]
    rest = near[~np.isin(near, best)][: top - len(best)] if len(best) < top else near[:0]
    return [int(place) for place in (*best, *rest)]


def _by_cosine(pool: EmbeddedPool, target: NDArray[np.float32], left_out: Collection[int]) -> NDArray[np.intp]:
    cosines = (pool.rows @ target).round(_COSINE_DIGITS)
    cosines[list(left_out)] = -np.inf
    order = np.argsort(-cosines, kind="stable")
    return order[: len(order) - len(left_out)]


def _shares(rows: NDArray[np.float32], target: NDArray[np.float32]) -> NDArray[np.float64]:
    """LASSO's solution for these rows as columns; 0 for a row, and all 0 for a target, of which nothing is known."""
    shares = np.zeros(len(rows))
    known = rows.any(axis=1)
    if known.any() and target.any():
        shares[known] = solve(_of_unit_length(rows[known]).T, _of_unit_length(target))
    return shares


def _of_unit_length(rows: NDArray[np.float32]) -> NDArray[np.float64]:
    """Rows of float32 are of unit length to seven digits."""
    exact = rows.astype(np.float64)
    return np.asarray(exact / np.linalg.norm(exact, axis=-1, keepdims=True))
