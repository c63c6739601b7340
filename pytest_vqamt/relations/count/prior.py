"""The relation ``count.prior``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo, Verdict
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.meaning import Group
from pytest_vqamt.core.query import Answer, Task
from pytest_vqamt.core.scene import Parts, Scene, Thing
from pytest_vqamt.language.questions import simple
from pytest_vqamt.relations.askable_scene import AskableScene, askable_scene_of
from pytest_vqamt.relations.base import case_of
from pytest_vqamt.relations.expectations import one_less, one_more
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.sampling.chooser import Chooser


@dataclass(frozen=True, slots=True)
class Prior(LexicalRelation):
    """A dog that is drawn with one leg more, or one less, has one leg more, or one less, to be counted.

    After arXiv 2505.23941 (VLMBias): models count the stripes of a known logo or the legs of an animal rightly as long
    as the number is the usual one (100 %), and give the usual number where it is another (17 %).

    Both pictures are drawn anew, once with the usual number of parts and once with one more (``more``) or one less
    (``less``), set apart from each other alike, so that nothing but the number differs. Asked is how many can be seen,
    as a car has wheels on its other side. The phrase means one thing only: "the car", or "the red car".

    **Deviation:** the paper asks each picture by itself and needs the right number; here the two answers are compared,
    so a model that counts one too many in both passes. The paper edits photos of logos, flags, animals, game boards and
    optical illusions; here it is what the picture world draws, and other sources give no case.
    """

    info = RelationInfo(
        name="count.prior",
        task=Task.VQA,
        source="after arXiv 2505.23941, counterfactual pictures",
        variants=("more", "less"),
        breakdown=("part",),
        settings=(WORDNET, ONTOLOGY),
        directional=("more", "less"),
    )

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        if not any(parts.drawable for parts in scene.parts):
            return NotApplicable(reason="no thing that the source can draw with other parts")
        added = 1 if variant == "more" else -1
        found = [
            (parts, group)
            for parts, group in _countable(askable_scene_of(scene, corpus, self.known, gradable=False))
            if {parts.usual, parts.usual + added} <= set(parts.drawable)
        ]
        if not found:
            return NotApplicable(reason="no thing with such parts that a phrase means alone")
        parts, group = choose.one(found)
        question = simple.part_count(group, parts.name, wording := choose.between(0, simple.PART_COUNT_WORDINGS - 1))
        return case_of(
            self,
            variant,
            scene,
            (
                (scene.picture.redraw(parts.thing, parts.name, number), question)
                for number in (parts.usual, parts.usual + added)
            ),
            expected="second = first + 1" if added > 0 else "second = first - 1",
            facts=(("part", parts.name), ("usual", parts.usual), ("wording", wording)),
        )

    def judge(self, case: Case, answers: Sequence[Answer]) -> Verdict:
        return (one_more if case.variant == "more" else one_less)(case, answers)


def _countable(view: AskableScene) -> tuple[tuple[Parts, Group], ...]:
    """Returns the parts that the source can draw in other numbers, each with the group that means their thing alone."""
    return view.cached(
        "countable parts",
        lambda: tuple(
            (parts, group)
            for parts in view.scene.parts
            if parts.drawable and (group := _meant(view.scene.thing(parts.thing), view)) is not None
        ),
    )


def _meant(thing: Thing, view: AskableScene) -> Group | None:
    if thing.name not in view.nouns:
        return None
    if view.is_unique_by_name(thing):
        return Group(name=thing.name)
    for word in view.askable_attributes(thing):
        if view.is_unique_by_attribute(thing, word):
            return Group(name=thing.name, attributes=(word,))
    return None
