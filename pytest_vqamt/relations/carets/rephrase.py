"""The relation ``carets.rephrase``."""

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
from pytest_vqamt.relations.carets.arguments import two_templates
from pytest_vqamt.relations.expectations import same_answer
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.sampling.chooser import Chooser

_TYPES = tuple(each for each in QuestionType if each is not QuestionType.ATTRIBUTE)


@dataclass(frozen=True, slots=True)
class Rephrase(LexicalRelation):
    """A question in other words has the same answer.

    Jimenez et al., ACL 2022, section 4.2 (a). Two different templates of one type (Q1, Q2, Q3, Q5, Q6, Q7) with the
    same arguments. **Deviations:** arguments as in ``verifying`` and ``choosing``. Since nothing but the words changes,
    a case is presumed only where "either A or B" is asked of one that is there and one that may be there unannotated:
    with both there, "either" might be taken to exclude that.
    """

    info = RelationInfo(
        name="carets.rephrase",
        task=Task.VQA,
        source="Jimenez et al., ACL 2022, section 4.2 (a)",
        version=3,
        breakdown=("question_type", "answers", "choices", "truth"),
        settings=(WORDNET, ONTOLOGY),
        pairs=PairKind.SAME,
    )
    expect = same_answer

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        view = askable_scene_of(scene, corpus, self.known)
        argument = sample_argument(_TYPES, view, choose)
        if isinstance(argument, NotApplicable):
            return argument
        first, second = two_templates(argument, choose)
        return case_of(
            self,
            variant,
            scene,
            ((scene.picture, argument.worded(template)) for template in (first, second)),
            expected="first = second",
            facts=argument.facts(template=first, other_template=second),
            presumed=argument.is_one_of_two,
        )
