"""The relations ``view.shift``, ``view.pad``, ``view.rescale`` and ``view.jpeg``: the same content in another picture.

- Things that are asked about are large enough to be made out in both pictures: their longer side has 24 pixels or more,
  and their shorter side a third of that, in the picture and after a model has scaled its longer side to 336 pixels. A
  relation does not know the model's own size; 336 is that of CLIP's largest, and nearly all chat models take more.
- Counts and existence are asked of names, as in ``metavqa.groups``; places as in ``relations.spatial``, with 3 % of
  either picture between the two boxes.
- A question of the data set is asked where nothing else can be, and its words show that the change keeps its answer
  (``language.questions.free``): it does not tell which things it is about. Such a picture moves by 1 or 2 pixels, and
  is scaled down to 3/4 at most and no smaller than 448 pixels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import floor

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case, Fact, NotApplicable, RelationInfo
from pytest_vqamt.core.edits import Colour
from pytest_vqamt.core.meaning import Group, groups_of, sides
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.salience import is_salient_size
from pytest_vqamt.core.scene import PublishedQuestion, Scene, Thing
from pytest_vqamt.language.questions import simple
from pytest_vqamt.language.questions.free import Kept
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.relations.askable_scene import AskableScene
from pytest_vqamt.relations.draw import Draw
from pytest_vqamt.relations.expectations import same_answer
from pytest_vqamt.relations.groups import QuestionKind, sample_question
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.relations.published import photos_of, published_questions, question_of
from pytest_vqamt.relations.soundness import cannot_be_confused, countable_names, presumed
from pytest_vqamt.relations.spatial import ALL_SIDES, Place, places
from pytest_vqamt.sampling.chooser import Chooser

MODEL_PX = 336
"""The longer side of a picture after a model's own resizing, where nothing else is known."""
MIN_PX = 24
_MIN_SHORTER_PX = MIN_PX / 3

NO_QUESTION = NotApplicable(reason="nothing in the picture is large enough to be asked about after the edit")

KINDS = ("count", "exists", "place")

_PRESENT = 0.7
"""The share of questions of existence that are about a thing in the picture, as in MetaVQA."""

PUBLISHED = "published"

MAX_PX = 8
_UNSEEN_PX = 2
"""Whatever is asked about, it is more than so many pixels at the edge of the picture."""

_STEPS = ((1, 0), (0, 1), (-1, 0), (0, -1))

_LEAST_UNHARMED_PX = 64
"""A thing of this size can be told without a margin of ``MAX_PX``."""

COLOURS: dict[str, Colour] = {"black": (0, 0, 0), "gray": (127, 127, 127), "white": (255, 255, 255)}
"""The colours of margins that pipelines use."""

# Margins of 2 % would change next to nothing, so such a picture is taken to 4:3.
_NEARLY_SQUARE = 1.02

_SCALES = {"down": (1 / 2, 2 / 3, 3 / 4), "up": (3 / 2, 2.0, 3.0)}
_MOST_PX = 2048
"""The longest side of a picture that was scaled up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewQuestion:
    """A question that has one answer in both pictures."""

    question: Question
    """The question, which is the same about both pictures."""
    kind: str
    """"count", "exists", "place" or, of a question of the data set, "published"."""
    about: tuple[Thing, ...]
    """The things that it is about, all of which stay in the picture; none of a question of the data set."""
    presumed: bool
    """True if the answer rests on things that are not annotated."""

    def case(self, draw: Draw, picture: Picture, *facts: tuple[str, Fact]) -> Case | NotApplicable:
        """Returns the case of the question about the scene's picture and about another view of it."""
        return draw.case(
            draw.before_and_after(self.question, picture),
            expected="first = second",
            facts=(("asked", self.kind), *facts),
            presumed=self.presumed,
        )


def is_readable(box: Box, frame: Box) -> bool:
    """True if a thing in ``box`` can be made out in a picture of this frame, and after a model has scaled it."""
    scale = min(1.0, MODEL_PX / max(frame.w, frame.h))
    return max(box.w, box.h) * scale >= MIN_PX and min(box.w, box.h) * scale >= _MIN_SHORTER_PX


def readable_names(view: AskableScene, frame: Box, scale: float = 1.0) -> frozenset[str]:
    """Returns the askable names whose things are large enough in the picture, and scaled by ``scale`` in ``frame``."""

    def find() -> frozenset[str]:
        scene = view.scene
        # One small dog excludes "dog": a count would hang on whether it is seen.
        small = {
            thing.name
            for thing in scene.objects
            if not (is_readable(thing.box, scene.frame) and is_readable(thing.box.scaled(scale, scale), frame))
        }
        return frozenset(view.names) - small

    return view.cached(("readable", frame, scale), find)


def sample_view_question(
    view: AskableScene,
    choose: Chooser,
    frame: Box,
    scale: float = 1.0,
    kinds: tuple[str, ...] = KINDS,
    *,
    change: Kept,
    avoid: str = "",
) -> ViewQuestion | NotApplicable:
    """Draws a question for the picture and for one in which everything is scaled by ``scale`` within ``frame``.

    The kinds are drawn evenly, as far as the scene has them. Without any, a published question that ``change`` keeps
    and that has not the word ``avoid`` is drawn.
    """
    fits = readable_names(view, frame, scale)
    for kind in choose.several(kinds, len(kinds)):
        asked = _SAMPLERS[kind](view, choose, frame, scale, fits)
        if not isinstance(asked, NotApplicable):
            return asked
    return sample_published(view.scene, choose, scale, change, avoid)


_LEAST_SCALE, _LEAST_SCALED_PX = 3 / 4, 448
"""How far a picture is scaled down whose small things may be asked about."""


def sample_published(
    scene: Scene, choose: Chooser, scale: float, change: Kept, avoid: str = ""
) -> ViewQuestion | NotApplicable:
    """Draws one of the published questions whose answer ``change`` keeps."""
    longer = max(scene.width, scene.height)
    if not scene.questions or not longer:
        return NO_QUESTION
    # Nobody knows how small the thing is that a published question is about.
    if scale < _LEAST_SCALE or (scale < 1 and longer * scale < _LEAST_SCALED_PX):
        return NO_QUESTION

    def fits(each: PublishedQuestion) -> bool:
        sides = [max(photo.width, photo.height) * scale for photo in photos_of(each)]
        # As for the picture itself: what one of the photos may be scaled to.
        is_legible = scale >= 1 or all(side >= _LEAST_SCALED_PX for side in sides)
        is_drawable = scale <= 1 or all(side <= _MOST_PX for side in sides)
        return is_legible and is_drawable and not (avoid and avoid in _said(each))

    found = published_questions(scene, change, fits)
    if isinstance(found, NotApplicable):
        return found
    return ViewQuestion(question=question_of(choose.one(found)), kind=PUBLISHED, about=(), presumed=False)


def _said(published: PublishedQuestion) -> str:
    """Returns the question with its answers and options, in lower case, with "gray" for "grey"."""
    before = (turn.text for turn in published.turns)
    return (
        " ".join((*before, published.text, *published.answers, *published.options)).casefold().replace("grey", "gray")
    )


def _count(
    view: AskableScene, choose: Chooser, _frame: Box, _scale: float, fits: frozenset[str]
) -> ViewQuestion | NotApplicable:
    found = sample_question(view.scene, choose, QuestionKind.COUNT, fits.__contains__)
    if isinstance(found, NotApplicable):
        return found
    about = _named({group.name for group in found.groups}, view)
    return ViewQuestion(question=found.question, kind="count", about=about, presumed=found.presumed)


def _exists(
    view: AskableScene, choose: Chooser, _frame: Box, _scale: float, fits: frozenset[str]
) -> ViewQuestion | NotApplicable:
    here = [name for name in countable_names(view.scene) if name in fits]
    is_there = choose.chance(_PRESENT) if here else False
    names = here if is_there else view.countable_absent
    if not names:
        return NO_QUESTION
    name = choose.one(names)
    return ViewQuestion(
        question=simple.exists(Group(name=name), choose.between(0, simple.EXISTS_WORDINGS - 1)),
        kind="exists",
        about=_named({name}, view),
        presumed=not is_there and presumed((name,), view.scene),
    )


def _place(
    view: AskableScene, choose: Chooser, frame: Box, scale: float, _fits: frozenset[str]
) -> ViewQuestion | NotApplicable:
    found = view.cached(("placed", frame, scale), lambda: _places(view, frame, scale))
    if not found:
        return NO_QUESTION
    place = choose.one(found)
    side = place.side.opposite if choose.chance(0.5) else place.side
    return ViewQuestion(
        question=place.ask(choose.between(0, simple.LOCATED_WORDINGS - 1), side=side),
        kind="place",
        about=(place.thing, place.other),
        presumed=False,  # it has one answer whichever thing of the name is meant
    )


def _places(view: AskableScene, frame: Box, scale: float) -> tuple[Place, ...]:
    def stays(place: Place) -> bool:
        one, other = (each.box.scaled(scale, scale) for each in (place.thing, place.other))
        seen = all(is_salient_size(box.w, box.h, frame) and is_readable(box, frame) for box in (one, other))
        return seen and place.side in sides(one, other, frame)

    return tuple(filter(stays, places(view, ALL_SIDES)))


_SAMPLERS: dict[str, Callable[[AskableScene, Chooser, Box, float, frozenset[str]], ViewQuestion | NotApplicable]] = {
    "count": _count,
    "exists": _exists,
    "place": _place,
}


def _named(names: set[str], view: AskableScene) -> tuple[Thing, ...]:
    return tuple(thing for thing in view.scene.objects if thing.name in names)


@dataclass(frozen=True, slots=True)
class Shift(LexicalRelation):
    """A picture that is moved by a few pixels gets the same answer.

    Found elsewhere: a shift by two pixels flips answers of current models (Questioning the Stability of Visual Question
    Answering, arXiv 2511.11206).

    The content moves by 1 to 8 pixels on one axis or both; the margin that comes free repeats the edge.
    ``relations.view`` has what is asked. **Deviation:** all that is asked about stays in the frame as it was, which the
    paper does not see to, and so does what is small and may be taken for it. A case is presumed where a thing may be
    at the edge without being annotated.
    """

    info = RelationInfo(
        name="view.shift",
        task=Task.VQA,
        source="a relation of this project, after arXiv 2511.11206",
        version=2,
        breakdown=("asked", "pixels"),
        settings=(WORDNET, ONTOLOGY),
        # A model that a shift by one pixel confuses may be confused by what JPEG changes, too.
        exact_pixels=True,
    )
    expect = same_answer

    def derive(self, draw: Draw) -> Case | NotApplicable:
        scene = draw.scene
        asked = sample_view_question(draw.view, draw.choose, scene.frame, change=Kept.SHIFT)
        if isinstance(asked, NotApplicable):
            return asked
        if asked.kind == PUBLISHED:
            # Of a published question nobody knows where its things are, so next to nothing leaves the frame.
            left = right = up = down = _UNSEEN_PX
        else:
            # A small ball that loses its half at the edge may pass for the apple that is counted.
            left, right, up, down = _room((*asked.about, *_rivals(asked.question, scene)), scene)
        dx, dy = draw.choose.between(-left, right), draw.choose.between(-up, down)
        if not dx and not dy:
            dx, dy = next((step for room, step in zip((right, down, left, up), _STEPS, strict=True) if room), (0, 0))
        if not dx and not dy:
            return NotApplicable(reason="what could be asked about would leave the picture")
        return asked.case(draw, draw.picture.shift(dx, dy), ("pixels", max(abs(dx), abs(dy))))


def _rivals(question: Question, scene: Scene) -> Sequence[Thing]:
    """Returns small things that may pass for a thing in the question once only a part of them is in the picture."""
    asked = [group.name for group in groups_of(question.meaning)]
    return [
        thing
        for thing in scene.objects
        if min(thing.box.w, thing.box.h) < _LEAST_UNHARMED_PX
        and not all(cannot_be_confused(thing.name, name) for name in asked)
    ]


def _room(things: Sequence[Thing], scene: Scene) -> tuple[int, int, int, int]:
    """Returns how many pixels the things may move to the left, to the right, up and down, each at most ``MAX_PX``."""
    rooms = (
        min((thing.box.x for thing in things), default=MAX_PX),
        min((scene.width - thing.box.x1 for thing in things), default=MAX_PX),
        min((thing.box.y for thing in things), default=MAX_PX),
        min((scene.height - thing.box.y1 for thing in things), default=MAX_PX),
    )
    # Rounded first: 7.9999999 px of room, from sums of floats, are 8.
    left, right, up, down = (max(0, min(MAX_PX, floor(round(room, 6)))) for room in rooms)
    return left, right, up, down


@dataclass(frozen=True, slots=True)
class Pad(LexicalRelation):
    """A picture with a margin in one colour gets the same answer as without.

    Found elsewhere: how a picture is brought to a model's size changes answers (Res-Bench, arXiv 2510.16926).

    A picture that is higher or wider than the other is padded to a square, and a square one to the format 4:3, on both
    sides or on one, in black, gray or white. ``relations.view`` has what is asked: counts and existence, and no places,
    which are other shares of the picture then. A case is presumed where a thing that is not annotated might be too
    small afterwards.
    """

    info = RelationInfo(
        name="view.pad",
        task=Task.VQA,
        source="a relation of this project, after arXiv 2510.16926",
        version=2,
        breakdown=("asked", "fill"),
        settings=(WORDNET, ONTOLOGY),
    )
    expect = same_answer

    def derive(self, draw: Draw) -> Case | NotApplicable:
        choose = draw.choose
        width, height = draw.scene.width, draw.scene.height
        wide = height > width
        if max(width, height) <= _NEARLY_SQUARE * min(width, height):
            wide = choose.chance(0.5)
            added = round((width if wide else height) / 3)
        else:
            added = abs(width - height)
        fill = choose.one(tuple(COLOURS))
        # Pipelines centre the picture or put it at the upper left; both are drawn.
        before = added // 2 if choose.chance(0.5) else 0
        frame = Box(0, 0, width + wide * added, height + (not wide) * added)
        asked = sample_view_question(
            # A question that speaks of black is not asked beside a black margin.
            draw.view,
            choose,
            frame,
            kinds=("count", "exists"),
            change=Kept.MARGIN,
            avoid=fill,
        )
        if isinstance(asked, NotApplicable):
            return asked
        after = added - before
        margins = {"left": before, "right": after} if wide else {"top": before, "bottom": after}
        padded = draw.picture.pad(**margins, colour=COLOURS[fill])
        return asked.case(draw, padded, ("fill", fill))


@dataclass(frozen=True, slots=True)
class Rescale(LexicalRelation):
    """A picture at another resolution gets the same answer.

    Found elsewhere: scaling a picture up costs current models up to 34 points (VLM-RobustBench, arXiv 2603.06148).

    ``down`` scales to 1/2, 2/3 or 3/4, ``up`` to 3/2, 2 or 3 times the size, by a bicubic filter. ``relations.view``
    has what is asked: things that are large enough at either size, so a smaller scale is taken only where they are. A
    case is presumed where a thing that is not annotated might be too small afterwards.
    """

    info = RelationInfo(
        name="view.rescale",
        task=Task.VQA,
        source="a relation of this project, after arXiv 2603.06148",
        version=2,
        variants=("down", "up"),
        breakdown=("asked", "scale"),
        settings=(WORDNET, ONTOLOGY),
    )
    expect = same_answer

    def derive(self, draw: Draw) -> Case | NotApplicable:
        scene = draw.scene
        scales = [each for each in _SCALES[draw.variant] if each * max(scene.width, scene.height) <= _MOST_PX]
        # At another scale other things are large enough, so the next one is tried.
        for scale in draw.choose.several(scales, len(scales)):
            width, height = round(scene.width * scale), round(scene.height * scale)
            change = Kept.SMALLER if scale < 1 else Kept.LARGER
            asked = sample_view_question(draw.view, draw.choose, Box(0, 0, width, height), scale, change=change)
            if isinstance(asked, NotApplicable):
                continue
            return asked.case(draw, draw.picture.rescale(width, height), ("scale", round(scale, 2)))
        return NO_QUESTION if scales else NotApplicable(reason="the picture is too large to be scaled up")


LEAST_QUALITY, MOST_QUALITY = 85, 95


@dataclass(frozen=True, slots=True)
class Jpeg(LexicalRelation):
    """A picture that is saved as a JPEG of high quality gets the same answer.

    Found elsewhere: compression that people do not see changes answers (VLM-RobustBench, arXiv 2603.06148).

    The quality is 85 to 95, with the usual chroma subsampling. ``relations.view`` has what is asked.
    """

    info = RelationInfo(
        name="view.jpeg",
        task=Task.VQA,
        source="a relation of this project, after arXiv 2603.06148",
        version=2,
        breakdown=("asked", "quality"),
        settings=(WORDNET, ONTOLOGY),
        exact_pixels=True,
    )
    expect = same_answer

    def derive(self, draw: Draw) -> Case | NotApplicable:
        asked = sample_view_question(draw.view, draw.choose, draw.scene.frame, change=Kept.JPEG)
        if isinstance(asked, NotApplicable):
            return asked
        quality = draw.choose.between(LEAST_QUALITY, MOST_QUALITY)
        return asked.case(draw, draw.picture.jpeg(quality), ("quality", quality))
