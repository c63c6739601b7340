"""A hypothesis and what becomes of it when one of its words is another."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vqamt.core.case import Case, Fact
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.questions.hypotheses import Hypothesis
from pytest_vqamt.relations.base import Relation
from pytest_vqamt.relations.veglue.statements import Statement, case_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A change of one word.

    Attributes:
        kind: what sort of word it is, or of change.
        word, instead: what it was, and what it is.
        unsure: whether the label afterwards rests on an absence that the annotations do not guarantee.
    """

    statement: Statement
    after: Hypothesis
    kind: str
    word: str
    instead: str
    unsure: bool = False

    def case(self, relation: Relation, variant: str, scene: Scene, *, expected: str) -> Case:
        """The case that puts the hypothesis as it was and as it is, both of the scene's own picture."""
        facts: tuple[tuple[str, Fact], ...] = (("kind", self.kind), ("word", self.word), ("instead", self.instead))
        return case_of(
            relation,
            variant,
            scene,
            ((scene.picture, self.statement.hypothesis), (scene.picture, self.after)),
            expected=expected,
            facts=(*facts, *self.statement.facts),
            presumed=self.unsure,
        )
