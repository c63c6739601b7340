"""The pictures of queries that are to be answered elsewhere, as files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.errors import DataError, OptionError, RenderError
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.recipes import picture_of
from pytest_vqamt.data.base import SceneSource
from pytest_vqamt.imaging.render import render
from pytest_vqamt.integration.case_files import scenes_by_photo
from pytest_vqamt.models.answers_file import parse

if TYPE_CHECKING:
    from PIL import Image


INDEX = "index.jsonl"


def write_listed(file: Path, source: SceneSource, folder: Path) -> tuple[int, int]:
    """Writes each picture of the list once, and an index that says what is asked about it; gives how many of each.

    Raises:
        VqamtError: the list or the folder cannot be used, or a picture not be drawn.
    """
    _check(file, source)
    with _usable(folder):
        folder.mkdir(parents=True, exist_ok=True)
        return _write(file, source, folder)


@dataclass(frozen=True, slots=True, kw_only=True)
class _TodoRow:
    """A query of the list: ``where`` it stands, what it asks, and the recipe of its picture with two of its fields."""

    where: str
    id: str
    task: Task
    text: str
    recipe: Json
    photo: str
    digest: str


def _check(file: Path, source: SceneSource) -> None:
    """Reads the list whole, so that a bad row or other data cost no drawing."""
    known: set[str] = set()
    for asked in _listed(file):
        if asked.photo in known:
            continue
        try:
            source.place(asked.photo)
        except DataError as error:
            raise DataError(
                f"{asked.where}: Expected a photo of {source.spec}, but got photo={asked.photo!r}: "
                "name the data of that run with --data"
            ) from error
        known.add(asked.photo)


def _write(file: Path, source: SceneSource, folder: Path) -> tuple[int, int]:
    """How many queries and pictures were written. One picture at a time is held."""
    queries: set[str] = set()
    pictures: set[str] = set()
    unfinished = folder / f"{INDEX}.part"
    with unfinished.open("w", encoding="utf-8") as index:
        for asked in _listed(file):
            if asked.id in queries:
                continue  # several workers may have listed it
            queries.add(asked.id)
            image = f"{asked.digest}.png"
            if asked.digest not in pictures:
                _drawn(asked, source).save(folder / image)
                pictures.add(asked.digest)
            row = {"id": asked.id, "file": image, "task": asked.task.value, "text": asked.text}
            index.write(json.dumps(row, ensure_ascii=False) + "\n")
    unfinished.replace(folder / INDEX)
    return len(queries), len(pictures)


def _drawn(asked: _TodoRow, source: SceneSource) -> Image.Image:
    try:
        return render(picture_of(asked.recipe, scenes_by_photo(source)), source)
    except DataError as error:
        raise DataError(f"{asked.where}: {error}") from error
    except (OSError, RenderError) as error:
        raise RenderError(f"{asked.where}: {error}") from error


def _listed(file: Path) -> Iterator[_TodoRow]:
    """The queries of the list, line by line."""
    try:
        with file.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield _todo_row(line.rstrip(), f"{file}:{number}")
    except OSError as error:
        raise DataError(
            f"Expected the list FILE.todo.jsonl of a run with answers:FILE, but got file={str(file)!r} "
            f"({error.strerror}): name what that run has written"
        ) from error


def _todo_row(line: bytes, where: str) -> _TodoRow:
    row = parse(line, where)
    recipe = cast("dict[str, Json]", json.loads(line)).get("picture")
    if row.id is not None and row.text is not None and row.task is not None:
        match recipe:
            case {"photo": str(photo), "digest": str(digest)}:
                return _TodoRow(
                    where=where, id=row.id, task=row.task, text=row.text, recipe=recipe, photo=photo, digest=digest
                )
    raise DataError(
        f"{where}: Expected a row as a run lists it, with 'id', 'task', 'text' and a 'picture' of 'photo', 'digest' "
        f"and 'edits', but got id={row.id!r}: leave its fields as they were"
    )


@contextmanager
def _usable(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OptionError(
            f"Expected a folder that can be written, but got --render={str(folder)!r} ({error.strerror or error}): "
            "name another"
        ) from error
