"""The distinct pictures of a batch: each is encoded once for all its questions."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_vqamt.core.query import ModelInput


def distinct(batch: Sequence[ModelInput]) -> tuple[list[ModelInput], list[int]]:
    """The first input about each distinct picture, in their order, and which of them each input has the picture of."""
    places: dict[str, int] = {}
    firsts: list[ModelInput] = []
    which: list[int] = []
    for asked in batch:
        place = places.setdefault(asked.query.picture.digest, len(places))
        if place == len(firsts):
            firsts.append(asked)
        which.append(place)
    return firsts, which
