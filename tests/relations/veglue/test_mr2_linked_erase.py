"""Erased from the picture, a thing that the hypothesis speaks of makes it contradict."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.edits import Erase, Fill
from pytest_vqamt.core.meaning import Label, truth
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import LabelName, Scene, Thing
from pytest_vqamt.execution.plan import Plan, Sampling
from pytest_vqamt.picture_world.source import PictureWorld
from pytest_vqamt.relations.veglue import LinkedErase
from pytest_vqamt.sampling.chooser import Sampler
from tests.making import scene_of, thing_of
from tests.relations.veglue.rooms import RIFLE, ROOM, groups, photo, said, unit
from tests.relations.veglue.tables import derived
from tests.rows import each_row

pytestmark = pytest.mark.usefixtures("small_things_are_salient")

MR2 = LinkedErase()


def erased(scene: Scene, relation: LinkedErase = MR2) -> set[object]:
    return {case.fact("erased") for case in derived(relation, scene)}


def test_a_case_puts_the_same_before_and_after() -> None:
    found = derived(MR2, ROOM)
    for case in found:
        first, second = case.queries
        assert (first.text, first.meaning) == (second.text, second.meaning)
        assert (first.task, second.task) == (Task.ENTAILMENT, Task.ENTAILMENT)
        assert first.picture == ROOM.picture
        assert [truth(query.meaning, query.picture.scene) for query in case.queries] == [
            Label.ENTAILMENT,
            Label.CONTRADICTION,
        ]
        assert (case.expected, case.is_presumed) == ("second is contradiction", False)
    assert erased(ROOM) == {"man", "cup", "table", "dog"}


def test_what_stands_beside_something_is_linked_as_well() -> None:
    found = [case for case in derived(MR2, ROOM) if "holding" in case.queries[0].text]
    assert {"man", "cup"} <= {case.fact("erased") for case in found}


def test_facts_tell_what_was_erased_and_how_it_stood_to_all_others() -> None:
    (case, *_) = derived(MR2, ROOM)
    assert {name for name, _ in case.facts} == {"erased", "near", "similar", "related", "shape", "units", "wording"}
    assert {case.fact("units") for case in derived(MR2, ROOM)} == {1, 2, 3, 4}


def test_only_the_one_thing_of_its_name_is_erased() -> None:
    names = ("apple", "banana")
    assert erased(scene_of("apple", "apple", "banana", exhaustive=names)) == {"banana"}
    # A property is not trusted to tell it apart.
    assert erased(scene_of("red apple", "green apple", "banana", exhaustive=names)) == {"banana"}


def test_nothing_is_erased_by_whose_name_another_thing_or_crowd_could_go() -> None:
    assert erased(scene_of("dog", "puppy", "car")) == {"car"}
    assert erased(scene_of("bear", "teddy_bear", "car", exhaustive=("bear", "teddy bear", "car"))) == {"car"}
    assert erased(scene_of("dog", "car", crowds=("dog",), exhaustive=("dog", "car"))) == {"car"}
    # Whether a thingamajig is a dog, nobody can tell.
    assert erased(scene_of("dog", "thingamajig")) == set()


def test_of_what_is_nearly_everywhere_there_may_be_more() -> None:
    assert erased(scene_of("wall", "dog")) == {"dog"}
    assert erased(scene_of("wall", "dog", exhaustive=("wall", "dog"))) == {"wall", "dog"}


@each_row("place", ["store", "court", "beach", "mountain", "street", "bathroom", "house"])
def test_of_a_place_a_patch_is_not_all(place: str) -> None:
    assert erased(scene_of(place, "dog")) == {"dog"}


def test_what_stands_on_its_own_is_no_place() -> None:
    names = ("table", "statue", "boat", "tree", "tent")
    assert erased(scene_of(*names)) == set(names)


def test_a_white_patch_is_no_book() -> None:
    scene = scene_of("book", "dog", exhaustive=("book", "dog"))
    assert erased(scene) == {"book", "dog"}
    assert erased(scene, LinkedErase(erase="white")) == {"dog"}


def test_what_is_slim_is_not_erased() -> None:
    slim = replace(ROOM, objects=(replace(ROOM.objects[0], box=Box(0, 0, 5, 60)), *ROOM.objects[1:]))
    assert erased(slim) == {"cup", "table", "dog"}


def test_it_is_presumed_where_another_may_be_there_without_being_annotated() -> None:
    assert all(case.is_presumed for case in derived(MR2, scene_of("apple", "dog")))


OVERLAPPING = scene_of(
    thing_of("table", id="table", box=Box(0, 0, 100, 50)),
    thing_of("cup", id="cup", box=Box(40, 20, 16, 16)),
    exhaustive=("table", "cup"),
)
"""All of the cup lies in the table's box, and their IoU is 0.05."""


def test_the_published_rule_is_a_setting() -> None:
    assert erased(OVERLAPPING) == {"cup"}
    assert erased(OVERLAPPING, LinkedErase(overlap="iou")) == {"cup", "table"}
    # 0.2 is the most: of a cup of 0.3 of the table neither.
    large = replace(OVERLAPPING, objects=(OVERLAPPING.objects[0], thing_of("cup", id="cup", box=Box(0, 0, 50, 30))))
    assert erased(large, LinkedErase(overlap="iou")) == set()
    less = replace(OVERLAPPING, objects=(OVERLAPPING.objects[0], thing_of("cup", id="cup", box=Box(0, 0, 40, 25))))
    assert erased(less, LinkedErase(overlap="iou")) == {"cup", "table"}


def test_it_inpaints_unless_it_is_set_otherwise() -> None:
    for relation, fill in ((MR2, Fill.INPAINT), (LinkedErase(erase="white"), Fill.WHITE)):
        edits = [edit for case in derived(relation, ROOM) for edit in case.queries[1].picture.edits]
        assert {edit.fill for edit in edits if isinstance(edit, Erase)} == {fill}


# ---- hypotheses of the data set


def test_a_published_hypothesis_is_put_as_it_is() -> None:
    found = derived(MR2, RIFLE)
    assert {case.fact("erased") for case in found} == {"man", "rifle"}
    for case in found:
        assert [query.text for query in case.queries] == ["the man is aiming his rifle at something."] * 2
        assert [truth(query.meaning, query.picture.scene) for query in case.queries] == [
            Label.ENTAILMENT,
            Label.CONTRADICTION,
        ]
        assert (case.fact("shape"), case.fact("units"), case.is_presumed) == ("published", 2, True)


def dog_photo(text: str, *others: Thing) -> Scene:
    dog = Thing(id="d", name="dog", box=Box(0, 0, 40, 40), attributes=("is running",))
    return photo(dog, *others, hypotheses=(said(text, unit("dog", "is running", "d")),))


def test_nothing_else_that_the_text_or_the_scene_names_could_be_meant() -> None:
    assert erased(dog_photo("a dog is running.")) == {"dog"}
    assert erased(dog_photo("a dog is running from an animal.")) == set()
    assert erased(dog_photo("a dog is running.", thing_of("puppy", id="p", box=Box(60, 0, 40, 40)))) == set()
    assert erased(dog_photo("a dog is running.", thing_of("car", id="p", box=Box(60, 0, 40, 40)))) == {"dog"}


@pytest.mark.parametrize("text", ["a dog watches a boy walk down a street.", "the dog can walk outside."])
def test_what_is_no_noun_names_nothing(text: str) -> None:
    # A watch, a walk, down, a can, the outside and a step are things in WordNet.
    assert erased(dog_photo(text)) == {"dog"}


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("people are bike riding.", False),
        ("people ride a bike.", True),
        ("a man and bike.", True),
        ("bike on a street.", True),
        ("a man rides his bike.", True),
    ],
)
def test_what_is_erased_is_said_to_be_one(text: str, *, is_one: bool) -> None:
    bike = Thing(id="b", name="bike", box=Box(0, 0, 40, 40))
    scene = photo(bike, hypotheses=(said(text, unit("bike", "", "b")),))
    assert erased(scene) == ({"bike"} if is_one else set())


def test_one_thing_may_have_two_names() -> None:
    boy = Thing(id="b", name="boy", box=Box(0, 0, 40, 90), attributes=("is outside", "is running"))
    scene = photo(
        boy,
        hypotheses=(
            said("a child is outside.", unit("child", "is outside", "b")),
            said("the boy is running.", unit("boy", "is running", "b"), id="h2"),
        ),
    )
    texts = {case.queries[0].text for case in derived(MR2, scene)}
    assert texts == {"a child is outside.", "the boy is running."}
    assert groups(derived(MR2, scene)[0].queries[0])[0].name == "boy"


@pytest.mark.parametrize("label", ["neutral", "contradiction"])
def test_only_entailed_hypotheses_are_put(label: LabelName) -> None:
    scene = replace(RIFLE, hypotheses=tuple(replace(each, label=label) for each in RIFLE.hypotheses))
    assert derived(MR2, scene) == []


def test_in_the_picture_world_the_label_turns(world: PictureWorld) -> None:
    sampling = Sampling(max_cases=200, sampler=Sampler.RANDOM)
    shapes = set()
    for case in Plan(relation=MR2, variant="", source=world, sampling=sampling):
        before, after = (query.picture.scene for query in case.queries)
        assert [truth(query.meaning, query.picture.scene) for query in case.queries] == [
            Label.ENTAILMENT,
            Label.CONTRADICTION,
        ]
        assert [thing.name for thing in before.objects if thing not in after.objects] == [case.fact("erased")]
        assert all(thing.name != case.fact("erased") for thing in after.objects)
        shapes.add(case.fact("shape"))
    assert shapes == {"name", "attribute", "relation"}
