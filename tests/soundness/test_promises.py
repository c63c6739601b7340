"""Whole cases keep what their edits promise, on scenes that Hypothesis draws, on the picture world and on photos."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case
from pytest_vqamt.core.corpus import gather_corpus
from pytest_vqamt.core.scene import Photo, Scene
from pytest_vqamt.imaging.render import render
from tests.core.random_scenes import scenes
from tests.making import choosers
from tests.soundness.asking import Item, each_item, items, tier_of
from tests.soundness.promises import broken
from tests.soundness.samples import COCO, PICTURES, REAL, Sample, each_of
from tests.soundness.survey import survey

LARGER = 14
"""So much larger than the grid that scenes are drawn on: some things are too small for an edit, and most are not."""

EDITING = tuple(
    item
    for item in items()
    if item.relation.info.name.startswith(
        ("metavqa.cut", "metavqa.ins", "metavqa.rem", "veglue.vqa", "veglue.mr", "carets.visual", "metaic.deep")
    )
    and item.variant in ("", "count", "blur6", "mask", "crop", "shear")
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


@pytest.mark.parametrize("item", [pytest.param(each, id=each.name, marks=tier_of(each)) for each in EDITING])
@settings(max_examples=15, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(data=st.data())
def test_on_scenes_of_all_kinds(item: Item, data: st.DataObject) -> None:
    some = tuple(data.draw(large_scenes(name)) for name in ("here", "elsewhere", "beyond"))
    corpus = gather_corpus(some, scene=some.__getitem__, measure=lambda: (90, 100, 110))
    outcomes = [item.relation.derive(some[0], corpus, chooser, item.variant) for chooser in choosers(20)]
    made = [outcome for outcome in outcomes if isinstance(outcome, Case)]
    assume(made)
    assert [broken_promise for case in made for broken_promise in broken(case, some[0])] == []


@each_of(PICTURES, COCO, full=REAL[1:])
@each_item
def test_on_annotated_scenes(item: Item, sample: Sample) -> None:
    scenes_by_id = {scene.id: scene for scene in map(sample.load().scene, range(sample.scenes))}
    for case in survey(item, sample).cases:
        assert list(broken(case, scenes_by_id[case.scene])) == [], case


@each_of(COCO)
@each_item
def test_photos_are_drawn_in_the_size_that_their_scenes_tell(item: Item, sample: Sample) -> None:
    source = sample.load()
    edited = (query.picture for case in survey(item, sample).cases for query in case.queries if query.picture.edits)
    for picture, _ in zip(dict.fromkeys(edited), range(4), strict=False):
        assert render(picture, source).size == (picture.scene.width, picture.scene.height)
