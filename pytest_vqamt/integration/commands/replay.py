"""``vqamt replay --render``: the pictures of queries that are to be answered elsewhere, as files."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from pytest_vqamt.core.codec import Json, decode
from pytest_vqamt.core.edits import EDITS, Edit
from pytest_vqamt.core.errors import DataError, OptionError, RenderError
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.data import catalogue as sources
from pytest_vqamt.data.base import SceneSource
from pytest_vqamt.imaging.render import render
from pytest_vqamt.integration.commands.main import ExitStatus
from pytest_vqamt.models.answer_rows import parse

if TYPE_CHECKING:
    from PIL.Image import Image

INDEX = "index.jsonl"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.epilog = (
        f"DIR/{INDEX} has one JSON object a line: the id of a query, the file of its picture within DIR, its task and "
        "its text. A single case is asked again by `pytest --vqamt-replay=CASE-ID`."
    )
    parser.add_argument("file", metavar="FILE.todo.jsonl", type=Path, help="what a run with answers:FILE has listed")
    parser.add_argument("--render", metavar="DIR", type=Path, help="the folder to write the pictures into, each once")
    parser.add_argument(
        "--data", metavar="SPEC", default="pictures", help="the data of that run (default: %(default)s)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Writes the pictures, and an index that says what is asked about each.

    Raises:
        VqamtError: the list, the data or the folder cannot be used.
    """
    file, folder = arguments.file, arguments.render
    if folder is None:
        raise OptionError(
            f"Expected --render DIR and a list of queries, but got {str(file)!r} alone: "
            "a case is asked again by `pytest --vqamt-replay=CASE-ID`"
        )
    source = sources.load(arguments.data)
    scenes = _places(file, source)
    with _usable(folder):
        folder.mkdir(parents=True, exist_ok=True)
        queries, pictures = _write(file, source, scenes, folder)
    print(f"{queries} queries on {pictures} pictures: {folder / INDEX}")
    return ExitStatus.OK


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """A query of the list: ``where`` it stands, what it asks, and the recipe of its picture."""

    where: str
    id: str
    task: Task
    text: str
    photo: str
    digest: str
    edits: Json


def _write(file: Path, source: SceneSource, scenes: dict[str, int], folder: Path) -> tuple[int, int]:
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
                _drawn(asked, source, scenes[asked.photo]).save(folder / image)
                pictures.add(asked.digest)
            row = {"id": asked.id, "file": image, "task": asked.task.value, "text": asked.text}
            index.write(json.dumps(row, ensure_ascii=False) + "\n")
    unfinished.replace(folder / INDEX)
    return len(queries), len(pictures)


def _drawn(asked: _Asked, source: SceneSource, place: int) -> Image:
    picture = _picture(asked, source.scene(place))
    try:
        return render(picture, source)
    except (OSError, RenderError) as error:
        raise RenderError(f"{asked.where}: {error}") from error


def _picture(asked: _Asked, scene: Scene) -> Picture:
    try:
        picture = scene.picture
        for edit in cast("tuple[object, ...]", decode(asked.edits)):
            if not isinstance(edit, EDITS):
                raise DataError(f"Expected an edit, but got {edit!r}")
            picture = picture.edit(cast("Edit", edit))
    except (AttributeError, DataError, TypeError, ValueError) as error:
        raise DataError(f"{asked.where}: Expected a recipe that this version reads: {error}") from error
    if picture.digest != asked.digest:
        raise DataError(
            f"{asked.where}: Expected the photo that the query was made on, but photo={asked.photo!r} gives "
            f"digest={picture.digest!r} and not {asked.digest!r}: name the data of that run with --data"
        )
    return picture


def _places(file: Path, source: SceneSource) -> dict[str, int]:
    """Where in the source the scene of each photo is; reads the list whole, so that a bad row costs no drawing."""
    wanted: dict[str, str] = {}
    for asked in _listed(file):
        wanted.setdefault(asked.photo, asked.where)
    found: dict[str, int] = {}
    for index in range(len(source)):
        if len(found) == len(wanted):
            break
        photo = source.scene(index).photo.id
        if photo in wanted:
            found.setdefault(photo, index)
    for photo, where in wanted.items():
        if photo not in found:
            raise DataError(
                f"{where}: Expected a photo of {source.spec}, but got photo={photo!r}: "
                "name the data of that run with --data"
            )
    return found


def _listed(file: Path) -> Iterator[_Asked]:
    """The queries of the list, line by line."""
    try:
        with file.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield _asked(line.rstrip(), f"{file}:{number}")
    except OSError as error:
        raise DataError(
            f"Expected the list FILE.todo.jsonl of a run with answers:FILE, but got file={str(file)!r} "
            f"({error.strerror}): name what that run has written"
        ) from error


def _asked(line: bytes, where: str) -> _Asked:
    row = parse(line, where)
    recipe = cast("dict[str, Json]", json.loads(line)).get("picture")
    if isinstance(recipe, dict) and row.id is not None and row.text is not None and row.task is not None:
        photo, digest, edits = (recipe.get(name) for name in ("photo", "digest", "edits"))
        if isinstance(photo, str) and isinstance(digest, str):
            return _Asked(where=where, id=row.id, task=row.task, text=row.text, photo=photo, digest=digest, edits=edits)
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
