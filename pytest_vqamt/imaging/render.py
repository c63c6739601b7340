"""From a picture's recipe to its pixels."""

from __future__ import annotations

from io import BytesIO

from PIL import Image, ImageOps

from pytest_vqamt.core.edits import Edit, Mirror, Reencode
from pytest_vqamt.core.errors import RenderError
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.protocols import PhotoStore


def render(picture: Picture, photos: PhotoStore) -> Image.Image:
    """The image that ``picture`` describes: RGB, uint8, of the size of ``picture.scene``.

    Raises:
        RenderError: an edit of it cannot be drawn.
        DataError: the source photo cannot be read.
    """
    image = photos.photo(picture.photo)
    for edit in picture.edits:
        image = _edited(image, edit)
    return image


def _edited(image: Image.Image, edit: Edit) -> Image.Image:
    match edit:
        case Mirror():
            return ImageOps.mirror(image)
        case Reencode():
            return _through_png(image)
    raise RenderError(
        f"Expected an edit that this version can draw (Mirror, Reencode), but got edit={edit!r}: "
        "its scene and its digest are known, its pixels are not yet"
    )


def _through_png(image: Image.Image) -> Image.Image:
    file = BytesIO()
    image.save(file, format="PNG", compress_level=1)
    file.seek(0)
    with Image.open(file) as reread:
        return reread.convert("RGB")
