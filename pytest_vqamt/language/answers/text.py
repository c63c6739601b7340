"""The answer proper: without reasoning and markup, or the refusal instead of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from pytest_vqamt.language.english.nouns import NUMBER_WORDS

MAX_CACHED_CHARS = 200
"""Readers do not cache longer answers."""


class Unreadable(StrEnum):
    """The reason that an answer has no reading."""

    EMPTY = "empty answer"
    REFUSAL = "refusal"
    SEES_NOTHING = "sees nothing"
    UNSURE = "unsure"
    CUT_OFF = "cut off"
    DECLINED = "declined"
    NO_NUMBER = "no number"
    SEVERAL_NUMBERS = "several numbers"
    NOT_WHOLE = "not a whole number of things"
    NO_YES_OR_NO = "neither yes nor no"
    YES_AND_NO = "both yes and no"
    NO_OPTION = "no option named"
    SEVERAL_OPTIONS = "several options named"
    NO_LABEL = "no label named"
    SEVERAL_LABELS = "several labels named"


@dataclass(frozen=True, slots=True)
class UnreadableAnswer:
    """An answer without a reading."""

    reason: Unreadable


def strip_reasoning(text: str) -> str:
    """Returns the text without the model's reasoning; nothing is left of a trace without an end.

    A closing tag alone ends a trace that the prompt had opened.

    >>> strip_reasoning("<think>Two dogs, so yes.</think> Yes")
    'Yes'
    >>> strip_reasoning("<think>Let me see")
    ''
    >>> strip_reasoning("There are two.</think>2")
    '2'
    """
    if "<" not in text and "[" not in text:
        return text.strip()
    kept, start, inside = "", 0, False
    for tag in _TAG.finditer(text):
        if inside:
            inside, start = not tag["closing"], tag.end()
        elif tag["closing"]:
            kept, start = "", tag.end()
        else:
            kept, inside = f"{kept}{text[start : tag.start()]} ", True
    return kept.strip() if inside else f"{kept}{text[start:]}".strip()


def final_answer(text: str) -> str:
    """Returns the answer proper in lower case, with contractions written out.

    It is what follows "answer:", or stands in an answer tag or in LaTeX's box. Line breaks stay.
    """
    return _plain(strip_reasoning(text))


def prepare_answer(text: str) -> str | UnreadableAnswer:
    """Returns the answer proper, or why there is none: it is empty, or a refusal that no "but" takes back."""
    bare = final_answer(text)
    if not _SOMETHING.search(bare):
        return UnreadableAnswer(Unreadable.EMPTY)
    refusal = _REFUSAL.search(bare)
    if not refusal:
        return bare
    taken_back = _BUT.split(bare[refusal.end() :], maxsplit=1)
    if len(taken_back) == 1 or not _SOMETHING.search(taken_back[1]) or _REFUSAL.search(taken_back[1]):
        return UnreadableAnswer(Unreadable.REFUSAL)
    return taken_back[1].strip()


def unreadable_answer(prepared: str, reason: Unreadable) -> UnreadableAnswer:
    """Returns the reason, or a refusal if the answer is an apology or a doubt."""
    return UnreadableAnswer(Unreadable.REFUSAL if _DOUBT.search(prepared) else reason)


_MAX_CHARS = 4000
"""Characters of the answer proper that are read; a model that repeats itself has no end."""

_TAG = re.compile(
    r"[<\[](?P<closing>/?)(?:think|thinking|thought|reasoning|reflection|scratchpad|analysis)[>\]]", re.IGNORECASE
)

_SOMETHING = re.compile(r"\w")
_BUT = re.compile(r"\b(?:but|however|nevertheless|still|although|though)\b")
_MARKED_ANSWER = re.compile(
    r"<answer>(.*?)(?:</answer>|$)|\\boxed\{(?:\\text\{)?([^{}]*)|\b(?:answer|conclusion)(?:\s+is)?\s*:",
    re.DOTALL,
)
_TAG_OF_MARKUP = re.compile(r"</?[a-z_|/][^<>]*>")
_MARKUP = re.compile(r"[*`#\"\[\]{}$\\]|(?<!\w)_+|_+(?!\w)")
_TYPESET = str.maketrans({
    "\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u2010": "-", "\u2011": "-", "\u2012": "-",
    "\u2013": "-", "\u2014": " - ", "\u2212": "-",
})  # fmt: skip
_CONTRACTIONS = (
    (re.compile(r"\b(?:can'?t|cannot)\b"), "can not"),
    (re.compile(r"\bwon't\b"), "will not"),
    (re.compile(r"\bain'?t\b"), "is not"),
    (re.compile(r"(?<=[a-z])n't\b"), " not"),
    (re.compile(r"\b(is|are|was|were|do|does|did|has|have)nt\b"), r"\1 not"),
    (re.compile(r"\b(there|it|that|here|what|he|she)'s\b"), r"\1 is"),
    (re.compile(r"\b(there|they|we|you)'re\b"), r"\1 are"),
    (re.compile(r"\bi'm\b"), "i am"),
    (re.compile(r"\bi'd\b"), "i would"),
)
_SPACES = re.compile(r"[^\S\n]+")

_CANNOT = r"(?:can not|could not|not able to|unable to|not possible to|impossible to|hard to|difficult to)"
_REFUSAL = re.compile(
    rf"\b{_CANNOT} (?:be )?(?:\w+ ){{0,2}}?(?:help|assist|answer|determine|tell|say|know|provide|view|access|comply"
    r"|discuss|judge|confirm|verify|determined|answered|told|known|see (?:the |this |that |an |any |your )?"
    r"(?:image|picture|photo)s?)\b"
    r"|\bunanswerable\b|\bnot answerable\b|\bdo not (?:really )?know\b|\bno idea\b|\bno answer\b"
    r"|\b(?:not enough|insufficient|no) information\b|\bundetermined\b|\bdo not have access\b"
    r"|\bno (?:image|picture|photo) (?:was |is |has been )?(?:provided|attached|given|available|uploaded)\b"
)
_DOUBT = re.compile(
    r"\bsorry\b|\bapologi[sz]e\b|\b(?:not|un)\s?(?:sure|clear|certain|known)\b|\bn/a\b|\bnot applicable\b"
    r"|\bas an (?:ai|artificial)\b|\bas a (?:large )?language model\b|\b(?:can not|unable to) \w+|\bdo not understand\b"
)


def _plain(text: str) -> str:
    text = text.lower().translate(_TYPESET)
    marked = list(_MARKED_ANSWER.finditer(text))
    if marked:
        last = marked[-1]
        inside = last[1] if last[1] is not None else last[2]
        after = inside if inside is not None else text[last.end() :]
        text = after if _SOMETHING.search(after) else text
    text = text.strip()
    if len(text) > _MAX_CHARS:
        text = text[:_MAX_CHARS].rsplit(maxsplit=1)[0]
    text = _MARKUP.sub("", _TAG_OF_MARKUP.sub(" ", text))
    for pattern, written_out in _CONTRACTIONS:
        text = pattern.sub(written_out, text)
    return _SPACES.sub(" ", text).strip()


MARK = re.compile(r"<(\d+)>")
NOT_WHOLE = "<?>"
"""Marks a number that counts no things: 2.5, -1, one half."""


def mark_numbers(text: str) -> str:
    """Returns the text, in lower case and without contractions, with its numbers marked.

    "None" and "not any" are 0, "a pair" is 2; a plain "a" stays. Numbers that count nothing (times, years, ordinals,
    percentages, measures, numbers of a list) are removed.

    >>> mark_numbers("two dozen eggs, half a dozen cups and no plate"), mark_numbers("3 buses at 10:30")
    ('<24> eggs, <6> cups and <0> plate', '<3> buses at ~')
    """
    text = _BRACKETS.sub(" ", _GREATER.sub("more than ", text))
    if len(_LIST_ITEM.findall(text)) > 1:
        text = _LIST_ITEM.sub("", text)
    return _NUMBER.sub(_mark, text)


_VALUES = {word: value for value, word in enumerate(NUMBER_WORDS)}
_BELOW_20 = "|".join(sorted(NUMBER_WORDS[1:20], key=len, reverse=True))
_TENS = "|".join(NUMBER_WORDS[20::10])
_WORDS = rf"(?:(?:{_TENS})(?:[- ](?:{'|'.join(NUMBER_WORDS[1:10])})\b)?|(?:{_BELOW_20}))"
_TIMES = {"dozen": 12, "hundred": 100, "thousand": 1000}
_UNIT = "years?|months?|inch(?:es)?|cm|mm|km|kg|ft|met(?:er|re)s?|mph|dollars?|minutes?|hours?|am|pm|degrees?|percent"

_MOST_DIGITS = 9
"""Longer numbers count nothing in a picture, and Python refuses to read one of thousands of digits."""

_GREATER = re.compile(r">\s*(?=\d)")
_BRACKETS = re.compile(r"[<>]")
_LIST_ITEM = re.compile(r"^\s*\d+[.)]\s+(?=\D)", re.MULTILINE)

# Alternatives are tried in this order, and what one of them takes is out of the reach of the later ones.
_NUMBER = re.compile(
    rf"""
    (?P<none_at_all>
        \b(?:no[ ]one|none|nothing|nobody|no)[ ](?:else|more|others?|longer|doubt|problem|less|fewer)\b(?![ ]than\b)
    )
  | (?P<pronoun>
        \b(?:the|this|that|which|each|every|any|another|other|last|first|second|third)[ ]one\b
      | \ban?[ ](?!single|lone|sole)[a-z]+[ ]one\b | \bone[ ](?:another|by[ ]one)\b
    )
  | (?P<no_count>
        \d+(?:\.\d+)?\s?% | \d{{1,2}}:\d\d\b | \d+(?:st|nd|rd|th)\b | \d+/\d+ | \b[a-z]+\d\w* | \d+[a-z]\w*
      | (?<=\bin[ ])(?:19|20)\d\d\b | (?<=\bfrom[ ])(?:19|20)\d\d\b | (?<=\bsince[ ])(?:19|20)\d\d\b
      | (?:\b{_WORDS}|\d+(?:\.\d+)?)[ -]?(?:{_UNIT})\b
    )
  | (?P<not_whole>
        (?<![\w)])-\d+(?:\.\d+)? | \d+\.(?!0+\b)\d+ | (?:\b{_WORDS}|\d+)[ ](?:and[ ]a[ ]half|pairs|couples)\b
    )
  | (?P<half_dozen> \bhalf[ ](?:a[ ])?dozen\b )
  | (?P<pair> \b(?:an?[ ]|one[ ])?(?:pair|couple)\b )
  | (?P<times> \b(?:a|{_WORDS})|\d+ )[ ](?P<unit>dozen|hundred|thousand)\b(?:[ ](?:and[ ])?(?P<rest>{_WORDS})\b)?
  | (?P<bare_unit> \b(?:dozen|hundred|thousand)\b )
  | (?P<zero>
        \bno[ -]one\b | \b(?:none|nothing|nobody|neither|zero|nil|nope|no(?![ ](?:less|more|fewer)[ ]than))\b
      | \bwithout[ ](?:any|an?)\b
      | \b(?:not|never)[ ](?!sure|certain|clear|only|just)(?:\w+[ ]){{0,3}}?
        (?:any|an?[ ]single(?:[ ]one)?|an?|even[ ]one|one[ ]single)\b(?![ ](?:lot|few|bit))
    )
  | (?P<digits> \d{{1,3}}(?:,\d{{3}})+(?!\d) | \d{{1,3}}(?:[ ]000)+(?!\w) | \d+ )(?:\.0+\b)?
  | (?P<words> \b{_WORDS}\b )
  | (?P<one> \b(?:an?[ ])?(?:single|lone|sole)\b )
    """,
    re.VERBOSE,
)


def _mark(found: re.Match[str]) -> str:
    kind = found.lastgroup
    if kind in ("none_at_all", "pronoun", "no_count") or sum(map(str.isdecimal, found[0])) > _MOST_DIGITS:
        return "~"
    return NOT_WHOLE if kind == "not_whole" else f"<{_value(found)}>"


def _value(found: re.Match[str]) -> int:
    if found["unit"]:
        return _word(found["times"]) * _TIMES[found["unit"]] + (_word(found["rest"]) if found["rest"] else 0)
    if found["digits"]:
        return int(found["digits"].replace(",", "").replace(" ", ""))
    if found["words"]:
        return _word(found["words"])
    if found["bare_unit"]:
        return _TIMES[found["bare_unit"]]
    return {"half_dozen": 6, "pair": 2, "zero": 0, "one": 1}[found.lastgroup or ""]


def _word(word: str) -> int:
    return int(word) if word.isdecimal() else 1 if word == "a" else _VALUES[word.replace(" ", "-")]
