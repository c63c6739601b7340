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

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from reprlib import repr as shortened
from typing import TypeAlias

from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.core.query import Answer, ModelInput, Query, Task
from pytest_vqamt.models.answer_rows import Row, lines_of, parse, published, unanswered
from pytest_vqamt.models.protocol import ModelOptions

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
