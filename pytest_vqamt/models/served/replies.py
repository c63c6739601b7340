"""What a server answers over the wire: one answer, or the reason why there is none, for each query."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from reprlib import repr as shortened
from typing import TypeAlias

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.query import Answer, Failure
from pytest_vqamt.models.served.json_fields import check_fields, loaded, row_of, rows, text, truth
from pytest_vqamt.models.served.protocol import MAX_NAME, WireError

_MAX_ANSWER = 16 * 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """The photo of a query is not served; ``reason`` says so in a line."""

    reason: str


Told: TypeAlias = Answer | Failure | Unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedReply:
    """What one POST was answered; ``model`` is the identity of the model that answered."""

    model: str
    answers: tuple[Told, ...]


def write_reply(model: str, answers: Sequence[Told]) -> bytes:
    """The body of a reply."""
    row: dict[str, Json] = {"model": model, "answers": [_row(told) for told in answers]}
    return json.dumps(row, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")


def write_error(reason: str) -> bytes:
    """The body of every status but 200."""
    return json.dumps({"error": _reason_line(reason)}).encode()


def read_reply(body: bytes, count: int) -> ServedReply:
    """The reply to ``count`` queries.

    Raises:
        WireError: it is none, or has another number of answers.
    """
    found = loaded(body, "a reply")
    check_fields(found, "the reply", required=("model", "answers"), known=("model", "answers"))
    given = rows(found, "answers", "the reply")
    if len(given) != count:
        raise WireError(f"Expected {count} answers, one for each query, but got {len(given)}")
    told = tuple(_told(row, f"answers[{place}]") for place, row in enumerate(given))
    return ServedReply(model=text(found, "model", "the reply"), answers=told)


def read_error(body: bytes) -> str:
    """The line that a status but 200 came with; "" where it came with none."""
    try:
        found: object = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    said = found.get("error") if isinstance(found, Mapping) else None
    return " ".join(said.split()) if isinstance(said, str) else ""


def _row(told: Told) -> dict[str, Json]:
    match told:
        case Failure(reason=reason):
            return {"error": _reason_line(reason)}
        case Unknown(reason=reason):
            return {"unknown": _reason_line(reason)}
        case Answer(text=said, scores=scores, truncated=truncated):
            row: dict[str, Json] = {"text": said}
            if scores is not None:
                row["scores"] = [[name, score] for name, score in scores]
            if truncated:
                row["truncated"] = True
            return row


def _reason_line(reason: str) -> str:
    return " ".join(reason.split())[:MAX_NAME]


def _told(value: object, where: str) -> Told:
    if isinstance(value, dict) and "error" in value:
        return Failure(reason=text(row_of(value, where, required=("error",), known=("error",)), "error", where))
    if isinstance(value, dict) and "unknown" in value:
        return Unknown(reason=text(row_of(value, where, required=("unknown",), known=("unknown",)), "unknown", where))
    row = row_of(value, where, required=("text",), known=("text", "scores", "truncated"))
    return Answer(
        text(row, "text", where, most=_MAX_ANSWER),
        tuple(_score(pair, where) for pair in rows(row, "scores", where)) if "scores" in row else None,
        truth(row, "truncated", where, default=False),
    )


def _score(value: object, where: str) -> tuple[str, float]:
    match value:
        case [str(name), (int() | float()) as score] if not isinstance(score, bool) and isfinite(score):
            return name, float(score)
    raise WireError(f"Expected 'scores' of {where} to be pairs of a text and a number, but got {shortened(value)}")
