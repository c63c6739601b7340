"""Photos that nobody has annotated are looked at by detectors, once, before any of them is a scene."""

from __future__ import annotations

import os
import warnings

from pytest_vqamt.annotation.detectors import catalogue
from pytest_vqamt.annotation.progress import shown, tell
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.identity import canonical_json, digest
from pytest_vqamt.data.messages import shown_path
from pytest_vqamt.data.own import photos
from pytest_vqamt.data.own.folder import FILE, OwnPhotos, open_folder
from pytest_vqamt.data.own.writing import only_writer
from pytest_vqamt.execution.lines_by_detectors import Work
from pytest_vqamt.models.batching import free_memory
from pytest_vqamt.models.protocol import ModelOptions

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


def complete(spec: str, options: ModelOptions) -> None:
    """Adds a line for each photo of ``photos:DIR`` that has none, where the settings name a detector.

    Lines that are there are never touched, and each line is written as soon as it is known, so that who is interrupted
    goes on where they were. Of other sources, without a detector, and where every photo has its line, nothing is done
    and no detector is loaded. A photo that cannot be read, or that makes the detector fail, is noted, and told of as a
    bad record when the source is opened; it is looked at again when it has changed, or others are to look.

    Raises:
        OptionError: a setting of the detectors is wrong, or a package is not installed.
        ModelError: a detector cannot be loaded, or fails on one photo after the other.
        DataError: the folder cannot be read or written, or has a line that nobody can tell the photo of.
    """
    kind, _, argument = spec.partition(":")
    if kind != KIND or not catalogue.names_a_detector(options.settings):
        return
    catalogue.check(options.settings)
    folder = open_folder(os.path.expanduser(argument))  # noqa: PTH111 - Path's raises where nobody is of that name
    settings = _of_detectors(options)
    asked = digest(canonical_json(settings), options.device, str(options.dtype))
    if not _missing(folder, asked):
        return
    with only_writer(folder.path / photos.NOTES):
        missing, taken = _missing(folder, asked), set(folder.ids())
        if missing:
            count = f"{len(missing)} photo{'s' if len(missing) > 1 else ''}"
            tell(f"looking at {count} in {shown_path(folder.path)} without a line in {FILE}")
            try:
                with shown(len(missing)) as progress:
                    things = Work(folder, catalogue.detector_of(options), settings, asked, taken).do(missing, progress)
                without = len(missing) - len(things)
                tell(f"looked at {count}: {sum(things)} things, nothing in {things.count(0)}, no line for {without}")
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
    lines, now = folder.lines(), _of_detectors(options)
    noted = {photo: told for photo, told in photos.settings_of_lines(folder.path).items() if photo in lines}
    others = [told for told in noted.values() if told != now]
    try:
        if noted and not any(lines.values()):
            warnings.warn(
                f"detectors found no thing in any of the {len(noted)} photos in {shown_path(folder.path)} that they "
                f"looked at: delete their lines in {FILE}, and lower min-score or take other detectors",
                stacklevel=2,
            )
        if others:
            by = " ".join(f"{name}={value}" for name, value in others[-1].items())
            warnings.warn(
                f"other settings ({by}) wrote {len(others)} of the {len(lines)} lines in "
                f"{shown_path(folder.file)}, and these stay as they are: delete one to have its photo looked at anew",
                stacklevel=2,
            )
    except UserWarning as error:
        raise DataError(f"Expected lines that detectors need not write anew, but {error}") from error


def _of_detectors(options: ModelOptions) -> dict[str, str]:
    return {name: options.settings[name] for name in catalogue.SETTINGS if name in options.settings}


def _missing(folder: OwnPhotos, asked: str) -> tuple[str, ...]:
    """The photos without a line, but for those of which it is known that what is asked for gives none."""
    known = photos.troubles(folder.path)
    return tuple(
        name
        for name in folder.without_line()
        if name not in known or known[name].asked != asked or folder.digest(name) != known[name].digest
    )
