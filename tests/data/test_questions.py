"""``questions:FILE``: photos with questions, from JSON Lines and CSV; every bad row is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.data import catalogue
from pytest_vqamt.data.questions import QuestionedPhotos, load
from tests.rows import each_row

Row = dict[str, object]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, size in (("a.png", (24, 16)), ("b.png", (30, 20))):
        Image.new("RGB", size, (200, 10, 10)).save(tmp_path / name)
    return tmp_path


def written(folder: Path, *rows: Row | str, name: str = "questions.jsonl") -> str:
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    (folder / name).write_text("\n".join(lines) + "\n")
    return str(folder / name)


def asked(source: QuestionedPhotos) -> list[tuple[str, str, tuple[str, ...], tuple[str, ...]]]:
    scenes = [source.scene(index) for index in range(len(source))]
    return [(scene.id, each.text, each.answers, each.options) for scene in scenes for each in scene.questions]


def test_the_rows_of_a_photo_are_one_scene_of_its_size(folder: Path) -> None:
    source = load(
        written(
            folder,
            {"image": "a.png", "question": "Is it  red?", "answer": "yes"},
            {"image": "b.png", "question": "How many?", "answer": 2},
            {"image": "./a.png", "question": "What is it?", "answer": ["cloth", "cloth", "a flag"]},
        )
    )
    assert asked(source) == [
        ("a.png", "Is it red?", ("yes",), ()),
        ("a.png", "What is it?", ("cloth", "cloth", "a flag"), ()),
        ("b.png", "How many?", ("2",), ()),
    ]
    scene = source.scene(1)
    assert (scene.width, scene.height, scene.objects, scene.exhaustive) == (30, 20, (), frozenset())
    assert source.photo(scene.photo).size == (30, 20)
    assert source.description == "2 photos with 3 questions, 3 of them answered, of questions.jsonl"


def test_an_answer_may_be_the_letter_of_an_option(folder: Path) -> None:
    row: Row = {"image": "a.png", "question": "Which color?", "options": ["red", "blue", "A"]}
    rows = [*({**row, "answer": answer} for answer in ("b", "Red")), {**row, "answer_text": "A"}]
    assert [answers for _, _, answers, _ in asked(load(written(folder, *rows)))] == [("blue",), ("red",), ("A",)]


@each_row(
    ("row", "asks"),
    [
        ({"options": ["B", "A", "C"], "answer": "A"}, "is it the option 'A', or is it the letter of 'B'? Name the co"),
        ({"A": "b", "B": "a", "answer": "A"}, "is it the option 'A', or is it the letter of 'b'?"),
        ({"options": ["B. cup", "A. plate"], "answer": "A"}, "'B. cup' has the place of A"),
    ],
)
def test_a_letter_that_may_be_an_option_or_its_place_is_asked_about(row: Row, asks: str, folder: Path) -> None:
    with pytest.raises(DataError) as raised:
        load(written(folder, {"image": "a.png", "question": "Which?", **row}))
    assert asks in str(raised.value)


def test_letters_within_the_texts_of_options_are_taken_out(folder: Path) -> None:
    row: Row = {"image": "a.png", "question": "Which?"}
    rows = [
        {**row, "options": ["A. a cup", "B. a plate"], "answer": "B"},
        {**row, "options": ["(A) a cup", "(B) a plate"], "answer": "(B) a plate"},
        {**row, "options": "a) a cup|b) a plate", "answer": "a plate"},
        {**row, "options": ["A. J. Ayer", "a plate"], "answer": "B"},
    ]
    *lettered, other = asked(load(written(folder, *rows)))
    assert lettered == [("a.png", "Which?", ("a plate",), ("a cup", "a plate"))] * 3
    assert other[2:] == (("a plate",), ("A. J. Ayer", "a plate"))


def test_yes_and_no_are_no_list_of_options(folder: Path) -> None:
    row: Row = {"image": "a.png", "question": "Is it red?", "options": ["No", "Yes"], "answer": "A"}
    assert asked(load(written(folder, row))) == [("a.png", "Is it red?", ("no",), ("yes", "no"))]


def test_csv_with_bars_between_options_or_a_column_each(folder: Path) -> None:
    bars = written(
        folder,
        "id,image,question,options,answer",
        '7,a.png,"Which, then?",red|blue,',
        "8,b.png,Is it red?,,no",
        name="bars.csv",
    )
    columns = written(folder, "image;question;A;B;C;answer", "a.png;Which?;red;blue;;B", name="columns.csv")
    assert asked(load(bars)) == [
        ("a.png", "Which, then?", (), ("red", "blue")),
        ("b.png", "Is it red?", ("no",), ()),
    ]
    assert asked(load(columns)) == [("a.png", "Which?", ("blue",), ("red", "blue"))]


def test_a_folder_as_hugging_face_has_it_and_photos_elsewhere(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    written(folder, {"file_name": "a.png", "question": "Is it red?", "answers": ["yes"]}, name="metadata.jsonl")
    assert asked(load(str(folder))) == [("a.png", "Is it red?", ("yes",), ())]
    other = tmp_path_factory.mktemp("rows")
    file = written(other, {"photo": "b.png", "question": "Is it red?"})
    assert asked(load(f"{file}:{folder}")) == [("b.png", "Is it red?", (), ())]


@each_row(
    ("row", "message"),
    [
        ({"question": "Is it red?"}, "questions.jsonl:1: image: Expected a text"),
        ({"image": "a.png"}, "questions.jsonl:1: question: Expected a text"),
        ({"image": "c.png", "question": "Is it red?"}, "there is no file"),
        ({"image": "../a.png", "question": "Is it red?"}, "must not lead out of the folder"),
        ({"image": "a.png", "question": "Is it red?", "options": ["red"]}, "Expected 2 to 8 options"),
        ({"image": "a.png", "question": "?", "options": ["red", "Red"]}, "Expected options that differ"),
        (
            {"image": "a.png", "question": "?", "options": ["x", "y"], "answer": "z"},
            "one of the options, or its letter",
        ),
        ({"image": "a.png", "question": "?", "answer": {"a": 1}}, "answer: Expected texts, numbers or truths"),
        ({"image": "a.png", "file_name": "b.png", "question": "?"}, "Expected one of image and file_name"),
        ("{", "questions.jsonl:1"),
    ],
)
def test_a_bad_row_is_named_and_the_others_stay(row: Row | str, message: str, folder: Path) -> None:
    good: Row = {"image": "b.png", "question": "Is it red?"}
    source = load(written(folder, row, good))
    assert len(source) == 1
    (bad,) = source.bad_records
    assert message in bad
    with pytest.raises(DataError, match="1 is bad"):
        catalogue.load(source.spec)
    with pytest.raises(DataError, match="its only row cannot be used"):
        load(written(folder, row))


@each_row(
    ("row", "told"),
    [
        ({"img": "a.png", "question": "?"}, "among 'img', 'question': rename 'img' to 'image' (fields: image, "),
        ({"Image": "a.png", "question": "?"}, "rename 'Image' to 'image'"),
        ({"image path": "a.png", "question": "?"}, "rename 'image path' to 'image'"),
        (
            {"image": "a.png", "query": "?"},
            "questions.jsonl:1: question: Expected a text that is not blank, but got no ",
        ),
        ({"image": "a.png", "query": "?"}, "rename 'query' to 'question'"),
        ({"image": "a.png", "qestion": "?"}, "rename 'qestion' to 'question'"),
        ({"image": "a.png", "words": "?"}, "but got no 'question' among 'image', 'words' (fields: image, question, "),
    ],
)
def test_a_field_that_is_called_otherwise_is_to_be_renamed(row: Row, told: str, folder: Path) -> None:
    with pytest.raises(DataError) as raised:
        load(written(folder, row))
    assert told in str(raised.value)


@each_row(
    ("header", "told"),
    [
        ("img,Question", ": rename 'img' to 'image' and 'Question' to 'question' (columns: image, question, answer"),
        ("img,question", ": rename 'img' to 'image' (columns"),
        ("image,q", ": rename 'q' to 'question' (columns"),
        (
            "a.png,Is it red?",
            "but got 'a.png,Is it red?': add it (columns: image, question, answer, options, id, images, turns)",
        ),
    ],
)
def test_a_column_that_is_called_otherwise_is_to_be_renamed(header: str, told: str, folder: Path) -> None:
    (folder / "rows.csv").write_text(f"{header}\na.png,Is it red?\n")
    with pytest.raises(DataError) as raised:
        load(str(folder / "rows.csv"))
    assert told in str(raised.value)


def test_a_quote_that_is_not_closed_is_named_by_its_line_and_hides_no_other_row(folder: Path) -> None:
    rows = (
        "image,question,answer",
        "a.png,Is it red?,yes",
        'a.png,"Is it blue?,no',
        "nowhere.png,Is it red?,yes",
        'b.png,"Is it\nred?",no',
        "a.png,Is it red, or blue?,red",
        'a.png,"Is it "red"?",yes',
        "b.png",
        'b.png,"How many?',
    )
    source = load(written(folder, *rows, name="rows.csv"))
    assert asked(source) == [("a.png", "Is it red?", ("yes",), ()), ("b.png", "Is it red?", ("no",), ())]
    unclosed, nowhere, cells, quote, short, last = source.bad_records
    assert unclosed == "rows.csv:3: Expected CSV, but a quote is not closed: add the closing '\"'"
    assert nowhere.startswith("rows.csv:4: image: ")
    assert cells == "rows.csv:7: Expected 3 cells, but got 4: put cells that hold ',' into double quotes"
    assert quote.startswith("rows.csv:8: Expected CSV, but ")
    assert quote.endswith(": write a quote within a quoted cell twice")
    assert short == "rows.csv:9: Expected 3 cells, but got 1 cell: add question, answer"
    assert last == "rows.csv:10: Expected CSV, but a quote is not closed: add the closing '\"'"


def test_a_row_may_lack_its_last_optional_cells(folder: Path) -> None:
    source = load(written(folder, "image,question,options,answer", "a.png,Is it red?", "", "b.png,?,x|y", name="r.csv"))
    assert asked(source) == [("a.png", "Is it red?", (), ()), ("b.png", "?", (), ("x", "y"))]
    assert source.description == "2 photos with 2 questions, 0 of them answered, of r.csv"
    (bad,) = load(written(folder, "image,answer,question", "a.png,yes", "a.png,yes,?", name="r.csv")).bad_records
    assert bad == "r.csv:2: Expected 3 cells, but got 2 cells: add question"


def test_a_first_line_with_a_quote_that_is_not_closed(folder: Path) -> None:
    with pytest.raises(DataError, match=r"rows\.csv:1: Expected CSV, but a quote is not closed"):
        load(written(folder, 'image,"question', "a.png,Is it red?", name="rows.csv"))


def test_one_photo_with_one_question_is_no_plural(folder: Path) -> None:
    source = load(written(folder, {"image": "a.png", "question": "Is it red?", "answer": "yes"}))
    assert source.description == "1 photo with 1 question, 1 of them answered, of questions.jsonl"


def test_columns_that_are_not_used_and_two_answers_are_told(folder: Path) -> None:
    row: Row = {"image": "a.png", "question": "Is it red?", "anwser": "yes"}
    (remark,) = load(written(folder, row)).remarks
    assert (
        "columns that are not used: 'anwser' (used: image, question, answer, options, id, images, turns): rename "
        "'anwser' to 'answer'" in remark
    )
    twice: list[Row] = [{"image": "a.png", "question": "Is it red?", "answer": answer} for answer in ("yes", "no")]
    (remark,) = load(written(folder, *twice)).remarks
    assert "has the answer 'no' here and 'yes' in question 1 of questions.jsonl:1" in remark


@each_row(
    ("argument", "message"),
    [
        ("", "got no file"),
        ("nowhere.jsonl", "there is no such file"),
        ("notes.txt", "convert it"),
        ("empty", "there is none"),
        ("bare.csv", "to name its columns"),
    ],
)
def test_an_argument_that_names_no_questions(argument: str, message: str, folder: Path) -> None:
    (folder / "notes.txt").write_text("Is it red?")
    (folder / "empty").mkdir(exist_ok=True)
    (folder / "bare.csv").write_text("a.png,Is it red?\n")
    with pytest.raises((DataError, OptionError), match=message):
        load(str(folder / argument) if argument else "")


@pytest.mark.parametrize("form", ["arrow", "parquet"])
def test_a_dataset_of_hugging_face(form: str, folder: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    photos = [{"bytes": (folder / f"{name}.png").read_bytes(), "path": "image.png"} for name in "aba"]
    table = pa.table(
        {
            "image": [*photos, {"bytes": None, "path": "c.png"}],
            "question": ["Is it red?", "How many?", "Which?", "Is it?"],
            "answers": [["yes"], ["2", "2"], None, None],
            "choices": [None, None, ["x", "y"], None],
        }
    )
    data = folder / "saved"
    data.mkdir()
    if form == "arrow":
        with (
            pa.OSFile(str(data / "data-00000-of-00001.arrow"), "wb") as file,
            pa.ipc.new_stream(file, table.schema) as to,
        ):
            to.write_table(table, max_chunksize=2)
    else:
        (data / "data").mkdir()
        pytest.importorskip("pyarrow.parquet").write_table(
            table, data / "data" / "train-00000-of-00001.parquet", row_group_size=2
        )
    source = load(str(data))
    name = "data-00000-of-00001" if form == "arrow" else "train-00000-of-00001"
    assert asked(source) == [
        (f"{name}-1", "Is it red?", ("yes",), ()),
        (f"{name}-1", "Which?", (), ("x", "y")),
        (f"{name}-2", "How many?", ("2", "2"), ()),
    ]
    assert [source.photo(source.scene(index).photo).size for index in (0, 1)] == [(24, 16), (30, 20)]
    assert len(source.digest) == 16
    (bad,) = source.bad_records
    assert f"{name}.{form}:4: image: Expected the bytes of a photo, but there are none" in bad


def test_a_dataset_with_a_broken_offset_is_refused(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    offsets = pa.py_buffer(b"".join(each.to_bytes(4, "little", signed=True) for each in (0, 9, 3)))
    broken = pa.StringArray.from_buffers(2, offsets, pa.py_buffer(b"Is it"))
    table = pa.table({"image": [{"bytes": b"", "path": "a.png"}] * 2, "question": broken})
    with (
        pa.OSFile(str(tmp_path / "data-00000-of-00001.arrow"), "wb") as file,
        pa.ipc.new_stream(file, table.schema) as to,
    ):
        to.write_table(table)
    with pytest.raises(DataError, match=r"Expected a dataset in .*, but it cannot be read \(.*Offset"):
        load(str(tmp_path))
