"""Renders pictures: recipes become pixels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

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

_MODULES = ("corruptions", "edits", "file_forms", "views")
"""The modules of this folder that register renderers, loaded when the first picture is rendered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One edit of a picture, at its place."""

    picture: Picture
    place: int
    photos: PhotoStore

    @property
    def edits_before(self) -> tuple[Edit, ...]:
        return self.picture.edits[: self.place]

    @property
    def seed(self) -> int:
        """The seed of the edit's noise: the digest of the picture up to it."""
        edits = self.picture.edits[: self.place + 1]
        upto = Picture(photo=self.picture.photo, edits=edits, scene=self.picture.scene)
        return int.from_bytes(upto.digest.encode(), "big")


_RENDERERS: dict[type[Edit], Callable[[Image, Edit, Step], Image]] = {}


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
        if rendered is None:
            known = ", ".join(kind.__name__ for kind in registered_types(Edit))
            raise RenderError(f"Expected an edit that can be drawn ({known}), but got edit={edit!r}")
        image = rendered(image, edit, Step(picture=picture, place=place, photos=photos))
    return image
