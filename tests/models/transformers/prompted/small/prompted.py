"""Small checkpoints without a chat template, random but of enough variance that answers differ."""

from __future__ import annotations

from pathlib import Path

from transformers import (
    Blip2Config,
    Blip2ForConditionalGeneration,
    Blip2Processor,
    BlipImageProcessorPil,
    CLIPImageProcessorPil,
    Florence2Config,
    Florence2ForConditionalGeneration,
    Florence2Processor,
    GemmaConfig,
    GitConfig,
    GitForCausalLM,
    GitProcessor,
    InstructBlipConfig,
    InstructBlipForConditionalGeneration,
    InstructBlipProcessor,
    OPTConfig,
    PaliGemmaConfig,
    PaliGemmaForConditionalGeneration,
    PaliGemmaProcessor,
    PreTrainedTokenizerFast,
    SiglipImageProcessorPil,
    T5Config,
)

from tests.models.small.tokenizers import bert_tokenizer
from tests.models.small.words import WORDS
from tests.models.transformers.prompted.small.chat import PATCH, SIDE, ends, llama, siglip, words
from tests.models.transformers.prompted.small.tokenizers import BEGIN, byte_pairs
from tests.models.transformers.prompted.small.writing import Settings, made, number, saved

QUERIES = 3


def paligemma(folder: Path) -> Path:
    tokenizer = byte_pairs(begin=BEGIN, named={"image_token": "<image>"})
    images = SiglipImageProcessorPil(size={"height": SIDE, "width": SIDE}, image_seq_length=(SIDE // PATCH) ** 2)
    vars(images)["image_seq_length"] = (SIDE // PATCH) ** 2
    processor = made(PaliGemmaProcessor, images, tokenizer)
    config = made(
        PaliGemmaConfig,
        vision_config={**siglip().to_dict(), "projection_dim": 16},
        text_config=made(GemmaConfig, **words(len(tokenizer), head_dim=8, **ends(tokenizer))),
        image_token_index=number(tokenizer, "<image>"),
        projection_dim=16,
    )
    return saved(PaliGemmaForConditionalGeneration, config, processor, folder, words=0.1)


def florence(folder: Path) -> Path:
    tokenizer = byte_pairs(begin=BEGIN, named={"image_token": "<image>"})
    images = CLIPImageProcessorPil(
        size={"height": SIDE, "width": SIDE}, crop_size={"height": SIDE, "width": SIDE}, do_center_crop=False
    )
    vars(images)["image_seq_length"] = 5  # two by two, and their mean
    processor = made(Florence2Processor, images, tokenizer)
    config = made(
        Florence2Config,
        vision_config={
            "embed_dim": [8, 16],
            "depths": [1, 1],
            "patch_size": [7, 3],
            "patch_stride": [4, 2],
            "patch_padding": [3, 1],
            "patch_prenorm": [False, True],
            "num_heads": [2, 2],
            "num_groups": [2, 2],
            "window_size": 2,
            "projection_dim": 16,
            "max_position_embeddings": 8,
            "max_temporal_embeddings": 4,
        },
        text_config={
            "model_type": "bart",
            "vocab_size": len(tokenizer),
            "d_model": 16,
            "encoder_layers": 2,
            "decoder_layers": 2,
            "encoder_attention_heads": 2,
            "decoder_attention_heads": 2,
            "encoder_ffn_dim": 32,
            "decoder_ffn_dim": 32,
            "max_position_embeddings": 256,
            "decoder_start_token_id": tokenizer.eos_token_id,
            **ends(tokenizer),
        },
        image_token_id=number(tokenizer, "<image>"),
    )
    return saved(Florence2ForConditionalGeneration, config, processor, folder, words=0.3)


def _seeing() -> Settings:
    return {
        "hidden_size": 16,
        "intermediate_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "image_size": SIDE,
        "patch_size": PATCH,
    }


def _asking(rows: int = 30) -> Settings:
    return {
        "vocab_size": rows,
        "hidden_size": 16,
        "intermediate_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "encoder_hidden_size": 16,
        "cross_attention_frequency": 1,
        "max_position_embeddings": 64,
    }


def _opt(tokenizer: PreTrainedTokenizerFast) -> OPTConfig:
    return made(
        OPTConfig,
        vocab_size=len(tokenizer),
        hidden_size=16,
        word_embed_proj_dim=16,
        ffn_dim=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=128,
        **ends(tokenizer),
    )


def _t5(tokenizer: PreTrainedTokenizerFast) -> T5Config:
    return made(
        T5Config,
        vocab_size=len(tokenizer),
        d_model=16,
        d_kv=8,
        d_ff=32,
        num_layers=2,
        num_heads=2,
        decoder_start_token_id=tokenizer.pad_token_id,
        tie_word_embeddings=False,
        **ends(tokenizer),
    )


def _pictures() -> BlipImageProcessorPil:
    return BlipImageProcessorPil(size={"height": SIDE, "width": SIDE})


def blip2_opt(folder: Path) -> Path:
    tokenizer = byte_pairs(begin=BEGIN, special=["<image>"])
    return _blip2(folder, tokenizer, _opt(tokenizer), seed=0)


def blip2_t5(folder: Path) -> Path:
    tokenizer = byte_pairs(special=["<image>"])
    return _blip2(folder, tokenizer, _t5(tokenizer), seed=3)


def _blip2(folder: Path, tokenizer: PreTrainedTokenizerFast, text: OPTConfig | T5Config, seed: int) -> Path:
    config = made(
        Blip2Config,
        vision_config=_seeing(),
        qformer_config=_asking(),
        text_config=text,
        num_query_tokens=QUERIES,
        image_token_index=number(tokenizer, "<image>"),
    )
    processor = made(Blip2Processor, _pictures(), tokenizer, num_query_tokens=QUERIES)
    return saved(Blip2ForConditionalGeneration, config, processor, folder, seed=seed, words=0.3)


def instructblip(folder: Path) -> Path:
    tokenizer = byte_pairs(begin=BEGIN, special=["<image>"])
    asking = bert_tokenizer(folder / "qformer_tokenizer", WORDS)
    config = made(
        InstructBlipConfig,
        vision_config=_seeing(),
        qformer_config=_asking(len(asking)),
        text_config=llama(tokenizer),
        num_query_tokens=QUERIES,
        image_token_index=number(tokenizer, "<image>"),
    )
    processor = made(InstructBlipProcessor, _pictures(), tokenizer, asking, num_query_tokens=QUERIES)
    return saved(InstructBlipForConditionalGeneration, config, processor, folder)


def git(folder: Path) -> Path:
    tokenizer = bert_tokenizer(folder, WORDS)
    images = CLIPImageProcessorPil(size={"shortest_edge": SIDE}, crop_size={"height": SIDE, "width": SIDE})
    config = made(
        GitConfig,
        vision_config=_seeing(),
        vocab_size=len(tokenizer),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=256,
        bos_token_id=tokenizer.cls_token_id,
        eos_token_id=tokenizer.sep_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    return saved(GitForCausalLM, config, made(GitProcessor, images, tokenizer), folder)
