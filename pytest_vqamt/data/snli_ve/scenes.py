"""``snli-ve:DIR``: hypotheses about photos of Flickr30k, and the things of their units."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.corpus import Corpus, gather_corpus
from pytest_vqamt.core.edits import Colour
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.scene import LinkedUnit, Photo, PublishedHypothesis, Scene, Thing
from pytest_vqamt.core.text import count_noun, short_name, short_path
from pytest_vqamt.data.annotations import LEAST_IOU as LEAST_IOU_OF_ONE
from pytest_vqamt.data.annotations import AnnotatedPhotos, ListedAnnotations, is_multi_coloured
from pytest_vqamt.data.graphs import Graphs
from pytest_vqamt.data.photo_io import PhotoFiles, size_px
from pytest_vqamt.data.records import MAX_SIDE_PX
from pytest_vqamt.data.snli_ve.hypothesis_rows import HypothesisRow, may_be_called_alike, thing_name
from pytest_vqamt.data.snli_ve.index import HypothesisIndex, IndexedHypothesis, find

if TYPE_CHECKING:
    from PIL.Image import Image


BOUNDLESS = Box(0, 0, MAX_SIDE_PX, MAX_SIDE_PX)
"""The frame of a photo of unknown size."""

LEAST_IOU_OF_UNITS = 0.9
"""Two units of this overlap are about one thing."""
LEAST_IOU_WITH_GRAPH = 0.5
"""A unit of this overlap is about a thing of the scene graph, whose box another model or a person has drawn."""


class GraphsBeside(Graphs):
    """A file of scene graphs by the names of photos, which may be missing; one line a photo.

    Attributes:
        sizes: width and height of each photo by its line.
    """

    def __init__(self, file: Path) -> None:
        self.sizes: dict[str, tuple[int, int]] = {}
        super().__init__(file, PhotoFiles(file.parent))
        self.places: Mapping[str, int] = {Path(self.photo_file(place)).name: place for place in range(len(self))}

    def _check_photo(self, scene: Scene, file: str, where: str) -> None:
        photo = Path(file).name
        if photo in self.sizes:
            raise DataError(
                f"{where}: photo: Expected one line a photo, but got another of {short_name(photo)}: remove one"
            )
        self.sizes[photo] = (scene.width, scene.height)


class Frames:
    """The frames of photos by name."""

    def __init__(self, photos: PhotoFiles | None, graphs: GraphsBeside | None) -> None:
        self._photos = photos
        self._graphs = graphs
        self._known: dict[str, Box] = {}  # each row of a photo asks for its frame

    def of(self, photo: str) -> Box:
        """The frame, or ``BOUNDLESS``; raises DataError if the photo cannot be read."""
        if photo not in self._known:
            self._known[photo] = self._find(photo)
        return self._known[photo]

    def _find(self, photo: str) -> Box:
        if self._photos and self._photos.has(photo):
            return Box(0, 0, *size_px(self._photos.folder / photo))
        size = self._graphs.sizes.get(photo) if self._graphs else None
        return Box(0, 0, *size) if size else BOUNDLESS


class SnliVeAnnotations(ListedAnnotations):
    """The photos of hypotheses, in the order of the files.

    Their things are those of the scene graph and of entailed hypotheses; no name is exhaustive. A missing photo reaches
    as far as its boxes; without boxes its size is 0 x 0.
    """

    def __init__(
        self, index: HypothesisIndex, frames: Frames, photos: PhotoFiles | None, graphs: GraphsBeside | None
    ) -> None:
        self._index = index
        self._frames = frames
        self._graphs = graphs
        self._wrong_size: set[str] = set()
        bad = [*index.bad, *(graphs.bad_records if graphs else ())]
        usable = tuple(self._usable(photos, bad))
        remarks = (*index.checks.lines(), *(graphs.remarks if graphs else ()))
        super().__init__(usable, bad, digest(index.digest, graphs.digest if graphs else ""), remarks)

    def scene(self, index: int) -> Scene:
        photo = self._photos[index]
        return self._scene(photo, self._index.of(photo), with_hypotheses=True)

    def mask(self, index: int, thing_id: str) -> Image:
        photo = self._photos[index]
        if self._graphs is None or not self._has_graph(photo):
            return super().mask(index, thing_id)
        return self._graphs.mask(self._graphs.places[photo], thing_id)

    def corpus(self, *, scene: Callable[[int], Scene], measure: Callable[[], Colour | None]) -> Corpus:
        """The corpus of scenes without their hypotheses, which take long to read and add nothing."""
        bare = (
            self._scene(photo, self._index.of(photo, only_with_units=True), with_hypotheses=False)
            for photo in self._photos
        )
        return gather_corpus(bare, scene=scene, measure=cache(measure))

    def _usable(self, photos: PhotoFiles | None, bad: list[str]) -> Iterator[str]:
        """The existing photos; errors of others, and of scene graphs of another size, are added to ``bad``."""
        for photo, where in self._index.first.items():
            try:
                if photos and not photos.has(photo):
                    bad.append(
                        f"{where}: Expected its photo in {short_path(photos.folder)}, but there is no "
                        f"{short_name(photo)}: add it"
                    )
                    continue
                frame = self._frames.of(photo)
            except DataError as error:
                bad.append(f"{where}: {error}")
                continue
            size = self._graphs.sizes.get(photo) if self._graphs else None
            # The photo stays without its scene graph: hypotheses need none.
            if size and self._graphs and size != (frame.w, frame.h):
                self._wrong_size.add(photo)
                bad.append(
                    f"{self._graphs.file.name}: photo {short_name(photo)}: Expected it to be {size[0]} x {size[1]} px, "
                    f"as its line says, but got {frame.w:g} x {frame.h:g} px: is it the photo that was annotated?"
                )
            yield photo

    def _scene(self, photo: str, hypotheses: tuple[IndexedHypothesis, ...], *, with_hypotheses: bool) -> Scene:
        rows = [hypothesis.row for hypothesis in hypotheses]
        graph = self._graph(photo)
        linked = linking(rows, graph.objects if graph else ())
        frame = self._frames.of(photo)
        if frame is BOUNDLESS:
            frame = _around([unit.box for row in rows for unit in row.units or () if unit.box])
        captions = tuple(dict.fromkeys(row.caption for row in rows if row.caption))
        scene = graph or Scene(id="", photo=Photo(id="", digest=""), width=int(frame.w), height=int(frame.h))
        return replace(
            scene,
            id=photo.removesuffix(".jpg"),
            photo=Photo(id=photo, digest=""),
            objects=linked.objects,
            captions=tuple(dict.fromkeys((*captions, *scene.captions))),
            hypotheses=tuple(map(linked.hypothesis, rows)) if with_hypotheses else (),
            exhaustive=frozenset(),
        )

    def _graph(self, photo: str) -> Scene | None:
        return self._graphs.scene(self._graphs.places[photo]) if self._graphs and self._has_graph(photo) else None

    def _has_graph(self, photo: str) -> bool:
        return self._graphs is not None and photo in self._graphs.places and photo not in self._wrong_size


def load(argument: str) -> AnnotatedPhotos:
    """The scenes of ``snli-ve:DIR`` or ``snli-ve:FILE.jsonl``, one for each photo that hypotheses are about.

    Raises:
        OptionError: nothing is named.
        DataError: its files are not there or not of any of the forms, or no hypothesis can be used.
    """
    files = find(argument)
    graphs = GraphsBeside(files.graphs) if files.graphs else None
    frames = Frames(files.photos, graphs)
    index = HypothesisIndex(files, frames.of)
    annotations = SnliVeAnnotations(index, frames, files.photos, graphs)
    if not len(annotations):
        first = annotations.bad_records[0] if annotations.bad_records else "no line has a label"
        raise DataError(
            f"Expected a hypothesis of snli-ve:{argument} that can be used, but there is none: {first}",
            bad_records=annotations.bad_records,
        )
    return AnnotatedPhotos(
        spec=f"snli-ve:{argument}",
        description=_description(index, annotations.photo_ids(), files.photos, graphs),
        annotations=annotations,
        photos=files.photos,
        without=files.without_photos,
    )


def _description(
    index: HypothesisIndex, usable: Iterable[str], photos: PhotoFiles | None, graphs: GraphsBeside | None
) -> str:
    counts = [index.counts(photo) for photo in usable]
    hypotheses, linked, _ = (sum(each) for each in zip(*counts, strict=True))
    beside = f", {count_noun(len(graphs), 'scene graph')}" if graphs else ""
    without = "" if photos else ", no photos" + ("" if graphs else ", each taken to end where its boxes do")
    return (
        f"{count_noun(hypotheses, 'hypothesis', 'hypotheses')}, {linked:,} entailed with boxes, "
        f"about {count_noun(len(counts), 'photo')}{beside}{without}"
    )


def _around(boxes: list[Box]) -> Box:
    """The smallest frame of whole pixels around the boxes."""
    return Box(0, 0, ceil(max((box.x1 for box in boxes), default=0)), ceil(max((box.y1 for box in boxes), default=0)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Linking:
    """The things of a photo, and the units that are about them."""

    objects: tuple[Thing, ...]
    """Those of the scene graph first."""
    things: Mapping[tuple[str, int], str]
    """The id of the thing of each unit, by the hypothesis's id and the unit's place in it from 0."""

    def hypothesis(self, row: HypothesisRow) -> PublishedHypothesis:
        """The hypothesis of a row; without units in the row, its sentence is parsed for them."""
        if row.units is None:
            from pytest_vqamt.language.units import units_of

            units = tuple(LinkedUnit(object=unit.object, property=unit.property) for unit in units_of(row.text))
        else:
            units = tuple(
                LinkedUnit(object=unit.object, property=unit.property, thing=self.things.get((row.id, place), ""))
                for place, unit in enumerate(row.units)
            )
        return PublishedHypothesis(id=row.id, text=row.text, label=row.label, units=units)


def linking(rows: Iterable[HypothesisRow], graph: Sequence[Thing] = ()) -> Linking:
    """The things of a photo: of its scene graph first, then of units alone.

    A unit has a thing if its hypothesis is entailed, it has a box, and it is about one thing. Two units are about one
    thing if it may have both names and their boxes overlap by ``LEAST_IOU_OF_UNITS``, or by ``LEAST_IOU_OF_ONE`` if
    both are about one thing of the scene graph. The first unit gives the name.
    """
    taken = {thing.id for thing in graph}
    found: list[_Linked] = []
    of_unit: dict[tuple[str, int], _Linked] = {}
    for row in rows:
        # What a neutral or contradicting sentence is about need not be in the photo.
        for place, unit in enumerate(row.units or () if row.label == "entailment" else ()):
            name = thing_name(unit.object) if unit.box else ""
            if unit.box is None or not name:
                continue
            linked = _nearest(name, unit.box, found)
            if linked is None:
                linked = _Linked(id=_free(f"{row.id} {place + 1}", taken), name=name, box=unit.box)
                found.append(linked)
            linked.boxes.append(unit.box)
            linked.properties |= {unit.property: None} if unit.property else {}
            of_unit[row.id, place] = linked
    of_graph = _with_graph(found, graph)
    return Linking(
        objects=(
            *(of_graph[thing.id].made() if thing.id in of_graph else thing for thing in graph),
            *(each.made() for each in found if each.thing is None and each.joined is None),
        ),
        things={unit: (linked.joined or linked).thing_id for unit, linked in of_unit.items()},
    )


@dataclass(slots=True, kw_only=True)
class _Linked:
    """A thing of units."""

    id: str
    """The first unit's hypothesis and place, from 1 ("4705552913.jpg#2r1e 1")."""
    name: str
    box: Box
    """``name`` and ``box``: of the first unit."""
    boxes: list[Box] = field(default_factory=list)
    properties: dict[str, None] = field(default_factory=dict)
    """``boxes`` and ``properties``: of all units."""
    thing: Thing | None = None
    """The thing of the scene graph."""
    joined: _Linked | None = None
    """The other one that it duplicates."""

    @property
    def thing_id(self) -> str:
        return self.thing.id if self.thing else self.id

    def made(self) -> Thing:
        """The thing, with a box around all boxes unless it has a mask."""
        known = self.thing or Thing(id=self.id, name=self.name, box=Box.enclosing(self.boxes))
        attributes = tuple(dict.fromkeys((*known.attributes, *self.properties)))
        return replace(
            known,
            name=self.name,
            box=known.box if known.has_mask else Box.enclosing((known.box, *self.boxes)),
            attributes=attributes,
            # A synset says what the old name means: "dog.n.01" is none of a "puppy".
            synset=known.synset if known.name == self.name else None,
            multi_coloured=known.multi_coloured or is_multi_coloured(attributes, self.name),
        )


def _nearest(name: str, box: Box, found: Iterable[_Linked]) -> _Linked | None:
    """The thing that a unit is about: the one with the largest IoU; the first of equals."""
    same = [each for each in found if each.box.iou(box) >= LEAST_IOU_OF_UNITS and may_be_called_alike(each.name, name)]
    return max(same, key=lambda each: each.box.iou(box), default=None)


def _with_graph(found: Iterable[_Linked], graph: Sequence[Thing]) -> dict[str, _Linked]:
    """Sets the thing of the scene graph, or the duplicate, of each; returns them by thing."""
    of_graph: dict[str, _Linked] = {}
    for each in found:
        same = [
            thing
            for thing in graph
            if thing.box.iou(each.box) >= LEAST_IOU_WITH_GRAPH and may_be_called_alike(thing.name, each.name)
        ]
        thing = max(same, key=lambda thing: thing.box.iou(each.box), default=None)
        if thing is None:
            continue
        first = of_graph.setdefault(thing.id, each)
        if first is each:
            each.thing = thing
        # Two men close to each other may both be near one thing of the graph, and still be two.
        elif first.box.iou(each.box) >= LEAST_IOU_OF_ONE and may_be_called_alike(first.name, each.name):
            first.boxes += each.boxes
            first.properties |= each.properties
            each.joined = first
    return of_graph


def _free(thing_id: str, taken: set[str]) -> str:
    """An id that no thing of the photo has."""
    while thing_id in taken:
        thing_id += "'"
    taken.add(thing_id)
    return thing_id
