"""Things that may be erased without erasing anything else, and the questions about them.

Chang et al., section 3: an object may be erased if its IoU with every object that stays is at most 0.1.
**Deviation:** at most 0.1 of the area of any other thing or crowd may lie inside the erased box. IoU does not protect
small things inside large boxes: the cup on a table is erased with the table, and its IoU is next to nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Fact, NotApplicable, RelationSetting
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.edits import GONE_SHARE
from pytest_vqamt.core.lru import cached_by_identity
from pytest_vqamt.core.meaning import Group
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.language.english.families import belong_together, family, is_nearly_everywhere
from pytest_vqamt.language.wordnet import WordNet
from pytest_vqamt.relations import edits
from pytest_vqamt.relations.edits import pixel_box, whole_patch
from pytest_vqamt.relations.soundness import countable_names
from pytest_vqamt.sampling.chooser import Chooser

ERASE = replace(edits.ERASE, default="inpaint")
"""The paper inpaints."""
OVERLAP = RelationSetting(
    name="overlap",
    values=("share", "iou"),
    default="share",
    meaning="what may be erased: where little of anything else goes with it (share), or by IoU as published, which is "
    "unsound: small things go with large ones (iou)",
)
MAX_COVERED_SHARE = 0.1
"""The most of anything else that may be erased with a thing."""
MAX_ERASED_SHARE = 0.5
"""The most of the picture that may be erased: an inpainter needs context."""
NOTHING_TO_ERASE = NotApplicable(reason="no thing can be erased alone")
NOTHING_TO_ASK = NotApplicable(reason="no question about a thing that can be erased has a sure answer")

_NEAR = 0.05
"""The largest gap of things that are near, as a share of the picture's longer side."""

_PLACES = frozenset({
    "location.n.01", "geological_formation.n.01", "body_of_water.n.01", "land.n.04", "road.n.01", "path.n.02",
    "thoroughfare.n.01", "crossing.n.05", "area.n.05", "establishment.n.04", "building.n.01", "facility.n.01",
})  # fmt: skip
"""Parks and courts, beaches and mountains, lakes, forests, streets, rooms, shops, houses, stations."""


@cached_by_identity
def erasable_things(scene: Scene) -> tuple[Thing, ...]:
    """Returns the things that may be erased, in scene order."""
    return tuple(thing for thing in scene.objects if _leaves_enough(thing, scene) and is_erasable(thing, scene))


def erasable_things_by(overlap: str, scene: Scene, *, most_iou: float) -> tuple[Thing, ...]:
    """Returns the things that may be erased by the setting ``overlap``; by IoU, as published, up to ``most_iou``.

    In either case the thing fills at most half of the picture, and more than half of it is in the frame.
    """
    if overlap == OVERLAP.default:
        return erasable_things(scene)
    return tuple(
        thing
        for thing in scene.objects
        # Crowds do not count here, nor does the rounding to pixels: the published rule as it is.
        if _leaves_enough(thing, scene) and is_erasable_by_iou(thing, scene, most=most_iou)
    )


def is_erasable(thing: Thing, scene: Scene) -> bool:
    """True if at most 0.1 of the visible part of anything else lies in the thing's box, rounded outwards."""
    patch = pixel_box(thing.box, scene)
    return patch is not None and _spares_others(patch, thing, scene)


def _spares_others(patch: Box, thing: Thing, scene: Scene) -> bool:
    others = (other.box for other in scene.objects if other.id != thing.id)
    crowds = (region.box for region in scene.regions)
    # Compared here, without a call: a run asks this of each thing of a scene in thousands of draws.
    x0, y0, x1, y1 = patch.x, patch.y, patch.x1, patch.y1
    near = (
        box for box in (*others, *crowds) if box.x < x1 and box.y < y1 and box.x + box.w > x0 and box.y + box.h > y0
    )
    # The share of the visible part: of a bus that is half outside, what is erased is a larger share than of its box.
    seen = (box.intersection(scene.frame) for box in near)
    return all(box.share_inside(patch) <= MAX_COVERED_SHARE for box in seen if box)


def whole_erasure(thing: Thing, scene: Scene, corpus: Corpus) -> Box | None:
    """Returns the patch of an erasable thing, of which nothing may stay (``edits.whole_patch``); None without one."""
    patch = whole_patch(thing, scene, corpus)
    # Checked again, as the patch goes beyond the box by a margin.
    if patch is None or patch.area > MAX_ERASED_SHARE * scene.frame.area or not _spares_others(patch, thing, scene):
        return None
    return patch


def is_erasable_by_iou(thing: Thing, scene: Scene, *, most: float = MAX_COVERED_SHARE) -> bool:
    """True if the thing's IoU with every other thing is at most ``most``, the paper's rule."""
    return all(thing.box.iou(other.box) <= most for other in scene.objects if other.id != thing.id)


def _leaves_enough(thing: Thing, scene: Scene) -> bool:
    """True if more than half of the thing is in the frame, and it fills at most half of the frame."""
    patch = pixel_box(thing.box, scene)
    return (
        patch is not None
        and patch.area <= MAX_ERASED_SHARE * scene.frame.area
        and thing.box.share_inside(scene.frame) > GONE_SHARE
    )


def erasure_facts(erased: Thing, others: tuple[Thing, ...], scene: Scene) -> tuple[tuple[str, Fact], ...]:
    """Returns the facts of section 6.1: whether the erased thing is near, similar or related to one of ``others``.

    Similar means of the same family; related means of a family whose things are worn, carried or held by those of the
    other, or part of them.
    """
    families = family(erased.name)
    return (
        ("near", any(erased.box.gap(other.box) <= _NEAR * max(scene.width, scene.height) for other in others)),
        ("similar", any(families is not None and family(other.name) == families for other in others)),
        ("related", any(_is_related(erased.name, other.name) for other in others)),
    )


def _is_related(a: str, b: str) -> bool:
    families = family(a), family(b)
    return None not in families and families[0] != families[1] and belong_together(a, b)


@lru_cache(maxsize=4096)
def is_place(name: str, words: WordNet) -> bool:
    """True if the name means a place, or something that is nearly everywhere."""
    return is_nearly_everywhere(name) or words.is_under(name, _PLACES)


def unique_by_name(things: Iterable[Thing], scene: Scene) -> tuple[Thing, ...]:
    """Returns the things whose countable name nothing else in the scene has."""
    here = frozenset(countable_names(scene))
    return tuple(thing for thing in things if thing.name in here and scene.count(thing.name) == 1)


def shuffled_groups(names: Iterable[str], choose: Chooser) -> tuple[Group, ...]:
    """Returns the groups of one or two names, in a random order."""
    groups = tuple(Group(name=name) for name in names)
    return groups[::-1] if len(groups) > 1 and choose.chance(0.5) else groups


def erased_question_facts(
    erased: Thing, groups: tuple[Group, ...], wording: int, beside: Iterable[Thing], scene: Scene
) -> tuple[tuple[str, Fact], ...]:
    """Returns the facts of a case: the erased thing, how it relates to the things ``beside``, and the question."""
    return (
        ("erased", erased.name),
        *erasure_facts(erased, tuple(beside), scene),
        ("shape", "two names" if len(groups) > 1 else "one name"),
        ("present_groups", len(groups)),
        ("wording", wording),
    )
