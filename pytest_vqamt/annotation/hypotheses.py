"""Hypotheses of which nobody has said where their units are get boxes from a grounding model, once."""

from __future__ import annotations

import os
import warnings

from pytest_vqamt.annotation.detectors import catalogue
from pytest_vqamt.annotation.progress import shown, tell
from pytest_vqamt.core.detections import Grounder
from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.core.identity import canonical_json, digest
from pytest_vqamt.data.messages import shown_path
from pytest_vqamt.data.own.writing import only_writer
from pytest_vqamt.data.snli_ve import ungrounded
from pytest_vqamt.data.snli_ve.files import UNITS, find
from pytest_vqamt.data.snli_ve.ungrounded import Wanting, settled_ids
from pytest_vqamt.execution.units_by_grounder import Work, digest_of
from pytest_vqamt.models.batching import free_memory
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.transformers.checkpoint import check_model_type, located

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
    catalogue.least_score(options.settings)
    given = options.settings.get(SETTING)
    if given is not None and not _named(given)[1].strip():
        raise OptionError(f"Expected --vqamt-option {SETTING}=REPO-OR-PATH, but got {SETTING}={given!r}")


def complete(spec: str, options: ModelOptions) -> None:
    """Adds a line to ``units.jsonl`` for each entailed hypothesis of ``snli-ve:DIR`` that has no box.

    Each unit that is about one thing gets the surest box for the phrase "object property", or none. Lines that are
    there are never touched, and those about a photo are written as soon as they are known, so that who is interrupted
    goes on where they were. Of other sources, without a model, and where nothing is wanting, nothing is done and no
    model is loaded. A photo that cannot be looked at is noted, told of by ``warn``, and looked at again when it has
    changed, or when something else is asked for.

    Raises:
        OptionError: a setting is wrong, or a package is not installed.
        ModelError: the model cannot be loaded, or fails on one photo after the other.
        DataError: the folder cannot be read or written, or has no photos.
    """
    kind, _, argument = spec.partition(":")
    if kind != KIND or SETTING not in options.settings:
        return
    check(spec, options)
    argument = os.path.expanduser(argument)  # noqa: PTH111 - Path's raises where nobody is of that name
    settings = _of_grounder(options)
    asked = digest(canonical_json(settings), options.device, str(options.dtype))
    wanting = Wanting(find(argument))
    if not _missing(wanting, asked):
        return
    with only_writer(wanting.folder / ungrounded.FILE):
        wanting = Wanting(find(argument))
        missing = _missing(wanting, asked)
        if missing and wanting.photos:
            hypotheses, photos = sum(wanting.counts[photo] for photo in missing), len(missing)
            several = "hypotheses" if hypotheses > 1 else "hypothesis"
            what = f"{hypotheses} {several} about {photos} photo{'s' if photos > 1 else ''}"
            tell(f"looking for the units of {what} in {shown_path(wanting.folder)} without boxes")
            try:
                with shown(len(missing)) as progress:
                    boxes = Work(wanting, wanting.photos, _grounder(options), settings, asked).do(missing, progress)
                tell(f"{len(boxes)} of them have a line in {UNITS} now: {sum(boxes)} boxes, none in {boxes.count(0)}")
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
    now, known = _of_grounder(options), ungrounded.troubles(files.folder)
    noted = ungrounded.settings_of_lines(files.folder)
    there = settled_ids(files) if noted else ()
    others = [told for hypothesis, told in noted.items() if told != now and hypothesis in there]
    wanting = Wanting(files).counts if known else {}
    failed = [each for photo, each in known.items() if photo in wanting]
    try:
        if others:
            by = " ".join(f"{name}={value}" for name, value in others[-1].items())
            warnings.warn(
                f"other settings ({by}) wrote {len(others)} lines in {shown_path(files.folder / UNITS)}, and these "
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


def _missing(wanting: Wanting, asked: str) -> tuple[str, ...]:
    """The photos with hypotheses that want boxes, but for those of which it is known that they cannot be looked at.

    Raises:
        DataError: there are hypotheses, and no photos at all.
    """
    if wanting.counts and wanting.photos is None:
        raise DataError(
            f"Expected photos to look for the units of hypotheses in, but {shown_path(wanting.folder)} has none: "
            f"{wanting.without_photos}"
        )
    known = ungrounded.troubles(wanting.folder)
    return tuple(
        photo
        for photo in wanting.counts
        if wanting.photos
        and wanting.has_photo(photo)
        and (
            photo not in known or known[photo].asked != asked or digest_of(wanting.photos, photo) != known[photo].digest
        )
    )


def _of_grounder(options: ModelOptions) -> dict[str, str]:
    return {name: options.settings[name] for name in SETTINGS if name in options.settings}


def _grounder(options: ModelOptions) -> Grounder:
    """The model that the settings name.

    Raises:
        OptionError: a package is not installed.
        ModelError: it cannot be loaded.
    """
    kinds, named = _named(options.settings[SETTING])
    try:
        checkpoint = located(named, default="", kind=SETTING, typed=f"--vqamt-option {SETTING}=")
    except ModuleNotFoundError:
        return catalogue.grounder_of(named, options)  # it says what is to be installed
    if kinds:
        check_model_type(checkpoint, kinds, f"leave out what stands before the checkpoint in {SETTING}=")
    return catalogue.grounder_of(str(checkpoint.folder), options)


def _named(given: str) -> tuple[tuple[str, ...], str]:
    """The kinds of checkpoint that the setting allows, none where it does not say; and the checkpoint."""
    kind, mark, named = given.partition(":")
    return (_KINDS[kind], named) if mark and kind in _KINDS else ((), given)
