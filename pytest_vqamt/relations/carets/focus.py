"""What stays in sight of a picture whose background is obscured, and whether that leaves the answer as it was.

All that a question names is kept whole. The rest is what makes the answer the same for certain; ``visual`` tells of it
as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import NotApplicable
from pytest_vqamt.core.meaning import Choice, Group, Has, groups_of, members
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.relations.askable_scene import View
from pytest_vqamt.relations.carets.arguments import Argument, things_named
from pytest_vqamt.relations.carets.foreground import boxes_of, foreground, half_seen_of
from pytest_vqamt.relations.edits import FLAT
from pytest_vqamt.relations.look_alikes import surely_unlike
from pytest_vqamt.relations.recognisable import is_recognisable
from pytest_vqamt.sampling.chooser import Chooser

_HALF_HIDDEN = NotApplicable(reason="what would be half hidden could be taken for what is asked about")


class Obscuring(StrEnum):
    """How the background is obscured."""

    BLUR = "blur"
    MASK = "mask"
    CROP = "crop"


def kept_for(argument: Argument, view: View, choose: Chooser, how: Obscuring) -> tuple[Box, ...] | NotApplicable:
    """The boxes that stay as they are, where the answer is the same with nothing else in plain sight.

    They are those of the true objects of the question; of things that lack the attribute asked about, all of that name;
    and where nothing that is named is there, those of one or two random things.
    """
    scene = view.scene
    named, absent = things_named(argument.asking, scene)
    things = named or _lacking(absent, scene)
    if not things:
        if not scene.objects:
            return NotApplicable(reason="nothing whose box could be kept")
        things = choose.several(scene.objects, choose.between(1, min(2, len(scene.objects))))
    elif how is not Obscuring.BLUR and not all(is_recognisable(thing, scene) for thing in things):
        return NotApplicable(reason="what is asked about is too small to be told by itself")
    keep = _kept(things, scene, how)
    if scene.frame in keep:
        return NotApplicable(reason="the foreground fills the picture")
    if wary := _not_to_be_seen(argument, named, absent):
        boxes = view.once("boxes", lambda: boxes_of(scene))
        half = half_seen_of(boxes, keep, hidden_elsewhere=how is not Obscuring.BLUR)
        if not all(surely_unlike(name, other) for name in wary for other in half):
            return _HALF_HIDDEN
    if how is Obscuring.MASK and not FLAT.isdisjoint(group.name for group in absent):
        return NotApplicable(reason="what is painted over could be taken for what is asked about")
    return keep


def _kept(things: Iterable[Thing], scene: Scene, how: Obscuring) -> tuple[Box, ...]:
    """The foreground's boxes, or of a crop the tightest rectangle around them."""
    boxes = foreground(things, scene)
    return (Box.around(boxes),) if how is Obscuring.CROP and boxes else boxes


def _lacking(absent: Iterable[Group], scene: Scene) -> tuple[Thing, ...]:
    """The things of the names asked about, without the attribute that they are said to have."""
    ids = {thing.id for group in absent for thing in members(replace(group, attributes=(), related=()), scene)}
    return tuple(thing for thing in scene.objects if thing.id in ids)


def _not_to_be_seen(argument: Argument, named: Iterable[Thing], absent: Iterable[Group]) -> set[str]:
    """The names of which nothing more may seem to be in sight: of what is not there, and of what is the only one.

    The names that are to be chosen from are among them: a bird that is blurred may be the airplane of the question.
    """
    meaning = argument.asking.meaning
    if isinstance(meaning, Has | Choice):
        only = {thing.name for thing in named}
        return only.union(meaning.options if isinstance(meaning, Choice) and argument.truth in only else ())
    return {
        *(group.name for group in absent),
        *(condition.to.name for group in groups_of(meaning) for condition in group.related),
    }
