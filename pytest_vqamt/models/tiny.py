"""``tiny``: the small trained model that comes with this package, loaded as any LLaVA checkpoint is.

What it was trained on and how well it sees is in ``tiny_weights/MODEL_CARD.md``.
"""

from __future__ import annotations

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
    return Llava(WEIGHTS, options, prompts=BARE, threads=1)
