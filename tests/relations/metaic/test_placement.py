"""2,000 insertions into photos, and as many into drawn scenes, obey every rule, checked on pixels."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.captions import class_of
from pytest_vqamt.relations.metaic.insertion import cut_outs
from pytest_vqamt.relations.metaic.placement import (
    HIGHEST,
    LEVELS,
    Areas,
    Layout,
    areas_beside,
    boxes_of,
    drawn,
    least_area,
    on_the_line,
    salient_area,
)
from tests.relations.inserted import insert_of
from tests.relations.metaic.drawn import draw_many
from tests.relations.metaic.rules import broken
from tests.soundness.samples import COCO, PICTURES, Sample, each_of

INSERTIONS = 2000


def areas_of(scene: Scene) -> Areas:
    picture = scene.width * scene.height
    return areas_beside(salient_area([box.area for box in boxes_of(scene)], picture), picture)


@each_of(COCO, PICTURES)
def test_every_rule_holds(sample: Sample, capsys: pytest.CaptureFixture[str]) -> None:
    scenes = min(sample.scenes, 100)
    found = draw_many(sample.load(), range(scenes), INSERTIONS // len(LEVELS))
    with capsys.disabled():
        print(f"\n{sample.shown}: {len(found.fruitful)} of {scenes} scenes have places at all four levels")
        for reason, count in found.reasons.most_common():
            print(f"  {count}: {reason}")
    assert len(found.of) * len(LEVELS) >= INSERTIONS
    for scene, each in found.of:
        for level in LEVELS:
            assert list(broken(scene, insert_of(each.picture(scene, level)), level)) == [], (scene.id, level)


@each_of(COCO, PICTURES)
def test_the_share_of_cut_outs_that_find_a_place_at_a_level_is_told(
    sample: Sample, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus, random, found = sample.load().corpus, Random(0), Counter[str]()
    entries = [entry for name in corpus.cutouts if class_of(name) for entry in cut_outs(corpus, name)]
    tried = 0
    for scene in map(sample.load().scene, range(40)):
        layout, areas = Layout.of(scene), areas_of(scene)
        if layout is None or areas.high < least_area(layout):
            continue
        for entry in random.sample(entries, 10):
            tried += 1
            first = drawn(layout, areas, (entry.w, entry.h), random)
            levels = [level for level in LEVELS if first and (level == HIGHEST or on_the_line(layout, first, level))]
            found.update([*levels, *(["all"] if len(levels) == len(LEVELS) else [])])
    with capsys.disabled():
        shares = ", ".join(f"{level}: {found[level] / tried:.0%}" for level in (*LEVELS, "all"))
        print(f"\n{sample.shown}, {tried} cut-outs in scenes where they can cover enough: {shares}")
    assert found["all"] > 0
    assert all(found[HIGHEST] >= found[level] >= found["all"] for level in LEVELS)


@each_of(COCO, PICTURES)
def test_what_is_inserted_comes_from_another_photo_and_is_not_of_a_crowd(sample: Sample) -> None:
    found = draw_many(sample.load(), range(min(sample.scenes, 100)), 100)
    for scene, each in found.of:
        assert each.cutout.photo != scene.photo
        assert each.cutout.thing.name not in {region.name for region in scene.regions}
    assert len({each.cutout.thing.name for _, each in found.of}) > 10
