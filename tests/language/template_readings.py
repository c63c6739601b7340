"""Templates filled in all their wordings, and what is read in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from pytest_vqamt.core.meaning import (
    Absent,
    Both,
    Choice,
    Either,
    Exists,
    Group,
    Has,
    Located,
    Meaning,
    Neither,
    NotBoth,
    PartCount,
    groups_of,
)
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.language.questions.templates import Asking, QuestionType, count, question
from tests.reader.lexicon import Lexicon
from tests.reader.questions import Unreadable, read

NEGATED = (QuestionType.OBJECT, QuestionType.CONJUNCTION, QuestionType.DISJUNCTION)


@dataclass(frozen=True, slots=True)
class Worded:
    """What is asked, in one template, and in its negated partner where it has one."""

    asking: Asking
    template: int
    plain: Question
    negated: Question | None

    @property
    def questions(self) -> tuple[Question, ...]:
        """The one or the two."""
        return (self.plain,) if self.negated is None else (self.plain, self.negated)

    @property
    def is_related(self) -> bool:
        """Whether its first group stands in a relationship, which decides about the templates that apply."""
        return is_related(self.asking)


def is_related(asking: Asking) -> bool:
    return bool(groups_of(asking.meaning)[0].related)


def worded(askings: Iterable[Asking]) -> Iterator[Worded]:
    """Each in one template; the templates that apply have their turns."""
    turns: Counter[tuple[QuestionType, bool]] = Counter()
    for asking in askings:
        kind = (asking.type, is_related(asking))
        template = turns[kind] % count(*kind)
        turns[kind] += 1
        negated = question(asking, template, negated=True) if asking.type in NEGATED else None
        yield Worded(asking, template, question(asking, template), negated)


def misread(texts: Iterable[Question], lexicon: Lexicon, predicates: Mapping[str, str] | None = None) -> Iterator[str]:
    """What is not read as it was meant."""
    for each in texts:
        try:
            found = read(each.text, lexicon)
        except Unreadable as refusal:
            yield str(refusal)
        else:
            if plain(found) != plain(each.meaning, predicates):
                yield f"{each.text!r} is read as {found!r}, not {each.meaning!r}"


def is_read_as(meaning: Meaning, text: str, lexicon: Lexicon) -> bool:
    try:
        return plain(read(text, lexicon)) == plain(meaning)
    except Unreadable:
        return False


def plain(meaning: Meaning, predicates: Mapping[str, str] | None = None) -> Meaning:
    """The same in one form: without what a text cannot tell, like ``covers`` and the order of attributes."""
    said = predicates or {}

    def of(group: Group) -> Group:
        related = tuple(
            replace(each, predicate=said.get(each.predicate, each.predicate), to=of(each.to)) for each in group.related
        )
        return Group(name=group.name, attributes=tuple(sorted(group.attributes)), related=related)

    match meaning:
        case Exists(group=group) | Absent(group=group) | Has(group=group) | PartCount(group=group):
            return replace(meaning, group=of(group))
        case Both(groups=groups) | NotBoth(groups=groups) | Either(groups=groups) | Neither(groups=groups):
            return replace(meaning, groups=tuple(map(of, groups)))
        case Choice(what=what):
            return replace(meaning, what=of(what))
        case Located(group=group, other=other):
            return replace(meaning, group=of(group), other=of(other))
        case _:
            raise AssertionError(f"not a question of a template: {meaning=!r}")
