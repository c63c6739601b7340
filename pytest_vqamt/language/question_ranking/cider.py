"""CIDEr of one question for another, by pycocoevalcap."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from pycocoevalcap.cider.cider_scorer import CiderScorer, cook_refs, cook_test  # type: ignore[import-untyped]  # it has neither types nor stubs

from pytest_vqamt.language.question_ranking.word_overlap import LONGEST, Ngrams

_SIGMA = 6.0


class Cider:
    """CIDEr-D (Vedantam et al., 2015): how alike the TF-IDF vectors of n-grams are, from single words to four.

    Document frequencies are those of the pool, each question a document: what many of its questions say counts little.
    The words are not stemmed.
    """

    def __init__(self, index: Ngrams) -> None:
        self._index = index
        self._squares = [self._squared(length) for length in range(1, LONGEST + 1)]

    def bounds(self, reference: Sequence[str]) -> NDArray[np.float64]:
        """The scores themselves."""
        total = np.zeros(len(self._index))
        for length, squares in enumerate(self._squares, 1):
            alike, square = np.zeros(len(self._index)), 0.0
            for ngram, times in _ngrams(reference, length).items():
                texts, counts = self._index.postings(ngram)
                rarity = float(self._rarity(np.array(len(texts))))
                alike[texts] += np.minimum(counts, times) * times * rarity**2
                square += (times * rarity) ** 2
            norms = np.sqrt(squares * square)
            total += np.divide(alike, norms, out=np.zeros_like(alike), where=norms > 0)
        pairs_more = np.maximum(self._index.lengths - 1, 0) - max(len(reference) - 1, 0)
        return 10 * total / LONGEST * np.exp(-(pairs_more**2) / (2 * _SIGMA**2))

    def scores(self, reference: Sequence[str], candidates: Sequence[Sequence[str]]) -> list[float]:
        scorer = CiderScorer(n=LONGEST, sigma=_SIGMA)
        # As many references as the pool has questions, since their number is what the scorer takes the idf from; it
        # scores as many as there are candidates.
        scorer.crefs = [cook_refs([" ".join(reference)], LONGEST)] * len(self._index)
        scorer.ctest = [cook_test(" ".join(candidate), LONGEST) for candidate in candidates]
        for text in (reference, *candidates):
            for length in range(1, LONGEST + 1):
                for ngram in _ngrams(text, length):
                    if ngram not in scorer.document_frequency:
                        scorer.document_frequency[ngram] = float(len(self._index.postings(ngram).texts))
        return [float(score) for score in scorer.compute_cider()]

    def _rarity(self, frequencies: NDArray[np.int64]) -> NDArray[np.float64]:
        """The inverse document frequency of n-grams that so many texts have."""
        return np.asarray(np.log(float(len(self._index))) - np.log(np.maximum(1.0, frequencies)))

    def _squared(self, length: int) -> NDArray[np.float64]:
        """Of each text, the square of the length of its TF-IDF vector."""
        ngrams, texts, counts = self._index.counted(length)
        frequencies = np.bincount(ngrams)
        weights = (counts * self._rarity(frequencies)[ngrams]) ** 2
        return np.bincount(texts, weights, minlength=len(self._index)).astype(np.float64, copy=False)


def _ngrams(text: Sequence[str], length: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(text[start:] for start in range(length)), strict=False))
