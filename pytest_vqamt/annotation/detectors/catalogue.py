"""The detectors that settings can name. Each is imported when it is first made."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from pytest_vqamt.annotation.detectors.base import LEAST_IOU, is_same_thing, may_be_called_alike
from pytest_vqamt.core.detections import DetectedObject, Detector, Grounder
from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.models.base import ModelOptions

if TYPE_CHECKING:
    from PIL.Image import Image


SETTINGS = (
    "masks", "boxes", "open-vocabulary", "names", "detector", "vocabulary", "region-min-size", "region-max-size",
    "min-score",
)  # fmt: skip
"""The names of ``--vqamt-option`` that are about detectors."""

_EXTRA = "photos"

_PATH = re.compile(r"[/\\]|\.\w+$")
"""What is in a path, and in no name."""

M = TypeVar("M")


def check(settings: Mapping[str, str]) -> None:
    """Checks the settings, and loads nothing.

    Raises:
        OptionError: no detector or checkpoint is named, names are given without a detector that looks for them, or the
            other way round, or a score is invalid.
    """
    for name in _LOADERS:
        if not settings.get(name, "-").strip():
            raise OptionError(f"Expected --vqamt-option {name}=REPO-OR-PATH, but got {name}={settings[name]!r}")
    min_score_setting(settings)
    if "open-vocabulary" in settings:
        names_setting(settings)
    elif "names" in settings:
        raise OptionError(
            "Expected --vqamt-option open-vocabulary=REPO-OR-PATH to look for names, but got "
            f"names={settings['names']!r} alone: name OWL-ViT, OWLv2 or Grounding DINO too"
        )
    if not any(name in settings for name in _LOADERS):
        raise OptionError(
            f"Expected --vqamt-option NAME=REPO-OR-PATH to name a detector ({', '.join(_LOADERS)}), but got none"
        )


def detector_of(options: ModelOptions) -> Detector:
    """The detectors that the settings name, combined.

    Raises:
        OptionError: a setting is invalid, or a package is not installed.
        ModelError: a detector cannot be loaded.
    """
    check(options.settings)
    return CombinedDetector([_load_named(name, options) for name in _LOADERS if name in options.settings])


def grounder_of(argument: str, options: ModelOptions) -> Grounder:
    """The checkpoint of OWL-ViT, OWLv2 or Grounding DINO in a folder or on the hub, to be asked for phrases.

    Raises:
        OptionError: ``min-score`` is no score, or a package is not installed.
        ModelError: it cannot be loaded.
    """
    least = min_score_setting(options.settings)

    def load() -> Grounder:
        from pytest_vqamt.annotation.detectors import open_vocabulary

        return open_vocabulary.load(argument, options, least)

    return _with_install_hint("open-vocabulary", load)


def min_score_setting(settings: Mapping[str, str]) -> float | None:
    """The setting ``min-score``; None where it is not given, and each detector has its own.

    Raises:
        OptionError: it is no number from 0 to 1.
    """
    given = settings.get("min-score")
    if given is None:
        return None
    try:
        score = float(given)
    except ValueError:
        score = -1.0
    if not 0 <= score < 1:
        raise OptionError(f"Expected --vqamt-option min-score=SCORE to be from 0 to below 1, but got {given!r}")
    return score


def names_setting(settings: Mapping[str, str]) -> tuple[str, ...]:
    """The setting ``names``: what a file lists, or the setting itself; in lower case and the singular, each once.

    Raises:
        OptionError: there are none, or there is no such file.
    """
    from pytest_vqamt.annotation.detectors.base import parse_names

    given = text = settings.get("names", "")
    try:
        if given and (file := Path(given).expanduser()).is_file():
            text = file.read_text(encoding="utf-8-sig")
        elif "," not in given and _PATH.search(given):
            raise OptionError(f"Expected names, or a file of them, but got names={given!r}: there is no such file")
    except (OSError, UnicodeDecodeError) as error:
        raise OptionError(f"Expected a file of names in UTF-8, one a line, but got names={given!r}: {error}") from error
    found = parse_names(text)
    if not found:
        raise OptionError(
            "Expected --vqamt-option names=FILE (a name a line) or names=dog,cat,... for open-vocabulary to look for, "
            f"but got {f'names={given!r}' if given else 'none'}"
        )
    return found


def _masks(options: ModelOptions) -> NamedDetector:
    from pytest_vqamt.annotation.detectors import masks

    return masks.load(options.settings["masks"], options, min_score_setting(options.settings))


def _boxes(options: ModelOptions) -> NamedDetector:
    from pytest_vqamt.annotation.detectors import boxes

    return boxes.load(options.settings["boxes"], options, min_score_setting(options.settings))


def _open_vocabulary(options: ModelOptions) -> NamedDetector:
    from pytest_vqamt.annotation.detectors import open_vocabulary

    settings = options.settings
    return open_vocabulary.load(
        settings["open-vocabulary"], options, min_score_setting(settings), names_setting(settings)
    )


def _regions(options: ModelOptions) -> NamedDetector:
    from pytest_vqamt.annotation.detectors import regions

    return regions.load(options, min_score_setting(options.settings))


_LOADERS: Mapping[str, Callable[[ModelOptions], NamedDetector]] = {
    "masks": _masks,
    "boxes": _boxes,
    "open-vocabulary": _open_vocabulary,
    "detector": _regions,
}


def _load_named(name: str, options: ModelOptions) -> NamedDetector:
    return _with_install_hint(name, lambda: _LOADERS[name](options))


def _with_install_hint(name: str, load: Callable[[], M]) -> M:
    """What ``load`` makes.

    Raises:
        OptionError: it needs a package that is not installed.
    """
    try:
        return load()
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing in ("", "pytest_vqamt"):
            raise
        raise OptionError(
            f"Expected what --vqamt-option {name} needs to be installed, but there is no {missing}; run: pip install "
            f'"pytest-vqamt[{_EXTRA}]"'
        ) from error


TRUST_ORDER = ("masks", "boxes", "open-vocabulary", "detector")
"""The detectors by name, the most trusted first: who drew an outline knows best where a thing ends; those with few
classes mistake one thing for another less often than those with many."""


class NamedDetector(Protocol):
    """A detector that says which it is."""

    @property
    def name(self) -> str:
        """As ``TRUST`` lists it."""
        ...

    @property
    def fingerprint(self) -> str: ...

    def find(self, image: Image) -> tuple[DetectedObject, ...]: ...


class CombinedDetector:
    """All that several detectors find."""

    def __init__(self, detectors: Sequence[NamedDetector]) -> None:
        self._detectors = tuple(sorted(detectors, key=lambda each: TRUST_ORDER.index(each.name)))

    @property
    def fingerprint(self) -> str:
        return "; ".join(each.fingerprint for each in self._detectors)

    def find(self, image: Image) -> tuple[DetectedObject, ...]:
        return merge_findings(found for each in self._detectors for found in each.find(image))


def merge_findings(findings: Iterable[DetectedObject]) -> tuple[DetectedObject, ...]:
    """Each thing once, the more trusted detectors' first, then the surer; in whatever order the findings come.

    Of findings of one thing (``is_same_thing``) that of the more trusted detector stays, of one detector the surest. It
    without attributes gets those of the first other that lies where it does (``LEAST_IOU``) and may mean the same thing
    by its name. A crowd is compared to crowds of its name alone: things are told apart within it.
    """
    kept: list[DetectedObject] = []
    for found in sorted(findings, key=_sort_key):
        same = [place for place, other in enumerate(kept) if _is_duplicate(found, other)]
        if not same:
            kept.append(found)
            continue
        place = max(same, key=lambda place: found.box.iou(kept[place].box))
        stays = kept[place]
        is_near = found.box.iou(stays.box) >= LEAST_IOU and may_be_called_alike(found.name, stays.name)
        if is_near and not stays.attributes:
            kept[place] = replace(stays, attributes=found.attributes)
    return tuple(kept)


def _is_duplicate(found: DetectedObject, other: DetectedObject) -> bool:
    if found.is_crowd or other.is_crowd:
        return found.is_crowd and other.is_crowd and found.name == other.name and is_same_thing(found, other)
    return is_same_thing(found, other)


def _sort_key(found: DetectedObject) -> tuple[object, ...]:
    """Sorts the most trusted finding first, by every field: the order of the findings decides nothing."""
    box = (found.box.x, found.box.y, found.box.w, found.box.h)
    return TRUST_ORDER.index(found.by), -found.score, found.name, box, found.attributes, found.is_crowd, found.polygons
