"""A bounded memory of values that can be made again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


class RecentBySize(Generic[K, T]):
    """The values last asked for, as long as their sizes together are at most ``most``.

    Two threads may make one at the same time, and make the same.
    """

    def __init__(self, most: int, make: Callable[[K], T], size: Callable[[T], int]) -> None:
        self._most = most
        self._make = make
        self._size = size
        self._kept: OrderedDict[K, tuple[T, int]] = OrderedDict()
        self._total = 0
        self._lock = Lock()

    def get(self, key: K) -> T:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key][0]
        value = self._make(key)
        size = self._size(value)
        with self._lock:
            if key not in self._kept:
                self._kept[key] = value, size
                self._total += size
            while self._total > self._most:
                self._total -= self._kept.popitem(last=False)[1][1]
        return value


class Recent(RecentBySize[int, T]):
    """The values last asked for, by index, at most ``most`` of them."""

    def __init__(self, most: int, make: Callable[[int], T]) -> None:
        super().__init__(most, make, lambda _value: 1)
