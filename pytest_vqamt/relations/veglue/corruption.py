"""The relation ``veglue.corruption``."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.base import case_of
from pytest_vqamt.relations.corruption import SEVERITY, VARIANTS, corrupted
from pytest_vqamt.relations.expectations import same_label
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.relations.veglue.statements import sample_statement
from pytest_vqamt.sampling.chooser import Chooser


@dataclass(frozen=True, slots=True, kw_only=True)
class HypothesisCorruption(LexicalRelation):
    """Noise, blur, snow or a loss of contrast leaves the label of a hypothesis as it was.

    The baseline FIP of Chang et al., VEglue, sections 4.5 and 6.3: all over the picture ("global"), or only in the
    boxes of what the hypothesis speaks of ("object"). It is one of the data set's own that its picture entails, where
    there are any with units linked to boxes; else it is written from the scene (``statements``).

    Tagged baseline: people found so many as a third of such pictures spoilt (Table 2: zoom 62.7 % valid, contrast
    76.4 %). What is seen badly is still there, so a perfect perceiver never violates it.

    **Deviation:** hypotheses that are entailed alone; the paper takes all of its data sets, whatever their labels.
    """

    info = RelationInfo(
        name="veglue.corruption",
        task=Task.ENTAILMENT,
        source="Chang et al., VEglue, section 6.3; Hendrycks and Dietterich, ICLR 2019",
        version=2,
        variants=VARIANTS,
        tags=("baseline",),
        breakdown=("shape", "units"),
        settings=(SEVERITY, WORDNET, ONTOLOGY),
    )
    expect = same_label

    severity: str = SEVERITY.default

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        statement = sample_statement(scene, corpus, self.known, choose)
        if statement is None:
            return NotApplicable(reason="no hypothesis is surely true")
        hypothesis = statement.hypothesis
        return case_of(
            self,
            variant,
            scene,
            ((scene.picture, hypothesis), (corrupted(scene, variant, self.severity, statement.things), hypothesis)),
            expected="first = second",
            facts=(*statement.facts, ("severity", int(self.severity))),
        )
