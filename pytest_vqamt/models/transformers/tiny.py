"""``tiny``: the small trained model that comes with this package, loaded as any LLaVA checkpoint is.

What it was trained on and how well it sees is in ``tiny_weights/MODEL_CARD.md``. ``tiny:PATH`` is one that was trained
further (``training.finetune_tiny``), asked in the same way.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.models.llava import Llava
from pytest_vqamt.models.prompts import BARE
from pytest_vqamt.models.protocol import ModelOptions

WEIGHTS = Path(__file__).with_name("tiny_weights")


def load(argument: str, options: ModelOptions) -> Llava:
    """The tiny model, or the one in the folder ``argument``.

    Raises:
        ModelError: there is no such folder, or its files are damaged.
    """
    folder = Path(argument).expanduser() if argument else WEIGHTS
    if not folder.is_dir():
        raise ModelError(
            f"Expected tiny, or tiny:PATH with the folder of one that was trained further, but got 'tiny:{argument}': "
            "there is no such folder"
        )
    # So small a model gains nothing from another device, and answers alike on every machine.
    here = replace(options, device="cpu") if options.device == "auto" else options
    return Llava(folder, here, prompts=BARE, threads=1)
