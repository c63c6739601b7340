"""``answers:FILE``: answers that were obtained elsewhere, read from a file.

JSON Lines, one object a line: ``{"id", "photo", "picture", "task", "text", "answer"}``, where ``answer`` is text, or
null while unanswered. A row is matched by ``id``, the query's, or, for pictures without edits, by ``published`` (the id
of a question of a published pair, as in ``carets:DIR``) or by ``photo``, with or without ".jpg", and ``text`` (and
``task``, where given), in this order. A repeated query (``control.repeat``) is matched by ``id`` alone. Other fields
are ignored. FILE need not exist yet.

A row of a conversation also has ``turns``: ``[{"role", "parts": [{"text"} or {"photo", "picture"}]}]``. It is matched
by ``id`` or, for pictures without edits, by ``turns`` (and ``task``, where given), and by nothing else.

Queries without an answer are added to ``FILE.todo.jsonl``, as rows of the same form with ``answer`` null. Once
answered, by whatever means, they belong into FILE.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from reprlib import repr as shortened
from typing import ClassVar, TypeAlias

from pytest_vqamt.core.atomic_write import replacing
from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.conversation import Ability, Part, Role, Turn
from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.core.identity import canonical_json
from pytest_vqamt.core.input_files import MAX_DATA_BYTES, expanded, parse_json, read_bytes
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Answer, ModelInput, Query, Task
from pytest_vqamt.core.recipes import picture_recipe
from pytest_vqamt.core.text import cut
from pytest_vqamt.models.protocol import ModelOptions

_ContentKey: TypeAlias = tuple[str | None, str | None, Task | None]
"""A photo's id, a text, and the task where the row names one; of a conversation None and all that is said in it."""

_SUFFIX = ".jpg"
"""Of a photo's id; rows may have it or not."""

MAX_NAMED = 3
"""The number of unanswered queries that the message at the end of a run names."""

_MOST_OF_A_TEXT = 150
"""Characters of a query's text in messages."""


def load(argument: str, _options: ModelOptions) -> AnswersFile:
    """The answers in the file ``argument``.

    Raises:
        OptionError: the file's folder does not exist.
        DataError: the file cannot be read, or a line of it is invalid.
    """
    path = expanded(argument).absolute()
    if not path.parent.is_dir():
        raise OptionError(f"Expected answers:FILE in a folder that exists, but got model={f'answers:{argument}'!r}")
    return AnswersFile(path)


class AnswersFile:
    """Answers queries from a file, and lists missing ones. Its fingerprint is the digest of the file."""

    batch_size = 256
    # A row of its own has the answer with reasoning: the todo list asks for it.
    switches_reasoning = True
    takes: ClassVar[tuple[Ability, ...]] = tuple(Ability)

    def __init__(self, path: Path) -> None:
        self._path = path
        content = _read(path)
        self.fingerprint = sha256(content).hexdigest()[:16]
        self._rows = _AnswerIndex()
        for number, line in numbered_lines(content):
            self._rows.add(parse_row(line, f"{path}:{number}"))
        self._todo_ids: set[str] | None = None

    @property
    def todo_file(self) -> Path:
        return self._path.with_name(f"{self._path.name}.todo.jsonl")

    def answer(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        return tuple(Answer(self._answer_to(item.query)) for item in batch)

    entail = caption = answer

    def lacks(self, query: Query) -> bool:
        return self._rows.find(query) is None

    def todo(self, queries: Iterable[Query]) -> None:
        # Read once: other processes only add rows, and a row twice does no harm.
        if self._todo_ids is None:
            rows = (_parse_or_none(line) for _, line in numbered_lines(_read(self.todo_file)))
            self._todo_ids = {row.id for row in rows if row and row.id}
        lacking = {query.id: query for query in queries}
        new = [query for query_id, query in lacking.items() if query_id not in self._todo_ids]
        if new:
            _append(self.todo_file, "".join(map(todo_line, new)).encode())
            self._todo_ids.update(query.id for query in new)

    def prune(self) -> None:
        before = _read(self.todo_file)
        lines = (line for _, line in numbered_lines(before))
        # The last line may have been cut off; ended, it cannot spoil the one that is added next.
        after = b"".join(line + b"\n" for line in lines if not self._rows.is_answered(_parse_or_none(line)))
        if after != before:
            _replace(self.todo_file, after)

    def _answer_to(self, query: Query) -> str:
        row = self._rows.find(query)
        if row is None or row.answer is None:
            raise DataError(
                f"Expected {self._path} to answer every query, but it has no answer for id={query.id!r}, "
                f"text={shortened(query.text)}"
            )
        return row.answer


@dataclass(slots=True)
class _AnswerIndex:
    """The answered rows, by everything that can match them."""

    by_id: dict[str, AnswerRow] = field(default_factory=dict)
    """By the id of the query."""
    by_published: dict[str, AnswerRow] = field(default_factory=dict)
    """Rows of pictures without edits, by the id of the published question."""
    by_content: dict[_ContentKey, AnswerRow] = field(default_factory=dict)
    """Rows of pictures without edits; the first of each key."""
    conflicts: dict[_ContentKey, AnswerRow] = field(default_factory=dict)
    """The first row that contradicts the one in ``by_content``."""

    def add(self, row: AnswerRow) -> None:
        # A row of the todo list that was copied into the file as it is.
        if row.answer is None:
            return
        for name, known in ((row.id, self.by_id), (row.published if row.plain else None, self.by_published)):
            if name is not None and (first := known.setdefault(name, row)).answer != row.answer:
                # An id names one query, so two answers cannot both be right.
                raise _contradiction(first, row)
        key: _ContentKey | None = None
        if row.said is not None:
            key = (None, row.said, row.task)
        elif row.plain and row.photo is not None and row.text is not None:
            key = (row.photo, row.text, row.task)
        if key is not None and self.by_content.setdefault(key, row).answer != row.answer:
            self.conflicts.setdefault(key, row)

    def is_answered(self, row: AnswerRow | None) -> bool:
        """True if a row of the todo list has been answered."""
        if row is None:
            return False
        if row.said is not None:
            keys = _content_keys(None, row.said, row.task)
            return row.id in self.by_id or any(each in self.by_content for each in keys)
        # An edited picture has no other key than the id.
        if row.id in self.by_id or not row.plain:
            return row.id in self.by_id
        keys = _content_keys(row.photo, row.text, row.task)
        return row.published in self.by_published or any(each in self.by_content for each in keys)

    def find(self, query: Query) -> AnswerRow | None:
        row = self.by_id.get(query.id)
        # Photo and text name the unedited picture, asked for the first time, without reasoning.
        if row is not None or any(picture.edits for picture in query.pictures) or query.manner:
            return row
        return self._by_published_id(query) or self._by_content(query)

    def _by_published_id(self, query: Query) -> AnswerRow | None:
        rows = [self.by_published[name] for name in published_ids(query) if name in self.by_published]
        for row in rows:
            if row.answer != rows[0].answer:
                raise _contradiction(rows[0], row)
        return rows[0] if rows else None

    def _by_content(self, query: Query) -> AnswerRow | None:
        photo, text = (None, _said_in(query.turns)) if query.turns else (query.picture.photo.id, query.text)
        for key in _content_keys(photo, text, query.task):
            # Photo ids may repeat between scene sources, so rows that differ matter only where one of them is needed.
            if key in self.conflicts:
                raise _contradiction(self.by_content[key], self.conflicts[key])
            if key in self.by_content:
                return self.by_content[key]
        return None


def _content_keys(photo: str | None, text: str | None, task: Task | None) -> Iterator[_ContentKey]:
    """Yields the keys of rows that may answer a text: by the photo's id, then by that id with or without ".jpg"."""
    names = [photo]
    if photo is not None:
        names.append(photo.removesuffix(_SUFFIX) if photo.endswith(_SUFFIX) else f"{photo}{_SUFFIX}")
    for name in names:
        yield name, text, task
        yield name, text, None


def _said_in(turns: Iterable[Turn]) -> str:
    """All that is said in a conversation, with the pictures by their photos."""
    return _conversation_key((turn.role, [_key_of(part) for part in turn.parts]) for turn in turns)


def _key_of(part: Part) -> Json:
    return ["photo", part.photo.id.removesuffix(_SUFFIX)] if isinstance(part, Picture) else ["text", str(part)]


def _conversation_key(turns: Iterable[tuple[Role, list[Json]]]) -> str:
    return canonical_json([[role.value, parts] for role, parts in turns])


def _contradiction(first: AnswerRow, second: AnswerRow) -> DataError:
    query = f"id={second.id!r}, photo={second.photo!r}, text={second.text!r}"
    if second.published is not None:
        query += f", published={second.published!r}"
    return DataError(
        f"{second.where}: Expected one answer for {query}, "
        f"but got {second.answer!r} here and {first.answer!r} at {first.where}"
    )


def _parse_or_none(line: bytes) -> AnswerRow | None:
    """Parses a line of the todo list; None for a line that was cut off, or broken while a person filled it in."""
    try:
        return parse_row(line, "")
    except DataError:
        return None


def _read(path: Path) -> bytes:
    """The content of a file; empty if there is none."""
    try:
        return read_bytes(path, MAX_DATA_BYTES, is_text=True)
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise DataError(f"Expected a file of answers that can be read, but got path={str(path)!r}: {error}") from error


def _replace(path: Path, content: bytes) -> None:
    """Replaces a file's content atomically; deletes the file where there is no content."""
    try:
        if not content:
            path.unlink()
            return
        with replacing(path) as part:
            part.write_bytes(content)
    except OSError as error:
        raise DataError(f"Expected to shorten the list of queries in {str(path)!r}, but got: {error}") from error


def _append(path: Path, lines: bytes) -> None:
    """Adds whole lines in one write, so that lines of several processes do not mix."""
    try:
        with path.open("ab", buffering=0) as file:
            written = file.write(lines)
    except OSError as error:
        raise DataError(f"Expected to add to the list of queries in {str(path)!r}, but got: {error}") from error
    if written != len(lines):
        raise DataError(f"Expected to add {len(lines)} bytes to the list of queries in {path}, but got {written}")


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRow:
    """One row as it was read."""

    where: str
    """File and line, for messages."""
    id: str | None
    """Of the query; None where missing."""
    photo: str | None
    """The photo's id; None where missing."""
    text: str | None
    """The question or the hypothesis; None where missing."""
    task: Task | None
    """None where missing: the row answers the text in any task."""
    published: str | None
    """The id of the published question, prefixed with its file's name."""
    plain: bool
    """True if photo and text name the query: one picture without edits, no repetition, and no wish for reasoning."""
    said: str | None
    """What names the query by a conversation about pictures without edits; None for any other."""
    answer: str | None
    """None while unanswered."""


def name_queries(queries: Sequence[Query]) -> str:
    """The first queries in words: "the first: 'Is there a dog?' on 7.jpg, ..."."""
    return (
        f"the first: {', '.join(f'{_query_label(query)} on {query.picture.photo.id}' for query in queries[:MAX_NAMED])}"
    )


def _query_label(query: Query) -> str:
    text = cut(query.text, _MOST_OF_A_TEXT)
    return repr(text) if text else f"the {query.task.value}"


def published_ids(query: Query) -> tuple[str, ...]:
    """The ids of the published questions that equal this query; none for edited pictures and repetitions.

    Only questions of pairs count: their ids are unique in the whole data set.
    """
    if query.turns or query.picture.edits or query.manner:
        return ()
    questions = query.picture.scene.questions
    of_pairs = {name for each in questions if each.pair for name in (each.id, each.pair.original)}
    return tuple(each.id for each in questions if each.text == query.text and each.id in of_pairs)


def todo_line(query: Query) -> str:
    """The line of the todo list for a query."""
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
    if query.reasoning is not None:
        row["reasoning"] = query.reasoning
    if query.turns:
        row["turns"] = [
            {"role": turn.role.value, "parts": [_part_row(part) for part in turn.parts]} for turn in query.turns
        ]
    if ids := published_ids(query):
        row["published"] = ids[0]
    return json.dumps(row, ensure_ascii=False) + "\n"


def _part_row(part: Part) -> dict[str, Json]:
    if isinstance(part, Picture):
        return {"photo": part.photo.id, "picture": picture_recipe(part)}
    return {"text": str(part)}


def numbered_lines(content: bytes) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, with their numbers from 1."""
    # Editors on Windows begin a file with the mark of UTF-8.
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if line.strip():
            yield number, line


def parse_row(line: bytes, where: str) -> AnswerRow:
    """Parses a row.

    Raises:
        DataError: the line is invalid; the message begins with ``where``.
    """
    fields = _json_object(line, where)
    if "answer" not in fields:
        raise DataError(f"{where}: Expected a row with 'answer' (text, or null), but got {', '.join(fields) or 'none'}")
    is_first = not fields.get("trial") and fields.get("reasoning") is None
    turns = fields.get("turns")
    row = AnswerRow(
        where=where,
        id=_text_field(fields, "id", where),
        photo=_text_field(fields, "photo", where),
        text=_text_field(fields, "text", where),
        task=_task_field(fields, where),
        published=_text_field(fields, "published", where),
        plain=not _has_edits(fields, where) and is_first and turns is None,
        said=None if turns is None else _said_in_rows(turns, where, is_first=is_first),
        answer=_text_field(fields, "answer", where),
    )
    named = row.id is not None or row.published is not None or row.said is not None
    if not named and (row.photo is None or row.text is None):
        raise DataError(
            f"{where}: Expected a row with 'id', with 'published', or with 'photo' and 'text', "
            f"but got {', '.join(fields)}"
        )
    return row


def _json_object(line: bytes, where: str) -> dict[str, object]:
    try:
        row = parse_json(line)
    except ValueError as error:
        raise DataError(
            f"{where}: Expected a JSON object, but got {shortened(line)}: {error}; write one JSON object a line"
        ) from error
    if not isinstance(row, dict):
        raise DataError(f"{where}: Expected a JSON object, but got {shortened(row)}")
    return row


def _text_field(fields: dict[str, object], name: str, where: str) -> str | None:
    value = fields.get(name)
    if not isinstance(value, str | None):
        raise DataError(f"{where}: Expected {name!r} to be text or null, but got {name}={shortened(value)}")
    return value


def _task_field(fields: dict[str, object], where: str) -> Task | None:
    task = _text_field(fields, "task", where)
    if task is None:
        return None
    if task not in set(Task):
        raise DataError(f"{where}: Expected 'task' to be one of {', '.join(Task)}, but got task={task!r}")
    return Task(task)


def _said_in_rows(turns: object, where: str, *, is_first: bool) -> str | None:
    """The conversation in a row as ``_said_in`` gives it; None where only the id names it."""
    rows = turns if isinstance(turns, list) else [turns]
    found: list[tuple[Role, list[Json]]] = []
    for row in rows:
        match row:
            case {"role": str(role), "parts": list(parts)} if role in set(Role):
                found.append((Role(role), [_key_in_row(part, where) for part in parts]))
            case _:
                raise DataError(
                    f"{where}: Expected 'turns' to be a list of objects with 'role' ({', '.join(Role)}) and 'parts', a "
                    f"list, but got {shortened(row)}"
                )
    is_plain = is_first and all(key is not None for _, keys in found for key in keys)
    return _conversation_key(found) if is_plain else None


def _key_in_row(part: object, where: str) -> Json:
    """The key of a part; None for a picture with edits."""
    match part:
        case {"text": str(text)}:
            return ["text", text]
        case {"photo": str(photo)} | {"picture": {"photo": str(photo)}}:
            assert isinstance(part, dict)
            return None if _has_edits(part, where) else ["photo", photo.removesuffix(_SUFFIX)]
        case _:
            raise DataError(
                f"{where}: Expected each part of 'turns' to have 'text', or 'photo' and 'picture', but got "
                f"{shortened(part)}"
            )


def _has_edits(fields: dict[str, object], where: str) -> bool:
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
