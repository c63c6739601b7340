"""What it takes to rank questions against a pool of 100,000: 200 by LASSO, 2 by each of the other rankings."""

from __future__ import annotations

import gzip
import json
import os
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from unittest.mock import patch

from pytest_vqamt.core.errors import CACHE_HOME_VARIABLE
from pytest_vqamt.language.question_ranking.pool import Pool, RankingMethod, normalise_question, pool_of
from pytest_vqamt.language.question_ranking.ranking import rank_questions
from tools.benchmarks.measuring import show

_REAL = Path(__file__).parents[2] / "../shared/data/vqa_v2/questions.json.gz"
_POOL = 100_000
_MAIN = 200
_MAIN_BY_WORDS = 2
"""The other rankings score the whole pool, which takes them 5 to 15 s for each main question."""
_MOST_EXCHANGES = 3


def main() -> None:
    """The pool's embedding is made once, then read back, as a second run does it."""
    if not _REAL.is_file():
        print(f"\nbasic_questions: left out, for it exchanges words of real questions, and there is no {_REAL}")
        return
    asked = [row["question"] for row in json.loads(gzip.decompress(_REAL.read_bytes()))["questions"]]
    pool, mains = made_of(asked[_MAIN:]), tuple(asked[:_MAIN])
    with TemporaryDirectory() as home, patch.dict(os.environ, {CACHE_HOME_VARIABLE: home}):
        rows = [
            _by_lasso(pool, mains),
            *(_by_words(pool, mains[:_MAIN_BY_WORDS], each) for each in RankingMethod if each != "lasso"),
        ]
    show(
        f"Ranking questions of VQA v2 against {len(pool)} made of others by exchanging words",
        ("ranking", "the pool, first", "the pool, kept", "search", "solving", "main questions", "all", "one"),
        rows,
    )


def made_of(questions: list[str]) -> Pool:
    """The questions, and as many more as are needed in which one to three words stand where such words stood elsewhere.

    A word is exchanged for one that follows the same word in another question, so that most still read as questions.
    """
    rng = Random(0)
    split = [question.rstrip("?").split() for question in questions]
    following: dict[str, list[str]] = defaultdict(list)
    for words in split:
        for before, word in zip(["", *words], words, strict=False):
            following[before.lower()].append(word)
    made = {normalise_question(question): question for question in questions}
    while len(made) < _POOL:
        words = list(rng.choice(split))
        for _ in range(rng.randint(1, _MOST_EXCHANGES)):
            place = rng.randrange(len(words))
            words[place] = rng.choice(following[words[place - 1].lower() if place else ""] or words)
        text = f"{' '.join(words)}?"
        made.setdefault(normalise_question(text), text)
    return pool_of("made", made.values())


def _by_lasso(pool: Pool, mains: tuple[str, ...]) -> tuple[str, ...]:
    from pytest_vqamt.language.question_ranking.embeddings import embed_pool
    from pytest_vqamt.language.question_ranking.lasso import solve

    first_s = _seconds(lambda: embed_pool(pool, "lsa"))
    embed_pool.cache_clear()
    again_s = _seconds(lambda: embed_pool(pool, "lsa"))
    solving = _Timed(solve)
    with patch("pytest_vqamt.language.question_ranking.lasso.solve", solving):
        all_s = _seconds(lambda: _rank(pool, mains, RankingMethod.LASSO))
    return (
        RankingMethod.LASSO,
        f"{first_s:.1f} s",
        f"{again_s:.1f} s",
        f"{all_s - solving.seconds:.1f} s",
        f"{solving.seconds:.1f} s",
        str(len(mains)),
        f"{all_s:.1f} s",
        f"{1000 * all_s / len(mains):.0f} ms",
    )


def _by_words(pool: Pool, mains: tuple[str, ...], ranking: RankingMethod) -> tuple[str, ...]:
    first_s = _seconds(lambda: rank_questions(pool, "Is it?", ranking=ranking, embedding="lsa"))
    all_s = _seconds(lambda: _rank(pool, mains, ranking))
    one_ms = f"{1000 * all_s / len(mains):.0f} ms"
    return ranking, f"{first_s:.1f} s", "-", "-", "-", str(len(mains)), f"{all_s:.1f} s", one_ms


def _rank(pool: Pool, mains: tuple[str, ...], ranking: RankingMethod) -> None:
    exclude = frozenset(mains)
    for question in mains:
        assert len(rank_questions(pool, question, ranking=ranking, embedding="lsa", exclude=exclude)) == 21


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


class _Timed:
    """A function, and how long it took in all."""

    def __init__(self, function: Callable[..., object]) -> None:
        self._function = function
        self.seconds = 0.0

    def __call__(self, *arguments: object) -> object:
        start = time.perf_counter()
        try:
            return self._function(*arguments)
        finally:
            self.seconds += time.perf_counter() - start
