"""Small checkpoints that chat, random but of enough variance that answers differ between questions and pictures."""

from __future__ import annotations

from pathlib import Path

from transformers import (
    CLIPVisionConfig,
    Gemma3Config,
    Gemma3ForConditionalGeneration,
    Gemma3ImageProcessorPil,
    Gemma3Processor,
    Gemma3TextConfig,
    Idefics3Config,
    Idefics3ForConditionalGeneration,
    Idefics3ImageProcessorPil,
    Idefics3Processor,
    LlamaConfig,
    LlavaConfig,
    LlavaForConditionalGeneration,
    LlavaImageProcessorPil,
    LlavaNextConfig,
    LlavaNextForConditionalGeneration,
    LlavaNextImageProcessorPil,
    LlavaNextProcessor,
    LlavaProcessor,
    PreTrainedTokenizerFast,
    SiglipVisionConfig,
    SmolVLMConfig,
    SmolVLMForConditionalGeneration,
    SmolVLMImageProcessorPil,
)

from tests.models.transformers.prompted.small.tokenizers import BEGIN, byte_pairs
from tests.models.transformers.prompted.small.writing import Settings, made, number, saved

SIDE, PATCH = 16, 8

TURNS = (
    "{% for m in messages %}[{{ m['role'] }}] {% for c in m['content'] %}{% if c['type'] == 'image' %}MARK"
    "{% else %}{{ c['text'] }}{% endif %}{% endfor %}</s>\n{% endfor %}"
    "{% if add_generation_prompt %}[assistant]{% endif %}"
)


def template(mark: str = "<image>\n", begin: str = "") -> str:
    """A chat template that writes ``mark`` for a picture."""
    return begin + TURNS.replace("MARK", mark)


def words(rows: int, **settings: object) -> Settings:
    """What a small language model is made of."""
    return {
        "vocab_size": rows,
        "hidden_size": 16,
        "intermediate_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "num_key_value_heads": 2,
        "max_position_embeddings": 512,
        **settings,
    }


def llama(tokenizer: PreTrainedTokenizerFast, **settings: object) -> LlamaConfig:
    return made(LlamaConfig, **words(len(tokenizer), **{**ends(tokenizer), **settings}))


def ends(tokenizer: PreTrainedTokenizerFast) -> Settings:
    return {
        "pad_token_id": tokenizer.pad_token_id,
        "eos_token_id": tokenizer.eos_token_id,
        "bos_token_id": tokenizer.bos_token_id,
    }


def clip() -> CLIPVisionConfig:
    return made(
        CLIPVisionConfig,
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        image_size=SIDE,
        patch_size=PATCH,
    )


def siglip(side: int = SIDE) -> SiglipVisionConfig:
    return made(
        SiglipVisionConfig,
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        image_size=side,
        patch_size=PATCH,
    )


def llava(
    folder: Path,
    *,
    seed: int = 0,
    tokenizer: PreTrainedTokenizerFast | None = None,
    sees: CLIPVisionConfig | None = None,
    **reads: object,
) -> Path:
    """``sees`` and ``reads`` replace the encoder and settings of the language model."""
    words = tokenizer or byte_pairs(named={"image_token": "<image>"})
    sees = sees or clip()
    side = sees.image_size
    assert isinstance(side, int)
    images = LlavaImageProcessorPil(
        size={"shortest_edge": side}, crop_size={"height": side, "width": side}, do_center_crop=True
    )
    processor = made(
        LlavaProcessor,
        images,
        words,
        patch_size=sees.patch_size,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=template(),
    )
    config = made(
        LlavaConfig,
        vision_config=sees,
        text_config=llama(words, **reads),
        image_token_index=number(words, "<image>"),
        vision_feature_layer=-2,
    )
    return saved(LlavaForConditionalGeneration, config, processor, folder, seed=seed)


def llava_next(folder: Path) -> Path:
    words = byte_pairs(named={"image_token": "<image>"})
    shapes = [[SIDE, 2 * SIDE], [2 * SIDE, SIDE], [2 * SIDE, 2 * SIDE]]
    images = LlavaNextImageProcessorPil(
        size={"shortest_edge": SIDE}, crop_size={"height": SIDE, "width": SIDE}, image_grid_pinpoints=shapes
    )
    processor = made(
        LlavaNextProcessor,
        images,
        words,
        patch_size=PATCH,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=template(),
    )
    config = made(
        LlavaNextConfig,
        vision_config=clip(),
        text_config=llama(words),
        image_token_index=number(words, "<image>"),
        image_grid_pinpoints=shapes,
        vision_feature_layer=-2,
    )
    return saved(LlavaNextForConditionalGeneration, config, processor, folder)


def _idefics3_words() -> PreTrainedTokenizerFast:
    tiles = [f"<row_{row}_col_{column}>" for row in range(1, 7) for column in range(1, 7)]
    return byte_pairs(
        ["<fake_token_around_image>", "<end_of_utterance>", "<global-img>", *tiles],
        begin=BEGIN,
        named={"image_token": "<image>"},
    )


def idefics3(folder: Path) -> Path:
    words = _idefics3_words()
    images = Idefics3ImageProcessorPil(size={"longest_edge": 2 * SIDE}, max_image_size={"longest_edge": SIDE})
    processor = made(
        Idefics3Processor, images, words, image_seq_len=1, chat_template=template("<image>", begin="{{ bos_token }}")
    )
    config = made(
        Idefics3Config,
        vision_config={**siglip().to_dict(), "model_type": "idefics3_vision"},
        text_config=llama(words).to_dict(),
        image_token_id=number(words, "<image>"),
        scale_factor=2,
        pad_token_id=words.pad_token_id,
        tie_word_embeddings=True,
    )
    return saved(Idefics3ForConditionalGeneration, config, processor, folder)


def smolvlm(folder: Path) -> Path:
    words = _idefics3_words()
    images = SmolVLMImageProcessorPil(size={"longest_edge": 2 * SIDE}, max_image_size={"longest_edge": SIDE})
    config = made(
        SmolVLMConfig,
        vision_config={**siglip().to_dict(), "model_type": "smolvlm_vision"},
        text_config=llama(words).to_dict(),
        image_token_id=number(words, "<image>"),
        scale_factor=2,
        pad_token_id=words.pad_token_id,
    )
    words.chat_template = template("<image>", begin="{{ bos_token }}")
    words.save_pretrained(folder)
    return saved(SmolVLMForConditionalGeneration, config, images, folder)


def gemma3(folder: Path) -> Path:
    words = byte_pairs(
        begin=BEGIN,
        named={"image_token": "<image_soft_token>", "boi_token": "<start_of_image>", "eoi_token": "<end_of_image>"},
    )
    images = Gemma3ImageProcessorPil(size={"height": 2 * SIDE, "width": 2 * SIDE})
    processor = made(
        Gemma3Processor,
        images,
        words,
        image_seq_length=4,
        chat_template=template("<start_of_image>", begin="{{ bos_token }}"),
    )
    text = made(
        Gemma3TextConfig,
        **_words_of(words),
        head_dim=8,
        sliding_window=32,
        layer_types=["sliding_attention", "full_attention"],
    )
    config = made(
        Gemma3Config,
        vision_config=siglip(2 * SIDE),
        text_config=text,
        mm_tokens_per_image=4,
        boi_token_index=number(words, "<start_of_image>"),
        eoi_token_index=number(words, "<end_of_image>"),
        image_token_index=number(words, "<image_soft_token>"),
    )
    return saved(Gemma3ForConditionalGeneration, config, processor, folder, seed=5, words=0.05)


def _words_of(tokenizer: PreTrainedTokenizerFast) -> Settings:
    return words(len(tokenizer), **ends(tokenizer))
