"""The units that remain when one of the objects is erased."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache, partial
from itertools import takewhile

from pytest_vqamt.language.english.families import is_kind_either_way
from pytest_vqamt.language.english.nouns import singular
from pytest_vqamt.language.tables import word_set
from pytest_vqamt.language.units.lexicon import VERBS, Tag, look_up, verb_forms, words_of
from pytest_vqamt.language.units.parser import parse
from pytest_vqamt.language.units.unit import DescriptionUnit, Sentence, head_noun, is_living, is_people, says_all_of
from pytest_vqamt.language.units.writing import object_phrase
from pytest_vqamt.language.wordnet import wordnet

_mentions = partial(word_set, "units/mentions.toml")
_unasserted = partial(word_set, "units/unasserted.toml")


def without_unit(units: Sequence[DescriptionUnit], erased: int) -> tuple[DescriptionUnit, ...]:
    """Returns the other units; those whose property mentions the erased object lose it (VEglue section 3.4.1).

    **Deviation** for soundness: the paper looks for the words of the erased object. Here synonyms, kinds and plurals of
    it are mentions, too, as are pronouns that may stand for it and mutual actions ("are hugging"). An object that only
    a dropped property names as sought, meant or pictured is dropped, too.

    >>> man = DescriptionUnit(object="man", property="is aiming his rifle at something")
    >>> without_unit((man, DescriptionUnit(object="rifle")), 1)
    (DescriptionUnit(object='man', property='', is_plural=False),)

    Args:
        units: those of one hypothesis, in order.
        erased: the place of the one to leave out.
    """
    return tuple(unit for _, unit in remaining_units(units, erased))


def remaining_units(units: Sequence[DescriptionUnit], erased: int) -> tuple[tuple[int, DescriptionUnit], ...]:
    """Returns the units of ``without_unit``, each with its place among ``units``."""
    gone = units[erased]
    kept = [(place, unit) for place, unit in enumerate(units) if place != erased and not _is_some_of(unit, gone)]
    left = [
        replace(
            unit,
            object=_without_owner(unit.object, gone),
            property="" if mentions(unit, gone, is_first=place < erased) else unit.property,
        )
        for place, unit in kept
    ]
    pairs = [(unit, now) for (_, unit), now in zip(kept, left, strict=True)]
    return tuple((place, now) for (place, unit), now in zip(kept, left, strict=True) if _stays(unit, units, pairs))


def _stays(
    unit: DescriptionUnit, units: Sequence[DescriptionUnit], pairs: Sequence[tuple[DescriptionUnit, DescriptionUnit]]
) -> bool:
    """Whether the hypothesis asserts the thing, or a remaining property mentions it as the hypothesis does.

    ``pairs``: each remaining unit before and after.
    """
    tells = (was for was, now in pairs if was is not unit and says_all_of(now, unit))
    return _is_sure(unit, units) or any(_stays(was, units, pairs) for was in tells)


def _is_sure(unit: DescriptionUnit, units: Sequence[DescriptionUnit]) -> bool:
    """Whether the hypothesis asserts the thing: not "bus" of "is waiting for the bus"."""
    tellers = [other for other in units if other is not unit and says_all_of(other, unit)]
    return not tellers or any(is_assertive(other, unit) and _is_sure(other, units) for other in tellers)


def _is_some_of(unit: DescriptionUnit, gone: DescriptionUnit) -> bool:
    """Whether the unit is one of the erased: "one of the men"."""
    return unit.object.lower().startswith("one of ") and head_noun(unit.object) == head_noun(gone.object)


def _without_owner(name: str, gone: DescriptionUnit) -> str:
    """Returns "hat" of "man's hat" if the man is erased."""
    owner, apostrophe, own = name.partition("'s ")
    if apostrophe and head_noun(owner) == head_noun(gone.object):
        return own
    whole, of, part_of = name.partition(" of ")
    return (
        whole if of and head_noun(whole) == head_noun(name) and head_noun(part_of) == head_noun(gone.object) else name
    )


# Where that is in doubt, it does: a property that is dropped costs a test some of its words, and one that speaks of
# something erased would make the test wrong.


_WORD = re.compile(r"\w+(?:-\w+)*")
_SHORTEST_STEM = 4


def mentions(unit: DescriptionUnit, erased: DescriptionUnit, *, is_first: bool) -> bool:
    """Whether the property of ``unit`` mentions the erased unit.

    ``is_first``: the unit comes before the erased one, so that "his" in it is more likely its own.
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
    """Whether a word can name a thing of the name: a synonym, a kind, a hypernym."""
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
    return is_known and (wordnet().may_name_the_same(one, name) or is_kind_either_way(one, name))


def _exclude_each_other(one: str, other: str) -> bool:
    """Whether no person is both: a man and a woman, a boy and an adult."""
    return any(
        a in _mentions(these) and b in _mentions(those)
        for these, those in (("men", "women"), ("young", "grown"))
        for a, b in ((one, other), (other, one))
    )


def _stands_for(word: str, unit: DescriptionUnit, erased: DescriptionUnit, *, is_first: bool) -> bool:
    name = head_noun(erased.object)
    if word in _mentions("somebody"):
        return is_people(name)
    if word in _mentions("something"):
        return not is_people(name)
    if word in _mentions("another"):
        return is_living(name) == is_living(head_noun(unit.object))
    if not _can_stand_for(word, erased):
        return False
    return not (is_first and word in _mentions("of_subject") and _can_stand_for(word, unit))


def _can_stand_for(pronoun: str, unit: DescriptionUnit) -> bool:
    name = head_noun(unit.object)
    if pronoun in _mentions("many"):
        return unit.is_plural or is_people(name)
    if unit.is_plural:
        return False
    if pronoun in _mentions("male"):
        return is_living(name) and name not in _mentions("women")
    if pronoun in _mentions("female"):
        return is_living(name) and name not in _mentions("men")
    return pronoun in _mentions("neuter") and (not is_people(name) or name in ("baby", "child", "infant"))


def _takes_both(one: str, other: str) -> bool:
    """Whether the words that both share at the end are a mutual action, or a state of two."""
    shared = _words_at_the_end(_WORD.findall(one.lower()), _WORD.findall(other.lower()))
    text = " ".join(shared)
    if not _mentions("mutual_words").isdisjoint(shared) or any(each in text for each in _mentions("mutual_phrases")):
        return True
    if any(verb_forms(word)[0] in _mentions("mutual_verbs") for word in shared):
        return True
    are = parse(f"they {text}")  # "are twins", "are a couple": no single thing is
    return any(
        are.tag(it.start - 1) is Tag.BE and (are.is_plural(it) or are.word(it.head) in words_of("collective"))
        for it in are.phrases[1:2]
    )


def _words_at_the_end(one: Sequence[str], other: Sequence[str]) -> list[str]:
    pairs = zip(reversed(one), reversed(other), strict=False)
    return [word for word, _ in takewhile(lambda pair: pair[0] == pair[1], pairs)][::-1]


# Where that is in doubt, it does not: a thing that is left out costs a test some words, and one that the picture lacks
# would make the test wrong.


_WHERE = frozenset({"at", "behind", "beside", "by", "in", "inside", "near", "on", "outside", "under"})
_DEFINITE = frozenset({"that", "the", "these", "this", "those"})


def is_assertive(unit: DescriptionUnit, other: DescriptionUnit) -> bool:
    """Whether the property of the unit, which names the other one, implies that it is there.

    >>> man = DescriptionUnit(object="man", property="is waiting for the bus near a sign")
    >>> is_assertive(man, DescriptionUnit(object="bus")), is_assertive(man, DescriptionUnit(object="sign"))
    (False, True)
    """
    subject = object_phrase(unit)
    return _asserts(f"{subject} {unit.property}", len(parse(subject).tokens), other.object.lower())


@lru_cache(maxsize=65536)
def _asserts(text: str, start: int, name: str) -> bool:
    sentence = parse(text)
    return any(_is_there(sentence, start, place, end) for place, end in _places(sentence, start, name))


def _places(sentence: Sentence, start: int, name: str) -> Iterator[tuple[int, int]]:
    words = [token.word for token in parse(name).tokens]
    for place in range(start, len(sentence.tokens) - len(words) + 1):
        if [token.word for token in sentence.tokens[place : place + len(words)]] == words:
            yield place, place + len(words)


def _is_there(sentence: Sentence, start: int, place: int, end: int) -> bool:
    while place > start and sentence.tag(place - 1) in (Tag.ADJECTIVE, Tag.NUMBER):
        place -= 1
    is_definite = sentence.word(place - 1) in _DEFINITE or sentence.tag(place - 1) is Tag.POSSESSIVE
    if is_definite or sentence.word(place - 1) in words_of("article"):
        place -= 1
    if sentence.word(place - 1) in _unasserted("before") or sentence.word(end) in ("nor", "or"):
        return False
    if (sentence.word(place - 2), sentence.word(place - 1)) == ("instead", "of"):
        return False
    return not any(_leaves_open(sentence, at, place, is_definite=is_definite) for at in _before(sentence, place))


def _before(sentence: Sentence, place: int) -> Iterator[int]:
    """Yields the places before, from the nearest back to the begin of the clause or the verb that "and" joins."""
    has_verb = False
    for at in range(place - 1, -1, -1):
        tag = sentence.tag(at)
        if tag is Tag.SUBORDINATOR or (tag is Tag.AND and has_verb):
            return
        has_verb = has_verb or tag in (Tag.FINITE, Tag.ING)
        yield at


def _leaves_open(sentence: Sentence, at: int, place: int, *, is_definite: bool) -> bool:
    """Whether the word at ``at`` leaves open that the thing at ``place`` is there."""
    word, tag = sentence.word(at), sentence.tag(at)
    if tag is Tag.NOT or word == "never":
        return True
    if tag is Tag.TO or word in _modals():
        return not is_definite  # "tries to climb onto the horse"
    if tag is Tag.NOUN:
        return _is_pictured(sentence, at, place) or (word, sentence.word(at + 1)) == ("way", "to")
    verb = verb_forms(word)[0] if tag in VERBS else ""
    if verb in _unasserted("awaited") or (verb in _unasserted("for") and sentence.word(at + 1) == "for"):
        return all(sentence.word(between) not in _WHERE for between in range(at + 1, place))
    is_bound = verb in _unasserted("bound") and sentence.word(place - 1) == "to"
    return is_bound or verb in _unasserted("thought") or verb in _unasserted("draws")


def _is_pictured(sentence: Sentence, at: int, place: int) -> bool:
    """Whether a picture named at ``at`` shows the thing at ``place``, and was not taken of it."""
    if singular(sentence.word(at)) not in _unasserted("depictions"):
        return False
    between = [verb_forms(sentence.word(it))[0] for it in range(at + 1, place) if sentence.tag(it) in VERBS]
    if between:
        return not _unasserted("shows").isdisjoint(between)
    is_taken = not _unasserted("takes").isdisjoint(verb_forms(token.word)[0] for token in sentence.tokens[:at])
    return sentence.word(at + 1) in ("about", "of") and not is_taken


@cache
def _modals() -> frozenset[str]:
    return words_of("modal") - {"did", "do", "does"}
