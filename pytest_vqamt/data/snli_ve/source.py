"""``snli-ve:DIR``: hypotheses about photos of Flickr30k, with what their units say is there and where."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache
from math import ceil
from typing import TYPE_CHECKING

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.corpus import Corpus, gather
from pytest_vqamt.core.edits import Colour
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.scene import Photo, Scene
from pytest_vqamt.data.annotations import AnnotatedPhotos
from pytest_vqamt.data.messages import named, shown_path
from pytest_vqamt.data.photo_io import PhotoFiles
from pytest_vqamt.data.snli_ve.files import find
from pytest_vqamt.data.snli_ve.index import Hypothesis, HypothesisIndex
from pytest_vqamt.data.snli_ve_frames import BOUNDLESS, Frames, GraphsBeside
from pytest_vqamt.data.snli_ve_things import linking

if TYPE_CHECKING:
    from PIL.Image import Image


class SnliVeAnnotations:
    """The photos that hypotheses are about, in the order in which the files come to them.

    What is in a photo is what its scene graph says, where there is one, and what entailed hypotheses speak of. Nothing
    is said to be exhaustive. A photo that is not there ends where its farthest boxes end; without boxes too, its size
    is not known, and is 0 x 0.
    """

    def __init__(
        self, index: HypothesisIndex, frames: Frames, photos: PhotoFiles | None, graphs: GraphsBeside | None
    ) -> None:
        self._index = index
        self._frames = frames
        self._graphs = graphs
        self._wrong_size: set[str] = set()
        self.digest = digest(index.digest, graphs.digest if graphs else "")
        bad = [*index.bad, *(graphs.bad_records if graphs else ())]
        self._photos = tuple(self._usable(photos, bad))
        self.bad_records = tuple(bad)

    def __len__(self) -> int:
        return len(self._photos)

    def photo_ids(self) -> tuple[str, ...]:
        return self._photos

    def photo_file(self, index: int) -> str:
        return self._photos[index]

    def scene(self, index: int) -> Scene:
        photo = self._photos[index]
        return self._scene(photo, self._index.of(photo), with_hypotheses=True)

    def mask(self, index: int, thing_id: str) -> Image:
        photo = self._photos[index]
        if self._graphs is None or not self._has_graph(photo):
            raise DataError(
                f"Expected a thing with a mask, but got thing_id={thing_id!r} of {photo}: hypotheses give boxes only"
            )
        return self._graphs.mask(self._graphs.places[photo], thing_id)

    def corpus(self, *, scene: Callable[[int], Scene], measure: Callable[[], Colour | None]) -> Corpus:
        """Of scenes without their hypotheses, which would take long to be read for it and say nothing more."""
        bare = (
            self._scene(photo, self._index.of(photo, only_with_units=True), with_hypotheses=False)
            for photo in self._photos
        )
        return gather(bare, scene=scene, measure=cache(measure))

    def _usable(self, photos: PhotoFiles | None, bad: list[str]) -> Iterator[str]:
        """The photos that are there; of others, and of scene graphs of another size, ``bad`` is told."""
        for photo, where in self._index.first.items():
            try:
                if photos and not photos.has(photo):
                    bad.append(
                        f"{where}: Expected its photo in {shown_path(photos.folder)}, but there is no {named(photo)}: "
                        "add it"
                    )
                    continue
                frame = self._frames.of(photo)
            except DataError as error:
                bad.append(f"{where}: {error}")
                continue
            size = self._graphs.sizes.get(photo) if self._graphs else None
            if size and self._graphs and size != (frame.w, frame.h):
                self._wrong_size.add(photo)
                bad.append(
                    f"{self._graphs.file.name}: photo {named(photo)}: Expected it to be {size[0]} x {size[1]} px, as "
                    f"its line says, but got {frame.w:g} x {frame.h:g} px: is it the photo that was annotated?"
                )
            yield photo

    def _scene(self, photo: str, hypotheses: tuple[Hypothesis, ...], *, with_hypotheses: bool) -> Scene:
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
        """What a scene graph says of the photo, as far as it can be used."""
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
        raise DataError(f"Expected a hypothesis of snli-ve:{argument} that can be used, but there is none: {first}")
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
    beside = f", {len(graphs)} scene graphs" if graphs else ""
    without = "" if photos else ", no photos" + ("" if graphs else ", each taken to end where its boxes do")
    return f"{hypotheses} hypotheses, {linked} entailed with boxes, about {len(counts)} photos{beside}{without}"


def _around(boxes: list[Box]) -> Box:
    """The smallest frame of whole pixels that holds the boxes; without any it has no size."""
    return Box(0, 0, ceil(max((box.x1 for box in boxes), default=0)), ceil(max((box.y1 for box in boxes), default=0)))
