"""Idefics3 and SmolVLM: a picture in tiles, each after a token that says its row and column, and then whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from pytest_vqamt.models.hf.pictures import Pictures, Pixels
from pytest_vqamt.models.transformers.checkpoint import Checkpoint
from pytest_vqamt.models.transformers.prompted.families import Chat
from pytest_vqamt.models.transformers.runtime import Runtime

_BETWEEN = "<fake_token_around_image>"
_WHOLE = "<global-img>"


class Idefics3Chat(Chat):
    """Idefics3 (Laurencon et al. 2024)."""

    cls = "Idefics3ForConditionalGeneration"

    def reader(self, checkpoint: Checkpoint, runtime: Runtime) -> Pictures:
        return Pictures(checkpoint, runtime, nested=True, return_row_col_info=True)

    def parts(self, pixels: Pixels) -> int:
        rows, columns = _grid(pixels)
        return rows * columns + 1

    def block(self, told: Pixels, length: int) -> str:
        rows, columns = _grid(told)
        tile = self.image_word * (length // (rows * columns + 1))
        lines = [
            "".join(f"{_BETWEEN}<row_{row + 1}_col_{column + 1}>{tile}" for column in range(columns)) + "\n"
            for row in range(rows)
        ]
        split = "".join(lines) + "\n" if lines else ""
        return f"{split}{_BETWEEN}{_WHOLE}{tile}{_BETWEEN}"


def _grid(pixels: Pixels) -> tuple[int, int]:
    """In how many rows and columns of tiles a picture is seen beside the whole; (0, 0) where it is small."""
    (rows,), (columns,) = (cast("Sequence[Sequence[int]]", pixels.lists[name]) for name in ("rows", "cols"))
    return int(rows[0]), int(columns[0])


class SmolVlmChat(Idefics3Chat):
    """SmolVLM and SmolVLM2, which read pictures as Idefics3 does."""

    cls = "SmolVLMForConditionalGeneration"
