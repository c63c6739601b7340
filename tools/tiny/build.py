"""The tiny model's parts: a small LLaVA whose picture encoder is a SegFormer, with a word-level tokenizer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tokenizers import Regex, Tokenizer, decoders, normalizers, pre_tokenizers
from tokenizers.models import WordLevel
from torch import nn
from transformers import (
    LlamaConfig,
    LlavaConfig,
    LlavaForConditionalGeneration,
    LlavaProcessor,
    PreTrainedTokenizerFast,
    SegformerConfig,
)
from transformers.models.llava.image_processing_pil_llava import LlavaImageProcessorPil

from tools.tiny.render import CELLS, SIZE_PX

PAD, UNKNOWN, START, END, IMAGE, ANSWER = "[PAD]", "[UNK]", "[START]", "[END]", "<image>", "<answer>"
SPECIAL = (PAD, UNKNOWN, START, END, IMAGE, ANSWER)

VISION_WIDTHS = (32, 80, 192)
VISION_DEPTHS = (1, 2, 4)

WIDTH = 192
"""Of the language model."""

CHAT_TEMPLATE = (
    "{% for message in messages %}{% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}<image>{% else %}{{ part['text'] }}{% endif %}"
    "{% endfor %}{% endfor %}{% if add_generation_prompt %}<answer>{% endif %}"
)
"""The picture, the text, and the mark after which the answer stands."""

MEAN = (0.5, 0.5, 0.5)
STD = (0.25, 0.25, 0.25)


def vision_config() -> SegformerConfig:
    """A convolutional and hierarchical encoder: each feature sees all of the picture and knows its place."""
    settings: dict[str, object] = {
        "num_encoder_blocks": 3,
        "depths": list(VISION_DEPTHS),
        "sr_ratios": [4, 2, 1],
        "hidden_sizes": list(VISION_WIDTHS),
        "patch_sizes": [7, 3, 3],
        "strides": [4, 2, 2],
        "num_attention_heads": [1, 2, 4],
        "mlp_ratios": [2, 2, 2],
        "hidden_dropout_prob": 0.0,
        "attention_probs_dropout_prob": 0.0,
        "drop_path_rate": 0.0,
        "reshape_last_stage": False,
        "image_size": SIZE_PX,
        "hidden_size": VISION_WIDTHS[-1],  # LLaVA asks for it; SegFormer itself has no such setting
    }
    return SegformerConfig(**settings)  # type: ignore[arg-type]  # a configuration takes more than it declares


def config(words: PreTrainedTokenizerFast) -> LlavaConfig:
    """The whole model."""
    shared: dict[str, object] = {
        "tie_word_embeddings": True,
        "pad_token_id": SPECIAL.index(PAD),
        "bos_token_id": SPECIAL.index(START),
        "eos_token_id": SPECIAL.index(END),
    }
    text: dict[str, object] = {
        "vocab_size": len(words),
        "hidden_size": WIDTH,
        "intermediate_size": 384,
        "num_hidden_layers": 4,
        "num_attention_heads": 4,
        "num_key_value_heads": 4,
        "max_position_embeddings": 256,
    }
    whole: dict[str, object] = {
        "vision_config": vision_config(),
        "text_config": LlamaConfig(**text, **shared),  # type: ignore[arg-type]  # as above
        "image_token_index": SPECIAL.index(IMAGE),
        "image_seq_length": CELLS * CELLS,
        "vision_feature_select_strategy": "full",
        "vision_feature_layer": -1,
    }
    return LlavaConfig(**whole, **shared)  # type: ignore[arg-type]  # as above


def tokenizer(words: Sequence[str]) -> PreTrainedTokenizerFast:
    """Whole words in lower case; punctuation stands alone."""
    vocabulary = {word: number for number, word in enumerate((*SPECIAL, *words))}
    fast = Tokenizer(WordLevel(vocabulary, unk_token=UNKNOWN))
    fast.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
    fast.pre_tokenizer = pre_tokenizers.Split(Regex(r"[a-z]+|[0-9]|[^\sa-z0-9]"), behavior="removed", invert=True)
    fast.decoder = decoders.WordPiece(cleanup=True)
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]  # transformers does not annotate it
        tokenizer_object=fast,
        unk_token=UNKNOWN,
        pad_token=PAD,
        bos_token=START,
        eos_token=END,
        additional_special_tokens=[IMAGE, ANSWER],
        padding_side="left",
        clean_up_tokenization_spaces=False,
    )


def known_words(checkpoint: Path) -> list[str]:
    """The words of a checkpoint, in the order of their tokens."""
    vocabulary = PreTrainedTokenizerFast.from_pretrained(checkpoint).get_vocab()
    return sorted(vocabulary, key=lambda word: vocabulary[word])[len(SPECIAL) :]


def processor(words: PreTrainedTokenizerFast) -> LlavaProcessor:
    """Pads a picture to a square, shrinks it and writes the prompt."""
    images = LlavaImageProcessorPil(
        size={"height": SIZE_PX, "width": SIZE_PX},
        do_center_crop=False,
        do_pad=True,
        image_mean=list(MEAN),
        image_std=list(STD),
    )
    return LlavaProcessor(  # type: ignore[no-untyped-call]  # as above
        image_processor=images,
        tokenizer=words,
        patch_size=SIZE_PX // CELLS,
        vision_feature_select_strategy="full",
        image_token=IMAGE,
        chat_template=CHAT_TEMPLATE,
    )


def save(model: LlavaForConditionalGeneration, parts: LlavaProcessor, folder: Path) -> None:
    """Writes a checkpoint directory that ``from_pretrained`` reads; weights in half precision."""
    folder.mkdir(parents=True, exist_ok=True)
    nn.Module.half(model)
    model.save_pretrained(folder)
    parts.save_pretrained(folder)
    (folder / "model.safetensors").chmod(0o644)  # written for its owner alone
