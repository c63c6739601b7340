"""Options in answers, expected by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.language.answers.choices import read_choice
from pytest_vqamt.language.answers.text import Unread, Unreadable
from pytest_vqamt.language.english.nouns import plural

COLOURS = ("red", "blue", "light blue")

CHOICES = [
    ("red", COLOURS, "red"), ("Red.", COLOURS, "red"), ("The red one.", COLOURS, "red"),
    ("It is blue", COLOURS, "blue"), ("light blue", COLOURS, "light blue"),
    ("It's light-blue.", COLOURS, "light blue"), ("**Blue**", COLOURS, "blue"),
    ("The car is red, a nice red.", COLOURS, "red"), ("<think>blue or red</think>red", COLOURS, "red"),
    ("Is it red or blue? Red.", COLOURS, "red"), ("Answer: blue", COLOURS, "blue"),
    ("It is not clear, but it looks red", COLOURS, "red"), ("dogs", ("dog", "cat"), "dog"),
    ("There is a cat on it.", ("dog", "cat"), "cat"), ("women", ("man", "woman"), "woman"),
    ("It is a teddy bear.", ("bear", "teddy bear"), "teddy bear"), ("a hotdog", ("hot dog", "pizza"), "hot dog"),
    ("The T-shirt", ("t-shirt", "hat"), "t-shirt"), ("t shirt", ("t-shirt", "hat"), "t-shirt"),
    ("grey", ("gray", "white"), "gray"), ("no", ("no", "brown"), "no"), ("brown", ("no", "brown"), "brown"),
    ("sheep", ("sheep", "goat"), "sheep"), ("left", ("left", "right"), "left"),
    ("It's on the right.", ("left", "right"), "right"), ("standing", ("standing", "lying"), "standing"),
    ("glasses", ("glass", "glasses"), "glasses"),
]  # fmt: skip

NO_CHOICE = [
    ("red or blue", COLOURS, Unreadable.SEVERAL_OPTIONS),
    ("It is red, not blue.", COLOURS, Unreadable.SEVERAL_OPTIONS),
    ("red and blue", COLOURS, Unreadable.SEVERAL_OPTIONS), ("green", COLOURS, Unreadable.NO_OPTION),
    ("not red", COLOURS, Unreadable.NO_OPTION), ("It isn't red.", COLOURS, Unreadable.NO_OPTION),
    ("neither", COLOURS, Unreadable.NO_OPTION), ("reddish", COLOURS, Unreadable.NO_OPTION),
    ("bored", COLOURS, Unreadable.NO_OPTION), ("brown", ("no", "yes"), Unreadable.NO_OPTION),
    ("Yes", COLOURS, Unreadable.NO_OPTION), ("a", COLOURS, Unreadable.NO_OPTION), ("", COLOURS, Unreadable.EMPTY),
    ("I do not know", COLOURS, Unreadable.REFUSAL), ("I'm sorry, I can't say.", COLOURS, Unreadable.REFUSAL),
    ("dog", (), Unreadable.NO_OPTION),
]  # fmt: skip


@pytest.mark.parametrize(("text", "options", "option"), CHOICES)
def test_the_option_named_is_read(text: str, options: tuple[str, ...], option: str) -> None:
    assert read_choice(text, options) == option
    assert read_choice(text, options[::-1]) == option


@pytest.mark.parametrize(("text", "options", "reason"), NO_CHOICE)
def test_what_names_no_one_option_says_why(text: str, options: tuple[str, ...], reason: Unreadable) -> None:
    assert read_choice(text, options) == Unread(reason)


WORDS = ["dog", "hot dog", "teddy bear", "bear", "red", "dark red", "man", "woman", "orange", "open", "t-shirt", "bus"]
FRAMES = ["{}", "{}.", "It is the {}.", "the {} one", "I would say {}", "**{}**", "It looks like a {} to me."]


@given(
    options=st.lists(st.sampled_from(WORDS), min_size=2, max_size=3, unique=True).map(tuple),
    frame=st.sampled_from(FRAMES),
    many=st.booleans(),
    data=st.data(),
)
def test_whichever_option_is_named_in_a_sentence_is_read(
    options: tuple[str, ...], frame: str, many: bool, data: st.DataObject
) -> None:
    option = data.draw(st.sampled_from(options))
    assert read_choice(frame.format(plural(option) if many else option), options) == option


@given(text=st.text(), options=st.lists(st.text(min_size=1), max_size=3).map(tuple))
def test_every_text_has_a_reading(text: str, options: tuple[str, ...]) -> None:
    assert isinstance(read_choice(text, options), str | Unread)
