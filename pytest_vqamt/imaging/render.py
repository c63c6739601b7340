"""Renders pictures: recipes become pixels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from math import ceil, floor
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.codec import registered_types
from pytest_vqamt.core.edits import Edit
from pytest_vqamt.core.errors import RenderError
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import PhotoStore

if TYPE_CHECKING:
    from PIL.Image import Image


F = TypeVar("F", bound="Callable[..., Image]")

Given: TypeAlias = Literal["nothing", "photos", "seed", "step"]
"""The third argument of a renderer, after the image and the edit."""

_MODULES = ("corruptions", "pixel_edits", "file_forms", "views")
"""The modules of this folder that register renderers, loaded when the first picture is rendered."""

_RENDERERS: dict[type[Edit], Callable[[Image, Edit, Step], Image]] = {}
"""Filled by ``renders`` as the modules are imported."""

Pixels: TypeAlias = tuple[int, int, int, int]
"""Left, top, right, bottom; right and bottom are the first column and row outside, as PIL has it."""

_FUZZ_PX = 1e-6
"""A box that ends so little beyond a pixel's edge ends at it: x + w is seldom exact."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One edit of a picture, at its place."""

    picture: Picture
    """The whole recipe."""
    place: int
    """The index of the edit in it."""
    photos: PhotoStore
    """The source, for photos and masks of other things."""

    @property
    def edits_before(self) -> tuple[Edit, ...]:
        return self.picture.edits[: self.place]

    @property
    def seed(self) -> int:
        """The seed of the edit's noise: the digest of the picture up to it."""
        # Later edits must not change the noise: a follow-up with one more edit shows the same picture below it.
        edits = self.picture.edits[: self.place + 1]
        upto = Picture(photo=self.picture.photo, edits=edits, scene=self.picture.scene)
        return int.from_bytes(upto.digest.encode(), "big")


def renders(kind: type[Edit], given: Given = "nothing") -> Callable[[F], F]:
    """Registers the function that makes the pixels of an edit.

    It takes an RGB uint8 image, the edit, and what ``given`` names, and returns an RGB uint8 image; a copy.
    """

    def register(render: F) -> F:
        def rendered(image: Image, edit: Edit, step: Step) -> Image:
            match given:
                case "nothing":
                    return render(image, edit)
                case "step":
                    return render(image, edit, step)
                case "photos":
                    return render(image, edit, step.photos)
                case "seed":
                    return render(image, edit, step.seed)

        _RENDERERS[kind] = rendered
        return render

    return register


@cache
def renderers() -> dict[type[Edit], Callable[[Image, Edit, Step], Image]]:
    """What renders each kind of edit."""
    for name in _MODULES:
        import_module(f"pytest_vqamt.imaging.{name}")
    return _RENDERERS


def render(picture: Picture, photos: PhotoStore) -> Image:
    """Renders ``picture``: RGB, uint8, of the size of ``picture.scene``.

    Raises:
        RenderError: an edit cannot be rendered.
        DataError: a photo or a mask cannot be read.
    """
    image = photos.photo(picture.photo)
    for place, edit in enumerate(picture.edits):
        rendered = renderers().get(type(edit))
        if rendered is None:  # an edit that no function of ``_MODULES`` draws
            known = ", ".join(kind.__name__ for kind in registered_types(Edit))
            raise RenderError(f"Expected an edit that can be drawn ({known}), but got edit={edit!r}")
        image = rendered(image, edit, Step(picture=picture, place=place, photos=photos))
    return image


def outwards(box: Box, size: tuple[int, int]) -> Pixels | None:
    """All pixels of a picture of ``size`` (width, height) that ``box`` touches, None if it touches none.

    >>> outwards(Box(1.5, 2, 2, 2), (10, 10))
    (1, 2, 4, 4)
    >>> outwards(Box(-5, 8, 20, 20), (10, 10))
    (0, 8, 10, 10)
    """
    x0, y0 = max(0, floor(box.x + _FUZZ_PX)), max(0, floor(box.y + _FUZZ_PX))
    x1, y1 = min(size[0], ceil(box.x1 - _FUZZ_PX)), min(size[1], ceil(box.y1 - _FUZZ_PX))
    return (x0, y0, x1, y1) if x1 > x0 and y1 > y0 else None


def nearest(box: Box) -> Pixels:
    """The box with its edges moved to the nearest ones between pixels; at least one pixel wide and high.

    >>> nearest(Box(1.4, 2.6, 3, 0.1))
    (1, 3, 4, 4)
    """
    x0, y0 = round(box.x), round(box.y)
    return x0, y0, max(x0 + 1, round(box.x1)), max(y0 + 1, round(box.y1))


def inside(box: Box, size: tuple[int, int]) -> Pixels | None:
    """The box in whole pixels, of its rounded width and height; None if empty or not inside.

    >>> inside(Box(2, 3, 4, 5), (10, 10))
    (2, 3, 6, 8)
    >>> inside(Box(8, 3, 4, 5), (10, 10)) is None
    True
    """
    width, height = round(box.w), round(box.h)
    beyond = max(-box.x, -box.y, box.x1 - size[0], box.y1 - size[1])
    if width < 1 or height < 1 or beyond > _FUZZ_PX:
        return None
    # Where x and the width are both rounded up, the box would end a pixel outside.
    x0, y0 = min(round(box.x), size[0] - width), min(round(box.y), size[1] - height)
    return x0, y0, x0 + width, y0 + height
