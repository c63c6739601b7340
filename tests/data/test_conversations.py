# ruff: noqa: E501
"""Rows of ``questions:FILE`` with several pictures or turns, in the forms of chat data sets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from pytest_vqamt.cli import main
from pytest_vqamt.core.conversation import Ability
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.scene import PHOTO_MARK, PublishedQuestion
from pytest_vqamt.data.questions import QuestionedPhotos, load
from pytest_vqamt.data.scene_source import scenes_by_photo
from tests.rows import each_row

Row = dict[str, Any]
M = PHOTO_MARK


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, size in (("a.png", (24, 16)), ("b.png", (30, 20)), ("c.png", (9, 9))):
        Image.new("RGB", size, (200, 10, len(name))).save(tmp_path / name)
    Image.new("RGB", (9, 8), (1, 10, 9)).save(tmp_path / "d.png")
    return tmp_path


def read(folder: Path, *rows: Row) -> QuestionedPhotos:
    (folder / "q.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return load(str(folder / "q.jsonl"))


def only(source: QuestionedPhotos) -> PublishedQuestion:
    (question,) = source.scene(0).questions
    return question


def said(question: PublishedQuestion) -> list[tuple[str, str, list[str]]]:
    return [(turn.role, turn.text, [each.photo.id for each in turn.photos]) for turn in question.turns]


def user(*content: object) -> Row:
    return {"role": "user", "content": list(content)}


def shown(file: str) -> Row:
    return {"type": "image", "image": file}


def text(words: str) -> Row:
    return {"type": "text", "text": words}


TWO = ["a.png", "b.png"]
BEFORE = [("user", f"{M} {M}", TWO)]


@each_row(
    ("row", "asks", "turns"),
    [
        ({"images": TWO, "question": "Are they the same?"}, "Are they the same?", BEFORE),
        ({"images": TWO, "question": "<image>\n<image>\nIs it red?"}, "Is it red?", BEFORE),
        (
            {"images": TWO, "question": "How does <image 2> differ from <image_1>?"},
            f"How does {M} differ from {M} ?",
            [("user", "", ["b.png", "a.png"])],
        ),
        (
            {"images": TWO, "question": "Image 1: <image> Image 2: <image> Are they the same?"},
            "Are they the same?",
            [("user", f"Image 1: {M} Image 2: {M}", TWO)],
        ),
        ({"messages": [user(shown("a.png"), shown("./b.png"), text("Is it red?"))]}, "Is it red?", BEFORE),
        ({"images": TWO, "turns": [user({"type": "image"}, {"type": "image"}, "Is it red?")]}, "Is it red?", BEFORE),
        ({"images": TWO, "turns": [{"role": "user", "content": "Is it red?"}]}, "Is it red?", BEFORE),
        (
            {"messages": [user({"type": "image_url", "image_url": {"url": "a.png"}}, text("What is it like?"), shown("b.png"))]},
            f"What is it like? {M}",
            [("user", f"{M}", ["a.png", "b.png"])],
        ),
        (
            {
                "image": "a.png",
                "conversations": [
                    {"from": "system", "value": "Be brief."},
                    {"from": "human", "value": "<image>\nWhat is it?"},
                    {"from": "gpt", "value": "A flag.\nA red one."},
                    {"from": "human", "value": "Is it torn?"},
                ],
            },
            "Is it torn?",
            [
                ("system", "Be brief.", []),
                ("user", f"{M} What is it?", ["a.png"]),
                ("assistant", "A flag.\nA red one.", []),
                ("user", "", []),
            ],
        ),
        ({"images": ["a.png"], "question": "Is it red?"}, "Is it red?", []),
        # The question goes on behind the mark: "are sitting?" alone would be one of yes or no.
        ({"images": TWO, "question": "<image 1> How many in <image 2> are red?"}, f"How many in {M} are red?", [("user", M, TWO)]),
        ({"images": ["a.png"], "question": "In <image 1>, what is it?"}, f"In {M} , what is it?", [("user", "", ["a.png"])]),
        ({"images": ["a.png"], "question": "My flag <image> Is it red?"}, "Is it red?", [("user", f"My flag {M}", ["a.png"])]),
        # The tokens of models.
        ({"images": TWO, "question": "<|image_1|>\n<|image_2|>\nIs it red?"}, "Is it red?", BEFORE),
        ({"images": TWO, "question": "[IMG][IMG]Is it red?"}, "Is it red?", BEFORE),
        ({"images": TWO, "question": "<start_of_image> <|image|> Is it red?"}, "Is it red?", BEFORE),
        ({"images": TWO, "question": f"{2 * '<|vision_start|><|image_pad|><|vision_end|>'}Is it red?"}, "Is it red?", BEFORE),
        ({"image": TWO, "question": "Image1: <ImageHere> Image2: <ImageHere> Is it red?"}, "Is it red?", [("user", f"Image1: {M} Image2: {M}", TWO)]),
        ({"messages": [user("Picture 1: <img>a.png</img>\nIs it red?")]}, "Is it red?", [("user", f"Picture 1: {M}", ["a.png"])]),
        ({"images": TWO, "question": "<image_1> <image_0> Is it red?"}, "Is it red?", [("user", f"{M} {M}", TWO[::-1])]),
        # Columns of MMMU and BLINK, a list in "image", photos of datasets that are not embedded.
        ({"image_1": "a.png", "image_2": "b.png", "image_3": None, "question": "Is it red?", "options": "[]"}, "Is it red?", BEFORE),
        ({"image": TWO, "question": "Is it red?"}, "Is it red?", BEFORE),
        ({"images": [{"path": each, "bytes": None} for each in TWO], "question": "Is it red?"}, "Is it red?", BEFORE),
        # Files in the turns and in a list are the same pictures, not twice as many; an index counts from 0.
        ({"images": TWO, "messages": [user(shown("a.png"), shown("b.png"), "Is it red?")]}, "Is it red?", BEFORE),
        ({"images": TWO, "messages": [user({"type": "image", "index": 1}, {"type": "image", "index": 0}, "Is it red?")]}, "Is it red?", [("user", f"{M} {M}", TWO[::-1])]),
        ({"images": TWO, "messages": json.dumps([user("Is it red?")])}, "Is it red?", BEFORE),
        ({"image": "a.png", "conversations": [{"from": "human", "value": "<image>\nIs it red?"}]}, "Is it red?", []),
    ],
)  # fmt: skip
def test_pictures_stand_where_the_row_has_them(row: Row, asks: str, turns: list[object], folder: Path) -> None:
    question = only(read(folder, row))
    assert (question.text, said(question)) == (asks, turns)


def test_an_answer_of_the_assistant_is_the_answer_unless_the_row_has_one(folder: Path) -> None:
    row: Row = {"images": TWO, "messages": [user("Is it red?"), {"role": "assistant", "content": "yes"}]}
    assert only(read(folder, row)).answers == ("yes",)
    assert only(read(folder, {**row, "answer": "no"})).answers == ("no",)
    assert said(only(read(folder, row))) == BEFORE


def test_a_photo_of_conversations_alone_has_a_size_a_digest_and_no_scene(folder: Path) -> None:
    source = read(folder, {"images": TWO, "question": "Is it red?"}, {"images": ["c.png"], "question": "Is it red?"})
    assert ([source.scene(0).id, source.scene(1).id], source.shown_beside) == (["a.png", "c.png"], {"b.png": (30, 20)})
    first, second = only(source).turns[0].photos
    assert first.photo == source.scene(0).photo
    bare = scenes_by_photo(source)("b.png")
    assert (second.photo, second.width, second.height) == (bare.photo, bare.width, bare.height)
    assert source.photo(second.photo).size == (30, 20)
    assert source.description == "3 photos with 2 questions, 0 of them answered, of q.jsonl"
    assert source.demands == {frozenset({Ability.PICTURES}): 1, frozenset(): 1}
    before = source.digest
    Image.new("RGB", (30, 20), (1, 2, 3)).save(folder / "b.png", compress_level=0)
    assert load(str(folder / "q.jsonl")).digest != before


@each_row(
    ("row", "message"),
    [
        ({"images": TWO, "question": "Is <image> red?"}, "1 mark of pictures in the texts and 2 pictures"),
        ({"images": ["a.png"], "question": "Is <image 2> red?"}, "Expected a mark (<image>, or <image 1> and so on)"),
        ({"images": TWO, "question": "Is <image> <image 1> red?"}, "images: Expected a mark"),
        ({"images": ["a.png", None], "question": "Is it red?"}, "images: Expected names of files"),
        ({"image_1": None, "image_2": "a.png", "question": "Is it red?"}, "image_1: Expected a picture in each column"),
        ({"image": "a.png", "question": "Which?", "options": ["<image 1>", "a cup"]}, "options: Expected options without pictures"),
        ({"images": TWO, "messages": [user(shown("a.png"), "Is it?")]}, "Expected the pictures that the turns name (['a.png'])"),
        ({"images": ["a.png"], "messages": [user({"type": "image", "source": {"type": "base64", "data": "AA"}}, "Is it?")]}, "messages[0].content[0].source: Expected a field image"),
        ({"images": TWO, "conversation": [user("Is it?")]}, "rename 'conversation' to 'turns'"),
        ({"images": [], "question": "Is it red?"}, "images: Expected one text or more"),
        ({"images": ["a.png", 3], "question": "Is it red?"}, "there is no file"),
        ({"images": TWO}, "question: Expected a text"),
        ({"images": TWO, "image": "a.png", "question": "Is it?"}, "image: Expected one of images and image"),
        ({"images": TWO, "question": "Is it?", "turns": [user("Is it?")]}, "question: Expected one of turns and question"),
        ({"images": TWO, "turns": [user("Is it?")], "messages": [user("Is it?")]}, "one of turns and messages"),
        ({"images": ["http://x.org/a.png"], "question": "Is it?"}, "nothing is downloaded"),
        ({"messages": [user(shown("data:image/png;base64,AAAA"), "Is it?")]}, "save the data URI as a file"),
        ({"messages": [user({"type": "image_url", "image_url": {"url": "https://x.org/a.png"}}, "Is it?")]}, "messages[0].content[0].image_url.url"),
        ({"messages": [user("Is it?")]}, "messages: Expected a picture in a turn of the user"),
        ({"messages": []}, "messages: Expected one turn or more"),
        ({"messages": "Is it?"}, "messages: Expected a list"),
        ({"messages": ["Is it?"]}, "messages[0]: Expected a JSON object"),
        ({"messages": [{"role": "tool", "content": "x"}]}, "messages[0].role: Expected one of"),
        ({"messages": [{"role": "user", "content": 3}]}, "messages[0].content: Expected a text, or a list"),
        ({"messages": [{"role": "user", "content": []}]}, "messages[0].content: Expected a text or a picture"),
        ({"messages": [user({"type": "video", "video": "a.mp4"})]}, "messages[0].content[0].type: Expected text, image"),
        ({"messages": [user(shown("a.png"))]}, "Expected the last turn of the user to have a question"),
        ({"messages": [user(shown("a.png"), "Is it?"), {"role": "system", "content": "x"}, user("Is it?")]}, "messages[1]: Expected the turn of the system first"),
        ({"messages": [{"role": "assistant", "content": [shown("a.png")]}, user("Is it?")]}, "pictures in turns of the user alone"),
        ({"messages": [{"role": "assistant", "content": "Hello"}]}, "messages: Expected a question of the user"),
        ({"images": TWO, "question": "Which?", "options": ["<image 1>", "<image 2>"]}, "options: Expected options without pictures"),
        ({"images": ["a.png", "z.png"], "question": "Is it?"}, "images: Expected a photo, but there is no file"),
        ({"images": ["a.png", "../b.png"], "question": "Is it?"}, "must not lead out of the folder"),
    ],
)  # fmt: skip
def test_a_bad_row_is_named_and_the_others_stay(row: Row, message: str, folder: Path) -> None:
    source = read(folder, row, {"images": TWO, "question": "Is it red?"})
    (bad,) = source.bad_records
    assert bad.startswith("q.jsonl:1: ")
    assert message in bad
    assert len(source) == 1


def test_csv_has_bars_between_the_images(folder: Path) -> None:
    (folder / "q.csv").write_text("images,question,answer\na.png|b.png,Are they the same?,no\n", encoding="utf-8")
    question = only(load(str(folder / "q.csv")))
    assert (said(question), question.answers) == (BEFORE, ("no",))


def test_two_answers_contradict_only_in_one_conversation(folder: Path) -> None:
    row: Row = {"images": TWO, "question": "Is it red?", "answer": "yes"}
    others = (
        {**row, "images": ["a.png", "c.png"], "answer": "no"},
        {"image": "a.png", "question": "Is it red?", "answer": "no"},
    )
    assert read(folder, row, *others).remarks == ()
    (remark,) = read(folder, row, {**row, "answer": "no"}).remarks
    assert "has the answer 'no' here and 'yes' in question 1" in remark


def test_check_data_looks_at_all_pictures(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    read(folder, {"images": ["a.png", "c.png", "b.png"], "question": "Is it red?"})
    broken = (folder / "b.png").read_bytes()
    (folder / "b.png").write_bytes(broken[:40] + bytes(20) + broken[60:])
    assert main(["check-data", f"questions:{folder / 'q.jsonl'}"]) == 1
    assert "b.png" in capsys.readouterr().out


def test_init_data_knows_the_photos_of_all_turns(folder: Path) -> None:
    rows: list[Row] = [
        {"images": ["a.png", "b.png"], "question": "Is it?"},
        {"messages": [user({"type": "image_url", "image_url": {"url": "./c.png"}}, "Is it?")]},
    ]
    (folder / "questions.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    assert main(["init-data", str(folder), "--questions"]) == 0
    *_, last = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(last)["image"] == "d.png"
    assert len((folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()) == 3


def test_a_dataset_with_lists_of_images_and_messages(folder: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")

    photos = [{"bytes": (folder / name).read_bytes(), "path": name} for name in TWO]
    none: Row = {"text": None, "image": None}
    content = [{**none, "type": "image"}, {**none, "type": "image"}, {**none, "type": "text", "text": "Is it red?"}]
    rows = [
        {"images": photos, "messages": [{"role": "user", "content": content}], "answer": "no"},
        {"images": photos[::-1], "messages": [{"role": "user", "content": content}], "answer": "yes"},
    ]
    parquet.write_table(pa.Table.from_pylist(rows), folder / "test.parquet")
    source = load(str(folder / "test.parquet"))
    assert source.bad_records == ()
    assert [said(each) for index in range(2) for each in source.scene(index).questions] == [
        [("user", f"{M} {M}", ["test-1-1", "test-1-2"])],
        [("user", f"{M} {M}", ["test-1-2", "test-1-1"])],
    ]
    assert source.photo(source.scene(1).photo).size == (30, 20)


def test_a_dataset_with_numbered_columns(folder: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")

    first, second = ({"bytes": (folder / name).read_bytes(), "path": name} for name in TWO)
    asks = "Is <image 2> redder than <image 1>?"
    rows = [
        {"question": asks, "image_1": first, "image_2": second, "image_3": None},
        {"question": "Is it red?", "image_1": second, "image_2": None, "image_3": None},
        {"question": "Is it red?", "image_1": None, "image_2": second, "image_3": None},
    ]
    parquet.write_table(pa.Table.from_pylist(rows), folder / "test.parquet")
    source = load(str(folder / "test.parquet"))
    asked = [said(each) for each in source.scene(0).questions]
    assert asked == [[("user", "", ["test-1-2", "test-1-1"])], []]
    assert source.photo(source.scene(0).photo).size == (30, 20)
    (bad,) = source.bad_records
    assert "test.parquet:3: image_1: Expected a photo, but the cell is empty" in bad


def test_an_empty_list_of_images_of_a_dataset_is_named(folder: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")

    photo = {"bytes": (folder / "a.png").read_bytes(), "path": "a.png"}
    rows = [{"images": each, "question": "Is it red?"} for each in ([photo], [{"bytes": None, "path": "a.png"}], None)]
    parquet.write_table(pa.Table.from_pylist(rows), folder / "test.parquet")
    first, second = load(str(folder / "test.parquet")).bad_records
    assert "test.parquet:2: images: Expected the bytes of a photo" in first
    assert "test.parquet:3: images: Expected a photo, but the cell is empty" in second


def test_a_wrong_name_of_a_field_is_told(folder: Path) -> None:
    with pytest.raises(DataError, match="rename 'conversation' to 'turns'"):
        read(folder, {"conversation": [user("Is it?")]})
