"""The ontology while files are added to it: later ones add to the earlier and overrule them."""

from __future__ import annotations

from dataclasses import dataclass, field

from pytest_vqamt.language.ontology.class_draft import ClassDraft
from pytest_vqamt.language.ontology.knowledge import Category, Ontology
from pytest_vqamt.language.ontology.loading import CategoryEntry, Entries, Pair, pairs_of, unknown
from pytest_vqamt.language.ontology.sections import mistake


@dataclass(slots=True)
class _Kind:
    noun: str = ""
    is_action: bool = False
    is_gradable: bool = False
    words: list[str] = field(default_factory=list)
    shares: list[str] = field(default_factory=list)


class Draft:
    """What the files so far say."""

    def __init__(self) -> None:
        self._kinds: dict[str, _Kind] = {}
        self._home: dict[str, str] = {}
        self._spellings: dict[str, str] = {}
        self._exclusive: set[Pair] = set()
        self._antonyms: dict[Pair, None] = {}
        self._opposites: dict[str, dict[str, str]] = {}
        self._not_askable: set[str] = set()
        self._predicates: dict[str, bool] = {}
        self._classes = ClassDraft()

    def add(self, entries: Entries) -> None:
        """Adds what a file says.

        Raises:
            OptionError: it names a word that neither it nor a file before it has, or contradicts itself.
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
        self._classes.add(entries)

    def finished(self) -> Ontology:
        """The ontology of all the files added."""
        opposites: dict[str, tuple[str, ...]] = {}
        for a, b in self._antonyms:
            opposites[a] = (*opposites.get(a, ()), b)
        ambiguous = {word: by_name for word, by_name in self._opposites.items() if len(opposites.get(word, ())) > 1}
        return Ontology(
            predicates=tuple(self._predicates),
            noun_classes=self._classes.finished(),
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
                raise unknown(entries.where, "remove", "words", word, tuple(self._home))
            self._spellings = {alias: of for alias, of in self._spellings.items() if word not in (alias, of)}
            self._leave_home(word)
        for word in entries.removed_predicates:
            if word not in self._predicates:
                raise unknown(entries.where, "remove", "predicates", word, tuple(self._predicates))
            del self._predicates[word]

    def _leave_home(self, word: str) -> None:
        """Takes a word out of its category, with all that was said of it there; its other spellings stay."""
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
                raise unknown(entries.where, "aliases", "the usual spelling", word, tuple(self._home))
            for alias in aliases:
                self._leave_home(alias)
                self._spellings |= {spelling: word for spelling, of in self._spellings.items() if of == alias}
                self._spellings[alias] = word

    def _add_shares(self, where: str, name: str, entry: CategoryEntry) -> None:
        kind = self._kinds[name]
        for word in (self._usual(each) for each in entry.shares):
            if word not in self._home:
                raise unknown(where, f"category.{name}", "shares", word, tuple(self._home))
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
                raise unknown(where, f"category.{name}", key, word, known)
        if len(set(usual)) < len(usual):
            raise mistake(
                where, f"category.{name}", f"{key}: expected different words, but two of {list(words)!r} are one"
            )
        return usual

    def _add_opposites(self, entries: Entries) -> None:
        for word, by_opposite in entries.opposites.items():
            known = [b for a, b in self._antonyms if a == word]
            named: dict[str, str] = {}
            for to, names in by_opposite.items():
                if to not in known:
                    raise unknown(entries.where, f"opposite.{word}", "an opposite", to, known)
                for name in names:
                    if name in named:
                        what = f"expected each name with one opposite, but {name!r} is with {named[name]!r} and {to!r}"
                        raise mistake(entries.where, f"opposite.{word}", what)
                    named[name] = to
            self._opposites.setdefault(word, {}).update(named)

    def _add_predicates(self, entries: Entries) -> None:
        given = dict.fromkeys(entries.exact, False) | dict.fromkeys(entries.vague, True)
        self._predicates = dict(sorted((self._predicates | given).items(), key=lambda item: item[1]))

    def _usual(self, word: str) -> str:
        return self._spellings.get(word, word)
