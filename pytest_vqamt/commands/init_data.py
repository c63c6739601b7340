"""``vqamt init-data``: begins a file of scene graphs or of questions for a folder of photos."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from pytest_vqamt.annotation.line_writer import append, print_status
from pytest_vqamt.commands.main import ExitStatus
from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.text import count_noun, short_path
from pytest_vqamt.data.catalogue import from_home
from pytest_vqamt.data.own_photos import FILE, OwnPhotos, open_folder
from pytest_vqamt.data.photo_io import size_px

QUESTIONS = "questions.jsonl"
"""The file in the folder of photos."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    parser.epilog = (
        "A line for each photo that the file does not name yet is added; no line that is there is changed. Fill the "
        "lines in, see what is missing with vqamt check-data, and name the data as the last line of the output says."
    )
    parser.add_argument("folder", metavar="DIR", help="a folder of photos")
    parser.add_argument(
        "--questions",
        action="store_true",
        help=f"write {QUESTIONS}, to be filled in (docs/how-to/questions.md), and not {FILE} with the sizes",
    )


def run(arguments: argparse.Namespace) -> int:
    """Writes the lines, and prints where they are."""
    folder = open_folder(from_home(arguments.folder))
    file = folder.path / (QUESTIONS if arguments.questions else FILE)
    there = OwnPhotos(path=folder.path, name=file.name, key="image" if arguments.questions else "photo")
    row: Callable[[str], dict[str, Json]] = _question_row if arguments.questions else _graph_row(folder.path)
    rows, bad = [], 0
    for name in there.without_line():
        try:
            rows.append(row(name))
        except DataError as error:
            # A file that is no image, or broken: the others get their lines.
            bad += 1
            print_status(f"no line: {error}")
    append(file, rows)
    spec = f"questions:{file}" if arguments.questions else f"photos:{folder.path}"
    fill = "the question of each" if arguments.questions else "the objects of each"
    print(f"added {count_noun(len(rows), 'line')} to {short_path(file)}: fill in {fill}, then run")
    print(f"vqamt check-data {spec}")
    return ExitStatus.FINDING if bad else ExitStatus.OK


def _question_row(name: str) -> dict[str, Json]:
    return {"image": name, "question": None, "answer": None, "options": None}


def _graph_row(folder: Path) -> Callable[[str], dict[str, Json]]:
    def row(name: str) -> dict[str, Json]:
        width, height = size_px(folder / name)
        return {"id": name, "photo": name, "width": width, "height": height, "objects": []}

    return row
