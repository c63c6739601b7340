"""Annotates photos without a line by detectors, before they are scenes."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence

from pytest_vqamt.annotation.detectors import catalogue
from pytest_vqamt.annotation.progress import print_status, progress_bar
from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.detections import DetectedObject, Detector
from pytest_vqamt.core.errors import DataError, ModelError, VqamtError
from pytest_vqamt.core.identity import canonical_json, digest
from pytest_vqamt.data.messages import error_reason, short_path
from pytest_vqamt.data.own import photos
from pytest_vqamt.data.own.folder import FILE, OwnPhotos, open_folder
from pytest_vqamt.data.own.photos import DetectionFailure, DetectorUse
from pytest_vqamt.data.own.writing import append, only_writer, row_of, things_of, usable
from pytest_vqamt.data.photo_io import PhotoFiles
from pytest_vqamt.data.records import MAX_ID_LENGTH
from pytest_vqamt.models.base import ModelOptions
from pytest_vqamt.models.batching import free_memory, is_out_of_memory

KIND = "photos"


def settings(spec: str) -> tuple[str, ...]:
    """The names of the settings that are of use for a data source of this spec."""
    return catalogue.SETTINGS if spec.partition(":")[0] == KIND else ()


def check(spec: str, options: ModelOptions) -> None:
    """Checks what the settings say of detectors, where the source of this spec has a use for any, and loads nothing.

    Raises:
        OptionError: a setting is wrong.
    """
    if spec.partition(":")[0] == KIND:
        catalogue.check(options.settings)


def annotate_photos(spec: str, options: ModelOptions) -> None:
    """Adds a line for each photo of ``photos:DIR`` that has none, where the settings name a detector.

    Existing lines are never changed. Each line is written at once, so that an interrupted run continues where it
    stopped. Without a detector, or without such photos, nothing is done or loaded. A photo that cannot be read, or on
    which the detector fails, is noted, and reported as a bad record when the source is opened; it is tried again when
    the photo or the settings change.

    Raises:
        OptionError: a setting of the detectors is invalid, or a package is not installed.
        ModelError: a detector cannot be loaded, or fails on several photos in a row.
        DataError: the folder cannot be read or written, or has a line without a known photo.
    """
    kind, _, argument = spec.partition(":")
    if kind != KIND or not catalogue.names_a_detector(options.settings):
        return
    catalogue.check(options.settings)
    folder = open_folder(os.path.expanduser(argument))  # noqa: PTH111 - Path's raises where nobody is of that name
    settings = _detector_settings(options)
    asked = digest(canonical_json(settings), options.device, str(options.dtype))
    if not _missing(folder, asked):
        return
    with only_writer(folder.path / photos.NOTES):
        missing, taken = _missing(folder, asked), set(folder.ids())
        if missing:
            count = f"{len(missing)} photo{'s' if len(missing) > 1 else ''}"
            print_status(f"looking at {count} in {short_path(folder.path)} without a line in {FILE}")
            try:
                with progress_bar(len(missing)) as progress:
                    things = PhotoAnnotator(folder, catalogue.detector_of(options), settings, asked, taken).do(
                        missing, progress
                    )
                without = len(missing) - len(things)
                print_status(
                    f"looked at {count}: {sum(things)} things, nothing in {things.count(0)}, no line for {without}"
                )
            finally:
                if options.device != "cpu":
                    free_memory()  # the models that are tested next have a use for the device's


def warn(spec: str, options: ModelOptions) -> None:
    """Warns where the settings name a detector and did not make the lines that are there, or nothing was found.

    Raises:
        DataError: the folder or its file cannot be read, or the user has warnings made errors.
    """
    kind, _, argument = spec.partition(":")
    if kind != KIND or not catalogue.names_a_detector(options.settings):
        return
    folder = open_folder(os.path.expanduser(argument))  # noqa: PTH111 - as above
    lines, now = folder.lines(), _detector_settings(options)
    noted = {photo: told for photo, told in photos.settings_of_lines(folder.path).items() if photo in lines}
    others = [told for told in noted.values() if told != now]
    try:
        if noted and not any(lines.values()):
            warnings.warn(
                f"detectors found no thing in any of the {len(noted)} photos in {short_path(folder.path)} that they "
                f"looked at: delete their lines in {FILE}, and lower min-score or take other detectors",
                stacklevel=2,
            )
        if others:
            by = " ".join(f"{name}={value}" for name, value in others[-1].items())
            warnings.warn(
                f"other settings ({by}) wrote {len(others)} of the {len(lines)} lines in "
                f"{short_path(folder.file)}, and these stay as they are: delete one to have its photo looked at anew",
                stacklevel=2,
            )
    except UserWarning as error:
        raise DataError(f"Expected lines that detectors need not write anew, but {error}") from error


def _detector_settings(options: ModelOptions) -> dict[str, str]:
    return {name: options.settings[name] for name in catalogue.SETTINGS if name in options.settings}


def _missing(folder: OwnPhotos, asked: str) -> tuple[str, ...]:
    """The photos without a line, except known failures of the same request."""
    known = photos.troubles(folder.path)
    return tuple(
        name
        for name in folder.without_line()
        if name not in known or known[name].asked != asked or folder.digest(name) != known[name].digest
    )


_MAX_FAILURES_IN_A_ROW = 5
"""A detector that fails on so many photos in a row fails on all."""

_END_OF_A_LONG_NAME = 150


class _LookError(DataError):
    """A detector failed on a photo."""


class PhotoAnnotator:
    """Writes the line of one photo after the other."""

    def __init__(
        self, folder: OwnPhotos, detector: Detector, settings: Mapping[str, str], asked: str, taken: set[str]
    ) -> None:
        """What is done, and for whom.

        Args:
            folder: of the photos.
            detector: looks at them.
            settings: how the user named it.
            asked: a digest of all that was asked for.
            taken: the ids of the scenes that are there.
        """
        self._folder = folder
        self._detector = detector
        self._author = DetectorUse(settings=settings, fingerprint=detector.fingerprint)
        self._asked = asked
        self._taken = taken
        self._photos = PhotoFiles(folder.path)

    def do(self, names: Sequence[str], progress: Callable[[], object]) -> list[int]:
        """Annotates the photos; returns the number of objects for each that got a line."""
        things: list[int] = []
        failed: dict[str, _LookError] = {}
        for name in names:
            scene_id = self._free_id(name)
            try:
                findings, row = self._seen(name, scene_id)
            except _LookError as error:
                failed[name] = error
                if len(failed) == _MAX_FAILURES_IN_A_ROW:
                    raise ModelError(f"{error}. So it did on the last {_MAX_FAILURES_IN_A_ROW} photos") from error
            except DataError as error:
                self._note(name, error)
            else:
                self._note_all(failed)
                size = self._photos.size_bytes(name)
                photos.note_found(self._folder.path, name, scene_id, self._author, findings, size_bytes=size)
                append(self._folder.file, [row])
                self._taken.add(scene_id)
                things.append(len(things_of(findings)))
            progress()
        self._note_all(failed)
        return things

    def _note_all(self, failed: dict[str, _LookError]) -> None:
        """Notes the photos on which the detector failed, once it has succeeded on another."""
        for name, error in failed.items():
            self._note(name, error)
        failed.clear()

    def _note(self, name: str, error: DataError) -> None:
        trouble = DetectionFailure(why=str(error), digest=self._folder.digest(name), asked=self._asked)
        photos.note_trouble(self._folder.path, name, trouble)

    def _seen(self, name: str, scene_id: str) -> tuple[tuple[DetectedObject, ...], dict[str, Json]]:
        """The detections and the row; raises DataError if this photo fails, ModelError if every one would."""
        image = self._photos.open(name)
        try:
            found = self._detector.find(image)
        except VqamtError:
            raise
        except Exception as error:
            why = (
                f"Expected a detector to look at {short_path(self._folder.path, name)}, but it raised "
                f"{type(error).__name__} ({error_reason(error)}): "
            )
            if is_out_of_memory(error):
                raise ModelError(f"{why}give --vqamt-device=cpu, or make the photo smaller") from error
            if isinstance(error, ImportError):
                raise ModelError(f'{why}run: pip install "pytest-vqamt[photos]"') from error
            raise _LookError(
                f"{why}write its line yourself, or take another detector. Delete {photos.NOTES} to have it looked at "
                "again"
            ) from error
        findings = usable(found, image.size)
        return findings, row_of(findings, scene_id=scene_id, file=name, size=image.size)

    def _free_id(self, name: str) -> str:
        """The photo's name, shortened or numbered where it is too long or taken."""
        short = name if len(name) <= MAX_ID_LENGTH else f"...{name[-_END_OF_A_LONG_NAME:]}"
        tried, number = short, 2
        while tried in self._taken:
            tried, number = f"{short} ({number})", number + 1
        return tried
