"""Clauses of an answer with the predicate of the question: the option, or the number, that has it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, product, starmap

from pytest_vqamt.core.lazy_pattern import pattern_of
from pytest_vqamt.language.answers.answer_text import (
    DENIAL,
    HEDGE,
    MARK,
    Prepared,
    Unreadable,
    UnreadableAnswer,
    claim_clauses,
    mark_numbers,
    prepare,
)
from pytest_vqamt.language.answers.choices import find_options, is_denied
from pytest_vqamt.language.answers.content import content, content_word, exclude
from pytest_vqamt.language.answers.yes_no import CONDITION
from pytest_vqamt.language.tables import toml_table

_WORDS_BESIDES = 12
"""The characters that a shorter answer lacks to say more than an option: "the woman." has no predicate."""
_ASKS_FOR_A_THING = pattern_of(r"\W*(?:which|who|what)\b(?!.*(?:not\b|n't\b|\bmissing\b|\babsent\b))", re.IGNORECASE)
"""Asks which option has the predicate: "which animal is bigger?". Where it lacks it, denials choose."""

_PRONOUNS = ("it", "him", "her", "them", "one", "of", "out", "from", "than")
_INSERTED = pattern_of(r"^([^,]+), [^,]+, (?=(?:is|are|was|has|have)\b)")
"""A remark between the subject and its verb: "the red one, behind the green one, is on"."""
_NOT = pattern_of(r"\b(?:not|no longer|never|nor|neither|hardly)\b")
"""Takes the predicate from an option: "the window is hardly open"."""
_SPLIT = pattern_of(r",?\s+and\s+|,\s*|\s+while\s+|\bso\s+")
"""Where a clause about another option may begin: "the window is open and the door is closed"."""
_STARTS_A_CLAUSE = pattern_of(
    r"(?:the|an?|its|his|her|their|this|that)?\s*(?:[\w-]+ ){1,3}?(?:is|are|was|were|has|have|can|does|do"
    r"|to the|[a-z]{2,}(?<![aius])s)\b"
)
"""A subject with its verb: "and the door is", not "and above the door"."""

_OF_A_THING = pattern_of(
    r"(?:what|which|who)(?: (?!is\b|are\b|was\b|has\b|does\b)\w+){0,3}? (?:is|are|was|has|have) (?!the\b|an?\b"
    r"|his\b|her\b|this\b|that\b|their\b)(.+)"
)
"""The predicate after the verb "to be": "which is closer to the camera, the dog or the cat?"."""
_MORE = pattern_of(r"\b(more|fewer|less)\b")
"""Asks to compare amounts, where only "more" matters: "the left one has more; the right one has three cookies"."""

_PLACED = pattern_of(r"(?:is|are|does|do) (?:the|this|that) (.+)")
"""Asks where one thing is to another: "is the lamp above or below the shelf?"."""

_OF_A_WHOLE = pattern_of(r"\W*(?:out )?of (?:(?:the|all|these|those) )*<\d+>[a-z ]*")
"""The number of all, of which a part follows: "of the six windows"."""

_HOW_MANY = pattern_of(
    r"\bhow many (?:of (?:the|these|those) )?(?:\w+ ){1,3}?((?:are|is|do|does|have|has|wear|in|on|at|with|that"
    r"|who|which)\b[^?\n]*)"
)
"""What those have or do that are counted: "how many people are sitting?"."""
_IN_THE_PICTURE = pattern_of(
    r"\b(?:are|is|do|does|you|we|i|see|there|visible|shown|that|who|which|can|be|in total|altogether)\b"
)
"""Words of the question that pick out none: "how many people are visible?"."""
_SUMS = pattern_of(r"\b(?:total|altogether|in all|sum|combined|overall)\b")
"""The number of all kinds together, which has the predicate of none: "five apples in total"."""
_ADDS_UP = pattern_of(r"\b(?:another|(?<!the )other|also|more|additional|plus)\b|[=+]")
"""Numbers that are added are no contrast: "one sedan and one van, two in total"."""
_THE_OTHERS = pattern_of(r"\b(?:and |while )?(?:the )?(?:other|others|remaining|rest)\b[^.;,]{0,160}\bnot\b[^.;,]*")
"""The rest, which do not have it: "the other two do not"."""
_COMMA = pattern_of(r",\s+(?:(?:and|so)\s+)*|\s+and\s+(?=(?:the other )?\w+(?: \w+)? (?:is|are|on|in|at|under)\b)")
"""Where a part with a number of its own may begin: "two are sitting and three are standing"."""
_STANDS_ALONE = pattern_of(
    r"\b(?:is|are|was|were|has|have|shows?|contains?|see) (?:\w+ ){0,8}?(?:<\d+>) [a-z]"
    r"|<\d+> (?:\w+ ){0,8}?(?:is|are|has|have|\w+ing)\b|^(?:there (?:is|are) )?<\d+> \w+$"
    r"|<\d+> (?:on|in|under|behind|at|near|next)\b"
    r"(?!.{0,200}\b(?:left|right|front|back|side|end|middle|foreground|background|top|bottom)\b)"
)
"""A number that is not a part of another: "three are standing"."""

_SAYS = pattern_of(r"\b(?:is|are|has|have|see|on|in|at|under|with|\w{3,}ing|\w{3,}s)\b")
"""A part that says something by itself; "two of the men" does not."""

_PRONOUN = pattern_of(r"^\W*(?:(?:so|yes|well|therefore|thus|hence)\W+)*(?:it|this|that|they|he|she)\b")
"""The subject of the question by another word: "it is green"."""
_COPULA = pattern_of(
    r"\b(?:is|are|was|were|looks?|seems?|appears?)(?: to be)?"
    r"(?: (?!next\b|near\b|behind\b|beside\b|by\b|under\b|above\b|below\b|to\b|with\b|from\b|not\b)[\w-]+){0,3}\s*$"
)
"""Says the option of the subject: "the light is green", not "there is a red car"."""

_BESIDES = pattern_of(
    r"(?! ?(?:and|or|plus|as well as)\b)[\w '-]*?\b(?:next to|near|beside|by|behind|under|on|in|at|with|while"
    r"|above|below|over|from|past|along|through|towards?|into|onto|against|across|around|instead of)\b"
)
"""The second option is only a place: "a camel past a horse". Not "a camel and a horse"."""

_SHE, _HE = pattern_of(r"\b(?:she|her)\b", re.IGNORECASE), pattern_of(r"\b(?:he|him)\b", re.IGNORECASE)
"""Who is meant where just one option is a woman, or a man."""
# The table has the male name of each pair first.
_MEN, _WOMEN = (frozenset(pair[sex] for pair in toml_table("english/opposites.toml")["names"]) for sex in (0, 1))


def option_with_predicate(question: str, answer: str | Prepared, options: tuple[str, ...]) -> str | None:
    """The only option that a clause gives the predicate of the question, or that no clause takes it from.

    >>> ask = "What is the woman holding, an umbrella or a handbag?"
    >>> option_with_predicate(ask, "She holds an umbrella; the handbag hangs on a chair.", ("umbrella", "handbag"))
    'umbrella'
    >>> option_with_predicate("Which is open, the door or the gate?", "The door is.", ("door", "gate"))
    """
    evidence = _evidence(question, prepare(answer), options)
    if evidence is None:
        return None
    # All other options are denied, so the one left is meant.
    left = evidence.named - evidence.against if len(evidence.against) == len(options) - 1 else set[str]()
    # The surest evidence that there is decides, and must point to one option.
    for chosen in (evidence.affirmed, left, evidence.direct):
        if chosen:
            return chosen.pop() if len(chosen) == 1 and not chosen & evidence.against else None
    return None


def contradicts_predicate(question: str, answer: Prepared, options: tuple[str, ...], read: str) -> bool:
    """True if an option is said to be the opposite of what is asked: "the woman is shorter" names no taller one."""
    if len(answer.text) < len(read) + _WORDS_BESIDES or not _ASKS_FOR_A_THING.match(question):
        return False
    evidence = _evidence(question, answer, options)
    return evidence is not None and read in evidence.against and read not in evidence.affirmed | evidence.direct


@dataclass(slots=True)
class _Evidence:
    """What the clauses of an answer say of its options."""

    affirmed: set[str] = field(default_factory=set)
    """Those with the predicate of the question: "she holds an umbrella"."""
    direct: set[str] = field(default_factory=set)
    """Those said of its subject: "the light is green"."""
    against: set[str] = field(default_factory=set)
    """Those that a clause denies, or gives what excludes the predicate."""
    named: set[str] = field(default_factory=set)
    """All that a clause names."""


def _evidence(question: str, answer: Prepared, options: tuple[str, ...]) -> _Evidence | None:
    """What each clause says of the options; None if one of them leaves an option open."""
    asked = question.lower().partition("?")[0]
    wanted, subject = _predicate(asked, options), _words_of(asked)
    key = wanted[0] if wanted else ""
    found = _Evidence()
    for clause in _clauses(_INSERTED.sub(r"\1 ", answer.statements), options):
        mentions = list(find_options(clause, options))
        if not mentions:
            continue
        # A doubt about any option leaves all of them open: "it could be a leopard or a cheetah".
        if HEDGE.search(clause) or CONDITION.search(clause):
            return None
        option, start, end = mentions[0]
        here = {each for each, _, _ in mentions}
        found.named |= here
        # "A camel past a horse": the second is only a place, so the clause is about the first.
        is_first = len(here) > 1 and len(mentions) == 2 and _BESIDES.match(clause[end : mentions[1][1]]) is not None
        # A clause about two options gives neither of them anything.
        if len(here) > 1 and (not is_first or _NOT.search(clause)):
            continue
        words = content(f"{clause[:start]} {'' if is_first else clause[end:]}")
        if is_denied(clause, start, end) or _NOT.search(clause):
            found.against |= here
        elif is_first:
            # The verb must stand right before the option: "he rides a camel".
            if key and key in content(clause[:start])[-2:]:
                found.affirmed.add(option)
            if _is_direct(clause[:start], subject) or (not key and not start and clause[end] == ","):
                found.direct.add(option)
        elif key in words and _has_object(wanted, words):
            found.affirmed.add(option)
        elif key and any(exclude(word, key) for word in words):
            found.against.add(option)
        elif _is_direct(clause[:start], subject):
            found.direct.add(option)
    return found


@lru_cache(maxsize=4096)
def _words_of(asked: str) -> frozenset[str]:
    return frozenset(content(asked))


def _has_object(wanted: Sequence[str], words: Sequence[str]) -> bool:
    """True if a clause with the first word of the predicate has the rest, or leaves it out: "she holds it"."""
    after = words[words.index(wanted[0]) + 1 :]
    return set(wanted) <= {*words} or not after or after[0] in _PRONOUNS or len(wanted) == 1


def _clauses(statements: str, options: tuple[str, ...]) -> Iterator[str]:
    """The clauses, those behind a comma or an "and" too if they are about an option: "and the bench is to the left"."""
    for clause in claim_clauses(statements):
        start = 0
        for cut in _SPLIT.finditer(clause):
            rest = clause[cut.end() :]
            # Cut only where an option has a verb of its own: "on the table and the chair" is one place.
            if _STARTS_A_CLAUSE.match(rest) and next(find_options(rest[:40], options), None):
                yield clause[start : cut.start()]
                start = cut.end()
        yield clause[start:]


@lru_cache(maxsize=4096)
def _predicate(asked: str, options: tuple[str, ...]) -> list[str]:
    """The words that the question says of the option that it asks for, the verb first: "open", "hold"."""
    found = next(find_options(asked, options), None)
    # Without the options, which stand behind a comma, in lines, or in the middle ("is the car red or blue").
    head = re.split(r",|\n", asked[: found[1]] if found else asked)[0]
    if more := _MORE.search(head):
        return [more[1]]
    of_option = _OF_A_THING.match(head.strip())
    words = content(of_option[1] if of_option else head)
    if not words or not _ASKS_FOR_A_THING.match(asked):
        return []
    return words if of_option else words[-1:]


def clause_with_predicate(
    question: str, answer: str | Prepared, attributes: tuple[str, ...] = ()
) -> str | UnreadableAnswer | None:
    """The only clause with a number that has the whole predicate of a "how many" question; None if others may have it.

    No number is that of what is asked for where all are of its opposite: "two are open" to "how many are closed?".

    >>> ask = "How many children are wearing helmets?"
    >>> clause_with_predicate(ask, "There are four children; three of them are wearing helmets.")
    'three of them are wearing helmets'
    >>> clause_with_predicate("How many apples are not red?", "Five in total; three are red, so two are not red.")
    'two are not red'
    """
    prepared = prepare(answer)
    wanted = _counted_predicate(question) | frozenset(map(content_word, attributes))
    if not wanted or "<" not in prepared.marked:
        return None
    rest = _THE_OTHERS.sub("", prepared.text)
    # Numbers that add up all have the predicate: "two cars are red and 1 more is".
    if _ADDS_UP.search(rest):
        return None
    is_denied_question = DENIAL.search(question.lower()) is not None
    having, opposite, others = list[str](), list[str](), list[str]()
    for clause in chain.from_iterable(map(_parts, claim_clauses(rest))):
        words, marked = set(content(clause)), mark_numbers(clause)
        if not MARK.search(marked):
            continue
        # In the marked text "no ducks" is "<0> ducks", and denies nothing more.
        is_denied_clause = DENIAL.search(marked) is not None
        if wanted <= words:
            (having if is_denied_clause == is_denied_question else opposite).append(clause)
        elif not is_denied_clause and "<0>" not in marked and any(starmap(exclude, product(words, wanted))):
            opposite.append(clause)
        elif not _OF_A_WHOLE.fullmatch(marked):
            others.append(clause)
    if opposite and not having and not others:
        return UnreadableAnswer(Unreadable.NO_NUMBER)
    # Only one part is counted, so there is nothing to choose from.
    if not (others or opposite or rest != prepared.text):
        return None
    # A number that stands by no verb may be a part of the one that is asked for.
    if not all(_STANDS_ALONE.search(mark_numbers(each)) for each in others if not opposite or not _SUMS.search(each)):
        return None
    numbers = {tuple(MARK.findall(mark_numbers(each))) for each in having}
    return having[-1] if len(numbers) == 1 and (opposite or not _SUMS.search(rest)) else None


@lru_cache(maxsize=4096)
def _counted_predicate(question: str) -> frozenset[str]:
    found = _HOW_MANY.search(question.lower())
    return frozenset(content(DENIAL.sub("", _IN_THE_PICTURE.sub("", found[1])))) if found else frozenset()


def _parts(clause: str) -> Iterator[str]:
    """The parts of a clause between commas and before an "and", where each says something by itself."""
    start = 0
    for cut in _COMMA.finditer(clause):
        if _SAYS.search(clause, start, cut.start()):
            yield clause[start : cut.start()]
            start = cut.end()
    yield clause[start:]


def converse_place(question: str, answer: Prepared, options: tuple[str, ...]) -> str | None:
    """The place of the first thing of the question: "the bus is behind the truck" puts the truck in front of it."""
    things = _things_placed(question, options) if len(options) == 2 else None
    if things is None:
        return None
    subject, other = things
    said = set()
    for clause in _clauses(answer.text, options):
        mentions = list(find_options(clause, options))
        if len(mentions) != 1 or is_denied(clause, *mentions[0][1:]) or HEDGE.search(clause):
            continue
        option, start, end = mentions[0]
        before, after = content(clause[:start]), content(clause[end:])
        # "The bus is behind the truck" says where the bus is; the truck is on the other side.
        if other in before and subject not in before and subject in after:
            said.add(options[option == options[0]])
        elif subject in before or (_PRONOUN.match(clause) and other in after):
            said.add(option)
    return said.pop() if len(said) == 1 else None


@lru_cache(maxsize=4096)
def _things_placed(question: str, options: tuple[str, ...]) -> tuple[str, str] | None:
    """The last words of the two things of "is the truck in front of or behind the bus"; None of other questions."""
    asked = question.lower().partition("?")[0]
    words = [content(f"{each} of" if each.startswith(("to the", "on the")) else each) for each in options]
    if not _PLACED.match(asked) or not all(words) or not exclude(words[0][0], words[1][0]):
        return None
    places = list(find_options(asked, options))
    if len({option for option, _, _ in places}) != 2:
        return None
    subject, other = content(asked[: places[0][1]]), content(asked[places[-1][2] :])
    return (subject[-1], other[-1]) if subject and other else None


def _is_direct(before: str, subject: frozenset[str]) -> bool:
    """True if an option is said of the subject of the question: "it is red", not "the red one is"."""
    copula = _COPULA.search(before)
    if not copula:
        return False
    words = content(_PRONOUN.sub("", before[: copula.start()]))
    return set(words) <= subject and bool(words or _PRONOUN.match(before))


def with_names(answer: str, options: tuple[str, ...]) -> str:
    """The answer with the only man and the only woman of the options for "he" and "she"."""
    for pattern, names in ((_SHE, _WOMEN), (_HE, _MEN)):
        of_sex = [option for option in options if names & set(option.lower().split())]
        answer = pattern.sub(of_sex[0], answer) if len(of_sex) == 1 else answer
    return answer
