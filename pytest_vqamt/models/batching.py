"""How many inputs a model is asked at once: what memory allows, found out as the run goes on."""

from __future__ import annotations

import gc
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pytest_vqamt.core.query import Failure, ModelInput

_SAYS_SO = re.compile(r"\b(CUDA|HIP|MPS|XPU)\b.*out of memory|DefaultCPUAllocator: .*allocate memory", re.DOTALL)


class BatchSize:
    """A number of inputs that doubles while all goes well, up to ``most``, and halves where memory runs out.

    Once memory has run out it never grows again, so that no two batches in a row are lost.

    >>> size = BatchSize(8, most=32)
    >>> size.went_well(8)
    >>> size.now
    16
    >>> size.ran_out(16)
    >>> size.now
    8
    >>> size.went_well(8)
    >>> size.now
    8
    """

    def __init__(self, first: int, *, most: int | None = None) -> None:
        self.now = first
        self._most = first if most is None else most

    def went_well(self, size: int) -> None:
        """Tells that a batch of ``size`` was answered."""
        if size >= self.now:
            self.now = min(2 * self.now, max(self._most, self.now))

    def ran_out(self, size: int) -> None:
        """Tells that memory ran out on a batch of ``size``, and not because of one of its inputs alone."""
        self.now = self._most = max(1, min(self.now, size // 2))

    def __repr__(self) -> str:
        return f"BatchSize({self.now}, most={self._most})"


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an exception says that memory ran out: torch's, those of other libraries of the name, and Python's."""
    return (
        isinstance(error, MemoryError)
        or any(kind.__name__ == "OutOfMemoryError" for kind in type(error).__mro__)
        or (isinstance(error, RuntimeError) and bool(_SAYS_SO.search(str(error))))
    )


def free_memory() -> None:
    """Gives back what torch keeps of a device's memory for later, where torch is loaded at all."""
    gc.collect()
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        torch.cuda.empty_cache()


def distinct(batch: Sequence[ModelInput]) -> tuple[list[ModelInput], list[int]]:
    """The first input about each distinct picture, in their order, and which of them each input has the picture of."""
    places: dict[str, int] = {}
    firsts: list[ModelInput] = []
    which: list[int] = []
    for asked in batch:
        place = places.setdefault(asked.query.picture.digest, len(places))
        if place == len(firsts):
            firsts.append(asked)
        which.append(place)
    return firsts, which


@dataclass(slots=True)
class Standing:
    """What is remembered of a model from one item to the next.

    Attributes:
        answered, failed: queries that it answered, and that it raised at.
        given_up: why it is asked no more; "" as long as it is.
        failed_ahead: what it raised at ahead of its turn, by query id, and that nobody has needed yet.
        used: what its answers had cost when that was last entered in an account; None before any was kept.
    """

    answered: int = 0
    failed: int = 0
    given_up: str = ""
    failed_ahead: dict[str, Failure] = field(default_factory=dict)
    used: Mapping[str, float] | None = None
