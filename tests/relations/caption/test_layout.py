"""With things moved to other places in the picture, the caption names the same."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case, Outcome
from pytest_vqamt.core.corpus import Corpus, ThingLook, gather_corpus
from pytest_vqamt.core.edits import Cutout, Erase, Fill, Insert
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Photo, Scene
from pytest_vqamt.relations.caption import CaptionLayout
from tests.making import answers_of, scene_of
from tests.relations.deriving import cases_of, derive
from tests.relations.inserted import masked
from tests.rows import each_row

pytestmark = pytest.mark.usefixtures("small_things_are_salient")

RELATION = CaptionLayout()
CLASSES = ("dog", "cat", "car", "person", "bench")
DOG = masked("dog", "dog", Box(10, 40, 30, 20))
CAT = masked("cat", "cat", Box(60, 40, 20, 20))
CAR = masked("car", "car", Box(120, 20, 50, 40))
YARD = scene_of(DOG, CAT, CAR, exhaustive=CLASSES)


def derived(scene: Scene, corpus: Corpus | None = None) -> list[Case]:
    return cases_of(RELATION, scene, draws=40, corpus=corpus)


def moved(case: Case) -> list[Insert]:
    return [edit for edit in case.queries[1].picture.edits if isinstance(edit, Insert)]


def test_a_case_asks_for_captions_before_and_after() -> None:
    case = derive(RELATION, YARD)
    assert isinstance(case, Case)
    before, after = case.queries
    assert (before.task, after.task, before.picture) == (Task.CAPTIONING, Task.CAPTIONING, YARD.picture)
    erase, insert = after.picture.edits
    assert erase == Erase(box=DOG.box, fill=Fill.INPAINT, method="telea")
    assert isinstance(insert, Insert)
    assert insert.cutout == Cutout(photo=YARD.photo, thing=DOG)
    assert (insert.box.w, insert.box.h) == (30, 20)
    assert (case.expected, case.facts) == ("second names the same kinds of things as first", (("moved", 1),))


def test_one_to_three_things_are_moved_and_none_is_lost() -> None:
    cases = derived(YARD)
    assert {case.fact("moved") for case in cases} == {1, 2, 3}
    for case in cases:
        assert len(moved(case)) == case.fact("moved")
        assert sorted(thing.name for thing in case.queries[1].picture.scene.objects) == ["car", "cat", "dog"]


def test_they_overlap_nothing_and_are_somewhere_else() -> None:
    for case in derived(YARD):
        things = case.queries[1].picture.scene.objects
        assert not any(a.box.overlaps(b.box) for a in things for b in things if a.id < b.id)
        for edit in moved(case):
            old, new = edit.cutout.thing.box, edit.box
            # The shortest way is half of the longer side.
            assert (new.x - old.x) ** 2 + (new.y - old.y) ** 2 >= (0.5 * old.w) ** 2
            assert 1 <= new.x <= 199 - new.w
            assert 1 <= new.y <= 99 - new.h


def look(_photo: Photo, _thing: str) -> ThingLook:
    return ThingLook(
        box=DOG.box, area_px=2000, largest_part=1.0, sharpness=20, contrast=20, open_stretch=0.0, neighbours=()
    )


def test_things_of_photos_are_recognisable_and_move_sideways() -> None:
    scene = replace(YARD, objects=(DOG, CAT))
    cases = derived(scene, replace(gather_corpus((scene,)), look=look))
    # A cat as long as high passes for a cat. 0.08 of the height are 8 px.
    assert {edit.cutout.thing.name for case in cases for edit in moved(case)} == {"dog", "cat"}
    assert all(abs(edit.box.y - edit.cutout.thing.box.y) <= 8 for case in cases for edit in moved(case))
    blurred = replace(look(scene.photo, "dog"), sharpness=15)
    assert derived(scene, replace(gather_corpus((scene,)), look=lambda *_: blurred)) == []


@each_row(
    "scene",
    [
        # no mask
        scene_of("dog", "cat", exhaustive=CLASSES),
        # of no class
        scene_of(masked("shirt", "0", Box(10, 40, 30, 20)), exhaustive=CLASSES),
        # all of the cat goes with the dog, and the dog with the cat
        scene_of(DOG, masked("cat", "cat", Box(12, 42, 25, 16)), exhaustive=CLASSES),
        # no room
        scene_of(masked("car", "0", Box(10, 5, 130, 70)), exhaustive=CLASSES),
    ],
)
def test_it_does_not_apply(scene: Scene) -> None:
    found = {case.queries[1].picture.edits for case in derived(scene)}
    assert all(edit.cutout.thing.name == "cat" for edits in found for edit in edits if isinstance(edit, Insert))


@each_row(
    ("before", "after", "vacuous"),
    [
        ("a dog and a cat", "a cat and a dog", False),
        ("A dog to the left of a car.", "A puppy above a taxi.", False),
        # one thing is as good as several
        ("two dogs", "a dog", False),
        # nobody knows of balloons, and a painted bench is none
        ("a dog", "a dog and a balloon", False),
        ("a dog", "a dog and a painting of a bench", False),
        ("an animal", "a dog", False),
        ("a street", "a yard", True),
    ],
)
def test_it_holds_where_the_same_is_named(before: str, after: str, vacuous: bool) -> None:
    verdict = RELATION.judge(derived(YARD)[0], answers_of(before, after))
    assert (verdict.outcome, verdict.reason, verdict.vacuous) == (Outcome.HOLDS, "", vacuous)


@each_row(
    ("before", "after", "reason"),
    [
        ("a dog and a cat", "a cat", "dog is no longer named"),
        ("a cat", "a cat and a car", "car is named for the first time"),
        ("a dog and a cat", "a dog and a man", "cat is no longer named; person is named for the first time"),
    ],
)
def test_it_is_violated_where_something_else_is_named(before: str, after: str, reason: str) -> None:
    verdict = RELATION.judge(derived(YARD)[0], answers_of(before, after))
    assert (verdict.outcome, verdict.reason, verdict.vacuous) == (Outcome.VIOLATED, reason, False)


def test_no_verdict_rests_on_crowds() -> None:
    case = derived(replace(YARD, regions=scene_of(crowds=("person",)).regions))[0]
    assert RELATION.judge(case, answers_of("people with a dog", "a dog")).outcome is Outcome.HOLDS


def test_a_refusal_cannot_be_read() -> None:
    verdict = RELATION.judge(derived(YARD)[0], answers_of("a dog", "I'm sorry, I cannot help with that."))
    assert (verdict.outcome, verdict.reason) == (Outcome.UNPARSED, "refusal")
