"""Pictures made ready for an encoder one by one, several at a time where a GPU would wait for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from pytest_vqamt.models.transformers.runtime import Runtime, cores

if TYPE_CHECKING:
    from PIL.Image import Image


T = TypeVar("T")

_MOST_THREADS = 8


def made_ready(images: Sequence[Image], make: Callable[[Image], T], runtime: Runtime) -> list[T]:
    """What ``make`` makes of each picture, in their order."""
    threads = min(threads_for(runtime), len(images))
    if threads < 2:
        return [make(image) for image in images]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(make, images))


def threads_for(runtime: Runtime) -> int:
    """How many pictures are made ready at a time: one on a CPU, whose cores the encoder needs for itself."""
    return min(_MOST_THREADS, runtime.threads or cores()) if runtime.device.type == "cuda" else 1
