"""Which pass rate an item must reach, and whether it does."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.counts import Tally
from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.gate import Gate
from pytest_vqamt.stats.gates import GateOn, Threshold, gate, threshold_for
from pytest_vqamt.stats.wilson import wilson

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
