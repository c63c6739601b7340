"""Adds boxes to entailed hypotheses without any by a grounding model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_vqamt.annotation.detectors import catalogue
from pytest_vqamt.annotation.detectors.detector import DetectedObject, Grounder
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
from pytest_vqamt.core.box import Box
from pytest_vqamt.core.codec import Json, encode
from pytest_vqamt.core.errors import DataError, ModelError, OptionError
from pytest_vqamt.core.text import count_noun, short_path
from pytest_vqamt.data.json_io import JsonLines
from pytest_vqamt.data.own_photos import noted
from pytest_vqamt.data.photo_io import PhotoFiles
from pytest_vqamt.data.snli_ve.hypothesis_rows import HypothesisRow, thing_name
from pytest_vqamt.data.snli_ve.index import UNITS, HypothesisIndex, SnliVeFiles, find
from pytest_vqamt.data.snli_ve.scenes import BOUNDLESS
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.transformers.checkpoint import check_model_type, locate_checkpoint

if TYPE_CHECKING:
    from PIL.Image import Image


SETTING = "grounder"
SETTINGS = (SETTING, "min-score")
NOTES = "units.grounded.jsonl"
"""The settings and scores by photo. They have a file of their own, as people correct the units; no source needs it."""

_KINDS = {"owl": ("owlvit", "owlv2"), "grounding-dino": ("grounding-dino", "mm-grounding-dino")}
"""The prefixes of a checkpoint, and the model types that each allows."""


def ground_hypotheses(argument: str, options: ModelOptions) -> AnnotationOutcome:
    """Adds a line to ``units.jsonl`` for each entailed hypothesis of ``snli-ve:ARGUMENT`` without a box.

    Each unit about one thing gets the surest box for the phrase "object property", or none. Existing lines are never
    changed. No model is loaded if there is no such hypothesis.

    Raises:
        OptionError: no data or model is named, a setting is invalid, or a package is not installed.
        ModelError: the model cannot be loaded, or fails on several photos in a row.
        DataError: the folder cannot be read or written, or has no photos.
    """
    named = options.settings.get(SETTING, "")
    catalogue.min_score_setting(options.settings)
    if not _split_kind(named)[1].strip():
        raise OptionError(f"Expected --option {SETTING}=REPO-OR-PATH, but got {SETTING}={named!r}")
    settings = settings_named(options, SETTINGS)
    files, _, counts = _ungrounded(argument)
    folder = files.folder
    complete = AnnotationOutcome(summary=f"no entailed hypothesis in {short_path(folder)} lacks a line in {UNITS}")
    if not counts:
        return complete  # without the lock, so the folder need not be writable
    if files.photos is None:
        raise DataError(
            f"Expected photos to look for the units of hypotheses in, but {short_path(folder)} has none: "
            f"{files.without_photos}"
        )
    with only_writer(folder / NOTES):
        _, index, counts = _ungrounded(argument)  # another process may have added lines
        if not counts:
            return complete
        present = tuple(photo for photo in counts if _is_present(photo, files.photos))
        print_other_settings(_other_settings(files, settings), folder / UNITS)
        number = sum(counts[photo] for photo in present)
        print_status(
            f"looking for units of {count_noun(number, 'hypothesis', 'hypotheses')} about "
            f"{count_noun(len(present), 'photo')} in {short_path(folder)}"
        )
        annotator = _HypothesisAnnotator(index, folder, files.photos, _grounder(options), settings)
        boxes, failures = annotate_each(present, annotator.look, annotator.write)
    return AnnotationOutcome(
        summary=f"added {count_noun(len(boxes), 'line')} to {short_path(folder / UNITS)}: "
        f"{count_noun(sum(boxes), 'box', 'boxes')}, none in "
        f"{count_noun(boxes.count(0), 'hypothesis', 'hypotheses')}. Correct them; "
        f"the scores are in {short_path(folder / NOTES)}",
        failures=failures,
    )


def _ungrounded(argument: str) -> tuple[SnliVeFiles, HypothesisIndex, dict[str, int]]:
    """The files, their hypotheses, and the number of ungrounded ones by photo, if not 0."""
    files = find(argument)
    index = HypothesisIndex(files, lambda _photo: BOUNDLESS)
    return files, index, {photo: count for photo in index.first if (count := index.counts(photo)[2])}


def _is_present(photo: str, photos: PhotoFiles) -> bool:
    """True if the photo is there; a wrong name is reported when the data set is opened."""
    try:
        return photos.has(photo)
    except DataError:
        return False


def _other_settings(files: SnliVeFiles, settings: Mapping[str, str]) -> list[Mapping[str, object]]:
    """The settings that wrote lines still in the file and that are not ``settings``, once for each hypothesis."""
    found: dict[str, Mapping[str, object]] = {}
    for row in noted(files.folder / NOTES):
        used, hypotheses = row.get("settings"), row.get("hypotheses")
        if isinstance(used, dict) and isinstance(hypotheses, dict):
            found |= dict.fromkeys(hypotheses, used)
    present = set()
    for line in JsonLines(files.units) if files.units and found else ():
        with suppress(DataError):  # reported when the data set is opened
            present.add(str(line.record().row.get("id")))
    return [used for hypothesis, used in found.items() if hypothesis in present and used != settings]


def _grounder(options: ModelOptions) -> Grounder:
    """Loads the model that the settings name."""
    kinds, named = _split_kind(options.settings[SETTING])
    try:
        checkpoint = locate_checkpoint(named, default="", kind=SETTING, typed=f"--option {SETTING}=")
    except ModuleNotFoundError:
        return catalogue.grounder_of(named, options)  # its error names the package
    if kinds:
        check_model_type(checkpoint, kinds, f"leave out the prefix of the checkpoint in {SETTING}=")
    return catalogue.grounder_of(str(checkpoint.folder), options)


def _split_kind(given: str) -> tuple[tuple[str, ...], str]:
    """Splits the setting into the model types that its prefix allows, empty without a prefix, and the checkpoint."""
    kind, mark, named = given.partition(":")
    return (_KINDS[kind], named) if mark and kind in _KINDS else ((), given)


@dataclass(frozen=True, slots=True)
class _Unit:
    """A unit of a hypothesis: a thing with a property."""

    object: str
    """The noun, such as "dog"."""
    property: str
    """What the thing is said to be or do ("brown"); "" where it only exists."""
    is_one: bool
    """True if it is about one thing, which a box can surround."""


def _units(row: HypothesisRow) -> tuple[_Unit, ...]:
    """The units of the row, or those of its sentence."""
    if row.units is not None:
        return tuple(_Unit(unit.object, unit.property, bool(thing_name(unit.object))) for unit in row.units)
    from pytest_vqamt.language.units import units_of

    return tuple(
        _Unit(unit.object, unit.property, not unit.is_plural and bool(thing_name(unit.object)))
        for unit in units_of(row.text)
    )


@dataclass(frozen=True, slots=True)
class _Grounded:
    """A hypothesis with its units, and the surest detection of each."""

    row: HypothesisRow
    """As it is in the data."""
    units: tuple[_Unit, ...]
    """Those of the row, or of its sentence."""
    found: tuple[DetectedObject | None, ...]
    """The surest detection of each unit; None for none, and for units that are not about one thing."""


class _HypothesisAnnotator:
    """Finds and writes the lines of hypotheses, photo by photo."""

    def __init__(
        self, index: HypothesisIndex, folder: Path, photos: PhotoFiles, grounder: Grounder, settings: Mapping[str, str]
    ) -> None:
        self._index = index
        self._folder = folder
        self._photos = photos
        self._grounder = grounder
        self._settings = settings

    def look(self, photo: str) -> list[_Grounded]:
        """The hypotheses about a photo without boxes, with the detections of their units."""
        rows = [(each.row, _units(each.row)) for each in self._index.of(photo) if each.is_ungrounded]
        # Several hypotheses about a photo share units; each is looked for once.
        wanted = tuple(dict.fromkeys(unit for _, units in rows for unit in units if unit.is_one))
        found: dict[_Unit, DetectedObject | None] = {}
        if wanted:
            image = self._photos.open(photo)
            where = short_path(self._photos.folder, photo)
            advice = "write the lines of its hypotheses yourself, or take another model"
            with model_errors("grounding model", where, advice):
                detections = _ground(self._grounder, image, wanted)
                found = {unit: _surest(each, image) for unit, each in zip(wanted, detections, strict=True)}
        return [_Grounded(row, units, tuple(map(found.get, units))) for row, units in rows]

    def write(self, photo: str, grounded: Sequence[_Grounded]) -> list[int]:
        """Writes the settings and scores, then a line for each hypothesis; returns the numbers of boxes."""
        notes: dict[str, Json] = {
            "photo": photo,
            "settings": dict(self._settings),
            "grounder": self._grounder.fingerprint,
            "hypotheses": {
                each.row.id: [round(found.score, 3) if found else None for found in each.found] for each in grounded
            },
        }
        # The notes first, so that a killed process never leaves lines whose model is not recorded.
        append(self._folder / NOTES, [notes])
        append(self._folder / UNITS, [_line(each) for each in grounded])
        return [sum(found is not None for found in each.found) for each in grounded]


def _line(grounded: _Grounded) -> dict[str, Json]:
    row = grounded.row
    units: list[Json] = [
        {"object": unit.object, "property": unit.property, "box": _numbers(found.box) if found else None}
        for unit, found in zip(grounded.units, grounded.found, strict=True)
    ]
    return {"id": row.id, "photo": row.photo, "hypothesis": row.text, "label": row.label, "units": units}


def _numbers(box: Box) -> Json:
    return [encode(number) for number in (box.x, box.y, box.w, box.h)]


def _ground(grounder: Grounder, image: Image, units: Sequence[_Unit]) -> tuple[tuple[DetectedObject, ...], ...]:
    """Grounds the phrases "object property"; a phrase that is too long for the model loses its last words."""
    objects = [unit.object for unit in units]
    phrases = [f"{unit.object} {unit.property}".rstrip() for unit in units]
    try:
        return grounder.ground(image, phrases)
    except ModelError:
        of_objects = grounder.ground(image, objects)  # raises if the length is not the reason
    while phrases != objects:
        # The longest phrase that has words beside its object left: the message does not say which one is too long.
        longest = max(
            (place for place, phrase in enumerate(phrases) if phrase != objects[place]),
            key=lambda place: len(phrases[place]),
        )
        # The last word goes: the object comes first.
        phrases[longest] = phrases[longest].rpartition(" ")[0]
        try:
            return grounder.ground(image, phrases)
        except ModelError:
            continue
    return of_objects


def _surest(found: Sequence[DetectedObject], image: Image) -> DetectedObject | None:
    """The surest detection whose box can be written."""
    for each in found:
        box = rounded(each.box, image.size)
        if box is not None:
            return replace(each, box=box)
    return None
