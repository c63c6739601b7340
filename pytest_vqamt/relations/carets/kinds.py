"""Pairs of questions of which one names a kind, and the other the class that it is of."""

from __future__ import annotations

from dataclasses import replace

from pytest_vqamt.core.case import NotApplicable
from pytest_vqamt.core.meaning import Choice, Group
from pytest_vqamt.language.english.nouns import singular
from pytest_vqamt.language.questions.templates import QuestionType
from pytest_vqamt.relations.askable_scene import View
from pytest_vqamt.relations.carets import weights
from pytest_vqamt.relations.carets.argument_sampling import CHOOSE
from pytest_vqamt.relations.carets.arguments import Argument, existence
from pytest_vqamt.sampling.chooser import Chooser

_WITH_ATTRIBUTE = 0.5


def from_kind_to_class(view: View, choose: Chooser) -> tuple[Argument, Argument] | NotApplicable:
    """Whether there is a dog, as there is, and whether there is an animal: with the same attribute, or none."""
    found = [
        (name, each.word)
        for name in view.names
        for each in view.classes_of(name)
        if each.word not in (name, singular(name))
    ]
    if not found:
        return NotApplicable(reason="no name in the scene of which the ontology knows a class")
    by = [weights.of_class_and_name(word, name, view.corpus, view.known) for name, word in found]
    name, word = choose.weighted(found, by)
    words = list(dict.fromkeys(each for thing in view.bearing(name) for each in view.sayable(thing)))
    attributes = (choose.one(words),) if words and choose.chance(_WITH_ATTRIBUTE) else ()
    kind = Group(name=name, attributes=attributes)
    return existence(kind, subject=word, truth="yes"), existence(
        view.known.class_group(word, view.scene, attributes), subject=word, truth="yes"
    )


def from_class_to_kind(view: View, choose: Chooser) -> tuple[Argument, Argument] | NotApplicable:
    """Whether there is an animal, as there is none, and whether there is a dog: with the same attribute, or none."""
    if not view.scene.objects:
        return NotApplicable(reason="no thing in the scene")
    companion = choose.one(view.scene.objects).name
    found = [
        (name, word)
        for name, _ in view.corpus.together.get(companion, ())
        if name not in view.here
        for word in view.classes_absent(name)
    ]
    sure = [each for each in found if not view.is_unsure(each[1])]
    found = sure or found
    if not found:
        return NotApplicable(reason="no class of which there is surely nothing, with a plausible kind")
    by = [weights.of_class_and_name(word, name, view.corpus, view.known) for name, word in found]
    name, word = choose.weighted(found, by)
    words = view.sayable_of(name)
    attributes = (choose.one(words),) if words and choose.chance(_WITH_ATTRIBUTE) else ()
    unsure = view.is_unsure(word)
    return (
        existence(Group(name=word, attributes=attributes), subject=word, truth="no", unsure=unsure),
        existence(Group(name=name, attributes=attributes), subject=word, truth="no", unsure=unsure),
    )


def with_class_beside(view: View, choose: Chooser, type_: QuestionType) -> tuple[Argument, Argument] | NotApplicable:
    """A choice about the one thing in a relation to another, which becomes the word for its class."""
    drawn = CHOOSE[type_](view, choose)
    if isinstance(drawn, NotApplicable):
        return drawn
    meaning = drawn.asking.meaning
    assert isinstance(meaning, Choice)
    (condition,) = meaning.what.related
    (target,) = view.bearing(condition.to.name)
    word = choose.one(view.classes_told_by(target))
    what = replace(meaning.what, related=(replace(condition, to=view.known.class_group(word, view.scene)),))
    other = replace(
        drawn,
        asking=replace(drawn.asking, meaning=replace(meaning, what=what)),
        rests_on_the_only_one=drawn.rests_on_the_only_one or view.is_unsure(word),
    )
    return replace(drawn, subject=word), replace(other, subject=word)
