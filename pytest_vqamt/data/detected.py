"""Which lines of a file of scene graphs detectors have written, and which photos they could not look at.

It stands in a file of its own beside the scene graphs, one photo a line: a person may correct the scene graphs, and
their form has no place for it. Nothing of it is needed to read them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.detections import Found
from pytest_vqamt.data.own.writing import append, things_of

NOTES = "graphs.detected.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
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
class Author:
    """Detectors that write lines.

    Attributes:
        settings: how the user named them.
        fingerprint: their weights, settings and versions.
    """

    settings: Mapping[str, str]
    fingerprint: str


def note_found(
    folder: Path, photo: str, scene_id: str, author: Author, findings: Sequence[Found], *, size_bytes: int
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


def note_trouble(folder: Path, photo: str, trouble: Trouble) -> None:
    """Notes that ``photo`` got no line.

    Raises:
        DataError: the file cannot be written.
    """
    append(folder / NOTES, [{"photo": photo, "trouble": trouble.why, "digest": trouble.digest, "asked": trouble.asked}])


def troubles(folder: Path) -> Mapping[str, Trouble]:
    """The photos that got no line when detectors last looked at them. Lines of another form are passed over."""
    found: dict[str, Trouble] = {}
    for row in _rows(folder / NOTES):
        photo, why, digest = row.get("photo"), row.get("trouble"), row.get("digest")
        if isinstance(photo, str):
            found.pop(photo, None)
            if isinstance(why, str) and isinstance(digest, str):
                found[photo] = Trouble(why=why, digest=digest, asked=str(row.get("asked")))
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
