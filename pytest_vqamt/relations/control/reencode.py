"""The relation ``control.reencode``."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.base import BuiltInRelation, case_of
from pytest_vqamt.relations.control.repeat import plain_question
from pytest_vqamt.relations.expectations import unchanged
from pytest_vqamt.sampling.chooser import Chooser


@dataclass(frozen=True, slots=True)
class Reencode(BuiltInRelation):
    """A lossless re-encoding of the picture and doubled spaces in the question change nothing."""

    info = RelationInfo(
        name="control.reencode",
        task=Task.VQA,
        source="a control of this project: the noise floor of a model and its server",
        tags=("control",),
    )
    expect = unchanged

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        asked = plain_question(scene, corpus, choose)
        if isinstance(asked, NotApplicable):
            return asked
        spaced = replace(asked, text=asked.text.replace(" ", "  "))
        return case_of(
            self,
            variant,
            scene,
            ((scene.picture, asked), (scene.picture.reencode(), spaced)),
            expected="first = second",
        )
