"""Which lines of a file of units a grounding model has written, and which photos it could not look at.

It stands in a file of its own beside the units, one photo a line: a person may correct the units, and their form has no
place for it. Nothing of it is needed to read them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.data.detected import Author, Trouble
from pytest_vqamt.data.jsonl import JsonLines
from pytest_vqamt.data.own.writing import append
from pytest_vqamt.data.records import Record

FILE = "units.grounded.jsonl"


def note_found(folder: Path, photo: str, author: Author, scores: Mapping[str, Sequence[float | None]]) -> None:
    """Notes who has written the lines of the hypotheses about ``photo``, and how sure each unit's box is.

    Raises:
        DataError: the file cannot be written.
    """
    hypotheses: dict[str, Json] = {
        hypothesis: [None if score is None else round(score, 3) for score in each]
        for hypothesis, each in scores.items()
    }
    row: dict[str, Json] = {
        "photo": photo,
        "settings": dict(author.settings),
        "grounder": author.fingerprint,
        "hypotheses": hypotheses,
    }
    append(folder / FILE, [row])


def note_trouble(folder: Path, photo: str, trouble: Trouble) -> None:
    """Notes that nothing could be grounded in ``photo``.

    Raises:
        DataError: the file cannot be written.
    """
    append(folder / FILE, [{"photo": photo, "trouble": trouble.why, "digest": trouble.digest, "asked": trouble.asked}])


def troubles(folder: Path) -> Mapping[str, Trouble]:
    """The photos in which nothing could be grounded when last tried. Lines of another form are passed over."""
    found: dict[str, Trouble] = {}
    for row in _rows(folder / FILE):
        photo, why, digest = row.get("photo"), row.get("trouble"), row.get("digest")
        if isinstance(photo, str):
            found.pop(photo, None)
            if isinstance(why, str) and isinstance(digest, str):
                found[photo] = Trouble(why=why, digest=digest, asked=str(row.get("asked")))
    return found


def settings_of_lines(folder: Path) -> Mapping[str, Mapping[str, object]]:
    """The settings by which the line of each hypothesis was last written, where a grounding model has written it."""
    found: dict[str, Mapping[str, object]] = {}
    for row in _rows(folder / FILE):
        settings, hypotheses = row.get("settings"), row.get("hypotheses")
        if isinstance(settings, dict) and isinstance(hypotheses, dict):
            found |= dict.fromkeys(hypotheses, settings)
    return found


def _rows(file: Path) -> Iterator[Mapping[str, object]]:
    if not file.is_file():
        return
    for line in JsonLines(file):
        try:
            record: Record = line.record()
        except DataError:
            continue
        yield record.row
