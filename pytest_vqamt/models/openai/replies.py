"""What a reply says: the text of its one choice, and nothing of how the model came to it."""

from __future__ import annotations

import json
from collections.abc import Mapping

from pytest_vqamt.language.answers.text import strip_reasoning
from pytest_vqamt.models.http.responses import QueryError


def parsed(body: bytes, url: str) -> Mapping[str, object]:
    """The JSON object that a body holds.

    Raises:
        QueryError: it holds none. What it holds is not repeated: it may be anything.
    """
    try:
        found: object = json.loads(body)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, Mapping):
        raise QueryError(
            f"Expected the JSON of a chat completion from {url}, but got {len(body)} bytes that hold no JSON object"
        )
    return found


def error_in(fields: Mapping[str, object]) -> Mapping[str, object] | None:
    """The error that a reply with a status of success holds all the same, as ``{"error": ...}``.

    OpenRouter sends them so once the model has begun to answer (openrouter.ai/docs/errors).
    """
    choice = _choice(fields)
    for found in (fields.get("error"), choice.get("error")):
        if found:
            return {"error": found}
    return None


def text_of(fields: Mapping[str, object]) -> str:
    """What the model answers; what it says to itself before (``<think>...</think>``) is left out.

    A refusal is an answer, and so is an empty text of a model that came to its end. An answer that was cut off at the
    longest length is taken as far as it goes.

    Raises:
        QueryError: there is no answer.
    """
    choice = _choice(fields)
    if not choice:
        raise QueryError(f"Expected a completion with a choice, but got {_kind(fields.get('choices'))} as choices")
    message = choice.get("message")
    if not isinstance(message, Mapping):
        raise QueryError(f"Expected a choice with a message, but got {_kind(message)} as message")
    ended = choice.get("finish_reason")
    said = _said(message.get("content"))
    if said is None and isinstance(message.get("refusal"), str):
        said = str(message["refusal"])
    answer = strip_reasoning(said) if said is not None else None
    if answer or (answer == "" and ended not in ("length", "content_filter")):
        return answer.encode("utf-8", "replace").decode("utf-8")  # half of a cut-off emoji cannot be kept
    if ended == "length":
        raise QueryError(
            "Expected an answer, but the model had not begun it when it had written as much as it may: models that "
            "think first need more, such as --vqamt-option longest-answer=2048"
        )
    if ended == "content_filter":
        raise QueryError("Expected an answer, but the server's filter took it away (finish_reason='content_filter')")
    raise QueryError(f"Expected a message with text, but got {_kind(message.get('content'))} as content")


def is_cut_off(fields: Mapping[str, object]) -> bool:
    """Whether the model wrote as much as it may, and had not come to its end."""
    return _choice(fields).get("finish_reason") == "length"


def _choice(fields: Mapping[str, object]) -> Mapping[str, object]:
    choices = fields.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, Mapping) else {}


def _said(content: object) -> str | None:
    """The text of a message: a string, or parts, of which those of text count. Mistral's models send thoughts too."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [part for part in content if isinstance(part, Mapping) and part.get("type") in ("text", "output_text")]
        texts = [part["text"] for part in parts if isinstance(part.get("text"), str)]
        return "".join(map(str, texts)) if texts else None
    return None


def _kind(value: object) -> str:
    """What a field holds, told without its content: that is the server's, and might be the key."""
    if value is None:
        return "null"
    return "an empty list" if value == [] else type(value).__name__
