"""What a scene source is."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.query import PhotoStore
from pytest_vqamt.core.scene import Scene


@runtime_checkable
class PublishedPairs(Protocol):
    """A scene source whose data set has published its questions in pairs. It is a SceneSource, too."""

    @property
    def published_pairs(self) -> int:
        """How many pairs there are."""
        ...


class SceneSource(PhotoStore, Protocol):
    """Where scenes come from. Scenes are read when they are asked for, and their order never changes."""

    @property
    def spec(self) -> str:
        """What a user types to get this very source, defaults filled in ("pictures:500")."""
        ...

    @property
    def description(self) -> str:
        """One line: what it is and how much of it there is."""
        ...

    @property
    def digest(self) -> str:
        """Changes whenever a scene or a photo of the source does."""
        ...

    @property
    def corpus(self) -> Corpus:
        """What relations may know of the whole source; gathered at first use."""
        ...

    @property
    def bad_records(self) -> tuple[str, ...]:
        """What is wrong with each record that cannot be used: they are no scenes of this source."""
        ...

    def __len__(self) -> int: ...

    def place(self, photo_id: str) -> int:
        """The index of the scene whose photo has this id.

        Raises:
            DataError: there is none.
        """
        ...

    def scene(self, index: int) -> Scene:
        """The scene at ``index`` from 0 to ``len(self) - 1``.

        Raises:
            DataError: its record is broken.
        """
        ...
