"""The Wilson interval, against published values, statsmodels, and the test that it inverts."""

from __future__ import annotations

from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint  # type: ignore[import-untyped]  # it has no stubs

from pytest_vqamt.stats.intervals import wilson

Z95 = 1.959963984540054
"""The 97.5th percentile of the standard normal distribution, from a table."""


def by_bisection(successes: int, trials: int) -> tuple[float, float]:
    """The proportions that a score test does not reject: where |p - rate| = z sqrt(p (1 - p) / n), found by halving."""
    rate = successes / trials

    def rejected(p: float) -> bool:
        return abs(p - rate) > Z95 * sqrt(p * (1 - p) / trials)

    def border(kept: float, other: float) -> float:
        if not rejected(other):
            return other
        for _ in range(200):
            middle = (kept + other) / 2
            kept, other = (kept, middle) if rejected(middle) else (middle, other)
        return kept

    return border(rate, 0.0), border(rate, 1.0)


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        # Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_published_values(successes: int, trials: int, low: float, high: float) -> None:
    assert wilson(successes, trials) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 5000), st.floats(0, 1), st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_it_is_statsmodels(trials: int, share: float, confidence: float) -> None:
    successes = round(share * trials)
    expected = proportion_confint(successes, trials, alpha=1 - confidence, method="wilson")
    assert wilson(successes, trials, confidence) == pytest.approx(expected, abs=1e-9)


@given(st.integers(1, 5000), st.floats(0, 1))
def test_the_interval_is_what_a_score_test_does_not_reject(trials: int, share: float) -> None:
    successes = round(share * trials)
    assert wilson(successes, trials) == pytest.approx(by_bisection(successes, trials), abs=1e-7)


@given(st.integers(1, 5000), st.floats(0, 1))
def test_the_interval_holds_the_rate_and_stays_within_bounds(trials: int, share: float) -> None:
    successes = round(share * trials)
    low, high = wilson(successes, trials)
    assert 0 <= low <= successes / trials <= high <= 1
    assert low < high


@given(st.integers(1, 5000), st.floats(0, 1))
def test_failures_have_the_mirrored_interval(trials: int, share: float) -> None:
    successes = round(share * trials)
    low, high = wilson(trials - successes, trials)
    assert (1 - high, 1 - low) == pytest.approx(wilson(successes, trials), abs=1e-12)


def test_without_trials_nothing_is_known() -> None:
    assert wilson(0, 0) == (0.0, 1.0)


def test_none_and_all_reach_the_very_ends() -> None:
    assert wilson(0, 50)[0] == 0.0
    assert wilson(50, 50)[1] == 1.0


def test_more_confidence_makes_it_wider_and_more_trials_narrower() -> None:
    def width(interval: tuple[float, float]) -> float:
        return interval[1] - interval[0]

    assert width(wilson(30, 40, 0.99)) > width(wilson(30, 40)) > width(wilson(30, 40, 0.9))
    assert width(wilson(30, 40)) > width(wilson(300, 400))
