"""An object description unit, and the nouns that name objects."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache, partial

from pytest_vqamt.language.english.nouns import counting_noun, head, is_mass, is_person, is_plural, singular
from pytest_vqamt.language.tables import word_set
from pytest_vqamt.language.units.lexicon import Tag, look_up, words_of
from pytest_vqamt.language.wordnet import wordnet

_OF_MANY = frozenset({"all", "both", "few", "many", "most", "others", "several", "some", "them", "they", "us", "we"})

_LIVING = ("person.n.01", "animal.n.01")


@dataclass(frozen=True, slots=True, kw_only=True)
class DescriptionUnit:
    """An object and its property, in the words of the sentence."""

    object: str
    """With its adjectives, without articles, numbers and possessives: "young girl"."""
    property: str = ""
    """"is aiming his rifle at something", or ""."""
    is_plural: bool = False
    """True if it means several things."""


def unit_of(words: str, said: str) -> DescriptionUnit:
    """Returns the unit of an object that may have an article.

    >>> unit_of("The two dogs", "are asleep.")
    DescriptionUnit(object='dogs', property='are asleep', is_plural=True)
    """
    name = words.split()
    while len(name) > 1 and look_up(name[0].lower()).closed in (Tag.DETERMINER, Tag.POSSESSIVE, Tag.NUMBER):
        del name[0]
    text = " ".join(name)
    # "A group of men" is as many as its men.
    noun = head(text.lower().rpartition(" of ")[2])
    return DescriptionUnit(object=text, property=said.strip(" .,;"), is_plural=is_plural(noun))


def says_all_of(unit: DescriptionUnit, other: DescriptionUnit) -> bool:
    """True if the unit's property contains all words of the other unit."""
    words = f"{other.object} {other.property}".strip().lower()
    return bool(re.search(rf"(?<![\w-]){re.escape(words)}(?![\w-])", unit.property.lower()))


@lru_cache(maxsize=65536)
def head_noun(object: str) -> str:  # noqa: A002  # the word of the paper
    """Returns the noun of an object, singular, lower case: its name in a picture.

    Adjectives and quantities are left out; of a compound only the last word stays.

    >>> head_noun("young girl"), head_noun("group of older men"), head_noun("cup of coffee"), head_noun("school buses")
    ('girl', 'man', 'cup', 'bus')
    """
    words = object.lower()
    while True:
        before, of, after = words.partition(" of ")
        noun = head(before)
        # "Group of older men" goes on to the men, "cup of coffee" is the cup.
        is_quantity = noun == "one" or singular(noun) in words_of("quantities_kept", "quantities_dropped")
        if not (of and after.strip() and is_quantity):
            return singular(noun)
        words = after.strip().removeprefix("the ")


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceToken:
    """A word or a mark of a sentence."""

    text: str
    """As typed."""
    start: int
    """The place of its first character in the sentence."""
    end: int
    """The place after its last character."""
    tag: Tag
    """Its part of speech in this sentence."""

    @property
    def word(self) -> str:
        return self.text.lower().replace("\u2019", "'")


@dataclass(frozen=True, slots=True, kw_only=True)
class NounPhrase:
    """A noun phrase, by the places of its words."""

    start: int
    """Its first word."""
    name: int
    """The first word of its name, after articles, numbers and the like."""
    head: int
    """Its noun: "men" of "two groups of men" and of "one of the men", "bowl" of "a bowl of soup"."""
    end: int
    """The word after it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A parsed sentence."""

    text: str
    """As typed."""
    tokens: tuple[SentenceToken, ...]
    """Its words and marks, in order."""
    phrases: tuple[NounPhrase, ...] = ()
    """Its noun phrases, in order and without overlaps."""

    def words(self, start: int, end: int) -> str:
        """Returns the words from ``start`` to before ``end`` as they are written, with single spaces."""
        if start >= end:
            return ""
        return " ".join(self.text[self.tokens[start].start : self.tokens[end - 1].end].split())

    def tag(self, place: int) -> Tag:
        """Returns the tag of a word; ``Tag.MARK`` before the first and after the last."""
        return self.tokens[place].tag if 0 <= place < len(self.tokens) else Tag.MARK

    def word(self, place: int) -> str:
        """Returns the word in lower case; "" before the first and after the last."""
        return self.tokens[place].word if 0 <= place < len(self.tokens) else ""

    def is_plural(self, phrase: NounPhrase) -> bool:
        """True if the phrase means several things: its noun is a plural or a collective."""
        noun = self.word(phrase.head)
        # "One of the men" has a plural noun, and is one.
        if self.word(phrase.name) in ("one", "each", "either", "neither") and phrase.head > phrase.name:
            return False
        if any(
            self.tag(place) is Tag.NUMBER and self.word(place) not in ("one", "1")
            for place in range(phrase.start, phrase.name)
        ):
            return True
        return is_plural(noun) or noun in _OF_MANY


_words = partial(word_set, "units/things.toml")


@lru_cache(maxsize=65536)
def is_people(noun: str) -> bool:
    """True of a noun or pronoun of people.

    >>> is_people("skier"), is_people("someone"), is_people("horse")
    (True, True, False)
    """
    return (
        noun in _words("people") or is_person(noun) or (_names_things(noun) and wordnet().is_under(noun, _LIVING[:1]))
    )


@lru_cache(maxsize=65536)
def is_living(noun: str) -> bool:
    """True of a noun or pronoun of people or animals."""
    return is_people(noun) or (_names_things(noun) and wordnet().is_under(noun, _LIVING))


@lru_cache(maxsize=65536)
def is_object(name: str) -> bool:
    """True if things of the name are separate in a picture, so that one of them can be erased.

    >>> is_object("dog"), is_object("red ball"), is_object("shirt"), is_object("water"), is_object("joy")
    (True, True, False, False, False)
    """
    noun = name.rpartition(" ")[2]
    one, whole = singular(noun), singular(name)
    if one == "ride" and wordnet().is_under(whole.removesuffix(" ride"), ("conveyance.n.03", "animal.n.01")):
        return False  # "a bicycle ride", not "a carnival ride"
    # The lists overrule WordNet, and single names overrule kinds.
    if whole in _words("names") or one in _words("names"):
        return True
    if one in _words("no_names") or one in _words("feats"):
        return False
    if is_people(noun):
        return True
    if wordnet().is_under(name, _words("no_kinds")):
        return False
    # Furniture is a mass whose pieces can be erased.
    if is_mass(noun) and counting_noun(noun) == noun:
        return False
    return _names_things(noun)


def _names_things(noun: str) -> bool:
    """True if it is the name of a thing more often than not."""
    word = look_up(noun)
    return word.thing > word.idea


def is_named(name: str, *, has_determiner: bool, verb: str = "", preposition: str = "") -> bool:
    """True of a noun phrase, no subject, that names an object, and no activity, place or role.

    ``name`` has no article; ``has_determiner`` says that it had one. ``verb`` is the verb of an object in its base
    form, ``preposition`` the one before it.

    >>> is_named("rifle", has_determiner=True, verb="aim"), is_named("soccer", has_determiner=False, verb="play")
    (True, False)
    >>> is_named("photo", has_determiner=True, verb="paint"), is_named("photo", has_determiner=True, preposition="in")
    (True, False)
    """
    noun = name.rpartition(" ")[2]
    one = singular(noun)
    if noun in words_of("personal") or noun in _words("no_pronouns") or not is_object(name):
        return False
    # "As a clown" is a role, "without a hat" is absent, and "in the photo" is everything.
    if preposition in ("as", "without") or (preposition == "in" and one in _words("wholes")):
        return False
    if verb in _words("worn_after", "lacking") or (verb in _words("taken_after") and one in _words("taken")):
        return False
    # A guitar that is played is there; chess, cards and tennis are games.
    if verb == "play":
        return has_determiner and wordnet().is_under(name, ("musical_instrument.n.01",))
    return has_determiner or not _is_bare(name)


@lru_cache(maxsize=65536)
def _is_bare(name: str) -> bool:
    """True of a singular without an article that would have one if it were a thing: "in Rome", "on foot"."""
    return " " not in name and not (is_mass(name) or is_plural(name) or wordnet().sense(name) is not None)
