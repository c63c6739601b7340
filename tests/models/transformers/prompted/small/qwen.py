"""Small checkpoints of the Qwen-VL family: a tokenizer, an image processor and a template, and no processor."""

from __future__ import annotations

from pathlib import Path

from transformers import (
    PreTrainedTokenizerFast,
    Qwen2_5_VLConfig,
    Qwen2_5_VLForConditionalGeneration,
    Qwen2VLConfig,
    Qwen2VLForConditionalGeneration,
    Qwen2VLImageProcessorPil,
    Qwen3VLConfig,
    Qwen3VLForConditionalGeneration,
)

from tests.models.transformers.prompted.small.chat import PATCH, SIDE, ends, template, words
from tests.models.transformers.prompted.small.tokenizers import byte_pairs
from tests.models.transformers.prompted.small.writing import Settings, made, number, saved

_SPECIAL = ("<|vision_start|>", "<|image_pad|>", "<|vision_end|>", "<|video_pad|>")
_ROPE = {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [1, 1, 2]}


def qwen2_vl(folder: Path) -> Path:
    tokenizer = _files(folder)
    seeing = {"depth": 2, "embed_dim": 16, "hidden_size": 16, "num_heads": 2, "mlp_ratio": 2, "patch_size": PATCH}
    config = made(Qwen2VLConfig, vision_config=seeing, text_config=_text(tokenizer), **_tokens(tokenizer))
    return saved(Qwen2VLForConditionalGeneration, config, tokenizer, folder)


def qwen2_5_vl(folder: Path) -> Path:
    tokenizer = _files(folder)
    seeing = {
        "depth": 2,
        "hidden_size": 16,
        "out_hidden_size": 16,
        "intermediate_size": 32,
        "num_heads": 2,
        "patch_size": PATCH,
        "window_size": 4 * PATCH,
        "fullatt_block_indexes": [1],
    }
    config = made(Qwen2_5_VLConfig, vision_config=seeing, text_config=_text(tokenizer), **_tokens(tokenizer))
    return saved(Qwen2_5_VLForConditionalGeneration, config, tokenizer, folder)


def qwen3_vl(folder: Path) -> Path:
    tokenizer = _files(folder)
    seeing = {
        "depth": 2,
        "hidden_size": 16,
        "out_hidden_size": 16,
        "intermediate_size": 32,
        "num_heads": 2,
        "patch_size": PATCH,
        "num_position_embeddings": 16,
        "deepstack_visual_indexes": [0],
    }
    config = made(Qwen3VLConfig, vision_config=seeing, text_config=_text(tokenizer, head_dim=8), **_tokens(tokenizer))
    return saved(Qwen3VLForConditionalGeneration, config, tokenizer, folder)


def _files(folder: Path) -> PreTrainedTokenizerFast:
    tokenizer = byte_pairs(_SPECIAL, end="<|im_end|>")
    tokenizer.chat_template = template("<|vision_start|><|image_pad|><|vision_end|>")
    images = Qwen2VLImageProcessorPil(
        size={"shortest_edge": SIDE * SIDE, "longest_edge": 9 * SIDE * SIDE}, patch_size=PATCH, merge_size=2
    )
    images.save_pretrained(folder)
    return tokenizer


def _text(tokenizer: PreTrainedTokenizerFast, **settings: object) -> Settings:
    return words(len(tokenizer), rope_parameters=_ROPE, **ends(tokenizer), **settings)


def _tokens(tokenizer: PreTrainedTokenizerFast) -> Settings:
    return {
        "image_token_id": number(tokenizer, "<|image_pad|>"),
        "video_token_id": number(tokenizer, "<|video_pad|>"),
        "vision_start_token_id": number(tokenizer, "<|vision_start|>"),
        "vision_end_token_id": number(tokenizer, "<|vision_end|>"),
    }
