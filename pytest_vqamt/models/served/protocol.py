"""The wire format between ``served:URL`` and ``vqamt serve``: paths, status codes, model cards and answers.

Everything is JSON in UTF-8. ``requests`` beside this file has the bodies of requests. What cannot be read as a whole is
refused with a ``WireError`` of one line.

``GET /v1/model`` gives a model card:
    ``{"wire": 1, "identity", "vqamt_version", "model", "fingerprint", "persistent", "tasks", "batch_size",
    "reads_meaning", "needs_scenes", "data": [{"spec", "digest"}], "max_queries", "max_bytes", "replicas"}``
``GET /v1/status`` gives the server's status:
    ``{"queries_received", "queries_asked", "answers_remembered", "uptime_s", "busy_s", "replicas_alive"}``
``POST /v1/answers`` takes a request and gives one answer per query, in their order:
    ``{"model": identity, "pictures": [recipe or {"png": base64}],
    "queries": [{"task", "text", "picture": index into pictures, "trial"?, "meaning"?}]}``
    ``{"model": identity, "answers": [{"text", "scores"?, "truncated"?} or {"error"} or {"unknown"}]}``
    An ``error`` is why the model has no answer to this query. An ``unknown`` is that the server does not have the
    photo: the client then sends its pixels.

Every other status comes with ``{"error": "one line"}``:
    400 the request is invalid. 401 the token is missing or wrong. 409 the server has another model. 410 the model is
    disabled, for the given reason. 413 too many bytes, values or queries: send half. 503 not ready, or no replica is
    alive: retry, after ``Retry-After`` seconds where given.

The token of ``VQAMT_SERVE_TOKEN`` is sent as ``Authorization: Bearer TOKEN`` and never shown.

An identity covers all that may change an answer, so no run mixes the answers of two models: a server that was restarted
with another model answers 409.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isfinite
from reprlib import repr as shortened
from typing import TypeAlias

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.query import Answer, Failure, Task
from pytest_vqamt.models.served.json_fields import (
    MAX_NAME,
    WireError,
    bool_field,
    check_fields,
    int_field,
    list_field,
    number_field,
    object_with,
    parse_object,
    text_field,
)

WIRE = 1
"""The version of the format. Both sides must have the same."""

MODEL_PATH = "/v1/model"

STATUS_PATH = "/v1/status"

ANSWERS_PATH = "/v1/answers"

TOKEN_VARIABLE = "VQAMT_SERVE_TOKEN"

BAD_REQUEST = 400

UNAUTHORIZED = 401

OTHER_MODEL = 409

MODEL_DISABLED = 410

TOO_LARGE = 413

NOT_READY = 503

MAX_QUERIES = 4096
"""Default limit of queries in one request."""

MAX_BYTES = 64 * 2**20
"""Default limit of one request's body."""

_MAX_ANSWER = 16 * 2**20


class WireVersionError(WireError):
    """The server speaks another version of the format."""


def model_identity(spec: str, fingerprint: str, session: str) -> str:
    """Identifies a served model; ``session`` is "" for one that declares its fingerprint.

    For any other, ``vqamt serve`` makes a new session each time: its answers may differ between starts.
    """
    return digest(f"wire {WIRE}", spec, fingerprint, session)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedData:
    """A scene source of the server, whose photos recipes may name."""

    spec: str
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCard:
    """A served model.

    Attributes:
        identity: names the model in requests and responses; see ``model_identity``.
        vqamt_version: of the package on the server.
        model: its spec, which is its name in items and reports.
        fingerprint, persistent, tasks: those of the loaded model.
        batch_size: of one replica.
        reads_meaning: whether meanings must be sent.
        needs_scenes: whether it looks at scenes rather than pixels, so that recipes must be sent.
        data: the scene sources of the server.
        max_queries, max_bytes: limits of one request.
        replicas: how many there are.
    """

    identity: str
    vqamt_version: str
    model: str
    fingerprint: str
    persistent: bool
    tasks: tuple[Task, ...]
    batch_size: int
    reads_meaning: bool = True
    needs_scenes: bool = False
    data: tuple[ServedData, ...] = ()
    max_queries: int = MAX_QUERIES
    max_bytes: int = MAX_BYTES
    replicas: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerStatus:
    """What a server has done since its start.

    Attributes:
        queries_received: all queries of all requests.
        queries_asked: distinct queries that the model answered.
        answers_remembered: answers in the server's cache.
        uptime_s, busy_s: since the start, and of it with a batch at the model, summed over replicas.
        replicas_alive: how many respond now.
    """

    queries_received: int
    queries_asked: int
    answers_remembered: int
    uptime_s: float
    busy_s: float
    replicas_alive: int


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownPhoto:
    """The server does not have the photo of a query; ``reason`` is one line."""

    reason: str


QueryResult: TypeAlias = Answer | Failure | UnknownPhoto


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswersResponse:
    """The answers to one request; ``model`` is the identity of the model that answered."""

    model: str
    answers: tuple[QueryResult, ...]


def write_card(card: ModelCard) -> bytes:
    """The body of the response to ``GET /v1/model``."""
    return json.dumps({"wire": WIRE, **asdict(card)}).encode()


def read_card(body: bytes) -> ModelCard:
    """The model card in ``body``; unknown fields are ignored.

    Raises:
        WireVersionError: it is of another version of the format.
        WireError: it is no card.
    """
    found = parse_object(body, "a card of a served model")
    where = "the card"
    wire = int_field(found, "wire", where)
    if wire != WIRE:
        version = found.get("vqamt_version")
        result = f"wire={wire!r} of pytest-vqamt {shortened(version)}"
        raise WireVersionError(f"Expected wire={WIRE}, but got {result}: install the same version on both sides")
    tasks = list_field(found, "tasks", where)
    if not tasks or not all(isinstance(task, str) and task in set(Task) for task in tasks):
        raise WireError(f"Expected 'tasks' of {where} to be some of {', '.join(Task)}, but got {shortened(tasks)}")
    return ModelCard(
        identity=text_field(found, "identity", where),
        vqamt_version=text_field(found, "vqamt_version", where),
        model=text_field(found, "model", where),
        fingerprint=text_field(found, "fingerprint", where, most=16 * MAX_NAME),
        persistent=bool_field(found, "persistent", where),
        tasks=tuple(task for task in Task if task in tasks),
        batch_size=max(1, int_field(found, "batch_size", where)),
        reads_meaning=bool_field(found, "reads_meaning", where),
        needs_scenes=bool_field(found, "needs_scenes", where),
        data=tuple(
            _read_served_data(row, f"data[{place}]") for place, row in enumerate(list_field(found, "data", where))
        ),
        max_queries=max(1, int_field(found, "max_queries", where)),
        max_bytes=max(1, int_field(found, "max_bytes", where)),
        replicas=int_field(found, "replicas", where),
    )


def write_status(status: ServerStatus) -> bytes:
    """The body of the response to ``GET /v1/status``."""
    row: dict[str, Json] = asdict(status)
    return json.dumps(row).encode()


def read_status(body: bytes) -> ServerStatus:
    """The server status in ``body``.

    Raises:
        WireError: it is none.
    """
    found = parse_object(body, "a server's status")
    where = "the status"
    return ServerStatus(
        queries_received=int_field(found, "queries_received", where),
        queries_asked=int_field(found, "queries_asked", where),
        answers_remembered=int_field(found, "answers_remembered", where),
        uptime_s=number_field(found, "uptime_s", where),
        busy_s=number_field(found, "busy_s", where),
        replicas_alive=int_field(found, "replicas_alive", where),
    )


def write_answers(model: str, answers: Sequence[QueryResult]) -> bytes:
    """The body of the response to ``POST /v1/answers``."""
    row: dict[str, Json] = {"model": model, "answers": [_result_row(result) for result in answers]}
    return json.dumps(row, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")


def read_answers_response(body: bytes, count: int) -> AnswersResponse:
    """The answers to ``count`` queries.

    Raises:
        WireError: the response is invalid, or has another number of answers.
    """
    found = parse_object(body, "a reply")
    check_fields(found, "the reply", required=("model", "answers"), known=("model", "answers"))
    given = list_field(found, "answers", "the reply")
    if len(given) != count:
        raise WireError(f"Expected {count} answers, one for each query, but got {len(given)}")
    result = tuple(_read_result(row, f"answers[{place}]") for place, row in enumerate(given))
    return AnswersResponse(model=text_field(found, "model", "the reply"), answers=result)


def write_error(reason: str) -> bytes:
    """The body of every status but 200."""
    return json.dumps({"error": _reason_line(reason)}).encode()


def read_error(body: bytes) -> str:
    """The error line of a status other than 200; "" where there is none."""
    try:
        found: object = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    message = found.get("error") if isinstance(found, Mapping) else None
    return " ".join(message.split()) if isinstance(message, str) else ""


def _read_served_data(value: object, where: str) -> ServedData:
    row = object_with(value, where, required=("spec", "digest"), known=("spec", "digest"))
    return ServedData(spec=text_field(row, "spec", where), digest=text_field(row, "digest", where))


def _result_row(result: QueryResult) -> dict[str, Json]:
    match result:
        case Failure(reason=reason):
            return {"error": _reason_line(reason)}
        case UnknownPhoto(reason=reason):
            return {"unknown": _reason_line(reason)}
        case Answer(text=message, scores=scores, truncated=truncated):
            row: dict[str, Json] = {"text": message}
            if scores is not None:
                row["scores"] = [[name, score] for name, score in scores]
            if truncated:
                row["truncated"] = True
            return row


def _reason_line(reason: str) -> str:
    return " ".join(reason.split())[:MAX_NAME]


def _read_result(value: object, where: str) -> QueryResult:
    if isinstance(value, dict) and "error" in value:
        return Failure(
            reason=text_field(object_with(value, where, required=("error",), known=("error",)), "error", where)
        )
    if isinstance(value, dict) and "unknown" in value:
        return UnknownPhoto(
            reason=text_field(object_with(value, where, required=("unknown",), known=("unknown",)), "unknown", where)
        )
    row = object_with(value, where, required=("text",), known=("text", "scores", "truncated"))
    return Answer(
        text_field(row, "text", where, most=_MAX_ANSWER),
        tuple(_read_score(pair, where) for pair in list_field(row, "scores", where)) if "scores" in row else None,
        bool_field(row, "truncated", where, default=False),
    )


def _read_score(value: object, where: str) -> tuple[str, float]:
    match value:
        case [str(name), (int() | float()) as score] if not isinstance(score, bool) and isfinite(score):
            return name, float(score)
    raise WireError(f"Expected 'scores' of {where} to be pairs of a text and a number, but got {shortened(value)}")
