"""Labels: what they say where there are many, and that no two lie on each other while there is room; letters."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from pytest_vqamt.core.box import Box
from pytest_vqamt.imaging.lettering import INK, drawable, width_px, wrapped, write
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


# Any text can be drawn, and stays within its width.

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=60)
"""Surrogates and control characters, too."""


@given(ANY_TEXT)
def test_any_text_is_one_line_that_can_be_drawn(text: str) -> None:
    line = drawable(text)
    assert line == " ".join(line.split())
    assert line.isprintable()
    write(Image.new("RGB", (40, 20)), [(line, 13, INK)], 2, 2)


@given(ANY_TEXT, st.integers(40, 300), st.integers(1, 4))
def test_lines_fit_and_hold_the_text_up_to_where_it_is_cut(text: str, width: int, most_lines: int) -> None:
    lines = wrapped(text, width, 14, most_lines)
    assert len(lines) <= most_lines
    assert all(width_px(line, 14) <= width for line in lines)
    held = "".join(lines).replace(" ", "")
    whole = drawable(text).replace(" ", "")
    assert held == whole or (held.endswith("...") and whole.startswith(held.removesuffix("...")))


def test_words_stay_whole_where_there_is_room() -> None:
    assert wrapped("How many dogs are there?", 1000, 14) == ["How many dogs are there?"]
    lines = wrapped("How many dogs are there?", width_px("How many dogs", 14), 14)
    assert lines == ["How many dogs", "are there?"]


def test_a_word_that_is_too_long_is_broken() -> None:
    lines = wrapped("a " + "m" * 40, width_px("m" * 10, 14), 14)
    assert lines[0] == "a"
    assert "".join(lines[1:]) == "m" * 40
    assert all(len(line) <= 10 for line in lines)


@each_row("text", ["", " \n\t ", "\x00\u200d\ud800"])
def test_nothing_to_draw_is_no_line(text: str) -> None:
    assert wrapped(text, 100, 14) == []


@each_row("text", [" " * 5000, "word " * 2000, "m" * 9000])
def test_a_very_long_text_ends_in_dots(text: str) -> None:
    lines = wrapped(text, 200, 14)
    assert len(lines) <= 12
    assert lines[-1].endswith("...")


def test_what_the_font_lacks_is_put_as_near_as_it_can_be() -> None:
    # A later font of PIL may have more, and then draws it as it is.
    assert drawable("Ça naïve") in ("Ca naive", "Ça naïve")
    assert drawable("groß → 3") in ("gross -> 3", "groß → 3")
    assert drawable("a\u2013b") in ("a-b", "a\u2013b")
    assert drawable("\ufb01n\u0065\u0301") in ("fine", "\ufb01ne", "\ufb01ne\u0301")


def test_other_scripts_stay_in_the_text() -> None:
    assert drawable("貓\nand 狗") == "貓 and 狗"
