"""The relation ``carets.order``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import permutations

from pytest_vqamt.core.case import Case, NotApplicable, PairKind, RelationInfo
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.meaning import Both, Choice, Either
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.questions.templates import CHOICE_TYPES, Askable, QuestionType
from pytest_vqamt.relations.askable_scene import askable_scene_of
from pytest_vqamt.relations.base import case_of
from pytest_vqamt.relations.carets.argument_sampling import sample_argument
from pytest_vqamt.relations.carets.arguments import one_template
from pytest_vqamt.relations.expectations import same_answer
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.sampling.chooser import Chooser

_TYPES: Mapping[str, tuple[QuestionType, ...]] = {
    "conjunction": (QuestionType.CONJUNCTION,),
    "disjunction": (QuestionType.DISJUNCTION,),
    "choices": CHOICE_TYPES,
}


@dataclass(frozen=True, slots=True)
class Order(LexicalRelation):
    """The order in which things or choices are named does not change the answer.

    Jimenez et al., ACL 2022, section 4.2 (c). The same template of Q2, Q3, Q5, Q6 or Q7, with its two things, or its
    two or three choices, in another order. **Deviations:** arguments as in ``verifying`` and ``choosing``. Of choices,
    another one comes first than before. Nothing but the order changes, so no case is presumed.
    """

    info = RelationInfo(
        name="carets.order",
        task=Task.VQA,
        source="Jimenez et al., ACL 2022, section 4.2 (c)",
        variants=tuple(_TYPES),
        version=3,
        breakdown=("question_type", "answers", "choices", "truth"),
        settings=(WORDNET, ONTOLOGY),
        pairs=PairKind.SAME,
    )
    expect = same_answer

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        view = askable_scene_of(scene, corpus, self.known)
        argument = sample_argument(_TYPES[variant], view, choose)
        if isinstance(argument, NotApplicable):
            return argument
        reordered = replace(
            argument, asking=replace(argument.asking, meaning=_reordered(argument.asking.meaning, choose))
        )
        template = one_template(argument, choose)
        return case_of(
            self,
            variant,
            scene,
            ((scene.picture, each.worded(template)) for each in (argument, reordered)),
            expected="first = second",
            facts=argument.facts(template=template, other_template=template),
        )


def _reordered(meaning: Askable, choose: Chooser) -> Askable:
    match meaning:
        case Both(groups=groups) | Either(groups=groups):
            return replace(meaning, groups=groups[::-1])
        case Choice(options=options):
            # Another option comes first, so that a model that takes the first one changes its answer.
            orders = [order for order in permutations(options) if order[0] != options[0]]
            return replace(meaning, options=choose.one(orders))
        case _:
            return meaning
