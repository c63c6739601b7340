"""Caches the encodings of recent pictures, so that each is rendered and encoded once for all its queries."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Generic, TypeVar

from pytest_vqamt.core.query import ModelInput
from pytest_vqamt.models.batching import distinct_pictures

if TYPE_CHECKING:
    from PIL.Image import Image


P = TypeVar("P")
"""A preprocessed picture, in host memory."""

T = TypeVar("T")
"""An encoded picture, on the device."""

MAX_CACHE_BYTES = 512 << 20
"""On the device: 300 pictures of BLIP at the published size in float32."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class BatchPictures(Generic[P, T]):
    """The pictures of a batch.

    Attributes:
        names: the digests of the distinct ones.
        which: for each input, the index of its picture.
        kept: cached encodings, by digest.
        preprocessed: the others by digest.
    """

    names: tuple[str, ...]
    which: tuple[int, ...]
    kept: Mapping[str, T]
    preprocessed: Mapping[str, P]


class PictureFeatureCache(Generic[P, T]):
    """Caches encoded pictures; the least recently used are dropped first.

    One thread may preprocess a batch while another encodes the previous one.
    """

    def __init__(
        self,
        preprocess: Callable[[Sequence[Image]], Sequence[P]],
        encode: Callable[[Sequence[P]], Sequence[T]],
        size: Callable[[T], int],
        most_bytes: int = MAX_CACHE_BYTES,
    ) -> None:
        """Makes an empty cache.

        Args:
            preprocess: preprocesses pictures, without the device.
            encode: encodes preprocessed pictures, on the device.
            size: the bytes of an encoding.
            most_bytes: the most to cache.
        """
        self._preprocess = preprocess
        self._encode = encode
        self._size = size
        self._most_bytes = most_bytes
        self._bytes = 0
        self._kept: dict[str, T] = {}
        self._latest: dict[str, P] = {}
        self._before: dict[str, P] = {}
        self._lock = Lock()

    def preprocess(self, batch: Sequence[ModelInput]) -> BatchPictures[P, T]:
        """The pictures of a batch; new ones are rendered and preprocessed.

        Raises:
            Exception: rendering or preprocessing failed; then nothing of this batch is remembered.
        """
        firsts, which = distinct_pictures(batch)
        named = {item.query.picture.digest: item for item in firsts}
        with self._lock:
            kept = {name: self._kept[name] for name in named if name in self._kept}
            # What the batch before has, too, is drawn already and may not be encoded yet.
            coming = {**self._before, **self._latest}
            ready = {name: coming[name] for name in named if name not in kept and name in coming}
        new = {name: item for name, item in named.items() if name not in kept and name not in ready}
        if new:
            made = self._preprocess([item.image for item in new.values()])
            ready.update(zip(new, made, strict=True))
        with self._lock:
            self._before, self._latest = self._latest, dict(ready)
        return BatchPictures(names=tuple(named), which=tuple(which), kept=kept, preprocessed=ready)

    def encoded(self, shown: BatchPictures[P, T]) -> list[T]:
        """The encoding of each input's picture; new ones are encoded together.

        Raises:
            Exception: ``encode`` failed; then nothing of this batch is cached.
        """
        with self._lock:
            found = {**shown.kept, **{name: self._kept[name] for name in shown.names if name in self._kept}}
        new = [name for name in shown.names if name not in found]
        if new:
            found.update(zip(new, self._encode([shown.preprocessed[name] for name in new]), strict=True))
        with self._lock:
            for name in shown.names:
                self._put(name, found[name])
            for name in list(self._kept):
                if self._bytes <= self._most_bytes:
                    break
                self._drop(name)
        return [found[shown.names[place]] for place in shown.which]

    def clear(self) -> bool:
        """Empties the cache; whether there was anything."""
        with self._lock:
            had = bool(self._kept)
            self._kept.clear()
            self._bytes = 0
        return had

    def release(self) -> bool:
        """Empties the cache and halves its limit; whether there was anything."""
        with self._lock:
            self._most_bytes //= 2
        return self.clear()

    def _put(self, name: str, made: T) -> None:
        self._drop(name)
        self._kept[name] = made
        self._bytes += self._size(made)
        for coming in (self._before, self._latest):
            coming.pop(name, None)

    def _drop(self, name: str) -> None:
        if name in self._kept:
            self._bytes -= self._size(self._kept.pop(name))
