"""Clauses of an answer by the predicate of the question: which option, or which number, has what is asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pytest_vqamt.language.answers.choices import find_options, is_denied, without_questions
from pytest_vqamt.language.answers.content import content, exclude
from pytest_vqamt.language.answers.text import HEDGE, MARK, UnreadableAnswer, mark_numbers, prepare_answer
from pytest_vqamt.language.answers.yes_no import claim_clauses


def option_with_predicate(question: str, answer: str, options: tuple[str, ...]) -> str | None:
    """The only option that a clause gives the predicate of the question, or that no clause takes it from.

    >>> ask = "What is the woman holding, an umbrella or a handbag?"
    >>> option_with_predicate(ask, "She holds an umbrella; the handbag hangs on a chair.", ("umbrella", "handbag"))
    'umbrella'
    >>> option_with_predicate("Which is open, the door or the gate?", "The door is.", ("door", "gate"))
    """
    prepared = prepare_answer(answer)
    if isinstance(prepared, UnreadableAnswer):
        return None
    asked = question.lower().partition("?")[0]
    key, subject = _key(asked, options), frozenset(content(asked))
    affirmed, direct, against, named = set[str](), set[str](), set[str](), set[str]()
    for clause in _clauses(without_questions(prepared), options):
        found = list(find_options(clause, options))
        if not found:
            continue
        if HEDGE.search(clause) or _CONDITION.search(clause):
            return None
        named |= {option for option, _, _ in found}
        if len(named_here := {option for option, _, _ in found}) > 1:
            governed = _governed(clause, found, key)
            if governed:
                affirmed.add(governed)
            continue
        option, start, end = found[0]
        words = content(f"{clause[:start]} {clause[end:]}")
        if is_denied(clause, start, end) or _NOT.search(clause):
            against |= named_here
        elif key and key in words:
            affirmed.add(option)
        elif key and any(exclude(word, key) for word in words):
            against.add(option)
        elif _is_direct(clause[:start], subject):
            direct.add(option)
    left = named - against if len(against) == len(options) - 1 else set[str]()
    for chosen in (affirmed, left, direct):
        if chosen:
            return chosen.pop() if len(chosen) == 1 and not chosen & against else None
    return None


_CONDITION = re.compile(r"\b(?:if|whether|unless)\b")
_NOT = re.compile(r"\b(?:not|no longer|never|nor|neither|hardly)\b")
_SPLIT = re.compile(r",?\s+and\s+|,\s*|\s+while\s+|\bso\s+")
_STARTS_A_CLAUSE = re.compile(
    r"(?:the|an?|its|his|her|their|this|that)?\s*(?:[\w-]+ ){1,3}?(?:is|are|was|were|has|have|can|does|do"
    r"|to the|[a-z]{2,}(?<![aius])s)\b"
)


def _clauses(statements: str, options: tuple[str, ...]) -> Iterator[str]:
    """The clauses, those behind a comma or an "and" too if they are about an option: "and the bench is to the left"."""
    for clause in claim_clauses(statements):
        start = 0
        for cut in _SPLIT.finditer(clause):
            rest = clause[cut.end() :]
            if _STARTS_A_CLAUSE.match(rest) and next(find_options(rest[:40], options), None):
                yield clause[start : cut.start()]
                start = cut.end()
        yield clause[start:]


_OF_A_THING = re.compile(
    r"(?:what|which|who)(?: (?!is\b|are\b|was\b|has\b|does\b)\w+){0,3}? (?:is|are|was|has|have) (?!the\b|an?\b"
    r"|his\b|her\b|this\b|that\b|their\b)(.+)"
)
_MORE = re.compile(r"\b(more|fewer|less)\b")


def _key(asked: str, options: tuple[str, ...]) -> str:
    """The word of the question that is true of the option asked for: "open", "hold"; empty if it has none."""
    found = next(find_options(asked, options), None)
    head = re.split(r",|\n", asked[: found[1]] if found else asked)[0]
    if more := _MORE.search(head):
        return more[1]
    of_option = _OF_A_THING.match(head.strip())
    words = content(of_option[1] if of_option else head)
    if not words or not re.match(r"\W*(?:what|which|who)\b", asked):
        return ""
    return words[0] if of_option else words[-1]


_PLACED = re.compile(r"(?:is|are|does|do) (?:the|this|that) (.+)")


def clause_with_predicate(question: str, answer: str) -> str | None:
    """The only clause with a number that has the whole predicate of a "how many" question; None if others may have it.

    >>> ask = "How many children are wearing helmets?"
    >>> clause_with_predicate(ask, "There are four children; three of them are wearing helmets.")
    'three of them are wearing helmets'
    """
    found = _HOW_MANY.search(question.lower())
    if found is None:
        return None
    wanted = set(content(_IN_THE_PICTURE.sub("", found[1])))
    prepared = prepare_answer(answer) if wanted else ""
    if not wanted or isinstance(prepared, UnreadableAnswer) or _ADDS_UP.search(prepared):
        return None
    counted = [clause for each in claim_clauses(prepared) for clause in _COMMA.split(each) if _has_number(clause)]
    having = [clause for clause in counted if wanted <= set(content(clause))]
    others = [clause for clause in counted if clause not in having]
    if len(having) != 1 or not others or not all(_STANDS_ALONE.search(mark_numbers(each)) for each in others):
        return None
    return having[0]


_HOW_MANY = re.compile(
    r"\bhow many (?:of (?:the|these|those) )?(?:\w+ ){1,3}?((?:are|is|do|does|have|has|wear|in|on|at|with|that"
    r"|who|which)\b[^?\n]*)"
)
_IN_THE_PICTURE = re.compile(
    r"\b(?:are|is|do|does|you|we|i|see|there|visible|shown|that|who|which|can|be|in total|altogether)\b"
)
_ADDS_UP = re.compile(
    r"\b(?:total|altogether|in all|sum|combined|overall|another|other|also|more|additional|plus)\b|[=+]"
)
_COMMA = re.compile(r",\s+(?:and\s+)?(?!\w+ of\b)")
_STANDS_ALONE = re.compile(
    r"\b(?:is|are|has|have|shows?|contains?|see) (?:\w+ )*?(?:<\d+>) [a-z]|<\d+> (?:\w+ )+?(?:is|are|has|have"
    r"|\w+ing)\b"
)


def _has_number(clause: str) -> bool:
    return MARK.search(mark_numbers(clause)) is not None


def converse_place(question: str, answer: str, options: tuple[str, ...]) -> str | None:
    """The place of the first thing of the question: "the bus is behind the truck" puts the truck in front of it."""
    if len(options) != 2 or not exclude(*_as_words(options)):
        return None
    asked, prepared = question.lower().partition("?")[0], prepare_answer(answer)
    found, places = _PLACED.match(asked), list(find_options(asked, options))
    if not found or len({option for option, _, _ in places}) != 2 or isinstance(prepared, UnreadableAnswer):
        return None
    subject, other = content(asked[: places[0][1]]), content(asked[places[-1][2] :])
    if not subject or not other:
        return None
    said = set()
    for clause in _clauses(prepared, options):
        mentions = list(find_options(clause, options))
        if len(mentions) != 1 or is_denied(clause, *mentions[0][1:]) or HEDGE.search(clause):
            continue
        option, start, end = mentions[0]
        before, after = content(clause[:start]), content(clause[end:])
        if other[-1] in before and subject[-1] not in before and subject[-1] in after:
            said.add(options[option == options[0]])
        elif subject[-1] in before or (_PRONOUN.match(clause) and other[-1] in after):
            said.add(option)
    return said.pop() if len(said) == 1 else None


def _as_words(options: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(
        "".join(content(f"{option} of" if option.startswith(("to the", "on the")) else option)[:1])
        for option in options
    )


_PRONOUN = re.compile(r"\W*(?:(?:so|yes|well|therefore|thus|hence)\W+)*(?:it|this|that|they|he|she)\b")
_COPULA = re.compile(
    r"\b(?:is|are|was|were|looks?|seems?|appears?)(?: to be)?(?: (?:in|on|at|clearly|definitely|quite|very|the"
    r"|an?|of|made|showing|currently|actually))*\s*$"
)


def _is_direct(before: str, subject: frozenset[str]) -> bool:
    """Whether an option is said of the subject of the question: "it is red", not "the red one is"."""
    copula = _COPULA.search(before)
    if not copula:
        return False
    words = content(_PRONOUN.sub("", before[: copula.start()]))
    return set(words) <= subject and bool(words or _PRONOUN.match(before))


_ARTICLES = r"(?: (?:an?|the|his|her|its|their|some|one|\d))?(?: [\w-]+){0,2}? ?"
_BESIDES = re.compile(
    r"(?! ?(?:and|or|plus|as well as)\b)[\w '-]*?\b(?:next to|near|beside|by|behind|under|on|in|at|with|while"
    r"|than|above|below|over|from|instead of)\b"
)


def _governed(clause: str, found: Sequence[tuple[str, int, int]], key: str) -> str | None:
    """The option directly behind the predicate, before a place with the other: "lies on a rug next to the bed"."""
    if not key:
        return None
    (option, start, end), (other, behind, _) = found[0], found[1]
    words = content(clause[:start])
    if key not in words[-2:] or _NOT.search(clause) or len(found) != 2 or option == other:
        return None
    return option if _BESIDES.match(clause[end:behind]) else None
