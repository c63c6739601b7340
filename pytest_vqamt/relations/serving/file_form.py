"""The relation ``serving.file_form``."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.edits import FileForm
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.askable_scene import askable_scene_of
from pytest_vqamt.relations.base import case_of
from pytest_vqamt.relations.control.repeat import generated_question
from pytest_vqamt.relations.expectations import unchanged
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.sampling.chooser import Chooser


@dataclass(frozen=True, slots=True)
class StoredForm(LexicalRelation):
    """The same pixels get the same answer in another form of PNG file: with alpha, with a palette, as grayscale.

    The first picture is a plain RGB file of the same pixels: of 256 colours for ``palette``, grey for ``grayscale``.
    Only models behind HTTP get a file; all others get the same pixels twice.
    """

    info = RelationInfo(
        name="serving.file_form",
        task=Task.VQA,
        source="a check of deployments by this project",
        variants=tuple(form.value for form in FileForm),
        settings=(WORDNET, ONTOLOGY),
        contrast=False,
    )
    expect = unchanged

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        asked = generated_question(askable_scene_of(scene, corpus, self.known), choose)
        if isinstance(asked, NotApplicable):
            return asked
        form = FileForm(variant)
        plain, stored = (scene.picture.store(form, plain=plain) for plain in (True, False))
        return case_of(self, variant, scene, ((plain, asked), (stored, asked)), expected="first = second")
