"""Cases are kept in few bytes, and come back as they were."""

from __future__ import annotations

from collections import Counter

import pytest

from pytest_vqamt.core.case import Outcome
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.results import (
    RECORD_BYTES,
    DataUse,
    JudgedCases,
    ModelUse,
    RelationResult,
    build_report,
    merge_data_uses,
    merge_model_uses,
    order_results,
)
from pytest_vqamt.core.tallies import Tally


def test_a_record_is_of_the_case_its_scene_and_its_bits() -> None:
    judged = JudgedCases()
    judged.add("c1", "scene", Outcome.HOLDS, presumed=False)
    judged.add("c2", "scene", Outcome.UNPARSED, presumed=True)
    judged.add("c3", "scene", Outcome.HOLDS, presumed=True)
    judged.add("c4", "scene", Outcome.VIOLATED, presumed=False, before=Outcome.HOLDS)
    judged.add("c5", "scene", Outcome.HOLDS, presumed=False, before=Outcome.VIOLATED)
    judged.add("c6", "scene", Outcome.HOLDS, presumed=False, before=Outcome.ERROR)
    bits = ((f"c{place}", bytes([each])) for place, each in enumerate((1, 2, 3, 4 + 8, 1 + 4, 1), start=1))
    scene = bytes.fromhex(digest("scene"))
    assert bytes(judged.records) == b"".join(bytes.fromhex(digest(case)) + scene + of_case for case, of_case in bits)
    assert len(judged.records) == 6 * RECORD_BYTES


def test_an_error_is_not_kept() -> None:
    judged = JudgedCases()
    judged.add("c1", "scene", Outcome.ERROR, presumed=False)
    assert judged == JudgedCases()


def use(model: str, *, needed: int, asked: int, cached: int, times: int) -> ModelUse:
    """What a model took for so many items, of which each ran for two seconds, for a quarter of one with the model."""
    return ModelUse(
        name=model,
        fingerprint=f"of {model}",
        tasks=("vqa",),
        queries_needed=needed,
        queries_asked=asked,
        queries_cached=cached,
        busy_s=0.25 * times,
        items_s=2.0 * times,
    )


def result(
    position: int, *, model: str = "tiny", data: str = "pictures:500", asked: int = 0, version: int = 1
) -> RelationResult:
    return RelationResult(
        position=position,
        item=f"ours.number_{position}",
        version=version,
        claim="",
        model=use(model, needed=asked + 6, asked=asked, cached=1, times=1),
        data=DataUse(spec=data, scenes=500, digest="0" * 16),
        tags=(),
        tally=Tally(),
        scenes_not_applicable=0,
        not_applicable={},
        breakdown={},
        readings=Counter(),
        interval=(0.0, 1.0),
        gate=None,
    )


def test_each_model_stands_once_with_all_that_it_was_asked() -> None:
    results = (result(0, asked=10), result(1, model="oracle", asked=3), result(2, asked=5))
    used = merge_model_uses(each.model for each in results)
    assert used == (
        use("tiny", needed=27, asked=15, cached=2, times=2),
        use("oracle", needed=9, asked=3, cached=1, times=1),
    )
    assert [each.queries_saved for each in used] == [10, 5]


def test_two_models_of_one_name_are_not_put_together() -> None:
    one = use("tiny", needed=27, asked=15, cached=2, times=2)
    expected = (
        r"Expected model 'tiny' to be one model all along, but it was fingerprint='of tiny' for some items and "
        r"fingerprint='of another' for others: see that "
    )
    with pytest.raises(ModelError, match=expected):
        merge_model_uses((one, replace(one, fingerprint="of another")))


def test_each_source_stands_once() -> None:
    used = merge_data_uses([result(0), result(1, data="pictures:9"), result(2)])
    assert [each.spec for each in used] == ["pictures:500", "pictures:9"]


def test_results_stand_in_the_order_of_the_items_and_the_first_of_two_counts() -> None:
    ordered = order_results([result(2), result(0), result(1, version=1), result(1, version=2)])
    assert [(each.position, each.version) for each in ordered] == [(0, 1), (1, 1), (2, 1)]


def test_the_order_in_which_workers_finish_makes_no_difference() -> None:
    results = [result(0, asked=2), result(1, model="oracle"), result(2, data="pictures:9")]
    first, second = (
        build_report(
            each,
            vqamt_version="0.1.0",
            seed=0,
            sampler="random",
            max_cases=10,
            shard=(2, 3),
            started="",
            duration_s=0.0,
        )
        for each in (results, results[::-1])
    )
    assert first == second
    assert first.shard == "2/3"
    assert [model.name for model in first.models] == ["tiny", "oracle"]
