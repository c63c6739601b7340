"""BLEU of one question for another, by nltk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu  # type: ignore[import-untyped]  # nltk has neither types nor stubs
from numpy.typing import NDArray

from pytest_vqamt.language.question_ranking.word_overlap import Ngrams


class Bleu:
    """BLEU-n (Papineni et al., 2002): n-grams of all lengths up to n, weighed alike.

    Smoothed by nltk's method 2 (Lin and Och, 2004): one is added to matches and n-grams from pairs of words on. Without
    that, BLEU-4 would be 0 for nearly every two questions.
    """

    def __init__(self, index: Ngrams, longest: int) -> None:
        self._index, self._longest = index, longest
        self._smoothed = SmoothingFunction().method2

    def bounds(self, reference: Sequence[str]) -> NDArray[np.float64]:
        """The scores themselves."""
        if not reference:
            return np.zeros(len(self._index))
        lengths = self._index.lengths
        matched = [self._matches(reference, length) for length in range(1, self._longest + 1)]
        shared = matched[0] > 0
        logs = np.log(np.where(shared, matched[0], 1) / lengths)
        for length, matches in enumerate(matched[1:], 2):
            logs += np.log((matches + 1) / (np.maximum(lengths - length + 1, 1) + 1))
        brevity = np.exp(np.minimum(1 - len(reference) / lengths, 0))
        return np.where(shared, brevity * np.exp(logs / self._longest), 0)

    def scores(self, reference: Sequence[str], candidates: Sequence[Sequence[str]]) -> list[float]:
        weights = (1 / self._longest,) * self._longest
        return [
            float(sentence_bleu([reference], list(candidate), weights, smoothing_function=self._smoothed))
            for candidate in candidates
        ]

    def _matches(self, reference: Sequence[str], length: int) -> NDArray[np.int64]:
        """How many n-grams each text shares with the reference, none more often than the reference has it."""
        matches = np.zeros(len(self._index), np.int64)
        ngrams = Counter(zip(*(reference[start:] for start in range(length)), strict=False))
        for ngram, most in ngrams.items():
            texts, counts = self._index.postings(ngram)
            matches[texts] += np.minimum(counts, most)
        return matches
