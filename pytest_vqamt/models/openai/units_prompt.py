"""What a language model is asked about a hypothesis, and what of its reply is believed.

The prompt and its examples are ours. A reply is a JSON list of objects and properties in the hypothesis's own words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from pytest_vqamt.core.codec import Json
from pytest_vqamt.language.units import DescriptionUnit, unit_of
from pytest_vqamt.models.http.responses import QueryError

_ADDED = frozenset({"is", "are"})
"""What a property may have that its hypothesis lacks: "is outdoors" of "There is a man outdoors"."""

_WORD = re.compile(r"\w+(?:[-']\w+)*")
_FENCE = re.compile(r"```(?:json)?\s*(.*?)\s*```", re.DOTALL)

_EXAMPLES: tuple[tuple[str, list[tuple[str, str]]], ...] = (
    ("A cook is stirring soup.", [("cook", "is stirring soup")]),
    (
        "A grey cat and a parrot are sitting on a fence while two girls laugh.",
        [
            ("grey cat", "are sitting on a fence"),
            ("parrot", "are sitting on a fence"),
            ("fence", ""),
            ("girls", "laugh"),
        ],
    ),
    ("There is a clown in a wig juggling pins.", [("clown", "in a wig juggling pins"), ("pins", "")]),
)

_PROMPT = """\
Split the sentence into the objects it mentions and what it says of each.

An object is a person, an animal or a thing that could be outlined in a photo. Clothes, body parts, liquids, the \
ground, the sky and activities are not objects. Write an object as the sentence words it, with its adjectives, without \
articles, numbers and possessives.
A property is what the sentence says of its subject, in the sentence's own words, up to the end of the clause. Where \
one clause has several subjects, each gets the property. Every other object gets the empty property "".

Reply with a JSON list and nothing else: [{{"object": "...", "property": "..."}}], in the order of the sentence.

{examples}

Sentence: {hypothesis}
"""


def prompt(hypothesis: str) -> str:
    """What a model is asked about a hypothesis."""
    examples = (f"Sentence: {sentence}\n{_as_json(units)}" for sentence, units in _EXAMPLES)
    return _PROMPT.format(examples="\n\n".join(examples), hypothesis=" ".join(hypothesis.split()))


def read_units(reply: str, hypothesis: str) -> tuple[DescriptionUnit, ...]:
    """The units in a reply.

    >>> read_units('[{"object": "the cook", "property": "is stirring soup"}]', "The cook is stirring soup.")
    (DescriptionUnit(object='cook', property='is stirring soup', is_plural=False),)

    Raises:
        QueryError: it is no JSON list of objects and properties, or has words that the hypothesis lacks.
    """
    fenced = _FENCE.fullmatch(reply.strip())
    try:
        found: object = json.loads(fenced[1] if fenced else reply)
    except (ValueError, RecursionError) as error:
        raise QueryError(f"Expected a JSON list, but got {_shortened(reply)} ({error})") from None
    if not isinstance(found, list):
        raise QueryError(f"Expected a JSON list, but got {_shortened(reply)}")
    return tuple(_read_unit(row, hypothesis) for row in found)


def _read_unit(row: object, hypothesis: str) -> DescriptionUnit:
    if not isinstance(row, dict) or row.keys() != {"object", "property"}:
        raise QueryError(f'Expected {{"object": ..., "property": ...}}, but got {_shortened(row)}')
    words, said = row["object"], row["property"]
    if not isinstance(words, str) or not isinstance(said, str) or not words.strip():
        raise QueryError(f"Expected an object and a property in words, but got {_shortened(row)}")
    known = _words(hypothesis)
    strange = [word for word in (*_WORD.findall(words.lower()), *_WORD.findall(said.lower())) if word not in known]
    if strange:
        raise QueryError(f"Expected words of the sentence, but got {strange[0]!r} in {_shortened(row)}")
    return unit_of(words, said)


def _words(hypothesis: str) -> frozenset[str]:
    return frozenset(_WORD.findall(hypothesis.lower())) | _ADDED


def _as_json(units: Iterable[tuple[str, str]]) -> str:
    rows: list[Json] = [{"object": name, "property": said} for name, said in units]
    return json.dumps(rows)


def _shortened(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return repr(text if len(text) <= 120 else f"{text[:117]}...")
