"""How right the answers of a case are."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_vqamt.core.case import Amount, Case
from pytest_vqamt.core.meaning import Annotated, truth
from pytest_vqamt.core.query import Query
from pytest_vqamt.language.answers.vqa_accuracy import ENOUGH, accuracy, normalised
from pytest_vqamt.relations.expectations import shown

_ASKED = ("clean", "noisy")


def figures_of(case: Case, readings: Sequence[str]) -> tuple[Amount, ...]:
    """The accuracy of the main question alone and with noise, over all and over its answer type; none if not known.

    ``readings`` are what was understood of the two answers: what cannot be understood is wrong.
    """
    if not case.fact("truth_known"):
        return ()
    answer_type, annotators = str(case.fact("answer_type")), int(case.fact("annotators") or 0)
    return tuple(
        (name, amount)
        for how, query, reading in zip(_ASKED, case.queries, readings, strict=True)
        for amount in (_accuracy(query, reading, annotators),)
        for name in (how, f"{how} {answer_type}")
    )


def _accuracy(query: Query, reading: str, annotators: int) -> float:
    """VQA accuracy against the annotators, where they are enough for it; the score of a scored answer; else 1 or 0."""
    meaning = query.meaning
    if not isinstance(meaning, Annotated):
        return float(reading == _known(query))
    if annotators > ENOUGH:
        return accuracy(
            reading, [answer for answer, share in meaning.answers for _ in range(round(share * annotators))]
        )
    if annotators:
        return float(normalised(reading) == normalised(str(_known(query))))
    return max((score for answer, score in meaning.answers if normalised(answer) == normalised(reading)), default=0.0)


def _known(query: Query) -> str:
    """The right answer as readings are shown."""
    known = truth(query.meaning, query.picture.scene)
    return shown(known) if isinstance(known, bool) else str(known)
