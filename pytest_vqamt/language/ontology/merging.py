"""The ontology of several files: later ones add to the earlier and overrule them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from itertools import combinations
from pathlib import Path

from pytest_vqamt.core.errors import OptionError, did_you_mean
from pytest_vqamt.core.input_files import MAX_CONFIG_BYTES, expanded, parse_toml, read_bytes
from pytest_vqamt.core.lazy_pattern import pattern_of
from pytest_vqamt.language.ontology.knowledge import Category, NounClass, Ontology

Pair = tuple[str, str]

_SYNSET = pattern_of(r"\S+\.n\.\d{2,3}")

_OURS = ("ontology.toml", "classes.toml")


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryEntry:
    """[category.NAME]; None for settings that the file leaves out."""

    noun: str | None
    """How a question calls the category: "color"."""
    action: bool | None
    """True if its words are what is done, such as "standing"."""
    gradable: bool | None
    """True if what its words mean depends on what stands beside the thing."""
    words: tuple[str, ...]
    """Attributes that are at home in it."""
    shares: tuple[str, ...]
    """Attributes of other categories that are values here, too."""
    askable: tuple[str, ...]
    """Words of earlier files that questions may use after all."""
    not_askable: tuple[str, ...]
    """Words that cannot follow "is the cup": "carrying"."""
    exclusive: tuple[tuple[str, ...], ...]
    """Sets of which no thing has two."""
    overlaps: tuple[tuple[str, ...], ...]
    """Sets of which a thing may have two all the same; they overrule the exclusive ones."""
    antonyms: tuple[Pair, ...]
    """Pairs of opposites, which exclude each other by that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassEntry:
    """[class.NOUN]; None for settings that the file leaves out."""

    within: str | None
    """The class that all of this one belongs to."""
    may_be_absent: bool | None
    """False of what is nearly always somewhere, annotated or not: plants."""
    synsets: tuple[str, ...]
    """WordNet's synsets at or below these are of the class."""
    perhaps_synsets: tuple[str, ...]
    """The same, of the class for some people only."""
    names: tuple[str, ...]
    """Names of the class whatever WordNet has."""
    not_names: tuple[str, ...]
    """Names that are never of it."""
    perhaps: tuple[str, ...]
    """Names that are of it for some people, or that seldom come without one."""
    choices: tuple[tuple[str, ...], ...]
    """Sets of names of which no thing is two, to be offered together."""
    may_be: dict[str, tuple[str, ...]]
    """What else a name is called, which is not offered beside it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entries:
    """The content of one file, in its order."""

    where: str
    """The name of the file in messages."""
    aliases: dict[str, tuple[str, ...]]
    """Other spellings by the usual one."""
    categories: dict[str, CategoryEntry]
    """By name."""
    opposites: dict[str, dict[str, tuple[str, ...]]]
    """Names of things by opposite, by word: [opposite.short] tall = ["man"]."""
    exact: tuple[str, ...]
    """Relationships that a picture shows or does not: "on"."""
    vague: tuple[str, ...]
    """Relationships that depend on who looks: "near"."""
    classes: dict[str, ClassEntry]
    """By noun, the more specific first."""
    likeness_first: tuple[str, ...]
    """First words of names of likenesses: "toy"."""
    likeness_last: tuple[str, ...]
    """Last words of names of likenesses: "statue"."""
    removed_words: tuple[str, ...]
    """Attributes of earlier files that are no longer known."""
    removed_predicates: tuple[str, ...]
    """Relationships of earlier files that are no longer used."""
    removed_classes: tuple[str, ...]
    """Class nouns of earlier files that are no longer used."""


def read_entries(content: bytes, *, where: str) -> Entries:
    """Reads a file; ``where`` is its name in messages.

    Raises:
        OptionError: it is no TOML, or a section, a key, a value or a word is wrong; the line names it.
    """
    try:
        # Editors on Windows put a mark of byte order before UTF-8.
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
        # "askable = false" says it of all words of the category.
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
    """Refuses a word in two categories, and an alias that is a word itself."""
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
        # The third text is a remark for readers of the file.
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
        # Annotations are compared in lower case, so that another spelling would never be found.
        if not isinstance(value, str) or not value or value != " ".join(value.lower().split()):
            raise self.mistake(key, f"expected words in lower case with single spaces, but got {value!r}")
        return value


@dataclass(slots=True)
class _Kind:
    noun: str = ""
    """How a question calls it, "" without a natural one."""
    is_action: bool = False
    """True if its words are what is done."""
    is_gradable: bool = False
    """True if what its words mean depends on what stands beside the thing."""
    words: list[str] = field(default_factory=list)
    """Attributes at home in it, in the order of the files."""
    shares: list[str] = field(default_factory=list)
    """Attributes at home elsewhere."""


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
        # Words come before what refers to them: aliases, shares and pairs may name any word of this file.
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
        # With one opposite left, as after overlaps took the other, no table of names is needed.
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
            # A word has one home: a later file moves it, and what was listed of it where it was is gone.
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
                # Spellings of a word that becomes an alias are spellings of its new word.
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
        # Overlaps of this file end pairs of earlier ones; antonyms of this file come last, and stand.
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
        # Exact ones first, each kind in the order of the files: the most telling are asked first.
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
        # New classes first, as a class must come before the one that it is within.
        self._classes = new | left
        for word, entry in entries.classes.items():
            self._classes[word] = _updated(self._classes[word], entry)
        order = list(self._classes)
        for word, entry in entries.classes.items():
            each, section = self._classes[word], f"class.{word}"
            if each.within and each.within not in order:
                raise unknown_word_error(entries.where, section, "within", each.within, order)
            # Readers of the classes go through them once, from part to whole.
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
    """Moves each name to the list where the later file has it; the choices of that file come first."""
    # What the later file lists leaves the lists of the earlier ones.
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
