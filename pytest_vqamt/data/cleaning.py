"""Merges duplicates of things by several annotators, and cleans their names."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from functools import lru_cache

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.scene import Thing
from pytest_vqamt.language.english.families import family
from pytest_vqamt.language.english.lexical_relations import COLOURS
from pytest_vqamt.language.english.nouns import is_plural, lacks_singular

LEAST_IOU = 0.7
"""Two boxes of one name or synset with this overlap are of one thing.

In Visual Genome's first photo the two men are boxed twice each, with IoU 0.82 and 0.77, and other pairs have at most
0.39. Of 1,025 pairs of one class in 40 photos of COCO, annotated one by one, the largest IoU is 0.61.
"""


def merged(things: Iterable[Thing]) -> tuple[tuple[Thing, ...], dict[str, str]]:
    """The things without duplicates, and for each id the id of the thing that it became.

    Duplicates have the same synset or name, both or neither are a group ("bikes"), and the IoU of their boxes is
    ``LEAST_IOU`` or more. A thing is compared to the first of each set of duplicates, so that a row of neighbours is
    never merged. The first gives id, name and synset; the box encloses all, and the attributes are those of all.
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
    """The place of the duplicate with the largest IoU, then the first."""
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
        box=Box.enclosing(thing.box for thing in group),
        attributes=attributes,
        synset=next((thing.synset for thing in group if thing.synset), None),
        multi_coloured=is_multi_coloured(attributes, first.name),
    )


_NO_PART_OF_A_WORD = re.compile(r"[^\w\s'-]|_")
_MANY_COLOURS = frozenset(
    {
        "multicolored", "multi colored", "multi-colored", "multicoloured", "multi coloured", "multi-coloured",
        "colorful", "colourful", "rainbow", "rainbow colored", "rainbow coloured", "two-toned", "two toned",
    }
)  # fmt: skip
_COLOURS = frozenset(COLOURS) | {
    "tan", "beige", "gold", "golden", "silver", "maroon", "burgundy", "teal", "turquoise", "navy", "cream", "violet",
}  # fmt: skip
_PATTERNS = frozenset(
    {
        "striped", "stripes", "stripe", "stripped", "spotted", "dotted", "polka dot", "polka dots", "plaid", "checked",
        "checkered", "floral", "flowered", "flowery", "patterned", "printed", "camouflage", "camo", "speckled",
    }
)  # fmt: skip
_OF_SEVERAL_COLOURS = frozenset(
    {
        "soccer ball", "newspaper", "newspapers", "magazine", "magazines", "keyboard", "piano", "flag", "flags", "sign",
        "signs", "street sign", "stop sign", "traffic light", "traffic lights", "crosswalk", "police car", "poster",
        "posters", "picture", "pictures", "painting", "paintings", "photo", "photos", "rainbow", "checkerboard", "logo",
        "train", "bus", "airplane", "plane", "jet", "pizza", "sandwich", "salad", "food", "sticker", "stickers",
        "screen",
    }
)  # fmt: skip


@lru_cache(maxsize=1 << 17)
def cleaned(text: str) -> str:
    """Lower case, single spaces, no punctuation but hyphens and apostrophes within a word; may be empty.

    >>> cleaned(" Fire-hydrant. "), cleaned("WEARING"), cleaned("man's  shoe,"), cleaned("?")
    ('fire-hydrant', 'wearing', "man's shoe", '')
    """
    words = (word.strip("'-") for word in _NO_PART_OF_A_WORD.sub(" ", text.lower()).split())
    return " ".join(word for word in words if word)


def is_multi_coloured(attributes: Collection[str], name: str = "") -> bool:
    """Whether the name or the attributes of a thing imply that it has several colours.

    Annotators note one colour of a zebra or a flag, and the colour of people may be that of anything about them.

    >>> is_multi_coloured(["colorful"]), is_multi_coloured(["black", "white"]), is_multi_coloured(["red", "striped"])
    (True, True, True)
    >>> is_multi_coloured(["black", "small"]), is_multi_coloured(["gray", "grey"])
    (False, False)
    >>> is_multi_coloured(["black"], "zebra")
    True
    """
    if name in _OF_SEVERAL_COLOURS or family(name) in ("person", "animal"):
        return True
    if not _MANY_COLOURS.isdisjoint(attributes) or not _PATTERNS.isdisjoint(attributes):
        return True
    words = ("gray" if word == "grey" else word for text in attributes for word in text.split())
    return len(_COLOURS.intersection(words)) > 1
