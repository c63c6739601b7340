"""In which folder the photos lie that hypotheses are about."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.data.jsonl import JsonLines
from pytest_vqamt.data.messages import reason, shown_path
from pytest_vqamt.data.own.folder import SUFFIXES
from pytest_vqamt.data.snli_ve.rows import photo_of

PLACES = ("flickr30k-images", "flickr30k_images", "images", "")
"""The folders in which photos may lie, the likeliest first."""


def folder_of_photos(folder: Path, files: Iterable[Path]) -> Path | None:
    """The first of ``PLACES`` in ``folder`` that holds a photo which a line of ``files`` names; None where none does.

    Raises:
        DataError: a folder or a file cannot be read.
    """
    held = {place: names for name in PLACES if (names := _photos_in(place := folder / name))}
    if not held:
        return None
    for photo in _named(files):
        for place, names in held.items():
            if photo in names:
                return place
    return None


def _named(files: Iterable[Path]) -> Iterator[str]:
    """The photos that lines name, as far as they can be read; what is wrong with others is told elsewhere."""
    for file in files:
        for line in JsonLines(file):
            try:
                photo = photo_of(line.record())
            except DataError:
                continue
            if photo:
                yield photo


def _photos_in(folder: Path) -> frozenset[str]:
    if not folder.is_dir():
        return frozenset()
    try:
        with os.scandir(folder) as entries:
            return frozenset(entry.name for entry in entries if Path(entry.name).suffix.lower() in SUFFIXES)
    except OSError as error:
        raise DataError(
            f"Expected a folder of photos, but {shown_path(folder)} cannot be read ({reason(error)}): make it readable"
        ) from error
