"""Noise, blur, snow or a loss of contrast leaves the label of a hypothesis as it was."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case
from pytest_vqamt.core.edits import Corrupt
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.corruption import PictureCorruption
from pytest_vqamt.relations.veglue import HypothesisCorruption
from tests.relations.deriving import cases_of
from tests.relations.veglue.rooms import RIFLE, ROOM, groups
from tests.rows import each_row

pytestmark = pytest.mark.usefixtures("small_things_are_salient")

CORRUPTION = HypothesisCorruption()


def cases(scene: Scene, variant: str, relation: HypothesisCorruption = CORRUPTION) -> list[Case]:
    return cases_of(relation, scene, variant, draws=60)


def corrupt_of(case: Case) -> Corrupt:
    (edit,) = case.queries[1].picture.edits
    assert isinstance(edit, Corrupt)
    return edit


def test_the_variants_are_those_of_questions() -> None:
    assert CORRUPTION.info.variants == PictureCorruption().info.variants
    assert CORRUPTION.info.tags == ("baseline",)


@each_row("variant", CORRUPTION.info.variants)
def test_a_case_puts_the_same_of_the_corrupted_picture(variant: str) -> None:
    kind, where = variant.split("-")
    boxes = {thing.name: thing.box for thing in ROOM.objects}
    for case in cases(ROOM, variant):
        first, second = case.queries
        assert (first.text, first.meaning) == (second.text, second.meaning)
        assert second.picture.scene == ROOM
        assert (corrupt_of(case).kind, corrupt_of(case).severity) == (kind, 3)
        named = {each.name for it in groups(first) for each in (it, *(link.to for link in it.related))}
        expected = {boxes[name] for name in named} if where == "object" else set()
        assert set(corrupt_of(case).boxes) == expected
        assert (case.expected, case.is_presumed) == ("first = second", False)


def test_a_published_hypothesis_is_put_where_there_is_one() -> None:
    for case in cases(RIFLE, "snow-object"):
        assert {query.text for query in case.queries} == {"the man is aiming his rifle at something."}
        assert corrupt_of(case).boxes == (Box(0, 0, 40, 90), Box(60, 30, 60, 20))


def test_the_severity_is_a_setting() -> None:
    found = cases(ROOM, "zoom-global", HypothesisCorruption(severity="5"))
    assert {(corrupt_of(case).severity, case.fact("severity")) for case in found} == {(5, 5)}
