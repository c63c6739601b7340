"""What a model has made of the latest pictures: a picture is rendered and encoded once for all that is asked of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

from pytest_vqamt.core.query import ModelInput
from pytest_vqamt.models.distinct import distinct

if TYPE_CHECKING:
    from PIL.Image import Image

T = TypeVar("T")


class PictureMemory(Generic[T]):
    """Keeps what was made of at most so many pictures, those that were asked about longest ago going first."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: dict[str, T] = {}

    def of(self, batch: Sequence[ModelInput], make: Callable[[Sequence[Image]], Sequence[T]]) -> list[T]:
        """What there is of each input's picture; ``make`` is called once, for the pictures that are new.

        Raises:
            Exception: what rendering a picture or ``make`` raises; nothing of this batch is kept then.
        """
        firsts, which = distinct(batch)
        digests = [asked.query.picture.digest for asked in firsts]
        new = [asked for asked, digest in zip(firsts, digests, strict=True) if digest not in self._kept]
        made = make([asked.image for asked in new]) if new else ()
        found = {digest: self._kept[digest] for digest in digests if digest in self._kept}
        found.update(zip((asked.query.picture.digest for asked in new), made, strict=True))
        for digest in digests:
            self._kept.pop(digest, None)
            self._kept[digest] = found[digest]
        for digest in list(self._kept)[: -self._most]:
            del self._kept[digest]
        return [found[digests[place]] for place in which]
