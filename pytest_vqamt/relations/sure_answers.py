"""The right answer to a question, where the annotations of a scene make it certain.

A relation between two answers may be sound where neither answer is known: a count of dogs and cats is that of cats and
dogs, whatever the annotations leave out. A contrast needs the answers themselves. The rules are those of
docs/explanation/soundness.md; ``AskableScene`` has most of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import NamedTuple, TypeAlias

from pytest_vqamt.core.meaning import (
    NO_SUCH_THING,
    NONE_OF_THESE,
    Absent,
    Annotated,
    Both,
    Choice,
    Count,
    Either,
    Entails,
    Exists,
    Group,
    Has,
    Label,
    Located,
    Meaning,
    Neither,
    NotBoth,
    Property,
    Side,
    WhichThere,
    Written,
    members,
    sides,
    truth,
)
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.language.answers.vqa_accuracy import normalise_answer
from pytest_vqamt.relations.askable_scene import AskableScene
from pytest_vqamt.relations.lexical_knowledge import LexicalKnowledge
from pytest_vqamt.relations.rules import ABSENT, COUNTABLE, DISJOINT, EXCLUSIVE, FALSE, ONE_SIDE, SALIENT, UNIQUE
from pytest_vqamt.relations.soundness import (
    is_disjoint_from_all,
    is_surely_seen,
    object_names,
)
from pytest_vqamt.relations.spatial import placeable

MIN_AGREEMENT = 0.8
"""The least share of annotators, or the least score, for what they say to be certain."""


class CountRange(NamedTuple):
    """What a count can surely be."""

    least: int
    most: float


@dataclass(frozen=True, slots=True)
class SureAnswer:
    """A right answer: yes or no, an option, a label, an annotators' answer, or the range of a count."""

    value: bool | str | CountRange
    """A bool for yes or no, a range for a count, the words of any other answer."""
    presumed: bool = False
    """True if it rests on an absence that the annotations do not guarantee."""


Range: TypeAlias = tuple[CountRange, bool]
"""The range of a group's number, and whether it is presumed."""


def sure_answer(meaning: Meaning, view: AskableScene) -> SureAnswer | None:
    """Returns the right answer to ``meaning`` about the scene; None if it is not certain, or a caption."""
    match meaning:
        case Exists(group=group):
            return _exists(group, view)
        case Absent(group=group):
            return _negated(_exists(group, view))
        case Both(groups=groups):
            return _all_of(groups, view)
        case NotBoth(groups=groups):
            return _negated(_all_of(groups, view))
        case Either(groups=groups):
            return _one_of(groups, view)
        case Neither(groups=groups):
            return _negated(_one_of(groups, view))
        case Count(groups=groups):
            return _count(groups, view)
        case Has(group=group, attribute=attribute):
            return _has(group, attribute, view)
        case Located(group=group, side=side, other=other):
            return _located(group, side, other, view)
        case Choice(what=what, options=options):
            return _choice(what, options, view)
        case WhichThere():
            return _which_there(meaning, view)
        case Property(group=group, values=values):
            return _property(group, values, view)
        case Written():
            # Only words that an edit wrote are known; a photo may show others, so a no is presumed.
            value = truth(meaning, view.scene)
            return SureAnswer(bool(value), presumed=not value)
        case Entails():
            return _label(meaning, view)
        case Annotated():
            return agreed_answer(meaning)
    return None


def _negated(answer: SureAnswer | None) -> SureAnswer | None:
    return None if answer is None else replace(answer, value=not answer.value)


def _exists(group: Group, view: AskableScene) -> SureAnswer | None:
    found = _number(group, view)
    if found is None:
        return None
    least, presumed = found
    # What is annotated is there; only a no rests on what is not annotated.
    return SureAnswer(True) if least else SureAnswer(False, presumed)


def _all_of(groups: Sequence[Group], view: AskableScene) -> SureAnswer | None:
    """Answers if there is one of each; at most one group is absent (rule: one side of either)."""
    found = [_exists(group, view) for group in groups]
    known = [each for each in found if each is not None]
    absent = [each for each in known if not each.value]
    # With both absent, "either no A or no B" may be denied by who takes "either" for exactly one.
    if len(known) < len(groups) or not ONE_SIDE.check(absent):
        return None
    return absent[0] if absent else SureAnswer(True)


def _one_of(groups: Sequence[Group], view: AskableScene) -> SureAnswer | None:
    """Answers if there is one of any; at most one group is there (rule: one side of either)."""
    found = [_exists(group, view) for group in groups]
    known = [each for each in found if each is not None]
    # With both there, "a cat or a dog?" is answered by "no, both", or by asking which one.
    if len(known) < len(groups) or not ONE_SIDE.check(each.value for each in known):
        return None
    # Presumed for a yes, too: an absent B that is there after all would make it two of two.
    return SureAnswer(any(each.value for each in known), any(each.presumed for each in known))


def _count(groups: Sequence[Group], view: AskableScene) -> SureAnswer | None:
    """The sum of the groups' numbers, which no thing is in two of (rules: disjoint groups, exclusive properties)."""
    scene = view.scene
    for at, one in enumerate(groups):
        for other in groups[:at]:
            # Red balls and blue balls: a striped ball would be counted twice.
            if one.name == other.name and not EXCLUSIVE.check(one.name, scene):
                return None
            if one.name != other.name and not DISJOINT.check(one.name, other.name, scene):
                return None
    found = [_range(group, view) for group in groups]
    known = [each for each in found if each is not None]
    if len(known) < len(groups):
        return None
    least, most = sum(each[0].least for each in known), sum(each[0].most for each in known)
    return SureAnswer(CountRange(least, most), any(presumed for _, presumed in known))


def _range(group: Group, view: AskableScene) -> Range | None:
    """The range of the number of things in the group; None if nothing is known."""
    found = _number(group, view)
    if found is None:
        return None
    least, presumed = found
    if not least:
        return CountRange(0, 0), presumed
    # At least one is seen; how many more nobody annotated is open.
    if view.is_presumed(group.name):
        return CountRange(1, inf), False
    return CountRange(least, _most(group, least, view)), False


def _number(group: Group, view: AskableScene) -> tuple[int, bool] | None:
    """Returns the number of annotated things in the group, and True if it is presumed; None if it is not sure.

    One or more are sure if one of them is surely seen; 0 is sure if there is surely none.
    """
    here = group_in(group, view)
    if here is None or not _has_targets(here, view):
        return None
    annotated = members(here, view.scene)
    if not annotated:
        presumed = _none(here, view)
        return None if presumed is None else (0, presumed)
    # A toy dog counts for some people and not for others, so it is left out of the least number.
    seen = [thing for thing in annotated if _is_meant(thing, here, view)]
    return (len(seen), False) if any(is_surely_seen(thing, view.scene) for thing in seen) else None


def group_in(group: Group, view: AskableScene) -> Group | None:
    """Returns the group of the same words in this scene; None if the words are not known."""
    if not group.covers and not group.related:
        return group
    targets = tuple(condition.to for condition in group.related)
    there = [group_in(target, view) for target in targets]
    if any(each is None for each in there):
        return None
    related = tuple(
        replace(condition, to=target)
        for condition, target in zip(group.related, there, strict=True)
        if target is not None
    )
    if not group.covers:
        return replace(group, related=related)
    # A class that this ontology does not have: what it covers in another scene cannot be told.
    if not view.known.ontology.noun_class(group.name):
        return None
    of_class = view.known.class_group(group.name, object_names(view.scene), group.attributes)
    return replace(of_class, related=related) if related else of_class


def _is_meant(thing: Thing, group: Group, view: AskableScene) -> bool:
    """True if the thing surely is what the noun says, and no likeness of one."""
    if thing.name not in view.names:
        return False
    return (
        not group.covers
        or thing.name == group.name
        or any(each.word == group.name for each in view.classes_of(thing.name))
    )


def _most(group: Group, annotated: int, view: AskableScene) -> float:
    """The most things of the group that there can be, of which some are annotated.

    On photos even a class that is annotated exhaustively has small or hidden things more: half as many are allowed for.
    """
    name, scene = group.name, view.scene
    if group.covers or group.related or not COUNTABLE.check(name, scene) or not is_disjoint_from_all(name, scene):
        return inf
    # "Red dogs" has a most only if each dog surely is red or surely is not.
    for word in group.attributes:
        if not all(word in thing.attributes or FALSE.check(view, thing, word) for thing in view.things_named(name)):
            return inf
    return annotated if view.corpus.look is None else annotated + max(1, annotated // 2)


def _none(group: Group, view: AskableScene) -> bool | None:
    """True if it is presumed, and not guaranteed, that no thing is in the group; None if there may be one."""
    name = group.name
    if group.covers:
        if view.is_class_absent(name):
            return view.is_presumed(name)
    # Absent by name, or by attribute: dogs are there, and each of them surely lacks "red".
    elif ABSENT.check(view, name) or (
        name in view.names
        # In a crowd of dogs some may be red.
        and all(region.name != name for region in view.scene.regions)
        and any(word in view.false_attributes_of(name) for word in group.attributes)
    ):
        return view.is_presumed(name)
    return None


def _has_targets(group: Group, view: AskableScene) -> bool:
    """True if "on the table" can only mean one table (rule: the only one)."""
    return all(the_one(condition.to, view) for condition in group.related)


def the_one(group: Group, view: AskableScene) -> tuple[Thing, bool] | None:
    """Returns the one thing that "the NOUN" can mean (rule: the only one), and True if that is presumed."""
    here = group_in(group, view)
    if here is None:
        return None
    found = members(here, view.scene)
    if (
        len(found) != 1
        or not _has_targets(here, view)
        or not _is_meant(found[0], here, view)
        or not SALIENT.check(found[0], view.scene)
    ):
        return None
    thing = found[0]
    words = ("", *here.attributes)
    if here.covers:
        only = any(view.is_unique_in_class(thing, here.name, word) for word in words)
    else:
        only = UNIQUE.check(view, thing) or any(view.is_unique_by_attribute(thing, word) for word in here.attributes)
    return (thing, view.is_presumed(here.name)) if only else None


def _has(group: Group, attribute: str, view: AskableScene) -> SureAnswer | None:
    found = the_one(group, view)
    if found is None:
        return None
    thing, presumed = found
    if attribute in view.askable_attributes(thing):
        return SureAnswer(True, presumed)
    return SureAnswer(False, presumed) if FALSE.check(view, thing, attribute) else None


def _located(group: Group, side: Side, other: Group, view: AskableScene) -> SureAnswer | None:
    one, two = ([thing for thing in placeable(view) if thing.name == each.name] for each in (group, other))
    if len(one) != 1 or len(two) != 1 or one == two:
        return None
    # The boxes must settle it on the axis that is asked about; on the other axis anything may be.
    found = [each for each in sides(one[0].box, two[0].box, view.scene.frame) if each in (side, side.opposite)]
    if len(found) != 1:
        return None
    return SureAnswer(found[0] is side, view.is_presumed(group.name) or view.is_presumed(other.name))


def _choice(what: Group, options: Sequence[str], view: AskableScene) -> SureAnswer | None:
    found = the_one(what, view)
    if found is None:
        return None
    thing, presumed = found
    # Q5 asks for a name; all other choices ask for an attribute.
    if thing.name in options:
        others = [option for option in options if option != thing.name]
        if all(view.known.is_apart(thing.name, option, view.scene) for option in others):
            return SureAnswer(thing.name, presumed)
        return None
    right = [option for option in options if option in view.askable_attributes(thing)]
    # "None of these" is right only where each option is surely false, not merely unannotated.
    if not right and NONE_OF_THESE in options:
        others = [option for option in options if option != NONE_OF_THESE]
        return SureAnswer(NONE_OF_THESE, presumed) if all(FALSE.check(view, thing, each) for each in others) else None
    # A thing that is annotated as red may be striped with blue: the other options must be surely false.
    if len(right) == 1 and all(
        FALSE.check(view, thing, option) for option in options if option not in (right[0], NONE_OF_THESE)
    ):
        return SureAnswer(right[0], presumed)
    return None


def _which_there(asked: WhichThere, view: AskableScene) -> SureAnswer | None:
    found = [_exists(group, view) for group in asked.groups]
    known = [each for each in found if each is not None]
    right = [
        each.name for each, there in zip(asked.groups, found, strict=True) if there and there.value != asked.missing
    ]
    if asked.or_none and not right:
        right = [NONE_OF_THESE]
    # With an unknown among them, another option may be right as well.
    if len(known) < len(found) or len(right) != 1:
        return None
    return SureAnswer(right[0], any(each.presumed for each in known))


def _property(group: Group, values: Sequence[str], view: AskableScene) -> SureAnswer | None:
    there = _exists(group, view)
    # No color has a thing that is surely absent, so "there is none" is the right answer.
    if there is not None and not there.value:
        return SureAnswer(NO_SUCH_THING, there.presumed)
    found = the_one(group, view)
    if found is None:
        return None
    thing, presumed = found
    right = [value for value in values if value in view.askable_attributes(thing)]
    return SureAnswer(right[0], presumed) if len(right) == 1 else None


def _label(meaning: Entails, view: AskableScene) -> SureAnswer | None:
    """The contradiction of a hypothesis that names what is absent.

    Of published hypotheses only some words are known, so no other label is certain by the annotations.
    """
    for unit in meaning.units:
        here = group_in(unit.group, view)
        if here is not None and not members(here, view.scene) and (presumed := _none(here, view)) is not None:
            return SureAnswer(Label.CONTRADICTION.value, presumed)
    return None


def agreed_answer(meaning: Annotated) -> SureAnswer | None:
    """Returns the answer that nearly all annotators gave; None if they disagree."""
    best = max(meaning.answers, key=lambda answer: answer[1], default=("", 0.0))
    # Of ten annotators of VQA v2 that is eight; below it, two answers may both be right.
    if best[1] < MIN_AGREEMENT:
        return None
    text = normalise_answer(best[0])
    return SureAnswer(text == "yes") if meaning.is_yes_no and text in ("yes", "no") else SureAnswer(text)


def surely_differ(one: Annotated, other: Annotated, known: LexicalKnowledge) -> bool:
    """True if two published questions surely have different answers.

    Yes and no, numbers and the options of one question are different where they are not the same. Other words may both
    be right ("gray" and "silver", "black" and "black and white"): they must exclude each other, or name what is never
    the same, and no annotator gave one answer where another gave the other.
    """
    first, second = agreed_answer(one), agreed_answer(other)
    if first is None or second is None or first.value == second.value:
        return False
    a, b = str(first.value), str(second.value)
    # Options of one question exclude each other by its author's word.
    if (one.options and one.options == other.options) or (a.isdigit() and b.isdigit()):
        return True
    # One annotator who said "silver" of the gray car shows that both words can be right of it.
    if b in _given(one) or a in _given(other) or not set(a.split()).isdisjoint(b.split()):
        return False
    if known.ontology.category_of(a) and known.ontology.category_of(a) == known.ontology.category_of(b):
        return known.ontology.excludes(a, b)
    return not known.wordnet.may_name_the_same(a, b)


def _given(meaning: Annotated) -> frozenset[str]:
    return frozenset(normalise_answer(answer) for answer, weight in meaning.answers if weight > 0)


def surely_only_there(scene: Scene, view: AskableScene) -> tuple[str, ...]:
    """Returns the names of salient things of ``scene`` that are surely absent from the scene of ``view``."""
    crowds = {region.name for region in scene.regions}
    names = dict.fromkeys(thing.name for thing in scene.objects if is_surely_seen(thing, scene))
    return tuple(name for name in names if name not in crowds and ABSENT.check(view, name))
