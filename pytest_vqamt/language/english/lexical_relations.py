"""Synonyms and opposites of words in a sentence, and the sentence with its words replaced."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from pytest_vqamt.core.lazy_pattern import pattern_of
from pytest_vqamt.language.english.nouns import is_person, plural, with_article
from pytest_vqamt.language.english.phrases import descriptions
from pytest_vqamt.language.tables import toml_table

_FILE = "english/synonyms.toml"

_ARTICLE = pattern_of(r"\b([Aa]n?) $")
_WORD = pattern_of(r"[a-z0-9'-]+", re.IGNORECASE)
_TOKEN = pattern_of(r"[\w'-]+")
"""A word with the bounds of ``find_words``."""
_AND_DOING = pattern_of(r"\band \w+ing\b")
"""Two participles after one verb: "is sitting and talking"."""

_OPPOSITES = "english/opposites.toml"

COLOURS: tuple[str, ...] = (
    "red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "black", "white", "gray",
)  # fmt: skip

POSTURES: tuple[str, ...] = ("standing", "sitting", "lying")
"""Exclusive actions of a person."""

PEOPLE: frozenset[str] = frozenset({"person", "man", "woman", "boy", "girl", "child", "kid", "lady", "guy", "player"})


@dataclass(frozen=True, slots=True, order=True)
class Replacement:
    """Words for a part of a text."""

    start: int
    """The place of the first character that is replaced."""
    end: int
    """The place after the last one."""
    words: str
    """What is written there instead; the article before it is adapted later."""


@lru_cache(maxsize=4096)
def synonym_replacements(text: str) -> tuple[Replacement, ...]:
    """Returns a replacement for every word of the text that has a safe synonym, in order.

    The neighbours of a word must confirm its meaning: no "bike" of a "bike lane".

    >>> [each.words for each in synonym_replacements("A man is holding a gray purse.")]
    ['guy', 'holds', 'grey', 'handbag']
    """
    return tuple(sorted((*_names(text), *_attributes(text), *_verbs(text), *_prepositions(text))))


def name_replacements(text: str, name: str, words: str) -> tuple[Replacement, ...]:
    """Returns the replacements of a name and of its plural.

    >>> name_replacements("a dog and two dogs", "dog", "animal")[1]
    Replacement(start=14, end=18, words='animals')
    """
    return tuple(_nouns(text, name, words))


def apply_replacements(text: str, chosen: Iterable[Replacement]) -> str:
    """Returns the text with the replacements, which must not overlap; articles and the first letter are adapted.

    >>> text = "A couch is near an airplane."
    >>> apply_replacements(text, synonym_replacements(text))
    'A sofa is close to a plane.'
    """
    # From the end, so that earlier places stay right.
    for each in sorted(chosen, reverse=True):
        before, after = text[: each.start], text[each.end :]
        words = each.words
        if given := _ARTICLE.search(before):
            article = with_article(words).split(" ", 1)[0]
            said = article.capitalize() if given[1][0].isupper() else article
            before = f"{before[: given.start(1)]}{said} "
        elif not before and text[:1].isupper():
            words = words[0].upper() + words[1:]
        text = f"{before}{words}{after}"
    return text


def _names(text: str) -> Iterator[Replacement]:
    here = frozenset(_TOKEN.findall(text.casefold()))
    for name, words in _pairs("names"):
        # A set of words first, since a given text has hardly any of the names.
        if not here.isdisjoint(_first_words(name)):
            yield from _nouns(text, name, words)


@cache
def _first_words(name: str) -> tuple[str, ...]:
    return tuple(_TOKEN.findall(said.casefold())[0] for said in (name, plural(name)))


def _nouns(text: str, name: str, words: str) -> Iterator[Replacement]:
    for said, instead in ((name, words), (plural(name), plural(words))):
        for place in find_words(text, said):
            before, after = _neighbours(text, place)
            # "Two women dance": behind a plural of people any word may be their verb.
            follows = not after or _can_follow_a_noun(after, name) or (said != name and is_person(name))
            if (not before or _can_precede_a_noun(before)) and follows:
                yield Replacement(place.start(), place.end(), instead)


def _can_precede_a_noun(word: str) -> bool:
    return word in _neighbours_in("determiners", "prepositions", "before_a_noun") or _describes(word)


def _describes(word: str) -> bool:
    from pytest_vqamt.language.ontology import ontology  # a file that few runs need

    return word in descriptions() or ontology().category_of(word) is not None


def _can_follow_a_noun(word: str, name: str) -> bool:
    """True if the word begins something else. After people it may be what they do."""
    return word in _neighbours_in("prepositions", "after_a_noun") or (
        is_person(name) and word.endswith(("ing", "s")) and not word.endswith("'s")
    )


def _attributes(text: str) -> Iterator[Replacement]:
    for attribute, instead in _pairs("attributes"):
        for place in find_words(text, attribute):
            before, after = _neighbours(text, place)
            follows = before in ("is", "are") or before in _neighbours_in("determiners") or _describes(before)
            if follows and not after.endswith("ing"):
                yield Replacement(place.start(), place.end(), instead)


def _verbs(text: str) -> Iterator[Replacement]:
    # "Is sitting and talking" must not become "sits and talking".
    if _AND_DOING.search(text):
        return
    for doing, does, do in toml_table(_FILE)["verbs"]["forms"]:
        for said, instead in ((f"is {doing}", does), (f"are {doing}", do)):
            for place in find_words(text, said):
                _, after = _neighbours(text, place)
                if not after or after in _neighbours_in("determiners", "prepositions"):
                    yield Replacement(place.start(), place.end(), instead)


def _prepositions(text: str) -> Iterator[Replacement]:
    for preposition, instead in _pairs("prepositions"):
        for place in find_words(text, preposition):
            if _neighbours(text, place)[1] in _neighbours_in("determiners"):
                yield Replacement(place.start(), place.end(), instead)


def find_words(text: str, said: str) -> Iterator[re.Match[str]]:
    """Finds the words in the text, each whole.

    >>> [each.start() for each in find_words("a man and a woman", "man")]
    [2]
    """
    if said.casefold() not in text.casefold():  # so it is with most words that a text is searched for
        return iter(())
    return re.finditer(rf"(?<![\w'-]){re.escape(said)}(?![\w'-])", text, re.IGNORECASE)


def _neighbours(text: str, place: re.Match[str]) -> tuple[str, str]:
    """Returns the words before and after in lower case; "" at a comma or an end of the text."""
    before = re.search(r"([\w'-]+) $", text[: place.start()])
    after = re.match(r" ([\w'-]+)", text[place.end() :])
    return (before[1].lower() if before else "", after[1].lower() if after else "")


@cache
def _pairs(section: str) -> tuple[tuple[str, str], ...]:
    both, one = toml_table(_FILE)[section]["both_ways"], toml_table(_FILE)[section]["one_way"]
    return tuple(dict.fromkeys([*((a, b) for a, b, *_ in (*both, *one)), *((b, a) for a, b, *_ in both)]))


@cache
def _neighbours_in(*lists: str) -> frozenset[str]:
    return frozenset().union(*(toml_table(_FILE)["neighbours"][each] for each in lists))


def opposite_name(name: str) -> str | None:
    """Returns the name of the other sex, in the singular."""
    return _both_ways("names").get(name)


def opposite_place(word: str) -> str | None:
    """Returns "inside" of "outside" and the like."""
    return _both_ways("places").get(word)


def pronouns() -> frozenset[str]:
    """Returns the pronouns of one sex."""
    return frozenset(word for pair in toml_table(_OPPOSITES)["pronouns"] for word in pair)


def opposite_pronouns(name: str) -> Mapping[str, str]:
    """Returns the pronouns of a name and, for each, the one of the other sex; not of "her", which is his or him.

    >>> opposite_pronouns("man")["his"], sorted(opposite_pronouns("woman"))
    ('her', ['herself', 'she'])
    """
    pairs: list[tuple[str, str]] = toml_table(_OPPOSITES)["pronouns"]
    if any(name == male for male, _ in toml_table(_OPPOSITES)["names"]):
        return dict(pairs)
    # "Her" is his or him, which takes more than a table to tell.
    return {her: his for his, her in pairs if her != "her"}


@cache
def _both_ways(section: str) -> Mapping[str, str]:
    # Reversed, as the last of a dict stays and the first pair of the table counts.
    pairs: list[tuple[str, str]] = toml_table(_OPPOSITES)[section][::-1]
    return {**dict(pairs), **{b: a for a, b in pairs}}


# MetaVQA section 4.1.1 asks people's names for actions and all other names for colours. The authors' pools (13
# colours, 48 actions, 7 words for people) are in their supplement. **Deviation:** the pools here hold only what
# excludes the rest of its pool for certain: no "gold" beside "yellow"; no "walking" or "waving" beside "standing",
# since who walks is on their feet; no "running" beside "jumping"; no "sleeping" beside "lying".


def exclusive_pool(name: str) -> tuple[str, ...]:
    """Returns properties for questions about things of a name; each thing has at most one of them.

    >>> "standing" in exclusive_pool("woman"), "red" in exclusive_pool("car")
    (True, True)
    """
    return POSTURES if name in PEOPLE else COLOURS
