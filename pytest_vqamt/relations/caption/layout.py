"""The relation ``caption.layout``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import hypot

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case, NotApplicable, Outcome, RelationInfo, Verdict
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.edits import Cutout, Fill
from pytest_vqamt.core.query import Answer, Task
from pytest_vqamt.core.salience import is_salient
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.language.captions.claims import least_claimed
from pytest_vqamt.language.captions.reading import CaptionReading
from pytest_vqamt.language.captions.verdicts import caption_change
from pytest_vqamt.relations.base import BuiltInRelation
from pytest_vqamt.relations.caption.shown import absent_classes, class_claimed, shown_classes
from pytest_vqamt.relations.edits import (
    INPAINT,
    Place,
    make_eraser,
    occupied_boxes,
    places_anywhere,
)
from pytest_vqamt.relations.metaic.insertion import caption_query, caption_readings, caption_texts, unparsed_verdict
from pytest_vqamt.relations.recognition import is_recognisable
from pytest_vqamt.relations.veglue.erasable import erasable_things, whole_erasure
from pytest_vqamt.sampling.chooser import Chooser

_MOST_MOVED = 3
_MAX_RISE = 0.08
"""The furthest that a thing of a photo moves up or down, as a share of the height: dogs stay on the ground."""
_MIN_MOVE = 0.5
"""The shortest way of a thing, as a share of its longer side."""
_EDGE_PX = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptionLayout(BuiltInRelation):
    """With things moved to other places in the picture, the caption names the same.

    Liu et al., SPOLRE, ASE 2024 (arXiv 2407.18512): where things are changes nothing about what there is. One to three
    things are cut out by their masks, their old places are inpainted, and they are put elsewhere, as large as they
    were.

    **Deviations:** the authors also turn, mirror and scale things, and have a network draw the picture anew from its
    segments; here all pixels but those of the old and new places stay. Only salient things are moved that take nothing
    with them (``veglue.erasable``), and they overlap nothing afterwards. Those of photos are recognisable
    (``recognition``) and move sideways, so that a clock stays on the wall. What a caption denies, guesses or calls a
    likeness it does not name, one thing is as good as several, and no verdict rests on what is small, or may be there
    without being annotated.
    """

    info = RelationInfo(
        name="caption.layout",
        task=Task.CAPTIONING,
        source="Liu et al., SPOLRE, ASE 2024",
        breakdown=("moved",),
        settings=(INPAINT,),
    )

    inpaint: str = INPAINT.default

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        cleaner = make_eraser(Fill.INPAINT, self.inpaint, corpus)
        if isinstance(cleaner, NotApplicable):
            return cleaner
        things = list(_movable(scene, corpus))
        if not things:
            return NotApplicable(reason="no recognisable thing can be cut out alone")
        moved = choose.several(things, choose.between(1, min(_MOST_MOVED, len(things))))
        picture = scene.picture
        for _, patch in moved:
            picture = cleaner.erase(picture, patch)
        for thing, _ in moved:
            places = _places(thing, picture.scene, any_height=corpus.look is None)
            if not places:
                return NotApplicable(reason="no room at another place")
            cutout = Cutout(photo=scene.photo, thing=thing)
            picture = picture.insert(cutout, choose.one(places), _size(thing))
        return Case(
            relation=self.info.name,
            variant=variant,
            scene=scene.id,
            queries=(caption_query(scene.picture), caption_query(picture)),
            expected="second names the same kinds of things as first",
            facts=(("moved", len(moved)),),
        )

    def judge(self, case: Case, answers: Sequence[Answer]) -> Verdict:
        reading = CaptionReading.REFINED
        if unread := unparsed_verdict(answers, reading):
            return unread
        before, after = caption_texts(answers)
        scene = case.queries[0].picture.scene
        judged = shown_classes(scene) | absent_classes(scene)
        change = caption_change(before, after)
        reasons = [f"{name} is no longer named" for name in change.missing if name in judged]
        reasons += [f"{name} is named for the first time" for name in change.appeared if name in judged]
        return Verdict(
            outcome=Outcome.VIOLATED if reasons else Outcome.HOLDS,
            reason="; ".join(reasons),
            vacuous=not any(least_claimed(caption, name) for caption in (before, after) for name in judged),
            readings=caption_readings(answers, reading),
        )


def _movable(scene: Scene, corpus: Corpus) -> Iterator[tuple[Thing, Box]]:
    """Yields the things that can be cut out, each with the patch over its old place."""
    for thing in erasable_things(scene):
        can_be_told = class_claimed(thing.name) is not None and is_salient(thing, scene)
        if thing.has_mask and not thing.fragmented and can_be_told and is_recognisable(thing, scene, corpus):
            # Whatever stays of it at its old place is of its own class.
            yield thing, whole_erasure(thing, scene, corpus) or thing.box


def _places(thing: Thing, scene: Scene, *, any_height: bool) -> tuple[Place, ...]:
    """Returns the free places for a thing in ``scene``, away from its old one and from the edges of the picture."""
    box, (width, height) = thing.box, _size(thing)
    rise = scene.height if any_height else _MAX_RISE * scene.height
    least = _MIN_MOVE * max(width, height)
    return tuple(
        (x, y)
        for x, y in places_anywhere(occupied_boxes(scene), scene.frame, (width, height))
        if _EDGE_PX <= x <= scene.width - width - _EDGE_PX
        and _EDGE_PX <= y <= scene.height - height - _EDGE_PX
        and abs(y - box.y) <= rise
        and hypot(x - box.x, y - box.y) >= least
    )


def _size(thing: Thing) -> tuple[int, int]:
    return max(1, round(thing.box.w)), max(1, round(thing.box.h))
