"""Batch sizes that adapt to memory, and the health record of a model."""

from __future__ import annotations

import gc
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field

from pytest_vqamt.core.errors import note, raised_at
from pytest_vqamt.core.query import Answer, ModelInput, Query
from pytest_vqamt.core.results import COUNTED
from pytest_vqamt.core.text import MAX_READ, error_text, readable, shortest, shown
from pytest_vqamt.language.answers.answer_text import prepare

_OUT_OF_MEMORY = re.compile(
    r"\b(CUDA|HIP|MPS|XPU|NPU)\b.*out of memory|hipErrorOutOfMemory|DefaultCPUAllocator: .*allocate memory"
    # A library that finds no room for its own workspace names neither memory nor its size: QwenLM/Qwen3 #873,
    # haotian-liu/LLaVA #392, deepakn97/relationPrediction #37.
    r"|_STATUS_(?:ALLOC_FAILED|ALLOCATION_FAILED|NOT_INITIALIZED)\b|Unable to find a valid cuDNN algorithm",
    re.DOTALL,
)

_FIRST_PATIENCE, _MORE_PATIENCE = 16, 4
"""Batches of one size after which a larger one is tried, and by how much these grow each time that it fails."""

_MOST_PIXELS = 256 << 20
"""Pixels of a batch that has grown: three gigabytes as float32, which may lie in pinned memory."""

_MOST_PADDING = 0.04
"""Of the pixels of a batch that grows: with up to 128 of them ``today`` on 278 photos pads 2.1 %, without 5.4."""

_ERRORS_KEPT = 10
"""Exceptions of a user's model that are kept, with the inputs in their frames, to show their tracebacks."""
_LONGEST_EXAMPLE = 200
"""Characters of an answer or an exception that a report shows as an example."""
_REASONS_KEPT = 10_000
"""Reasons of failures whose exceptions are known: a model that raises another text each time would fill the memory."""
_SHORT = 12
"""The characters of an answer that is too short to run on."""


class BatchSize:
    """A batch size that doubles up to ``largest``, and halves when memory runs out.

    Then it stays for 16 batches before it grows again, and after each further time for four times as many: one picture
    that is larger than all others does not cost the rest of the run its batches, and few batches are lost.

    >>> size = BatchSize(8, largest=32)
    >>> size.grow_after(8)
    >>> size.current
    16
    >>> size.shrink_after(16)
    >>> size.grow_after(8)
    >>> size.current
    8
    >>> for _ in range(15):
    ...     size.grow_after(8)
    >>> size.current
    16
    """

    def __init__(self, first: int, *, largest: int | None = None) -> None:
        self.current = first
        self._largest = self._most = first if largest is None else largest
        self._patience = _FIRST_PATIENCE
        self._answered = 0

    @property
    def has_grown(self) -> bool:
        """True if it grows no more, or not for a while."""
        return self.current >= self._most

    def grow_after(self, size: int) -> None:
        """Records that a batch of ``size`` was answered."""
        # A smaller batch, the last of a run or a part of a split one, says nothing of a larger one.
        if size < self.current:
            return
        if self.has_grown:
            self._answered += 1
            if self._answered < self._patience:
                return
            self._answered, self._most = 0, min(2 * self._most, max(self._largest, self._most))
        self.current = min(2 * self.current, max(self._most, self.current))

    def shrink_after(self, size: int) -> None:
        """Records that memory ran out on a batch of ``size`` inputs, more than one."""
        if self._most < self._largest:  # not for the first time
            # The whole of a batch whose halves failed, too: this one was counted with them.
            if size // 2 >= self.current:
                return
            self._patience *= _MORE_PATIENCE
        self.current = self._most = max(1, min(self.current, size // 2))
        self._answered = 0

    def __repr__(self) -> str:
        return f"BatchSize({self.current}, largest={self._most})"


class BatchSizes:
    """A batch size for each class of picture sizes, since large pictures take more memory than small ones.

    A class is a factor of two in pixels. Where memory runs out, the batches of larger pictures shrink, too, and those
    of smaller ones stay. Threads may use it at once.

    >>> sizes = BatchSizes(32)
    >>> sizes.shrink_after(32, pixels=12_000_000)
    >>> sizes.limit(12_000_000), sizes.limit(24_000_000), sizes.limit(300_000)
    (16, 16, 32)
    """

    def __init__(self, first: int, *, largest: int | None = None) -> None:
        self._first = first
        self._largest = largest
        self._classes: dict[int, BatchSize] = {}

    @property
    def current(self) -> int:
        """The most inputs of a batch, whatever its pictures."""
        return max((each.current for each in list(self._classes.values())), default=self._first)

    def limit(self, pixels: int) -> int:
        """The most inputs of a batch whose largest picture has so many pixels; at least 1."""
        # What the user or the model names holds for all pictures; only what it grows to is bounded.
        return min(self._of(pixels).current, max(self._first, _MOST_PIXELS // max(1, pixels)))

    def most_padding(self, pixels: int) -> float:
        """The share of padding that such a batch may have: little once it has grown, since only a full batch grows.

        All of it where its size is a server's or a user's own.
        """
        grows = self._largest not in (None, self._first)
        return _MOST_PADDING if grows and self._of(pixels).has_grown else 1.0

    def grow_after(self, size: int, pixels: int) -> None:
        """Records that a batch of ``size`` was answered, whose largest picture has ``pixels``."""
        self._of(pixels).grow_after(size)

    def shrink_after(self, size: int, pixels: int) -> None:
        """Records that memory ran out on such a batch of ``size`` inputs, more than one."""
        shrunk = self._of(pixels)
        shrunk.shrink_after(size)
        for number, each in list(self._classes.items()):
            if number > pixels.bit_length() and each.current > shrunk.current:
                self._classes[number] = copy(shrunk)

    def _of(self, pixels: int) -> BatchSize:
        number = pixels.bit_length()
        if number not in self._classes:
            known = list(self._classes)
            if below := [each for each in known if each < number]:
                # Pictures that are a little larger are likely to fit as those below them do.
                self._classes[number] = copy(self._classes[max(below)])
            else:
                fresh = BatchSize(self._first, largest=self._largest)
                # What larger ones have grown to fits smaller ones, too; what they have shrunk to says nothing of them.
                fresh.current = max(self._first, self.current)
                self._classes[number] = fresh
        return self._classes[number]

    def __repr__(self) -> str:
        return f"BatchSizes({self.current})"


def pixels_of(queries: Iterable[Query]) -> int:
    """The number of pixels of the largest input of a batch, all of its pictures together."""
    return max((sum(one.scene.width * one.scene.height for one in each.pictures) for each in queries), default=0)


def is_out_of_memory(error: BaseException) -> bool:
    """True for torch's error, those of other libraries of that name, and Python's MemoryError."""
    return (
        isinstance(error, MemoryError)
        # By name: torch is not imported for it. Older torch raises a RuntimeError with one of the texts above.
        or any(kind.__name__ == "OutOfMemoryError" for kind in type(error).__mro__)
        or (isinstance(error, RuntimeError) and bool(_OUT_OF_MEMORY.search(readable(str(error)))))
    )


def free_memory() -> None:
    """Empties torch's cache of device memory, if torch is loaded."""
    # Tensors in reference cycles (exceptions hold frames) are only freed by the collector.
    gc.collect()
    torch = sys.modules.get("torch")
    # Emptying it would initialise CUDA in a process that has no use for it.
    if torch is not None and torch.cuda.is_initialized():
        torch.cuda.empty_cache()


def distinct_pictures(batch: Sequence[ModelInput]) -> tuple[list[ModelInput], list[int]]:
    """The first input of each distinct picture, and for each input the index of its picture among them."""
    places: dict[str, int] = {}
    firsts: list[ModelInput] = []
    which: list[int] = []
    for item in batch:
        place = places.setdefault(item.query.picture.digest, len(places))
        if place == len(firsts):
            firsts.append(item)
        which.append(place)
    return firsts, which


@dataclass(slots=True)
class ModelHealth:
    """The record of a model between items."""

    answered: int = 0
    """Queries that it answered in this run."""
    failed: int = 0
    """Queries that it has no answer to."""
    cached: int = 0
    """Queries that were answered in an earlier run."""
    disabled_reason: str = ""
    """Why it is disabled; "" while it is not."""
    device_lost: bool = False
    """True if that is because this process can use the device no more."""
    user_errors: dict[str, Exception] = field(default_factory=dict)
    """The first exception of each kind that the user's own model raised, by type and place; a few."""
    error_kinds: dict[str, str] = field(default_factory=dict)
    """The kind of exception, by the reason of a failure."""
    used: Mapping[str, float] | None = None
    """Its usage when last recorded; None before."""
    calls: int = 0
    """Calls of its methods."""
    calls_raised: int = 0
    """Calls that raised anything but that memory has run out."""
    answers_cut: int = 0
    """Answers of more characters than are read."""
    ran_on: int = 0
    """Answers behind which the model went on with turns that it invented."""
    ran_on_example: str = ""
    """The shortest of those answers."""
    raised_example: str = ""
    """The shortest text of an exception that a call raised."""
    counted: Mapping[str, int] = field(default_factory=lambda: dict.fromkeys(COUNTED, 0))
    """``counts`` when last recorded."""

    @property
    def counts(self) -> dict[str, int]:
        return {name: getattr(self, name) for name in COUNTED}

    def count_answers(self, answers: Sequence[Answer]) -> None:
        """Counts answers, and among them cut ones and ones that run on."""
        self.answered += len(answers)
        for each in answers:
            self.answers_cut += len(each.text) > MAX_READ
            if len(each.text) > _SHORT and prepare(each.text).ran_on:
                self.ran_on += 1
                self.ran_on_example = shortest(self.ran_on_example, shown(each.text, _LONGEST_EXAMPLE))

    def count_raised(self, error: Exception) -> None:
        """Counts a call that raised."""
        self.calls_raised += 1
        self.raised_example = shortest(
            self.raised_example, shown(" ".join(error_text(error).split()), _LONGEST_EXAMPLE)
        )

    def keep_user_error(self, error: Exception, reason: str, where: str) -> None:
        """Keeps an exception of the user's own model if it is the first of its kind; ``where`` becomes its note."""
        kind = raised_at(error)
        # One of each kind: pytest shows each traceback once.
        if kind not in self.user_errors and len(self.user_errors) < _ERRORS_KEPT:
            note(error, where)
            self.user_errors[kind] = error
        if len(self.error_kinds) < _REASONS_KEPT:
            self.error_kinds.setdefault(reason, kind)

    def user_error(self, reason: str) -> Exception | None:
        """The first exception of the kind that made a query fail for ``reason``."""
        return self.user_errors.get(self.error_kinds.get(reason, ""))
