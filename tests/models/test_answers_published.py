"""``answers:FILE`` knows the questions of published pairs by the ids that their authors gave them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.query import ModelInput
from pytest_vqamt.core.scene import PublishedPair, PublishedQuestion, Scene
from pytest_vqamt.models.answers_file import AnswersFile

if TYPE_CHECKING:
    from tests.models.conftest import Ask


IS_THERE, IS_THERE_NONE = "Is there a dog?", "Is there no dog?"


def written(file: Path, *rows: object) -> AnswersFile:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return AnswersFile(file)


def said(model: AnswersFile, *asked: ModelInput) -> list[str | None]:
    """What the model says to each input; None for what it lacks."""
    return [None if model.lacks(each.query) else model.answer([each])[0].text for each in asked]


def todo_rows(model: AnswersFile) -> list[dict[str, object]]:
    return [json.loads(line) for line in model.todo_file.read_bytes().splitlines()]


def question(id_: str, text: str, original: str = "") -> PublishedQuestion:
    pair = PublishedPair(original=original, test="negation_consistency", demand="opposite") if original else None
    return PublishedQuestion(id=id_, text=text, answers=("yes",), pair=pair)


@pytest.fixture
def published(yard: Scene) -> Scene:
    """The yard with a pair, the same original in another file, and a question that stands for itself."""
    return replace(
        yard,
        questions=(
            question("n.json:7-0-1", IS_THERE),
            question("n.json:7-0-1-n", IS_THERE_NONE, "n.json:7-0-1"),
            question("a.json:7-0-1", IS_THERE),
            question("a.json:7-0-1-a", "Is there a cat?", "a.json:7-0-1"),
            question("17", "What is it?"),
        ),
    )


@pytest.fixture
def pair(published: Scene, ask: Ask) -> tuple[ModelInput, ModelInput]:
    return ask(text=IS_THERE, picture=published.picture), ask(text=IS_THERE_NONE, picture=published.picture)


def test_a_row_is_found_by_the_published_id(file: Path, pair: tuple[ModelInput, ModelInput]) -> None:
    rows = [{"published": "n.json:7-0-1", "answer": "yes"}, {"published": "n.json:7-0-1-n", "answer": "no"}]
    assert said(written(file, *rows), *pair) == ["yes", "no"]
    assert said(written(file, {"published": "a.json:7-0-1", "answer": "yes"}), *pair) == ["yes", None]
    assert said(written(file, {"published": "7-0-1", "answer": "yes"}), *pair) == [None, None]


def test_the_id_counts_more_than_the_published_one_and_that_more_than_the_text(
    file: Path, pair: tuple[ModelInput, ModelInput]
) -> None:
    rows = [
        {"photo": "yard.png", "text": IS_THERE, "answer": "by text"},
        {"published": "n.json:7-0-1", "answer": "by published id"},
        {"id": pair[0].query.id, "answer": "by id"},
    ]
    assert said(written(file, *rows), pair[0]) == ["by id"]
    assert said(written(file, *rows[:2]), pair[0]) == ["by published id"]


def test_what_else_is_asked_about_the_photo_is_not_found_by_it(file: Path, published: Scene, ask: Ask) -> None:
    erased = published.picture.erase(Box(0, 60, 20, 20))
    model = written(file, {"published": "n.json:7-0-1", "answer": "yes"}, {"published": "17", "answer": "a dog"})
    others = (
        ask(text=IS_THERE, picture=erased),
        ask(text=IS_THERE, picture=published.picture, trial=1),
        ask(text="What is it?", picture=published.picture),
    )
    assert said(model, *others) == [None, None, None]


def test_the_todo_list_names_the_published_question(
    file: Path, pair: tuple[ModelInput, ModelInput], published: Scene, ask: Ask
) -> None:
    erased = ask(text=IS_THERE, picture=published.picture.erase(Box(0, 60, 20, 20)))
    model = AnswersFile(file)
    model.todo(each.query for each in (*pair, erased, ask(text="What is it?", picture=published.picture)))
    assert [row.get("published") for row in todo_rows(model)] == ["n.json:7-0-1", "n.json:7-0-1-n", None, None]
    answered = [{**row, "answer": str(number)} for number, row in enumerate(todo_rows(model))]
    assert said(written(file, *answered), *pair, erased) == ["0", "1", "2"]


def test_pruning_takes_off_what_is_answered_by_published_id(file: Path, pair: tuple[ModelInput, ModelInput]) -> None:
    AnswersFile(file).todo(each.query for each in pair)
    model = written(file, {"published": "n.json:7-0-1", "answer": "yes"})
    model.prune()
    assert [row["id"] for row in todo_rows(model)] == [pair[1].query.id]


def test_two_answers_for_one_published_id_are_refused(file: Path) -> None:
    rows = [{"published": "n.json:7-0-1", "answer": answer} for answer in ("yes", "no")]
    with pytest.raises(DataError) as told:
        written(file, *rows)
    assert str(told.value) == (
        f"{file}:2: Expected one answer for id=None, photo=None, text=None, published='n.json:7-0-1', "
        f"but got 'no' here and 'yes' at {file}:1"
    )


def test_two_answers_for_one_question_with_two_published_ids_are_refused(
    file: Path, pair: tuple[ModelInput, ModelInput]
) -> None:
    rows = [
        {"published": "a.json:7-0-1", "answer": "no"},
        {"published": "n.json:7-0-1", "answer": "yes"},
    ]
    with pytest.raises(DataError, match=r"published='a.json:7-0-1', but got 'no' here and 'yes' at"):
        written(file, *rows).lacks(pair[0].query)
    assert said(written(file, rows[0], rows[1] | {"answer": "no"}), pair[0]) == ["no"]
