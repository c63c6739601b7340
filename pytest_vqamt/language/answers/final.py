"""The part of a completion that is its answer: behind a marker, in a box of LaTeX, in a field of JSON."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping

from pytest_vqamt.core.codec import Json

ANSWER_FIELDS = (
    "final_answer", "final answer", "finalanswer", "answer", "response", "result", "output", "prediction", "label",
    "choice", "option", "selected_option", "selected", "value", "count", "number", "total",
)  # fmt: skip
"""Fields of JSON that hold an answer, the surest first."""


def read_json(text: str, names: tuple[str, ...] = ()) -> str | None:
    r"""The answer in a completion of JSON, fenced or bare; None if it is none, or several fields may be the answer.

    Truths become yes and no. ``names`` are further fields, such as the noun that is counted.

    >>> read_json('```json\n{"reasoning": "two of them", "answer": 2}\n```'), read_json('{"present": true}')
    ('2', 'yes')
    >>> read_json('{"dogs": 2, "cats": 3}') is None
    True
    """
    for candidate in _candidates(text):
        found = _parsed(candidate)
        if found is not None:
            return _answer_of(found, names)
    return None


def is_json(text: str) -> bool:
    """Whether the completion is JSON, fenced or bare."""
    return any(_parsed(candidate) is not None for candidate in _candidates(text))


_FENCE = re.compile(r"```[ \t]*+[\w+-]*+[ \t]*+\r?\n?((?:(?!```).)*+)```", re.DOTALL)
"""JSON in a block of code, with words around it."""
_MOST_JSON = 20_000


def _candidates(text: str) -> list[str]:
    fenced = [found[1].strip() for found in _FENCE.finditer(text)]
    bare = text.strip().removeprefix("```json").removeprefix("```").removesuffix("```").strip()
    start, end = bare.find("{"), bare.rfind("}")
    inside = [bare[start : end + 1]] if 0 <= start < end else []
    return [each for each in (*reversed(fenced), bare, *inside) if each[:1] in ("{", "[") and len(each) < _MOST_JSON]


def _parsed(text: str) -> Json:
    """The object or list in a text of JSON, or of Python; None if there is none."""
    found: object
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        try:
            found = ast.literal_eval(text)
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            return None
    return found if isinstance(found, dict | list) else None


def _answer_of(found: Json, names: tuple[str, ...]) -> str | None:
    if isinstance(found, bool):
        return "yes" if found else "no"
    if isinstance(found, str | int | float):
        return str(found)
    if isinstance(found, list):
        return _answer_of(found[0], names) if len(found) == 1 else None
    if isinstance(found, Mapping):
        fields = {str(name).casefold().strip(): value for name, value in found.items()}
        for name in (*ANSWER_FIELDS, *names):
            if name in fields:
                return _answer_of(fields[name], names)
        if len(fields) == 1:
            return _answer_of(next(iter(fields.values())), names)
    return "" if found is None else None


def final_part(text: str) -> str:
    r"""The part behind the last marker of an answer, in lower case or not; all of the text without one.

    Markers are tags (``<answer>``), boxes of LaTeX, and words with a colon or as a heading ("Final answer:",
    "## Answer"). An explanation behind the answer is left out.

    >>> final_part("Two dogs, as I see. Final answer: 3"), final_part(r"So \boxed{\text{Yes}}.")
    ('3', 'Yes')
    >>> final_part("Answer: B\n\nExplanation: the dog is not a cat.")
    'B'
    """
    text = text.strip()
    if "\\" in text and (boxes := _boxes(text)):
        return boxes[-1]
    if "<" in text and (tagged := [found for found in _TAGGED.finditer(text) if SOMETHING.search(found[2])]):
        return tagged[-1][2].strip()
    lower = text.lower()
    first = min((place for mark in _MARKS if (place := lower.find(mark)) >= 0), default=-1)
    if first < 0:
        return _without_explanation(text)
    begins = max(0, first - _LONGEST_LEAD)
    marked = [found for found in _MARKER.finditer(text, begins) if SOMETHING.search(text, found.end())]
    if short := [found for found in marked if "short" in found[0].lower()]:
        following = [found for found in marked if found.start() > short[0].start()]
        return text[short[0].end() : following[0].start() if following else len(text)].strip()
    if marked:
        after = text[marked[-1].end() :].strip()
        return _without_explanation(after)
    return _without_explanation(text)


SOMETHING = re.compile(r"\w")
"""A letter or a digit: what has none says nothing."""
_TAGGED = re.compile(
    r"<\|?(?:begin_of_|start_)?(answer|final_answer|final|conclusion|solution|box|response|output)\|?>(.*?)"
    r"(?=<\|?(?:/|end_of_|end_)?(?:answer|final_answer|final|conclusion|solution|box|response|output)\|?>|$)",
    re.DOTALL | re.IGNORECASE,
)
"""The answer between tags, whatever stands in others: "<caption>Yes ...</caption> <conclusion>No</conclusion>"."""
_WORDS = r"(?:(?:my|the|your|so|therefore|thus|hence)[ ,]+)*(?:(?:final|correct|short|right|best|direct)[ ]+)?"
_MARKS = ("answer", "conclusion", "verdict", "#", "a:", " :")
"""One of them is in each marker."""
_LONGEST_LEAD = 100
"""The characters of a marker before that."""
_MARKER = re.compile(
    rf"(?:^|(?<=[\s.,;:*_(>\[#\-]))[*_#>\s\[-]{{0,6}}\b{_WORDS}(?:answer|conclusion|verdict)\b(?:[ ]+is)?[*_\]]*[ ]*"
    r"(?:[:=\uff1a][ ]*[*_]*|(?<=[*\]])[ ]*\n|[ ]*[*_]*\n(?<=answer\n))"
    r"|^[ ]*\#{1,6}[ ]*(?:final[ ]+)?(?:answer|conclusion|results?|total|count|verdict)[ ]*[:.]?[ ]*$"
    r"|^[ ]*(?:\#{4})(?=[ ]*[\w-]+[ .]*$)"  # GSM8K's
    r"|^[ ]*A[ ]*:(?=[ ])"
    r"|\banswer(?:[ ]to[ ](?:the|your|this)[ ]question)?[ ]is\b(?![ ](?:not|that|because|in|on|at|based)\b)[ ]*[:*_]*",
    re.IGNORECASE | re.MULTILINE,
)
"""Words before the answer: "Final answer:", "## Answer". In "2 dogs answer the call" there is none."""
_EXPLANATION = re.compile(
    r"(?:^|\n|(?<=[.!)])\s)[ \t*_#>-]{0,6}(?:explanations?|reason(?:ing|s)?|rationale|justification|notes?|evidence"
    r"|because|details?)[*_]*[ ]*:",
    re.IGNORECASE,
)
"""A reason behind the answer: "No" above "Reason: yes signs are missing"."""


def _without_explanation(text: str) -> str:
    found = _EXPLANATION.search(text) if ":" in text else None
    if found and SOMETHING.search(text[: found.start()]):
        return text[: found.start()].strip()
    return text


def _boxes(text: str) -> list[str]:
    """The contents of LaTeX's boxes, without commands for fonts."""
    found: dict[int, str] = {}
    opened: list[int] = []  # the beginnings of the braces that are open
    ends = {match.end() for match in _BOX.finditer(text)}
    for brace in _BRACE.finditer(text):
        if brace[0] == "{":
            opened.append(brace.end())
        elif opened and (start := opened.pop()) in ends:
            found[start] = text[start : brace.start()]
    found |= {start: text[start:] for start in [each for each in opened if each in ends][-1:]}  # cut off
    insides = (inside for _, inside in sorted(found.items()) if SOMETHING.search(inside))
    return [_FONT.sub(" ", each).replace("{", "").replace("}", "").replace("\\", "").strip() for each in insides]


_BRACE = re.compile(r"[{}]")
_BOX = re.compile(r"\\(?:boxed|fbox|framebox)\s*\{")
"""A box of LaTeX, in which the answer stands."""
_FONT = re.compile(r"\\(?:text\w*|math\w*|operatorname|bf|rm|it|displaystyle)\b")
"""Commands of LaTeX for fonts in a box: "\\text{down}"."""
