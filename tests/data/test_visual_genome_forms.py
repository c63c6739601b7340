"""Each published form of Visual Genome gives the same scene, and its words and boxes are cleaned."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.scene import Relationship, Thing
from tests.data.made_visual_genome import Json, graph, load, one, related, scenes, sized, thing, write
from tests.rows import each_row


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VQAMT_CACHE_HOME", str(tmp_path / "home"))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder that says that images 1 to 5 are of 20 x 10 px."""
    return sized(tmp_path / "data")


WHOLE = graph(
    1,
    thing(7, "man", attributes=["tall", "old"], synsets=["man.n.01"]),
    thing(8, "horse", 10, synsets=["horse.n.01"]),
    relationships=[related(7, "RIDING", 8)],
)
EXPECTED_THINGS = (
    Thing(id="7", name="man", box=Box(1, 2, 3, 4), attributes=("tall", "old"), synset="man.n.01", multi_coloured=True),
    Thing(id="8", name="horse", box=Box(10, 2, 3, 4), synset="horse.n.01", multi_coloured=True),
)
EXPECTED_RELATIONSHIPS = (Relationship(subject="7", predicate="riding", object="8"),)


def without_attributes(record: Json) -> Json:
    bare = [{key: value for key, value in each.items() if key != "attributes"} for each in record["objects"]]
    return {"image_id": record["image_id"], "image_url": "https://example.org/1.jpg", "objects": bare}


def nested(record: Json) -> Json:
    """As relationships.json has it: whole things, with one name each."""
    man, horse = ({**each, "name": each["names"][0]} for each in record["objects"])
    del man["names"]
    ends = {"subject": man, "object": horse}
    return {"image_id": record["image_id"], "relationships": [{"relationship_id": 1, "predicate": "RIDING", **ends}]}


def version_1_0(record: Json) -> dict[str, Json]:
    """The three files of version 1.0, where ids are "id", and attributes have "object_names"."""
    things = [
        {"id": each["object_id"], "name": each["names"][0], **{key: each[key] for key in "xywh"}}
        for each in record["objects"]
    ]
    man = {"id": 7, "object_names": ["man"], "attributes": ["tall", "old"], "x": 1, "y": 2, "w": 3, "h": 4}
    synsets = [{"synset_name": "man.n.01"}], [{"synset_name": "horse.n.01"}]
    objects = [{**each, "synsets": synset} for each, synset in zip(things, synsets, strict=True)]
    ends = {"subject": things[0], "object": things[1]}
    return {
        "objects": {"id": 1, "objects": objects},
        "attributes": {"id": 1, "attributes": [man]},
        "relationships": {"id": 1, "relationships": [{"id": 5, "predicate": "Riding", **ends}]},
    }


FORMS: dict[str, dict[str, Json]] = {
    "scene_graphs.json": {"scene_graphs": WHOLE},
    "compressed": {"scene_graphs.json.gz": WHOLE},
    "three files": {
        "objects": without_attributes(WHOLE),
        "attributes": {"image_id": 1, "attributes": WHOLE["objects"]},
        "relationships": nested(WHOLE),
    },
    "three files, one compressed, with ids": {
        "objects": without_attributes(WHOLE),
        "attributes.json.gz": {"image_id": 1, "attributes": [{"object_id": 7, "attributes": ["tall", "old"]}]},
        "relationships": {"image_id": 1, "relationships": WHOLE["relationships"]},
    },
    "version 1.0": version_1_0(WHOLE),
    "numbers as texts": {
        "scene_graphs": {
            **WHOLE,
            "image_id": "1",
            "objects": [
                {**each, "object_id": str(each["object_id"]), **{key: str(each[key]) for key in "xywh"}}
                for each in WHOLE["objects"]
            ],
        }
    },
    "no synset, null attributes": {
        "scene_graphs": {
            **WHOLE,
            "objects": [WHOLE["objects"][0], {**WHOLE["objects"][1], "attributes": None}],
        }
    },
}


@each_row("form", FORMS)
def test_every_published_form_gives_the_same_scene(data: Path, form: str) -> None:
    for name, record in FORMS[form].items():
        write(data, name if name.endswith(".gz") else f"{name}.json", [record])
    source = load(data)
    assert source.bad_records == ()
    scene = source.scene(0)
    assert (scene.id, scene.photo.id, scene.width, scene.height) == ("1", "1.jpg", 20, 10)
    assert scene.objects == EXPECTED_THINGS
    assert scene.relationships == EXPECTED_RELATIONSHIPS


def test_three_files_may_be_in_three_orders(data: Path) -> None:
    write(data, "objects.json", [graph(n, thing(n)) for n in (1, 2, 3, 4, 5)])
    attributes = [
        {"image_id": n, "attributes": [{"object_id": n, "attributes": [f"number {n}"]}]} for n in (4, 1, 5, 2)
    ]
    write(data, "attributes.json", attributes)
    nested_things = [{"image_id": n, "relationships": [related(n, "near", n)]} for n in (5, 4, 3, 2, 1)]
    write(data, "relationships.json", nested_things)
    source = load(data)
    assert source.bad_records == ()
    assert [scene.objects[0].attributes for scene in scenes(source)] == [
        ("number 1",), ("number 2",), (), ("number 4",), ("number 5",),
    ]  # fmt: skip


def test_objects_alone_are_scenes(data: Path) -> None:
    assert load(write(data, "objects.json", [graph(1)])).scene(0).objects[0].name == "cat"


def test_things_told_only_beside_the_list_of_objects_are_there(data: Path) -> None:
    write(data, "objects.json", [graph(1, thing(7, "man"))])
    write(data, "attributes.json", [{"image_id": 1, "attributes": [thing(9, "hat", 8, attributes=["red"])]}])
    ends = {"subject": thing(7, "man"), "object": thing(8, "horse", 10)}
    write(data, "relationships.json", [{"image_id": 1, "relationships": [{"predicate": "on", **ends}]}])
    scene = load(data).scene(0)
    assert [(each.id, each.name, each.attributes) for each in scene.objects] == [
        ("7", "man", ()), ("9", "hat", ("red",)), ("8", "horse", ()),
    ]  # fmt: skip
    assert scene.relationships == (Relationship(subject="7", predicate="on", object="8"),)


def test_ids_merged_at_publication_lead_to_what_they_are_now(data: Path) -> None:
    write(data, "objects.json", [graph(1, thing(1, "sidewalk", merged_object_ids=[5046]), thing(2, "man", 10))])
    ends = {"subject": thing(2, "man", 10), "object": thing(5046, "street")}
    write(data, "relationships.json", [{"image_id": 1, "relationships": [{"predicate": "on", **ends}]}])
    scene = load(data).scene(0)
    assert [each.id for each in scene.objects] == ["1", "2"]
    assert scene.relationships == (Relationship(subject="2", predicate="on", object="1"),)


def test_words_lose_capitals_and_punctuation(data: Path) -> None:
    objects = (thing(1, " Stop-Sign. ", attributes=["RED,", "red", " ", "man's"]), thing(2, "T-shirt", 10))
    scene = one(data, *objects, relationships=[related(1, "Next  To", 2), related(2, "", 1)])
    assert scene.objects[0].name == "stop-sign"
    assert scene.objects[0].attributes == ("red", "man's")
    assert scene.objects[1].name == "t-shirt"
    assert scene.relationships == (Relationship(subject="1", predicate="next to", object="2"),)


def test_a_box_is_cut_to_the_picture(data: Path) -> None:
    objects = (thing(1, "cat", -2, -3, 5, 6), thing(2, "dog", 15, 5, 100, 100), thing(3, "cow", "-1", "2.5", 4, 4))
    assert [each.box for each in one(data, *objects).objects] == [Box(0, 0, 3, 3), Box(15, 5, 5, 5), Box(0, 2.5, 3, 4)]
