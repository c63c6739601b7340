"""METEOR of one question for another, by nltk, with synonyms from the WordNet of this package."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
from nltk.corpus.reader.wordnet import Synset  # type: ignore[import-untyped]  # nltk has neither types nor stubs
from nltk.stem.porter import PorterStemmer  # type: ignore[import-untyped]  # as above
from nltk.translate.meteor_score import single_meteor_score  # type: ignore[import-untyped]  # as above
from numpy.typing import NDArray

from pytest_vqamt.language.question_ranking.word_overlap import Ngrams
from pytest_vqamt.language.wordnet.reader import Synsets
from pytest_vqamt.language.wordnet.sources import BUNDLED, find_wordnet

_ALPHA, _BETA, _GAMMA = 0.9, 3.0, 0.5


class Meteor:
    """METEOR (Banerjee and Lavie, 2005): words matched as they are, by stem (Porter) and as synonyms; in few chunks.

    Synonyms are those of nouns and adjectives that the package's WordNet has. nltk looks for them by stems, so that a
    word whose stem is no word ("automobil") has none. Verbs match by stem alone.
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
        """The score if as many words matched as have a partner, in as few chunks as there are neighbours among them."""
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
        return [
            float(
                single_meteor_score(
                    reference,
                    candidate,
                    stemmer=self._stemmer,
                    wordnet=self._synonyms,
                    alpha=_ALPHA,
                    beta=_BETA,
                    gamma=_GAMMA,
                )
            )
            for candidate in candidates
        ]

    def _score(self, matches: int, joined: NDArray[np.int64], words: int) -> NDArray[np.float64]:
        """Of so many matches, where at most ``joined`` of them continue a chunk."""
        precision, recall = matches / self._index.lengths, matches / words
        mean = precision * recall / (_ALPHA * precision + (1 - _ALPHA) * recall)
        chunks = np.maximum(matches - joined, 1)
        return np.asarray((1 - _GAMMA * (chunks / matches) ** _BETA) * mean)

    def _partners(self, word: str) -> set[int]:
        """The numbers of the words in the pool that may match."""
        stem = self._stemmer.stem(word)
        return self._stemmed_to.get(stem, set()) | self._named_by.get(stem, set())


class _Stemmer(PorterStemmer):  # type: ignore[misc]  # nltk is untyped
    """Porter's stemmer, which takes as long as all the rest, with each word stemmed once."""

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[str, str] = {}

    def stem(self, word: str) -> str:
        if word not in self._known:
            self._known[word] = str(super().stem(word))
        return self._known[word]


class _Synonyms(Synsets):
    """What nltk's METEOR asks of a WordNet."""

    def __init__(self) -> None:
        super().__init__(find_wordnet(BUNDLED))
        self.synsets = lru_cache(maxsize=None)(self._looked_up)

    def names(self, word: str) -> Iterable[str]:
        """The single words of its synsets."""
        return (str(lemma.name()) for synset in self.synsets(word) for lemma in synset.lemmas())

    def _looked_up(self, word: str) -> list[Synset]:
        return [synset for kind in "na" for synset in self._reader.synsets(word, kind)]
