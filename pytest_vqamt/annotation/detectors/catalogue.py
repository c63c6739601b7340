"""The detectors that settings can name. Each is imported on first use."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from pytest_vqamt.annotation.detectors.detector import (
    LEAST_IOU,
    DetectedObject,
    Detector,
    Grounder,
    is_same_thing,
    may_name_one_thing,
    parse_names,
)
from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.input_files import expanded, read_text
from pytest_vqamt.core.text import number_of
from pytest_vqamt.models.protocol import ModelOptions

if TYPE_CHECKING:
    from PIL.Image import Image


SETTINGS = (
    "masks", "boxes", "open-vocabulary", "names", "detector", "vocabulary", "region-min-size", "region-max-size",
    "min-score", "model", "box-units",
)  # fmt: skip
"""The names of ``--option`` for detectors."""

TRUST_ORDER = ("masks", "boxes", "open-vocabulary", "detector", "model")
"""The settings that name a detector, the most trusted first; ``model`` is a model under test.

Outlines show best where a thing ends; a detector of few classes confuses things less often than one of many."""

MODEL = "model"
"""The detector whose lines are presumed."""

_EXTRA = "photos"
"""The extra of this package that installs what detectors need."""

_PATH = re.compile(r"[/\\]|\.\w+$")
"""What looks like a path, not like a name: "names.txt", "lists/shop"."""


def check(settings: Mapping[str, str]) -> None:
    """Checks the settings, and loads nothing.

    Raises:
        OptionError: no detector or checkpoint is named, names are given without a detector that looks for them, or the
            other way round, or a score is invalid.
    """
    for name in TRUST_ORDER:
        # Given, and empty: an unset variable in a script, as in boxes=$MODEL.
        if not settings.get(name, "-").strip():
            raise OptionError(f"Expected --option {name}=REPO-OR-PATH, but got {name}={settings[name]!r}")
    min_score_setting(settings)
    if "open-vocabulary" in settings:
        names_setting(settings)
    elif "names" in settings:
        raise OptionError(
            "Expected --option open-vocabulary=REPO-OR-PATH to look for names, but got "
            f"names={settings['names']!r} alone: name OWL-ViT, OWLv2 or Grounding DINO too"
        )
    if not any(name in settings for name in TRUST_ORDER):
        raise OptionError(
            f"Expected --option NAME=REPO-OR-PATH to name a detector ({', '.join(TRUST_ORDER)}), but got none: "
            "give --option boxes=PekingU/rtdetr_r50vd, or --model SPEC to ask a model (docs/how-to/annotate.md)"
        )


def detector_of(options: ModelOptions) -> Detector:
    """The detectors that the settings name, combined.

    Raises:
        OptionError: a setting is invalid, or a package is not installed.
        ModelError: a detector cannot be loaded.
    """
    check(options.settings)
    return CombinedDetector([_load_named(name, options) for name in TRUST_ORDER if name in options.settings])


def grounder_of(argument: str, options: ModelOptions) -> Grounder:
    """Loads OWL-ViT, OWLv2 or Grounding DINO from a folder or the hub, to locate phrases.

    Raises:
        OptionError: ``min-score`` is invalid, or a package is not installed.
        ModelError: it cannot be loaded.
    """
    least = min_score_setting(options.settings)
    with _install_hint("open-vocabulary"):
        from pytest_vqamt.annotation.detectors import open_vocabulary

        return open_vocabulary.load(argument, options, least)


def min_score_setting(settings: Mapping[str, str]) -> float | None:
    """The setting ``min-score``; None for the default of each detector.

    Raises:
        OptionError: it is no number from 0 to 1.
    """
    given = settings.get("min-score")
    if given is None:
        return None
    try:
        score = number_of(given)
    except ValueError:
        # Refused below.
        score = -1.0
    if not 0 <= score < 1:
        raise OptionError(f"Expected --option min-score=SCORE to be from 0 to below 1, but got {given!r}")
    return score


def names_setting(settings: Mapping[str, str]) -> tuple[str, ...]:
    """The setting ``names``, a list or a file of one: in lower case and the singular, each once.

    Raises:
        OptionError: there are none, or there is no such file.
    """
    given = text = settings.get("names", "")
    try:
        if given and (file := expanded(given)).is_file():
            text = read_text(file)
        # A mistyped file would be looked for as a thing called "names.txt".
        elif "," not in given and _PATH.search(given):
            raise OptionError(f"Expected names, or a file of them, but got names={given!r}: there is no such file")
    except OSError as error:
        raise OptionError(f"Expected a file of names in UTF-8, one a line, but got names={given!r}: {error}") from error
    found = parse_names(text)
    if not found:
        raise OptionError(
            "Expected --option names=FILE (a name a line) or names=dog,cat,... for open-vocabulary to look for, "
            f"but got {f'names={given!r}' if given else 'none'}"
        )
    return found


def _load_named(name: str, options: ModelOptions) -> NamedDetector:
    settings, least = options.settings, min_score_setting(options.settings)
    with _install_hint(name):
        if name == "detector":
            from pytest_vqamt.annotation.detectors import closed_set as regions

            return regions.load(options, least)
        if name == MODEL:
            from pytest_vqamt.annotation.detectors import asked_model

            return asked_model.load(settings[name], options)
        if name == "open-vocabulary":
            from pytest_vqamt.annotation.detectors import open_vocabulary

            return open_vocabulary.load(settings[name], options, least, names_setting(settings))
        from pytest_vqamt.annotation.detectors.closed_set import ClosedSetBoxes, ClosedSetMasks

        kind = ClosedSetMasks if name == "masks" else ClosedSetBoxes
        return kind.load(settings[name], options, least)


@contextmanager
def _install_hint(name: str) -> Iterator[None]:
    """Raises OptionError if a package is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        # A module of ours that is missing is a bug, and no package helps.
        if missing in ("", "pytest_vqamt"):
            raise
        raise OptionError(
            f"Expected what --option {name} needs to be installed, but there is no {missing}; run: pip install "
            f'"pytest-vqamt[{_EXTRA}]"'
        ) from error


class NamedDetector(Detector, Protocol):
    """A detector with a name of ``TRUST_ORDER``."""

    @property
    def name(self) -> str: ...


class CombinedDetector:
    """The merged findings of several detectors."""

    def __init__(self, detectors: Sequence[NamedDetector]) -> None:
        self._detectors = tuple(sorted(detectors, key=lambda each: TRUST_ORDER.index(each.name)))

    @property
    def fingerprint(self) -> str:
        return "; ".join(each.fingerprint for each in self._detectors)

    def find(self, image: Image) -> tuple[DetectedObject, ...]:
        return merge_findings(found for each in self._detectors for found in each.find(image))


def merge_findings(findings: Iterable[DetectedObject]) -> tuple[DetectedObject, ...]:
    """Merges findings of the same thing; the result does not depend on the order of ``findings``.

    Things are ordered by the trust in their detector, then by score.

    Of several findings of one thing (``is_same_thing``) the first in that order stays. Without attributes of its own it
    gets those of the first other with an IoU of ``LEAST_IOU`` whose name may mean the same. A crowd is compared only to
    crowds of its name.
    """
    kept: list[DetectedObject] = []
    for found in sorted(findings, key=_sort_key):
        same = [place for place, other in enumerate(kept) if _is_duplicate(found, other)]
        if not same:
            kept.append(found)
            continue
        # Of several things that are the same one, the nearest gets the attributes.
        place = max(same, key=lambda place: found.box.iou(kept[place].box))
        stays = kept[place]
        is_near = found.box.iou(stays.box) >= LEAST_IOU and may_name_one_thing(found.name, stays.name)
        if is_near and not stays.attributes:
            kept[place] = replace(stays, attributes=found.attributes)
    return tuple(kept)


def _is_duplicate(found: DetectedObject, other: DetectedObject) -> bool:
    # A crowd of people and one of them share most of a box, and are both there.
    if found.is_crowd or other.is_crowd:
        return found.is_crowd and other.is_crowd and found.name == other.name and is_same_thing(found, other)
    return is_same_thing(found, other)


def _sort_key(found: DetectedObject) -> tuple[object, ...]:
    """The most trusted first, then by every field, so that the order of the findings decides nothing."""
    box = (found.box.x, found.box.y, found.box.w, found.box.h)
    return TRUST_ORDER.index(found.by), -found.score, found.name, box, found.attributes, found.is_crowd, found.polygons
