"""A hypothesis that the scene entails, with the things that it speaks of: written from the scene, or published."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from pytest_vqamt.core.case import Case, Fact
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Query, Task
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.language.questions.hypotheses import Hypothesis
from pytest_vqamt.relations.base import Relation
from pytest_vqamt.relations.veglue.erasable import standing


class Statement(Protocol):
    """A hypothesis and what it speaks of."""

    @property
    def hypothesis(self) -> Hypothesis: ...

    @property
    def things(self) -> tuple[Thing, ...]:
        """The linked objects, each once, in the order of the text."""
        ...

    @property
    def names(self) -> frozenset[str]:
        """Every noun of the text that a thing might go by."""
        ...

    @property
    def facts(self) -> tuple[tuple[str, Fact], ...]:
        """Its shape, the number of its units, its wording."""
        ...

    def without(self, thing: Thing) -> Statement | None:
        """What it says of other things alone; None where nothing is left."""
        ...


def facts_of(
    statement: Statement, erased: Thing, beside: Iterable[Thing], scene: Scene
) -> tuple[tuple[str, Fact], ...]:
    """What reports break the verdicts down by: what was erased, how it stood to what is ``beside``, what was said."""
    others = tuple(other for other in beside if other.id != erased.id)
    return (("erased", erased.name), *standing(erased, others, scene), *statement.facts)


def case_of(
    relation: Relation,
    variant: str,
    scene: Scene,
    put: Iterable[tuple[Picture, Hypothesis]],
    *,
    expected: str,
    facts: tuple[tuple[str, Fact], ...],
    presumed: bool = False,
) -> Case:
    """The case of ``relation`` that puts each hypothesis of its picture, the source first; see ``relations.base``."""
    return Case(
        relation=relation.info.name,
        variant=variant,
        scene=scene.id,
        queries=tuple(
            Query(picture=picture, text=each.text, meaning=each.meaning, task=Task.ENTAILMENT) for picture, each in put
        ),
        expected=expected,
        facts=facts,
        tags=("presumed",) if presumed else (),
    )
