"""Regions that no detector has seen: made of a picture's name or of its pixels, and files of them."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from PIL.Image import Image

from pytest_vqamt.models.region_models.regions import FEATURE_WIDTH

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """Regions as a detector gives them: ``boxes_px`` (n, 4), ``features`` (n, 2048)."""

    boxes_px: Floats
    features: Floats


def made(seed: int, *, width: int, height: int, count: int = 36) -> Made:
    """Random regions of a picture: features of 0 to about 4, most of them 0 as behind a ReLU."""
    random = np.random.default_rng(seed)
    corners = np.sort(random.random((count, 2, 2)), axis=1).reshape(count, 4)
    return Made(
        boxes_px=(corners * (width, height, width, height)).astype(np.float32),
        features=np.maximum(random.normal(-0.5, 1.2, (count, FEATURE_WIDTH)), 0).astype(np.float32),
    )


@dataclass(slots=True)
class Looking:
    """A detector that draws its regions from the pixels, one a pixel at most, and notes the sizes of pictures."""

    fingerprint: str = "looking-1"
    seen: list[tuple[int, int]] = field(default_factory=list)
    after: Callable[[], object] = lambda: None

    def find(self, image: Image) -> Made:
        self.seen.append(image.size)
        self.after()
        count = min(36, image.width * image.height)
        return made(crc32(image.tobytes()), width=image.width, height=image.height, count=count)


def write_npz(file: Path, photos: Mapping[str, tuple[Made, tuple[int, int]]]) -> Path:
    """The archive of the documentation: ``ID/features``, ``ID/boxes`` and ``ID/size`` of each photo."""
    arrays: dict[str, object] = {}
    for photo, (regions, size) in photos.items():
        arrays |= {f"{photo}/features": regions.features, f"{photo}/boxes": regions.boxes_px, f"{photo}/size": size}
    # numpy types all its named arguments alike, one of which is a bool
    np.savez(file, **{name: np.asarray(array) for name, array in arrays.items()})  # type: ignore[arg-type]
    return file


def tsv_row(photo: str, regions: Made, size: tuple[int, int]) -> bytes:
    """A row as LXMERT's authors write it, with some confidences and ids; without its end."""
    count = len(regions.features)
    numbers, shares = np.arange(count, dtype="<i8"), np.linspace(1, 0.2, count).astype("<f4")
    fields = (
        photo.encode(), b"%d" % size[1], b"%d" % size[0],
        *(base64.b64encode(array.tobytes()) for array in (numbers, shares, numbers, shares)),
        b"%d" % count,
        *(base64.b64encode(array.astype("<f4").tobytes()) for array in (regions.boxes_px, regions.features)),
    )  # fmt: skip
    return b"\t".join(fields)
