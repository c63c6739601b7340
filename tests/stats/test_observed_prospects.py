"""What is expected of the next run is what the last one has shown."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.tallies import Alike, AlikeTwice, Clusters, PairedClusters
from pytest_vqamt.stats.power import differing_by_chance, prospect_of

SINGLES = Clusters((Alike(0, 1, 10), Alike(1, 1, 90)))
ALIKE = Clusters((Alike(0, 2, 5), Alike(1, 1, 10), Alike(2, 2, 15)))


def test_verdicts_that_correlate_by_a_half_differ_half_as_often_as_independent_ones() -> None:
    assert differing_by_chance(0.8) == pytest.approx(0.5 * (2 * 0.8 * 0.2))


def test_of_a_first_run_chance_is_guessed_from_its_rate() -> None:
    found = prospect_of(SINGLES, None)
    assert found.differ == pytest.approx(0.9 * 0.1)
    assert (found.drop, found.sizes, found.icc) == (0.0, ((1, 1.0),), 1.0)
    assert prospect_of(SINGLES, PairedClusters()) == found


def test_scenes_are_of_the_sizes_they_have() -> None:
    found = prospect_of(ALIKE, None)
    assert found.sizes == ((1, 10 / 30), (2, 20 / 30))
    assert found.cases_a_scene == pytest.approx(50 / 30)
    assert found.icc == 1.0


def test_of_a_run_against_a_baseline_chance_is_what_went_both_ways() -> None:
    # 6 lost and 2 won: two of either sort are taken for chance. The two of a scene went the same way.
    paired = PairedClusters((AlikeTwice(0, 0, 2, 0, 1), AlikeTwice(0, 2, 0, 0, 3), AlikeTwice(2, 0, 0, 0, 36)))
    found = prospect_of(Clusters((Alike(0, 2, 3), Alike(2, 2, 37))), paired)
    assert found.differ == pytest.approx(4 / 80)
    assert found.icc == 1.0
    # One of two lost in each of four scenes.
    apart = PairedClusters((AlikeTwice(1, 1, 0, 0, 4), AlikeTwice(2, 0, 0, 0, 36)))
    assert prospect_of(Clusters((Alike(1, 2, 4), Alike(2, 2, 36))), apart).icc == 0.0


def test_what_is_given_is_taken() -> None:
    found = prospect_of(ALIKE, None, differ=0.2, icc=0.4)
    assert (found.differ, found.icc) == (0.2, 0.4)
