"""Pictures drawn on threads while the model works on those before."""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import accumulate
from threading import Lock
from typing import TYPE_CHECKING

from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import PhotoStore

if TYPE_CHECKING:
    from PIL.Image import Image


_AHEAD = 64
"""Pictures drawn ahead of a model that takes few at once."""
MOST_BYTES = 1 << 30
"""How much memory images take at most, half of it those drawn ahead: of 12 megapixels 22 in all."""


class RenderAhead:
    """Renders pictures a little ahead of the one that the model looks at, in the order that was told.

    Nothing is drawn before the model has touched an image: a model that looks behind the picture, or at nothing at all,
    costs no drawing. While the model works on one batch, the next is drawn; as many images again are kept of those that
    it has looked at, should they be asked about once more. Of large photos it is fewer. One that could not be drawn is
    tried again when it is asked for again.
    """

    def __init__(self, photos: PhotoStore, batch_size: int, *, threads: int = 2) -> None:
        self._photos = photos
        self._ahead = max(_AHEAD, batch_size)
        self._pool = ThreadPoolExecutor(max_workers=threads, thread_name_prefix="vqamt-render")
        self._images: OrderedDict[str, tuple[Future[Image], int]] = OrderedDict()
        self._lock = Lock()
        self._order: tuple[Picture, ...] = ()
        self._places: dict[str, int] = {}
        self._upto_bytes: Sequence[int] = ()
        self._bytes = 0
        self._started = 0

    def expect(self, pictures: Iterable[Picture], batch_size: int = 1) -> None:
        """Tells which pictures the model is shown next, in their order, and how many at once."""
        distinct = {picture.digest: picture for picture in pictures}
        with self._lock:
            self._ahead = max(self._ahead, batch_size)
            self._order = tuple(distinct.values())
            self._places = {name: place for place, name in enumerate(distinct)}
            self._upto_bytes = tuple(accumulate(map(_bytes_of, self._order)))
            self._started = 0

    def image(self, picture: Picture) -> Image:
        """The picture's pixels, drawn ahead or now. A model may change what it gets."""
        with self._lock:
            future = self._ordered(picture)
            if (place := self._places.get(picture.digest)) is not None:
                most = bisect_right(self._upto_bytes, self._upto_bytes[place] + MOST_BYTES // 2)
                upto = min(place + 1 + self._ahead, most)
                for coming in self._order[max(place + 1, self._started) : upto]:
                    self._ordered(coming)
                self._started = max(upto, self._started)
        return future.result().copy()

    def close(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _ordered(self, picture: Picture) -> Future[Image]:
        if picture.digest in self._images:
            self._images.move_to_end(picture.digest)
        else:
            self._images[picture.digest] = self._pool.submit(self._render, picture), _bytes_of(picture)
            self._bytes += _bytes_of(picture)
            while len(self._images) > 2 * self._ahead or (self._bytes > MOST_BYTES and len(self._images) > 1):
                self._let_go(next(iter(self._images)))
        return self._images[picture.digest][0]

    def _let_go(self, name: str) -> None:
        self._bytes -= self._images.pop(name)[1]

    def _render(self, picture: Picture) -> Image:
        from pytest_vqamt.imaging.render import render  # brings PIL, which a model that never looks can do without

        try:
            return render(picture, self._photos)
        except BaseException:  # whoever looks at it gets this; whoever looks at it later may fare better
            with self._lock:
                if picture.digest in self._images:
                    self._let_go(picture.digest)
            raise


def _bytes_of(picture: Picture) -> int:
    """What its image takes: Pillow keeps RGB in four bytes a pixel."""
    return 4 * picture.scene.width * picture.scene.height
