"""The words of captions that can name something, by their forms, longest first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache, partial
from typing import Any, NamedTuple
from unicodedata import normalize

from pytest_vqamt.core.lazy_pattern import pattern_of
from pytest_vqamt.language.english.nouns import NUMBER_WORDS, is_mass, lacks_singular, plural
from pytest_vqamt.language.english.phrases import descriptions
from pytest_vqamt.language.tables import toml_table, word_set

PERSON = "person"

STOP = ","
"""Any mark that ends a phrase."""

_WORD = pattern_of(r"'s(?![a-z])|[^\W_]+|[^\s'_\-]|(?<=\s)-+(?=\s)")
_PLURAL_OWNER = pattern_of(r"(?<=s)'(?=\s|$)")
_NOT_ASCII = pattern_of(r"[^\x00-\x7f]")


class WordShape(StrEnum):
    """What the form of a word says about number."""

    ONE = "singular"
    MANY = "plural"
    BOTH = "the same in singular and plural"
    MASS = "mass"
    LACKING = "tells nothing of number"


@dataclass(frozen=True, slots=True, kw_only=True)
class LexiconEntry:
    """The meanings of a word or phrase."""

    lemma: str
    """Its singular."""
    shape: WordShape
    """What this form says about number."""
    classes: tuple[str, ...] = ()
    """The class that it names for certain, then alternatives ("bike"); empty if it is no name."""
    perhaps: tuple[str, ...] = ()
    """Classes that it may name, or a super-category ("vehicle")."""
    is_animal: bool = False
    """True of all animals, those without a class too: "fox"."""


class PhraseSpan(NamedTuple):
    """A listed word or phrase in a caption: words ``start`` to ``end``, exclusive."""

    start: int
    end: int
    word: LexiconEntry


def spans_of(words: tuple[str, ...]) -> list[PhraseSpan]:
    """Returns the listed phrases from left to right, longest first, without overlaps."""
    by_first = _by_first()
    found: list[PhraseSpan] = []
    at, length = 0, len(words)
    while at < length:
        # By the first word, longest first, and then on behind it: "hot dog" is no dog.
        for phrase, word in by_first.get(words[at], ()):
            end = at + len(phrase)
            if words[at:end] == phrase:
                found.append(PhraseSpan(at, end, word))
                at = end
                break
        else:
            at += 1
    return found


@cache
def entries_by_form() -> Mapping[str, LexiconEntry]:
    """Returns the meanings of every form of every word, with words separated by a space.

    Raises:
        ValueError: the tables give one form to two classes.
    """
    found: dict[str, LexiconEntry] = {}
    for form, entry in _forms():
        found[form] = _merged(found[form], entry, form) if form in found else entry
    return {form: _without_certain(entry) if entry.perhaps else entry for form, entry in found.items()}


def _without_certain(entry: LexiconEntry) -> LexiconEntry:
    """The entry without what it names for certain among what it may name."""
    return replace(entry, perhaps=tuple(name for name in entry.perhaps if name not in entry.classes))


@cache
def _by_first() -> Mapping[str, tuple[tuple[tuple[str, ...], LexiconEntry], ...]]:
    groups: dict[str, list[tuple[tuple[str, ...], LexiconEntry]]] = {}
    for form, word in entries_by_form().items():
        phrase = tuple(form.split(" "))
        groups.setdefault(phrase[0], []).append((phrase, word))
    return {first: tuple(sorted(some, key=lambda it: -len(it[0]))) for first, some in groups.items()}


def _merged(one: LexiconEntry, other: LexiconEntry, form: str) -> LexiconEntry:
    """One entry for a form that two tables have."""
    # Words of two classes belong into "either" of phrases.toml, which says the first choice.
    if one.classes and other.classes and one.classes != other.classes:
        raise ValueError(f"form={form!r}: expected one class, and the tables have {one.classes} and {other.classes}")
    named = other if other.classes else one
    return LexiconEntry(
        lemma=named.lemma,
        shape=named.shape,
        classes=named.classes,
        perhaps=tuple(dict.fromkeys((*one.perhaps, *other.perhaps))),
        is_animal=one.is_animal or other.is_animal,
    )


def _forms() -> Iterator[tuple[str, LexiconEntry]]:
    """All forms of all words of the tables, each with its meaning."""
    for name, row in class_rows().items():
        animal = row.kind == "animal"
        for each in row.names:
            yield from _inflected(each, classes=(name,), is_animal=animal)
        for each in row.many:
            yield _spaced(each), LexiconEntry(lemma=each, shape=WordShape.MANY, classes=(name,), is_animal=animal)
        for each in (form for name in row.formless for form in (name, plural(name))):
            yield _spaced(each), LexiconEntry(lemma=each, shape=WordShape.LACKING, classes=(name,), is_animal=animal)
        for each in row.perhaps:
            yield from _inflected(each, perhaps=(name,))
    yield from _of_people()
    for each, classes in phrases()["either"].items():
        yield from _inflected(each, classes=classes)
    for kind, names in phrases()["kinds"].items():
        for each in names:
            yield from _inflected(each, perhaps=(kind,))
    for each, classes in phrases()["some"].items():
        yield from _inflected(each, perhaps=classes)
    for section, names in phrases()["nothing"].items():
        for each in names:
            yield from _inflected(each, is_animal=section == "animals")


def _of_people() -> Iterator[tuple[str, LexiconEntry]]:
    sections = people()
    for section in ("man", "woman", "boy", "girl", "child", "adult", "anyone"):
        for each in sections[section]:
            yield from _inflected(each, classes=(PERSON,))
    for each in sections["many"]:
        for form in dict.fromkeys((each, plural(each))):
            yield _spaced(form), LexiconEntry(lemma=each, shape=WordShape.MANY, classes=(PERSON,))
    for each in sections["perhaps"]:
        yield from _inflected(each, perhaps=(PERSON,))
    for each in sections["modifiers"]:
        yield _spaced(each), LexiconEntry(lemma=each, shape=WordShape.ONE)


def _inflected(
    name: str, *, classes: tuple[str, ...] = (), perhaps: tuple[str, ...] = (), is_animal: bool = False
) -> Iterator[tuple[str, LexiconEntry]]:
    """The singular and the plural of a name, or the one form that it has."""
    many = plural(name)
    shape = WordShape.ONE
    if many == name:
        # "Broccoli", "scissors", "sheep".
        shape = WordShape.MASS if is_mass(name) else WordShape.LACKING if lacks_singular(name) else WordShape.BOTH
    for form, of in ((name, shape), (many, WordShape.MANY))[: 1 if many == name else 2]:
        yield (
            _spaced(form),
            LexiconEntry(lemma=name, shape=of, classes=classes, perhaps=perhaps, is_animal=is_animal),
        )


def _spaced(form: str) -> str:
    return " ".join(caption_words(form))


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassRow:
    """A class of ``classes.toml``; its words are in the singular."""

    kind: str = ""
    """Its super-category, "" of those that COCO lacks."""
    scenery: bool = False
    """True of trees and the like, which captions leave out as they please."""
    names: tuple[str, ...] = ()
    """Words for a thing of the class and for nothing else."""
    many: tuple[str, ...] = ()
    """Plurals that are not made from a name."""
    formless: tuple[str, ...] = ()
    """Words that tell nothing of number: a mass, a part, or without a singular."""
    perhaps: tuple[str, ...] = ()
    """Words that may name it, or something done with it: "board", "surfing"."""
    parts: tuple[str, ...] = ()
    """Words that make a part of the thing after its name: "door" of "train door"."""
    others: tuple[str, ...] = ()
    """Words that make another thing of it after its name: "station" of "train station"."""


@cache
def class_rows() -> Mapping[str, ClassRow]:
    """Returns every class with its words in the order of the file, after "person", which has a table of its own."""
    return {
        PERSON: ClassRow(kind=PERSON, names=(PERSON,)),
        **{name: _class_row(row) for name, row in toml_table("captions/classes.toml").items()},
    }


def _class_row(row: Mapping[str, Any]) -> ClassRow:
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
    return ClassRow(**values)


@cache
def people() -> Mapping[str, tuple[str, ...]]:
    """Returns the sections of ``people.toml``."""
    return {section: tuple(names) for section, names in toml_table("captions/people.toml").items()}


grammar = partial(word_set, "captions/grammar.toml")
"""Returns the small words of these lists of ``grammar.toml``."""


@cache
def phrases() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """Returns the sections of ``phrases.toml``."""
    return {
        section: {name: tuple(words) for name, words in rows.items()}
        for section, rows in toml_table("captions/phrases.toml").items()
    }


@cache
def descriptive_adjectives() -> frozenset[str]:
    """Returns adjectives of one word: "black", "small", "striped"."""
    return frozenset(word for word in descriptions() if " " not in word and "-" not in word)


@cache
def several_words() -> frozenset[str]:
    """Returns number words from two on, and their parts without a hyphen: "three", "twenty"."""
    return frozenset(word for word in NUMBER_WORDS[2:] if "-" not in word)


@cache
def tens() -> frozenset[str]:
    """Returns the words before "one" in greater numbers: "twenty-one"."""
    return frozenset(NUMBER_WORDS[20:100:10])


def caption_words(caption: str) -> tuple[str, ...]:
    """Returns the words in lower case, with "'s" apart, without "-" and "_", with a comma for every other mark.

    >>> caption_words("A T.V. - and the dog's stuffed teddy-bear.")
    ('a', 'tv', ',', 'and', 'the', 'dog', "'s", 'stuffed', 'teddy', 'bear', ',')
    """
    text = caption.lower()
    if _NOT_ASCII.search(text):
        text = normalize("NFKC", text).replace("\u2019", "'").replace("\u2018", "'")
    if "t.v" in text:
        # Points end phrases, but not in the one abbreviation that captions use.
        text = text.replace("t.v.", "tv ").replace("t.v", "tv")
    # "The dogs' bowl" is owned, as "the dog's bowl" is.
    text = _PLURAL_OWNER.sub("'s", text)
    return tuple("and" if word == "&" else word if word[-1].isalnum() else STOP for word in _WORD.findall(text))
