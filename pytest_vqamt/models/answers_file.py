"""``answers:FILE``: answers that were obtained elsewhere, read from a file; no model at hand.

JSON Lines, one object a line: ``{"id", "photo", "picture", "task", "text", "answer"}``, of which ``answer`` is text,
or null where it is not answered yet. A row is found by ``id``, the query's, or, where the picture has no edits, by
``published`` (the id of a question of a published pair, as ``carets:DIR`` has them) or by ``photo`` and ``text`` (and
``task``, where the row names one), in this order. A query that asks the same thing once more (``control.repeat``) is
found by ``id`` alone. Other fields are left alone. FILE need not exist yet.

Queries that lack an answer are added to ``FILE.todo.jsonl``, as rows of the same form with ``answer`` null. Once they
are answered, by whatever means, they belong into FILE.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from reprlib import repr as shortened
from typing import TypeAlias

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.core.query import Answer, ModelInput, Query, Task
from pytest_vqamt.core.recipes import picture_recipe
from pytest_vqamt.models.base import ModelOptions

_Asked: TypeAlias = tuple[str | None, str | None, Task | None]
"""A photo's id, a text, and the task where the row names one."""


def load(argument: str, _options: ModelOptions) -> AnswersFile:
    """The answers in the file that ``argument`` names.

    Raises:
        OptionError: there is no folder to hold the file.
        DataError: the file cannot be read, or a line of it is wrong.
    """
    path = Path(argument).expanduser().absolute()
    if not path.parent.is_dir():
        raise OptionError(f"Expected answers:FILE in a folder that exists, but got model={f'answers:{argument}'!r}")
    return AnswersFile(path)


class AnswersFile:
    """Answers queries from a file, and lists what the file lacks. Its fingerprint is the file's content."""

    batch_size = 256

    def __init__(self, path: Path) -> None:
        self._path = path
        content = _read(path)
        self.fingerprint = sha256(content).hexdigest()[:16]
        self._rows = _Rows()
        for number, line in lines_of(content):
            self._rows.add(parse(line, f"{path}:{number}"))
        self._listed: set[str] | None = None

    @property
    def todo_file(self) -> Path:
        return self._path.with_name(f"{self._path.name}.todo.jsonl")

    def answer(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        return tuple(Answer(self._found(asked.query)) for asked in batch)

    def entail(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        return self.answer(batch)

    def caption(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        return self.answer(batch)

    def lacks(self, query: Query) -> bool:
        return self._rows.find(query) is None

    def todo(self, queries: Iterable[Query]) -> None:
        if self._listed is None:
            rows = (_parsed(line) for _, line in lines_of(_read(self.todo_file)))
            self._listed = {row.id for row in rows if row and row.id}
        lacking = {query.id: query for query in queries}
        new = [query for query_id, query in lacking.items() if query_id not in self._listed]
        if new:
            _append(self.todo_file, "".join(map(unanswered, new)).encode())
            self._listed.update(query.id for query in new)

    def prune(self) -> None:
        before = _read(self.todo_file)
        lines = (line for _, line in lines_of(before))
        # The last line may have been cut off; ended, it cannot spoil the one that is added next.
        after = b"".join(line + b"\n" for line in lines if not self._rows.answer(_parsed(line)))
        if after != before:
            _replace(self.todo_file, after)

    def _found(self, query: Query) -> str:
        row = self._rows.find(query)
        if row is None or row.answer is None:
            raise DataError(
                f"Expected {self._path} to answer every query, but it has no answer for id={query.id!r}, "
                f"text={shortened(query.text)}"
            )
        return row.answer


@dataclass(slots=True)
class _Rows:
    """The rows that have an answer, by all that they can be found by."""

    by_id: dict[str, Row] = field(default_factory=dict)
    by_published: dict[str, Row] = field(default_factory=dict)
    by_asked: dict[_Asked, Row] = field(default_factory=dict)
    disputed: dict[_Asked, Row] = field(default_factory=dict)

    def add(self, row: Row) -> None:
        if row.answer is None:
            return
        for name, known in ((row.id, self.by_id), (row.published if row.plain else None, self.by_published)):
            if name is not None and (first := known.setdefault(name, row)).answer != row.answer:
                raise _contradiction(first, row)
        if row.plain and row.photo is not None and row.text is not None:
            asked: _Asked = (row.photo, row.text, row.task)
            if self.by_asked.setdefault(asked, row).answer != row.answer:
                self.disputed.setdefault(asked, row)

    def answer(self, row: Row | None) -> bool:
        """Whether what a row of the todo list asks is answered."""
        if row is None:
            return False
        if row.id in self.by_id or not row.plain:
            return row.id in self.by_id
        asked = [(row.photo, row.text, task) for task in (row.task, None)]
        return row.published in self.by_published or any(each in self.by_asked for each in asked)

    def find(self, query: Query) -> Row | None:
        row = self.by_id.get(query.id)
        if row is not None or query.picture.edits or query.trial:
            return row
        return self._of_published(query) or self._of_asked(query)

    def _of_published(self, query: Query) -> Row | None:
        rows = [self.by_published[name] for name in published(query) if name in self.by_published]
        for row in rows:
            if row.answer != rows[0].answer:
                raise _contradiction(rows[0], row)
        return rows[0] if rows else None

    def _of_asked(self, query: Query) -> Row | None:
        for task in (query.task, None):
            asked: _Asked = (query.picture.photo.id, query.text, task)
            # Photo ids may repeat between scene sources, so rows that differ matter only where one of them is needed.
            if asked in self.disputed:
                raise _contradiction(self.by_asked[asked], self.disputed[asked])
            if asked in self.by_asked:
                return self.by_asked[asked]
        return None


def _contradiction(first: Row, second: Row) -> DataError:
    told = f"id={second.id!r}, photo={second.photo!r}, text={second.text!r}"
    if second.published is not None:
        told += f", published={second.published!r}"
    return DataError(
        f"{second.where}: Expected one answer for {told}, "
        f"but got {second.answer!r} here and {first.answer!r} at {first.where}"
    )


def _parsed(line: bytes) -> Row | None:
    """The row of a line of the todo list; None for one that was cut off, or broken while it was being filled in."""
    try:
        return parse(line, "")
    except DataError:
        return None


def _read(path: Path) -> bytes:
    """The content of a file; nothing where there is no file."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise DataError(f"Expected a file of answers that can be read, but got path={str(path)!r}: {error}") from error


def _replace(path: Path, content: bytes) -> None:
    """Puts ``content`` in place of a file's, all at once; nothing at all in place of it takes the file away."""
    try:
        if not content:
            path.unlink()
            return
        rewritten = path.with_name(f"{path.name}.{os.getpid()}")
        rewritten.write_bytes(content)
        rewritten.replace(path)
    except OSError as error:
        raise DataError(f"Expected to shorten the list of queries in {str(path)!r}, but got: {error}") from error


def _append(path: Path, lines: bytes) -> None:
    """Adds whole lines in one write, which keeps those of other processes apart."""
    try:
        with path.open("ab", buffering=0) as file:
            written = file.write(lines)
    except OSError as error:
        raise DataError(f"Expected to add to the list of queries in {str(path)!r}, but got: {error}") from error
    if written != len(lines):
        raise DataError(f"Expected to add {len(lines)} bytes to the list of queries in {path}, but got {written}")


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
        "picture": picture_recipe(query.picture),
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
