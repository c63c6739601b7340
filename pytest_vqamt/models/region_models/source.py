"""Where the regions of a picture come from: a file of features, what was kept of an earlier run, or the detector."""

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
    """A source of regions that counts what it has cost."""

    @property
    def usage(self) -> Mapping[str, float]: ...


class FileRegions:
    """The features in a file, and those that a detector finds of other pictures, where there is one."""

    def __init__(self, file: FeatureFile, detected: DetectedRegions | None) -> None:
        self._file = file
        self._detected = detected
        self._read = 0
        self._lock = Lock()
        self.fingerprint = f"{file.fingerprint} {detected.fingerprint if detected else 'no detector'}"

    @property
    def usage(self) -> Mapping[str, float]:
        return {"features from the file": self._read, **(self._detected.usage if self._detected else {})}

    def ready(self, batch: Sequence[ModelInput]) -> Sequence[Regions | None]:
        """What the file, or an earlier look, has of each picture.

        Raises:
            DataError: neither has those of a picture, and there is no detector.
        """
        found, others = self._found(batch)
        kept = iter(self._detected.ready(others) if self._detected else ())
        return tuple(next(kept) if regions is None else regions for regions in found)

    def regions(self, batch: Sequence[ModelInput]) -> Sequence[Regions]:
        """The regions of each picture.

        Raises:
            DataError: the file cannot give those of a picture, and there is no detector.
        """
        found, others = self._found(batch)
        detected = iter(self._detected.regions(others) if self._detected else ())
        return tuple(next(detected) if regions is None else regions for regions in found)

    def _found(self, batch: Sequence[ModelInput]) -> tuple[list[Regions | None], list[ModelInput]]:
        """What the file has of each picture, and the inputs about all other pictures, which are the detector's."""
        found = [self._file.find(item.query.picture) for item in batch]
        others = [item for item, regions in zip(batch, found, strict=True) if regions is None]
        if others and self._detected is None:
            raise self._file.lacks(others[0].query.picture)
        with self._lock:
            self._read += len(batch) - len(others)
        return found, others


def region_source(options: ModelOptions, beside: Path | None) -> MeteredRegionSource:
    """The source that the settings name; ``beside`` is the folder of the model, where a detector may lie.

    Raises:
        OptionError: a setting is wrong.
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
    """The detector, where the user names one or one is found; a file of features alone will do, too."""
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
