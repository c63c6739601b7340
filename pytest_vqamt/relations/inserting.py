"""One more instance of a class that is in the picture: which, how large, and where.

Yuan et al., CVPR 2021, section 4.2.2; sizes and places as in the authors' code.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Fact, NotApplicable
from pytest_vqamt.core.corpus import Corpus, CutoutEntry
from pytest_vqamt.core.meaning import Group
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.language.english.families import family
from pytest_vqamt.relations.look_alikes import surely_unlike
from pytest_vqamt.relations.room import Place, Size, anywhere, size_among, touching
from pytest_vqamt.relations.soundness import presumed, unrelated
from pytest_vqamt.relations.whole_pixels import taken
from pytest_vqamt.sampling.chooser import Chooser

_LARGEST_SHARE = 0.2
"""Smaller instances of a class are often fragments."""
_EDGE_PX = 1
"""A thing whose box comes nearer to the edge of its photo may go on beyond."""
_AT_MOST = 200
"""So many cut-outs of a class to choose from, evenly out of the largest fifth."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inserted:
    """What was put into the picture.

    Attributes:
        picture: the one that shows it.
        thing: as it was in its own photo.
        source: the scene that it was cut out of.
        alongside: names of what may have been cut out with it in part.
        placed: "touching" a box that was there, or "anywhere".
    """

    picture: Picture
    thing: Thing
    source: Scene
    alongside: tuple[str, ...]
    placed: str

    @property
    def facts(self) -> tuple[tuple[str, Fact], ...]:
        return (("inserted", self.thing.name), ("placed", self.placed))

    @property
    def is_whole(self) -> bool:
        """Whether its own photo does not cut it off: of many a thing a part is not enough to tell what it is."""
        box, frame = self.thing.box, self.source.frame
        return min(box.x, box.y, frame.x1 - box.x1, frame.y1 - box.y1) >= _EDGE_PX

    def leaves(self, name: str, scene: Scene) -> bool:
        """Whether there are surely as many things of this name as there were in ``scene``.

        Neither do things of it come with the inserted one, nor can what came along in part be taken for one, nor the
        inserted one itself, where it may not be all there.
        """
        inserted = self.thing.name
        is_all_there = self.is_whole and nothing_but_worn(self.alongside, inserted)
        in_part = self.alongside if is_all_there else (inserted, *self.alongside)
        return unrelated(name, inserted, scene) and all(surely_unlike(name, other) for other in in_part)

    def is_presumed(self, groups: Iterable[Group]) -> bool:
        """Whether one of the groups may have come along, unannotated, from where the thing was cut out."""
        return presumed((group.name for group in groups), self.source)


def nothing_but_worn(alongside: Iterable[str], name: str) -> bool:
    """Whether nothing was before or behind a thing of this name but what a person wears or carries."""
    return all(family(name) == "person" and family(other) == "clothing" for other in alongside)


def insert_one(
    scene: Scene,
    corpus: Corpus,
    choose: Chooser,
    names: Iterable[str],
    suits: Callable[[CutoutEntry, str], bool] = lambda *_: True,
) -> Inserted | NotApplicable:
    """Another instance of one of ``names``, put where it overlaps nothing; ``suits`` says which cut-outs will do."""
    pools = {name: _pool(scene, corpus, name) for name in names}
    some = tuple(name for name, pool in pools.items() if any(suits(entry, name) for entry in pool))
    if not some:
        return NotApplicable(reason="no cut-out of another instance of a class in the picture")
    name = choose.one(some)
    entry = choose.one(tuple(entry for entry in pools[name] if suits(entry, name)))
    peers = [thing.box for thing in scene.objects if thing.name == name]
    size = size_among(peers, entry.w, entry.h, scene.frame)
    if size is None:
        return NotApplicable(reason="what would be inserted is too small")
    placed = _place(scene, choose, size)
    if placed is None:
        return NotApplicable(reason="no room for one more thing")
    kind, at = placed
    cutout = corpus.cut_out(entry)
    if cutout.photo == scene.photo:
        return NotApplicable(reason="the cut-out is from the very same photo")
    return Inserted(
        picture=scene.picture.insert(cutout, at, size),
        thing=cutout.thing,
        source=corpus.scene(entry.index),
        alongside=entry.alongside,
        placed=kind,
    )


def _pool(scene: Scene, corpus: Corpus, name: str) -> list[CutoutEntry]:
    """The largest fifth of the cut-outs of ``name`` from elsewhere, or some, evenly out of them."""
    every = corpus.cutouts.get(name, ())
    here = [thing for thing in scene.objects if thing.name == name and thing.has_mask]
    size = ceil(_LARGEST_SHARE * max(0, len(every) - len(here)))
    large = list(every[: size + len(here)])
    # Ids repeat from scene to scene, so another thing may look the same; few do, and only they are looked up.
    alike = {place for thing in here for place in _places_of(thing, large)}
    for place in sorted(alike, reverse=True):
        if corpus.scene(large[place].index).photo == scene.photo:
            del large[place]
    return large[: size : ceil(size / _AT_MOST) or 1]


def _places_of(thing: Thing, entries: Sequence[CutoutEntry]) -> Iterator[int]:
    """Where among the entries, the largest first, the thing may be: those of its id and size."""
    box = thing.box
    first = bisect_left(entries, -box.area, key=lambda entry: -entry.area)
    for place in range(first, len(entries)):
        entry = entries[place]
        if entry.area != box.area:
            break
        if (entry.thing, entry.w, entry.h) == (thing.id, box.w, box.h):
            yield place


def _place(scene: Scene, choose: Chooser, size: Size) -> tuple[str, Place] | None:
    """A kind of place and a place of that kind: half of them touch a box, where there are places of both kinds."""
    boxes: tuple[Box, ...] = taken(scene)
    kinds = {"touching": touching, "anywhere": anywhere}
    order = ("anywhere", "touching") if choose.chance(0.5) else ("touching", "anywhere")
    for kind in order:
        if places := kinds[kind](boxes, scene.frame, size):
            return kind, choose.one(places)
    return None
