"""The tables of this folder, each read once a process."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path

from pytest_vqamt.language.english.nouns import NUMBER_WORDS
from pytest_vqamt.language.english.phrases import descriptions

PERSON = "person"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassRow:
    """A class as ``classes.toml`` has it."""

    kind: str = ""
    scenery: bool = False
    names: tuple[str, ...] = ()
    many: tuple[str, ...] = ()
    formless: tuple[str, ...] = ()
    perhaps: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Grammar:
    """The small words, as ``grammar.toml`` has them."""

    one: frozenset[str]
    same: frozenset[str]
    whose: frozenset[str]
    not_the_first: frozenset[str]
    several: frozenset[str]
    some: frozenset[str]
    groups: frozenset[str]
    pieces: frozenset[str]
    measures: frozenset[str]
    counting: frozenset[str]
    denial: frozenset[str]
    denying: frozenset[str]
    prepositions: frozenset[str]
    joining: frozenset[str]
    singular_verbs: frozenset[str]
    plural_verbs: frozenset[str]
    pitches: frozenset[str]
    after_a_fruit: frozenset[str]
    far_off: frozenset[str]
    playing: frozenset[str]
    hunting: frozenset[str]
    riding: frozenset[str]
    verbs: frozenset[str]
    towards: frozenset[str]


@cache
def class_rows() -> Mapping[str, ClassRow]:
    """Every class with its words, in the order of the file; person, whose words have a table of their own, is first."""
    return {
        PERSON: ClassRow(kind=PERSON, names=(PERSON,)),
        **{name: _class_row(row) for name, row in _table("classes.toml").items()},
    }


@cache
def people() -> Mapping[str, tuple[str, ...]]:
    """The sections of ``people.toml``."""
    return {section: tuple(names) for section, names in _table("people.toml").items()}


@cache
def grammar() -> Grammar:
    """The small words of captions."""
    table = _table("grammar.toml")
    return Grammar(**{field.name: frozenset(table[field.name]) for field in fields(Grammar)})


@cache
def phrases() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """The sections of ``phrases.toml``."""
    return {
        section: {name: tuple(words) for name, words in rows.items()}
        for section, rows in _table("phrases.toml").items()
    }


@cache
def describing() -> frozenset[str]:
    """Adjectives of one word: "black", "small", "striped"."""
    return frozenset(word for word in descriptions() if " " not in word and "-" not in word)


@cache
def several_words() -> frozenset[str]:
    """Number words for two and more, also as the parts that a hyphen joins: "three", "twenty"."""
    return frozenset(word for word in NUMBER_WORDS[2:] if "-" not in word)


@cache
def tens() -> frozenset[str]:
    """Words that "one" can follow as part of a greater number: "twenty-one"."""
    return frozenset(NUMBER_WORDS[20:100:10])


def _class_row(row: Mapping[str, object]) -> ClassRow:
    texts = {field.name: _texts(row.get(field.name, [])) for field in fields(ClassRow) if field.name not in _PLAIN}
    return ClassRow(kind=str(row.get("kind", "")), scenery=row.get("scenery") is True, **texts)


_PLAIN = frozenset({"kind", "scenery"})


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise ValueError(f"value={value!r}: expected a list in classes.toml")
    return tuple(map(str, value))


def _table(name: str) -> dict[str, dict[str, list[str]]]:
    return tomllib.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))
