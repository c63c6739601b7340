"""Questions by their words: unit vectors, near where words are shared, the same after being kept."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pytest_vqamt.language.question_ranking.embeddings import embed_pool, fingerprint_of
from pytest_vqamt.language.question_ranking.pool import open_pool, pool_of
from pytest_vqamt.language.question_ranking.vectors import Lsa
from tests.language.question_ranking.conftest import forget


def test_rows_are_of_unit_length() -> None:
    pool = open_pool("pictures")
    rows = embed_pool(pool, "lsa").rows
    assert rows.dtype == np.float32
    assert rows.shape == (len(pool), len(pool) // 20)
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(len(pool)), abs=1e-6)


@pytest.mark.parametrize(("questions", "dimensions"), [(1, 1), (3, 3), (40, 32), (700, 35)])
def test_dimensions_follow_the_pool(questions: int, dimensions: int) -> None:
    texts = open_pool("pictures").questions[:questions]
    assert embed_pool(pool_of("p", texts), "lsa").rows.shape == (questions, dimensions)


def test_near_texts_have_near_vectors() -> None:
    embedding = embed_pool(open_pool("pictures"), "lsa").embedding
    one, near, far = embedding.embed(["Is there a brown dog?", "is there a brown DOG", "How many red cups are there?"])
    assert one @ near == pytest.approx(1, abs=1e-6)
    assert one @ far < 0.5


def test_unknown_words_have_no_direction() -> None:
    embedding = embed_pool(open_pool("pictures"), "lsa").embedding
    nothing, mixed, plain = embedding.embed(["Zyx?", "Zyx dog?", "Dog?"])
    assert not nothing.any()
    assert mixed == pytest.approx(plain)


def test_a_text_has_the_same_vector_in_any_company() -> None:
    pool = open_pool("pictures")
    whole = embed_pool(pool, "lsa")
    alone = np.vstack([whole.embedding.embed([text]) for text in pool.questions[:50]])
    assert np.array_equal(alone, whole.rows[:50])


def test_what_is_kept_is_what_was_made(home: Path) -> None:
    pool = pool_of("p", open_pool("pictures").questions[:300])
    made = Lsa.fitted(pool.questions, fingerprint_of("lsa"))
    first = embed_pool(pool, "lsa")
    forget()
    second = embed_pool(pool, "lsa")
    assert second is not first
    for each in (first, second):
        assert np.array_equal(each.rows, made.embed(pool.questions))
        assert np.array_equal(each.embedding.embed(["Is there a sofa?"]), made.embed(["Is there a sofa?"]))
        assert each.embedding.fingerprint == fingerprint_of("lsa")
