"""One file of the ontology, read and checked as far as possible without the others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import combinations

from pytest_vqamt.core.errors import OptionError, did_you_mean
from pytest_vqamt.core.input_files import parse_toml

Pair = tuple[str, str]

_SYNSET = re.compile(r"\S+\.n\.\d{2,3}")


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryEntry:
    """[category.NAME]; None for settings that the file leaves out."""

    noun: str | None
    action: bool | None
    gradable: bool | None
    words: tuple[str, ...]
    shares: tuple[str, ...]
    askable: tuple[str, ...]
    not_askable: tuple[str, ...]
    exclusive: tuple[tuple[str, ...], ...]
    overlaps: tuple[tuple[str, ...], ...]
    antonyms: tuple[Pair, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassEntry:
    """[class.NOUN]; None for settings that the file leaves out."""

    within: str | None
    may_be_absent: bool | None
    synsets: tuple[str, ...]
    perhaps_synsets: tuple[str, ...]
    names: tuple[str, ...]
    not_names: tuple[str, ...]
    perhaps: tuple[str, ...]
    choices: tuple[tuple[str, ...], ...]
    may_be: dict[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entries:
    """The content of one file, in its order."""

    where: str
    aliases: dict[str, tuple[str, ...]]
    categories: dict[str, CategoryEntry]
    opposites: dict[str, dict[str, tuple[str, ...]]]
    exact: tuple[str, ...]
    vague: tuple[str, ...]
    classes: dict[str, ClassEntry]
    likeness_first: tuple[str, ...]
    likeness_last: tuple[str, ...]
    removed_words: tuple[str, ...]
    removed_predicates: tuple[str, ...]
    removed_classes: tuple[str, ...]


def read_entries(content: bytes, *, where: str) -> Entries:
    """Reads a file; ``where`` is its name in messages.

    Raises:
        OptionError: it is no TOML, or a section, a key, a value or a word is wrong; the line names it.
    """
    try:
        table = parse_toml(content.decode("utf-8-sig"))
    except ValueError as error:
        raise file_error(where, "", f"expected TOML in UTF-8, but {error}") from error
    whole = TomlSection(where, "", table)
    whole.check(("aliases", "category", "opposite", "predicates", "class", "imitations", "remove"))
    predicates, imitations, remove = (whole.section(name) for name in ("predicates", "imitations", "remove"))
    predicates.check(("exact", "vague"))
    imitations.check(("first", "last"))
    remove.check(("words", "predicates", "classes"))
    entries = Entries(
        where=where,
        aliases={word: whole.section("aliases").words(word) for word in whole.section("aliases").names()},
        categories={each.name: _category(each) for each in whole.sections("category")},
        opposites={each.name: {to: each.words(to) for to in each.names()} for each in whole.sections("opposite")},
        exact=tuple(word for listed in predicates.lists("exact", at_least=1) for word in listed),
        vague=tuple(word for listed in predicates.lists("vague", at_least=1) for word in listed),
        classes={each.name: _class(each) for each in whole.sections("class")},
        likeness_first=imitations.words("first"),
        likeness_last=imitations.words("last"),
        removed_words=remove.words("words"),
        removed_predicates=remove.words("predicates"),
        removed_classes=remove.words("classes"),
    )
    _check_once(where, "predicates", (*entries.exact, *entries.vague))
    _check_once(where, "aliases", [word for aliases in entries.aliases.values() for word in aliases])
    _check_homes(entries)
    return entries


def pairs_of(sets: Sequence[Sequence[str]]) -> Iterator[Pair]:
    """Yields every two words of each set, in both orders."""
    for words in sets:
        for a, b in combinations(words, 2):
            yield from ((a, b), (b, a))


def _category(section: TomlSection) -> CategoryEntry:
    section.check([each.name for each in fields(CategoryEntry)])
    words = section.words("words")
    askable = section.flag_or_words("askable")
    entry = CategoryEntry(
        noun=section.text("noun"),
        action=section.flag("action"),
        gradable=section.flag("gradable"),
        words=words,
        shares=section.words("shares"),
        askable=askable if isinstance(askable, tuple) else (),
        not_askable=words if askable is False else section.words("not_askable"),
        exclusive=section.lists("exclusive", at_least=2),
        overlaps=section.lists("overlaps", at_least=2),
        antonyms=section.pairs("antonyms"),
    )
    if both := sorted(set(entry.words) & set(entry.shares)):
        raise section.mistake("shares", f"expected words of other categories, but {both[0]!r} is in words as well")
    apart = set(pairs_of(entry.overlaps))
    for pair in entry.antonyms:
        if pair in apart:
            raise section.mistake(
                "antonyms", f"expected words that no thing has both of, but overlaps has {list(pair)!r}"
            )
    return entry


def _class(section: TomlSection) -> ClassEntry:
    section.check([each.name for each in fields(ClassEntry)])
    may_be = section.section("may_be")
    entry = ClassEntry(
        within=section.text("within"),
        may_be_absent=section.flag("may_be_absent"),
        synsets=section.words("synsets"),
        perhaps_synsets=section.words("perhaps_synsets"),
        names=section.words("names"),
        not_names=section.words("not_names"),
        perhaps=section.words("perhaps"),
        choices=section.lists("choices", at_least=2),
        may_be={name: may_be.words(name) for name in may_be.names()},
    )
    for key, synsets in (("synsets", entry.synsets), ("perhaps_synsets", entry.perhaps_synsets)):
        for synset in synsets:
            if not _SYNSET.fullmatch(synset):
                raise section.mistake(key, f"expected noun synsets such as 'animal.n.01', but got {synset!r}")
    for (key, words), (other, others) in combinations(
        (("names", entry.names), ("not_names", entry.not_names), ("perhaps", entry.perhaps)), 2
    ):
        if both := [word for word in words if word in others]:
            raise section.mistake(key, f"expected each name in one list, but {both[0]!r} is in {other} as well")
    for words in entry.choices:
        if doubtful := [word for word in words if word in (*entry.not_names, *entry.perhaps)]:
            raise section.mistake("choices", f"expected names that are surely of the class, but got {doubtful[0]!r}")
    return entry


def _check_homes(entries: Entries) -> None:
    homes: dict[str, str] = {}
    for name, entry in entries.categories.items():
        for word in entry.words:
            if word in homes:
                raise file_error(
                    entries.where,
                    f"category.{name}",
                    f"words: expected each word in one category, but {word!r} is in {homes[word]!r} as well; "
                    "let one of the two have it in shares",
                )
            homes[word] = name
    for word, aliases in entries.aliases.items():
        for alias in aliases:
            if alias in homes:
                raise file_error(
                    entries.where,
                    "aliases",
                    f"{word}: {alias!r} is a word of category {homes[alias]!r}; keep one of the two",
                )


def _check_once(where: str, section: str, words: Sequence[str]) -> None:
    seen: set[str] = set()
    for word in words:
        if word in seen:
            raise file_error(where, section, f"expected each word once, but {word!r} comes twice")
        seen.add(word)


def unknown_word_error(where: str, section: str, key: str, word: str, known: Sequence[str]) -> Exception:
    """Returns the error for a word that a list cannot have."""
    return file_error(where, section, f"{key}: unknown word {word!r}; {did_you_mean(word, known)}")


def file_error(where: str, section: str, what: str) -> OptionError:
    """Returns the error for a mistake in a file, in one line."""
    at = f" [{section}]" if section else ""
    return OptionError(f"ontology {where!r}{at}: {what}; docs/how-to/words.md shows the format")


class TomlSection:
    """A table with its path."""

    def __init__(self, where: str, path: str, table: Mapping[str, object]) -> None:
        self._where, self._path, self._table = where, path, table

    @property
    def name(self) -> str:
        """The last part of its path, "color" of [category.color]."""
        return self._path.partition(".")[2]

    def mistake(self, key: str, what: str) -> OptionError:
        return file_error(self._where, self._path, f"{key}: {what}" if key else what)

    def check(self, known: Sequence[str]) -> None:
        """Refuses other keys."""
        for key in self._table:
            if key not in known:
                raise self.mistake("", f"unknown key {key!r}; {did_you_mean(key, known)}")

    def names(self) -> tuple[str, ...]:
        for key in self._table:
            self._word("", key)
        return tuple(self._table)

    def section(self, key: str) -> TomlSection:
        """Returns the table of that name, empty if there is none."""
        value = self._table.get(key, {})
        if not isinstance(value, dict):
            raise self.mistake(key, f"expected a table, but got {value!r}")
        return TomlSection(self._where, f"{self._path}.{key}" if self._path else key, value)

    def sections(self, key: str) -> tuple[TomlSection, ...]:
        parent = self.section(key)
        return tuple(parent.section(name) for name in parent.names())

    def text(self, key: str) -> str | None:
        value = self._table.get(key)
        if value is not None and not isinstance(value, str):
            raise self.mistake(key, f"expected a text, but got {value!r}")
        return value

    def flag(self, key: str) -> bool | None:
        value = self._table.get(key)
        if value is not None and not isinstance(value, bool):
            raise self.mistake(key, f"expected true or false, but got {value!r}")
        return value

    def flag_or_words(self, key: str) -> bool | tuple[str, ...] | None:
        value = self._table.get(key)
        return self.words(key) if isinstance(value, list) else self.flag(key)

    def words(self, key: str) -> tuple[str, ...]:
        return self._words(key, self._table.get(key, []))

    def lists(self, key: str, *, at_least: int) -> tuple[tuple[str, ...], ...]:
        value = self._table.get(key, [])
        if not isinstance(value, list):
            raise self.mistake(key, f"expected a list of lists of words, but got {value!r}")
        found = tuple(self._words(key, each) for each in value)
        for words in found:
            if len(words) < at_least:
                raise self.mistake(key, f"expected lists of {at_least} words or more, but got {list(words)!r}")
        return found

    def pairs(self, key: str) -> tuple[tuple[str, str], ...]:
        """Returns a list of pairs of words; a third text in a pair is a remark."""
        value = self._table.get(key, [])
        if not isinstance(value, list):
            raise self.mistake(key, f"expected a list of pairs of words, but got {value!r}")
        return tuple(self._pair(key, each) for each in value)

    def _pair(self, key: str, value: object) -> tuple[str, str]:
        if not isinstance(value, list) or len(value) not in (2, 3) or not all(isinstance(each, str) for each in value):
            raise self.mistake(key, f"expected two words, and a reason at will, but got {value!r}")
        a, b = self._words(key, value[:2])
        return a, b

    def _words(self, key: str, value: object) -> tuple[str, ...]:
        if not isinstance(value, list):
            raise self.mistake(key, f"expected a list of words, but got {value!r}")
        words = tuple(self._word(key, each) for each in value)
        if len(set(words)) < len(words):
            twice = next(word for i, word in enumerate(words) if word in words[:i])
            raise self.mistake(key, f"expected each word once, but {twice!r} comes twice")
        return words

    def _word(self, key: str, value: object) -> str:
        if not isinstance(value, str) or not value or value != " ".join(value.lower().split()):
            raise self.mistake(key, f"expected words in lower case with single spaces, but got {value!r}")
        return value
