"""Renders pictures: recipes become pixels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vqamt.core.edits import (
    EDITS,
    Beside,
    Blur,
    Brightness,
    Contrast,
    Corrupt,
    Crop,
    Cut,
    Erase,
    Insert,
    Jpeg,
    Mask,
    Mirror,
    Pad,
    Recolour,
    Redraw,
    Reencode,
    Rescale,
    Rotate,
    Shear,
    Shift,
    Store,
    Tilt,
    Write,
)
from pytest_vqamt.core.errors import RenderError
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import PhotoStore, RedrawingStore
from pytest_vqamt.imaging.blur import blur
from pytest_vqamt.imaging.edits import brightness, contrast, crop, cut, erase, insert, mask, mirror, reencode, shear
from pytest_vqamt.imaging.file_forms import store
from pytest_vqamt.imaging.views import beside, jpeg, pad, recolour, rescale, rotate, shift, tilt, write

if TYPE_CHECKING:
    from PIL.Image import Image


def render(picture: Picture, photos: PhotoStore) -> Image:
    """Renders ``picture``: RGB, uint8, of the size of ``picture.scene``.

    Raises:
        RenderError: an edit cannot be rendered.
        DataError: a photo or a mask cannot be read.
    """
    image = photos.photo(picture.photo)
    for place in range(len(picture.edits)):
        image = _edited(image, picture, place, photos)
    return image


def _edited(image: Image, picture: Picture, place: int, photos: PhotoStore) -> Image:
    match picture.edits[place]:
        case Erase() as edit:
            return erase(image, edit)
        case Cut() as edit:
            return cut(image, edit)
        case Crop() as edit:
            return crop(image, edit)
        case Insert() as edit:
            return insert(image, edit, photos)
        case Blur() as edit:
            return blur(image, edit)
        case Mask() as edit:
            return mask(image, edit)
        case Mirror():
            return mirror(image)
        case Corrupt() as edit:
            from pytest_vqamt.imaging.corruptions import corrupt

            return corrupt(image, edit, _seed(picture, place))
        case Brightness() as edit:
            return brightness(image, edit)
        case Contrast() as edit:
            return contrast(image, edit)
        case Shear() as edit:
            return shear(image, edit)
        case Reencode():
            return reencode(image)
        case Shift() as edit:
            return shift(image, edit)
        case Pad() as edit:
            return pad(image, edit)
        case Rescale() as edit:
            return rescale(image, edit)
        case Jpeg() as edit:
            return jpeg(image, edit)
        case Rotate() as edit:
            return rotate(image, edit)
        case Beside() as edit:
            return beside(image, edit, photos)
        case Write() as edit:
            return write(image, edit)
        case Recolour() as edit:
            if not all(isinstance(each, Recolour) for each in picture.edits[:place]):
                raise RenderError(
                    f"Expected the photo as it is, whose masks are known, but got edits={picture.edits!r}"
                )
            return recolour(image, edit, photos.mask(picture.photo, edit.thing))
        case Store() as edit:
            return store(image, edit)
        case Tilt() as edit:
            return tilt(image, edit)
        case Redraw() as edit:
            if place or not isinstance(photos, RedrawingStore):
                raise RenderError(
                    f"Expected Redraw as the first edit of a photo that is drawn, but got edits={picture.edits!r}"
                )
            return photos.redrawn(picture.photo, edit)
        case unknown:
            known = ", ".join(each.__name__ for each in EDITS)
            raise RenderError(f"Expected an edit that can be drawn ({known}), but got edit={unknown!r}")


def _seed(picture: Picture, place: int) -> int:
    """Returns the seed for the noise of the edit at ``place``: the digest of the picture up to it."""
    upto = Picture(photo=picture.photo, edits=picture.edits[: place + 1], scene=picture.scene)
    return int.from_bytes(upto.digest.encode(), "big")
