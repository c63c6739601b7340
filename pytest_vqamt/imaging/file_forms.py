"""The forms of file in which a picture can be sent to a server: with alpha, with a palette, in gray.

Clients import this module to ask, so numpy is loaded only where a palette is made.
"""

from __future__ import annotations

from PIL import Image

from pytest_vqamt.core.edits import FileForm, Store
from pytest_vqamt.imaging.render import renders

_FORM = "vqamt-file-form"
"""The key of an image's ``info`` that names the form of its file."""

_COLOURS = 256
"""The colours of a palette of 8 bits."""


@renders(Store)
def store(image: Image.Image, edit: Store) -> Image.Image:
    """An RGB uint8 image of what a file of the form holds; a copy.

    256 colours by median cut for a palette, ITU-R 601 luma for grayscale, and the same pixels with alpha, which is
    opaque. Unless ``plain``, ``in_its_form`` makes an image of that form of it.
    """
    reduced = image.copy()
    # The reduction is visible in either form of file, so that only the form differs between them.
    if edit.form is FileForm.PALETTE:
        reduced = image.quantize(_COLOURS, dither=Image.Dither.NONE).convert("RGB")
    elif edit.form is FileForm.GRAYSCALE:
        reduced = image.convert("L").convert("RGB")
    if not edit.plain:
        reduced.info[_FORM] = edit.form
    return reduced


def in_its_form(image: Image.Image) -> Image.Image:
    """The image in the mode of the file that is to be sent: RGBA, P or L, or as it is."""
    form = image.info.get(_FORM)
    return image if form is None else in_form(image, FileForm(form))


def in_form(image: Image.Image, form: FileForm) -> Image.Image:
    """An image of mode RGBA, P or L with the pixels of an RGB image, of at most 256 colours for a palette."""
    match form:
        case FileForm.ALPHA:
            return image.convert("RGBA")
        case FileForm.PALETTE:
            return _with_palette(image)
        case FileForm.GRAYSCALE:
            return image.convert("L")


def _with_palette(image: Image.Image) -> Image.Image:
    """The image with its colours in a palette, in the order of their frequency; Pillow's own would merge near ones."""
    import numpy as np

    pixels = np.asarray(image)
    packed = pixels.astype(np.uint32) @ np.array([1 << 16, 1 << 8, 1], np.uint32)  # a number for each colour
    found, places, counts = np.unique(packed, return_inverse=True, return_counts=True)
    order = np.argsort(-counts, kind="stable")  # stable: the same palette on every machine
    rank = np.empty(len(found), np.uint8)
    rank[order] = np.arange(len(found))
    # Versions of NumPy give ``places`` flat or in the shape of the picture.
    made = Image.fromarray(rank[places].reshape(packed.shape), "P")
    made.putpalette([int(colour) >> shift & 255 for colour in found[order] for shift in (16, 8, 0)])
    return made
