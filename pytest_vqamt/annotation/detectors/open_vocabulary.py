"""Whatever one has words for: OWL-ViT, OWLv2 and Grounding DINO look for names, or for what a phrase speaks of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pytest_vqamt.annotation.detectors.base import box_within
from pytest_vqamt.core.box import Box
from pytest_vqamt.core.detections import Found
from pytest_vqamt.core.identity import digest
from pytest_vqamt.models.detection.grounding_dino import GroundingDino
from pytest_vqamt.models.detection.owl import Owl
from pytest_vqamt.models.detection.reading import Reader, Reading
from pytest_vqamt.models.detection.same_thing import LEAST_IOU
from pytest_vqamt.models.loading.config import check_model_type
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.transformers.checkpoint import Checkpoint, located
from pytest_vqamt.models.transformers.runtime import Runtime

if TYPE_CHECKING:
    from PIL.Image import Image


VERSION = 1
"""Goes up when other things are found with the same weights and packages."""


class OpenVocabulary:
    """One checkpoint, and the names that it is to look for."""

    name = "open-vocabulary"

    def __init__(
        self, reader: Reader, runtime: Runtime, names: Sequence[str] = (), least_score: float | None = None
    ) -> None:
        """``names`` may be empty where nothing but ``ground`` is asked.

        Raises:
            ModelError: a name is too long for the checkpoint.
        """
        self._reader = reader
        self._runtime = runtime
        self._prompts = {reader.prompt(name): name for name in names}
        self._groups = tuple(reader.groups(tuple(self._prompts)))
        self._least_score = reader.least_score if least_score is None else least_score

    @property
    def fingerprint(self) -> str:
        names = digest(*self._prompts)
        return self._runtime.fingerprint(self.name, VERSION, self._reader.files, str(self._least_score), names)

    def find(self, image: Image) -> tuple[Found, ...]:
        """The things of the names; each box is of the one name that fits it best."""
        found = []
        for texts in self._groups:
            for reading in self._reader.read(image, texts):
                score, box = max(reading.scores), box_within(reading.corners, image)
                if box is not None and score > self._least_score:
                    name = self._prompts[texts[reading.scores.index(score)]]
                    found.append(Found(name=name, box=box, score=score, by=self.name))
        return tuple(sorted(found, key=lambda each: -each.score))

    def ground(self, image: Image, phrases: Sequence[str]) -> tuple[tuple[Found, ...], ...]:
        """The boxes of each phrase; those of one phrase do not depend on the others, which may cost a look for each."""
        distinct = tuple(dict.fromkeys(phrases))
        together = (distinct,) if self._reader.reads_each_alone else tuple((phrase,) for phrase in distinct)
        boxes: dict[str, tuple[Found, ...]] = {}
        for texts in (group for each in together for group in self._reader.groups(each)):
            readings = self._reader.read(image, texts)
            for place, text in enumerate(texts):
                boxes[text] = tuple(self._grounded(image, text, readings, place))
        return tuple(boxes[phrase] for phrase in phrases)

    def _grounded(self, image: Image, phrase: str, readings: Sequence[Reading], place: int) -> Iterator[Found]:
        """The boxes that a phrase fits, the best first; of several about one thing the best."""
        taken: list[Box] = []
        for reading in sorted(readings, key=lambda each: -each.scores[place]):
            box, score = box_within(reading.corners, image), reading.scores[place]
            if box is not None and score > self._least_score and all(box.iou(other) < LEAST_IOU for other in taken):
                taken.append(box)
                yield Found(name=phrase, box=box, score=score, by=self.name)


def load(
    argument: str, options: ModelOptions, least_score: float | None = None, names: Sequence[str] = ()
) -> OpenVocabulary:
    """The detector of ``open-vocabulary=ARGUMENT``, a folder or a name on the hub, looking for ``names``.

    Raises:
        ModelError: it cannot be loaded, or a name is too long for it.
    """
    checkpoint = located(argument, default="", kind=OpenVocabulary.name, typed=f"--vqamt-option {OpenVocabulary.name}=")
    runtime = Runtime.of(options)
    return OpenVocabulary(_reader(checkpoint, runtime), runtime, names, least_score)


def _reader(checkpoint: Checkpoint, runtime: Runtime) -> Reader:
    kind = check_model_type(
        checkpoint, (*Owl.kinds, *GroundingDino.kinds), "boxes= takes DETR and RT-DETR, masks= takes Mask2Former"
    )
    return Owl(checkpoint, runtime) if kind in Owl.kinds else GroundingDino(checkpoint, runtime)
