"""What ``vqamt export`` wrote, as training reads it: loaded with Hugging Face's datasets, as any trainer would."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np
from datasets import Image, load_dataset  # type: ignore[import-untyped]  # it comes without types

from pytest_vqamt.core.query import Task
from pytest_vqamt.models.prompts import PLACEHOLDER, PLAIN_PROMPTS
from tools.tiny.bank import Bank, encoded
from tools.tiny.build import tokenizer
from tools.tiny.sheets import Row

_KINDS = ("asked", "caption")


class Asked(NamedTuple):
    """A row of the export: the file of its picture, its scene, what is asked, and the right answer."""

    picture: str
    scene: str
    row: Row


@dataclass(frozen=True, slots=True, eq=False)
class Exported:
    """One side of an export.

    Attributes:
        pictures: the file of each picture, once.
        rows: of each picture, in the same order.
        scenes: the ids of all scenes.
    """

    pictures: tuple[str, ...]
    rows: tuple[tuple[Row, ...], ...]
    scenes: frozenset[str]

    def words(self, known: Sequence[str], least: int = 2) -> list[str]:
        """The words that are not ``known`` and occur so often at least, the most frequent first."""
        split = tokenizer(()).backend_tokenizer
        seen: Counter[str] = Counter()
        for row in (row for rows in self.rows for row in rows):
            for text in (row.text, row.answer):
                lower = split.normalizer.normalize_str(text)
                seen.update(word for word, _ in split.pre_tokenizer.pre_tokenize_str(lower))
        found = [word for word, n in seen.items() if n >= least and word not in set(known)]
        return sorted(found, key=lambda word: (-seen[word], word))

    def bank(self, words: Sequence[str]) -> Bank:
        """All rows as token ids, picture by picture."""
        split = tokenizer(words)
        parts = [encoded(list(rows), split) for rows in self.rows]
        tokens = [(ids, before) for part in parts for ids, before in part]
        kinds = [row.kind for rows in self.rows for row in rows]
        return Bank(
            tokens=np.array([each for ids, _ in tokens for each in ids], np.int16),
            first=np.cumsum([0, *(len(ids) for ids, _ in tokens)]),
            answer=np.array([before for _, before in tokens], np.int16),
            kind=np.array([_KINDS.index(kind) for kind in kinds], np.uint8),
            kinds=_KINDS,
            scene=np.cumsum([0, *(len(rows) for rows in self.rows)]),
        )


def read(folder: Path, side: str, cache: Path) -> Exported:
    """One side of the export in ``folder``; ``cache`` is where datasets keep what they have read."""
    loaded = load_dataset("imagefolder", data_dir=str(folder), split=side, cache_dir=str(cache))
    files = loaded.cast_column("image", Image(decode=False))
    asked = sorted(
        Asked(row["image"]["path"], row["scene"], _row(row["task"], row["text"], row["label"])) for row in files
    )
    pictures = {
        picture: tuple(each.row for each in rows) for picture, rows in groupby(asked, lambda each: each.picture)
    }
    return Exported(tuple(pictures), tuple(pictures.values()), frozenset(each.scene for each in asked))


def _row(task: str, text: str, label: str) -> Row:
    """The row with the prompt that the model is asked with."""
    match Task(task):
        case Task.VQA:
            return Row("asked", PLAIN_PROMPTS.question.replace(PLACEHOLDER, text), label)
        case Task.ENTAILMENT:
            return Row("asked", PLAIN_PROMPTS.entailment.replace(PLACEHOLDER, text), label)
        case Task.CAPTIONING:
            return Row("caption", PLAIN_PROMPTS.caption, label)
