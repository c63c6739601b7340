"""What a question is not about can be blurred, painted over or cut off without another answer."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case, NotApplicable, Outcome
from pytest_vqamt.core.corpus import Corpus, gather
from pytest_vqamt.core.edits import Blur, Crop, Edit, Mask
from pytest_vqamt.core.meaning import Absent, Count, Exists, groups_of
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.core.truth import members
from pytest_vqamt.data.pictures.source import PictureWorld
from pytest_vqamt.execution.plan import Plan, Sampling
from pytest_vqamt.language.families import family
from pytest_vqamt.relations.carets.visual import Visual
from pytest_vqamt.sampling.samplers import Sampler
from tests.making import answers_of, choosers, group_of, scene_of, thing_of

pytestmark = pytest.mark.usefixtures("small_is_large_enough")

VISUAL = Visual()
VARIANTS = VISUAL.info.variants
MEAN = (120, 110, 100)
DRAWN = Sampling(max_cases=400, sampler=Sampler.RANDOM)
"""So many cases of the picture world show much of what there is."""


def corpus_of(*scenes: Scene) -> Corpus:
    return gather(scenes, measure=lambda: MEAN)


def cases(scene: Scene, variant: str, *others: Scene, draws: int = 150) -> list[Case]:
    """What many draws give for a scene of a source that has the others, too."""
    corpus = corpus_of(scene, *others)
    found = [VISUAL.derive(scene, corpus, choose, variant) for choose in choosers(draws)]
    return [each for each in found if isinstance(each, Case)]


def about(scene: Scene, words: str, variant: str, *others: Scene) -> list[Case]:
    """The cases that ask about just this group."""
    wanted = (group_of(words),)
    return [case for case in cases(scene, variant, *others) if groups_of(case.queries[0].meaning) == wanted]


def asked(found: list[Case]) -> set[str]:
    groups = {group for case in found for group in groups_of(case.queries[0].meaning)}
    return {" ".join((*group.attributes, group.name)) for group in groups}


def edit_of(case: Case) -> Edit:
    (edit,) = case.queries[1].picture.edits
    return edit


def kept(case: Case) -> tuple[Box, ...]:
    """The boxes of what stays as it was."""
    match edit_of(case):
        case Blur(keep=keep) | Mask(keep=keep):
            return keep
        case Crop(box=box):
            return (box,)
    raise AssertionError(case)


def shown(boxes: tuple[Box, ...], scene: Scene) -> NDArray[np.bool_]:
    """Which pixels of the picture the boxes, of whole pixels, cover: HW."""
    pixels = np.zeros((scene.height, scene.width), np.bool_)
    for box in boxes:
        pixels[int(box.y) : int(box.y1), int(box.x) : int(box.x1)] = True
    return pixels


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_case_asks_the_same_twice_first_of_the_picture_as_it_is(yard: Scene, variant: str) -> None:
    found = cases(yard, variant)
    assert found
    for case in found:
        first, second = case.queries
        assert (first.text, first.meaning) == (second.text, second.meaning)
        assert first.picture == yard.picture
        assert case.expected == "first = second"


# The yard is 200 x 100. Its dogs are 20 x 20 at x = 0, 30 and 60, y = 60; 6 pixels are added on every side, but for
# the first, which stands at the left edge.
DOGS = (Box(0, 54, 32, 32), Box(24, 54, 32, 32), Box(54, 54, 32, 32))


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
    assert {edit_of(case) for case in about(yard, "dog", variant)} == {edit}


@pytest.fixture(scope="module", params=VARIANTS)
def of_the_world(request: pytest.FixtureRequest, world: PictureWorld) -> tuple[Case, ...]:
    """Cases of one variant on many scenes."""
    return tuple(Plan(relation=VISUAL, variant=request.param, source=world, sampling=DRAWN))


def test_all_that_is_counted_is_kept_whole(of_the_world: tuple[Case, ...]) -> None:
    counted = [case for case in of_the_world if isinstance(case.queries[0].meaning, Count)]
    assert len(counted) > 80
    for case in counted:
        scene = case.queries[0].picture.scene
        seen = shown(kept(case), scene)
        for group in groups_of(case.queries[0].meaning):
            assert all(seen[shown((thing.box,), scene)].all() for thing in members(group, scene))


def test_nothing_half_seen_could_be_one_more_of_what_is_counted_or_is_not_there(of_the_world: tuple[Case, ...]) -> None:
    half_seen = 0
    for case in of_the_world:
        if case.fact("truth") in ("yes", "no") and case.fact("present_groups"):
            continue  # what is there is seen as before
        families = {family(group.name) for group in groups_of(case.queries[0].meaning)}
        scene = case.queries[0].picture.scene
        patches = [shown((box,), scene) for box in kept(case)]
        for thing in scene.objects:
            own = shown((thing.box,), scene)
            whole = any(patch[own].all() for patch in patches)
            hidden = not isinstance(edit_of(case), Blur) and not any(patch[own].any() for patch in patches)
            if not whole and not hidden:
                assert family(thing.name) not in families, case.queries[0].text
                half_seen += 1
    assert half_seen > 20


def test_half_of_the_yes_no_questions_are_about_what_is_there(of_the_world: tuple[Case, ...]) -> None:
    yes_no = [case for case in of_the_world if not isinstance(case.queries[0].meaning, Count)]
    present = Counter(case.fact("present_groups") for case in yes_no)
    answers = Counter(case.fact("truth") for case in yes_no)
    assert present[1] / present.total() == pytest.approx(0.5, abs=0.08)
    assert answers["yes"] / answers.total() == pytest.approx(0.5, abs=0.08)
    assert {type(case.queries[0].meaning) for case in of_the_world} == {Count, Exists, Absent}


BARN = scene_of("cow", "blue car", "brown dog", id="barn", exhaustive=("cow", "car", "dog"))


class TestWhatIsNotThere:
    def test_is_plausible_and_in_no_scene_that_has_it(self, yard: Scene) -> None:
        missing = [case for case in cases(yard, "crop", BARN) if not case.fact("present_groups")]
        assert {case.fact("shape") for case in missing} == {"one name", "property"}
        # Cows occur together with dogs and cars, and with nothing else of the yard.
        assert {name for name in asked(missing) if " " not in name} == {"cow"}
        assert not any(case.is_presumed for case in missing)

    def test_is_asked_with_one_or_two_things_of_the_picture_in_sight(self, yard: Scene) -> None:
        keeps = {edit_of(case) for case in about(yard, "cow", "mask", BARN)}
        sizes = {len(edit.keep) for edit in keeps if isinstance(edit, Mask)}
        assert sizes == {1, 2}
        assert len(keeps) > 3

    def test_is_presumed_where_not_every_one_is_annotated(self) -> None:
        farm, lane = (
            replace(scene, exhaustive=frozenset()) for scene in (scene_of("dog", "car"), scene_of("tree", "dog"))
        )
        trees = about(farm, "tree", "mask", lane)
        assert trees
        assert all(case.is_presumed for case in trees)
        # Nor is every dog: one that is annotated is seen before and after, and only a count could miss another.
        assert {case.is_presumed for case in about(farm, "dog", "mask", lane)} == {False, True}
        assert all(
            case.is_presumed is isinstance(case.queries[0].meaning, Count) for case in about(farm, "dog", "mask", lane)
        )

    def test_is_no_part_or_garment_of_what_is_annotated(self) -> None:
        # Shirts are worn: where they are annotated, somebody may be in them.
        clothes, people = scene_of("shirt", "dog"), scene_of("man", "shirt", "dog")
        assert "man" not in asked(cases(clothes, "crop", people))

    def test_can_be_a_property_where_every_thing_of_the_name_has_another(self, yard: Scene) -> None:
        lot = scene_of("blue car", "red car", id="lot", exhaustive=("car",))
        blue = about(yard, "blue car", "crop", lot)
        assert {case.fact("truth") for case in blue} == {"yes", "no"}
        # The yard's car, 40 x 20 at (150, 60), is what is kept: nothing but cars can be blue cars.
        assert {edit_of(case) for case in blue} == {Crop(box=Box(150, 54, 40, 32))}

    def test_is_no_property_where_one_thing_has_none_that_is_known(self) -> None:
        cars = scene_of("red car", "car", "dog", exhaustive=("car", "dog"))
        lot = scene_of("blue car", exhaustive=("car",))
        assert "blue car" not in asked(cases(cars, "crop", lot))


class TestWhatIsCounted:
    @staticmethod
    def counted(scene: Scene, variant: str) -> set[str]:
        return asked([case for case in cases(scene, variant) if isinstance(case.queries[0].meaning, Count)])

    def test_is_nothing_that_another_thing_could_be_counted_as(self) -> None:
        # Far apart: with the one kept, nothing of the other is seen, and there is a dog less.
        dog, puppy = thing_of("dog", id="0", box=Box(0, 0, 40, 40)), thing_of("puppy", id="1", box=Box(150, 0, 40, 40))
        car = thing_of("car", id="2", box=Box(80, 50, 40, 40))
        assert self.counted(scene_of(dog, puppy, car), "crop") == {"car"}

    def test_is_no_property_that_a_hidden_thing_may_have(self) -> None:
        # What colour the second car has, nobody noted.
        red, other = (
            thing_of("red car", id="0", box=Box(0, 0, 40, 40)),
            thing_of("car", id="1", box=Box(150, 0, 40, 40)),
        )
        blue = thing_of("blue car", id="1", box=other.box)
        assert "red car" not in self.counted(scene_of(red, other, exhaustive=("car",)), "crop")
        assert "red car" in self.counted(scene_of(red, blue, exhaustive=("car",)), "crop")

    def test_is_no_crowd(self) -> None:
        scene = scene_of("person", "dog", crowds=("person",), exhaustive=("dog",))
        assert asked(cases(scene, "crop")) == {"dog"}

    def test_is_of_another_family_than_what_is_blurred_and_of_what_is_cut_off(self) -> None:
        # A dog at the left, a cat at the right, a car far from both: 32 pixels around the dog show nothing of the cat.
        scene = scene_of(
            thing_of("dog", id="0", box=Box(0, 0, 40, 40)),
            thing_of("cat", id="1", box=Box(60, 0, 40, 40)),
            thing_of("car", id="2", box=Box(120, 0, 40, 40)),
            exhaustive=("dog", "cat", "car"),
        )
        assert self.counted(scene, "mask") == {"dog", "cat", "car"}
        # Blurred, the cat could be a dog, and the dog a cat.
        assert self.counted(scene, "blur3") == {"car"}
        # Cut off around the dog and the car, the cat would stand between them, whole; beside the dog alone it is gone.
        assert self.counted(scene, "crop") == {"dog", "cat", "car"}

    def test_is_of_another_outline_than_what_is_blurred(self) -> None:
        scene = scene_of("apple", "balloon", "bed", exhaustive=("apple", "balloon", "bed"))
        assert self.counted(scene, "blur9") == {"bed"}

    def test_is_no_plain_rectangle_where_the_background_is_painted_over(self) -> None:
        scene = scene_of("book", "dog", exhaustive=("book", "dog"))
        assert self.counted(scene, "mask") == {"dog"}
        assert self.counted(scene, "crop") == {"book", "dog"}

    def test_is_presumed_where_one_more_may_be_hidden(self) -> None:
        scene = scene_of("dog", "car", exhaustive=("car",))
        for case in cases(scene, "crop"):
            if isinstance(case.queries[0].meaning, Count):
                assert case.is_presumed == ("dog" in " ".join(asked([case])))


@pytest.mark.parametrize("variant", VARIANTS)
def test_it_does_not_apply_to_a_picture_of_nothing(bare: Scene, variant: str) -> None:
    assert cases(bare, variant) == []


def test_it_does_not_apply_where_the_foreground_fills_the_picture() -> None:
    scene = scene_of(thing_of("dog", box=Box(0, 0, 200, 100)), exhaustive=("dog",))
    found = [VISUAL.derive(scene, corpus_of(scene), choose, "blur9") for choose in choosers(20)]
    assert NotApplicable(reason="the foreground fills the picture") in found
    assert not any(isinstance(each, Case) for each in found)


def test_it_cannot_mask_where_there_is_no_photo_to_take_a_colour_from(yard: Scene) -> None:
    found = [VISUAL.derive(yard, gather((yard,)), choose, "mask") for choose in choosers(20)]
    assert NotApplicable(reason="the data has no photos to take a mean colour from") in found
    assert not any(isinstance(each, Case) for each in found)


@pytest.mark.parametrize("texts", [("3", "three dogs"), ("There are 3.", "3")])
def test_it_holds_for_who_counts_the_same(yard: Scene, texts: tuple[str, str]) -> None:
    case = next(case for case in about(yard, "dog", "mask") if isinstance(case.queries[0].meaning, Count))
    assert VISUAL.judge(case, answers_of(*texts)).outcome is Outcome.HOLDS


def test_it_is_violated_by_who_loses_sight(yard: Scene) -> None:
    case = next(case for case in about(yard, "dog", "crop") if isinstance(case.queries[0].meaning, Exists))
    verdict = VISUAL.judge(case, answers_of("yes", "I see no dog."))
    assert (verdict.outcome, verdict.readings) == (Outcome.VIOLATED, ("yes", "no"))
    assert VISUAL.judge(case, answers_of("yes", "a bench")).outcome is Outcome.UNPARSED


def test_it_tells_what_the_answer_is(yard: Scene) -> None:
    assert {case.fact("truth") for case in about(yard, "dog", "crop")} == {"yes", "no", "3"}
    assert {case.fact("present_groups") for case in cases(yard, "crop", BARN)} == {0, 1, 2}
