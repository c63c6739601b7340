"""Tango's interval, against published values and against the likelihood that it is derived from."""

from __future__ import annotations

from math import log, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar  # type: ignore[import-untyped]  # its stubs are a package of their own

from pytest_vqamt.stats.tango import tango
from pytest_vqamt.stats.wilson import wilson

Z95 = 1.959963984540054
"""The 97.5th percentile of the standard normal distribution, from a table."""

tables = st.tuples(st.integers(0, 200), st.integers(0, 200), st.integers(0, 800)).filter(any)


def score(difference: float, lost: int, won: int, cases: int) -> float:
    """The score statistic of a difference, with the most likely shares under it found by search."""

    def unlikeliness(share_lost: float) -> float:
        shares = (share_lost, share_lost + difference, 1 - 2 * share_lost - difference)
        counts = (lost, won, cases - lost - won)
        return -sum(count * log(max(share, 1e-300)) for count, share in zip(counts, shares, strict=True) if count)

    bounds = (max(0.0, -difference), (1 - difference) / 2)
    share = minimize_scalar(unlikeliness, bounds=bounds, method="bounded", options={"xatol": 1e-13}).x
    return (won - lost - cases * difference) / sqrt(cases * (2 * share + difference * (1 - difference)))


def test_published_values() -> None:
    # Airway hyper-responsiveness before and after stem cell transplantation: 7 of 21 children got it, 1 lost it.
    # Fagerland, Lydersen and Laake, Statistics in Medicine 33 (2014).
    assert tango(7, 1, 21) == pytest.approx((-0.517, -0.026), abs=5e-4)


@pytest.mark.parametrize(("lost", "won", "cases"), [(7, 1, 21), (12, 30, 100), (3, 0, 50), (40, 39, 90), (0, 1, 8)])
def test_the_ends_are_where_the_score_is_z(lost: int, won: int, cases: int) -> None:
    low, high = tango(lost, won, cases)
    assert score(low, lost, won, cases) == pytest.approx(Z95, abs=1e-4)
    assert score(high, lost, won, cases) == pytest.approx(-Z95, abs=1e-4)


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
