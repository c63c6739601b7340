"""What a model of BLIP says, and what the class of transformers says to the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias, cast

import torch

from pytest_vqamt.core.query import Answer, ModelInput
from pytest_vqamt.models.transformers.blip import BlipAnswers, BlipCaptions, BlipMatches
from tests.models.small.blip import LONGEST

Blip: TypeAlias = BlipAnswers | BlipCaptions | BlipMatches


def said(model: Blip, batch: Sequence[ModelInput], size: int | None = None) -> list[str]:
    """The texts of the answers, so many inputs being asked at once."""
    step = size or len(batch)
    parts = [batch[start : start + step] for start in range(0, len(batch), step)]
    return [answer.text for part in parts for answer in _method(model)(part)]


def exact(model: Blip) -> None:
    """Computes in 64 bits from now on, so that what is left of a difference is no rounding."""
    model._model.double()
    model._cache.release()


def plain_inputs(model: Blip, one: ModelInput, text: str) -> dict[str, torch.Tensor]:
    """An input as transformers' own processor makes it."""
    tokens = model._tokenizer([text], truncation=True, max_length=LONGEST, return_tensors="pt")
    pixels = model._processor(one.image, return_tensors="pt")["pixel_values"]
    found = {name: tokens[name] for name in ("input_ids", "attention_mask")}
    return {**found, "pixel_values": pixels.to(model._model.dtype)}


def plainly_said(model: BlipAnswers | BlipCaptions, one: ModelInput, text: str, longest: int) -> str:
    """What the class itself generates after ``text`` where it continues that, or else for it."""
    generate = cast("Callable[..., torch.Tensor]", model._model.generate)
    with torch.inference_mode():
        generated = generate(**plain_inputs(model, one, text), max_new_tokens=longest)
    told = str(model._tokenizer.decode(generated[0, 1:], skip_special_tokens=True)).strip()
    continued = told.removeprefix(text) if isinstance(model, BlipCaptions) else told
    return continued.strip().removeprefix("##")


def _method(model: Blip) -> Callable[[Sequence[ModelInput]], tuple[Answer, ...]]:
    if isinstance(model, BlipAnswers):
        return model.answer
    return model.caption if isinstance(model, BlipCaptions) else model.entail
