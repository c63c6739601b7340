"""Detectors with a closed list of classes: boxes of DETR and its relatives, masks of Mask2Former and MaskFormer.

transformers' own reading of masks is not used: it takes each picture to be resized to 384 x 384 pixels, cuts masks out
at that size, and lays them over the picture as if it had not been padded (huggingface/transformers#44901).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, ClassVar, Self, cast

from pytest_vqamt.annotation.detectors.detector import (
    LEAST_SIDE_PX,
    ClassLabel,
    DetectedObject,
    DetectionNetwork,
    DetectionOutputs,
    box_within,
    class_labels,
    parse_label,
)
from pytest_vqamt.annotation.detectors.outlines import outlines
from pytest_vqamt.core.box import Box
from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.identity import digest
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.region_models.frcnn.loading import load_detector
from pytest_vqamt.models.transformers.checkpoint import (
    Checkpoint,
    check_model_type,
    files_digest,
    load_weights,
    locate_checkpoint,
    runtime_for,
)
from pytest_vqamt.models.transformers.inputs import load_image_processor
from pytest_vqamt.models.transformers.runtime import quiet

if TYPE_CHECKING:
    import torch
    from PIL.Image import Image
    from transformers import PreTrainedModel

    from pytest_vqamt.models.region_models.frcnn.detector import FrcnnDetector


VERSION = 1
"""Goes up when other things are found with the same weights and packages."""

LEAST_SCORE = 0.5
"""The default of transformers for these models."""

REGIONS_VERSION = 1
"""Goes up when other things are found with the same weights and packages."""

LEAST_REGION_SCORE = 0.4
"""As in the authors' demonstration (peteanderson80/bottom-up-attention, demo.ipynb)."""

LEAST_ATTRIBUTE_SCORE = 0.5
"""The detector always names the likeliest of 400 attributes."""


class _ClosedSet(ABC):
    """A checkpoint that knows a closed list of classes."""

    name: ClassVar[str]

    def __init__(self, checkpoint: Checkpoint, options: ModelOptions, least_score: float) -> None:
        """Loads the checkpoint; raises ModelError if a file is missing or of another model."""
        kind = self._network_class(checkpoint)
        self._runtime = runtime_for(checkpoint, options)
        network = load_weights(kind, checkpoint, self._runtime)
        self._labels = class_labels(checkpoint)
        processor = load_image_processor(checkpoint)
        self._network = DetectionNetwork(network=network, processor=processor, runtime=self._runtime)
        self._least_score = least_score
        self._folder = checkpoint.folder

    @classmethod
    def load(cls, argument: str, options: ModelOptions, least_score: float | None) -> Self:
        """Loads the checkpoint in a folder or on the hub; raises ModelError if it cannot be loaded."""
        checkpoint = locate_checkpoint(argument, default="", kind=cls.name, typed=f"--option {cls.name}=")
        return cls(checkpoint, options, LEAST_SCORE if least_score is None else least_score)

    @property
    def fingerprint(self) -> str:
        return self._runtime.fingerprint(self.name, VERSION, files_digest(self._folder), str(self._least_score))

    def find(self, image: Image) -> tuple[DetectedObject, ...]:
        return tuple(sorted(self._found(image), key=lambda each: -each.score))

    @abstractmethod
    def _network_class(self, checkpoint: Checkpoint) -> type[PreTrainedModel]: ...

    @abstractmethod
    def _found(self, image: Image) -> Iterator[DetectedObject]: ...


class ClosedSetBoxes(_ClosedSet):
    """A checkpoint that draws boxes."""

    name = "boxes"

    def _network_class(self, checkpoint: Checkpoint) -> type[PreTrainedModel]:
        from transformers import AutoModelForObjectDetection

        kinds = (
            "detr", "conditional_detr", "deformable_detr", "dab-detr", "rt_detr", "rt_detr_v2", "d_fine", "yolos",
        )  # fmt: skip
        check_model_type(
            checkpoint, kinds, "masks= takes Mask2Former, open-vocabulary= takes OWL-ViT, OWLv2 and Grounding DINO"
        )
        _check_backbone(checkpoint)
        return cast("type[PreTrainedModel]", AutoModelForObjectDetection)  # it makes one, and is none

    def _found(self, image: Image) -> Iterator[DetectedObject]:
        found = self._network.boxes(self._network(self._network.pixels(image)), image, above=self._least_score)
        rows = zip(found["scores"].tolist(), found["labels"].tolist(), found["boxes"].tolist(), strict=True)
        for score, number, corners in rows:
            label, box = self._labels.get(number), box_within(corners, image)
            if label is not None and box is not None:
                yield DetectedObject(name=label.name, box=box, score=score, by=self.name, is_crowd=label.is_crowd)


def _check_backbone(checkpoint: Checkpoint) -> None:
    """Raises ModelError if the checkpoint's image encoder is of timm, and timm is not installed."""
    from importlib.util import find_spec

    from transformers import AutoConfig

    try:
        with quiet():
            config = AutoConfig.from_pretrained(checkpoint.folder, local_files_only=True)
    except Exception:  # loading the weights reports what is wrong
        return
    backbone = getattr(config, "backbone_config", None)
    # transformers would only say that timm is missing, and timm wants torchvision; other revisions need neither.
    if getattr(backbone, "model_type", "") == "timm_backbone" and find_spec("timm") is None:
        raise ModelError(
            f"Expected a checkpoint whose image encoder is one of transformers', but {checkpoint.name!r} has one of "
            "the package timm, which is not installed: take another, such as facebook/detr-resnet-50@no_timm or "
            "PekingU/rtdetr_r50vd"
        )


class ClosedSetMasks(_ClosedSet):
    """A checkpoint that draws masks, trained for instances or for whole scenes (panoptic)."""

    name = "masks"

    def _network_class(self, checkpoint: Checkpoint) -> type[PreTrainedModel]:
        from transformers import Mask2FormerForUniversalSegmentation, MaskFormerForInstanceSegmentation

        kinds: dict[str, type[PreTrainedModel]] = {
            "mask2former": Mask2FormerForUniversalSegmentation,
            "maskformer": MaskFormerForInstanceSegmentation,
        }
        return kinds[check_model_type(checkpoint, tuple(kinds), "boxes= takes DETR and RT-DETR; OneFormer is not read")]

    def _found(self, image: Image) -> Iterator[DetectedObject]:
        inputs = self._network.pixels(image)
        outputs, size = self._network(inputs), (image.height, image.width)
        for score, label, shown in _confident_masks(outputs, inputs, self._labels, self._least_score, size):
            x0, y0, x1, y1 = _extent(shown)
            if min(x1 - x0, y1 - y0) < LEAST_SIDE_PX:
                continue
            yield DetectedObject(
                name=label.name,
                box=Box.from_corners(x0, y0, x1, y1),
                score=score,
                by=self.name,
                polygons=() if label.is_crowd else outlines(shown[y0:y1, x0:x1].numpy(), left=x0, top=y0),
                is_crowd=label.is_crowd,
            )


def _confident_masks(
    outputs: DetectionOutputs,
    inputs: Mapping[str, torch.Tensor],
    labels: Mapping[int, ClassLabel],
    least_score: float,
    size: tuple[int, int],
) -> Iterator[tuple[float, ClassLabel, torch.Tensor]]:
    """The masks above the score: score, label, and the covered pixels of a picture of ``size`` (H, W; bool).

    A score is that of the likeliest class times the mean score of the covered pixels, as in Cheng et al. (CVPR 2022).
    """
    import torch

    pixels = inputs["pixel_values"]
    # Beyond the picture's own pixels is padding.
    own = inputs["pixel_mask"][0].bool() if "pixel_mask" in inputs else torch.ones(pixels.shape[-2:], dtype=torch.bool)
    height, width = int(own.any(dim=1).sum()), int(own.any(dim=0).sum())
    # The last class is "no object".
    likely, numbers = outputs.class_queries_logits[0].softmax(-1)[:, :-1].max(-1)
    # The score below is at most this, so what fails here need not be resized.
    for place in (likely > least_score).nonzero().flatten().tolist():
        # Classes without a meaning, such as "N/A", are left out.
        label = labels.get(int(numbers[place]))
        if label is None:
            continue
        # To the padded size, cut to the picture, then to its own pixels: see the head of this file.
        whole = _resized(outputs.masks_queries_logits[0, place], (int(pixels.shape[-2]), int(pixels.shape[-1])))
        logits = _resized(whole[:height, :width], size).cpu()
        shown = logits > 0
        if not shown.any():
            continue
        score = float(likely[place]) * float(logits[shown].sigmoid().mean())
        if score > least_score:
            yield score, label, shown


def _resized(logits: torch.Tensor, size: tuple[int, int]) -> torch.Tensor:
    from torch.nn.functional import interpolate

    return interpolate(logits[None, None], size=size, mode="bilinear", align_corners=False)[0, 0]


def _extent(shown: torch.Tensor) -> tuple[int, int, int, int]:
    """The box ``x0, y0, x1, y1`` around the covered pixels."""
    rows, columns = shown.any(dim=1).nonzero().flatten(), shown.any(dim=0).nonzero().flatten()
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


class NamedRegions:
    """The named regions of the Bottom-Up-Top-Down detector as a detector of things."""

    name = "detector"

    def __init__(self, detector: FrcnnDetector, least_score: float) -> None:
        self._detector = detector
        self._least_score = least_score

    @property
    def fingerprint(self) -> str:
        settings = digest(str(self._least_score), str(LEAST_ATTRIBUTE_SCORE))
        return f"{self.name}-{REGIONS_VERSION} settings={settings} {self._detector.fingerprint}"

    def find(self, image: Image) -> tuple[DetectedObject, ...]:
        seen = self._detector.find(image)
        found = []
        for corners, name, score, attribute, attribute_score in zip(
            seen.boxes_px.tolist(),
            seen.names,
            seen.scores.tolist(),
            seen.attributes,
            seen.attribute_scores.tolist(),
            strict=True,
        ):
            label, box = parse_label(name), box_within(corners, image)
            if label is None or box is None or score <= self._least_score:
                continue
            attributes = (attribute,) if attribute_score > LEAST_ATTRIBUTE_SCORE and not label.is_crowd else ()
            found.append(
                DetectedObject(
                    name=label.name, box=box, score=score, by=self.name, attributes=attributes, is_crowd=label.is_crowd
                )
            )
        return tuple(sorted(found, key=lambda each: -each.score))


def load(options: ModelOptions, least_score: float | None) -> NamedRegions:
    """Loads the detector of ``detector=PATH`` with its vocabularies.

    Raises:
        ModelError: it cannot be loaded, or has no vocabularies.
        OptionError: a setting of it is wrong.
    """
    detector = load_detector(options, with_names=True)
    return NamedRegions(detector, LEAST_REGION_SCORE if least_score is None else least_score)
