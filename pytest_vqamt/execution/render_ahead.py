"""Pictures drawn on threads while the model works on those before."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import TYPE_CHECKING

from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.protocols import PhotoStore

if TYPE_CHECKING:
    from PIL.Image import Image

_AHEAD = 64
"""Pictures drawn ahead of a model that takes few at once."""


class RenderAhead:
    """Renders pictures a little ahead of the one that the model looks at, in the order that was told.

    Nothing is drawn before the model has touched an image: a model that looks behind the picture, or at nothing at all,
    costs no drawing. While the model works on one batch, the next is drawn; as many images again are kept of those that
    it has looked at, should they be asked about once more.
    """

    def __init__(self, photos: PhotoStore, batch_size: int, *, threads: int = 2) -> None:
        self._photos = photos
        self._ahead = max(_AHEAD, batch_size)
        self._pool = ThreadPoolExecutor(max_workers=threads, thread_name_prefix="vqamt-render")
        self._images: OrderedDict[str, Future[Image]] = OrderedDict()
        self._lock = Lock()
        self._order: tuple[Picture, ...] = ()
        self._places: dict[str, int] = {}
        self._started = 0

    def expect(self, pictures: Iterable[Picture], batch_size: int = 1) -> None:
        """Tells which pictures the model is shown next, in their order, and how many at once."""
        distinct = {picture.digest: picture for picture in pictures}
        with self._lock:
            self._ahead = max(self._ahead, batch_size)
            self._order = tuple(distinct.values())
            self._places = {name: place for place, name in enumerate(distinct)}
            self._started = 0

    def image(self, picture: Picture) -> Image:
        """The picture's pixels, drawn ahead or now. A model may change what it gets."""
        with self._lock:
            future = self._ordered(picture)
            if (place := self._places.get(picture.digest)) is not None:
                upto = place + 1 + self._ahead
                for coming in self._order[max(place + 1, self._started) : upto]:
                    self._ordered(coming)
                self._started = max(upto, self._started)
        return future.result().copy()

    def close(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _ordered(self, picture: Picture) -> Future[Image]:
        future = self._images.get(picture.digest)
        if future is None:
            future = self._images[picture.digest] = self._pool.submit(self._render, picture)
            while len(self._images) > 2 * self._ahead:
                self._images.popitem(last=False)
        else:
            self._images.move_to_end(picture.digest)
        return future

    def _render(self, picture: Picture) -> Image:
        from pytest_vqamt.imaging.render import render  # brings PIL, which a model that never looks can do without

        return render(picture, self._photos)
