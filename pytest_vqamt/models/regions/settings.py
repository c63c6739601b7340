"""What a user may set of the detector."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.models.region_models.frcnn.config import DetectorConfig

_SMALLEST, _LARGEST = 32, 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectorSettings:
    """What pictures are resized to, in pixels; None leaves it to the detector's configuration.

    Attributes:
        min_size: what the short side becomes.
        max_size: what the long side becomes at most.
    """

    min_size: int | None = None
    max_size: int | None = None

    @classmethod
    def of(cls, settings: Mapping[str, str]) -> DetectorSettings:
        """The settings that are among those of ``--vqamt-option``.

        Raises:
            OptionError: a size is no number of pixels.
        """
        return cls(min_size=_pixels(settings, "region-min-size"), max_size=_pixels(settings, "region-max-size"))

    def applied(self, config: DetectorConfig) -> DetectorConfig:
        return replace(config, min_size=self.min_size or config.min_size, max_size=self.max_size or config.max_size)


def _pixels(settings: Mapping[str, str], name: str) -> int | None:
    given = settings.get(name)
    if given is None:
        return None
    size = int(given) if given.isascii() and given.isdigit() else 0
    if not _SMALLEST <= size <= _LARGEST:
        raise OptionError(
            f"Expected --vqamt-option {name}=PIXELS to be a whole number from {_SMALLEST} to {_LARGEST}, but got "
            f"{name}={given!r}"
        )
    return size
