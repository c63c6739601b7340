"""LASSO's solution meets the conditions that only a minimum meets, however the columns depend on each other."""

from __future__ import annotations

import json
from typing import TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.linear_model import Lasso  # type: ignore[import-untyped]  # it has neither types nor stubs

from pytest_vqamt.language.question_ranking.embeddings import embed_pool
from pytest_vqamt.language.question_ranking.lasso import COLUMNS, LAMBDA, TOLERANCE, _of_unit_length, solve, violation
from pytest_vqamt.language.question_ranking.pool import open_pool, pool_of
from tests.language.question_ranking.real_pool import VQA_V2, real_data

Vector: TypeAlias = NDArray[np.float64]


def assert_minimal(columns: Vector, target: Vector, shares: Vector) -> None:
    """0 is a subgradient: written out for each column, apart from what the package checks by."""
    slopes = columns.T @ (columns @ shares - target)
    for slope, share in zip(slopes.tolist(), shares.tolist(), strict=True):
        if share > 0:
            assert abs(slope + 1e-6) <= 2e-9
        elif share < 0:
            assert abs(slope - 1e-6) <= 2e-9
        else:
            assert abs(slope) <= 1e-6 + 2e-9


def of_unit_length(columns: Vector) -> Vector:
    return np.asarray(columns / np.linalg.norm(columns, axis=0))


def test_lambda_is_the_papers() -> None:
    assert LAMBDA == 1e-6
    assert LAMBDA / 100 > TOLERANCE


def test_columns_at_right_angles() -> None:
    # Each share is the target's own part along the column, less lambda, or 0 where it is not as long as that.
    target = of_unit_length(np.array([0.6, -0.8, 5e-7, 0.0]))
    assert solve(np.eye(4), target) == pytest.approx([0.6 - 1e-6, -0.8 + 1e-6, 0, 0], abs=2e-9)


def test_two_columns_worked_out() -> None:
    # A^-1 b = (-0.75, 1.25); then lambda (A^T A)^-1 (-1, 1) = (-2.5, 2.5) lambda is taken off.
    columns = np.array([[1.0, 0.6], [0.0, 0.8]])
    assert solve(columns, np.array([0.0, 1.0])) == pytest.approx([-0.75 + 2.5e-6, 1.25 - 2.5e-6], abs=1e-8)


def test_a_target_that_is_a_column() -> None:
    columns = of_unit_length(np.random.default_rng(0).normal(size=(20, 60)))
    expected = np.zeros(60)
    expected[7] = 1 - 1e-6
    assert solve(columns, columns[:, 7]) == pytest.approx(expected, abs=2e-9)


def test_a_target_that_no_column_is_near() -> None:
    assert solve(np.eye(3)[:, :2], np.array([0.0, 0.0, 1.0])).tolist() == [0, 0]


def test_scikit_learns_coordinate_descent_finds_the_same_where_it_gets_there() -> None:
    draw = np.random.default_rng(1)
    columns, target = of_unit_length(draw.normal(size=(60, 20))), of_unit_length(draw.normal(size=60))
    slow = Lasso(alpha=LAMBDA / 60, fit_intercept=False, tol=1e-14, max_iter=100_000).fit(columns, target)
    assert solve(columns, target) == pytest.approx(slow.coef_, abs=1e-8)


@pytest.mark.parametrize("rows", [1, 5, 30])
def test_columns_that_depend_on_each_other(rows: int) -> None:
    # As in questions made of parts: each column is the sum of a name's and a wording's, and many are there twice.
    draw = np.random.default_rng(rows)
    names, wordings = draw.normal(size=(2, 12, rows))
    columns = of_unit_length(np.array([a + b for a in names for b in wordings] * 2).T)
    for target in of_unit_length(np.array([draw.normal(size=rows), names[0], names[0] + names[1] + wordings[2]]).T).T:
        shares = solve(columns, target)
        assert_minimal(columns, target, shares)
        assert violation(columns, target, shares) <= TOLERANCE


def test_a_violation_is_seen() -> None:
    columns, target = np.array([[1.0, 0.6], [0.0, 0.8]]), np.array([0.0, 1.0])
    shares = solve(columns, target)
    assert violation(columns, target, shares) <= TOLERANCE
    assert violation(columns, target, shares + np.array([1e-6, 0])) == pytest.approx(1e-6, rel=0.01)
    assert violation(columns, target, -shares) > 1
    assert violation(columns, target, np.zeros(2)) == pytest.approx(0.8 - 1e-6)


@pytest.mark.parametrize(
    ("pool", "mains"),
    [
        pytest.param(f"vqa-v2:{VQA_V2}", (), marks=real_data),
        (
            "pictures",
            ("Is there a small dog in the picture?", "How many dogs and cups are there?", "Is it big?"),
        ),
    ],
    ids=["vqa-v2", "pictures"],
)
def test_embedded_pools(pool: str, mains: tuple[str, ...]) -> None:
    beside = VQA_V2.parent / "coco" / "vqa_v2.json"
    asked = mains or [row["question"] for row in json.loads(beside.read_bytes())["questions"]][:5]
    # Of our own questions some are enough: what depends on a large pool is tested on VQA v2's.
    some = open_pool(pool) if pool != "pictures" else pool_of("some", open_pool(pool).questions[::4])
    whole = embed_pool(some, "lsa")
    for target in _of_unit_length(whole.embedding.embed(asked)):
        nearest = np.argsort(-(whole.rows @ target), kind="stable")[:COLUMNS]
        columns = _of_unit_length(whole.rows[nearest][whole.rows[nearest].any(axis=1)]).T
        shares = solve(columns, target)
        assert_minimal(columns, target, shares)
        assert (shares > 0).any()
