"""All sheets of a rendered set as token ids, so that training reads arrays and writes no text."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray
from transformers import PreTrainedTokenizerFast

from tools.tiny.asked import World
from tools.tiny.build import ANSWER, END, SPECIAL, tokenizer
from tools.tiny.cases import rows_of
from tools.tiny.render import Rendered, load
from tools.tiny.sheets import Row, sheet

_BESIDE_CASES = 14
"""Rows of the sheet of a scene of which the catalogue asks something."""

_WORLD_SCENES = 5000
_WORD_SCENES = 6000
_CHUNK = 1000


@dataclass(frozen=True, slots=True, eq=False)
class Bank:
    """Rows of all scenes, one after the other.

    Attributes:
        tokens: int16: text, ANSWER, answer, END, row after row.
        first: int64, rows + 1: where each row starts.
        answer: int16: how many tokens of each row stand before the answer itself.
        kind: uint8: index in ``kinds``.
        kinds: names of the kinds of rows.
        scene: int64, scenes + 1: where each scene's rows start.
    """

    tokens: NDArray[np.int16]
    first: NDArray[np.int64]
    answer: NDArray[np.int16]
    kind: NDArray[np.uint8]
    kinds: tuple[str, ...]
    scene: NDArray[np.int64]


def words_of(rendered: Rendered, asked: list[list[Row]]) -> list[str]:
    """Every word of the sheets of the first scenes, and of what the catalogue ``asked``, the most frequent first."""
    split = tokenizer(()).backend_tokenizer
    world = World.of(rendered.scenes[:_WORLD_SCENES])
    sheets = (sheet(scene, world, f"words {number}") for number, scene in enumerate(rendered.scenes[:_WORD_SCENES]))
    seen: Counter[str] = Counter()
    for row in chain.from_iterable(chain(sheets, asked)):
        for text in (row.text, row.answer):
            lower = split.normalizer.normalize_str(text)
            seen.update(word for word, _ in split.pre_tokenizer.pre_tokenize_str(lower))
    seen.update(str(digit) for digit in range(10))
    return [word for word, _ in sorted(seen.items(), key=lambda pair: (-pair[1], pair[0]))]


def write(folder: Path, data: str, words: list[str], workers: int) -> None:
    """Writes the bank of the set ``data`` in ``folder``, unless it is there."""
    file = folder / data / "bank.npz"
    if file.exists():
        return
    count = len(load(folder / data).scenes)
    jobs = [(folder, data, words, start, min(start + _CHUNK * 10, count)) for start in range(0, count, _CHUNK * 10)]
    with get_context("spawn").Pool(workers) as pool:
        parts = pool.map(_written, jobs, chunksize=1)
    kinds = sorted({kind for part in parts for kind in part[3]})
    number = {kind: at for at, kind in enumerate(kinds)}
    lengths = np.concatenate([part[1] for part in parts])
    rows = np.concatenate([part[4] for part in parts])
    np.savez(
        file.with_suffix(".part.npz"),
        tokens=np.concatenate([part[0] for part in parts]),
        first=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        answer=np.concatenate([part[2] for part in parts]),
        kind=np.array([number[kind] for part in parts for kind in part[3]], np.uint8),
        kinds=np.array(kinds),
        scene=np.concatenate([[0], np.cumsum(rows)]).astype(np.int64),
    )
    file.with_suffix(".part.npz").replace(file)


def read(folder: Path, data: str) -> Bank:
    """What ``write`` wrote."""
    with np.load(folder / data / "bank.npz") as file:
        return Bank(
            tokens=file["tokens"],
            first=file["first"],
            answer=file["answer"],
            kind=file["kind"],
            kinds=tuple(str(kind) for kind in file["kinds"]),
            scene=file["scene"],
        )


def encoded(rows: list[Row], words: PreTrainedTokenizerFast) -> list[tuple[list[int], int]]:
    """Each row's tokens, and how many of them stand before the answer."""
    inner = words.backend_tokenizer
    answer, end = SPECIAL.index(ANSWER), SPECIAL.index(END)
    texts = inner.encode_batch([row.text for row in rows], add_special_tokens=False)
    answers = inner.encode_batch([row.answer for row in rows], add_special_tokens=False)
    return [([*text.ids, answer, *said.ids, end], len(text.ids) + 1) for text, said in zip(texts, answers, strict=True)]


def _some(rows: list[Row], rng: Random) -> list[Row]:
    """A part of a sheet, its caption included, which comes last."""
    return [*rng.sample(rows[:-1], min(len(rows) - 1, _BESIDE_CASES)), rows[-1]] if rows else []


_Part = tuple[NDArray[np.int16], NDArray[np.int64], NDArray[np.int16], list[str], NDArray[np.int64]]


def _written(job: tuple[Path, str, list[str], int, int]) -> _Part:
    folder, data, words, start, end = job
    rendered = load(folder / data)
    world = World.of(rendered.scenes[:_WORLD_SCENES])
    tokens: list[int] = []
    lengths: list[int] = []
    answers: list[int] = []
    kinds: list[str] = []
    counts: list[int] = []
    split = tokenizer(words)
    asked = rows_of(folder / data)
    for number in range(start, end):
        rows = sheet(rendered.scenes[number], world, f"{data} {number}")
        if asked:
            rows = [*asked[number], *_some(rows, Random(number))]
        for ids, before in encoded(rows, split):
            tokens.extend(ids)
            lengths.append(len(ids))
            answers.append(before)
        kinds.extend(row.kind for row in rows)
        counts.append(len(rows))
    return (
        np.array(tokens, np.int16),
        np.array(lengths, np.int64),
        np.array(answers, np.int16),
        kinds,
        np.array(counts, np.int64),
    )
