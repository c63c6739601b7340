"""Rankings by shared words: each question of a pool scored as a translation of the main question."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pytest_vqamt.language.basic_questions.ngrams import Ngrams
from pytest_vqamt.language.basic_questions.settings import Ranking
from pytest_vqamt.language.basic_questions.words import words_of
from pytest_vqamt.language.question_ranking.pool import Pool

_BATCH = 64
_DIGITS = 9
"""What differs in later digits only counts as equal."""


class Measure(Protocol):
    """A score of how near pool questions (the candidates) are to the main question (the reference), both as words.

    A library scores. That takes some 100 microseconds a question, too long for all of a large pool, so that bounds are
    computed for all of them first, from an index of the pool.
    """

    def bounds(self, reference: Sequence[str]) -> NDArray[np.float64]:
        """Of each question of the pool, what its score cannot exceed; 0 where it shares no word."""
        ...

    def scores(self, reference: Sequence[str], candidates: Sequence[Sequence[str]]) -> list[float]:
        """The library's scores."""
        ...


def by_words(pool: Pool, ranking: Ranking, question: str, left_out: Collection[int], top: int) -> list[int]:
    """The places of the best basic questions: those of the highest scores in all of the pool.

    Candidates are scored in the order of their bounds, until none that is left can be among the best. Of equal scores
    the earlier in the pool comes first; so come those that share no word, behind all others.
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
    if ranking is Ranking.ROUGE_L:
        from pytest_vqamt.language.question_ranking.rouge import RougeL

        return RougeL(_index(pool))
    if ranking is Ranking.CIDER:
        from pytest_vqamt.language.question_ranking.cider import Cider

        return Cider(_index(pool))
    if ranking is Ranking.METEOR:
        from pytest_vqamt.language.question_ranking.meteor import Meteor

        return Meteor(_index(pool))
    from pytest_vqamt.language.question_ranking.bleu import Bleu

    return Bleu(_index(pool), int(ranking.removeprefix("bleu-")))
