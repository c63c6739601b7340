"""One thing that several annotators boxed is made one again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.scene import Thing
from pytest_vqamt.data.words import is_multi_coloured
from pytest_vqamt.language.english.nouns import is_plural, lacks_singular

LEAST_IOU = 0.7
"""From which overlap on two boxes of one name or synset are of one thing.

In Visual Genome's first photo the two men are boxed twice each, with IoU 0.82 and 0.77; any two things that are told
apart there have at most 0.39. Of 1,025 pairs of one class in 40 photos of COCO, whose instances are surely told apart,
the largest IoU is 0.61: two chairs side by side, or two people one behind the other, stay two.
"""


def merged(things: Iterable[Thing]) -> tuple[tuple[Thing, ...], dict[str, str]]:
    """The things with duplicates made one, and for each id the id of the thing that it is now.

    Two things are one where they have the same synset or the same name, both or neither are a group ("bikes" is none of
    the bikes in it), and the IoU of their boxes is ``LEAST_IOU`` or more. A thing is compared to the first of each
    group of duplicates, so that a row of neighbours is never taken for one. The first gives id, name and synset; the
    box is the smallest around all, and the attributes are those of all.
    """
    groups: list[list[Thing]] = []
    by_word: dict[str, list[int]] = {}
    now: dict[str, str] = {}
    for thing in things:
        words = (f"name {thing.name}", f"synset {thing.synset}") if thing.synset else (f"name {thing.name}",)
        near = {place for word in words for place in by_word.get(word, ())}
        place = _nearest(thing, {place: groups[place][0] for place in near})
        if place is None:
            place = len(groups)
            groups.append([])
            for word in words:
                by_word.setdefault(word, []).append(place)
        groups[place].append(thing)
        now[thing.id] = groups[place][0].id
    return tuple(_one(group) for group in groups), now


def _nearest(thing: Thing, firsts: Mapping[int, Thing]) -> int | None:
    """The place of the thing that this one is the same as: that of the largest IoU, then the first."""
    ious = {place: thing.box.iou(first.box) for place, first in sorted(firsts.items())}
    same = [place for place in ious if ious[place] >= LEAST_IOU and _alike_in_number(thing, firsts[place])]
    return max(same, key=lambda place: ious[place], default=None)


def _alike_in_number(one: Thing, other: Thing) -> bool:
    return one.name == other.name or _is_group(one.name) == _is_group(other.name)


def _is_group(name: str) -> bool:
    return is_plural(name) and not lacks_singular(name)


def _one(group: list[Thing]) -> Thing:
    first = group[0]
    if len(group) == 1:
        return first
    attributes = tuple(dict.fromkeys(attribute for thing in group for attribute in thing.attributes))
    return replace(
        first,
        box=Box.around(thing.box for thing in group),
        attributes=attributes,
        synset=next((thing.synset for thing in group if thing.synset), None),
        multi_coloured=is_multi_coloured(attributes, first.name),
    )
