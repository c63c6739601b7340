"""What is inserted into a picture, and where: drawn alike whatever the relation and the level of overlap.

A class, a cut-out of it and one seed are chosen. All sizes and places are drawn from that seed, and so are further
cut-outs where one finds no place at some level: that takes thousands of tries, none of which is worth being made
simpler when a violation is shrunk. So the eight items that draw with the same seeds put the same thing, in one size,
into the same pictures, as the authors' generator does, and share the captions.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from math import ceil
from random import Random
from types import MappingProxyType

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case, Fact, NotApplicable, Outcome, RelationSetting, Verdict
from pytest_vqamt.core.corpus import Corpus, CutoutEntry
from pytest_vqamt.core.edits import Cutout
from pytest_vqamt.core.meaning import Describe
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Answer, Query, Task
from pytest_vqamt.core.scene import Photo, Scene
from pytest_vqamt.language.answers.text import UnreadableAnswer, prepare_answer, strip_reasoning
from pytest_vqamt.language.captions import CaptionReading, NounForm, class_of, classes_in
from pytest_vqamt.language.english.nouns import indefinite, is_countable, plural
from pytest_vqamt.relations.base import Relation
from pytest_vqamt.relations.metaic.placement import (
    MAX_SALIENT_SHARE,
    MIN_LARGEST_SHARE,
    AreaRange,
    Edges,
    OverlapLayout,
    annotated_boxes,
    insertion_area_range,
    min_covering_area,
    place_at_all_levels,
    salient_area,
)
from pytest_vqamt.relations.soundness import is_salient, presumed
from pytest_vqamt.sampling.chooser import Chooser, RandomChooser

_MAX_CUT_OUTS = 30
"""So many are tried. Of most that find no place it is soon told: they are too small, or something is in their way."""
_LAST_SEED = 2**32 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedCutout:
    """A thing, and where it is at each level of overlap: in whole pixels, all of one size."""

    cutout: Cutout
    boxes: Mapping[str, Box]
    layout: OverlapLayout

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
    layout: OverlapLayout
    areas: AreaRange
    classes: tuple[str, ...]


def sample_placed_cutout(
    scene: Scene, corpus: Corpus, choose: Chooser, reading: CaptionReading
) -> PlacedCutout | NotApplicable:
    """One thing to insert into ``scene``, of any class that captions name."""
    background = _background(scene, corpus, reading)
    if isinstance(background, NotApplicable):
        return background
    first = _one_of(background.classes, corpus, reading, choose)
    found = _placed(background, corpus, reading, first, choose.between(0, _LAST_SEED))
    return found or NotApplicable(reason="no cut-out with a place at each level of overlap")


def _background(scene: Scene, corpus: Corpus, reading: CaptionReading) -> _Background | NotApplicable:
    layout = OverlapLayout.of(scene)
    if layout is None:
        return NotApplicable(reason="no thing in the picture")
    picture, areas = scene.frame.area, [box.area for box in annotated_boxes(scene)]
    salient = salient_area(areas, picture)
    if max(areas) < MIN_LARGEST_SHARE * picture:
        return NotApplicable(reason=f"the largest thing takes less than {MIN_LARGEST_SHARE} of the picture")
    if salient > MAX_SALIENT_SHARE * picture:
        return NotApplicable(reason=f"what is there takes more than {MAX_SALIENT_SHARE} of the picture")
    possible = insertion_area_range(salient, picture)
    if possible.high < min_covering_area(layout):
        return NotApplicable(reason="what is as large as the others cannot cover 0.3 of the largest thing")
    classes = classes_that_fit(scene, names_by_class(corpus, reading))
    if not classes:
        return NotApplicable(reason="no cut-out of a class of which a caption surely tells whether it is there")
    return _Background(photo=scene.photo, layout=layout, areas=possible, classes=classes)


@lru_cache(maxsize=32768)
def _placed(
    background: _Background, corpus: Corpus, reading: CaptionReading, first: CutoutEntry | None, seed: int
) -> PlacedCutout | None:
    """The first cut-out that has a place at each level: ``first`` or, drawn from ``seed``, another one.

    Kept, since all items ask for the same ones: about 2 kB each.
    """
    random, entry = Random(seed), first
    for _ in range(_MAX_CUT_OUTS):
        if entry and corpus.scene(entry.index).photo != background.photo:
            boxes = place_at_all_levels(background.layout, background.areas, (entry.w, entry.h), random)
            if boxes:
                return PlacedCutout(cutout=corpus.cut_out(entry), boxes=boxes, layout=background.layout)
        entry = _one_of(background.classes, corpus, reading, RandomChooser(random))
    return None


def _one_of(classes: tuple[str, ...], corpus: Corpus, reading: CaptionReading, choose: Chooser) -> CutoutEntry | None:
    """Any cut-out of any of the classes; None where no photo shows one of its name well."""
    entries = cut_outs(corpus, choose.one(names_by_class(corpus, reading)[choose.one(classes)]))
    return choose.one(entries) if entries else None


# Of each name the largest fifth of those that stand by themselves: nothing of a class is before or behind one, so
# that no part of it comes along (what a person wears is of no class, and does). Their own photos show them whole, and
# so large that they are recognised there.


_LARGEST_SHARE = 0.2
_AT_MOST = 200
"""So many cut-outs of a name to choose from, evenly out of the largest fifth."""
_EDGE_PX = 1
"""A thing whose box comes nearer to the edge of its photo may go on beyond."""


@lru_cache(maxsize=4096)
def class_read(name: str, reading: CaptionReading) -> str | None:
    """The class that is read from a caption of one thing of this name; None where it is none, or not its own."""
    named, forms = class_of(name), classes_in(indefinite(name), reading)
    return named if named and set(forms) == {named} and forms[named] is not NounForm.PLURAL else None


@lru_cache(maxsize=8)
def names_by_class(corpus: Corpus, reading: CaptionReading) -> Mapping[str, tuple[str, ...]]:
    """For each class of which some thing stands by itself, the names of such things."""
    found: dict[str, tuple[str, ...]] = {}
    for name, entries in corpus.cutouts.items():
        named = class_read(name, reading)
        if named and any(map(_is_alone, entries)):
            found[named] = (*found.get(named, ()), name)
    return MappingProxyType(found)


@lru_cache(maxsize=512)
def cut_outs(corpus: Corpus, name: str) -> tuple[CutoutEntry, ...]:
    """The cut-outs of a name, the largest first; there may be none."""
    alone = [entry for entry in corpus.cutouts[name] if _is_alone(entry)]
    wanted = ceil(_LARGEST_SHARE * len(alone))
    step = ceil(wanted / _AT_MOST) or 1
    well_shown = (entry for entry in alone[::step] if _is_well_shown(entry, corpus))
    return tuple(islice(well_shown, ceil(wanted / step)))


def classes_that_fit(scene: Scene, classes: Iterable[str]) -> tuple[str, ...]:
    """Those of ``classes`` of which a caption of the scene surely tells whether there is one thing, several or none.

    Not those of a crowd; nor those of a small thing or a fragment, which a caption may name or not; nor those of a
    thing whose name has no plural.
    """
    unsure = {class_of(region.name) for region in scene.regions}
    for thing in scene.objects:
        if not (is_salient(thing, scene) and is_countable(thing.name)):
            unsure.add(class_of(thing.name))
    return tuple(each for each in classes if each not in unsure)


def _is_alone(entry: CutoutEntry) -> bool:
    return all(class_of(name) is None for name in entry.alongside)


def _is_well_shown(entry: CutoutEntry, corpus: Corpus) -> bool:
    scene = corpus.scene(entry.index)
    thing, frame = scene.thing(entry.thing), scene.frame
    to_the_edge = min(thing.box.x, thing.box.y, frame.x1 - thing.box.x1, frame.y1 - thing.box.y1)
    return to_the_edge >= _EDGE_PX and is_salient(thing, scene)


METAIC = RelationSetting(
    name="metaic",
    values=(CaptionReading.REFINED.value, CaptionReading.STRICT.value),
    default=CaptionReading.REFINED.value,
    meaning="how classes are read from captions: with kinds, compounds and numbers understood, or as published",
)


def caption_query(picture: Picture) -> Query:
    """The query for a caption of ``picture``."""
    return Query(picture=picture, meaning=Describe(), task=Task.CAPTIONING)


def caption_texts(answers: Sequence[Answer]) -> tuple[str, ...]:
    """The captions without the model's thinking aloud."""
    return tuple(strip_reasoning(answer.text) for answer in answers)


def caption_readings(answers: Sequence[Answer], reading: CaptionReading) -> tuple[str, ...]:
    """The classes that are read from each caption: "dog, 2+ cats"; "no class" where none is."""
    return tuple(_in_words(answer, reading) for answer in answers)


def unparsed_verdict(answers: Sequence[Answer], reading: CaptionReading) -> Verdict | None:
    """The verdict where one of the captions is empty or a refusal; None where all can be read."""
    for answer in answers:
        found = prepare_answer(answer.text)
        if isinstance(found, UnreadableAnswer):
            return Verdict(
                outcome=Outcome.UNPARSED, reason=found.reason.value, readings=caption_readings(answers, reading)
            )
    return None


def _in_words(answer: Answer, reading: CaptionReading) -> str:
    if isinstance(prepare_answer(answer.text), UnreadableAnswer):
        return "unparsed"
    forms = classes_in(strip_reasoning(answer.text), reading)
    named = (f"2+ {plural(each)}" if form is NounForm.PLURAL else each for each, form in forms.items())
    return ", ".join(named) or "no class"


DRAWS_AS = "metaic"
"""All items of both relations draw with the same seeds."""
BREAKDOWN = ("was_there", "objects")

_OBJECT_COUNT_BOUNDS = (2, 5, 10)
_OBJECT_COUNTS = ("1", "2 to 4", "5 to 9", "10 or more")


def caption_case(
    relation: Relation,
    level: str,
    scene: Scene,
    corpus: Corpus,
    choose: Chooser,
    reading: CaptionReading,
    expected: str,
) -> Case | NotApplicable:
    """The case of ``relation`` at this level of overlap; ``expected`` has "{}" for the inserted class."""
    found = sample_placed_cutout(scene, corpus, choose, reading)
    if isinstance(found, NotApplicable):
        return found
    name = found.cutout.thing.name
    return Case(
        relation=relation.info.name,
        variant=level,
        scene=scene.id,
        queries=(caption_query(scene.picture), caption_query(found.picture(scene, level))),
        expected=expected.format(class_of(name)),
        facts=_facts(found, level, scene),
        tags=("presumed",) if presumed((name,), scene) else (),
    )


def inserted_name(case: Case) -> str:
    """The name of the thing that was inserted."""
    return str(case.fact("inserted"))


def _facts(found: PlacedCutout, level: str, scene: Scene) -> tuple[tuple[str, Fact], ...]:
    name = found.cutout.thing.name
    return (
        ("inserted", name),
        ("overlap", level),
        ("covered", round(found.covered(level), 3)),
        ("was_there", any(class_of(thing.name) == class_of(name) for thing in scene.objects)),
        ("objects", _OBJECT_COUNTS[bisect_right(_OBJECT_COUNT_BOUNDS, len(scene.objects))]),
    )
