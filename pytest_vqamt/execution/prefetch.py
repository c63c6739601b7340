"""What a model is shown: its next inputs are drawn, and made ready, while it works on those before."""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from functools import partial
from itertools import accumulate
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import ModelInput, PhotoStore, Query
from pytest_vqamt.models.base import LoadedModel

if TYPE_CHECKING:
    from PIL.Image import Image


_AT_END_S = 5.0
"""For so long at most the end waits for what is being made ready: nobody wants it any more."""


class InputPipeline:
    """The inputs of one model with the pictures of one source, for all items in a row that ask it.

    What was made ready of the latest queries that were said to come is kept until they do, if they do.
    """

    def __init__(self, photos: PhotoStore, batch_size: int) -> None:
        self._pictures = RenderPrefetcher(photos, batch_size)
        self._aside = DaemonExecutor(1, "vqamt-prepare")
        self._ready: dict[str, ModelInput] = {}
        self._under_way: Future[None] | None = None

    def expect(self, pictures: Iterable[Picture], batch_size: int) -> None:
        """Tells which pictures come next, in their order, and how many at once."""
        drawn = {each.query.picture.digest for each in self._ready.values()}
        self._pictures.expect((picture for picture in pictures if picture.digest not in drawn), batch_size)

    def inputs(self, batch: Sequence[Query]) -> list[ModelInput]:
        """What the model is shown now, which is not being made ready any more.

        A batch that was made ready as a whole comes in the order in which it was: so it was put together.
        """
        self._settle()
        wanted = {query.id: query for query in batch}
        names = list(self._ready) if self._ready.keys() == wanted.keys() else list(wanted)
        return [self._ready.pop(name) if name in self._ready else self._input(wanted[name]) for name in names]

    def make_ready(self, model: LoadedModel, coming: Sequence[Query]) -> None:
        """Has the model prepare for what comes next, on a thread of its own, and returns at once."""
        if not coming:
            return
        self._settle()
        inputs = [self._ready.get(query.id) or self._input(query) for query in coming]
        self._ready = {each.query.id: each for each in inputs}
        self._under_way = self._aside.start(partial(model.prepare, coming[0].task, inputs))

    def close(self) -> None:
        """Lets go of what was made ready."""
        if self._under_way is not None:
            wait((self._under_way,), timeout=_AT_END_S)
        self._ready.clear()
        self._aside.close()
        self._pictures.close()

    def _input(self, query: Query) -> ModelInput:
        return ModelInput(query, self._pictures.image)

    def _settle(self) -> None:
        while self._under_way is not None:
            if wait((self._under_way,), timeout=WAIT_SLICE_S).done:
                self._under_way = None


_AHEAD = 64
"""Pictures drawn ahead of a model that takes few at once."""
MAX_IMAGE_BYTES = 1 << 30
"""How much memory images take at most, half of it those drawn ahead: of 12 megapixels 22 in all."""


class RenderPrefetcher:
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
                most = bisect_right(self._upto_bytes, self._upto_bytes[place] + MAX_IMAGE_BYTES // 2)
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
            while len(self._images) > 2 * self._ahead or (self._bytes > MAX_IMAGE_BYTES and len(self._images) > 1):
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


Value = TypeVar("Value")

WAIT_SLICE_S = 1.0
"""A wait is cut into pieces so long, between which an interruption is noticed on every system."""


class DaemonExecutor:
    """A few threads that work on what they are given, in its order.

    Not a ThreadPoolExecutor: for its threads the interpreter waits at its end, and a model may be long in answering
    when somebody presses Ctrl-C.
    """

    def __init__(self, threads: int, name: str) -> None:
        self._most = threads
        self._name = name
        self._threads: list[Thread] = []
        self._waiting: SimpleQueue[Callable[[], None] | None] = SimpleQueue()

    def start(self, call: Callable[[], Value]) -> Future[Value]:
        """What ``call`` returns or raises, when it has."""
        future: Future[Value] = Future()

        def work() -> None:
            try:
                value = call()
            except BaseException as error:  # handed to whoever wants the value, be it an interruption
                future.set_exception(error)
            else:
                future.set_result(value)

        self._waiting.put(work)
        if len(self._threads) < self._most:
            thread = Thread(target=self._work, name=self._name, daemon=True)
            thread.start()
            self._threads.append(thread)  # not before: a time limit may be up in between
        return future

    def close(self) -> None:
        """Takes no more; what is under way goes on, and what has not begun does not begin."""
        with suppress(Empty):  # asked whether it is empty, it might say no, and a thread take the last
            while True:
                self._waiting.get_nowait()
        for _ in self._threads:
            self._waiting.put(None)

    def __enter__(self) -> DaemonExecutor:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _work(self) -> None:
        while (work := self._waiting.get()) is not None:
            work()
            del work  # it holds the batch
