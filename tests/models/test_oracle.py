"""The oracle says what is true of the picture as edited, and touches no pixel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Never

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.meaning import (
    Absent,
    Annotated,
    Both,
    Choice,
    Count,
    Describe,
    Either,
    Entails,
    Exists,
    Group,
    Has,
    Meaning,
    Neither,
    NotBoth,
    Unit,
)
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import ModelInput, Query, Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.reference.oracle import answer_text, load
from pytest_vqamt.models.wrapped import wrap_model
from tests.rows import each_row

if TYPE_CHECKING:
    from tests.models.conftest import Ask


ORACLE = wrap_model("oracle", load("", ModelOptions()), ModelOptions())
DOG, CAT, COW = Group(name="dog"), Group(name="cat"), Group(name="cow")


@each_row(
    "meaning, text",
    [
        (Count(groups=(DOG,)), "3"),
        (Count(groups=(DOG, CAT)), "4"),
        (Count(groups=(COW,)), "0"),
        (Count(groups=(Group(name="dog", attributes=("brown",)),)), "2"),
        (Exists(group=DOG), "yes"),
        (Exists(group=COW), "no"),
        (Absent(group=DOG), "no"),
        (Absent(group=COW), "yes"),
        (Both(groups=(DOG, CAT)), "yes"),
        (NotBoth(groups=(DOG, COW)), "yes"),
        (Either(groups=(COW, CAT)), "yes"),
        (Neither(groups=(COW, CAT)), "no"),
        (Has(group=CAT, attribute="black"), "yes"),
        (Choice(what=CAT, options=("white", "black")), "black"),
        (Choice(what=CAT, options=("white", "red")), "unknown"),
        (Annotated(answers=(("two", 0.3), ("3", 0.6))), "3"),
        (Annotated(answers=()), "unknown"),
    ],
)
def test_questions(ask: Ask, meaning: Meaning, text: str) -> None:
    assert [answer.text for answer in ORACLE.ask(Task.VQA, [ask(meaning)])] == [text]


@each_row(
    "unit, label",
    [
        (Unit(group=DOG), "entailment"),
        (Unit(group=COW), "contradiction"),
        (Unit(group=CAT, unseen="belongs to a teacher"), "neutral"),
    ],
)
def test_hypotheses(ask: Ask, unit: Unit, label: str) -> None:
    [answer] = ORACLE.ask(Task.ENTAILMENT, [ask(Entails(units=(unit,)), task=Task.ENTAILMENT)])
    assert answer.text == label


def test_a_caption_names_everything(ask: Ask, bare: Scene) -> None:
    yard, nothing = (ask(Describe(), "", task=Task.CAPTIONING), ask(Describe(), "", picture=bare.picture))
    captions = [answer.text for answer in ORACLE.ask(Task.CAPTIONING, [yard, nothing])]
    assert captions == ["three dogs, a cat, a bench and a car", "nothing"]


@pytest.mark.parametrize(
    ("inventory", "caption"),
    [
        ((("apple", 1),), "an apple"),
        ((("teddy bear", 2), ("woman", 12)), "two teddy bears and twelve women"),
    ],
)
def test_captions_are_grammatical(inventory: tuple[tuple[str, int], ...], caption: str) -> None:
    assert answer_text(inventory) == caption


def test_it_answers_about_the_picture_as_edited(ask: Ask, yard: Scene) -> None:
    without_the_black_dog = yard.picture.erase(Box(60, 60, 20, 20))
    left_half = yard.picture.cut(0, 90)
    answers = ORACLE.ask(
        Task.VQA,
        [
            ask(Count(groups=(DOG,)), picture=without_the_black_dog),
            ask(Exists(group=CAT), picture=left_half),
        ],
    )
    assert [answer.text for answer in answers] == ["2", "no"]


def test_it_looks_at_no_image(yard: Scene) -> None:
    def refuse(picture: Picture) -> Never:
        raise AssertionError(f"{picture} was rendered")

    query = Query(picture=yard.picture, text="Is there a dog?", meaning=Exists(group=DOG))
    assert ORACLE.ask(Task.VQA, [ModelInput(query, refuse)])[0].text == "yes"


def test_it_does_every_task_and_its_answers_are_not_kept() -> None:
    assert ORACLE.tasks == (Task.VQA, Task.ENTAILMENT, Task.CAPTIONING)
    assert not ORACLE.persistent
