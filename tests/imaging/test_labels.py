"""Labels: what they say where there are many, and that no two lie on each other while there is room."""

from __future__ import annotations

from pytest_vqamt.core.box import Box
from pytest_vqamt.imaging.outlines import Outline, OutlineKind, Rect, label_place, label_words
from tests.rows import each_row

FRAME = (200, 150)


def outlines(shows: OutlineKind, *labels: str) -> list[Outline]:
    return [Outline(box=Box(0, 0, 10, 10), label=label, shows=shows) for label in labels]


def place(rect: Rect, *taken: Rect, label: tuple[int, int] = (40, 16), is_needed: bool = True) -> Rect | None:
    return label_place(label, rect, FRAME, taken, is_needed=is_needed)


def test_a_few_bear_their_names() -> None:
    assert label_words(outlines(OutlineKind.ASKED, "dog", "dog", "cat", "dog", "dog")) == [
        "dog",
        "dog",
        "cat",
        "dog",
        "dog",
    ]


def test_many_of_one_name_are_numbered() -> None:
    named = outlines(OutlineKind.ASKED, "dog", "dog", "cat", "dog", "dog", "dog")
    assert label_words(named) == ["dog 1", "2", "cat", "3", "4", "5"]


def test_only_what_is_asked_about_is_numbered() -> None:
    assert label_words(outlines(OutlineKind.OTHER, *["dog"] * 9)) == ["dog"] * 9


def test_a_long_label_is_shortened() -> None:
    (words,) = label_words(outlines(OutlineKind.EDITED, "inserted " + "m" * 60))
    assert words == "inserted " + "m" * 16 + "..."


def test_a_label_stands_on_its_box() -> None:
    assert place((50, 60, 120, 100)) == (50, 43, 89, 58)


def test_at_the_upper_edge_it_stands_below_its_box() -> None:
    assert place((50, 3, 120, 100)) == (50, 102, 89, 117)


def test_where_the_box_fills_the_image_it_stands_inside() -> None:
    assert place((1, 1, 198, 148)) == (1, 4, 40, 19)


def test_at_the_right_edge_it_is_moved_into_the_image() -> None:
    assert place((180, 60, 198, 100)) == (160, 43, 199, 58)


def test_needed_labels_of_one_box_lie_apart() -> None:
    taken: list[Rect] = []
    for _ in range(8):
        found = place((90, 70, 110, 80), *taken)
        assert found is not None
        assert all(apart(found, other) for other in taken)
        taken.append(found)


@each_row("near", [(90, 43, 120, 58), (20, 43, 49, 58), (50, 59, 89, 70), (50, 30, 89, 42)])
def test_a_label_may_stand_right_beside_another(near: Rect) -> None:
    assert place((50, 60, 120, 100), near) == place((50, 60, 120, 100))


@each_row("shared", [(89, 43, 120, 58), (20, 43, 50, 58), (50, 58, 89, 70), (50, 30, 89, 43)])
def test_two_labels_share_no_line_of_pixels(shared: Rect) -> None:
    assert place((50, 60, 120, 100), shared) != place((50, 60, 120, 100))


def apart(one: Rect, other: Rect) -> bool:
    return one[2] < other[0] or other[2] < one[0] or one[3] < other[1] or other[3] < one[1]


def test_one_that_is_not_needed_is_left_off_where_it_has_no_room() -> None:
    assert place((50, 60, 120, 100), is_needed=False) is not None
    assert place((50, 60, 80, 100), is_needed=False) is None, "the box is narrower than the label"
    assert place((50, 60, 120, 100), (0, 0, 199, 149), is_needed=False) is None
