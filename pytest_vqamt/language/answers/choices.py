"""Options and labels in answers."""

from __future__ import annotations

import re
from functools import lru_cache

from pytest_vqamt.core.meaning import Label
from pytest_vqamt.language.answers.text import (
    MAX_CACHED_CHARS,
    Unreadable,
    UnreadableAnswer,
    final_answer,
    prepare_answer,
    unreadable_answer,
)
from pytest_vqamt.language.english.nouns import plural, singular


def read_choice(text: str, options: tuple[str, ...]) -> str | UnreadableAnswer:
    """Returns the one of ``options`` that an answer names, by whole words, in the singular or the plural.

    Longer options are found first, so that "light blue" does not name "blue". Two options, or one that is only denied
    ("not red"), give no reading. Questions in the answer are ignored.

    >>> read_choice("It's the red one.", ("red", "blue")), read_choice("brown", ("no", "yes"))
    ('red', UnreadableAnswer(reason=<Unreadable.NO_OPTION: 'no option named'>))
    >>> read_choice("red or blue", ("red", "blue"))
    UnreadableAnswer(reason=<Unreadable.SEVERAL_OPTIONS: 'several options named'>)
    """
    if text in options:
        return text
    return (_choice if len(text) <= MAX_CACHED_CHARS else _choice.__wrapped__)(text, options)


@lru_cache(maxsize=65536)
def _choice(text: str, options: tuple[str, ...]) -> str | UnreadableAnswer:
    prepared = prepare_answer(text)
    if isinstance(prepared, UnreadableAnswer):
        return prepared
    answer = without_questions(prepared)
    named: set[str] = set()
    denied: set[str] = set()
    for found in _pattern(options).finditer(answer):
        option = _forms(options)[_joined(found[0])]
        (denied if _DENIAL.search(answer, 0, found.start()) else named).add(option)
    if len(named | denied) > 1:
        return UnreadableAnswer(Unreadable.SEVERAL_OPTIONS)
    return named.pop() if named else unreadable_answer(prepared, Unreadable.NO_OPTION)


def without_questions(prepared: str) -> str:
    """Returns the answer without its questions; all of it if it has nothing else."""
    statements = _QUESTION.sub(" ", prepared).strip()
    return statements if re.search(r"\w", statements) else prepared


_QUESTION = re.compile(r"(?:^|(?<=[.!?\n]))[^.!?\n]*\?")
_DENIAL = re.compile(r"\b(?:not|nor|neither|never|no)(?: (?:a|an|the|any|really|in|be|is|it|either|at all))*\s$")


@lru_cache(maxsize=65536)
def _forms(options: tuple[str, ...]) -> dict[str, str]:
    """Returns the option of every spelling; an option's own name comes before another option's plural."""
    forms = {_joined(option.lower()): option for option in options}
    for option in options:
        for form in _ways(option):
            forms.setdefault(_joined(form), option)
    return forms


def _ways(option: str) -> tuple[str, ...]:
    words = option.lower()
    spelled = words.replace("gray", "grey"), words.replace("grey", "gray")
    return words, plural(words), singular(words), *spelled, words.removeprefix("playing "), *_OTHER_WORDS.get(words, ())


_OTHER_WORDS: dict[str, tuple[str, ...]] = {
    "wood": ("wooden",),
    "wooden": ("wood",),
    "metal": ("metallic",),
    "metallic": ("metal",),
    "wool": ("woolen",),
    "gold": ("golden",),
    "golden": ("gold",),
    "lying": ("laying",),
    "laying": ("lying",),
    "checked": ("checkered",),
    "checkered": ("checked",),
    "striped": ("stripes",),
    "dotted": ("dots",),
}
"""Other words for an option, unless they are an option themselves."""


def _joined(words: str) -> str:
    """Returns the words as one, so that "hot dog", "hotdog" and "hot-dog" are the same."""
    return words.replace(" ", "").replace("-", "")


@lru_cache(maxsize=65536)
def _pattern(options: tuple[str, ...]) -> re.Pattern[str]:
    ways = {
        "[ -]?".join(map(re.escape, _SPLIT.split(way))) for option in options for way in _ways(option) if _joined(way)
    }
    longest_first = "|".join(sorted(ways, key=lambda way: (-len(way), way))) or _NOTHING
    return re.compile(rf"(?<![\w'])(?:{longest_first})(?!\w)")


_SPLIT = re.compile(r"[ -]")
_NOTHING = "(?!)"


def read_label(text: str) -> Label | UnreadableAnswer:
    """Returns the label of visual entailment that an answer names, as noun or verb.

    "Yes" and "no" name none, nor does a denied label ("does not contradict"), which leaves two. "It cannot be
    determined" is a refusal unless "neutral" is named, too. Questions in the answer are ignored.

    >>> read_label("The image contradicts the hypothesis.").value, read_label("Neutral: it cannot be determined.").value
    ('contradiction', 'neutral')
    >>> read_label("I don't see any contradiction.")
    UnreadableAnswer(reason=<Unreadable.NO_LABEL: 'no label named'>)
    """
    return _LABELS.get(text) or (_label if len(text) <= MAX_CACHED_CHARS else _label.__wrapped__)(text)


@lru_cache(maxsize=65536)
def _label(text: str) -> Label | UnreadableAnswer:
    prepared = prepare_answer(text)
    if isinstance(prepared, UnreadableAnswer):
        is_refusal = prepared.reason is Unreadable.REFUSAL
        return Label.NEUTRAL if is_refusal and _named(final_answer(text)) is Label.NEUTRAL else prepared
    named = _named(without_questions(prepared))
    return named if isinstance(named, Label) else unreadable_answer(prepared, named)


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
"""No noun of a thing stands between: "there is no dog which contradicts it" denies the dog."""

_DENIED_AFTER = re.compile(
    r"\s*(?:[:=-]\s*)?(?:(?:no|false)\s*(?:[.,;!\n]|$)|(?:is|are|can|does|do|would|will|could) not\b)"
)
