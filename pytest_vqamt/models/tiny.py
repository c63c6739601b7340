"""``tiny``: the small trained model that comes with this package, loaded as any LLaVA checkpoint is.

What it was trained on and how well it sees is in ``tiny_weights/MODEL_CARD.md``.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pytest_vqamt.models.base import ModelOptions
from pytest_vqamt.models.llava import Llava
from pytest_vqamt.models.prompts import BARE

WEIGHTS = Path(__file__).with_name("tiny_weights")


def load(_argument: str, options: ModelOptions) -> Llava:
    """The tiny model.

    Raises:
        ModelError: its files are damaged.
    """
    # So small a model gains nothing from another device, and answers alike on every machine.
    here = replace(options, device="cpu") if options.device == "auto" else options
    return Llava(WEIGHTS, here, prompts=BARE, threads=1)
