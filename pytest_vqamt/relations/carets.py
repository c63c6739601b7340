"""The relations of CARETS (Jimenez et al., ACL 2022) that ask one picture twice; ``carets_visual`` edits it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from pytest_vqamt.core.case import Case, NotApplicable, PairKind, RelationInfo, Verdict
from pytest_vqamt.core.meaning import Both, Choice, Either, Group
from pytest_vqamt.core.query import Answer, Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.english.nouns import singular
from pytest_vqamt.language.questions.templates import CHOICE_TYPES, Askable, QuestionType
from pytest_vqamt.relations import carets_arguments as arguments
from pytest_vqamt.relations.askable_scene import AskableScene
from pytest_vqamt.relations.carets_arguments import (
    Argument,
    existence_argument,
    one_template,
    things_named,
    two_templates,
)
from pytest_vqamt.relations.carets_sampling import sample_argument
from pytest_vqamt.relations.carets_verifying import antonym_arguments
from pytest_vqamt.relations.draw import Draw
from pytest_vqamt.relations.expectations import no_implies_no, opposite_answer, same_answer, yes_implies_yes
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.relations.rules import SALIENT
from pytest_vqamt.relations.soundness import object_names
from pytest_vqamt.sampling.chooser import Chooser

_REPHRASED_TYPES = tuple(each for each in QuestionType if each is not QuestionType.ATTRIBUTE)

_WITH_ATTRIBUTE = 0.5

_ORDERED_TYPES: Mapping[str, tuple[QuestionType, ...]] = {
    "conjunction": (QuestionType.CONJUNCTION,),
    "disjunction": (QuestionType.DISJUNCTION,),
    "choices": CHOICE_TYPES,
}

_NEGATED_TYPES = (QuestionType.OBJECT, QuestionType.CONJUNCTION, QuestionType.DISJUNCTION)


@dataclass(frozen=True, slots=True)
class Rephrase(LexicalRelation):
    """A question in other words has the same answer.

    Jimenez et al., ACL 2022, section 4.2 (a). Two different templates of one type (Q1, Q2, Q3, Q5, Q6, Q7) with the
    same arguments. **Deviations:** arguments as in ``carets_sampling``. Since nothing but the words changes,
    a case is presumed only where "either A or B" is asked of one that is there and one that may be there unannotated:
    with both there, "either" might be taken to exclude that.
    """

    info = RelationInfo(
        name="carets.rephrase",
        task=Task.VQA,
        source="Jimenez et al., ACL 2022, section 4.2 (a)",
        version=3,
        breakdown=("question_type", "answers", "choices", "truth"),
        settings=(WORDNET, ONTOLOGY),
        pairs=PairKind.SAME,
    )
    expect = same_answer

    def derive(self, draw: Draw) -> Case | NotApplicable:
        argument = sample_argument(_REPHRASED_TYPES, draw.view, draw.choose)
        if isinstance(argument, NotApplicable):
            return argument
        first, second = two_templates(argument, draw.choose)
        return draw.case(
            draw.here(argument.worded(template) for template in (first, second)),
            expected="first = second",
            facts=argument.facts(template=first, other_template=second),
            presumed=argument.is_one_of_two,
        )


@dataclass(frozen=True, slots=True)
class Ontological(LexicalRelation):
    """Where there is a dog there is an animal; where there is no animal there is no dog.

    Jimenez et al., ACL 2022, section 4.2 (b). ``hypernym``: a name in the scene becomes the word for its class.
    ``hyponym``: a class of which there is nothing becomes one of its kinds. Only these directions are implied. The
    published pairs also have choices whose related object becomes its class ("the cup near the dog", "the cup near the
    animal"); ``carets.published`` asks those. Of a scene they are hardly ever sure: the class must have no other thing.

    **Deviations:**

    - The class is a word that people use ("animal", "fruit"), curated, with what WordNet has below its synsets.
    - No class is said to be absent where some name in the scene could be of it in any of its senses.
    - Attributes that depend on the class ("small") are left out (rule: no gradable words).
    - Only what is implied is expected: "no couch" and then "furniture: yes" is no contradiction. The paper demands the
      same answer, and its published pairs are judged so.
    - ``hyponym`` is presumed where the source does not annotate the class exhaustively. ``hypernym`` rests on no
      absence.
    """

    info = RelationInfo(
        name="carets.ontological",
        task=Task.VQA,
        source="Jimenez et al., ACL 2022, section 4.2 (b)",
        variants=("hypernym", "hyponym"),
        version=4,
        breakdown=(),
        settings=(WORDNET, ONTOLOGY),
        pairs=PairKind.IMPLIED,
    )

    def judge(self, case: Case, answers: Sequence[Answer]) -> Verdict:
        return (yes_implies_yes if case.variant == "hypernym" else no_implies_no)(case, answers)

    def derive(self, draw: Draw) -> Case | NotApplicable:
        view = draw.view_for(gradable=False)
        drawn = (sample_hypernym if draw.variant == "hypernym" else sample_hyponym)(view, draw.choose)
        if isinstance(drawn, NotApplicable):
            return drawn
        argument, other = drawn
        template = one_template(argument, draw.choose)
        return draw.case(
            draw.here(each.worded(template) for each in (argument, other)),
            expected="a yes stays a yes" if draw.variant == "hypernym" else "a no stays a no",
            facts=argument.facts(template=template, other_template=template),
            presumed=other.rests_on_absence,
        )


def sample_hypernym(view: AskableScene, choose: Chooser) -> tuple[Argument, Argument] | NotApplicable:
    """Draws "is there a dog", which is true, and "is there an animal", with the same attribute or none."""
    found = [
        (name, each.word)
        for name in view.names
        for each in view.classes_of(name)
        # "People" is of the class "person": the hypernym would be the same word.
        if each.word not in (name, singular(name))
    ]
    if not found:
        return NotApplicable(reason="no more general word is known for a thing in the picture")
    by = [arguments.class_and_name_weight(word, name, view.corpus, view.known) for name, word in found]
    name, word = choose.weighted(found, by)
    # The same attribute of both: a red dog is a red animal (gradable words are left out of the view).
    words = list(dict.fromkeys(each for thing in view.things_named(name) for each in view.askable_attributes(thing)))
    attributes = (choose.one(words),) if words and choose.chance(_WITH_ATTRIBUTE) else ()
    kind = Group(name=name, attributes=attributes)
    return existence_argument(kind, subject=word, truth="yes"), existence_argument(
        view.known.class_group(word, object_names(view.scene), attributes), subject=word, truth="yes"
    )


def sample_hyponym(view: AskableScene, choose: Chooser) -> tuple[Argument, Argument] | NotApplicable:
    """Draws "is there an animal", which is false, and "is there a dog", with the same attribute or none."""
    if not view.scene.objects:
        return NotApplicable(reason="no thing in the scene")
    companion = choose.one(view.scene.objects).name
    found = [
        (name, word)
        # A plausible kind first, then its class: the class must be surely absent with all its kinds.
        for name, _ in view.corpus.cooccurring.get(companion, ())
        if name not in view.annotated_names
        for word in view.classes_absent(name)
    ]
    sure = [each for each in found if not view.is_presumed(each[1])]
    found = sure or found
    if not found:
        return NotApplicable(reason="nothing that could be there is of a more general kind that is surely absent")
    by = [arguments.class_and_name_weight(word, name, view.corpus, view.known) for name, word in found]
    name, word = choose.weighted(found, by)
    words = view.askable_attributes_of(name)
    attributes = (choose.one(words),) if words and choose.chance(_WITH_ATTRIBUTE) else ()
    unsure = view.is_presumed(word)
    return (
        existence_argument(Group(name=word, attributes=attributes), subject=word, truth="no", unsure=unsure),
        existence_argument(Group(name=name, attributes=attributes), subject=word, truth="no", unsure=unsure),
    )


@dataclass(frozen=True, slots=True)
class Order(LexicalRelation):
    """The order in which things or choices are named does not change the answer.

    Jimenez et al., ACL 2022, section 4.2 (c). The same template of Q2, Q3, Q5, Q6 or Q7, with its two things, or its
    two or three choices, in another order. **Deviations:** arguments as in ``carets_sampling``. Of choices,
    another one comes first than before. Nothing but the order changes, so no case is presumed.
    """

    info = RelationInfo(
        name="carets.order",
        task=Task.VQA,
        source="Jimenez et al., ACL 2022, section 4.2 (c)",
        variants=tuple(_ORDERED_TYPES),
        version=3,
        breakdown=("question_type", "answers", "choices", "truth"),
        settings=(WORDNET, ONTOLOGY),
        pairs=PairKind.SAME,
    )
    expect = same_answer

    def derive(self, draw: Draw) -> Case | NotApplicable:
        argument = sample_argument(_ORDERED_TYPES[draw.variant], draw.view, draw.choose)
        if isinstance(argument, NotApplicable):
            return argument
        reordered = replace(
            argument, asking=replace(argument.asking, meaning=_reordered(argument.asking.meaning, draw.choose))
        )
        template = one_template(argument, draw.choose)
        return draw.case(
            draw.here(each.worded(template) for each in (argument, reordered)),
            expected="first = second",
            facts=argument.facts(template=template, other_template=template),
        )


def _reordered(meaning: Askable, choose: Chooser) -> Askable:
    match meaning:
        case Both(groups=groups) | Either(groups=groups):
            return replace(meaning, groups=groups[::-1])
        case Choice(options=options):
            # Another option comes first, so that a model that takes the first one changes its answer.
            orders = [order for order in permutations(options) if order[0] != options[0]]
            return replace(meaning, options=choose.one(orders))
        case _:
            return meaning


@dataclass(frozen=True, slots=True)
class Negation(LexicalRelation):
    """A question and its negation have opposite answers.

    Jimenez et al., ACL 2022, section 4.2 (e). A template of Q1, Q2 or Q3, and its negated partner: "both A and B"
    becomes "either no A or no B", "either A or B" becomes "no A and no B". **Deviations:** arguments as in
    ``carets_verifying``. A case is presumed only where "either A or B" is asked of one that is there and one that may
    be there
    unannotated: with both there, "either" might be taken to exclude that.
    """

    info = RelationInfo(
        name="carets.negation",
        task=Task.VQA,
        source="Jimenez et al., ACL 2022, section 4.2 (e)",
        version=3,
        breakdown=("question_type", "truth"),
        settings=(WORDNET, ONTOLOGY),
        pairs=PairKind.OPPOSITE,
    )
    expect = opposite_answer

    def derive(self, draw: Draw) -> Case | NotApplicable:
        argument = sample_argument(_NEGATED_TYPES, draw.view, draw.choose)
        if isinstance(argument, NotApplicable):
            return argument
        template = one_template(argument, draw.choose)
        return draw.case(
            draw.here(argument.worded(template, negated=negated) for negated in (False, True)),
            expected="one yes, one no",
            facts=argument.facts(template=template, other_template=template),
            presumed=argument.is_one_of_two,
        )


@dataclass(frozen=True, slots=True)
class Antonym(LexicalRelation):
    """Whether a thing has an attribute, and whether it has its antonym, have opposite answers.

    Jimenez et al., ACL 2022, section 4.2 (f). The same template of Q4 with the one and the other. **Deviations:** the
    antonyms are curated, each excludes the other, and one of the two is annotated on the thing, which is the only one
    that the phrase can mean. Every other time the antonym is asked first, so that half of the first answers are no. A
    case is presumed where another thing of the name may be there without being annotated, and where a thing that the
    phrase names is too small to be seen for certain: who overlooks it says no twice.
    """

    info = RelationInfo(
        name="carets.antonym",
        task=Task.VQA,
        source="Jimenez et al., ACL 2022, section 4.2 (f)",
        version=2,
        breakdown=("truth",),
        settings=(WORDNET, ONTOLOGY),
        pairs=PairKind.OPPOSITE,
    )
    expect = opposite_answer

    def derive(self, draw: Draw) -> Case | NotApplicable:
        drawn = antonym_arguments(draw.view, draw.choose)
        if isinstance(drawn, NotApplicable):
            return drawn
        argument, opposite = drawn
        template = one_template(argument, draw.choose)
        return draw.case(
            draw.here(each.worded(template) for each in (argument, opposite)),
            expected="one yes, one no",
            facts=argument.facts(template=template, other_template=template),
            # Who overlooks the door says no to "open" and to "closed".
            presumed=argument.rests_on_the_only_one or not _is_seen(argument, draw.scene),
        )


def _is_seen(argument: Argument, scene: Scene) -> bool:
    named, _ = things_named(argument.asking, scene)
    return all(SALIENT.check(thing, scene) for thing in named)
