"""Requests to ``POST /v1/answers``: packs inputs into as few as possible, and writes and reads their bodies."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from reprlib import repr as shortened
from typing import TypeAlias

from pytest_vqamt.core.codec import Json, decode, encode
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.identity import canonical_json, digest
from pytest_vqamt.core.meaning import MEANINGS, Meaning
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import ModelInput, Query, Task
from pytest_vqamt.core.recipes import picture_recipe
from pytest_vqamt.models.http.responses import (
    png_bytes,
)
from pytest_vqamt.models.served.json_fields import (
    WireError,
    bounded_json,
    check_fields,
    int_field,
    list_field,
    object_with,
    parse_object,
    text_field,
)
from pytest_vqamt.models.served.protocol import MAX_BYTES, MAX_QUERIES

MAX_TEXT = 100_000
"""Characters of a question."""

MAX_EDITS = 256
"""Edits of one picture."""

MAX_MARKS = 500_000
"""Commas and opening brackets in one request: parsed JSON takes more than twenty times the memory of its text."""

_RECIPE = ("photo", "digest", "edits")

_QUERY = ("task", "text", "picture", "trial", "meaning")

_MAX_TRIAL = 1_000_000

_PNG = b"\x89PNG\r\n\x1a\n"

_ENVELOPE_BYTES = 4096
"""Bytes of a request outside its pictures and queries."""


@dataclass(frozen=True)
class RecipeRow:
    """A picture sent as a recipe, which ``core.recipes.picture_of`` reads; not validated yet."""

    row: dict[str, Json]

    @property
    def photo(self) -> str:
        return str(self.row["photo"])

    @cached_property
    def key(self) -> str:
        """A digest of the whole recipe. Its own ``digest`` field is not trusted."""
        return digest("recipe", canonical_json(self.row))


@dataclass(frozen=True)
class PngRow:
    """A picture sent as the bytes of a PNG file; not decoded yet."""

    png: bytes

    @cached_property
    def key(self) -> str:
        return digest("png", sha256(self.png).hexdigest())


PictureRow: TypeAlias = RecipeRow | PngRow


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryRow:
    """One query: ``picture`` is an index into the request's pictures; ``meaning`` is None where it was not sent."""

    task: Task
    text: str
    picture: int
    trial: int = 0
    meaning: Meaning | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswersRequest:
    """The body of one POST; ``model`` is the identity of the model that must answer."""

    model: str
    pictures: tuple[PictureRow, ...]
    queries: tuple[QueryRow, ...]

    def key(self, place: int) -> str:
        """Identifies the query at ``place``: equal for equal queries of any request."""
        item = self.queries[place]
        return digest(item.task, self.pictures[item.picture].key, item.text, str(item.trial))


class RequestTooLargeError(WireError):
    """The request has too many bytes, values or queries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestPacker:
    """Packs inputs into requests.

    Attributes:
        as_pixels: tells whether an input's picture is sent as PNG rather than as its recipe.
        with_meaning: whether meanings are sent.
        max_queries, max_bytes: limits of one request. A single query may exceed them.
    """

    as_pixels: Callable[[ModelInput], bool]
    with_meaning: bool
    max_queries: int
    max_bytes: int

    def pack(self, inputs: Sequence[ModelInput]) -> Iterator[RequestBuilder]:
        """The inputs in their order, in as few requests as possible.

        Raises:
            Exception: whatever rendering a picture raises.
        """
        builder = RequestBuilder()
        for item in inputs:
            as_pixels = self.as_pixels(item)
            picture = b"" if builder.contains_picture(item) else _picture_row(item, as_pixels=as_pixels)
            added_bytes = len(picture) + _query_bytes(item)
            if not builder.has_room(added_bytes, max_queries=self.max_queries, max_bytes=self.max_bytes):
                yield builder
                builder = RequestBuilder()
                picture = picture or _picture_row(item, as_pixels=as_pixels)
            if picture:
                builder.add_picture(item, picture, as_pixels=as_pixels)
            builder.add_query(item, with_meaning=self.with_meaning)
        if builder.inputs:
            yield builder


@dataclass(slots=True)
class RequestBuilder:
    """One request: its inputs, with their pictures and queries as JSON."""

    inputs: list[ModelInput] = field(default_factory=list)
    _pictures: list[bytes] = field(default_factory=list)
    _queries: list[bytes] = field(default_factory=list)
    _packed: dict[str, _PackedPicture] = field(default_factory=dict)
    _size: int = _ENVELOPE_BYTES

    def body(self, model: str) -> bytes:
        """The body of the request to the model of this identity."""
        return write_request(model, self._pictures, self._queries)

    def sends_pixels(self, item: ModelInput) -> bool:
        """Whether the input's picture is sent as PNG."""
        return self._packed[item.query.picture.digest].as_pixels

    def contains_picture(self, item: ModelInput) -> bool:
        return item.query.picture.digest in self._packed

    def has_room(self, added_bytes: int, *, max_queries: int, max_bytes: int) -> bool:
        """Whether a query of so many bytes fits. An empty request takes any."""
        return not self.inputs or (len(self.inputs) < max_queries and self._size + added_bytes <= max_bytes)

    def add_picture(self, item: ModelInput, picture: bytes, *, as_pixels: bool) -> None:
        self._packed[item.query.picture.digest] = _PackedPicture(len(self._pictures), as_pixels)
        self._pictures.append(picture)
        self._size += len(picture) + 1

    def add_query(self, item: ModelInput, *, with_meaning: bool) -> None:
        """Adds an input whose picture was added before."""
        query = query_row(item.query, self._packed[item.query.picture.digest].place, with_meaning=with_meaning)
        self.inputs.append(item)
        self._queries.append(query)
        self._size += len(query) + 1


@dataclass(frozen=True, slots=True)
class _PackedPicture:
    place: int
    as_pixels: bool


def _picture_row(item: ModelInput, *, as_pixels: bool) -> bytes:
    return png_row(png_bytes(item.image)) if as_pixels else recipe_row(item.query.picture)


def _query_bytes(item: ModelInput) -> int:
    """An upper estimate: up to four bytes per character, and some hundreds for the meaning."""
    return 4 * len(item.text) + 1024


def recipe_row(picture: Picture) -> bytes:
    """A picture's recipe as JSON."""
    return _compact(picture_recipe(picture))


def png_row(png: bytes) -> bytes:
    """A picture's PNG file as JSON."""
    return b'{"png":"%b"}' % b64encode(png)


def query_row(query: Query, place: int, *, with_meaning: bool) -> bytes:
    """A query about the picture at ``place`` as JSON."""
    row: dict[str, Json] = {"task": query.task.value, "text": query.text, "picture": place}
    if query.trial:
        row["trial"] = query.trial
    if with_meaning:
        row["meaning"] = encode(query.meaning)
    return _compact(row)


def write_request(model: str, pictures: Sequence[bytes], queries: Sequence[bytes]) -> bytes:
    """The body of a POST to the model of this identity."""
    named = _compact(model)
    return b'{"model":%b,"pictures":[%b],"queries":[%b]}' % (named, b",".join(pictures), b",".join(queries))


def read_request(body: bytes, *, max_queries: int = MAX_QUERIES, max_bytes: int = MAX_BYTES) -> AnswersRequest:
    """The request in ``body``. Its names are not looked up and its pictures not decoded.

    Raises:
        RequestTooLargeError: it has too many bytes, values or queries.
        WireError: a field is invalid; the message names it.
    """
    if len(body) > max_bytes:
        raise RequestTooLargeError(f"Expected at most {max_bytes} bytes in one request, but got {len(body)}")
    if sum(map(body.count, (b",", b"[", b"{"))) > MAX_MARKS:
        raise RequestTooLargeError(
            f"Expected at most {MAX_MARKS} commas and opening brackets in one request, but got more"
        )
    found = parse_object(body, "a request")
    known = ("model", "pictures", "queries")
    check_fields(found, "the request", required=known, known=known)
    item, shown = list_field(found, "queries", "the request"), list_field(found, "pictures", "the request")
    if len(item) > max_queries:
        raise RequestTooLargeError(f"Expected at most {max_queries} queries in one request, but got {len(item)}")
    if len(shown) > len(item):
        raise WireError(f"Expected no more pictures than queries ({len(item)}), but got {len(shown)}")
    return AnswersRequest(
        model=text_field(found, "model", "the request"),
        pictures=tuple(_read_picture(row, f"pictures[{place}]") for place, row in enumerate(shown)),
        queries=tuple(_read_query(row, f"queries[{place}]", len(shown)) for place, row in enumerate(item)),
    )


def _read_picture(value: object, where: str) -> PictureRow:
    if isinstance(value, dict) and "png" in value:
        row = object_with(value, where, required=("png",), known=("png",))
        encoded = row["png"]
        try:
            png = b64decode(encoded, validate=True) if isinstance(encoded, str) else b""
        except (Base64Error, ValueError):
            png = b""
        if not png.startswith(_PNG):
            raise WireError(f"Expected 'png' of {where} to be a PNG file in base64, but got png={shortened(encoded)}")
        return PngRow(png)
    row = object_with(value, where, required=_RECIPE, known=_RECIPE)
    for name in ("photo", "digest"):
        text_field(row, name, where)
    edits = list_field(row, "edits", where)
    if len(edits) > MAX_EDITS:
        raise WireError(f"Expected at most {MAX_EDITS} edits in {where}, but got {len(edits)}")
    return RecipeRow({name: bounded_json(row[name], where) for name in _RECIPE})


def _read_query(value: object, where: str, pictures: int) -> QueryRow:
    row = object_with(value, where, required=("task", "text", "picture"), known=_QUERY)
    task = text_field(row, "task", where)
    if task not in set(Task):
        raise WireError(f"Expected 'task' of {where} to be one of {', '.join(Task)}, but got task={shortened(task)}")
    place = int_field(row, "picture", where)
    if place >= pictures:
        raise WireError(f"Expected 'picture' of {where} to be one of the {pictures} pictures, but got picture={place}")
    return QueryRow(
        task=Task(task),
        text=text_field(row, "text", where, most=MAX_TEXT),
        picture=place,
        trial=int_field(row, "trial", where, most=_MAX_TRIAL, default=0),
        meaning=_read_meaning(row["meaning"], where) if "meaning" in row else None,
    )


def _read_meaning(value: object, where: str) -> Meaning:
    try:
        found = decode(bounded_json(value, f"'meaning' of {where}"))
    except (AttributeError, DataError, TypeError, ValueError) as error:
        raise WireError(
            f"Expected 'meaning' of {where} to be one that this version reads: {_error_line(error)}"
        ) from None
    if not isinstance(found, MEANINGS):
        raise WireError(f"Expected 'meaning' of {where} to be a meaning, but got {shortened(found)}")
    meaning: Meaning = found  # type: ignore[assignment] # MEANINGS lists the very types of Meaning
    return meaning


def _compact(row: Json) -> bytes:
    return json.dumps(row, separators=(",", ":"), ensure_ascii=False).encode()


def _error_line(error: Exception) -> str:
    line = " ".join(str(error).split())
    return line if len(line) <= 200 else f"{line[:197]}..."
