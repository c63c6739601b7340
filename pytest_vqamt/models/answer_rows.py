"""The rows of ``answers:FILE`` and of its list of what is to be answered."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from reprlib import repr as shortened

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.query import Query, Task
from pytest_vqamt.core.recipes import recipe


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row as it was read.

    Attributes:
        where: file and line, for messages.
        id, photo, text, task: what the row names; None where it is silent.
        published: the id of the published question that it answers, the file's name in front; None where it is silent.
        plain: whether the row is about a photo without edits, asked for the first time.
        answer: None where it is not answered yet.
    """

    where: str
    id: str | None
    photo: str | None
    text: str | None
    task: Task | None
    published: str | None
    plain: bool
    answer: str | None


NAMED = 3
"""So many queries that lack an answer are named where a run ends for them."""

_MOST_OF_A_TEXT = 150


def first_of(queries: Sequence[Query]) -> str:
    """The queries in words: "the first: 'Is there a dog?' on 7.jpg, ..."."""
    return f"the first: {', '.join(f'{_asked(query)} on {query.picture.photo.id}' for query in queries[:NAMED])}"


def _asked(query: Query) -> str:
    text = query.text if len(query.text) <= _MOST_OF_A_TEXT else f"{query.text[:_MOST_OF_A_TEXT]}..."
    return repr(text) if text else f"the {query.task.value}"


def published(query: Query) -> tuple[str, ...]:
    """The ids of the published questions, of pairs, that ask this very thing; none of an edited picture, or once more.

    Only those of pairs: their ids are unique in the whole data set.
    """
    if query.picture.edits or query.trial:
        return ()
    questions = query.picture.scene.questions
    of_pairs = {name for each in questions if each.pair for name in (each.id, each.pair.original)}
    return tuple(each.id for each in questions if each.text == query.text and each.id in of_pairs)


def unanswered(query: Query) -> str:
    """The row that asks for the answer to a query, as one line."""
    row: dict[str, Json] = {
        "id": query.id,
        "photo": query.picture.photo.id,
        "picture": recipe(query.picture),
        "task": query.task.value,
        "text": query.text,
        "answer": None,
    }
    if query.trial:
        row["trial"] = query.trial
    if ids := published(query):
        row["published"] = ids[0]
    return json.dumps(row, ensure_ascii=False) + "\n"


def lines_of(content: bytes) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, with their numbers from 1."""
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if line.strip():
            yield number, line


def parse(line: bytes, where: str) -> Row:
    """The row that a line holds.

    Raises:
        DataError: it holds none; the message begins with ``where``.
    """
    fields = _fields(line, where)
    if "answer" not in fields:
        raise DataError(f"{where}: Expected a row with 'answer' (text, or null), but got {', '.join(fields) or 'none'}")
    row = Row(
        where=where,
        id=_text(fields, "id", where),
        photo=_text(fields, "photo", where),
        text=_text(fields, "text", where),
        task=_task(fields, where),
        published=_text(fields, "published", where),
        plain=not _edits(fields, where) and not fields.get("trial"),
        answer=_text(fields, "answer", where),
    )
    if row.id is None and row.published is None and (row.photo is None or row.text is None):
        raise DataError(
            f"{where}: Expected a row with 'id', with 'published', or with 'photo' and 'text', "
            f"but got {', '.join(fields)}"
        )
    return row


def _fields(line: bytes, where: str) -> dict[str, object]:
    try:
        row: object = json.loads(line)
    except ValueError as error:
        raise DataError(f"{where}: Expected a JSON object, but got {shortened(line)}: {error}") from error
    if not isinstance(row, dict):
        raise DataError(f"{where}: Expected a JSON object, but got {shortened(row)}")
    return row


def _text(fields: dict[str, object], name: str, where: str) -> str | None:
    value = fields.get(name)
    if not isinstance(value, str | None):
        raise DataError(f"{where}: Expected {name!r} to be text or null, but got {name}={shortened(value)}")
    return value


def _task(fields: dict[str, object], where: str) -> Task | None:
    task = _text(fields, "task", where)
    if task is None:
        return None
    if task not in set(Task):
        raise DataError(f"{where}: Expected 'task' to be one of {', '.join(Task)}, but got task={task!r}")
    return Task(task)


def _edits(fields: dict[str, object], where: str) -> bool:
    """Whether the row's picture has edits."""
    picture = fields.get("picture")
    if picture is None:
        return False
    edits = picture.get("edits") if isinstance(picture, dict) else None
    if not isinstance(edits, list):
        raise DataError(
            f"{where}: Expected 'picture' to be a recipe (an object with a list 'edits') or left out, "
            f"but got picture={shortened(picture)}"
        )
    return bool(edits)
