"""Small random checkpoints of each family of detectors, saved as published ones are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import log
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import nn
from transformers import (
    BertTokenizer,
    CLIPTokenizer,
    DetrConfig,
    DetrForObjectDetection,
    DetrImageProcessorPil,
    GroundingDinoConfig,
    GroundingDinoForObjectDetection,
    GroundingDinoImageProcessorPil,
    Mask2FormerConfig,
    Mask2FormerForUniversalSegmentation,
    Mask2FormerImageProcessorPil,
    Owlv2Config,
    Owlv2ForObjectDetection,
    Owlv2ImageProcessorPil,
    OwlViTConfig,
    OwlViTForObjectDetection,
    OwlViTImageProcessorPil,
    PreTrainedConfig,
    PreTrainedModel,
    ResNetConfig,
    RTDetrConfig,
    RTDetrForObjectDetection,
    RTDetrImageProcessorPil,
    RTDetrResNetConfig,
    SwinConfig,
)

from tests.models.small.weights import shaken

LABELS = {0: "N/A", 1: "person", 2: "dog", 3: "motorbike"}
"""As in the published DETR: number 0 is of no class."""

C = TypeVar("C", bound=PreTrainedConfig)

Share = tuple[float, float, float, float]
"""A box as a network gives it: centre and size as shares of the picture."""

ATTENTION = {"encoder_attention_heads": 2, "decoder_attention_heads": 2}
_RESNET: dict[str, Any] = {
    "embedding_size": 8, "hidden_sizes": [8, 8, 16, 16], "depths": [1] * 4, "layer_type": "basic",
}  # fmt: skip
SMALL = {"d_model": 16, "encoder_layers": 1, "decoder_layers": 1, "encoder_ffn_dim": 16, "decoder_ffn_dim": 16}


def detr(folder: Path, *, labels: Mapping[int, str] = LABELS, plant: Share | None = None, sure_of: int = 2) -> Path:
    """A DETR with a ResNet of transformers; with ``plant`` every one of its boxes is that, and of class ``sure_of``."""
    config = made_config(
        DetrConfig,
        backbone_config=resnet(),
        use_timm_backbone=False,
        num_queries=6,
        id2label=dict(labels),
        **SMALL,
        **ATTENTION,
    )
    network = shaken_alike(DetrForObjectDetection(config))
    with torch.no_grad():
        classes = _linear(network, "class_labels_classifier")
        classes.bias[-1] -= 4.0  # or most of what it sees would be nothing
        if plant is not None:
            _only_bias(_linear(network, "bbox_predictor.layers.2"), [_logit(each) for each in plant])
            scores = [0.0] * (len(labels) + 1)
            scores[sure_of] = 9.0
            _only_bias(classes, scores)
    DetrImageProcessorPil(size={"shortest_edge": 48, "longest_edge": 80}).save_pretrained(folder)
    return saved(network, folder)


def rt_detr(folder: Path) -> Path:
    """An RT-DETR."""
    config = made_config(
        RTDetrConfig,
        backbone_config=rt_detr_resnet(),
        encoder_hidden_dim=16,
        encoder_in_channels=[8, 16, 16],
        decoder_in_channels=[16, 16, 16],
        num_queries=6,
        num_denoising=0,
        id2label={0: "person", 1: "dog"},
        **SMALL,
        **ATTENTION,
    )
    network = shaken_alike(RTDetrForObjectDetection(config))
    with torch.no_grad():
        _linear(network, "model.decoder.class_embed.0").bias.add_(3.0)
    RTDetrImageProcessorPil(size={"height": 64, "width": 64}).save_pretrained(folder)
    return saved(network, folder)


def mask2former(folder: Path, *, labels: Mapping[int, str] = LABELS, size: Mapping[str, int] | None = None) -> Path:
    """A Mask2Former with a Swin."""
    config = made_config(
        Mask2FormerConfig,
        backbone_config=swin(["stage1", "stage2", "stage3", "stage4"]),
        hidden_dim=32,
        feature_size=32,
        mask_feature_size=32,
        encoder_layers=1,
        decoder_layers=2,
        encoder_feedforward_dim=16,
        dim_feedforward=16,
        num_attention_heads=2,
        num_queries=3,
        id2label=dict(labels),
    )
    network = shaken_alike(Mask2FormerForUniversalSegmentation(config))
    with torch.no_grad():
        _linear(network, "class_predictor").bias[-1] -= 4.0
    Mask2FormerImageProcessorPil(size=dict(size or {"height": 64, "width": 64})).save_pretrained(folder)
    return saved(network, folder)


def owlv2(folder: Path, *, plant: Share | None = None) -> Path:
    """An OWLv2 of two by two patches; with ``plant`` the box of the first is that, and every text fits it."""
    network = shaken_alike(Owlv2ForObjectDetection(made_config(Owlv2Config, **_towers())))
    with torch.no_grad():
        if plant is not None:  # the first of two by two patches adds nothing of its own
            _only_bias(_linear(network, "box_head.dense2"), [_logit(each) for each in plant])
            _only_bias(_linear(network, "class_head.logit_shift"), [9.0])
    Owlv2ImageProcessorPil(size={"height": 32, "width": 32}).save_pretrained(folder)
    clip_tokenizer(folder)
    return saved(network, folder)


def owlvit(folder: Path) -> Path:
    """An OWL-ViT."""
    network = shaken_alike(OwlViTForObjectDetection(made_config(OwlViTConfig, **_towers())))
    OwlViTImageProcessorPil(size={"height": 32, "width": 32}).save_pretrained(folder)
    clip_tokenizer(folder)
    return saved(network, folder)


def grounding_dino(folder: Path, *, longest: int = 32) -> Path:
    """A Grounding DINO."""
    config = made_config(
        GroundingDinoConfig,
        backbone_config=swin(["stage3", "stage4"]),
        text_config={
            "model_type": "bert",
            "hidden_size": 16,
            "intermediate_size": 16,
            "num_hidden_layers": 1,
            "num_attention_heads": 2,
            "vocab_size": len(bert_tokenizer(folder)),
        },
        num_queries=5,
        num_feature_levels=2,
        max_text_len=longest,
        **(SMALL | {"d_model": 32, "decoder_layers": 2}),
        **ATTENTION,
    )
    GroundingDinoImageProcessorPil(size={"shortest_edge": 48, "longest_edge": 80}).save_pretrained(folder)
    return saved(shaken_alike(GroundingDinoForObjectDetection(config)), folder)


def clip_tokenizer(folder: Path) -> CLIPTokenizer:
    """A CLIP tokenizer of letters; the token that ends a text has the highest number, as OWL-ViT relies on."""
    letters = "abcdefghijklmnopqrstuvwxyz0123456789,.'-"
    tokens = ("!", *letters, *(f"{letter}</w>" for letter in letters), "<|startoftext|>", "<|endoftext|>")
    made = CLIPTokenizer(
        vocab={token: number for number, token in enumerate(tokens)}, merges=[], pad_token="!", model_max_length=32
    )
    made.save_pretrained(folder)
    return made


def bert_tokenizer(folder: Path) -> BertTokenizer:
    """A BERT tokenizer of letters and some words, with the numbers that BERT's has for what parts phrases."""
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    words = ("dog", "person", "red", "car", "a", "the", "in", "man")
    others = [*words, *(each for each in letters if each not in words), *(f"##{each}" for each in letters)]
    fixed = {0: "[PAD]", 100: "[UNK]", 101: "[CLS]", 102: "[SEP]", 103: "[MASK]", 1012: ".", 1029: "?"}
    tokens = [fixed.get(number) or (others.pop() if others else f"[unused{number}]") for number in range(1030)]
    made = BertTokenizer(vocab={token: number for number, token in enumerate(tokens)})
    made.save_pretrained(folder)
    return made


def edit_config(folder: Path, **fields: object) -> None:
    """Changes fields of a checkpoint's configuration; None takes one out."""
    file = folder / "config.json"
    config = json.loads(file.read_text())
    config.update(fields)
    file.write_text(json.dumps({name: value for name, value in config.items() if value is not None}))


def _towers() -> dict[str, Any]:
    size = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    words = {"vocab_size": 83, "max_position_embeddings": 32, "bos_token_id": 81, "eos_token_id": 82, "pad_token_id": 0}
    return {
        "text_config": {**size, **words},
        "vision_config": {**size, "image_size": 32, "patch_size": 16},
        "projection_dim": 16,
    }


def resnet(*stages: str) -> ResNetConfig:
    """A ResNet that gives the features of these of its four stages; of the last where none is named."""
    return made_config(ResNetConfig, **_RESNET, out_features=list(stages) or ["stage4"])


def rt_detr_resnet() -> RTDetrResNetConfig:
    """RT-DETR's own ResNet, of 8, 16 and 16 channels."""
    return made_config(RTDetrResNetConfig, **_RESNET, out_features=["stage2", "stage3", "stage4"])


def swin(stages: list[str]) -> SwinConfig:
    """An image encoder that gives the features of these of its four stages."""
    return made_config(
        SwinConfig, embed_dim=8, depths=[1] * 4, num_heads=[1] * 4, image_size=64, window_size=2, out_features=stages
    )


def shaken_alike(network: PreTrainedModel) -> PreTrainedModel:
    """The network with random weights, the same each time."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return shaken(network, spread=1.0)


def made_config(cls: type[C], **fields: Any) -> C:
    """The configuration; transformers takes more fields than it declares."""
    return cls(**fields)


def _linear(network: PreTrainedModel, name: str) -> nn.Linear:
    layer = network.get_submodule(name)
    assert isinstance(layer, nn.Linear)
    return layer


def _only_bias(layer: nn.Linear, bias: list[float]) -> None:
    """Makes a layer give the same whatever comes in."""
    layer.weight.zero_()
    layer.bias.copy_(torch.tensor(bias))


def _logit(share: float) -> float:
    return log(share / (1 - share))


def saved(network: PreTrainedModel, folder: Path) -> Path:
    """The folder, with the network in it."""
    network.save_pretrained(folder)
    return folder
