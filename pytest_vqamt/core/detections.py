"""What detectors find in a picture, and what makes them detectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

from pytest_vqamt.core.box import Box

if TYPE_CHECKING:
    from PIL.Image import Image


Polygons: TypeAlias = "tuple[tuple[float, ...], ...]"
"""Each as x, y of one corner after the other, in pixels of the picture; together they are one thing.

The corner of the picture is (0, 0), the centre of its first pixel (0.5, 0.5). Where a polygon covers itself twice, it
has a hole.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectedObject:
    """A thing that a detector sees.

    Attributes:
        name: what it is called, a singular in lower case; what was looked for where that is a phrase.
        box: in pixels of the picture, of a width and a height, inside its frame.
        score: how sure the detector is, from 0 to 1; scores of two detectors are of two kinds.
        by: which of the detectors it is from ("boxes").
        attributes: what holds of it ("red").
        polygons: its outline; empty where the detector gives none.
        is_crowd: whether it is many things, or an amount, that nobody told apart: trees, grass.
    """

    name: str
    box: Box
    score: float
    by: str
    attributes: tuple[str, ...] = ()
    polygons: Polygons = ()
    is_crowd: bool = False


class Detector(Protocol):
    """Says what is in a picture."""

    @property
    def fingerprint(self) -> str:
        """Everything that can change what it finds: weights, settings, versions."""
        ...

    def find(self, image: Image) -> tuple[DetectedObject, ...]:
        """What is in ``image`` (RGB), the surest first. What else is done at the same time changes nothing of it."""
        ...


class Grounder(Protocol):
    """Says where in a picture the things are that phrases speak of."""

    @property
    def fingerprint(self) -> str:
        """Everything that can change what it finds: weights, settings, versions."""
        ...

    def ground(self, image: Image, phrases: Sequence[str]) -> tuple[tuple[DetectedObject, ...], ...]:
        """For each phrase what in ``image`` (RGB) it may speak of, the surest first; empty where nothing does.

        Raises:
            ModelError: a phrase has no words, or more of them than the model reads.
        """
        ...
