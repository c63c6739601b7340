"""What layers ask of each other without knowing each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from PIL.Image import Image

    from pytest_vqamt.core.scene import Photo


class PhotoStore(Protocol):
    """Gives the pixels of source photos, to several threads at once; a scene source is one."""

    def photo(self, photo: Photo) -> Image:
        """The image, RGB uint8, of the size its scene says. A fresh copy, which the caller may change.

        Raises:
            DataError: the photo cannot be read.
        """
        ...

    def mask(self, photo: Photo, thing_id: str) -> Image:
        """Which pixels show the thing: mode L, 255 where they do, of the size of the photo.

        Raises:
            DataError: the thing has no mask.
        """
        ...
