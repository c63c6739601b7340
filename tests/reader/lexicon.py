"""The words that a reader is told: which names, attributes and relationships there are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

VERBS = {
    "with": ("has", "have"),
    "without": ("has no", "have no"),
    "of": ("belongs to", "belong to"),
    "belonging to": ("belongs to", "belong to"),
}
"""What does not follow "is" but has a verb of its own, in the singular and in the plural."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexicon:
    """The words of the pictures, each in lower case.

    Attributes:
        names: names that have a singular and a plural, in the singular.
        attributes: words that can be said of things.
        before: words before a name, with the attributes that they say ("red", and "switched-on" of what is on).
        after_is: words after "is", with the attributes that they say ("red", "a baby", "turned on").
        after_are: words after "are", likewise ("babies").
        mass: names without a plural ("broccoli").
        pairs: names without a singular ("scissors"), as they are written.
        people: names of people, which "who" may follow.
        actions: attributes that say what a thing does.
        after: attributes that stand right behind a name, those in "-ing" aside ("in the air").
        stuffs: nouns for what a thing is made of, with the attributes that say so ("wood": "wooden").
        kinds: nouns for categories of attributes, with those that are of it.
        categories: the categories that have no noun.
        links: relationships as they follow a noun, with what they are called in scenes.
        verbs: relationships that have a verb of their own.
        of_stuff: relationships after which a mass noun has no article ("made of").
    """

    names: frozenset[str]
    attributes: frozenset[str]
    before: Mapping[str, str]
    after_is: Mapping[str, str]
    after_are: Mapping[str, str]
    mass: frozenset[str] = frozenset()
    pairs: frozenset[str] = frozenset()
    people: frozenset[str] = frozenset()
    actions: frozenset[str] = frozenset()
    after: frozenset[str] = frozenset()
    stuffs: Mapping[str, str] = field(default_factory=dict)
    kinds: Mapping[str, frozenset[str]] = field(default_factory=dict)
    categories: tuple[frozenset[str], ...] = ()
    links: Mapping[str, str] = field(default_factory=dict)
    verbs: Mapping[str, tuple[str, str]] = field(default_factory=lambda: VERBS)
    of_stuff: frozenset[str] = frozenset()
