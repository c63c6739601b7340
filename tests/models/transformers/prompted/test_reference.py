"""What each kind computes is what its own model class computes from its own processor's inputs, one question at a time.

Batched, padded, with each picture encoded once, the first token's scores are those of the plain call, and the answers
are the same. The Qwen-VL family and SmolVLM have a processor that needs torchvision, so theirs is written out here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from unittest.mock import patch

import pytest
import torch
from PIL import Image
from transformers import (
    AutoImageProcessor,
    AutoModelForCausalLM,
    AutoModelForImageTextToText,
    AutoProcessor,
    AutoTokenizer,
    GenerationMixin,
    Idefics3Processor,
)

from tests.models.transformers.prompted.conftest import KINDS, batch, forget, tiers
from tests.models.transformers.prompted.test_kinds import QUESTIONED

if TYPE_CHECKING:
    from pytest_vqamt.models.transformers.prompted.generative import GenerativeAdapter
    from tests.models.transformers.prompted.conftest import Checkpoint, Loaded


Inputs = dict[str, Any]
"""What generate() takes: each kind has its own."""

ENDINGS = {
    "Is ": "Answer with yes or no.",
    "Are ": "Answer with yes or no.",
    "How many ": "Answer with a number.",
    "": "Answer the question using a single word or phrase.",
}
"""What follows a question that begins so; the first that fits."""

LONGEST = 6


@cache
def processor_of(folder: Path) -> Any:
    return cast(Any, AutoProcessor).from_pretrained(folder)


def asking(question: str) -> str:
    """A question as it is put to a kind that chats."""
    return f"{question}\n{next(ending for begins, ending in ENDINGS.items() if question.startswith(begins))}"


Said = list[dict[str, Any]]
"""The messages of a conversation, as chat templates take them."""


def one_message(question: str) -> Said:
    return [{"role": "user", "content": [{"type": "image"}, {"type": "text", "text": asking(question)}]}]


def chatted(folder: Path, image: Image.Image, question: str) -> Inputs:
    return chat_inputs(folder, [image], one_message(question))


def chat_inputs(folder: Path, images: Sequence[Image.Image], said: Said) -> Inputs:
    return _of_chat(processor_of(folder), images, said)


def smolvlm(folder: Path, image: Image.Image, question: str) -> Inputs:
    return smolvlm_inputs(folder, [image], one_message(question))


def smolvlm_inputs(folder: Path, images: Sequence[Image.Image], said: Said) -> Inputs:
    """Through the processor of Idefics3, which does the same to pictures and needs no torchvision."""
    return _of_chat(Idefics3Processor.from_pretrained(folder, image_seq_len=1), images, said)


def _of_chat(processor: Any, images: Sequence[Image.Image], said: Said) -> Inputs:
    prompt = processor.apply_chat_template(said, add_generation_prompt=True)
    begun = processor.tokenizer.bos_token is not None  # the templates here write it where there is one
    return dict(processor(text=[prompt], images=[list(images)], return_tensors="pt", add_special_tokens=not begun))


@cache
def parts_of(folder: Path) -> tuple[Any, Any]:
    return AutoTokenizer.from_pretrained(folder), cast(Any, AutoImageProcessor).from_pretrained(folder, backend="pil")


def qwen(folder: Path, image: Image.Image, question: str) -> Inputs:
    return qwen_inputs(folder, [image], one_message(question))


def qwen_inputs(folder: Path, images: Sequence[Image.Image], said: Said) -> Inputs:
    """As the processor does it: one token for each four patches, marked as a picture's."""
    tokenizer, processor = parts_of(folder)
    pixels = processor(images=list(images), return_tensors="pt")
    prompt = tokenizer.apply_chat_template(said, tokenize=False, add_generation_prompt=True)
    first, *others = prompt.split("<|image_pad|>")
    of_each = ["<|image_pad|>" * (rows * columns // 4) for _, rows, columns in pixels["image_grid_thw"].tolist()]
    text = first + "".join(tokens + other for tokens, other in zip(of_each, others, strict=True))
    ids = tokenizer(text, return_tensors="pt")
    marked = ids["input_ids"] == tokenizer.convert_tokens_to_ids("<|image_pad|>")
    return {**ids, **pixels, "mm_token_type_ids": marked.int()}


def paligemma(folder: Path, image: Image.Image, question: str) -> Inputs:
    processor = processor_of(folder)
    inputs = dict(processor(text=f"<image>answer en {question}", images=image, return_tensors="pt"))
    del inputs["labels"]
    return inputs


def prompted(prompt: str) -> Callable[[Path, Image.Image, str], Inputs]:
    def make(folder: Path, image: Image.Image, question: str) -> Inputs:
        processor = processor_of(folder)
        return dict(processor(text=prompt.format(question), images=image, return_tensors="pt"))

    return make


def git(folder: Path, image: Image.Image, question: str) -> Inputs:
    """As the model's documentation has it: the token that begins a text, and the question without one that ends it."""
    processor = processor_of(folder)
    ids = [processor.tokenizer.cls_token_id, *processor(text=question, add_special_tokens=False).input_ids]
    return {"pixel_values": processor(images=image, return_tensors="pt").pixel_values, "input_ids": torch.tensor([ids])}


REFERENCES: Mapping[str, Callable[[Path, Image.Image, str], Inputs]] = {
    **dict.fromkeys(KINDS, chatted),
    "smolvlm": smolvlm,
    "qwen2_vl": qwen,
    "qwen2_5_vl": qwen,
    "qwen3_vl": qwen,
    "paligemma": paligemma,
    "florence": prompted("{}"),
    "blip2_opt": prompted("Question: {} Answer:"),
    "blip2_t5": prompted("Question: {} Short answer:"),
    "instructblip": prompted("Question: {} Short answer:"),
    "git": git,
}

AS_OTHERS = ("llava", "smolvlm", "qwen2_vl", "qwen2_5_vl", "blip2_t5", "idefics2")
"""Kinds that differ from another only in the class of transformers, or less."""

ENCODERS = ("florence", "blip2_t5")
"""Kinds that read the prompt first, so that what they generate does not repeat it."""


@pytest.mark.parametrize("kind", tiers(*(kind for kind in KINDS if kind not in AS_OTHERS)))
def test_scores_and_answers_are_those_of_the_plain_model(checkpoint: Checkpoint, loaded: Loaded, kind: str) -> None:
    folder, asked = checkpoint(kind), batch()[::2]
    auto: Any = AutoModelForCausalLM if kind == "git" else AutoModelForImageTextToText
    model = auto.from_pretrained(folder, dtype="float32").eval()
    model.generation_config.forced_eos_token_id = None  # of BART: it would cut the last word off
    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    first, said = [], []
    for each in asked:
        inputs = REFERENCES[kind](folder, each.image, each.text)
        with Scores() as scores:
            generated = model.generate(**inputs, max_new_tokens=LONGEST, do_sample=False)
        repeated = 0 if kind in ENCODERS else inputs["input_ids"].shape[1]
        first.append(scores.first)
        said.append(tokenizer.decode(generated[0, repeated:], skip_special_tokens=True).strip())
    ours = loaded(kind, **QUESTIONED.get(kind, {}))
    with Scores() as scores:
        answers = [answer.text for answer in ours.answer(asked)]
    assert answers == said
    torch.testing.assert_close(scores.first, torch.cat(first), rtol=1e-3, atol=1e-3)
    assert scores.first.std(0).max() > 0.01, "the scores differ between questions"


def test_without_token_types_the_scores_of_qwen_are_others(
    checkpoint: Checkpoint, loaded: Loaded, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is silent if it is forgotten is seen by the test above."""
    ours, asked = loaded("qwen2_vl"), batch()
    family = ours._family
    assert hasattr(family, "extra_inputs")
    further = family.extra_inputs

    def forgetting(*given: Any) -> Inputs:
        return {name: value for name, value in further(*given).items() if name == "nothing"}

    with Scores() as right:
        ours.answer(asked)
    forget(ours)
    monkeypatch.setattr(family, "extra_inputs", forgetting)
    with Scores() as wrong:
        ours.answer(asked)
    assert (right.first - wrong.first).abs().max() > 0.1


@pytest.mark.parametrize(
    "kind",
    tiers(
        "gemma3", "qwen3_vl",
        of=[kind for kind in KINDS if kind not in ("git", "vipllava", "idefics2", "instructblip")],
    ),
)  # fmt: skip
def test_each_distinct_picture_is_encoded_once(loaded: Loaded, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """Nine questions about three pictures."""
    ours = loaded(kind, **QUESTIONED.get(kind, {}))
    model = module_of(ours)
    encode, seen = model.get_image_features, []

    def counting(**given: torch.Tensor) -> object:
        seen.append(len(given.get("image_grid_thw", given["pixel_values"])))
        return encode(**given)

    counting.__signature__ = signature(encode)  # type: ignore[attr-defined]  # the adapter gives what it names
    monkeypatch.setattr(model, "get_image_features", counting)
    ours.answer(batch())
    assert seen == [3]


@pytest.mark.parametrize("kind", ["instructblip", "git"])
def test_the_encoder_sees_each_distinct_picture_once_where_the_question_comes_in_later(
    loaded: Loaded, kind: str
) -> None:
    ours, seen = loaded(kind), list[int]()
    model = module_of(ours)
    encoder: torch.nn.Module = model.git.image_encoder.vision_model if kind == "git" else model.vision_model
    hook = encoder.register_forward_hook(lambda _module, _given, found: seen.append(len(found.last_hidden_state)))
    ours.answer(batch())
    hook.remove()
    assert seen == [3]


class Scores:
    """Takes down what a model thinks of each word as the first of its answers: float32 (prompts, words)."""

    def __init__(self) -> None:
        self._seen: list[torch.Tensor] = []

    @property
    def first(self) -> torch.Tensor:
        return self._seen[0]

    def __enter__(self) -> Scores:
        prefill = GenerationMixin._prefill

        def watched(model: Any, *given: Any, **named: Any) -> Any:
            found = prefill(model, *given, **named)
            self._seen.append(found.logits.detach()[:, -1].clone())
            return found

        # Not a hook on the model: it may be called for the beginnings of prompts before it generates.
        self._patch = patch.object(GenerationMixin, "_prefill", watched)
        self._patch.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._patch.stop()


def module_of(speaker: GenerativeAdapter) -> Any:
    return cast(Any, speaker._family).model
