"""Whatever stands in a line, taking it apart and putting it together again goes well."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.language.units import recombine, units_of, without_unit
from tests.rows import each_row

_WORDS = (
    "a", "an", "the", "two", "one", "some", "no", "his", "her", "man", "men", "dog", "dogs", "woman", "people",
    "boy", "and", "or", "of", "in", "on", "with", "to", "who", "that", "while", "as", "is", "are", "was", "be",
    "being", "been", "not", "can", "there", "it", "they", "running", "run", "runs", "walk", "walks", "dressed",
    "holding", "old", "red", "quickly", "outside", "rock", "group", "couple", "by", "each", "other", "both", ",",
    ".", "'s", "n't", "-", "(", ")", "12", "sand", "wave", "waves", "swimming", "pool", "like", "what", "another",
)  # fmt: skip
_SENTENCES = st.lists(st.sampled_from(_WORDS), max_size=16).map(" ".join)


@given(_SENTENCES)
def test_objects_and_properties_are_words_of_the_sentence(sentence: str) -> None:
    words = sentence.replace(" 's", "'s")
    for unit in units_of(words):
        assert unit.object
        # "Two" of "two's" is a word, too.
        known = {*words.split(), *sentence.split()}
        assert f" {unit.object} " in f" {' '.join(words.split())} " or set(unit.object.split()) <= known


@given(_SENTENCES)
def test_each_part_makes_a_sentence(sentence: str) -> None:
    units = units_of(sentence)
    for place in range(len(units)):
        left = without_unit(units, place)
        assert len(left) < len(units)
        assert {unit.object for unit in left} <= {unit.object for unit in units} | {
            unit.object.partition(" of ")[0] for unit in units
        } | {unit.object.rpartition("'s ")[2] for unit in units}
        text = recombine(left)
        assert (text == "") == (not left)
        assert not text or (text[0] == text[0].upper() and text.endswith("."))


@given(st.text(max_size=60))
def test_no_text_is_too_strange(text: str) -> None:
    recombine(units_of(text))


@each_row("word", ["running", "of a", "one of", "a", "and", "who is", "the man's", "black and", "with a dog", ","])
def test_long_lines_are_no_harm(word: str) -> None:
    units = units_of(f"{word} " * (2000 // (len(word) + 1)))
    recombine(units[:50])
