"""The source of regions: a file of features, or a detector behind a cache."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Protocol

from pytest_vqamt.core.errors import ModelError, OptionError, did_you_mean
from pytest_vqamt.core.query import ModelInput
from pytest_vqamt.models.base import ModelOptions
from pytest_vqamt.models.region_models.feature_cache import BoxDetector, DetectedRegions, Precision
from pytest_vqamt.models.region_models.feature_files import FeatureFile
from pytest_vqamt.models.region_models.regions import Regions, RegionSource

_PRECISIONS: Mapping[str, Precision] = {"float32": "float32", "float16": "float16"}


class MeteredRegionSource(RegionSource, Protocol):
    """A source of regions that counts its work."""

    @property
    def usage(self) -> Mapping[str, float]: ...


class FileRegions:
    """Regions from a file of features, and from a detector for other pictures, if there is one."""

    def __init__(self, file: FeatureFile, detected: DetectedRegions | None) -> None:
        self._file = file
        self._detected = detected
        self._read = 0
        self._lock = Lock()
        self.fingerprint = f"{file.fingerprint} {detected.fingerprint if detected else 'no detector'}"

    @property
    def usage(self) -> Mapping[str, float]:
        return {"features from the file": self._read, **(self._detected.usage if self._detected else {})}

    def prefetch(self, batch: Sequence[ModelInput]) -> Sequence[Regions | None]:
        found, others = self._found(batch)
        kept = iter(self._detected.prefetch(others) if self._detected else ())
        return tuple(next(kept) if regions is None else regions for regions in found)

    def regions(self, batch: Sequence[ModelInput]) -> Sequence[Regions]:
        """The regions of each picture.

        Raises:
            DataError: the file lacks a picture, and there is no detector.
        """
        found, others = self._found(batch)
        detected = iter(self._detected.regions(others) if self._detected else ())
        return tuple(next(detected) if regions is None else regions for regions in found)

    def _found(self, batch: Sequence[ModelInput]) -> tuple[list[Regions | None], list[ModelInput]]:
        """The file's regions of each picture, and the inputs about all other pictures."""
        found = [self._file.find(item.query.picture) for item in batch]
        others = [item for item, regions in zip(batch, found, strict=True) if regions is None]
        if others and self._detected is None:
            raise self._file.lacks(others[0].query.picture)
        with self._lock:
            self._read += len(batch) - len(others)
        return found, others


def region_source(options: ModelOptions, beside: Path | None) -> MeteredRegionSource:
    """The source of the settings; ``beside`` is the model's folder, which may hold a detector.

    Raises:
        OptionError: a setting is invalid.
        DataError: the file of features cannot be read.
        ModelError: there is no detector, and no file of features either.
    """
    precision = _precision(options.settings.get("features-dtype", "float32"))
    named = options.settings.get("features")
    if named is None:
        return DetectedRegions(_detector(options, beside), _cache_folder(options), precision)
    file = FeatureFile(Path(named).expanduser())
    return FileRegions(file, _optional_detector(options, beside, precision))


def _detector(options: ModelOptions, beside: Path | None) -> BoxDetector:
    from pytest_vqamt.models.region_models.frcnn.loading import load_detector

    return load_detector(options, beside)


def _optional_detector(options: ModelOptions, beside: Path | None, precision: Precision) -> DetectedRegions | None:
    """The detector, if one is named or found; with a file of features none is required."""
    from pytest_vqamt.models.region_models.frcnn.loading import find_detector

    if not options.settings.get("detector") and not os.environ.get("VQAMT_DETECTOR"):
        try:
            find_detector(beside, options)
        except ModelError:
            return None
    return DetectedRegions(_detector(options, beside), _cache_folder(options), precision)


def _cache_folder(options: ModelOptions) -> Path | None:
    return options.cache / "regions" if options.cache else None


def _precision(named: str) -> Precision:
    if named not in _PRECISIONS:
        raise OptionError(
            f"Expected --vqamt-option features-dtype=float32 or float16, but got features-dtype={named!r}; "
            f"{did_you_mean(named, _PRECISIONS)}"
        )
    return _PRECISIONS[named]
