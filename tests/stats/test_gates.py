"""Which pass rate an item must reach, how far it may drop, and whether it does."""

from __future__ import annotations

from collections import Counter

import pytest

from pytest_vqamt.core.case import Figure
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.results import MAX_UNREAD, DataUse, Gate, ModelUse, RelationResult, StratumResult
from pytest_vqamt.core.tallies import Clusters, GroundedCells, PairedClusters, PairedSceneTally, SceneTally, Tally
from pytest_vqamt.stats.conclude import with_baseline_gates
from pytest_vqamt.stats.gates import GroundedCounts, gate, grounded_result
from pytest_vqamt.stats.intervals import wilson
from pytest_vqamt.stats.paired import change_of
from pytest_vqamt.stats.thresholds import GateOn, Threshold, threshold_for

ITEM = "metavqa.partition[object]"
ANY = (0.0, 1.0)


def thresholds(*texts: str) -> tuple[Threshold, ...]:
    return tuple(Threshold.parse(text) for text in texts)


def demanded(*texts: str, item: str = ITEM, tags: tuple[str, ...] = ()) -> float | None:
    """The rate that the options demand of the item."""
    found = threshold_for(item, tags, thresholds(*texts))
    return found.rate if found else None


class TestParsing:
    @pytest.mark.parametrize(
        ("text", "pattern", "rate"),
        [
            ("0.8", "*", 0.8),
            ("0", "*", 0.0),
            ("1", "*", 1.0),
            (" 0.5 ", "*", 0.5),
            ("metavqa.*=0.9", "metavqa.*", 0.9),
            ("metavqa.partition[object]=1", "metavqa.partition[object]", 1.0),
            ("metavqa.* = 0.9", "metavqa.*", 0.9),
        ],
    )
    def test_a_rate_alone_or_for_a_glob(self, text: str, pattern: str, rate: float) -> None:
        assert Threshold.parse(text) == Threshold(pattern=pattern, rate=rate)

    @pytest.mark.parametrize(
        "text",
        ["", "eighty", "80%", "1.01", "-0.1", "nan", "inf", "metavqa.*", "metavqa.*=", "metavqa.*=2", "=0.5", "*=x"],
    )
    def test_anything_else_is_refused_and_shown(self, text: str) -> None:
        with pytest.raises(OptionError, match="Expected a pass rate from 0 to 1") as refused:
            Threshold.parse(text)
        assert f"--vqamt-fail-under={text!r}" in str(refused.value)


class TestWhichOneApplies:
    def test_none_without_a_fitting_pattern(self) -> None:
        assert demanded() is None
        assert demanded("carets.*=0.9", "metavqa.partition[property]=0.9") is None

    def test_the_more_exact_pattern_wins_wherever_it_stands(self) -> None:
        ladder = ("0.1", "metavqa.*=0.2", "metavqa.partition=0.3", "metavqa.partition[object]=0.4")
        assert demanded(*ladder) == demanded(*reversed(ladder)) == 0.4
        assert demanded(*ladder[:3]) == demanded(*reversed(ladder[:3])) == 0.3
        assert demanded(*ladder[:2]) == demanded(*reversed(ladder[:2])) == 0.2
        assert demanded("0.1") == 0.1

    def test_of_equally_exact_ones_the_later_wins(self) -> None:
        assert demanded("0.9", "0.5") == 0.5
        assert demanded("metavqa.*=0.9", "metavqa.*=0.5", "0.7") == 0.5
        assert demanded("metavqa.*=0.9", "metavqa=0.5", "0.7") == 0.5
        assert demanded("metavqa=0.5", "metavqa.*=0.9", "0.7") == 0.9

    @pytest.mark.parametrize("tag", ["baseline", "presumed"])
    def test_some_are_gated_only_by_a_pattern_that_names_them(self, tag: str) -> None:
        assert demanded("0.9", tags=(tag,)) is None
        assert demanded("*=0.9", tags=(tag,)) is None
        assert demanded("metavqa.*=0.6", "0.9", tags=(tag,)) == 0.6
        assert demanded("metavqa.partition[object]=0.7", tags=(tag,)) == 0.7

    def test_a_control_is_never_gated(self) -> None:
        assert demanded("0.9", "control.*=0.9", "control.repeat=0.9", item="control.repeat", tags=("control",)) is None


class TestWhetherItIsMet:
    def test_the_rate_itself_is_enough(self) -> None:
        tally = Tally(cases=12, holds=8, violated=1, unparsed=1, errors=1, waived=1)
        assert gate(ITEM, (), tally, ANY, thresholds("0.8"), GateOn.POINT) == Gate(
            kind="fail-under", threshold=0.8, on="point", met=True
        )

    def test_a_little_less_is_not(self) -> None:
        found = gate(ITEM, (), Tally(cases=10, holds=7, violated=3), ANY, thresholds("0.71"), GateOn.POINT)
        assert found is not None
        assert not found.met

    @pytest.mark.parametrize(("rate", "met"), [("0.49", True), ("0.50", False)])
    def test_the_lower_bound_asks_more_of_few_cases(self, rate: str, met: bool) -> None:
        # 8 of 10: the rate is 0.8, the Wilson interval begins at 0.4902.
        tally = Tally(cases=10, holds=8, violated=2)
        found = gate(ITEM, (), tally, wilson(tally.holds, tally.judged), thresholds(rate), GateOn.LOWER_BOUND)
        assert found == Gate(kind="fail-under", threshold=float(rate), on="lower-bound", met=met)

    @pytest.mark.parametrize("on", GateOn)
    def test_nothing_judged_meets_no_gate(self, on: GateOn) -> None:
        found = gate(ITEM, (), Tally(cases=3, errors=2, waived=1), ANY, thresholds("0"), on)
        assert found is not None
        assert not found.met

    def test_where_nothing_is_demanded_there_is_no_gate(self) -> None:
        assert gate(ITEM, (), Tally(cases=1, holds=1), ANY, thresholds("carets.*=1"), GateOn.POINT) is None


class TestUnread:
    """Above the share of unread cases that is allowed no gate is met, whatever the rates."""

    HALF = Tally(cases=10, holds=7, violated=1, unparsed=1, declined=1, refused=1, unread_cases=2)
    """Two of ten answered cases are unread: a fifth."""

    def test_at_the_limit_a_gate_is_met_and_above_it_not(self) -> None:
        more = replace(self.HALF, unparsed=0, declined=2, refused=2, unread_cases=3)
        for tally, most, unread in ((self.HALF, 0.2, None), (self.HALF, 0.19, 0.2), (more, 0.2, 0.3), (more, 1, None)):
            found = gate(ITEM, (), tally, ANY, thresholds("0.5"), GateOn.POINT, most)
            assert found is not None
            assert (found.met, found.unread) == (unread is None, unread)

    def test_what_the_adapter_declines_is_not_unread(self) -> None:
        declined = Tally(cases=10, holds=2, declined=8)
        found = gate(ITEM, (), declined, ANY, thresholds("0.5"), GateOn.POINT)
        assert found is not None
        assert found.met

    def test_a_grounded_rate_is_gated_so_too(self) -> None:
        counts = GroundedCounts(
            GroundedCells(consistent_changed=9), Figure(9, 0), Clusters((SceneTally(1, 1, 9),)), PairedClusters()
        )
        nothing = GroundedCounts(GroundedCells(), Figure(), Clusters(), PairedClusters())
        for most, met in ((0.1, False), (0.5, True)):
            found = grounded_result(
                ITEM,
                (),
                counts,
                nothing,
                thresholds("0.9"),
                GateOn.POINT,
                tally=self.HALF,
                max_unread=most,
                version_before=None,
            )
            assert found is not None
            assert found.gate is not None
            assert found.gate.met is met

    def test_a_drop_cannot_be_hidden_by_refusing(self) -> None:
        """No case is judged now, so none can be compared."""
        gone = Tally(cases=9, declined=9, refused=9, unread_cases=9)
        silent = replace(TestDrops.item(0), tally=gone)
        [held] = with_baseline_gates([silent], {"*": 0.05}, MAX_UNREAD)
        assert [(each.met, each.unread) for each in held.drop_gates] == [(False, 1.0)]
        [told] = with_baseline_gates([silent], {"*": 0.05}, 1.0)
        assert told.drop_gates == ()
        [control] = with_baseline_gates([replace(silent, tags=("control",))], {"*": 0.05}, MAX_UNREAD)
        assert control.drop_gates == ()


class TestDrops:
    """Scenes of one case each. The p-value of n cases that broke and none that was mended is 0.5 ** n (McNemar)."""

    @staticmethod
    def item(lost: int, *, kept: int = 0, tags: tuple[str, ...] = (), blessed: bool = True) -> RelationResult:
        """An item of which so many cases broke."""
        rows = [PairedSceneTally(1, 0, 0, 0, kept)] * bool(kept) + [PairedSceneTally(0, 1, 0, 0, lost)] * bool(lost)
        made = result_of(tags=tags)
        return replace(made, change=change_of(PairedClusters(tuple(rows)))) if blessed else made

    def test_a_drop_is_missed_where_it_is_large_and_no_chance(self) -> None:
        # Holm: the smallest of three p-values is multiplied by 3, the next one by 2. 0.5**7 = 0.0078, 0.5**5 = 0.031.
        held = with_baseline_gates(
            [self.item(7, kept=93), self.item(5, kept=95), self.item(0, kept=100)], {"*": 0.02}, MAX_UNREAD
        )
        changes = [each.change for each in held]
        assert [each and each.p_holm for each in changes] == pytest.approx([3 * 0.5**7, 2 * 0.5**5, 1.0])
        assert [each and each.gate and each.gate.met for each in changes] == [False, True, True]
        assert changes[0] is not None
        assert changes[0].gate == Gate(kind="max-drop", threshold=0.02, on="holm", met=False, dropped=True)

    def test_a_drop_that_is_tolerated_is_none_however_sure_it_is(self) -> None:
        [at, beyond] = with_baseline_gates([self.item(20, kept=80), self.item(21, kept=79)], {"*": 0.2}, MAX_UNREAD)
        assert at.change is not None
        assert beyond.change is not None
        assert at.change.p_holm is not None
        assert at.change.p_holm < 0.0001
        assert at.change.gate is not None
        assert at.change.gate.met, "20 of 100 are no more than 0.2"
        assert beyond.change.gate is not None
        assert not beyond.change.gate.met

    @pytest.mark.parametrize("tags", [("control",), ("baseline",)])
    def test_controls_and_baselines_are_compared_and_not_gated(self, tags: tuple[str, ...]) -> None:
        held = with_baseline_gates([self.item(50, tags=tags), self.item(5, kept=95)], {"*": 0.0}, MAX_UNREAD)
        spared, gated = (each.change for each in held)
        assert spared is not None
        assert (spared.gate, spared.p_holm) == (None, None)
        assert gated is not None
        assert gated.p_holm == pytest.approx(0.5**5), "Holm's correction is for what is gated"

    def test_without_a_case_judged_both_times_there_is_no_gate(self) -> None:
        [held] = with_baseline_gates([self.item(0)], {"*": 0.0}, MAX_UNREAD)
        assert held.change is not None
        assert held.change.gate is None

    def test_what_was_not_blessed_stays_as_it_is(self) -> None:
        new, old = with_baseline_gates([self.item(0, blessed=False), self.item(9)], {"*": 0.0}, MAX_UNREAD)
        assert new == result_of()
        assert old.change is not None
        assert old.change.p_holm == pytest.approx(0.5**9)

    def test_presumed_cases_are_compared_and_not_gated(self) -> None:
        apart = StratumResult(
            tally=Tally(cases=9, violated=9),
            breakdown={},
            readings=Counter(),
            interval=ANY,
            gate=None,
            change=self.item(9).change,
        )
        [held] = with_baseline_gates([replace(self.item(0, kept=9), presumed=apart)], {"*": 0.0}, MAX_UNREAD)
        assert held.presumed == apart
        assert [each.met for each in held.drop_gates] == [True]


def result_of(*, tags: tuple[str, ...] = ()) -> RelationResult:
    """An item whose counts do not matter."""
    return RelationResult(
        position=0,
        item=ITEM,
        version=1,
        claim="All is one.",
        model=ModelUse(name="made", fingerprint="f", tasks=("vqa",)),
        data=DataUse(spec="made:5", scenes=5, digest="d"),
        tags=tags,
        tally=Tally(),
        scenes_not_applicable=0,
        not_applicable={},
        breakdown={},
        readings=Counter(),
        interval=ANY,
        gate=None,
    )
