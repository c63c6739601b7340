"""The ontology of several files: later ones add to the earlier and overrule them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.input_files import MAX_CONFIG_BYTES, expanded, read_bytes
from pytest_vqamt.language.ontology.knowledge import Category, NounClass, Ontology
from pytest_vqamt.language.ontology.loading import (
    CategoryEntry,
    ClassEntry,
    Entries,
    Pair,
    file_error,
    pairs_of,
    read_entries,
    unknown_word_error,
)


@dataclass(slots=True)
class _Kind:
    noun: str = ""
    is_action: bool = False
    is_gradable: bool = False
    words: list[str] = field(default_factory=list)
    shares: list[str] = field(default_factory=list)


class OntologyDraft:
    """The content of the files so far."""

    def __init__(self) -> None:
        self._kinds: dict[str, _Kind] = {}
        self._home: dict[str, str] = {}
        self._spellings: dict[str, str] = {}
        self._exclusive: set[Pair] = set()
        self._antonyms: dict[Pair, None] = {}
        self._opposites: dict[str, dict[str, str]] = {}
        self._not_askable: set[str] = set()
        self._predicates: dict[str, bool] = {}
        self._classes: dict[str, NounClass] = {}
        self._likeness_first: frozenset[str] = frozenset()
        self._likeness_last: frozenset[str] = frozenset()

    def add(self, entries: Entries) -> None:
        """Adds a file.

        Raises:
            OptionError: it names a word, class or choice that neither it nor a file before it has, contradicts itself,
                or puts a class after the one that it is within.
        """
        self._remove(entries)
        for name, entry in entries.categories.items():
            self._add_words(name, entry)
        self._add_aliases(entries)
        for name, entry in entries.categories.items():
            self._add_shares(entries.where, name, entry)
        for name, entry in entries.categories.items():
            self._add_pairs(entries.where, name, entry)
        self._add_opposites(entries)
        self._add_predicates(entries)
        self._add_classes(entries)
        self._likeness_first |= set(entries.likeness_first)
        self._likeness_last |= set(entries.likeness_last)

    def finished(self) -> Ontology:
        opposites: dict[str, tuple[str, ...]] = {}
        for a, b in self._antonyms:
            opposites[a] = (*opposites.get(a, ()), b)
        ambiguous = {word: by_name for word, by_name in self._opposites.items() if len(opposites.get(word, ())) > 1}
        return Ontology(
            predicates=tuple(self._predicates),
            classes=tuple(self._classes.values()),
            likeness_first=self._likeness_first,
            likeness_last=self._likeness_last,
            categories={
                name: Category(
                    name=name,
                    noun=kind.noun,
                    is_action=kind.is_action,
                    is_gradable=kind.is_gradable,
                    members=(*kind.words, *kind.shares),
                )
                for name, kind in self._kinds.items()
            },
            spellings=dict(self._spellings),
            category_by_attribute=dict(self._home),
            exclusive=frozenset(self._exclusive),
            opposites=opposites,
            opposite_by_name={
                (word, name): to
                for word, by_name in ambiguous.items()
                for name, to in by_name.items()
                if to in opposites[word]
            },
            ambiguous=frozenset(ambiguous),
            not_askable=frozenset(self._not_askable),
            vague_predicates=frozenset(word for word, vague in self._predicates.items() if vague),
            exact_predicates=frozenset(word for word, vague in self._predicates.items() if not vague),
        )

    def _remove(self, entries: Entries) -> None:
        for word in entries.removed_words:
            if word not in self._home and word not in self._spellings:
                raise unknown_word_error(entries.where, "remove", "words", word, tuple(self._home))
            self._spellings = {alias: of for alias, of in self._spellings.items() if word not in (alias, of)}
            self._leave_home(word)
        for word in entries.removed_predicates:
            if word not in self._predicates:
                raise unknown_word_error(entries.where, "remove", "predicates", word, tuple(self._predicates))
            del self._predicates[word]

    def _leave_home(self, word: str) -> None:
        """Removes a word from its category with all that was listed of it there; other spellings stay."""
        home = self._home.pop(word, None)
        if home is None:
            return
        self._kinds[home].words.remove(word)
        for kind in self._kinds.values():
            if word in kind.shares:
                kind.shares.remove(word)
        self._exclusive = {pair for pair in self._exclusive if word not in pair}
        self._antonyms = {pair: None for pair in self._antonyms if word not in pair}
        self._opposites.pop(word, None)
        self._not_askable.discard(word)

    def _add_words(self, name: str, entry: CategoryEntry) -> None:
        kind = self._kinds.setdefault(name, _Kind())
        kind.noun = kind.noun if entry.noun is None else entry.noun
        kind.is_action = kind.is_action if entry.action is None else entry.action
        kind.is_gradable = kind.is_gradable if entry.gradable is None else entry.gradable
        for word in entry.words:
            if self._home.get(word) != name:
                self._spellings.pop(word, None)
                self._leave_home(word)
                self._home[word] = name
                kind.words.append(word)

    def _add_aliases(self, entries: Entries) -> None:
        for word, aliases in entries.aliases.items():
            if word not in self._home:
                raise unknown_word_error(entries.where, "aliases", "the usual spelling", word, tuple(self._home))
            for alias in aliases:
                self._leave_home(alias)
                self._spellings |= {spelling: word for spelling, of in self._spellings.items() if of == alias}
                self._spellings[alias] = word

    def _add_shares(self, where: str, name: str, entry: CategoryEntry) -> None:
        kind = self._kinds[name]
        for word in (self._usual(each) for each in entry.shares):
            if word not in self._home:
                raise unknown_word_error(where, f"category.{name}", "shares", word, tuple(self._home))
            if word not in (*kind.words, *kind.shares):
                kind.shares.append(word)

    def _add_pairs(self, where: str, name: str, entry: CategoryEntry) -> None:
        exclusive = tuple(self._members(where, name, "exclusive", words) for words in entry.exclusive)
        overlaps = tuple(self._members(where, name, "overlaps", words) for words in entry.overlaps)
        antonyms = tuple(self._members(where, name, "antonyms", words) for words in entry.antonyms)
        apart = set(pairs_of(overlaps))
        self._exclusive = (self._exclusive | set(pairs_of(exclusive))) - apart
        self._antonyms = {pair: None for pair in self._antonyms if pair not in apart}
        for pair in pairs_of(antonyms):
            self._exclusive.add(pair)
            self._antonyms[pair] = None
        askable = self._members(where, name, "askable", entry.askable)
        self._not_askable |= set(self._members(where, name, "not_askable", entry.not_askable))
        self._not_askable -= set(askable)

    def _members(self, where: str, name: str, key: str, words: tuple[str, ...]) -> tuple[str, ...]:
        kind = self._kinds[name]
        known = (*kind.words, *kind.shares)
        usual = tuple(self._usual(word) for word in words)
        for word in usual:
            if word not in known:
                raise unknown_word_error(where, f"category.{name}", key, word, known)
        if len(set(usual)) < len(usual):
            raise file_error(
                where, f"category.{name}", f"{key}: expected different words, but two of {list(words)!r} are one"
            )
        return usual

    def _add_opposites(self, entries: Entries) -> None:
        for word, by_opposite in entries.opposites.items():
            known = [b for a, b in self._antonyms if a == word]
            named: dict[str, str] = {}
            for to, names in by_opposite.items():
                if to not in known:
                    raise unknown_word_error(entries.where, f"opposite.{word}", "an opposite", to, known)
                for name in names:
                    if name in named:
                        what = f"expected each name with one opposite, but {name!r} is with {named[name]!r} and {to!r}"
                        raise file_error(entries.where, f"opposite.{word}", what)
                    named[name] = to
            self._opposites.setdefault(word, {}).update(named)

    def _add_predicates(self, entries: Entries) -> None:
        given = dict.fromkeys(entries.exact, False) | dict.fromkeys(entries.vague, True)
        self._predicates = dict(sorted((self._predicates | given).items(), key=lambda item: item[1]))

    def _add_classes(self, entries: Entries) -> None:
        """Adds a file's classes. New ones come first, as their author knows them best."""
        for word in entries.removed_classes:
            if word not in self._classes:
                raise unknown_word_error(entries.where, "remove", "classes", word, tuple(self._classes))
            del self._classes[word]
        new = {word: NounClass(word=word) for word in entries.classes if word not in self._classes}
        left = {
            word: replace(each, within="") if each.within in entries.removed_classes else each
            for word, each in self._classes.items()
        }
        self._classes = new | left
        for word, entry in entries.classes.items():
            self._classes[word] = _updated(self._classes[word], entry)
        order = list(self._classes)
        for word, entry in entries.classes.items():
            each, section = self._classes[word], f"class.{word}"
            if each.within and each.within not in order:
                raise unknown_word_error(entries.where, section, "within", each.within, order)
            if each.within and order.index(each.within) <= order.index(word):
                what = f"within: expected a class that comes later, but {each.within!r} is more specific"
                raise file_error(entries.where, section, what)
            offered = sorted({name for names in each.choice_sets for name in names})
            for name in (name for called in entry.may_be.values() for name in called):
                if name not in offered:
                    raise unknown_word_error(entries.where, section, "may_be", name, offered)

    def _usual(self, word: str) -> str:
        return self._spellings.get(word, word)


def _updated(each: NounClass, entry: ClassEntry) -> NounClass:
    """Moves each name to the list of the later file, whose choices come first."""
    given = {*entry.names, *entry.not_names, *entry.perhaps}
    not_names, perhaps = each.not_names - given | set(entry.not_names), each.perhaps - given | set(entry.perhaps)
    kept = (tuple(name for name in names if name not in not_names | perhaps) for names in each.choice_sets)
    return replace(
        each,
        within=each.within if entry.within is None else entry.within,
        may_be_absent=each.may_be_absent if entry.may_be_absent is None else entry.may_be_absent,
        synsets=tuple(dict.fromkeys((*each.synsets, *entry.synsets))),
        perhaps_synsets=tuple(dict.fromkeys((*each.perhaps_synsets, *entry.perhaps_synsets))),
        names=each.names - given | set(entry.names),
        not_names=not_names,
        perhaps=perhaps,
        choice_sets=(*entry.choices, *(names for names in kept if len(names) > 1)),
        may_be={**each.may_be, **{name: frozenset(called) for name, called in entry.may_be.items()}},
    )


_OURS = ("ontology.toml", "classes.toml")


def ontology(path: str = "") -> Ontology:
    """Returns our ontology, changed by the file at ``path``.

    Raises:
        OptionError: the file cannot be read, or something in it is wrong; one line names file, section and word.
    """
    return _opened(path)


@cache
def _opened(path: str) -> Ontology:
    draft = OntologyDraft()
    for name in _OURS:
        draft.add(read_entries(Path(__file__).with_name(name).read_bytes(), where=name))
    if path:
        try:
            content = read_bytes(expanded(path), MAX_CONFIG_BYTES)
        except OSError as error:
            raise OptionError(
                f"ontology={path!r}: expected a TOML file, and it could not be read ({error.strerror or error}); "
                "docs/how-to/words.md shows how one is written"
            ) from error
        draft.add(read_entries(content, where=path))
    return draft.finished()
