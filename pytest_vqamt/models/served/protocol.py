"""The wire format between ``served:URL`` and ``vqamt serve``: its paths, its bounds, and what names a model.

Everything is JSON in UTF-8. ``requests``, ``replies`` and ``cards`` beside this file write it and read it back, and
read nothing that is not whole; what they refuse is a ``WireError`` of one line.

``GET /v1/model`` gives a card: what is served.
    ``{"wire": 1, "identity", "vqamt_version", "model", "fingerprint", "persistent", "tasks", "batch_size",
    "reads_meaning", "needs_scenes", "data": [{"spec", "digest"}], "max_queries", "max_bytes", "replicas"}``
``GET /v1/status`` gives a status: what was done.
    ``{"queries_received", "queries_asked", "answers_remembered", "uptime_s", "busy_s", "replicas_alive"}``
``POST /v1/answers`` takes a request and gives a reply, one answer for each query, in their order.
    ``{"model": identity, "pictures": [recipe or {"png": base64}],
    "queries": [{"task", "text", "picture": place in pictures, "trial"?, "meaning"?}]}``
    ``{"model": identity, "answers": [{"text", "scores"?, "truncated"?} or {"error"} or {"unknown"}]}``
    An ``error`` is why the model has no answer to this query, an ``unknown`` that the photo is not served: the client
    sends its pixels instead.

Every other status comes with ``{"error": "one line"}``, and means:
    400 it cannot be read. 401 the token is missing or another. 409 another model is served than the one that was asked
    for. 410 the model is given up, for the reason told. 413 it has too many bytes, values or queries: half may do. 503
    not ready, or no replica is alive: ask again, after ``Retry-After`` seconds where that is there.

The token of ``VQAMT_SERVE_TOKEN`` travels as ``Authorization: Bearer TOKEN`` and is shown nowhere.

An identity names all that may change an answer, so no run mixes the answers of two models: a server that was started
anew with another model refuses (409) what was meant for the first.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from hashlib import sha256
from math import isfinite
from reprlib import repr as shortened
from typing import NoReturn, TypeAlias

from pytest_vqamt.core.codec import Json, decode, encode
from pytest_vqamt.core.errors import DataError, ModelError, VqamtError
from pytest_vqamt.core.identity import canonical_json, digest
from pytest_vqamt.core.meaning import MEANINGS, Meaning
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Answer, Failure, ModelInput, Query, Task
from pytest_vqamt.core.recipes import picture_recipe
from pytest_vqamt.models.http.key import Key
from pytest_vqamt.models.http.responses import PassingError, QueryError, Reply, Sign, png_of, status_named, told_to_wait

WIRE = 1
"""The version of the format. Both sides must have the same."""

MODEL_PATH = "/v1/model"
STATUS_PATH = "/v1/status"
ANSWERS_PATH = "/v1/answers"

TOKEN_VARIABLE = "VQAMT_SERVE_TOKEN"

REFUSED = 400
UNAUTHORIZED = 401
ANOTHER_MODEL = 409
GIVEN_UP = 410
TOO_LARGE = 413
NOT_READY = 503

MAX_QUERIES = 4096
"""Of one request, where the server does not say less."""

MAX_BYTES = 64 * 2**20
"""Of one request's body, where the server does not say less."""

MAX_TEXT = 100_000
"""Characters of a question."""

MAX_NAME = 4_096
"""Characters of any other string: of a photo's id, of a word of a meaning."""

MAX_EDITS = 256
"""Of one picture."""

MAX_VALUES = 20_000
"""Values within one recipe or meaning, however deep."""

MAX_MARKS = 500_000
"""Commas and opening brackets in one request: what is parsed takes more than twenty times the room of its text."""

MAX_DEPTH = 24
"""Lists and objects within one another in a recipe or meaning."""

MAX_NUMBER = 1e9
"""Of coordinates, factors and whatever else a recipe or a meaning has: no number of theirs is larger, or smaller."""


class WireError(VqamtError):
    """What came over the wire cannot be read."""


def identity_of(spec: str, fingerprint: str, session: str) -> str:
    """Names a served model; ``session`` is "" for one that declares its fingerprint.

    For any other it is made anew by every ``vqamt serve``: nobody can tell whether its answers would be the same.
    """
    return digest(f"wire {WIRE}", spec, fingerprint, session)


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A scene source that is served: recipes may name its photos."""

    spec: str
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A served model.

    Attributes:
        identity: what requests and replies name it by; see ``wire.identity_of``.
        vqamt_version: of the package on the server.
        model: its spec, which is its name in items and reports.
        fingerprint, persistent, tasks: those of the loaded model.
        batch_size: how many queries one replica takes at once.
        reads_meaning: whether it may look at what a query means, which is sent along then.
        needs_scenes: whether it looks at scenes and not at pixels: a picture by its pixels alone says nothing to it.
        data: what is served.
        max_queries, max_bytes: the most that one request may have.
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
    data: tuple[Served, ...] = ()
    max_queries: int = MAX_QUERIES
    max_bytes: int = MAX_BYTES
    replicas: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """What a server has done since it was started.

    Attributes:
        queries_received: all queries of all requests.
        queries_asked: distinct ones that the model was asked.
        answers_remembered: how many are kept for whoever asks the same.
        uptime_s, busy_s: since the start, and of it with a batch at the model, summed over replicas.
        replicas_alive: how many answer now.
    """

    queries_received: int
    queries_asked: int
    answers_remembered: int
    uptime_s: float
    busy_s: float
    replicas_alive: int


class OtherWireError(WireError):
    """The server is of a version that speaks another format."""


def write_card(card: Card) -> bytes:
    """The body of the reply to ``GET /v1/model``."""
    return json.dumps({"wire": WIRE, **asdict(card)}).encode()


def read_card(body: bytes) -> Card:
    """The card that ``body`` holds; fields that are not read here may come with it.

    Raises:
        OtherWireError: it is of another version of the format.
        WireError: it is none.
    """
    found = loaded(body, "a card of a served model")
    where = "the card"
    wire = whole(found, "wire", where)
    if wire != WIRE:
        version = found.get("vqamt_version")
        told = f"wire={wire!r} of pytest-vqamt {shortened(version)}"
        raise OtherWireError(f"Expected wire={WIRE}, but got {told}: install the same version on both sides")
    tasks = rows(found, "tasks", where)
    if not tasks or not all(isinstance(task, str) and task in set(Task) for task in tasks):
        raise WireError(f"Expected 'tasks' of {where} to be some of {', '.join(Task)}, but got {shortened(tasks)}")
    return Card(
        identity=text(found, "identity", where),
        vqamt_version=text(found, "vqamt_version", where),
        model=text(found, "model", where),
        fingerprint=text(found, "fingerprint", where, most=16 * MAX_NAME),
        persistent=truth(found, "persistent", where),
        tasks=tuple(task for task in Task if task in tasks),
        batch_size=max(1, whole(found, "batch_size", where)),
        reads_meaning=truth(found, "reads_meaning", where),
        needs_scenes=truth(found, "needs_scenes", where),
        data=tuple(_served(row, f"data[{place}]") for place, row in enumerate(rows(found, "data", where))),
        max_queries=max(1, whole(found, "max_queries", where)),
        max_bytes=max(1, whole(found, "max_bytes", where)),
        replicas=whole(found, "replicas", where),
    )


def write_status(status: Status) -> bytes:
    """The body of the reply to ``GET /v1/status``."""
    row: dict[str, Json] = asdict(status)
    return json.dumps(row).encode()


def read_status(body: bytes) -> Status:
    """The status that ``body`` holds.

    Raises:
        WireError: it is none.
    """
    found = loaded(body, "a server's status")
    where = "the status"
    return Status(
        queries_received=whole(found, "queries_received", where),
        queries_asked=whole(found, "queries_asked", where),
        answers_remembered=whole(found, "answers_remembered", where),
        uptime_s=number(found, "uptime_s", where),
        busy_s=number(found, "busy_s", where),
        replicas_alive=whole(found, "replicas_alive", where),
    )


def _served(value: object, where: str) -> Served:
    row = row_of(value, where, required=("spec", "digest"), known=("spec", "digest"))
    return Served(spec=text(row, "spec", where), digest=text(row, "digest", where))


def loaded(body: bytes, what: str) -> dict[str, object]:
    """The JSON object that ``body`` holds; ``what`` is what it should be.

    Raises:
        WireError: it holds none, or a number that JSON has not (NaN).
    """
    try:
        found: object = json.loads(body.decode("utf-8"), parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise WireError(f"Expected {what} as JSON, but got {len(body)} bytes that hold none") from None
    if not isinstance(found, dict):
        raise WireError(f"Expected {what} as a JSON object, but got {type(found).__name__}")
    return found


def row_of(value: object, where: str, *, required: Collection[str], known: Collection[str]) -> dict[str, object]:
    """``value``, which must be an object with all of the fields ``required`` and none but ``known``."""
    if not isinstance(value, dict):
        raise WireError(f"Expected {where} to be an object, but got {shortened(value)}")
    check_fields(value, where, required=required, known=known)
    return value


def check_fields(row: Mapping[str, object], where: str, *, required: Collection[str], known: Collection[str]) -> None:
    """Refuses fields that are missing, and such as nobody reads."""
    missing = [name for name in required if name not in row]
    strange = [name for name in row if name not in known]
    if missing:
        raise WireError(f"Expected {where} to have {missing[0]!r}, but it has {shortened(sorted(row))}")
    if strange:
        raise WireError(f"Expected {where} to have no more than {', '.join(known)}, but it has {shortened(strange[0])}")


def text(row: Mapping[str, object], name: str, where: str, *, most: int = MAX_NAME) -> str:
    """The string ``name``, of at most so many characters, all of which UTF-8 can hold."""
    value = row.get(name)
    if not isinstance(value, str):
        raise WireError(f"Expected {name!r} of {where} to be a string, but got {name}={shortened(value)}")
    _check_text(value, f"{name!r} of {where}", most)
    return value


def whole(row: Mapping[str, object], name: str, where: str, *, most: int = 2**53, default: int | None = None) -> int:
    """The whole number ``name`` from 0 to ``most``."""
    value = row.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
        raise WireError(
            f"Expected {name!r} of {where} to be a whole number from 0 to {most}, but got {name}={shortened(value)}"
        )
    return value


def number(row: Mapping[str, object], name: str, where: str) -> float:
    """The number ``name``, finite and not negative."""
    value = row.get(name)
    if not isinstance(value, int | float) or isinstance(value, bool) or not (value >= 0 and isfinite(value)):
        raise WireError(f"Expected {name!r} of {where} to be a number from 0 up, but got {name}={shortened(value)}")
    return value


def truth(row: Mapping[str, object], name: str, where: str, *, default: bool | None = None) -> bool:
    """The boolean ``name``."""
    value = row.get(name, default)
    if not isinstance(value, bool):
        raise WireError(f"Expected {name!r} of {where} to be true or false, but got {name}={shortened(value)}")
    return value


def rows(row: Mapping[str, object], name: str, where: str) -> list[object]:
    """The list ``name``."""
    value = row.get(name)
    if not isinstance(value, list):
        raise WireError(f"Expected {name!r} of {where} to be a list, but got {name}={shortened(value)}")
    return value


def plain(value: object, where: str) -> Json:
    """``value`` as it is, once it is known to be small: its depth, its size, its numbers, its strings."""
    count = 0
    waiting = [(value, 1)]
    while waiting:
        each, depth = waiting.pop()
        count += 1
        if count > MAX_VALUES:
            raise WireError(f"Expected {where} to hold at most {MAX_VALUES} values, but it holds more")
        if depth > MAX_DEPTH:
            raise WireError(f"Expected {where} to be at most {MAX_DEPTH} deep, but it is deeper")
        match each:
            case dict():
                for name in each:
                    _check_text(name, f"a name in {where}", MAX_NAME)
                waiting += [(item, depth + 1) for item in each.values()]
            case list():
                waiting += [(item, depth + 1) for item in each]
            case str():
                _check_text(each, f"a string in {where}", MAX_NAME)
            case int() | float() if not -MAX_NUMBER <= each <= MAX_NUMBER:
                raise WireError(f"Expected numbers up to {MAX_NUMBER:g} in {where}, but got {shortened(each)}")
    checked: Json = value  # type: ignore[assignment] # every value in it has just been looked at
    return checked


def _check_text(value: str, what: str, most: int) -> None:
    if len(value) > most:
        raise WireError(f"Expected {what} to have at most {most} characters, but it has {len(value)}")
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise WireError(f"Expected {what} to be text, but got half of a character: {ascii(value)[:80]}") from None


def _no_number(name: str) -> NoReturn:
    raise ValueError(name)


_SPARE = 4096
"""Bytes of a request that are no picture's and no query's."""


@dataclass(frozen=True, slots=True)
class _Shown:
    """A picture in a request: its place, and whether it travels as pixels."""

    place: int
    as_pixels: bool


@dataclass(slots=True)
class Piece:
    """What goes into one request: inputs, and their pictures and queries as JSON."""

    inputs: list[ModelInput] = field(default_factory=list)
    _pictures: list[bytes] = field(default_factory=list)
    _queries: list[bytes] = field(default_factory=list)
    _shown: dict[str, _Shown] = field(default_factory=dict)
    _size: int = _SPARE

    def request(self, model: str) -> bytes:
        """The body of the request to the model of this identity."""
        return write_request(model, self._pictures, self._queries)

    def shows_pixels(self, asked: ModelInput) -> bool:
        """Whether the picture of an input in it travels as PNG."""
        return self._shown[asked.query.picture.digest].as_pixels

    def has_picture(self, asked: ModelInput) -> bool:
        return asked.query.picture.digest in self._shown

    def has_room(self, more: int, *, max_queries: int, max_bytes: int) -> bool:
        """Whether a query of ``more`` bytes may be added. One alone always may."""
        return not self.inputs or (len(self.inputs) < max_queries and self._size + more <= max_bytes)

    def show(self, asked: ModelInput, picture: bytes, *, as_pixels: bool) -> None:
        """Adds the picture of an input."""
        self._shown[asked.query.picture.digest] = _Shown(len(self._pictures), as_pixels)
        self._pictures.append(picture)
        self._size += len(picture) + 1

    def ask(self, asked: ModelInput, *, with_meaning: bool) -> None:
        """Adds an input whose picture is there."""
        query = query_row(asked.query, self._shown[asked.query.picture.digest].place, with_meaning=with_meaning)
        self.inputs.append(asked)
        self._queries.append(query)
        self._size += len(query) + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Packing:
    """How inputs are put into requests.

    Attributes:
        as_pixels: whether the picture of an input travels as PNG, and not as its recipe.
        with_meaning: whether the model is told what queries mean.
        max_queries, max_bytes: of one request. A single query may still be larger.
    """

    as_pixels: Callable[[ModelInput], bool]
    with_meaning: bool
    max_queries: int
    max_bytes: int

    def pieces(self, inputs: Sequence[ModelInput]) -> Iterator[Piece]:
        """The inputs in their order, in as few pieces as there may be.

        Raises:
            Exception: whatever drawing a picture raises.
        """
        piece = Piece()
        for asked in inputs:
            as_pixels = self.as_pixels(asked)
            picture = b"" if piece.has_picture(asked) else _picture_row(asked, as_pixels=as_pixels)
            more = len(picture) + _length(asked)
            if not piece.has_room(more, max_queries=self.max_queries, max_bytes=self.max_bytes):
                yield piece
                piece = Piece()
                picture = picture or _picture_row(asked, as_pixels=as_pixels)
            if picture:
                piece.show(asked, picture, as_pixels=as_pixels)
            piece.ask(asked, with_meaning=self.with_meaning)
        if piece.inputs:
            yield piece


def _picture_row(asked: ModelInput, *, as_pixels: bool) -> bytes:
    return png_row(png_of(asked.image)) if as_pixels else recipe_row(asked.query.picture)


def _length(asked: ModelInput) -> int:
    """About how many bytes a query has without its picture: a character has up to four, and a meaning some hundreds."""
    return 4 * len(asked.text) + 1024


_LONGEST_QUOTE = 300


class TooMuchError(QueryError):
    """There was too much in one request; half of it may do."""


def refused(reply: Reply, url: str, key: Key) -> NoReturn:
    """Raises what a status other than 200 means.

    Raises:
        PassingError: it may be asked again.
        TooMuchError: less of it may be asked.
        QueryError: something in it cannot be asked; the rest of it may.
        ModelError: nothing can.
    """
    status = reply.status
    said = _quoted(reply.body, key)
    got = f"but got {status_named(status)}{f' ({said})' if said else ''}"
    if status == GIVEN_UP:
        raise ModelError(said or f"Expected {url} to answer, {got}")
    if status == ANOTHER_MODEL:
        raise another_model(url, said)
    if status == TOO_LARGE:
        raise TooMuchError(f"Expected {url} to take the picture and the text of one query, {got}")
    if status == REFUSED:
        raise QueryError(f"Expected {url} to take the query, {got}")
    if status in (401, 403, 407):
        which = "one was sent: put the right one" if key else "none was sent: put it"
        raise ModelError(
            f"Expected {url} to take our token, {got}: {which}, which whoever started `vqamt serve` knows, into the "
            f"environment variable {TOKEN_VARIABLE}"
        )
    if 300 <= status < 400:
        raise ModelError(
            f"Expected {url} to answer itself, {got}, which sends on to another address: name that in --vqamt-model"
        )
    if status in (404, 408, 425, 429) or status >= 500:
        # A proxy that is up before what it leads to says 404.
        sign = {404: Sign.ABSENT, 500: Sign.BROKEN}.get(status, Sign.BUSY)
        raise PassingError(got.removeprefix("but got "), sign=sign, wait_s=told_to_wait(reply.headers))
    raise ModelError(f"Expected `vqamt serve` at {url}, {got}: check the URL")


def another_model(url: str, said: str = "") -> ModelError:
    """What is to be said where the server has been started anew, and serves something else."""
    told = f" ({said})" if said else ""
    return ModelError(
        f"Expected {url} to serve the model that it served when this run began, but it serves another one now{told}: "
        "run again; answers of two models are never mixed"
    )


def _quoted(body: bytes, key: Key) -> str:
    """The server's own words in a line, without the token."""
    line = key.hidden(read_error(body) or " ".join(body.decode("utf-8", "replace").split()))
    return line if len(line) <= _LONGEST_QUOTE else f"{line[:_LONGEST_QUOTE]}..."


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


_RECIPE = ("photo", "digest", "edits")
_QUERY = ("task", "text", "picture", "trial", "meaning")
_MAX_TRIAL = 1_000_000
_PNG = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True)
class RecipeRow:
    """A picture by its recipe, a row that ``core.recipes.picture_of`` reads. Whether it is one is not known yet."""

    row: dict[str, Json]

    @property
    def photo(self) -> str:
        """The id of the photo."""
        return str(self.row["photo"])

    @cached_property
    def key(self) -> str:
        """The same for the same recipe. Made from all of it: what it calls its digest is only what it says."""
        return digest("recipe", canonical_json(self.row))


@dataclass(frozen=True)
class PngRow:
    """A picture by its pixels: the bytes of a file that begins as PNG does. Whether it is one is not known yet."""

    png: bytes

    @cached_property
    def key(self) -> str:
        """The same for the same file."""
        return digest("png", sha256(self.png).hexdigest())


PictureRow: TypeAlias = RecipeRow | PngRow


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryRow:
    """One query. ``picture`` is its picture's place among the request's; ``meaning`` is None where it was not sent."""

    task: Task
    text: str
    picture: int
    trial: int = 0
    meaning: Meaning | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What one POST asks; ``model`` is the identity of the model that is meant."""

    model: str
    pictures: tuple[PictureRow, ...]
    queries: tuple[QueryRow, ...]

    def key(self, place: int) -> str:
        """Names what is asked at ``place``: equal for equal queries, of this request and of any other."""
        asked = self.queries[place]
        return digest(asked.task, self.pictures[asked.picture].key, asked.text, str(asked.trial))


def recipe_row(picture: Picture) -> bytes:
    """A picture by its recipe, as it goes into a request."""
    return _compact(picture_recipe(picture))


def png_row(png: bytes) -> bytes:
    """A picture by the bytes of a PNG file, as it goes into a request."""
    return b'{"png":"%b"}' % b64encode(png)


def query_row(query: Query, place: int, *, with_meaning: bool) -> bytes:
    """A query about the picture at ``place``, as it goes into a request."""
    row: dict[str, Json] = {"task": query.task.value, "text": query.text, "picture": place}
    if query.trial:
        row["trial"] = query.trial
    if with_meaning:
        row["meaning"] = encode(query.meaning)
    return _compact(row)


def write_request(model: str, pictures: Sequence[bytes], queries: Sequence[bytes]) -> bytes:
    """The body of a POST for the model of this identity."""
    named = _compact(model)
    return b'{"model":%b,"pictures":[%b],"queries":[%b]}' % (named, b",".join(pictures), b",".join(queries))


def _compact(row: Json) -> bytes:
    return json.dumps(row, separators=(",", ":"), ensure_ascii=False).encode()


def read_request(body: bytes, *, max_queries: int = MAX_QUERIES, max_bytes: int = MAX_BYTES) -> Request:
    """The request that ``body`` holds. No name in it was looked up, and no picture decoded.

    Raises:
        TooLargeError: it has too many bytes, values or queries.
        WireError: something in it is not what it should be, which the message names.
    """
    if len(body) > max_bytes:
        raise TooLargeError(f"Expected at most {max_bytes} bytes in one request, but got {len(body)}")
    if sum(map(body.count, (b",", b"[", b"{"))) > MAX_MARKS:
        raise TooLargeError(f"Expected at most {MAX_MARKS} commas and opening brackets in one request, but got more")
    found = loaded(body, "a request")
    known = ("model", "pictures", "queries")
    check_fields(found, "the request", required=known, known=known)
    asked, shown = rows(found, "queries", "the request"), rows(found, "pictures", "the request")
    if len(asked) > max_queries:
        raise TooLargeError(f"Expected at most {max_queries} queries in one request, but got {len(asked)}")
    if len(shown) > len(asked):
        raise WireError(f"Expected no more pictures than queries ({len(asked)}), but got {len(shown)}")
    return Request(
        model=text(found, "model", "the request"),
        pictures=tuple(_picture(row, f"pictures[{place}]") for place, row in enumerate(shown)),
        queries=tuple(_query(row, f"queries[{place}]", len(shown)) for place, row in enumerate(asked)),
    )


class TooLargeError(WireError):
    """There is too much in one request: half of it may do."""


def _picture(value: object, where: str) -> PictureRow:
    if isinstance(value, dict) and "png" in value:
        row = row_of(value, where, required=("png",), known=("png",))
        encoded = row["png"]
        try:
            png = b64decode(encoded, validate=True) if isinstance(encoded, str) else b""
        except (Base64Error, ValueError):
            png = b""
        if not png.startswith(_PNG):
            raise WireError(f"Expected 'png' of {where} to be a PNG file in base64, but got png={shortened(encoded)}")
        return PngRow(png)
    row = row_of(value, where, required=_RECIPE, known=_RECIPE)
    for name in ("photo", "digest"):
        text(row, name, where)
    edits = rows(row, "edits", where)
    if len(edits) > MAX_EDITS:
        raise WireError(f"Expected at most {MAX_EDITS} edits in {where}, but got {len(edits)}")
    return RecipeRow({name: plain(row[name], where) for name in _RECIPE})


def _query(value: object, where: str, pictures: int) -> QueryRow:
    row = row_of(value, where, required=("task", "text", "picture"), known=_QUERY)
    task = text(row, "task", where)
    if task not in set(Task):
        raise WireError(f"Expected 'task' of {where} to be one of {', '.join(Task)}, but got task={shortened(task)}")
    place = whole(row, "picture", where)
    if place >= pictures:
        raise WireError(f"Expected 'picture' of {where} to be one of the {pictures} pictures, but got picture={place}")
    return QueryRow(
        task=Task(task),
        text=text(row, "text", where, most=MAX_TEXT),
        picture=place,
        trial=whole(row, "trial", where, most=_MAX_TRIAL, default=0),
        meaning=_meaning(row["meaning"], where) if "meaning" in row else None,
    )


def _meaning(value: object, where: str) -> Meaning:
    try:
        found = decode(plain(value, f"'meaning' of {where}"))
    except (AttributeError, DataError, TypeError, ValueError) as error:
        raise WireError(
            f"Expected 'meaning' of {where} to be one that this version reads: {_error_line(error)}"
        ) from None
    if not isinstance(found, MEANINGS):
        raise WireError(f"Expected 'meaning' of {where} to be a meaning, but got {shortened(found)}")
    meaning: Meaning = found  # type: ignore[assignment] # MEANINGS lists the very types of Meaning
    return meaning


def _error_line(error: Exception) -> str:
    line = " ".join(str(error).split())
    return line if len(line) <= 200 else f"{line[:197]}..."
