"""What LXMERT and VisualBERT share: a question and 36 regions of a picture go in, a score of each answer comes out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.hashing import canonical_json, digest
from pytest_vqamt.core.query import Answer, ModelInput
from pytest_vqamt.models.bert_words import QuestionForm, Tokens, tokens_of
from pytest_vqamt.models.classified import classified
from pytest_vqamt.models.distinct import distinct
from pytest_vqamt.models.loading.config import config_of
from pytest_vqamt.models.loading.places import Checkpoint
from pytest_vqamt.models.loading.runtime import Runtime
from pytest_vqamt.models.regions.source import CountedSource

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedTokenizerBase

_ON_DEVICE = 1024
"""The largest batch worth trying on an accelerator."""

_NO_ANSWER = ("", "<unk>")
"""What the published lists have first: what is left of answers of which normalizing leaves nothing (LXMERT), and what
stands for answers outside of the list (VisualBERT). Neither says anything."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Asked:
    """A batch on the device, B questions of T tokens about 36 regions each.

    Attributes:
        ids, attended: int64 (B, T), the tokens and whether they count.
        features: (B, 36, 2048), in the precision of the model.
        boxes: (B, 36, 4), as ``Regions`` has them, in the precision of the model.
        seen: int64 (B, 36), whether a region is real.
    """

    ids: torch.Tensor
    attended: torch.Tensor
    features: torch.Tensor
    boxes: torch.Tensor
    seen: torch.Tensor


Scorer: TypeAlias = "Callable[[Asked], torch.Tensor]"
"""Logits (B, answers) of a batch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What such a model is made of.

    Attributes:
        score: its forward pass.
        dtype: the precision in which it takes regions.
        tokenizer, form: how questions are written for it.
        answers: what each output stands for.
        regions: where regions come from.
        runtime: where it computes.
        fingerprint: of its files and of what computes.
    """

    score: Scorer
    dtype: torch.dtype
    tokenizer: PreTrainedTokenizerBase
    form: QuestionForm
    answers: tuple[str, ...]
    regions: CountedSource
    runtime: Runtime
    fingerprint: Callable[..., str]


class RegionQuestionModel:
    """Answers questions. Each distinct picture of a batch is looked at, and moved to the device, once.

    The answer is the best one that says something: "" and "<unk>", with which the published lists begin, are passed
    over, and the scores are shares (softmax) among the others.
    """

    batch_size = 32

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._said = [number for number, answer in enumerate(parts.answers) if answer not in _NO_ANSWER]
        self._answers = [parts.answers[number] for number in self._said]

    @property
    def largest_batch(self) -> int:
        """On the CPU a larger batch is no faster."""
        return self.batch_size if self._parts.runtime.device.type == "cpu" else _ON_DEVICE

    @property
    def usage(self) -> Mapping[str, float]:
        return self._parts.regions.usage

    @cached_property
    def fingerprint(self) -> str:
        """The files, the list of answers, where regions come from, and what computes."""
        parts = self._parts
        return parts.fingerprint(digest(canonical_json(parts.answers)), parts.regions.fingerprint, repr(parts.form))

    def answer(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        """One of the answers of its list for each question."""
        if not batch:
            return ()
        tokens = tokens_of([asked.text for asked in batch], self._parts.tokenizer, self._parts.form)
        with self._parts.runtime.running():
            logits = self._logits(batch, tokens).float()[:, self._said]
            return classified(logits, logits.softmax(1), self._answers, tokens.cut)

    def _logits(self, batch: Sequence[ModelInput], tokens: Tokens) -> torch.Tensor:
        return self._parts.score(self._asked(batch, tokens))

    def _asked(self, batch: Sequence[ModelInput], tokens: Tokens) -> Asked:
        import numpy as np
        import torch

        firsts, which = distinct(batch)
        found = self._parts.regions.regions(firsts)
        device, dtype = self._parts.runtime.device, self._parts.dtype
        place = torch.tensor(which, device=device)
        counts = torch.tensor([regions.count for regions in found], device=device)
        features = torch.from_numpy(np.stack([regions.features for regions in found])).to(device, dtype)
        boxes = torch.from_numpy(np.stack([regions.boxes for regions in found])).to(device, dtype)
        seen = (torch.arange(features.shape[1], device=device) < counts[:, None]).long()
        return Asked(
            ids=torch.tensor(tokens.ids, device=device),
            attended=torch.tensor(tokens.attended, device=device),
            features=features[place],
            boxes=boxes[place],
            seen=seen[place],
        )


def check_number(checkpoint: Checkpoint, name: str, wanted: int, *, default: int) -> None:
    """Holds a number of the configuration against what the detector gives.

    Raises:
        ModelError: it is another.
    """
    found = whole_number(checkpoint, name, default)
    if found != wanted:
        raise ModelError(
            f"Expected {name} to be {wanted}, as the regions of the Bottom-Up-Top-Down detector have it, in "
            f"{checkpoint.folder / 'config.json'}, but got {name}={found!r}: no others can be made here"
        )


def whole_number(checkpoint: Checkpoint, name: str, default: int) -> int:
    """A positive number of the configuration; ``default`` is what transformers takes where it says nothing.

    Raises:
        ModelError: it is something else.
    """
    value = config_of(checkpoint).get(name, default)
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ModelError(
            f"Expected {name} to be a whole number in {checkpoint.folder / 'config.json'}, but got {name}={value!r}"
        )
    return value
