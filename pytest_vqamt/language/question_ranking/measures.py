"""Scores of pool questions as translations of the main question: BLEU, ROUGE-L, CIDEr and METEOR, by their libraries.

Each library is imported when its measure is first made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pytest_vqamt.language.question_ranking.word_overlap import LONGEST, Ngrams


def _ngrams(text: Sequence[str], length: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(text[start:] for start in range(length)), strict=False))


class Bleu:
    """BLEU-n (Papineni et al., 2002): n-grams of all lengths up to n, weighed alike.

    Smoothed by nltk's method 2 (Lin and Och, 2004): one is added to matches and n-grams from pairs of words on. Without
    that, BLEU-4 would be 0 for nearly every two questions.
    """

    def __init__(self, index: Ngrams, longest: int) -> None:
        self._index, self._longest = index, longest
        from nltk.translate.bleu_score import SmoothingFunction  # type: ignore[import-untyped]  # no types or stubs

        self._smoothed = SmoothingFunction().method2

    def bounds(self, reference: Sequence[str]) -> NDArray[np.float64]:
        """Returns the scores themselves."""
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
        from nltk.translate.bleu_score import sentence_bleu

        weights = (1 / self._longest,) * self._longest
        return [
            float(sentence_bleu([reference], list(candidate), weights, smoothing_function=self._smoothed))
            for candidate in candidates
        ]

    def _matches(self, reference: Sequence[str], length: int) -> NDArray[np.int64]:
        """Counts the n-grams that each text shares with the reference, at most as often as there."""
        matches = np.zeros(len(self._index), np.int64)
        ngrams = _ngrams(reference, length)
        for ngram, most in ngrams.items():
            texts, counts = self._index.postings(ngram)
            matches[texts] += np.minimum(counts, most)
        return matches


_NO_WORD = -1


class RougeL:
    """ROUGE-L (Lin, 2004): the F measure, recall weighed as precision, of the longest common subsequence of words."""

    def __init__(self, index: Ngrams) -> None:
        from rouge_score.rouge_scorer import RougeScorer  # type: ignore[import-untyped]  # no types or stubs

        self._index = index
        self._scorer = RougeScorer(["rougeL"], tokenizer=_Split())
        self._longest_first = np.argsort(-index.lengths, kind="stable")

    def bounds(self, reference: Sequence[str]) -> NDArray[np.float64]:
        """Returns the scores themselves: for a subsequence of m words, 2 m / (words of both)."""
        common = self._common([self._index.vocabulary.get(word, _NO_WORD) for word in reference])
        return 2 * common / (self._index.lengths + len(reference))

    def scores(self, reference: Sequence[str], candidates: Sequence[Sequence[str]]) -> list[float]:
        target = " ".join(reference)
        return [float(self._scorer.score(target, " ".join(each))["rougeL"].fmeasure) for each in candidates]

    def _common(self, reference: Sequence[int]) -> NDArray[np.float64]:
        """Returns the length of the longest common subsequence with each text, by one table for all texts.

        Row i is of the first i words of the reference. The n-th words of all texts are taken together; texts are sorted
        by length, so that those with an n-th word come first.
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


class _Split:
    """Splits at spaces: words are already separated."""

    def tokenize(self, text: str) -> list[str]:
        return text.split()


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
        """Returns the scores themselves."""
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
        from pycocoevalcap.cider.cider_scorer import (  # type: ignore[import-untyped]  # no types or stubs
            CiderScorer,
            cook_refs,
            cook_test,
        )

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
        """Returns the inverse document frequency."""
        return np.asarray(np.log(float(len(self._index))) - np.log(np.maximum(1.0, frequencies)))

    def _squared(self, length: int) -> NDArray[np.float64]:
        """Returns the squared length of the TF-IDF vector of each text."""
        ngrams, texts, counts = self._index.counted(length)
        frequencies = np.bincount(ngrams)
        weights = (counts * self._rarity(frequencies)[ngrams]) ** 2
        return np.bincount(texts, weights, minlength=len(self._index)).astype(np.float64, copy=False)


_ALPHA, _BETA, _GAMMA = 0.9, 3.0, 0.5


class Meteor:
    """METEOR (Banerjee and Lavie, 2005): words match exactly, by stem (Porter) or as synonyms, in few chunks.

    Synonyms are those of nouns and adjectives in the bundled WordNet. nltk looks them up by stem, so a word whose stem
    is no word ("automobil") has none. Verbs match by stem alone.
    """

    def __init__(self, index: Ngrams) -> None:
        self._index = index
        self._stemmer, self._synonyms = _Stemmer(), _Synonyms()
        self._named_by: dict[str, set[int]] = {}
        self._stemmed_to: dict[str, set[int]] = {}
        for word, number in index.vocabulary.items():
            stem = self._stemmer.stem(word)
            self._stemmed_to.setdefault(stem, set()).add(number)
            for name in self._synonyms.names(stem):
                self._named_by.setdefault(name, set()).add(number)

    def bounds(self, reference: Sequence[str]) -> NDArray[np.float64]:
        """Returns the scores if all words with a partner matched, in as few chunks as neighbours allow."""
        index = self._index
        matched = np.zeros(len(index), np.int64)  # words of the reference with a partner
        joined = np.zeros(len(index), np.int64)  # neighbours in it with neighbouring partners
        anywhere = np.zeros(len(index.vocabulary) + 1, np.bool_)
        before: NDArray[np.bool_] | None = None
        owners = np.repeat(np.arange(len(index)), index.lengths + 1)
        for word in reference:
            partners = np.zeros(len(index.vocabulary) + 1, np.bool_)
            partners[sorted(self._partners(word))] = True
            anywhere |= partners
            here = partners[index.words]
            matched += np.bincount(owners[here], minlength=len(index)) > 0
            if before is not None:
                both = np.flatnonzero(before[:-1] & here[1:])
                joined += np.bincount(owners[both], minlength=len(index)) > 0
            before = here
        matched = np.minimum(matched, np.bincount(owners[anywhere[index.words]], minlength=len(index)))
        best = np.zeros(len(index))
        for matches in range(1, int(matched.max(initial=0)) + 1):
            best = np.where(matched >= matches, np.maximum(best, self._score(matches, joined, len(reference))), best)
        return best

    def scores(self, reference: Sequence[str], candidates: Sequence[Sequence[str]]) -> list[float]:
        from nltk.translate.meteor_score import single_meteor_score  # type: ignore[import-untyped]  # as above

        means = {"stemmer": self._stemmer, "wordnet": self._synonyms, "alpha": _ALPHA, "beta": _BETA, "gamma": _GAMMA}
        return [float(single_meteor_score(reference, candidate, **means)) for candidate in candidates]

    def _score(self, matches: int, joined: NDArray[np.int64], words: int) -> NDArray[np.float64]:
        """Returns the scores of so many matches, of which ``joined`` continue a chunk."""
        precision, recall = matches / self._index.lengths, matches / words
        mean = precision * recall / (_ALPHA * precision + (1 - _ALPHA) * recall)
        chunks = np.maximum(matches - joined, 1)
        return np.asarray((1 - _GAMMA * (chunks / matches) ** _BETA) * mean)

    def _partners(self, word: str) -> set[int]:
        stem = self._stemmer.stem(word)
        return self._stemmed_to.get(stem, set()) | self._named_by.get(stem, set())


class _Stemmer:
    """Porter's stemmer with a cache."""

    def __init__(self) -> None:
        from nltk.stem.porter import PorterStemmer  # type: ignore[import-untyped]  # as above

        self.stem: Callable[[str], str] = lru_cache(maxsize=None)(PorterStemmer().stem)


class _Synonyms:
    """The bundled WordNet, with the one method that nltk's METEOR calls."""

    def __init__(self) -> None:
        from pytest_vqamt.language.wordnet.nltk_reader import NltkSynsets
        from pytest_vqamt.language.wordnet.words import BUNDLED, find_wordnet

        self.synsets = lru_cache(maxsize=None)(NltkSynsets(find_wordnet(BUNDLED)).of)

    def names(self, word: str) -> Iterable[str]:
        """Returns the single words of its synsets."""
        return (str(lemma.name()) for synset in self.synsets(word) for lemma in synset.lemmas())
