"""Whole cases keep what their edits promise, on scenes that Hypothesis draws, on the picture world and on photos."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case
from pytest_vqamt.core.corpus import gather_corpus
from pytest_vqamt.core.edits import Crop, Cut, Cutout
from pytest_vqamt.core.meaning import Count, Group, Related
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Query
from pytest_vqamt.core.scene import Photo, Scene
from pytest_vqamt.data.catalogue import load
from pytest_vqamt.execution.plan import Sampling
from pytest_vqamt.imaging.render import render
from tests.core.random_scenes import scenes
from tests.making import choosers, scene_of, thing_of
from tests.relations.deriving import derive
from tests.rows import each_row
from tests.soundness.asking import Item, cases, each_item, each_item_with, items, tier_of
from tests.soundness.promises import broken
from tests.soundness.samples import COCO, FEW_PICTURES, PICTURES, REAL, Sample, each_of
from tests.soundness.survey import survey

LARGER = 14
"""So much larger than the grid that scenes are drawn on: some things are too small for an edit, and most are not."""

_EDITING = (
    "metavqa.cut", "metavqa.ins", "metavqa.rem", "veglue.vqa", "veglue.mr", "carets.visual", "metaic.deep", "caption",
)  # fmt: skip

EDITING = tuple(
    item
    for item in items()
    if item.relation.info.name.startswith(
        (
            "metavqa.cut",
            "metavqa.ins",
            "metavqa.rem",
            "veglue.vqa",
            "veglue.mr",
            "carets.visual",
            "metaic.deep",
            "caption",
        )
    )
    and item.variant in ("", "count", "blur6", "mask", "crop", "shear", "others")
)
"""Each way to edit once; which question is asked makes no difference to where an edit may be.

MetaIC's places are drawn on such scenes in tests/relations/metaic/test_places.py: here, few drawn scenes have any.
"""


@st.composite
def large_scenes(draw: st.DrawFn, name: str) -> Scene:
    """A scene some hundred pixels wide, whose boxes end anywhere."""
    scene = draw(scenes())

    def larger(box: Box) -> Box:
        edges = [LARGER * edge for edge in (box.x, box.y, box.x1, box.y1)]
        x0, y0, x1, y1 = (edge + draw(st.sampled_from((0, 0.25, 1, 3))) for edge in edges)
        return Box.from_corners(
            x0, y0, max(min(x1, scene.width * LARGER), x0 + 1), max(min(y1, scene.height * LARGER), y0 + 1)
        )

    return replace(
        scene,
        id=name,
        photo=Photo(id=f"{name}.png", digest=f"digest of {name}"),
        width=scene.width * LARGER,
        height=scene.height * LARGER,
        objects=tuple(replace(thing, box=larger(thing.box), has_mask=True) for thing in scene.objects),
        regions=tuple(replace(region, box=larger(region.box)) for region in scene.regions),
    )


@pytest.mark.parametrize(
    "item",
    [
        # Few drawn scenes have what the others ask for, whose edits are those of insertion and of removal.
        pytest.param(each, id=each.name, marks=pytest.mark.full if "_plus" in each.name else tier_of(each))
        for each in EDITING
    ],
)
@settings(max_examples=5, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(data=st.data())
def test_on_scenes_of_all_kinds(item: Item, data: st.DataObject) -> None:
    some = tuple(data.draw(large_scenes(name)) for name in ("here", "elsewhere", "beyond"))
    corpus = gather_corpus(some, scene=some.__getitem__, measure=lambda: (90, 100, 110))
    outcomes = [derive(item.relation, some[0], chooser, item.variant, corpus) for chooser in choosers(20)]
    made = [outcome for outcome in outcomes if isinstance(outcome, Case)]
    assume(made)
    assert [broken_promise for case in made for broken_promise in broken(case, some[0])] == []


@each_of(FEW_PICTURES, full=(PICTURES, *REAL))
@each_item
def test_on_annotated_scenes(item: Item, sample: Sample) -> None:
    scenes_by_id = {scene.id: scene for scene in map(sample.load().scene, range(sample.scenes))}
    for case in survey(item, sample).cases:
        assert list(broken(case, scenes_by_id[case.scene])) == [], case


@each_of(full=(COCO,))
@each_item
def test_photos_are_drawn_in_the_size_that_their_scenes_tell(item: Item, sample: Sample) -> None:
    source = sample.load()
    edited = (query.picture for case in survey(item, sample).cases for query in case.queries if query.picture.edits)
    for picture, _ in zip(dict.fromkeys(edited), range(4), strict=False):
        assert render(picture, source).size == (picture.scene.width, picture.scene.height)


# Cases that break a promise are told of: what holds a case against its promises can fail.


def row(*, crowds: tuple[str, ...] = ()) -> Scene:
    """A dog, a cat and a cup of 20 x 20 pixels, 20 apart, in a picture of 200 x 100; a crowd in the corner."""
    things = ("dog", "cat", "cup")
    return scene_of(
        *(thing_of(name, id=name, box=Box(40 * place, 10, 20, 20)) for place, name in enumerate(things)), crowds=crowds
    )


def told(
    relation: str,
    *pictures: Picture,
    scene: Scene | None = None,
    asked: str = "dog",
    beside: str = "",
    variant: str = "count",
) -> str:
    scene = scene or row()
    related = (Related(predicate="near", to=Group(name=beside)),) if beside else ()
    meaning = Count(groups=(Group(name=asked, related=related),))
    queries = tuple(Query(picture=each, text="How many?", meaning=meaning) for each in (scene.picture, *pictures))
    case = Case(relation=relation, variant=variant, scene=scene.id, queries=queries, expected="")
    return "; ".join(broken(case, scene))


def pieces(*ends: int) -> tuple[Picture, ...]:
    return tuple(row().picture.edit(Cut(start=a, stop=b)) for a, b in pairwise(ends))


@each_row(
    ("ends", "complaint"),
    [
        ((0, 30, 70, 200), ""),
        ((0, 30, 70, 199), "do not make up"),
        ((0, 50, 70, 200), "goes through"),
        ((0, 30, 70, 120, 200), "holds nothing"),
        ((0, 30, 200), "there are 3 groups"),
        ((0, 25, 70, 200), "not in the middle"),
    ],
)
def test_of_cuts(ends: tuple[int, ...], complaint: str) -> None:
    assert complaint in (found := told("metavqa.cutting", *pieces(*ends)))
    assert bool(complaint) == bool(found)


def test_of_a_cut_through_a_crowd() -> None:
    # It covers the columns up to 50, so the dog and the cat are one group with it.
    scene = row(crowds=("person",))
    assert "goes through" in told("metavqa.cutting", *pieces(0, 30, 70, 200), scene=scene)
    assert "there are 2 groups" in told("metavqa.cutting", *pieces(0, 30, 70, 200), scene=scene)
    assert told("metavqa.cutting", *pieces(0, 70, 200), scene=scene) == ""


@each_row(
    ("at", "size", "photo", "complaint"),
    [
        ((120, 10), (20, 20), "elsewhere", ""),
        ((90, 20), (20, 20), "elsewhere", "overlaps something"),
        ((190, 10), (20, 20), "elsewhere", "not all in the picture"),
        ((120, 10), (20, 20), "made.png", "from the same photo"),
        ((120, 10), (50, 50), "elsewhere", "more than twice"),
        ((120, 10), (20, 30), "elsewhere", "another aspect ratio"),
    ],
)
def test_of_what_is_inserted(at: tuple[int, int], size: tuple[int, int], photo: str, complaint: str) -> None:
    digest = "digest of made" if photo == "made.png" else "another"
    cutout = Cutout(photo=Photo(id=photo, digest=digest), thing=thing_of("dog", box=Box(0, 0, 20, 20)))
    found = told("metavqa.insertion", row().picture.insert(cutout, at, size))
    assert complaint in found
    assert bool(complaint) == bool(found)


def test_of_what_is_erased() -> None:
    near = scene_of(
        thing_of("dog", id="dog", box=Box(0, 0, 50, 50)),
        thing_of("cat", id="cat", box=Box(40, 0, 50, 50)),
        thing_of("cup", id="cup", box=Box(48, 60, 10, 10)),
    )
    over_the_dog = near.picture.erase(Box(0, 0, 50, 50))
    assert "overlaps something" in told("metavqa.removal", over_the_dog, scene=near)
    assert "more than a tenth" in told("veglue.vqa_mr2", over_the_dog, scene=near)
    over_the_cup = near.picture.erase(Box(48, 60, 10, 10))
    assert told("metavqa.removal", over_the_cup, scene=near) == ""
    assert told("veglue.vqa_mr2", over_the_cup, scene=near) == ""


def test_of_what_is_kept() -> None:
    whole, small, half = Box(0, 0, 32, 32), Box(0, 10, 20, 20), Box(8, 0, 32, 32)
    assert told("carets.visual", row().picture.blur((whole,), sigma=3)) == ""
    assert "smaller than 32" in told("carets.visual", row().picture.blur((small,), sigma=3))
    assert "not kept" in told("carets.visual", row().picture.mask((half,), (1, 2, 3)))
    assert "cat at" in told("carets.visual", row().picture.blur((whole,), sigma=3), asked="dog", beside="cat")
    assert "not of whole pixels" in told("carets.visual", row().picture.edit(Crop(box=Box(0, 0, 32.5, 32))))


@each_row(
    ("level", "at", "side", "name", "photo", "complaint"),
    [
        ("0", (50, 0), 50, "dog", "elsewhere", ""),
        ("15", (60, 25), 50, "dog", "elsewhere", ""),
        ("45", (80, 25), 50, "dog", "elsewhere", ""),
        # Of the 60 x 60 pixels of the bus, 10 x 50 and 30 x 50.
        ("0", (60, 25), 50, "dog", "elsewhere", "R1: 0.138"),
        ("30", (80, 25), 50, "dog", "elsewhere", "R1: 0.416"),
        ("45", (130, 25), 50, "dog", "elsewhere", "R2: 1.0 of another"),
        # Of the crowd's 50 x 50, 10 x 40.
        ("0", (40, 40), 50, "dog", "elsewhere", "R2: 0.16 of another"),
        ("0", (50, 0), 30, "dog", "elsewhere", "an area of 900"),
        ("0", (50, 0), 50, "dog", "made.png", "from the same photo"),
        ("0", (50, 0), 50, "person", "elsewhere", "one of a crowd"),
    ],
)
def test_of_what_is_inserted_at_a_level(
    level: str, at: tuple[int, int], side: int, name: str, photo: str, complaint: str
) -> None:
    scene = scene_of(
        thing_of("bus", id="bus", box=Box(100, 20, 60, 60)),
        thing_of("cup", id="cup", box=Box(165, 60, 10, 10)),
        crowds=("person",),
    )
    digest = "digest of made" if photo == "made.png" else "another"
    cutout = Cutout(photo=Photo(id=photo, digest=digest), thing=thing_of(name, box=Box(0, 0, 25, 25)))
    edited = scene.picture.insert(cutout, at, (side, side))
    for relation in ("metaic.object_appearance", "metaic.singular_plural"):
        found = told(relation, edited, scene=scene, variant=level)
        assert complaint in found
        assert bool(complaint) == bool(found)
    assert "inserts nothing" in told("metaic.object_appearance", scene.picture.erase(Box(0, 0, 9, 9)), variant=level)


def test_of_what_is_sheared() -> None:
    # The rows of the dog, 10 to 30 of 100, go to the left by up to 40 times the factor.
    at_the_edge = scene_of(thing_of("dog", id="dog", box=Box(20, 10, 20, 20)))
    assert told("metaic.deeptest", at_the_edge.picture.shear(0.5), scene=at_the_edge) == ""
    assert "leaves the picture" in told("metaic.deeptest", at_the_edge.picture.shear(0.6), scene=at_the_edge)
    far_right = scene_of(thing_of("dog", id="dog", box=Box(170, 10, 20, 20)))
    assert "leaves the picture" in told("metaic.deeptest", far_right.picture.shear(-0.6), scene=far_right)


@each_item_with(5, many=50)
def test_a_relation_needs_what_its_queries_need_and_no_more(item: Item, count: int) -> None:
    """A model that takes less is told so before a case is drawn, by ``RelationInfo.needs`` alone."""
    some = cases(item, load("pictures"), Sampling(max_cases=count, contrast=1.0))
    needed = {ability for case in some for query in case.asked for ability in query.abilities}
    assert needed == set(item.relation.info.needs)
