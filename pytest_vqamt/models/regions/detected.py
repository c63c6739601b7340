"""What a detector finds on pictures, kept so that it sees each of them once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Protocol

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.query import ModelInput
from pytest_vqamt.models.region_models.feature_cache import KeptRegions, LatestRegions, Precision, rounded
from pytest_vqamt.models.region_models.regions import WIDTH, Regions

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL.Image import Image


class Found(Protocol):
    """What a detector has found on a picture: ``boxes_px`` (n, 4) x1 y1 x2 y2 in its pixels, ``features`` (n, 2048)."""

    @property
    def boxes_px(self) -> NDArray[np.float32]: ...
    @property
    def features(self) -> NDArray[np.float32]: ...


class Finder(Protocol):
    """A detector."""

    @property
    def fingerprint(self) -> str: ...
    def find(self, image: Image) -> Found: ...


class DetectedRegions:
    """What the detector finds on each picture, which it sees once: its findings are kept in memory and on disk."""

    def __init__(self, detector: Finder, folder: Path | None, precision: Precision = "float32") -> None:
        """``folder`` is where regions are kept for later runs; None keeps them for this one."""
        self._detector = detector
        self._precision = precision
        self._latest = LatestRegions()
        self._kept = KeptRegions(folder, precision) if folder else None
        self._used: Counter[str] = Counter()
        self._lock = Lock()
        self._keeping = Lock()
        self.fingerprint = f"{detector.fingerprint} features-dtype={precision}"

    @property
    def usage(self) -> Mapping[str, float]:
        return {
            "pictures through the detector": self._used["detector"],
            "features from disk": self._used["disk"],
        }

    def ready(self, batch: Sequence[ModelInput]) -> Sequence[Regions | None]:
        """The regions of each picture that was looked at before; the others are drawn, for the detector to look at."""
        return tuple(self._remembered(asked) for asked in batch)

    def regions(self, batch: Sequence[ModelInput]) -> Sequence[Regions]:
        """The regions of each picture. One that another process is just looking at is left for last."""
        keys = [digest(self.fingerprint, asked.query.picture.digest) for asked in batch]
        found: dict[str, Regions] = {}
        for wait in (False, True):
            for key, asked in zip(keys, batch, strict=True):
                if key not in found and (regions := self._of(key, asked, wait)) is not None:
                    found[key] = regions
        return tuple(found[key] for key in keys)

    def _remembered(self, asked: ModelInput) -> Regions | None:
        key = digest(self.fingerprint, asked.query.picture.digest)
        with self._keeping:  # two threads may make two batches ready that share a picture
            regions = self._latest.get(key)
            if regions is None and self._kept is not None:
                regions = self._read(self._kept, key)
            if regions is not None:
                self._latest.put(key, regions)
        if regions is None:
            asked.image  # noqa: B018  # drawn when it is first touched
        return regions

    def _of(self, key: str, asked: ModelInput, wait: bool) -> Regions | None:
        """The regions of a picture; None where another process is looking at it, and there is no wish to wait."""
        regions = self._latest.get(key)
        if regions is None:
            regions = self._detected(asked) if self._kept is None else self._shared(self._kept, key, asked, wait)
        if regions is not None:
            self._latest.put(key, regions)
        return regions

    def _shared(self, kept: KeptRegions, key: str, asked: ModelInput, wait: bool) -> Regions | None:
        """What some process has found on a picture, or what this one does."""
        regions = self._read(kept, key)
        if regions is not None:
            return regions
        with kept.claim(key, wait) as is_ours:
            if not is_ours:
                return None
            regions = self._read(kept, key)
            if regions is None:
                regions = self._detected(asked)
                with self._keeping:  # nobody here reads it from the disk
                    self._latest.put(key, regions)
                    kept.put(key, regions)
            return regions

    def _read(self, kept: KeptRegions, key: str) -> Regions | None:
        regions = kept.get(key)
        self._count("disk", regions is not None)
        return regions

    def _detected(self, asked: ModelInput) -> Regions:
        image = asked.image
        found = self._detector.find(image)
        if found.features.shape[1:] != (WIDTH,):
            raise ModelError(
                f"Expected a detector of {WIDTH} features a region, as LXMERT and VisualBERT take them, but got "
                f"{found.features.shape[1]}: give the one of the Bottom-Up-Top-Down paper"
            )
        self._count("detector", True)
        regions = Regions.of(found.boxes_px, found.features, width=image.width, height=image.height)
        return rounded(regions, self._precision)

    def _count(self, what: str, happened: bool) -> None:
        with self._lock:
            self._used[what] += happened
