"""Four relations between questions about places: what they ask, what holds, and what is violated."""

from __future__ import annotations

from pytest_vqamt.core.case import Case, Outcome
from pytest_vqamt.core.edits import Mirror as MirrorEdit
from pytest_vqamt.core.edits import Rotate as RotateEdit
from pytest_vqamt.core.meaning import Located, Side, truth
from pytest_vqamt.relations.spatial import Antisymmetric, Inverse, Mirror, Rotate, Transitive
from tests.making import answers_of
from tests.relations.spatial.gardens import IN_A_ROW, cases, garden
from tests.rows import each_row

MIRROR, INVERSE, ANTISYMMETRIC, TRANSITIVE = Mirror(), Inverse(), Antisymmetric(), Transitive()


def located(case: Case) -> list[tuple[str, str, str]]:
    """What is asked, as thing, side and other thing."""
    found = []
    for query in case.queries:
        assert isinstance(query.meaning, Located)
        found.append((query.meaning.group.name, query.meaning.side.value, query.meaning.other.name))
    return found


def opposite(side: str) -> str:
    return Side(side).opposite.value


@each_row("variant", ["opposite", "swap"])
def test_the_second_question_is_about_the_mirrored_picture(variant: str) -> None:
    for case in cases(MIRROR, IN_A_ROW, variant):
        first, second = case.queries
        assert (first.picture.edits, second.picture.edits) == ((), (MirrorEdit(),))
        (thing, side, other), asked_again = located(case)
        assert asked_again == (thing, side if variant == "opposite" else opposite(side), other)
        assert (first.text == second.text) is (variant == "opposite")


def test_the_inverse_asks_where_the_other_thing_is() -> None:
    for case in cases(INVERSE, IN_A_ROW):
        (thing, side, other), back = located(case)
        assert back == (other, opposite(side), thing)


def test_antisymmetry_asks_whether_the_other_thing_is_on_the_same_side() -> None:
    for case in cases(ANTISYMMETRIC, IN_A_ROW):
        (thing, side, other), back = located(case)
        assert back == (other, side, thing)


def test_transitivity_asks_about_three_in_a_row() -> None:
    found = {tuple(located(case)) for case in cases(TRANSITIVE, IN_A_ROW)}
    assert found == {
        (("dog", "left", "car"), ("car", "left", "tree"), ("dog", "left", "tree")),
        (("tree", "right", "car"), ("car", "right", "dog"), ("tree", "right", "dog")),
    }


def test_left_of_a_picture_is_right_of_its_mirror_image() -> None:
    case = next(case for case in cases(MIRROR, IN_A_ROW, "opposite") if located(case)[0] == ("dog", "left", "tree"))
    assert [truth(query.meaning, query.picture.scene) for query in case.queries] == [True, False]
    assert MIRROR.judge(case, answers_of("Yes, the dog is on the left.", "No, it is to the right of the tree.")).obeys


# Quarter turns: which side becomes which, and what is not asked about.

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


def test_the_verdict_on_a_turned_picture() -> None:
    case = cases(ROTATE, IN_A_ROW, "90")[0]
    assert ROTATE.judge(case, answers_of("yes", "yes")).outcome is Outcome.HOLDS
    assert ROTATE.judge(case, answers_of("yes", "no")).outcome is Outcome.VIOLATED
