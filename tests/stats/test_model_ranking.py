"""Models are held against each other on the cases that both have judged."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.core.case import Outcome
from pytest_vqamt.core.results import JudgedCases, Ranking, RankingKind, RelationResult
from pytest_vqamt.core.tallies import PairedClusters, PairedSceneTally, SceneCounter
from pytest_vqamt.stats.conclude import (
    arrays_of,
    differences,
    paired_of,
    rankings,
)
from pytest_vqamt.stats.paired import paired_interval, two_sided_p
from tests.stats.judging import Cases, cases_of, result

judgement = st.none() | st.sampled_from(Outcome)
told = st.lists(st.tuples(st.sampled_from("abcde"), st.booleans(), judgement, judgement), max_size=40)


@given(told, st.booleans(), st.integers(min_value=0))
def test_pairs_are_those_of_a_spread_however_the_cases_came(
    cases: Sequence[tuple[str, bool, Outcome | None, Outcome | None]], presumed: bool, at: int
) -> None:
    first, second, spread = JudgedCases(), JudgedCases(), SceneCounter()
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
    paired = PairedClusters(
        (PairedSceneTally(0, 0, 0, 1, 1), PairedSceneTally(0, 2, 0, 0, 1), PairedSceneTally(2, 0, 0, 0, 1))
    )
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


def ranked(*results: RelationResult) -> Ranking:
    [ranking] = rankings(results)
    return ranking


def test_every_case_counts_alike_in_whatever_item_it_is() -> None:
    # one: 3 of 6 cases; two: 5 of 6. Of the shared cases one alone has the second of "few", and two three of "many".
    ranking = ranked(
        result("ours.few", "one", cases_of("++")),
        result("ours.many", "one", cases_of("+---", start=10)),
        result("ours.few", "two", cases_of("+-")),
        result("ours.many", "two", cases_of("++++", start=10)),
    )
    assert (ranking.data, ranking.kind, ranking.items) == (
        "pictures:9",
        RankingKind.RELATIONS,
        ("ours.few", "ours.many"),
    )
    assert [(place.model, place.mean, place.best_in) for place in ranking.places] == [
        ("two", 5 / 6, 1),
        ("one", 0.5, 1),
    ]
    first, second = ranking.places
    assert first.behind is None
    assert second.behind is not None
    assert second.behind.difference == pytest.approx(-2 / 6)
    # Four scenes differ, one against three: of 16 signs 10 have a net of 2 or more either way.
    assert second.behind.p == pytest.approx(10 / 16)


def test_the_difference_of_all_relations_is_that_of_one_with_all_cases() -> None:
    """One method for one relation and for all of them."""
    parts = {"one": ("+++-+", "+--++"), "two": ("++--+", "---++")}
    results = [
        result(f"ours.{place}", model, cases_of(verdicts, start=10 * place))
        for model, both in parts.items()
        for place, verdicts in enumerate(both)
    ]
    whole = {model: {**cases_of(a), **cases_of(b, start=10)} for model, (a, b) in parts.items()}
    [together] = differences([result("ours.all", model, cases) for model, cases in whole.items()])
    [_, second] = ranked(*results).places
    assert second.behind is not None
    assert (second.behind.difference, second.behind.interval, second.behind.p) == (
        together.paired.difference,
        together.interval,
        together.p,
    )


def test_models_that_are_equally_good_stand_in_the_order_of_the_run_and_none_is_best() -> None:
    ranking = ranked(*(result("ours.rule", model, cases_of("+-")) for model in ("b", "a", "c")))
    assert [(place.model, place.best_in) for place in ranking.places] == [("b", 0), ("a", 0), ("c", 0)]


def test_an_item_that_one_of_them_has_not_is_no_part_of_the_mean() -> None:
    results = [
        result("ours.rule", "one", cases_of("+")),
        result("ours.rule", "two", cases_of("-")),
        result("ours.only", "two", cases_of("+")),
        result("ours.nothing", "one", {}),
        result("ours.nothing", "two", cases_of("+")),
    ]
    assert ranked(*results).items == ("ours.rule",)


def test_models_of_different_tasks_are_ranked_with_those_they_share_items_with() -> None:
    asks = [result("ours.asks", model, cases_of("+")) for model in ("one", "two", "three")]
    tells = [result("ours.tells", model, cases_of("-")) for model in ("one", "two")]
    found = rankings([*asks, *tells, result("ours.alone", "four", cases_of("+"))])
    assert [(each.items, [place.model for place in each.places]) for each in found] == [
        (("ours.asks",), ["one", "two", "three"]),
        (("ours.tells",), ["one", "two"]),
    ]


def test_kinds_and_data_sources_are_ranked_apart() -> None:
    results = [
        result(item, model, cases_of("+-", start=start), presumed=presumed, tags=tags, data=data)
        for data in ("coco:A", "gqa:B")
        for model in ("one", "two")
        for item, tags, presumed, start in (
            ("control.repeat", ("control",), None, 0),
            ("ours.base", ("baseline",), None, 0),
            ("ours.rule", (), cases_of("++", start=10), 0),
            ("ours.other", (), None, 20),
        )
    ]
    assert [(each.data, each.kind, each.items) for each in rankings(results)] == [
        (data, kind, items)
        for data in ("coco:A", "gqa:B")
        for kind, items in (
            (RankingKind.RELATIONS, ("ours.rule", "ours.other")),
            (RankingKind.PRESUMED, ("ours.rule",)),
            (RankingKind.BASELINE, ("ours.base",)),
            (RankingKind.CONTROL, ("control.repeat",)),
        )
    ]


def test_one_model_is_not_ranked() -> None:
    assert rankings([result("ours.rule", "one", cases_of("+"))]) == ()


def test_where_cases_are_not_known_there_are_means_and_no_intervals() -> None:
    ranking = ranked(*(result("ours.rule", model, cases_of("+-"), known=False) for model in ("one", "two")))
    assert [(place.mean, place.interval, place.behind) for place in ranking.places] == [(0.5, None, None)] * 2


def test_the_order_in_which_the_cases_came_makes_no_difference_to_the_last_digit() -> None:
    random = Random(1)
    told: dict[tuple[str, str], dict[str, tuple[str, bool]]] = {
        (item, model): {f"{item} {n}": (str(random.randrange(40)), random.random() < 0.7) for n in range(97)}
        for item in ("ours.a", "ours.b", "ours.c")
        for model in ("one", "two")
    }

    def turned(cases: Cases) -> Cases:
        return dict(reversed(list(cases.items())))

    first, second = (
        rankings([result(item, model, change(cases)) for (item, model), cases in told.items()])
        for change in (dict, turned)
    )
    assert first == second


@pytest.mark.parametrize("presumed", [False, True])
def test_a_lead_that_all_scenes_show_is_sure_and_one_of_a_few_is_not(presumed: bool) -> None:
    for missing, sure in ((20, True), (2, False)):
        better, worse = cases_of("+" * 100), cases_of("-" * missing + "+" * (100 - missing))
        told = [
            result("ours.rule", model, {} if presumed else cases, presumed=cases if presumed else None)
            for model, cases in (("one", better), ("two", worse))
        ]
        [_, second] = ranked(*told).places
        assert second.behind is not None
        assert (second.behind.interval[1] < 0) is sure
