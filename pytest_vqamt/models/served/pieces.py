"""Inputs as requests: each picture once, and no request larger than the server takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from pytest_vqamt.core.query import ModelInput
from pytest_vqamt.models.http.png import png_of
from pytest_vqamt.models.served.requests import png_row, query_row, recipe_row, write_request

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
