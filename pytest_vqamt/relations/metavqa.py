"""The relations of MetaVQA (Yuan et al., CVPR 2021): counts and presence under other questions and edits."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo, Verdict
from pytest_vqamt.core.corpus import Corpus, CutoutEntry
from pytest_vqamt.core.meaning import Count, Group
from pytest_vqamt.core.query import Answer, Task
from pytest_vqamt.core.scene import Thing
from pytest_vqamt.language.questions import simple
from pytest_vqamt.relations import groups
from pytest_vqamt.relations.base import BuiltInRelation
from pytest_vqamt.relations.draw import Draw
from pytest_vqamt.relations.edits import (
    ERASE,
    INPAINT,
    Eraser,
    InsertedThing,
    insertable_cutouts,
    make_eraser,
    only_worn_items,
    pieces_by_axis,
    removable,
    sample_insertion,
    wholly_removable,
)
from pytest_vqamt.relations.expectations import (
    Expectation,
    all_yes,
    any_yes,
    one_less,
    one_more,
    opposite_answer,
    same_answer,
    sum_of_parts,
)
from pytest_vqamt.relations.groups import VARIANTS, GroupQuestion, QuestionKind, sample_question
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.relations.recognition import EXCLUDE_CUTOUTS, CutoutRelation
from pytest_vqamt.relations.rules import SALIENT, UNTOUCHED
from pytest_vqamt.relations.soundness import certain_properties, countable_names, object_names

_EXPECTED: Mapping[QuestionKind, tuple[Expectation, str]] = {
    QuestionKind.COUNT: (sum_of_parts, "the first is the sum of all others"),
    QuestionKind.EXISTS: (any_yes, "the first is yes just where one of the others is"),
    QuestionKind.ABSENT: (all_yes, "the first is yes just where all of the others are"),
}


@dataclass(frozen=True, slots=True)
class CountedPair(LexicalRelation, ABC):
    """Base class of the relations that count two groups: a subclass says in which combinations."""

    expected: ClassVar[str]
    """The expectation in words."""

    @abstractmethod
    def counted(self, first: Group, second: Group) -> tuple[tuple[Group, ...], ...]:
        """Returns the groups that each question counts together."""

    def derive(self, draw: Draw) -> Case | NotApplicable:
        pair = groups.sample_pair(draw.view, draw.choose, draw.variant)
        if isinstance(pair, NotApplicable):
            return pair
        wording = draw.wording(simple.COUNT_WORDINGS)
        counted = self.counted(pair.first, pair.second)
        return draw.case(
            draw.here(simple.count(together, wording) for together in counted),
            expected=self.expected,
            facts=(("present_groups", pair.present), ("wording", wording)),
        )


@dataclass(frozen=True, slots=True)
class Partition(CountedPair):
    """The count of two groups together equals the sum of their counts.

    Yuan et al., CVPR 2021, section 4.1.1. **Deviation:** groups and properties as in ``groups``. One wording a case.
    """

    info = RelationInfo(
        name="metavqa.partition",
        task=Task.VQA,
        source="Yuan et al., CVPR 2021, section 4.1.1",
        variants=("object", "property"),
        version=3,
        breakdown=("present_groups",),
        settings=(WORDNET, ONTOLOGY),
    )
    expect = sum_of_parts
    expected = "first = second + third"

    def counted(self, first: Group, second: Group) -> tuple[tuple[Group, ...], ...]:
        return (first, second), (first,), (second,)


@dataclass(frozen=True, slots=True)
class Reorder(CountedPair):
    """The order in which two groups are named does not change their count.

    Yuan et al., CVPR 2021, section 4.1.2. **Deviation:** groups and properties as in ``groups``. One wording a case.
    """

    info = RelationInfo(
        name="metavqa.reorder",
        task=Task.VQA,
        source="Yuan et al., CVPR 2021, section 4.1.2",
        variants=("object", "property"),
        version=3,
        breakdown=("present_groups",),
        settings=(WORDNET, ONTOLOGY),
    )
    expect = same_answer
    expected = "first = second"

    def counted(self, first: Group, second: Group) -> tuple[tuple[Group, ...], ...]:
        return (first, second), (second, first)


@dataclass(frozen=True, slots=True)
class Reversion(LexicalRelation):
    """Asked whether there is any and whether there is none, a model says yes once and no once.

    Yuan et al., CVPR 2021, section 4.1.3. **Deviation:** names and properties as in ``groups``.
    """

    info = RelationInfo(
        name="metavqa.reversion",
        task=Task.VQA,
        source="Yuan et al., CVPR 2021, section 4.1.3",
        variants=("object", "property"),
        version=3,
        breakdown=("present_groups",),
        settings=(WORDNET, ONTOLOGY),
    )
    expect = opposite_answer

    def derive(self, draw: Draw) -> Case | NotApplicable:
        single = groups.sample_single(draw.view, draw.choose, draw.variant)
        if isinstance(single, NotApplicable):
            return single
        exists, absent = draw.wording(simple.EXISTS_WORDINGS), draw.wording(simple.ABSENT_WORDINGS)
        return draw.case(
            draw.here((simple.exists(single.group, exists), simple.absent(single.group, absent))),
            expected="one yes, one no",
            facts=(("present_groups", int(single.present)), ("wording", exists), ("negated_wording", absent)),
        )


@dataclass(frozen=True, slots=True)
class Cutting(BuiltInRelation):
    """Cut between its things, a picture has in its pieces together just what it had in one.

    Yuan et al., CVPR 2021, section 4.2.1 and Table 2: a count is the sum over the pieces, "is there any" is yes where
    one piece says so, "is there none" where all do.

    **Deviation:** cuts lie between whole pixels, so boxes are rounded outwards and a gap is a pixel wide or wider. The
    paper cuts along the x-axis alone; here the axis is drawn out of those that give two pieces or more, as in the
    authors' code. Crowds are not split either, and are not asked about; a piece that would hold only a crowd stays
    with its neighbour. What is asked about is as in ``groups`` and in the picture; where some of it may be there
    without being annotated, a cut may split it, so such a case is tagged "presumed".
    """

    info = RelationInfo(
        name="metavqa.cutting",
        task=Task.VQA,
        source="Yuan et al., CVPR 2021, section 4.2.1",
        version=2,
        variants=VARIANTS,
        breakdown=("present_groups", "shape", "axis", "pieces"),
    )

    def derive(self, draw: Draw) -> Case | NotApplicable:
        scene = draw.scene
        # Of a thing outside the frame no piece would have a part, but the whole picture would count it.
        if not all(thing.box.overlaps(scene.frame) for thing in scene.objects):
            return NotApplicable(reason="a thing lies outside the picture")
        found = pieces_by_axis(scene)
        if not found:
            return NotApplicable(reason="no gap between things to cut at")
        axis = draw.choose.one(tuple(found))
        kind = QuestionKind(draw.variant)
        asked = sample_question(scene, draw.choose, kind, lambda _: True)
        if isinstance(asked, NotApplicable):
            return asked
        pieces = (draw.picture.cut(part.start, part.stop, axis) for part in found[axis])
        return draw.case(
            draw.before_and_after(asked.question, *pieces),
            expected=_EXPECTED[kind][1],
            facts=(*asked.facts, ("axis", axis), ("pieces", len(found[axis]))),
            presumed=asked.presumed,
        )

    def judge(self, case: Case, answers: Sequence[Answer]) -> Verdict:
        expect, _ = _EXPECTED[QuestionKind(case.variant)]
        return expect(case, answers)


@dataclass(frozen=True, slots=True, kw_only=True)
class OneMoreThing(CutoutRelation):
    """Base class of the relations that insert a thing: a subclass draws it, and a question about both pictures."""

    expected: ClassVar[str]
    """The expectation in words."""

    def cutouts(self, corpus: Corpus) -> dict[str, tuple[CutoutEntry, ...]]:
        return insertable_cutouts(corpus, self.excluded)

    @abstractmethod
    def insert(self, draw: Draw) -> InsertedThing | NotApplicable:
        """Draws the thing to insert."""

    @abstractmethod
    def ask(self, draw: Draw, inserted: InsertedThing) -> GroupQuestion | NotApplicable:
        """Draws the question."""

    def derive(self, draw: Draw) -> Case | NotApplicable:
        inserted = self.insert(draw)
        if isinstance(inserted, NotApplicable):
            return inserted
        asked = self.ask(draw, inserted)
        if isinstance(asked, NotApplicable):
            return asked
        is_count = isinstance(asked.question.meaning, Count)
        return draw.case(
            draw.before_and_after(asked.question, inserted.picture),
            expected=self.expected,
            facts=(*asked.facts, *inserted.facts),
            # What is there stays there, so only counts rest on what nobody annotated.
            presumed=is_count and (asked.presumed or inserted.is_presumed(asked.groups)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Insertion(OneMoreThing):
    """Putting one more thing into a picture changes no answer about other things.

    Yuan et al., CVPR 2021, section 4.2.2 and Table 3. What is inserted is as in ``edits``.

    **Deviation:** from photos only what is surely recognised is cut out, the best of its name (``recognition``);
    ``exclude-cutouts=FILE`` leaves out more. What is asked about is as in ``groups`` and in the picture, and no
    thing of it comes or goes with the inserted one: it is no kind, part or garment of it, and nothing that
    overlapped it where it was cut out looks like it in part (``soundness.cannot_be_confused``); nor does the
    inserted thing itself, where something overlapped it or the edge of its photo cut it off. Where some of what is
    counted may be there without being annotated, be it in this picture, where the inserted thing may hide it, or in
    the one that the thing was cut out of, the case is tagged "presumed".
    """

    info = RelationInfo(
        name="metavqa.insertion",
        task=Task.VQA,
        source="Yuan et al., CVPR 2021, section 4.2.2",
        variants=VARIANTS,
        breakdown=("present_groups", "shape", "placed"),
        settings=(EXCLUDE_CUTOUTS,),
        version=3,
    )
    expect = same_answer
    expected = "first = second"

    def insert(self, draw: Draw) -> InsertedThing | NotApplicable:
        names = object_names(draw.scene)
        return sample_insertion(draw.scene, draw.corpus, draw.choose, names, excluded=self.excluded)

    def ask(self, draw: Draw, inserted: InsertedThing) -> GroupQuestion | NotApplicable:
        return sample_question(
            draw.scene,
            draw.choose,
            QuestionKind(draw.variant),
            lambda name: inserted.keeps_count_of(name, draw.scene),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class InsertionPlus(OneMoreThing):
    """Putting one more thing into a picture makes a count that includes it one more.

    The authors' code; the counterpart of Yuan et al., CVPR 2021, section 4.2.2, Removal+. What is inserted is as in
    ``edits``; it is counted alone, with another name, or by the one property that it surely has.

    **Deviation:** only names that can be counted in this picture, of which it has no crowd. The cut-out shows the whole
    thing and no part of its like, and of photos the best of its name, as in ``insertion``: where it was cut out,
    nothing overlapped it but what a person wears or carries, and the edge of the photo did not cut it off. The
    other name is one that ``insertion`` could ask about. "presumed" as there.
    """

    info = RelationInfo(
        name="metavqa.insertion_plus",
        task=Task.VQA,
        source="Yuan et al., CVPR 2021, section 4.2.2, and the authors' code",
        breakdown=("present_groups", "shape", "placed"),
        settings=(EXCLUDE_CUTOUTS,),
        version=3,
        directional=("",),
    )
    expect = one_more
    expected = "second = first + 1"

    def insert(self, draw: Draw) -> InsertedThing | NotApplicable:
        def is_all_there(entry: CutoutEntry, name: str) -> bool:
            return only_worn_items(entry.alongside, name)

        names = countable_names(draw.scene)
        found = sample_insertion(draw.scene, draw.corpus, draw.choose, names, is_all_there, self.excluded)
        # Half a dog at the edge of its photo, pasted elsewhere, is a dog to some and none to others.
        if isinstance(found, InsertedThing) and not found.is_whole:
            return NotApplicable(reason="the edge of its photo cuts off the inserted thing")
        return found

    def ask(self, draw: Draw, inserted: InsertedThing) -> GroupQuestion | NotApplicable:
        return sample_question(
            draw.scene,
            draw.choose,
            QuestionKind.COUNT,
            lambda name: inserted.keeps_count_of(name, draw.scene),
            first=Group(name=inserted.thing.name),
            bearing=certain_properties(inserted.thing),
        )


@dataclass(frozen=True, slots=True)
class OneThingLess(BuiltInRelation, ABC):
    """Base class of the relations that erase a thing: a subclass says which, and whether it is counted."""

    expected: ClassVar[str]
    """The expectation in words."""
    nothing: ClassVar[NotApplicable]
    """The reason of a scene without a thing to erase."""

    erase: str = ERASE.default
    """The setting ``erase``: "white" (the paper), "mean" or "inpaint"."""
    inpaint: str = INPAINT.default
    """The setting ``inpaint``, which names the inpainter."""

    @abstractmethod
    def erasable(self, draw: Draw, eraser: Eraser) -> Sequence[tuple[Thing, Box]]:
        """Returns the things that may be erased, with their patches."""

    def counted(self, thing: Thing) -> Group | None:
        """Returns the group of the erased thing where the question is about it."""
        return None

    def derive(self, draw: Draw) -> Case | NotApplicable:
        eraser = make_eraser(self.erase, self.inpaint, draw.corpus)
        if isinstance(eraser, NotApplicable):
            return eraser
        things = self.erasable(draw, eraser)
        if not things:
            return self.nothing
        thing, patch = draw.choose.one(things)
        first = self.counted(thing)
        asked = sample_question(
            draw.scene,
            draw.choose,
            # removal_plus has no variants: only counts can be one less.
            QuestionKind(draw.variant or QuestionKind.COUNT),
            # A white patch may pass for a book or a sign.
            lambda name: UNTOUCHED.check(name, thing.name, draw.scene) and name not in eraser.excluded_names,
            first=first,
            bearing=certain_properties(thing) if first else (),
            excluded_words=eraser.excluded_words,
        )
        if isinstance(asked, NotApplicable):
            return asked
        return draw.case(
            draw.before_and_after(asked.question, eraser.erase(draw.picture, patch)),
            expected=self.expected,
            facts=(*asked.facts, ("removed", thing.name)),
            presumed=asked.presumed,
        )


@dataclass(frozen=True, slots=True)
class Removal(OneThingLess):
    """Erasing a thing changes no answer about other things.

    Yuan et al., CVPR 2021, section 4.2.2 and Table 3: a thing whose box overlaps no other, under a white patch. The
    setting ``erase`` offers the mean colour of the data (the authors' code) and inpainting, too.

    **Deviation:** boxes are rounded outwards to whole pixels, and may not overlap a crowd either. What is asked about
    is as in ``groups``, in the picture, no kind, part or garment of what is erased, not of the patch's colour, and
    of no name that a plain rectangle might go by. Where some of it may be there without being annotated, the patch may
    hide it, so such a case is tagged "presumed".
    """

    info = RelationInfo(
        name="metavqa.removal",
        task=Task.VQA,
        source="Yuan et al., CVPR 2021, section 4.2.2",
        version=2,
        variants=VARIANTS,
        breakdown=("present_groups", "shape"),
        settings=(ERASE, INPAINT),
    )
    expect = same_answer
    expected = "first = second"
    nothing = NotApplicable(reason="every thing overlaps another")

    def erasable(self, draw: Draw, eraser: Eraser) -> Sequence[tuple[Thing, Box]]:
        # Some of the thing may stay in sight here: nothing is asked about it.
        return [(thing, thing.box) for thing in removable(draw.scene)]


@dataclass(frozen=True, slots=True)
class RemovalPlus(OneThingLess):
    """Erasing a thing makes a count that includes it one less.

    Yuan et al., CVPR 2021, section 4.2.2 and Table 3, Removal+: it exposes models that answer "0" to every count. The
    thing is counted alone, with another name, or by the one property that it surely has. ``erase`` as in ``removal``.

    **Deviation:** only salient things (``soundness.is_salient``) of which nothing stays (``edits.whole_patch``): in
    photos with masks they are recognisable, have none of their family near, and the patch has a margin. Only names
    that can be counted in this picture, of which it has no crowd; the other name is one that ``removal`` could ask
    about, and the patch bears neither a name nor a colour that is asked about. "presumed" as there.
    """

    info = RelationInfo(
        name="metavqa.removal_plus",
        task=Task.VQA,
        source="Yuan et al., CVPR 2021, section 4.2.2",
        breakdown=("present_groups", "shape"),
        settings=(ERASE, INPAINT),
        version=3,
        directional=("",),
    )
    expect = one_less
    expected = "second = first - 1"
    nothing = NotApplicable(reason="every countable thing overlaps another or is too small")

    def erasable(self, draw: Draw, eraser: Eraser) -> Sequence[tuple[Thing, Box]]:
        counted = set(countable_names(draw.scene)) - eraser.excluded_names
        return [
            (thing, patch)
            for thing, patch in wholly_removable(draw.scene, draw.corpus)
            if thing.name in counted and SALIENT.check(thing, draw.scene)
        ]

    def counted(self, thing: Thing) -> Group | None:
        return Group(name=thing.name)
