"""What a model that is given texts says of a picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import torch
    from PIL.Image import Image

EVERY = -1.0
"""A score that every box is above."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A box ``x0, y0, x1, y1`` in pixels of the picture, and how well each text fits it, from 0 to 1."""

    corners: tuple[float, ...]
    scores: tuple[float, ...]


class Reader(Protocol):
    """One family of checkpoints: holds texts against a picture."""

    @property
    def least_score(self) -> float:
        """From which score on a text fits, where the user says nothing."""
        ...

    @property
    def reads_each_alone(self) -> bool:
        """Whether it says the same of a text whatever others are held against the picture with it."""
        ...

    @property
    def files(self) -> str:
        """The digest of the checkpoint's files."""
        ...

    def prompt(self, name: str) -> str:
        """The text that asks for things of a name."""
        ...

    def groups(self, texts: Sequence[str]) -> Iterator[Sequence[str]]:
        """The texts in their order, in groups of as many as can be held against a picture at once.

        Raises:
            ModelError: one of them is too long by itself, or has no words.
        """
        ...

    def read(self, image: Image, texts: Sequence[str]) -> Sequence[Reading]:
        """Every box that the checkpoint proposes for a picture (RGB), with how well each of the texts fits it."""
        ...


def readings(boxes: torch.Tensor, scores: torch.Tensor) -> tuple[Reading, ...]:
    """The boxes (n, 4) with their scores (n, texts)."""
    pairs = zip(boxes.tolist(), scores.tolist(), strict=True)
    return tuple(Reading(corners=tuple(corners), scores=tuple(each)) for corners, each in pairs)
