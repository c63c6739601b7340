"""``answers:FILE`` finds rows by id or by photo and text, lists what it lacks, and tells where a mistake is."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.core.query import ModelInput, Task
from pytest_vqamt.core.recipes import picture_recipe
from pytest_vqamt.core.scene import Photo, Scene
from pytest_vqamt.models.answers_file import AnswersFile, load
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.wrapped import wrap_model
from tests.rows import each_row

if TYPE_CHECKING:
    from tests.models.conftest import Ask


HOW_MANY = "How many dogs?"
NAMELESS = "Expected a row with 'id', with 'published', or with 'photo' and 'text'"


def written(file: Path, *rows: object) -> AnswersFile:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return AnswersFile(file)


def said(model: AnswersFile, *asked: ModelInput) -> list[str | None]:
    """What the model says to each input; None for what it lacks."""
    return [None if model.lacks(each.query) else model.answer([each])[0].text for each in asked]


def test_a_row_is_found_by_id(file: Path, plain: ModelInput, edited: ModelInput) -> None:
    model = written(file, {"id": edited.query.id, "answer": "2"}, {"id": plain.query.id, "answer": "3"})
    assert said(model, plain, edited) == ["3", "2"]


def test_a_row_is_found_by_photo_and_text_where_the_picture_has_no_edits(
    file: Path, plain: ModelInput, edited: ModelInput, ask: Ask, bare: Scene
) -> None:
    model = written(file, {"photo": "yard.png", "text": HOW_MANY, "answer": "3"})
    others = ask(text="How many cats?"), ask(text=HOW_MANY, picture=bare.picture)
    assert said(model, plain, edited, *others) == ["3", None, None, None]


@pytest.mark.parametrize(("photo", "asked"), [("7", "7.jpg"), ("7.jpg", "7")])
def test_a_photo_is_found_with_and_without_its_suffix(
    file: Path, ask: Ask, yard: Scene, photo: str, asked: str
) -> None:
    scene = replace(yard, photo=Photo(id=asked, digest="7"))
    model = written(file, {"photo": photo, "text": HOW_MANY, "answer": "3"})
    assert said(model, ask(text=HOW_MANY, picture=scene.picture)) == ["3"]
    model = written(
        file, {"photo": asked, "text": HOW_MANY, "answer": "4"}, {"photo": photo, "text": HOW_MANY, "answer": "3"}
    )
    assert said(model, ask(text=HOW_MANY, picture=scene.picture)) == ["4"]


def test_a_row_about_an_edited_picture_is_found_by_id_alone(file: Path, plain: ModelInput, edited: ModelInput) -> None:
    row = {
        "id": edited.query.id,
        "photo": "yard.png",
        "picture": picture_recipe(edited.query.picture),
        "text": HOW_MANY,
    }
    assert said(written(file, row | {"answer": "2"}), plain, edited) == [None, "2"]


def test_an_id_of_the_users_own_leaves_photo_and_text_to_go_by(file: Path, plain: ModelInput) -> None:
    assert said(written(file, {"id": "17", "photo": "yard.png", "text": HOW_MANY, "answer": "3"}), plain) == ["3"]


def test_the_id_counts_more_than_photo_and_text(file: Path, plain: ModelInput) -> None:
    model = written(
        file,
        {"photo": "yard.png", "text": HOW_MANY, "answer": "by photo"},
        {"id": plain.query.id, "answer": "by id"},
    )
    assert said(model, plain) == ["by id"]


def test_a_row_that_names_a_task_is_for_that_task(file: Path, ask: Ask) -> None:
    captioned = ask(text="", task=Task.CAPTIONING)
    judged = ask(text="", task=Task.ENTAILMENT)
    asked = ask(text="")
    row = {"photo": "yard.png", "text": "", "task": "captioning", "answer": "three dogs"}
    assert said(written(file, row), captioned, judged, asked) == ["three dogs", None, None]
    model = written(file, row, {"photo": "yard.png", "text": "", "answer": "any"})
    assert said(model, captioned, judged, asked) == ["three dogs", "any", "any"]


def test_asking_once_more_wants_an_answer_of_its_own(file: Path, plain: ModelInput, again: ModelInput) -> None:
    only_first = {"photo": "yard.png", "text": HOW_MANY, "answer": "3"}
    assert said(written(file, only_first), plain, again) == ["3", None]
    second = {"id": again.query.id, "photo": "yard.png", "text": HOW_MANY, "trial": 1, "answer": "4"}
    assert said(written(file, only_first, second), plain, again) == ["3", "4"]
    assert said(written(file, second), plain, again) == [None, "4"]


def test_reasoning_wants_an_answer_of_its_own(file: Path, plain: ModelInput, ask: Ask) -> None:
    switched = [ask(text=HOW_MANY, reasoning=reasoning) for reasoning in (False, True)]
    usual = {"photo": "yard.png", "text": HOW_MANY, "answer": "3"}
    assert said(written(file, usual), plain, *switched) == ["3", None, None]
    second = usual | {"id": switched[1].query.id, "reasoning": True, "answer": "4"}
    assert said(written(file, usual, second), plain, *switched) == ["3", None, "4"]
    assert said(written(file, second), plain) == [None]


def test_null_is_missing_and_empty_is_an_answer(file: Path, plain: ModelInput, edited: ModelInput) -> None:
    model = written(file, {"id": plain.query.id, "answer": None}, {"id": edited.query.id, "answer": ""})
    assert said(model, plain, edited) == [None, ""]


def test_an_answer_added_below_its_todo_row_counts(file: Path, plain: ModelInput) -> None:
    rows = [{"id": plain.query.id, "answer": None}, {"id": plain.query.id, "answer": "3"}]
    assert said(written(file, *rows), plain) == ["3"]
    assert said(written(file, *rows[::-1]), plain) == ["3"]


def test_every_task_is_answered_from_the_file(file: Path, ask: Ask) -> None:
    asked = {task: ask(text="a", task=task) for task in Task}
    file.write_text("".join(json.dumps({"id": each.query.id, "answer": task}) + "\n" for task, each in asked.items()))
    model = wrap_model("answers", AnswersFile(file), ModelOptions())
    assert model.tasks == tuple(Task)
    assert {task: model.ask(task, [each])[0].text for task, each in asked.items()} == {task: task for task in Task}


def test_a_file_that_does_not_exist_yet_lacks_everything(file: Path, plain: ModelInput) -> None:
    assert said(AnswersFile(file), plain) == [None]
    assert not file.exists()


def test_what_is_left_alone(file: Path, plain: ModelInput) -> None:
    row = {"id": plain.query.id, "picture": None, "answer": "3", "took_s": 0.2, "model": {"name": "theirs"}}
    file.write_bytes(b"\xef\xbb\xbf\r\n" + json.dumps(row).encode() + b"\r\n\n  \n")
    assert said(AnswersFile(file), plain) == ["3"]


def test_a_line_separator_inside_a_text_does_not_end_the_line(file: Path, plain: ModelInput) -> None:
    file.write_text(json.dumps({"id": plain.query.id, "answer": "3\u2028dogs"}, ensure_ascii=False), encoding="utf-8")
    assert said(AnswersFile(file), plain) == ["3\u2028dogs"]


def test_the_fingerprint_is_the_content(file: Path, plain: ModelInput) -> None:
    row = {"id": plain.query.id, "answer": "3"}
    before, same, after = written(file, row), written(file, row), written(file, row | {"answer": "4"})
    assert before.fingerprint == same.fingerprint != after.fingerprint
    assert wrap_model("answers", before, ModelOptions()).persistent


def test_asking_what_is_lacking_names_it(file: Path, plain: ModelInput) -> None:
    with pytest.raises(DataError) as told:
        AnswersFile(file).answer([plain])
    assert str(told.value) == (
        f"Expected {file} to answer every query, but it has no answer for id={plain.query.id!r}, text='How many dogs?'"
    )


@each_row(
    "line, wrong",
    [
        ("{", "Expected a JSON object, but got b'{': Expecting property name"),
        ("yes", "Expected a JSON object, but got b'yes': Expecting value"),
        ('["yes"]', "Expected a JSON object, but got ['yes']"),
        ("{}", "Expected a row with 'answer' (text, or null), but got none"),
        ('{"id": "1", "prediction": "yes"}', "Expected a row with 'answer' (text, or null), but got id, prediction"),
        ('{"answer": "yes"}', f"{NAMELESS}, but got answer"),
        ('{"photo": "p", "answer": "yes"}', f"{NAMELESS}, but got photo, answer"),
        ('{"published": 7, "answer": "y"}', "Expected 'published' to be text or null, but got published=7"),
        ('{"id": "1", "answer": 3}', "Expected 'answer' to be text or null, but got answer=3"),
        ('{"id": "1", "answer": true}', "Expected 'answer' to be text or null, but got answer=True"),
        ('{"id": 1, "answer": "yes"}', "Expected 'id' to be text or null, but got id=1"),
        ('{"photo": 7, "text": "t", "answer": "y"}', "Expected 'photo' to be text or null, but got photo=7"),
        ('{"photo": "p", "text": [], "answer": "y"}', "Expected 'text' to be text or null, but got text=[]"),
        (
            '{"id": "1", "task": "vqaa", "answer": "y"}',
            "Expected 'task' to be one of vqa, entailment, captioning, but got task='vqaa'",
        ),
        (
            '{"id": "1", "picture": "a.png", "answer": "y"}',
            "Expected 'picture' to be a recipe (an object with a list 'edits') or left out, but got picture='a.png'",
        ),
        ('{"id": "1", "picture": {}, "answer": "y"}', "Expected 'picture' to be a recipe"),
    ],
)
def test_a_malformed_line_is_named(file: Path, line: str, wrong: str) -> None:
    file.write_text(f'{{"id": "a", "answer": "yes"}}\n\n{line}\n', encoding="utf-8")
    with pytest.raises(DataError) as told:
        AnswersFile(file)
    assert str(told.value).startswith(f"{file}:3: {wrong}")
    assert "\n" not in str(told.value)


def test_bytes_that_are_no_utf8_are_named(file: Path) -> None:
    file.write_bytes(b'{"id": "a", "answer": "caf\xe9"}\n')
    with pytest.raises(DataError, match=r"answers\.jsonl:1: Expected a JSON object, but got .*utf-8"):
        AnswersFile(file)


def test_two_answers_for_one_id_are_refused(file: Path) -> None:
    with pytest.raises(DataError) as told:
        written(file, {"id": "a", "answer": "3"}, {"id": "b", "answer": "3"}, {"id": "a", "answer": "4"})
    assert str(told.value) == (
        f"{file}:3: Expected one answer for id='a', photo=None, text=None, but got '4' here and '3' at {file}:1"
    )


def test_two_answers_for_one_photo_and_text_matter_only_where_they_are_needed(file: Path, ask: Ask) -> None:
    rows = [{"photo": "yard.png", "text": HOW_MANY, "answer": answer} for answer in ("3", "4")]
    plain = ask(text=HOW_MANY)
    assert said(written(file, *rows, {"id": plain.query.id, "answer": "3"}), plain) == ["3"]
    with pytest.raises(DataError) as told:
        written(file, *rows).lacks(plain.query)
    assert str(told.value) == (
        f"{file}:2: Expected one answer for id=None, photo='yard.png', text='How many dogs?', "
        f"but got '4' here and '3' at {file}:1"
    )


def test_the_same_answer_twice_is_one_answer(file: Path, plain: ModelInput) -> None:
    row = {"id": plain.query.id, "photo": "yard.png", "text": HOW_MANY, "answer": "3"}
    assert said(written(file, row, row), plain) == ["3"]


def test_a_folder_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    argument = str(tmp_path / "nowhere" / "answers.jsonl")
    with pytest.raises(OptionError) as told:
        load(argument, ModelOptions())
    assert str(told.value) == f"Expected answers:FILE in a folder that exists, but got model={f'answers:{argument}'!r}"


def test_a_folder_in_place_of_a_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"^Expected a file of answers that can be read, but got path="):
        load(str(tmp_path), ModelOptions())


def test_a_relative_file_stays_the_same_when_the_directory_changes(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plain: ModelInput
) -> None:
    monkeypatch.chdir(tmp_path)
    model = load("answers.jsonl", ModelOptions())
    monkeypatch.chdir(tmp_path.parent)
    model.todo([plain.query])
    assert model.todo_file == tmp_path / "answers.jsonl.todo.jsonl"
    assert model.todo_file.exists()
