"""The wire format between ``served:URL`` and ``vqamt serve``: paths, status codes, model cards and answers.

Everything is JSON in UTF-8; ``answer_requests`` beside this file has the bodies of requests.

``GET /v1/model`` gives a model card:
    ``{"wire": 2, "identity", "vqamt_version", "model", "fingerprint", "persistent", "tasks", "batch_size",
    "reads_meaning", "needs_scenes", "switches_reasoning", "takes"?, "data": [{"spec", "digest"}], "max_queries",
    "max_bytes", "replicas"}``
``GET /v1/status`` gives the server's status:
    ``{"queries_received", "queries_asked", "answers_remembered", "uptime_s", "busy_s", "replicas_alive"}``
``POST /v1/answers`` takes a request and gives one answer per query, in their order:
    ``{"model": identity, "pictures": [recipe or {"png": base64}],
    "queries": [{"task", "text", "picture": index into pictures, "trial"?, "reasoning"?, "meaning"?,
    "turns"?: [{"role", "parts": [text or index into pictures]}]}]}``
    ``{"model": identity, "answers": [{"text", "scores"?, "truncated"?, "declined"?, "unknown_words"?,
    "tokens_in"?, "tokens_out"?, "cost"?} or {"error"} or {"unknown"}]}``
    An ``error`` is why the model has no answer to this query. With ``unknown`` the server does not draw the picture,
    for it lacks the photo, or drawing takes more than ``MAX_WORK``: the client then sends the pixels.

    ``turns`` is a conversation, which begins with ``picture`` and ends with ``text``. It is only sent to a server whose
    card ``takes`` it: an older one refuses the field.

Every other status comes with ``{"error": "one line"}``:
    400 the request is invalid. 401 the token is missing or wrong. 409 the server has another model. 410 the model is
    disabled, for the given reason. 413 too many bytes, values or queries: send half. 503 not ready, or no replica is
    alive: retry, after ``Retry-After`` seconds where given.

The token of ``VQAMT_SERVE_TOKEN`` is sent as ``Authorization: Bearer TOKEN`` and never shown.

An identity covers all that may change an answer, so no run mixes the answers of two models: a server that was restarted
with another model answers 409.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, TypeAlias, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from pytest_vqamt.core.codec import introduce
from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.query import Answer, Failure, Task
from pytest_vqamt.core.text import count_noun, one_line

WIRE = 2
"""The version of the format. Both sides must have the same."""

MODEL_PATH = "/v1/model"
STATUS_PATH = "/v1/status"
ANSWERS_PATH = "/v1/answers"

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

MAX_WORK = 2_000_000_000
"""The most work (``Picture.work``), some 5 s, of a picture that a server draws. Clients send the pixels of others."""

MAX_NAME = 4_096
"""Characters of any string but questions and answers, such as a photo's id."""

_MAX_ANSWER = 16 * 2**20
"""Characters of an answer: a model may repeat itself for long."""
_LONGEST_REASON = 300
"""Characters of the text of an exception in an error line."""

Name: TypeAlias = Annotated[str, Meta(max_length=MAX_NAME)]
Count: TypeAlias = Annotated[int, Meta(ge=0)]
PositiveInt: TypeAlias = Annotated[int, Meta(ge=1)]
Amount: TypeAlias = Annotated[float, Meta(ge=0)]
Seconds: TypeAlias = Amount

T = TypeVar("T")


class WireError(VqamtError):
    """A message of the wire format cannot be read."""


def model_identity(spec: str, fingerprint: str, session: str) -> str:
    """Identifies a served model; ``session`` is "" for one that declares its fingerprint.

    For any other, ``vqamt serve`` makes a new session each time: its answers may differ between starts.
    """
    return digest(f"wire {WIRE}", spec, fingerprint, session)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedData:
    """A scene source of the server, whose photos recipes may name."""

    spec: Name
    """Such as "gqa:DIR"."""
    digest: Name
    """Of its content."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCard:
    """A served model, with the limits of one request."""

    wire: int = WIRE
    """The version of the format."""
    identity: Name
    """Names the model in requests and responses; see ``model_identity``."""
    vqamt_version: Name
    """Of the package on the server."""
    model: Name
    """Its spec, which is its name in items and reports."""
    fingerprint: Annotated[str, Meta(max_length=16 * MAX_NAME)]
    """Part of the key of cached answers."""
    persistent: bool
    """True if it declares its fingerprint, so that answers may be cached for later runs."""
    tasks: Annotated[tuple[Task, ...], Meta(min_length=1)]
    """What it is tested on."""
    batch_size: PositiveInt
    """Of one replica."""
    reads_meaning: bool = True
    """True if meanings must be sent."""
    needs_scenes: bool = False
    """True if it looks at scenes rather than pixels, so that recipes must be sent."""
    switches_reasoning: bool = False
    """True if its reasoning can be switched on and off."""
    takes: tuple[Name, ...] = ()
    """What it takes beside one picture and one text (``Ability``); later versions may know more."""
    data: tuple[ServedData, ...] = ()
    """Empty for a server without data: all pictures must come as pixels."""
    max_queries: PositiveInt = MAX_QUERIES
    """The most queries of one request."""
    max_bytes: PositiveInt = MAX_BYTES
    """The most bytes of one request."""
    replicas: Count = 1
    """Copies of the model, by which clients choose how many batches they send at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerStatus:
    """The work of a server since its start."""

    queries_received: Count
    """Queries of all requests."""
    queries_asked: Count
    """Distinct queries that the model answered."""
    answers_remembered: Count
    """Cached answers, also those of a server process before this one."""
    uptime_s: Seconds
    busy_s: Seconds
    """The time with a batch at the model, summed over replicas."""
    replicas_alive: Count
    """Running replicas, according to Ray Serve."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PixelsNeeded:
    """The server does not draw the picture of a query."""

    reason: str
    """One line: the photo is not served, or drawing takes too long."""


QueryResult: TypeAlias = Answer | Failure | PixelsNeeded


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswersResponse:
    """The answers to one request."""

    model: str
    """The identity of the model that answered."""
    answers: tuple[QueryResult, ...]
    """One for each query, in order."""


class _Version(Struct):
    """The fields of a card that every version of the format has."""

    wire: int
    vqamt_version: Name = "unknown"


class _Result(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An ``Answer``, a ``Failure`` or a ``PixelsNeeded``: just one of text, error and unknown is set."""

    text: Annotated[str, Meta(max_length=_MAX_ANSWER)] | UnsetType = UNSET
    """The answer of the model."""
    scores: tuple[tuple[str, float], ...] | UnsetType = UNSET
    """UNSET for a model without scores."""
    truncated: bool = False
    """True if only the beginning of the question was read."""
    declined: Annotated[str, Meta(max_length=_MAX_ANSWER)] = ""
    """Why the model does not take the query; "" for an answer."""
    unknown_words: tuple[str, ...] = ()
    """Those of a declined query."""
    tokens_in: Amount | None = None
    tokens_out: Amount | None = None
    cost: Amount | None = None
    """None where it is not known."""
    error: Name | UnsetType = UNSET
    """Why the model has no answer to this query."""
    unknown: Name | UnsetType = UNSET
    """Why the server does not draw the picture."""


class _Results(Struct, frozen=True, forbid_unknown_fields=True):
    """An ``AnswersResponse`` on the wire."""

    model: Name
    """The identity of the model that answered."""
    answers: list[_Result]
    """One for each query, in order."""


class _Error(Struct):
    """The body of every status but 200."""

    error: str
    """One line."""


def read_message(body: bytes, kind: type[T], name: str) -> T:
    """Raises WireError, with the path of the field and not its value, if ``body`` is no JSON of this ``kind``."""
    try:
        # msgspec must have met a type before several threads use it.
        introduce(kind)
        return msgspec.json.decode(body, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise WireError(f"Expected {name}, but cannot read its {len(body)} bytes: {error_line(error)}") from None


def error_line(error: Exception) -> str:
    """The text of ``error`` as one short line of printable characters: it may quote a name from a message."""
    line = one_line(str(error))[:_LONGEST_REASON]
    # Escape sequences of a terminal are not printable.
    return "".join(each if each.isprintable() else "?" for each in line)


def write_card(card: ModelCard) -> bytes:
    """The body of the response to ``GET /v1/model``."""
    return msgspec.json.encode(card)


def read_card(body: bytes) -> ModelCard:
    """The model card in ``body``; unknown fields are ignored.

    Raises:
        WireError: it is no card, or of another version of the format.
    """
    name = "the card of a served model"
    # The version alone first: a card of another version may lack fields, and the message should name the version.
    version = read_message(body, _Version, name)
    if version.wire != WIRE:
        got = f"wire={version.wire} of pytest-vqamt {version.vqamt_version[:80]!r}"
        raise WireError(f"Expected wire={WIRE}, but got {got}: install the same version on both sides")
    return read_message(body, ModelCard, name)


def write_status(status: ServerStatus) -> bytes:
    """The body of the response to ``GET /v1/status``."""
    return msgspec.json.encode(status)


def read_status(body: bytes) -> ServerStatus:
    """Raises WireError if ``body`` is no server status."""
    return read_message(body, ServerStatus, "the status of a server")


def write_answers(model: str, answers: Sequence[QueryResult]) -> bytes:
    """The body of the response to ``POST /v1/answers``."""
    return msgspec.json.encode(_Results(model=model, answers=[_result_row(result) for result in answers]))


def read_answers_response(body: bytes, count: int) -> AnswersResponse:
    """The answers to ``count`` queries.

    Raises:
        WireError: the response is invalid, or has another number of answers.
    """
    found = read_message(body, _Results, "the answers of a served model")
    if len(found.answers) != count:
        raise WireError(f"Expected {count_noun(count, 'answer')}, one for each query, but got {len(found.answers)}")
    return AnswersResponse(
        model=found.model, answers=tuple(_result(row, place) for place, row in enumerate(found.answers))
    )


def write_error(reason: str) -> bytes:
    """The body of every status but 200."""
    return msgspec.json.encode(_Error(_reason_line(reason)))


def read_error(body: bytes) -> str:
    """The error line of a status other than 200; "" where there is none."""
    try:
        # A proxy's own error page is no JSON, and gives an empty line.
        return " ".join(read_message(body, _Error, "an error").error.split())
    except WireError:
        return ""


def _result_row(result: QueryResult) -> _Result:
    match result:
        case Failure(reason=reason):
            return _Result(error=_reason_line(reason))
        case PixelsNeeded(reason=reason):
            return _Result(unknown=_reason_line(reason))
        case Answer(text=text, scores=scores, truncated=truncated):
            # Scores may be NumPy's or torch's numbers, which msgspec does not write.
            pairs = UNSET if scores is None else tuple((_utf8(name), float(score)) for name, score in scores)
            words = tuple(map(_utf8, result.unknown_words))
            return _Result(
                text=_utf8(text),
                scores=pairs,
                truncated=truncated,
                declined=_utf8(result.declined),
                unknown_words=words,
                tokens_in=result.tokens_in,
                tokens_out=result.tokens_out,
                cost=result.cost,
            )


def _result(row: _Result, place: int) -> QueryResult:
    if row.error is not UNSET:
        return Failure(reason=row.error)
    if row.unknown is not UNSET:
        return PixelsNeeded(reason=row.unknown)
    # msgspec has checked the types, and not that one of the three is there.
    if row.text is UNSET:
        raise WireError(f"Expected answers[{place}] to have one of text, error and unknown, but it has none")
    scores = None if row.scores is UNSET else row.scores
    return Answer(
        row.text,
        scores,
        row.truncated,
        row.declined,
        row.unknown_words,
        tokens_in=row.tokens_in,
        tokens_out=row.tokens_out,
        cost=row.cost,
    )


def _reason_line(reason: str) -> str:
    return _utf8(one_line(reason)[:MAX_NAME])


def _utf8(text: str) -> str:
    """``text`` with half surrogates, which UTF-8 does not have, replaced."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
