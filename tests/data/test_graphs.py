"""A row is read as its scene and written back, and the schema says the same of rows as the reader."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from PIL import Image

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.core.scene import Photo, PublishedQuestion, Region, Relationship, Scene, Thing
from pytest_vqamt.data import catalogue
from pytest_vqamt.data.graphs import FIELDS, Polygons, file_of_row, load, mask_of_row, row_of_scene, scene_of_row
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.data.series import FRAMES, PHOTOS
from tests.core.random_scenes import scenes
from tests.data.own_graphs import PAGE, Row, example, plain, write

SCHEMA = json.loads(files("pytest_vqamt.data").joinpath("graph.schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)

WHERE = "graphs.jsonl:12"

QUESTIONS = st.builds(
    PublishedQuestion,
    id=st.sampled_from(["q1", "q 2"]),
    text=st.just("What is it?"),
    answers=st.sampled_from([(), ("dog", "a dog", "dog")]),
    kind=st.sampled_from(["", "what"]),
)


def told(scene: Scene, **changes: Any) -> Scene:
    """The scene as a row can tell it: its photo has its id, and is not opened."""
    return replace(scene, photo=Photo(id=scene.id, digest=""), **changes)


@st.composite
def scenes_with_masks(draw: st.DrawFn) -> tuple[Scene, dict[str, Polygons]]:
    scene = draw(scenes())
    things = tuple(
        replace(
            thing,
            synset=draw(st.sampled_from([None, "dog.n.01"])),
            multi_coloured=draw(st.booleans()),
            box=replace(thing.box, w=thing.box.w - draw(st.sampled_from([0, 0.25, 0.1]))),
        )
        for thing in scene.objects
    )
    questions = tuple({q.id: q for q in draw(st.lists(QUESTIONS, max_size=2))}.values())
    masks: dict[str, Polygons] = {
        thing.id: ((thing.box.x, thing.box.y, thing.box.x1, thing.box.y, thing.box.x1, thing.box.y1),) * 2
        for thing in things
        if thing.has_mask
    }
    return told(scene, objects=things, questions=questions), masks


@given(drawn=scenes_with_masks(), file=st.sampled_from(["a.jpg", "a b/c.png"]))
def test_a_scene_written_is_read_back(drawn: tuple[Scene, dict[str, Polygons]], file: str) -> None:
    scene, masks = drawn
    row = json.loads(json.dumps(row_of_scene(scene, file, masks), allow_nan=False))
    assert scene_of_row(row, WHERE) == scene
    assert file_of_row(row, WHERE) == file
    assert {thing.id: mask_of_row(row, WHERE, thing.id) for thing in scene.objects if thing.has_mask} == masks
    assert list(VALIDATOR.iter_errors(row)) == []
    assert row_of_scene(scene_of_row(row, WHERE), file, masks) == row


def test_a_row_is_read_field_by_field() -> None:
    row = example()
    row["objects"][1]["name"] = " Beach  Umbrella"
    row["objects"][1]["box"] = [600, -10, 100, 30]
    row["objects"][1]["id"] = row["relationships"][0]["object"] = 7
    assert scene_of_row(row, WHERE) == Scene(
        id="market-1",
        photo=Photo(id="market-1", digest=""),
        width=640,
        height=480,
        objects=(
            Thing(
                id="d",
                name="dog",
                box=Box(40, 260, 150, 120),
                attributes=("brown", "sitting"),
                synset="dog.n.01",
                has_mask=True,
            ),
            Thing(id="7", name="beach umbrella", box=Box(600, 0, 40, 20), multi_coloured=True),
            Thing(id="w", name="woman", box=Box(350, 130, 110, 330), attributes=("standing",)),
        ),
        regions=(Region(name="banana", box=Box(0, 400, 300, 80)),),
        relationships=(Relationship(subject="w", predicate="holding", object="7"),),
        setting="market",
        captions=("A woman with an umbrella stands beside a brown dog at a market.",),
        questions=(
            PublishedQuestion(
                id="q1", text="What is the woman holding?", answers=("umbrella", "an umbrella"), kind="what"
            ),
        ),
        exhaustive=frozenset({"dog", "cat", "umbrella"}),
    )
    assert mask_of_row(row, WHERE, "d") == ((60, 260, 190, 280, 180, 380, 40, 370),)


def test_a_photo_and_its_size_are_enough() -> None:
    scene = scene_of_row({"id": 3, "photo": "a.jpg", "width": 20, "height": 10}, WHERE)
    assert scene == Scene(id="3", photo=Photo(id="3", digest=""), width=20, height=10)


def test_a_mask_that_is_not_there() -> None:
    for thing_id in ("u", "nobody"):
        with pytest.raises(DataError, match=f"Expected a thing with a mask, but got thing_id='{thing_id}'"):
            mask_of_row(example(), WHERE, thing_id)


# Where schema and reader agree, and where only the reader can know.

Change = Callable[[Row], object]


def setting(*path: str | int, to: object) -> Change:
    def change(row: Any) -> None:
        for step in path[:-1]:
            row = row[step]
        row[path[-1]] = to

    return change


def without(*path: str | int) -> Change:
    def change(row: Any) -> None:
        for step in path[:-1]:
            row = row[step]
        del row[path[-1]]

    return change


def changed(change: Change) -> Row:
    row = example()
    change(row)
    return row


def refusal(row: object) -> str:
    """What the reader says against the row, "" where it takes it."""
    try:
        scene_of_row(row, WHERE)
    except DataError as error:
        return str(error)
    return ""


TAKEN = {
    "nothing": setting("id", to="market-1"),
    "id 7": setting("id", to=7),
    "width 640.0": setting("width", to=640.0),
    "box in fractions": setting("objects", 0, "box", to=[40.5, 260.25, 1e2, 120]),
    "box over the edge": setting("objects", 2, "box", to=[350, 130, 9999, 9999]),
    "mask over the edge": setting("objects", 0, "mask", 0, to=[-60, 260, 190, 280.5, 180, 580]),
    "name with spaces": setting("objects", 1, "name", to=" Beach  UMBRELLA "),
    "attribute twice": setting("objects", 0, "attributes", to=["red", "red"]),
    "a thing on itself": setting("relationships", 0, "object", to="w"),
    **{f"no {field}": without(field) for field in FIELDS if field not in ("id", "photo", "width", "height", "presumed")}
    | {"no objects": lambda row: [row.pop("objects"), row.pop("relationships")]},
    **{
        f"{field} null": setting(field, to=None)
        for field in ("regions", "relationships", "setting", "captions", "exhaustive", "questions")
    },
    **{f"{field} empty": setting(field, to=[]) for field in ("regions", "relationships", "captions", "questions")},
    **{
        f"objects[0].{field} null": setting("objects", 0, field, to=None)
        for field in ("attributes", "synset", "multi_coloured", "mask")
    },
    "question without answers": without("questions", 0, "answers"),
    "presumed": setting("presumed", to=True),
    "presumed null": setting("presumed", to=None),
    "question of no kind": setting("questions", 0, "kind", to=None),
}

REFUSED: dict[str, tuple[Change, str]] = {
    **{f"no {field}": (without(field), f"{field}: ") for field in ("id", "photo", "width", "height")},
    "id of blanks": (setting("id", to="  "), "id: "),
    "id of 201 characters": (setting("id", to="x" * 201), "id: "),
    "id true": (setting("id", to=True), "id: "),
    "presumed in words": (setting("presumed", to="yes"), "presumed: "),
    "photo 7": (setting("photo", to=7), "photo: "),
    "width 0": (setting("width", to=0), "width: "),
    "height text": (setting("height", to="480"), "height: "),
    "height and a half": (setting("height", to=480.5), "height: "),
    "width too large": (setting("width", to=100_001), "width: "),
    "unknown field": (setting("size", to=3), "field='size'"),
    "unknown field of an object": (setting("objects", 2, "atributes", to=[]), "objects[2]: "),
    "unknown field of a region": (setting("regions", 0, "id", to=3), "regions[0]: "),
    "unknown field of a relationship": (setting("relationships", 0, "name", to="on"), "relationships[0]: "),
    "unknown field of a question": (setting("questions", 0, "answer", to="a"), "questions[0]: "),
    "objects no list": (setting("objects", to={}), "objects: "),
    "object no object": (setting("objects", 0, to="dog"), "objects[0]: "),
    **{
        f"object without {field}": (without("objects", 1, field), f"objects[1].{field}: ")
        for field in ("id", "name", "box")
    },
    "name blank": (setting("objects", 1, "name", to=" "), "objects[1].name: "),
    "name null": (setting("objects", 1, "name", to=None), "objects[1].name: "),
    "box of three": (setting("objects", 1, "box", to=[1, 2, 3]), "objects[1].box: "),
    "box of five": (setting("objects", 1, "box", to=[1, 2, 3, 4, 5]), "objects[1].box: "),
    "box of text": (setting("objects", 1, "box", 2, to="3"), "objects[1].box[2]: "),
    "box of no height": (setting("regions", 0, "box", 3, to=0), "regions[0].box: "),
    "attributes text": (setting("objects", 0, "attributes", to="red"), "objects[0].attributes: "),
    "attribute number": (setting("objects", 0, "attributes", 1, to=3), "objects[0].attributes[1]: "),
    "synset of no form": (setting("objects", 0, "synset", to="dog"), "objects[0].synset: "),
    "synset of no kind": (setting("objects", 0, "synset", to="dog.x.01"), "objects[0].synset: "),
    "multi_coloured 1": (setting("objects", 0, "multi_coloured", to=1), "objects[0].multi_coloured: "),
    "mask empty": (setting("objects", 0, "mask", to=[]), "objects[0].mask: "),
    "mask of numbers": (setting("objects", 0, "mask", to=[1, 2, 3, 4, 5, 6]), "objects[0].mask[0]: "),
    "polygon of two corners": (setting("objects", 0, "mask", to=[[1, 2, 3, 4]]), "objects[0].mask[0]: "),
    "polygon far away": (setting("objects", 0, "mask", 0, 0, to=100_001), "objects[0].mask[0]: "),
    "polygon of text": (setting("objects", 0, "mask", 0, 3, to="1"), "objects[0].mask[0][3]: "),
    "region without name": (without("regions", 0, "name"), "regions[0].name: "),
    "no predicate": (without("relationships", 0, "predicate"), "relationships[0].predicate: "),
    "no subject": (without("relationships", 0, "subject"), "relationships[0].subject: "),
    "setting blank": (setting("setting", to=""), "setting: "),
    "captions text": (setting("captions", to="A dog."), "captions: "),
    "caption blank": (setting("captions", 0, to=""), "captions[0]: "),
    "exhaustive true": (setting("exhaustive", to=True), "exhaustive: "),
    "question without text": (without("questions", 0, "text"), "questions[0].text: "),
    "answers text": (setting("questions", 0, "answers", to="yes"), "questions[0].answers: "),
}

FOR_THE_READER_ALONE: dict[str, tuple[Change, str]] = {
    "two objects of one id": (setting("objects", 1, "id", to="d"), "objects[1].id: "),
    "two questions of one id": (lambda row: row["questions"].append(row["questions"][0]), "questions[1].id: "),
    "box outside": (setting("objects", 1, "box", to=[640, 0, 5, 5]), "objects[1].box: "),
    "mask outside the box": (setting("objects", 0, "mask", to=[[300, 0, 400, 0, 400, 90]]), "objects[0].mask: "),
    "mask in parts of one": (setting("objects", 0, "mask", to=[[0.1, 0.5, 0.3, 0.5, 0.3, 0.7]]), "objects[0].mask: "),
    "odd polygon": (setting("objects", 0, "mask", 0, to=[60, 260, 190, 280, 180, 380, 40]), "objects[0].mask[0]: "),
    "nobody holds": (setting("relationships", 0, "subject", to="x"), "relationships[0].subject: "),
    "holding nothing": (setting("relationships", 0, "object", to=7), "relationships[0].object: "),
    "all of a crowd": (setting("exhaustive", 1, to=" Banana"), "exhaustive[1]: "),
    "half a character": (setting("captions", 0, to="\ud83d"), "captions[0]: "),
    "a name with a NUL": (setting("objects", 0, "name", to="dog\0"), "objects[0].name: "),
    "an id of two lines": (setting("id", to="market\n1"), "id: "),
    "a box too small to count": (setting("objects", 1, "box", 2, to=1e-20), "objects[1].box: "),
    "number beyond all bounds": (setting("objects", 0, "box", 0, to=10**400), "objects[0].box[0]: "),
}  # fmt: skip


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert tuple(SCHEMA["properties"]) == (*FIELDS, FRAMES, PHOTOS)


def test_both_take() -> None:
    rows = {what: changed(change) for what, change in TAKEN.items()}
    assert [what for what, row in rows.items() if refusal(row) or not VALIDATOR.is_valid(row)] == []


def test_both_refuse() -> None:
    rows = {what: (changed(change), said) for what, (change, said) in REFUSED.items()}
    wrong = [
        f"{what}: {refusal(row)}"
        for what, (row, said) in rows.items()
        if not refusal(row).startswith(f"{WHERE}: ") or said not in refusal(row) or VALIDATOR.is_valid(row)
    ]
    assert wrong == []


def test_the_reader_alone_refuses() -> None:
    rows = {what: (changed(change), said) for what, (change, said) in FOR_THE_READER_ALONE.items()}
    wrong = [
        f"{what}: {refusal(row)}"
        for what, (row, said) in rows.items()
        if not refusal(row).startswith(f"{WHERE}: {said}Expected ") or not VALIDATOR.is_valid(row)
    ]
    assert wrong == []


def test_no_row() -> None:
    none: tuple[object, ...] = ([], "dog", 3, None)
    for row in none:
        assert refusal(row).startswith(f"{WHERE}: Expected a JSON object"), row
        assert not VALIDATOR.is_valid(row), row


VALUES: st.SearchStrategy[object] = st.sampled_from(
    (
        None, True, 0, -1, 1, 7, 3.0, 3.5, "", " ", "d", "w", "dog.n.01", "red", [], {}, ["red"], [3], [[]],
        [0, 0, 5, 5], [[40, 260, 190, 260, 190, 380]], {"id": "x", "name": "cat"},
        [{"id": "d", "name": "dog", "box": [0, 0, 5, 5]}],
    )
).map(copy.deepcopy)  # fmt: skip


def places(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The way to everything within the value."""
    if isinstance(value, dict):
        inner = [place for key, each in value.items() for place in places(each, (*path, key))]
    elif isinstance(value, list):
        inner = [place for key, each in enumerate(value) for place in places(each, (*path, key))]
    else:
        inner = []
    return [path, *inner] if path else inner


@given(data=st.data())
def test_what_the_schema_refuses_the_reader_refuses(data: st.DataObject) -> None:
    row = copy.deepcopy(example())
    for _ in range(data.draw(st.integers(1, 2))):
        *way, last = data.draw(st.sampled_from(places(row)))
        inner: Any = row
        for step in way:
            inner = inner[step]
        what = data.draw(st.sampled_from(("set", "remove", "add")))
        if what == "remove":
            del inner[last]
        elif what == "set" or isinstance(inner, list):
            inner[last] = data.draw(VALUES)
        else:
            inner[data.draw(st.sampled_from((*FIELDS, "name", "box", "mask")))] = data.draw(VALUES)
    if not VALIDATOR.is_valid(row):
        assert refusal(row) != ""
    elif said := refusal(row):
        known_to_the_reader_alone = (
            "an id of its own", "lies outside", "overlap the box", "three corners", "one of the objects", "no crowd",
        )  # fmt: skip
        assert any(words in said for words in known_to_the_reader_alone), said


def test_plain_rows_are_rows() -> None:
    assert refusal(plain()) == ""


COCO = Path(__file__).parents[2] / "../shared/data/coco"


def dog(**fields: object) -> Row:
    return {"id": "d", "name": "dog", "box": [2, 3, 10, 8], **fields}


def bad(file: Path) -> list[str]:
    return list(load(str(file)).bad_records)


def test_it_is_a_scene_source(tmp_path: Path) -> None:
    file = write(tmp_path, [plain("a", objects=[dog()]), plain("b"), plain(3)])
    source: SceneSource = load(str(file))
    assert source.spec == f"graphs:{file}"
    assert source.description == f"3 scenes of graphs.jsonl, photos in {tmp_path.name}"
    assert len(source) == 3
    assert [source.scene(index).id for index in (2, 0, 1)] == ["3", "a", "b"]
    assert source.scene(0).objects == (Thing(id="d", name="dog", box=Box(2, 3, 10, 8)),)
    assert [source.place(source.scene(index).photo.id) for index in range(3)] == [0, 1, 2]
    assert [source.photo(source.scene(index).photo).getpixel((0, 0)) for index in range(3)] == [
        (number, 100, 200) for number in range(3)
    ]
    assert source.bad_records == ()
    assert source.corpus.frequency == {"dog": 1}
    assert source.corpus.mean_colour == (1, 100, 200)
    with pytest.raises(DataError, match="take it from its scenes"):
        source.place("c")


def test_a_photo_is_named_by_its_content(tmp_path: Path) -> None:
    source = load(str(write(tmp_path, [plain("a"), plain("b"), plain("c", photo="a.png")])))
    one, other, same = (source.scene(index).photo for index in range(3))
    assert one.digest != other.digest
    assert one.digest == same.digest
    assert one != same


def test_photos_in_another_folder(tmp_path: Path) -> None:
    (tmp_path / "shots").mkdir()
    file = write(tmp_path, [plain("a", photo="2024/a.png")], photos=tmp_path / "shots")
    source = load(f"{file}:{tmp_path / 'shots'}")
    assert source.spec == f"graphs:{file}:{tmp_path / 'shots'}"
    assert source.photo(source.scene(0).photo).size == (24, 16)
    with pytest.raises(DataError, match=r"there is no file '.*2024/a\.png'"):
        load(f"{file}:{tmp_path}")
    with pytest.raises(DataError, match="there is no such folder"):
        load(f"{file}:{tmp_path / 'absent'}")


def test_without_photos_there_are_scenes_and_no_pixels(tmp_path: Path) -> None:
    file = write(tmp_path, [plain("a", photo="2024/a.png"), plain("b", photo="b.png")])
    for photo in tmp_path.rglob("*.png"):
        photo.unlink()
    source = load(str(file))
    assert source.bad_records == ()
    assert source.description == "2 scenes of graphs.jsonl, without photos"
    assert source.scene(0).photo.digest != source.scene(1).photo.digest
    assert source.corpus.mean_colour is None
    with pytest.raises(DataError, match=r"graphs:.* has come without photos: put them into .*, or name their folder"):
        source.photo(source.scene(0).photo)


@pytest.mark.parametrize(("missing", "line"), [("a", 1), ("b", 2)])
def test_with_one_photo_a_missing_one_is_a_bad_record(tmp_path: Path, missing: str, line: int) -> None:
    file = write(tmp_path, [plain("a"), plain("b"), '{"id": "c"}'])
    (tmp_path / f"{missing}.png").unlink()
    source = load(str(file))
    assert len(source) == 1
    assert [bad.partition(": ")[0] for bad in source.bad_records] == [f"graphs.jsonl:{line}", "graphs.jsonl:3"]
    assert f"there is no file '{tmp_path}/{missing}.png'" in source.bad_records[0]


def asked(text: str, answer: str, name: str = "q") -> dict[str, object]:
    return {"id": name, "text": text, "answers": [answer]}


def test_two_answers_to_one_question_are_told_once_by_name(tmp_path: Path) -> None:
    lines = [
        plain("a", questions=[asked("Is it wet?", "yes", "q1"), asked("Is it wet?", "no", "q2")]),
        plain("b", questions=[asked("Is it wet?", "no"), asked("How many?", "2", "n"), asked("How many?", "two", "m")]),
        plain("c", photo="b.png", questions=[asked("Is it wet?", "yes")]),
    ]
    file = write(tmp_path, lines)
    first, second = load(str(file)).remarks
    assert first == (
        "graphs.jsonl:1: question q2: 'Is it wet?' has the answer 'no' here and 'yes' in question q1 (and 1 more such "
        "question): neither is asked; correct one of them, or leave it out"
    )
    assert second.startswith(f"2 scenes of graphs:{file} show one picture (b is c")


def test_scenes_of_one_picture_are_told_whatever_their_files_are_called(tmp_path: Path) -> None:
    file = write(tmp_path, [plain(name) for name in "abcd"])
    for name in "bd":
        (tmp_path / f"{name}.png").write_bytes((tmp_path / "a.png").read_bytes())
    source = load(str(file))
    assert source.same_picture == ((0, 1, 3),)
    assert source.corpus.same_picture == {"a": (1, 3), "b": (0, 3), "d": (0, 1)}
    assert source.remarks[0].startswith(f"3 scenes of graphs:{file} show one picture (a is b")
    with pytest.warns(UserWarning, match="show one picture"):
        catalogue.load(f"graphs:{file}")


def test_of_many_photos_only_the_names_are_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_vqamt.data.annotations.MAX_COMPARED", 2)
    file = write(tmp_path, [plain(name) for name in "abc"] + [plain("d", photo="a.png")])
    (tmp_path / "b.png").write_bytes((tmp_path / "a.png").read_bytes())
    assert load(str(file)).same_picture == ((0, 3),)


def test_colons_in_names(tmp_path: Path) -> None:
    folder = tmp_path / "12:30"
    folder.mkdir()
    file = write(folder, [plain("a")], "a:b.jsonl")
    assert len(load(str(file))) == 1
    assert len(load(f"{file}:{folder}")) == 1


def test_the_digest_is_of_the_rows_and_the_photos(tmp_path: Path) -> None:
    rows = [plain("a", objects=[dog()])]
    before = load(str(write(tmp_path, rows))).digest
    assert load(str(write(tmp_path, rows))).digest == before
    rows[0]["objects"][0]["name"] = "cat"
    assert load(str(write(tmp_path, rows))).digest != before
    rows[0]["objects"][0]["name"] = "dog"
    file = write(tmp_path, rows)
    Image.effect_noise((24, 16), 50).convert("RGB").save(tmp_path / "a.png")
    assert load(str(file)).digest != before


def test_masks(tmp_path: Path) -> None:
    mask = [[2, 3, 12, 3, 12, 11, 2, 11], [20, 0, 24, 0, 24, 16, 20, 16]]
    point = [[3.1, 3.1, 3.4, 3.1, 3.4, 3.4]]
    rows = [plain("a", objects=[dog(mask=mask), dog(id="e"), dog(id="f", mask=point)])]
    source = load(str(write(tmp_path, rows)))
    scene = source.scene(0)
    assert [thing.has_mask for thing in scene.objects] == [True, False, True]
    image = source.mask(scene.photo, "d")
    assert (image.mode, image.size) == ("L", (24, 16))
    covered = np.zeros((16, 24), dtype=np.uint8)
    covered[3:11, 2:12] = covered[:, 20:] = 255
    assert np.array_equal(np.asarray(image), covered)
    with pytest.raises(DataError, match=r"graphs\.jsonl:1: Expected a thing with a mask, but got thing_id='e'"):
        source.mask(scene.photo, "e")
    with pytest.raises(DataError, match=r"graphs\.jsonl:1: Expected a mask of one pixel or more"):
        source.mask(scene.photo, "f")


# Lines that cannot be used.


def test_bad_lines_are_named_and_left_out(tmp_path: Path) -> None:
    lines = [
        json.dumps(plain("a")),
        '{"id": "torn", "photo"',
        "",
        json.dumps(plain("b", objects=[dog(box=[30, 0, 5, 5])])),
        json.dumps(plain("a")),
        json.dumps(plain("c", photo="absent.png")),
        json.dumps(plain("d", width=25)),
        json.dumps(plain("e", photo="../a.png")),
        json.dumps(plain("f", photo="text.png")),
        '["g"]',
        '{"id": 1, "id": 2}',
        json.dumps(plain("z", photo="a.png")),
    ]
    write(tmp_path, [plain("a"), plain("b"), plain("d")])
    (tmp_path / "text.png").write_text("no picture")
    file = write(tmp_path, lines)
    source = load(str(file))
    assert [source.scene(index).id for index in range(len(source))] == ["a", "z"]
    starts = [
        "graphs.jsonl:2: Expected JSON, but it breaks off at column 23",
        "graphs.jsonl:4: objects[0].box: Expected a box within the picture of 24 x 16 px, but got box=[30, 0, 5, 5]",
        "graphs.jsonl:5: id: Expected an id of its own, but got id='a': graphs.jsonl:1 has the same",
        f"graphs.jsonl:6: photo: Expected a photo, but there is no file '{tmp_path}/absent.png'",
        f"graphs.jsonl:7: photo: Expected '{tmp_path}/d.png' to be 25 x 16 px, as its record says, but got size=24 x",
        f"graphs.jsonl:8: photo: Expected the name of a photo within '{tmp_path}', but got name='../a.png'",
        "graphs.jsonl:9: photo: Expected a photo (JPEG, PNG, GIF, WEBP, BMP, TIFF, PPM), but ",
        "graphs.jsonl:10: Expected a JSON object, but got record=['g']",
        "graphs.jsonl:11: Expected each key of an object once, but got 'id' twice",
    ]
    assert len(source.bad_records) == len(starts)
    for said, start in zip(source.bad_records, starts, strict=True):
        assert said.startswith(start)
        assert len(said.splitlines()) == 1


def test_an_id_of_a_line_that_cannot_be_used_is_free(tmp_path: Path) -> None:
    file = write(tmp_path, [plain("a")])
    file.write_text(f"{json.dumps(plain('a', size=3))}\n{json.dumps(plain('a'))}\n")
    assert len(bad(file)) == 1
    assert len(load(str(file))) == 1


def test_byte_order_mark_and_line_ends_of_windows(tmp_path: Path) -> None:
    file = write(tmp_path, [plain("a"), plain("b")])
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes().replace(b"\n", b"\r\n").rstrip())
    source = load(str(file))
    assert [source.scene(index).id for index in (1, 0)] == ["b", "a"]
    assert source.bad_records == ()


def test_signs_that_other_readers_take_for_line_ends(tmp_path: Path) -> None:
    file = write(tmp_path, [plain("a"), plain("b")])
    caption = "A dog.\u2028Another.\x85And another."
    file.write_text(f"{json.dumps(plain('a', captions=[caption]), ensure_ascii=False)}\n{json.dumps(plain('b'))}\n")
    source = load(str(file))
    assert source.scene(0).captions == (caption,)
    assert source.scene(1).id == "b"


def test_a_line_that_is_no_utf_8(tmp_path: Path) -> None:
    file = write(tmp_path, [plain("a")])
    file.write_bytes(file.read_bytes() + b'{"id": "\xe9"}\n')
    assert bad(file) == [
        "graphs.jsonl:2: Expected UTF-8, but got byte 8 wrong (invalid continuation byte): save it as UTF-8"
    ]


def test_a_file_without_a_scene(tmp_path: Path) -> None:
    file = write(tmp_path, [plain("a")])
    for text, said in {
        "": "it is empty",
        "\n \n": "it is empty",
        '{"id": 1}\n{}\n': "none of its 2 can be used: graphs.jsonl:1: photo: Expected a text",
        json.dumps([plain("a")]): "none of its 1 can be used: graphs.jsonl:1: Expected a JSON object",
        json.dumps(plain("a"), indent=1): "used: graphs.jsonl:1: Expected JSON, but it breaks off at column 2 ",
    }.items():
        file.write_text(text)
        with pytest.raises(DataError) as caught:
            load(str(file))
        assert str(caught.value).startswith(
            f"Expected scenes in '{file}', one a line (docs/reference/scene-graphs.md), but "
        )
        assert said in str(caught.value)


def test_what_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="graphs:FILE"):
        load("")
    for absent, why in (
        ("absent.jsonl", "there is no such file"),
        ("absent.jsonl:photos", "there is no such file"),
        (".", "is no file"),
    ):
        with pytest.raises(DataError, match=f"{why}$"):
            load(str(tmp_path / absent))
    with pytest.raises(DataError, match=r"it cannot be read \(File name too long\)$"):
        load("x" * 5000)
    (tmp_path / "graphs.jsonl").write_bytes(b"\x1f\x8b\x08 and so on")
    with pytest.raises(DataError, match="is compressed: decompress it"):
        load(str(tmp_path / "graphs.jsonl"))


def test_a_file_that_changes_while_it_is_open(tmp_path: Path) -> None:
    file = write(tmp_path, [plain("a"), plain("b")])
    source = load(str(file))
    write(tmp_path, [plain("b"), plain("a")])
    with pytest.raises(
        DataError, match=r"graphs\.jsonl:2: Expected the scene 'b', but got id='a': the file has changed"
    ):
        source.scene(1)
    file.unlink()
    with pytest.raises(DataError, match=r"graphs\.jsonl:1: Expected a record, but the file cannot be read any more"):
        source.scene(0)


def test_a_photo_torn_off_is_found_when_its_scene_is_asked_for(tmp_path: Path) -> None:
    source = load(str(write(tmp_path, [plain("a"), plain("b")])))
    (tmp_path / "b.png").write_bytes((tmp_path / "b.png").read_bytes()[:-5])
    assert source.scene(0).id == "a"
    with pytest.raises(DataError, match=r"b\.png' is truncated"):
        source.scene(1)


# docs/reference/scene-graphs.md.


def test_the_example_of_the_page_works(tmp_path: Path) -> None:
    source = load(str(write(tmp_path, [example()])))
    assert source.bad_records == ()
    scene = source.scene(0)
    assert [thing.name for thing in scene.objects] == ["dog", "umbrella", "woman"]
    assert source.mask(scene.photo, "d").getbbox() == (40, 260, 190, 380)


def test_the_errors_of_the_page_are_what_is_said(tmp_path: Path) -> None:
    (told,) = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    good = example()
    said = []
    for change in range(6):
        row = example()
        if change == 0:
            row["height"] = "480"
        elif change == 1:
            row["objects"][0]["box"] = [700, 260, 150, 120]
        elif change == 2:
            row["objects"][1]["atributes"] = ["red"]
        elif change == 3:
            row["objects"][2]["id"] = "d"
        elif change == 4:
            row["relationships"][0]["subject"] = "x"
        else:
            row["exhaustive"].append("banana")
        write(tmp_path, [good])
        said += bad(write(tmp_path, [json.dumps(row), json.dumps(good)]))
    assert len(said) == 6
    assert [line for line in told.splitlines() if line not in said] == []


def test_every_field_of_the_schema_is_described() -> None:
    named = {"": SCHEMA, **SCHEMA["$defs"]}
    assert [
        f"{place}.{name}"
        for place, each in named.items()
        for name, field in each.get("properties", {}).items()
        if not (field if "description" in field else named[field["$ref"].rpartition("/")[2]]).get("description")
    ] == []


@pytest.mark.skipif(not COCO.is_dir(), reason="../shared/data/coco is not there")
def test_real_photos_with_their_masks(tmp_path: Path) -> None:
    coco = json.loads((COCO / "instances.json").read_text(encoding="utf-8"))
    names = {category["id"]: category["name"] for category in coco["categories"]}
    rows = {
        image["id"]: {
            "id": image["id"], "photo": image["file_name"], "width": image["width"], "height": image["height"],
            "objects": [],
        }
        for image in coco["images"]
    }  # fmt: skip
    for each in coco["annotations"]:
        if not each["iscrowd"]:
            rows[each["image_id"]]["objects"].append(
                {
                    "id": each["id"], "name": names[each["category_id"]], "box": each["bbox"],
                    "mask": each["segmentation"],
                }
            )  # fmt: skip
    file = write(tmp_path, [json.dumps(row) for row in rows.values()])
    source = load(f"{file}:{COCO / 'images'}")
    assert source.bad_records == ()
    assert len(source) == 40
    for index in range(0, 40, 8):
        scene = source.scene(index)
        assert source.photo(scene.photo).size == (scene.width, scene.height)
        for thing in scene.objects:
            x0, y0, x1, y1 = source.mask(scene.photo, thing.id).getbbox() or (0, 0, 0, 0)
            assert Box.from_corners(x0, y0, x1, y1).iou(thing.box) > 0.5
