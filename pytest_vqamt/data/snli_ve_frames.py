"""How large the photos of hypotheses are: as they say themselves, else as their scene graphs do."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.data.decoding import size_px
from pytest_vqamt.data.messages import named
from pytest_vqamt.data.own.graphs import Graphs
from pytest_vqamt.data.photo_io import PhotoFiles
from pytest_vqamt.data.records import MOST_PX

BOUNDLESS = Box(0, 0, MOST_PX, MOST_PX)
"""The frame of a photo of which nothing is known."""


class GraphsBeside(Graphs):
    """A file of scene graphs, by the names of the photos, which lie anywhere or nowhere; one line a photo.

    Attributes:
        sizes: width and height as the line of each photo has them.
    """

    def __init__(self, file: Path) -> None:
        self.sizes: dict[str, tuple[int, int]] = {}
        super().__init__(file, PhotoFiles(file.parent))
        self.places: Mapping[str, int] = {Path(self.photo_file(place)).name: place for place in range(len(self))}

    def _check_photo(self, scene: Scene, file: str, where: str) -> None:
        photo = Path(file).name
        if photo in self.sizes:
            raise DataError(f"{where}: photo: Expected one line a photo, but got another of {named(photo)}: remove one")
        self.sizes[photo] = (scene.width, scene.height)


class Frames:
    """The frames of photos by name."""

    def __init__(self, photos: PhotoFiles | None, graphs: GraphsBeside | None) -> None:
        self._photos = photos
        self._graphs = graphs
        self._known: dict[str, Box] = {}

    def of(self, photo: str) -> Box:
        """The frame, ``BOUNDLESS`` where its size is not known.

        Raises:
            DataError: the photo is there and cannot be read.
        """
        if photo not in self._known:
            self._known[photo] = self._find(photo)
        return self._known[photo]

    def _find(self, photo: str) -> Box:
        if self._photos and self._photos.has(photo):
            return Box(0, 0, *size_px(self._photos.folder / photo))
        size = self._graphs.sizes.get(photo) if self._graphs else None
        return Box(0, 0, *size) if size else BOUNDLESS
