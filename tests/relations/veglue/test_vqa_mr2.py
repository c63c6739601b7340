"""Erased from the picture, the only thing that a question needs turns its yes into no."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.meaning import Both, Exists, Group, truth
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.execution.plan import Plan, Sampling
from pytest_vqamt.picture_world.source import PictureWorld
from pytest_vqamt.relations.veglue import VqaMr2
from pytest_vqamt.sampling.chooser import Sampler
from tests.making import scene_of
from tests.relations.veglue.tables import FRUIT, WITH_DISH, derived

pytestmark = pytest.mark.usefixtures("small_things_are_salient")

MR2 = VqaMr2()


def erased(scene: Scene, relation: VqaMr2 = MR2) -> set[object]:
    return {case.fact("erased") for case in derived(relation, scene)}


def test_a_case_asks_the_same_before_and_after() -> None:
    apple, banana = Group(name="apple"), Group(name="banana")
    found = derived(MR2, FRUIT)
    assert {(case.fact("erased"), case.queries[0].meaning) for case in found} == {
        ("apple", Exists(group=apple)),
        ("banana", Exists(group=banana)),
        *((name, Both(groups=pair)) for name in ("apple", "banana") for pair in ((apple, banana), (banana, apple))),
    }
    for case in found:
        first, second = case.queries
        assert (first.text, first.meaning) == (second.text, second.meaning)
        assert first.picture == FRUIT.picture
        assert [thing.name for thing in second.picture.scene.objects] == [
            name for name in ("apple", "banana") if name != case.fact("erased")
        ]
        assert case.expected == "first is yes, second is no"


def test_the_papers_example_is_asked_in_the_singular() -> None:
    # Chang et al., section 6.4: with both present, the answer switches from yes to no.
    case = next(
        case
        for case in derived(MR2, FRUIT)
        if case.queries[0].text == "Is there an apple and a banana in the picture?" and case.fact("erased") == "banana"
    )
    assert [truth(query.meaning, query.picture.scene) for query in case.queries] == [True, False]


def test_only_the_one_thing_of_its_name_is_erased() -> None:
    assert erased(scene_of("apple", "apple", "banana", exhaustive=("apple", "banana"))) == {"banana"}


def test_nothing_is_erased_by_whose_name_another_thing_or_crowd_could_go() -> None:
    assert erased(scene_of("dog", "puppy", "car")) == {"car"}
    assert erased(scene_of("bear", "teddy_bear", "car", exhaustive=("bear", "teddy bear", "car"))) == {"car"}
    crowd = scene_of("dog", "car", crowds=("dog",), exhaustive=("dog", "car"))
    assert erased(crowd) == {"car"}
    # Whether a thingamajig is a dog, nobody can tell.
    assert erased(scene_of("dog", "thingamajig")) == set()


def test_nothing_goes_that_stands_on_what_is_erased() -> None:
    assert erased(WITH_DISH) == {"apple", "banana"}


def test_a_white_patch_is_no_book() -> None:
    scene = scene_of("book", "dog", exhaustive=("book", "dog"))
    assert erased(scene) == {"book", "dog"}
    assert erased(scene, VqaMr2(erase="white")) == {"dog"}


def test_it_is_presumed_where_another_may_be_there_without_being_annotated() -> None:
    assert not any(case.is_presumed for case in derived(MR2, FRUIT))
    assert all(case.is_presumed for case in derived(MR2, scene_of("apple", "dog")))


def test_in_the_picture_world_the_right_answer_turns(world: PictureWorld) -> None:
    sampling = Sampling(max_cases=80, sampler=Sampler.RANDOM)
    shapes = set()
    for case in Plan(relation=MR2, variant="", source=world, sampling=sampling):
        before, after = (query.picture.scene for query in case.queries)
        assert [truth(query.meaning, query.picture.scene) for query in case.queries] == [True, False]
        assert [thing.name for thing in before.objects if thing not in after.objects] == [case.fact("erased")]
        assert all(thing.name != case.fact("erased") for thing in after.objects)
        shapes.add(case.fact("shape"))
    assert shapes == {"one name", "two names"}
