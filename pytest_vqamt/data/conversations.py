"""Rows of questions with several pictures or turns, in the forms of chat data sets."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from posixpath import normpath
from types import MappingProxyType
from typing import TypeAlias

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.input_files import parse_json
from pytest_vqamt.core.scene import PHOTO_MARK, Photo, PublishedTurn, RoleName, ShownPhoto
from pytest_vqamt.core.text import count_noun, short_repr
from pytest_vqamt.data.records import Record, is_text
from pytest_vqamt.language.questions.free import begins_as_question, is_label

TURNS = ("turns", "messages", "conversations")
"""The fields that a conversation may stand in; the last in the form of ShareGPT."""

_ROLES: Mapping[str, RoleName] = MappingProxyType(
    {
        **dict.fromkeys(("user", "human"), "user"),
        **dict.fromkeys(("assistant", "gpt", "model", "bot", "chatgpt"), "assistant"),
        "system": "system",
    }
)
_IMAGE_MARK = re.compile(
    r"\s*(?:<img>\s*(?P<file>[^<>\n]+?)\s*</img>"  # as Qwen-VL has it, with the name of the file
    r"|<image>\./</image>"
    r"|(?:<\|vision_start\|>)?<\|image_pad\|>(?:<\|vision_end\|>)?"
    r"|<(?:imagehere|image_placeholder|image_soft_token|start_of_image)>"
    r"|\[IMG\]"
    r"|<\s*\|?(?:image|img)(?:[_ -]?(?P<number>\d{1,3}))?\s*(?:/\s*)?\|?>)\s*",
    re.IGNORECASE,
)
"""Where a picture stands in a text: "<image>" as LLaVA has it, "<image 1>" as MMMU, "<ImageHere>" as MMDU, and the
tokens of models, which would reach another model as text, beside pictures that stand elsewhere."""
_ENCODED = ("source", "base64", "data", "bytes", "b64_json")
"""Where a part of a content has a picture itself, in place of a file."""

_Part: TypeAlias = "str | _Picture"


@dataclass(frozen=True, slots=True)
class _Picture:
    """A picture in a conversation: by its file, by its number in the list of the row, or the next of that list."""

    file: str = ""
    number: int | None = None
    """As it is written; None for the next one."""


@dataclass(frozen=True, slots=True)
class _Turn:
    role: RoleName
    parts: tuple[_Part, ...]
    label: str
    """Its place, for messages: "rows.jsonl:3: messages[1]"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedRow:
    """What a row asks, before its photos are looked at."""

    photos: tuple[str, ...]
    """The files in the order in which they are shown; one that is shown twice comes twice."""
    text: str
    """The question, with ``PHOTO_MARK`` where a picture stands within."""
    turns: tuple[tuple[RoleName, str, tuple[str, ...]], ...]
    """Of each turn the role, the text and the files, as ``PublishedTurn`` has them; none of one question."""
    answer: str
    """The assistant's last turn, behind the question; "" without one."""

    def published_turns(self, size: Callable[[str], tuple[int, int]]) -> tuple[PublishedTurn, ...]:
        """The turns with the sizes of the photos."""
        return tuple(
            PublishedTurn(role=role, text=text, photos=tuple(_shown(file, size(file)) for file in files))
            for role, text, files in self.turns
        )


def _shown(file: str, size: tuple[int, int]) -> ShownPhoto:
    return ShownPhoto(photo=Photo(id=file, digest=""), width=size[0], height=size[1])


def asked_in(row: Record, images: Sequence[str], where_listed: str, turns_field: str, question: str) -> AskedRow:
    """Reads the conversation of a row.

    Args:
        row: the row.
        images: the files in its list of pictures.
        where_listed: the field of that list.
        turns_field: the field of turns, one of ``TURNS``; "" for a question alone.
        question: the text of the question; "" with turns.

    Raises:
        DataError: it is no conversation with pictures that ends with a question, or marks and pictures do not match.
    """
    answer = ""
    if turns_field:
        turns = [_turn(each, turns_field) for each in _records(row, turns_field)]
        # Behind the question the data set has its answer, which is not quoted to the model.
        if len(turns) > 1 and turns[-1].role == "assistant":
            answer = " ".join(part for part in turns.pop().parts if isinstance(part, str)).strip()
    else:
        turns = [_Turn("user", tuple(_parts_of(question)), row.label("question"))]
    _check(row, turns, turns_field)
    filled = _filled(row, turns, images, where_listed)
    photos = tuple(file for _, _, files in filled for file in files)
    if not photos:
        raise row.wrong(
            where_listed if row.has(where_listed) else turns_field, "a picture in a turn of the user", "add it"
        )
    *before, (_, said, shown) = filled
    lead, text = _split(said)
    if not text.replace(PHOTO_MARK, "").strip():
        raise DataError(f"{turns[-1].label}: Expected the last turn of the user to have a question, but got no text")
    is_plain = not before and lead == PHOTO_MARK and len(shown) == 1
    return AskedRow(
        photos=photos,
        text=" ".join(text.split()),
        turns=() if is_plain else (*before, ("user", lead, shown)),
        answer=answer,
    )


def _records(row: Record, field: str) -> Iterator[Record]:
    said = row.row.get(field)
    if isinstance(said, str) and said.startswith("["):  # a cell of CSV
        try:
            row = Record({**row.row, field: parse_json(said)}, row.where, row.path)
        except ValueError:
            raise row.wrong(field, "a JSON list") from None
    if not row.items(field, required=True):
        raise row.wrong(field, "one turn or more", "leave the row out")
    return row.records(field)


def _turn(record: Record, field: str) -> _Turn:
    """A turn in the form of OpenAI and Hugging Face, or of ShareGPT."""
    named, said = ("from", "value") if "from" in record.row else ("role", "content")
    role = _ROLES.get(record.text(named).casefold())
    if role is None:
        raise record.wrong(named, f"one of {', '.join(_ROLES)}")
    value = record.row.get(said)
    parts = tuple(_parts_of(value) if is_text(value) else _content(record, said))
    if not any(isinstance(part, _Picture) or part.strip() for part in parts):
        raise record.wrong(said, "a text or a picture")
    if role != "user" and any(isinstance(part, _Picture) for part in parts):
        raise record.wrong(said, "pictures in turns of the user alone")
    return _Turn(role, parts, record.label() or field)


def _content(record: Record, field: str) -> Iterator[_Part]:
    if not isinstance(record.row.get(field), list):
        raise record.wrong(field, "a text, or a list of texts and pictures")
    for place, item in enumerate(record.items(field)):
        if is_text(item):
            yield from _parts_of(item)
            continue
        part = Record.of(item, record.where, f"{record.path}.{field}[{place}]")
        kind: object = part.row.get("type") or ("text" if part.has("text") else "image")
        if kind in ("text", "input_text"):
            yield from _parts_of(part.text("text"))
        elif kind in ("image", "image_url", "input_image"):
            # An index of the row's list counts from 0, as datasets of trl have it.
            index = part.whole("index", least=0) if part.has("index") else None
            yield _Picture(_file_in(part), None if index is None else index + 1)
        else:
            raise part.wrong("type", "text, image or image_url")


def _file_in(part: Record) -> str:
    """The file that a part names; "" for the next one of the row's list."""
    name = next((each for each in ("image", "image_url", "path", "url") if part.has(each)), "")
    if not name and (encoded := next(filter(part.has, _ENCODED), "")):
        raise part.wrong(encoded, "a field image with the name of a file", "save the picture, and name that")
    if not name:
        return ""
    value = part.row[name]
    inner = Record.of(value, part.where, f"{part.path}.{name}") if isinstance(value, Mapping) else None
    if inner is not None and inner.has("bytes"):
        raise part.wrong(name, "the name of a file", "put the pictures into a column images, and marks here")
    if inner is None:
        return checked_file(part, name, part.text(name))
    return checked_file(inner, "url", inner.text("url"))


def has_image_mark(text: str) -> bool:
    """True if a picture stands in the text."""
    return _IMAGE_MARK.search(text) is not None


def files_named_in(row: Mapping[str, object]) -> Iterator[str]:
    """Yields the names of files in a row's list of images and in its turns, also of a bad record."""
    listed = [row.get(name) for name in ("images", "image", *numbered_columns(row))]
    for each in (each for images in listed for each in (images if isinstance(images, list) else [images])):
        if isinstance(each, str):
            yield each
    left: list[object] = [row.get(field) for field in TURNS]
    while left:
        value = left.pop()
        if isinstance(value, list):
            left += value
        elif isinstance(value, Mapping):
            for key, inner in value.items():
                if key in ("image", "image_url", "url", "path") and isinstance(inner, str):
                    yield inner
                else:
                    left.append(inner)


_NUMBERED = re.compile(r"image[_-]?(\d{1,2})")
"""A column of MMMU or BLINK: "image_1"."""


def numbered_columns(columns: Iterable[str]) -> tuple[str, ...]:
    """The columns with a picture each, by their numbers.

    >>> numbered_columns(["image_10", "image_2", "image"])
    ('image_2', 'image_10')
    """
    found = [(int(match[1]), name) for name in columns if (match := _NUMBERED.fullmatch(name))]
    return tuple(name for _, name in sorted(found))


def with_images(row: Record) -> Record:
    """The row with the pictures of its columns image_1, image_2 and so on, or of a list ``image``, in ``images``.

    Raises:
        DataError: an empty column stands before another.
    """
    if row.has("images"):
        return row
    if isinstance(row.row.get("image"), list):
        return _with(row, ("image",), row.row["image"])
    columns = () if row.has("image") else numbered_columns(row.row)
    full = tuple(filter(row.has, columns))
    if full != columns[: len(full)]:
        raise row.wrong(columns[0], "a picture in each column before the last", "move the others")
    return _with(row, columns, [row.row[name] for name in full]) if full else row


def _with(row: Record, columns: Sequence[str], images: object) -> Record:
    others = {name: value for name, value in row.row.items() if name not in columns}
    return Record({**others, "images": images}, row.where, row.path)


def checked_file(record: Record, field: str, name: str) -> str:
    """The name of a file in one writing: "./a.jpg" is "a.jpg".

    Raises:
        DataError: it is an address or the data of a picture.
    """
    if name.startswith("data:"):
        raise record.wrong(field, "the name of a file", "save the data URI as a file, and name that")
    if "://" in name:
        raise record.wrong(field, "the name of a file", "nothing is downloaded, so fetch it and name the file")
    return normpath(name)


def _parts_of(text: str) -> Iterator[_Part]:
    """The text in pieces, and a picture for each mark."""
    place = 0
    text = text.replace(PHOTO_MARK, " ")  # a stranger's would count as a picture
    for found in _IMAGE_MARK.finditer(text):
        if piece := text[place : found.start()].strip():
            yield piece
        number = found["number"]
        yield _Picture(normpath(found["file"] or "") if found["file"] else "", int(number) if number else None)
        place = found.end()
    if piece := text[place:].strip():
        yield piece


def _check(row: Record, turns: Sequence[_Turn], field: str) -> None:
    for turn in turns[1:]:
        if turn.role == "system":
            raise DataError(f"{turn.label}: Expected the turn of the system first, but it comes later: move it")
    if turns[-1].role != "user":
        raise row.wrong(field, "a question of the user in the last turn, or before the answer of the assistant")


def _filled(
    row: Record, turns: Sequence[_Turn], images: Sequence[str], listed: str
) -> list[tuple[RoleName, str, tuple[str, ...]]]:
    """The turns with files in place of marks; without any mark the pictures stand before what the user says first."""
    wanted = [part for turn in turns for part in turn.parts if isinstance(part, _Picture) and not part.file]
    first = next(place for place, turn in enumerate(turns) if turn.role == "user")
    named = [part.file for turn in turns for part in turn.parts if isinstance(part, _Picture) and part.file]
    if named and not wanted and images:
        if Counter(named) != Counter(images):
            raise DataError(
                f"{row.label(listed)}: Expected the pictures that the turns name ({short_repr(named)}), but got "
                f"{short_repr(list(images))}: leave {listed} out"
            )
        images = ()  # the turns have them
    if not wanted:
        shown = tuple(_Picture(each) for each in images)
        turns = [
            _Turn(turn.role, (*shown, *turn.parts), turn.label) if place == first else turn
            for place, turn in enumerate(turns)
        ]
    numbers = sorted(each.number for each in wanted if each.number is not None)
    start = numbers[0] if numbers and numbers[0] in (0, 1) else 1
    # All numbered, from 0 or 1 on, each once, or none: "<image>, <image 1>" may be one picture or two.
    fits = len(wanted) == len(images) and (not numbers or numbers == [*range(start, start + len(images))])
    if wanted and not fits:
        are = f"{count_noun(len(wanted), 'mark')} of pictures in the texts and {count_noun(len(images), 'picture')}"
        raise DataError(
            f"{row.label(listed)}: Expected a mark (<image>, or <image 1> and so on) for each picture, each once, "
            f"but got {are}: {short_repr(list(images))}"
        )
    left = iter(images)

    def file_of(part: _Picture) -> str:
        if part.file:
            return part.file
        return next(left) if part.number is None else images[part.number - start]

    return [
        (
            turn.role,
            _joined(turn.parts),
            tuple(file_of(part) for part in turn.parts if isinstance(part, _Picture)),
        )
        for turn in turns
    ]


def _joined(parts: Sequence[_Part]) -> str:
    return " ".join(part if isinstance(part, str) else PHOTO_MARK for part in parts)


def _split(said: str) -> tuple[str, str]:
    """What stands before the question, up to its last mark, and the question.

    A question may hold pictures itself: "What is the difference between [1] and [2]?".
    """
    before, mark, behind = said.rpartition(PHOTO_MARK)
    behind = behind.strip()
    if mark and "?" not in before and begins_as_question(behind) and _is_at_a_start(before, behind):
        return f"{before}{mark}", behind
    text = said.lstrip(f"{PHOTO_MARK} ")
    lead = said[: len(said) - len(text)].replace(" ", "")
    return lead, text.strip()


def _is_at_a_start(before: str, behind: str) -> bool:
    """True if a sentence begins behind the last mark: not in "How many people in [1] are sitting?"."""
    last = before.rpartition(PHOTO_MARK)[2].strip()
    return not last or is_label(last) or last[-1] in ".:!;" or (behind[0].isupper() and not begins_as_question(last))
