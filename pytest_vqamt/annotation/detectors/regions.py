"""The region detector of LXMERT, with the 1,600 names and 400 attributes of Visual Genome."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vqamt.annotation.detectors.base import DetectedObject, box_within, parse_label
from pytest_vqamt.core.identity import digest
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.region_models.frcnn.loading import load_detector

if TYPE_CHECKING:
    from PIL.Image import Image

    from pytest_vqamt.models.region_models.frcnn.detector import FrcnnDetector


REGIONS_VERSION = 1
"""Goes up when other things are found with the same weights and packages."""

LEAST_REGION_SCORE = 0.4
"""As in the authors' demonstration (peteanderson80/bottom-up-attention, demo.ipynb)."""

LEAST_ATTRIBUTE_SCORE = 0.5
"""The detector always names the likeliest of 400 attributes."""


class NamedRegions:
    """The regions above a score, with their names."""

    name = "detector"

    def __init__(self, detector: FrcnnDetector, least_score: float) -> None:
        self._detector = detector
        self._least_score = least_score

    @property
    def fingerprint(self) -> str:
        settings = digest(str(self._least_score), str(LEAST_ATTRIBUTE_SCORE))
        return f"{self.name}-{REGIONS_VERSION} settings={settings} {self._detector.fingerprint}"

    def find(self, image: Image) -> tuple[DetectedObject, ...]:
        seen = self._detector.find(image)
        found = []
        for corners, name, score, attribute, attribute_score in zip(
            seen.boxes_px.tolist(),
            seen.names,
            seen.scores.tolist(),
            seen.attributes,
            seen.attribute_scores.tolist(),
            strict=True,
        ):
            label, box = parse_label(name), box_within(corners, image)
            if label is None or box is None or score <= self._least_score:
                continue
            attributes = (attribute,) if attribute_score > LEAST_ATTRIBUTE_SCORE and not label.is_crowd else ()
            found.append(
                DetectedObject(
                    name=label.name, box=box, score=score, by=self.name, attributes=attributes, is_crowd=label.is_crowd
                )
            )
        return tuple(sorted(found, key=lambda each: -each.score))


def load(options: ModelOptions, least_score: float | None) -> NamedRegions:
    """Loads the detector of ``detector=PATH`` with its vocabularies.

    Raises:
        ModelError: it cannot be loaded, or has no vocabularies.
        OptionError: a setting of it is wrong.
    """
    detector = load_detector(options, with_names=True)
    return NamedRegions(detector, LEAST_REGION_SCORE if least_score is None else least_score)
