"""Malformed inputs that are not told as they should be yet, and why."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_MARKS = "the reader of large files takes half a surrogate for a question mark"
_RAW_ID = "the id stands in the message as it is"
_LOOKS = "each file in a folder of photos is looked at before it is known to be one"

GAPS: Mapping[str, str] = MappingProxyType(
    {
        "gqa: sceneGraphs.json: 2.location is half a surrogate": _MARKS,
        "gqa: sceneGraphs.json: 2.objects.21.name is half a surrogate": _MARKS,
        "gqa: sceneGraphs.json: 2.objects.21.attributes[0] is half a surrogate": _MARKS,
        "gqa: sceneGraphs.json: 2.objects.21.relations[0].name is half a surrogate": _MARKS,
        "visual-genome: scene_graphs.json: [1].image_id is half a surrogate": _MARKS,
        "visual-genome: scene_graphs.json: [1].objects[0].object_id is half a surrogate": _MARKS,
        "vqa-v2: questions.json: questions[1].question is half a surrogate": _MARKS,
        "vqa-v2: questions.json: questions[1].image_id is half a surrogate": _MARKS,
        "vqa-v2: annotations.json: annotations[1].answer_type is half a surrogate": _MARKS,
        "gqa: an image named two lines": _RAW_ID,
        "gqa: an image named very long": _RAW_ID,
        "gqa: an image named right to left": _RAW_ID,
        "coco: a photo named a very long way": "the name stands in the message in all its length",
        "gqa: an object that comes twice": "of two objects of one id the first is left out in silence",
        "gqa: a width that comes twice": "of a field that comes twice the last is taken in silence",
        "visual-genome: two sizes of one image": "of two records of one image the first is taken in silence",
        "gqa: a photo that is a link to nothing": _LOOKS,
        "gqa: a photo that is a link in a circle": _LOOKS,
        "visual-genome: a photo that is a link to nothing": _LOOKS,
        "visual-genome: a photo that is a link in a circle": _LOOKS,
    }
)
"""Names of entries, and what is missing. They do not count."""
