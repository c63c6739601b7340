"""A bounded memory of values that can be made again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class Recent(Generic[T]):
    """The values last asked for, by index; two threads may make one at the same time, and make the same."""

    def __init__(self, most: int, make: Callable[[int], T]) -> None:
        self._most = most
        self._make = make
        self._kept: OrderedDict[int, T] = OrderedDict()
        self._lock = Lock()

    def get(self, index: int) -> T:
        with self._lock:
            if index in self._kept:
                self._kept.move_to_end(index)
                return self._kept[index]
        value = self._make(index)
        with self._lock:
            self._kept[index] = value
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return value
