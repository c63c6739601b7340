"""A thing that the hypothesis does not speak of can be erased: it is entailed all the same."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.meaning import Label, truth
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.execution.plan import Plan, Sampling
from pytest_vqamt.picture_world.source import PictureWorld
from pytest_vqamt.relations.veglue import UnlinkedErase
from pytest_vqamt.sampling.chooser import Sampler
from tests.making import scene_of, thing_of
from tests.relations.veglue.rooms import ROOM, groups, photo, said, unit
from tests.relations.veglue.tables import derived

pytestmark = pytest.mark.usefixtures("small_things_are_salient")

MR3 = UnlinkedErase()


def pairs(scene: Scene, relation: UnlinkedErase = MR3, draws: int = 120) -> set[tuple[object, frozenset[str]]]:
    """What is erased, with the names that the hypothesis speaks of."""
    return {
        (
            case.fact("erased"),
            frozenset(each.name for it in groups(case.queries[0]) for each in (it, *(link.to for link in it.related))),
        )
        for case in derived(relation, scene, draws=draws)
    }


def test_a_case_puts_the_same_of_the_picture_without_something_else() -> None:
    for case in derived(MR3, ROOM):
        first, second = case.queries
        assert (first.text, first.meaning) == (second.text, second.meaning)
        assert first.picture == ROOM.picture
        assert [truth(query.meaning, query.picture.scene) for query in case.queries] == [Label.ENTAILMENT] * 2
        assert len(second.picture.scene.objects) == 3
        assert (case.expected, case.is_presumed) == ("second is entailment", False)
    found = pairs(ROOM)
    assert {gone for gone, _ in found} == {"man", "cup", "table", "dog"}
    assert all(gone not in names for gone, names in found)
    assert max(len(names) for _, names in found) == 3


def test_what_is_erased_goes_by_no_name_of_the_hypothesis() -> None:
    names = ("apple", "apple", "dog")
    assert pairs(scene_of(*names, exhaustive=names)) == {
        ("apple", frozenset({"dog"})),
        ("dog", frozenset({"apple"})),
    }
    assert pairs(scene_of("dog", "puppy")) == set()


def test_what_is_erased_is_no_part_or_garment_of_what_is_spoken_of() -> None:
    assert pairs(scene_of("man", "shirt")) == set()
    assert pairs(scene_of("zebra", "head", "tree")) == {
        ("zebra", frozenset({"tree"})),
        ("tree", frozenset({"zebra"})),
        ("head", frozenset({"tree"})),
    }


def test_what_nobody_speaks_of_can_be_erased() -> None:
    scene = scene_of("scissors", "dog", exhaustive=("scissors", "dog"))
    assert pairs(scene) == {("scissors", frozenset({"dog"}))}


def test_what_is_too_small_to_be_missed_is_erased_where_there_is_nothing_else() -> None:
    dog, car = thing_of("dog", id="d", box=Box(0, 0, 40, 40)), thing_of("car", id="c", box=Box(60, 0, 2, 2))
    assert ("car", frozenset({"dog"})) in pairs(scene_of(dog, car))
    with_a_tree = scene_of(dog, car, thing_of("tree", id="t", box=Box(100, 0, 40, 60)))
    assert {name for name, _ in pairs(with_a_tree)} == {"dog", "tree"}


# ---- hypotheses of the data set

STREET = photo(
    Thing(id="d", name="dog", box=Box(0, 0, 40, 40), attributes=("is running",)),
    Thing(id="c", name="car", box=Box(100, 0, 40, 40)),
    Thing(id="p", name="puppy", box=Box(150, 0, 40, 40)),
    Thing(id="b", name="bench", box=Box(0, 60, 40, 30)),
    hypotheses=(said("a dog is running near a bench.", unit("dog", "is running near a bench", "d")),),
)


def test_what_the_text_names_in_whatever_place_is_not_erased() -> None:
    # The bench is in the property alone.
    assert pairs(STREET) == {("car", frozenset({"dog"}))}


def test_what_overlaps_a_linked_box_is_linked() -> None:
    # IoU with the dog's box: 400 / (1600 + 1600 - 400) = 0.14, and as a share of the dog 0.25; then none.
    near = replace(STREET, objects=(STREET.objects[0], thing_of("car", id="c", box=Box(30, 0, 40, 40))))
    assert pairs(near) == set()
    assert pairs(near, UnlinkedErase(overlap="iou")) == set()
    # 200 / 3000 = 0.07 of both, and 0.125 of the dog: by IoU it may be erased.
    nearer = replace(STREET, objects=(STREET.objects[0], thing_of("car", id="c", box=Box(35, 0, 40, 40))))
    assert pairs(nearer) == set()
    assert pairs(nearer, UnlinkedErase(overlap="iou")) == {("car", frozenset({"dog"}))}


def test_it_must_be_known_where_all_is_that_the_text_speaks_of() -> None:
    text = said("a dog and two cats.", unit("dog", "", "d"), unit("cats"))
    scene = replace(STREET, hypotheses=(text,))
    assert pairs(scene) == set()
    assert pairs(scene, UnlinkedErase(overlap="iou")) == {("car", frozenset({"dog"})), ("bench", frozenset({"dog"}))}


@pytest.mark.parametrize(
    ("text", "is_placed"),
    [
        ("a dog is running from a stick.", False),
        ("a dog is running on the street.", True),
        ("a dog is running with a bench.", True),
        ("a dog can run and watch.", True),
    ],
)
def test_so_must_it_be_of_what_is_no_unit(text: str, *, is_placed: bool) -> None:
    scene = replace(STREET, hypotheses=(said(text, unit("dog", "is running", "d")),))
    assert ("car" in {name for name, _ in pairs(scene)}) is is_placed


def test_in_the_picture_world_what_is_spoken_of_is_there_before_and_after(world: PictureWorld) -> None:
    sampling = Sampling(max_cases=80, sampler=Sampler.RANDOM)
    for case in Plan(relation=MR3, variant="", source=world, sampling=sampling):
        before, after = (query.picture.scene for query in case.queries)
        assert [truth(query.meaning, query.picture.scene) for query in case.queries] == [Label.ENTAILMENT] * 2
        assert [thing.name for thing in before.objects if thing not in after.objects] == [case.fact("erased")]
        assert case.fact("erased") not in {group.name for group in groups(case.queries[0])}
