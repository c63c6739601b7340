"""The relation ``carets.visual``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case, NotApplicable, PairKind, RelationInfo
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.meaning import Choice, Group, Has, groups_of, members
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.salience import is_salient_size
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.language.questions.templates import QuestionType
from pytest_vqamt.relations.askable_scene import AskableScene
from pytest_vqamt.relations.carets_arguments import Argument, one_template, things_named
from pytest_vqamt.relations.carets_sampling import sample_fitting_argument
from pytest_vqamt.relations.draw import Draw
from pytest_vqamt.relations.edits import pixel_box, rectangular_names
from pytest_vqamt.relations.expectations import same_answer
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.relations.rules import SALIENT
from pytest_vqamt.relations.soundness import cannot_be_confused
from pytest_vqamt.sampling.chooser import Chooser

_SIGMA_PX = {"blur3": 3.0, "blur6": 6.0, "blur9": 9.0}

_PARTLY_VISIBLE = NotApplicable(reason="the half-hidden thing could be mistaken for the thing asked about")

_ALONE = 2
"""How much larger than one that is salient a thing must be that is recognised by nothing around it."""

MIN_PATCH_PX = 32
"""People do not reliably recognise smaller patches (Jimenez et al., footnote 3, after Torralba et al., 2008)."""


@dataclass(frozen=True, slots=True)
class Visual(LexicalRelation):
    """What a question is not about can be blurred, painted over or cut off without another answer.

    Jimenez et al., ACL 2022, section 4.2 (d). The foreground is the boxes of all things that the question names, each
    at least 32 x 32 pixels; of a question about what is not there, the boxes of one or two things of the picture. All
    else is blurred (sigma 3, 6 or 9), painted in the mean colour of the data, or cut off outside the tightest rectangle
    around the foreground. All seven types of question.

    **Deviations**, so that no perfect perceiver violates it, besides those of ``carets_sampling``:

    - What shows in part, or blurred, looks like nothing that is asked about and is not there, and like nothing that is
      said to be the only one of its kind (``soundness.cannot_be_confused``): no half of a cat in a dog's box.
    - Of a false attribute, all things of the name are the foreground, each of which has another.
    - Where nothing is left around it, what is there is asked about only if it is salient by itself, and by no
      attribute that depends on what else is there ("small").
    - Where the background is painted over, nothing is said to be absent by whose name a plain rectangle might go.
    - A case is presumed where it rests on an absence that is not annotated exhaustively: of what is not there, or of
      another thing beside the only one. What is there and kept is seen as before, whatever else is hidden.
    """

    info = RelationInfo(
        name="carets.visual",
        task=Task.VQA,
        source="Jimenez et al., ACL 2022, section 4.2 (d)",
        variants=(*_SIGMA_PX, "mask", "crop"),
        version=4,
        breakdown=("question_type", "answers", "choices", "truth"),
        settings=(WORDNET, ONTOLOGY),
        pairs=PairKind.SAME,
    )
    expect = same_answer

    def derive(self, draw: Draw) -> Case | NotApplicable:
        # The three strengths of blur keep the same boxes; a blurred background still gives sizes their scale, so
        # gradable words stay.
        how = Obscuring.BLUR if draw.variant in _SIGMA_PX else Obscuring(draw.variant)
        view = draw.view_for(gradable=how is Obscuring.BLUR)
        drawn = sample_fitting_argument(
            tuple(QuestionType), view, draw.choose, lambda argument: kept_boxes(argument, view, draw.choose, how)
        )
        if isinstance(drawn, NotApplicable):
            return drawn
        argument, keep = drawn
        obscured = _obscured(draw.picture, keep, draw.variant, draw.corpus)
        if isinstance(obscured, NotApplicable):
            return obscured
        template = one_template(argument, draw.choose)
        question = argument.worded(template)
        return draw.case(
            draw.before_and_after(question, obscured),
            expected="first = second",
            facts=argument.facts(template=template, other_template=template),
            presumed=argument.rests_on_absence or argument.rests_on_the_only_one,
        )


def _obscured(picture: Picture, keep: tuple[Box, ...], variant: str, corpus: Corpus) -> Picture | NotApplicable:
    if variant in _SIGMA_PX:
        return picture.blur(keep, sigma=_SIGMA_PX[variant])
    if variant == "crop":
        (window,) = keep
        return picture.crop(window)
    colour = corpus.mean_colour
    if colour is None:
        return NotApplicable(reason="the data has no photos to take a mean colour from")
    return picture.mask(keep, colour)


class Obscuring(StrEnum):
    """The way in which the background is obscured."""

    BLUR = "blur"
    MASK = "mask"
    CROP = "crop"


def kept_boxes(
    argument: Argument, view: AskableScene, choose: Chooser, how: Obscuring
) -> tuple[Box, ...] | NotApplicable:
    """Returns the boxes to keep, if the answer stays the same with nothing else in plain sight.

    They are those of the named things; for a false attribute, of all things of the name; and if none is there, of one
    or two random things.
    """
    scene = view.scene
    named, absent = things_named(argument.asking, scene)
    things = named or _lacking(absent, scene)
    if not things:
        if not scene.objects:
            return NotApplicable(reason="no thing in the scene")
        # Of a no about an absent name nothing is the foreground; Jimenez et al. keep one or two boxes of the picture.
        things = choose.several(scene.objects, choose.between(1, min(2, len(scene.objects))))
    elif not all(_is_recognised_alone(thing, scene, how) for thing in things):
        return NotApplicable(reason="the thing asked about is too small to be recognised alone")
    keep = _kept(things, scene, how)
    # Nothing would be obscured.
    if scene.frame in keep:
        return NotApplicable(reason="the foreground fills the picture")
    if critical := _names_not_to_suggest(argument, named, absent):
        boxes = view.cached("boxes", lambda: named_boxes(scene))
        half = partly_visible(boxes, keep, hidden_elsewhere=how is not Obscuring.BLUR)
        if not all(cannot_be_confused(name, other) for name in critical for other in half):
            return _PARTLY_VISIBLE
    # The plain background itself may pass for a screen or a board.
    if how is Obscuring.MASK and not rectangular_names().isdisjoint(group.name for group in absent):
        return NotApplicable(reason="the thing painted over could be mistaken for the thing asked about")
    return keep


def _is_recognised_alone(thing: Thing, scene: Scene, how: Obscuring) -> bool:
    match how:
        case Obscuring.BLUR:
            return True
        case Obscuring.CROP:
            return SALIENT.check(thing, scene)
        case Obscuring.MASK:
            box = thing.box
            # On a plain ground nothing around a small thing tells what it is; a crop at least enlarges its share.
            return SALIENT.check(thing, scene) and is_salient_size(box.w / _ALONE, box.h / _ALONE, scene.frame)


def _kept(things: Iterable[Thing], scene: Scene, how: Obscuring) -> tuple[Box, ...]:
    """Returns the boxes of the foreground, or for a crop the tightest rectangle around them."""
    boxes = foreground(things, scene)
    return (Box.enclosing(boxes),) if how is Obscuring.CROP and boxes else boxes


def _lacking(absent: Iterable[Group], scene: Scene) -> tuple[Thing, ...]:
    """Returns the things of the absent groups' names, which lack the attribute."""
    ids = {thing.id for group in absent for thing in members(replace(group, attributes=(), related=()), scene)}
    return tuple(thing for thing in scene.objects if thing.id in ids)


def _names_not_to_suggest(argument: Argument, named: Iterable[Thing], absent: Iterable[Group]) -> set[str]:
    """Returns the names that nothing partly visible may be taken for: absent ones, unique ones, and all options.

    A blurred bird may be taken for the airplane among the options.
    """
    meaning = argument.asking.meaning
    if isinstance(meaning, Has | Choice):
        only = {thing.name for thing in named}
        return only.union(meaning.options if isinstance(meaning, Choice) and argument.truth in only else ())
    return {
        *(group.name for group in absent),
        *(condition.to.name for group in groups_of(meaning) for condition in group.related),
    }


def foreground(things: Iterable[Thing], scene: Scene) -> tuple[Box, ...]:
    """Returns the boxes of ``things`` in whole pixels, each grown to at least 32 x 32 within the frame."""
    boxes = (pixel_box(thing.box, scene) for thing in things)
    return tuple(dict.fromkeys(grow(box, scene) for box in boxes if box))


def grow(box: Box, scene: Scene) -> Box:
    """Returns ``box`` grown to 32 x 32, evenly on both sides as far as the frame allows; pictures may be narrower."""
    x0, x1 = _span(int(box.x), int(box.x1), scene.width)
    y0, y1 = _span(int(box.y), int(box.y1), scene.height)
    return Box.from_corners(x0, y0, x1, y1)


def named_boxes(scene: Scene) -> tuple[tuple[str, Box], ...]:
    """Returns the name and the box, in whole pixels, of each thing and crowd in the frame."""
    named = [(thing.name, thing.box) for thing in scene.objects]
    named += [(region.name, region.box) for region in scene.regions]
    return tuple((name, pixels) for name, box in named if (pixels := pixel_box(box, scene)))


def partly_visible(boxes: Iterable[tuple[str, Box]], keep: Iterable[Box], *, hidden_elsewhere: bool) -> frozenset[str]:
    """Returns the names of things and crowds that are visible, but in no single box of ``keep`` as a whole.

    ``boxes``: those of ``named_boxes``. If all else is hidden (and not blurred), things that no box touches are not
    visible at all.
    """
    kept = tuple(keep)
    return frozenset(
        name
        for name, box in boxes
        if not any(_holds(patch, box) for patch in kept)
        and not (hidden_elsewhere and not any(patch.overlaps(box) for patch in kept))
    )


def _holds(patch: Box, box: Box) -> bool:
    return patch.x <= box.x and patch.y <= box.y and box.x1 <= patch.x1 and box.y1 <= patch.y1


def _span(start: int, stop: int, limit: int) -> tuple[int, int]:
    length = max(stop - start, min(MIN_PATCH_PX, limit))
    first = max(0, min(start - (length - (stop - start)) // 2, limit - length))
    return first, first + length
