"""Facts about a whole scene source, for relations; gathered once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.edits import Colour, Cutout
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.scene import Photo, Scene


@dataclass(frozen=True, slots=True, kw_only=True)
class CutoutEntry:
    """A thing that can be cut out of its photo with its mask."""

    index: int
    """Of its scene within the source."""
    thing: str
    """Its id within that scene."""
    w: float
    h: float
    """``w`` and ``h``: of its box, in pixels."""
    alongside: tuple[str, ...] = ()
    """Names of other things and crowds whose boxes overlap its own. Part of them may be cut out with it (clothes, or
    things carried)."""

    @property
    def area(self) -> float:
        return self.w * self.h


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """A thing or crowd beside another one in a photo."""

    name: str
    """Its class."""
    touched: float
    """The share of the other one's outline that it touches, in [0, 1]."""
    shared: float
    """The share of the other one's mask that it has too, in [0, 1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThingLook:
    """How a thing looks in its photo, measured inside its mask; ``imaging.thing_look`` has the units."""

    box: Box
    """The smallest box around the mask, in pixels of the photo."""
    area_px: int
    """The number of pixels of the mask."""
    largest_part: float
    """The share of the mask that its largest connected part has, in [0, 1]."""
    sharpness: float
    """The strongest tenth of the gradients are above it."""
    contrast: float
    """The distance of the mean colours inside and outside of the outline."""
    open_stretch: float = 0.0
    """The longest stretch of the outline where the photo has the same colour on both sides, as a share of the outline,
    in [0, 1]."""
    neighbours: tuple[Neighbour, ...] = ()
    """The things and crowds that touch it, or share pixels with it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Corpus:
    """Facts about all scenes of a source. Compared by identity."""

    scenes: int
    """Their number."""
    names: tuple[str, ...]
    """Every object name, by descending frequency, then alphabetically."""
    frequency: Mapping[str, int]
    """The number of scenes with each name."""
    cooccurring: CooccurrenceTable = field(repr=False)
    """For each name, the names in the same scenes with the number of these scenes, by descending number."""
    exhaustive: frozenset[str]
    """Names that every scene annotates exhaustively."""
    plural: frozenset[str] = field(repr=False)
    """Names of which some scene has two or more, which are therefore countable."""
    attributes: Mapping[str, tuple[tuple[str, int], ...]] = field(repr=False)
    """For each name, its attributes with the number of things that have them."""
    multi_coloured: frozenset[str]
    """Names of which some thing has no single colour."""
    cutouts: Mapping[str, tuple[CutoutEntry, ...]] = field(repr=False)
    """For each name, the things with masks, by descending area; without fragments."""
    simplest_first: tuple[int, ...] = field(repr=False)
    """Indices of all scenes, by ascending number of objects."""
    scene: Callable[[int], Scene] = field(repr=False, compare=False)
    """Returns the scene at an index."""
    measure: Callable[[], Colour | None] = field(repr=False, compare=False)
    """Returns the mean colour of the photos; slow, but cached."""
    look: Callable[[Photo, str], ThingLook | None] | None = field(default=None, repr=False, compare=False)
    """Returns how the thing of this id looks in a photo, None without a mask that can be read; cached. Itself None for
    drawn scenes, whose things are all sharp and whole, and without photos."""
    same_picture: Mapping[str, tuple[int, ...]] = field(default_factory=dict, repr=False)
    """The indices of the other scenes that show the same picture, by the id of the photo."""
    films: Mapping[str, tuple[int, ...]] = field(default_factory=dict, repr=False)
    """The indices of all frames of each film of the data, in their order, by the id of its scene's photo. Frames that
    are no scenes of their own have indices from ``scenes`` on."""
    groups: Mapping[str, tuple[int, ...]] = field(default_factory=dict, repr=False)
    """The indices of the photos that belong together, by the id of each of them."""

    @property
    def mean_colour(self) -> Colour | None:
        """The mean colour of the source's photos; None without photos."""
        return self.measure()

    @property
    def has_attributes(self) -> bool:
        """True if any thing has an attribute."""
        return any(self.attributes.values())

    def cut_out(self, entry: CutoutEntry) -> Cutout:
        """The cut-out of ``entry``, for insertion elsewhere.

        Raises:
            DataError: its record is broken.
        """
        scene = self.scene(entry.index)
        return Cutout(photo=scene.photo, thing=scene.thing(entry.thing))


def gather_corpus(
    scenes: Iterable[Scene],
    *,
    scene: Callable[[int], Scene] | None = None,
    measure: Callable[[], Colour | None] = lambda: None,
) -> Corpus:
    """The corpus of ``scenes``, which are iterated once.

    ``scene`` returns a scene by its index; without it, nothing can be cut out.
    """
    sizes: list[int] = []
    frequency: Counter[str] = Counter()
    attributes: dict[str, Counter[str]] = {}
    cutouts: dict[str, list[CutoutEntry]] = {}
    plural: set[str] = set()
    multi_coloured: set[str] = set()
    exhaustive: frozenset[str] | None = None
    named: list[tuple[str, ...]] = []
    for index, each in enumerate(scenes):
        sizes.append(len(each.objects))
        # None for no scene so far: an empty set would make every intersection empty.
        exhaustive = each.exhaustive if exhaustive is None else exhaustive & each.exhaustive
        here = Counter(thing.name for thing in each.objects)
        named.append(tuple(here))
        frequency.update(here.keys())
        plural.update(name for name, n in here.items() if n > 1)
        for thing in each.objects:
            attributes.setdefault(thing.name, Counter()).update(thing.attributes)
            if thing.multi_coloured:
                multi_coloured.add(thing.name)
            if thing.has_mask and not thing.fragmented:  # nobody would recognise pieces of it elsewhere
                cutouts.setdefault(thing.name, []).append(_entry(each, index, thing.id))
    return Corpus(
        scenes=len(sizes),
        names=tuple(name for name, _ in _ranked(frequency)),
        frequency=MappingProxyType(dict(_ranked(frequency))),
        cooccurring=CooccurrenceTable(named),
        exhaustive=exhaustive or frozenset(),
        plural=frozenset(plural),
        attributes=MappingProxyType({name: _ranked(attributes[name]) for name in sorted(attributes)}),
        multi_coloured=frozenset(multi_coloured),
        cutouts=MappingProxyType({name: tuple(sorted(cutouts[name], key=_largest_first)) for name in sorted(cutouts)}),
        simplest_first=tuple(sorted(range(len(sizes)), key=lambda index: (sizes[index], index))),
        scene=scene or _not_given,
        measure=cache(measure),
    )


class CooccurrenceTable(Mapping[str, tuple[tuple[str, int], ...]]):
    """For each name, the names in the same scenes; counted on first access.

    A source of a hundred thousand scenes has millions of pairs of names, of which a run uses few.
    """

    def __init__(self, named: Iterable[tuple[str, ...]]) -> None:
        """Takes the distinct names of each scene."""
        self._named = tuple(named)
        # Scenes by name, so that one name costs its own scenes alone.
        places: dict[str, list[int]] = {}
        for index, names in enumerate(self._named):
            for name in names:
                places.setdefault(name, []).append(index)
        self._places = {name: tuple(places[name]) for name in sorted(places)}
        self._known: dict[str, tuple[tuple[str, int], ...]] = {}

    def places(self, name: str) -> tuple[int, ...]:
        """The indices of the scenes with this name, in ascending order; none for a name that no scene has."""
        return self._places.get(name, ())

    def __getitem__(self, name: str) -> tuple[tuple[str, int], ...]:
        if name not in self._known:
            found = Counter(other for index in self._places[name] for other in self._named[index] if other != name)
            self._known[name] = _ranked(found)
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def _entry(scene: Scene, index: int, thing_id: str) -> CutoutEntry:
    thing = scene.thing(thing_id)
    others = [(other.name, other.box) for other in scene.objects if other.id != thing.id]
    others += [(region.name, region.box) for region in scene.regions]
    alongside = {name for name, box in others if box.overlaps(thing.box)}
    return CutoutEntry(index=index, thing=thing.id, w=thing.box.w, h=thing.box.h, alongside=tuple(sorted(alongside)))


def _not_given(index: int) -> Scene:
    raise DataError(f"Expected a corpus that can give its scenes, but it was gathered without them (index={index!r})")


def _ranked(counter: Counter[str]) -> tuple[tuple[str, int], ...]:
    # By name among equals, so that the order of the records makes no difference.
    return tuple(sorted(counter.items(), key=lambda pair: (-pair[1], pair[0])))


def _largest_first(entry: CutoutEntry) -> tuple[float, int, str]:
    return -entry.area, entry.index, entry.thing
