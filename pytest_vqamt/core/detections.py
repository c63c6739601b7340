"""The protocols of detectors and grounding models, and the objects that they detect."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

from pytest_vqamt.core.box import Box

if TYPE_CHECKING:
    from PIL.Image import Image


Polygons: TypeAlias = "tuple[tuple[float, ...], ...]"
"""The polygons that outline one object, each as ``x0, y0, x1, y1, ...`` in pixels of the picture.

The top left corner of the picture is (0, 0) and the centre of its first pixel (0.5, 0.5). Where a polygon overlaps
itself, it has a hole.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectedObject:
    """One object in a picture, as a detector found it.

    Attributes:
        name: a singular noun in lower case, or the phrase that was looked for.
        box: in pixels, not empty, inside the picture.
        score: the detector's confidence, from 0 to 1; not comparable between detectors.
        by: the name of the detector ("boxes").
        attributes: such as "red".
        polygons: the outline; empty if the detector gives none.
        is_crowd: whether it is several objects, or an amount, not told apart: trees, grass.
    """

    name: str
    box: Box
    score: float
    by: str
    attributes: tuple[str, ...] = ()
    polygons: Polygons = ()
    is_crowd: bool = False


class Detector(Protocol):
    """Detects the objects of a picture."""

    @property
    def fingerprint(self) -> str:
        """Changes whenever results may: covers weights, settings and versions."""
        ...

    def find(self, image: Image) -> tuple[DetectedObject, ...]:
        """The objects in ``image`` (RGB), by descending score; calls at the same time do not affect each other."""
        ...


class Grounder(Protocol):
    """Locates the objects that phrases describe."""

    @property
    def fingerprint(self) -> str:
        """Changes whenever results may: covers weights, settings and versions."""
        ...

    def ground(self, image: Image, phrases: Sequence[str]) -> tuple[tuple[DetectedObject, ...], ...]:
        """For each phrase the objects in ``image`` (RGB) that it may describe, by descending score.

        Raises:
            ModelError: a phrase is empty, or too long for the model.
        """
        ...
