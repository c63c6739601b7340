"""Which things have a sure place beside each other, by their boxes.

- "The dog" is asked about only where one thing answers to it (relations.md, rule 6), kinds of dogs included, and no
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

from dataclasses import dataclass

from pytest_vqamt.core.case import Case, Fact, NotApplicable
from pytest_vqamt.core.meaning import Group, Side, sides
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.scene import Thing
from pytest_vqamt.language.english.families import is_nearly_everywhere
from pytest_vqamt.language.questions import simple
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.relations.askable_scene import AskableScene
from pytest_vqamt.relations.base import Relation, case_of
from pytest_vqamt.relations.soundness import countable_names, is_salient
from pytest_vqamt.sampling.chooser import Chooser

LEVEL = (Side.LEFT, Side.RIGHT)
"""The sides that a mirror exchanges."""
ALL_SIDES = tuple(Side)

NO_PAIR = NotApplicable(reason="no two things with unique names that are surely apart")
NO_THREE = NotApplicable(reason="no three things with unique names in a row that are surely apart")

_TELLS_THE_PLACE = frozenset(
    {"left", "right", "top", "bottom", "upper", "lower", "back", "front", "rear", "middle", "center", "side"}
)
_SHOWS_THINGS_AGAIN = frozenset({"mirror", "mirrors", "reflection", "reflections"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """That ``thing`` is on this side of ``other``."""

    thing: Thing
    side: Side
    other: Thing

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
    if any(not _SHOWS_THINGS_AGAIN.isdisjoint(name.split(" ")) for name in view.annotated_names):
        return ()
    names = {
        name
        for name in countable_names(view.scene)
        if name in view.nouns
        and (name in view.scene.exhaustive or not is_nearly_everywhere(name))
        and _TELLS_THE_PLACE.isdisjoint(name.split(" "))
    }
    return tuple(
        thing
        for thing in view.scene.objects
        if thing.name in names and is_salient(thing, view.scene) and view.is_unique_by_name(thing)
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
    """Returns two places each: of a thing beside a second one, and of that on the same side of a third."""
    return view.cached("rows", lambda: _rows(view))


def _rows(view: AskableScene) -> tuple[tuple[Place, Place], ...]:
    found = places(view, ALL_SIDES)
    return tuple((one, two) for one in found for two in found if one.other is two.thing and one.side is two.side)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceQuestion:
    """A place, the side that is asked about, and the wording; the side is that of the place, or the opposite."""

    place: Place
    side: Side
    wording: int

    @property
    def question(self) -> Question:
        return self.place.ask(self.wording, side=self.side)

    @property
    def facts(self) -> tuple[tuple[str, Fact], ...]:
        truth = "yes" if self.side is self.place.side else "no"
        return (("side", self.side.value), ("truth", truth), ("wording", self.wording))


def sample_place(
    view: AskableScene, choose: Chooser, asked: tuple[Side, ...] = ALL_SIDES
) -> PlaceQuestion | NotApplicable:
    """Draws two things with a sure place, and one of the two sides of their axis to ask about."""
    found = places(view, asked)
    if not found:
        return NO_PAIR
    place = choose.one(found)
    side = place.side.opposite if choose.chance(0.5) else place.side
    return PlaceQuestion(place=place, side=side, wording=choose.between(0, simple.LOCATED_WORDINGS - 1))


def two_questions(
    relation: Relation,
    variant: str,
    view: AskableScene,
    asked: PlaceQuestion,
    second: tuple[Picture, Question],
    expected: str,
    *,
    presumed: bool = False,
) -> Case:
    """Returns the case of the question ``asked``, and a second one."""
    scene = view.scene
    return case_of(
        relation,
        variant,
        scene,
        ((scene.picture, asked.question), second),
        expected=expected,
        facts=asked.facts,
        presumed=presumed,
    )
