"""Several detectors as one: what they find, each thing once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from pytest_vqamt.core.detections import Found
from pytest_vqamt.models.detection.same_thing import LEAST_IOU, is_same_thing, may_be_called_alike

if TYPE_CHECKING:
    from PIL.Image import Image

TRUST = ("masks", "boxes", "open-vocabulary", "detector")
"""The detectors by name, the most trusted first: who drew an outline knows best where a thing ends; those with few
classes mistake one thing for another less often than those with many."""


class NamedDetector(Protocol):
    """A detector that says which it is."""

    @property
    def name(self) -> str:
        """As ``TRUST`` lists it."""
        ...

    @property
    def fingerprint(self) -> str: ...

    def find(self, image: Image) -> tuple[Found, ...]: ...


class Together:
    """All that several detectors find."""

    def __init__(self, detectors: Sequence[NamedDetector]) -> None:
        self._detectors = tuple(sorted(detectors, key=lambda each: TRUST.index(each.name)))

    @property
    def fingerprint(self) -> str:
        return "; ".join(each.fingerprint for each in self._detectors)

    def find(self, image: Image) -> tuple[Found, ...]:
        return merged(found for each in self._detectors for found in each.find(image))


def merged(findings: Iterable[Found]) -> tuple[Found, ...]:
    """Each thing once, the more trusted detectors' first, then the surer; in whatever order the findings come.

    Of findings of one thing (``is_same_thing``) that of the more trusted detector stays, of one detector the surest. It
    without attributes gets those of the first other that lies where it does (``LEAST_IOU``) and may mean the same thing
    by its name. A crowd is compared to crowds of its name alone: things are told apart within it.
    """
    kept: list[Found] = []
    for found in sorted(findings, key=_rank):
        same = [place for place, other in enumerate(kept) if _is_again(found, other)]
        if not same:
            kept.append(found)
            continue
        place = max(same, key=lambda place: found.box.iou(kept[place].box))
        stays = kept[place]
        is_near = found.box.iou(stays.box) >= LEAST_IOU and may_be_called_alike(found.name, stays.name)
        if is_near and not stays.attributes:
            kept[place] = replace(stays, attributes=found.attributes)
    return tuple(kept)


def _is_again(found: Found, other: Found) -> bool:
    if found.is_crowd or other.is_crowd:
        return found.is_crowd and other.is_crowd and found.name == other.name and is_same_thing(found, other)
    return is_same_thing(found, other)


def _rank(found: Found) -> tuple[int, float, str, tuple[float, ...], tuple[str, ...]]:
    """What comes first; complete, so that equal scores never leave it to the order in which findings came."""
    box = found.box
    return TRUST.index(found.by), -found.score, found.name, (box.x, box.y, box.w, box.h), found.attributes
