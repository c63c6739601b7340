"""What hypotheses speak of is made one with each other and with the scene graph of the photo, each case by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.meaning import Entails, Group, Label, Unit, truth
from pytest_vqamt.core.scene import LabelName, LinkedUnit, Thing
from pytest_vqamt.data.snli_ve.rows import HypothesisRow, UnitRow
from pytest_vqamt.data.snli_ve.source import Linking, linking, load
from tests.data.made_coco import write_photos
from tests.data.made_snli_ve import DOG, MAN, graph_row, thing, unit, units_row, write_lines, write_units

HERE = Box(0, 0, 100, 100)
NEARLY_HERE = Box(0, 0, 100, 90)
"""IoU 0.9 with HERE."""
LESS = Box(0, 0, 100, 89)
"""IoU 0.89."""
HALF = Box(0, 0, 100, 50)
"""IoU 0.5, and 50/90 with NEARLY_HERE."""


def said(name: str, *units: tuple[str, str, Box | None], label: LabelName = "entailment") -> HypothesisRow:
    """A hypothesis with units."""
    rows = tuple(UnitRow(object=noun, property=each, box=box) for noun, each, box in units)
    return HypothesisRow(id=name, photo="7.jpg", text="text", label=label, units=rows)


def names(found: Linking) -> list[str]:
    return [each.name for each in found.objects]


def seen(name: str, box: Box, **fields: object) -> Thing:
    return Thing(id=f"g-{name}", name=name, box=box, **fields)  # type: ignore[arg-type]  # each test gives what fits


# What gives a thing.


def test_a_unit_with_a_box_is_a_thing() -> None:
    found = linking([said("h", ("young girl", "stands nearby", HERE))])
    assert found.objects == (
        Thing(id="h 1", name="girl", box=HERE, attributes=("stands nearby",), multi_coloured=True),
    )
    assert found.things == {("h", 0): "h 1"}


@pytest.mark.parametrize(
    "noun",
    ["people", "girls", "two men", "2 females", "three woman", "several children", "man and woman", "group of friends",
     "couple of dogs", "12 cats", "someone", "Somebody", "she", "him", "another", "something", "they"],
)  # fmt: skip
def test_several_things_and_what_says_of_nothing_what_it_is_are_none(noun: str) -> None:
    found = linking([said("h", (noun, "runs", HERE), ("dog", "", HALF))])
    assert names(found) == ["dog"]
    assert found.things == {("h", 1): "h 2"}


@pytest.mark.parametrize(
    ("noun", "name"),
    [("one of the men", "man"), ("scissors", "scissors"), ("pair of glasses", "glasses"), ("glass of water", "glass"),
     ("Bowling Ball", "ball"), ("couple", "couple"), ("bus", "bus")],
)  # fmt: skip
def test_one_thing_is_called_by_its_head_noun(noun: str, name: str) -> None:
    assert names(linking([said("h", (noun, "", HERE))])) == [name]


@pytest.mark.parametrize("label", ["neutral", "contradiction"])
def test_what_is_not_entailed_tells_of_nothing(label: LabelName) -> None:
    row = said("h", ("dog", "sleeps", HERE), label=label)
    found = linking([row])
    assert found.objects == ()
    assert found.hypothesis(row).units == (LinkedUnit(object="dog", property="sleeps"),)


def test_a_unit_without_a_box_is_not_linked() -> None:
    row = said("h", ("dog", "sleeps", None), ("cat", "", HERE))
    found = linking([row])
    assert names(found) == ["cat"]
    assert [each.thing for each in found.hypothesis(row).units] == ["", "h 2"]


# One thing of several units.


def test_units_of_several_hypotheses_about_one_thing() -> None:
    rows = [said("a", ("dog", "runs", HERE)), said("b", ("brown dog", "is happy", NEARLY_HERE), ("dog", "runs", HERE))]
    found = linking(rows)
    assert [(each.id, each.box, each.attributes) for each in found.objects] == [("a 1", HERE, ("runs", "is happy"))]
    assert set(found.things.values()) == {"a 1"}
    assert len(found.things) == 3


def test_boxes_that_overlap_less_are_of_two() -> None:
    found = linking([said("a", ("dog", "runs", HERE)), said("b", ("dog", "sits", LESS))])
    assert [each.attributes for each in found.objects] == [("runs",), ("sits",)]


@pytest.mark.parametrize(
    ("one", "other", "is_one"),
    [("boy", "child", True), ("man", "person", True), ("bike", "bicycle", True), ("animal", "dog", True),
     ("skateboarder", "person", True), ("man", "woman", False), ("man", "boat", False), ("gizmo", "gadget", False)],
)  # fmt: skip
def test_two_names_may_be_those_of_one_thing(one: str, other: str, is_one: bool) -> None:
    found = linking([said("a", (one, "", HERE)), said("b", (other, "", NEARLY_HERE))])
    assert names(found) == ([one] if is_one else [one, other])


def test_the_box_is_around_all_of_them() -> None:
    moved = Box(2, 2, 100, 100)  # 98 * 98 / (20,000 - 98 * 98) = 0.92
    assert linking([said("a", ("dog", "", HERE)), said("b", ("dog", "", moved))]).objects[0].box == Box(0, 0, 102, 102)


def test_of_two_that_fit_the_nearer_one() -> None:
    first, second, third = Box(0, 0, 100, 100), Box(0, 11, 100, 100), Box(0, 4, 100, 100)
    # 89/111 = 0.80 between the first two; the third has 96/104 = 0.92 with the first and 93/107 = 0.87 with the second.
    found = linking([said(name, ("dog", name, box)) for name, box in (("a", first), ("b", second), ("c", third))])
    assert [each.attributes for each in found.objects] == [("a", "c"), ("b",)]


# With the scene graph.


def test_a_thing_of_the_scene_graph_is_what_the_unit_speaks_of() -> None:
    outlined = seen("person", HERE, attributes=("standing",), has_mask=True, synset="person.n.01")
    tree = seen("tree", Box(200, 0, 50, 100), synset="tree.n.01")
    row = said("h", ("young girl", "waves", HALF))
    found = linking([row], [tree, outlined])
    assert found.objects == (
        tree,
        Thing(
            id="g-person", name="girl", box=HERE, attributes=("standing", "waves"), has_mask=True, multi_coloured=True
        ),
    )
    assert found.hypothesis(row).units[0].thing == "g-person"


def test_without_a_mask_it_is_as_large_as_both_boxes() -> None:
    found = linking([said("h", ("dog", "", Box(0, 0, 100, 60)))], [seen("dog", HALF, synset="dog.n.01")])
    assert found.objects == (
        Thing(id="g-dog", name="dog", box=Box(0, 0, 100, 60), synset="dog.n.01", multi_coloured=True),
    )


def test_boxes_that_overlap_less_than_half_or_names_that_differ_are_of_two() -> None:
    less = Box(0, 0, 100, 49)
    assert names(linking([said("h", ("dog", "", less))], [seen("dog", HERE)])) == ["dog", "dog"]
    assert names(linking([said("h", ("dog", "", HERE))], [seen("car", HERE)])) == ["car", "dog"]


def test_of_two_things_of_the_scene_graph_the_nearer_one() -> None:
    far, near = seen("person", HALF), seen("man", NEARLY_HERE)
    assert linking([said("h", ("man", "", HERE))], [far, near]).things == {("h", 0): "g-man"}


def test_units_that_differ_a_little_are_one_by_the_scene_graph() -> None:
    rows = [said("a", ("man", "sits", HERE)), said("b", ("person", "reads", Box(0, 0, 100, 70)))]  # IoU 0.7
    assert names(linking(rows)) == ["man", "person"]
    found = linking(rows, [seen("person", Box(0, 0, 100, 85))])
    assert [(each.id, each.name, each.attributes) for each in found.objects] == [
        ("g-person", "man", ("sits", "reads"))
    ]  # fmt: skip
    assert found.objects[0].box == HERE
    assert set(found.things.values()) == {"g-person"}


def test_two_who_embrace_are_two_though_a_detector_saw_one() -> None:
    left, right = Box(0, 0, 60, 100), Box(40, 0, 60, 100)
    found = linking([said("h", ("girl", "hugs", left), ("girl", "is hugged", right))], [seen("person", HERE)])
    assert found.things == {("h", 0): "g-person", ("h", 1): "h 2"}
    assert names(found) == ["girl", "girl"]


def test_ids_of_the_scene_graph_are_not_taken_again() -> None:
    taken = Thing(id="h 1", name="car", box=HALF)
    assert [each.id for each in linking([said("h", ("dog", "", HERE))], [taken]).objects] == ["h 1", "h 1'"]


# From files.


def test_scene_graphs_give_the_other_things(tmp_path: Path) -> None:
    write_photos(tmp_path / "images", "7.jpg")
    outline = [[10, 10, 40, 10, 40, 70, 10, 70]]
    graph = graph_row(
        thing("p", "person", [10, 10, 30, 58], mask=outline, attributes=["tall"]),
        thing("t", "tree", [60, 0, 30, 30]),
        regions=[{"name": "leaf", "box": [0, 70, 90, 10]}],
        relationships=[{"subject": "p", "predicate": "beside", "object": "t"}],
        exhaustive=["tree"],
        captions=["A park."],
    )
    write_lines(tmp_path / "images" / "graphs.jsonl", [graph])
    source = load(str(write_units(tmp_path)))
    scene = source.scene(0)
    assert [(each.id, each.name, each.has_mask) for each in scene.objects] == [
        ("p", "man", True), ("t", "tree", False), ("7.jpg#0r1e 2", "dog", False),
    ]  # fmt: skip
    assert scene.thing("p").attributes == ("tall", "plays with a dog")
    assert [each.thing for each in scene.hypotheses[0].units] == ["p", "7.jpg#0r1e 2"]
    assert (scene.exhaustive, scene.captions) == (frozenset(), ("A park.",))
    assert (scene.regions[0].name, scene.relationships[0].predicate) == ("leaf", "beside")
    assert source.mask(scene.photo, "p").getbbox() == (10, 10, 40, 70)
    with pytest.raises(DataError, match="thing_id='t'"):
        source.mask(scene.photo, "t")
    assert source.description.endswith("about 1 photos, 1 scene graphs")
    assert source.corpus.cutouts["man"][0].thing == "p"


@pytest.mark.parametrize("name", ["7.jpg", "flickr30k-images/7.jpg"])
def test_scene_graphs_may_lie_beside_the_hypotheses_and_without_photos(tmp_path: Path, name: str) -> None:
    rows = [graph_row(thing("t", "tree", [60, 0, 30, 30]), photo=name), graph_row(photo="of-another.jpg")]
    write_lines(tmp_path / "graphs.jsonl", rows)
    source = load(str(write_units(tmp_path)))
    scene = source.scene(0)
    assert [each.name for each in scene.objects] == ["tree", "man", "dog"]
    assert (scene.id, scene.width, scene.height) == ("7", 100, 80)
    assert len(source) == 1
    assert source.description.endswith("about 1 photos, 2 scene graphs, no photos")


def test_the_digest_changes_with_the_scene_graphs(tmp_path: Path) -> None:
    plain = load(str(write_units(tmp_path))).digest
    write_lines(tmp_path / "graphs.jsonl", [graph_row()])
    assert load(str(tmp_path)).digest != plain


def test_what_linked_units_say_is_entailed_and_contradicted_once_a_thing_is_erased(tmp_path: Path) -> None:
    row = units_row("q", unit("man", "plays", MAN), unit("dog", "", DOG), unit("people", "", [0, 0, 9, 9]))
    scene = load(str(write_units(tmp_path, row))).scene(0)
    linked = [each for each in scene.hypotheses[0].units if each.thing]
    meaning = Entails(
        units=tuple(
            Unit(group=Group(name=scene.thing(each.thing).name, attributes=(each.property,) if each.property else ()))
            for each in linked
        )
    )
    assert truth(meaning, scene) is Label.ENTAILMENT
    for each in linked:
        assert truth(meaning, scene.picture.erase(scene.thing(each.thing).box).scene) is Label.CONTRADICTION
