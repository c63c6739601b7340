"""Comparisons of two runs, against every exchange of the runs written out, statsmodels and scipy."""

from __future__ import annotations

from itertools import product
from math import sqrt
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq  # type: ignore[import-untyped]  # its stubs are a package of their own
from scipy.stats import binom, binomtest  # type: ignore[import-untyped]  # as above
from statsmodels.stats.contingency_tables import mcnemar  # type: ignore[import-untyped]  # it has no stubs
from statsmodels.stats.multitest import multipletests  # type: ignore[import-untyped]  # it has no stubs

from pytest_vqamt.core.case import Outcome
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.results import BaselineChange, Gate, GateState, JudgedCases
from pytest_vqamt.core.tallies import PairedClusters, PairedSceneTally
from pytest_vqamt.stats.gates import baseline_totals
from pytest_vqamt.stats.intervals import SceneGroup, effective_sample_size, students_t, wilson
from pytest_vqamt.stats.paired import (
    between_models,
    change_of,
    drop_p,
    holm,
    may_fall,
    mcnemar_p,
    paired_interval,
    sign_flip_p,
    state_of,
    tango,
    two_sided_p,
    with_holm_gates,
)
from pytest_vqamt.stats.thresholds import NO_DROP
from tests.reporting.html.made import OTHER, result
from tests.stats.drawn_clusters import changed_runs

Row = tuple[int, int, int, int, int]


def paired(*rows: Row) -> PairedClusters:
    """Rows of kept, lost, won, neither, scenes."""
    return PairedClusters(tuple(PairedSceneTally(*row) for row in sorted(rows)))


def of_single_cases(kept: int, lost: int, won: int, neither: int) -> PairedClusters:
    rows = [(1, 0, 0, 0, kept), (0, 1, 0, 0, lost), (0, 0, 1, 0, won), (0, 0, 0, 1, neither)]
    return paired(*(row for row in rows if row[4]))


def mirrored(two: PairedClusters) -> PairedClusters:
    return paired(*((row.both, row.second_only, row.first_only, row.neither, row.scenes) for row in two.rows))


fates = st.tuples(*[st.integers(0, 4)] * 4).filter(any)
few = st.dictionaries(fates, st.integers(1, 3), min_size=1, max_size=4).map(
    lambda drawn: paired(*((*fate, times) for fate, times in drawn.items()))
)
many = st.dictionaries(fates, st.integers(1, 200), min_size=1, max_size=8).map(
    lambda drawn: paired(*((*fate, times) for fate, times in drawn.items()))
)
singles = st.tuples(*[st.integers(0, 120)] * 4).filter(any)


def net_losses(two: PairedClusters) -> list[int]:
    return [row.first_only - row.second_only for row in two.rows for _ in range(row.scenes)]


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
    expected = mcnemar([[two.both, two.first_only], [two.second_only, two.neither]], exact=True).pvalue
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
    if two.first_only >= two.second_only:
        assert paired_interval(two)[0] <= low + 1e-12
    if two.second_only >= two.first_only:
        assert paired_interval(two)[1] >= high - 1e-12


def test_the_variance_is_what_a_paired_bootstrap_of_scenes_finds() -> None:
    """40,000 resamples of 200 scenes: the standard error of the difference over the worth claimed, within 2 %."""
    two = changed_runs(np.random.default_rng(8), scenes=200, size=6, lost=0.15, won=0.08, icc=0.3)
    scenes = np.array([row.scenes for row in two.rows])
    net = np.array([row.second_only - row.first_only for row in two.rows])
    times = np.random.default_rng(9).multinomial(200, scenes / 200, 40_000)
    bootstrap = float((times @ net / 1200).std())
    kinds = [
        SceneGroup(row.second_only - row.first_only, row.second_only + row.first_only, 6, row.scenes)
        for row in two.rows
    ]
    worth = effective_sample_size(kinds, ()) / (students_t(1199) / students_t(199)) ** 2
    mean = (two.second_only - two.first_only) / 1200
    assert worth < 0.7 * 1200
    assert sqrt(((two.second_only + two.first_only) / 1200 - mean**2) / worth) == pytest.approx(bootstrap, rel=0.02)


def of_single_cases_of_changes(kept: int, lost: int, won: int = 0) -> PairedClusters:
    return PairedClusters(
        (PairedSceneTally(0, 0, 1, 0, won), PairedSceneTally(0, 1, 0, 0, lost), PairedSceneTally(1, 0, 0, 0, kept))
    )


def gate(max_drop: float, *, met: bool, uncertain: bool = False) -> Gate:
    return Gate(kind="max-drop", threshold=max_drop, on="holm", met=met, uncertain=uncertain, dropped=not met)


UNSURE = gate(0.0, met=True, uncertain=True)


def test_a_change_by_itself_has_no_gate() -> None:
    two = of_single_cases_of_changes(90, 8, 2)
    assert change_of(two, version_before=2, other_judgement=3) == BaselineChange(
        paired=two,
        interval=paired_interval(two),
        p=drop_p(two),
        p_two_sided=two_sided_p(two),
        p_holm=None,
        gate=None,
        version_before=2,
        other_judgement=3,
        # 2 or fewer of 10 tosses, twice: 2 (1 + 10 + 45) / 1024; each scene has one case, so it is the same by scene.
        p_mcnemar=two_sided_p(two),
    )


def test_mcnemar_takes_all_cases_for_independent() -> None:
    of_one_scene = PairedClusters((PairedSceneTally(0, 4, 0, 0, 1), PairedSceneTally(0, 1, 0, 0, 1)))
    # Five of five have dropped: 2 / 32. By scene it is two of two: 2 / 4.
    assert change_of(of_one_scene).p_mcnemar == pytest.approx(1 / 16, abs=1e-12)
    assert change_of(of_one_scene).p_two_sided == pytest.approx(1 / 2, abs=1e-12)


def test_holm_is_over_those_that_are_gated_and_the_order_stays() -> None:
    # 10, 6, 3 and 8 lost and none won: 2^-10, 2^-6, 2^-3, 2^-8.
    changes = [change_of(of_single_cases_of_changes(90, lost)) for lost in (10, 6, 3, 8)]
    judged = with_holm_gates(changes, [0.0, None, 0.0, 0.0])
    assert [each.p_holm for each in judged] == [
        pytest.approx(3 / 1024),
        None,
        pytest.approx(1 / 8),
        pytest.approx(2 / 256),
    ]
    assert [each.gate for each in judged] == [gate(0.0, met=False), None, UNSURE, gate(0.0, met=False)]
    assert [each.paired for each in judged] == [each.paired for each in changes]
    assert holm([2.0**-10, 2.0**-3, 2.0**-8]) == (3 / 1024, 1 / 8, 2 / 256)


@pytest.mark.parametrize(
    ("lost", "max_drop", "met"),
    [
        (5, 0.0, False),  # 2^-5 = 0.03
        (4, 0.0, True),  # 2^-4 = 0.06: may be chance
        (5, 0.05, True),  # as large as is tolerated, and not larger
        (5, 0.049, False),
        (20, 0.25, True),  # no chance, but tolerated
    ],
)
def test_the_gate_is_missed_where_the_drop_is_both_larger_and_significant(
    lost: int, max_drop: float, met: bool
) -> None:
    [judged] = with_holm_gates([change_of(of_single_cases_of_changes(100 - lost, lost))], [max_drop])
    assert judged.gate == gate(max_drop, met=met, uncertain=met)  # none has the cases to rule such a drop out


def test_a_gain_meets_the_gate_however_large() -> None:
    [judged] = with_holm_gates([change_of(of_single_cases_of_changes(50, 0, 50))], [0.0])
    assert judged.gate == gate(0.0, met=True)
    assert judged.p == 1.0


def test_with_nothing_shared_the_gate_is_met_and_nothing_is_shown() -> None:
    [judged] = with_holm_gates([change_of(PairedClusters())], [0.05])
    assert judged.gate == gate(0.05, met=True, uncertain=True)
    assert state_of(judged, 0.05) is GateState.CANNOT_TELL


def test_among_many_relations_the_same_drop_may_be_chance() -> None:
    alone, quiet = change_of(of_single_cases_of_changes(93, 7)), change_of(of_single_cases_of_changes(100, 0))
    assert [each.gate for each in with_holm_gates([alone], [0.0])] == [gate(0.0, met=False)]
    # 2^-7 x 30 = 0.23
    assert with_holm_gates([alone, *[quiet] * 29], [0.0] * 30)[0].gate == UNSURE


def test_every_change_says_whether_it_is_gated() -> None:
    with pytest.raises(ValueError, match="shorter"):
        with_holm_gates([change_of(of_single_cases_of_changes(9, 1))] * 2, [0.0])


@pytest.mark.parametrize(
    ("kept", "lost", "max_drop", "shown"),
    [
        (80, 20, 0.05, GateState.MISSED),
        (100, 0, 0.05, GateState.MET),  # of 100 scenes, none differing: a drop of at most 0.037
        (100, 0, 0.03, GateState.CANNOT_TELL),
        (30, 0, 0.05, GateState.CANNOT_TELL),  # of 30 scenes: at most 0.114
        (97, 3, 0.0, GateState.CANNOT_TELL),  # a drop that may be chance
        (970, 30, 0.05, GateState.MET),  # a significant drop that is tolerated: at most 0.042
        (900, 100, 0.11, GateState.CANNOT_TELL),  # a significant one of 0.1, which may be 0.12
    ],
)
def test_what_a_comparison_has_shown(kept: int, lost: int, max_drop: float, shown: GateState) -> None:
    alone = change_of(of_single_cases_of_changes(kept, lost))
    assert state_of(alone, max_drop) is shown
    [judged] = with_holm_gates([alone], [max_drop])
    assert state_of(judged, max_drop) is shown
    assert judged.gate is not None
    assert judged.gate.uncertain == (shown is GateState.CANNOT_TELL)
    assert judged.gate is not None
    assert judged.gate.met == (shown is not GateState.MISSED)


def test_what_is_gated_stands_as_its_gate_says() -> None:
    alone, quiet = change_of(of_single_cases_of_changes(93, 7)), change_of(of_single_cases_of_changes(100, 0))
    assert state_of(alone, 0.0) is GateState.MISSED
    assert state_of(with_holm_gates([alone, *[quiet] * 29], [0.0] * 30)[0], 0.0) is GateState.CANNOT_TELL


ps = st.lists(st.floats(0, 1) | st.sampled_from([0.0, 0.01, 0.05, 1.0]), min_size=1, max_size=40)


@given(ps)
def test_it_is_statsmodels(drawn: list[float]) -> None:
    with patch("gc.collect"):  # statsmodels collects, which takes a second where much is loaded
        expected = multipletests(drawn, method="holm")[1]
    assert holm(drawn) == pytest.approx(expected, abs=1e-9)


def test_a_case_worked_out_by_hand() -> None:
    # 4 x 0.005, 3 x 0.011, then 2 x 0.02 = 0.04, and 0.04 not below the one before it.
    assert holm([0.02, 0.005, 0.04, 0.011]) == pytest.approx((0.04, 0.02, 0.04, 0.033))


def test_of_one_it_is_the_same_and_of_none_there_is_none() -> None:
    assert holm([0.3]) == (0.3,)
    assert holm([]) == ()


@given(ps)
def test_it_is_never_smaller_nor_changes_the_order(drawn: list[float]) -> None:
    adjusted = holm(drawn)
    assert all(p <= q <= 1 for p, q in zip(drawn, adjusted, strict=True))
    by_p = sorted(zip(drawn, adjusted, strict=True))
    assert [q for _, q in by_p] == sorted(adjusted)


few_of_sign_flips = st.dictionaries(st.integers(1, 6), st.integers(1, 4), max_size=4).filter(
    lambda terms: sum(terms.values()) <= 10
)


@given(few_of_sign_flips, st.integers(-45, 45))
def test_it_is_the_share_of_all_combinations_of_signs(terms: dict[int, int], size: int) -> None:
    every = [magnitude for magnitude, count in terms.items() for _ in range(count)]
    sums = [
        sum(sign * term for sign, term in zip(signs, every, strict=True))
        for signs in product((1, -1), repeat=len(every))
    ]
    assert sign_flip_p(size, terms) == pytest.approx(sum(s >= size for s in sums) / len(sums), abs=1e-12)


@pytest.mark.parametrize("count", [1, 2, 7, 100, 1001, 20_000])
def test_with_terms_of_one_magnitude_it_is_the_binomial_also_far_out(count: int) -> None:
    for heads in sorted({0, count // 2, count // 2 + 1, count // 2 + int(3 * count**0.5) // 2, count}):
        expected = binom.sf(heads - 1, count, 0.5)
        found = sign_flip_p(3 * (2 * heads - count), {3: count})
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-300)


def test_of_many_terms_it_is_exact_far_out_as_well() -> None:
    found = sign_flip_p(2_000, {1: 40_000, 3: 2, 5: 1})
    # 1s: heads h give 2h - 40,000; the others give one of eight sums.
    sums = [3 * a + 3 * b + 5 * c for a, b, c in product((1, -1), repeat=3)]
    expected = sum(binom.sf((2_000 - each + 40_000 + 1) // 2 - 1, 40_000, 0.5) for each in sums) / 8
    assert found == pytest.approx(expected, rel=1e-9, abs=0)
    assert 1e-24 < expected < 1e-20


def test_of_no_terms_the_sum_is_0() -> None:
    assert sign_flip_p(0, {}) == 1.0
    assert sign_flip_p(1, {}) == 0.0


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


def judged_cases(item: str, letters: str, *, presumed: bool = False) -> JudgedCases:
    """A case of each letter, each of a scene of its own that all items share: "k"ept, "l"ost, "w"on or "n"ew."""
    holds, violated = Outcome.HOLDS, Outcome.VIOLATED
    kinds = {"k": (holds, holds), "l": (violated, holds), "w": (holds, violated), "n": (holds, None)}
    judged = JudgedCases()
    for scene, letter in enumerate(letters):
        outcome, before = kinds[letter]
        judged.add(f"{item} {scene}", f"scene {scene}", outcome, presumed=presumed, before=before)
    return judged


def test_the_total_is_over_all_relations_by_scene() -> None:
    items = [
        result(f"ours.{n}", judged=judged_cases(f"ours.{n}", letters)) for n, letters in enumerate(("lllkn", "lllwk"))
    ]
    totals = baseline_totals(items)
    (total,) = totals.relations
    # The new case is not compared. Three scenes lose two cases each, and one wins one.
    assert (total.model, total.data) == ("tiny", "gqa:DIR")
    assert total.change.paired == paired((0, 2, 0, 0, 3), (1, 0, 0, 0, 1), (1, 0, 1, 0, 1))
    # Net losses of 2, 2, 2 and -1, in 16 ways of signs: only these and those with 1 have at least 5.
    assert total.change.p == 2 / 16
    assert (total.change.gate, total.change.p_holm) == (None, None)
    assert (totals.accuracy, totals.gated, totals.families(NO_DROP)) == ((), (True,), 2)
    # It is one of two families, the other being the relations one by one, and has half of the significance level.
    (held,) = totals.with_gates({"*": 0.02}).relations
    assert held.change.p_holm == 2 * 2 / 16
    assert held.change.gate == gate(0.02, met=True, uncertain=True)


def test_the_total_is_of_each_model_without_controls_baselines_and_presumed_cases() -> None:
    lost = judged_cases("one", "ll")
    totals = baseline_totals(
        [
            result("ours.a", judged=judged_cases("a", "kk")),
            result("ours.presumed", judged=judged_cases("p", "ll", presumed=True)),
            result("control.repeat", judged=lost, tags=("control",)),
            result("ours.simple", judged=lost, tags=("baseline",)),
            result("ours.a", judged=lost, model=OTHER),
            result("ours.not_known"),
        ]
    )
    (total, other) = totals.relations
    assert (total.change.paired, total.model) == (paired((1, 0, 0, 0, 2)), "tiny")
    assert (other.change.paired, other.model) == (paired((0, 1, 0, 0, 2)), "other")
    assert (totals.gated, totals.families(NO_DROP)) == ((False, False), 1), "one relation alone has its own gate"


def test_without_compared_cases_there_is_no_total() -> None:
    totals = baseline_totals([result("ours.new", judged=judged_cases("new", "nn")), result("ours.b")])
    assert (totals.relations, totals.accuracy, totals.families(NO_DROP)) == ((), (), 1)


def right_answers(letters: str) -> JudgedCases:
    """The answers to questions of a scene each: right "k" both times, "l" then, "w" now, "n" now and not asked then."""
    right, then = JudgedCases(), {"k": True, "l": True, "w": False}
    for place, letter in enumerate(letters):
        right.add_right(f"question {place}", f"scene {place}", right=letter != "l", before=then.get(letter))
    return right


def test_a_question_counts_once_in_the_accuracy_and_is_gated_by_mcnemars_test() -> None:
    # Both relations ask the first seven questions; the new one is not compared.
    items = [
        replace(result("ours.a"), right=right_answers("lllllllkkkn")),
        replace(result("ours.b"), right=right_answers("lllllll")),
    ]
    totals = baseline_totals(items)
    (accuracy,) = totals.accuracy
    assert accuracy.change.paired == paired((0, 1, 0, 0, 7), (1, 0, 0, 0, 3))
    assert accuracy.change.p == pytest.approx(0.5**7)
    assert (totals.gated, totals.families(NO_DROP)) == ((True,), 2)
    (held,) = totals.with_gates({"*": 0.1}).accuracy
    assert held.change.p_holm == pytest.approx(2 * 0.5**7)
    assert held.change.gate == gate(0.1, met=False)
    (tolerated,) = totals.with_gates({"*": 0.7}).accuracy
    assert tolerated.change.gate is not None
    assert tolerated.change.gate.met


def test_a_rate_that_cannot_fall_so_far_has_no_gate() -> None:
    low = change_of(paired((1, 0, 0, 0, 6), (0, 0, 0, 1, 94)))
    assert not may_fall(low, 0.06)
    assert may_fall(low, 0.05)
    assert not may_fall(change_of(PairedClusters()), 0.0)


def test_two_models_are_held_against_each_other_by_two_sided_tests() -> None:
    # Eight scenes lost and none won: 2 of 2^8 signs. Two tested items, so the smaller p-value counts twice.
    pairs = [of_single_cases_of_changes(2, 8), of_single_cases_of_changes(9, 1), of_single_cases_of_changes(2, 8)]
    found = between_models(pairs, [True, True, False])
    assert [each.p_holm for each in found] == [pytest.approx(2 * 2 / 256), 1.0, None]
    swapped = [paired(*((a, c, b, d, n) for a, b, c, d, n in each.rows)) for each in pairs]
    assert [each.p_holm for each in between_models(swapped, [True, True, False])] == [each.p_holm for each in found]
