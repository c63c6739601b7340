"""Pillow kept from putting up with torn images, which other libraries tell it to for the whole process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock

from PIL import ImageFile


@dataclass(slots=True)
class _Strictness:
    """Who is reading strictly, and what the setting was before the first of them."""

    readers: int = 0
    before: bool = False
    lock: Lock = field(default_factory=Lock)


_now = _Strictness()


@contextmanager
def strict() -> Iterator[None]:
    """Within it a torn image is an error, in every thread; the setting comes back when the last thread has left."""
    with _now.lock:
        if not _now.readers:
            _now.before, ImageFile.LOAD_TRUNCATED_IMAGES = ImageFile.LOAD_TRUNCATED_IMAGES, False
        _now.readers += 1
    try:
        yield
    finally:
        with _now.lock:
            _now.readers -= 1
            if not _now.readers:
                ImageFile.LOAD_TRUNCATED_IMAGES = _now.before
