"""Captions of one picture that lack what two others agree on (Yu et al., ISSTA 2022, section 4.6).

For captions c1, c2, c3 of a picture, the super-categories that c1 and c2 both name must be among those of c3: what two
people speak of is what the picture is about. **Deviation:** the paper looks for ten classes; here it is all 80 of COCO.
A word that may name something of a super-category, and one for all of it ("vehicles"), counts for c3, not for c1, c2.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import NamedTuple

from pytest_vqamt.language.captions.reading import named_in
from pytest_vqamt.language.captions.tables import class_rows


class SuperCategories(NamedTuple):
    """What a caption names and what it may name, each super-category a bit."""

    named: int
    perhaps: int


class Lacking(NamedTuple):
    """A caption, by its place among those of its picture, what it lacks, and for how many pairs of others it does."""

    place: int
    missing: int
    times: int


def super_categories(caption: str) -> SuperCategories:
    """The super-categories of COCO that the caption speaks of.

    >>> [names_of(some) for some in super_categories("a woman with a bag and a cup of tea")]
    [('person', 'kitchen'), ('accessory',)]
    """
    named = named_in(caption)
    sure = _bits(named.forms)
    return SuperCategories(sure, _bits(named.perhaps) & ~sure)


def lacking(captions: Sequence[SuperCategories]) -> Iterator[Lacking]:
    """The captions of one picture that lack what two others share."""
    for place, caption in enumerate(captions):
        has = caption.named | caption.perhaps
        others = [other.named & ~has for number, other in enumerate(captions) if number != place]
        shared = [both for a, b in combinations(others, 2) if (both := a & b)]
        if shared:
            missing = 0
            for both in shared:
                missing |= both
            yield Lacking(place, missing, len(shared))


def names_of(bits: int) -> tuple[str, ...]:
    """The names of super-categories, in COCO's order."""
    kinds = dict.fromkeys(row.kind for row in class_rows().values() if row.kind)
    return tuple(kind for kind in kinds if bits & _bit_of()[kind])


@cache
def _bit_of() -> Mapping[str, int]:
    """The bit of each super-category, and of each class that of its own."""
    rows = class_rows()
    kinds = tuple(dict.fromkeys(row.kind for row in rows.values() if row.kind))
    bits = {kind: 1 << number for number, kind in enumerate(kinds)}
    return {**{name: bits.get(row.kind, 0) for name, row in rows.items()}, **bits}


def _bits(names: Iterable[str]) -> int:
    found = 0
    for name in names:
        found |= _bit_of()[name]
    return found
