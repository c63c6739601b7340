"""The relations ``spatial.*``: which things have a sure place beside each other, by their boxes.

- "The dog" is asked about only where one thing answers to it (rule: the only one), kinds of dogs included, and no
  crowd. The thing is large enough to be seen, and not seen in fragments only.
- Its name is a singular that can be counted, and not one of what is in nearly every picture ("building"). A name that
  tells the hand ("left shoe") means another thing in a mirrored picture, and one that tells the place ("top shelf")
  gives the answer away: neither is asked about.
- Two things have a sure place on an axis where a gap of 3 % of the picture lies between their boxes there. Boxes of
  what covers each other, such as a rider's and a horse's, share that axis, and are not asked about; a box around but a
  part of a thing is around the part that is seen.
- A scene with a mirror may show a thing twice, and gives no case.
- Only the sides are asked about that a picture shows: never near, in front of or behind. Every wording says that the
  picture is meant ("in the picture"), and no wording that one thing has the other at its own left. "Above" is put as
  "higher up in the picture than", since of two things on the ground the farther one is higher up and not above.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, cast

from pytest_vqamt.core.case import Case, Fact, NotApplicable, RelationInfo, Verdict
from pytest_vqamt.core.meaning import Group, Side, sides
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Answer, Task
from pytest_vqamt.core.scene import Thing
from pytest_vqamt.language.english.families import is_nearly_everywhere
from pytest_vqamt.language.questions import simple
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.relations.askable_scene import AskableScene
from pytest_vqamt.relations.draw import Draw
from pytest_vqamt.relations.expectations import not_both_yes, opposite_answer, same_answer, yes_if_all_are
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.relations.rules import SALIENT, UNIQUE
from pytest_vqamt.relations.soundness import countable_names, presumed
from pytest_vqamt.sampling.chooser import Chooser

LEVEL = (Side.LEFT, Side.RIGHT)
"""The sides that a mirror exchanges."""
ALL_SIDES = tuple(Side)

NO_PAIR = NotApplicable(reason="no two things, each the only one of its kind, are surely apart")
NO_THREE = NotApplicable(reason="no three things in a row, each the only one of its kind, are surely apart")

_TELLS_THE_PLACE = frozenset(
    {"left", "right", "top", "bottom", "upper", "lower", "back", "front", "rear", "middle", "center", "side"}
)
_SHOWS_THINGS_AGAIN = frozenset({"mirror", "mirrors", "reflection", "reflections"})

_CLOCKWISE = (Side.ABOVE, Side.RIGHT, Side.BELOW, Side.LEFT)
"""Each side is followed by what it becomes in a picture that is turned by 90 degrees."""

_HANGS_ON_ITS_POSE = frozenset(
    {"ceiling", "floor", "ground", "hill", "ramp", "rug", "carpet", "mat", "slope", "stairs", "tapestry", "wall"}
)
"""Names, or last words of names, of what is another thing when it is turned."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A thing and the side of another thing on which it is."""

    thing: Thing
    """The thing whose place it is."""
    side: Side
    """The side in the picture: left, right, above or below."""
    other: Thing
    """The thing that it is beside."""

    def ask(self, wording: int, *, side: Side | None = None) -> Question:
        """Asks whether it is so, or whether the thing is on another side."""
        return _ask(self.thing, side or self.side, self.other, wording)

    def ask_back(self, wording: int, *, side: Side | None = None) -> Question:
        """Asks where ``other`` is, by default on the opposite side of the thing."""
        return _ask(self.other, side or self.side.opposite, self.thing, wording)


def _ask(thing: Thing, side: Side, other: Thing, wording: int) -> Question:
    return simple.located(Group(name=thing.name), side, Group(name=other.name), wording)


def placeable(view: AskableScene) -> tuple[Thing, ...]:
    """Returns the things whose place can be asked, in scene order."""
    return view.cached("placeable", lambda: _placeable(view))


def _placeable(view: AskableScene) -> tuple[Thing, ...]:
    # A mirror shows the dog on its other side as well.
    if any(not _SHOWS_THINGS_AGAIN.isdisjoint(name.split(" ")) for name in view.annotated_names):
        return ()
    names = {
        name
        for name in countable_names(view.scene)
        if name in view.nouns
        # An unannotated building may stand on either side.
        and (name in view.scene.exhaustive or not is_nearly_everywhere(name))
        and _TELLS_THE_PLACE.isdisjoint(name.split(" "))
    }
    return tuple(
        thing
        for thing in view.scene.objects
        if thing.name in names and SALIENT.check(thing, view.scene) and UNIQUE.check(view, thing)
    )


def places(view: AskableScene, asked: tuple[Side, ...]) -> tuple[Place, ...]:
    """Returns every sure place of one thing beside another, on any of the sides."""
    return view.cached(("places", asked), lambda: _places(view, asked))


def _places(view: AskableScene, asked: tuple[Side, ...]) -> tuple[Place, ...]:
    things = placeable(view)
    return tuple(
        Place(thing=thing, side=side, other=other)
        for thing in things
        for other in things
        if thing is not other
        for side in sides(thing.box, other.box, view.scene.frame)
        if side in asked
    )


def rows(view: AskableScene) -> tuple[tuple[Place, Place], ...]:
    """Returns pairs of places in one direction: the first thing and the second, the second and the third."""
    return view.cached("rows", lambda: _rows(view))


def _rows(view: AskableScene) -> tuple[tuple[Place, Place], ...]:
    found = places(view, ALL_SIDES)
    # By the margin on each pair, the third follows by 3 % at least.
    return tuple((one, two) for one in found for two in found if one.other is two.thing and one.side is two.side)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceQuestion:
    """A question about a place."""

    place: Place
    """The true place."""
    side: Side
    """The side that is asked about: the true one, or its opposite."""
    wording: int
    """The number of the wording."""

    @property
    def question(self) -> Question:
        return self.place.ask(self.wording, side=self.side)

    @property
    def facts(self) -> tuple[tuple[str, Fact], ...]:
        truth = "yes" if self.side is self.place.side else "no"
        return (("side", self.side.value), ("truth", truth), ("wording", self.wording))


def sample_place(found: Sequence[Place], choose: Chooser) -> PlaceQuestion | NotApplicable:
    """Draws one of the sure places, and one of the two sides of its axis to ask about."""
    if not found:
        return NO_PAIR
    place = choose.one(found)
    side = place.side.opposite if choose.chance(0.5) else place.side
    return PlaceQuestion(place=place, side=side, wording=choose.between(0, simple.LOCATED_WORDINGS - 1))


@dataclass(frozen=True, slots=True)
class PlaceRelation(LexicalRelation, ABC):
    """Base class of the relations that ask twice about one place: a subclass says what is asked the second time."""

    expected: ClassVar[str]
    """The expectation in words."""

    def found(self, view: AskableScene) -> Sequence[Place]:
        """Returns the places to ask about."""
        return places(view, ALL_SIDES)

    @abstractmethod
    def again(self, asked: PlaceQuestion, draw: Draw) -> tuple[Picture, Question]:
        """Returns the second input."""

    def derive(self, draw: Draw) -> Case | NotApplicable:
        asked = sample_place(self.found(draw.view), draw.choose)
        if isinstance(asked, NotApplicable):
            return asked
        return draw.case(
            ((draw.picture, asked.question), self.again(asked, draw)),
            expected=self.expected,
            facts=asked.facts,
        )


@dataclass(frozen=True, slots=True)
class Mirror(LexicalRelation):
    """In a mirrored picture the same question about left or right has the opposite answer, and left becomes right.

    Asked is whether the dog is to the left of the car in the picture. ``opposite`` asks the same of the mirrored
    picture: one answer is yes and the other is no, so no model passes that does not look. ``swap`` asks there for the
    other side: both answers are the same.

    A relation of this project. Each of the two things is the only one of its name, kinds included, and 3 % of the
    picture's width lies between their boxes; the module has the others. ``opposite`` is presumed where
    another dog may be in the picture without being annotated: it might stand above the car, and be the one that is
    meant. ``swap`` holds whichever is meant.
    """

    info = RelationInfo(
        name="spatial.mirror",
        task=Task.VQA,
        source="a relation of this project: places by boxes",
        version=2,
        variants=("opposite", "swap"),
        breakdown=("side",),
        settings=(WORDNET, ONTOLOGY),
        directional=("opposite",),
    )

    def derive(self, draw: Draw) -> Case | NotApplicable:
        asked = sample_place(places(draw.view, LEVEL), draw.choose)
        if isinstance(asked, NotApplicable):
            return asked
        names = asked.place.thing.name, asked.place.other.name
        swaps = draw.variant == "swap"
        again = asked.place.ask(asked.wording, side=asked.side.opposite if swaps else asked.side)
        return draw.case(
            ((draw.picture, asked.question), (draw.picture.mirror(), again)),
            expected="first = second" if swaps else "one yes, one no",
            facts=asked.facts,
            # Another dog above the car would be on neither side, and the answers no and no.
            presumed=not swaps and presumed(names, draw.scene),
        )

    def judge(self, case: Case, answers: Sequence[Answer]) -> Verdict:
        return (same_answer if case.variant == "swap" else opposite_answer)(case, answers)


@dataclass(frozen=True, slots=True)
class Inverse(PlaceRelation):
    """If the dog is to the left of the car, the car is to the right of the dog, and if it is not, it is not.

    Asked about left, right, higher and lower in the picture. A relation of this project. Each thing is the only one of
    its name, kinds included, and 3 % of the picture lies between their boxes; the module has the others. It
    holds whichever dog and car are meant, so no case is presumed.
    """

    info = RelationInfo(
        name="spatial.inverse",
        task=Task.VQA,
        source="a relation of this project: places by boxes",
        version=2,
        breakdown=("side",),
        settings=(WORDNET, ONTOLOGY),
    )
    expect = same_answer
    expected = "first = second"

    def again(self, asked: PlaceQuestion, draw: Draw) -> tuple[Picture, Question]:
        return draw.picture, asked.place.ask_back(asked.wording, side=asked.side.opposite)


@dataclass(frozen=True, slots=True)
class Antisymmetric(PlaceRelation):
    """The dog is not to the left of the car while the car is to the left of the dog.

    Asked about left, right, higher and lower in the picture. A relation of this project. Each thing is the only one of
    its name, kinds included, and 3 % of the picture lies between their boxes; the module has the others. It
    holds whichever dog and car are meant, so no case is presumed. Two answers of no hold vacuously.
    """

    info = RelationInfo(
        name="spatial.antisymmetric",
        task=Task.VQA,
        source="a relation of this project: places by boxes",
        version=2,
        breakdown=("side",),
        settings=(WORDNET, ONTOLOGY),
    )
    expect = not_both_yes
    expected = "not both yes"

    def again(self, asked: PlaceQuestion, draw: Draw) -> tuple[Picture, Question]:
        return draw.picture, asked.place.ask_back(asked.wording, side=asked.side)


@dataclass(frozen=True, slots=True)
class Transitive(LexicalRelation):
    """If the dog is to the left of the car and the car to the left of the tree, the dog is to the left of the tree.

    Asked about left, right, higher and lower in the picture, of three things in this order. A relation of this project.
    Each thing is the only one of its name, kinds included, and 3 % of the picture lies between their boxes; the module
    has the others. It holds whichever things are meant, so no case is presumed. Where one of the first two
    answers is no, it holds vacuously.
    """

    info = RelationInfo(
        name="spatial.transitive",
        task=Task.VQA,
        source="a relation of this project: places by boxes",
        version=2,
        breakdown=("side",),
        settings=(WORDNET, ONTOLOGY),
    )
    expect = yes_if_all_are

    def derive(self, draw: Draw) -> Case | NotApplicable:
        found = rows(draw.view)
        if not found:
            return NO_THREE
        one, two = draw.choose.one(found)
        wording = draw.wording(simple.LOCATED_WORDINGS)
        last = Place(thing=one.thing, side=one.side, other=two.other)
        return draw.case(
            draw.here(each.ask(wording) for each in (one, two, last)),
            expected="third is yes if first and second are",
            facts=(("side", one.side.value), ("wording", wording)),
        )


@dataclass(frozen=True, slots=True)
class Rotate(PlaceRelation):
    """In a turned picture, what was on the left is at the top, on the right or at the bottom.

    Asked is whether the dog is to the left of the car in the picture; and of the picture turned clockwise by 90, 180 or
    270 degrees, whether it is higher up, to the right, or lower down: both answers are the same. Asked the other way
    round, too, from higher and lower to left and right.

    Found elsewhere: no model tells 90 from 270 degrees (RotBench, arXiv 2508.13968, which asks for the angle).

    The whole picture is turned, with its frame. Each of the two things is the only one of its name, kinds included,
    and 3 % of the picture lies between their boxes; the module has the others. **Deviation:** nothing is
    asked about whose name hangs on its pose ("ceiling"). It holds whichever dog and car are meant, so no case is
    presumed.
    """

    info = RelationInfo(
        name="spatial.rotate",
        task=Task.VQA,
        source="a relation of this project, after RotBench (arXiv 2508.13968)",
        version=2,
        variants=("90", "180", "270"),
        breakdown=("side",),
        settings=(WORDNET, ONTOLOGY),
    )
    expect = same_answer
    expected = "first = second"

    def found(self, view: AskableScene) -> Sequence[Place]:
        return view.cached("turned places", lambda: _turned_places(view))

    def again(self, asked: PlaceQuestion, draw: Draw) -> tuple[Picture, Question]:
        degrees = cast("Literal[90, 180, 270]", int(draw.variant))
        # A quarter turn clockwise takes what is above to the right, and so on.
        turned = _CLOCKWISE[(_CLOCKWISE.index(asked.side) + degrees // 90) % len(_CLOCKWISE)]
        return draw.picture.rotate(degrees), asked.place.ask(asked.wording, side=turned)


def _turned_places(view: AskableScene) -> tuple[Place, ...]:
    def keeps_its_name(name: str) -> bool:
        # The last word alone: "wall clock" stays a clock, "stone wall" becomes a floor.
        return _HANGS_ON_ITS_POSE.isdisjoint(name.split(" ")[-1:])

    return tuple(
        each for each in places(view, ALL_SIDES) if keeps_its_name(each.thing.name) and keeps_its_name(each.other.name)
    )
