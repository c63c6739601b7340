"""A model under test as annotator, which lists the things in a photo with their boxes.

Its answers may be wrong, so its lines are marked ``presumed``, and so is every case of their scenes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING

from pytest_vqamt.annotation.detectors.detector import DetectedObject, box_within
from pytest_vqamt.annotation.line_writer import DetectionError
from pytest_vqamt.core.errors import ModelError, OptionError
from pytest_vqamt.core.input_files import parse_json
from pytest_vqamt.core.meaning import Annotated
from pytest_vqamt.core.query import ModelInput, Query, Task
from pytest_vqamt.core.scene import Photo, Scene
from pytest_vqamt.core.text import shown
from pytest_vqamt.language.answers.final import strip_traces
from pytest_vqamt.language.english.lexical_relations import COLOURS
from pytest_vqamt.language.english.nouns import singular
from pytest_vqamt.models.catalogue import ModelCatalogue
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.wrapped import LoadedModel

if TYPE_CHECKING:
    from PIL.Image import Image

NAME = "model"
SETTING = "box-units"
UNITS = ("thousandths", "pixels")
"""Units of boxes, the default first: Gemini and Qwen3-VL write thousandths, Qwen2.5-VL pixels."""
_PROMPT = (
    "List every single thing in the picture that can be told apart. Answer with JSON alone, a list with an object for "
    'each thing: [{{"name": "cup", "color": "red", "box": [x0, y0, x1, y1]}}]. A name is a noun in the singular; '
    "leave the color out where there is no single one. Boxes are in {units} from the top left corner."
)
_SAID = {"thousandths": "thousandths of the picture's width and height", "pixels": "pixels"}
_NAMES, _BOXES = ("name", "label", "object"), ("box", "bbox", "bbox_2d", "box_2d")
"""Keys that models write in place of the ones that the prompt names: "bbox_2d" is Qwen's, "box_2d" Gemini's."""
_OBJECT = re.compile(r"\{[^{}]*\}")


@dataclass(frozen=True, slots=True)
class AskedModel:
    """A model that answers questions, as a detector."""

    model: LoadedModel
    """The model under test."""
    units: str
    """What its boxes are in: one of ``UNITS``."""

    @property
    def name(self) -> str:
        return NAME

    @property
    def fingerprint(self) -> str:
        return f"{self.model.name} {self.model.fingerprint}, boxes in {self.units}"

    def find(self, image: Image) -> tuple[DetectedObject, ...]:
        """The things that the model lists, in its order.

        Raises:
            DetectionError: the answer has no list of things.
        """
        content = sha256(image.tobytes()).hexdigest()[:16]
        scene = Scene(id=content, photo=Photo(id=content, digest=content), width=image.width, height=image.height)
        text = _PROMPT.format(units=_SAID[self.units])
        query = Query(picture=scene.picture, text=text, meaning=Annotated(answers=()))
        # A query must have a meaning, which a model under test does not read.
        (answer,) = self.model.ask(Task.VQA, [ModelInput(query, lambda _picture: image)])
        rows = list(_rows(strip_traces(answer.text).text))
        # An empty list is an answer: nothing was seen.
        if not rows and not re.search(r"\[\s*\]", answer.text):
            raise DetectionError(
                f"Expected {self.model.name} to list the things of a photo as JSON, but it said "
                f"{shown(answer.text[:80])!r}: write the line yourself, or take a detector"
            )
        return tuple(found for row in rows if (found := self._thing(row, image)) is not None)

    def _thing(self, row: dict[str, object], image: Image) -> DetectedObject | None:
        """The thing of an object of the list; None without a name and a box in the picture."""
        name = next((row[key] for key in _NAMES if isinstance(row.get(key), str)), None)
        key = next((key for key in _BOXES if isinstance(row.get(key), list)), "")
        corners = row.get(key)
        if not isinstance(name, str) or not isinstance(corners, list) or len(corners) != 4:
            return None
        if not all(isinstance(each, int | float) for each in corners):
            return None
        if key == "box_2d":  # trained to write [ymin, xmin, ymax, xmax], which models do whatever the prompt asks for
            corners = [corners[place] for place in (1, 0, 3, 2)]
        scale = (image.width / 1000, image.height / 1000) if self.units == UNITS[0] else (1.0, 1.0)
        box = box_within([each * scale[place % 2] for place, each in enumerate(corners)], image)
        if box is None:
            return None
        color = row.get("color")
        # "wooden" or "striped" is no color, and a relation would ask about it as one.
        colors = (color.casefold(),) if isinstance(color, str) and color.casefold() in COLOURS else ()
        # Half a score: a model says none, and findings of real detectors come first by TRUST_ORDER anyway.
        return DetectedObject(name=singular(name.strip().casefold()), box=box, score=0.5, by=NAME, attributes=colors)


def _rows(text: str) -> Iterator[dict[str, object]]:
    """Yields the JSON objects in the text one by one, so that a list that was cut off only loses its last."""
    for found in _OBJECT.finditer(text):
        try:
            row = parse_json(found[0])
        except ValueError:
            continue
        if isinstance(row, dict):
            yield row


def load(spec: str, options: ModelOptions) -> AskedModel:
    """Loads the model of a spec, as ``--vqamt-model`` takes it.

    Raises:
        OptionError: there is no such model, or a setting is wrong.
        ModelError: it cannot be loaded, or answers no questions.
    """
    settings = dict(options.settings)
    # The model knows no such setting, and would refuse it.
    units = settings.pop(SETTING, UNITS[0])
    if units not in UNITS:
        raise OptionError(f"Expected --option {SETTING}={' or '.join(UNITS)}, but got {units!r}")
    model = ModelCatalogue().load(spec, replace(options, settings=settings))
    if Task.VQA not in model.tasks:
        raise ModelError(f"Expected a model that answers questions to annotate photos, but {spec} does not")
    return AskedModel(model, units)
