"""Tango's interval, against published values and against the likelihood that it is derived from."""

from __future__ import annotations

from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq  # type: ignore[import-untyped]  # its stubs are a package of their own

from pytest_vqamt.stats.intervals import wilson
from pytest_vqamt.stats.paired import tango

Z95 = 1.959963984540054
"""The 97.5th percentile of the standard normal distribution, from a table."""

tables = st.tuples(st.integers(0, 200), st.integers(0, 200), st.integers(0, 800)).filter(any)


def score(difference: float, lost: int, won: int, cases: int) -> float:
    """The score statistic of a difference, with the likeliest shares under it: where the likelihood's slope is 0."""
    same = cases - lost - won

    def slope(share: float) -> float:
        return lost / share + won / (share + difference) - 2 * same / (1 - 2 * share - difference)

    least, most = max(0.0, -difference), (1 - difference) / 2
    margin = 1e-9 * (most - least)
    share = brentq(slope, least + margin, most - margin, xtol=1e-16, rtol=1e-15)
    return (won - lost - cases * difference) / sqrt(cases * (2 * share + difference * (1 - difference)))


def test_published_values() -> None:
    # Airway hyper-responsiveness before and after stem cell transplantation: 7 of 21 children got it, 1 lost it.
    # Fagerland, Lydersen and Laake, Statistics in Medicine 33 (2014).
    assert tango(7, 1, 21) == pytest.approx((-0.517, -0.026), abs=5e-4)


@pytest.mark.parametrize(
    ("lost", "won", "cases"), [(7, 1, 21), (12, 30, 100), (40, 39, 90), (1, 5, 8), (3_000, 2_500, 100_000)]
)
def test_the_ends_are_where_the_score_is_z(lost: int, won: int, cases: int) -> None:
    found = (won - lost) / cases
    low = brentq(lambda end: score(end, lost, won, cases) - Z95, -0.99, found, xtol=1e-14)
    high = brentq(lambda end: score(end, lost, won, cases) + Z95, found, 0.99, xtol=1e-14)
    assert tango(lost, won, cases) == pytest.approx((low, high), abs=1e-9)


@given(st.floats(0.5, 5000))
def test_where_nothing_differs_it_is_as_far_to_either_side_as_wilsons_of_none(cases: float) -> None:
    end = wilson(0, cases)[1]
    assert tango(0, 0, cases) == pytest.approx((-end, end), abs=1e-9)


@given(tables)
def test_it_holds_the_difference_and_stays_within_bounds(table: tuple[int, int, int]) -> None:
    lost, won, same = table
    cases = lost + won + same
    low, high = tango(lost, won, cases)
    assert -1 <= low <= (won - lost) / cases <= high <= 1
    assert low < high


@given(tables)
def test_the_other_way_round_it_is_mirrored(table: tuple[int, int, int]) -> None:
    lost, won, _ = table
    low, high = tango(lost, won, sum(table))
    assert tango(won, lost, sum(table)) == pytest.approx((-high, -low), abs=1e-9)


@given(tables)
def test_it_leaves_0_out_where_mcnemars_test_without_correction_rejects(table: tuple[int, int, int]) -> None:
    lost, won, _ = table
    low, high = tango(lost, won, sum(table))
    statistic = (lost - won) ** 2 / max(1, lost + won)
    if abs(statistic - Z95**2) > 1e-6:
        assert (low > 0 or high < 0) == (statistic > Z95**2)


def test_without_cases_nothing_is_known() -> None:
    assert tango(0, 0, 0) == (-1.0, 1.0)
