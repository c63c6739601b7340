"""2,000 insertions into photos, and as many into drawn scenes, obey every rule, checked on pixels."""

from __future__ import annotations

import pytest

from pytest_vqamt.relations.metaic.overlap import LEVELS
from tests.relations.inserted import insert_of
from tests.relations.metaic.drawn import drawn
from tests.relations.metaic.rules import broken
from tests.soundness.samples import COCO, PICTURES, Sample, each_of

INSERTIONS = 2000


@each_of(COCO, PICTURES)
def test_every_rule_holds(sample: Sample, capsys: pytest.CaptureFixture[str]) -> None:
    scenes = min(sample.scenes, 100)
    found = drawn(sample.load(), range(scenes), INSERTIONS // len(LEVELS))
    with capsys.disabled():
        print(f"\n{sample.shown}: {len(found.fruitful)} of {scenes} scenes have places at all four levels")
        for reason, count in found.reasons.most_common():
            print(f"  {count}: {reason}")
    assert len(found.of) * len(LEVELS) >= INSERTIONS
    for scene, each in found.of:
        for level in LEVELS:
            assert list(broken(scene, insert_of(each.picture(scene, level)), level)) == [], (scene.id, level)


@each_of(COCO, PICTURES)
def test_what_is_inserted_comes_from_another_photo_and_is_not_of_a_crowd(sample: Sample) -> None:
    found = drawn(sample.load(), range(min(sample.scenes, 100)), 100)
    for scene, each in found.of:
        assert each.cutout.photo != scene.photo
        assert each.cutout.thing.name not in {region.name for region in scene.regions}
    assert len({each.cutout.thing.name for _, each in found.of}) > 10
