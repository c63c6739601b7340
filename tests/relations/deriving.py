"""Cases of made scenes, in a line each."""

from __future__ import annotations

from pytest_vqamt.core.case import Case, NotApplicable
from pytest_vqamt.core.corpus import Corpus, gather_corpus
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.base import Relation
from pytest_vqamt.relations.draw import Draw
from pytest_vqamt.sampling.chooser import Chooser
from tests.making import FirstOption, choosers

FIRST = FirstOption()


def derive(
    relation: Relation, scene: Scene, choose: Chooser = FIRST, variant: str = "", corpus: Corpus | None = None
) -> Case | NotApplicable:
    """What the relation makes of the scene, which is all that its data has unless there is a ``corpus``."""
    return relation.derive(Draw(relation, scene, corpus or gather_corpus((scene,)), choose, variant))


def cases_of(
    relation: Relation, scene: Scene, variant: str = "", *, draws: int = 100, corpus: Corpus | None = None
) -> list[Case]:
    """The cases of many draws, without those that give none."""
    corpus = corpus or gather_corpus((scene,))
    found = (derive(relation, scene, choose, variant, corpus) for choose in choosers(draws))
    return [each for each in found if isinstance(each, Case)]


def the_case(
    relation: Relation, scene: Scene, variant: str = "", corpus: Corpus | None = None, choose: Chooser = FIRST
) -> Case:
    """The simplest case of the scene."""
    found = derive(relation, scene, choose, variant, corpus)
    assert isinstance(found, Case), found
    return found
