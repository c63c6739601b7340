"""The relation ``carets.antonym``."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vqamt.core.case import Case, NotApplicable, PairKind, RelationInfo
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.salience import is_salient
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.askable_scene import askable_scene_of
from pytest_vqamt.relations.base import case_of
from pytest_vqamt.relations.carets.arguments import Argument, one_template, things_named
from pytest_vqamt.relations.carets.verifying import antonym_arguments
from pytest_vqamt.relations.expectations import opposite_answer
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.sampling.chooser import Chooser


@dataclass(frozen=True, slots=True)
class Antonym(LexicalRelation):
    """Whether a thing has an attribute, and whether it has its antonym, have opposite answers.

    Jimenez et al., ACL 2022, section 4.2 (f). The same template of Q4 with the one and the other. **Deviations:** the
    antonyms are curated, each excludes the other, and one of the two is annotated on the thing, which is the only one
    that the phrase can mean. Every other time the antonym is asked first, so that half of the first answers are no. A
    case is presumed where another thing of the name may be there without being annotated, and where a thing that the
    phrase names is too small to be seen for certain: who overlooks it says no twice.
    """

    info = RelationInfo(
        name="carets.antonym",
        task=Task.VQA,
        source="Jimenez et al., ACL 2022, section 4.2 (f)",
        version=2,
        breakdown=("truth",),
        settings=(WORDNET, ONTOLOGY),
        pairs=PairKind.OPPOSITE,
    )
    expect = opposite_answer

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        view = askable_scene_of(scene, corpus, self.known)
        drawn = antonym_arguments(view, choose)
        if isinstance(drawn, NotApplicable):
            return drawn
        argument, opposite = drawn
        template = one_template(argument, choose)
        return case_of(
            self,
            variant,
            scene,
            ((scene.picture, each.worded(template)) for each in (argument, opposite)),
            expected="one yes, one no",
            facts=argument.facts(template=template, other_template=template),
            presumed=argument.rests_on_the_only_one or not _is_seen(argument, scene),
        )


def _is_seen(argument: Argument, scene: Scene) -> bool:
    named, _ = things_named(argument.asking, scene)
    return all(is_salient(thing, scene) for thing in named)
