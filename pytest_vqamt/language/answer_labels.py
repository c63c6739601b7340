"""Labels of visual entailment in answers: what was named, and not denied."""

from __future__ import annotations

import re
from functools import lru_cache

from pytest_vqamt.core.meaning import Label
from pytest_vqamt.language.answers.choices import without_questions
from pytest_vqamt.language.answers.text import SHORT, Unread, Unreadable, answer_proper, prepare, unread


def read_label(text: str) -> Label | Unread:
    """The label of visual entailment that an answer names, as noun or verb.

    "Yes" and "no" name none. A denied label ("does not contradict") leaves two others and names none either. That the
    picture does not tell is a refusal only where "neutral" is not said with it. What the answer repeats of the question
    is no part of it.

    >>> read_label("The image contradicts the hypothesis.").value, read_label("Neutral: it cannot be determined.").value
    ('contradiction', 'neutral')
    >>> read_label("I don't see any contradiction.")
    Unread(reason=<Unreadable.NO_LABEL: 'no label named'>)
    """
    return _LABELS.get(text) or (_label if len(text) <= SHORT else _label.__wrapped__)(text)


@lru_cache(maxsize=65536)
def _label(text: str) -> Label | Unread:
    prepared = prepare(text)
    if isinstance(prepared, Unread):
        is_refusal = prepared.reason is Unreadable.REFUSAL
        return Label.NEUTRAL if is_refusal and _named(answer_proper(text)) is Label.NEUTRAL else prepared
    named = _named(without_questions(prepared))
    return named if isinstance(named, Label) else unread(prepared, named)


def _named(answer: str) -> Label | Unreadable:
    named: set[Label] = set()
    for found in _LABEL.finditer(answer):
        if _DENIED_BEFORE.search(answer, 0, found.start()) or _DENIED_AFTER.match(answer, found.end()):
            return Unreadable.NO_LABEL
        named.add(_LABELS_BY_STEM[found[1]])
    if len(named) > 1:
        return Unreadable.SEVERAL_LABELS
    return named.pop() if named else Unreadable.NO_LABEL


_LABEL = re.compile(r"\b(entail|neutral|contradict)(?:s|ed|ing|ments?|ions?|ory|ive|ity)?\b")
_LABELS_BY_STEM = {"entail": Label.ENTAILMENT, "neutral": Label.NEUTRAL, "contradict": Label.CONTRADICTION}
_LABELS = {label.value: label for label in Label}

_BETWEEN = (
    r"(?:an?|the|any|this|that|which|it|there|i|in|of|for|to|if|whether|be|is|are|was|been|being|do|does|at|all|either"
    r"|really|necessarily|fully|strictly|clearly|entirely|directly|quite|exactly|actually|logically|completely"
    r"|see|find|have|show|provide|contain|support|constitute|indicate|imply|suggest|represent|appear|seem|say|tell|think"
    r"|believe|call|consider|evidence|sign|signs|reason|support|case|example|instance|clear|direct|logical|strong"
    r"|enough|sufficient|anything|something|picture|image|photo)"
)
_DENIED_BEFORE = re.compile(
    r"\b(?:not|nor|neither|never|no|non|nothing|none|without|hardly|fail(?:s|ed)?|lack(?:s|ing)?|absence|impossible)"
    rf"(?: {_BETWEEN})*[ -]$"
)
"""No noun of a picture's things stands between: "there is no dog which contradicts it" denies the dog."""

_DENIED_AFTER = re.compile(
    r"\s*(?:[:=-]\s*)?(?:(?:no|false)\s*(?:[.,;!\n]|$)|(?:is|are|can|does|do|would|will|could) not\b)"
)
