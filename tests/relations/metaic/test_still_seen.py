"""How much of what was there is left to be seen, pixel by pixel, where a thing is inserted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pytest_vqamt.language.captions import class_of
from pytest_vqamt.picture_world.source import PictureWorld
from tests.relations.metaic.drawn import draw_many
from tests.soundness.outlines import OfCoco, OfPictureWorld
from tests.soundness.perceiver import GONE_SHARE, SEEN_SHARE
from tests.soundness.pixels import Outlines, view
from tests.soundness.samples import COCO, PICTURES, Sample, each_of

WANTED = 60


def outlines_of(sample: Sample) -> Outlines:
    source = sample.load()
    if isinstance(source, PictureWorld):
        return OfPictureWorld(source)
    return OfCoco(source, Path(sample.argument) / "instances.json")


@each_of(PICTURES, COCO)
@pytest.mark.parametrize(
    ("level", "least"),
    [
        # Nothing is covered.
        ("0", 1.0),
        # All is surely seen.
        ("15", SEEN_SHARE),
        # Rule R1 has so much of the largest thing covered, and nothing is gone.
        ("30", GONE_SHARE),
        ("45", GONE_SHARE),
    ],
)
def test_nothing_that_a_caption_names_is_hidden(sample: Sample, level: str, least: float) -> None:
    outlines = outlines_of(sample)
    found = draw_many(sample.load(), range(40), WANTED)
    for scene, each in found.of[:WANTED]:
        for shown in view(each.picture(scene, level), outlines).shown:
            if shown.origin[0] == scene.photo and class_of(shown.thing.name):
                left = np.count_nonzero(shown.pixels) / shown.had
                assert left >= least, (scene.id, shown.thing.name, left)
