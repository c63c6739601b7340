"""Models are ranked by the mean of their pass rates, over what all of them have."""

from __future__ import annotations

from random import Random

import pytest

from pytest_vqamt.core.results import RankedKind, Ranking, RelationResult
from pytest_vqamt.stats.model_ranking import rankings
from tests.stats.judging import Cases, cases_of, result


def ranked(*results: RelationResult) -> Ranking:
    [ranking] = rankings(results)
    return ranking


def test_every_item_counts_alike_however_many_cases_it_has() -> None:
    # one: 2 of 2 and 1 of 4, so 0.625 on average; two: 1 of 2 and 4 of 4, so 0.75. Of the cases they have 3 and 5 of 6.
    ranking = ranked(
        result("ours.few", "one", cases_of("++")),
        result("ours.many", "one", cases_of("+---")),
        result("ours.few", "two", cases_of("+-")),
        result("ours.many", "two", cases_of("++++")),
    )
    assert (ranking.data, ranking.kind, ranking.items) == (
        "pictures:9",
        RankedKind.RELATIONS,
        ("ours.few", "ours.many"),
    )
    assert [(place.model, place.mean, place.best_in) for place in ranking.places] == [
        ("two", 0.75, 1),
        ("one", 0.625, 1),
    ]
    first, second = ranking.places
    assert first.behind is None
    assert second.behind is not None
    assert second.behind.difference == -0.125


def test_models_that_are_equally_good_stand_in_the_order_of_the_run_and_are_both_best() -> None:
    ranking = ranked(*(result("ours.rule", model, cases_of("+-")) for model in ("b", "a", "c")))
    assert [(place.model, place.best_in) for place in ranking.places] == [("b", 1), ("a", 1), ("c", 1)]


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
        result(item, model, cases_of("+-"), presumed=presumed, tags=tags, data=data)
        for data in ("coco:A", "gqa:B")
        for model in ("one", "two")
        for item, tags, presumed in (
            ("control.repeat", ("control",), None),
            ("ours.base", ("baseline",), None),
            ("ours.rule", (), cases_of("++", start=10)),
            ("ours.other", (), None),
        )
    ]
    assert [(each.data, each.kind, each.items) for each in rankings(results)] == [
        (data, kind, items)
        for data in ("coco:A", "gqa:B")
        for kind, items in (
            (RankedKind.RELATIONS, ("ours.rule", "ours.other")),
            (RankedKind.PRESUMED, ("ours.rule",)),
            (RankedKind.BASELINE, ("ours.base",)),
            (RankedKind.CONTROL, ("control.repeat",)),
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
