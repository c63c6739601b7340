"""No two values that a thing can have at once are taken to exclude each other, and every opposite is one."""

from __future__ import annotations

import json
import tomllib
from importlib.resources import files
from itertools import combinations
from pathlib import Path

import pytest

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.meaning import Group, Related
from pytest_vqamt.data.annotations import is_multi_coloured
from pytest_vqamt.language.english.phrases import phrase
from pytest_vqamt.language.ontology import ontology
from pytest_vqamt.language.wordnet.words import find_wordnet
from pytest_vqamt.picture_world.looks import CATEGORIES
from pytest_vqamt.picture_world.source import PictureWorld
from tests.language.opposites import opposites
from tests.rows import each_row

SHARED = Path(__file__).parents[2] / "../shared/data"
KNOWN = ontology()
ATTRIBUTES = sorted(KNOWN.category_by_attribute)

PICTURE_WORLD = {
    "colour": {"color"},
    "pattern": {"pattern"},
    "size": {"size"},
    "opening": {"openness"},
    "filling": {"fullness"},
    "power": {"power"},
    "cleanness": {"cleanliness"},
    "stature": {"height"},
    "posture": {"pose", "activity"},
    "gesture": {"gesture"},
}


def test_every_word_of_the_picture_world_is_in_a_category_of_its_kind_and_can_be_asked() -> None:
    for kind, words in CATEGORIES.items():
        assert {KNOWN.category_of(word) for word in words} == PICTURE_WORLD[kind]
        assert [word for word in words if not KNOWN.askable(word)] == []


def test_words_of_two_kinds_of_the_picture_world_never_exclude_each_other() -> None:
    for (kind, words), (_, others) in combinations(CATEGORIES.items(), 2):
        assert [(kind, a, b) for a in words for b in others if KNOWN.excludes(a, b)] == []


def test_no_thing_of_the_picture_world_has_two_attributes_that_exclude_each_other() -> None:
    world = PictureWorld(300)
    things = [thing for i in range(300) for thing in world.scene(i).objects]
    assert len(things) > 600
    for thing in things:
        assert [pair for pair in combinations(thing.attributes, 2) if KNOWN.excludes(*pair)] == []


@pytest.mark.skipif(not SHARED.exists(), reason="needs ../shared/data")
def test_every_attribute_of_the_visual_genome_vocabulary_has_a_category() -> None:
    lines = (SHARED / "vocab/vg_attributes_vocab.txt").read_text(encoding="utf-8").splitlines()
    words = [word.strip() for line in lines for word in line.split(",")]
    assert len(lines) == 400
    assert [word for word in words if KNOWN.category_of(word) is None] == []


@pytest.mark.skipif(not SHARED.exists(), reason="needs ../shared/data")
def test_no_annotated_thing_has_two_attributes_that_exclude_each_other() -> None:
    gqa = json.loads((SHARED / "gqa/sceneGraphs.json").read_text(encoding="utf-8"))
    genome = json.loads((SHARED / "visual_genome/scene_graphs.json").read_text(encoding="utf-8"))
    graphs = [*(list(graph["objects"].values()) for graph in gqa.values()), *(graph["objects"] for graph in genome)]
    annotated = [thing.get("attributes", []) for things in graphs for thing in things]
    assert sum(len(attributes) > 1 for attributes in annotated) > 5
    for attributes in annotated:
        assert [word for word in attributes if KNOWN.category_of(word) is None] == []
        if not is_multi_coloured(attributes):
            assert [pair for pair in combinations(attributes, 2) if KNOWN.excludes(*pair)] == []


@each_row(
    ("a", "b"),
    [
        ("dark", "black"),
        ("gold", "yellow"),
        ("golden", "gold"),
        ("tan", "beige"),
        ("beige", "brown"),
        ("cream", "tan"),
        ("silver", "gray"),
        ("silver", "metallic"),
        ("metallic", "metal"),
        ("wooden", "wood"),
        ("round", "circular"),
        ("navy", "blue"),
        ("dark blue", "blue"),
        ("gray", "grey"),
        ("maroon", "red"),
        ("teal", "green"),
        ("teal", "blue"),
        ("walking", "standing"),
        ("running", "jumping"),
        ("running", "standing"),
        ("sleeping", "lying"),
        ("sleeping", "sitting"),
        ("eating", "standing"),
        ("eating", "sitting"),
        ("grazing", "standing"),
        ("waving", "standing"),
        ("wood", "metal"),
        ("metal", "glass"),
        ("brick", "stone"),
        ("plaid", "striped"),
        ("spotted", "dotted"),
        ("small", "little"),
        ("short", "small"),
        ("tall", "long"),
        ("sunny", "cloudy"),
        ("multicolored", "red"),
        ("black and white", "black"),
        ("clean", "wet"),
        ("young", "baby"),
        ("soccer", "baseball"),
        ("frobbed", "red"),
        ("red", "red"),
    ],
)
def test_what_one_thing_can_be_at_once_is_not_exclusive(a: str, b: str) -> None:
    assert not KNOWN.excludes(a, b)
    assert not KNOWN.excludes(b, a)


@each_row(
    ("a", "b"),
    [
        ("red", "green"),
        ("grey", "red"),
        ("black", "white"),
        ("light blue", "dark blue"),
        ("striped", "plain"),
        ("checkered", "dotted"),
        ("wooden", "plastic"),
        ("glass", "leather"),
        ("round", "square"),
        ("standing", "sitting"),
        ("laying", "standing"),
        ("walking", "sitting"),
        ("flying", "standing"),
        ("skiing", "surfing"),
        ("sleeping", "running"),
        ("whole", "sliced"),
        ("parked", "moving"),
        ("overcast", "cloudless"),
    ],
)
def test_what_no_thing_is_at_once_is_exclusive(a: str, b: str) -> None:
    assert KNOWN.excludes(a, b)
    assert KNOWN.excludes(b, a)


def test_exclusion_is_of_two_different_members_of_a_category_both_ways() -> None:
    for a, b in KNOWN.exclusive:
        assert a != b
        assert (b, a) in KNOWN.exclusive
        assert any({a, b} <= set(each.members) for each in KNOWN.categories.values())


def test_opposites_are_mutual_exclusive_and_of_one_category() -> None:
    assert len(KNOWN.opposites) > 60
    for a in ATTRIBUTES:
        for b in KNOWN.antonyms(a):
            assert a in KNOWN.antonyms(b)
            assert KNOWN.excludes(a, b)
            assert any({a, b} <= set(each.members) for each in KNOWN.categories.values())


def test_opposites_are_so_in_wordnet_or_the_file_says_why() -> None:
    try:
        find_wordnet("full")
    except OptionError:
        pytest.skip("needs all of WordNet: the bundled extract lacks some adjectives")
    table = tomllib.loads(files("pytest_vqamt.language.ontology").joinpath("ontology.toml").read_text("utf-8"))
    pairs = [pair for each in table["category"].values() for pair in each.get("antonyms", ())]
    assert len(pairs) > 40
    unexplained = [
        pair
        for pair in pairs
        if len(pair) < 3 and pair[1] not in opposites(pair[0], "full") and pair[0] not in opposites(pair[1], "full")
    ]
    assert unexplained == []


@each_row(
    ("attribute", "name", "expected"),
    [
        ("open", "", "closed"),
        ("shut", "", "open"),
        ("opened", "door", "closed"),
        ("small", "", "large"),
        ("little", "", "big"),
        ("tall", "man", "short"),
        ("long", "hair", "short"),
        ("short", "", None),
        ("short", "man", "tall"),
        ("short", "hair", "long"),
        ("short", "thingamajig", None),
        ("old", "", None),
        ("old", "woman", "young"),
        ("old", "bus", "new"),
        ("young", "", "old"),
        ("straight", "hair", "curly"),
        ("red", "", None),
        ("on", "", "off"),
        ("smiling", "", None),
        ("frobbed", "", None),
    ],
)
def test_antonym(attribute: str, name: str, expected: str | None) -> None:
    assert KNOWN.antonym(attribute, name) == expected


def test_spellings_are_one_value_in_every_respect() -> None:
    assert len(KNOWN.spellings) > 60
    for spelling, usual in KNOWN.spellings.items():
        assert KNOWN.canonical(spelling) == usual == KNOWN.canonical(usual)
        assert KNOWN.category_of(spelling) == KNOWN.category_of(usual) is not None
        assert KNOWN.askable(spelling) == KNOWN.askable(usual)
        assert not KNOWN.excludes(spelling, usual)


@each_row(
    ("attribute", "gradable", "askable"),
    [
        ("small", True, True),
        ("tall", True, True),
        ("old", True, True),
        ("dark", True, True),
        ("red", False, True),
        ("open", False, True),
        ("off", False, True),
        ("standing", False, True),
        ("playing tennis", False, True),
        ("in air", False, True),
        ("holding", False, False),
        ("carrying", False, False),
        ("looking", False, False),
        ("soccer", False, False),
        ("left", False, False),
        ("real", False, False),
        ("stuffed", False, False),
        ("several", False, False),
        ("delicious", False, False),
        ("made", False, False),
        ("frobbed", False, False),
    ],
)
def test_gradable_and_askable(attribute: str, gradable: bool, askable: bool) -> None:
    assert KNOWN.is_gradable(attribute) is gradable
    assert KNOWN.askable(attribute) is askable


def test_categories_say_what_they_are() -> None:
    assert [KNOWN.noun(each) for each in ("color", "material", "height", "pose", "power", "nonsense")] == [
        "color", "material", "height", "pose", "", "",
    ]  # fmt: skip
    assert [name for name in KNOWN.categories if KNOWN.is_action(name)] == ["pose", "activity", "sport", "gesture"]
    assert {"walking", "eating", "sitting"} <= set(KNOWN.members("activity"))
    assert KNOWN.category_of("walking") == "activity"
    assert KNOWN.members("nonsense") == ()


def test_predicates_stand_between_two_nouns() -> None:
    first_words = set()
    for predicate in KNOWN.predicates:
        related = Related(predicate=predicate, to=Group(name="table"))
        words = phrase(Group(name="dog", related=(related,)), "singular")
        assert words.startswith("dog ")
        assert words.endswith(" a table")
        first_words.add(words.split()[1])
    odd = {word for word in first_words if not word.endswith(("ing", "ed"))}
    assert odd <= {
        "on", "in", "under", "above", "below", "beneath", "underneath", "over", "inside", "behind", "beside", "near",
        "next", "by", "close", "to", "around", "along", "against", "at", "across", "written",
    }  # fmt: skip


def test_predicates_that_say_nothing_or_need_a_whole_are_left_out_and_vague_ones_come_last() -> None:
    assert len(set(KNOWN.predicates)) == len(KNOWN.predicates)
    assert {
        "on",
        "under",
        "wearing",
        "wears",
        "holding",
        "near",
        "to the left of",
        "in front of",
        "sitting on",
        "riding",
    } <= set(KNOWN.predicates)
    assert not any(KNOWN.asks(predicate) for predicate in ("of", "with", "has", "have", "for", "made of", "is", ""))
    vague = [KNOWN.is_vague(predicate) for predicate in KNOWN.predicates]
    assert vague == sorted(vague)
    assert [KNOWN.is_vague(each) for each in ("near", "to the left of", "behind", "on", "wearing")] == [
        True, True, True, False, False,
    ]  # fmt: skip
