"""How many inputs a model is asked at once: what memory allows, found out as the run goes on."""

from __future__ import annotations

import gc
import re
import sys

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
