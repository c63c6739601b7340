"""Comparisons of two runs, against every exchange of the runs written out, statsmodels and scipy."""

from __future__ import annotations

from itertools import product
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest  # type: ignore[import-untyped]  # its stubs are a package of their own
from statsmodels.stats.contingency_tables import mcnemar  # type: ignore[import-untyped]  # it has no stubs

from pytest_vqamt.core.tallies import AlikeTwice, PairedClusters
from pytest_vqamt.stats.intervals import Kind, effective_cases, students_t
from pytest_vqamt.stats.paired import drop_p, mcnemar_p, paired_interval, tango, two_sided_p
from tests.stats.drawn_clusters import changed_runs

Row = tuple[int, int, int, int, int]


def paired(*rows: Row) -> PairedClusters:
    """Rows of kept, lost, won, neither, scenes."""
    return PairedClusters(tuple(AlikeTwice(*row) for row in sorted(rows)))


def of_single_cases(kept: int, lost: int, won: int, neither: int) -> PairedClusters:
    rows = [(1, 0, 0, 0, kept), (0, 1, 0, 0, lost), (0, 0, 1, 0, won), (0, 0, 0, 1, neither)]
    return paired(*(row for row in rows if row[4]))


def mirrored(two: PairedClusters) -> PairedClusters:
    return paired(*((row.kept, row.won, row.lost, row.neither, row.scenes) for row in two.rows))


fates = st.tuples(*[st.integers(0, 4)] * 4).filter(any)
few = st.dictionaries(fates, st.integers(1, 3), min_size=1, max_size=4).map(
    lambda drawn: paired(*((*fate, times) for fate, times in drawn.items()))
)
many = st.dictionaries(fates, st.integers(1, 200), min_size=1, max_size=8).map(
    lambda drawn: paired(*((*fate, times) for fate, times in drawn.items()))
)
singles = st.tuples(*[st.integers(0, 120)] * 4).filter(any)


def net_losses(two: PairedClusters) -> list[int]:
    return [row.lost - row.won for row in two.rows for _ in range(row.scenes)]


@given(few)
def test_the_chances_are_those_of_all_exchanges_of_the_runs_within_scenes(two: PairedClusters) -> None:
    losses = net_losses(two)
    exchanged = [
        sum(s * d for s, d in zip(signs, losses, strict=True)) for signs in product((1, -1), repeat=len(losses))
    ]
    seen = sum(losses)
    one_sided = sum(loss >= seen for loss in exchanged) / len(exchanged)
    two_sided = sum(abs(loss) >= abs(seen) for loss in exchanged) / len(exchanged)
    assert drop_p(two) == pytest.approx(one_sided, abs=1e-9)
    assert two_sided_p(two) == pytest.approx(two_sided, abs=1e-9)


@given(singles)
def test_with_one_case_a_scene_it_is_mcnemars_exact_test(table: tuple[int, int, int, int]) -> None:
    kept, lost, won, neither = table
    two = of_single_cases(*table)
    expected = mcnemar([[kept, lost], [won, neither]], exact=True).pvalue
    assert two_sided_p(two) == pytest.approx(expected, abs=1e-9)
    assert mcnemar_p(two) == pytest.approx(expected, abs=1e-9)
    one_sided = binomtest(lost, lost + won, alternative="greater").pvalue if lost + won else 1.0
    assert drop_p(two) == pytest.approx(one_sided, abs=1e-9)


@given(many)
def test_mcnemars_test_does_not_look_at_scenes(two: PairedClusters) -> None:
    expected = mcnemar([[two.kept, two.lost], [two.won, two.neither]], exact=True).pvalue
    assert mcnemar_p(two) == pytest.approx(expected, abs=1e-9)


def test_a_scene_that_loses_five_cases_is_one_scene() -> None:
    # Three scenes, all of whose cases are lost: of the 2^3 exchanges of runs one loses as much.
    two = paired((0, 5, 0, 0, 3), (5, 0, 0, 0, 97))
    assert drop_p(two) == 1 / 8
    assert two_sided_p(two) == 1 / 4
    assert mcnemar_p(two) == pytest.approx(2 / 2**15, rel=1e-12)


def test_scenes_that_lose_as_many_as_they_win_change_nothing() -> None:
    assert drop_p(paired((0, 3, 0, 0, 4), (2, 2, 2, 0, 50))) == drop_p(paired((0, 3, 0, 0, 4))) == 1 / 16


@given(many)
def test_the_chances_are_chances_and_agree_with_each_other(two: PairedClusters) -> None:
    one, other, both = drop_p(two), drop_p(mirrored(two)), two_sided_p(two)
    assert 0 <= one <= 1
    assert 0 <= both <= 1
    assert one + other >= 1 - 1e-9
    assert both == pytest.approx(min(1.0, 2 * min(one, other)), abs=1e-9)


def test_where_nothing_is_shared_nothing_is_shown() -> None:
    nothing = PairedClusters()
    assert drop_p(nothing) == two_sided_p(nothing) == mcnemar_p(nothing) == 1.0
    assert paired_interval(nothing) == (-1.0, 1.0)


@given(singles)
def test_with_one_case_a_scene_the_interval_is_tangos_but_for_those_with_hardly_a_difference(
    table: tuple[int, int, int, int],
) -> None:
    _, lost, won, _ = table
    low, high = paired_interval(of_single_cases(*table))
    plain_low, plain_high = tango(lost, won, sum(table))
    assert low <= plain_low + 1e-9
    assert high >= plain_high - 1e-9
    if lost >= won + 3:
        assert (low, high) == pytest.approx((plain_low, plain_high), abs=1e-9)


def test_where_nothing_differs_the_interval_is_that_of_as_many_scenes() -> None:
    assert paired_interval(paired((5, 0, 0, 0, 100))) == pytest.approx(tango(0, 0, 100), abs=1e-9)


@given(many)
def test_the_interval_holds_the_difference_and_stays_within_bounds(two: PairedClusters) -> None:
    low, high = paired_interval(two)
    difference = two.difference
    assert difference is not None
    assert -1 <= low <= difference <= high <= 1
    assert high - low > 1e-4


@given(many)
def test_the_other_way_round_the_interval_is_mirrored(two: PairedClusters) -> None:
    low, high = paired_interval(two)
    assert paired_interval(mirrored(two)) == pytest.approx((-high, -low), abs=1e-9)


@given(many)
def test_a_net_loss_is_never_shown_to_be_less_bad_than_no_difference(two: PairedClusters) -> None:
    sizes = [(sum(row[:4]), row.scenes) for row in two.rows]
    same: dict[int, int] = {}
    for size, scenes in sizes:
        same[size] = same.get(size, 0) + scenes
    low, high = paired_interval(paired(*((size, 0, 0, 0, scenes) for size, scenes in same.items())))
    if two.lost >= two.won:
        assert paired_interval(two)[0] <= low + 1e-12
    if two.won >= two.lost:
        assert paired_interval(two)[1] >= high - 1e-12


def test_the_variance_is_what_a_paired_bootstrap_of_scenes_finds() -> None:
    """40,000 resamples of 200 scenes: the standard error of the difference over the worth claimed, within 2 %."""
    two = changed_runs(np.random.default_rng(8), scenes=200, size=6, lost=0.15, won=0.08, icc=0.3)
    scenes = np.array([row.scenes for row in two.rows])
    net = np.array([row.won - row.lost for row in two.rows])
    times = np.random.default_rng(9).multinomial(200, scenes / 200, 40_000)
    bootstrap = float((times @ net / 1200).std())
    kinds = [Kind(row.won - row.lost, row.won + row.lost, 6, row.scenes) for row in two.rows]
    worth = effective_cases(kinds, ()) / (students_t(1199) / students_t(199)) ** 2
    mean = (two.won - two.lost) / 1200
    assert worth < 0.7 * 1200
    assert sqrt(((two.won + two.lost) / 1200 - mean**2) / worth) == pytest.approx(bootstrap, rel=0.02)
