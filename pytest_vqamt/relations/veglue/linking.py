"""Which thing is erased, and a hypothesis that speaks of it or does not: a published one, where there is any."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from pytest_vqamt.core.case import NotApplicable
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.relations.lexical_knowledge import LexicalKnowledge
from pytest_vqamt.relations.soundness import is_salient
from pytest_vqamt.relations.veglue.erasable import OVERLAP, is_place
from pytest_vqamt.relations.veglue.statements import (
    PublishedStatement,
    Statement,
    StatementWriter,
    published_statements,
    statement_writer,
)
from pytest_vqamt.sampling.chooser import Chooser

NOTHING_TO_STATE = NotApplicable(reason="no hypothesis that is surely true or false once something is erased")
MAX_UNLINKED_IOU = 0.1
"""Of an un-linked object the IoU with every linked one is less (section 3.3.2)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedErasure:
    """What is to be erased, a hypothesis, and what is left of it: all of it, where it speaks of something else."""

    erased: Thing
    statement: Statement
    rest: Statement


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureSampler:
    """Finds what may be erased of a scene, of the things that are ``free`` to be.

    ``by_iou`` says that the place of what is not linked does not matter, as published.
    """

    scene: Scene
    corpus: Corpus
    known: LexicalKnowledge
    free: tuple[Thing, ...]
    by_iou: bool

    def together(self, choose: Chooser) -> LinkedErasure | None:
        """A linked thing that can go with its unit: nothing that is left goes by its name, or is a part of it."""
        if self.scene.hypotheses:
            return _one(self._published_together(), choose)
        writer = self._writer
        pairs = [(thing, self._none_of(thing, writer.things)) for thing in self._spoken_of(writer)]
        pairs = [(thing, others) for thing, others in pairs if others]
        if not pairs:
            return None
        thing, others = choose.one(pairs)
        statement = writer.about(thing, others, choose, least=2)
        rest = statement.without(thing)
        return LinkedErasure(erased=thing, statement=statement, rest=rest) if rest else None

    def alone(self, fits: Callable[[Thing], bool], choose: Chooser) -> LinkedErasure | None:
        """A linked thing that fits and without which the hypothesis is false: nothing else could go by its name."""
        if self.scene.hypotheses:
            return _one(self._published_alone(fits), choose)
        writer = self._writer
        things = [
            each
            for each in self._spoken_of(writer)
            if writer.view.is_unique_by_name(each) and self._can_be_missed(each.name) and fits(each)
        ]
        if not things:
            return None
        thing = choose.one(things)
        statement = writer.about(thing, [other for other in writer.things if other.id != thing.id], choose)
        return LinkedErasure(erased=thing, statement=statement, rest=statement)

    def beside(self, choose: Chooser) -> LinkedErasure | None:
        """A thing that the hypothesis does not speak of: none of its names is the thing's, or has it for a part.

        Where any of them is large enough to be missed, it is one of those.
        """
        if self.scene.hypotheses:
            found = self._published_beside()
            return _one([each for each in found if is_salient(each.erased, self.scene)] or found, choose)
        writer = self._writer
        pairs = [(thing, self._none_of(thing, writer.things)) for thing in self.free]
        pairs = [(thing, others) for thing, others in pairs if others]
        if not pairs:
            return None
        thing, others = choose.one([pair for pair in pairs if is_salient(pair[0], self.scene)] or pairs)
        statement = writer.about(choose.one(others), others, choose)
        return LinkedErasure(erased=thing, statement=statement, rest=statement)

    @property
    def _writer(self) -> StatementWriter:
        return statement_writer(self.scene, self.corpus, self.known)

    def _spoken_of(self, writer: StatementWriter) -> list[Thing]:
        """The things that are free and that can be spoken of."""
        ids = {thing.id for thing in self.free}
        return [thing for thing in writer.things if thing.id in ids]

    def _none_of(self, thing: Thing, others: Iterable[Thing]) -> list[Thing]:
        """Those of the others by whose names the thing surely does not go, and that it is no part or garment of."""
        known, exhaustive = self.known, self.scene.exhaustive
        return [
            other
            for other in others
            if other.id != thing.id and known.is_absent(thing.name, frozenset({other.name}), exhaustive)
        ]

    def _published_together(self) -> list[LinkedErasure]:
        return [
            LinkedErasure(erased=thing, statement=statement, rest=rest)
            for statement, thing in self._published_linked()
            if (rest := statement.without(thing)) and self._is_placed(rest) and rest.is_none(thing)
        ]

    def _published_alone(self, fits: Callable[[Thing], bool]) -> list[LinkedErasure]:
        return [
            LinkedErasure(erased=thing, statement=statement, rest=statement)
            for statement, thing in self._published_linked()
            if fits(thing) and self._can_be_missed(thing.name)
            if statement.is_only(thing) and statement.is_said_of_one(thing)
        ]

    def _published_beside(self) -> list[LinkedErasure]:
        return [
            LinkedErasure(erased=thing, statement=statement, rest=statement)
            for statement in published_statements(self.scene, self.known)
            if self._is_placed(statement)
            for thing in self.free
            if statement.is_none(thing)
            and all(thing.box.iou(other.box) < MAX_UNLINKED_IOU for other in statement.things)
        ]

    def _published_linked(self) -> list[tuple[PublishedStatement, Thing]]:
        ids = {thing.id for thing in self.free}
        every = published_statements(self.scene, self.known)
        return [(statement, thing) for statement in every for thing in statement.things if thing.id in ids]

    def _is_placed(self, statement: PublishedStatement) -> bool:
        """Whether it is known where everything is that it speaks of, so that none of it is erased with another."""
        return self.by_iou or statement.is_all_placed

    def _can_be_missed(self, name: str) -> bool:
        """Whether one can say that there is none: not of walls, nor of a store of which a patch is erased."""
        return name in self.scene.exhaustive or not is_place(name, self.known.wordnet)


def erasure_sampler(
    scene: Scene, corpus: Corpus, known: LexicalKnowledge, free: tuple[Thing, ...], overlap: str
) -> ErasureSampler:
    """The linker of what is free to be erased as the setting ``overlap`` has it."""
    return ErasureSampler(scene=scene, corpus=corpus, known=known, free=free, by_iou=overlap != OVERLAP.default)


def _one(found: Sequence[LinkedErasure], choose: Chooser) -> LinkedErasure | None:
    return choose.one(found) if found else None
