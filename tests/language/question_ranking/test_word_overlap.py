"""The index finds what scoring the whole pool with the library finds; and it leaves nothing else out."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.language.question_ranking.pool import Pool, Ranking, open_pool, pool_of, words_of
from pytest_vqamt.language.question_ranking.word_overlap import LONGEST, Ngrams, _measure, by_words
from tests.language.question_ranking.real_pool import VQA_V2, real_data
from tests.rows import each_row

BY_WORDS = tuple(each for each in Ranking if each is not Ranking.LASSO)
EXACT = tuple(each for each in BY_WORDS if each is not Ranking.METEOR)
MAIN = (
    "Is there a small dog in the picture?",
    "How many people are there on the sofa and on the couch?",
    "dog dog dog the the",
    "What?",
    "Zyx?",
    "Is the man who is standing behind the table in front of the television wearing the same hat as the woman in it?",
)


@pytest.fixture(scope="module")
def pool() -> Pool:
    """75 questions, most of them the picture world's, which have many words in common."""
    others = ("dog", "the the the dog", "Is it?", "No, zyx isn't.")
    return pool_of("some", [*open_pool("pictures").questions[::40], *others])


@each_row("ranking", BY_WORDS)
def test_the_best_are_the_best_of_the_whole_pool(pool: Pool, ranking: Ranking) -> None:
    for main in MAIN:
        scores = every_score(pool, ranking, main)
        left_out = [3, 47]
        order = sorted(set(range(len(pool))) - set(left_out), key=lambda place: (-scores[place], place))
        assert by_words(pool, ranking, main, left_out, 21) == order[:21], main


@each_row("ranking", BY_WORDS)
def test_no_score_exceeds_its_bound(pool: Pool, ranking: Ranking) -> None:
    for main in MAIN:
        bounds, scores = _measure(pool, ranking).bounds(words_of(main)), every_score(pool, ranking, main)
        assert len(bounds) == len(pool)
        for bound, score in zip(bounds.tolist(), scores, strict=True):
            if ranking in EXACT:
                assert bound == pytest.approx(score, abs=1e-9)
            assert score <= bound + 1e-9


@real_data
@pytest.mark.parametrize("ranking", BY_WORDS)
def test_bounds_on_real_questions(ranking: Ranking) -> None:
    pool = open_pool(f"vqa-v2:{VQA_V2}")
    mains = [row["question"] for row in json.loads((VQA_V2.parent / "coco" / "vqa_v2.json").read_bytes())["questions"]]
    measure = _measure(pool, ranking)
    for main in mains[:3]:
        bounds = measure.bounds(words_of(main)).tolist()
        sampled = range(0, len(pool), 97)
        scores = measure.scores(words_of(main), [words_of(pool.questions[place]) for place in sampled])
        for place, score in zip(sampled, scores, strict=True):
            assert score <= bounds[place] + 1e-9
            if ranking in EXACT:
                assert score == pytest.approx(bounds[place], abs=1e-9)


@each_row("ranking", BY_WORDS)
def test_what_shares_no_word_follows_in_the_order_of_the_pool(ranking: Ranking) -> None:
    pool = pool_of("p", ["Why?", "Who sat?", "A dog ran?", "Where?", "When?"])
    assert by_words(pool, ranking, "Which dog ran?", [], 9) == [2, 0, 1, 3, 4]
    assert by_words(pool, ranking, "Which dog ran?", [1], 3) == [2, 0, 3]
    assert by_words(pool, ranking, "...", [0], 2) == [1, 2]


@cache
def every_score(pool: Pool, ranking: Ranking, main: str) -> list[float]:
    """The library's score of each question of the pool; of equal ones differences in late digits are taken away."""
    candidates = [words_of(question) for question in pool.questions]
    return [round(score, 9) for score in _measure(pool, ranking).scores(words_of(main), candidates)]


TEXTS = st.lists(st.lists(st.sampled_from("abc"), max_size=7).map(tuple), min_size=1, max_size=6)


def counted(text: tuple[str, ...], length: int) -> Counter[tuple[str, ...]]:
    return Counter(text[start : start + length] for start in range(len(text) - length + 1))


@given(TEXTS, st.lists(st.sampled_from("abcd"), min_size=1, max_size=LONGEST).map(tuple))
def test_postings(texts: list[tuple[str, ...]], ngram: tuple[str, ...]) -> None:
    found, counts = Ngrams(texts).postings(ngram)
    by_hand = {place: counted(text, len(ngram))[ngram] for place, text in enumerate(texts)}
    assert dict(zip(found.tolist(), counts.tolist(), strict=True)) == {p: n for p, n in by_hand.items() if n}


@given(TEXTS, st.integers(1, LONGEST))
def test_all_that_there_is(texts: list[tuple[str, ...]], length: int) -> None:
    ngrams, found, counts = Ngrams(texts).counted(length)
    by_hand = Counter((place, n) for place, text in enumerate(texts) for n in counted(text, length).values())
    assert Counter(zip(found.tolist(), counts.tolist(), strict=True)) == by_hand
    assert sorted(ngrams.tolist()) == ngrams.tolist()


def test_a_sequence_ends_with_its_text() -> None:
    index = Ngrams([("a", "b"), (), ("c",)])
    assert index.postings(("b", "c")).texts.tolist() == []
    assert index.lengths.tolist() == [2, 0, 1]
    assert index.words[index.starts[2]] == index.vocabulary["c"]
