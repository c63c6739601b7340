"""What all scene sources share: their protocols, the cache of their scenes, and warnings of odd data."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Protocol, runtime_checkable

from pytest_vqamt.core.conversation import Ability
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.lru import LruCache
from pytest_vqamt.core.query import PhotoStore
from pytest_vqamt.core.scene import Scene

MAX_BYTES = 192 << 20
"""About 48,000 scenes of the picture world; a run returns to scenes at random."""


@runtime_checkable
class PairedSource(Protocol):
    """A SceneSource whose data set publishes its questions in pairs."""

    @property
    def published_pairs(self) -> int: ...


@runtime_checkable
class PresetSource(Protocol):
    """A SceneSource that names the preset of relations that run where none are named, whatever the model."""

    @property
    def preset(self) -> str: ...


@runtime_checkable
class Remarked(Protocol):
    """A SceneSource of whose data users should know something."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """A sentence each."""


@runtime_checkable
class ConversationSource(Protocol):
    """A SceneSource whose questions may end conversations about several photos."""

    def beside(self, photo_id: str) -> Scene | None:
        """The bare scene of a photo that only conversations show; None for any other."""


@runtime_checkable
class DemandingSource(Protocol):
    """A SceneSource of questions, some with several pictures or turns, which not every model takes."""

    @property
    def demands(self) -> Mapping[frozenset[Ability], int]:
        """The numbers of questions by what a model must be able to take."""


class SceneSource(PhotoStore, Protocol):
    """A sequence of scenes in a fixed order, read on access."""

    @property
    def spec(self) -> str:
        """The spec that a user types for this source, with defaults ("pictures:500")."""

    @property
    def description(self) -> str:
        """One line on its content and size."""

    @property
    def digest(self) -> str:
        """Changes whenever a scene or a photo of the source does."""

    @property
    def corpus(self) -> Corpus:
        """Facts about the whole source; gathered on first use."""

    @property
    def bad_records(self) -> tuple[str, ...]:
        """A message about each record that cannot be used, which gives no scene."""

    def __len__(self) -> int: ...

    def place(self, photo_id: str) -> int:
        """The index of the scene whose photo has this id; raises DataError if no scene has this photo."""

    def scene(self, index: int) -> Scene:
        """The scene at ``index`` from 0 to ``len(self) - 1``; raises DataError if its record is broken."""


def scenes_by_photo(source: SceneSource) -> Callable[[str], Scene]:
    """A function that finds a scene of ``source`` by the id of its photo; it raises DataError if there is none."""

    def scene_of(photo_id: str) -> Scene:
        beside = source.beside(photo_id) if isinstance(source, ConversationSource) else None
        return source.scene(source.place(photo_id)) if beside is None else beside

    return scene_of


def scene_cache() -> LruCache[int, Scene]:
    """An empty cache of scenes by index."""
    return LruCache(MAX_BYTES, _bytes_of)


def _bytes_of(scene: Scene) -> int:
    """The approximate memory that a scene takes."""
    texts = len(scene.questions) + len(scene.hypotheses) + len(scene.captions)
    return 800 + 400 * (len(scene.objects) + len(scene.regions) + texts) + 80 * len(scene.relationships)


def warn_of_data(text: str, expected: str, stacklevel: int = 2) -> None:
    """Warns of something odd in a data set.

    Args:
        text: the warning.
        expected: begins the error's message, as in "Expected nothing odd in a.json".
        stacklevel: of ``warnings.warn``, counted from the caller.

    Raises:
        DataError: warnings are errors.
    """
    try:
        # With -W error, warn raises, and the user sees a data error as any other.
        warnings.warn(text, stacklevel=stacklevel + 1)
    except UserWarning as error:
        raise DataError(f"{expected}, but {text}") from error
