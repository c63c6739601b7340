"""The relations ``caption.removal`` and ``caption.layout``, and the classes that a picture surely shows or not.

A caption mentions small things, crowds, and what nobody annotated, as it pleases: these are in neither set, and no
verdict rests on them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import hypot

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case, NotApplicable, Outcome, RelationInfo, Verdict
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.edits import Cutout, Fill
from pytest_vqamt.core.lru import cached_by_identity
from pytest_vqamt.core.query import Answer, Task
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.language.captions.caption_reader import CaptionReading, class_of, classes_in
from pytest_vqamt.language.captions.verdicts import caption_change, least_claimed
from pytest_vqamt.language.english.families import family
from pytest_vqamt.language.english.nouns import indefinite
from pytest_vqamt.relations.base import BuiltInRelation
from pytest_vqamt.relations.draw import Draw
from pytest_vqamt.relations.edits import (
    INPAINT,
    Place,
    make_eraser,
    occupied_boxes,
    places_anywhere,
)
from pytest_vqamt.relations.metaic import caption_queries, caption_readings, caption_texts, unparsed_verdict
from pytest_vqamt.relations.recognition import is_recognisable
from pytest_vqamt.relations.rules import SALIENT
from pytest_vqamt.relations.soundness import annotated_names, is_bulky, is_disjoint_from_all, presumed, salient_names
from pytest_vqamt.relations.veglue_erasing import erasable_things, whole_erasure

_NEAR = 0.25
"""Somebody nearer to a thing than this share of its longer side may hold or ride it."""
_NO_ONLY_ONE = NotApplicable(reason="no thing that is the only one of its class can be erased whole and alone")
_NONE = NotApplicable(reason="no large thing can be erased alone where another one stays")

_MOST_MOVED = 3
_MAX_RISE = 0.08
"""The furthest that a thing of a photo moves up or down, as a share of the height: dogs stay on the ground."""
_MIN_MOVE = 0.5
"""The shortest way of a thing, as a share of its longer side."""
_EDGE_PX = 1


@lru_cache(maxsize=4096)
def class_claimed(name: str) -> str | None:
    """Returns the class that a caption of one such thing surely claims; None where the name leaves it open."""
    named = class_of(name)
    return named if named is not None and least_claimed(indefinite(name), named) == 1 else None


def shown_classes(scene: Scene) -> frozenset[str]:
    """Returns the classes of salient things that a caption can surely claim."""
    return frozenset(filter(None, map(class_claimed, salient_names(scene))))


@cached_by_identity
def absent_classes(scene: Scene) -> frozenset[str]:
    """Returns the exhaustively annotated classes that the scene lacks, in things, crowds and captions."""
    listed = {class_of(name) for name in scene.exhaustive}
    here = {class_of(name) for name in annotated_names(scene)}
    # People's captions name what nobody boxed: such a class is not absent.
    here.update(name for caption in scene.captions for name in classes_in(caption))
    return frozenset(filter(None, listed - here))


_ERASED, _OTHERS = "erased", "others"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptionRemoval(BuiltInRelation):
    """With a thing erased, the caption names what it named before, less that thing.

    Yu et al., ROME, ISSTA 2023 (arXiv 2306.02228): a thing is inpainted ("melted"), and the objects of the second
    caption must be those of the first, without the thing's class if it was the only one. Two variants:

    - ``erased``: the only thing of its class is erased. The second caption does not name the class, nor another one
      that the first did not name and that is not in the picture.
    - ``others``: a thing is erased. The second caption names what the first named of the other classes.

    **Deviations:** the authors report each class that only the second caption names. Here it may name what the picture
    shows: with a dog gone, a caption has room for the bench behind it. They erase up to three things by their masks,
    never the largest, and compare all pictures that this makes; here it is one salient thing of any size, by its box,
    and only where hardly anything goes with it (``veglue.erasable``). In ``erased`` nothing of it may stay
    (``edits.whole_patch``), nobody is near who may hold or ride it, and it is not slim, nor of a name that others in
    the scene could go by. What a caption denies, guesses or calls a likeness it does not name; ``others`` judges
    classes of salient things alone. "presumed" where another thing of the erased class may be there without being
    annotated.
    """

    info = RelationInfo(
        name="caption.removal",
        task=Task.CAPTIONING,
        source="Yu et al., ROME, ISSTA 2023",
        variants=(_ERASED, _OTHERS),
        breakdown=("erased",),
        settings=(INPAINT,),
    )

    inpaint: str = INPAINT.default
    """The setting ``inpaint``, which names the inpainter."""

    def derive(self, draw: Draw) -> Case | NotApplicable:
        scene = draw.scene
        cleaner = make_eraser(Fill.INPAINT, self.inpaint, draw.corpus)
        if isinstance(cleaner, NotApplicable):
            return cleaner
        is_only = draw.variant == _ERASED
        things = list(_only_ones(scene, draw.corpus) if is_only else _any(scene, draw.corpus))
        if not things:
            return _NO_ONLY_ONE if is_only else _NONE
        thing, patch = draw.choose.one(things)
        name = class_of(thing.name)
        return draw.case_of(
            caption_queries(draw, cleaner.erase(draw.picture, patch)),
            expected=f"second does not name {name}" if is_only else f"second names what first names, but for {name}",
            facts=(("erased", thing.name),),
            presumed=is_only and presumed((thing.name,), scene),
        )

    def judge(self, case: Case, answers: Sequence[Answer]) -> Verdict:
        reading = CaptionReading.REFINED
        if unread := unparsed_verdict(answers, reading):
            return unread
        before, after = caption_texts(answers)
        erased = class_of(str(case.fact("erased"))) or ""
        reasons, vacuous = _judged(case, before, after, erased)
        return Verdict(
            outcome=Outcome.VIOLATED if reasons else Outcome.HOLDS,
            reason="; ".join(reasons),
            vacuous=vacuous and not reasons,
            readings=caption_readings(answers, reading),
        )


def _any(scene: Scene, corpus: Corpus) -> Iterator[tuple[Thing, Box]]:
    """Yields the things of a class that can be erased, with their patches; a thing of another class stays."""
    shown = shown_classes(scene)
    for thing in erasable_things(scene):
        named = class_of(thing.name)
        # Something of another class must stay, or there is nothing that the second caption must still name.
        if named is not None and shown - {named} and SALIENT.check(thing, scene):
            yield thing, whole_erasure(thing, scene, corpus) or thing.box


def _only_ones(scene: Scene, corpus: Corpus) -> Iterator[tuple[Thing, Box]]:
    """Yields the things that can be erased whole, each the only one of its class, with their patches."""
    names = (*(each.name for each in scene.objects), *(region.name for region in scene.regions))
    classes = [class_of(name) for name in names]
    for thing in erasable_things(scene):
        named = class_claimed(thing.name)
        # A slim thing, such as a tie, may be in sight beside its box.
        if named is None or classes.count(named) > 1 or not is_bulky(thing, scene):
            continue
        if not is_disjoint_from_all(thing.name, scene) or _has_somebody_near(thing, scene):
            continue
        patch = whole_erasure(thing, scene, corpus)
        if patch is not None:
            yield thing, patch


def _has_somebody_near(thing: Thing, scene: Scene) -> bool:
    """True if somebody may hold or ride the thing: who still sits as on an elephant tells that there was one."""
    near = _NEAR * max(thing.box.w, thing.box.h)
    people = [each.box for each in scene.objects if family(each.name) == "person"]
    people += [each.box for each in scene.regions if family(each.name) == "person"]
    return any(thing.box.gap(box) <= near for box in people)


def _judged(case: Case, before: str, after: str, erased: str) -> tuple[list[str], bool]:
    """Returns the reasons of a violation, and True if the captions name nothing that can be judged."""
    source, edited = (query.picture.scene for query in case.queries)
    change = caption_change(before, after)
    if case.variant == _ERASED:
        wrong = [f"{erased} is named, which was erased"] if least_claimed(after, erased) else []
        # What the picture does show may be named for the first time: there is room for it in the caption now.
        made_up = [name for name in change.appeared if name != erased and name in absent_classes(source)]
        wrong += [f"{name} is named, which is not there" for name in made_up]
        return wrong, not least_claimed(before, erased)
    # By the edited scene: a thing that the patch took with it need not be named.
    stay = shown_classes(edited) - {erased}
    missing = [f"{name} is not named, which is still there" for name in change.missing if name in stay]
    return missing, not any(least_claimed(before, name) for name in stay)


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
    """The setting ``inpaint``, which names the inpainter."""

    def derive(self, draw: Draw) -> Case | NotApplicable:
        cleaner = make_eraser(Fill.INPAINT, self.inpaint, draw.corpus)
        if isinstance(cleaner, NotApplicable):
            return cleaner
        things = list(_movable(draw.scene, draw.corpus))
        if not things:
            return NotApplicable(reason="no recognisable thing can be cut out alone")
        moved = draw.choose.several(things, draw.choose.between(1, min(_MOST_MOVED, len(things))))
        picture = draw.picture
        # All old places are inpainted first, so that a thing may be put where another one stood.
        for _, patch in moved:
            picture = cleaner.erase(picture, patch)
        for thing, _ in moved:
            # The scene of the picture so far, so that two moved things do not overlap.
            places = _places(thing, picture.scene, any_height=draw.corpus.look is None)
            if not places:
                return NotApplicable(reason="no room at another place")
            cutout = Cutout(photo=draw.scene.photo, thing=thing)
            picture = picture.insert(cutout, draw.choose.one(places), _size(thing))
        return draw.case_of(
            caption_queries(draw, picture),
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
        can_be_told = class_claimed(thing.name) is not None and SALIENT.check(thing, scene)
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
