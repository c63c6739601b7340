"""When two findings are of one thing."""

from __future__ import annotations

from pytest_vqamt.core.detections import Found
from pytest_vqamt.language.english.families import one_is_a_kind_of_the_other
from pytest_vqamt.language.wordnet import wordnet

LEAST_IOU = 0.7
"""From which overlap on two boxes are of one thing, whatever it is called.

In 40 photos of COCO, where people told all things apart, the largest IoU of 1,025 pairs of one class is 0.61 (two
buses), and that of 3,183 pairs of two classes is 0.62 (a pizza and the table that it stands on).
"""

LEAST_IOU_OF_OUTLINES = 0.5
"""The same for outlines, where both have one: a rider and the horse seen head-on share a box, and no pixel."""

LEAST_IOU_OF_TWO_DETECTORS = 0.5
"""The same for findings of two detectors whose names may be those of one thing: each draws boxes a little its way."""


def is_same_thing(one: Found, other: Found) -> bool:
    """Whether both are of one thing."""
    iou = one.box.iou(other.box)
    if iou >= LEAST_IOU and one.polygons and other.polygons:
        from pytest_vqamt.models.detection.outlines import overlap

        return overlap(one.polygons, other.polygons) >= LEAST_IOU_OF_OUTLINES
    if iou >= LEAST_IOU:
        return True
    return one.by != other.by and iou >= LEAST_IOU_OF_TWO_DETECTORS and may_be_called_alike(one.name, other.name)


def may_be_called_alike(one: str, other: str) -> bool:
    """Whether one thing may go by both names: they are equal, synonyms, or one is that of a kind of the other.

    >>> may_be_called_alike("man", "person"), may_be_called_alike("sofa", "couch"), may_be_called_alike("dog", "shirt")
    (True, True, False)
    """
    return one == other or one_is_a_kind_of_the_other(one, other) or wordnet().may_name_the_same(one, other)
