"""The pictures of a batch as data URIs: PNG, which loses nothing."""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING

from pytest_vqamt.core.query import ModelInput
from pytest_vqamt.models.distinct import distinct
from pytest_vqamt.models.http.png import png_of

if TYPE_CHECKING:
    from PIL.Image import Image


class Pictures:
    """Each distinct picture of a batch is encoded once, when it is first sent, and dropped after its last query.

    Threads may ask at once. Only the input that comes first with a picture has its ``image`` touched.
    """

    def __init__(self, batch: Sequence[ModelInput]) -> None:
        firsts, which = distinct(batch)
        uses = Counter(which)
        self._which = which
        self._kept = [_Picture(asked, uses[place]) for place, asked in enumerate(firsts)]

    def uri(self, place: int) -> str:
        """The data URI of the picture of the input at ``place`` in the batch.

        Raises:
            Exception: whatever drawing the picture raises.
        """
        return self._kept[self._which[place]].uri()

    def done(self, place: int) -> None:
        """Tells that the input at ``place`` needs its picture no more."""
        self._kept[self._which[place]].done()


class _Picture:
    def __init__(self, asked: ModelInput, uses: int) -> None:
        self._asked = asked
        self._uses = uses
        self._uri = ""
        self._lock = Lock()

    def uri(self) -> str:
        with self._lock:
            if not self._uri:
                self._uri = data_uri(self._asked.image)
            return self._uri

    def done(self) -> None:
        with self._lock:
            self._uses -= 1
            if self._uses <= 0:
                self._uri = ""


def data_uri(image: Image) -> str:
    """The image, RGB uint8, as a PNG in base64: the very pixels come out of it again."""
    return f"data:image/png;base64,{b64encode(png_of(image)).decode('ascii')}"
