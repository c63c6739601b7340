"""Rankings by shared words: each pool question scored as a translation of the main question.

BLEU and METEOR are nltk's, ROUGE-L is rouge-score's and CIDEr pycocoevalcap's; each is imported when it is first used.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from io import BytesIO, TextIOWrapper
from itertools import islice
from pathlib import PurePath
from typing import Protocol, TypeAlias

from nltk.corpus.reader.wordnet import Synset, WordNetCorpusReader  # type: ignore[import-untyped]  # nltk has neither types nor stubs
from nltk.data import PathPointer  # type: ignore[import-untyped]  # as above

from pytest_vqamt.core.progress_bar import SHOW_AFTER_S, progress_bar
from pytest_vqamt.language.question_ranking.pool import Pool, RankingMethod, words_of
from pytest_vqamt.language.wordnet.words import WordNetFiles

Words: TypeAlias = Sequence[str]

_DIGITS = 9
"""Differences in later digits are ignored."""

_LONGEST = 4
"""The longest n-grams of CIDEr, as in its paper."""
_SIGMA = 6.0
"""CIDEr-D's penalty for a difference in length, as in its paper."""
_AT_ONCE = 1_000
"""The n-grams of so many questions are in memory at once."""


class Measure(Protocol):
    """A score of pool questions (the candidates) for the main question (the reference), both as words."""

    def scores(self, reference: Words) -> Iterator[float]:
        """Yields the score of each pool question, in the order of the pool; ``reference`` has a word."""
        ...


def by_words(pool: Pool, ranking: RankingMethod, question: str, left_out: Collection[int], top: int) -> list[int]:
    """Returns the places of the questions with the best scores in the pool.

    Of equal scores the earlier in the pool comes first, so questions without a shared word come last, in its order. A
    library takes about 100 microseconds a question.
    """
    reference = words_of(question)
    # A main question of signs alone has no word to share, and is ranked in the order of the pool.
    scores = [0.0] * len(pool)
    if reference:
        with progress_bar(f"ranking by {ranking}", len(pool), "question", delay_s=SHOW_AFTER_S) as advance:
            for place, score in enumerate(_measure(pool, ranking).scores(reference)):
                scores[place] = round(score, _DIGITS)
                advance()
    rest = sorted(set(range(len(pool))).difference(left_out))
    return sorted(rest, key=lambda place: -scores[place])[:top]


@lru_cache(maxsize=8)
def _measure(pool: Pool, ranking: RankingMethod) -> Measure:
    texts = _texts(pool)
    match ranking:
        case RankingMethod.ROUGE_L:
            return RougeL(texts)
        case RankingMethod.CIDER:
            return Cider(texts)
        case RankingMethod.METEOR:
            return Meteor(texts)
    return Bleu(texts, int(ranking.removeprefix("bleu-")))


@lru_cache(maxsize=4)
def _texts(pool: Pool) -> tuple[Words, ...]:
    return tuple(tuple(words_of(question)) for question in pool.questions)


class Bleu:
    """BLEU-n (Papineni et al., 2002): n-grams of all lengths up to n, weighed alike.

    Smoothed by nltk's method 2 (Lin and Och, 2004): one is added to matches and n-grams from pairs of words on. Without
    that, BLEU-4 would be 0 for nearly every two questions.
    """

    def __init__(self, texts: Sequence[Words], longest: int) -> None:
        self._texts, self._weights = texts, (1 / longest,) * longest

    def scores(self, reference: Words) -> Iterator[float]:
        from nltk.translate.bleu_score import (  # type: ignore[import-untyped]  # no types or stubs
            SmoothingFunction,
            sentence_bleu,
        )

        smoothed, words = SmoothingFunction().method2, frozenset(reference)
        for text in self._texts:
            # Without a shared word it is 0, as of a third of the bundled pool; nltk would take as long to say so.
            shares = not words.isdisjoint(text)
            yield float(sentence_bleu([reference], text, self._weights, smoothing_function=smoothed)) if shares else 0.0


class RougeL:
    """ROUGE-L (Lin, 2004): the F measure, recall weighed as precision, of the longest common subsequence of words."""

    def __init__(self, texts: Sequence[Words]) -> None:
        from rouge_score.rouge_scorer import RougeScorer  # type: ignore[import-untyped]  # no types or stubs

        self._texts, self._scorer = texts, RougeScorer(["rougeL"], tokenizer=_Split())

    def scores(self, reference: Words) -> Iterator[float]:
        target = " ".join(reference)
        for text in self._texts:
            yield float(self._scorer.score(target, " ".join(text))["rougeL"].fmeasure)


class _Split:
    """Splits at spaces: words are already separated."""

    def tokenize(self, text: str) -> list[str]:
        return text.split()


class Cider:
    """CIDEr-D (Vedantam et al., 2015): how alike the TF-IDF vectors of n-grams are, from single words to four.

    Document frequencies are those of the pool, each question a document: what many of its questions say counts little.
    The words are not stemmed.
    """

    def __init__(self, texts: Sequence[Words]) -> None:
        from pycocoevalcap.cider.cider_scorer import (  # type: ignore[import-untyped]  # no types or stubs
            CiderScorer,
            cook_refs,
            cook_test,
        )

        self._texts, self._cooked, self._cooked_refs = texts, cook_test, cook_refs
        self._scorer = CiderScorer(n=_LONGEST, sigma=_SIGMA)
        for batch in self._batches():
            # Document frequencies add up over batches, so that no more n-grams are in memory at once.
            self._scorer.crefs = [cook_refs([text], _LONGEST) for text in batch]
            self._scorer.compute_doc_freq()

    def scores(self, reference: Words) -> Iterator[float]:
        # As many references as the pool has questions, since their number is what the scorer takes the idf from; it
        # scores as many as there are candidates.
        self._scorer.crefs = [self._cooked_refs([" ".join(reference)], _LONGEST)] * len(self._texts)
        for batch in self._batches():
            self._scorer.ctest = [self._cooked(text, _LONGEST) for text in batch]
            yield from map(float, self._scorer.compute_cider())

    def _batches(self) -> Iterator[list[str]]:
        texts = (" ".join(text) for text in self._texts)
        while batch := list(islice(texts, _AT_ONCE)):
            yield batch


class Meteor:
    """METEOR (Banerjee and Lavie, 2005): words match exactly, by stem (Porter) or as synonyms, in few chunks.

    Synonyms are those of nouns and adjectives in the bundled WordNet. nltk looks them up by stem, so a word whose stem
    is no word ("automobil") has none. Verbs match by stem alone.
    """

    def __init__(self, texts: Sequence[Words]) -> None:
        self._texts, self._stemmer, self._synonyms = texts, _Stemmer(), _Synonyms()

    def scores(self, reference: Words) -> Iterator[float]:
        from nltk.translate.meteor_score import single_meteor_score  # type: ignore[import-untyped]  # as above

        means = {"stemmer": self._stemmer, "wordnet": self._synonyms, "alpha": 0.9, "beta": 3.0, "gamma": 0.5}
        for text in self._texts:
            yield float(single_meteor_score(reference, text, **means))


class _Stemmer:
    """Porter's stemmer with a cache."""

    def __init__(self) -> None:
        from nltk.stem.porter import PorterStemmer  # type: ignore[import-untyped]  # as above

        self.stem: Callable[[str], str] = lru_cache(maxsize=None)(PorterStemmer().stem)


class _Synonyms:
    """The bundled WordNet, with the one method that nltk's METEOR calls."""

    def __init__(self) -> None:
        from pytest_vqamt.language.wordnet.words import BUNDLED, find_wordnet

        self.synsets: Callable[[str], Iterable[object]] = lru_cache(maxsize=None)(NltkSynsets(find_wordnet(BUNDLED)).of)


class NltkSynsets:
    """nltk's synsets of one WordNet."""

    def __init__(self, files: WordNetFiles) -> None:
        with warnings.catch_warnings():
            # The reader is made without translations on purpose.
            warnings.filterwarnings("ignore", "The multilingual functions are not available")
            self.reader = _Reader(files)

    def of(self, word: str) -> list[Synset]:
        """Returns nltk's synsets of a word, nouns before adjectives."""
        return [synset for kind in "na" for synset in self.reader.synsets(word, kind)]


class _Reader(WordNetCorpusReader):  # type: ignore[misc]  # nltk is untyped
    _FILEMAP: Mapping[str, str] = {"a": "adj", "n": "noun"}

    def __init__(self, files: WordNetFiles) -> None:
        self._files = files
        super().__init__(_Nowhere(), omw_reader=None)

    def open(self, file: str) -> TextIOWrapper:
        return TextIOWrapper(BytesIO(self._files.read(PurePath(file).name)), encoding="utf-8")

    def map_wn(self, version: str = "wordnet") -> None:
        """Skips the mapping between versions, whose index few distributions of WordNet have."""


class _Nowhere(PathPointer):  # type: ignore[misc]  # nltk is untyped
    """A root that is never opened, since `_Reader.open` reads the files."""

    path = "(files read by pytest-vqamt)"

    def open(self, encoding: str | None = None) -> TextIOWrapper:
        raise NotImplementedError

    def file_size(self) -> int:
        raise NotImplementedError

    def join(self, fileid: str) -> _Nowhere:
        return self
