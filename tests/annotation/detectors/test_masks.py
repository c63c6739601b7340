"""Mask2Former: masks lie where the network says, whatever the picture was resized and padded to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from PIL import Image
from transformers import (
    AutoImageProcessor,
    Mask2FormerForUniversalSegmentation,
    Mask2FormerImageProcessorPil,
    MaskFormerConfig,
    MaskFormerForInstanceSegmentation,
)
from transformers.image_utils import SizeDict
from transformers.models.mask2former.modeling_mask2former import Mask2FormerForUniversalSegmentationOutput

from pytest_vqamt.annotation.detectors.closed_set import ClosedSetMasks
from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.data.graphs import Polygons
from pytest_vqamt.data.masks import polygon_mask
from pytest_vqamt.models.protocol import ModelOptions
from tests.annotation.detectors import small_detectors
from tests.rows import each_row

CPU = ModelOptions(device="cpu")
GRID = 16
SURE = 9.0
NUMBERED = {0: "N/A", 1: "person", 2: "dog", 3: "motorcycle"}


class Planted:
    """A network that always says the same; each mask is cells of a grid over what it is shown."""

    dtype = torch.float32

    def __init__(self, *masks: tuple[int, tuple[slice, slice]], classes: int = 4) -> None:
        self._scores = torch.zeros(1, len(masks), classes + 1)
        self._masks = torch.full((1, len(masks), GRID, GRID), -SURE)
        for place, (number, cells) in enumerate(masks):
            self._scores[0, place, number] = SURE + place
            self._masks[0, place][cells] = SURE

    def __call__(self, **inputs: torch.Tensor) -> Mask2FormerForUniversalSegmentationOutput:
        return Mask2FormerForUniversalSegmentationOutput(
            class_queries_logits=self._scores.clone(), masks_queries_logits=self._masks.clone()
        )


def planted(folder: Path, *masks: tuple[int, tuple[slice, slice]]) -> ClosedSetMasks:
    """The detector in the folder with its network exchanged."""
    detector = ClosedSetMasks.load(str(folder), CPU, 0.5)
    detector._network = replace(detector._network, network=Planted(*masks))
    return detector


def shown(polygons: Polygons, image: Image.Image) -> NDArray[np.bool_]:
    return np.asarray(polygon_mask(polygons, *image.size)) > 0


def iou(one: NDArray[np.bool_], other: NDArray[np.bool_]) -> float:
    return float((one & other).sum() / (one | other).sum())


@each_row("size", [(320, 160), (160, 320), (48, 64)])
def test_a_planted_mask_is_found_where_it_was_planted(checkpoints: dict[str, Path], size: tuple[int, int]) -> None:
    width, height = size
    image = Image.new("RGB", size)
    (found,) = planted(checkpoints["mask2former"], (2, (slice(4, 8), slice(2, 10)))).find(image)
    box = (found.box.x, found.box.y, found.box.x1, found.box.y1)
    assert box == (2 / 16 * width, 4 / 16 * height, 10 / 16 * width, 8 / 16 * height)
    assert (found.name, found.by, found.attributes) == ("dog", "masks", ())
    expected = np.zeros((height, width), np.bool_)
    expected[height // 4 : height // 2, width // 8 : width * 5 // 8] = True
    assert iou(shown(found.polygons, image), expected) >= 0.98


def test_padding_is_no_part_of_the_picture(tmp_path: Path) -> None:
    small_detectors.mask2former(tmp_path)
    # 200 x 100 becomes 64 x 32, and below it there are 32 rows of nothing.
    Mask2FormerImageProcessorPil(
        size={"shortest_edge": 32, "longest_edge": 64}, pad_size=SizeDict(height=64, width=64), size_divisor=0
    ).save_pretrained(tmp_path)
    # The upper half of what the network is shown is all of the picture; a quarter of it is the upper half of that.
    (found,) = planted(tmp_path, (1, (slice(0, 4), slice(0, 16)))).find(Image.new("RGB", (200, 100)))
    assert (found.box.x, found.box.y, found.box.x1, found.box.y1) == (0, 0, 200, 50)
    assert planted(tmp_path, (1, (slice(9, 16), slice(0, 16)))).find(Image.new("RGB", (200, 100))) == ()


def test_the_surest_comes_first_and_classes_of_nothing_are_left_out(checkpoints: dict[str, Path]) -> None:
    cells = (slice(0, 8), slice(0, 8))
    found = planted(checkpoints["mask2former"], (1, cells), (0, cells), (3, cells), (4, cells)).find(
        Image.new("RGB", (64, 64))
    )
    assert [each.name for each in found] == ["motorcycle", "person"]


def test_an_amount_is_a_crowd_without_an_outline(tmp_path: Path) -> None:
    small_detectors.mask2former(tmp_path, labels={0: "N/A", 1: "person", 2: "trees"})
    (found,) = planted(tmp_path, (2, (slice(0, 8), slice(0, 8)))).find(Image.new("RGB", (64, 64)))
    assert (found.name, found.is_crowd, found.polygons) == ("tree", True, ())


def test_it_finds_what_the_library_reads_from_the_same_network(
    checkpoints: dict[str, Path], more_pictures: tuple[Image.Image, ...]
) -> None:
    folder, count = checkpoints["mask2former"], 0
    detector = ClosedSetMasks.load(str(folder), CPU, 0.3)
    network = Mask2FormerForUniversalSegmentation.from_pretrained(folder).train(False)
    processor = AutoImageProcessor.from_pretrained(folder, backend="pil")  # type: ignore[no-untyped-call]  # not annotated
    for image in more_pictures:
        with torch.inference_mode():
            outputs = network(**processor(images=[image], return_tensors="pt"))
        (read,) = processor.post_process_instance_segmentation(
            outputs, threshold=0.2, target_sizes=[(image.height, image.width)], return_binary_maps=True
        )
        maps = [np.asarray(each) > 0 for each in read["segmentation"]]
        for found in detector.find(image):
            assert 0 <= found.box.x < found.box.x1 <= image.width
            assert 0 <= found.box.y < found.box.y1 <= image.height
            mine = shown(found.polygons, image)
            if min(image.size) > 50:
                # The library cuts masks out at 384 x 384 and then resizes them, and random masks are mostly edges.
                assert any(
                    NUMBERED[told["label_id"]] == found.name
                    and iou(mine, each) >= 0.75
                    and told["score"] == pytest.approx(found.score, abs=0.02)
                    for each, told in zip(maps, read["segments_info"], strict=True)
                )
                count += 1
    assert count >= 4


def test_maskformer(tmp_path: Path) -> None:
    config = MaskFormerConfig(
        backbone_config=small_detectors.swin(["stage1", "stage2", "stage3", "stage4"]),
        decoder_config={
            "model_type": "detr",
            "d_model": 32,
            "decoder_layers": 1,
            "decoder_ffn_dim": 16,
            "encoder_layers": 1,
            "encoder_ffn_dim": 16,
            "encoder_attention_heads": 2,
            "decoder_attention_heads": 2,
            "num_queries": 4,
        },
        fpn_feature_size=32,
        mask_feature_size=32,
        id2label={0: "person", 1: "dog"},
    )
    small_detectors.saved(MaskFormerForInstanceSegmentation(config), tmp_path)
    Mask2FormerImageProcessorPil(size={"height": 64, "width": 64}).save_pretrained(tmp_path)
    found = ClosedSetMasks.load(str(tmp_path), CPU, 0.0).find(Image.new("RGB", (50, 40), "red"))
    assert found
    assert {each.name for each in found} <= {"person", "dog"}


def test_a_checkpoint_of_another_kind(checkpoints: dict[str, Path]) -> None:
    with pytest.raises(ModelError, match="but got model_type='detr'; boxes= takes DETR and RT-DETR"):
        ClosedSetMasks.load(str(checkpoints["detr"]), CPU, None)
