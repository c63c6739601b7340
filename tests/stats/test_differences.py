"""Models are held against each other on the cases that both have judged."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.core.case import Outcome
from pytest_vqamt.core.results import JudgedCases
from pytest_vqamt.core.tallies import AlikeTwice, PairedClusters, Spread
from pytest_vqamt.stats.model_ranking import arrays_of, differences, paired_of
from pytest_vqamt.stats.paired import paired_interval, two_sided_p
from tests.stats.judging import cases_of, result

judgement = st.none() | st.sampled_from(Outcome)
told = st.lists(st.tuples(st.sampled_from("abcde"), st.booleans(), judgement, judgement), max_size=40)


@given(told, st.booleans(), st.integers(min_value=0))
def test_pairs_are_those_of_a_spread_however_the_cases_came(
    cases: Sequence[tuple[str, bool, Outcome | None, Outcome | None]], presumed: bool, at: int
) -> None:
    first, second, spread = JudgedCases(), JudgedCases(), Spread()
    middle = at % (len(cases) + 1)
    numbered = list(enumerate(cases))
    for number, (scene, apart, one, _) in numbered:
        if one is not None:
            first.add(f"case {number}", scene, one, presumed=apart)
    for number, (scene, apart, _, other) in [*numbered[middle:], *numbered[:middle]]:
        if other is not None:
            second.add(f"case {number}", scene, other, presumed=apart)
    for scene, apart, one, other in cases:
        if apart == presumed and one is not None and other is not None:
            spread.add(scene, other, one)
    assert paired_of(arrays_of(first, presumed=presumed), arrays_of(second, presumed=presumed)) == spread.paired


def test_a_difference_is_of_the_shared_cases_the_earlier_model_first() -> None:
    # Of five shared cases the first model has four, the second two; three scenes have two cases, two, and one.
    good, bad = cases_of("++++- +", scenes="aabbc d"), cases_of("++---+ ", scenes="aabbce ")
    [found] = differences([result("ours.rule", "good", good), result("ours.rule", "bad", bad)])
    paired = PairedClusters((AlikeTwice(0, 0, 0, 1, 1), AlikeTwice(0, 2, 0, 0, 1), AlikeTwice(2, 0, 0, 0, 1)))
    assert (found.item, found.data, found.presumed, found.models) == ("ours.rule", "pictures:9", False, ("good", "bad"))
    assert found.paired == paired
    assert (found.interval, found.p) == (paired_interval(paired), two_sided_p(paired))


def test_every_two_models_are_compared_and_holm_is_for_each_two() -> None:
    verdicts = {"one": "+" * 8, "two": "-" * 8, "three": "-" * 8}
    found = differences(
        [
            result(item, model, cases_of(told))
            for model, told in verdicts.items()
            for item in ("ours.rule", "ours.other")
        ]
    )
    assert [(each.item, each.models) for each in found] == [
        (item, models)
        for item in ("ours.rule", "ours.other")
        for models in (("one", "two"), ("one", "three"), ("two", "three"))
    ]
    # Eight scenes that all fall are 2 of 2^8 changes of sign; two such items: the double of it.
    assert [each.p for each in found[:3]] == pytest.approx([2 / 256, 2 / 256, 1])
    assert [each.p_holm for each in found[:3]] == pytest.approx([4 / 256, 4 / 256, 1])


def test_presumed_cases_are_apart_and_controls_are_not_counted_by_holm() -> None:
    sure, apart = cases_of("+" * 8), cases_of("+" * 8, start=100)
    against = cases_of("-" * 8), cases_of("-" * 8, start=100)
    found = differences(
        [
            result("ours.rule", "one", sure, presumed=apart),
            result("control.repeat", "one", sure, tags=("control",)),
            result("ours.rule", "two", against[0], presumed=against[1]),
            result("control.repeat", "two", against[0], tags=("control",)),
        ]
    )
    assert [(each.item, each.presumed, each.paired.shared) for each in found] == [
        ("ours.rule", False, 8),
        ("ours.rule", True, 8),
        ("control.repeat", False, 8),
    ]
    assert [each.p_holm for each in found] == [pytest.approx(4 / 256), pytest.approx(4 / 256), None]


def test_each_data_source_is_by_itself() -> None:
    results = [
        result("ours.rule", model, cases_of("+" * 8 if model == "one" else "-" * 8), data=data)
        for model in ("one", "two")
        for data in ("coco:A", "gqa:B")
    ]
    first, second = differences(results)
    assert (first.data, second.data) == ("coco:A", "gqa:B")
    assert [first.p_holm, second.p_holm] == [pytest.approx(2 / 256)] * 2


def test_one_model_or_no_shared_case_or_no_cases_known_is_no_difference() -> None:
    assert differences([result("ours.rule", "one", cases_of("++"))]) == ()
    apart = [result("ours.rule", "one", cases_of("+ ")), result("ours.rule", "two", cases_of(" +"))]
    assert differences(apart) == ()
    unknown = [result("ours.rule", model, cases_of("+"), known=False) for model in ("one", "two")]
    assert differences(unknown) == ()
