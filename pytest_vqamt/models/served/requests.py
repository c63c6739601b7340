"""What is asked over the wire: pictures, and queries about them."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from reprlib import repr as shortened
from typing import TypeAlias

from pytest_vqamt.core.codec import Json, decode, encode
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.identity import canonical_json, digest
from pytest_vqamt.core.meaning import MEANINGS, Meaning
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Query, Task
from pytest_vqamt.core.recipes import recipe
from pytest_vqamt.models.served.json_fields import check_fields, loaded, plain, row_of, rows, text, whole
from pytest_vqamt.models.served.protocol import MAX_BYTES, MAX_EDITS, MAX_MARKS, MAX_QUERIES, MAX_TEXT, WireError

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
    return _compact(recipe(picture))


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
