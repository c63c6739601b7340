"""A file of the ontology, read and checked as far as one can without the rest."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from pytest_vqamt.core.errors import did_you_mean
from pytest_vqamt.language.ontology.sections import Section, mistake

Pair = tuple[str, str]

_SYNSET = re.compile(r"\S+\.n\.\d{2,3}")


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryEntry:
    """[category.NAME]; None where the file leaves a setting out."""

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
    """[class.NOUN]; None where the file leaves a setting out."""

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
    """What one file says, in its own order."""

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


def read(content: bytes, *, where: str) -> Entries:
    """The entries of a file; ``where`` is how messages call it.

    Raises:
        OptionError: it is no TOML, or a section, a key, a value or a word is wrong; the line names it.
    """
    try:
        table = tomllib.loads(content.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise mistake(where, "", f"expected TOML in UTF-8, but {error}") from error
    whole = Section(where, "", table)
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
    """Every two words of each set, both ways round."""
    for words in sets:
        for a, b in combinations(words, 2):
            yield from ((a, b), (b, a))


def _category(section: Section) -> CategoryEntry:
    section.check(
        ("noun", "action", "gradable", "askable", "words", "shares", "not_askable", "exclusive", "overlaps", "antonyms")
    )
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


def _class(section: Section) -> ClassEntry:
    section.check(
        ("within", "may_be_absent", "synsets", "perhaps_synsets", "names", "not_names", "perhaps", "choices", "may_be")
    )
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
                raise mistake(
                    entries.where,
                    f"category.{name}",
                    f"words: expected each word in one category, but {word!r} is in {homes[word]!r} as well; "
                    "let one of the two have it in shares",
                )
            homes[word] = name
    for word, aliases in entries.aliases.items():
        for alias in aliases:
            if alias in homes:
                raise mistake(
                    entries.where,
                    "aliases",
                    f"{word}: {alias!r} is a word of category {homes[alias]!r}; keep one of the two",
                )


def _check_once(where: str, section: str, words: Sequence[str]) -> None:
    seen: set[str] = set()
    for word in words:
        if word in seen:
            raise mistake(where, section, f"expected each word once, but {word!r} comes twice")
        seen.add(word)


def unknown(where: str, section: str, key: str, word: str, known: Sequence[str]) -> Exception:
    """The mistake that a list names a word that it cannot mean."""
    return mistake(where, section, f"{key}: unknown word {word!r}; {did_you_mean(word, known)}")
