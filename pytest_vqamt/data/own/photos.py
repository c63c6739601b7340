"""A folder of users' own photos with the scene graphs of what is in them."""

from __future__ import annotations

import json
import shlex
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.data.annotations import AnnotatedPhotos
from pytest_vqamt.data.messages import short_name, short_path
from pytest_vqamt.data.own.folder import FILE, SUFFIXES, OwnPhotos, open_folder
from pytest_vqamt.data.own.graphs import Graphs
from pytest_vqamt.data.photo_io import PhotoFiles

NOTES = "graphs.detected.jsonl"
"""The settings and scores of detections, which ``vqamt annotate`` writes beside the lines; no source needs it."""


def load(argument: str) -> AnnotatedPhotos:
    """The scenes of ``photos:DIR``: what the file ``graphs.jsonl`` in the folder says of the photos there.

    A photo without a line is left out, with a warning.

    Raises:
        OptionError: no folder is named.
        DataError: there is no such folder, it has no such file, or no record can be used.
    """
    folder = open_folder(argument)
    _warn_of_kinds(argument, folder.not_read())
    bare = folder.without_line()
    if not folder.has_file and bare:
        raise DataError(
            f"Expected {FILE} beside the photos in {short_path(argument)}, but there is none: {_how(argument)}"
        )
    if not folder.has_file:
        raise DataError(
            f"Expected photos ({', '.join(sorted(SUFFIXES))}) and {FILE} in {short_path(argument)}, but there are none"
        )
    photos = PhotoFiles(folder.path)
    graphs = Graphs(folder.file, photos)
    _warn_of(argument, bare)
    _warn_of_others(folder, frozenset(bare))
    return AnnotatedPhotos(
        spec=f"photos:{argument}",
        description=f"{len(graphs)} scene{'s' if len(graphs) > 1 else ''} of {FILE}, "
        f"photos in {folder.path.resolve().name}",
        annotations=graphs,
        photos=photos,
    )


def _how(argument: str) -> str:
    folder = shlex.quote(f"photos:{argument}")
    return f"run: vqamt annotate {folder} --vqamt-option boxes=PekingU/rtdetr_r50vd (docs/models/photos.md)"


def _warn_of(argument: str, bare: tuple[str, ...]) -> None:
    """Warns of the photos without a line."""
    if bare:
        one = len(bare) == 1
        _warn(
            f"{len(bare)} photo{'' if one else 's'} in {short_path(argument)} {'has' if one else 'have'} no line in "
            f"{FILE} and {'is' if one else 'are'} left out, the first: {short_name(bare[0])}; {_how(argument)}"
        )


def _warn_of_others(folder: OwnPhotos, bare: frozenset[str]) -> None:
    """Warns of the photos with a line that detectors wrote when another file was in their place."""
    sizes = {name: size for name, size in sizes_of_lines(folder.path).items() if name not in bare}
    others = [name for name, size in sizes.items() if folder.size_bytes(name) not in (None, size)]
    if others:
        _warn(
            f"{len(others)} of the photos in {short_path(folder.path)} {'has' if len(others) == 1 else 'have'} another "
            f"size in bytes than when detectors looked at it, the first: {short_name(others[0])}. Delete its line in "
            f"{FILE} and run vqamt annotate, or, if the line is right, delete that in {NOTES}"
        )


def _warn_of_kinds(argument: str, not_read: tuple[str, ...]) -> None:
    """Warns of the photos that nothing here reads."""
    if not_read:
        kinds = ", ".join(sorted({Path(name).suffix.lower() for name in not_read}))
        _warn(
            f"photos in {short_path(argument)} of kinds that are not read ({kinds}) are left out, {len(not_read)} in "
            f"all, the first: {short_name(not_read[0])}. Convert them to JPEG or PNG"
        )


def _warn(text: str) -> None:
    """A warning.

    Raises:
        DataError: the user has warnings made errors.
    """
    try:
        warnings.warn(text, stacklevel=4)
    except UserWarning as error:
        raise DataError(f"Expected each photo to have a line and be used, but {text}") from error


def sizes_of_lines(folder: Path) -> Mapping[str, int]:
    """The size in bytes of each photo when a detector last wrote its line."""
    return {str(row.get("photo")): size for row in noted(folder / NOTES) if isinstance(size := row.get("bytes"), int)}


def noted(file: Path) -> Iterator[Mapping[str, object]]:
    """The rows of a file of notes on detections, which may be missing; lines of another form are left out."""
    try:
        lines = file.read_bytes().splitlines()
    except OSError:
        return
    for line in lines:
        try:
            row: object = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict):
            yield row
