"""``vqamt label-errors`` reads both layouts, in any order of captions, and lists what is most often broken first."""

from __future__ import annotations

import io
import json
import random
from pathlib import Path

import pytest

from pytest_vqamt.cli import main

COCO = Path(__file__).parents[2] / "../shared/data/coco/captions.json"

PICTURES = {
    11: ("a man and a dog", "a man and a dog", "a man and a dog", "a dog", "at"),
    12: ("a red bus", "two buses", "a large \U0001f68c vehicle", "a street"),
    13: ("a cat", "a dog"),
}
"""Worked out by hand: of picture 11 the last caption lacks what six pairs of others share, the fourth what three do; of
picture 12 the last one what one pair does. "vehicle" will do for a bus."""
EXPECTED = [
    {"image_id": 11, "caption_id": 4, "caption": "at", "missing": ["person", "animal"], "times": 6},
    {"image_id": 11, "caption_id": 3, "caption": "a dog", "missing": ["person"], "times": 3},
    {"image_id": 12, "caption_id": 3, "caption": "a street", "missing": ["vehicle"], "times": 1},
]


def _coco() -> dict[str, object]:
    annotations = [
        {"image_id": image, "id": number, "caption": caption}
        for image, captions in PICTURES.items()
        for number, caption in enumerate(captions)
    ]
    # Captions of one picture stand far apart in COCO's files.
    random.Random(0).shuffle(annotations)
    return {"info": {}, "images": [{"id": image} for image in PICTURES], "annotations": annotations}


def _lines() -> str:
    return "\n".join(json.dumps({"image": image, "captions": captions}) for image, captions in PICTURES.items())


def _found(capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize("indent", [None, 1])
def test_cocos_layout(indent: int | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "captions.json"
    file.write_text(json.dumps(_coco(), indent=indent), encoding="utf-8")
    assert main(["label-errors", str(file)]) == 0
    assert _found(capsys) == EXPECTED


def test_json_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "captions.jsonl"
    file.write_text(_lines(), encoding="utf-8")
    assert main(["label-errors", str(file)]) == 0
    assert _found(capsys) == EXPECTED


@pytest.mark.parametrize("text", [_lines(), json.dumps(_coco())])
def test_standard_input(text: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert main(["label-errors", "-"]) == 0
    assert _found(capsys) == EXPECTED


def test_ids_may_be_texts_and_captions_of_a_picture_in_several_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "captions.jsonl"
    rows = [{"image": "a.jpg", "captions": ["a dog"]}, {"image": "b.jpg", "captions": ["a dog"]}]
    rows += [{"image": "a.jpg", "captions": ["a puppy", "half of a letter: \ud800"]}]
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert main(["label-errors", str(file)]) == 0
    assert _found(capsys) == [
        {
            "image_id": "a.jpg",
            "caption_id": 1,
            "caption": "half of a letter: \ud800",
            "missing": ["animal"],
            "times": 1,
        }
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "Expected COCO's layout"),
        ("[1]", "Expected COCO's layout"),
        ('{"images": []}', "Expected COCO's layout"),
        (
            '{"annotations": [{"image_id": 1, "id": 2}]}',
            "annotations[0].caption: Expected a text, but got no 'caption'",
        ),
        ('{"annotations": [{"id": 2, "caption": "a"}]}', "annotations[0].image_id: Expected a number or a text"),
        ('{"annotations": [{"image_id": 1, "id": 2, "caption": "a"}, {', "it breaks off after annotations[0]"),
        ('{"annotations": [7]}', "annotations[0]: Expected a JSON object, but got annotations[0]=7"),
        ('{"image": 1, "captions": "a dog"}', "line 1: captions: Expected a list of texts, but got captions='a dog'"),
        ('{"image": 1, "captions": []}\n{"image": 1.5, "captions": []}', "line 2: image: Expected a number or a text"),
    ],
)
def test_what_cannot_be_read_is_named(text: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "captions.json"
    file.write_text(text, encoding="utf-8")
    assert main(["label-errors", str(file)]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"vqamt: {file}")
    assert told in error
    assert error.count("\n") == 1


def test_a_file_that_is_not_there_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["label-errors", str(tmp_path / "none.json")]) == 2
    assert "Expected a file of captions, but" in capsys.readouterr().err


@pytest.mark.skipif(not COCO.is_file(), reason="the captions of COCO are not here")
def test_real_captions(capsys: pytest.CaptureFixture[str]) -> None:
    """Read by hand: the first is misspelled ("HORESES"), and a stove was taken for a table."""
    assert main(["label-errors", str(COCO)]) == 0
    found = _found(capsys)
    times = [int(str(row["times"])) for row in found]
    assert times == sorted(times, reverse=True)
    missing = {str(row["caption"]).strip(): row["missing"] for row in found}
    assert missing["THERE ARE TWO PEOPLE RIDING HORESES ON THE BEACH SHORE"] == ["animal"]
    assert "appliance" in str(missing["a couple of pizzas are sat out on a table"])
    # what names everything that others agree on is not listed
    assert "A bear in the grass surrounded by vultures." not in missing
