"""The top family of an object name, and names that may be of one thing."""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import combinations

from pytest_vqamt.language.english.nouns import singular
from pytest_vqamt.language.tables import toml_table, word_set
from pytest_vqamt.language.wordnet import WordNet, wordnet
from pytest_vqamt.language.wordnet.senses import head_of_compound

_KINDS = "english/families_of_kinds.toml"

_SEXES_AND_AGES = frozenset({"man", "woman", "boy", "girl"})
_OF_NO_FAMILY = frozenset({"mouse", "orange", "skis", "scissors", "baseball glove"})
"""Names of things of two families, of which a class list means one."""

_ON_THEIR_OWN = ("animal", "vehicle", "street", "plant", "furniture")
_APART: frozenset[frozenset[str]] = frozenset(
    map(frozenset, (*combinations(_ON_THEIR_OWN, 2), ("person", "plant"), ("person", "street")))
)
"""Pairs of families of which neither is worn, carried, held, eaten, ridden or inhabited by the other."""


def family(name: str) -> str | None:
    """Returns the family that ``families.toml`` lists, or the one that WordNet has without doubt.

    >>> family("dog"), family("teddy bear"), family("office chair"), family("mouse")
    ('animal', 'plaything', 'furniture', None)
    """
    return _families().get(name) or _derived(name)


@lru_cache(maxsize=65536)
def _derived(name: str) -> str | None:
    if name in _OF_NO_FAMILY or not name:
        return None
    one = singular(name)
    return _families().get(one) or (None if is_ambiguous(one) else _of_head(one) or derived_family(name))


def _of_head(name: str) -> str | None:
    """Returns the listed family of the noun that a compound is a kind of: of "chair" for "office chair"."""
    last = head_of_compound(name)
    # A listed noun counts only if WordNet agrees that the compound is one: a "bird bath" is no bird.
    while last and not (last in _families() and wordnet().is_kind_of(name, last)):
        last = head_of_compound(last)
    return _families().get(last)


def is_kind_either_way(a: str, b: str) -> bool:
    """True if people may call a thing of one name by the other, although class lists or WordNet keep them apart.

    >>> is_kind_either_way("bird", "ducks"), is_kind_either_way("duck", "dog")
    (True, False)
    """
    shared = family(a) if family(a) == family(b) else None
    if shared == "person":
        # A skier is a man or a woman, and so is a player; only sexes and ages exclude each other.
        return not _SEXES_AND_AGES.issuperset((a, b))
    # "Animal" is the name of a family, and of everything in it.
    if shared is not None and shared in (a, b):
        return True
    loose, (one, other) = toml_table("english/loose_names.toml"), (singular(a), singular(b))
    return one in loose.get(other, ()) or other in loose.get(one, ())


def is_known(name: str) -> bool:
    """True if the name is listed, so that its kind and its other names are known.

    >>> is_known("dog"), is_known("mouse"), is_known("robin")
    (True, True, False)
    """
    return name in _families() or name in _OF_NO_FAMILY


def belong_together(a: str, b: str) -> bool:
    """True if things of the two names often come as one: wearer and garment, holder and thing, whole and part.

    If not all of them are annotated, erasing the one may take the other with it. A name without a family belongs
    together with everything.

    >>> belong_together("person", "shirt"), belong_together("dog", "car"), belong_together("dog", "thingamajig")
    (True, False, True)
    """
    families = frozenset({family(a) or "", family(b) or ""})
    return len(families) < 2 or families not in _APART


@cache
def _families() -> dict[str, str]:
    return {name: family for family, names in toml_table("english/families.toml").items() for name in names}


def derived_family(name: str) -> str | None:
    """Returns the only family of everything that the name may mean in a photo, by ``families_of_kinds.toml``.

    A fruit or vegetable is food, although WordNet also has the plant. A compound that WordNet lacks may mean what its
    head noun may. Families are those of the bundled WordNet in every run.

    >>> derived_family("robin"), derived_family("limousine"), derived_family("steering wheel")
    ('animal', 'vehicle', 'part')
    >>> derived_family("chicken"), derived_family("seal"), derived_family("glass")
    (None, None, None)
    """
    if is_ambiguous(name):
        return None
    listed = _families_of("names").get(name) or _families_of("names").get(singular(name))
    if listed:
        return listed
    words = wordnet()
    found = {_family_of(words, synset) for synset in words.senses(name)}
    # WordNet has an apple as a fruit and as a tree.
    if found == {"food", "plant"}:
        return "food" if _family_of(words, words.sense(name) or "") == "food" else None
    return found.pop() if len(found) == 1 else None


def is_ambiguous(name: str) -> bool:
    """True if the name is listed as one of things of two families."""
    return not word_set(_KINDS, "of_none").isdisjoint((name, singular(name)))


def _family_of(words: WordNet, synset: str) -> str | None:
    """Returns the family of a synset, None if it has none or two."""
    above = words.at_or_above(synset)
    families = {family for top, family in _families_of("synsets").items() if top in above}
    return families.pop() if len(families) == 1 else None


@cache
def _families_of(key: str) -> dict[str, str]:
    families = toml_table(_KINDS)["family"]
    return {each: family for family, of in families.items() for each in of[key]}


def is_no_visible_thing(name: str) -> bool:
    """True if the name is of nothing that can be seen: a place in the picture, an amount, a likeness.

    >>> is_no_visible_thing("background"), is_no_visible_thing("reflection"), is_no_visible_thing("dog")
    (True, True, False)
    """
    return name in word_set("english/askable_names.toml", "no_thing")


def is_nearly_everywhere(name: str) -> bool:
    """True if nearly every picture shows some, so that its absence cannot be claimed.

    >>> is_nearly_everywhere("wall"), is_nearly_everywhere("dog")
    (True, False)
    """
    return name in word_set("english/askable_names.toml", "everywhere")
