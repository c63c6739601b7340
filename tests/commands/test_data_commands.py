"""``vqamt check-data`` lists all that is bad, and ``vqamt init-data`` begins a file."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest
from PIL import Image

from pytest_vqamt.cli import main
from pytest_vqamt.commands.main import ExitStatus
from tests.rows import each_row


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a.png", "b.png"):
        Image.new("RGB", (24, 16), "gray").save(tmp_path / name)
    return tmp_path


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().out.splitlines()


def test_every_bad_record_and_photo_is_listed_without_a_warning(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "torn.png").write_bytes((folder / "a.png").read_bytes()[:-20])
    rows = [
        {"image": "a.png", "question": "Is it red?", "colour": "red"},
        {"image": "nowhere.png", "question": "Is it red?"},
        {"image": "b.png"},
        {"image": "torn.png", "question": "Is it red?"},
    ]
    (folder / "questions.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert main(["check-data", f"questions:{folder}"]) == ExitStatus.FINDING
    first, second, third, odd, summary = lines(capsys)
    assert first.startswith("bad: questions.jsonl:2: image: Expected a photo, but there is no file")
    assert second.startswith("bad: questions.jsonl:3: question: Expected a text")
    assert third.startswith("bad: Expected a whole photo") and "torn.png" in third  # noqa: PT018
    assert odd.startswith("odd: ") and "columns that are not used: 'colour'" in odd  # noqa: PT018
    assert summary == "2 photos with 2 questions, 0 of them answered, of questions.jsonl: 3 bad records"


def test_where_nothing_can_be_used_every_record_is_listed_as_well(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "graphs.jsonl").write_text('{"id": "1"}\n{"id": "2", "photo": "a.png"}\n')
    assert main(["check-data", f"photos:{folder}"]) == ExitStatus.FINDING
    found = [line for line in lines(capsys) if not line.startswith("odd: ")]
    assert [line.partition(": ")[2][:15] for line in found[:2]] == ["graphs.jsonl:1:", "graphs.jsonl:2:"]
    assert found[2] == "nothing can be used: 2 bad records"


def test_good_data_has_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check-data", "pictures:3"]) == ExitStatus.OK
    (line,) = lines(capsys)
    assert line.endswith(": no bad record")


@each_row(
    ("arguments", "file", "spec"), [([], "graphs.jsonl", "photos:"), (["--questions"], "questions.jsonl", "questions:")]
)
def test_a_file_is_begun_with_a_line_for_each_photo_and_continued(
    arguments: list[str], file: str, spec: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init-data", str(folder), *arguments]) == ExitStatus.OK
    added, then = lines(capsys)
    assert added.startswith("added 2 lines to ")
    assert then.startswith(f"vqamt check-data {spec}")
    rows = [json.loads(line) for line in (folder / file).read_text().splitlines()]
    if file == "graphs.jsonl":
        size = {"width": 24, "height": 16, "objects": []}
        assert rows == [{"id": name, "photo": name, **size} for name in ("a.png", "b.png")]
        assert main(["check-data", then.split()[-1]]) == ExitStatus.OK
    else:
        assert rows == [
            {"image": name, "question": None, "answer": None, "options": None} for name in ("a.png", "b.png")
        ]
        assert main(["check-data", then.split()[-1]]) == ExitStatus.FINDING  # the questions are missing
    Image.new("RGB", (4, 4)).save(folder / "c.png")
    before = (folder / file).read_text()
    assert main(["init-data", str(folder), *arguments]) == ExitStatus.OK
    assert (folder / file).read_text().startswith(before)
    assert len((folder / file).read_text().splitlines()) == 3
    (folder / "c.png").unlink()
    (folder / file).unlink()
    capsys.readouterr()


def test_a_photo_that_cannot_be_read_gets_no_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "c.jpg").write_text("no photo")
    assert main(["init-data", str(folder)]) == ExitStatus.FINDING
    printed = capsys.readouterr()
    assert "no line: " in printed.err and "c.jpg" in printed.err  # noqa: PT018
    assert "added 2 lines" in printed.out


SUGGESTED = {
    "q.csv": "questions:",
    "q.jsonl": "questions:",
    "graphs.jsonl": "graphs:",
    "instances_val.json": "coco:",
    "own.json": "coco:",
    "train_sceneGraphs.json": "gqa:",
    "asked.json": "vqa-v2:",
    "photos": "photos:",
    "asked": "questions:",
}


@pytest.mark.parametrize("name", SUGGESTED)
def test_a_path_without_its_kind_is_told_the_spec(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "q.csv").write_text("image,question\na.png,Is it red?\n")
    (folder / "q.jsonl").write_text('{"image": "a.png", "question": "Is it red?"}\n')
    (folder / "graphs.jsonl").write_text('{"id": "1", "photo": "a.png", "objects": []}\n')
    (folder / "instances_val.json").write_text("{}")
    (folder / "own.json").write_text('{"images": [{"id": 1, "file_name": "a.png"}], "annotations": []}')
    (folder / "train_sceneGraphs.json").write_text("{}")
    (folder / "asked.json").write_text('{"questions": [{"image_id": 1, "question": "?", "question_id": 1}]}')
    for below in ("photos", "asked"):
        (folder / below).mkdir()
        (folder / below / "a.JPG").write_bytes(b"")
    (folder / "asked" / "questions.csv").write_text("")
    spec = f"{SUGGESTED[name]}{folder / name}" + (":PHOTOS" if SUGGESTED[name] == "coco:" else "")
    assert main(["check-data", str(folder / name)]) == ExitStatus.USAGE
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("vqamt: Expected data to begin with its kind, as in questions:FILE, but got data=")
    assert line.endswith(f"; did you mean '{spec}'?")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("nowhere.csv", "; there is no such file; known: pictures, coco"),
        ("none", "; this folder has no photos, and no data of a known kind"),
        ("notes.txt", "; known: pictures, coco"),
    ],
)
def test_a_path_whose_kind_cannot_be_told(
    name: str, told: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "none").mkdir()
    (folder / "notes.txt").write_text("Is it red?")
    assert main(["check-data", str(folder / name)]) == ExitStatus.USAGE
    assert told in capsys.readouterr().err


def test_a_file_that_is_not_there_is_no_bad_record(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check-data", f"questions:{folder / 'nowhere.csv'}"]) == ExitStatus.FINDING
    (line,) = lines(capsys)
    assert line.endswith("there is no such file")
