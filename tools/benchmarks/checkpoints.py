"""Checkpoints with random weights for benchmarks: small ones, and such as are published."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from transformers import (
    BlipConfig,
    BlipForQuestionAnswering,
    BlipImageProcessorPil,
    LxmertConfig,
    LxmertForQuestionAnswering,
    PreTrainedModel,
    ViltConfig,
    ViltForQuestionAnswering,
    ViltImageProcessorPil,
)

from pytest_vqamt.data.catalogue import load as scenes
from tests.models.small.blip import blip_vqa
from tests.models.small.features import made, write_npz
from tests.models.small.tokenizers import bert_tokenizer
from tests.models.small.vilt import vilt_vqa
from tests.models.small.words import WORDS

_ANSWERS = 3129


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapter:
    """An adapter to be measured: ``write`` puts its checkpoint into a folder and gives its settings."""

    kind: str
    write: Callable[[Path], Mapping[str, str]]
    batch_sizes: Mapping[str, int] = field(default_factory=dict)


def small(photos: str) -> tuple[Adapter, ...]:
    """Checkpoints of some thousand weights; ``photos`` is the data that region features are made up for."""

    def vilt(folder: Path) -> Mapping[str, str]:
        vilt_vqa(folder)
        return {}

    def blip(folder: Path) -> Mapping[str, str]:
        blip_vqa(folder)
        return {}

    def lxmert(folder: Path) -> Mapping[str, str]:
        config = LxmertConfig(
            num_qa_labels=16,
            l_layers=2,
            r_layers=1,
            x_layers=1,
            hidden_size=32,
            intermediate_size=64,
            num_attention_heads=4,
        )
        return _lxmert(folder, photos, config)

    return Adapter(kind="lxmert", write=lxmert), Adapter(kind="vilt", write=vilt), Adapter(kind="blip", write=blip)


def full(photos: str) -> tuple[Adapter, ...]:
    """Checkpoints of the published sizes: LXMERT of 214, ViLT of 118, BLIP of 385 million weights."""

    def lxmert(folder: Path) -> Mapping[str, str]:
        return _lxmert(folder, photos, LxmertConfig(num_qa_labels=_ANSWERS))

    return (
        Adapter(kind="lxmert", write=lxmert),
        Adapter(kind="vilt", write=_full_vilt),
        Adapter(kind="blip", write=_full_blip),
    )


def _lxmert(folder: Path, photos: str, config: LxmertConfig) -> Mapping[str, str]:
    config.vocab_size = len(bert_tokenizer(folder, WORDS, longest=20))
    config.id2label = {number: f"answer {number}" for number in range(config.num_qa_labels)}
    _save(LxmertForQuestionAnswering(config), folder)
    source = scenes(photos)
    regions = {}
    for index in range(len(source)):
        scene = source.scene(index)
        regions[scene.photo.id] = (made(index, width=scene.width, height=scene.height), (scene.width, scene.height))
    return {"features": str(write_npz(folder / "features.npz", regions))}


def _full_vilt(folder: Path) -> Mapping[str, str]:
    tokenizer = bert_tokenizer(folder, WORDS, longest=40)
    ViltImageProcessorPil().save_pretrained(folder)
    labels = {number: f"answer {number}" for number in range(_ANSWERS)}
    config = ViltConfig(vocab_size=len(tokenizer), id2label=labels, max_image_length=-1)
    _save(ViltForQuestionAnswering(config), folder)
    return {}


def _full_blip(folder: Path) -> Mapping[str, str]:
    tokenizer = bert_tokenizer(folder, WORDS, longest=35)
    BlipImageProcessorPil(size={"height": 384, "width": 384}).save_pretrained(folder)
    text = {
        "vocab_size": len(tokenizer) + 2,
        "bos_token_id": len(tokenizer),
        "pad_token_id": tokenizer.pad_token_id,
        "sep_token_id": tokenizer.sep_token_id,
    }
    config = BlipConfig(text_config=text, vision_config={"image_size": 384})
    _save(BlipForQuestionAnswering(config), folder)
    return {}


def _save(model: PreTrainedModel, folder: Path) -> None:
    model.save_pretrained(folder)
