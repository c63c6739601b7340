"""What became of items between two runs: the regression gate, and what a comparison has shown."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.results import Change, Gate
from pytest_vqamt.core.tallies import AlikeTwice, PairedClusters
from pytest_vqamt.stats.paired import (
    Standing,
    change,
    drop_p,
    holm,
    judged_together,
    paired_interval,
    standing,
    two_sided_p,
)


def of_single_cases(kept: int, lost: int, won: int = 0) -> PairedClusters:
    return PairedClusters((AlikeTwice(0, 0, 1, 0, won), AlikeTwice(0, 1, 0, 0, lost), AlikeTwice(1, 0, 0, 0, kept)))


def gate(max_drop: float, *, met: bool) -> Gate:
    return Gate(kind="max-drop", threshold=max_drop, on="holm", met=met)


def test_a_change_by_itself_has_no_gate() -> None:
    two = of_single_cases(90, 8, 2)
    assert change(two, version_before=2, other_judgement=3) == Change(
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
    of_one_scene = PairedClusters((AlikeTwice(0, 4, 0, 0, 1), AlikeTwice(0, 1, 0, 0, 1)))
    # Five of five have dropped: 2 / 32. By scene it is two of two: 2 / 4.
    assert change(of_one_scene).p_mcnemar == pytest.approx(1 / 16, abs=1e-12)
    assert change(of_one_scene).p_two_sided == pytest.approx(1 / 2, abs=1e-12)


def test_holm_is_over_those_that_are_gated_and_the_order_stays() -> None:
    # 10, 6, 3 and 8 lost and none won: 2^-10, 2^-6, 2^-3, 2^-8.
    changes = [change(of_single_cases(90, lost)) for lost in (10, 6, 3, 8)]
    judged = judged_together(changes, 0.0, [True, False, True, True])
    assert [each.p_holm for each in judged] == [
        pytest.approx(3 / 1024),
        None,
        pytest.approx(1 / 8),
        pytest.approx(2 / 256),
    ]
    assert [each.gate for each in judged] == [gate(0.0, met=False), None, gate(0.0, met=True), gate(0.0, met=False)]
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
    [judged] = judged_together([change(of_single_cases(100 - lost, lost))], max_drop, [True])
    assert judged.gate == gate(max_drop, met=met)


def test_a_gain_meets_the_gate_however_large() -> None:
    [judged] = judged_together([change(of_single_cases(50, 0, 50))], 0.0, [True])
    assert judged.gate == gate(0.0, met=True)
    assert judged.p == 1.0


def test_with_nothing_shared_the_gate_is_met_and_nothing_is_shown() -> None:
    [judged] = judged_together([change(PairedClusters())], 0.05, [True])
    assert judged.gate == gate(0.05, met=True)
    assert standing(judged, 0.05) is Standing.UNCERTAIN


def test_among_many_relations_the_same_drop_may_be_chance() -> None:
    alone, quiet = change(of_single_cases(93, 7)), change(of_single_cases(100, 0))
    assert [each.gate for each in judged_together([alone], 0.0, [True])] == [gate(0.0, met=False)]
    # 2^-7 x 30 = 0.23
    assert judged_together([alone, *[quiet] * 29], 0.0, [True] * 30)[0].gate == gate(0.0, met=True)


def test_every_change_says_whether_it_is_gated() -> None:
    with pytest.raises(ValueError, match="shorter"):
        judged_together([change(of_single_cases(9, 1))] * 2, 0.0, [True])


@pytest.mark.parametrize(
    ("kept", "lost", "max_drop", "shown"),
    [
        (80, 20, 0.05, Standing.WORSE),
        (100, 0, 0.05, Standing.NO_WORSE),  # of 100 scenes, none differing: a drop of at most 0.037
        (100, 0, 0.03, Standing.UNCERTAIN),
        (30, 0, 0.05, Standing.UNCERTAIN),  # of 30 scenes: at most 0.114
        (97, 3, 0.0, Standing.UNCERTAIN),  # a drop that may be chance
        (970, 30, 0.05, Standing.NO_WORSE),  # a significant drop that is tolerated: at most 0.042
        (900, 100, 0.11, Standing.UNCERTAIN),  # a significant one of 0.1, which may be 0.12
    ],
)
def test_what_a_comparison_has_shown(kept: int, lost: int, max_drop: float, shown: Standing) -> None:
    alone = change(of_single_cases(kept, lost))
    assert standing(alone, max_drop) is shown
    [judged] = judged_together([alone], max_drop, [True])
    assert standing(judged, max_drop) is shown
    assert judged.gate is not None
    assert judged.gate.met == (shown is not Standing.WORSE)


def test_what_is_gated_stands_as_its_gate_says() -> None:
    alone, quiet = change(of_single_cases(93, 7)), change(of_single_cases(100, 0))
    assert standing(alone, 0.0) is Standing.WORSE
    assert standing(judged_together([alone, *[quiet] * 29], 0.0, [True] * 30)[0], 0.0) is Standing.UNCERTAIN
