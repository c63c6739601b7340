"""``vqamt replay --render`` writes each picture of a list of queries once, and says what is asked about it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from weakref import ref

import pytest
from PIL import Image, ImageChops, ImageOps

from pytest_vqamt.cli import main
from pytest_vqamt.core.conversation import Role, Turn
from pytest_vqamt.core.meaning import Describe
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Query, Task
from pytest_vqamt.core.scene import Photo
from pytest_vqamt.models.answers_file import AnswersFile
from pytest_vqamt.picture_world.source import PictureWorld

SOURCE = PictureWorld(6)

Edit = Callable[[dict[str, Any]], None]


def asked(picture: Picture, text: str = "what?", *, task: Task = Task.VQA, trial: int = 0) -> Query:
    return Query(picture=picture, text=text, meaning=Describe(), task=task, trial=trial)


def photo(index: int) -> Picture:
    return SOURCE.scene(index).picture


QUERIES = (
    asked(photo(4), "Is there a dog?"),
    asked(photo(4).mirror(), "Is there a dog?"),
    asked(photo(1), "Wie groß?", task=Task.ENTAILMENT),
    asked(photo(4), "Is there a cat?"),
    asked(photo(4), "Is there a cat?", trial=1),
    asked(photo(1).mirror().reencode(), "", task=Task.CAPTIONING),
)


@pytest.fixture
def todo(tmp_path: Path) -> Path:
    """The list as a run of ``answers:FILE`` writes it."""
    answers = AnswersFile(tmp_path / "answers.jsonl")
    answers.todo(QUERIES)
    return answers.todo_file


def rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def changed(file: Path, place: int, edit: Edit) -> None:
    listed = rows(file)
    edit(listed[place])
    file.write_text("".join(json.dumps(row) + "\n" for row in listed), encoding="utf-8")


def render(todo: Path, folder: Path, data: str = "pictures:6") -> int:
    return main(["replay", "--render", str(folder), str(todo), "--data", data])


def same(one: Image.Image, other: Image.Image) -> bool:
    return one.size == other.size and ImageChops.difference(one, other).getbbox() is None


def opened(file: Path) -> Image.Image:
    with Image.open(file) as image:
        assert image.format == "PNG"
        return image.convert("RGB")


def refusal(capsys: pytest.CaptureFixture[str]) -> str:
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    return printed.err


def test_the_index_names_a_picture_for_every_query(
    todo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "below" / "out"
    assert render(todo, folder) == 0
    assert capsys.readouterr().out == f"6 queries on 4 pictures: {folder / 'index.jsonl'}\n"
    assert rows(folder / "index.jsonl") == [
        {"id": each.id, "file": f"{each.picture.digest}.png", "task": task, "text": each.text}
        for each, task in zip(QUERIES, ["vqa", "vqa", "entailment", "vqa", "vqa", "captioning"], strict=True)
    ]
    written = {path.name for path in folder.iterdir()}
    assert written == {"index.jsonl", *(f"{each.picture.digest}.png" for each in QUERIES)}


def test_the_index_has_the_turns_of_a_conversation_with_the_files_of_its_pictures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = photo(4), photo(1).mirror()
    query = Query.of(
        Turn(("one", first, second)), Turn(("yes",), Role.ASSISTANT), Turn((first, "which?")), meaning=Describe()
    )
    answers = AnswersFile(tmp_path / "answers.jsonl")
    answers.todo([query])
    assert render(answers.todo_file, tmp_path / "out") == 0
    assert capsys.readouterr().out.startswith("1 query on 2 pictures: ")
    files = [f"{each.digest}.png" for each in (first, second)]
    assert rows(tmp_path / "out" / "index.jsonl") == [
        {
            "id": query.id,
            "file": files[0],
            "task": "vqa",
            "text": "which?",
            "turns": [
                {"role": "user", "parts": [{"text": "one"}, {"file": files[0]}, {"file": files[1]}]},
                {"role": "assistant", "parts": [{"text": "yes"}]},
                {"role": "user", "parts": [{"file": files[0]}, {"text": "which?"}]},
            ],
        }
    ]
    assert same(opened(tmp_path / "out" / files[1]), ImageOps.mirror(SOURCE.photo(photo(1).photo)))


def test_a_recipe_in_a_turn_names_no_file_elsewhere(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers = AnswersFile(tmp_path / "answers.jsonl")
    answers.todo([Query.of(Turn((photo(4), photo(1), "which?")), meaning=Describe())])

    def escape(row: dict[str, Any]) -> None:
        row["turns"][0]["parts"][1]["picture"]["digest"] = "../../x"

    changed(answers.todo_file, 0, escape)
    assert render(answers.todo_file, tmp_path / "out") == 2
    assert "Expected a row as a run lists it" in refusal(capsys)


def test_the_pictures_are_those_that_were_asked_about(todo: Path, tmp_path: Path) -> None:
    assert render(todo, tmp_path) == 0
    first, mirrored, second, _, _, twice = (opened(tmp_path / f"{each.picture.digest}.png") for each in QUERIES)
    original = SOURCE.photo(photo(4).photo)
    assert same(first, original)
    assert same(mirrored, ImageOps.mirror(original))
    assert not same(mirrored, original)
    assert same(second, SOURCE.photo(photo(1).photo))
    assert same(twice, ImageOps.mirror(second))


def test_answers_given_by_the_index_are_what_the_model_lacked(todo: Path, tmp_path: Path) -> None:
    assert render(todo, tmp_path / "out") == 0
    given = [{"id": row["id"], "answer": row["text"] or "a caption"} for row in rows(tmp_path / "out" / "index.jsonl")]
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in given), encoding="utf-8")
    answers = AnswersFile(tmp_path / "answers.jsonl")
    assert [answers.lacks(query) for query in QUERIES] == [False] * 6


def test_each_picture_is_drawn_once_and_let_go(todo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []
    made: list[ref[Image.Image]] = []

    def draw(source: PictureWorld, of: Photo) -> Image.Image:
        assert all(each() is None for each in made), "a picture that was written is still held"
        drawn.append(of.id)
        image = Image.new("RGB", (8, 8))
        made.append(ref(image))
        return image

    monkeypatch.setattr(PictureWorld, "photo", draw)
    assert render(todo, tmp_path) == 0
    assert drawn == ["pictures-0-4", "pictures-0-4", "pictures-0-1", "pictures-0-1"]


def test_what_was_listed_twice_is_told_once(todo: Path, tmp_path: Path) -> None:
    todo.write_bytes(b"\n".join([todo.read_bytes()] * 2))
    assert render(todo, tmp_path) == 0
    assert [row["id"] for row in rows(tmp_path / "index.jsonl")] == [each.id for each in QUERIES]


def test_an_empty_list_has_no_pictures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").touch()
    assert render(tmp_path / "empty", tmp_path / "out") == 0
    assert capsys.readouterr().out.startswith("0 queries on 0 pictures: ")
    assert rows(tmp_path / "out" / "index.jsonl") == []


def test_a_list_without_a_folder_says_what_is_missing(todo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(todo)]) == 2
    assert refusal(capsys) == (
        f"vqamt: Expected the id of a case, but got {str(todo)!r}: a list of queries takes --render DIR, too, "
        "the folder to write their pictures into\n"
    )


@pytest.mark.parametrize("option", ["--report", "--out"])
def test_what_is_only_for_a_case_is_refused_with_a_list(
    option: str, todo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", "--render", str(tmp_path / "out"), str(todo), option, str(tmp_path)]) == 2
    assert refusal(capsys).startswith("vqamt: Expected --render DIR and a list of queries alone, but got ")


@pytest.mark.parametrize("kind", ["missing", "folder"])
def test_a_file_that_cannot_be_read_is_named(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "answers.todo.jsonl"
    if kind == "folder":
        file.mkdir()
    assert render(file, tmp_path / "out") == 2
    reason = "it is a folder, not a file" if kind == "folder" else "No such file or directory"
    assert refusal(capsys) == (
        f"vqamt: Expected the list FILE.todo.jsonl of a run with answers:FILE, but got file={str(file)!r} ({reason}): "
        "name what that run has written\n"
    )
    assert not (tmp_path / "out").exists()


def test_a_photo_of_other_data_is_refused_before_anything_is_drawn(
    todo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert render(todo, tmp_path / "out", "pictures:3") == 2
    assert refusal(capsys) == (
        f"vqamt: {todo}:1: Expected a photo of pictures:3, but got photo='pictures-0-4': "
        "name the data of that run with --data\n"
    )
    assert not (tmp_path / "out").exists()


def without(field: str) -> Edit:
    return lambda row: row.pop(field)


def with_(**fields: object) -> Edit:
    return lambda row: row.update(fields)


def of_picture(**fields: object) -> Edit:
    return lambda row: row["picture"].update(fields)


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (without("id"), "Expected a row as a run lists it"),
        (without("task"), "Expected a row as a run lists it"),
        (without("text"), "Expected a row as a run lists it"),
        (without("picture"), "Expected a row as a run lists it"),
        (of_picture(photo=7), "Expected a row as a run lists it"),
        (of_picture(digest=None), "Expected a row as a run lists it"),
        (without("answer"), "Expected a row with 'answer'"),
        (with_(task="guessing"), "Expected 'task' to be one of vqa, entailment, captioning, but got task='guessing'"),
        (of_picture(edits="none"), "Expected 'picture' to be a recipe"),
        (of_picture(edits=[{"is": "Melt"}]), "Expected a recipe that this version reads: Expected a record whose 'is'"),
        (
            of_picture(edits=[{"is": "Erase"}]),
            "Expected a recipe that this version reads: Expected Erase with box, ",
        ),
        (of_picture(edits=[{"is": "Erase", "box": 3}]), "Expected a recipe that this version reads: "),
        (
            of_picture(edits=["Mirror"]),
            "Expected a recipe that this version reads: Expected a record whose 'is' is ",
        ),
        (of_picture(edits=[]), "Expected the photo that the picture was made of, but photo='pictures-0-4' gives "),
    ],
)
def test_a_bad_row_is_named(
    edit: Edit, told: str, todo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changed(todo, 1, edit)
    assert render(todo, tmp_path / "out") == 2
    assert refusal(capsys).startswith(f"vqamt: {todo}:2: {told}")
    assert not (tmp_path / "out" / "index.jsonl").exists()


def test_a_line_that_is_cut_off_is_named(todo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    todo.write_bytes(todo.read_bytes()[:-20])
    assert render(todo, tmp_path) == 2
    assert refusal(capsys).startswith(f"vqamt: {todo}:6: Expected a JSON object, but got ")


def test_a_picture_that_cannot_be_read_is_named(
    todo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreadable(source: PictureWorld, of: Photo) -> Image.Image:
        raise OSError("no such photo")

    monkeypatch.setattr(PictureWorld, "photo", unreadable)
    assert render(todo, tmp_path) == 2
    assert refusal(capsys) == f"vqamt: {todo}:1: no such photo\n"


def test_a_file_in_place_of_the_folder_is_named(todo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "out"
    folder.touch()
    assert render(todo, folder) == 2
    assert refusal(capsys) == (
        f"vqamt: Expected a folder that can be written, but got --render={str(folder)!r} (File exists): name another\n"
    )


def test_unknown_data_is_told(todo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert render(todo, tmp_path, "picturs") == 2
    assert "did you mean 'pictures'?" in refusal(capsys)
