"""What counts as an object of a hypothesis: what a picture shows as a thing of its own."""

from __future__ import annotations

import tomllib
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple

from pytest_vqamt.language.english.nouns import counted, is_mass, is_person, is_plural, singular
from pytest_vqamt.language.units.lexicon import look_up, words_of
from pytest_vqamt.language.wordnet import wordnet

_LIVING = ("person.n.01", "animal.n.01")


@lru_cache(maxsize=65536)
def is_people(noun: str) -> bool:
    """Whether the noun or pronoun is of people.

    >>> is_people("skier"), is_people("someone"), is_people("horse")
    (True, True, False)
    """
    return noun in _table().people or is_person(noun) or (_names_things(noun) and wordnet().is_under(noun, _LIVING[:1]))


@lru_cache(maxsize=65536)
def is_living(noun: str) -> bool:
    """Whether the noun or pronoun is of people or animals."""
    return is_people(noun) or (_names_things(noun) and wordnet().is_under(noun, _LIVING))


@lru_cache(maxsize=65536)
def is_object(name: str) -> bool:
    """Whether things of the name can be told apart in a picture, so that one of them can be erased.

    >>> is_object("dog"), is_object("red ball"), is_object("shirt"), is_object("water"), is_object("joy")
    (True, True, False, False, False)
    """
    noun = name.rpartition(" ")[2]
    one, whole = singular(noun), singular(name)
    table = _table()
    if whole in table.names or one in table.names:
        return True
    if one in table.no_names:
        return False
    if is_people(noun):
        return True
    if wordnet().is_under(name, table.no_kinds):
        return False
    if is_mass(noun) and counted(noun) == noun:
        return False
    return _names_things(noun)


def _names_things(noun: str) -> bool:
    """Whether that is what the noun does more often than not."""
    word = look_up(noun)
    return word.thing > word.idea


def is_named(name: str, *, has_determiner: bool, verb: str = "", preposition: str = "") -> bool:
    """Whether a noun phrase in the predicate of a clause names an object, and not what is done, or where, or as what.

    >>> is_named("rifle", has_determiner=True, verb="aim"), is_named("soccer", has_determiner=False, verb="play")
    (True, False)
    >>> is_named("photo", has_determiner=True, verb="paint"), is_named("photo", has_determiner=True, preposition="in")
    (True, False)

    Args:
        name: its noun, with the words before it but for articles and the like.
        has_determiner: whether there are any of those.
        verb: whose object it is, in its base form.
        preposition: or what it follows.
    """
    table = _table()
    noun = name.rpartition(" ")[2]
    one = singular(noun)
    if noun in words_of("personal") or noun in table.no_pronouns or not is_object(name):
        return False
    if preposition in ("as", "without") or (preposition == "in" and one in table.wholes):
        return False
    if verb in table.worn_after | table.lacking or (verb in table.taken_after and one in table.taken):
        return False
    if verb == "play":
        return has_determiner and wordnet().is_under(name, ("musical_instrument.n.01",))
    return has_determiner or not _is_bare(name)


@lru_cache(maxsize=65536)
def _is_bare(name: str) -> bool:
    """Whether a noun in the singular that has no article would have one if it were a thing: "in Rome", "on foot"."""
    return " " not in name and not (is_mass(name) or is_plural(name) or wordnet().sense(name) is not None)


class _Table(NamedTuple):
    people: frozenset[str]
    no_kinds: tuple[str, ...]
    no_names: frozenset[str]
    names: frozenset[str]
    no_pronouns: frozenset[str]
    wholes: frozenset[str]
    worn_after: frozenset[str]
    lacking: frozenset[str]
    taken_after: frozenset[str]
    taken: frozenset[str]


@cache
def _table() -> _Table:
    table = tomllib.loads(files("pytest_vqamt.language.units").joinpath("things.toml").read_text(encoding="utf-8"))
    lists = {key: frozenset(words) for key, words in table.items()}
    return _Table(
        people=lists["people"],
        no_kinds=tuple(table["no_kinds"]),
        no_names=lists["no_names"] | lists["feats"],
        names=lists["names"],
        no_pronouns=lists["no_pronouns"],
        wholes=lists["wholes"],
        worn_after=lists["worn_after"],
        lacking=lists["lacking"],
        taken_after=lists["taken_after"],
        taken=lists["taken"],
    )
