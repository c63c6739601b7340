"""A bounded memory of values that can be made again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

from pytest_vqamt.core.scene import Scene

_MOST_OF_SCENES = 192 << 20
"""Bytes: those of 48,000 drawn scenes, about."""

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
        """The value, made now where it is not kept."""
        kept = self.find(key)
        if kept is not None:
            return kept
        value = self._make(key)
        self.keep(key, value)
        return value

    def find(self, key: K) -> T | None:
        """The value where it is kept."""
        with self._lock:
            if (kept := self._kept.get(key)) is None:
                return None
            self._kept.move_to_end(key)
            return kept[0]

    def keep(self, key: K, value: T) -> None:
        """Keeps a value that was made elsewhere."""
        size = self._size(value)
        with self._lock:
            if key not in self._kept:
                self._kept[key] = value, size
                self._total += size
            while self._total > self._most:
                self._total -= self._kept.popitem(last=False)[1][1]


class Recent(RecentBySize[int, T]):
    """The values last asked for, by index, at most ``most`` of them."""

    def __init__(self, most: int, make: Callable[[int], T]) -> None:
        super().__init__(most, make, lambda _value: 1)


class RecentScenes(RecentBySize[int, Scene]):
    """The scenes last asked for, by index: a run comes back to each of them at random, so as many as can be."""

    def __init__(self, make: Callable[[int], Scene]) -> None:
        super().__init__(_MOST_OF_SCENES, make, _bytes_of)


def _bytes_of(scene: Scene) -> int:
    """What a scene takes in memory, about."""
    texts = len(scene.questions) + len(scene.hypotheses) + len(scene.captions)
    return 800 + 400 * (len(scene.objects) + len(scene.regions) + texts) + 80 * len(scene.relationships)
