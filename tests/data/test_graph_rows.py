"""A row is read as its scene and written back, and the schema says the same of rows as the reader."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.scene import Photo, PublishedQuestion, Region, Relationship, Scene, Thing
from pytest_vqamt.data.own.graphs import FIELDS, Polygons, file_of_row, mask_of_row, row_of_scene, scene_of_row
from tests.core.random_scenes import scenes
from tests.data.own_graphs import Row, example, plain

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
    **{f"no {field}": without(field) for field in FIELDS if field not in ("id", "photo", "width", "height")}
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
    "question of no kind": setting("questions", 0, "kind", to=None),
}

REFUSED: dict[str, tuple[Change, str]] = {
    **{f"no {field}": (without(field), f"{field}: ") for field in ("id", "photo", "width", "height")},
    "id of blanks": (setting("id", to="  "), "id: "),
    "id of 201 characters": (setting("id", to="x" * 201), "id: "),
    "id true": (setting("id", to=True), "id: "),
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
    assert tuple(SCHEMA["properties"]) == FIELDS


@pytest.mark.parametrize("change", TAKEN)
def test_both_take(change: str) -> None:
    row = changed(TAKEN[change])
    assert refusal(row) == ""
    assert [error.message for error in VALIDATOR.iter_errors(row)] == []


@pytest.mark.parametrize("change", REFUSED)
def test_both_refuse(change: str) -> None:
    how, said = REFUSED[change]
    row = changed(how)
    assert refusal(row).startswith(f"{WHERE}: ")
    assert said in refusal(row)
    assert not VALIDATOR.is_valid(row)


@pytest.mark.parametrize("change", FOR_THE_READER_ALONE)
def test_the_reader_alone_refuses(change: str) -> None:
    how, said = FOR_THE_READER_ALONE[change]
    row = changed(how)
    assert refusal(row).startswith(f"{WHERE}: {said}Expected ")
    assert VALIDATOR.is_valid(row)


@pytest.mark.parametrize("row", [[], "dog", 3, None])
def test_no_row(row: object) -> None:
    assert refusal(row).startswith(f"{WHERE}: Expected a JSON object")
    assert not VALIDATOR.is_valid(row)


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


@settings(max_examples=500)
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
