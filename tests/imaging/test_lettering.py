"""Any text can be drawn, and stays within its width."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from pytest_vqamt.imaging.lettering import INK, drawable, width_px, wrapped, write
from tests.rows import each_row

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
