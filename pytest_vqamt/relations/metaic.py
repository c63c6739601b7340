"""The relations of MetaIC (Yu et al., ISSTA 2022), and the insertions that two of them share at all levels of overlap.

The chooser draws a class, a cut-out of it and one seed. Sizes and places come from that seed, and so do further
cut-outs if one has no place at some level: that takes thousands of tries, which shrinking should not simplify. So the
eight items insert the same thing, in one size, into the same pictures, as the authors' generator does, and share the
captions.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice
from math import ceil
from random import Random
from types import MappingProxyType
from typing import ClassVar

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case, Fact, NotApplicable, Outcome, RelationInfo, RelationSetting, Verdict
from pytest_vqamt.core.corpus import Corpus, CutoutEntry
from pytest_vqamt.core.edits import Cutout
from pytest_vqamt.core.meaning import Describe
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Answer, Query, Task
from pytest_vqamt.core.scene import Photo, Scene
from pytest_vqamt.language.answers.answer_text import prepare
from pytest_vqamt.language.captions.caption_reader import CaptionReading, class_of, classes_in
from pytest_vqamt.language.captions.number import NounForm
from pytest_vqamt.language.captions.verdicts import CaptionVerdict, check_appearance, check_forms
from pytest_vqamt.language.english.nouns import indefinite, is_countable, plural
from pytest_vqamt.relations import insertion_places as placement
from pytest_vqamt.relations import recognition
from pytest_vqamt.relations.base import BuiltInRelation
from pytest_vqamt.relations.draw import Draw
from pytest_vqamt.relations.edits import AT_MOST, LARGEST_SHARE, is_whole
from pytest_vqamt.relations.insertion_places import (
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
from pytest_vqamt.relations.recognition import (
    EXCLUDE_CUTOUTS,
    MAX_SHARED,
    CutoutRelation,
    best_cutouts,
    cutout_id,
    min_inserted_area,
)
from pytest_vqamt.relations.rules import SALIENT
from pytest_vqamt.relations.soundness import presumed
from pytest_vqamt.sampling.chooser import Chooser, RandomChooser

_MAX_CUT_OUTS = 30
"""The most cut-outs to try. Most of those without a place fail fast."""
_LAST_SEED = 2**32 - 1

METAIC = RelationSetting(
    name="metaic",
    values=(CaptionReading.REFINED.value, CaptionReading.STRICT.value),
    default=CaptionReading.REFINED.value,
    meaning="how classes are read from captions: with kinds, compounds and numbers understood, or as published",
)

DRAWS_AS = "metaic"
"""The seed name that all items of both relations share."""
BREAKDOWN = ("was_there", "objects")

_OBJECT_COUNT_BOUNDS = (2, 5, 10)
_OBJECT_COUNTS = ("1", "2 to 4", "5 to 9", "10 or more")

# As many strengths as DeepTest's code has for each transformation.
_STEPS = 10
_SIGMAS_PX = (0.8, 1.1, 1.4, 1.7)
"""The spreads of DeepTest's Gaussian and averaging filters: of 3, 4 and 5, or 7, and 6 pixels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedCutout:
    """A cut-out with its box at each level of overlap, in whole pixels and of one size."""

    cutout: Cutout
    """The thing, cut out of its own photo."""
    boxes: Mapping[str, Box]
    """Its box at each level ("0", "15", "30", "45")."""
    layout: OverlapLayout
    """The boxes of the picture that it is inserted into."""

    def picture(self, scene: Scene, level: str) -> Picture:
        """Returns the picture of ``scene`` with the thing inserted."""
        box = self.boxes[level]
        return scene.picture.insert(self.cutout, (box.x, box.y), (box.w, box.h))

    def covered(self, level: str) -> float:
        """Returns the covered share of the largest thing's box."""
        return self.layout.largest[0].share_under(Edges.of(self.boxes[level]))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Background:
    """A picture to insert into, with the classes that can be inserted."""

    photo: Photo
    """The photo, from which nothing is cut out to be inserted into it."""
    layout: OverlapLayout
    """The boxes that the inserted thing may cover."""
    areas: AreaRange
    """The areas of the inserted thing that are allowed, by what is in the picture."""
    classes: tuple[str, ...]
    """The classes whose number in a caption is certain."""


def sample_placed_cutout(
    scene: Scene, corpus: Corpus, choose: Chooser, reading: CaptionReading, excluded: frozenset[str] = frozenset()
) -> PlacedCutout | NotApplicable:
    """Draws a thing to insert into ``scene``, of any class that captions name, but no ``excluded`` cut-out."""
    background = _background(scene, corpus, reading)
    if isinstance(background, NotApplicable):
        return background
    # Drawn by the chooser, so that shrinking can simplify it; what follows comes from one seed, as thousands of tries
    # do not shrink.
    first = _one_of(background.classes, corpus, reading, excluded, choose)
    found = _placed(background, corpus, reading, excluded, first, choose.between(0, _LAST_SEED))
    return found or NotApplicable(reason="no thing to paste fits at each level of overlap")


def _background(scene: Scene, corpus: Corpus, reading: CaptionReading) -> _Background | NotApplicable:
    layout = OverlapLayout.of(scene)
    if layout is None:
        return NotApplicable(reason="no thing in the picture")
    picture, areas = scene.frame.area, [box.area for box in annotated_boxes(scene)]
    salient = salient_area(areas, picture)
    if max(areas) < MIN_LARGEST_SHARE * picture:
        return NotApplicable(reason=f"the largest thing takes less than {MIN_LARGEST_SHARE} of the picture")
    if salient > MAX_SALIENT_SHARE * picture:
        return NotApplicable(reason=f"the things take more than {MAX_SALIENT_SHARE} of the picture")
    possible = insertion_area_range(salient, picture)
    # Known without a try: the largest size allowed covers too little of the largest thing.
    if possible.high < min_covering_area(layout):
        return NotApplicable(reason="a thing as large as the others cannot cover 0.3 of the largest thing")
    classes = classes_that_fit(scene, names_by_class(corpus, reading))
    if not classes:
        return NotApplicable(reason="no thing to paste is one that captions surely name or leave out")
    return _Background(photo=scene.photo, layout=layout, areas=possible, classes=classes)


@lru_cache(maxsize=32768)
def _placed(
    background: _Background,
    corpus: Corpus,
    reading: CaptionReading,
    excluded: frozenset[str],
    first: CutoutEntry | None,
    seed: int,
) -> PlacedCutout | None:
    """Returns the first cut-out with a place at each level: ``first``, or others drawn from ``seed``.

    Cached (about 2 kB each), since all items need the same ones.
    """
    random, entry = Random(seed), first
    for _ in range(_MAX_CUT_OUTS):
        if entry and corpus.scene(entry.index).photo != background.photo:
            least = min_inserted_area(entry, background.layout.frame, corpus)
            # In photos a smaller thing is not recognised, though the paper's range allows it.
            areas = background.areas._replace(low=max(background.areas.low, least))
            boxes = place_at_all_levels(background.layout, areas, (entry.w, entry.h), random)
            if boxes:
                return PlacedCutout(cutout=corpus.cut_out(entry), boxes=boxes, layout=background.layout)
        entry = _one_of(background.classes, corpus, reading, excluded, RandomChooser(random))
    return None


def _one_of(
    classes: tuple[str, ...], corpus: Corpus, reading: CaptionReading, excluded: frozenset[str], choose: Chooser
) -> CutoutEntry | None:
    """Draws a cut-out of one of the classes; None if its name has none."""
    entries = cut_outs(corpus, choose.one(names_by_class(corpus, reading)[choose.one(classes)]), excluded)
    return choose.one(entries) if entries else None


# Of photos, cut-outs are the best of each name (``recognition``). Of drawn scenes, they are the largest fifth of each
# name that overlap nothing of another class, so that no part of it comes along (clothes are of no class, and do). They
# are whole and salient in their own scenes.


@lru_cache(maxsize=4096)
def class_read(name: str, reading: CaptionReading) -> str | None:
    """Returns the class that a caption of one such thing is read as; None unless it is the name's own class."""
    named, forms = class_of(name), classes_in(indefinite(name), reading)
    # "A sports ball" must be read as that class and no other, or nothing sure could be expected of a caption.
    return named if named and set(forms) == {named} and forms[named] is not NounForm.PLURAL else None


@lru_cache(maxsize=8)
def names_by_class(corpus: Corpus, reading: CaptionReading) -> Mapping[str, tuple[str, ...]]:
    """Returns the names of isolated things by class; of photos, the names of recognisable things."""
    found: dict[str, tuple[str, ...]] = {}
    for name, entries in corpus.cutouts.items():
        named = class_read(name, reading)
        # Finding cut-outs of photos measures pixels, so for drawn scenes only the annotations are looked at here.
        if named and (any(map(_is_isolated, entries)) if corpus.look is None else cut_outs(corpus, name)):
            found[named] = (*found.get(named, ()), name)
    return MappingProxyType(found)


@lru_cache(maxsize=512)
def cut_outs(corpus: Corpus, name: str, excluded: frozenset[str] = frozenset()) -> tuple[CutoutEntry, ...]:
    """Returns the cut-outs of a name, the best first, or the largest."""
    if corpus.look is not None:
        return tuple(entry for entry in best_cutouts(corpus, name, excluded) if _brings_no_class(entry, corpus))
    # Isolated ones first, then the largest fifth of those: a large person with a dog before it would bring the dog.
    alone = [entry for entry in corpus.cutouts[name] if _is_isolated(entry)]
    if excluded:
        alone = [entry for entry in alone if cutout_id(entry, corpus) not in excluded]
    wanted = ceil(LARGEST_SHARE * len(alone))
    step = ceil(wanted / AT_MOST) or 1
    well_shown = (entry for entry in alone[::step] if _is_well_shown(entry, corpus))
    return tuple(islice(well_shown, ceil(wanted / step)))


def classes_that_fit(scene: Scene, classes: Iterable[str]) -> tuple[str, ...]:
    """Returns the classes whose number in a caption is certain.

    Classes of crowds, of small things and fragments, and of names without a plural are left out.
    """
    # One more in a crowd is not told from the crowd, nor does a caption surely name a speck.
    unsure = {class_of(region.name) for region in scene.regions}
    for thing in scene.objects:
        if not (SALIENT.check(thing, scene) and is_countable(thing.name)):
            unsure.add(class_of(thing.name))
    return tuple(each for each in classes if each not in unsure)


def _is_isolated(entry: CutoutEntry) -> bool:
    # Names without a class come along unharmed: no verdict speaks of a shirt.
    return all(class_of(name) is None for name in entry.alongside)


def _brings_no_class(entry: CutoutEntry, corpus: Corpus) -> bool:
    """True if nothing that captions name is measured inside the cut-out, such as a person's handbag."""
    look = corpus.look(corpus.scene(entry.index).photo, entry.thing) if corpus.look else None
    return look is not None and all(class_of(each.name) is None for each in look.neighbours if each.shared > MAX_SHARED)


def _is_well_shown(entry: CutoutEntry, corpus: Corpus) -> bool:
    scene = corpus.scene(entry.index)
    thing = scene.thing(entry.thing)
    return is_whole(thing, scene) and SALIENT.check(thing, scene)


def caption_query(picture: Picture) -> Query:
    """Returns the query for a caption of ``picture``."""
    return Query(picture=picture, meaning=Describe(), task=Task.CAPTIONING)


def caption_queries(draw: Draw, edited: Picture) -> tuple[Query, Query]:
    """Returns the queries for captions of the scene's picture and of the ``edited`` one."""
    return caption_query(draw.picture), caption_query(edited)


def caption_texts(answers: Sequence[Answer]) -> tuple[str, ...]:
    """Returns the captions without reasoning traces."""
    return tuple(prepare(answer.text).said for answer in answers)


def caption_readings(answers: Sequence[Answer], reading: CaptionReading) -> tuple[str, ...]:
    """Returns the classes in each caption, as "dog, 2+ cats" or "no class"."""
    return tuple(_in_words(answer, reading) for answer in answers)


def unparsed_verdict(answers: Sequence[Answer], reading: CaptionReading) -> Verdict | None:
    """Returns the verdict on an empty caption or a refusal; None if all captions can be read."""
    for answer in answers:
        if unreadable := prepare(answer.text).unreadable:
            return Verdict(
                outcome=Outcome.UNPARSED, reason=unreadable.reason.value, readings=caption_readings(answers, reading)
            )
    return None


def _in_words(answer: Answer, reading: CaptionReading) -> str:
    if prepare(answer.text).unreadable:
        return "unparsed"
    forms = classes_in(prepare(answer.text).said, reading)
    named = (f"2+ {plural(each)}" if form is NounForm.PLURAL else each for each, form in forms.items())
    return ", ".join(named) or "no class"


@dataclass(frozen=True, slots=True, kw_only=True)
class InsertionRelation(CutoutRelation):
    """Base class of the relations: a subclass sets what is expected, the check of two captions, and kinds of errors."""

    expected: ClassVar[str]
    """The expectation in words, with "{}" for the inserted class."""
    check: ClassVar[Callable[[str, str, str, CaptionReading], CaptionVerdict | None]]
    """Checks the captions before and afterwards for the inserted name; None if there is nothing to judge."""
    kinds: ClassVar[tuple[str, ...]]
    """The kinds of errors that ``check`` finds, each a figure of the verdict."""

    metaic: str = METAIC.default
    """How classes are read from captions: "refined" or "strict"."""

    def cutouts(self, corpus: Corpus) -> dict[str, tuple[CutoutEntry, ...]]:
        names = chain.from_iterable(names_by_class(corpus, CaptionReading(self.metaic)).values())
        return {name: cut_outs(corpus, name, self.excluded) for name in names}

    def derive(self, draw: Draw) -> Case | NotApplicable:
        scene = draw.scene
        found = sample_placed_cutout(scene, draw.corpus, draw.choose, CaptionReading(self.metaic), self.excluded)
        if isinstance(found, NotApplicable):
            return found
        name = found.cutout.thing.name
        return draw.case_of(
            caption_queries(draw, found.picture(scene, draw.variant)),
            expected=self.expected.format(class_of(name)),
            facts=_facts(found, draw.variant, scene),
            presumed=presumed((name,), scene),
        )

    def judge(self, case: Case, answers: Sequence[Answer]) -> Verdict:
        reading = CaptionReading(self.metaic)
        if unread := unparsed_verdict(answers, reading):
            return unread
        before, after = caption_texts(answers)
        found = type(self).check(before, after, str(case.fact("inserted")), reading)
        # None: nothing to judge, as for singular_plural where the appearance is wrong already.
        kind = found.kind if found and found.violated else ""
        return Verdict(
            outcome=Outcome.VIOLATED if kind else Outcome.HOLDS,
            reason=f"{kind}: {found.reason}" if found and kind else "",
            vacuous=found is None,
            readings=caption_readings(answers, reading),
            figures=(("suspicious", float(bool(kind))), *((each, float(kind == each)) for each in self.kinds)),
        )


def _facts(found: PlacedCutout, level: str, scene: Scene) -> tuple[tuple[str, Fact], ...]:
    name = found.cutout.thing.name
    return (
        ("inserted", name),
        ("overlap", level),
        ("covered", round(found.covered(level), 3)),
        ("was_there", any(class_of(thing.name) == class_of(name) for thing in scene.objects)),
        ("objects", _OBJECT_COUNTS[bisect_right(_OBJECT_COUNT_BOUNDS, len(scene.objects))]),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectAppearance(InsertionRelation):
    """With one more thing in the picture, the caption names what it named before, and that thing.

    Yu et al., ISSTA 2022, section 3.4, MR1; how large the thing is and where it is put: section 3.2, the rules in
    ``insertion_places``. A violation is an omission where a class is missing and nothing else is named, and a
    misclassification where something else is.

    Of each picture four others are made, with one thing of one size in four places: each is a case of one variant, here
    and of ``metaic.singular_plural``. The variant is the share of the largest thing in the picture that is covered, in
    percent: 0, up to 15, 15 to 30, 30 to 45. A picture that has no place at one of the four levels has no case of any.

    **Deviation:** which interval the size is drawn from depends on the salient area S, as in the authors' code, and not
    on the largest thing. Crowds count as things that may be covered; the boxes that are compared are those
    annotated and, since pictures are made of them, the whole pixels. Nothing is inserted of a class of which a
    caption might, or might not, name more: that of a crowd, of a small thing or of a fragment in the background. A
    cut-out is enlarged at most twice, whole in its own photo, and has nothing of another class with it; from photos
    only the best are cut out (``recognition``), and ``exclude-cutouts=FILE`` leaves out more. Captions are read
    with kinds, compounds and number words understood; ``--vqamt-option metaic=strict`` reads them as published.
    "presumed" where more of the inserted kind may be there than is annotated.
    """

    info = RelationInfo(
        name="metaic.object_appearance",
        task=Task.CAPTIONING,
        source="Yu et al., ISSTA 2022, section 3.4, MR1",
        variants=tuple(placement.LEVELS),
        breakdown=BREAKDOWN,
        settings=(METAIC, recognition.EXCLUDE_CUTOUTS),
        draws_as=DRAWS_AS,
        version=3,
    )
    expected = "second names the same kinds of things as first, and {}"
    check = check_appearance
    kinds = ("omission", "misclassification")


@dataclass(frozen=True, slots=True, kw_only=True)
class SingularPlural(InsertionRelation):
    """With one more thing in the picture, the caption has all classes in the number that is right.

    Yu et al., ISSTA 2022, section 3.4, MR2: what was named before keeps its number, singular or plural; the class of
    the inserted thing is in the singular, or in the plural where it was named before. The cases are those of
    ``metaic.object_appearance``, the same pictures at the same levels, and so are the deviations.

    It is judged where that relation holds. Where it does not, the case holds vacuously here: the same pair is not
    reported twice, and the two relations' violations at one level add up to the paper's suspicious issues.
    """

    info = RelationInfo(
        name="metaic.singular_plural",
        task=Task.CAPTIONING,
        source="Yu et al., ISSTA 2022, section 3.4, MR2",
        variants=tuple(placement.LEVELS),
        breakdown=BREAKDOWN,
        settings=(METAIC, EXCLUDE_CUTOUTS),
        draws_as=DRAWS_AS,
        version=3,
    )
    expected = "what first names is as singular or plural in second; {} is singular, or plural where first names it"
    check = check_forms
    kinds = ("quantity",)


@dataclass(frozen=True, slots=True)
class Deeptest(BuiltInRelation):
    """A blurred, brighter, sheared picture, or one of more contrast, has the same caption.

    The baseline of Yu et al., ISSTA 2022, section 4.2: transformations of DeepTest (Tian et al., ICSE 2018), in the ten
    strengths of its authors' code, drawn evenly. "The same": but for case, spaces and a full stop.

    Tagged baseline: of what it reports, 12.9 to 41.2 % are errors (Table 1). All that was there is still there, so a
    perfect perceiver who always says the same of the same never violates it.

    **Deviation:** all blurs are Gaussian, as spread as DeepTest's Gaussian and averaging ones; its median and bilateral
    filters are left out. A picture is sheared about its middle row, not its first, and only so far that nothing
    leaves it.
    """

    info = RelationInfo(
        name="metaic.deeptest",
        task=Task.CAPTIONING,
        source="Yu et al., ISSTA 2022, section 4.2; Tian et al., ICSE 2018",
        version=3,
        variants=("blur", "brightness", "contrast", "shear"),
        tags=("baseline",),
        breakdown=("strength",),
        draws_as="metaic.deeptest",
    )

    def derive(self, draw: Draw) -> Case | NotApplicable:
        step = draw.choose.between(1, _STEPS)
        changed = _changed(draw.scene, draw.variant, step)
        if changed is None:
            return NotApplicable(reason="a thing would leave the picture")
        picture, strength = changed
        return draw.case_of(caption_queries(draw, picture), expected="first = second", facts=(("strength", strength),))

    def judge(self, case: Case, answers: Sequence[Answer]) -> Verdict:
        reading = CaptionReading.REFINED
        if unread := unparsed_verdict(answers, reading):
            return unread
        before, after = caption_texts(answers)
        differs = _normalised(before) != _normalised(after)
        return Verdict(
            outcome=Outcome.VIOLATED if differs else Outcome.HOLDS,
            reason=f"the captions must be the same, but got {before!r} and {after!r}" if differs else "",
            readings=caption_readings(answers, reading),
            figures=(("suspicious", float(differs)),),
        )


def _changed(scene: Scene, how: str, step: int) -> tuple[Picture, Fact] | None:
    """Returns the picture changed with a strength from 1 to 10; None if something would leave it."""
    match how:
        case "blur":
            sigma_px = _SIGMAS_PX[(step - 1) * len(_SIGMAS_PX) // _STEPS]
            return scene.picture.blur(sigma=sigma_px), sigma_px
        case "brightness":
            return scene.picture.brightness(10 * step), 10 * step
        case "contrast":
            return scene.picture.contrast(1 + step / 5), 1 + step / 5
    # Shearing is the one change that moves things, so only factors that keep all of them in the frame are drawn from.
    factors = [-each / 10 for each in range(1, _STEPS + 1) if _all_stay(each / 10, scene)]
    if not factors:
        return None
    factor = factors[(step - 1) * len(factors) // _STEPS]
    return scene.picture.shear(factor), factor


def _all_stay(factor: float, scene: Scene) -> bool:
    """True if nothing leaves the frame if rows move right by ``factor`` times their height above the middle."""
    middle = scene.height / 2
    return all(
        box.x + factor * (middle - box.y1) >= 0 and box.x1 + factor * (middle - box.y) <= scene.width
        for box in annotated_boxes(scene)
    )


def _normalised(caption: str) -> str:
    # A full stop more or less is no other caption.
    return " ".join(caption.casefold().split()).rstrip(" .")
