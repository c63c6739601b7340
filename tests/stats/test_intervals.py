"""The interval of a pass rate by scene: what it is where it can be said without it, and what it never does."""

from __future__ import annotations

from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.core.tallies import Alike, Clusters
from pytest_vqamt.stats.intervals import interval, students_t, wilson


def clusters(*rows: tuple[int, int, int]) -> Clusters:
    return Clusters(tuple(Alike(*row) for row in sorted(rows)))


kinds = st.dictionaries(
    st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(any), st.integers(1, 300), min_size=1, max_size=8
).map(lambda drawn: clusters(*((holds, holds + violated, times) for (holds, violated), times in drawn.items())))


@given(st.integers(0, 400), st.integers(0, 400))
def test_with_one_case_a_scene_it_is_wilsons(violated: int, holding: int) -> None:
    rows = [row for row in ((0, 1, violated), (1, 1, holding)) if row[2]]
    assert interval(clusters(*rows)) == pytest.approx(wilson(holding, holding + violated), abs=1e-12)


def test_with_cases_of_a_scene_that_are_always_alike_it_is_wilsons_of_the_scenes() -> None:
    assert interval(clusters((0, 5, 20), (5, 5, 80))) == pytest.approx(wilson(80, 100), abs=1e-9)


def test_where_all_hold_it_is_wilsons_of_the_scenes() -> None:
    assert interval(clusters((5, 5, 60))) == wilson(60, 60)
    assert interval(clusters((0, 5, 60))) == wilson(0, 60)


def test_a_case_worked_out_by_hand() -> None:
    # As in test_effective: 40 scenes of two cases, 50 of the 80 cases hold, half a scene of either sort imagined.
    p = 51 / 82
    by_scene = 10 * (2 * p) ** 2 + 10 * (1 - 2 * p) ** 2 + 20 * (2 - 2 * p) ** 2 + 0.5 * ((2 - 2 * p) ** 2 + 4 * p * p)
    deff = by_scene / (82 * p * (1 - p)) * (40 / 39) * (79 / 80)
    worth = 80 / deff * (students_t(79) / students_t(39)) ** 2
    expected = wilson(50 / 80 * worth, worth)
    assert interval(clusters((0, 2, 10), (1, 2, 10), (2, 2, 20))) == pytest.approx(expected, abs=1e-9)


def test_of_one_scene_next_to_nothing_is_known() -> None:
    low, high = interval(clusters((40, 50, 1)))
    assert low < 0.15
    assert high > 0.95


def test_without_cases_nothing_is_known() -> None:
    assert interval(Clusters()) == (0.0, 1.0)


@given(kinds)
def test_it_holds_the_rate_stays_within_bounds_and_is_never_a_point(drawn: Clusters) -> None:
    low, high = interval(drawn)
    assert 0 <= low <= drawn.holds / drawn.judged <= high <= 1
    assert high - low > 1e-4


@given(kinds)
def test_violations_have_the_mirrored_interval(drawn: Clusters) -> None:
    low, high = interval(drawn)
    mirrored = clusters(*((row.judged - row.holds, row.judged, row.scenes) for row in drawn.rows))
    assert interval(mirrored) == pytest.approx((1 - high, 1 - low), abs=1e-9)


@given(kinds)
def test_it_is_no_narrower_than_if_cases_of_one_scene_told_as_much_as_others(drawn: Clusters) -> None:
    low, high = interval(drawn)
    plain_low, plain_high = wilson(drawn.holds, drawn.judged)
    assert low <= plain_low + 1e-12
    assert high >= plain_high - 1e-12


@given(kinds)
def test_with_violations_the_lower_end_is_not_above_that_of_the_same_scenes_with_none(drawn: Clusters) -> None:
    holding: dict[int, int] = {}
    for row in drawn.rows:
        holding[row.judged] = holding.get(row.judged, 0) + row.scenes
    whole = clusters(*((judged, judged, times) for judged, times in holding.items()))
    assert interval(drawn)[0] <= interval(whole)[0] + 1e-12


def test_it_is_cheap() -> None:
    rows = tuple(Alike(holds, judged, 3) for judged in range(1, 20) for holds in range(judged + 1))
    interval(Clusters(rows))
    started = perf_counter()
    for _ in range(20):
        interval(Clusters(rows))
    assert (perf_counter() - started) / 20 < 0.02
