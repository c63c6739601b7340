"""Comparisons of two options: "the cup is smaller than the bottle"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pytest_vqamt.language.answers.choices import read_choice

_DIRECTIONS = tuple(
    frozenset(words.split())
    for pair in (
        ("bigger larger greater", "smaller littler"), ("taller", "shorter"), ("longer", "shorter"), ("higher", "lower"),
        ("heavier", "lighter"), ("brighter lighter", "darker"), ("older", "younger newer"),
        ("wider broader", "narrower"),
        ("thicker", "thinner"), ("closer nearer", "farther further"), ("faster quicker", "slower"),
        ("more", "fewer less"),
        ("hotter warmer", "colder cooler"), ("fuller", "emptier"), ("younger", "older"), ("newer", "older"),
    )
    for words in pair
)  # fmt: skip
_OPPOSITES = {
    (one, other)
    for first, second in zip(_DIRECTIONS[::2], _DIRECTIONS[1::2], strict=True)
    for a in first
    for b in second
    for one, other in ((a, b), (b, a))
}
_COMPARATIVE = "|".join(sorted(frozenset().union(*_DIRECTIONS)))
_ASKED = re.compile(rf"\b(?:which|what|who)\b[^?]*?\b({_COMPARATIVE})\b(?! \w+ than)")
_THAN = re.compile(rf"\W*(?:(?:there (?:is|are)|i (?:can )?see) )?(.*?)\b({_COMPARATIVE})\b(.*?)\bthan\b([^,.;\n]*)\W*")
_LEAVES_OPEN = re.compile(r"\b(?:not|no|if|maybe|might)\b|n't\b")


def compared(question: str, answer: str, options: Sequence[str]) -> str | None:
    """The option that a comparison chooses for a question that compares; None if it is another comparison.

    >>> compared("Which is bigger, the cup or the bottle?", "The cup is smaller than the bottle.", ["cup", "bottle"])
    'bottle'
    >>> compared("Which is bigger, the cup or the bottle?", "The cup is older than the bottle.", ["cup", "bottle"])
    """
    asked, said = _ASKED.search(question.lower()), _THAN.fullmatch(answer.lower())
    if asked is None or said is None or " not " in question or _LEAVES_OPEN.search(said[0]):
        return None
    first, second = (read_choice(part, tuple(options)) for part in (f"{said[1]} {said[3]}", said[4]))
    if not isinstance(first, str) or not isinstance(second, str) or first == second:
        return None
    if asked[1] == said[2] or any({asked[1], said[2]} <= words for words in _DIRECTIONS):
        return first
    return second if (asked[1], said[2]) in _OPPOSITES else None
