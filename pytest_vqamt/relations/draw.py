"""The draw of one case: what ``Relation.derive`` gets, and how it makes its case."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from pytest_vqamt.core.case import Case, Fact, NotApplicable
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Query
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.questions.hypotheses import Hypothesis
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.relations.askable_scene import AskableScene, askable_scene_of
from pytest_vqamt.relations.base import Relation
from pytest_vqamt.relations.in_conversation import query_of
from pytest_vqamt.relations.lexical_knowledge import LexicalKnowledge, knowledge_of
from pytest_vqamt.sampling.chooser import Chooser

Input: TypeAlias = tuple[Picture, Question | Hypothesis]
"""A picture, and the text about it."""


class Draw:
    """One draw of a case of ``relation``: a scene, its corpus, the choices and the variant."""

    # Made for every case that a run draws, so it has slots and finds nothing before it is asked for.
    __slots__ = ("_view", "choose", "corpus", "relation", "scene", "variant")

    def __init__(self, relation: Relation, scene: Scene, corpus: Corpus, choose: Chooser, variant: str = "") -> None:
        self.relation = relation
        self.scene = scene
        self.corpus = corpus
        self.choose = choose
        self.variant = variant
        self._view: AskableScene | None = None

    def of(self, relation: Relation) -> Draw:
        """Returns the same draw for another relation."""
        return Draw(relation, self.scene, self.corpus, self.choose, self.variant)

    @property
    def picture(self) -> Picture:
        """The scene's own picture, unedited."""
        return self.scene.picture

    @property
    def known(self) -> LexicalKnowledge:
        """The lexical knowledge that the relation's settings name."""
        return knowledge_of(self.relation)

    @property
    def view(self) -> AskableScene:
        """What can be asked of the scene, by ``known``."""
        if self._view is None:
            self._view = askable_scene_of(self.scene, self.corpus, self.known)
        return self._view

    def view_for(self, *, gradable: bool) -> AskableScene:
        """Returns what can be asked of the scene, with or without gradable words."""
        return self.view if gradable else askable_scene_of(self.scene, self.corpus, self.known, gradable=False)

    def wording(self, wordings: int) -> int:
        """Draws the number of one of so many wordings."""
        return self.choose.between(0, wordings - 1)

    def here(self, asked: Iterable[Question | Hypothesis]) -> Iterator[Input]:
        """Yields each text with the scene's own picture."""
        picture = self.scene.picture
        return ((picture, each) for each in asked)

    def before_and_after(self, asked: Question | Hypothesis, *edited: Picture) -> Iterator[Input]:
        """Yields one text with the scene's own picture, and with each of the ``edited`` ones."""
        return ((picture, asked) for picture in (self.scene.picture, *edited))

    def query(self, asked: Question | Hypothesis) -> Query:
        """Returns the query of a text about the scene's own picture, unedited."""
        query = query_of(self.scene, self.scene.picture, asked, self.relation.info.task)
        assert isinstance(query, Query)  # nothing is edited
        return query

    def case(
        self,
        inputs: Iterable[Input],
        *,
        expected: str,
        facts: tuple[tuple[str, Fact], ...] = (),
        presumed: bool = False,
    ) -> Case | NotApplicable:
        """Returns the case with one query for each input, the source query first.

        A question of the data set is asked in the conversation that it ends; there is no case where an edit cannot be
        made to all pictures of that. ``presumed`` marks a case that rests on an absence that the annotations do not
        guarantee.
        """
        task, queries = self.relation.info.task, []
        for picture, asked in inputs:
            query = query_of(self.scene, picture, asked, task)
            if isinstance(query, NotApplicable):
                return query
            queries.append(query)
        return self.case_of(
            queries,
            expected=expected,
            facts=facts,
            presumed=presumed,
        )

    def case_of(
        self,
        queries: Iterable[Query],
        *,
        expected: str,
        facts: tuple[tuple[str, Fact], ...] = (),
        presumed: bool = False,
    ) -> Case:
        """Returns the case of queries that are more than a picture and a text: trials, captions, reasoning."""
        return Case(
            relation=self.relation.info.name,
            variant=self.variant,
            scene=self.scene.id,
            queries=tuple(queries),
            expected=expected,
            facts=facts,
            tags=("presumed",) if presumed else (),
        )
