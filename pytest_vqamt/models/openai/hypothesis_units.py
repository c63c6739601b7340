"""Splits hypotheses into units by a language model behind an HTTP API, as in VEglue (section 3.2).

An invalid reply is sent back once with its error; a second one raises.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import islice
from threading import Event

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.text import one_line
from pytest_vqamt.language.units import DescriptionUnit, unit_of
from pytest_vqamt.models.http.retry import QueryError, run_concurrently
from pytest_vqamt.models.openai.requests import ChatEndpoint, Message
from pytest_vqamt.models.openai.settings import ModelAddress, openai_settings
from pytest_vqamt.models.protocol import ModelOptions

_LONGEST = 1024
"""Tokens of a reply, with room for a model that thinks first."""

_BATCHES_AHEAD = 4
"""Hypotheses are read ahead by so many times the requests in flight."""


def units_by_model(argument: str, hypotheses: Iterable[str]) -> Iterator[tuple[str, tuple[DescriptionUnit, ...]]]:
    """Each hypothesis with its units, in order, by the model ``MODEL@URL``; requests are concurrent.

    Raises:
        OptionError: the address or the key is invalid.
        ModelError: the server cannot be used, or its reply about a hypothesis, which it names, is invalid.
    """
    address = ModelAddress.parse(argument)
    endpoint = ChatEndpoint(address, openai_settings(ModelOptions(), address))
    rest = iter(hypotheses)
    try:
        while batch := tuple(islice(rest, _BATCHES_AHEAD * endpoint.in_flight)):
            found: dict[int, tuple[DescriptionUnit, ...]] = {}
            with closing(
                run_concurrently(len(batch), endpoint.in_flight, partial(_units_at, endpoint, batch))
            ) as results:
                for place, units in results:
                    if isinstance(units, Exception):
                        raise _with_hypothesis(units, batch[place]) from None
                    found[place] = units
            yield from ((hypothesis, found[place]) for place, hypothesis in enumerate(batch))
    finally:
        endpoint.close()


def _units_at(
    endpoint: ChatEndpoint, hypotheses: Sequence[str], place: int, stop: Event
) -> tuple[DescriptionUnit, ...]:
    hypothesis = hypotheses[place]
    messages: list[Message] = [{"role": "user", "content": units_prompt(hypothesis)}]
    reply = endpoint.complete(hypothesis, messages, _LONGEST, stop).text
    try:
        return read_units(reply, hypothesis)
    except QueryError as failure:
        wrong = f"That cannot be used. {failure}. Reply with the corrected JSON list and nothing else."
        messages += [{"role": "assistant", "content": reply}, {"role": "user", "content": wrong}]
        return read_units(endpoint.complete(hypothesis, messages, _LONGEST, stop).text, hypothesis)


def _with_hypothesis(error: Exception, hypothesis: str) -> Exception:
    return ModelError(f"hypothesis={hypothesis!r}: {error}") if isinstance(error, QueryError) else error


# The prompt and its examples are ours. A reply is a JSON list of objects and properties in the hypothesis's own words.


_ALLOWED_VERBS = frozenset({"is", "are"})
"""Words that a property may have and its hypothesis lacks: "is outdoors" of "There is a man outdoors"."""

_WORD = re.compile(r"\w+(?:[-']\w+)*")
_FENCE = re.compile(r"```(?:json)?((?:(?!```).)*+)```", re.DOTALL)

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


def units_prompt(hypothesis: str) -> str:
    """The prompt for a hypothesis."""
    examples = (f"Sentence: {sentence}\n{_as_json(units)}" for sentence, units in _EXAMPLES)
    return _PROMPT.format(examples="\n\n".join(examples), hypothesis=one_line(hypothesis))


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
    words, property_text = row["object"], row["property"]
    if not isinstance(words, str) or not isinstance(property_text, str) or not words.strip():
        raise QueryError(f"Expected an object and a property in words, but got {_shortened(row)}")
    known = _words(hypothesis)
    strange = [
        word for word in (*_WORD.findall(words.lower()), *_WORD.findall(property_text.lower())) if word not in known
    ]
    if strange:
        raise QueryError(f"Expected words of the sentence, but got {strange[0]!r} in {_shortened(row)}")
    return unit_of(words, property_text)


def _words(hypothesis: str) -> frozenset[str]:
    return frozenset(_WORD.findall(hypothesis.lower())) | _ALLOWED_VERBS


def _as_json(units: Iterable[tuple[str, str]]) -> str:
    rows: list[Json] = [{"object": name, "property": property_text} for name, property_text in units]
    return json.dumps(rows)


def _shortened(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return repr(text if len(text) <= 120 else f"{text[:117]}...")
