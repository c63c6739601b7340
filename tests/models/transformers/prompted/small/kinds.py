"""Small checkpoints of further kinds, made of the default configuration of each with every size taken down.

A kind is a row of a table: what stands for a picture in its prompts, its tokens, and the few settings that do not
follow from others. All else is transformers' own: the classes of its model, image processor and processor.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import transformers
from safetensors.torch import load_file, save_file
from transformers import CONFIG_MAPPING, PreTrainedConfig, PreTrainedTokenizerFast
from transformers.models.auto import image_processing_auto, processing_auto
from transformers.models.auto.modeling_auto import MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES

from tests.models.transformers.prompted.small.chat import PATCH, SIDE, template
from tests.models.transformers.prompted.small.tokenizers import byte_pairs
from tests.models.transformers.prompted.small.writing import Settings, number, saved

IMAGE_PROCESSORS: Mapping[str, Mapping[str, str]] = cast(Any, image_processing_auto).IMAGE_PROCESSOR_MAPPING_NAMES
PROCESSORS: Mapping[str, str] = cast(Any, processing_auto).PROCESSOR_MAPPING_NAMES


@dataclass(frozen=True, kw_only=True)
class Row:
    """What makes a small checkpoint of one kind."""

    mark: str
    """Written for a picture by the chat template."""

    special: tuple[str, ...] = ()
    """Tokens that stand for no text."""

    named: Mapping[str, str] = field(default_factory=dict)
    """More of them, by the attributes of the tokenizer that name them."""

    ids: Mapping[str, str] = field(default_factory=dict)
    """Settings of config.json that are numbers of tokens."""

    config: Settings = field(default_factory=dict)
    """Further settings of config.json; a dot leads into a part of it."""

    part: str = ""
    """The model is this part of a whole whose other parts are left out; its configuration is ``part``_config there."""

    images: Settings = field(default_factory=dict)
    """Settings of the image processor."""

    image_processor: str = ""
    """Its class over PIL, where transformers' table has none for the kind."""

    processor: Settings = field(default_factory=dict)
    """Settings of the processor."""

    processor_class: str = ""
    """Where transformers' table has none for the kind."""

    begin: str | None = None
    """The token that begins a prompt."""

    model_type: str = ""
    """In config.json, where it is not the name of the row."""

    cls: str = ""
    """The class of the model, where it is another than that of the table."""

    needs: str = ""
    """A package without which transformers has no image processor or encoder of the kind."""

    rows: int = 0
    """Rows of the table of words beyond the tokenizer's."""

    seed: int = 0
    words: float = 1.0
    """As for ``saved``."""


_SIZES: Settings = {
    "hidden_size": 16,
    "intermediate_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "embed_dim": 16,
    "d_model": 16,
    "dim": 16,
    "depth": 2,
    "num_heads": 2,
    "num_layers": 2,
    "image_size": SIDE,
    "patch_size": PATCH,
    "max_position_embeddings": 512,
    "out_hidden_size": 16,
    "projection_dim": 16,
    "n_routed_experts": 4,
    "num_experts": 4,
    "num_local_experts": 4,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 16,
    "encoder_layers": 1,
    "decoder_layers": 1,
    "encoder_attention_heads": 2,
    "decoder_attention_heads": 2,
    "encoder_ffn_dim": 16,
    "decoder_ffn_dim": 16,
}
"""The small value of every size that configurations call by this name."""


def shrunk(settings: Settings, tokens: Settings) -> Settings:
    """A configuration with its sizes taken down, its lists of layers cut to the first and the last, and ``tokens``."""
    layers = settings.get("num_hidden_layers") or settings.get("num_layers")
    found: Settings = {}
    for name, value in settings.items():
        if name == "per_layer_config" and value:
            found[name] = {1: shrunk(value[max(value)], tokens)}
        elif isinstance(value, dict):
            found[name] = shrunk(value, tokens)
        elif isinstance(value, list) and len(value) == layers and len(value) > 2:
            found[name] = [value[0], value[-1]]
        elif value is not None and name in tokens:
            found[name] = tokens[name]
        elif isinstance(value, int) and name in _SIZES:
            found[name] = _SIZES[name]
        else:
            found[name] = value
    return found


def _put(settings: Settings, changes: Settings) -> Settings:
    for path, value in changes.items():
        *parts, last = path.split(".")
        place = settings
        for part in parts:
            if not isinstance(place.get(part), dict):
                place[part] = {}
            place = place[part]
        place[last] = value
    return settings


def build(kind: str, row: Row, folder: Path, *, empty: bool = False) -> Path:
    """Writes a checkpoint of ``kind``; an ``empty`` one has no weights, and needs no package to be written."""
    name, kind = kind, row.model_type or kind
    tokenizer = byte_pairs(row.special, begin=row.begin, named=row.named)
    tokenizer.save_pretrained(folder)
    model = _model(kind, row, tokenizer)
    _write_image_processor(kind, row, folder)
    named = row.processor_class or PROCESSORS.get(kind)
    if named:
        (folder / "processor_config.json").write_text(json.dumps({"processor_class": named, **row.processor}))
    begin = "{{ bos_token }}" if row.begin else ""
    (folder / "chat_template.jinja").write_text(template(row.mark, begin))
    config, cls = model
    if empty:
        tokenizer.save_pretrained(folder)
        config.save_pretrained(folder)
        save_file({}, folder / "model.safetensors", metadata={"format": "pt"})
        return folder
    saved(cls, config, tokenizer, folder, seed=row.seed, words=row.words)
    if row.part:
        _write_whole(name, row.part, folder)
    return folder


def _write_whole(kind: str, part: str, folder: Path) -> None:
    """Puts the model in ``folder`` into one of ``kind``, as its ``part``."""
    held = json.loads((folder / "config.json").read_text())
    whole = {"model_type": kind, f"{part}_config": held, "enable_audio_output": False}
    (folder / "config.json").write_text(json.dumps(whole))
    weights = load_file(folder / "model.safetensors")
    named = {f"{part}.{name}": weight for name, weight in weights.items()}
    save_file(named, folder / "model.safetensors", metadata={"format": "pt"})


def _model(kind: str, row: Row, tokenizer: PreTrainedTokenizerFast) -> tuple[PreTrainedConfig, Any]:
    config = cast(Any, CONFIG_MAPPING[kind])
    tokens = {
        "vocab_size": len(tokenizer) + row.rows,
        "pad_token_id": tokenizer.pad_token_id,
        "eos_token_id": tokenizer.eos_token_id,
        "bos_token_id": tokenizer.bos_token_id or tokenizer.pad_token_id,
    }
    ids = {name: number(tokenizer, token) for name, token in row.ids.items()}
    settings = _put(shrunk(deepcopy(config().to_dict()), tokens), {**ids, **row.config})
    settings = {name: value(tokenizer) if callable(value) else value for name, value in settings.items()}
    named = row.cls or MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES[kind]
    return config.from_dict(settings), getattr(transformers, str(named))


def _write_image_processor(kind: str, row: Row, folder: Path) -> None:
    usual = IMAGE_PROCESSORS.get(kind) or {}
    named = row.image_processor or usual.get("pil") or usual["torchvision"]
    settings = {"image_processor_type": named.removesuffix("Pil"), **row.images}
    (folder / "preprocessor_config.json").write_text(json.dumps(settings))
