"""The relations ``film.*``: questions about what happens in a film, whose frames are given as several pictures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.conversation import Ability
from pytest_vqamt.core.edits import things_moved_with
from pytest_vqamt.core.meaning import Event, Group
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.language.english.families import family
from pytest_vqamt.language.questions import several
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.relations.askable_scene import AskableScene
from pytest_vqamt.relations.draw import Draw
from pytest_vqamt.relations.expectations import expectation, same_answer, the_other_option
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.relations.presence import seen_names
from pytest_vqamt.relations.rules import UNIQUE
from pytest_vqamt.relations.several import of_several

_SOURCE = "a relation of this project, after arXiv 2605.07568 and 2506.03340"

_GO = frozenset({"person", "animal", "vehicle"})
"""The families of things that come and go by themselves."""
_FLY = frozenset({"bird", "butterfly", "balloon", "kite", "airplane"})
"""Things that also move up and down, in front of nothing but the background."""
_RESTING = frozenset({"lying", "sitting"})
"""What is said of things that go nowhere."""

_LEAST_WAY = 0.2
"""The least way of a thing, in shares of the picture's width: more than is needed for its event to be sure."""
_UPRIGHT = 0.5
"""The share of ways up or down where a scene has any."""
_CLEAR_PX = 2
"""How far a moving thing stays from all others."""

_NO_DRAWING = NotApplicable(reason="the data cannot draw a thing elsewhere, as the built-in pictures can")
_NO_WAY = NotApplicable(reason="nothing that can be named without doubt has a free way")
_TOO_FEW = NotApplicable(reason="half of the frames are too few to show the event")
_NO_TWO = NotApplicable(reason="no two things have free ways that do not cross")


@dataclass(frozen=True, slots=True)
class Script:
    """What one thing does in a film."""

    thing: Thing
    event: Event
    away: tuple[int, int]
    """Where it is at the other end of its way, in pixels from its place in the photo."""
    way: Box
    """All places that it passes, in pixels."""

    @property
    def group(self) -> Group:
        return Group(name=self.thing.name)

    def offset(self, done: float) -> tuple[int, int]:
        """How far it is from its place in the photo once this share of the event is done."""
        # It comes to its place, or goes from there.
        left = 1 - done if self.event in _COMING else done
        return round(self.away[0] * left), round(self.away[1] * left)


_COMING = frozenset({Event.COMES_IN_LEFT, Event.COMES_IN_RIGHT})


def frames(scene: Scene, shares: Iterable[Sequence[tuple[Script, float]]]) -> tuple[Picture, ...]:
    """The pictures of a film: for each frame its scripts, and how much of each is done."""
    made: dict[tuple[tuple[str, int, int], ...], Picture] = {(): scene.picture}

    def frame(moves: tuple[tuple[str, int, int], ...]) -> Picture:
        if moves not in made:
            made[moves] = frame(moves[:-1]).move(*moves[-1])
        return made[moves]

    return tuple(frame(tuple(_moves(each))) for each in shares)


def _moves(shares: Sequence[tuple[Script, float]]) -> Iterator[tuple[str, int, int]]:
    for script, done in shares:
        dx, dy = script.offset(done)
        if dx or dy:  # a frame in which all is at its place is the photo
            yield script.thing.id, dx, dy


def scripts(view: AskableScene) -> tuple[Script, ...]:
    """Everything that one thing of the scene can do, with nothing in its way."""
    return view.cached("scripts", lambda: _scripts(view))


def _scripts(view: AskableScene) -> tuple[Script, ...]:
    scene, names = view.scene, set(seen_names(view))
    found: list[Script] = []
    for thing in scene.objects:
        goes = family(thing.name) in _GO and _RESTING.isdisjoint(thing.attributes)
        flies = thing.name in _FLY
        if thing.id not in scene.movable or thing.name not in names or not (goes or flies):
            continue
        if UNIQUE.check(view, thing):
            found += _of_thing(thing, scene, flies)
    return tuple(found)


def _of_thing(thing: Thing, scene: Scene, flies: bool) -> list[Script]:
    moving = things_moved_with(scene, thing.id)
    around = Box.enclosing([each.box for each in scene.objects if each.id in moving])
    others = [each.box for each in scene.objects if each.id not in moving]
    least = round(_LEAST_WAY * scene.width)
    ways = [
        (Event.COMES_IN_LEFT, (-round(around.x1), 0)),
        (Event.COMES_IN_RIGHT, (round(scene.width - around.x), 0)),
    ]
    if flies:
        ways += [(Event.MOVES_UP, (0, -least)), (Event.MOVES_DOWN, (0, least))]
    found: list[Script] = []
    for event, away in ways:
        way = Box.enclosing([around, around.moved(*away)])
        upright = away[1] != 0
        if upright and not 0 <= way.y < way.y1 <= scene.height:
            continue
        if not upright and abs(away[0]) < least:
            continue
        clear = Box(way.x - _CLEAR_PX, way.y - _CLEAR_PX, way.w + 2 * _CLEAR_PX, way.h + 2 * _CLEAR_PX)
        if any(clear.intersection(other) for other in others):
            continue
        found.append(Script(thing, event, away, way))
        if not upright:
            found.append(Script(thing, event.reversed, away, way))
    return found


def _script(draw: Draw) -> Script | NotApplicable:
    if not draw.scene.movable:
        return _NO_DRAWING
    found = scripts(draw.view)
    if not found:
        return _NO_WAY
    # Few things fly: without this, hardly any film would show a way up or down.
    upright = [each for each in found if each.away[1] != 0]
    return draw.choose.one(upright if upright and draw.choose.chance(_UPRIGHT) else found)


def _film(draw: Draw, script: Script, count: int, still: int) -> tuple[Picture, ...]:
    """So many frames, of which the first and the last ``still`` show the same."""
    steps = count - 2 * still + 1
    shares = (min(max(number - still + 1, 0), steps) / steps for number in range(count))
    return frames(draw.scene, [[(script, share)] for share in shares])


def _asked(draw: Draw, script: Script) -> Question:
    """Asks whether the event happens, or the one that is its reverse."""
    event = draw.choose.one((script.event, script.event.reversed))
    return several.happens(script.group, event, draw.wording(several.HAPPENS_WORDINGS))


@expectation
def forwards_alone(played: bool, backwards: bool) -> bool:
    """The event happens in the film, and not in the one that is played backwards."""
    return played and not backwards


@dataclass(frozen=True, slots=True)
class Reverse(LexicalRelation):
    """What happens in a film does not happen where its frames are in the opposite order.

    Five to eight frames: a thing comes in or goes out, or a flying one moves up or down by a fifth of the picture's
    width. The rest of the scene stays, and nothing is in its way (rules: salient, the only one).
    """

    info = RelationInfo(
        name="film.reverse",
        task=Task.VQA,
        source=_SOURCE,
        breakdown=("event",),
        settings=(WORDNET, ONTOLOGY),
        directional=("",),
        needs=(Ability.PICTURES,),
    )
    expect = forwards_alone

    def derive(self, draw: Draw) -> Case | NotApplicable:
        script = _script(draw)
        if isinstance(script, NotApplicable):
            return script
        film = _film(draw, script, draw.choose.between(5, 8), 1)
        asked = several.happens(script.group, script.event, draw.wording(several.HAPPENS_WORDINGS))
        return draw.case_of(
            (of_several(each, asked) for each in (film, film[::-1])),
            expected="yes, then no",
            facts=(("event", script.event.value), ("frames", len(film))),
        )


@dataclass(frozen=True, slots=True)
class Order(LexicalRelation):
    """Of two things that move one after the other, the other one moves first where the halves of the film are swapped.

    **Deviation:** the halves are drawn anew, so that nothing jumps where they meet.
    """

    info = RelationInfo(
        name="film.order",
        task=Task.VQA,
        source=_SOURCE,
        settings=(WORDNET, ONTOLOGY),
        directional=("",),
        needs=(Ability.PICTURES,),
    )
    expect = the_other_option

    def derive(self, draw: Draw) -> Case | NotApplicable:
        if not draw.scene.movable:
            return _NO_DRAWING
        found = scripts(draw.view)
        pairs = [
            (one, two)
            for one in found
            for two in found
            if one.thing.id != two.thing.id and one.way.intersection(two.way) is None
        ]
        if not pairs:
            return _NO_TWO
        first, second = draw.choose.one(pairs)
        half = draw.choose.between(4, 6)
        done = [number / (half - 1) for number in range(half)]
        films = (
            frames(draw.scene, [[(a, x), (b, 0.0)] for x in done] + [[(a, 1.0), (b, x)] for x in done])
            for a, b in ((first, second), (second, first))
        )
        named = draw.choose.several((first.group, second.group), 2)
        asked = several.moves_first(named[0], named[1], draw.wording(several.MOVES_FIRST_WORDINGS))
        return draw.case_of(
            (of_several(film, asked) for film in films),
            expected="first, then the other one",
            facts=(("frames", 2 * half),),
        )


@dataclass(frozen=True, slots=True)
class Repeat(LexicalRelation):
    """What happens in a film also happens where each frame is shown twice."""

    info = RelationInfo(
        name="film.repeat",
        task=Task.VQA,
        source=_SOURCE,
        breakdown=("event",),
        settings=(WORDNET, ONTOLOGY),
        needs=(Ability.PICTURES,),
        contrast=0,
    )
    expect = same_answer

    def derive(self, draw: Draw) -> Case | NotApplicable:
        script = _script(draw)
        if isinstance(script, NotApplicable):
            return script
        film = _film(draw, script, draw.choose.between(5, 6), 1)
        asked = _asked(draw, script)
        return draw.case_of(
            (of_several(each, asked) for each in (film, [frame for frame in film for _ in range(2)])),
            expected="first = second",
            facts=(("event", script.event.value), ("frames", len(film))),
        )


@dataclass(frozen=True, slots=True)
class Drop(LexicalRelation):
    """What happens in a film also happens in every second one of its frames."""

    info = RelationInfo(
        name="film.drop",
        task=Task.VQA,
        source=_SOURCE,
        breakdown=("event",),
        settings=(WORDNET, ONTOLOGY),
        needs=(Ability.PICTURES,),
        contrast=0,
    )
    expect = same_answer

    def derive(self, draw: Draw) -> Case | NotApplicable:
        script = _script(draw)
        if isinstance(script, NotApplicable):
            return script
        # Two frames before the event and behind it: every second one still shows how it begins and ends.
        film = _film(draw, script, 2 * draw.choose.between(4, 6), 2)
        asked = _asked(draw, script)
        queries = [of_several(each, asked) for each in (film, film[::2])]
        if any(query.truth is None for query in queries):
            return _TOO_FEW
        return draw.case_of(
            queries,
            expected="first = second",
            facts=(("event", script.event.value), ("frames", len(film))),
        )
