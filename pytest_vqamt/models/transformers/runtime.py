"""Where and how precisely a model of torch computes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from threading import Lock, RLock
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

from pytest_vqamt.core.errors import ModelError, OptionError, did_you_mean
from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.query import Answer, ModelInput, Task
from pytest_vqamt.models.base import ModelOptions
from pytest_vqamt.models.batching import free_memory, is_out_of_memory
from pytest_vqamt.models.transformers.checkpoint import quiet

if TYPE_CHECKING:
    import torch


_PRECISIONS = {"float32": "float32", "fp32": "float32", "bfloat16": "bfloat16", "bf16": "bfloat16",
               "float16": "float16", "fp16": "float16", "auto": "auto"}  # fmt: skip


M = TypeVar("M", bound="torch.nn.Module")


@dataclass(frozen=True, slots=True, kw_only=True)
class Runtime:
    """A device, a precision and a number of threads.

    Attributes:
        device: "cpu" or "cuda:N", of this worker.
        dtype: "float32", "bfloat16", "float16", or "auto": as the checkpoint was saved.
        threads: of torch while it computes; None leaves them alone.
    """

    device: torch.device
    dtype: str
    threads: int | None = None

    @classmethod
    def of(cls, options: ModelOptions, *, dtype: str | None = None, threads: int | None = None) -> Runtime:
        """What the options say. On the CPU it is float32 where nothing is said, else as the checkpoint was saved.

        Args:
            options: as given; of several workers on one machine each takes its share of the processor's cores.
            dtype: what to take where the user says nothing.
            threads: how many threads of torch may compute, whatever the workers.

        Raises:
            OptionError: no such precision.
            ModelError: no such device.
        """
        import torch

        device = device_of(options)
        precision = precision_of(options) or dtype or ("float32" if device == "cpu" else "auto")
        if threads is None and options.workers > 1:
            threads = max(1, min(torch.get_num_threads(), available_cores() // options.workers))
        return cls(device=torch.device(device), dtype=precision, threads=threads)

    def placed(self, model: M) -> M:
        """The model on the device, in evaluation mode.

        Raises:
            ModelError: it does not fit there.
        """
        import torch

        try:
            model.to(self.device)
        except torch.OutOfMemoryError as error:
            raise ModelError(
                f"Expected room for the model on {self.device}, but it ran out of memory: give --vqamt-dtype=bfloat16, "
                "another --vqamt-device, fewer workers on one device (-n), or a smaller model"
            ) from error
        model.eval()
        return model

    @contextmanager
    def running(self) -> Iterator[None]:
        """While the model computes: no gradients, no advice of transformers, and no more threads than are ours."""
        import torch

        before = torch.get_num_threads()
        with torch.inference_mode(), quiet():
            if self.threads not in (None, before):
                torch.set_num_threads(self.threads or before)
            try:
                yield
            finally:
                if self.threads not in (None, before):
                    torch.set_num_threads(before)

    @contextmanager
    def preparing(self) -> Iterator[None]:
        """While inputs are made ready, on whatever thread: no gradients, no advice of transformers.

        The number of threads is left alone: to set it here would set it for parts of what is just computing, too.
        """
        import torch

        with torch.inference_mode(), quiet():
            yield

    def pinned(self, tensor: torch.Tensor) -> torch.Tensor:
        """The tensor where CUDA can fetch it while other things go on; for the CPU as it is.

        Copied out of ordinary memory, it would first go through a buffer, and whoever copies would wait
        (https://docs.pytorch.org/docs/stable/notes/cuda.html#use-pinned-memory-buffers).
        """
        import torch

        if self.device.type != "cuda" or tensor.device.type != "cpu":
            return tensor
        with torch.cuda.device(self.device):  # or a thread of its own would open the first device, of another worker
            return tensor.pin_memory()

    def here(self, tensor: torch.Tensor) -> torch.Tensor:
        """The tensor on the device, without a wait where it is pinned: what is computed of it comes after the copy."""
        return tensor.to(self.device, non_blocking=True)

    def fingerprint(self, kind: str, version: int, files: str, *settings: str) -> str:
        """What answers are filed under: the files, what was set, and what computes. Device and threads are left out."""
        import torch
        import transformers

        return (
            f"{kind}-{version} files={files} settings={digest(self.dtype, *settings)} "
            f"torch=={torch.__version__} transformers=={transformers.__version__}"
        )


def available_cores() -> int:
    """How many of the processor's cores this process may use, which may be fewer than there are."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def precision_of(options: ModelOptions) -> str | None:
    """The precision that the user names, by torch's name for it; None where nothing is said.

    Raises:
        OptionError: no such precision.
    """
    if options.dtype is None:
        return None
    if options.dtype not in _PRECISIONS:
        hint = did_you_mean(options.dtype, _PRECISIONS)
        raise OptionError(f"Expected --vqamt-dtype to be a precision, but got dtype={options.dtype!r}; {hint}")
    return _PRECISIONS[options.dtype]


def device_of(options: ModelOptions) -> str:
    """The device of this worker: "cpu" or "cuda:N".

    "auto" gives each worker a device of its own, where there are any. "cuda" shares them out among however many
    workers, and "cuda:N" is N for all.

    Raises:
        ModelError: there is no such device, or more workers than devices and nobody said that they are to share.
    """
    import torch

    if options.device == "cpu":
        return "cpu"
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if options.device == "auto" and not count:
        return "cpu"
    if not count:
        raise ModelError(
            f"Expected --vqamt-device={options.device} to be there, but torch {torch.__version__} finds no CUDA "
            "device: give --vqamt-device=cpu, or install a build of torch with CUDA and its driver"
        )
    if options.device in ("auto", "cuda"):
        if options.device == "auto" and options.workers > count:
            raise ModelError(too_many_workers(options.workers, count))
        return f"cuda:{options.worker % count}"
    number = int(options.device.partition(":")[2])
    if number >= count:
        raise ModelError(f"Expected a device from cuda:0 to cuda:{count - 1}, but got device={options.device!r}")
    return options.device


def too_many_workers(workers: int, count: int) -> str:
    """What is said where workers would have to share a device."""
    several = "s" if count > 1 else ""
    return (
        f"Expected at most {count} worker{several} for {count} CUDA device{several}, since each holds the model once, "
        f"but got -n {workers}: give -n {count}, or --vqamt-device=cuda to let them share the devices, or "
        "--vqamt-device=cpu"
    )


# A tokenizer of the tokenizers library keeps how it was last told to pad and to truncate, so that two threads that want
# it otherwise read each other's settings, or fail with "Already borrowed"
# (https://github.com/huggingface/tokenizers/issues/537).


_lock = Lock()
_locks: WeakKeyDictionary[object, AbstractContextManager[bool]] = WeakKeyDictionary()


def exclusive(used: object) -> AbstractContextManager[bool]:
    """For as long as it is entered no other thread enters it for the same object; the same thread may."""
    with _lock:
        if used not in _locks:
            _locks[used] = RLock()
        return _locks[used]


ForwardStep: TypeAlias = Callable[[], tuple[Answer, ...]]
"""The second step of a batch: one answer for each input."""


class ReleasableMemory(Protocol):
    """What holds memory of the device that can be given up."""

    def give_up(self) -> bool:
        """Lets all of it go; whether there was any."""
        ...


class TwoStepModel:
    """The two steps of one model. A batch that was not prepared, or not as this one, is made ready when it is asked."""

    def __init__(
        self,
        runtime: Runtime,
        ready: Callable[[Task, Sequence[ModelInput]], ForwardStep],
        memory: ReleasableMemory | None = None,
    ) -> None:
        """Takes the steps.

        Args:
            runtime: where the second step computes.
            ready: the first step; it gives the second.
            memory: what is given up where the second step runs out of memory, before the batch is.
        """
        self._runtime = runtime
        self._ready = ready
        self._memory = memory

    def prepare(self, task: Task, batch: Sequence[ModelInput]) -> None:
        """Leaves on each input what is ready of the batch: the pictures that are new, and the tokens.

        Raises:
            Exception: a picture cannot be drawn, or a text cannot be read; then nothing is left.
        """
        if not batch:
            return
        prepared = _PreprocessedBatch(by=self, task=task, ids=_query_ids(batch), rest=self._made_ready(task, batch))
        for item in batch:
            item.prepared = prepared

    def answers(self, task: Task, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        """One answer for each input."""
        if not batch:
            return ()
        found = batch[0].prepared
        is_ready = isinstance(found, _PreprocessedBatch) and (found.by, found.task, found.ids) == (
            self,
            task,
            _query_ids(batch),
        )
        rest = found.rest if isinstance(found, _PreprocessedBatch) and is_ready else self._made_ready(task, batch)
        try:
            return self._computed(rest)
        except Exception as error:
            if self._memory is None or not is_out_of_memory(error) or not self._memory.give_up():
                raise
        free_memory()  # out here the exception is gone, which holds on to all that the model had computed
        return self._computed(rest)

    def _made_ready(self, task: Task, batch: Sequence[ModelInput]) -> ForwardStep:
        with self._runtime.preparing():
            return self._ready(task, batch)

    def _computed(self, rest: ForwardStep) -> tuple[Answer, ...]:
        with self._runtime.running():
            return rest()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _PreprocessedBatch:
    """What each input of a batch has: the second step of all of them."""

    by: TwoStepModel
    task: Task
    ids: tuple[str, ...]
    rest: ForwardStep


def _query_ids(batch: Sequence[ModelInput]) -> tuple[str, ...]:
    return tuple(item.query.id for item in batch)
