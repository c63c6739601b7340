"""What a question is not about can be blurred, painted over or cut off without another answer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case, NotApplicable, Outcome
from pytest_vqamt.core.corpus import gather_corpus
from pytest_vqamt.core.edits import Blur, Crop, Edit, Mask
from pytest_vqamt.core.meaning import Choice, Has, groups_of, members, truth
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.execution.plan import Plan, Sampling
from pytest_vqamt.language.english.families import family
from pytest_vqamt.language.questions.templates import QuestionType
from pytest_vqamt.picture_world.source import PictureWorld
from pytest_vqamt.relations.carets_visual import foreground, grow, named_boxes, partly_visible
from pytest_vqamt.sampling.chooser import Sampler
from tests.core.random_scenes import boxes_within, pixels, scenes
from tests.making import answers_of, choosers, scene_of, thing_of
from tests.relations.carets.draws import MEAN, corpus_of
from tests.relations.carets.obscured import BARN, VARIANTS, VISUAL, about, asked, cases, edit_of, kept, words_of
from tests.relations.deriving import derive
from tests.rows import each_row

pytestmark = pytest.mark.usefixtures("small_things_are_salient")

DRAWN = Sampling(max_cases=200, sampler=Sampler.RANDOM)
"""So many cases of the picture world show much of what there is."""


def shown(boxes: tuple[Box, ...], scene: Scene) -> NDArray[np.bool_]:
    """Which pixels of the picture the boxes, of whole pixels, cover: HW."""
    pixels = np.zeros((scene.height, scene.width), np.bool_)
    for box in boxes:
        pixels[int(box.y) : int(box.y1), int(box.x) : int(box.x1)] = True
    return pixels


def named(case: Case) -> list[Thing]:
    """The true objects of the question, read from its meaning anew: related things, too."""
    scene = case.queries[0].picture.scene
    groups = list(groups_of(case.queries[0].meaning))
    for group in groups:
        groups += [condition.to for condition in group.related]
    return [thing for group in groups for thing in members(group, scene)]


@each_row("variant", VARIANTS)
def test_a_case_asks_the_same_twice_first_of_the_picture_as_it_is(yard: Scene, variant: str) -> None:
    found = cases(yard, variant, BARN)
    assert found
    for case in found:
        first, second = case.queries
        assert (first.text, first.meaning) == (second.text, second.meaning)
        assert first.picture == yard.picture
        assert case.expected == "first = second"
        assert case.fact("template") == case.fact("other_template")


# The yard is 200 x 100. Its dogs are 20 x 20 at x = 0, 30 and 60, y = 60; 6 pixels are added on every side, but for
# the first, which stands at the left edge.
DOGS = (Box(0, 54, 32, 32), Box(24, 54, 32, 32), Box(54, 54, 32, 32))
CAR = Box(150, 54, 40, 32)
"""40 x 20 at (150, 60)."""


@pytest.mark.parametrize(
    ("variant", "edit"),
    [
        ("blur3", Blur(keep=DOGS, sigma_px=3)),
        ("blur6", Blur(keep=DOGS, sigma_px=6)),
        ("blur9", Blur(keep=DOGS, sigma_px=9)),
        ("mask", Mask(keep=DOGS, colour=MEAN)),
        ("crop", Crop(box=Box(0, 54, 86, 32))),
    ],
)
def test_the_foreground_is_the_boxes_of_all_that_the_question_names(yard: Scene, variant: str, edit: Edit) -> None:
    assert {edit_of(case) for case in about(yard, "dog", variant, BARN)} == {edit}


def test_of_two_names_both_are_kept(yard: Scene) -> None:
    assert {edit_of(case) for case in about(yard, "car and dog", "mask", BARN)} == {
        Mask(keep=(*DOGS, CAR), colour=MEAN)
    }


def test_of_two_of_which_one_is_there_that_one_is_kept(yard: Scene) -> None:
    for words in ("car or cow", "car and cow"):
        assert {edit_of(case) for case in about(yard, words, "crop", BARN)} == {Crop(box=CAR)}


def test_a_related_thing_is_kept_with_it(yard: Scene) -> None:
    # The cat, 20 x 20 at (100, 40), becomes 32 x 32 at (94, 34); the bench is 40 x 30 at (95, 55), and 32 high from 54.
    around = {edit_of(case) for case in about(yard, "cat on bench", "crop", BARN)}
    assert around == {Crop(box=Box(94, 34, 41, 52))}


def test_of_a_false_attribute_all_things_of_the_name_are_kept(yard: Scene) -> None:
    blue = about(yard, "blue car", "crop", BARN)
    assert {edit_of(case) for case in blue} == {Crop(box=CAR)}
    assert {case.fact("truth") for case in blue} == {"no"}
    kennel = scene_of("brown dog", "black dog", "car", exhaustive=("dog",))
    white = about(kennel, "white dog", "mask", scene_of("white dog", "lamp", id="b"))
    assert {len(kept(case)) for case in white} == {2}


@pytest.fixture(
    scope="module",
    params=[pytest.param(each, marks=pytest.mark.full if each in ("blur3", "blur9") else ()) for each in VARIANTS],
)
def of_the_world(request: pytest.FixtureRequest, world: PictureWorld) -> tuple[Case, ...]:
    """Cases of one variant on many scenes."""
    return tuple(Plan(relation=VISUAL, variant=request.param, source=world, sampling=DRAWN))


def test_all_seven_types_are_asked(of_the_world: tuple[Case, ...]) -> None:
    assert {case.fact("question_type") for case in of_the_world} == {type_.value for type_ in QuestionType}


def test_all_that_is_named_is_kept_whole(of_the_world: tuple[Case, ...]) -> None:
    things = 0
    for case in of_the_world:
        scene = case.queries[0].picture.scene
        seen = shown(kept(case), scene)
        for thing in named(case):
            assert seen[shown((thing.box,), scene)].all(), case.queries[0].text
            things += 1
    assert things > 200


def test_the_answer_stays_as_far_as_annotations_know(of_the_world: tuple[Case, ...]) -> None:
    for case in of_the_world:
        before, after = (truth(query.meaning, query.picture.scene) for query in case.queries)
        assert before == after is not None


def test_nothing_half_seen_could_be_what_is_not_there_or_another_of_the_only_one(
    of_the_world: tuple[Case, ...],
) -> None:
    half_seen = 0
    for case in of_the_world:
        meaning, scene = case.queries[0].meaning, case.queries[0].picture.scene
        if isinstance(meaning, Has | Choice):
            families = {family(thing.name) for thing in named(case)}
        else:
            families = {family(group.name) for group in groups_of(meaning) if not members(group, scene)}
        patches = [shown((box,), scene) for box in kept(case)]
        for thing in scene.objects if families else ():
            own = shown((thing.box,), scene)
            whole = any(patch[own].all() for patch in patches)
            hidden = not isinstance(edit_of(case), Blur) and not any(patch[own].any() for patch in patches)
            if not whole and not hidden:
                assert family(thing.name) not in families, case.queries[0].text
                half_seen += 1
    assert half_seen > 20


def test_no_crowd_is_asked_about() -> None:
    scene = scene_of("person", "brown dog", "lamp", crowds=("person",), exhaustive=("dog",))
    found = asked(cases(scene, "crop", scene_of("cow", "white dog", "dog", id="b")))
    assert found
    assert not any("person" in each for each in found)


def test_it_does_not_apply_where_the_foreground_fills_the_picture() -> None:
    scene = scene_of(thing_of("brown dog", box=Box(0, 0, 200, 100)), exhaustive=("dog",))
    corpus = corpus_of(scene, scene_of("dog", "cow", "lamp", id="b"))
    found = [derive(VISUAL, scene, choose, "blur9", corpus) for choose in choosers(60)]
    assert NotApplicable(reason="the foreground fills the picture") in found
    assert not any(isinstance(each, Case) for each in found)


def test_what_is_too_small_to_be_told_by_itself_is_not_asked_about() -> None:
    # 6 x 6 of 200 x 100 pixels: below the 7 of these tests.
    scene = scene_of(thing_of("brown dog", box=Box(50, 50, 6, 6)), thing_of("car", id="1", box=Box(100, 0, 60, 60)))
    other = scene_of("white dog", "lamp", "cow", id="b")
    for variant in ("crop", "mask"):
        found = asked(cases(scene, variant, other))
        assert found
        assert not any("dog" in each for each in found)
    assert any("dog" in each for each in asked(cases(scene, "blur3", other)))


def test_it_cannot_mask_where_there_is_no_photo_to_take_a_colour_from(yard: Scene) -> None:
    found = [derive(VISUAL, yard, choose, "mask", gather_corpus((yard, BARN))) for choose in choosers(20)]
    assert NotApplicable(reason="the data has no photos to take a mean colour from") in found
    assert not any(isinstance(each, Case) for each in found)


def test_it_holds_for_the_same_answer(yard: Scene) -> None:
    case = about(yard, "dog", "mask", BARN)[0]
    assert VISUAL.judge(case, answers_of("yes", "Yes, there are three.")).outcome is Outcome.HOLDS


def test_it_is_violated_by_who_loses_sight(yard: Scene) -> None:
    case = about(yard, "dog", "crop", BARN)[0]
    verdict = VISUAL.judge(case, answers_of("yes", "I see no dog."))
    assert (verdict.outcome, verdict.readings) == (Outcome.VIOLATED, ("yes", "no"))
    assert VISUAL.judge(case, answers_of("yes", "a bench")).outcome is Outcome.UNPARSED


def test_a_class_that_is_not_listed_makes_the_only_one_presumed(yard: Scene) -> None:
    loose = replace(yard, exhaustive=frozenset())
    for case in cases(loose, "crop", BARN):
        meaning = case.queries[0].meaning
        there = [bool(members(group, loose)) for group in groups_of(meaning)]
        assert case.is_presumed is (isinstance(meaning, Has | Choice) or not all(there)), words_of(case)


@pytest.mark.parametrize(
    ("box", "patch"),
    [
        # 32 and more stays as it is.
        (Box(40, 10, 32, 50), Box(40, 10, 32, 50)),
        # 12 lack across, 6 on either side; 11 lack down, 5 above and 6 below.
        (Box(50, 40, 20, 21), Box(44, 35, 32, 32)),
        # At the left and at the bottom edge of 200 x 100 all that lacks goes to the other side.
        (Box(0, 95, 20, 5), Box(0, 68, 32, 32)),
        (Box(190, 0, 10, 40), Box(168, 0, 32, 40)),
    ],
)
def test_a_box_is_grown_evenly_to_32_by_32_within_the_frame(box: Box, patch: Box) -> None:
    assert grow(box, scene_of()) == patch


def test_a_picture_narrower_than_32_is_kept_in_all_its_width() -> None:
    assert grow(Box(3, 4, 5, 5), replace(scene_of(), width=20, height=200)) == Box(0, 0, 20, 32)


def test_boxes_are_rounded_outwards_before_they_grow() -> None:
    # 44.5 to 55.2 and 10.1 to 60.9 are the pixels 44 to 55 and 10 to 60: 12 wide, so 20 lack.
    thing = thing_of("dog", box=Box(44.5, 10.1, 10.7, 50.8))
    assert foreground((thing,), scene_of(thing)) == (Box(34, 10, 32, 51),)


def test_things_in_one_place_are_one_box() -> None:
    twins = thing_of("dog", id="0", box=Box(50, 40, 40, 40)), thing_of("hat", id="1", box=Box(50, 40, 40, 40))
    assert foreground(twins, scene_of(*twins)) == (Box(50, 40, 40, 40),)


@given(st.data())
def test_what_is_grown_holds_its_box_and_is_no_larger_than_it_must_be(data: st.DataObject) -> None:
    width, height = data.draw(st.integers(1, 80)), data.draw(st.integers(1, 80))
    box = data.draw(boxes_within(width, height))
    patch = grow(box, replace(scene_of(), width=width, height=height))
    assert pixels(box) <= pixels(patch) <= pixels(Box(0, 0, width, height))
    assert (patch.w, patch.h) == (max(box.w, min(32, width)), max(box.h, min(32, height)))


@given(scenes(), st.data())
def test_half_seen_is_what_no_kept_box_holds_all_pixels_of(scene: Scene, data: st.DataObject) -> None:
    keep = data.draw(st.lists(boxes_within(scene.width, scene.height), max_size=3))
    kept = [pixels(box) for box in keep]
    whole = {thing.id for thing in scene.objects if any(pixels(thing.box) <= patch for patch in kept)}
    touched = {thing.id for thing in scene.objects if any(pixels(thing.box) & patch for patch in kept)}
    crowds_whole = [region for region in scene.regions if any(pixels(region.box) <= patch for patch in kept)]
    crowds_touched = [region for region in scene.regions if any(pixels(region.box) & patch for patch in kept)]
    blurred = {thing.name for thing in scene.objects if thing.id not in whole}
    blurred |= {region.name for region in scene.regions if region not in crowds_whole}
    cut_off = {thing.name for thing in scene.objects if thing.id in touched - whole}
    cut_off |= {region.name for region in crowds_touched if region not in crowds_whole}
    assert partly_visible(named_boxes(scene), keep, hidden_elsewhere=False) == blurred
    assert partly_visible(named_boxes(scene), keep, hidden_elsewhere=True) == cut_off
