"""What a model that guesses would reach on a case and its contrast.

It answers each distinct query by chance: yes or no, an option, a label, a number from 0 to 5, all equally likely. The
answers to captions, and to published questions without options, cannot be guessed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from random import Random

from pytest_vqamt.core.case import Case, Outcome
from pytest_vqamt.core.meaning import (
    NO_SUCH_THING,
    NONE_OF_THESE,
    Annotated,
    Choice,
    Count,
    Entails,
    Label,
    Meaning,
    MovesFirst,
    PartCount,
    Property,
    WhichThere,
    is_yes_no,
)
from pytest_vqamt.core.query import Answer
from pytest_vqamt.language.answers.reading import meaning_of
from pytest_vqamt.relations.base import Relation
from pytest_vqamt.relations.contrasts import judge_contrast

MOST_COUNTED = 5
"""The largest number that is guessed."""

_MAX_GUESSES = 1_296
"""So many combinations of answers are enumerated, or drawn where there are more."""


def answers_to_guess(meaning: Meaning) -> tuple[str, ...]:
    """Returns the answers that a model may guess; none where they are unknown."""
    if isinstance(meaning, Annotated) and meaning.question:
        asked = meaning_of(meaning.question, meaning.options)
        return meaning.options if isinstance(asked, Annotated) and not is_yes_no(asked) else answers_to_guess(asked)
    if is_yes_no(meaning):
        return ("yes", "no")
    if isinstance(meaning, Count | PartCount) or (isinstance(meaning, Annotated) and meaning.is_count):
        return tuple(map(str, range(MOST_COUNTED + 1)))
    if isinstance(meaning, Choice | Annotated):
        return meaning.options
    if isinstance(meaning, MovesFirst):
        return tuple(group.name for group in meaning.groups)
    if isinstance(meaning, WhichThere):
        return (*(group.name for group in meaning.groups), *((NONE_OF_THESE,) if meaning.or_none else ()))
    if isinstance(meaning, Property):
        return (*meaning.values, NO_SUCH_THING)
    return tuple(label.value for label in Label) if isinstance(meaning, Entails) else ()


def _drawn(asked: Sequence[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    # A fixed seed: the chance is part of the report, and must be the same in each run.
    random = Random(0)
    return (tuple(map(random.choice, asked)) for _ in range(_MAX_GUESSES))


class ChanceOfCases:
    """The chance of each case of one relation variant. Cases of one shape have the same, which is computed once."""

    def __init__(self, relation: Relation) -> None:
        self._relation = relation
        self._known: dict[tuple[object, ...], float] = {}

    def of(self, case: Case) -> float:
        """Returns the chance that guessed answers satisfy the relation and differ as the contrast demands, in [0, 1].

        In a case without a contrast, that they satisfy the relation.
        """
        asked = {query.id: answers_to_guess(query.meaning) for query in case.asked}
        if not all(asked.values()):
            return 0.0
        # Queries with one id get one answer, even as the case's contrast.
        numbers = {query_id: number for number, query_id in enumerate(asked)}
        places = tuple(numbers[query.id] for query in case.asked)
        contrast = case.contrast
        # What the chance depends on; names and pictures do not matter, so one computation serves thousands of cases.
        shape = (
            *((len(answers), answers[0].isdigit()) for answers in asked.values()),
            places,
            (contrast.of, contrast.change) if contrast else None,
            tuple(type(query.meaning) for query in case.queries),
            case.fact("pairs"),
        )
        if shape not in self._known:
            self._known[shape] = self._share(case, list(asked.values()), places)
        return self._known[shape]

    def _share(self, case: Case, asked: Sequence[tuple[str, ...]], places: Sequence[int]) -> float:
        guesses = product(*asked) if prod(map(len, asked)) <= _MAX_GUESSES else _drawn(asked)
        grounded = total = 0
        for guess in guesses:
            answers = [Answer(guess[place]) for place in places]
            total += 1
            grounded += self._is_grounded(case, answers)
        return grounded / total

    def _is_grounded(self, case: Case, answers: Sequence[Answer]) -> bool:
        own = answers[: len(case.queries)]
        if case.contrast is not None:
            changed = judge_contrast(case, own, answers[-1])
            if changed.outcome is not Outcome.HOLDS:
                return False
        try:
            return self._relation.judge(case, own).obeys
        except Exception:  # a user's expectation need not take answers that no model gave
            return False
