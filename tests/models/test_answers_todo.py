"""What ``answers:FILE`` lacks is listed in ``FILE.todo.jsonl``, once, whoever lists it, and nothing on it is lost."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.codec import decode, replace
from pytest_vqamt.core.conversation import Role, Turn
from pytest_vqamt.core.edits import Cutout, Edit, Erase, Fill, Insert
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.meaning import Describe
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import ModelInput, Query, Task
from pytest_vqamt.core.recipes import picture_recipe
from pytest_vqamt.core.scene import Photo, Scene
from pytest_vqamt.models.answers_file import AnswersFile
from tests.rows import each_row

if TYPE_CHECKING:
    from tests.models.conftest import Ask


HOW_MANY = "How many dogs?"


def written(file: Path, *rows: object) -> AnswersFile:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return AnswersFile(file)


def said(model: AnswersFile, *asked: ModelInput) -> list[str | None]:
    """What the model says to each input; None for what it lacks."""
    return [None if model.lacks(each.query) else model.answer([each])[0].text for each in asked]


def no_picture(_: Picture) -> NoReturn:
    raise AssertionError("Answers of a file need no picture")


def todo_rows(model: AnswersFile) -> list[dict[str, object]]:
    return [json.loads(line) for line in model.todo_file.read_bytes().splitlines()]


def todo_ids(model: AnswersFile) -> list[object]:
    return [row["id"] for row in todo_rows(model)]


def test_the_todo_list_has_a_row_for_each_query(file: Path, plain: ModelInput, edited: ModelInput) -> None:
    model = AnswersFile(file)
    model.todo([plain.query, edited.query])
    assert todo_rows(model) == [
        {
            "id": plain.query.id,
            "photo": "yard.png",
            "picture": {"photo": "yard.png", "digest": "00000000000000a1", "edits": []},
            "task": "vqa",
            "text": "How many dogs?",
            "answer": None,
        },
        {
            "id": edited.query.id,
            "photo": "yard.png",
            "picture": {
                "photo": "yard.png",
                "digest": edited.query.picture.digest,
                "edits": [{"is": "Erase", "box": {"is": "Box", "x": 0, "y": 60, "w": 20, "h": 20}}],
            },
            "task": "vqa",
            "text": "How many dogs?",
            "answer": None,
        },
    ]


def test_a_row_says_which_time_it_asks(file: Path, plain: ModelInput, again: ModelInput) -> None:
    model = AnswersFile(file)
    model.todo([plain.query, again.query])
    first, second = todo_rows(model)
    assert second == first | {"id": again.query.id, "trial": 1}


def test_a_row_says_whether_it_is_to_be_reasoned_about(file: Path, plain: ModelInput) -> None:
    model = AnswersFile(file)
    switched = [replace(plain.query, reasoning=reasoning) for reasoning in (False, True)]
    model.todo([plain.query, *switched])
    first, *others = todo_rows(model)
    assert others == [first | {"id": each.id, "reasoning": each.reasoning} for each in switched]


def conversation(first: Picture, second: Picture, *, last: str = HOW_MANY) -> Query:
    return Query.of(
        Turn(("Be brief.",), Role.SYSTEM),
        Turn((first, "and", second)),
        Turn(("I see.",), Role.ASSISTANT),
        Turn((last,)),
        meaning=Describe(),
    )


def test_a_row_holds_the_parts_of_a_conversation(file: Path, yard: Scene, bare: Scene) -> None:
    model = AnswersFile(file)
    query = conversation(yard.picture, bare.picture.mirror())
    model.todo([query])
    first = {"photo": "yard.png", "digest": yard.picture.digest, "edits": []}
    second = {"photo": bare.photo.id, "digest": bare.picture.mirror().digest, "edits": [{"is": "Mirror"}]}
    assert todo_rows(model) == [
        {
            "id": query.id,
            "photo": "yard.png",
            "picture": first,
            "task": "vqa",
            "text": HOW_MANY,
            "answer": None,
            "turns": [
                {"role": "system", "parts": [{"text": "Be brief."}]},
                {
                    "role": "user",
                    "parts": [
                        {"photo": "yard.png", "picture": first},
                        {"text": "and"},
                        {"photo": bare.photo.id, "picture": second},
                    ],
                },
                {"role": "assistant", "parts": [{"text": "I see."}]},
                {"role": "user", "parts": [{"text": HOW_MANY}]},
            ],
        }
    ]


def test_answering_the_rows_of_conversations_answers_them(file: Path, yard: Scene, bare: Scene) -> None:
    whole = conversation(yard.picture, bare.picture)
    asked = [
        ModelInput(query, no_picture)
        for query in (
            whole,
            conversation(bare.picture, yard.picture),
            conversation(yard.picture, bare.picture.mirror()),
            conversation(yard.picture, bare.picture, last="Why?"),
            replace(whole, trial=1),
        )
    ]
    model = AnswersFile(file)
    model.todo(each.query for each in asked)
    rows = [row | {"answer": str(number)} for number, row in enumerate(todo_rows(model))]
    answered = written(file, *rows)
    assert said(answered, *asked) == ["0", "1", "2", "3", "4"]
    answered.prune()
    assert not answered.todo_file.exists()
    # Without ids the one with an edit and the repetition have no name.
    nameless = [{name: value for name, value in row.items() if name != "id"} for row in rows]
    by_parts = written(file, *nameless[:2], nameless[3])
    assert said(by_parts, *asked) == ["0", "1", None, "3", None]
    by_parts.todo(each.query for each in asked)
    by_parts.prune()
    assert todo_ids(by_parts) == [asked[2].query.id, asked[4].query.id]


def test_a_conversation_and_its_last_question_are_not_taken_for_each_other(
    file: Path, plain: ModelInput, yard: Scene, bare: Scene
) -> None:
    asked = ModelInput(conversation(yard.picture, bare.picture), no_picture)
    by_photo = {"photo": "yard.png", "text": HOW_MANY, "answer": "one"}
    assert said(written(file, by_photo), plain, asked) == ["one", None]
    model = AnswersFile(file)
    model.todo([asked.query])
    (row,) = todo_rows(model)
    del row["id"]
    assert said(written(file, row | {"answer": "both"}), plain, asked) == [None, "both"]
    both = written(file, row | {"answer": "both"}, by_photo)
    assert said(both, plain, asked) == ["one", "both"]


def test_a_conversation_may_be_written_by_hand(file: Path, yard: Scene, bare: Scene) -> None:
    asked = ModelInput(conversation(yard.picture, bare.picture), no_picture)
    turns = [
        {"role": "system", "parts": [{"text": "Be brief."}]},
        {"role": "user", "parts": [{"photo": "yard.png"}, {"text": "and"}, {"photo": bare.photo.id}]},
        {"role": "assistant", "parts": [{"text": "I see."}]},
        {"role": "user", "parts": [{"text": HOW_MANY}]},
    ]
    assert said(written(file, {"turns": turns, "answer": "3"}), asked) == ["3"]
    assert said(written(file, {"turns": turns, "task": "captioning", "answer": "3"}), asked) == [None]
    contradicting = written(file, {"turns": turns, "answer": "3"}, {"turns": turns, "answer": "4"})
    with pytest.raises(DataError, match="Expected one answer for"):
        contradicting.answer([asked])


@each_row(
    "turns, what",
    [
        ("x", "Expected 'turns' to be a list of objects with 'role'"),
        ([{"role": "tool", "parts": []}], "Expected 'turns' to be a list of objects with 'role'"),
        ([{"role": "user", "parts": "x"}], "Expected 'turns' to be a list of objects with 'role'"),
        ([{"role": "user", "parts": [{}]}], "Expected each part of 'turns' to have 'text', or 'photo'"),
        ([{"role": "user", "parts": [{"photo": "a", "picture": 3}]}], "Expected 'picture' to be a recipe"),
    ],
)
def test_turns_that_cannot_be_read_are_told(file: Path, turns: object, what: str) -> None:
    with pytest.raises(DataError, match=r"answers\.jsonl:1: ") as error:
        written(file, {"id": "7", "turns": turns, "answer": "3"})
    assert what in str(error.value)


def test_a_recipe_says_how_to_make_the_picture_again(yard: Scene) -> None:
    cat = yard.thing("c1")
    picture = yard.picture.erase(cat.box, Fill.MEAN, (1, 2, 3)).insert(
        Cutout(photo=yard.photo, thing=cat), (5.5, 0), (10, 10)
    )
    row = json.loads(json.dumps(picture_recipe(picture)))
    edits = decode(row["edits"], tuple[Edit, ...])
    assert (row["photo"], row["digest"]) == ("yard.png", picture.digest)
    assert edits == (
        Erase(box=cat.box, fill=Fill.MEAN, colour=(1, 2, 3)),
        Insert(cutout=Cutout(photo=yard.photo, thing=cat), box=Box(5.5, 0, 10, 10)),
    )
    again = Picture(photo=Photo(id=row["photo"], digest="00000000000000a1"), scene=yard)
    again = again.erase(cat.box, Fill.MEAN, (1, 2, 3))
    assert again.insert(Cutout(photo=yard.photo, thing=cat), (5.5, 0), (10, 10)).digest == picture.digest


def test_answering_the_todo_list_answers_the_queries(
    file: Path, plain: ModelInput, edited: ModelInput, again: ModelInput, ask: Ask
) -> None:
    asked = [plain, edited, again, ask(text="Dogs \u201cand\u201d\u2028cats?"), ask(text="", task=Task.CAPTIONING)]
    model = AnswersFile(file)
    model.todo(each.query for each in asked)
    rows = [row | {"answer": str(number)} for number, row in enumerate(todo_rows(model))]
    assert said(written(file, *rows), *asked) == ["0", "1", "2", "3", "4"]


def test_a_query_is_listed_once(file: Path, plain: ModelInput, edited: ModelInput) -> None:
    model = AnswersFile(file)
    model.todo([plain.query, plain.query])
    model.todo([plain.query, edited.query])
    AnswersFile(file).todo([edited.query, plain.query])
    assert todo_ids(model) == [plain.query.id, edited.query.id]


def test_nothing_lacking_makes_no_list(file: Path) -> None:
    model = AnswersFile(file)
    model.todo([])
    model.prune()
    assert not model.todo_file.exists()


def test_a_line_that_was_cut_off_does_not_spoil_the_next(file: Path, plain: ModelInput, edited: ModelInput) -> None:
    model = AnswersFile(file)
    model.todo([plain.query])
    whole = model.todo_file.read_bytes()
    model.todo_file.write_bytes(whole + whole[:40])
    model = AnswersFile(file)
    model.prune()
    model.todo([plain.query, edited.query])
    lines = model.todo_file.read_bytes().splitlines()
    assert (lines[0] + b"\n", lines[1]) == (whole, whole[:40])
    assert [json.loads(line)["id"] for line in lines[2:]] == [edited.query.id]


def test_pruning_takes_off_what_has_been_answered(file: Path, plain: ModelInput, edited: ModelInput, ask: Ask) -> None:
    by_photo, lacking = ask(text="Is there a cat?"), ask(text="Is there a cow?")
    AnswersFile(file).todo(each.query for each in (plain, edited, by_photo, lacking))
    model = written(
        file,
        {"id": plain.query.id, "answer": "3"},
        {"id": edited.query.id, "answer": "2"},
        {"photo": "yard.png", "text": "Is there a cat?", "answer": "yes"},
    )
    model.prune()
    assert todo_ids(model) == [lacking.query.id]
    assert {path.name for path in file.parent.iterdir()} == {"answers.jsonl", "answers.jsonl.todo.jsonl"}


def test_pruning_removes_a_list_on_which_nothing_is_left(file: Path, plain: ModelInput) -> None:
    AnswersFile(file).todo([plain.query])
    model = written(file, {"id": plain.query.id, "answer": "3"})
    model.prune()
    assert not model.todo_file.exists()


def test_pruning_keeps_a_line_that_somebody_broke_while_filling_it_in(file: Path, plain: ModelInput) -> None:
    broken = b'{"id": "1", "answer": "3}'
    AnswersFile(file).todo([plain.query])
    model = written(file, {"id": plain.query.id, "answer": "3"})
    with model.todo_file.open("ab") as todo:
        todo.write(broken)
    model.prune()
    assert model.todo_file.read_bytes() == broken + b"\n"


def test_a_list_that_cannot_be_written_is_one_line(file: Path, plain: ModelInput) -> None:
    model = AnswersFile(file)
    model.todo_file.mkdir()
    with pytest.raises(DataError, match="but got path="):
        model.todo([plain.query])


def test_a_list_that_cannot_be_shortened_is_one_line(
    file: Path, plain: ModelInput, edited: ModelInput, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_path: Path, _content: bytes) -> int:
        raise OSError("No space left on device")

    AnswersFile(file).todo([plain.query, edited.query])
    model = written(file, {"id": plain.query.id, "answer": "3"})
    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(DataError, match=r"^Expected to shorten the list of queries in .*: .*No space left"):
        model.prune()
    assert todo_ids(model) == [plain.query.id, edited.query.id]


def test_several_processes_add_to_one_list(file: Path) -> None:
    add = """
import sys
from pathlib import Path
from pytest_vqamt.core.meaning import Describe
from pytest_vqamt.core.query import Query
from pytest_vqamt.core.scene import Photo, Scene
from pytest_vqamt.models.answers_file import AnswersFile
scene = Scene(id="s", photo=Photo(id="p", digest="d"), width=9, height=9)
model = AnswersFile(Path(sys.argv[1]))
sys.stdin.read()
for start in range(0, 200, 5):
    texts = [f"{sys.argv[2]} {number} " + "long " * 400 for number in range(start, start + 5)]
    model.todo(Query(picture=scene.picture, text=text, meaning=Describe()) for text in texts)
"""
    workers = [
        subprocess.Popen([sys.executable, "-c", add, str(file), name], stdin=subprocess.PIPE) for name in ("one", "two")
    ]
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.close()
    assert [worker.wait() for worker in workers] == [0, 0]
    texts = {str(row["text"]).split(" long")[0] for row in todo_rows(AnswersFile(file))}
    assert texts == {f"{name} {number}" for name in ("one", "two") for number in range(200)}
