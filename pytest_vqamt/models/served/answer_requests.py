"""Requests to ``POST /v1/answers``: packs inputs into as few as possible, and writes and reads their bodies."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Annotated, Any, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType

from pytest_vqamt.core.codec import Json, encode
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.identity import canonical_json, digest
from pytest_vqamt.core.meaning import Meaning, meaning_from_row
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import ModelInput, Query, Task
from pytest_vqamt.core.recipes import picture_recipe
from pytest_vqamt.models.http.picture_files import LOSSLESS
from pytest_vqamt.models.served.wire_format import (
    MAX_BYTES,
    MAX_NAME,
    MAX_QUERIES,
    Count,
    Name,
    WireError,
    error_line,
    read_message,
)

MAX_TEXT = 100_000
"""Characters of a question: the longest of ``serving.long_text`` has 6,000 words."""
MAX_EDITS = 256
"""Edits of one picture."""
MAX_MARKS = 500_000
"""Commas and opening brackets in one request: parsed JSON takes more than twenty times the memory of its text."""

MAX_VALUES = 20_000
"""Values in the edits of one recipe, or in one meaning."""
MAX_DEPTH = 24
"""Lists and objects within each other, in the same."""
MAX_NUMBER = 1e9
"""The largest number in the same, and the smallest with a minus."""

# The first bytes of every PNG file.
_PNG = b"\x89PNG\r\n\x1a\n"
_ENVELOPE_BYTES = 4096
"""The most bytes of a request outside its pictures and queries; a model's identity is a digest."""


class RequestTooLargeError(WireError):
    """The request has too many bytes, values or queries."""


@dataclass(frozen=True)
class RecipeRow:
    """A picture sent as a recipe; not resolved yet."""

    row: dict[str, Json]
    """``photo``, ``digest`` and ``edits``."""

    @cached_property
    def key(self) -> str:
        """A digest of the whole recipe: a client may have put any ``digest`` into it, and cached answers are shared."""
        return digest("recipe", canonical_json(self.row))


@dataclass(frozen=True)
class PngRow:
    """A picture sent as a PNG file; not decoded yet."""

    png: bytes
    """The content of the file."""

    @cached_property
    def key(self) -> str:
        return digest("png", sha256(self.png).hexdigest())


PictureRow: TypeAlias = RecipeRow | PngRow


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryRow:
    """One query of a request."""

    task: Task
    text: str
    """The question or the hypothesis; "" for a description."""
    picture: int
    """An index into the pictures of the request."""
    trial: int = 0
    """0 for the first time that the query is sent, 1 and more for repetitions."""
    reasoning: bool | None = None
    """True or False switches the model's reasoning; None leaves it as it is."""
    meaning: Meaning | None = None
    """None where it was not sent: only reference models read it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswersRequest:
    """The body of one POST."""

    model: str
    """The identity of the model that must answer."""
    pictures: tuple[PictureRow, ...]
    """Each picture once, however many queries are about it."""
    queries: tuple[QueryRow, ...]
    """At most 4,096, in the order in which they are answered."""

    def key(self, place: int) -> str:
        """Identifies the query at ``place``: equal for equal queries of any request."""
        item = self.queries[place]
        # A meaning is sent to models that read it, and one client's must not change another's answer.
        more = (str(item.reasoning), canonical_json(encode(item.meaning)))
        return digest(item.task, self.pictures[item.picture].key, item.text, str(item.trial), *more)


@dataclass(slots=True)
class PackedRequest:
    """One request while it is being packed."""

    inputs: list[ModelInput] = field(default_factory=list)
    """In the order of their answers."""
    _pictures: dict[str, _PackedPicture] = field(default_factory=dict)
    """By digest, in the order of the request."""
    _queries: list[bytes] = field(default_factory=list)
    """The JSON of each input's query."""
    _size: int = _ENVELOPE_BYTES
    """Bytes of the body so far, at most."""

    def body(self, model: str) -> bytes:
        return write_request(model, [picture.row for picture in self._pictures.values()], self._queries)

    def sends_pixels(self, item: ModelInput) -> bool:
        """True if the input's picture is sent as PNG."""
        return self._pictures[item.query.picture.digest].as_pixels


@dataclass(frozen=True, slots=True)
class _PackedPicture:
    place: int
    """Its index in the request."""
    row: bytes
    """Its JSON."""
    as_pixels: bool
    """True if the JSON holds a PNG, False if a recipe."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestPacker:
    """Packs inputs into requests."""

    as_pixels: Callable[[ModelInput], bool]
    """Tells whether an input's picture is sent as PNG rather than as its recipe."""
    with_meaning: bool
    """True if meanings are sent."""
    max_queries: int
    """The most queries of one request."""
    max_bytes: int
    """The most bytes of one request; a single query may exceed them."""

    def pack(self, inputs: Sequence[ModelInput]) -> Iterator[PackedRequest]:
        """Packs the inputs, in their order, into as few requests as possible.

        Raises:
            Exception: whatever rendering a picture raises.
        """
        request = PackedRequest()
        for item in inputs:
            key = item.query.picture.digest
            picture = request._pictures.get(key)
            # Up to four bytes per character, and some hundreds for the meaning.
            added_bytes = 4 * len(item.text) + 1024
            if picture is None:
                as_pixels = self.as_pixels(item)
                row = png_row(item.file(LOSSLESS).base64) if as_pixels else recipe_row(item.query.picture)
                picture = _PackedPicture(len(request._pictures), row, as_pixels)
                added_bytes += len(row)
            # A request that is still empty is never full: a single large query is sent all the same.
            is_full = len(request.inputs) >= self.max_queries or request._size + added_bytes > self.max_bytes
            if request.inputs and is_full:
                yield request
                # The first picture of the next request, of the same JSON: a PNG is not encoded again.
                request = PackedRequest()
                picture = _PackedPicture(0, picture.row, picture.as_pixels)
            if key not in request._pictures:
                request._pictures[key] = picture
                request._size += len(picture.row) + 1
            query = query_row(item.query, picture.place, with_meaning=self.with_meaning)
            request.inputs.append(item)
            request._queries.append(query)
            request._size += len(query) + 1
        if request.inputs:
            yield request


def recipe_row(picture: Picture) -> bytes:
    """A picture's recipe as JSON."""
    return _compact(picture_recipe(picture))


def png_row(base64: str) -> bytes:
    """A picture's PNG file, in base64, as JSON."""
    return f'{{"png":"{base64}"}}'.encode()


def query_row(query: Query, place: int, *, with_meaning: bool) -> bytes:
    """A query about the picture at ``place`` as JSON."""
    row: dict[str, Json] = {"task": query.task.value, "text": query.text, "picture": place}
    if query.trial:
        row["trial"] = query.trial
    if query.reasoning is not None:
        row["reasoning"] = query.reasoning
    if with_meaning:
        row["meaning"] = encode(query.meaning)
    return _compact(row)


def write_request(model: str, pictures: Sequence[bytes], queries: Sequence[bytes]) -> bytes:
    """The body of a POST to the model of this identity."""
    named = _compact(model)
    return b'{"model":%b,"pictures":[%b],"queries":[%b]}' % (named, b",".join(pictures), b",".join(queries))


class _Picture(Struct, frozen=True, forbid_unknown_fields=True):
    """A PNG file, or else a recipe: one object, since msgspec cannot choose between two without a tag."""

    png: bytes | UnsetType = UNSET
    """The file; in base64 on the wire."""
    photo: Name | UnsetType = UNSET
    """The photo's id in the served data."""
    digest: Name | UnsetType = UNSET
    """Of the edited picture that the client means."""
    edits: Annotated[list[Any], Meta(max_length=MAX_EDITS)] | UnsetType = UNSET
    """In order; checked by ``bounded_json`` and again when they are applied."""


class _Query(Struct, frozen=True, forbid_unknown_fields=True):
    """A ``QueryRow`` as it comes over the wire, unchecked but for types and bounds."""

    task: Task
    text: Annotated[str, Meta(max_length=MAX_TEXT)]
    picture: Count
    """Perhaps beyond the pictures."""
    trial: Annotated[int, Meta(ge=0, le=1_000_000)] = 0
    reasoning: bool | None = None
    meaning: Any = UNSET
    """A row of a meaning; UNSET where the model reads none."""


class _Request(Struct, frozen=True, forbid_unknown_fields=True):
    """An ``AnswersRequest`` as it comes over the wire."""

    model: Name
    """The identity of the model that must answer."""
    pictures: list[_Picture]
    queries: list[_Query]


def read_request(body: bytes, *, max_queries: int = MAX_QUERIES, max_bytes: int = MAX_BYTES) -> AnswersRequest:
    """Parses a request; its names are not looked up, and its pictures not decoded.

    Raises:
        RequestTooLargeError: it has too many bytes, values or queries.
        WireError: a field is invalid; the message names it.
    """
    if len(body) > max_bytes:
        raise RequestTooLargeError(f"Expected at most {max_bytes} bytes in one request, but got {len(body)}")
    # Counted in the bytes, before anything is parsed; marks inside texts count too, and are few.
    if sum(map(body.count, (b",", b"[", b"{"))) > MAX_MARKS:
        raise RequestTooLargeError(
            f"Expected at most {MAX_MARKS} commas and opening brackets in one request, but got more"
        )
    found = read_message(body, _Request, "a request")
    if len(found.queries) > max_queries:
        raise RequestTooLargeError(
            f"Expected at most {max_queries} queries in one request, but got {len(found.queries)}"
        )
    # Pictures that no query is about would be work for nothing.
    if len(found.pictures) > len(found.queries):
        raise WireError(f"Expected no more pictures than queries ({len(found.queries)}), but got {len(found.pictures)}")
    return AnswersRequest(
        model=found.model,
        pictures=tuple(_picture(row, f"pictures[{place}]") for place, row in enumerate(found.pictures)),
        queries=tuple(_query(row, f"queries[{place}]", len(found.pictures)) for place, row in enumerate(found.queries)),
    )


def _picture(row: _Picture, where: str) -> PictureRow:
    recipe = (row.photo, row.digest, row.edits)
    if row.png is not UNSET and recipe == (UNSET, UNSET, UNSET):
        if not row.png.startswith(_PNG):
            raise WireError(f"Expected 'png' of {where} to be a PNG file in base64, but got {len(row.png)} other bytes")
        return PngRow(row.png)
    # Both, or half of a recipe.
    if row.png is not UNSET or UNSET in recipe:
        raise WireError(f"Expected {where} to have either 'png', or 'photo', 'digest' and 'edits'")
    edits = bounded_json(row.edits, f"'edits' of {where}")
    return RecipeRow({"photo": str(row.photo), "digest": str(row.digest), "edits": edits})


def _query(row: _Query, where: str, pictures: int) -> QueryRow:
    if row.picture >= pictures:
        raise WireError(
            f"Expected 'picture' of {where} to be one of the {pictures} pictures, but got picture={row.picture}"
        )
    meaning = None if row.meaning is UNSET else _meaning(row.meaning, f"'meaning' of {where}")
    return QueryRow(
        task=row.task,
        text=row.text,
        picture=row.picture,
        trial=row.trial,
        reasoning=row.reasoning,
        meaning=meaning,
    )


def _meaning(value: object, where: str) -> Meaning:
    try:
        return meaning_from_row(bounded_json(value, where))
    except DataError as error:
        raise WireError(f"Expected {where} to be one that this version reads: {error_line(error)}") from None


def bounded_json(value: object, where: str) -> Json:
    """Checks the depth, size, numbers and strings of a value, and returns it unchanged."""
    count = 0
    # A list of its own and no recursion: the depth is what is being checked.
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
                waiting += [(item, depth + 1) for pair in each.items() for item in pair]
            case list():
                waiting += [(item, depth + 1) for item in each]
            case str() if len(each) > MAX_NAME:
                raise WireError(f"Expected strings of at most {MAX_NAME} characters in {where}, but one is longer")
            # Negated, so that NaN is refused, too.
            case int() | float() if not -MAX_NUMBER <= each <= MAX_NUMBER:
                raise WireError(f"Expected numbers up to {MAX_NUMBER:g} in {where}, but one is larger")
    checked: Json = value  # type: ignore[assignment] # every value in it has just been looked at
    return checked


def _compact(row: Json) -> bytes:
    return json.dumps(row, separators=(",", ":"), ensure_ascii=False).encode()
