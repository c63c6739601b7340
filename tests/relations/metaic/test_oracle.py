"""A perfect perceiver violates none of MetaIC's relations: 1,000 cases of each item."""

from __future__ import annotations

from operator import attrgetter

import pytest

from pytest_vqamt.execution.plan import Sampling
from pytest_vqamt.sampling.samplers import Sampler
from tests.soundness.asking import Item, assert_it_is_right, cases, items, judged, model
from tests.soundness.samples import COCO, PICTURES, Sample, each_of

ITEMS = [item for item in items() if item.name.startswith("metaic.")]


@pytest.mark.slow
@each_of(PICTURES, COCO)
@pytest.mark.parametrize("item", ITEMS, ids=attrgetter("name"))
def test_it_holds_for_the_oracle(item: Item, sample: Sample) -> None:
    # A photo has but so many strengths of a transformation.
    wanted = 80 if item.name.startswith("metaic.deeptest") and sample == COCO else 1000
    count = 0
    sampling = Sampling(max_cases=1000, sampler=Sampler.RANDOM, seed=3)
    for each in judged(item, model("oracle"), cases(item, sample.load(), sampling)):
        assert_it_is_right(item, each)
        count += not each.verdict.vacuous
    assert count >= wanted
