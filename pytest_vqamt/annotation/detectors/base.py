"""A network looks at one picture, and what it says of boxes is brought into the picture's pixels.

Pictures are looked at one by one: beside others they would be padded to the largest, which changes scores and boxes a
little, and a scene graph must not depend on which photos happen to lie beside each other.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.detections import DetectedObject
from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.language.english.families import is_kind_either_way
from pytest_vqamt.language.english.nouns import NUMBER_WORDS, is_plural, lacks_singular, singular
from pytest_vqamt.language.wordnet import wordnet
from pytest_vqamt.models.transformers.checkpoint import Checkpoint, read_checkpoint_config
from pytest_vqamt.models.transformers.runtime import Runtime

if TYPE_CHECKING:
    import torch
    from PIL.Image import Image
    from transformers.image_processing_utils import BaseImageProcessor


LEAST_SIDE_PX = 1.0
"""What is narrower or lower than this is no thing to be seen."""


class DetectionOutputs(Protocol):
    """What a detector of transformers gives for a batch of pictures; which of these there are depends on its kind.

    Attributes:
        logits: (pictures, boxes, classes).
        pred_boxes: (pictures, boxes, 4), centre and size as shares of the picture.
        class_queries_logits: (pictures, masks, classes and none).
        masks_queries_logits: (pictures, masks, height, width), of a size of their own.
    """

    logits: torch.Tensor
    pred_boxes: torch.Tensor
    class_queries_logits: torch.Tensor
    masks_queries_logits: torch.Tensor


class _BoxPostprocessor(Protocol):
    """An image processor of transformers, which knows how it has resized and padded the picture."""

    def post_process_object_detection(
        self, outputs: DetectionOutputs, threshold: float, target_sizes: list[tuple[int, int]]
    ) -> list[dict[str, torch.Tensor]]: ...


class _Network(Protocol):
    @property
    def dtype(self) -> torch.dtype: ...

    def __call__(self, **inputs: torch.Tensor) -> Mapping[str, object]: ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DetectionNetwork:
    """A network with what prepares its pictures."""

    network: object
    processor: BaseImageProcessor
    runtime: Runtime

    def pixels(self, image: Image) -> dict[str, torch.Tensor]:
        """The picture as the network takes it: ``pixel_values`` (1, 3, H, W), for some ``pixel_mask`` (1, H, W)."""
        network = cast("_Network", self.network)
        made = self.processor(images=[image], return_tensors="pt")
        device = self.runtime.device
        return {
            name: value.to(device, network.dtype) if value.is_floating_point() else value.to(device)
            for name, value in cast("Mapping[str, torch.Tensor]", made).items()
        }

    def __call__(self, inputs: Mapping[str, torch.Tensor]) -> DetectionOutputs:
        """What the network makes of one picture, as float32.

        Raises:
            ModelError: it gives no numbers, as half precision may.
        """
        import torch

        with self.runtime.inference():
            told = cast("_Network", self.network)(**inputs)
            for name in ("logits", "pred_boxes", "class_queries_logits", "masks_queries_logits"):
                value = told.get(name)
                if isinstance(value, torch.Tensor):
                    if torch.isnan(value).any():
                        raise ModelError(
                            f"Expected numbers from {type(self.network).__name__}, but got {name} that are none "
                            f"(dtype={self.runtime.dtype!r}): give --vqamt-dtype=float32"
                        )
                    cast("dict[str, object]", told)[name] = value.float()
        return cast("DetectionOutputs", told)

    def boxes(self, outputs: DetectionOutputs, image: Image, *, above: float) -> Mapping[str, torch.Tensor]:
        """The boxes whose score is ``above``: their ``scores``, ``labels``, and ``boxes`` x0 y0 x1 y1 in pixels."""
        reads = cast("_BoxPostprocessor", self.processor)
        (of_the_one,) = reads.post_process_object_detection(
            outputs, threshold=above, target_sizes=[(image.height, image.width)]
        )
        return of_the_one


def box_within(corners: Sequence[float], image: Image) -> Box | None:
    """The part of a box ``x0, y0, x1, y1`` (pixels) that lies in the picture; None where that is hardly anything."""
    x0, y0, x1, y1 = corners
    if not all(map(math.isfinite, corners)):
        return None
    left, top = max(0.0, x0), max(0.0, y0)
    right, bottom = min(float(image.width), x1), min(float(image.height), y1)
    if right - left < LEAST_SIDE_PX or bottom - top < LEAST_SIDE_PX:
        return None
    return Box.from_corners(left, top, right, bottom)


_LABELS_FILE = Path(__file__).with_name("labels.toml")
_UNNAMED = re.compile(r"label_\d+")
_PARENTHESES = re.compile(r"_?\([^)]*\)")
_NO_PART_OF_A_WORD = re.compile(r"[^\w\s'-]|_")
_MIN_LIST_SHARE = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """What a class of a detector stands for: things of a name, or a crowd of them."""

    name: str
    is_crowd: bool = False


def class_labels(checkpoint: Checkpoint) -> Mapping[int, Label]:
    """The labels of a checkpoint's classes by their numbers; classes that stand for nothing ("N/A") are left out.

    Raises:
        ModelError: its configuration does not name them, or names them ``LABEL_0`` and so on, as transformers does
            where nobody has.
    """
    texts = dict(_texts(read_checkpoint_config(checkpoint).get("id2label")))
    unnamed = [text for text in texts.values() if _UNNAMED.fullmatch(text.strip().lower())]
    if unnamed or not texts:
        got = f"{unnamed[0]!r}, which transformers makes up where there are none" if unnamed else "no id2label"
        raise ModelError(
            f"Expected the names of the classes in {checkpoint.folder / 'config.json'}, but got {got}: write id2label "
            "into it, as the checkpoint's makers have it"
        )
    amounts = _amounts(texts.values())
    found = {number: parse_label(text, amounts) for number, text in texts.items()}
    return {number: label for number, label in found.items() if label is not None}


def _texts(id2label: object) -> Iterator[tuple[int, str]]:
    """The entries of id2label, whose keys JSON makes texts; what is of another form is no entry."""
    if isinstance(id2label, dict):
        for number, text in id2label.items():
            if str(number).isdecimal():
                yield int(number), str(text)


def parse_label(text: str, amounts: frozenset[str] = frozenset()) -> Label | None:
    """What a label stands for: the first of its synonyms, in lower case; None where it stands for nothing.

    A plural stands for a group that is not told apart, and so does what ``amounts`` lists.

    >>> parse_label("Cabinet/shelf"), parse_label("trees,tree")
    (Label(name='cabinet', is_crowd=False), Label(name='tree', is_crowd=True))
    """
    name = _first_synonym(text)
    if not name or name in _label_lists().nothing:
        return None
    is_crowd = name in amounts
    if is_crowd and "tree-merged" in amounts:
        name = name.partition("-")[0]  # COCO's "wall-brick" and "sky-other-merged" say of what a wall, a sky is made up
    name = _label_lists().spelt.get(name, name)
    if name in _label_lists().singular:
        return Label(name=name, is_crowd=is_crowd)
    is_group = is_plural(name) and not lacks_singular(name)
    return Label(name=singular(name), is_crowd=is_crowd or is_group)


def parse_names(text: str) -> tuple[str, ...]:
    """The names that a person lists, each once, in lines or with commas; what comes after a # is no name.

    >>> parse_names("Dogs, a cat, two hot dogs, cup/mug  # all of them")
    ('dog', 'cat', 'hot dog', 'cup', 'mug')
    """
    labels = (parse_label(_without_article(each)) for each in re.split(r"[,;/\n]", re.sub("#.*", "", text)))
    return tuple(dict.fromkeys(label.name for label in labels if label is not None))


def _without_article(text: str) -> str:
    """The noun alone of "a dog", "the dogs" and "two dogs"; a "one way sign" stays one."""
    first, _, noun = text.strip().lower().partition(" ")
    is_number = (first.isdecimal() or first in NUMBER_WORDS) and is_plural(noun)
    return noun if first in ("a", "an", "the") or is_number else text


@dataclass(frozen=True, slots=True, kw_only=True)
class _LabelLists:
    nothing: frozenset[str]
    singular: frozenset[str]
    spelt: Mapping[str, str]
    amounts: tuple[frozenset[str], ...]


@cache
def _label_lists() -> _LabelLists:
    table = tomllib.loads(_LABELS_FILE.read_text(encoding="utf-8"))
    amounts: dict[str, list[str]] = table["amounts"]
    return _LabelLists(
        nothing=frozenset(table["nothing"]),
        singular=frozenset(table["singular"]),
        spelt=table["spelt"],
        amounts=tuple(frozenset(each) for each in amounts.values()),
    )


def _amounts(labels: Iterable[str]) -> frozenset[str]:
    """Those labels that are of amounts, by the data set that the labels are from; none where it is not a known one."""
    known = frozenset(map(_first_synonym, labels))
    for amounts in _label_lists().amounts:
        if len(amounts & known) >= _MIN_LIST_SHARE * len(amounts):
            return amounts
    return frozenset()


def _first_synonym(text: str) -> str:
    """The first of several synonyms, without what stands in brackets: "car" of "car, auto" and "monitor_(screen)"."""
    first = re.split("[,;/]", _PARENTHESES.sub("", text.lower()), maxsplit=1)[0]
    words = (word.strip("'-") for word in _NO_PART_OF_A_WORD.sub(" ", first).split())
    return " ".join(word for word in words if word)


LEAST_IOU = 0.7
"""From which overlap on two boxes are of one thing, whatever it is called.

In 40 photos of COCO, where people told all things apart, the largest IoU of 1,025 pairs of one class is 0.61 (two
buses), and that of 3,183 pairs of two classes is 0.62 (a pizza and the table that it stands on).
"""

LEAST_IOU_OF_OUTLINES = 0.5
"""The same for outlines, where both have one: a rider and the horse seen head-on share a box, and no pixel."""

LEAST_IOU_OF_TWO_DETECTORS = 0.5
"""The same for findings of two detectors whose names may be those of one thing: each draws boxes a little its way."""


def is_same_thing(one: DetectedObject, other: DetectedObject) -> bool:
    """Whether both are of one thing."""
    iou = one.box.iou(other.box)
    if iou >= LEAST_IOU and one.polygons and other.polygons:
        from pytest_vqamt.annotation.detectors.outlines import overlap

        return overlap(one.polygons, other.polygons) >= LEAST_IOU_OF_OUTLINES
    if iou >= LEAST_IOU:
        return True
    return one.by != other.by and iou >= LEAST_IOU_OF_TWO_DETECTORS and may_be_called_alike(one.name, other.name)


def may_be_called_alike(one: str, other: str) -> bool:
    """Whether one thing may go by both names: they are equal, synonyms, or one is that of a kind of the other.

    >>> may_be_called_alike("man", "person"), may_be_called_alike("sofa", "couch"), may_be_called_alike("dog", "shirt")
    (True, True, False)
    """
    return one == other or is_kind_either_way(one, other) or wordnet().may_name_the_same(one, other)
