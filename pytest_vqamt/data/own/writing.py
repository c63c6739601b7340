"""What detectors found in a photo as a line of a file of scene graphs; the line is added, and no other is touched."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import IO

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.detections import DetectedObject
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.scene import Photo, Region, Scene, Thing
from pytest_vqamt.data.messages import error_reason, short_name, short_path
from pytest_vqamt.data.own.graphs import row_of_scene, scene_of_row
from pytest_vqamt.data.scene_graphs.cleaning import cleaned, is_multi_coloured

LEAST_SIDE_PX = 2.0
"""What is narrower or lower nobody could be asked about."""


def usable(findings: Iterable[DetectedObject], size: tuple[int, int]) -> tuple[DetectedObject, ...]:
    """The findings as they are written for a photo of ``size`` (width, height).

    Names are cleaned, and boxes rounded to a tenth of a pixel. What has no name in letters or digits, or next to no
    size, is left out.
    """
    found = []
    for each in findings:
        name, box = cleaned(each.name), rounded(each.box, size)
        if name and box is not None:
            attributes = dict.fromkeys(text for attribute in each.attributes if (text := cleaned(attribute)))
            found.append(replace(each, name=name, box=box, attributes=tuple(attributes)))
    return tuple(found)


def row_of(findings: Sequence[DetectedObject], *, scene_id: str, file: str, size: tuple[int, int]) -> dict[str, Json]:
    """The row of a photo of ``size`` (width, height), in which all the ``usable`` findings are.

    Things are called "1", "2" and so on in their order; crowds have no ids. Nothing is said to be exhaustive: what was
    not found may be there all the same.
    """
    things = {str(number): each for number, each in enumerate(things_of(findings), start=1)}
    scene = Scene(
        id=scene_id,
        photo=Photo(id=scene_id, digest=""),
        width=size[0],
        height=size[1],
        objects=tuple(
            Thing(
                id=thing_id,
                name=each.name,
                box=each.box,
                attributes=each.attributes,
                has_mask=bool(each.polygons),
                multi_coloured=is_multi_coloured(each.attributes, each.name),
            )
            for thing_id, each in things.items()
        ),
        regions=tuple(Region(name=each.name, box=each.box) for each in findings if each.is_crowd),
    )
    row = row_of_scene(scene, file, {thing_id: each.polygons for thing_id, each in things.items()})
    scene_of_row(row, short_name(file))  # or it could not be read back
    return row


def things_of(findings: Iterable[DetectedObject]) -> tuple[DetectedObject, ...]:
    """The findings that are things: all but crowds."""
    return tuple(each for each in findings if not each.is_crowd)


def rounded(box: Box, size: tuple[int, int]) -> Box | None:
    """The box's part in a picture of ``size``, to a tenth of a pixel; None where that has next to no size."""
    width, height = size
    x0, y0 = round(max(0.0, box.x), 1), round(max(0.0, box.y), 1)
    x1, y1 = round(min(float(width), box.x1), 1), round(min(float(height), box.y1), 1)
    w, h = round(x1 - x0, 1), round(y1 - y0, 1)
    return Box(x0, y0, w, h) if w >= LEAST_SIDE_PX and h >= LEAST_SIDE_PX else None


def append(file: Path, rows: Sequence[dict[str, Json]]) -> None:
    """Adds a line for each row at the end of ``file``, which need not be there yet: all of them, or nothing.

    They are written in one go, so that who kills the process finds whole lines.

    Raises:
        DataError: the file cannot be written.
    """
    text = "".join(f"{json.dumps(row, ensure_ascii=False, separators=(', ', ': '))}\n" for row in rows)
    lines = text.encode(errors="backslashreplace")  # of a file's name that is no UTF-8; JSON reads it back
    try:
        with file.open("ab+", buffering=0) as opened:
            before = opened.seek(0, os.SEEK_END)
            if before:
                opened.seek(before - 1)
                if opened.read(1) != b"\n":
                    lines = b"\n" + lines
            try:
                written = opened.write(lines)
            except OSError:
                with suppress(OSError):
                    opened.truncate(before)
                raise
            if written != len(lines):
                opened.truncate(before)
                raise OSError(f"only {written} of {len(lines)} bytes could be written")
    except OSError as error:
        raise DataError(unwritable(file, error)) from error


def unwritable(file: Path, error: OSError) -> str:
    """What is said where what was found cannot be kept."""
    return (
        f"Expected to write {short_path(file)}, where what detectors find is kept, but it cannot be written "
        f"({error_reason(error)}): make its folder writable, or copy the photos to one that is"
    )


@contextmanager
def only_writer(file: Path) -> Iterator[None]:
    """Within it no other process of this machine is in it with the same ``file``, which is made where it is not there.

    It waits for others; when a process dies, it no longer holds the file. Windows and some network file systems know no
    such thing, and there it lets everybody in.

    Raises:
        DataError: the file cannot be written.
    """
    try:
        opened = file.open("ab")
    except OSError as error:
        raise DataError(unwritable(file, error)) from error
    with opened:
        _wait(opened, file)
        yield


def _wait(opened: IO[bytes], file: Path) -> None:
    try:
        import fcntl
    except ModuleNotFoundError:
        return
    with suppress(OSError):
        try:
            fcntl.flock(opened.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f"vqamt: waiting for another run that adds to {short_path(file)}", file=sys.stderr, flush=True)
            fcntl.flock(opened.fileno(), fcntl.LOCK_EX)
