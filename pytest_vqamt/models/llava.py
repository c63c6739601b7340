"""LLaVA and its relatives: a checkpoint directory of ``LlavaForConditionalGeneration``, whatever its two halves are.

It answers questions, judges hypotheses and describes pictures, each by a prompt in the checkpoint's own chat template.
torch and transformers are imported when a model is made.
"""

from __future__ import annotations

from pathlib import Path

from pytest_vqamt.models.hf.speaker import Speaker
from pytest_vqamt.models.loading.files import digest_of
from pytest_vqamt.models.prompts import INSTRUCTED, Prompts
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.transformers.checkpoint import Checkpoint
from pytest_vqamt.models.transformers.prompted.families import LlavaChat
from pytest_vqamt.models.transformers.runtime import Runtime

VERSION = 2
"""Goes up when answers change for the same weights and packages."""


class Llava(Speaker):
    """One checkpoint. A picture is encoded once for all that is asked of it; decoding is greedy."""

    batch_size = 64

    def __init__(
        self, folder: Path, options: ModelOptions, prompts: Prompts = INSTRUCTED, threads: int | None = None
    ) -> None:
        """Loads all of the checkpoint in ``folder``.

        Args:
            folder: the checkpoint directory.
            options: device and precision.
            prompts: how each task is put to it.
            threads: how many threads of torch may answer; None leaves it to torch. A small model is best off with one:
                several would wait for each other in every operation.

        Raises:
            ModelError: a file is missing or of another model, so that weights or words would be made up in silence.
        """
        runtime = Runtime.of(options, threads=threads)
        family = LlavaChat(Checkpoint(folder=folder, name=str(folder)), runtime)
        self._model = family.model
        super().__init__(
            family, runtime, prompts, lambda: runtime.fingerprint("llava", VERSION, digest_of(folder), prompts.digest)
        )
