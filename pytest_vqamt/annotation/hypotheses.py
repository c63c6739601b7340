"""Adds boxes to ungrounded hypotheses by a grounding model."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_vqamt.annotation.detectors import catalogue
from pytest_vqamt.annotation.progress import print_status, progress_bar
from pytest_vqamt.core.detections import DetectedObject, Grounder
from pytest_vqamt.core.errors import DataError, ModelError, OptionError, VqamtError
from pytest_vqamt.core.identity import canonical_json, digest
from pytest_vqamt.data.messages import error_reason, short_path
from pytest_vqamt.data.own.photos import DetectionFailure, DetectorUse
from pytest_vqamt.data.own.writing import only_writer, rounded
from pytest_vqamt.data.photo_io import PhotoFiles
from pytest_vqamt.data.snli_ve import ungrounded
from pytest_vqamt.data.snli_ve.files import UNITS, find
from pytest_vqamt.data.snli_ve.ungrounded import (
    UngroundedHypotheses,
    UngroundedHypothesis,
    UngroundedUnit,
    settled_ids,
    write,
)
from pytest_vqamt.models.base import ModelOptions
from pytest_vqamt.models.batching import free_memory, is_out_of_memory
from pytest_vqamt.models.transformers.checkpoint import check_model_type, locate_checkpoint

if TYPE_CHECKING:
    from PIL.Image import Image


KIND = "snli-ve"
SETTING = "grounder"
SETTINGS = (SETTING, "min-score")

_KINDS = {"owl": ("owlvit", "owlv2"), "grounding-dino": ("grounding-dino", "mm-grounding-dino")}
"""What may stand before a checkpoint, and what this must be then."""


def settings(spec: str) -> tuple[str, ...]:
    """The names of the settings that are of use for a data source of this spec."""
    return SETTINGS if spec.partition(":")[0] == KIND else ()


def check(spec: str, options: ModelOptions) -> None:
    """Checks what the settings say of a grounding model, where the source of this spec has a use for it; loads nothing.

    Raises:
        OptionError: a setting is wrong.
    """
    if spec.partition(":")[0] != KIND:
        return
    catalogue.min_score_setting(options.settings)
    given = options.settings.get(SETTING)
    if given is not None and not _split_kind(given)[1].strip():
        raise OptionError(f"Expected --vqamt-option {SETTING}=REPO-OR-PATH, but got {SETTING}={given!r}")


def ground_hypotheses(spec: str, options: ModelOptions) -> None:
    """Adds a line to ``units.jsonl`` for each entailed hypothesis of ``snli-ve:DIR`` that has no box.

    Each unit about one thing gets the surest box for the phrase "object property", or none. Existing lines are never
    changed. Those about a photo are written at once, so that an interrupted run continues where it stopped. Without a
    model, or without such hypotheses, nothing is done or loaded. A photo that cannot be processed is noted, reported by
    ``warn``, and tried again when the photo or the settings change.

    Raises:
        OptionError: a setting is invalid, or a package is not installed.
        ModelError: the model cannot be loaded, or fails on several photos in a row.
        DataError: the folder cannot be read or written, or has no photos.
    """
    kind, _, argument = spec.partition(":")
    if kind != KIND or SETTING not in options.settings:
        return
    check(spec, options)
    argument = os.path.expanduser(argument)  # noqa: PTH111 - Path's raises where nobody is of that name
    settings = _grounder_settings(options)
    asked = digest(canonical_json(settings), options.device, str(options.dtype))
    wanting = UngroundedHypotheses(find(argument))
    if not _missing(wanting, asked):
        return
    with only_writer(wanting.folder / ungrounded.FILE):
        wanting = UngroundedHypotheses(find(argument))
        missing = _missing(wanting, asked)
        if missing and wanting.photos:
            hypotheses, photos = sum(wanting.counts[photo] for photo in missing), len(missing)
            several = "hypotheses" if hypotheses > 1 else "hypothesis"
            what = f"{hypotheses} {several} about {photos} photo{'s' if photos > 1 else ''}"
            print_status(f"looking for the units of {what} in {short_path(wanting.folder)} without boxes")
            try:
                with progress_bar(len(missing)) as progress:
                    boxes = HypothesisGrounder(wanting, wanting.photos, _grounder(options), settings, asked).do(
                        missing, progress
                    )
                print_status(
                    f"{len(boxes)} of them have a line in {UNITS} now: {sum(boxes)} boxes, none in {boxes.count(0)}"
                )
            finally:
                if options.device != "cpu":
                    free_memory()  # the models that are tested next have a use for the device's


def warn(spec: str, options: ModelOptions) -> None:
    """Warns where the settings name a model, and others wrote the lines, or a photo could not be looked at.

    Raises:
        DataError: the folder or its notes cannot be read, or the user has warnings made errors.
    """
    kind, _, argument = spec.partition(":")
    if kind != KIND or SETTING not in options.settings:
        return
    files = find(os.path.expanduser(argument))  # noqa: PTH111 - as above
    now, known = _grounder_settings(options), ungrounded.troubles(files.folder)
    noted = ungrounded.settings_of_lines(files.folder)
    there = settled_ids(files) if noted else ()
    others = [told for hypothesis, told in noted.items() if told != now and hypothesis in there]
    wanting = UngroundedHypotheses(files).counts if known else {}
    failed = [each for photo, each in known.items() if photo in wanting]
    try:
        if others:
            by = " ".join(f"{name}={value}" for name, value in others[-1].items())
            warnings.warn(
                f"other settings ({by}) wrote {len(others)} lines in {short_path(files.folder / UNITS)}, and these "
                "stay as they are: delete one to have its hypothesis grounded anew",
                stacklevel=2,
            )
        if failed:
            warnings.warn(
                f"hypotheses about {len(failed)} photo{'s' if len(failed) > 1 else ''} have no boxes, since nothing "
                f"could be grounded there; the first: {failed[0].why}",
                stacklevel=2,
            )
    except UserWarning as error:
        raise DataError(f"Expected every hypothesis to be grounded by {now[SETTING]}, but {error}") from error


def _missing(wanting: UngroundedHypotheses, asked: str) -> tuple[str, ...]:
    """The photos with hypotheses that want boxes, but for those of which it is known that they cannot be looked at.

    Raises:
        DataError: there are hypotheses, and no photos at all.
    """
    if wanting.counts and wanting.photos is None:
        raise DataError(
            f"Expected photos to look for the units of hypotheses in, but {short_path(wanting.folder)} has none: "
            f"{wanting.without_photos}"
        )
    known = ungrounded.troubles(wanting.folder)
    return tuple(
        photo
        for photo in wanting.counts
        if wanting.photos
        and wanting.has_photo(photo)
        and (
            photo not in known
            or known[photo].asked != asked
            or photo_digest(wanting.photos, photo) != known[photo].digest
        )
    )


def _grounder_settings(options: ModelOptions) -> dict[str, str]:
    return {name: options.settings[name] for name in SETTINGS if name in options.settings}


def _grounder(options: ModelOptions) -> Grounder:
    """The model that the settings name.

    Raises:
        OptionError: a package is not installed.
        ModelError: it cannot be loaded.
    """
    kinds, named = _split_kind(options.settings[SETTING])
    try:
        checkpoint = locate_checkpoint(named, default="", kind=SETTING, typed=f"--vqamt-option {SETTING}=")
    except ModuleNotFoundError:
        return catalogue.grounder_of(named, options)  # it says what is to be installed
    if kinds:
        check_model_type(checkpoint, kinds, f"leave out what stands before the checkpoint in {SETTING}=")
    return catalogue.grounder_of(str(checkpoint.folder), options)


def _split_kind(given: str) -> tuple[tuple[str, ...], str]:
    """The kinds of checkpoint that the setting allows, none where it does not say; and the checkpoint."""
    kind, mark, named = given.partition(":")
    return (_KINDS[kind], named) if mark and kind in _KINDS else ((), given)


_MAX_FAILURES_IN_A_ROW = 5
"""A model that fails on so many photos in a row fails on all."""


class _LookError(DataError):
    """The model failed on a photo."""


class HypothesisGrounder:
    """Writes the lines of the hypotheses about one photo after the other."""

    def __init__(
        self,
        wanting: UngroundedHypotheses,
        photos: PhotoFiles,
        grounder: Grounder,
        settings: Mapping[str, str],
        asked: str,
    ) -> None:
        """What is done, and for whom.

        Args:
            wanting: the hypotheses.
            photos: that they are about.
            grounder: looks at them.
            settings: how the user named it.
            asked: a digest of all that was asked for.
        """
        self._wanting = wanting
        self._photos = photos
        self._grounder = grounder
        self._author = DetectorUse(settings=settings, fingerprint=grounder.fingerprint)
        self._asked = asked

    def do(self, names: Sequence[str], progress: Callable[[], object]) -> list[int]:
        """Grounds the hypotheses about the photos; returns the number of boxes for each that got a line."""
        boxes: list[int] = []
        failed: dict[str, _LookError] = {}
        for name in names:
            hypotheses = self._wanting.about(name)
            try:
                found = self._grounded(name, hypotheses)
            except _LookError as error:
                failed[name] = error
                if len(failed) == _MAX_FAILURES_IN_A_ROW:
                    raise ModelError(f"{error}. So it did on the last {_MAX_FAILURES_IN_A_ROW} photos") from error
            except DataError as error:
                self._note(name, error)
            else:
                self._note_all(failed)
                self._write(name, hypotheses, found)
                boxes += [sum(each is not None for each in of_one) for of_one in found]
            progress()
        self._note_all(failed)
        return boxes

    def _write(
        self, name: str, hypotheses: Sequence[UngroundedHypothesis], found: Sequence[Sequence[DetectedObject | None]]
    ) -> None:
        scores = {
            hypothesis.row.id: [each.score if each else None for each in of_one]
            for hypothesis, of_one in zip(hypotheses, found, strict=True)
        }
        ungrounded.note_found(self._wanting.folder, name, self._author, scores)
        boxes = ([each.box if each else None for each in of_one] for of_one in found)
        write(self._wanting.folder, zip(hypotheses, boxes, strict=True))

    def _note_all(self, failed: dict[str, _LookError]) -> None:
        """Notes the photos on which the model failed, once it has succeeded on another."""
        for name, error in failed.items():
            self._note(name, error)
        failed.clear()

    def _note(self, name: str, error: DataError) -> None:
        digest = photo_digest(self._photos, name)
        ungrounded.note_trouble(
            self._wanting.folder, name, DetectionFailure(why=str(error), digest=digest, asked=self._asked)
        )

    def _grounded(self, name: str, hypotheses: Sequence[UngroundedHypothesis]) -> list[list[DetectedObject | None]]:
        """The surest box for each unit; raises DataError if this photo fails, ModelError if every one would."""
        units = dict.fromkeys(unit for hypothesis in hypotheses for unit in hypothesis.units if unit.is_one)
        found: dict[UngroundedUnit, DetectedObject | None] = {}
        if units:
            image = self._photos.open(name)
            found = dict(zip(units, self._looked_for(name, image, tuple(units)), strict=True))
        return [[found.get(unit) for unit in hypothesis.units] for hypothesis in hypotheses]

    def _looked_for(self, name: str, image: Image, units: Sequence[UngroundedUnit]) -> list[DetectedObject | None]:
        try:
            return [_surest_box(each, image) for each in _ground(self._grounder, image, units)]
        except VqamtError:
            raise
        except Exception as error:
            why = (
                f"Expected a grounding model to look at {short_path(self._photos.folder, name)}, but it raised "
                f"{type(error).__name__} ({error_reason(error)}): "
            )
            if is_out_of_memory(error):
                raise ModelError(f"{why}give --vqamt-device=cpu, or make the photo smaller") from error
            if isinstance(error, ImportError):
                raise ModelError(f'{why}run: pip install "pytest-vqamt[photos]"') from error
            raise _LookError(
                f"{why}write the lines of its hypotheses yourself, or take another model. Delete {ungrounded.FILE} to "
                "have it looked at again"
            ) from error


def photo_digest(photos: PhotoFiles, name: str) -> str:
    """Of the photo's file; "" where it cannot be read."""
    try:
        return photos.digest(name)
    except DataError:
        return ""


def _ground(
    grounder: Grounder, image: Image, units: Sequence[UngroundedUnit]
) -> tuple[tuple[DetectedObject, ...], ...]:
    """Grounds the phrases "object property"; one that is too long for the model loses its last words."""
    objects = [unit.object for unit in units]
    phrases = [f"{unit.object} {unit.property}".rstrip() for unit in units]
    try:
        return grounder.ground(image, phrases)
    except ModelError:
        of_objects = grounder.ground(image, objects)  # raises where the length is not what is wrong
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


def _surest_box(found: Sequence[DetectedObject], image: Image) -> DetectedObject | None:
    """The surest detection whose box can be written."""
    for each in found:
        box = rounded(each.box, image.size)
        if box is not None:
            return replace(each, box=box)
    return None
