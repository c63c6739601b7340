"""What the edits of a whole case promise, held against the boxes of the scene, counted pixel column by pixel column."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import ceil, floor

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case
from pytest_vqamt.core.edits import Blur, Crop, Cut, Edit, Erase, Insert, Mask, Shear
from pytest_vqamt.core.meaning import Group, groups_of, members
from pytest_vqamt.core.scene import Scene, Thing
from tests.relations.metaic import rules

LEAST_PX = 32
"""CARETS keeps so many pixels on each side."""
MOST_COVERED = 0.1
"""VEglue, with our deviation: of whatever stays, at most so much goes with what is erased."""


def broken(case: Case, scene: Scene) -> Iterator[str]:
    """The promises that a case of ``scene`` breaks."""
    edited = [query.picture.edits[0] for query in case.queries if query.picture.edits]
    for relation, check in _CHECKS.items():
        if case.relation.startswith(relation):
            yield from check(case, scene, edited)


def _cutting(_case: Case, scene: Scene, edits: list[Edit]) -> Iterator[str]:
    cuts = [edit for edit in edits if isinstance(edit, Cut)]
    (axis,) = {cut.axis for cut in cuts}
    size = scene.width if axis == "x" else scene.height
    things = [_along(thing.box, axis) for thing in scene.objects]
    crowds = [_along(region.box, axis) for region in scene.regions]
    held = [sum(cut.start <= min(span) and max(span) < cut.stop for span in things) for cut in cuts]
    ends = [0, *(cut.stop for cut in cuts)]
    if [cut.start for cut in cuts] != ends[:-1] or ends[-1] != size:
        yield f"the pieces do not make up the picture: {cuts}"
    if sum(held) != len(things) or any(not _in_one(span, cuts) for span in crowds):
        yield f"a cut goes through something: {cuts}"
    if not all(held):
        yield f"a piece holds nothing: {cuts}"
    if len(cuts) != (count := _groups(things, crowds, size)) or count < 2:
        yield f"there are {count} groups of things, but {len(cuts)} pieces"
    covered = set().union(*things)
    for cut in cuts[:-1] if not crowds else ():
        before = max((place for place in covered if place < cut.stop), default=-1)
        after = min((place for place in covered if place >= cut.stop), default=size)
        if not 0 <= (after - cut.stop) - (cut.stop - 1 - before) <= 1:
            yield f"the cut at {cut.stop} is not in the middle of the gap from {before + 1} to {after}"


def _along(box: Box, axis: str) -> range:
    """The columns or rows of pixels that a box touches."""
    start, stop = (box.x, box.x1) if axis == "x" else (box.y, box.y1)
    return range(floor(round(start, 6)), ceil(round(stop, 6)))


def _in_one(span: range, cuts: list[Cut]) -> bool:
    return any(cut.start <= min(span) and max(span) < cut.stop for cut in cuts)


def _groups(things: list[range], crowds: list[range], size: int) -> int:
    """How many runs of covered columns there are that hold a thing."""
    some, any_ = set().union(*things), set().union(*things, *crowds)
    count, holds = 0, False
    for place in range(size + 1):
        if place in any_:
            holds = holds or place in some
        else:
            count += holds
            holds = False
    return count


def _insertion(_case: Case, scene: Scene, edits: list[Edit]) -> Iterator[str]:
    for edit in edits:
        if not isinstance(edit, Insert):
            yield f"{edit} inserts nothing"
            continue
        thing, box = edit.cutout.thing, edit.box
        if any(_common(box, other) for other in _boxes(scene)):
            yield f"what is inserted at {box} overlaps something"
        if box.x < 0 or box.y < 0 or box.x1 > scene.width or box.y1 > scene.height:
            yield f"what is inserted at {box} is not all in the picture"
        if edit.cutout.photo == scene.photo or scene.count(thing.name) == 0:
            yield f"{thing.name} is from the same photo, or of a class that is not in the picture"
        # Both sides are rounded to whole pixels.
        if max(box.w - 1, 0) > 2 * thing.box.w or max(box.h - 1, 0) > 2 * thing.box.h:
            yield f"{thing.box} is enlarged more than twice to {box}"
        if abs(box.w * thing.box.h - box.h * thing.box.w) > 0.5 * (thing.box.w + thing.box.h) + 1e-6:
            yield f"{thing.box} has another aspect ratio than {box}"


def _removal(_case: Case, scene: Scene, edits: list[Edit]) -> Iterator[str]:
    for thing, patch in _erased(scene, edits):
        if any(_common(patch, other) for other in _boxes(scene, without=thing)):
            yield f"the patch over {thing.name} at {patch} overlaps something"


def _veglue(_case: Case, scene: Scene, edits: list[Edit]) -> Iterator[str]:
    for thing, patch in _erased(scene, edits):
        for other in _boxes(scene, without=thing):
            if _common(patch, other) > MOST_COVERED * other.w * other.h + 1e-6:
                yield f"the patch over {thing.name} at {patch} covers more than a tenth of {other}"


def _erased(scene: Scene, edits: list[Edit]) -> Iterator[tuple[Thing, Box]]:
    """Each patch with the thing that it is meant for: the one whose pixels it covers, no more and no less."""
    for edit in edits:
        assert isinstance(edit, Erase), edit
        patch = edit.box
        columns, rows = _along(patch, "x"), _along(patch, "y")
        for thing in scene.objects:
            x, y = _along(thing.box, "x"), _along(thing.box, "y")
            inside = range(max(0, x.start), min(scene.width, x.stop)), range(max(0, y.start), min(scene.height, y.stop))
            if (columns, rows) == inside:
                yield thing, patch
                break
        else:
            raise AssertionError(f"{edit} is for no thing of {scene.id}")


def _visual(case: Case, scene: Scene, edits: list[Edit]) -> Iterator[str]:
    groups = groups_of(case.queries[0].meaning)
    beside = [condition.to for group in groups for condition in group.related]
    # Of what no thing has, all bearers of the name are kept; of a name that is not there, any one or two things.
    named = [
        thing
        for group in (*groups, *beside)
        for thing in members(group, scene) or members(Group(name=group.name), scene)
    ]
    for edit in edits:
        assert isinstance(edit, Blur | Mask | Crop), edit
        keep = (edit.box,) if isinstance(edit, Crop) else edit.keep
        for thing in named:
            if not any(_holds(patch, thing.box) for patch in keep):
                yield f"{thing.name} at {thing.box} is asked about and not kept: {edit}"
        for patch in keep:
            if patch.w < min(LEAST_PX, scene.width) or patch.h < min(LEAST_PX, scene.height):
                yield f"{patch} is smaller than {LEAST_PX} x {LEAST_PX}"
            if not _holds(scene.frame, patch) or any(float(end) % 1 for end in (patch.x, patch.y, patch.w, patch.h)):
                yield f"{patch} is not all in the picture, or not of whole pixels"


def _metaic(case: Case, scene: Scene, edits: list[Edit]) -> Iterator[str]:
    for edit in edits:
        if not isinstance(edit, Insert):
            yield f"{edit} inserts nothing"
            continue
        yield from rules.broken(scene, edit, case.variant)
        if edit.cutout.photo == scene.photo or any(edit.cutout.thing.name == region.name for region in scene.regions):
            yield f"{edit.cutout.thing.name} is from the same photo, or one of a crowd"


def _deeptest(_case: Case, scene: Scene, edits: list[Edit]) -> Iterator[str]:
    for edit in edits:
        if isinstance(edit, Shear):
            for box in _boxes(scene):
                right = [edit.factor * (row - scene.height / 2) for row in (box.y, box.y1)]
                if box.x + min(right) < -1e-6 or box.x1 + max(right) > scene.width + 1e-6:
                    yield f"what is at {box} leaves the picture: {edit}"


def _caption_removal(case: Case, scene: Scene, edits: list[Edit]) -> Iterator[str]:
    (erase,) = edits
    assert isinstance(erase, Erase), erase
    yield from _taken_along([thing for thing in scene.objects if thing.name == case.fact("erased")], erase, scene)


def _caption_layout(case: Case, scene: Scene, _edits: list[Edit]) -> Iterator[str]:
    edits = case.queries[1].picture.edits
    patches = [edit for edit in edits if isinstance(edit, Erase)]
    inserted = [edit for edit in edits if isinstance(edit, Insert)]
    moved = [edit.cutout.thing for edit in inserted]
    for patch in patches:
        yield from _taken_along(moved, patch, scene)
    if len(patches) != len(moved) or len({thing.id for thing in moved}) != len(moved):
        yield f"{len(patches)} things are erased, and {len(moved)} are put in"
    taken = [thing.box for thing in scene.objects if all(thing.id != each.id for each in moved)]
    taken += [region.box for region in scene.regions]
    for edit in inserted:
        thing, box = edit.cutout.thing, edit.box
        if edit.cutout.photo != scene.photo or abs(box.w - thing.box.w) > 1 or abs(box.h - thing.box.h) > 1:
            yield f"{thing.name} is from another photo, or of another size"
        if any(_common(box, other) for other in taken) or not _holds(scene.frame, box):
            yield f"{thing.name} is put over something, or over the edge: {box}"
        taken.append(box)


def _taken_along(things: list[Thing], erase: Erase, scene: Scene) -> Iterator[str]:
    """What an erased patch breaks that is for one of the things."""
    meant = [thing for thing in things if _holds(erase.box, thing.box.intersection(scene.frame) or thing.box)]
    if not meant:
        yield f"{erase.box} covers none of {', '.join(thing.name for thing in things)}"
        return
    for other in _boxes(scene, without=max(meant, key=lambda thing: thing.box.area)):
        seen = other.intersection(scene.frame)
        if seen and _common(erase.box, seen) > MOST_COVERED * seen.area + 1e-6:
            yield f"the patch at {erase.box} covers more than a tenth of {other}"


def _holds(patch: Box, box: Box) -> bool:
    columns, rows = _along(patch, "x"), _along(patch, "y")
    return set(_along(box, "x")) <= set(columns) and set(_along(box, "y")) <= set(rows)


def _boxes(scene: Scene, without: Thing | None = None) -> list[Box]:
    things = (thing.box for thing in scene.objects if without is None or thing.id != without.id)
    return [*things, *(region.box for region in scene.regions)]


def _common(one: Box, other: Box) -> float:
    width = min(one.x1, other.x1) - max(one.x, other.x)
    height = min(one.y1, other.y1) - max(one.y, other.y)
    return width * height if width > 1e-6 and height > 1e-6 else 0.0


_CHECKS: Mapping[str, Callable[[Case, Scene, list[Edit]], Iterator[str]]] = {
    "metavqa.cutting": _cutting,
    "metavqa.insertion": _insertion,
    "metavqa.removal": _removal,
    "veglue.vqa_mr": _veglue,
    "veglue.mr": _veglue,
    "metaic.object_appearance": _metaic,
    "metaic.singular_plural": _metaic,
    "metaic.deeptest": _deeptest,
    "caption.removal": _caption_removal,
    "caption.layout": _caption_layout,
    "carets.visual": _visual,
}
