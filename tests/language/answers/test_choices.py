"""Options in answers, expected by hand."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pytest_vqamt.core.meaning import Label
from pytest_vqamt.language.answers.answer_text import Unreadable, UnreadableAnswer
from pytest_vqamt.language.answers.choices import (
    _ways,
    _without_prepositions,
    find_options,
    read_choice,
    read_label,
)
from pytest_vqamt.language.english.nouns import plural
from tests.rows import each_row

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
    ("It is red or blue.", COLOURS, Unreadable.SEVERAL_OPTIONS),
    ("red and blue", COLOURS, Unreadable.SEVERAL_OPTIONS), ("green", COLOURS, Unreadable.NO_OPTION),
    ("not red", COLOURS, Unreadable.NO_OPTION), ("It isn't red.", COLOURS, Unreadable.NO_OPTION),
    ("neither", COLOURS, Unreadable.NO_OPTION), ("reddish", COLOURS, Unreadable.NO_OPTION),
    ("bored", COLOURS, Unreadable.NO_OPTION), ("brown", ("no", "yes"), Unreadable.NO_OPTION),
    ("Yes", COLOURS, Unreadable.NO_OPTION), ("a", COLOURS, Unreadable.NO_OPTION), ("", COLOURS, Unreadable.EMPTY),
    ("I do not know", COLOURS, Unreadable.UNSURE), ("I'm sorry, I can't say.", COLOURS, Unreadable.UNSURE),
    ("dog", (), Unreadable.NO_OPTION),
]  # fmt: skip


@each_row(("text", "options", "option"), CHOICES)
def test_the_option_named_is_read(text: str, options: tuple[str, ...], option: str) -> None:
    assert read_choice(text, options) == option
    assert read_choice(text, options[::-1]) == option


@each_row(("text", "options", "reason"), NO_CHOICE)
def test_what_names_no_one_option_says_why(text: str, options: tuple[str, ...], reason: Unreadable) -> None:
    assert read_choice(text, options) == UnreadableAnswer(reason)


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
@example(text="0", options=("\x85",))
def test_every_text_has_a_reading(text: str, options: tuple[str, ...]) -> None:
    assert isinstance(read_choice(text, options), str | UnreadableAnswer)


LABELS = [
    ("entailment", Label.ENTAILMENT), ("Entailment.", Label.ENTAILMENT), ("entailed", Label.ENTAILMENT),
    ("ENTAILS", Label.ENTAILMENT), ("Entail", Label.ENTAILMENT), ("Entailment?", Label.ENTAILMENT),
    ("The image entails the hypothesis.", Label.ENTAILMENT), ("Entailment: yes", Label.ENTAILMENT),
    ("The answer is contradiction", Label.CONTRADICTION), ("contradicts", Label.CONTRADICTION),
    ("It is a contradiction.", Label.CONTRADICTION), ("Contradictory", Label.CONTRADICTION),
    ("Contradiction. There is no dog.", Label.CONTRADICTION), ("Contradiction: no dog is there", Label.CONTRADICTION),
    ("There is no dog, so it is a contradiction.", Label.CONTRADICTION), ("No, contradiction", Label.CONTRADICTION),
    ("There is no dog, which contradicts the hypothesis.", Label.CONTRADICTION),
    ("There is no dog in the picture which contradicts it.", Label.CONTRADICTION),
    ("Does the picture entail the hypothesis? Contradiction.", Label.CONTRADICTION),
    ("Entailment, neutral or contradiction? Neutral.", Label.NEUTRAL),
    ("neutral", Label.NEUTRAL), ("Answer: **Neutral**", Label.NEUTRAL), ("Label: neutral", Label.NEUTRAL),
    ("<think>entailment? no</think>Neutral", Label.NEUTRAL), ("Neutral: the picture does not tell", Label.NEUTRAL),
    ("Neutral. It cannot be determined from the picture.", Label.NEUTRAL),
    ("There is not enough information, so neutral", Label.NEUTRAL),
]  # fmt: skip

NO_LABEL = [
    ("yes", Unreadable.NO_LABEL), ("maybe", Unreadable.UNSURE), ("not entailed", Unreadable.NO_LABEL),
    ("The image does not contradict it.", Unreadable.NO_LABEL), ("entailment or neutral", Unreadable.SEVERAL_LABELS),
    ("entailment, neutral, contradiction", Unreadable.SEVERAL_LABELS), ("", Unreadable.EMPTY),
    ("I don't know", Unreadable.UNSURE), ("I don't see any contradiction", Unreadable.NO_LABEL),
    ("non-entailment", Unreadable.NO_LABEL), ("Non-contradictory.", Unreadable.NO_LABEL),
    ("without contradiction", Unreadable.NO_LABEL), ("uncontradicted", Unreadable.NO_LABEL),
    ("fails to support entailment", Unreadable.NO_LABEL), ("It won't be entailment", Unreadable.NO_LABEL),
    ("It is neither entailment nor contradiction", Unreadable.NO_LABEL),
    ("Nothing in the picture contradicts it.", Unreadable.NO_LABEL), ("Entailment: no", Unreadable.NO_LABEL),
    ("There is no evidence of a contradiction", Unreadable.NO_LABEL), ("hardly neutral", Unreadable.NO_LABEL),
    ("It is not necessarily entailed.", Unreadable.NO_LABEL), ("The entailment is not shown", Unreadable.NO_LABEL),
    ("I do not think this is a contradiction", Unreadable.NO_LABEL),
    ("Does the picture entail the hypothesis? No.", Unreadable.NO_LABEL),
    ("I can't say it is entailment", Unreadable.UNSURE), ("I can't say that it is neutral", Unreadable.UNSURE),
    ("I cannot tell whether it is entailment or neutral.", Unreadable.UNSURE),
]  # fmt: skip


@each_row(("text", "label"), LABELS)
def test_the_label_named_is_read(text: str, label: Label) -> None:
    assert read_label(text) is label


@each_row(("text", "reason"), NO_LABEL)
def test_what_names_no_one_label_says_why(text: str, reason: Unreadable) -> None:
    assert read_label(text) == UnreadableAnswer(reason)


NAMES = {
    Label.ENTAILMENT: ("entailment", "entailed", "entails", "Entail"),
    Label.NEUTRAL: ("neutral", "NEUTRAL"),
    Label.CONTRADICTION: ("contradiction", "contradicted", "contradicts", "Contradictory"),
}
DENIALS = (
    "not {}",
    "It isn't {}",
    "no {}",
    "without {}",
    "It won't be {}",
    "I don't see any {}",
    "never a {}",
    "non-{}",
)


@given(
    label=st.sampled_from(Label),
    frame=st.sampled_from(("{}", "{}.", "It is {}", "**{}**", "{}: it is so")),
    data=st.data(),
)
def test_whichever_label_is_named_in_a_sentence_is_read(label: Label, frame: str, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(NAMES[label]))
    assert read_label(frame.format(name)) is label


@given(label=st.sampled_from(Label), denial=st.sampled_from(DENIALS), data=st.data())
def test_a_label_that_is_denied_is_not_taken(label: Label, denial: str, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(NAMES[label]))
    assert read_label(denial.format(name)) == UnreadableAnswer(Unreadable.NO_LABEL)


@given(text=st.text())
def test_every_text_has_a_reading_of_answer_labels(text: str) -> None:
    assert isinstance(read_label(text), Label | UnreadableAnswer)


@pytest.mark.parametrize("repeated", ["entail ", "not it is ", "no ", "contradiction? ", "is it neutral "])
def test_answers_without_end_are_read(repeated: str) -> None:
    assert read_label(repeated * 8000) == read_label(repeated * 80)


_OPTIONS = (
    *("blue", "light blue", "hot dog", "glass", "glasses", "food"),
    *("at the beach", "t-shirt", "5", "-5", "a--b", "狗"),
)
_WORDS = [
    "light",
    "blue",
    "hotdog",
    "hot",
    "dogs",
    "glass",
    "glasses",
    "pasta",
    "beach",
    "t",
    "shirt",
    "tshirt",
    "5",
    "-",
    "'s",
    "a",
    "b",
    ".",
    "_",
    "狗",
]


def _by_pattern(answer: str, options: tuple[str, ...]) -> list[tuple[int, int]]:
    """The mentions by one pattern of all ways, the longest first: slow, and plainly right."""
    ways = {way for option in options for way in _ways(option) if way.strip(" -")} | set(_without_prepositions(options))
    longest = sorted(ways, key=lambda way: (-len(way), way))
    pattern = "|".join("[ -]?".join(map(re.escape, re.split("[ -]", way))) for way in longest)
    return [found.span() for found in re.finditer(rf"(?<![a-z0-9_'])(?:{pattern})(?![a-z0-9_])", answer)]


@given(
    options=st.lists(st.sampled_from(_OPTIONS), min_size=1, unique=True).map(tuple),
    words=st.lists(st.sampled_from(_WORDS)),
    joint=st.sampled_from(["", " ", "-"]),
)
def test_mentions_are_those_of_a_pattern_of_all_ways(options: tuple[str, ...], words: list[str], joint: str) -> None:
    answer = joint.join(words)
    assert [(start, end) for _, start, end in find_options(answer, options)] == _by_pattern(answer, options)
