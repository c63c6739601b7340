"""Boxes of a closed list of classes: DETR, RT-DETR and their relatives."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from pytest_vqamt.annotation.detectors.base import DetectionNetwork, box_within, class_labels
from pytest_vqamt.core.detections import DetectedObject
from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.models.base import ModelOptions
from pytest_vqamt.models.transformers.checkpoint import (
    Checkpoint,
    check_model_type,
    files_digest,
    load_weights,
    locate_checkpoint,
)
from pytest_vqamt.models.transformers.inputs import load_image_processor
from pytest_vqamt.models.transformers.runtime import Runtime, quiet

if TYPE_CHECKING:
    from PIL.Image import Image
    from transformers import PreTrainedModel


VERSION = 1
"""Goes up when other things are found with the same weights and packages."""

LEAST_SCORE = 0.5
"""That of transformers' own reading of these models."""

_TYPES = (
    "detr", "conditional_detr", "deformable_detr", "dab-detr", "rt_detr", "rt_detr_v2", "d_fine", "yolos",
)  # fmt: skip


class ClosedSetBoxes:
    """One checkpoint."""

    name = "boxes"

    def __init__(self, checkpoint: Checkpoint, options: ModelOptions, least_score: float) -> None:
        """Loads all of it.

        Raises:
            ModelError: a file is missing or of another model.
        """
        from transformers import AutoModelForObjectDetection

        check_model_type(
            checkpoint,
            _TYPES,
            "masks= takes Mask2Former, open-vocabulary= takes OWL-ViT, OWLv2 and Grounding DINO",
        )
        check_backbone(checkpoint)
        self._runtime = Runtime.of(options)
        kind = cast("type[PreTrainedModel]", AutoModelForObjectDetection)  # what it makes, it is not
        network = load_weights(kind, checkpoint, self._runtime)
        self._labels = class_labels(checkpoint)
        self._look = DetectionNetwork(
            network=network, processor=load_image_processor(checkpoint), runtime=self._runtime
        )
        self._least_score = least_score
        self._folder = checkpoint.folder

    @property
    def fingerprint(self) -> str:
        return self._runtime.fingerprint(self.name, VERSION, files_digest(self._folder), str(self._least_score))

    def find(self, image: Image) -> tuple[DetectedObject, ...]:
        told = self._look.boxes(self._look(self._look.pixels(image)), image, above=self._least_score)
        found = []
        for score, number, corners in zip(
            told["scores"].tolist(), told["labels"].tolist(), told["boxes"].tolist(), strict=True
        ):
            label, box = self._labels.get(number), box_within(corners, image)
            if label is not None and box is not None:
                found.append(
                    DetectedObject(name=label.name, box=box, score=score, by=self.name, is_crowd=label.is_crowd)
                )
        return tuple(sorted(found, key=lambda each: -each.score))


def check_backbone(checkpoint: Checkpoint) -> None:
    """Refuses a checkpoint whose image encoder is timm's, where timm is not installed.

    Raises:
        ModelError: it is.
    """
    from importlib.util import find_spec

    from transformers import AutoConfig

    try:
        with quiet():
            config = AutoConfig.from_pretrained(checkpoint.folder, local_files_only=True)
    except Exception:  # whatever is wrong with it, the loading of the weights tells
        return
    backbone = getattr(config, "backbone_config", None)
    if getattr(backbone, "model_type", "") == "timm_backbone" and find_spec("timm") is None:
        raise ModelError(
            f"Expected a checkpoint whose image encoder is one of transformers', but {checkpoint.name!r} has one of "
            "the package timm, which is not installed: take another, such as facebook/detr-resnet-50@no_timm or "
            "PekingU/rtdetr_r50vd"
        )


def load(argument: str, options: ModelOptions, least_score: float | None) -> ClosedSetBoxes:
    """The detector of ``boxes=ARGUMENT``, a folder or a name on the hub.

    Raises:
        ModelError: it cannot be loaded.
    """
    checkpoint = locate_checkpoint(
        argument, default="", kind=ClosedSetBoxes.name, typed=f"--vqamt-option {ClosedSetBoxes.name}="
    )
    return ClosedSetBoxes(checkpoint, options, LEAST_SCORE if least_score is None else least_score)
