"""What is inserted into a picture, and where: drawn alike whatever the relation and the level of overlap.

A class, a cut-out of it and one seed are chosen. All sizes and places are drawn from that seed, and so are further
cut-outs where one finds no place at some level: that takes thousands of tries, none of which is worth being made
simpler when a violation is shrunk. So the eight items that draw with the same seeds put the same thing, in one size,
into the same pictures, as the authors' generator does, and share the captions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import NotApplicable
from pytest_vqamt.core.corpus import Corpus, CutoutEntry
from pytest_vqamt.core.edits import Cutout
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.scene import Photo, Scene
from pytest_vqamt.language.captions import Reading
from pytest_vqamt.relations.metaic.cutouts import classes_that_fit, cut_outs, names_by_class
from pytest_vqamt.relations.metaic.overlap import Edges, Layout, boxes_of
from pytest_vqamt.relations.metaic.placement import least_area, places
from pytest_vqamt.relations.metaic.sizes import LEAST_SHARE, MOST_SHARE, Areas, areas_beside, salient_area
from pytest_vqamt.sampling.chooser import Chooser, RandomChooser

_CUT_OUTS = 30
"""So many are tried. Of most that find no place it is soon told: they are too small, or something is in their way."""
_LAST_SEED = 2**32 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Insertion:
    """A thing, and where it is at each level of overlap: in whole pixels, all of one size."""

    cutout: Cutout
    boxes: Mapping[str, Box]
    layout: Layout

    def picture(self, scene: Scene, level: str) -> Picture:
        """The background ``scene`` with the thing in it."""
        box = self.boxes[level]
        return scene.picture.insert(self.cutout, (box.x, box.y), (box.w, box.h))

    def covered(self, level: str) -> float:
        """The share of the largest thing's box that is covered."""
        return self.layout.largest[0].share_under(Edges.of(self.boxes[level]))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Background:
    """What there is to know of a picture that something is inserted into: also, of which classes that may be."""

    photo: Photo
    layout: Layout
    areas: Areas
    classes: tuple[str, ...]


def insertion(scene: Scene, corpus: Corpus, choose: Chooser, reading: Reading) -> Insertion | NotApplicable:
    """One thing to insert into ``scene``, of any class that captions name."""
    background = _background(scene, corpus, reading)
    if isinstance(background, NotApplicable):
        return background
    first = _one_of(background.classes, corpus, reading, choose)
    found = _placed(background, corpus, reading, first, choose.between(0, _LAST_SEED))
    return found or NotApplicable(reason="no cut-out with a place at each level of overlap")


def _background(scene: Scene, corpus: Corpus, reading: Reading) -> _Background | NotApplicable:
    layout = Layout.of(scene)
    if layout is None:
        return NotApplicable(reason="no thing in the picture")
    picture, areas = scene.frame.area, [box.area for box in boxes_of(scene)]
    salient = salient_area(areas, picture)
    if max(areas) < LEAST_SHARE * picture:
        return NotApplicable(reason=f"the largest thing takes less than {LEAST_SHARE} of the picture")
    if salient > MOST_SHARE * picture:
        return NotApplicable(reason=f"what is there takes more than {MOST_SHARE} of the picture")
    possible = areas_beside(salient, picture)
    if possible.high < least_area(layout):
        return NotApplicable(reason="what is as large as the others cannot cover 0.3 of the largest thing")
    classes = classes_that_fit(scene, names_by_class(corpus, reading))
    if not classes:
        return NotApplicable(reason="no cut-out of a class of which a caption surely tells whether it is there")
    return _Background(photo=scene.photo, layout=layout, areas=possible, classes=classes)


@lru_cache(maxsize=32768)
def _placed(
    background: _Background, corpus: Corpus, reading: Reading, first: CutoutEntry | None, seed: int
) -> Insertion | None:
    """The first cut-out that has a place at each level: ``first`` or, drawn from ``seed``, another one.

    Kept, since all items ask for the same ones: about 2 kB each.
    """
    random, entry = Random(seed), first
    for _ in range(_CUT_OUTS):
        if entry and corpus.scene(entry.index).photo != background.photo:
            boxes = places(background.layout, background.areas, (entry.w, entry.h), random)
            if boxes:
                return Insertion(cutout=corpus.cut_out(entry), boxes=boxes, layout=background.layout)
        entry = _one_of(background.classes, corpus, reading, RandomChooser(random))
    return None


def _one_of(classes: tuple[str, ...], corpus: Corpus, reading: Reading, choose: Chooser) -> CutoutEntry | None:
    """Any cut-out of any of the classes; None where no photo shows one of its name well."""
    entries = cut_outs(corpus, choose.one(names_by_class(corpus, reading)[choose.one(classes)]))
    return choose.one(entries) if entries else None
