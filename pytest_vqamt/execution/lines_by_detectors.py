"""A detector looks at photo after photo, and each gets its line, or it is noted why it has none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.detections import Detector, Found
from pytest_vqamt.core.errors import DataError, ModelError, VqamtError
from pytest_vqamt.data.messages import reason, shown_path
from pytest_vqamt.data.own import photos
from pytest_vqamt.data.own.folder import OwnPhotos
from pytest_vqamt.data.own.photos import Author, Trouble
from pytest_vqamt.data.own.writing import append, row_of, things_of, usable
from pytest_vqamt.data.photo_io import PhotoFiles
from pytest_vqamt.data.records import MOST_OF_AN_ID
from pytest_vqamt.models.batching import is_out_of_memory

_MOST_IN_A_ROW = 5
"""A detector that fails on so many photos one after the other fails on all."""

_END_OF_A_LONG_NAME = 150


class _LookError(DataError):
    """A detector failed on a photo."""


class Work:
    """Photo after photo, each to its line."""

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
        self._author = Author(settings=settings, fingerprint=detector.fingerprint)
        self._asked = asked
        self._taken = taken
        self._photos = PhotoFiles(folder.path)

    def do(self, names: Sequence[str], progress: Callable[[], object]) -> list[int]:
        """Looks at the photos, and says how many things are in each that has got a line."""
        things: list[int] = []
        failed: dict[str, _LookError] = {}
        for name in names:
            scene_id = self._free_id(name)
            try:
                findings, row = self._seen(name, scene_id)
            except _LookError as error:
                failed[name] = error
                if len(failed) == _MOST_IN_A_ROW:
                    raise ModelError(f"{error}. So it did on the last {_MOST_IN_A_ROW} photos") from error
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
        """Notes on which photos the detector failed, once it is known not to fail on all."""
        for name, error in failed.items():
            self._note(name, error)
        failed.clear()

    def _note(self, name: str, error: DataError) -> None:
        trouble = Trouble(why=str(error), digest=self._folder.digest(name), asked=self._asked)
        photos.note_trouble(self._folder.path, name, trouble)

    def _seen(self, name: str, scene_id: str) -> tuple[tuple[Found, ...], dict[str, Json]]:
        """What is in a photo, and the row that says so.

        Raises:
            DataError: it cannot be looked at.
            ModelError: nor could any other.
        """
        image = self._photos.open(name)
        try:
            found = self._detector.find(image)
        except VqamtError:
            raise
        except Exception as error:
            why = (
                f"Expected a detector to look at {shown_path(self._folder.path, name)}, but it raised "
                f"{type(error).__name__} ({reason(error)}): "
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
        """The photo's name, or something like it where a scene is called so, or it is too long to be an id."""
        short = name if len(name) <= MOST_OF_AN_ID else f"...{name[-_END_OF_A_LONG_NAME:]}"
        tried, number = short, 2
        while tried in self._taken:
            tried, number = f"{short} ({number})", number + 1
        return tried
