"""The relatives of DETR and Grounding DINO load by the same path, and find what their networks say."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PIL import Image
from transformers import (
    ConditionalDetrConfig,
    ConditionalDetrForObjectDetection,
    ConditionalDetrImageProcessorPil,
    DabDetrConfig,
    DabDetrForObjectDetection,
    DeformableDetrConfig,
    DeformableDetrForObjectDetection,
    DeformableDetrImageProcessorPil,
    DetrImageProcessorPil,
    DFineConfig,
    DFineForObjectDetection,
    GroundingDinoImageProcessorPil,
    HGNetV2Config,
    MMGroundingDinoConfig,
    MMGroundingDinoForObjectDetection,
    PreTrainedModel,
    RTDetrImageProcessorPil,
    RTDetrV2Config,
    RTDetrV2ForObjectDetection,
    YolosConfig,
    YolosForObjectDetection,
    YolosImageProcessorPil,
)

from pytest_vqamt.annotation.detectors import open_vocabulary
from pytest_vqamt.annotation.detectors.closed_set import ClosedSetBoxes
from pytest_vqamt.core.box import Box
from pytest_vqamt.models.protocol import ModelOptions
from tests.annotation.detectors.small_detectors import (
    ATTENTION,
    SMALL,
    bert_tokenizer,
    made_config,
    resnet,
    rt_detr_resnet,
    saved,
    shaken_alike,
    swin,
)
from tests.rows import each_row

CPU = ModelOptions(device="cpu")
LABELS = {0: "person", 1: "dog"}
RT_DETR: dict[str, Any] = {
    "encoder_hidden_dim": 16,
    "encoder_in_channels": [8, 16, 16],
    "decoder_in_channels": [16, 16, 16],
    "num_queries": 6,
    "num_denoising": 0,
    "id2label": LABELS,
    **SMALL,
    **ATTENTION,
    "decoder_layers": 2,
}
DETR: dict[str, Any] = {"use_timm_backbone": False, "num_queries": 6, "id2label": LABELS, **SMALL, **ATTENTION}
SIDES = {"shortest_edge": 64, "longest_edge": 96}
SQUARE = {"height": 64, "width": 64}


def conditional() -> tuple[PreTrainedModel, Any]:
    config = made_config(ConditionalDetrConfig, backbone_config=resnet(), **DETR)
    return ConditionalDetrForObjectDetection(config), ConditionalDetrImageProcessorPil(size=SIDES)


def deformable() -> tuple[PreTrainedModel, Any]:
    fields = DETR | {"d_model": 32, "decoder_layers": 2, "num_feature_levels": 2}
    config = made_config(DeformableDetrConfig, backbone_config=resnet("stage3", "stage4"), **fields)
    return DeformableDetrForObjectDetection(config), DeformableDetrImageProcessorPil(size=SIDES)


def dab() -> tuple[PreTrainedModel, Any]:
    fields = {name: value for name, value in DETR.items() if name != "d_model"}
    config = made_config(DabDetrConfig, backbone_config=resnet(), hidden_size=16, **fields)
    return DabDetrForObjectDetection(config), DetrImageProcessorPil(size=SIDES)


def rt_detr_v2() -> tuple[PreTrainedModel, Any]:
    config = made_config(RTDetrV2Config, backbone_config=rt_detr_resnet(), **RT_DETR)
    return RTDetrV2ForObjectDetection(config), RTDetrImageProcessorPil(size=SQUARE)


def d_fine() -> tuple[PreTrainedModel, Any]:
    backbone = made_config(
        HGNetV2Config,
        hidden_sizes=[8, 16, 16, 16],
        stem_channels=[3, 8, 8],
        stage_in_channels=[8, 8, 16, 16],
        stage_mid_channels=[8, 8, 8, 8],
        stage_out_channels=[8, 16, 16, 16],
        stage_num_blocks=[1, 1, 1, 1],
        stage_numb_of_layers=[1, 1, 1, 1],
        out_features=["stage2", "stage3", "stage4"],
        use_learnable_affine_block=True,
    )
    fields = RT_DETR | {"encoder_in_channels": [16, 16, 16]}
    return DFineForObjectDetection(
        made_config(DFineConfig, backbone_config=backbone, **fields)
    ), RTDetrImageProcessorPil(size=SQUARE)


def yolos() -> tuple[PreTrainedModel, Any]:
    config = made_config(
        YolosConfig,
        hidden_size=16,
        intermediate_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        image_size=[64, 96],
        num_detection_tokens=6,
        id2label=LABELS,
    )
    return YolosForObjectDetection(config), YolosImageProcessorPil(size=SIDES)


@each_row("make", [conditional, deformable, dab, rt_detr_v2, d_fine, yolos], sample=3)
def test_relatives_of_detr(make: Callable[[], tuple[PreTrainedModel, Any]], tmp_path: Path) -> None:
    network, processor = make()
    saved(shaken_alike(network), tmp_path)
    processor.save_pretrained(tmp_path)
    detector = ClosedSetBoxes.load(str(tmp_path), CPU, 0.0)
    for size in ((120, 80), (70, 110)):
        image = Image.new("RGB", size, "white")
        image.paste("red", (10, 20, 60, 50))
        found = detector.find(image)
        assert found
        assert {each.name for each in found} <= {"person", "dog"}
        assert all(each.box.intersection(Box(0, 0, *size)) == each.box for each in found)


def test_a_relative_of_grounding_dino(tmp_path: Path) -> None:
    config = made_config(
        MMGroundingDinoConfig,
        backbone_config=swin(["stage3", "stage4"]),
        text_config={
            "model_type": "bert",
            "hidden_size": 16,
            "intermediate_size": 16,
            "num_hidden_layers": 1,
            "num_attention_heads": 2,
            "vocab_size": len(bert_tokenizer(tmp_path)),
        },
        num_queries=5,
        num_feature_levels=2,
        max_text_len=32,
        **(SMALL | {"d_model": 32, "decoder_layers": 2}),
        **ATTENTION,
    )
    saved(shaken_alike(MMGroundingDinoForObjectDetection(config)), tmp_path)
    GroundingDinoImageProcessorPil(size=SIDES).save_pretrained(tmp_path)
    detector = open_vocabulary.load(str(tmp_path), CPU, 0.0, ("dog", "red car"))
    found = detector.find(Image.new("RGB", (120, 80), "red"))
    assert found
    assert all(each.box.intersection(Box(0, 0, 120, 80)) == each.box for each in found)
