"""How often the interval of a pass rate holds the truth, on scenes drawn at random: 95 times in 100, or nearly so.

Wilson's over cases, as if each were of a scene of its own, and the percentile bootstrap of scenes do not.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import sqrt

import numpy as np
import pytest

from pytest_vqamt.core.tallies import Clusters
from pytest_vqamt.stats.intervals import pass_rate_interval, wilson
from tests.stats.drawn_clusters import Numbers, alike, clusters, sizes

Ends = Callable[[Clusters], tuple[float, float]]


def drawn(seed: int, times: int, *, scenes: int, most: int, rate: float, icc: float) -> tuple[Numbers, Numbers]:
    """So many runs, a row each: of each scene how many cases hold, and how many there are."""
    draw = np.random.default_rng(seed)
    judged = sizes(draw, (times, scenes), 1, most)
    return draw.binomial(judged, alike(draw, (rate, 1 - rate), icc, (times, scenes))[..., 0]), judged


def covered(ends: Ends, rate: float, runs: tuple[Numbers, Numbers]) -> float:
    within = 0
    for holds, judged in zip(*runs, strict=True):
        low, high = ends(clusters(holds, judged))
        within += low <= rate <= high
    return within / len(runs[0])


def plain(cases: Clusters) -> tuple[float, float]:
    return wilson(cases.holds, cases.judged)


def percentile(cases: Clusters) -> tuple[float, float]:
    """The percentile bootstrap of scenes, 500 resamples."""
    rows = np.array(cases.rows)
    times = np.random.default_rng(0).multinomial(cases.scenes, rows[:, 2] / cases.scenes, 500)
    low, high = np.quantile((times @ rows[:, 0]) / (times @ rows[:, 1]), [0.025, 0.975])
    return float(low), float(high)


def least(times: int, nominal: float = 0.95) -> float:
    """What a coverage of 95 % does not fall below in so many runs, but for one time in 1,000."""
    return nominal - 3.1 * sqrt(nominal * (1 - nominal) / times)


@pytest.mark.parametrize(
    ("scenes", "most", "rate", "icc"),
    [
        (20, 10, 0.9, 0.3),
        pytest.param(50, 10, 0.8, 0.3, marks=pytest.mark.full),
        (50, 5, 0.95, 0.6),
        (100, 10, 0.98, 0.3),
        pytest.param(200, 8, 0.6, 0.2, marks=pytest.mark.full),
    ],
)
def test_it_covers_where_wilsons_over_cases_does_not(scenes: int, most: int, rate: float, icc: float) -> None:
    runs = drawn(1, 1000, scenes=scenes, most=most, rate=rate, icc=icc)
    assert covered(pass_rate_interval, rate, runs) >= least(1000)
    assert covered(plain, rate, runs) < 0.9


@pytest.mark.parametrize(
    ("scenes", "rate"),
    [(20, 0.9), pytest.param(50, 0.95, marks=pytest.mark.full), pytest.param(100, 0.98, marks=pytest.mark.full)],
)
def test_it_covers_near_1_where_the_percentile_bootstrap_does_not(scenes: int, rate: float) -> None:
    runs = drawn(2, 500, scenes=scenes, most=6, rate=rate, icc=0.6)
    assert covered(pass_rate_interval, rate, runs) >= least(500)
    assert covered(percentile, rate, runs) < 0.9


def test_it_is_not_much_wider_than_need_be() -> None:
    """Of many scenes whose cases are independent, it is on average at most a tenth wider than Wilson's."""
    runs = (clusters(*run) for run in zip(*drawn(3, 150, scenes=200, most=6, rate=0.85, icc=0), strict=True))
    assert np.mean([width(pass_rate_interval(cases)) / width(plain(cases)) for cases in runs]) < 1.1


def width(ends: tuple[float, float]) -> float:
    return ends[1] - ends[0]


@pytest.mark.slow
@pytest.mark.parametrize("scenes", [20, 50, 100, 400])
def test_it_covers_everywhere(scenes: int) -> None:
    """Within what Wilson's own interval does on as many single cases, whose coverage swings as it is a count."""
    for most, rate, icc in product((3, 10), (0.5, 0.7, 0.85, 0.9, 0.95, 0.98), (0, 0.1, 0.3, 0.6)):
        found = covered(pass_rate_interval, rate, drawn(5, 2000, scenes=scenes, most=most, rate=rate, icc=icc))
        assert found >= least(2000, 0.94), (most, rate, icc)
