"""The relation ``carets.negation``."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vqamt.core.case import Case, NotApplicable, PairKind, RelationInfo
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.questions.templates import QuestionType
from pytest_vqamt.relations.askable_scene import askable_scene_of
from pytest_vqamt.relations.base import case_of
from pytest_vqamt.relations.carets.argument_sampling import sample_argument
from pytest_vqamt.relations.carets.arguments import one_template
from pytest_vqamt.relations.expectations import opposite_answer
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.sampling.chooser import Chooser

_TYPES = (QuestionType.OBJECT, QuestionType.CONJUNCTION, QuestionType.DISJUNCTION)


@dataclass(frozen=True, slots=True)
class Negation(LexicalRelation):
    """A question and its negation have opposite answers.

    Jimenez et al., ACL 2022, section 4.2 (e). A template of Q1, Q2 or Q3, and its negated partner: "both A and B"
    becomes "either no A or no B", "either A or B" becomes "no A and no B". **Deviations:** arguments as in
    ``verifying``. A case is presumed only where "either A or B" is asked of one that is there and one that may be there
    unannotated: with both there, "either" might be taken to exclude that.
    """

    info = RelationInfo(
        name="carets.negation",
        task=Task.VQA,
        source="Jimenez et al., ACL 2022, section 4.2 (e)",
        version=3,
        breakdown=("question_type", "truth"),
        settings=(WORDNET, ONTOLOGY),
        pairs=PairKind.OPPOSITE,
    )
    expect = opposite_answer

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        view = askable_scene_of(scene, corpus, self.known)
        argument = sample_argument(_TYPES, view, choose)
        if isinstance(argument, NotApplicable):
            return argument
        template = one_template(argument, choose)
        return case_of(
            self,
            variant,
            scene,
            ((scene.picture, argument.worded(template, negated=negated)) for negated in (False, True)),
            expected="one yes, one no",
            facts=argument.facts(template=template, other_template=template),
            presumed=argument.is_one_of_two,
        )
