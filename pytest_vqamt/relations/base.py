"""What a relation is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, runtime_checkable

from pytest_vqamt.core.case import Case, Fact, NotApplicable, RelationInfo, Verdict
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Answer, Query
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.sampling.chooser import Chooser


class Relation(Protocol):
    """A rule that makes cases from scenes and says whether answers obey it. Both methods are pure."""

    @property
    def info(self) -> RelationInfo: ...

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        """One case from ``scene``, all choices made by ``choose``."""
        ...

    def judge(self, case: Case, answers: Sequence[Answer]) -> Verdict:
        """Whether ``answers``, in the order of ``case.queries``, obey."""
        ...


@runtime_checkable
class PublishedRelation(Protocol):
    """A relation whose cases are published with a data set, so that all of them can be had. It is a Relation, too.

    Where the data has none, such a relation is left out of a run that does not name it.
    """

    def every(self, scene: Scene, variant: str) -> tuple[Case, ...] | NotApplicable:
        """Every case of ``scene``, of which there is one or more, in the order of the data set."""
        ...


@runtime_checkable
class DrawingOnResources(Protocol):
    """A relation that draws on more than the data, which reports name. It is a Relation, too."""

    @property
    def resources(self) -> tuple[tuple[str, str], ...]:
        """What it draws on ("wordnet"), and which version."""
        ...


def resources_of(relation: Relation) -> tuple[tuple[str, str], ...]:
    """What the relation draws on beside the data; mostly nothing."""
    return relation.resources if isinstance(relation, DrawingOnResources) else ()


def case_of(
    relation: Relation,
    variant: str,
    scene: Scene,
    asked: Iterable[tuple[Picture, Question]],
    *,
    expected: str,
    facts: tuple[tuple[str, Fact], ...] = (),
    presumed: bool = False,
) -> Case:
    """The case of ``relation`` that asks each question of its picture, the source query first.

    ``presumed`` says that it rests on an absence that the annotations do not guarantee.
    """
    return Case(
        relation=relation.info.name,
        variant=variant,
        scene=scene.id,
        queries=tuple(Query(picture=picture, text=each.text, meaning=each.meaning) for picture, each in asked),
        expected=expected,
        facts=facts,
        tags=("presumed",) if presumed else (),
    )
