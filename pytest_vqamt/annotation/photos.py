"""Annotates photos without a line in ``graphs.jsonl`` by detectors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from pytest_vqamt.annotation.detectors import catalogue
from pytest_vqamt.annotation.detectors.detector import DetectedObject, Detector
from pytest_vqamt.annotation.line_writer import (
    AnnotationOutcome,
    annotate_each,
    append,
    model_errors,
    only_writer,
    print_other_settings,
    print_status,
    rounded,
    settings_named,
)
from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.scene import Photo, Region, Scene, Thing
from pytest_vqamt.core.text import count_noun, short_name, short_path
from pytest_vqamt.data.annotations import cleaned, is_multi_coloured
from pytest_vqamt.data.graphs import row_of_scene, scene_of_row
from pytest_vqamt.data.own_photos import FILE, NOTES, OwnPhotos, noted, open_folder
from pytest_vqamt.data.photo_io import PhotoFiles
from pytest_vqamt.data.records import MAX_ID_LENGTH
from pytest_vqamt.models.protocol import ModelOptions

_END_OF_A_LONG_NAME = 150
"""Characters that are kept of a name longer than an id may be."""


def annotate_photos(argument: str, options: ModelOptions) -> AnnotationOutcome:
    """Adds a line to ``graphs.jsonl`` for each photo of ``photos:ARGUMENT`` that has none.

    Existing lines are never changed. No detector is loaded if each photo has its line. Photos that cannot be read, or
    that a detector fails on, get none.

    Raises:
        OptionError: no folder or detector is named, a setting is invalid, or a package is not installed.
        ModelError: a detector cannot be loaded, or fails on several photos in a row.
        DataError: the folder cannot be read or written, or has a line without a known photo.
    """
    catalogue.check(options.settings)
    folder = open_folder(argument)
    settings = settings_named(options, catalogue.SETTINGS)
    complete = AnnotationOutcome(summary=f"no photo in {short_path(folder.path)} lacks a line in {FILE}")
    if not folder.without_line():
        return complete  # the folder need not be writable, nor each line of use
    with only_writer(folder.path / NOTES):
        # Read again, under the lock: another process may have added lines.
        bare, lines = folder.without_line(), folder.lines()
        if not bare:
            return complete
        taken = set(folder.ids())
        others = [used for photo, used in _settings_of_lines(folder).items() if photo in lines and used != settings]
        print_other_settings(others, folder.file)
        print_status(
            f"looking at {count_noun(len(bare), 'photo')} in {short_path(folder.path)} without a line in {FILE}"
        )
        annotator = _PhotoAnnotator(folder, catalogue.detector_of(options), settings, taken)
        counts, failures = annotate_each(bare, annotator.look, annotator.write)
    found = f"{count_noun(sum(counts), 'object')}, none in {count_noun(counts.count(0), 'photo')}"
    advice = " Lower min-score, or take other detectors." if counts and not any(counts) else ""
    return AnnotationOutcome(
        summary=f"added {count_noun(len(counts), 'line')} to {short_path(folder.file)}: {found}.{advice} "
        f"Correct them; the scores are in {short_path(folder.path / NOTES)}",
        failures=failures,
    )


def _settings_of_lines(folder: OwnPhotos) -> Mapping[str, Mapping[str, object]]:
    """The settings that last wrote the line of each photo."""
    return {
        str(row.get("photo")): settings
        for row in noted(folder.path / NOTES)
        if isinstance(settings := row.get("settings"), dict)
    }


class _PhotoAnnotator:
    """Finds and writes the lines of photos, one by one."""

    def __init__(self, folder: OwnPhotos, detector: Detector, settings: Mapping[str, str], taken: set[str]) -> None:
        """``taken`` are the ids of the scenes in the file."""
        self._folder = folder
        self._photos = PhotoFiles(folder.path)
        self._detector = detector
        self._settings = settings
        self._taken = taken

    def look(self, name: str) -> tuple[tuple[DetectedObject, ...], dict[str, Json]]:
        """The detections in a photo, and its row."""
        image = self._photos.open(name)
        where = short_path(self._folder.path, name)
        with model_errors("detector", where, "write its line yourself, or take another detector"):
            found = self._detector.find(image)
        findings = usable(found, image.size)
        presumed = catalogue.MODEL in self._settings
        return findings, row_of(findings, scene_id=self._free_id(name), file=name, size=image.size, presumed=presumed)

    def write(self, name: str, found: tuple[tuple[DetectedObject, ...], dict[str, Json]]) -> tuple[int]:
        """Writes the row, and before it the settings and the scores; returns the number of things."""
        findings, row = found
        things = things_of(findings)
        notes: dict[str, Json] = {
            "photo": name,
            "id": row["id"],
            "bytes": self._photos.size_bytes(name),
            "settings": dict(self._settings),
            "detectors": self._detector.fingerprint,
            "objects": {
                str(number): {"by": each.by, "score": round(each.score, 3)}
                for number, each in enumerate(things, start=1)
            },
        }
        # The notes first, so that a killed process never leaves a line whose detector is not recorded.
        append(self._folder.path / NOTES, [notes])
        append(self._folder.file, [row])
        self._taken.add(str(row["id"]))
        return (len(things),)

    def _free_id(self, name: str) -> str:
        """The photo's name, shortened or numbered where it is too long or taken."""
        short = name if len(name) <= MAX_ID_LENGTH else f"...{name[-_END_OF_A_LONG_NAME:]}"
        tried, number = short, 2
        # A line of another photo may have this id: ids are what people write.
        while tried in self._taken:
            tried, number = f"{short} ({number})", number + 1
        return tried


def usable(findings: Iterable[DetectedObject], size: tuple[int, int]) -> tuple[DetectedObject, ...]:
    """The findings as they are written for a photo of ``size`` (width, height).

    Names are cleaned, and boxes rounded to a tenth of a pixel. Findings without letters or digits in their name, or
    next to no size, are left out.
    """
    found = []
    for each in findings:
        name, box = cleaned(each.name), rounded(each.box, size)
        if name and box is not None:
            attributes = dict.fromkeys(text for attribute in each.attributes if (text := cleaned(attribute)))
            found.append(replace(each, name=name, box=box, attributes=tuple(attributes)))
    return tuple(found)


def row_of(
    findings: Sequence[DetectedObject], *, scene_id: str, file: str, size: tuple[int, int], presumed: bool = False
) -> dict[str, Json]:
    """The row of a photo of ``size`` (width, height) with all the ``usable`` findings.

    The ids of things are "1", "2" and so on in their order; crowds have none. No name is exhaustive: a detector may
    have missed instances. A ``presumed`` row is so until a person takes the mark away.
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
        presumed=presumed,
    )
    row = row_of_scene(scene, file, {thing_id: each.polygons for thing_id, each in things.items()})
    scene_of_row(row, short_name(file))  # or it could not be read back
    return row


def things_of(findings: Iterable[DetectedObject]) -> tuple[DetectedObject, ...]:
    """The findings that are things, not crowds."""
    return tuple(each for each in findings if not each.is_crowd)
