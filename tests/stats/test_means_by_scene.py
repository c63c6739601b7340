"""The interval of a mean of pass rates: its variance by another's implementation, its coverage by simulation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from pytest_vqamt.stats.model_ranking import CaseArrays, MeanByScene, difference_interval, mean_interval, means_by_scene

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
    random = np.random.default_rng(3)
    items = drawn(random, 15, (40, 25, 90))
    [found] = means_by_scene({"one": items}).values()
    assert found.variance - found.imagined == pytest.approx(by_regression(items, 15), rel=1e-9)


def test_the_variance_of_a_difference_is_that_of_the_differing_outcomes() -> None:
    random = np.random.default_rng(4)
    first, second = (drawn(np.random.default_rng(5), 15, (40, 25)) for _ in range(2))
    second = [each._replace(holds=random.permuted(each.holds)) for each in second]
    both = means_by_scene({"one": first, "two": second})
    differing = [
        one._replace(holds=two.holds.astype(float) - one.holds) for one, two in zip(first, second, strict=True)
    ]
    expected = by_regression(differing, 15)
    apart = both["two"]._replace(errors=both["two"].errors - both["one"].errors)
    assert apart.variance - apart.imagined == pytest.approx(expected, rel=1e-9)
    low, high = difference_interval(0.1, both["two"], both["one"])
    # 2.144787 is Student's 97.5 % point with 14 degrees of freedom.
    assert (high - low) / 2 == pytest.approx(2.144787 * np.sqrt(expected + apart.imagined), rel=1e-6)


def test_imagined_scenes_are_half_a_one_of_the_usual_size_in_each_item_and_count_for_their_root() -> None:
    # Four cases of four scenes, and four of two: of 1/8 of the mean each; the usual scene has one, or two cases.
    alone, twos = (cases(np.array(each), np.ones(4, dtype=bool)) for each in ([0, 1, 2, 3], [0, 0, 1, 1]))
    [found] = means_by_scene({"one": [alone, twos]}).values()
    assert found.imagined == pytest.approx(0.5 * ((1 / 8) ** 2 + (2 / 8) ** 2) / 2**0.5)


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
    one = MeanByScene(errors=np.zeros(1), imagined=0.5)
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
