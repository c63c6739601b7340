"""Bounded caches of values that can be made again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import wraps
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")
V = TypeVar("V")

_BY_IDENTITY = 2048
"""The most values of a function that is cached by identity."""


class LruCache(Generic[K, V]):
    """Keeps the values that were used last, as long as their total size is at most ``max_size``.

    The value that was put last always stays. Usable from several threads, of which two may make the same value at once.
    """

    def __init__(self, max_size: int, size_of: Callable[[V], int] = lambda _value: 1) -> None:
        self._max_size = max_size
        self._size_of = size_of
        self._values: OrderedDict[K, V] = OrderedDict()
        self._size = 0
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: K) -> V | None:
        with self._lock:
            value = self._values.get(key)
            if value is not None:
                self._values.move_to_end(key)
            return value

    def put(self, key: K, value: V) -> None:
        with self._lock:
            replaced = self._values.pop(key, None)
            self._size += self._size_of(value) - (self._size_of(replaced) if replaced is not None else 0)
            self._values[key] = value
            self._drop_oldest()

    def clear(self) -> bool:
        """Drops all values; False if there were none."""
        with self._lock:
            had = bool(self._values)
            self._values.clear()
            self._size = 0
        return had

    def halve(self) -> None:
        """Halves the largest total size."""
        with self._lock:
            self._max_size //= 2
            self._drop_oldest()

    def _drop_oldest(self) -> None:
        # The newest stays even if it is too large alone: its caller is about to use it again.
        while self._size > self._max_size and len(self._values) > 1:
            _, dropped = self._values.popitem(last=False)
            self._size -= self._size_of(dropped)

    def get_or_make(self, key: K, make: Callable[[K], V]) -> V:
        """The cached value, or the one that ``make`` returns, which is then cached."""
        value = self.get(key)
        if value is None:
            value = make(key)  # outside the lock: other threads go on meanwhile
            self.put(key, value)
        return value


def cached_by_identity(find: Callable[[T], V]) -> Callable[[T], V]:
    """Caches a function of one frozen value by the value's identity, where its hash would cost more than the result.

    A value that is cached is kept alive, so that no other object takes its address; all are let go when there are many.
    """
    cache: dict[int, tuple[T, V]] = {}

    @wraps(find)
    def found(value: T) -> V:
        entry = cache.get(id(value))
        if entry is None:
            if len(cache) >= _BY_IDENTITY:
                cache.clear()
            entry = cache[id(value)] = value, find(value)
        return entry[1]

    return found
