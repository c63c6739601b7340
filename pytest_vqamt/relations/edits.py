"""Edits of pictures that relations share: erasing, inserting, cutting, and placement without overlap."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, groupby, pairwise
from math import ceil, floor, sqrt
from typing import Literal, NamedTuple, TypeAlias

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Fact, NotApplicable, RelationSetting
from pytest_vqamt.core.corpus import Corpus, CutoutEntry
from pytest_vqamt.core.edits import GONE_SHARE, Colour, Fill
from pytest_vqamt.core.lru import cached_by_identity
from pytest_vqamt.core.meaning import Group
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.salience import is_salient_size
from pytest_vqamt.core.scene import Photo, Scene, Thing
from pytest_vqamt.imaging.inpainting import lacking, method_of
from pytest_vqamt.imaging.render import outwards
from pytest_vqamt.language.english.families import family
from pytest_vqamt.language.tables import word_set
from pytest_vqamt.relations.recognition import (
    best_cutouts,
    cutout_id,
    is_recognisable,
    min_inserted_area,
)
from pytest_vqamt.relations.rules import UNTOUCHED
from pytest_vqamt.relations.soundness import cannot_be_confused, presumed
from pytest_vqamt.sampling.chooser import Chooser

ERASE = RelationSetting(
    name="erase",
    values=("white", "mean", "inpaint"),
    default="white",
    meaning="what stands where a thing was erased: white, the data's mean colour, or what an inpainter makes of it",
)
INPAINT = RelationSetting(
    name="inpaint",
    values=("telea", "biharmonic", "lama:PATH"),
    default="telea",
    meaning="which inpainter fills in what was erased",
)

_TYPICAL_COLOURS: dict[str, Colour] = {
    "red": (220, 40, 40), "orange": (240, 140, 40), "yellow": (240, 220, 60), "green": (60, 150, 60),
    "blue": (60, 90, 200), "purple": (130, 60, 160), "pink": (240, 150, 180), "brown": (130, 90, 60),
    "black": (20, 20, 20), "white": (250, 250, 250), "gray": (140, 140, 140),
}  # fmt: skip
# Three, since names of colours overlap: (200, 180, 150) is beige, which one calls pink and another yellow.
_NEAREST = 3

LARGEST_SHARE = 0.2
"""Smaller instances of a class are often fragments."""
AT_MOST = 200
"""The most cut-outs of a class to choose from, evenly spaced in the largest fifth."""
# A box that ends in the outermost pixel may be cut off there; recognition is stricter on photos (3 px).
_EDGE_PX = 1

_Pools: TypeAlias = dict[tuple[Corpus, str, frozenset[str]], list[CutoutEntry]]

Axis: TypeAlias = Literal["x", "y"]
AXES: tuple[Axis, ...] = ("x", "y")

# Stricter than recognition._MAX_OPEN (0.2): there a thing must be told, here nothing of it may stay in sight.
_MAX_OPEN = 0.08
"""The longest stretch of the outline beyond which the thing may go on, as a share of the outline."""
_REACH_SHARE = 0.25
"""What is nearer to a thing than this share of its longer side may be a part of it, or of its like."""

Size: TypeAlias = tuple[int, int]
"""Width and height in pixels."""
Place: TypeAlias = tuple[int, int]
"""The top left corner, x and y in pixels."""

LARGEST_SCALE = 2.0
"""The most that a cut-out is enlarged, since more would be visible."""
_GRID_STEPS = 24
"""The steps of the grid along the picture's shorter side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Eraser:
    """A way to cover a box."""

    fill: Fill
    """White, the mean colour, or inpainted."""
    colour: Colour | None = None
    """The mean colour of the data, RGB, 0 to 255; None for the other fills."""
    method: str = ""
    """The inpainter with its checkpoint ("telea", "lama:PATH"); "" for plain patches."""
    excluded_words: tuple[str, ...] = ()
    """Colours of the patch, which must not be asked about."""
    excluded_names: frozenset[str] = frozenset()
    """Things that the patch may be taken for, which must not be asked about."""

    def erase(self, picture: Picture, box: Box) -> Picture:
        """Returns the picture with ``box`` covered, rounded outwards to whole pixels and clipped to the frame."""
        # A box outside the frame stays as it is, so that the picture's own check names it.
        patch = pixel_box(box, picture.scene) or box
        return picture.erase(patch, self.fill, self.colour, self.method)


def make_eraser(erase: str, inpaint: str, corpus: Corpus) -> Eraser | NotApplicable:
    """Returns the eraser that the settings ``erase`` and ``inpaint`` name."""
    fill = Fill(erase)
    if fill is Fill.INPAINT:
        method = method_of(inpaint)
        # An inpainter whose package is absent gives no case, instead of an error in the middle of a run.
        if missing := lacking(method):
            return NotApplicable(reason=missing)
        return Eraser(fill=fill, method=method)
    if fill is Fill.WHITE:
        # The patch is one more white thing to who is asked for white things; gray is next to it.
        return Eraser(fill=fill, excluded_words=("white", "gray"), excluded_names=rectangular_names())
    colour = corpus.mean_colour
    if colour is None:
        return NotApplicable(reason="the data has no photos to take a mean colour from")
    return Eraser(fill=fill, colour=colour, excluded_words=colour_words(colour), excluded_names=rectangular_names())


def rectangular_names() -> frozenset[str]:
    """Returns the names of things that a plain rectangle may be taken for."""
    return word_set("english/outlines.toml", "rectangular")


def colour_words(colour: Colour) -> tuple[str, ...]:
    """Returns the words that people may use for ``colour`` (RGB, 0 to 255): gray, and the three nearest.

    >>> colour_words((200, 180, 150))
    ('gray', 'pink', 'yellow')
    """

    def distance(word: str) -> int:
        return sum((a - b) ** 2 for a, b in zip(colour, _TYPICAL_COLOURS[word], strict=True))

    return tuple(dict.fromkeys(("gray", *sorted(_TYPICAL_COLOURS, key=distance)[:_NEAREST])))


def pixel_box(box: Box, scene: Scene) -> Box | None:
    """Returns the smallest box of whole pixels around the part of ``box`` in the frame; None if there is none."""
    return _covered(box, scene.width, scene.height)


@lru_cache(maxsize=65536)
def _covered(box: Box, width: int, height: int) -> Box | None:
    pixels = outwards(box, (width, height))
    return Box.from_corners(*pixels) if pixels else None


@cached_by_identity
def occupied_boxes(scene: Scene) -> tuple[Box, ...]:
    """Returns the boxes of all things and crowds, in whole pixels."""
    boxes = (*(thing.box for thing in scene.objects), *(region.box for region in scene.regions))
    return tuple(pixels for box in boxes if (pixels := pixel_box(box, scene)))


# Yuan et al., CVPR 2021, section 4.2.2; sizes and places as in the authors' code.


@dataclass(frozen=True, slots=True, kw_only=True)
class InsertedThing:
    """A thing that was inserted into a picture."""

    picture: Picture
    """The picture with the thing."""
    thing: Thing
    """The thing in its own photo."""
    source: Scene
    """The scene of its own photo."""
    alongside: tuple[str, ...]
    """Names of things that may be partly in the cut-out, too."""
    placed: str
    """"touching" another box, or "anywhere"."""

    @property
    def facts(self) -> tuple[tuple[str, Fact], ...]:
        return (("inserted", self.thing.name), ("placed", self.placed))

    @property
    def is_whole(self) -> bool:
        return is_whole(self.thing, self.source)

    def keeps_count_of(self, name: str, scene: Scene) -> bool:
        """True if the number of things of this name is surely that in ``scene``.

        No such thing comes with the inserted one, and neither partial things in the cut-out nor the inserted thing
        itself, if it may be partial, can be taken for one.
        """
        inserted = self.thing.name
        # A whole dog is told from a cat; half a dog is not. So a partial thing must have no outline in common.
        is_all_there = self.is_whole and only_worn_items(self.alongside, inserted)
        in_part = self.alongside if is_all_there else (inserted, *self.alongside)
        return UNTOUCHED.check(name, inserted, scene) and all(cannot_be_confused(name, other) for other in in_part)

    def is_presumed(self, groups: Iterable[Group]) -> bool:
        """True if things of the groups may be in the cut-out without being annotated."""
        return presumed((group.name for group in groups), self.source)


def is_whole(thing: Thing, source: Scene) -> bool:
    """True if its box keeps a pixel away from the edge of its own photo, which so cannot cut it off."""
    box, frame = thing.box, source.frame
    return min(box.x, box.y, frame.x1 - box.x1, frame.y1 - box.y1) >= _EDGE_PX


def only_worn_items(alongside: Iterable[str], name: str) -> bool:
    """True if nothing overlapped a thing of this name, but for what a person wears or carries."""
    return all(family(name) == "person" and family(other) == "clothing" for other in alongside)


def sample_insertion(
    scene: Scene,
    corpus: Corpus,
    choose: Chooser,
    names: Iterable[str],
    suits: Callable[[CutoutEntry, str], bool] = lambda *_: True,
    excluded: frozenset[str] = frozenset(),
) -> InsertedThing | NotApplicable:
    """Inserts another instance of one of ``names`` where it overlaps nothing, as large as those in the picture.

    ``suits`` filters the cut-outs; none is one of the ``excluded`` ids.
    """
    # Names without a fitting cut-out are left out before a name is drawn, or many draws would be in vain.
    pools = {name: _pool(scene, corpus, name, excluded) for name in names}
    some = tuple(name for name, pool in pools.items() if any(suits(entry, name) for entry in pool))
    if not some:
        return NotApplicable(reason="no other photo has a thing of the same kind that can be cut out and pasted")
    name = choose.one(some)
    entry = choose.one(tuple(entry for entry in pools[name] if suits(entry, name)))
    # Without a peer here (a contrast inserts what is absent) the size in its own photo is scaled to this frame.
    peers = [thing.box for thing in scene.objects if thing.name == name] or [_as_large_here(entry, scene, corpus)]
    size = size_like_peers(peers, entry.w, entry.h, scene.frame)
    # Floored: a size of exactly an eighth of the photo must not fail by the rounding to whole pixels.
    if size is None or size[0] * size[1] < floor(min_inserted_area(entry, scene.frame, corpus)):
        return NotApplicable(reason="the inserted thing would be too small")
    placed = _place(scene, choose, size)
    if placed is None:
        return NotApplicable(reason="no room for one more thing")
    kind, at = placed
    cutout = corpus.cut_out(entry)
    # The pool has left out the things of this photo; data that lists one photo as two scenes can still get here.
    if cutout.photo == scene.photo:
        return NotApplicable(reason="the thing to paste is from the very same photo")
    return InsertedThing(
        picture=scene.picture.insert(cutout, at, size),
        thing=cutout.thing,
        source=corpus.scene(entry.index),
        alongside=entry.alongside,
        placed=kind,
    )


def _as_large_here(entry: CutoutEntry, scene: Scene, corpus: Corpus) -> Box:
    """Returns a box with the share of this frame's area that the cut-out had of its own."""
    own = corpus.scene(entry.index).frame
    scale = sqrt(scene.frame.area / own.area)
    return Box(0, 0, entry.w * scale, entry.h * scale)


@cached_by_identity
def _pools(_scene: Scene) -> _Pools:
    """Returns the pools found for the scene so far: finding one takes most of the time of an insertion."""
    return {}


def _pool(scene: Scene, corpus: Corpus, name: str, excluded: frozenset[str] = frozenset()) -> list[CutoutEntry]:
    known, key = _pools(scene), (corpus, name, excluded)
    if key not in known:
        known[key] = _find_pool(scene, corpus, name, excluded)
    return known[key]


def _find_pool(scene: Scene, corpus: Corpus, name: str, excluded: frozenset[str]) -> list[CutoutEntry]:
    """Returns cut-outs of ``name`` from other photos: the best; the largest fifth of drawn ones, thinned evenly."""
    if corpus.look is not None:
        best = best_cutouts(corpus, name, excluded)
        return [entry for entry in best if corpus.scene(entry.index).photo != scene.photo]
    every = corpus.cutouts.get(name, ())
    if excluded:
        every = tuple(entry for entry in every if cutout_id(entry, corpus) not in excluded)
    here = [thing for thing in scene.objects if thing.name == name and thing.has_mask]
    # The scene's own things are no candidates, and must not make the fifth larger than that of the others.
    size = ceil(LARGEST_SHARE * max(0, len(every) - len(here)))
    large = list(every[: size + len(here)])
    # Ids repeat across scenes, so entries with the id and size of a thing here are looked up.
    alike = {place for thing in here for place in _places_of(thing, large)}
    for place in sorted(alike, reverse=True):
        if corpus.scene(large[place].index).photo == scene.photo:
            del large[place]
    # Evenly spaced, not the first 200: the largest alone would all be close-ups. `or 1`: of no entries the step is 0.
    return large[: size : ceil(size / AT_MOST) or 1]


def insertable_cutouts(corpus: Corpus, excluded: frozenset[str]) -> dict[str, tuple[CutoutEntry, ...]]:
    """Returns by name the cut-outs that ``sample_insertion`` chooses from in a picture of another source."""
    nowhere = Scene(id="", photo=Photo(id="", digest=""), width=0, height=0)
    return {name: tuple(_pool(nowhere, corpus, name, excluded)) for name in corpus.cutouts}


def _places_of(thing: Thing, entries: Sequence[CutoutEntry]) -> Iterator[int]:
    """Yields the places of entries, sorted from the largest, with the id and size of the thing."""
    box = thing.box
    # Entries are sorted by falling area, so those as large as the thing are found without a scan of the class.
    first = bisect_left(entries, -box.area, key=lambda entry: -entry.area)
    for place in range(first, len(entries)):
        entry = entries[place]
        if entry.area != box.area:
            break
        if (entry.thing, entry.w, entry.h) == (thing.id, box.w, box.h):
            yield place


def _place(scene: Scene, choose: Chooser, size: Size) -> tuple[str, Place] | None:
    """Draws a place, half of the time one that touches a box if there are places of both kinds."""
    boxes: tuple[Box, ...] = occupied_boxes(scene)
    kinds = {"touching": places_touching, "anywhere": places_anywhere}
    # The authors' code puts it beside a box; half of the cases are to be anywhere.
    order = ("anywhere", "touching") if choose.chance(0.5) else ("touching", "anywhere")
    for kind in order:
        if places := kinds[kind](boxes, scene.frame, size):
            return kind, choose.one(places)
    return None


class PixelSpan(NamedTuple):
    """The pixels from ``start`` to before ``stop`` on one axis; ``holds_a_thing`` unless there are only crowds."""

    start: int
    stop: int
    holds_a_thing: bool = True


@cached_by_identity
def pieces_by_axis(scene: Scene) -> Mapping[Axis, tuple[PixelSpan, ...]]:
    """Returns the spans of the pieces on each axis on which the picture can be cut (``cut_spans``)."""
    return {axis: spans for axis in AXES if len(spans := cut_spans(scene, axis)) > 1}


def cut_spans(scene: Scene, axis: Axis) -> tuple[PixelSpan, ...]:
    """Returns the spans of the pieces on ``axis``, in order; at most one if the picture cannot be cut.

    Boxes are rounded outwards to whole pixels. Every gap between boxes with things on both sides is cut in its middle.
    A piece with only a crowd is joined with the next piece, or with the last.
    """
    size = scene.width if axis == "x" else scene.height
    things = (_span(scene, thing.box, axis, holds_a_thing=True) for thing in scene.objects)
    crowds = (_span(scene, region.box, axis, holds_a_thing=False) for region in scene.regions)
    groups = _with_a_thing(_apart(span for span in chain(things, crowds) if span))
    # Half-way, so that soft edges on either side keep the same margin; an odd pixel goes to the right-hand piece.
    cuts = [(before.stop + after.start) // 2 for before, after in pairwise(groups)]
    return tuple(PixelSpan(start, stop) for start, stop in pairwise((0, *cuts, size))) if groups else ()


def _span(scene: Scene, box: Box, axis: Axis, *, holds_a_thing: bool) -> PixelSpan | None:
    inside = pixel_box(box, scene)
    if inside is None:
        return None
    if axis == "x":
        return PixelSpan(int(inside.x), int(inside.x1), holds_a_thing)
    return PixelSpan(int(inside.y), int(inside.y1), holds_a_thing)


def _apart(spans: Iterable[PixelSpan]) -> Iterator[PixelSpan]:
    """Joins spans that touch or overlap."""
    group: PixelSpan | None = None
    for span in sorted(spans):
        if group is None:
            group = span
        elif span.start <= group.stop:
            group = _joined(group, span)
        else:
            yield group
            group = span
    if group:
        yield group


def _with_a_thing(groups: Iterable[PixelSpan]) -> list[PixelSpan]:
    """Joins each group without a thing with the next, or the last with the one before; none if no group has a thing."""
    found: list[PixelSpan] = []
    for group in groups:
        if found and not found[-1].holds_a_thing:
            group = _joined(found.pop(), group)
        found.append(group)
    if len(found) > 1 and not found[-1].holds_a_thing:
        last = found.pop()
        found.append(_joined(found.pop(), last))
    return found if any(group.holds_a_thing for group in found) else []


def _joined(one: PixelSpan, other: PixelSpan) -> PixelSpan:
    return PixelSpan(min(one.start, other.start), max(one.stop, other.stop), one.holds_a_thing or other.holds_a_thing)


# Yuan et al., CVPR 2021, section 4.2.2: only a thing whose box overlaps no other.


@cached_by_identity
def removable(scene: Scene) -> tuple[Thing, ...]:
    """Returns the things whose boxes, rounded outwards to whole pixels, overlap no other box.

    Things mostly outside the frame are left out, and things that fill it.
    """
    patches = [(pixel_box(thing.box, scene), thing) for thing in scene.objects]
    crowds = [(pixel_box(region.box, scene), None) for region in scene.regions]
    seen = [(patch, owner) for patch, owner in (*patches, *crowds) if patch]
    return tuple(
        thing
        for patch, thing in patches
        if patch
        # A patch as large as the frame leaves nothing to ask about.
        and patch.area < scene.frame.area
        # The patch ends at the frame, so of what is mostly outside too little would be covered to be gone.
        and thing.box.share_inside(scene.frame) > GONE_SHARE
        and not any(owner is not thing and patch.overlaps(other) for other, owner in seen)
    )


# COCO's boxes now and then end before the thing does: a tie's upper half stays, or an engine's wagons.


_MARGIN_SHARE, _MIN_MARGIN_PX = 0.04, 4
"""The margin around a mask, as a share of the longer side, and the least: soft edges and shadows lie outside of it."""


def whole_patch(thing: Thing, scene: Scene, corpus: Corpus) -> Box | None:
    """Returns the patch in whole pixels under which all of the thing is gone; None if some of it might stay.

    Of a photo with masks, the thing must be recognisable and nowhere go on beyond its mask. No thing or crowd of its
    family may be near, and nothing in the patch of a vehicle, which may go on behind that. The patch goes beyond box
    and mask by a margin.
    """
    if corpus.look is None or not thing.has_mask:
        return pixel_box(thing.box, scene)
    others = [(other.name, other.box) for other in scene.objects if other.id != thing.id]
    others += [(region.name, region.box) for region in scene.regions]
    longer = max(thing.box.w, thing.box.h)
    # A second tie, or the wagon behind an engine, would still be there to a perfect perceiver.
    if any(_is_alike(name, thing) and thing.box.gap(box) <= _REACH_SHARE * longer for name, box in others):
        return None
    look = corpus.look(scene.photo, thing.id) if is_recognisable(thing, scene, corpus) else None
    if look is None or look.open_stretch > _MAX_OPEN:
        return None
    margin = max(_MIN_MARGIN_PX, _MARGIN_SHARE * longer)
    patch = pixel_box(Box.enclosing((thing.box, look.box)).grown(margin), scene)
    # The box of a train may end at a pole, behind which the train goes on.
    if patch and family(thing.name) == "vehicle" and any(patch.overlaps(box) for _, box in others):
        return None
    return patch


def _is_alike(name: str, thing: Thing) -> bool:
    return name == thing.name or (family(name) is not None and family(name) == family(thing.name))


def wholly_removable(scene: Scene, corpus: Corpus) -> tuple[tuple[Thing, Box], ...]:
    """Returns the removable things of which nothing stays, each with its patch, which overlaps no other box."""
    if corpus.look is None:  # the patches are those that ``removable`` looked at
        return tuple((thing, pixel_box(thing.box, scene) or thing.box) for thing in removable(scene))
    found: list[tuple[Thing, Box]] = []
    for thing in removable(scene):
        patch = whole_patch(thing, scene, corpus)
        others = chain(
            (other.box for other in scene.objects if other.id != thing.id), (region.box for region in scene.regions)
        )
        if patch and patch.area < scene.frame.area and not any(_overlap(patch, box, scene) for box in others):
            found.append((thing, patch))
    return tuple(found)


def _overlap(patch: Box, box: Box, scene: Scene) -> bool:
    seen = pixel_box(box, scene)
    return seen is not None and patch.overlaps(seen)


def size_like_peers(peers: Sequence[Box], w: float, h: float, frame: Box) -> Size | None:
    """Returns the size in whole pixels at which a cut-out of ``w`` x ``h`` has the mean area of its peers' boxes.

    The aspect ratio stays, and the scale is at most 2. None if the size is not salient in ``frame``.
    """
    # The mean area keeps the thing as near or far as its like; mean width and height would change its shape.
    mean_area = sum(box.area for box in peers) / len(peers)
    scale = min(LARGEST_SCALE, sqrt(mean_area / (w * h))) if w * h else 0.0
    size = round(w * scale), round(h * scale)
    return size if is_salient_size(*size, frame) else None


def places_touching(boxes: Sequence[Box], frame: Box, size: Size) -> tuple[Place, ...]:
    """Returns the places in ``frame`` where a thing of ``size`` touches a box and overlaps none.

    They are on all four sides of each box, aligned with its end, its start or its middle. Boxes are in whole pixels.
    """
    return _free((place for box in boxes for place in _around(box, size)), boxes, frame, size)


def places_anywhere(boxes: Sequence[Box], frame: Box, size: Size) -> tuple[Place, ...]:
    """Returns the places on a grid in ``frame`` where a thing of ``size`` overlaps no box."""
    step = max(1, round(min(frame.w, frame.h) / _GRID_STEPS))
    columns, rows = range(0, int(frame.w) - size[0] + 1, step), range(0, int(frame.h) - size[1] + 1, step)

    # A box grown by the thing's height at the top: a row is taken if it lies strictly inside.
    edges = [(box.x, box.x1, box.y - size[1], box.y1) for box in boxes]

    def occupied_columns(y: int) -> list[tuple[float, float]]:
        return [(x0, x1) for x0, x1, above, below in edges if above < y < below]

    free: list[Place] = []
    # Rows between the same boxes have the same free columns, which are so found once.
    for taken, alike in groupby(rows, occupied_columns):
        free_columns = list(columns)
        for x0, x1 in taken:
            free_columns = [x for x in free_columns if x >= x1 or x + size[0] <= x0]
        free += [(x, y) for y in alike for x in free_columns]
    return tuple(free)


def _around(box: Box, size: Size) -> Iterator[Place]:
    width, height = size
    left, top, right, bottom = (int(edge) for edge in (box.x, box.y, box.x1, box.y1))
    for y in (bottom - height, top, (top + bottom - height) // 2):
        yield right, y
        yield left - width, y
    for x in (left, right - width, (left + right - width) // 2):
        yield x, top - height
        yield x, bottom


def _free(places: Iterable[Place], boxes: Sequence[Box], frame: Box, size: Size) -> tuple[Place, ...]:
    width, height = size
    most_x, most_y = frame.w - width, frame.h - height
    free = [(x, y) for x, y in dict.fromkeys(places) if 0 <= x <= most_x and 0 <= y <= most_y]
    for box in boxes:
        # Box by box, as a generator for each place would dominate.
        x0, y0, x1, y1 = box.x - width, box.y - height, box.x1, box.y1
        free = [(x, y) for x, y in free if not (x0 < x < x1 and y0 < y < y1)]
    return tuple(free)
