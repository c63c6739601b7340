"""Small checkpoints of kinds that nothing knows by name."""

from __future__ import annotations

from pathlib import Path

from transformers import (
    Idefics2Config,
    Idefics2ForConditionalGeneration,
    Idefics2ImageProcessorPil,
    Idefics2Processor,
    LlavaProcessor,
    MistralConfig,
    VipLlavaConfig,
    VipLlavaForConditionalGeneration,
)
from transformers.models.llava.image_processing_pil_llava import LlavaImageProcessorPil

from tests.models.transformers.prompted.small.chat import PATCH, SIDE, clip, ends, llama, siglip, template, words
from tests.models.transformers.prompted.small.tokenizers import BEGIN, byte_pairs
from tests.models.transformers.prompted.small.writing import made, number, saved


def vipllava(folder: Path) -> Path:
    tokenizer = byte_pairs(named={"image_token": "<image>"})
    images = LlavaImageProcessorPil(size={"shortest_edge": SIDE}, crop_size={"height": SIDE, "width": SIDE})
    processor = made(
        LlavaProcessor,
        images,
        tokenizer,
        patch_size=PATCH,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=template(),
    )
    config = made(
        VipLlavaConfig,
        vision_config=clip(),
        text_config=llama(tokenizer),
        image_token_index=number(tokenizer, "<image>"),
        vision_feature_layers=[-2, -1],
    )
    return saved(VipLlavaForConditionalGeneration, config, processor, folder, seed=1)


def idefics2(folder: Path) -> Path:
    tokenizer = byte_pairs(
        begin=BEGIN,
        named={
            "image_token": "<image>",
            "image_boundary_token": "<fake_token_around_image>",
            "end_of_utterance_token": "<end_of_utterance>",
        },
    )
    images = Idefics2ImageProcessorPil(size={"shortest_edge": SIDE, "longest_edge": 2 * SIDE}, do_image_splitting=False)
    processor = made(
        Idefics2Processor,
        images,
        tokenizer,
        image_seq_len=2,
        chat_template=template("<image>", begin="{{ bos_token }}"),
    )
    config = made(
        Idefics2Config,
        vision_config={**siglip(4 * SIDE).to_dict(), "model_type": "idefics2_vision"},
        perceiver_config={
            "resampler_n_latents": 2,
            "resampler_depth": 1,
            "resampler_n_heads": 2,
            "resampler_head_dim": 8,
            "num_key_value_heads": 2,
            "hidden_size": 16,
        },
        text_config=made(MistralConfig, **words(len(tokenizer), **ends(tokenizer))),
        image_token_id=number(tokenizer, "<image>"),
        tie_word_embeddings=False,
    )
    return saved(Idefics2ForConditionalGeneration, config, processor, folder)
