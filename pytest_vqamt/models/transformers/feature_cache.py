"""What a model has made of the latest pictures: a picture is drawn and encoded once for all that is asked of it."""

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
"""A picture made ready for the encoder, which needs no device."""

T = TypeVar("T")
"""What the encoder makes of it."""

MAX_CACHE_BYTES = 512 << 20
"""How much is kept on the device: of BLIP at the published size, 300 pictures in 32 bits."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class BatchPictures(Generic[P, T]):
    """The pictures of a batch.

    Attributes:
        names: the digests of the distinct ones.
        which: for each input, which of them it is about.
        kept: by digest, what the encoder has made of them before.
        ready: by digest, those that it has not seen yet, or not when this was made.
    """

    names: tuple[str, ...]
    which: tuple[int, ...]
    kept: Mapping[str, T]
    ready: Mapping[str, P]


class PictureFeatureCache(Generic[P, T]):
    """Keeps what was made of pictures; those that were asked about longest ago go first.

    One thread may make a batch ready while another has the one before encoded.
    """

    def __init__(
        self,
        make_ready: Callable[[Sequence[Image]], Sequence[P]],
        encode: Callable[[Sequence[P]], Sequence[T]],
        size: Callable[[T], int],
        most_bytes: int = MAX_CACHE_BYTES,
    ) -> None:
        """Takes both steps.

        Args:
            make_ready: makes pictures ready, which needs no device.
            encode: has ready pictures encoded, on the device.
            size: how many bytes an encoding takes.
            most_bytes: how many are kept.
        """
        self._make_ready = make_ready
        self._encode = encode
        self._size = size
        self._most_bytes = most_bytes
        self._bytes = 0
        self._kept: dict[str, T] = {}
        self._latest: dict[str, P] = {}
        self._before: dict[str, P] = {}
        self._lock = Lock()

    def ready(self, batch: Sequence[ModelInput]) -> BatchPictures[P, T]:
        """The pictures of a batch, of which those that are new are drawn and made ready.

        Raises:
            Exception: what rendering a picture or ``make_ready`` raises; nothing of this batch is remembered then.
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
            made = self._make_ready([item.image for item in new.values()])
            ready.update(zip(new, made, strict=True))
        with self._lock:
            self._before, self._latest = self._latest, dict(ready)
        return BatchPictures(names=tuple(named), which=tuple(which), kept=kept, ready=ready)

    def of(self, shown: BatchPictures[P, T]) -> list[T]:
        """What there is of each input's picture; those that are new are encoded together.

        Raises:
            Exception: what ``encode`` raises; nothing of this batch is kept then.
        """
        with self._lock:
            found = {**shown.kept, **{name: self._kept[name] for name in shown.names if name in self._kept}}
        new = [name for name in shown.names if name not in found]
        if new:
            found.update(zip(new, self._encode([shown.ready[name] for name in new]), strict=True))
        with self._lock:
            for name in shown.names:
                self._put(name, found[name])
            for name in list(self._kept):
                if self._bytes <= self._most_bytes:
                    break
                self._drop(name)
        return [found[shown.names[place]] for place in shown.which]

    def forget(self) -> bool:
        """Lets all go that is kept; whether there was any."""
        with self._lock:
            had = bool(self._kept)
            self._kept.clear()
            self._bytes = 0
        return had

    def give_up(self) -> bool:
        """Lets all go that is kept, and keeps half as much from then on; whether there was any."""
        with self._lock:
            self._most_bytes //= 2
        return self.forget()

    def _put(self, name: str, made: T) -> None:
        self._drop(name)
        self._kept[name] = made
        self._bytes += self._size(made)
        for coming in (self._before, self._latest):
            coming.pop(name, None)

    def _drop(self, name: str) -> None:
        if name in self._kept:
            self._bytes -= self._size(self._kept.pop(name))
