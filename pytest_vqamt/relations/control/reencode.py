"""The relation ``control.reencode``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo, Verdict
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.query import Answer, Query, Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations import expectations
from pytest_vqamt.relations.control.repeat import plain_question
from pytest_vqamt.sampling.chooser import Chooser


@dataclass(frozen=True, slots=True)
class Reencode:
    """A lossless re-encoding of the picture and doubled spaces in the question change nothing."""

    info: ClassVar[RelationInfo] = RelationInfo(
        name="control.reencode",
        task=Task.VQA,
        claim="A lossless re-encoding of the picture and doubled spaces in the question change nothing.",
        source="a control of this project: the noise floor of a model and its server",
        tags=("control",),
    )

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        asked = plain_question(scene, corpus, choose)
        if isinstance(asked, NotApplicable):
            return asked
        picture = scene.picture
        return Case(
            relation=self.info.name,
            variant=variant,
            scene=scene.id,
            queries=(
                Query(picture=picture, text=asked.text, meaning=asked.meaning),
                Query(picture=picture.reencode(), text=asked.text.replace(" ", "  "), meaning=asked.meaning),
            ),
            expected="first = second",
        )

    def judge(self, case: Case, answers: Sequence[Answer]) -> Verdict:
        return expectations.unchanged(case, answers)
