"""``tiny``: the small trained model of this package, loaded like any LLaVA checkpoint.

``tiny_weights/MODEL_CARD.md`` has its training data and accuracy. ``tools.tiny`` loads fine-tuned ones by their folder.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.input_files import expanded
from pytest_vqamt.models.prompts import INSTRUCTION_PROMPTS, PLAIN_PROMPTS, Prompts
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.transformers.checkpoint import Checkpoint, files_digest, runtime_for
from pytest_vqamt.models.transformers.prompted.generative import GenerativeAdapter
from pytest_vqamt.models.transformers.prompted.image_families import LlavaChat

WEIGHTS = Path(__file__).parents[1] / "tiny_weights"

VERSION = 2
"""Goes up when answers change for the same weights and packages."""


def load(argument: str, options: ModelOptions) -> TinyLlava:
    """The tiny model, or the one in the folder ``argument``.

    Raises:
        ModelError: there is no such folder, or its files are damaged.
    """
    folder = expanded(argument) if argument else WEIGHTS
    if not folder.is_dir():
        raise ModelError(
            f"Expected the folder of a model fine-tuned from tiny, but got {argument!r}: there is no such folder"
        )
    # So small a model gains nothing from another device, and answers alike on every machine.
    here = replace(options, device="cpu") if options.device == "auto" else options
    return TinyLlava(folder, here, prompts=PLAIN_PROMPTS, threads=1)


class TinyLlava(GenerativeAdapter):
    """Does every task, by prompts in the checkpoint's own chat template; a picture is encoded once for its queries."""

    batch_size = 64

    def __init__(
        self, folder: Path, options: ModelOptions, prompts: Prompts = INSTRUCTION_PROMPTS, threads: int | None = None
    ) -> None:
        """Loads the checkpoint in ``folder``; torch uses so many threads, None for its default.

        A small model is fastest with one: several would wait for each other in every operation.

        Raises:
            ModelError: a file is missing or of another model.
        """
        checkpoint = Checkpoint(folder=folder, name=str(folder))
        runtime = runtime_for(checkpoint, options, threads=threads)
        family = LlavaChat(checkpoint, runtime)
        self._model = family.model
        super().__init__(
            family,
            runtime,
            prompts,
            lambda: runtime.fingerprint("llava", VERSION, files_digest(folder), prompts.digest),
        )

    @property
    def placement(self) -> str:
        # On the CPU unless the user says otherwise: nothing to tell.
        return "" if self._runtime.device.type == "cpu" else super().placement
