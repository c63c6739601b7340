"""Annotates photos one by one, and adds their lines to files that a person corrects; no other line is touched."""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.errors import DataError, ModelError, VqamtError
from pytest_vqamt.core.progress_bar import SHOW_AFTER_S, progress_bar
from pytest_vqamt.core.text import error_reason, short_path
from pytest_vqamt.models.batching import is_out_of_memory
from pytest_vqamt.models.lost_device import device_lost, is_device_lost
from pytest_vqamt.models.protocol import ModelOptions

LEAST_SIDE_PX = 2.0
"""Narrower or lower boxes are left out: no question could be about them."""

_MAX_FAILURES_IN_A_ROW = 5
"""A model that fails on so many photos in a row fails on all."""

_WITHOUT_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP)
"""The errors of file systems that know no locks, such as some over a network."""

T = TypeVar("T")


class DetectionError(DataError):
    """The model failed on one photo."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotationOutcome:
    """The outcome of an annotation."""

    summary: str
    """The lines that were added, their files, and how to go on."""
    failures: tuple[str, ...] = ()
    """Why photos have no lines, one message a photo."""


def annotate_each(
    photos: Sequence[str], look: Callable[[str], T], write: Callable[[str, T], Sequence[int]]
) -> tuple[list[int], tuple[str, ...]]:
    """Looks at each photo and writes its lines at once, so that a killed command continues where it stopped.

    Returns:
        The number of objects in each line, and the messages on photos that ``look`` failed on.

    Raises:
        ModelError: the model fails on several photos in a row.
        DataError: the lines cannot be written.
    """
    counts: list[int] = []
    failures: list[str] = []
    in_a_row = 0
    with progress_bar("looking at photos", len(photos), "photo", delay_s=SHOW_AFTER_S) as advance:
        for photo in photos:
            try:
                found = look(photo)
            except DetectionError as error:
                # Only failures of the model: photos that cannot be read say nothing about it.
                in_a_row += 1
                failures.append(str(error))
                if in_a_row == _MAX_FAILURES_IN_A_ROW:
                    raise ModelError(f"{error}. So it did on the last {in_a_row} photos") from error
            except DataError as error:
                failures.append(str(error))
            else:
                in_a_row = 0
                counts += write(photo, found)
            advance()
    return counts, tuple(failures)


@contextmanager
def model_errors(model: str, photo: str, advice: str) -> Iterator[None]:
    """Turns the exceptions of a model on a photo into errors for the user.

    Raises:
        ModelError: the model would fail on each photo: memory or a package is missing.
        DetectionError: it failed on this one.
    """
    try:
        yield
    # Errors of ours already say what to do.
    except VqamtError:
        raise
    except Exception as error:
        why = f"Expected a {model} to look at {photo}, but it raised {type(error).__name__} ({error_reason(error)}): "
        # Neither passes with the next photo, so the command stops.
        if is_out_of_memory(error):
            raise ModelError(f"{why}give --device=cpu, or make the photo smaller") from error
        if is_device_lost(error):
            raise device_lost(model, error) from error
        if isinstance(error, ImportError):
            raise ModelError(f'{why}run: pip install "pytest-vqamt[photos]"') from error
        raise DetectionError(f"{why}{advice}") from error


def print_status(text: str) -> None:
    """Prints a status line to standard error."""
    print(f"vqamt: {text}", file=sys.stderr, flush=True)


def rounded(box: Box, size: tuple[int, int]) -> Box | None:
    """The box's part in a picture of ``size``, to a tenth of a pixel; None if it is smaller than ``LEAST_SIDE_PX``."""
    width, height = size
    # Corners are rounded, not width and height: so no box reaches beyond the picture.
    x0, y0 = round(max(0.0, box.x), 1), round(max(0.0, box.y), 1)
    x1, y1 = round(min(float(width), box.x1), 1), round(min(float(height), box.y1), 1)
    w, h = round(x1 - x0, 1), round(y1 - y0, 1)
    return Box(x0, y0, w, h) if w >= LEAST_SIDE_PX and h >= LEAST_SIDE_PX else None


def settings_named(options: ModelOptions, names: Sequence[str]) -> dict[str, str]:
    """The settings with these names, as they are written into notes."""
    return {name: options.settings[name] for name in names if name in options.settings}


def print_other_settings(others: Sequence[Mapping[str, object]], file: Path) -> None:
    """Prints that ``others`` wrote lines of ``file``, which stay as they are."""
    if others:
        by = " ".join(f"{name}={value}" for name, value in others[-1].items())
        print_status(
            f"other settings ({by}) wrote {len(others)} of the lines in {short_path(file)}, and these stay as they "
            "are: delete a line to have it written anew"
        )


def append(file: Path, rows: Sequence[Mapping[str, Json]]) -> None:
    """Adds a line for each row at the end of ``file``, which may be missing: all of them, or nothing.

    They are written in one go, so that a killed process leaves whole lines.

    Raises:
        DataError: the file cannot be written.
    """
    text = "".join(f"{json.dumps(row, ensure_ascii=False, separators=(', ', ': '))}\n" for row in rows)
    lines = text.encode(errors="backslashreplace")  # of a file's name that is no UTF-8; JSON reads it back
    try:
        with file.open("ab+", buffering=0) as opened:
            # The file may end without a line break: people edit it.
            before = opened.seek(0, os.SEEK_END)
            if before:
                opened.seek(before - 1)
                if opened.read(1) != b"\n":
                    lines = b"\n" + lines
            try:
                written = opened.write(lines)
            except OSError:
                with suppress(OSError):
                    # On a full disk a write may end in the middle of a line.
                    opened.truncate(before)
                raise
            if written != len(lines):
                opened.truncate(before)
                raise OSError(f"only {written} of {len(lines)} bytes could be written")
    except OSError as error:
        raise _unwritable(file, error) from error


@contextmanager
def only_writer(file: Path) -> Iterator[None]:
    """Makes this the only process within the block for this ``file``; a file system without locks lets all in.

    Raises:
        DataError: the folder of the file cannot be written.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(file.with_name(f".{file.name}.lock"))
    try:
        try:
            # Tried once without waiting, so that a message can say what the command waits for.
            lock.acquire(timeout=0)
        except Timeout:
            print_status(f"waiting for another process that adds to {short_path(file)}")
            lock.acquire()
    except NotImplementedError:  # a platform without locks
        pass
    except OSError as error:
        if error.errno not in _WITHOUT_LOCKS:
            raise _unwritable(file, error) from error
    try:
        yield
    finally:
        lock.release()


def _unwritable(file: Path, error: OSError) -> DataError:
    return DataError(
        f"Expected to write {short_path(file)}, the file of detections, but it cannot be written "
        f"({error_reason(error)}): make its folder writable, or copy the photos to one that is"
    )
