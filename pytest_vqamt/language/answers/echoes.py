"""Answers that repeat the words of their question: "the woman is not wearing glasses"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pytest_vqamt.language.answers.choices import without_questions
from pytest_vqamt.language.answers.text import HEDGE, UnreadableAnswer, prepare_answer
from pytest_vqamt.language.answers.yes_no import claim_clauses
from pytest_vqamt.language.ontology import ontology


def repeated(question: str, answer: str) -> bool | None:
    """Whether an answer says yes by repeating its question as a statement, or no by denying it or saying the opposite.

    The words must come in the order of the question. A denial that goes on may deny the rest, and gives None; so does
    what leaves out a part of the question.

    >>> repeated("Is the woman wearing glasses?", "She isn't wearing any glasses.")
    False
    >>> repeated("Is the cup in front of the laptop?", "The cup is behind the laptop.")
    False
    >>> repeated("Is the man holding a dog?", "The man with a dog is holding a leash.") is None
    True
    """
    asked, prepared = prepare_answer(question), prepare_answer(answer)
    if isinstance(asked, UnreadableAnswer) or isinstance(prepared, UnreadableAnswer) or not _YES_NO.match(asked):
        return None
    if prepared.endswith("?"):
        return None
    wanted = _content(asked.partition("?")[0])
    if len(wanted) < 2 or _OR.search(asked):
        return None
    said = {_said(wanted, clause) for clause in claim_clauses(_COMMA.sub(". ", without_questions(prepared)))} - {None}
    return said.pop() if len(said) == 1 else None


_YES_NO = re.compile(r"(?:is|are|was|were|does|do|did|has|have|can|could)\b")
_OR = re.compile(r"\b(?:or|not|no|more|less|fewer|than|only|all|every|both)\b")
_COMMA = re.compile(r",(?= )")


def _said(wanted: Sequence[str], clause: str) -> bool | None:
    if HEDGE.search(clause) or _CONDITION.search(clause):
        return None
    words = _content(_LEAD.sub("", clause))
    denials = sum(word in _DENIALS for word in words)
    words = [_DENIALS.get(word, word) for word in words if _DENIALS.get(word, word)]
    if denials > 1 or len(words) < 2:
        return None
    if words[0] in _PRONOUNS and words[0] != wanted[0]:
        subject = next((place for place in (1, 2) if wanted[place : place + 1] == words[1:2]), 0)
        wanted = wanted[subject:] if subject else wanted
        words = words[1:] if subject else words
    rest = words[len(wanted) :]
    differ = [pair for pair in zip(words, wanted, strict=False) if pair[0] != pair[1]]
    if not differ and len(words) >= len(wanted):
        if denials:
            return None if rest else False
        return True if not rest or rest[0] in _GOES_ON else None
    if not differ and denials and wanted[len(words)] in _GOES_ON:
        return False  # who does not sit does not sit on the bench
    is_whole = len(words) == len(wanted) or (len(words) > 1 and words == [*wanted[: len(words) - 1], words[-1]])
    if len(differ) == 1 and is_whole and not denials and _exclude(*differ[0]):
        return False
    return None


_CONDITION = re.compile(r"\b(?:if|whether|unless|only|almost|nearly|than|like|not just)\b")
_LEAD = re.compile(
    r"^\W*(?:(?:yes|no|and|so|well|then|actually)\W+)*(?:(?:i|we|you) (?:can |could )?(?:see|think|believe"
    r"|say)(?: that)? )?"
    r"(?:(?:in|on) (?:the|this) (?:picture|image|photo|scene)\W+)?"
)
_IN_THE_PICTURE = re.compile(r" (?:in|on|of) (?:the|this) (?:picture|image|photo(?:graph)?|scene)\b")
_SAME = tuple(
    (re.compile(rf"\b(?:{ways})\b"), word)
    for ways, word in (
        ("in front of", "before"), ("(?:on )?top of", "atop"), ("underneath|beneath|below", "under"),
        ("(?:in|during) (?:the )?(?:daytime|day)|by day|in daylight", "day"), ("(?:at|during the|by) night", "night"),
        ("(?:to|on) the (left|right)(?: (?:hand )?side)? of", r"\1of"), ("in(?:side)? of", "inside"),
        ("outdoors|out of doors", "outside"), ("indoors", "inside"), ("any ?one|some ?one|any ?body"
            "|some ?body", "someone"),
        ("right now|at the moment", " "), ("nobody|no one", "not someone"),
    )
)  # fmt: skip
_FILLERS = frozenset((
    "a", "an", "the", "this", "that", "these", "those", "any", "some", "is", "are", "was", "were", "be", "been",
    "being", "do", "does", "did", "has", "have", "had", "can", "could", "would", "it's", "currently", "actually",
    "clearly", "really", "indeed", "definitely", "still", "just", "also", "there", "visibly", "located", "positioned",
    "at", "moment", "now", "lies", "lying", "stands", "standing", "placed", "kept",
))  # fmt: skip
_DENIALS = {"not": "", "no": "", "never": "", "neither": "", "none": "", "without": ""}
_PRONOUNS = frozenset({"he", "she", "it", "they"})
_GOES_ON = frozenset((
    "in", "on", "at", "with", "near", "by", "next", "under", "behind", "beside", "above", "below", "while", "and",
    "as", "to", "from", "along", "through", "around", "inside", "outside", "before", "atop", "because", "since",
))  # fmt: skip
_OPPOSITES = tuple(
    frozenset(pair.split("/"))
    for pair in (
        "on/off", "day/night", "before/behind", "under/atop", "under/on", "under/above", "leftof/rightof",
        "inside/outside",
        "left/right", "full/empty", "asleep/awake", "open/closed", "in/outside",
    )
)  # fmt: skip
"""Of what is one of them the other cannot be said."""


def _content(text: str) -> list[str]:
    for ways, word in _SAME:
        text = ways.sub(word, text)
    words = _WORD.findall(_IN_THE_PICTURE.sub("", text))
    return [_stem(word) for word in words if word not in _FILLERS]


_WORD = re.compile(r"[^\W_]+")


def _stem(word: str) -> str:
    """The word without the ends of verbs and nouns, so that "sits" and "sitting" are the same."""
    found = _ENDS.fullmatch(word)
    return found[1] if found else word


_ENDS = re.compile(r"(\w{2,}?)(?:(?<=([^aeiouls]))\2?|(?<!ss))(?:ing|es|s|ed)")


def _exclude(one: str, other: str) -> bool:
    return {one, other} in _OPPOSITES or ontology().excludes(one, other)
