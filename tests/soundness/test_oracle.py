"""A perfect perceiver that reads perfectly never violates a relation: if it does, the relation is wrong."""

from __future__ import annotations

import pytest

from pytest_vqamt.data.catalogue import load
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.execution.plan import Sampling
from pytest_vqamt.sampling.chooser import Sampler
from tests.soundness.asking import (
    Item,
    assert_it_is_right,
    cases,
    each_item,
    each_item_set_otherwise,
    each_item_with,
    judged,
    model,
)

MOSTLY_SHOWN = 0.5
"""At most so many of the oracle's passes may be vacuous: else the relation asks about next to nothing."""


@pytest.fixture(scope="module")
def pictures() -> SceneSource:
    return load("pictures")


@pytest.fixture(scope="module")
def many_pictures() -> SceneSource:
    return load("pictures:5000")


def assert_the_oracle_holds(item: Item, source: SceneSource, sampling: Sampling) -> None:
    count = vacuous = 0
    for each in judged(item, model("oracle"), cases(item, source, sampling)):
        assert_it_is_right(item, each)
        count += 1
        vacuous += each.verdict.vacuous
    assert count == sampling.max_cases
    assert vacuous <= MOSTLY_SHOWN * count


@each_item_with(60, many=500)
def test_the_oracle_holds(item: Item, count: int, pictures: SceneSource) -> None:
    assert_the_oracle_holds(item, pictures, Sampling(max_cases=count, sampler=Sampler.RANDOM))


@pytest.mark.full  # the default tier asks the oracle about such cases in test_fault_matrix.py
@each_item
def test_the_oracle_holds_on_what_hypothesis_draws(item: Item, pictures: SceneSource) -> None:
    assert_the_oracle_holds(item, pictures, Sampling(max_cases=150, sampler=Sampler.HYPOTHESIS))


@each_item_set_otherwise
def test_the_oracle_holds_with_other_settings(item: Item, pictures: SceneSource) -> None:
    assert_the_oracle_holds(item, pictures, Sampling(max_cases=50, sampler=Sampler.RANDOM))


@pytest.mark.slow
@each_item
def test_the_oracle_holds_on_20_000_cases(item: Item, many_pictures: SceneSource) -> None:
    assert_the_oracle_holds(item, many_pictures, Sampling(max_cases=20_000, sampler=Sampler.RANDOM, seed=1))
