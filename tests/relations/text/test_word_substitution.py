"""With a near word for one of its words, an entailed hypothesis has the same label."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case
from pytest_vqamt.core.meaning import Entails, Label, truth
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.execution.plan import Plan, Sampling
from pytest_vqamt.picture_world.source import PictureWorld
from pytest_vqamt.relations.text_edits import WordSubstitution
from pytest_vqamt.sampling.chooser import Sampler
from tests.making import scene_of
from tests.relations.veglue.rooms import photo, said, unit
from tests.relations.veglue.tables import derived
from tests.rows import each_row

pytestmark = pytest.mark.usefixtures("small_things_are_salient")

NEAR = WordSubstitution()


def texts(scene: Scene) -> set[tuple[str, str]]:
    return {(case.queries[0].text, case.queries[1].text) for case in derived(NEAR, scene)}


def assert_both_are_entailed(case: Case) -> None:
    first, second = case.queries
    assert first.picture == second.picture
    assert first.text != second.text
    assert (first.task, second.task) == (Task.ENTAILMENT, Task.ENTAILMENT)
    labels = [truth(query.meaning, query.picture.scene) for query in case.queries]
    assert labels == [Label.ENTAILMENT] * 2, [query.text for query in case.queries]


def test_a_word_has_a_synonym_or_a_class() -> None:
    scene = scene_of("couch", exhaustive=("couch",))
    found = texts(scene)
    assert ("There is a couch.", "There is a sofa.") in found
    assert ("There is a couch.", "There is a piece of furniture.") in found
    for case in derived(NEAR, scene):
        assert_both_are_entailed(case)
        assert (case.expected, case.is_presumed) == ("first = second", False)
    kinds = [case.fact("kind") for case in derived(NEAR, scene)]
    assert min(kinds.count("synonym"), kinds.count("class")) > 30


def test_a_class_covers_all_that_is_of_it() -> None:
    scene = scene_of("dog", "cat", exhaustive=("dog", "cat"))
    for case in derived(NEAR, scene):
        meaning = case.queries[1].meaning
        assert isinstance(meaning, Entails)
        covers = {unit.group.name: set(unit.group.covers) for unit in meaning.units if unit.group.covers}
        assert covers == {"animal": {"animal", "dog", "cat"}}


def test_no_class_that_nobody_counts() -> None:
    assert not [after for _, after in texts(scene_of("banana")) if "fruit" in after or "food" in after]


def test_no_class_of_what_is_small_for_its_name() -> None:
    scene = scene_of("small gray monkey", "large yellow flower")
    both = texts(scene)
    assert [after for before, after in both if "gray monkey" in before and "small" not in before and "animal" in after]
    assert not [after for _, after in both if "animal" in after and "small" in after]
    assert not [after for _, after in both if "plant" in after and "large" in after]


# ---- hypotheses of the data set


def of(text: str, noun: str, name: str = "", property: str = "") -> Scene:  # noqa: A002 - the word of the paper
    thing = Thing(id="t", name=name or noun, box=Box(0, 0, 20, 20), attributes=(property,) if property else ())
    return photo(thing, hypotheses=(said(text, unit(noun, property, "t")),))


@each_row(
    ("scene", "after"),
    [
        (
            of("a man plays bagpipes.", "man", property="plays bagpipes"),
            {"a guy plays bagpipes.", "a person plays bagpipes."},
        ),
        (of("the dog can jump", "dog", property="can jump"), {"the animal can jump"}),
        (of("an animal is here", "animal", name="dog"), set()),  # the text does not call it a dog
        (of("a little dog", "little dog", name="dog"), set()),  # a little dog may be no little animal
        (of("dog on a street", "dog", property="on a street"), set()),  # no "animal on a street"
        (of("a dog and another dog", "dog"), set()),
        (of("the dog is small.", "dog", property="is small"), set()),
        (of("a dog that is young and runs.", "dog", property="young; runs"), set()),
        (of("a female is outside.", "female", property="is outside"), set()),  # no animal, if she is a person
        (of("a climber is outside.", "climber", property="is outside"), set()),  # WordNet knows plants alone
        (of("a dog and cat", "dog"), set()),  # no "animal and cat"
        (
            of("a kid sits near a car.", "kid", name="child"),
            {"a child sits near a car.", "a kid sits close to a car.", "a kid sits near an automobile."},
        ),
    ],
)
def test_words_of_published_hypotheses(scene: Scene, after: set[str]) -> None:
    assert {text for _, text in texts(scene)} == after
    for case in derived(NEAR, scene):
        assert_both_are_entailed(case)


def test_in_the_picture_world_both_are_entailed(world: PictureWorld) -> None:
    sampling = Sampling(max_cases=80, sampler=Sampler.RANDOM)
    kinds = set()
    for case in Plan(relation=NEAR, variant="", source=world, sampling=sampling):
        assert_both_are_entailed(case)
        kinds.add(case.fact("kind"))
    assert kinds == {"synonym", "class"}
