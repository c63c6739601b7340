"""A user's file adds to the ontology and overrules it, and what is wrong in one is told in one line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.language.ontology import Ontology, ontology
from pytest_vqamt.language.wordnet import wordnet

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "words.md"
WORDS = wordnet()


def opened(folder: Path, text: str) -> Ontology:
    path = folder / "own.toml"
    path.write_text(text, encoding="utf-8")
    return ontology(str(path))


def test_it_is_read_once() -> None:
    assert ontology() is ontology()
    assert ontology("") is ontology()


def test_the_example_of_the_page(tmp_path: Path) -> None:
    example = re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[0]
    own = opened(tmp_path, example)
    assert own.category_of("gloss") == "finish"
    assert own.noun("finish") == "finish"
    assert own.antonym("matte") == "gloss"
    assert own.excludes("matte", "satin")
    assert not own.excludes("satin", "gloss")
    assert own.category_of("cherry") == "color"
    assert own.excludes("cherry-red", "blue")
    assert not own.excludes("cherry red", "red")
    assert own.category_of("camouflage") is None
    assert not own.excludes("camouflage", "plain")
    assert own.classes_of("lamp", WORDS) == ("furniture",)
    assert own.classes_of("stool", WORDS) == ("seat", "furniture")
    assert own.classes_of("bed", WORDS) == ("furniture",)
    assert "seat" in own.perhaps_classes_of("bed", WORDS)
    furniture = own.noun_class("furniture")
    assert furniture is not None
    assert furniture.others("lamp") == ("chair", "table", "shelf")
    assert furniture.others("stool") == ("table", "lamp", "shelf")
    assert own.noun_class("musical instrument") is None
    assert own.asks("nailed to")
    assert not own.is_vague("nailed to")
    assert not own.asks("looking at")
    assert ontology().asks("looking at")


def test_an_empty_file_changes_nothing(tmp_path: Path) -> None:
    own, ours = opened(tmp_path, ""), ontology()
    assert own.exclusive == ours.exclusive
    assert own.categories == ours.categories
    assert own.opposites == ours.opposites
    assert own.predicates == ours.predicates
    assert own.classes == ours.classes


def test_a_word_that_moves_leaves_its_opposites_behind(tmp_path: Path) -> None:
    own = opened(tmp_path, '[category.door]\nwords = ["open", "bolted"]\nexclusive = [["open", "bolted"]]\n')
    assert own.category_of("open") == own.category_of("opened") == "door"
    assert own.category_of("closed") == "openness"
    assert own.antonym("open") is None
    assert own.antonym("closed") is None
    assert own.excludes("open", "bolted")
    assert not own.excludes("open", "closed")
    assert "open" not in own.members("openness")


def test_overlaps_end_opposites_and_exclusion(tmp_path: Path) -> None:
    own = opened(tmp_path, '[category.fullness]\noverlaps = [["full", "empty"]]\n')
    assert not own.excludes("full", "empty")
    assert own.antonym("full") is None
    assert own.excludes("half full", "empty")


def test_settings_of_a_category_can_be_changed_one_by_one(tmp_path: Path) -> None:
    own = opened(
        tmp_path,
        '[category.power]\nnoun = "power"\n'
        '[category.activity]\naskable = ["riding"]\n[category.sex]\ngradable = true\n',
    )
    assert own.noun("power") == "power"
    assert own.members("power") == ontology().members("power")
    assert own.askable("riding")
    assert not own.askable("holding")
    assert own.is_action("activity")
    assert own.is_gradable("male")


def test_an_alias_can_become_a_value_and_a_value_an_alias(tmp_path: Path) -> None:
    own = opened(tmp_path, '[category.material]\nwords = ["wooden"]\n[aliases]\nmetal = ["tin"]\n')
    assert own.canonical("wooden") == "wooden"
    assert own.canonical("tin") == "metal"
    assert own.category_of("wooden") == own.category_of("tin") == "material"
    assert "tin" not in own.members("material")


def test_a_name_goes_to_the_list_of_the_later_file(tmp_path: Path) -> None:
    own = opened(tmp_path, '[class.animal]\nnames = ["mouse"]\nperhaps = ["dog"]\n')
    assert own.classes_of("mouse", WORDS) == ("animal",)
    assert own.classes_of("dog", WORDS) == ()
    animal = own.noun_class("animal")
    assert animal is not None
    assert "dog" not in animal.others("cat")
    assert "horse" in animal.others("cat")


def test_removing_a_class_frees_those_within(tmp_path: Path) -> None:
    own = opened(tmp_path, '[remove]\nclasses = ["food"]\n')
    assert own.classes_of("apple", WORDS) == ("fruit",)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("[category", ("expected TOML", "end of document")),
        ("[categories.color]\n", ("unknown key 'categories'", "did you mean 'category'?")),
        ('[category.color]\nword = ["x"]\n', ("[category.color]", "unknown key 'word'", "did you mean 'words'?")),
        ('[category.color]\nwords = "red"\n', ("[category.color]", "words: expected a list of words", "'red'")),
        ('[category.color]\nwords = ["Red"]\n', ("[category.color]", "lower case", "'Red'")),
        ('[category.color]\nwords = ["x", "x"]\n', ("[category.color]", "'x' comes twice")),
        ("[category.color]\nnoun = 3\n", ("[category.color]", "noun: expected a text", "3")),
        ('[category.color]\naction = "no"\n', ("[category.color]", "action: expected true or false", "'no'")),
        (
            '[category.color]\nexclusive = ["red"]\n',
            ("[category.color]", "exclusive: expected a list of words", "'red'"),
        ),
        ('[category.color]\nexclusive = [["red"]]\n', ("[category.color]", "lists of 2 words or more", "['red']")),
        (
            '[category.color]\nexclusive = [["red", "blu"]]\n',
            ("[category.color]", "unknown word 'blu'", "did you mean 'blue'?"),
        ),
        (
            '[category.color]\nexclusive = [["gray", "grey"]]\n',
            ("[category.color]", "exclusive", "['gray', 'grey'] are one"),
        ),
        ('[category.color]\nantonyms = [["red", "open"]]\n', ("[category.color]", "antonyms", "unknown word 'open'")),
        ('[category.color]\nantonyms = [["red"]]\n', ("[category.color]", "antonyms: expected two words", "['red']")),
        (
            '[category.color]\nantonyms = [["red", "blue"]]\noverlaps = [["blue", "red"]]\n',
            ("[category.color]", "antonyms", "overlaps has ['red', 'blue']"),
        ),
        ('[category.a]\nwords = ["x"]\n[category.b]\nwords = ["x"]\n', ("[category.b]", "'x' is in 'a' as well")),
        ('[category.a]\nwords = ["x"]\nshares = ["x"]\n', ("[category.a]", "shares", "'x' is in words as well")),
        ('[category.a]\nshares = ["zzyzx"]\n', ("[category.a]", "shares: unknown word 'zzyzx'")),
        ('[aliases]\nzzyzx = ["y"]\n', ("[aliases]", "unknown word 'zzyzx'")),
        ('[aliases]\nred = ["y"]\nblue = ["y"]\n', ("[aliases]", "'y' comes twice")),
        ('[aliases]\nred = ["x"]\n[category.a]\nwords = ["x"]\n', ("[aliases]", "'x' is a word of category 'a'")),
        ('[opposite.short]\nfat = ["man"]\n', ("[opposite.short]", "unknown word 'fat'", "tall")),
        ('[opposite.short]\ntall = ["man"]\nlong = ["man"]\n', ("[opposite.short]", "'man'", "'tall' and 'long'")),
        ('[predicates]\nexact = ["on"]\n', ("[predicates]", "exact: expected a list of words", "'on'")),
        ('[predicates]\nexact = [["atop"]]\nvague = [["atop"]]\n', ("[predicates]", "'atop' comes twice")),
        ('[remove]\nwords = ["zzyzx"]\n', ("[remove]", "words: unknown word 'zzyzx'")),
        ('[remove]\npredicates = ["wearin"]\n', ("[remove]", "unknown word 'wearin'", "did you mean 'wearing'?")),
        ('[remove]\nclasses = ["animals"]\n', ("[remove]", "unknown word 'animals'", "did you mean 'animal'?")),
        ('[class.pet]\nsynsets = ["pet"]\n', ("[class.pet]", "synsets", "'animal.n.01'", "'pet'")),
        ('[class.pet]\nwithin = "animl"\n', ("[class.pet]", "within: unknown word 'animl'", "did you mean 'animal'?")),
        ('[class.food]\nwithin = "fruit"\n', ("[class.food]", "within", "'fruit' is more specific")),
        ('[class.pet]\nnames = ["cat"]\nperhaps = ["cat"]\n', ("[class.pet]", "names", "'cat' is in perhaps as well")),
        ('[class.pet]\nperhaps = ["cat"]\nchoices = [["cat", "dog"]]\n', ("[class.pet]", "choices", "'cat'")),
        (
            '[class.pet]\nchoices = [["cat", "dog"]]\nmay_be = {puppy = ["dgo"]}\n',
            ("[class.pet]", "may_be", "'dgo'", "'dog'?"),
        ),
        ("[class.pet]\nmay_be = 3\n", ("[class.pet]", "may_be: expected a table", "3")),
        ("class = 3\n", ("class: expected a table", "3")),
    ],
)
def test_a_mistake_is_told_in_one_line_with_file_section_and_word(
    tmp_path: Path, text: str, parts: tuple[str, ...]
) -> None:
    with pytest.raises(OptionError) as caught:
        opened(tmp_path, text)
    message = str(caught.value)
    assert "\n" not in message
    assert "own.toml" in message
    assert "docs/how-to/words.md" in message
    assert [part for part in parts if part not in message] == [], message


def test_a_file_that_cannot_be_read_is_told_in_one_line(tmp_path: Path) -> None:
    for path, what in ((tmp_path / "none.toml", "No such file"), (tmp_path, "it is a folder")):
        with pytest.raises(OptionError, match=what) as caught:
            ontology(str(path))
        assert "ontology=" in str(caught.value)
    (tmp_path / "latin.toml").write_bytes(b'[aliases]\nred = ["\xe9"]\n')
    with pytest.raises(OptionError, match="expected TOML in UTF-8"):
        ontology(str(tmp_path / "latin.toml"))
