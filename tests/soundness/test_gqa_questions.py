"""Our logic of scenes gives the published answers to GQA's questions: those that our forms of meaning can say, by hand.

Nothing here is a question of ours: text and answer are GQA's, and the meaning is what a person reads in the text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import TypedDict, cast

import pytest

from pytest_vqamt.core.meaning import Choice, Exists, Group, Has, Meaning, Related, truth
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.models.reference.oracle import answer_text
from tests.rows import each_row
from tests.soundness.samples import REAL, REAL_DATA

(GQA,) = (sample for sample in REAL if sample.name == "gqa")
QUESTIONS = REAL_DATA / "gqa" / "questions.json"

pytestmark = pytest.mark.skipif(not GQA.is_here, reason="the sample 'gqa' of ../shared/data is not here")


class Published(TypedDict):
    """What is read of a record."""

    question: str
    imageId: str
    answer: str


def beside(predicate: str, name: str, *attributes: str) -> tuple[Related, ...]:
    return (Related(predicate=predicate, to=Group(name=name, attributes=attributes)),)


MEANINGS: Mapping[str, tuple[str, Meaning]] = {
    "171048450": (
        "Which kind of furniture is green?",
        Choice(what=Group(name="furniture", covers=("chair",), attributes=("green",)), options=("table", "chair")),
    ),
    "171048547": (
        "Is the black animal sitting under the green chair?",
        Exists(
            group=Group(
                name="animal", covers=("cat",), attributes=("black",), related=beside("sitting under", "chair", "green")
            )
        ),
    ),
    "13570135": (
        "The zebra that is on the grass is what color?",
        Choice(what=Group(name="zebra", related=beside("on", "grass")), options=("brown", "black")),
    ),
    "13570099": (
        "Does the zebra to the left of the other zebra seem to be white?",
        Has(group=Group(name="zebra", related=beside("to the left of", "zebra")), attribute="white"),
    ),
    "15451810": (
        "What are the elephants that are standing doing?",
        Choice(what=Group(name="elephants", attributes=("standing",)), options=("drinking", "eating")),
    ),
    "0085042": (
        "Is there a shark to the right of the mirror?",
        Exists(group=Group(name="shark", related=beside("to the right of", "mirror"))),
    ),
    "15451857": (
        "Is the food to the right of a bottle?",
        Exists(group=Group(name="food", related=beside("to the right of", "bottle"))),
    ),
    "15192363": (
        "Is the person standing under the umbrella?",
        Exists(group=Group(name="person", related=beside("standing under", "umbrella"))),
    ),
    # There is one spatula: that it is on the right says nothing more.
    "905754": (
        "Is the person holding the spatula on the right?",
        Exists(group=Group(name="person", related=beside("holding", "spatula"))),
    ),
    "041477": (
        "Who wears shorts?",
        Choice(
            what=Group(name="person", covers=("man", "woman"), related=beside("wearing", "shorts")),
            options=("woman", "man"),
        ),
    ),
}
"""Text and meaning. Open questions are put as choices, the published answer last."""

WITHOUT_A_FORM: Mapping[str, str] = {
    "171048543": "asks for the object of a relation, and groups are told by what they are the subject of",
    "15451854": "asks where in the picture a thing is",
    "142457": "asks where in the picture a thing is",
    "13570047": "asks about the scene as a whole",
    "041438": "compares the colours of two things",
}
"""Why no meaning of ours says what is asked."""


@cache
def published() -> Mapping[str, Published]:
    return cast(Mapping[str, Published], json.loads(QUESTIONS.read_text(encoding="utf-8")))


@cache
def scenes() -> Mapping[str, Scene]:
    source = GQA.load()
    return {scene.id: scene for scene in map(source.scene, range(len(source)))}


@each_row("question_id", MEANINGS)
def test_the_truth_is_the_published_answer(question_id: str) -> None:
    text, meaning = MEANINGS[question_id]
    record = published()[question_id]
    assert record["question"] == text
    assert answer_text(truth(meaning, scenes()[record["imageId"]])) == record["answer"]


def test_every_question_has_a_meaning_or_a_reason_to_have_none() -> None:
    assert sorted([*MEANINGS, *WITHOUT_A_FORM]) == sorted(published())
