"""Models are held against each other on the cases that both have judged."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pytest_vqamt.core.case import Outcome
from pytest_vqamt.core.results import JudgedCases, Ranking, RankingKind, RelationResult
from pytest_vqamt.core.tallies import PairedClusters, PairedSceneTally, SceneCounter
from pytest_vqamt.stats.model_ranking import (
    CaseArrays,
    MeanByScene,
    arrays_of,
    difference_interval,
    differences,
    mean_interval,
    means_by_scene,
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


Floats = NDArray[np.float64]


def cases(scenes: NDArray[np.int64], holds: NDArray[np.bool_]) -> CaseArrays:
    return CaseArrays(np.arange(scenes.size, dtype=np.uint64), scenes.astype(np.uint64), holds)


def mean_of(items: list[CaseArrays]) -> float:
    return float(np.mean([each.holds.mean() for each in items]))


def by_regression(outcomes: list[CaseArrays], scenes: int) -> float:
    """The variance of the mean of an item's effects, robust against clusters, by statsmodels."""
    from statsmodels.regression.linear_model import OLS  # type: ignore[import-untyped]  # it ships no types

    y: Floats = np.concatenate([each.holds for each in outcomes]).astype(float)
    of_item = np.concatenate([np.full(each.holds.size, number) for number, each in enumerate(outcomes)])
    dummies = (of_item[:, None] == np.arange(len(outcomes))).astype(float)
    groups = np.concatenate([each.scenes for each in outcomes]).astype(int)
    fit: Any = OLS(y, dummies).fit(cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False})
    equal = np.full(len(outcomes), 1 / len(outcomes))
    return float(equal @ fit.cov_params() @ equal) * scenes / (scenes - 1)


def drawn(random: np.random.Generator, scenes: int, sizes: tuple[int, ...]) -> list[CaseArrays]:
    hard = random.normal(0, 1, scenes)
    of_scenes = [random.integers(0, scenes, size) for size in sizes]
    of_scenes[0][:scenes] = np.arange(scenes)  # so that every scene is there
    return [cases(each, random.random(each.size) < 1 / (1 + np.exp(-hard[each]))) for each in of_scenes]


def test_the_variance_is_that_of_a_regression_with_clusters() -> None:
    pytest.importorskip("statsmodels")
    random = np.random.default_rng(3)
    items = drawn(random, 15, (40, 25, 90))
    [found] = means_by_scene({"one": items}).values()
    assert found.variance - found.prior_variance == pytest.approx(by_regression(items, 15), rel=1e-9)


def test_the_variance_of_a_difference_is_that_of_the_differing_outcomes() -> None:
    pytest.importorskip("statsmodels")
    random = np.random.default_rng(4)
    first, second = (drawn(np.random.default_rng(5), 15, (40, 25)) for _ in range(2))
    second = [each._replace(holds=random.permuted(each.holds)) for each in second]
    both = means_by_scene({"one": first, "two": second})
    differing = [
        one._replace(holds=two.holds.astype(float) - one.holds) for one, two in zip(first, second, strict=True)
    ]
    expected = by_regression(differing, 15)
    apart = both["two"]._replace(errors=both["two"].errors - both["one"].errors)
    assert apart.variance - apart.prior_variance == pytest.approx(expected, rel=1e-9)
    low, high = difference_interval(0.1, both["two"], both["one"])
    # 2.144787 is Student's 97.5 % point with 14 degrees of freedom.
    assert (high - low) / 2 == pytest.approx(2.144787 * np.sqrt(expected + apart.prior_variance), rel=1e-6)


def test_imagined_scenes_are_half_a_one_of_the_usual_size_in_each_item_and_count_for_their_root() -> None:
    # Four cases of four scenes, and four of two: of 1/8 of the mean each; the usual scene has one, or two cases.
    alone, twos = (cases(np.array(each), np.ones(4, dtype=bool)) for each in ([0, 1, 2, 3], [0, 0, 1, 1]))
    [found] = means_by_scene({"one": [alone, twos]}).values()
    assert found.prior_variance == pytest.approx(0.5 * ((1 / 8) ** 2 + (2 / 8) ** 2) / 2**0.5)


def test_where_nothing_varies_the_interval_is_that_of_as_many_cases() -> None:
    # 100 cases of 100 scenes that all hold: Wilson's lower end is 100 / (100 + 1.96^2) = 0.963.
    [found] = means_by_scene({"one": [cases(np.arange(100), np.ones(100, dtype=bool))]}).values()
    low, high = mean_interval(1.0, found)
    assert low == pytest.approx(0.963, abs=0.002)
    assert high == 1.0
    low, high = difference_interval(0.0, found, found)
    assert -0.02 < low < 0 < high < 0.02
    assert low == -high


def test_of_one_scene_nothing_is_known() -> None:
    one = MeanByScene(errors=np.zeros(1), prior_variance=0.5)
    assert mean_interval(1.0, one) == (0.0, 1.0)
    assert difference_interval(0.5, one, one) == (-1.0, 1.0)


def covered(scenes: int, items: int, size: int, easy: float, runs: int) -> tuple[float, float]:
    """How often the intervals of a mean, and of a difference of means, hold the true one, where scenes differ."""
    random = np.random.default_rng(1)
    levels = np.linspace(easy - 1, easy + 1, items)
    hard = random.normal(0, 1, 100_000)
    truly, worse = (
        float(np.mean([np.mean(1 / (1 + np.exp(-less - hard))) for less in by])) for by in (levels, levels - 0.4)
    )
    hits = np.zeros(2)
    for _ in range(runs):
        hard = random.normal(0, 1, scenes)
        of_scenes = [random.integers(0, scenes, size) for _ in range(items)]
        one, two = (
            [
                cases(of, random.random(size) < 1 / (1 + np.exp(-level - hard[of])))
                for of, level in zip(of_scenes, by, strict=True)
            ]
            for by in (levels, levels - 0.4)
        )
        found = means_by_scene({"one": one, "two": two})
        low, high = mean_interval(mean_of(one), found["one"])
        hits[0] += low <= truly <= high
        low, high = difference_interval(mean_of(two) - mean_of(one), found["two"], found["one"])
        hits[1] += low <= worse - truly <= high
    return float(hits[0] / runs), float(hits[1] / runs)


@pytest.mark.parametrize(
    ("scenes", "items", "easy", "runs"),
    [
        (200, 10, 1.0, 400),
        pytest.param(500, 30, 1.0, 2000, marks=pytest.mark.slow),
        pytest.param(60, 10, 3.0, 2000, marks=pytest.mark.slow),
    ],
)
def test_the_intervals_cover_what_they_say(scenes: int, items: int, easy: float, runs: int) -> None:
    # Three standard errors of a share of 0.95 below it; they may well cover more where next to nothing fails.
    least = 0.95 - 3 * (0.95 * 0.05 / runs) ** 0.5
    assert min(covered(scenes, items, 100, easy, runs)) >= least


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
        RankingKind.RELATIONS,
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
