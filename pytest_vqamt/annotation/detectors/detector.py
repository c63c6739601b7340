"""The protocols of detectors, their networks, and the meanings of their labels.

Pictures are looked at one by one: a batch is padded to the largest, which changes scores and boxes a little, and a
scene graph must not depend on the photos beside it.
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
from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.spelling import option
from pytest_vqamt.language.english.families import is_kind_either_way
from pytest_vqamt.language.english.nouns import NUMBER_WORDS, is_plural, lacks_singular, singular
from pytest_vqamt.language.wordnet import wordnet
from pytest_vqamt.models.transformers.checkpoint import Checkpoint, read_checkpoint_config
from pytest_vqamt.models.transformers.runtime import Runtime

if TYPE_CHECKING:
    import torch
    from PIL.Image import Image
    from transformers.image_processing_utils import BaseImageProcessor

    from pytest_vqamt.data.graphs import Polygons


LEAST_SIDE_PX = 1.0
"""Smaller boxes are left out."""

_LABELS_FILE = Path(__file__).with_name("labels.toml")
# What transformers calls a class without a name.
_UNNAMED = re.compile(r"label_\d+")
_PARENTHESES = re.compile(r"_?\([^)]*\)")
_NO_PART_OF_A_WORD = re.compile(r"[^\w\s'-]|_")
# The share of a data set's amounts among a checkpoint's labels that shows that it was trained on that data set.
_MIN_LIST_SHARE = 0.9

LEAST_IOU = 0.7
"""Boxes of this overlap are of one thing, whatever its names.

In 40 photos of COCO, annotated thing by thing, the largest IoU of 1,025 pairs of one class is 0.61 (two
buses), and that of 3,183 pairs of two classes is 0.62 (a pizza and its table).
"""

LEAST_IOU_OF_OUTLINES = 0.5
"""The same for outlines: a rider and the horse seen head-on share a box, and no pixel."""

LEAST_IOU_OF_TWO_DETECTORS = 0.5
"""The same for findings of two detectors whose names may be those of one thing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectedObject:
    """An object that a detector found."""

    name: str
    """A singular noun in lower case, or the phrase that was looked for."""
    box: Box
    """In pixels, not empty, inside the picture."""
    score: float
    """The detector's confidence, from 0 to 1; not comparable between detectors."""
    by: str
    """The name of the detector ("boxes")."""
    attributes: tuple[str, ...] = ()
    """Such as "red"."""
    polygons: Polygons = ()
    """The outline; empty if the detector gives none. The centre of the first pixel is (0.5, 0.5); where a polygon
    overlaps itself, it has a hole."""
    is_crowd: bool = False
    """True if it is several objects, or an amount, not counted one by one: trees, grass."""


class Detector(Protocol):
    """Detects the objects of a picture."""

    @property
    def fingerprint(self) -> str:
        """Changes whenever results may: covers weights, settings and versions."""

    def find(self, image: Image) -> tuple[DetectedObject, ...]:
        """The objects in ``image`` (RGB), by descending score; calls at the same time do not affect each other."""


class Grounder(Protocol):
    """Locates the objects that phrases describe."""

    @property
    def fingerprint(self) -> str:
        """Changes whenever results may: covers weights, settings and versions."""

    def ground(self, image: Image, phrases: Sequence[str]) -> tuple[tuple[DetectedObject, ...], ...]:
        """For each phrase the objects in ``image`` (RGB) that it may describe, by descending score.

        Raises:
            ModelError: a phrase is empty, or too long for the model.
        """


class DetectionOutputs(Protocol):
    """The output of a detector of transformers; a kind of detector has some of these attributes."""

    logits: torch.Tensor
    """(pictures, boxes, classes)."""
    pred_boxes: torch.Tensor
    """(pictures, boxes, 4), centre and size as shares of the picture."""
    class_queries_logits: torch.Tensor
    """(pictures, masks, classes and none)."""
    masks_queries_logits: torch.Tensor
    """(pictures, masks, height, width), of a size of their own."""


class _BoxPostprocessor(Protocol):
    def post_process_object_detection(
        self, outputs: DetectionOutputs, threshold: float, target_sizes: list[tuple[int, int]]
    ) -> list[dict[str, torch.Tensor]]: ...


class _Network(Protocol):
    @property
    def dtype(self) -> torch.dtype: ...

    def __call__(self, **inputs: torch.Tensor) -> Mapping[str, object]: ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DetectionNetwork:
    """A network with its image processor."""

    network: object
    """A model of transformers on the device, in evaluation mode."""
    processor: BaseImageProcessor
    """That of the same checkpoint, over PIL."""
    runtime: Runtime
    """Its device and precision."""

    def pixels(self, image: Image) -> dict[str, torch.Tensor]:
        """The inputs of the network: ``pixel_values`` (1, 3, H, W), for some ``pixel_mask`` (1, H, W)."""
        network = cast("_Network", self.network)
        made = self.processor(images=[image], return_tensors="pt")
        device = self.runtime.device
        return {
            name: value.to(device, network.dtype) if value.is_floating_point() else value.to(device)
            for name, value in cast("Mapping[str, torch.Tensor]", made).items()
        }

    def __call__(self, inputs: Mapping[str, torch.Tensor]) -> DetectionOutputs:
        """The outputs for one picture, as float32; raises ModelError if an output is NaN, as in half precision."""
        import torch

        with self.runtime.inference():
            outputs = cast("_Network", self.network)(**inputs)
            for name in ("logits", "pred_boxes", "class_queries_logits", "masks_queries_logits"):
                value = outputs.get(name)
                if isinstance(value, torch.Tensor):
                    if torch.isnan(value).any():
                        raise ModelError(
                            f"Expected numbers from {type(self.network).__name__}, but got {name} that are none "
                            f"(dtype={self.runtime.dtype!r}): give {option('dtype', 'float32')}"
                        )
                    cast("dict[str, object]", outputs)[name] = value.float()
        return cast("DetectionOutputs", outputs)

    def boxes(self, outputs: DetectionOutputs, image: Image, *, above: float) -> Mapping[str, torch.Tensor]:
        """The boxes whose score is ``above``: their ``scores``, ``labels``, and ``boxes`` x0 y0 x1 y1 in pixels."""
        reads = cast("_BoxPostprocessor", self.processor)
        (found,) = reads.post_process_object_detection(
            outputs, threshold=above, target_sizes=[(image.height, image.width)]
        )
        return found


def box_within(corners: Sequence[float], image: Image) -> Box | None:
    """The part of a box ``x0, y0, x1, y1`` (pixels) within the picture; None if it is smaller than a pixel."""
    x0, y0, x1, y1 = corners
    # In half precision a box may be infinite.
    if not all(map(math.isfinite, corners)):
        return None
    left, top = max(0.0, x0), max(0.0, y0)
    right, bottom = min(float(image.width), x1), min(float(image.height), y1)
    if right - left < LEAST_SIDE_PX or bottom - top < LEAST_SIDE_PX:
        return None
    return Box.from_corners(left, top, right, bottom)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassLabel:
    """The meaning of a detector's class."""

    name: str
    """A singular noun in lower case."""
    is_crowd: bool = False
    """True if one finding is several things, or an amount."""


def class_labels(checkpoint: Checkpoint) -> Mapping[int, ClassLabel]:
    """The labels of a checkpoint's classes by number; classes without a meaning ("N/A") are left out.

    Raises:
        ModelError: its configuration does not name them, or has the ``LABEL_0`` that transformers makes up.
    """
    texts = dict(_texts(read_checkpoint_config(checkpoint).get("id2label")))
    unnamed = [text for text in texts.values() if _UNNAMED.fullmatch(text.strip().lower())]
    if unnamed or not texts:
        got = f"{unnamed[0]!r}, which transformers makes up where there are none" if unnamed else "no id2label"
        raise ModelError(
            f"Expected the names of the classes in {checkpoint.folder / 'config.json'}, but got {got}: write id2label "
            "into it, as the checkpoint's makers have it"
        )
    # All labels together tell the data set, and so which of them are amounts.
    amounts = _amounts(texts.values())
    found = {number: parse_label(text, amounts) for number, text in texts.items()}
    return {number: label for number, label in found.items() if label is not None}


def _texts(id2label: object) -> Iterator[tuple[int, str]]:
    if isinstance(id2label, dict):
        for number, text in id2label.items():
            if str(number).isdecimal():
                yield int(number), str(text)


def parse_label(text: str, amounts: frozenset[str] = frozenset()) -> ClassLabel | None:
    """The first synonym of a label, in lower case; None if it has no meaning.

    Plurals and the names in ``amounts`` are crowds.

    >>> parse_label("Cabinet/shelf"), parse_label("trees,tree")
    (ClassLabel(name='cabinet', is_crowd=False), ClassLabel(name='tree', is_crowd=True))
    """
    name = _first_synonym(text)
    if not name or name in _label_lists().nothing:
        return None
    is_crowd = name in amounts
    if is_crowd and "tree-merged" in amounts:
        name = name.partition("-")[0]  # COCO's "wall-brick" and "sky-other-merged"
    name = _label_lists().spelt.get(name, name)
    if name in _label_lists().singular:
        return ClassLabel(name=name, is_crowd=is_crowd)
    # Things that are not annotated one by one: "trees,tree" of Visual Genome is one box around many.
    is_group = is_plural(name) and not lacks_singular(name)
    return ClassLabel(name=singular(name), is_crowd=is_crowd or is_group)


def parse_names(text: str) -> tuple[str, ...]:
    """The names in a list by lines or commas, each once; # begins a comment.

    >>> parse_names("Dogs, a cat, two hot dogs, cup/mug  # all of them")
    ('dog', 'cat', 'hot dog', 'cup', 'mug')
    """
    labels = (parse_label(_without_article(each)) for each in re.split(r"[,;/\n]", re.sub("#.*", "", text)))
    return tuple(dict.fromkeys(label.name for label in labels if label is not None))


def _without_article(text: str) -> str:
    """The noun of "a dog", "the dogs" and "two dogs"; a "one way sign" stays one."""
    first, _, noun = text.strip().lower().partition(" ")
    is_number = (first.isdecimal() or first in NUMBER_WORDS) and is_plural(noun)
    return noun if first in ("a", "an", "the") or is_number else text


@dataclass(frozen=True, slots=True, kw_only=True)
class _LabelLists:
    """The content of labels.toml."""

    nothing: frozenset[str]
    """Labels without a meaning: "background", and "n" of "N/A"."""
    singular: frozenset[str]
    """Plurals that name one thing: "skis"."""
    spelt: Mapping[str, str]
    """COCO's name for a class, by the names of other lists: "tv" for "tvmonitor"."""
    amounts: tuple[frozenset[str], ...]
    """For each data set the labels that stand for amounts: grass, sky."""


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
    """The labels that are amounts in the data set that these labels come from; empty for an unknown data set."""
    known = frozenset(map(_first_synonym, labels))
    for amounts in _label_lists().amounts:
        # By nearly all labels of a data set: single words are things in one and amounts in another.
        if len(amounts & known) >= _MIN_LIST_SHARE * len(amounts):
            return amounts
    return frozenset()


def _first_synonym(text: str) -> str:
    """The first synonym without brackets: "car" of "car, auto", "monitor" of "monitor_(screen)"."""
    first = re.split("[,;/]", _PARENTHESES.sub("", text.lower()), maxsplit=1)[0]
    words = (word.strip("'-") for word in _NO_PART_OF_A_WORD.sub(" ", first).split())
    return " ".join(word for word in words if word)


def is_same_thing(one: DetectedObject, other: DetectedObject) -> bool:
    """True if both findings are of one thing."""
    iou = one.box.iou(other.box)
    # Outlines decide where both have them: a rider and a horse share a box.
    if iou >= LEAST_IOU and one.polygons and other.polygons:
        from pytest_vqamt.annotation.detectors.outlines import overlap

        return overlap(one.polygons, other.polygons) >= LEAST_IOU_OF_OUTLINES
    if iou >= LEAST_IOU:
        return True
    # Of one detector two such boxes are two things: it has merged its own already.
    return one.by != other.by and iou >= LEAST_IOU_OF_TWO_DETECTORS and may_name_one_thing(one.name, other.name)


def may_name_one_thing(one: str, other: str) -> bool:
    """True if one thing may have both names in any of their senses, or if one of them is unknown.

    It errs towards True, unlike ``may_be_called_alike`` of SNLI-VE's rows, since a thing found twice is counted twice.

    >>> may_name_one_thing("man", "person"), may_name_one_thing("sofa", "couch"), may_name_one_thing("dog", "shirt")
    (True, True, False)
    """
    return one == other or is_kind_either_way(one, other) or wordnet().may_name_the_same(one, other)
