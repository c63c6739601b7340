"""The class nouns while files are added to them."""

from __future__ import annotations

from dataclasses import dataclass, field

from pytest_vqamt.language.ontology.loading import ClassEntry, Entries, unknown
from pytest_vqamt.language.ontology.noun_classes import NounClass, NounClasses
from pytest_vqamt.language.ontology.sections import mistake


@dataclass(slots=True)
class _Class:
    within: str = ""
    may_be_absent: bool = True
    synsets: tuple[str, ...] = ()
    perhaps_synsets: tuple[str, ...] = ()
    choices: tuple[tuple[str, ...], ...] = ()
    names: set[str] = field(default_factory=set)
    not_names: set[str] = field(default_factory=set)
    perhaps: set[str] = field(default_factory=set)
    may_be: dict[str, frozenset[str]] = field(default_factory=dict)


class ClassDraft:
    """The classes that the files so far have, the more specific first."""

    def __init__(self) -> None:
        self._classes: dict[str, _Class] = {}
        self._first: dict[str, None] = {}
        self._last: dict[str, None] = {}

    def add(self, entries: Entries) -> None:
        """Adds a file's classes: new ones come before those that are there, since who adds one knows it better.

        Raises:
            OptionError: it names a class or a choice that is not there, or puts a class after what it is within.
        """
        for word in entries.removed_classes:
            if word not in self._classes:
                raise unknown(entries.where, "remove", "classes", word, tuple(self._classes))
            del self._classes[word]
        for each in self._classes.values():
            each.within = "" if each.within in entries.removed_classes else each.within
        new = {word: _Class() for word in entries.classes if word not in self._classes}
        self._classes = new | self._classes
        for word, entry in entries.classes.items():
            _update(self._classes[word], entry)
        self._first |= dict.fromkeys(entries.likeness_first)
        self._last |= dict.fromkeys(entries.likeness_last)
        self._check(entries)

    def finished(self) -> NounClasses:
        return NounClasses(
            all=tuple(
                NounClass(
                    word=word,
                    synsets=each.synsets,
                    names=frozenset(each.names),
                    not_names=frozenset(each.not_names),
                    perhaps=frozenset(each.perhaps),
                    perhaps_synsets=each.perhaps_synsets,
                    within=each.within,
                    may_be_absent=each.may_be_absent,
                    choice_sets=each.choices,
                    may_be=dict(each.may_be),
                )
                for word, each in self._classes.items()
            ),
            likeness_first=frozenset(self._first),
            likeness_last=frozenset(self._last),
        )

    def _check(self, entries: Entries) -> None:
        order = list(self._classes)
        for word, entry in entries.classes.items():
            each, section = self._classes[word], f"class.{word}"
            if each.within and each.within not in self._classes:
                raise unknown(entries.where, section, "within", each.within, order)
            if each.within and order.index(each.within) <= order.index(word):
                what = f"within: expected a class that comes later, but {each.within!r} is more specific"
                raise mistake(entries.where, section, what)
            offered = sorted({name for names in each.choices for name in names})
            for name in (name for called in entry.may_be.values() for name in called):
                if name not in offered:
                    raise unknown(entries.where, section, "may_be", name, offered)


def _update(each: _Class, entry: ClassEntry) -> None:
    """A name goes to the list that the later file has it in; a later file's choices are looked through first."""
    each.within = each.within if entry.within is None else entry.within
    each.may_be_absent = each.may_be_absent if entry.may_be_absent is None else entry.may_be_absent
    each.synsets = tuple(dict.fromkeys((*each.synsets, *entry.synsets)))
    each.perhaps_synsets = tuple(dict.fromkeys((*each.perhaps_synsets, *entry.perhaps_synsets)))
    given = {*entry.names, *entry.not_names, *entry.perhaps}
    each.names = each.names - given | set(entry.names)
    each.not_names = each.not_names - given | set(entry.not_names)
    each.perhaps = each.perhaps - given | set(entry.perhaps)
    doubtful = each.not_names | each.perhaps
    kept = (tuple(name for name in names if name not in doubtful) for names in each.choices)
    each.choices = (*entry.choices, *(names for names in kept if len(names) > 1))
    each.may_be |= {name: frozenset(called) for name, called in entry.may_be.items()}
