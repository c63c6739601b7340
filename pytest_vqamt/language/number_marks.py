"""Finds the numbers of a text, in digits and in words, and marks each as <5>: the words around it can then be read."""

from __future__ import annotations

import re

from pytest_vqamt.language.english.nouns import NUMBER_WORDS

MARK = re.compile(r"<(\d+)>")
NOT_WHOLE = "<?>"
"""What marks a number that counts no things: 2.5, -1, one half."""


def marked(text: str) -> str:
    """``text``, in lower case and with contractions written out, with its numbers marked.

    "None" and "not any" are 0, "a pair" is 2; a plain "a" stays as it is. Numbers that count nothing (times, years,
    ordinals, percentages, measures, the numbers of a list) are taken out.

    >>> marked("two dozen eggs, half a dozen cups and no plate"), marked("3 buses at 10:30")
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
"""A number of more digits counts nothing in a picture (and Python refuses to read one of thousands)."""

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
