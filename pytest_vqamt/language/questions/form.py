"""The form of a question, read from its text.

The rules know how English questions begin and where they offer something. What they do not settle is ``OTHER``.
"""

from __future__ import annotations

import re
from enum import StrEnum

from pytest_vqamt.core.text import readable
from pytest_vqamt.language.translations.questions import ANSWER_IN_ENGLISH

VERSION = 2
"""Raised whenever the rules change: it is part of cache keys of prompts."""


class QuestionForm(StrEnum):
    """The kind of answer that a question wants."""

    YES_NO = "yes or no"
    COUNT = "a number"
    CHOICE = "one of what it offers"
    OTHER = "anything else"


def form_of(text: str) -> QuestionForm:
    """Returns the form of a question.

    A phrase that leads up to the question ("In the picture, ...") is ignored. A question that begins with a verb is
    answered by yes or no, unless it offers a choice with "or"; "or" between things that may be there offers none:
    "either ... or" and "is there a dog or a cat?" can be affirmed. Of several questions the first decides.

    >>> form_of("In the picture, is there a dog or a cat?").name, form_of("Is the cat black or white?").name
    ('YES_NO', 'CHOICE')
    >>> form_of("What is the number of dogs in the picture?").name, form_of("Is the dog or the cat black?").name
    ('COUNT', 'OTHER')
    """
    if text.endswith(ANSWER_IN_ENGLISH):
        return _form_in_another_language(text)
    asked = _NO_OFFER.sub(" ", " ".join(readable(text).casefold().replace("\u2019", "'").split())).strip(" ?.!\"'")
    asked = _without_lead(asked.partition("?")[0])
    if _ASKS_COUNT.match(asked):
        return QuestionForm.COUNT
    if _VERB.match(asked):
        return _begun_with_a_verb(asked)
    if _QUESTION_WORD.match(asked):
        return QuestionForm.CHOICE if _offers_a_list(asked) else QuestionForm.OTHER
    return QuestionForm.CHOICE if _BARE_CHOICE.fullmatch(asked) else QuestionForm.OTHER


def begins_as_question(text: str) -> bool:
    """Whether the text, without what leads up to it, begins as English questions do.

    >>> begins_as_question("In the picture, is it day?"), begins_as_question("Ist es Tag?")
    (True, False)
    """
    return _OPENING.match(_without_lead(" ".join(text.casefold().replace("\u2019", "'").split()))) is not None


def _form_in_another_language(text: str) -> QuestionForm:
    """Returns the form of a question of ``translations.questions``."""
    if _HOW_MANY.search(text):
        return QuestionForm.COUNT
    return QuestionForm.CHOICE if _OR_ABROAD.search(text) else QuestionForm.YES_NO


_HOW_MANY = re.compile(
    r"\b(?:wie viele|combien|cu[a\u00e1]nt[oa]s|quant[oa]s)\b|[\u51e0\u4f55]|\u591a\u5c11|\u3044\u304f\u3064",
    re.IGNORECASE,
)
_OR_ABROAD = re.compile(r" (?:oder|ou|o) |\u8fd8\u662f|\u3069\u3061\u3089|\u3067\u3059\u304b\u3001")


def _without_lead(asked: str) -> str:
    if _OPENING.match(asked):
        return asked
    for found in _LEAD.finditer(asked):
        if _OPENING.match(asked, found.end()):
            return asked[found.end() :]
    return asked


def _begun_with_a_verb(asked: str) -> QuestionForm:
    if _ASKS_FOR_MORE.search(asked):
        return QuestionForm.OTHER
    if not _OR.search(asked) or _IS_AFFIRMED.search(asked):
        return QuestionForm.YES_NO
    complement = _COMPLEMENT.match(asked)
    if complement:
        offered = _OR.search(asked, complement.end()) and not _VERB_AFTER_OR.search(asked)
    else:
        offered = _IS.match(asked) and not _OR_OF_THE_SUBJECT.match(asked)
    return QuestionForm.CHOICE if offered else QuestionForm.OTHER


def _offers_a_list(asked: str) -> bool:
    """Whether the question ends in a list: "..., a dog, a cat or a bird"."""
    return any(
        _LIST.fullmatch(asked, found.end()) and not _CLAUSE.search(asked, found.end())
        for found in _PAUSE.finditer(asked)
    )


_SHOWN = r"(?:the|this|that) (?:picture|image|photo|photograph|scene)"
_VERB_WORD = (
    r"(?:(?:is|are|was|were|do|does|did|has|have|had|could|would|should|must|might)(?:n't)?|can|cannot|can't|will|won't"
    r"|may|shall|am|ain't)"
)
_VERB = re.compile(rf"{_VERB_WORD} ")
_QUESTION_WORD = re.compile(
    r"(?:(?:in|on|at|from|to|of|with|for|under|by) )?(?:what|which|whose|whom)\b"
    r"|(?:what|who|where|when|why|how)(?:'s)?\b"
)
_ASKS_COUNT = re.compile(
    r"how many\b|(?:what is|what's|what are|what|which|count|give|tell me|name|state) (?:the )?"
    r"(?:(?:total|combined|overall|exact|whole) )?(?:number|count) of (?!(?:the|this|that|a|an|his|her|its|their)\b)"
    r"|count (?:all |up )?(?:of )?(?:the )?(?!of\b)\w"
)
"""Not "the number of the bus" or "of this player", which is written there."""

_OPENING = re.compile(rf"(?:{_VERB.pattern}|{_QUESTION_WORD.pattern}|{_ASKS_COUNT.pattern})")
_LEAD = re.compile(rf"(?:^(?:in|on|from|looking at|judging by|considering) {_SHOWN} |[,.:;-] (?:and )?)")
_NO_OFFER = re.compile(
    r"[,.:;?(]* ?\b(?:or not|yes or no)\b|\b(?:one|two|three|four|five|\d+) or (?:more|fewer|less)\b"
)
"""Where "or" stands and nothing is to be chosen."""

_ASKS_FOR_MORE = re.compile(
    r"\b(?:what|how|why|whose)\b|^(?:can|could|would|will) you (?:please )?(?:tell|name|guess|describe|explain"
    r"|count|list|identify)\b"
)
"""Questions within questions ("do you know what it is"), and requests."""

_OR = re.compile(r"\bor\b")
_IS_AFFIRMED = re.compile(
    r"\beither\b|^\S+ there\b|\bthere (?:is|are|was|were)\b|\b(?:true|correct) that\b|^\S+ (?:any|no) "
    r"|^\S+ (?:you|we|one|anyone) (?:see|spot|notice)\b"
    rf"|^(?:does|do|did) {_SHOWN} (?:show|contain|have|include|depict|feature|display)\b"
    rf"|^is {_SHOWN} (?:without|free of)\b"
    rf"|^\S+ an? .*\b(?:visible|present|shown|seen|found|there)(?: (?:anywhere )?in {_SHOWN})?$"
)
_IS = re.compile(r"(?:is|are|was|were)(?:n't)? ")
_COMPLEMENT = re.compile(
    r"(?:(?:would|do|did) (?:you|we) (?:say|think|believe|call)|(?:do|does|did) .*\b(?:appear|seem|look|looks))\b"
)
"""After it comes what is said of something: "does the cup appear to be ...", "would you say the cup is ..."."""

_VERB_AFTER_OR = re.compile(r"\bor\b.* (?:is|are|was|were)\b")
_OR_OF_THE_SUBJECT = re.compile(
    r"\S+ (?:the|an?|my|his|her|its|their|your|some) \S+ or "
    r"|\S+ (?!(?:it|he|she|they|this|that|these|those) )\S+ or "
    r"|.* or (?:the|his|her|its|their) \S+ \S+$"
)
"""In "is the dog or the cat black?" either may be what is asked: which of them it is, or whether it is so."""

_PAUSE = re.compile(r"[,:] ")
_LIST = re.compile(r"[^,:]+(?:, [^,:]+)*,? or [^,:]+")
_CLAUSE = re.compile(r"\b(?:is|are|was|were|does|do|did)\b")
_BARE_CHOICE = re.compile(r"(?!any |some |no )[\w'-]+(?: [\w'-]+){0,2},? or [\w'-]+(?: [\w'-]+){0,2}")
