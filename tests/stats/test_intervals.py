"""Binomial probabilities, against scipy."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import exp, lgamma, pi, sqrt, tan
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq  # type: ignore[import-untyped]  # its stubs are a package of their own
from scipy.special import stdtr  # type: ignore[import-untyped]  # as above
from scipy.stats import binom, f_oneway  # type: ignore[import-untyped]  # as above
from statsmodels.stats.proportion import proportion_confint  # type: ignore[import-untyped]  # it has no stubs

from pytest_vqamt.core.tallies import Clusters, SceneTally
from pytest_vqamt.stats.binomial import UpperTail, probabilities, upper_quantile
from pytest_vqamt.stats.intervals import (
    SceneGroup,
    effective_sample_size,
    intraclass_correlation,
    least_sample_size,
    mean_scene_size,
    pass_rate_interval,
    students_t,
    wilson,
)

TRIALS = [1, 2, 7, 60, 999, 100_000, 1_000_000]
SHARES = [0.0, 1e-6, 0.02, 0.3, 0.5, 0.9, 0.999999, 1.0]


def test_probabilities_and_quantiles_are_scipys() -> None:
    for trials, share in product(TRIALS, SHARES):
        fewest, each = probabilities(trials, share)
        numbers = np.arange(fewest, fewest + len(each))
        left_out = binom.cdf(fewest - 1, trials, share) + binom.sf(numbers[-1], trials, share)
        assert 0 <= fewest <= numbers[-1] <= trials, (trials, share)
        assert each == pytest.approx(binom.pmf(numbers, trials, share), abs=1e-12), (trials, share)
        assert left_out < 1e-20, (trials, share)
        for probability in (0.31, 0.05, 0.05 / 1000):
            found = upper_quantile(trials, share, probability)
            assert binom.sf(found, trials, share) <= probability, (trials, share)
            assert found == 0 or binom.sf(found - 1, trials, share) > probability, (trials, share)


@pytest.mark.parametrize("shares", [SHARES[1::3], pytest.param(SHARES, marks=pytest.mark.full)])
def test_a_tail_that_is_raised_stays_scipys(shares: Sequence[float]) -> None:
    steps = 1000
    for (trials, successes), share in product([(0, 0), (5, 0), (5, 5), (40, 30), (3000, 1500), (3000, 300)], shares):
        draw = np.random.default_rng(trials + successes)
        tail = UpperTail(trials, share, successes)
        for _ in range(steps):
            if tail.successes == tail.trials or draw.random() < 0.5:
                tail.add_trial()
            else:
                tail.add_success()
        assert tail.trials + tail.successes == trials + successes + steps
        expected = binom.sf(tail.successes, tail.trials, share)
        assert tail.probability == pytest.approx(expected, abs=1e-12), (trials, successes, share)


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_a_tail_that_was_nothing_comes_back(share: float) -> None:
    tail = UpperTail(2000, share, 1999)
    assert tail.probability < 1e-20
    while tail.trials * share < 2000:
        tail.add_trial()
    assert tail.probability == pytest.approx(binom.sf(1999, tail.trials, share), abs=1e-12)
    assert tail.probability > 0.4


# The interval of a pass rate by scene: what it is where it can be said without it, and what it never does.


def clusters(*rows: tuple[int, int, int]) -> Clusters:
    return Clusters(tuple(SceneTally(*row) for row in sorted(rows)))


kinds = st.dictionaries(
    st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(any), st.integers(1, 300), min_size=1, max_size=8
).map(lambda drawn: clusters(*((holds, holds + violated, times) for (holds, violated), times in drawn.items())))


@given(st.integers(0, 400), st.integers(0, 400))
def test_with_one_case_a_scene_it_is_wilsons(violated: int, holding: int) -> None:
    rows = [row for row in ((0, 1, violated), (1, 1, holding)) if row[2]]
    assert pass_rate_interval(clusters(*rows)) == pytest.approx(wilson(holding, holding + violated), abs=1e-12)


def test_with_cases_of_a_scene_that_are_always_alike_it_is_wilsons_of_the_scenes() -> None:
    assert pass_rate_interval(clusters((0, 5, 20), (5, 5, 80))) == pytest.approx(wilson(80, 100), abs=1e-9)


def test_where_all_hold_it_is_wilsons_of_the_scenes() -> None:
    assert pass_rate_interval(clusters((5, 5, 60))) == wilson(60, 60)
    assert pass_rate_interval(clusters((0, 5, 60))) == wilson(0, 60)


def test_a_case_worked_out_by_hand() -> None:
    # As in test_effective: 40 scenes of two cases, 50 of the 80 cases hold, half a scene of either sort imagined.
    p = 51 / 82
    by_scene = 10 * (2 * p) ** 2 + 10 * (1 - 2 * p) ** 2 + 20 * (2 - 2 * p) ** 2 + 0.5 * ((2 - 2 * p) ** 2 + 4 * p * p)
    deff = by_scene / (82 * p * (1 - p)) * (40 / 39) * (79 / 80)
    worth = 80 / deff * (students_t(79) / students_t(39)) ** 2
    expected = wilson(50 / 80 * worth, worth)
    assert pass_rate_interval(clusters((0, 2, 10), (1, 2, 10), (2, 2, 20))) == pytest.approx(expected, abs=1e-9)


def test_of_one_scene_next_to_nothing_is_known() -> None:
    low, high = pass_rate_interval(clusters((40, 50, 1)))
    assert low < 0.15
    assert high > 0.95


def test_without_cases_nothing_is_known() -> None:
    assert pass_rate_interval(Clusters()) == (0.0, 1.0)


@given(kinds)
def test_it_holds_the_rate_stays_within_bounds_and_is_never_a_point(drawn: Clusters) -> None:
    low, high = pass_rate_interval(drawn)
    assert 0 <= low <= drawn.holds / drawn.judged <= high <= 1
    assert high - low > 1e-4


@given(kinds)
def test_violations_have_the_mirrored_interval(drawn: Clusters) -> None:
    low, high = pass_rate_interval(drawn)
    mirrored = clusters(*((row.judged - row.holds, row.judged, row.scenes) for row in drawn.rows))
    assert pass_rate_interval(mirrored) == pytest.approx((1 - high, 1 - low), abs=1e-9)


@given(kinds)
def test_it_is_no_narrower_than_if_cases_of_one_scene_told_as_much_as_others(drawn: Clusters) -> None:
    low, high = pass_rate_interval(drawn)
    plain_low, plain_high = wilson(drawn.holds, drawn.judged)
    assert low <= plain_low + 1e-12
    assert high >= plain_high - 1e-12


@given(kinds)
def test_with_violations_the_lower_end_is_not_above_that_of_the_same_scenes_with_none(drawn: Clusters) -> None:
    holding: dict[int, int] = {}
    for row in drawn.rows:
        holding[row.judged] = holding.get(row.judged, 0) + row.scenes
    whole = clusters(*((judged, judged, times) for judged, times in holding.items()))
    assert pass_rate_interval(drawn)[0] <= pass_rate_interval(whole)[0] + 1e-12


def kind(holds: int, judged: int, scenes: int) -> SceneGroup:
    return SceneGroup(holds, holds, judged, scenes)


def test_of_scenes_of_one_size_it_is_that_of_an_analysis_of_variance() -> None:
    holds = np.random.default_rng(0).binomial(4, np.random.default_rng(1).beta(2, 1, 40))
    scenes = [[1.0] * int(h) + [0.0] * (4 - int(h)) for h in holds]
    f = f_oneway(*scenes).statistic
    assert intraclass_correlation([kind(int(h), 4, 1) for h in holds]) == pytest.approx((f - 1) / (f + 3), rel=1e-9)


def test_of_scenes_of_different_sizes_worked_out_by_hand() -> None:
    # Scenes of 2, 2 and 4 cases: 2, 0 and 3 hold. Mean 5/8; the sum of squares within scenes 3 x 1/4 = 0.75, of
    # 5 degrees; between them 4/2 + 0 + 9/4 - 25/8 = 1.125, of 2; m = (8 - 24/8) / 2 = 2.5.
    between, within = 1.125 / 2, 0.75 / 5
    expected = (between - within) / (between + 1.5 * within)
    assert intraclass_correlation([kind(2, 2, 1), kind(0, 2, 1), kind(3, 4, 1)]) == pytest.approx(expected, rel=1e-12)


def test_it_runs_from_not_at_all_to_wholly() -> None:
    assert intraclass_correlation([kind(0, 3, 10), kind(3, 3, 30)]) == 1.0
    assert intraclass_correlation([kind(1, 2, 40)]) == 0.0


@pytest.mark.parametrize("rows", [[kind(1, 1, 40), kind(0, 1, 9)], [kind(3, 3, 40)], [kind(2, 5, 1)]])
def test_where_it_cannot_be_seen_nothing_is_said(rows: list[SceneGroup]) -> None:
    assert intraclass_correlation(rows) is None


def test_it_finds_what_scenes_were_drawn_with() -> None:
    draw = np.random.default_rng(3)
    rates = draw.beta(0.8 * (1 / 0.3 - 1), 0.2 * (1 / 0.3 - 1), 3000)
    judged = draw.integers(1, 8, 3000)
    found = intraclass_correlation(
        [kind(int(h), int(n), 1) for h, n in zip(draw.binomial(judged, rates), judged, strict=True)]
    )
    assert found == pytest.approx(0.3, abs=0.03)


def kind_of_effective(holds: int, judged: int, scenes: float) -> SceneGroup:
    return SceneGroup(holds, holds, judged, scenes)


kinds_of_effective = st.lists(
    st.tuples(st.integers(0, 8), st.integers(0, 8), st.integers(1, 40)).map(
        lambda drawn: kind_of_effective(drawn[0], max(1, drawn[0] + drawn[1]), drawn[2])
    ),
    min_size=1,
    max_size=6,
)


def test_scenes_of_one_size_are_worth_their_number_and_others_less() -> None:
    assert least_sample_size([kind_of_effective(1, 4, 3), kind_of_effective(4, 4, 7)]) == 10
    assert least_sample_size([kind_of_effective(1, 1, 9), kind_of_effective(0, 9, 1)]) == pytest.approx(18**2 / 90)


def test_the_scene_of_a_case_is_larger_than_the_average_scene() -> None:
    assert mean_scene_size([kind_of_effective(1, 1, 9), kind_of_effective(0, 9, 1)]) == 5


def test_a_case_worked_out_by_hand_of_effective() -> None:
    # 40 scenes of two cases: in 10 none holds, in 10 one, in 20 both; p = 50/80. With nothing imagined:
    # by scene 10 * 1.25^2 + 10 * 0.25^2 + 20 * 0.75^2 = 27.5, by case 80 * 5/8 * 3/8 = 18.75.
    deff = 27.5 / 18.75 * (40 / 39) * (79 / 80)
    correction = (students_t(79) / students_t(39)) ** 2
    rows = [kind_of_effective(0, 2, 10), kind_of_effective(1, 2, 10), kind_of_effective(2, 2, 20)]
    assert effective_sample_size(rows, ()) == pytest.approx(80 / deff * correction, rel=1e-12)
    # Half a scene of either sort beside them: p = 51/82, by scene 10 p'^2 + ... + 0.5 (p'^2 + q'^2) with p' = 2p.
    p = 51 / 82
    by_scene = 10 * (2 * p) ** 2 + 10 * (1 - 2 * p) ** 2 + 20 * (2 - 2 * p) ** 2 + 0.5 * ((2 - 2 * p) ** 2 + 4 * p * p)
    imagined = (kind_of_effective(2, 2, 0.5), kind_of_effective(0, 2, 0.5))
    deff = by_scene / (82 * p * (1 - p)) * (40 / 39) * (79 / 80)
    assert effective_sample_size(rows, imagined) == pytest.approx(80 / deff * correction, rel=1e-12)


@given(st.integers(0, 500), st.integers(0, 500))
def test_with_one_case_a_scene_all_count(holding: int, violated: int) -> None:
    rows = [kind_of_effective(1, 1, holding), kind_of_effective(0, 1, violated + 1)]
    assert (
        effective_sample_size(rows, (kind_of_effective(1, 1, 0.5), kind_of_effective(0, 1, 0.5)))
        == holding + violated + 1
    )


def test_without_the_shortcut_for_single_cases_all_count_too() -> None:
    # One scene of two among 2,000 of one: next to nothing is lost.
    rows = [kind_of_effective(1, 1, 1600), kind_of_effective(0, 1, 399), kind_of_effective(1, 2, 1)]
    assert effective_sample_size(rows, (kind_of_effective(1, 1, 0.5), kind_of_effective(0, 1, 0.5))) == pytest.approx(
        2001, rel=1e-3
    )


def test_cases_that_are_always_alike_count_once_for_each_scene() -> None:
    assert effective_sample_size(
        [kind_of_effective(0, 6, 30), kind_of_effective(6, 6, 70)],
        (kind_of_effective(6, 6, 0.5), kind_of_effective(0, 6, 0.5)),
    ) == pytest.approx(100)


def test_where_none_differs_they_count_as_alike() -> None:
    assert (
        effective_sample_size(
            [kind_of_effective(5, 5, 100)], (kind_of_effective(5, 5, 0.5), kind_of_effective(0, 5, 0.5))
        )
        == 100
    )


@given(kinds_of_effective)
def test_it_lies_between_the_scenes_and_the_cases(rows: list[SceneGroup]) -> None:
    size = mean_scene_size(rows)
    found = effective_sample_size(rows, (SceneGroup(size, size, size, 0.5), SceneGroup(0, 0, size, 0.5)))
    cases = sum(each.size * each.scenes for each in rows)
    assert least_sample_size(rows) - 1e-9 <= found <= cases + 1e-9


def test_the_variance_is_what_a_bootstrap_of_scenes_finds() -> None:
    """40,000 resamples of 200 scenes: the standard error of a rate over the worth that is claimed, within 2 %."""
    draw = np.random.default_rng(7)
    judged = draw.integers(1, 9, 200)
    holds = draw.binomial(judged, draw.beta(4, 1, 200))
    rows = [kind_of_effective(int(h), int(n), 1) for h, n in zip(holds, judged, strict=True)]
    times = draw.multinomial(200, np.full(200, 1 / 200), 40_000)
    bootstrap = float(((times @ holds) / (times @ judged)).std())
    cases, rate = int(judged.sum()), holds.sum() / judged.sum()
    correction = (students_t(cases - 1) / students_t(199)) ** 2
    worth = effective_sample_size(rows, ()) / correction
    assert worth < 0.7 * cases
    assert float(np.sqrt(rate * (1 - rate) / worth)) == pytest.approx(bootstrap, rel=0.02)


def test_of_one_two_and_four_degrees_it_is_written_down() -> None:
    # The quantiles at 0.975 in closed form: tan(0.475 pi), 0.95 sqrt(2 / (1 - 0.95^2)), and of four by cosine.
    assert students_t(1) == pytest.approx(tan(0.475 * pi), rel=1e-12)
    assert students_t(2) == pytest.approx(0.95 * sqrt(2 / (1 - 0.95**2)), rel=1e-12)
    alpha = 4 * 0.975 * 0.025
    q = np.cos(np.arccos(sqrt(alpha)) / 3) / sqrt(alpha)
    assert students_t(4) == pytest.approx(2 * sqrt(q - 1), rel=1e-12)


@pytest.mark.parametrize("degrees", [3, 7, 19, 99, 250, 5000])
def test_its_density_up_to_there_adds_up_to_0_475(degrees: int) -> None:
    nodes, weights = np.polynomial.legendre.leggauss(80)
    t = students_t(degrees)
    at = t / 2 * (nodes + 1)
    scale = exp(lgamma((degrees + 1) / 2) - lgamma(degrees / 2)) / sqrt(degrees * pi)
    area = t / 2 * float(weights @ (1 + at * at / degrees) ** (-(degrees + 1) / 2)) * scale
    assert area == pytest.approx(0.475, abs=1e-10)


def test_of_very_many_degrees_it_is_the_normal_point() -> None:
    assert students_t(10**9) == pytest.approx(NormalDist().inv_cdf(0.975), abs=1e-8)


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.full)])
def test_it_is_scipys(step: int) -> None:
    for degrees in (*range(1, 600, step), 250, 1000, 5000, 10**4, 10**6, 10**9):
        # Its distribution, not its quantile: that of scipy 1.11 is 2e-9 off.
        expected = brentq(lambda t, degrees=degrees: stdtr(degrees, -t) - 0.025, 1.9, 13, xtol=1e-14, rtol=1e-14)
        assert students_t(degrees) == pytest.approx(expected, rel=1e-12), degrees


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
