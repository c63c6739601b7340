"""The question that the noise floor is measured with."""

from __future__ import annotations

from pytest_vqamt.core.case import NotApplicable
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.questions import simple
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.relations.metavqa import groups
from pytest_vqamt.relations.published import published_question
from pytest_vqamt.sampling.chooser import Chooser


def plain_question(scene: Scene, corpus: Corpus, choose: Chooser) -> Question | NotApplicable:
    """One of the data set's own questions where it has some; else half counts of two names, half of existence."""
    if asked := published_question(scene, choose):
        return asked
    if choose.chance(0.5):
        single = groups.single(scene, corpus, choose, "object")
        if isinstance(single, NotApplicable):
            return single
        return simple.exists(single.group, choose.between(0, simple.EXISTS_WORDINGS - 1))
    pair = groups.pair(scene, corpus, choose, "object")
    if isinstance(pair, NotApplicable):
        return pair
    return simple.count((pair.first, pair.second), choose.between(0, simple.COUNT_WORDINGS - 1))
