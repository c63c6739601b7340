"""Erased from the picture and from the hypothesis alike, a thing leaves it entailed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case
from pytest_vqamt.core.meaning import Label, truth
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.execution.plan import Plan, Sampling
from pytest_vqamt.picture_world.source import PictureWorld
from pytest_vqamt.relations.veglue import JointErase
from pytest_vqamt.sampling.chooser import Sampler
from tests.making import scene_of, thing_of
from tests.relations.veglue.rooms import RIFLE, ROOM, groups, photo, said, unit
from tests.relations.veglue.tables import derived

pytestmark = pytest.mark.usefixtures("small_things_are_salient")

MR1 = JointErase()


def texts(scene: Scene, erased: str = "", relation: JointErase = MR1, draws: int = 120) -> set[tuple[str, str]]:
    """Both texts of each case in which that is erased."""
    found = [case for case in derived(relation, scene, draws=draws) if erased in ("", case.fact("erased"))]
    return {(case.queries[0].text, case.queries[1].text) for case in found}


def erased(scene: Scene, relation: JointErase = MR1) -> set[object]:
    return {case.fact("erased") for case in derived(relation, scene)}


def test_a_case_speaks_of_several_things_and_then_of_one_less() -> None:
    found = derived(MR1, ROOM)
    assert {case.fact("erased") for case in found} == {"man", "cup", "table", "dog"}
    for case in found:
        first, second = case.queries
        assert (first.task, second.task) == (Task.ENTAILMENT, Task.ENTAILMENT)
        assert [truth(query.meaning, query.picture.scene) for query in case.queries] == [Label.ENTAILMENT] * 2
        before, after = _names(case, 0), _names(case, 1)
        assert before - after == {case.fact("erased")}
        assert after
        assert case.fact("units") == len(before)
        assert (case.expected, case.is_presumed) == ("second is entailment", False)


def _names(case: Case, number: int) -> set[str]:
    said_of = groups(case.queries[number])
    return {each.name for group in said_of for each in (group, *(it.to for it in group.related))}


def test_what_is_left_keeps_its_wording_and_has_synonyms() -> None:
    plain = replace(ROOM, objects=tuple(replace(thing, attributes=()) for thing in ROOM.objects))
    of_cup = texts(plain, "cup", draws=600)
    assert ("A man is holding a cup.", "There is a guy.") in of_cup
    assert ("There is a man holding a cup in the picture.", "There is a guy in the picture.") in of_cup
    assert ("The picture shows a man holding a cup.", "The picture shows a cup.") in texts(plain, "man", draws=600)
    of_dog = texts(plain, "dog", draws=600)
    assert ("A man is holding a cup and there is a dog.", "A guy holds a cup.") in of_dog
    assert ("A dog is near a table and there is a man.", "There is a guy and a table.") not in of_dog
    assert ("A dog is near a table and there is a man.", "There is a table and a guy.") in of_dog


def test_there_are_as_many_synonyms_as_are_told() -> None:
    counts = {case.fact("synonyms") for case in derived(MR1, ROOM)}
    assert counts >= {0, 1, 2}
    for case in derived(MR1, ROOM):
        left = case.queries[1].text
        assert case.fact("synonyms") or not any(word in left for word in (" guy", " holds ", " sits"))


def test_one_of_several_of_a_name_can_go_where_nothing_else_is_said_of_it() -> None:
    scene = scene_of("apple", "apple", "banana", exhaustive=("apple", "banana"))
    assert erased(scene) == {"apple", "banana"}
    for case in derived(MR1, scene):
        assert len(_names(case, 0)) == 2


def test_nothing_goes_that_stands_on_what_is_erased() -> None:
    # The dish takes the fruit in it along; by IoU, which is 0.03, it could be erased.
    dish = scene_of(
        thing_of("apple", id="apple", box=Box(0, 0, 20, 20)),
        thing_of("banana", id="banana", box=Box(50, 45, 12, 12)),
        thing_of("bowl", id="bowl", box=Box(40, 40, 80, 60)),
        exhaustive=("apple", "banana", "bowl"),
    )
    assert erased(dish) == {"apple", "banana"}
    assert erased(dish, JointErase(overlap="iou")) == {"apple", "banana", "bowl"}


# ---- hypotheses of the data set


def test_the_papers_example() -> None:
    # Chang et al., section 3.4.1: with the rifle erased, only the man is left of "the man is aiming his rifle".
    source = "the man is aiming his rifle at something."
    assert {text for text, _ in texts(RIFLE)} == {source}
    assert texts(RIFLE, "rifle") == {(source, "There is a guy.")}
    assert texts(RIFLE, "man") == {(source, "There is a rifle.")}
    for case in derived(MR1, RIFLE):
        assert [truth(query.meaning, query.picture.scene) for query in case.queries] == [Label.ENTAILMENT] * 2
        assert len(groups(case.queries[1])) == 1


def test_what_is_said_of_others_and_does_not_mention_it_stays() -> None:
    units = unit("dog", "is running", "d"), unit("car", "is parked", "c")
    scene = photo(
        Thing(id="d", name="dog", box=Box(0, 0, 40, 40), attributes=("is running",)),
        Thing(id="c", name="car", box=Box(100, 0, 60, 40), attributes=("is parked",)),
        hypotheses=(said("a dog is running and a car is parked.", *units),),
    )
    (case,) = {case.id: case for case in derived(MR1, scene) if case.fact("erased") == "dog"}.values()
    assert groups(case.queries[1])[0].attributes == ("is parked",)
    assert case.queries[1].text == "An automobile is parked."


def test_it_must_be_known_where_all_that_is_left_is() -> None:
    units = unit("people"), unit("man", "", "m"), unit("rifle", "", "r")
    with_people = replace(RIFLE, hypotheses=(said("there are people, a man and a rifle.", *units),))
    assert texts(with_people) == set()
    # The published rule asks nothing of what is not linked.
    assert {case.fact("erased") for case in derived(JointErase(overlap="iou"), with_people)} == {"rifle"}


def test_who_is_left_may_not_be_who_is_erased() -> None:
    scene = photo(
        Thing(id="m", name="man", box=Box(0, 0, 40, 90)),
        Thing(id="p", name="person", box=Box(60, 0, 40, 90)),
        hypotheses=(said("a man and a person.", unit("man", "", "m"), unit("person", "", "p")),),
    )
    assert texts(scene) == set()
    woman = replace(
        scene,
        objects=(scene.objects[0], Thing(id="p", name="woman", box=Box(60, 0, 40, 90))),
        hypotheses=(said("a man and a woman.", unit("man", "", "m"), unit("woman", "", "p")),),
    )
    assert texts(woman) == {
        ("a man and a woman.", "There is a guy."),
        ("a man and a woman.", "There is a lady."),
    }


def test_of_one_unit_nothing_would_be_left() -> None:
    scene = photo(Thing(id="m", name="man", box=Box(0, 0, 40, 90)), hypotheses=(said("a man.", unit("man", "", "m")),))
    assert texts(scene) == set()


# ---- verdicts


def test_in_the_picture_world_one_thing_is_gone_and_the_rest_is_entailed(world: PictureWorld) -> None:
    sampling = Sampling(max_cases=80, sampler=Sampler.RANDOM)
    for case in Plan(relation=MR1, variant="", source=world, sampling=sampling):
        before, after = (query.picture.scene for query in case.queries)
        assert [truth(query.meaning, query.picture.scene) for query in case.queries] == [Label.ENTAILMENT] * 2
        assert [thing.name for thing in before.objects if thing not in after.objects] == [case.fact("erased")]
        assert case.fact("erased") not in _names(case, 1)
