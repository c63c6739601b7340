"""The relations ``film.*``: questions about what happens in a film, whose frames are given as several pictures.

A film is drawn from a scene of the built-in pictures by a script, or it is one of the data, of which a clip is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, takewhile

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.conversation import Ability
from pytest_vqamt.core.edits import things_moved_with
from pytest_vqamt.core.meaning import Event, Group, Happens, truth
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.language.english.families import family
from pytest_vqamt.language.questions import several
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.relations.askable_scene import AskableScene, askable_scene_of
from pytest_vqamt.relations.draw import Draw
from pytest_vqamt.relations.expectations import expectation, same_answer, the_other_option
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.relations.presence import seen_names
from pytest_vqamt.relations.rules import SALIENT, UNIQUE
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
_LEAST_SEEN = 0.1
"""The least way of the middle of what is seen of a thing that comes in, in the same shares: the edge cuts it off."""
_UPRIGHT = 0.5
"""The share of ways up or down where a scene has any."""
_TOUCHES = 0.01
"""Boxes of annotators end so close to the edge of the picture, in shares of its width, where the thing is cut off."""
_TREMOR = 0.01
"""So far, in shares of the width, boxes of annotators go back where the thing does not."""
_LEAST_SHOWN = 4
"""The fewest frames of a clip."""
_STILL = 2
"""The frames without a thing that a clip has before it comes in, if there are as many."""
_DRIFT = 0.03
"""So far, in shares of the width, everything else moves where the camera may have moved."""
_CLEAR_PX = 2
"""How far a moving thing stays from all others."""

_NO_DRAWING = NotApplicable(reason="the data cannot draw a thing elsewhere, as the built-in pictures can")
_NO_WAY = NotApplicable(reason="nothing that can be named without doubt has a free way")
_TOO_FEW = NotApplicable(reason="half of the frames are too few to show the event")
_UNSURE = NotApplicable(reason="the boxes of the film do not say for sure that anything comes, goes, rises or sinks")
_NO_SWAP = NotApplicable(reason="things would jump where the halves of the film meet")
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


@dataclass(frozen=True, slots=True)
class Clip:
    """The frames of a film of the data in which one thing does one thing."""

    group: Group
    event: Event
    frames: tuple[Scene, ...]

    def shown(self, count: int) -> tuple[Picture, ...]:
        """So many of its frames, evenly taken; the first and the last are among them."""
        last = len(self.frames) - 1
        return tuple(self.frames[round(number * last / (count - 1))].picture for number in range(count))


def clips(view: AskableScene) -> tuple[Clip, ...]:
    """Every clip of the film of this scene in which it is sure what happens; none where the scene is of no film."""
    return view.cached("clips", lambda: tuple(_clips(view)))


def _clips(view: AskableScene) -> Iterator[Clip]:
    indices = view.corpus.films.get(view.scene.photo.id, ())
    film = [askable_scene_of(view.corpus.scene(index), view.corpus, view.known) for index in indices]
    things = {thing.id: thing for each in film for thing in each.scene.objects}
    for thing in things.values():
        # Of other names there may be a second one, or it may be there before its box is.
        if thing.name not in view.scene.exhaustive:
            continue
        if family(thing.name) in _GO and _RESTING.isdisjoint(thing.attributes):
            forwards = _entrances(thing, film)
            backwards = [(event.reversed, found[::-1]) for event, found in _entrances(thing, film[::-1])]
            found = (*forwards, *backwards)
        else:
            found = ()
        if thing.name in _FLY:
            found += (*_flights(thing, film),)
        for event, stretch in found:
            clip = Clip(Group(name=thing.name), event, tuple(each.scene for each in stretch))
            if _may_be_of_the_camera(thing, event, stretch):
                continue
            if len(stretch) >= _LEAST_SHOWN and _is_sure(clip, [scene.picture for scene in clip.frames]):
                yield clip


def _box(thing: Thing, view: AskableScene) -> Box | None:
    return next((each.box for each in view.scene.objects if each.id == thing.id), None)


def _entrances(thing: Thing, film: Sequence[AskableScene]) -> Iterator[tuple[Event, Sequence[AskableScene]]]:
    """The stretches in which the thing comes in: frames without it, then those in which it goes on.

    It is surely absent from the ones. In the others it is the only one of its name, its first box touches the edge, and
    it is salient in the last.
    """
    width = film[0].scene.width
    boxes = [_box(thing, view) for view in film]
    for start in range(1, len(film)):
        first = boxes[start]
        if boxes[start - 1] is not None or first is None:
            continue
        at_left, at_right = first.x <= _TOUCHES * width, first.x1 >= (1 - _TOUCHES) * width
        if at_left == at_right:
            continue
        stop = start + len(_going_on([_middle(box) * (1 if at_left else -1) for box in _shown(boxes[start:])], width))
        last = boxes[stop - 1]
        assert last is not None
        inside = last.x1 if at_left else width - last.x
        if inside < _LEAST_WAY * width or abs(_middle(last) - _middle(first)) < _LEAST_SEEN * width:
            continue
        # As long before as it takes to come in: of a long film without it, a few even frames would show it once.
        before = start - 1
        while before > 0 and boxes[before - 1] is None and start - before < max(_STILL, (stop - start) // 2):
            before -= 1
        named = _is_named(thing, film[stop - 1]) and all(_is_the_one(thing, view) for view in film[start:stop])
        if named and all(view.is_absent(thing.name) for view in film[before:start]):
            yield Event.COMES_IN_LEFT if at_left else Event.COMES_IN_RIGHT, film[before:stop]


def _flights(thing: Thing, film: Sequence[AskableScene]) -> Iterator[tuple[Event, Sequence[AskableScene]]]:
    """The film, if the thing is salient and the only one of its name in all of it, and goes up or down alone."""
    boxes = _shown([_box(thing, view) for view in film])
    if len(boxes) < len(film) or not all(_is_named(thing, view) and _is_the_one(thing, view) for view in film):
        return
    way = boxes[-1].y + boxes[-1].y1 - boxes[0].y - boxes[0].y1
    if abs(way) >= 2 * (_LEAST_WAY * film[0].scene.width - 1):  # boxes are rounded
        yield Event.MOVES_DOWN if way > 0 else Event.MOVES_UP, film


def _may_be_of_the_camera(thing: Thing, event: Event, stretch: Sequence[AskableScene]) -> bool:
    """True if all other things, from the first frame that they are in to the last, go where the thing goes.

    A camera that pans lets a parked car come in, and all else moves with it. Two people who walk side by side cost a
    clip by that, too.
    """
    scene = stretch[0].scene
    upright = event in (Event.MOVES_UP, Event.MOVES_DOWN)
    ways: dict[str, list[float]] = {}
    for view in stretch:
        for each in view.scene.objects:
            ways.setdefault(each.id, []).append(each.box.y + each.box.h / 2 if upright else _middle(each.box))
    moved = {name: places[-1] - places[0] for name, places in ways.items() if len(places) > 1}
    way = moved.pop(thing.id, 0.0)
    return bool(moved) and all(other * way > 0 and abs(other) > _DRIFT * scene.width for other in moved.values())


def _shown(boxes: Sequence[Box | None]) -> list[Box]:
    """The boxes up to the first frame that does not show the thing."""
    return [box for box in takewhile(lambda box: box is not None, boxes) if box]


def _middle(box: Box) -> float:
    return box.x + box.w / 2


def _going_on(values: Sequence[float], width: float) -> Sequence[float]:
    """The values up to the first that falls back by more than a tremor."""
    for number, (most, value) in enumerate(zip(accumulate(values, max), values, strict=True)):
        if most - value > _TREMOR * width:
            return values[:number]
    return values


def _is_named(thing: Thing, view: AskableScene) -> bool:
    return thing.name in seen_names(view)


def _is_the_one(thing: Thing, view: AskableScene) -> bool:
    return UNIQUE.check(view, next(each for each in view.scene.objects if each.id == thing.id))


def _is_sure(clip: Clip, shown: Sequence[Picture]) -> bool:
    """The boxes say that the event happens, also without the frames in which the thing is no more than a speck."""
    happens = Happens(group=clip.group, event=clip.event)
    scenes = [picture.scene for picture in shown]
    salient = [replace(each, objects=tuple(t for t in each.objects if SALIENT.check(t, each))) for each in scenes]
    return truth(happens, *scenes) is True and truth(happens, *salient) is True


@dataclass(frozen=True, slots=True)
class _Playing:
    """The frames that a case shows, and what happens in them."""

    film: tuple[Picture, ...]
    group: Group
    event: Event


def _playing(draw: Draw, counts: Sequence[int], still: int) -> _Playing | NotApplicable:
    """Draws a film of one of these numbers of frames; one that is drawn has ``still`` frames of rest at its ends."""
    if draw.scene.photo.id in draw.corpus.films:
        return _playing_of_data(draw, counts, halved=still > 1)
    script = _script(draw)
    if isinstance(script, NotApplicable):
        return script
    return _Playing(_film(draw, script, draw.choose.one(counts), still), script.group, script.event)


def _playing_of_data(draw: Draw, counts: Sequence[int], *, halved: bool) -> _Playing | NotApplicable:
    """The same of the film of the data that the scene is of; ``halved``: every second frame shows the event, too."""

    def find() -> tuple[tuple[Clip, tuple[Picture, ...]], ...]:
        found = []
        for clip in clips(draw.view):
            # A short film is shown as it is.
            fitting = [count for count in counts if count <= len(clip.frames)] or [len(clip.frames)]
            for shown in map(clip.shown, fitting):
                if _is_sure(clip, shown) and (not halved or _is_sure(clip, shown[::2])):
                    found.append((clip, shown))
        return tuple(found)

    some = draw.view.cached(("shown", tuple(counts), halved), find)
    if not some:
        return _TOO_FEW if clips(draw.view) else _UNSURE
    clip, shown = draw.choose.one(some)
    return _Playing(shown, clip.group, clip.event)


def _asked(draw: Draw, playing: _Playing) -> Question:
    """Asks whether the event happens, or the one that is its reverse."""
    event = draw.choose.one((playing.event, playing.event.reversed))
    return several.happens(playing.group, event, draw.wording(several.HAPPENS_WORDINGS))


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
        playing = _playing(draw, range(5, 9), 1)
        if isinstance(playing, NotApplicable):
            return playing
        film = playing.film
        asked = several.happens(playing.group, playing.event, draw.wording(several.HAPPENS_WORDINGS))
        return draw.case_of(
            (of_several(each, asked) for each in (film, film[::-1])),
            expected="yes, then no",
            facts=(("event", playing.event.value), ("frames", len(film))),
        )


@dataclass(frozen=True, slots=True)
class Order(LexicalRelation):
    """Of two things that move one after the other, the other one moves first where the halves of the film are swapped.

    **Deviation:** the halves are drawn anew, so that nothing jumps where they meet. Films of the data give no case:
    nobody can draw them anew, and with their halves swapped both things would jump back in the middle.
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
        if draw.scene.photo.id in draw.corpus.films:
            return _NO_SWAP
        if not draw.scene.movable:
            return _NO_DRAWING
        pairs = draw.view.cached("pairs of scripts", lambda: _pairs(scripts(draw.view)))
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


def _pairs(found: Sequence[Script]) -> tuple[tuple[Script, Script], ...]:
    """Every two scripts of two things whose ways do not cross, in both orders."""
    return tuple(
        (one, two) for one in found for two in found if one.thing.id != two.thing.id and not one.way.overlaps(two.way)
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
        playing = _playing(draw, range(5, 7), 1)
        if isinstance(playing, NotApplicable):
            return playing
        film, asked = playing.film, _asked(draw, playing)
        return draw.case_of(
            (of_several(each, asked) for each in (film, [frame for frame in film for _ in range(2)])),
            expected="first = second",
            facts=(("event", playing.event.value), ("frames", len(film))),
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
        # Two frames before the event and behind it: every second one still shows how it begins and ends.
        playing = _playing(draw, range(8, 13, 2), 2)
        if isinstance(playing, NotApplicable):
            return playing
        film, asked = playing.film, _asked(draw, playing)
        queries = [of_several(each, asked) for each in (film, film[::2])]
        if any(query.truth is None for query in queries):
            return _TOO_FEW
        return draw.case_of(
            queries,
            expected="first = second",
            facts=(("event", playing.event.value), ("frames", len(film))),
        )
