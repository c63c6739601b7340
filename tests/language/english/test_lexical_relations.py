"""Synonyms: each pair is WordNet's, or says why not; a sentence stays grammatical with others in their places."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import pytest_vqamt.language
from pytest_vqamt.language.english.lexical_relations import (
    Replacement,
    apply_replacements,
    find_words,
    name_replacements,
    opposite_name,
    opposite_place,
    opposite_pronouns,
    synonym_replacements,
)
from pytest_vqamt.language.english.nouns import singular
from pytest_vqamt.language.question_ranking.word_overlap import NltkSynsets
from pytest_vqamt.language.tables import toml_table
from pytest_vqamt.language.wordnet import wordnet
from pytest_vqamt.language.wordnet.words import find_wordnet
from tests.rows import each_row

TABLE = tomllib.loads(
    Path(pytest_vqamt.language.__file__).parent.joinpath("english", "synonyms.toml").read_text(encoding="utf-8")
)
PAIRS = [
    (part_of_speech, *pair)
    for section, part_of_speech in (("names", "n"), ("attributes", "a"))
    for pair in (*TABLE[section]["both_ways"], *TABLE[section]["one_way"])
]


@cache
def synsets() -> NltkSynsets:
    return NltkSynsets(find_wordnet("bundled"))


def share_a_synset(part_of_speech: str, a: str, b: str) -> bool:
    kinds = "n" if part_of_speech == "n" else "as"
    of_a, of_b = (
        {each.name() for each in synsets().of(word.replace(" ", "_")) if each.pos() in kinds} for word in (a, b)
    )
    return not of_a.isdisjoint(of_b)


@each_row("pair", PAIRS)
def test_both_words_share_a_synset_or_the_table_says_why_they_are_there(pair: tuple[str, ...]) -> None:
    part_of_speech, a, b, *reason = pair
    assert share_a_synset(part_of_speech, a, b) == (not reason), reason or "say why, or leave the pair out"


def test_the_check_of_pairs_finds_those_that_are_none() -> None:
    assert not share_a_synset("n", "cup", "mug")
    assert not share_a_synset("a", "wet", "damp")


def test_all_is_in_lower_case_and_in_the_singular() -> None:
    assert len(PAIRS) > 30
    assert len({pair[1:3] for pair in PAIRS}) == len(PAIRS)
    for _, a, b, *_ in PAIRS:
        assert (a, b) == (a.lower(), b.lower())
    assert [name for kind, *names in PAIRS if kind == "n" for name in names[:2] if singular(name) != name] == []


@each_row(
    ("text", "after"),
    [
        # Articles, number, capitals.
        ("There is an airplane.", "There is a plane."),
        ("Two couches are in the room.", "Two sofas are in the room."),
        ("A man is holding a cup.", "A guy holds a cup."),
        ("Couch and man.", "Sofa and guy."),
        ("There is a gray car near the bush.", "There is a grey automobile close to the shrub."),
        ("two children are sitting on a rock", "two kids sit on a stone"),
        ("boys wearing hats", "lads wearing hats"),  # Chang et al., section 6.1
        ("A dog is under a large table.", "A dog is underneath a big table."),
    ],
)
def test_all_that_can_be_replaced_at_once(text: str, after: str) -> None:
    chosen: list[Replacement] = []
    for each in synonym_replacements(text):
        if all(each.end <= other.start or other.end <= each.start for other in chosen):
            chosen.append(each)
    assert apply_replacements(text, chosen) == after


@each_row(
    "text",
    [
        "people are bike riding.",  # no bike
        "a bicycle lane",
        "a baby elephant is here",
        "the policeman's hat",
        "man-made things",
        "a rock concert",
        "he is lying about something and smiling",  # "lies and smiling"
        "they are under construction",  # no place
        "a table is near",
        "the bikes are here",  # a bike may have a motor
        "two mugs",
    ],
)
def test_a_word_that_may_be_something_else_stays(text: str) -> None:
    assert synonym_replacements(text) == ()


def test_what_one_word_is_by_another() -> None:
    text = "A dog and two dogs are on the dog house."
    places = name_replacements(text, "dog", "animal")
    assert apply_replacements(text, places) == "An animal and two animals are on the dog house."
    assert name_replacements("a hot dog", "cat", "animal") == ()


@given(st.lists(st.sampled_from(("a", "an", "couch", "airplane", "red", "is", "and", "holding", ",")), max_size=12))
def test_nothing_else_changes(words: list[str]) -> None:
    text = " ".join(words)
    for each in synonym_replacements(text):
        after = apply_replacements(text, [each])
        rest = re.sub(r"\ban?\b", "a", text[: each.start]), re.sub(r"\ban?\b", "a", text[each.end :])
        assert re.sub(r"\ban?\b", "a", after) == f"{rest[0]}{each.words}{rest[1]}"


def test_a_word_is_found_whole() -> None:
    assert [place.start() for place in find_words("Man, a man and a woman: man-made", "man")] == [0, 7]


# ---- opposite words


def test_opposite_names_are_of_the_same_kind_and_of_two_sexes() -> None:
    words = wordnet()
    opposites = {
        name: opposite_name(name) or "" for pair in toml_table("english/opposites.toml")["names"] for name in pair
    }
    assert len(opposites) > 40
    for name, other in opposites.items():
        assert name != other
        assert name in (opposites[other], "guy", "gentleman", "lady"), (name, other)
    known = [pair for pair in opposites.items() if all(map(words.sense, pair))]
    assert len(known) > 30
    for pair in known:
        ours, theirs = (words.at_or_above(words.sense(name) or "") for name in pair)
        assert "organism.n.01" in ours & theirs, pair


def test_opposites_the_other_way() -> None:
    assert (opposite_name("man"), opposite_name("woman")) == ("woman", "man")
    assert (opposite_name("lady"), opposite_name("guy")) == ("guy", "lady")
    assert (opposite_place("outside"), opposite_place("indoors")) == ("inside", "outdoors")


def test_pronouns_of_the_other_sex() -> None:
    assert dict(opposite_pronouns("boy")) == {"he": "she", "his": "her", "him": "her", "himself": "herself"}
    assert dict(opposite_pronouns("wife")) == {"she": "he", "herself": "himself"}
