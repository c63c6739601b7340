"""Which side of the split a photo is on: never both."""

from __future__ import annotations

from hashlib import sha256

from pytest_vqamt.core.edits import Insert
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.scene import Photo

TRAIN, TEST = "train", "test"


def side_of(photo: Photo, share: float, seed: int) -> str:
    """TRAIN for about ``share`` of all photos, by SHA-256 of the seed and the photo's digest.

    The same photo is on the same side in every export with this seed, whatever it is called in its source and whatever
    else is exported.

    >>> side_of(Photo(id="a.jpg", digest="17"), 0.8, 0) == side_of(Photo(id="b.jpg", digest="17"), 0.8, 0)
    True
    """
    drawn = int.from_bytes(sha256(f"{seed}\x1f{photo.digest}".encode()).digest()[:8], "big")
    return TRAIN if drawn < share * 2**64 else TEST


def photos_in(picture: Picture) -> tuple[Photo, ...]:
    """The picture's photo, and those that things were cut out of to be put into it."""
    inserted = (edit.cutout.photo for edit in picture.edits if isinstance(edit, Insert))
    return tuple(dict.fromkeys((picture.photo, *inserted)))
