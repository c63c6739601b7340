"""Which words of a caption can name something, longest first: the words of all tables by their forms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import NamedTuple

from pytest_vqamt.language.captions.tables import PERSON, class_rows, people, phrases
from pytest_vqamt.language.captions.words import words_of
from pytest_vqamt.language.english.nouns import is_mass, lacks_singular, plural


class Shape(StrEnum):
    """What the form of a word tells of number."""

    ONE = "singular"
    MANY = "plural"
    BOTH = "the same in singular and plural"
    MASS = "mass"
    LACKING = "tells nothing of number"


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """What a word or phrase can name.

    ``classes``: the class that it names for certain, and after it others that it may name instead; none where it is no
    name. ``perhaps``: classes that it may name, or a super-category of which it may name any. ``lemma``: its singular.
    """

    lemma: str
    shape: Shape
    classes: tuple[str, ...] = ()
    perhaps: tuple[str, ...] = ()
    is_animal: bool = False


class Span(NamedTuple):
    """A word or phrase of the tables within a caption: words ``start`` to ``end``, which is left out."""

    start: int
    end: int
    word: Word


def spans_of(words: tuple[str, ...]) -> list[Span]:
    """The phrases of the tables, from left to right, longest first, none over another."""
    by_first = _by_first()
    found: list[Span] = []
    at, length = 0, len(words)
    while at < length:
        for phrase, word in by_first.get(words[at], ()):
            end = at + len(phrase)
            if words[at:end] == phrase:
                found.append(Span(at, end, word))
                at = end
                break
        else:
            at += 1
    return found


@cache
def by_form() -> Mapping[str, Word]:
    """Every form of every word, words set apart by a space, with what it can name.

    Raises:
        ValueError: the tables give one form to two classes.
    """
    drafts: dict[str, _Draft] = {}
    for form, draft in _forms():
        known = drafts.setdefault(form, draft)
        if known is not draft:
            known.add(draft, form)
    return {form: draft.finished() for form, draft in drafts.items()}


@cache
def _by_first() -> Mapping[str, tuple[tuple[tuple[str, ...], Word], ...]]:
    groups: dict[str, list[tuple[tuple[str, ...], Word]]] = {}
    for form, word in by_form().items():
        phrase = tuple(form.split(" "))
        groups.setdefault(phrase[0], []).append((phrase, word))
    return {first: tuple(sorted(some, key=lambda it: -len(it[0]))) for first, some in groups.items()}


@dataclass(slots=True, kw_only=True)
class _Draft:
    lemma: str
    shape: Shape
    classes: tuple[str, ...] = ()
    perhaps: list[str] = field(default_factory=list)
    is_animal: bool = False

    def add(self, other: _Draft, form: str) -> None:
        if other.classes and self.classes and other.classes != self.classes:
            raise ValueError(
                f"form={form!r}: expected one class, and the tables have {self.classes} and {other.classes}"
            )
        if other.classes:
            self.lemma, self.shape = other.lemma, other.shape
        self.classes = self.classes or other.classes
        self.perhaps += [name for name in other.perhaps if name not in self.perhaps]
        self.is_animal = self.is_animal or other.is_animal

    def finished(self) -> Word:
        may = tuple(name for name in self.perhaps if name not in self.classes)
        return Word(lemma=self.lemma, shape=self.shape, classes=self.classes, perhaps=may, is_animal=self.is_animal)


def _forms() -> Iterator[tuple[str, _Draft]]:
    for name, row in class_rows().items():
        animal = row.kind == "animal"
        for each in row.names:
            yield from _inflected(each, classes=(name,), is_animal=animal)
        for each in row.many:
            yield _spaced(each), _Draft(lemma=each, shape=Shape.MANY, classes=(name,), is_animal=animal)
        for each in row.formless:
            yield _spaced(each), _Draft(lemma=each, shape=Shape.LACKING, classes=(name,), is_animal=animal)
        for each in row.perhaps:
            yield from _inflected(each, perhaps=[name])
    yield from _of_people()
    for each, classes in phrases()["either"].items():
        yield from _inflected(each, classes=classes)
    for kind, names in phrases()["kinds"].items():
        for each in names:
            yield from _inflected(each, perhaps=[kind])
    for each, classes in phrases()["some"].items():
        yield from _inflected(each, perhaps=list(classes))
    for section, names in phrases()["nothing"].items():
        for each in names:
            yield from _inflected(each, is_animal=section == "animals")


def _of_people() -> Iterator[tuple[str, _Draft]]:
    sections = people()
    for section in ("man", "woman", "boy", "girl", "child", "adult", "anyone"):
        for each in sections[section]:
            yield from _inflected(each, classes=(PERSON,))
    for each in sections["many"]:
        for form in dict.fromkeys((each, plural(each))):
            yield _spaced(form), _Draft(lemma=each, shape=Shape.MANY, classes=(PERSON,))
    for each in sections["perhaps"]:
        yield from _inflected(each, perhaps=[PERSON])
    for each in sections["modifiers"]:
        yield _spaced(each), _Draft(lemma=each, shape=Shape.ONE)


def _inflected(
    name: str, *, classes: tuple[str, ...] = (), perhaps: list[str] | None = None, is_animal: bool = False
) -> Iterator[tuple[str, _Draft]]:
    many = plural(name)
    shape = Shape.ONE
    if many == name:
        shape = Shape.MASS if is_mass(name) else Shape.LACKING if lacks_singular(name) else Shape.BOTH
    for form, of in ((name, shape), (many, Shape.MANY))[: 1 if many == name else 2]:
        yield (
            _spaced(form),
            _Draft(lemma=name, shape=of, classes=classes, perhaps=list(perhaps or ()), is_animal=is_animal),
        )


def _spaced(form: str) -> str:
    return " ".join(words_of(form))
