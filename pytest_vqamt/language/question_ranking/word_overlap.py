"""Rankings by shared words: each pool question scored as a translation of the main question."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pytest_vqamt.language.question_ranking.pool import Pool, Ranking, words_of

_BATCH = 64
_DIGITS = 9
"""Differences in later digits are ignored."""


class Measure(Protocol):
    """A score of pool questions (the candidates) for the main question (the reference), both as words.

    Libraries need about 100 microseconds a question, too much for a large pool, so bounds of all scores come first,
    from an index of the pool.
    """

    def bounds(self, reference: Sequence[str]) -> NDArray[np.float64]:
        """Returns upper bounds of the scores of all pool questions; 0 without a shared word."""
        ...

    def scores(self, reference: Sequence[str], candidates: Sequence[Sequence[str]]) -> list[float]:
        """Returns the library's scores."""
        ...


def by_words(pool: Pool, ranking: Ranking, question: str, left_out: Collection[int], top: int) -> list[int]:
    """Returns the places of the questions with the best scores in the pool.

    Candidates are scored in the order of their bounds until none that is left can be among the best. Of equal scores
    the earlier in the pool comes first; questions without a shared word come last.
    """
    reference = words_of(question)
    measure, texts = _measure(pool, ranking), _texts(pool)
    bounds = measure.bounds(reference).round(_DIGITS)
    bounds[list(left_out)] = -1
    order = np.argsort(-bounds, kind="stable")
    order = order[: np.count_nonzero(bounds > 0)]
    found: list[tuple[float, int]] = []
    for start in range(0, len(order), _BATCH):
        batch = [int(place) for place in order[start : start + _BATCH]]
        if len(found) >= top and bounds[batch[0]] < -found[top - 1][0]:
            break
        scores = measure.scores(reference, [texts[place] for place in batch])
        scored = zip((round(-score, _DIGITS) for score in scores), batch, strict=True)
        found = sorted((*found, *(each for each in scored if each[0] < 0)))
    best = [place for _, place in found[:top]]
    if len(best) < top:
        set_aside = {*best, *left_out}
        rest = (place for place in range(len(pool)) if place not in set_aside)
        best += [place for _, place in zip(range(top - len(best)), rest, strict=False)]
    return best


@lru_cache(maxsize=4)
def _texts(pool: Pool) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(words_of(question)) for question in pool.questions)


@lru_cache(maxsize=4)
def _index(pool: Pool) -> Ngrams:
    return Ngrams(_texts(pool))


@lru_cache(maxsize=8)
def _measure(pool: Pool, ranking: Ranking) -> Measure:
    from pytest_vqamt.language.question_ranking import measures

    index = _index(pool)
    match ranking:
        case Ranking.ROUGE_L:
            return measures.RougeL(index)
        case Ranking.CIDER:
            return measures.Cider(index)
        case Ranking.METEOR:
            return measures.Meteor(index)
    return measures.Bleu(index, int(ranking.removeprefix("bleu-")))


Integers: TypeAlias = NDArray[np.int64]

LONGEST = 4
_BETWEEN = 0
"""Separates texts, so that no sequence crosses."""


class Postings(NamedTuple):
    """The texts with an n-gram, in order, and its number in each."""

    texts: Integers
    counts: Integers


class _Order(NamedTuple):
    """The n-grams of one length, numbered.

    Attributes:
        keys: sorted: the number of the beginning, times the number of words, plus the last word.
        starts: the begin of each among ``texts``, and the end of the last.
        texts: the text of each occurrence.
    """

    keys: Integers
    starts: Integers
    texts: Integers


class Ngrams:
    """Sequences of one to four words in texts.

    Attributes:
        lengths: int64 [texts], in words.
        words: int64 [all words], the number of each word, text after text, with a 0 behind each text.
        starts: int64 [texts], the begin of each text in ``words``.
    """

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        self._numbers: dict[str, int] = {}
        self.lengths = np.array([len(text) for text in texts], np.int64)
        numbered = [self._numbers.setdefault(word, len(self._numbers) + 1) for text in texts for word in text]
        self.starts = np.concatenate(([0], np.cumsum(self.lengths + 1)[:-1])).astype(np.int64)[: len(texts)]
        self.words = np.full(len(numbered) + len(texts), _BETWEEN, np.int64)
        owners = np.repeat(np.arange(len(texts)), self.lengths + 1)
        is_word = np.ones(len(self.words), np.bool_)
        is_word[self.starts + self.lengths] = False
        self.words[is_word] = numbered
        self._orders = self._ordered(owners, is_word)

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def vocabulary(self) -> dict[str, int]:
        """The words with their numbers, from 1."""
        return self._numbers

    def postings(self, ngram: tuple[str, ...]) -> Postings:
        order, number = self._orders[len(ngram) - 1], self._number(ngram)
        found = order.texts[order.starts[number] : order.starts[number + 1]] if number >= 0 else order.texts[:0]
        return Postings(*np.unique(found, return_counts=True))

    def counted(self, length: int) -> tuple[Integers, Integers, Integers]:
        """Returns n-grams, texts and counts of all n-grams of a length in all texts, sorted by n-gram."""
        order = self._orders[length - 1]
        ngrams = np.repeat(np.arange(len(order.keys)), np.diff(order.starts))
        first = np.ones(len(ngrams), np.bool_)
        first[1:] = (np.diff(ngrams) != 0) | (np.diff(order.texts) != 0)
        at = np.flatnonzero(first)
        return ngrams[at], order.texts[at], np.diff(np.append(at, len(ngrams)))

    def _number(self, ngram: tuple[str, ...]) -> int:
        number = 0
        for order, word in zip(self._orders, ngram, strict=False):
            key = number * (len(self._numbers) + 1) + self._numbers.get(word, -1)
            number = int(np.searchsorted(order.keys, key))
            if word not in self._numbers or number == len(order.keys) or order.keys[number] != key:
                return -1
        return number

    def _ordered(self, owners: Integers, is_word: NDArray[np.bool_]) -> tuple[_Order, ...]:
        orders: list[_Order] = []
        begins = np.zeros(len(self.words), np.int64)  # the number of the n-gram that begins at each place
        valid = is_word
        for length in range(1, LONGEST + 1):
            if length > 1:
                valid = valid & np.append(is_word[length - 1 :], np.zeros(length - 1, np.bool_))[: len(valid)]
            places = np.flatnonzero(valid)
            keys, numbers, counts = np.unique(
                begins[places] * (len(self._numbers) + 1) + self.words[places + length - 1],
                return_inverse=True,
                return_counts=True,
            )
            begins[places] = numbers
            by_ngram = np.argsort(numbers, kind="stable")
            starts = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
            orders.append(_Order(keys, starts, owners[places[by_ngram]]))
        return tuple(orders)
