"""Numbers in answers to "how many"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from pytest_vqamt.language.answers.text import (
    MARK,
    MAX_CACHED_CHARS,
    NOT_WHOLE,
    Unreadable,
    UnreadableAnswer,
    mark_numbers,
    prepare_answer,
    unreadable_answer,
)
from pytest_vqamt.language.english.phrases import descriptions


@dataclass(frozen=True, slots=True)
class Quantifier:
    """An amount that is no number ("many", "more than 10")."""

    word: str


def read_count(text: str) -> int | Quantifier | UnreadableAnswer:
    """Returns the number that an answer gives.

    Digits and number words; "none", "no" and "nothing" are 0, "a dog" and "a single one" 1, "a pair" 2. Of several
    different numbers the total counts; without one there is no reading, as of "one dog and one cat". Years, times,
    ordinals, percentages and measures are no counts. A bound ("at least 3") is a quantifier.

    >>> read_count("There are twenty-one birds."), read_count("2 dogs and 3 cats, so 5 in total")
    (21, 5)
    >>> read_count("many"), read_count("2 or 3")
    (Quantifier(word='many'), UnreadableAnswer(reason=<Unreadable.SEVERAL_NUMBERS: 'several numbers'>))
    """
    if text.isdecimal() and text.isascii() and len(text) < _TOO_LONG:
        return int(text)
    return (_read if len(text) <= MAX_CACHED_CHARS else _read.__wrapped__)(text)


_TOO_LONG = 10
"""Longer numbers take the slow way, which refuses those that count nothing."""


@lru_cache(maxsize=65536)
def _read(text: str) -> int | Quantifier | UnreadableAnswer:
    prepared = prepare_answer(text)
    if isinstance(prepared, UnreadableAnswer):
        return prepared
    words = _without_particle(prepared)
    if NOT_WHOLE in words:
        return UnreadableAnswer(Unreadable.NOT_WHOLE)
    total = _total(words)
    if _NONE_FIRST.match(words):
        return UnreadableAnswer(Unreadable.SEVERAL_NUMBERS) if total or _TAKEN_BACK.search(words) else 0
    if total is not None:
        return total
    bound = _BOUND.search(words)
    if bound:
        return Quantifier(MARK.sub(r"\1", bound[0]).strip())
    words = _without_parts(words)
    numbers = [int(number) for number in MARK.findall(words)]
    quantifier = _QUANTIFIER.search(words)
    if quantifier and (not numbers or _QUANTIFIER_ADDED.search(words)):
        return Quantifier(quantifier[0])
    if not numbers:
        return _by_article(words) or unreadable_answer(prepared, Unreadable.NO_NUMBER)
    if len(set(numbers)) > 1 or _NUMBER_ADDED.search(words):
        return UnreadableAnswer(Unreadable.SEVERAL_NUMBERS)
    if _DENIED.search(words):
        return UnreadableAnswer(Unreadable.NO_NUMBER)
    return numbers[0]


_AND = r"(?:\band\b|\bplus\b|&|\+|,)"
_NEXT_NUMBER = rf"{_AND}\s*(?:and |also |another |there (?:is|are) )*<"

# "a dog", "there is only a dog", "I can see a dog and a cat".
_ARTICLE = (
    r"(?:^|^(?:yes|well|sure)\W+|\bthere is |\bi (?:can )?see )(?:also |only |just )?"
    r"an? (?!total|number)"
)
_INDEFINITE = (
    r"(?<!\bof )(?<!\bon )(?<!\bin )(?<!\bat )(?<!\bby )(?<!\bwith )(?<!\bis )"
    r"\ban? (?!total|number|group|picture|photo|image|scene)\w+"
)

_BOUND = re.compile(
    r"\b(?:(?:no )?(?:more|fewer|less) than|at least|at most|up to|as many as)(?: \w+)? <\d+>"
    r"|(?:^|\b(?:are|see|has|have|shows?|contains?|just|well) )(?:over|under) <\d+>"
    r"|<\d+>\s?\+(?!\s*<)|<\d+> or (?:more|fewer|less)\b"
)
_QUANTIFIER = re.compile(
    r"(?<!how )\b(?:many|several|lots|a lot|alot|plenty|some|a few|few|multiple|numerous|countless|dozens|hundreds"
    r"|thousands|^lot$|tons|loads|various|bunch|group|crowd|herd|flock|handful|a number of|a variety)\b"
    r"(?! of (?:them|these|those|which|whom)\b)"
)
_QUANTIFIER_ADDED = re.compile(
    rf"<\d+> [^<.;\n]*{_AND}\s*(?:{_QUANTIFIER.pattern})"
    rf"|(?:{_QUANTIFIER.pattern})[^<.;\n]{{0,200}}{_AND}[^<.;\n]{{0,200}}<"
)
_SOMETHING_ADDED = r"(?:and |also |then |just |only |there is |i (?:can )?see )*(?:an?|another) (?!\w+ one\b)"
_NUMBER_ADDED = re.compile(
    rf"<[1-9]\d*> [a-z][^<.;:\n]*?{_NEXT_NUMBER}"
    rf"|<\d+> [a-z][^<.;:\n]*?{_AND}\s*{_SOMETHING_ADDED}"
    r"|<[1-9]\d*> [^<]*\bthere is (?:also )?(?:an?|another) "
    rf"|{_ARTICLE}(?:[^<.;:\n]*?{_NEXT_NUMBER}|[^<]*\bthere are <)"
    rf"|{_INDEFINITE} [^<.;:,\n]*?(?:\band\b|\bplus\b|&|\+)\s*<"
)
_DENIED = re.compile(r"\bnot (?:exactly |just |only )?<[1-9]")

_ANOTHER_ARTICLE = re.compile(rf"{_AND}\s*(?:and )?an? ")


def _by_article(words: str) -> int | UnreadableAnswer | None:
    """Returns 1 for a single thing with an article; several numbers for more than one."""
    found = re.search(_ARTICLE, words)
    if not found:
        return None
    return UnreadableAnswer(Unreadable.SEVERAL_NUMBERS) if _ANOTHER_ARTICLE.search(words, found.end()) else 1


_PARTICLE = re.compile(r"(?:no|nope|nah)\s*[,.;:!]")
_NONE_FIRST = re.compile(r"<0>\s*(?:[.;!\n]|,(?!\s*<))")
_TAKEN_BACK = re.compile(r"\b(?:wait|actually|correction|i mean|or rather)\b")
_PARTITIVE = re.compile(r"<\d+>(?= of (?:them|these|those|which|whom|the)\b)")


def _without_particle(prepared: str) -> str:
    """Returns the marked words without a "no" before a number: "no, there are 3"."""
    particle = _PARTICLE.match(prepared)
    rest = mark_numbers(prepared[particle.end() :]) if particle else ""
    return rest if MARK.search(rest) or _QUANTIFIER.search(rest) else mark_numbers(prepared)


def _without_parts(words: str) -> str:
    """Returns the words without parts of what was counted: "3 dogs, one of them is red"."""
    first = MARK.search(words)
    return words[: first.end()] + _PARTITIVE.sub("~", words[first.end() :]) if first else words


_TOTAL = r"(?:total(?:s|ing)?|sum|altogether|all together|in all|combined|overall)"
_TOTAL_FIRST = re.compile(
    rf"(?:=|\b(?:{_TOTAL}|making|makes|adds? up to|answer is)\b)(?:(?!\band\b)[^<.;\n]){{0,40}}<(\d+)>"
    rf"|\b{_TOTAL}\b[^<.;\n]{{0,80}}(?:\bis|\bare|\bequals|=|:)\s*(?:about |exactly )?<(\d+)>"
)
_TOTAL_LAST = re.compile(rf"<(\d+)>((?: [a-z]+){{0,4}}?),? (?:in )?{_TOTAL}\b(?!\s*[:=])")
_FOLLOWED_BY_ANOTHER = re.compile(rf"[^<.;:(\n]*?{_NEXT_NUMBER}")
_AFTER_AND = re.compile(r"(?:\band|\bplus|&|\+|\bwith)\s*$")
_SO = re.compile(r"(?:\b(?:so|thus|therefore|hence|making|for|which is|that is|i\.e)|->|\u2192)\W*$|^[^:(]*[:(]\s*$")
_PARTS_FOLLOW = re.compile(
    r"(?<=^<\d>)\s*[,.!\n](?!\s*<\d+>\s*(?:[,.<]|and\b|$))"
    r"|[^<]*(?::|\(|\bincluding\b|\bconsisting of\b|\bwith\b|\s-\s)[^<]*<"
)

_LOOK = rf"(?:{'|'.join(sorted(descriptions(), key=len, reverse=True))}|\w+ing)"
_PLACE = r"(?:on|in|at|near|to|is|are|of|with|that|who|which|by|under|behind|next|beside)"
_PICTURE = r"(?:picture|image|photo|photograph|scene)"
_THE_OTHER = re.compile(rf"\b(?:the (?:other|~)|another)\b(?= (?:{_LOOK}|{_PLACE})\b)")
_PART = re.compile(rf" (?:{_LOOK}(?:\s*(?:$|[,.;!)\n])| (?:and|{_PLACE})\b)|{_PLACE}\b)")
"""Follows the number of a part, which has no noun: "two cars, one red and one on the left"."""
_BEFORE_PARTS = re.compile(
    rf"(?:(?! (?:{_LOOK}|{_PLACE})\b) \w+){{0,3}}(?: (?:visible|shown|present|here))?"
    rf"(?: in (?:the|this) {_PICTURE})?\s*[,.;!\n]"
)
"""Follows the number of the whole, unless places come first: "3 on the left, 2 on the right and 1 behind"."""


def _total(words: str) -> int | None:
    """Returns the number that is called the total, or whose parts follow ("three dogs: one black and two white")."""
    found = {
        int(each[1] or each[2])
        for each in _TOTAL_FIRST.finditer(words)
        if not _FOLLOWED_BY_ANOTHER.match(words, each.end())  # "in total there are 2 dogs and 3 cats"
    }
    found |= {int(each[1]) for each in _TOTAL_LAST.finditer(words) if _is_closing_total(words, each)}
    if len(found) == 1:
        return found.pop()
    words = _THE_OTHER.sub("<1>", words)
    marks = list(MARK.finditer(words))
    numbers = [int(mark[1]) for mark in marks]
    if not found and len(numbers) > 2:
        if numbers[0] == sum(numbers[1:]) and _are_parts_of(words, marks[0], marks[1:]):
            return numbers[0]
        if numbers[-1] == sum(numbers[:-1]) and _SO.search(words[: marks[-1].start()]):
            return numbers[-1]
    return None


def _are_parts_of(words: str, whole: re.Match[str], parts: Sequence[re.Match[str]]) -> bool:
    """Whether later numbers make up the first; "3 dogs, 2 cats and 1 bird" are six by chance."""
    if _PARTS_FOLLOW.match(words, whole.end()):
        return True
    return _BEFORE_PARTS.match(words, whole.end()) is not None and all(_PART.match(words, part.end()) for part in parts)


def _is_closing_total(words: str, found: re.Match[str]) -> bool:
    """Whether it is "2 dogs and 3 cats, 5 in total", and not "2 dogs and 3 cats in total"."""
    before = words[: found.start()].rstrip()
    if _AFTER_AND.search(before) or _FOLLOWED_BY_ANOTHER.match(words, found.end()):
        return False
    if not found[2] or not before.endswith(","):
        return True
    return int(found[1]) == sum(int(number) for number in MARK.findall(before))
