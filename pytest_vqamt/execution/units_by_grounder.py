"""A grounding model looks at photo after photo, and each hypothesis about it gets its line of units with boxes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_vqamt.core.detections import Found, Grounder
from pytest_vqamt.core.errors import DataError, ModelError, VqamtError
from pytest_vqamt.data.messages import reason, shown_path
from pytest_vqamt.data.own.photos import Author, Trouble
from pytest_vqamt.data.own.writing import rounded
from pytest_vqamt.data.photo_io import PhotoFiles
from pytest_vqamt.data.snli_ve import ungrounded
from pytest_vqamt.data.snli_ve.ungrounded import Wanting, WantingHypothesis, WantingUnit, write
from pytest_vqamt.models.batching import is_out_of_memory

if TYPE_CHECKING:
    from PIL.Image import Image


_MOST_IN_A_ROW = 5
"""A model that fails on so many photos one after the other fails on all."""


class _LookError(DataError):
    """The model failed on a photo."""


class Work:
    """Photo after photo, each to the lines of the hypotheses about it."""

    def __init__(
        self, wanting: Wanting, photos: PhotoFiles, grounder: Grounder, settings: Mapping[str, str], asked: str
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
        self._author = Author(settings=settings, fingerprint=grounder.fingerprint)
        self._asked = asked

    def do(self, names: Sequence[str], progress: Callable[[], object]) -> list[int]:
        """Looks at the photos, and says how many boxes each hypothesis has that has got a line."""
        boxes: list[int] = []
        failed: dict[str, _LookError] = {}
        for name in names:
            hypotheses = self._wanting.about(name)
            try:
                found = self._grounded(name, hypotheses)
            except _LookError as error:
                failed[name] = error
                if len(failed) == _MOST_IN_A_ROW:
                    raise ModelError(f"{error}. So it did on the last {_MOST_IN_A_ROW} photos") from error
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
        self, name: str, hypotheses: Sequence[WantingHypothesis], found: Sequence[Sequence[Found | None]]
    ) -> None:
        scores = {
            hypothesis.row.id: [each.score if each else None for each in of_one]
            for hypothesis, of_one in zip(hypotheses, found, strict=True)
        }
        ungrounded.note_found(self._wanting.folder, name, self._author, scores)
        boxes = ([each.box if each else None for each in of_one] for of_one in found)
        write(self._wanting.folder, zip(hypotheses, boxes, strict=True))

    def _note_all(self, failed: dict[str, _LookError]) -> None:
        """Notes on which photos the model failed, once it is known not to fail on all."""
        for name, error in failed.items():
            self._note(name, error)
        failed.clear()

    def _note(self, name: str, error: DataError) -> None:
        digest = digest_of(self._photos, name)
        ungrounded.note_trouble(self._wanting.folder, name, Trouble(why=str(error), digest=digest, asked=self._asked))

    def _grounded(self, name: str, hypotheses: Sequence[WantingHypothesis]) -> list[list[Found | None]]:
        """For each unit of each hypothesis the surest of what it may speak of in the photo.

        Raises:
            DataError: the photo cannot be looked at.
            ModelError: nor could any other.
        """
        units = dict.fromkeys(unit for hypothesis in hypotheses for unit in hypothesis.units if unit.is_one)
        found: dict[WantingUnit, Found | None] = {}
        if units:
            image = self._photos.open(name)
            found = dict(zip(units, self._looked_for(name, image, tuple(units)), strict=True))
        return [[found.get(unit) for unit in hypothesis.units] for hypothesis in hypotheses]

    def _looked_for(self, name: str, image: Image, units: Sequence[WantingUnit]) -> list[Found | None]:
        try:
            return [_best(each, image) for each in _ground(self._grounder, image, units)]
        except VqamtError:
            raise
        except Exception as error:
            why = (
                f"Expected a grounding model to look at {shown_path(self._photos.folder, name)}, but it raised "
                f"{type(error).__name__} ({reason(error)}): "
            )
            if is_out_of_memory(error):
                raise ModelError(f"{why}give --vqamt-device=cpu, or make the photo smaller") from error
            if isinstance(error, ImportError):
                raise ModelError(f'{why}run: pip install "pytest-vqamt[photos]"') from error
            raise _LookError(
                f"{why}write the lines of its hypotheses yourself, or take another model. Delete {ungrounded.FILE} to "
                "have it looked at again"
            ) from error


def digest_of(photos: PhotoFiles, name: str) -> str:
    """Of the photo's file; "" where it cannot be read."""
    try:
        return photos.digest(name)
    except DataError:
        return ""


def _ground(grounder: Grounder, image: Image, units: Sequence[WantingUnit]) -> tuple[tuple[Found, ...], ...]:
    """What the phrases "object property" may speak of; one that is too long for the model loses words at its end.

    Raises:
        ModelError: the model cannot be asked for the objects alone.
    """
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


def _best(found: Sequence[Found], image: Image) -> Found | None:
    """The surest with a box that can be written."""
    for each in found:
        box = rounded(each.box, image.size)
        if box is not None:
            return replace(each, box=box)
    return None
