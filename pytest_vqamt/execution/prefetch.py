"""Renders and preprocesses the next inputs of a model while it works on the current batch."""

from __future__ import annotations

import operator
import os
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import partial
from itertools import accumulate
from threading import Lock
from typing import TYPE_CHECKING, TypeAlias

from pytest_vqamt.core.daemon_executor import WAIT_SLICE_S, DaemonExecutor
from pytest_vqamt.core.lru import LruCache
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import ModelInput, PhotoStore, PictureEncoder, PictureFile, Query
from pytest_vqamt.execution.plan_ahead import PlanAhead
from pytest_vqamt.models.wrapped import LoadedModel

if TYPE_CHECKING:
    from PIL.Image import Image


MAX_IMAGE_BYTES = 1 << 30
"""The memory for images, half of it for those rendered ahead: 22 images of 12 megapixels in all."""

MAX_FILE_BYTES = 256 << 20
"""The memory for encoded pictures, about 1,000 photos of 640 x 480 px: the next relations ask about them, too."""

_MIN_AHEAD = 64
"""Pictures rendered ahead of a model with small batches."""

_FileKey: TypeAlias = tuple[str, PictureEncoder, bool]
"""The digest of a picture, what encodes it, and whether without loss."""

_CLOSE_TIMEOUT_S = 5.0
"""How long closing waits for preprocessing that is no longer needed."""


class InputPipeline:
    """The inputs of one model with the pictures of one source, over several items."""

    def __init__(self, photos: PhotoStore, batch_size: int) -> None:
        self._renderer = RenderPrefetcher(photos, batch_size)
        self._executor = DaemonExecutor(1, "vqamt-prepare")
        self._ready: dict[str, ModelInput] = {}
        self._preprocessing: Future[None] | None = None

    def expect(self, pictures: Iterable[Picture], batch_size: int) -> None:
        """Announces the next pictures, in order, and how many of them make a batch."""
        # A preprocessed input has its image already: rendering it again would be in vain.
        rendered = {each.query.picture.digest for each in self._ready.values()}
        self._renderer.expect((picture for picture in pictures if picture.digest not in rendered), batch_size)

    def inputs(self, batch: Sequence[Query], *, lossless: bool = False) -> list[ModelInput]:
        """The inputs of ``batch``, preprocessed where ``preprocess`` was called for them.

        A batch that was preprocessed as a whole comes in that order: the model may have collated it. With ``lossless``
        they have this attribute.
        """
        self._settle()
        wanted = {query.id: query for query in batch}
        # The batch size may have changed since: then only single inputs are taken over, not the collation.
        names = list(self._ready) if self._ready.keys() == wanted.keys() else list(wanted)
        inputs = [self._ready.pop(name) if name in self._ready else self._input(wanted[name]) for name in names]
        for each in inputs:
            each.lossless = lossless
        return inputs

    def preprocess(self, model: LoadedModel, upcoming: Sequence[Query]) -> None:
        """Lets the model preprocess the next inputs on another thread, and returns at once."""
        if not upcoming:
            return
        self._settle()
        # An input may be ready from the call before, where its batch was cut down.
        inputs = [self._ready.get(query.id) or self._input(query) for query in upcoming]
        self._ready = {each.query.id: each for each in inputs}
        self._preprocessing = self._executor.submit(partial(model.prepare, upcoming[0].task, inputs))

    def close(self) -> None:
        """Discards the preprocessed inputs."""
        if self._preprocessing is not None:
            wait((self._preprocessing,), timeout=_CLOSE_TIMEOUT_S)
        self._ready.clear()
        self._executor.close()
        self._renderer.close()

    def _input(self, query: Query) -> ModelInput:
        return ModelInput(query, self._renderer.image, self._renderer.file)

    def _settle(self) -> None:
        # In slices, so that Ctrl-C is noticed while a slow preprocessing runs.
        while self._preprocessing is not None:
            if wait((self._preprocessing,), timeout=WAIT_SLICE_S).done:
                self._preprocessing = None


class SharedPipeline:
    """What the items of a run share: the input pipeline of one model and one data source, and the next item's plan."""

    def __init__(self) -> None:
        self.ahead = PlanAhead()
        self._pipeline: InputPipeline | None = None
        self._of: tuple[object, ...] = ()
        self._process = os.getpid()

    def of(self, model: LoadedModel, photos: PhotoStore) -> InputPipeline:
        """The pipeline of an item."""
        if self._process != os.getpid():
            self._pipeline, self._process = None, os.getpid()  # a fork has none of its threads
        # By identity: models and sources of users may define == as they like.
        if self._pipeline is None or not all(map(operator.is_, self._of, (model, photos))):
            self._close_pipeline()
            self._pipeline, self._of = InputPipeline(photos, model.batch_size), (model, photos)
        return self._pipeline

    def close(self) -> None:
        """Stops prefetching; the next item begins anew."""
        self.ahead.close()
        self._close_pipeline()

    def _close_pipeline(self) -> None:
        if self._pipeline is not None:
            self._pipeline.close()
        self._pipeline, self._of = None, ()  # holds no model that is released


class RenderPrefetcher:
    """Renders pictures a little ahead of the one that the model reads, in the announced order.

    Nothing is rendered before the model has read an image: a model that reads none costs no rendering. While the model
    works on one batch, the next is rendered, and as many used images are kept for later queries; fewer if they are
    large. A picture that could not be rendered is tried again at the next request.
    """

    def __init__(self, photos: PhotoStore, batch_size: int, *, threads: int = 2) -> None:
        self._photos = photos
        self._ahead = max(_MIN_AHEAD, batch_size)
        self._pool = ThreadPoolExecutor(max_workers=threads, thread_name_prefix="vqamt-render")
        self._images: OrderedDict[str, tuple[Future[Image], int]] = OrderedDict()
        self._lock = Lock()
        self._order: tuple[Picture, ...] = ()
        self._places: dict[str, int] = {}
        self._cumulative_bytes: Sequence[int] = ()
        self._bytes = 0
        self._started = 0
        self._files: LruCache[_FileKey, PictureFile] = LruCache(MAX_FILE_BYTES, lambda file: len(file.base64))
        self._encoding: dict[_FileKey, Future[PictureFile]] = {}
        self._process = os.getpid()

    def expect(self, pictures: Iterable[Picture], batch_size: int = 1) -> None:
        """Announces the next pictures, in order, and how many of them make a batch."""
        distinct = {picture.digest: picture for picture in pictures}
        with self._lock:
            self._ahead = max(self._ahead, batch_size)
            self._order = tuple(distinct.values())
            self._places = {name: place for place, name in enumerate(distinct)}
            self._cumulative_bytes = tuple(accumulate(map(_bytes_of, self._order)))
            self._started = 0

    def image(self, picture: Picture) -> Image:
        """The rendered picture, which is shared: no caller may change it."""
        # A model may read its inputs in forks, as a DataLoader of torch does, where no thread of this process runs.
        if self._process != os.getpid():
            return _rendered(picture, self._photos)
        with self._lock:
            future = self._submit(picture)
            for upcoming in self._upcoming(picture):
                self._submit(upcoming)
        # Outside the lock: rendering takes it when it fails.
        return future.result()

    def file(self, picture: Picture, encoder: PictureEncoder, lossless: bool) -> PictureFile:  # a callback
        """The picture as a file that ``encoder`` makes: rendered and encoded on the same threads, ahead as images are.

        The files that were used last are kept for later queries.
        """
        if self._process != os.getpid():
            return self._made(picture, encoder, lossless=lossless)
        with self._lock:
            future = self._encode(picture, encoder, lossless=lossless)
            for upcoming in self._upcoming(picture):
                self._encode(upcoming, encoder, lossless=lossless)
        return future if isinstance(future, PictureFile) else future.result()

    def close(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _upcoming(self, picture: Picture) -> Sequence[Picture]:
        """The pictures to begin with now that the model reads ``picture``."""
        place = self._places.get(picture.digest)
        if place is None:
            return ()
        # Half of the memory is for pictures ahead; the other half holds used images for later queries.
        most = bisect_right(self._cumulative_bytes, self._cumulative_bytes[place] + MAX_IMAGE_BYTES // 2)
        upto = min(place + 1 + self._ahead, most)
        upcoming = self._order[max(place + 1, self._started) : upto]
        self._started = max(upto, self._started)
        return upcoming

    def _encode(
        self, picture: Picture, encoder: PictureEncoder, *, lossless: bool
    ) -> PictureFile | Future[PictureFile]:
        key = picture.digest, encoder, lossless
        if (known := self._files.get(key)) is not None:
            return known
        if key not in self._encoding:
            self._encoding[key] = self._pool.submit(self._encoded, picture, key)
        return self._encoding[key]

    def _encoded(self, picture: Picture, key: _FileKey) -> PictureFile:
        _, encoder, lossless = key
        try:
            file = self._made(picture, encoder, lossless=lossless)
            self._files.put(key, file)
        finally:
            # A picture that failed is tried again at the next request.
            with self._lock:
                self._encoding.pop(key, None)
        return file

    def _made(self, picture: Picture, encoder: PictureEncoder, *, lossless: bool) -> PictureFile:
        return encoder.encode(picture, lambda: _rendered(picture, self._photos), self._photos, lossless=lossless)

    def _submit(self, picture: Picture) -> Future[Image]:
        if picture.digest in self._images:
            self._images.move_to_end(picture.digest)
        else:
            self._images[picture.digest] = self._pool.submit(self._render, picture), _bytes_of(picture)
            self._bytes += _bytes_of(picture)
            # The least recently used go first. One image always stays: it may be larger than the limit on its own.
            while len(self._images) > 2 * self._ahead or (self._bytes > MAX_IMAGE_BYTES and len(self._images) > 1):
                self._discard(next(iter(self._images)))
        return self._images[picture.digest][0]

    def _discard(self, name: str) -> None:
        self._bytes -= self._images.pop(name)[1]

    def _render(self, picture: Picture) -> Image:
        try:
            return _rendered(picture, self._photos)
        except BaseException:
            # A failed future in the table would raise at every later request.
            with self._lock:
                if picture.digest in self._images:
                    self._discard(picture.digest)
            raise


def _rendered(picture: Picture, photos: PhotoStore) -> Image:
    from pytest_vqamt.imaging.render import render  # imports PIL, which a model without pixels does not need

    return render(picture, photos)


def _bytes_of(picture: Picture) -> int:
    """Pillow keeps RGB in four bytes a pixel."""
    return 4 * picture.scene.width * picture.scene.height
