"""How sure a model was of its answers, from the scores that it gave for candidate answers."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

from pytest_vqamt.core.case import Case, Grade, Verdict
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.query import Answer, Failure, Query, Task
from pytest_vqamt.language.answers.text import Unreadable, UnreadableAnswer
from pytest_vqamt.models.reference.oracle import true_answer
from pytest_vqamt.relations.expectations import read_answer


def with_grades(case: Case, answers: Sequence[Answer | Failure], verdict: Verdict) -> Verdict:
    """The verdict with the grades of the answers; unchanged if none has scores."""
    if not any(isinstance(answer, Answer) and answer.scores for answer in answers):
        return verdict
    grades = tuple(
        grade(query, answer) if isinstance(answer, Answer) else None
        for query, answer in zip(case.queries, answers, strict=True)
    )
    return replace(verdict, grades=grades)


def grade(query: Query, answer: Answer) -> Grade | None:
    """Returns how sure the model was of the reading of its answer.

    Each candidate is read as an answer is, and the probabilities of candidates with the same reading add up ("yes",
    "Yes."). None if the answer has no scores or cannot be read, if no candidate has its reading (as where scores are
    of the first token, and that is "There"), and for captions.
    """
    if not answer.scores or query.task is Task.CAPTIONING:
        return None
    reading = read_answer(query, answer)
    if isinstance(reading, UnreadableAnswer):
        return None
    own = 0.0
    others: dict[object, float] = {}
    found = False
    for (text, _), probability in zip(answer.scores, probabilities([s for _, s in answer.scores]), strict=True):
        candidate = _candidate(query, text)
        if candidate == reading:
            own, found = own + probability, True
        else:
            key = text if isinstance(candidate, UnreadableAnswer) else candidate
            others[key] = others.get(key, 0.0) + probability
    if not found:
        return None
    right = true_answer(query)
    is_right = None if right is None else _plain(reading) == _plain(right)
    return Grade(min(own, 1.0), own - max(others.values(), default=0.0), is_right)


_OPENERS = frozenset((
    "a", "an", "the", "there", "this", "that", "these", "those", "it", "its", "in", "on", "i", "is", "are", "looking",
    "based", "from",
))  # fmt: skip
"""Tokens that begin a sentence of any reading, so that their scores say nothing of the answer."""


def probabilities(scores: Sequence[float]) -> list[float]:
    """Scores as probabilities: as they are from 0 to 1, of logarithms the exponentials, of others the softmax.

    >>> probabilities([0.75, 0.25]), [round(each, 2) for each in probabilities([-0.69, -1.39])]
    ([0.75, 0.25], [0.5, 0.25])
    >>> [round(each, 2) for each in probabilities([2.0, 0.0])]
    [0.88, 0.12]
    """
    if all(0 <= score <= 1 for score in scores):
        return list(scores)
    if all(score <= 0 for score in scores):
        return [exp(score) for score in scores]
    most = max(scores)
    weights = [exp(score - most) for score in scores]
    return [weight / sum(weights) for weight in weights]


def _candidate(query: Query, text: str) -> object:
    if text.casefold().strip(" .,") in _OPENERS:
        return UnreadableAnswer(Unreadable.CUT_OFF)
    return read_answer(query, Answer(text))


def _plain(value: object) -> object:
    return " ".join(value.casefold().split()) if isinstance(value, str) else value
