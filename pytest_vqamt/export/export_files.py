"""The files of an export, which appear whole or not at all."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TextIO

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.query import Task
from pytest_vqamt.export.cases import UsedQuery
from pytest_vqamt.imaging.render import render

EXPORT_FILE = "export.json"
"""The file with the source, the settings and the counts of an export."""

_MARK = ".vqamt-export"
"""A file in an unfinished export, by which the next one knows that it may remove the folder."""
_SORTING = ".sorting"
"""The folder of the temporary database."""

_TEXT_FIELDS = {Task.VQA: "question", Task.ENTAILMENT: "hypothesis"}
"""The field of the text by task; a caption has none, whatever its prompt."""
_LABEL_FIELDS = {Task.VQA: "answer", Task.ENTAILMENT: "label", Task.CAPTIONING: "caption"}


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """Yields a temporary folder that becomes ``folder`` at the end.

    On an error nothing is left. What a killed export left, named after ``folder`` with ".part", the next one removes.

    Raises:
        OptionError: ``folder`` exists already, or cannot be written.
    """
    if folder.is_file() or (folder.is_dir() and any(folder.iterdir())):
        raise OptionError(
            f"Expected a new folder, but got -o {str(folder)!r}, which is there: name another, or remove it"
        )
    folder = folder.resolve()
    part = folder.with_name(f"{folder.name}.part")
    try:
        if part.exists() and not (part / _MARK).exists():
            raise OptionError(
                f"Expected {str(part)!r} to be free, to write the export there first, but it is not ours: rename it"
            )
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        (part / _MARK).touch()
        try:
            yield part
            if folder.is_dir():  # an empty one, as checked above
                folder.rmdir()
            part.replace(folder)
            (folder / _MARK).unlink()
        except BaseException:
            shutil.rmtree(part, ignore_errors=True)
            raise
    except OSError as error:
        raise OptionError(
            f"Expected a folder that can be written, but got -o {str(folder)!r} ({error.strerror or error}): name "
            "another, or make room"
        ) from error


@contextmanager
def scratch_folder(folder: Path) -> Iterator[Path]:
    """Yields a folder in ``folder`` for temporary files, and removes it."""
    beside = folder / _SORTING
    beside.mkdir()
    try:
        yield beside
    finally:
        shutil.rmtree(beside, ignore_errors=True)


class ExportWriter:
    """Writes the rows of an export, and each picture once."""

    def __init__(self, folder: Path, layout: Layout, vqamt_version: str) -> None:
        self._folder = folder
        self._layout = layout
        self._version = vqamt_version
        self._files: dict[str, TextIO] = {}
        self._open = ExitStack()
        self._drawn = 0

    def __enter__(self) -> ExportWriter:
        return self

    def __exit__(self, *error: object) -> None:
        self._open.close()

    def write(self, example: Example) -> None:
        """Writes a row, and its picture if it is new: as PNG, with the pixels that the model saw.

        Raises:
            RenderError: the picture cannot be rendered.
            DataError: its photo cannot be read.
            OSError: a file cannot be written.
        """
        picture = example.asked.query.picture
        image = f"{picture.digest}.png"
        if self._layout is Layout.JSONL:
            lines, image = self._folder / f"{example.side}.jsonl", f"images/{image}"
        else:
            lines = self._folder / example.side / "metadata.jsonl"
        file = lines.parent / image
        if not file.exists():  # several rows are about one picture, and it is drawn once
            file.parent.mkdir(parents=True, exist_ok=True)
            render(picture, example.asked.source).save(file, format="PNG")
            self._drawn += 1
        row = example_row(example, self._layout, image, self._version)
        self._to(lines).write(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")

    @property
    def pictures(self) -> int:
        """The number of pictures written."""
        return self._drawn

    def about(self, facts: dict[str, Json]) -> None:
        """Writes ``export.json``."""
        text = json.dumps(facts, ensure_ascii=False, indent=1) + "\n"
        (self._folder / EXPORT_FILE).write_text(text, encoding="utf-8")

    def _to(self, file: Path) -> TextIO:
        name = str(file)
        if name not in self._files:
            self._files[name] = self._open.enter_context(file.open("w", encoding="utf-8", newline="\n"))
        return self._files[name]


class Layout(StrEnum):
    """The layout of the files.

    JSONL: a JSON Lines file for each side of the split, one folder of pictures, fields named after the task.
    IMAGEFOLDER: for ``datasets.load_dataset("imagefolder", data_dir=...)``; all rows have the same columns.
    """

    JSONL = "jsonl"
    IMAGEFOLDER = "imagefolder"


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A reported query with its label."""

    asked: UsedQuery
    """The query and the cases that use it."""
    label: str
    """The right answer, the label of the hypothesis, or a caption."""
    certain: bool
    """True if the annotations leave no doubt about the label."""
    side: str
    """The side of the split."""


def example_row(example: Example, layout: Layout, image: str, vqamt_version: str) -> dict[str, Json]:
    """The row of an example; ``image`` is the path of its picture, relative to the row's file."""
    query = example.asked.query
    start: dict[str, Json]
    if layout is Layout.IMAGEFOLDER:
        start = {"file_name": image, "task": query.task.value, "text": query.text, "label": example.label}
    else:
        asked: dict[str, Json] = {_TEXT_FIELDS[query.task]: query.text} if query.task in _TEXT_FIELDS else {}
        start = {"image": image, "task": query.task.value, **asked, _LABEL_FIELDS[query.task]: example.label}
    return {**start, **_provenance(example, vqamt_version)}


def _provenance(example: Example, vqamt_version: str) -> dict[str, Json]:
    """The origin of a row. The lists are parallel, with an entry for each case and model, and never empty."""
    asked = example.asked
    picture = asked.query.picture
    return {
        "certain": example.certain,
        "query": asked.query.id,
        "picture": picture.digest,
        "edits": "; ".join(edit.words for edit in picture.edits),
        "photo": picture.photo.id,
        "scene": asked.scene,
        "data": asked.source.spec,
        "cases": [use.case for use in asked.uses],
        "relations": [use.item for use in asked.uses],
        "roles": [f"follow-up {use.role}" if use.role else "source" for use in asked.uses],
        "verdicts": [use.verdict for use in asked.uses],
        "models": [use.model for use in asked.uses],
        "said": [use.said for use in asked.uses],
        "read_as": [use.read_as for use in asked.uses],
        "vqamt_version": vqamt_version,
    }
