"""Whoever looks at the pixels, and knows nothing of what edits say of their scenes, violates no relation either.

Where this fails and the oracle holds, an edit says something else than its picture shows, or a relation asks about what
an edit half destroys.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import chain, islice
from pathlib import Path

import pytest

from pytest_vqamt.core.case import Case
from pytest_vqamt.data.base import SceneSource
from pytest_vqamt.execution.plan import Sampling
from pytest_vqamt.picture_world.source import PictureWorld
from pytest_vqamt.sampling.samplers import Sampler
from tests.soundness.asking import Item, cases, each_item, each_item_set_otherwise
from tests.soundness.looking import wrong
from tests.soundness.outlines import OfCoco, OfPictureWorld
from tests.soundness.perceiver import Perceiver
from tests.soundness.samples import COCO, Sample, each_of
from tests.soundness.survey import survey

UNEDITED = 50


@cache
def pictures(count: int) -> PictureWorld:
    return PictureWorld(count)


@cache
def photos() -> Perceiver:
    return Perceiver(OfCoco(COCO.load(), Path(COCO.argument) / "instances.json"))


def drawn(item: Item, source: SceneSource, count: int, seed: int = 0) -> Iterable[Case]:
    """So many cases, or a few where nothing is edited, and all that can be wrong is the source."""
    some = cases(item, source, Sampling(max_cases=count, sampler=Sampler.RANDOM, seed=seed))
    first = next(some, None)
    if first is None:
        return ()
    edited = any(query.picture.edits for query in first.queries)
    return chain((first,), some if edited else islice(some, UNEDITED))


def assert_nothing_is_wrong(item: Item, some: Iterable[Case], perceiver: Perceiver) -> None:
    if found := next(wrong(item, some, perceiver), None):
        pytest.fail(f"{item.name} is wrong, or an edit of it. {found}", pytrace=False)


@each_item
def test_it_holds_on_the_picture_world(item: Item) -> None:
    source = pictures(500)
    assert_nothing_is_wrong(item, drawn(item, source, 500), Perceiver(OfPictureWorld(source)))


@each_item_set_otherwise
def test_it_holds_with_other_settings(item: Item) -> None:
    source = pictures(500)
    assert_nothing_is_wrong(item, drawn(item, source, 100), Perceiver(OfPictureWorld(source)))


@each_of(COCO)
@each_item
def test_it_holds_on_photos(item: Item, sample: Sample) -> None:
    assert_nothing_is_wrong(item, survey(item, sample).cases[::2], photos())


@pytest.mark.slow
@each_item
def test_it_holds_on_5_000_drawn_cases(item: Item) -> None:
    source = pictures(5_000)
    assert_nothing_is_wrong(item, drawn(item, source, 5_000, seed=1), Perceiver(OfPictureWorld(source)))


@pytest.mark.slow
@each_of(COCO)
@each_item
def test_it_holds_on_all_that_photos_give(item: Item, sample: Sample) -> None:
    assert_nothing_is_wrong(item, drawn(item, sample.load(), 2_000, seed=1), photos())
