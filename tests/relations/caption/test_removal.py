"""With a thing erased, the caption names what it named before, less that thing."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case, Outcome
from pytest_vqamt.core.edits import Erase, Fill
from pytest_vqamt.core.meaning import Describe
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.caption import CaptionRemoval
from tests.making import answers_of, scene_of, thing_of
from tests.relations.deriving import cases_of
from tests.rows import each_row

pytestmark = pytest.mark.usefixtures("small_things_are_salient")

RELATION = CaptionRemoval()
CLASSES = ("dog", "cat", "car", "bench", "person", "bicycle", "motorcycle", "frisbee", "man", "puppy")
YARD = scene_of("dog", "cat", "car", exhaustive=CLASSES)


def derived(variant: str, scene: Scene = YARD) -> list[Case]:
    return cases_of(RELATION, scene, variant, draws=20)


def erased(variant: str, scene: Scene) -> set[object]:
    return {case.fact("erased") for case in derived(variant, scene)}


def case_of_dog(variant: str, scene: Scene = YARD) -> Case:
    return next(case for case in derived(variant, scene) if case.fact("erased") == "dog")


@each_row("variant", RELATION.info.variants)
def test_a_case_asks_for_captions_with_and_without_the_thing(variant: str) -> None:
    case = case_of_dog(variant)
    before, after = case.queries
    assert {(each.task, each.text, each.meaning) for each in (before, after)} == {(Task.CAPTIONING, "", Describe())}
    assert before.picture == YARD.picture
    assert after.picture.edits == (Erase(box=YARD.objects[0].box, fill=Fill.INPAINT, method="telea"),)
    assert [thing.name for thing in after.picture.scene.objects] == ["cat", "car"]
    assert case.tags == ()


def test_the_expectation_names_the_erased_class() -> None:
    assert case_of_dog("erased").expected == "second does not name dog"
    assert case_of_dog("others").expected == "second names what first names, but for dog"


@each_row(
    ("before", "after", "vacuous"),
    [
        ("a dog and a cat", "a cat", False),
        ("A puppy beside a car.", "A car.", False),
        # The dog gone, there is room for the car.
        ("a dog and a cat", "a cat and a car", False),
        # What people did not annotate is not known to be absent, and a painted bench is none.
        ("a dog", "a cat under a balloon", False),
        ("a dog", "a cat and a painting of a bench", False),
        ("a dog", "a cat without any dogs", False),
        # Of the others nothing is expected here.
        ("a dog and a cat", "a street", False),
        ("a cat", "a cat", True),
        ("a street", "a street", True),
    ],
)
def test_the_erased_class_is_lost(before: str, after: str, vacuous: bool) -> None:
    verdict = RELATION.judge(case_of_dog("erased"), answers_of(before, after))
    assert (verdict.outcome, verdict.reason, verdict.vacuous) == (Outcome.HOLDS, "", vacuous)


@each_row(
    ("before", "after", "reason"),
    [
        ("a dog and a cat", "a dog and a cat", "dog is named, which was erased"),
        ("a dog and a cat", "a cat and two puppies", "dog is named, which was erased"),
        ("a cat", "a cat and a dog", "dog is named, which was erased"),
        ("a dog and a cat", "a man and a cat", "person is named, which is not there"),
        ("a dog", "a dog on a bench", "dog is named, which was erased; bench is named, which is not there"),
    ],
)
def test_it_is_violated_where_it_is_still_named_or_something_else_is(before: str, after: str, reason: str) -> None:
    verdict = RELATION.judge(case_of_dog("erased"), answers_of(before, after))
    assert (verdict.outcome, verdict.reason, verdict.vacuous) == (Outcome.VIOLATED, reason, False)


def test_a_caption_of_the_authors_results_keeps_the_frisbee() -> None:
    # github.com/RobustNLP/TestIC, ROME/error_detection/ofa_base_ancestor.tsv
    said = "two men playing with a frisbee in a field"
    field = scene_of("frisbee", "cat", "man", exhaustive=CLASSES)
    (case, *_) = [each for each in derived("others", field) if each.fact("erased") == "frisbee"]
    assert RELATION.judge(case, answers_of(said, said)).outcome is Outcome.HOLDS
    far = thing_of("man", id="man", box=Box(150, 10, 20, 20))
    (case,) = {each.id: each for each in derived("erased", scene_of("frisbee", far, exhaustive=CLASSES))}.values()
    assert case.fact("erased") == "frisbee"
    assert RELATION.judge(case, answers_of(said, said)).reason == "frisbee is named, which was erased"


@each_row(
    ("before", "after", "vacuous"),
    [
        ("a dog and a cat", "a cat", False),
        ("a dog and a cat", "a kitten and a car", False),
        # The number is not this relation's affair, nor is the erased class, nor what was never there.
        ("two cats", "a cat", False),
        ("a cat and a dog", "a cat and a dog", False),
        ("a man with a cat", "a cat", False),
        ("a dog", "a street", True),
    ],
)
def test_the_others_are_named_still(before: str, after: str, vacuous: bool) -> None:
    verdict = RELATION.judge(case_of_dog("others"), answers_of(before, after))
    assert (verdict.outcome, verdict.reason, verdict.vacuous) == (Outcome.HOLDS, "", vacuous)


def test_it_is_violated_where_one_of_the_others_is_lost() -> None:
    verdict = RELATION.judge(case_of_dog("others"), answers_of("a dog, a cat and a car", "a cat"))
    assert (verdict.outcome, verdict.reason) == (Outcome.VIOLATED, "car is not named, which is still there")
    assert verdict.readings == ("dog, cat, car", "cat")


def test_of_crowds_nothing_is_expected() -> None:
    scene = scene_of("dog", "cat", crowds=("car",), exhaustive=CLASSES)
    assert RELATION.judge(case_of_dog("others", scene), answers_of("a cat and cars", "a cat")).outcome is Outcome.HOLDS
    assert RELATION.judge(case_of_dog("erased", scene), answers_of("a dog", "some cars")).outcome is Outcome.HOLDS


@each_row(("answers", "reason"), [(("a dog", ""), "empty answer"), (("I'm sorry, I cannot help.", "a cat"), "refusal")])
def test_an_empty_caption_or_a_refusal_cannot_be_read(answers: tuple[str, str], reason: str) -> None:
    for variant in RELATION.info.variants:
        verdict = RELATION.judge(case_of_dog(variant), answers_of(*answers))
        assert (verdict.outcome, verdict.reason) == (Outcome.UNPARSED, reason)


def test_only_the_one_thing_of_its_class_is_erased() -> None:
    assert erased("erased", scene_of("dog", "puppy", "car", exhaustive=CLASSES)) == {"car"}
    assert erased("erased", scene_of("dog", "car", crowds=("dog",), exhaustive=CLASSES)) == {"car"}
    assert erased("others", scene_of("dog", "puppy", "car", exhaustive=CLASSES)) == {"dog", "puppy", "car"}
    # "A bike" may be either.
    assert erased("erased", scene_of("motorcycle", "bicycle", "car", exhaustive=CLASSES)) == {"car"}


def test_nothing_is_erased_that_somebody_near_may_hold_or_ride() -> None:
    # The man is 5 px from the cat and 25 px from the dog; a quarter of 15 px is less than 4.
    scene = scene_of("dog", "cat", "man", exhaustive=CLASSES)
    assert erased("erased", scene) == {"dog", "cat"}
    # A quarter of 40 px is more than 5 px.
    horse = thing_of("car", id="car", box=Box(1, 10, 40, 30))
    man = thing_of("man", id="man", box=Box(46, 10, 15, 30))
    assert erased("erased", scene_of(horse, man, exhaustive=CLASSES)) == set()
    assert erased("others", scene_of(horse, man, exhaustive=CLASSES)) == {"car", "man"}


def test_the_others_are_judged_where_one_stays() -> None:
    assert erased("others", scene_of("dog", "shirt", exhaustive=(*CLASSES, "shirt"))) == set()
    assert erased("erased", scene_of("dog", "shirt", exhaustive=(*CLASSES, "shirt"))) == {"dog"}


def test_it_is_presumed_where_another_may_be_there_without_being_annotated() -> None:
    scene = scene_of("dog", "car")
    assert {case.tags for case in derived("erased", scene)} == {("presumed",)}
    assert {case.tags for case in derived("others", scene)} == {()}
