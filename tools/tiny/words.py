"""Stage two: the language model learns to answer from the features of the trained encoder.

Each picture's features are computed once. A sequence is one picture and as many rows of its sheet as fit: every row
sees the picture and itself, and stands at the positions that it would have alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional
from transformers import LlavaForConditionalGeneration, PreTrainedTokenizerFast

from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.english.nouns import plural
from pytest_vqamt.picture_world.looks import NAMES
from tools.tiny.bank import Bank
from tools.tiny.build import SPECIAL, UNKNOWN, WIDTH, config
from tools.tiny.dense import SAID, DenseLabels, cell_of
from tools.tiny.eyes import Eyes
from tools.tiny.pair import Loop, Schedule
from tools.tiny.render import CELLS
from tools.tiny.sheets import PLACES

PICTURES = 12
"""Pictures a worker and step."""

SCHEDULE = Schedule(steps=4800, rate=1.5e-3, warm_up=200, save_every=200, report_every=300)
FURTHER = Schedule(steps=1600, rate=1.2e-3, warm_up=50, save_every=25, report_every=100)
"""For a model that is not taught from nothing."""

CELLS_SQUARED = CELLS * CELLS
_TEXT_TOKENS = 208
"""Tokens of rows beside a picture."""

_CAPTION_SHARE = 0.5
_CAPTION_WEIGHT = 3.0
_UNKNOWN_SHARE = 0.01
_PLACE_WEIGHT = 8.0
"""How much more often than another a row about left and right, above and below is drawn: they are the hardest."""
IGNORED = -100
_FAR = -1e4


class Words(nn.Module):
    """The whole model, and what ties its picture tokens to its words while it is taught."""

    def __init__(self, words: PreTrainedTokenizerFast) -> None:
        super().__init__()
        self.llava = LlavaForConditionalGeneration(config(words))
        self.llava.model.vision_tower.requires_grad_(requires_grad=False)
        self.scale = nn.Parameter(torch.tensor(1.0))
        tied = (*SAID, *_SIDES)
        self.bias = nn.Parameter(torch.full((len(tied),), -4.0))
        self.said = torch.tensor([words.encode(word, add_special_tokens=False)[0] for word in tied])
        self.told = nn.Linear(WIDTH, 1 + 2 * (CELLS - 1))

    def begin_as(self, start: Path) -> None:
        """Takes the weights of a checkpoint, whose words are the first of this one's; the others begin as unknown."""
        weights = LlavaForConditionalGeneration.from_pretrained(start, dtype=torch.float32).state_dict()
        for name, wanted in self.llava.state_dict().items():
            lacking = len(wanted) - len(weights[name]) if wanted.ndim == 2 else 0
            if lacking:
                unknown = weights[name][SPECIAL.index(UNKNOWN)]
                weights[name] = torch.cat([weights[name], unknown.expand(lacking, -1)])
        self.llava.load_state_dict(weights)

    def forward(self, features: Tensor, sheet: Sheet, said: Tensor, named: Tensor) -> tuple[Tensor, Tensor]:
        """The loss, and the logits of all answer tokens, row by row.

        Each noun of a question is to say whether the picture has such a thing and in which cell the only one is:
        without this help, a model of this size does not find out in days that places can be compared.
        """
        answers, logits, pictures, hidden = self.answered(features, sheet)
        at, scene = _of_nouns(sheet, named)
        told = self.told(hidden[at])
        there, column, row = scene.unbind(-1)
        steps = torch.arange(1, CELLS)
        beyond = torch.cat([column[:, None] >= steps, row[:, None] >= steps], -1).float()
        single = column >= 0
        of_nouns = functional.binary_cross_entropy_with_logits(told[:, 0], there.float())
        if single.any():
            of_nouns = of_nouns + 2 * functional.binary_cross_entropy_with_logits(told[single, 1:], beyond[single])
        words: Tensor = self.llava.get_input_embeddings()(self.said)
        tied = pictures @ words.T * self.scale + self.bias
        of_cells = functional.binary_cross_entropy_with_logits(tied[..., : len(SAID)], said, reduction="sum")
        of_cells = of_cells / said.sum().clamp(min=1)
        there = said.any(-1)
        sides = _sides().expand(len(said), -1, -1)[there]
        of_sides = functional.binary_cross_entropy_with_logits(tied[..., len(SAID) :][there], sides)
        return answers + 0.1 * of_cells + 0.5 * of_sides + 0.5 * of_nouns, logits

    def answered(self, features: Tensor, sheet: Sheet) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """The loss of the answers alone, the logits of their tokens, the pictures as words are embedded, and the text.

        The text is as it is in the middle of the model.
        """
        pictures: Tensor = self.llava.model.multi_modal_projector(features)
        embedded = self.llava.get_input_embeddings()(sheet.tokens)
        found = self.llava.model.language_model(
            inputs_embeds=torch.cat([pictures, embedded], dim=1),
            attention_mask=sheet.mask,
            position_ids=sheet.positions,
            use_cache=False,
            output_hidden_states=True,
        )
        hidden: Tensor = found.last_hidden_state[:, CELLS_SQUARED:]
        logits: Tensor = self.llava.lm_head(hidden[sheet.target != IGNORED])
        losses = functional.cross_entropy(logits, sheet.target[sheet.target != IGNORED], reduction="none")
        weight = sheet.weight[sheet.target != IGNORED]
        answers = (losses * weight).sum() / weight.sum()
        return answers, logits, pictures, found.hidden_states[_TOLD_AFTER][:, CELLS_SQUARED:]


_TOLD_AFTER = 2
"""The layer of the language model after which a noun is to know what the picture has of it."""

_SIDES = ("left", "right", "above", "below")


def _sides() -> Tensor:
    """Which of these words a cell is said to be, (cells, 4); those in the middle neither of two."""
    cells = torch.arange(CELLS_SQUARED)
    column, row = cells % CELLS, cells // CELLS
    middle = CELLS // 2
    return torch.stack([column < middle, column > middle, row < middle, row > middle], -1).float()


def _of_nouns(sheet: Sheet, named: Tensor) -> tuple[Tensor, Tensor]:
    """Which tokens of the questions are nouns, (B, T), and what their pictures have of each: (nouns, 3)."""
    of_tokens = named[torch.arange(len(named))[:, None], sheet.tokens].long()
    at = sheet.asked & (of_tokens[..., 0] >= 0)
    return at, of_tokens[at]


def nouns_of(scenes: Sequence[Scene], words: PreTrainedTokenizerFast) -> NDArray[np.int8]:
    """What each scene has of each noun: int8, N x words x 3.

    1 or 0 for some or none, and the column and row of the cell of the only one, else -1. Words that are no noun have
    -1 throughout. A noun of several words is known by the last; one and several are alike.
    """
    last = {name: {words.encode(form, add_special_tokens=False)[-1] for form in (name, plural(name))} for name in NAMES}
    found = np.full((len(scenes), len(words), 3), -1, np.int8)
    found[:, sorted(set().union(*last.values())), 0] = 0
    for at, scene in enumerate(scenes):
        cells: defaultdict[int, list[int]] = defaultdict(list)
        for index, thing in enumerate(scene.objects):
            for word in last[thing.name]:
                cells[word].append(cell_of(scene, index))
        for word, where in cells.items():
            row, column = divmod(where[0], CELLS)
            found[at, word] = (1, column, row) if len(where) == 1 else (1, -1, -1)
    return found


class Sheet:
    """One batch of packed rows.

    Attributes:
        tokens, target, weight: (B, T): text tokens, what is to follow each (or ignored), and how much that counts.
        positions: (B, cells + T).
        mask: (B, 1, cells + T, cells + T), added to the attention scores.
        kinds: for each answer token that is scored: the kind of its row, or -1 after the row's first.
        asked: (B, T): which tokens are of questions.
    """

    def __init__(self, rows: list[list[tuple[NDArray[np.int16], int, int]]], caption: int) -> None:
        count = len(rows)
        length = max(sum(len(row[0]) for row in sheet) for sheet in rows)
        whole = CELLS_SQUARED + length
        tokens = np.zeros((count, length), np.int64)
        target = np.full((count, length), IGNORED, np.int64)
        weight = np.zeros((count, length), np.float32)
        kinds = np.full((count, length), -1, np.int64)
        asked = np.zeros((count, length), np.bool_)
        positions = np.zeros((count, whole), np.int64)
        positions[:, :CELLS_SQUARED] = np.arange(CELLS_SQUARED)
        part = np.full((count, whole), -1, np.int64)
        part[:, :CELLS_SQUARED] = 0
        for at, sheet in enumerate(rows):
            start = 0
            for number, (ids, before, kind) in enumerate(sheet, 1):
                end = start + len(ids)
                tokens[at, start:end] = ids
                target[at, start + before - 1 : end - 1] = ids[before:]
                asked[at, start : start + before - 1] = True
                scored = len(ids) - before
                weight[at, start:end] = (_CAPTION_WEIGHT if kind == caption else 1.0) / scored
                kinds[at, start + before - 1] = kind
                positions[at, CELLS_SQUARED + start : CELLS_SQUARED + end] = CELLS_SQUARED + np.arange(len(ids))
                part[at, CELLS_SQUARED + start : CELLS_SQUARED + end] = number
                start = end
        parts = torch.from_numpy(part)
        order = torch.arange(whole)
        seen = (parts[:, :, None] == parts[:, None, :]) | (parts[:, None, :] == 0)
        seen &= order[:, None] >= order[None, :]
        self.mask = torch.where(seen, 0.0, _FAR)[:, None]
        self.tokens = torch.from_numpy(tokens)
        self.target = torch.from_numpy(target)
        self.weight = torch.from_numpy(weight)
        self.positions = torch.from_numpy(positions)
        self.kinds = torch.from_numpy(kinds)
        self.asked = torch.from_numpy(asked)


def draw(bank: Bank, scenes: NDArray[np.int64], rng: np.random.Generator, *, blank: bool = True) -> Sheet:
    """Rows of these scenes by chance; some words become unknown ones, so that unknown words do no harm."""
    caption = bank.kinds.index("caption")
    weights = np.array([_PLACE_WEIGHT if kind in PLACES else 1.0 for kind in bank.kinds])
    rows: list[list[tuple[NDArray[np.int16], int, int]]] = []
    for scene in scenes:
        here = np.arange(bank.scene[scene], bank.scene[scene + 1])
        here = here[np.argsort(rng.random(len(here)) ** (1 / weights[bank.kind[here]]))[::-1]]
        if rng.random() < _CAPTION_SHARE:
            here = np.concatenate([here[bank.kind[here] == caption], here[bank.kind[here] != caption]])
        sheet: list[tuple[NDArray[np.int16], int, int]] = []
        free = _TEXT_TOKENS
        for row in here:
            ids = bank.tokens[bank.first[row] : bank.first[row + 1]]
            if len(ids) > free:
                break
            free -= len(ids)
            before = int(bank.answer[row])
            if blank:
                gone = rng.random(before - 1) < _UNKNOWN_SHARE
                ids = ids.copy()
                ids[: before - 1][gone] = SPECIAL.index(UNKNOWN)
            sheet.append((ids, before, int(bank.kind[row])))
        rows.append(sheet)
    return Sheet(rows, caption)


@torch.no_grad()
def keep_features(eyes: Eyes, pictures: NDArray[np.uint8], file: Path, worker: int, workers: int) -> None:
    """Writes this worker's share of what the encoder makes of all pictures: float16, N x cells x width."""
    features = np.load(file, mmap_mode="r+")
    share = np.array_split(np.arange(len(pictures)), workers)[worker]
    for part in np.array_split(share, max(1, len(share) // 64)):
        features[part] = eyes.features(np.ascontiguousarray(pictures[part])).numpy()
    features.flush()


Taught: TypeAlias = tuple[Bank, NDArray[np.float16], DenseLabels, NDArray[np.int8]]
"""Rows about pictures, the pictures' features, what is in their cells, and what they have of each noun."""


def learn_to_answer(
    model: Words,
    train: tuple[Taught, ...],
    held_out: Taught,
    worker: int,
    folder: Path,
    seed: int,
    schedule: Schedule,
) -> None:
    """Trains everything but the encoder, on the sets in turn; its checkpoint is ``words.pt``."""

    def loss(step: int) -> Tensor:
        bank, features, labels, nouns = train[step % len(train)]
        rng = np.random.default_rng((seed, 2, step, worker))
        chosen = np.sort(rng.integers(0, len(features), PICTURES))
        seen = torch.from_numpy(features[chosen]).float()
        named = torch.from_numpy(nouns[chosen])
        value: Tensor = model(seen, draw(bank, chosen, rng), labels.of(chosen)[2], named)[0]
        return value

    def report() -> str:
        right = score(model, *held_out[:2])
        return ", ".join(f"{kind} {share:.3f}" for kind, share in right.items())

    Loop(name="words", folder=folder, model=model, schedule=schedule, worker=worker, loss=loss, report=report).run()


@torch.no_grad()
def score(model: Words, bank: Bank, features: NDArray[np.float16]) -> dict[str, float]:
    """The share of rows whose first answer token is right, by kind, on some held-out pictures."""
    asked: defaultdict[int, int] = defaultdict(int)
    right: defaultdict[int, int] = defaultdict(int)
    rng = np.random.default_rng(0)
    for chosen in np.array_split(np.arange(384), 24):
        sheet = draw(bank, chosen, rng, blank=False)
        _, logits, _, _ = model.answered(torch.from_numpy(features[chosen]).float(), sheet)
        scored = sheet.target != IGNORED
        hits = logits.argmax(-1) == sheet.target[scored]
        for kind, hit in zip(sheet.kinds[scored].tolist(), hits.tolist(), strict=True):
            if kind >= 0:
                asked[kind] += 1
                right[kind] += hit
    return {bank.kinds[kind]: right[kind] / asked[kind] for kind in sorted(asked)}
