"""Lines of scene graphs with several photos: films, and photos that belong together."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from pytest_vqamt.commands.main import run_command
from pytest_vqamt.core.box import Box
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.data.annotations import AnnotatedPhotos
from pytest_vqamt.data.catalogue import load, spec_of_path
from pytest_vqamt.data.own_photos import OwnPhotos
from tests.data.own_graphs import PAGE, Row, plain
from tests.data.test_graphs import VALIDATOR

BOXES = [None, [0, 4, 4, 6], [2, 4, 6, 6], [6, 4, 6, 6], [10, 4, 6, 6]]


def film(**fields: object) -> Row:
    return {
        "id": "f",
        "frames": [f"{number}.png" for number in range(1, 6)],
        "width": 24,
        "height": 16,
        "objects": [
            {"id": "d", "name": "dog", "boxes": copy.deepcopy(BOXES)},
            {"id": "t", "name": "tree", "box": [18, 0, 6, 8]},
        ],
        "relationships": [{"subject": "d", "predicate": "near", "object": "t"}],
        "exhaustive": ["dog", "cat"],
        **fields,
    }


def group(**fields: object) -> Row:
    photos: list[Row] = [
        {"photo": "1.png", "width": 24, "height": 16, "objects": [{"id": "d", "name": "dog", "box": [1, 1, 9, 9]}]},
        {"photo": "2.png", "width": 24, "height": 16, "exhaustive": ["dog"]},
    ]
    return {"id": "g", "photos": photos, **fields}


def opened(folder: Path, *rows: Row, photos: int = 5) -> AnnotatedPhotos:
    for number in range(1, photos + 1):
        Image.new("RGB", (24, 16), (number * 20, 100, 200)).save(folder / f"{number}.png")
    (folder / "graphs.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    source = load(f"graphs:{folder / 'graphs.jsonl'}", allow_bad_records=True)
    assert isinstance(source, AnnotatedPhotos)
    return source


def test_a_film_is_one_scene_and_each_frame_can_be_found(tmp_path: Path) -> None:
    source = opened(tmp_path, film(), plain("s", photo="1.png"))
    assert (len(source), source.photo_count) == (2, 6)
    # The dog is in the second frame, which is the first with most things.
    assert [source.scene(index).id for index in range(6)] == ["f/2", "s", "f/1", "f/3", "f/4", "f/5"]
    assert source.corpus.films == {"f/2": (2, 0, 3, 4, 5)}
    boxes = [
        next((thing.box for thing in source.scene(index).objects if thing.id == "d"), None)
        for index in source.corpus.films["f/2"]
    ]
    assert boxes == [None, *(Box(*box) for box in BOXES if box)]
    assert [len(source.scene(index).relationships) for index in source.corpus.films["f/2"]] == [0, 1, 1, 1, 1]
    for number in range(1, 6):
        scene = source.scene(source.place(f"f/{number}"))
        assert source.photo(scene.photo).getpixel((0, 0)) == (number * 20, 100, 200)
    assert source.corpus.frequency["dog"] == 1


def test_each_photo_of_a_group_is_a_scene(tmp_path: Path) -> None:
    source = opened(tmp_path, group())
    assert [source.scene(index).id for index in range(len(source))] == ["g/1", "g/2"]
    assert source.corpus.groups == {"g/1": (0, 1), "g/2": (0, 1)}
    assert source.scene(1).exhaustive == {"dog"}


def test_the_digest_and_the_state_depend_on_every_frame(tmp_path: Path) -> None:
    before = opened(tmp_path, film()).digest
    Image.new("RGB", (24, 16)).save(tmp_path / "5.png", compress_level=0)
    assert load(f"graphs:{tmp_path / 'graphs.jsonl'}").digest != before


def test_the_examples_of_the_page() -> None:
    rows = [json.loads(text) for text in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)]
    assert [set(row) & {"photo", "frames", "photos"} for row in rows] == [{"photo"}, {"frames"}, {"photos"}]
    assert all(map(VALIDATOR.is_valid, (*rows, film(), group())))


def dog(row: Any) -> Any:
    return row["objects"][0]


BAD: dict[str, tuple[Callable[[Any], object], str, bool]] = {
    "three frames": (lambda row: row.update(frames=["1.png"] * 3), "frames: Expected 4 to 64 frames, but got 3", False),
    "a missing frame": (lambda row: row["frames"].__setitem__(2, "9.png"), "frames[2]: photo: Expected a photo", True),
    "no text": (lambda row: row["frames"].__setitem__(2, 9), "frames[2]: Expected a text", False),
    "another size": (lambda row: row.update(width=25), "frames[0]: photo: Expected", True),
    "boxes too short": (
        lambda row: dog(row)["boxes"].pop(),
        "objects[0].boxes: Expected a box or null for each of 5",
        True,
    ),
    "nowhere": (lambda row: dog(row).update(boxes=[None] * 5), "objects[0].boxes: Expected a box in one", True),
    "box and boxes": (lambda row: dog(row).update(box=[1, 1, 2, 2]), "objects[0].boxes: Expected box or boxes", False),
    "neither": (lambda row: dog(row).pop("boxes"), "objects[0].box: Expected a list, but got no 'box'", False),
    "a box outside": (lambda row: dog(row)["boxes"].__setitem__(3, [30, 0, 5, 5]), "objects[0].boxes[3]: ", True),
    "a box of three": (lambda row: dog(row)["boxes"].__setitem__(3, [3, 0, 5]), "objects[0].boxes[3]: ", False),
    "a box of text": (lambda row: dog(row)["boxes"].__setitem__(3, [3, 0, 5, "6"]), "objects[0].boxes[3][3]: ", False),
    "a box that is none": (lambda row: dog(row)["boxes"].__setitem__(3, 7), "objects[0].boxes[3]: ", False),
    "a mask": (lambda row: dog(row).update(mask=[[0, 0, 5, 0, 5, 5]]), "objects[0].mask: Expected no mask", False),
    "an id twice": (lambda row: row["objects"][1].update(id="d"), "objects[1].id: ", True),
    "no name": (lambda row: dog(row).pop("name"), "objects[0].name: ", False),
    "captions": (lambda row: row.update(captions=["A dog."]), "captions: Expected no captions of a film", False),
    "a photo too": (lambda row: row.update(photo="1.png"), "photo: Expected one of photo, frames and photos", False),
    "nobody near": (lambda row: row["relationships"][0].update(subject="x"), "relationships[0].subject: ", True),
    "a frame twice that moves": (
        lambda row: row["frames"].__setitem__(3, row["frames"][1]),
        "between which object d moves",
        True,
    ),
    "a typo": (lambda row: row.update(exhaustiv=[]), "did you mean 'exhaustive'?", False),
}


@pytest.mark.parametrize("what", BAD)
def test_a_bad_film_is_one_message(what: str, tmp_path: Path) -> None:
    change, said, is_valid = BAD[what]
    row = film()
    change(row)
    (message,) = opened(tmp_path, row, plain("s", photo="1.png")).bad_records
    assert message.startswith("graphs.jsonl:1: ")
    assert said in message
    assert VALIDATOR.is_valid(row) is is_valid


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda row: row["photos"].pop(), "photos: Expected 2 photos or more"),
        (lambda row: row["photos"][1].update(photo="1.png"), "photos[1].photo: Expected another photo"),
        (lambda row: row["photos"][0]["objects"][0].pop("name"), "photos[0].objects[0].name: "),
        (lambda row: row["photos"][1].update(id="x"), "photos[1]: Expected known fields only"),
        (lambda row: row["photos"][0].update(height=15), "photos[0]: photo: Expected"),
        (lambda row: row.update(width=24), "Expected known fields only, but got field='width'"),
        (lambda row: row["photos"].__setitem__(0, "1.png"), "photos[0]: Expected a JSON object"),
    ],
)
def test_a_bad_group_is_one_message(change: Callable[[Any], object], said: str, tmp_path: Path) -> None:
    row = group()
    change(row)
    (message,) = opened(tmp_path, row, plain("s", photo="1.png")).bad_records
    assert message.startswith("graphs.jsonl:1: ")
    assert said in message


def test_boxes_without_frames_and_ids_that_meet(tmp_path: Path) -> None:
    with_boxes = plain("s", photo="1.png", objects=[{"id": "d", "name": "dog", "boxes": BOXES}])
    first, second = opened(tmp_path, with_boxes, group(), plain("g/2", photo="3.png")).bad_records
    assert "objects[0].boxes: Expected no boxes of a thing in one photo" in first
    assert "graphs.jsonl:3: id: Expected an id of its own" in second


def test_what_is_odd_in_a_film(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    odd = film(frames=["1.png", "10.png", "2.png", "3.png", "3.png"])
    dog(odd)["boxes"] = [None, [0, 4, 4, 6], [18, 4, 6, 6], [18, 4, 6, 6], [18, 4, 6, 6]]
    Image.new("RGB", (24, 16), (9, 200, 9)).save(tmp_path / "10.png")
    wrong = film(id="h", frames=["1.png", "10.png", "2.png", "3.png", "4.png"])
    with pytest.warns(UserWarning, match="graphs"):
        opened(tmp_path, odd, wrong)
    (tmp_path / "4.png").write_bytes((tmp_path / "4.png").read_bytes()[:-30])  # the head is whole
    assert run_command(["check-data", f"graphs:{tmp_path / 'graphs.jsonl'}"]) == 1
    said = capsys.readouterr().out
    assert "1 thing of films of graphs.jsonl jumps by more than half of the width" in said
    assert "graphs.jsonl:1: object d from frames[1] to the next" in said
    assert "'10.png' before '2.png'" in said
    assert "lists a frame twice (graphs.jsonl:1: 3.png)" in said
    assert "4.png" in next(line for line in said.splitlines() if line.startswith("bad: "))


def test_frames_are_no_photos_without_a_line(tmp_path: Path) -> None:
    together = group()
    for number, photo in enumerate(together["photos"], start=6):
        photo["photo"] = f"{number}.png"
    opened(tmp_path, film(), together, photos=8)
    folder = OwnPhotos(path=tmp_path)
    assert folder.without_line() == ("8.png",)
    assert folder.ids() == {"f", *(f"f/{number}" for number in range(1, 6)), "g", "g/1", "g/2"}
    assert spec_of_path(str(tmp_path / "graphs.jsonl")) == f"graphs:{tmp_path / 'graphs.jsonl'}"


def test_a_file_that_changes_is_noticed(tmp_path: Path) -> None:
    source = opened(tmp_path, film())
    (tmp_path / "graphs.jsonl").write_text(json.dumps(film(id="x")), encoding="utf-8")
    with pytest.raises(DataError, match="the file has changed"):
        source.scene(1)
