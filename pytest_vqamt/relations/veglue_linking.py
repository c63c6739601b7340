"""Samples a thing to erase with a hypothesis that mentions it or not; published hypotheses come first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from pytest_vqamt.core.case import NotApplicable
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.relations.lexical_knowledge import LexicalKnowledge
from pytest_vqamt.relations.rules import SALIENT, UNIQUE
from pytest_vqamt.relations.veglue_erasing import OVERLAP, is_place
from pytest_vqamt.relations.veglue_statements import (
    PublishedStatement,
    Statement,
    StatementWriter,
    published_statements,
    statement_writer,
)
from pytest_vqamt.sampling.chooser import Chooser

NOTHING_TO_STATE = NotApplicable(reason="no hypothesis is surely true or false after an erasure")
MAX_UNLINKED_IOU = 0.1
"""The IoU of an un-linked object with every linked one is less (section 3.3.2)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedErasure:
    """A thing to erase, a hypothesis, and the rest of it afterwards."""

    erased: Thing
    """The thing to erase."""
    statement: Statement
    """The source hypothesis, which the picture entails."""
    rest: Statement
    """What of it is left afterwards; the same unless the erased thing is dropped from it (MR1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureSampler:
    """Samples erasures among the things of a scene that may be erased."""

    scene: Scene
    """The scene before the erasure."""
    corpus: Corpus
    """The data of the run."""
    known: LexicalKnowledge
    """Decides which names may mean the erased thing."""
    free: tuple[Thing, ...]
    """The things that may be erased."""
    by_iou: bool
    """True with ``overlap=iou``: the positions of unlinked objects are ignored, as published."""

    def joint(self, choose: Chooser) -> LinkedErasure | None:
        """Samples a linked thing and drops it from the hypothesis: nothing left has its name or is a part of it."""
        if self.scene.hypotheses:
            # Sure ones first; where there are none, the case is presumed.
            found = self._published_joint()
            return _one([each for each in found if self.is_sure(each)] or found, choose)
        writer = self._writer
        pairs = [(thing, self._unrelated_to(thing, writer.things)) for thing in self._mentionable(writer)]
        pairs = [(thing, others) for thing, others in pairs if others]
        if not pairs:
            return None
        thing, others = choose.one(pairs)
        # Two things at least, so that something is left to be entailed.
        statement = writer.about(thing, others, choose, least=2)
        rest = statement.without(thing)
        return LinkedErasure(erased=thing, statement=statement, rest=rest) if rest else None

    def linked(self, fits: Callable[[Thing], bool], choose: Chooser) -> LinkedErasure | None:
        """Samples a linked thing that fits and that the hypothesis needs: nothing else could go by its name."""
        if self.scene.hypotheses:
            return _one(self._published_needed(fits), choose)
        writer = self._writer
        things = [
            each
            for each in self._mentionable(writer)
            if UNIQUE.check(writer.view, each) and self._can_be_absent(each.name) and fits(each)
        ]
        if not things:
            return None
        thing = choose.one(things)
        statement = writer.about(thing, [other for other in writer.things if other.id != thing.id], choose)
        return LinkedErasure(erased=thing, statement=statement, rest=statement)

    def unlinked(self, choose: Chooser) -> LinkedErasure | None:
        """Samples a thing that the hypothesis does not mention, salient if possible."""
        if self.scene.hypotheses:
            found = self._published_unlinked()
            # Sure before salient: a wrong case is worse than one that a speck decides.
            found = [each for each in found if self.is_sure(each)] or found
            return _one([each for each in found if SALIENT.check(each.erased, self.scene)] or found, choose)
        writer = self._writer
        pairs = [(thing, self._unrelated_to(thing, writer.things)) for thing in self.free]
        pairs = [(thing, others) for thing, others in pairs if others]
        if not pairs:
            return None
        thing, others = choose.one([pair for pair in pairs if SALIENT.check(pair[0], self.scene)] or pairs)
        statement = writer.about(choose.one(others), others, choose)
        return LinkedErasure(erased=thing, statement=statement, rest=statement)

    def is_sure(self, linked: LinkedErasure) -> bool:
        """True if the rest of the hypothesis stays true without the things that it does not name."""
        # By IoU as published, no case is presumed, since the paper trusts all of them.
        return self.by_iou or linked.rest.needs_nothing_unnamed

    @property
    def _writer(self) -> StatementWriter:
        return statement_writer(self.scene, self.corpus, self.known)

    def _mentionable(self, writer: StatementWriter) -> list[Thing]:
        """Returns the free things that hypotheses can mention."""
        ids = {thing.id for thing in self.free}
        return [thing for thing in writer.things if thing.id in ids]

    def _unrelated_to(self, thing: Thing, others: Iterable[Thing]) -> list[Thing]:
        """Returns the others for which the thing cannot be taken, nor be a part or garment of them."""
        known, exhaustive = self.known, self.scene.exhaustive
        return [
            other
            for other in others
            if other.id != thing.id and known.is_absent(thing.name, frozenset({other.name}), exhaustive)
        ]

    def _published_joint(self) -> list[LinkedErasure]:
        return [
            LinkedErasure(erased=thing, statement=statement, rest=rest)
            for statement, thing in self._published_linked()
            if (rest := statement.without(thing)) and self._is_located(rest) and rest.is_unmentioned(thing)
        ]

    def _published_needed(self, fits: Callable[[Thing], bool]) -> list[LinkedErasure]:
        return [
            LinkedErasure(erased=thing, statement=statement, rest=statement)
            for statement, thing in self._published_linked()
            if fits(thing) and self._can_be_absent(thing.name)
            if statement.is_only(thing) and statement.has_article(thing)
        ]

    def _published_unlinked(self) -> list[LinkedErasure]:
        return [
            LinkedErasure(erased=thing, statement=statement, rest=statement)
            for statement in published_statements(self.scene, self.known)
            if self._is_located(statement)
            for thing in self.free
            if statement.is_unmentioned(thing)
            and all(thing.box.iou(other.box) < MAX_UNLINKED_IOU for other in statement.things)
        ]

    def _published_linked(self) -> list[tuple[PublishedStatement, Thing]]:
        ids = {thing.id for thing in self.free}
        every = published_statements(self.scene, self.known)
        return [(statement, thing) for statement in every for thing in statement.things if thing.id in ids]

    def _is_located(self, statement: PublishedStatement) -> bool:
        """True if everything that it mentions has a known position, so that none of it is erased with another."""
        return self.by_iou or statement.is_all_located

    def _can_be_absent(self, name: str) -> bool:
        """True if one can say that there is none: not of walls, nor of a store with an erased patch."""
        return name in self.scene.exhaustive or not is_place(name, self.known.wordnet)


def erasure_sampler(
    scene: Scene, corpus: Corpus, known: LexicalKnowledge, free: tuple[Thing, ...], overlap: str
) -> ErasureSampler:
    """Returns the sampler for things that the setting ``overlap`` lets erase."""
    return ErasureSampler(scene=scene, corpus=corpus, known=known, free=free, by_iou=overlap != OVERLAP.default)


def _one(found: Sequence[LinkedErasure], choose: Chooser) -> LinkedErasure | None:
    return choose.one(found) if found else None
