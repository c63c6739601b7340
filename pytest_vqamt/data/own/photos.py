"""A folder of users' own photos with the scene graphs of what is in them."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.detections import DetectedObject
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.data.annotations import AnnotatedPhotos
from pytest_vqamt.data.messages import short_name, short_path
from pytest_vqamt.data.own.folder import FILE, SUFFIXES, OwnPhotos, open_folder
from pytest_vqamt.data.own.graphs import Graphs
from pytest_vqamt.data.own.writing import append, things_of
from pytest_vqamt.data.photo_io import PhotoFiles

HOW = (
    f"Write {FILE}, one scene a line (docs/graphs.md), or have a detector write it: run pytest with "
    "--vqamt-data=photos:DIR and --vqamt-option boxes=REPO-OR-PATH, masks=..., open-vocabulary=... or detector=... "
    "(docs/models/photos.md)"
)
"""What to do about photos that nothing is known of."""


class PhotoGraphs(Graphs):
    """The scenes of a folder's file, and what is wrong with photos that have no line in it since none could be made."""

    def __init__(self, file: Path, photos: PhotoFiles, broken: tuple[str, ...]) -> None:
        super().__init__(file, photos)
        self._broken = broken

    @property
    def bad_records(self) -> tuple[str, ...]:
        return (*super().bad_records, *self._broken)


def load(argument: str) -> AnnotatedPhotos:
    """The scenes of ``photos:DIR``: what the file ``graphs.jsonl`` in the folder says of the photos there.

    A photo that no line is about is left out, with a warning; one that a detector could not read is a bad record.

    Raises:
        OptionError: no folder is named.
        DataError: there is no such folder, it has no such file, or no record can be used.
    """
    folder = open_folder(argument)
    _warn_of_kinds(argument, folder.not_read())
    bare = folder.without_line()
    broken = _broken(folder, bare)
    if not folder.has_file:
        if broken:
            raise DataError(
                f"Expected photos in {short_path(argument)}, but none of the {len(broken)} can be used: "
                f"{next(iter(broken.values()))}"
            )
        what = (
            "photos alone say nothing of what is in them"
            if bare
            else f"and no photos either ({', '.join(sorted(SUFFIXES))})"
        )
        raise DataError(f"Expected {FILE} beside the photos, but {short_path(argument)} has none: {what}. {HOW}")
    photos = PhotoFiles(folder.path)
    graphs = PhotoGraphs(folder.file, photos, tuple(broken.values()))
    _warn_of(argument, tuple(name for name in bare if name not in broken))
    _warn_of_others(folder, frozenset(bare))
    return AnnotatedPhotos(
        spec=f"photos:{argument}",
        description=f"{len(graphs)} scene{'s' if len(graphs) > 1 else ''} of {FILE}, "
        f"photos in {folder.path.resolve().name}",
        annotations=graphs,
        photos=photos,
    )


def _broken(folder: OwnPhotos, bare: tuple[str, ...]) -> dict[str, str]:
    """What is wrong with those photos without a line that no detector could look at, if they still are as they were."""
    known = troubles(folder.path)
    return {name: known[name].why for name in bare if name in known and folder.digest(name) == known[name].digest}


def _warn_of(argument: str, bare: tuple[str, ...]) -> None:
    """Warns of the photos without a line."""
    if bare:
        one = len(bare) == 1
        _warn(
            f"{len(bare)} photo{'' if one else 's'} in {short_path(argument)} {'has' if one else 'have'} no line in "
            f"{FILE} and {'is' if one else 'are'} left out, the first: {short_name(bare[0])}. {HOW}"
        )


def _warn_of_others(folder: OwnPhotos, bare: frozenset[str]) -> None:
    """Warns of the photos with a line that detectors wrote when another file was in their place."""
    sizes = {name: size for name, size in sizes_of_lines(folder.path).items() if name not in bare}
    others = [name for name, size in sizes.items() if folder.size_bytes(name) not in (None, size)]
    if others:
        _warn(
            f"{len(others)} of the photos in {short_path(folder.path)} {'has' if len(others) == 1 else 'have'} another "
            f"size in bytes than when detectors looked at it, the first: {short_name(others[0])}. Delete its line in "
            f"{FILE} to have it looked at anew, or, if that is right, its line in {NOTES}"
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


# It stands in a file of its own beside the scene graphs, one photo a line: a person may correct the scene graphs, and
# their form has no place for it. Nothing of it is needed to read them.


NOTES = "graphs.detected.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectionFailure:
    """A photo that got no line.

    Attributes:
        why: what is told of it.
        digest: of its file then; "" where that could not be read.
        asked: what was asked for then, to know whether anything else is asked for now.
    """

    why: str
    digest: str
    asked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectorUse:
    """Detectors that write lines.

    Attributes:
        settings: how the user named them.
        fingerprint: their weights, settings and versions.
    """

    settings: Mapping[str, str]
    fingerprint: str


def note_found(
    folder: Path, photo: str, scene_id: str, author: DetectorUse, findings: Sequence[DetectedObject], *, size_bytes: int
) -> None:
    """Notes who has written the line of ``photo``, and of each thing in it, by its id, who has found it and how surely.

    ``size_bytes`` is that of the photo's file, by which one sees whether another took its place.

    Raises:
        DataError: the file cannot be written.
    """
    things: dict[str, Json] = {
        str(number): {"by": each.by, "score": round(each.score, 3)}
        for number, each in enumerate(things_of(findings), start=1)
    }
    append(
        folder / NOTES,
        [
            {
                "photo": photo,
                "id": scene_id,
                "bytes": size_bytes,
                "settings": dict(author.settings),
                "detectors": author.fingerprint,
                "objects": things,
            }
        ],
    )


def note_trouble(folder: Path, photo: str, trouble: DetectionFailure) -> None:
    """Notes that ``photo`` got no line.

    Raises:
        DataError: the file cannot be written.
    """
    append(folder / NOTES, [{"photo": photo, "trouble": trouble.why, "digest": trouble.digest, "asked": trouble.asked}])


def troubles(folder: Path) -> Mapping[str, DetectionFailure]:
    """The photos that got no line when detectors last looked at them. Lines of another form are passed over."""
    found: dict[str, DetectionFailure] = {}
    for row in _rows(folder / NOTES):
        photo, why, digest = row.get("photo"), row.get("trouble"), row.get("digest")
        if isinstance(photo, str):
            found.pop(photo, None)
            if isinstance(why, str) and isinstance(digest, str):
                found[photo] = DetectionFailure(why=why, digest=digest, asked=str(row.get("asked")))
    return found


def settings_of_lines(folder: Path) -> Mapping[str, Mapping[str, object]]:
    """The settings by which the line of each photo was last written, where detectors have written it."""
    return {
        str(row.get("photo")): settings
        for row in _rows(folder / NOTES)
        if isinstance(settings := row.get("settings"), dict)
    }


def sizes_of_lines(folder: Path) -> Mapping[str, int]:
    """How many bytes each photo had when its line was last written, where detectors have written it."""
    return {str(row.get("photo")): size for row in _rows(folder / NOTES) if isinstance(size := row.get("bytes"), int)}


def _rows(file: Path) -> Iterator[Mapping[str, object]]:
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
