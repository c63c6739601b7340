"""A blurred, brighter, sheared picture, or one of more contrast, has the same caption."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case, Outcome
from pytest_vqamt.core.edits import Blur, Brightness, Contrast, Edit, Shear
from pytest_vqamt.core.meaning import Describe, truth
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.metaic import Deeptest
from tests.making import answers_of, scene_of, thing_of
from tests.relations.deriving import cases_of
from tests.rows import each_row

DEEPTEST = Deeptest()
# 200 x 100 pixels: the middle row is 50.
YARD = scene_of(thing_of("dog", id="0", box=Box(20, 10, 30, 30)), thing_of("bus", id="1", box=Box(120, 40, 60, 50)))


def cases(variant: str, scene: Scene = YARD) -> list[Case]:
    return cases_of(DEEPTEST, scene, variant)


def edits(variant: str, scene: Scene = YARD) -> set[Edit]:
    made = cases(variant, scene)
    for case in made:
        before, after = case.queries
        assert (before.picture, before.task, before.meaning) == (scene.picture, Task.CAPTIONING, Describe())
        assert (after.task, after.meaning, len(after.picture.edits)) == (Task.CAPTIONING, Describe(), 1)
    return {case.queries[1].picture.edits[0] for case in made}


# The strengths of DeepTest's authors' code: ten steps of each.
def test_brightness() -> None:
    assert edits("brightness") == {Brightness(offset=offset) for offset in range(10, 101, 10)}


def test_contrast() -> None:
    gains = {edit.gain for edit in edits("contrast") if isinstance(edit, Contrast)}
    assert sorted(gains) == pytest.approx([1.2, 1.4, 1.6, 1.8, 2.0, 2.2, 2.4, 2.6, 2.8, 3.0])


def test_blur() -> None:
    # OpenCV's Gaussians of 3, 5 and 7 pixels have sigma 0.8, 1.1 and 1.4; a mean of n has sqrt((n^2 - 1) / 12):
    # 0.82, 1.12, 1.41 and 1.71 for 3 to 6.
    assert edits("blur") == {Blur(keep=(), sigma_px=sigma_px) for sigma_px in (0.8, 1.1, 1.4, 1.7)}


def test_shear_as_far_as_nothing_leaves_the_picture() -> None:
    # Below the middle all goes to the left, above to the right: of the dog, whose rows end 10 above it, the left edge
    # stays in. Of the bus, the right one has room for 20 pixels, 10 rows above the middle: 2 a row.
    assert edits("shear") == {Shear(factor=-step / 10) for step in range(1, 11)}
    # 190 + 10 * 0.9 = 199, and 190 + 10 * 1.0 = 200.
    near = scene_of(thing_of("bus", box=Box(120, 40, 70, 50)))
    assert edits("shear", near) == {Shear(factor=-step / 10) for step in range(1, 11)}
    nearer = scene_of(thing_of("bus", box=Box(120, 40, 75, 50)))
    assert edits("shear", nearer) == {Shear(factor=-step / 10) for step in range(1, 6)}
    # The left edge of a thing that ends 40 rows below the middle has room for 10 pixels: 0.25 a row.
    left = scene_of(thing_of("bus", box=Box(10, 40, 75, 50)))
    assert edits("shear", left) == {Shear(factor=-0.1), Shear(factor=-0.2)}


def test_nor_does_a_crowd_leave_it() -> None:
    # The crowd of a made scene is at the left edge, below the middle.
    assert edits("shear", scene_of("dog", crowds=("person",))) == set()


@each_row("variant", DEEPTEST.info.variants)
def test_all_that_was_there_is_there(variant: str) -> None:
    for case in cases(variant):
        before, after = (truth(query.meaning, query.picture.scene) for query in case.queries)
        assert before == after == (("dog", 1), ("bus", 1))
        assert case.fact("strength") is not None


def test_the_four_draw_alike() -> None:
    steps = [[case.queries[0] for case in cases(variant)] for variant in DEEPTEST.info.variants]
    assert all(each == steps[0] for each in steps)


@pytest.mark.parametrize(("before", "after"), [("A dog.", "a  dog"), ("a dog and a bus", "A dog and a bus .")])
def test_it_holds_where_the_caption_stays(before: str, after: str) -> None:
    verdict = DEEPTEST.judge(cases("blur")[0], answers_of(before, after))
    assert (verdict.outcome, verdict.vacuous, verdict.figures) == (Outcome.HOLDS, False, (("suspicious", 0.0),))


def test_it_is_violated_where_it_changes_be_it_for_another_right_one() -> None:
    # Yu et al., section 4.2: most of what this baseline reports is no error.
    verdict = DEEPTEST.judge(cases("blur")[0], answers_of("a dog and a bus", "a bus and a dog"))
    assert verdict.outcome is Outcome.VIOLATED
    assert verdict.reason == "the captions must be the same, but got 'a dog and a bus' and 'a bus and a dog'"
    assert (verdict.readings, verdict.figures) == (("dog, bus", "bus, dog"), (("suspicious", 1.0),))


def test_a_refusal_cannot_be_read_even_when_it_is_repeated() -> None:
    verdict = DEEPTEST.judge(cases("blur")[0], answers_of("I cannot help with that.", "I cannot help with that."))
    assert (verdict.outcome, verdict.reason) == (Outcome.UNPARSED, "refusal")


def test_it_is_gated_only_where_it_is_named() -> None:
    # Rule 11: 12.9 to 41.2 % of what it reports are errors.
    assert DEEPTEST.info.tags == ("baseline",)
