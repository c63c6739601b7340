"""What a relation may know of a whole scene source, gathered once and frozen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from pytest_vqamt.core.edits import Cutout
from pytest_vqamt.core.scene import Scene


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """Facts about all scenes of a source.

    Attributes:
        scenes: how many were looked at.
        names: every object name, the most frequent first (ties by the alphabet).
        frequency: in how many scenes a name occurs.
        together: for each name, the names that occur in scenes with it, with how many such scenes,
            the most frequent first.
        exhaustive: names that every scene annotates exhaustively.
        plural: names of which some scene has two or more, so that they are surely countable.
        attributes: for each name, the attributes seen on it, with how many things bear them.
        multi_coloured: names of which some thing has no one colour.
        cutouts: for each name, the things that a mask can cut out, the largest first.
        simplest_first: indices of all scenes, those with the fewest objects first.
    """

    scenes: int
    names: tuple[str, ...]
    frequency: Mapping[str, int]
    together: Mapping[str, tuple[tuple[str, int], ...]] = field(repr=False)
    exhaustive: frozenset[str]
    plural: frozenset[str] = field(repr=False)
    attributes: Mapping[str, tuple[tuple[str, int], ...]] = field(repr=False)
    multi_coloured: frozenset[str]
    cutouts: Mapping[str, tuple[Cutout, ...]] = field(repr=False)
    simplest_first: tuple[int, ...] = field(repr=False)


def gather(scenes: Iterable[Scene]) -> Corpus:
    """The corpus of ``scenes``, which are read once, in order."""
    sizes: list[int] = []
    frequency: Counter[str] = Counter()
    pairs: dict[str, Counter[str]] = {}
    attributes: dict[str, Counter[str]] = {}
    cutouts: dict[str, list[Cutout]] = {}
    plural: set[str] = set()
    multi_coloured: set[str] = set()
    exhaustive: frozenset[str] | None = None
    for scene in scenes:
        sizes.append(len(scene.objects))
        exhaustive = scene.exhaustive if exhaustive is None else exhaustive & scene.exhaustive
        here = Counter(thing.name for thing in scene.objects)
        frequency.update(here.keys())
        plural.update(name for name, n in here.items() if n > 1)
        for name in here:
            pairs.setdefault(name, Counter()).update(other for other in here if other != name)
        for thing in scene.objects:
            attributes.setdefault(thing.name, Counter()).update(thing.attributes)
            if thing.multi_coloured:
                multi_coloured.add(thing.name)
            if thing.has_mask:
                cutouts.setdefault(thing.name, []).append(Cutout(photo=scene.photo, thing=thing))
    return Corpus(
        scenes=len(sizes),
        names=tuple(name for name, _ in _ranked(frequency)),
        frequency=MappingProxyType(dict(_ranked(frequency))),
        together=MappingProxyType({name: _ranked(pairs[name]) for name in sorted(pairs)}),
        exhaustive=exhaustive or frozenset(),
        plural=frozenset(plural),
        attributes=MappingProxyType({name: _ranked(attributes[name]) for name in sorted(attributes)}),
        multi_coloured=frozenset(multi_coloured),
        cutouts=MappingProxyType({name: tuple(sorted(cutouts[name], key=_largest_first)) for name in sorted(cutouts)}),
        simplest_first=tuple(sorted(range(len(sizes)), key=lambda index: (sizes[index], index))),
    )


def _ranked(counter: Counter[str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(counter.items(), key=lambda pair: (-pair[1], pair[0])))


def _largest_first(cutout: Cutout) -> tuple[float, str, str]:
    return -cutout.thing.box.area, cutout.photo.id, cutout.thing.id
