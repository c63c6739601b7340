"""What is inserted into a picture, and where: drawn alike whatever the relation and the level of overlap.

A class, a cut-out of it and one seed are chosen. All sizes and places are drawn from that seed, and so are further
cut-outs where one finds no place at some level: that takes thousands of tries, of which none is worth being made simpler
when a violation is shrunk. The eight items that draw with the same seeds so put the same thing, in one size, into the
same pictures, as the authors' generator does, and share the captions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import NotApplicable
from pytest_vqamt.core.corpus import Corpus, CutoutEntry
from pytest_vqamt.core.edits import Cutout
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.captions import Reading
from pytest_vqamt.relations.metaic.cutouts import class_read, classes_that_fit, cut_outs, names_by_class
from pytest_vqamt.relations.metaic.overlap import Edges, Layout
from pytest_vqamt.relations.metaic.places import least_area, places
from pytest_vqamt.relations.metaic.sizes import LEAST_SHARE, MOST_SHARE, Areas, areas_beside, salient_area
from pytest_vqamt.sampling.chooser import Chooser
from pytest_vqamt.sampling.over_random import RandomChooser

_CUT_OUTS = 30
"""So many are tried. Of most that find no place it is soon told: they are too small, or the line is blocked."""
_LAST_SEED = 2**32 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Insertion:
    """A thing, and where it is at each level of overlap.

    Attributes:
        named: the class that captions name it by.
        boxes: in whole pixels, all of one size.
    """

    layout: Layout
    cutout: Cutout
    named: str
    boxes: Mapping[str, Box]

    def picture(self, scene: Scene, level: str) -> Picture:
        """The background with the thing in it."""
        box = self.boxes[level]
        return scene.picture.insert(self.cutout, (box.x, box.y), (box.w, box.h))

    def covered(self, level: str) -> float:
        """The share of the largest thing's box that is covered."""
        return self.layout.largest[0].share_under(Edges.of(self.boxes[level]))


def insertion(scene: Scene, corpus: Corpus, choose: Chooser, reading: Reading) -> Insertion | NotApplicable:
    """One thing to insert into ``scene``, of any class that captions name."""
    layout = Layout.of(scene)
    if layout is None:
        return NotApplicable(reason="nothing is annotated")
    areas = _areas(scene)
    if isinstance(areas, NotApplicable):
        return areas
    if areas.high < least_area(layout):
        return NotApplicable(reason="what is as large as the others is too small to cover 0.3 of the largest")
    names = names_by_class(corpus, reading)
    classes = classes_that_fit(scene, names)
    if not classes:
        return NotApplicable(reason="no cut-out of a class of which a caption surely tells how many there are")
    entry = _one_of(corpus, names, classes, choose)
    random = Random(choose.between(0, _LAST_SEED))
    for _ in range(_CUT_OUTS):
        if entry and corpus.scene(entry.index).photo != scene.photo:
            boxes = places(layout, areas, (entry.w, entry.h), random)
            if boxes:
                cutout = corpus.cut_out(entry)
                named = class_read(cutout.thing.name, reading)
                assert named is not None
                return Insertion(layout=layout, cutout=cutout, named=named, boxes=boxes)
        entry = _one_of(corpus, names, classes, RandomChooser(random))
    return NotApplicable(reason="no cut-out with a place at each level of overlap")


def _areas(scene: Scene) -> Areas | NotApplicable:
    """Between which areas the thing's own is to be."""
    areas = [each.box.area for each in (*scene.objects, *scene.regions)]
    if max(areas) < LEAST_SHARE * scene.frame.area:
        return NotApplicable(reason=f"the largest thing takes less than {LEAST_SHARE:.0%} of the picture")
    salient = salient_area(areas, scene.frame.area)
    if salient > MOST_SHARE * scene.frame.area:
        return NotApplicable(reason="the things take up nearly all of the picture")
    return areas_beside(salient, scene.frame.area)


def _one_of(
    corpus: Corpus, names: Mapping[str, Sequence[str]], classes: Sequence[str], choose: Chooser
) -> CutoutEntry | None:
    """Any cut-out of any of the classes; None where those of its name are all cut off by the edges of their photos."""
    entries = cut_outs(corpus, choose.one(names[choose.one(classes)]))
    return choose.one(entries) if entries else None
