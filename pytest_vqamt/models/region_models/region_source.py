"""The source of regions: a file of features, or a detector behind a cache."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from pytest_vqamt.core.atomic_write import replacing_cached
from pytest_vqamt.core.errors import ModelError, OptionError, near_name
from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.input_files import expanded
from pytest_vqamt.core.lru import LruCache
from pytest_vqamt.core.query import ModelInput
from pytest_vqamt.core.spelling import option, setting
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.region_models.feature_files import FeatureFile
from pytest_vqamt.models.region_models.frcnn.loading import DETECTOR_VARIABLE, find_detector, load_detector
from pytest_vqamt.models.region_models.regions import FEATURE_WIDTH, REGIONS, Regions

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL.Image import Image


Precision: TypeAlias = Literal["float32", "float16"]
"""The precision on disk: 296 kB or 149 kB a picture."""

MEMORY_BYTES = 512 << 20
"""The memory for regions: those of 1,800 pictures."""

_PRECISIONS: Mapping[str, Precision] = {"float32": "float32", "float16": "float16"}


class DiskRegionCache:
    """Regions in a folder. Files are written atomically; several processes may share the folder.

    A file is a NumPy archive of ``features`` (n, 2048) and ``boxes`` (n, 4, shares of width and height), without
    padding. A damaged file counts as missing.
    """

    def __init__(self, folder: Path, precision: Precision) -> None:
        """Makes the folder; raises ModelError if it cannot be made."""
        self._folder = folder
        self._precision = precision
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._unwritable(error) from error

    def get(self, key: str) -> Regions | None:
        """The regions under ``key``, which is fit for a file name."""
        import numpy as np

        try:
            content = BytesIO(self._file(key).read_bytes())
            with np.load(content, allow_pickle=False) as archive:
                return _regions(archive["features"], archive["boxes"])
        except Exception:  # zip, zlib and NumPy's reader raise a different one each; the regions are detected again
            return None

    def put(self, key: str, regions: Regions) -> None:
        """Writes the regions under ``key``.

        Raises:
            ModelError: there is no space or no permission: seconds of the detector's work would be lost.
        """
        import numpy as np

        content = BytesIO()
        # Padding up to 36 is zeros, and is made again on reading.
        real = slice(regions.count)
        np.savez(content, features=regions.features[real].astype(self._precision), boxes=regions.boxes[real])
        file = self._file(key)
        try:
            file.parent.mkdir(exist_ok=True)
            with replacing_cached(file) as part:
                part.write_bytes(content.getvalue())
        except OSError as error:
            raise self._unwritable(error) from error

    @contextmanager
    def claim(self, key: str, wait: bool) -> Iterator[bool]:
        """Locks ``key`` against other processes; False if another one holds it and ``wait`` is False."""
        from filelock import FileLock, Timeout

        # The detector takes many seconds a picture: no two workers should detect the same one.
        lock = FileLock(self._file(key).with_suffix(".lock"))
        try:
            self._file(key).parent.mkdir(exist_ok=True)
            lock.acquire(blocking=wait)
        except Timeout:
            yield False
            return
        except (OSError, NotImplementedError):  # a file system without locks: the work may be done twice
            yield True
            return
        try:
            yield True
        finally:
            lock.release()
            # Who waits for the lock finds the file; without it the next one detects, and needs the lock.
            if self._file(key).is_file():
                with suppress(OSError):  # another process may have it open
                    Path(lock.lock_file).unlink()

    def _file(self, key: str) -> Path:
        # In up to 256 folders: a data set has 100,000 photos, and their edits.
        return self._folder / key[:2] / f"{key}.npz"

    def _unwritable(self, error: OSError) -> ModelError:
        return ModelError(
            f"Expected to keep region features in {self._folder}, but: {error}; make room there, or give another "
            f"{option('cache')}, or {option('no-cache')} to keep them for this run alone"
        )


def as_stored(regions: Regions, precision: Precision) -> Regions:
    """The regions rounded as on disk, so that the first run answers like later ones."""
    import numpy as np

    if precision == "float32":
        return regions
    features = regions.features.astype(precision).astype(np.float32)
    return Regions(boxes=regions.boxes, features=features, count=regions.count)


def _regions(features: NDArray[np.generic], boxes: NDArray[np.generic]) -> Regions:
    import numpy as np

    number = len(features)
    if features.shape != (number, FEATURE_WIDTH) or boxes.shape != (number, 4) or number > REGIONS:
        raise ValueError(f"features {features.shape!r}, boxes {boxes.shape!r}")
    filled, shares = np.zeros((REGIONS, FEATURE_WIDTH), np.float32), np.zeros((REGIONS, 4), np.float32)
    filled[:number], shares[:number] = features, boxes
    return Regions(boxes=shares, features=filled, count=number)


def _size(regions: Regions) -> int:
    return regions.features.nbytes + regions.boxes.nbytes


class DetectedBoxes(Protocol):
    """The boxes and features that a detector found: (n, 4) x1 y1 x2 y2 in pixels, and (n, 2048)."""

    @property
    def boxes_px(self) -> NDArray[np.float32]: ...
    @property
    def features(self) -> NDArray[np.float32]: ...


class BoxDetector(Protocol):
    """Finds the regions of a picture."""

    @property
    def fingerprint(self) -> str: ...
    def find(self, image: Image) -> DetectedBoxes: ...


class DetectedRegions:
    """Regions from a detector, cached in memory and on disk."""

    def __init__(self, detector: BoxDetector, folder: Path | None, precision: Precision = "float32") -> None:
        """Caches regions in ``folder`` for later runs; None for this run only."""
        self._detector = detector
        self._precision = precision
        self._memory: LruCache[str, Regions] = LruCache(MEMORY_BYTES, _size)
        self._disk = DiskRegionCache(folder, precision) if folder else None
        self._used: Counter[str] = Counter()
        self._lock = Lock()
        self._disk_lock = Lock()
        self.fingerprint = f"{detector.fingerprint} features-dtype={precision}"

    @property
    def usage(self) -> Mapping[str, float]:
        return {
            "pictures through the detector": self._used["detector"],
            "features from disk": self._used["disk"],
        }

    def prefetch(self, batch: Sequence[ModelInput]) -> Sequence[Regions | None]:
        """The cached regions of each picture; the pictures of the others are rendered for the detector."""
        return tuple(self._cached_or_rendered(item) for item in batch)

    def regions(self, batch: Sequence[ModelInput]) -> Sequence[Regions]:
        """The regions of each picture. Those that another process is detecting come last."""
        keys = [digest(self.fingerprint, item.query.picture.digest) for item in batch]
        found: dict[str, Regions] = {}
        # First all pictures that no other process is detecting, so that no time is lost waiting.
        for wait in (False, True):
            for key, item in zip(keys, batch, strict=True):
                if key not in found and (regions := self._of(key, item, wait)) is not None:
                    found[key] = regions
        return tuple(found[key] for key in keys)

    def _cached_or_rendered(self, item: ModelInput) -> Regions | None:
        key = digest(self.fingerprint, item.query.picture.digest)
        with self._disk_lock:  # two threads may preprocess two batches that share a picture
            regions = self._memory.get(key)
            if regions is None and self._disk is not None:
                regions = self._read(self._disk, key)
            if regions is not None:
                self._memory.put(key, regions)
        if regions is None:
            # Rendered now, on the thread that preprocesses, and kept on the input for the detector.
            item.image  # noqa: B018  # a property that renders
        return regions

    def _of(self, key: str, item: ModelInput, wait: bool) -> Regions | None:
        """The regions of a picture; None where another process is detecting it and ``wait`` is False."""
        regions = self._memory.get(key)
        if regions is None:
            regions = self._detected(item) if self._disk is None else self._shared(self._disk, key, item, wait)
        if regions is not None:
            self._memory.put(key, regions)
        return regions

    def _shared(self, disk: DiskRegionCache, key: str, item: ModelInput, wait: bool) -> Regions | None:
        """The regions from disk, or from the detector under a lock."""
        regions = self._read(disk, key)
        if regions is not None:
            return regions
        with disk.claim(key, wait) as is_ours:
            if not is_ours:
                return None
            # Again, under the lock: another process may have written it meanwhile.
            regions = self._read(disk, key)
            if regions is None:
                regions = self._detected(item)
                with self._disk_lock:  # or another thread would read it from the disk
                    self._memory.put(key, regions)
                    disk.put(key, regions)
            return regions

    def _read(self, disk: DiskRegionCache, key: str) -> Regions | None:
        regions = disk.get(key)
        self._count("disk", regions is not None)
        return regions

    def _detected(self, item: ModelInput) -> Regions:
        image = item.pixels
        found = self._detector.find(image)
        if found.features.shape[1:] != (FEATURE_WIDTH,):
            raise ModelError(
                f"Expected a detector of {FEATURE_WIDTH} features a region, as LXMERT and VisualBERT take them, but "
                f"got {found.features.shape[1]}: give the one of the Bottom-Up-Top-Down paper"
            )
        self._count("detector", True)
        regions = Regions.of(found.boxes_px, found.features, width=image.width, height=image.height)
        return as_stored(regions, self._precision)

    def _count(self, what: str, happened: bool) -> None:
        with self._lock:
            self._used[what] += happened


class RegionSource(Protocol):
    """Provides the regions of pictures: a detector, a cache in front of one, or a file of features."""

    @property
    def usage(self) -> Mapping[str, float]:
        """Counts of its work, for reports."""
        ...

    @property
    def fingerprint(self) -> str:
        """Everything that can change a region: weights, settings, versions."""
        ...

    def prefetch(self, batch: Sequence[ModelInput]) -> Sequence[Regions | None]:
        """The known regions of each input; None, after its picture is rendered, where the detector must run.

        Another thread may call ``regions`` meanwhile.
        """
        ...

    def regions(self, batch: Sequence[ModelInput]) -> Sequence[Regions]:
        """The regions of each input's picture, in order."""
        ...


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
        cached = iter(self._detected.prefetch(others) if self._detected else ())
        return tuple(next(cached) if regions is None else regions for regions in found)

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


def region_source(options: ModelOptions, model_folder: Path | None) -> RegionSource:
    """Opens the source of regions that the settings name; ``model_folder`` may hold a detector.

    Raises:
        OptionError: a setting is invalid.
        DataError: the file of features cannot be read.
        ModelError: there is no detector, and no file of features either.
    """
    given = options.settings.get("features-dtype", "float32")
    precision = _PRECISIONS.get(given)
    if precision is None:
        raise OptionError(
            f"Expected {setting('features-dtype', 'float32')} or float16, but got features-dtype={given!r}; "
            f"{near_name(given, _PRECISIONS) or 'name one of them'}"
        )
    cache = options.cache / "regions" if options.cache else None
    named = options.settings.get("features")
    if named is None:
        return DetectedRegions(load_detector(options, model_folder), cache, precision)
    file = FeatureFile(expanded(named))
    # A detector that the user named must load; one that lies about is a bonus.
    if not options.settings.get("detector") and not os.environ.get(DETECTOR_VARIABLE):
        try:
            find_detector(model_folder, options)
        except ModelError:  # with a file of features none is required
            return FileRegions(file, None)
    return FileRegions(file, DetectedRegions(load_detector(options, model_folder), cache, precision))
