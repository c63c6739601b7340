"""The meaning of a text as a small logical form, and its truth about a scene."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import accumulate, pairwise
from typing import TypeAlias, assert_never, cast, get_args

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.codec import Json, decode, registered
from pytest_vqamt.core.scene import Scene, Thing

MARGIN = 0.03
"""The least gap between two boxes on an axis, as a share of the picture's width or height."""

NONE_OF_THESE = "none of these"
"""The option that is right where no other option is."""

NO_SUCH_THING = "none"
"""The answer to ``Property`` that denies that there is such a thing."""

YES_OR_NO = ("yes", "no")
"""The options of a published question that is answered by yes or no."""

Inventory: TypeAlias = tuple[tuple[str, int], ...]
"""Object names with their counts, in the order of their first object in the scene."""


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Related:
    """Standing in a relationship to one of another group: "on the table", "wearing a hat"."""

    predicate: str
    """As in ``Relationship``, word for word."""
    to: Group
    """The things at the other end, one of which is enough."""


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The things that a noun phrase denotes: "red cars", "animals on the table", "the man holding a cup"."""

    name: str
    """The noun as it is worded, singular."""
    covers: tuple[str, ...] = ()
    """The object names that the noun includes; empty means just ``name``. A hypernym lists its hyponyms here, so that
    truth needs no dictionary."""
    attributes: tuple[str, ...] = ()
    """All of them must hold."""
    related: tuple[Related, ...] = ()
    """Further conditions, all of which must hold."""


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One object description unit of a hypothesis (VEglue section 4.1): a group that is claimed to be there."""

    group: Group
    unseen: str = ""
    """A claim that no picture can show ("is a teacher"), which makes the hypothesis neutral; "" without one."""


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """How many things are in at least one of the groups?"""

    groups: tuple[Group, ...]


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Exists:
    """Is there any?"""

    group: Group


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Absent:
    """Is there none?"""

    group: Group


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Both:
    """Is there one of each group?"""

    groups: tuple[Group, ...]
    """Two or more."""


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class NotBoth:
    """Is at least one of the groups absent? The negation of Both: "either no A or no B"."""

    groups: tuple[Group, ...]


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Either:
    """Is there one of any of the groups? Also where there are several."""

    groups: tuple[Group, ...]


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Neither:
    """Is every group absent? The negation of Either: "no A and no B"."""

    groups: tuple[Group, ...]


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Has:
    """Does the one thing of this group have the attribute?"""

    group: Group
    attribute: str
    """Compared with ``Thing.attributes``, word for word."""


class Side(StrEnum):
    """A side of a thing, as the picture shows it: left is towards the picture's left edge."""

    LEFT = "left"
    RIGHT = "right"
    ABOVE = "above"
    BELOW = "below"

    @property
    def opposite(self) -> Side:
        return _OPPOSITE[self]


_OPPOSITE = {Side.LEFT: Side.RIGHT, Side.RIGHT: Side.LEFT, Side.ABOVE: Side.BELOW, Side.BELOW: Side.ABOVE}


def sides(box: Box, other: Box, frame: Box) -> tuple[Side, ...]:
    """The sides of ``other`` on which ``box`` surely is: those where a gap of ``MARGIN`` lies between them.

    >>> sides(Box(0, 0, 10, 10), Box(13, 5, 10, 10), Box(0, 0, 100, 100))
    (<Side.LEFT: 'left'>,)
    """
    # Rounded, as a gap of exactly the margin may come out a little smaller after edits.
    across, down = (round(MARGIN * size, 6) for size in (frame.w, frame.h))
    gaps = (
        (Side.LEFT, other.x - box.x1, across),
        (Side.RIGHT, box.x - other.x1, across),
        (Side.ABOVE, other.y - box.y1, down),
        (Side.BELOW, box.y - other.y1, down),
    )
    return tuple(side for side, gap, least in gaps if round(gap, 6) >= least)


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Located:
    """Is the one thing of ``group`` on this side of the one thing of ``other`` in the picture?

    Boxes decide it, not annotated relationships. It has no truth unless each group has exactly one thing, and a gap of
    ``MARGIN`` lies between their boxes on the axis of the side.
    """

    group: Group
    side: Side
    """Where it is, seen from the other thing."""
    other: Group


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Which of the options is it?"""

    what: Group
    """A group of one thing."""
    options: tuple[str, ...]
    """Names or attributes of that thing; the last may be ``NONE_OF_THESE``."""


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class WhichThere:
    """Which one of the groups is in the picture? With ``missing``, which one is not? Answered by a group's name.

    It has no truth unless just one group is there, or just one is not.
    """

    groups: tuple[Group, ...]
    """Their names are the options."""
    missing: bool = False
    """Asks which group is not in the picture."""
    or_none: bool = False
    """``NONE_OF_THESE`` is offered, too, and is right where no group is there."""


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Property:
    """What colour, say, is the one thing of the group? The answer is one of ``values``, or that there is no such thing.

    The question takes for granted that the thing is there.
    """

    group: Group
    category: str
    """The noun for the values ("color")."""
    values: tuple[str, ...]
    """The attributes that answer it ("red", "blue")."""


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """Is this word written in the picture?"""

    text: str
    """In any case: "stop" is written where "STOP" is."""


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class PartCount:
    """How many parts of this name ("leg") can be seen of the one thing of the group?

    It has no truth unless the group has exactly one thing whose parts are annotated.
    """

    group: Group
    part: str
    """The name of ``Parts``."""


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Entails:
    """Does the picture entail a hypothesis made of these units?"""

    units: tuple[Unit, ...]
    """All of them must hold."""


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Describe:
    """What does the picture show?"""


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Annotated:
    """A question of a data set or of a user, known only by its answers, each with a weight."""

    answers: tuple[tuple[str, float], ...]
    """None if no answer is known."""
    options: tuple[str, ...] = ()
    """The possible answers, ("yes", "no") or those in the question; empty if unknown."""
    question: str = ""
    """Its words, by which answers are read; "" if they are read by the options alone."""
    is_count: bool = False
    """True if the answer is a number, whatever the words are."""

    @property
    def is_yes_no(self) -> bool:
        return self.options == YES_OR_NO


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class InPicture:
    """A question about one of several pictures: "In the second picture, is there a dog?"."""

    which: int
    """From 0, in the order in which the pictures are shown."""
    meaning: Meaning


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class InAll:
    """A question about all pictures together: a count in all of them, or whether any of them shows a thing."""

    meaning: Count | Exists | Absent


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class WhichPicture:
    """Which picture shows such a thing? The answer is one of ``ORDINALS``."""

    group: Group


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class ShowSame:
    """Do both pictures show the same things?"""


class Event(StrEnum):
    """What a thing does in a film."""

    COMES_IN_LEFT = "comes in from the left"
    COMES_IN_RIGHT = "comes in from the right"
    GOES_OUT_LEFT = "goes out to the left"
    GOES_OUT_RIGHT = "goes out to the right"
    MOVES_UP = "moves up"
    MOVES_DOWN = "moves down"

    @property
    def reversed(self) -> Event:
        """The event of the film that is played backwards."""
        return _REVERSED[self]


_REVERSED = {
    Event.COMES_IN_LEFT: Event.GOES_OUT_LEFT,
    Event.COMES_IN_RIGHT: Event.GOES_OUT_RIGHT,
    Event.GOES_OUT_LEFT: Event.COMES_IN_LEFT,
    Event.GOES_OUT_RIGHT: Event.COMES_IN_RIGHT,
    Event.MOVES_UP: Event.MOVES_DOWN,
    Event.MOVES_DOWN: Event.MOVES_UP,
}


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Happens:
    """Does this happen to the one thing of the group in a film, whose frames are the pictures?

    Boxes decide it. It has no truth of a single picture, of several such things, or where a thing jumps or turns back.
    """

    group: Group
    event: Event


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class MovesFirst:
    """Which of the two things moves first in a film? Answered by a group's name.

    It has no truth unless the one stands still before the other moves.
    """

    groups: tuple[Group, Group]
    """Their names are the options."""


ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
"""How pictures are numbered, by the order in which they are shown."""

Meaning: TypeAlias = (
    Count
    | Exists
    | Absent
    | Both
    | NotBoth
    | Either
    | Neither
    | Has
    | Located
    | Choice
    | WhichThere
    | Property
    | Written
    | PartCount
    | Entails
    | Describe
    | Annotated
    | InPicture
    | InAll
    | WhichPicture
    | ShowSame
    | Happens
    | MovesFirst
)

MEANINGS: tuple[type, ...] = get_args(Meaning)


def meaning_from_row(row: Json) -> Meaning:
    """The meaning of a record; its types are checked all the way down.

    Raises:
        DataError: it is no meaning, lacks a field, or has one of another type.
    """
    return cast("Meaning", decode(row, Meaning))


def groups_of(meaning: Meaning) -> tuple[Group, ...]:
    """The groups of the meaning, in order; none for a caption or a published question."""
    match meaning:
        case Count(groups=groups) | Both(groups=groups) | NotBoth(groups=groups):
            return groups
        case Either(groups=groups) | Neither(groups=groups) | WhichThere(groups=groups) | MovesFirst(groups=groups):
            return groups
        case Exists(group=group) | Absent(group=group) | Has(group=group) | Choice(what=group):
            return (group,)
        case Property(group=group) | PartCount(group=group) | WhichPicture(group=group) | Happens(group=group):
            return (group,)
        case InPicture(meaning=inner) | InAll(meaning=inner):
            return groups_of(inner)
        case Located(group=group, other=other):
            return group, other
        case Entails(units=units):
            return tuple(unit.group for unit in units)
        case Describe() | Annotated() | Written() | ShowSame():
            return ()
        case _:
            assert_never(meaning)


def with_groups(meaning: Meaning, groups: tuple[Group, ...]) -> Meaning:
    """The meaning with other groups, as many as ``groups_of`` gives."""
    match meaning:
        case Count() | Both() | NotBoth() | Either() | Neither() | WhichThere():
            return replace(meaning, groups=groups)
        case Exists() | Absent() | Has() | Property() | PartCount() | WhichPicture() | Happens():
            return replace(meaning, group=groups[0])
        case MovesFirst():
            return MovesFirst(groups=(groups[0], groups[1]))
        case InPicture(meaning=inner):
            return replace(meaning, meaning=with_groups(inner, groups))
        case InAll(meaning=inner):
            return replace(meaning, meaning=cast("Count | Exists | Absent", with_groups(inner, groups)))
        case Located():
            return replace(meaning, group=groups[0], other=groups[1])
        case Choice():
            return replace(meaning, what=groups[0])
        case Entails(units=units):
            return Entails(units=tuple(replace(unit, group=group) for unit, group in zip(units, groups, strict=True)))
        case Describe() | Annotated() | Written() | ShowSame():
            return meaning
        case _:
            assert_never(meaning)


YES_NO: tuple[type, ...] = (Exists, Absent, Both, NotBoth, Either, Neither, Has, Located, Written, ShowSame, Happens)
"""The meanings whose answer is yes or no, without published questions."""


def what_is_asked(meaning: Meaning) -> Meaning:
    """The question without the pictures that it names: "is there a dog?" of "In the second picture, is there ...?"."""
    while isinstance(meaning, InPicture | InAll):
        meaning = meaning.meaning
    return meaning


def is_yes_no(meaning: Meaning) -> bool:
    """True if the answer to the question is yes or no."""
    meaning = what_is_asked(meaning)
    return isinstance(meaning, YES_NO) or (isinstance(meaning, Annotated) and meaning.is_yes_no)


class Label(StrEnum):
    """The three labels of visual entailment."""

    ENTAILMENT = "entailment"
    NEUTRAL = "neutral"
    CONTRADICTION = "contradiction"


Truth: TypeAlias = bool | int | str | Label | Inventory | None
"""Yes or no, a count, an option or the annotators' answer, a label, or an inventory; None if no answer is sure."""


def members(group: Group, scene: Scene) -> tuple[Thing, ...]:
    """The things of ``scene`` that ``group`` denotes, in scene order."""
    names = group.covers or (group.name,)  # "animal" is no name of a thing: what it covers counts
    found = tuple(thing for thing in scene.objects if thing.name in names)
    for attribute in group.attributes:
        found = tuple(thing for thing in found if attribute in thing.attributes)
    for condition in group.related:
        others = {thing.id for thing in members(condition.to, scene)}
        subjects = {r.subject for r in scene.relationships if r.predicate == condition.predicate and r.object in others}
        found = tuple(thing for thing in found if thing.id in subjects)
    return found


def truth(meaning: Meaning, scene: Scene, *others: Scene) -> Truth:
    """The right answer to ``meaning`` about ``scene``, according to its annotations.

    With ``others``, the scenes of all pictures in the order in which they are shown, it is None for a question that
    does not say which of them it is about.

    Counts are of distinct things. ``Has`` and ``Choice`` are about one thing; relations use them only if exactly one
    thing matches. A hypothesis is a contradiction if a unit's group is absent, and neutral if all are there but a unit
    claims something that no picture can show.
    """
    scenes = (scene, *others)
    match meaning:
        case InPicture(which=which, meaning=inner):
            return truth(inner, scenes[which]) if 0 <= which < len(scenes) else None
        case InAll(meaning=inner):
            return _in_all(inner, scenes)
        case WhichPicture(group=group):
            showing = [number for number, each in enumerate(scenes) if members(group, each)]
            return ORDINALS[showing[0]] if len(showing) == 1 else None
        case ShowSame():
            return _show_same(scene, others[0]) if len(others) == 1 else None
        case Happens(group=group, event=event):
            return _happens(event, _places(group, scenes))
        case MovesFirst(groups=(first, second)):
            return _moves_first(scenes, first, second)
        case _ if others and not isinstance(meaning, Annotated):  # whose answers are to the whole conversation
            return None
        case Count(groups=groups):
            return len({thing.id for group in groups for thing in members(group, scene)})
        case Exists(group=group):
            return bool(members(group, scene))
        case Absent(group=group):
            return not members(group, scene)
        case Both(groups=groups):
            return all(members(group, scene) for group in groups)
        case NotBoth(groups=groups):
            return not all(members(group, scene) for group in groups)
        case Either(groups=groups):
            return any(members(group, scene) for group in groups)
        case Neither(groups=groups):
            return not any(members(group, scene) for group in groups)
        case Has(group=group, attribute=attribute):
            return any(attribute in thing.attributes for thing in members(group, scene))
        case Located(group=group, side=side, other=other):
            return _is_located(members(group, scene), side, members(other, scene), scene)
        case Choice(what=what, options=options):
            return _chosen(members(what, scene), options)
        case WhichThere(groups=groups, missing=missing, or_none=or_none):
            right = [group.name for group in groups if bool(members(group, scene)) != missing]
            return right[0] if len(right) == 1 else NONE_OF_THESE if or_none and not right else None
        case Property(group=group, values=values):
            things = members(group, scene)
            return _chosen(things, values) if things else NO_SUCH_THING
        case Written(text=text):
            return any(each.text.casefold() == text.casefold() for each in scene.inscriptions)
        case PartCount(group=group, part=part):
            ids = [thing.id for thing in members(group, scene)]
            # Equal only where the group has one thing, and parts of that thing are annotated.
            numbers = [each.number for each in scene.parts if [each.thing] == ids and each.name == part]
            return numbers[0] if numbers else None
        case Entails(units=units):
            return _label(units, scene)
        case Describe():
            return _inventory(scene)
        case Annotated(answers=answers):
            best = max(answers, key=lambda answer: answer[1])[0] if answers else None
            # Annotators may answer a yes/no question otherwise ("maybe"), which stays a text.
            return best == "yes" if meaning.is_yes_no and best in YES_OR_NO else best
        case _:
            assert_never(meaning)


def _in_all(meaning: Count | Exists | Absent, scenes: tuple[Scene, ...]) -> int | bool:
    match meaning:
        case Count():
            return sum(cast("int", truth(meaning, each)) for each in scenes)
        case Exists():
            return any(truth(meaning, each) for each in scenes)
        case Absent():
            return all(truth(meaning, each) for each in scenes)
        case _:
            assert_never(meaning)


def _show_same(scene: Scene, other: Scene) -> bool:
    """True if the things of both are the same, at the same places to a pixel."""
    if len(scene.objects) != len(other.objects):
        return False
    return all(
        (one.id, one.name, one.attributes) == (two.id, two.name, two.attributes)
        and max(abs(a - b) for a, b in zip(_corners(one.box), _corners(two.box), strict=True)) <= 1
        for one, two in zip(scene.objects, other.objects, strict=True)
    )


def _corners(box: Box) -> tuple[float, float, float, float]:
    return box.x, box.y, box.x1, box.y1


def _places(group: Group, scenes: tuple[Scene, ...]) -> tuple[Box | None, ...] | None:
    """The box of the one thing of the group in each frame, in shares of the frame; None if there may be several.

    Frames that do not show it have None in its place.
    """
    found = [members(group, each) for each in scenes]
    if len(scenes) < 2 or max(map(len, found)) > 1 or len({things[0].id for things in found if things}) > 1:
        return None
    return tuple(
        things[0].box.scaled(1 / each.width, 1 / each.height) if things else None
        for things, each in zip(found, scenes, strict=True)
    )


_LEAST_MOVE = 0.15
"""The least way of a thing that moves up or down, in shares of the frame."""
_STILL = 0.005
"""Up to so much of a difference, in shares of the frame, a thing has not moved: a pixel of 224."""


def _happens(event: Event, places: tuple[Box | None, ...] | None) -> bool | None:
    if places is None:
        return None
    shown = [place for place in places if place is not None]
    if not shown or (len(shown) == len(places) and _is_still(shown)):
        return False
    happened = _event(places, shown)
    return None if happened is None else happened is event


def _is_still(shown: Sequence[Box]) -> bool:
    return all(abs(a - b) <= _STILL for each in shown for a, b in zip(_corners(each), _corners(shown[0]), strict=True))


def _event(places: tuple[Box | None, ...], shown: Sequence[Box]) -> Event | None:
    """The only event of a thing that some frames show and that does not stand still; None if it is none of them."""
    # The sum of both ends goes on where one of them is cut off at the edge.
    across = _way([each.x + each.x1 for each in shown])
    if len(shown) == len(places):
        down = _way([each.y + each.y1 for each in shown])
        straight = max(each.x for each in shown) - min(each.x for each in shown) <= _STILL
        if not straight or abs(down) < 2 * _LEAST_MOVE:
            return None
        return Event.MOVES_DOWN if down > 0 else Event.MOVES_UP
    if abs(across) <= 2 * MARGIN:
        return None
    # It comes in if the last frames show it, and goes out if the first do; else it comes and goes.
    if all(place is not None for place in places[len(places) - len(shown) :]):
        return Event.COMES_IN_LEFT if across > 0 else Event.COMES_IN_RIGHT
    if all(place is not None for place in places[: len(shown)]):
        return Event.GOES_OUT_RIGHT if across > 0 else Event.GOES_OUT_LEFT
    return None


_BACK = 2 * 0.01
"""Up to so much a thing goes back without turning back, as the sum of two ends: boxes of annotators tremble."""


def _way(values: Sequence[float]) -> float:
    """How far the values go in one direction; 0 where they turn back."""
    way = values[-1] - values[0]
    ahead = values if way >= 0 else [-value for value in values]
    return way if all(most - value <= _BACK for most, value in zip(accumulate(ahead, max), ahead, strict=True)) else 0.0


def _moves_first(scenes: tuple[Scene, ...], first: Group, second: Group) -> str | None:
    moves = [_moves(_places(group, scenes)) for group in (first, second)]
    if not all(moves):
        return None
    if moves[0][-1] < moves[1][0]:
        return first.name
    return second.name if moves[1][-1] < moves[0][0] else None


def _moves(places: tuple[Box | None, ...] | None) -> tuple[int, ...]:
    """The frames in which the thing is not where it was one before."""
    return tuple(
        number
        for number, (before, after) in enumerate(pairwise(places or ()), start=1)
        if (before is None) != (after is None) or (before and after and not _is_still((before, after)))
    )


def _is_located(things: tuple[Thing, ...], side: Side, others: tuple[Thing, ...], scene: Scene) -> bool | None:
    if len(things) != 1 or len(others) != 1:
        return None
    found = sides(things[0].box, others[0].box, scene.frame)
    return True if side in found else False if side.opposite in found else None


def _chosen(things: tuple[Thing, ...], options: tuple[str, ...]) -> str | None:
    right = [
        option for option in options if any(option == thing.name or option in thing.attributes for thing in things)
    ]
    if things and not right and NONE_OF_THESE in options:
        return NONE_OF_THESE
    # Two that hold ("red", "white") leave open which one is meant.
    return right[0] if len(right) == 1 else None


def _label(units: tuple[Unit, ...], scene: Scene) -> Label:
    # Before what no picture shows: "the dog is a champion" is false where there is no dog.
    if any(not members(unit.group, scene) for unit in units):
        return Label.CONTRADICTION
    return Label.NEUTRAL if any(unit.unseen for unit in units) else Label.ENTAILMENT


def _inventory(scene: Scene) -> Inventory:
    counts: dict[str, int] = {}
    for thing in scene.objects:
        counts[thing.name] = counts.get(thing.name, 0) + 1
    return tuple(counts.items())
