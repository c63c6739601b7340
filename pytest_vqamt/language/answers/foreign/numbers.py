"""Numbers in answers in German, French and Spanish to "how many"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from pytest_vqamt.core.lazy_pattern import pattern_of
from pytest_vqamt.language.answers.answer_text import Prepared, Unreadable, UnreadableAnswer
from pytest_vqamt.language.answers.foreign.claims import AT, Item, statement_of
from pytest_vqamt.language.answers.foreign.forms import after_corrections, answer_proper
from pytest_vqamt.language.answers.foreign.gloss import (
    ARTICLE,
    ONE,
    AnswerLanguage,
    Clause,
    exclude,
    glossed,
    kind_of,
    lexicon_of,
    listed,
    plain,
    with_labels,
)

_MOST = 10**9
"""Greater numbers count nothing in a picture."""
_NOT_WHOLE = pattern_of(r"\d[.,]\d(?!\d\d\b)|\d ?(?:%|cm|km|kg|m\b|h\b)|\d:\d")
"""A number that counts no things: "1,5", "30 %". "2.000" is one."""

_CAPITALS = pattern_of(r"(?<![.!?:\n] )(?<!^)\b[^\W\d_a-z\u00e4\u00f6\u00fc\u00df][^\W\d_]+")
"""German nouns within a sentence: "ein Hund mit zwei Leinen"."""
_PLURALS = pattern_of(r"\b[^\W\d_]+[sx]\b")
"""Words that may be French or Spanish nouns: "un chien et deux laisses"."""

_PARTS = 2
"""A total that is no sum of the other numbers must be the first or the second number of the answer."""

_ENOUGH = 3
"""The fewest numbers that count aloud: "one, two, three"."""


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount that is no number, such as "viele" or "au moins 3"."""

    word: str
    """The first word of it in the answer, lower case: "viele", "au"."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number of a clause."""

    value: int
    """From 0."""
    noun: str
    """The stem of the word behind it, "" without one."""
    is_article: bool
    """True of "ein" or the like, which may be an article."""
    is_given: bool
    """True behind a definite article: "of the seven glasses two are empty"."""
    is_bound: bool
    """True behind a preposition: "with a hat"."""
    clause: int
    """The place of its clause in the answer."""


@lru_cache(maxsize=4096)
def read_count(language: AnswerLanguage, question: str, answer: str | Prepared) -> int | Amount | UnreadableAnswer:
    """The number that an answer gives of what its question counts.

    >>> read_count(AnswerLanguage.FRENCH, "Combien de verres sont vides ?", "Sur les sept verres, deux sont vides.")
    2
    >>> read_count(AnswerLanguage.GERMAN, "Wie viele Boote gibt es?", "Es gibt zwei oder drei Boote.").reason.value
    'several numbers'
    >>> read_count(AnswerLanguage.SPANISH, "\u00bfCu\u00e1ntas personas hay?", "Hay muchas personas.")
    Amount(word='muchas')
    """
    text = answer_proper(language, answer, question)
    if isinstance(text, UnreadableAnswer):
        return text
    if _NOT_WHOLE.search(text):
        return UnreadableAnswer(Unreadable.NOT_WHOLE)
    asked = _question_of(language, question)
    said = with_labels(after_corrections(language, glossed(language, text, question)))
    clauses = [part for clause in _after_a_no(language, said) for part in _at_and(clause) if part.marks]
    # Each step leaves out numbers of something else; what is left must be one number.
    clauses = _at_the_place(language, asked, clauses)
    if amount := _amount(clauses):
        return amount
    if any(_is_unsure(language, each) for each in clauses):
        return UnreadableAnswer(Unreadable.SEVERAL_NUMBERS)
    numbers = [each for each in numbers_of(clauses) if each.value < _MOST and _is_counted(language, asked, each)]
    # Only clauses that deny as well count what is not so: "three are not empty".
    if asked.denies:
        return _one_of([each for each in numbers if _is_denied(clauses[each.clause])])
    # "Not three but four".
    if any(_is_denied(clauses[each.clause]) for each in numbers if not each.is_article):
        numbers = [each for each in numbers if not _is_denied(clauses[each.clause])]
        if not numbers:
            return UnreadableAnswer(Unreadable.NO_NUMBER)
    nouns = _nouns(language, text, question)
    exact = [each for each in numbers if not each.is_given and _is_exact(asked, each, clauses[each.clause])]
    if asked.is_seen and exact != numbers and not any(_is_seen(language, clauses[each.clause]) for each in exact):
        exact = [*exact, *(each for each in numbers if each.is_given)]  # "of the six two are hidden"
    # The number of the whole counts only where there is no other.
    exact = exact or [each for each in numbers if each.is_given]
    # "None" beside a number of the same things contradicts it.
    if _says_none(asked, clauses, nouns):
        return UnreadableAnswer(Unreadable.SEVERAL_NUMBERS) if any(_is_asked(asked, each) for each in exact) else 0
    return _chosen(language, asked, clauses, nouns, numbers, exact)


def _chosen(
    language: AnswerLanguage,
    asked: _CountQuestion,
    clauses: Sequence[Clause],
    nouns: frozenset[str],
    numbers: Sequence[Number],
    exact: Sequence[Number],
) -> int | UnreadableAnswer:
    """The number of the counted things, where numbers of other things, parts and totals stand as well."""
    others = [
        each for each in numbers if not _is_asked(asked, each) and (each.noun in nouns or kind_of(language, each.noun))
    ]
    # Things of no kind that is counted: cats, where dogs are.
    foreign = [each for each in others if kind_of(language, each.noun) not in asked.counted and len(asked.counted) == 1]
    of_kinds = _sum_of_kinds(language, asked, clauses, numbers)
    exact = _of_these(language, asked, clauses, exact)
    parts = [each for each in numbers if each in exact or (each in others and each not in foreign)]
    total = _total(asked, clauses, parts, foreign)
    if total is None and not others:
        total = _counted_aloud(exact)
    total = of_kinds if total is None else total
    if total is not None:
        return total
    # "There are two cats" counts no dogs, and does not say that there are none.
    if others and not any(_is_asked(asked, each) for each in numbers):
        return UnreadableAnswer(Unreadable.NO_NUMBER)
    same = [each for each in exact if _is_asked(asked, each)]
    others = [each for each in exact if each in others]
    # Beside other things a number without a noun may be of either.
    if others and (not same or len(same) + len(others) < len(exact)):
        return UnreadableAnswer(Unreadable.NO_NUMBER)
    return _one_of(same if others else exact)


@dataclass(frozen=True, slots=True)
class _CountQuestion:
    """What a question counts."""

    counted: tuple[str, ...]
    """The noun, or several with "and" between them."""
    stems: frozenset[str]
    """All of its words."""
    denies: bool
    """True if it counts what is not so: "how many cups are not empty?"."""
    is_seen: bool
    """True if it asks how many can be seen."""
    items: tuple[Item, ...]
    """All items of the question, for what it asks of its nouns: places, colours, postures."""


@lru_cache(maxsize=4096)
def _question_of(language: AnswerLanguage, question: str) -> _CountQuestion:
    """What the question counts, without its "how many"."""
    asked = " ".join(plain(question.partition("?")[0]).split())
    for way in listed(language.table["how_many"]):
        asked = re.sub(rf"\b{way}\b", " ", asked)
    clauses = glossed(language, asked)
    statements = [statement_of(language, clause) for clause in clauses]
    items = tuple(item for statement in statements for item in statement.items)
    stems = frozenset(item.mark for item in items if item.mark[0] not in "=~#@")
    nouns = [
        "somebody" if mark == "SOMEBODY" else mark for clause in clauses for mark in clause.marks if mark[0] not in "=@"
    ]
    # Nouns with "and" between them: every second mark, up to the first that is no "and".
    end = next((place for place in range(1, len(nouns), 2) if nouns[place] != "AND"), len(nouns))
    is_seen = any(_is_seen(language, clause) for clause in clauses)
    return _CountQuestion(tuple(nouns[:end:2]), stems, any(each.denials for each in statements), is_seen, items)


def _is_seen(language: AnswerLanguage, clause: Clause) -> bool:
    said = " ".join(clause.words)
    return any(f" {way} " in f" {said} " for way in listed(language.table["seen"]))


def numbers_of(clauses: Sequence[Clause]) -> list[Number]:
    """The numbers of the clauses and what they are of."""
    found = []
    for number, clause in enumerate(clauses):
        for place, mark in enumerate(clause.marks):
            before = clause.marks[place - 1] if place else ""
            rest = clause.marks[place + 1 :]
            if mark[0] != "#" or before == "NUMBERED" or not mark[1:].rstrip("?").isdecimal() or rest[:1] == ("TOTAL",):
                continue
            behind = next((each for each in rest if each[0] not in "=~" and each != "ONLY"), "")
            noun = "somebody" if behind == "SOMEBODY" else "" if behind.isupper() or behind[:1] in "#@" else behind
            is_given, value = before in (ARTICLE, "OTHER"), int(mark[1:].rstrip("?"))
            found.append(Number(value, noun, mark == ONE, is_given, before[:1] == "@", number))
    return found


def _is_asked(asked: _CountQuestion, number: Number) -> bool:
    return number.noun in asked.stems


def _is_counted(language: AnswerLanguage, asked: _CountQuestion, number: Number) -> bool:
    """True if a number is none of "with a hat"."""
    return (
        not (number.is_article and number.is_bound)
        or {number.noun, kind_of(language, number.noun)} & set(asked.counted) != set()
    )


def _is_exact(asked: _CountQuestion, number: Number, clause: Clause) -> bool:
    """True of a number that is no article: "ein" counts before the noun that is counted, alone, or behind "only"."""
    if not number.is_article or number.noun in asked.counted:
        return True
    if number.noun in asked.stems:
        return not any(item.mark == number.noun and item.article == "a" for item in asked.items)
    return not number.noun and ("ONLY" in clause.marks or len(clause.marks) == 1)


def _is_unsure(language: AnswerLanguage, clause: Clause) -> bool:
    """True of a clause that leaves a number open: "two or three", "there may be more"."""
    if numbers_of((clause,)):
        return "OR" in clause.marks or "MAYBE" in clause.marks
    return "MAYBE" in clause.marks and not statement_of(language, clause).items


def _nouns(language: AnswerLanguage, text: str, question: str) -> frozenset[str]:
    """The words that look like nouns in the plural: German capitals, a French and Spanish plural ending."""
    found = (_CAPITALS if language is AnswerLanguage.GERMAN else _PLURALS).findall(text)
    return frozenset(mark for clause in glossed(language, ", ".join(found), question) for mark in clause.marks)


def _amount(clauses: Sequence[Clause]) -> Amount | None:
    for clause in clauses:
        marks = clause.marks
        for place, (mark, word) in enumerate(zip(marks, clause.firsts, strict=True)):
            behind = "".join(marks[place + 1 : place + 2])
            if mark in ("MANY", "HUNDRED", "BOUND") or (mark in ("MORE", "FEWER") and behind[:1] == "#"):
                return Amount(word)
    return None


def _is_denied(clause: Clause) -> bool:
    return "NOT" in clause.marks or "NEITHER" in clause.marks


def _one_of(numbers: Sequence[Number]) -> int | UnreadableAnswer:
    values = {each.value for each in numbers}
    if len(values) == 1:
        return values.pop()
    return UnreadableAnswer(Unreadable.SEVERAL_NUMBERS if values else Unreadable.NO_NUMBER)


def _after_a_no(language: AnswerLanguage, clauses: Sequence[Clause]) -> Sequence[Clause]:
    """The clauses behind a "no" that takes a number back: "three, no, four"."""
    known = lexicon_of(language).clauses
    last = max((place for place, each in enumerate(clauses) if known.get(each.said) == "NO"), default=0)
    return clauses[last:] if numbers_of(clauses[last:]) else clauses


def _at_and(clause: Clause) -> list[Clause]:
    """The parts of a clause between "and", where each has a number."""
    ends = [place for place, mark in enumerate(clause.marks) if mark == "AND"]
    spans = list(pairwise((-1, *ends, len(clause.marks))))
    parts = [
        Clause(clause.words, clause.marks[start + 1 : end], clause.firsts[start + 1 : end]) for start, end in spans
    ]
    return parts if len(parts) > 1 and all(numbers_of((part,)) for part in parts) else [clause]


def _at_the_place(language: AnswerLanguage, asked: _CountQuestion, clauses: list[Clause]) -> list[Clause]:
    """Without the clauses about other things than is counted: "on the left there are four", "two are white"."""
    places = {item.binder or item.mark.lstrip("@") for item in asked.items if item.binder or item.mark[0] == "@"}
    looks = {item.mark for item in asked.items if item.mark[0] in "=~"}
    nouns = {item.mark for item in asked.items if item.binder in AT}
    kept = [
        clause
        for clause in clauses
        if not any(exclude(mark.lstrip("@"), each) for mark in clause.marks for each in places | looks)
    ]
    if numbers_of(kept) != numbers_of(clauses):  # "it has eight windows, two are closed" to "how many are open?"
        wanted = looks | {f"@{place}" for place in places}
        kept = [clause for clause in kept if not numbers_of((clause,)) or wanted & set(clause.marks)]
    return [clause for clause in kept if not (nouns and _is_at_another_place(language, asked, clause))]


def _is_at_another_place(language: AnswerLanguage, asked: _CountQuestion, clause: Clause) -> bool:
    """True if a clause says where things are, and this is not where they are counted."""
    at = {item.mark for item in statement_of(language, clause).items if item.binder in AT}
    return bool(at) and at.isdisjoint(asked.stems)


def _of_these(
    language: AnswerLanguage, asked: _CountQuestion, clauses: Sequence[Clause], numbers: Sequence[Number]
) -> Sequence[Number]:
    """The numbers behind "only" and "of them" if these clauses repeat the question, else the other numbers."""
    of_these = [each for each in numbers if {"ONLY", "PART"} & set(clauses[each.clause].marks)]
    wanted = {item.mark for item in asked.items if item.binder != "of"} - set(asked.counted)
    # Nothing to choose between.
    if not of_these or len(of_these) == len(numbers):
        return numbers
    said = {mark for each in of_these for mark in clauses[each.clause].marks}
    # "Visible, however, are only three": the words before "however" are a clause of their own.
    before = [clause for each in of_these for clause in clauses[max(0, each.clause - 1) : each.clause]]
    near = [clause for clause in before if not numbers_of((clause,))] + [clauses[each.clause] for each in of_these]
    is_seen = any(_is_seen(language, clause) for clause in near)
    if (asked.is_seen and is_seen) or (wanted and wanted <= said):
        return of_these
    if is_seen:
        return numbers  # "it has six wheels, of which three are visible": how many it has stays open
    return [each for each in numbers if each not in of_these or "PART" not in clauses[each.clause].marks]


def _total(
    asked: _CountQuestion, clauses: Sequence[Clause], numbers: Sequence[Number], foreign: Sequence[Number]
) -> int | None:
    """The sum that the answer gives itself; the parts must add up to it, or be counted in other ways."""
    for place, each in enumerate(numbers):
        if foreign and each.noun not in asked.counted:
            continue  # "a cat and three dogs, in total four animals" to "how many dogs?"
        # The total comes last, behind its parts, or first, before them.
        parts = [part.value for part in numbers[:place] or numbers[1:]]
        is_sum = len(parts) > 1 and sum(parts) == each.value
        is_last_of_clause = [*numbers, each][place + 1].clause != each.clause or place == len(numbers) - 1
        says_so = "TOTAL" in clauses[each.clause].marks and is_last_of_clause
        if says_so or (is_sum and place in (0, len(numbers) - 1)):
            return each.value if is_sum or place < _PARTS else None
    return None


def _sum_of_kinds(
    language: AnswerLanguage, asked: _CountQuestion, clauses: Sequence[Clause], numbers: Sequence[Number]
) -> int | None:
    """The sum of "two brown and three black dogs", if dogs are counted, and of men and women, if people are."""
    named = sorted({each.noun for each in numbers if each.noun})
    looks = [[mark for mark in clause.marks if mark[0] == "="] for clause in clauses]
    # Asked for a colour, only one of the kinds has it.
    if any(item.mark[0] == "=" for item in asked.items) or not named:
        return None
    if len(named) < len(numbers):
        are_others = [len(one) == len(other) == 1 and exclude(one[0], other[0]) for one, other in pairwise(looks)]
        is_sum = len(numbers) == len(clauses) and all(are_others) and set(named) <= asked.stems
    elif len(asked.counted) > 1:
        is_sum = named == sorted(asked.counted)
    else:
        is_sum = named == sorted(
            mark for clause in clauses for mark in clause.marks if kind_of(language, mark) in asked.counted
        )
    return sum(each.value for each in numbers) if is_sum else None


def _counted_aloud(numbers: Sequence[Number]) -> int | None:
    """The end of "one, two, three", if no other number follows."""
    values = [each.value for each in numbers]
    last = max(values, default=0)
    counted = list(range(1, last + 1))
    if last < _ENOUGH or values[: len(counted)] != counted:
        return None
    return last if set(values[len(counted) :]) <= {last} else None


def _says_none(asked: _CountQuestion, clauses: Sequence[Clause], nouns: frozenset[str]) -> bool:
    """True if the answer says that there are none."""
    for clause in clauses:
        for place, mark in enumerate(clause.marks):
            if mark not in ("NONE", "NOBODY"):
                continue
            behind = next(
                (each for each in clause.marks[place + 1 :] if each[0] not in "=~#" and not each.isupper()), ""
            )
            if behind in asked.stems or (behind not in nouns and not asked.stems.isdisjoint(clause.marks)):
                return True
            if mark == "NOBODY" or not any(each[0] not in "=~#@" and not each.isupper() for each in clause.marks):
                return True
    return False
