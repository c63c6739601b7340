"""Quarter turns: which side becomes which, and what is not asked about."""

from __future__ import annotations

from pytest_vqamt.core.case import Outcome
from pytest_vqamt.core.edits import Rotate as RotateEdit
from pytest_vqamt.core.meaning import Located, truth
from pytest_vqamt.relations.spatial import Rotate
from tests.making import answers_of
from tests.relations.spatial.gardens import IN_A_ROW, cases, garden
from tests.rows import each_row

ROTATE = Rotate()


@each_row(
    ("variant", "becomes"),
    [
        ("90", {("left", "above"), ("above", "right"), ("right", "below"), ("below", "left")}),
        ("180", {("left", "right"), ("above", "below"), ("right", "left"), ("below", "above")}),
        ("270", {("left", "below"), ("above", "left"), ("right", "above"), ("below", "right")}),
    ],
)
def test_sides_turn_clockwise(variant: str, becomes: set[tuple[str, str]]) -> None:
    found = set()
    for case in cases(ROTATE, IN_A_ROW, variant):
        first, second = case.queries
        assert (first.picture.edits, second.picture.edits) == ((), (RotateEdit(degrees=int(variant)),))
        assert isinstance(first.meaning, Located)
        assert isinstance(second.meaning, Located)
        assert (first.meaning.group, first.meaning.other) == (second.meaning.group, second.meaning.other)
        found.add((first.meaning.side.value, second.meaning.side.value))
        assert truth(first.meaning, first.picture.scene) is truth(second.meaning, second.picture.scene) is not None
    assert found == becomes


def test_a_floor_is_not_asked_about() -> None:
    assert cases(ROTATE, garden(dog=(0, 0), rug=(100, 50)), "90") == []
    assert cases(ROTATE, garden(dog=(0, 0), car=(100, 50)), "90")


def test_the_verdict() -> None:
    case = cases(ROTATE, IN_A_ROW, "90")[0]
    assert ROTATE.judge(case, answers_of("yes", "yes")).outcome is Outcome.HOLDS
    assert ROTATE.judge(case, answers_of("yes", "no")).outcome is Outcome.VIOLATED
