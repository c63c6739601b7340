"""The relation ``serving.size``."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.askable_scene import askable_scene_of
from pytest_vqamt.relations.base import case_of
from pytest_vqamt.relations.control.repeat import generated_question
from pytest_vqamt.relations.expectations import unchanged
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.sampling.chooser import Chooser

_ENLARGED_PX = 2048
_LARGE_PX = 1448
"""A longer side from which on enlarging would less than double the pixels."""
_RATIO = 3
_MARGIN = (127, 127, 127)


@dataclass(frozen=True, slots=True)
class Size(LexicalRelation):
    """Neither a larger picture nor a grey margin around it changes the answer.

    ``enlarged`` scales the longer side to 2,048 px. The others add a margin and scale nothing: ``padded-square`` makes
    a square, ``padded-wide`` a picture three times as wide as high, ``padded-tall`` one three times as high as
    wide. Some servers drop large pictures, or exchange width and height.
    """

    info = RelationInfo(
        name="serving.size",
        task=Task.VQA,
        source="a check of deployments by this project: ollama #13549, llama.cpp #17290",
        variants=("enlarged", "padded-square", "padded-wide", "padded-tall"),
        settings=(WORDNET, ONTOLOGY),
        contrast=False,
    )
    expect = unchanged

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        size = _size(variant, scene.width, scene.height)
        if size is None:
            return NotApplicable(reason="the picture has nearly that size or shape already")
        asked = generated_question(askable_scene_of(scene, corpus, self.known), choose)
        if isinstance(asked, NotApplicable):
            return asked
        width, height = size
        if variant == "enlarged":
            resized = scene.picture.rescale(width, height)
        else:
            across, down = width - scene.width, height - scene.height
            left, top = across // 2, down // 2
            resized = scene.picture.pad(left=left, top=top, right=across - left, bottom=down - top, colour=_MARGIN)
        return case_of(self, variant, scene, ((scene.picture, asked), (resized, asked)), expected="first = second")


def _size(variant: str, width: int, height: int) -> tuple[int, int] | None:
    """The width and height of the variant in pixels; None where the picture is nearly like that."""
    longer = max(width, height)
    match variant:
        case "enlarged":
            scale = _ENLARGED_PX / longer
            return (round(scale * width), round(scale * height)) if longer < _LARGE_PX else None
        case "padded-square":
            return (longer, longer) if 10 * min(width, height) < 9 * longer else None
        case "padded-wide":
            return (_RATIO * height, height) if width < 2 * height else None
        case _:
            return (width, _RATIO * width) if height < 2 * width else None
