"""Noise, blur, snow or a loss of contrast leaves the answer as it was."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case, Outcome
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.edits import Corrupt
from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.meaning import Annotated, Count, Exists, Group, groups_of
from pytest_vqamt.core.scene import PublishedQuestion, Scene
from pytest_vqamt.relations import catalogue
from pytest_vqamt.relations.corruption import PictureCorruption
from pytest_vqamt.relations.edits import pixel_box
from tests.making import answers_of, scene_of, thing_of
from tests.relations.deriving import cases_of
from tests.rows import each_row

CORRUPTION = PictureCorruption()
VARIANTS = CORRUPTION.info.variants


def cases(scene: Scene, variant: str, relation: PictureCorruption = CORRUPTION) -> list[Case]:
    return cases_of(relation, scene, variant, draws=80)


def corrupt_of(case: Case) -> Corrupt:
    (edit,) = case.queries[1].picture.edits
    assert isinstance(edit, Corrupt)
    return edit


def test_there_are_four_kinds_each_all_over_the_picture_or_on_its_things() -> None:
    kinds = ("impulse", "zoom", "snow", "contrast")
    assert tuple(f"{kind}-{where}" for kind in kinds for where in ("object", "global")) == VARIANTS
    assert not any("," in variant for variant in VARIANTS)  # lists of items are split there
    assert CORRUPTION.info.tags == ("baseline",)


@each_row("variant", VARIANTS)
def test_a_case_asks_the_same_of_the_corrupted_picture(yard: Scene, variant: str) -> None:
    for case in cases(yard, variant):
        first, second = case.queries
        assert (first.text, first.meaning) == (second.text, second.meaning)
        assert isinstance(first.meaning, Count | Exists)
        assert first.picture == yard.picture
        assert second.picture.scene == yard
        assert (corrupt_of(case).kind, corrupt_of(case).severity) == (variant.split("-")[0], 3)
        assert (case.expected, case.is_presumed) == ("first = second", False)


def test_globally_there_is_no_box(yard: Scene) -> None:
    assert {corrupt_of(case).boxes for case in cases(yard, "snow-global")} == {()}


def test_only_the_things_that_are_asked_about_are_corrupted(yard: Scene) -> None:
    dogs, cat = (Box(0, 60, 20, 20), Box(30, 60, 20, 20), Box(60, 60, 20, 20)), Box(100, 40, 20, 20)
    boxes = {groups_of(case.queries[0].meaning): corrupt_of(case).boxes for case in cases(yard, "snow-object")}
    dog, cats = Group(name="dog"), Group(name="cat")
    assert boxes[(dog,)] == dogs
    assert boxes[(replace(dog, attributes=("brown",)),)] == dogs[:2]
    assert boxes[(cats,)] == (cat,)
    assert boxes.get((dog, cats), (*dogs, cat)) == (*dogs, cat)


def test_boxes_are_whole_pixels_rounded_outwards() -> None:
    scene = scene_of(thing_of("dog", box=Box(10.5, 20, 9.1, 5.5)), exhaustive=("dog",))
    assert {corrupt_of(case).boxes for case in cases(scene, "zoom-object")} == {(Box(10, 20, 10, 6),)}


QUESTION = PublishedQuestion(
    id="q1", text="What is the man doing?", answers=("surfing", "surfing", "riding", "surfing")
)


@pytest.mark.parametrize("kind", ["bare", "yard"])
def test_a_picture_with_questions_of_its_data_set_is_asked_one_of_those(
    kind: str, request: pytest.FixtureRequest
) -> None:
    scene = replace(request.getfixturevalue(kind), questions=(QUESTION,))
    (case,) = {case.id: case for case in cases(scene, "snow-global")}.values()
    assert [query.text for query in case.queries] == [QUESTION.text] * 2
    shares = (("surfing", 0.75), ("riding", 0.25))
    assert case.queries[1].meaning == Annotated(answers=shares, question=QUESTION.text)
    assert case.fact("shape") == "published"
    assert CORRUPTION.judge(case, answers_of("Surfing.", "surfing")).outcome is Outcome.HOLDS
    assert CORRUPTION.judge(case, answers_of("surfing", "riding")).outcome is Outcome.VIOLATED


@pytest.mark.parametrize(
    ("text", "corrupted"),
    [
        ("Is the dog surfing?", {"dog"}),
        ("How many dogs or cats are there?", {"dog", "cat"}),
        ("What is the doghouse made of?", {"dog", "cat", "car"}),  # it names no thing, so all may be meant
    ],
)
def test_on_its_things_it_asks_a_question_of_the_data_set_and_corrupts_what_its_text_names(
    text: str, corrupted: set[str]
) -> None:
    asked = replace(QUESTION, text=text)
    scene = replace(scene_of("dog", "cat", "dog", "car"), questions=(asked,))
    (case,) = {case.id: case for case in cases(scene, "snow-object")}.values()
    assert [query.text for query in case.queries] == [text] * 2
    (edit,) = case.queries[1].picture.edits
    assert isinstance(edit, Corrupt)
    assert {thing.name for thing in scene.objects if pixel_box(thing.box, scene) in edit.boxes} == corrupted


def test_on_its_things_it_asks_nothing_where_there_is_no_thing(bare: Scene) -> None:
    assert cases(replace(bare, questions=(QUESTION,)), "snow-object") == []


def test_it_holds_for_who_still_sees_it_and_is_violated_by_who_does_not(yard: Scene) -> None:
    case = next(case for case in cases(yard, "zoom-global") if isinstance(case.queries[0].meaning, Exists))
    assert CORRUPTION.judge(case, answers_of("yes", "yes")).outcome is Outcome.HOLDS
    verdict = CORRUPTION.judge(case, answers_of("yes", "no"))
    assert (verdict.outcome, verdict.readings) == (Outcome.VIOLATED, ("yes", "no"))
    assert CORRUPTION.judge(case, answers_of("yes", "grey")).outcome is Outcome.UNPARSED


def test_the_severity_is_a_setting(yard: Scene) -> None:
    relation = catalogue.get("corruption", {"severity": "5"})
    assert isinstance(relation, PictureCorruption)
    found = cases(yard, "contrast-global", relation)
    assert {corrupt_of(case).severity for case in found} == {5}
    assert {case.fact("severity") for case in found} == {5}


@pytest.mark.parametrize("severity", ["0", "6", "high"])
def test_a_severity_is_from_1_to_5(severity: str) -> None:
    with pytest.raises(OptionError, match=f"severity='{severity}'"):
        catalogue.get("corruption", {"severity": severity})
