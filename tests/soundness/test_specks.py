"""Who overlooks specks and is right about all else violates nothing that is not presumed.

A speck is what is not salient in its own photo (``core.salience``). A relation whose answer must be yes, or a number,
asks about salient things, or says the same of each picture in which a speck is overlooked.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from pytest_vqamt.core.case import Case, Outcome
from pytest_vqamt.data.catalogue import load
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.execution.plan import Sampling
from pytest_vqamt.models.wrapped import LoadedModel
from pytest_vqamt.sampling.chooser import Sampler
from tests.soundness.asking import Item, cases, each_item_with, items, judged, model
from tests.soundness.samples import REAL, Sample, each_of
from tests.soundness.survey import survey


def speck_blind(source: SceneSource) -> LoadedModel:
    made = model("fault:speck-blind")
    made.meet((source,))
    return made


def assert_nothing_is_violated(item: Item, source: SceneSource, some: Iterable[Case]) -> None:
    for each in judged(item, speck_blind(source), some):
        if each.verdict.outcome is not Outcome.HOLDS and not each.case.is_presumed:
            pytest.fail(f"{item.name} asks about a speck:\n{each}", pytrace=False)


@each_item_with(30, many=500, third=0)
def test_nothing_is_violated(item: Item, count: int) -> None:
    source = load("pictures:500")
    some = cases(item, source, Sampling(max_cases=count, sampler=Sampler.RANDOM))
    assert_nothing_is_violated(item, source, some)


@each_of(*REAL[:2])
@pytest.mark.parametrize("name", ["veglue.vqa_mr1", "carets.ontological[hypernym]", "carets.ontological[hyponym]"])
def test_nothing_is_violated_where_specks_were_asked_about(name: str, sample: Sample) -> None:
    (item,) = (each for each in items() if each.name == name)
    assert_nothing_is_violated(item, sample.load(), survey(item, sample).cases)


@each_of(full=REAL)
@pytest.mark.parametrize("item", items(), ids=lambda item: item.name)
def test_nothing_is_violated_on_real_data(item: Item, sample: Sample) -> None:
    assert_nothing_is_violated(item, sample.load(), survey(item, sample).cases)
