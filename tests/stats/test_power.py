"""The power of the regression gate: against all that can happen written out, and against runs of the gate itself."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from math import comb, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import dirichlet_multinomial, multinomial  # type: ignore[import-untyped]  # stubs are another package

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.tallies import Clusters, PairedClusters, PairedSceneTally, SceneTally
from pytest_vqamt.stats.paired import change_of, drop_p, sign_flip_p, with_holm_gates
from pytest_vqamt.stats.power import (
    EffectAssumptions,
    RegressionGate,
    assumed_discordance,
    assumptions_from,
    power,
    scenes_needed,
    sign_flip_ps,
    smallest_drop,
)
from tests.stats.drawn_clusters import changed_runs

QUIET = change_of(PairedClusters((PairedSceneTally(1, 0, 0, 0, 50),)))
"""A relation in which nothing differs."""


def missed(two: PairedClusters, demand: RegressionGate) -> bool:
    """Whether the gate itself is missed, among quiet relations."""
    changes = [change_of(two), *[QUIET] * (demand.relations - 1)]
    gate = with_holm_gates(changes, [demand.max_drop] * demand.relations)[0].gate
    assert gate is not None
    return not gate.met


def needed(prospect: EffectAssumptions, demand: RegressionGate) -> int:
    found = scenes_needed(prospect, demand, 0.8)
    assert found is not None
    return found


@pytest.mark.parametrize(
    "demand", [RegressionGate(), RegressionGate(relations=4, max_drop=0.1), RegressionGate(relations=2, max_drop=0.25)]
)
@pytest.mark.parametrize("cases", [1, 7, 16, 24])
def test_it_is_the_sum_over_all_that_can_happen(cases: int, demand: RegressionGate) -> None:
    prospect = EffectAssumptions(drop=0.3, differ=0.2)
    expected = 0.0
    for lost in range(cases + 1):
        for won in range(cases + 1 - lost):
            same = cases - lost - won
            two = PairedClusters(
                (
                    PairedSceneTally(0, 0, 1, 0, won),
                    PairedSceneTally(0, 1, 0, 0, lost),
                    PairedSceneTally(1, 0, 0, 0, same),
                )
            )
            chance = comb(cases, lost) * comb(cases - lost, won) * 0.4**lost * 0.1**won * 0.5**same
            expected += chance * missed(two, demand)
    assert power(cases, prospect, demand) == pytest.approx(expected, abs=1e-9)


def test_many_sums_at_once_have_the_chances_of_each() -> None:
    draw = np.random.default_rng(0)
    magnitudes = np.array([1, 2, 3, 7])
    counts = draw.integers(0, 25, (300, 4))
    signs = np.stack([2 * draw.binomial(count, 0.6) - count for count in counts.T], axis=1)
    sums = signs @ magnitudes
    counts, sums = counts[sums > 0], sums[sums > 0]
    expected = [
        sign_flip_p(int(size), {int(m): int(n) for m, n in zip(magnitudes, row, strict=True) if n})
        for size, row in zip(sums, counts, strict=True)
    ]
    assert len(sums) > 200
    assert sign_flip_ps(sums, magnitudes, counts) == pytest.approx(expected, abs=1e-11)


ALONE, OF_MANY = RegressionGate(), RegressionGate(relations=30, max_drop=0.02)


@pytest.mark.parametrize(
    ("prospect", "demand"),
    [
        (EffectAssumptions(drop=0.1, differ=0.1275), ALONE),
        (EffectAssumptions(drop=0.2, differ=0.1, sizes=((6, 1.0),), icc=0.1), OF_MANY),
        *(
            pytest.param(prospect, demand, marks=pytest.mark.full)
            for demand in (ALONE, OF_MANY)
            for prospect in (
                EffectAssumptions(drop=0.2, differ=0.02),
                EffectAssumptions(drop=0.15, differ=0.1, sizes=((4, 1.0),), icc=0.3),
            )
        ),
    ],
)
def test_with_the_recommended_number_the_gate_is_missed_as_often_as_promised(
    prospect: EffectAssumptions, demand: RegressionGate
) -> None:
    scenes = needed(prospect, demand)
    [(size, _)] = prospect.sizes
    draw = np.random.default_rng(11)
    runs = [
        changed_runs(draw, scenes=scenes, size=size, lost=prospect.lost, won=prospect.won, icc=prospect.icc)
        for _ in range(400)
    ]
    found = sum(missed(two, demand) for two in runs) / 400
    assert found == pytest.approx(0.8, abs=3.1 * sqrt(0.8 * 0.2 / 400) + 0.01)


def test_the_number_is_the_smallest_that_will_do() -> None:
    prospect, demand = EffectAssumptions(drop=0.1, differ=0.05), RegressionGate(relations=10)
    enough = needed(prospect, demand)
    assert power(enough - 1, prospect, demand) < 0.8
    assert all(power(enough + more, prospect, demand) >= 0.8 for more in range(25))


def test_with_nothing_by_chance_it_takes_five_lost_cases() -> None:
    # 2^-5 is the first below 0.05: at least five of n lost, each with a chance of 0.1, so 1 - binomial(4; n) >= 0.8.
    def five(cases: int) -> float:
        return 1 - sum(comb(cases, lost) * 0.1**lost * 0.9 ** (cases - lost) for lost in range(5))

    expected = next(cases for cases in range(5, 200) if five(cases) >= 0.8)
    assert scenes_needed(EffectAssumptions(drop=0.1, differ=0), RegressionGate(), 0.8) == expected
    assert (
        drop_p(PairedClusters((PairedSceneTally(0, 1, 0, 0, 5),)))
        < 0.05
        < drop_p(PairedClusters((PairedSceneTally(0, 1, 0, 0, 4),)))
    )


def test_more_is_needed_for_smaller_drops_more_chance_more_relations_and_a_tolerated_drop() -> None:
    prospect = EffectAssumptions(drop=0.1, differ=0.1)
    plain = needed(prospect, RegressionGate())
    assert needed(replace(prospect, drop=0.05), RegressionGate()) > plain
    assert needed(replace(prospect, differ=0.2), RegressionGate()) > plain
    assert needed(prospect, RegressionGate(relations=30)) > plain
    assert needed(prospect, RegressionGate(max_drop=0.08)) > plain


def test_scenes_of_four_cases_are_worth_more_than_one_case_and_the_less_the_more_alike_they_are() -> None:
    prospect = EffectAssumptions(drop=0.1, differ=0.1)
    single = needed(prospect, RegressionGate())
    apart, alike = (needed(replace(prospect, sizes=((4, 1.0),), icc=icc), RegressionGate()) for icc in (0.0, 0.5))
    assert apart < alike < single < 4 * apart


def test_the_smallest_drop_is_the_one_that_needs_as_many() -> None:
    prospect, demand = EffectAssumptions(drop=0.0, differ=0.1), RegressionGate(relations=10)
    drop = smallest_drop(300, prospect, demand, 0.8, 0.7)
    assert drop is not None
    assert power(300, EffectAssumptions(drop=drop, differ=0.1), demand) >= 0.8
    assert power(300, EffectAssumptions(drop=drop - 0.0001, differ=0.1), demand) < 0.8


def test_some_drops_are_never_seen() -> None:
    # Among 30 relations 10 lost cases and none won are the fewest that are significant: 2^-10 x 30 = 0.03.
    assert smallest_drop(9, EffectAssumptions(drop=0.0, differ=0.0), RegressionGate(relations=30), 0.8, 1.0) is None
    assert (
        smallest_drop(10, EffectAssumptions(drop=0.0, differ=0.0), RegressionGate(relations=30), 0.8, 1.0) is not None
    )
    assert scenes_needed(EffectAssumptions(drop=0.05, differ=0.1), RegressionGate(max_drop=0.05), 0.8) is None


def test_no_number_within_a_million_is_overlooked() -> None:
    # By the normal distribution (1.645 + 0.842)^2 x 0.2 / 0.0014^2, about 631,000; and of 0.0011 over a million.
    prospect = EffectAssumptions(drop=0.0014, differ=0.2)
    found = needed(prospect, RegressionGate())
    assert 2**19 < found < 1_000_000
    assert power(found, prospect, RegressionGate()) >= 0.8
    assert scenes_needed(replace(prospect, drop=0.0011), RegressionGate(), 0.8) is None


def test_all_cases_may_come_out_otherwise() -> None:
    # Of 0.85 that held all are lost, and of the others all are won.
    assert power(1000, EffectAssumptions(drop=0.7, differ=0.3), RegressionGate()) == pytest.approx(1)
    assert power(100, EffectAssumptions(drop=0.7, differ=0.3, sizes=((3, 1.0),), icc=0.1), RegressionGate()) == 1


def test_the_same_question_has_the_same_answer() -> None:
    prospect = EffectAssumptions(drop=0.1, differ=0.1, sizes=((3, 0.5), (5, 0.5)), icc=0.2)
    assert power(60, prospect, RegressionGate()) == power(60, prospect, RegressionGate())


@pytest.mark.slow
@pytest.mark.parametrize("icc", [0.0, 0.1, 0.3, 0.6, 1.0])
@pytest.mark.parametrize(("drop", "differ"), [(0.05, 0.1275), (0.05, 0.02), (0.1, 0.1)])
def test_the_promise_is_kept_everywhere(drop: float, differ: float, icc: float) -> None:
    prospect, demand = (
        EffectAssumptions(drop=drop, differ=differ, sizes=((5, 1.0),), icc=icc),
        RegressionGate(relations=30),
    )
    scenes = needed(prospect, demand)
    draw = np.random.default_rng(12)
    runs = [
        changed_runs(draw, scenes=scenes, size=5, lost=prospect.lost, won=prospect.won, icc=icc) for _ in range(2000)
    ]
    found = sum(missed(two, demand) for two in runs) / 2000
    assert found == pytest.approx(0.8, abs=3.1 * sqrt(0.8 * 0.2 / 2000) + 0.01)


SINGLES = Clusters((SceneTally(0, 1, 10), SceneTally(1, 1, 90)))
ALIKE = Clusters((SceneTally(0, 2, 5), SceneTally(1, 1, 10), SceneTally(2, 2, 15)))


def test_verdicts_that_correlate_by_a_half_differ_half_as_often_as_independent_ones() -> None:
    assert assumed_discordance(0.8) == pytest.approx(0.5 * (2 * 0.8 * 0.2))


def test_of_a_first_run_chance_is_guessed_from_its_rate() -> None:
    found = assumptions_from(SINGLES, None)
    assert found.differ == pytest.approx(0.9 * 0.1)
    assert (found.drop, found.sizes, found.icc) == (0.0, ((1, 1.0),), 1.0)
    assert assumptions_from(SINGLES, PairedClusters()) == found


def test_scenes_are_of_the_sizes_they_have() -> None:
    found = assumptions_from(ALIKE, None)
    assert found.sizes == ((1, 10 / 30), (2, 20 / 30))
    assert found.cases_a_scene == pytest.approx(50 / 30)
    assert found.icc == 1.0


def test_of_a_run_against_a_baseline_chance_is_what_went_both_ways() -> None:
    # 6 lost and 2 won: two of either sort are taken for chance. The two of a scene went the same way.
    paired = PairedClusters(
        (PairedSceneTally(0, 0, 2, 0, 1), PairedSceneTally(0, 2, 0, 0, 3), PairedSceneTally(2, 0, 0, 0, 36))
    )
    found = assumptions_from(Clusters((SceneTally(0, 2, 3), SceneTally(2, 2, 37))), paired)
    assert found.differ == pytest.approx(4 / 80)
    assert found.icc == 1.0
    # One of two lost in each of four scenes.
    apart = PairedClusters((PairedSceneTally(1, 1, 0, 0, 4), PairedSceneTally(2, 0, 0, 0, 36)))
    assert assumptions_from(Clusters((SceneTally(1, 2, 4), SceneTally(2, 2, 36))), apart).icc == 0.0


prospects = st.builds(
    EffectAssumptions,
    drop=st.floats(0, 0.5),
    differ=st.sampled_from([0.0, 0.01, 0.1275, 0.4]),
    sizes=st.sampled_from([((1, 1.0),), ((4, 1.0),), ((1, 0.25), (3, 0.5), (7, 0.25))]),
    icc=st.sampled_from([0.0, 0.05, 0.3, 0.9, 1.0]),
)


def by_scipy(size: int, shares: tuple[float, float, float], icc: float) -> dict[tuple[int, int], float]:
    expected: defaultdict[tuple[int, int], float] = defaultdict(float)
    for lost in range(size + 1):
        for won in range(size + 1 - lost):
            counts = [lost, won, size - lost - won]
            chance = (
                dirichlet_multinomial.pmf(counts, [each * (1 / icc - 1) for each in shares], size)
                if icc
                else multinomial.pmf(counts, size, shares)
            )
            expected[size, won - lost] += float(chance)
    return expected


@pytest.mark.parametrize("icc", [0.0, 0.1, 0.5, 0.95])
def test_net_changes_are_as_scipy_has_them(icc: float) -> None:
    found = EffectAssumptions(drop=0.1, differ=0.2, sizes=((5, 1.0),), icc=icc).net_changes()
    expected = by_scipy(5, (0.2, 0.1, 0.7), icc)
    assert found == {key: pytest.approx(chance, abs=1e-9) for key, chance in expected.items()}


@given(prospects)
def test_the_chances_add_up_and_the_rate_drops_by_what_is_expected(prospect: EffectAssumptions) -> None:
    changes = prospect.net_changes()
    assert sum(changes.values()) == pytest.approx(1)
    won = sum(net * chance for (_, net), chance in changes.items())
    assert won / prospect.cases_a_scene == pytest.approx(-prospect.drop, abs=1e-12)


@given(prospects)
def test_what_becomes_of_two_cases_of_a_scene_correlates_as_is_said(prospect: EffectAssumptions) -> None:
    # Of scenes of two cases: var(sum) = 2 var(one) (1 + icc).
    two = EffectAssumptions(drop=prospect.drop, differ=prospect.differ, sizes=((2, 1.0),), icc=prospect.icc)
    variance = sum(net * net * chance for (_, net), chance in two.net_changes().items()) - 4 * prospect.drop**2
    of_one = prospect.lost + prospect.won - prospect.drop**2
    assert variance == pytest.approx(2 * of_one * (1 + prospect.icc), abs=1e-9)


def test_scenes_that_are_wholly_alike_have_one_fate() -> None:
    found = EffectAssumptions(drop=0.1, differ=0.2, sizes=((3, 1.0),), icc=1.0).net_changes()
    assert {net: chance for (_, net), chance in found.items() if chance} == pytest.approx({-3: 0.2, 3: 0.1, 0: 0.7})


@pytest.mark.parametrize(("drop", "differ", "icc"), [(0.9, 0.3, 0.0), (-0.2, 0.1, 0.0), (0.05, 0.1, 1.5)])
def test_shares_that_cannot_be_are_refused(drop: float, differ: float, icc: float) -> None:
    with pytest.raises(VqamtError, match="Expected shares of cases"):
        EffectAssumptions(drop=drop, differ=differ, icc=icc)


def test_a_drop_may_be_as_large_as_the_rate() -> None:
    """Of 40 cases 21 hold, and 20 % change by noise. All 21 lost are significant at 0.05 / 28: 2^-21."""
    assumed = EffectAssumptions(drop=0.0, differ=0.2)
    gate = RegressionGate(relations=28)
    found = smallest_drop(40, assumed, gate, 0.8, largest=21 / 40)
    assert found is not None
    assert 0.25 < found <= 21 / 40
    # Where no case can be lost by noise beside a drop of everything, that drop alone decides.
    assert smallest_drop(12, assumed, gate, 0.8, largest=1.0) is not None
    assert smallest_drop(5, assumed, gate, 0.8, largest=1.0) is None, "2^-5 is not below 0.05 / 28"
