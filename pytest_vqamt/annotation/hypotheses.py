"""Adds boxes to entailed hypotheses without any by a grounding model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_vqamt.annotation.detectors import catalogue
from pytest_vqamt.annotation.detectors.base import DetectedObject, Grounder
from pytest_vqamt.annotation.writing import (
    Outcome,
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
from pytest_vqamt.data.json_io import JsonLines
from pytest_vqamt.data.messages import short_path
from pytest_vqamt.data.own_photos import noted
from pytest_vqamt.data.photo_io import PhotoFiles
from pytest_vqamt.data.snli_ve.files import UNITS, SnliVeFiles, find
from pytest_vqamt.data.snli_ve.index import BOUNDLESS, HypothesisIndex
from pytest_vqamt.data.snli_ve.rows import HypothesisRow, thing_name
from pytest_vqamt.models.base import ModelOptions
from pytest_vqamt.models.transformers.checkpoint import check_model_type, locate_checkpoint

if TYPE_CHECKING:
    from PIL.Image import Image


SETTING = "grounder"
SETTINGS = (SETTING, "min-score")
NOTES = "units.grounded.jsonl"
"""The settings and scores by photo. They have a file of their own, as people correct the units; no source needs it."""

_KINDS = {"owl": ("owlvit", "owlv2"), "grounding-dino": ("grounding-dino", "mm-grounding-dino")}
"""The prefixes of a checkpoint, and the model types that each allows."""


def ground_hypotheses(argument: str, options: ModelOptions) -> Outcome:
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
        raise OptionError(f"Expected --vqamt-option {SETTING}=REPO-OR-PATH, but got {SETTING}={named!r}")
    settings = settings_named(options, SETTINGS)
    folder = find(argument).folder
    with only_writer(folder / NOTES):
        files = find(argument)
        ungrounded = UngroundedHypotheses(files)
        missing = tuple(photo for photo in ungrounded.counts if ungrounded.has_photo(photo))
        if not ungrounded.counts:
            return Outcome(summary=f"no entailed hypothesis in {short_path(folder)} lacks a line in {UNITS}")
        if files.photos is None:
            raise DataError(
                f"Expected photos to look for the units of hypotheses in, but {short_path(folder)} has none: "
                f"{files.without_photos}"
            )
        print_other_settings(_other_settings(files, settings), folder / UNITS)
        number = sum(ungrounded.counts[photo] for photo in missing)
        print_status(
            f"looking for the units of {number} hypotheses about {len(missing)} photos in {short_path(folder)}"
        )
        annotator = _Annotator(ungrounded, files.photos, _grounder(options), settings)
        boxes, failures = annotate_each(missing, annotator.look, annotator.write)
    return Outcome(
        summary=f"added {len(boxes)} lines to {short_path(folder / UNITS)}: {sum(boxes)} boxes, none in "
        f"{boxes.count(0)} hypotheses. Correct them; the scores are in {short_path(folder / NOTES)}",
        failures=failures,
    )


def _other_settings(files: SnliVeFiles, settings: Mapping[str, str]) -> list[Mapping[str, object]]:
    """Other settings that wrote lines which are still there, one a hypothesis."""
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
    """Loads the model that the settings name.

    Raises:
        OptionError: a package is not installed.
        ModelError: it cannot be loaded.
    """
    kinds, named = _split_kind(options.settings[SETTING])
    try:
        checkpoint = locate_checkpoint(named, default="", kind=SETTING, typed=f"--vqamt-option {SETTING}=")
    except ModuleNotFoundError:
        return catalogue.grounder_of(named, options)  # its error names the package
    if kinds:
        check_model_type(checkpoint, kinds, f"leave out the prefix of the checkpoint in {SETTING}=")
    return catalogue.grounder_of(str(checkpoint.folder), options)


def _split_kind(given: str) -> tuple[tuple[str, ...], str]:
    """The model types that the setting allows, none if it has no prefix; and the checkpoint."""
    kind, mark, named = given.partition(":")
    return (_KINDS[kind], named) if mark and kind in _KINDS else ((), given)


@dataclass(frozen=True, slots=True, kw_only=True)
class UngroundedUnit:
    """A unit of a hypothesis; ``is_one`` if it is about one thing, which a box can surround."""

    object: str
    property: str
    is_one: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class UngroundedHypothesis:
    """A hypothesis with its units in the order of the sentence."""

    row: HypothesisRow
    units: tuple[UngroundedUnit, ...]


class UngroundedHypotheses:
    """The entailed hypotheses of a data set without boxes and without a line in the file of units.

    Attributes:
        counts: their number by photo, in the order of the files.
    """

    def __init__(self, files: SnliVeFiles) -> None:
        self.folder = files.folder
        self._photos = files.photos
        self._index = HypothesisIndex(files, lambda _photo: BOUNDLESS)
        counts = {photo: self._index.counts(photo)[2] for photo in self._index.first}
        self.counts: Mapping[str, int] = {photo: count for photo, count in counts.items() if count}

    def about(self, photo: str) -> tuple[UngroundedHypothesis, ...]:
        rows = (each.row for each in self._index.of(photo) if each.is_ungrounded)
        return tuple(UngroundedHypothesis(row=row, units=_units(row)) for row in rows)

    def has_photo(self, photo: str) -> bool:
        """Whether the photo is there; a wrong name is reported when the data set is opened."""
        try:
            return self._photos is not None and self._photos.has(photo)
        except DataError:
            return False


def _units(row: HypothesisRow) -> tuple[UngroundedUnit, ...]:
    """The units of the row, or those of its sentence."""
    if row.units is None:
        from pytest_vqamt.language.units import units_of

        return tuple(
            UngroundedUnit(
                object=unit.object,
                property=unit.property,
                is_one=not unit.is_plural and bool(thing_name(unit.object)),
            )
            for unit in units_of(row.text)
        )
    return tuple(
        UngroundedUnit(object=unit.object, property=unit.property, is_one=bool(thing_name(unit.object)))
        for unit in row.units
    )


class _Annotator:
    """Writes the lines of the hypotheses about one photo after the other."""

    def __init__(
        self, ungrounded: UngroundedHypotheses, photos: PhotoFiles, grounder: Grounder, settings: Mapping[str, str]
    ) -> None:
        self._ungrounded = ungrounded
        self._photos = photos
        self._grounder = grounder
        self._settings = settings

    def look(self, photo: str) -> list[tuple[UngroundedHypothesis, list[DetectedObject | None]]]:
        """The hypotheses about a photo, with the surest detection for each of their units.

        Raises:
            ModelError: the model would fail on each photo.
            DataError: it failed on this one, or this one cannot be read.
        """
        hypotheses = self._ungrounded.about(photo)
        units = tuple(dict.fromkeys(unit for hypothesis in hypotheses for unit in hypothesis.units if unit.is_one))
        found: dict[UngroundedUnit, DetectedObject | None] = {}
        if units:
            image = self._photos.open(photo)
            where = short_path(self._photos.folder, photo)
            advice = "write the lines of its hypotheses yourself, or take another model"
            with model_errors("grounding model", where, advice):
                detections = _ground(self._grounder, image, units)
                found = {unit: _surest(each, image) for unit, each in zip(units, detections, strict=True)}
        return [(hypothesis, [found.get(unit) for unit in hypothesis.units]) for hypothesis in hypotheses]

    def write(
        self, photo: str, grounded: Sequence[tuple[UngroundedHypothesis, list[DetectedObject | None]]]
    ) -> list[int]:
        """Writes the settings and scores, then a line for each hypothesis; returns the numbers of boxes."""
        scores: dict[str, Json] = {
            hypothesis.row.id: [round(each.score, 3) if each else None for each in found]
            for hypothesis, found in grounded
        }
        notes: dict[str, Json] = {
            "photo": photo,
            "settings": dict(self._settings),
            "grounder": self._grounder.fingerprint,
            "hypotheses": scores,
        }
        append(self._ungrounded.folder / NOTES, [notes])
        append(self._ungrounded.folder / UNITS, [_line(hypothesis, found) for hypothesis, found in grounded])
        return [sum(each is not None for each in found) for _, found in grounded]


def _line(hypothesis: UngroundedHypothesis, found: Sequence[DetectedObject | None]) -> dict[str, Json]:
    row = hypothesis.row
    units: list[Json] = [
        {"object": unit.object, "property": unit.property, "box": _numbers(each.box) if each else None}
        for unit, each in zip(hypothesis.units, found, strict=True)
    ]
    return {"id": row.id, "photo": row.photo, "hypothesis": row.text, "label": row.label, "units": units}


def _numbers(box: Box) -> Json:
    return [encode(number) for number in (box.x, box.y, box.w, box.h)]


def _ground(
    grounder: Grounder, image: Image, units: Sequence[UngroundedUnit]
) -> tuple[tuple[DetectedObject, ...], ...]:
    """Grounds the phrases "object property"; a phrase that is too long for the model loses its last words."""
    objects = [unit.object for unit in units]
    phrases = [f"{unit.object} {unit.property}".rstrip() for unit in units]
    try:
        return grounder.ground(image, phrases)
    except ModelError:
        of_objects = grounder.ground(image, objects)  # raises if the length is not the reason
    while phrases != objects:
        longest = max(
            (place for place, phrase in enumerate(phrases) if phrase != objects[place]),
            key=lambda place: len(phrases[place]),
        )
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
