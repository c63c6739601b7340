"""Answers as a user wants them read: ``--vqamt-option reader=MODULE:FUNC`` and ``thought-tags=...``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.errors import OptionError, VqamtError
from pytest_vqamt.core.query import Answer, Query
from pytest_vqamt.core.text import error_text, shown
from pytest_vqamt.language.answers.traces import parse_tags, strip_traces
from pytest_vqamt.models.protocol import described
from pytest_vqamt.models.python import imported
from pytest_vqamt.relations.catalogue import READER, THOUGHT_TAGS

AnswerReader: TypeAlias = Callable[[Query, Answer], Answer]
"""Gives the answer that is judged; the report keeps the model's own."""


def answer_reader(settings: Mapping[str, str]) -> AnswerReader | None:
    """The reader that the settings name; None if they name none.

    Raises:
        OptionError: the module or the function does not exist.
        ModelError: the module raised.
    """
    tags = parse_tags(settings.get(THOUGHT_TAGS.name, ""))
    function = _function(settings[READER.name]) if settings.get(READER.name) else None
    if not tags and function is None:
        return None

    def read(query: Query, answer: Answer) -> Answer:
        if answer.declined:
            return answer
        if tags:
            stripped = strip_traces(answer.text, tags)
            answer = replace(answer, text="<think>" if stripped.is_cut_off else stripped.text)
        return answer if function is None else _read_by(function, settings[READER.name], query, answer)

    return read


def _read_by(function: Callable[[str, str], object], name: str, query: Query, answer: Answer) -> Answer:
    try:
        found = function(query.text, answer.text)
    except Exception as error:
        raise VqamtError(
            f"Expected {READER.name}={name} to read {answer.text[:80]!r}, but it raised {shown(error_text(error))}"
        ).about(error, f"in {READER.name}={name}, for the answer {answer.text[:80]!r} to {query.text!r}") from error
    if found is None:
        return answer
    if not isinstance(found, str):
        raise VqamtError(f"Expected {READER.name}={name} to return a text or None, but got {found!r}")
    return replace(answer, text=found)


def _function(name: str) -> Callable[[str, str], object]:
    given = f"{READER.name}={name}"
    found = imported(name, given)
    if not callable(found):
        raise OptionError(f"Expected a function, but got {given}, which is {described(found)}")
    return found
