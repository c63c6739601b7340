"""Requests to ``POST /v1/answers``: packs inputs into as few as possible, and writes and reads their bodies."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from typing import Annotated, Any, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType

from pytest_vqamt.core.codec import Json, encode
from pytest_vqamt.core.conversation import Role, Turn, parts_of
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
"""Characters of a question: the longest of a probe has 6,000 words."""
MAX_EDITS = 256
"""Edits of one picture."""
MAX_MARKS = 500_000
"""Commas and opening brackets in one request: parsed JSON takes more than twenty times the memory of its text."""

MAX_TURNS = 256
"""Turns of one query."""
MAX_PARTS = 512
"""Texts and pictures of all turns of one query."""
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
class TurnRow:
    """One turn of a conversation."""

    role: Role
    parts: tuple[str | int, ...]
    """Texts, and indices into the pictures of the request, in their order."""

    @property
    def pictures(self) -> tuple[int, ...]:
        return tuple(part for part in self.parts if isinstance(part, int))


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
    turns: tuple[TurnRow, ...] = ()
    """The conversation, whose first picture is ``picture`` and whose last text is ``text``; empty for these two."""

    @property
    def pictures(self) -> tuple[int, ...]:
        """The indices of its pictures, each once, in the order in which they are shown."""
        shown = (picture for turn in self.turns for picture in turn.pictures)
        return tuple(dict.fromkeys(shown)) or (self.picture,)

    def moved(self, places: Mapping[int, int]) -> QueryRow:
        """The query in a request in which its pictures have other indices."""
        turns = tuple(
            replace(turn, parts=tuple(places[part] if isinstance(part, int) else part for part in turn.parts))
            for turn in self.turns
        )
        return replace(self, picture=places[self.picture], turns=turns)


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
        said: list[Json] = [[turn.role, *map(self._identity, turn.parts)] for turn in item.turns]
        # What came later counts only where it is there: other answers are found again.
        turns = (canonical_json(said),) if said else ()
        return digest(item.task, self.pictures[item.picture].key, item.text, str(item.trial), *more, *turns)

    def _identity(self, part: str | int) -> str:
        return f"text {part}" if isinstance(part, str) else f"picture {self.pictures[part].key}"


@dataclass(slots=True)
class PackedRequest:
    """One request while it is being packed."""

    inputs: list[ModelInput] = field(default_factory=list)
    """In the order of their answers."""
    _pictures: dict[str, _PackedPicture] = field(default_factory=dict)
    """By digest, in the order of the request."""
    _places: dict[str, int] = field(default_factory=dict)
    """Their indices in the request, by digest."""
    _queries: list[bytes] = field(default_factory=list)
    """The JSON of each input's query."""
    _size: int = _ENVELOPE_BYTES
    """Bytes of the body so far, at most."""

    def body(self, model: str) -> bytes:
        return write_request(model, [picture.row for picture in self._pictures.values()], self._queries)

    def sends_pixels(self, item: ModelInput) -> bool:
        """True if all pictures of the input are sent as PNG."""
        return all(self._pictures[picture.digest].as_pixels for picture in item.query.pictures)

    def add(self, item: ModelInput, pictures: Mapping[str, _PackedPicture], *, with_meaning: bool) -> None:
        """Adds an input; ``pictures`` are its own, by digest."""
        new = {key: picture for key, picture in pictures.items() if key not in self._pictures}
        self._pictures |= new
        self._places |= {key: place for place, key in enumerate(new, start=len(self._places))}
        query = query_row(item.query, self._places, with_meaning=with_meaning)
        self.inputs.append(item)
        self._queries.append(query)
        self._size += len(query) + 1 + sum(len(picture.row) + 1 for picture in new.values())


@dataclass(frozen=True, slots=True)
class _PackedPicture:
    row: bytes
    """Its JSON."""
    as_pixels: bool
    """True if the JSON holds a PNG, False if a recipe."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestPacker:
    """Packs inputs into requests."""

    as_pixels: Callable[[Picture], bool]
    """Tells whether a picture is sent as PNG rather than as its recipe."""
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
            own = {picture.digest: picture for picture in item.query.pictures}
            pictures = {key: request._pictures.get(key) or self._packed(item, picture) for key, picture in own.items()}
            # Up to four bytes per character, and some hundreds for the meaning.
            added_bytes = 4 * len(item.text) + 1024 + _turns_bytes(item.query)
            added_bytes += sum(len(picture.row) for key, picture in pictures.items() if key not in request._pictures)
            # A request that is still empty is never full: a single large query is sent all the same.
            is_full = len(request.inputs) >= self.max_queries or request._size + added_bytes > self.max_bytes
            if request.inputs and is_full:
                yield request
                # Its pictures go into the next request with the same JSON: a PNG is not encoded again.
                request = PackedRequest()
            request.add(item, pictures, with_meaning=self.with_meaning)
        if request.inputs:
            yield request

    def _packed(self, item: ModelInput, picture: Picture) -> _PackedPicture:
        as_pixels = self.as_pixels(picture)
        row = png_row(item.file(LOSSLESS, picture).base64) if as_pixels else recipe_row(picture)
        return _PackedPicture(row, as_pixels)


def _turns_bytes(query: Query) -> int:
    """The most bytes of the turns of a query without their pictures."""
    return sum(4 * len(part) + 16 if isinstance(part, str) else 16 for part in parts_of(query.turns))


def recipe_row(picture: Picture) -> bytes:
    """A picture's recipe as JSON."""
    return _compact(picture_recipe(picture))


def png_row(base64: str) -> bytes:
    """A picture's PNG file, in base64, as JSON."""
    return f'{{"png":"{base64}"}}'.encode()


def query_row(query: Query, places: Mapping[str, int], *, with_meaning: bool) -> bytes:
    """A query as JSON; ``places`` are the indices of its pictures by their digests."""
    row: dict[str, Json] = {"task": query.task.value, "text": query.text, "picture": places[query.picture.digest]}
    if query.trial:
        row["trial"] = query.trial
    if query.reasoning is not None:
        row["reasoning"] = query.reasoning
    if with_meaning:
        row["meaning"] = encode(query.meaning)
    if query.turns:
        row["turns"] = [_turn_row(turn, places) for turn in query.turns]
    return _compact(row)


def _turn_row(turn: Turn, places: Mapping[str, int]) -> Json:
    parts: list[Json] = [places[part.digest] if isinstance(part, Picture) else str(part) for part in turn.parts]
    return {"role": turn.role.value, "parts": parts}


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


class _Turn(Struct, frozen=True, forbid_unknown_fields=True):
    """A ``TurnRow`` as it comes over the wire."""

    role: Role
    parts: Annotated[list[Annotated[str, Meta(max_length=MAX_TEXT)] | Count], Meta(min_length=1, max_length=MAX_PARTS)]
    """Its pictures are perhaps beyond those of the request."""


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
    turns: Annotated[list[_Turn], Meta(max_length=MAX_TURNS)] | UnsetType = UNSET
    """UNSET for one picture and one text."""


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
    queries = tuple(_query(row, f"queries[{place}]", len(found.pictures)) for place, row in enumerate(found.queries))
    # Pictures that no query is about would be work for nothing.
    shown = sum(len(query.pictures) for query in queries)
    if len(found.pictures) > shown:
        of_turns = f", and they show {shown}" if shown > len(queries) else ""
        raise WireError(
            f"Expected no more pictures than queries ({len(queries)}), but got {len(found.pictures)}{of_turns}"
        )
    return AnswersRequest(
        model=found.model,
        pictures=tuple(_picture(row, f"pictures[{place}]") for place, row in enumerate(found.pictures)),
        queries=queries,
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
    turns = () if row.turns is UNSET else _turns(row, row.turns, where)
    query = QueryRow(
        task=row.task,
        text=row.text,
        picture=row.picture,
        trial=row.trial,
        reasoning=row.reasoning,
        meaning=None if row.meaning is UNSET else _meaning(row.meaning, f"'meaning' of {where}"),
        turns=turns,
    )
    if beyond := [picture for picture in query.pictures if picture >= pictures]:
        raise WireError(
            f"Expected 'picture' of {where} to be one of the {pictures} pictures, but got picture={beyond[0]}"
        )
    return query


def _turns(row: _Query, turns: Sequence[_Turn], where: str) -> tuple[TurnRow, ...]:
    found = tuple(TurnRow(role=turn.role, parts=tuple(turn.parts)) for turn in turns)
    if (count := sum(len(turn.parts) for turn in found)) > MAX_PARTS:
        raise WireError(f"Expected 'turns' of {where} to have at most {MAX_PARTS} parts, but got {count}")
    if any(turn.pictures and turn.role is not Role.USER for turn in found):
        raise WireError(f"Expected pictures in turns of the user alone, but 'turns' of {where} has others")
    pictures = [picture for turn in found for picture in turn.pictures]
    texts = [part for part in found[-1].parts if isinstance(part, str)] if found else []
    # An older reader sees these two alone.
    if pictures[:1] != [row.picture] or texts[-1:] != [row.text] or found[-1].role is not Role.USER:
        raise WireError(
            f"Expected 'turns' of {where} to begin with its 'picture' and to end with its 'text', a question of the "
            "user, but they do not"
        )
    if any(turn.role is Role.SYSTEM for turn in found[1:]):
        raise WireError(f"Expected a system message as the first of 'turns' of {where}, but one comes later")
    return found


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
