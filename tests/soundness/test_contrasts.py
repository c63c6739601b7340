"""Both right answers to a contrast differ as it says: for whoever knows the scenes, and for whoever sees the pixels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path

import pytest

from pytest_vqamt.core.case import Case, Outcome, RelationInfo, Verdict
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.query import Answer
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.execution.plan import Sampling
from pytest_vqamt.picture_world.source import PictureWorld
from pytest_vqamt.relations.contrasts import judge_contrast, with_contrast
from pytest_vqamt.sampling.chooser import Sampler
from tests.soundness.asking import Item, cases, each_item, each_item_with, judged, model
from tests.soundness.looking import wrong
from tests.soundness.outlines import OfCoco, OfPictureWorld
from tests.soundness.perceiver import Perceiver
from tests.soundness.samples import COCO, REAL, Sample, each_of
from tests.soundness.survey import survey


@dataclass(frozen=True, slots=True)
class Contrasted:
    """The contrasts of a relation's cases as a relation of their own, so that it is judged like any other."""

    info: RelationInfo

    def judge(self, case: Case, answers: Sequence[Answer]) -> Verdict:
        found = judge_contrast(case, answers[:1], answers[1])
        return Verdict(outcome=found.outcome, reason=found.reason)

    def derive(self, *_: object) -> Case:
        raise NotImplementedError


def contrasted(item: Item) -> Item:
    info = replace(item.relation.info, pairs=None)
    return Item(Contrasted(info), item.variant)


def pairs(item: Item, some: Iterable[Case], corpus: Corpus) -> Iterator[Case]:
    """For each case with a contrast: its text about both pictures."""
    for case in some:
        contrast = with_contrast(item.relation, case, corpus, 1.0).contrast
        if contrast is not None:
            queries = (case.queries[contrast.of], contrast.query)
            assert queries[0].text == queries[1].text
            assert queries[0].pictures != queries[1].pictures
            yield replace(case, queries=queries, contrast=replace(contrast, of=0))


def drawn(item: Item, source: SceneSource, count: int, seed: int = 0) -> Iterator[Case]:
    sampling = Sampling(max_cases=count, sampler=Sampler.RANDOM, seed=seed)
    return pairs(item, cases(item, source, sampling), source.corpus)


@cache
def pictures(count: int) -> PictureWorld:
    return PictureWorld(count)


@cache
def photos() -> Perceiver:
    return Perceiver(OfCoco(COCO.load(), Path(COCO.argument) / "instances.json"))


def assert_the_oracle_is_grounded(item: Item, some: Iterable[Case]) -> None:
    for each in judged(contrasted(item), model("oracle"), some):
        if each.verdict.outcome is not Outcome.HOLDS:
            pytest.fail(f"a contrast of {item.name} is wrong:\n{each}", pytrace=False)


def assert_nothing_is_wrong(item: Item, some: Iterable[Case], perceiver: Perceiver) -> None:
    if found := next(wrong(contrasted(item), some, perceiver), None):
        pytest.fail(f"a contrast of {item.name} is wrong, or an edit of it. {found}", pytrace=False)


@each_item_with(20, many=500, third=2)
def test_the_oracle_is_grounded_on_the_picture_world(item: Item, count: int) -> None:
    assert_the_oracle_is_grounded(item, drawn(item, pictures(500), count))


@pytest.mark.slow
@each_item
def test_the_oracle_is_grounded_on_20_000_cases(item: Item) -> None:
    assert_the_oracle_is_grounded(item, drawn(item, pictures(5_000), 20_000, seed=1))


@each_of(full=REAL)
@each_item
def test_the_oracle_is_grounded_on_real_data(item: Item, sample: Sample) -> None:
    assert_the_oracle_is_grounded(item, pairs(item, survey(item, sample).cases, sample.load().corpus))


@each_item_with(5, many=200, third=0)
def test_pixels_of_the_picture_world_show_what_contrasts_say(item: Item, count: int) -> None:
    source = pictures(500)
    assert_nothing_is_wrong(item, drawn(item, source, count, seed=2), Perceiver(OfPictureWorld(source)))


@each_of(full=(COCO,))
@each_item
def test_pixels_of_photos_show_what_contrasts_say(item: Item, sample: Sample) -> None:
    some = pairs(item, survey(item, sample).cases[::2], sample.load().corpus)
    assert_nothing_is_wrong(item, islice(some, 100), photos())
