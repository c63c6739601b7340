"""Pools of basic questions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from pytest_vqamt.core.identity import digest
from pytest_vqamt.language.basic_questions.words import words_of


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pool:
    """Questions to draw noise from; compared by identity.

    Attributes:
        name: the setting that it was opened with.
        digest: names the questions, in their order.
        questions: each once, however it is written (see `normalised`), in the order of the source.
    """

    name: str
    digest: str
    questions: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.questions)

    def __repr__(self) -> str:
        return f"Pool({self.name!r}, {len(self)} questions, digest={self.digest!r})"


def pool_of(name: str, questions: Iterable[str]) -> Pool:
    """A pool of the questions that have words, of those that are the same but for `normalised` the first."""
    distinct: dict[str, str] = {}
    for question in questions:
        if words_of(question):
            distinct.setdefault(normalised(question), " ".join(question.split()))
    texts = tuple(distinct.values())
    return Pool(name=name, digest=digest(*texts), questions=texts)


def normalised(question: str) -> str:
    """What two texts share that ask the same in the same words: case, spaces and the closing question mark put aside.

    >>> normalised("Is there  a DOG ?") == normalised("is there a dog")
    True
    """
    return " ".join(question.casefold().split()).rstrip(" ?")


@lru_cache(maxsize=8)
def places(pool: Pool) -> dict[str, int]:
    """Where each question stands in the pool, by its normalised text."""
    return {normalised(question): place for place, question in enumerate(pool.questions)}
