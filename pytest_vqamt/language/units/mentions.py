"""Whether a property mentions what another unit names: by its name, by another word for it, or by a pronoun.

Where that is in doubt, it does: a property that is dropped costs a test some of its words, and one that speaks of
something erased would make the test wrong.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import takewhile

from pytest_vqamt.language.english.families import one_is_a_kind_of_the_other
from pytest_vqamt.language.english.nouns import singular
from pytest_vqamt.language.units.lexicon import Tag, look_up, words_of
from pytest_vqamt.language.units.parsing import read
from pytest_vqamt.language.units.things import is_living, is_people
from pytest_vqamt.language.units.unit import DescriptionUnit, head_noun
from pytest_vqamt.language.units.verbs import verb_forms
from pytest_vqamt.language.wordnet import wordnet

_WORD = re.compile(r"\w+(?:-\w+)*")
_SHORTEST_STEM = 4


def mentions(unit: DescriptionUnit, erased: DescriptionUnit, *, is_first: bool) -> bool:
    """Whether the unit's property mentions what the erased unit names.

    Args:
        unit: whose property is looked at.
        erased: another unit of the hypothesis.
        is_first: whether the unit comes before the erased one, so that "his" in it is more likely its own.
    """
    words = _WORD.findall(unit.property.lower())
    name = head_noun(erased.object)
    return (
        any(_is_word_for(word, name) for word in words)
        or any(_stands_for(word, unit, erased, is_first=is_first) for word in words)
        or _takes_both(unit.property, erased.property)
    )


@lru_cache(maxsize=65536)
def _is_word_for(word: str, name: str) -> bool:
    """Whether a word of a property can be another word for a thing of the name: a synonym, a kind of it, what it is."""
    one = singular(word)
    if name in (one, word):
        return True
    if look_up(word).closed is not None:
        return False
    if is_people(word) and is_people(name):
        return not _exclude_each_other(one, name)
    stem = name.removesuffix("e")
    if one.endswith(name) or name.endswith(one) or (len(stem) >= _SHORTEST_STEM and word.startswith(stem)):
        return True  # "football" with the ball erased, "skateboarding" with the skateboard
    is_known = wordnet().sense(one) is not None and wordnet().sense(name) is not None
    return is_known and (wordnet().may_name_the_same(one, name) or one_is_a_kind_of_the_other(one, name))


def _exclude_each_other(one: str, other: str) -> bool:
    """Whether nobody is both: a man and a woman, a boy and an adult."""
    table = _mention_words()
    return any(
        (one in table[these] and other in table[those]) or (one in table[those] and other in table[these])
        for these, those in (("men", "women"), ("young", "grown"))
    )


def _stands_for(word: str, unit: DescriptionUnit, erased: DescriptionUnit, *, is_first: bool) -> bool:
    table = _mention_words()
    name = head_noun(erased.object)
    if word in table["somebody"]:
        return is_people(name)
    if word in table["something"]:
        return not is_people(name)
    if word in table["another"]:
        return is_living(name) == is_living(head_noun(unit.object))
    if not _can_stand_for(word, erased):
        return False
    return not (is_first and word in table["of_subject"] and _can_stand_for(word, unit))


def _can_stand_for(pronoun: str, unit: DescriptionUnit) -> bool:
    table = _mention_words()
    name = head_noun(unit.object)
    if pronoun in table["many"]:
        return unit.is_plural or is_people(name)
    if unit.is_plural:
        return False
    if pronoun in table["male"]:
        return is_living(name) and name not in table["women"]
    if pronoun in table["female"]:
        return is_living(name) and name not in table["men"]
    return pronoun in table["neuter"] and (not is_people(name) or name in ("baby", "child", "infant"))


def _takes_both(one: str, other: str) -> bool:
    """Whether what is said of both, in the same words, is something that two do with each other, or are together."""
    table = _mention_words()
    shared = _words_at_the_end(_WORD.findall(one.lower()), _WORD.findall(other.lower()))
    text = " ".join(shared)
    if any(phrase in text for phrase in table["mutual_phrases"]) or not table["mutual_words"].isdisjoint(shared):
        return True
    if any(verb_forms(word)[0] in table["mutual_verbs"] for word in shared):
        return True
    are = read(f"they {text}")  # "are twins", "are a couple": nobody is
    return any(
        are.tag(it.start - 1) is Tag.BE and (are.is_plural(it) or are.word(it.head) in words_of("collective"))
        for it in are.phrases[1:2]
    )


def _words_at_the_end(one: Sequence[str], other: Sequence[str]) -> list[str]:
    """The words that both end with."""
    pairs = zip(reversed(one), reversed(other), strict=False)
    return [word for word, _ in takewhile(lambda pair: pair[0] == pair[1], pairs)][::-1]


@cache
def _mention_words() -> Mapping[str, frozenset[str]]:
    text = files("pytest_vqamt.language.units").joinpath("mentions.toml").read_text(encoding="utf-8")
    return {key: frozenset(words) for key, words in tomllib.loads(text).items()}
