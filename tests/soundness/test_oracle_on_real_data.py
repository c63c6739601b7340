"""A perfect perceiver never violates a relation on real annotations either: crowds, tiny and overlapping boxes."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from pytest_vqamt.core.case import Case
from pytest_vqamt.execution.plan import Sampling
from pytest_vqamt.sampling.chooser import Sampler
from tests.soundness.asking import (
    Item,
    assert_it_is_right,
    cases,
    each_item,
    items,
    judged,
    model,
)
from tests.soundness.samples import REAL, Sample, each_of
from tests.soundness.survey import survey


def assert_the_oracle_holds(item: Item, some: Iterable[Case]) -> None:
    for each in judged(item, model("oracle"), some):
        assert_it_is_right(item, each)


@each_of(full=REAL)
@each_item
def test_the_oracle_holds(item: Item, sample: Sample) -> None:
    # A relation that gives no case here is told of in docs/reference/applies.md, which a test of its own keeps true.
    assert_the_oracle_holds(item, survey(item, sample).cases)


@each_of(full=REAL)
def test_real_data_gives_cases(sample: Sample) -> None:
    assert len(sample.load()) >= sample.scenes
    (item,) = (each for each in items() if each.name == "corruption[zoom-global]")
    assert survey(item, sample).cases


@pytest.mark.slow
@each_of(*REAL)
@each_item
def test_the_oracle_holds_on_all_there_is(item: Item, sample: Sample) -> None:
    sampling = Sampling(max_cases=20_000, sampler=Sampler.RANDOM, seed=1)
    assert_the_oracle_holds(item, cases(item, sample.load(), sampling))
