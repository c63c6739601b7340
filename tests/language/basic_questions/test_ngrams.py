"""The index says of every sequence of words which texts have it and how often, as counting does."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.language.question_ranking.word_overlap import LONGEST, Ngrams

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
