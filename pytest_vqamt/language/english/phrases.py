"""Noun phrases of groups, and inventories as lists."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache, lru_cache
from typing import Literal, TypeAlias

from pytest_vqamt.core.meaning import Group, Related
from pytest_vqamt.language.english.nouns import (
    counting_noun,
    indefinite,
    is_mass,
    is_person,
    is_plural,
    number_word,
    plural,
    with_article,
)
from pytest_vqamt.language.tables import toml_table, word_set

Number: TypeAlias = Literal["singular", "plural"]
Link: TypeAlias = Literal["phrase", "clause"]
""""Phrase" as in "the cup on the table", "clause" as in "the cup that is on the table"."""

_FILE = "english/adjectives.toml"
_BEFORE_THE_NOUN = ("size", "state", "age", "shape", "action", "colour", "pattern", "material", "kind")


@lru_cache(maxsize=65536)
def phrase(group: Group, number: Number) -> str:
    """Returns the noun phrase of ``group`` without an article: attributes, noun, relations.

    Related things are any of their group, so they have "a": "dogs on a table".

    >>> phrase(Group(name="car", attributes=("red", "large")), "plural")
    'large red cars'
    >>> from pytest_vqamt.core.meaning import Related
    >>> table = Group(name="table", attributes=("wooden",))
    >>> phrase(Group(name="dog", related=(Related(predicate="on", to=table),)), "singular")
    'dog on a wooden table'
    >>> phrase(Group(name="man", attributes=("playing tennis",)), "plural")
    'men playing tennis'
    """
    before, clauses, _ = _described(group, number, clauses=True)
    parts = [before]
    if clauses:
        parts.append(f"that {clauses}")
    parts += (f"{after_a_noun(each.predicate)} {with_indefinite(each.to)}" for each in group.related)
    return " ".join(parts)


@lru_cache(maxsize=65536)
def phrase_with_the(group: Group, number: Number, link: Link = "phrase") -> str:
    """Returns the noun phrase of ``group`` without an article; related things are the only ones of their kind.

    >>> from pytest_vqamt.core.meaning import Related
    >>> boy = Group(name="boy", related=(Related(predicate="has", to=Group(name="ball", attributes=("red",))),))
    >>> phrase_with_the(boy, "singular"), phrase_with_the(boy, "singular", "clause")
    ('boy with the red ball', 'boy who has the red ball')
    >>> cups = Group(name="cup", related=(Related(predicate="on", to=Group(name="table")),))
    >>> phrase_with_the(cups, "plural", "clause")
    'cups that are on the table'
    """
    before, clauses, many = _described(group, number, clauses=False)
    parts = [clauses] if clauses else []
    if link == "clause":
        parts += (f"{in_a_clause(each.predicate, many=many)} {_the_other(each)}" for each in group.related)
        return f"{before} {_pronoun(group)} {' and '.join(parts)}" if parts else before
    if clauses:
        before = f"{before} {_pronoun(group)} {clauses}"
    return " ".join((before, *(f"{after_a_noun(each.predicate)} {_the_other(each)}" for each in group.related)))


@lru_cache(maxsize=65536)
def definite(group: Group, link: Link = "phrase") -> str:
    """Returns the phrase of the one thing of ``group``, with "the".

    >>> definite(Group(name="scissors", attributes=("red",)))
    'the red scissors'
    """
    return f"the {phrase_with_the(group, 'singular', link)}"


@lru_cache(maxsize=65536)
def with_indefinite(group: Group) -> str:
    """Returns the phrase of any one of ``group``, with its article.

    >>> with_indefinite(Group(name="pear", attributes=("unripe",))), with_indefinite(Group(name="grass"))
    ('an unripe pear', 'grass')
    """
    words = phrase(group, "singular")
    return words if is_mass(group.name) or is_plural(group.name) else with_article(words)


@cache
def predicative(attribute: str, number: Number) -> str:
    """Returns the attribute as it follows "is" or "are": "made of wood", "babies".

    >>> predicative("wood", "singular"), predicative("wooden", "singular"), predicative("baby", "plural")
    ('made of wood', 'wooden', 'babies')
    """
    if is_material(attribute):
        return f"made of {attribute}"
    one, many = toml_table(_FILE)["after_is"].get(attribute, (attribute, attribute))
    return str(many if number == "plural" else one)


@cache
def is_material(attribute: str) -> bool:
    """True of an attribute that is a noun of a material: "wood", not "wooden"."""
    return attribute in word_set(_FILE, "materials")


def join_phrases(phrases: Iterable[str], last: Literal["and", "or"] = "and") -> str:
    """Joins the phrases as a list in a sentence.

    >>> join_phrases(["a dog", "two cats", "a red bus"]), join_phrases(["red", "blue"], "or")
    ('a dog, two cats and a red bus', 'red or blue')
    """
    items = tuple(phrases)
    return f"{', '.join(items[:-1])} {last} {items[-1]}" if len(items) > 1 else "".join(items)


def describe(inventory: Iterable[tuple[str, int]]) -> str:
    """Returns the names with their numbers as a caption, "nothing" for none.

    Names without a number ("water", "pants") stay as they are.

    >>> describe([("dog", 1), ("cat", 2), ("grass", 1), ("umbrella", 1)])
    'a dog, two cats, grass and an umbrella'
    """
    return join_phrases(_counted(name, n) for name, n in inventory if n > 0) or "nothing"


@cache
def _counted(name: str, n: int) -> str:
    if n == 1 or is_mass(name) or is_plural(name):
        return spelled(indefinite(name))
    return f"{number_word(n)} {spelled(plural(name))}"


@cache
def stands_before_its_noun(attribute: str) -> bool:
    """True if the attribute precedes its noun in ``phrase_with_the``.

    In a row, what follows the last noun could be said of all: "a dog or a cat lying down".

    >>> stands_before_its_noun("red"), stands_before_its_noun("on"), stands_before_its_noun("lying down")
    (True, True, False)
    """
    return _place(_without_clause(attribute)) == "before"


@cache
def descriptions() -> frozenset[str]:
    """Returns the attributes that never change the kind of a thing: "black", not "hot" of a hot dog."""
    return frozenset(_ranks())


@cache
def _ranks() -> dict[str, int]:
    table = toml_table(_FILE)
    return {word: rank for rank, kind in enumerate(_BEFORE_THE_NOUN) for word in table.get(kind, ())}


def _rank_of(attribute: str) -> int:
    unlisted = _BEFORE_THE_NOUN.index("action" if attribute.endswith("ing") else "state")
    return _ranks().get(attribute, unlisted)


def _without_clause(attribute: str) -> str:
    instead: dict[str, str] = toml_table(_FILE)["instead_of_a_clause"]
    return instead.get(attribute, attribute)


@cache
def _place(attribute: str) -> Literal["before", "after", "clause"]:
    if attribute in word_set(_FILE, "clause"):
        return "clause"
    if attribute in _ranks():
        return "before"
    words = attribute.split(" ")
    # "Playing tennis", "made of wood", "turned on": phrases follow their noun.
    of_its_own = words[0].endswith("ing") or words[:2] == ["made", "of"] or words[-1] in word_set(_FILE, "particles")
    if attribute in word_set(_FILE, "after") or (len(words) > 1 and of_its_own):
        return "after"
    return "before"


def _described(group: Group, number: Number, *, clauses: bool) -> tuple[str, str, bool]:
    """Returns the noun with its attributes, those that need a clause ("are on"), and True if it is a plural.

    Without ``clauses``, attributes that can do without one stand before the noun.
    """
    # "A lamp that is off to the left of the bed" can be misread, so such an attribute goes before its noun.
    attributes = group.attributes if clauses else [_without_clause(word) for word in group.attributes]
    before = sorted((word for word in attributes if _place(word) == "before"), key=_rank_of)
    after = [word for word in attributes if _place(word) == "after"]
    last = [word for word in attributes if _place(word) == "clause"]
    noun = plural(group.name) if number == "plural" else group.name
    many = (number == "plural" or is_plural(noun)) and not is_mass(noun)
    said = f"{'are' if many else 'is'} {' and '.join(last)}" if last else ""
    return " ".join((*before, spelled(noun), *after)), said, many


@cache
def spelled(noun: str) -> str:
    """Returns the noun with the capitals that people write it with; annotations have none.

    >>> spelled("tv"), spelled("tvs"), spelled("dvd player"), spelled("dog")
    ('TV', 'TVs', 'DVD player', 'dog')
    """
    capitals: dict[str, str] = toml_table("english/nouns.toml")["capitals"]
    return " ".join(capitals.get(word, word) for word in noun.split(" "))


def _pronoun(group: Group) -> str:
    return "who" if is_person(group.name) else "that"


def _the_other(condition: Related) -> str:
    """Returns a related thing: "the table", but "wood" of its material, and "tennis" of a player.

    Of a class that is a mass, it is the one piece: "the piece of furniture".
    """
    if condition.to.covers:
        return definite(replace(condition.to, name=counting_noun(condition.to.name)))
    stuff = is_mass(condition.to.name) or is_material(condition.to.name)
    bare = stuff and after_a_noun(condition.predicate) in word_set(_FILE, "of_stuff")  # "made of wood"
    return phrase_with_the(condition.to, "singular") if bare else definite(condition.to)


@cache
def after_a_noun(predicate: str) -> str:
    """Returns an annotator's predicate after a noun: "wearing" of "is wearing a", "with" of "has".

    >>> after_a_noun("is wearing a"), after_a_noun("has"), after_a_noun("sits on")
    ('wearing', 'with', 'sitting on')
    """
    words = predicate.split(" ")
    # Annotators write "is wearing a", "wears" or "wearing".
    if words[0] in ("is", "are") and len(words) > 1:
        words = words[1:]
    if words[-1] in ("a", "an", "the") and len(words) > 1:
        words = words[:-1]
    bare = " ".join(words)
    whole: dict[str, str] = toml_table(_FILE)["predicate"]
    participles: dict[str, str] = toml_table(_FILE)["participle"]
    return whole.get(bare) or " ".join((participles.get(words[0], words[0]), *words[1:]))


def in_a_clause(predicate: str, *, many: bool) -> str:
    """Returns an annotator's predicate after "that" or "who".

    >>> in_a_clause("on", many=True), in_a_clause("has", many=False)
    ('are on', 'has')
    """
    words = after_a_noun(predicate)
    if verbs := toml_table(_FILE)["in_a_clause"].get(words):  # "has", "have"
        return str(verbs[many])
    return f"{'are' if many else 'is'} {words}"
