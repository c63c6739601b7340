"""The basic questions of a pool that are nearest to a main question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib.metadata import version

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.identity import digest
from pytest_vqamt.language.question_ranking.embeddings import cached_texts, store_texts
from pytest_vqamt.language.question_ranking.pool import (
    Pool,
    RankingMethod,
    missing_packages,
    normalise_question,
    package_of,
    places,
    ranking_of,
)

TOP = 21
"""Seven partitions of three (Huang et al., AAAI 2019, section 4)."""

_VERSION = 1
"""Raised when rankings may change: it is part of the cache key."""

MOST_WORDS = 26
"""What most models of the paper were trained on (Huang et al., AAAI 2019, section 4)."""


def rank_questions(
    pool: Pool, question: str, *, ranking: str, embedding: str, exclude: frozenset[str] = frozenset(), top: int = TOP
) -> tuple[str, ...]:
    """Returns the best ``top`` questions of the pool, the nearest first.

    The main question is the reference of BLEU, ROUGE-L, CIDEr and METEOR. Results are the same in every process, on any
    number of threads, and cached on disk.

    Args:
        pool: the candidates.
        question: the main question, which is left out however it is written (see `pool.normalise_question`).
        ranking: one of `RankingMethod`.
        embedding: for LASSO; the other rankings compare words.
        exclude: more questions to leave out, such as other main questions.
        top: at least 1.

    Raises:
        OptionError: a wrong setting, a package that is not installed, or a model that is not on this machine.
    """
    wanted = ranking_of(ranking)
    if reason := missing_packages(ranking, embedding):
        raise OptionError(f"Expected to rank basic questions, but {reason}")
    key = digest(
        "ranking",
        str(_VERSION),
        pool.digest,
        _method_digest(wanted, embedding),
        _exclusion_digest(exclude),
        str(top),
        question,
    )
    return _cached_ranking(key, pool, lambda: _best(pool, question, wanted, embedding, exclude, top), top)


_in_memory: dict[str, tuple[str, ...]] = {}
"""Rankings of this process by key: several relations use those of one main question."""


def _cached_ranking(key: str, pool: Pool, make: Callable[[], tuple[str, ...]], top: int) -> tuple[str, ...]:
    if key not in _in_memory:
        found = cached_texts(key)
        # A file that was damaged or edited is made again, and never read as a ranking.
        if found is None or len(found) > top or not all(normalise_question(text) in places(pool) for text in found):
            found = make()
            store_texts(key, found)
        _in_memory[key] = found
    return _in_memory[key]


def _best(
    pool: Pool, question: str, ranking: RankingMethod, embedding: str, exclude: frozenset[str], top: int
) -> tuple[str, ...]:
    left_out = _left_out(pool, exclude)
    if (own := places(pool).get(normalise_question(question))) is not None:
        left_out |= {own}
    # What ranks brings NumPy and more, and is imported when the first ranking is made.
    if ranking is RankingMethod.LASSO:
        from pytest_vqamt.language.question_ranking.embeddings import embed_pool
        from pytest_vqamt.language.question_ranking.lasso import by_lasso

        found = by_lasso(embed_pool(pool, embedding), question, sorted(left_out), top)
    else:
        from pytest_vqamt.language.question_ranking.word_overlap import by_words

        found = by_words(pool, ranking, question, sorted(left_out), top)
    return tuple(pool.questions[place] for place in found)


@lru_cache(maxsize=8)
def _left_out(pool: Pool, exclude: frozenset[str]) -> frozenset[int]:
    known = places(pool)
    return frozenset(known[text] for text in map(normalise_question, exclude) if text in known)


@lru_cache(maxsize=8)
def _exclusion_digest(exclude: frozenset[str]) -> str:
    return digest(*sorted({normalise_question(text) for text in exclude}))


@lru_cache(maxsize=16)
def _method_digest(ranking: RankingMethod, embedding: str) -> str:
    """Returns a digest of the ranking and of what it depends on."""
    package = package_of(ranking)
    parts = [ranking, f"{package} {version(package)}"]
    if ranking is RankingMethod.LASSO:
        from pytest_vqamt.language.question_ranking.embeddings import fingerprint_of

        parts.append(fingerprint_of(embedding))
    return digest(*parts)


def append_questions(question: str, basic: Sequence[str], most_words: int = MOST_WORDS) -> tuple[str, int]:
    """Returns the main question followed by the basic ones, and the number of these.

    Basic questions are dropped from the end until there are at most ``most_words`` words; a longer main question stays
    as it is.

    >>> append_questions("Is it red?", ["Is there a dog?", "What is it?"], most_words=7)
    ('Is it red? Is there a dog?', 1)
    """
    stayed = len(basic)
    # The farthest question goes first.
    while stayed and sum(len(each.split()) for each in (question, *basic[:stayed])) > most_words:
        stayed -= 1
    return " ".join((question, *basic[:stayed])), stayed
