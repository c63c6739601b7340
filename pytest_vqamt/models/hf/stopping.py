"""Greedy decoding: of how a checkpoint was set to generate, only where answers begin and end is kept."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Protocol

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.models.loading.alone import alone
from pytest_vqamt.models.loading.quiet import first_line
from pytest_vqamt.models.transformers.checkpoint import Checkpoint

if TYPE_CHECKING:
    import torch
    from transformers import GenerationConfig, PreTrainedTokenizerBase


_KEPT = ("bos_token_id", "decoder_start_token_id", "forced_bos_token_id", "bad_words_ids", "suppress_tokens")


class _Generates(Protocol):
    generation_config: GenerationConfig


class Stopping:
    """Where the answers of one checkpoint begin and end, and which tokens it never says.

    Temperatures, beams and penalties of ``generation_config.json`` are left out: what is measured is whether a model
    agrees with itself, so it gives its likeliest token each time, as every other model here does.
    """

    def __init__(
        self, model: _Generates, tokenizer: PreTrainedTokenizerBase, checkpoint: Checkpoint, *around: _Generates
    ) -> None:
        """Takes what is kept out of the model; the token that ends a text in the tokenizer ends an answer too.

        Args:
            model: what generates.
            tokenizer: of the checkpoint.
            checkpoint: where it is.
            around: models that it is a part of, whose ends are also its own.

        Raises:
            ModelError: nothing says where an answer ends, or what says so is damaged.
        """
        _check_settings(checkpoint)
        saved = model.generation_config
        ends = [end for each in (model, *around) for end in _ends(each.generation_config)]
        if isinstance(tokenizer.eos_token_id, int):
            ends.append(tokenizer.eos_token_id)
        if not ends:
            raise ModelError(
                "Expected eos_token_id in generation_config.json or eos_token in tokenizer_config.json of "
                f"{checkpoint.folder}, but there is neither, so no answer would ever end: copy the files again"
            )
        self._tokenizer = tokenizer
        self._ends = list(dict.fromkeys(ends))
        self._kept = {name: getattr(saved, name) for name in _KEPT if getattr(saved, name) is not None}
        pad = tokenizer.pad_token_id
        self._kept |= {"eos_token_id": self._ends, "pad_token_id": self._ends[0] if pad is None else pad}
        # generate() takes from here whatever it is not told.
        model.generation_config = self.after(1)

    def after(self, longest: int) -> GenerationConfig:
        """How to generate answers of at most so many tokens."""
        from transformers import GenerationConfig

        return GenerationConfig(  # type: ignore[no-untyped-call]  # transformers does not annotate it
            max_new_tokens=longest, do_sample=False, num_beams=1, **self._kept
        )

    def texts(self, generated: torch.Tensor) -> tuple[str, ...]:
        """What was said, up to where it ended: of int64 (answers, tokens), without what came before the answer."""
        rows: list[list[int]] = generated.tolist()
        said = [row[: next((place for place, token in enumerate(row) if token in self._ends), None)] for row in rows]
        with alone(self._tokenizer):
            texts = self._tokenizer.batch_decode(said, skip_special_tokens=True)
        return tuple(text.strip() for text in texts)


def _check_settings(checkpoint: Checkpoint) -> None:
    """Reads the file that transformers passes over in silence where it is damaged."""
    file = checkpoint.folder / "generation_config.json"
    try:
        if file.is_file():
            json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(
            f"Expected JSON in {file}, which says where an answer ends, but it cannot be read ({first_line(error)}): "
            "copy the file again"
        ) from error


def _ends(saved: GenerationConfig) -> list[int]:
    ends: object = saved.eos_token_id
    return list(ends) if isinstance(ends, list | tuple) else [ends] if isinstance(ends, int) else []
