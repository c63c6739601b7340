"""Numbers in answers in German, French and Spanish to "how many"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from pytest_vqamt.language.answers.foreign.claims import AT, Item, statement_of
from pytest_vqamt.language.answers.foreign.forms import after_corrections, answer_proper
from pytest_vqamt.language.answers.foreign.gloss import (
    ARTICLE,
    ONE,
    Clause,
    Language,
    exclude,
    glossed,
    lexicon_of,
    listed,
    plain,
)
from pytest_vqamt.language.answers.text import Prepared, Unreadable, UnreadableAnswer


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount that is no number, such as "viele" or "au moins 3"."""

    word: str


@dataclass(frozen=True, slots=True)
class _Number:
    """A number of a clause.

    Attributes:
        noun: the stem of the word behind it, "" without one.
        is_article: whether it is "ein" or the like, which may be an article.
        is_given: whether it stands behind a definite article: "of the seven glasses two are empty".
    """

    value: int
    noun: str
    is_article: bool
    is_given: bool
    clause: int


@lru_cache(maxsize=4096)
def read_count(language: Language, question: str, answer: str | Prepared) -> int | Amount | UnreadableAnswer:
    """The number that an answer gives of what its question counts.

    >>> read_count(Language.FRENCH, "Combien de verres sont vides ?", "Sur les sept verres, deux sont vides.")
    2
    >>> read_count(Language.GERMAN, "Wie viele Boote gibt es?", "Es gibt zwei oder drei Boote.").reason.value
    'several numbers'
    >>> read_count(Language.SPANISH, "\u00bfCu\u00e1ntas personas hay?", "Hay muchas personas.")
    Amount(word='muchas')
    """
    text = answer_proper(language, answer, question)
    if isinstance(text, UnreadableAnswer):
        return text
    if _NOT_WHOLE.search(text):
        return UnreadableAnswer(Unreadable.NOT_WHOLE)
    asked = _asked(language, question)
    said = after_corrections(language, glossed(language, text, question))
    clauses = [part for clause in _after_a_no(language, said) for part in _at_and(clause) if part.marks]
    clauses = _at_the_place(language, asked, clauses)
    if amount := _amount(clauses):
        return amount
    if any("OR" in each.marks or "MAYBE" in each.marks for each in clauses if _numbers((each,))):
        return UnreadableAnswer(Unreadable.SEVERAL_NUMBERS)
    nouns = _nouns(language, text, question)
    numbers = [each for each in _numbers(clauses) if each.value < _MOST]
    if asked.denies:
        return _one_of([each for each in numbers if _denied(clauses[each.clause])])
    if any(_denied(clauses[each.clause]) for each in numbers if not each.is_article):
        numbers = [each for each in numbers if not _denied(clauses[each.clause])]  # "not three but four"
        if not numbers:
            return UnreadableAnswer(Unreadable.NO_NUMBER)
    named = [each for each in numbers if each.noun in nouns]
    if named and not any(each.noun in asked.stems for each in numbers):
        return UnreadableAnswer(Unreadable.NO_NUMBER)  # other things are counted
    if (total := _total(clauses, numbers)) is not None:
        return total
    if (of_kinds := _sum_of_kinds(asked, clauses, numbers)) is not None:
        return of_kinds
    exact = [each for each in numbers if not each.is_article and not each.is_given]
    if (aloud := _counted_aloud(exact)) is not None:
        exact = [each for each in exact if each.value == aloud and each.clause == exact[-1].clause]
    exact += [each for each in numbers if each.is_article and _is_one(asked, each, clauses[each.clause])]
    exact = exact or [each for each in numbers if each.is_given]
    others = [each for each in exact if each.noun in nouns and each.noun not in asked.stems]
    same = [each for each in exact if each.noun in asked.stems]
    if others and (not same or len(same) + len(others) < len(exact)):
        return UnreadableAnswer(Unreadable.NO_NUMBER)
    zero = _none(asked, clauses, nouns)
    if zero and not same:
        return 0
    return UnreadableAnswer(Unreadable.SEVERAL_NUMBERS) if zero else _one_of(same if others else exact)


_MOST = 10**9
_NOT_WHOLE = re.compile(r"\d[.,]\d(?!\d\d\b)|\d ?(?:%|cm|km|kg|m\b|h\b)|\d:\d")


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a question counts: its words, whether it denies, and the places at which it counts."""

    stems: frozenset[str]
    denies: bool
    items: tuple[Item, ...]


@lru_cache(maxsize=4096)
def _asked(language: Language, question: str) -> _Asked:
    asked = " ".join(plain(question.partition("?")[0]).split())
    for way in listed(language.table["how_many"]):
        asked = re.sub(rf"\b{way}\b", " ", asked)
    clauses = glossed(language, asked)
    statements = [statement_of(language, clause) for clause in clauses]
    items = tuple(item for statement in statements for item in statement.items)
    stems = frozenset(item.mark for item in items if item.mark[0] not in "=~#@")
    return _Asked(stems, any(statement.denials for statement in statements), items)


def _numbers(clauses: Sequence[Clause]) -> list[_Number]:
    found = []
    for number, clause in enumerate(clauses):
        for place, mark in enumerate(clause.marks):
            before = clause.marks[place - 1] if place else ""
            if mark[0] != "#" or before == "NUMBERED" or not mark[1:].rstrip("?").isdecimal():
                continue
            behind = next((each for each in clause.marks[place + 1 :] if each[0] not in "=~" and each != "ONLY"), "")
            noun = "" if behind.isupper() or behind[:1] in "#@" else behind
            found.append(_Number(int(mark[1:].rstrip("?")), noun, mark == ONE, before in (ARTICLE, "OTHER"), number))
    return found


def _nouns(language: Language, text: str, question: str) -> frozenset[str]:
    """The words that look like nouns in the plural: German capitals, a French and Spanish plural ending."""
    found = (_CAPITALS if language is Language.GERMAN else _PLURALS).findall(text)
    return frozenset(mark for clause in glossed(language, ", ".join(found), question) for mark in clause.marks)


_CAPITALS = re.compile(r"(?<![.!?:\n] )(?<!^)\b[^\W\d_a-z\u00e4\u00f6\u00fc\u00df][^\W\d_]+")
_PLURALS = re.compile(r"\b[^\W\d_]+[sx]\b")


def _amount(clauses: Sequence[Clause]) -> Amount | None:
    for clause in clauses:
        marks = clause.marks
        for place, (mark, word) in enumerate(zip(marks, clause.firsts, strict=True)):
            behind = marks[place + 1][0] if place + 1 < len(marks) else ""
            if mark in ("MANY", "HUNDRED", "BOUND") or (mark in ("MORE", "FEWER") and behind == "#"):
                return Amount(word)
    return None


def _denied(clause: Clause) -> bool:
    return "NOT" in clause.marks or "NEITHER" in clause.marks


def _one_of(numbers: Sequence[_Number]) -> int | UnreadableAnswer:
    values = {each.value for each in numbers}
    if len(values) == 1:
        return values.pop()
    return UnreadableAnswer(Unreadable.SEVERAL_NUMBERS if values else Unreadable.NO_NUMBER)


def _after_a_no(language: Language, clauses: Sequence[Clause]) -> Sequence[Clause]:
    """The clauses behind a "no" that takes a number back: "three, no, four"."""
    known = lexicon_of(language).clauses
    taken_back = [place for place, each in enumerate(clauses) if known.get(each.said) == "NO" and place]
    if not taken_back or not _numbers(clauses[: taken_back[-1]]) or not _numbers(clauses[taken_back[-1] :]):
        return clauses
    return clauses[taken_back[-1] :]


def _at_and(clause: Clause) -> list[Clause]:
    """The parts of a clause between "and", where each has a number."""
    ends = [place for place, mark in enumerate(clause.marks) if mark == "AND"]
    spans = list(pairwise((-1, *ends, len(clause.marks))))
    parts = [
        Clause(clause.words, clause.marks[start + 1 : end], clause.firsts[start + 1 : end]) for start, end in spans
    ]
    return parts if len(parts) > 1 and all(_numbers((part,)) for part in parts) else [clause]


def _at_the_place(language: Language, asked: _Asked, clauses: list[Clause]) -> list[Clause]:
    """Without the clauses about other things than is counted: "on the left there are four", "two are white"."""
    places = {item.binder or item.mark.lstrip("@") for item in asked.items if item.binder or item.mark[0] == "@"}
    looks = {item.mark for item in asked.items if item.mark[0] in "=~"}
    nouns = {item.mark for item in asked.items if item.binder in AT}
    return [
        clause
        for clause in clauses
        if not any(mark[0] == "@" and exclude(mark[1:], place) for mark in clause.marks for place in places)
        and not any(exclude(mark, look) for mark in clause.marks for look in looks)
        and not (nouns and _is_at_another_place(language, asked, clause))
    ]


def _is_at_another_place(language: Language, asked: _Asked, clause: Clause) -> bool:
    """Whether a clause says where things are, and this is not where they are counted."""
    at = {item.mark for item in statement_of(language, clause).items if item.binder in AT}
    return bool(at) and at.isdisjoint(asked.stems)


def _total(clauses: Sequence[Clause], numbers: Sequence[_Number]) -> int | None:
    """The sum that the answer gives itself; the parts must add up to it, or be counted in other ways."""
    for number, clause in enumerate(clauses):
        own = [each for each in numbers if each.clause == number]
        parts = [each.value for each in numbers if each.clause < number]
        if "TOTAL" in clause.marks and own:
            parts += [each.value for each in own[:-1]]
            return own[-1].value if len(parts) < 2 or sum(parts) == own[-1].value else None
        if "SO" in clause.marks and len(own) == 1 and len(parts) > 1 and sum(parts) == own[0].value:
            return own[0].value
    return None


def _sum_of_kinds(asked: _Asked, clauses: Sequence[Clause], numbers: Sequence[_Number]) -> int | None:
    """The sum of "two brown and three black dogs", if dogs are counted."""
    if len(numbers) != len(clauses) or len(numbers) < 2 or any(item.mark[0] == "=" for item in asked.items):
        return None
    looks = [[mark for mark in clause.marks if mark[0] == "="] for clause in clauses]
    if any(len(each) != 1 for each in looks) or not all(exclude(one[0], other[0]) for one, other in pairwise(looks)):
        return None
    named = {each.noun for each in numbers if each.noun}
    return sum(each.value for each in numbers) if named and named <= asked.stems else None


def _counted_aloud(numbers: Sequence[_Number]) -> int | None:
    """The end of "one, two, three", if no other number follows."""
    values = [each.value for each in numbers]
    last = max(values, default=0)
    counted = list(range(1, last + 1))
    if last < _ENOUGH or values[: len(counted)] != counted:
        return None
    return last if set(values[len(counted) :]) <= {last} else None


_ENOUGH = 3


def _is_one(asked: _Asked, number: _Number, clause: Clause) -> bool:
    """Whether "ein" and the like count: before the noun that is counted, alone, or behind "only"."""
    return number.noun in asked.stems or (not number.noun and ("ONLY" in clause.marks or len(clause.marks) == 1))


def _none(asked: _Asked, clauses: Sequence[Clause], nouns: frozenset[str]) -> bool:
    """Whether none of what is counted is said to be there."""
    for clause in clauses:
        for place, mark in enumerate(clause.marks):
            if mark not in ("NONE", "NOBODY", "NOT_ANY"):
                continue
            behind = next(
                (each for each in clause.marks[place + 1 :] if each[0] not in "=~#" and not each.isupper()), ""
            )
            if behind in asked.stems or (behind not in nouns and not asked.stems.isdisjoint(clause.marks)):
                return True
            if mark == "NOBODY" or not any(each[0] not in "=~#@" and not each.isupper() for each in clause.marks):
                return True
    return False
