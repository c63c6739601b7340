"""ROUGE-L of one question for another, by rouge-score."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from rouge_score.rouge_scorer import RougeScorer  # type: ignore[import-untyped]  # it has neither types nor stubs
from rouge_score.tokenizers import Tokenizer  # type: ignore[import-untyped]  # as above

from pytest_vqamt.language.question_ranking.word_overlap import Ngrams

_NO_WORD = -1


class RougeL:
    """ROUGE-L (Lin, 2004): the F measure, recall weighed as precision, of the longest common subsequence of words."""

    def __init__(self, index: Ngrams) -> None:
        self._index = index
        self._scorer = RougeScorer(["rougeL"], tokenizer=_Split())
        self._longest_first = np.argsort(-index.lengths, kind="stable")

    def bounds(self, reference: Sequence[str]) -> NDArray[np.float64]:
        """The scores themselves: of a subsequence of m words, 2 m / (words of both)."""
        common = self._common([self._index.vocabulary.get(word, _NO_WORD) for word in reference])
        return 2 * common / (self._index.lengths + len(reference))

    def scores(self, reference: Sequence[str], candidates: Sequence[Sequence[str]]) -> list[float]:
        target = " ".join(reference)
        return [float(self._scorer.score(target, " ".join(each))["rougeL"].fmeasure) for each in candidates]

    def _common(self, reference: Sequence[int]) -> NDArray[np.float64]:
        """The length of the longest common subsequence with each text: the usual table, of all texts at once.

        Row i is of the first i words of the reference. The n-th words of all texts are taken together; texts are in the
        order of their lengths, so that those which have an n-th word come first.
        """
        lengths = self._index.lengths[self._longest_first]
        starts = self._index.starts[self._longest_first]
        table = np.zeros((len(reference) + 1, len(lengths)), np.int32)
        for place in range(int(lengths.max(initial=0))):
            having = int(np.searchsorted(-lengths, -place, side="left"))
            words = self._index.words[starts[:having] + place]
            before = np.zeros(having, np.int32)  # of one word less in both
            for row, word in enumerate(reference, 1):
                here = table[row, :having].copy()
                table[row, :having] = np.where(words == word, before + 1, np.maximum(here, table[row - 1, :having]))
                before = here
        common = np.zeros(len(lengths))
        common[self._longest_first] = table[-1]
        return common


class _Split(Tokenizer):  # type: ignore[misc]  # rouge-score is untyped
    """Words are told apart before, as for every ranking."""

    def tokenize(self, text: str) -> list[str]:
        return text.split()
