"""How arguments of templates are sampled, by type of question.

Choice questions Q5 to Q7 (Jimenez et al., ACL 2022, section 4.1) have two or three options of which one is right. False
ones are drawn by how frequent they are in the data, out of what excludes the right one and each other for certain.
**Deviations**: see ``askable_scene``; names are drawn out of the curated choices of a class, of which no thing is two
(truck and van, mug and cup are not both there).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import ne
from types import MappingProxyType
from typing import TypeAlias, TypeVar

from pytest_vqamt.core.case import NotApplicable
from pytest_vqamt.core.meaning import Choice, Group
from pytest_vqamt.core.scene import Thing
from pytest_vqamt.language.questions.templates import Asking, QuestionType
from pytest_vqamt.relations import carets_arguments as arguments
from pytest_vqamt.relations import carets_verifying as verifying
from pytest_vqamt.relations.askable_scene import AskableScene
from pytest_vqamt.relations.carets_arguments import Argument
from pytest_vqamt.relations.carets_verifying import definite_phrases, plausible_attributes
from pytest_vqamt.relations.lexical_knowledge import LexicalKnowledge
from pytest_vqamt.relations.rules import UNGRADED
from pytest_vqamt.relations.soundness import object_names
from pytest_vqamt.sampling.chooser import Chooser

_THREE_OPTIONS = 0.5

T = TypeVar("T")
SampledArgument: TypeAlias = Argument | NotApplicable

VERIFY_SAMPLERS: Mapping[QuestionType, Callable[[AskableScene, Chooser, bool], SampledArgument]] = MappingProxyType(
    {
        QuestionType.OBJECT: verifying.object_argument,
        QuestionType.CONJUNCTION: verifying.conjunction_argument,
        QuestionType.DISJUNCTION: verifying.disjunction_argument,
        QuestionType.ATTRIBUTE: verifying.attribute_argument,
    }
)
"""Samplers of the yes/no types, for a wanted truth."""


def object_choice(view: AskableScene, choose: Chooser) -> Argument | NotApplicable:
    """Q5: is the black animal a dog or a cat? Which animal is on the couch, a dog or a cat?"""
    found = view.cached("classes", lambda: _classes(view))
    # Classes of which all things are annotated come first: then no other dog or cat can be meant.
    sure = [each for each in found if not view.is_presumed(each[1])]
    found = sure or found
    if not found:
        return NotApplicable(reason="no thing that is the only one of its kind has names to choose from")
    by = [arguments.class_and_name_weight(word, thing.name, view.corpus, view.known) for thing, word, _ in found]
    thing, word, groups = choose.weighted(found, by)
    others = dict(_classes_with_others(view, thing.name))[word]
    frequency = view.corpus.frequency
    # Choices that the data never has are taken only where it has none of them.
    counted = [(name, frequency.get(name, 0)) for name in others if frequency.get(name, 0)] or [(n, 1) for n in others]
    return Argument(
        asking=Asking(
            type=QuestionType.OBJECT_CHOICE,
            meaning=Choice(what=choose.one(groups), options=_options(choose, thing.name, counted, ne)),
        ),
        truth=thing.name,
        subject=word,
        rests_on_the_only_one=view.is_presumed(word),
    )


def _classes(view: AskableScene) -> list[tuple[Thing, str, tuple[Group, ...]]]:
    """Returns each thing that a class identifies, with the class and the phrases."""
    return [
        (thing, word, groups)
        for thing in view.scene.objects
        if thing.name in view.names
        for word, others in _classes_with_others(view, thing.name)
        if (groups := _of_class(view, thing, word, others))
    ]


def attribute_choice(view: AskableScene, choose: Chooser) -> Argument | NotApplicable:
    """Q6: what color is the cup on the table, red or blue?"""
    return _of_attribute(view, choose, QuestionType.ATTRIBUTE_CHOICE)


def action_choice(view: AskableScene, choose: Chooser) -> Argument | NotApplicable:
    """Q7: is the man in the red shirt standing or sitting?"""
    return _of_attribute(view, choose, QuestionType.ACTION_CHOICE)


def _of_attribute(view: AskableScene, choose: Chooser, type_: QuestionType) -> Argument | NotApplicable:
    kinds = view.known.ontology
    found = view.cached(type_, lambda: _attributes(view, type_))
    if not found:
        return NotApplicable(
            reason="no thing that is the only one of its kind has an attribute to choose"
            if view.corpus.has_attributes
            else "the data has no attributes"
        )
    by = [arguments.category_and_attribute_weight(word, view.corpus, view.known) for _, word, _, _ in found]
    thing, word, groups, false = choose.weighted(found, by)
    category = kinds.category_of(word) or ""
    # Where nearly everybody stands weights do not help: of "standing", say, down to one draw in four is kept.
    if not choose.chance(arguments.keep_probability(word, view.corpus, view.known)):
        return NotApplicable(reason="left out, so that no answer is right in too many cases")
    return Argument(
        asking=Asking(
            type=type_,
            meaning=Choice(what=choose.one(groups), options=_options(choose, word, false, kinds.excludes)),
            category=kinds.noun(category),
        ),
        truth=word,
        subject=word,
        rests_on_the_only_one=view.is_presumed(thing.name),
    )


def _attributes(
    view: AskableScene, type_: QuestionType
) -> list[tuple[Thing, str, tuple[Group, ...], tuple[tuple[str, int], ...]]]:
    """Returns each identifiable thing with one of its attributes, its definite phrases, and false attributes."""
    kinds = view.known.ontology
    found: list[tuple[Thing, str, tuple[Group, ...], tuple[tuple[str, int], ...]]] = []
    for thing in view.scene.objects:
        classes = {each.word for each in view.known.classes_of(thing.name)}
        if type_ is QuestionType.ACTION_CHOICE and classes.isdisjoint(("person", "animal")):  # a standing chair
            continue
        for word in view.askable_attributes(thing):
            category = kinds.category_of(word) or ""
            if kinds.is_action(category) != (type_ is QuestionType.ACTION_CHOICE) or not kinds.noun(category):
                continue
            if not _is_option(view.known, word):
                continue
            if (false := _false_options(view, thing, word)) and (groups := definite_phrases(view, thing, word)):
                found.append((thing, word, groups, false))
    return found


def _classes_with_others(view: AskableScene, name: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Returns the classes of the name that may be absent, with the other choices."""
    return tuple(
        (each.word, others) for each in view.classes_of(name) if each.may_be_absent and (others := each.others(name))
    )


def _of_class(view: AskableScene, thing: Thing, word: str, others: tuple[str, ...]) -> tuple[Group, ...]:
    """Returns phrases of the class that can only mean this thing, with an attribute or a related thing."""
    bare = view.known.class_group(word, object_names(view.scene))
    by_relation = view.phrases_by_relation(thing, bare) if view.is_unique_in_class(thing, word) else ()
    by_attribute = (
        replace(bare, attributes=(attribute,))
        for attribute in view.askable_attributes(thing)
        if UNGRADED.check(view.known, attribute)
        and attribute not in (thing.name, *others)  # no orange fruit with an orange among the choices
        and view.is_unique_in_class(thing, word, attribute)
    )
    return (*by_attribute, *by_relation)


def _false_options(view: AskableScene, thing: Thing, word: str) -> tuple[tuple[str, int], ...]:
    """Returns attributes that exclude ``word``; none if the thing has two of its category."""
    category_of = view.known.ontology.category_of
    # A red and white shirt has two right answers.
    if any(own != word and category_of(own) == category_of(word) for own in thing.attributes):
        return ()
    return tuple(pair for pair in plausible_attributes(view, thing.name, word) if _is_option(view.known, pair[0]))


def _is_option(known: LexicalKnowledge, word: str) -> bool:
    """True if the attribute can be an option: of materials "wood" can, "wooden" cannot ("what material")."""
    return known.ontology.category_of(word) != "material" or known.ontology.canonical(word) == word


def _options(
    choose: Chooser, right: str, false: Sequence[tuple[str, int]], excludes: Callable[[str, str], bool]
) -> tuple[str, ...]:
    """Draws one or two false options that exclude each other, and shuffles all."""
    first = arguments.sample_by_frequency(choose, false)
    rest = [pair for pair in false if excludes(first, pair[0])]
    if rest and choose.chance(_THREE_OPTIONS):
        return choose.several((right, first, arguments.sample_by_frequency(choose, rest)), 3)
    return choose.several((right, first), 2)


CHOICE_SAMPLERS: Mapping[QuestionType, Callable[[AskableScene, Chooser], SampledArgument]] = {
    QuestionType.OBJECT_CHOICE: object_choice,
    QuestionType.ATTRIBUTE_CHOICE: attribute_choice,
    QuestionType.ACTION_CHOICE: action_choice,
}
"""Samplers of the choice types."""


def sample_argument(types: Sequence[QuestionType], view: AskableScene, choose: Chooser) -> SampledArgument:
    """Samples an argument of one of the types, uniformly among those that the scene can give, half of them true."""
    refused: NotApplicable | None = None
    for type_ in choose.several(types, len(types)):
        drawn = (
            VERIFY_SAMPLERS[type_](view, choose, choose.chance(0.5))
            if type_ in VERIFY_SAMPLERS
            else CHOICE_SAMPLERS[type_](view, choose)
        )
        if isinstance(drawn, Argument):
            return drawn
        # The first type's reason, as the report counts reasons: the types come in a random order.
        refused = refused or drawn
    return refused or NotApplicable(reason="no type of question applies to the picture")


def sample_fitting_argument(
    types: Sequence[QuestionType], view: AskableScene, choose: Chooser, fits: Callable[[Argument], T | NotApplicable]
) -> tuple[Argument, T] | NotApplicable:
    """Samples an argument of one of the types that ``fits`` accepts, with the result of ``fits``.

    For a yes/no type a true and a false argument are sampled, and both must fit, which keeps the answers balanced.
    """
    refused: NotApplicable | None = None
    for type_ in choose.several(types, len(types)):
        fitting: list[tuple[Argument, T]] = []
        for drawn in _true_and_false(type_, view, choose):
            found = drawn if isinstance(drawn, NotApplicable) else fits(drawn)
            if isinstance(found, NotApplicable):
                refused = refused or found
                # Without its partner a fitting argument is dropped, too: else most answers would be yes after a crop.
                fitting.clear()
                break
            assert isinstance(drawn, Argument)
            fitting.append((drawn, found))
        if fitting:
            return choose.one(fitting)
    return refused or NotApplicable(reason="no type of question applies to the picture")


def _true_and_false(type_: QuestionType, view: AskableScene, choose: Chooser) -> Iterator[SampledArgument]:
    # The false argument comes first: it is refused more often.
    if type_ in VERIFY_SAMPLERS:
        yield VERIFY_SAMPLERS[type_](view, choose, False)
        yield VERIFY_SAMPLERS[type_](view, choose, True)
    else:
        yield CHOICE_SAMPLERS[type_](view, choose)
