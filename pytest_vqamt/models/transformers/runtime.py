"""Device, precision and threads of torch models, and the two steps of their inference."""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import lru_cache, partial
from threading import Lock, RLock
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

from pytest_vqamt.core.errors import ModelError, OptionError, did_you_mean
from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.query import Answer, ModelInput, Task
from pytest_vqamt.core.spelling import option
from pytest_vqamt.core.text import count_noun
from pytest_vqamt.models.batching import free_memory, is_out_of_memory
from pytest_vqamt.models.protocol import ONE_DEVICE, ModelOptions
from pytest_vqamt.models.transformers.quantised import quantisation_of

if TYPE_CHECKING:
    import torch


_PRECISIONS = {"float32": "float32", "fp32": "float32", "bfloat16": "bfloat16", "bf16": "bfloat16",
               "float16": "float16", "fp16": "float16", "auto": "auto"}  # fmt: skip


_LEAST_CACHE_BYTES = 512 << 20

M = TypeVar("M", bound="torch.nn.Module")

ForwardStep: TypeAlias = Callable[[], tuple[Answer, ...]]
"""The second step of a batch: one answer for each input."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Runtime:
    """A device, a precision and a number of threads."""

    device: torch.device
    """"cpu", "cuda:N" or "mps", of this worker; the first of several."""
    dtype: str
    """"float32", "bfloat16", "float16", or "auto": as the checkpoint was saved."""
    threads: int | None = None
    """Of torch during inference; None leaves them alone."""
    others: tuple[torch.device, ...] = ()
    """Further devices, over which the layers of one model are spread."""
    attention: str = ""
    """How attention is computed, as the user says; "" leaves it to transformers."""
    sharing: int = 1
    """The processes of this run on the device."""
    note: str = ""
    """What a user should know of the device, such as that there seems to be a better one."""

    @classmethod
    def of(cls, options: ModelOptions, *, dtype: str | None = None, threads: int | None = None) -> Runtime:
        """The runtime of the options; ``dtype`` replaces the default: float32 on the CPU, else the checkpoint's.

        Several workers on one machine share the processor's cores, unless ``threads`` says how many torch uses.

        Raises:
            OptionError: no such precision.
            ModelError: no such device.
        """
        import torch

        device = device_of(options)
        precision = precision_of(options) or dtype or ("float32" if device == "cpu" else "auto")
        if threads is None and options.workers > 1:
            # Eight workers with 16 threads each would wait for each other; a user's own OMP_NUM_THREADS holds as the
            # upper bound.
            threads = max(1, min(torch.get_num_threads(), available_cores() // options.workers))
        runtime = cls(device=torch.device(device), dtype=precision, threads=threads, sharing=_sharing(options))
        if runtime.has_card:
            # For what chooses no device itself, such as a kernel of a quantised layer: it would take that of worker 0.
            torch.cuda.set_device(runtime.device)
        return runtime

    @property
    def has_card(self) -> bool:
        """True for a device of CUDA or ROCm that this build of torch can make the current one."""
        import torch

        return self.device.type == "cuda" and bool(torch.backends.cuda.is_built())  # type: ignore[no-untyped-call]  # torch's own

    def _on_card(self) -> AbstractContextManager[object]:
        """Makes the device that of this thread: each thread begins with the first."""
        import torch

        return torch.cuda.device(self.device) if self.has_card else nullcontext()

    @property
    def devices(self) -> tuple[torch.device, ...]:
        """All devices of the model."""
        return (self.device, *self.others)

    @property
    def where(self) -> str:
        """The devices in a message: "cuda:0 and cuda:1"."""
        return " and ".join(map(str, self.devices))

    @property
    def more_room(self) -> str:
        """What to give where the weights do not fit, in a message."""
        import torch

        precision = [option("dtype", "bfloat16")] if self.dtype == "float32" else []
        has_more = self.device.type == "cuda" and torch.cuda.device_count() > len(self.devices)
        cards = [f"more cards for one model ({option('device', 'cuda:0+cuda:1')})"] if has_more else []
        ways = (*precision, *cards, "fewer processes on a device (-n)", "a quantised checkpoint")
        return f"give {', '.join(ways)}, or a smaller model"

    def place(self, model: M) -> M:
        """The model on the device, in evaluation mode.

        Raises:
            ModelError: it does not fit there.
        """
        import torch

        try:
            # Weights that were loaded to their devices stay there: those that are spread or quantised refuse to move.
            if not self.others and any(each.device != self.device for each in model.parameters()):
                model.to(self.device)
        except torch.OutOfMemoryError as error:
            raise ModelError(no_room(self)) from error
        model.eval()
        # Only there; see convolve_in_float32.
        if self.device.type == "cpu":
            convolve_in_float32(model)
        return model

    @contextmanager
    def inference(self) -> Iterator[None]:
        """Turns gradients and transformers' messages off, and limits torch's threads."""
        import torch

        before = torch.get_num_threads()
        with self._on_card(), torch.inference_mode(), quiet():
            if self.threads not in (None, before):
                torch.set_num_threads(self.threads or before)
            try:
                with self._exact():
                    yield
            finally:
                if self.threads not in (None, before):
                    torch.set_num_threads(before)

    @contextmanager
    def _exact(self) -> Iterator[None]:
        """Computes convolutions of float32 on CUDA in float32; torch rounds them to 10 bits (TF32) there by default.

        That concerns the layers that embed a picture's patches, so the same model would answer otherwise than on a CPU.
        """
        import torch

        if self.device.type != "cuda" or not (before := torch.backends.cudnn.allow_tf32):
            yield
            return
        torch.backends.cudnn.allow_tf32 = False
        try:
            yield
        finally:
            torch.backends.cudnn.allow_tf32 = before

    @contextmanager
    def preprocessing(self) -> Iterator[None]:
        """Turns gradients and transformers' messages off, on any thread.

        The number of threads is left alone: setting it here would also change it for the inference that is running.
        """
        import torch

        with self._on_card(), torch.inference_mode(), quiet():
            yield

    def pin(self, tensor: torch.Tensor) -> torch.Tensor:
        """The tensor in pinned memory, for CUDA; unchanged for the CPU.

        A copy out of ordinary memory goes through a buffer and blocks the caller
        (https://docs.pytorch.org/docs/stable/notes/cuda.html#use-pinned-memory-buffers).
        """
        import torch

        if self.device.type != "cuda" or tensor.device.type != "cpu":
            return tensor
        with torch.cuda.device(self.device):  # or a thread of its own would open the first device, of another worker
            return tensor.pin_memory()

    def to_device(self, tensor: torch.Tensor) -> torch.Tensor:
        """The tensor on the device. From pinned memory the copy is asynchronous."""
        return tensor.to(self.device, non_blocking=True)

    def cache_bytes(self, share: float) -> int:
        """The size of a cache on the device: ``share`` of what is free there, and at least as on the CPU, 512 MiB.

        The processes of the run on one device divide that among them.

        Where memory runs out all the same, ``TwoStepModel`` releases its caches, and halves them if that has helped.
        """
        import torch

        if self.device.type != "cuda":
            return _LEAST_CACHE_BYTES
        # Of the fullest: where the layers are spread, each device holds the states of its own.
        free = min(torch.cuda.mem_get_info(device)[0] for device in self.devices)
        return max(_LEAST_CACHE_BYTES, int(share * free / self.sharing))

    def describe(self, model: torch.nn.Module) -> str:
        """Where a model computes, in which precision, and how large it is.

        "on cuda:0 (NVIDIA H100), bfloat16, 15.2 GB", or "on the CPU, float32, 0.9 GB".
        """
        # Tensors that layers share count once.
        tensors = {id(each): each for each in (*model.parameters(), *model.buffers())}
        precision = str(getattr(model, "dtype", self.dtype)).removeprefix("torch.")
        config = getattr(model, "config", None)
        method = "" if config is None else quantisation_of(config.to_dict())
        return (
            f"on {' + '.join(map(_named, self.devices))}, {precision}"
            f"{f', quantised ({method})' if method else ''}, "
            f"{gigabytes(sum(tensor.nbytes for tensor in tensors.values()))}{self.note and f': {self.note}'}"
        )

    def fingerprint(self, kind: str, version: int, files: str, *settings: str) -> str:
        """The fingerprint of files, settings, kind of device and packages. Its number and threads are left out."""
        import torch
        import transformers

        # An accelerator's sums come out in another order. Fingerprints of a CPU are those of before it was named.
        where = () if self.device.type == "cpu" else (f"on {self.device.type}",)
        attention = (f"attention {self.attention}",) if self.attention else ()
        return (
            f"{kind}-{version} files={files} settings={digest(self.dtype, *settings, *where, *attention)} "
            f"torch=={torch.__version__} transformers=={transformers.__version__}"
        )


@lru_cache
def _named(device: torch.device) -> str:
    import torch

    if device.type == "cpu":
        return "the CPU"
    return f"{device} ({torch.cuda.get_device_name(device)})" if device.type == "cuda" else str(device)


def gigabytes(size: float) -> str:
    """A size as people say it: "15.2 GB", or "3 MB" of a small model."""
    return f"{size / 1e9:.1f} GB" if size >= 1e8 else f"{size / 1e6:.0f} MB"


def no_room(runtime: Runtime) -> str:
    """The message for a model whose weights ran out of memory."""
    return f"Expected room for the model on {runtime.where}, but it ran out of memory: {runtime.more_room}"


def convolve_in_float32(model: torch.nn.Module) -> None:
    """Makes 16-bit convolutions compute in float32; weights and results have the same type as before.

    On processors with AMX the bfloat16 kernels of oneDNN, which torch 2.13 uses, read memory that is not theirs where a
    dimension is no multiple of 32: columns of garbage, or NaN, in some of the calls (oneDNN issue 5717, PyTorch issues
    163347 and 169688). It was seen in the patch convolution of ViLT. It is one layer, so float32 costs next to nothing.
    """
    import torch

    for layer in model.modules():
        if isinstance(layer, torch.nn.Conv1d | torch.nn.Conv2d | torch.nn.Conv3d) and layer.weight.element_size() == 2:
            layer._conv_forward = partial(_convolved, layer._conv_forward)  # type: ignore[method-assign]


def _convolved(
    convolve: Callable[[torch.Tensor, torch.Tensor, torch.Tensor | None], torch.Tensor],
    pixels: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None,
) -> torch.Tensor:
    return convolve(pixels.float(), weight.float(), None if bias is None else bias.float()).to(pixels.dtype)


def available_cores() -> int:
    """The number of the processor's cores that this process may use."""
    # In a container the machine may have more. macOS has no such call.
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def precision_of(options: ModelOptions) -> str | None:
    """The user's precision by torch's name for it; None where none is given.

    Raises:
        OptionError: no such precision.
    """
    if options.dtype is None:
        return None
    if options.dtype not in _PRECISIONS:
        hint = did_you_mean(options.dtype, _PRECISIONS)
        raise OptionError(f"Expected a precision, but got {option('dtype')}={options.dtype!r}; {hint}")
    return _PRECISIONS[options.dtype]


def device_of(options: ModelOptions) -> str:
    """The device of this worker: "cpu", "cuda:N" or "mps".

    "auto" gives each worker its own CUDA device, if there are any, or takes the GPU of a Mac. "cuda" shares them among
    any number of workers, and "cuda:N" is N for all.

    Raises:
        ModelError: there is no such device, or "auto" has more workers than devices.
    """
    import torch

    if options.device == "cpu":
        return "cpu"
    if "+" in options.device:
        raise ModelError(
            f"Expected one {option('device')}, since this model is not spread over several, but got "
            f"{options.device!r}: give {options.device.partition('+')[0]}"
        )
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    has_mps = torch.backends.mps.is_available()
    if options.device == "auto" and not count:
        # Workers would share the one GPU of a Mac, which is for the user to say.
        return "mps" if has_mps and options.workers == 1 else "cpu"
    if options.device == "mps":
        if not has_mps:
            raise ModelError(
                f"Expected {option('device')}=mps on a Mac with a GPU of Apple, but torch {torch.__version__} finds "
                f"none: give {option('device', 'cpu')}"
            )
        return "mps"
    if not count:
        raise ModelError(
            f"Expected {option('device')}={options.device} to be there, but torch {torch.__version__} finds no CUDA "
            f"device: give {option('device', 'cpu')}, or install a build of torch with CUDA and its driver"
        )
    if not re.fullmatch(r"auto|cuda(:[0-9]+)?", options.device):
        raise ModelError(f"Expected {ONE_DEVICE}, but got device={options.device!r}")
    if options.device in ("auto", "cuda"):
        if options.device == "auto" and options.workers > count:
            raise ModelError(too_many_workers(options.workers, count))
        # Their places are numbered from 0, and a worker that replaces another takes its place.
        return f"cuda:{options.worker % count}"
    number = int(options.device.partition(":")[2])
    if number >= count:
        raise ModelError(f"Expected a device from cuda:0 to cuda:{count - 1}, but got device={options.device!r}")
    return f"cuda:{number}"  # torch refuses "cuda:00"


def _sharing(options: ModelOptions) -> int:
    """The most workers that have one CUDA device."""
    import torch

    devices = torch.cuda.device_count() if options.device in ("auto", "cuda") else 1
    return -(-options.workers // max(1, devices))


def too_many_workers(workers: int, count: int) -> str:
    """The message for more workers than devices."""
    return (
        f"Expected at most {count_noun(count, 'worker')} for {count_noun(count, 'CUDA device')}, since each "
        f"holds the model once, "
        f"but got -n {workers}: give -n {count}, or {option('device', 'cuda')} to let them share the devices, or "
        f"{option('device', 'cpu')}"
    )


# A tokenizer of the tokenizers library keeps its last settings of padding and truncation, so that two threads that want
# it otherwise read each other's settings, or fail with "Already borrowed"
# (https://github.com/huggingface/tokenizers/issues/537).


_lock = Lock()
_locks: WeakKeyDictionary[object, AbstractContextManager[bool]] = WeakKeyDictionary()


def exclusive(used: object) -> AbstractContextManager[bool]:
    """A lock for ``used``: only one thread holds it at a time. It is reentrant."""
    with _lock:
        if used not in _locks:
            _locks[used] = RLock()
        return _locks[used]


class ReleasableMemory(Protocol):
    """An object with device memory that it can release."""

    def release(self) -> bool:
        """Releases all of it; False if there was none."""
        ...

    def halve(self) -> None:
        """Takes at most half as much from now on."""
        ...


class TwoStepModel(ABC):
    """A model whose batches are preprocessed and then answered, on two threads or one after the other."""

    def __init__(self, runtime: Runtime, memory: ReleasableMemory | None = None) -> None:
        """``memory`` is released when the second step runs out of memory; then it is tried once more."""
        self._runtime = runtime
        self._memory = memory

    @property
    def network(self) -> torch.nn.Module | None:
        """The module that computes the answers; None for a model that is none, as in tests."""
        return None

    @property
    def placement(self) -> str:
        """Where it computes, in which precision, and how large it is: to read before the run."""
        return "" if self.network is None else self._runtime.describe(self.network)

    @abstractmethod
    def _preprocess(self, task: Task, batch: Sequence[ModelInput]) -> ForwardStep:
        """The first step, which needs no device; returns the second."""

    def prepare(self, task: Task, batch: Sequence[ModelInput]) -> None:
        """Preprocesses a batch, and stores the second step on its inputs.

        Raises:
            Exception: a picture cannot be rendered, or a text cannot be read; then nothing is stored.
        """
        if not batch:
            return
        prepared = _PreprocessedBatch(
            by=self, task=task, ids=_query_ids(batch), forward=self._preprocessed(task, batch)
        )
        for item in batch:
            item.prepared = prepared

    def _answer_batch(self, task: Task, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        """One answer for each input."""
        if not batch:
            return ()
        found = batch[0].prepared
        key = (self, task, _query_ids(batch))
        # A batch that was split, or prepared for another task or model, has no second step.
        if isinstance(found, _PreprocessedBatch) and (found.by, found.task, found.ids) == key:
            forward = found.forward
        else:
            forward = self._preprocessed(task, batch)
        try:
            return self._run(forward)
        except Exception as error:
            # Cached pictures are given up before the batch is made smaller.
            if self._memory is None or not is_out_of_memory(error) or not self._memory.release():
                raise
        free_memory()  # out here the exception is gone, which holds on to all that the model had computed
        answers = self._run(forward)
        # With the same limit the memory would run out again. Only now: a larger batch is tried again and again, and
        # where it is too large without caches, too, halving them each time would leave nothing in a long run.
        self._memory.halve()
        return answers

    def _preprocessed(self, task: Task, batch: Sequence[ModelInput]) -> ForwardStep:
        with self._runtime.preprocessing():
            return self._preprocess(task, batch)

    def _run(self, forward: ForwardStep) -> tuple[Answer, ...]:
        with self._runtime.inference():
            return forward()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _PreprocessedBatch:
    """The second step of a whole batch, stored on each of its inputs."""

    by: TwoStepModel
    """The model that preprocessed it, which alone runs the step."""
    task: Task
    ids: tuple[str, ...]
    """The queries of the batch, in order; of any other selection the step gives other answers."""
    forward: ForwardStep
    """Answers the batch."""


def _query_ids(batch: Sequence[ModelInput]) -> tuple[str, ...]:
    return tuple(item.query.id for item in batch)


_settings_lock = Lock()
_saved_settings: list[tuple[int, bool]] = []
"""For each active ``quiet`` the verbosity and the progress bars of transformers before the first of them.

Transformers has one setting for all threads. The last to leave restores it, whichever came first.
"""


@contextmanager
def quiet() -> Iterator[None]:
    """Silences progress bars and messages of transformers. Threads may overlap."""
    from transformers.utils import logging

    with _settings_lock:
        _saved_settings.append(
            _saved_settings[0] if _saved_settings else (logging.get_verbosity(), logging.is_progress_bar_enabled())
        )
        if len(_saved_settings) == 1:
            logging.set_verbosity_error()  # type: ignore[no-untyped-call]  # transformers does not annotate it
            logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # as above
    try:
        yield
    finally:
        with _settings_lock:
            level, bars = _saved_settings.pop()
            if not _saved_settings:
                logging.set_verbosity(level)
                if bars:
                    logging.enable_progress_bar()  # type: ignore[no-untyped-call]  # as above
