"""The relation ``carets.ontological``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from pytest_vqamt.core.case import Case, NotApplicable, PairKind, RelationInfo, Verdict
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.query import Answer, Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.questions.templates import QuestionType
from pytest_vqamt.relations import expectations
from pytest_vqamt.relations.askable_scene import View, view_of
from pytest_vqamt.relations.base import case_of
from pytest_vqamt.relations.carets.arguments import Argument, one_template
from pytest_vqamt.relations.carets.kinds import from_class_to_kind, from_kind_to_class, with_class_beside
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, DrawsOnWords
from pytest_vqamt.sampling.chooser import Chooser

_BESIDE: Mapping[str, QuestionType] = MappingProxyType(
    {
        "object_choice": QuestionType.OBJECT_CHOICE,
        "attribute_choice": QuestionType.ATTRIBUTE_CHOICE,
        "action_choice": QuestionType.ACTION_CHOICE,
    }
)


@dataclass(frozen=True, slots=True)
class Ontological(DrawsOnWords):
    """Where there is a dog there is an animal, and where there is no animal there is no dog.

    Jimenez et al., ACL 2022, section 4.2 (b). ``hypernym``: a name in the scene becomes the word for its class.
    ``hyponym``: a class of which there is nothing becomes one of its kinds. Only these directions are implied. The
    published pairs also have choices whose related object becomes its class ("the cup near the dog", "the cup near the
    animal"): ``object_choice``, ``attribute_choice`` and ``action_choice``.

    **Deviations:**

    - The class is a word that people use ("animal", "fruit"), curated, with what WordNet has below its synsets.
    - No class is said to be absent where some name in the scene could be of it in any of its senses.
    - Attributes that depend on the class ("small") are left out (rule 7).
    - The related object becomes a class that is counted ("the animal"), not a mass ("the furniture").
    - ``hyponym`` is presumed where the source does not annotate the class exhaustively, and the choices where there may
      be another thing of the class, or of the name. ``hypernym`` rests on no absence.
    """

    info: ClassVar[RelationInfo] = RelationInfo(
        name="carets.ontological",
        task=Task.VQA,
        claim="Where there is a dog there is an animal; where there is no animal there is no dog.",
        source="Jimenez et al., ACL 2022, section 4.2 (b)",
        variants=("hypernym", "hyponym", *_BESIDE),
        breakdown=(),
        settings=(WORDNET, ONTOLOGY),
        pairs=PairKind.IMPLIED,
    )

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        view = view_of(
            scene,
            corpus,
            self.known,
            gradable=variant in _BESIDE,
            beside_a_class=variant in _BESIDE,
        )
        drawn = _drawn(view, choose, variant)
        if isinstance(drawn, NotApplicable):
            return drawn
        argument, other = drawn
        template = one_template(argument, choose)
        return case_of(
            self,
            variant,
            scene,
            ((scene.picture, each.worded(template)) for each in (argument, other)),
            expected="first = second",
            facts=argument.facts(template=template, other_template=template),
            presumed=other.rests_on_absence or other.rests_on_the_only_one,
        )

    def judge(self, case: Case, answers: Sequence[Answer]) -> Verdict:
        return expectations.same_answer(case, answers)


def _drawn(view: View, choose: Chooser, variant: str) -> tuple[Argument, Argument] | NotApplicable:
    match variant:
        case "hypernym":
            return from_kind_to_class(view, choose)
        case "hyponym":
            return from_class_to_kind(view, choose)
        case _:
            return with_class_beside(view, choose, _BESIDE[variant])
