"""The relations of VEglue (Chang et al.): things of a hypothesis, or of a question, are erased from the picture."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import ClassVar, NamedTuple

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case, Fact, NotApplicable, RelationInfo
from pytest_vqamt.core.meaning import Label
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Thing
from pytest_vqamt.language.english.lexical_relations import Replacement, apply_replacements, synonym_replacements
from pytest_vqamt.language.questions import simple
from pytest_vqamt.language.questions.hypotheses import Hypothesis
from pytest_vqamt.relations.base import BuiltInRelation
from pytest_vqamt.relations.corruption import SEVERITY, VARIANTS, corrupted
from pytest_vqamt.relations.draw import Draw
from pytest_vqamt.relations.edits import INPAINT, Eraser, make_eraser
from pytest_vqamt.relations.expectations import becomes_no, label_becomes, same_answer, same_label
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.relations.recognition import is_recognisable
from pytest_vqamt.relations.rules import DISJOINT, UNTOUCHED
from pytest_vqamt.relations.soundness import (
    countable_names,
    is_bulky,
    is_disjoint_from_all,
    presumed,
    salient_names,
)
from pytest_vqamt.relations.veglue_erasing import (
    ERASE,
    MAX_COVERED_SHARE,
    NOTHING_TO_ASK,
    NOTHING_TO_ERASE,
    OVERLAP,
    erasable_things,
    erasable_things_by,
    erased_question_facts,
    shuffled_groups,
    unique_by_name,
    whole_erasure,
)
from pytest_vqamt.relations.veglue_linking import NOTHING_TO_STATE, ErasureSampler, LinkedErasure, erasure_sampler
from pytest_vqamt.relations.veglue_statements import erased_statement_facts, sample_statement
from pytest_vqamt.sampling.chooser import Chooser


class ErasedAndAsked(NamedTuple):
    """A thing to erase, and the names that are asked about before (``names``) and afterwards (``left``)."""

    thing: Thing
    names: Sequence[str]
    left: Sequence[str]
    beside: Iterable[Thing]
    """Things by which the facts tell where the erased one was."""
    patch: Box
    presumed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionErasure(BuiltInRelation, ABC):
    """Base class of the relations of section 6.4: a subclass draws what is erased, and the names in the question."""

    expected: ClassVar[str]
    """The expectation in words."""

    erase: str = ERASE.default
    """The setting ``erase``: "white", "mean" or "inpaint"."""
    inpaint: str = INPAINT.default
    """The setting ``inpaint``, which names the inpainter."""

    @abstractmethod
    def sample(self, draw: Draw, free: tuple[Thing, ...], eraser: Eraser) -> ErasedAndAsked | None:
        """Draws one of the ``free`` things, and names; None if no question has a sure answer."""

    def derive(self, draw: Draw) -> Case | NotApplicable:
        scene = draw.scene
        eraser = make_eraser(self.erase, self.inpaint, draw.corpus)
        if isinstance(eraser, NotApplicable):
            return eraser
        free = erasable_things(scene)
        if not free:
            return NOTHING_TO_ERASE
        drawn = self.sample(draw, free, eraser)
        if drawn is None:
            return NOTHING_TO_ASK
        groups = shuffled_groups(drawn.names, draw.choose)
        # "Are there apples?" of one apple may be denied, so the plural needs two of each.
        several = all(scene.count(name) > 1 for name in drawn.names)
        wording = draw.wording(simple.BOTH_WORDINGS if several else simple.BOTH_IN_THE_SINGULAR)
        left = [group for group in groups if group.name in drawn.left]
        return draw.case(
            (
                (draw.picture, simple.both(groups, wording)),
                (eraser.erase(draw.picture, drawn.patch), simple.both(left, wording)),
            ),
            expected=self.expected,
            facts=erased_question_facts(drawn.thing, groups, wording, drawn.beside, scene),
            presumed=drawn.presumed,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class VqaMr1(QuestionErasure):
    """Erased from the picture and from the question alike, a thing leaves the answer as it was.

    Chang et al., section 6.4, after MR1: "Are there apples and bananas in the image?", and then without the bananas.

    **Deviations:** what may be erased follows ``veglue_erasing``, not IoU alone. The erased thing is the only one of
    its
    name, so that its unit goes with it, and the question is in the singular. Both names are countable, of neither is
    there a crowd, and nothing can go by both. Both are salient, or the case is presumed: who overlooks one of two
    things says no, and then yes.
    """

    info = RelationInfo(
        name="veglue.vqa_mr1",
        task=Task.VQA,
        source="Chang et al., VEglue, section 6.4",
        version=2,
        breakdown=("near", "similar", "related"),
        settings=(ERASE, INPAINT),
    )
    expect = same_answer
    expected = "first = second"

    def sample(self, draw: Draw, free: tuple[Thing, ...], eraser: Eraser) -> ErasedAndAsked | None:
        scene = draw.scene
        here, seen = countable_names(scene), salient_names(scene)
        pairs = [
            (thing, [name for name in here if DISJOINT.check(thing.name, name, scene)])
            for thing in unique_by_name(free, scene)
        ]
        pairs = [(thing, others) for thing, others in pairs if others]
        if not pairs:
            return None
        # Who overlooks a speck says no, and yes once it is not asked about: such a case is presumed.
        sure = [(thing, [name for name in others if name in seen]) for thing, others in pairs if thing.name in seen]
        sure = [(thing, others) for thing, others in sure if others]
        thing, others = draw.choose.one(sure or pairs)
        left = draw.choose.one(others)
        beside = (other for other in scene.objects if other.name == left)
        return ErasedAndAsked(thing, (thing.name, left), (left,), beside, thing.box, presumed=not sure)


@dataclass(frozen=True, slots=True, kw_only=True)
class VqaMr2(QuestionErasure):
    """Erased from the picture, the only thing that a question needs turns its yes into no.

    Chang et al., section 6.4, after MR2: with apples and bananas in the picture, "Are there apples and bananas?" is
    answered by yes; with the bananas erased, by no. Half of the questions, where two can be asked, are about one name.

    **Deviations:** what may be erased follows ``veglue_erasing``, not IoU alone. The erased thing is the only one of
    its
    name, no other thing or crowd in the scene could go by it, and it is neither small nor slim (of a slit between
    others, more may be in sight beside its box). In photos with masks nothing of it may stay
    (``edits.whole_patch``), and whatever else is asked about is recognisable, too. The question is in the singular.
    By its name no plain rectangle might go, where one stands in its place.
    """

    info = RelationInfo(
        name="veglue.vqa_mr2",
        task=Task.VQA,
        source="Chang et al., VEglue, section 6.4",
        breakdown=("shape", "near", "similar", "related"),
        settings=(ERASE, INPAINT),
        version=3,
    )
    expect = becomes_no
    expected = "first is yes, second is no"

    def sample(self, draw: Draw, free: tuple[Thing, ...], eraser: Eraser) -> ErasedAndAsked | None:
        scene, corpus = draw.scene, draw.corpus
        things = [
            (thing, patch)
            for thing in unique_by_name(free, scene)
            if is_disjoint_from_all(thing.name, scene)
            and thing.name not in eraser.excluded_names
            and is_bulky(thing, scene)
            and (patch := whole_erasure(thing, scene, corpus))
        ]
        if not things:
            return None
        thing, patch = draw.choose.one(things)
        names = [thing.name]
        seen = {other.name for other in scene.objects if is_recognisable(other, scene, corpus)}
        # If nobody recognises the other thing, the first answer is no already, and nothing can turn.
        others = [name for name in countable_names(scene) if name in seen and name != thing.name]
        if others and draw.choose.chance(0.5):
            names.append(draw.choose.one(others))
        beside = (other for other in scene.objects if other.id != thing.id)
        return ErasedAndAsked(thing, names, names, beside, patch, presumed=presumed(names, scene))


@dataclass(frozen=True, slots=True, kw_only=True)
class VqaMr3(QuestionErasure):
    """A thing that the question does not speak of can be erased without another answer.

    Chang et al., section 6.4, after MR3. The question is about one name or two, all of them there; in the plural
    ("Are there apples and bananas in the picture?") only where there are two or more of each.

    **Deviations:** what may be erased follows ``veglue_erasing``, not IoU alone. The erased thing is un-linked by its
    name,
    which is unrelated to every name that is asked about. Names that are asked about are countable, of none is there a
    crowd, and nothing can go by two of them.
    """

    info = RelationInfo(
        name="veglue.vqa_mr3",
        task=Task.VQA,
        source="Chang et al., VEglue, section 6.4",
        version=2,
        breakdown=("shape", "near", "similar", "related"),
        settings=(ERASE, INPAINT),
    )
    expect = same_answer
    expected = "first = second"

    def sample(self, draw: Draw, free: tuple[Thing, ...], eraser: Eraser) -> ErasedAndAsked | None:
        scene, choose = draw.scene, draw.choose
        here = countable_names(scene)
        unlinked = [(thing, [name for name in here if UNTOUCHED.check(thing.name, name, scene)]) for thing in free]
        unlinked = [(thing, names) for thing, names in unlinked if names]
        if not unlinked:
            return None
        thing, askable = choose.one(unlinked)
        pairs = [pair for pair in combinations(askable, 2) if DISJOINT.check(*pair, scene)]
        names = choose.one(pairs) if pairs and choose.chance(0.5) else (choose.one(askable),)
        beside = (other for other in scene.objects if other.name in names)
        return ErasedAndAsked(thing, names, names, beside, thing.box)


class ErasedAndStated(NamedTuple):
    """What is erased with a hypothesis, and the hypothesis and the facts that go with it afterwards."""

    linked: LinkedErasure
    after: Hypothesis
    beside: Sequence[Thing]
    """Things by which the facts tell where the erased one was."""
    patch: Box
    presumed: bool
    facts: tuple[tuple[str, Fact], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HypothesisErasure(LexicalRelation, ABC):
    """Base class of the relations of section 3.4: a subclass draws what is erased, and the hypothesis."""

    expected: ClassVar[str]
    """The expectation in words."""
    most_iou: ClassVar[float]
    """The IoU up to which things may be erased as published, with ``overlap=iou``."""

    erase: str = ERASE.default
    """The setting ``erase``: "white", "mean" or "inpaint"."""
    inpaint: str = INPAINT.default
    """The setting ``inpaint``, which names the inpainter."""
    overlap: str = OVERLAP.default
    """The setting ``overlap``: "share" (sound) or "iou" (as published)."""

    @abstractmethod
    def sample(self, draw: Draw, sampler: ErasureSampler, eraser: Eraser) -> ErasedAndStated | None:
        """Draws an erasure; None if no hypothesis is surely true or false after one."""

    def derive(self, draw: Draw) -> Case | NotApplicable:
        scene = draw.scene
        eraser = make_eraser(self.erase, self.inpaint, draw.corpus)
        if isinstance(eraser, NotApplicable):
            return eraser
        free = erasable_things_by(self.overlap, scene, most_iou=self.most_iou)
        if not free:
            return NOTHING_TO_ERASE
        drawn = self.sample(draw, erasure_sampler(scene, draw.corpus, self.known, free, self.overlap), eraser)
        if drawn is None:
            return NOTHING_TO_STATE
        statement, erased = drawn.linked.statement, drawn.linked.erased
        return draw.case(
            ((draw.picture, statement.hypothesis), (eraser.erase(draw.picture, drawn.patch), drawn.after)),
            expected=self.expected,
            facts=(*erased_statement_facts(statement, erased, drawn.beside, scene), *drawn.facts),
            presumed=drawn.presumed,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class JointErase(HypothesisErasure):
    """Erased from the picture and from the hypothesis alike, a thing leaves it entailed.

    Chang et al., sections 3.1 and 3.4.1 (MR1). Words of what is left of the hypothesis are replaced by synonyms. It is
    one of the data set's own that its picture entails, where there are any with units linked to boxes; else it is
    written from the scene (``veglue_statements``).

    **Deviations:** what may be erased follows ``veglue_erasing``, not IoU alone (``overlap=iou`` for the published
    rule, at
    most 0.05). What is erased could go by no noun that is left, and is no part or garment of what goes by one. What is
    said of other things is dropped where it mentions the erased one, be it by a pronoun or a synonym. Synonyms are
    those of ``language.english``, which are sure; where the rest has none, its words stay. Of everything that is left
    of a published hypothesis it is known where it is (but with ``overlap=iou``, so that it may be erased along).
    Presumed is what a word of the rest may need without naming it: "a woman is reading" needs the book.
    """

    info = RelationInfo(
        name="veglue.mr1_joint_erase",
        task=Task.ENTAILMENT,
        source="Chang et al., VEglue, section 3.4.1",
        version=3,
        breakdown=("shape", "units", "synonyms", "near", "similar", "related"),
        settings=(ERASE, INPAINT, OVERLAP, WORDNET, ONTOLOGY),
    )
    expect = partial(label_becomes, label=Label.ENTAILMENT)
    expected = "second is entailment"
    most_iou = 0.05  # as the authors' code has it for this relation; the paper has 0.1

    def sample(self, draw: Draw, sampler: ErasureSampler, eraser: Eraser) -> ErasedAndStated | None:
        linked = sampler.joint(draw.choose)
        if linked is None:
            return None
        rest = linked.rest.hypothesis
        synonyms = _sample_synonyms(rest.text, draw.choose)
        return ErasedAndStated(
            linked,
            after=Hypothesis(apply_replacements(rest.text, synonyms), rest.meaning),
            beside=linked.rest.things,
            patch=linked.erased.box,
            presumed=not sampler.is_sure(linked),
            facts=(("synonyms", len(synonyms)),),
        )


def _sample_synonyms(text: str, choose: Chooser) -> tuple[Replacement, ...]:
    """Draws some of the synonym replacements, at least one if there is any, without overlaps."""
    found = synonym_replacements(text)
    chosen: list[Replacement] = []
    for each in choose.several(found, choose.between(1, len(found))) if found else ():
        if all(each.end <= other.start or other.end <= each.start for other in chosen):
            chosen.append(each)
    return tuple(chosen)


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedErase(HypothesisErasure):
    """Erased from the picture, a thing that the hypothesis speaks of makes it contradict.

    Chang et al., sections 3.1 and 3.4.2 (MR2). The hypothesis is one of the data set's own that its picture entails,
    where there are any with units linked to boxes; else it is written from the scene (``veglue_statements``).

    **Deviations:** what may be erased follows ``veglue_erasing``, not IoU alone (``overlap=iou`` for the published
    rule, at
    most 0.2). No other thing or crowd in the scene, and nothing else that the hypothesis names, could go by the
    name of what is erased: its property is not trusted to tell it apart. In photos with masks nothing of it may
    stay (``edits.whole_patch``). What is erased is neither small nor slim, and no plain rectangle might go by its
    name, where one stands in its place; nor is it a place, of which the rest stays (a shop), and a published
    hypothesis says that it is one ("a bike", not "bike riding"). Where another may be there without being
    annotated, the case is presumed.
    """

    info = RelationInfo(
        name="veglue.mr2_linked_erase",
        task=Task.ENTAILMENT,
        source="Chang et al., VEglue, section 3.4.2",
        breakdown=("shape", "units", "near", "similar", "related"),
        settings=(ERASE, INPAINT, OVERLAP, WORDNET, ONTOLOGY),
        version=3,
    )
    expect = partial(label_becomes, label=Label.CONTRADICTION)
    expected = "second is contradiction"
    most_iou = 0.2  # as the authors' code has it for this relation; the paper has 0.1

    def sample(self, draw: Draw, sampler: ErasureSampler, eraser: Eraser) -> ErasedAndStated | None:
        scene = draw.scene

        # As published (iou) the box is the patch; by our rule the patch must hide all of the thing.
        def patch_of(thing: Thing) -> Box | None:
            return whole_erasure(thing, scene, draw.corpus) if self.overlap == OVERLAP.default else thing.box

        linked = sampler.linked(
            lambda thing: (
                thing.name not in eraser.excluded_names and is_bulky(thing, scene) and patch_of(thing) is not None
            ),
            draw.choose,
        )
        if linked is None:
            return None
        return ErasedAndStated(
            linked,
            after=linked.statement.hypothesis,
            beside=scene.objects,
            patch=patch_of(linked.erased) or linked.erased.box,
            presumed=presumed((linked.erased.name,), scene),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class UnlinkedErase(HypothesisErasure):
    """A thing that the hypothesis does not speak of can be erased: it is entailed all the same.

    Chang et al., sections 3.1 and 3.4.3 (MR3). The hypothesis is one of the data set's own that its picture entails,
    where there are any with units linked to boxes; else it is written from the scene (``veglue_statements``).

    **Deviations:** what may be erased follows ``veglue_erasing``, not IoU alone (``overlap=iou`` for the published
    rule, at
    most 0.1). What is erased could go by no noun of the hypothesis, and is no part or garment of what goes by one. With
    a published hypothesis its IoU with every linked box is under 0.1, as the paper has it, and of everything that the
    hypothesis speaks of it is known where it is (but with ``overlap=iou``). Where anything that is large enough to be
    missed can be erased, nothing smaller is. Presumed is what a word of the hypothesis may need without naming it: "a
    woman is reading" needs the book (``needs_nothing_unnamed``).

    The published rule is unsound: with ``overlap=iou`` what the hypothesis speaks of may be erased along, as a small
    thing on a large one. Of 768 such cases on 40 photos of COCO, 14 (1.8 %) are wrong by the annotations themselves.
    """

    info = RelationInfo(
        name="veglue.mr3_unlinked_erase",
        task=Task.ENTAILMENT,
        source="Chang et al., VEglue, section 3.4.3",
        version=2,
        breakdown=("shape", "units", "near", "similar", "related"),
        settings=(ERASE, INPAINT, OVERLAP, WORDNET, ONTOLOGY),
    )
    expect = partial(label_becomes, label=Label.ENTAILMENT)
    expected = "second is entailment"
    most_iou = MAX_COVERED_SHARE

    def sample(self, draw: Draw, sampler: ErasureSampler, eraser: Eraser) -> ErasedAndStated | None:
        linked = sampler.unlinked(draw.choose)
        if linked is None:
            return None
        return ErasedAndStated(
            linked,
            after=linked.statement.hypothesis,
            beside=linked.statement.things,
            patch=linked.erased.box,
            presumed=not sampler.is_sure(linked),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class HypothesisCorruption(LexicalRelation):
    """Noise, blur, snow or a loss of contrast leaves the label of a hypothesis as it was.

    The baseline FIP of Chang et al., VEglue, sections 4.5 and 6.3: all over the picture ("global"), or only in the
    boxes of what the hypothesis speaks of ("object"). It is one of the data set's own that its picture entails, where
    there are any with units linked to boxes; else it is written from the scene (``veglue_statements``).

    Tagged baseline: people found so many as a third of such pictures spoilt (Table 2: zoom 62.7 % valid, contrast
    76.4 %). What is seen badly is still there, so a perfect perceiver never violates it.

    **Deviation:** hypotheses that are entailed alone; the paper takes all of its data sets, whatever their labels.
    """

    info = RelationInfo(
        name="veglue.corruption",
        task=Task.ENTAILMENT,
        source="Chang et al., VEglue, section 6.3; Hendrycks and Dietterich, ICLR 2019",
        version=2,
        variants=VARIANTS,
        tags=("baseline",),
        breakdown=("shape", "units"),
        settings=(SEVERITY, WORDNET, ONTOLOGY),
    )
    expect = same_label

    severity: str = SEVERITY.default
    """"1" (weak) to "5" (strong)."""

    def derive(self, draw: Draw) -> Case | NotApplicable:
        statement = sample_statement(draw.scene, draw.corpus, self.known, draw.choose)
        if statement is None:
            return NotApplicable(reason="no hypothesis is surely true")
        hypothesis = statement.hypothesis
        return draw.case(
            (
                (draw.picture, hypothesis),
                (corrupted(draw.scene, draw.variant, self.severity, statement.things), hypothesis),
            ),
            expected="first = second",
            facts=(*statement.facts, ("severity", int(self.severity))),
        )
