"""Yes and no in answers in German, French and Spanish."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

from pytest_vqamt.core.lazy_pattern import pattern_of
from pytest_vqamt.language.answers.answer_text import Prepared, Unreadable, UnreadableAnswer
from pytest_vqamt.language.answers.foreign.claims import (
    GlossedStatement,
    Item,
    YesNoQuestion,
    asked_by,
    claim,
    statement_of,
)
from pytest_vqamt.language.answers.foreign.forms import after_corrections, answer_proper, asks_for_presence
from pytest_vqamt.language.answers.foreign.gloss import (
    AnswerLanguage,
    Clause,
    exclude,
    glossed,
    kind_of,
    label_of,
    lexicon_of,
    with_labels,
)
from pytest_vqamt.language.answers.foreign.numbers import numbers_of

_NOT_ONLY = pattern_of(
    r"\b(?:n['\u2019](?:est|y a|a|en a)|ne (?:sont|voit|vois|porte|montre)) pas (?:que|seulement|uniquement)\b",
    re.IGNORECASE,
)
"""Says so and more, by what looks like a denial: "il n'y a pas que des chiens"."""

_LINES = 2
"""The fewest lines of a list: one "dog: yes" is a claim as any other."""

_SHORT = 6
"""A clause with a lone denial is a "no" if it has fewer words than that: "creo que no"."""


@lru_cache(maxsize=4096)
def read_yes_no(language: AnswerLanguage, question: str, answer: str | Prepared) -> bool | UnreadableAnswer:
    """True if an answer says yes: by a particle, and by what it claims of what is asked, if these agree.

    >>> read_yes_no(AnswerLanguage.GERMAN, "Ist die T\u00fcr blau?", "Die T\u00fcr ist dunkelgr\u00fcn gestrichen.")
    False
    >>> read_yes_no(AnswerLanguage.FRENCH, "Pleut-il ?", "On dirait que oui, les gens ont des parapluies.")
    True
    >>> read_yes_no(AnswerLanguage.SPANISH, "\u00bfEl gato es negro?", "S\u00ed, el gato es blanco.").reason.value
    'both yes and no'
    """
    text = answer_proper(language, answer, question)
    if isinstance(text, UnreadableAnswer):
        return text
    if _NOT_ONLY.search(text):
        return UnreadableAnswer(Unreadable.NO_YES_OR_NO)
    asked = _question_of(language, question)
    return _read(language, asked, after_corrections(language, glossed(language, text, question)))


@lru_cache(maxsize=4096)
def _question_of(language: AnswerLanguage, question: str) -> YesNoQuestion:
    clauses = glossed(language, question.partition("?")[0])
    return asked_by(language, clauses, is_presence=asks_for_presence(language, question))


def _read(language: AnswerLanguage, asked: YesNoQuestion, clauses: Sequence[Clause]) -> bool | UnreadableAnswer:
    """Yes or no by particles and claims, if all that the answer says of either agrees."""
    lines, clauses = _lines(language, clauses)
    particles = [
        each
        for number, clause in enumerate(clauses)
        for each in _particles(language, clause, number)
        # "One cannot see if it is so" denies nothing.
        if "NOT" not in clause.marks or not any("IF" in near.marks for near in clauses[max(0, number - 1) : number + 2])
    ]
    marks = set(particles)
    statements = [statement_of(language, clause) for clause in clauses]
    with_items = [each for each in statements if each.items]
    # A condition leaves its neighbours open, which stand before or behind it; a doubt the clause that follows.
    open_places = {
        near
        for place, each in enumerate(statements)
        for near in ((place - 1, place, place + 1) if "IF" in each.flags else (place, place + 1))
        if each.flags & {"IF", "MAYBE"}
    }
    claims = {
        each
        for place, statement in enumerate(statements)
        if place not in open_places
        and (each := _claim(language, asked, statement, is_alone=len(with_items) == 1)) is not None
    }
    if (listed := _listed(asked, lines)) is not None:
        claims.add(listed)
    if (compared := _compared(asked, statements)) is not None:
        # Numbers decide a comparison: both clauses of "four forks and six knives" claim that something is there.
        claims = {compared}
    if len(claims) == 2 or {"YES", "NO"} <= marks:
        return UnreadableAnswer(Unreadable.YES_AND_NO)
    if any("MAYBE" in each.flags and not each.items for each in statements):
        return UnreadableAnswer(Unreadable.UNSURE)
    said = claims.pop() if claims else None
    # "Free of cars" is denied like any attribute, so only "not" is read as a denial.
    if asked.denies and "FREE" not in asked.flags:
        return _of_denial(marks, said)
    if said is not None and asked.denies:
        said = not said
    particle = _particle(marks)
    if particle is not None and said is not None and particle != said:
        return UnreadableAnswer(Unreadable.YES_AND_NO)
    said = particle if said is None else said
    if said is not None:
        return said
    unsure = any("MAYBE" in each.flags for each in statements)
    return UnreadableAnswer(Unreadable.UNSURE if unsure else Unreadable.NO_YES_OR_NO)


def _lines(language: AnswerLanguage, clauses: Sequence[Clause]) -> tuple[dict[str, bool], Sequence[Clause]]:
    """The lines of a list such as "fork: yes, knife: no", and the other clauses."""
    known = lexicon_of(language).clauses
    found = {
        place: (label, said == "YES")
        for place, (clause, value) in enumerate(pairwise(clauses))
        if (label := label_of(clause)) and (said := known.get(value.said)) in ("YES", "NO")
    }
    if len(found) < _LINES:
        return {}, clauses
    rest = [clause for place, clause in enumerate(clauses) if place not in found and place - 1 not in found]
    return dict(found.values()), rest


def _listed(asked: YesNoQuestion, lines: Mapping[str, bool]) -> bool | None:
    """True if a list says that all that is asked for is there, or one of them where the question has "or"."""
    said = {lines[item.mark] for item in asked.items if item.is_noun and item.mark in lines}
    is_whole = all(item.mark in lines for item in asked.items if item.is_noun)
    # One yes is enough behind "or", one no behind "and"; else all lines must be there.
    enough = "OR" in asked.flags
    return enough if enough in said else not enough if said and is_whole else None


def _particle(marks: set[str]) -> bool | None:
    # "Si" and "doch" contradict a denial, and say nothing to a plain question.
    said = {mark in ("YES", "AGREE") for mark in marks if mark != "CONTRADICT"}
    return said.pop() if len(said) == 1 else None


def _of_denial(marks: set[str], said: bool | None) -> bool | UnreadableAnswer:
    """The reading for a question that denies: "no" before a sentence may agree with the denial or not."""
    agrees = {"AGREE": True, "CONTRADICT": False}
    claims = {agrees[mark] for mark in marks if mark in agrees} | ({not said} if said is not None else set())
    if len(claims) == 1:
        return claims.pop()
    return UnreadableAnswer(Unreadable.YES_AND_NO if claims else Unreadable.NO_YES_OR_NO)


def _particles(language: AnswerLanguage, clause: Clause, number: int) -> Iterator[str]:
    """The yes or no of a clause, alone, before a sentence, or behind a conclusion ("so yes")."""
    whole = lexicon_of(language).clauses.get(clause.said)
    marks = clause.marks
    if whole is not None and whole != "CORRECT":
        # French and Spanish "si" begin conditions, too, German "doch" is a filler, and "juste" may be only.
        if whole in ("YES", "NO") or number == 0 or (len(clause.words) > 1 and whole != "CONTRADICT"):
            yield whole
        return
    if not marks or {"MAYBE", "IF"} & set(marks):
        return
    known = [mark for mark in marks if mark not in ("SO", "AND", "ARTICLE", "TOTAL", "IS")]
    if known in (["YES", "NO"], ["YES", "NOT"], ["NO", "YES"]):
        yield from ("YES", "NO")
    elif known in (["YES"], ["NO"]):
        yield known[0]
    elif known == ["NOT"] and (1 < len(clause.words) < _SHORT or number == 0):  # not "the cat, however, not"
        yield "NO"
    # Only at the very beginning does a particle before a sentence answer.
    elif marks[0] in ("YES", "NO") and number == 0:
        yield marks[0]


def _claim(
    language: AnswerLanguage, asked: YesNoQuestion, statement: GlossedStatement, *, is_alone: bool
) -> bool | None:
    """True if the statement says what is asked, by the rules for people, all, both or a single thing."""
    if "OR" in statement.flags and "OR" not in asked.flags:
        return None
    if asked.is_presence and not statement.items and statement.flags == {"NONE"}:
        return False  # "I see none"
    # "Nobody" denies men and women, and "a woman" is somebody, but not the other way round.
    if "NOBODY" in statement.flags:
        asked = replace(asked, items=_of_people(language, asked.items))
    elif Item("somebody", article="a") in asked.items and not statement.denials:
        statement = replace(statement, items=_of_people(language, statement.items))
    if asked.flags & {"ALL", "BOTH"}:
        return _of_all(asked, statement)
    if "AND" in asked.flags or "AS_WELL" in asked.flags:
        both = _of_both(asked, statement)
        if both is not None:
            return both
    return claim(asked, statement, is_alone=is_alone)


def _of_people(language: AnswerLanguage, items: Sequence[Item]) -> tuple[Item, ...]:
    """The items with somebody for a man, a woman and the like."""
    return tuple(
        replace(item, mark="somebody") if item.article == "a" and kind_of(language, item.mark) == "somebody" else item
        for item in items
    )


def _of_both(asked: YesNoQuestion, statement: GlossedStatement) -> bool | None:
    """Of two things, both or only one may be said to be there."""
    if {"BOTH", "NOT_ALL"} & statement.flags and not statement.items:
        return statement.denials == 0 and "NOT_ALL" not in statement.flags
    marks = {item.mark for item in asked.items if item.is_noun}
    named = {item.mark for item in statement.items if item.is_noun}
    if "ONLY" in statement.flags and not statement.denials and len(named) == 1 and named < marks:
        return False
    return None


def _of_all(asked: YesNoQuestion, statement: GlossedStatement) -> bool | None:
    """True if all are said to be so, False if not all are."""
    flags, items = statement.flags, statement.items
    if flags & {"MAYBE", "IF", "FIRST", "OTHER"}:
        return None
    wanted = {item.mark for item in asked.items}
    said = {item.mark for item in items}
    numbers = {mark for mark in said if mark[0] == "#"}
    others = {item.mark for item in items if item.mark[0] not in "~@"} - wanted - numbers
    if "EXCEPT" in flags and flags & {"ALL", "BOTH"}:
        return False
    if "NOT_ALL" in flags:
        return None if others else False
    subject = asked.items[asked.subject].mark if asked.subject >= 0 else ""
    # The whole predicate is repeated, or nothing of it: "all of them".
    is_said = not wanted - said - {subject} and bool(said & wanted)
    is_bare = not said - numbers
    if flags & {"ALL", "BOTH"} and not statement.denials and not flags & {"OR", "ONLY"}:
        if "ALMOST" in flags:
            return False if is_bare or is_said else None
        return True if is_bare or is_said else _excluding(wanted, said, others)
    # "Only the left one": not all of them.
    if "ONLY" in flags and not statement.denials and not others and (is_bare or is_said):
        return False
    if statement.denials == 1 and not others and (is_said or (is_bare and (numbers or "NONE" in flags))):
        return False
    return _excluding(wanted, said, others) if not statement.denials else None


def _excluding(wanted: set[str], said: set[str], others: set[str]) -> bool | None:
    """False if some of them have an attribute that excludes the one of the question; else None."""
    excluded = any(exclude(one, other) for one in said for other in wanted)
    is_of_another = any(mark[0] not in "=@" for mark in others)
    return False if excluded and not is_of_another and not wanted & {mark for mark in said if mark[0] == "="} else None


def _compared(asked: YesNoQuestion, statements: Sequence[GlossedStatement]) -> bool | None:
    """True if the comparison that is asked about holds, by the numbers of both or by what the answer compares."""
    if not asked.flags & {"MORE", "FEWER", "EQUAL"}:
        return None
    nouns = [item.mark for item in asked.items if item.mark[0] not in "=~#@"][:2]
    if len(nouns) < 2:
        return None
    for statement in statements:
        named = [item.mark for item in statement.items if item.mark in nouns]
        if statement.flags & {"MORE", "FEWER"} and sorted(named) == sorted(nouns) and "EQUAL" not in asked.flags:
            same = ("MORE" in statement.flags) == ("MORE" in asked.flags)
            # "Fewer dogs than cats" is "more cats than dogs": both order and word turned round.
            says_so = (named == nouns) == same
            return says_so if not statement.denials else False if says_so else None
        if "EQUAL" in statement.flags and not statement.denials:
            return "EQUAL" in asked.flags
    if any(statement.flags & {"MAYBE", "OR", "NOT"} for statement in statements):
        return None
    counted: dict[str, set[int]] = {noun: set() for noun in nouns}
    clauses = [
        replace(clause, marks=tuple("#0" if mark == "NONE" else mark for mark in clause.marks))
        for clause in with_labels([statement.clause for statement in statements])
    ]
    for each in numbers_of(clauses):
        if each.noun in nouns:
            counted[each.noun].add(each.value)
    if any(len(numbers) != 1 for numbers in counted.values()):
        return None
    one, other = (counted[noun].pop() for noun in nouns)
    if "EQUAL" in asked.flags:
        return one == other
    return one > other if "MORE" in asked.flags else one < other
